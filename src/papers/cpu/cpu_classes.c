/* cpu_classes.c - candidates by class: the prefix is intersected once, then one row per member
 *
 * A cached class of m candidates of k rows moves (k - 1) + 1 + 2m rows, an uncached one k m: the
 * cache pays from m > k / (k - 2) on, that is from 4 members at k = 3 and from 2 at k = 5. Smaller
 * classes are counted directly. One cache row per thread is enough here, and it stays in the cache
 * of its core.
 *
 * Where the first row of the prefix is sparse (items are ranked from the rarest, so it usually is),
 * only its non-empty lines take part, and of those only what is left after the prefix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define CLASSES_SLICE_LEAST 256

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

static lode_status class_slice_run(void *arg, unsigned slice, size_t first, size_t end) {
    class_call *call = arg;
    const backend_classes *c = call->classes;
    backend_device *d = call->d;
    class_slice s = {.d = d, .k = c->n_prefix + 1, .scanned = BACKEND_NO_ROW};
    s.n_lines = d->words / BACKEND_LINE_WORDS;
    s.lines = d->lines + slice * s.n_lines;
    s.cache = cpu_list(d, call->cache[slice]);
    s.counters = &call->counters[slice];
    for (size_t i = first; i < end; i++) {
        const uint32_t *prefix = c->prefixes + i * c->n_prefix;
        size_t from = call->first[i], m = call->first[i + 1] - from;
        if (prefix[0] != s.scanned) {
            s.used = cpu_find_lines(d, cpu_row(d, prefix[0]), s.lines);
            s.scanned = prefix[0];
        }
        if (s.k > 2 && (backend_class_pays(s.k, m) || s.k > CPU_MAX_LIST)) {
            class_count_cached(&s, prefix, c->members + from, m, call->counts + from);
        } else {
            class_count_directly(&s, prefix, c->members + from, m, call->counts + from);
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
    status = cpu_for_slices(d, classes->n_classes, CLASSES_SLICE_LEAST, class_slice_run, &call);
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
