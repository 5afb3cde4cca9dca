/* mine_rules.c - lode_rules_mine(): the mine_kind for rules (pipeline/run.h)
 *
 * Engines find itemsets, or antecedents with consequents of one item. The request and the engine
 * decide which of two ways is taken:
 *
 *     stream   consequents of one item, and no comparison of rules whose antecedents have several
 *              items: rules are made as the engine finds them
 *     stored   all other rules: from all frequent itemsets, in memory
 *
 * Features that need all rules (their order, adjusted p-values, held-out data) collect the rules in
 * a list first (rule_list.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/mine_rules.h"

#include <stdio.h>

#include "base/figures.h"
#include "data/transactions/project.h"
#include "rules/stored.h"
#include "rules/stream.h"
#include "rules/verdict.h"

#define RULES_SEARCH 0.8 /* of the time, where a list follows; about */

/* A call; the runner has the task. */
typedef struct rulejob {
    engine_task task;
    lode_rule_options options;
    lode_mine_options mine;    /* what the engine is asked for */
    const lode_dataset *given; /* the data of the caller */
    const lode_dataset *whole; /* those that are searched: without the held-out part */
    lode_dataset *part;        /* the part of these to search for antecedents; NULL: all */
    bool has_pivot;            /* every rule has an item, which was taken out of the part */
    uint32_t pivot;
    bool wanted; /* the wishes were read */
    wants wants;
    holdout held;
} rulejob;

static rulejob *rulejob_of(const engine_task *task) {
    return (rulejob *)(uintptr_t)task; /* it begins with the task */
}

/* ---- what was asked for --------------------------------------------------------------------- */

static engine_request rulejob_request(const lode_rule_options *o) {
    return (engine_request){
        .kind = LODE_ITEMSETS, /* for the engines */
        .algorithm = o->algorithm,
        .min_support = o->min_support,
        .target = LODE_TARGET_ALL,
        .min_size = o->min_size,
        .max_size = o->max_size,
        .limit_seconds = o->limit_seconds,
        .limit_patterns = o->limit_patterns,
        .verify = o->verify,
    };
}

