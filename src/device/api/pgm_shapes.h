/* pgm_shapes.h - the arrays that devices and pgm (gSpan on a GPU) exchange
 *
 * The occurrences of a pattern are stored as columns, one for each vertex of the pattern. Entry i
 * of a column has a vertex vid and the number idx of the entry in the previous column that it
 * extends, so occurrences with a common beginning share it. Entry i of the last column, followed
 * back through idx, is occurrence i. One search extends all patterns of a batch.
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

/* The labels of the graphs of a device, by vertex and by half-edge of its backend_graphs, and how
 * many bits a label of each kind needs. */
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

/* The memory layout of columns and records, and how a GPU loads them; see the options `records` and
 * `loads` in lode/papers.h. */
typedef struct pgm_layout {
    int by_columns; /* an array for each field, one after the other, and not an array of structs */
    int plain;      /* ordinary loads, and not loads through the read-only cache */
} pgm_layout;

/* An entry of a column. */
typedef struct pgm_entry {
    uint32_t idx, vid; /* idx of the first column: BACKEND_GRAPH_NONE */
} pgm_entry;

/* A column in device memory: n entries, in the layout of the search. */
typedef struct pgm_column {
    const void *block;
    uint32_t n;
} pgm_column;

/* Bytes of a column of n entries, in either layout. */
static inline size_t pgm_column_bytes(size_t n) {
    return n * sizeof(pgm_entry);
}

/* Reads entry i of a block of n entries in host memory; pgm_entry_put() writes it. */
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

/* A pattern of a batch. */
typedef struct pgm_pattern {
    uint32_t first_column, n_columns; /* its range in `columns` of the batch */
    uint32_t first_path, n_path;      /* its range in `paths` of the batch */
    uint32_t least_type;              /* edges of smaller types are ignored */
} pgm_pattern;

/* The input of a search. The arrays are in host memory. */
typedef struct pgm_batch {
    const pgm_pattern *patterns;
    const pgm_column *columns;
    const uint16_t *paths; /* right-most paths as columns: the newest vertex, its parent, … */
    uint32_t n_patterns, n_columns, n_paths;
    uint32_t min_support; /* extensions in fewer graphs are not listed */
    pgm_layout layout;
} pgm_batch;

/* An edge that extends a pattern, as in a DFS code, from column `from` to column `to`. If `to` is
 * the number of columns, the edge leads to a new vertex. (The label of the vertex at `from` is
 * known from the pattern.) */
typedef struct pgm_record {
    uint32_t from, to;
    uint32_t edge_label, to_label;
} pgm_record;

/* An extension, with the number of its occurrences. */
typedef struct pgm_extension {
    pgm_record record;
    uint32_t pattern;         /* number of the pattern in the batch */
    uint32_t n_rows, support; /* occurrences; graphs that have one */
    uint32_t first;           /* for the device only: where it finds the occurrences */
} pgm_extension;

/* What a search found. */
typedef struct pgm_found {
    uint32_t n_patterns; /* how many patterns were searched, at least one: the first of the batch */
    uint32_t n_list;
    uint64_t n_counted;        /* extensions, including those that are not listed */
    const pgm_extension *list; /* those in at least min_support graphs */
} pgm_found;

/* A column to write: the new last column of an extension. The new column follows the columns of the
 * pattern; if the edge goes backward, it replaces the last of them. The block is device memory of
 * pgm_column_bytes(extension.n_rows) bytes. */
typedef struct pgm_build {
    pgm_extension extension;
    void *block;
} pgm_build;

/* Seconds of each step since the device was opened; on a GPU, the time of its kernels. */
typedef struct pgm_times {
    double extend;  /* writing columns, counting extensions and listing them as records */
    double sort;    /* sorting records by code */
    double support; /* gathering and summing records */
    double column;  /* making new columns */
} pgm_times;

#endif
