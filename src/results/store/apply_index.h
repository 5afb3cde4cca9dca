/* apply_index.h - an index of rules by antecedent, to find those that apply to a transaction
 *
 * What:  a tree of antecedents. Items are ranked by their frequency in the transactions, the rarest
 *        first, and an antecedent has its items in that order. Antecedents with a common prefix
 *        share nodes, so an item that a transaction lacks rules out all antecedents below it.
 * Form:  one array in preorder; `next` is the first node after the subtree of a node. So the
 *        antecedents in a transaction are found by a forward walk: to the next node if the
 *        transaction has its item, otherwise to `next`. The rules of a node are those from its
 *        `rules` to that of the next node.
 * Items: when items are recommended, only rules whose consequent the transaction lacks matter, and
 *        for each consequent only the best. So the consequent comes second, after the rarest item
 *        of the antecedent (a rule with several items in its consequent is entered once for each),
 *        and every node has the best rule of its subtree: the search skips nodes that cannot be
 *        better.
 *
 *            every rule    rarest – 2nd – 3rd …          items    rarest – consequent – 2nd – 3rd …
 *
 *
 * Items are numbers in the store; ranks are numbers of the same range.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_APPLY_INDEX_H
#define LODE_RESULTS_STORE_APPLY_INDEX_H

#include "data/transactions/dataset.h"
#include "results/store/stored_file.h"

typedef struct apply_rule {
    union {
        const uint32_t *items; /* the path in the tree; with every_rule also the consequent */
        uint64_t at;           /* during construction: their position */
    } list;
    uint64_t row;
    double score;
    uint32_t n_path, n_rhs;
} apply_rule;

typedef struct apply_node {
    uint32_t rank;  /* of its item (for a consequent's node, of that item) */
    uint32_t next;  /* the first node after its subtree */
    uint32_t rules; /* the first rule that ends here */
    uint32_t best;  /* the best rule of its subtree */
} apply_node;

typedef struct apply_index {
    lode_store *store;
    const lode_dataset *data;
    lode_apply_summary *summary; /* receives the figures about items */
    bool by_rhs;                 /* recommends items, not every rule */
    uint32_t *item_of;           /* by id of the data: the item of the store; UINT32_MAX = none */
    uint32_t *rank_of;           /* by item */
    uint32_t *roots;             /* by rank: the child of the root with it; 0 = none */
    mem_kept kept;               /* the memory of the three */
    apply_rule *rules;
    size_t n_rules, cap_rules;
    vec_u32 lists;
    apply_node *nodes; /* the first is the root; one extra at the end, for its `rules` */
    uint32_t n_nodes;
    size_t cap_nodes;
    bool low_first; /* low scores are better */
} apply_index;

/* Ranks rules by a column. On entry, the fields of `x` up to `by_rhs` are set, the others zero.
 * Clear it in any case. Errors: PARSE, NOMEM, BUDGET, CANCELLED, UNSUPPORTED (2^32 rules or more).
 */
LODE_NODISCARD lode_status apply_index_build(apply_index *x, const stored_column *by);
void apply_index_clear(apply_index *x);

/* ---- apply_rules.c -------------------------------------------------------------------------- */

/* As lode_store_apply(), with checked options; fills in the summary, except for `lines`. */
LODE_NODISCARD lode_status apply_all_rules(lode_store *store, const lode_dataset *data,
                                           const lode_apply_options *how, lode_advice_fn function,
                                           void *user, lode_apply_summary *summary);

/* ---------------------------------------------------------------------------------------------- */

/* Whether a rule is better than another: by score, then by file order. */
static inline bool apply_better(const apply_index *x, const apply_rule *a, const apply_rule *b) {
    if (a->score != b->score) return (a->score > b->score) != x->low_first;
    return a->row < b->row;
}

#endif
