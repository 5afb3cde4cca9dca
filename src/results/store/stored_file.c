/* stored_file.c - see stored_file.h: opens a store, and reads its cells
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/stored_file.h"

#include <math.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/nearest.h"
#include "runtime/lease.h"
#include "runtime/valid.h"

/* ---- what the file says of itself ------------------------------------------------------------ */

static uint64_t stored_key_number(const lode_store *s, const char *key) {
    const char *text = arrow_key_value(s->file, key);
    uint64_t value = 0;
    for (; text && *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    return text && *text == 0 ? value : 0;
}

static bool stored_key_is(const lode_store *s, const char *key, const char *value) {
    const char *text = arrow_key_value(s->file, key);
    return text && strcmp(text, value) == 0;
}

/* The place of a key's value in a list; n if it is none of them. */
static unsigned stored_key_word(const lode_store *s, const char *key, const char *const *words,
                                unsigned n) {
    unsigned i = 0;
    while (i < n && !stored_key_is(s, key, words[i])) i++;
    return i;
}

static lode_status stored_damaged(lode_store *s, const char *why) {
    return job_fail(s->job, LODE_PARSE, "%s: not a result written by lode: %s", s->path, why);
}

static uint32_t stored_size_key(const lode_store *s, const char *key) {
    uint64_t value = stored_key_number(s, key);
    return value < UINT32_MAX ? (uint32_t)value : 0;
}

static lode_status stored_read_info(lode_store *s) {
    static const char *const kinds[] = {"itemsets", "graphs", "rules"};
    static const char *const targets[] = {"all", "top", "closed", "maximal", "generators"};
    unsigned kind = stored_key_word(s, ARROW_KEY_KIND, kinds, 3);
    unsigned target = stored_key_word(s, ARROW_KEY_TARGET, targets, 5);
    if (kind == 3) return stored_damaged(s, "the kind of its rows is missing (lode.kind)");
    s->info = (lode_store_info){
        .size = sizeof s->info,
        .kind = (lode_pattern_kind)kind,
        .target = target < 5 ? (lode_target)target : LODE_TARGET_ALL,
        .rows = arrow_n_rows(s->file),
        .total = stored_key_number(s, ARROW_KEY_TOTAL),
        .min_count = stored_key_number(s, ARROW_KEY_MIN_COUNT),
        .min_size = stored_size_key(s, ARROW_KEY_MIN_SIZE),
        .max_size = stored_size_key(s, ARROW_KEY_MAX_SIZE),
        .complete = target < 5 && stored_key_is(s, ARROW_KEY_COMPLETE, "true") &&
                    stored_key_is(s, ARROW_KEY_CONSTRAINED, "false"),
        .ended = stored_key_is(s, ARROW_KEY_COMPLETE, "true"),
        .checked = arrow_has_checksums(s->file),
    };
    const char *order = arrow_key_value(s->file, ARROW_KEY_ORDER);
    snprintf(s->info.order, sizeof s->info.order, "%s", order ? order : "");
    if (s->info.rows > 0 && s->info.total == 0) {
        return stored_damaged(s, "the number of transactions is missing (lode.total)");
    }
    return LODE_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* The column of a name and type; STORED_NONE if there is none. */
static uint32_t stored_typed(const lode_store *s, const char *name, arrow_type type) {
    uint32_t at = arrow_column_find(s->file, name);
    return at != UINT32_MAX && arrow_column_at(s->file, at)->type == type ? at : STORED_NONE;
}

static lode_status stored_find_parts(lode_store *s) {
    bool rules = s->info.kind == LODE_RULES, graphs = s->info.kind == LODE_GRAPHS;
    s->items = graphs ? STORED_NONE : stored_typed(s, rules ? "body" : "items", ARROW_NAMES);
    s->rhs = rules ? stored_typed(s, "head", ARROW_NAMES) : STORED_NONE;
    s->text = graphs ? stored_typed(s, "code", ARROW_TEXT) : STORED_NONE;
    s->count = stored_typed(s, rules ? "both" : "count", ARROW_U64);
    s->lhs_count = rules ? stored_typed(s, "body_count", ARROW_U64) : STORED_NONE;
    s->rhs_count = rules ? stored_typed(s, "head_count", ARROW_U64) : STORED_NONE;
    if (s->count == STORED_NONE || (!graphs && s->items == STORED_NONE) ||
        (graphs && s->text == STORED_NONE)) {
        return stored_damaged(s, "it has no patterns, or no counts");
    }
    if (!rules) return LODE_OK;
    if (s->rhs == STORED_NONE || s->lhs_count == STORED_NONE || s->rhs_count == STORED_NONE) {
        return stored_damaged(s, "its rules lack consequents or counts");
    }
    if (arrow_column_at(s->file, s->items)->dictionary !=
        arrow_column_at(s->file, s->rhs)->dictionary) {
        return stored_damaged(s, "antecedents and consequents have different item names");
    }
    return LODE_OK;
}

static lode_column_type stored_type_of(arrow_type type) {
    switch (type) {
    case ARROW_U32:
    case ARROW_U64: return LODE_COLUMN_COUNT;
    case ARROW_F64: return LODE_COLUMN_REAL;
    case ARROW_LIST:
    case ARROW_NAMES: return LODE_COLUMN_ITEMS;
    case ARROW_TEXT: break;
    }
    return LODE_COLUMN_TEXT;
}

/* Which values of a column are better: as the measure of its name has it, otherwise high ones. */
static int stored_better(const char *name) {
    lode_measure m = LODE_INIT(lode_measure);
    size_t i;
    if (strcmp(name, "p") == 0) return -1; /* of classes */
    return lode_measure_find(name, &i) && lode_measure_at(i, &m) ? m.better : 1;
}

static void stored_add(lode_store *s, stored_column c) {
    for (uint32_t i = 0; i < s->info.n_columns; i++) {
        if (strcmp(s->columns[i].name, c.name) == 0) return;
    }
    c.better = stored_better(c.name);
    s->columns[s->info.n_columns++] = c;
}

static void stored_add_computed(lode_store *s) {
    lode_measure m = LODE_INIT(lode_measure);
    if (s->info.kind != LODE_GRAPHS) {
        stored_add(s,
                   (stored_column){.name = "size", .form = STORED_SIZE, .type = LODE_COLUMN_COUNT});
    }
    if (s->info.kind != LODE_RULES && s->info.total > 0) {
        stored_add(
            s, (stored_column){.name = "support", .form = STORED_SHARE, .type = LODE_COLUMN_REAL});
    }
    for (size_t i = 0; s->item_counts && lode_itemset_measure_at(i, &m); i++) {
        stored_add(s, (stored_column){.name = m.name,
                                      .form = STORED_ITEMSET,
                                      .at = (uint32_t)i,
                                      .type = LODE_COLUMN_REAL});
    }
    if (s->info.kind != LODE_RULES || s->info.total == 0) return;
    for (size_t i = 0; lode_measure_at(i, &m); i++) {
        if (m.needs != LODE_NEEDS_COUNTS) continue;
        stored_add(s, (stored_column){.name = m.name,
                                      .form = STORED_MEASURE,
                                      .at = (uint32_t)i,
                                      .type = LODE_COLUMN_REAL});
    }
}

static lode_status stored_list_columns(lode_store *s) {
    uint32_t n = arrow_n_columns(s->file);
    size_t most = n + (size_t)2;
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; lode_measure_at(i, &m); i++) most++;
    s->columns_bytes = most * sizeof *s->columns;
    lode_status status = mem_zalloc(&s->job->mem, (void **)&s->columns, s->columns_bytes);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        const arrow_column *c = arrow_column_at(s->file, i);
        stored_add(s, (stored_column){.name = c->name,
                                      .form = STORED_CELLS,
                                      .at = i,
                                      .cells = c->type,
                                      .type = stored_type_of(c->type)});
    }
    stored_add_computed(s);
    return LODE_OK;
}

