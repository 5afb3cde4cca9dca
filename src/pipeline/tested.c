/* tested.c - significant itemsets: closed sets that differ between classes, with proof
 *
 * The engine searches closed sets, and knows nothing of classes. The sets go to a sink that finds
 * their transactions, hands these to the test (groups/group_test.h), keeps the sets that may turn
 * out to be significant, and raises the threshold of the job as the test falls. A search begins
 * with a threshold that was guessed. If sets with a lower support can be significant, a second one
 * follows, from the lowest of these supports, and tests only what the first one did not have.
 *
 *     engine → closed sets → test_sink ── places ──→ group_test ── threshold ──→ job
 *                                └── sets that are significant in the end ──→ the caller's sink
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/constrain.h"
#include "pipeline/run.h"
#include "runtime/valid.h"
#include "write/itemsets/item_memory.h"

#define TESTED_PRUNE 4096 /* sets that a worker keeps before it looks which can be dropped */

/* Sets that may be significant, with their keys. */
typedef struct tested_sets {
    columns sets;
    vec_u64 keys;
} tested_sets;

typedef struct test_sink {
    lode_sink base;
    group_test *test;
    const item_places *in;
    uint64_t below;   /* only sets with a lower support are new */
    tested_sets kept; /* under the lock */
} test_sink;

typedef struct test_worker {
    item_worker base;
    group_worker *test;
    tested_sets found;
    uint64_t prune_at; /* this many sets */
    places_scratch scratch;
} test_worker;

/* ---- the request ----------------------------------------------------------------------------- */

bool tested_wanted(const engine_task *task) {
    const lode_mine_options *o = task->items.options;
    if (!o) return false;
    lode_class_options classes = valid_classes(o->classes);
    return classes.classes && classes.significant > 0;
}

static lode_status tested_refuse(const engine_task *task, const char *what, const char *why) {
    return job_fail(task->job, LODE_INVALID, "--significant cannot be combined with %s: %s", what,
                    why);
}

static lode_status tested_check(const engine_task *task, const lode_mine_options *o) {
    lode_class_options c = valid_classes(o->classes);
    const struct {
        bool given;
        const char *what, *why;
    } refused[] = {
        {o->minima || o->maxima, "--min or --max",
         "choosing itemsets by a measure before they are tested makes the test wrong; filter the "
         "result instead"},
        {o->target == LODE_TARGET_MAXIMAL, "--target maximal", "closed itemsets are tested"},
        {o->target == LODE_TARGET_GENERATORS, "--target generators", "closed itemsets are tested"},
        {o->reduce != NULL, "parts of the data", "the test needs all transactions"},
        {o->n_shares > 0 || engine_wants_range(&task->request) || task->parts.branches ||
             task->parts.division,
         "--share, --journal or --resume",
         "the level depends on all itemsets; run the whole search in one process"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].given) return tested_refuse(task, refused[i].what, refused[i].why);
    }
    if (c.strata && c.by != LODE_BY_PERMUTATION) {
        return job_fail(task->job, LODE_INVALID,
                        "--strata requires --by permutation: only permutations can be restricted "
                        "to the transactions of a stratum");
    }
    return LODE_OK;
}

lode_status tested_needs(lode_job *job, const lode_class_options *c) {
    const char *what = NULL, *needs = "--class";
    if (c->alternative != LODE_TWO_SIDED) what = "--alternative";
    if (c->significant > 0) what = "--significant";
    if (c->classes) what = NULL;
    if (c->significant == 0) {
        if (c->by != LODE_BY_TARONE || c->seed > 0 || c->strata) needs = "--significant";
        if (c->seed > 0) what = "--seed";
        if (c->by != LODE_BY_TARONE) what = "--by";
        if (c->strata) what = "--strata";
    }
    if (!what) return LODE_OK;
    return job_fail(job, LODE_INVALID, "%s requires %s: without it, it has no effect", what, needs);
}

lode_status tested_read(engine_task *task, lode_mine_options *o) {
    lode_class_options c = valid_classes(o->classes);
    lode_status needed = tested_needs(task->job, &c);
    if (needed != LODE_OK) return needed;
    if (!tested_wanted(task)) return LODE_OK;
    lode_status status = tested_check(task, o);
    if (status != LODE_OK) return status;
    if (o->target != LODE_TARGET_TOP) o->top_k = task->request.top_k = 0;
    o->target = task->request.target = LODE_TARGET_CLOSED;
    return LODE_OK;
}

/* The support below which no set is wanted. */
static uint64_t tested_floor(const engine_task *task) {
    lode_threshold least = task->request.min_support;
    return least.numerator > 0 ? lode_threshold_count(least, task->total) : 1;
}

lode_status tested_first_count(const engine_task *task, uint64_t *support) {
    const item_constraints *c = task->items.constraints;
    uint64_t floor = tested_floor(task);
    lode_status status = group_test_guess(task->job, &c->contrast->classes, &c->classes, support);
    if (*support < floor) *support = floor;
    return status;
}

/* ---- sets that may be significant ------------------------------------------------------------ */

