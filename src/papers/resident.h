/* resident.h - levels that stay on the device: the host gets totals, and sets only to write them
 *
 * A device with backend_level_ops makes each level from the previous one. The host receives the
 * number of candidates, of frequent sets and of their joins. If the sink takes numbers, that is
 * all; otherwise it also receives the frequent pairs with their counts and, once per level, the
 * table in which their left sets are looked up.
 *
 * When it ends: if a level does not fit into the memory of the device, or there are not enough
 * lists for the rows of all its sets, the data of the device are copied to the host, and the
 * following levels are done in blocks prepared by the host (levelwise_do_blocks). Results are the
 * same.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_RESIDENT_H
#define LODE_PAPERS_RESIDENT_H

#include "papers/levelwise.h"

/* levelwise.state of a method that uses it; levelwise.sets is a bit_sets. */
typedef struct resident {
    bool stays;              /* the sets of the level are on the device */
    bool comes_down;         /* … and those kept for the next one are on the host */
    bool numbers;            /* the sink takes numbers */
    bool has_table;          /* the host has the table of the level, too */
    uint32_t n_kept, n_rows; /* sets kept on the device, and the number of them with rows */
} resident;

/* levelwise_method.start: copies the items to the device, if they may stay there. */
LODE_NODISCARD lode_status resident_start(levelwise *w);
/* levelwise_method.level, while `stays`. */
LODE_NODISCARD lode_status resident_level(levelwise *w);
/* levelwise_method.advance */
LODE_NODISCARD lode_status resident_advance(levelwise *w, bool *advanced);

#endif
