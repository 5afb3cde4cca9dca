/* radix.c - see radix.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/radix.h"

#include <string.h>

#define RADIX_SHORT    16 /* rows that are inserted one by one */
#define RADIX_BITS     10 /* of a digit: maximum and minimum */
#define RADIX_LEAST    3
#define RADIX_FILL     3  /* a part gets about 2^3 rows, if they are spread evenly */
#define RADIX_DEPTH    16 /* passes one within the other: 128 KiB of stack */
#define RADIX_ASK      ((size_t)1 << 14)
#define RADIX_LOPSIDED 16 /* times as many rows as there are in the other list */

static inline bool radix_before(const uint64_t *a, const uint64_t *b, unsigned words) {
    for (unsigned i = 0; i < words; i++) {
        if (a[i] != b[i]) return a[i] < b[i];
    }
    return false;
}

static inline void radix_copy(uint64_t *to, const uint64_t *from, unsigned words) {
    for (unsigned i = 0; i < words; i++) to[i] = from[i];
}

/* ---- merging -------------------------------------------------------------------------------- */

/* Rows of one word: which list goes on is a number, not a branch that cannot be foreseen. */
static void radix_merge_words(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
                              uint64_t *to) {
    const uint64_t *end_a = a + n_a, *end_b = b + n_b;
    while (a < end_a && b < end_b) {
        uint64_t first = *a, second = *b;
        bool take_b = second < first;
        *to++ = take_b ? second : first;
        b += take_b;
        a += !take_b;
    }
    if (a < end_a) memcpy(to, a, (size_t)(end_a - a) * sizeof *to);
    if (b < end_b) memcpy(to, b, (size_t)(end_b - b) * sizeof *to);
}

/* Merges a short list into a long one: copies what lies between two of its rows in one go. */
static void radix_merge_short(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b,
                              unsigned words, uint64_t *to) {
    for (; n_b > 0; n_b--, b += words) {
        size_t n = radix_below(a, n_a, words, b);
        memcpy(to, a, n * words * sizeof *to);
        radix_copy(to + n * words, b, words);
        to += (n + 1) * words;
        a += n * words;
        n_a -= n;
    }
    memcpy(to, a, n_a * words * sizeof *to);
}

void radix_merge(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b, unsigned words,
                 uint64_t *to) {
    if (n_a / RADIX_LOPSIDED > n_b) {
        radix_merge_short(a, n_a, b, n_b, words, to);
        return;
    }
    if (n_b / RADIX_LOPSIDED > n_a) {
        radix_merge_short(b, n_b, a, n_a, words, to);
        return;
    }
    if (words == 1) {
        radix_merge_words(a, n_a, b, n_b, to);
        return;
    }
    for (; n_a > 0 && n_b > 0; to += words) {
        bool take_b = radix_before(b, a, words);
        radix_copy(to, take_b ? b : a, words);
        b += take_b ? words : 0;
        a += take_b ? 0 : words;
        n_b -= take_b;
        n_a -= !take_b;
    }
    if (n_a > 0) memcpy(to, a, n_a * words * sizeof *to);
    if (n_b > 0) memcpy(to, b, n_b * words * sizeof *to);
}

bool radix_is_sorted(const uint64_t *rows, size_t n, unsigned words) {
    size_t at = 1;
    while (words == 1 && at < n && rows[at - 1] <= rows[at]) at++;
    if (words == 1) return at >= n;
    for (size_t i = 1; i < n; i++) {
        if (radix_before(rows + i * words, rows + (i - 1) * words, words)) return false;
    }
    return true;
}

size_t radix_below(const uint64_t *rows, size_t n, unsigned words, const uint64_t *key) {
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        if (radix_before(rows + middle * words, key, words)) {
            low = middle + 1;
        } else {
            n = middle;
        }
    }
    return low;
}

/* ---- short lists, and lists in place -------------------------------------------------------- */

static void radix_insert_words(uint64_t *rows, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t row = rows[i];
        size_t at = i;
        for (; at > 0 && row < rows[at - 1]; at--) rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

static void radix_swap(uint64_t *a, uint64_t *b, unsigned words) {
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = a[i];
        a[i] = b[i];
        b[i] = word;
    }
}

static void radix_insert(uint64_t *rows, size_t n, unsigned words) {
    if (words == 1) {
        radix_insert_words(rows, n);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        for (uint64_t *at = rows + i * words; at > rows && radix_before(at, at - words, words);) {
            radix_swap(at, at - words, words);
            at -= words;
        }
    }
}

static void radix_sift(uint64_t *heap, size_t at, size_t n, unsigned words) {
    for (size_t under; (under = 2 * at + 1) < n; at = under) {
        bool right =
            under + 1 < n && radix_before(heap + under * words, heap + (under + 1) * words, words);
        under += right;
        if (!radix_before(heap + at * words, heap + under * words, words)) return;
        radix_swap(heap + at * words, heap + under * words, words);
    }
}

bool radix_sort_in_place(uint64_t *rows, size_t n, unsigned words, const sort_stop *stop) {
    for (size_t i = n / 2; i-- > 0;) radix_sift(rows, i, n, words);
    for (size_t end = n; end-- > 1;) {
        if (stop && end % RADIX_ASK == 0 && stop->asked(stop->user)) return false;
        radix_swap(rows, rows + end * words, words);
        radix_sift(rows, 0, end, words);
    }
    return true;
}

/* ---- by digits ------------------------------------------------------------------------------ */

typedef struct radix_state {
    const sort_stop *stop;
    unsigned words;
    bool stopped;
} radix_state;

