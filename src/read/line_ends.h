/* line_ends.h - where lines end: at LF, CR LF, CR CR LF or CR alone
 *
 * Old Macs, and Excel for them, end lines with CR alone. CR CR LF comes from a CR LF that was
 * translated twice. A file may mix these line ends. While more text may follow, a CR among the last
 * two bytes of a text may be an incomplete line end. line_is_decided() detects this case; such a
 * line is left for the next block.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_LINE_ENDS_H
#define LODE_READ_LINE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which end to find in a text that begins with a record: the end of all complete records, the end
 * of the first record, or the end of the first record when no more text follows. */
typedef enum cut_what { CUT_ALL, CUT_FIRST, CUT_FINAL } cut_what;

/* Returns the first CR or LF; `end` if there is none. */
static inline const char *line_find(const char *p, const char *end) {
    while (p < end && *p != '\n' && *p != '\r') p++;
    return p;
}

/* Returns the length of the line end at p in a text that ends at `end`. *p must be CR or LF. */
static inline size_t line_end_bytes(const char *p, const char *end) {
    if (*p == '\n') return 1;
    if (end - p > 1 && p[1] == '\n') return 2;
    return end - p > 2 && p[1] == '\r' && p[2] == '\n' ? 3 : 1;
}

/* Returns whether the result of line_end_bytes() is the same whatever text follows `end`. */
static inline bool line_is_decided(const char *p, const char *end) {
    if (*p == '\n') return true;
    return end - p > 2 || (end - p == 2 && p[1] != '\r');
}

/* Returns the number of line ends in a text. */
static inline uint64_t line_count(const char *p, const char *end) {
    uint64_t n = 0;
    for (p = line_find(p, end); p < end; p = line_find(p + line_end_bytes(p, end), end)) n++;
    return n;
}

/* Returns the length of all complete lines; 0 if there is none. */
static inline size_t line_cut(const char *text, size_t n) {
    const char *end = text + n;
    while (n > 0 && text[n - 1] != '\n') {
        if (text[n - 1] == '\r' && line_is_decided(text + n - 1, end)) break;
        n--;
    }
    return n;
}
/* Returns the length of the first line; 0 if it is not complete. */
static inline size_t line_cut_first(const char *text, size_t n) {
    const char *end = text + n;
    const char *p = line_find(text, end);
    if (p == end || !line_is_decided(p, end)) return 0;
    return (size_t)(p - text) + line_end_bytes(p, end);
}

/* Returns the number of the line that contains `at`, counted from 1. *start receives the start of
 * this line. */
static inline uint64_t line_number(const char *text, const char *at, const char **start) {
    uint64_t line = 1;
    *start = text;
    for (const char *p = line_find(text, at); p < at; p = line_find(*start, at)) {
        *start = p + line_end_bytes(p, at);
        line++;
    }
    return line;
}

#endif
