/* item_arrow.c - itemsets as an Arrow file, as .xlsx or as Parquet: items, size, count, support,
 * measures
 *
 * Each worker fills columns of its own, and hands over whole batches of them under the lock. Items
 * are written to their column like text to a block (families.h): the text of an item is its code,
 * four bytes. All batches have the same number of rows, so that a row is found by a division. The
 * last batch is shorter; it has the remaining rows of all workers. Patterns with very many items
 * also lead to shorter batches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/item_order.h"
#include "results/arrow/arrow.h"
#include "write/core/digits.h"
#include "write/core/sink_arrow.h"
#include "write/itemsets/families.h"
#include "write/itemsets/item_file.h"

#define ROWS_MOST         65536
#define ROWS_LEAST        256
#define ROWS_SHARE        32 /* the workers' columns take 1/32 of the memory that is left */
#define ROW_BYTES         (4 + 4 + 8 + 8) /* of a row without its items: offset, size, count, … */
#define ITEM_COUNT_BYTES  21              /* the longest count, and a blank */
#define ROW_ITEM_BYTES    256             /* of items, on average, that make a batch shorter */
#define N_ITEM_COLUMNS    4
#define ITEM_COLUMNS_MOST (N_ITEM_COLUMNS + ITEM_MEASURES_MOST)

/* Rows in the making. */
typedef struct item_rows {
    vec_char items;
    void *memory; /* of the other columns */
    size_t bytes;
    int32_t *offsets; /* made when they are written, as the supports */
    uint32_t *sizes;
    uint64_t *counts;
    double *supports;
    double *values[ITEM_MEASURES_MOST]; /* of the measures */
    uint32_t n;
} item_rows;

typedef struct arrow_own {
    codes codes;
    lines lines; /* the codes, as text */
    arrow_writer *file;
    uint32_t n_rows; /* of a batch */
    size_t most;     /* bytes of its items */
    item_rows rest;  /* what closed workers have left; under the lock */
    uint64_t total;
    arrow_form form;
    item_measures measures;
    vec_char item_counts; /* the supports of all items, as text: a key of the file */
} arrow_own;

typedef struct arrow_worker {
    item_rows rows;
    prefix prefix;
    families families;
    measure_scratch measured;
} arrow_worker;

/* ---- rows ----------------------------------------------------------------------------------- */

static void arrow_rows_clear(item_rows *r, mem *m) {
    vec_char_free(m, &r->items);
    mem_free(m, r->memory, r->bytes);
    *r = (item_rows){0};
}

/* Makes room for the rows of a batch, and those of a family that overshoots it. */
static lode_status rows_allocate(item_rows *r, mem *m, const arrow_own *own) {
    size_t n = (size_t)own->n_rows + FAMILY_RIGHTS;
    size_t bytes = n * (ROW_BYTES + own->measures.n * sizeof **r->values) + sizeof *r->offsets;
    lode_status status = mem_resize(m, &r->memory, 0, bytes);
    if (status != LODE_OK) return status;
    r->bytes = bytes;
    r->counts = r->memory;
    r->supports = (double *)(void *)(r->counts + n);
    double *end = r->supports + n;
    for (uint32_t k = 0; k < own->measures.n; k++, end += n) r->values[k] = end;
    r->sizes = (uint32_t *)(void *)end;
    r->offsets = (int32_t *)(void *)(r->sizes + n);
    return LODE_OK;
}

static inline void arrow_rows_add(item_rows *r, uint32_t size, uint64_t count) {
    r->sizes[r->n] = size;
    r->counts[r->n++] = count;
}

/* Drops the first n rows, which were written. */
static void arrow_rows_forget(item_rows *r, uint32_t n, size_t item_bytes) {
    uint32_t left = r->n - n;
    memmove(r->items.data, r->items.data + item_bytes, r->items.n - item_bytes);
    memmove(r->sizes, r->sizes + n, left * sizeof *r->sizes);
    memmove(r->counts, r->counts + n, left * sizeof *r->counts);
    for (unsigned k = 0; k < ITEM_MEASURES_MOST && r->values[k]; k++) {
        memmove(r->values[k], r->values[k] + n, left * sizeof *r->values[k]);
    }
    r->items.n -= item_bytes;
    r->n = left;
}

/* Writes the first n rows as a batch, and drops them; under the lock, or alone. */
static lode_status rows_write(file_sink *sink, item_rows *r, uint32_t n) {
    arrow_own *own = sink->own;
    arrow_cells cells[ITEM_COLUMNS_MOST] = {{.offsets = r->offsets, .values = r->items.data},
                                            {.values = r->sizes},
                                            {.values = r->counts},
                                            {.values = r->supports}};
    for (uint32_t k = 0; k < own->measures.n; k++) cells[N_ITEM_COLUMNS + k].values = r->values[k];
    lode_status status = arrow_write_batch(own->file, n, cells);
    atomic_store(&sink->base.base.bytes, sink->base.out.bytes);
    if (status == LODE_OK) arrow_rows_forget(r, n, (size_t)r->offsets[n] * sizeof(uint32_t));
    return status;
}

