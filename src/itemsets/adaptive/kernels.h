/* kernels.h - the inner loops of the adaptive search, one table per instruction set
 *
 * Four shapes of a conditional database have loops here:
 *
 *   words    a transaction of at most 64 items is one word with a weight; bit b is item b
 *   lattice  the weight of each of the 2^k subsets of k items, in an array indexed by their bits
 *   rows     one bit row per item, a bit for each transaction
 *   strips   the same for few transactions: the first words of all rows are contiguous, …
 *
 * The code of all tables is kernels_body.h, compiled with other flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_KERNELS_H
#define LODE_ITEMSETS_ADAPTIVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LATTICE_LANES 16 /* entries processed together; a lattice has at least as many */
#define LATTICE_MOST  16 /* items of the largest lattice */

#define ROW_LINE 8 /* words of rows processed together */

typedef struct weighted_words {
    const uint64_t *words;
    const uint32_t *weights;
    size_t n;
} weighted_words;

/* The source of a lattice. */
typedef struct lattice_words {
    weighted_words all;
    uint64_t mask, earlier; /* the bits of its items, and of earlier items */
} lattice_words;

/* The minimum support with a consequent: `min`, and this ratio of the antecedent's support. */
typedef struct rule_bar {
    uint32_t min;
    uint64_t numerator, denominator;
} rule_bar;

/* The sets of a lattice of k items as antecedents. */
typedef struct rule_sets {
    unsigned k;
    uint32_t min;
    const uint32_t *supports;
    const uint32_t *least; /* minimum support of each with a consequent, at least min */
} rule_sets;

/* A consequent of the sets of a lattice. */
typedef struct rule_rhs {
    const uint32_t *both; /* the support of each set with it; NULL = it is in the lattice … */
    unsigned item;        /* … as this item; then … */
    uint32_t *scratch;    /* … this has room for as many numbers as the lattice has */
} rule_rhs;

/* Words of a row, from `from` to `end` - 1: multiples of ROW_LINE. */
typedef struct row_range {
    size_t from, end;
} row_range;

#define STRIPS_MOST 8 /* maximum strips of a database */

/* Strips of words; up to LATTICE_LANES words after the last must be readable. */
typedef struct strip_words {
    const uint64_t *words;
    size_t stride; /* distance of strips: its items */
    unsigned n;    /* strips */
} strip_words;

/* Rows with the same number of words. */
typedef struct row_words {
    const uint64_t *rows;
    size_t words;
} row_words;

/* A range of items, or entries of a lattice, and the minimum number of transactions. */
typedef struct strip_range {
    uint32_t first, end;
    uint32_t min;
} strip_range;

/* The lattice of the first k items of a strip, as strips_lattice() leaves it. */
typedef struct strip_sets {
    const uint64_t *strip;
    uint32_t n; /* items of the strip */
    unsigned k;
    const uint64_t *sets;
    uint32_t *lattice; /* LATTICE_LANES entries at the least, zero where there is no set */
    uint32_t min;
} strip_sets;

