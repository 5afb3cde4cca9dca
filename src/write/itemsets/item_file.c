/* item_file.c - see item_file.h; decides about the order of the patterns in a file
 *
 * The first patterns of any result are held back in logs (item_log.h). With `sort`, the workers
 * collect rows instead, and sort them (sort_collect.h). Rows that do not fit into memory go to a
 * scratch file (write/core/sort_store.h). At the end everything is merged and written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_file.h"

#include "runtime/parallel.h"
#include "runtime/valid.h"
#include "write/core/sort_output.h"
#include "write/itemsets/item_log.h"

/* ---- holding back --------------------------------------------------------------------------- */

/* Writes what the worker has held back, in whatever order. */
static lode_status file_let_go(file_worker *w) {
    lode_status status = LODE_OK;
    const file_writer *writer = file_of(w)->writer;
    log_entry e;
    w->holds = false;
    for (size_t at = 0; status == LODE_OK && log_next(&w->log, &at, &e);) {
        status = e.is_family ? writer->write_family(w, &e.family) : writer->write(w, &e.batch);
    }
    vec_u32_free(file_mem(w), &w->log);
    return status;
}

static lode_status item_file_emit(sink_worker *worker, const lode_batch *batch) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = file_of(w);
    if (sink->sorts) return collect_batch(&w->found, batch);
    if (sink->ranks) return columns_append(file_mem(w), &w->ranked, batch);
    if (w->holds) {
        bool is_held;
        lode_status status = log_add_batch(&sink->base.held, file_mem(w), &w->log, batch, &is_held);
        if (is_held || status != LODE_OK) return status;
        status = file_let_go(w);
        if (status != LODE_OK) return status;
    }
    return sink->writer->write(w, batch);
}

/* How many patterns a family stands for; UINT64_MAX: very many. */
static uint64_t file_family_patterns(const sink_lattice *l) {
    uint64_t n = l->n_items == 0;
    for (uint32_t i = 1; i <= l->n_items; i++) n += l->sizes[i];
    return l->n_perfect < 32 ? n << l->n_perfect : UINT64_MAX;
}

/* A family that is mostly gaps is not held as one: its single patterns take less room. */
static lode_status file_hold_family(file_worker *w, const sink_lattice *lattice, bool *done) {
    held *h = &file_of(w)->base.held;
    uint64_t n = file_family_patterns(lattice);
    bool gaps = n <= HELD_PATTERNS && (uint64_t)1 << lattice->n_items > 4 * n + 64;
    if (gaps && !held_flows(h)) return LODE_OK;
    lode_status status = log_add_family(h, file_mem(w), &w->log, lattice, n, done);
    return status == LODE_OK && !*done ? file_let_go(w) : status;
}

static lode_status item_file_emit_family(sink_worker *worker, const sink_lattice *lattice,
                                         bool *done) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = file_of(w);
    *done = false;
    if (sink->sorts) {
        *done = lattice->n_perfect <= SINK_PERFECT;
        return *done ? collect_family(&w->found, lattice) : LODE_OK;
    }
    if (sink->ranks || !sink->writer->takes(sink, lattice)) return LODE_OK;
    if (w->holds) {
        lode_status status = file_hold_family(w, lattice, done);
        if (status != LODE_OK || *done || w->holds) return status;
    }
    *done = true;
    return sink->writer->write_family(w, lattice);
}

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status item_file_open(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = file_of(w);
    w->holds = !sink->sorts && !sink->ranks && !held_flows(&sink->base.held);
    pthread_mutex_lock(&worker->sink->lock);
    if (sink->threshold == 0) sink->threshold = job_threshold(worker->sink->job);
    lode_status status = LODE_OK;
    /* The folder of the result has room for a scratch file, most likely. */
    if (sink->sorts) {
        status = collect_open(&w->found, &sink->store, worker->sink, output_path(&sink->base.out));
    }
    pthread_mutex_unlock(&worker->sink->lock);
    if (status != LODE_OK) return status;
    return mem_zalloc(file_mem(w), &w->own, sink->writer->worker_bytes);
}

