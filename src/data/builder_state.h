/* builder_state.h - what builder.c (filling) and builder_finish.c (joining) share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_BUILDER_STATE_H
#define LODE_DATA_BUILDER_STATE_H

#include "data/builder.h"

typedef struct builder_block {
    data_block data;
    unsigned worker; /* whose codes it holds */
} builder_block;

struct builder {
    lode_job *job;
    ctx_home *home; /* of the data set to be */
    mem *mem;       /* there */
    const char *source;
    builder_scratch_fn scratch;
    builder_worker *workers;
    unsigned n_workers;

    pthread_mutex_t lock;  /* guards what follows while workers run */
    builder_block *blocks; /* by sequence; a block without transactions has no memory */
    size_t n_blocks, blocks_cap;
    data_slabs slabs;
    _Atomic bool over; /* the budget was hit: nothing is kept any more */

    dict *alias_from;  /* items that are printed under another name; NULL = none */
    dict *alias_to;    /* those names */
    vec_u32 alias_ids; /* by id in alias_from: id in alias_to */
};

/* Frees the blocks held. */
void builder_drop_blocks(builder *b);

#endif
