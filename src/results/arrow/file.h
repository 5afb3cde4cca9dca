/* file.h - an Arrow file that is open: what its footer says
 *
 * Opening looks at the two ends of the file and at the footer, where columns and keys come before
 * the places of the batches. These are looked at when they are needed, and checked then, each time:
 * that costs next to nothing, and nothing is remembered that a hostile file could contradict. Texts
 * of the footer are copied, as the file may be cut while it is open (base/mapped.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_FILE_H
#define LODE_RESULTS_ARROW_FILE_H

#include "base/mapped.h"
#include "results/arrow/metadata.h"

typedef struct file_column {
    arrow_column column;
    uint32_t first_node, first_buffer; /* in a batch */
} file_column;

/* Batches of the same number of rows, one after the other. */
typedef struct file_run {
    uint32_t rows, first_batch;
    uint64_t first_row;
} file_run;

/* Names that have been checked; the rest is right once `ready` is set. */
typedef struct file_names {
    _Atomic bool ready;
    uint64_t n;
    arrow_cells texts;
} file_names;

struct arrow_file {
    lode_job *job;
    const unsigned char *bytes;
    uint64_t n_bytes;
    mapped map; /* all zero: a file in memory */
    char *name; /* what messages call it */
    mem_kept kept;
    uint64_t body_end; /* where the footer begins */
    file_column *columns;
    uint32_t n_columns, n_nodes, n_buffers;
    arrow_key *keys;
    uint32_t n_keys;
    flat_list batches, dictionaries; /* blocks */
    flat_list sums;                  /* digits of checksums; `at` 0: there are none */
    uint32_t n_batches;
    file_run *runs;
    size_t n_runs;
    uint64_t n_rows;
    file_names *names; /* by dictionary; filled in under the lock */
    pthread_mutex_t lock;
};

/* The file is not what it should be. Returns PARSE. */
lode_status file_damaged(const arrow_file *f, const char *what);
/* Whether a checksum is the i-th of the file; true if it has none. */
bool file_sum_fits(const arrow_file *f, size_t i, uint64_t sum);
/* It does not fit: `what` is not what was written. Returns PARSE. */
lode_status file_changed(const arrow_file *f, const char *what);

/* Reads columns, keys and rows out of the footer, which ends at byte `end`. */
LODE_NODISCARD lode_status file_read_footer(arrow_file *f, uint64_t start, uint64_t end);

#endif
