/* lode/tasks.h - dividing a search among processes; part of lode.h
 *
 * A TASK is a part of a search: a prefix, and a range of what may be added to it next. Any process
 * with the same data and options can do it. A task is a few numbers, which can be sent or stored;
 * the process that does it rebuilds the conditional data, which is cheap compared to the search.
 *
 *     lode_tasks_create()      divides a search into tasks, the same ones in every process
 *     lode_mine_tasks()        does some of them
 *     lode_job_ask_task()      asks a running search for a part of what it has not done
 *     lode_job_raise_threshold()   passes on a threshold that another process raised, as top:K
 *                              needs it: the search goes on, and drops patterns below it
 *
 * Disjoint tasks have different patterns, and the tasks of lode_tasks_create() together have all of
 * them. Closed and maximal sets, and generators, are those of the whole data, whoever does which
 * task. With LODE_TARGET_TOP, each call finds the best of its tasks; the best of all calls are the
 * best of all.
 *
 * To divide a search without exchanging messages, see `share` in lode_mine_options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TASKS_H
#define LODE_TASKS_H

#include "lode/graphs.h"
#include "lode/mine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ITEMSETS: the sets made of all items of `prefix`, one item whose rank is in [first, end), and any
 * items of lower ranks. Ranks number the frequent items from 0, the most frequent first; of equal
 * support, the last in the data set first. So they do not change when the threshold rises. Items of
 * the prefix are as in lode/data.h, each of a lower rank than those before it.
 * GRAPHS: `prefix` has three numbers for each edge of a DFS code: its two vertices and the kind of
 * edge. If it is empty, [first, end) are ranks of single edges, from the most frequent. Otherwise
 * the task is everything that extends the code, with first 0 and end UINT32_MAX; or, with both 0,
 * only `own`.
 * With `own`, the prefix itself is a pattern of the task; for graphs with an empty prefix, the
 * single vertices are. Only use prefixes made by lode: their meaning depends on the data and the
 * algorithm. For example, `adaptive` reports items that are in all transactions of a prefix
 * together with that prefix. */
typedef struct lode_task {
    size_t size;
    const uint32_t *prefix;
    double work;       /* expected work, only comparable within a search; 0 = unknown, as for tasks
                        * that were given away */
    uint32_t n_prefix; /* numbers in `prefix` */
    uint32_t first;
    uint32_t end;
    bool own;
    uint8_t reserved[3]; /* zero */
} lode_task;

/* ---- dividing ------------------------------------------------------------------------------- */

typedef struct lode_tasks lode_tasks;

/* Divides a search into about `goal` tasks: more if that is easier, fewer if there are no more. The
 * same data, options and goal give the same tasks in every process with the same build, whatever
 * its threads; lode_tasks_hash() tells whether they are equal. It takes the time of about `goal`
 * nodes of the search. If options->share is set, it returns only the tasks of that share; goal 0 is
 * then the value that lode_mine() uses for this number of shares. All itemset algorithms support
 * tasks, on any device; of the graph algorithms only graft does (UNSUPPORTED names it). Tasks
 * cannot be combined with root ranges or `reduce`. Errors: as lode_mine(). */
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
/* A hash of all tasks, including those of other shares, to check that processes divided the search
 * in the same way. */
LODE_API uint64_t lode_tasks_hash(const lode_tasks *tasks);

/* ---- searching ------------------------------------------------------------------------------ */

/* Takes a task that the running call will not do, lent for the call. Called by the thread that
 * called lode, or by threads that lode started for the job; calls for one job never overlap.
 * Non-zero stops the job, which then returns LODE_STOPPED. */
typedef int (*lode_task_fn)(void *user, const lode_task *task);

/* Reports that the tasks with the numbers [first, end) are finished: their patterns are in the
 * sink, and text sinks that hold nothing back (`unsorted`) have written them. Numbers are positions
 * in `tasks`. `given` are the parts of these tasks that were not done, lent for the call: each gets
 * the next number, from n_tasks on, and is done later in the same call. Called by the thread that
 * called lode, while nothing is searched. Non-zero stops the job, which then returns LODE_STOPPED.
 */
typedef int (*lode_task_done_fn)(void *user, size_t first, size_t end,
                                 const lode_task *const *given, size_t n_given);

typedef struct lode_task_search {
    size_t size;
    const lode_task *const *tasks; /* must not overlap */
    size_t n_tasks;
    lode_task_fn give; /* for lode_job_ask_task(); NULL = nothing is given away */
    void *give_user;
    /* If set, tasks are searched in order, a few at a time, and long ones are divided further.
     * Cannot be combined with `give` or LODE_TARGET_TOP. NULL = all tasks at once. */
    lode_task_done_fn done;
    void *done_user;
    double done_seconds;  /* target interval between calls of `done`; 0 = one second */
    const lode_tasks *of; /* for the report: the list that the tasks are a share of; or NULL */
    /* Graphs: a process that takes a subtree must recompute the occurrences of its prefix. It is
     * given away, or divided, only if its expected time is at least `worth` times that of the
     * prefix; 0 = 1. */
    double worth;
} lode_task_search;

/* As lode_mine() and lode_graphs_mine(), for some tasks; options->share has no effect. Errors: as
 * those, and INVALID for a task that is not valid for the data. A task without frequent patterns is
 * done at once. */
LODE_API LODE_NODISCARD lode_status lode_mine_tasks(lode_job *job, const lode_dataset *data,
                                                    const lode_mine_options *options,
                                                    const lode_task_search *search,
                                                    lode_sink *sink);
LODE_API LODE_NODISCARD lode_status lode_graphs_mine_tasks(lode_job *job, const lode_graphs *data,
                                                           const lode_graph_options *options,
                                                           const lode_task_search *search,
                                                           lode_sink *sink);

/* Asks the running lode_mine_tasks() of a job to give away a part of its search: a part that is not
 * begun or, from a thread that responds, about half of its oldest open node; for graphs, one child
 * of that node, as soon as it is worth its prefix (lode_task_search.worth). The part goes to
 * `give`, soon; never, if there is nothing to give away. Each request is answered at most once;
 * unanswered ones are dropped when the call returns. Any thread.
 * adaptive and graft respond while they search. Other algorithms, which may run on a GPU, search a
 * task in a few parts; between two parts they respond, and apply a raised threshold. */
LODE_API void lode_job_ask_task(lode_job *job);

/* ---- joining parts --------------------------------------------------------------------------- */

/* A hash of a data set, to check that processes have the same data: equal for the same transactions
 * in any order, or for the same graphs in the same order, on every machine. Reads all of the data.
 * For NULL, or if spilled data (`spill`) cannot be read, 0. */
LODE_API uint64_t lode_dataset_fingerprint(const lode_dataset *data);
LODE_API uint64_t lode_graphs_fingerprint(const lode_graphs *data);

/* The hash (lode_sink_hash_value()) of a result, from the hashes of its disjoint parts. */
LODE_API uint64_t lode_hash_join(lode_pattern_kind kind, const uint64_t *hashes, size_t n);
/* The hash of a result without one of its parts. */
LODE_API uint64_t lode_hash_without(lode_pattern_kind kind, uint64_t whole, uint64_t part);

#ifdef __cplusplus
}
#endif
#endif
