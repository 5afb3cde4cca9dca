/* tensor.h - the miner by products, shared by its files
 *
 * The device has the rows (backend/products.h); the host has what they are called. For every frame
 * on the stack of a device there is a tensor_frame with the items and supports of its rows; what
 * count() found is a tensor_found. Both live as long as somebody needs them: the search, or a job
 * that waits for a thread to write it down.
 *
 *     device      frame 0 ──── count ────────── push ── frame 1 ── …
 *     host        tensor_frame → tensor_found ───────→ tensor_frame → …
 *                                   └→ tensor_task → sink
 *
 * With a sink that takes numbers only, none of this exists: the device adds up.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TENSOR_TENSOR_H
#define LODE_TENSOR_TENSOR_H

#include <stdatomic.h>

#include "base/vec.h"
#include "data/vertical.h"
#include "engine/engine.h"
#include "itemset/prepare.h"

/* ---- the root (tensor_root.c) ---------------------------------------------------------------- */

typedef struct tensor_root {
    vertical v;       /* items by rank; its rows only where there are no lists */
    prepared *shared; /* what lists belong to */
    uint32_t skip;    /* of lists: the first items are not frequent in this job, and not searched */
    uint32_t *supports;
    const uint64_t *starts;
    const uint32_t *items;
    mem_kept kept; /* what `supports` points to */
    uint64_t n_occurrences;
    product_root root;
} tensor_root;

LODE_NODISCARD lode_status tensor_root_make(const engine_task *task, tensor_root *r);
/* All that jobs of this threshold, or a higher one, start from. */
LODE_NODISCARD lode_status tensor_root_prepare(engine_task *task);
/* Bytes that it takes, about. */
uint64_t tensor_root_need(const engine_sizes *sizes);
void tensor_root_clear(const engine_task *task, tensor_root *r);

/* ---- progress (tensor_spans.c) --------------------------------------------------------------- */

/* Work is counted in units of some 0.5 µs: that below a child is the power POWER of how many sets
 * there are, whatever the data (tensor_spans.c). */
#define TENSOR_POWER     0.7
#define TENSOR_CUBE_WORK 15.0

/* How the progress divides among the rows of the root. */
typedef struct tensor_spans {
    double *own, *below; /* of each row, to count it and to search what is below it */
    size_t bytes;        /* of each of these */
    bool is_sure;        /* pairs were looked at: it cannot be told better */
    bool is_long;        /* the search: it pays to look how classes divide */
    /* What nobody has been given yet; and, where children were looked into, what is below them and
     * was thought to be. For all consumers: under a lock. */
    double span, own_left, below_left, seen, foreseen;
} tensor_spans;

LODE_NODISCARD lode_status tensor_spans_make(const engine_task *task, const tensor_root *r,
                                             root_range range, tensor_spans *out);
void tensor_spans_clear(mem *m, tensor_spans *spans);
/* Before another search over the same rows. */
void tensor_spans_begin(tensor_spans *spans, root_range range);

/* The span of rows that were counted, and what of it is done. */
typedef struct tensor_part {
    double span, done;
} tensor_part;

/* Gives rows [first, end) their span. `below`: the work below them as it turned out, and `cubes`
 * that of their cubes, which are done; below < 0: not known. */
tensor_part tensor_spans_take(tensor_spans *spans, uint32_t first, uint32_t end, double cubes,
                              double below);

/* The shares of children among what is below them: of up to TENSOR_PARTS equal parts of them, each
 * with its share of the rest. */
#define TENSOR_PARTS 256
typedef struct tensor_parts {
    uint32_t n_children; /* 0: not known; all are taken to be equal */
    uint32_t n;          /* parts */
    double rest[TENSOR_PARTS];
} tensor_parts;

/* `weight` is asked of one child of each part; returns the sum over all children. `span`: about
 * what the children are of all; the less, the fewer are the parts. */
double tensor_parts_make(tensor_parts *parts, uint32_t n_children, double span,
                         double (*weight)(const void *user, uint32_t child), const void *user);
/* The share of children [first, end) among those from `first` on. */
double tensor_parts_share(const tensor_parts *parts, uint32_t n_children, uint32_t first,
                          uint32_t end);

/* Of rows of the root, the work below those that become children, as it was foreseen. */
typedef struct tensor_child_work {
    double *of;
    size_t cap;
} tensor_child_work;

