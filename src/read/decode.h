/* decode.h - unpacks gzip and zstd, which are recognised by their first bytes
 *
 * What:  a decoder turns a window of packed bytes into plain bytes. Files may consist of several
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

/* Returns the compression of a file that begins with these bytes. At most 4 bytes are read. */
decode_kind decode_recognise(const void *head, size_t n);

/* Checks whether memory is enough for the window of a zstd frame that may begin here, before the
 * window is allocated. If memory is short, the error then names the window, not the first small
 * allocation that fails. */
void decode_foresee(lode_job *job, const decode_window *in);

LODE_NODISCARD lode_status decoder_create(lode_job *job, decoder **out, decode_kind kind);
void decoder_free(decoder *d);

/* Unpacks as many of the bytes of `in` as fit into `room`. *n receives the number of bytes written.
 * Returns PARSE if the data are damaged; *damage then describes the damage, and is otherwise
 * unchanged. Returns UNSUPPORTED if a window is larger than DECODE_MOST. */
LODE_NODISCARD lode_status decoder_run(decoder *d, decode_window *in, char *out, size_t room,
                                       size_t *n, const char **damage);

/* Returns whether the input may end here, because no member or frame is incomplete. */
bool decoder_may_end(const decoder *d);

const char *decoder_name(const decoder *d);

/* ---- converting UTF-16 to UTF-8 while reading ------------------------------------------------ */

/* What:  Excel's "Unicode text" and some exports of Windows are UTF-16; readers get UTF-8. A utf16
 *        holds a window of the file's bytes and converts as many of them as fit into the output.
 * How:   UTF-16 is detected by its byte order mark. Without a mark, it is detected because every
 *        other byte is zero, as in text that is mostly ASCII. */

#define UTF16_RAW ((size_t)16 << 10) /* bytes of the file held at a time */

typedef enum utf16_kind { UTF16_NOT, UTF16_LITTLE, UTF16_BIG } utf16_kind;

typedef struct utf16 {
    utf16_kind kind;
    bool ended;        /* the window is at the end of the file */
    decode_window in;  /* bytes of `raw` not converted yet */
    uint64_t used;     /* number of bytes of the file converted so far */
    uint64_t line;     /* number of complete lines so far */
    uint64_t column;   /* number of bytes of UTF-8 after the last complete line */
    bool after_return; /* the last character was CR */
    char spill[4];     /* the rest of a character that did not fit into the output */
    unsigned n_spill;
    unsigned char raw[UTF16_RAW];
} utf16;

/* Returns whether a file that begins with these bytes is UTF-16, and its byte order. */
utf16_kind utf16_recognise(const unsigned char *head, size_t n);
/* Returns whether a file that begins with these bytes is UTF-32, which is not supported. */
bool utf16_is_utf32(const unsigned char *head, size_t n);

/* Begins with the first n <= UTF16_RAW bytes of the file. Skips a byte order mark. */
void utf16_begin(utf16 *u, utf16_kind kind, const void *head, size_t n);

/* Converts as many bytes as fit into `room`, and returns the number of bytes written. Returns 0 if
 * more of the file is needed, if all bytes are converted, or if the text is damaged here; *damage
 * then describes the damage. */
size_t utf16_run(utf16 *u, char *out, size_t room, const char **damage);

#endif
