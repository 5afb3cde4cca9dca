/* builder_state.h - what builder.c (filling) and builder_finish.c (joining) share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_BUILDER_STATE_H
#define LODE_DATA_BUILDER_STATE_H

#include "data/builder.h"

typedef struct builder_block {
    data_block data;
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

    pthread_mutex_t lock;  /* guards the next five fields while workers run */
    builder_block *blocks; /* by sequence; a block without transactions has no memory */
    size_t n_blocks, blocks_cap;
    data_slabs slabs;
    _Atomic bool over; /* the budget was exceeded: no blocks are kept any more */

    dict *alias_from;  /* items that are printed with another name; NULL = none */
    dict *alias_to;    /* these names */
    vec_u32 alias_ids; /* id in alias_from -> id in alias_to */
};

#endif
