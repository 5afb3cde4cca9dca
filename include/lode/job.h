/* lode/job.h - jobs, and the contexts that they share; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_JOB_H
#define LODE_JOB_H

#include "lode/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What jobs share: threads, memory, devices. Programs that run one job at a time need no context.
 * A context lives until everything in it is freed: jobs and data sets may be freed in any order
 * (sinks before their job), and lode_ctx_free() may come first. Any thread may use it.
 *
 * HOW JOBS SHARE. Calls that work (reading, mining, finishing a sink, generating) borrow what they
 * need from the context, and give it back when they return:
 *   Threads    `threads` limits all calls together, calling threads included. A call gets at least
 *              one thread, and at most as many as its job may use. If none is free it waits, first
 *              come, first served. While others wait, a call with more than an equal share gives
 *              threads back whenever it completes a part of its work.
 *   Memory     `memory_bytes` is the budget for everything in the context. Before a job searches,
 *              it reserves the memory that it will need. If other jobs hold too much, it waits
 *              until they end. A call that runs out of memory because of other jobs also waits,
 *              unless it has delivered something already, or reads from a pipe, which cannot be
 *              read twice. LODE_BUDGET means that waiting would not help. A call never waits
 *              because of the budget of its own job.
 *   Devices    Jobs on one GPU share `device_memory_bytes`, and wait likewise.
 * Waiting is a phase of the progress report, "wait", and can be cancelled. If all calls wait, the
 * first one goes on. A job with a context of its own never waits.
 * Jobs of any context may use a data set; its memory counts in the context that read it. A sink
 * belongs to its job.
 * A callback may make calls with another job. They run on the callback's thread alone, and never
 * wait. With the job that called it, a callback may only make the calls that any thread may make
 * (see Threads in lode.h). */
typedef struct lode_ctx lode_ctx;

/* `options` may be NULL. Errors: NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_ctx_create(lode_ctx **out,
                                                    const lode_ctx_options *options);
LODE_API void lode_ctx_free(lode_ctx *ctx);

/* How much of a context its jobs use. */
typedef struct lode_usage {
    size_t size;
    unsigned threads;                  /* the limit */
    unsigned threads_used;             /* working now: calling threads, and those started by lode */
    unsigned threads_peak;             /* the most that worked at the same time */
    unsigned jobs_running;             /* in a call now */
    unsigned jobs_waiting;             /* in a call, waiting for threads or memory */
    uint64_t memory_used, memory_peak; /* bytes, as below */
    uint64_t memory_budget;            /* 0 = none */
} lode_usage;

/* Fills *out. Any thread may call it, at any time. If `ctx` is NULL, fills *out with zeros and
 * returns false. */
LODE_API bool lode_ctx_usage(lode_ctx *ctx, lode_usage *out);

/* Bytes that everything in the context takes now, and the highest value so far. */
LODE_API uint64_t lode_ctx_memory_used(const lode_ctx *ctx);
LODE_API uint64_t lode_ctx_memory_peak(const lode_ctx *ctx);

/* What this process may use: the lowest of what the machine has, what its container (cgroups v1 or
 * v2) allows, and what ulimit allows. */
typedef struct lode_resources {
    size_t size;
    unsigned threads;          /* processors: what `threads` 0 means */
    uint64_t memory_total;     /* bytes; 0 = unknown */
    uint64_t memory_available; /* bytes that can still be allocated; 0 = unknown */
    uint64_t memory_budget;    /* 80% of memory_available, at least 16 MiB; 0 = unknown */
    const char *memory_origin; /* text for the option memory_origin; static. "" = unknown */
} lode_resources;

/* Fills *out with figures that are at most 0.05 seconds old. The library itself sets no budget: a
 * context or job without memory_bytes takes memory until the system refuses more or kills the
 * process. The lode command and the Python package set memory_budget by default. To do the same,
 * copy memory_budget and memory_origin into the options, or set the option "memory" to "auto".
 * False if `out` is NULL or its size is not set. */
LODE_API bool lode_resources_get(lode_resources *out);

/* A job does one call after another: reading, mining, writing. It has limits, progress, a cancel
 * flag and the last error. Jobs of one context may run at the same time, each on its own thread of
 * the program, and may use data sets that any of them has read. */
typedef struct lode_job lode_job;

