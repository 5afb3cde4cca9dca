/* lode/text.h - text as the library writes it: JSON strings and numbers; part of lode.h
 *
 * For programs that write their own JSON along with results and reports. Names in data are bytes,
 * mostly UTF-8. Where UTF-8 is required, a byte that is not part of a valid character is treated as
 * Latin-1.
 *
 * These calls need no job and allocate nothing; the caller provides the buffers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TEXT_H
#define LODE_TEXT_H

#include "lode/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether these bytes are valid UTF-8. A zero byte is a character like any other. */
LODE_API bool lode_text_is_utf8(const char *bytes, size_t n);

/* The most bytes that n bytes take as a JSON string. */
#define LODE_JSON_BYTES(n) (6 * (n) + 2)

/* Writes n bytes as a JSON string with quotes, without a terminating zero; returns its length. With
 * `html`, also escapes < > &, DEL, U+2028 and U+2029, so that the string can be embedded in a
 * page. */
LODE_API size_t lode_json_string(char *to, const char *bytes, size_t n, bool html);

/* The most bytes that lode_json_number() writes. */
#define LODE_NUMBER_BYTES 48

/* Writes the shortest number that reads back as the same double, without a terminating zero;
 * returns its length. Because JSON has only finite numbers, NaN becomes null, and infinities become
 * the strings "inf" and "-inf". */
LODE_API size_t lode_json_number(char *to, double value);

#ifdef __cplusplus
}
#endif

#endif
