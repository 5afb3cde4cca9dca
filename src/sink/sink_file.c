/* sink_file.c - patterns as text, at memory speed
 *
 * A batch shares its prefix, whose text is mostly known from the batch before (prefix.h). A pattern
 * is that text with the new item in its place, and the tail:
 *
 *     prefix  "2 7 9 "   item "8 "   →   "2 7 " "8 " "9 " (minus the last blank) " (45)\n"
 *
 * Every worker fills a block of its own and hands whole blocks to the file under the lock. With
 * `sort`, and for the first patterns of any result (held.h), the workers collect columns instead,
 * and finish() sorts them and writes them through the same code. Where a memory budget has no room
 * for all of them, they go to a scratch file on the way (spill.h). Whether the text goes to a file
 * or to a function is the business of runtime/output.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "runtime/output.h"
#include "runtime/valid.h"
#include "sink/families.h"
#include "sink/held.h"
#include "sink/prefix.h"
#include "sink/sink_memory.h"
#include "sink/spill.h"
#include "sink/width.h"

#define FILE_BLOCK_BYTES  ((size_t)128 << 10)
#define FILE_RUSH_SECONDS 0.05 /* that are written after a cancel, as far as that goes */

typedef struct file_sink {
    lode_sink base;
    lines lines;
    output out;
    lode_sink *sorted;      /* a memory sink, when sorting */
    spill spill;            /* what it has no room for */
    held held;              /* when not */
    uint64_t threshold;     /* of the first job */
    const char *mark;       /* before the first line, or "" */
    bool has_header;        /* csv with columns */
    _Atomic uint32_t width; /* items of that header; 0 = none yet */
    bool rushes;            /* it was cancelled while it was finished */
    double rush_until;      /* on os_seconds() */
} file_sink;

typedef struct file_worker {
    sink_worker base;
    vec_char block;
    prefix prefix;
    families families;
    bool holds;    /* the first patterns of a result */
    vec_u32 log;   /* these */
    columns found; /* when sorting */
    size_t most;   /* bytes of them, before they are spilled; 0 = not asked yet */
} file_worker;

/* Under the lock. */
static lode_status file_put_locked(file_sink *sink, const char *text, size_t n) {
    lode_status status = output_write(&sink->out, text, n);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    return status;
}

static lode_status file_put(file_sink *sink, const char *text, size_t n) {
    if (n == 0) return LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    lode_status status = file_put_locked(sink, text, n);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_flush(file_worker *w) {
    lode_status status = file_put((file_sink *)w->base.sink, w->block.data, w->block.n);
    w->block.n = 0;
    return status;
}

/* Makes room in the block for one line more. */
static lode_status file_reserve(file_worker *w, size_t line_bytes) {
    if (w->block.cap - w->block.n >= line_bytes) return LODE_OK;
    lode_status status = file_flush(w);
    size_t bytes = line_bytes > FILE_BLOCK_BYTES ? line_bytes : FILE_BLOCK_BYTES;
    return status != LODE_OK ? status : vec_char_reserve(&w->base.sink->job->mem, &w->block, bytes);
}

/* The folder of the result has room for it, most likely. */
static lode_status file_spill(file_worker *w) {
    file_sink *sink = (file_sink *)w->base.sink;
    return spill_write(&sink->spill, output_path(&sink->out), &w->found);
}

static lode_status file_collect(file_worker *w, const lode_batch *batch) {
    mem *m = &w->base.sink->job->mem;
    if (w->most == 0) w->most = spill_limit(w->base.sink->job);
    lode_status status = columns_bytes(&w->found) >= w->most ? file_spill(w) : LODE_OK;
    if (status == LODE_OK) status = columns_append(m, &w->found, batch);
    if (status != LODE_BUDGET || columns_count(&w->found) == 0) return status;
    status = file_spill(w);
    return status == LODE_OK ? columns_append(m, &w->found, batch) : status;
}

/* ---- columns of csv ------------------------------------------------------------------------- */

/* Writes the header of so many items; under the lock, or alone. */
static lode_status file_put_columns(file_sink *sink, uint32_t width) {
    mem *m = &sink->base.job->mem;
    vec_char title = {0};
    lode_status status = vec_char_printf(m, &title, "%s%s", sink->mark, sink->lines.title);
    for (uint32_t i = 1; i <= width && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",item%u", i);
    }
    if (status == LODE_OK) status = vec_char_append(m, &title, "\n", 1);
    if (status == LODE_OK) status = file_put_locked(sink, title.data, title.n);
    vec_char_free(m, &title);
    sink->has_header = true;
    if (status == LODE_OK) sink->width = width;
    return status;
}

