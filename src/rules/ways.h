/* ways.h - in how many ways items can be chosen, so that groups are all there
 *
 * The sets of j items of which at least one is in every group: by inclusion and exclusion,
 *
 *     sum over sets D of groups:  (-1)^|D| * C(items in no group of D, j)
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_WAYS_H
#define LODE_RULES_WAYS_H

#include "base/status.h"

#define WAYS_MOST_GROUPS 16 /* that are open at the same time: 2^16 terms */

/* Items to choose from, by the groups that each is in: two words of bits. */
typedef struct ways_item {
    uint64_t in[2];
} ways_item;

/* C(n, k), or UINT64_MAX if that is more. */
uint64_t ways_choose(uint64_t n, uint64_t k);

/* How many sets of j of the n items, without number `skip` (n or more: none), have an item of every
 * group of `open`. False: 2^64 or more, or too many groups. */
bool ways_count(const ways_item *items, uint32_t n, uint32_t skip, const uint64_t open[2],
                uint32_t j, uint64_t *out);

#endif
