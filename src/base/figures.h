/* figures.h - formats numbers for display: 1,234,567; 12.3 MiB; 0.28
 *
 * Each function writes into the caller's buffer and returns the buffer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_FIGURES_H
#define LODE_BASE_FIGURES_H

#include <stdint.h>

#include "base/status.h"

#define FIGURE_BYTES 32

/* Formats 1234567 as "1,234,567". */
const char *figure_count(uint64_t value, char text[FIGURE_BYTES]);
/* Formats a number of bytes, such as "12.3 MiB". */
const char *figure_bytes(uint64_t bytes, char text[FIGURE_BYTES]);
/* Formats a fraction from 0 to 1 as a percentage: "0.012", "8.2", "57", "100". */
const char *figure_percent(double share, char text[FIGURE_BYTES]);
/* Returns the plural ending of a noun: "" if n is 1, otherwise "s". */
static inline const char *figure_s(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* ---- appending to a text in a fixed array ---------------------------------------------------- */

/* Appends a formatted text to the text in an array of `room` bytes. If the new text does not fit,
 * nothing is appended, so that no word or character is cut. Returns whether the text was
 * appended. */
bool append_text(char *text, size_t room, const char *format, ...) LODE_PRINTF(3, 4);

#endif
