/* run.h - internals of a run of the tensor miner (tensor.h): its consumers and their stacks
 *
 * With `fetch` (product_config.fetch), the device sends what it counts to the host, which writes
 * the patterns. Without `fetch`, the sink only takes numbers: the device counts the results by
 * their numbers of chosen and free items (the tally, see backend_products), and the host knows no
 * items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_TENSOR_RUN_H
#define LODE_ITEMSETS_TENSOR_RUN_H

#include <pthread.h>

#include "itemsets/common/prepare.h"
#include "itemsets/tensor/tensor.h"
#include "runtime/tasks.h"

#define TENSOR_TALLY_SIZE    ((size_t)PRODUCT_SIZES * PRODUCT_SIZES)
#define TENSOR_TALLY_SECONDS 0.3 /* between two updates of the pattern count */

typedef struct tensor_run {
    engine_task *task;
    tensor_root root;
    root_range range; /* root rows to search; the others are only partners */
    tensor_spans spans;
    product_config config;
    unsigned n_consumers, n_writers;
    tasks queue;                 /* tensor_tasks for the writers */
    _Atomic size_t queued_bytes; /* memory of the queued tasks */
    pthread_mutex_t lock;
    uint32_t front, back; /* root rows [front, back) are not taken yet; under the lock */
    _Atomic int failure;  /* the first status that was not OK */
    /* without `fetch`, under the lock */
    uint64_t *tally; /* sum over all consumers; TENSOR_TALLY_SIZE numbers */
    bool too_large;  /* some sets do not fit in the tally */
    uint64_t shown;  /* patterns of the tally that are already in the pattern count */
    /* by consumer */
    product_report *reports;
    device_use *uses;
} tensor_run;

/* The current frame of the device at one depth. The search keeps a stack of levels and does not
 * recurse: it may go as deep as the longest transaction. */
typedef struct tensor_level {
    tensor_frame *frame;        /* with `fetch`; otherwise NULL */
    uint32_t first, end;        /* rows still to be counted */
    uint32_t counted;           /* first row of the last count() */
    tensor_found *found;        /* with `fetch`: the result of that count() */
    uint32_t row;               /* the row of `found` from which on to look for more children */
    uint32_t child, n_children; /* the next child to push; the number of children of that count() */
    double span;                /* share of the progress of the rows still to be counted; not used
                                 * at the root, where tensor_spans has a share for each row */
    double below;               /* share of the children still to be pushed */
    tensor_parts parts;         /* how the children divide `below` */
    size_t first_class;         /* the level's first entry in consumer.classes */
    uint32_t n_classes;         /* number of these entries; 0 = all rows count equally */
} tensor_level;

/* The share of the progress of one class of a frame, if it pays to compute it. */
typedef struct class_span {
    uint32_t end; /* of its rows */
    double span;
} class_span;

/* One thread and its device. */
typedef struct tensor_consumer {
    tensor_run *run;
    unsigned number;
    const backend_products *products;
    product_device *device;
    tensor_writer writer; /* writes results on this thread */
    tensor_frame *root;   /* with `fetch` */
    tensor_level *levels; /* the stack; the first level is the root */
    size_t n_levels, cap_levels;
    tensor_child_work children; /* of the current root rows, if the device cannot tell */
    class_span *classes;        /* of all levels, concatenated */
    size_t n_classes, cap_classes;
    progress_local progress; /* not yet added to the progress of the job */
    uint64_t batches;        /* calls of the device */
    double busy;             /* seconds */
    double next_tally;       /* time at which to update the pattern count of the progress report */
} tensor_consumer;

static inline mem *tensor_mem(const tensor_run *run) {
    return &run->task->job->mem;
}

/* If `status` is a failure, makes all threads stop, and keeps this failure unless there was one
 * before. Returns `status`. */
static inline lode_status tensor_run_fail(tensor_run *run, lode_status status) {
    int none = LODE_OK;
    if (status == LODE_OK) return status;
    atomic_compare_exchange_strong(&run->failure, &none, (int)status);
    tasks_abort(&run->queue);
    return status;
}

/* Whether the counts of a search that ended with this status are valid. */
static inline bool tensor_keeps_counts(lode_status status) {
    return status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
}

/* The most items that may be added to the rows of a frame of this depth; UINT32_MAX = no limit. */
static inline uint32_t tensor_items_to_add(const tensor_run *run, uint32_t depth) {
    uint32_t most = run->task->items.options->max_size;
    if (run->config.target != LODE_TARGET_ALL || most == UINT32_MAX) return UINT32_MAX;
    return most > depth + 1 ? most - depth - 1 : 0;
}

/* The current threshold, which may rise during the search. */
static inline uint32_t tensor_threshold(const tensor_run *run) {
    uint64_t now = job_threshold(run->task->job);
    return now < UINT32_MAX ? (uint32_t)now : UINT32_MAX;
}

/* The depth of the top frame; the root has depth 0. */
static inline uint32_t tensor_depth(const tensor_consumer *c) {
    return (uint32_t)c->n_levels - 1;
}

/* ---- consumer.c ---- */

/* Runs consumer `number` on the calling thread, until no root rows are left. */
LODE_NODISCARD lode_status tensor_consume(tensor_run *run, unsigned number);

/* ---- levels.c ---- */

/* Searches rows [first, end) of the root and everything below them. */
LODE_NODISCARD lode_status tensor_search_rows(tensor_consumer *c, uint32_t first, uint32_t end);

/* ---- spans.c ---- */

/* Call this when rows of the level were counted and their lattices are done. Reports that work as
 * progress, and leaves the rest of the rows' span in level->below, for their children. */
LODE_NODISCARD lode_status tensor_level_counted(tensor_consumer *c, tensor_level *level,
                                                uint32_t n_lattices);
/* Call this when children [first, end) were pushed as a frame. Sets *span to the sum of their
 * spans, and stores the span of each child in c->classes if that pays. */
LODE_NODISCARD lode_status tensor_level_pushed(tensor_consumer *c, tensor_level *level,
                                               uint32_t first, uint32_t end, double *span);

/* ---- emit.c ---- */

/* Without `fetch`: adds what the device has tallied since the last call. */
LODE_NODISCARD lode_status tensor_tally_collect(tensor_consumer *c);
/* Hands the tally to the sink, also if the search was stopped. `status` is that of the search.
 * Returns `status`, or the failure of the sink if `status` is OK. */
LODE_NODISCARD lode_status tensor_tally_deliver(tensor_run *run, lode_status status);

/* Queue results for a writer thread or, if the queue is full, write them on this thread. */
LODE_NODISCARD lode_status tensor_write_rows(tensor_consumer *c, tensor_found *found);
LODE_NODISCARD lode_status tensor_write_lattices(tensor_consumer *c, tensor_found *found,
                                                 const product_lattices *lattices);
/* Writes queued tasks until no more can come. `again`: the caller has been counted as busy so far
 * (tasks_take()). */
LODE_NODISCARD lode_status tensor_write_queue(tensor_run *run, tensor_writer *w, bool again);
/* The function of a writer thread. */
LODE_NODISCARD lode_status tensor_run_writer(tensor_run *run);

#endif
