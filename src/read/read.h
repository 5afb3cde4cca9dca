/* read.h - the task of reading files into one data set, and the interface of a format
 *
 * What:  read_run() gives blocks of lines to every thread, and the format's parse() writes them to
 *        the thread's builder_worker. To add a format, add a file and a line in the table of
 *        read.c.
 * Files: several files are read one after the other (read_files.c). The thread that reaches the end
 *        of a file opens the next file, while other threads still parse blocks of the previous one.
 *        So the data about a file (read_file) are kept until the end, and blocks are numbered
 *        across files.
 * Errors: a parser reports the first malformed place of its block with read_bad() (read_files.c).
 *        The error of the earliest block is reported, so the message does not depend on the number
 *        of threads: blocks are assigned in order, and all blocks before a malformed one are parsed
 *        to their end.
 * Calls: read.c calls read_files.c and the formats. The formats call read_files.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_READ_H
#define LODE_READ_READ_H

#include "data/transactions/builder.h"
#include "read/arrays.h"
#include "read/census.h"
#include "read/csv.h"
#include "read/input.h"
#include "read/row_options.h"
#include "read/sniff.h"
#include "results/arrow/adbc.h"

#define READ_WHAT_BYTES 200
/* The message about a row without a transaction. Its argument is the column. */
#define READ_NO_TID                                                                                \
    "no transaction; expected its name or number (--drop-rows '%.*s=' skips such rows; "           \
    "--skip-bad-lines skips all malformed rows)"
#define READ_BLANK                                                                                 \
    "blank line; blank lines are allowed only at the end; --skip-bad-lines skips them"

/* A source to read: `text` in memory or an Arrow stream, if it is given, or the file `name`. */
typedef struct read_source {
    const char *name; /* the path */
    const void *text;
    size_t bytes;
    struct ArrowArrayStream *stream;
} read_source;

/* Data about a file. */
struct read_file {
    const char *name; /* for messages */
    sniff_result found;
    /* number of lines above the first line of data, such as "sep=;" or a title */
    uint64_t lines_above;
    /* number of lines before the first block; set when the file has been read */
    uint64_t lines_before;
    uint64_t first, end; /* numbers of its blocks; `end` is set when the file has been read */
    rows_columns rows;   /* columns by which rows are dropped, and the column of weights */
    bool is_arrays;      /* the file is an Arrow table: places are rows (arrays.h) */
    bool lists;          /* its transactions are the lists in this column */
    size_t list_column;
    bool *needed;    /* which columns of an Arrow table are used; NULL = all */
    size_t n_needed; /* 0, or the number of columns */
    /* for JSON in one list: the start of the next block, counted from 0 */
    uint64_t at_line, at_column;
    void *own; /* the format's own */
};

/* The data of one thread. */
struct read_worker {
    read_task *task;
    builder_worker *out;
    unsigned index;
    const read_file *file; /* of the block */
    input_block block;     /* the block; its number counts across all files */
    uint64_t bytes_done;   /* bytes of all files that were read when the block was requested */
    size_t n_lines;        /* LFs in the block */
    vec_char unquoted;     /* for csv.h */
    vec_char item;         /* an item that is made of parts */
    vec_u32 split;         /* codes of the items of one cell */
    vec_char kept;         /* copy of a field that is needed after the next one is read */
    bool bad;              /* the worker has found a malformed line */
    bool bare;             /* a line of the block may end with a CR alone */
    const char *blank; /* the first of `n_blank` blank lines with no other line after them yet */
    uint64_t n_blank;
    uint64_t n_totals;     /* lines of totals that were skipped */
    uint64_t n_drawn;      /* rulers, and lines such as (3 rows affected), that were skipped */
    rows_state rows;       /* options' results for the current record */
    arrays_worker *arrays; /* the rows of the block, if the file is an Arrow table */
    /* for JSON in one list: the start of the block, counted from 0 */
    uint64_t from_line, from_column;
    void *own; /* the format's own */
};

