/* decode.h - unpacking gzip and zstd, recognised by their first bytes
 *
 * What:  a decoder turns a window of packed bytes into plain ones. Files may consist of several
 *        gzip members or zstd frames; skippable frames are skipped.
 * Rules: the memory that zlib and zstd allocate is charged to the budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_DECODE_H
#define LODE_READ_DECODE_H

#include "runtime/job.h"

typedef enum decode_kind { DECODE_PLAIN, DECODE_GZIP, DECODE_ZSTD } decode_kind;

/* The largest window that zstd makes, with --long=31. */
#define DECODE_MOST ((size_t)2 << 30)

typedef struct decoder decoder;

/* Packed bytes to be decoded; the decoder moves `at` forward. */
typedef struct decode_window {
    const unsigned char *at, *end;
} decode_window;

/* The compression of a file that begins with these bytes; reads at most 4. */
decode_kind decode_recognise(const void *head, size_t n);

/* Checks a zstd frame that may begin here, before it takes memory for its window. If there is too
 * little, the error then names the window, not the first small allocation that fails. */
void decode_foresee(lode_job *job, const decode_window *in);

LODE_NODISCARD lode_status decoder_create(lode_job *job, decoder **out, decode_kind kind);
void decoder_free(decoder *d);

/* Unpacks what is there and fits; *n receives the bytes written. PARSE: the data are damaged, and
 * *damage says how; otherwise *damage is unchanged. UNSUPPORTED: a window above DECODE_MOST. */
LODE_NODISCARD lode_status decoder_run(decoder *d, decode_window *in, char *out, size_t room,
                                       size_t *n, const char **damage);

/* Whether the input may end here: not inside a member or frame. */
bool decoder_may_end(const decoder *d);

const char *decoder_name(const decoder *d);

/* ---- converting UTF-16 to UTF-8 while reading ------------------------------------------------ */

/* What:  Excel's "Unicode text" and some exports of Windows are UTF-16; readers see UTF-8. A utf16
 *        holds a window of the file's bytes and converts as much of it as fits into the output.
 * Detected by the byte order mark; without one, by every other byte being zero, which holds for
 *        text that is mostly ASCII. */

#define UTF16_RAW ((size_t)16 << 10) /* bytes of the file held at a time */

typedef enum utf16_kind { UTF16_NOT, UTF16_LITTLE, UTF16_BIG } utf16_kind;

typedef struct utf16 {
    utf16_kind kind;
    bool ended;        /* the window is at the end of the file */
    decode_window in;  /* bytes of `raw` not converted yet */
    uint64_t used;     /* bytes of the file converted */
    uint64_t line;     /* complete lines … */
    uint64_t column;   /* … and bytes of UTF-8 after them */
    bool after_return; /* the last character was CR */
    char spill[4];     /* the rest of a character that did not fit */
    unsigned n_spill;
    unsigned char raw[UTF16_RAW];
} utf16;

/* Whether a file that begins with these bytes is UTF-16, and of which byte order. */
utf16_kind utf16_recognise(const unsigned char *head, size_t n);
/* Whether they are UTF-32, which is not supported. */
bool utf16_is_utf32(const unsigned char *head, size_t n);

/* Begins with the first bytes of the file, at most UTF16_RAW; skips a byte order mark. */
void utf16_begin(utf16 *u, utf16_kind kind, const void *head, size_t n);

/* Converts what is there and fits. Returns the bytes written; 0 if it needs more of the file, if
 * everything is converted, or if the text is damaged here, and *damage says how. */
size_t utf16_run(utf16 *u, char *out, size_t room, const char **damage);

#endif
