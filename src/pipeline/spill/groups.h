/* groups.h - writes the transactions of each group to its own file
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_GROUPS_H
#define LODE_PIPELINE_SPILL_GROUPS_H

#include "pipeline/spill/spill_pairs.h"

/* How a part is divided into groups. */
typedef struct spill_plan {
    const spill_part *part;
    spill_counts c;    /* of the part */
    spill_pairs pairs; /* if known, a group only gets items that are partners of its roots */
    spill_groups groups;
} spill_plan;

/* Writes the transactions of groups [first, end) to files, in one pass over the part, and sets the
 * `run` of each group. On failure the files are closed. */
LODE_NODISCARD lode_status spill_write_groups(spill_job *s, spill_plan *plan, unsigned first,
                                              unsigned end);
/* The maximum number of groups that can be written in one pass. */
unsigned spill_most_groups(const spill_job *s, const spill_part *part);

/* Closes a file, adds its bytes to the totals, and sets *run to NULL. If *run is NULL already, does
 * nothing. */
void spill_close_run(spill_job *s, spool **run);

/* The folder in which files are made. */
static inline const char *spill_folder(const spill_job *s) {
    return s->whole->spool ? s->whole->spool->folder : s->whole->spill.data;
}

#endif
