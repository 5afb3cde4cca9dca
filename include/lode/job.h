/* lode/job.h - contexts, which jobs share, and jobs; part of lode.h
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
 *   Threads    `threads` is the limit for all calls together, and includes the threads that call. A
 *              call gets at least one thread, and at most as many as its job may use. If none is
 *              free it waits; first come, first served. While others wait, a call with more than an
 *              equal share gives threads back as soon as a piece of its work is done.
 *   Memory     `memory_bytes` is the budget for everything in the context. Before it searches, a
 *              job reserves what it will need. If other jobs hold too much, it waits until they
 *              have ended. A call that runs out of memory because of others waits too, if it has
 *              not delivered anything yet (and does not read from a pipe, which cannot be read
 *              twice). LODE_BUDGET is returned when waiting would not help. Nothing ever waits for
 *              the budget of a single job.
 *   Devices    Jobs on one GPU stay within `device_memory_bytes` together, and wait likewise.
 * Waiting is a phase of the progress report, "wait", and can be cancelled. When all wait, the first
 * goes on. A job with a context of its own never waits.
 * Jobs of any context may use a data set; its memory counts where it was read. A sink belongs to
 * its job.
 * A callback may make calls with another job. They run on the callback's thread alone, and never
 * wait. With the job that called it, it may only cancel, raise the threshold and look at progress.
 */
typedef struct lode_ctx lode_ctx;

/* `options` may be NULL. Errors: NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_ctx_create(lode_ctx **out,
                                                    const lode_ctx_options *options);
LODE_API void lode_ctx_free(lode_ctx *ctx);

/* How much of a context its jobs use. */
typedef struct lode_usage {
    size_t size;
    unsigned threads;      /* the limit */
    unsigned threads_used; /* at work now: those that call, and those that lode has started */
    unsigned threads_peak; /* the most that were ever at work */
    unsigned jobs_running; /* in a call now */
    unsigned jobs_waiting; /* in a call, waiting for threads or memory */
    uint64_t memory_used, memory_peak; /* bytes, as below */
    uint64_t memory_budget;            /* 0 = none */
} lode_usage;

/* Any thread, at any time. For NULL, all zero and false. */
LODE_API bool lode_ctx_usage(lode_ctx *ctx, lode_usage *out);

/* Bytes that everything in the context takes now, and the most it ever took. */
LODE_API uint64_t lode_ctx_memory_used(const lode_ctx *ctx);
LODE_API uint64_t lode_ctx_memory_peak(const lode_ctx *ctx);

/* What this process may use: the least of what the machine has, what its container (control groups
 * of version 1 or 2) allows, and what ulimit allows. */
typedef struct lode_resources {
    size_t size;
    unsigned threads;          /* processors: what `threads` 0 means */
    uint64_t memory_total;     /* bytes; 0 = unknown */
    uint64_t memory_available; /* bytes that can still be taken; 0 = unknown */
    uint64_t memory_budget;    /* 80% of these, at least 16 MiB; 0 = unknown */
    const char *memory_origin; /* words for the options of this name; static. "" = unknown */
} lode_resources;

/* What the system said within the last 0.05 seconds. The library itself sets no budget: a context
 * or a job without memory_bytes takes what there is, until the system refuses more or kills the
 * process. Programs that want the default of the command and of Python set memory_bytes and
 * memory_origin from here, or the option "memory" to "auto", which does so. False: `out` is NULL or
 * its size is not set. */
LODE_API bool lode_resources_get(lode_resources *out);

/* Does one piece of work after another: reading, mining, writing. It has limits, progress, a way to
 * be cancelled, and the last error. A job makes one call at a time. Jobs of one context run side by
 * side, each on a thread of the program, and may use data sets that any of them has read. */
typedef struct lode_job lode_job;

/* Creates a job. ctx NULL: it gets a context of its own, with the limits of the job. `options` may
 * be NULL. Only mining looks at the device. Errors: NOMEM, INVALID (out is NULL, more than 1024
 * threads, a device text of 256 bytes or more). */
