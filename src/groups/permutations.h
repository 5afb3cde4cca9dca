/* permutations.h - many random classifications of the same rows, as bits, and fast counts in them
 *
 * What:  for each permutation j, the rows that belong to the class, as bits. The classes of
 *        permutation j come from a random stream of their own (seed, j), so they are the same
 *        however permutations are divided among threads or blocks. Within each stratum, every
 *        assignment with the given number of rows of the class is equally likely.
 * Form:  512 permutations are a block; a block has one vector of 512 bits for each place:
 *
 *            place 0   0110…  bit j: row 0 is in the class in permutation j of the block
 *            place 1   1010…
 *            …         0000…  one more vector, which is zero: see permute_kernels.count
 *
 *        The count of a pattern in all 512 permutations is the sum of the vectors of its rows.
 *        Carry-save adders make it, 32 vectors at a time, in bit-sliced form: plane k has bit k of
 *        the 512 counts. Two bounds are compared with the planes at once, so that only the few
 *        permutations whose count lies in a tail are looked at one by one.
 * Why:   8,124 rows of 64 bytes stay in the L2 cache while the patterns of a batch pass by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_PERMUTATIONS_H
#define LODE_GROUPS_PERMUTATIONS_H

#include "groups/classes.h"

#define PERMUTE_BLOCK  512
#define PERMUTE_WORDS  (PERMUTE_BLOCK / 64)
#define PERMUTE_PLANES 32
#define PERMUTE_STEP   8
#define PERMUTE_MORE   4

typedef struct permutations {
    mem *mem;
    uint64_t n; /* of permutations */
    uint32_t n_rows;
    uint32_t n_tests; /* classes whose bits are kept: classes_tests() */
    size_t n_blocks;
    uint64_t *bits; /* by test, block, place: PERMUTE_WORDS words */
    size_t block_words;
    size_t bytes;
} permutations;

/* Uses all threads of the job. Errors: INVALID, NOMEM, BUDGET; those of job_check(). */
LODE_NODISCARD lode_status permutations_make(permutations *p, lode_job *job, const row_classes *c,
                                             uint64_t n, uint64_t seed);
void permutations_free(permutations *p);

/* The vectors of a block, one for each place. */
static inline uint64_t *permutations_block(const permutations *p, uint32_t test, size_t block) {
    return p->bits + ((size_t)test * p->n_blocks + block) * p->block_words;
}

/* Counts of the permutations of a block, in bit-sliced form. Where no permutation of a word is a
 * hit, the planes may be undefined. */
typedef struct permute_counts {
    _Alignas(64) uint64_t planes[PERMUTE_PLANES][PERMUTE_WORDS];
    _Alignas(64) uint64_t hits[PERMUTE_WORDS];
} permute_counts;

/* The rows to count, and the bounds. */
typedef struct permute_query {
    const uint32_t *places;
    uint32_t n; /* a multiple of PERMUTE_STEP: the list may end with places of the zero vector */
    unsigned n_planes; /* 2^n_planes > n */
    int64_t low, high; /* low may be -1, and high may be above n */
} permute_query;

typedef struct permute_kernels {
    const char *name;
    /* Counts rows of a block, and sets `hits` to the permutations with count <= low or
     * count >= high. Returns whether there is any. */
    bool (*count)(const uint64_t *block, const permute_query *q, permute_counts *out);
    /* Intersects n >= 1 bit rows into `out`, which may be the first of them. Rows begin at
     * multiples of 64 bytes, and `words` is a multiple of PERMUTE_WORDS. */
    void (*intersect)(const uint64_t *const *rows, uint32_t n, size_t words, uint64_t *out);
    /* Lists the bits of a row, and returns how many there are. May write PERMUTE_MORE entries more
     * than that. */
    uint32_t (*list)(const uint64_t *bits, size_t words, uint32_t *to);
    /* Counts the common bits of two rows. */
    uint64_t (*common)(const uint64_t *a, const uint64_t *b, size_t words);
} permute_kernels;

/* The table to use: the best that the processor can run, or the one that LODE_CPU names. */
const permute_kernels *permute_kernels_pick(void);

/* The count of permutation j of the block. */
static inline uint32_t permute_count_at(const permute_counts *c, unsigned n_planes, unsigned j) {
    uint32_t count = 0;
    for (unsigned k = 0; k < n_planes; k++) {
        count |= (uint32_t)(c->planes[k][j / 64] >> j % 64 & 1) << k;
    }
    return count;
}

#endif
