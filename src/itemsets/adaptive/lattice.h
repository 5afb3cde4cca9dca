/* lattice.h - the subset lattice of a few items, counted and reported as a whole
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_LATTICE_H
#define LODE_ITEMSETS_ADAPTIVE_LATTICE_H

#include "itemsets/adaptive/shape.h"

/* Reports all sets of the first n items of `db`, whose shape is words or a single strip. The other
 * items are treated as earlier items. */
LODE_NODISCARD lode_status lattice_search_first(adaptive *a, const database *db, uint32_t n);

#endif
