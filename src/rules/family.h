/* family.h - how many tests there are: the pairs of a body and a head that the margins fix
 *
 * A pair belongs to the family if the options allow it (sides, groups, sizes), its body is frequent
 * and every item of its head is, however often they come together. So the family is fixed before
 * anything is known about body and head together, and its size does not depend on what a search
 * leaves out. Heads are not enumerated: a body with a of the A items that may be heads goes with
 * C(A - a, s) heads of s items; those that must have an item of some groups, by inclusion and
 * exclusion. Bodies are counted by the engine of the task.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_FAMILY_H
#define LODE_RULES_FAMILY_H

#include "rules/wants.h"

__extension__ typedef unsigned __int128 family_size;

typedef struct family {
    const wants *wants;
    const uint64_t *head_counts; /* by id, in all transactions that are searched */
    const lode_dataset *data;    /* those of them that hold all bodies */
} family;

/* Counts it, by the engine of the task. Errors: those of the engine; UNSUPPORTED:
 * 2^128 or more, or 2^64 bodies. */
LODE_NODISCARD lode_status family_count(const family *f, engine_task *task,
                                        const lode_engine *engine, family_size *out);

/* A number in digits, with a closing zero. */
void family_text(family_size n, char *text, size_t bytes);

#endif
