/* sink.c - see sink.h; and the sink that only counts
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink.h"

#include "base/check.h"
#include "base/os.h"
#include "runtime/job_report.h"
#include "runtime/output.h"
#include "runtime/valid.h"

/* How long writing continues after a cancel: one that came while the result was written, and one
 * that came before, if the program asks for the partial result. Signals within a second count as
 * one, so writing should be over by then. */
#define SINK_RUSH_SECONDS    0.05
#define SINK_PARTIAL_SECONDS 0.5

lode_status sink_create(lode_job *job, const sink_kind *kind, lode_sink **out) {
    lode_sink *sink = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&sink, kind->bytes);
    if (status != LODE_OK) return status;
    sink->kind = kind;
    sink->job = job;
    sink_limit(sink, 0, 0);
    sink_limit_patterns(sink, UINT64_MAX);
    sink_expect(sink, NULL);
    pthread_mutex_init(&sink->lock, NULL);
    pthread_mutex_init(&sink->counts_lock, NULL);
    *out = sink;
    return LODE_OK;
}

void lode_sink_free(lode_sink *sink) {
    if (!sink) return;
    mem *m = &sink->job->mem;
    if (sink->kind->free) sink->kind->free(sink);
    vec_u64_free(m, &sink->by_size);
    pthread_mutex_destroy(&sink->lock);
    pthread_mutex_destroy(&sink->counts_lock);
    mem_free(m, sink, sink->kind->bytes);
}

/* ---- a job begins and ends ------------------------------------------------------------------ */

static bool sink_takes(const lode_sink *sink, lode_pattern_kind patterns) {
    const sink_kind *kind = sink->kind;
    bool takes[] = {
        [LODE_ITEMSETS] = kind->itemsets, [LODE_GRAPHS] = kind->graphs, [LODE_RULES] = kind->rules};
    return kind->counts_only || takes[patterns];
}

lode_status sink_check(const lode_sink *sink, lode_job *job, lode_pattern_kind patterns,
                       const void *data) {
    static const char *const others[] = {
        [LODE_ITEMSETS] = "the sink does not accept itemsets",
        [LODE_GRAPHS] = "the sink does not accept graphs",
        [LODE_RULES] = "the sink does not accept rules",
    };
    const char *wrong = NULL;
    if (sink->complete) wrong = "the sink is already finished";
    if (sink->job != job) wrong = "the sink belongs to another job";
    if (sink->data && sink->data != data) wrong = "the sink was made for another data set";
    if (!sink_takes(sink, patterns)) wrong = others[patterns];
    return wrong ? job_fail(job, LODE_INVALID, "%s", wrong) : LODE_OK;
}

void sink_set_data(lode_sink *sink, const void *data) {
    sink->mined = data;
}

void sink_limit(lode_sink *sink, uint32_t min_size, uint32_t max_size) {
    sink->min_size = min_size ? min_size : 1;
    sink->max_size = max_size ? max_size : UINT32_MAX;
}

void sink_limit_patterns(lode_sink *sink, uint64_t most) {
    atomic_store_explicit(&sink->room, most, memory_order_relaxed);
}

void sink_expect(lode_sink *sink, const sink_bounds *bounds) {
    sink->bounds = bounds ? *bounds : (sink_bounds){0, UINT64_MAX, UINT32_MAX};
}

void sink_note_job(lode_sink *sink, const sink_origin *origin) {
    sink_origin *noted = &sink->origin;
    unsigned n_jobs = noted->n_jobs + 1;
    bool ended = origin->ended && (noted->ended || n_jobs == 1);
    *noted = *origin;
    noted->n_jobs = n_jobs;
    noted->ended = ended;
    noted->complete = origin->complete && n_jobs == 1;
}

void sink_set_filter(lode_sink *sink, const struct item_filter *filter) {
    sink->filter = filter;
}

bool sink_can_empty(const lode_sink *sink) {
    const sink_kind *kind = sink->kind;
    if (sink->origin.n_jobs > 0 || lode_sink_patterns(sink) > 0) return false;
    return kind->counts_only || (kind->empty && (!kind->can_empty || kind->can_empty(sink)));
}

