/* rule_rows.c - see rule_rows.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_rows.h"

#include <math.h>

/* ---- strings of bits ------------------------------------------------------------------------ */

typedef struct row_bits {
    uint64_t *words;
    size_t at; /* the next bit */
} row_bits;

/* Appends the last n bits of a value, at least one; the words are zero from here on. */
static inline void row_put(row_bits *b, unsigned n, uint64_t value) {
    uint64_t *word = b->words + b->at / 64;
    unsigned left = 64 - (unsigned)(b->at % 64); /* in this word */
    b->at += n;
    if (n <= left) {
        *word |= value << (left - n);
    } else {
        word[0] |= value >> (n - left);
        word[1] |= value << (64 - (n - left));
    }
}

static inline uint64_t row_take(const uint64_t *words, size_t *at, unsigned n) {
    const uint64_t *word = words + *at / 64;
    unsigned used = (unsigned)(*at % 64), left = 64 - used;
    *at += n;
    uint64_t value = *word << used >> (64 - n);
    return n <= left ? value : value | word[1] >> (64 - (n - left));
}

static unsigned row_number_bits(uint64_t most) {
    return most > 0 ? 64 - (unsigned)__builtin_clzll(most) : 1;
}

/* ---- the layout ----------------------------------------------------------------------------- */

/* Words of items and counts. */
static unsigned row_first_words(const rule_layout *l, uint32_t size) {
    uint64_t bits = ((uint64_t)size + 1) * l->item_bits + 3 * (uint64_t)l->count_bits;
    return (unsigned)((bits + 63) / 64);
}

unsigned rule_row_words(const rule_layout *l, uint32_t size) {
    return row_first_words(l, size) + l->more;
}

static unsigned rule_layout_words(const void *layout, uint32_t size) {
    return rule_row_words(layout, size);
}

/* The first rule of all tells what the others are like. */
static void rule_layout_make(rule_store *s, uint64_t total, bool held_out) {
    rule_layout *l = &s->layout;
    l->item_bits = row_number_bits(l->item_bound);
    l->count_bits = row_number_bits(total);
    l->general = s->needs >> LODE_NEEDS_GENERAL & 1;
    l->adjusted = s->needs >> LODE_NEEDS_ADJUSTED & 1;
    l->held_out = held_out || (s->needs >> LODE_NEEDS_HELD_OUT & 1);
    l->more = 2u * l->general + l->adjusted + 4u * l->held_out;
    l->total = total;
}

/* Makes sure that there is a layout, which rules of this total fit. */
static lode_status rule_collect_layout(rule_collector *c, uint64_t total, bool held_out) {
    lode_status status = LODE_OK;
    rule_store *s = c->store;
    LODE_REQUIRE(s->base.job, total > 0, "a rule was found in 0 transactions");
    pthread_mutex_lock(&s->base.lock);
    if (s->layout.total == 0) rule_layout_make(s, total, held_out);
    pthread_mutex_unlock(&s->base.lock);
    c->total = s->layout.total;
    if (c->total != total) {
        status = job_fail(s->base.job, LODE_INVALID,
                          "the sink has rules from %llu transactions and cannot take rules from "
                          "%llu: all rules of a sink must come from one data set",
                          (unsigned long long)c->total, (unsigned long long)total);
    }
done:
    return status;
}

/* ---- collecting ----------------------------------------------------------------------------- */

/* Begins n rows of a size; *to is where they go. */
static lode_status rule_collect_room(rule_collector *c, uint32_t size, uint32_t n, uint64_t **to) {
    lode_status status = LODE_OK;
    size_t words = (size_t)n * rule_row_words(&c->store->layout, size);
    LODE_TRY(piles_reach(&c->piles, size));
    LODE_TRY(piles_room(&c->piles, size, words));
    vec_u64 *pile = &c->piles.list[size];
    *to = pile->data + pile->n;
    memset(*to, 0, words * sizeof **to);
done:
    return status;
}

static lode_status rule_collect_side(const rule_collector *c, row_bits *to, const uint32_t *ids,
                                     uint32_t n) {
    lode_status status = LODE_OK;
    const rule_layout *l = &c->store->layout;
    for (uint32_t i = 0; i < n; i++) {
        LODE_REQUIRE(c->store->base.job, ids[i] < l->item_bound, "a rule has an unknown item");
        row_put(to, l->item_bits, (uint64_t)ids[i] + 1);
    }
done:
    return status;
}

static inline void row_put_counts(const rule_layout *l, row_bits *to, const lode_counts *counts) {
    row_put(to, l->count_bits, counts->both);
    row_put(to, l->count_bits, counts->lhs);
    row_put(to, l->count_bits, counts->rhs);
}

static void row_put_more(const rule_layout *l, const lode_rule *rule, uint64_t *to) {
    const double general[] = {rule->best_confidence, rule->best_lift};
    if (l->general) {
        memcpy(to, general, sizeof general);
        to += 2;
    }
    if (l->adjusted) memcpy(to++, &rule->adjusted_p, sizeof rule->adjusted_p);
    if (!l->held_out) return;
    const lode_counts *h = &rule->held_out;
    const uint64_t counts[] = {h->both, h->lhs, h->rhs, h->total};
    memcpy(to, counts, sizeof counts);
}

