/* number_bins.c - see number_bins.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/number_bins.h"

#include <math.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/reals.h"
#include "base/sort.h"
#include "data/transactions/derive.h"

#define BINS_MOST_PARTS   10000
#define BINS_MOST_CLASSES 255
#define BINS_NUMBER       64 /* bytes of a number, with a terminating zero */
#define BINS_SHOWN        40 /* bytes of a value in a message */
#define BINS_LIST         200
#define BINS_REPORT       900 /* bytes of the cuts of a column, about */

/* ---- reading the option ---------------------------------------------------------------------- */

static lode_status bins_wrong(lode_job *job, const char *line, size_t n, const char *what) {
    return job_fail(job, LODE_INVALID,
                    "--bins '%.*s': %s; expected COLUMN=quantiles:5, COLUMN=width:5, "
                    "COLUMN=10,20,50 or COLUMN=mdlp:CLASS",
                    (int)n, line, what);
}

static bool bins_is(const bins_column *c, const char *word) {
    size_t n = strlen(word);
    if (c->n_values < n || memcmp(c->values, word, n) != 0) return false;
    return c->n_values > n;
}

static void bins_skip(bins_column *c, size_t n) {
    c->values += n;
    c->n_values -= n;
}

/* Reads the number of ranges. */
static bool bins_read_parts(bins_column *c) {
    uint64_t parts = 0;
    for (size_t i = 0; i < c->n_values; i++) {
        if (c->values[i] < '0' || c->values[i] > '9' || parts > BINS_MOST_PARTS) return false;
        parts = 10 * parts + (uint64_t)(c->values[i] - '0');
    }
    c->parts = (uint32_t)parts;
    return parts >= 2 && parts <= BINS_MOST_PARTS;
}

/* Reads the cuts of "10,20,50", which must ascend. */
static lode_status bins_read_cuts(mem *m, const bins_column *c, bins_cuts *cuts, bool *right) {
    lode_status status = LODE_OK;
    const char *end = c->values + c->n_values;
    *right = true;
    for (const char *p = c->values; *right && p <= end;) {
        const char *stop = memchr(p, ',', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);
        double x;
        *right = n > 0 && !memchr(p, '%', n) && reals_read(p, n, &x) && isfinite(x);
        *right = *right && (cuts->n == 0 || x > cuts->at[cuts->n - 1]);
        if (*right) LODE_TRY(bins_add_cut(m, cuts, x));
        p = stop ? stop + 1 : end + 1;
    }
done:
    return status;
}

static lode_status bins_read_line(lode_job *job, const char *line, size_t n, bins_column *c) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    bins_cuts cuts = {0};
    const char *at = line + n;
    while (at > line && at[-1] != '=') at--;
    if (at <= line + 1) return bins_wrong(job, line, n, "it has no column, or no '='");
    *c = (bins_column){.asked = line,
                       .n_asked = (size_t)(at - line) - 1,
                       .how = BINS_CUTS,
                       .values = at,
                       .n_values = (size_t)(line + n - at)};
    if (bins_is(c, "quantiles:") || bins_is(c, "width:")) {
        c->how = c->values[0] == 'q' ? BINS_QUANTILES : BINS_WIDTH;
        bins_skip(c, c->how == BINS_QUANTILES ? 10 : 6);
        if (!bins_read_parts(c)) return bins_wrong(job, line, n, "expected 2 to 10000 ranges");
    } else if (bins_is(c, "mdlp:")) {
        c->how = BINS_MDLP;
        bins_skip(c, 5);
    } else {
        bool right;
        LODE_TRY(bins_read_cuts(m, c, &cuts, &right));
        if (!right) status = bins_wrong(job, line, n, "these are no ascending numbers");
    }
done:
    mem_free(m, cuts.at, cuts.cap * sizeof *cuts.at);
    return status;
}

