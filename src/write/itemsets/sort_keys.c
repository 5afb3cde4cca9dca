/* sort_keys.c - see sort_keys.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/sort_keys.h"

/* Bits that tell n values apart. */
static unsigned keys_bits_of(uint64_t n) {
    return n < 2 ? 1 : 64 - (unsigned)__builtin_clzll(n - 1);
}

void keys_free(sort_keys *k) {
    if (!k->mem) return;
    mem_free(k->mem, k->ranks, k->item_bound * sizeof *k->ranks);
    mem_free(k->mem, k->items, k->n_ranks * sizeof *k->items);
    mem_free(k->mem, k->mask, k->mask_words * sizeof *k->mask);
    *k = (sort_keys){0};
}

static void keys_rank(sort_keys *k, const uint64_t *supports) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->item_bound; i++) {
        bool occurs = supports[i] >= k->least;
        k->ranks[i] = occurs ? n : SORT_NO_RANK;
        if (occurs) k->items[n++] = i;
    }
}

lode_status keys_init(sort_keys *k, mem *m, const lode_dataset *data, uint64_t least,
                      uint64_t most) {
    lode_status status = LODE_OK;
    uint32_t n = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) n += data->item_supports[i] >= least;
    *k = (sort_keys){.mem = m, .least = least, .most = most};
    k->rank_bits = keys_bits_of(n);
    k->support_bits = most == UINT64_MAX ? 64 : keys_bits_of(most + 1);
    unsigned words = (unsigned)(((uint64_t)n + k->support_bits + 63) / 64);
    LODE_TRY(mem_resize(m, (void **)&k->ranks, 0, data->item_bound * sizeof *k->ranks));
    k->item_bound = data->item_bound;
    LODE_TRY(mem_resize(m, (void **)&k->items, 0, n * sizeof *k->items));
    k->n_ranks = n;
    LODE_TRY(mem_zalloc(m, (void **)&k->mask, words * sizeof *k->mask));
    k->mask_words = words;
    for (uint32_t i = 0; i < n; i++) k->mask[i / 64] |= (uint64_t)1 << (63 - i % 64);
    keys_rank(k, data->item_supports);
done:
    return status;
}

/* ---- packed keys ---------------------------------------------------------------------------- */

static void keys_put_packed(const sort_keys *k, const uint32_t *ranks, uint32_t size,
                            uint64_t *row) {
    unsigned bits = k->rank_bits, left = 64; /* bits that the word still has room for */
    uint64_t word = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (left >= bits) {
            left -= bits;
            word |= (uint64_t)ranks[i] << left;
            continue;
        }
        unsigned rest = bits - left; /* goes to the next word */
        *row++ = word | (uint64_t)ranks[i] >> rest;
        left = 64 - rest;
        word = (uint64_t)ranks[i] << left;
    }
    *row = word;
}

static uint32_t keys_packed_rank(const sort_keys *k, const uint64_t *row, uint32_t i) {
    uint64_t at = (uint64_t)i * k->rank_bits;
    unsigned skip = (unsigned)(at % 64), bits = k->rank_bits;
    uint64_t word = row[at / 64] << skip;
    if (skip + bits > 64) word |= row[at / 64 + 1] >> (64 - skip);
    return (uint32_t)(word >> (64 - bits));
}

static uint32_t keys_packed_items(const sort_keys *k, uint32_t size, const uint64_t *row,
                                  const uint64_t *before, uint32_t *items) {
    unsigned words = keys_words(k, size), word = 0;
    uint32_t same = 0;
    if (before) {
        while (word < words && row[word] == before[word]) word++;
        unsigned bits = word < words ? (unsigned)__builtin_clzll(row[word] ^ before[word]) : 0;
        uint64_t most = (64 * (uint64_t)word + bits) / k->rank_bits;
        same = most < size ? (uint32_t)most : size;
    }
    for (uint32_t i = same; i < size; i++) items[i] = k->items[keys_packed_rank(k, row, i)];
    return same;
}

/* ---- masks ---------------------------------------------------------------------------------- */

static void keys_put_mask(const sort_keys *k, const uint32_t *ranks, uint32_t size, uint64_t *row) {
    memcpy(row, k->mask, k->mask_words * sizeof *row);
    for (uint32_t i = 0; i < size; i++) {
        row[ranks[i] / 64] ^= (uint64_t)1 << (63 - ranks[i] % 64);
    }
}

static uint32_t keys_mask_items(const sort_keys *k, const uint64_t *row, const uint64_t *before,
                                uint32_t *items) {
    unsigned word = 0;
    uint32_t same = 0;
    uint64_t there = ~row[0] & k->mask[0];
    if (before) {
        for (; row[word] == before[word]; there = ~row[word] & k->mask[word]) {
            same += (uint32_t)bits_count(there);
            if (++word == k->mask_words) return same; /* the same pattern again */
        }
        uint64_t rest = UINT64_MAX >> __builtin_clzll(row[word] ^ before[word]);
        same += (uint32_t)bits_count(there & ~rest);
        there &= rest;
    }
    items = keys_word_items(k, word, there, items + same);
    while (++word < k->mask_words) {
        items = keys_word_items(k, word, ~row[word] & k->mask[word], items);
    }
    return same;
}

/* ---- rows ----------------------------------------------------------------------------------- */

void keys_put(const sort_keys *k, const uint32_t *ranks, uint32_t size, uint64_t support,
              uint64_t *row) {
    unsigned words = keys_words(k, size);
    if (keys_is_mask(k, size)) {
        keys_put_mask(k, ranks, size, row);
    } else {
        row[words - 1] = 0; /* which has room for the support, and maybe for nothing else */
        keys_put_packed(k, ranks, size, row);
    }
    row[words - 1] |= support;
}

uint32_t keys_items_of_any(const sort_keys *k, uint32_t size, const uint64_t *row,
                           const uint64_t *before, uint32_t *items) {
    return keys_is_mask(k, size) ? keys_mask_items(k, row, before, items)
                                 : keys_packed_items(k, size, row, before, items);
}
