/* cuda_grid.c - the grid over all pairs of a level's itemsets, on the CUDA backend
 *
 * A tile of the grid becomes as many launches as the memory for their results and the 65,535 rows
 * of a launch ask for; a level of a usual size is one. The clock is around the grid's kernel alone:
 * what comes before it (clearing the marks) and after it (gathering the kept pairs, bringing them)
 * is not in grid_seconds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

#define GRID_MOST        ((uint64_t)1 << 22) /* blocks of one launch, at most … */
#define GRID_LEAST       ((uint64_t)1 << 14) /* … and at least, where no rows are written */
#define GRID_BYTES       12 /* that a block takes on the device, at the worst, without a row */
#define GRID_ROW_BYTES   ((uint64_t)2 << 30) /* rows of one launch, at most */
#define GRID_ROWS_SHARED 8                   /* of the memory that is left, an eighth is for them */

void cuda_grid_free(backend_papers *p) {
    cuda_buffer *buffers[] = {&p->grid_keep, &p->grid_united, &p->grid_pairs, &p->grid_total,
                              &p->grid_scratch};
    (void)cudaSetDevice((int)p->device->card->index);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        cuda_buffer_free(p->device, buffers[i]);
    }
}

/* Blocks of one launch: as many as the budget lets the results take. */
static uint64_t grid_blocks_at_once(const backend_papers *p) {
    const backend_device *d = p->device;
    uint64_t most = d->card->budget / 16 / GRID_BYTES;
    if (most < GRID_LEAST) most = GRID_LEAST;
    if (most > GRID_MOST) most = GRID_MOST;
    if (!p->host_set_rows || d->row_bytes == 0) return most;
    uint64_t left = (uint64_t)cuda_card_left(d->card) / GRID_ROWS_SHARED;
    if (left < p->grid_united.bytes) left = p->grid_united.bytes; /* that is taken already */
    if (left > GRID_ROW_BYTES) left = GRID_ROW_BYTES;
    uint64_t rows = left / d->row_bytes;
    if (rows == 0) rows = 1;
    return rows < most ? rows : most;
}

/* Room for the results of a tile. */
static lode_status grid_buffers(backend_papers *p, const cuda_sets *sets, cuda_grid *g) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    size_t n = (size_t)backend_grid_blocks(g->tile);
    CUDA_TRY(d, "cub scratch", cuda_launch_grid_select(sets, g, d->slots[0].stream));
    LODE_TRY(cuda_buffer_need(d, &p->grid_keep, n));
    LODE_TRY(cuda_buffer_need(d, &p->grid_pairs, n * sizeof *g->pairs));
    LODE_TRY(cuda_buffer_need(d, &p->grid_total, sizeof *g->n_pairs));
    LODE_TRY(cuda_buffer_need(d, &p->grid_scratch, g->scratch_bytes));
    if (g->set_rows) LODE_TRY(cuda_buffer_need(d, &p->grid_united, n * d->row_bytes));
    g->keep = p->grid_keep.data;
    g->united = p->grid_united.data;
    g->pairs = p->grid_pairs.data;
    g->n_pairs = p->grid_total.data;
    g->scratch = p->grid_scratch.data;
    g->scratch_bytes = p->grid_scratch.bytes;
done:
    return status;
}

/* Queues the grid between two events, and what gathers its pairs. */
static lode_status grid_queue(backend_papers *p, const cuda_sets *sets, cuda_grid *g) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(g->keep, 0, (size_t)backend_grid_blocks(g->tile), slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "grid", cuda_launch_grid(&d->rows, sets, g, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    CUDA_TRY(d, "grid_select", cuda_launch_grid_select(sets, g, slot->stream));
done:
    return status;
}

/* Adds the figures of a tile that is done, whose n pairs were kept. */
static void grid_tally(backend_papers *p, const cuda_grid *g, const backend_pair *pairs, size_t n) {
    const uint32_t *rows = p->host_set_rows;
    uint64_t places = backend_grid_blocks(g->tile);
    p->counters.work_items += places;
    p->counters.blocks += g->set_rows ? places : (places + CUDA_GRID_PAIRS - 1) / CUDA_GRID_PAIRS;
    p->counters.idle_blocks += backend_grid_idle(g->square != 0, g->tile);
    for (size_t i = 0; i < n && rows; i++) {
        p->counters.intersected +=
            rows[pairs[i].a] != BACKEND_NO_ROW && rows[pairs[i].b] != BACKEND_NO_ROW;
    }
}

static lode_status grid_do_tile(backend_papers *p, cuda_grid *g, backend_pair *pairs, uint32_t *n) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_sets sets = {
        .data = p->sets.data, .n = (uint32_t)p->level.n, .words = (uint32_t)p->level.words};
    double before = d->counters.kernel_seconds;
    LODE_TRY(grid_buffers(p, &sets, g));
    LODE_TRY(grid_queue(p, &sets, g));
    cuda_array array = {pairs, g->pairs, sizeof *pairs};
    cuda_counted found = {n, g->n_pairs, 1, (size_t)backend_grid_blocks(g->tile), &array, 1};
    LODE_TRY(cuda_fetch_counted(d, &found));
    LODE_TRY(cuda_ring_settle(d));
    p->counters.grid_seconds += d->counters.kernel_seconds - before;
    grid_tally(p, g, pairs, *n);
done:
    return status;
}

lode_status cuda_or_pairs(backend_papers *p, const backend_grid_part *part, backend_pair *pairs,
                          size_t *n_pairs) {
    lode_status status = LODE_OK;
    _Static_assert(sizeof(cuda_pair) == sizeof(backend_pair), "the kernels write backend_pair");
    backend_device *d = p->device;
    backend_grid_tile tile = {0};
    *n_pairs = 0;
    LODE_TRY(cuda_bind(d));
    CUDA_TRY(d, "cudaFuncGetAttributes", cuda_grid_load());
    backend_grid_cut cut = {grid_blocks_at_once(p), CUDA_GRID_ROWS};
    while (backend_grid_next(part->tile, cut, &tile)) {
        uint32_t n = 0;
        cuda_grid g = {.square = part->grid == LODE_GRID_SQUARE,
                       .k = part->k,
                       .tile = tile,
                       .set_rows = p->host_set_rows ? p->set_rows.data : NULL};
        LODE_TRY(grid_do_tile(p, &g, pairs + *n_pairs, &n));
        *n_pairs += n;
        LODE_TRY(job_check(d->job));
    }
done:
    return status;
}
