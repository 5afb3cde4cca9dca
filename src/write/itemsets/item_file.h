/* item_file.h - writes itemsets to a file or a function: their order, and the writers
 *
 * Two parts. item_file.c decides about the order: what is held back, sorted or spilled. A
 * file_writer writes patterns in the order in which they come: as lines of text (item_text.c), or
 * as an Arrow file (item_arrow.c). Its data are in `own`, of the sink and of each worker.
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
    bool sorts;         /* patterns are collected to be sorted: */
    keyed_store store;  /* here */
    vec_u32 kept;       /* otherwise: logs of closed workers; under the lock */
    uint64_t threshold; /* of the first job */
    const char *order;  /* of the patterns written, in a word; NULL = search order */
} file_sink;

typedef struct file_worker {
    item_worker base;
    void *own;            /* the writer's */
    bool holds;           /* holds back the first patterns of a result … */
    vec_u32 log;          /* … here */
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

/* Entries may be NULL where noted. */
struct file_writer {
    size_t sink_bytes, worker_bytes; /* of its own data, initially zero */
    /* Initialises its data; then, with the output open, writes the beginning. */
    LODE_NODISCARD lode_status (*open)(file_sink *sink, const lode_dataset *data,
                                       const lode_write_options *o);
    LODE_NODISCARD lode_status (*begin)(file_sink *sink);
    /* Writes patterns; n_perfect is 0. */
    LODE_NODISCARD lode_status (*write)(file_worker *w, const lode_batch *batch);
    /* Whether it can write a family at once; writes it. */
    bool (*takes)(const file_sink *sink, const sink_lattice *lattice);
    LODE_NODISCARD lode_status (*write_family)(file_worker *w, const sink_lattice *lattice);
    /* For sorted results, by several threads: formats the first rows, at least one and as many as
     * there is room for, and sets n to their number; flush writes them. NULL = patterns come by
     * `write`, from one thread. */
    LODE_NODISCARD lode_status (*write_rows)(file_worker *w, file_rows *rows);
    /* Writes what the worker has buffered; frees it. */
    LODE_NODISCARD lode_status (*flush)(file_worker *w);
    void (*drop)(file_worker *w);
    /* Called when all patterns are known, and nothing is written yet. May be NULL. */
    LODE_NODISCARD lode_status (*foresee)(file_sink *sink);
    /* Writes the end. */
    LODE_NODISCARD lode_status (*end)(file_sink *sink, bool partial);
    /* Drops what was written after the beginning. */
    void (*empty)(file_sink *sink);
    void (*free)(file_sink *sink);
};

extern const file_writer file_writer_text;

/* ---- writing a sorted result with a file_writer ---------------------------------------------- */

/* Binary formats, and text for a function of the program, are written by one thread, the caller's;
 * for others see write/core/sort_output.h. */

#endif
