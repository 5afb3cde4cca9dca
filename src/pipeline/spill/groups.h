/* groups.h - writes the transactions of each group to a file of its own
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_GROUPS_H
#define LODE_PIPELINE_SPILL_GROUPS_H

#include "pipeline/spill/spill_pairs.h"

/* What the groups of a part are made of. */
typedef struct spill_plan {
    const spill_part *part;
    spill_counts c;
    spill_pairs pairs; /* if they are known, groups get no more than they need by them */
    spill_groups groups;
} spill_plan;

/* Distributes the transactions of a part to groups `first` to before `end`, in one pass: at most as
 * many as spill_most_groups(). On failure the files are closed. */
LODE_NODISCARD lode_status spill_write_groups(spill_job *s, spill_plan *plan, unsigned first,
                                              unsigned end);
unsigned spill_most_groups(const spill_job *s, const spill_part *part);

/* Closes a file, and counts what was written to it and read; NULL is fine. */
void spill_close_run(spill_job *s, spool **run);

/* The folder for files. */
static inline const char *spill_folder(const spill_job *s) {
    return s->whole->spool ? s->whole->spool->folder : s->whole->spill.data;
}

#endif
