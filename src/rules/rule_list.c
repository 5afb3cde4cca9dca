/* rule_list.c - see rule_list.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/rule_list.h"

#include <math.h>
#include <string.h>

#define LIST_SPARE     4096 /* rows above the best K before any are dropped */
#define LIST_ASK_EVERY 4096 /* rules between checks for a cancel */

void rule_list_init(rule_list *list, lode_job *job, const wants *w, uint64_t total) {
    *list =
        (rule_list){.job = job, .wants = w, .total = total, .room = UINT64_MAX, .least = -INFINITY};
    pthread_mutex_init(&list->lock, NULL);
}

static void rule_rows_free(mem *m, rule_rows *rows) {
    mem_free(m, rows->data, rows->cap * sizeof *rows->data);
    vec_u32_free(m, &rows->items);
    *rows = (rule_rows){0};
}

void rule_list_clear(rule_list *list) {
    rule_rows_free(&list->job->mem, &list->rows);
    pthread_mutex_destroy(&list->lock);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static lode_status rows_reserve(mem *m, rule_rows *rows, size_t n, size_t items) {
    lode_status status = vec_u32_reserve(m, &rows->items, items);
    if (status != LODE_OK || rows->cap - rows->n >= n) return status;
    return vec_grow(m, (void **)&rows->data, rows->n, &rows->cap, n, sizeof *rows->data);
}

static void rows_put_items(vec_u32 *items, const uint32_t *from, size_t n) {
    if (n > 0) memcpy(items->data + items->n, from, n * sizeof *from);
    items->n += n;
}

/* Adds a rule to rows. Errors: NOMEM, BUDGET. */
static lode_status rule_rows_add(mem *m, rule_rows *rows, const lode_rule *rule, double key) {
    lode_status status = rows_reserve(m, rows, 1, (size_t)rule->n_lhs + rule->n_rhs);
    if (status != LODE_OK) return status;
    rows->data[rows->n++] = (rule_row){.where.at = rows->items.n,
                                       .n_lhs = rule->n_lhs,
                                       .n_rhs = rule->n_rhs,
                                       .both = rule->counts.both,
                                       .lhs = rule->counts.lhs,
                                       .rhs = rule->counts.rhs,
                                       .best_confidence = rule->best_confidence,
                                       .best_lift = rule->best_lift,
                                       .key = key,
                                       .log_p = NAN,
                                       .adjusted_p = rule->adjusted_p};
    rows_put_items(&rows->items, rule->lhs, rule->n_lhs);
    rows_put_items(&rows->items, rule->rhs, rule->n_rhs);
    return LODE_OK;
}

lode_rule rule_list_at(const rule_list *list, size_t i) {
    const rule_row *row = &list->rows.data[i];
    const uint32_t *items = list->rows.items.data + row->where.at;
    lode_rule rule = {.size = sizeof rule,
                      .lhs = items,
                      .n_lhs = row->n_lhs,
                      .rhs = items + row->n_lhs,
                      .n_rhs = row->n_rhs,
                      .counts = {row->both, row->lhs, row->rhs, list->total},
                      .best_confidence = row->best_confidence,
                      .best_lift = row->best_lift,
                      .adjusted_p = row->adjusted_p};
    if (list->held_total > 0) {
        rule.held_out =
            (lode_counts){row->held_both, row->held_lhs, row->held_rhs, list->held_total};
    }
    return rule;
}

/* ---- order ---------------------------------------------------------------------------------- */

static int row_compare_items(const rule_row *a, const rule_row *b) {
    uint64_t n_a = (uint64_t)a->n_lhs + a->n_rhs, n_b = (uint64_t)b->n_lhs + b->n_rhs;
    if (n_a != n_b) return n_a < n_b ? -1 : 1;
    for (uint64_t i = 0; i < n_a;
         i++) { /* an antecedent that is the beginning of another comes first */
        bool ends_a = i == a->n_lhs, ends_b = i == b->n_lhs;
        if (ends_a != ends_b) return ends_a ? -1 : 1;
        if (a->where.items[i] != b->where.items[i]) {
            return a->where.items[i] < b->where.items[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool row_before(const rule_row *a, const rule_row *b) {
    if (a->key != b->key) return a->key > b->key;
    if (a->both != b->both) return a->both > b->both;
    return row_compare_items(a, b) < 0;
}

#define SORT_NAME   sort_rows
#define SORT_TYPE   rule_row
#define SORT_BEFORE row_before
#include "base/sort_body.h"

/* Sorts the rows; a sort that is stopped leaves all of them, in no order. */
static bool rows_sort(rule_rows *rows, const sort_stop *stop) {
    const uint32_t *base = rows->items.data;
    for (size_t i = 0; i < rows->n; i++) rows->data[i].where.items = base + rows->data[i].where.at;
    bool done = sort_rows(rows->data, rows->n, stop);
    for (size_t i = 0; i < rows->n; i++) {
        rows->data[i].where.at = (uint64_t)(rows->data[i].where.items - base);
    }
    return done;
}

/* How many of the sorted rows are the best K and their ties. */
static size_t rows_best(const rule_rows *rows, uint64_t k) {
    if (k == 0 || k >= rows->n) return rows->n;
    size_t n = (size_t)k;
    while (n < rows->n && rows->data[n].key == rows->data[k - 1].key) n++;
    return n;
}

/* Copies the items of the rows that are left to an array of their own. */
static lode_status rows_pack(mem *m, rule_rows *rows) {
    size_t n = 0;
    vec_u32 items = {0};
    for (size_t i = 0; i < rows->n; i++) n += (size_t)rows->data[i].n_lhs + rows->data[i].n_rhs;
    lode_status status = vec_u32_reserve(m, &items, n);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < rows->n; i++) {
        rule_row *row = &rows->data[i];
        const uint32_t *from = rows->items.data + row->where.at;
        row->where.at = items.n;
        rows_put_items(&items, from, (size_t)row->n_lhs + row->n_rhs);
    }
    vec_u32_free(m, &rows->items);
    rows->items = items;
    return LODE_OK;
}

lode_status rule_list_sort(rule_list *list, const sort_stop *stop) {
    if (!list->wants->sorted) return LODE_OK;
    if (!rows_sort(&list->rows, stop)) return LODE_CANCELLED;
    size_t n = rows_best(&list->rows, list->wants->top);
    atomic_fetch_add_explicit(&list->cut, list->rows.n - n, memory_order_relaxed);
    list->rows.n = n;
    return LODE_OK;
}

/* Drops rules that are not among the best, if these may be half of all. The caller holds the
 * lock. */
static lode_status list_cut(rule_list *list) {
    uint64_t k = list->wants->top;
    size_t base = list->left > k ? list->left : (size_t)k;
    if (list->rows.n < 2 * base + LIST_SPARE) return LODE_OK;
    sort_stop stop = sink_sort_stop(list->job);
    lode_status status = rule_list_sort(list, &stop);
    if (status != LODE_OK) return status;
    list->left = list->rows.n;
    atomic_store_explicit(&list->least, list->rows.data[k - 1].key, memory_order_relaxed);
    return rows_pack(&list->job->mem, &list->rows);
}

/* ---- handing over --------------------------------------------------------------------------- */

static lode_status rule_rows_append(rule_list *list, rule_rows *from) {
    rule_rows *to = &list->rows;
    mem *m = &list->job->mem;
    if (to->n == 0) { /* nothing to copy */
        rule_rows none = *to;
        *to = *from;
        *from = none;
        from->n = from->items.n = 0;
        return LODE_OK;
    }
    lode_status status = rows_reserve(m, to, from->n, from->items.n);
    if (status != LODE_OK) return status;
    uint64_t base = to->items.n;
    for (size_t i = 0; i < from->n; i++) {
        to->data[to->n] = from->data[i];
        to->data[to->n++].where.at += base;
    }
    rows_put_items(&to->items, from->items.data, from->items.n);
    from->n = from->items.n = 0;
    return LODE_OK;
}

/* Moves rows to the list, which empties them. Any thread. Errors: NOMEM, BUDGET; those of
 * job_check(). */
static lode_status rule_list_join(rule_list *list, rule_rows *rows) {
    if (rows->n == 0) return LODE_OK;
    pthread_mutex_lock(&list->lock);
    lode_status status = rule_rows_append(list, rows);
    if (status == LODE_OK && list->cuts) status = list_cut(list);
    pthread_mutex_unlock(&list->lock);
    return status;
}

lode_status rule_list_filter(rule_list *list, bool (*keeps)(void *user, const lode_rule *rule),
                             void *user) {
    size_t n = 0;
    for (size_t i = 0; i < list->rows.n; i++) {
        lode_rule rule = rule_list_at(list, i);
        if (i % LIST_ASK_EVERY == 0 && job_is_cancelled(list->job)) return LODE_CANCELLED;
        if (keeps(user, &rule)) list->rows.data[n++] = list->rows.data[i];
    }
    list->rows.n = n;
    return LODE_OK;
}

/* Counts the rules from the i-th on, which were found and are not handed over. */
static lode_status list_withhold(const rule_list *list, size_t i, sink_worker *worker) {
    lode_status status = LODE_OK;
    for (; i < list->rows.n && sink_take_room(worker->sink, 1) > 0; i++) {
        const rule_row *row = &list->rows.data[i];
        LODE_TRY(rule_sink_add(worker, row->n_lhs + row->n_rhs, 1));
        worker->sink->withheld++;
    }
done:
    return status;
}

lode_status rule_list_replay(const rule_list *list, lode_sink *to, const sort_stop *stop) {
    lode_status status = LODE_OK;
    sink_worker *worker = NULL;
    LODE_TRY(rule_sink_open_worker(to, &worker));
    for (size_t i = 0; i < list->rows.n; i++) {
        if (i % LIST_ASK_EVERY == 0 && stop->asked(stop->user)) {
            LODE_TRY(list_withhold(list, i, worker));
            LODE_LEAVE(LODE_CANCELLED);
        }
        lode_rule rule = rule_list_at(list, i);
        LODE_TRY(rule_sink_emit(worker, &rule));
    }
done:;
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* ---- where the rules that a search finds go: straight into the sink, or into a list ---------- */

#define OUT_HAND_OVER 4096 /* rules of a thread before the list gets them */

lode_status rule_writer_open(rule_out *out, rule_writer *w) {
    *w = (rule_writer){.out = out};
    return out->list ? LODE_OK : rule_sink_open_worker(out->sink, &w->worker);
}

lode_status rule_writer_close(rule_writer *w) {
    lode_status status = LODE_OK;
    if (!w->out) return LODE_OK;
    if (w->out->list) {
        atomic_fetch_add_explicit(&w->out->list->cut, w->cut, memory_order_relaxed);
        status = rule_list_join(w->out->list, &w->rows);
    }
    if (w->worker) status = sink_close_worker(w->worker);
    atomic_fetch_add_explicit(&w->out->filtered, w->filtered, memory_order_relaxed);
    rule_rows_free(&w->out->job->mem, &w->rows);
    *w = (rule_writer){0};
    return status;
}

/* Reserves a place in a list; returns false if the limit is reached. */
static bool rule_list_take_room(rule_list *list) {
    uint64_t room = atomic_load_explicit(&list->room, memory_order_relaxed);
    if (room == UINT64_MAX) return true;
    while (room > 0 && !atomic_compare_exchange_weak(&list->room, &room, room - 1)) continue;
    return room > 0;
}

lode_status rule_writer_emit(rule_writer *w, const lode_rule *rule) {
    rule_list *list = w->out->list;
    if (!list) return rule_sink_emit(w->worker, rule);
    double key = list->cuts ? wants_key(list->wants, rule) : 0;
    if (list->cuts && key < atomic_load_explicit(&list->least, memory_order_relaxed)) {
        w->cut++;
        return LODE_OK;
    }
    if (!rule_list_take_room(list)) return rule_sink_full(w->out->job);
    lode_status status = rule_rows_add(&w->out->job->mem, &w->rows, rule, key);
    if (status == LODE_OK && w->rows.n >= OUT_HAND_OVER) status = rule_list_join(list, &w->rows);
    return status;
}

lode_status rule_writer_batch(rule_writer *w, const rule_batch *b, uint64_t total) {
    lode_status status = LODE_OK;
    if (!w->out->list) return rule_sink_emit_batch(w->worker, b);
    for (uint32_t i = 0; i < b->n && status == LODE_OK; i++) {
        lode_rule rule = rule_batch_at(b, i, total);
        status = rule_writer_emit(w, &rule);
    }
    return status;
}
