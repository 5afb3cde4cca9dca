/* pairs.h - pairs of transaction and item, in any order, become transactions
 *
 * What:  for formats of which a record is one pair: long tables, and JSON objects like their rows.
 * How:   while parsing, each thread numbers the transactions it meets in a dictionary of its own
 *        and keeps pairs (transaction, item code). At the end, pairs_finish() joins these
 *        numberings in the order of the file, sorts the pairs by transaction (a counting sort) and
 *        pushes the transactions through the first worker. So transactions are numbered by first
 *        appearance, and may have pairs anywhere, also in several files.
 * Rules: a pairs_state is the first member of what the format keeps in task->own, a pairs_worker
 *        the first member of what it keeps in a worker's `own`.
 * Weights: each record of a transaction says the same weight. Records of a transaction may be
 *        parsed by several threads, so they are compared at the end, with their places.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_PAIRS_H
#define LODE_READ_PAIRS_H

#include "read/read.h"

#define PAIRS_NO_ITEM UINT32_MAX

typedef struct pairs_pair {
    uint32_t transaction, item;
} pairs_pair;

/* The weight of a record, and where it stands in its block. */
typedef struct pairs_weight {
    uint32_t weight;
    uint32_t line, column;
} pairs_weight;

typedef struct pairs_block {
    pairs_pair *pairs;
    pairs_weight *weights; /* as many; NULL = none */
    size_t n;
    unsigned worker;
    uint64_t from_line, from_column; /* JSON in one list: where the block begins */
} pairs_block;

typedef struct pairs_state {
    pairs_block *blocks; /* by sequence */
    size_t n_blocks, blocks_cap;
} pairs_state;

/* What a thread keeps. */
typedef struct pairs_worker {
    dict *tids;
    dict *dropped;     /* transactions of rows that were left out; NULL = none */
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
    uint32_t item; /* a code, or PAIRS_NO_ITEM: it only adds its transaction */
} pairs_record;

/* Begins a block. */
void pairs_begin(read_worker *w);
/* Adds a record; its weight is that of w->rows. */
LODE_NODISCARD lode_status pairs_add(read_worker *w, const pairs_record *record);
/* Notes the transaction of a row that was left out: it may have no other row. */
LODE_NODISCARD lode_status pairs_drop(read_worker *w, const char *tid, size_t n);
/* Ends a block, and keeps its pairs. */
LODE_NODISCARD lode_status pairs_end(read_worker *w);

/* For read_format: joins everything; frees what pairs keep, but not the states themselves. */
LODE_NODISCARD lode_status pairs_finish(read_task *task);
void pairs_clear(read_task *task);

#endif
