/* graph_branch.c - see graph_branch.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/graph_branch.h"

#include "graphs/search.h"
#include "graphs/workers.h"

/* The work of a node itself, as a part of that of its branch. [guess] */
#define BRANCH_OWN 0.02

/* ---- groups ---------------------------------------------------------------------------------- */

static bool same_parent(const engine_branch *a, const engine_branch *b) {
    if (a->n_prefix != b->n_prefix || a->n_prefix == 0) return false;
    size_t bytes = (a->n_prefix - BRANCH_EDGE) * sizeof *a->prefix;
    return memcmp(a->prefix, b->prefix, bytes) == 0;
}

typedef const engine_branch *branch_at;

static bool branch_before(const branch_at *a, const branch_at *b) {
    const engine_branch *x = *a, *y = *b;
    uint32_t n = x->n_prefix < y->n_prefix ? x->n_prefix : y->n_prefix;
    for (uint32_t i = 0; i < n; i++) {
        if (x->prefix[i] != y->prefix[i]) return x->prefix[i] < y->prefix[i];
    }
    if (x->n_prefix != y->n_prefix) return x->n_prefix < y->n_prefix;
    return x->first < y->first;
}

#define SORT_NAME   sort_branches
#define SORT_TYPE   branch_at
#define SORT_BEFORE branch_before
#include "base/sort_body.h"

static lode_status branch_check(const search *s, const engine_branch *b, size_t number) {
    bool whole = b->first == 0 && (b->end == 0 || b->end == UINT32_MAX);
    if (b->n_prefix == 0 || (b->n_prefix % BRANCH_EDGE == 0 && whole)) return LODE_OK;
    return job_fail(s->job, LODE_INVALID,
                    "task %llu: the prefix of a graph task must have three numbers per edge, and "
                    "the range of the task must be 0 to 0 or 0 to 4294967295",
                    (unsigned long long)number);
}

lode_status branch_open_groups(search *s) {
    lode_status status = LODE_OK;
    const engine_branches *of = s->task->parts.branches;
    search_branches *b = &s->branches;
    mem *m = &s->job->mem;
    if (!of) return LODE_OK;
    LODE_TRY(mem_keep(m, &b->kept, (void **)&b->list, (of->n + 1) * sizeof *b->list));
    LODE_TRY(mem_keep(m, &b->kept, (void **)&b->groups, (of->n + 1) * sizeof *b->groups));
    for (size_t i = 0; i < of->n; i++) {
        LODE_TRY(branch_check(s, &of->list[i], i));
        b->list[i] = &of->list[i];
        b->work += of->list[i].work;
    }
    b->n = of->n;
    sort_branches(b->list, b->n, NULL);
    for (size_t i = 0; i < b->n; i++) {
        if (i == 0 || !same_parent(b->list[i - 1], b->list[i])) b->groups[b->n_groups++] = i;
    }
    b->groups[b->n_groups] = b->n;
done:
    return status;
}

void branch_close_groups(search *s) {
    mem_drop(&s->job->mem, &s->branches.kept);
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* A branch that is divided: its code is kept. */
typedef struct branch_parts {
    worker *w;
    branch_list *into;
    engine_branch of;
} branch_parts;

static lode_status add_child(const branch_parts *p, const extension *e, double work) {
    lode_status status = LODE_OK;
    uint32_t edge[BRANCH_EDGE] = {e->edge.from, e->edge.to,
                                  search_turn_type(p->w->s, e->edge.type)};
    engine_branch b = {.n_prefix = p->of.n_prefix + BRANCH_EDGE, .own = true, .work = work};
    b.end = UINT32_MAX;
    LODE_TRY(branches_prefix(p->into, &p->of, edge, BRANCH_EDGE, &b.prefix));
    status = branches_add(p->into, &b, true);
done:
    return status;
}

/* The node itself, and its children by the work that is expected below them (workers.h). */
static lode_status add_children(search_found *found) {
    lode_status status = LODE_OK;
    const branch_parts *p = found->user;
    const node *x = found->x;
    engine_branch own = p->of;
    double sum = 0;
    own.own = true;
    own.first = own.end = 0;
    own.work = BRANCH_OWN * p->of.work;
    LODE_TRY(branches_add(p->into, &own, false));
    for (unsigned pass = 0; pass < 2 && x; pass++) { /* adds up, then divides */
        span_scale scale = {0};
        for (uint32_t i = x->n_extensions; i-- > 0;) {
            const extension *e = &x->extensions[i];
            double weight = span_weigh(&scale, e->n, e->support, search_threshold(p->w->s));
            if (e->verdict != CODE_MINIMAL) continue;
            if (pass == 0) sum += weight;
            if (pass == 1) {
                LODE_TRY(add_child(p, e, weight / sum * (1 - BRANCH_OWN) * p->of.work));
            }
        }
    }
done:
    return status;
}

/* The code of a branch that is one triple. */
static lode_status branch_of_root(branch_list *into, engine_branch *b) {
    uint32_t edge[BRANCH_EDGE] = {0, 1, 2 * b->first};
    lode_status status = branches_prefix(into, b, edge, BRANCH_EDGE, &b->prefix);
    b->n_prefix = BRANCH_EDGE;
    return status;
}

static lode_status divide_roots(const search *s, branch_list *into) {
    lode_status status = LODE_OK;
    engine_branch vertices = {.own = true};
    branches_expect(into, 1);
    LODE_TRY(branches_add(into, &vertices, false));
    for (uint32_t t = s->root_first; t < s->root_end; t++) {
        uint32_t rank = s->store.n_triples - 1 - t;
        engine_branch b = {.first = rank, .end = rank + 1};
        b.work = s->root_spans[t - s->root_first];
        LODE_TRY(branches_add(into, &b, s->options->max_vertices > 1));
    }
done:
    return status;
}

lode_status branch_divide_graphs(worker *w, branch_list *into) {
    lode_status status = LODE_OK;
    branch_parts parts = {.w = w, .into = into};
    search_found found = {.add = add_children, .user = &parts};
    into->depth_first = true;
    LODE_TRY(divide_roots(w->s, into));
    while (branches_next(into, &parts.of)) {
        if (parts.of.n_prefix == 0) LODE_TRY(branch_of_root(into, &parts.of));
        LODE_TRY(search_survey(w, &parts.of, &found));
    }
done:
    return search_end_survey(w, status);
}
