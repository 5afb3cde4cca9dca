/* sniff_table.c - looks for a header, and examines the cells below it
 *
 *     column names for a transaction and an item ..... a long table
 *     cells that are all true or false ............... onehot, perhaps with a column of ids
 *     counts, many of them 0 or blank ................ onehot by quantities: a pivot table
 *
 * The header may have a title above it: records with few filled fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <string.h>

#include "read/column_names.h"
#include "read/sniff.h"

#define SNIFF_TITLES 8    /* at most this many records above a header */
#define SNIFF_NAMES  1000 /* only this many column names are examined */

/* ---- Headers ---- */

static void sniff_asked(const char *option, const csv_field *f, size_t column, size_t *found) {
    if (*found != SNIFF_NONE || !option) return;
    size_t number = columns_number(option);
    bool is_it = number > 0 ? column == number - 1 : columns_alike(f->text, f->n, option);
    if (is_it) *found = column;
}

static bool sniff_is_ignored(const char *options, const csv_field *f, size_t column) {
    char name[128];
    for (const char *p = options, *end; p && *p; p = *end ? end + 1 : end) {
        size_t found = SNIFF_NONE, n = strcspn(p, "\n");
        end = p + n;
        if (n == 0 || n >= sizeof name) continue;
        memcpy(name, p, n);
        name[n] = 0;
        sniff_asked(name, f, column, &found);
        if (found == column) return true;
    }
    return false;
}

static void sniff_better(size_t column, unsigned rank, size_t *best, unsigned *best_rank) {
    if (rank == 0 || (*best_rank > 0 && *best_rank <= rank)) return;
    *best = column;
    *best_rank = rank;
}

static void sniff_name(sniff_header *h, size_t column, const csv_field *f) {
    if (column >= SNIFF_NAMES) return;
    sniff_better(column, columns_transaction_rank(f->text, f->n), &h->tid, &h->tid_rank);
    sniff_better(column, columns_item_rank(f->text, f->n), &h->item, &h->item_rank);
    h->n_usual += columns_is_usual(f->text, f->n);
    h->n_numbered += columns_is_numbered(f->text, f->n);
}

static lode_status sniff_read_header(csv_cursor *c, const lode_read_options *o, sniff_header *h) {
    lode_status status = LODE_OK;
    csv_field f;
    *h = (sniff_header){.tid = SNIFF_NONE, .item = SNIFF_NONE, .total = SNIFF_NONE};
    h->asked_tid = h->asked_item = h->asked_weight = SNIFF_NONE;
    do {
        status = csv_next(c, &f);
        if (status != LODE_OK) return status;
        bool yes;
        size_t column = h->n_fields++;
        cell_kind kind = cell_look(f.text, f.n, &yes);
        if (column < SNIFF_COLUMNS) h->kinds[column] = kind;
        if (column == 0) h->has_index = columns_is_index(f.text, f.n);
        h->n_filled += f.n > 0;
        h->n_text += kind == CELL_TEXT;
        h->n_truths += kind <= CELL_LETTER;
        sniff_asked(o->tid_column, &f, column, &h->asked_tid);
        sniff_asked(o->item_column, &f, column, &h->asked_item);
        sniff_asked(o->weight_column, &f, column, &h->asked_weight);
        sniff_name(h, column, &f);
        if (column < SNIFF_COLUMNS && sniff_is_ignored(o->ignore, &f, column)) {
            h->ignored[column] = true;
            h->n_ignored++;
        }
        if (f.last && columns_is_total(f.text, f.n)) h->total = column;
    } while (!f.last);
    return status;
}

/* ---- Rows ---- */

static uint64_t sniff_hash(const char *text, size_t n) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

static void sniff_cell(const sniff_header *h, sniff_rows *rows, size_t column, const csv_field *f) {
    bool yes;
    if (column == h->total || column == h->asked_weight) return;
    if (column < SNIFF_COLUMNS && h->ignored[column]) return;
    cell_kind kind = cell_look(f->text, f->n, &yes);
    if (column < SNIFF_COLUMNS) rows->columns[column].of[kind]++;
    if (column != rows->id) {
        rows->rest.of[kind]++;
        return;
    }
    rows->ids.of[kind]++;
    rows->hashes[rows->n] = sniff_hash(f->text, f->n);
    uint64_t number = 0;
    for (size_t i = 0; i < f->n && i < 18 && f->text[i] >= '0' && f->text[i] <= '9'; i++) {
        number = number * 10 + (uint64_t)(f->text[i] - '0');
    }
    rows->id_falls += rows->n > 0 && number <= rows->last_id;
    rows->last_id = number;
}

