/* number_sets.h - sets of numbers: of 64-bit keys, and of small numbers returned in order
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_NUMBER_SETS_H
#define LODE_EXTRAS_GENERATE_NUMBER_SETS_H

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"

/* A set of 64-bit keys that only answers "is it new?": open addressing, at most half full. */

typedef struct keyset {
    uint64_t *slots; /* key + 1; 0 = free */
    size_t n_slots;  /* a power of two, or 0 */
    size_t cap;      /* allocated slots */
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

/* Adds a key, which must not be UINT64_MAX. Returns true if it was not there before. There must be
 * room. */
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

/* ---- a set of numbers below n, filled in any order and emptied in ascending order ------------ */

/*     summary   …01000001                       bit w: words[w] is not zero
 *     words     …|00..0|0110|00..0| … |0001|
 *
 * Why:   a transaction is some tens of distinct items in ascending order. Setting bits both sorts
 *        and removes repetitions, several times faster than a sort. Emptying reads one summary word
 *        per 4096 numbers, and leaves everything zero for the next transaction. */

typedef struct marks {
    uint64_t *summary; /* n_summary words; `words` follow them in the same block of memory */
    uint64_t *words;
    size_t n_summary;
    size_t bytes;   /* of the block */
    uint32_t count; /* numbers in the set */
} marks;

/* Makes an empty set of numbers below n. */
static inline LODE_NODISCARD lode_status marks_create(marks *s, mem *m, uint32_t n) {
    size_t n_words = (size_t)n / 64 + 1;
    marks made = {.n_summary = n_words / 64 + 1};
    made.bytes = (made.n_summary + n_words) * sizeof *made.words;
    lode_status status = mem_zalloc(m, (void **)&made.summary, made.bytes);
    if (status != LODE_OK) return status;
    made.words = made.summary + made.n_summary;
    *s = made;
    return LODE_OK;
}

static inline void marks_free(marks *s, mem *m) {
    mem_free(m, s->summary, s->bytes);
    *s = (marks){0};
}

static inline void marks_add(marks *s, uint32_t i) {
    uint64_t *word = &s->words[i / 64];
    s->count += (uint32_t)(~*word >> i % 64 & 1);
    *word |= (uint64_t)1 << i % 64;
    s->summary[i / 4096] |= (uint64_t)1 << i / 64 % 64;
}

/* Writes the numbers of the set (s->count of them) to `out`, ascending, and empties the set. */
static inline void marks_drain(marks *s, uint32_t *out) {
    for (size_t top = 0; top < s->n_summary; top++) {
        for (uint64_t rest = s->summary[top]; rest; rest &= rest - 1) {
            size_t w = top * 64 + (size_t)__builtin_ctzll(rest);
            for (uint64_t bits = s->words[w]; bits; bits &= bits - 1) {
                *out++ = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            }
            s->words[w] = 0;
        }
        s->summary[top] = 0;
    }
    s->count = 0;
}

#endif