LODE_API LODE_NODISCARD lode_status lode_job_create(lode_job **out, lode_ctx *ctx,
                                                    const lode_job_options *options);
LODE_API void lode_job_free(lode_job *job);

/* The context of a job. */
LODE_API lode_ctx *lode_job_ctx(const lode_job *job);

/* The message of the last call if it failed, else "". Lent until the next call. For NULL: the
 * message of the last call of this thread that failed and has no job: lode_job_create(),
 * lode_ctx_create(), lode_file_…(). */
LODE_API const char *lode_job_error(const lode_job *job);

/* Asks the running call to stop: it returns LODE_CANCELLED, and what the sinks have received is
 * valid. That takes less than 0.2 s in every phase, waiting included, except while a GPU starts or
 * the system brings a finished file to disk. Any thread, any signal handler. The job stays
 * cancelled until lode_job_reset(). */
LODE_API void lode_job_cancel(lode_job *job);

/* Clears the cancel flag and the error message, so that the job can be used again. */
LODE_API void lode_job_reset(lode_job *job);

/* How far the running call, or the last one, has come. Any thread. For NULL, all zero and false. */
LODE_API bool lode_job_progress(lode_job *job, lode_progress *out);

/* Raises the support threshold of the search that runs: lode_mine(), lode_rules_mine() or
 * lode_graphs_mine(). The search empties its sink and begins again with the new threshold, on data
 * that stay prepared. So its result, its counts and its report are those of a call that began with
 * that threshold, given as a count; only a limit on time goes on from the start of the call. A
 * value that is not above the current threshold changes nothing, and is OK. Any thread; a progress
 * callback may call it, too. Returns
 *   OK           the search will have this threshold, or one that was asked for later. If it is
 *                cancelled before it has begun again, its sink is empty;
 *   NOTFOUND     no search runs: none has begun yet, or it ends just now (it is complete, was
 *                cancelled, or has reached a limit). Nothing changes;
 *   UNSUPPORTED  the sink cannot be emptied, because others have seen its patterns, or have put
 *                some into it: sinks that call a function, standard output, pipes and devices, and
 *                sinks that an earlier call has filled; and searches with `reduce`. Nothing
 *                changes. Cancel the job, and mine again;
 *   INVALID      the job is NULL.
 * Searches of tasks (lode/tasks.h) do not begin again: they go on, and sinks drop patterns that
 * come later and are below the threshold. */
LODE_API lode_status lode_job_raise_threshold(lode_job *job, uint64_t min_count);

/* Bytes that this job takes now, without data sets, and the most it ever took. */
LODE_API uint64_t lode_job_memory_used(const lode_job *job);
LODE_API uint64_t lode_job_memory_peak(const lode_job *job);

/* After LODE_BUDGET: a budget in bytes that is enough for the whole job: data, search and output.
 * It is the figure in the message, a whole number of MiB, and not much more than twice the least
 * that would be enough. After anything else, 0. What it cannot know:
 *   - When the data do not fit: how much a result in memory will take. lode_mine() will tell.
 *   - How much algorithms take that keep what they find (the level-wise ones, generators, top:K,
 *     and the occurrences of graphs). The figure is then enough for most data, and the message says
 *     "about"; if it was not enough, the next figure is twice as large. */
LODE_API uint64_t lode_job_memory_needed(const lode_job *job);

/* Announces how data sets will be mined, before they are read. This only improves the message and
 * the figure of LODE_BUDGET, if the data do not fit: they then include what mining takes with this
 * threshold, algorithm and target. Otherwise they assume `auto` and all items. Options and their
 * texts are copied; NULL takes the announcement back. Errors: INVALID. */
LODE_API LODE_NODISCARD lode_status lode_job_expect(lode_job *job,
                                                    const lode_mine_options *options);

#ifdef __cplusplus
}
#endif
#endif