static lode_status sniff_row(csv_cursor *c, const sniff_header *h, sniff_rows *rows,
                             size_t *cells) {
    csv_field f;
    size_t n_fields = 0;
    if (csv_is_drawn(c)) {
        csv_skip(c);
        return LODE_OK;
    }
    lode_status status = csv_next(c, &f);
    if (status != LODE_OK || csv_is_blank(&f)) return status;
    bool totals = columns_is_total(f.text, f.n); /* the last line of a pivot table */
    for (;;) {
        if (!totals) sniff_cell(h, rows, n_fields, &f);
        n_fields++;
        if (f.last) break;
        status = csv_next(c, &f);
        if (status != LODE_OK) return status;
    }
    *cells += n_fields;
    rows->n += !totals;
    rows->n_even += !totals && n_fields == h->n_fields;
    return LODE_OK;
}

/* Skips malformed records, which the reader will report. */
static lode_status sniff_read_rows(csv_cursor *c, const sniff_header *h, sniff_rows *rows) {
    lode_status status = LODE_OK;
    size_t cells = 0;
    while (rows->n < SNIFF_RECORDS && (cells < SNIFF_CELLS || rows->n < 2) && csv_begin(c)) {
        status = sniff_row(c, h, rows, &cells);
        if (status == LODE_PARSE) {
            csv_skip(c);
        } else if (status != LODE_OK) {
            return status;
        }
    }
    return LODE_OK;
}

/* Whether an id occurs twice. */
static bool sniff_ids_repeat(const sniff_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (rows->hashes[i] == rows->hashes[k]) return true;
        }
    }
    return false;
}

/* ---- What it is ---- */

static size_t sniff_sum(const sniff_cells *c) {
    size_t sum = 0;
    for (size_t i = 0; i < CELL_KINDS; i++) sum += c->of[i];
    return sum;
}

/* Recognised by the names of columns; where these say little, by ids that occur again. */
static bool sniff_is_table(const sniff_table *t) {
    const sniff_header *h = &t->header;
    if (h->tid == SNIFF_NONE || h->item == SNIFF_NONE || h->tid == h->item) return false;
    if (h->tid_rank == COLUMNS_JUST_ID) return h->item_rank <= 2 && sniff_ids_repeat(&t->rows);
    return h->item_rank < COLUMNS_JUST_NAME || h->tid_rank < 3;
}

/* Whether cells are true or false in one vocabulary: x, or y and n, or words and 1. A few other
 * cells are considered mistakes. */
static bool sniff_are_truths(const sniff_cells *c) {
    int kinds = (c->of[CELL_MARK] > 0) + (c->of[CELL_LETTER] > 0) +
                (c->of[CELL_WORD] + c->of[CELL_ONE] > 0);
    size_t wrong = c->of[CELL_TEXT] + c->of[CELL_DATE];
    size_t counts = c->of[CELL_COUNT] + c->of[CELL_DECIMAL] + c->of[CELL_NEGATIVE];
    return kinds <= 1 && counts == 0 && 50 * wrong <= sniff_sum(c);
}

/* Cells are quantities: one in `share` or more is 0 or blank, unless there are totals. */
static bool sniff_are_counts(const sniff_cells *c, size_t share, bool totals) {
    size_t none = c->of[CELL_BLANK] + c->of[CELL_ZERO];
    size_t wrong = c->of[CELL_TEXT] + c->of[CELL_DATE] + c->of[CELL_WORD] + c->of[CELL_MARK] +
                   c->of[CELL_LETTER];
    size_t all = sniff_sum(c);
    return 50 * wrong <= all && (totals || share * none >= all);
}

/* Ids are text; or, if the other cells are truth values, ascending whole numbers. */
static bool sniff_are_ids(const sniff_rows *rows) {
    const sniff_cells *c = &rows->ids;
    size_t text = c->of[CELL_TEXT] + c->of[CELL_DATE];
    size_t whole = c->of[CELL_ZERO] + c->of[CELL_ONE] + c->of[CELL_COUNT];
    if (c->of[CELL_COUNT] + text == 0 || text + whole < rows->n) return false;
    if (text >= rows->n) return true;
    return rows->n >= 3 && rows->id_falls == 0 && sniff_are_truths(&rows->rest);
}

/* Decides whether rows.id is a column of ids; if not, its cells count as those of an item. */
static void sniff_settle_id(sniff_table *t, bool named) {
    sniff_rows *rows = &t->rows;
    bool called =
        rows->id == t->header.tid && rows->ids.of[CELL_COUNT] + rows->ids.of[CELL_TEXT] > 0;
    bool is_id = named || called || sniff_are_ids(rows);
    t->guessed_id = is_id && !named && !called;
    if (is_id) return;
    for (size_t i = 0; i < CELL_KINDS; i++) rows->rest.of[i] += rows->ids.of[i];
    rows->id = SNIFF_NONE;
}

