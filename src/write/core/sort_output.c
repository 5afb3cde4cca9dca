/* sort_output.c - see sort_output.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_output.h"

#include "runtime/parallel.h"

/* ---- threads that write the pieces of a text in turn ----------------------------------------- */

static void turns_init(sort_turns *t) {
    *t = (sort_turns){.ended = LODE_OK};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->moved, NULL);
}

/* Returns why writing has ended; OK = everything was written. */
static lode_status turns_free(sort_turns *t) {
    pthread_cond_destroy(&t->moved);
    pthread_mutex_destroy(&t->lock);
    return t->ended;
}

/* Waits for the turn of the piece. */
static lode_status turns_wait(sort_turns *t, size_t piece) {
    pthread_mutex_lock(&t->lock);
    while (t->turn != piece && t->ended == LODE_OK) pthread_cond_wait(&t->moved, &t->lock);
    lode_status status = t->ended;
    pthread_mutex_unlock(&t->lock);
    return status;
}

/* Passes the turn on; with an error, ends the writing. */
static void turns_pass(sort_turns *t, lode_status status) {
    pthread_mutex_lock(&t->lock);
    if (status == LODE_OK) t->turn++;
    if (t->ended == LODE_OK) t->ended = status;
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}

static mem *hand_mem(const sort_hand *h) {
    return &h->out->sink->job->mem;
}

lode_status hand_may_write(sort_hand *h) {
    const sort_stop *stop = h->out->stop;
    lode_status status = turns_wait(&h->out->turns, h->piece);
    return status == LODE_OK && stop && stop->asked(stop->user) ? LODE_CANCELLED : status;
}

static lode_status hand_write(sort_hand *h, uint32_t size, sort_span rows) {
    h->items.n = 0;
    lode_status status = vec_u32_reserve(hand_mem(h), &h->items, size);
    return status == LODE_OK ? h->out->ops->write(h, size, rows) : status;
}

static lode_status hand_close(sort_hand *h, lode_status status) {
    vec_u32_free(hand_mem(h), &h->items);
    merger_free(&h->merger);
    if (status != LODE_OK && h->worker) h->out->ops->forget(h);
    lode_status closed = sink_close_worker(h->worker);
    return status != LODE_OK ? status : closed;
}

/* ---- in order ------------------------------------------------------------------------------- */

static lode_status hand_write_piece(sort_hand *h) {
    const sort_piece *piece = &h->out->plan->pieces[h->piece];
    sort_span rows;
    lode_status status = merger_take(&h->merger, h->out->store, piece, &rows);
    if (status == LODE_OK && rows.n > 0) status = hand_write(h, piece->segments->size, rows);
    if (status == LODE_OK) status = turns_wait(&h->out->turns, h->piece);
    progress_reach(&h->out->sink->job->at, (double)(h->piece + 1) / (double)h->out->plan->n);
    turns_pass(&h->out->turns, status);
    return status;
}

static lode_status hand_run(void *arg, unsigned index) {
    sort_output *out = arg;
    sort_hand h = {.out = out};
    (void)index;
    lode_status status = out->ops->open(&h);
    while (status == LODE_OK && (h.piece = atomic_fetch_add(&out->next, 1)) < out->plan->n) {
        status = hand_write_piece(&h);
    }
    if (status != LODE_OK) turns_pass(&out->turns, status);
    return hand_close(&h, status);
}

static lode_status output_in_order(sort_output *out) {
    size_t n = out->alone ? 1 : out->plan->threads;
    if (n > out->plan->n) n = out->plan->n;
    if (n == 0) return LODE_OK;
    turns_init(&out->turns);
    lode_status status = parallel_run(out->sink->job, (unsigned)n, false, hand_run, out);
    lode_status ended = turns_free(&out->turns);
    return status != LODE_OK ? status : ended;
}

/* ---- as it is ------------------------------------------------------------------------------- */

/* Writes a segment in parts that fit into the memory of a piece. */
static lode_status hand_write_segment(sort_hand *h, const sort_segment *s) {
    lode_status status = LODE_OK;
    size_t most = store_block_rows(s->words);
    vec_u64 *read = &h->merger.read;
    h->merger.mem = hand_mem(h);
    read->n = 0;
    if (!s->rows) LODE_TRY(vec_u64_reserve(h->merger.mem, read, most * s->words));
    for (size_t first = 0; first < s->n; first += most) {
        size_t n = s->n - first < most ? s->n - first : most;
        sort_span rows = {s->rows ? s->rows + first * s->words : read->data, n};
        if (!s->rows) LODE_TRY(store_read(h->out->store, s, first, n, read->data));
        LODE_TRY(hand_write(h, s->size, rows));
    }
done:
    return status;
}

static lode_status output_as_it_is(sort_output *out) {
    const sort_store *store = out->store;
    sort_hand h = {.out = out};
    turns_init(&out->turns);
    lode_status status = out->ops->open(&h);
    for (size_t i = 0; i < store->n_segments && status == LODE_OK; i++) {
        status = hand_write_segment(&h, &store->segments[i]);
    }
    status = hand_close(&h, status);
    lode_status ended = turns_free(&out->turns);
    return status != LODE_OK ? status : ended;
}

lode_status sort_output_run(sort_output *out, bool *partial) {
    lode_status status = LODE_OK;
    sort_stop cancel = sink_sort_stop(out->sink->job);
    sort_plan plan = {.store = out->store, .near = out->near, .stop = &cancel};
    progress_begin(&out->sink->job->at, "write");
    *partial = *partial || cancel.asked(cancel.user) || !store_is_in_order(out->store);
    if (!*partial) status = plan_make(&plan);
    if (status == LODE_CANCELLED) *partial = true;
    out->plan = &plan;
    if (status == LODE_OK || status == LODE_CANCELLED) {
        progress_begin(&out->sink->job->at, "write"); /* the time that is left is that of writing */
        status = *partial ? output_as_it_is(out) : output_in_order(out);
    }
    plan_free(&plan);
    progress_finish(&out->sink->job->at);
    return status;
}