/* ---- counts of items ------------------------------------------------------------------------- */

/* Reads the counts of the items of itemsets. A file without them has none of the columns that they
 * are needed for. */
static lode_status stored_read_item_counts(lode_store *s) {
    const char *text = arrow_key_value(s->file, ARROW_KEY_ITEM_COUNTS);
    size_t n = 1;
    if (!text || !*text || s->info.kind != LODE_ITEMSETS || s->info.total == 0) return LODE_OK;
    for (const char *c = text; *c; c++) n += *c == ' ';
    if (n > UINT32_MAX) return stored_damaged(s, "it has too many counts of items");
    lode_status status =
        mem_zalloc(&s->job->mem, (void **)&s->item_counts, n * sizeof *s->item_counts);
    if (status != LODE_OK) return status;
    s->n_item_counts = (uint32_t)n;
    for (size_t i = 0; i < n; i++, text++) {
        for (; *text >= '0' && *text <= '9'; text++) {
            s->item_counts[i] = s->item_counts[i] * 10 + (uint64_t)(*text - '0');
        }
        if (*text && *text != ' ') return stored_damaged(s, "a count of an item is not a number");
    }
    return LODE_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

static lode_status stored_open(lode_store *s, const char *path) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    s->path_bytes = strlen(path) + 1;
    LODE_TRY(mem_resize(m, (void **)&s->path, 0, s->path_bytes));
    memcpy(s->path, path, s->path_bytes);
    LODE_TRY(arrow_open(s->job, path, &s->file));
    LODE_TRY(stored_read_info(s));
    LODE_TRY(stored_find_parts(s));
    LODE_TRY(stored_read_item_counts(s));
    LODE_TRY(stored_list_columns(s));
    s->checked_bytes = (size_t)arrow_n_batches(s->file) * arrow_n_columns(s->file) + 1;
    LODE_TRY(mem_zalloc(m, (void **)&s->checked, s->checked_bytes));
done:
    return status;
}

