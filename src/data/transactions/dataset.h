/* dataset.h - transactions in memory, made by the readers and read by the engines
 *
 * What:  an immutable horizontal database: blocks of a few thousand transactions each.
 *
 *          block 0                     block 1
 *          offsets 0 3 5 5 …           offsets 0 2 …
 *          items   1 4 9|2 4||…        items   1 7|…
 *
 * Why:   each parsing thread produces blocks, so joining the results copies nothing, and no large
 *        array has to be moved while it grows. Later parallel passes use blocks as units of work.
 * Rules: the items of a transaction are ascending and distinct. Item ids are in print order (by
 *        number, or by the bytes of names: dict.h).
 * Items: internally, an item is an id below item_bound, so that tables by id are short. In lode.h,
 *        an item whose name is a number is that number, however large (names.c):
 *
 *          names  numbers   an item in lode.h is
 *          NULL   NULL      its id, which is the number
 *          NULL   given     numbers[id]
 *          given  NULL      its id; its name is in the dictionary
 * Bits:  dense data made from bit rows have no blocks until dataset_in_memory() is called for the
 *        first time (dense.h).
 * Disk:  a data set that does not fit into memory has no blocks; its transactions are in a spool
 *        (spool.h), as ids. Only pipeline/spill reads the spool. It mines parts of the data; each
 *        part is a data set with blocks and an item order of its own (see `order`).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_DATASET_H
#define LODE_DATA_TRANSACTIONS_DATASET_H

#include "base/vec.h"
#include "data/transactions/dict.h"
#include "data/transactions/prepared.h"
#include "data/transactions/spool.h"
#include "runtime/job.h"

typedef struct data_block {
    uint64_t first;    /* number of its first transaction */
    uint32_t n;        /* number of transactions */
    uint32_t *offsets; /* n + 1: where each transaction begins in `items` */
    uint32_t *items;   /* the items, offsets[n] in all */
    bool in_slab;      /* offsets and items are part of a slab */
    size_t own_bytes;  /* bytes of the block's own allocation, if it is not in a slab */
} data_block;

/* Memory for several blocks, large enough for huge pages. */
typedef struct data_slab {
    char *memory;
    size_t bytes;
} data_slab;

typedef struct data_slabs {
    data_slab *data;
    size_t n, cap;
} data_slabs;

/* The concatenated ids of transactions: number t ends at ends[t]. */
typedef struct data_ids {
    char *text;
    size_t bytes;   /* bytes of the text */
    uint64_t *ends; /* n_transactions entries; NULL = ids were not kept */
} data_ids;

struct lode_dataset {
    ctx_home *home;
    mem *mem;                 /* the memory of `home` */
    prepared_store *prepared; /* data that jobs prepared from it */
    data_block *blocks;
    size_t n_blocks;
    data_slabs slabs;        /* the memory of blocks whose in_slab is set */
    uint32_t item_bound;     /* ids are below this */
    uint64_t *item_supports; /* one for each id */
    dict *names;             /* NULL = items are 32-bit numbers */
    uint32_t *numbers;       /* the number of each id, ascending; NULL: see the table above */
    bool numeric;            /* every name is a number, of any length; ids are in numeric order */
    bool borrows_names;      /* names and numbers belong to another data set: see project.h */
    uint32_t *weights;       /* one per transaction, or NULL */
    uint64_t total_weight;   /* the sum of all weights; n_transactions if there are no weights */
    data_ids ids;
    lode_profile profile;
    vec_char source; /* the path of the file, with a terminating zero; empty = none */
    vec_char bins;   /* the cuts of columns, as text in the same form; empty = none */
    vec_char spill;  /* the folder for data that do not fit into memory, in the same form */
    spool *spool;    /* the transactions on disk; NULL = they are in the blocks */
    bool weighted;   /* the transactions on disk have weights */
    /* the transactions as bits; NULL = the data set was not made from bits */
    struct dense_rows *dense;
    /* Items from the most frequent on: engines search in this order. NULL = engines order items by
     * their supports in this data set. Lent. Parts made by pipeline/spill number their items in
     * this order, so that the items of each transaction are in this order, too. */
    const uint32_t *order;
    uint32_t n_order;
};

void dataset_report(const lode_dataset *data, lode_job *job);

/* Returns the total bytes of a block's offsets and items. */
size_t data_block_bytes(const data_block *block);

/* Must be called before transactions are read: makes the blocks from bits, if there are none yet.
 * Errors: UNSUPPORTED, with a message, if the transactions are on disk; NOMEM; those of
 * job_check(). */
LODE_NODISCARD lode_status dataset_in_memory(lode_job *job, const lode_dataset *data);

/* Frees the memory of a block that is not in a slab. */
void data_block_free(mem *m, data_block *block);
/* Frees all slabs. */
void data_slabs_free(mem *m, data_slabs *slabs);

/* Returns the block that contains transaction t, which must exist. */
const data_block *dataset_block_of(const lode_dataset *data, uint64_t t);
/* Lends the item ids of transaction t, in ascending order; NULL if there is no such transaction.
 * dataset_in_memory() must have been called. */
const uint32_t *dataset_row(const lode_dataset *data, uint64_t t, uint32_t *n_ids);

/* Lends the id of transaction t; NULL = it has none. */
const char *dataset_transaction_id(const lode_dataset *data, uint64_t t, size_t *n);
/* Recomputes the supports and the total as sums of weights. The data set must have weights. */
void dataset_weigh(lode_dataset *data);

/* Copies weights, one per transaction, and calls dataset_weigh(). */
LODE_NODISCARD lode_status dataset_take_weights(lode_dataset *data, const uint32_t *weights);

/* Works like lode_dataset_item_name(), but takes an id instead of an item. */
size_t dataset_id_name(const lode_dataset *data, uint32_t id, char *buffer, size_t buffer_bytes);
/* Returns a hash of the name of an id. It is the same on every machine. */
uint64_t dataset_id_hash(const lode_dataset *data, uint32_t id);
/* Finds the id of an item of lode.h; returns false if there is none. */
bool dataset_find_id(const lode_dataset *data, uint32_t item, uint32_t *id);
/* Returns the item of lode.h for an id. */
static inline uint32_t dataset_item_of(const lode_dataset *data, uint32_t id) {
    return data->numbers ? data->numbers[id] : id;
}

/* Takes ownership of the dictionary. If all names are canonical 32-bit numbers, an array of numbers
 * replaces the dictionary. On failure the caller keeps it. */
LODE_NODISCARD lode_status dataset_take_names(lode_dataset *data, dict *names, bool numeric);

/* Returns whether the rules about blocks and items hold. *reason receives the rule that is broken.
 * Allocates nothing. */
bool dataset_validate_blocks(const lode_dataset *data, const char **reason);
/* Returns whether every rule above holds; for tests. */
bool dataset_validate(const lode_dataset *data, const char **reason);

#endif
