/* graphs.c - see graphs.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graphs.h"

#include <stdio.h>

#include "base/bits.h"
#include "data/graphs/keymap.h"
#include "runtime/valid.h"

#define GRAPHS_CHECK_EVERY ((size_t)1 << 16) /* vertices and edges between two checks for a stop */

lode_status graphs_create(lode_job *job, lode_graphs **out) {
    lode_status status = LODE_OK;
    ctx_home *home = NULL;
    lode_graphs *g = NULL;
    LODE_TRY(ctx_home_create(job, &home));
    mem *m = &home->mem;
    LODE_TRY(mem_zalloc(m, (void **)&g, sizeof *g));
    g->home = ctx_home_hold(home);
    g->mem = m;
    LODE_TRY(prepared_store_create(home, &g->prepared));
    LODE_TRY(dict_create(m, &g->vertex_names));
    LODE_TRY(dict_create(m, &g->edge_names));
    LODE_TRY(dict_create(m, &g->words));
    LODE_TRY(vec_u64_push(m, &g->vertex_start, 0));
    LODE_TRY(vec_u64_push(m, &g->edge_start, 0));
    *out = g;
    g = NULL;
done:
    lode_graphs_free(g);
    ctx_home_release(home);
    return status;
}

static lode_status room_u32(mem *m, vec_u32 *column, uint64_t n) {
    lode_status status = vec_u32_reserve(m, column, (size_t)n);
    if (status == LODE_OK) column->n = (size_t)n;
    return status;
}

static lode_status room_u64(mem *m, vec_u64 *column, uint64_t n) {
    lode_status status = vec_u64_reserve(m, column, (size_t)n - column->n);
    if (status == LODE_OK) column->n = (size_t)n;
    return status;
}

lode_status graphs_make_columns(lode_graphs *g, uint64_t n_vertices, uint64_t n_edges,
                                bool vertex_ids, bool supports) {
    lode_status status = LODE_OK;
    mem *m = g->mem;
    LODE_TRY(room_u64(m, &g->vertex_start, (uint64_t)g->n + 1));
    LODE_TRY(room_u64(m, &g->edge_start, (uint64_t)g->n + 1));
    LODE_TRY(room_u64(m, &g->graph_ids, g->n));
    LODE_TRY(room_u32(m, &g->labels, n_vertices));
    LODE_TRY(room_u32(m, &g->from, n_edges));
    LODE_TRY(room_u32(m, &g->to, n_edges));
    LODE_TRY(room_u32(m, &g->edge_labels, n_edges));
    if (vertex_ids) LODE_TRY(room_u64(m, &g->vertex_ids, n_vertices));
    if (supports) LODE_TRY(room_u64(m, &g->supports, g->n));
done:
    return status;
}

static void free_numbers(mem *m, graph_numbers *numbers) {
    vec_u32_free(m, &numbers->of_id);
    vec_u32_free(m, &numbers->column);
    keymap_free(&numbers->ids, m);
}

void lode_graphs_free(lode_graphs *g) {
    if (!g) return;
    mem *m = g->mem;
    ctx_home *home = g->home;
    prepared_store_free(g->prepared);
    vec_u64_free(m, &g->vertex_start);
    vec_u64_free(m, &g->edge_start);
    vec_u32_free(m, &g->labels);
    vec_u32_free(m, &g->from);
    vec_u32_free(m, &g->to);
    vec_u32_free(m, &g->edge_labels);
    vec_u64_free(m, &g->graph_ids);
    vec_u64_free(m, &g->vertex_ids);
    vec_u64_free(m, &g->supports);
    vec_u32_free(m, &g->classes);
    free_numbers(m, &g->vertex_numbers);
    free_numbers(m, &g->edge_numbers);
    dict_free(g->vertex_names);
    dict_free(g->edge_names);
    dict_free(g->words);
    dict_free(g->class_names);
    vec_char_free(m, &g->source);
    mem_free(m, g, sizeof *g);
    ctx_home_release(home);
}

void graphs_report(const lode_graphs *g, lode_job *job) {
    const lode_graph_profile *p = &g->profile;
    report_input *in = &job->report.input;
    job->report.has_input = job->report.graphs = true;
    *in = (report_input){
        .n = p->n_graphs,
        .n_empty = p->n_empty,
        .n_skipped = p->n_skipped,
        .total_weight = p->n_graphs,
        .directed = p->directed,
        .n_disconnected = p->n_disconnected,
        .n_vertices = p->n_vertices,
        .n_edges = p->n_edges,
        .n_vertex_labels = p->n_vertex_labels,
        .n_edge_labels = p->n_edge_labels,
        .n_triples = p->n_triples,
        .read_seconds = p->read_seconds,
    };
    snprintf(in->path, sizeof in->path, "%s", g->source.n > 0 ? g->source.data : "");
}

