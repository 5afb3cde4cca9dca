/* rules.c - see rules.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/rules.h"

#include <string.h>

typedef struct rules_output {
    void *worker;          /* of the receiver of antecedents */
    rule_bar bar;          /* what consequents must reach */
    uint32_t *consequents; /* of the present antecedent … */
    uint64_t *both;        /* … and their supports with it */
    uint32_t *always;      /* items in every transaction that may be consequents only */
    uint32_t n_always;
    uint32_t *tables;  /* lattices: a table for each consequent that is not in it … */
    uint32_t *scratch; /* … and room for one that is */
    uint32_t *least;   /* what each set of a lattice must reach with a consequent */
    uint8_t set_sizes[(size_t)1 << LATTICE_ITEMS]; /* items of each set of a lattice */
} rules_output;

#define TABLE_ENTRIES ((size_t)1 << LATTICE_ITEMS)

static size_t rules_room(const adaptive_root *root) {
    return root->n_frequent + (size_t)1;
}

static bool rules_has_role(const adaptive *a, uint32_t id, unsigned role) {
    return a->wanted.rules->roles[id] & role;
}

lode_status rules_open(adaptive *a, const adaptive_root *root) {
    lode_status status = LODE_OK;
    mem *m = &a->job->mem;
    size_t n = rules_room(root);
    rules_output *o = NULL;
    lode_threshold least = a->wanted.rules->confidence;
    LODE_TRY(mem_zalloc(m, (void **)&o, sizeof *o));
    a->antecedents = o;
    o->bar = (rule_bar){.numerator = least.denominator ? least.numerator : 0,
                        .denominator = least.denominator ? least.denominator : 1};
    LODE_TRY(mem_zalloc(m, (void **)&o->consequents, n * sizeof *o->consequents));
    LODE_TRY(mem_zalloc(m, (void **)&o->both, n * sizeof *o->both));
    LODE_TRY(mem_zalloc(m, (void **)&o->always, n * sizeof *o->always));
    LODE_TRY(mem_zalloc(m, (void **)&o->tables, WORD_ITEMS * TABLE_ENTRIES * sizeof *o->tables));
    LODE_TRY(mem_zalloc(m, (void **)&o->scratch, TABLE_ENTRIES * sizeof *o->scratch));
    LODE_TRY(mem_zalloc(m, (void **)&o->least, TABLE_ENTRIES * sizeof *o->least));
    for (size_t set = 1; set < TABLE_ENTRIES; set++) {
        o->set_sizes[set] = (uint8_t)(o->set_sizes[set >> 1] + (set & 1));
    }
    for (uint32_t i = 0; i < root->n_always; i++) {
        if (!rules_has_role(a, root->always[i], ENGINE_ROLE_LHS) &&
            rules_has_role(a, root->always[i], ENGINE_ROLE_RHS)) {
            o->always[o->n_always++] = root->always[i];
        }
    }
    status = a->wanted.rules->open(a->wanted.rules->user, &o->worker);
done:
    return status;
}

lode_status rules_close(adaptive *a, const adaptive_root *root) {
    mem *m = &a->job->mem;
    size_t n = rules_room(root);
    rules_output *o = a->antecedents;
    if (!o) return LODE_OK;
    lode_status status = o->worker ? a->wanted.rules->close(o->worker) : LODE_OK;
    mem_free(m, o->consequents, n * sizeof *o->consequents);
    mem_free(m, o->both, n * sizeof *o->both);
    mem_free(m, o->always, n * sizeof *o->always);
    mem_free(m, o->tables, WORD_ITEMS * TABLE_ENTRIES * sizeof *o->tables);
    mem_free(m, o->least, TABLE_ENTRIES * sizeof *o->least);
    mem_free(m, o->scratch, TABLE_ENTRIES * sizeof *o->scratch);
    mem_free(m, o, sizeof *o);
    return status;
}

/* ---- one antecedent -------------------------------------------------------------------------- */

/* Whether products with a support fit 64 bits. */
static bool rules_are_narrow(const rule_bar *bar) {
    return bar->denominator < UINT32_MAX;
}

/* The least count with an antecedent of this support that a consequent must have. */
static uint64_t rules_least(const adaptive *a, uint64_t support) {
    const rule_bar *bar = &a->antecedents->bar;
    __extension__ typedef unsigned __int128 wide;
    uint64_t least, min = adaptive_threshold(a);
    if (rules_are_narrow(bar)) {
        least = (bar->numerator * support + (bar->denominator - 1)) / bar->denominator;
    } else {
        wide product = (wide)bar->numerator * support + (bar->denominator - 1);
        least = (uint64_t)(product / bar->denominator);
    }
    return least > min ? least : min;
}