lode_status lode_store_open(lode_job *job, lode_store **out, const char *path) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path));
    lode_store *s = NULL;
    lease_call call = {0};
    lode_status status = lease_enter(job, 1, &call);
    if (status == LODE_OK) status = mem_zalloc(&job->mem, (void **)&s, sizeof *s);
    if (status == LODE_OK) {
        s->job = job;
        status = stored_open(s, path);
    }
    lease_leave(&call);
    if (status == LODE_OK && !s->info.checked) {
        job_log(job, LODE_LOG_INFO,
                "%s has no checksums that this version can check; damage may go unnoticed", path);
    }
    if (status == LODE_OK) {
        *out = s;
    } else {
        lode_store_free(s);
    }
    return job_explain(job, status, "opening a stored result");
}

void lode_store_free(lode_store *store) {
    if (!store) return;
    mem *m = &store->job->mem;
    if (store->file) arrow_close(store->file);
    mem_free(m, store->histogram, store->histogram_bytes);
    mem_free(m, store->item_counts, store->n_item_counts * sizeof *store->item_counts);
    mem_free(m, store->slots, store->n_slots * sizeof *store->slots);
    mem_free(m, (void *)store->checked, store->checked ? store->checked_bytes : 0);
    mem_free(m, store->columns, store->columns ? store->columns_bytes : 0);
    mem_free(m, store->path, store->path ? store->path_bytes : 0);
    mem_free(m, store, sizeof *store);
}

lode_status stored_end(const lode_store *s, lode_status status) {
    lode_status file = arrow_check(s->file);
    return file == LODE_OK ? status : file;
}

lode_status stored_end_row(const lode_store *s, lode_status status) {
    return arrow_is_lost(s->file) ? arrow_check(s->file) : status;
}

lode_status lode_store_check(lode_store *store) {
    VALID_CALL(store ? store->job : NULL, {store != NULL, "store"});
    return stored_end(store, LODE_OK);
}

void lode_store_guard(void) {
    mapped_guard();
}

const char *lode_store_tested(const lode_store *store) {
    const char *text = store ? arrow_key_value(store->file, ARROW_KEY_TESTED) : NULL;
    return text ? text : "";
}

bool lode_store_about(const lode_store *store, lode_store_info *out) {
    return valid_fill(out, store ? &store->info : NULL);
}

bool lode_store_column(const lode_store *store, uint32_t i, lode_column *out) {
    if (!store || i >= store->info.n_columns) return valid_fill(out, (lode_column *)NULL);
    const stored_column *c = &store->columns[i];
    lode_column column = {.size = sizeof column,
                          .name = c->name,
                          .type = c->type,
                          .stored = c->form == STORED_CELLS,
                          .better = c->better};
    return valid_fill(out, &column);
}

/* The column with a name; NULL if there is none. */
static const stored_column *stored_find(const lode_store *s, const char *name) {
    lode_measure m = LODE_INIT(lode_measure);
    size_t measure;
    if (s->info.kind == LODE_RULES && strcmp(name, "count") == 0) name = "both";
    for (uint32_t i = 0; i < s->info.n_columns; i++) {
        if (strcmp(s->columns[i].name, name) == 0) return &s->columns[i];
    }
    bool sets = s->info.kind == LODE_ITEMSETS;
    bool known = sets ? lode_itemset_measure_find(name, &measure)
                      : s->info.kind == LODE_RULES && lode_measure_find(name, &measure);
    if (!known) return NULL;
    known = sets ? lode_itemset_measure_at(measure, &m) : lode_measure_at(measure, &m);
    if (!known || strcmp(m.name, name) == 0) return NULL;
    const char *stored = strcmp(m.name, "count") == 0 ? "both" : m.name;
    for (uint32_t i = 0; i < s->info.n_columns; i++) {
        if (strcmp(s->columns[i].name, stored) == 0) return &s->columns[i];
    }
    return NULL;
}

