/* scan_rows.c - see scan_rows.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/scan_rows.h"

#include "results/store/item_names.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

/* What a thread has of its own. */
typedef struct scan_state {
    stored_batch batch;
    regex_run *runs; /* by pattern of the query */
    query_clock clock;
    bool fresh; /* there is no mask yet: all rows are in it */
    uint8_t mask[SCAN_BLOCK];
    union {
        double reals[SCAN_BLOCK];
        uint64_t counts[SCAN_BLOCK];
        uint64_t words[2][SCAN_BLOCK]; /* of items */
    } values;
} scan_state;

typedef struct scan_work {
    const scan_pass *pass;
    _Atomic uint32_t next; /* batch */
} scan_work;

/* ---- bounds --------------------------------------------------------------------------------- */

/* Conditions on words of equal width: compilers vectorise these two loops, one that makes a new
 * mask and one that narrows an existing one. */
#define SCAN_NARROW(condition)                                                                     \
    do {                                                                                           \
        if (fresh) {                                                                               \
            for (uint32_t i = 0; i < n; i++) mask[i] = (condition);                                \
        } else {                                                                                   \
            for (uint32_t i = 0; i < n; i++) mask[i] &= (condition);                               \
        }                                                                                          \
    } while (0)

static void scan_mask_reals(uint8_t *restrict mask, bool fresh, const double *restrict values,
                            uint32_t n, const query_bound *b) {
    double low = b->low, high = b->high;
    SCAN_NARROW((values[i] >= low) & (values[i] <= high));
}

/* low … high is one comparison: values below `low` wrap around. */
static void scan_mask_counts(uint8_t *restrict mask, bool fresh, const uint64_t *restrict values,
                             uint32_t n, const query_bound *b) {
    uint64_t low = b->low_count, span = b->high_count - low;
    SCAN_NARROW(values[i] - low <= span);
}

static void scan_mask_u32(uint8_t *restrict mask, bool fresh, const uint32_t *restrict values,
                          uint32_t n, const query_bound *b) {
    uint32_t high = b->high_count < UINT32_MAX ? (uint32_t)b->high_count : UINT32_MAX;
    uint32_t low = (uint32_t)b->low_count, span = high - low;
    SCAN_NARROW(values[i] - low <= span);
}

/* Whether no count of the column can be within the bound. */
static bool scan_is_empty(const query_bound *b) {
    bool narrow = b->column->form == STORED_CELLS && b->column->cells == ARROW_U32;
    return b->low_count > b->high_count || (narrow && b->low_count > UINT32_MAX);
}

/* Numbers that lie in the file as they are used need no copy. */
static lode_status scan_bound(scan_state *w, stored_range r, const query_bound *b) {
    lode_status status = LODE_OK;
    const stored_column *c = b->column;
    const arrow_cells *cells;
    bool reals = c->type == LODE_COLUMN_REAL, fresh = w->fresh;
    w->fresh = false;
    if (!reals && scan_is_empty(b)) {
        memset(w->mask, 0, r.n * sizeof *w->mask);
    } else if (c->form == STORED_CELLS) {
        LODE_TRY(stored_cells(&w->batch, c->at, &cells));
        const void *values = cells->values;
        if (reals) {
            scan_mask_reals(w->mask, fresh, (const double *)values + r.from, r.n, b);
        } else if (c->cells == ARROW_U32) {
            scan_mask_u32(w->mask, fresh, (const uint32_t *)values + r.from, r.n, b);
        } else {
            scan_mask_counts(w->mask, fresh, (const uint64_t *)values + r.from, r.n, b);
        }
    } else if (reals) {
        LODE_TRY(stored_reals(&w->batch, c, r, w->values.reals));
        scan_mask_reals(w->mask, fresh, w->values.reals, r.n, b);
    } else {
        LODE_TRY(stored_counts(&w->batch, c, r, w->values.counts));
        scan_mask_counts(w->mask, fresh, w->values.counts, r.n, b);
    }
done:
    return status;
}

/* ---- items ---------------------------------------------------------------------------------- */

/* Sets words[i] to the joined marks of all items of a row; rows outside the mask are skipped. If
 * the file has changed since it was checked, a code may not be an item, but masked with `all`, the
 * bits of a valid index, it still refers to a word. */