static uint32_t rulejob_sum(uint32_t a, uint32_t b) {
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static lode_status rulejob_take_options(engine_task *task, void *options) {
    lode_status status = LODE_OK;
    rulejob *c = rulejob_of(task);
    const lode_rule_options *o = options;
    task->request = rulejob_request(o);
    task->total = c->whole->total_weight;
    unsigned shown = rule_sink_needs(task->sink);
    LODE_TRY(wants_read(task->job, c->given, o, &c->wants));
    c->wanted = true;
    if (shown >> LODE_NEEDS_GENERAL & 1) c->wants.needs_general = true;
    if (shown >> LODE_NEEDS_ADJUSTED & 1 && !c->wants.knows_p) c->wants.needs_p = true;
    if (c->wants.needs_p && o->adjust == LODE_ADJUST_NONE && !(o->significant > 0)) {
        status = job_fail(task->job, LODE_INVALID,
                          "adjustedP requires a method: choose one with --adjust, or use fisher "
                          "for the unadjusted p-value");
        goto done;
    }
    if (shown >> LODE_NEEDS_HELD_OUT & 1) c->wants.needs_held_out = true;
    if (c->wants.needs_held_out && !c->held.given) {
        status = job_fail(task->job, LODE_INVALID,
                          "measures of held-out transactions require --holdout");
        goto done;
    }
    uint32_t most = rulejob_sum(c->wants.max_lhs, c->wants.max_rhs);
    c->mine = (lode_mine_options){.size = sizeof c->mine,
                                  .min_support = o->min_support,
                                  .algorithm = o->algorithm,
                                  .min_size = 1,
                                  .max_size = most < c->wants.max_size ? most : c->wants.max_size};
done:
    return job_explain(task->job, status, "reading the options");
}

/* ---- which data ----------------------------------------------------------------------------- */

/* Whether rules can be delivered as an engine finds them. An antecedent of one item has only one
 * more general rule, that without an antecedent, whose counts are known. */
static bool rulejob_may_stream(const rulejob *c) {
    return c->wants.max_rhs == 1 && (!c->wants.needs_general || c->wants.max_lhs == 1);
}

/* Whether transactions without any antecedent may be left out. They may not if more general rules
 * are needed, because those count there, too. */
static bool rulejob_may_narrow(const rulejob *c) {
    return rulejob_may_stream(c) && !c->wants.needs_general;
}

/* The groups of an option that have one item only, as the bits of these groups. */
static uint64_t rulejob_single(const wants_includes *m, uint32_t item_bound) {
    uint64_t seen = 0, several = 0;
    for (uint32_t id = 0; id < item_bound && m->masks; id++) {
        several |= seen & m->masks[id];
        seen |= m->masks[id];
    }
    return seen & ~several;
}

/* The groups of one item that all antecedents must have. */
static uint32_t rulejob_fixed(const rulejob *c, uint32_t *ids) {
    const wants_includes *m = &c->wants.include_lhs;
    uint64_t single = rulejob_single(m, c->whole->item_bound);
    uint32_t n = 0;
    for (uint32_t id = 0; id < c->whole->item_bound && single && n < WANTS_GROUPS; id++) {
        if (m->masks[id] & single) ids[n++] = id;
    }
    return n;
}

/* Takes the rarest item that an option says every rule must have, if it is rarer than the last. */
static void rulejob_take_pivot(rulejob *c, const wants_includes *m) {
    uint64_t single = rulejob_single(m, c->whole->item_bound);
    const uint64_t *supports = c->whole->item_supports;
    for (uint32_t id = 0; id < c->whole->item_bound && single; id++) {
        if (!(m->masks[id] & single) || c->wants.roles[id] == 0) continue;
        if (c->has_pivot && supports[id] >= supports[c->pivot]) continue;
        c->has_pivot = true;
        c->pivot = id;
    }
}

/* Chooses the pivot, an item that all rules contain. If the rules can be streamed, items that all
 * antecedents contain are not pivots: they narrow the search in another way. */
static void rulejob_choose_pivot(rulejob *c) {
    rulejob_take_pivot(c, &c->wants.include);
    if (rulejob_may_narrow(c)) return;
    rulejob_take_pivot(c, &c->wants.include_lhs);
    rulejob_take_pivot(c, &c->wants.include_rhs);
}

/* Keeps only the transactions with the items that all rules, or all antecedents, contain; removes
 * the pivot and items that are in no rule. */
static lode_status rulejob_take_part(rulejob *c) {
    lode_status status = LODE_OK;
    lode_job *job = c->task.job;
    size_t bound = c->whole->item_bound, bytes = bound + 1;
    uint32_t ids[WANTS_GROUPS];
    select_group groups[WANTS_GROUPS];
    select_groups all = {.groups = groups};
    uint8_t *drop = NULL;
    bool drops = false;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&drop, bytes));
    for (size_t id = 0; id < bound; id++) {
        drop[id] = c->wants.roles[id] == 0;
        drops = drops || (drop[id] && c->whole->item_supports[id] > 0);
    }
    if (c->has_pivot) {
        ids[all.n++] = c->pivot;
        drop[c->pivot] = 1;
    } else if (rulejob_may_narrow(c)) {
        all.n = rulejob_fixed(c, ids);
    }
    for (uint32_t i = 0; i < all.n; i++) {
        groups[i] = (select_group){.ids = &ids[i], .n = 1, .least = 1, .most = UINT32_MAX};
    }
    if (drops || all.n > 0) status = dataset_project(job, c->whole, &all, drop, &c->part);
    if (c->has_pivot && c->mine.max_size != UINT32_MAX) c->mine.max_size--; /* sets have it */
done:
    mem_free(&job->mem, drop, drop ? bytes : 0);
    return status;
}

