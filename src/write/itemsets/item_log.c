/* item_log.c - see item_log.h
 *
 * A log is a sequence of entries, which consist of u32 numbers: a header, then lists. The supports
 * of a batch are u64 and start at an even position.
 *
 *     batch    n_prefix, n, 0, 0 | prefix, items, (padding) supports
 *     family   n_prefix, n_items, n_perfect, 1 + has_gaps, min, 0 | prefix, perfect, items,
 *              supports
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_log.h"

#define BATCH_HEADER  4
#define FAMILY_HEADER 6

/* ---- writing a log -------------------------------------------------------------------------- */

static size_t log_even(size_t n) {
    return n + n % 2;
}

/* Makes room for an entry of this many words and patterns. */
static lode_status log_reserve(held *h, mem *m, vec_u32 *log, uint64_t patterns, uint64_t words,
                               bool *is_held) {
    *is_held = held_take(h, patterns, words * sizeof(uint32_t));
    if (!*is_held) return LODE_OK;
    lode_status status = vec_u32_reserve(m, log, (size_t)words);
    if (status == LODE_OK) return status;
    held_let_flow(h); /* memory is short */
    *is_held = false;
    return held_is_short(status) ? LODE_OK : status;
}

static void log_put(vec_u32 *log, const void *from, size_t n) {
    if (n > 0) memcpy(log->data + log->n, from, n * sizeof *log->data);
    log->n += n;
}

lode_status log_add_batch(held *h, mem *m, vec_u32 *log, const lode_batch *batch, bool *is_held) {
    uint64_t lists = log_even((size_t)batch->n_prefix + batch->n);
    uint64_t words = BATCH_HEADER + lists + 2 * (uint64_t)batch->n;
    lode_status status = log_reserve(h, m, log, batch->n, words, is_held);
    if (status != LODE_OK || !*is_held) return status;
    size_t end = log->n + (size_t)words;
    log_put(log, (const uint32_t[]){batch->n_prefix, batch->n, 0, 0}, BATCH_HEADER);
    log_put(log, batch->prefix, batch->n_prefix);
    log_put(log, batch->items, batch->n);
    if (log->n % 2) log->data[log->n++] = 0;
    log_put(log, batch->supports, 2 * (size_t)batch->n);
    log->n = end;
    return LODE_OK;
}

lode_status log_add_family(held *h, mem *m, vec_u32 *log, const sink_lattice *f, uint64_t patterns,
                           bool *is_held) {
    size_t table = (size_t)1 << f->n_items;
    size_t words = FAMILY_HEADER + (size_t)f->n_prefix + f->n_perfect + f->n_items + table;
    lode_status status = log_reserve(h, m, log, patterns, log_even(words), is_held);
    if (status != LODE_OK || !*is_held) return status;
    const uint32_t header[FAMILY_HEADER] = {
        f->n_prefix, f->n_items, f->n_perfect, 1 + (uint32_t)f->has_gaps, f->min, 0};
    log_put(log, header, FAMILY_HEADER);
    log_put(log, f->prefix, f->n_prefix);
    log_put(log, f->perfect, f->n_perfect);
    log_put(log, f->items, f->n_items);
    log_put(log, f->supports, table);
    if (log->n % 2) log->data[log->n++] = 0;
    return LODE_OK;
}

lode_status log_keep(vec_u32 *kept, mem *m, const vec_u32 *log, bool *is_held) {
    *is_held = true;
    if (log->n == 0) return LODE_OK;
    lode_status status = vec_u32_reserve(m, kept, log->n);
    *is_held = status == LODE_OK;
    if (*is_held) log_put(kept, log->data, log->n);
    return held_is_short(status) ? LODE_OK : status;
}

/* ---- reading it ----------------------------------------------------------------------------- */

static const uint32_t *log_take(const uint32_t **at, size_t n) {
    const uint32_t *words = *at;
    *at += n;
    return words;
}

bool log_next(const vec_u32 *log, size_t *at, log_entry *out) {
    if (*at >= log->n) return false;
    const uint32_t *header = log->data + *at, *p = header;
    *out = (log_entry){.is_family = header[3] != 0};
    if (out->is_family) {
        sink_lattice *f = &out->family;
        p += FAMILY_HEADER;
        *f = (sink_lattice){.n_prefix = header[0], .n_items = header[1], .n_perfect = header[2]};
        f->has_gaps = header[3] > 1;
        f->min = header[4];
        f->prefix = log_take(&p, f->n_prefix);
        f->perfect = log_take(&p, f->n_perfect);
        f->items = log_take(&p, f->n_items);
        f->supports = log_take(&p, (size_t)1 << f->n_items);
    } else {
        lode_batch *b = &out->batch;
        p += BATCH_HEADER;
        *b = (lode_batch){.n_prefix = header[0], .n = header[1]};
        b->prefix = log_take(&p, b->n_prefix);
        b->items = log_take(&p, b->n);
        p += (p - log->data) % 2;
        b->supports = (const uint64_t *)(const void *)log_take(&p, 2 * (size_t)b->n);
    }
    *at = log_even((size_t)(p - log->data));
    return true;
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* Appends the prefix with the items of a set, once for each subset of the perfect extensions. */
static lode_status log_expand_set(const sink_lattice *f, uint32_t set, mem *m, vec_u32 *scratch,
                                  columns *out) {
    uint64_t support = f->supports[set];
    for (uint32_t some = 0; some < (uint32_t)1 << f->n_perfect; some++) {
        uint32_t *items = scratch->data;
        size_t n = f->n_prefix;
        if (n > 0) memcpy(items, f->prefix, n * sizeof *items);
        for (uint32_t i = 0; i < f->n_items; i++) {
            if (set >> i & 1) items[n++] = f->items[i];
        }
        for (uint32_t i = 0; i < f->n_perfect; i++) {
            if (some >> i & 1) items[n++] = f->perfect[i];
        }
        lode_batch one = {.prefix = items,
                          .n_prefix = (uint32_t)n - 1,
                          .items = items + n - 1,
                          .supports = &support,
                          .n = 1};
        lode_status status = columns_append(m, out, &one);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

static lode_status log_expand_family(const sink_lattice *f, mem *m, columns *out) {
    vec_u32 scratch = {0};
    size_t most = (size_t)f->n_prefix + f->n_items + f->n_perfect;
    lode_status status = vec_u32_reserve(m, &scratch, most);
    uint32_t end = (uint32_t)1 << f->n_items;
    for (uint32_t set = f->n_items > 0; set < end && status == LODE_OK; set++) {
        if (f->supports[set] >= f->min) status = log_expand_set(f, set, m, &scratch, out);
    }
    vec_u32_free(m, &scratch);
    return status;
}

lode_status log_sort(const vec_u32 *log, mem *m, columns *out) {
    lode_status status = LODE_OK;
    log_entry e;
    for (size_t at = 0; status == LODE_OK && log_next(log, &at, &e);) {
        status =
            e.is_family ? log_expand_family(&e.family, m, out) : columns_append(m, out, &e.batch);
    }
    return status == LODE_OK ? columns_sort(m, out, COLUMNS_BY_SUPPORT, NULL) : status;
}
