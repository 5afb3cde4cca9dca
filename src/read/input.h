/* input.h - any input as blocks of whole lines, for several threads
 *
 * What:  opens a file, standard input or memory, unpacks gzip and zstd (detected by content), and
 *        returns blocks that begin and end at line ends.
 *
 *          bytes of the file   aaaa\nbbbbbb\ncc | c\nddd\n …
 *          blocks              aaaa\nbbbbbb\n     ccc\nddd\n …       "cc" was carried over
 *
 * Why:   reading and unpacking are serial, parsing is not: the thread that requests a block fills
 *        its own buffer under the lock, so the text is in its cache when it parses.
 * Rules: a block has INPUT_PAD readable bytes after its text, the first of which is a newline, so
 *        that parsers need not check for the end. A line longer than a block makes the block grow.
 * Parts: the file is divided into n equal byte ranges; part k (from 0) has the lines that begin in
 *        the k-th range. Here lines end at LF only. If records have several lines,
 *        input_set_mark() says how their first line begins.
 * Threads: input_next() may be called by several threads; all other functions only before its first
 *        call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_INPUT_H
#define LODE_READ_INPUT_H

#include "base/vec.h"
#include "read/line_ends.h"
#include "runtime/job.h"

#define INPUT_PAD         64
#define INPUT_BLOCK       ((size_t)256 << 10)
#define INPUT_BLOCK_LEAST ((size_t)4 << 10)

typedef struct input input;

/* What one thread parses; all zero is a valid empty one. input_next() reuses its buffer. */
typedef struct input_block {
    vec_char text;
    uint64_t sequence; /* 0, 1, 2, … */
} input_block;

/* Finds the ends of records, in a text that begins with a record: returns the length of the first
 * record, or of all complete records, including the line end; 0 if none is complete. */
typedef size_t (*input_cut_fn)(const char *text, size_t n, char separator, cut_what what);

/* For records that end at every line end; see line_ends.h. */
size_t input_cut_lines(const char *text, size_t n, char separator, cut_what what);

/* Errors: NOTFOUND, IO, PARSE (damaged compressed data), NOMEM, BUDGET. */
LODE_NODISCARD lode_status input_open(lode_job *job, input **out, const char *path);
LODE_NODISCARD lode_status input_open_memory(lode_job *job, input **out, const void *text, size_t n,
                                             const char *name);
/* Checks that a file can be opened. *bytes: its length, UINT64_MAX = unknown before it is read.
 * Errors: NOTFOUND. */
LODE_NODISCARD lode_status input_check(lode_job *job, const char *path, uint64_t *bytes);
void input_close(input *in);
/* Whether the input can be read a second time: a file can, a pipe cannot. */
bool input_can_repeat(const char *path);

/* The name to use in messages. */
const char *input_name(const input *in);
/* Bytes of the file read so far, and in total (0 = unknown). Any thread. */
uint64_t input_bytes_done(const input *in);
uint64_t input_bytes_total(const input *in);

/* How the blocks are cut; by default, lines of INPUT_BLOCK bytes. */
void input_set_cut(input *in, input_cut_fn cut, char separator);
void input_set_block_bytes(input *in, size_t bytes);

/* Makes each part begin with a line that starts with this letter and a blank; lines before the
 * first such line belong to the first part. Call it before input_set_part(). */
void input_set_mark(input *in, char mark);
/* Restricts the input to a part of what was not taken yet. Errors: INVALID; UNSUPPORTED if it is
 * compressed, UTF-16 or not seekable. */
LODE_NODISCARD lode_status input_set_part(input *in, unsigned part, unsigned n_parts);
/* The number of lines taken by input_take_record(). */
uint64_t input_lines_taken(const input *in);
/* Counts the lines of the file before the first block, for messages. Afterwards the input can only
 * be closed. */
LODE_NODISCARD lode_status input_lines_before(input *in, uint64_t *lines);

/* Lends the text that comes next: at least `bytes` of it, unless the input ends earlier. *complete:
 * it is all of the rest. */
LODE_NODISCARD lode_status input_peek(input *in, size_t bytes, const char **text, size_t *n,
                                      bool *complete);
/* Lends the next record, including its line end; *n is 0 at the end. The second function also moves
 * past it. */
LODE_NODISCARD lode_status input_peek_record(input *in, const char **text, size_t *n);
LODE_NODISCARD lode_status input_take_record(input *in, const char **text, size_t *n);

/* Fills the block; its text is empty at the end of the input. */
LODE_NODISCARD lode_status input_next(input *in, input_block *block);

#endif
