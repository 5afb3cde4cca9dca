/* item_file.c - itemsets as text, at memory speed
 *
 * A batch shares its prefix, whose text is mostly known from the batch before (prefix.h). A pattern
 * is that text with the new item in its place, and the tail:
 *
 *     prefix  "2 7 9 "   item "8 "   →   "2 7 " "8 " "9 " (minus the last blank) " (45)\n"
 *
 * Every worker fills a block of its own and hands whole blocks to the file under the lock
 * (sink/sink_text.h). The first patterns of any result are held back in logs (item_log.h). With
 * `sort`, the workers collect columns instead. At the end both are sorted and written through the
 * same code. Where a memory budget has no room for all of the columns, they go to a scratch file
 * on the way (spill.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "base/os.h"
#include "itemsink/families.h"
#include "itemsink/item_log.h"
#include "itemsink/item_memory.h"
#include "itemsink/prefix.h"
#include "itemsink/spill.h"
#include "itemsink/width.h"
#include "runtime/valid.h"
#include "sink/sink_text.h"

#define FILE_RUSH_SECONDS 0.05 /* for which writing goes on after a cancel */

typedef struct file_sink {
    text_sink base;
    lines lines;
    bool sorts;             /* what comes is collected, to be sorted: */
    columns found;          /* under the lock */
    spill spill;            /* what there is no room for */
    vec_u32 kept;           /* when not: logs of closed workers; under the lock */
    uint64_t threshold;     /* of the first job */
    bool mark;              /* begins with the mark of UTF-8 */
    bool has_header;        /* csv with columns */
    _Atomic uint32_t width; /* items of that header; 0 = none yet */
    bool rushes;            /* it was cancelled while it was finished */
    double rush_until;      /* on os_seconds() */
} file_sink;

typedef struct file_worker {
    item_worker base;
    vec_char block;
    prefix prefix;
    families families;
    bool holds;    /* the first patterns of a result */
    vec_u32 log;   /* these */
    columns found; /* when sorting */
    size_t most;   /* bytes of them, before they are spilled; 0 = not asked yet */
} file_worker;

static file_sink *file_of(const file_worker *w) {
    return (file_sink *)w->base.base.sink;
}

static mem *file_mem(const file_worker *w) {
    return &w->base.base.sink->job->mem;
}

/* ---- collecting, to sort -------------------------------------------------------------------- */

/* The folder of the result has room for it, most likely. */
static lode_status file_spill(file_worker *w) {
    file_sink *sink = file_of(w);
    return spill_write(&sink->spill, output_path(&sink->base.out), &w->found);
}

static lode_status file_collect(file_worker *w, const lode_batch *batch) {
    mem *m = file_mem(w);
    if (w->most == 0) w->most = spill_limit(w->base.base.sink->job);
    lode_status status = columns_bytes(&w->found) >= w->most ? file_spill(w) : LODE_OK;
    if (status == LODE_OK) status = columns_append(m, &w->found, batch);
    if (status != LODE_BUDGET || columns_count(&w->found) == 0) return status;
    status = file_spill(w);
    return status == LODE_OK ? columns_append(m, &w->found, batch) : status;
}

/* ---- columns of csv ------------------------------------------------------------------------- */

/* Writes the header of this many items; under the lock, or alone. */
static lode_status file_put_columns(file_sink *sink, uint32_t width) {
    mem *m = &sink->base.base.job->mem;
    vec_char title = {0};
    lode_status status = vec_char_printf(m, &title, "%s", sink->lines.format->title);
    for (uint32_t i = 1; i <= width && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",item%u", i);
    }
    if (status == LODE_OK) status = vec_char_append(m, &title, "\n", 2); /* and the closing zero */
    if (status == LODE_OK) status = text_title(&sink->base, sink->mark, title.data);
    vec_char_free(m, &title);
    sink->has_header = true;
    if (status == LODE_OK) sink->width = width;
    return status;
}