LODE_NODISCARD lode_status tensor_spans_children(mem *m, const tensor_spans *spans, uint32_t first,
                                                 uint32_t end, uint32_t n_children,
                                                 tensor_child_work *out);

/* ---- what the host knows of the rows (tensor_frame.c) ---------------------------------------- */

typedef struct tensor_class {
    uint32_t first;      /* row */
    uint32_t parent_row; /* in the frame above, which it comes from */
    uint32_t n_watched;  /* its first rows */
    uint32_t first_free; /* of the perfect partners of the parent row */
} tensor_class;

typedef struct tensor_frame {
    atomic_uint uses;
    struct tensor_frame *parent; /* NULL: the root */
    size_t bytes;
    uint32_t depth, n_rows, n_classes, n_free;
    tensor_class *classes; /* one more, as an end */
    uint32_t *items, *supports, *free_items;
} tensor_frame;

/* What was found for rows [first, end) of a frame, kept. */
typedef struct tensor_found {
    atomic_uint uses;
    tensor_frame *frame;
    size_t bytes;
    uint32_t first, end, min_count, more, cube;
    bool beside;
    uint64_t *ends;
    uint32_t *partners, *supports;
} tensor_found;

/* A row of these. */
typedef struct tensor_row {
    uint32_t row, support;
    const uint32_t *partners, *supports;
    uint32_t n;
    uint32_t n_perfect; /* of them */
    uint32_t n_watched; /* that are not perfect */
    bool subsumed;
} tensor_row;

static inline void tensor_frame_share(tensor_frame *f) {
    atomic_fetch_add_explicit(&f->uses, 1, memory_order_relaxed);
}
void tensor_frame_release(mem *m, tensor_frame *f);

LODE_NODISCARD lode_status tensor_frame_root(mem *m, const tensor_root *r, tensor_frame **out);
/* The frame of the next n children of what was found, from a row on, which moves behind them. */
LODE_NODISCARD lode_status tensor_frame_push(mem *m, const tensor_found *found, uint32_t *row,
                                             uint32_t n, tensor_frame **out);
/* The class of a row, by number. */
uint32_t tensor_frame_class(const tensor_frame *f, uint32_t row);

LODE_NODISCARD lode_status tensor_found_make(mem *m, tensor_frame *frame,
                                             const product_counted *counted, const product_ask *ask,
                                             tensor_found **out);
static inline void tensor_found_share(tensor_found *f) {
    atomic_fetch_add_explicit(&f->uses, 1, memory_order_relaxed);
}
void tensor_found_release(mem *m, tensor_found *f);
tensor_row tensor_found_row(const tensor_found *f, uint32_t row);

/* ---- from there to the sink (tensor_emit.c) -------------------------------------------------- */

/* Something to write down: rows [first, end) that were counted, or, if there are any, cubes. */
typedef struct tensor_task {
    tensor_found *found;
    size_t bytes; /* of its own */
    uint32_t first, end;
    uint32_t n_cubes;
    uint32_t *rows;
    uint64_t *ends;
    uint32_t *sets, *supports;
} tensor_task;

LODE_NODISCARD lode_status tensor_task_rows(mem *m, tensor_found *found, uint32_t first,
                                            uint32_t end, tensor_task **out);
/* Copies n cubes, from the i-th of these on. */
LODE_NODISCARD lode_status tensor_task_cubes(mem *m, tensor_found *found,
                                             const product_cubes *cubes, uint32_t i, uint32_t n,
                                             tensor_task **out);
void tensor_task_free(mem *m, tensor_task *task);

/* Who writes: one per thread. */
typedef struct tensor_writer {
    lode_job *job;
    sink_worker *out;
    lode_target target;
    /* of the class in work */
    const tensor_frame *frame;
    uint32_t class_number;
    uint32_t n_prefix, n_free;
    vec_u32 prefix, free_items; /* with more behind them, for a time */
    vec_u32 ids;
    vec_u64 supports;
    vec_u32 cube;
    double seconds;
} tensor_writer;

LODE_NODISCARD lode_status tensor_writer_open(const engine_task *task, tensor_writer *w);
LODE_NODISCARD lode_status tensor_writer_close(tensor_writer *w);
LODE_NODISCARD lode_status tensor_writer_write(tensor_writer *w, const tensor_task *task);

#endif