static void rules_put(rules_output *o, uint32_t *n, uint32_t rhs, uint64_t both) {
    o->consequents[*n] = rhs;
    o->both[(*n)++] = both;
}

/* Hands over the prefix with the first n consequents. */
static lode_status rules_hand_over(adaptive *a, uint32_t n, uint64_t support) {
    rules_output *o = a->antecedents;
    for (uint32_t i = 0; i < o->n_always; i++) rules_put(o, &n, o->always[i], support);
    if (n == 0 && a->path.n_perfect == 0) return LODE_OK;
    if (a->wanted.rules->add) {
        engine_lhs_counts counts = {a->path.n_prefix, a->path.n_perfect, 1, n};
        return a->wanted.rules->add(o->worker, &counts);
    }
    engine_antecedents antecedents = {.lhs = a->path.prefix,
                                      .n_lhs = a->path.n_prefix,
                                      .perfect = a->path.perfect,
                                      .n_perfect = a->path.n_perfect,
                                      .count = support,
                                      .consequents = o->consequents,
                                      .both = o->both,
                                      .n_consequents = n};
    return a->wanted.rules->antecedents(o->worker, &antecedents);
}

lode_status rules_emit(adaptive *a, const item_list *items, uint32_t support) {
    rules_output *o = a->antecedents;
    uint64_t least = rules_least(a, support);
    uint32_t n = 0;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->supports[i] < least) continue;
        if (rules_has_role(a, items->ids[i], ENGINE_ROLE_RHS)) {
            rules_put(o, &n, items->ids[i], items->supports[i]);
        }
    }
    return rules_hand_over(a, n, support);
}

/* ---- the empty prefix ------------------------------------------------------------------------ */

void rules_begin(adaptive *a, const adaptive_root *root) {
    a->path.n_prefix = a->path.n_perfect = 0;
    for (uint32_t i = 0; i < root->n_always; i++) {
        if (rules_has_role(a, root->always[i], ENGINE_ROLE_LHS)) {
            a->path.perfect[a->path.n_perfect++] = root->always[i];
        }
    }
}

lode_status rules_emit_always(adaptive *a, const adaptive_root *root, uint64_t all) {
    rules_begin(a, root);
    return a->path.n_perfect > 0 ? rules_emit(a, &root->items, (uint32_t)all) : LODE_OK;
}

/* ---- lattices -------------------------------------------------------------------------------- */

/* A lattice whose sets are antecedents. If most sets are frequent, the counts of a set with its
 * consequents come from one table of all sets for each consequent. Otherwise they are counted for
 * each frequent set from the words that contain it. */
typedef struct body_lattice {
    uint32_t ids[LATTICE_ITEMS];  /* its items */
    uint64_t bits[LATTICE_ITEMS]; /* in the words */
    uint32_t n;
    size_t entries;                   /* of a table: sets, or a vector at the least */
    uint64_t others;                  /* bits of other items that may be consequents */
    uint32_t consequents[WORD_ITEMS]; /* these */
    uint32_t places[WORD_ITEMS];      /* and where they are in the words */
    uint32_t n_consequents;
    uint32_t longest;                      /* items of an antecedent besides the prefix */
    uint64_t sizes[LATTICE_ITEMS + 1 + 4]; /* frequent sets, by size */
    uint64_t n_sets;                       /* in all */
    bool by_tables;
} body_lattice;

/* Counts each consequent with each set: one pass over the words for all of them. */
static void lattice_fill_tables(adaptive *a, const lattice_db *l, const body_lattice *b) {
    uint32_t *tables = a->antecedents->tables;
    memset(tables, 0, b->n_consequents * b->entries * sizeof *tables);
    lattice_words from = {l->words.all, l->mask, b->others};
    a->kernels->lattice_add_each(tables, b->entries, &from);
    for (uint32_t h = 0; h < b->n_consequents; h++) {
        a->kernels->lattice_sum(tables + h * b->entries, b->n);
    }
}

