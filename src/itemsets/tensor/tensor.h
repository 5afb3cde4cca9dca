/* tensor.h - the tensor miner: a map of its files, and their common data
 *
 * Call graph (only downwards):
 *
 *     tensor.c          the engine: prepares a run, starts its threads, reports
 *      ├ consumer.c        one device: takes ranges of root rows until none are left
 *      │  └ levels.c         depth-first search with the device: count, lattices, push, pop
 *      │     ├ spans.c         the share of each step in the progress
 *      │     └ frame.c         which items the rows of a frame stand for
 *      ├ emit.c            results to the sink: by writer threads from a queue, or as numbers only
 *      ├ spans.c           predicts the share of each root row in the progress
 *      └ root.c            the rows that the search starts from
 *
 * run.h has the data that these files share during a run: tensor_run, tensor_level,
 * tensor_consumer.
 *
 * The device searches frame after frame (device/api/products.h). A frame has the classes of one
 * depth that are searched together, and a row of bits for each of their items. The device has the
 * bits, the host knows the items:
 *
 *     device     frame d ──count──────────────push──▶ frame d + 1 ──▶ …
 *     host       tensor_frame ──▶ tensor_found ──▶ tensor_frame ──▶ …
 *                                      └─▶ tensor_task ─▶ sink
 *
 * A tensor_frame has the items and supports of the rows of a frame, a tensor_found the result of
 * count(). Both are reference-counted: the search needs them, and so does every task that waits to
 * be written. If the sink only needs the numbers of itemsets (product_config.fetch is false),
 * the host has none of these structs: the device adds up the numbers.
 *
 * Where decisions are made:
 *     bit rows or lists for the root         root.c, lists_pay()
 *     which consumer takes which rows        consumer.c, take_range()
 *     lattice or child, for each row         the device; frame.c follows what count() reports
 *     how many rows a call counts            levels.c, request_end(), and then the device
 *     which thread writes a result           emit.c, writers_pass()
 *
 * Memory of a GPU: allocated when the device is opened, from the card that all consumers of the job
 * share, within --device-memory (device/cuda/card.h): one copy of the item rows for all consumers
 * (cuda_card_share_rows()), and a pool for each (device/cuda/products.c, pool_bytes()).
 *
 * Stopping (Ctrl-C, --limit-time): consumer_check() in levels.c, before every call of the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_TENSOR_TENSOR_H
#define LODE_ITEMSETS_TENSOR_TENSOR_H

#include <stdatomic.h>

#include "base/vec.h"
#include "data/transactions/vertical.h"
#include "itemsets/common/prepare.h"
#include "pipeline/engine/item_task.h"

/* ---- the root (root.c) ----------------------------------------------------------------------- */

typedef struct tensor_root {
    vertical v;             /* items by rank; has rows only if there are no lists */
    prepared *shared;       /* owns the lists, together with other jobs on the same data */
    uint32_t skip;          /* with lists: the first `skip` rows are infrequent in this job */
    uint32_t *supports;     /* by row */
    const uint64_t *starts; /* lists: by transaction, where its rows begin in `items` … */
    const uint32_t *items;  /* … and the rows of each transaction */
    mem_kept kept;          /* owns `supports` */
    uint64_t n_occurrences; /* lists: the number of entries of `items` */
    product_root root;      /* what the devices get */
} tensor_root;

LODE_NODISCARD lode_status tensor_root_make(const engine_task *task, tensor_root *r);
/* Prepares the root data for jobs with this threshold, or a higher one. */
LODE_NODISCARD lode_status tensor_root_prepare(engine_task *task);
/* Estimates the bytes of the root. */
uint64_t tensor_root_need(const engine_sizes *sizes);
void tensor_root_clear(const engine_task *task, tensor_root *r);

/* ---- progress (spans.c) ---------------------------------------------------------------------- */

/* A span is a share of the progress, between 0 and 1. Work is predicted in units of about 0.5 µs:
 * for any data, the work below a child is the number of sets there to the power TENSOR_POWER, and a
 * lattice takes TENSOR_LATTICE_WORK. */