bool lode_store_column_find(const lode_store *store, const char *name, uint32_t *i) {
    const stored_column *c = store && name && i ? stored_find(store, name) : NULL;
    if (c) *i = (uint32_t)(c - store->columns);
    return c != NULL;
}

#define STORED_LISTED 128 /* columns that a message may guess from */

lode_status stored_need(lode_store *s, const char *what, const char *name,
                        const stored_column **out) {
    const char *names[STORED_LISTED];
    char list[256] = "", hint[NEAREST_BYTES + 32];
    size_t n = 0;
    const stored_column *c = stored_find(s, name);
    if (c && (c->type == LODE_COLUMN_COUNT || c->type == LODE_COLUMN_REAL)) {
        *out = c;
        return LODE_OK;
    }
    if (c) {
        return job_fail(s->job, LODE_INVALID, "%s: '%s' is not a column of numbers", what, name);
    }
    if (name[0] == '-' && stored_find(s, name + 1) && strcmp(what, "--sort-by") == 0) {
        return job_fail(s->job, LODE_INVALID,
                        "%s '%s': for the reverse order, use --sort-by %s --reverse", what, name,
                        name + 1);
    }
    for (uint32_t i = 0; i < s->info.n_columns; i++) {
        lode_column_type type = s->columns[i].type;
        if (type != LODE_COLUMN_COUNT && type != LODE_COLUMN_REAL) continue;
        if (n < STORED_LISTED) names[n++] = s->columns[i].name;
        if (s->columns[i].form == STORED_MEASURE) continue;
        append_text(list, sizeof list, "%s%s", list[0] ? ", " : "", s->columns[i].name);
    }
    return job_fail(s->job, LODE_INVALID,
                    "%s: this result has no column '%s'; %sexpected one of %s%s", what, name,
                    nearest_hint(hint, name, names, n), list,
                    s->info.kind == LODE_RULES ? ", or a measure of rules" : "");
}

/* ---- cells ---------------------------------------------------------------------------------- */

void stored_turn(stored_batch *b, lode_store *s, uint32_t batch) {
    b->store = s;
    b->batch = batch;
    b->rows = arrow_batch_rows(s->file, batch);
    b->first = arrow_batch_first(s->file, batch);
    memset(b->cells, 0, stored_cells_bytes(s));
}