static void lattice_describe(adaptive *a, const database *db, body_lattice *b) {
    const lattice_db *l = &db->lattice;
    uint32_t n_items = db->items.n;
    uint64_t all = n_items < WORD_ITEMS ? ((uint64_t)1 << n_items) - 1 : ~(uint64_t)0;
    b->n = b->n_consequents = 0;
    b->others = b->n_sets = 0;
    b->longest = a->wanted.max_size - a->path.n_prefix;
    for (uint64_t rest = l->mask; rest != 0; rest &= rest - 1) {
        b->bits[b->n] = rest & -rest;
        b->ids[b->n++] = db->items.ids[__builtin_ctzll(rest)];
    }
    for (uint64_t rest = l->earlier[0] & all; rest != 0; rest &= rest - 1) {
        uint32_t id = db->items.ids[__builtin_ctzll(rest)];
        if (!rules_has_role(a, id, ENGINE_ROLE_RHS)) continue;
        b->others |= rest & -rest;
        b->places[b->n_consequents] = (uint32_t)__builtin_ctzll(rest);
        b->consequents[b->n_consequents++] = id;
    }
    b->entries = (size_t)1 << b->n;
    if (b->entries < LATTICE_LANES) b->entries = LATTICE_LANES;
    memset(b->sizes, 0, sizeof b->sizes);
    a->kernels->lattice_count(a->scratch.lattice, b->n, a->antecedents->bar.min, b->sizes);
    for (uint32_t size = 1; size <= b->n; size++) b->n_sets += b->sizes[size];
    double tables = (RULES_TABLE * b->n_consequents + RULES_SHIFT * b->n) * (double)b->entries;
    double sets = (RULES_SET + RULES_WORD * (double)l->words.all.n) * (double)b->n_sets;
    b->by_tables = tables < sets;
}

static void lattice_find_least(adaptive *a, const body_lattice *b) {
    rules_output *o = a->antecedents;
    if (rules_are_narrow(&o->bar)) {
        a->kernels->lattice_least(a->scratch.lattice, b->n, &o->bar, o->least);
        return;
    }
    for (size_t set = 0; set < (size_t)1 << b->n; set++) {
        o->least[set] = (uint32_t)rules_least(a, a->scratch.lattice[set]);
    }
}

/* consequents[size] = pairs of an antecedent of this size and a consequent. */
static void lattice_count_pairs(adaptive *a, const body_lattice *b, uint64_t *consequents) {
    rules_output *o = a->antecedents;
    rule_sets sets = {b->n, o->bar.min, a->scratch.lattice, o->least};
    for (unsigned i = 0; i < b->n; i++) {
        rule_rhs rhs = {.item = i, .scratch = o->scratch};
        if (!rules_has_role(a, b->ids[i], ENGINE_ROLE_RHS)) continue;
        a->kernels->lattice_count_rules(&sets, &rhs, consequents);
    }
    for (uint32_t h = 0; h < b->n_consequents; h++) {
        rule_rhs rhs = {.both = o->tables + h * b->entries};
        a->kernels->lattice_count_rules(&sets, &rhs, consequents);
    }
}

/* Hands over the numbers of all sets. */
static lode_status lattice_add_counts(adaptive *a, const body_lattice *b,
                                      const uint64_t *consequents) {
    lode_status status = LODE_OK;
    rules_output *o = a->antecedents;
    for (uint32_t size = 1; size <= b->n && size <= b->longest; size++) {
        uint64_t n_consequents = consequents[size] + o->n_always * b->sizes[size];
        engine_lhs_counts counts = {a->path.n_prefix + size, a->path.n_perfect, b->sizes[size],
                                    n_consequents};
        if (n_consequents > 0 || (a->path.n_perfect > 0 && b->sizes[size] > 0)) {
            LODE_TRY(a->wanted.rules->add(o->worker, &counts));
        }
    }
done:
    return status;
}

/* Counts the consequents of one set that are not in the lattice: consequent h and the set occur
 * together a->scratch.word_counts[places[h]] times. `room` holds as many words as `l`. */
static void lattice_count_consequents(adaptive *a, const lattice_db *l, const body_lattice *b,
                                      size_t set, const word_buffer *room) {
    const weighted_words *all = &l->words.all;
    uint64_t wanted = 0;
    size_t n = 0;
    for (size_t rest = set; rest != 0; rest &= rest - 1) wanted |= b->bits[__builtin_ctzll(rest)];
    for (size_t i = 0; i < all->n; i++) {
        room->words[n] = all->words[i];
        room->weights[n] = all->weights[i];
        n += (all->words[i] & wanted) == wanted;
    }
    weighted_words chosen = {room->words, room->weights, n};
    a->kernels->count_bits(&chosen, 64 - (unsigned)__builtin_clzll(b->others),
                           a->scratch.word_counts);
}

/* Collects the consequents of one set; returns how many. */
static uint32_t lattice_take_consequents(adaptive *a, const body_lattice *b, size_t set) {
    rules_output *o = a->antecedents;
    uint64_t least = o->least[set];
    uint32_t n = 0;
    for (unsigned i = 0; i < b->n; i++) {
        size_t with = set | (size_t)1 << i;
        if (with == set || a->scratch.lattice[with] < least) continue;
        if (rules_has_role(a, b->ids[i], ENGINE_ROLE_RHS)) {
            rules_put(o, &n, b->ids[i], a->scratch.lattice[with]);
        }
    }
    for (uint32_t h = 0; h < b->n_consequents; h++) {
        uint32_t both =
            b->by_tables ? o->tables[h * b->entries + set] : a->scratch.word_counts[b->places[h]];
        if (both >= least) rules_put(o, &n, b->consequents[h], both);
    }
    return n;
}

