/* lookup.h - an index of a result: finds a set, and the most frequent pattern that contains a set
 *
 * find    uses a hash table, whose slots have a part of the hash and the pattern's number + 1
 * above   uses ranks of the patterns by support. Each item has the ranks of its patterns, as a list
 *         or, if they are many, as a bit row. The first rank that all items have in common belongs
 *         to the most frequent pattern that contains all items.
 *
 *             rank      0  1  2  3  4         {a, c}: list of c, each looked up in the bits of a
 *             a (bits)  1  1  0  1  1         {a, b}: bits of a and bits of b
 *             b (bits)  1  0  1  1  0
 *             c (list)  1, 4
 *
 * Rules: the columns must not change while the index is in use. Any number of threads may use the
 *        index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_LOOKUP_H
#define LODE_WRITE_ITEMSETS_LOOKUP_H

#include "runtime/job.h"
#include "write/itemsets/item_columns.h"

typedef struct lookup lookup;

#define LOOKUP_NONE UINT64_MAX

/* Makes an index. `above` must be set if lookup_above() will be called. Errors: NOMEM, BUDGET,
 * CANCELLED, UNSUPPORTED (`above` is set and there are 2^32 patterns or more). */
LODE_NODISCARD lode_status lookup_create(lode_job *job, lookup **out, const columns *c, bool above);
void lookup_free(lookup *l);

/* Returns the hash of a set, whose items must ascend, and prefetches its slot. */
uint64_t lookup_prepare(const lookup *l, const uint32_t *items, size_t n);
/* Returns the number of the pattern with exactly these items, or LOOKUP_NONE. `hash` comes from
 * lookup_prepare(). */
uint64_t lookup_find(const lookup *l, uint64_t hash, const uint32_t *items, size_t n);
/* Returns the highest support of a pattern that contains all these items; 0 = no pattern does. */
uint64_t lookup_above(const lookup *l, const uint32_t *items, size_t n);

#endif
