/* rowwise_kernels.c - which of the tables of rowwise_kernels.h this processor can run
 *
 * Compiled without instruction-set flags, so that choosing a table cannot crash on an old
 * processor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_kernels.h"

#include <stdlib.h>
#include <string.h>

extern const rowwise_kernels rowwise_kernels_scalar;

#if defined(__x86_64__)

extern const rowwise_kernels rowwise_kernels_avx2, rowwise_kernels_avx512;

static bool can_run_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("bmi2");
}

static bool can_run_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

const rowwise_kernels *rowwise_kernels_pick(void) {
    const char *forced = getenv("LODE_CPU");
    bool any = !forced;
    if ((any || strcmp(forced, "avx512") == 0) && can_run_avx512()) return &rowwise_kernels_avx512;
    if ((any || strcmp(forced, "avx2") == 0) && can_run_avx2()) return &rowwise_kernels_avx2;
    return &rowwise_kernels_scalar;
}

#else

const rowwise_kernels *rowwise_kernels_pick(void) {
    return &rowwise_kernels_scalar;
}

#endif
