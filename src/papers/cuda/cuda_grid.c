/* cuda_grid.c - the grid over all pairs of a level's itemsets, on the CUDA backend
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

#define GRID_PIECE ((uint64_t)1 << 22) /* work items of one launch, at most */
#define GRID_LEAST ((uint64_t)1 << 14)
#define GRID_BYTES 12 /* that one of them takes on the device, at the worst */

static cuda_sets grid_sets(const backend_papers *p) {
    return (cuda_sets){
        .data = p->sets.data, .n = (uint32_t)p->level.n, .words = (uint32_t)p->level.words};
}

/* Work items of one launch: what the budget lets the results take. */
static uint64_t grid_piece(const backend_papers *p) {
    uint64_t most = p->device->card->budget / 16 / GRID_BYTES;
    return most < GRID_LEAST ? GRID_LEAST : most < GRID_PIECE ? most : GRID_PIECE;
}

static lode_status grid_or_piece(backend_papers *p, const backend_grid_part *piece,
                                 backend_pair *pairs, uint32_t *n) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    cuda_sets sets = grid_sets(p);
    size_t most = (size_t)(piece->end - piece->first);
    cuda_grid_part part = {.square = piece->grid == LODE_GRID_SQUARE,
                           .k = piece->k,
                           .first = piece->first,
                           .end = piece->end};
    CUDA_TRY(d, "cub scratch", cuda_launch_or_pairs(&sets, &part, slot->stream));
    LODE_TRY(cuda_buffer_need(d, &p->pairs, most * sizeof *pairs));
    LODE_TRY(cuda_buffer_need(d, &p->scratch, part.scratch_bytes));
    part.pairs = p->pairs.data;
    part.n_pairs = p->totals.data;
    part.scratch = p->scratch.data;
    part.scratch_bytes = p->scratch.bytes;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "or_pairs", cuda_launch_or_pairs(&sets, &part, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    cuda_array array = {pairs, p->pairs.data, sizeof *pairs};
    cuda_counted found = {n, p->totals.data, 1, most, &array, 1};
    LODE_TRY(cuda_fetch_counted(d, &found));
    LODE_TRY(cuda_ring_settle(d));
done:
    return status;
}

lode_status cuda_or_pairs(backend_papers *p, const backend_grid_part *part, backend_pair *pairs,
                          size_t *n_pairs) {
    lode_status status = LODE_OK;
    _Static_assert(sizeof(cuda_pair) == sizeof(backend_pair), "the kernels write backend_pair");
    backend_grid_part piece = *part;
    uint64_t step = grid_piece(p);
    *n_pairs = 0;
    p->counters.work_items += part->end - part->first;
    LODE_TRY(cuda_bind(p->device));
    for (; piece.first < part->end; piece.first = piece.end) {
        uint32_t n = 0;
        piece.end = part->end - piece.first < step ? part->end : piece.first + step;
        LODE_TRY(grid_or_piece(p, &piece, pairs + *n_pairs, &n));
        *n_pairs += n;
    }
done:
    return status;
}
