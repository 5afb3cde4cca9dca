/* marks.h - a set of numbers below n that is filled in any order and emptied in ascending order
 *
 *     summary   …01000001                       bit w: words[w] is not zero
 *     words     …|00..0|0110|00..0| … |0001|
 *
 * Why:   a transaction is some tens of distinct items in ascending order. Setting bits both sorts
 *        and removes repetitions, several times faster than a sort. Emptying looks at one summary
 *        word for each 4096 numbers, and leaves everything zero for the next transaction.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_MARKS_H
#define LODE_EXTRAS_GENERATE_MARKS_H

#include <stdbool.h>

#include "base/mem.h"

typedef struct marks {
    uint64_t *summary; /* n_summary words; `words` lie after them in the same block of memory */
    uint64_t *words;
    size_t n_summary;
    size_t bytes;
    uint32_t count;
} marks;

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

/* Writes the `count` numbers, and empties the set. */
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
