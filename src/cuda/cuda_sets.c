/* cuda_sets.c - the CUDA backend's operations on itemsets as rows of bits
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cuda/device.h"

#define GRID_PIECE ((uint64_t)1 << 22) /* work items of one launch, at most */
#define GRID_LEAST ((uint64_t)1 << 14)
#define GRID_BYTES 12 /* that one of them takes on the device, at the worst */

lode_status cuda_use_sets(backend_device *d, const backend_sets *sets, const uint32_t *group_end,
                          const uint32_t *rows) {
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(d));
    d->level = *sets;
    d->host_group_end = group_end;
    LODE_TRY(cuda_buffer_fill(d, &d->sets, sets->data, sets->n * sets->words * sizeof *sets->data));
    if (group_end) {
        LODE_TRY(cuda_buffer_fill(d, &d->group_end, group_end, sets->n * sizeof *group_end));
    }
    if (rows) LODE_TRY(cuda_buffer_fill(d, &d->set_rows, rows, sets->n * sizeof *rows));
    LODE_TRY(cuda_buffer_need(d, &d->totals, 2 * sizeof(uint32_t)));
done:
    return status;
}

static cuda_sets device_sets(const backend_device *d) {
    return (cuda_sets){.data = d->sets.data,
                       .n = (uint32_t)d->level.n,
                       .words = (uint32_t)d->level.words,
                       .group_end = d->group_end.data};
}

/* ---- joins --------------------------------------------------------------------------------- */

static size_t count_joins(const backend_device *d, size_t first, size_t end) {
    size_t n = 0;
    for (size_t i = first; i < end; i++) n += d->host_group_end[i] - i - 1;
    return n;
}

static lode_status join_buffers(backend_device *d, size_t n_left, size_t n_joins, cuda_join *join) {
    lode_status status = LODE_OK;
    size_t scratch = 0;
    CUDA_TRY(d, "cub scratch", cuda_join_scratch(n_left, n_joins, &scratch));
    LODE_TRY(cuda_buffer_need(d, &d->places, n_left * sizeof *join->places));
    LODE_TRY(cuda_buffer_need(d, &d->all, n_joins * sizeof *join->all));
    LODE_TRY(cuda_buffer_need(d, &d->keep, n_joins));
    LODE_TRY(cuda_buffer_need(d, &d->pairs, n_joins * sizeof *join->pairs));
    LODE_TRY(cuda_buffer_need(d, &d->pair_counts, n_joins * sizeof *join->counts));
    LODE_TRY(cuda_buffer_need(d, &d->kept_counts, n_joins * sizeof *join->counts));
    LODE_TRY(cuda_buffer_need(d, &d->scratch, scratch));
    *join = (cuda_join){.places = d->places.data,
                        .all = d->all.data,
                        .keep = d->keep.data,
                        .pairs = d->pairs.data,
                        .counts = d->pair_counts.data,
                        .kept_counts = d->kept_counts.data,
                        .totals = d->totals.data,
                        .scratch = d->scratch.data,
                        .scratch_bytes = d->scratch.bytes};
done:
    return status;
}

/* Queues the joins of the left sets [first, end) behind the `started` event. */
static lode_status queue_join(backend_device *d, size_t first, size_t end, size_t n_joins,
                              const cuda_join *join) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_sets sets = device_sets(d);
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "join", cuda_launch_join(&sets, first, end, n_joins, join, slot->stream));
done:
    return status;
}

