/* network.h - collects the edges and items of an item network
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_NETWORK_H
#define LODE_SERVER_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct network_edge {
    uint32_t from, to; /* items */
    double value;      /* value of its best row */
    uint64_t row;      /* its best row */
    uint32_t rows;     /* number of rows with it */
} network_edge;

typedef struct network_item {
    uint64_t count; /* number of its transactions, if `counted` */
    uint32_t rows;  /* number of rows with it */
    uint32_t node;  /* index in `nodes`, or UINT32_MAX */
    bool counted;
} network_item;

typedef struct network {
    network_edge *edges; /* in the order in which they were added */
    uint32_t n_edges, most_edges;
    uint32_t *slots; /* hash table: index of an edge + 1; 0: free */
    uint32_t n_slots;
    network_item *items; /* by item */
    uint32_t *nodes;     /* items that have an edge */
    uint32_t n_nodes;
    uint64_t *pairs; /* hash table of all edges, including those that are not kept; 0: free */
    uint32_t n_pairs, room; /* `room` is a power of two */
    bool many;              /* more than NETWORK_PAIRS edges: no longer counted */
} network;

#define NETWORK_PAIRS (1u << 20)

/* False: out of memory. Call network_clear() in any case. */
bool network_init(network *n, uint32_t items, uint32_t most_edges);
void network_clear(network *n);

/* Adds an edge of a row. Add the best rows first. */
void network_add(network *n, uint32_t from, uint32_t to, double value, uint64_t row);
void network_count_row(network *n, uint32_t item);
void network_item_count(network *n, uint32_t item, uint64_t count);

#endif