static void rulejob_report_part(const rulejob *c) {
    engine_report *report = c->task.report;
    const lode_dataset *data = c->task.items.data;
    report->constrained = c->part != NULL;
    report->searched_transactions = data->profile.n_transactions;
    report->searched_items = data->profile.n_items;
    report->fixed_items = c->has_pivot;
    report->rules_held_out = c->held.given ? c->held.held->profile.n_transactions : 0;
    report->rules_searched = c->held.searched ? c->whole->total_weight : 0;
}

static lode_status rulejob_narrow(engine_task *task) {
    lode_status status = LODE_OK;
    rulejob *c = rulejob_of(task);
    LODE_TRY(holdout_divide(task->job, c->given, &c->held));
    c->whole = c->held.searched ? c->held.searched : c->given;
    task->total = c->whole->total_weight;
    rulejob_choose_pivot(c);
    LODE_TRY(rulejob_take_part(c));
    task->items.data = c->part ? c->part : c->whole;
    rulejob_report_part(c);
done:
    return status;
}

/* ---- where and how -------------------------------------------------------------------------- */

static bool rulejob_streams(const rulejob *c, const lode_engine *engine) {
    return rulejob_may_stream(c) && !c->has_pivot && engine->rules;
}

/* Only engines of the CPU stream: sets would have to be stored elsewhere. */
static const char *rulejob_choose_device(const engine_task *task, const lode_engine *asked,
                                         char *why, size_t why_bytes) {
    const lode_engine *engine;
    for (size_t i = 0; !asked && (engine = engine_at(LODE_ITEMSETS, i)); i++) {
        if (!rulejob_streams(rulejob_of(task), engine) || engine->uses & ENGINE_DEVICES) continue;
        snprintf(why, why_bytes, "only on the CPU can rules be found without storing itemsets");
        return backend_at(0)->name;
    }
    return engine_choose_device(task, asked, why, why_bytes);
}

static lode_status rulejob_check_plan(engine_task *task, const lode_engine *asked) {
    (void)asked;
    if (!engine_plan_is_cpu(task->plan)) lease_keep(task->job, task->plan->n);
    return LODE_OK;
}

static lode_status rulejob_check_engine(engine_task *task, const lode_engine *engine,
                                        uint64_t *need) {
    if (task->items.data->weights && !engine->weights) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s does not accept weighted transactions",
                        engine->name);
    }
    engine_sizes sizes = engine_task_sizes(task);
    sizes.rules = rulejob_streams(rulejob_of(task), engine);
    *need = engine_need(engine, &sizes) + mine_verify_need(task);
    return LODE_OK;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Whether rules are wanted or left out only after all of them are found. */
static bool rulejob_judges_late(const rulejob *c) {
    const wants *w = &c->wants;
    return w->needs_p || w->needs_held_out || w->top > 0;
}

/* Where rules are only counted, neither their order nor the part held out matters. */
static bool rulejob_need_list(const rulejob *c) {
    bool late = c->wants.sorted || c->held.given;
    return rulejob_judges_late(c) || (late && rule_sink_keeps_rules(c->task.sink));
}

/* Whether rules that are not among the best can be recognised at once. */
static bool rulejob_may_cut(const rulejob *c) {
    const wants *w = &c->wants;
    bool known = w->order_needs == LODE_NEEDS_COUNTS || w->order_needs == LODE_NEEDS_GENERAL ||
                 (w->order_needs == LODE_NEEDS_ADJUSTED && w->knows_p);
    return w->sorted && w->top > 0 && known && !w->needs_p && !w->needs_held_out && !c->held.given;
}

static lode_status rulejob_stream(rulejob *c, const lode_engine *engine, rule_out *out) {
    engine_task *task = &c->task;
    stream s = {.out = out,
                .wants = &c->wants,
                .item_bound = c->whole->item_bound,
                .rhs_counts = c->whole->item_supports,
                .total = c->whole->total_weight,
                .min_count = task->min_count};
    engine_rules rules = stream_rules(&s);
    task->items.rules = &rules;
    lode_status status = engine->run(task);
    task->items.rules = NULL;
    return status;
}

