/* batches.c - see batches.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/batches.h"

#include <string.h>

#include "base/check.h"
#include "base/os.h"
#include "base/vec.h"
#include "data/transactions/dataset.h"

/* The first batch is this part of the work, since nothing is known of the speed. */
#define BATCH_FIRST (1.0 / 64)
/* Maximum growth of the work from batch to batch, because estimates are wrong by factors. */
#define BATCH_GROWTH 8
/* Batches shorter than this fraction of the intended time are reported together. */
#define BATCH_TELL 0.5
/* A batch that takes longer than BATCH_PATIENCE times that is asked for parts, this often per
 * second. */
#define BATCH_PATIENCE 2
#define BATCH_ASKS     40
/* If the intended time is shorter than this, in seconds, the batch is asked for parts at once. */
#define BATCH_SHORTEST 0.001

typedef struct batch_line {
    engine_task *task;
    const mine_batches *how;
    mem *mem;
    engine_branch *list; /* of all that were there or were handed out */
    size_t n, cap;
    size_t n_at_start;
    mem_kept prefixes;
    pthread_mutex_t lock;
    engine_branch *given; /* by the batch that runs; guarded by the lock */
    size_t n_given, given_cap;
    double worth;         /* engine_branches.worth */
    size_t told, begun;   /* branches that were reported, and that were begun */
    double told_at;       /* the time of that */
    double left;          /* work of those that were not begun */
    double speed, last;   /* work in a second, and of the last batch; 0: not known */
    engine_report before; /* the report, as it was before the first batch */
} batch_line;

/* ---- the line -------------------------------------------------------------------------------- */

static lode_status line_add(batch_line *l, const engine_branch *b) {
    lode_status status = LODE_OK;
    if (l->n == l->cap) {
        LODE_TRY(vec_grow(l->mem, (void **)&l->list, l->n, &l->cap, 1, sizeof *l->list));
    }
    l->list[l->n++] = *b;
    l->left += b->work;
done:
    return status;
}

/* What the engine hands out, with a prefix of its own. Any thread of the search. */
static lode_status line_take_back(void *user, const engine_branch *branch) {
    lode_status status = LODE_OK;
    batch_line *l = user;
    engine_branch b = *branch;
    uint32_t *prefix;
    pthread_mutex_lock(&l->lock);
    size_t bytes = (b.n_prefix + (size_t)1) * sizeof *prefix;
    LODE_TRY(mem_keep(l->mem, &l->prefixes, (void **)&prefix, bytes));
    if (b.n_prefix > 0) memcpy(prefix, b.prefix, b.n_prefix * sizeof *prefix);
    b.prefix = prefix;
    if (l->n_given == l->given_cap) {
        LODE_TRY(
            vec_grow(l->mem, (void **)&l->given, l->n_given, &l->given_cap, 1, sizeof *l->given));
    }
    l->given[l->n_given++] = b;
done:
    pthread_mutex_unlock(&l->lock);
    return status;
}

/* Returns where the next batch ends. Branches that were handed out have no expected work: several
 * are taken at a time. */
static size_t line_next_end(const batch_line *l) {
    double goal = l->speed > 0 ? l->speed * l->how->seconds : 0, work = 0;
    if (l->task->items.data && l->task->items.data->spool) return l->n; /* see line_note() */
    size_t end = l->begun, most = l->begun + 4 * (size_t)l->task->job->threads;
    if (l->begun >= l->n_at_start) return most < l->n ? most : l->n;
    if (l->last > 0 && goal > BATCH_GROWTH * l->last) goal = BATCH_GROWTH * l->last;
    if (goal <= 0) goal = l->left * BATCH_FIRST;
    while (end < l->n_at_start && (end == l->begun || work < goal)) work += l->list[end++].work;
    return end;
}

/* Reports finished branches during the search. Data on disk are mined in one batch, because each
 * batch takes a pass over them; so the caller hears of finished branches meanwhile, in the order of
 * the line. */
