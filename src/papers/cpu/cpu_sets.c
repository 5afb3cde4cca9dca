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

/* ---- candidates as lists of k rows: AND of all of them, and nothing stored ------------------- */

/* Where the first row of a list has few lines with a bit, only these are looked at. */

#define LIST_PIECE_WORDS 256 /* of an intermediate result */

/* |a AND …| over the named lines: the intermediate result is one line. */
static uint64_t list_count_lines(const backend_device *d, const uint32_t *rows, uint32_t k,
                                 const uint32_t *lines, size_t n_lines) {
    uint64_t line[BACKEND_LINE_WORDS] __attribute__((aligned(64)));
    uint64_t n = 0;
    for (size_t i = 0; i < n_lines; i++) {
        size_t at = (size_t)lines[i] * BACKEND_LINE_WORDS;
        memcpy(line, cpu_row(d, rows[0]) + at, sizeof line);
        for (uint32_t r = 1; r + 1 < k; r++) {
            const uint64_t *b = cpu_row(d, rows[r]) + at;
            for (size_t w = 0; w < BACKEND_LINE_WORDS; w++) line[w] &= b[w];
        }
        n += d->kernels->and_count(line, cpu_row(d, rows[k - 1]) + at, BACKEND_LINE_WORDS);
    }
    return n;
}

/* |a AND …| over whole rows, in pieces that stay in the first-level cache. */
static uint64_t list_count_pieces(const backend_device *d, const uint32_t *rows, uint32_t k) {
    uint64_t piece[LIST_PIECE_WORDS] __attribute__((aligned(64)));
    uint64_t n = 0;
    for (size_t at = 0; at < d->words; at += LIST_PIECE_WORDS) {
        size_t words = d->words - at < LIST_PIECE_WORDS ? d->words - at : LIST_PIECE_WORDS;
        d->kernels->and_store(piece, cpu_row(d, rows[0]) + at, cpu_row(d, rows[1]) + at, words);
        for (uint32_t r = 2; r + 1 < k; r++) {
            d->kernels->and_store(piece, piece, cpu_row(d, rows[r]) + at, words);
        }
        n += d->kernels->and_count(piece, cpu_row(d, rows[k - 1]) + at, words);
    }
    return n;
}

/* |rows[0] AND … AND rows[k - 1]|, over the named lines or (NULL) over all (cpu_sets.c). */
static uint64_t cpu_count_list(const backend_device *d, const uint32_t *rows, uint32_t k,
                               const uint32_t *lines, size_t n_lines) {
    const uint64_t *a = cpu_row(d, rows[0]);
    if (k == 1) return d->kernels->and_count(a, a, d->words);
    if (k == 2 && lines) {
        return d->kernels->and_count_lines(a, cpu_row(d, rows[1]), lines, n_lines);
    }
    if (k == 2) return d->kernels->and_count(a, cpu_row(d, rows[1]), d->words);
    return lines ? list_count_lines(d, rows, k, lines, n_lines) : list_count_pieces(d, rows, k);
}

typedef struct list_call {
    const backend_device *d;
    const uint32_t *rows;
    uint32_t k;
    uint32_t *counts;
} list_call;

static lode_status lists_slice(void *arg, unsigned slice, size_t first, size_t end) {
    const list_call *call = arg;
    const backend_device *d = call->d;
    size_t n_lines = d->words / BACKEND_LINE_WORDS, used = n_lines;
    uint32_t *lines = d->lines + slice * n_lines;
    uint32_t scanned = BACKEND_NO_ROW; /* the row whose lines are listed */
    for (size_t i = first; i < end; i++) {
        const uint32_t *rows = call->rows + i * call->k;
        if (rows[0] != scanned) used = cpu_find_lines(d, cpu_row(d, scanned = rows[0]), lines);
        bool sparse = used * 2 <= n_lines;
        call->counts[i] = (uint32_t)cpu_count_list(d, rows, call->k, sparse ? lines : NULL, used);
    }
    return LODE_OK;
}

lode_status cpu_and_count_lists(backend_papers *p, const uint32_t *rows, uint32_t k, size_t n,
                                uint32_t *counts) {
    list_call call = {.d = p->device, .rows = rows, .k = k, .counts = counts};
    p->device->counters.rows_read += n * k;
    return cpu_for_slices(p->device, n, CPU_LISTS_LEAST, lists_slice, &call);
}

/* ---- candidates by class: the prefix is intersected once, then one row per member ------------ */

/* A cached class of m candidates of k rows moves (k - 1) + 1 + 2m rows, an uncached one k m: the
 * cache pays from m > k / (k - 2) on, that is from 4 members at k = 3 and from 2 at k = 5. Smaller
 * classes are counted directly. One cache row per thread is enough here, and it stays in the cache
 * of its core.
 *
 * Where the first row of the prefix is sparse (items are ranked from the rarest, so it usually is),
 * only its non-empty lines take part.
 *
 * Threads divide the members; a class that is cut has its prefix intersected by both. */

#define CLASSES_SLICE_LEAST 512 /* members that pay for starting a thread */

typedef struct class_call {
    backend_device *d;
    const backend_classes *classes;
    const uint32_t *first; /* where the members of each class start, and the end */
    const uint32_t *cache;
    uint32_t *counts;
    backend_counters counters[CPU_MAX_THREADS];
} class_call;

/* What a thread works with. */
typedef struct class_slice {
    backend_device *d;
    uint64_t *cache;
    uint32_t *lines;
    size_t n_lines, used;
    uint32_t scanned;
    uint32_t k;
    backend_counters *counters;
} class_slice;