/* Lists the options that judge rules by their measures. */
static void rulejob_report_bounds(const rulejob *c) {
    const lode_rule_options *o = &c->options;
    engine_report *report = c->task.report;
    const char *const names[] = {o->minima ? "--min" : NULL, o->maxima ? "--max" : NULL,
                                 o->productive ? "--productive" : NULL,
                                 o->significant > 0 ? "--significant" : NULL};
    char *list = report->rules_bounds;
    size_t left = 0;
    list[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) left += names[i] != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!names[i]) continue;
        const char *joint = !list[0] ? "" : left == 1 ? " and " : ", ";
        append_text(list, sizeof report->rules_bounds, "%s%s", joint, names[i]);
        left--;
    }
    report->rules_any_confidence = c->wants.confidence.numerator == 0;
}

static lode_status rulejob_find(rulejob *c, const lode_engine *engine, rule_out *out) {
    stored s = {.out = out,
                .wants = &c->wants,
                .rhs_counts = c->whole->item_supports,
                .total = c->whole->total_weight,
                .whole = c->whole,
                .has_pivot = c->has_pivot,
                .pivot = c->pivot};
    bool streams = rulejob_streams(c, engine);
    if (c->wants.max_lhs == 0) return job_check(c->task.job); /* sizes allow no rule */
    lode_status status =
        streams ? rulejob_stream(c, engine, out) : stored_run(&s, &c->task, engine);
    engine_report *report = c->task.report;
    rulejob_report_bounds(c);
    report->rules_stored = !streams;
    report->rules_filtered = atomic_load(&out->filtered);
    report->rules_pruned = atomic_load(&out->pruned);
    return status;
}

/* After a cancel: sends as many rules as possible within a moment, in no order. The best K so far
 * are selected first; if there is no time for that, none are sent. */
static lode_status rulejob_hurry(const rulejob *c, rule_list *list) {
    sort_stop stop = sink_rush(c->task.sink, true);
    lode_status status = LODE_OK;
    if (c->wants.top > 0) status = rule_list_sort(list, &stop);
    if (status == LODE_OK || status == LODE_CANCELLED) {
        status = rule_list_replay(list, c->task.sink, &stop);
    }
    return status == LODE_OK ? LODE_CANCELLED : status;
}

/* Sends the list to the sink. Where p-values are wanted, a search that was ended has none. */
static lode_status rulejob_judge(rulejob *c, const lode_engine *engine, rule_list *list,
                                 lode_status found) {
    engine_task *task = &c->task;
    verdict v = {
        .wants = &c->wants,
        .held = &c->held,
        .data = c->whole,
        .family = {&c->wants, c->whole->item_supports, c->has_pivot ? c->whole : task->items.data}};
    bool all_or_none = c->wants.needs_p || c->held.given;
    if (!mine_is_usable(found)) return found;
    if (job_is_raised(task->job)) return LODE_STOPPED;
    if (found != LODE_OK && all_or_none) return found;
    progress_begin_pass(&task->job->at, 1);
    lode_status status = found;
    if (found != LODE_CANCELLED) status = verdict_give(&v, task, engine, list);
    if (status == LODE_CANCELLED && !all_or_none) return rulejob_hurry(c, list);
    if (status != LODE_OK) return status;
    sort_stop stop = sink_rush(task->sink, false);
    status = rule_list_replay(list, task->sink, &stop);
    return status != LODE_OK ? status : found;
}