/* Creates a job. If `ctx` is NULL, the job gets its own context, with the limits of the job.
 * `options` may be NULL. The device is checked only when mining. Errors: NOMEM, INVALID (out is
 * NULL, more than 1024 threads, a device text of 256 bytes or more). */
LODE_API LODE_NODISCARD lode_status lode_job_create(lode_job **out, lode_ctx *ctx,
                                                    const lode_job_options *options);
LODE_API void lode_job_free(lode_job *job);

/* The context of a job. */
LODE_API lode_ctx *lode_job_ctx(const lode_job *job);

/* The message of the last call if it failed, otherwise "". Lent until the next call. For NULL: the
 * message of this thread's last failed call without a job: lode_job_create(), lode_ctx_create(),
 * lode_file_…(). */
LODE_API const char *lode_job_error(const lode_job *job);

/* Sets this message, as a failed call does, and returns `status`. For programs that do a part of
 * the work of a job by themselves. */
LODE_API lode_status lode_job_fail(lode_job *job, lode_status status, const char *message);

/* Asks the running call to stop: it returns LODE_CANCELLED, and what the sinks have received is
 * valid. It stops within 0.2 s in every phase, also while waiting, except while a GPU starts or a
 * finished file is synced to disk. Any thread and any signal handler may call it. The job stays
 * cancelled until lode_job_reset(). */
LODE_API void lode_job_cancel(lode_job *job);

/* Clears the cancel flag and the error message, so that the job can be used again. */
LODE_API void lode_job_reset(lode_job *job);

/* Fills *out with the progress of the running call, or of the last one. Any thread may call it. If
 * `job` is NULL, fills *out with zeros and returns false. */
LODE_API bool lode_job_progress(lode_job *job, lode_progress *out);

/* Raises the support threshold of the running lode_mine(), lode_rules_mine() or lode_graphs_mine().
 * The search empties its sink and starts again with the new threshold, on the data that it has
 * prepared. So result, counts and report are the same as if the call had been made with that
 * threshold, given as a count; only limit_seconds still counts from the start of the call. If the
 * value is not above the current threshold, nothing changes, and the call returns OK. Any thread
 * and any progress callback may call it. Returns
 *   OK           the search will have this threshold, or a higher one requested later. If the
 *                search is cancelled before it starts again, its sink is empty;
 *   NOTFOUND     no search runs: none has started, or it is ending (complete, cancelled, or at a
 *                limit). Nothing changes;
 *   UNSUPPORTED  the sink cannot be emptied: it calls a function, writes to standard output, a pipe
 *                or a device, or was filled by an earlier call; or the search uses `reduce`.
 *                Nothing changes. Cancel the job, and mine again;
 *   INVALID      the job is NULL.
 * Searches of tasks (lode/tasks.h) do not start again: they go on, and sinks drop later patterns
 * that are below the threshold. */
LODE_API lode_status lode_job_raise_threshold(lode_job *job, uint64_t min_count);

/* Bytes that this job takes now, without data sets, and the highest value so far. */
LODE_API uint64_t lode_job_memory_used(const lode_job *job);
LODE_API uint64_t lode_job_memory_peak(const lode_job *job);

/* After LODE_BUDGET: a budget in bytes that is enough for the whole job: data, search and output.
 * It is the figure in the message, a whole number of MiB, and rarely more than twice the minimum.
 * After any other status: 0. Limits of the estimate:
 *   - If the data set itself does not fit, the figure does not include the memory of a result that
 *     a sink will keep; lode_mine() reports that memory.
 *   - The memory of searches that keep what they find (the level-wise algorithms, generators,
 *     top:K, and occurrences of graphs) cannot be predicted exactly. The figure is then enough for
 *     most data, and the message says "about"; if it was not enough, the next figure is twice as
 *     large. */
LODE_API uint64_t lode_job_memory_needed(const lode_job *job);

/* Announces how data sets will be mined, before they are read. If the data do not fit, the message
 * and figure of LODE_BUDGET then include what mining takes with this threshold, algorithm and
 * target; otherwise they assume `auto` and all itemsets. Nothing else changes. Options and their
 * strings are copied; NULL withdraws the announcement. Errors: INVALID. */
LODE_API LODE_NODISCARD lode_status lode_job_expect(lode_job *job,
                                                    const lode_mine_options *options);

#ifdef __cplusplus
}
#endif
#endif
