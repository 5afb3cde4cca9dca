/* job.h - the job from inside: memory, threads, errors, progress, cancel, limits, threshold
 *
 * The public half is in lode/job.h.
 * Threads: mem, halt and threshold are atomic; the message and the fields for raising are guarded
 *          by `lock`; the rest is written only by the owner thread, the one that calls lode with
 *          this job.
 * Files:   each calls only earlier ones: job_message.c (the last error, the log); job.c (limits,
 *          phases, progress), valid.c (checks of arguments); lease.c; ctx.c; job_report.c;
 *          job_create.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_JOB_H
#define LODE_RUNTIME_JOB_H

#include <pthread.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/status.h"
#include "runtime/ctx.h"
#include "runtime/progress.h"
#include "runtime/report/report.h"

#define JOB_MESSAGE_BYTES   1024
#define JOB_DEVICE_BYTES    256
#define JOB_ALGORITHM_BYTES 32 /* longer than any name of an algorithm */

typedef enum job_halt_reason {
    JOB_RUNS = 0,
    JOB_CANCELLED,  /* stays until lode_job_reset() */
    JOB_LIMIT_TIME, /* job_end_limits() clears this reason and those below */
    JOB_LIMIT_PATTERNS,
    JOB_SINK_STOPS,
    JOB_RAISED /* the search restarts with a new threshold or on a GPU: see job_next_search() */
} job_halt_reason;

/* The effect of lode_job_raise_threshold() on a job. */
typedef enum job_raises {
    JOB_RAISES_NOTHING = 0, /* no search runs */
    JOB_RAISES_AGAIN,       /* empties the sink and restarts the search */
    JOB_RAISES_ON,          /* the search goes on, because it is one of tasks */
    JOB_RAISES_REFUSED      /* the sink cannot be emptied */
} job_raises;

/* The sizes of a data set; the reader counts them even if memory is too short to keep the data. */
typedef struct job_sizes {
    uint64_t n_transactions;
    uint64_t n_items, n_occurrences; /* of items that meet the threshold */
    uint64_t item_bound;
    uint32_t longest;
} job_sizes;

struct lode_job {
    lode_ctx *ctx;
    mem mem; /* memory of this job; counts within the context's */
    /* Total bytes that the job is known to need, from its data to its result; 0 = unknown. Only for
     * the message of LODE_BUDGET. */
    _Atomic size_t need;
    bool unsure;     /* `need` is a guess: memory depends on what the search finds */
    bool can_spill;  /* … and a spill folder would help */
    uint64_t needed; /* bytes named by the last message of LODE_BUDGET */
    char memory_origin[CTX_ORIGIN_BYTES];         /* where its budget comes from; "" = the user */
    lode_mine_options expected;                   /* see lode_job_expect() */
    char expected_algorithm[JOB_ALGORITHM_BYTES]; /* what expected.algorithm points to */
    uint64_t (*forecast)(lode_job *, const job_sizes *); /* bytes to mine such data; NULL = none */
    unsigned wish;                                       /* limit on threads set by the program */
    unsigned threads; /* threads in the current call; can only decrease during the call */
    lease lease;      /* guarded by the lock of the context's pool */
    char device[JOB_DEVICE_BYTES];
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    lode_log_fn log;
    void *log_user;
    pthread_mutex_t log_lock; /* calls of the log do not overlap */
    lode_progress_fn progress;
    void *progress_user;

    _Atomic int halt;      /* a job_halt_reason */
    double deadline;       /* on os_seconds(), while a call with a time limit runs; else 0 */
    double ask_every;      /* see job_ask_after(); 0 = no timed requests */
    _Atomic double ask_at; /* on os_seconds(): the next request */
    unsigned ask_n;
    double move_at; /* see job_move_after(); 0 = never */
    double move_left;
    bool (*can_move)(void);
    bool moved;                  /* the search was restarted to run on a GPU */
    void (*on_poll)(void *user); /* for tests: called by each job_check_limits() */
    void *on_poll_user;
    _Atomic unsigned asked;     /* branches requested by others: lode_job_ask_task() */
    uint64_t spill_most;        /* for tests: items of data kept in memory; 0 = what fits */
    bool spill_by_order;        /* for tests: as if there were too many pairs of items to count */
    _Atomic uint64_t threshold; /* patterns below this support are dropped; only rises in a call */
    progress_state at;          /* progress of the job */

    pthread_mutex_t lock;
    char message[JOB_MESSAGE_BYTES];
    job_raises raises;   /* guarded by the lock, as … */
    uint64_t raise_from; /* … the threshold that the search began with … */
    uint64_t raise_to;   /* … and the one that it restarts with; 0 = it does not */

    double phase_start, last_tick;

    unsigned n_worker_seconds;
    double worker_seconds[LODE_REPORT_THREADS]; /* CPU time by worker index, over all regions */

    lode_report report; /* see job_report.h */
};

/* Records a message and returns `status`. The first message of a call wins. Any thread. `job` may
 * be NULL, for calls that have none: the message is then kept for lode_job_error(NULL). */
lode_status job_fail(lode_job *job, lode_status status, const char *format, ...) LODE_PRINTF(3, 4);

/* Records that an invariant does not hold, asks the user to report it, and returns INTERNAL; called
 * by LODE_REQUIRE. Replaces an earlier message, which may be a consequence of this. Any thread. */
