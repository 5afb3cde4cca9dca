/* emit.c - see emit.h
 *
 * The public interface lists embeddings: occurrences that cover different sets of edges. Rows that
 * cover the same edges in another order are one embedding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/emit.h"

#include "graphs/closed.h"
#include "graphs/leaf_twins.h"
#include "graphs/node.h"

void emit_free(worker *w) {
    mem *m = &w->s->job->mem;
    vec_u32 *const lists[] = {&w->labels,     &w->from,        &w->to,        &w->edge_labels,
                              &w->supporters, &w->embedded_in, &w->embeddings};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) vec_u32_free(m, lists[i]);
    keymap_free(&w->keys, m);
}

/* The pattern as a graph with the labels of the data. */
static lode_status emit_graph(worker *w, const node *x, lode_graph *out) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    const code *c = &w->code;
    mem *m = &s->job->mem;
    w->labels.n = w->from.n = w->to.n = w->edge_labels.n = 0;
    uint32_t first = c->n_edges ? s->store.types[c->edges[0].type].from_label
                                : s->store.data->labels.data[x->vid[0]];
    LODE_TRY(vec_u32_reserve(m, &w->labels, c->n_vertices));
    LODE_TRY(vec_u32_reserve(m, &w->from, c->n_edges));
    LODE_TRY(vec_u32_reserve(m, &w->to, c->n_edges));
    LODE_TRY(vec_u32_reserve(m, &w->edge_labels, c->n_edges));
    w->labels.data[w->labels.n++] = first;
    for (unsigned k = 0; k < c->n_edges; k++) {
        code_edge e = c->edges[k];
        const edge_type *t = &s->store.types[e.type];
        if (code_is_forward(e)) w->labels.data[w->labels.n++] = t->to_label;
        w->from.data[k] = t->incoming ? e.to : e.from;
        w->to.data[k] = t->incoming ? e.from : e.to;
        w->edge_labels.data[k] = t->edge_label;
    }
    out->vertex_labels = w->labels.data;
    out->from = w->from.data;
    out->to = w->to.data;
    out->edge_labels = w->edge_labels.data;
done:
    return status;
}

/* ---- embeddings ----------------------------------------------------------------------------- */

/* Edge k of the pattern in a row, as a number. */
static uint64_t embedding_edge(const worker *w, const uint32_t *row, unsigned k) {
    uint32_t a = row[w->code.edges[k].from], b = row[w->code.edges[k].to];
    bool incoming = w->s->store.types[w->code.edges[k].type].incoming;
    bool swap = w->s->store.data->profile.directed ? incoming : a > b;
    return swap ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
}

/* Whether a kept row covers the same edges as the row of the cursor, in any order: each edge of the
 * kept row must be an edge of that row, of the same type. */
static bool embedding_is_same(const worker *w, const uint32_t *kept) {
    const code *c = &w->code;
    uint32_t first = w->vertex_at[0] - store_local(&w->s->store, w->vertex_at[0]);
    if (c->n_edges == 0) return w->position_of[first + kept[0]] != CODE_NONE;
    for (unsigned k = 0; k < c->n_edges; k++) {
        code_edge e = c->edges[k];
        uint16_t a = w->position_of[first + kept[e.from]], b = w->position_of[first + kept[e.to]];
        if (a == CODE_NONE || b == CODE_NONE) return false;
        bool turn = c->degrees[b] < c->degrees[a];
        if (turn ? !code_has_arc(c, b, a, c->reverse[e.type]) : !code_has_arc(c, a, b, e.type)) {
            return false;
        }
    }
    return true;
}

static uint64_t embedding_hash(const worker *w, const uint32_t *row) {
    uint64_t hash = w->code.n_edges ? 0 : row[0];
    for (unsigned k = 0; k < w->code.n_edges; k++) hash += bits_mix(embedding_edge(w, row, k));
    return hash;
}

/* Keeps the row just written at the end of the embeddings, unless one of its graph covers the same
 * edges. */
static lode_status embedding_keep(worker *w, uint32_t graph) {
    lode_status status = LODE_OK;
    mem *m = &w->s->job->mem;
    uint32_t n_vertices = w->code.n_vertices;
    const uint32_t *row = w->embeddings.data + w->embeddings.n;
    for (uint64_t key = embedding_hash(w, row);; key++) {
        uint32_t number = (uint32_t)w->embedded_in.n;
        bool found;
        LODE_TRY(keymap_put(&w->keys, m, key, number, &found));
        if (!found) break;
        uint32_t other = keymap_find(&w->keys, key)->value;
        if (embedding_is_same(w, w->embeddings.data + (size_t)other * n_vertices)) goto done;
    }
    LODE_TRY(vec_u32_push(m, &w->embedded_in, graph));
    w->embeddings.n += n_vertices;
done:
    return status;
}

