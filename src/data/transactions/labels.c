/* labels.c - see labels.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/labels.h"

#include "base/utf8.h"

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

static lode_status labels_put_name(labels *l, const char *quoted_for, const char *name, size_t n) {
    if (!quoted_for) return utf8_put_json(l->mem, &l->text, name, n);
    return name_needs_quotes(name, n, quoted_for) ? utf8_put_quoted(l->mem, &l->text, name, n)
                                                  : vec_char_append(l->mem, &l->text, name, n);
}

static lode_status labels_add(labels *l, const lode_dataset *data, const label_style *style) {
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
        if (style->utf8) LODE_TRY(utf8_convert(l->mem, &name));
        if (style->safe) LODE_TRY(utf8_mark_formula(l->mem, &name));
        uint64_t at = l->text.n;
        LODE_TRY(data->names ? labels_put_name(l, style->quoted_for, name.data, name.n)
                             : vec_char_append(l->mem, &l->text, name.data, name.n));
        LODE_TRY(vec_char_append(l->mem, &l->text, &style->separator, 1));
        l->items[id] = (label){at, (uint32_t)(l->text.n - at)};
    }
done:
    vec_char_free(l->mem, &name);
    return status;
}

/* After the text has changed. */
static lode_status labels_settle(labels *l) {
    l->longest = 0;
    for (uint32_t id = 0; id < l->n_items; id++) {
        if (l->items[id].length > l->longest) l->longest = l->items[id].length;
    }
    lode_status status = vec_char_reserve(l->mem, &l->text, LABEL_PAD);
    if (status == LODE_OK) memset(l->text.data + l->text.n, 0, LABEL_PAD);
    return status;
}

lode_status labels_init(labels *l, mem *m, const lode_dataset *data, const label_style *style) {
    lode_status status = LODE_OK;
    *l = (labels){.mem = m, .n_items = data->item_bound};
    LODE_TRY(mem_zalloc(m, (void **)&l->items, l->n_items * sizeof *l->items));
    LODE_TRY(labels_add(l, data, style));
    LODE_TRY(labels_settle(l));
done:
    if (status != LODE_OK) labels_clear(l);
    return status;
}

void labels_clear(labels *l) {
    if (!l->mem) return;
    mem_free(l->mem, l->items, l->items ? l->n_items * sizeof *l->items : 0);
    vec_char_free(l->mem, &l->text);
    *l = (labels){0};
}

static lode_status labels_double_quotes(labels *l) {
    lode_status status = LODE_OK;
    vec_char doubled = {0};
    for (uint32_t id = 0; id < l->n_items; id++) {
        label *item = &l->items[id];
        uint64_t at = doubled.n;
        for (uint32_t i = 0; i < item->length; i++) {
            char c = l->text.data[item->at + i];
            if (c == '"') LODE_TRY(vec_char_append(l->mem, &doubled, "\"", 1));
            LODE_TRY(vec_char_append(l->mem, &doubled, &c, 1));
        }
        *item = (label){at, (uint32_t)(doubled.n - at)};
    }
    vec_char old = l->text;
    l->text = doubled;
    doubled = old;
done:
    vec_char_free(l->mem, &doubled);
    return status;
}

lode_status labels_quote_cells(labels *l, char comma, bool *quoted) {
    lode_status status = LODE_OK;
    *quoted = l->text.n > 0 &&
              (memchr(l->text.data, comma, l->text.n) || memchr(l->text.data, '"', l->text.n));
    if (!*quoted) return LODE_OK;
    LODE_TRY(labels_double_quotes(l));
    LODE_TRY(labels_settle(l));
done:
    return status;
}

lode_status labels_init_codes(labels *l, mem *m, uint32_t n_items, const uint32_t *codes) {
    lode_status status = LODE_OK;
    size_t bytes = n_items * sizeof *codes;
    *l = (labels){.mem = m, .n_items = n_items, .longest = sizeof *codes};
    LODE_TRY(mem_zalloc(m, (void **)&l->items, n_items * sizeof *l->items));
    LODE_TRY(vec_char_reserve(m, &l->text, bytes + LABEL_PAD));
    for (uint32_t id = 0; id < n_items; id++) {
        uint32_t code = codes ? codes[id] : id;
        l->items[id] = (label){id * sizeof code, sizeof code};
        memcpy(l->text.data + id * sizeof code, &code, sizeof code);
    }
    l->text.n = bytes;
    memset(l->text.data + bytes, 0, LABEL_PAD);
done:
    if (status != LODE_OK) labels_clear(l);
    return status;
}