lode_status bins_parse(lode_job *job, const char *text, bins **out) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    bins *b = NULL;
    size_t lines = 1;
    *out = NULL;
    if (!text) return LODE_OK;
    for (const char *p = text; *p; p++) lines += *p == '\n';
    LODE_TRY(mem_zalloc(m, (void **)&b, sizeof *b));
    b->cap = lines;
    LODE_TRY(mem_zalloc(m, (void **)&b->columns, lines * sizeof *b->columns));
    for (const char *end; *text; text = *end ? end + 1 : end) {
        size_t n = strcspn(text, "\n");
        end = text + n;
        if (n > 0) LODE_TRY(bins_read_line(job, text, n, &b->columns[b->n++]));
    }
    *out = b;
    b = NULL;
done:
    bins_free(m, b);
    return status;
}

void bins_free(mem *m, bins *b) {
    if (!b) return;
    for (size_t i = 0; b->columns && i < b->cap; i++) {
        vec_char_free(m, &b->columns[i].prefix);
        vec_char_free(m, &b->columns[i].class_prefix);
    }
    mem_free(m, b->columns, b->columns ? b->cap * sizeof *b->columns : 0);
    mem_free(m, b, sizeof *b);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Whether a mark divides digits into groups of three, from the first mark on: 1,234,567. */
static bool bins_are_groups(const char *p, const char *end, char mark) {
    size_t run = 0, groups = 0;
    for (; p < end && (*p == mark || (*p >= '0' && *p <= '9')); p++) {
        if (*p != mark) {
            run++;
            continue;
        }
        if (groups == 0 ? run == 0 || run > 3 : run != 3) return false;
        groups++;
        run = 0;
    }
    return groups > 0 && run == 3;
}

/* The mark between thousands, and that before decimals; 0 = none. A single comma is decimal where
 * it does not separate fields, and before other than three digits. */
static void bins_marks(const char *text, size_t n, char separator, char *thousands, char *decimal) {
    const char *end = text + n, *start = text + (n > 0 && (*text == '-' || *text == '+'));
    const char *comma = memchr(text, ',', n), *point = memchr(text, '.', n);
    *thousands = 0;
    *decimal = '.';
    for (const char *p = " '"; *p; p++) {
        if (bins_are_groups(start, end, *p)) *thousands = *p;
    }
    if (comma && (!point || comma > point)) *decimal = ',';
    if (comma && point) {
        char mark = comma < point ? ',' : '.';
        if (bins_are_groups(start, comma < point ? point : comma, mark)) *thousands = mark;
    } else if (comma && bins_are_groups(start, end, ',')) {
        bool several = memchr(comma + 1, ',', (size_t)(end - comma - 1)) != NULL;
        if (several || separator == ',') *thousands = ',', *decimal = '.';
    } else if (point && memchr(point + 1, '.', (size_t)(end - point - 1))) {
        if (bins_are_groups(start, end, '.')) *thousands = '.', *decimal = ',';
    }
}

/* Reads 37, -1.5e3, 1,234.5, 1.234,5, 1 234 and, where fields are not separated by commas, 2,5. */
static bool bins_number(const char *text, size_t n, char separator, double *x) {
    char plain[BINS_NUMBER], thousands, decimal;
    size_t k = 0;
    if (n == 0 || n >= sizeof plain || !memchr("+-.,0123456789", *text, 14)) return false;
    bins_marks(text, n, separator, &thousands, &decimal);
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (c == thousands && thousands) continue;
        if (c == '%' || ((c | 0x20) >= 'a' && (c | 0x20) != 'e')) return false;
        if (c != decimal && (c == ',' || c == '.')) return false;
        plain[k++] = c == decimal ? '.' : c;
    }
    return reals_read(plain, k, x) && isfinite(*x);
}

/* ---- a column -------------------------------------------------------------------------------- */

/* The work of bins_apply(). */
typedef struct bins_work {
    lode_job *job;
    const char *name;
    char separator;
    const lode_dataset *data;
    dict *names;  /* the new items */
    uint32_t *to; /* by id */
    vec_char text, report;
    /* of the present column */
    const bins_column *column;
    bins_value *values;
    size_t n, cap;
    uint64_t n_odd; /* values that are not numbers */
    bins_cuts cuts;
} bins_work;

static bool bins_value_before(const bins_value *a, const bins_value *b) {
    return a->x != b->x ? a->x < b->x : a->id < b->id;
}

#define SORT_NAME   sort_bins_values
#define SORT_TYPE   bins_value
#define SORT_BEFORE bins_value_before
#include "base/sort_body.h"

