/* sort_collect.c - see sort_collect.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/sort_collect.h"

#include "base/bits.h"

#define SPREAD_BITS 8
#define SPREAD      (1 << SPREAD_BITS)

/* The bits of the key that change with subsets of some items: the first eight items of a lattice,
 * its other items, and the perfect extensions. */
typedef struct sort_spread {
    uint64_t low[SPREAD], high[SPREAD];
    uint64_t perfect[1 << SINK_PERFECT];
} sort_spread;

static mem *collect_mem(const sort_collector *c) {
    return &c->store->base.job->mem;
}

/* ---- batches -------------------------------------------------------------------------------- */

/* Appends the ranks of some items. */
static lode_status collect_ranks(sort_collector *c, const uint32_t *items, uint32_t n) {
    lode_status status = LODE_OK;
    const sort_keys *k = &c->store->keys;
    LODE_TRY(vec_u32_reserve(collect_mem(c), &c->ranks, (size_t)n + 1));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = items[i] < k->item_bound ? k->ranks[items[i]] : SORT_NO_RANK;
        LODE_REQUIRE(c->store->base.job, rank != SORT_NO_RANK,
                     "a pattern has an item that is not frequent");
        c->ranks.data[c->ranks.n++] = rank;
    }
done:
    return status;
}

static inline uint64_t rank_bit(uint32_t rank) {
    return (uint64_t)1 << (63 - rank);
}

/* The only word of a mask of these ranks. */
static uint64_t collect_word(const sort_keys *k, const uint32_t *ranks, size_t n) {
    uint64_t word = k->mask[0];
    for (size_t i = 0; i < n; i++) word ^= rank_bit(ranks[i]);
    return word;
}

/* Collects patterns of several words, or packed ones: the items of the batch are inserted among
 * those of the prefix, one by one. */
static void collect_wide(const sort_collector *c, const lode_batch *b, const uint32_t *last,
                         uint64_t *to) {
    uint32_t *ranks = c->ranks.data, n = b->n_prefix;
    unsigned words = keys_words(&c->store->keys, n + 1);
    uint32_t *chosen = c->chosen.data;
    for (uint32_t i = 0; i < b->n; i++, to += words) {
        uint32_t at = n;
        for (; at > 0 && ranks[at - 1] > last[i]; at--) chosen[at] = ranks[at - 1];
        chosen[at] = last[i];
        if (at > 0) memcpy(chosen, ranks, at * sizeof *chosen);
        keys_put(&c->store->keys, chosen, n + 1, b->supports[i], to);
    }
}

lode_status collect_batch(sort_collector *c, const lode_batch *b) {
    lode_status status = LODE_OK;
    const sort_keys *k = &c->store->keys;
    uint32_t n = b->n_prefix, size = n + 1;
    size_t words = keys_words(k, size) * (size_t)b->n;
    c->ranks.n = c->chosen.n = 0;
    LODE_TRY(piles_reach(&c->piles, size));
    LODE_TRY(vec_u32_reserve(collect_mem(c), &c->chosen, size));
    LODE_TRY(collect_ranks(c, b->prefix, n));
    LODE_TRY(collect_ranks(c, b->items, b->n));
    for (uint32_t i = 0; i < b->n; i++) {
        LODE_REQUIRE(c->store->base.job, b->supports[i] <= k->most,
                     "a support exceeds the maximum");
    }
    LODE_TRY(piles_room(&c->piles, size, words));
    vec_u64 *pile = &c->piles.list[size];
    const uint32_t *last = c->ranks.data + n;
    if (k->mask_words == 1) {
        uint64_t word = collect_word(k, c->ranks.data, n), *to = pile->data + pile->n;
        for (uint32_t i = 0; i < b->n; i++) to[i] = (word ^ rank_bit(last[i])) | b->supports[i];
    } else {
        sort_u32(c->ranks.data, n);
        collect_wide(c, b, last, pile->data + pile->n);
    }
    pile->n += words;
done:
    return status;
}

/* ---- families, in one word ------------------------------------------------------------------ */

/* The bits of every subset of n ranks. */
static void spread_subsets(uint64_t *bits, const uint32_t *ranks, uint32_t n) {
    bits[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t half = (uint32_t)1 << i;
        for (uint32_t s = 0; s < half; s++) bits[half + s] = bits[s] ^ rank_bit(ranks[i]);
    }
}

static inline lode_status collect_put(sort_collector *c, uint32_t size, uint64_t row) {
    vec_u64 *pile = &c->piles.list[size];
    if (pile->n == pile->cap) {
        lode_status status = piles_room(&c->piles, size, 1);
        if (status != LODE_OK) return status;
    }
    pile->data[pile->n++] = row;
    return LODE_OK;
}

/* A set of a family, with each subset of the perfect extensions. */
static lode_status collect_perfect(sort_collector *c, uint32_t n_perfect, uint32_t size,
                                   uint64_t row) {
    lode_status status = LODE_OK;
    const uint64_t *perfect = c->spread->perfect;
    for (uint32_t some = 0; some < (uint32_t)1 << n_perfect && status == LODE_OK; some++) {
        status = collect_put(c, size + (uint32_t)bits_count(some), row ^ perfect[some]);
    }
    return status;
}

