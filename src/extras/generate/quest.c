/* quest.c - synthetic baskets after Agrawal and Srikant, "Fast algorithms for mining association
 * rules" (1994), as in the Quest data generator
 *
 * Set-up, from stream 0: items have exponential weights. The patterns of the pool are made one
 * after the other; each takes a share of its items from the one before and draws the others by
 * weight. Each pattern has a weight and a damage level.
 *
 * Transactions, one stream for each block: a length is drawn, and then patterns are drawn by weight
 * and added until the basket has this length. Before it is added, a pattern loses items as long as
 * a uniform number is below its damage level. If a pattern does not fit, it is added all the same
 * in half of the cases, and otherwise waits for the next transaction of the block.
 *
 *     pool       {3 7 9 12} {7 12 40} …        basket   7 9 12 | 40 3   | …
 *     a draw      3 7 9 12  ->  7 9 12                  length drawn: 5
 *
 * Unlike in the paper, lengths are one plus a Poisson number, so that the mean is right and no
 * basket is empty; a basket that gains nothing from many draws in a row stays short (a small pool
 * cannot fill long baskets); and patterns do not wait beyond the end of a block, so that blocks can
 * be made in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/rng.h"
#include "extras/generate/blocks.h"
#include "extras/generate/draw.h"
#include "extras/generate/itemtext.h"
#include "extras/generate/number_sets.h"
#include "runtime/valid.h"

#define QUEST_IDLE_DRAWS    64
#define QUEST_TRIES         64 /* to draw an item that the pattern does not have */
#define QUEST_DEVIATION     0x1.43d136248490fp-2 /* of the damage level: the root of 0.1 … */
#define QUEST_IBM_DEVIATION 0.1                  /* … which is itself the deviation there */

typedef struct quest_pattern {
    size_t first; /* into the pool */
    uint32_t n;
    uint64_t damage; /* chance of losing one more item */
} quest_pattern;

typedef struct quest {
    mem *mem;
    lode_quest_options o; /* defaults filled in */
    vec_u32 pool;         /* items of all patterns */
    quest_pattern *patterns;
    uint32_t longest; /* items of the longest pattern */
    draw_table items, lengths, pattern_lengths, choice;
    itemtext text;
    uint64_t block_transactions;
} quest;

/* ---- options -------------------------------------------------------------------------------- */

static double quest_or(double value, double fallback) {
    return value == 0.0 ? fallback : value < 0.0 ? 0.0 : value;
}

static lode_status quest_check_mean(lode_job *job, const char *what, double mean,
                                    uint32_t n_items) {
    if (!(mean >= 1.0)) {
        return job_fail(job, LODE_INVALID, "the mean %s length is %g; it must be at least 1", what,
                        mean);
    }
    if (mean <= n_items) return LODE_OK;
    return job_fail(job, LODE_INVALID,
                    "the mean %s length is %g, more than the number of items, %u", what, mean,
                    n_items);
}

static lode_status quest_check_level(lode_job *job, const char *what, double level) {
    if (level >= 0.0 && level <= 1.0) return LODE_OK;
    return job_fail(job, LODE_INVALID, "the %s is %g; it must be between 0 and 1", what, level);
}

static void quest_fill_in(lode_quest_options *o) {
    bool ibm = o->like == LODE_QUEST_LIKE_IBM;
    if (o->n_transactions == 0) o->n_transactions = ibm ? 1000000 : 10000;
    if (o->mean_length == 0.0) o->mean_length = 10.0;
    if (o->mean_pattern == 0.0) o->mean_pattern = 4.0;
    if (o->n_items == 0) o->n_items = ibm ? 100000 : 1000;
    if (o->n_patterns == 0) o->n_patterns = ibm ? 10000 : 2000;
    o->correlation = quest_or(o->correlation, ibm ? 0.25 : 0.5);
    o->corruption = quest_or(o->corruption, ibm ? 0.25 : 0.5);
    if (o->seed == 0) o->seed = 1;
}

static lode_status quest_resolve(lode_job *job, const lode_quest_options *given,
                                 lode_quest_options *o) {
    lode_status status = LODE_OK;
    lode_status valid = valid_take(job, VALID_QUEST, given, o);
    if (valid != LODE_OK) return valid;
    quest_fill_in(o);
    LODE_TRY(quest_check_mean(job, "transaction", o->mean_length, o->n_items));
    LODE_TRY(quest_check_mean(job, "pattern", o->mean_pattern, o->n_items));
    LODE_TRY(quest_check_level(job, "correlation", o->correlation));
    LODE_TRY(quest_check_level(job, "corruption", o->corruption));
done:
    return status;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static uint32_t quest_min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Moves n random items of a pattern to its front; the order of its items has no meaning. */
static void quest_pick(uint32_t *items, uint32_t n_items, uint32_t n, rng *r) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i + (uint32_t)rng_below(r, n_items - i);
        uint32_t picked = items[k];
        items[k] = items[i];
        items[i] = picked;
    }
}