static lode_status rulejob_search(engine_task *task, const lode_engine *engine) {
    rulejob *c = rulejob_of(task);
    rule_list list;
    bool needs = c->wants.order_needs != LODE_NEEDS_COUNTS;
    rule_out out = {.job = task->job,
                    .wants = &c->wants,
                    .sink = task->sink,
                    .fills = needs || rule_sink_keeps_rules(task->sink)};
    if (!rulejob_need_list(c)) return rulejob_find(c, engine, &out);
    rule_list_init(&list, task->job, &c->wants, c->whole->total_weight);
    list.cuts = rulejob_may_cut(c);
    if (!rulejob_judges_late(c) && !c->held.given) list.room = task->sink->room;
    out.list = &list;
    progress_begin_pass(&task->job->at, RULES_SEARCH);
    task->job->unsure = true; /* how long the list becomes is not known */
    lode_status status = rulejob_judge(c, engine, &list, rulejob_find(c, engine, &out));
    rule_list_clear(&list);
    return status;
}

/* ---- around the search ---------------------------------------------------------------------- */

static void rulejob_begin(const engine_task *task) {
    const rulejob *c = rulejob_of(task);
    sink_set_data(task->sink, c->whole);
    mine_begin_verify(task, c->whole);
    if (c->wants.sorted) rule_sink_keep_order(task->sink);
}

/* Notes why there are no rules, if the options alone exclude all of them, and that a held-out file
 * was perhaps read in the wrong format. */
static void rulejob_say_notes(const rulejob *c) {
    engine_report *report = c->task.report;
    const holdout *h = &c->held;
    if (h->path && h->n_known < h->n_items / 2) {
        snprintf(report->note, sizeof report->note,
                 "only %u of the %u items in the held-out file are in the searched data",
                 h->n_known, h->n_items);
    }
    const char *why = wants_contradiction(&c->wants, c->whole->item_bound);
    report->rules_impossible = why != NULL;
    if (why) snprintf(report->note, sizeof report->note, "%s", why);
}

static void rulejob_end(const engine_task *task, lode_status status) {
    const lode_rule_options *o = &rulejob_of(task)->options;
    rulejob_say_notes(rulejob_of(task));
    mine_note_origin(task, status, true, o->min_size, o->max_size);
    mine_end_verify(task);
    sink_set_data(task->sink, NULL);
}

const mine_kind mine_rules = {
    .kind = LODE_RULES,
    .options = VALID_RULE,
    .roots = "root classes",
    .no_engine = "weighted transactions cannot be mined on a GPU",
    .read = rulejob_take_options,
    .narrow = rulejob_narrow,
    .choose_device = rulejob_choose_device,
    .check_plan = rulejob_check_plan,
    .check_engine = rulejob_check_engine,
    .begin = rulejob_begin,
    .end = rulejob_end,
    .search = rulejob_search,
};

/* ---- the interface -------------------------------------------------------------------------- */

/* A file that is held out is read before: its reading belongs to the report as that of the data. */
static lode_status rulejob_open_holdout(lode_job *job, rulejob *c,
                                        const lode_rule_options *options) {
    lode_rule_options o;
    lode_status status = valid_take(job, VALID_RULE, options, &o);
    if (status != LODE_OK) return LODE_OK; /* the runner reports the error */
    return holdout_open(job, c->given, o.holdout, o.holdout_seed, &c->held);
}

lode_status mine_rules_by(const mine_kind *kind, engine_task *task,
                          const lode_rule_options *options) {
    lode_job *job = task->job;
    rulejob c = {.task = *task, .given = task->items.data, .whole = task->items.data};
    c.task.items.options = &c.mine;
    lode_status status = rulejob_open_holdout(job, &c, options);
    mine_call call = {kind, options, &c.options, sizeof c.options};
    if (status == LODE_OK) status = mine_run(&c.task, &call);
    lode_dataset_free(c.part);
    holdout_clear(job, &c.held);
    if (c.wanted) wants_clear(&c.wants);
    return status;
}

lode_status lode_rules_mine(lode_job *job, const lode_dataset *data,
                            const lode_rule_options *options, lode_sink *sink) {
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    lode_status status = dataset_in_memory(job, data);
    if (status != LODE_OK) return status;
    engine_task task = {.job = job, .items.data = data, .sink = sink};
    return mine_rules_by(&mine_rules, &task, options);
}
