/* probe.c - which kernels this processor can run
 *
 * Compiled without instruction-set flags, so that asking cannot crash on an old processor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "device/cpu/kernels.h"

extern const cpu_kernels cpu_kernels_scalar;

#if defined(__x86_64__)
extern const cpu_kernels cpu_kernels_avx2, cpu_kernels_avx512;

bool cpu_has_avx512(void);
bool cpu_has_avx2(void);

bool cpu_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
}

bool cpu_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static const cpu_kernels *const kernel_list[] = {&cpu_kernels_avx512, &cpu_kernels_avx2,
                                                 &cpu_kernels_scalar};
#elif defined(__aarch64__)
extern const cpu_kernels cpu_kernels_neon;

static const cpu_kernels *const kernel_list[] = {&cpu_kernels_neon, &cpu_kernels_scalar};
#else
static const cpu_kernels *const kernel_list[] = {&cpu_kernels_scalar};
#endif

#define N_KERNELS (sizeof kernel_list / sizeof *kernel_list)

const cpu_kernels *cpu_kernels_at(size_t i) {
    return i < N_KERNELS ? kernel_list[i] : NULL;
}

const cpu_kernels *cpu_kernels_pick(void) {
    const char *forced = getenv("LODE_CPU");
    for (size_t i = 0; i < N_KERNELS; i++) {
        bool wanted = !forced || strcmp(forced, kernel_list[i]->name) == 0;
        if (wanted && kernel_list[i]->usable()) return kernel_list[i];
    }
    return NULL;
}
