/* builder_state.h - what builder.c (filling) and builder_finish.c (joining) share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_BUILDER_STATE_H
#define LODE_DATA_BUILDER_STATE_H

#include "data/builder.h"

/* Weights and ids of the transactions of a block: n weights, if there are any; then n ends of ids
 * and their text, if there are any. */
typedef struct builder_notes {
    uint32_t *words; /* NULL = none */
    size_t bytes;
    bool weighted, named;
} builder_notes;

typedef struct builder_block {
    data_block data;
    builder_notes notes;
    unsigned worker; /* that parsed it: it holds this worker's codes */
} builder_block;

struct builder {
    lode_job *job;
    ctx_home *home; /* of the future data set */
    mem *mem;       /* of the home */
    const char *source;
    builder_scratch_fn scratch;
    builder_worker *workers;
    unsigned n_workers;

    pthread_mutex_t lock;  /* guards the next six fields while workers run */
    builder_block *blocks; /* by sequence; a block without transactions has no memory */
    size_t n_blocks, blocks_cap;
    data_slabs slabs;
    uint64_t notes_bytes; /* of all blocks, also of those that were not kept */
    _Atomic bool over;    /* the budget was exceeded: no blocks are kept any more */

    dict *alias_from;  /* items that are printed with another name; NULL = none */
    dict *alias_to;    /* these names */
    vec_u32 alias_ids; /* id in alias_from -> id in alias_to */
};

#endif