/* Fills in the columns that follow from others, for the first n rows. */
static lode_status rows_complete(const file_sink *sink, item_rows *r, uint32_t n) {
    double total = (double)((const arrow_own *)sink->own)->total;
    if (r->items.n / sizeof(uint32_t) > INT32_MAX) {
        return job_fail(sink->base.base.job, LODE_UNSUPPORTED,
                        "a pattern has too many items for an Arrow file");
    }
    r->offsets[0] = 0;
    for (uint32_t i = 0; i < n; i++) r->offsets[i + 1] = r->offsets[i] + (int32_t)r->sizes[i];
    for (uint32_t i = 0; i < n; i++) r->supports[i] = (double)r->counts[i] / total;
    return LODE_OK;
}

/* A worker hands over a batch. */
static lode_status rows_hand_over(file_sink *sink, item_rows *r) {
    const arrow_own *own = sink->own;
    uint32_t n = r->n < own->n_rows ? r->n : own->n_rows;
    lode_status status = rows_complete(sink, r, n);
    if (status != LODE_OK) return status;
    pthread_mutex_lock(&sink->base.base.lock);
    status = rows_write(sink, r, n);
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

/* Makes room for some more rows, with this many bytes of items. */
static inline lode_status arrow_reserve(file_worker *w, size_t bytes) {
    lode_status status = LODE_OK;
    const arrow_own *own = file_of(w)->own;
    item_rows *r = &((arrow_worker *)w->own)->rows;
    if (r->n < own->n_rows && r->items.cap - r->items.n >= bytes) return LODE_OK;
    if (!r->memory) LODE_TRY(rows_allocate(r, file_mem(w), own));
    if (r->n >= own->n_rows || (r->n > 0 && r->items.n >= own->most)) {
        LODE_TRY(rows_hand_over(file_of(w), r));
    }
    LODE_TRY(vec_char_reserve(file_mem(w), &r->items, bytes));
done:
    return status;
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* Computes the measures of the pattern that becomes the next row. */
static lode_status arrow_measure(file_worker *w, const lode_batch *batch, uint32_t i) {
    arrow_worker *own = w->own;
    const item_measures *measures = &((const arrow_own *)file_of(w)->own)->measures;
    double values[ITEM_MEASURES_MOST];
    if (measures->n == 0) return LODE_OK;
    lode_status status = item_measures_of(measures, file_mem(w), &own->measured, batch, i, values);
    for (uint32_t k = 0; k < measures->n && status == LODE_OK; k++) {
        own->rows.values[k][own->rows.n] = values[k];
    }
    return status;
}

static lode_status arrow_write_items(file_worker *w, const lode_batch *batch) {
    lode_status status = LODE_OK;
    arrow_worker *own = w->own;
    item_rows *r = &own->rows;
    const lines *l = &((const arrow_own *)file_of(w)->own)->lines;
    LODE_TRY(prefix_set(&own->prefix, l, batch));
    size_t bytes = own->prefix.text_bytes + 2 * sizeof(uint32_t) + LINES_MORE_MAX;
    for (uint32_t i = 0; i < batch->n; i++) {
        LODE_TRY(arrow_reserve(w, bytes));
        LODE_TRY(arrow_measure(w, batch, i));
        char *end = prefix_put(&own->prefix, l, r->items.data + r->items.n, batch->items[i]);
        r->items.n = (size_t)(end - r->items.data);
        arrow_rows_add(r, batch->n_prefix + 1, batch->supports[i]);
    }
done:
    return status;
}

static lode_status arrow_room(void *user, size_t bytes, char **to) {
    file_worker *w = user;
    const item_rows *r = &((arrow_worker *)w->own)->rows;
    lode_status status = arrow_reserve(w, bytes);
    *to = r->items.data + r->items.n;
    return status;
}

static void arrow_used(void *user, const char *end) {
    item_rows *r = &((arrow_worker *)((file_worker *)user)->own)->rows;
    r->items.n = (size_t)(end - r->items.data);
}

static void arrow_add_rows(void *user, const uint32_t *sizes, const uint32_t *supports,
                           uint32_t n) {
    item_rows *r = &((arrow_worker *)((file_worker *)user)->own)->rows;
    for (uint32_t i = 0; i < n; i++) arrow_rows_add(r, sizes[i], supports[i]);
}

static bool arrow_takes_family(const file_sink *sink, const sink_lattice *lattice) {
    return !sink->base.base.measured && families_fit(lattice);
}

static lode_status arrow_write_family(file_worker *w, const sink_lattice *lattice) {
    families_out out = {w, arrow_room, arrow_used, arrow_add_rows};
    arrow_worker *own = w->own;
    const arrow_own *of_sink = file_of(w)->own;
    lode_status status = families_set(&own->families, &of_sink->lines, lattice);
    return status == LODE_OK ? families_write(&own->families, &out) : status;
}

/* ---- what workers leave --------------------------------------------------------------------- */

/* Appends as many rows as make a batch; under the lock. */
static lode_status rest_append(file_sink *sink, item_rows *from) {
    arrow_own *own = sink->own;
    item_rows *rest = &own->rest;
    size_t item_bytes = 0;
    uint32_t n = own->n_rows - rest->n < from->n ? own->n_rows - rest->n : from->n;
    for (uint32_t i = 0; i < n; i++) item_bytes += from->sizes[i] * sizeof(uint32_t);
    lode_status status =
        vec_char_append(&sink->base.base.job->mem, &rest->items, from->items.data, item_bytes);
    if (status != LODE_OK) return status;
    for (uint32_t k = 0; k < own->measures.n; k++) {
        memcpy(rest->values[k] + rest->n, from->values[k], n * sizeof *rest->values[k]);
    }
    for (uint32_t i = 0; i < n; i++) arrow_rows_add(rest, from->sizes[i], from->counts[i]);
    arrow_rows_forget(from, n, item_bytes);
    return LODE_OK;
}

static lode_status rest_write(file_sink *sink) {
    item_rows *rest = &((arrow_own *)sink->own)->rest;
    if (rest->n == 0) return LODE_OK;
    lode_status status = rows_complete(sink, rest, rest->n);
    return status == LODE_OK ? rows_write(sink, rest, rest->n) : status;
}

/* Takes the rows over that a worker has left; under the lock. */
static lode_status rest_take(file_sink *sink, item_rows *from) {
    lode_status status = LODE_OK;
    arrow_own *own = sink->own;
    item_rows *rest = &own->rest;
    if (rest->n == 0 && from->n <= own->n_rows) { /* nothing to copy */
        item_rows empty = *rest;
        *rest = *from;
        *from = empty;
    }
    if (from->n > 0 && !rest->memory) {
        LODE_TRY(rows_allocate(rest, &sink->base.base.job->mem, own));
    }
    while (from->n > 0) {
        bool full = rest->n >= own->n_rows || rest->items.n >= own->most;
        if (full) LODE_TRY(rest_write(sink));
        LODE_TRY(rest_append(sink, from));
    }
done:
    return status;
}

static lode_status arrow_flush_worker(file_worker *w) {
    lode_sink *base = &file_of(w)->base.base;
    item_rows *r = &((arrow_worker *)w->own)->rows;
    if (r->n == 0) return LODE_OK;
    pthread_mutex_lock(&base->lock);
    lode_status status = rest_take(file_of(w), r);
    pthread_mutex_unlock(&base->lock);
    return status;
}

static void arrow_drop_worker(file_worker *w) {
    mem *m = file_mem(w);
    arrow_worker *own = w->own;
    arrow_rows_clear(&own->rows, m);
    prefix_free(&own->prefix, m);
    families_free(&own->families, m);
    measure_scratch_free(&own->measured, m);
}

/* ---- the beginning -------------------------------------------------------------------------- */

/* Rows of a batch: fewer where memory is short. */
static uint32_t arrow_choose_rows(const lode_job *job) {
    size_t left = mem_left(&job->mem);
    size_t rows = left / ROWS_SHARE / job->wish / (ROW_BYTES + ROW_ITEM_BYTES / 4);
    if (left == SIZE_MAX || rows > ROWS_MOST) return ROWS_MOST;
    return rows < ROWS_LEAST ? ROWS_LEAST : (uint32_t)rows;
}

/* Writes the supports of all items in the order of their codes, with blanks between them. */
static lode_status arrow_put_counts(arrow_own *own, mem *m, const lode_dataset *data) {
    lode_status status = LODE_OK;
    vec_u64 counts = {0};
    const codes *c = &own->codes;
    LODE_TRY(vec_u64_reserve(m, &counts, c->n));
    for (uint32_t id = 0; id < data->item_bound; id++) {
        uint32_t code = c->of ? c->of[id] : id;
        if (code < c->n) counts.data[code] = data->item_supports[id];
    }
    LODE_TRY(vec_char_reserve(m, &own->item_counts, (size_t)c->n * ITEM_COUNT_BYTES + 1));
    char *end = own->item_counts.data;
    for (uint32_t code = 0; code < c->n; code++) {
        if (code > 0) *end++ = ' ';
        end = digits_put(end, counts.data[code]);
    }
    *end++ = 0;
    own->item_counts.n = (size_t)(end - own->item_counts.data);
done:
    vec_u64_free(m, &counts);
    return status;
}

static lode_status arrow_open_codes(file_sink *sink, const lode_dataset *data,
                                    const lode_write_options *o) {
    lode_status status = LODE_OK;
    arrow_own *own = sink->own;
    lode_job *job = sink->base.base.job;
    own->n_rows = arrow_choose_rows(job);
    own->most = (size_t)own->n_rows * ROW_ITEM_BYTES;
    own->total = data->total_weight;
    LODE_TRY(codes_of_items(&own->codes, &job->mem, data));
    LODE_TRY(lines_init_codes(&own->lines, &job->mem, data->item_bound, own->codes.of));
    own->lines.format = item_formats[o->format];
    own->form = o->format == LODE_WRITE_XLSX      ? ARROW_SHEET
                : o->format == LODE_WRITE_PARQUET ? ARROW_PARQUET
                                                  : ARROW_PLAIN;
    if (own->form == ARROW_PLAIN) LODE_TRY(arrow_put_counts(own, &job->mem, data));
    LODE_TRY(item_measures_choose(&own->measures, job, data, sink->base.base.contrast, o));
done:
    return status;
}

static lode_status arrow_begin(file_sink *sink) {
    arrow_column layout[ITEM_COLUMNS_MOST] = {
        {"items", ARROW_NAMES, 0},
        {"size", ARROW_U32, 0},
        {"count", ARROW_U64, 0},
        {"support", ARROW_F64, 0},
    };
    arrow_own *own = sink->own;
    uint32_t n = N_ITEM_COLUMNS;
    for (uint32_t k = 0; k < own->measures.n; k++) {
        layout[n++] = (arrow_column){own->measures.list[k].name, ARROW_F64, 0};
    }
    sink_keys keys;
    sink_keys_first(&keys, "itemsets");
    arrow_dictionary names = {own->codes.n, own->codes.offsets.data, own->codes.text.data};
    arrow_table table = {layout, n, &names, 1, keys.keys, SINK_KEYS_FIRST, own->form};
    lode_status status =
        arrow_write_begin(sink->base.base.job, &sink->base.out, &table, &own->file);
    codes_free(&own->codes); /* the names are written */
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

static lode_status arrow_write_last(file_sink *sink, bool partial) {
    lode_status status = LODE_OK;
    arrow_own *own = sink->own;
    const lode_sink *base = &sink->base.base;
    sink_keys keys;
    arrow_key all[SINK_KEYS_LAST + 1];
    sink_keys_last(&keys, base, own->total, partial, sink->order);
    memcpy(all, keys.keys, sizeof keys.keys);
    all[SINK_KEYS_LAST] = (arrow_key){ARROW_KEY_ITEM_COUNTS, own->item_counts.data};
    /* not if the data set was one part of a larger one */
    bool counted =
        own->item_counts.n > 0 && (base->origin.n_jobs == 0 || base->origin.total == own->total);
    LODE_TRY(rest_write(sink));
    LODE_TRY(arrow_write_end(own->file, all, SINK_KEYS_LAST + counted));
    atomic_store(&sink->base.base.bytes, sink->base.out.bytes);
done:
    return status;
}

static void arrow_free_sink(file_sink *sink) {
    arrow_own *own = sink->own;
    arrow_write_free(own->file);
    arrow_rows_clear(&own->rest, &sink->base.base.job->mem);
    codes_free(&own->codes);
    lines_clear(&own->lines);
    item_measures_free(&own->measures, &sink->base.base.job->mem);
    vec_char_free(&sink->base.base.job->mem, &own->item_counts);
}

static void arrow_forget_rows(file_sink *sink) {
    arrow_own *own = sink->own;
    arrow_write_restart(own->file);
    arrow_rows_clear(&own->rest, &sink->base.base.job->mem);
}

static const file_writer file_writer_arrow = {
    .sink_bytes = sizeof(arrow_own),
    .worker_bytes = sizeof(arrow_worker),
    .open = arrow_open_codes,
    .begin = arrow_begin,
    .write = arrow_write_items,
    .takes = arrow_takes_family,
    .write_family = arrow_write_family,
    .flush = arrow_flush_worker,
    .drop = arrow_drop_worker,
    .end = arrow_write_last,
    .empty = arrow_forget_rows,
    .free = arrow_free_sink,
};

const item_format item_format_arrow = {.writer = &file_writer_arrow, .title = "", .head = ""};
const item_format item_format_xlsx = {.writer = &file_writer_arrow, .title = "", .head = ""};
const item_format item_format_parquet = {.writer = &file_writer_arrow, .title = "", .head = ""};
