/* cpu_grid.c - the grid over all pairs of a level's itemsets, on the CPU backend
 *
 * The walk over the blocks of a tile, one after the other, as the paper's CPU version has it: each
 * is looked at, and one without a pair is left at once. What such a block costs is measured, not
 * assumed to be nothing. The unions of the others are made in runs, by the loops of the instruction
 * set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "papers/cpu/cpu_papers.h"

#define GRID_SLICE_LEAST (1 << 18) /* blocks that pay for starting a thread */
#define GRID_RUN         256       /* unions whose sizes are found at a time */

/* What one slice has done. */
typedef struct grid_slice {
    backend_pair *found;
    size_t n_found;
    uint64_t idle, intersected;
} grid_slice;

typedef struct grid_call {
    const backend_papers *p;
    const backend_grid_part *part;
    backend_pair *pairs;
    uint64_t *scratch; /* a row for each slice, where rows are intersected */
    grid_slice slices[CPU_MAX_THREADS];
} grid_call;

/* AND of a pair's rows, into the slice's row, where the next one goes as well. */
static void grid_intersect(grid_call *call, unsigned slice, backend_pair pair) {
    const backend_papers *p = call->p;
    const backend_device *d = p->device;
    uint32_t left = p->set_rows[pair.a], right = p->set_rows[pair.b];
    if (left == BACKEND_NO_ROW || right == BACKEND_NO_ROW) return;
    const uint64_t *a = cpu_row(d, left), *b = cpu_row(d, right);
    uint64_t *to = call->scratch + slice * d->words;
    for (size_t i = 0; i < d->words; i++) to[i] = a[i] & b[i];
    call->slices[slice].intersected++;
}

/* Appends those pairs of a run whose union has k items. */
static lode_status grid_unite(grid_call *call, unsigned slice, const backend_pair *run, size_t n) {
    const backend_papers *p = call->p;
    grid_slice *s = &call->slices[slice];
    uint32_t sizes[GRID_RUN];
    p->loops->union_sizes(&p->sets, run, n, sizes);
    for (size_t i = 0; i < n; i++) {
        if (sizes[i] != call->part->k) continue;
        s->found[s->n_found++] = run[i];
        if (p->set_rows) grid_intersect(call, slice, run[i]);
    }
    return job_check(p->device->job);
}

/* Blocks [first, end) of the tile, row by row. */
static lode_status grid_walk(void *arg, unsigned slice, size_t first, size_t end) {
    lode_status status = LODE_OK;
    grid_call *call = arg;
    grid_slice *s = &call->slices[slice];
    const backend_grid_tile tile = call->part->tile;
    const bool square = call->part->grid == LODE_GRID_SQUARE;
    const uint32_t n_sets = (uint32_t)call->p->sets.n;
    backend_pair run[GRID_RUN] = {{0, 0}};
    size_t n = 0;
    uint32_t x = (uint32_t)(first % tile.width), y = tile.y + (uint32_t)(first / tile.width);
    s->found = call->pairs + first;
    for (size_t block = first; block < end; block++) {
        if (backend_grid_pair(square, n_sets, tile.x + x, y, &run[n].a, &run[n].b)) {
            n++;
        } else {
            s->idle++;
        }
        if (n == GRID_RUN) {
            LODE_TRY(grid_unite(call, slice, run, n));
            n = 0;
        }
        if (++x == tile.width) {
            x = 0;
            y++;
        }
    }
    LODE_TRY(grid_unite(call, slice, run, n));
done:
    return status;
}

/* Moves the pairs of the slices together, in the order of the blocks. */
static void grid_gather(backend_papers *p, const grid_call *call, size_t *n_pairs) {
    for (unsigned i = 0; i < p->device->threads; i++) {
        const grid_slice *s = &call->slices[i];
        if (s->n_found > 0) {
            memmove(call->pairs + *n_pairs, s->found, s->n_found * sizeof *s->found);
        }
        *n_pairs += s->n_found;
        p->counters.idle_blocks += s->idle;
        p->counters.intersected += s->intersected;
    }
}

lode_status cpu_or_pairs(backend_papers *p, const backend_grid_part *part, backend_pair *pairs,
                         size_t *n_pairs) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    mem *m = &d->job->mem;
    size_t n = (size_t)backend_grid_blocks(part->tile);
    size_t scratch_bytes = p->set_rows ? d->threads * d->words * sizeof(uint64_t) : 0;
    grid_call call = {.p = p, .part = part, .pairs = pairs};
    *n_pairs = 0;
    if (n == 0) return LODE_OK;
    LODE_TRY(mem_resize(m, (void **)&call.scratch, 0, scratch_bytes));
    double start = os_seconds();
    LODE_TRY(cpu_for_slices(d, n, GRID_SLICE_LEAST, grid_walk, &call));
    p->counters.grid_seconds += os_seconds() - start;
    p->counters.work_items += n;
    p->counters.blocks += n;
    grid_gather(p, &call, n_pairs);
done:
    mem_free(m, call.scratch, scratch_bytes);
    return status;
}