static void tested_free(mem *m, tested_sets *s) {
    columns_free(m, &s->sets);
    vec_u64_free(m, &s->keys);
}

/* Keeps the sets whose key is at most `most`, and whose support is at least `least`. */
static void tested_prune(tested_sets *s, fisher_p most, uint64_t least) {
    columns *c = &s->sets;
    size_t kept = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < c->supports.n; i++) {
        uint64_t first = c->offsets.data[i], size = c->offsets.data[i + 1] - first;
        if ((fisher_p)s->keys.data[i] > most || c->supports.data[i] < least) continue;
        memmove(c->items.data + end, c->items.data + first, size * sizeof *c->items.data);
        end += size;
        c->supports.data[kept] = c->supports.data[i];
        s->keys.data[kept++] = s->keys.data[i];
        c->offsets.data[kept] = end; /* kept <= i + 1, and offsets[i + 1] was read */
    }
    c->supports.n = s->keys.n = kept;
    c->items.n = end;
    if (c->offsets.n > 0) c->offsets.n = kept + 1;
}

static lode_status tested_join(mem *m, tested_sets *to, tested_sets *from) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(m, &to->keys, from->keys.n));
    LODE_TRY(columns_join(m, &to->sets, &from->sets));
    for (size_t i = 0; i < from->keys.n; i++) to->keys.data[to->keys.n++] = from->keys.data[i];
    from->keys.n = 0;
done:
    return status;
}

/* ---- the sink -------------------------------------------------------------------------------- */

static lode_status test_open(sink_worker *worker) {
    test_worker *w = (test_worker *)worker;
    w->prune_at = TESTED_PRUNE;
    return group_worker_open(((test_sink *)worker->sink)->test, &w->test);
}

static void test_drop_some(test_worker *w) {
    const group_test *t = ((test_sink *)w->base.base.sink)->test;
    tested_prune(&w->found, group_test_keep(t), group_test_min_count(t));
    w->prune_at = 2 * columns_count(&w->found.sets) + TESTED_PRUNE;
}

/* Tests pattern i of the batch. */
static lode_status test_one(test_worker *w, const lode_batch *batch, uint32_t i) {
    lode_status status = LODE_OK;
    test_sink *sink = (test_sink *)w->base.base.sink;
    lode_job *job = sink->base.job;
    mem *m = &job->mem;
    item_set set = {batch->prefix, batch->n_prefix, batch->items[i]};
    lode_batch one = *batch;
    fisher_p key;
    LODE_TRY(item_places_find(sink->in, m, &w->scratch, set));
    LODE_REQUIRE(job, w->scratch.places.n == batch->supports[i], "an itemset has a wrong support");
    LODE_TRY(group_add(w->test, w->scratch.places.data, (uint32_t)w->scratch.places.n, &key));
    if (key > group_test_keep(sink->test)) goto done;
    one.items = &batch->items[i];
    one.supports = &batch->supports[i];
    one.n = 1;
    LODE_TRY(vec_u64_push(m, &w->found.keys, (uint64_t)key));
    LODE_TRY(columns_append(m, &w->found.sets, &one));
    if (columns_count(&w->found.sets) >= w->prune_at) test_drop_some(w);
done:
    return status;
}

static lode_status test_emit(sink_worker *worker, const lode_batch *batch) {
    test_worker *w = (test_worker *)worker;
    test_sink *sink = (test_sink *)worker->sink;
    for (uint32_t i = 0; i < batch->n; i++) {
        uint64_t support = batch->supports[i];
        if (support >= sink->below || !group_test_wants(sink->test, support)) continue;
        lode_status status = test_one(w, batch, i);
        if (status != LODE_OK) return status;
    }
    uint64_t least = group_test_min_count(sink->test);
    if (least > job_threshold(sink->base.job)) job_raise_threshold(sink->base.job, least);
    return LODE_OK;
}

static lode_status test_close(sink_worker *worker) {
    test_worker *w = (test_worker *)worker;
    test_sink *sink = (test_sink *)worker->sink;
    mem *m = &sink->base.job->mem;
    lode_status status = group_worker_close(w->test);
    test_drop_some(w);
    pthread_mutex_lock(&sink->base.lock);
    lode_status joined = tested_join(m, &sink->kept, &w->found);
    pthread_mutex_unlock(&sink->base.lock);
    tested_free(m, &w->found);
    places_scratch_free(&w->scratch, m);
    return status != LODE_OK ? status : joined;
}

static void test_free(lode_sink *base) {
    tested_free(&base->job->mem, &((test_sink *)base)->kept);
}

static const item_ops test_items = {
    .worker_bytes = sizeof(test_worker),
    .open = test_open,
    .emit = test_emit,
    .close = test_close,
};

static const sink_kind test_sink_kind = {
    .bytes = sizeof(test_sink),
    .itemsets = &test_items,
    .free = test_free,
};

/* ---- the result ------------------------------------------------------------------------------ */

