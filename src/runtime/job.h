/* job.h - the internal half of a job: memory, threads, errors, progress, cancelling, limits,
 * threshold
 *
 * The public half is in lode/job.h.
 * Threads: mem, halt and threshold are atomic. `lock` guards the message and the fields about
 *          raising the threshold. Only the owner thread writes the other fields; the owner is the
 *          thread that calls lode with this job.
 * Files:   each of these files calls only earlier ones: job_message.c (the last error, the log);
 *          job.c (limits, phases, progress), valid.c (checks of arguments); lease.c; ctx.c;
 *          job_report.c; job_create.c.
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
    JOB_CANCELLED,  /* stays set until lode_job_reset() */
    JOB_LIMIT_TIME, /* job_end_limits() clears this reason and those below */
    JOB_LIMIT_PATTERNS,
    JOB_SINK_STOPS,
    JOB_RAISED /* the search restarts with a new threshold or on a GPU: see job_next_search() */
} job_halt_reason;

/* The effect of lode_job_raise_threshold() on a job. */
typedef enum job_raises {
    JOB_RAISES_NOTHING = 0, /* no search runs */
    JOB_RAISES_AGAIN,       /* empties the sink and restarts the search */
    /* raises the threshold while the search, which consists of tasks, goes on */
    JOB_RAISES_ON,
    JOB_RAISES_REFUSED /* the sink cannot be emptied */
} job_raises;

/* The sizes of a data set. The reader determines them even if the data do not fit into memory. */
typedef struct job_sizes {
    uint64_t n_transactions;
    uint64_t n_items, n_occurrences; /* counting only items that meet the threshold */
    uint64_t item_bound;
    uint32_t longest;
} job_sizes;

struct lode_job {
    lode_ctx *ctx;
    mem mem; /* the job's memory, which counts in the context, too */
    /* Total bytes that the job is known to need for data, search and result; 0 = unknown. Used only
     * in the message of LODE_BUDGET. */
    _Atomic size_t need;
    bool unsure;     /* `need` is a guess: memory depends on what the search finds */
    bool can_spill;  /* the job would need less memory with a spill folder */
    uint64_t needed; /* bytes named by the last message of LODE_BUDGET */
    /* the origin of the budget; "" = the user set it */
    char memory_origin[CTX_ORIGIN_BYTES];
    lode_mine_options expected;                   /* see lode_job_expect() */
    char expected_algorithm[JOB_ALGORITHM_BYTES]; /* what expected.algorithm points to */
    /* returns the bytes needed to mine data of these sizes; NULL = no forecast */
    uint64_t (*forecast)(lode_job *, const job_sizes *);
    bool any_threads; /* the program has not chosen a number of threads */
    unsigned wish;    /* limit on threads set by the program */
    unsigned threads; /* threads in the current call; can only decrease during the call */
    lease lease;      /* guarded by the lock of the context's pool */
    char device[JOB_DEVICE_BYTES];
    uint64_t device_memory; /* budget in the memory of each GPU; 0 = none */
    lode_log_fn log;
    void *log_user;
    pthread_mutex_t log_lock; /* held during each call of `log`, so that calls do not overlap */
    lode_progress_fn progress;
    void *progress_user;

    _Atomic int halt; /* a job_halt_reason */
    /* the end of the time limit, in os_seconds(); 0 = no call with a time limit runs */
    double deadline;
    /* seconds between requests, see job_ask_after(); 0 = no timed requests */
    double ask_every;
    _Atomic double ask_at; /* when to make the next request, in os_seconds() */
    unsigned ask_n;
    double move_at; /* when to check next, see job_move_after(); 0 = never */
    double move_left;
    bool (*can_move)(void);
    bool moved;                  /* the search was restarted to run on a GPU */
    void (*on_poll)(void *user); /* for tests: job_check_limits() calls it */
    void *on_poll_user;
    _Atomic unsigned asked; /* number of branches requested with lode_job_ask_task() */
    /* for tests: maximum number of occurrences kept in memory; 0 = as many as fit */
    uint64_t spill_most;
    /* for tests: the search acts as if there were too many pairs of items to count */
    bool spill_by_order;
    /* patterns with a lower support are dropped; only rises during a call */
    _Atomic uint64_t threshold;
    progress_state at; /* progress of the job */

    pthread_mutex_t lock;
    char message[JOB_MESSAGE_BYTES];
    job_raises raises;   /* this field and the next two are guarded by `lock` */
    uint64_t raise_from; /* the threshold that the search began with */
    /* the threshold that the search restarts with; 0 = the search does not restart */
    uint64_t raise_to;

    double phase_start, last_tick;

    unsigned n_worker_seconds;
    /* CPU time by worker index, summed over all regions */
    double worker_seconds[LODE_REPORT_THREADS];

    lode_report report; /* see job_report.h */
};

/* Records a message and returns `status`. Later messages of the same call are ignored. Any thread
 * may call it. `job` may be NULL for calls without a job: lode_job_error(NULL) then returns the
 * message. */
lode_status job_fail(lode_job *job, lode_status status, const char *format, ...) LODE_PRINTF(3, 4);

/* Records a message that says which invariant is broken and asks the user to report this bug, and
 * returns INTERNAL. LODE_REQUIRE calls this function. The message replaces an earlier one, which
 * may be a consequence of the bug. Any thread may call it. */
lode_status job_broken(lode_job *job, const char *file, int line, const char *what);

/* Converts bytes to MiB, for messages. */
double job_mib(size_t bytes);
/* Converts bytes to MiB, rounded up to a tenth, so that a budget of the printed figure is
 * enough. */
double job_mib_up(size_t bytes);

