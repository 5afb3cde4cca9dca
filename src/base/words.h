/* words.h - numbers for people: 1,234,567; 12.3 MiB; 0.28
 *
 * Each function writes into a buffer of the caller and returns it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_WORDS_H
#define LODE_BASE_WORDS_H

#include <stdint.h>

#define WORDS_BYTES 32

/* 1234567 as "1,234,567". */
const char *words_count(uint64_t value, char text[WORDS_BYTES]);
/* Bytes as "12.3 MiB". */
const char *words_bytes(uint64_t bytes, char text[WORDS_BYTES]);
/* A share in percent: "0.012", "8.2", "57", "100". */
const char *words_percent(double share, char text[WORDS_BYTES]);
/* "" or "s". */
static inline const char *words_s(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
