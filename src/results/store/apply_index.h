/* apply_index.h - an index of rules by antecedent, for finding the rules that apply to a
 * transaction
 *
 * What:  a tree of antecedents. Items are ranked by their frequency in the transactions, the rarest
 *        first, and the items of an antecedent are in this order. Antecedents with a common prefix
 *        share nodes, so an item that a transaction lacks rules out all antecedents below it.
 * Form:  the tree is one array in preorder; `next` is the first node after the subtree of a node.
 *        So a forward walk finds the antecedents that a transaction contains: it goes to the
 *        following node if the transaction has the node's item, and otherwise to `next`. The rules
 *        of a node begin at its `rules` and end at the `rules` of the following node.
 * Items: when items are recommended, a rule matters only if the transaction lacks its consequent,
 *        and only the best rule for each consequent matters. So the consequent comes second in the
 *        path, after the rarest item of the antecedent. A rule with several items in its consequent
 *        is entered once for each of these items. Every node has the best rule of its subtree, so
 *        that the search skips nodes that cannot improve the result.
 *
 *            every rule    rarest – 2nd – 3rd …          items    rarest – consequent – 2nd – 3rd …
 *
 *
 * Items are item numbers of the store. Ranks are in the same range.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_APPLY_INDEX_H
#define LODE_RESULTS_STORE_APPLY_INDEX_H

#include "data/transactions/dataset.h"
#include "results/store/stored_file.h"

typedef struct apply_rule {
    union {
        const uint32_t *items; /* the path in the tree; then, unless by_rhs, the consequent */
        uint64_t at;           /* during construction: the position of these items */
    } list;
    uint64_t row;           /* of the store */
    double score;           /* the value by which rules are ranked */
    uint32_t n_path, n_rhs; /* number of items in the path, and in the consequent */
} apply_rule;

typedef struct apply_node {
    uint32_t rank;  /* the rank of the node's item, which may be a consequent */
    uint32_t next;  /* the first node after the node's subtree */
    uint32_t rules; /* the first rule that ends at the node */
    uint32_t best;  /* the best rule of its subtree */
} apply_node;

typedef struct apply_index {
    lode_store *store;
    const lode_dataset *data;
    lode_apply_summary *summary; /* receives figures about items */
    /* the index is for recommending items, not for all rules that apply */
    bool by_rhs;
    uint32_t *item_of; /* by id of the data: the item of the store; UINT32_MAX = none */
    uint32_t *rank_of; /* by item */
    uint32_t *roots;   /* by rank: the child of the root with this rank; 0 = none */
    mem_kept kept;     /* the memory of the three arrays above */
    apply_rule *rules;
    size_t n_rules, cap_rules;
    vec_u32 lists; /* the items of all rules */
    /* the first node is the root; an extra node at the end shows where the last rules end */
    apply_node *nodes;
    uint32_t n_nodes;
    size_t cap_nodes;
    bool low_first; /* rules with lower scores are better */
} apply_index;

/* Builds the index of rules ranked by a column. The fields of `x` up to `by_rhs` must be set, and
 * the others zero. apply_index_clear() must be called even on failure. Errors: PARSE, NOMEM,
 * BUDGET, CANCELLED, UNSUPPORTED (2^32 rules or more).
 */
LODE_NODISCARD lode_status apply_index_build(apply_index *x, const stored_column *by);
void apply_index_clear(apply_index *x);

/* ---- apply_rules.c --------------------------------------------------------------------------- */

/* Works like lode_store_apply(), with checked options. Fills in the summary, except for `lines`. */
LODE_NODISCARD lode_status apply_all_rules(lode_store *store, const lode_dataset *data,
                                           const lode_apply_options *how, lode_advice_fn function,
                                           void *user, lode_apply_summary *summary);

/* ---------------------------------------------------------------------------------------------- */

/* Returns whether rule a is better than rule b: by score, then by file order. */
static inline bool apply_better(const apply_index *x, const apply_rule *a, const apply_rule *b) {
    if (a->score != b->score) return (a->score > b->score) != x->low_first;
    return a->row < b->row;
}

#endif
