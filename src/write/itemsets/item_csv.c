/* item_csv.c - itemsets as csv: with all items in one cell, or with a column for each
 *
 *     cell      a|b|c,3,45,0.045          header: items,size,count,support
 *     columns   45,0.045,3,a,b,c          header: count,support,size,item1,…
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/itemsets/item_lines.h"

/* If one cell needs quotes, all get them: then every line begins alike. */
static lode_status csv_quote_cells(lines *l) {
    lode_status status = labels_quote_cells(&l->labels, &l->quote_cell);
    if (l->quote_cell) l->head = "\"";
    return status;
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
