/* hash.c - see hash.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

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

/* ---- a number by which a change of stored bytes is noticed ----------------------------------- */

#define CHECKSUM_LANES 4
#define CHECKSUM_STEP  32 /* bytes that a lane takes at a time */

/* Any odd numbers that look random will do; these are part of the file format. */
static const uint64_t checksum_keys[CHECKSUM_LANES] = {0x9e3779b97f4a7c15u, 0xd36ad3f1c8e5917bu,
                                                       0xa1b965f4e27c0d8fu, 0xc75d2e8a9164b3f7u};

/* Two words as one; those of the second are turned, so that equal changes do not cancel out. */
static inline uint64_t checksum_word(const unsigned char *p) {
    uint64_t second = keyed_load(p + 8, 8);
    return keyed_load(p, 8) ^ (second << 23 | second >> 41);
}

/* The last bytes, fewer than 16, as if zeros followed. */
static uint64_t checksum_tail(uint64_t sum, const unsigned char *p, size_t n) {
    unsigned char last[16] = {0};
    if (n > 0) __builtin_memcpy(last, p, n);
    return keyed_fold(sum ^ keyed_load(last, 8), keyed_load(last + 8, 8) ^ checksum_keys[1]);
}

static uint64_t checksum_piece(uint64_t sum, const unsigned char *p, size_t n) {
    const uint64_t *key = checksum_keys;
    uint64_t lanes[CHECKSUM_LANES], length = n;
    for (unsigned i = 0; i < CHECKSUM_LANES; i++) lanes[i] = sum ^ key[i];
    for (; n >= CHECKSUM_LANES * CHECKSUM_STEP; n -= CHECKSUM_LANES * CHECKSUM_STEP) {
        for (unsigned i = 0; i < CHECKSUM_LANES; i++, p += CHECKSUM_STEP) {
            lanes[i] = keyed_fold(lanes[i] ^ checksum_word(p), checksum_word(p + 16) ^ key[i]);
        }
    }
    for (unsigned i = 0; i < CHECKSUM_LANES; i++) sum = keyed_fold(sum ^ lanes[i], key[i]);
    for (; n >= 16; n -= 16, p += 16) {
        sum = keyed_fold(sum ^ keyed_load(p, 8), keyed_load(p + 8, 8) ^ key[0]);
    }
    return keyed_fold(checksum_tail(sum, p, n) ^ length, key[2]);
}

uint64_t checksum_add(uint64_t sum, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (; n > CHECKSUM_PIECE; n -= CHECKSUM_PIECE, p += CHECKSUM_PIECE) {
        sum = checksum_piece(sum, p, CHECKSUM_PIECE);
    }
    return checksum_piece(sum, p, n);
}
