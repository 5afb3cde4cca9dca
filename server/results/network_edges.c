/* network_edges.c - see network_edges.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/network_edges.h"

#include <stddef.h>
#include <stdlib.h>

bool network_init(network *n, uint32_t items, uint32_t most_edges) {
    *n = (network){.most_edges = most_edges, .n_slots = 4};
    while (n->n_slots < 4 * most_edges) n->n_slots *= 2;
    n->edges = calloc(most_edges, sizeof *n->edges);
    n->slots = calloc(n->n_slots, sizeof *n->slots);
    n->room = 1024;
    n->pairs = calloc(n->room, sizeof *n->pairs);
    n->items = calloc((size_t)items + 1, sizeof *n->items);
    n->nodes = calloc(2 * (size_t)most_edges, sizeof *n->nodes);
    if (!n->edges || !n->slots || !n->items || !n->nodes || !n->pairs) return false;
    for (uint32_t i = 0; i < items; i++) n->items[i].node = UINT32_MAX;
    return true;
}

void network_clear(network *n) {
    free(n->edges);
    free(n->slots);
    free(n->items);
    free(n->nodes);
    free(n->pairs);
}

static void network_add_node(network *n, uint32_t item) {
    if (n->items[item].node != UINT32_MAX) return;
    n->items[item].node = n->n_nodes;
    n->nodes[n->n_nodes++] = item;
}

static uint64_t *pair_slot(uint64_t *pairs, uint32_t room, uint64_t pair) {
    uint32_t at = (uint32_t)(pair * 0x9e3779b97f4a7c15u >> 32) & (room - 1);
    while (pairs[at] != 0 && pairs[at] != pair) at = (at + 1) & (room - 1);
    return &pairs[at];
}

static void pairs_widen(network *n) {
    uint32_t room = 2 * n->room;
    uint64_t *pairs = n->n_pairs < NETWORK_PAIRS ? calloc(room, sizeof *pairs) : NULL;
    n->many = !pairs;
    if (!pairs) return;
    for (uint32_t i = 0; i < n->room; i++) {
        if (n->pairs[i] != 0) *pair_slot(pairs, room, n->pairs[i]) = n->pairs[i];
    }
    free(n->pairs);
    n->pairs = pairs;
    n->room = room;
}

/* Counts an edge once, as long as there is room. */
static void network_count_edge(network *n, uint32_t from, uint32_t to) {
    uint64_t pair = ((uint64_t)from + 1) << 32 | to;
    if (n->many) return;
    uint64_t *slot = pair_slot(n->pairs, n->room, pair);
    if (*slot != 0) return;
    *slot = pair;
    if (++n->n_pairs > n->room / 2) pairs_widen(n);
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
    network_count_edge(n, from, to);
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
