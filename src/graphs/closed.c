/* closed.c - see closed.h; counts the super-patterns of a pattern until one rules it out
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/closed.h"

#include "graphs/leaf_twins.h"
#include "graphs/node.h"
#include "graphs/search_tuning.h"

#define CLOSED_CHECK_EVERY ((size_t)1 << 20) /* neighbours between two checks for a stop */

/* The super-patterns of one pattern while they are counted. */
typedef struct closure {
    worker *w;
    uint64_t enough;      /* a super-pattern of this support rules the pattern out */
    bool in_all;          /* closed: a super-pattern must be in every graph, so also in the first */
    uint32_t graph;       /* of the present row */
    uint32_t first_graph; /* of the pattern */
    bool ruled_out;
    size_t work; /* neighbours since the last check for a stop */
} closure;

/* Counts an occurrence of a super-pattern, which is identified by a key. */
static lode_status closure_count(closure *c, uint64_t key) {
    worker *w = c->w;
    mem *m = &w->s->job->mem;
    keymap_slot *known = keymap_find(&w->keys, key);
    if (!known) {
        bool found;
        if (c->in_all && c->graph != c->first_graph) return LODE_OK;
        lode_status status = keymap_put(&w->keys, m, key, (uint32_t)w->counts.n, &found);
        if (status == LODE_OK) status = vec_u64_push(m, &w->counts, 0);
        if (status != LODE_OK) return status;
        known = keymap_find(&w->keys, key);
    }
    uint64_t *count = &w->counts.data[known->value];
    if ((uint32_t)*count == c->graph + 1) return LODE_OK;
    uint64_t support = (*count >> 32) + 1;
    *count = support << 32 | (c->graph + 1);
    if (support >= c->enough) c->ruled_out = true;
    return LODE_OK;
}

/* One vertex more, with all its edges to the pattern. The key is a hash of these edges. */
static lode_status closure_vertex(closure *c, uint32_t vertex) {
    const worker *w = c->w;
    const store *g = &w->s->store;
    uint64_t key = 0;
    for (uint32_t k = g->all_offsets[vertex]; k < g->all_offsets[vertex + 1]; k++) {
        half_edge h = g->all[k];
        uint16_t p = w->position_of[h.to];
        if (p != CODE_NONE) key += bits_mix(((uint64_t)h.type << 16 | p) + 1);
    }
    return closure_count(c, key);
}

/* Induced super-patterns of one vertex more. */
static lode_status closure_vertices(closure *c) {
    lode_status status = LODE_OK;
    const worker *w = c->w;
    const store *g = &w->s->store;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p];
        for (uint32_t k = g->all_offsets[v]; k < g->all_offsets[v + 1]; k++) {
            uint32_t to = g->all[k].to;
            if (w->position_of[to] == CODE_NONE) LODE_TRY(closure_vertex(c, to));
        }
    }
done:
    return status;
}

/* The same for induced patterns: a super-pattern has one vertex more. */
static lode_status closed_by_vertex(worker *w, const node *x, uint64_t enough, bool closed,
                                    bool *ruled_out) {
    lode_status status = LODE_OK;
    const search *s = w->s;
    closure c = {.w = w, .in_all = closed, .first_graph = UINT32_MAX, .enough = enough};
    w->counts.n = 0;
    keymap_empty(&w->keys);
    LODE_TRY(cursor_start(w, x));
    for (uint32_t row = 0; row < x->n && !c.ruled_out; row++) {
        c.graph = search_graph(s, x->vid[row]);
        cursor_move(w, row);
        c.work += induced_work(w);
        LODE_TRY(worker_check(w, &c.work, CLOSED_CHECK_EVERY));
        if (!induced_row(w)) continue;
        if (c.first_graph == UINT32_MAX) c.first_graph = c.graph;
        LODE_TRY(closure_vertices(&c));
    }
    *ruled_out = c.ruled_out;
done:
    cursor_end(w);
    return status;
}