lode_status sink_empty(lode_sink *sink) {
    pthread_mutex_lock(&sink->counts_lock);
    sink->by_size.n = 0;
    atomic_store(&sink->patterns, 0);
    pthread_mutex_unlock(&sink->counts_lock);
    atomic_store(&sink->written, 0);
    sink->withheld = 0;
    return sink->kind->empty ? sink->kind->empty(sink) : LODE_OK;
}

/* ---- workers -------------------------------------------------------------------------------- */

lode_status sink_worker_create(lode_sink *sink, size_t bytes, sink_worker **out) {
    sink_worker *worker = NULL;
    lode_status status = mem_zalloc(&sink->job->mem, (void **)&worker, bytes);
    if (status != LODE_OK) return status;
    worker->sink = sink;
    worker->bytes = bytes;
    *out = worker;
    return LODE_OK;
}

lode_status sink_too_many(lode_job *job) {
    return job_fail(job, LODE_UNSUPPORTED, "there are 2^64 patterns or more");
}

lode_status sink_reach_size(mem *m, vec_u64 *by_size, uint64_t size) {
    while (by_size->n <= size) {
        lode_status status = vec_u64_push(m, by_size, 0);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

uint64_t sink_take_room(lode_sink *sink, uint64_t wanted) {
    uint64_t room = atomic_load_explicit(&sink->room, memory_order_relaxed);
    uint64_t taken;
    if (room == UINT64_MAX) return wanted;
    do {
        taken = wanted < room ? wanted : room;
    } while (!atomic_compare_exchange_weak(&sink->room, &room, room - taken));
    return taken;
}

static uint64_t sizes_sum(const vec_u64 *by_size) {
    uint64_t sum = 0;
    for (size_t i = 0; i < by_size->n; i++) sum += by_size->data[i];
    return sum;
}

/* Adds up what a worker has counted; under the lock of the counts. */
static lode_status sink_add_counts(lode_sink *sink, const sink_worker *w) {
    uint64_t sum, before = sizes_sum(&sink->by_size);
    if (w->by_size.n == 0) return LODE_OK;
    lode_status status = sink_reach_size(&sink->job->mem, &sink->by_size, w->by_size.n - 1);
    if (status != LODE_OK) return status;
    if (__builtin_add_overflow(atomic_load(&sink->patterns), w->patterns, &sum)) {
        return sink_too_many(sink->job);
    }
    atomic_store(&sink->patterns, sum);
    for (size_t i = 0; i < w->by_size.n; i++) sink->by_size.data[i] += w->by_size.data[i];
    LODE_DEBUG_CHECK(sizes_sum(&sink->by_size) - before == sizes_sum(&w->by_size),
                     "%llu patterns were added, but the counts by size grew by another number",
                     (unsigned long long)w->patterns);
    return LODE_OK;
}

lode_status sink_close_worker(sink_worker *worker) {
    if (!worker) return LODE_OK;
    lode_sink *sink = worker->sink;
    mem *m = &sink->job->mem;
    lode_status status = worker->close ? worker->close(worker) : LODE_OK, added = LODE_OK;
    pthread_mutex_lock(&sink->counts_lock);
    if (!sink->counted) added = sink_add_counts(sink, worker);
    if (sink->counted) sink_note_written(sink, worker->patterns);
    pthread_mutex_unlock(&sink->counts_lock);
    if (!sink->counted) {
        atomic_fetch_add_explicit(&sink->job->at.patterns, worker->unreported,
                                  memory_order_relaxed);
    }
    vec_u64_free(m, &worker->by_size);
    mem_free(m, worker, worker->bytes);
    return status != LODE_OK ? status : added;
}

static bool sink_sort_asked(void *job) {
    return job_is_cancelled(job) || job_is_raised(job);
}

sort_stop sink_sort_stop(lode_job *job) {
    return (sort_stop){sink_sort_asked, job};
}

static bool sink_is_out_of_time(void *user) {
    lode_sink *sink = user;
    if (job_is_raised(sink->job)) return true;
    if (!job_is_cancelled(sink->job)) return false;
    double now = os_seconds();
    if (sink->rush_until == 0) sink->rush_until = now + sink->rush;
    return now >= sink->rush_until;
}

sort_stop sink_rush(lode_sink *sink, bool partial) {
    sink->rush = partial ? SINK_PARTIAL_SECONDS : SINK_RUSH_SECONDS;
    sink->rush_until = 0;
    return (sort_stop){sink_is_out_of_time, sink};
}

lode_status sink_called(lode_sink *sink, bool stop) {
    if (!stop) return LODE_OK;
    job_halt(sink->job, JOB_SINK_STOPS);
    return LODE_STOPPED;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Threads that finishing could use: a sorted result is written by all of them. */
static unsigned sink_finish_threads(const lode_sink *sink) {
    const sink_kind *kind = sink->kind;
    return kind->finishes_alone && !kind->finishes_alone(sink) ? LEASE_ANY : 1;
}

lode_status lode_sink_finish(lode_sink *sink, bool partial) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    lease_call call = {0};
    double start = os_seconds();
    job_clear_message(job);
    if (sink->complete) return job_fail(job, LODE_INVALID, "the sink is already finished");
    /* A job that was cancelled waits for nothing: what there is becomes a partial result. */
    lode_status status = LODE_CANCELLED;
    if (!job_is_cancelled(job)) status = lease_enter(job, sink_finish_threads(sink), &call);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        status = sink->kind->finish ? sink->kind->finish(sink, partial) : LODE_OK;
    }
    status = output_settle(job, status);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        lode_status reported = sink_report(sink);
        if (status == LODE_OK) status = reported;
    }
    job_explain(job, status, "writing the result");
    lease_leave(&call);
    return job_report_end_finish(job, sink, start, status);
}

