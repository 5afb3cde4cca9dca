/* sink_text.c - see sink_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink_text.h"

static void text_hold(text_sink *sink) {
    held_init(&sink->held, &sink->base.job->mem);
    if (sink->unsorted) held_let_flow(&sink->held);
}

lode_status text_open(text_sink *sink, const text_target *to, bool unsorted) {
    lode_sink *base = &sink->base;
    sink->unsorted = unsorted;
    text_hold(sink);
    if (to->path) {
        lode_status status = output_open(&sink->out, base->job, to->path);
        if (status != LODE_OK) return status;
    } else {
        output_call(&sink->out, base->job, to->write, to->user);
    }
    base->path = sink->out.path;
    base->temporary = sink->out.file.temp != NULL;
    return LODE_OK;
}

lode_status text_title(text_sink *sink, bool mark, const char *title) {
    mem *m = &sink->base.job->mem;
    vec_char text = {0};
    lode_status status = vec_char_printf(m, &text, "%s%s", mark ? "\xef\xbb\xbf" : "", title);
    if (status == LODE_OK) status = text_put_locked(sink, text.data, text.n);
    vec_char_free(m, &text);
    return status;
}

bool text_can_empty(const lode_sink *base) {
    return output_can_cut(&((const text_sink *)base)->out);
}

lode_status text_empty(text_sink *sink) {
    lode_status status = output_cut(&sink->out, sink->head);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    text_hold(sink);
    return status;
}

lode_status text_opened(lode_job *job, lode_status status) {
    return job_explain(job, output_settle(job, status), "opening the output");
}

lode_status text_put_locked(text_sink *sink, const char *text, size_t n) {
    lode_status status = output_write(&sink->out, text, n);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    return status;
}

lode_status text_put(text_sink *sink, const char *text, size_t n) {
    if (n == 0) return LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    lode_status status = text_put_locked(sink, text, n);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

lode_status text_flush(text_sink *sink, vec_char *block) {
    lode_status status = text_put(sink, block->data, block->n);
    block->n = 0;
    return status;
}

/* Writes a block, unless another thread writes and there is memory for more. */
static lode_status text_flush_or_grow(text_sink *sink, vec_char *block) {
    lode_status status = LODE_OK;
    const lode_job *job = sink->base.job;
    bool may_grow =
        block->n < TEXT_BLOCK_MOST && mem_is_ample(&job->mem, job->threads * TEXT_BLOCK_MOST);
    if (!may_grow) return text_flush(sink, block);
    if (pthread_mutex_trylock(&sink->base.lock) != 0) return LODE_OK;
    if (block->n > 0) status = text_put_locked(sink, block->data, block->n);
    pthread_mutex_unlock(&sink->base.lock);
    block->n = 0;
    return status;
}

lode_status text_make_room(text_sink *sink, vec_char *block, size_t bytes) {
    lode_status status = text_flush_or_grow(sink, block);
    if (bytes < TEXT_BLOCK_BYTES) bytes = TEXT_BLOCK_BYTES;
    return status == LODE_OK ? vec_char_reserve(&sink->base.job->mem, block, bytes) : status;
}

lode_status text_end(text_sink *sink, bool partial) {
    sink->base.complete = true;
    lode_status status = output_finish(&sink->out, partial);
    if (status == LODE_OK && partial && sink->base.temporary)
        sink->base.path = sink->out.file.final;
    if (sink->for_spreadsheets) csv_warn_rows(sink->base.job, atomic_load(&sink->base.patterns));
    return status;
}

void text_free(text_sink *sink) {
    output_discard(&sink->out);
}

/* ---- whether the first patterns of a text are held back, so that a short result is sorted ---- */

void held_init(held *h, const mem *m) {
    *h = (held){.most_bytes = HELD_BYTES};
    uint64_t share = mem_budget(m) / HELD_BUDGET_SHARE;
    if (share < h->most_bytes) h->most_bytes = share;
}

bool held_take(held *h, uint64_t patterns, uint64_t bytes) {
    if (held_flows(h)) return false;
    if (patterns <= HELD_PATTERNS && bytes <= HELD_BYTES) { /* so no sum overflows */
        uint64_t n = atomic_fetch_add_explicit(&h->patterns, patterns, memory_order_relaxed);
        uint64_t before = atomic_fetch_add_explicit(&h->bytes, bytes, memory_order_relaxed);
        if (n + patterns <= HELD_PATTERNS && before + bytes <= h->most_bytes) return true;
    }
    held_let_flow(h);
    return false;
}
