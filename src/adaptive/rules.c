/* rules.c - see rules.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/rules.h"

#include <string.h>

#include "base/pick.h"

typedef struct rules_output {
    void *worker;     /* of who receives the bodies */
    rule_bar bar;     /* what heads must reach */
    uint32_t *heads;  /* of the present body … */
    uint64_t *both;   /* … and their supports with it */
    uint32_t *always; /* items in every transaction that may be heads only */
    uint32_t n_always;
    uint32_t *tables;  /* lattices: one for each head that is not in it, */
    uint32_t *shifted; /* and one for the heads that are */
} rules_output;

#define TABLE_ENTRIES ((size_t)1 << LATTICE_ITEMS)

static size_t rules_room(const adaptive_root *root) {
    return root->n_frequent + (size_t)1;
}

static bool rules_has_role(const adaptive *a, uint32_t id, unsigned role) {
    return a->rules->roles[id] & role;
}

lode_status rules_open(adaptive *a, const adaptive_root *root) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    size_t n = rules_room(root);
    rules_output *o = NULL;
    lode_threshold least = a->rules->confidence;
    LODE_TRY(mem_zalloc(m, (void **)&o, sizeof *o));
    a->bodies = o;
    o->bar = (rule_bar){.numerator = least.denominator ? least.numerator : 0,
                        .denominator = least.denominator ? least.denominator : 1};
    LODE_TRY(mem_zalloc(m, (void **)&o->heads, n * sizeof *o->heads));
    LODE_TRY(mem_zalloc(m, (void **)&o->both, n * sizeof *o->both));
    LODE_TRY(mem_zalloc(m, (void **)&o->always, n * sizeof *o->always));
    LODE_TRY(mem_zalloc(m, (void **)&o->tables, WORD_ITEMS * TABLE_ENTRIES * sizeof *o->tables));
    LODE_TRY(mem_zalloc(m, (void **)&o->shifted, TABLE_ENTRIES * sizeof *o->shifted));
    for (uint32_t i = 0; i < root->n_always; i++) {
        if (!rules_has_role(a, root->always[i], ENGINE_ROLE_BODY) &&
            rules_has_role(a, root->always[i], ENGINE_ROLE_HEAD)) {
            o->always[o->n_always++] = root->always[i];
        }
    }
    status = a->rules->open(a->rules->user, &o->worker);
done:
    return status;
}

lode_status rules_close(adaptive *a, const adaptive_root *root) {
    mem *m = &a->job->mem;
    size_t n = rules_room(root);
    rules_output *o = a->bodies;
    if (!o) return LODE_OK;
    lode_status status = o->worker ? a->rules->close(o->worker) : LODE_OK;
    mem_free(m, o->heads, n * sizeof *o->heads);
    mem_free(m, o->both, n * sizeof *o->both);
    mem_free(m, o->always, n * sizeof *o->always);
    mem_free(m, o->tables, WORD_ITEMS * TABLE_ENTRIES * sizeof *o->tables);
    mem_free(m, o->shifted, TABLE_ENTRIES * sizeof *o->shifted);
    mem_free(m, o, sizeof *o);
    return status;
}

/* ---- one body -------------------------------------------------------------------------------- */

/* The least count with a body of this support that a head must have. */
static uint64_t rules_least(const adaptive *a, uint64_t support) {
    const rule_bar *bar = &a->bodies->bar;
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)bar->numerator * support + (bar->denominator - 1);
    uint64_t least = (uint64_t)(product / bar->denominator), min = adaptive_threshold(a);
    return least > min ? least : min;
}

static void rules_put(rules_output *o, uint32_t *n, uint32_t head, uint64_t both) {
    o->heads[*n] = head;
    o->both[(*n)++] = both;
}

/* Hands over the prefix with the first n heads. */
static lode_status rules_hand_over(adaptive *a, uint32_t n, uint64_t support) {
    rules_output *o = a->bodies;
    for (uint32_t i = 0; i < o->n_always; i++) rules_put(o, &n, o->always[i], support);
    if (n == 0 && a->n_perfect == 0) return LODE_OK;
    if (a->rules->add) {
        engine_body_counts counts = {a->n_prefix, a->n_perfect, 1, n};
        return a->rules->add(o->worker, &counts);
    }
    engine_bodies bodies = {.body = a->prefix,
                            .n_body = a->n_prefix,
                            .perfect = a->perfect,
                            .n_perfect = a->n_perfect,
                            .count = support,
                            .heads = o->heads,
                            .both = o->both,
                            .n_heads = n};
    return a->rules->bodies(o->worker, &bodies);
}

