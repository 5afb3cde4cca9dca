/* item_text.c - writes itemsets as lines of text, about as fast as memory is written
 *
 * The patterns of a batch share a prefix, most of whose text is known from the previous batch
 * (families.h). The line of a pattern is this text with the new item inserted in its place,
 * followed by the tail:
 *
 *     prefix  "2 7 9 "   item "8 "   →   "2 7 " "8 " "9 " (minus the last blank) " (45)\n"
 *
 * Every worker fills its own block, and writes whole blocks to the file under the lock
 * (write/core/sink_text.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "write/core/sort_tuning.h"
#include "write/itemsets/families.h"
#include "write/itemsets/item_count.h"
#include "write/itemsets/item_file.h"

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
    mask_text masks; /* of a sorted result */
    vec_u32 items;   /* of a row of it */
    vec_char line;   /* the head and all of them but the last, each with its separator */
    vec_u64 ends;    /* where each of them begins there */
    measure_scratch measured;
} text_worker;

/* ---- columns of csv ------------------------------------------------------------------------- */

/* Writes the header of this many items; under the lock, or alone. */
static lode_status text_put_columns(file_sink *sink, uint32_t width) {
    text_own *own = sink->own;
    mem *m = &sink->base.base.job->mem;
    vec_char title = {0};
    lode_status status = vec_char_printf(m, &title, "%s", own->lines.format->title);
    for (uint32_t i = 0; i < own->lines.measures.n && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",%s", own->lines.measures.list[i].name);
    }
    for (uint32_t i = 1; i <= width && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",item%u", i);
    }
    if (status == LODE_OK) status = vec_char_append(m, &title, "\n", 2); /* with its zero */
    if (status == LODE_OK) csv_separate(&own->lines.csv, title.data);
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
                    "a pattern has %u items, but the header has only %u columns; jobs with several "
                    "parts or thresholds cannot write a column for each item",
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
    size_t line_bytes = own->prefix.text_bytes + 2 * (size_t)l->labels.longest + more +
                        LINES_MORE_MAX + lines_measure_bytes(l);
    for (uint32_t i = 0; i < batch->n; i++) {
        double values[ITEM_MEASURES_MOST];
        if (l->measures.n > 0) {
            LODE_TRY(item_measures_of(&l->measures, file_mem(w), &own->measured, batch, i, values));
        }
        LODE_TRY(text_reserve(&sink->base, &own->block, line_bytes));
        char *to = own->block.data + own->block.n;
        for (const char *head = l->head; *head; head++) *to++ = *head;
        if (f->put_lead) to = f->put_lead(l, to, size, batch->supports[i]);
        if (f->put_lead && l->measures.n > 0) to = lines_put_measures(l, to, values);
        to = prefix_put(&own->prefix, l, to, batch->items[i]) - 1; /* without the last separator */
        if (more > 0) to = (char *)memset(to, l->csv.comma, more) + more;
        to = f->put_tail(l, to, size, batch->supports[i]);
        if (!f->put_lead && l->measures.n > 0) to = lines_put_measures(l, to, values);
        own->block.n = (size_t)(to - own->block.data);
    }
done:
    return status;
}

/* ---- lines of sorted results ---------------------------------------------------------------- */

/* What a line has besides its items. */
typedef struct line_numbers {
    uint32_t size;
    uint32_t more; /* cells that stay empty */
    uint64_t support;
} line_numbers;

/* The most bytes of a line. */
static size_t text_line_bytes(const text_own *own, uint32_t size) {
    return (size_t)size * own->lines.labels.longest + own->width + LINES_MORE_MAX;
}

/* Makes room for the lines of the rows, or for fewer if that would be very much. */
static lode_status text_make_rows_room(file_worker *w, file_rows *rows) {
    lode_status status = LODE_OK;
    text_worker *own = w->own;
    mem *m = file_mem(w);
    size_t line_bytes = text_line_bytes(file_of(w)->own, rows->size);
    size_t most = mem_left(m) / SORT_TEXT_SHARE / file_of(w)->base.base.job->wish;
    if (most < SORT_TEXT_LEAST) most = SORT_TEXT_LEAST;
    if (most > SORT_TEXT_BYTES) most = SORT_TEXT_BYTES;
    size_t fit = most > line_bytes ? most / line_bytes : 1;
    if (rows->n > fit) rows->n = fit;
    own->line.n = own->ends.n = own->items.n = 0;
    LODE_TRY(vec_char_reserve(m, &own->block, rows->n * line_bytes));
    LODE_TRY(vec_char_reserve(m, &own->line, line_bytes));
    LODE_TRY(vec_u64_reserve(m, &own->ends, rows->size + (size_t)1));
    LODE_TRY(vec_u32_reserve(m, &own->items, rows->size));
done:
    return status;
}