/* Records that the job needs this many bytes in total. The largest recorded value is kept. */
void job_note_need(lode_job *job, uint64_t bytes);
/* Clears the recorded need. Each phase begins with this call. */
void job_forget_need(lode_job *job);

/* Records that the budget is too small for something that takes `bytes` in total, and returns
 * BUDGET. `format` (as for printf) names this thing. The message states a budget, in whole MiB,
 * that is enough for the whole job. */
lode_status job_over_budget(lode_job *job, uint64_t bytes, const char *format, ...)
    LODE_PRINTF(3, 4);

/* Returns the origin, in words, of the budget that will be exceeded first; "" if the user set this
 * budget or there is none. */
const char *job_budget_origin(const lode_job *job);

/* Clears the message of an earlier call. Public functions call it first. */
void job_clear_message(lode_job *job);

/* Records a message for a failed call if the call has none yet, and returns `status`. */
lode_status job_explain(lode_job *job, lode_status status, const char *doing);

/* Sends a message to the program; see lode_log_fn. Any thread may call it. */
void job_log(lode_job *job, lode_log_level level, const char *format, ...) LODE_PRINTF(3, 4);

static inline bool job_is_cancelled(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_CANCELLED;
}

/* Returns whether a sink asked to stop; the sink then gets no more patterns. Any thread may call
 * it. */
static inline bool job_sink_stops(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_SINK_STOPS;
}

/* Returns whether the search will restart, so that the patterns found so far are not needed. Any
 * thread may call it. */
static inline bool job_is_raised(lode_job *job) {
    return atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_RAISED;
}

/* Asks all threads of the job to end. The first reason given is kept. Any thread may call it. */
void job_halt(lode_job *job, job_halt_reason reason);

/* Starts a search of at most this many seconds; 0 = no limit. Only the owner thread may call it. */
void job_start_limits(lode_job *job, double seconds);
/* Ends the search, and returns why it was halted. Only the owner thread may call it. */
job_halt_reason job_end_limits(lode_job *job);

LODE_NODISCARD lode_status job_check_limits(lode_job *job);

/* Returns OK if the job may go on; otherwise CANCELLED, or STOPPED if a limit was reached. Engines
 * call this function before every batch, and return its status. The call is cheap. Any thread may
 * call it. */
LODE_NODISCARD static inline lode_status job_check(lode_job *job) {
    bool runs = atomic_load_explicit(&job->halt, memory_order_relaxed) == JOB_RUNS;
    bool timed = job->deadline > 0 || job->ask_every > 0;
    return runs && !timed ? LODE_OK : job_check_limits(job);
}

/* The sort_stop function of a job: lets a halted job end a long sort. If the sort returns false,
 * return job_check(). If `job` is NULL, the sort always runs to its end. */
static inline bool job_sort_asked(void *job) {
    return job && job_check(job) != LODE_OK;
}
static inline sort_stop job_sort_stop(lode_job *job) {
    return (sort_stop){job_sort_asked, job};
}

/* Returns whether another process or thread has requested a branch. The call is cheap. Any thread
 * may call it. */
static inline bool job_is_asked(lode_job *job) {
    return atomic_load_explicit(&job->asked, memory_order_relaxed) > 0;
}
/* Takes one request; returns true if the caller should now give a branch. Any thread may call
 * it. */
bool job_claim_ask(lode_job *job);
/* Puts back a claimed request, for a caller that has no branch to give. Any thread may call it. */
void job_ask_again(lode_job *job);

/* Requests n branches after `seconds`, and then every `every` seconds. job_check() compares the
 * time, so that no thread has to wait for it. Only the owner thread may call it, while no other
 * thread works for the job. */
void job_ask_after(lode_job *job, double seconds, double every, unsigned n);
/* Cancels these periodic requests and all unanswered requests. */
void job_ask_no_more(lode_job *job);

/* Checks the progress of the search after `seconds`, and again whenever the elapsed time has
 * doubled. If more than `left` seconds remain, and can_move() returns true, the search restarts
 * with job->moved set, unless its sink cannot be emptied. Each further check divides `left` by
 * four. job_tick() makes the checks. Only the owner thread may call it. */
void job_move_after(lode_job *job, double seconds, double left, bool (*can_move)(void));

static inline uint64_t job_threshold(lode_job *job) {
    return atomic_load_explicit(&job->threshold, memory_order_relaxed);
}

/* Raises the threshold of a search without restarting it, for sinks that keep the best patterns,
 * and for tasks. Any thread may call it. */
void job_raise_threshold(lode_job *job, uint64_t min_count);

/* Makes lode_job_raise_threshold() affect the search that begins now with this threshold. Only the
 * owner thread may call it. */
void job_begin_search(lode_job *job, job_raises raises, uint64_t min_count);
/* Must be called at the end of a search. If the search must restart, because its threshold was
 * raised or it moves to a GPU, and `may_begin` is true, returns the threshold of the next search.
 * Otherwise returns 0, and the threshold can no longer be raised. Only the owner thread may call
 * it.
 */
uint64_t job_next_search(lode_job *job, bool may_begin);

/* Starts a phase of the progress report. Only the owner thread may call it. */
void job_begin_phase(lode_job *job, const char *phase);

/* Ends the phase and sets its progress to 1. Only the owner thread may call it. */
void job_end_phase(lode_job *job);

/* Calls job_check(), and reports progress if a tenth of a second has passed since the last report.
 * If total > 0, done / total is the finished fraction of the current pass. A phase usually consists
 * of one pass; a search for top:K may have several (see progress_begin_pass()). Only the owner
 * thread may call it. */
LODE_NODISCARD lode_status job_tick(lode_job *job, uint64_t done, uint64_t total);

#endif
