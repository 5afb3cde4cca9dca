/* worker_profile.c - describes a data set as JSON: sizes, lengths, the most frequent items
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define PROFILE_TOP   50
#define PROFILE_BINS  40
#define EVEN_MOST     400 /* the longest that bins of equal width are made for */
#define GIANT_LEAST   100 /* a basket of more items, … */
#define GIANT_TIMES   10  /* … and of so many times the mean, is a giant */
#define NAME_ON_STACK 256

/* ---- names ---------------------------------------------------------------------------------- */

void worker_add_item(worker_text *json, const lode_dataset *data, uint32_t item) {
    char name[NAME_ON_STACK];
    size_t n = lode_dataset_item_name(data, item, name, sizeof name);
    if (n <= sizeof name) {
        worker_add_text(json, name, n);
        return;
    }
    char *whole = malloc(n);
    if (!whole) {
        json->lost = true;
        return;
    }
    lode_dataset_item_name(data, item, whole, n);
    worker_add_text(json, whole, n);
    free(whole);
}

void worker_add_items(worker_text *json, const lode_dataset *data, const uint32_t *items,
                      size_t n) {
    worker_addf(json, "[");
    for (size_t i = 0; i < n && !worker_is_full(json); i++) {
        if (i > 0) worker_addf(json, ",");
        worker_add_item(json, data, items[i]);
    }
    worker_addf(json, "]");
}

/* ---- the most frequent ---------------------------------------------------------------------- */

static void worker_top_add(worker_top *t, uint64_t count, uint32_t item) {
    size_t at = t->n;
    if (count == 0 || (t->n == t->most && count <= t->counts[at - 1])) return;
    if (t->n < t->most) t->n++;
    if (at == t->most) at--;
    for (; at > 0 && t->counts[at - 1] < count; at--) {
        t->counts[at] = t->counts[at - 1];
        t->items[at] = t->items[at - 1];
    }
    t->counts[at] = count;
    t->items[at] = item;
}

void worker_top_items(const lode_dataset *data, worker_top *t) {
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        uint32_t item = lode_dataset_item_at(data, i);
        worker_top_add(t, lode_dataset_item_support(data, item), item);
    }
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* The first length of each bin, and behind the last; returns how many bins there are. Bins are of
 * one length, or of equal width, or where a few are very long, wider and wider. */
static size_t profile_edges(uint64_t longest, uint64_t edges[PROFILE_BINS + 1]) {
    uint64_t width = (longest + PROFILE_BINS - 1) / PROFILE_BINS;
    for (double ratio = 1;; ratio *= 1.02) {
        size_t n = 0;
        uint64_t edge = 1;
        while (edge <= longest && n < PROFILE_BINS) {
            edges[n++] = edge;
            uint64_t wider = (uint64_t)((double)edge * ratio);
            edge = longest <= EVEN_MOST ? edge + width : wider > edge ? wider : edge + 1;
        }
        edges[n] = longest + 1;
        if (edge > longest) return n;
    }
}

static void profile_add_bins(worker_text *json, const uint64_t *counts, uint64_t longest) {
    uint64_t edges[PROFILE_BINS + 1];
    size_t n = longest ? profile_edges(longest, edges) : 0;
    worker_addf(json, "[");
    for (size_t i = 0; i < n; i++) {
        uint64_t count = 0;
        for (uint64_t length = edges[i]; length < edges[i + 1]; length++) count += counts[length];
        worker_addf(json, "%s{\"from\":%llu,\"to\":%llu,\"count\":%llu}", i ? "," : "",
                    (unsigned long long)edges[i], (unsigned long long)edges[i + 1] - 1,
                    (unsigned long long)count);
    }
    worker_addf(json, "]");
}

static void profile_add_giants(worker_text *json, const uint64_t *counts, uint64_t longest,
                               double mean) {
    uint64_t from = (uint64_t)(GIANT_TIMES * mean), n = 0;
    if (from < GIANT_LEAST) from = GIANT_LEAST;
    for (uint64_t length = from + 1; length <= longest; length++) n += counts[length];
    if (n == 0) {
        worker_addf(json, "null");
        return;
    }
    worker_addf(json, "{\"from\":%llu,\"count\":%llu}", (unsigned long long)from + 1,
                (unsigned long long)n);
}

static void profile_add_lengths(worker_text *json, const lode_dataset *data, const lode_profile *p,
                                double mean) {
    uint64_t *counts = calloc((size_t)p->longest + 1, sizeof *counts);
    if (!counts) {
        json->lost = true;
        return;
    }
    for (uint64_t t = 0; t < p->n_transactions; t++) {
        counts[lode_dataset_transaction(data, t, NULL, 0)]++;
    }
    worker_addf(json, ",\"lengths\":");
    profile_add_bins(json, counts, p->longest);
    worker_addf(json, ",\"giants\":");
    profile_add_giants(json, counts, p->longest, mean);
    free(counts);
}

/* ---- baskets -------------------------------------------------------------------------------- */

