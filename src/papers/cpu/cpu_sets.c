/* cpu_sets.c - the CPU backend's operations on itemsets as rows of bits
 *
 * In a row, bit r stands for the item of rank r. Sets of equal size are in lexicographic order when
 * they are compared by the lowest bit in which they differ: the one that has it comes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define SETS_SLICE_LEAST  256       /* left sets that pay for starting a thread */
#define PAIRS_SLICE_LEAST (1 << 18) /* and pairs */

static const uint64_t *set_at(const backend_sets *sets, size_t i) {
    return sets->data + i * sets->words;
}

/* < 0: a first; 0: equal; > 0: b first. */
static int set_compare(const uint64_t *a, const uint64_t *b, size_t words) {
    for (size_t w = 0; w < words; w++) {
        uint64_t differ = a[w] ^ b[w];
        if (differ) return a[w] & (differ & -differ) ? -1 : 1;
    }
    return 0;
}

/* Whether a set is a row. It is looked for from row *hint on, in steps that double, because it is
 * likely to be near; over all rows if the hint is 0. *hint becomes the place from where the next
 * larger set is to be looked for. */
static bool set_is_row(const backend_sets *sets, const uint64_t *wanted, uint32_t *hint) {
    size_t low = *hint, step = low > 0 ? 1 : sets->n;
    while (low + step < sets->n && set_compare(wanted, set_at(sets, low + step), sets->words) > 0) {
        low += step;
        step *= 2;
    }
    size_t high = low + step < sets->n ? low + step + 1 : sets->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = set_compare(wanted, set_at(sets, middle), sets->words);
        if (order == 0) {
            *hint = (uint32_t)middle;
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *hint = (uint32_t)low;
    return false;
}

/* Whether all subsets of a union with one item less are rows. The two that lack one of the last two
 * items are the rows it was joined from. The unions of one left row come in ascending order, and so
 * do their subsets without the same item: the search for each goes on where the last one ended. */
static bool union_is_candidate(const backend_sets *sets, uint64_t *joined, uint32_t n_items,
                               uint32_t *hints) {
    uint32_t seen = 0;
    for (size_t w = 0; w < sets->words && seen + 2 < n_items; w++) {
        for (uint64_t rest = joined[w]; rest && seen + 2 < n_items; rest &= rest - 1, seen++) {
            uint64_t bit = rest & -rest;
            uint32_t afresh = 0;
            joined[w] ^= bit;
            bool found = set_is_row(sets, joined, seen < CPU_MAX_LIST ? &hints[seen] : &afresh);
            joined[w] ^= bit;
            if (!found) return false;
        }
    }
    return true;
}

static uint32_t set_size(const uint64_t *a, size_t words) {
    uint32_t n = 0;
    for (size_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcountll(a[w]);
    return n;
}

typedef struct join_call {
    const backend_sets *sets;
    const uint32_t *group_end;
    size_t first;
    const size_t *places; /* where the pairs of each left row may go */
    uint64_t *scratch;    /* one union per slice */
    backend_joined parts[CPU_MAX_THREADS];
} join_call;

static lode_status join_slice(void *arg, unsigned slice, size_t first, size_t end) {
    join_call *call = arg;
    const backend_sets *sets = call->sets;
    backend_joined *out = &call->parts[slice];
    uint64_t *joined = call->scratch + slice * sets->words;
    out->pairs += call->places[first];
    for (size_t i = call->first + first; i < call->first + end; i++) {
        uint32_t size = set_size(set_at(sets, i), sets->words) + 1;
        uint32_t hints[CPU_MAX_LIST];
        memset(hints, 0, (size < CPU_MAX_LIST ? size : CPU_MAX_LIST) * sizeof *hints);
        for (size_t j = i + 1; j < call->group_end[i]; j++) {
            for (size_t w = 0; w < sets->words; w++) {
                joined[w] = set_at(sets, i)[w] | set_at(sets, j)[w];
            }
            out->generated++;
            if (size == 2 || union_is_candidate(sets, joined, size, hints)) {
                out->pairs[out->n++] = (backend_pair){(uint32_t)i, (uint32_t)j};
            } else {
                out->pruned++;
            }
        }
    }
    return LODE_OK;
}

/* Moves the pairs of the slices together; they lie in order already. */
static void join_gather(join_call *call, unsigned n_slices, backend_joined *out) {
    out->n = 0;
    out->generated = out->pruned = 0;
    for (unsigned i = 0; i < n_slices; i++) {
        const backend_joined *part = &call->parts[i];
        memmove(out->pairs + out->n, part->pairs, part->n * sizeof *out->pairs);
        out->n += part->n;
        out->generated += part->generated;
        out->pruned += part->pruned;
    }
}

lode_status cpu_use_sets(backend_papers *p, const backend_sets *sets, const uint32_t *group_end,
                         const uint32_t *rows) {
    (void)rows;
    p->sets = *sets;
    p->group_end = group_end;
    return LODE_OK;
}

lode_status cpu_join_sets(backend_papers *p, size_t first, size_t end, backend_joined *out) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    mem *m = &d->job->mem;
    const backend_sets *sets = &p->sets;
    const uint32_t *group_end = p->group_end;
    size_t *places = NULL;
    size_t places_bytes = (end - first + 1) * sizeof *places;
    size_t scratch_bytes = d->threads * sets->words * sizeof(uint64_t);
    join_call call = {.sets = sets, .group_end = group_end, .first = first};
    LODE_TRY(mem_resize(m, (void **)&places, 0, places_bytes));
    LODE_TRY(mem_resize(m, (void **)&call.scratch, 0, scratch_bytes));
    places[0] = 0;
    for (size_t i = first; i < end; i++) {
        places[i - first + 1] = places[i - first] + (group_end[i] - i - 1);
    }
    call.places = places;
    for (unsigned i = 0; i < d->threads; i++) call.parts[i].pairs = out->pairs;
    LODE_TRY(cpu_for_slices(d, end - first, SETS_SLICE_LEAST, join_slice, &call));
    join_gather(&call, d->threads, out);
done:
    mem_free(m, places, places_bytes);
    mem_free(m, call.scratch, scratch_bytes);
    return status;
}

/* ---- all pairs ----------------------------------------------------------------------------- */

#define PAIRS_RUN 256 /* unions whose sizes are found at a time */

typedef struct pairs_call {
    const backend_papers *p;
    const backend_sets *sets;
    const backend_grid_part *part;
    backend_pair *pairs[CPU_MAX_THREADS];
    size_t n[CPU_MAX_THREADS];
} pairs_call;

/* Set x with the sets [y, end): appends those whose union has k items. */
static void pairs_row(const pairs_call *call, size_t x, size_t y, size_t end, backend_pair *out,
                      size_t *n) {
    const backend_sets *sets = call->sets;
    uint32_t sizes[PAIRS_RUN];
    for (; y < end; y += PAIRS_RUN) {
        size_t run = end - y < PAIRS_RUN ? end - y : PAIRS_RUN;
        call->p->loops->union_sizes(set_at(sets, x), set_at(sets, y), run, sets->words, sizes);
        for (size_t i = 0; i < run; i++) {
            if (sizes[i] == call->part->k)
                out[(*n)++] = (backend_pair){(uint32_t)x, (uint32_t)(y + i)};
        }
    }
}

/* Work items [c, end) of row r of the square: those right of the diagonal are pairs. */
static void pairs_square(const pairs_call *call, size_t r, size_t c, size_t end, backend_pair *out,
                         size_t *n) {
    pairs_row(call, r, c > r ? c : r + 1, end, out, n);
}

/* Work items [c, end) of row r of the folded triangle, which is floor(n / 2) wide. Row x of the
 * triangle starts in row x of the rectangle; what does not fit there fills up the row that is as
 * much too short, counted from the other end:
 *
 *     n = 6     01 02 03|04 05     →     01 02 03
 *                  12 13 14|15           12 13 14
 *                     23 24 25           23 24 25
 *                        34 35           34 35 15
 *                           45           45 04 05
 */
static void pairs_folded(const pairs_call *call, size_t r, size_t c, size_t end, backend_pair *out,
                         size_t *n) {
    size_t sets = call->sets->n, width = sets / 2, height = sets % 2 ? sets : sets - 1;
    size_t own = sets - 1 - r; /* length of row r of the triangle */
    size_t cut = end < own ? end : own;
    if (c < cut) pairs_row(call, r, r + 1 + c, r + 1 + cut, out, n);
    if (end <= own) return;
    size_t x = height - 1 - r, from = (c > own ? c : own) - own;
    pairs_row(call, x, x + 1 + width + from, x + 1 + width + (end - own), out, n);
}

static lode_status pairs_slice(void *arg, unsigned slice, size_t first, size_t end) {
    pairs_call *call = arg;
    bool square = call->part->grid == LODE_GRID_SQUARE;
    uint64_t width = square ? call->sets->n : call->sets->n / 2;
    backend_pair *out = call->pairs[slice] + first;
    size_t n = 0;
    for (uint64_t item = call->part->first + first; item < call->part->first + end;) {
        uint64_t row = item / width, column = item % width;
        uint64_t rest = call->part->first + end - item;
        uint64_t stop = column + rest < width ? column + rest : width;
        (square ? pairs_square : pairs_folded)(call, (size_t)row, (size_t)column, (size_t)stop, out,
                                               &n);
        item += stop - column;
    }
    call->pairs[slice] = out;
    call->n[slice] = n;
    return LODE_OK;
}

lode_status cpu_or_pairs(backend_papers *p, const backend_grid_part *part, backend_pair *pairs,
                         size_t *n_pairs) {
    backend_device *d = p->device;
    size_t n = (size_t)(part->end - part->first);
    pairs_call call = {.p = p, .sets = &p->sets, .part = part};
    for (unsigned i = 0; i < d->threads; i++) call.pairs[i] = pairs;
    lode_status status = cpu_for_slices(d, n, PAIRS_SLICE_LEAST, pairs_slice, &call);
    *n_pairs = 0;
    for (unsigned i = 0; i < d->threads && status == LODE_OK; i++) {
        memmove(pairs + *n_pairs, call.pairs[i], call.n[i] * sizeof *pairs);
        *n_pairs += call.n[i];
    }
    p->counters.work_items += n;
    return status;
}