/* Brings the text of all items but the last up to date; the first `same` have not changed. */
static size_t text_advance(text_worker *own, const lines *l, uint32_t size, uint32_t same) {
    uint64_t *ends = own->ends.data;
    char *line = own->line.data, *end = line + ends[same];
    for (uint32_t i = same; i + 1 < size; i++) {
        end = label_copy(&l->labels, end, own->items.data[i]);
        ends[i + 1] = (uint64_t)(end - line);
    }
    return ends[size - 1];
}

/* A line up to its last items, which differ most often, and from there on. */
static inline char *text_begin_line(const text_worker *own, const lines *l, char *to, size_t bytes,
                                    const line_numbers *n) {
    if (l->format->put_lead) to = l->format->put_lead(l, to, n->size, n->support);
    return label_copy_text(to, own->line.data, bytes);
}

static inline char *text_end_line(text_worker *own, char *to, const line_numbers *n) {
    to--; /* without the last separator */
    if (n->more > 0) to = (char *)memset(to, own->families.lines->csv.comma, n->more) + n->more;
    return families_put_tail(&own->families, to, n->size, n->support);
}

/* Rows of any keys: all items but the last are known from the row before, most often. */
static char *text_put_rows(text_worker *own, const lines *l, const file_rows *rows,
                           line_numbers *n) {
    const uint64_t *row = rows->rows, *before = NULL;
    unsigned words = keys_words(rows->keys, n->size);
    uint32_t last = n->size - 1;
    size_t bytes = own->ends.data[0];
    char *to = own->block.data + own->block.n;
    for (size_t i = 0; i < rows->n; i++, before = row, row += words) {
        uint32_t same = keys_items(rows->keys, n->size, row, before, own->items.data);
        n->support = keys_support(rows->keys, words, row);
        if (same < last) bytes = text_advance(own, l, n->size, same);
        to = text_begin_line(own, l, to, bytes, n);
        to = label_copy(&l->labels, to, own->items.data[last]);
        to = text_end_line(own, to, n);
    }
    return to;
}

/* Updates the beginning of the line where the items of these rows differ from the row before.
 * Returns its length. */
static size_t text_advance_mask(text_worker *own, const lines *l, const file_rows *rows,
                                const uint64_t *now, const uint64_t *before) {
    unsigned word = 0, words = rows->keys->mask_words;
    uint32_t same = 0;
    while (now[word] == before[word]) same += (uint32_t)bits_count(now[word++]);
    uint64_t rest = now[word] & UINT64_MAX >> __builtin_clzll(now[word] ^ before[word]);
    same += (uint32_t)bits_count(now[word] ^ rest);
    uint32_t *end = keys_word_items(rows->keys, word, rest, own->items.data + same);
    while (++word < words) end = keys_word_items(rows->keys, word, now[word], end);
    return text_advance(own, l, (uint32_t)(end - own->items.data) + 1, same);
}

/* With masks, the last items are looked up by their bits (families.h). Only the beginning of the
 * line must be made, once for many rows. */
static inline __attribute__((always_inline)) char *
text_put_mask_rows(text_worker *own, const lines *l, const file_rows *rows, line_numbers *n,
                   unsigned words) {
    const mask_text *masks = &own->masks;
    const uint64_t *row = rows->rows;
    uint64_t before[MASK_WORDS] = {0}, now[MASK_WORDS] = {0};
    size_t bytes = own->ends.data[0];
    char *to = own->block.data + own->block.n;
    for (size_t i = 0; i < rows->n; i++, row += words) {
        uint64_t changed = 0;
        for (unsigned k = 0; k < words; k++) {
            now[k] = ~row[k] & masks->first[k];
            changed |= now[k] ^ before[k];
        }
        if (changed != 0) {
            bytes = text_advance_mask(own, l, rows, now, before);
            memcpy(before, now, sizeof before);
        }
        uint32_t last = mask_text_bits(masks, row);
        n->support = keys_support(rows->keys, words, row);
        to = text_begin_line(own, l, to, bytes, n);
        to = mask_text_copy(masks, to, 0, last / MASK_SUBSETS);
        to = mask_text_copy(masks, to, 1, last % MASK_SUBSETS);
        to = text_end_line(own, to, n);
    }
    return to;
}

