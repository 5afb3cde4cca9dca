/* stored.c - see stored.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/stored.h"

#include <math.h>
#include <string.h>

#include "rules/general.h"
#include "rules/measures/measure.h"
#include "rules/recount.h"
#include "runtime/parallel.h"
#include "write/itemsets/item_memory.h"

#define STORED_STEP  256  /* sets that a thread takes at a time */
#define STORED_ASK   1024 /* divisions of a set between checks for a stop */
#define STORED_SHARE 0.5  /* of the time: mining the sets, about … */
#define STORED_RULES 0.9  /* … and, of the rest, making the rules; a list may follow */

typedef struct stored_job {
    const stored *s;
    uint32_t done; /* items of the largest sets whose rules were made before */
    general_sets of;
    general best; /* if more general rules matter */
    _Atomic uint64_t next;
} stored_job;

/* One set in work. */
typedef struct stored_set {
    const stored_job *j;
    rule_writer *writer;
    uint32_t items[GENERAL_MOST];
    uint32_t n;
    uint64_t support;
    uint64_t heads, bodies;       /* bits of the items that may be there */
    uint64_t below[GENERAL_MOST]; /* sets without one item */
    uint32_t body[GENERAL_MOST], head[GENERAL_MOST];
    uint64_t tried; /* divisions */
} stored_set;

/* ---- one rule ------------------------------------------------------------------------------- */

/* Divides the set; `in_head`: bits of the items of the head. */
static void stored_divide(stored_set *z, uint64_t in_head, lode_rule *rule) {
    uint32_t n_head = 0, n_body = 0;
    for (uint32_t i = 0; i < z->n; i++) {
        if (in_head >> i & 1) {
            z->head[n_head++] = z->items[i];
        } else {
            z->body[n_body++] = z->items[i];
        }
    }
    *rule = (lode_rule){.size = sizeof *rule,
                        .body = z->body,
                        .n_body = n_body,
                        .head = z->head,
                        .n_head = n_head,
                        .best_confidence = NAN,
                        .best_lift = NAN,
                        .adjusted_p = NAN};
}

/* The support of a side whose items are those of `side`: one item, all but one, or any. */
static uint64_t stored_count(const stored_set *z, uint64_t other, const uint32_t *side,
                             uint32_t n) {
    if (n == 1 || n + 1 < z->n || z->j->of.has_pivot) return general_support(&z->j->of, side, n);
    uint64_t below = z->below[__builtin_ctzll(other)];
    return below == LOOKUP_NONE ? 0 : z->j->of.sets->supports.data[below];
}

static uint64_t stored_head_count(const stored_set *z, uint64_t in_head, const lode_rule *rule) {
    if (rule->n_head == 1) return z->j->s->head_counts[rule->head[0]];
    return stored_count(z, ~in_head, rule->head, rule->n_head);
}

/* Fills in what is known of the more general rules; false: one of them is as good. */
static bool stored_compare(const stored_set *z, uint64_t in_head, lode_rule *rule) {
    const general *g = &z->j->best;
    uint32_t place = (uint32_t)__builtin_ctzll(in_head);
    if (!z->j->s->wants->needs_general) return true;
    general_share best = rule->n_head == 1 && g->best ? general_of_item(g, z->below, z->n, place)
                                                      : general_of_head(&z->j->of, rule);
    general_share own = {rule->counts.both, rule->counts.body};
    double head = (double)rule->counts.head / (double)rule->counts.total;
    rule->best_confidence = (double)best.both / (double)best.body;
    rule->best_lift = rule->best_confidence / head;
    return !z->j->s->wants->productive || general_above(own, best);
}

/* Hands the rule on if it is wanted; it has enough confidence. */
static lode_status stored_emit(stored_set *z, uint64_t in_head, lode_rule *rule) {
    const wants *w = z->j->s->wants;
    if (!wants_sizes(w, rule->n_body, rule->n_head) || !wants_groups(w, rule)) return LODE_OK;
    rule->counts.head = stored_head_count(z, in_head, rule);
    rule->counts.total = z->j->s->total;
    if (rule->counts.head == 0) return LODE_OK; /* the threshold was raised meanwhile */
    bool wanted = wants_measures(w, rule, LODE_NEEDS_COUNTS) && stored_compare(z, in_head, rule) &&
                  wants_measures(w, rule, LODE_NEEDS_GENERAL);
    if (job_is_cancelled(z->j->of.job)) return LODE_CANCELLED; /* it may not have looked at all */
    if (wanted && w->knows_p) rule->adjusted_p = measure_of_fisher(&rule->counts);
    if (wanted) return rule_writer_emit(z->writer, rule);
    rule_writer_filtered(z->writer, 1);
    return LODE_OK;
}

