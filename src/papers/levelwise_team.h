/* levelwise_team.h - the devices of a level-wise search, and how a block is divided among them
 *
 * What:   every consumer of the plan is a member: a device with all item rows and lists of its own.
 *         Only the threads of a plain `cpu` are one member together, which share rows and lists.
 *         The candidates of a block are divided, members count their parts side by side, and the
 *         host puts the counts together: they are the same whoever counts.
 * Shares: in proportion to the speed of each member in the blocks before; equal at first, in a
 *         block that is small. A member whose share would not pay for a thread gets none, so that
 *         a small level is counted by one.
 * Rows:   the row of a frequent set lies with the member that counted it (levelwise.rows of the
 *         first one, far_rows of the others). Only the left set of a candidate must be there: the
 *         row of its extra item does as well as the row of the right set. A left set that goes to
 *         another member, because its own has enough to do, gets its row again there, from those
 *         of its items.
 * Joins:  where a device joins (pbi, gpu-apriori), the first member does it for all. If that is
 *         the CPU, it has all threads of the CPU for it; the others wait meanwhile.
 * Failure: a member that fails ends the block when the others have done their parts, and the run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_LEVELWISE_TEAM_H
#define LODE_PAPERS_LEVELWISE_TEAM_H

#include "papers/levelwise.h"

struct levelwise_member {
    unsigned number, threads;
    backend_slot slot;
    bool is_host; /* its lists lie in the memory of the host */
    const lode_backend *backend;
    backend_device *device;
    const backend_paper_ops *ops;
    backend_papers *papers;
    list_pool *pool; /* the first member has that of the search … */
    list_pool own;   /* … and the others this */
    vec_u32 cache;   /* lists for prefixes (eqclass) */

    /* Its part of the block in work. */
    size_t share;                  /* candidates */
    size_t first, end;             /* which, where they are divided in order; */
    size_t first_class, end_class; /* their classes (eqclass) */
    vec_u32 index;                 /* or one by one (levelwise_rows.c) */
    /* Scratch of levelwise_rows.c: candidates by two rows, by lists of items, and left sets whose
     * rows are made again. */
    backend_work *work;
    size_t cap_work;
    vec_u32 work_index, lists, list_index, counts, moved, moved_items;

    /* Seconds of the block in work: until the device began, of counting, and in all. */
    double start, laid_out, counting, seconds;

    double busy;             /* seconds, of all blocks */
    double rate;             /* candidates in a second; 0: not known yet */
    uint64_t rebuilt;        /* candidates counted from items, and rows made again */
    backend_counters before; /* both: when the search began */
    backend_paper_counters papers_before;
};

/* Opens the devices of the plan. The first one is also w->device. */
LODE_NODISCARD lode_status levelwise_team_open(levelwise *w);
void levelwise_team_close(levelwise *w);

/* What a member has done so far does not count: it was started up. */
void levelwise_member_reset(levelwise_member *m);

/* Candidates that keep all members busy … */
size_t levelwise_team_fill(const levelwise *w);
/* … and those that a block may have as long as it is not known how fast each of them is. */
size_t levelwise_team_most(const levelwise *w);
/* Bytes of the scratch that the next block uses again. */
size_t levelwise_team_scratch(const levelwise *w);

/* Divides n candidates: sets share, first and end of every member. */
void levelwise_team_divide(levelwise *w, size_t n);

/* Counts the part of a member; runs side by side with those of the others. */
typedef lode_status (*levelwise_part_fn)(levelwise *w, levelwise_member *m);
/* Has the members count what they were given; ends a lap. Parts must not wait for one another. */
LODE_NODISCARD lode_status levelwise_team_count(levelwise *w, levelwise_part_fn fn);
/* For a part: the time until now was spent on laying out the work, not on counting. */
void levelwise_member_begin(levelwise_member *m);

/* A list of the member, or BACKEND_NO_ROW. */
uint32_t levelwise_member_take(levelwise_member *m);

/* Bytes of bit rows on all devices, at the most since levelwise_team_begin_level(). */
uint64_t levelwise_team_row_bytes(const levelwise *w);
void levelwise_team_begin_level(levelwise *w);

/* Adds what the devices did to the report. */
void levelwise_team_report(const levelwise *w);

#endif