/* An extension that the search has found, and that is in enough graphs. */
static const extension *closing_extension(const node *x, uint64_t enough) {
    for (uint32_t i = 0; i < x->n_extensions; i++) {
        if (x->extensions[i].support >= enough) return &x->extensions[i];
    }
    return NULL;
}

static lode_status closed_by_edge(worker *w, node *x, uint64_t enough, bool *ruled_out) {
    lode_status status = LODE_OK;
    const extension *e = closing_extension(x, enough);
    if (e) {
        x->witness = e->edge;
        if (code_is_forward(e->edge)) x->witness.to = CODE_NONE;
        *ruled_out = true;
    } else if (x->parent && x->parent->has_witness) {
        x->witness = x->parent->witness;
        LODE_TRY(super_try(w, x, enough, x->witness, ruled_out));
    }
    if (!*ruled_out) LODE_TRY(super_find(w, x, enough, ruled_out, &x->witness));
    x->has_witness = *ruled_out;
done:
    return status;
}

lode_status closed_is_ruled_out(worker *w, node *x, uint64_t support, bool *ruled_out) {
    const search *s = w->s;
    bool closed = s->options->target == LODE_TARGET_CLOSED;
    uint64_t enough = closed ? support : search_threshold(s);
    *ruled_out = false;
    if (s->options->induced) return closed_by_vertex(w, x, enough, closed, ruled_out);
    return closed_by_edge(w, x, enough, ruled_out);
}

/* ---- the super-patterns of one edge more, and whether one of them is in enough graphs -------- */

/* A candidate. Both ends may be several positions: leaves that look alike. */
typedef struct super {
    code_edge edge;            /* `from` and `to`: the first of these positions */
    uint16_t from_end, to_end; /* the first position that is not one of them */
    uint32_t n_graphs;         /* where it was met */
    uint32_t last_graph;       /* + 1 */
} super;

typedef struct supers {
    worker *w;
    const node *x;
    uint64_t enough; /* graphs that are wanted */
    uint64_t slack;  /* graphs of the pattern that a candidate may lack */
    uint16_t *alike; /* by position: the first that looks alike */
    super *list;     /* on top of the scratch memory */
    uint32_t n;
    uint32_t graph;    /* the present one */
    uint64_t n_graphs; /* visited, including the present one */
    size_t work;       /* since the last check whether the job is to stop */
} supers;

/* Whether two leaves that the code adds one after the other can be swapped. */
static bool leaves_alike(const code *c, unsigned k) {
    return k > 0 && code_edge_repeats(c->edges[k - 1], c->edges[k]) &&
           c->degrees[c->edges[k].to] == 1 && c->degrees[c->edges[k - 1].to] == 1;
}

static lode_status supers_start(supers *s) {
    lode_status status = LODE_OK;
    const code *c = &s->w->code;
    list_stack *scratch = &s->w->scratch;
    size_t bytes = c->n_vertices * sizeof *s->alike;
    s->slack = s->x->support - s->enough;
    LODE_TRY(list_stack_take(scratch, bytes, (void **)&s->alike));
    s->alike[0] = 0;
    for (unsigned k = 0; k < c->n_edges; k++) {
        code_edge e = c->edges[k];
        if (code_is_forward(e)) s->alike[e.to] = leaves_alike(c, k) ? s->alike[e.to - 1] : e.to;
    }
    s->list = (super *)(scratch->space + scratch->top);
    LODE_TRY(cursor_start(s->w, s->x));
done:
    return status;
}

/* The first position after those that look like this one, which is their first. */
static uint16_t alike_end(const supers *s, uint16_t position) {
    uint16_t end = position;
    while (end < s->w->code.n_vertices && s->alike[end] == position) end++;
    return end;
}

