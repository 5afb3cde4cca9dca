/* rules.h - passes on antecedents of rules instead of sets
 *
 * A rule with a consequent of one item needs the support of its antecedent, and that of antecedent
 * and consequent together. Every node of the search has both: the prefix is the antecedent, and the
 * items counted in its transactions are the consequents. This requires that all items are counted,
 * not only those that may be added next: the search keeps earlier items, as for maximal sets, with
 * exact counts. So no support is looked up and no set is stored, however many rules there are.
 *
 *     prefix + item          the antecedent
 *     its perfect items      may join the antecedent, or be consequents with confidence 1
 *     its other items        consequents, with their counts; earlier items are only consequents
 *
 * Items that are only allowed in consequents are never added to the prefix. Items that are only
 * allowed in antecedents are not kept as earlier items (engine_rules.roles).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_RULES_H
#define LODE_ITEMSETS_ADAPTIVE_RULES_H

#include "itemsets/adaptive/root.h"

/* Open and close a worker's data for passing on antecedents. */
LODE_NODISCARD lode_status rules_open(adaptive *a, const adaptive_root *root);
LODE_NODISCARD lode_status rules_close(adaptive *a, const adaptive_root *root);

/* Moves to the empty prefix. Items in every transaction are its perfect extensions; those that may
 * only be consequents are consequents of every antecedent. */
void rules_begin(adaptive *a, const adaptive_root *root);
/* Passes on the antecedents that consist only of items in every transaction. Their support is
 * `all`. */
LODE_NODISCARD lode_status rules_emit_always(adaptive *a, const adaptive_root *root, uint64_t all);

/* Passes on the prefix as an antecedent with this support, and the items of its database. */
LODE_NODISCARD lode_status rules_emit(adaptive *a, const item_list *items, uint32_t support);
/* The same for the sets of a lattice, whose supports are in a->scratch.lattice. */
LODE_NODISCARD lode_status rules_emit_lattice(adaptive *a, const database *db);

/* Drops the items of a child that can neither be added below the child nor be the consequent of an
 * accepted rule there. If no rule is possible below the child, no item stays addable. */
void rules_drop_hopeless(adaptive *a, child_items *c);

#endif
