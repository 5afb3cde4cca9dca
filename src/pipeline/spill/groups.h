/* groups.h - writes the transactions of each group to its own file
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_GROUPS_H
#define LODE_PIPELINE_SPILL_GROUPS_H

#include "pipeline/spill/spill_pairs.h"

/* How a part is divided into groups. */
typedef struct spill_plan {
    const spill_part *part;
    spill_counts c;
    spill_pairs pairs; /* if they are known, groups only get what they need according to them */
    spill_groups groups;
} spill_plan;

/* Distributes the transactions of a part to the groups `first` to `end` - 1, in one pass: at most
 * spill_most_groups() of them. On failure the files are closed. */
LODE_NODISCARD lode_status spill_write_groups(spill_job *s, spill_plan *plan, unsigned first,
                                              unsigned end);
unsigned spill_most_groups(const spill_job *s, const spill_part *part);

/* Closes a file, and adds the bytes written and read to the totals; NULL is allowed. */
void spill_close_run(spill_job *s, spool **run);

/* The folder for files. */
static inline const char *spill_folder(const spill_job *s) {
    return s->whole->spool ? s->whole->spool->folder : s->whole->spill.data;
}

#endif
