/* item_text.c - itemsets as lines of text, at memory speed
 *
 * A batch shares its prefix, whose text is mostly known from the batch before (prefix.h). A pattern
 * is that text with the new item in its place, and the tail:
 *
 *     prefix  "2 7 9 "   item "8 "   →   "2 7 " "8 " "9 " (minus the last blank) " (45)\n"
 *
 * Every worker fills a block of its own and hands whole blocks to the file under the lock
 * (sink/sink_text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/families.h"
#include "itemsink/item_file.h"
#include "itemsink/prefix.h"
#include "itemsink/width.h"

typedef struct text_own {
    lines lines;
    bool mark;              /* begins with the mark of UTF-8 */
    bool has_header;        /* csv with columns */
    _Atomic uint32_t width; /* items of that header; 0 = none yet */
} text_own;

typedef struct text_worker {
    vec_char block;
    prefix prefix;
    families families;
} text_worker;

/* ---- columns of csv ------------------------------------------------------------------------- */

/* Writes the header of this many items; under the lock, or alone. */
static lode_status text_put_columns(file_sink *sink, uint32_t width) {
    text_own *own = sink->own;
    mem *m = &sink->base.base.job->mem;
    vec_char title = {0};
    lode_status status = vec_char_printf(m, &title, "%s", own->lines.format->title);
    for (uint32_t i = 1; i <= width && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",item%u", i);
    }
    if (status == LODE_OK) status = vec_char_append(m, &title, "\n", 2); /* and the closing zero */
    if (status == LODE_OK) status = text_title(&sink->base, own->mark, title.data);
    vec_char_free(m, &title);
    own->has_header = true;
    if (status == LODE_OK) own->width = width;
    return status;
}

/* Sees to it that there is a header, with room for a pattern of this size. */
static lode_status text_check_width(file_sink *sink, uint32_t size) {
    lode_status status = LODE_OK;
    text_own *own = sink->own;
    lode_sink *base = &sink->base.base;
    if (own->width == 0) {
        pthread_mutex_lock(&base->lock);
        uint32_t width = 0;
        if (own->width == 0) status = width_bound(base->job, base->data, sink->threshold, &width);
        if (width > base->max_size) width = base->max_size;
        if (width < size) width = size;
        if (own->width == 0 && status == LODE_OK) status = text_put_columns(sink, width);
        pthread_mutex_unlock(&base->lock);
    }
    if (status != LODE_OK || size <= own->width) return status;
    return job_fail(base->job, LODE_UNSUPPORTED,
                    "a pattern has %u items, more than the %u columns of the header: jobs of "
                    "several parts or thresholds cannot be written in columns",
                    size, (unsigned)own->width);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static lode_status text_write(file_worker *w, const lode_batch *batch) {
    file_sink *sink = file_of(w);
    text_worker *own = w->own;
    const lines *l = &((text_own *)sink->own)->lines;
    const item_format *f = l->format;
    lode_status status = LODE_OK;
    uint32_t size = batch->n_prefix + 1;
    if (f->put_lead) LODE_TRY(text_check_width(sink, size));
    LODE_TRY(prefix_set(&own->prefix, l, batch));
    uint32_t width = ((text_own *)sink->own)->width;
    uint32_t more = f->put_lead ? width - size : 0; /* cells that stay empty */
    size_t line_bytes =
        own->prefix.text_bytes + 2 * (size_t)l->labels.longest + more + LINES_MORE_MAX;
    for (uint32_t i = 0; i < batch->n; i++) {
        LODE_TRY(text_reserve(&sink->base, &own->block, line_bytes));
        char *to = own->block.data + own->block.n;
        for (const char *head = l->head; *head; head++) *to++ = *head;
        if (f->put_lead) to = f->put_lead(l, to, size, batch->supports[i]);
        to = prefix_put(&own->prefix, l, to, batch->items[i]) - 1; /* without the last separator */
        if (more > 0) to = (char *)memset(to, f->separator, more) + more;
        to = f->put_tail(l, to, size, batch->supports[i]);
        own->block.n = (size_t)(to - own->block.data);
    }
done:
    return status;
}

static lode_status text_room(void *user, size_t bytes, char **to) {
    file_worker *w = user;
    text_worker *own = w->own;
    lode_status status = text_reserve(&file_of(w)->base, &own->block, bytes);
    *to = own->block.data + own->block.n;
    return status;
}

static void text_used(void *user, const char *end) {
    text_worker *own = ((file_worker *)user)->own;
    own->block.n = (size_t)(end - own->block.data);
}

static bool text_takes_family(const file_sink *sink, const sink_lattice *lattice) {
    return !((const text_own *)sink->own)->lines.format->put_lead && families_fit(lattice);
}

static lode_status text_write_family(file_worker *w, const sink_lattice *lattice) {
    families_out out = {.user = w, .room = text_room, .used = text_used};
    text_worker *own = w->own;
    const text_own *of_sink = file_of(w)->own;
    lode_status status = families_set(&own->families, &of_sink->lines, lattice);
    return status == LODE_OK ? families_write(&own->families, &out) : status;
}

static lode_status text_flush_worker(file_worker *w) {
    return text_flush(&file_of(w)->base, &((text_worker *)w->own)->block);
}

static void text_drop_worker(file_worker *w) {
    mem *m = file_mem(w);
    text_worker *own = w->own;
    vec_char_free(m, &own->block);
    prefix_free(&own->prefix, m);
    families_free(&own->families, m);
}

/* ---- the beginning and the end -------------------------------------------------------------- */

static lode_status text_open_lines(file_sink *sink, const lode_dataset *data,
                                   const lode_write_options *o) {
    text_own *own = sink->own;
    const item_format *format = item_formats[o->format];
    if (o->csv_items == LODE_CSV_COLUMNS) format = format->columns;
    own->mark = o->bom;
    return lines_init(&own->lines, &sink->base.base.job->mem, data, format);
}

/* With columns, the title depends on what will be found. */
static lode_status text_begin(file_sink *sink) {
    const text_own *own = sink->own;
    const item_format *format = own->lines.format;
    return format->put_lead ? LODE_OK : text_title(&sink->base, own->mark, format->title);
}

static lode_status text_foresee(file_sink *sink) {
    const text_own *own = sink->own;
    bool needs_header = own->lines.format->put_lead && !own->has_header;
    return needs_header ? text_put_columns(sink, lode_sink_largest(&sink->base.base)) : LODE_OK;
}

static lode_status text_write_end(file_sink *sink, bool partial) {
    const text_own *own = sink->own;
    (void)partial;
    bool needs_header = own->lines.format->put_lead && !own->has_header; /* nothing came */
    return needs_header ? text_put_columns(sink, 0) : LODE_OK;
}

static void text_free_lines(file_sink *sink) {
    lines_clear(&((text_own *)sink->own)->lines);
}

const file_writer file_writer_text = {
    .sink_bytes = sizeof(text_own),
    .worker_bytes = sizeof(text_worker),
    .open = text_open_lines,
    .begin = text_begin,
    .write = text_write,
    .takes = text_takes_family,
    .write_family = text_write_family,
    .flush = text_flush_worker,
    .drop = text_drop_worker,
    .foresee = text_foresee,
    .end = text_write_end,
    .free = text_free_lines,
};