/* Sees to it that there is a header, with room for a pattern of this size. */
static lode_status file_check_width(file_sink *sink, uint32_t size) {
    lode_status status = LODE_OK;
    lode_sink *base = &sink->base.base;
    if (sink->width == 0) {
        pthread_mutex_lock(&base->lock);
        uint32_t width = 0;
        if (sink->width == 0) status = width_bound(base->job, base->data, sink->threshold, &width);
        if (width > base->max_size) width = base->max_size;
        if (width < size) width = size;
        if (sink->width == 0 && status == LODE_OK) status = file_put_columns(sink, width);
        pthread_mutex_unlock(&base->lock);
    }
    if (status != LODE_OK || size <= sink->width) return status;
    return job_fail(base->job, LODE_UNSUPPORTED,
                    "a pattern has %u items, more than the %u columns of the header: jobs of "
                    "several parts or thresholds cannot be written in columns",
                    size, (unsigned)sink->width);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static lode_status file_write(file_worker *w, const lode_batch *batch) {
    file_sink *sink = file_of(w);
    const lines *l = &sink->lines;
    const item_format *f = l->format;
    lode_status status = LODE_OK;
    uint32_t size = batch->n_prefix + 1;
    if (f->put_lead) LODE_TRY(file_check_width(sink, size));
    LODE_TRY(prefix_set(&w->prefix, l, batch));
    uint32_t more = f->put_lead ? sink->width - size : 0; /* cells that stay empty */
    size_t line_bytes =
        w->prefix.text_bytes + 2 * (size_t)l->labels.longest + more + LINES_MORE_MAX;
    for (uint32_t i = 0; i < batch->n; i++) {
        LODE_TRY(text_reserve(&sink->base, &w->block, line_bytes));
        char *to = w->block.data + w->block.n;
        for (const char *head = l->head; *head; head++) *to++ = *head;
        if (f->put_lead) to = f->put_lead(l, to, size, batch->supports[i]);
        to = prefix_put(&w->prefix, l, to, batch->items[i]) - 1; /* without the last separator */
        if (more > 0) to = (char *)memset(to, f->separator, more) + more;
        to = f->put_tail(l, to, size, batch->supports[i]);
        w->block.n = (size_t)(to - w->block.data);
    }
done:
    return status;
}

static lode_status file_room(void *user, size_t bytes, char **to) {
    file_worker *w = user;
    lode_status status = text_reserve(&file_of(w)->base, &w->block, bytes);
    *to = w->block.data + w->block.n;
    return status;
}

static void file_used(void *user, const char *end) {
    file_worker *w = user;
    w->block.n = (size_t)(end - w->block.data);
}

static lode_status file_write_family(file_worker *w, const sink_lattice *lattice) {
    families_out out = {w, file_room, file_used};
    lode_status status = families_set(&w->families, &file_of(w)->lines, lattice);
    return status == LODE_OK ? families_write(&w->families, &out) : status;
}

/* ---- holding back --------------------------------------------------------------------------- */

/* Writes what the worker has held back, in whatever order. */
static lode_status file_let_go(file_worker *w) {
    lode_status status = LODE_OK;
    log_entry e;
    w->holds = false;
    for (size_t at = 0; status == LODE_OK && log_next(&w->log, &at, &e);) {
        status = e.is_family ? file_write_family(w, &e.family) : file_write(w, &e.batch);
    }
    vec_u32_free(file_mem(w), &w->log);
    return status;
}

static lode_status item_file_emit(sink_worker *worker, const lode_batch *batch) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = file_of(w);
    if (sink->sorts) return file_collect(w, batch);
    if (w->holds) {
        bool is_held;
        lode_status status = log_add_batch(&sink->base.held, file_mem(w), &w->log, batch, &is_held);
        if (is_held || status != LODE_OK) return status;
        status = file_let_go(w);
        if (status != LODE_OK) return status;
    }
    return file_write(w, batch);
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
    if (sink->sorts || sink->lines.format->put_lead || !families_fit(lattice)) return LODE_OK;
    if (w->holds) {
        lode_status status = file_hold_family(w, lattice, done);
        if (status != LODE_OK || *done || w->holds) return status;
    }
    *done = true;
    return file_write_family(w, lattice);
}