lode_status stored_cells(stored_batch *b, uint32_t column, const arrow_cells **out) {
    lode_store *s = b->store;
    arrow_cells *cells = &b->cells[column];
    *out = cells;
    if (cells->values) return LODE_OK;
    _Atomic bool *checked = &s->checked[(size_t)b->batch * arrow_n_columns(s->file) + column];
    bool check = !atomic_load_explicit(checked, memory_order_relaxed);
    lode_status status = arrow_cells_at(s->file, b->batch, column, check, cells);
    if (status != LODE_OK) {
        cells->values = NULL;
        return status;
    }
    if (check) atomic_store_explicit(checked, true, memory_order_relaxed);
    return LODE_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static lode_status stored_sizes(stored_batch *b, stored_range r, uint64_t *out) {
    uint32_t parts[2] = {b->store->items, b->store->rhs};
    memset(out, 0, r.n * sizeof *out);
    for (unsigned p = 0; p < 2; p++) {
        const arrow_cells *cells;
        if (parts[p] == STORED_NONE) continue;
        lode_status status = stored_cells(b, parts[p], &cells);
        if (status != LODE_OK) return status;
        const int32_t *offsets = cells->offsets + r.from;
        for (uint32_t i = 0; i < r.n; i++)
            out[i] += (uint32_t)offsets[i + 1] - (uint32_t)offsets[i];
    }
    return LODE_OK;
}

lode_status stored_counts(stored_batch *b, const stored_column *c, stored_range r, uint64_t *out) {
    const arrow_cells *cells;
    if (c->form == STORED_SIZE) return stored_sizes(b, r, out);
    lode_status status = stored_cells(b, c->at, &cells);
    if (status != LODE_OK) return status;
    if (c->cells == ARROW_U64) {
        memcpy(out, (const uint64_t *)cells->values + r.from, r.n * sizeof *out);
        return LODE_OK;
    }
    const uint32_t *values = (const uint32_t *)cells->values + r.from;
    for (uint32_t i = 0; i < r.n; i++) out[i] = values[i];
    return LODE_OK;
}

lode_status stored_counts_of(stored_batch *b, uint32_t row, lode_counts *out) {
    lode_status status = LODE_OK;
    const lode_store *s = b->store;
    uint32_t parts[3] = {s->count, s->lhs_count, s->rhs_count};
    uint64_t values[3] = {0};
    for (unsigned p = 0; p < 3; p++) {
        const arrow_cells *cells;
        if (parts[p] == STORED_NONE) continue;
        LODE_TRY(stored_cells(b, parts[p], &cells));
        values[p] = ((const uint64_t *)cells->values)[row];
    }
    *out = (lode_counts){values[0], values[1], values[2], s->info.total};
done:
    return status;
}

static lode_status stored_measures(stored_batch *b, uint32_t measure, stored_range r, double *out) {
    lode_status status = LODE_OK;
    lode_rule rule = {.size = sizeof rule,
                      .n_lhs = 1,
                      .n_rhs = 1,
                      .best_confidence = NAN,
                      .best_lift = NAN,
                      .adjusted_p = NAN};
    for (uint32_t i = 0; i < r.n; i++) {
        out[i] = 0;
        if (!r.mask[i]) continue;
        if (i % 64 == 0) LODE_TRY(job_check(b->store->job)); /* some measures are sums */
        LODE_TRY(stored_counts_of(b, r.from + i, &rule.counts));
        out[i] = lode_measure_value(measure, &rule);
    }
done:
    return status;
}

/* The counts of a row's items. An item without a count has 0, which makes the measures NaN. */
static lode_status stored_item_counts(const stored_batch *b, const arrow_cells *cells, uint32_t row,
                                      vec_u64 *out) {
    const lode_store *s = b->store;
    arrow_list list = arrow_list_at(cells, row);
    out->n = 0;
    lode_status status = vec_u64_reserve(&s->job->mem, out, list.n);
    for (uint32_t i = 0; i < list.n && status == LODE_OK; i++) {
        uint32_t code = MAPPED_READ(((const uint32_t *)cells->values)[list.first + i]);
        out->data[out->n++] = code < s->n_item_counts ? s->item_counts[code] : 0;
    }
    return status;
}

static lode_status stored_itemset_measures(stored_batch *b, uint32_t measure, stored_range r,
                                           double *out) {
    lode_status status = LODE_OK;
    const lode_store *s = b->store;
    const arrow_cells *items, *counts;
    vec_u64 of_items = {0};
    LODE_TRY(stored_cells(b, s->items, &items));
    LODE_TRY(stored_cells(b, s->count, &counts));
    for (uint32_t i = 0; i < r.n; i++) {
        uint32_t row = r.from + i;
        out[i] = 0;
        if (!r.mask[i]) continue;
        LODE_TRY(stored_item_counts(b, items, row, &of_items));
        out[i] = lode_itemset_measure_value(measure, of_items.data, of_items.n,
                                            ((const uint64_t *)counts->values)[row], s->info.total);
    }
done:
    vec_u64_free(&s->job->mem, &of_items);
    return status;
}

static lode_status stored_shares(stored_batch *b, stored_range r, double *out) {
    const arrow_cells *cells;
    lode_status status = stored_cells(b, b->store->count, &cells);
    if (status != LODE_OK) return status;
    const uint64_t *counts = (const uint64_t *)cells->values + r.from;
    double total = (double)b->store->info.total;
    for (uint32_t i = 0; i < r.n; i++) out[i] = (double)counts[i] / total;
    return LODE_OK;
}

lode_status stored_reals(stored_batch *b, const stored_column *c, stored_range r, double *out) {
    const arrow_cells *cells;
    if (c->form == STORED_MEASURE) return stored_measures(b, c->at, r, out);
    if (c->form == STORED_ITEMSET) return stored_itemset_measures(b, c->at, r, out);
    if (c->form == STORED_SHARE) return stored_shares(b, r, out);
    if (c->type == LODE_COLUMN_COUNT) {
        uint64_t counts[64]; /* in short runs: this may be on any thread's stack */
        for (uint32_t at = 0; at < r.n; at += 64) {
            stored_range part = {r.from + at, r.n - at < 64 ? r.n - at : 64, r.mask + at};
            lode_status status = stored_counts(b, c, part, counts);
            if (status != LODE_OK) return status;
            for (uint32_t i = 0; i < part.n; i++) out[at + i] = (double)counts[i];
        }
        return LODE_OK;
    }
    lode_status status = stored_cells(b, c->at, &cells);
    if (status != LODE_OK) return status;
    memcpy(out, (const double *)cells->values + r.from, r.n * sizeof *out);
    return LODE_OK;
}