/* A list in one array, and the same place of the other. */
typedef struct radix_list {
    uint64_t *at, *other;
    size_t n;
    bool moves; /* the result belongs into the other array */
} radix_list;

/* Some bits of a word of each row. */
typedef struct radix_digit {
    unsigned word, shift;
    uint64_t mask;
} radix_digit;

static bool radix_asked(radix_state *s, size_t n) {
    if (n >= RADIX_ASK && s->stop && !s->stopped) s->stopped = s->stop->asked(s->stop->user);
    return s->stopped;
}

/* Puts a list where it belongs. */
static void radix_settle(const radix_state *s, const radix_list *l) {
    if (l->moves) memcpy(l->other, l->at, l->n * s->words * sizeof *l->at);
}

/* Sorts by merging, from runs of RADIX_SHORT on. */
static void radix_merge_up(const radix_state *s, radix_list l) {
    unsigned w = s->words;
    for (size_t i = 0; i < l.n; i += RADIX_SHORT) {
        radix_insert(l.at + i * w, l.n - i < RADIX_SHORT ? l.n - i : RADIX_SHORT, w);
    }
    for (size_t run = RADIX_SHORT; run < l.n; run *= 2) {
        for (size_t i = 0; i < l.n; i += 2 * run) {
            size_t n_a = l.n - i < run ? l.n - i : run, rest = l.n - i - n_a;
            radix_merge(l.at + i * w, n_a, l.at + (i + n_a) * w, rest < run ? rest : run, w,
                        l.other + i * w);
        }
        l = (radix_list){l.other, l.at, l.n, !l.moves};
    }
    radix_settle(s, &l);
}

/* The bits of a word in which rows differ. */
static uint64_t radix_differ(const radix_state *s, const radix_list *l, unsigned word) {
    uint64_t first = l->at[word], differ = 0;
    if (s->words == 1) {
        for (size_t i = 0; i < l->n; i++) differ |= l->at[i] ^ first;
    } else {
        for (size_t i = 0; i < l->n; i++) differ |= l->at[i * s->words + word] ^ first;
    }
    return differ;
}

/* Finds the first bits that differ among the rows of a list; the longer the list, the more bits.
 * Returns false if all rows are equal. */
static bool radix_choose(const radix_state *s, const radix_list *l, radix_digit *d) {
    uint64_t differ = 0;
    unsigned bits = RADIX_LEAST;
    for (; d->word < s->words; d->word++) {
        if ((differ = radix_differ(s, l, d->word)) != 0) break;
    }
    if (differ == 0) return false;
    while (bits < RADIX_BITS && l->n >> (bits + RADIX_FILL) > 0) bits++;
    unsigned top = 64 - (unsigned)__builtin_clzll(differ);
    d->shift = top > bits ? top - bits : 0;
    d->mask = ((uint64_t)1 << bits) - 1;
    return true;
}

static void radix_count(const radix_state *s, const radix_list *l, radix_digit d, size_t *counts) {
    const uint64_t *word = l->at + d.word;
    memset(counts, 0, (d.mask + 1) * sizeof *counts);
    if (s->words == 1) {
        for (size_t i = 0; i < l->n; i++) counts[word[i] >> d.shift & d.mask]++;
    } else {
        for (size_t i = 0; i < l->n; i++) counts[word[i * s->words] >> d.shift & d.mask]++;
    }
}

static void radix_scatter(const radix_state *s, const radix_list *l, radix_digit d, size_t *ends) {
    unsigned w = s->words;
    if (w == 1) {
        for (size_t i = 0; i < l->n; i++) {
            uint64_t row = l->at[i];
            l->other[ends[row >> d.shift & d.mask]++] = row;
        }
        return;
    }
    for (size_t i = 0; i < l->n; i++) {
        const uint64_t *row = l->at + i * w;
        radix_copy(l->other + ends[row[d.word] >> d.shift & d.mask]++ * w, row, w);
    }
}

/* Sorts rows that agree in all words before that of the digit. The recursion is at most RADIX_DEPTH
 * deep. */
static void radix_split(radix_state *s, radix_list l, radix_digit d, unsigned depth) {
    size_t ends[1 << RADIX_BITS];
    if (radix_asked(s, l.n)) {
        radix_settle(s, &l);
        return;
    }
    if (depth == RADIX_DEPTH || !radix_choose(s, &l, &d)) {
        radix_merge_up(s, l);
        return;
    }
    radix_count(s, &l, d, ends);
    for (size_t i = 0, at = 0; i <= d.mask; i++) {
        size_t n = ends[i];
        ends[i] = at;
        at += n;
    }
    radix_scatter(s, &l, d, ends);
    for (size_t i = 0, at = 0; i <= d.mask; at = ends[i++]) {
        size_t n = ends[i] - at;
        radix_list part = {l.other + at * s->words, l.at + at * s->words, n, !l.moves};
        if (n > RADIX_SHORT) {
            radix_split(s, part, d, depth + 1);
        } else if (n > 0) {
            radix_insert(part.at, n, s->words);
            radix_settle(s, &part);
        }
    }
}

bool radix_sort(uint64_t *rows, uint64_t *scratch, size_t n, unsigned words,
                const sort_stop *stop) {
    radix_state s = {.stop = stop, .words = words};
    if (n > RADIX_SHORT) {
        radix_split(&s, (radix_list){rows, scratch, n, false}, (radix_digit){0}, 0);
    } else {
        radix_insert(rows, n, words);
    }
    return !s.stopped;
}
