/* pairs.h - groups (transaction, item) pairs, in any order, into transactions
 *
 * What:  formats use this code if their records are pairs: long tables, and JSON objects with the
 *        same fields.
 * How:   while parsing, each thread numbers transactions in its own dictionary, and stores pairs
 *        (transaction, item code). At the end, pairs_finish() merges these numberings in the order
 *        of the file, sorts the pairs by transaction (a counting sort) and pushes the transactions
 *        through the first worker. So transactions are numbered by first appearance, and the pairs
 *        of a transaction may be anywhere, even in several files.
 * Rules: a pairs_state must be the first member of the format's task->own, and a pairs_worker the
 *        first member of the format's `own` of each worker.
 * Weights: all records of a transaction must have the same weight. Because several threads may
 *          parse these records, the weights are stored with their places and compared at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_PAIRS_H
#define LODE_READ_PAIRS_H

#include "read/read.h"

#define PAIRS_NO_ITEM UINT32_MAX

typedef struct pairs_pair {
    uint32_t transaction, item;
} pairs_pair;

/* The weight of a record, and its place in its block. */
typedef struct pairs_weight {
    uint32_t weight;
    uint32_t line, column;
} pairs_weight;

typedef struct pairs_block {
    pairs_pair *pairs;
    pairs_weight *weights; /* one per pair; NULL = none */
    size_t n;
    unsigned worker;
    uint64_t from_line, from_column; /* start of the block, if the file is one JSON array */
} pairs_block;

typedef struct pairs_state {
    pairs_block *blocks; /* by sequence */
    size_t n_blocks, blocks_cap;
} pairs_state;

/* The data of a thread. */
typedef struct pairs_worker {
    dict *tids;
    dict *dropped;     /* transactions of rows that were dropped; NULL = none */
    pairs_pair *pairs; /* pairs of the current block */
    size_t n, cap;
    pairs_weight *weights;
    size_t weights_cap;
    const char *counted; /* `line` counts the lines of the block before this place */
    uint64_t line;
} pairs_worker;

/* One record. */
typedef struct pairs_record {
    const char *tid;
    size_t n_tid;
    uint32_t item; /* a code; PAIRS_NO_ITEM = the record only adds its transaction */
} pairs_record;

/* Begins a block. */
void pairs_begin(read_worker *w);
/* Adds a record. Its weight is in w->rows. */
LODE_NODISCARD lode_status pairs_add(read_worker *w, const pairs_record *record);
/* The same in two steps, for formats that meet a transaction often: its number in the thread's
 * dictionary, and the record of this number. */
LODE_NODISCARD lode_status pairs_number(read_worker *w, const char *tid, size_t n,
                                        uint32_t *transaction);
LODE_NODISCARD lode_status pairs_add_number(read_worker *w, uint32_t transaction, uint32_t item);
/* To be called for each dropped row. Records its transaction, which must exist even if it has no
 * other row. */
LODE_NODISCARD lode_status pairs_drop(read_worker *w, const char *tid, size_t n);
/* Ends a block, and stores its pairs. */
LODE_NODISCARD lode_status pairs_end(read_worker *w);

/* The `finish` of a read_format: joins the pairs of all threads. */
LODE_NODISCARD lode_status pairs_finish(read_task *task);
/* The `clear` of a read_format: frees the data of pairs, but not the states themselves. */
void pairs_clear(read_task *task);

#endif