/* Sees to it that there is a header, with room for a pattern of this size. */
static lode_status file_check_width(file_sink *sink, uint32_t size) {
    lode_status status = LODE_OK;
    lode_job *job = sink->base.job;
    if (sink->width == 0) {
        pthread_mutex_lock(&sink->base.lock);
        uint32_t width = 0;
        if (sink->width == 0) status = width_bound(job, sink->base.data, sink->threshold, &width);
        if (width > sink->base.max_size) width = sink->base.max_size;
        if (width < size) width = size;
        if (sink->width == 0 && status == LODE_OK) status = file_put_columns(sink, width);
        pthread_mutex_unlock(&sink->base.lock);
    }
    if (status != LODE_OK || size <= sink->width) return status;
    return job_fail(job, LODE_UNSUPPORTED,
                    "a pattern has %u items, more than the %u columns of the header: jobs of "
                    "several parts or thresholds cannot be written in columns",
                    size, (unsigned)sink->width);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static lode_status file_write(file_worker *w, const lode_batch *batch) {
    file_sink *sink = (file_sink *)w->base.sink;
    const lines *l = &sink->lines;
    lode_status status = LODE_OK;
    uint32_t size = batch->n_prefix + 1;
    if (l->columns) LODE_TRY(file_check_width(sink, size));
    LODE_TRY(prefix_set(&w->prefix, l, batch));
    size_t line_bytes = w->prefix.text_bytes + 2 * (size_t)l->longest + LINES_MORE_MAX;
    for (uint32_t i = 0; i < batch->n; i++) {
        LODE_TRY(file_reserve(w, line_bytes));
        char *to = w->block.data + w->block.n;
        for (const char *head = l->head; *head; head++) *to++ = *head;
        if (l->columns) to = lines_put_lead(l, to, size, batch->supports[i]);
        to = prefix_put(&w->prefix, l, to, batch->items[i]) - 1; /* without the last separator */
        to = lines_put_tail(l, to, size, batch->supports[i]);
        w->block.n = (size_t)(to - w->block.data);
    }
done:
    return status;
}

static lode_status file_room(void *user, size_t bytes, char **to) {
    file_worker *w = user;
    lode_status status = file_reserve(w, bytes);
    *to = w->block.data + w->block.n;
    return status;
}

static void file_used(void *user, const char *end) {
    file_worker *w = user;
    w->block.n = (size_t)(end - w->block.data);
}

static lode_status file_write_family(file_worker *w, const sink_lattice *lattice) {
    file_sink *sink = (file_sink *)w->base.sink;
    families_out out = {w, file_room, file_used};
    lode_status status = families_set(&w->families, &sink->lines, lattice);
    return status == LODE_OK ? families_write(&w->families, &out) : status;
}

/* Writes what the worker has held back, in whatever order. */
static lode_status file_let_go(file_worker *w) {
    lode_status status = LODE_OK;
    held_entry e;
    w->holds = false;
    for (size_t at = 0; status == LODE_OK && held_next(&w->log, &at, &e);) {
        status = e.is_family ? file_write_family(w, &e.family) : file_write(w, &e.batch);
    }
    vec_u32_free(&w->base.sink->job->mem, &w->log);
    return status;
}

static lode_status file_emit(sink_worker *worker, const lode_batch *batch) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = (file_sink *)worker->sink;
    mem *m = &sink->base.job->mem;
    if (sink->sorted) return file_collect(w, batch);
    if (w->holds) {
        bool is_held;
        lode_status status = held_add_batch(&sink->held, m, &w->log, batch, &is_held);
        if (is_held || status != LODE_OK) return status;
        status = file_let_go(w);
        if (status != LODE_OK) return status;
    }
    return file_write(w, batch);
}

/* How many patterns a family stands for; UINT64_MAX: very many. */
static uint64_t lattice_patterns(const sink_lattice *l) {
    uint64_t n = l->n_items == 0;
    for (uint32_t i = 1; i <= l->n_items; i++) n += l->sizes[i];
    return l->n_perfect < 32 ? n << l->n_perfect : UINT64_MAX;
}

/* Families that are mostly gaps are held as single patterns. */
static lode_status file_hold_family(file_worker *w, const sink_lattice *lattice, bool *done) {
    file_sink *sink = (file_sink *)w->base.sink;
    uint64_t n = lattice_patterns(lattice);
    bool gaps = n <= HELD_PATTERNS && (uint64_t)1 << lattice->n_items > 4 * n + 64;
    if (gaps && !held_flows(&sink->held)) return LODE_OK;
    lode_status status =
        held_add_family(&sink->held, &sink->base.job->mem, &w->log, lattice, n, done);
    return status == LODE_OK && !*done ? file_let_go(w) : status;
}

static lode_status file_emit_family(sink_worker *worker, const sink_lattice *lattice, bool *done) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = (file_sink *)worker->sink;
    *done = false;
    if (sink->sorted || sink->lines.columns || !families_fit(lattice)) return LODE_OK;
    if (w->holds) {
        lode_status status = file_hold_family(w, lattice, done);
        if (status != LODE_OK || *done || w->holds) return status;
    }
    *done = true;
    return file_write_family(w, lattice);
}

