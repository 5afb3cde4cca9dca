/* dataset.h - transactions in memory, as the readers leave them and the engines take them
 *
 * What:  an immutable horizontal database: a row of blocks, each some thousand transactions.
 *
 *          block 0                     block 1
 *          offsets 0 3 5 5 …           offsets 0 2 …
 *          items   1 4 9|2 4||…        items   1 7|…
 *
 * Why:   blocks are what the parser's threads produce, so joining them copies nothing and needs no
 *        contiguous array that would have to be moved while it grows; and they are the units of
 *        work of every later parallel pass.
 * Rules: items of a transaction are ascending and distinct. Item ids are in print order.
 * Items: inside, an item is an id below item_bound, so that a table by id is short. Outside, in
 *        lode.h, an item whose name is a number is that number, at any size (items.c):
 *
 *          names  numbers   an item outside is
 *          NULL   NULL      its id, which is the number
 *          NULL   given     numbers[id]
 *          given  NULL      its id; its name is in the dictionary
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_DATASET_H
#define LODE_DATA_DATASET_H

#include "base/vec.h"
#include "data/dict.h"
#include "data/prepared.h"
#include "runtime/job.h"

typedef struct data_block {
    uint64_t first;    /* number of its first transaction */
    uint32_t n;        /* transactions */
    uint32_t *offsets; /* n + 1, into items */
    uint32_t *items;   /* offsets[n] of them */
    bool in_slab;      /* the memory of both is part of a slab, */
    size_t own_bytes;  /* or else a block of so many bytes */
} data_block;

/* Memory for several blocks: large enough for the system's large pages. */
typedef struct data_slab {
    char *memory;
    size_t bytes;
} data_slab;

typedef struct data_slabs {
    data_slab *data;
    size_t n, cap;
} data_slabs;

struct lode_dataset {
    ctx_home *home;
    mem *mem;                 /* there */
    prepared_store *prepared; /* from it, by jobs */
    data_block *blocks;
    size_t n_blocks;
    data_slabs slabs;        /* what blocks that are in_slab lie in */
    uint32_t item_bound;     /* ids are below this */
    uint64_t *item_supports; /* item_bound of them */
    dict *names;             /* NULL: items are numbers of 32 bits */
    uint32_t *numbers;       /* the number of each id, ascending; NULL: the id itself, or a name */
    bool numeric;            /* every name is a number, of any length, and ordered as such */
    uint32_t *weights;       /* one per transaction, or NULL */
    uint64_t total_weight;   /* = n_transactions without weights */
    lode_profile profile;
    vec_char source; /* the file, as text; empty: none */
};

/* Puts what there is to say of the data into the report of a job. */
void dataset_report(const lode_dataset *data, lode_job *job);

/* Bytes of an array that holds a block's offsets and items. */
size_t data_block_bytes(const data_block *block);

/* Frees what a block has of its own; all slabs. */
void data_block_free(mem *m, data_block *block);
void data_slabs_free(mem *m, data_slabs *slabs);

/* The block that holds transaction t, which must exist. */
const data_block *dataset_block_of(const lode_dataset *data, uint64_t t);
/* Lends the ids of transaction t, ascending; NULL if there is no such transaction. */
const uint32_t *dataset_row(const lode_dataset *data, uint64_t t, uint32_t *n_ids);

/* What an id is called: as lode_dataset_item_name(), which takes an item. */
size_t dataset_id_name(const lode_dataset *data, uint32_t id, char *buffer, size_t buffer_bytes);
/* The item outside that an id is. */
static inline uint32_t dataset_item_of(const lode_dataset *data, uint32_t id) {
    return data->numbers ? data->numbers[id] : id;
}

/* Takes the dictionary over: as it is, or, if all its names are numbers of 32 bits as they are
 * printed, as an array of numbers. On failure it stays the caller's. */
LODE_NODISCARD lode_status dataset_take_names(lode_dataset *data, dict *names, bool numeric);

/* Whether blocks follow each other and offsets ascend, without memory of its own. */
bool dataset_validate_blocks(const lode_dataset *data, const char **reason);
/* Checks every rule above; for tests. On false, *reason says which one is broken. */
bool dataset_validate(const lode_dataset *data, const char **reason);

#endif
