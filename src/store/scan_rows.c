/* scan_rows.c - see scan_rows.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/scan_rows.h"

#include "runtime/parallel.h"

/* What a thread has of its own. */
typedef struct scan_state {
    stored_batch batch;
    vec_char text; /* the code of a graph, closed by a zero */
    int64_t mask[SCAN_BLOCK];
    union {
        double reals[SCAN_BLOCK];
        uint64_t counts[SCAN_BLOCK];
    } values;
} scan_state;

typedef struct scan_work {
    const scan_pass *pass;
    _Atomic uint32_t next; /* batch */
} scan_work;

/* ---- masks ---------------------------------------------------------------------------------- */

/* Two choices between words of the same width as the values: compilers make vectors of them. */
static void scan_mask_reals(int64_t *restrict mask, const double *restrict values, uint32_t n,
                            const query_bound *b) {
    double low = b->low, high = b->high;
    for (uint32_t i = 0; i < n; i++) {
        int64_t kept = values[i] >= low ? mask[i] : 0;
        mask[i] = values[i] <= high ? kept : 0;
    }
}

static void scan_mask_counts(int64_t *restrict mask, const uint64_t *restrict values, uint32_t n,
                             const query_bound *b) {
    uint64_t low = b->low_count, high = b->high_count;
    for (uint32_t i = 0; i < n; i++) {
        mask[i] &= -(int64_t)((values[i] >= low) & (values[i] <= high));
    }
}

/* Reals and counts that lie in the file as they are used need no copy. */
static lode_status scan_bound(scan_state *w, stored_range r, const query_bound *b) {
    lode_status status = LODE_OK;
    const stored_column *c = b->column;
    const arrow_cells *cells;
    bool reals = c->type == LODE_COLUMN_REAL;
    if (c->form == STORED_CELLS && c->cells != ARROW_U32) {
        LODE_TRY(stored_cells(&w->batch, c->at, &cells));
        if (reals) scan_mask_reals(w->mask, (const double *)cells->values + r.from, r.n, b);
        if (!reals) scan_mask_counts(w->mask, (const uint64_t *)cells->values + r.from, r.n, b);
    } else if (reals) {
        LODE_TRY(stored_reals(&w->batch, c, r, w->values.reals));
        scan_mask_reals(w->mask, w->values.reals, r.n, b);
    } else {
        LODE_TRY(stored_counts(&w->batch, c, r, w->values.counts));
        scan_mask_counts(w->mask, w->values.counts, r.n, b);
    }
done:
    return status;
}

/* The words of all items of a row, joined. */
static inline uint64_t scan_join(const arrow_cells *cells, uint32_t row, const uint64_t *marks) {
    const int32_t *codes = cells->values;
    uint64_t joined = 0;
    for (int32_t i = cells->offsets[row]; i < cells->offsets[row + 1]; i++) {
        joined |= marks[codes[i]];
    }
    return joined;
}

static inline bool scan_meets(const query_plan *p, query_side side, uint64_t joined) {
    return (joined & p->need[side]) == p->need[side] && (joined & p->bad[side]) == 0;
}

static lode_status scan_items(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    const lode_store *s = p->store;
    const arrow_cells *body, *head = NULL;
    LODE_TRY(stored_cells(&w->batch, s->items, &body));
    if (s->head != STORED_NONE) LODE_TRY(stored_cells(&w->batch, s->head, &head));
    for (uint32_t i = 0; i < r.n; i++) {
        if (!w->mask[i]) continue;
        uint64_t in_body = scan_join(body, r.from + i, p->marks);
        uint64_t in_head = head ? scan_join(head, r.from + i, p->marks) : 0;
        bool met = scan_meets(p, QUERY_ANY, in_body | in_head) &&
                   scan_meets(p, QUERY_BODY, in_body) && scan_meets(p, QUERY_HEAD, in_head);
        w->mask[i] = -(int64_t)met;
    }
done:
    return status;
}

static lode_status scan_texts(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    mem *m = &p->store->job->mem;
    const arrow_cells *cells;
    LODE_TRY(stored_cells(&w->batch, p->store->text, &cells));
    for (uint32_t i = 0; i < r.n; i++) {
        if (!w->mask[i]) continue;
        const int32_t *offsets = cells->offsets + r.from + i;
        const char *text = (const char *)cells->values + offsets[0];
        if (i % 64 == 0) LODE_TRY(job_check(p->store->job));
        w->text.n = 0;
        LODE_TRY(vec_char_append(m, &w->text, text, (size_t)(offsets[1] - offsets[0])));
        LODE_TRY(vec_char_append(m, &w->text, "", 1));
        for (uint32_t k = 0; k < p->n_patterns && w->mask[i]; k++) {
            w->mask[i] = -(int64_t)(regexec(&p->patterns[k], w->text.data, 0, NULL, 0) == 0);
        }
    }
done:
    return status;
}