/* The value of an item of the column with this prefix; NULL = it is of another column. */
static const char *bins_value_of(const bins_work *b, uint32_t id, const vec_char *prefix,
                                 size_t *n) {
    const char *name = dict_name(b->data->names, id, n);
    if (*n < prefix->n || memcmp(name, prefix->data, prefix->n) != 0) return NULL;
    *n -= prefix->n;
    return name + prefix->n;
}

/* Collects the numbers of a column. `odd` receives some of the other values. */
static lode_status bins_collect(bins_work *b, char odd[BINS_LIST]) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    b->n = 0;
    b->n_odd = 0;
    odd[0] = 0;
    for (uint32_t id = 0; id < b->data->item_bound; id++) {
        size_t n;
        const char *text = bins_value_of(b, id, &b->column->prefix, &n);
        bins_value v = {.id = id, .weight = b->data->item_supports[id]};
        if (!text || v.weight == 0 || (n == strlen(BINS_MISSING) && !memcmp(text, BINS_MISSING, n)))
            continue;
        if (!bins_number(text, n, b->separator, &v.x)) {
            if (b->n_odd++ < 3) {
                append_text(odd, BINS_LIST, "%s'%.*s'", odd[0] ? ", " : "",
                            (int)(n < BINS_SHOWN ? n : BINS_SHOWN), text);
            }
            continue;
        }
        LODE_TRY(vec_grow(m, (void **)&b->values, b->n, &b->cap, 1, sizeof *b->values));
        b->values[b->n++] = v;
    }
    sort_stop stop = job_sort_stop(b->job);
    if (!sort_bins_values(b->values, b->n, &stop)) status = LODE_CANCELLED;
done:
    return status;
}

/* ---- MDLP: the classes of the values --------------------------------------------------------- */

typedef struct bins_classes {
    uint32_t *value_of, *class_of; /* by id, from 1; 0 = the item is of another column */
    size_t n;                      /* classes */
    uint64_t *counts;              /* by value, then by class */
} bins_classes;

/* Numbers the distinct values, and the classes. */
static lode_status bins_number_items(bins_work *b, bins_classes *c) {
    uint32_t value = 0;
    for (size_t i = 0; i < b->n; i++) {
        value += i == 0 || b->values[i].x != b->values[i - 1].x;
        c->value_of[b->values[i].id] = value;
    }
    for (uint32_t id = 0; id < b->data->item_bound; id++) {
        size_t n;
        if (bins_value_of(b, id, &b->column->class_prefix, &n)) c->class_of[id] = (uint32_t)++c->n;
    }
    if (c->n > 0 && c->n <= BINS_MOST_CLASSES) return LODE_OK;
    return job_fail(b->job, LODE_INVALID,
                    "--bins: the column '%.*s' has %zu values; mdlp requires a class with 1 to %d",
                    (int)b->column->class_prefix.n - 1, b->column->class_prefix.data, c->n,
                    BINS_MOST_CLASSES);
}

static void bins_count_block(const bins_work *b, const bins_classes *c, const data_block *block) {
    for (uint32_t i = 0; i < block->n; i++) {
        uint32_t value = 0, class = 0;
        for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
            uint32_t id = block->items[k];
            if (c->value_of[id]) value = c->value_of[id];
            if (c->class_of[id]) class = c->class_of[id];
        }
        if (value == 0 || class == 0) continue;
        c->counts[(value - 1) * c->n + class - 1] +=
            b->data->weights ? b->data->weights[block->first + i] : 1;
    }
}

/* Keeps only values whose transactions have a class; equal values become one. Returns how many. */
static size_t bins_compact(bins_value *distinct, uint64_t *counts, size_t n, size_t n_classes) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < n_classes; k++) sum += counts[i * n_classes + k];
        if (sum == 0) continue;
        distinct[kept] = distinct[i];
        memmove(&counts[kept * n_classes], &counts[i * n_classes], n_classes * sizeof *counts);
        kept++;
    }
    return kept;
}

