/* code.c - see code.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/code.h"

#include <string.h>

#include "base/check.h"

#define CODE_LOOK_UP 8192 /* steps between looks at whether to stop */

void code_init(code *c, lode_job *job, const uint32_t *reverse) {
    *c = (code){.job = job, .reverse = reverse};
}

/* All arrays lie in one block. Returns its size; `block` NULL: only that. */
static size_t code_lay_out(code *c, char *block, size_t cap) {
    size_t at = 0;
#define CODE_ARRAY(field, n)                                                                       \
    do {                                                                                           \
        if (block) c->field = (void *)(block + at);                                                \
        at += ((n) * sizeof *c->field + 15) / 16 * 16;                                             \
    } while (0)
    CODE_ARRAY(edges, cap);
    CODE_ARRAY(arcs, 2 * cap);
    CODE_ARRAY(heads, cap + 1);
    CODE_ARRAY(parents, cap + 1);
    CODE_ARRAY(degrees, cap + 1);
    CODE_ARRAY(walk, cap + 1);
    CODE_ARRAY(steps, cap);
    CODE_ARRAY(used, cap);
#undef CODE_ARRAY
    return at;
}

void code_free(code *c) {
    if (c->cap > 0) mem_free(&c->job->mem, c->edges, code_lay_out(c, NULL, c->cap));
    *c = (code){0};
}

lode_status code_room(code *c, size_t n) {
    char *block = NULL;
    code old = *c;
    size_t cap = c->cap ? c->cap : 32;
    if (n <= c->cap) return LODE_OK;
    if (n > CODE_MAX_EDGES) return LODE_UNSUPPORTED;
    while (cap < n) cap *= 2;
    if (cap > CODE_MAX_EDGES) cap = CODE_MAX_EDGES;
    lode_status status = mem_zalloc(&c->job->mem, (void **)&block, code_lay_out(c, NULL, cap));
    if (status != LODE_OK) return status;
    code_lay_out(c, block, cap);
    for (size_t v = 0; v <= cap; v++) c->walk[v].number = CODE_NONE;
    c->cap = (uint16_t)cap;
    if (old.cap == 0) return LODE_OK;
    memcpy(c->edges, old.edges, old.n_edges * sizeof *c->edges);
    memcpy(c->arcs, old.arcs, 2 * (size_t)old.n_edges * sizeof *c->arcs);
    memcpy(c->heads, old.heads, old.n_vertices * sizeof *c->heads);
    memcpy(c->parents, old.parents, old.n_vertices * sizeof *c->parents);
    memcpy(c->degrees, old.degrees, old.n_vertices * sizeof *c->degrees);
    code_free(&old);
    return LODE_OK;
}

static void code_new_vertex(code *c, uint16_t parent) {
    uint16_t v = c->n_vertices++;
    c->heads[v] = CODE_NONE;
    c->parents[v] = parent;
    c->degrees[v] = 0;
}

static void code_add_arc(code *c, uint16_t vertex, uint16_t arc, uint16_t to, uint32_t type) {
    c->arcs[arc] = (code_arc){.to = to, .next = c->heads[vertex], .type = type};
    c->heads[vertex] = arc;
    c->degrees[vertex]++;
}

void code_push(code *c, code_edge e) {
    LODE_DEBUG_CHECK(code_is_forward(e) ? e.to == (c->n_edges == 0 ? 1 : c->n_vertices)
                                        : e.from + 1 == c->n_vertices && e.to < e.from,
                     "edge %u-%u cannot follow in a code of %u vertices", e.from, e.to,
                     c->n_vertices);
    uint16_t k = c->n_edges++;
    if (k == 0) code_new_vertex(c, CODE_NONE);
    if (code_is_forward(e)) code_new_vertex(c, e.from);
    c->edges[k] = e;
    code_add_arc(c, e.from, (uint16_t)(2 * k), e.to, e.type);
    code_add_arc(c, e.to, (uint16_t)(2 * k + 1), e.from, c->reverse[e.type]);
}

void code_pop(code *c) {
    uint16_t k = --c->n_edges;
    code_edge e = c->edges[k];
    c->heads[e.to] = c->arcs[2 * k + 1].next;
    c->heads[e.from] = c->arcs[2 * k].next;
    c->degrees[e.to]--;
    c->degrees[e.from]--;
    if (code_is_forward(e)) c->n_vertices--;
    if (k == 0) c->n_vertices = 0;
}