#define TENSOR_POWER        0.7
#define TENSOR_LATTICE_WORK 15.0

/* How the progress divides among the rows of the root. */
typedef struct tensor_spans {
    double *own, *below; /* by row: work to count it, and work below it */
    size_t bytes;        /* of each array */
    bool is_sure;        /* predicted from the supports of pairs: children add nothing */
    bool is_long;        /* the search is long enough to compute how spans divide among children */
    /* Of all consumers together, under the lock of the run: */
    double span;                 /* not given to any rows yet */
    double own_left, below_left; /* work of the rows that are not counted yet, and below them */
    double seen, foreseen; /* work below the counted rows: by their children, and as predicted */
} tensor_spans;

LODE_NODISCARD lode_status tensor_spans_make(const engine_task *task, const tensor_root *r,
                                             root_range range, tensor_spans *out);
void tensor_spans_clear(mem *m, tensor_spans *spans);
/* Resets the spans for another search of the same rows. */
void tensor_spans_begin(tensor_spans *spans, root_range range);

/* The span of counted rows with everything below them, and the part of it that is done. */
typedef struct tensor_part {
    double span, done;
} tensor_part;

/* Assigns rows [first, end) their span, once they are counted and their lattices are done.
 * `lattices` is the work of the lattices. `below` is the work below the children, as predicted from
 * the children; below < 0: unknown. */
tensor_part tensor_spans_take(tensor_spans *spans, uint32_t first, uint32_t end, double lattices,
                              double below);

/* How a span divides among children: into up to TENSOR_PARTS parts, each of consecutive children.
 * All parts have about the same number of children. */
#define TENSOR_PARTS 256
typedef struct tensor_parts {
    uint32_t n_children;       /* 0 = unknown: all children count equally */
    uint32_t n;                /* number of parts */
    double rest[TENSOR_PARTS]; /* share of this part in the sum of this and all later parts */
} tensor_parts;

/* Makes the parts: weight() computes the work of one child of each part, and the other children of
 * the part are assumed to have the same work. The smaller the span, the fewer parts. Returns the
 * estimated sum over all children. */
double tensor_parts_make(tensor_parts *parts, uint32_t n_children, double span,
                         double (*weight)(const void *user, uint32_t child), const void *user);
/* The share of children [first, end) in the sum over all children from `first` on. */
double tensor_parts_share(const tensor_parts *parts, uint32_t n_children, uint32_t first,
                          uint32_t end);

/* The predicted work of those root rows that become children. */
typedef struct tensor_child_work {
    double *of; /* by child */
    size_t cap;
} tensor_child_work;

/* Fills in the predicted work of the children of root rows [first, end), assuming that they are the
 * n_children rows with the most work. */
LODE_NODISCARD lode_status tensor_spans_children(mem *m, const tensor_spans *spans, uint32_t first,
                                                 uint32_t end, uint32_t n_children,
                                                 tensor_child_work *out);

/* ---- the host's data about rows (frame.c) ---------------------------------------------------- */

/* A class of a frame. Its prefix is the prefix of the parent row's class and the parent row's
 * item. Its free items are the partners with as many transactions as the parent row: each of them
 * may be added to any set of the class. */
typedef struct tensor_class {
    uint32_t first;      /* its first row */
    uint32_t parent_row; /* the row of the parent frame that this class was made from */
    uint32_t n_earlier;  /* how many of its rows, the first ones, belong to earlier items */
    uint32_t first_free; /* where its free items begin in free_items */
} tensor_class;

typedef struct tensor_frame {
    atomic_uint uses;            /* references; the last tensor_frame_release() frees it */
    struct tensor_frame *parent; /* NULL = this is the root */
    size_t bytes;
    uint32_t depth, n_rows, n_classes, n_free;
    tensor_class *classes; /* n_classes + 1: the extra one has the ends of the last class */
    /* items, supports: by row, the id of its item, and the support of the item with the prefix.
     * free_items: the ids of free items, class by class. */
    uint32_t *items, *supports, *free_items;
} tensor_frame;

