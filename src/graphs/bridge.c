/* bridge.c - see bridge.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/bridge.h"

#include <string.h>

#define BRIDGE_CHECK_EVERY ((size_t)1 << 18) /* edges between two checks for a stop */

/* Tables that are needed while the forest is built. */
typedef struct forest {
    const store *g;
    lode_job *job;
    uint32_t *up, *cycle;
    uint32_t *joined; /* by vertex: towards the one that stands for its tree, or for its cycle */
    uint32_t *size;   /* of the tree of such a vertex; later, depths of all vertices, from 1 on */
    bool *met;        /* by vertex: its edge of the forest was met */
    size_t work;
} forest;

typedef lode_status edge_taker(forest *f, uint32_t u, uint32_t v, uint32_t triple);

/* The representative of a vertex; with path halving. */
static uint32_t forest_find(forest *f, uint32_t v) {
    uint32_t *joined = f->joined;
    while (joined[v] != v) v = joined[v] = joined[joined[v]];
    return v;
}

/* Makes a vertex the root of its tree: turns the edges on its way up. */
static void forest_turn(forest *f, uint32_t v) {
    uint32_t at = v, above = f->up[v];
    f->up[v] = v;
    while (above != at) {
        uint32_t next = f->up[above];
        f->up[above] = at;
        at = above;
        above = next;
    }
}

/* Adds an edge to the forest, unless its ends are in one tree. The smaller tree is turned. */
static lode_status forest_join(forest *f, uint32_t u, uint32_t v, uint32_t triple) {
    (void)triple;
    uint32_t a = forest_find(f, u), b = forest_find(f, v);
    if (a == b) return LODE_OK;
    if (f->size[a] > f->size[b]) {
        uint32_t swap = a;
        a = b;
        b = swap;
        swap = u;
        u = v;
        v = swap;
    }
    forest_turn(f, u);
    f->up[u] = v;
    f->joined[a] = b;
    f->size[b] += f->size[a];
    return LODE_OK;
}

/* Meets an edge of the forest, given by its lower end. If a parallel edge exists (arrows in both
 * directions), neither counts as a bridge: edges are identified by their ends, and a search may see
 * only one of the two triples. */
static void forest_meet(forest *f, uint32_t child) {
    if (f->met[child]) {
        f->cycle[child] = UINT32_MAX;
        if (f->joined[child] == child) f->joined[child] = f->up[child];
    }
    f->met[child] = true;
}

/* Marks the path between the ends of an edge: it is on a cycle for searches from this triple down.
 * forest_find() skips vertices whose edge is on a cycle already: it returns the first vertex above
 * them whose edge is not. */
static lode_status forest_close(forest *f, uint32_t u, uint32_t v, uint32_t triple) {
    if (f->up[u] == v || f->up[v] == u) {
        forest_meet(f, f->up[u] == v ? u : v);
        return LODE_OK;
    }
    u = forest_find(f, u);
    v = forest_find(f, v);
    while (u != v) {
        uint32_t *deeper = f->size[u] > f->size[v] ? &u : &v;
        f->cycle[*deeper] = triple + 1;
        f->joined[*deeper] = f->up[*deeper];
        *deeper = forest_find(f, *deeper);
    }
    return LODE_OK;
}

/* Takes all edges, the latest triples first. */
static lode_status forest_edges(forest *f, edge_taker *take) {
    lode_status status = LODE_OK;
    const store *g = f->g;
    for (uint32_t t = g->n_triples; t-- > g->first_triple;) {
        bool both_ways = g->reverse[2 * t] == 2 * t;
        for (size_t i = g->roots_at[t]; i < g->roots_at[t + 1]; i++) {
            uint32_t v = g->roots[i];
            if (i > g->roots_at[t] && v == g->roots[i - 1]) continue;
            for (uint32_t k = store_first(g, v, 2 * t); k < g->offsets[v + 1]; k++) {
                if (g->half[k].type != 2 * t) break;
                if (both_ways && g->half[k].to < v) continue;
                if (++f->work % BRIDGE_CHECK_EVERY == 0) LODE_TRY(job_check(f->job));
                LODE_TRY(take(f, v, g->half[k].to, t));
            }
        }
    }
done:
    return status;
}

/* The depths of all vertices, from 1 on: goes up to one that is known, and back. */
static void forest_depths(forest *f) {
    uint32_t *depth = f->size, *down = f->joined;
    memset(depth, 0, f->g->n_vertices * sizeof *depth);
    for (uint32_t v = 0; v < f->g->n_vertices; v++) {
        uint32_t at = v, last = UINT32_MAX;
        for (; depth[at] == 0 && f->up[at] != at; at = f->up[at]) {
            down[at] = last;
            last = at;
        }
        if (depth[at] == 0) depth[at] = 1;
        for (uint32_t above = depth[at]; last != UINT32_MAX; last = down[last]) {
            depth[last] = ++above;
        }
    }
}

static void forest_separate(forest *f) {
    for (uint32_t v = 0; v < f->g->n_vertices; v++) f->joined[v] = v;
}

static lode_status forest_allocate(forest *f) {
    lode_status status = LODE_OK;
    size_t n = f->g->n_vertices;
    mem *m = &f->job->mem;
    LODE_TRY(mem_zalloc(m, (void **)&f->up, n * sizeof *f->up));
    LODE_TRY(mem_zalloc(m, (void **)&f->cycle, n * sizeof *f->cycle));
    LODE_TRY(mem_zalloc(m, (void **)&f->joined, n * sizeof *f->joined));
    LODE_TRY(mem_zalloc(m, (void **)&f->size, n * sizeof *f->size));
    LODE_TRY(mem_zalloc(m, (void **)&f->met, n * sizeof *f->met));
    for (size_t v = 0; v < n; v++) {
        f->up[v] = (uint32_t)v;
        f->size[v] = 1;
    }
    forest_separate(f);
done:
    return status;
}

void bridges_free(bridges *b, const store *g, lode_job *job) {
    mem_free(&job->mem, b->up, b->up ? g->n_vertices * sizeof *b->up : 0);
    mem_free(&job->mem, b->cycle, b->cycle ? g->n_vertices * sizeof *b->cycle : 0);
    *b = (bridges){0};
}

lode_status bridges_build(bridges *b, const store *g, lode_job *job) {
    lode_status status = LODE_OK;
    forest f = {.g = g, .job = job};
    LODE_TRY(forest_allocate(&f));
    LODE_TRY(forest_edges(&f, forest_join));
    forest_depths(&f);
    forest_separate(&f);
    LODE_TRY(forest_edges(&f, forest_close));
done:
    *b = (bridges){f.up, f.cycle};
    mem_free(&job->mem, f.joined, f.joined ? g->n_vertices * sizeof *f.joined : 0);
    mem_free(&job->mem, f.size, f.size ? g->n_vertices * sizeof *f.size : 0);
    mem_free(&job->mem, f.met, f.met ? g->n_vertices * sizeof *f.met : 0);
    if (status != LODE_OK) bridges_free(b, g, job);
    return status;
}
