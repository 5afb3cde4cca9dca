/* kernels.c - which of the tables of kernels.h this processor can run
 *
 * Compiled without instruction-set flags, so that choosing a table cannot crash on an old
 * processor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/kernels.h"

#include <stdlib.h>
#include <string.h>

typedef struct kernels_entry {
    const adaptive_kernels *table;
    bool usable;
} kernels_entry;

extern const adaptive_kernels adaptive_kernels_scalar;

#if defined(__x86_64__)

extern const adaptive_kernels adaptive_kernels_avx2, adaptive_kernels_avx512;

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static kernels_entry kernels_entry_at(size_t i) {
    if (i == 0) return (kernels_entry){&adaptive_kernels_avx512, has_avx512()};
    if (i == 1) return (kernels_entry){&adaptive_kernels_avx2, has_avx2()};
    return (kernels_entry){i == 2 ? &adaptive_kernels_scalar : NULL, true};
}

#elif defined(__aarch64__)

extern const adaptive_kernels adaptive_kernels_neon;

static kernels_entry kernels_entry_at(size_t i) {
    if (i == 0) return (kernels_entry){&adaptive_kernels_neon, true};
    return (kernels_entry){i == 1 ? &adaptive_kernels_scalar : NULL, true};
}

#else

static kernels_entry kernels_entry_at(size_t i) {
    return (kernels_entry){i == 0 ? &adaptive_kernels_scalar : NULL, true};
}

#endif

const adaptive_kernels *adaptive_kernels_at(size_t i) {
    size_t n = 0;
    for (kernels_entry e = kernels_entry_at(0); e.table; e = kernels_entry_at(++n)) {
        if (e.usable && i-- == 0) return e.table;
    }
    return NULL;
}

const adaptive_kernels *adaptive_kernels_pick(void) {
    const char *forced = getenv("LODE_CPU");
    const adaptive_kernels *table = NULL;
    for (size_t i = 0; (table = adaptive_kernels_at(i)); i++) {
        if (!forced || strcmp(forced, table->name) == 0) return table;
    }
    return &adaptive_kernels_scalar;
}
