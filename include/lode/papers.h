/* lode/papers.h - settings of the algorithms that were published for GPUs; part of lode.h
 *
 * lode implements the level-wise itemset miners and the GPU version of gSpan as their papers
 * describe them, so that they can be compared (docs/papers.md). The papers compare several variants
 * of a step; these options select one. The first value of each enum is the default. All variants
 * give the same result.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_H
#define LODE_PAPERS_H

#include "lode/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the bits of a word are counted. */
typedef enum lode_popcount {
    LODE_POPCOUNT_NATIVE = 0, /* the fastest of the device */
    LODE_POPCOUNT_TABLE16,    /* a table of 65,536 bytes */
    LODE_POPCOUNT_SHIFT,      /* shift and remainder */
    LODE_POPCOUNT_CONSTANT16  /* that table in GPU constant memory; on a CPU the same as TABLE16 */
} lode_popcount;

/* How the counts of the words of a bit row are summed: by a tree over the length of the row, or
 * over the next power of two. */
typedef enum lode_reduce { LODE_REDUCE_ANY = 0, LODE_REDUCE_POW2 } lode_reduce;

/* How the pairs of N sets are laid out: in N (N - 1) / 2 blocks, or in N * N blocks, half of which
 * are idle. */
typedef enum lode_grid { LODE_GRID_FOLDED = 0, LODE_GRID_SQUARE } lode_grid;

/* Memory layout of the extensions of a subgraph, which are tuples (from, to, edge label, vertex
 * label), and of its occurrences, which are columns of pairs (idx, vid). */
typedef enum lode_graph_records {
    LODE_GRAPH_RECORDS_VECTORS = 0, /* vectors of 16 and of 8 bytes */
    LODE_GRAPH_RECORDS_COLUMNS      /* one array per field */
} lode_graph_records;

/* How a GPU reads graphs, extensions and occurrences. */
typedef enum lode_graph_loads {
    LODE_GRAPH_LOADS_READONLY = 0, /* through the read-only cache */
    LODE_GRAPH_LOADS_PLAIN         /* ordinary loads */
} lode_graph_loads;

/* lode_mine_options and lode_graph_options point to this struct. */
typedef struct lode_paper_options {
    size_t size;
    lode_popcount popcount;     /* the level-wise miners except goethals */
    lode_reduce reduce;         /* gpu-apriori */
    lode_grid grid;             /* gpu-apriori */
    lode_graph_records records; /* pgm, and gspan on a GPU; others reject it */
    lode_graph_loads loads;     /* pgm, and gspan on a GPU; others reject it */
    bool grid_rows;             /* gpu-apriori: each block also intersects the bit rows of its two
                                 * sets */
    uint8_t reserved[3];        /* zero */
} lode_paper_options;

/* The paper options held by `options`; lode_options_mine() and lode_options_graph() return structs
 * that point to them. */
LODE_API const lode_paper_options *lode_options_papers(const lode_options *options);

#ifdef __cplusplus
}
#endif
#endif