typedef struct read_format {
    const char *name;
    lode_format format;
    bool separated; /* the fields of the format have a separator and quotes */
    bool parts;     /* the format can be read in parts */
    /* transactions may begin in an earlier block, so a block cannot be parsed a second time */
    bool joins;
    /* Takes the header lines of task->file. Called before the first block of the file is parsed;
     * calls do not overlap. NULL = the format has no header. */
    lode_status (*prepare)(read_task *task);
    lode_status (*parse)(read_worker *w);
    /* Called once after all blocks; NULL = not needed. */
    lode_status (*finish)(read_task *task);
    /* Replaces the data set that was read by another; NULL = not needed. */
    lode_status (*refine)(read_task *task, lode_dataset **data);
    /* Frees the format's data in the task and its workers. NULL = it has none. */
    void (*clear)(read_task *task);
    /* Frees the format's data in a file. NULL = it has none. */
    void (*clear_file)(read_task *task, read_file *file);
} read_format;

extern const read_format read_fimi, read_spmf, read_basket, read_table, read_onehot, read_json;
extern const read_format read_attributes;
extern const read_format read_json_pairs; /* for JSON records that are (transaction, item) pairs */
extern const read_format read_lists;      /* for lists in a column of an Arrow table */

struct read_task {
    lode_job *job;
    builder *builder;
    const read_format *format;
    lode_read_options options;
    const read_source *sources;
    read_file *files; /* one for each source */
    size_t n_files;
    vec_char name; /* "A and 2 other files", for messages, with a terminating zero */
    size_t block_bytes;
    rows_plan *rows;      /* which rows to drop, and weights; NULL = neither */
    census *census;       /* sees all cells, and all rows that are dropped; NULL = none */
    uint64_t n_lost;      /* for formats that join: number of transactions that lost all rows */
    uint64_t bytes_total; /* bytes of all files; 0 = unknown */

    pthread_mutex_t next_lock; /* guards the fields up to header_bare; prepare() runs under it */
    input *in;                 /* the open input of `file` */
    arrays_source *arrays;     /* if it is an Arrow table; `in` then has its first rows as CSV */
    input *arrays_in;          /* the Arrow file; NULL = a stream */
    adbc *query;               /* whose result the Arrow table is; NULL = none */
    vec_char sample;           /* the text of `in`, if it is an Arrow table */
    read_file *file;           /* the current file; NULL before the first */
    /* the first file that is not empty; all other files must have its format and columns */
    read_file *kind;
    size_t next;           /* the source to open next */
    uint64_t n_blocks;     /* number of blocks given to workers so far */
    uint64_t bytes_before; /* bytes of the files that were read completely */
    bool stopped;
    bool open_failed; /* a file after the first could not be opened, or is of another type */
    vec_char header;  /* the lines above the data in the first of several files */
    vec_char header_scratch;
    bool header_bare;

    char columns[LODE_PROFILE_COLUMNS]; /* names of the columns used */
    char sheet[LODE_PROFILE_SHEET];     /* name of the sheet of `kind`, or "" */
    unsigned n_workers;
    read_worker *workers;
    void *own; /* the format's own */

    pthread_mutex_t lock; /* guards the fields below */
    vec_u64 lines;        /* by parsed block: number of its lines */
    vec_u64 blanks;       /* by parsed block: number of blank lines at its end */
    /* a malformed place was found; the fields below describe the earliest one */
    bool failed;
    const read_file *bad_file;
    uint64_t bad_sequence, bad_line, bad_column;
    bool bad_is_absolute; /* the line counts from the beginning of the file */
    char what[READ_WHAT_BYTES];
};

/* Describes the columns of a table as JSON, which include/lode/data.h describes, without making a
 * data set. Other formats have no columns. */
LODE_NODISCARD lode_status read_columns(lode_job *job, const read_source *source,
                                        const lode_read_options *options, vec_char *json);

/* Reads all sources into one data set. `block_bytes` 0 = the budget determines the length of
 * blocks. */
LODE_NODISCARD lode_status read_run(lode_job *job, const read_source *sources, size_t n_sources,
                                    const lode_read_options *options, size_t block_bytes,
                                    lode_dataset **out);

/* ---- read_files.c: several files, one after the other ---------------------------------------- */

/* Whether the path means that a query (options->sql) needs no database. */
bool read_is_query(const lode_read_options *options, const char *path);
/* Opens the first file that is not empty, and recognises its format. */
LODE_NODISCARD lode_status read_open_first(read_task *task);
/* Skips the lines above the data, and lets the format read its header. */
LODE_NODISCARD lode_status read_prepare(read_task *task);
/* Takes the next block, and opens the next file when a file ends. The block is empty at the end of
 * the last file. */
