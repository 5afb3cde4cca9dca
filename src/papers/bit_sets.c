/* bit_sets.c - see bit_sets.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/bit_sets.h"

#include <string.h>

#include "base/bits.h"

static lode_status bit_sets_make(levelwise *w, size_t words) {
    lode_status status = LODE_OK;
    bit_sets *s = w->sets;
    size_t n = w->v.n_items;
    s->words = words;
    LODE_TRY(vec_u64_reserve(w->mem, &s->table, n * words));
    LODE_TRY(vec_u32_reserve(w->mem, &s->last, n));
    for (size_t i = 0; i < n; i++) {
        uint64_t *row = s->table.data + i * words;
        LODE_TRY(job_check(w->job)); /* with many items, the table is large */
        memset(row, 0, words * sizeof *row);
        row[i / 64] = (uint64_t)1 << (i % 64);
        s->last.data[i] = (uint32_t)i;
    }
    s->table.n = n * words;
    s->last.n = n;
    w->last = s->last.data;
done:
    return status;
}

static lode_status bit_sets_start(levelwise *w) {
    return bit_sets_make(w, bits_round_up(w->v.n_items, 64) / 64);
}

static lode_status bit_sets_start_16(levelwise *w) {
    bit_sets *s = w->sets;
    size_t words = bits_round_up(w->v.n_items, 128) / 64;
    if (!levelwise_may_stay(w)) return bit_sets_make(w, words);
    s->words = words; /* the device makes the table */
    return LODE_OK;
}

static uint32_t bit_sets_highest(const uint64_t *row, size_t words) {
    size_t w = words - 1;
    while (row[w] == 0) w--;
    return (uint32_t)(w * 64 + 63 - (size_t)__builtin_clzll(row[w]));
}

lode_status bit_sets_find_last(levelwise *w) {
    lode_status status = LODE_OK;
    bit_sets *s = w->sets;
    s->last.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &s->last, w->n_sets));
    for (size_t i = 0; i < w->n_sets; i++) {
        s->last.data[i] = bit_sets_highest(bit_sets_row(s, i), s->words);
    }
    s->last.n = w->n_sets;
    w->last = s->last.data;
done:
    return status;
}

static lode_status bit_sets_keep(levelwise *w, backend_pair pair) {
    lode_status status = LODE_OK;
    bit_sets *s = w->sets;
    LODE_TRY(vec_u64_reserve(w->mem, &s->kept, s->words));
    uint64_t *row = s->kept.data + s->kept.n;
    for (size_t j = 0; j < s->words; j++)
        row[j] = bit_sets_row(s, pair.a)[j] | bit_sets_row(s, pair.b)[j];
    LODE_TRY(vec_u32_push(w->mem, &s->kept_last, bit_sets_highest(row, s->words)));
    s->kept.n += s->words;
done:
    return status;
}

static lode_status bit_sets_advance(levelwise *w) {
    bit_sets *s = w->sets;
    vec_u64 table = s->table;
    vec_u32 last = s->last;
    s->table = s->kept;
    s->last = s->kept_last;
    s->kept = table;
    s->kept_last = last;
    s->kept.n = s->kept_last.n = 0;
    w->last = s->last.data;
    return LODE_OK;
}

static void bit_sets_items(const levelwise *w, uint32_t set, uint32_t *out) {
    const bit_sets *s = w->sets;
    const uint64_t *row = bit_sets_row(s, set);
    for (size_t j = 0; j < s->words; j++) {
        for (uint64_t rest = row[j]; rest; rest &= rest - 1) {
            *out++ = (uint32_t)(j * 64 + (size_t)__builtin_ctzll(rest));
        }
    }
}

static void bit_sets_stop(levelwise *w) {
    bit_sets *s = w->sets;
    vec_u64_free(w->mem, &s->table);
    vec_u64_free(w->mem, &s->kept);
    vec_u32_free(w->mem, &s->last);
    vec_u32_free(w->mem, &s->kept_last);
}

#define BIT_SETS(start_)                                                                           \
    {                                                                                              \
        .state_bytes = sizeof(bit_sets), .start = start_, .keep = bit_sets_keep,                   \
        .advance = bit_sets_advance, .items = bit_sets_items, .stop = bit_sets_stop                \
    }

const levelwise_sets levelwise_bits = BIT_SETS(bit_sets_start);
const levelwise_sets levelwise_bits_16 = BIT_SETS(bit_sets_start_16);