lode_status rules_emit(adaptive *a, const item_list *items, uint32_t support) {
    rules_output *o = a->bodies;
    uint64_t least = rules_least(a, support);
    uint32_t n = 0;
    if (a->muted) return LODE_OK;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->supports[i] < least) continue;
        if (rules_has_role(a, items->ids[i], ENGINE_ROLE_HEAD)) {
            rules_put(o, &n, items->ids[i], items->supports[i]);
        }
    }
    return rules_hand_over(a, n, support);
}

/* ---- the empty prefix ------------------------------------------------------------------------ */

void rules_begin(adaptive *a, const adaptive_root *root) {
    a->n_prefix = a->n_perfect = 0;
    for (uint32_t i = 0; i < root->n_always; i++) {
        if (rules_has_role(a, root->always[i], ENGINE_ROLE_BODY)) {
            a->perfect[a->n_perfect++] = root->always[i];
        }
    }
}

lode_status rules_emit_always(adaptive *a, const adaptive_root *root, uint64_t all) {
    rules_begin(a, root);
    return a->n_perfect > 0 ? rules_emit(a, &root->items, (uint32_t)all) : LODE_OK;
}

/* ---- lattices -------------------------------------------------------------------------------- */

/* A lattice whose sets are bodies. */
typedef struct body_lattice {
    uint32_t ids[LATTICE_ITEMS]; /* its items */
    uint32_t n;
    size_t entries;             /* of a table: sets, or a vector at the least */
    uint32_t heads[WORD_ITEMS]; /* others, each of which has a table */
    uint32_t n_heads;
    uint32_t longest; /* items that a body may have besides the prefix */
} body_lattice;

/* Counts each head with each set: one pass over the words for all of them. */
static void lattice_fill_tables(adaptive *a, const lattice_db *l, uint64_t heads,
                                const body_lattice *b) {
    uint32_t *tables = a->bodies->tables;
    memset(tables, 0, b->n_heads * b->entries * sizeof *tables);
    for (size_t i = 0; i < l->words.all.n; i++) {
        uint64_t word = l->words.all.words[i];
        uint32_t weight = l->words.all.weights[i];
        uint32_t *at = tables + bits_pick(word, l->mask);
        for (uint64_t rest = bits_pick(word, heads); rest != 0; rest &= rest - 1) {
            at[(size_t)__builtin_ctzll(rest) * b->entries] += weight;
        }
    }
    for (uint32_t h = 0; h < b->n_heads; h++) {
        a->kernels->lattice_sum(tables + h * b->entries, b->n);
        tables[h * b->entries] = 0; /* the prefix itself has been handed over */
    }
}

static void lattice_describe(adaptive *a, const database *db, body_lattice *b) {
    const lattice_db *l = &db->lattice;
    uint32_t n_items = db->items.n;
    uint64_t all = n_items < WORD_ITEMS ? ((uint64_t)1 << n_items) - 1 : ~(uint64_t)0, heads = 0;
    *b = (body_lattice){.longest = a->max_size - a->n_prefix};
    for (uint64_t rest = l->mask; rest != 0; rest &= rest - 1) {
        b->ids[b->n++] = db->items.ids[__builtin_ctzll(rest)];
    }
    for (uint64_t rest = l->earlier[0] & all; rest != 0; rest &= rest - 1) {
        uint32_t id = db->items.ids[__builtin_ctzll(rest)];
        if (!rules_has_role(a, id, ENGINE_ROLE_HEAD)) continue;
        heads |= rest & -rest;
        b->heads[b->n_heads++] = id;
    }
    b->entries = (size_t)1 << b->n;
    if (b->entries < LATTICE_LANES) b->entries = LATTICE_LANES;
    lattice_fill_tables(a, l, heads, b);
}

/* table[set] = the support of the set with the item, for sets without it; 0 for those with it. */
static void lattice_shift(const uint32_t *lattice, const body_lattice *b, unsigned item,
                          uint32_t *table) {
    size_t step = (size_t)1 << item;
    memset(table, 0, b->entries * sizeof *table);
    for (size_t from = 0; from < (size_t)1 << b->n; from += 2 * step) {
        memcpy(table + from, lattice + from + step, step * sizeof *table);
    }
    table[0] = 0;
}

