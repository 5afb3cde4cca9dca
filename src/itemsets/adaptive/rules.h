/* rules.h - antecedents of rules: what the search hands over instead of sets
 *
 * A rule with a consequent of one item needs the support of its antecedent, and that of antecedent
 * and consequent together. Every node of the search has both at hand: the prefix is the antecedent,
 * and what was counted in its transactions are the consequents. For that all items have to be in
 * view, not only those that may be added next: the search keeps earlier items, as for maximal sets,
 * with their exact counts. So nothing is looked up and nothing is stored, however many rules there
 * are.
 *
 *     prefix + item          the antecedent
 *     its perfect items      may join the antecedent, or be consequents, of confidence 1
 *     its other items        consequents, with their counts; earlier ones are never more than that
 *
 * Items that may be consequents only are never added to the prefix; items that may be in
 * antecedents only are not kept as earlier ones (engine_rules.roles).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_RULES_H
#define LODE_ITEMSETS_ADAPTIVE_RULES_H

#include "itemsets/adaptive/root.h"

/* Opens and closes what a worker needs to hand over antecedents. */
LODE_NODISCARD lode_status rules_open(adaptive *a, const adaptive_root *root);
LODE_NODISCARD lode_status rules_close(adaptive *a, const adaptive_root *root);

/* The empty prefix: items in every transaction are its perfect extensions, or consequents of all.
 * */
void rules_begin(adaptive *a, const adaptive_root *root);
/* Hands over the antecedents that have only such items. */
LODE_NODISCARD lode_status rules_emit_always(adaptive *a, const adaptive_root *root, uint64_t all);

/* Hands over the prefix as an antecedent, whose support this is, with the items of its database. */
LODE_NODISCARD lode_status rules_emit(adaptive *a, const item_list *items, uint32_t support);
/* The same for the sets of a lattice, the supports of which are in a->scratch.lattice. */
LODE_NODISCARD lode_status rules_emit_lattice(adaptive *a, const database *db);

/* Drops the items that are neither added nor consequents of a rule that is wanted below the child.
 * */
void rules_drop_hopeless(adaptive *a, child_items *c);

#endif
