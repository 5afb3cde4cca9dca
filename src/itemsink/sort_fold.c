/* sort_fold.c - see sort_fold.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/sort_fold.h"

#include "base/radix.h"
#include "itemsink/fold_tuning.h"

/* Bits of the free items that are the same for many sets of a family. */
#define FOLD_LOW  5
#define FOLD_LOWS (1 << FOLD_LOW)

typedef struct fold_head {
    uint32_t n, n_items, n_perfect, min, has_gaps;
} fold_head;

#define FOLD_HEAD_WORDS (sizeof(fold_head) / sizeof(uint32_t))
#define FOLD_ITEM_WORDS (sizeof(fold_item) / sizeof(uint32_t))

/* ---- the log -------------------------------------------------------------------------------- */

void fold_free(fold_log *log, mem *m) {
    vec_u32_free(m, &log->words);
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

/* A family of the log. */
typedef struct fold_family {
    const fold_item *items;
    const uint32_t *supports;
    uint32_t n, n_free, min;
    bool prunes; /* a set that is too rare has none below it that is not */
} fold_family;

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

/* ---- sets ----------------------------------------------------------------------------------- */

/* The items chosen so far. */
typedef struct fold_set {
    uint64_t mask[FOLD_WORDS];
    uint32_t size;
} fold_set;

typedef struct fold_run {
    const fold_out *out;
    unsigned words; /* of a row */
    const fold_family *families;
    uint32_t nodes;            /* since it was last asked whether to stop */
    uint64_t *block, *scratch; /* FOLD_BLOCK sets each */
} fold_run;

static inline fold_set fold_with(const fold_set *set, uint32_t rank) {
    fold_set more = *set;
    more.mask[rank / 64] ^= (uint64_t)1 << (63 - rank % 64);
    more.size++;
    return more;
}

static fold_set fold_empty(const sort_keys *keys) {
    fold_set set = {{0}, 0};
    for (unsigned i = 0; i < keys->mask_words; i++) set.mask[i] = keys->mask[i];
    return set;
}

/* Puts out the set of a family with these bits, if it is one of its patterns. */
static inline lode_status fold_put_set(const fold_run *run, const fold_family *f,
                                       const fold_set *set, uint32_t index) {
    uint32_t support = f->supports[index];
    if (support < f->min) return LODE_OK;
    vec_u64 *pile = &run->out->piles[set->size];
    if (pile->cap - pile->n < run->words) {
        lode_status status = run->out->room(run->out->user, set->size);
        if (status != LODE_OK) return status;
    }
    uint64_t *row = pile->data + pile->n;
    for (unsigned i = 0; i < run->words; i++) row[i] = set->mask[i];
    row[run->words - 1] |= support;
    pile->n += run->words;
    return LODE_OK;
}

static bool fold_is_stopped(fold_run *run) {
    const sort_stop *stop = run->out->stop;
    if (++run->nodes % FOLD_ASK != 0) return false;
    return stop->asked(stop->user);
}

/* Whether some set with these bits may be frequent. */
static inline bool fold_goes_on(const fold_family *f, uint32_t index) {
    return !f->prunes || index == 0 || f->supports[index] >= f->min;
}

/* ---- one family ----------------------------------------------------------------------------- */

/* What a subset of the last free items adds to a set. */
typedef struct fold_low {
    uint64_t mask[FOLD_WORDS];
    uint32_t index, size;
} fold_low;

/* A family that is alone, from some item on: its fixed items are in the set already. */
typedef struct fold_alone {
    const fold_run *run;
    const fold_family *family;
    const fold_item *free[SINK_LATTICE_ITEMS + SINK_PERFECT + 1];
    uint32_t n, n_high; /* free items, and those that are not among the last */
    fold_low low[FOLD_LOWS];
} fold_alone;

/* All subsets of the last free items; the number of a subset has its first item as its first bit,
 * so that sets are in order where the numbers descend. */
static void fold_make_low(fold_alone *a) {
    uint32_t n = a->n - a->n_high;
    a->low[0] = (fold_low){{0}, 0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const fold_item *item = a->free[a->n - 1 - i];
        for (uint32_t s = 0; s < (uint32_t)1 << i; s++) {
            fold_low with = a->low[s];
            with.mask[item->rank / 64] ^= (uint64_t)1 << (63 - item->rank % 64);
            with.index |= item->bit;
            with.size++;
            a->low[((uint32_t)1 << i) + s] = with;
        }
    }
}

static lode_status fold_put_low(const fold_alone *a, const fold_set *set, uint32_t index) {
    lode_status status = LODE_OK;
    for (uint32_t s = (uint32_t)1 << (a->n - a->n_high); s-- > 0 && status == LODE_OK;) {
        fold_set all = *set;
        for (unsigned i = 0; i < FOLD_WORDS; i++) all.mask[i] ^= a->low[s].mask[i];
        all.size += a->low[s].size;
        status = fold_put_set(a->run, a->family, &all, index | a->low[s].index);
    }
    return status;
}

/* Recursion: as deep as a family has free items. */
static lode_status fold_put_high(const fold_alone *a, uint32_t at, const fold_set *set,
                                 uint32_t index) {
    if (at == a->n_high) return fold_put_low(a, set, index);
    lode_status status = LODE_OK;
    const fold_item *item = a->free[at];
    fold_set with = fold_with(set, item->rank);
    if (fold_goes_on(a->family, index | item->bit)) {
        status = fold_put_high(a, at + 1, &with, index | item->bit);
    }
    return status == LODE_OK ? fold_put_high(a, at + 1, set, index) : status;
}

/* Multiplies a family out from its item number `at` on. */
static lode_status fold_put_alone(fold_run *run, const fold_family *f, uint32_t at,
                                  const fold_set *set, uint32_t index) {
    fold_alone a;
    fold_set fixed = *set;
    if (fold_is_stopped(run)) return LODE_CANCELLED;
    a.run = run;
    a.family = f;
    a.n = 0;
    for (; at < f->n; at++) {
        if (f->items[at].bit == FOLD_FIXED) {
            fixed = fold_with(&fixed, f->items[at].rank);
        } else {
            a.free[a.n++] = &f->items[at];
        }
    }
    a.n_high = a.n > FOLD_LOW ? a.n - FOLD_LOW : 0;
    fold_make_low(&a);
    return fold_put_high(&a, 0, &fixed, index);
}

/* ---- many families -------------------------------------------------------------------------- */

/* A family below a node of the walk. */
typedef struct fold_state {
    uint32_t family;
    uint16_t at;    /* the next of its items */
    uint16_t free;  /* free items from there on */
    uint32_t rank;  /* of the next item */
    uint32_t index; /* of the bits that were chosen */
} fold_state;

/* Goes on to the next item of a family. Emits its set if there is none, else adds the state. */
static lode_status fold_step(const fold_run *run, fold_state s, const fold_set *set,
                             fold_state *list, uint32_t *n) {
    const fold_family *f = &run->families[s.family];
    if (++s.at == f->n) return fold_put_set(run, f, set, s.index);
    s.rank = f->items[s.at].rank;
    list[(*n)++] = s;
    return LODE_OK;
}

/* Splits the states of a node by an item: those that take it in go behind the list. */
static lode_status fold_split(const fold_run *run, fold_state *list, uint32_t *n,
                              const fold_set *set, uint32_t rank, uint32_t *n_in) {
    lode_status status = LODE_OK;
    fold_state *in = list + *n;
    fold_set with = fold_with(set, rank);
    uint32_t n_out = 0;
    *n_in = 0;
    for (uint32_t i = 0; i < *n; i++) {
        fold_state s = list[i], taken = s;
        if (s.rank != rank) {
            list[n_out++] = s;
            continue;
        }
        const fold_family *f = &run->families[s.family];
        uint32_t bit = f->items[s.at].bit;
        if (bit != FOLD_FIXED) {
            taken.index |= bit;
            taken.free = --s.free;
        }
        if (fold_goes_on(f, taken.index)) LODE_TRY(fold_step(run, taken, &with, in, n_in));
        if (bit != FOLD_FIXED) LODE_TRY(fold_step(run, s, set, list, &n_out));
    }
    *n = n_out;
done:
    return status;
}

/* ---- a few families ------------------------------------------------------------------------- */

/* Few sets below a node are made family by family and then sorted, as words of
 *
 *     items chosen below the node | a bit for every rank from that of the node on | support
 *
 * so that an item adds a number to the word of a set, whatever else is in it. */
typedef struct fold_words {
    fold_run *run;
    const fold_family *family;
    unsigned support_bits, rank_bits, size_bits;
    uint32_t last; /* rank */
    uint64_t *end; /* of the words so far */
    uint32_t n_high, n;
    uint64_t add[SINK_LATTICE_ITEMS + SINK_PERFECT];
    uint32_t bit[SINK_LATTICE_ITEMS + SINK_PERFECT];
    uint64_t low_add[FOLD_LOWS];
    uint32_t low_bits[FOLD_LOWS];
} fold_words;

static uint64_t fold_word_of(const fold_words *w, uint32_t rank) {
    uint64_t one = (uint64_t)1 << (w->support_bits + w->rank_bits);
    return one - ((uint64_t)1 << (w->support_bits + w->last - rank));
}

static void fold_words_low(fold_words *w, uint64_t word, uint32_t index) {
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
static void fold_words_high(fold_words *w, uint32_t at, uint64_t word, uint32_t index) {
    if (at == w->n_high) {
        fold_words_low(w, word, index);
        return;
    }
    uint32_t with = index | w->bit[at];
    if (fold_goes_on(w->family, with)) fold_words_high(w, at + 1, word + w->add[at], with);
    fold_words_high(w, at + 1, word, index);
}

/* Adds the words of a state. */
static void fold_words_add(fold_words *w, const fold_state *s, uint64_t word) {
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
static inline __attribute__((always_inline)) void fold_words_rows(const fold_words *w,
                                                                  const uint64_t *base,
                                                                  const uint64_t *from, size_t n,
                                                                  uint64_t *rows, unsigned words) {
    uint64_t ranks = ((uint64_t)1 << w->rank_bits) - 1;
    uint64_t supports = ((uint64_t)1 << w->support_bits) - 1;
    unsigned up = 63 - w->last % 64, word = w->last / 64; /* where the last rank is */
    for (size_t i = 0; i < n; i++, rows += words) {
        uint64_t mask = from[i] >> w->support_bits & ranks;
        for (unsigned k = 0; k < words; k++) rows[k] = base[k];
        rows[word] |= mask << up;
        if (word > 0 && up > 0) rows[word - 1] |= mask >> (64 - up);
        rows[words - 1] |= from[i] & supports;
    }
}

/* Puts out n words of one size. */
static lode_status fold_words_put(const fold_words *w, const uint64_t *base, uint32_t size,
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

/* The words of a node that is looked at, whose first item has this rank. False: they are too many,
 * or too long. */
static bool fold_words_fit(fold_words *w, const fold_state *list, uint32_t n, uint32_t rank) {
    const sort_keys *keys = w->run->out->keys;
    uint64_t sets = 0;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < n && sets <= FOLD_BLOCK; i++) {
        uint32_t items = w->run->families[list[i].family].n - list[i].at;
        sets += (uint64_t)1 << list[i].free;
        if (items > longest) longest = items;
    }
    w->last = keys->n_ranks - 1;
    w->support_bits = keys->support_bits;
    w->rank_bits = keys->n_ranks - rank;
    w->size_bits = fold_bits(longest);
    return sets <= FOLD_BLOCK && w->rank_bits + w->support_bits + w->size_bits <= 64;
}

/* Puts out the sets below a node in one go. */
static lode_status fold_words_all(fold_words *w, const fold_state *list, uint32_t n,
                                  const fold_set *set) {
    lode_status status = LODE_OK;
    uint64_t base[FOLD_WORDS];
    uint32_t first = w->last + 1 - w->rank_bits;
    unsigned shift = w->support_bits + w->rank_bits;
    w->end = w->run->block;
    for (uint32_t i = 0; i < n; i++) {
        fold_words_add(w, &list[i], ((uint64_t)1 << shift) - ((uint64_t)1 << w->support_bits));
    }
    size_t n_words = (size_t)(w->end - w->run->block), size;
    const uint64_t *sorted =
        radix_sort_close(w->run->block, w->run->scratch, n_words, w->support_bits);
    for (uint32_t i = 0; i < FOLD_WORDS; i++) { /* what the words do not tell */
        uint64_t before = first >= 64 * (i + 1) ? UINT64_MAX : ~(UINT64_MAX >> first % 64);
        base[i] = first <= 64 * i ? 0 : set->mask[i] & before;
    }
    for (size_t i = 0; i < n_words; i += size) {
        uint64_t more = sorted[i] >> shift;
        for (size = 1; i + size < n_words && sorted[i + size] >> shift == more;) size++;
        LODE_TRY(fold_words_put(w, base, set->size + (uint32_t)more, sorted + i, size));
    }
done:
    return status;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* Emits the sets below a node, whose states are on top of the stack. Recursion: as deep as a set
 * has items. */
static lode_status fold_node(fold_run *run, fold_state *list, uint32_t n, const fold_set *set) {
    lode_status status = LODE_OK;
    fold_words words = {.run = run};
    while (n > 1) {
        uint32_t rank = list[0].rank, n_in;
        if (fold_is_stopped(run)) LODE_LEAVE(LODE_CANCELLED);
        for (uint32_t i = 1; i < n; i++) rank = list[i].rank < rank ? list[i].rank : rank;
        if (fold_words_fit(&words, list, n, rank)) return fold_words_all(&words, list, n, set);
        fold_set with = fold_with(set, rank);
        fold_state *in = list + n;
        LODE_TRY(fold_split(run, list, &n, set, rank, &n_in));
        LODE_TRY(fold_node(run, in, n_in, &with));
    }
    if (n == 1) {
        status = fold_put_alone(run, &run->families[list->family], list->at, set, list->index);
    }
done:
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The families one by one: there is no memory for a walk. */
static lode_status fold_list(fold_run *run, const fold_log *log, const fold_set *empty) {
    lode_status status = LODE_OK;
    for (size_t i = 0, at = 0; i < log->n && status == LODE_OK; i++) {
        fold_family f;
        at = fold_read(log, at, &f);
        status = fold_put_alone(run, &f, 0, empty, 0);
    }
    return status;
}

static void fold_begin(const fold_log *log, fold_family *families, fold_state *stack) {
    for (size_t i = 0, at = 0; i < log->n; i++) {
        at = fold_read(log, at, &families[i]);
        stack[i] = (fold_state){.family = (uint32_t)i,
                                .free = (uint16_t)families[i].n_free,
                                .rank = families[i].items->rank};
    }
}

lode_status fold_walk(const fold_log *log, const fold_out *out, bool *in_order) {
    lode_status status = LODE_OK;
    mem *m = out->keys->mem;
    fold_family *families = NULL;
    fold_state *stack = NULL;
    fold_run run = {.out = out, .words = out->keys->mask_words};
    /* The lists of a path of nodes: no longer than there are families, one for each item. */
    size_t n_states = log->n * ((size_t)log->longest + 2);
    size_t block_bytes =
        (FOLD_BLOCK + 1) * sizeof *run.block; /* what is left out is written first */
    fold_set empty = fold_empty(out->keys);
    *in_order = false;
    LODE_TRY(mem_resize(m, (void **)&families, 0, log->n * sizeof *families));
    LODE_TRY(mem_resize(m, (void **)&run.block, 0, 2 * block_bytes));
    run.scratch = run.block + FOLD_BLOCK + 1;
    LODE_TRY(mem_resize(m, (void **)&stack, 0, n_states * sizeof *stack));
    fold_begin(log, families, stack);
    run.families = families;
    *in_order = true;
    status = fold_node(&run, stack, (uint32_t)log->n, &empty);
done:
    if (status == LODE_BUDGET && !stack) status = fold_list(&run, log, &empty);
    mem_free(m, stack, stack ? n_states * sizeof *stack : 0);
    mem_free(m, run.block, run.block ? 2 * block_bytes : 0);
    mem_free(m, families, families ? log->n * sizeof *families : 0);
    return status;
}