/* Adds a candidate that was not met yet. */
static lode_status supers_add(supers *s, code_edge edge) {
    list_stack *scratch = &s->w->scratch;
    lode_status status =
        list_stack_reach(scratch, scratch->top + ((size_t)s->n + 1) * sizeof *s->list);
    if (status != LODE_OK) return status;
    super *c = &s->list[s->n++];
    *c = (super){.edge = edge, .from_end = alike_end(s, edge.from)};
    if (edge.to != CODE_NONE) c->to_end = alike_end(s, edge.to);
    return LODE_OK;
}

static inline void super_meet(const supers *s, super *c) {
    if (c->last_graph == s->graph + 1) return;
    c->last_graph = s->graph + 1;
    c->n_graphs++;
}

/* ---- gathering ------------------------------------------------------------------------------ */

/* Returns the candidate that adds an edge of the row, from position p to q or to a new vertex. An
 * edge between two interchangeable leaves looks the same from both ends, so one direction stands
 * for both. */
static code_edge super_edge_of(const supers *s, uint16_t p, uint16_t q, uint32_t type) {
    const uint32_t *reverse = s->w->s->store.reverse;
    code_edge e = {s->alike[p], q == CODE_NONE ? q : s->alike[q], type};
    if (e.from == e.to && reverse[type] < type) e.type = reverse[type];
    return e;
}

static lode_status supers_gather_edge(supers *s, code_edge e) {
    keymap *keys = &s->w->keys;
    uint64_t key = (uint64_t)e.type << 32 | (uint32_t)e.to << 16 | e.from;
    const keymap_slot *known = keymap_find(keys, key);
    uint32_t which = known ? known->value : s->n;
    if (!known) {
        bool found;
        lode_status status = keymap_put(keys, &s->w->s->job->mem, key, which, &found);
        if (status == LODE_OK) status = supers_add(s, e);
        if (status != LODE_OK) return status;
    }
    super_meet(s, &s->list[which]);
    return LODE_OK;
}

/* All edges around the row that are not in the pattern are candidates. */
static lode_status supers_gather_row(supers *s) {
    lode_status status = LODE_OK;
    const worker *w = s->w;
    const store *g = &w->s->store;
    for (uint16_t p = 0; p < w->code.n_vertices; p++) {
        uint32_t v = w->vertex_at[p], first = store_first_frequent(g, v);
        s->work += g->offsets[v + 1] - first;
        for (uint32_t k = first; k < g->offsets[v + 1]; k++) {
            half_edge h = g->half[k];
            uint16_t q = w->position_of[h.to];
            if (q != CODE_NONE && (q < p || code_has_arc(&w->code, p, q, h.type))) continue;
            LODE_TRY(supers_gather_edge(s, super_edge_of(s, p, q, h.type)));
        }
    }
done:
    return status;
}

/* ---- looking for the candidates ------------------------------------------------------------- */

/* Whether a row has the edge of a candidate at one of its vertices. */
static bool super_is_at(const supers *s, const super *c, uint16_t p) {
    const worker *w = s->w;
    const store *g = &w->s->store;
    uint32_t v = w->vertex_at[p], end = g->offsets[v + 1];
    for (uint32_t k = store_first(g, v, c->edge.type); k < end; k++) {
        half_edge h = g->half[k];
        if (h.type != c->edge.type) return false;
        uint16_t q = w->position_of[h.to];
        if (c->edge.to == CODE_NONE ? q == CODE_NONE : q >= c->edge.to && q < c->to_end) {
            return true;
        }
    }
    return false;
}

/* Looks for the candidates that were not met in this graph; how many are still missing. */
static uint32_t supers_look(supers *s) {
    uint32_t missing = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        super *c = &s->list[i];
        bool met = c->last_graph == s->graph + 1;
        for (uint16_t p = c->edge.from; p < c->from_end && !met; p++) {
            met = super_is_at(s, c, p);
            s->work++;
        }
        if (met) super_meet(s, c);
        missing += !met;
    }
    return missing;
}