static lode_status bins_cut_by_class(bins_work *b) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    bins_classes c = {0};
    mem_kept kept = {0};
    bins_value *distinct = NULL;
    size_t n = 0, ids = b->data->item_bound * sizeof *c.value_of;
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&c.value_of, ids));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&c.class_of, ids));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&distinct, b->n * sizeof *distinct));
    LODE_TRY(bins_number_items(b, &c));
    for (size_t i = 0; i < b->n; i++) {
        if (i == 0 || b->values[i].x != b->values[i - 1].x) distinct[n++] = b->values[i];
    }
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&c.counts, n * c.n * sizeof *c.counts));
    for (size_t i = 0; i < b->data->n_blocks; i++) {
        LODE_TRY(job_check(b->job));
        bins_count_block(b, &c, &b->data->blocks[i]);
    }
    n = bins_compact(distinct, c.counts, n, c.n);
    if (n > 1) status = bins_mdlp(m, distinct, n, c.counts, c.n, &b->cuts);
done:
    mem_drop(m, &kept);
    return status;
}

/* ---- new items ------------------------------------------------------------------------------- */

static bool bins_cut_before(const double *a, const double *b) {
    return *a < *b;
}

#define SORT_NAME   sort_bins_cuts
#define SORT_TYPE   double
#define SORT_BEFORE bins_cut_before
#include "base/sort_body.h"

static lode_status bins_find_cuts(bins_work *b) {
    mem *m = &b->job->mem;
    const bins_column *c = b->column;
    bool right;
    b->cuts.n = 0;
    if (c->how == BINS_QUANTILES) return bins_quantiles(m, b->values, b->n, c->parts, &b->cuts);
    if (c->how == BINS_WIDTH) return bins_width(m, b->values, b->n, c->parts, &b->cuts);
    if (c->how == BINS_CUTS) return bins_read_cuts(m, c, &b->cuts, &right);
    lode_status status = bins_cut_by_class(b);
    if (status == LODE_OK) sort_bins_cuts(b->cuts.at, b->cuts.n, NULL);
    return status;
}

/* Writes the name of the range number `bin`, whose upper cut has this number. */
static lode_status bins_name(bins_work *b, size_t bin) {
    char low[REALS_BYTES], high[REALS_BYTES];
    const bins_cuts *cuts = &b->cuts;
    mem *m = &b->job->mem;
    b->text.n = 0;
    lode_status status = vec_char_append(m, &b->text, b->column->prefix.data, b->column->prefix.n);
    if (status != LODE_OK) return status;
    if (bin > 0) reals_put(low, cuts->at[bin - 1], 0);
    if (bin < cuts->n) reals_put(high, cuts->at[bin], 0);
    if (bin == 0) return vec_char_printf(m, &b->text, "<%s", high);
    if (bin == cuts->n) return vec_char_printf(m, &b->text, ">=%s", low);
    return vec_char_printf(m, &b->text, "[%s,%s)", low, high);
}

/* Gives the values of the column their ranges. */
static lode_status bins_assign(bins_work *b) {
    lode_status status = LODE_OK;
    size_t bin = 0;
    uint32_t number = 0;
    bool named = false;
    for (size_t i = 0; i < b->n; i++) {
        for (; bin < b->cuts.n && b->values[i].x >= b->cuts.at[bin]; bin++) named = false;
        if (b->cuts.n == 0) number = DERIVE_DROPPED;
        if (b->cuts.n > 0 && !named) {
            LODE_TRY(bins_name(b, bin));
            LODE_TRY(dict_add(b->names, b->text.data, b->text.n, &number));
            named = true;
        }
        b->to[b->values[i].id] = number;
    }
done:
    return status;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static lode_status bins_tell(bins_work *b, const char *odd) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    char cut[REALS_BYTES];
    size_t from;
    const int n_name = (int)b->column->prefix.n - 1;
    const char *name = b->column->prefix.data;
    if (b->report.n > 0) LODE_TRY(vec_char_append(m, &b->report, "; ", 2));
    from = b->report.n;
    LODE_TRY(vec_char_printf(m, &b->report, "%.*s:", n_name, name));
    for (size_t i = 0; i < b->cuts.n && b->report.n - from < BINS_REPORT; i++) {
        reals_put(cut, b->cuts.at[i], 0);
        LODE_TRY(vec_char_printf(m, &b->report, " %s", cut));
    }
    if (b->report.n - from >= BINS_REPORT) LODE_TRY(vec_char_append(m, &b->report, " …", 4));
    if (b->cuts.n > 0) {
        job_log(b->job, LODE_LOG_INFO, "%s: the numbers of %.*s were divided at%.*s", b->name,
                n_name, name, (int)(b->report.n - from) - n_name - 1,
                b->report.data + from + n_name + 1);
    } else {
        job_log(b->job, LODE_LOG_INFO,
                "%s: the numbers of %.*s were not divided, and are no items: %s", b->name, n_name,
                name,
                b->column->how == BINS_MDLP ? "no cut tells the classes apart well enough"
                                            : "all are the same");
    }
    if (b->n_odd > 0) {
        job_log(b->job, LODE_LOG_INFO, "%s: %llu value%s of %.*s %s no number, and remain%s: %s%s",
                b->name, (unsigned long long)b->n_odd, b->n_odd == 1 ? "" : "s", n_name, name,
                b->n_odd == 1 ? "is" : "are", b->n_odd == 1 ? "s" : "", odd,
                b->n_odd > 3 ? ", …" : "");
    }
done:
    return status;
}

