/* walk.h - the search below an item of the root, or below a branch that was handed over
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_WALK_H
#define LODE_ADAPTIVE_WALK_H

#include "adaptive/shape.h"

/* Searches everything below the present prefix, whose conditional database this is. */
LODE_NODISCARD lode_status walk_search(adaptive *a, const database *db);
/* Searches what is below one item of the database of the empty prefix, which was reported. */
LODE_NODISCARD lode_status walk_root(adaptive *a, const database *db, uint32_t item);
/* Counts what is below one item of the root as if it were searched, and says what work is expected
 * there; the worker is at the empty prefix, and stays there. */
LODE_NODISCARD lode_status walk_probe(adaptive *a, const database *db, uint32_t item, double *work);

#endif
