/* lookup.h - an index of a result: finds a set, and the most frequent pattern that contains a set
 *
 * find    a hash table: slots of (part of the hash, number of the pattern + 1)
 * above   patterns are ranked by support, and each item has the ranks of its patterns: as a list
 *         or, if they are many, as a bit row. The first rank that all items have in common is that
 *         of the most frequent pattern that contains them all.
 *
 *             rank      0  1  2  3  4         {a, c}: list of c, each looked up in the bits of a
 *             a (bits)  1  1  0  1  1         {a, b}: bits of a and bits of b
 *             b (bits)  1  0  1  1  0
 *             c (list)  1, 4
 *
 * Rules: the columns must not change while it is in use. Any number of threads may use it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_LOOKUP_H
#define LODE_WRITE_ITEMSETS_LOOKUP_H

#include "runtime/job.h"
#include "write/itemsets/item_columns.h"

typedef struct lookup lookup;

#define LOOKUP_NONE UINT64_MAX

/* `above`: lookup_above() will be called, too. Errors: NOMEM, BUDGET, CANCELLED, UNSUPPORTED (2^32
 * patterns, for `above`). */
LODE_NODISCARD lode_status lookup_create(lode_job *job, lookup **out, const columns *c, bool above);
void lookup_free(lookup *l);

/* The hash of a set, in ascending order. Also prefetches its slot. */
uint64_t lookup_prepare(const lookup *l, const uint32_t *items, size_t n);
/* The number of the pattern with exactly these items, or LOOKUP_NONE. `hash`: of
 * lookup_prepare(). */
uint64_t lookup_find(const lookup *l, uint64_t hash, const uint32_t *items, size_t n);
/* The highest support of a pattern that contains all these items; 0 = none does. */
uint64_t lookup_above(const lookup *l, const uint32_t *items, size_t n);

#endif
