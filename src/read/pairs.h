/* pairs.h - groups (transaction, item) pairs, in any order, into transactions
 *
 * What:  for formats whose records are pairs: long tables, and JSON objects like their rows.
 * How:   while parsing, each thread numbers transactions in its own dictionary, and stores pairs
 *        (transaction, item code). At the end, pairs_finish() merges these numberings in the order
 *        of the file, sorts the pairs by transaction (a counting sort) and pushes the transactions
 *        through the first worker. So transactions are numbered by first appearance, and may have
 *        pairs anywhere, even in several files.
 * Rules: a pairs_state is the first member of the format's task->own, a pairs_worker the first
 *        member of the format's `own` of a worker.
 * Weights: all records of a transaction must have the same weight. They may be parsed by several
 *        threads, so they are compared at the end, with their places.
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
    uint64_t from_line, from_column; /* JSON in one list: the start of the block */
} pairs_block;

typedef struct pairs_state {
    pairs_block *blocks; /* by sequence */
    size_t n_blocks, blocks_cap;
} pairs_state;

/* The data of a thread. */
typedef struct pairs_worker {
    dict *tids;
    dict *dropped;     /* transactions of dropped rows; NULL = none */
    pairs_pair *pairs; /* of the current block */
    size_t n, cap;
    pairs_weight *weights;
    size_t weights_cap;
    const char *counted; /* lines before this place of the block are counted: */
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
/* Adds a record; its weight is that of w->rows. */
LODE_NODISCARD lode_status pairs_add(read_worker *w, const pairs_record *record);
/* Records the transaction of a dropped row, which may have no other row. */
LODE_NODISCARD lode_status pairs_drop(read_worker *w, const char *tid, size_t n);
/* Ends a block, and stores its pairs. */
LODE_NODISCARD lode_status pairs_end(read_worker *w);

/* For read_format: joins everything; frees the data of pairs, but not the states themselves. */
LODE_NODISCARD lode_status pairs_finish(read_task *task);
void pairs_clear(read_task *task);

#endif
