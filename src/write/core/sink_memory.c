/* sink_memory.c - see sink_memory.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink_memory.h"

/* ---- the k highest supports ---------------------------------------------------------------- */

static void best_swap(vec_u64 *h, size_t a, size_t b) {
    uint64_t x = h->data[a];
    h->data[a] = h->data[b];
    h->data[b] = x;
}

static void best_sift_down(vec_u64 *h, size_t at) {
    for (size_t child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && h->data[child + 1] < h->data[child]) child++;
        if (h->data[at] <= h->data[child]) return;
        best_swap(h, at, child);
    }
}

static void best_sift_up(vec_u64 *h, size_t at) {
    for (; at > 0 && h->data[at] < h->data[(at - 1) / 2]; at = (at - 1) / 2) {
        best_swap(h, at, (at - 1) / 2);
    }
}

static lode_status best_note(memory_sink *sink, uint64_t support) {
    vec_u64 *h = &sink->heap;
    if (h->n < sink->k) {
        lode_status status = vec_u64_push(&sink->base.job->mem, h, support);
        if (status == LODE_OK) best_sift_up(h, h->n - 1);
        return status;
    }
    if (support > h->data[0]) {
        h->data[0] = support;
        best_sift_down(h, 0);
    }
    return LODE_OK;
}

static const vec_u64 *memory_supports(const void *columns) {
    return columns;
}

/* Considers the last n supports, and drops patterns that are no longer among the best. */
static lode_status best_update(memory_sink *sink, size_t n) {
    const vec_u64 *supports = memory_supports(sink->kept);
    for (size_t i = supports->n - n; i < supports->n; i++) {
        lode_status status = best_note(sink, supports->data[i]);
        if (status != LODE_OK) return status;
    }
    if (sink->heap.n < sink->k) return LODE_OK;
    job_raise_threshold(sink->base.job, sink->heap.data[0]);
    size_t most = sink->best > sink->k ? sink->best : (size_t)sink->k;
    if (supports->n / 2 > most) {
        sink->type->keep(sink->kept, sink->heap.data[0]);
        sink->best = supports->n;
    }
    return LODE_OK;
}

lode_status memory_create(lode_job *job, const sink_kind *kind, const memory_columns *type,
                          uint64_t k, lode_sink **out) {
    lode_status status = sink_create(job, kind, out);
    if (status != LODE_OK) return status;
    memory_sink *sink = (memory_sink *)*out;
    sink->type = type;
    sink->kept = (char *)sink + type->kept_at;
    sink->k = k;
    return LODE_OK;
}

/* ---- handing over --------------------------------------------------------------------------- */

static void memory_measure(memory_sink *sink, uint64_t bytes) {
    atomic_fetch_add_explicit(&sink->lost_bytes, bytes, memory_order_relaxed);
}

static void memory_drop(memory_sink *sink, void *columns) {
    memory_measure(sink, sink->type->bytes(columns));
    sink->type->free(&sink->base.job->mem, columns);
}

/* There is no room: from now on the sink only measures. */
static lode_status memory_give_up(memory_sink *sink, lode_status status) {
    if (status != LODE_BUDGET || sink->k > 0) return status;
    pthread_mutex_lock(&sink->base.lock);
    atomic_store_explicit(&sink->over, true, memory_order_relaxed);
    memory_drop(sink, sink->kept);
    pthread_mutex_unlock(&sink->base.lock);
    return LODE_OK;
}

lode_status memory_hand_over(memory_sink *sink, void *found) {
    mem *m = &sink->base.job->mem;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    size_t n = memory_supports(found)->n;
    if (!memory_is_over(sink)) status = sink->type->join(m, sink->kept, found);
    if (status == LODE_OK && sink->k > 0) status = best_update(sink, n);
    pthread_mutex_unlock(&sink->base.lock);
    status = memory_give_up(sink, status);
    if (memory_is_over(sink)) memory_drop(sink, found);
    sink->type->free(m, found);
    return status;
}

lode_status memory_lose(memory_sink *sink, lode_status status, void *found, uint64_t bytes) {
    status = memory_give_up(sink, status);
    if (status != LODE_OK) return status;
    memory_drop(sink, found);
    memory_measure(sink, bytes);
    return LODE_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

lode_status memory_finish(lode_sink *base, bool partial) {
    memory_sink *sink = (memory_sink *)base;
    mem *m = &base->job->mem;
    sort_stop stop = sink_sort_stop(base->job);
    if (memory_is_over(sink)) return LODE_BUDGET;
    job_note_need(base->job, atomic_load(&m->used) + 2 * sink->type->bytes(sink->kept));
    if (sink->k == 0) return sink->type->sort(m, sink->kept, false, partial ? NULL : &stop);
    if (sink->heap.n == sink->k) sink->type->keep(sink->kept, sink->heap.data[0]);
    if (partial) return LODE_OK; /* after an interruption, do not wait for sorting */
    return sink->type->sort(m, sink->kept, true, &stop);
}

void memory_free(lode_sink *base) {
    memory_sink *sink = (memory_sink *)base;
    mem *m = &base->job->mem;
    sink->type->free(m, sink->kept);
    vec_u64_free(m, &sink->heap);
}

lode_status memory_empty(lode_sink *base) {
    memory_sink *sink = (memory_sink *)base;
    memory_free(base);
    sink->best = 0;
    atomic_store(&sink->over, false);
    atomic_store(&sink->lost_bytes, 0);
    return LODE_OK;
}

/* Estimates the memory that would have been enough. While the columns are handed over and sorted,
 * parts of them exist more than once; three and a half times their size is enough, including the
 * reserve of growing arrays. */
uint64_t memory_lost(const lode_sink *base) {
    const memory_sink *sink = (const memory_sink *)base;
    return memory_is_over(sink) ? atomic_load(&sink->lost_bytes) / 2 * 7 + 1 : 0;
}
