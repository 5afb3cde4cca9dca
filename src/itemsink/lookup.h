/* lookup.h - where a set is among the patterns of a result, and which patterns hold it
 *
 * find    a table of hashes: slots of (a piece of the hash, number of the pattern + 1)
 * above   which pattern of the highest support holds all of some items: patterns are ranked by
 *         support, and every item knows the ranks of its patterns, as a list, or, if they are many,
 *         as a row of bits. The first rank that all items have in common is the answer.
 *
 *             rank      0  1  2  3  4         {a, c}: list of c, each looked up in the bits of a
 *             a (bits)  1  1  0  1  1         {a, b}: bits of a and bits of b
 *             b (bits)  1  0  1  1  0
 *             c (list)  1, 4
 *
 * Rules: the columns stay as they are while it is in use. Any number of threads may look.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_LOOKUP_H
#define LODE_ITEMSINK_LOOKUP_H

#include "itemsink/item_columns.h"
#include "runtime/job.h"

typedef struct lookup lookup;

#define LOOKUP_NONE UINT64_MAX

/* `above`: lookup_above() will be asked, too. Errors: NOMEM, BUDGET, CANCELLED, UNSUPPORTED (2^32
 * patterns, for `above`). */
LODE_NODISCARD lode_status lookup_create(lode_job *job, lookup **out, const columns *c, bool above);
void lookup_free(lookup *l);

/* The hash of a set, in ascending order; its place is fetched. */
uint64_t lookup_prepare(const lookup *l, const uint32_t *items, size_t n);
/* The pattern of exactly these items, by that hash. */
uint64_t lookup_find(const lookup *l, uint64_t hash, const uint32_t *items, size_t n);
/* The highest support of a pattern that holds all of them; 0: none does. */
uint64_t lookup_above(const lookup *l, const uint32_t *items, size_t n);

#endif