static lode_status collect_narrow_family(sort_collector *c, const sink_lattice *f) {
    lode_status status = LODE_OK;
    const sort_keys *k = &c->store->keys;
    sort_spread *s = c->spread;
    const uint32_t *perfect = c->ranks.data + f->n_prefix, *items = perfect + f->n_perfect;
    uint64_t fixed = collect_word(k, c->ranks.data, f->n_prefix);
    uint32_t n_low = f->n_items < SPREAD_BITS ? f->n_items : SPREAD_BITS;
    spread_subsets(s->low, items, n_low);
    spread_subsets(s->high, items + n_low, f->n_items - n_low);
    spread_subsets(s->perfect, perfect, f->n_perfect);
    for (uint32_t set = f->n_items > 0; set < (uint32_t)1 << f->n_items; set++) {
        uint32_t support = f->supports[set];
        if (support < f->min) continue;
        LODE_REQUIRE(c->store->base.job, support <= k->most, "a support exceeds the maximum");
        uint64_t row = (fixed ^ s->low[set % SPREAD] ^ s->high[set / SPREAD]) | support;
        uint32_t size = f->n_prefix + (uint32_t)bits_count(set);
        LODE_TRY(f->n_perfect == 0 ? collect_put(c, size, row)
                                   : collect_perfect(c, f->n_perfect, size, row));
    }
done:
    return status;
}

/* ---- families, in any row ------------------------------------------------------------------- */

/* The items of a family in print order: those that are in every set, and those that a bit tells. */
typedef struct family_rank {
    uint32_t rank;
    uint64_t bit; /* 0: in every set */
} family_rank;

static inline bool family_rank_before(const family_rank *a, const family_rank *b) {
    return a->rank < b->rank;
}

#define SORT_NAME   sort_family_ranks
#define SORT_TYPE   family_rank
#define SORT_BEFORE family_rank_before
#include "base/sort_body.h"

static lode_status collect_put_wide(sort_collector *c, const family_rank *all, size_t n,
                                    uint64_t set, uint64_t support) {
    const sort_keys *k = &c->store->keys;
    uint32_t size = 0, *chosen = c->chosen.data;
    for (size_t i = 0; i < n; i++) {
        chosen[size] = all[i].rank;
        size += !all[i].bit || (set & all[i].bit);
    }
    unsigned words = keys_words(k, size);
    lode_status status = piles_room(&c->piles, size, words);
    if (status != LODE_OK) return status;
    vec_u64 *pile = &c->piles.list[size];
    keys_put(k, chosen, size, support, pile->data + pile->n);
    pile->n += words;
    return LODE_OK;
}

static lode_status collect_wide_sets(sort_collector *c, const sink_lattice *f,
                                     const family_rank *all, size_t n) {
    lode_status status = LODE_OK;
    for (uint32_t set = f->n_items > 0; set < (uint32_t)1 << f->n_items; set++) {
        uint32_t support = f->supports[set];
        if (support < f->min) continue;
        LODE_REQUIRE(c->store->base.job, support <= c->store->keys.most,
                     "a support exceeds the maximum");
        for (uint64_t some = 0; some < (uint64_t)1 << f->n_perfect; some++) {
            LODE_TRY(collect_put_wide(c, all, n, set | some << SINK_LATTICE_ITEMS, support));
        }
    }
done:
    return status;
}

static lode_status collect_wide_family(sort_collector *c, const sink_lattice *f) {
    lode_status status = LODE_OK;
    mem *m = collect_mem(c);
    family_rank *all = NULL;
    size_t n = c->ranks.n, first_item = (size_t)f->n_prefix + f->n_perfect;
    LODE_TRY(mem_resize(m, (void **)&all, 0, n * sizeof *all));
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = 0;
        if (i >= f->n_prefix) bit = (uint64_t)1 << (SINK_LATTICE_ITEMS + i - f->n_prefix);
        if (i >= first_item) bit = (uint64_t)1 << (i - first_item);
        all[i] = (family_rank){c->ranks.data[i], bit};
    }
    sort_family_ranks(all, n, NULL);
    c->chosen.n = 0;
    LODE_TRY(vec_u32_reserve(m, &c->chosen, n + 1));
    status = collect_wide_sets(c, f, all, n);
done:
    mem_free(m, all, all ? n * sizeof *all : 0);
    return status;
}

lode_status collect_family(sort_collector *c, const sink_lattice *f) {
    lode_status status = LODE_OK;
    c->ranks.n = 0;
    LODE_TRY(piles_reach(&c->piles, (size_t)f->n_prefix + f->n_items + f->n_perfect));
    LODE_TRY(collect_ranks(c, f->prefix, f->n_prefix));
    LODE_TRY(collect_ranks(c, f->perfect, f->n_perfect));
    LODE_TRY(collect_ranks(c, f->items, f->n_items));
    if (c->store->keys.mask_words > 1) return collect_wide_family(c, f);
    if (!c->spread) {
        LODE_TRY(mem_resize(collect_mem(c), (void **)&c->spread, 0, sizeof *c->spread));
    }
    status = collect_narrow_family(c, f);
done:
    return status;
}

