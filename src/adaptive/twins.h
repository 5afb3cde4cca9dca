/* twins.h - items that are in the same transactions
 *
 * Two transactions of 100,000 items have three kinds of items: those of the first, of the second,
 * and of both. Searched one by one, each is compared with all others. As twins are in every closed
 * and every maximal set together, and no generator has two of them, the search takes one of each
 * kind, and the others come in again where sets are reported:
 *
 *     transactions        a b c d     b d e          twins    a c | b d | e
 *     closed sets of a, b, e          b, ab, be   →  bd, abcd, bde
 *     generators                      a, e        →  a, c, e
 *
 * Found by refining: each transaction splits the kinds it has some of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_TWINS_H
#define LODE_ADAPTIVE_TWINS_H

#include "adaptive/base.h"

/* Whether the pairs of items that occur together are so many that a look at each item pays. */
bool twins_pay(const lode_dataset *data, lode_target target, uint32_t n_items);

/* Leaves one of each kind among the items of the base, where that saves much. */
LODE_NODISCARD lode_status twins_merge(adaptive_base *base, const engine_task *task);

/* Room for a worker to report sets of so many items in; nothing if there are no twins. */
LODE_NODISCARD lode_status twins_open(adaptive *a, const twins *t, uint32_t n_frequent);

/* Reports prefix + id for each id, with the twins of all of them. */
LODE_NODISCARD lode_status twins_emit(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                                      uint32_t n);

#endif
