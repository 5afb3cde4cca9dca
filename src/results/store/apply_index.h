/* apply_index.h - rules by their antecedents, so that those of a transaction are found quickly
 *
 * What:  a tree of antecedents. Items are ranked by how often they occur in the transactions, the
 *        rarest first, and the items of an antecedent stand in that order. Antecedents that begin
 *        alike share nodes, so that an item which a transaction lacks rules out all antecedents
 *        below it at once.
 * Form:  one array, each node before those below it; `next` is the node after all of these. So the
 *        antecedents of a transaction are found by walking on: to the node after this one if the
 *        transaction has its item, else to `next`. The rules of a node are those from its `rules`
 *        to that of the node after it.
 * Items: where items are recommended, only rules whose consequent the transaction lacks matter, and
 *        of those with the same consequent only the best. So the consequent comes second, after the
 *        rarest item of the antecedent (a rule with several items in its consequent is there once
 *        for each of them), and every node knows the best rule below it: the search skips a node
 *        that cannot be better.
 *
 *            every rule    rarest – 2nd – 3rd …          items    rarest – consequent – 2nd – 3rd …
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
        const uint32_t *items; /* the path in the tree; of every rule, then its consequent */
        uint64_t at;           /* while it is built: where they are */
    } list;
    uint64_t row;
    double score;
    uint32_t n_path, n_rhs;
} apply_rule;

typedef struct apply_node {
    uint32_t rank;  /* of its item; of a node for a consequent, that item */
    uint32_t next;  /* the node after those below this one */
    uint32_t rules; /* the first rule that ends here */
    uint32_t best;  /* the best that ends here or below */
} apply_node;

typedef struct apply_index {
    lode_store *store;
    const lode_dataset *data;
    lode_apply_summary *summary; /* receives what there is to say about items */
    bool by_rhs;                 /* for items, not for every rule */
    uint32_t *item_of; /* by id of the data: the item of the store; UINT32_MAX: it has none */
    uint32_t *rank_of; /* by item */
    uint32_t *roots;   /* by rank: the node below the root that has it; 0 = none */
    mem_kept kept;     /* the memory of the three */
    apply_rule *rules;
    size_t n_rules, cap_rules;
    vec_u32 lists;
    apply_node *nodes; /* the first is the root; one more at the end, for its `rules` */
    uint32_t n_nodes;
    size_t cap_nodes;
    bool low_first; /* low scores are better */
} apply_index;

/* Ranks rules by a column; `x` has the fields up to `by_rhs`, and zero. Clear it in any case.
 * Errors: PARSE, NOMEM, BUDGET, CANCELLED, UNSUPPORTED (2^32 rules or more). */
LODE_NODISCARD lode_status apply_index_build(apply_index *x, const stored_column *by);
void apply_index_clear(apply_index *x);

/* ---- apply_rules.c -------------------------------------------------------------------------- */

/* The column that ranks rules. Errors: INVALID (they are not rules; there is no such column, or it
 * ranks nothing). */
LODE_NODISCARD lode_status apply_column(lode_store *s, const lode_apply_options *how,
                                        const stored_column **by);
/* As lode_store_apply(), with checked options; fills in the summary, except what is about lines. */
LODE_NODISCARD lode_status apply_all_rules(lode_store *store, const lode_dataset *data,
                                           const lode_apply_options *how, lode_advice_fn function,
                                           void *user, lode_apply_summary *summary);

/* ---------------------------------------------------------------------------------------------- */

/* Whether a rule is better than another: by score, then the first of the file. */
static inline bool apply_better(const apply_index *x, const apply_rule *a, const apply_rule *b) {
    if (a->score != b->score) return (a->score > b->score) != x->low_first;
    return a->row < b->row;
}

#endif