void code_clear(code *c) {
    c->n_edges = c->n_vertices = 0;
}

void code_set_edges(code *c, unsigned n) {
    code_clear(c);
    for (unsigned k = 0; k < n; k++) code_push(c, c->edges[k]);
}

void code_set_vertex(code *c) {
    code_clear(c);
    code_new_vertex(c, CODE_NONE);
}

lode_status code_load(code *c, uint32_t n_vertices, const code_edge *edges, uint32_t n_edges) {
    code_clear(c);
    if (n_edges > CODE_MAX_EDGES || n_vertices > CODE_MAX_EDGES) return LODE_UNSUPPORTED;
    lode_status status = code_room(c, n_edges > n_vertices ? n_edges : n_vertices);
    if (status != LODE_OK) return status;
    for (uint32_t v = 0; v < n_vertices; v++) code_new_vertex(c, CODE_NONE);
    for (uint16_t k = 0; k < n_edges; k++) {
        code_edge e = edges[k];
        c->edges[k] = e;
        code_add_arc(c, e.from, (uint16_t)(2 * k), e.to, e.type);
        code_add_arc(c, e.to, (uint16_t)(2 * k + 1), e.from, c->reverse[e.type]);
    }
    c->n_edges = (uint16_t)n_edges;
    return LODE_OK;
}

bool code_has_arc(const code *c, uint16_t from, uint16_t to, uint32_t type) {
    for (uint16_t a = c->heads[from]; a != CODE_NONE; a = c->arcs[a].next) {
        if (c->arcs[a].to == to && c->arcs[a].type == type) return true;
    }
    return false;
}

/* ---- walking -------------------------------------------------------------------------------- */

static void walk_meet(code *c, uint16_t vertex, uint16_t number) {
    c->walk[vertex].number = number;
    c->walk[vertex].left = c->degrees[vertex];
    c->walk[number].vertex = vertex;
}

static void walk_forget(code *c, uint16_t vertex) {
    c->walk[vertex].number = CODE_NONE;
}

static void walk_use(code *c, uint16_t from, uint16_t arc) {
    c->used[arc / 2] = true;
    c->walk[from].left--;
    c->walk[c->arcs[arc].to].left--;
}

static void walk_unuse(code *c, uint16_t from, uint16_t arc) {
    c->used[arc / 2] = false;
    c->walk[from].left++;
    c->walk[c->arcs[arc].to].left++;
}

/* The arc of the smallest backward edge from a vertex of the pattern, or CODE_NONE. */
static uint16_t walk_backward(const code *c, uint16_t vertex) {
    uint16_t best = CODE_NONE;
    if (c->walk[vertex].left == 0) return best;
    for (uint16_t a = c->heads[vertex]; a != CODE_NONE; a = c->arcs[a].next) {
        uint16_t to = c->walk[c->arcs[a].to].number;
        if (c->used[a / 2] || to == CODE_NONE) continue;
        if (best != CODE_NONE) {
            uint16_t other = c->walk[c->arcs[best].to].number;
            if (to > other || (to == other && c->arcs[a].type > c->arcs[best].type)) continue;
        }
        best = a;
    }
    return best;
}

/* Takes step k from a vertex of the pattern; a forward step meets vertex n_met. */
static inline void walk_step(code *c, unsigned k, uint16_t from, uint16_t arc, uint16_t *n_met) {
    bool forward = c->steps[k].forward;
    c->steps[k].arc = arc;
    if (forward) walk_meet(c, c->arcs[arc].to, (*n_met)++);
    walk_use(c, from, arc);
}

/* Takes step k back. */
static inline void walk_undo(code *c, unsigned k, uint16_t *n_met) {
    uint16_t arc = c->steps[k].arc;
    code_edge e = c->edges[arc / 2];
    walk_unuse(c, arc % 2 ? e.to : e.from, arc);
    if (!c->steps[k].forward) return;
    walk_forget(c, c->arcs[arc].to);
    --*n_met;
}

/* Begins at a vertex of the pattern. */
static uint16_t walk_begin(code *c, uint16_t arc) {
    code_edge e = c->edges[arc / 2];
    uint16_t from = arc % 2 ? e.to : e.from, n_met = 1;
    walk_meet(c, from, 0);
    c->steps[0].forward = true;
    walk_step(c, 0, from, arc, &n_met);
    return n_met;
}

