/* spill_roots.h - restricts a search from disk to ranges of items
 *
 * A branch of such a search is a range of item numbers (ranks), without a prefix. Ranges depend
 * only on the supports of the items, so every process makes the same ranges, whatever its memory.
 * In a run, all roots of a group belong to branches of the run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_ROOTS_H
#define LODE_PIPELINE_SPILL_SPILL_ROOTS_H

#include "pipeline/spill/spill_part.h"

/* Fails for requests that cannot be mined from disk. */
LODE_NODISCARD lode_status spill_check(const engine_task *task);

/* Makes s->roots from s->task->parts.branches, if there are any. Items must be numbered. Errors:
 * INVALID for a branch that has a prefix, or numbers beyond the last item. */
LODE_NODISCARD lode_status spill_mark_roots(spill_job *s);

#define SPILL_ROOT   1 /* value in spill_job.roots for a root that is searched … */
#define SPILL_BEGINS 2 /* … and for the first root of a branch */
/* Whether a new group must begin at this item, so that finished branches can be reported. */
static inline bool spill_begins(const spill_job *s, uint32_t number) {
    return s->roots && s->n_prefix == 0 && s->roots[number] == SPILL_BEGINS;
}

/* Whether the search includes the sets whose rarest item outside of the prefix is this item. */
static inline bool spill_is_root(const spill_job *s, uint32_t number) {
    return !s->roots || s->n_prefix > 0 || s->roots[number];
}

#endif
