/* run.h - the way of a job, for every kind of pattern
 *
 *     lode_mine(), lode_graphs_mine()      mine_itemsets.c, mine_graphs.c
 *       check      options, sink           run.c, with mine_kind.check
 *       lease      threads                 runtime/lease.h
 *       settle     device, then engine, then the memory it needs; again if it had to wait for that
 *                                          choose.c, with engine/engine.h
 *       search     limits around it; for top:K with a sink that keeps the best, perhaps several
 *                  times with falling thresholds                  run.c, top.c
 *       report     what was done           runtime/job_report.h
 *
 * What differs from kind to kind is a table, mine_kind. A new kind of pattern is a table, a folder
 * of engines, and sinks that take it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MINE_RUN_H
#define LODE_MINE_RUN_H

#include "engine/engine.h"
#include "runtime/valid.h"

typedef struct mine_kind {
    lode_pattern_kind kind;
    valid_struct options; /* the struct of its options */
    const char *roots;    /* what parts of the search are called */
    /* What it means if an engine fails with LODE_UNSUPPORTED; NULL: it says so itself. */
    const char *too_large;
    /* Nobody knows beforehand how much memory a search takes, since it holds what it finds. */
    bool unsure;

    /* ---- what was asked for ---- */

    /* The request in the options, which it completes: maxima are UINT32_MAX where they were 0. */
    engine_request (*request)(void *options);
    /* Whether options and data go together, beyond what the request says. */
    LODE_NODISCARD lode_status (*check)(const engine_task *task);
    /* How many transactions, or graphs, a share is of. */
    uint64_t (*total)(const engine_task *task);
    /* top:K without a threshold: where to begin, and how to go on when fewer than K were found.
     * seeks NULL: it always looks for one. */
    bool (*seeks)(const engine_task *task);
    uint64_t (*first_count)(const engine_task *task);
    uint64_t (*next_count)(uint64_t min_count);

    /* ---- where and how ---- */

    /* The device text for `auto`, and why. `asked`: the engine that was asked for, or NULL. */
    const char *(*choose_device)(const engine_task *task, const lode_engine *asked, char *why,
                                 size_t why_bytes);
    /* Whether it can run there at all; may change how the report calls the device. */
    LODE_NODISCARD lode_status (*check_plan)(engine_task *task, const lode_engine *asked);
    /* Whether the engine, which finds the target, can do the rest. */
    LODE_NODISCARD lode_status (*check_engine)(engine_task *task, const lode_engine *engine);
    /* Bytes that are enough besides those in use, and whether that is sure (job->unsure). */
    uint64_t (*need)(const engine_task *task, const lode_engine *engine);

    /* ---- around the search ---- */

    void (*report_data)(const engine_task *task);
    /* What the sink is to know of the patterns to come, and of those that came; end may be NULL. */
    void (*begin)(const engine_task *task);
    void (*end)(const engine_task *task, lode_status status);
    /* A sink that keeps the best K and raises the threshold, and how it hands them over. */
    LODE_NODISCARD lode_status (*open_top)(const engine_task *task, lode_sink **out);
    LODE_NODISCARD lode_status (*replay_top)(lode_sink *top, lode_sink *to);
} mine_kind;

extern const mine_kind mine_itemsets, mine_graphs;

/* Mines, from the check of the caller's options to the report. The task has job, data and sink, and
 * its options point to `copy`, of this many bytes, which gets what is taken of the caller's. */
typedef struct mine_call {
    const mine_kind *kind;
    const void *given;
    void *copy;
    size_t copy_bytes;
} mine_call;

LODE_NODISCARD lode_status mine_run(engine_task *task, const mine_call *call);
/* Prepares the data for such jobs. */
LODE_NODISCARD lode_status mine_prepare(engine_task *task, const mine_call *call);

/* choose.c: where and how the task runs; notes it in the report, and the memory it needs. */
LODE_NODISCARD lode_status mine_settle(engine_task *task, const mine_kind *kind, backend_plan *plan,
                                       const lode_engine **engine, uint64_t *need);

/* An engine was asked for something that it does not do: says which ones `do` it. */
lode_status mine_refuse(engine_task *task, const lode_engine *engine, const char *what,
                        bool (*does)(const lode_engine *));

/* top.c: runs the engine for the best K, as often as it takes. */
LODE_NODISCARD lode_status mine_top(engine_task *task, const mine_kind *kind,
                                    const lode_engine *engine);
/* Whether the search for the best K looks for a threshold itself. */
bool mine_seeks_threshold(const engine_task *task, const mine_kind *kind);

/* A search that has ended so has a result. */
static inline bool mine_is_usable(lode_status status) {
    return status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
}

#endif
