/* file.h - an open Arrow file: the content of its footer
 *
 * Opening a file reads its two ends and the first part of the footer, which has columns and keys.
 * The positions of the batches are read when they are needed, and checked each time. This costs
 * next to nothing, and a file that changes cannot contradict a cached value. Strings of the footer
 * are copied, because the file may be truncated while it is open (base/mapped.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_FILE_H
#define LODE_RESULTS_ARROW_FILE_H

#include "base/mapped.h"
#include "results/arrow/metadata.h"

typedef struct file_column {
    arrow_column column;
    uint32_t first_node, first_buffer; /* index of the column's first node and buffer in a batch */
} file_column;

/* Consecutive batches with the same number of rows. */
typedef struct file_run {
    uint32_t rows, first_batch;
    uint64_t first_row;
} file_run;

/* Names that were checked. The other fields are valid when `ready` is set. */
typedef struct file_names {
    _Atomic bool ready;
    uint64_t n;
    arrow_cells texts;
} file_names;

struct arrow_file {
    lode_job *job;
    const unsigned char *bytes;
    uint64_t n_bytes;
    mapped map; /* all zero = a file in memory */
    char *name; /* the name of the file in messages */
    mem_kept kept;
    uint64_t body_end; /* start of the footer */
    file_column *columns;
    uint32_t n_columns, n_nodes, n_buffers;
    arrow_key *keys;
    uint32_t n_keys;
    flat_list batches, dictionaries; /* lists of blocks, in the file */
    flat_list sums;                  /* the digits of the checksums; `at` 0 = there are none */
    uint32_t n_batches;
    file_run *runs; /* the rows of all batches */
    size_t n_runs;
    uint64_t n_rows;
    file_names *names; /* names by dictionary; filled in under the lock */
    pthread_mutex_t lock;
};

/* Records a message about a damaged file, and returns PARSE. */
lode_status file_damaged(const arrow_file *f, const char *what);
/* Returns whether `sum` equals the i-th checksum of the file; true if the file has no checksums. */
bool file_sum_fits(const arrow_file *f, size_t i, uint64_t sum);
/* Records a message about a wrong checksum of `what`, and returns PARSE. */
lode_status file_changed(const arrow_file *f, const char *what);

/* Reads columns, keys and rows from the footer, which ends at byte `end`. */
LODE_NODISCARD lode_status file_read_footer(arrow_file *f, uint64_t start, uint64_t end);

#endif