static void tested_report(engine_report *r, const group_verdict *v, uint64_t found) {
    static const char *const words[] = {"tarone", "permutation", "fdr"};
    r->alpha = v->alpha;
    r->level = v->level;
    snprintf(r->tested_by, sizeof r->tested_by, "%s", words[v->by]);
    r->hypotheses = v->n_tests;
    r->permutations = v->permutations;
    r->permutation_seed = v->seed;
    r->significant = found;
}

static bool tested_key_before(const uint64_t *a, const uint64_t *b) {
    return (fisher_p)*a < (fisher_p)*b;
}

#define SORT_NAME   tested_sort
#define SORT_TYPE   uint64_t
#define SORT_BEFORE tested_key_before
#include "base/sort_body.h"

/* Keeps the best K by p-value, and sets with the same p-value as the K-th. */
static lode_status tested_best(mem *m, tested_sets *s, uint64_t k) {
    vec_u64 keys = {0};
    if (k == 0 || s->keys.n <= k) return LODE_OK;
    lode_status status = vec_u64_reserve(m, &keys, s->keys.n);
    if (status != LODE_OK) return status;
    memcpy(keys.data, s->keys.data, s->keys.n * sizeof *keys.data);
    tested_sort(keys.data, s->keys.n, NULL);
    fisher_p most = (fisher_p)keys.data[k - 1];
    vec_u64_free(m, &keys);
    tested_prune(s, most, 0);
    return LODE_OK;
}

/* Finds the verdict, and sends the significant sets to the caller's sink. */
static lode_status tested_deliver(engine_task *task, test_sink *sink, lode_sink *target) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    group_verdict *v = NULL;
    LODE_TRY(group_test_finish(sink->test, m, &v));
    uint64_t least =
        v->min_count < sink->base.bounds.least ? sink->base.bounds.least : v->min_count;
    tested_prune(&sink->kept, v->most, least);
    tested_report(task->report, v, columns_count(&sink->kept.sets));
    job_raise_threshold(task->job, v->min_count);
    LODE_TRY(tested_best(m, &sink->kept, task->items.options->top_k));
    if (target->contrast) {
        contrast_take_verdict(target->contrast, v);
        v = NULL;
    }
    status = sink_replay(&sink->kept.sets, target, NULL);
done:
    verdict_free(m, v);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* The test means nothing before its end. */
static void tested_say_stopped(const engine_task *task, const lode_sink *target) {
    if (job_is_raised(task->job) || lode_sink_patterns(target) > 0) return;
    job_log(task->job, LODE_LOG_WARNING,
            "the search was stopped before the test was complete: no itemset is reported");
}

static lode_status tested_open_sink(engine_task *task, group_test *test, test_sink **out) {
    lode_sink *base = NULL;
    const item_constraints *c = task->items.constraints;
    lode_status status = sink_create(task->job, &test_sink_kind, &base);
    if (status != LODE_OK) return status;
    test_sink *sink = (test_sink *)base;
    sink->test = test;
    sink->in = &c->contrast->in;
    sink->below = UINT64_MAX;
    sink_limit(base, c->asked->min_size, c->asked->max_size);
    sink_expect(base, &task->sink->bounds);
    sink_set_filter(base, constrain_filter(task));
    *out = sink;
    return LODE_OK;
}

/* Searches from the task's threshold on, and again from a lower one if that is needed. */
static lode_status tested_passes(engine_task *task, const mine_kind *kind,
                                 const lode_engine *engine, test_sink *sink) {
    lode_status status = LODE_OK;
    char why[LODE_REPORT_TEXT];
    uint64_t floor = tested_floor(task);
    memcpy(why, task->report->why, sizeof why);
    progress_begin_pass(&task->job->at, task->min_count > floor ? 0.5 : 1);
    LODE_TRY(mine_search(task, kind, engine));
    group_test_settle(sink->test);
    uint64_t least = group_test_min_count(sink->test);
    if (least < floor) least = floor;
    if (least >= task->min_count) goto done;
    sink->below = task->min_count;
    task->min_count = task->report->min_count = least;
    atomic_store_explicit(&task->job->threshold, least, memory_order_relaxed);
    memcpy(task->report->why, why, sizeof why); /* engines add to it */
    progress_begin_pass(&task->job->at, 1);
    status = mine_search(task, kind, engine);
    group_test_settle(sink->test);
done:
    return status;
}

lode_status tested_search(engine_task *task, const mine_kind *kind, const lode_engine *engine) {
    lode_status status = LODE_OK;
    const item_constraints *c = task->items.constraints;
    lode_sink *target = task->sink;
    group_test *test = NULL;
    test_sink *sink = NULL;
    LODE_TRY(group_test_open(&test, task->job, &c->contrast->classes, &c->classes));
    LODE_TRY(tested_open_sink(task, test, &sink));
    task->sink = &sink->base;
    status = tested_passes(task, kind, engine, sink);
    task->sink = target;
    if (status == LODE_OK) status = tested_deliver(task, sink, target);
done:
    if (status == LODE_STOPPED || status == LODE_CANCELLED) tested_say_stopped(task, target);
    task->sink = target;
    if (sink) lode_sink_free(&sink->base);
    group_test_close(test);
    return status;
}
