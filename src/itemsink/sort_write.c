/* sort_write.c - see sort_write.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/sort_write.h"

#include "runtime/parallel.h"
#include "sink/sort_pieces.h"
#include "sink/sort_turns.h"

typedef struct sorted_writing {
    file_sink *sink;
    const sort_plan *plan;
    const sort_stop *stop;
    _Atomic size_t next; /* the next piece to take */
    sort_turns turns;
} sorted_writing;

/* What a thread has. */
typedef struct sorted_thread {
    sorted_writing *all;
    file_worker *worker;
    sort_merger merger;
    vec_u32 items;
    size_t piece;
} sorted_thread;

/* ---- lines ---------------------------------------------------------------------------------- */

/* Hands the lines over that were made, when it is their turn. */
static lode_status sorted_flush(sorted_thread *t) {
    lode_status status = turns_wait(&t->all->turns, t->piece);
    const sort_stop *stop = t->all->stop;
    if (status == LODE_OK && stop->asked(stop->user)) status = LODE_CANCELLED;
    return status == LODE_OK ? t->all->sink->writer->flush(t->worker) : status;
}

/* Writes the rows of a piece, as many at a time as the writer has room for. */
static lode_status sorted_text(sorted_thread *t, uint32_t size, sort_span span) {
    lode_status status = LODE_OK;
    const file_sink *sink = t->all->sink;
    unsigned words = keys_words(&sink->store.keys, size);
    while (span.n > 0) {
        file_rows rows = {&sink->store.keys, size, span.rows, span.n};
        LODE_TRY(sink->writer->write_rows(t->worker, &rows));
        LODE_TRY(sorted_flush(t));
        span = (sort_span){span.rows + rows.n * words, span.n - rows.n};
    }
    status = turns_wait(&t->all->turns, t->piece); /* for a piece without rows */
done:
    return status;
}

/* Writes rows through the writer's ordinary way, alone. */
static lode_status sorted_batches(sorted_thread *t, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    const file_sink *sink = t->all->sink;
    const sort_keys *keys = &sink->store.keys;
    const sort_stop *stop = t->all->stop;
    unsigned words = keys_words(keys, size);
    uint32_t *items = t->items.data;
    for (size_t i = 0; i < rows.n; i++, rows.rows += words) {
        bool ask = i % SINK_ASK_EVERY == 0;
        if (ask && stop->asked(stop->user)) LODE_LEAVE(LODE_CANCELLED);
        keys_items(keys, size, rows.rows, NULL, items);
        uint64_t support = keys_support(keys, words, rows.rows);
        lode_batch one = {.prefix = items,
                          .n_prefix = size - 1,
                          .items = items + size - 1,
                          .supports = &support,
                          .n = 1};
        LODE_TRY(sink->writer->write(t->worker, &one));
    }
done:
    return status;
}

/* ---- threads -------------------------------------------------------------------------------- */

static lode_status sorted_piece(sorted_thread *t, const sort_piece *piece) {
    lode_status status = LODE_OK;
    const file_sink *sink = t->all->sink;
    uint32_t size = piece->segments->size;
    sort_span rows;
    t->items.n = 0;
    LODE_TRY(vec_u32_reserve(file_mem(t->worker), &t->items, size));
    LODE_TRY(merger_take(&t->merger, &sink->store.base, piece, &rows));
    status = sink->writer->write_rows ? sorted_text(t, size, rows) : sorted_batches(t, size, rows);
done:
    turns_pass(&t->all->turns, status);
    return status;
}

static lode_status sorted_run(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    sorted_writing *all = arg;
    sink_worker *worker = NULL;
    sorted_thread t = {.all = all};
    (void)index;
    LODE_TRY(sink_open_worker(&all->sink->base.base, &worker));
    t.worker = (file_worker *)worker;
    while ((t.piece = atomic_fetch_add(&all->next, 1)) < all->plan->n) {
        LODE_TRY(sorted_piece(&t, &all->plan->pieces[t.piece]));
    }
done:
    if (status != LODE_OK) turns_pass(&all->turns, status);
    if (t.worker) vec_u32_free(file_mem(t.worker), &t.items);
    merger_free(&t.merger);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* Threads that write: one, where a function is called or batches have a size of their own. */
static unsigned sorted_threads(const file_sink *sink, const sort_plan *plan) {
    bool alone = !sink->writer->write_rows || sink->base.out.write;
    size_t n = alone ? 1 : plan->threads;
    return (unsigned)(n < plan->n ? n : plan->n);
}

static lode_status sorted_write_plan(file_sink *sink, const sort_plan *plan,
                                     const sort_stop *stop) {
    sorted_writing all = {.sink = sink, .plan = plan, .stop = stop};
    if (plan->n == 0) return LODE_OK;
    turns_init(&all.turns);
    lode_status status =
        parallel_run(sink->base.base.job, sorted_threads(sink, plan), false, sorted_run, &all);
    lode_status ended = turns_free(&all.turns);
    return status != LODE_OK ? status : ended;
}

/* ---- in order, or not ----------------------------------------------------------------------- */

/* Writes a segment as it is, in parts that fit into the memory of a piece. */
static lode_status sorted_segment(sorted_thread *t, const sort_segment *s) {
    lode_status status = LODE_OK;
    mem *m = file_mem(t->worker);
    size_t most = store_block_rows(s->words);
    t->items.n = t->merger.read.n = 0;
    LODE_TRY(vec_u32_reserve(m, &t->items, s->size));
    if (!s->rows) LODE_TRY(vec_u64_reserve(m, &t->merger.read, most * s->words));
    for (size_t first = 0; first < s->n; first += most) {
        size_t n = s->n - first < most ? s->n - first : most;
        sort_span rows = {s->rows ? s->rows + first * s->words : t->merger.read.data, n};
        if (!s->rows) {
            LODE_TRY(store_read(&t->all->sink->store.base, s, first, n, t->merger.read.data));
        }
        LODE_TRY(sorted_batches(t, s->size, rows));
    }
done:
    return status;
}

/* Segment by segment: merging takes time that the user does not want to wait. */
static lode_status sorted_write_unordered(file_sink *sink, const sort_stop *stop) {
    lode_status status = LODE_OK;
    sorted_writing all = {.sink = sink, .stop = stop};
    sorted_thread t = {.all = &all, .merger.mem = &sink->base.base.job->mem};
    sink_worker *worker = NULL;
    LODE_TRY(sink_open_worker(&sink->base.base, &worker));
    t.worker = (file_worker *)worker;
    for (size_t i = 0; i < sink->store.base.n_segments; i++) {
        LODE_TRY(sorted_segment(&t, &sink->store.base.segments[i]));
    }
done:
    vec_u32_free(t.merger.mem, &t.items);
    merger_free(&t.merger);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial) {
    lode_status status = LODE_OK;
    sort_stop cancel = sink_sort_stop(sink->base.base.job);
    sort_plan plan = {
        .store = &sink->store.base, .near = output_path(&sink->base.out), .stop = &cancel};
    *partial = *partial || cancel.asked(cancel.user) || !store_is_in_order(&sink->store.base);
    if (!*partial) status = plan_make(&plan);
    if (status == LODE_CANCELLED) {
        *partial = true;
    } else if (status != LODE_OK) {
        goto done;
    }
    if (!*partial) sink->order = "size";
    status = *partial ? sorted_write_unordered(sink, stop) : sorted_write_plan(sink, &plan, stop);
done:
    plan_free(&plan);
    return status;
}
