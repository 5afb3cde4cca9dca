/* input.h - divides any input into blocks of whole lines, for several threads
 *
 * What:  opens a file, standard input or memory, unpacks gzip and zstd, turns sheets of workbooks
 *        into text (all detected by content), and returns blocks that begin and end at line ends.
 *
 *          bytes of the file   aaaa\nbbbbbb\ncc | c\nddd\n …
 *          blocks              aaaa\nbbbbbb\n     ccc\nddd\n …       "cc" was carried over
 *
 * Why:   reading and unpacking are serial, but parsing is parallel. The thread that requests a
 *        block fills its own buffer under the lock, so the text is in this core's cache when the
 *        thread parses it.
 * Rules: a block has INPUT_PAD readable bytes after its text, the first of which is a newline, so
 *        that parsers need not check for the end. If a line is longer than a block, the block
 *        grows.
 * Parts: the file is divided into n equal byte ranges; part k (from 0) has the lines that begin in
 *        the k-th range. In parts, lines end only at LF. If records have several lines,
 *        input_set_mark() sets how the first line of a record begins.
 * Threads: several threads may call input_next(). All other functions may only be called before the
 *          first call of input_next().
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
struct workbook_source;

/* The text that one thread parses. A block that is all zero is valid and empty. input_next() reuses
 * its buffer. */
typedef struct input_block {
    vec_char text;
    uint64_t sequence; /* 0, 1, 2, … */
} input_block;

/* Finds the end of a record in a text that begins with a record. Returns the length of the first
 * record or of all complete records, as `what` says, including the line end; 0 if no record is
 * complete. */
typedef size_t (*input_cut_fn)(const char *text, size_t n, char separator, cut_what what);

/* The input_cut_fn for records of one line; see line_ends.h. */
size_t input_cut_lines(const char *text, size_t n, char separator, cut_what what);

/* Opens a file, or standard input. Errors: NOTFOUND, IO, PARSE (damaged compressed data, or not
 * text), NOMEM, BUDGET. */
LODE_NODISCARD lode_status input_open(lode_job *job, input **out, const char *path);
LODE_NODISCARD lode_status input_open_memory(lode_job *job, input **out, const void *text, size_t n,
                                             const char *name);
/* A file, or `text` in memory. */
typedef struct input_place {
    const char *name; /* the path, or the name of the text for messages */
    const void *text; /* NULL = the file `name` */
    size_t bytes;
} input_place;
/* Opens a file or text that may also be a workbook (workbook.h), of which the sheet of this name or
 * number is read (NULL = the first one), or an Arrow file (ipc.h). The functions above refuse
 * both. */
LODE_NODISCARD lode_status input_open_table(lode_job *job, input **out, const input_place *place,
                                            const char *sheet);
/* Reads from a descriptor, which stays open; `name` is used in messages. Errors: as above, without
 * NOTFOUND. */
LODE_NODISCARD lode_status input_open_pipe(lode_job *job, input **out, int fd, const char *name);
/* Returns whether the input is an Arrow file: read its bytes with input_take_bytes(). */
bool input_is_arrow(const input *in);
/* Appends the next n bytes; fewer at the end of the input. */
LODE_NODISCARD lode_status input_take_bytes(input *in, vec_char *to, size_t n);
/* Checks that a file can be opened. *bytes receives its length; UINT64_MAX = unknown before it is
 * read. Errors: NOTFOUND. */
LODE_NODISCARD lode_status input_check(lode_job *job, const char *path, uint64_t *bytes);
void input_close(input *in);
/* Returns whether the input can be read a second time: a file can, but a pipe cannot. */
bool input_can_repeat(const char *path);

/* Returns the name to use in messages. */
const char *input_name(const input *in);
/* Returns the name of the sheet that is read; NULL = the input is not a workbook. */
const char *input_sheet(const input *in);
/* Returns the number of bytes of the file read so far. Any thread may call it. */
uint64_t input_bytes_done(const input *in);
/* Returns the length of the file in bytes; 0 = unknown. Any thread may call it. */
uint64_t input_bytes_total(const input *in);

/* Returns whether the whole text fits into one block of this length; false = unknown. */
bool input_is_one_block(const input *in, size_t block_bytes);

/* Sets how to find the end of the last record in a block. By default, a record is a line. */
void input_set_cut(input *in, input_cut_fn cut, char separator);
/* Sets the length of blocks; the default is INPUT_BLOCK. */
void input_set_block_bytes(input *in, size_t bytes);

/* Makes each part begin with a line that starts with this letter and a blank; lines before the
 * first such line belong to the first part. Must be called before input_set_part(). */
void input_set_mark(input *in, char mark);
/* Restricts the input to one part of the text that was not taken yet. Errors: INVALID; UNSUPPORTED
 * if the input is compressed, UTF-16, a workbook or not seekable. */
LODE_NODISCARD lode_status input_set_part(input *in, unsigned part, unsigned n_parts);
/* Returns the number of lines taken by input_take_record(). */
uint64_t input_lines_taken(const input *in);
/* Counts the lines of the file before the first block, for messages. Afterwards the input can only
 * be closed. */
LODE_NODISCARD lode_status input_lines_before(input *in, uint64_t *lines);

/* Lends the next text: at least `bytes` bytes, unless the input ends earlier. *complete receives
 * whether this is all of the remaining text. */
LODE_NODISCARD lode_status input_peek(input *in, size_t bytes, const char **text, size_t *n,
                                      bool *complete);
/* Lends the next record, including its line end. At the end of the input, *n becomes 0. */
LODE_NODISCARD lode_status input_peek_record(input *in, const char **text, size_t *n);
/* Lends the next record in the same way, and moves past it. */
LODE_NODISCARD lode_status input_take_record(input *in, const char **text, size_t *n);

/* Fills the block. At the end of the input, its text becomes empty. */
LODE_NODISCARD lode_status input_next(input *in, input_block *block);

#endif
