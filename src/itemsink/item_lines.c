/* item_lines.c - see item_lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/item_lines.h"

#include <string.h>

#include "base/utf8.h"
#include "sink/sink_text.h"

/* ---- the formats --------------------------------------------------------------------------- */

#define LODE_ITEM_FORMAT(name) extern const item_format item_format_##name;
#include "itemsink/formats.def"
#undef LODE_ITEM_FORMAT

const item_format *const item_formats[] = {
#define LODE_ITEM_FORMAT(name) &item_format_##name,
#include "itemsink/formats.def"
#undef LODE_ITEM_FORMAT
};

const char *const item_format_names[] = {
#define LODE_ITEM_FORMAT(name) #name,
#include "itemsink/formats.def"
#undef LODE_ITEM_FORMAT
    NULL,
};

/* ---- the text of items --------------------------------------------------------------------- */

static inline bool name_has_special(const char *special, unsigned char c) {
    while (*special && (unsigned char)*special != c) special++;
    return *special;
}

static bool name_needs_quotes(const char *name, size_t n, const char *quoted_for) {
    if (n == 0) return true;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c < ' ' || c == '"' || name_has_special(quoted_for, c)) return true;
    }
    return false;
}

static lode_status lines_put_name(lines *l, bool number, const char *name, size_t n) {
    const char *quoted_for = l->format->quoted_for;
    if (number) return vec_char_append(l->mem, &l->text, name, n);
    if (!quoted_for) return utf8_put_json(l->mem, &l->text, name, n);
    return name_needs_quotes(name, n, quoted_for) ? text_put_quoted(l->mem, &l->text, name, n)
                                                  : vec_char_append(l->mem, &l->text, name, n);
}

static lode_status lines_add_items(lines *l, const lode_dataset *data) {
    lode_status status = LODE_OK;
    vec_char name = {0};
    for (uint32_t id = 0; id < l->n_items; id++) {
        if (data->item_supports[id] == 0) continue;
        name.n = dataset_id_name(data, id, name.data, name.cap);
        if (name.n > name.cap) {
            size_t n = name.n;
            name.n = 0;
            LODE_TRY(vec_char_reserve(l->mem, &name, n));
            name.n = dataset_id_name(data, id, name.data, name.cap);
        }
        uint64_t at = l->text.n;
        LODE_TRY(lines_put_name(l, data->names == NULL, name.data, name.n));
        LODE_TRY(vec_char_append(l->mem, &l->text, &l->format->separator, 1));
        l->items[id] = (line_item){at, (uint32_t)(l->text.n - at)};
    }
done:
    vec_char_free(l->mem, &name);
    return status;
}

lode_status lines_init(lines *l, mem *m, const lode_dataset *data, const item_format *format) {
    lode_status status = LODE_OK;
    *l = (lines){.mem = m, .format = format, .n_transactions = data->total_weight};
    l->head = format->head;
    l->n_items = data->item_bound;
    LODE_TRY(mem_zalloc(m, (void **)&l->items, l->n_items * sizeof *l->items));
    LODE_TRY(lines_add_items(l, data));
    if (format->names_done) LODE_TRY(format->names_done(l));
    for (uint32_t id = 0; id < l->n_items; id++) {
        if (l->items[id].length > l->longest) l->longest = l->items[id].length;
    }
    LODE_TRY(vec_char_reserve(m, &l->text, LINES_PAD));
    memset(l->text.data + l->text.n, 0, LINES_PAD);
done:
    if (status != LODE_OK) lines_clear(l);
    return status;
}

void lines_clear(lines *l) {
    if (!l->mem) return;
    mem_free(l->mem, l->items, l->n_items * sizeof *l->items);
    vec_char_free(l->mem, &l->text);
    *l = (lines){0};
}

lode_status lines_init_codes(lines *l, mem *m, uint32_t n_items, const uint32_t *codes) {
    lode_status status = LODE_OK;
    *l = (lines){.mem = m, .head = "", .n_items = n_items, .longest = sizeof(uint32_t)};
    LODE_TRY(mem_zalloc(m, (void **)&l->items, n_items * sizeof *l->items));
    LODE_TRY(vec_char_reserve(m, &l->text, n_items * sizeof *codes + LINES_PAD));
    for (uint32_t id = 0; id < n_items; id++) {
        uint32_t code = codes ? codes[id] : id;
        l->items[id] = (line_item){id * sizeof code, sizeof code};
        memcpy(l->text.data + id * sizeof code, &code, sizeof code);
    }
    l->text.n = n_items * sizeof *codes;
    memset(l->text.data + l->text.n, 0, LINES_PAD);
done:
    if (status != LODE_OK) lines_clear(l);
    return status;
}