static bool sniff_is_onehot(sniff_table *t, bool named) {
    const sniff_header *h = &t->header;
    const sniff_rows *rows = &t->rows;
    bool totals = h->total != SNIFF_NONE;
    sniff_settle_id(t, named);
    size_t n_items = h->n_fields - totals - (rows->id != SNIFF_NONE);
    if (h->asked_weight != SNIFF_NONE && n_items > 0) n_items--;
    size_t ignored = h->n_ignored;
    if (rows->id < SNIFF_COLUMNS && h->ignored[rows->id]) ignored--; /* it is no item already */
    n_items -= n_items > ignored ? ignored : n_items;
    if (rows->n == 0 || 4 * rows->n_even < 3 * rows->n) return false;
    if (n_items < 2 || h->n_truths == h->n_fields) return false;
    if (sniff_are_truths(&rows->rest)) return true;
    bool names = 2 * h->n_text >= h->n_fields || named;
    t->counts = names && sniff_are_counts(&rows->rest, named ? 4 : 2, totals);
    t->sure = named || totals;
    return t->counts;
}

/* The column that may hold ids: by its name, or the first one. *named: it certainly does. */
static size_t sniff_id_column(const sniff_header *h, bool *named) {
    *named = true;
    if (h->asked_tid != SNIFF_NONE) return h->asked_tid;
    if (h->has_index) return 0;
    *named = false;
    return h->tid != SNIFF_NONE && h->tid_rank < COLUMNS_JUST_ID ? h->tid : 0;
}

/* Decides the format, among those that are possible with the columns that options name. */
static lode_format sniff_judge(sniff_table *t, const lode_read_options *o, bool named) {
    const sniff_header *h = &t->header;
    bool onehot = o->format == LODE_FORMAT_ONEHOT;
    bool has_tid = !o->tid_column || h->asked_tid != SNIFF_NONE;
    bool has_item = !o->item_column || h->asked_item != SNIFF_NONE;
    if (!has_tid || !has_item) return LODE_FORMAT_BASKET;
    if (o->item_column || (o->format == LODE_FORMAT_TABLE && o->tid_column)) {
        return LODE_FORMAT_TABLE;
    }
    if (!onehot && !o->tid_column && sniff_is_table(t)) return LODE_FORMAT_TABLE;
    if (o->format == LODE_FORMAT_TABLE) return LODE_FORMAT_BASKET;
    if (sniff_is_onehot(t, named)) return LODE_FORMAT_ONEHOT;
    return o->tid_column && !onehot ? LODE_FORMAT_TABLE : LODE_FORMAT_BASKET;
}

/* Reads the rows with the record before the cursor as the header. */
static lode_status sniff_try(csv_cursor c, const lode_read_options *o, sniff_table *t) {
    bool named;
    t->rows = (sniff_rows){.id = sniff_id_column(&t->header, &named)};
    t->counts = t->guessed_id = false;
    lode_status status = sniff_read_rows(&c, &t->header, &t->rows);
    if (status == LODE_OK) t->format = sniff_judge(t, o, named);
    return status;
}

/* Whether a record has few filled fields, compared with the header below it. */
static bool sniff_is_title(const sniff_header *above, const sniff_header *h) {
    bool few = above->n_filled <= 2 || 2 * above->n_filled <= h->n_filled;
    return few && h->n_fields > 1 && above->n_filled <= h->n_filled;
}

/* Whether the header was found. Known column names prove a table, even below a title. Cells are
 * weaker evidence: below a title, the header must consist of names, and have more filled fields
 * than the title. */
static bool sniff_is_found(const sniff_table *t, const sniff_header *above) {
    const sniff_header *h = &t->header;
    if (t->format != LODE_FORMAT_ONEHOT) return t->format == LODE_FORMAT_TABLE;
    bool names = 2 * h->n_text >= h->n_fields || h->has_index;
    return t->above == 0 || (names && above->n_filled < h->n_filled);
}

lode_status sniff_find_table(const sniff_text *s, const lode_read_options *o, sniff_table *out) {
    lode_status status = LODE_OK;
    vec_char unquoted = {0};
    bool bare = false;
    sniff_header fullest = {0}; /* of the records above */
    sniff_table t = {0};
    csv_cursor c = sniff_cursor(s, &unquoted, &bare);
    *out = (sniff_table){.format = LODE_FORMAT_BASKET};
    for (; t.above <= SNIFF_TITLES && csv_begin(&c); t.above++) {
        status = sniff_read_header(&c, o, &t.header);
        if (status == LODE_PARSE) {
            csv_skip(&c);
            continue;
        }
        if (status != LODE_OK) break;
        if (t.above > 0 && !sniff_is_title(&fullest, &t.header)) continue;
        status = sniff_try(c, o, &t);
        if (status != LODE_OK) break;
        bool found = sniff_is_found(&t, &fullest);
        if (t.above == 0 || found) *out = t;
        if (found) break;
        fullest = t.header;
    }
    vec_char_free(&s->job->mem, &unquoted);
    return status == LODE_PARSE ? LODE_OK : status;
}
