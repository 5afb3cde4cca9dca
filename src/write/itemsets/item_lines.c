/* item_lines.c - see item_lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_lines.h"

#include <math.h>

#include "base/decimal.h"
#include "write/core/digits.h"

/* ---- the formats --------------------------------------------------------------------------- */

#define LODE_ITEM_FORMAT(name) extern const item_format item_format_##name;
#include "write/itemsets/formats.def"
#undef LODE_ITEM_FORMAT

const item_format *const item_formats[] = {
#define LODE_ITEM_FORMAT(name) &item_format_##name,
#include "write/itemsets/formats.def"
#undef LODE_ITEM_FORMAT
};

const char *const item_format_names[] = {
#define LODE_ITEM_FORMAT(name) #name,
#include "write/itemsets/formats.def"
#undef LODE_ITEM_FORMAT
    NULL,
};

/* ---- the text of items --------------------------------------------------------------------- */

lode_status lines_init(lines *l, mem *m, const lode_dataset *data, const item_format *format,
                       const lode_write_options *o) {
    const csv_style csv = csv_style_of(o->csv_separator);
    const char comma[] = {csv.comma, 0};
    bool columns = format->put_lead != NULL; /* cells are separated as items are */
    label_style style = {columns ? csv.comma : format->separator,
                         columns ? comma : format->quoted_for, o->csv_safe, o->bom};
    *l = (lines){
        .format = format, .n_transactions = data->total_weight, .head = format->head, .csv = csv};
    lode_status status = labels_init(&l->labels, m, data, &style);
    if (status == LODE_OK && format->names_done) status = format->names_done(l);
    if (status != LODE_OK) lines_clear(l);
    return status;
}

void lines_clear(lines *l) {
    if (l->labels.mem) item_measures_free(&l->measures, l->labels.mem);
    labels_clear(&l->labels);
    *l = (lines){0};
}

lode_status lines_init_codes(lines *l, mem *m, uint32_t n_items, const uint32_t *codes) {
    *l = (lines){.head = ""};
    return labels_init_codes(&l->labels, m, n_items, codes);
}

/* ---- measures ------------------------------------------------------------------------------ */

lode_status lines_measure(lines *l, lode_job *job, const lode_dataset *data,
                          group_contrast *classes, const lode_write_options *o) {
    return item_measures_choose(&l->measures, job, data, classes, o);
}

size_t lines_measure_bytes(const lines *l) {
    return l->measures.n * (ITEM_MEASURE_NAME + DECIMAL_BYTES + sizeof " #: ");
}

char *lines_put_measures(const lines *l, char *to, const double *values) {
    const item_format *f = l->format;
    if (f->put_lead) return f->put_measures(l, to, values);
    to = f->put_measures(l, to - strlen(f->closing), values);
    return lines_put(to, f->closing);
}

/* ---- itemsets as the implementations of the FIMI workshops print them: a b c (45) ------------ */

static char *fimi_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size;
    *to++ = ' ';
    *to++ = '(';
    to = digits_put(to, support);
    *to++ = ')';
    *to++ = '\n';
    return to;
}

/* People read this format: six digits are enough. */
static char *fimi_put_measures(const lines *l, char *to, const double *values) {
    for (uint32_t i = 0; i < l->measures.n; i++) {
        to = decimal_put_short(lines_put(to, ", "), values[i]);
    }
    return to;
}

const item_format item_format_fimi = {
    .title = "",
    .head = "",
    .separator = ' ',
    .quoted_for = " ()",
    .has_plain_tails = true,
    .put_tail = fimi_put_tail,
    .put_measures = fimi_put_measures,
    .closing = ")\n",
};

/* ---- itemsets as SPMF prints them: a b c #SUP: 45 -------------------------------------------- */

static char *spmf_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size;
    to = digits_put(lines_put(to, " #SUP: "), support);
    *to++ = '\n';
    return to;
}

static char *spmf_put_measures(const lines *l, char *to, const double *values) {
    for (uint32_t i = 0; i < l->measures.n; i++) {
        to = lines_put(to, " #");
        for (const char *c = l->measures.list[i].name; *c; c++) {
            *to++ = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
        }
        to = decimal_put(lines_put(to, ": "), values[i]);
    }
    return to;
}

