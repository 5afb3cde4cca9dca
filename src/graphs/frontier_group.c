/* frontier_group.c - see frontier_group.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/frontier_group.h"

#define GROUP_SHARE 3                  /* of the memory that is left, a group may take this part */
#define GROUP_BYTES ((size_t)4 << 30)  /* enough to keep a GPU busy */
#define GROUP_EMIT  ((size_t)64 << 20) /* if its rows come to the host */
#define GROUP_HOST  ((size_t)32 << 20) /* if the device is the host */

/* ---- memory --------------------------------------------------------------------------------- */

/* Moves the lowest group of the stack that has a block on the device to the host. */
static lode_status move_away(frontier *f, const group *keep, bool *moved) {
    lode_status status = LODE_OK;
    group *lowest = NULL;
    for (group *g = f->top; g; g = g->below) {
        if (g->block && g != keep) lowest = g;
    }
    *moved = lowest != NULL;
    if (!lowest) goto done;
    LODE_TRY(mem_resize(&f->s.job->mem, &lowest->moved, 0, lowest->bytes));
    LODE_TRY(f->ops->download(f->device, lowest->moved, lowest->block, lowest->bytes));
    pool_give(&f->pool, lowest->block, lowest->bytes);
    lowest->block = NULL;
    f->n_moved++;
done:
    return status;
}

lode_status frontier_take(frontier *f, const group *keep, size_t bytes, void **out) {
    for (bool moved = true;;) {
        lode_status status = pool_take(&f->pool, bytes, out);
        if (status != LODE_BUDGET && status != LODE_NOMEM) return status;
        lode_status away = move_away(f, keep, &moved);
        if (away != LODE_OK) return away;
        if (!moved) return status;
    }
}

lode_status frontier_too_small(frontier *f, lode_status status, size_t bytes) {
    return job_fail(
        f->s.job, status,
        "the device memory is too small: %.1f MiB are in use, and one pattern needs %.1f MiB more",
        job_mib_up(f->pool.in_use), job_mib_up(bytes));
}

lode_status frontier_must_take(frontier *f, const group *keep, size_t bytes, void **out) {
    lode_status status = frontier_take(f, keep, bytes, out);
    bool too_small = status == LODE_BUDGET || status == LODE_NOMEM;
    return too_small ? frontier_too_small(f, status, bytes) : status;
}

lode_status group_bring_back(frontier *f, group *g) {
    lode_status status = LODE_OK;
    if (!g->moved) return LODE_OK;
    LODE_TRY(frontier_must_take(f, g, g->bytes, &g->block));
    LODE_TRY(f->ops->upload(f->device, g->block, g->moved, g->bytes));
    mem_free(&f->s.job->mem, g->moved, g->bytes);
    g->moved = NULL;
done:
    return status;
}

void group_drop_block(frontier *f, group *g) {
    if (g->block) pool_give(&f->pool, g->block, g->bytes);
    mem_free(&f->s.job->mem, g->moved, g->moved ? g->bytes : 0);
    g->block = g->moved = NULL;
}

void group_free(frontier *f, group *g) {
    mem *m = &f->s.job->mem;
    group_drop_block(f, g);
    for (unsigned i = 0; g->marks && i < f->s.n_workers; i++) {
        f->s.workers[i].lists.top = g->marks[i];
    }
    mem_free(m, g->marks, g->marks ? f->s.n_workers * sizeof *g->marks : 0);
    mem_free(m, g->patterns, g->cap * sizeof *g->patterns);
    mem_free(m, g, sizeof *g);
}

lode_status group_create(frontier *f, uint32_t cap, group **out) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    group *g = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&g, sizeof *g));
    LODE_TRY(mem_zalloc(m, (void **)&g->patterns, cap * sizeof *g->patterns));
    g->cap = cap;
    LODE_TRY(mem_zalloc(m, (void **)&g->marks, f->s.n_workers * sizeof *g->marks));
    for (unsigned i = 0; i < f->s.n_workers; i++) g->marks[i] = f->s.workers[i].lists.top;
    *out = g;
done:
    if (status != LODE_OK && g) group_free(f, g);
    return status;
}

size_t group_aim(const frontier *f) {
    size_t left = pool_left(&f->pool);
    size_t most = f->rows_wanted ? GROUP_EMIT : f->pool.ops->on_host ? GROUP_HOST : GROUP_BYTES;
    return left / GROUP_SHARE < most ? left / GROUP_SHARE : most;
}

uint32_t group_lay_out(group *g) {
    size_t at = 0, n_rows = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        g->patterns[i].rows_at = at;
        at += (size_t)g->patterns[i].n_vertices * g->patterns[i].n_rows;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        g->patterns[i].segs_at = at + n_rows;
        n_rows += g->patterns[i].n_rows;
    }
    g->bytes = (at + n_rows) * sizeof(uint32_t);
    return (uint32_t)n_rows;
}

/* ---- patterns ------------------------------------------------------------------------------- */

backend_candidate pattern_candidate(const frontier *f, const pattern *x, code_edge e) {
    backend_candidate out = {.position = e.from, .type = e.type, .above = BACKEND_GRAPH_NONE};
    out.target = code_is_forward(e) ? BACKEND_GRAPH_NEW : e.to;
    if (f->s.break_symmetry && code_edge_repeats(x->edge, e)) out.above = x->n_vertices - 1;
    return out;
}

lode_status pattern_set_code(worker *w, const pattern *x) {
    lode_status status = code_room(&w->code, (size_t)x->depth + 1);
    if (status != LODE_OK) return status;
    for (const pattern *at = x; at; at = at->parent) w->code.edges[at->depth - 1] = at->edge;
    code_set_edges(&w->code, x->depth);
    return LODE_OK;
}