/* Returns the last of the sinks that patterns pass through: the one that writes, hashes or keeps
 * them. */
static const lode_sink *sink_last(const lode_sink *sink) {
    while (sink && sink->inner) sink = sink->inner;
    return sink;
}

lode_status sink_report(const lode_sink *sink) {
    const lode_sink *last = sink_last(sink);
    report_result result = {
        .patterns = lode_sink_patterns(sink),
        .unwritten = sink_unwritten(last) + sink->withheld,
        .text_bytes = lode_sink_bytes(sink),
        .hashed = last->kind->hash != NULL,
        .hash = lode_sink_hash_value(sink),
        .path = last->path,
        .temporary = last->temporary,
    };
    return job_report_result(sink->job, sink, &result, sink->by_size.data, sink->by_size.n);
}

uint64_t sink_unwritten(const lode_sink *sink) {
    uint64_t all = atomic_load(&sink->patterns), written = atomic_load(&sink->written);
    return sink->written_late && written < all ? all - written : 0;
}

uint64_t sink_memory_lost(const lode_sink *sink) {
    const lode_sink *last = sink_last(sink);
    return last->kind->lost ? last->kind->lost(last) : 0;
}

/* ---- figures -------------------------------------------------------------------------------- */

uint64_t lode_sink_patterns(const lode_sink *sink) {
    return sink ? atomic_load(&sink->patterns) : 0;
}

bool lode_sink_is_over_budget(const lode_sink *sink) {
    return sink && sink_memory_lost(sink) > 0;
}

/* A sink is const for functions that only read it; the lock is not part of its visible state. */
static pthread_mutex_t *sink_counts_lock(const lode_sink *sink) {
    return (pthread_mutex_t *)&sink->counts_lock;
}

uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size) {
    if (!sink) return 0;
    pthread_mutex_lock(sink_counts_lock(sink));
    uint64_t n = size < sink->by_size.n ? sink->by_size.data[size] : 0;
    pthread_mutex_unlock(sink_counts_lock(sink));
    return n;
}

uint32_t lode_sink_largest(const lode_sink *sink) {
    if (!sink) return 0;
    pthread_mutex_lock(sink_counts_lock(sink));
    size_t n = sink->by_size.n;
    while (n > 0 && sink->by_size.data[n - 1] == 0) n--;
    pthread_mutex_unlock(sink_counts_lock(sink));
    return n > 0 ? (uint32_t)(n - 1) : 0;
}

uint64_t lode_sink_bytes(const lode_sink *sink) {
    return sink ? atomic_load(&sink_last(sink)->bytes) : 0;
}

uint64_t lode_sink_hash_value(const lode_sink *sink) {
    const lode_sink *last = sink_last(sink);
    return last && last->kind->hash ? last->kind->hash(last) : 0;
}

/* ---- counting ------------------------------------------------------------------------------- */

static const sink_kind count_kind = {.bytes = sizeof(lode_sink), .counts_only = true};

lode_status lode_sink_count(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, sink_create(job, &count_kind, out), "creating a sink");
}
