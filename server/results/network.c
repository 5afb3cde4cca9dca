/* network.c - the item network: items, and the strongest rules or pairs between them
 *
 * Reads the matching rows in the order of a column, the best first. A rule of one item on each side
 * gives an edge; other rules give none, because they say nothing about two single items. An itemset
 * gives an edge between any two of its items. Because the best rows come first, the first row of an
 * edge is its best, and the first edges are the strongest: when there are enough edges, later rows
 * only add to them. The number of rows is limited; the answer contains it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stores_ask.h"
#include "results/stores_routes.h"

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
static bool network_init(network *n, uint32_t items, uint32_t most_edges);
static void network_clear(network *n);

/* Adds an edge of a row. Add the best rows first. */
static void network_add(network *n, uint32_t from, uint32_t to, double value, uint64_t row);
static void network_count_row(network *n, uint32_t item);
static void network_item_count(network *n, uint32_t item, uint64_t count);

#define NETWORK_ROWS  20000   /* maximum number of rows that are read */
#define NETWORK_STEPS 5000000 /* maximum number of item pairs, over all rows */
#define NETWORK_EDGES 2000    /* maximum number of edges of a request */

typedef struct network_ask {
    char by[101];
    uint32_t edges;
} network_ask;

typedef struct network_run {
    store_handle *handle;
    const network_ask *ask;
    uint32_t by; /* the column */
    uint64_t *rows;
    size_t n_rows;
    network net;
    uint64_t found, used, steps;
} network_run;

/* ---- rows ----------------------------------------------------------------------------------- */

static void network_add_rule(network_run *n, const lode_store_row *row, double value) {
    network_add(&n->net, row->items[0], row->rhs[0], value, row->row);
    network_item_count(&n->net, row->items[0], row->counts.lhs);
    network_item_count(&n->net, row->rhs[0], row->counts.rhs);
}

static void network_add_itemset(network_run *n, const lode_store_row *row, double value) {
    for (uint32_t a = 0; a < row->n_items; a++) {
        for (uint32_t b = a + 1; b < row->n_items; b++) {
            network_add(&n->net, row->items[a], row->items[b], value, row->row);
        }
    }
}

static lode_status network_add_row(network_run *n, uint64_t number) {
    lode_store_row row = LODE_INIT(lode_store_row);
    double value;
    lode_status status = lode_store_row_at(n->handle->store, number, &row);
    if (status == LODE_OK) status = lode_store_value(n->handle->store, number, n->by, &value);
    if (status != LODE_OK) return status;
    /* A row of very many items would take longer than all others together. */
    bool rules = n->handle->info.kind == LODE_RULES;
    uint64_t pairs = rules ? 1 : (uint64_t)row.n_items * (row.n_items - 1) / 2;
    if (rules && (row.n_items != 1 || row.n_rhs != 1)) return LODE_OK;
    if (isnan(value) || pairs > NETWORK_STEPS) return LODE_OK;
    n->used++;
    n->steps += pairs;
    for (uint32_t i = 0; i < row.n_items; i++) network_count_row(&n->net, row.items[i]);
    for (uint32_t i = 0; i < row.n_rhs; i++) network_count_row(&n->net, row.rhs[i]);
    if (rules) {
        network_add_rule(n, &row, value);
    } else {
        network_add_itemset(n, &row, value);
    }
    return LODE_OK;
}

/* An itemset of one item is no edge, nor is a rule of more than two items. */
static lode_status network_collect(network_run *n, const lode_query_options *filter) {
    lode_query_options o = *filter;
    o.sort_by = n->ask->by;
    if (n->handle->info.kind == LODE_ITEMSETS && o.min_size < 2) o.min_size = 2;
    if (n->handle->info.kind == LODE_RULES && (o.max_size == 0 || o.max_size > 2)) o.max_size = 2;
    lode_status status =
        lode_store_rows(n->handle->store, &o, 0, n->rows, NETWORK_ROWS, &n->n_rows);
    n->found = n->n_rows;
    o.sort_by = NULL;
    if (status == LODE_OK && n->n_rows == NETWORK_ROWS) {
        status = lode_store_count(n->handle->store, &o, &n->found);
    }
    for (size_t i = 0; status == LODE_OK && i < n->n_rows && n->steps < NETWORK_STEPS; i++) {
        status = network_add_row(n, n->rows[i]);
    }
    return status;
}

/* The counts of single items, if the itemsets contain them. */
static lode_status network_supports(network_run *n) {
    uint32_t items = n->net.n_nodes;
    if (n->handle->info.kind != LODE_ITEMSETS || items == 0) return LODE_OK;
    uint64_t *offsets = malloc((items + 1) * sizeof *offsets);
    uint64_t *supports = malloc(items * sizeof *supports);
    lode_known *known = malloc(items * sizeof *known);
    lode_status status = offsets && supports && known ? LODE_OK : LODE_NOMEM;
    for (uint32_t i = 0; status == LODE_OK && i <= items; i++) offsets[i] = i;
    if (status == LODE_OK) {
        status =
            lode_store_supports(n->handle->store, items, offsets, n->net.nodes, supports, known);
    }
    for (uint32_t i = 0; status == LODE_OK && i < items; i++) {
        if (known[i] == LODE_KNOWN_EXACT) network_item_count(&n->net, n->net.nodes[i], supports[i]);
    }
    free(offsets);
    free(supports);
    free(known);
    return status;
}

/* ---- the answer ----------------------------------------------------------------------------- */

