/* cpu_sets.c - the CPU backend's operations on itemsets as rows of bits
 *
 * In a row, bit r stands for the item of rank r. Sets of equal size are in lexicographic order when
 * they are compared by the lowest bit in which they differ: the one that has it comes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define SETS_SLICE_LEAST 256 /* left sets that pay for starting a thread */

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
    p->sets = *sets;
    p->group_end = group_end;
    p->set_rows = rows;
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
