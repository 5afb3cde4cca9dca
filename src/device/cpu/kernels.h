/* kernels.h - the bit loops of the CPU backend, one table per instruction set
 *
 * Every row is a whole number of 64-byte lines and aligned to 64 bytes, so `words` (of 64 bits) is
 * a multiple of 8; it may be 0. |x| is the number of bits set in x. Every table gives the same
 * results as the scalar one; tests/test_kernels.c compares them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_KERNELS_H
#define LODE_DEVICE_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpu_kernels {
    const char *name;     /* as in the environment variable LODE_CPU */
    bool (*usable)(void); /* whether this processor can run the table */
    /* Returns |a AND b|. */
    uint64_t (*and_count)(const uint64_t *a, const uint64_t *b, size_t words);
    /* Sets dst = a AND b and returns |dst|. dst may be a or b. */
    uint64_t (*and_store)(uint64_t *dst, const uint64_t *a, const uint64_t *b, size_t words);
    /* Returns |a AND b| for the n_lines lines (of 8 words) with these numbers only. */
    uint64_t (*and_count_lines)(const uint64_t *a, const uint64_t *b, const uint32_t *lines,
                                size_t n_lines);
    /* Takes the bits of `row` at the positions that are set in `mask`, writes them to `to` without
     * gaps, and fills the rest of the to_words words of `to` with zeros. `to` must have room for
     * all of these bits. */
    void (*pick)(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words,
                 size_t to_words);
} cpu_kernels;

/* The i-th table of this build, best first; NULL past the end. Not all tables are usable on every
 * machine. */
const cpu_kernels *cpu_kernels_at(size_t i);

/* The best usable table. If the environment variable LODE_CPU is set: the table with that name, or
 * NULL if no table has that name or this processor cannot run the table. */
const cpu_kernels *cpu_kernels_pick(void);

#endif
