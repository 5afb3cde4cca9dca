/* brute.h - the canonical form of a tiny graph, by trying vertex orders
 *
 * The form is the smallest of the lists
 *     n, then for each vertex its label and its links to the vertices before it
 * over all orders of the vertices. Vertices are first distinguished by their own labels and those
 * of their neighbours, which leaves few orders to try. These functions share nothing with code.h,
 * because tests compare the two.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_BRUTE_H
#define LODE_GRAPHS_BRUTE_H

#include "base/vec.h"

#define FORM_MAX  24 /* vertices */
#define FORM_SIZE (1 + 2 * FORM_MAX + FORM_MAX * FORM_MAX)

/* link[u][v] is 0, or 1 + label of the edge from u to v; undirected graphs: symmetric. */
typedef struct form_graph {
    uint32_t n;
    uint32_t labels[FORM_MAX];
    uint32_t link[FORM_MAX][FORM_MAX];
} form_graph;

/* Writes the form, at most FORM_SIZE numbers, and the order of vertices that gives it: order[i] is
 * the vertex at position i. Returns the length of the form. */
size_t form_make(const form_graph *g, uint32_t *form, uint32_t *order);
/* Makes the graph from its form. */
void form_read(const uint32_t *form, form_graph *g);
uint32_t form_count_edges(const form_graph *g, bool directed);

#endif
