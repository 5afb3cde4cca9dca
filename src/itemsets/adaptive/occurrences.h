/* occurrences.h - the transactions of each item of the root, as bits (tid-bitmaps)
 *
 * One column for each transaction, or for each distinct one if the root has merged them; those of
 * weight 0 have none. The most frequent items have a bit row, as far as memory allows; for the
 * others, the words that are not zero are stored:
 *
 *     item 0      0110 1101 0011 …        a row
 *     item 7      (1: 0100) (5: 1010)     two words, and their positions
 *
 * All threads read them; nobody changes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_OCCURRENCES_H
#define LODE_ITEMSETS_ADAPTIVE_OCCURRENCES_H

#include "itemsets/adaptive/root.h"

/* A word of a row that is not zero. */
typedef struct row_word {
    uint64_t bits;
    uint32_t at;
} row_word;

typedef struct occurrences {
    arena arena;  /* holds what does not belong to the root */
    size_t words; /* of a row; a multiple of 8 */
    const uint64_t *rows;
    uint32_t n_rows;        /* number of first items with a row */
    const uint64_t *zeros;  /* a row without a bit */
    const row_word *others; /* words of the other items … */
    const uint32_t *starts; /* … and where those of an item begin; ends with their number */
} occurrences;

/* `alone`: called by a worker, which must not use other threads. */
LODE_NODISCARD lode_status occurrences_open(occurrences *o, const adaptive_root *root,
                                            const engine_task *task, bool alone);
void occurrences_close(occurrences *o);

/* Bytes that are enough for a job of these sizes. */
uint64_t occurrences_need(const engine_sizes *sizes);

static inline const uint64_t *occurrences_row(const occurrences *o, uint32_t item) {
    return o->rows + item * o->words;
}

/* The first word of an item without a row, from `at` on. */
static inline const row_word *occurrences_from(const occurrences *o, uint32_t item, size_t at) {
    const row_word *low = o->others + o->starts[item - o->n_rows];
    const row_word *high = o->others + o->starts[item - o->n_rows + 1];
    while (low < high) {
        const row_word *middle = low + (high - low) / 2;
        if (middle->at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline const row_word *occurrences_end(const occurrences *o, uint32_t item) {
    return o->others + o->starts[item - o->n_rows + 1];
}

/* One word of the real or virtual row of an item. */
static inline uint64_t occurrences_word(const occurrences *o, uint32_t item, size_t at) {
    if (item < o->n_rows) return occurrences_row(o, item)[at];
    const row_word *w = occurrences_from(o, item, at);
    return w < occurrences_end(o, item) && w->at == at ? w->bits : 0;
}

#endif
