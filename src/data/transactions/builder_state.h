/* builder_state.h - what builder.c (filling) and builder_finish.c (joining) share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_BUILDER_STATE_H
#define LODE_DATA_TRANSACTIONS_BUILDER_STATE_H

#include "data/transactions/builder.h"

/* Weights and ids of the n transactions in a block. `words` has the n weights, if there are
 * weights; then, if there are ids, the n ends of the ids and the text of the ids. */
typedef struct builder_notes {
    uint32_t *words; /* NULL = none */
    size_t bytes;
    bool weighted, named;
} builder_notes;

typedef struct builder_block {
    data_block data;
    builder_notes notes;
    unsigned worker; /* the worker that parsed the block; the block has this worker's codes */
} builder_block;

struct builder {
    lode_job *job;
    ctx_home *home; /* the home of the future data set */
    mem *mem;       /* the memory of `home` */
    const char *source;
    builder_scratch_fn scratch;
    builder_worker *workers;
    unsigned n_workers;

    pthread_mutex_t lock;  /* guards the next six fields while workers run */
    builder_block *blocks; /* by sequence; a block without transactions has no memory */
    size_t n_blocks, blocks_cap;
    data_slabs slabs;
    uint64_t notes_bytes; /* bytes of the notes of all blocks, including blocks that were dropped */
    _Atomic bool over;    /* the budget was exceeded: blocks are no longer kept */

    const char *spill;    /* the folder for blocks that do not fit into memory; NULL = none */
    spool_writer to_disk; /* used under the lock; its buffer is allocated with the folder */
    /* holds all blocks after memory was short; NULL = the blocks are in memory */
    _Atomic(spool *) spool;
    bool weighted; /* blocks in the spool have weights */

    dict *alias_from;  /* items that got another name; NULL = none */
    dict *alias_to;    /* the names that they got */
    vec_u32 alias_ids; /* id in alias_from -> id in alias_to */
};

/* ---- builder_spool.c ------------------------------------------------------------------------- */

/* Writes all blocks to disk; later blocks go to disk, too. The caller must hold the lock. */
LODE_NODISCARD lode_status builder_move_to_disk(builder *b);
/* Writes the worker's current block to disk. */
LODE_NODISCARD lode_status builder_spool_block(builder_worker *w);

/* The final ids of codes. They are known when all data have been read. */
typedef struct builder_codes {
    const uint32_t *numbers;       /* integer -> id; NULL = integers are ids */
    const uint32_t *const *tables; /* for each worker: name -> id */
    uint64_t *supports;            /* by id */
    size_t n_supports;             /* number of ids */
} builder_codes;

/* The result of a pass over the spool. */
typedef struct builder_spooled {
    uint64_t n_merged;     /* items dropped because the transaction has the same id twice */
    uint64_t total_weight; /* the sum of weights, if transactions are weighted */
    uint32_t longest;
} builder_spooled;

/* Replaces codes by ids, corrects supports for merged items, and sums weights. Does nothing if none
 * of this is needed. Must be called by one thread, after all workers have ended. */
LODE_NODISCARD lode_status builder_settle_spool(builder *b, const builder_codes *codes,
                                                builder_spooled *out);
/* Frees the buffers for writing to disk. */
void builder_drop_spool(builder *b);

#endif