/* Strikes off the candidates that lack too many graphs; one that has enough is the last left. */
static bool supers_settle(supers *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        super c = s->list[i];
        if (c.n_graphs >= s->enough) {
            s->list[0] = c;
            return true;
        }
        if (c.n_graphs + s->slack >= s->n_graphs) s->list[n++] = c;
    }
    s->n = n;
    return false;
}

/* ---- graph by graph ------------------------------------------------------------------------- */

/* The end of the rows of the graph that begin with this one: steps that double, then halves. */
static uint32_t graph_rows_end(const supers *s, uint32_t row) {
    const node *x = s->x;
    uint32_t graph = search_graph(s->w->s, x->vid[row]), step = 1;
    while (x->n - row > step && search_graph(s->w->s, x->vid[row + step]) == graph) {
        row += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (x->n - row > step && search_graph(s->w->s, x->vid[row + step]) == graph) row += step;
    }
    return row + 1;
}

/* Looks at the rows of one graph. */
static lode_status supers_graph(supers *s, uint32_t row, uint32_t end, bool gather) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    s->graph = search_graph(w->s, s->x->vid[row]);
    s->n_graphs++;
    for (uint32_t missing = 1; row < end && missing > 0; row++) {
        cursor_move(w, row);
        s->work += w->code.n_vertices;
        LODE_TRY(worker_check(w, &s->work, SUPER_CHECK_EVERY));
        if (gather) {
            LODE_TRY(supers_gather_row(s));
        } else {
            missing = supers_look(s);
        }
    }
done:
    return status;
}

/* Returns the first row of the graph to begin with: the one with the fewest rows among the first
 * few graphs, because it gives few candidates. */
static uint32_t fewest_rows(const supers *s) {
    uint32_t best = 0, least = UINT32_MAX, row = 0;
    for (unsigned i = 0; i < SUPER_FIRST_GRAPHS && row < s->x->n; i++) {
        uint32_t end = graph_rows_end(s, row);
        if (end - row < least) {
            least = end - row;
            best = row;
        }
        row = end;
    }
    return best;
}

/* Looks at graph after graph; `gather`: candidates are not given. */
static lode_status supers_run(supers *s, bool gather, bool *found) {
    lode_status status = LODE_OK;
    uint32_t first = gather && s->slack == 0 ? fewest_rows(s) : 0;
    LODE_TRY(supers_graph(s, first, graph_rows_end(s, first), gather));
    *found = supers_settle(s);
    for (uint32_t row = 0, end; row < s->x->n && !*found; row = end) {
        bool more = gather && s->n_graphs <= s->slack;
        if (s->n == 0 && !more) break;
        end = graph_rows_end(s, row);
        if (row == first) continue;
        LODE_TRY(supers_graph(s, row, end, more));
        *found = supers_settle(s);
    }
done:
    return status;
}

lode_status super_find(worker *w, const node *x, uint64_t enough, bool *found, code_edge *edge) {
    lode_status status = LODE_OK;
    size_t mark = w->scratch.top;
    supers s = {.w = w, .x = x, .enough = enough};
    *found = false;
    keymap_empty(&w->keys);
    LODE_TRY(supers_start(&s));
    LODE_TRY(supers_run(&s, true, found));
    if (*found) *edge = s.list[0].edge;
done:
    cursor_end(w);
    w->scratch.top = mark;
    return status;
}

lode_status super_try(worker *w, const node *x, uint64_t enough, code_edge edge, bool *found) {
    lode_status status = LODE_OK;
    size_t mark = w->scratch.top;
    supers s = {.w = w, .x = x, .enough = enough};
    *found = false;
    if (edge.to != CODE_NONE && code_has_arc(&w->code, edge.from, edge.to, edge.type))
        return status;
    LODE_TRY(supers_start(&s));
    LODE_TRY(supers_add(&s, edge));
    LODE_TRY(supers_run(&s, false, found));
done:
    cursor_end(w);
    w->scratch.top = mark;
    return status;
}
