/* item_file.h - writes itemsets to a file or a function: decides their order, and defines the
 * writers
 *
 * item_file.c decides about the order: which patterns are held back, sorted or spilled. A
 * file_writer writes patterns in the order in which they come, as lines of text (item_text.c) or as
 * an Arrow file (item_arrow.c). A writer's private data are in the `own` fields of the sink and of
 * each worker.
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
    bool sorts;         /* patterns are collected to be sorted */
    keyed_store store;  /* the patterns to be sorted */
    vec_u32 kept;       /* if `sorts` is false: the logs of closed workers; under the lock */
    uint64_t threshold; /* the threshold of the first job */
    const char *order;  /* the order of the patterns written, as one word; NULL = search order */
    bool ranks;         /* patterns are collected to be ordered by a measure, or by support */
    item_measures rank; /* this measure; none = by support */
    columns ranked;     /* the patterns of closed workers; under the lock */
} file_sink;

typedef struct file_worker {
    item_worker base;
    void *own;            /* the writer's */
    bool holds;           /* the worker holds back the first patterns of a result */
    vec_u32 log;          /* the patterns held back */
    sort_collector found; /* the patterns found, if they are to be sorted */
    columns ranked;       /* likewise, if they are to be ordered by a measure */
} file_worker;

static inline file_sink *file_of(const file_worker *w) {
    return (file_sink *)w->base.base.sink;
}

static inline mem *file_mem(const file_worker *w) {
    return &w->base.base.sink->job->mem;
}

/* Patterns of one size in a sorted result. */
typedef struct file_rows {
    const sort_keys *keys;
    uint32_t size;
    const uint64_t *rows;
    size_t n;
} file_rows;

/* Entries may be NULL where noted. */
struct file_writer {
    size_t sink_bytes, worker_bytes; /* sizes of the writer's own data, which is initially zero */
    /* Initialises the writer's data. */
    LODE_NODISCARD lode_status (*open)(file_sink *sink, const lode_dataset *data,
                                       const lode_write_options *o);
    /* Writes the beginning. The output is open. */
    LODE_NODISCARD lode_status (*begin)(file_sink *sink);
    /* Writes the patterns of a batch whose n_perfect is 0. */
    LODE_NODISCARD lode_status (*write)(file_worker *w, const lode_batch *batch);
    /* Returns whether write_family() can write this family. */
    bool (*takes)(const file_sink *sink, const sink_lattice *lattice);
    /* Writes a family. */
    LODE_NODISCARD lode_status (*write_family)(file_worker *w, const sink_lattice *lattice);
    /* Several threads call it for sorted results. Formats as many of the first rows as fit, and at
     * least one, and sets rows->n to their number; flush() writes them. NULL, and for patterns with
     * measures: one thread passes the patterns to write(). */
    LODE_NODISCARD lode_status (*write_rows)(file_worker *w, file_rows *rows);
    /* Writes the worker's buffer. */
    LODE_NODISCARD lode_status (*flush)(file_worker *w);
    /* Frees the worker's data. */
    void (*drop)(file_worker *w);
    /* Called when all patterns are known and none is written yet. May be NULL. */
    LODE_NODISCARD lode_status (*foresee)(file_sink *sink);
    /* Writes the end. */
    LODE_NODISCARD lode_status (*end)(file_sink *sink, bool partial);
    /* Drops all output after the beginning. */
    void (*empty)(file_sink *sink);
    void (*free)(file_sink *sink);
};

extern const file_writer file_writer_text;

/* ---- writing a sorted result with a file_writer ---------------------------------------------- */

/* The calling thread alone writes binary formats, and text that goes to a function.
 * write/core/sort_output.h describes how other formats are written. */

#endif