const item_format item_format_spmf = {
    .title = "",
    .head = "",
    .separator = ' ',
    .quoted_for = " ()",
    .has_plain_tails = true,
    .put_tail = spmf_put_tail,
    .put_measures = spmf_put_measures,
    .closing = "\n",
};

/* ---- itemsets as csv: with all items in one cell, or with a column for each ------------------ */

/*     cell      a|b|c,3,45,0.045          header: items,size,count,support
 *     columns   45,0.045,3,a,b,c          header: count,support,size,item1,… */

/* If one cell needs quotes, all get them: then every line begins alike. */
static lode_status csv_quote_cells(lines *l) {
    lode_status status = labels_quote_cells(&l->labels, l->csv.comma, &l->quote_cell);
    if (l->quote_cell) l->head = "\"";
    return status;
}

static char *csv_put_share(const lines *l, char *to, uint64_t support) {
    return csv_set_point(&l->csv, to, digits_put_ratio(to, support, l->n_transactions));
}

static char *csv_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    if (l->quote_cell) *to++ = '"';
    *to++ = l->csv.comma;
    to = digits_put(to, size);
    *to++ = l->csv.comma;
    to = digits_put(to, support);
    *to++ = l->csv.comma;
    to = csv_put_share(l, to, support);
    *to++ = '\n';
    return to;
}

static char *csv_put_lead(const lines *l, char *to, uint32_t size, uint64_t support) {
    to = digits_put(to, support);
    *to++ = l->csv.comma;
    to = csv_put_share(l, to, support);
    *to++ = l->csv.comma;
    to = digits_put(to, size);
    *to++ = l->csv.comma;
    return to;
}

static char *csv_put_end(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size, (void)support;
    *to++ = '\n';
    return to;
}

static char *csv_put_number(const lines *l, char *to, double value) {
    return csv_set_point(&l->csv, to, decimal_put(to, value));
}

static char *csv_put_measures(const lines *l, char *to, const double *values) {
    for (uint32_t i = 0; i < l->measures.n; i++) {
        *to++ = l->csv.comma;
        to = csv_put_number(l, to, values[i]);
    }
    return to;
}

/* The lead ends with a comma. */
static char *csv_put_lead_measures(const lines *l, char *to, const double *values) {
    for (uint32_t i = 0; i < l->measures.n; i++) {
        to = csv_put_number(l, to, values[i]);
        *to++ = l->csv.comma;
    }
    return to;
}

static const item_format csv_columns = {
    .title = "count,support,size",
    .head = "",
    .separator = ',',
    .quoted_for = ",",
    .put_lead = csv_put_lead,
    .put_tail = csv_put_end,
    .put_measures = csv_put_lead_measures,
};

const item_format item_format_csv = {
    .title = "items,size,count,support\n",
    .head = "",
    .separator = '|',
    .quoted_for = "|",
    .columns = &csv_columns,
    .names_done = csv_quote_cells,
    .put_tail = csv_put_tail,
    .put_measures = csv_put_measures,
    .closing = "\n",
};

/* ---- itemsets as lines of JSON: {"items":["a","b"],"count":45,"support":0.045} --------------- */

static char *jsonl_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)size;
    to = digits_put(lines_put(to, "],\"count\":"), support);
    to = digits_put_ratio(lines_put(to, ",\"support\":"), support, l->n_transactions);
    *to++ = '}';
    *to++ = '\n';
    return to;
}

/* JSON has no infinity: such a number is null. */
static char *jsonl_put_measures(const lines *l, char *to, const double *values) {
    for (uint32_t i = 0; i < l->measures.n; i++) {
        to = lines_put(lines_put(lines_put(to, ",\""), l->measures.list[i].name), "\":");
        to = isfinite(values[i]) ? decimal_put(to, values[i]) : lines_put(to, "null");
    }
    return to;
}

const item_format item_format_jsonl = {
    .title = "",
    .head = "{\"items\":[",
    .separator = ',',
    .has_plain_tails = true,
    .put_tail = jsonl_put_tail,
    .put_measures = jsonl_put_measures,
    .closing = "}\n",
};
