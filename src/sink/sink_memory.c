/* sink_memory.c - see sink_memory.h
 *
 * Workers collect columns of their own and hand them over when they close; a top sink hands over
 * early, because what the others have found tells a worker what it may forget.
 * When the budget has no room for the result, the sink drops it and goes on measuring, so that it
 * can say what is needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/sink_memory.h"

#include "runtime/valid.h"

#define TOP_HAND_OVER 1024 /* patterns a worker collects before the others hear of them */

typedef struct memory_sink {
    lode_sink base;
    columns kept;      /* under the lock, as the next */
    lookup *index;     /* of what is kept; NULL until it is asked for */
    uint64_t k;        /* 0: keep everything */
    vec_u64 heap;      /* the k highest supports, the lowest of them on top */
    size_t best;       /* how many were left when others were dropped last: ties may be many */
    _Atomic bool over; /* nothing is kept any more, only measured: */
    _Atomic uint64_t n_lost, n_items; /* patterns, and their items */
} memory_sink;

typedef struct memory_worker {
    sink_worker base;
    columns found;
} memory_worker;

/* ---- the k highest supports ---------------------------------------------------------------- */

static void heap_sift_down(vec_u64 *h, size_t at) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->n) return;
        if (child + 1 < h->n && h->data[child + 1] < h->data[child]) child++;
        if (h->data[at] <= h->data[child]) return;
        uint64_t x = h->data[at];
        h->data[at] = h->data[child];
        h->data[child] = x;
        at = child;
    }
}

static void heap_sift_up(vec_u64 *h, size_t at) {
    while (at > 0 && h->data[at] < h->data[(at - 1) / 2]) {
        uint64_t x = h->data[at];
        h->data[at] = h->data[(at - 1) / 2];
        h->data[(at - 1) / 2] = x;
        at = (at - 1) / 2;
    }
}

static lode_status top_note(memory_sink *sink, uint64_t support) {
    vec_u64 *h = &sink->heap;
    if (h->n < sink->k) {
        lode_status status = vec_u64_push(&sink->base.job->mem, h, support);
        if (status == LODE_OK) heap_sift_up(h, h->n - 1);
        return status;
    }
    if (support > h->data[0]) {
        h->data[0] = support;
        heap_sift_down(h, 0);
    }
    return LODE_OK;
}

/* Takes the supports of new patterns into account and drops what is no longer among the best. */
static lode_status top_update(memory_sink *sink, const columns *fresh) {
    for (size_t i = 0; i < fresh->supports.n; i++) {
        lode_status status = top_note(sink, fresh->supports.data[i]);
        if (status != LODE_OK) return status;
    }
    if (sink->heap.n < sink->k) return LODE_OK;
    lode_job_raise_threshold(sink->base.job, sink->heap.data[0]);
    size_t most = sink->best > sink->k ? sink->best : (size_t)sink->k;
    if (columns_count(&sink->kept) / 2 > most) {
        columns_keep(&sink->kept, sink->heap.data[0]);
        sink->best = columns_count(&sink->kept);
    }
    return LODE_OK;
}

/* ---- the sink ------------------------------------------------------------------------------ */

static bool memory_is_over(const memory_sink *sink) {
    return atomic_load_explicit(&sink->over, memory_order_relaxed);
}

static void memory_measure(memory_sink *sink, uint64_t patterns, uint64_t items) {
    atomic_fetch_add_explicit(&sink->n_lost, patterns, memory_order_relaxed);
    atomic_fetch_add_explicit(&sink->n_items, items, memory_order_relaxed);
}

static void memory_drop(memory_sink *sink, columns *c) {
    memory_measure(sink, columns_count(c), c->items.n);
    columns_free(&sink->base.job->mem, c);
}

/* There is no room: from now on the sink only measures. The best K cannot be told that way. */
static lode_status memory_give_up(memory_sink *sink, lode_status status) {
    if (status != LODE_BUDGET || sink->k > 0) return status;
    pthread_mutex_lock(&sink->base.lock);
    atomic_store_explicit(&sink->over, true, memory_order_relaxed);
    memory_drop(sink, &sink->kept);
    pthread_mutex_unlock(&sink->base.lock);
    return LODE_OK;
}

/* What it knows changes. */
static void memory_drop_index(memory_sink *sink) {
    lookup_free(sink->index);
    sink->index = NULL;
}

static lode_status memory_hand_over(memory_worker *w) {
    memory_sink *sink = (memory_sink *)w->base.sink;
    mem *m = &sink->base.job->mem;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    memory_drop_index(sink);
    if (!memory_is_over(sink)) status = columns_join(m, &sink->kept, &w->found);
    if (status == LODE_OK && sink->k > 0) status = top_update(sink, &w->found);
    pthread_mutex_unlock(&sink->base.lock);
    status = memory_give_up(sink, status);
    if (memory_is_over(sink)) memory_drop(sink, &w->found);
    columns_free(m, &w->found);
    return status;
}

