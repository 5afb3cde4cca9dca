/* cuda_sets.c - operations on itemsets as rows of bits
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

lode_status cuda_use_sets(backend_papers *p, const backend_sets *sets, const uint32_t *group_end,
                          const uint32_t *rows) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(d));
    p->level = *sets;
    p->host_group_end = group_end;
    p->host_set_rows = rows;
    LODE_TRY(cuda_buffer_fill(d, &p->sets, sets->data, sets->n * sets->words * sizeof *sets->data));
    if (group_end) {
        LODE_TRY(cuda_buffer_fill(d, &p->group_end, group_end, sets->n * sizeof *group_end));
    }
    if (rows) LODE_TRY(cuda_buffer_fill(d, &p->set_rows, rows, sets->n * sizeof *rows));
    LODE_TRY(cuda_buffer_need(d, &p->totals, 2 * sizeof(uint32_t)));
done:
    return status;
}

static cuda_sets sets_on_device(const backend_papers *p) {
    return (cuda_sets){.data = p->sets.data,
                       .n = (uint32_t)p->level.n,
                       .words = (uint32_t)p->level.words,
                       .group_end = p->group_end.data};
}

/* ---- joins --------------------------------------------------------------------------------- */

static size_t sets_count_joins(const backend_papers *p, size_t first, size_t end) {
    size_t n = 0;
    for (size_t i = first; i < end; i++) n += p->host_group_end[i] - i - 1;
    return n;
}

lode_status cuda_join_buffers(backend_papers *p, size_t n_joins, cuda_join *join) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    size_t scratch = 0;
    CUDA_TRY(d, "cub scratch", cuda_join_scratch(n_joins, &scratch));
    LODE_TRY(cuda_buffer_need(d, &p->all, n_joins * sizeof *join->all));
    LODE_TRY(cuda_buffer_need(d, &p->keep, n_joins));
    LODE_TRY(cuda_buffer_need(d, &p->pairs, n_joins * sizeof *join->pairs));
    LODE_TRY(cuda_buffer_need(d, &p->counts, n_joins * sizeof *join->counts));
    LODE_TRY(cuda_buffer_need(d, &p->kept_counts, n_joins * sizeof *join->counts));
    LODE_TRY(cuda_buffer_need(d, &p->scratch, scratch));
    *join = (cuda_join){.n_joins = n_joins,
                        .all = p->all.data,
                        .keep = p->keep.data,
                        .pairs = p->pairs.data,
                        .counts = p->counts.data,
                        .kept_counts = p->kept_counts.data,
                        .totals = p->totals.data,
                        .scratch = p->scratch.data,
                        .scratch_bytes = p->scratch.bytes};
done:
    return status;
}

/* Prepares all joins of the left sets [first, end), n_joins in all. */
static lode_status sets_prepare_join(backend_papers *p, size_t first, size_t end, size_t n_joins,
                                     cuda_join *join) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cudaStream_t stream = d->slots[0].stream;
    cuda_places places = {.group_end = p->group_end.data,
                          .n_sets = (uint32_t)p->level.n,
                          .first = (uint32_t)first,
                          .n = (uint32_t)(end - first)};
    size_t scratch = 0;
    CUDA_TRY(d, "cub scan", cuda_launch_places(&places, NULL, &scratch, stream));
    LODE_TRY(cuda_buffer_need(d, &p->places, places.n * sizeof *join->places));
    LODE_TRY(cuda_buffer_need(d, &p->scratch, scratch));
    LODE_TRY(cuda_join_buffers(p, n_joins, join));
    places.places = p->places.data;
    scratch = p->scratch.bytes;
    CUDA_TRY(d, "cub scan", cuda_launch_places(&places, p->scratch.data, &scratch, stream));
    join->first = places.first;
    join->n_left = places.n;
    join->places = places.places;
done:
    return status;
}

/* Queues a join after the `started` event. */
static lode_status sets_queue_join(backend_papers *p, const cuda_join *join) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_sets sets = sets_on_device(p);
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "join", cuda_launch_join(&sets, join, slot->stream));
done:
    return status;
}