static lode_status lattice_add_counts(adaptive *a, const body_lattice *b) {
    lode_status status = LODE_OK;
    rules_output *o = a->bodies;
    uint64_t bodies[LATTICE_ITEMS + 1 + 4] = {0}, heads[LATTICE_ITEMS + 1 + 4] = {0};
    a->kernels->lattice_count(a->lattice, b->n, o->bar.min, bodies);
    for (unsigned i = 0; i < b->n; i++) {
        if (!rules_has_role(a, b->ids[i], ENGINE_ROLE_HEAD)) continue;
        lattice_shift(a->lattice, b, i, o->shifted);
        a->kernels->lattice_count_rules(a->lattice, o->shifted, b->n, &o->bar, heads);
    }
    for (uint32_t h = 0; h < b->n_heads; h++) {
        a->kernels->lattice_count_rules(a->lattice, o->tables + h * b->entries, b->n, &o->bar,
                                        heads);
    }
    for (uint32_t size = 1; size <= b->n && size <= b->longest; size++) {
        uint64_t n_heads = heads[size] + o->n_always * bodies[size];
        engine_body_counts counts = {a->n_prefix + size, a->n_perfect, bodies[size], n_heads};
        if (n_heads > 0 || (a->n_perfect > 0 && bodies[size] > 0)) {
            LODE_TRY(a->rules->add(o->worker, &counts));
        }
    }
done:
    return status;
}

/* Hands over one set of a lattice. */
static lode_status lattice_hand_over(adaptive *a, const body_lattice *b, size_t set) {
    rules_output *o = a->bodies;
    uint32_t support = a->lattice[set], n_prefix = a->n_prefix, n = 0;
    uint64_t least = rules_least(a, support);
    for (unsigned i = 0; i < b->n; i++) {
        size_t bit = (size_t)1 << i;
        if (set & bit) {
            a->prefix[a->n_prefix++] = b->ids[i];
        } else if (a->lattice[set | bit] >= least &&
                   rules_has_role(a, b->ids[i], ENGINE_ROLE_HEAD)) {
            rules_put(o, &n, b->ids[i], a->lattice[set | bit]);
        }
    }
    for (uint32_t h = 0; h < b->n_heads; h++) {
        uint32_t both = o->tables[h * b->entries + set];
        if (both >= least) rules_put(o, &n, b->heads[h], both);
    }
    lode_status status = rules_hand_over(a, n, support);
    a->n_prefix = n_prefix;
    return status;
}

lode_status rules_emit_lattice(adaptive *a, const database *db) {
    lode_status status = LODE_OK;
    rules_output *o = a->bodies;
    body_lattice b;
    lattice_describe(a, db, &b);
    o->bar.min = adaptive_threshold(a);
    if (a->rules->add && o->bar.denominator <= UINT32_MAX) return lattice_add_counts(a, &b);
    for (size_t set = 1; set < (size_t)1 << b.n; set++) {
        if (a->lattice[set] < o->bar.min) continue;
        if ((uint32_t)__builtin_popcountll(set) > b.longest) continue;
        LODE_TRY(lattice_hand_over(a, &b, set));
    }
done:
    return status;
}

/* ---- pruning --------------------------------------------------------------------------------- */

static bool rules_may_lead_on(const adaptive *a, uint32_t id, uint32_t support, uint32_t both) {
    if (!rules_has_role(a, id, ENGINE_ROLE_HEAD)) return false;
    return a->rules->may_lead_on(a->rules->user, id, support, both);
}

void rules_drop_hopeless(adaptive *a, child_items *c) {
    uint32_t n = 0, addable = 0;
    bool hope = false;
    if (!a->rules->may_lead_on) return;
    for (uint32_t i = 0; i < c->n; i++) {
        bool leads = rules_may_lead_on(a, c->ids[i], c->support, c->supports[i]);
        bool before = i < c->addable;
        hope |= leads;
        if (!leads && !(before && rules_has_role(a, c->ids[i], ENGINE_ROLE_BODY))) continue;
        c->numbers[n] = c->numbers[i];
        c->ids[n] = c->ids[i];
        c->supports[n++] = c->supports[i];
        addable += before;
    }
    for (uint32_t i = 0; i < a->n_perfect && !hope; i++) {
        hope = rules_may_lead_on(a, a->perfect[i], c->support, c->support);
    }
    for (uint32_t i = 0; i < a->bodies->n_always && !hope; i++) {
        hope = rules_may_lead_on(a, a->bodies->always[i], c->support, c->support);
    }
    c->n = n;
    c->addable = hope ? addable : 0; /* no body below leads to a rule */
}