/* Draws an item that is not marked with `mark`; after many tries, takes the next one. */
static uint32_t quest_new_item(const quest *q, const uint32_t *marked, uint32_t mark, rng *r) {
    uint32_t item = draw_table_next(&q->items, r);
    for (unsigned i = 0; marked[item] == mark && i < QUEST_TRIES; i++) {
        item = draw_table_next(&q->items, r);
    }
    while (marked[item] == mark) item = item + 1 < q->o.n_items ? item + 1 : 0;
    return item;
}

static uint64_t quest_damage(const quest *q, rng *r) {
    bool ibm = q->o.like == LODE_QUEST_LIKE_IBM;
    double deviation = ibm ? QUEST_IBM_DEVIATION : QUEST_DEVIATION;
    double level = q->o.corruption + deviation * draw_normal(r);
    return rng_chance(level < 0.0 ? 0.0 : level > 1.0 ? 1.0 : level);
}

/* Makes pattern k. `marked` says for each item which pattern (plus one) had it last. */
static lode_status quest_make_pattern(quest *q, uint32_t k, uint32_t *marked, rng *r) {
    uint32_t n = quest_min(draw_table_next(&q->pattern_lengths, r), q->o.n_items);
    double share = draw_exponential(r) * q->o.correlation;
    uint32_t n_kept = share >= 1.0 ? n : (uint32_t)(share * n + 0.5);
    lode_status status = vec_u32_reserve(q->mem, &q->pool, n);
    if (status != LODE_OK) return status;

    uint32_t *items = q->pool.data + q->pool.n;
    quest_pattern before = k > 0 ? q->patterns[k - 1] : (quest_pattern){0};
    n_kept = quest_min(n_kept, before.n);
    quest_pick(q->pool.data + before.first, before.n, n_kept, r);
    for (uint32_t i = 0; i < n; i++) {
        items[i] =
            i < n_kept ? q->pool.data[before.first + i] : quest_new_item(q, marked, k + 1, r);
        marked[items[i]] = k + 1;
    }
    q->patterns[k] = (quest_pattern){.first = q->pool.n, .n = n, .damage = quest_damage(q, r)};
    q->pool.n += n;
    if (n > q->longest) q->longest = n;
    return LODE_OK;
}

static lode_status quest_make_patterns(quest *q, rng *r) {
    lode_status status = LODE_OK;
    uint32_t *marked = NULL;
    size_t marked_bytes = q->o.n_items * sizeof *marked;
    LODE_TRY(mem_zalloc(q->mem, (void **)&marked, marked_bytes));
    LODE_TRY(mem_zalloc(q->mem, (void **)&q->patterns, q->o.n_patterns * sizeof *q->patterns));
    for (uint32_t k = 0; k < q->o.n_patterns; k++) LODE_TRY(quest_make_pattern(q, k, marked, r));
done:
    mem_free(q->mem, marked, marked_bytes);
    return status;
}

/* Items are 1 … n_items in the text, and 0 … n_items - 1 inside. */
static lode_status quest_make_text(quest *q) {
    lode_status status = LODE_OK;
    char name[PRODUCT_NAME_BYTES];
    itemtext_init(&q->text, q->mem, q->o.names ? ',' : ' ');
    for (uint32_t i = 0; i < q->o.n_items; i++) {
        size_t n = q->o.names ? product_name(i, name)
                              : (size_t)snprintf(name, sizeof name, "%" PRIu32, i + 1);
        LODE_TRY(itemtext_add(&q->text, name, n));
    }
done:
    return status;
}

static lode_status quest_prepare(quest *q) {
    lode_status status = LODE_OK;
    rng r = rng_make(q->o.seed, 0);
    q->block_transactions = blocks_transactions(q->o.mean_length);
    LODE_TRY(draw_table_lengths(&q->lengths, q->mem, q->o.mean_length));
    LODE_TRY(draw_table_lengths(&q->pattern_lengths, q->mem, q->o.mean_pattern));
    LODE_TRY(draw_table_exponential(&q->items, q->mem, q->o.n_items, &r));
    LODE_TRY(quest_make_patterns(q, &r));
    LODE_TRY(draw_table_exponential(&q->choice, q->mem, q->o.n_patterns, &r));
    LODE_TRY(quest_make_text(q));
done:
    return status;
}

