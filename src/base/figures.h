/* figures.h - formats numbers for display: 1,234,567; 12.3 MiB; 0.28
 *
 * Each function writes into a buffer of the caller and returns it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_FIGURES_H
#define LODE_BASE_FIGURES_H

#include <stdint.h>

#include "base/status.h"

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

/* ---- a text in an array, to which more is appended as long as there is room ------------------ */

/* Appends to a text in an array of `room` bytes: everything, or nothing if it does not fit, so that
 * no word or character is cut. Returns whether it was appended. */
bool append_text(char *text, size_t room, const char *format, ...) LODE_PRINTF(3, 4);

#endif
