/* stored.c - see stored.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/stored.h"

#include <math.h>
#include <string.h>

#include "rules/general.h"
#include "rules/measures/measure.h"
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
    uint64_t consequents, antecedents; /* bits of the items that may be there */
    uint64_t below[GENERAL_MOST];      /* sets without one item */
    uint32_t lhs[GENERAL_MOST], rhs[GENERAL_MOST];
    uint64_t tried; /* divisions */
} stored_set;

/* ---- one rule ------------------------------------------------------------------------------- */

/* Divides the set; `in_rhs`: bits of the items of the consequent. */
static void stored_divide(stored_set *z, uint64_t in_rhs, lode_rule *rule) {
    uint32_t n_rhs = 0, n_lhs = 0;
    for (uint32_t i = 0; i < z->n; i++) {
        if (in_rhs >> i & 1) {
            z->rhs[n_rhs++] = z->items[i];
        } else {
            z->lhs[n_lhs++] = z->items[i];
        }
    }
    *rule = (lode_rule){.size = sizeof *rule,
                        .lhs = z->lhs,
                        .n_lhs = n_lhs,
                        .rhs = z->rhs,
                        .n_rhs = n_rhs,
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

static uint64_t stored_rhs_count(const stored_set *z, uint64_t in_rhs, const lode_rule *rule) {
    if (rule->n_rhs == 1) return z->j->s->rhs_counts[rule->rhs[0]];
    return stored_count(z, ~in_rhs, rule->rhs, rule->n_rhs);
}

/* Fills in the counts of the more general rules; returns false if one of them is as good. */
static bool stored_compare(const stored_set *z, uint64_t in_rhs, lode_rule *rule) {
    const general *g = &z->j->best;
    uint32_t place = (uint32_t)__builtin_ctzll(in_rhs);
    if (!z->j->s->wants->needs_general) return true;
    general_share best = rule->n_rhs == 1 && g->best ? general_of_item(g, z->below, z->n, place)
                                                     : general_of_rhs(&z->j->of, rule);
    general_share own = {rule->counts.both, rule->counts.lhs};
    double rhs = (double)rule->counts.rhs / (double)rule->counts.total;
    rule->best_confidence = (double)best.both / (double)best.lhs;
    rule->best_lift = rule->best_confidence / rhs;
    return !z->j->s->wants->productive || general_above(own, best);
}

/* Hands the rule on if it is wanted; it has enough confidence. */
static lode_status stored_emit(stored_set *z, uint64_t in_rhs, lode_rule *rule) {
    const wants *w = z->j->s->wants;
    if (!wants_sizes(w, rule->n_lhs, rule->n_rhs) || !wants_groups(w, rule)) return LODE_OK;
    rule->counts.rhs = stored_rhs_count(z, in_rhs, rule);
    rule->counts.total = z->j->s->total;
    if (rule->counts.rhs == 0) return LODE_OK; /* the threshold was raised meanwhile */
    bool wanted = wants_measures(w, rule, LODE_NEEDS_COUNTS) && stored_compare(z, in_rhs, rule) &&
                  wants_measures(w, rule, LODE_NEEDS_GENERAL);
    if (job_is_cancelled(z->j->of.job))
        return LODE_CANCELLED; /* it may not have compared all of them */
    if (wanted && w->knows_p) rule->adjusted_p = measure_of_fisher(&rule->counts);
    if (wanted) return rule_writer_emit(z->writer, rule);
    rule_writer_filtered(z->writer, 1);
    return LODE_OK;
}

/* ---- the consequents of a set ---------------------------------------------------------------- */

/* Whether rules of this division have enough confidence, and emits it. */
static lode_status stored_try(stored_set *z, uint64_t in_rhs, bool *enough) {
    lode_rule rule;
    if (++z->tried % STORED_ASK == 0) {
        lode_status status = job_check(z->j->of.job);
        if (status != LODE_OK) return status;
    }
    stored_divide(z, in_rhs, &rule);
    rule.counts.both = z->support;
    rule.counts.lhs = stored_count(z, in_rhs, rule.lhs, rule.n_lhs);
    *enough =
        rule.counts.lhs > 0 && wants_confidence(z->j->s->wants, rule.counts.both, rule.counts.lhs);
    return *enough ? stored_emit(z, in_rhs, &rule) : LODE_OK;
}

/* Adds items from `next` on to the consequent, one after the other. As deep as a set is long. */
static lode_status stored_grow(stored_set *z, uint64_t in_rhs, uint32_t next) {
    lode_status status = LODE_OK;
    uint32_t size = (uint32_t)__builtin_popcountll(in_rhs) + 1;
    if (size > z->j->s->wants->max_rhs || size >= z->n) return LODE_OK;
    for (uint32_t i = next; i < z->n; i++) {
        uint64_t bit = (uint64_t)1 << i;
        bool enough;
        if (!(z->consequents & bit) || in_rhs & bit) continue;
        LODE_TRY(stored_try(z, in_rhs | bit, &enough));
        if (enough) LODE_TRY(stored_grow(z, in_rhs | bit, i + 1));
    }
done:
    return status;
}

/* Items that cannot be in an antecedent are in the consequent. */
static lode_status stored_divide_all(stored_set *z) {
    uint64_t all = z->n < 64 ? ((uint64_t)1 << z->n) - 1 : UINT64_MAX,
             forced = all & ~z->antecedents;
    bool enough = true;
    if (forced == all || forced & ~z->consequents) return LODE_OK;
    if ((uint32_t)__builtin_popcountll(forced) > z->j->s->wants->max_rhs) return LODE_OK;
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
    LODE_REQUIRE(j->of.job, z.n <= GENERAL_MOST,
                 "an itemset in memory has more items than possible");
    memcpy(z.items, c->items.data + first, n * sizeof *z.items);
    if (j->of.has_pivot) {
        z.items[n] = j->of.pivot;
        sort_u32(z.items, z.n);
    }
    if (z.n < 2 || z.n < w->min_size || z.n > w->max_size || n <= j->done) return LODE_OK;
    if (wants_masks(&w->include, z.items, z.n) != w->include.all) return LODE_OK;
    for (uint32_t i = 0; i < z.n; i++) {
        z.consequents |= (uint64_t)wants_role(w, z.items[i], ENGINE_ROLE_RHS) << i;
        z.antecedents |= (uint64_t)wants_role(w, z.items[i], ENGINE_ROLE_LHS) << i;
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
    recount_sets all = columns_recount(&again);
    if (plain->n > 0) status = recount(job, s->whole, NULL, s->whole->item_bound, &all);
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
    j.of.one_counts = s->rhs_counts;
    j.of.has_pivot = s->has_pivot;
    j.of.pivot = s->pivot;
    j.of.plain = plain.data;
    j.of.pivot_count = task->items.data->total_weight;
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
    sink_limit(sets, 1, task->items.options->max_size);
    task->sink = sets;
    progress_begin_pass(&job->at, STORED_SHARE);
    lode_status status = engine->run(task);
    task->sink = target;
    if (status != LODE_OK) return status;
    uint64_t lost = sink_memory_lost(sets);
    uint64_t need = atomic_load_explicit(&job->need, memory_order_relaxed);
    job->unsure = true; /* the rest takes memory, too */
    if (lost > 0)
        return job_over_budget(job, need + 2 * lost, "finding rules from stored itemsets");
    return lode_sink_finish(sets, false); /* by size */
}

/* Mines the sets of at most `most` items, and makes the rules of those with more than `done_before`
 * items. Sets *longest to the size of the largest set. */
static lode_status stored_pass(const stored *s, const engine_task *task, const lode_engine *engine,
                               uint32_t done_before, uint32_t most, uint32_t *longest) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    lode_sink *sets = NULL;
    lode_mine_options options = *task->items.options;
    engine_task inner = *task;
    uint64_t rules = atomic_load_explicit(&job->at.patterns, memory_order_relaxed);
    options.max_size = most;
    inner.items.options = &options;
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

/* If a limit ends the search, the first rules should come from small sets. Rules need all subsets
 * of a set, so sets are mined by size, again and again with larger ones, until there are enough
 * rules. */
lode_status stored_run(stored *s, engine_task *task, const lode_engine *engine) {
    lode_status status = LODE_OK;
    uint32_t all = task->items.options->max_size, done_before = 0, most = all, longest;
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