/* Goes all the way back from step k. */
static void walk_end(code *c, unsigned k, uint16_t n_met) {
    while (k > 0) walk_undo(c, --k, &n_met);
    walk_forget(c, c->walk[0].vertex);
}

/* The next arc of a forward step k to an unmet vertex from `a` on, of one type. Of those that lead
 * to leaves, one will do. */
static inline uint16_t walk_forward(code *c, unsigned k, uint16_t a, uint32_t type) {
    code_step *step = &c->steps[k];
    for (; a != CODE_NONE; a = c->arcs[a].next) {
        if (c->arcs[a].type != type || c->used[a / 2]) continue;
        if (c->degrees[c->arcs[a].to] > 1) return a;
        if (step->leaf_tried) continue;
        step->leaf_tried = true;
        return a;
    }
    return CODE_NONE;
}

/* Whether the job is to end, looked at from time to time. */
static inline lode_status walk_check(code *c) {
    if (++c->work < CODE_LOOK_UP) return LODE_OK;
    c->work = 0;
    return job_check(c->job);
}

/* ---- the test ------------------------------------------------------------------------------- */

typedef struct code_search {
    code *c;
    unsigned end; /* steps that are compared */
    bool early, late;
} code_search;

/* A smaller edge at step k. */
static uint16_t search_found(code_search *s, unsigned k) {
    if (k + 1 < s->c->n_edges) {
        s->early = true;
    } else {
        s->late = true;
        s->end = k; /* look for earlier differences only */
    }
    return CODE_NONE;
}

/* Whether a vertex of the path behind e.from has an edge left, which would be smaller. */
static bool search_deeper(const code *c, code_edge e, uint16_t n_met) {
    for (uint16_t v = (uint16_t)(n_met - 1); v != e.from; v = c->parents[v]) {
        if (c->walk[c->walk[v].vertex].left > 0) return true;
    }
    return false;
}

static uint16_t search_forward(code_search *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    code_edge e = c->edges[k];
    if (search_deeper(c, e, n_met)) return search_found(s, k);
    uint16_t from = c->walk[e.from].vertex;
    if (c->walk[from].left == 0) return CODE_NONE;
    for (uint16_t a = c->heads[from]; a != CODE_NONE; a = c->arcs[a].next) {
        if (c->arcs[a].type < e.type && !c->used[a / 2]) return search_found(s, k);
    }
    c->steps[k].leaf_tried = false;
    return walk_forward(c, k, c->heads[from], e.type);
}

/* The walk agrees with the first k edges: the first arc by which it agrees with one more. */
static uint16_t search_first(code_search *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    code_edge e = c->edges[k];
    uint16_t arc = walk_backward(c, c->walk[n_met - 1].vertex);
    bool forward = code_is_forward(e);
    c->steps[k].forward = forward;
    if (arc == CODE_NONE) return forward ? search_forward(s, k, n_met) : CODE_NONE;
    if (forward) return search_found(s, k);
    uint16_t to = c->walk[c->arcs[arc].to].number;
    uint32_t type = c->arcs[arc].type;
    if (to < e.to || (to == e.to && type < e.type)) return search_found(s, k);
    return to == e.to && type == e.type ? arc : CODE_NONE;
}

/* Takes step k back; another arc by which the walk agrees. */
static uint16_t search_next(code_search *s, unsigned k, uint16_t *n_met) {
    code *c = s->c;
    walk_undo(c, k, n_met);
    if (!c->steps[k].forward || s->early || k >= s->end) return CODE_NONE;
    uint16_t arc = c->steps[k].arc;
    return walk_forward(c, k, c->arcs[arc].next, c->arcs[arc].type);
}

/* All walks that begin with an arc. */
static lode_status search_from(code_search *s, uint16_t first) {
    lode_status status = LODE_OK;
    code *c = s->c;
    uint16_t n_met = walk_begin(c, first);
    for (unsigned k = 1;;) {
        uint16_t arc = k < s->end ? search_first(s, k, n_met) : CODE_NONE;
        while (arc == CODE_NONE && k > 1) arc = search_next(s, --k, &n_met);
        if (arc != CODE_NONE) {
            walk_step(c, k, c->walk[c->edges[k].from].vertex, arc, &n_met);
            k++;
            status = walk_check(c);
            if (status == LODE_OK) continue;
        }
        walk_end(c, k, n_met);
        return status;
    }
}

