/* occurrences.h - the transactions of each item of the root, as bits (tid-bitmaps)
 *
 * There is a column for each transaction, or for each distinct one if the root has merged equal
 * transactions. In columns of transactions of weight 0, no bit is set. The most frequent items have
 * a bit row, as far as memory allows. For other items, only those words of the row are stored that
 * are not zero:
 *
 *     item 0      0110 1101 0011 …        a row
 *     item 7      (1: 0100) (5: 1010)     two words, and their positions
 *
 * Once they are made, all threads only read them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_OCCURRENCES_H
#define LODE_ITEMSETS_ADAPTIVE_OCCURRENCES_H

#include "itemsets/adaptive/root.h"

/* A word of a row that is not zero. */
typedef struct row_word {
    uint64_t bits;
    uint32_t at; /* index of the word in the row */
} row_word;

typedef struct occurrences {
    arena arena;            /* holds everything below that does not belong to the root */
    size_t words;           /* of a row; a multiple of 8 */
    const uint64_t *rows;   /* of the first n_rows items; may belong to the root */
    uint32_t n_rows;        /* items before this one have a row */
    const uint64_t *zeros;  /* a row in which no bit is set */
    const row_word *others; /* words of the other items, one item after the other */
    const uint32_t *starts; /* where the words of each of these items begin; then their total */
} occurrences;

/* Makes the occurrences, or takes those that the root has. `alone`: the caller is one of several
 * workers, so no other threads may be used. */
LODE_NODISCARD lode_status occurrences_open(occurrences *o, const adaptive_root *root,
                                            const engine_task *task, bool alone);
void occurrences_close(occurrences *o);

/* An upper limit of the bytes for a job of these sizes. */
uint64_t occurrences_need(const engine_sizes *sizes);

/* The row of an item that has one. */
static inline const uint64_t *occurrences_row(const occurrences *o, uint32_t item) {
    return o->rows + item * o->words;
}

/* For an item without a row: its first stored word at index `at` or later. */
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

/* For an item without a row: the end of its stored words. */
static inline const row_word *occurrences_end(const occurrences *o, uint32_t item) {
    return o->others + o->starts[item - o->n_rows + 1];
}

/* The word at index `at` of the row of an item, whether that row is stored or not. */
static inline uint64_t occurrences_word(const occurrences *o, uint32_t item, size_t at) {
    if (item < o->n_rows) return occurrences_row(o, item)[at];
    const row_word *w = occurrences_from(o, item, at);
    return w < occurrences_end(o, item) && w->at == at ? w->bits : 0;
}

#endif