typedef struct adaptive_kernels {
    const char *name; /* what LODE_CPU accepts */
    /* Copies the words that have the bit, restricted to the bits of `keep`, and their weights.
     * Returns their number. Room for n, and LATTICE_LANES more. */
    size_t (*select)(const weighted_words *from, unsigned bit, uint64_t keep, uint64_t *to,
                     uint32_t *to_weights);
    /* counts[b] = the weight of the words with bit b, for b < n_bits; rounded up to lanes */
    void (*count_bits)(const weighted_words *from, unsigned n_bits, uint32_t counts[64]);
    /* Compacts the bits of the mask in every word. */
    void (*squeeze)(uint64_t *words, size_t n, uint64_t mask);
    /* Adds each weight to the entry whose index is the compacted bits of the mask. */
    void (*lattice_add)(uint32_t *lattice, const lattice_words *from);
    /* The same for a lattice of `entries` per item of from->earlier: adds the weights of the words
     * that have the item. */
    void (*lattice_add_each)(uint32_t *lattices, size_t entries, const lattice_words *from);
    /* Turns the weights of exact sets into those of all supersets: supports. */
    void (*lattice_sum)(uint32_t *lattice, unsigned k);
    /* common[s] = the bits of from->earlier that are in all of `words` whose transactions contain
     * the set s. All ones before the call. */
    void (*lattice_meet)(uint64_t *common, const lattice_words *from, const uint64_t *words);
    /* Clears the entries of at least min that have the same support as one with one more item, or a
     * common bit. */
    void (*lattice_keep_closed)(uint32_t *lattice, const uint64_t *common, unsigned k,
                                uint32_t min);
    /* Clears the entries of at least min whose set is in a larger one of at least min. */
    void (*lattice_keep_maximal)(uint32_t *lattice, unsigned k, uint32_t min);
    /* Clears the entries of at least min that reach min with an earlier item, too. `counts` has
     * 64 numbers for each entry, all zero before and after the call. */
    void (*lattice_drop_earlier)(uint32_t *lattice, uint32_t *counts, const lattice_words *from,
                                 uint32_t min);
    /* sizes[i] += the entries of i items that reach min */
    void (*lattice_count)(const uint32_t *lattice, unsigned k, uint32_t min, uint64_t *sizes);
    /* least[s] = the count that reaches the bar for the set s; numerator and denominator have 32
     * bits */
    void (*lattice_least)(const uint32_t *lattice, unsigned k, const rule_bar *bar,
                          uint32_t *least);
    /* sizes[i] += the sets of i items without the consequent that reach `least` with it, for i > 0
     * */
    void (*lattice_count_rules)(const rule_sets *sets, const rule_rhs *rhs, uint64_t *sizes);
    /* counts[i] = |a AND row i|, for n rows at a distance of `words`, a multiple of 8 */
    void (*and_counts)(const uint64_t *a, const uint64_t *rows, size_t n, size_t words,
                       uint32_t *counts);
    /* The first of n rows that has all bits of `a`; n = none. */
    size_t (*find_cover)(const uint64_t *a, const uint64_t *rows, size_t n, size_t words);
    /* to = a AND b */
    void (*and_store)(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t words);
    /* Finds the first line in the range in which some column is set in all of the n rows but not in
     * `lacks`: writes such columns to `found`, and returns its position; range.end = none. */
    size_t (*find_common)(const uint64_t *const *rows, size_t n, const uint64_t *lacks,
                          row_range range, uint64_t found[ROW_LINE]);
    /* Compacts the bits of `row` selected by `mask`, then writes zeros up to to_words. */
    void (*pick_bits)(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                      size_t to_words);
    /* Makes a strip of n bits of the words, at most 64; there is room for 64, all zero after the
     * last. */
    void (*words_strip)(const uint64_t *words, size_t n_words, const uint32_t *bits, uint32_t n,
                        uint64_t *to);
    /* Makes strips of n rows, restricted to the columns of the row `chosen`: at most STRIPS_MOST *
     * 64. */
    void (*rows_strips)(const row_words *from, uint32_t chosen, const uint32_t *numbers, uint32_t n,
                        uint64_t *to);
    /* Finds the items of a range that are in at least min of the chosen transactions, and their
     * counts. Returns their number. Room for all, and one more. */
    uint32_t (*strips_reach)(const strip_words *from, const uint64_t *chosen,
                             const strip_range *range, uint32_t *found, uint32_t *counts);
    /* counts[i] = the number of transactions with item numbers[i] */
    void (*strips_count)(const strip_words *from, const uint32_t *numbers, uint32_t n,
                         uint32_t *counts);
    /* Copies n items restricted to the chosen transactions, in as few strips as possible. */
    void (*strips_pick)(const strip_words *from, const uint64_t *chosen, const uint32_t *numbers,
                        uint32_t n, uint64_t *to);
    /* sets[s] = the transactions of the set s of the first k items of a strip; lattice[s] = their
     * number */
    void (*strips_lattice)(const uint64_t *strip, unsigned k, uint64_t *sets, uint32_t *lattice);
    /* Clears the entries of at least min whose transactions have another item of the strip in
     * common: in all of them, so that the set is not closed, or … */
    void (*strips_keep_closed)(const strip_sets *of);
    /* … at least min, so that it is not maximal. */
    void (*strips_keep_maximal)(const strip_sets *of);
} adaptive_kernels;

/* The i-th table that this processor supports, best first, the scalar one last; NULL past the end.
 */
const adaptive_kernels *adaptive_kernels_at(size_t i);

/* The best of them, or the one named by LODE_CPU. */
const adaptive_kernels *adaptive_kernels_pick(void);

#endif