static lode_status bins_do_column(bins_work *b, const bins_column *column) {
    lode_status status = LODE_OK;
    char odd[BINS_LIST];
    b->column = column;
    LODE_TRY(bins_collect(b, odd));
    if (b->n == 0 && b->n_odd > 0) {
        LODE_LEAVE(job_fail(b->job, LODE_INVALID,
                            "--bins: the column '%.*s' has no numbers, but values such as %s",
                            (int)column->prefix.n - 1, column->prefix.data, odd));
    }
    if (b->n == 0) goto done; /* all values are missing */
    LODE_TRY(bins_find_cuts(b));
    LODE_TRY(bins_assign(b));
    status = bins_tell(b, odd);
done:
    return status;
}

/* ---- all columns ----------------------------------------------------------------------------- */

/* All items begin with their own names. */
static lode_status bins_begin(bins_work *b) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    LODE_TRY(dict_create(m, &b->names));
    LODE_TRY(mem_zalloc(m, (void **)&b->to, b->data->item_bound * sizeof *b->to));
    for (uint32_t id = 0; id < b->data->item_bound; id++) {
        size_t n;
        const char *name = dict_name(b->data->names, id, &n);
        LODE_TRY(dict_add(b->names, name, n, &b->to[id]));
    }
done:
    return status;
}

static lode_status bins_derive(bins_work *b, lode_dataset **out) {
    lode_status status = LODE_OK;
    mem *m = &b->job->mem;
    derive_plan plan = {.names = b->names, .to = b->to};
    uint64_t merged;
    LODE_TRY(vec_char_append(m, &b->report, "", 1));
    LODE_TRY(derive_run(b->job, b->data, &plan, out, &merged));
    (*out)->profile.n_skipped = b->data->profile.n_skipped;
    status = vec_char_append((*out)->mem, &(*out)->bins, b->report.data, b->report.n);
done:
    return status;
}

lode_status bins_apply(lode_job *job, const bins *b, const char *name, char separator,
                       lode_dataset **data) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    lode_dataset *out = NULL;
    bins_work work = {.job = job, .name = name, .separator = separator, .data = *data};
    size_t bytes = (*data)->item_bound * sizeof *work.to;
    if (!(*data)->names) return LODE_OK; /* there are no items */
    if ((*data)->spool) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "--bins requires the data in memory; use a larger --memory");
    }
    LODE_TRY(bins_begin(&work));
    for (size_t i = 0; i < b->n; i++) LODE_TRY(bins_do_column(&work, &b->columns[i]));
    LODE_TRY(bins_derive(&work, &out));
    lode_dataset_free(*data);
    *data = out;
done:
    if (status != LODE_OK) lode_dataset_free(out);
    dict_free(work.names);
    mem_free(m, work.to, work.to ? bytes : 0);
    mem_free(m, work.values, work.cap * sizeof *work.values);
    mem_free(m, work.cuts.at, work.cuts.cap * sizeof *work.cuts.at);
    vec_char_free(m, &work.text);
    vec_char_free(m, &work.report);
    return status;
}