/* A copy of the result of count() for rows [first, end) of a frame. */
typedef struct tensor_found {
    atomic_uint uses; /* references; the last tensor_found_release() frees it */
    tensor_frame *frame;
    size_t bytes;
    uint32_t first, end, min_count, max_added; /* as in product_request and product_counted */
    uint32_t lattice_items;
    bool excludes_earlier;
    uint64_t *ends; /* by row: where its partners end in the next two arrays */
    uint32_t *partners, *supports;
} tensor_found;

/* Adds a reference. */
static inline void tensor_frame_share(tensor_frame *f) {
    atomic_fetch_add_explicit(&f->uses, 1, memory_order_relaxed);
}
/* Drops a reference; NULL is fine. */
void tensor_frame_release(mem *m, tensor_frame *f);

/* Makes the frame of the root, which is one class with all root rows. */
LODE_NODISCARD lode_status tensor_frame_root(mem *m, const tensor_root *r, tensor_frame **out);
/* Finds the next n children of `found`, from row *row on, and makes the frame of these children.
 * *row becomes the row after them. */
LODE_NODISCARD lode_status tensor_frame_push(mem *m, const tensor_found *found, uint32_t *row,
                                             uint32_t n, tensor_frame **out);
/* The number of the class that a row belongs to. */
uint32_t tensor_frame_class(const tensor_frame *f, uint32_t row);

/* Copies what count() has returned, and takes a reference to the frame. */
LODE_NODISCARD lode_status tensor_found_make(mem *m, tensor_frame *frame,
                                             const product_counted *counted,
                                             const product_request *request, tensor_found **out);
static inline void tensor_found_share(tensor_found *f) {
    atomic_fetch_add_explicit(&f->uses, 1, memory_order_relaxed);
}
void tensor_found_release(mem *m, tensor_found *f);
/* What was found for a row of [f->first, f->end); valid as long as `f`. */
product_row tensor_found_row(const tensor_found *f, uint32_t row);

/* ---- from there to the sink (emit.c) --------------------------------------------------------- */

/* Results to be written: those of lattices if n_lattices > 0, otherwise those of counted rows
 * [first, end). */
typedef struct tensor_task {
    tensor_found *found; /* the task has a reference to it */
    size_t bytes;        /* of the task itself */
    uint32_t first, end;
    uint32_t n_lattices;
    uint32_t *rows; /* this field and the next three: copied from product_lattices */
    uint64_t *ends;
    uint32_t *sets, *supports;
} tensor_task;

LODE_NODISCARD lode_status tensor_task_rows(mem *m, tensor_found *found, uint32_t first,
                                            uint32_t end, tensor_task **out);
/* Makes a task with copies of lattices [first, first + n), where 0 is the first one in
 * `lattices`. */
LODE_NODISCARD lode_status tensor_task_lattices(mem *m, tensor_found *found,
                                                const product_lattices *lattices, uint32_t first,
                                                uint32_t n, tensor_task **out);
void tensor_task_free(mem *m, tensor_task *task);

/* Writes tasks to the sink; every writing thread has its own. */
typedef struct tensor_writer {
    lode_job *job;
    sink_worker *out;
    lode_target target;
    /* The class whose results are currently written. The first n_prefix items of `prefix`
     * and the first n_free items of `free_items` are those of the class. The items after them
     * belong to the current row. */
    const tensor_frame *frame;
    uint32_t class_number;
    uint32_t n_prefix, n_free;
    vec_u32 prefix, free_items;
    vec_u32 ids;      /* items to report with the current prefix … */
    vec_u64 supports; /* … and their supports */
    vec_u32 lattice;  /* supports by set */
    double seconds;   /* spent on writing */
} tensor_writer;

LODE_NODISCARD lode_status tensor_writer_open(const engine_task *task, tensor_writer *w);
LODE_NODISCARD lode_status tensor_writer_close(tensor_writer *w);
LODE_NODISCARD lode_status tensor_writer_write(tensor_writer *w, const tensor_task *task);

#endif
