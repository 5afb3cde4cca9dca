/* run.h - how a job runs, for every kind of pattern
 *
 * run.c reads from top to bottom in the order of a job:
 *
 *     lode_mine(), lode_graphs_mine(), lode_rules_mine()
 *       check      options, request, sink           mine_kind.read
 *       lease      threads                          runtime/lease.h
 *       narrow     data and options, by constraints constrain.c
 *       settle     device, then engine, then the memory that the engine needs; repeated if the job
 *                  had to wait for memory               run.c, with engine/engine.h
 *       search     with limits; for top:K with a sink that keeps the best, perhaps several times
 *                  with falling thresholds          top.c
 *                  for significant patterns, likewise   tested.c
 *                  one run of the engine: in memory, from disk or by partitions    search.c
 *       report     what was done                    runtime/job_report.h
 *
 * The differences between kinds are in a table, mine_kind. A new kind of pattern is a table, a
 * folder of engines, and sinks that accept it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_RUN_H
#define LODE_PIPELINE_RUN_H

#include "pipeline/engine/engine.h"
#include "runtime/valid.h"

/* Counts the patterns that the sink gets again, in these data, if the request says so. For begin()
 * and end() of kinds whose patterns are sets of items. */
void mine_begin_verify(const engine_task *task, const lode_dataset *data);
void mine_end_verify(const engine_task *task);
/* What this needs of memory; after mine_begin_verify(). */
uint64_t mine_verify_need(const engine_task *task);
/* Fails if the request says so and the transactions are not in memory. */
LODE_NODISCARD lode_status mine_check_verify(const engine_task *task, const lode_dataset *data);

/* The target top:K. */
typedef struct mine_top {
    /* Opens a sink that keeps the best K patterns and raises the threshold of the job. */
    LODE_NODISCARD lode_status (*open)(const engine_task *task, lode_sink **out);
    /* Sends the patterns that such a sink has kept to another sink. */
    LODE_NODISCARD lode_status (*replay)(lode_sink *top, lode_sink *to);
    /* If the request has no threshold: returns the first one to try (min_count is 0), or the next
     * one after a search with min_count has found fewer than K patterns. */
    uint64_t (*next_count)(const engine_task *task, uint64_t min_count);
} mine_top;

typedef struct mine_kind {
    lode_pattern_kind kind;
    valid_struct options;  /* the struct of its options */
    const char *roots;     /* what messages call the roots of the search, such as items */
    const char *no_engine; /* for messages: why no engine supports a request */
    /* The message if an engine fails with LODE_UNSUPPORTED; NULL = the engine has set one. */
    const char *too_large;
    /* The memory of a search is not known in advance, because the search keeps what it finds. */
    bool unsure;

    /* Makes the request from the options, and sets task->total. Replaces maxima of 0 in the options
     * by UINT32_MAX, and checks that options and data are compatible. */
    LODE_NODISCARD lode_status (*read)(engine_task *task, void *options);
    /* Replaces data, options and total of the task by those that are searched; the runner restores
     * data and options afterwards. NULL = the task is searched as it is. */
    LODE_NODISCARD lode_status (*narrow)(engine_task *task);
    /* Returns the device text for `auto`, and writes the reason to `why`. `asked`: the requested
     * engine, or NULL. */
    const char *(*choose_device)(const engine_task *task, const lode_engine *asked, char *why,
                                 size_t why_bytes);
    /* Fails if the task cannot run on the devices of its plan. May change the device's name in the
     * report. */
    LODE_NODISCARD lode_status (*check_plan)(engine_task *task, const lode_engine *asked);
    /* Fails if the engine, which supports the target, does not support the rest of the request.
     * Sets *need to the bytes that are enough, in addition to those in use. */
    LODE_NODISCARD lode_status (*check_engine)(engine_task *task, const lode_engine *engine,
                                               uint64_t *need);
    /* begin() is called before the sink receives patterns, end() after the search. */
    void (*begin)(const engine_task *task);
    void (*end)(const engine_task *task, lode_status status);
    /* Runs the engine, with what is specific to the kind; NULL = search.c runs it. */
    LODE_NODISCARD lode_status (*search)(engine_task *task, const lode_engine *engine);
    const mine_top *top; /* for the best K; NULL = not supported */
} mine_kind;

extern const mine_kind mine_itemsets, mine_graphs;

/* A call of the public interface. The options in `given` are checked and copied to `copy`, where
 * the task's options must point. The caller sets the task's job, data and sink. */
typedef struct mine_call {
    const mine_kind *kind;
    const void *given;
    void *copy;
    size_t copy_bytes; /* of the options struct that lode was built with */
} mine_call;

/* Mines, from the check of the options to the report. */
LODE_NODISCARD lode_status mine_run(engine_task *task, const mine_call *call);
/* Prepares the data for such jobs or, if the list task->parts.division is set, divides the search
 * into branches, which are added to that list. */
LODE_NODISCARD lode_status mine_prepare(engine_task *task, const mine_call *call);

/* Decides on which devices and with which engine the task runs. Sets *plan, *engine and *need
 * (bytes), and records them in the report. */
LODE_NODISCARD lode_status mine_settle(engine_task *task, const mine_kind *kind, backend_plan *plan,
                                       const lode_engine **engine, uint64_t *need);

/* Notes in the sink what kind of result it has, for later readers of the result. `all`: a whole
 * search was requested. */
void mine_note_origin(const engine_task *task, lode_status status, bool all, uint32_t min_size,
                      uint32_t max_size);

/* Makes the job fail because the engine does not support `what`. The message names the engines that
 * do support it: those for which does() is true. */
lode_status mine_refuse(engine_task *task, const lode_engine *engine, const char *what,
                        bool (*does)(const engine_task *, const lode_engine *));

/* search.c: runs the engine once, in memory, from disk, or by partitions. */
LODE_NODISCARD lode_status mine_search(engine_task *task, const mine_kind *kind,
                                       const lode_engine *engine);

/* top.c: runs the engine for the best K patterns, several times if needed. */
LODE_NODISCARD lode_status top_search(engine_task *task, const mine_kind *kind,
                                      const lode_engine *engine);
/* Whether the search for the best K determines the threshold itself. */
bool top_seeks_threshold(const engine_task *task);

/* tested.c: for significant itemsets, runs the engine for closed ones. */
bool tested_wanted(const engine_task *task);
/* Fails if an option lacks the one that gives it a meaning. For graphs, too. */
LODE_NODISCARD lode_status tested_needs(lode_job *job, const lode_class_options *c);
/* Changes a request for significant itemsets, and fails if it also asks for what would make the
 * test wrong. `o` is the copy of the options that the task points to. */
LODE_NODISCARD lode_status tested_read(engine_task *task, lode_mine_options *o);
/* Sets *support to the threshold to begin with. */
LODE_NODISCARD lode_status tested_first_count(const engine_task *task, uint64_t *support);
LODE_NODISCARD lode_status tested_search(engine_task *task, const mine_kind *kind,
                                         const lode_engine *engine);

/* Whether a search that ended with this status has left a usable result. */
static inline bool mine_is_usable(lode_status status) {
    return status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
}

#endif
