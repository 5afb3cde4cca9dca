/* sets.c - see sets.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/sets.h"

#include <string.h>

lode_status sets_start(levelwise *w, size_t words) {
    lode_status status = LODE_OK;
    sets_state *s = w->state;
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

static uint32_t highest_item(const uint64_t *row, size_t words) {
    size_t w = words - 1;
    while (row[w] == 0) w--;
    return (uint32_t)(w * 64 + 63 - (size_t)__builtin_clzll(row[w]));
}

lode_status sets_keep(levelwise *w, backend_pair pair, size_t i) {
    lode_status status = LODE_OK;
    sets_state *s = w->state;
    LODE_TRY(vec_u64_reserve(w->mem, &s->kept, s->words));
    uint64_t *row = s->kept.data + s->kept.n;
    for (size_t j = 0; j < s->words; j++) row[j] = sets_row(s, pair.a)[j] | sets_row(s, pair.b)[j];
    LODE_TRY(vec_u32_push(w->mem, &s->kept_last, highest_item(row, s->words)));
    s->kept.n += s->words;
    LODE_TRY(levelwise_keep_row(w, i));
done:
    return status;
}

lode_status sets_advance(levelwise *w) {
    sets_state *s = w->state;
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

void sets_items(const levelwise *w, uint32_t set, uint32_t *out) {
    const sets_state *s = w->state;
    const uint64_t *row = sets_row(s, set);
    for (size_t j = 0; j < s->words; j++) {
        for (uint64_t rest = row[j]; rest; rest &= rest - 1) {
            *out++ = (uint32_t)(j * 64 + (size_t)__builtin_ctzll(rest));
        }
    }
}

void sets_stop(levelwise *w) {
    sets_state *s = w->state;
    vec_u64_free(w->mem, &s->table);
    vec_u64_free(w->mem, &s->kept);
    vec_u32_free(w->mem, &s->last);
    vec_u32_free(w->mem, &s->kept_last);
}