static char *text_put_masks(text_worker *own, const lines *l, const file_rows *rows,
                            line_numbers *n) {
    return rows->keys->mask_words == 1 ? text_put_mask_rows(own, l, rows, n, 1)
                                       : text_put_mask_rows(own, l, rows, n, MASK_WORDS);
}

static lode_status text_write_rows(file_worker *w, file_rows *rows) {
    lode_status status = LODE_OK;
    text_own *of_sink = file_of(w)->own;
    text_worker *own = w->own;
    const lines *l = &of_sink->lines;
    line_numbers n = {.size = rows->size};
    if (l->format->put_lead) LODE_TRY(text_check_width(file_of(w), n.size));
    LODE_TRY(text_make_rows_room(w, rows));
    if (l->format->put_lead) n.more = of_sink->width - n.size;
    own->families.lines = l;
    own->ends.data[0] = (uint64_t)(lines_put(own->line.data, l->head) - own->line.data);
    bool masks = mask_text_suits(rows->keys, l);
    if (masks) LODE_TRY(mask_text_make(&own->masks, rows->keys, l));
    char *end = masks ? text_put_masks(own, l, rows, &n) : text_put_rows(own, l, rows, &n);
    own->block.n = (size_t)(end - own->block.data);
done:
    return status;
}

/* ---- families ------------------------------------------------------------------------------- */

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
    const lines *l = &((const text_own *)sink->own)->lines;
    return !l->format->put_lead && !sink->base.base.measured && families_fit(lattice);
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
    vec_char_free(m, &own->line);
    vec_u64_free(m, &own->ends);
    vec_u32_free(m, &own->items);
    mask_text_free(&own->masks, m);
    measure_scratch_free(&own->measured, m);
}

/* ---- the beginning and the end -------------------------------------------------------------- */

static lode_status text_open_lines(file_sink *sink, const lode_dataset *data,
                                   const lode_write_options *o) {
    text_own *own = sink->own;
    const item_format *format = item_formats[o->format];
    if (o->csv_items == LODE_CSV_COLUMNS) format = format->columns;
    lode_job *job = sink->base.base.job;
    own->mark = o->bom;
    lode_status status = lines_init(&own->lines, &job->mem, data, format, o);
    return status == LODE_OK ? lines_measure(&own->lines, job, data, sink->base.base.contrast, o)
                             : status;
}

/* The first line of csv, with the names of the measures before the line end. */
static lode_status text_put_title(file_sink *sink) {
    const text_own *own = sink->own;
    const item_measures *measures = &own->lines.measures;
    vec_char title = {0};
    mem *m = &sink->base.base.job->mem;
    const char *usual = own->lines.format->title;
    lode_status status = vec_char_append(m, &title, usual, strlen(usual) - 1);
    for (uint32_t i = 0; i < measures->n && status == LODE_OK; i++) {
        status = vec_char_printf(m, &title, ",%s", measures->list[i].name);
    }
    if (status == LODE_OK) status = vec_char_append(m, &title, "\n", 2); /* with its zero */
    if (status == LODE_OK) csv_separate(&own->lines.csv, title.data);
    if (status == LODE_OK) status = text_title(&sink->base, own->mark, title.data);
    vec_char_free(m, &title);
    return status;
}

/* With a column for each item, the title depends on what will be found. */
static lode_status text_begin(file_sink *sink) {
    const text_own *own = sink->own;
    const item_format *format = own->lines.format;
    if (format->put_lead) return LODE_OK;
    return format->title[0] ? text_put_title(sink) : text_title(&sink->base, own->mark, "");
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

/* A header that came with the first pattern goes with it. */
static void text_forget_header(file_sink *sink) {
    text_own *own = sink->own;
    own->has_header = false;
    own->width = 0;
}

const file_writer file_writer_text = {
    .sink_bytes = sizeof(text_own),
    .worker_bytes = sizeof(text_worker),
    .open = text_open_lines,
    .begin = text_begin,
    .write = text_write,
    .takes = text_takes_family,
    .write_family = text_write_family,
    .write_rows = text_write_rows,
    .flush = text_flush_worker,
    .drop = text_drop_worker,
    .foresee = text_foresee,
    .end = text_write_end,
    .empty = text_forget_header,
    .free = text_free_lines,
};
