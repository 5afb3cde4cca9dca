/* figures.h - numbers for people: 1,234,567; 12.3 MiB; 0.28
 *
 * Each function writes into a buffer of the caller and returns it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_FIGURES_H
#define LODE_BASE_FIGURES_H

#include <stdint.h>

#define FIGURE_BYTES 32

/* 1234567 as "1,234,567". */
const char *figure_count(uint64_t value, char text[FIGURE_BYTES]);
/* Bytes as "12.3 MiB". */
const char *figure_bytes(uint64_t bytes, char text[FIGURE_BYTES]);
/* A share in percent: "0.012", "8.2", "57", "100". */
const char *figure_percent(double share, char text[FIGURE_BYTES]);
/* "" for 1, else "s". */
static inline const char *figure_s(uint64_t n) {
    return n == 1 ? "" : "s";
}

#endif