static void network_write_nodes(const network_run *n, text *out) {
    for (uint32_t i = 0; i < n->net.n_nodes; i++) {
        const network_item *item = &n->net.items[n->net.nodes[i]];
        size_t bytes;
        const char *name = lode_store_item_name(n->handle->store, n->net.nodes[i], &bytes);
        text_put(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        text_json_bytes(out, name, bytes);
        text_put(out, ",\"count\":");
        if (item->counted) {
            text_json_count(out, item->count);
        } else {
            text_put(out, "null");
        }
        text_printf(out, ",\"rules\":%u}", item->rows);
    }
}

static void network_write_edges(const network_run *n, text *out) {
    for (uint32_t i = 0; i < n->net.n_edges; i++) {
        const network_edge *e = &n->net.edges[i];
        text_printf(out, "%s{\"from\":%u,\"to\":%u,\"value\":", i > 0 ? "," : "",
                    n->net.items[e->from].node, n->net.items[e->to].node);
        text_json_number(out, e->value);
        text_printf(out, ",\"rules\":%u,\"row\":%llu}", e->rows, (unsigned long long)e->row);
    }
}

static void network_write(const network_run *n, text *out) {
    text_put(out, "{\"by\":");
    text_json_string(out, n->ask->by);
    text_put(out, ",\"nodes\":[");
    network_write_nodes(n, out);
    text_put(out, "],\"edges\":[");
    network_write_edges(n, out);
    text_put(out, "],\"edges_found\":");
    if (n->net.many) {
        text_put(out, "null");
    } else {
        text_json_count(out, n->net.n_pairs);
    }
    text_printf(out, ",\"used\":%llu,\"found\":%llu}", (unsigned long long)n->used,
                (unsigned long long)n->found);
}

static lode_status network_work(const question *q, store_handle *h, text *out, store_failure *why) {
    network_run n = {.handle = h, .ask = q->more};
    uint32_t items = 0;
    if (!lode_store_column_find(h->store, n.ask->by, &n.by)) {
        why->status = LODE_INVALID;
        snprintf(why->message, sizeof why->message, "by: this result has no column '%s'",
                 n.ask->by);
        return LODE_INVALID;
    }
    lode_status status = lode_store_items(h->store, &items);
    n.rows = malloc(NETWORK_ROWS * sizeof *n.rows);
    if (status == LODE_OK && (!n.rows || !network_init(&n.net, items, n.ask->edges))) {
        status = LODE_NOMEM;
    }
    if (status == LODE_OK) status = network_collect(&n, &q->query->options);
    if (status == LODE_OK) status = network_supports(&n);
    if (status == LODE_OK) network_write(&n, out);
    free(n.rows);
    network_clear(&n.net);
    return status;
}

/* ---- the request ---------------------------------------------------------------------------- */

/* False: it has been answered. */
static bool network_read(request *r, result_kind kind, network_ask *ask) {
    const char *by = request_value(r, "by");
    uint64_t bounds[2] = {1, NETWORK_EDGES}, edges;
    if (!by) by = kind == RESULT_RULES ? "lift" : "count";
    if (!*by || strlen(by) >= sizeof ask->by) {
        reply_error(r, 422, "invalid", "by: expected the name of a column or measure");
        return false;
    }
    if (!request_count(r, "edges", bounds, 100, &edges)) return false;
    snprintf(ask->by, sizeof ask->by, "%s", by);
    ask->edges = (uint32_t)edges;
    return true;
}

void route_network(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    if (job.kind == RESULT_GRAPHS) {
        reply_error(r, 422, "invalid", "results of graphs have no item network");
        return;
    }
    network_ask *ask = calloc(1, sizeof *ask);
    query *filter = NULL;
    if (!ask) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
    } else if (network_read(r, job.kind, ask)) {
        filter = query_of_request(r, false);
    }
    if (!filter) {
        free(ask);
        return;
    }
    question *q = question_new(job.id, network_work, filter, ask);
    if (q) (void)question_key(q, "network %u\n%s\n%s", ask->edges, ask->by, filter->filter);
    asked_reply(stores_asked(s->stores), q, r);
}

/* ---- collecting the edges and items ---------------------------------- */

static bool network_init(network *n, uint32_t items, uint32_t most_edges) {
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

static void network_clear(network *n) {
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

/* Counts each edge once, as long as the table has room. */
static void network_count_edge(network *n, uint32_t from, uint32_t to) {
    uint64_t pair = ((uint64_t)from + 1) << 32 | to;
    if (n->many) return;
    uint64_t *slot = pair_slot(n->pairs, n->room, pair);
    if (*slot != 0) return;
    *slot = pair;
    if (++n->n_pairs > n->room / 2) pairs_widen(n);
}

/* The slot of an edge, or the free slot for it. */
static uint32_t *network_slot(network *n, uint32_t from, uint32_t to) {
    uint64_t hash = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;
    for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
        uint32_t *slot = &n->slots[at & (n->n_slots - 1)];
        const network_edge *e = *slot ? &n->edges[*slot - 1] : NULL;
        if (!e || (e->from == from && e->to == to)) return slot;
    }
}

static void network_add(network *n, uint32_t from, uint32_t to, double value, uint64_t row) {
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

static void network_count_row(network *n, uint32_t item) {
    n->items[item].rows++;
}

static void network_item_count(network *n, uint32_t item, uint64_t count) {
    n->items[item].count = count;
    n->items[item].counted = true;
}