LODE_NODISCARD lode_status read_next(read_worker *w);
/* Makes every later read_next() report the end. */
void read_stop(read_task *task);
/* The bytes of the current file that were read. */
uint64_t read_bytes_done(const read_task *task);
void read_close_input(read_task *task);
/* Closes the table and the query whose result it is, when all rows have been parsed. */
void read_close_query(read_task *task);
/* Counts the lines of a file before its first block. Afterwards the inputs can only be closed. */
LODE_NODISCARD lode_status read_lines_before(read_task *task, const read_file *file,
                                             uint64_t *lines);
/* Converts a line number in a block, counted from 1, to a line number in the file (for JSON in one
 * list, it already is one). Errors: as read_lines_before(). */
LODE_NODISCARD lode_status read_absolute_line(read_task *task, const read_file *file,
                                              uint64_t sequence, uint64_t line, uint64_t *out);
/* Returns INVALID, with a message that names task->file and the first file, which differ. */
lode_status read_differs(read_task *task, const char *format, ...) LODE_PRINTF(2, 3);
/* Returns whether task->file is not the first of several files. */
static inline bool read_is_later(const read_task *task) {
    return task->file != task->kind;
}

/* ---- read_files.c: for the formats ----------------------------------------------------------- */

/* Reports that the line at `at` in the worker's block is malformed. With skip_bad_lines, drops the
 * current transaction and returns OK, and the parser continues with the next line. Otherwise
 * returns PARSE. */
lode_status read_bad(read_worker *w, const char *at, const char *format, ...) LODE_PRINTF(3, 4);

/* Reports a malformed place after which the rest of the file cannot be parsed. Returns PARSE. */
lode_status read_bad_for_good(read_worker *w, const char *at, const char *what);

/* Formats that allow blank lines only at the end call this function for each blank line. Rows of a
 * sheet may be blank anywhere. */
void read_note_blank(read_worker *w, const char *at);
/* These formats call this function for each line that is not blank: blank lines before it are then
 * malformed. */
LODE_NODISCARD lode_status read_not_blank(read_worker *w);

/* Skips and counts a record that no program would write as data (csv_is_drawn), and returns whether
 * it did. Called after csv_begin(). */
bool read_passes_drawn(read_worker *w, csv_cursor *c);
/* The same, where nearly all records begin with another character. */
static inline bool read_is_drawn(read_worker *w, csv_cursor *c) {
    return (*c->record == '-' || *c->record == '(') && read_passes_drawn(w, c);
}

/* Returns a cursor over the records of the worker's block. */
csv_cursor read_cursor(read_worker *w);
/* Calls read_bad() for an error of this cursor. */
lode_status read_bad_record(read_worker *w, csv_cursor *c);
/* Calls `record` for each record of the worker's block. The function is inline, so that compilers
 * can inline `record`, too. */
static inline lode_status read_records(read_worker *w,
                                       lode_status (*record)(read_worker *, csv_cursor *)) {
    lode_status status = LODE_OK;
    csv_cursor c = read_cursor(w);
    while (status == LODE_OK && csv_begin(&c)) {
        status = record(w, &c);
        if (status == LODE_PARSE && c.bad) status = read_bad_record(w, &c);
    }
    return status;
}
/* Ends the transaction of a record as its cells require (row_options.h): drops the transaction, or
 * gives it its weight and, if note->named is set, the id in w->kept. */
LODE_NODISCARD lode_status read_end_noted(read_worker *w, csv_cursor *c, builder_note *note);

/* Returns a cursor over the header of task->file, for prepare(). */
csv_cursor read_cursor_over(read_task *task, const char *text, size_t n);
/* Reports an error of this cursor. Returns PARSE. */
lode_status read_bad_header(read_task *task, const csv_cursor *c);

/* Adds a column to the list in the profile, by its name or, if it has no name, by its number. Does
 * nothing for files after the first. */
void read_note_column(read_task *task, size_t column, const char *name, size_t n);

/* Reports a malformed place of task->file outside of the blocks, such as in a header line. */
lode_status read_bad_at(read_task *task, uint64_t line, uint64_t column, const char *format, ...)
    LODE_PRINTF(4, 5);
/* Reports a malformed place of any file outside of the blocks. */
lode_status read_bad_in(read_task *task, const read_file *file, uint64_t line, uint64_t column,
                        const char *what);

/* Describes a byte for a message, such as 'x' or 0x07. */
const char *read_byte(char buffer[8], char byte);

#endif