static void quest_free(quest *q) {
    itemtext_free(&q->text);
    draw_table_free(&q->choice);
    if (q->patterns) mem_free(q->mem, q->patterns, q->o.n_patterns * sizeof *q->patterns);
    vec_u32_free(q->mem, &q->pool);
    draw_table_free(&q->items);
    draw_table_free(&q->pattern_lengths);
    draw_table_free(&q->lengths);
}

/* ---- transactions --------------------------------------------------------------------------- */

typedef struct quest_basket {
    const quest *q;
    rng r;
    marks items;
    vec_u32 hand; /* the damaged pattern that is added next */
    bool waiting; /* it is left over from the last transaction */
} quest_basket;

/* Returns how many of n items survive if one more is dropped as long as uniform numbers are below
 * the damage level. A single number decides: at least k are dropped if it is below the k-th power
 * of the level. */
static uint32_t quest_survivors(uint32_t n, uint64_t damage, rng *r) {
    uint64_t x = rng_u64(r) >> (64 - RNG_CHANCE_BITS);
    for (uint64_t power = damage; n > 0 && x < power; n--) {
        uint64_t low, high = rng_multiply(power, damage, &low);
        power = high << (64 - RNG_CHANCE_BITS) | low >> RNG_CHANCE_BITS;
    }
    return n;
}

static void quest_take_pattern(quest_basket *b) {
    const quest *q = b->q;
    quest_pattern p = q->patterns[draw_table_next(&q->choice, &b->r)];
    b->hand.n = quest_survivors(p.n, p.damage, &b->r);
    if (b->hand.n == 0) return;
    memcpy(b->hand.data, q->pool.data + p.first, p.n * sizeof *b->hand.data);
    for (uint32_t n = p.n; n > b->hand.n; n--) {
        uint32_t lost = (uint32_t)rng_below(&b->r, n);
        b->hand.data[lost] = b->hand.data[n - 1];
    }
}

static void quest_fill(quest_basket *b) {
    const quest *q = b->q;
    uint32_t length = quest_min(draw_table_next(&q->lengths, &b->r), q->o.n_items);
    for (unsigned idle = 0; b->items.count < length && idle < QUEST_IDLE_DRAWS; idle++) {
        if (!b->waiting) quest_take_pattern(b);
        uint32_t before = b->items.count;
        bool fits = before + b->hand.n <= length;
        b->waiting = !fits && before > 0 && rng_u64(&b->r) >> 63;
        if (b->waiting) return;
        for (size_t i = 0; i < b->hand.n; i++) marks_add(&b->items, b->hand.data[i]);
        if (b->items.count > before) idle = 0;
    }
    if (b->items.count == 0) marks_add(&b->items, draw_table_next(&q->items, &b->r));
}

static lode_status quest_make_block(void *user, uint64_t block, vec_char *text) {
    const quest *q = user;
    lode_status status = LODE_OK;
    uint64_t first = block * q->block_transactions;
    uint64_t left = q->o.n_transactions - first;
    uint64_t n = left < q->block_transactions ? left : q->block_transactions;
    vec_u32 line = {0};
    quest_basket b = {.q = q, .r = rng_make(q->o.seed, 1 + block)};
    LODE_TRY(marks_create(&b.items, q->mem, q->o.n_items));
    LODE_TRY(vec_u32_reserve(q->mem, &b.hand, q->longest));
    for (uint64_t t = 0; t < n; t++) {
        quest_fill(&b);
        uint32_t count = b.items.count;
        LODE_TRY(vec_u32_reserve(q->mem, &line, count));
        marks_drain(&b.items, line.data);
        LODE_TRY(itemtext_write(&q->text, line.data, count, text));
    }
done:
    vec_u32_free(q->mem, &line);
    vec_u32_free(q->mem, &b.hand);
    marks_free(&b.items, q->mem);
    return status;
}

lode_status lode_generate_quest(lode_job *job, const char *path,
                                const lode_quest_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    VALID_CALL(job, VALID_NEEDS(path));
    quest q = {.mem = &job->mem};
    LODE_TRY(quest_resolve(job, options, &q.o));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(quest_prepare(&q));
    uint64_t n_blocks = (q.o.n_transactions - 1) / q.block_transactions + 1;
    LODE_TRY(blocks_write(job, path, n_blocks, quest_make_block, &q));
done:
    quest_free(&q);
    lease_leave(&call);
    return job_explain(job, status, "generating");
}
