/* network_edges.c - see network_edges.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "network_edges.h"

#include <stddef.h>
#include <stdlib.h>

bool network_init(network *n, uint32_t items, uint32_t most_edges) {
    *n = (network){.most_edges = most_edges, .n_slots = 4};
    while (n->n_slots < 4 * most_edges) n->n_slots *= 2;
    n->edges = calloc(most_edges, sizeof *n->edges);
    n->slots = calloc(n->n_slots, sizeof *n->slots);
    n->items = calloc((size_t)items + 1, sizeof *n->items);
    n->nodes = calloc(2 * (size_t)most_edges, sizeof *n->nodes);
    if (!n->edges || !n->slots || !n->items || !n->nodes) return false;
    for (uint32_t i = 0; i < items; i++) n->items[i].node = UINT32_MAX;
    return true;
}

void network_clear(network *n) {
    free(n->edges);
    free(n->slots);
    free(n->items);
    free(n->nodes);
}

static void network_add_node(network *n, uint32_t item) {
    if (n->items[item].node != UINT32_MAX) return;
    n->items[item].node = n->n_nodes;
    n->nodes[n->n_nodes++] = item;
}

/* The slot of an edge: its own, or the free one where it would be. */
static uint32_t *network_slot(network *n, uint32_t from, uint32_t to) {
    uint64_t hash = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
        uint32_t *slot = &n->slots[at & (n->n_slots - 1)];
        const network_edge *e = *slot ? &n->edges[*slot - 1] : NULL;
        if (!e || (e->from == from && e->to == to)) return slot;
    }
}

void network_add(network *n, uint32_t from, uint32_t to, double value, uint64_t row) {
    uint32_t *slot = network_slot(n, from, to);
    if (*slot == 0) {
        if (n->n_edges == n->most_edges) return;
        n->edges[n->n_edges] = (network_edge){from, to, value, row, 0};
        *slot = ++n->n_edges;
        network_add_node(n, from);
        network_add_node(n, to);
    }
    n->edges[*slot - 1].rows++;
}

void network_count_row(network *n, uint32_t item) {
    n->items[item].rows++;
}

void network_item_count(network *n, uint32_t item, uint64_t count) {
    n->items[item].count = count;
    n->items[item].counted = true;
}
