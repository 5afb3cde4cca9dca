/* extents.c - see extents.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/extents.h"

#include "base/bits.h"

#define EXTENTS_FIRST 64 /* places of a shard's first table */

void extents_init(extents *e, mem *m) {
    *e = (extents){.mem = m};
    for (unsigned i = 0; i < EXTENT_SHARDS; i++) pthread_mutex_init(&e->shards[i].lock, NULL);
}

void extents_free(extents *e) {
    for (unsigned i = 0; i < EXTENT_SHARDS; i++) {
        struct extent_shard *s = &e->shards[i];
        if (s->table) mem_free(e->mem, s->table, s->places * sizeof *s->table);
        pthread_mutex_destroy(&s->lock);
    }
}

/* Two hashes that start differently; each step is a bijection of the state, for a given row. */
static extent_hash extent_of(const uint32_t *rows, uint64_t n) {
    extent_hash h = {{n, ~n}};
    for (uint64_t i = 0; i < n; i++) {
        h.word[0] = bits_mix(h.word[0] + rows[i]);
        h.word[1] = bits_mix(h.word[1] ^ (0x9e3779b97f4a7c15u * (rows[i] + 1u)));
    }
    h.word[0] |= 1; /* not the empty place */
    return h;
}

static bool extent_is(const extent_hash *a, extent_hash b) {
    return a->word[0] == b.word[0] && a->word[1] == b.word[1];
}

/* The place of a hash, or the empty place where it belongs. */
static extent_hash *extent_find(extent_hash *table, size_t places, extent_hash h) {
    size_t at = (size_t)(h.word[0] >> 8) & (places - 1);
    while (table[at].word[0] != 0 && !extent_is(&table[at], h)) at = (at + 1) & (places - 1);
    return &table[at];
}

static lode_status extents_grow(extents *e, struct extent_shard *s) {
    size_t places = s->places ? 2 * s->places : EXTENTS_FIRST;
    extent_hash *table = NULL;
    lode_status status = mem_zalloc(e->mem, (void **)&table, places * sizeof *table);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < s->places; i++) {
        if (s->table[i].word[0] != 0) *extent_find(table, places, s->table[i]) = s->table[i];
    }
    if (s->table) mem_free(e->mem, s->table, s->places * sizeof *table);
    s->table = table;
    s->places = places;
    return LODE_OK;
}

lode_status extents_add(extents *e, const uint32_t *rows, uint64_t n, bool *added) {
    lode_status status = LODE_OK;
    extent_hash h = extent_of(rows, n);
    struct extent_shard *s = &e->shards[h.word[1] % EXTENT_SHARDS];
    pthread_mutex_lock(&s->lock);
    if (s->n >= s->places / 2) LODE_TRY(extents_grow(e, s));
    extent_hash *at = extent_find(s->table, s->places, h);
    *added = at->word[0] == 0;
    if (*added) {
        *at = h;
        s->n++;
    }
done:
    pthread_mutex_unlock(&s->lock);
    return status;
}