static lode_status memory_emit(sink_worker *worker, const lode_batch *batch) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status == LODE_OK && !memory_is_over(sink)) {
        status = columns_append(&sink->base.job->mem, &w->found, &items);
        bool enough = sink->k > 0 && columns_count(&w->found) >= TOP_HAND_OVER;
        if (status == LODE_OK) return enough ? memory_hand_over(w) : LODE_OK;
    }
    status = memory_give_up(sink, status);
    if (status != LODE_OK) return status;
    memory_drop(sink, &w->found);
    memory_measure(sink, batch->n, batch->n * ((uint64_t)batch->n_prefix + 1));
    return status;
}

static lode_status memory_close(sink_worker *worker) {
    return memory_hand_over((memory_worker *)worker);
}

/* A limit has ended the search by now, and does not end the sorting of what it left. */
static bool memory_sort_asked(void *job) {
    return job_is_cancelled(job);
}

static lode_status memory_finish(lode_sink *base, bool partial) {
    memory_sink *sink = (memory_sink *)base;
    mem *m = &base->job->mem;
    sort_stop stop = {memory_sort_asked, base->job};
    if (memory_is_over(sink)) return LODE_BUDGET;
    memory_drop_index(sink);
    job_note_need(base->job, atomic_load(&m->used) + 2 * columns_bytes(&sink->kept));
    if (sink->k == 0) {
        return columns_sort(m, &sink->kept, COLUMNS_BY_SIZE, partial ? NULL : &stop);
    }
    if (sink->heap.n == sink->k) columns_keep(&sink->kept, sink->heap.data[0]);
    if (partial) return LODE_OK; /* whoever has interrupted the job does not wait for an order */
    return columns_sort(m, &sink->kept, COLUMNS_BY_SUPPORT, &stop);
}

static void memory_free(lode_sink *base) {
    memory_sink *sink = (memory_sink *)base;
    mem *m = &base->job->mem;
    memory_drop_index(sink);
    columns_free(m, &sink->kept);
    vec_u64_free(m, &sink->heap);
    sink_clear(base);
    mem_free(m, sink, sizeof *sink);
}

static const sink_kind memory_kind = {
    .worker_bytes = sizeof(memory_worker),
    .emit = memory_emit,
    .close = memory_close,
    .finish = memory_finish,
    .free = memory_free,
};

lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k) {
    memory_sink *sink = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&sink, sizeof *sink);
    if (status != LODE_OK) return status;
    sink_init(&sink->base, &memory_kind, job);
    sink->k = k;
    *out = &sink->base;
    return LODE_OK;
}

lode_status lode_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, sink_top_create(job, out, 0), "creating a sink");
}

/* While the columns are handed over and sorted, there are parts of them more than once: three and a
 * half times as much is enough for all of it, also with what growing arrays take beforehand. */
uint64_t sink_memory_lost(const lode_sink *base) {
    const memory_sink *sink = (const memory_sink *)base;
    if (base->kind != &memory_kind || !memory_is_over(sink)) return 0;
    uint64_t bytes = atomic_load(&sink->n_lost) * 2 * sizeof(uint64_t) +
                     atomic_load(&sink->n_items) * sizeof(uint32_t);
    return bytes / 2 * 7 + 1;
}

columns *sink_memory_columns(lode_sink *sink) {
    return sink->kind == &memory_kind ? &((memory_sink *)sink)->kept : NULL;
}

/* A sink is const for those who only look; its lock and its index are not part of what they see. */
lode_status sink_memory_lookup(const lode_sink *base, const columns **patterns,
                               const lookup **index) {
    if (base->kind != &memory_kind) {
        return job_fail(base->job, LODE_INVALID,
                        "supports are looked up in a result in memory; this sink keeps none");
    }
    memory_sink *sink = (memory_sink *)(uintptr_t)base;
    lode_target target = base->origin.target;
    bool above = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    if (!sink->index) status = lookup_create(base->job, &sink->index, &sink->kept, above);
    *index = sink->index;
    pthread_mutex_unlock(&sink->base.lock);
    *patterns = &sink->kept;
    return status;
}

bool lode_sink_result(const lode_sink *sink, lode_result *out) {
    if (!sink || sink->kind != &memory_kind) return valid_fill(out, NULL);
    static const uint64_t no_offset = 0; /* also nothing has one */
    const columns *c = &((const memory_sink *)sink)->kept;
    const uint64_t *offsets = columns_count(c) > 0 ? c->offsets.data : &no_offset;
    lode_result r = {.n = columns_count(c),
                     .offsets = offsets,
                     .items = c->items.data,
                     .supports = c->supports.data};
    return valid_fill(out, &r);
}

lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(to, &worker);
    for (size_t i = 0; i < c->supports.n && status == LODE_OK; i++) {
        lode_batch batch = columns_at(c, i);
        status = sink_emit_settled(worker, &batch);
        if (stop && i % SINK_ASK_EVERY == 0 && stop->asked(stop->user)) status = LODE_CANCELLED;
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}
