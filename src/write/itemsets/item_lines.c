/* item_lines.c - see item_lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_lines.h"

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
                       bool safe) {
    label_style style = {format->separator, format->quoted_for, safe};
    *l = (lines){.format = format, .n_transactions = data->total_weight, .head = format->head};
    lode_status status = labels_init(&l->labels, m, data, &style);
    if (status == LODE_OK && format->names_done) status = format->names_done(l);
    if (status != LODE_OK) lines_clear(l);
    return status;
}

void lines_clear(lines *l) {
    labels_clear(&l->labels);
    *l = (lines){0};
}

lode_status lines_init_codes(lines *l, mem *m, uint32_t n_items, const uint32_t *codes) {
    *l = (lines){.head = ""};
    return labels_init_codes(&l->labels, m, n_items, codes);
}