static lode_status file_join_ranked(file_sink *sink, columns *from) {
    pthread_mutex_lock(&sink->base.base.lock);
    lode_status status = columns_join(&sink->base.base.job->mem, &sink->ranked, from);
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

static lode_status file_hand_over(file_worker *w) {
    file_sink *sink = file_of(w);
    held *h = &sink->base.held;
    lode_status status = LODE_OK;
    bool is_held = false;
    if (sink->sorts) return piles_pass_on(&w->found.piles);
    if (sink->ranks) return file_join_ranked(sink, &w->ranked);
    pthread_mutex_lock(&sink->base.base.lock);
    if (w->holds && !held_flows(h)) {
        status = log_keep(&sink->kept, file_mem(w), &w->log, &is_held);
        if (!is_held) held_let_flow(h);
    }
    pthread_mutex_unlock(&sink->base.base.lock);
    if (is_held || status != LODE_OK) return status;
    if (w->holds) status = file_let_go(w);
    lode_status flushed = sink->writer->flush(w);
    return status != LODE_OK ? status : flushed;
}

static lode_status item_file_close(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    mem *m = file_mem(w);
    const file_writer *writer = file_of(w)->writer;
    if (!w->own) { /* it could not be opened */
        collect_close(&w->found);
        return LODE_OK;
    }
    lode_status status = file_hand_over(w);
    writer->drop(w);
    mem_free(m, w->own, writer->worker_bytes);
    vec_u32_free(m, &w->log);
    columns_free(m, &w->ranked);
    collect_close(&w->found);
    return status;
}

/* ---- a sorted result on its way to a file, in the words of a file_writer --------------------- */

static file_sink *sorted_sink(const sort_hand *h) {
    return (file_sink *)h->out->sink;
}

/* Whether the writer makes lines of sorted rows, on several threads. */
static bool file_writes_rows(const file_sink *sink) {
    return sink->writer->write_rows && !sink->base.base.measured;
}

/* Makes lines of as many rows at a time as the writer has room for. */
static lode_status sorted_text(sort_hand *h, uint32_t size, sort_span span) {
    lode_status status = LODE_OK;
    file_sink *sink = sorted_sink(h);
    file_worker *worker = (file_worker *)h->worker;
    unsigned words = keys_words(&sink->store.keys, size);
    while (span.n > 0) {
        file_rows rows = {&sink->store.keys, size, span.rows, span.n};
        LODE_TRY(sink->writer->write_rows(worker, &rows));
        LODE_TRY(hand_may_write(h));
        LODE_TRY(sink->writer->flush(worker));
        sink_note_written(&sink->base.base, rows.n);
        span = (sort_span){span.rows + rows.n * words, span.n - rows.n};
    }
done:
    return status;
}

/* Writes rows through the writer's ordinary way, alone. */
static lode_status sorted_batches(sort_hand *h, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    file_sink *sink = sorted_sink(h);
    const sort_keys *keys = &sink->store.keys;
    unsigned words = keys_words(keys, size);
    uint32_t *items = h->items.data;
    size_t n = 0;
    for (; n < rows.n; n++, rows.rows += words) {
        if (n % SINK_ASK_EVERY == 0) LODE_TRY(hand_may_write(h));
        keys_items(keys, size, rows.rows, NULL, items);
        uint64_t support = keys_support(keys, words, rows.rows);
        lode_batch one = {.prefix = items,
                          .n_prefix = size - 1,
                          .items = items + size - 1,
                          .supports = &support,
                          .n = 1};
        LODE_TRY(sink->writer->write((file_worker *)h->worker, &one));
    }
done:
    sink_note_written(&sink->base.base, n);
    return status;
}

static lode_status sorted_rows(sort_hand *h, uint32_t size, sort_span rows) {
    return file_writes_rows(sorted_sink(h)) ? sorted_text(h, size, rows)
                                            : sorted_batches(h, size, rows);
}

static lode_status sorted_open(sort_hand *h) {
    return sink_open_worker(h->out->sink, &h->worker);
}

/* What came by the ordinary way is written when the worker closes. */
static void sorted_forget(sort_hand *h) {
    const file_writer *writer = sorted_sink(h)->writer;
    if (file_writes_rows(sorted_sink(h))) writer->drop((file_worker *)h->worker);
}

static const sort_output_ops sorted_ops = {
    .open = sorted_open, .write = sorted_rows, .forget = sorted_forget};

/* Writes everything in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` is called on the way, by one thread at a
 * time: CANCELLED if it ends the writing. */
static lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial) {
    sort_output out = {.ops = &sorted_ops,
                       .sink = &sink->base.base,
                       .store = &sink->store.base,
                       .near = output_path(&sink->base.out),
                       .stop = stop,
                       .alone = !file_writes_rows(sink) || sink->base.out.write};
    lode_status status = sort_output_run(&out, partial);
    if (!*partial) sink->order = "size";
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The patterns that follow have been counted before, and are written at once. */
static void file_begin_replay(file_sink *sink) {
    held_let_flow(&sink->base.held);
    sink->sorts = sink->ranks = false;
    sink->base.base.counted = sink->base.base.written_late = true;
}

/* What a search has written that then began again is gone: nothing is said about it. */
static void file_say_unsorted(const file_sink *sink) {
    lode_job *job = sink->base.base.job;
    if (job_is_raised(job)) return;
    job_log(job, LODE_LOG_WARNING, "the partial result is not sorted");
}

static lode_status file_write_sorted(file_sink *sink, bool *partial) {
    file_begin_replay(sink);
    sort_stop stop = sink_rush(&sink->base.base, *partial);
    lode_status status = sorted_write(sink, &stop, partial);
    if (*partial) file_say_unsorted(sink);
    sink->base.base.counted = false;
    return status;
}

/* ---- the order of a measure ---- */

#define RANK_CHUNK 16384 /* patterns whose values a thread computes at a time */
#define RANK_FEW   65536 /* patterns that are sorted at once, even after a cancel */

/* The values of patterns, computed by several threads. */
typedef struct rank_values {
    const file_sink *sink;
    double *values;
    const sort_stop *stop; /* of several threads; NULL = none */
    _Atomic size_t next;   /* the next pattern to take */
} rank_values;

static lode_status rank_chunk(const rank_values *r, measure_scratch *scratch, size_t first,
                              size_t end) {
    const file_sink *sink = r->sink;
    mem *m = &sink->base.base.job->mem;
    for (size_t i = first; i < end; i++) {
        lode_batch one = columns_at(&sink->ranked, i);
        r->values[i] = (double)one.supports[0];
        if (sink->rank.n == 0) continue;
        lode_status status = item_measures_of(&sink->rank, m, scratch, &one, 0, &r->values[i]);
        if (status != LODE_OK) return status;
        if (item_measures_fall(&sink->rank)) r->values[i] = -r->values[i];
    }
    return LODE_OK;
}

static lode_status rank_run(void *arg, unsigned worker) {
    rank_values *r = arg;
    measure_scratch scratch = {0};
    lode_status status = LODE_OK;
    size_t first, n = r->sink->ranked.supports.n;
    (void)worker;
    while (status == LODE_OK && (first = atomic_fetch_add(&r->next, RANK_CHUNK)) < n) {
        size_t end = n - first < RANK_CHUNK ? n : first + RANK_CHUNK;
        if (r->stop && r->stop->asked(r->stop->user)) {
            status = LODE_CANCELLED;
        } else {
            status = rank_chunk(r, &scratch, first, end);
        }
    }
    measure_scratch_free(&scratch, &r->sink->base.base.job->mem);
    return status;
}

/* Sorts the patterns by the measure. If that is CANCELLED, they are as they were. */
static lode_status file_rank(file_sink *sink, const sort_stop *stop) {
    lode_status status = LODE_OK;
    lode_job *job = sink->base.base.job;
    size_t n = sink->ranked.supports.n, chunks = n / RANK_CHUNK + 1;
    rank_values r = {.sink = sink, .stop = stop};
    unsigned threads = chunks < job->threads ? (unsigned)chunks : job->threads;
    LODE_TRY(mem_resize(&job->mem, (void **)&r.values, 0, (n + 1) * sizeof *r.values));
    LODE_TRY(parallel_run(job, threads, false, rank_run, &r));
    status = columns_rank(&job->mem, &sink->ranked, r.values, stop);
done:
    if (r.values) mem_free(&job->mem, r.values, (n + 1) * sizeof *r.values);
    return status;
}

/* What is called while ranked patterns are written: it reports the progress, too. */
typedef struct rank_stop {
    sort_stop stop;
    file_sink *sink;
    uint64_t written;
} rank_stop;

static bool rank_asked(void *user) {
    rank_stop *s = user;
    double n = (double)columns_count(&s->sink->ranked);
    progress_reach(&s->sink->base.base.job->at, (double)s->written / n);
    s->written += SINK_ASK_EVERY;
    return s->stop.asked(s->stop.user);
}

/* Writes the patterns in the order of the measure. After a cancel (then *partial, which is set if
 * it comes while they are sorted), writes as many as possible within a moment, and sorts them only
 * if there are few. */
static lode_status file_write_ranked(file_sink *sink, bool *partial) {
    lode_status status = LODE_OK;
    lode_job *job = sink->base.base.job;
    bool few = columns_count(&sink->ranked) <= RANK_FEW, sorted = false;
    sort_stop cancel = sink_sort_stop(job);
    rank_stop writing = {.sink = sink};
    file_begin_replay(sink);
    progress_begin(&job->at, "write");
    if (!*partial || few) {
        status = file_rank(sink, few ? NULL : &cancel);
        sorted = status == LODE_OK;
        if (status == LODE_CANCELLED) *partial = true;
        if (status != LODE_CANCELLED) LODE_TRY(status);
    }
    if (sorted) sink->order = sink->rank.n > 0 ? "given" : "support";
    if (!sorted) file_say_unsorted(sink);
    progress_begin(&job->at, "write"); /* the time that is left is that of writing */
    writing.stop = sink_rush(&sink->base.base, *partial);
    status = sink_replay(&sink->ranked, &sink->base.base, &(sort_stop){rank_asked, &writing});
    progress_finish(&job->at);
done:
    sink->base.base.counted = false;
    return status;
}

/* Writes what closed workers have left, in the order of the search. */
static lode_status file_write_kept(file_sink *sink) {
    sink_worker *worker = NULL;
    held_let_flow(&sink->base.held);
    lode_status status = sink_open_worker(&sink->base.base, &worker);
    if (status != LODE_OK) return status;
    file_worker *w = (file_worker *)worker;
    w->log = sink->kept;
    sink->kept = (vec_u32){0};
    status = file_let_go(w);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* There are few of them: of a partial result, all are written. */
static lode_status file_write_held(file_sink *sink, bool partial) {
    mem *m = &sink->base.base.job->mem;
    columns sorted = {0};
    if (held_flows(&sink->base.held)) return file_write_kept(sink);
    lode_status status = log_sort(&sink->kept, m, &sorted);
    if (status == LODE_OK) {
        sink->order = "support";
        file_begin_replay(sink);
        sort_stop stop = sink_rush(&sink->base.base, false);
        status = sink_replay(&sorted, &sink->base.base, partial ? NULL : &stop);
        sink->base.base.counted = false;
        columns_free(m, &sorted);
        return status;
    }
    columns_free(m, &sorted);
    return held_is_short(status) ? file_write_kept(sink) : status; /* then in no order */
}

static lode_status item_file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    file_sink *sink = (file_sink *)base;
    bool cut = partial;
    /* then its largest pattern is known */
    bool is_whole = sink->sorts || sink->ranks || !held_flows(&sink->base.held);
    if (is_whole && sink->writer->foresee) LODE_TRY(sink->writer->foresee(sink));
    status = sink->sorts   ? file_write_sorted(sink, &cut)
             : sink->ranks ? file_write_ranked(sink, &cut)
                           : file_write_held(sink, partial);
    if (status == LODE_CANCELLED) {
        cut = true;
    } else if (status != LODE_OK) {
        goto done;
    }
    status = LODE_OK;
    LODE_TRY(sink->writer->end(sink, cut));
    LODE_TRY(text_end(&sink->base, cut));
    if (cut && !partial) status = LODE_CANCELLED;
done:
    return status;
}

/* Only sorted results have work for several threads. */
static bool item_file_finishes_alone(const lode_sink *base) {
    const file_sink *sink = (const file_sink *)base;
    return !sink->sorts && !sink->ranks;
}

static void item_file_free(lode_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->job->mem;
    text_free(&sink->base);
    vec_u32_free(m, &sink->kept);
    keyed_store_clear(&sink->store);
    columns_free(m, &sink->ranked);
    item_measures_free(&sink->rank, m);
    if (sink->own) {
        sink->writer->free(sink);
        mem_free(m, sink->own, sink->writer->sink_bytes);
    }
    contrast_close(base->contrast);
}

static lode_status item_file_empty(lode_sink *base) {
    file_sink *sink = (file_sink *)base;
    vec_u32_free(&base->job->mem, &sink->kept);
    keyed_store_clear(&sink->store);
    sink->store = (keyed_store){0};
    store_init(&sink->store.base, base->job);
    columns_free(&base->job->mem, &sink->ranked);
    sink->threshold = 0;
    sink->writer->empty(sink);
    return text_empty(&sink->base);
}

static const item_ops file_items = {
    .worker_bytes = sizeof(file_worker),
    .open = item_file_open,
    .emit = item_file_emit,
    .emit_family = item_file_emit_family,
    .close = item_file_close,
};

static const sink_kind item_file_kind = {
    .bytes = sizeof(file_sink),
    .itemsets = &file_items,
    .finish = item_file_finish,
    .finishes_alone = item_file_finishes_alone,
    .free = item_file_free,
    .empty = item_file_empty,
    .can_empty = text_can_empty,
};

/* ---- making one ----------------------------------------------------------------------------- */

static lode_status file_check_options(lode_job *job, const lode_write_options *o) {
    lode_status status = valid_choice(job, "format", o->format, N_ITEM_FORMATS);
    if (status != LODE_OK) return status;
    if (o->sort && o->unsorted) {
        return job_fail(job, LODE_INVALID, "--sort cannot be combined with --unsorted");
    }
    if (o->sort_by && (o->sort || o->unsorted)) {
        return job_fail(job, LODE_INVALID, "--sort-by cannot be combined with --%s",
                        o->sort ? "sort" : "unsorted");
    }
    bool csv = item_formats[o->format]->columns != NULL;
    if (!csv && (o->bom || o->csv_safe || o->csv_separator || o->csv_items != LODE_CSV_CELL)) {
        return job_fail(job, LODE_INVALID, "%s is for csv only",
                        o->bom             ? "--bom"
                        : o->csv_safe      ? "--csv-safe"
                        : o->csv_separator ? "--csv-separator"
                                           : "--csv-items");
    }
    if (!csv_can_separate(o->csv_separator)) {
        return job_fail(job, LODE_INVALID, CSV_SEPARATOR_WORDS);
    }
    return LODE_OK;
}

/* Decides what orders the patterns, and whether the writer has measures to write. */
static lode_status file_choose_rank(file_sink *sink, const lode_dataset *data,
                                    const lode_write_options *o) {
    lode_status status = LODE_OK;
    lode_sink *base = &sink->base.base;
    const lode_write_options only = {.sort_by = o->sort_by};
    lode_class_options classes = valid_classes(o->classes);
    if (classes.classes) LODE_TRY(contrast_open(&base->contrast, base->job, data, &classes));
    LODE_TRY(item_measures_choose(&sink->rank, base->job, data, base->contrast, &only));
    sink->ranks = o->sort_by != NULL;
    base->measured = o->measures || sink->rank.n > 0 || base->contrast;
done:
    return status;
}

static lode_status item_file_create(lode_job *job, lode_sink **out, const lode_dataset *data,
                                    const text_target *to, const lode_write_options *options) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    lode_write_options o;
    LODE_TRY(valid_take(job, VALID_WRITE, options, &o));
    LODE_TRY(file_check_options(job, &o));
    LODE_TRY(sink_create(job, &item_file_kind, &base));
    file_sink *sink = (file_sink *)base;
    const file_writer *writer = item_formats[o.format]->writer;
    sink->writer = writer ? writer : &file_writer_text;
    base->data = data;
    sink->sorts = o.sort;
    store_init(&sink->store.base, job);
    LODE_TRY(file_choose_rank(sink, data, &o));
    LODE_TRY(mem_zalloc(&job->mem, &sink->own, sink->writer->sink_bytes));
    LODE_TRY(sink->writer->open(sink, data, &o));
    LODE_TRY(text_open(&sink->base, to, o.unsorted));
    sink->base.for_spreadsheets = csv_is_for_people(o.bom, o.csv_safe, o.csv_separator);
    LODE_TRY(sink->writer->begin(sink));
    atomic_store(&base->bytes, sink->base.out.bytes);
    sink->base.head = sink->base.out.bytes;
    *out = base;
    base = NULL;
done:
    lode_sink_free(base);
    return text_opened(job, status);
}

lode_status lode_sink_file(lode_job *job, lode_sink **out, const lode_dataset *data,
                           const char *path, const lode_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    return item_file_create(job, out, data, &(text_target){.path = path}, options);
}

lode_status lode_sink_write(lode_job *job, lode_sink **out, const lode_dataset *data,
                            lode_write_fn write, void *user, const lode_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(write));
    return item_file_create(job, out, data, &(text_target){.write = write, .user = user}, options);
}
