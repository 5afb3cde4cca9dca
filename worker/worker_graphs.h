/* worker_graphs.h - finds where a small graph occurs in another, to show it
 *
 * Backtracking: maps the vertices of the pattern one after the other, each adjacent to a mapped
 * one, and goes back if an edge is missing. That is slow for large patterns and fast for those that
 * a person looks at; the number of steps is limited.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_GRAPHS_H
#define LODE_CLI_WORKER_GRAPHS_H

#include "cli.h"

#define PLACES_VERTICES 256  /* maximum vertices of a pattern */
#define PLACES_EDGES    1024 /* maximum edges of a pattern */
#define PLACES_MOST     20   /* maximum places listed for a graph */
#define PLACES_NONE     UINT32_MAX

typedef struct places_edge {
    uint32_t from, to, label;
} places_edge;

typedef struct places_pattern {
    uint32_t n_vertices, n_edges;
    uint32_t labels[PLACES_VERTICES];
    places_edge edges[PLACES_EDGES];
} places_pattern;

typedef struct places_search places_search;

/* Prepares the search for a pattern in graphs of the data set. NULL: out of memory. */
places_search *places_create(const places_pattern *pattern, const lode_graph_profile *data);
void places_free(places_search *s);

/* Finds up to `most` different places in a graph; returns how many. Mappings that cover the same
 * vertices and edges are one place. Stops after too many steps; *gave_up: that happened before the
 * first place. */
uint32_t places_find(places_search *s, const lode_graph *graph, uint32_t most, bool *gave_up);
/* Where vertex v of the pattern is in the i-th place. */
uint32_t places_vertex(const places_search *s, uint32_t i, uint32_t v);

#endif