lode_status job_broken(lode_job *job, const char *file, int line, const char *what);

/* Bytes in MiB, for messages. The second rounds up to a tenth, so that a budget of the printed
 * figure is enough. */
double job_mib(size_t bytes);
double job_mib_up(size_t bytes);

/* Records that the job needs this many bytes in total. The largest value counts. */
void job_note_need(lode_job *job, uint64_t bytes);
/* Clears the recorded need; each phase begins with it. */
void job_forget_need(lode_job *job);

/* The budget is too small for something (a printf format) that takes `bytes` in total: records a
 * message with a budget that is enough for the whole job, in whole MiB. Returns BUDGET. */
lode_status job_over_budget(lode_job *job, uint64_t bytes, const char *format, ...)
    LODE_PRINTF(3, 4);

/* The origin of the budget that will be exceeded first, in words; "" if the user set it, or there
 * is none. */
const char *job_budget_origin(const lode_job *job);

/* Clears the message of an earlier call; public entry points start with it. */
void job_clear_message(lode_job *job);

/* Gives a failed call a message if it has none yet, and passes the status on. */
lode_status job_explain(lode_job *job, lode_status status, const char *doing);

/* Sends a message to the program; see lode_log_fn. Any thread. */
void job_log(lode_job *job, lode_log_level level, const char *format, ...) LODE_PRINTF(3, 4);

static inline bool job_is_cancelled(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_CANCELLED;
}

/* Whether a sink asked to stop; it then gets no more patterns. Any thread. */
static inline bool job_sink_stops(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_SINK_STOPS;
}

/* Whether the search will restart, so that what it found is of no use. Any thread. */
static inline bool job_is_raised(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_RAISED;
}

/* Asks all threads of the job to end, for the first reason given. Any thread. */
void job_halt(lode_job *job, job_halt_reason reason);

/* Starts a search of at most this many seconds; 0 = no limit. Owner thread only. */
void job_start_limits(lode_job *job, double seconds);
/* Ends it, and returns why it was halted. Owner thread only. */
job_halt_reason job_end_limits(lode_job *job);

LODE_NODISCARD lode_status job_check_limits(lode_job *job);

/* Whether the job may go on: OK, CANCELLED, or STOPPED by a limit. Engines call it before every
 * batch, and return its result. Cheap. Any thread. */
LODE_NODISCARD static inline lode_status job_check(lode_job *job) {
    bool runs = atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_RUNS;
    bool timed = job->deadline > 0 || job->ask_every > 0;
    return runs && !timed ? LODE_OK : job_check_limits(job);
}

/* The sort_stop function of a job: lets a halted job end a long sort. If the sort returns false,
 * return job_check(). `job` may be NULL: then the sort always runs to its end. */
static inline bool job_sort_asked(void *job) {
    return job && job_check(job) != LODE_OK;
}
static inline sort_stop job_sort_stop(lode_job *job) {
    return (sort_stop){job_sort_asked, job};
}

/* Whether somebody has requested a branch (cheap); and whether the caller should respond. A caller
 * without a branch to give puts the request back. Any thread. */
static inline bool job_is_asked(lode_job *job) {
    return atomic_load_explicit(&job->asked, memory_order_relaxed) > 0;
}
bool job_claim_ask(lode_job *job);
void job_ask_again(lode_job *job);

/* Requests n branches after some seconds, and then periodically. job_check() looks at the time, so
 * that no thread has to wait for it. Owner thread only, while no other thread works for the job. */
void job_ask_after(lode_job *job, double seconds, double every, unsigned n);
/* Cancels that, and all unanswered requests. */
void job_ask_no_more(lode_job *job);

/* Checks the progress of the search after `seconds`, and again each time that time has doubled. If
 * more than `left` seconds remain (a quarter of that at each further check) and can_move() agrees,
 * the search restarts with job->moved set, unless its sink cannot be emptied. job_tick() looks at
 * the time. Owner thread only. */
void job_move_after(lode_job *job, double seconds, double left, bool (*can_move)(void));

static inline uint64_t job_threshold(lode_job *job) {
    return atomic_load_explicit(&job->threshold, memory_order_relaxed);
}

/* Raises the threshold of a search that goes on: for sinks that keep the best, and for tasks. Any
 * thread. */
void job_raise_threshold(lode_job *job, uint64_t min_count);

/* From now on lode_job_raise_threshold() affects the search that begins with this threshold. Owner
 * thread only, like the next one. */
void job_begin_search(lode_job *job, job_raises raises, uint64_t min_count);
/* Called at the end of a search. If it must restart, because it was raised or moved, returns the
 * threshold of the next one. 0: it must not, or `may_begin` is false; it can no longer be raised.
 * */
uint64_t job_next_search(lode_job *job, bool may_begin);

/* Starts a phase of the progress report. Owner thread only. */
void job_begin_phase(lode_job *job, const char *phase);

/* The phase is complete: its share is 1. Owner thread only. */
void job_end_phase(lode_job *job);

/* job_check(), and a progress report if a tenth of a second has passed since the last. total > 0:
 * done / total of the current pass is done. (A phase is one pass; top:K may search in several, see
 * progress_begin_pass().) Owner thread only. */
LODE_NODISCARD lode_status job_tick(lode_job *job, uint64_t done, uint64_t total);

#endif
