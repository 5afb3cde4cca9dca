/* code.c - see code.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/code.h"

#include <string.h>

#include "base/check.h"

#define CODE_CHECK_EVERY 8192 /* steps between two checks whether the job is to stop */

void code_init(code *c, lode_job *job, const uint32_t *reverse) {
    *c = (code){.job = job, .reverse = reverse};
}

/* Divides a block among the arrays and returns its size. With `block` NULL, only the size. */
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
    CODE_ARRAY(guards, cap + 1);
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
                     "edge %u-%u cannot be the next edge of a code with %u vertices", e.from, e.to,
                     c->n_vertices);
    uint16_t k = c->n_edges++;
    if (k == 0) code_new_vertex(c, CODE_NONE);
    if (code_is_forward(e)) code_new_vertex(c, e.from);
    c->edges[k] = e;
    code_add_arc(c, e.from, (uint16_t)(2 * k), e.to, e.type);
    code_add_arc(c, e.to, (uint16_t)(2 * k + 1), e.from, c->reverse[e.type]);
}

void code_pop(code *c) {
    LODE_DEBUG_CHECK(c->n_edges > 0, "the DFS code is empty: it has no edge to remove");
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

/* ---- walks ---------------------------------------------------------------------------------- */

/* The walk meets a vertex of the pattern, which gets a number. */
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

/* The arc of the smallest backward edge from a vertex of the pattern; CODE_NONE: it has none. */
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

/* The vertex of the pattern where an arc begins. */
static inline uint16_t arc_from(const code *c, uint16_t arc) {
    code_edge e = c->edges[arc / 2];
    return arc % 2 ? e.to : e.from;
}

/* Takes step k along an arc; a forward step meets vertex *n_met. */
static inline void walk_step(code *c, unsigned k, uint16_t arc, uint16_t *n_met) {
    c->steps[k].arc = arc;
    if (c->steps[k].forward) walk_meet(c, c->arcs[arc].to, (*n_met)++);
    walk_use(c, arc_from(c, arc), arc);
}

/* Takes step k back. */
static inline void walk_undo(code *c, unsigned k, uint16_t *n_met) {
    uint16_t arc = c->steps[k].arc;
    walk_unuse(c, arc_from(c, arc), arc);
    if (!c->steps[k].forward) return;
    walk_forget(c, c->arcs[arc].to);
    --*n_met;
}

/* Begins a walk with an arc; returns how many vertices it has met. */
static uint16_t walk_begin(code *c, uint16_t arc) {
    uint16_t n_met = 1;
    walk_meet(c, arc_from(c, arc), 0);
    c->steps[0].forward = true;
    walk_step(c, 0, arc, &n_met);
    return n_met;
}

/* Takes all k steps back. */
static void walk_end(code *c, unsigned k, uint16_t n_met) {
    while (k > 0) walk_undo(c, --k, &n_met);
    walk_forget(c, c->walk[0].vertex);
}

/* Returns the next arc, from `a` on, of a type that step k can take to an unvisited vertex. Only
 * one of several arcs to leaves is tried: the others would spell the same codes. */
static inline uint16_t walk_forward(code *c, unsigned k, uint16_t a, uint32_t type) {
    code_step *step = &c->steps[k];
    for (; a != CODE_NONE; a = c->arcs[a].next) {
        if (c->arcs[a].type != type || c->used[a / 2]) continue;
        if (c->degrees[c->arcs[a].to] > 1) return a;
        if (step->leaf == CODE_NONE) {
            step->leaf = a;
            return a;
        }
        c->guards[c->arcs[step->leaf].to] = c->guards[c->arcs[a].to] = UINT32_MAX;
    }
    return CODE_NONE;
}

/* Checks from time to time whether the job is to stop. */
static inline lode_status walk_check(code *c) {
    if (++c->work < CODE_CHECK_EVERY) return LODE_OK;
    c->work = 0;
    return job_check(c->job);
}

/* ---- searching for a smaller code ----------------------------------------------------------- */

/* Searches all walks for one that spells a smaller code. code_test() compares them with the code
 * itself; code_minimise() compares them with the smallest code so far, and replaces that. */
typedef struct code_search {
    code *c;
    unsigned end;     /* steps that are compared */
    bool early, late; /* code_test(): a smaller code was found */
    unsigned n_whole; /* code_test(): walks that spell the whole code */
    code_edge *best;  /* code_minimise(): the smallest code so far; NULL in code_test() */
    unsigned n_best;  /* edges of it that are known */
} code_search;

/* code_test() found a smaller edge at step k. */
static uint16_t code_test_found(code_search *s, unsigned k) {
    if (k + 1 < s->c->n_edges) {
        s->early = true;
    } else {
        s->late = true;
        s->end = k; /* from now on, only earlier differences matter */
    }
    return CODE_NONE;
}

/* Whether a vertex of the right-most path below e.from has an edge left: it would be smaller. */
static bool code_test_deeper(const code *c, code_edge e, uint16_t n_met) {
    for (uint16_t v = (uint16_t)(n_met - 1); v != e.from; v = c->parents[v]) {
        uint16_t vertex = c->walk[v].vertex;
        if (c->walk[vertex].left > 0) return true;
        c->guards[vertex] = UINT32_MAX;
    }
    return false;
}

static uint16_t code_test_forward(code_search *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    code_edge e = c->edges[k];
    if (code_test_deeper(c, e, n_met)) return code_test_found(s, k);
    uint16_t from = c->walk[e.from].vertex;
    if (c->guards[from] <= e.type) c->guards[from] = e.type + 1;
    if (c->walk[from].left == 0) return CODE_NONE;
    for (uint16_t a = c->heads[from]; a != CODE_NONE; a = c->arcs[a].next) {
        if (c->arcs[a].type < e.type && !c->used[a / 2]) return code_test_found(s, k);
    }
    c->steps[k].leaf = CODE_NONE;
    return walk_forward(c, k, c->heads[from], e.type);
}

/* The walk spells the first k edges of the code: returns the first arc that spells the next one. */
static uint16_t code_test_first(code_search *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    code_edge e = c->edges[k];
    uint16_t arc = walk_backward(c, c->walk[n_met - 1].vertex);
    bool forward = code_is_forward(e);
    c->steps[k].forward = forward;
    if (arc == CODE_NONE) return forward ? code_test_forward(s, k, n_met) : CODE_NONE;
    if (forward) return code_test_found(s, k);
    uint16_t to = c->walk[c->arcs[arc].to].number;
    uint32_t type = c->arcs[arc].type;
    if (to < e.to || (to == e.to && type < e.type)) return code_test_found(s, k);
    return to == e.to && type == e.type ? arc : CODE_NONE;
}

/* Whether a walk whose edge k is e can still spell the smallest code. */
static bool code_min_accept(code_search *s, unsigned k, code_edge e) {
    if (k < s->n_best && code_edge_less(s->best[k], e)) return false;
    if (k == s->n_best || code_edge_less(e, s->best[k])) {
        s->best[k] = e;
        s->n_best = k + 1;
    }
    return true;
}

/* The first arc of step k: the smallest that the walk can take, unless that is too large. */
static uint16_t code_min_first(code_search *s, unsigned k, uint16_t n_met) {
    code *c = s->c;
    uint16_t last = (uint16_t)(n_met - 1);
    uint16_t arc = walk_backward(c, c->walk[last].vertex);
    c->steps[k].forward = arc == CODE_NONE;
    if (arc != CODE_NONE) {
        uint16_t to = c->walk[c->arcs[arc].to].number;
        return code_min_accept(s, k, (code_edge){last, to, c->arcs[arc].type}) ? arc : CODE_NONE;
    }
    while (c->walk[c->walk[last].vertex].left == 0) last = c->parents[last];
    uint16_t from = c->walk[last].vertex;
    uint32_t type = UINT32_MAX;
    for (uint16_t a = c->heads[from]; a != CODE_NONE; a = c->arcs[a].next) {
        if (!c->used[a / 2] && c->arcs[a].type < type) type = c->arcs[a].type;
    }
    if (!code_min_accept(s, k, (code_edge){last, n_met, type})) return CODE_NONE;
    c->parents[n_met] = last;
    c->steps[k].leaf = CODE_NONE;
    return walk_forward(c, k, c->heads[from], type);
}

/* Takes step k back, and returns another arc that spells the same edge. */
static uint16_t code_search_next(code_search *s, unsigned k, uint16_t *n_met) {
    code *c = s->c;
    walk_undo(c, k, n_met);
    if (!c->steps[k].forward || s->early || k >= s->end) return CODE_NONE;
    uint16_t arc = c->steps[k].arc;
    return walk_forward(c, k, c->arcs[arc].next, c->arcs[arc].type);
}

/* All walks that begin with an arc. */
static lode_status code_search_from(code_search *s, uint16_t first) {
    lode_status status = LODE_OK;
    code *c = s->c;
    uint16_t n_met = walk_begin(c, first);
    for (unsigned k = 1;;) {
        uint16_t arc = CODE_NONE;
        if (k == c->n_edges) s->n_whole++;
        if (k < s->end) arc = s->best ? code_min_first(s, k, n_met) : code_test_first(s, k, n_met);
        while (arc == CODE_NONE && k > 1) arc = code_search_next(s, --k, &n_met);
        if (arc != CODE_NONE) {
            walk_step(c, k++, arc, &n_met);
            status = walk_check(c);
            if (status == LODE_OK) continue;
        }
        walk_end(c, k, n_met);
        return status;
    }
}

lode_status code_test(code *c, code_edge e, code_verdict *verdict) {
    lode_status status = LODE_OK;
    code_push(c, e);
    code_search s = {.c = c, .end = c->n_edges};
    uint32_t first = c->edges[0].type;
    memset(c->guards, 0, c->n_vertices * sizeof *c->guards);
    for (unsigned arc = 0; arc < 2u * c->n_edges && !s.early; arc++) {
        uint32_t type = c->arcs[arc].type;
        if (type > first) continue;
        if (type < first) {
            code_test_found(&s, 0);
        } else {
            LODE_TRY(code_search_from(&s, (uint16_t)arc));
        }
    }
    *verdict = s.early ? CODE_EARLY : s.late ? CODE_LATE : CODE_MINIMAL;
    c->guarded = *verdict == CODE_MINIMAL && s.n_whole == 1;
done:
    code_pop(c);
    c->n_tests++;
    return status;
}

void code_guard_safe(const code *c, const uint32_t *guards, code_edge e, uint32_t *out) {
    memcpy(out, guards, c->n_vertices * sizeof *out);
    if (out[e.from] <= e.type) out[e.from] = e.type + 1;
    for (uint16_t v = (uint16_t)(c->n_vertices - 1); v != e.from; v = c->parents[v]) {
        out[v] = UINT32_MAX;
    }
    out[c->n_vertices] = 0;
}

lode_status code_minimise(code *c, code_edge *best) {
    lode_status status = LODE_OK;
    code_search s = {.c = c, .end = c->n_edges, .best = best};
    uint32_t first = UINT32_MAX;
    for (unsigned arc = 0; arc < 2u * c->n_edges; arc++) {
        if (c->arcs[arc].type < first) first = c->arcs[arc].type;
    }
    if (c->n_edges > 0) {
        code_min_accept(&s, 0, (code_edge){0, 1, first});
        c->parents[0] = CODE_NONE;
        c->parents[1] = 0;
    }
    for (unsigned arc = 0; arc < 2u * c->n_edges; arc++) {
        if (c->arcs[arc].type == first) LODE_TRY(code_search_from(&s, (uint16_t)arc));
    }
done:
    return status;
}
