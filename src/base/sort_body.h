/* sort_body.h - the code of a sort; sort.h explains how to use it
 *
 * Quicksort, with insertion sort for short runs. Ranges that were split badly too often are sorted
 * by heapsort, so that no input is slow. Pending ranges are kept on a stack. The larger part always
 * waits there, so the stack has at most as many entries as n has bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#if defined(SORT_NAME) /* not defined if the header is compiled by itself */

#define SORT_SHORT       24
#define SORT_LONG        1024 /* from this length on, the pivot is a median of medians */
#define SORT_STEPS       ((size_t)1 << 16) /* between two calls of `stop` */
#define SORT_JOIN2(a, b) a##_##b
#define SORT_JOIN(a, b)  SORT_JOIN2(a, b)
#define SORT_(name)      SORT_JOIN(SORT_NAME, name)

typedef SORT_TYPE SORT_(value); /* lets SORT_TYPE be a pointer type */

typedef struct SORT_(state) {
    const sort_stop *stop;
    size_t steps; /* since the last call of `stop` */
    bool stopped;
} SORT_(state);

static inline bool SORT_(asked)(SORT_(state) * s, size_t steps) {
    s->steps += steps;
    if (s->steps < SORT_STEPS || !s->stop) return s->stopped;
    s->steps = 0;
    s->stopped = s->stopped || s->stop->asked(s->stop->user);
    return s->stopped;
}

static inline void SORT_(insert)(SORT_(value) * values, size_t n) {
    for (size_t i = 1; i < n; i++) {
        SORT_(value) value = values[i];
        size_t at = i;
        for (; at > 0 && SORT_BEFORE(&value, &values[at - 1]); at--) values[at] = values[at - 1];
        values[at] = value;
    }
}

static void SORT_(sift)(SORT_(value) * heap, size_t at, size_t n) {
    SORT_(value) value = heap[at];
    for (size_t under; (under = 2 * at + 1) < n; at = under) {
        if (under + 1 < n && SORT_BEFORE(&heap[under], &heap[under + 1])) under++;
        if (!SORT_BEFORE(&value, &heap[under])) break;
        heap[at] = heap[under];
    }
    heap[at] = value;
}

static void SORT_(heap)(SORT_(state) * s, SORT_(value) * values, size_t n) {
    for (size_t i = n / 2; i-- > 0;) {
        if (SORT_(asked)(s, 1)) return;
        SORT_(sift)(values, i, n);
    }
    for (size_t end = n; end-- > 1;) {
        SORT_(value) largest = values[0];
        if (SORT_(asked)(s, 8)) return;
        values[0] = values[end];
        values[end] = largest;
        SORT_(sift)(values, 0, end);
    }
}

static inline const SORT_(value) *
    SORT_(median)(const SORT_(value) * a, const SORT_(value) * b, const SORT_(value) * c) {
    const SORT_(value) *low = SORT_BEFORE(b, a) ? b : a;
    const SORT_(value) *high = low == a ? b : a;
    return SORT_BEFORE(c, low) ? low : SORT_BEFORE(high, c) ? high : c;
}

static inline SORT_(value) SORT_(pivot)(const SORT_(value) * values, size_t n) {
    const SORT_(value) *middle = values + n / 2, *last = values + n - 1;
    if (n < SORT_LONG) return *SORT_(median)(values, middle, last);
    size_t step = n / 8;
    return *SORT_(median)(SORT_(median)(values, values + step, values + 2 * step),
                          SORT_(median)(middle - step, middle, middle + step),
                          SORT_(median)(last - 2 * step, last - step, last));
}

/* Partitions the values and returns a position. The values before this position are at most the
 * pivot, and all others are at least the pivot. */
static inline size_t SORT_(split)(SORT_(state) * s, SORT_(value) * values, size_t n) {
    SORT_(value) pivot = SORT_(pivot)(values, n);
    size_t i = 0;
    size_t j = n - 1;
    for (;;) {
        while (SORT_BEFORE(&values[i], &pivot)) i++;
        while (SORT_BEFORE(&pivot, &values[j])) j--;
        if (i >= j) return i > 0 ? i : 1;
        SORT_(value) other = values[i];
        values[i++] = values[j];
        values[j--] = other;
        if (n >= SORT_STEPS && SORT_(asked)(s, 2)) return n;
    }
}

static inline bool SORT_(ordered)(const SORT_(value) * values, size_t n) {
    size_t i = 1;
    while (i < n && !SORT_BEFORE(&values[i], &values[i - 1])) i++;
    return i >= n;
}

static bool SORT_(ranges)(SORT_(value) * values, size_t n, unsigned patience,
                          const sort_stop *stop) {
    struct {
        SORT_(value) * values;
        size_t n;
        unsigned patience; /* number of further bad splits allowed */
    } later[8 * sizeof n];
    unsigned n_later = 0;
    SORT_(state) s = {.stop = stop};
    for (;;) {
        while (n > SORT_SHORT && patience-- > 0) {
            size_t cut = SORT_(split)(&s, values, n), rest = n - cut;
            if (SORT_(asked)(&s, n < SORT_STEPS ? n : 0)) return false;
            bool small_first = cut < rest;
            later[n_later].values = small_first ? values + cut : values;
            later[n_later].n = small_first ? rest : cut;
            later[n_later++].patience = patience;
            if (!small_first) values += cut;
            n = small_first ? cut : rest;
        }
        if (n <= SORT_SHORT)
            SORT_(insert)(values, n);
        else
            SORT_(heap)(&s, values, n);
        if (n_later == 0 || s.stopped) return !s.stopped;
        values = later[--n_later].values;
        n = later[n_later].n;
        patience = later[n_later].patience;
    }
}

static inline bool SORT_NAME(SORT_(value) * values, size_t n, const sort_stop *stop) {
    if (n <= SORT_SHORT) {
        SORT_(insert)(values, n);
        return true;
    }
    if (SORT_(ordered)(values, n)) return true;
    unsigned patience = 4;
    for (size_t left = n; left > 1; left /= 2) patience += 2;
    return SORT_(ranges)(values, n, patience, stop);
}

#undef SORT_NAME
#undef SORT_TYPE
#undef SORT_BEFORE
#undef SORT_SHORT
#undef SORT_LONG
#undef SORT_STEPS
#undef SORT_JOIN2
#undef SORT_JOIN
#undef SORT_
#endif
