/* graph_lines.h - parses lines of gSpan text into the columns of a data set of graphs
 *
 *     t # 0            a graph; the id may be any word; "t # 7 * 45" is a pattern of support 45
 *     v 0 C            a vertex: id (any word, in any order) and label (any word, or none)
 *     e 0 1 2          an edge between vertices seen before: label any word, or none
 *     x 0 4 9          graphs that contain the pattern: must be inside a graph; not kept
 *     t # -1           the end, as some programs write it
 *
 * Blank lines and lines that begin with # or % are skipped.
 *
 * Parts: a reader of a part (graph_parts.c) has some graphs of a file, and does not know their
 *        numbers or line numbers. It keeps the id of every graph, and returns PARSE without a
 *        message for everything that needs these numbers: malformed lines, and graphs without an
 *        id. Its caller must look for repeated ids.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_GRAPH_LINES_H
#define LODE_DATA_GRAPHS_GRAPH_LINES_H

#include "data/graphs/graphs.h"
#include "read/input.h"

#define GRAPH_LINES_NUMBERS 4096 /* labels below are looked up in an array */

typedef struct graph_lines_labels {
    dict *names;
    uint32_t
        numbers[GRAPH_LINES_NUMBERS]; /* id + 1 of the label that is this number; 0 = none yet */
} graph_lines_labels;

typedef struct graph_lines {
    lode_job *job;
    mem *mem;
    input *in; /* for its name */
    bool skip;
    bool part;
    lode_graphs *g;
    graph_lines_labels vertex_labels, edge_labels;
    keymap vertices, edges; /* of the current graph */
    keymap graphs;          /* by id, for ids that differ from the number of the graph */
    bool warned;            /* about a repeated id */
    uint64_t line;
    const char *line_start;
    bool in_graph;
    bool skipping; /* skip the rest of a malformed graph */
} graph_lines;

/* Begins with an empty data set. Free *out even if this fails. */
LODE_NODISCARD lode_status graph_lines_begin(lode_job *job, graph_lines **out,
                                             const lode_graph_read_options *options);
void graph_lines_free(graph_lines *r);

/* Reads whole lines. Errors: PARSE, NOMEM, BUDGET, UNSUPPORTED (numbers exceed 32 bits). */
LODE_NODISCARD lode_status graph_lines_block(graph_lines *r, const vec_char *text);
/* Ends the current graph, if there is one. */
LODE_NODISCARD lode_status graph_lines_end(graph_lines *r);

static inline bool graph_lines_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

#endif
