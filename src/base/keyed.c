/* keyed.c - see keyed.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/keyed.h"

#include <pthread.h>

#include "base/bits.h"
#include "base/os.h"

static keyed process_key;
static pthread_once_t drawn = PTHREAD_ONCE_INIT;

/* Multipliers are odd, so that multiplying loses nothing. */
static void keyed_draw(void) {
    if (!os_random(&process_key, sizeof process_key)) { /* time and address: better than nothing */
        uint64_t seed = (uint64_t)(os_seconds() * 1e9) ^ (uintptr_t)&seed;
        for (unsigned i = 0; i < 4; i++) {
            process_key.key[i] = bits_mix(seed + os_process_id() + i * 0x9e3779b97f4a7c15u);
        }
    }
    process_key.key[1] |= 1;
    process_key.key[3] |= 1;
}

const keyed *keyed_process(void) {
    pthread_once(&drawn, keyed_draw);
    return &process_key;
}
