/* rule_sorted.c - see rule_sorted.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rulesink/rule_sorted.h"

#include "runtime/parallel.h"
#include "sink/sort_pieces.h"
#include "sink/sort_turns.h"

typedef struct rules_writing {
    rule_file *sink;
    const sort_plan *plan;
    const sort_stop *stop; /* NULL: nothing stops it */
    _Atomic size_t next;   /* the next piece to take */
    sort_turns turns;
} rules_writing;

/* What a thread has. */
typedef struct rules_thread {
    rules_writing *all;
    rules_worker *worker;
    sort_merger merger;
    vec_u32 items;
    size_t piece;
    size_t text_most; /* lines that it makes before its turn */
} rules_thread;

/* ---- lines ---------------------------------------------------------------------------------- */

/* Hands the lines over that were made, when it is their turn. */
static lode_status rules_flush(rules_thread *t) {
    const sort_stop *stop = t->all->stop;
    lode_status status = turns_wait(&t->all->turns, t->piece);
    if (status == LODE_OK && stop && stop->asked(stop->user)) status = LODE_CANCELLED;
    return status == LODE_OK ? text_flush(&t->all->sink->base, &t->worker->block) : status;
}

/* A line that memory has no room for waits for the turn, too. */
static lode_status rules_put_line(rules_thread *t, const lode_rule *rule) {
    lode_status status = rule_file_write(t->worker, rule);
    if (status != LODE_BUDGET || t->worker->block.n == 0) return status;
    status = rules_flush(t);
    return status == LODE_OK ? rule_file_write(t->worker, rule) : status;
}

static lode_status rules_lines(rules_thread *t, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    const rule_layout *l = &t->all->sink->store.layout;
    unsigned words = rule_row_words(l, size);
    t->items.n = 0;
    LODE_TRY(vec_u32_reserve(rule_file_mem(t->worker), &t->items, size));
    rule_reader reader = rule_reader_of(l, size, t->items.data);
    for (size_t i = 0; i < rows.n; i++) {
        LODE_TRY(rules_put_line(t, rule_read(&reader, rows.rows + i * words)));
        if (t->worker->block.n >= t->text_most) LODE_TRY(rules_flush(t));
    }
    status = rules_flush(t);
done:
    return status;
}

/* ---- threads -------------------------------------------------------------------------------- */

static lode_status rules_piece(rules_thread *t, const sort_piece *piece) {
    sort_span rows;
    lode_status status = merger_take(&t->merger, &t->all->sink->store.base, piece, &rows);
    if (status == LODE_OK) status = rules_lines(t, piece->segments->size, rows);
    turns_pass(&t->all->turns, status);
    return status;
}

static lode_status rules_open(rules_thread *t) {
    sink_worker *worker = NULL;
    lode_job *job = t->all->sink->base.base.job;
    size_t left = mem_left(&job->mem), most = SORT_TEXT_BYTES;
    if (left != SIZE_MAX && left / SORT_TEXT_SHARE / job->threads < most) {
        most = left / SORT_TEXT_SHARE / job->threads;
    }
    t->text_most = most > SORT_TEXT_LEAST ? most : SORT_TEXT_LEAST;
    lode_status status = rule_sink_open_worker(&t->all->sink->base.base, &worker);
    t->worker = (rules_worker *)worker;
    if (worker) t->worker->keeps = true;
    return status;
}

/* Lines that were not written before a failure are none of the result: their turn never came. */
static lode_status rules_close(rules_thread *t, lode_status status) {
    if (!t->worker) return status;
    vec_u32_free(rule_file_mem(t->worker), &t->items);
    merger_free(&t->merger);
    if (status != LODE_OK) t->worker->block.n = 0;
    lode_status closed = sink_close_worker(&t->worker->base.base);
    return status != LODE_OK ? status : closed;
}

static lode_status rules_run(void *arg, unsigned index) {
    rules_writing *all = arg;
    rules_thread t = {.all = all};
    (void)index;
    lode_status status = rules_open(&t);
    while (status == LODE_OK && (t.piece = atomic_fetch_add(&all->next, 1)) < all->plan->n) {
        status = rules_piece(&t, &all->plan->pieces[t.piece]);
    }
    if (status != LODE_OK) turns_pass(&all->turns, status);
    return rules_close(&t, status);
}

/* Threads that write: one, where a function is called or the format is no text. */
static unsigned rules_threads(const rule_file *sink, const sort_plan *plan) {
    bool alone = sink->lines.format->writer || sink->base.out.write;
    size_t n = alone ? 1 : plan->threads;
    return (unsigned)(n < plan->n ? n : plan->n);
}

static lode_status rules_write_plan(rules_writing *all) {
    lode_job *job = all->sink->base.base.job;
    if (all->plan->n == 0) return LODE_OK;
    return parallel_run(job, rules_threads(all->sink, all->plan), false, rules_run, all);
}

/* ---- in order, or not ----------------------------------------------------------------------- */

/* Segment by segment, each in parts: merging takes time that the user does not want to wait. */
static lode_status rules_write_segment(rules_thread *t, const sort_segment *s) {
    lode_status status = LODE_OK;
    mem *m = rule_file_mem(t->worker);
    size_t most = store_block_rows(s->words);
    t->merger.mem = m;
    t->merger.read.n = 0;
    if (!s->rows) LODE_TRY(vec_u64_reserve(m, &t->merger.read, most * s->words));
    for (size_t first = 0; first < s->n; first += most) {
        size_t n = s->n - first < most ? s->n - first : most;
        sort_span rows = {s->rows ? s->rows + first * s->words : t->merger.read.data, n};
        if (!s->rows) {
            LODE_TRY(store_read(&t->all->sink->store.base, s, first, n, t->merger.read.data));
        }
        LODE_TRY(rules_lines(t, s->size, rows));
    }
done:
    return status;
}

static lode_status rules_write_unordered(rules_writing *all) {
    const sort_store *store = &all->sink->store.base;
    rules_thread t = {.all = all};
    lode_status status = rules_open(&t);
    for (size_t i = 0; i < store->n_segments && status == LODE_OK; i++) {
        status = rules_write_segment(&t, &store->segments[i]);
    }
    return rules_close(&t, status);
}

lode_status rule_sorted_write(rule_file *sink, const sort_stop *stop, bool *partial) {
    lode_status status = LODE_OK;
    sort_store *store = &sink->store.base;
    sort_stop cancel = sink_sort_stop(sink->base.base.job);
    sort_plan plan = {.store = store, .near = output_path(&sink->base.out), .stop = &cancel};
    rules_writing all = {.sink = sink, .plan = &plan, .stop = stop};
    turns_init(&all.turns);
    *partial = *partial || cancel.asked(cancel.user) || !store_is_in_order(store);
    if (!*partial) status = plan_make(&plan);
    if (status == LODE_CANCELLED) *partial = true;
    if (status == LODE_OK || status == LODE_CANCELLED) {
        if (!*partial) sink->order = "size";
        status = *partial ? rules_write_unordered(&all) : rules_write_plan(&all);
    }
    plan_free(&plan);
    lode_status ended = turns_free(&all.turns);
    return status != LODE_OK ? status : ended;
}
