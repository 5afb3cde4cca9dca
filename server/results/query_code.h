/* query_code.h - the vertices and edges of a graph pattern, from its code
 *
 * A stored graph has a code on one line, similar to SMILES (docs/output.md):
 * [C]-1-[C](-2-[O])-1-[N]. The page draws vertices and edges, so this parser splits the code.
 * Labels may contain any characters, so a code can be ambiguous; it is accepted only if the numbers
 * of vertices and edges are those in the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUERY_CODE_H
#define LODE_SERVER_QUERY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct code_label {
    const char *words; /* within the code */
    size_t bytes;
} code_label;

typedef struct code_edge {
    uint32_t from, to;
    code_label label;
} code_edge;

typedef struct code_graph {
    code_label *vertices;
    code_edge *edges;
    uint32_t n_vertices, n_edges;
} code_graph;

/* Parses a code with the given numbers of vertices and edges. False: the code does not match them,
 * or out of memory; the graph is then empty. */
bool code_read(const char *code, size_t bytes, uint32_t vertices, uint32_t edges, code_graph *out);
void code_graph_free(code_graph *g);

#endif
