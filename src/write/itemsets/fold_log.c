/* fold_log.c - see fold_log.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/fold_log.h"

#include "write/itemsets/fold_tuning.h"

typedef struct fold_head {
    uint32_t n, n_items, n_perfect, min, has_gaps;
} fold_head;

#define FOLD_HEAD_WORDS (sizeof(fold_head) / sizeof(uint32_t))
#define FOLD_ITEM_WORDS (sizeof(fold_item) / sizeof(uint32_t))

void fold_free(fold_log *log, mem *m) {
    vec_u32_free(m, &log->words);
    mem_free(m, log->rest, log->cap_rest * sizeof *log->rest);
    *log = (fold_log){0};
}

bool fold_is_worth(const sink_lattice *f) {
    uint64_t n = f->n_items == 0, all = (uint64_t)1 << f->n_items;
    for (uint32_t i = 1; i <= f->n_items; i++) n += f->sizes[i];
    return n << f->n_perfect >= FOLD_LEAST && all <= FOLD_GAPS * (n << f->n_perfect);
}

/* The supports of a lattice by subsets of its items in print order, the first item being the first
 * bit: the walk reads them one after the other. The empty subset is none of its patterns. */
static void fold_copy_supports(const sink_lattice *f, const fold_item *items, size_t n,
                               uint32_t *to) {
    uint32_t bits = 0, from[SINK_LATTICE_ITEMS]; /* by bit of the copy, from the last on */
    for (size_t i = n; i-- > 0;) {
        if (items[i].bit != FOLD_FIXED && items[i].bit != 0) from[bits++] = items[i].bit;
    }
    uint32_t places[1 << SINK_LATTICE_ITEMS / 2][2];
    uint32_t low = bits / 2, high = bits - low;
    for (uint32_t s = 0; s < (uint32_t)1 << high; s++) {
        places[s][0] = places[s][1] = 0;
        for (uint32_t i = 0; i < low; i++) places[s][0] |= s >> i & 1 ? from[i] : 0;
        for (uint32_t i = 0; i < high; i++) places[s][1] |= s >> i & 1 ? from[low + i] : 0;
    }
    uint32_t mask = ((uint32_t)1 << low) - 1;
    for (uint32_t s = 0; s < (uint32_t)1 << bits; s++) {
        to[s] = f->supports[places[s & mask][0] | places[s >> low][1]];
    }
    if (bits > 0) to[0] = 0;
}

lode_status fold_add(fold_log *log, mem *m, const sink_lattice *f, const fold_item *items,
                     size_t n) {
    fold_head head = {(uint32_t)n, f->n_items, f->n_perfect, f->min, f->has_gaps};
    size_t supports = (size_t)1 << f->n_items;
    lode_status status =
        vec_u32_reserve(m, &log->words, FOLD_HEAD_WORDS + n * FOLD_ITEM_WORDS + supports);
    if (status != LODE_OK) return status;
    uint32_t *to = log->words.data + log->words.n;
    memcpy(to, &head, sizeof head);
    fold_item *copies = (fold_item *)(to + FOLD_HEAD_WORDS);
    memcpy(copies, items, n * sizeof *items);
    fold_copy_supports(f, items, n, to + FOLD_HEAD_WORDS + n * FOLD_ITEM_WORDS);
    for (size_t i = n, bit = 1; i-- > 0;) {
        if (copies[i].bit == FOLD_FIXED || copies[i].bit == 0) continue;
        copies[i].bit = (uint32_t)bit;
        bit <<= 1;
    }
    log->words.n += FOLD_HEAD_WORDS + n * FOLD_ITEM_WORDS + supports;
    log->n++;
    if (n > log->longest) log->longest = (uint32_t)n;
    return LODE_OK;
}

/* Reads the family at a place of the log, and returns the place of the next. */
static size_t fold_read(const fold_log *log, size_t at, fold_family *f) {
    fold_head head;
    const uint32_t *from = log->words.data + at;
    memcpy(&head, from, sizeof head);
    from += FOLD_HEAD_WORDS;
    *f = (fold_family){.items = (const fold_item *)from,
                       .supports = from + head.n * FOLD_ITEM_WORDS,
                       .n = head.n,
                       .min = head.min,
                       .n_free = head.n_items + head.n_perfect,
                       .prunes = head.n_items > 0 && !head.has_gaps};
    return at + FOLD_HEAD_WORDS + head.n * FOLD_ITEM_WORDS + ((size_t)1 << head.n_items);
}

void fold_read_all(const fold_log *log, fold_family *families) {
    for (size_t i = 0, at = 0; i < log->n; i++) at = fold_read(log, at, &families[i]);
}

lode_status fold_leave(fold_log *log, mem *m, const fold_rest *rest) {
    if (log->n_rest == log->cap_rest) {
        lode_status status =
            vec_grow(m, (void **)&log->rest, log->n_rest, &log->cap_rest, 1, sizeof *log->rest);
        if (status != LODE_OK) return status;
    }
    log->rest[log->n_rest++] = *rest;
    return LODE_OK;
}
