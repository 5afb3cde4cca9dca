/* cpu_papers.h - operations of the papers' miners on the CPU backend
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CPU_CPU_PAPERS_H
#define LODE_PAPERS_CPU_CPU_PAPERS_H

#include "device/api/paper_ops.h"
#include "device/cpu/device.h"

#define CPU_MAX_LIST    256  /* maximum rows of a candidate that fit on the stack */
#define CPU_LISTS_LEAST 1024 /* minimum candidates for which starting a thread pays */

/* Loops that are compiled for each instruction set (word_loops.c). */
typedef struct cpu_word_loops {
    const char *name; /* of the kernels they go with */
    /* bits of one word */
    uint32_t (*count_word)(uint64_t x);
    /* sizes[i] = |set a OR set b| of pair i, for sets of any number of words, any alignment */
    void (*union_sizes)(const backend_sets *sets, const backend_pair *pairs, size_t n,
                        uint32_t *sizes);
} cpu_word_loops;

struct backend_papers {
    backend_device *device;
    backend_paper_config config;
    backend_paper_counters counters;
    uint32_t (*count_word)(uint64_t x); /* as configured, for the trees */
    const cpu_word_loops *loops;
    backend_sets sets; /* of the level, borrowed */
    const uint32_t *group_end;
    const uint32_t *set_rows; /* by set; NULL = not given */
};

/* The loops that go with the kernels of this name; the plain ones if there are no others. */
const cpu_word_loops *cpu_word_loops_for(const char *kernels);

/* The population counts of the papers (popcounts.c): kernels without `pick`, and their counts of
 * one word. */
extern const cpu_kernels cpu_kernels_table16, cpu_kernels_shift;
uint32_t cpu_count_word_table16(uint64_t x);
uint32_t cpu_count_word_shift(uint64_t x);

extern const struct pgm_ops cpu_pgm_ops; /* cpu_pgm.c */

/* and_count(), if its config requests trees (popcounts.c). */
LODE_NODISCARD lode_status cpu_tree_count(backend_papers *p, const backend_work *work, size_t n,
                                          uint32_t min_count, uint32_t *counts);

/* |rows[0] AND … AND rows[k - 1]|, over the named lines or (NULL) over all (cpu_sets.c). */
LODE_NODISCARD lode_status cpu_and_count_lists(backend_papers *p, const uint32_t *rows, uint32_t k,
                                               size_t n, uint32_t *counts);
LODE_NODISCARD lode_status cpu_and_count_classes(backend_papers *p, const backend_classes *classes,
                                                 const uint32_t *cache, size_t n_cache,
                                                 uint32_t *counts);
LODE_NODISCARD lode_status cpu_use_sets(backend_papers *p, const backend_sets *sets,
                                        const uint32_t *group_end, const uint32_t *rows);
LODE_NODISCARD lode_status cpu_join_sets(backend_papers *p, size_t first, size_t end,
                                         backend_joined *out);
LODE_NODISCARD lode_status cpu_or_pairs(backend_papers *p, const backend_grid_part *part,
                                        backend_pair *pairs, size_t *n_pairs);

#endif
