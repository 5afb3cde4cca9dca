/* frontier_emit.c - the patterns of a group for the sink
 *
 * The host works out which patterns are closed, maximal or induced, and lists supporting graphs and
 * embeddings, by the same code as for the other miners (emit.h). That code sees the matrix of a
 * pattern as a chain of columns, in which every row continues the row of the same number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/frontier.h"

#include "graphs/emit.h"
#include "graphs/frontier_group.h"
#include "runtime/parallel.h"

/* Makes the chain of a pattern whose code is set; *out is the last node of it. */
static lode_status make_chain(worker *w, const pattern *x, const uint32_t *rows, node **out) {
    lode_status status = LODE_OK;
    node *chain = NULL;
    uint32_t *same = NULL;
    uint16_t newest = 0;
    LODE_TRY(list_stack_take(&w->lists, (x->depth + 1) * sizeof *chain, (void **)&chain));
    LODE_TRY(list_stack_take(&w->lists, x->n_rows * sizeof *same, (void **)&same));
    for (uint32_t i = 0; i < x->n_rows; i++) same[i] = i;
    memset(chain, 0, (x->depth + 1) * sizeof *chain);
    chain[0].n = x->n_rows;
    chain[0].vid = rows;
    for (uint32_t k = 1; k <= x->depth; k++) {
        node *at = &chain[k];
        at->parent = &chain[k - 1];
        at->edge = w->code.edges[k - 1];
        if (code_is_forward(at->edge)) newest = at->edge.to;
        at->position = code_is_forward(at->edge) ? newest : CODE_NONE;
        at->depth = k;
        at->n = x->n_rows;
        at->idx = same;
        at->vid = rows + (size_t)newest * x->n_rows;
    }
    chain[x->depth].support = x->support;
    *out = &chain[x->depth];
done:
    return status;
}

static lode_status emit_pattern(worker *w, const pattern *x, const uint32_t *block) {
    lode_status status = LODE_OK;
    node *last = NULL;
    size_t mark = w->lists.top;
    LODE_TRY(pattern_set_code(w, x));
    if (!block) {
        node plain = {.edge = x->edge, .depth = x->depth, .n = x->n_rows, .support = x->support};
        LODE_LEAVE(emit_node(w, &plain));
    }
    LODE_TRY(make_chain(w, x, block + x->rows_at, &last));
    LODE_TRY(emit_node(w, last));
done:
    w->lists.top = mark;
    return status;
}

static lode_status emit_group_worker(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    frontier *f = arg;
    const group *g = f->work_group;
    for (;;) {
        uint32_t i = atomic_fetch_add_explicit(&f->next_emit, 1, memory_order_relaxed);
        if (i >= g->n) break;
        LODE_TRY(job_check(f->s.job));
        LODE_TRY(emit_pattern(&f->s.workers[index], &g->patterns[i], f->work_rows));
    }
done:
    return status;
}

lode_status frontier_emit(frontier *f, group *g) {
    lode_status status = LODE_OK;
    mem *m = &f->s.job->mem;
    uint32_t *rows = NULL;
    size_t bytes = f->rows_wanted ? g->bytes : 0;
    unsigned n = g->n > 1 ? f->s.n_workers : 1;
    if (f->rows_wanted) {
        LODE_TRY(mem_resize(m, (void **)&rows, 0, bytes));
        LODE_TRY(f->ops->download(f->device, rows, g->block, bytes));
    }
    f->work_group = g;
    f->work_rows = rows;
    atomic_store(&f->next_emit, 0);
    LODE_TRY(n == 1 ? emit_group_worker(f, 0)
                    : parallel_run(f->s.job, n, false, emit_group_worker, f));
done:
    mem_free(m, rows, rows ? bytes : 0);
    return status;
}
