/* arrow.h - tables as Arrow IPC files, which are written batch by batch, mapped, and read without
 * parsing
 *
 * The code supports the part of Arrow that lode's stores need. Any Arrow reader can read the files.
 * Columns have no nulls, and are little-endian and uncompressed; lists of names are stored as codes
 * of a dictionary.
 *
 *     "ARROW1"  schema  dictionaries  batch  batch  …  footer  length  "ARROW1"
 *
 * The footer has the position of each batch, and lode's own keys ("lode.kind", "lode.rows", …; see
 * docs/output.md). The keys include the number of rows of each batch, so that opening a file reads
 * only its two ends, however long the file is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_ARROW_H
#define LODE_RESULTS_ARROW_ARROW_H

#include "base/mapped.h"
#include "runtime/job.h"
#include "runtime/output.h"

typedef enum arrow_type {
    ARROW_U32,
    ARROW_U64,
    ARROW_F64,
    ARROW_TEXT, /* utf8 */
    ARROW_LIST, /* list<uint32> */
    ARROW_NAMES /* list<dictionary<int32, utf8>> */
} arrow_type;

typedef struct arrow_column {
    const char *name;
    arrow_type type;
    uint32_t dictionary; /* for ARROW_NAMES: the number of the dictionary */
} arrow_column;

/* Concatenated names, as in lode_dataset_item_names(). */
typedef struct arrow_dictionary {
    uint64_t n;
    const uint64_t *offsets; /* n + 1 */
    const char *text;
} arrow_dictionary;

/* A key and its value in the schema's metadata. */
typedef struct arrow_key {
    const char *key, *value;
} arrow_key;

/* Keys that the writer adds and the reader needs: the number of rows of the file and of each batch,
 * and checksums. The key of the checksums occurs twice: in the schema's metadata, its value is the
 * kind of checksums (ARROW_CHECKSUMS); in the footer's metadata, its value is the checksums. */
#define ARROW_KEY_ROWS       "lode.rows"
#define ARROW_KEY_BATCH_ROWS "lode.batch_rows"
#define ARROW_KEY_CHECKSUMS  "lode.checksums"
#define ARROW_CHECKSUMS      "1"
/* Keys of results; docs/output.md explains them. */
#define ARROW_KEY_KIND        "lode.kind"
#define ARROW_KEY_VERSION     "lode.version"
#define ARROW_KEY_TOTAL       "lode.total"
#define ARROW_KEY_COMPLETE    "lode.complete"
#define ARROW_KEY_CONSTRAINED "lode.constrained"
#define ARROW_KEY_JOBS        "lode.jobs"
#define ARROW_KEY_TARGET      "lode.target"
#define ARROW_KEY_MIN_COUNT   "lode.min_count"
#define ARROW_KEY_MIN_SIZE    "lode.min_size"
#define ARROW_KEY_MAX_SIZE    "lode.max_size"
#define ARROW_KEY_ORDER       "lode.order"
#define ARROW_KEY_TESTED      "lode.tested"
#define ARROW_KEY_ITEM_COUNTS "lode.item_counts"

/* The cells of a column in a batch. Lists and texts have one more offset than rows; the first
 * offset is 0. */
typedef struct arrow_cells {
    const int32_t *offsets;
    const void *values; /* u32, u64, double, char or int32_t codes */
    uint32_t n_values;  /* when reading lists and texts: number of values of all rows together */
} arrow_cells;

/* ---- writing --------------------------------------------------------------------------------- */

/* What is written: an Arrow file; an .xlsx file (sheet.h), without columns of lists of numbers, and
 * without a column of lists of names if a column of text has the same names; a Parquet file
 * (table_parquet.h). */
typedef enum arrow_form { ARROW_PLAIN, ARROW_SHEET, ARROW_PARQUET } arrow_form;

typedef struct arrow_table {
    const arrow_column *columns;
    uint32_t n_columns;
    const arrow_dictionary *dictionaries;
    uint32_t n_dictionaries;
    const arrow_key *keys; /* keys known at the start; arrow_write_end() adds others */
    uint32_t n_keys;
    arrow_form form;
} arrow_table;

typedef struct arrow_writer arrow_writer;

/* Begins a file. Strings of the table are copied, and dictionaries are written at once. `to` must
 * be open, and the caller keeps it. */
LODE_NODISCARD lode_status arrow_write_begin(lode_job *job, output *to, const arrow_table *table,
                                             arrow_writer **out);