static lode_status line_note(void *user, size_t n) {
    batch_line *l = user;
    double now = os_seconds();
    size_t end = l->begun + n;
    if (end <= l->told || now - l->told_at < BATCH_TELL * l->how->seconds) return LODE_OK;
    lode_status status = l->how->done(l->how->user, l->told, end, NULL, 0);
    l->told = end;
    l->told_at = os_seconds();
    return status;
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* A batch that takes too long is asked for parts, until it has ended. */
static lode_status batch_search(const batch_line *l, const mine_kind *kind,
                                const lode_engine *engine) {
    lode_job *job = l->task->job;
    double patience = BATCH_PATIENCE * l->how->seconds;
    unsigned n = job->threads; /* a search from disk may change it */
    if (patience < BATCH_SHORTEST) {
        atomic_store(&job->asked, n);
    } else {
        job_ask_after(job, patience, 1.0 / BATCH_ASKS, n);
    }
    lode_status status = mine_search(l->task, kind, engine);
    job_ask_no_more(job);
    return status;
}

/* Engines say some things at every run, and some only of the last one. */
static void batch_mend_report(const batch_line *l, uint64_t nodes) {
    engine_report *r = l->task->report;
    r->nodes += nodes;
    if (l->begun == 0) return; /* the first one has said it */
    memcpy(r->why, l->before.why, sizeof r->why);
    memcpy(r->note, l->before.note, sizeof r->note);
}

static lode_status batch_run(batch_line *l, const mine_kind *kind, const lode_engine *engine) {
    lode_status status = LODE_OK;
    engine_task *task = l->task;
    size_t end = line_next_end(l);
    engine_branches batch = {.list = l->list + l->begun,
                             .n = end - l->begun,
                             .give = line_take_back,
                             .user = l,
                             .worth = l->worth,
                             .finished = line_note};
    double work = 0, start = os_seconds();
    uint64_t nodes = task->report->nodes;
    for (size_t i = l->begun; i < end; i++) work += l->list[i].work;
    progress_begin_pass(&task->job->at, l->left > 0 && end < l->n ? work / l->left : 0.5);
    task->parts.branches = &batch;
    status = batch_search(l, kind, engine);
    batch_mend_report(l, nodes);
    if (l->begun == 0) l->before = *task->report;
    double seconds = os_seconds() - start;
    l->begun = end;
    l->left -= work;
    l->last = work;
    if (work > 0 && seconds > 0) l->speed = work / seconds;
    return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Reports what was finished since the last report, and appends branches that were handed out. */
static lode_status line_tell(batch_line *l) {
    lode_status status = LODE_OK;
    double now = os_seconds();
    bool last = l->begun == l->n && l->n_given == 0;
    if (l->told == l->begun && l->n_given == 0) goto done;
    if (!last && l->n_given == 0 && now - l->told_at < BATCH_TELL * l->how->seconds) goto done;
    LODE_TRY(l->how->done(l->how->user, l->told, l->begun, l->given, l->n_given));
    for (size_t i = 0; i < l->n_given; i++) LODE_TRY(line_add(l, &l->given[i]));
    l->n_given = 0;
    l->told = l->begun;
    l->told_at = os_seconds();
done:
    return status;
}

lode_status batches_search(engine_task *task, const mine_kind *kind, const lode_engine *engine) {
    lode_status status = LODE_OK;
    const engine_branches *all = task->parts.branches;
    batch_line l = {
        .task = task, .how = task->parts.batches, .mem = &task->job->mem, .worth = all->worth};
    pthread_mutex_init(&l.lock, NULL);
    l.told_at = os_seconds();
    for (size_t i = 0; i < all->n; i++) LODE_TRY(line_add(&l, &all->list[i]));
    l.n_at_start = l.n;
    while (l.begun < l.n) {
        LODE_TRY(batch_run(&l, kind, engine));
        LODE_TRY(line_tell(&l));
        LODE_DEBUG_CHECK(l.told <= l.begun && l.begun <= l.n && l.n_given == 0,
                         "%zu of %zu branches were begun, and %zu were reported", l.begun, l.n,
                         l.told);
    }
    LODE_DEBUG_CHECK(l.told == l.n, "%zu of %zu branches were reported", l.told, l.n);
done:
    task->parts.branches = all;
    pthread_mutex_destroy(&l.lock);
    mem_free(l.mem, l.list, l.cap * sizeof *l.list);
    mem_free(l.mem, l.given, l.given_cap * sizeof *l.given);
    mem_drop(l.mem, &l.prefixes);
    return status;
}