static void scan_join(const arrow_cells *cells, stored_range r, const query_plan *p,
                      uint64_t *words) {
    const int32_t *offsets = cells->offsets + r.from;
    const uint32_t *codes = cells->values;
    const uint64_t *marks = p->marks;
    uint32_t n = cells->n_values, all = (uint32_t)(p->marks_bytes / sizeof *marks - 1);
    for (uint32_t i = 0; i < r.n; i++) {
        if (!r.mask[i]) continue;
        uint32_t at = (uint32_t)MAPPED_READ(offsets[i]),
                 end = (uint32_t)MAPPED_READ(offsets[i + 1]);
        uint64_t joined = 0;
        end = end < n ? end : n;
        for (at = at < end ? at : end; at + 4 <= end; at += 4) {
            joined |= marks[codes[at] & all] | marks[codes[at + 1] & all] |
                      marks[codes[at + 2] & all] | marks[codes[at + 3] & all];
        }
        for (; at < end; at++) joined |= marks[codes[at] & all];
        words[i] = joined;
    }
}

/* The same if only one item has a mark: searches the lists for it directly. */
static void scan_find(const arrow_cells *cells, stored_range r, const query_plan *p,
                      uint64_t *words) {
    const int32_t *offsets = cells->offsets + r.from;
    const uint32_t *codes = cells->values;
    uint32_t n = cells->n_values, only = p->only;
    uint64_t word = p->marks[only];
    for (uint32_t i = 0; i < r.n; i++) {
        if (!r.mask[i]) continue;
        uint32_t at = (uint32_t)MAPPED_READ(offsets[i]),
                 end = (uint32_t)MAPPED_READ(offsets[i + 1]);
        uint32_t has = 0; /* as wide as the codes, so that the loop becomes one of vectors */
        for (end = end < n ? end : n; at < end; at++) has |= codes[at] == only;
        words[i] = has ? word : 0;
    }
}

static inline bool scan_meets(const query_plan *p, query_side side, uint64_t word) {
    return (word & (p->need[side] | p->bad[side])) == p->need[side];
}

static lode_status scan_items(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    const lode_store *s = p->store;
    const arrow_cells *lhs, *rhs = NULL;
    uint64_t *in_lhs = w->values.words[0], *in_rhs = w->values.words[1];
    LODE_TRY(stored_cells(&w->batch, s->items, &lhs));
    if (s->rhs != STORED_NONE) LODE_TRY(stored_cells(&w->batch, s->rhs, &rhs));
    bool one = p->only != STORED_NONE;
    (one ? scan_find : scan_join)(lhs, r, p, in_lhs);
    if (rhs) {
        (one ? scan_find : scan_join)(rhs, r, p, in_rhs);
    } else {
        memset(in_rhs, 0, r.n * sizeof *in_rhs);
    }
    for (uint32_t i = 0; i < r.n; i++) {
        w->mask[i] &= scan_meets(p, QUERY_ANY, in_lhs[i] | in_rhs[i]) &
                      scan_meets(p, QUERY_LHS, in_lhs[i]) & scan_meets(p, QUERY_RHS, in_rhs[i]);
    }
done:
    return status;
}

static lode_status scan_texts(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    const arrow_cells *cells;
    LODE_TRY(stored_cells(&w->batch, p->store->text, &cells));
    query_match_start(&w->clock);
    for (uint32_t i = 0; i < r.n; i++) {
        arrow_list code = arrow_list_at(cells, r.from + i);
        const char *text = (const char *)cells->values + code.first;
        bool found = true;
        for (uint32_t k = 0; k < p->n_patterns && w->mask[i]; k++) {
            LODE_TRY(regex_match(&w->runs[k], text, code.n, &found));
            w->mask[i] = found;
        }
    }
    status = query_match_check(&w->clock);
done:
    return status;
}

static uint32_t scan_count(const uint8_t *mask, uint32_t n) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) found += mask[i];
    return found;
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* What follows looks at the mask. */
static void scan_fill(scan_state *w, uint32_t n) {
    if (w->fresh) memset(w->mask, 1, n);
    w->fresh = false;
}

/* Marks the picked rows of the block. False: it has none. */
static bool scan_picks(scan_state *w, stored_range r, const query_plan *p) {
    uint64_t first = w->batch.first + r.from, k = query_pick_from(p, first);
    w->fresh = false;
    memset(w->mask, 0, r.n * sizeof *w->mask);
    if (k == p->n_picks || p->picks[k] - first >= r.n) return false;
    for (; k < p->n_picks && p->picks[k] - first < r.n; k++) w->mask[p->picks[k] - first] = 1;
    return true;
}

