/* fold_words.c - see fold_words.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/fold_words.h"

#include "base/radix.h"

typedef struct words_maker {
    fold_words of;
    const fold_run *run;
    const fold_family *family;
    uint64_t *end; /* of the words so far */
    uint32_t n_high, n;
    uint64_t add[SINK_LATTICE_ITEMS + SINK_PERFECT];
    uint32_t bit[SINK_LATTICE_ITEMS + SINK_PERFECT];
    uint64_t low_add[FOLD_LOWS];
    uint32_t low_bits[FOLD_LOWS];
} words_maker;

static uint64_t fold_word_of(const words_maker *w, uint32_t rank) {
    uint64_t one = (uint64_t)1 << (w->of.support_bits + w->of.rank_bits);
    return one - ((uint64_t)1 << (w->of.support_bits + w->of.last - rank));
}

static void fold_words_low(words_maker *w, uint64_t word, uint32_t index) {
    const uint32_t *supports = w->family->supports, min = w->family->min;
    uint64_t *end = w->end;
    for (uint32_t s = (uint32_t)1 << (w->n - w->n_high); s-- > 0;) {
        uint32_t support = supports[index | w->low_bits[s]];
        *end = (word + w->low_add[s]) | support;
        end += support >= min;
    }
    w->end = end;
}

/* Recursion: as deep as a family has free items. */
static void fold_words_high(words_maker *w, uint32_t at, uint64_t word, uint32_t index) {
    if (at == w->n_high) {
        fold_words_low(w, word, index);
        return;
    }
    uint32_t with = index | w->bit[at];
    if (fold_goes_on(w->family, with)) fold_words_high(w, at + 1, word + w->add[at], with);
    fold_words_high(w, at + 1, word, index);
}

/* Adds the words of a state. */
static void fold_words_add(words_maker *w, const fold_state *s, uint64_t word) {
    const fold_family *f = w->family = &w->run->families[s->family];
    w->n = 0;
    for (uint32_t at = s->at; at < f->n; at++) {
        uint64_t add = fold_word_of(w, f->items[at].rank);
        if (f->items[at].bit == FOLD_FIXED) {
            word += add;
            continue;
        }
        w->add[w->n] = add;
        w->bit[w->n++] = f->items[at].bit;
    }
    w->n_high = w->n > FOLD_LOW ? w->n - FOLD_LOW : 0;
    w->low_add[0] = w->low_bits[0] = 0;
    for (uint32_t i = 0; i < w->n - w->n_high; i++) {
        for (uint32_t k = 0, half = (uint32_t)1 << i; k < half; k++) {
            w->low_add[half + k] = w->low_add[k] + w->add[w->n - 1 - i];
            w->low_bits[half + k] = w->low_bits[k] | w->bit[w->n - 1 - i];
        }
    }
    fold_words_high(w, 0, word, s->index);
}

/* Turns n words into rows that begin with the same items. */
static inline __attribute__((always_inline)) void fold_words_rows(const words_maker *w,
                                                                  const uint64_t *base,
                                                                  const uint64_t *from, size_t n,
                                                                  uint64_t *rows, unsigned words) {
    uint64_t ranks = ((uint64_t)1 << w->of.rank_bits) - 1;
    uint64_t supports = ((uint64_t)1 << w->of.support_bits) - 1;
    unsigned up = 63 - w->of.last % 64, word = w->of.last / 64; /* where the last rank is */
    for (size_t i = 0; i < n; i++, rows += words) {
        uint64_t mask = from[i] >> w->of.support_bits & ranks;
        for (unsigned k = 0; k < words; k++) rows[k] = base[k];
        rows[word] |= mask << up;
        if (word > 0 && up > 0) rows[word - 1] |= mask >> (64 - up);
        rows[words - 1] |= from[i] & supports;
    }
}

/* Puts out n words of one size. */
static lode_status fold_words_put(const words_maker *w, const uint64_t *base, uint32_t size,
                                  const uint64_t *from, size_t n) {
    const fold_run *run = w->run;
    vec_u64 *pile = &run->out->piles[size];
    while (n > 0) {
        size_t fit = (pile->cap - pile->n) / run->words;
        if (fit == 0) {
            lode_status status = run->out->room(run->out->user, size);
            if (status != LODE_OK) return status;
            continue;
        }
        if (fit > n) fit = n;
        if (run->words == 1) {
            fold_words_rows(w, base, from, fit, pile->data + pile->n, 1);
        } else {
            fold_words_rows(w, base, from, fit, pile->data + pile->n, FOLD_WORDS);
        }
        pile->n += fit * run->words;
        from += fit;
        n -= fit;
    }
    return LODE_OK;
}

/* Bits of a number. */
static unsigned fold_bits(uint32_t number) {
    return number == 0 ? 0 : 32 - (unsigned)__builtin_clz(number);
}

bool fold_words_fit(fold_words *w, const fold_run *run, const fold_state *list, uint32_t n,
                    uint32_t rank) {
    const sort_keys *keys = run->out->keys;
    uint64_t sets = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < n && sets <= FOLD_BLOCK; i++) {
        uint32_t items = run->families[list[i].family].n - list[i].at;
        sets += (uint64_t)1 << list[i].free;
        if (items > longest) longest = items;
    }
    w->last = keys->n_ranks - 1;
    w->support_bits = keys->support_bits;
    w->rank_bits = keys->n_ranks - rank;
    w->size_bits = fold_bits(longest);
    return sets <= FOLD_BLOCK && w->rank_bits + w->support_bits + w->size_bits <= 64;
}

lode_status fold_words_all(const fold_words *w, const fold_run *run, const fold_state *list,
                           uint32_t n, const fold_set *set) {
    lode_status status = LODE_OK;
    words_maker maker; /* it is large, and made member by member */
    uint64_t base[FOLD_WORDS];
    uint32_t first = w->last + 1 - w->rank_bits;
    unsigned shift = w->support_bits + w->rank_bits;
    maker.of = *w;
    maker.run = run;
    maker.end = run->block;
    for (uint32_t i = 0; i < n; i++) {
        fold_words_add(&maker, &list[i], ((uint64_t)1 << shift) - ((uint64_t)1 << w->support_bits));
    }
    size_t n_words = (size_t)(maker.end - run->block), size;
    const uint64_t *sorted = radix_sort_close(run->block, run->scratch, n_words, w->support_bits);
    for (uint32_t i = 0; i < FOLD_WORDS; i++) { /* what the words do not tell */
        uint64_t before = first >= 64 * (i + 1) ? UINT64_MAX : ~(UINT64_MAX >> first % 64);
        base[i] = first <= 64 * i ? 0 : set->mask[i] & before;
    }
    for (size_t i = 0; i < n_words; i += size) {
        uint64_t more = sorted[i] >> shift;
        for (size = 1; i + size < n_words && sorted[i + size] >> shift == more;) size++;
        LODE_TRY(fold_words_put(&maker, base, set->size + (uint32_t)more, sorted + i, size));
    }
done:
    return status;
}
