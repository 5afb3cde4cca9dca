/* item_file.h - itemsets on their way to a file or a function: the order, and who writes them
 *
 * Two parts. item_file.c sees to the order: what is held back, sorted or spilled. A file_writer
 * writes patterns in the order in which they come: as lines of text (item_text.c), or as an Arrow
 * file (item_arrow.c). It keeps what it needs in `own`, of the sink and of each worker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_FILE_H
#define LODE_WRITE_ITEMSETS_ITEM_FILE_H

#include "write/core/sink_text.h"
#include "write/itemsets/item_lines.h"
#include "write/itemsets/item_memory.h"
#include "write/itemsets/sort_collect.h"

typedef struct file_writer file_writer;

typedef struct file_sink {
    text_sink base;
    const file_writer *writer;
    void *own;          /* the writer's */
    bool sorts;         /* what comes is collected, to be sorted: */
    keyed_store store;  /* here */
    vec_u32 kept;       /* when not: logs of closed workers; under the lock */
    uint64_t threshold; /* of the first job */
    const char *order;  /* in which patterns were written, in a word; NULL: as they came */
} file_sink;

typedef struct file_worker {
    item_worker base;
    void *own;            /* the writer's */
    bool holds;           /* the first patterns of a result */
    vec_u32 log;          /* these */
    sort_collector found; /* when sorting */
} file_worker;

static inline file_sink *file_of(const file_worker *w) {
    return (file_sink *)w->base.base.sink;
}

static inline mem *file_mem(const file_worker *w) {
    return &w->base.base.sink->job->mem;
}

/* Patterns of one size of a sorted result. */
typedef struct file_rows {
    const sort_keys *keys;
    uint32_t size;
    const uint64_t *rows;
    size_t n;
} file_rows;

/* Entries may be NULL where that is said. */
struct file_writer {
    size_t sink_bytes, worker_bytes; /* of what it keeps, zero at first */
    /* Prepares what it keeps; then, with the output open, writes what comes first. */
    LODE_NODISCARD lode_status (*open)(file_sink *sink, const lode_dataset *data,
                                       const lode_write_options *o);
    LODE_NODISCARD lode_status (*begin)(file_sink *sink);
    /* Patterns, n_perfect is 0. */
    LODE_NODISCARD lode_status (*write)(file_worker *w, const lode_batch *batch);
    /* Whether it can write a family as one, and how. */
    bool (*takes)(const file_sink *sink, const sink_lattice *lattice);
    LODE_NODISCARD lode_status (*write_family)(file_worker *w, const sink_lattice *lattice);
    /* Sorted results, by several threads: makes the lines of the first rows, at least of one and
     * of as many as there is room for, and sets n to their number; they are handed over by flush.
     * NULL: patterns come by `write`, from one thread. */
    LODE_NODISCARD lode_status (*write_rows)(file_worker *w, file_rows *rows);
    /* Hands over what the worker has; frees it. */
    LODE_NODISCARD lode_status (*flush)(file_worker *w);
    void (*drop)(file_worker *w);
    /* All that comes is known, and nothing is written yet. NULL: no matter. */
    LODE_NODISCARD lode_status (*foresee)(file_sink *sink);
    /* Writes what comes last. */
    LODE_NODISCARD lode_status (*end)(file_sink *sink, bool partial);
    /* Forgets what was written after the beginning. */
    void (*empty)(file_sink *sink);
    void (*free)(file_sink *sink);
};

extern const file_writer file_writer_text;

/* ---- a sorted result on its way to a file, in the words of a file_writer --------------------- */

/* A format that is no text, and text that goes to a function of the program, is written by one
 * thread, the caller's; see write/core/sort_output.h for the others. */

/* Writes all that is in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` is asked on the way, by one thread at a
 * time: CANCELLED if it ends the writing. */
LODE_NODISCARD lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial);

#endif