/* ---- workers -------------------------------------------------------------------------------- */

static lode_status item_file_open(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = file_of(w);
    w->holds = !sink->sorts && !held_flows(&sink->base.held);
    pthread_mutex_lock(&worker->sink->lock);
    if (sink->threshold == 0) sink->threshold = job_threshold(worker->sink->job);
    pthread_mutex_unlock(&worker->sink->lock);
    return LODE_OK;
}

static lode_status file_join(file_worker *w) {
    file_sink *sink = file_of(w);
    if (spill_is_used(&sink->spill)) return file_spill(w);
    pthread_mutex_lock(&sink->base.base.lock);
    lode_status status = columns_join(file_mem(w), &sink->found, &w->found);
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

static lode_status file_hand_over(file_worker *w) {
    file_sink *sink = file_of(w);
    held *h = &sink->base.held;
    lode_status status = LODE_OK;
    bool is_held = false;
    if (sink->sorts) return file_join(w);
    pthread_mutex_lock(&sink->base.base.lock);
    if (w->holds && !held_flows(h)) {
        status = log_keep(&sink->kept, file_mem(w), &w->log, &is_held);
        if (!is_held) held_let_flow(h);
    }
    pthread_mutex_unlock(&sink->base.base.lock);
    if (is_held || status != LODE_OK) return status;
    if (w->holds) status = file_let_go(w);
    lode_status flushed = text_flush(&sink->base, &w->block);
    return status != LODE_OK ? status : flushed;
}

static lode_status item_file_close(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    mem *m = file_mem(w);
    lode_status status = file_hand_over(w);
    vec_char_free(m, &w->block);
    prefix_free(&w->prefix, m);
    families_free(&w->families, m);
    vec_u32_free(m, &w->log);
    columns_free(m, &w->found);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Asked while it is written: after a cancel, what can be written in a moment still is. */
static bool file_is_out_of_time(void *user) {
    file_sink *sink = user;
    if (!job_is_cancelled(sink->base.base.job)) return false;
    if (!sink->rushes) sink->rush_until = os_seconds() + FILE_RUSH_SECONDS;
    sink->rushes = true;
    return os_seconds() >= sink->rush_until;
}

static lode_status file_replay_spilled(file_sink *sink, columns *rest, bool merge) {
    lode_status status = LODE_OK;
    lode_sink *base = &sink->base.base;
    sink_worker *worker = NULL;
    LODE_TRY(spill_write(&sink->spill, NULL, rest));
    columns_free(&base->job->mem, rest);
    LODE_TRY(sink_open_worker(base, &worker));
    status = spill_replay(&sink->spill, merge, worker);
    lode_status closed = sink_close_worker(worker);
    if (status == LODE_OK) status = closed;
done:
    return status;
}

/* Writes columns through the ordinary way; they have been counted before. If a part of them is in
 * the scratch file, all go through it, in order or not. */
static lode_status file_replay(file_sink *sink, columns *c, bool merge) {
    lode_sink *base = &sink->base.base;
    held_let_flow(&sink->base.held);
    sink->sorts = false;
    base->counted = true;
    lode_status status = spill_is_used(&sink->spill) ? file_replay_spilled(sink, c, merge)
                                                     : sink_replay(c, base, &sink->spill.stop);
    base->counted = false;
    columns_free(&base->job->mem, c);
    return status;
}

/* Sorts what was collected and writes it; after an interrupt unsorted, because sorting may take
 * longer than the user wants to wait. *partial is set if the sorting is interrupted. */
static lode_status file_write_sorted(file_sink *sink, bool *partial) {
    lode_job *job = sink->base.base.job;
    mem *m = &job->mem;
    sort_stop stop = sink_sort_stop(job);
    lode_status status = LODE_OK;
    if (!*partial) {
        job_note_need(job, atomic_load(&m->used) + 2 * columns_bytes(&sink->found));
        status = columns_sort(m, &sink->found, COLUMNS_BY_SIZE, &stop);
    }
    if (status == LODE_CANCELLED) {
        *partial = true;
    } else if (status != LODE_OK) {
        return status;
    }
    return file_replay(sink, &sink->found, !*partial);
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

static lode_status file_write_held(file_sink *sink) {
    mem *m = &sink->base.base.job->mem;
    columns sorted = {0};
    if (held_flows(&sink->base.held)) return file_write_kept(sink);
    lode_status status = log_sort(&sink->kept, m, &sorted);
    if (status == LODE_OK) return file_replay(sink, &sorted, true);
    columns_free(m, &sorted);
    return held_is_short(status) ? file_write_kept(sink) : status; /* then in no order */
}

/* The program asks for what there is, all of it. */
static bool file_has_time(void *user) {
    (void)user;
    return false;
}

static lode_status item_file_finish(lode_sink *base, bool partial) {
    lode_status status = LODE_OK;
    file_sink *sink = (file_sink *)base;
    bool cut = partial;
    bool is_whole = sink->sorts || !held_flows(&sink->base.held); /* its largest one is known */
    bool needs_header = sink->lines.format->put_lead && !sink->has_header;
    if (needs_header && is_whole) LODE_TRY(file_put_columns(sink, lode_sink_largest(base)));
    sink->spill.stop = (sort_stop){partial ? file_has_time : file_is_out_of_time, sink};
    status = sink->sorts ? file_write_sorted(sink, &cut) : file_write_held(sink);
    if (status == LODE_CANCELLED) {
        cut = true;
    } else if (status != LODE_OK) {
        goto done;
    }
    status = LODE_OK;
    if (needs_header && !sink->has_header) LODE_TRY(file_put_columns(sink, 0)); /* nothing came */
    LODE_TRY(text_end(&sink->base, cut));
    if (cut && !partial) status = LODE_CANCELLED;
done:
    return status;
}

static void item_file_free(lode_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->job->mem;
    text_free(&sink->base);
    columns_free(m, &sink->found);
    vec_u32_free(m, &sink->kept);
    spill_clear(&sink->spill);
    lines_clear(&sink->lines);
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
    .free = item_file_free,
};

/* ---- making one ----------------------------------------------------------------------------- */

static lode_status file_check_options(lode_job *job, const lode_write_options *o) {
    lode_status status = valid_choice(job, "format", o->format, N_ITEM_FORMATS);
    if (status != LODE_OK) return status;
    if (o->sort && o->unsorted) {
        return job_fail(job, LODE_INVALID, "--sort and --unsorted contradict each other");
    }
    bool csv = item_formats[o->format]->columns != NULL;
    if (!csv && (o->bom || o->csv_items != LODE_CSV_CELL)) {
        return job_fail(job, LODE_INVALID, "%s is for csv only", o->bom ? "--bom" : "--csv-items");
    }
    return LODE_OK;
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
    const item_format *format = item_formats[o.format];
    if (o.csv_items == LODE_CSV_COLUMNS) format = format->columns;
    base->data = data;
    sink->mark = o.bom;
    sink->sorts = o.sort;
    spill_init(&sink->spill, job);
    LODE_TRY(lines_init(&sink->lines, &job->mem, data, format));
    LODE_TRY(text_open(&sink->base, to, o.unsorted));
    /* With columns, the title depends on what will be found. */
    if (!format->put_lead) LODE_TRY(text_title(&sink->base, o.bom, format->title));
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
