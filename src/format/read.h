/* read.h - the job of reading files into one data set, and what a format has to provide
 *
 * What:  read_run() gives every thread blocks of lines and lets the format's parse() write them
 * into the thread's builder_worker. A format is one file and one line in the table of read.c.
 * Files: several are read one behind the other (read_files.c): the thread that comes to the end of
 *        one opens the next, while others still parse blocks of the one before. So what is known of
 *        a file (read_file) stays until the end, and blocks are numbered through.
 * Errors: a parser reports the first malformed place of its block with read_bad(). Of the blocks in
 *        work the earliest one wins, so the message does not depend on the number of threads:
 * blocks are handed out in order, hence all before it are parsed to their end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_READ_H
#define LODE_FORMAT_READ_H

#include "data/builder.h"
#include "format/csv.h"
#include "format/input.h"
#include "format/sniff.h"

#define READ_WHAT_BYTES 200

typedef struct read_task read_task;

/* What is to be read: a file, or text in memory if `text` is given. */
typedef struct read_source {
    const char *name; /* the path */
    const void *text;
    size_t bytes;
} read_source;

/* A file, as far as it is known. */
typedef struct read_file {
    const char *name; /* for messages */
    sniff_result found;
    uint64_t lines_above;  /* the first line that counts */
    uint64_t lines_before; /* the first block; set when the file has been read */
    uint64_t first, end;   /* its blocks among those of all files; `end` when it has been read */
    void *own;             /* what the format knows about it */
} read_file;

/* One thread's share of the job. */
typedef struct read_worker {
    read_task *task;
    builder_worker *out;
    unsigned index;
    const read_file *file; /* that the block is of */
    input_block block;     /* its number is that among the blocks of all files */
    uint64_t bytes_done;   /* of all files, when it was taken */
    size_t n_lines;        /* LFs in the block */
    vec_char unquoted;     /* for csv.h */
    vec_char kept;         /* a field that has to outlive the next */
    bool bad;              /* it has met a malformed line */
    bool bare;             /* a line end of the block may be a CR alone */
    const char *blank;     /* the first of the blank lines that may turn out to be the last ones */
    uint64_t n_blank;
    uint64_t n_totals; /* lines that add up the others, and were left out */
    void *own;         /* what the format keeps per thread */
} read_worker;

typedef struct read_format {
    const char *name;
    lode_format format;
    bool separated; /* fields with a separator and quotes */
    bool parts;     /* can be read in parts */
    /* Takes header lines of task->file; NULL = there are none. Before any block of that file is
     * parsed, and never twice at a time. */
    lode_status (*prepare)(read_task *task);
    /* Parses one block. */
    lode_status (*parse)(read_worker *w);
    /* Runs alone after all blocks; NULL = nothing left to do. */
    lode_status (*finish)(read_task *task);
    void (*clear)(read_task *task);
    void (*clear_file)(read_task *task, read_file *file); /* what prepare() has left in file->own */
} read_format;

extern const read_format read_fimi, read_spmf, read_basket, read_table, read_onehot;

struct read_task {
    lode_job *job;
    builder *builder;
    const read_format *format;
    lode_read_options options;
    const read_source *sources;
    read_file *files; /* one for each source */
    size_t n_files;
    vec_char name; /* of all of them, for messages, with a closing zero */
    size_t block_bytes;
    uint64_t bytes_total; /* of all files; 0 = unknown */

    pthread_mutex_t next_lock; /* guards what follows, as prepare() runs under it */
    input *in;                 /* of `file` */
    read_file *file;           /* that is read; NULL before the first */
    read_file *kind;           /* the first that is not empty: what it is, all are */
    size_t next;               /* the source to open next */
    uint64_t n_blocks;         /* that were handed out */
    uint64_t bytes_before;     /* of the files that have been read */
    bool stopped;
    bool open_failed; /* a file after the first could not be opened, or is of another kind */
    vec_char header;  /* lines of the first file above its data, where it may have any */
    vec_char header_scratch;
    bool header_bare;

    char columns[LODE_PROFILE_COLUMNS]; /* the names of those that were used */
    unsigned n_workers;
    read_worker *workers;
    void *own; /* what the format keeps for the job */

    pthread_mutex_t lock; /* guards what follows */
    vec_u64 lines;        /* lines of each block parsed */
    vec_u64 blanks;       /* and how many of them, at its end, are blank */
    bool failed;
    const read_file *bad_file; /* of the earliest malformed place */
    uint64_t bad_sequence, bad_line, bad_column;
    char what[READ_WHAT_BYTES];
};

/* Reads everything into a data set. `block_bytes` 0 = what suits the budget. */
LODE_NODISCARD lode_status read_run(lode_job *job, const read_source *sources, size_t n_sources,
                                    const lode_read_options *options, size_t block_bytes,
                                    lode_dataset **out);

/* read_files.c: opens the first file that is not empty, and finds out what it is; lets the format
 * prepare for it; takes the next block of whatever file, which is empty at the end of the last. */
LODE_NODISCARD lode_status read_open_first(read_task *task);
LODE_NODISCARD lode_status read_prepare(read_task *task);
LODE_NODISCARD lode_status read_next(read_worker *w);
/* Makes every later read_next() report the end. */
void read_stop(read_task *task);
/* Lines of a file before its first block. Ends the use of the inputs. */
LODE_NODISCARD lode_status read_lines_before(read_task *task, const read_file *file,
                                             uint64_t *lines);
/* task->file is not what the first file is. Returns INVALID, with both names. */
lode_status read_differs(read_task *task, const char *format, ...) LODE_PRINTF(2, 3);
/* Whether it is one of several, and not the first of them. */
static inline bool read_is_later(const read_task *task) {
    return task->file != task->kind;
}

/* A malformed line, found at `at` in the worker's block. With skip_bad_lines it takes back the
 * transaction in work and returns OK: the parser goes on with the next line. Else PARSE. */
lode_status read_bad(read_worker *w, const char *at, const char *format, ...) LODE_PRINTF(3, 4);

/* For formats in which blank lines are allowed only at the end: one was seen at `at`; one that is
 * not blank follows. */
void read_note_blank(read_worker *w, const char *at);
LODE_NODISCARD lode_status read_not_blank(read_worker *w);

/* The same for records of csv.h: a cursor over the worker's block; what csv_next() found malformed.
 */
csv_cursor read_cursor(read_worker *w);
lode_status read_bad_record(read_worker *w, csv_cursor *c);
/* And for the first record of the file, which prepare() has before it. */
csv_cursor read_cursor_over(read_task *task, const char *text, size_t n);
lode_status read_bad_header(read_task *task, const csv_cursor *c);

/* Adds the name of a column to those that the profile lists; one without a name has its number.
 * Those of the first file count. */
void read_note_column(read_task *task, size_t column, const char *name, size_t n);

/* A malformed place outside of the blocks, such as a header line. */
lode_status read_bad_at(read_task *task, uint64_t line, uint64_t column, const char *format, ...)
    LODE_PRINTF(4, 5);

/* Describes a byte for a message: 'x', or 0x07. */
const char *read_byte(char buffer[8], char byte);

#endif