static void class_count_directly(class_slice *s, const uint32_t *prefix, const uint32_t *members,
                                 size_t m, uint32_t *counts) {
    const backend_device *d = s->d;
    bool sparse = s->used * 2 <= s->n_lines;
    uint32_t rows[CPU_MAX_LIST];
    memcpy(rows, prefix, (s->k - 1) * sizeof *rows);
    for (size_t i = 0; i < m; i++) {
        rows[s->k - 1] = members[i] & ~BACKEND_LAST_MEMBER;
        counts[i] = (uint32_t)cpu_count_list(d, rows, s->k, sparse ? s->lines : NULL, s->used);
    }
    s->counters->rows_read += m * s->k;
}

/* Intersects the prefix rows into the cache row: all lines, or those with bits of the first row. */
static void class_fill_cache(class_slice *s, const uint32_t *prefix) {
    const backend_device *d = s->d;
    const uint64_t *a = cpu_row(d, prefix[0]);
    if (s->used * 2 > s->n_lines) {
        d->kernels->and_store(s->cache, a, cpu_row(d, prefix[1]), d->words);
        for (uint32_t r = 2; r + 1 < s->k; r++) {
            d->kernels->and_store(s->cache, s->cache, cpu_row(d, prefix[r]), d->words);
        }
        return;
    }
    for (size_t i = 0; i < s->used; i++) {
        size_t at = (size_t)s->lines[i] * BACKEND_LINE_WORDS;
        memcpy(s->cache + at, a + at, BACKEND_LINE_WORDS * sizeof *a);
        for (uint32_t r = 1; r + 1 < s->k; r++) {
            const uint64_t *b = cpu_row(d, prefix[r]) + at;
            for (size_t w = 0; w < BACKEND_LINE_WORDS; w++) s->cache[at + w] &= b[w];
        }
    }
}

static void class_count_cached(class_slice *s, const uint32_t *prefix, const uint32_t *members,
                               size_t m, uint32_t *counts) {
    const backend_device *d = s->d;
    bool sparse = s->used * 2 <= s->n_lines;
    class_fill_cache(s, prefix);
    for (size_t i = 0; i < m; i++) {
        const uint64_t *b = cpu_row(d, members[i] & ~BACKEND_LAST_MEMBER);
        counts[i] = (uint32_t)(sparse ? d->kernels->and_count_lines(s->cache, b, s->lines, s->used)
                                      : d->kernels->and_count(s->cache, b, d->words));
    }
    s->counters->rows_read += s->k - 1 + 2 * m;
    s->counters->rows_written++;
}

/* The class of a member: the last that does not start after it. */
static size_t class_find(const class_call *call, size_t member) {
    size_t low = 0, high = call->classes->n_classes;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (call->first[middle] <= member) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static lode_status class_slice_run(void *arg, unsigned slice, size_t first, size_t end) {
    class_call *call = arg;
    const backend_classes *c = call->classes;
    backend_device *d = call->d;
    class_slice s = {.d = d, .k = c->n_prefix + 1, .scanned = BACKEND_NO_ROW};
    s.n_lines = d->words / BACKEND_LINE_WORDS;
    s.lines = d->lines + slice * s.n_lines;
    s.cache = cpu_list(d, call->cache[slice]);
    s.counters = &call->counters[slice];
    for (size_t i = class_find(call, first), m; first < end; i++, first += m) {
        const uint32_t *prefix = c->prefixes + i * c->n_prefix;
        m = (call->first[i + 1] < end ? call->first[i + 1] : end) - first;
        if (prefix[0] != s.scanned) {
            s.used = cpu_find_lines(d, cpu_row(d, prefix[0]), s.lines);
            s.scanned = prefix[0];
        }
        if (s.k > 2 && (backend_class_pays(s.k, m) || s.k > CPU_MAX_LIST)) {
            class_count_cached(&s, prefix, c->members + first, m, call->counts + first);
        } else {
            class_count_directly(&s, prefix, c->members + first, m, call->counts + first);
        }
    }
    return LODE_OK;
}

static void class_find_firsts(const backend_classes *c, uint32_t *first) {
    size_t n = 0;
    first[n++] = 0;
    for (size_t i = 0; i < c->n_members; i++) {
        if (c->members[i] & BACKEND_LAST_MEMBER) first[n++] = (uint32_t)(i + 1);
    }
}

lode_status cpu_and_count_classes(backend_papers *p, const backend_classes *classes,
                                  const uint32_t *cache, size_t n_cache, uint32_t *counts) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    uint32_t *first = NULL;
    size_t first_bytes = (classes->n_classes + 1) * sizeof *first;
    class_call call = {.d = d, .classes = classes, .cache = cache, .counts = counts};
    unsigned threads = d->threads;
    LODE_TRY(mem_resize(&d->job->mem, (void **)&first, 0, first_bytes));
    class_find_firsts(classes, first);
    call.first = first;
    if (n_cache < d->threads) d->threads = (unsigned)n_cache; /* every thread needs one */
    status = cpu_for_slices(d, classes->n_members, CLASSES_SLICE_LEAST, class_slice_run, &call);
    d->threads = threads;
    uint64_t used = 0;
    for (unsigned i = 0; i < threads; i++) {
        d->counters.rows_read += call.counters[i].rows_read;
        d->counters.rows_written += call.counters[i].rows_written;
        used += call.counters[i].rows_written > 0;
    }
    if (used > p->counters.cache_rows) p->counters.cache_rows = used;
done:
    mem_free(&d->job->mem, first, first_bytes);
    return status;
}
