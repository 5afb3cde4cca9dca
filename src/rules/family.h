/* family.h - the number of tests: all pairs of an antecedent and a consequent that could be a rule
 *
 * A pair belongs to the family if the options allow it (sides, groups, sizes), its antecedent is
 * frequent and every item of its consequent is, however often they come together. So the family is
 * fixed before anything is known about antecedent and consequent together, and its size does not
 * depend on what a search leaves out. Consequents are not enumerated: an antecedent with a of the A
 * items that may be consequents goes with C(A - a, s) consequents of s items; those that must have
 * an item of some groups, by inclusion and exclusion. Antecedents are counted by the engine of the
 * task.
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
    const lode_dataset *data;   /* those of them that hold all antecedents */
} family;

/* Counts it, by the engine of the task. Errors: those of the engine; UNSUPPORTED:
 * 2^128 or more, or 2^64 antecedents. */
LODE_NODISCARD lode_status family_count(const family *f, engine_task *task,
                                        const lode_engine *engine, family_size *out);

/* A number in digits, with a closing zero. */
void family_text(family_size n, char *text, size_t bytes);

/* ---- in how many ways items can be chosen, so that groups are all there ---------------------- */

/* The sets of j items of which at least one is in every group: by inclusion and exclusion,
 *
 *     sum over sets D of groups:  (-1)^|D| * C(items in no group of D, j) */

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
