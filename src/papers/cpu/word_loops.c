/* word_loops.c - loops over words that want the processor's own population count
 *
 * One source for all instruction sets: the compiler makes a function of it for each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cpu/cpu_papers.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE uint32_t loop_count_word(uint64_t x) {
    return (uint32_t)__builtin_popcountll(x);
}

static ALWAYS_INLINE void loop_union_sizes(const backend_sets *sets, const backend_pair *pairs,
                                           size_t n, uint32_t *sizes) {
    const uint64_t *data = sets->data;
    size_t words = sets->words;
    if (words == 1) { /* up to 64 items, the usual case: one word a set */
        for (size_t i = 0; i < n; i++)
            sizes[i] = loop_count_word(data[pairs[i].a] | data[pairs[i].b]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t *a = data + pairs[i].a * words, *b = data + pairs[i].b * words;
        uint32_t size = 0;
        for (size_t w = 0; w < words; w++) size += loop_count_word(a[w] | b[w]);
        sizes[i] = size;
    }
}

/* The loops for one instruction set; `target` is an attribute, or nothing. */
#define WORD_LOOPS(set, target)                                                                    \
    target static uint32_t set##_count_word(uint64_t x) {                                          \
        return loop_count_word(x);                                                                 \
    }                                                                                              \
    target static void set##_union_sizes(const backend_sets *sets, const backend_pair *pairs,      \
                                         size_t n, uint32_t *sizes) {                              \
        loop_union_sizes(sets, pairs, n, sizes);                                                   \
    }                                                                                              \
    static const cpu_word_loops set##_loops = {#set, set##_count_word, set##_union_sizes};

WORD_LOOPS(plain, )
#if defined(__x86_64__)
WORD_LOOPS(avx2, __attribute__((target("avx2,bmi2,popcnt"))))
WORD_LOOPS(avx512, __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,bmi2,popcnt"))))
#endif

const cpu_word_loops *cpu_word_loops_for(const char *kernels) {
#if defined(__x86_64__)
    if (strcmp(kernels, avx512_loops.name) == 0) return &avx512_loops;
    if (strcmp(kernels, avx2_loops.name) == 0) return &avx2_loops;
#else
    (void)kernels;
#endif
    return &plain_loops;
}
