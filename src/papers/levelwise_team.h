/* levelwise_team.h - the devices of a level-wise search, and how they share a block
 *
 * What:   every consumer of the plan is a member: a device with all item rows and its own lists.
 *         Only the threads of a plain `cpu` form one member, sharing rows and lists. The candidates
 *         of a block are divided, members count their parts in parallel, and the host combines the
 *         counts: they do not depend on the division.
 * Shares: in proportion to the speed of each member in the previous blocks; equal at first, in a
 *         small block. A member whose share would not pay for a thread gets none, so a small level
 *         is counted by one member.
 * Rows:   the row of a frequent set is on the member that counted it (levelwise.rows for the first
 *         one, far_rows for the others). Only the left set of a candidate must be there: the row of
 *         its extra item works as well as the row of the right set. If a left set goes to another
 *         member, because its own is busy, its row is made again there, from those of its items.
 * Joins:  if a device joins (pbi, gpu-apriori), the first member does it for all. If that is the
 *         CPU, it uses all threads of the CPU for it; the others wait meanwhile.
 * Failure: a member that fails ends the block when the others have done their parts, and the run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_LEVELWISE_TEAM_H
#define LODE_PAPERS_LEVELWISE_TEAM_H

#include "papers/levelwise.h"

struct levelwise_member {
    unsigned number, threads;
    backend_slot slot;
    bool is_host; /* its lists are in host memory */
    const lode_backend *backend;
    backend_device *device;
    const backend_paper_ops *ops;
    backend_papers *papers;
    list_pool *pool; /* the first member has that of the search … */
    list_pool own;   /* … and the others this */
    vec_u32 cache;   /* lists for prefixes (eqclass) */
    /* Its part of the current block. */
    size_t share;                  /* candidates */
    size_t first, end;             /* its range, if they are divided in order; */
    size_t first_class, end_class; /* its classes (eqclass) */
    vec_u32 index;                 /* or its candidates one by one (levelwise_rows.c) */
    /* Scratch of levelwise_rows.c: candidates by two rows, by lists of items, and left sets whose
     * rows are made again. */
    backend_work *work;
    size_t cap_work;
    vec_u32 work_index, lists, list_index, counts, moved, moved_items;

    /* Seconds of the current block: until the device began, of counting, and total. */
    double start, laid_out, counting, seconds;

    double busy;             /* seconds, of all blocks */
    double rate;             /* candidates per second; 0 = unknown */
    uint64_t rebuilt;        /* candidates counted from items, and rows made again */
    backend_counters before; /* both: at the start of the search */
    backend_paper_counters papers_before;
};

/* Opens the devices of the plan. The first one is also w->device. */
LODE_NODISCARD lode_status levelwise_team_open(levelwise *w);
void levelwise_team_close(levelwise *w);

/* Resets the figures of a member after its start-up. */
void levelwise_member_reset(levelwise_member *m);

/* Number of candidates that keep all members busy … */
size_t levelwise_team_fill(const levelwise *w);
/* … and the maximum for a block as long as their speeds are unknown. */
size_t levelwise_team_most(const levelwise *w);
/* Bytes of the scratch that the next block reuses. */
size_t levelwise_team_scratch(const levelwise *w);

/* Divides n candidates: sets share, first and end of every member. */
void levelwise_team_divide(levelwise *w, size_t n);

/* Counts the part of a member, in parallel with the others. */
typedef lode_status (*levelwise_part_fn)(levelwise *w, levelwise_member *m);
/* Makes the members count their parts; ends a lap. Parts must not wait for one another. */
LODE_NODISCARD lode_status levelwise_team_count(levelwise *w, levelwise_part_fn fn);
/* For a part: the time until now was spent on preparing the work, not on counting. */
void levelwise_member_begin(levelwise_member *m);

/* A list of the member, or BACKEND_NO_ROW. */
uint32_t levelwise_member_take(levelwise_member *m);

/* Maximum bytes of bit rows on all devices since levelwise_team_begin_level(). */
uint64_t levelwise_team_row_bytes(const levelwise *w);
void levelwise_team_begin_level(levelwise *w);

/* Adds the figures of the devices to the report. */
void levelwise_team_report(const levelwise *w);

#endif
