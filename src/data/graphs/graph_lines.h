/* graph_lines.h - parses lines of gSpan text into the columns of a data set of graphs
 *
 *     t # 0            a graph; the id may be any word; "t # 7 * 45" is a pattern with support 45
 *     v 0 C            a vertex: its id (any word, in any order) and label (any word, or none)
 *     e 0 1 2          an edge between two earlier vertices of the graph, and its label (any word,
 *                      or none)
 *     x 0 4 9          the graphs that contain the pattern; not kept, but must be inside a graph
 *     t # -1           the end, as some programs write it
 *     t # 0 active     a graph and its class, which is kept, counted and reported
 *
 * Blank lines and lines that begin with # or % are skipped.
 *
 * Parts: a reader of a part (graph_parts.c) gets some graphs of a file, without their numbers and
 *        line numbers. The reader keeps the id of every graph. When it would need these numbers,
 *        because a line is malformed or a graph has no id, it returns PARSE without a message. Its
 *        caller must check for repeated ids.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_LINES_H
#define LODE_DATA_GRAPHS_GRAPH_LINES_H

#include "data/graphs/graphs.h"
#include "read/input.h"

#define GRAPH_LINES_NUMBERS 4096 /* labels that are numbers below this are looked up in an array */

typedef struct graph_lines_labels {
    dict *names;
    /* by number: id + 1 of the label with this number as its name; 0 = none yet */
    uint32_t numbers[GRAPH_LINES_NUMBERS];
} graph_lines_labels;

typedef struct graph_lines {
    lode_job *job;
    mem *mem;
    input *in; /* lent; used only for its name */
    bool skip;
    bool part;
    lode_graphs *g;
    graph_lines_labels vertex_labels, edge_labels;
    keymap vertices, edges; /* of the current graph: its vertices by id, and its edges */
    keymap graphs;          /* graphs by id, for ids that differ from the graph's number */
    vec_u64 class_counts;   /* by class: graphs */
    uint32_t class_of;      /* of the current graph; DICT_NONE = it has none */
    bool warned;            /* a warning about a repeated id was given */
    uint64_t line;
    const char *line_start;
    bool in_graph;
    bool skipping; /* the rest of a malformed graph is being skipped */
} graph_lines;

/* Creates a reader with an empty data set. *out must be freed even if the call fails. */
LODE_NODISCARD lode_status graph_lines_begin(lode_job *job, graph_lines **out,
                                             const lode_graph_read_options *options);
void graph_lines_free(graph_lines *r);

/* Reads a text that consists of whole lines. Errors: PARSE, NOMEM, BUDGET, UNSUPPORTED (a number
 * exceeds 32 bits). */
LODE_NODISCARD lode_status graph_lines_block(graph_lines *r, const vec_char *text);
/* Reports how many graphs each class has, if graphs have classes. Call it at the end. */
LODE_NODISCARD lode_status graph_lines_log_classes(graph_lines *r);
/* Ends the current graph, if there is one. */
LODE_NODISCARD lode_status graph_lines_end(graph_lines *r);

static inline bool graph_lines_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

#endif