lode_status code_test(code *c, code_verdict *verdict) {
    lode_status status = LODE_OK;
    code_search s = {.c = c, .end = c->n_edges};
    uint32_t first = c->edges[0].type;
    for (unsigned arc = 0; arc < 2u * c->n_edges && !s.early; arc++) {
        uint32_t type = c->arcs[arc].type;
        if (type > first) continue;
        if (type < first) {
            search_found(&s, 0);
        } else {
            LODE_TRY(search_from(&s, (uint16_t)arc));
        }
    }
    *verdict = s.early ? CODE_EARLY : s.late ? CODE_LATE : CODE_MINIMAL;
done:
    return status;
}

/* ---- the smallest code ---------------------------------------------------------------------- */

typedef struct code_min {
    code *c;
    code_edge *best;
    unsigned n; /* edges of `best` that are settled so far */
    uint16_t *parents;
} code_min;

/* Whether a walk whose next edge is e is worth following. */
static bool min_accept(code_min *s, unsigned k, code_edge e) {
    if (k < s->n && code_edge_less(s->best[k], e)) return false;
    if (k == s->n || code_edge_less(e, s->best[k])) {
        s->best[k] = e;
        s->n = k + 1;
    }
    return true;
}

/* The first arc of step k of a walk: the smallest there is, unless that is not worth following. */
static uint16_t min_first(code_min *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    uint16_t last = (uint16_t)(n_met - 1);
    uint16_t arc = walk_backward(c, c->walk[last].vertex);
    c->steps[k].forward = arc == CODE_NONE;
    if (arc != CODE_NONE) {
        uint16_t to = c->walk[c->arcs[arc].to].number;
        return min_accept(s, k, (code_edge){last, to, c->arcs[arc].type}) ? arc : CODE_NONE;
    }
    while (c->walk[c->walk[last].vertex].left == 0) last = s->parents[last];
    uint16_t from = c->walk[last].vertex;
    uint32_t type = UINT32_MAX;
    for (uint16_t a = c->heads[from]; a != CODE_NONE; a = c->arcs[a].next) {
        if (!c->used[a / 2] && c->arcs[a].type < type) type = c->arcs[a].type;
    }
    if (!min_accept(s, k, (code_edge){last, n_met, type})) return CODE_NONE;
    c->steps[k].leaf_tried = false;
    return walk_forward(c, k, c->heads[from], type);
}

/* Takes step k back; another arc that is as small. */
static uint16_t min_next(code_min *s, unsigned k, uint16_t *n_met) {
    code *c = s->c;
    walk_undo(c, k, n_met);
    if (!c->steps[k].forward) return CODE_NONE;
    uint16_t arc = c->steps[k].arc;
    return walk_forward(c, k, c->arcs[arc].next, c->arcs[arc].type);
}

/* All walks that begin with an arc and may be the smallest. */
static lode_status min_from(code_min *s, uint16_t first) {
    lode_status status = LODE_OK;
    code *c = s->c;
    uint16_t n_met = walk_begin(c, first);
    s->parents[0] = CODE_NONE;
    s->parents[1] = 0;
    for (unsigned k = 1;;) {
        uint16_t arc = k < c->n_edges ? min_first(s, k, n_met) : CODE_NONE;
        while (arc == CODE_NONE && k > 1) arc = min_next(s, --k, &n_met);
        if (arc != CODE_NONE) {
            code_edge e = c->edges[arc / 2];
            uint16_t from = arc % 2 ? e.to : e.from;
            if (c->steps[k].forward) s->parents[n_met] = c->walk[from].number;
            walk_step(c, k, from, arc, &n_met);
            k++;
            status = walk_check(c);
            if (status == LODE_OK) continue;
        }
        walk_end(c, k, n_met);
        return status;
    }
}

lode_status code_minimise(code *c, code_edge *best) {
    lode_status status = LODE_OK;
    code_min s = {.c = c, .best = best, .parents = c->parents};
    uint32_t first = UINT32_MAX;
    for (unsigned arc = 0; arc < 2u * c->n_edges; arc++) {
        if (c->arcs[arc].type < first) first = c->arcs[arc].type;
    }
    for (unsigned arc = 0; arc < 2u * c->n_edges; arc++) {
        if (c->arcs[arc].type != first) continue;
        if (!min_accept(&s, 0, (code_edge){0, 1, first})) continue;
        LODE_TRY(min_from(&s, (uint16_t)arc));
    }
done:
    return status;
}