/* Hands over one set of a lattice, with its first n consequents. */
static lode_status lattice_hand_over(adaptive *a, const body_lattice *b, size_t set, uint32_t n) {
    uint32_t n_prefix = a->path.n_prefix;
    for (size_t rest = set; rest != 0; rest &= rest - 1) {
        a->path.prefix[a->path.n_prefix++] = b->ids[__builtin_ctzll(rest)];
    }
    lode_status status = rules_hand_over(a, n, a->scratch.lattice[set]);
    a->path.n_prefix = n_prefix;
    return status;
}

/* Set by set; with `consequents`, only numbers of pairs are noted there, by size. */
static lode_status lattice_each_set(adaptive *a, const lattice_db *l, const body_lattice *b,
                                    uint64_t *consequents) {
    lode_status status = LODE_OK;
    uint32_t min = a->antecedents->bar.min;
    size_t room = l->words.all.n + 1;
    word_buffer chosen = {0};
    arena_mark mark = arena_here(&a->arena);
    LODE_TRY(arena_take(&a->arena, room * sizeof *chosen.words, (void **)&chosen.words));
    LODE_TRY(arena_take(&a->arena, room * sizeof *chosen.weights, (void **)&chosen.weights));
    for (size_t set = 1; set < (size_t)1 << b->n; set++) {
        uint32_t size = a->antecedents->set_sizes[set];
        if (a->scratch.lattice[set] < min || size > b->longest) continue;
        if (!b->by_tables && b->others) lattice_count_consequents(a, l, b, set, &chosen);
        uint32_t n = lattice_take_consequents(a, b, set);
        if (consequents) {
            consequents[size] += n;
        } else {
            LODE_TRY(lattice_hand_over(a, b, set, n));
        }
    }
done:
    arena_return(&a->arena, mark);
    return status;
}

lode_status rules_emit_lattice(adaptive *a, const database *db) {
    lode_status status = LODE_OK;
    rules_output *o = a->antecedents;
    body_lattice b;
    uint64_t consequents[LATTICE_ITEMS + 1 + 4] = {0};
    o->bar.min = adaptive_threshold(a);
    lattice_describe(a, db, &b);
    if (b.n_sets == 0) return LODE_OK;
    if (b.by_tables) lattice_fill_tables(a, &db->lattice, &b);
    lattice_find_least(a, &b);
    if (a->wanted.rules->add && b.by_tables) {
        lattice_count_pairs(a, &b, consequents);
    } else {
        LODE_TRY(lattice_each_set(a, &db->lattice, &b, a->wanted.rules->add ? consequents : NULL));
    }
    if (a->wanted.rules->add) status = lattice_add_counts(a, &b, consequents);
done:
    return status;
}

/* ---- pruning --------------------------------------------------------------------------------- */

static bool rules_may_lead_on(const adaptive *a, uint32_t id, uint32_t support, uint32_t both) {
    if (!rules_has_role(a, id, ENGINE_ROLE_RHS)) return false;
    return a->wanted.rules->may_lead_on(a->wanted.rules->user, id, support, both);
}

void rules_drop_hopeless(adaptive *a, child_items *c) {
    uint32_t n = 0, addable = 0;
    bool hope = false;
    if (!a->wanted.rules->may_lead_on) return;
    for (uint32_t i = 0; i < c->n; i++) {
        bool leads = rules_may_lead_on(a, c->ids[i], c->support, c->supports[i]);
        bool before = i < c->addable;
        hope |= leads;
        if (!leads && !(before && rules_has_role(a, c->ids[i], ENGINE_ROLE_LHS))) continue;
        c->numbers[n] = c->numbers[i];
        c->ids[n] = c->ids[i];
        c->supports[n++] = c->supports[i];
        addable += before;
    }
    for (uint32_t i = 0; i < a->path.n_perfect && !hope; i++) {
        hope = rules_may_lead_on(a, a->path.perfect[i], c->support, c->support);
    }
    for (uint32_t i = 0; i < a->antecedents->n_always && !hope; i++) {
        hope = rules_may_lead_on(a, a->antecedents->always[i], c->support, c->support);
    }
    c->n = n;
    c->addable = hope ? addable : 0; /* no antecedent below leads to a rule */
}
