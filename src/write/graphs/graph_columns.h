/* graph_columns.h - graph patterns by columns, as results are stored in memory and sorted
 *
 *     offsets   of vertices  0   2     5 …      lists   vertex labels  C O|C C N|…
 *               of edges     0   1   3 …                from, to, edge labels
 *               of supporters, embeddings, places       graphs, graphs, vertices
 *               of classes                              counts, and tested_class, p, adjusted_p
 *
 * Every list belongs to one kind of offsets, so that appending, joining and sorting are loops over
 * lists and offsets. Lists that were not requested, and their offsets, are empty.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_GRAPH_COLUMNS_H
#define LODE_WRITE_GRAPHS_GRAPH_COLUMNS_H

#include "base/vec.h"
#include "runtime/job.h"

typedef enum graph_offsets {
    OFFSETS_VERTICES,
    OFFSETS_EDGES,
    OFFSETS_SUPPORTERS,
    OFFSETS_EMBEDDINGS,
    OFFSETS_PLACES,
    OFFSETS_CLASSES,
    N_GRAPH_OFFSETS
} graph_offsets;

typedef enum graph_list {
    LIST_VERTEX_LABELS,
    LIST_FROM,
    LIST_TO,
    LIST_EDGE_LABELS,
    LIST_SUPPORTERS,
    LIST_EMBEDDED_IN,
    LIST_EMBEDDINGS,
    LIST_CLASSES,
    N_GRAPH_LISTS
} graph_list;

typedef struct graph_columns {
    vec_u64 supports;
    vec_u64 offsets[N_GRAPH_OFFSETS]; /* empty, or one more entry than patterns */
    vec_u32 lists[N_GRAPH_LISTS];
} graph_columns;

void graph_columns_free(mem *m, graph_columns *c);

/* Appends a pattern. On failure `c` is unchanged. */
LODE_NODISCARD lode_status graph_columns_append(mem *m, graph_columns *c,
                                                const lode_graph_pattern *p);
/* Appends all patterns of `from`, which may be empty afterwards. On failure both are unchanged. */
LODE_NODISCARD lode_status graph_columns_join(mem *m, graph_columns *c, graph_columns *from);

/* Keeps only patterns with at least this support. */
void graph_columns_keep(graph_columns *c, uint64_t min_support);
/* Keeps only the patterns i for which wants(user, i) is true; asks in ascending order. */
void graph_columns_pick(graph_columns *c, bool (*wants)(void *user, size_t i), void *user);
/* Keeps only the first n patterns. */
void graph_columns_cut(graph_columns *c, size_t n);

/* Lends pattern i. */
lode_graph_pattern graph_columns_at(const graph_columns *c, uint64_t i, lode_graph *graph);

/* Sorts by support, number of edges and number of vertices, each from the highest, and then by
 * columns. This is a total order, which does not depend on the order of arrival. Takes twice the
 * memory while it works. `stop` may be NULL. Returns CANCELLED if `stop` ended the sort; the
 * patterns are then unchanged. */
LODE_NODISCARD lode_status graph_columns_sort(mem *m, graph_columns *c, const sort_stop *stop);

/* Returns the bytes of all patterns. */
uint64_t graph_columns_bytes(const graph_columns *c);
/* Returns the bytes of one pattern. */
uint64_t graph_columns_pattern_bytes(const lode_graph_pattern *p);

#endif
