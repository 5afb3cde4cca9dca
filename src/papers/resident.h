/* resident.h - levels that stay on the device: the host sees totals, and sets only to write them
 *
 * A device that has backend_level_ops makes each level from the one before. What comes down is how
 * many candidates there were, how many are frequent and how many joins they make. If the sink takes
 * numbers, that is all; else the frequent pairs come down with their counts, and once a level the
 * table in which their left sets are looked up.
 *
 * Where it ends: when a level does not fit the memory of the device, or when there are not lists
 * for the rows of all its sets, what the device has is brought down, and the levels that follow are
 * done in blocks that the host prepares (levelwise_do_blocks). Results are the same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_RESIDENT_H
#define LODE_PAPERS_RESIDENT_H

#include "papers/levelwise.h"

/* levelwise.state of a method that uses it; levelwise.sets is a bit_sets. */
typedef struct resident {
    bool stays;              /* the sets of the level are on the device */
    bool comes_down;         /* and those that are kept for the next one are on the host */
    bool numbers;            /* the sink takes numbers */
    bool has_table;          /* the host has the table of the level, too */
    uint32_t n_kept, n_rows; /* sets kept on the device, and how many of them have rows */
} resident;

/* levelwise_method.start: the items go to the device, if they may stay there. */
LODE_NODISCARD lode_status resident_start(levelwise *w);
/* levelwise_method.level, while `stays`. */
LODE_NODISCARD lode_status resident_level(levelwise *w);
/* levelwise_method.advance */
LODE_NODISCARD lode_status resident_advance(levelwise *w, bool *advanced);

#endif