/* ---- the heads of a set ---------------------------------------------------------------------- */

/* Whether rules of this division have enough confidence, and emits it. */
static lode_status stored_try(stored_set *z, uint64_t in_head, bool *enough) {
    lode_rule rule;
    if (++z->tried % STORED_ASK == 0) {
        lode_status status = job_check(z->j->of.job);
        if (status != LODE_OK) return status;
    }
    stored_divide(z, in_head, &rule);
    rule.counts.both = z->support;
    rule.counts.body = stored_count(z, in_head, rule.body, rule.n_body);
    *enough = rule.counts.body > 0 &&
              wants_confidence(z->j->s->wants, rule.counts.both, rule.counts.body);
    return *enough ? stored_emit(z, in_head, &rule) : LODE_OK;
}

/* Adds items from `next` on to the head, one after the other. As deep as a set is long. */
static lode_status stored_grow(stored_set *z, uint64_t in_head, uint32_t next) {
    lode_status status = LODE_OK;
    uint32_t size = (uint32_t)__builtin_popcountll(in_head) + 1;
    if (size > z->j->s->wants->max_head || size >= z->n) return LODE_OK;
    for (uint32_t i = next; i < z->n; i++) {
        uint64_t bit = (uint64_t)1 << i;
        bool enough;
        if (!(z->heads & bit) || in_head & bit) continue;
        LODE_TRY(stored_try(z, in_head | bit, &enough));
        if (enough) LODE_TRY(stored_grow(z, in_head | bit, i + 1));
    }
done:
    return status;
}

/* What may be in no body is in the head. */
static lode_status stored_divide_all(stored_set *z) {
    uint64_t all = z->n < 64 ? ((uint64_t)1 << z->n) - 1 : UINT64_MAX, forced = all & ~z->bodies;
    bool enough = true;
    if (forced == all || forced & ~z->heads) return LODE_OK;
    if ((uint32_t)__builtin_popcountll(forced) > z->j->s->wants->max_head) return LODE_OK;
    lode_status status = forced ? stored_try(z, forced, &enough) : LODE_OK;
    return status == LODE_OK && enough ? stored_grow(z, forced, 0) : status;
}

static lode_status stored_set_rules(stored_job *j, rule_writer *writer, uint64_t number) {
    lode_status status = LODE_OK;
    const wants *w = j->s->wants;
    const columns *c = j->of.sets;
    uint64_t first = c->offsets.data[number];
    uint32_t n = (uint32_t)(c->offsets.data[number + 1] - first);
    stored_set z = {.j = j, .writer = writer, .n = n + j->of.has_pivot};
    z.support = c->supports.data[number];
    LODE_REQUIRE(j->of.job, z.n <= GENERAL_MOST, "a set in memory has more items than could be");
    memcpy(z.items, c->items.data + first, n * sizeof *z.items);
    if (j->of.has_pivot) {
        z.items[n] = j->of.pivot;
        sort_u32(z.items, z.n);
    }
    if (z.n < 2 || z.n < w->min_size || z.n > w->max_size || n <= j->done) return LODE_OK;
    if (wants_masks(&w->must, z.items, z.n) != w->must.all) return LODE_OK;
    for (uint32_t i = 0; i < z.n; i++) {
        z.heads |= (uint64_t)wants_role(w, z.items[i], ENGINE_ROLE_HEAD) << i;
        z.bodies |= (uint64_t)wants_role(w, z.items[i], ENGINE_ROLE_BODY) << i;
    }
    bool below = z.n > 2 || w->needs_general;
    if (below && !j->of.has_pivot) general_below(&j->of, z.items, z.n, z.below);
    status = stored_divide_all(&z);
done:
    return status;
}

/* ---- all sets ------------------------------------------------------------------------------- */

static lode_status stored_work_on(stored_job *j, rule_writer *writer, unsigned worker) {
    lode_status status = LODE_OK;
    lode_job *job = j->of.job;
    uint64_t n = columns_count(j->of.sets);
    for (;;) {
        uint64_t i = atomic_fetch_add(&j->next, STORED_STEP), end = i + STORED_STEP;
        if (i >= n) break;
        if (end > n) end = n;
        LODE_TRY(worker == 0 ? job_tick(job, i, n) : job_check(job));
        for (; i < end; i++) LODE_TRY(stored_set_rules(j, writer, i));
    }
done:
    return status;
}