static lode_status file_join(file_worker *w) {
    file_sink *sink = (file_sink *)w->base.sink;
    if (spill_is_used(&sink->spill)) return file_spill(w);
    pthread_mutex_lock(&sink->base.lock);
    lode_status status =
        columns_join(&sink->base.job->mem, sink_memory_columns(sink->sorted), &w->found);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_hand_over(file_worker *w) {
    file_sink *sink = (file_sink *)w->base.sink;
    lode_status status = LODE_OK;
    bool is_held = false;
    if (sink->sorted) return file_join(w);
    pthread_mutex_lock(&sink->base.lock);
    if (w->holds && !held_flows(&sink->held)) {
        status = held_keep(&sink->held, &sink->base.job->mem, &w->log, &is_held);
        if (!is_held) held_let_flow(&sink->held);
    }
    pthread_mutex_unlock(&sink->base.lock);
    if (is_held || status != LODE_OK) return status;
    if (w->holds) status = file_let_go(w);
    lode_status flushed = file_flush(w);
    return status != LODE_OK ? status : flushed;
}

static lode_status file_close(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    mem *m = &worker->sink->job->mem;
    lode_status status = file_hand_over(w);
    vec_char_free(m, &w->block);
    prefix_free(&w->prefix, m);
    families_free(&w->families, m);
    vec_u32_free(m, &w->log);
    columns_free(m, &w->found);
    return status;
}

static lode_status file_open_worker(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = (file_sink *)worker->sink;
    w->holds = !sink->sorted && !held_flows(&sink->held);
    pthread_mutex_lock(&sink->base.lock);
    if (sink->threshold == 0) sink->threshold = job_threshold(sink->base.job);
    pthread_mutex_unlock(&sink->base.lock);
    return LODE_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Whoever cancels the writing gets what can be written in a moment. */
static bool file_is_out_of_time(void *user) {
    file_sink *sink = user;
    if (!job_is_cancelled(sink->base.job)) return false;
    if (!sink->rushes) sink->rush_until = os_seconds() + FILE_RUSH_SECONDS;
    sink->rushes = true;
    return os_seconds() >= sink->rush_until;
}

static lode_status file_replay_spilled(file_sink *sink, columns *rest, bool merge) {
    lode_status status = LODE_OK;
    sink_worker *worker = NULL;
    LODE_TRY(spill_write(&sink->spill, NULL, rest));
    columns_free(&sink->base.job->mem, rest);
    LODE_TRY(sink_open_worker(&sink->base, &worker));
    status = spill_replay(&sink->spill, merge, worker);
    lode_status closed = sink_close_worker(worker);
    if (status == LODE_OK) status = closed;
done:
    return status;
}

/* Writes columns through the ordinary way; they have been counted before. If a part of them is in
 * the scratch file, all go through it, in order or not. */
static lode_status file_replay(file_sink *sink, columns *c, bool merge) {
    held_let_flow(&sink->held);
    sink->base.counted = true;
    lode_status status = spill_is_used(&sink->spill)
                             ? file_replay_spilled(sink, c, merge)
                             : sink_replay(c, &sink->base, &sink->spill.stop);
    sink->base.counted = false;
    return status;
}

/* Sorts what was collected and writes it; after an interrupt unsorted, because sorting may take
 * longer than the user wants to wait. *partial is set if the sorting is interrupted. */
static lode_status file_write_sorted(file_sink *sink, bool *partial) {
    lode_status status = *partial ? LODE_OK : lode_sink_finish(sink->sorted, false);
    if (status == LODE_CANCELLED) {
        *partial = true;
    } else if (status != LODE_OK) {
        return status;
    }
    lode_sink *sorted = sink->sorted;
    sink->sorted = NULL;
    status = file_replay(sink, sink_memory_columns(sorted), !*partial);
    lode_sink_free(sorted);
    return status;
}

/* Writes what closed workers have left, in the order of the search. */
static lode_status file_write_kept(file_sink *sink) {
    sink_worker *worker = NULL;
    held_let_flow(&sink->held);
    lode_status status = sink_open_worker(&sink->base, &worker);
    if (status != LODE_OK) return status;
    file_worker *w = (file_worker *)worker;
    w->log = sink->held.kept;
    sink->held.kept = (vec_u32){0};
    status = file_let_go(w);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static lode_status file_write_held(file_sink *sink) {
    mem *m = &sink->base.job->mem;
    columns sorted = {0};
    if (held_flows(&sink->held)) return file_write_kept(sink);
    lode_status status = held_sort(&sink->held, m, &sorted);
    bool is_short = status == LODE_BUDGET || status == LODE_NOMEM; /* then in no order */
    if (is_short) columns_free(m, &sorted);
    if (status == LODE_OK) status = file_replay(sink, &sorted, true);
    columns_free(m, &sorted);
    return is_short ? file_write_kept(sink) : status;
}

/* The program asks for what there is, all of it. */
static bool file_has_time(void *user) {
    (void)user;
    return false;
}

static lode_status file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    file_sink *sink = (file_sink *)base;
    bool cut = partial;
    bool is_whole = sink->sorted || !held_flows(&sink->held); /* its largest pattern is known */
    bool needs_header = sink->lines.columns && !sink->has_header;
    if (needs_header && is_whole) LODE_TRY(file_put_columns(sink, lode_sink_largest(base)));
    sink->spill.stop = (sort_stop){partial ? file_has_time : file_is_out_of_time, sink};
    status = sink->sorted ? file_write_sorted(sink, &cut) : file_write_held(sink);
    if (status == LODE_CANCELLED) {
        cut = true;
    } else if (status != LODE_OK) {
        goto done;
    }
    status = LODE_OK;
    if (needs_header && !sink->has_header) LODE_TRY(file_put_columns(sink, 0)); /* nothing came */
    base->complete = true;
    LODE_TRY(output_finish(&sink->out, cut));
    if (cut && !partial) status = LODE_CANCELLED;
done:
    return status;
}

static void file_free(lode_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->job->mem;
    output_discard(&sink->out);
    lode_sink_free(sink->sorted);
    held_free(&sink->held, m);
    spill_clear(&sink->spill);
    lines_clear(&sink->lines);
    sink_clear(base);
    mem_free(m, sink, sizeof *sink);
}

static const sink_kind file_kind = {
    .worker_bytes = sizeof(file_worker),
    .open = file_open_worker,
    .emit = file_emit,
    .emit_family = file_emit_family,
    .close = file_close,
    .finish = file_finish,
    .free = file_free,
};

static lode_status file_check_options(lode_job *job, const lode_write_options *o) {
    if (o->sort && o->unsorted) {
        return job_fail(job, LODE_INVALID, "sort and unsorted contradict each other");
    }
    if (o->format != LODE_WRITE_CSV && (o->bom || o->csv_items != LODE_CSV_CELL)) {
        return job_fail(job, LODE_INVALID, "%s is for csv only", o->bom ? "bom" : "csv-items");
    }
    return LODE_OK;
}

/* The title, unless it depends on what will be found. */
static lode_status file_begin(file_sink *sink) {
    mem *m = &sink->base.job->mem;
    vec_char title = {0};
    if (sink->lines.columns) return LODE_OK;
    lode_status status = vec_char_printf(m, &title, "%s%s", sink->mark, sink->lines.title);
    if (status == LODE_OK) status = file_put(sink, title.data, title.n);
    vec_char_free(m, &title);
    return status;
}

/* To `path`, or, if that is NULL, to `write`. */
static lode_status file_create(lode_job *job, lode_sink **out, const lode_dataset *data,
                               const char *path, lode_write_fn write, void *user,
                               const lode_write_options *options) {
    lode_status status = LODE_OK;
    file_sink *sink = NULL;
    mem *m = &job->mem;
    lode_write_options o;
    LODE_TRY(valid_take(job, VALID_WRITE, options, &o));
    LODE_TRY(file_check_options(job, &o));
    LODE_TRY(mem_zalloc(m, (void **)&sink, sizeof *sink));
    sink_init(&sink->base, &file_kind, job);
    held_init(&sink->held, m);
    if (o.unsorted) held_let_flow(&sink->held);
    sink->base.data = data;
    sink->mark = o.bom ? "\xef\xbb\xbf" : "";
    spill_init(&sink->spill, job);
    LODE_TRY(lines_init(&sink->lines, m, data, &o));
    if (o.sort) LODE_TRY(lode_sink_memory(job, &sink->sorted));
    if (path) {
        LODE_TRY(output_open(&sink->out, job, path));
    } else {
        output_call(&sink->out, job, write, user);
    }
    sink->base.path = sink->out.path;
    sink->base.beside = sink->out.file.temp != NULL;
    LODE_TRY(file_begin(sink));
    *out = &sink->base;
    sink = NULL;
done:
    if (sink) file_free(&sink->base);
    return job_explain(job, output_settle(job, status), "opening the output");
}

lode_status lode_sink_file(lode_job *job, lode_sink **out, const lode_dataset *data,
                           const char *path, const lode_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(path));
    return file_create(job, out, data, path, NULL, NULL, options);
}

lode_status lode_sink_write(lode_job *job, lode_sink **out, const lode_dataset *data,
                            lode_write_fn write, void *user, const lode_write_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(write));
    return file_create(job, out, data, NULL, write, user, options);
}