static void profile_add_count(worker_text *json, const char *name, uint64_t value) {
    worker_addf(json, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void profile_add_real(worker_text *json, const char *name, double value) {
    worker_addf(json, ",\"%s\":", name);
    worker_add_real(json, value);
}

typedef struct profile_number {
    const char *name;
    uint64_t value;
} profile_number;

static void profile_add_counts(worker_text *json, const profile_number *numbers, size_t n) {
    for (size_t i = 0; i < n; i++) profile_add_count(json, numbers[i].name, numbers[i].value);
}

void worker_profile_data(const lode_dataset *data, worker_text *json) {
    lode_profile p = cli_profile(data);
    double mean = p.n_transactions ? (double)p.n_occurrences / (double)p.n_transactions : 0;
    uint64_t counts[PROFILE_TOP];
    uint32_t items[PROFILE_TOP];
    worker_top top = {.counts = counts, .items = items, .most = PROFILE_TOP};
    const profile_number numbers[] = {{"transactions", p.n_transactions}, {"items", p.n_items},
                                      {"occurrences", p.n_occurrences},   {"empty", p.n_empty},
                                      {"repeated", p.n_repeated},         {"skipped", p.n_skipped},
                                      {"dropped", p.n_dropped},           {"longest", p.longest}};
    worker_addf(json, "{\"kind\":\"baskets\"");
    profile_add_counts(json, numbers, sizeof numbers / sizeof *numbers);
    profile_add_real(json, "mean", mean);
    profile_add_real(json, "density", p.n_items ? mean / (double)p.n_items : 0);
    profile_add_count(json, "weight", lode_dataset_total_weight(data));
    profile_add_lengths(json, data, &p, mean);
    worker_top_items(data, &top);
    worker_addf(json, ",\"top\":[");
    for (size_t i = 0; i < top.n; i++) {
        worker_addf(json, "%s{\"name\":", i ? "," : "");
        worker_add_item(json, data, items[i]);
        worker_addf(json, ",\"count\":%llu}", (unsigned long long)counts[i]);
    }
    worker_addf(json, "]");
    profile_add_real(json, "read_seconds", p.read_seconds);
    profile_add_count(json, "bytes", lode_ctx_memory_used(worker_open_data.ctx));
    worker_addf(json, "}");
}

/* ---- graphs --------------------------------------------------------------------------------- */

void worker_add_label(worker_text *json, const lode_graphs *data, uint32_t label, bool edge) {
    char name[NAME_ON_STACK];
    size_t n = edge ? lode_graphs_edge_label(data, label, name, sizeof name)
                    : lode_graphs_vertex_label(data, label, name, sizeof name);
    char *whole = n > sizeof name ? malloc(n) : name;
    if (!whole) {
        json->lost = true;
        return;
    }
    if (whole != name && edge) lode_graphs_edge_label(data, label, whole, n);
    if (whole != name && !edge) lode_graphs_vertex_label(data, label, whole, n);
    worker_add_text(json, whole, n);
    if (whole != name) free(whole);
}

/* How often each label occurs, and how many graphs there are of each number of edges. */
typedef struct graph_counts {
    uint64_t *vertices, *edges, *sizes;
} graph_counts;

static void profile_count_graphs(const lode_graphs *data, uint64_t n_graphs, graph_counts *c) {
    for (uint64_t i = 0; i < n_graphs; i++) {
        lode_graph g = LODE_INIT(lode_graph);
        lode_graphs_at(data, i, &g);
        for (uint32_t v = 0; v < g.n_vertices; v++) c->vertices[g.vertex_labels[v]]++;
        for (uint32_t e = 0; e < g.n_edges; e++) c->edges[g.edge_labels[e]]++;
        c->sizes[g.n_edges]++;
    }
}

static void profile_add_labels(worker_text *json, const lode_graphs *data, const uint64_t *counts,
                               uint64_t n_labels, bool edge) {
    uint64_t best[PROFILE_TOP];
    uint32_t labels[PROFILE_TOP];
    worker_top top = {.counts = best, .items = labels, .most = PROFILE_TOP};
    for (uint64_t i = 0; i < n_labels; i++) worker_top_add(&top, counts[i], (uint32_t)i);
    worker_addf(json, ",\"%s_labels\":[", edge ? "edge" : "vertex");
    for (size_t i = 0; i < top.n; i++) {
        worker_addf(json, "%s{\"name\":", i ? "," : "");
        worker_add_label(json, data, labels[i], edge);
        worker_addf(json, ",\"count\":%llu}", (unsigned long long)best[i]);
    }
    worker_addf(json, "]");
}

void worker_profile_graphs(const lode_graphs *data, worker_text *json) {
    lode_graph_profile p = cli_graph_profile(data);
    graph_counts c = {.vertices = calloc(p.n_vertex_labels + 1, sizeof *c.vertices),
                      .edges = calloc(p.n_edge_labels + 1, sizeof *c.edges),
                      .sizes = calloc((size_t)p.most_edges + 1, sizeof *c.sizes)};
    const profile_number numbers[] = {{"graphs", p.n_graphs},
                                      {"vertices", p.n_vertices},
                                      {"edges", p.n_edges},
                                      {"empty", p.n_empty},
                                      {"disconnected", p.n_disconnected},
                                      {"skipped", p.n_skipped},
                                      {"most_vertices", p.most_vertices},
                                      {"most_edges", p.most_edges}};
    worker_addf(json, "{\"kind\":\"graphs\"");
    profile_add_counts(json, numbers, sizeof numbers / sizeof *numbers);
    worker_addf(json, ",\"directed\":%s", p.directed ? "true" : "false");
    json->lost |= !c.vertices || !c.edges || !c.sizes;
    if (!json->lost) {
        profile_count_graphs(data, p.n_graphs, &c);
        profile_add_labels(json, data, c.vertices, p.n_vertex_labels, false);
        profile_add_labels(json, data, c.edges, p.n_edge_labels, true);
        worker_addf(json, ",\"sizes\":");
        profile_add_bins(json, c.sizes, p.most_edges);
    }
    free(c.vertices);
    free(c.edges);
    free(c.sizes);
    profile_add_real(json, "read_seconds", p.read_seconds);
    profile_add_count(json, "bytes", lode_ctx_memory_used(worker_open_data.ctx));
    worker_addf(json, "}");
}