lode_status rule_collect(rule_collector *c, const lode_rule *rule) {
    lode_status status = LODE_OK;
    const rule_layout *l = &c->store->layout;
    uint32_t size = rule->n_lhs + rule->n_rhs;
    bool held_out = rule->held_out.total > 0;
    row_bits to = {0};
    if (c->total != rule->counts.total) {
        LODE_TRY(rule_collect_layout(c, rule->counts.total, held_out));
    }
    if (held_out && !l->held_out) {
        return job_fail(c->store->base.job, LODE_INVALID,
                        "the sink has rules without held-out counts and cannot take rules that "
                        "have them: all rules of a sink must be of one kind");
    }
    LODE_TRY(rule_collect_room(c, size, 1, &to.words));
    LODE_TRY(rule_collect_side(c, &to, rule->lhs, rule->n_lhs));
    row_put(&to, l->item_bits, 0);
    LODE_TRY(rule_collect_side(c, &to, rule->rhs, rule->n_rhs));
    row_put_counts(l, &to, &rule->counts);
    row_put_more(l, rule, to.words + row_first_words(l, size));
    c->piles.list[size].n += rule_row_words(l, size);
done:
    return status;
}

/* All begin alike. */
lode_status rule_collect_batch(rule_collector *c, const rule_batch *b, uint64_t total) {
    lode_status status = LODE_OK;
    const rule_layout *l = &c->store->layout;
    uint32_t size = b->n_lhs + 1;
    row_bits first = {0};
    if (b->n == 0) return LODE_OK;
    if (c->total != total) LODE_TRY(rule_collect_layout(c, total, false));
    LODE_TRY(rule_collect_room(c, size, b->n, &first.words));
    LODE_TRY(rule_collect_side(c, &first, b->lhs, b->n_lhs));
    row_put(&first, l->item_bits, 0);
    unsigned words = rule_row_words(l, size), more = row_first_words(l, size);
    size_t begun = (first.at + 63) / 64;
    lode_rule rule = rule_batch_at(b, 0, total);
    for (uint32_t i = b->n; i-- > 0;) { /* the first row is the model of the others */
        row_bits to = {first.words + (size_t)i * words, first.at};
        lode_counts counts = {b->both[i], b->count, b->of_rhs[i], total};
        if (i > 0) memcpy(to.words, first.words, begun * sizeof *to.words);
        LODE_TRY(rule_collect_side(c, &to, &b->consequents[i], 1));
        row_put_counts(l, &to, &counts);
        if (l->more > 0) row_put_more(l, &rule, to.words + more);
    }
    c->piles.list[size].n += (size_t)b->n * words;
done:
    return status;
}

/* ---- opening and closing -------------------------------------------------------------------- */

void rule_collect_open(rule_collector *c, rule_store *store, const char *near) {
    *c = (rule_collector){.store = store,
                          .piles = {.store = &store->base,
                                    .near = near,
                                    .words = rule_layout_words,
                                    .layout = &store->layout,
                                    .most = store_worker_limit(store->base.job)}};
}

lode_status rule_collect_hand_over(rule_collector *c) {
    return c->store ? piles_pass_on(&c->piles) : LODE_OK;
}

void rule_collect_close(rule_collector *c) {
    piles_free(&c->piles);
    *c = (rule_collector){0};
}

/* ---- reading -------------------------------------------------------------------------------- */

static void row_read_more(const rule_layout *l, const uint64_t *more, lode_rule *rule) {
    if (l->general) {
        memcpy(&rule->best_confidence, more, sizeof rule->best_confidence);
        memcpy(&rule->best_lift, more + 1, sizeof rule->best_lift);
        more += 2;
    }
    if (l->adjusted) memcpy(&rule->adjusted_p, more++, sizeof rule->adjusted_p);
    if (l->held_out) rule->held_out = (lode_counts){more[0], more[1], more[2], more[3]};
}

rule_reader rule_reader_of(const rule_layout *l, uint32_t size, uint32_t *items) {
    return (rule_reader){.layout = l,
                         .size = size,
                         .items = items,
                         .rule = {.size = sizeof(lode_rule),
                                  .lhs = items,
                                  .counts.total = l->total,
                                  .best_confidence = NAN,
                                  .best_lift = NAN,
                                  .adjusted_p = NAN}};
}

/* Whether the first n bits are the same. */
static inline bool row_begins_like(const uint64_t *a, const uint64_t *b, size_t n) {
    size_t words = n / 64;
    for (size_t i = 0; i < words; i++) {
        if (a[i] != b[i]) return false;
    }
    return n % 64 == 0 || (a[words] ^ b[words]) >> (64 - n % 64) == 0;
}

/* Reads the antecedent; returns where the consequent begins. */
static size_t row_read_lhs(rule_reader *r, const uint64_t *row) {
    size_t at = 0;
    uint32_t n = 0;
    uint64_t symbol;
    while ((symbol = row_take(row, &at, r->layout->item_bits)) > 0 && n < r->size) {
        r->items[n++] = (uint32_t)(symbol - 1);
    }
    r->rule.n_lhs = n;
    r->rule.rhs = r->items + n;
    r->rule.n_rhs = r->size - n;
    return at;
}

const lode_rule *rule_read(rule_reader *r, const uint64_t *row) {
    const rule_layout *l = r->layout;
    lode_rule *rule = &r->rule;
    size_t at = ((size_t)rule->n_lhs + 1) * l->item_bits;
    if (!r->last || !row_begins_like(row, r->last, at)) at = row_read_lhs(r, row);
    for (uint32_t i = rule->n_lhs; i < r->size; i++) {
        r->items[i] = (uint32_t)(row_take(row, &at, l->item_bits) - 1);
    }
    rule->counts.both = row_take(row, &at, l->count_bits);
    rule->counts.lhs = row_take(row, &at, l->count_bits);
    rule->counts.rhs = row_take(row, &at, l->count_bits);
    if (l->more > 0) row_read_more(l, row + row_first_words(l, r->size), rule);
    r->last = row;
    return rule;
}