/* ---- opening and closing -------------------------------------------------------------------- */

static unsigned collect_words(const void *layout, uint32_t size) {
    return keys_words(layout, size);
}

static void collect_begin(sort_collector *c, keyed_store *store, const char *near) {
    *c = (sort_collector){.store = store,
                          .piles = {.store = &store->base,
                                    .near = near,
                                    .words = collect_words,
                                    .layout = &store->keys,
                                    .most = store_worker_limit(store->base.job)}};
    pthread_mutex_lock(&store->base.lock);
    store->n_open++;
    pthread_mutex_unlock(&store->base.lock);
}

/* Puts the patterns of a segment, whose rows are of other keys, into a collector. */
static lode_status collect_segment(sort_collector *c, const sort_keys *keys,
                                   const sort_segment *segment) {
    lode_status status = LODE_OK;
    mem *m = collect_mem(c);
    vec_u64 row = {0};
    vec_u32 items = {0};
    uint32_t last = segment->size - 1;
    LODE_TRY(vec_u64_reserve(m, &row, segment->words));
    LODE_TRY(vec_u32_reserve(m, &items, segment->size));
    for (size_t i = 0; i < segment->n; i++) {
        const uint64_t *at = segment->rows ? segment->rows + i * segment->words : row.data;
        if (!segment->rows) LODE_TRY(store_read(&c->store->base, segment, i, 1, row.data));
        keys_items(keys, segment->size, at, NULL, items.data);
        uint64_t support = keys_support(keys, segment->words, at);
        lode_batch one = {.prefix = items.data,
                          .n_prefix = last,
                          .items = items.data + last,
                          .supports = &support,
                          .n = 1};
        LODE_TRY(collect_batch(c, &one));
    }
done:
    vec_u64_free(m, &row);
    vec_u32_free(m, &items);
    return status;
}

/* Another job may find items that the keys of the previous job have no place for. Then all rows get
 * new keys. This is rare, so it is done row by row. Segments in the file stay there, and new ones
 * follow. */
static lode_status collect_again(keyed_store *store, const sort_keys *keys, const char *near) {
    lode_status status = LODE_OK;
    mem *m = &store->base.job->mem;
    sort_collector c = {0};
    sort_segment *segments = store->base.segments;
    size_t n = store->base.n_segments, bytes = store->base.cap_segments * sizeof *segments;
    sort_keys old = store->keys;
    store->keys = *keys;
    store->base.segments = NULL;
    store->base.n_segments = store->base.cap_segments = store->base.bytes = 0;
    collect_begin(&c, store, near);
    for (size_t i = 0; i < n; i++) {
        LODE_TRY(collect_segment(&c, &old, &segments[i]));
        segment_free(m, &segments[i]);
    }
    status = piles_pass_on(&c.piles);
done:
    collect_close(&c);
    for (size_t i = 0; i < n; i++) segment_free(m, &segments[i]);
    mem_free(m, segments, bytes);
    keys_free(&old);
    return status;
}

/* Whether some worker uses the keys. */
static bool collect_is_open(keyed_store *store) {
    pthread_mutex_lock(&store->base.lock);
    bool open = store->n_open > 0;
    pthread_mutex_unlock(&store->base.lock);
    return open;
}

void keyed_store_clear(keyed_store *store) {
    keys_free(&store->keys);
    store_clear(&store->base);
}

static lode_status collect_set_keys(keyed_store *store, const lode_sink *sink, const char *near) {
    lode_status status = LODE_OK;
    sort_keys *now = &store->keys, keys = {0};
    uint64_t least = sink->bounds.least, most = sink->bounds.most;
    if (now->mem && now->least <= least && now->most >= most) return LODE_OK;
    LODE_REQUIRE(store->base.job, !collect_is_open(store),
                 "two jobs write to one sorted file at the same time");
    if (now->mem && now->least < least) least = now->least;
    if (now->mem && now->most > most) most = now->most;
    status = keys_init(&keys, &store->base.job->mem, sink->data, least, most);
    if (status == LODE_OK) return collect_again(store, &keys, near);
    keys_free(&keys);
done:
    return status;
}

lode_status collect_open(sort_collector *c, keyed_store *store, const lode_sink *sink,
                         const char *near) {
    lode_status status = collect_set_keys(store, sink, near);
    if (status == LODE_OK) collect_begin(c, store, near);
    return status;
}

void collect_close(sort_collector *c) {
    if (!c->store) return;
    mem *m = collect_mem(c);
    piles_free(&c->piles);
    vec_u32_free(m, &c->ranks);
    vec_u32_free(m, &c->chosen);
    mem_free(m, c->spread, c->spread ? sizeof *c->spread : 0);
    pthread_mutex_lock(&c->store->base.lock);
    c->store->n_open--;
    pthread_mutex_unlock(&c->store->base.lock);
    *c = (sort_collector){0};
}