bool lode_graphs_profile(const lode_graphs *g, lode_graph_profile *out) {
    return valid_fill(out, g ? &g->profile : NULL);
}

lode_graph graphs_at(const lode_graphs *g, uint64_t i) {
    uint64_t v = g->vertex_start.data[i], e = g->edge_start.data[i];
    return (lode_graph){
        .size = sizeof(lode_graph),
        .n_vertices = graphs_n_vertices(g, i),
        .n_edges = (uint32_t)(g->edge_start.data[i + 1] - e),
        .vertex_labels = g->labels.data + v,
        .from = g->from.data + e,
        .to = g->to.data + e,
        .edge_labels = g->edge_labels.data + e,
    };
}

bool lode_graphs_at(const lode_graphs *g, uint64_t i, lode_graph *out) {
    if (!g || i >= g->n) return valid_fill(out, NULL);
    lode_graph one = graphs_at(g, i);
    const uint32_t *vertices = g->vertex_numbers.column.data, *edges = g->edge_numbers.column.data;
    if (vertices) one.vertex_labels = vertices + g->vertex_start.data[i];
    if (edges) one.edge_labels = edges + g->edge_start.data[i];
    return valid_fill(out, &one);
}

uint64_t lode_graphs_given_support(const lode_graphs *g, uint64_t i) {
    return g && i < g->supports.n ? g->supports.data[i] : 0;
}

/* ---- names ---------------------------------------------------------------------------------- */

static size_t copy_text(const char *from, size_t n, char *buffer, size_t buffer_bytes) {
    size_t fits = n < buffer_bytes ? n : buffer_bytes;
    if (buffer && fits > 0) memcpy(buffer, from, fits);
    return n;
}

static size_t number_text(uint64_t number, char digits[20]) {
    char reversed[20];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < n; i++) digits[i] = reversed[n - 1 - i];
    return n;
}

static size_t id_text(const lode_graphs *g, uint64_t id, char *buffer, size_t buffer_bytes) {
    if (id >= GRAPHS_WORD) {
        size_t n;
        const char *word = dict_name(g->words, (uint32_t)(id - GRAPHS_WORD), &n);
        return copy_text(word, n, buffer, buffer_bytes);
    }
    char digits[20];
    size_t n = number_text(id, digits);
    return copy_text(digits, n, buffer, buffer_bytes);
}

static uint64_t graph_id(const lode_graphs *g, uint64_t i) {
    return g->graph_ids.n ? g->graph_ids.data[i] : i;
}

static uint64_t vertex_id(const lode_graphs *g, uint64_t i, uint32_t v) {
    return g->vertex_ids.n ? g->vertex_ids.data[g->vertex_start.data[i] + v] : v;
}

bool graph_label_id(const graph_numbers *numbers, const dict *names, uint32_t number,
                    uint32_t *id) {
    *id = number;
    if (numbers->of_id.n == 0) return number < dict_count(names);
    const keymap_slot *slot = keymap_find(&numbers->ids, number);
    if (slot) *id = slot->value;
    return slot != NULL;
}

static size_t label_text(const dict *names, const graph_numbers *numbers, uint32_t label,
                         char *buffer, size_t buffer_bytes) {
    size_t n;
    uint32_t id;
    if (!graph_label_id(numbers, names, label, &id)) return 0;
    const char *name = dict_name(names, id, &n);
    return copy_text(name, n, buffer, buffer_bytes);
}

static size_t labels_text(const dict *names, const graph_numbers *numbers, uint32_t *labels,
                          uint64_t *offsets, char *text, size_t text_bytes) {
    size_t at = 0;
    for (uint32_t id = 0; id < dict_count(names); id++) {
        size_t n, left = at < text_bytes ? text_bytes - at : 0;
        const char *name = dict_name(names, id, &n);
        if (labels) labels[id] = numbers->of_id.n > 0 ? numbers->of_id.data[id] : id;
        if (offsets) offsets[id] = at;
        copy_text(name, n, text ? text + (left ? at : 0) : NULL, left);
        at += n;
    }
    if (offsets) offsets[dict_count(names)] = at;
    return at;
}

size_t lode_graphs_vertex_labels(const lode_graphs *g, uint32_t *labels, uint64_t *offsets,
                                 char *text, size_t text_bytes) {
    if (!g) return 0;
    return labels_text(g->vertex_names, &g->vertex_numbers, labels, offsets, text, text_bytes);
}

