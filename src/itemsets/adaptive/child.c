/* child.c - see child.h; decides, for every target, what is reported of a child
 *
 * A child's perfect extensions are in all of its transactions. The other items that are frequent in
 * it may be added next, or are earlier items. What is reported:
 *
 *   all         the child with every subset of its perfect extensions
 *   closed      the child with all of them, unless an earlier item is also in all transactions:
 *               then every closed set with this child's items belongs to that item's branch
 *   maximal     the same, if no item, earlier or not, is frequent in the child
 *   generators  the child alone. An item leads to no generator if it is in all transactions of the
 *               child, or has the same support without the child's item; see generators.h
 *   rules       the child as an antecedent, with all its items as consequents (rules.c)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/child.h"

#include "itemsets/adaptive/generators.h"
#include "itemsets/adaptive/rules.h"
#include "itemsets/adaptive/twins.h"

void child_begin(const adaptive *a, const item_list *of, uint32_t item, child_items *c) {
    *c = (child_items){.item = item,
                       .id = of->ids[item],
                       .support = of->supports[item],
                       .n_prefix = a->path.n_prefix,
                       .n_perfect = a->path.n_perfect};
    if (a->generators) c->outer = a->generators->place;
}

lode_status child_take(adaptive *a, uint32_t n, child_items *c) {
    lode_status status = LODE_OK;
    size_t bytes = n * sizeof *c->ids;
    c->room = n;
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&c->numbers));
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&c->ids));
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&c->supports));
done:
    return status;
}

static void child_keep(child_items *c, const item_list *of, uint32_t number, uint32_t support) {
    LODE_DEBUG_CHECK(c->n < c->room && support <= c->support,
                     "item %u (of at most %u) of a child with support %u has support %u", c->n,
                     c->room, c->support, support);
    LODE_DEBUG_CHECK(number != c->item && (c->n == 0 || c->numbers[c->n - 1] < number),
                     "the items of a child are out of order");
    c->numbers[c->n] = number;
    c->ids[c->n] = of->ids[number];
    c->supports[c->n++] = support;
    c->addable += number < c->item;
}

/* For rules: drops items that can be neither in an antecedent below nor a consequent. */
static void child_add_for_rules(adaptive *a, const item_list *of, child_items *c, uint32_t number,
                                uint32_t support) {
    uint8_t role = a->wanted.rules->roles[of->ids[number]];
    bool addable = number < c->item && role & ENGINE_ROLE_LHS;
    if (addable && support == c->support) {
        a->path.perfect[a->path.n_perfect++] = of->ids[number];
    } else if (addable || role & ENGINE_ROLE_RHS) {
        child_keep(c, of, number, support);
    }
}

void child_add(adaptive *a, const item_list *of, child_items *c, uint32_t number,
               uint32_t support) {
    bool earlier = number > c->item;
    if (a->generators) {
        bool has_witnesses = support < c->support && support < of->supports[number];
        if (has_witnesses) child_keep(c, of, number, support);
        return;
    }
    if (a->wanted.rules) {
        child_add_for_rules(a, of, c, number, support);
        return;
    }
    if (support == c->support && earlier) {
        c->subsumed = true;
    } else if (support == c->support) {
        a->path.perfect[a->path.n_perfect++] = of->ids[number];
    } else {
        child_keep(c, of, number, support);
    }
}

lode_status child_filter(adaptive *a, child_items *c) {
    return a->generators ? generators_enter(a, c) : LODE_OK;
}

/* All sets of the child and its perfect extensions. */
static lode_status child_emit_all(adaptive *a, const child_items *c, pending *plain) {
    lode_status status = LODE_OK;
    if (a->path.n_perfect == c->n_perfect) {
        if (plain) pending_add(plain, c->id, c->support);
    } else if (plain) {
        status = adaptive_emit_one(a, c->id, c->support);
    } else { /* those with a new perfect extension, each with any of the ones before it */
        uint32_t n = a->path.n_perfect;
        a->path.prefix[a->path.n_prefix++] = c->id;
        for (a->path.n_perfect = c->n_perfect; a->path.n_perfect < n; a->path.n_perfect++) {
            LODE_TRY(adaptive_emit_one(a, a->path.perfect[a->path.n_perfect], c->support));
        }
        a->path.n_prefix--;
    }
done:
    return status;
}

/* The child with all of its perfect extensions, which join the prefix. */
static lode_status child_emit_whole(adaptive *a, const child_items *c, bool wanted) {
    for (uint32_t i = c->n_perfect; i < a->path.n_perfect; i++)
        a->path.prefix[a->path.n_prefix++] = a->path.perfect[i];
    a->path.n_perfect = c->n_perfect;
    return wanted ? adaptive_emit_one(a, c->id, c->support) : LODE_OK;
}

lode_status child_enter(adaptive *a, const child_items *c, pending *plain) {
    lode_status status = LODE_OK;
    if (a->wanted.rules) {
        a->path.prefix[a->path.n_prefix++] = c->id;
        a->path.support = c->support;
        return rules_emit(a, &(item_list){c->n, c->addable, c->ids, c->supports}, c->support);
    }
    switch (a->wanted.target) {
    case LODE_TARGET_ALL:
    case LODE_TARGET_TOP:
    case LODE_TARGET_GENERATORS: status = child_emit_all(a, c, plain); break;
    case LODE_TARGET_CLOSED: status = child_emit_whole(a, c, !c->subsumed); break;
    case LODE_TARGET_MAXIMAL: status = child_emit_whole(a, c, !c->subsumed && c->n == 0); break;
    }
    a->path.prefix[a->path.n_prefix++] = c->id;
    a->path.support = c->support;
    return status;
}

void child_leave(adaptive *a, const child_items *c) {
    LODE_DEBUG_CHECK(a->path.n_prefix >= c->n_prefix,
                     "the prefix has %u items, fewer than the %u that it had before the child",
                     a->path.n_prefix, c->n_prefix);
    a->path.n_prefix = c->n_prefix;
    a->path.n_perfect = c->n_perfect;
    if (a->generators) a->generators->place = c->outer;
}

/* ---- from the search to the sink ------------------------------------------------------------- */

static lode_status emit_items(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                              uint32_t n) {
    if (a->path.mute) return LODE_OK;
    if (a->root.twins) return twins_emit(a, ids, supports, n);
    lode_batch batch = {.prefix = a->path.prefix,
                        .n_prefix = a->path.n_prefix,
                        .items = ids,
                        .supports = supports,
                        .n = n,
                        .perfect = a->path.perfect,
                        .n_perfect = a->path.n_perfect};
    return sink_emit(a->out, &batch);
}

lode_status adaptive_emit_one(adaptive *a, uint32_t id, uint32_t support) {
    uint64_t wide = support;
    return emit_items(a, &id, &wide, 1);
}

lode_status pending_take(adaptive *a, uint32_t room, pending *out) {
    lode_status status = LODE_OK;
    out->n = 0;
    out->room = room;
    LODE_TRY(arena_take(&a->arena, room * sizeof *out->ids, (void **)&out->ids));
    LODE_TRY(arena_take(&a->arena, room * sizeof *out->supports, (void **)&out->supports));
done:
    return status;
}

lode_status pending_emit(adaptive *a, pending *p) {
    uint32_t n = p->n;
    p->n = 0;
    return n > 0 ? emit_items(a, p->ids, p->supports, n) : LODE_OK;
}
