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

/* Packed bytes not yet used; the decoder moves `at` forward. */
typedef struct decode_window {
    const unsigned char *at, *end;
} decode_window;

/* The kind of file that begins with these bytes; at most 4 are looked at. */
decode_kind decode_recognise(const void *head, size_t n);

/* The packed bytes that come next may begin a zstd frame, which takes a window of memory. If there
 * is too little for it, the error names the window, not the first small thing without room. */
void decode_foresee(lode_job *job, const decode_window *in);

LODE_NODISCARD lode_status decoder_create(lode_job *job, decoder **out, decode_kind kind);
void decoder_free(decoder *d);

/* Unpacks as much as is there and fits; *n receives the bytes written. PARSE: the data is damaged,
 * and *damage says how; else it stays as it is. UNSUPPORTED: a window has more than DECODE_MOST. */
LODE_NODISCARD lode_status decoder_run(decoder *d, decode_window *in, char *out, size_t room,
                                       size_t *n, const char **damage);

/* Whether the input may end here: not inside a member or frame. */
bool decoder_may_end(const decoder *d);

const char *decoder_name(const decoder *d);

#endif