size_t lode_graphs_edge_labels(const lode_graphs *g, uint32_t *labels, uint64_t *offsets,
                               char *text, size_t text_bytes) {
    if (!g) return 0;
    return labels_text(g->edge_names, &g->edge_numbers, labels, offsets, text, text_bytes);
}

size_t lode_graphs_vertex_label(const lode_graphs *g, uint32_t label, char *buffer,
                                size_t buffer_bytes) {
    return g ? label_text(g->vertex_names, &g->vertex_numbers, label, buffer, buffer_bytes) : 0;
}

size_t lode_graphs_edge_label(const lode_graphs *g, uint32_t label, char *buffer,
                              size_t buffer_bytes) {
    return g ? label_text(g->edge_names, &g->edge_numbers, label, buffer, buffer_bytes) : 0;
}

size_t lode_graphs_name(const lode_graphs *g, uint64_t i, char *buffer, size_t buffer_bytes) {
    return g && i < g->n ? id_text(g, graph_id(g, i), buffer, buffer_bytes) : 0;
}

size_t lode_graphs_vertex_name(const lode_graphs *g, uint64_t i, uint32_t vertex, char *buffer,
                               size_t buffer_bytes) {
    if (!g || i >= g->n || vertex >= graphs_n_vertices(g, i)) return 0;
    return id_text(g, vertex_id(g, i, vertex), buffer, buffer_bytes);
}

lode_status graphs_put_number(mem *m, vec_char *text, uint64_t number) {
    char digits[20];
    size_t n = number_text(number, digits);
    return vec_char_append(m, text, digits, n);
}

static lode_status put_id(mem *m, vec_char *text, const lode_graphs *g, uint64_t id) {
    if (id < GRAPHS_WORD) return graphs_put_number(m, text, id);
    return graphs_put_name(m, text, g->words, (uint32_t)(id - GRAPHS_WORD));
}

lode_status graphs_put_graph_name(mem *m, vec_char *text, const lode_graphs *g, uint64_t i) {
    return put_id(m, text, g, graph_id(g, i));
}

lode_status graphs_put_vertex_name(mem *m, vec_char *text, const lode_graphs *g, uint64_t i,
                                   uint32_t v) {
    return put_id(m, text, g, vertex_id(g, i, v));
}

/* ---- the profile ---------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

static bool is_disconnected(const lode_graph *one, uint32_t *parent) {
    uint32_t parts = one->n_vertices;
    for (uint32_t v = 0; v < one->n_vertices; v++) parent[v] = v;
    for (uint32_t e = 0; e < one->n_edges; e++) {
        uint32_t a = find_root(parent, one->from[e]), b = find_root(parent, one->to[e]);
        parts -= a != b;
        parent[a] = b;
    }
    return parts > 1;
}

/* A number for a triple, the same in both directions of an undirected edge. */
static uint64_t triple_key(const lode_graphs *g, const lode_graph *one, uint32_t e) {
    uint64_t n = g->profile.n_vertex_labels;
    uint64_t a = one->vertex_labels[one->from[e]], b = one->vertex_labels[one->to[e]];
    if (!g->profile.directed && a > b) {
        uint64_t swapped = a;
        a = b;
        b = swapped;
    }
    return (one->edge_labels[e] * n + a) * n + b;
}

lode_status graphs_sort_labels(lode_job *job, dict *names, vec_u32 *labels, uint32_t *new_ids) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    uint32_t *own = NULL, n = dict_count(names);
    bool numeric;
    if (!new_ids) {
        LODE_TRY(mem_resize(m, (void **)&own, 0, n * sizeof *own));
        new_ids = own;
    }
    LODE_TRY(dict_sort(names, new_ids, &numeric));
    for (size_t i = 0; i < labels->n; i++) {
        if (i % GRAPHS_CHECK_EVERY == 0) LODE_TRY(job_check(job));
        labels->data[i] = new_ids[labels->data[i]];
    }
done:
    mem_free(m, own, own ? n * sizeof *own : 0);
    return status;
}

lode_status graph_tally_add(graph_tally *t, lode_job *job, const lode_graphs *g, uint32_t i) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    lode_graph one = graphs_at(g, i);
    if (one.n_vertices > t->most_vertices) t->most_vertices = one.n_vertices;
    if (one.n_edges > t->most_edges) t->most_edges = one.n_edges;
    t->n_empty += one.n_vertices == 0;
    LODE_TRY(vec_u32_reserve(m, &t->parent, one.n_vertices)); /* a number for each vertex */
    t->n_disconnected += is_disconnected(&one, t->parent.data);
    for (uint32_t e = 0; e < one.n_edges; e++) {
        bool found;
        LODE_TRY(keymap_put(&t->triples, m, triple_key(g, &one, e), 0, &found));
        if (++t->work % GRAPHS_CHECK_EVERY == 0) LODE_TRY(job_check(job));
    }
    t->work += one.n_vertices;
