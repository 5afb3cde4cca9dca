/* lode/tasks.h - dividing a search among processes; part of lode.h
 *
 * A TASK is a part of a search: a prefix, and a range of what may be added to it next. Any process
 * with the same data and options can do it. A task is a few numbers, which can be sent or stored;
 * the process that does it rebuilds the conditional data, which is cheap compared to the search.
 *
 *     lode_tasks_create()      divides a search into tasks, the same ones in every process
 *     lode_mine_tasks()        does some of them
 *     lode_job_ask_task()      asks a running search for a part of what it has not done
 *     lode_job_raise_threshold()   passes on a higher threshold that another process found, as
 *                              top:K requires: the search goes on, and drops patterns below this
 *                              threshold
 *
 * Disjoint tasks have different patterns, and the tasks of lode_tasks_create() together have all of
 * them. Closed sets, maximal sets and generators are always those of the whole data, no matter
 * which process does which task. With LODE_TARGET_TOP, each call finds the top K of its own tasks;
 * the top K of the combined results of all calls are the top K of the whole search.
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
 * items of lower ranks. The rank of a frequent item is its position, from 0, when items are sorted
 * by descending support; among items of equal support, the one that is last in the data set comes
 * first. So ranks do not change when the threshold rises. (The ranks of root ranges in
 * lode_mine_options count from the other end.) Items of the prefix are as in lode/data.h, each of a
 * lower rank than those before it.
 * GRAPHS: `prefix` is the DFS code of a subgraph, that is, a list of its edges. Each edge takes
 * three numbers: its two vertices and the kind of edge. If the prefix is empty, [first, end) are
 * ranks of kinds of edges; the most frequent kind has rank 0. Otherwise, if `first` is 0 and `end`
 * is UINT32_MAX, the task is everything that extends the prefix; if both are 0, the task is only
 * the prefix itself (see `own`).
 * If `own` is true, the prefix itself is a pattern of the task; for graphs with an empty prefix,
 * the single vertices are patterns of the task instead. Only use prefixes made by lode: their
 * meaning depends on the data and the algorithm. For example, if an item is in every transaction
 * that contains the prefix, the algorithm `adaptive` reports the item together with the prefix, and
 * makes no separate task for the item. */
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

/* Divides a search into about `goal` tasks. There may be more if that is easier to do, and fewer if
 * the search cannot be divided further. The same data, options and goal give the same tasks in
 * every process with the same build, however many threads it has; compare lode_tasks_hash() to
 * check this. The call takes about as long as searching `goal` nodes of the search tree. If
 * options->share is set, it returns only the tasks of that share, and `goal` may be 0, which means
 * the goal that lode_mine() uses for this number of shares. All itemset algorithms support tasks,
 * on any device; of the graph algorithms, only graft does (for others, the message of UNSUPPORTED
 * names it). Tasks cannot be combined with root ranges or `reduce`. Errors: as lode_mine(). */
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
/* Lends the i-th task until the tasks are freed. Past the end, fills *out with zeros and returns
 * false. */
LODE_API bool lode_tasks_at(const lode_tasks *tasks, size_t i, lode_task *out);
/* A hash of all tasks, including those of other shares, to check that processes divided the search
 * in the same way. */
LODE_API uint64_t lode_tasks_hash(const lode_tasks *tasks);

/* ---- searching ------------------------------------------------------------------------------ */

/* Receives a task that the running search gives away and will not do itself; the task is lent for
 * the call. Called by the thread that called lode, or by threads that lode started for the job;
 * calls for one job never overlap. Return non-zero to stop the job, which then returns
 * LODE_STOPPED. */
typedef int (*lode_task_fn)(void *user, const lode_task *task);

/* Reports that the tasks with the numbers [first, end) are finished: their patterns are in the
 * sink, and text sinks that hold nothing back (`unsorted`) have written them. Numbers are positions
 * in `tasks`. `given` are the parts of these tasks that are not done yet, lent for the call. Each
 * part gets the next free number, from n_tasks on, and is done later in the same call of
 * lode_mine_tasks(). Called by the thread that called lode, while nothing is searched. Return
 * non-zero to stop the job, which then returns LODE_STOPPED. */
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
    const lode_tasks *of; /* for the report: the list of tasks from which these were chosen; may be
                           * NULL */
    /* Graphs: a process that takes a subtree must recompute the occurrences of its prefix. A
     * subtree is given away, or divided, only if its expected time is at least `worth` times the
     * time for its prefix. 0 means the default, 1. */
    double worth;
} lode_task_search;

/* As lode_mine() and lode_graphs_mine(), but search only some tasks; options->share has no effect.
 * Errors: the same, and INVALID for a task that is not valid for the data. A task without frequent
 * patterns is done at once. */
LODE_API LODE_NODISCARD lode_status lode_mine_tasks(lode_job *job, const lode_dataset *data,
                                                    const lode_mine_options *options,
                                                    const lode_task_search *search,
                                                    lode_sink *sink);
LODE_API LODE_NODISCARD lode_status lode_graphs_mine_tasks(lode_job *job, const lode_graphs *data,
                                                           const lode_graph_options *options,
                                                           const lode_task_search *search,
                                                           lode_sink *sink);

/* Asks the running lode_mine_tasks() of a job to give away a part of its search. This is a part
 * that has not been begun or, if a searching thread responds, about half of what is left at the
 * oldest unfinished node of that thread (a node of the search tree). For graphs, it is one child of
 * that node, as soon as a child is large enough to justify recomputing its prefix
 * (lode_task_search.worth). The part is passed to `give` soon afterwards; if there is nothing to
 * give away, `give` is not called. Each request is answered at most once; requests not answered
 * when lode_mine_tasks() returns are dropped. Any thread may call this function. adaptive and graft
 * respond while they search. Other algorithms, which may run on a GPU, search a task in a few
 * parts; between two parts they respond, and apply a raised threshold. */
LODE_API void lode_job_ask_task(lode_job *job);

/* ---- joining parts --------------------------------------------------------------------------- */

/* A hash of a data set, to check that processes have the same data: on every machine, it is equal
 * for the same transactions in any order, or for the same graphs in the same order. Reads all of
 * the data. Returns 0 for NULL, and if spilled data (lode_read_options.spill) cannot be read. */
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
