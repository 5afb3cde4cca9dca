/* lode/tasks.h - a search in parts, for several processes; part of lode.h
 *
 * A TASK is a part of a search that any process can do that has the same data and uses the same
 * options: a prefix, and a range of what is added to it next. It is a few numbers, which can be
 * sent or stored; whoever does it makes the conditional data again, which is cheap beside searching
 * them.
 *
 *     lode_tasks_create()      divides a search into tasks, the same ones in every process
 *     lode_mine_tasks()        does some of them
 *     lode_job_ask_task()      asks a search that runs for a part of what it has not done
 *     lode_job_raise_threshold()   tells it of a threshold that was raised elsewhere: it goes on,
 *                              and leaves out what is below from then on, as top:K needs it
 *
 * Tasks that do not overlap have different patterns, and those of lode_tasks_create() have all of
 * them together. Each pattern is judged by all the data: closed and maximal sets, and generators,
 * are those of the whole search, whoever does which task. Of LODE_TARGET_TOP, each call finds the
 * best of its tasks; the best of all calls are the best of all.
 *
 * For a cut that needs no messages, see `share` in lode_mine_options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TASKS_H
#define LODE_TASKS_H

#include "lode/graphs.h"
#include "lode/mine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ITEMSETS: the sets of all items of `prefix`, one item whose rank is in [first, end), and any
 * items of lower ranks. Ranks count the frequent items from the most frequent, from 0, those of
 * equal support from the last in the data set; so they do not change when the threshold rises.
 * Items of the prefix are as in lode/data.h, each of a lower rank than those before it.
 * GRAPHS: `prefix` has three numbers for each edge of a code: two vertices and what the edge looks
 * like. If it is empty, [first, end) are ranks of single edges, from the most frequent; otherwise
 * the task is everything that grows from the code, and first is 0 and end UINT32_MAX, or both are
 * 0: nothing but `own`.
 * With `own`, the prefix itself is a pattern of the task; of graphs with an empty prefix, the
 * single vertices are. A prefix is one that lode has made: what it means depends on the data, and
 * tasks of one algorithm are for the same one: `adaptive` counts items that are in every
 * transaction of a prefix with that prefix. */
typedef struct lode_task {
    size_t size;
    const uint32_t *prefix;
    double work;       /* expected, in a unit that only compares tasks of one search; a task that
                        * was handed out has 0: not known */
    uint32_t n_prefix; /* numbers */
    uint32_t first;
    uint32_t end;
    bool own;
    uint8_t reserved[3]; /* zero */
} lode_task;

/* ---- dividing ------------------------------------------------------------------------------- */

typedef struct lode_tasks lode_tasks;

/* Divides a search into about `goal` tasks, or more where that is easier; fewer, where there are no
 * more. The same data, options and goal give the same tasks in every process that runs the same
 * build, whatever its threads; lode_tasks_hash() tells whether they are. It takes the time of
 * about `goal` nodes of the search. Where options->share is set, there are only the tasks of that
 * share, and a goal of 0 is the one that lode_mine() has for so many shares. All algorithms for
 * itemsets know tasks, on any device, and of those for graphs, graft (UNSUPPORTED names it). Root
 * ranges and `reduce` do not go with tasks. Errors: as lode_mine(). */
LODE_API LODE_NODISCARD lode_status lode_tasks_create(lode_job *job, lode_tasks **out,
                                                      const lode_dataset *data,
                                                      const lode_mine_options *options,
                                                      uint32_t goal);
LODE_API LODE_NODISCARD lode_status lode_graph_tasks_create(lode_job *job, lode_tasks **out,
                                                            const lode_graphs *data,
                                                            const lode_graph_options *options,
                                                            uint32_t goal);
LODE_API void lode_tasks_free(lode_tasks *tasks);

LODE_API size_t lode_tasks_count(const lode_tasks *tasks);
/* Lends the i-th task. False, and all zero, past the end. */
LODE_API bool lode_tasks_at(const lode_tasks *tasks, size_t i, lode_task *out);
/* A hash of all tasks, also of those of other shares, by which processes can tell whether they have
 * divided alike. */
