/* keyset.h - a set of 64-bit keys for which only "is it new?" is asked: open addressing, at most
 * half full
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_KEYSET_H
#define LODE_EXTRAS_GENERATE_KEYSET_H

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"

typedef struct keyset {
    uint64_t *slots; /* key + 1; 0 = free */
    size_t n_slots;  /* a power of two, or 0 */
    size_t cap;      /* slots that there is memory for */
} keyset;

/* Empties the set, and makes room for n keys. Errors: NOMEM, BUDGET. */
static inline LODE_NODISCARD lode_status keyset_clear(keyset *s, mem *m, size_t n) {
    size_t want = 16;
    while (want < 2 * n) want *= 2;
    if (want > s->cap) {
        size_t now = s->cap * sizeof *s->slots, then = want * sizeof *s->slots;
        lode_status status = mem_resize(m, (void **)&s->slots, now, then);
        if (status != LODE_OK) return status;
        s->cap = want;
    }
    s->n_slots = want;
    memset(s->slots, 0, want * sizeof *s->slots);
    return LODE_OK;
}

/* True if the key, which is not the largest number, was not there before. */
static inline bool keyset_add(keyset *s, uint64_t key) {
    size_t at = bits_mix(key) & (s->n_slots - 1);
    for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1)) {
        if (s->slots[at] == key + 1) return false;
    }
    s->slots[at] = key + 1;
    return true;
}

static inline void keyset_free(keyset *s, mem *m) {
    mem_free(m, s->slots, s->cap * sizeof *s->slots);
    *s = (keyset){0};
}

#endif
