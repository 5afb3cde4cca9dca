/* kernels.h - the inner loops of the adaptive search, one table per instruction set
 *
 * Four shapes of a conditional database (adaptive.h) have loops here:
 *
 *   words    a transaction of at most 64 items is one word with a weight; bit b is item b
 *   lattice  the weight of each of the 2^k subsets of k items, in an array: bit b of the index
 *            says whether item b is in the subset
 *   rows     one bit row per item, a bit for each transaction
 *   strips   the same for few transactions: the first words of all rows are contiguous (strip 0),
 *            then the second words of all rows (strip 1), …
 *
 * The code of all tables is in kernels_body.h, which is compiled once for each table, with
 * different flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_KERNELS_H
#define LODE_ITEMSETS_ADAPTIVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LATTICE_LANES 16 /* entries processed together; a lattice has room for at least this many */
#define LATTICE_MOST  16 /* items of the largest lattice */

#define ROW_LINE 8 /* words of rows processed together */

typedef struct weighted_words {
    const uint64_t *words;
    const uint32_t *weights;
    size_t n;
} weighted_words;

/* The words that a lattice is made from. */
typedef struct lattice_words {
    weighted_words all;
    uint64_t mask, earlier; /* the bits of its items, and of earlier items */
} lattice_words;

/* The support that antecedent and consequent must have together: at least `min`, and at least
 * numerator / denominator times the support of the antecedent. */
typedef struct rule_bar {
    uint32_t min;
    uint64_t numerator, denominator;
} rule_bar;

/* The sets of a lattice of k items as antecedents. */
typedef struct rule_sets {
    unsigned k;
    uint32_t min;
    const uint32_t *supports; /* by set */
    const uint32_t *least;    /* by set: minimum support of the set with a consequent; >= min */
} rule_sets;

/* A consequent of the sets of a lattice. */
typedef struct rule_rhs {
    const uint32_t *both; /* by set: its support with the consequent; NULL = the consequent is in
                           * the lattice … */
    unsigned item;        /* … as this item, and … */
    uint32_t *scratch;    /* … this has room for as many numbers as the lattice has */
} rule_rhs;

/* Words [from, end) of a row; both are multiples of ROW_LINE. */
typedef struct row_range {
    size_t from, end;
} row_range;

#define STRIPS_MOST 8 /* maximum strips of a database */

/* Strips: up to LATTICE_LANES words after the last one must be readable. */
typedef struct strip_words {
    const uint64_t *words;
    size_t stride; /* words from one strip to the next: the number of items */
    unsigned n;    /* number of strips */
} strip_words;

/* Rows with the same number of words. */
typedef struct row_words {
    const uint64_t *rows;
    size_t words;
} row_words;

/* A range of items, and the minimum number of transactions. */
typedef struct strip_range {
    uint32_t first, end;
    uint32_t min;
} strip_range;

/* The lattice of the first k items of a strip, as strips_lattice() leaves it. */
typedef struct strip_sets {
    const uint64_t *strip;
    uint32_t n; /* items of the strip */
    unsigned k;
    const uint64_t *sets; /* by set: its transactions, a bit for each */
    uint32_t *lattice;    /* by set: its support; then 0 up to at least LATTICE_LANES entries */
    uint32_t min;         /* the threshold */
} strip_sets;

