/* rule_file.c - writes rules as text, about as fast as memory is written
 *
 *     emit ─┬─ sorts: rows of the worker ─────── finish: merge ── lines, by all threads
 *           ├─ draws: a nested memory sink ───── finish: sort ─── the drawing
 *           ├─ holds: columns of the worker ──── finish: sort ─── lines
 *           └─ flows: lines into a block of the worker, blocks into the file
 *
 * Every worker fills its own block, and writes whole blocks to the file under the lock
 * (write/core/sink_text.h). The first rules of any result are held back, so that a short result is
 * sorted (write/core/sink_text.h). With `sort`, workers collect rows (rule_rows.h); rows that do
 * not fit into memory go to a scratch file, and all rows are merged at the end. Drawings need all
 * rules in memory. rule_text.c formats lines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_file.h"

#include "runtime/valid.h"
#include "write/core/sort_output.h"
#include "write/rules/rule_memory.h"

#define RULES_ASK_EVERY 4096 /* rules that are written between checks for a cancel */

#define RULE_NUMBERS_BYTES (sizeof(rule_number) << RULE_NUMBERS_BITS)

/* ---- holding back --------------------------------------------------------------------------- */

static lode_status rule_file_write_columns(rules_worker *w, const rule_columns *c,
                                           const sort_stop *stop) {
    lode_status status = LODE_OK;
    uint64_t n = 0;
    for (; n < rule_columns_count(c); n++) {
        lode_rule rule = rule_columns_at(c, n);
        bool ask = stop && n % RULES_ASK_EVERY == 0;
        if (ask && stop->asked(stop->user)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(rule_file_write(w, &rule));
    }
done:
    sink_note_written(w->base.base.sink, n);
    return status;
}

/* Writes what the worker has held back, in the order in which it came. */
static lode_status rule_file_let_go(rules_worker *w) {
    w->holds = false;
    lode_status status = rule_file_write_columns(w, &w->held, NULL);
    rule_columns_free(rule_file_mem(w), &w->held);
    return status;
}

/* Holds a batch back, or one rule, if there is room; else lets go of all that is held. */
static lode_status rule_file_hold(rules_worker *w, const rule_batch *b, const lode_rule *rule) {
    lode_status status = LODE_OK;
    rule_file *sink = rule_file_of(w);
    held *h = &sink->base.held;
    uint64_t n = b ? b->n : 1, items = b ? (uint64_t)b->n_lhs + 1 : 0;
    if (rule) items = (uint64_t)rule->n_lhs + rule->n_rhs;
    if (held_take(h, n, n * rule_columns_rule_bytes(items))) {
        uint64_t total = b ? rule_file_total(w) : rule->counts.total;
        LODE_TRY(rule_total_check(sink->base.base.job, &sink->total, total));
        status = b ? rule_columns_append_batch(rule_file_mem(w), &w->held, b, total)
                   : rule_columns_append(rule_file_mem(w), &w->held, rule);
        if (!held_is_short(status)) goto done;
        held_let_flow(h);
    }
    status = rule_file_let_go(w);
done:
    return status;
}

static lode_status rule_file_emit(sink_worker *worker, const lode_rule *rule) {
    lode_status status = LODE_OK;
    rules_worker *w = (rules_worker *)worker;
    LODE_TRY(rule_best_note(&w->best, rule_file_mem(w), rule));
    if (w->found.store) return rule_collect(&w->found, rule);
    if (w->collects) return rule_sink_emit(w->collects, rule);
    if (w->holds) {
        LODE_TRY(rule_file_hold(w, NULL, rule));
        if (w->holds) return LODE_OK;
    }
    status = rule_file_write(w, rule);
done:
    return status;
}

static lode_status rule_file_emit_batch(sink_worker *worker, const rule_batch *batch) {
    lode_status status = LODE_OK;
    rules_worker *w = (rules_worker *)worker;
    LODE_TRY(rule_best_note_batch(&w->best, rule_file_mem(w), batch, rule_file_total(w)));
    if (w->found.store) return rule_collect_batch(&w->found, batch, rule_file_total(w));
    if (w->collects) return rule_sink_emit_batch(w->collects, batch);
    if (w->holds) {
        LODE_TRY(rule_file_hold(w, batch, NULL));
        if (w->holds) return LODE_OK;
    }
    status = rule_file_write_batch(w, batch);
done:
    return status;
}

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status rule_file_open(sink_worker *worker) {
    rules_worker *w = (rules_worker *)worker;
    rule_file *sink = rule_file_of(w);
    const rule_writer *writer = sink->lines.format->writer;
    w->holds = !sink->collected && !worker->sink->in_order && !held_flows(&sink->base.held);
    if (sink->collects) { /* The folder of the result has room for a scratch file, most likely. */
        w->holds = false;
        rule_collect_open(&w->found, &sink->store, output_path(&sink->base.out));
        return LODE_OK;
    }
    if (writer) {
        lode_status status = mem_zalloc(rule_file_mem(w), &w->own, writer->worker_bytes);
        if (status != LODE_OK) return status;
    }
    if (!sink->collected) {
        return writer ? LODE_OK
                      : mem_zalloc(rule_file_mem(w), (void **)&w->numbers, RULE_NUMBERS_BYTES);
    }
    pthread_mutex_lock(&sink->base.base.lock); /* the first worker tells; the others only look */
    if (sink->collected->mined != worker->sink->mined) {
        sink_set_data(sink->collected, worker->sink->mined);
    }
    pthread_mutex_unlock(&sink->base.base.lock);
    return rule_sink_open_worker(sink->collected, &w->collects);
}

/* What the worker holds goes to the sink, if nothing flows yet; under the lock. */
static lode_status rule_file_keep(rules_worker *w, bool *is_kept) {
    rule_file *sink = rule_file_of(w);
    lode_status status = LODE_OK;
    *is_kept = w->holds && !held_flows(&sink->base.held);
    if (*is_kept) status = rule_columns_join(rule_file_mem(w), &sink->kept, &w->held);
    if (!held_is_short(status)) return status;
    *is_kept = false;
    held_let_flow(&sink->base.held);
    return LODE_OK;
}

static lode_status rule_file_hand_over(rules_worker *w) {
    lode_status status = LODE_OK;
    rule_file *sink = rule_file_of(w);
    bool is_kept = false;
    pthread_mutex_lock(&sink->base.base.lock);
    if (w->best.ratio > 0) status = rule_best_note(&sink->best, rule_file_mem(w), &w->best.rule);
    if (status == LODE_OK) status = rule_file_keep(w, &is_kept);
    pthread_mutex_unlock(&sink->base.base.lock);
    if (status == LODE_OK && w->holds && !is_kept) status = rule_file_let_go(w);
    const rule_writer *writer = w->own ? sink->lines.format->writer : NULL;
    lode_status flushed =
        writer ? writer->flush(&sink->base, sink->own, w->own) : text_flush(&sink->base, &w->block);
    return status != LODE_OK ? status : flushed;
}

static lode_status rule_file_close(sink_worker *worker) {
    rules_worker *w = (rules_worker *)worker;
    mem *m = rule_file_mem(w);
    lode_status collected = sink_close_worker(w->collects);
    if (w->found.store) collected = rule_collect_hand_over(&w->found);
    lode_status status = rule_file_hand_over(w);
    const rule_writer *writer = w->own ? rule_file_of(w)->lines.format->writer : NULL;
    if (writer) writer->drop(w->own);
    if (writer) mem_free(m, w->own, writer->worker_bytes);
    vec_char_free(m, &w->block);
    rule_file_sides_free(w);
    rule_best_free(&w->best, m);
    mem_free(m, w->numbers, w->numbers ? RULE_NUMBERS_BYTES : 0);
    rule_columns_free(m, &w->held);
    rule_collect_close(&w->found);
    return status != LODE_OK ? status : collected;
}

/* ---- a sorted result of rules on its way to a file ------------------------------------------- */

static rules_worker *hand_rules(const sort_hand *h) {
    return (rules_worker *)h->worker;
}

/* Hands over the finished lines when it is their turn, *made of them, and sets *made to 0. */
static lode_status rules_flush(sort_hand *h, uint64_t *made) {
    rules_worker *w = hand_rules(h);
    lode_status status = hand_may_write(h);
    if (status == LODE_OK) status = text_flush(&rule_file_of(w)->base, &w->block);
    if (status == LODE_OK) sink_note_written(h->out->sink, *made);
    if (status == LODE_OK) *made = 0;
    return status;
}

/* A line that memory has no room for waits for the turn, too. */
static lode_status rules_put_line(sort_hand *h, const lode_rule *rule, uint64_t *made) {
    rules_worker *w = hand_rules(h);
    lode_status status = rule_file_write(w, rule);
    if (status != LODE_BUDGET || w->block.n == 0) return status;
    status = rules_flush(h, made);
    return status == LODE_OK ? rule_file_write(w, rule) : status;
}

static lode_status rules_lines(sort_hand *h, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    rules_worker *w = hand_rules(h);
    const rule_layout *l = &rule_file_of(w)->store.layout;
    unsigned words = rule_row_words(l, size);
    rule_reader reader = rule_reader_of(l, size, h->items.data);
    uint64_t made = 0;
    for (size_t i = 0; i < rows.n; i++, made++) {
        if (w->block.n >= w->block_most) LODE_TRY(rules_flush(h, &made));
        LODE_TRY(rules_put_line(h, rule_read(&reader, rows.rows + i * words), &made));
    }
    status = rules_flush(h, &made);
done:
    if (w->own) sink_note_written(h->out->sink, made); /* these are no lines, and do not wait */
    return status;
}

static lode_status rules_open(sort_hand *h) {
    lode_job *job = h->out->sink->job;
    size_t left = mem_left(&job->mem), most = SORT_TEXT_BYTES;
    if (left != SIZE_MAX && left / SORT_TEXT_SHARE / job->threads < most) {
        most = left / SORT_TEXT_SHARE / job->threads;
    }
    lode_status status = rule_sink_open_worker(h->out->sink, &h->worker);
    if (!h->worker) return status;
    hand_rules(h)->keeps = true;
    hand_rules(h)->block_most = most > SORT_TEXT_LEAST ? most : SORT_TEXT_LEAST;
    return status;
}

static void rules_drop_lines(sort_hand *h) {
    hand_rules(h)->block.n = 0;
}

static const sort_output_ops rules_ops = {
    .open = rules_open, .write = rules_lines, .forget = rules_drop_lines};

/* Writes everything in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` (NULL = never) is called on the way, by
 * one thread at a time: CANCELLED if it ends the writing. */
static lode_status rule_sorted_write(rule_file *sink, const sort_stop *stop, bool *partial) {
    sort_output out = {.ops = &rules_ops,
                       .sink = &sink->base.base,
                       .store = &sink->store.base,
                       .near = output_path(&sink->base.out),
                       .stop = stop,
                       .alone = sink->lines.format->writer || sink->base.out.write};
    lode_status status = sort_output_run(&out, partial);
    if (!*partial) sink->order = "size";
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

static lode_status rule_file_draw(rule_file *sink, const rule_columns *c, const sort_stop *stop) {
    rule_paper paper = {.lines = &sink->lines, .rules = c, .sink = &sink->base, .stop = stop};
    lode_status status = sink->lines.format->draw(&paper);
    if (status == LODE_OK) status = text_flush(&sink->base, &paper.block);
    if (status == LODE_OK) sink_note_written(&sink->base.base, rule_columns_count(c));
    vec_char_free(&sink->base.base.job->mem, &paper.block);
    return status;
}

/* They have been counted before, so that they do not pass the front again. */
static lode_status rule_file_print(rule_file *sink, const rule_columns *c, const sort_stop *stop) {
    sink_worker *worker = NULL;
    lode_sink *collected = sink->collected;
    if (sink->lines.format->draw) return rule_file_draw(sink, c, stop);
    sink->collected = NULL;
    held_let_flow(&sink->base.held);
    lode_status status = rule_sink_open_worker(&sink->base.base, &worker);
    if (status == LODE_OK) status = rule_file_write_columns((rules_worker *)worker, c, stop);
    lode_status closed = sink_close_worker(worker);
    sink->collected = collected;
    return status != LODE_OK ? status : closed;
}

/* Sorts and writes the collected rules. If *cut is set, writes them unsorted, because the user
 * waits. Sets *cut if sorting or writing is interrupted. */
static lode_status rule_file_write_all(rule_file *sink, bool *cut) {
    lode_status status = LODE_OK;
    lode_sink *base = &sink->base.base;
    mem *m = &base->job->mem;
    bool is_held = !base->in_order && !held_flows(&sink->base.held);
    bool waits = sink->collected || is_held, asked_for = *cut, sorted = false;
    rule_columns *c = sink->collected ? rule_memory_columns(sink->collected) : &sink->kept;
    sort_stop sorting = sink_sort_stop(base->job), writing = sink_rush(base, false);
    if (!c) return LODE_BUDGET;
    base->written_late = waits;
    if (waits && !*cut && (sink->sorts || !base->in_order)) {
        job_note_need(base->job, atomic_load(&m->used) + 3 * rule_columns_bytes(c));
        status =
            rule_columns_sort(m, c, sink->sorts ? RULES_BY_SIZE : RULES_BY_CONFIDENCE, &sorting);
        sorted = status == LODE_OK;
        if (held_is_short(status) && !sink->sorts) status = LODE_OK; /* then in no order */
        if (status == LODE_CANCELLED) *cut = true;
        if (status != LODE_CANCELLED) LODE_TRY(status);
    }
    if (base->in_order && !*cut) sink->order = "given";
    if (waits && !*cut && sorted) sink->order = sink->sorts ? "size" : "confidence";
    /* If the program has asked for the partial result, it is written completely: it is small, or a
     * drawing. */
    status = rule_file_print(sink, c, asked_for ? NULL : &writing);
    if (status == LODE_CANCELLED) *cut = true;
    if (status == LODE_CANCELLED) status = LODE_OK;
done:
    return status;
}

/* The same for rules that were collected as rows. */
static lode_status rule_file_write_sorted(rule_file *sink, bool *cut) {
    sort_stop writing = sink_rush(&sink->base.base, *cut);
    sink->collects = false;
    sink->base.base.written_late = true;
    held_let_flow(&sink->base.held);
    lode_status status = rule_sorted_write(sink, &writing, cut);
    if (status == LODE_CANCELLED) *cut = true;
    return status == LODE_CANCELLED ? LODE_OK : status;
}

static lode_status rule_file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    rule_file *sink = (rule_file *)base;
    bool cut = partial;
    const rule_writer *writer = sink->lines.format->writer;
    LODE_TRY(sink->collects ? rule_file_write_sorted(sink, &cut) : rule_file_write_all(sink, &cut));
    if (writer) LODE_TRY(writer->end(&sink->base, sink->own, cut, sink->order));
    LODE_TRY(text_end(&sink->base, cut));
    /* The best rule is for the program, which knows items as lode.h numbers them. */
    uint32_t *items = sink->best.items.data;
    rule_side_items(sink->lines.data, items, (uint32_t)sink->best.items.n, items);
    if (cut && !partial) status = LODE_CANCELLED;
done:
    return status;
}

static void rule_file_free(lode_sink *base) {
    rule_file *sink = (rule_file *)base;
    mem *m = &base->job->mem;
    const rule_writer *writer = sink->own ? sink->lines.format->writer : NULL;
    if (writer) writer->free(sink->own);
    if (writer) mem_free(m, sink->own, writer->sink_bytes);
    text_free(&sink->base);
    lode_sink_free(sink->collected);
    store_clear(&sink->store.base);
    rule_columns_free(m, &sink->kept);
    rule_best_free(&sink->best, m);
    rule_lines_clear(&sink->lines);
}

static lode_status rule_file_empty(lode_sink *base) {
    rule_file *sink = (rule_file *)base;
    mem *m = &base->job->mem;
    if (sink->own) sink->lines.format->writer->empty(sink->own);
    store_clear(&sink->store.base);
    store_init(&sink->store.base, base->job);
    sink->store.layout = (rule_layout){.item_bound = sink->store.layout.item_bound};
    rule_columns_free(m, &sink->kept);
    rule_best_free(&sink->best, m);
    atomic_store(&sink->total, 0);
    lode_status status = sink->collected ? sink_empty(sink->collected) : LODE_OK;
    lode_status cut = text_empty(&sink->base);
    return status != LODE_OK ? status : cut;
}

/* Only sorted results have work for several threads. */
static bool rule_file_finishes_alone(const lode_sink *base) {
    return !((const rule_file *)base)->collects;
}

static uint64_t rule_file_lost(const lode_sink *base) {
    const rule_file *sink = (const rule_file *)base;
    return sink->collected ? sink_memory_lost(sink->collected) : 0;
}

static unsigned rule_file_needs(const lode_sink *base) {
    return ((const rule_file *)base)->lines.values.needs;
}

static const rule_ops file_rules = {
    .worker_bytes = sizeof(rules_worker),
    .needs = rule_file_needs,
    .open = rule_file_open,
    .emit = rule_file_emit,
    .emit_batch = rule_file_emit_batch,
    .close = rule_file_close,
};

static const sink_kind rule_file_kind = {
    .bytes = sizeof(rule_file),
    .rules = &file_rules,
    .finish = rule_file_finish,
    .finishes_alone = rule_file_finishes_alone,
    .free = rule_file_free,
    .lost = rule_file_lost,
    .empty = rule_file_empty,
    .can_empty = text_can_empty,
};

/* ---- making one ----------------------------------------------------------------------------- */

static lode_status rule_file_begin(rule_file *sink, bool mark) {
    mem *m = &sink->base.base.job->mem;
    vec_char title = {0};
    const rule_writer *writer = sink->lines.format->writer;
    if (writer) {
        lode_status made = mem_zalloc(m, &sink->own, writer->sink_bytes);
        return made == LODE_OK ? writer->begin(&sink->base, sink->own, &sink->lines) : made;
    }
    lode_status status = rule_lines_title(&sink->lines, m, &title);
    if (status == LODE_OK) status = vec_char_append(m, &title, "", 1);
    if (status == LODE_OK) status = text_title(&sink->base, mark, title.data);
    vec_char_free(m, &title);
    return status;
}

static lode_status rule_file_create(lode_job *job, lode_sink **out, const lode_dataset *data,
                                    const text_target *to, const lode_rule_write_options *options) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    lode_rule_write_options o;
    LODE_TRY(valid_take(job, VALID_RULE_WRITE, options, &o));
    LODE_TRY(sink_create(job, &rule_file_kind, &base));
    rule_file *sink = (rule_file *)base;
    base->data = data;
    sink->sorts = o.sort;
    store_init(&sink->store.base, job);
    LODE_TRY(rule_lines_init(&sink->lines, job, data, &o));
    bool draws = sink->lines.format->draw != NULL;
    if (draws) LODE_TRY(rule_memory_nested(job, &sink->collected));
    sink->collects = o.sort && !draws;
    sink->store.needs = sink->lines.values.needs;
    sink->store.layout.item_bound = data->item_bound;
    LODE_TRY(text_open(&sink->base, to, o.unsorted));
    sink->base.for_spreadsheets = csv_is_for_people(o.bom, o.csv_safe, o.csv_separator);
    LODE_TRY(rule_file_begin(sink, o.bom));
    sink->base.head = sink->base.out.bytes;
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return text_opened(job, status);
}

lode_status lode_rule_sink_file(lode_job *job, lode_sink **out, const lode_dataset *data,
                                const char *path, const lode_rule_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    return rule_file_create(job, out, data, &(text_target){.path = path}, options);
}

lode_status lode_rule_sink_write(lode_job *job, lode_sink **out, const lode_dataset *data,
                                 lode_write_fn write, void *user,
                                 const lode_rule_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(write));
    return rule_file_create(job, out, data, &(text_target){.write = write, .user = user}, options);
}

/* ---- the best ------------------------------------------------------------------------------- */

bool lode_rule_sink_best(const lode_sink *sink, lode_rule *out) {
    bool is_there = sink && sink->kind == &rule_file_kind && sink->complete;
    const rule_best *best = is_there ? &((const rule_file *)sink)->best : NULL;
    return valid_fill(out, best && best->ratio > 0 ? &best->rule : NULL);
}