static uint32_t scan_count(const int64_t *mask, uint32_t n) {
    int64_t found = 0;
    for (uint32_t i = 0; i < n; i++) found -= mask[i];
    return (uint32_t)found;
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* Stored columns first: what has to be computed is then computed for fewer rows. */
static lode_status scan_mask(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    for (unsigned computed = 0; computed < 2; computed++) {
        for (uint32_t i = 0; i < p->n_bounds; i++) {
            const query_bound *b = &p->bounds[i];
            if ((b->column->form == STORED_MEASURE) != computed) continue;
            LODE_TRY(scan_bound(w, r, b));
        }
        if (computed == 0 && p->marks) LODE_TRY(scan_items(w, r, p));
    }
    if (p->n_patterns > 0) LODE_TRY(scan_texts(w, r, p));
done:
    return status;
}

static lode_status scan_batch(const scan_pass *pass, scan_state *w, unsigned worker) {
    lode_status status = LODE_OK;
    const query_plan *p = pass->plan;
    stored_batch *b = &w->batch;
    uint32_t from = p->from > b->first ? (uint32_t)(p->from - b->first) : 0;
    for (; from < b->rows; from += SCAN_BLOCK) {
        uint32_t n = b->rows - from < SCAN_BLOCK ? b->rows - from : SCAN_BLOCK;
        stored_range range = {from, n, w->mask};
        LODE_TRY(job_check(p->store->job));
        for (uint32_t i = 0; i < n; i++) w->mask[i] = -1;
        LODE_TRY(scan_mask(w, range, p));
        scan_block block = {b, range, b->first + from, scan_count(w->mask, n), worker};
        if (block.found > 0) LODE_TRY(pass->visit(pass->user, &block));
    }
done:
    return status;
}

static lode_status scan_worker(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    scan_work *work = arg;
    const scan_pass *pass = work->pass;
    lode_store *s = pass->plan->store;
    mem *m = &s->job->mem;
    scan_state *w = NULL;
    LODE_TRY(mem_resize(m, (void **)&w, 0, sizeof *w));
    w->batch.cells = NULL;
    w->text = (vec_char){0};
    LODE_TRY(mem_resize(m, (void **)&w->batch.cells, 0, stored_cells_bytes(s)));
    for (uint32_t b; (b = atomic_fetch_add(&work->next, 1)) < pass->end;) {
        stored_turn(&w->batch, s, b);
        if (w->batch.first + w->batch.rows <= pass->plan->from) continue;
        LODE_TRY(scan_batch(pass, w, worker));
        if (worker > 0 && lease_gives(s->job)) break;
        if (worker == 0) LODE_TRY(job_tick(s->job, b - pass->first, pass->end - pass->first));
    }
done:
    if (status != LODE_OK) atomic_store(&work->next, pass->end); /* the others need not go on */
    if (w && w->batch.cells) mem_free(m, w->batch.cells, stored_cells_bytes(s));
    if (w) {
        vec_char_free(m, &w->text);
        mem_free(m, w, sizeof *w);
    }
    return status;
}

unsigned scan_width(const lode_store *s) {
    return s->job->threads;
}

lode_status scan_run(const scan_pass *pass) {
    scan_work work = {.pass = pass, .next = pass->first};
    unsigned width = scan_width(pass->plan->store);
    uint32_t batches = pass->end > pass->first ? pass->end - pass->first : 0;
    if (batches == 0) return LODE_OK;
    if (width > batches) width = batches;
    return parallel_run(pass->plan->store->job, width, false, scan_worker, &work);
}

lode_status scan_all(const query_plan *plan, scan_fn visit, void *user) {
    scan_pass pass = {plan, 0, arrow_n_batches(plan->store->file), visit, user};
    if (plan->from > 0 && plan->from < plan->store->info.rows) {
        pass.first = arrow_batch_of(plan->store->file, plan->from);
    }
    return scan_run(&pass);
}

lode_status scan_ask(lode_store *s, const lode_query_options *query, scan_answer_fn answer,
                     void *user) {
    query_plan plan = {0};
    lease_call call = {0};
    lode_status status = lease_enter(s->job, LEASE_ANY, &call);
    if (status == LODE_OK) {
        job_begin_phase(s->job, "query");
        status = query_read(s, query, &plan);
        if (status == LODE_OK) status = answer(&plan, user);
        query_clear(&plan);
    }
    lease_leave(&call);
    return job_explain(s->job, status, "looking into a stored result");
}