static lode_status stored_work(void *arg, unsigned worker) {
    stored_job *j = arg;
    rule_writer writer = {0};
    lode_status status = rule_writer_open(j->s->out, &writer);
    if (status == LODE_OK) status = stored_work_on(j, &writer, worker);
    lode_status closed = rule_writer_close(&writer);
    return status != LODE_OK ? status : closed;
}

/* Counts the sets among all transactions. */
static lode_status stored_count_plain(const stored *s, lode_job *job, const columns *sets,
                                      vec_u64 *plain) {
    lode_status status = LODE_OK;
    columns again = {.offsets = sets->offsets, .items = sets->items};
    LODE_TRY(vec_u64_reserve(&job->mem, plain, sets->supports.n));
    plain->n = sets->supports.n;
    again.supports = *plain;
    if (plain->n > 0) status = recount(job, s->whole, NULL, s->whole->item_bound, &again);
done:
    return status;
}

static lode_status stored_make_rules(const stored *s, const engine_task *task, const columns *sets,
                                     uint32_t done_before) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    lookup *index = NULL;
    vec_u64 plain = {0};
    stored_job j = {
        .s = s, .done = done_before, .of = {.job = job, .sets = sets, .total = s->total}};
    if (s->has_pivot) LODE_TRY(stored_count_plain(s, job, sets, &plain));
    LODE_TRY(lookup_create(job, &index, sets, false));
    j.of.index = index;
    j.of.one_counts = s->head_counts;
    j.of.has_pivot = s->has_pivot;
    j.of.pivot = s->pivot;
    j.of.plain = plain.data;
    j.of.pivot_count = task->data->total_weight;
    if (s->wants->needs_general && !s->has_pivot) LODE_TRY(general_create(&j.best, &j.of));
    LODE_TRY(parallel_run(job, job->threads, false, stored_work, &j));
done:
    general_clear(&j.best);
    lookup_free(index);
    vec_u64_free(&job->mem, &plain);
    return status;
}

/* ---- the sets ------------------------------------------------------------------------------- */

/* Mines into a sink of its own. */
static lode_status stored_mine(engine_task *task, const lode_engine *engine, lode_sink *sets) {
    lode_job *job = task->job;
    lode_sink *target = task->sink;
    sets->nested = true;
    sink_limit(sets, 1, task->options->max_size);
    task->sink = sets;
    progress_begin_pass(&job->at, STORED_SHARE);
    lode_status status = engine->run(task);
    task->sink = target;
    if (status != LODE_OK) return status;
    uint64_t lost = sink_memory_lost(sets);
    uint64_t need = atomic_load_explicit(&job->need, memory_order_relaxed);
    job->unsure = true; /* the rest takes memory, too */
    if (lost > 0) return job_over_budget(job, need + 2 * lost, "finding rules, by itemsets,");
    return lode_sink_finish(sets, false); /* by size */
}

/* Mines the sets of at most `most` items, and makes the rules of those with more than
 * `done_before`. *longest: items of the largest one. */
static lode_status stored_pass(const stored *s, const engine_task *task, const lode_engine *engine,
                               uint32_t done_before, uint32_t most, uint32_t *longest) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    lode_sink *sets = NULL;
    lode_mine_options options = *task->options;
    engine_task inner = *task;
    uint64_t rules = atomic_load_explicit(&job->at.patterns, memory_order_relaxed);
    options.max_size = most;
    inner.options = &options;
    LODE_TRY(sink_top_create(job, &sets, 0));
    LODE_TRY(stored_mine(&inner, engine, sets));
    atomic_store_explicit(&job->at.patterns, rules, memory_order_relaxed); /* only rules count */
    progress_begin_pass(&job->at, STORED_RULES);
    *longest = lode_sink_largest(sets);
    status = stored_make_rules(s, task, sink_memory_columns(sets), done_before);
done:
    lode_sink_free(sets);
    return status;
}

/* Where a limit ends the search, the first rules come from small sets: all subsets of a set must be
 * there, so that sets are mined by size, again and again, until there are enough rules. */
lode_status stored_run(stored *s, engine_task *task, const lode_engine *engine) {
    lode_status status = LODE_OK;
    uint32_t all = task->options->max_size, done_before = 0, most = all, longest;
    if (rule_out_is_limited(s->out)) {
        most = s->wants->min_size > 2 ? s->wants->min_size : 2;
        most -= s->has_pivot;
        if (most > all) most = all;
    }
    for (;;) {
        LODE_TRY(stored_pass(s, task, engine, done_before, most, &longest));
        if (most == all || longest < most) break;
        done_before = most;
        most = all - most > most / 2 + 1 ? most + most / 2 + 1 : all;
    }
done:
    return status;
}