/* Stored columns come first, so that computed ones are computed for fewer rows. */
static lode_status scan_mask(scan_state *w, stored_range r, const query_plan *p) {
    lode_status status = LODE_OK;
    w->fresh = true;
    if (p->picks && !scan_picks(w, r, p)) return LODE_OK;
    for (unsigned computed = 0; computed < 2; computed++) {
        if (computed) scan_fill(w, r.n);
        for (uint32_t i = 0; i < p->n_bounds; i++) {
            const query_bound *b = &p->bounds[i];
            stored_form form = b->column->form;
            if ((form == STORED_MEASURE || form == STORED_ITEMSET) != computed) continue;
            LODE_TRY(scan_bound(w, r, b));
        }
        if (computed || !p->marks) continue;
        scan_fill(w, r.n);
        LODE_TRY(scan_items(w, r, p));
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
        LODE_TRY(stored_poll(p->store));
        LODE_TRY(scan_mask(w, range, p));
        scan_block block = {b, range, b->first + from, scan_count(w->mask, n), worker};
        if (block.found > 0) LODE_TRY(pass->visit(pass->user, &block));
    }
done:
    return status;
}

static lode_status scan_start_runs(scan_state *w, const query_plan *p) {
    mem *m = &p->store->job->mem;
    lode_status status = mem_zalloc(m, (void **)&w->runs, p->n_patterns * sizeof *w->runs);
    for (uint32_t k = 0; status == LODE_OK && k < p->n_patterns; k++) {
        regex_poll poll = {query_match_check, &w->clock};
        status = regex_start(m, &p->patterns[k], poll, &w->runs[k]);
    }
    return status;
}

static void scan_stop_runs(scan_state *w, const query_plan *p) {
    mem *m = &p->store->job->mem;
    if (!w->runs) return;
    for (uint32_t k = 0; k < p->n_patterns; k++) regex_stop(m, &w->runs[k]);
    mem_free(m, w->runs, p->n_patterns * sizeof *w->runs);
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
    w->runs = NULL;
    w->clock = (query_clock){.plan = pass->plan};
    LODE_TRY(mem_resize(m, (void **)&w->batch.cells, 0, stored_cells_bytes(s)));
    LODE_TRY(scan_start_runs(w, pass->plan));
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
        scan_stop_runs(w, pass->plan);
        mem_free(m, w, sizeof *w);
    }
    return status;
}

lode_status scan_visit_count(void *user, const scan_block *block) {
    atomic_fetch_add_explicit((_Atomic uint64_t *)user, block->found, memory_order_relaxed);
    return LODE_OK;
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

uint32_t scan_first(const query_plan *plan) {
    bool inside = plan->from > 0 && plan->from < plan->store->info.rows;
    return inside ? arrow_batch_of(plan->store->file, plan->from) : 0;
}

lode_status scan_all(const query_plan *plan, scan_fn visit, void *user) {
    scan_pass pass = {plan, scan_first(plan), arrow_n_batches(plan->store->file), visit, user};
    return scan_run(&pass);
}

/* The one item that has a mark, if there is only one. */
static uint32_t scan_only(const query_plan *p) {
    uint32_t only = STORED_NONE;
    for (uint32_t item = 0; p->marks && item < p->store->n_names; item++) {
        if (p->marks[item] == 0) continue;
        if (only != STORED_NONE) return STORED_NONE;
        only = item;
    }
    return only;
}

lode_status scan_ask(lode_store *s, const lode_query_options *query, scan_answer_fn answer,
                     void *user) {
    query_plan plan = {0};
    lease_call call = {0};
    lode_status status = lease_enter(s->job, LEASE_ANY, &call);
    if (status == LODE_OK) {
        job_begin_phase(s->job, "query");
        status = query_read(s, query, &plan);
        plan.only = scan_only(&plan);
        if (status == LODE_OK) status = answer(&plan, user);
        query_clear(&plan);
        status = stored_end(s, status);
    }
    lease_leave(&call);
    return job_explain(s->job, status, "searching a stored result");
}

/* ---- how many rows a query finds ------------------------------------------------------------- */

static lode_status count_answer(const query_plan *plan, void *user) {
    uint64_t rows = plan->store->info.rows;
    if (query_is_open(plan)) {
        atomic_store((_Atomic uint64_t *)user, plan->from < rows ? rows - plan->from : 0);
        return LODE_OK;
    }
    return scan_all(plan, scan_visit_count, user);
}

lode_status lode_store_count(lode_store *store, const lode_query_options *query, uint64_t *n) {
    _Atomic uint64_t found = 0;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(n));
    lode_status status = scan_ask(store, query, count_answer, &found);
    if (status == LODE_OK) *n = found;
    return status;
}

