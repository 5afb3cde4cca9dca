/* item_csv.c - itemsets as csv: with all items in one cell, or with a column for each
 *
 *     cell      a|b|c,3,45,0.045          header: items,size,count,support
 *     columns   45,0.045,3,a,b,c          header: count,support,size,item1,…
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/item_lines.h"
#include "sink/digits.h"

/* A name with a comma or in quotes needs the cell in quotes, and those within it doubled. */
static bool csv_cell_needs_quotes(const lines *l) {
    if (l->text.n == 0) return false;
    return memchr(l->text.data, ',', l->text.n) || memchr(l->text.data, '"', l->text.n);
}

static lode_status csv_double_quotes(lines *l) {
    lode_status status = LODE_OK;
    vec_char doubled = {0};
    for (uint32_t id = 0; id < l->n_items; id++) {
        line_item *item = &l->items[id];
        uint64_t at = doubled.n;
        for (uint32_t i = 0; i < item->length; i++) {
            char c = l->text.data[item->at + i];
            if (c == '"') LODE_TRY(vec_char_append(l->mem, &doubled, "\"", 1));
            LODE_TRY(vec_char_append(l->mem, &doubled, &c, 1));
        }
        *item = (line_item){at, (uint32_t)(doubled.n - at)};
    }
    vec_char old = l->text;
    l->text = doubled;
    doubled = old;
done:
    vec_char_free(l->mem, &doubled);
    return status;
}

/* If one cell needs quotes, all get them: then every line begins alike. */
static lode_status csv_quote_cells(lines *l) {
    l->quote_cell = csv_cell_needs_quotes(l);
    if (!l->quote_cell) return LODE_OK;
    l->head = "\"";
    return csv_double_quotes(l);
}

static char *csv_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    if (l->quote_cell) *to++ = '"';
    *to++ = ',';
    to = digits_put(to, size);
    *to++ = ',';
    to = digits_put(to, support);
    *to++ = ',';
    to = digits_put_ratio(to, support, l->n_transactions);
    *to++ = '\n';
    return to;
}

static char *csv_put_lead(const lines *l, char *to, uint32_t size, uint64_t support) {
    to = digits_put(to, support);
    *to++ = ',';
    to = digits_put_ratio(to, support, l->n_transactions);
    *to++ = ',';
    to = digits_put(to, size);
    *to++ = ',';
    return to;
}

static char *csv_put_end(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size, (void)support;
    *to++ = '\n';
    return to;
}

static const item_format csv_columns = {
    .title = "count,support,size",
    .head = "",
    .separator = ',',
    .quoted_for = ",",
    .put_lead = csv_put_lead,
    .put_tail = csv_put_end,
};

const item_format item_format_csv = {
    .title = "items,size,count,support\n",
    .head = "",
    .separator = '|',
    .quoted_for = "|",
    .columns = &csv_columns,
    .names_done = csv_quote_cells,
    .put_tail = csv_put_tail,
};
