/* spill_roots.h - parts of a search from disk: ranges of items whose sets are searched
 *
 * A part of the search is a range of numbers (ranks), and has no prefix. Ranges follow from the
 * supports of the items alone, so that every process makes the same ones, whatever its memory: the
 * groups of a run lie within them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_ROOTS_H
#define LODE_PIPELINE_SPILL_SPILL_ROOTS_H

#include "pipeline/spill/spill_part.h"

/* Refuses what is not mined from disk. */
LODE_NODISCARD lode_status spill_check(const engine_task *task);

/* Marks the roots of s->task->parts.branches, if there are such; all items are numbered. Errors:
 * INVALID for a branch that has a prefix, or lies beyond the items. */
LODE_NODISCARD lode_status spill_mark_roots(spill_job *s);

#define SPILL_ROOT   1 /* of spill_job.roots … */
#define SPILL_BEGINS 2 /* … and of the first of a branch */

/* Whether a group must begin here at the latest: so it can be told which branches are finished. */
static inline bool spill_begins(const spill_job *s, uint32_t number) {
    return s->roots && s->n_prefix == 0 && s->roots[number] == SPILL_BEGINS;
}

/* Whether sets are searched whose rarest item beside the prefix is this one. */
static inline bool spill_is_root(const spill_job *s, uint32_t number) {
    return !s->roots || s->n_prefix > 0 || s->roots[number];
}

#endif