/* Goes through the rows and lists their graphs, and the embeddings if they are wanted. */
static lode_status emit_rows(worker *w, const node *x) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    mem *m = &s->job->mem;
    uint32_t n_vertices = w->code.n_vertices, last = UINT32_MAX;
    size_t work = 0;
    bool embeddings = s->options->embeddings, induced = s->options->induced;
    w->supporters.n = w->embedded_in.n = w->embeddings.n = 0;
    LODE_TRY(cursor_start(w, x));
    for (uint32_t row = 0; row < x->n; row++) {
        uint32_t graph = search_graph(s, x->vid[row]);
        work += embeddings || induced ? n_vertices : 1;
        LODE_TRY(worker_check(w, &work, SEARCH_CHECK_ROWS));
        if (graph == last && !embeddings) continue;
        if (embeddings || induced) cursor_move(w, row);
        if (induced && !induced_row(w)) continue;
        if (graph != last) {
            LODE_TRY(vec_u32_push(m, &w->supporters, graph));
            keymap_empty(&w->keys);
        }
        last = graph;
        if (!embeddings) continue;
        LODE_TRY(vec_u32_reserve(m, &w->embeddings, n_vertices));
        uint32_t *to = w->embeddings.data + w->embeddings.n;
        for (uint32_t v = 0; v < n_vertices; v++) to[v] = store_local(&s->store, w->vertex_at[v]);
        LODE_TRY(embedding_keep(w, graph));
    }
done:
    cursor_end(w);
    return status;
}

lode_status emit_node(worker *w, node *x) {
    lode_status status = LODE_OK;
    const lode_graph_options *o = w->s->options;
    lode_graph g = {.n_vertices = w->code.n_vertices, .n_edges = w->code.n_edges};
    lode_graph_pattern p = {.graph = &g, .support = x->support};
    bool ruled_out = false;
    if (!graph_wants(o, g.n_vertices, g.n_edges)) goto done;
    if (o->induced) LODE_TRY(induced_support(w, x, &p.support));
    if (p.support < search_threshold(w->s)) goto done;
    if (search_checks_closure(o)) LODE_TRY(closed_is_ruled_out(w, x, p.support, &ruled_out));
    if (ruled_out || w->mute) goto done;
    if (!w->s->task->sink->kind->counts_only) {
        LODE_TRY(emit_graph(w, x, &g));
        if (o->supporters || o->embeddings) LODE_TRY(emit_rows(w, x));
        if (o->supporters) p.supporters = w->supporters.data;
        if (o->embeddings) {
            p.n_embeddings = w->embedded_in.n;
            p.embedded_in = w->embedded_in.data;
            p.embeddings = w->embeddings.data;
        }
    }
    LODE_TRY(graph_sink_emit(w->sink, &p));
done:
    return status;
}

/* ---- single vertices ------------------------------------------------------------------------ */

/* Sorts vertices by label: those of label l are vid[start[l]] … vid[start[l + 1] - 1]. */
static lode_status sort_vertices(worker *w, uint32_t **start_out, uint32_t **vid_out) {
    lode_status status = LODE_OK;
    const store *g = &w->s->store;
    const uint32_t *labels = g->data->labels.data;
    uint32_t n_labels = dict_count(g->data->vertex_names), *start = NULL, *vid = NULL;
    LODE_TRY(list_stack_take(&w->lists, (n_labels + 2) * sizeof *start, (void **)&start));
    LODE_TRY(list_stack_take(&w->lists, g->n_vertices * sizeof *vid, (void **)&vid));
    memset(start, 0, (n_labels + 2) * sizeof *start);
    for (uint32_t v = 0; v < g->n_vertices; v++) start[labels[v] + 2]++;
    for (uint32_t l = 0; l < n_labels; l++) start[l + 2] += start[l + 1];
    for (uint32_t v = 0; v < g->n_vertices; v++) vid[start[labels[v] + 1]++] = v;
    *start_out = start;
    *vid_out = vid;
done:
    return status;
}

lode_status emit_vertices(worker *w) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    uint32_t *start = NULL, *vid = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(sort_vertices(w, &start, &vid));
    LODE_TRY(code_reserve(&w->code));
    code_set_vertex(&w->code);
    for (uint32_t l = 0; l < dict_count(s->store.data->vertex_names); l++) {
        node x = {.n = start[l + 1] - start[l], .vid = vid + start[l]};
        for (uint32_t row = 0; row < x.n; row++) {
            x.support += row == 0 || search_graph(s, x.vid[row]) != search_graph(s, x.vid[row - 1]);
        }
        if (x.support >= search_threshold(s)) LODE_TRY(emit_node(w, &x));
    }
done:
    w->lists.top = mark;
    return status;
}
