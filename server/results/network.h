/* network.h - the edges and items of a network while it is collected
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_NETWORK_H
#define LODE_SERVER_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct network_edge {
    uint32_t from, to; /* items */
    double value;      /* of its best row */
    uint64_t row;      /* the best */
    uint32_t rows;     /* how many have it */
} network_edge;

typedef struct network_item {
    uint64_t count; /* in how many transactions it is, where `counted` */
    uint32_t rows;  /* how many have it */
    uint32_t node;  /* its place in `nodes`, or UINT32_MAX */
    bool counted;
} network_item;

typedef struct network {
    network_edge *edges; /* in the order in which they came */
    uint32_t n_edges, most_edges;
    uint32_t *slots; /* edges by hash: their number + 1, or 0 */
    uint32_t n_slots;
    network_item *items; /* by item */
    uint32_t *nodes;     /* items that have an edge */
    uint32_t n_nodes;
    uint64_t *pairs;        /* all edges, also those that are not kept, by hash; 0: free */
    uint32_t n_pairs, room; /* `room` is a power of two */
    bool many;              /* more than NETWORK_PAIRS: they are not counted */
} network;

#define NETWORK_PAIRS (1u << 20)

/* False: no memory. Clear it in any case. */
bool network_init(network *n, uint32_t items, uint32_t most_edges);
void network_clear(network *n);

/* An edge of a row, the best rows first. */
void network_add(network *n, uint32_t from, uint32_t to, double value, uint64_t row);
void network_count_row(network *n, uint32_t item);
void network_item_count(network *n, uint32_t item, uint64_t count);

#endif
