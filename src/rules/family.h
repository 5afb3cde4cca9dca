/* family.h - counts the tests: all pairs of an antecedent and a consequent that could be a rule
 *
 * A pair belongs to the family of tests if the options allow the pair (sides, groups, sizes), and
 * if its antecedent and every item of its consequent are frequent. It does not matter how often
 * antecedent and consequent occur together. So the size of the family does not depend on what a
 * search prunes. The engine of the task counts antecedents. Consequents are not enumerated: if A
 * items are allowed in consequents, and an antecedent contains a of them, it has C(A - a, s)
 * consequents of s items. If consequents must contain an item from each of several groups, they are
  * counted by inclusion and exclusion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_FAMILY_H
#define LODE_RULES_FAMILY_H

#include "base/status.h"
#include "rules/wants.h"

__extension__ typedef unsigned __int128 family_size;

typedef struct family {
    const wants *wants;
    const uint64_t *rhs_counts; /* by id, in all transactions that are searched */
    const lode_dataset *data;   /* the transactions in which antecedents are counted */
} family;

/* Counts the family with the engine of the task. Errors: those of the engine; UNSUPPORTED (the
 * family has 2^128 members or more, or there are 2^64 antecedents or more). */
LODE_NODISCARD lode_status family_count(const family *f, engine_task *task,
                                        const lode_engine *engine, family_size *out);

/* Writes n in decimal digits, with a terminating zero byte, to `text`, a buffer of `bytes` bytes.
 * */
void family_text(family_size n, char *text, size_t bytes);

/* ---- the number of sets with an item of every group ------------------------------------------ */

/* The number of sets of j items that have an item of every group, by inclusion and exclusion:
 *
 *     sum over sets D of groups:  (-1)^|D| * C(items in no group of D, j) */

#define WAYS_MOST_GROUPS 16 /* maximum of groups in `open`: 2^16 terms */

/* An item to choose: the groups that contain it, as two words of bits. */
typedef struct ways_item {
    uint64_t in[2];
} ways_item;

/* Returns C(n, k), or UINT64_MAX if C(n, k) is larger. */
uint64_t ways_choose(uint64_t n, uint64_t k);

/* Counts the sets of j of the n items that have an item of every group of `open`, and do not
 * contain item number `skip` (n or more: no item is skipped). Returns false if there are 2^64 sets
 * or more, or too many groups. */
bool ways_count(const ways_item *items, uint32_t n, uint32_t skip, const uint64_t open[2],
                uint32_t j, uint64_t *out);

#endif
