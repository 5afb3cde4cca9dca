/* merge.c - see merge.h; a hash table with linear probing
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/merge.h"

#include <string.h>

#include "base/hash.h"

typedef struct merge_table {
    uint64_t low, factor;
    uint32_t *slots; /* number of a word + 1; 0: free */
    unsigned shift;
    size_t mask;
    int64_t patience; /* steps to slots of other words that are still allowed */
} merge_table;

#define MERGE_FACTOR 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio: Fibonacci hashing */

/* The slot of the word that has the same low bits, or a free one. */
static inline uint32_t *merge_slot(merge_table *t, const uint64_t *words, uint64_t word) {
    size_t at = (size_t)((word & t->low) * t->factor >> t->shift);
    while (t->slots[at] != 0 && ((words[t->slots[at] - 1] ^ word) & t->low) != 0) {
        at = (at + 1) & t->mask;
        t->patience--;
    }
    return &t->slots[at];
}

/* Inserts the n distinct words again, with a secret factor, so that chosen collisions fail. */
static void merge_again(merge_table *t, const uint64_t *words, size_t n) {
    t->factor = keyed_process()->key[1];
    memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    for (size_t i = 0; i < n; i++) *merge_slot(t, words, words[i]) = (uint32_t)i + 1;
    t->patience = INT64_MAX;
}

lode_status merge_words(arena *scratch, uint64_t low, word_buffer *c) {
    uint64_t *words = c->words, *earlier = c->earlier_words;
    uint32_t *weights = c->weights;
    size_t n = c->n, kept = 0;
    unsigned log = 4;
    while (((size_t)1 << log) < 2 * n) log++;
    size_t bytes = sizeof(uint32_t) << log;
    merge_table t = {.low = low,
                     .factor = MERGE_FACTOR,
                     .shift = 64 - log,
                     .mask = ((size_t)1 << log) - 1,
                     .patience = (int64_t)(MERGE_PATIENCE * n)};
    arena_mark mark = arena_here(scratch);
    lode_status status = arena_take(scratch, bytes, (void **)&t.slots);
    if (status != LODE_OK) return status;
    memset(t.slots, 0, bytes);
    for (size_t i = 0; i < n; i++) {
        uint64_t word = words[i];
        uint32_t weight = weights[i];
        if ((word & low) == 0) continue;
        uint32_t *slot = merge_slot(&t, words, word);
        if (*slot != 0) {
            words[*slot - 1] &= word | low;
            if (earlier) earlier[*slot - 1] &= earlier[i];
            weights[*slot - 1] += weight;
            continue;
        }
        words[kept] = word;
        if (earlier) earlier[kept] = earlier[i];
        weights[kept] = weight;
        *slot = (uint32_t)++kept;
        if (t.patience < 0) merge_again(&t, words, kept);
    }
    c->n = kept;
    arena_return(scratch, mark);
    return LODE_OK;
}

lode_status merge_for_target(adaptive *a, uint32_t addable, word_buffer *c) {
    bool only_addable = !a->wanted.counts_earlier && addable < WORD_ITEMS;
    uint64_t low = only_addable ? ((uint64_t)1 << addable) - 1 : ~(uint64_t)0;
    return merge_words(&a->arena, low, c);
}
