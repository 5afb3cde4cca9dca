/* arrow.h - tables as Arrow IPC files: written batch by batch, mapped and read without parsing
 *
 * Supports what the stores of lode need, readable by any Arrow reader: columns without nulls,
 * little-endian, uncompressed, with lists of names as codes of a dictionary.
 *
 *     "ARROW1"  schema  dictionaries  batch  batch  …  footer  length  "ARROW1"
 *
 * The footer has the position of each batch, and lode's own keys ("lode.kind", "lode.rows", …; see
 * docs/output.md). These include the number of rows of each batch, so that opening a file reads
 * only its footer, however long it is.
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
    ARROW_LIST, /* of u32: list<uint32> */
    ARROW_NAMES /* list<dictionary<int32, utf8>> */
} arrow_type;

typedef struct arrow_column {
    const char *name;
    arrow_type type;
    uint32_t dictionary; /* for ARROW_NAMES: its number */
} arrow_column;

/* Concatenated names, as in lode_dataset_item_names(). */
typedef struct arrow_dictionary {
    uint64_t n;
    const uint64_t *offsets; /* n + 1 */
    const char *text;
} arrow_dictionary;

/* Key and value of the schema's metadata. */
typedef struct arrow_key {
    const char *key, *value;
} arrow_key;

/* Keys that the writer adds and the reader needs: the rows of the file and of each batch, and the
 * kind of checksums. */
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

/* The cells of a column in a batch. Lists and texts have offsets, one more than rows, from 0. */
typedef struct arrow_cells {
    const int32_t *offsets;
    const void *values; /* u32, u64, double, char or int32_t codes */
    uint32_t n_values;  /* of lists and texts, when reading: of all rows together */
} arrow_cells;

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct arrow_table {
    const arrow_column *columns;
    uint32_t n_columns;
    const arrow_dictionary *dictionaries;
    uint32_t n_dictionaries;
    const arrow_key *keys; /* known at the start; others are added by arrow_write_end() */
    uint32_t n_keys;
} arrow_table;

typedef struct arrow_writer arrow_writer;

/* Strings of the table are copied; dictionaries are written at once. `to` is open, and stays the
 * caller's. */
LODE_NODISCARD lode_status arrow_write_begin(lode_job *job, output *to, const arrow_table *table,
                                             arrow_writer **out);
/* Writes one batch of rows, given the cells of each column. One thread at a time. */
LODE_NODISCARD lode_status arrow_write_batch(arrow_writer *w, uint32_t n_rows,
                                             const arrow_cells *cells);
/* Drops all batches: the caller truncates the output to its length after arrow_write_begin(). */
void arrow_write_restart(arrow_writer *w);
/* Writes the footer, with more keys. */
LODE_NODISCARD lode_status arrow_write_end(arrow_writer *w, const arrow_key *keys, uint32_t n_keys);
void arrow_write_free(arrow_writer *w);

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct arrow_file arrow_file;

/* Maps a file that lode has written; reads only its two ends. Errors: NOTFOUND, IO, PARSE (damaged,
 * truncated, not Arrow, or not lode's: one sentence says which), NOMEM, BUDGET. */
LODE_NODISCARD lode_status arrow_open(lode_job *job, const char *path, arrow_file **out);
/* The same for a file in memory, aligned to 8 bytes and lent until it is closed: for tests and
 * fuzzers. */
LODE_NODISCARD lode_status arrow_open_memory(lode_job *job, const void *bytes, size_t n,
                                             arrow_file **out);
void arrow_close(arrow_file *f);

/* Whether a read has failed, because the file was truncated or the disk failed: bytes from there on
 * are zero. Needs mapped_guard(); without it the process ends. Cheap; any thread. */
bool arrow_is_lost(const arrow_file *f);
/* Whether what was read so far can be trusted: IO if a read failed, or the file was changed since
 * it was opened. The message replaces that of an earlier failure, which may be a consequence. */
LODE_NODISCARD lode_status arrow_check(const arrow_file *f);

uint32_t arrow_n_columns(const arrow_file *f);
/* Lent until the file is closed. */
const arrow_column *arrow_column_at(const arrow_file *f, uint32_t i);
/* The column with a name; UINT32_MAX if there is none. */
uint32_t arrow_column_find(const arrow_file *f, const char *name);
uint64_t arrow_n_rows(const arrow_file *f);
uint32_t arrow_n_batches(const arrow_file *f);
uint64_t arrow_batch_first(const arrow_file *f, uint32_t batch); /* row */
uint32_t arrow_batch_rows(const arrow_file *f, uint32_t batch);
/* The batch of a row; the number of batches, for rows past the end. */
uint32_t arrow_batch_of(const arrow_file *f, uint64_t row);
uint32_t arrow_n_dictionaries(const arrow_file *f);
/* The value of a metadata key; NULL if there is none. */
const char *arrow_key_value(const arrow_file *f, const char *key);

/* Whether the file has checksums; older versions wrote none. */
bool arrow_has_checksums(const arrow_file *f);

/* The cells of one column in one batch, checked: they lie within the file, match their checksum (if
 * there is one), offsets ascend from 0 and end within the values, codes are within the dictionary.
 * `check` false: everything but the first was checked before. Any thread. Errors: PARSE. */
LODE_NODISCARD lode_status arrow_cells_at(const arrow_file *f, uint32_t batch, uint32_t column,
                                          bool check, arrow_cells *out);
/* The position and length of a list or text among the values of all rows. If the file was truncated
 * after the check, a list that is now invalid is empty. */
typedef struct arrow_list {
    uint32_t first, n;
} arrow_list;

static inline arrow_list arrow_list_at(const arrow_cells *cells, uint32_t row) {
    uint32_t first = (uint32_t)MAPPED_READ(cells->offsets[row]);
    uint32_t end = (uint32_t)MAPPED_READ(cells->offsets[row + 1]);
    bool fine = first <= end && end <= cells->n_values;
    return fine ? (arrow_list){first, end - first} : (arrow_list){0, 0};
}

/* The names of a dictionary, checked at the first call: n, and the bytes of the i-th, lent. A
 * missing dictionary is empty. */
LODE_NODISCARD lode_status arrow_names(arrow_file *f, uint32_t dictionary, uint64_t *n);
const char *arrow_name(const arrow_file *f, uint32_t dictionary, uint64_t i, size_t *bytes);

#endif
