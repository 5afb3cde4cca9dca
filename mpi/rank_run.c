/* rank_run.c - see rank_run.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "rank_input.h"
#include "rank_journal.h"
#include "tuning.h"

/* ---- all together ---------------------------------------------------------------------------- */

/* Whether all ranks have the same number; if not, says which rank differs from rank 0. */
static int rank_compare(rank_run *r, uint64_t number, const char *what) {
    char text[RANK_MESSAGE];
    uint64_t first = number;
    rank_tell_all(r, 0, &first, sizeof first);
    snprintf(text, sizeof text, "%s (%016llx instead of %016llx)", what, (unsigned long long)number,
             (unsigned long long)first);
    return rank_agree(r, number == first ? LODE_OK : LODE_INVALID, text);
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static lode_job *_Atomic interrupted_job;
static double interrupted_at;

static volatile sig_atomic_t joining;

void rank_say_joining(bool now) {
    joining = now;
}

static void rank_explain_joining(void) {
    static const char text[] =
        "lode: the search has ended; joining its parts. If this process is killed, the parts stay "
        "as OUTPUT.N.tmp.PID; join them with: lode merge OUTPUT.*.tmp.*[0-9] -o OUTPUT\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
}

/* The first signal stops the job, which keeps what it has found; another one at least a second
 * later ends the process. Launchers often send several at once. While parts are joined, the search
 * is over, and its results are kept in any case. */
static void rank_on_signal(int number) {
    int reason = errno;
    double now = cli_seconds();
    if (!interrupted) {
        interrupted = 1;
        interrupted_at = now;
        if (joining) rank_explain_joining();
        if (interrupted_job) lode_job_cancel(interrupted_job);
    } else if (now - interrupted_at >= 1) {
        if (!joining) lode_outputs_discard();
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = reason;
}

void rank_handle_signals(rank_run *r) {
    struct sigaction action = {.sa_handler = rank_on_signal};
    interrupted_job = r->job;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

/* CPU seconds of the process, or of the thread that asks. */
static double rank_cpu(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- before the search ----------------------------------------------------------------------- */

int rank_read(rank_run *r) {
    double began = cli_seconds(), cpu = rank_cpu(CLOCK_PROCESS_CPUTIME_ID);
    lode_status status = rank_open(r);
    r->figures.read_cpu = rank_cpu(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    int code = rank_agree(r, status, NULL);
    if (code != CLI_DONE) return code;
    r->fingerprint = r->kind->fingerprint(r->data);
    code = rank_compare(r, r->fingerprint, "this rank has other data than rank 0");
    r->total = r->kind->total(r->data);
    r->figures.read_seconds = cli_seconds() - began;
    return code;
}

/* How many tasks the search is divided into. */
static uint32_t rank_goal(const rank_run *r) {
    bool graphs = r->kind->patterns == LODE_GRAPHS;
    if (r->journal) return graphs ? RANK_GRAPH_PIECES : RANK_PIECES;
    uint32_t each = graphs ? RANK_GRAPH_TASKS : RANK_TASKS;
    uint64_t goal = (uint64_t)r->n_ranks * each;
    return goal < RANK_TASKS_MOST ? (uint32_t)goal : RANK_TASKS_MOST;
}

int rank_divide(rank_run *r) {
    double cpu = rank_cpu(CLOCK_PROCESS_CPUTIME_ID);
    lode_tasks_free(r->tasks);
    r->tasks = NULL;
    r->kind->ask_for(&r->options, &r->present);
    lode_status status = r->kind->divide(r->job, &r->tasks, r->data, &r->options, rank_goal(r));
    r->figures.prepare_cpu += rank_cpu(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    int code = rank_agree(r, status, NULL);
    if (code != CLI_DONE) return code;
    return rank_compare(
        r, lode_tasks_hash(r->tasks),
        "this rank divides the search differently from rank 0; do all ranks use the "
        "same version of lode and the same kind of processor?");
}

/* ---- actions of the scheduler ---------------------------------------------------------------- */

/* This rank cannot go on. */
static void rank_fail(rank_run *r, lode_status status, const char *message) {
    if (r->status != LODE_OK) return;
    r->status = status;
    rank_explain(r, status, message, r->message);
}

static void rank_send(void *user, int to, const sched_message *m) {
    rank_run *r = user;
    if (!transport_send(r->net, to, m)) rank_fail(r, LODE_NOMEM, "no memory for a message");
}

static void rank_start(void *user, const uint64_t *tasks, size_t n) {
    rank_run *r = user;
    if (r->journal && r->out.mode != OUTPUT_BEST) {
        lode_status status = journal_note_start(r, tasks, n);
        if (status != LODE_OK) rank_fail(r, status, NULL);
    }
    if (!search_start(r->search, tasks, n)) MPI_Abort(r->comm, CLI_FAILED);
}

static void rank_ask(void *user) {
    rank_run *r = user;
    lode_job_ask_task(r->job);
}

static void rank_raise(void *user, uint64_t threshold) {
    rank_run *r = user;
    r->threshold = threshold;
    lode_job_raise_threshold(r->job, threshold);
}

static void rank_cancel(void *user) {
    rank_run *r = user;
    lode_job_cancel(r->job);
}

static void rank_drop(void *user, uint64_t task) {
    (void)user;
    free(task_of_handle(task));
}

/* ---- the search ------------------------------------------------------------------------------ */

/* On the thread that searches. */
static lode_status rank_mine(void *user, stored_task *const *tasks, size_t n) {
    rank_run *r = user;
    rank_options options = r->options;
    rank_request request = r->present;
    lode_sink *sink = NULL;
    const lode_task **list = malloc((n + 1) * sizeof *list);
    if (!list) return LODE_NOMEM;
    for (size_t i = 0; i < n; i++) list[i] = &tasks[i]->task;
    if (r->threshold > request.min_support.numerator) {
        request.min_support.numerator = r->threshold;
    }
    r->kind->ask_for(&options, &request);
    lode_status status = outcome_sink(&r->out, r->job, &sink), mined = status;
    if (status == LODE_OK) {
        lode_task_search search = {.size = sizeof search,
                                   .tasks = list,
                                   .n_tasks = n,
                                   .give = r->n_ranks > 1 ? search_give : NULL,
                                   .give_user = r->search};
        mined = r->kind->mine(r->job, r->data, &options, &search, sink);
        bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
        if (usable) status = outcome_take(&r->out, sink, mined == LODE_CANCELLED);
    }
    lode_sink_free(sink);
    free(list);
    return status != LODE_OK ? status : mined;
}

/* A search of this rank has ended. */
static void rank_ended(rank_run *r, lode_status status) {
    r->found_before = r->out.patterns;
    bool noted = r->journal && r->out.mode != OUTPUT_BEST;
    if (status == LODE_OK && noted) status = journal_note_end(r);
    if (status == LODE_OK) {
        sched_raise(r->sched, outcome_least(&r->out));
    } else if (status == LODE_STOPPED && !r->out.failed) { /* it has found all that is wanted */
        sched_stop(r->sched, SCHED_LIMIT);
    } else if (status == LODE_CANCELLED) { /* by a signal, if not by the scheduler */
        if (interrupted) sched_stop(r->sched, SCHED_INTERRUPT);
    } else {
        rank_fail(r, status, NULL);
    }
    sched_finished(r->sched);
}

static void rank_note_given(rank_run *r, stored_task *given) {
    if (!r->journal || r->out.mode == OUTPUT_BEST) return;
    lode_status status = journal_note_given(r, given);
    if (status != LODE_OK) rank_fail(r, status, NULL);
}

/* What the thread that searches has to say. */
static void rank_listen(rank_run *r) {
    stored_task *given;
    lode_status status;
    for (;;) {
        switch (search_take(r->search, &given, &status)) {
        case SEARCH_GAVE:
            rank_note_given(r, given);
            sched_given(r->sched, task_handle(given));
            break;
        case SEARCH_ENDED: rank_ended(r, status); break;
        case SEARCH_NOTHING: return;
        }
    }
}

/* Patterns of this rank so far, including those that the running search has reported. */
static uint64_t rank_found(const rank_run *r) {
    lode_progress p = LODE_INIT(lode_progress);
    if (sched_is_searching(r->sched)) lode_job_progress(r->job, &p);
    return r->found_before + p.patterns;
}

/* Rank 0 looks after the others. */
static void rank_watch(rank_run *r) {
    int silent = sched_silent(r->sched, RANK_SILENT_SECONDS);
    if (silent < 0) {
        r->told = 0;
        return;
    }
    if (r->told == 0) {
        cli_error("no message from rank %d for %.0f s; lode-mpi ends the job after %.0f s", silent,
                  RANK_SILENT_SECONDS, r->silence);
    }
    r->told = 1;
    silent = sched_silent(r->sched, r->silence);
    if (silent < 0) return;
    cli_error("no message from rank %d for %.0f s; ending the job", silent, r->silence);
    lode_outputs_discard();
    MPI_Abort(r->comm, CLI_FAILED);
}

/* Limits, signals and failures. */
static void rank_check(rank_run *r, double now) {
    const rank_request *a = &r->asked;
    uint64_t limit = r->out.mode == OUTPUT_BEST ? 0 : a->limit_patterns;
    if (a->limit_seconds > 0 && now >= a->limit_seconds) sched_stop(r->sched, SCHED_LIMIT);
    if (r->rank == 0 && limit > 0 && sched_found(r->sched) >= limit) {
        sched_stop(r->sched, SCHED_LIMIT);
    }
    if (interrupted) sched_stop(r->sched, SCHED_INTERRUPT);
    if (sched_is_broken(r->sched)) rank_fail(r, LODE_NOMEM, "no memory for a list of tasks");
    if (r->status != LODE_OK) sched_stop(r->sched, SCHED_ERROR);
    if (r->rank == 0) rank_watch(r);
}

/* Until this rank has nothing to do any more. */
static void rank_loop(rank_run *r) {
    double heard = cli_seconds();
    while (!sched_is_over(r->sched)) {
        double now = cli_seconds();
        bool searched = sched_is_searching(r->sched);
        int got = transport_receive(r->net, r->sched);
        if (got < 0) rank_fail(r, LODE_NOMEM, "no memory for a message");
        rank_listen(r);
        sched_tick(r->sched, now - r->began, rank_found(r));
        rank_check(r, now - r->began);
        if (sched_is_over(r->sched)) break;
        bool searches = sched_is_searching(r->sched);
        if (got > 0 || searches != searched) heard = now;
        search_wait(r->search, pause_now(searches, now - heard));
    }
}

static void rank_pause(void *user) {
    (void)user;
    rank_sleep(RANK_IDLE_PAUSE);
}

/* All tasks of the search, and the work expected. NULL: no memory. */
static stored_task **rank_all_tasks(const rank_run *r, size_t *n, double **work) {
    lode_task task = LODE_INIT(lode_task);
    if (r->journal && r->out.mode != OUTPUT_BEST) return journal_left(r, n, work);
    *n = lode_tasks_count(r->tasks);
    stored_task **all = calloc(*n + 1, sizeof(stored_task *));
    *work = calloc(*n + 1, sizeof **work);
    for (size_t i = 0; all && *work && i < *n; i++) {
        lode_tasks_at(r->tasks, i, &task);
        (*work)[i] = task.work;
        all[i] = task_copy(&task, i);
    }
    return all;
}

/* Distributes the tasks of graphs: each rank gets consecutive tasks of the search tree, because
 * reaching a pattern is expensive, and tasks below the same pattern share that work. */
static void rank_cut(const rank_run *r, stored_task **all, size_t n, int *owner) {
    double total = 0, before = 0;
    for (size_t i = 0; i < n; i++) total += all[i]->task.work;
    qsort(all, n, sizeof *all, task_by_prefix);
    for (size_t i = 0; i < n; i++) {
        double middle = before + all[i]->task.work / 2;
        int rank = total > 0 ? (int)(middle / total * r->n_ranks) : (int)i;
        owner[i] = rank % r->n_ranks;
        before += all[i]->task.work;
    }
}

static bool rank_deal(const rank_run *r, stored_task **all, size_t n, const double *work,
                      int *owner) {
    if (r->kind->patterns != LODE_GRAPHS) return sched_deal(work, n, r->n_ranks, owner);
    for (size_t i = 0; i < n; i++) {
        if (!all[i]) return false;
    }
    rank_cut(r, all, n, owner);
    return true;
}

/* Puts the tasks of this rank into its queue. */
static lode_status rank_take_tasks(rank_run *r) {
    size_t n;
    double *work = NULL;
    stored_task **all = rank_all_tasks(r, &n, &work);
    int *owner = malloc((n + 1) * sizeof *owner);
    bool fine = all && work && owner && rank_deal(r, all, n, work, owner);
    for (size_t i = 0; all && i < n; i++) {
        bool mine = fine && owner[i] == r->rank;
        if (mine) fine = all[i] && sched_add(r->sched, task_handle(all[i]));
        if (!mine) free(all[i]);
    }
    free(all);
    free(work);
    free(owner);
    return fine ? LODE_OK : LODE_NOMEM;
}

static lode_status rank_open_search(rank_run *r) {
    bool best = r->out.mode == OUTPUT_BEST, limited = r->asked.limit_patterns > 0;
    sched_config config = {.rank = r->rank,
                           .n_ranks = r->n_ranks,
                           .victims = RANK_VICTIMS,
                           .seed = r->fingerprint,
                           .batch_part = r->journal ? RANK_PIECES_PART : RANK_BATCH_PART,
                           .batch_least = 1,
                           .batch_most = best ? RANK_BEST_BATCH : 0,
                           .patience = RANK_PATIENCE,
                           .beat = limited ? RANK_BEAT_LIMITED : RANK_BEAT};
    sched_actions actions = {r,          rank_send,   rank_start, rank_ask,
                             rank_raise, rank_cancel, rank_drop};
    r->sched = sched_create(&config, &actions);
    r->net = transport_create(r->comm, r->piece);
    r->search = search_thread_create(rank_mine, r);
    if (!r->sched || !r->net || !r->search) return LODE_NOMEM;
    return rank_take_tasks(r);
}

static void rank_note_figures(rank_run *r, double seconds) {
    rank_figures *f = &r->figures;
    sched_figures s = sched_get_figures(r->sched);
    f->sched.messages += s.messages;
    f->sched.steals += s.steals;
    f->sched.granted += s.granted;
    f->sched.tasks_in += s.tasks_in;
    f->sched.tasks_out += s.tasks_out;
    f->sched.searches += s.searches;
    f->sched.waves += s.waves;
    f->message_bytes += transport_bytes(r->net);
    f->message_pieces += transport_pieces(r->net);
    f->search_seconds += search_wall(r->search);
    f->search_cpu += search_cpu(r->search);
    f->idle_seconds += fmax(0, seconds - search_wall(r->search));
    f->patterns = r->out.patterns;
}

int rank_search(rank_run *r) {
    int code = rank_agree(r, rank_open_search(r), NULL);
    if (code == CLI_DONE) {
        double began = cli_seconds(), talked = rank_cpu(CLOCK_THREAD_CPUTIME_ID);
        prctl(PR_SET_TIMERSLACK, RANK_TIMER_SLACK, 0, 0, 0); /* of this thread: short pauses */
        sched_begin(r->sched);
        rank_loop(r);
        if (!transport_end(r->net, r->sched, rank_pause, NULL)) MPI_Abort(r->comm, CLI_FAILED);
        rank_note_figures(r, cli_seconds() - began);
        r->figures.talk_cpu += rank_cpu(CLOCK_THREAD_CPUTIME_ID) - talked;
        r->ended = (sched_reason)rank_highest(r, (int)sched_stopped(r->sched));
        code = rank_agree(r, r->status, r->message);
    }
    search_thread_free(r->search);
    transport_free(r->net);
    sched_free(r->sched);
    r->search = NULL;
    r->net = NULL;
    r->sched = NULL;
    return code;
}

void rank_close(rank_run *r) {
    interrupted_job = NULL;
    lode_tasks_free(r->tasks);
    if (r->data) r->kind->free(r->data);
    lode_job_free(r->job);
}
