/* levelwise_team.h - the devices of a level-wise search, and how they share a block
 *
 * What:   each device of the run is a member of the team, and has the rows of all items and its own
 *         lists. With the device `cpu`, all threads together are one member, and share rows and
 *         lists. The members divide the candidates of a block, and count their parts in parallel.
 *         The host combines the counts, which do not depend on the division.
 * Shares: proportional to the speeds of the members in the previous blocks. The first block is
 *         small, and is divided equally. If the share of a member takes less time than starting a
 *         thread for it, the member gets no share; so one member counts a small level.
 * Rows:   the row of a frequent set is on the member that counted it (levelwise.rows for the first
 *         member, far_rows for the others). A candidate is the union of a left and a right set. To
 *         count it, a member needs the row of the left set; instead of the row of the right set, it
 *         can use the row of the item that the right set adds. If the member with the row of the
 *         left set is busy, another member makes this row again, from the rows of the items.
 * Joins:  if a device makes the candidates (pbi, gpu-apriori), the first member makes them for all.
 *         If the first member is the CPU, it uses all threads for this, and the others wait.
 * Failure: if a member fails, the others finish their parts; then the run ends.
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
    size_t first, end;             /* the range of candidates, if divided in order; */
    size_t first_class, end_class; /* the classes in it (eqclass); */
    vec_u32 index;                 /* or the candidates one by one (levelwise_rows.c) */
    /* Scratch of levelwise_rows.c: the candidates that are counted from two rows, those that are
     * counted from the rows of their items, and the left sets whose rows are made again. */
    backend_work *work;
    size_t cap_work;
    vec_u32 work_index, lists, list_index, counts, moved, moved_items;

    /* Of the current block: when the part began, then the seconds until counting began, of
     * counting, and of the whole part. */
    double start, laid_out, counting, seconds;

    double busy;             /* seconds, of all blocks */
    double rate;             /* candidates per second; 0 = unknown */
    uint64_t rebuilt;        /* candidates counted from items, and rows made again */
    backend_counters before; /* this and the next: at the start of the search */
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
/* Makes the members count their parts, and ends a period of the clock of phases. Parts must not
 * wait for one another. */
LODE_NODISCARD lode_status levelwise_team_count(levelwise *w, levelwise_part_fn fn);
/* A part calls this when it begins to count: the time before was spent on preparations. */
void levelwise_member_begin(levelwise_member *m);

/* A list of the member, or BACKEND_NO_ROW. */
uint32_t levelwise_member_take(levelwise_member *m);

/* Maximum bytes of bit rows on all devices since levelwise_team_begin_level(). */
uint64_t levelwise_team_row_bytes(const levelwise *w);
void levelwise_team_begin_level(levelwise *w);

/* Adds the figures of the devices to the report. */
void levelwise_team_report(const levelwise *w);

#endif