lode_status cuda_join_sets(backend_papers *p, size_t first, size_t end, backend_joined *out) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_join join;
    uint32_t n = 0;
    size_t n_joins = sets_count_joins(p, first, end);
    out->n = 0;
    out->generated = out->pruned = 0;
    if (n_joins == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(sets_prepare_join(p, first, end, n_joins, &join));
    LODE_TRY(sets_queue_join(p, &join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    cuda_array pairs = {out->pairs, join.pairs, sizeof *out->pairs};
    cuda_counted found = {&n, join.totals, 1, n_joins, &pairs, 1};
    LODE_TRY(cuda_fetch_counted(d, &found));
    LODE_TRY(cuda_ring_settle(d));
    out->n = n;
    out->generated = n_joins;
    out->pruned = n_joins - n;
done:
    return status;
}

/* Counts the candidates of a join on the device, and keeps the frequent ones. */
static lode_status sets_queue_count(backend_papers *p, const cuda_join *join) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cudaStream_t stream = d->slots[0].stream;
    cuda_paper_pairs pairs = {.pairs = join->pairs,
                              .set_rows = p->set_rows.data,
                              .n = join->totals,
                              .most = join->n_joins,
                              .counts = join->counts};
    /* The launches are for n_joins candidates, as their number is not known here: the counts
     * after the last one must be defined, too. */
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(join->counts, 0, join->n_joins * sizeof *join->counts, stream));
    CUDA_TRY(d, "pair_count", cuda_launch_pair_count(&d->rows, &p->config, &pairs, stream));
    CUDA_TRY(d, "keep_frequent",
             cuda_launch_keep_frequent(p->config.count.min_count, join, stream));
done:
    return status;
}

lode_status cuda_queue_join_count(backend_papers *p, const cuda_join *join, uint32_t min_count) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    p->config.count.min_count = min_count;
    CUDA_TRY(d, "cudaMemsetAsync", /* as for the counts */
             cudaMemsetAsync(join->pairs, 0, join->n_joins * sizeof *join->pairs, slot->stream));
    LODE_TRY(sets_queue_join(p, join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->done, slot->stream));
    LODE_TRY(sets_queue_count(p, join));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
done:
    return status;
}

/* How long the counting of the last join took, on the device's clock. */
static lode_status sets_count_time(backend_papers *p, double *seconds) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    float milliseconds = 0;
    CUDA_TRY(d, "cudaEventElapsedTime",
             cudaEventElapsedTime(&milliseconds, d->slots[0].done, d->slots[0].computed));
    *seconds = (double)milliseconds / 1000;
done:
    return status;
}

lode_status cuda_settle_join_count(backend_papers *p, const cuda_join *join, const uint32_t *totals,
                                   backend_joined *out) {
    lode_status status = LODE_OK;
    LODE_TRY(cuda_ring_settle(p->device));
    LODE_TRY(sets_count_time(p, &out->count_seconds));
    out->n = totals[1];
    out->generated = join->n_joins;
    out->pruned = join->n_joins - totals[0];
    p->device->counters.rows_read += (uint64_t)2 * totals[0];
done:
    return status;
}

lode_status cuda_join_count(backend_papers *p, size_t first, size_t end, uint32_t min_count,
                            backend_joined *out) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_join join;
    uint32_t totals[2] = {0, 0};
    size_t n_joins = sets_count_joins(p, first, end);
    out->n = 0;
    out->generated = out->pruned = 0;
    out->count_seconds = 0;
    if (n_joins == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(sets_prepare_join(p, first, end, n_joins, &join));
    LODE_TRY(cuda_queue_join_count(p, &join, min_count));
    cuda_array arrays[] = {{out->pairs, join.all, sizeof *out->pairs},
                           {out->counts, join.kept_counts, sizeof *out->counts}};
    cuda_counted found = {totals, join.totals, 2, n_joins, arrays, 2};
    LODE_TRY(cuda_fetch_counted(d, &found));
    LODE_TRY(cuda_settle_join_count(p, &join, totals, out));
done:
    return status;
}
