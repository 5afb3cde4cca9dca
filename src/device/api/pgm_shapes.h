/* pgm_shapes.h - the arrays that devices and pgm (gSpan on a GPU) exchange
 *
 * The occurrences of a pattern are columns that share prefixes, one column for each vertex: entry i
 * of column c says that the vertex vid extends entry idx of the previous column. One search extends
 * the patterns of a batch.
 *
 *     column 0          column 1          column 2         as pairs:  idx vid | idx vid | idx vid
 *     idx  vid          idx  vid          idx  vid         by columns: idx idx idx | vid vid vid
 *      -    7            0    8            0    9
 *      -   20            0    9            0   10
 *                        1   21            2   23          three occurrences: 7 8 9, 7 8 10,
 *                                                          20 21 23
 *
 * This header is included by C and by CUDA C++, so it includes nothing else of lode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_PGM_SHAPES_H
#define LODE_DEVICE_API_PGM_SHAPES_H

#include "device/api/graph_shapes.h"

/* The labels of the graphs of a device, by vertex and by half-edge; and the bits that each
 * needs. */
typedef struct pgm_labels {
    const uint32_t *of_vertex, *of_half;
    uint32_t vertex_bits, half_bits;
} pgm_labels;

/* The number of bits for numbers up to n. */
static inline uint32_t pgm_bits_for(uint64_t n) {
    uint32_t bits = 1;
    while (n >> bits) bits++;
    return bits;
}

/* The memory layout of columns and records, and how a GPU loads them; see lode/papers.h. */
typedef struct pgm_layout {
    int by_columns; /* one array per field, concatenated, instead of vectors */
    int plain;      /* ordinary instead of read-only loads */
} pgm_layout;

/* A row of a column. */
typedef struct pgm_entry {
    uint32_t idx, vid; /* idx of the first column: BACKEND_GRAPH_NONE */
} pgm_entry;

/* A column on the device: n entries, in the layout of its search. */
typedef struct pgm_column {
    const void *block;
    uint32_t n;
} pgm_column;

static inline size_t pgm_column_bytes(size_t n) {
    return n * sizeof(pgm_entry);
}

/* Entry i of a block of n entries in host memory. */
static inline pgm_entry pgm_entry_get(const void *block, size_t n, size_t i, int by_columns) {
    pgm_entry e;
    if (by_columns) {
        e.idx = ((const uint32_t *)block)[i];
        e.vid = ((const uint32_t *)block)[n + i];
    } else {
        e = ((const pgm_entry *)block)[i];
    }
    return e;
}

static inline void pgm_entry_put(void *block, size_t n, size_t i, int by_columns, pgm_entry e) {
    if (by_columns) {
        ((uint32_t *)block)[i] = e.idx;
        ((uint32_t *)block)[n + i] = e.vid;
    } else {
        ((pgm_entry *)block)[i] = e;
    }
}

/* A pattern of a batch; its rows are those of its last column. */
typedef struct pgm_pattern {
    uint32_t first_column, n_columns; /* in the columns of the batch */
    uint32_t first_path, n_path; /* in its paths: the newest vertex, its parent, … as columns */
    uint32_t least_type;         /* edges of smaller types are not looked at */
} pgm_pattern;

typedef struct pgm_batch {
    const pgm_pattern *patterns;
    const pgm_column *columns;
    const uint16_t *paths;
    uint32_t n_patterns, n_columns, n_paths;
    uint32_t min_support; /* extensions in fewer graphs are not listed */
    pgm_layout layout;
} pgm_batch;

/* An edge that extends a pattern, as in a DFS code: from column to column. If `to` is the number of
 * columns, the vertex there is new. The label of `from` is known from the pattern. */
typedef struct pgm_record {
    uint32_t from, to;
    uint32_t edge_label, to_label;
} pgm_record;

/* An extension with all its occurrences. */
typedef struct pgm_extension {
    pgm_record record;
    uint32_t pattern; /* of the batch */
    uint32_t n_rows, support;
    uint32_t first; /* for the device: where it finds the rows */
} pgm_extension;

/* What a search found. */
typedef struct pgm_found {
    uint32_t n_patterns; /* searched: the first ones of the batch, at least one */
    uint32_t n_list;
    uint64_t n_counted; /* extensions, including those that are not listed */
    const pgm_extension *list;
} pgm_found;

/* A column to write: the new last column of an extension. It is added to the columns of the
 * pattern, or replaces the last one if the edge goes backward. The block is on the device and has
 * pgm_column_bytes(extension.n_rows) bytes. */
typedef struct pgm_build {
    pgm_extension extension;
    void *block;
} pgm_build;

/* Seconds of each step since the device was opened: on a GPU those of its kernels. */
typedef struct pgm_times {
    double extend;  /* writing columns, counting extensions and listing them as records */
    double sort;    /* sorting records by code */
    double support; /* gathering and summing records */
    double column;  /* making new columns */
} pgm_times;

#endif
