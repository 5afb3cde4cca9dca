/* graphs.h - a data set of labelled graphs, the internal half of lode/graphs.h
 *
 * What:  columns hold all graphs, one after the other. Vertices are numbered within a graph.
 *
 *          vertex_start  0     3   5 …           labels      C C O | N C | …
 *          edge_start    0   2   3 …             from to el  0 1 a  1 2 b | 0 1 a | …
 *
 * Ids:   the ids that graphs and vertices have in the file are kept only if they differ from the
 *        numbers. An id is a number below 2^63, or 2^63 + a position in `words`.
 * Labels: label ids are in print order (dict.h). A program that passes its own label numbers gets
 *         the same numbers back. If numbers and ids differ, graph_numbers translates between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPHS_H
#define LODE_DATA_GRAPHS_GRAPHS_H

#include "base/vec.h"
#include "data/graphs/keymap.h"
#include "data/transactions/dict.h"
#include "data/transactions/prepared.h"
#include "runtime/job.h"

#define GRAPHS_WORD ((uint64_t)1 << 63)

typedef struct graph_numbers {
    vec_u32 of_id;  /* number of each id; empty = ids are the numbers */
    keymap ids;     /* id of each number */
    vec_u32 column; /* the label numbers of all vertices or edges, for lode_graphs_at() */
} graph_numbers;

struct lode_graphs {
    ctx_home *home;
    mem *mem;                 /* the memory of `home` */
    prepared_store *prepared; /* data that jobs prepared from the graphs */
    uint32_t n;               /* graphs */
    vec_u64 vertex_start;     /* n + 1 */
    vec_u64 edge_start;       /* n + 1 */
    vec_u32 labels;           /* the labels of all vertices */
    vec_u32 from, to, edge_labels;
    dict *vertex_names, *edge_names, *words;
    graph_numbers vertex_numbers, edge_numbers;
    vec_u64 graph_ids;  /* empty = graph i has the id i */
    vec_u64 vertex_ids; /* empty = vertex v of each graph has the id v */
    vec_u64 supports;   /* empty = none is given */
    vec_u32 classes;    /* DICT_NONE = the graph has none; empty = no graph has one */
    dict *class_names;  /* NULL = no graph has one */
    lode_graph_profile profile;
    vec_char source; /* path of the file; empty = none */
};

/* Adds the profile of the data to the report of a job. */
void graphs_report(const lode_graphs *g, lode_job *job);

LODE_NODISCARD lode_status graphs_create(lode_job *job, lode_graphs **out);
/* Makes room in the columns for g->n graphs. The columns must be empty. */
LODE_NODISCARD lode_status graphs_make_columns(lode_graphs *g, uint64_t n_vertices,
                                               uint64_t n_edges, bool vertex_ids, bool supports);

/* Computes the fields of the profile that depend only on the graphs. */
LODE_NODISCARD lode_status graphs_complete_profile(lode_job *job, lode_graphs *g);

/* Several threads can compute the profile together: call graphs_begin_profile(), then
 * graph_tally_add() once for every graph, then graphs_end_profile(). There are n tallies, initially
 * zero; only one thread may use a tally at a time. Tallies use memory of the job. */
typedef struct graph_tally {
    uint32_t most_vertices, most_edges;
    uint64_t n_empty, n_disconnected;
    keymap triples;
    vec_u32 parent; /* union-find over the vertices of a graph, for its components */
    size_t work;
} graph_tally;

void graphs_begin_profile(lode_graphs *g);
LODE_NODISCARD lode_status graph_tally_add(graph_tally *t, lode_job *job, const lode_graphs *g,
                                           uint32_t i);
LODE_NODISCARD lode_status graphs_end_profile(lode_job *job, lode_graphs *g, graph_tally *tallies,
                                              unsigned n);
void graph_tally_free(graph_tally *t, lode_job *job);

/* Returns the bytes of the columns for this many graphs, vertices and edges. */
uint64_t graphs_data_bytes(uint64_t n, uint64_t n_vertices, uint64_t n_edges);
/* Returns an estimate of the bytes that mining needs in addition, for the store and for lists of
 * occurrences. The number of lists cannot be known in advance. */
uint64_t graphs_mining_bytes(uint64_t n_vertices, uint64_t n_edges, unsigned threads);

/* Returns the part of this estimate for one thread's lists of occurrences. */
static inline uint64_t graphs_lists_bytes(uint64_t n_edges) {
    return ((uint64_t)4 << 20) + n_edges * 96;
}

/* Lends graph i, which must exist, with label ids. lode_graphs_at() uses label numbers instead. */
lode_graph graphs_at(const lode_graphs *g, uint64_t i);

/* Finds the id of one of the program's label numbers; returns false if there is none. */
bool graph_label_id(const graph_numbers *numbers, const dict *names, uint32_t number, uint32_t *id);

/* Renumbers labels so that their order is the print order. new_ids, if not NULL, receives the new
 * id of each old id. */
LODE_NODISCARD lode_status graphs_sort_labels(lode_job *job, dict *names, vec_u32 *labels,
                                              uint32_t *new_ids);

/* Returns the number of vertices of graph i. */
static inline uint32_t graphs_n_vertices(const lode_graphs *g, uint64_t i) {
    return (uint32_t)(g->vertex_start.data[i + 1] - g->vertex_start.data[i]);
}

/* Appends the name of graph i to a text. */
LODE_NODISCARD lode_status graphs_put_graph_name(mem *m, vec_char *text, const lode_graphs *g,
                                                 uint64_t i);
/* Appends the name of vertex v of graph i. */
LODE_NODISCARD lode_status graphs_put_vertex_name(mem *m, vec_char *text, const lode_graphs *g,
                                                  uint64_t i, uint32_t v);
/* Appends a number. */
LODE_NODISCARD lode_status graphs_put_number(mem *m, vec_char *text, uint64_t number);
/* Appends the name of a label. */
static inline LODE_NODISCARD lode_status graphs_put_name(mem *m, vec_char *text, const dict *names,
                                                         uint32_t id) {
    size_t n;
    const char *name = dict_name(names, id, &n);
    return vec_char_append(m, text, name, n);
}

#endif