done:
    return status;
}

/* Adds the triples of one tally to those of another. */
static lode_status tally_join(graph_tally *t, const graph_tally *from, lode_job *job) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < from->triples.n_slots; i++) {
        const keymap_slot *slot = &from->triples.slots[i];
        bool found;
        if (slot->stamp != from->triples.now) continue;
        LODE_TRY(keymap_put(&t->triples, &job->mem, slot->key, 0, &found));
    }
done:
    return status;
}

void graphs_begin_profile(lode_graphs *g) {
    lode_graph_profile *p = &g->profile;
    p->n_graphs = g->n;
    p->n_vertices = g->labels.n;
    p->n_edges = g->from.n;
    p->n_vertex_labels = dict_count(g->vertex_names);
    p->n_edge_labels = dict_count(g->edge_names);
}

lode_status graphs_end_profile(lode_job *job, lode_graphs *g, graph_tally *tallies, unsigned n) {
    lode_status status = LODE_OK;
    lode_graph_profile *p = &g->profile;
    for (unsigned i = 0; i < n; i++) {
        const graph_tally *t = &tallies[i];
        if (t->most_vertices > p->most_vertices) p->most_vertices = t->most_vertices;
        if (t->most_edges > p->most_edges) p->most_edges = t->most_edges;
        p->n_empty += t->n_empty;
        p->n_disconnected += t->n_disconnected;
        if (i > 0) LODE_TRY(tally_join(&tallies[0], t, job));
    }
    p->n_triples = tallies[0].triples.n;
done:
    return status;
}

void graph_tally_free(graph_tally *t, lode_job *job) {
    keymap_free(&t->triples, &job->mem);
    vec_u32_free(&job->mem, &t->parent);
}

lode_status graphs_complete_profile(lode_job *job, lode_graphs *g) {
    lode_status status = LODE_OK;
    graph_tally tally = {0};
    graphs_begin_profile(g);
    for (uint32_t i = 0; i < g->n; i++) LODE_TRY(graph_tally_add(&tally, job, g, i));
    LODE_TRY(graphs_end_profile(job, g, &tally, 1));
done:
    graph_tally_free(&tally, job);
    return status;
}

uint64_t graphs_data_bytes(uint64_t n, uint64_t n_vertices, uint64_t n_edges) {
    return 2 * (n * 2 * sizeof(uint64_t) + (n_vertices + 3 * n_edges) * sizeof(uint32_t));
}

uint64_t graphs_mining_bytes(uint64_t n_vertices, uint64_t n_edges, unsigned threads) {
    uint64_t stored = n_vertices * 2 * sizeof(uint32_t) + n_edges * 6 * sizeof(uint32_t);
    uint64_t each = n_vertices * sizeof(uint32_t) + ((uint64_t)640 << 10);
    return stored + threads * each + graphs_lists_bytes(n_edges);
}

/* ---- a hash of graphs: lode_graphs_fingerprint ----------------------------------------------- */

static uint64_t print_add(uint64_t hash, uint64_t value) {
    return bits_mix(hash ^ value) + 0x9e3779b97f4a7c15u;
}

static uint64_t print_names(uint64_t hash, const dict *names) {
    uint32_t count = names ? dict_count(names) : 0;
    for (uint32_t id = 0; id < count; id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        for (size_t i = 0; i < n; i++) hash = print_add(hash, (unsigned char)name[i]);
        hash = print_add(hash, n);
    }
    return print_add(hash, count);
}

static uint64_t print_column(uint64_t hash, const vec_u32 *column) {
    for (size_t i = 0; i < column->n; i++) hash = print_add(hash, column->data[i]);
    return print_add(hash, column->n);
}

uint64_t lode_graphs_fingerprint(const lode_graphs *data) {
    if (!data) return 0;
    uint64_t hash = print_add(data->profile.directed, data->n);
    hash = print_names(print_names(hash, data->vertex_names), data->edge_names);
    for (uint32_t i = 0; i < data->n; i++) {
        hash = print_add(hash, data->vertex_start.data[i + 1]);
        hash = print_add(hash, data->edge_start.data[i + 1]);
    }
    hash = print_column(print_column(hash, &data->labels), &data->edge_labels);
    return print_column(print_column(hash, &data->from), &data->to);
}
