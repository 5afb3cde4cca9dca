/* builder.h - from parsed lines to a data set: what every reader writes into
 *
 * What:  each parsing thread owns a builder_worker and fills blocks of transactions; finish() joins
 *        the workers' dictionaries, renumbers the items in print order and hands out the data set.
 * Use:   worker_begin_block(w, sequence); { push items …; worker_end_transaction(w); } …
 *        worker_end_block(w).  Blocks are ordered by `sequence`, whoever parsed them.
 * Numbers and names: an integer in canonical form (no leading zero, at most BUILDER_NUMBER_MAX) is
 *        pushed as itself; any other text goes through the worker's dictionary and is pushed as
 *        BUILDER_NAME_BASE + its local id. A data set of small canonical integers alone is never
 *        renumbered: ids are the numbers.
 * Over budget: the builder drops what it holds and goes on counting, so that finish() can say how
 *        much memory is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_BUILDER_H
#define LODE_DATA_BUILDER_H

#include "data/dataset.h"

#define BUILDER_NUMBER_MAX 0xefffffffu
#define BUILDER_NAME_BASE  0xf0000000u

typedef struct builder builder;

typedef struct builder_worker {
    builder *parent;
    vec_u32 items;   /* of the block in work */
    vec_u32 offsets; /* ends of its transactions */
    dict *names;     /* local; created on first use */
    /* further fields are the builder's own */
} builder_worker;

LODE_NODISCARD lode_status builder_create(lode_ctx *ctx, builder **out, unsigned n_workers);
void builder_free(builder *b);
builder_worker *builder_get_worker(builder *b, unsigned worker);

#endif