lode_status cuda_join_sets(backend_device *d, size_t first, size_t end, backend_joined *out) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_join join;
    uint32_t n = 0;
    size_t n_joins = count_joins(d, first, end);
    out->n = 0;
    out->generated = out->pruned = 0;
    if (n_joins == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(join_buffers(d, end - first, n_joins, &join));
    LODE_TRY(queue_join(d, first, end, n_joins, &join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    cuda_result pairs = {out->pairs, join.pairs, sizeof *out->pairs};
    LODE_TRY(cuda_fetch_counted(d, &(cuda_totals){join.totals, &n, 1, n_joins}, &pairs, 1));
    LODE_TRY(cuda_ring_settle(d));
    out->n = n;
    out->generated = n_joins;
    out->pruned = n_joins - n;
done:
    return status;
}

/* Counts the candidates of a join, where they lie, and keeps the frequent ones. */
static lode_status queue_count(backend_device *d, size_t n_joins, const cuda_join *join) {
    lode_status status = LODE_OK;
    cudaStream_t stream = d->slots[0].stream;
    cuda_pairs pairs = {join->pairs, d->set_rows.data, join->totals, n_joins};
    /* The upper bound is launched; what lies behind the last candidate must hold something. */
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(join->counts, 0, n_joins * sizeof *join->counts, stream));
    CUDA_TRY(d, "pair_count",
             cuda_launch_pair_count(&d->rows, &d->config, &pairs, join->counts, stream));
    CUDA_TRY(d, "keep_frequent",
             cuda_launch_keep_frequent(d->config.min_count, n_joins, join, stream));
done:
    return status;
}

/* How long the counting of the last join took, on the device's clock. */
static lode_status count_time(backend_device *d, double *seconds) {
    lode_status status = LODE_OK;
    float milliseconds = 0;
    CUDA_TRY(d, "cudaEventElapsedTime",
             cudaEventElapsedTime(&milliseconds, d->slots[0].done, d->slots[0].computed));
    *seconds = (double)milliseconds / 1000;
done:
    return status;
}

lode_status cuda_join_count(backend_device *d, size_t first, size_t end, uint32_t min_count,
                            backend_joined *out) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_join join;
    uint32_t totals[2] = {0, 0};
    size_t n_joins = count_joins(d, first, end);
    out->n = 0;
    out->generated = out->pruned = 0;
    out->count_seconds = 0;
    if (n_joins == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    d->config.min_count = min_count;
    LODE_TRY(join_buffers(d, end - first, n_joins, &join));
    CUDA_TRY(d, "cudaMemsetAsync", /* as above: select reads to the end */
             cudaMemsetAsync(join.pairs, 0, n_joins * sizeof *join.pairs, slot->stream));
    LODE_TRY(queue_join(d, first, end, n_joins, &join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->done, slot->stream));
    LODE_TRY(queue_count(d, n_joins, &join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    cuda_result found[] = {{out->pairs, join.all, sizeof *out->pairs},
                           {out->counts, join.kept_counts, sizeof *out->counts}};
    LODE_TRY(cuda_fetch_counted(d, &(cuda_totals){join.totals, totals, 2, n_joins}, found, 2));
    LODE_TRY(cuda_ring_settle(d));
    LODE_TRY(count_time(d, &out->count_seconds));
    out->n = totals[1];
    out->generated = n_joins;
    out->pruned = n_joins - totals[0];
    d->counters.rows_read += (uint64_t)2 * totals[0];
done:
    return status;
}

/* ---- all pairs ----------------------------------------------------------------------------- */

/* Work items of one launch: what the budget lets the results take. */
static uint64_t grid_piece(const backend_device *d) {
    uint64_t most = d->card->budget / 16 / GRID_BYTES;
    return most < GRID_LEAST ? GRID_LEAST : most < GRID_PIECE ? most : GRID_PIECE;
}

static lode_status or_piece(backend_device *d, uint32_t k, backend_grid grid, uint64_t first,
                            uint64_t end, backend_pair *pairs, uint32_t *n) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_sets sets = device_sets(d);
    int square = grid == BACKEND_GRID_SQUARE;
    size_t scratch = 0;
    CUDA_TRY(d, "cub scratch",
             cuda_launch_or_pairs(&sets, k, square, first, end, NULL, NULL, NULL, &scratch,
                                  slot->stream));
    LODE_TRY(cuda_buffer_need(d, &d->pairs, (size_t)(end - first) * sizeof *pairs));
    LODE_TRY(cuda_buffer_need(d, &d->scratch, scratch));
    scratch = d->scratch.bytes;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "or_pairs",
             cuda_launch_or_pairs(&sets, k, square, first, end, d->pairs.data, d->totals.data,
                                  d->scratch.data, &scratch, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    cuda_result found = {pairs, d->pairs.data, sizeof *pairs};
    cuda_totals total = {d->totals.data, n, 1, (size_t)(end - first)};
    LODE_TRY(cuda_fetch_counted(d, &total, &found, 1));
    LODE_TRY(cuda_ring_settle(d));
done:
    return status;
}

lode_status cuda_or_pairs(backend_device *d, uint32_t k, backend_grid grid, uint64_t first,
                          uint64_t end, backend_pair *pairs, size_t *n_pairs) {
    lode_status status = LODE_OK;
    _Static_assert(sizeof(cuda_pair) == sizeof(backend_pair), "the kernels write backend_pair");
    *n_pairs = 0;
    d->counters.work_items += end - first;
    LODE_TRY(cuda_bind(d));
    for (uint64_t at = first, piece = grid_piece(d); at < end; at += piece) {
        uint64_t stop = end - at < piece ? end : at + piece;
        uint32_t n = 0;
        LODE_TRY(or_piece(d, k, grid, at, stop, pairs + *n_pairs, &n));
        *n_pairs += n;
    }
done:
    return status;
}
