/* kernels.h - the bit loops of the CPU backend, one table per instruction set
 *
 * All rows are whole lines of 64 bytes and aligned to 64. `words` is a multiple of 8 and may be 0.
 * Every table gives the same results as the scalar one; tests/test_kernels.c compares them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_KERNELS_H
#define LODE_DEVICE_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpu_kernels {
    const char *name; /* what LODE_CPU accepts */
    bool (*usable)(void);
    /* |a AND b| */
    uint64_t (*and_count)(const uint64_t *a, const uint64_t *b, size_t words);
    /* dst = a AND b; |dst|. dst may be a or b. */
    uint64_t (*and_store)(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words);
    /* |a AND b| over the named lines only */
    uint64_t (*and_count_lines)(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                size_t n_lines);
    /* Compacts the columns of `row` that are set in `mask`, then writes zeros up to to_words, which
     * must be enough. */
    void (*pick)(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                 size_t to_words);
} cpu_kernels;

/* The i-th table compiled in, best first; NULL past the end. Not all are usable on every
 * machine. */
const cpu_kernels *cpu_kernels_at(size_t i);

/* The best usable table; with LODE_CPU in the environment, the one it names, or NULL if that cannot
 * run here. */
const cpu_kernels *cpu_kernels_pick(void);

#endif
