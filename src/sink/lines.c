/* lines.c - see lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/lines.h"

#include <string.h>

#include "base/utf8.h"

/* ---- the text of items --------------------------------------------------------------------- */

#define CELL_SEPARATOR '|'

static bool name_needs_quotes(const lines *l, const char *name, size_t n) {
    bool csv = l->format == LODE_WRITE_CSV;
    char separator = l->columns ? ',' : CELL_SEPARATOR;
    if (n == 0) return true;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c < ' ' || c == '"') return true;
        if (csv ? c == (unsigned char)separator : c == ' ' || c == '(' || c == ')') return true;
    }
    return false;
}

static lode_status put_quoted(lines *l, const char *name, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(l->mem, &l->text, "\"", 1));
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '"') LODE_TRY(vec_char_append(l->mem, &l->text, "\"", 1));
        LODE_TRY(vec_char_append(l->mem, &l->text, name + i, 1));
    }
    LODE_TRY(vec_char_append(l->mem, &l->text, "\"", 1));
done:
    return status;
}

static lode_status put_name(lines *l, bool number, const char *name, size_t n) {
    if (l->format == LODE_WRITE_JSONL && !number) {
        return utf8_put_json(l->mem, &l->text, name, n);
    }
    if (l->format != LODE_WRITE_JSONL && name_needs_quotes(l, name, n))
        return put_quoted(l, name, n);
    return vec_char_append(l->mem, &l->text, name, n);
}

/* In csv the items share one cell: if a name holds a comma or was quoted, quotes are doubled. */
static bool lines_cell_needs_quotes(const lines *l) {
    if (l->format != LODE_WRITE_CSV || l->columns || l->text.n == 0) return false;
    return memchr(l->text.data, ',', l->text.n) || memchr(l->text.data, '"', l->text.n);
}

static lode_status lines_double_quotes(lines *l) {
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

static lode_status lines_add_items(lines *l, const lode_dataset *data) {
    lode_status status = LODE_OK;
    vec_char name = {0};
    bool comma = l->format == LODE_WRITE_JSONL || l->columns;
    char separator = comma ? ',' : l->format == LODE_WRITE_CSV ? CELL_SEPARATOR : ' ';
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
        LODE_TRY(put_name(l, data->names == NULL, name.data, name.n));
        LODE_TRY(vec_char_append(l->mem, &l->text, &separator, 1));
        l->items[id] = (line_item){at, (uint32_t)(l->text.n - at)};
    }
done:
    vec_char_free(l->mem, &name);
    return status;
}

lode_status lines_init(lines *l, mem *m, const lode_dataset *data,
                       const lode_write_options *options) {
    lode_status status = LODE_OK;
    lode_write_format format = options ? options->format : LODE_WRITE_FIMI;
    bool csv = format == LODE_WRITE_CSV;
    *l = (lines){.mem = m, .format = format, .n_transactions = data->total_weight};
    l->columns = csv && options->csv_items == LODE_CSV_COLUMNS;
    l->n_items = data->item_bound;
    l->title = l->columns ? "count,support,size" : csv ? "items,size,count,support\n" : "";
    LODE_TRY(mem_zalloc(m, (void **)&l->items, l->n_items * sizeof *l->items));
    LODE_TRY(lines_add_items(l, data));
    l->quote_cell = lines_cell_needs_quotes(l);
    if (l->quote_cell) LODE_TRY(lines_double_quotes(l));
    for (uint32_t id = 0; id < l->n_items; id++) {
        if (l->items[id].length > l->longest) l->longest = l->items[id].length;
    }
    l->head = format == LODE_WRITE_JSONL ? "{\"items\":[" : l->quote_cell ? "\"" : "";
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

/* ---- numbers and tails --------------------------------------------------------------------- */

#define BILLION 1000000000u

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static uint32_t four_digits(uint64_t value) {
    uint16_t high, low;
    memcpy(&high, digit_pairs + value / 100 * 2, 2);
    memcpy(&low, digit_pairs + value % 100 * 2, 2);
    return high | (uint32_t)low << 16;
}

static char *put_four(char *to, uint64_t value) {
    uint32_t digits = four_digits(value);
    memcpy(to, &digits, 4);
    return to + 4;
}

static char *put_number(char *to, uint64_t value);

static char *put_large_number(char *to, uint64_t value) {
    return put_four(put_number(to, value / 10000), value % 10000);
}

/* Four digits at a time. May write up to three bytes more. */
static inline char *put_number(char *to, uint64_t value) {
    if (value >= 10000) return put_large_number(to, value);
    unsigned zeros = (unsigned)(value < 1000) + (unsigned)(value < 100) + (unsigned)(value < 10);
    uint32_t digits = four_digits(value) >> 8 * zeros; /* little-endian: the first is lowest */
    memcpy(to, &digits, 4);
    return to + 4 - zeros;
}

static char *put_text(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* support / n in billionths, rounded. The small case is the usual one, and much faster. */
static uint64_t ratio_billionths(uint64_t support, uint64_t n) {
    if (support <= UINT32_MAX && n <= UINT32_MAX) return (support * BILLION + n / 2) / n;
    return (uint64_t)(((unsigned __int128)support * BILLION + n / 2) / n);
}

/* support / n as a decimal fraction of nine places, without closing zeros. */
static char *put_ratio(char *to, uint64_t support, uint64_t n) {
    uint64_t scaled = n ? ratio_billionths(support, n) : 0;
    uint64_t rest = scaled % BILLION;
    to = put_number(to, scaled / BILLION);
    if (rest == 0) return to;
    *to++ = '.';
    *to++ = (char)('0' + rest / 100000000);
    to = put_four(put_four(to, rest / 10000 % 10000), rest % 10000);
    while (to[-1] == '0') to--;
    return to;
}

char *lines_put_lead(const lines *l, char *to, uint32_t size, uint64_t support) {
    to = put_number(to, support);
    *to++ = ',';
    to = put_ratio(to, support, l->n_transactions);
    *to++ = ',';
    to = put_number(to, size);
    *to++ = ',';
    return to;
}

char *lines_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    switch (l->format) {
    case LODE_WRITE_FIMI:
        *to++ = ' ';
        *to++ = '(';
        to = put_number(to, support);
        *to++ = ')';
        break;
    case LODE_WRITE_SPMF: to = put_number(put_text(to, " #SUP: "), support); break;
    case LODE_WRITE_CSV:
        if (l->columns) break;
        if (l->quote_cell) *to++ = '"';
        *to++ = ',';
        to = put_number(to, size);
        *to++ = ',';
        to = put_number(to, support);
        *to++ = ',';
        to = put_ratio(to, support, l->n_transactions);
        break;
    case LODE_WRITE_JSONL:
        to = put_number(put_text(to, "],\"count\":"), support);
        to = put_ratio(put_text(to, ",\"support\":"), support, l->n_transactions);
        *to++ = '}';
        break;
    }
    *to++ = '\n';
    return to;
}
