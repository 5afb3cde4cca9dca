/* pgm_shapes.h - the arrays that devices and pgm, gSpan on a GPU, hand each other
 *
 * pgm works on one pattern at a time. Its occurrences are columns that share their beginnings, one
 * for each vertex: entry i of column c says that the vertex vid[i] follows occurrence idx[i] of the
 * column before.
 *
 * This header is read by C and by CUDA C++, so it knows nothing else of lode.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BACKEND_PGM_SHAPES_H
#define LODE_BACKEND_PGM_SHAPES_H

#include "backend/graph_shapes.h"

/* The labels of the graphs of a device, by vertex and by half-edge; with bits enough for each. */
typedef struct pgm_labels {
    const uint32_t *of_vertex, *of_half;
    uint32_t vertex_bits, half_bits;
} pgm_labels;

/* Bits that hold the numbers up to n. */
static inline uint32_t pgm_bits_for(uint64_t n) {
    uint32_t bits = 1;
    while (n >> bits) bits++;
    return bits;
}

typedef struct pgm_column {
    const uint32_t *idx, *vid; /* on the device; idx of the first is not read */
} pgm_column;

/* How extensions lie in memory, and how the graphs are read; see lode/papers.h. */
typedef struct pgm_layout {
    int by_columns; /* four arrays instead of vectors of 16 bytes */
    int plain;      /* ordinary instead of read-only loads */
} pgm_layout;

typedef struct pgm_occurrences {
    const pgm_column *columns;
    const uint16_t *path;               /* columns: the newest vertex, its parent, … */
    uint32_t n_columns, n_path, n_rows; /* n_rows: of the last column */
    pgm_layout layout;
} pgm_occurrences;

/* An edge from column `position`, to a new vertex or to a column, with all its occurrences. */
typedef struct pgm_extension {
    uint16_t position, target; /* BACKEND_GRAPH_NEW: a new vertex */
    uint32_t edge_label, to_label;
    uint32_t first, n_rows, support;
} pgm_extension;

#endif