/* ---- single rows of a store ------------------------------------------------------------------ */

/* Turns to the batch of a row; *at: its place there. `cells` are freed by the caller. */
static lode_status row_turn(lode_store *s, uint64_t row, stored_batch *b, uint32_t *at) {
    *b = (stored_batch){0};
    if (row >= s->info.rows) {
        return job_fail(s->job, LODE_INVALID, "there is no row %llu; expected 0 to %llu",
                        (unsigned long long)row, (unsigned long long)s->info.rows - 1);
    }
    lode_status status = mem_resize(&s->job->mem, (void **)&b->cells, 0, stored_cells_bytes(s));
    if (status != LODE_OK) return status;
    stored_turn(b, s, arrow_batch_of(s->file, row));
    *at = (uint32_t)(row - b->first);
    if (row - b->first < b->rows) return LODE_OK;
    return job_fail(s->job, LODE_PARSE,
                    "%s: damaged: the batches do not add up to the number of rows", s->path);
}

static lode_status row_list(stored_batch *b, uint32_t column, uint32_t at, const uint32_t **items,
                            uint32_t *n) {
    const arrow_cells *cells;
    if (column == STORED_NONE) return LODE_OK;
    lode_status status = stored_cells(b, column, &cells);
    if (status != LODE_OK) return status;
    arrow_list list = arrow_list_at(cells, at);
    *items = (const uint32_t *)cells->values + list.first;
    *n = list.n;
    return LODE_OK;
}

static lode_status row_text(stored_batch *b, uint32_t at, lode_store_row *out) {
    const arrow_cells *cells;
    if (b->store->text == STORED_NONE) return LODE_OK;
    lode_status status = stored_cells(b, b->store->text, &cells);
    if (status != LODE_OK) return status;
    arrow_list text = arrow_list_at(cells, at);
    out->text = (const char *)cells->values + text.first;
    out->text_bytes = text.n;
    return LODE_OK;
}

lode_status lode_store_row_at(lode_store *store, uint64_t row, lode_store_row *out) {
    lode_status status = LODE_OK;
    stored_batch b = {0};
    uint32_t at = 0;
    lode_store_row found = {.size = sizeof found, .row = row};
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(out));
    LODE_TRY(names_load(store));
    LODE_TRY(row_turn(store, row, &b, &at));
    LODE_TRY(row_list(&b, store->items, at, &found.items, &found.n_items));
    LODE_TRY(row_list(&b, store->rhs, at, &found.rhs, &found.n_rhs));
    LODE_TRY(row_text(&b, at, &found));
    LODE_TRY(stored_counts_of(&b, at, &found.counts));
    if (!valid_fill(out, &found)) {
        status = job_fail(store->job, LODE_INVALID, "the size of a lode_store_row is not set");
    }
done:
    if (b.cells) mem_free(&store->job->mem, b.cells, stored_cells_bytes(store));
    return stored_end_row(store, status);
}

lode_status lode_store_value(lode_store *store, uint64_t row, uint32_t column, double *out) {
    lode_status status = LODE_OK;
    stored_batch b = {0};
    uint32_t at = 0;
    uint8_t mask = 1;
    double value = 0;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(out));
    const stored_column *c = column < store->info.n_columns ? &store->columns[column] : NULL;
    if (!c || (c->type != LODE_COLUMN_COUNT && c->type != LODE_COLUMN_REAL)) {
        return job_fail(store->job, LODE_INVALID, "column %u is not a column of numbers", column);
    }
    LODE_TRY(row_turn(store, row, &b, &at));
    LODE_TRY(stored_reals(&b, c, (stored_range){at, 1, &mask}, &value));
    *out = value;
done:
    if (b.cells) mem_free(&store->job->mem, b.cells, stored_cells_bytes(store));
    return stored_end_row(store, status);
}
