/* kernels.h - the inner loops of the adaptive search, one table per instruction set
 *
 * Three shapes of a conditional database have loops here:
 *
 *   words   a transaction of at most 64 items is one word with a weight; bit b is item b
 *   cube    the weight of every one of the 2^k subsets of k items, in an array indexed by the bits
 *   rows    one row of bits per item, a bit per transaction
 *
 * The code of all tables is adaptive_kernels_body.h, compiled with other flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_KERNELS_H
#define LODE_ADAPTIVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUBE_LANES 16 /* entries that are worked on together; a cube has at least as many */
#define CUBE_MAX   16 /* items of the largest cube */

/* What a cube is made from. */
typedef struct cube_words {
    const uint64_t *words;
    const uint32_t *weights;
    size_t n;
    uint64_t mask, watched; /* the bits of its items, and of others */
} cube_words;

typedef struct adaptive_kernels {
    const char *name; /* what LODE_CPU accepts */
    /* Copies the words that have the bit, with only the bits of `keep`, and their weights. Returns
     * how many. Room for n, and CUBE_LANES more. */
    size_t (*select)(const uint64_t *words, const uint32_t *weights, size_t n, unsigned bit,
                     uint64_t keep, uint64_t *to, uint32_t *to_weights);
    /* counts[b] = the weight of the words with bit b, for b < n_bits; rounded up to lanes */
    void (*count_bits)(const uint64_t *words, const uint32_t *weights, size_t n, unsigned n_bits,
                       uint32_t counts[64]);
    /* Moves the bits of the mask together, in every word. */
    void (*squeeze)(uint64_t *words, size_t n, uint64_t mask);
    /* Adds each weight to the entry its bits of the mask are the index of. */
    void (*cube_add)(uint32_t *cube, const uint64_t *words, const uint32_t *weights, size_t n,
                     uint64_t mask);
    /* Turns the weights of exact sets into those of all supersets: supports. */
    void (*cube_sum)(uint32_t *cube, unsigned k);
    /* common[s] = the bits of `watched` that all of `others` have where the bits of `mask` in the
     * words include s. All ones before the call. */
    void (*cube_meet)(uint64_t *common, const uint64_t *words, const uint64_t *others, size_t n,
                      uint64_t mask, uint64_t watched, unsigned k);
    /* Clears the entries of at least min that have the same support as one of an item more, or a
     * common bit. */
    void (*cube_keep_closed)(uint32_t *cube, const uint64_t *common, unsigned k, uint32_t min);
    /* Clears the entries of at least min whose set is in a larger one of at least min. */
    void (*cube_keep_maximal)(uint32_t *cube, unsigned k, uint32_t min);
    /* Clears those of at least min that reach it with one of the watched bits, too. `counts` has
     * room for 64 numbers an entry, all zero before and after the call. */
    void (*cube_drop_watched)(uint32_t *cube, uint32_t *counts, const cube_words *from,
                              uint32_t min);
    /* sizes[i] += the entries of i items that reach min */
    void (*cube_count)(const uint32_t *cube, unsigned k, uint32_t min, uint64_t *sizes);
    /* counts[i] = |a AND row i|, for n rows at a distance of `words`, a multiple of 8 */
    void (*and_counts)(const uint64_t *a, const uint64_t *rows, size_t n, size_t words,
                       uint32_t *counts);
    /* to = a AND b */
    void (*and_store)(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t words);
    /* to = the bits of `row` where `mask` has one, moved together, then zeros up to to_words. */
    void (*pick_bits)(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                      size_t to_words);
} adaptive_kernels;

/* The best this processor can run, or what LODE_CPU names. */
const adaptive_kernels *adaptive_kernels_pick(void);

#endif