LODE_API uint64_t lode_tasks_hash(const lode_tasks *tasks);

/* ---- searching ------------------------------------------------------------------------------ */

/* Takes over a task that the running call will not do. The task is lent for the call. Called by the
 * thread that called lode, or by those that lode has started for the job; of one job, one call at
 * a time. Non-zero stops the job, which then returns LODE_STOPPED. */
typedef int (*lode_task_fn)(void *user, const lode_task *task);

/* Told that the tasks with the numbers [first, end) are finished, and that their patterns are in
 * the sink; text sinks that hold nothing back (`unsorted`) have written them. Numbers are those in
 * `tasks`. What these tasks have not done themselves is `given`, lent for the call: each gets the
 * next number, from n_tasks on, and its turn in the same call. Called by the thread that called
 * lode, while nothing is searched. Non-zero stops the job, which then returns LODE_STOPPED. */
typedef int (*lode_task_done_fn)(void *user, size_t first, size_t end,
                                 const lode_task *const *given, size_t n_given);

typedef struct lode_task_search {
    size_t size;
    const lode_task *const *tasks; /* that do not overlap */
    size_t n_tasks;
    lode_task_fn give; /* for lode_job_ask_task(); NULL = nothing is given away */
    void *give_user;
    /* Tasks are searched in their order, and some at a time; what takes long is divided further.
     * Not with `give`, nor with LODE_TARGET_TOP. NULL = all at once. */
    lode_task_done_fn done;
    void *done_user;
    double done_seconds;  /* how often it is told, about; 0 = every second */
    const lode_tasks *of; /* that the tasks are a share of, for the report; or NULL */
    /* Of graphs: who takes a part over has to make the occurrences on the way to it again. A part
     * is given away, or divided, if it is expected to take so many times as long; 0 = 1. */
    double worth;
} lode_task_search;

/* As lode_mine() and lode_graphs_mine(), for some tasks; options->share has no effect. Errors:
 * these, and INVALID for a task that makes no sense for the data. A task that the threshold has
 * left nothing of is done at once. */
LODE_API LODE_NODISCARD lode_status lode_mine_tasks(lode_job *job, const lode_dataset *data,
                                                    const lode_mine_options *options,
                                                    const lode_task_search *search,
                                                    lode_sink *sink);
LODE_API LODE_NODISCARD lode_status lode_graphs_mine_tasks(lode_job *job, const lode_graphs *data,
                                                           const lode_graph_options *options,
                                                           const lode_task_search *search,
                                                           lode_sink *sink);

/* Asks the running lode_mine_tasks() of a job to hand out a part of its search: what nobody has
 * begun or, of a thread that answers, about half of the oldest node that is still open; of graphs,
 * one child of it, as soon as that is worth the way (lode_task_search.worth). It goes to `give`,
 * soon; if there is nothing to give away, never. Each question is answered at most once,
 * and those that are not answered are forgotten when the call returns. Any thread.
 * adaptive and graft answer while they search; the others, which may run on a GPU, search a task in
 * a few parts, and answer, and take a raised threshold, between two of them. */
LODE_API void lode_job_ask_task(lode_job *job);

/* ---- parts that are joined ------------------------------------------------------------------ */

/* A hash of a data set, by which processes can tell whether they have the same: the same for the
 * same transactions in whatever order, or for the same graphs in the same order, on every machine.
 * It looks at all of the data. For NULL, or if what is on disk (`spill`) cannot be read, 0. */
LODE_API uint64_t lode_dataset_fingerprint(const lode_dataset *data);
LODE_API uint64_t lode_graphs_fingerprint(const lode_graphs *data);

/* The hash (lode_sink_hash_value()) of a result of which parts that do not overlap have these. */
LODE_API uint64_t lode_hash_join(lode_pattern_kind kind, const uint64_t *hashes, size_t n);
/* The hash of what a result has besides a part of it. */
LODE_API uint64_t lode_hash_without(lode_pattern_kind kind, uint64_t whole, uint64_t part);

#ifdef __cplusplus
}
#endif
#endif
