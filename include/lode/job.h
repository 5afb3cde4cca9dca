/* lode/job.h - contexts, which jobs share, and jobs; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_JOB_H
#define LODE_JOB_H

#include "lode/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What jobs share: threads, memory, devices. Programs that run one job at a time need not make one.
 * A context lives until everything in it is freed: jobs and data sets may be freed in any order
 * (sinks before their job), and lode_ctx_free() may come first. Any thread may use it.
 *
 * HOW JOBS SHARE. Calls that work (reading, mining, finishing a sink, generating) borrow from the
 * context what they need, and give it back when they return:
 *   Threads    `threads` is for all calls together, those threads included that make them. A call
 *              gets at least one and at most what its job may use. When none is left it waits; who
 *              came first is served first. While others wait, a call that has more than an equal
 *              share gives threads away as soon as a piece of its work is done.
 *   Memory     `memory_bytes` is for everything in the context. Before it searches, a job asks for
 *              what it will need. If other jobs hold too much of that, it waits until they have
 *              ended; so does a call that finds no room because of others before it has handed out
 *              anything (but a pipe cannot be read twice). LODE_BUDGET comes when waiting would not
 *              help. A budget of the job's own is never waited for.
 *   Devices    Jobs on one GPU keep `device_memory_bytes` together, and wait in the same way.
 * Waiting is a phase of the progress report, "wait", and can be cancelled. When all wait, the first
 * goes on. A job that has a context of its own waits for nobody.
 * Data sets may be used by jobs of any context; their memory counts where they were read. A sink
 * belongs to its job.
 * A callback may make calls with another job. They run on the thread of the callback, alone, and
 * wait for nothing. With the job that it is called by, it may only cancel and look. */
typedef struct lode_ctx lode_ctx;

/* `options` may be NULL. Errors: NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_ctx_create(lode_ctx **out,
                                                    const lode_ctx_options *options);
LODE_API void lode_ctx_free(lode_ctx *ctx);

/* What the jobs of a context take of what they share. */
typedef struct lode_usage {
    size_t size;
    unsigned threads;      /* that may work at once */
    unsigned threads_used; /* that work now: those that call, and those that lode has started */
    unsigned threads_peak; /* the most there ever were */
    unsigned jobs_running; /* that are in a call now */
    unsigned jobs_waiting; /* that are in a call and wait for threads or memory */
    uint64_t memory_used, memory_peak; /* bytes, as below */
    uint64_t memory_budget;            /* 0 = none */
} lode_usage;

/* Any thread, at any time. All zero, and false, of NULL. */
LODE_API bool lode_ctx_usage(lode_ctx *ctx, lode_usage *out);

/* Bytes allocated now by all that is in the context, and the most there ever were. */
LODE_API uint64_t lode_ctx_memory_used(const lode_ctx *ctx);
LODE_API uint64_t lode_ctx_memory_peak(const lode_ctx *ctx);

/* One piece of work, and another when that is done: reading, mining, writing. It has limits,
 * progress, a way to be cancelled, and the last error. A job makes one call at a time; jobs of one
 * context run side by side, each on a thread of the program, and share the data sets any of them
 * has read. */
typedef struct lode_job lode_job;

/* Creates a job. ctx NULL: a context of its own, whose limits are those of the job. `options` may
 * be NULL. The device is looked at by lode_mine() only. Errors: NOMEM, INVALID (out is NULL, more
 * than 1024 threads, a device text of 256 bytes and more). */
LODE_API LODE_NODISCARD lode_status lode_job_create(lode_job **out, lode_ctx *ctx,
                                                    const lode_job_options *options);
LODE_API void lode_job_free(lode_job *job);

/* The context of a job. */
LODE_API lode_ctx *lode_job_ctx(const lode_job *job);

/* What the last failed call had to say; "" if there is nothing. Lent until the next call. Of NULL:
 * what the last lode_job_create() or lode_ctx_create() of this thread that failed had to say. */
LODE_API const char *lode_job_error(const lode_job *job);

/* Asks the running call to stop soon; it returns LODE_CANCELLED and what the sinks have received is
 * valid. That takes less than 0.2 s in every phase, also while it waits, but for the start of a GPU
 * and while the system brings a finished file to disk. Any thread, any signal handler. The
 * flag stays until lode_job_reset(). */
LODE_API void lode_job_cancel(lode_job *job);

/* Clears the cancel flag and the error message, so that the job can be used again. */
LODE_API void lode_job_reset(lode_job *job);

/* How far the running call has come, or the last one got. Any thread. All zero, and false, of NULL.
 */
LODE_API bool lode_job_progress(lode_job *job, lode_progress *out);

/* Raises the support threshold of the running job; a lower value than the present one is ignored.
 * Engines look at it before every batch, and sinks drop what lies below it. Any thread. */
LODE_API void lode_job_raise_threshold(lode_job *job, uint64_t min_count);

/* Bytes allocated now by this job, beside data sets, and the most there ever were. */
LODE_API uint64_t lode_job_memory_used(const lode_job *job);
LODE_API uint64_t lode_job_memory_peak(const lode_job *job);

/* After LODE_BUDGET: a budget in bytes that is enough for the whole job, as it was asked for: data,
 * search, output. It is the figure of the message, a whole number of MiB, and not much more than
 * twice the least. 0 after anything else. What it cannot know:
 *   - when the data do not fit: how much a result in memory will take. lode_mine() says that.
 *   - what algorithms hold that keep what they find (the level-wise ones, generators, top:K, and
 *     the occurrences of graphs). The figure is then enough for most data; the message says
 *     "about", and if it was not enough, the next one is twice as much. */
LODE_API uint64_t lode_job_memory_needed(const lode_job *job);

/* Says what data sets will be mined for, before they are read. Nothing changes but what is said
 * when there is no room for the data: the figure then includes what mining them takes by this
 * threshold, algorithm and target. Without it, reading thinks of `auto` and of all items. Options
 * are copied, with their texts; NULL takes it back. Errors: INVALID. */
LODE_API LODE_NODISCARD lode_status lode_job_expect(lode_job *job,
                                                    const lode_mine_options *options);

#ifdef __cplusplus
}
#endif
#endif