/* Writes one batch of rows, given the cells of each column. Only one thread may call it at a
 * time. */
LODE_NODISCARD lode_status arrow_write_batch(arrow_writer *w, uint32_t n_rows,
                                             const arrow_cells *cells);
/* Drops all batches. The caller must truncate the output to the length that it had after
 * arrow_write_begin(). */
void arrow_write_restart(arrow_writer *w);
/* Writes the footer, with more keys. */
LODE_NODISCARD lode_status arrow_write_end(arrow_writer *w, const arrow_key *keys, uint32_t n_keys);
void arrow_write_free(arrow_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct arrow_file arrow_file;

/* Maps a file that lode has written, and reads only its two ends. Errors: NOTFOUND, IO, PARSE (the
 * message says whether the file is damaged, truncated, not Arrow, or not lode's), NOMEM, BUDGET. */
LODE_NODISCARD lode_status arrow_open(lode_job *job, const char *path, arrow_file **out);
/* Opens a file in memory, for tests and fuzzers. The bytes must be aligned to 8, and are lent until
 * the file is closed. */
LODE_NODISCARD lode_status arrow_open_memory(lode_job *job, const void *bytes, size_t n,
                                             arrow_file **out);
void arrow_close(arrow_file *f);

/* Returns whether a read has failed because the file was truncated or the disk failed. All bytes
 * after the failed position then read as zero. mapped_guard() must have been called; otherwise a
 * failed read ends the process. The call is cheap, and any thread may make it. */
bool arrow_is_lost(const arrow_file *f);
/* Returns OK if all data read so far can be trusted, and IO if a read failed or the file was
 * changed after it was opened. The message replaces that of an earlier failure, which may only be a
 * consequence of this one. */
LODE_NODISCARD lode_status arrow_check(const arrow_file *f);

uint32_t arrow_n_columns(const arrow_file *f);
/* Lends column i until the file is closed. */
const arrow_column *arrow_column_at(const arrow_file *f, uint32_t i);
/* Returns the column with a name; UINT32_MAX if there is none. */
uint32_t arrow_column_find(const arrow_file *f, const char *name);
uint64_t arrow_n_rows(const arrow_file *f);
uint32_t arrow_n_batches(const arrow_file *f);
uint64_t arrow_batch_first(const arrow_file *f, uint32_t batch); /* returns the first row */
uint32_t arrow_batch_rows(const arrow_file *f, uint32_t batch);
/* Returns the batch of a row. For rows past the end, returns the number of batches. */
uint32_t arrow_batch_of(const arrow_file *f, uint64_t row);
uint32_t arrow_n_dictionaries(const arrow_file *f);
/* Returns the value of a metadata key; NULL if there is no such key. */
const char *arrow_key_value(const arrow_file *f, const char *key);

/* Returns whether the file has checksums. Older versions wrote none. */
bool arrow_has_checksums(const arrow_file *f);

/* Lends the cells of one column in one batch, after these checks: the cells lie within the file;
 * they match their checksum (if there is one); offsets ascend from 0 and end within the values;
 * codes are within the dictionary. If `check` is false, all checks but the first are left out,
 * because they were made before. Any thread may call it. Errors: PARSE. */
LODE_NODISCARD lode_status arrow_cells_at(const arrow_file *f, uint32_t batch, uint32_t column,
                                          bool check, arrow_cells *out);
/* The position and length of a list or text among the values of all rows. If the file was truncated
 * after the check and a list is now invalid, the list is empty. */
typedef struct arrow_list {
    uint32_t first, n;
} arrow_list;

static inline arrow_list arrow_list_at(const arrow_cells *cells, uint32_t row) {
    uint32_t first = (uint32_t)MAPPED_READ(cells->offsets[row]);
    uint32_t end = (uint32_t)MAPPED_READ(cells->offsets[row + 1]);
    bool fine = first <= end && end <= cells->n_values;
    return fine ? (arrow_list){first, end - first} : (arrow_list){0, 0};
}

/* Sets *n to the number of names in a dictionary. The first call checks the names. A missing
 * dictionary is empty. */
LODE_NODISCARD lode_status arrow_names(arrow_file *f, uint32_t dictionary, uint64_t *n);
/* Lends the i-th name of a dictionary. arrow_names() must have been called. */
const char *arrow_name(const arrow_file *f, uint32_t dictionary, uint64_t i, size_t *bytes);

#endif