typedef struct adaptive_kernels {
    const char *name; /* what LODE_CPU accepts */
    /* Copies the words that have the bit, restricted to the bits of `keep`, and their weights.
     * Returns their number. `to` and `to_weights` have room for all words and LATTICE_LANES
     * more. */
    size_t (*select)(const weighted_words *from, unsigned bit, uint64_t keep, uint64_t *to,
                     uint32_t *to_weights);
    /* counts[b] = the weight of the words with bit b, for b < n_bits; n_bits is rounded up to a
     * multiple of LATTICE_LANES */
    void (*count_bits)(const weighted_words *from, unsigned n_bits, uint32_t counts[64]);
    /* Replaces every word by its bits in the mask, moved together to the low end. */
    void (*squeeze)(uint64_t *words, size_t n, uint64_t mask);
    /* Adds the weight of each word to the entry of its set: the index is the word's bits in
     * from->mask, moved together to the low end. */
    void (*lattice_add)(uint32_t *lattice, const lattice_words *from);
    /* The same for several lattices, one for each item of from->earlier, of `entries` numbers each.
     * The lattice of an item receives only the weights of the words that have this item. */
    void (*lattice_add_each)(uint32_t *lattices, size_t entries, const lattice_words *from);
    /* Adds to each entry the entries of all supersets, so that weights become supports. */
    void (*lattice_sum)(uint32_t *lattice, unsigned k);
    /* common[s] = those bits of from->earlier that are set in words[i] for every i for which
     * from->all.words[i] contains the set s. The caller fills `common` with ones. */
    void (*lattice_meet)(uint64_t *common, const lattice_words *from, const uint64_t *words);
    /* Clears the entries of at least min whose set s is not closed: a set with one more item has
     * the same support, or a bit of common[s] is set. */
    void (*lattice_keep_closed)(uint32_t *lattice, const uint64_t *common, unsigned k,
                                uint32_t min);
    /* Clears the entries of at least min whose set is not maximal: the lattice has a superset with
     * an entry of at least min. */
    void (*lattice_keep_maximal)(uint32_t *lattice, unsigned k, uint32_t min);
    /* Clears the entries of at least min whose set also reaches min together with an earlier item.
     * `counts` has 64 numbers for each entry, all zero before and after the call. */
    void (*lattice_drop_earlier)(uint32_t *lattice, uint32_t *counts, const lattice_words *from,
                                 uint32_t min);
    /* sizes[i] += the number of sets of i items whose entries reach min */
    void (*lattice_count)(const uint32_t *lattice, unsigned k, uint32_t min, uint64_t *sizes);
    /* least[s] = the lowest count with which a consequent of the set s reaches the bar; numerator
     * and denominator are below 2^32 */
    void (*lattice_least)(const uint32_t *lattice, unsigned k, const rule_bar *bar,
                          uint32_t *least);
    /* sizes[i] += the number of sets of i > 0 items that do not contain the consequent, but reach
     * `least` together with it */
    void (*lattice_count_rules)(const rule_sets *sets, const rule_rhs *rhs, uint64_t *sizes);
    /* counts[i] = |a AND row i|, for n rows at a distance of `words`, a multiple of 8 */
    void (*and_counts)(const uint64_t *a, const uint64_t *rows, size_t n, size_t words,
                       uint32_t *counts);
    /* The first of n rows that has all bits of `a`; n = none. */
    size_t (*find_cover)(const uint64_t *a, const uint64_t *rows, size_t n, size_t words);
    /* to = a AND b */
    void (*and_store)(uint64_t *to, const uint64_t *a, const uint64_t *b, size_t words);
    /* Finds the first line (ROW_LINE words) of the range in which some column is set in all of the
     * n rows but not in `lacks`. Writes these columns of the line to `found`, and returns the index
     * of its first word; range.end = there is none. */
    size_t (*find_common)(const uint64_t *const *rows, size_t n, const uint64_t *lacks,
                          row_range range, uint64_t found[ROW_LINE]);
    /* Copies the bits of `row` that `mask` selects to `to`, without gaps, and fills the rest of the
     * to_words words with zeros. */
    void (*pick_bits)(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                      size_t to_words);
    /* Makes one strip from at most 64 words: to[i] = which of the words have bit bits[i], for i <
     * n. `words` has 64 words; all after the first n_words are zero. */
    void (*words_strip)(const uint64_t *words, size_t n_words, const uint32_t *bits, uint32_t n,
                        uint64_t *to);
    /* Makes strips of the n rows with these numbers, restricted to the columns that are set in row
     * number `chosen`: at most STRIPS_MOST * 64. */
    void (*rows_strips)(const row_words *from, uint32_t chosen, const uint32_t *numbers, uint32_t n,
                        uint64_t *to);
    /* Finds the items of a range that are in at least min of the chosen transactions, and their
     * counts. Returns the number of these items. `found` and `counts` have room for all items of
     * the range and one more. */
    uint32_t (*strips_reach)(const strip_words *from, const uint64_t *chosen,
                             const strip_range *range, uint32_t *found, uint32_t *counts);
    /* counts[i] = the number of transactions with item numbers[i] */
    void (*strips_count)(const strip_words *from, const uint32_t *numbers, uint32_t n,
                         uint32_t *counts);
    /* Makes strips of the n items with these numbers, restricted to the chosen transactions: as few
     * strips as possible. */
    void (*strips_pick)(const strip_words *from, const uint64_t *chosen, const uint32_t *numbers,
                        uint32_t n, uint64_t *to);
    /* sets[s] = the transactions of the set s of the first k items of a strip; lattice[s] = their
     * number */
    void (*strips_lattice)(const uint64_t *strip, unsigned k, uint64_t *sets, uint32_t *lattice);
    /* Clears the entries of at least min whose set is not closed: another item of the strip is in
     * all of its transactions. */
    void (*strips_keep_closed)(const strip_sets *of);
    /* Clears the entries of at least min whose set is not maximal: another item of the strip is in
     * at least min of its transactions. */
    void (*strips_keep_maximal)(const strip_sets *of);
} adaptive_kernels;

/* The i-th table that this processor supports, best first, the scalar one last; NULL past the end.
 */
const adaptive_kernels *adaptive_kernels_at(size_t i);

/* The best table, or the one that the environment variable LODE_CPU names. */
const adaptive_kernels *adaptive_kernels_pick(void);

#endif
