/* constrain.c - see constrain.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/constrain.h"

#include "base/os.h"
#include "data/transactions/project.h"
#include "pipeline/spill/spill.h"
#include "runtime/valid.h"
#include "write/itemsets/item_memory.h"

/* Why an item is not in the data that are searched. */
enum { CONSTRAIN_EXCLUDED = 1, CONSTRAIN_FIXED = 2 };

bool constrain_wanted(const lode_mine_options *o) {
    return o->include || o->exclude || o->groups || o->max_support.numerator > 0 || o->minima ||
           o->maxima || valid_classes(o->classes).classes;
}

/* ---- what was asked for ---------------------------------------------------------------------- */

/* Reads the classes. A sink in memory takes them over, to compare its patterns when it is
 * finished. */
static lode_status constrain_classes(engine_task *task, item_constraints *c) {
    lode_status status = LODE_OK;
    bool taken = false;
    c->classes = valid_classes(c->asked->classes);
    if (!c->classes.classes) return LODE_OK;
    LODE_TRY(contrast_open(&c->contrast, task->job, c->whole, &c->classes));
    c->owns_contrast = true;
    if (task->sink) LODE_TRY(sink_memory_take_contrast(task->sink, c->whole, c->contrast, &taken));
    c->owns_contrast = !taken;
    const uint8_t *items = c->contrast->classes.items;
    for (uint32_t id = 0; items && id < c->whole->item_bound; id++) {
        if (items[id]) c->drop[id] = CONSTRAIN_EXCLUDED;
    }
done:
    return status;
}

static lode_status constrain_parse(engine_task *task, item_constraints *c) {
    lode_job *job = task->job;
    lode_status status = LODE_OK;
    const lode_mine_options *o = c->asked;
    LODE_TRY(select_parse(job, c->whole, o->exclude, "--exclude", false, &c->exclude));
    LODE_TRY(select_parse(job, c->whole, o->include, "--include", false, &c->include));
    LODE_TRY(select_parse(job, c->whole, o->groups, "--group", true, &c->counted));
    size_t n = (size_t)c->include.n + c->counted.n;
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&c->drop, c->whole->item_bound + 1u));
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&c->fixed,
                           c->whole->item_bound * sizeof *c->fixed));
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&c->filter.groups.groups,
                           n * sizeof *c->filter.groups.groups));
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&c->needed.groups,
                           n * sizeof *c->needed.groups));
    select_mark(&c->exclude, c->drop, CONSTRAIN_EXCLUDED);
    LODE_TRY(constrain_classes(task, c));
    c->bounds.data = c->whole;
    c->bounds.contrast = c->contrast;
    LODE_TRY(item_bounds_read(&c->bounds, job, &c->kept, o->minima, o->maxima));
    if (c->bounds.n > 0) c->filter.bounds = &c->bounds;
done:
    return status;
}

/* The largest count that a support allows, rounded down where a minimum is rounded up. */
static uint64_t constrain_most(lode_threshold t, uint64_t total) {
    if (t.denominator == 0) return t.numerator;
    return (uint64_t)((unsigned __int128)t.numerator * total / t.denominator);
}

static lode_status constrain_support(const engine_task *task, item_constraints *c) {
    lode_threshold most = c->asked->max_support, least = task->request.min_support;
    uint64_t total = c->whole->total_weight, min_count = lode_threshold_count(least, total);
    if (least.numerator == 0) min_count = 1;
    c->min_count = min_count;
    c->filter.max_support = UINT64_MAX;
    if (most.numerator == 0) return LODE_OK;
    c->filter.max_support = constrain_most(most, total);
    if (c->filter.max_support >= min_count || total == 0) return LODE_OK;
    return job_fail(task->job, LODE_INVALID,
                    "no pattern can have a support of at least %llu and at most %llu: the maximum "
                    "(--rare) is below the minimum (--min-support)",
                    (unsigned long long)min_count, (unsigned long long)c->filter.max_support);
}

/* Leaves the items of a group that a pattern can have. */
static void constrain_thin(item_constraints *c, select_group *g) {
    uint32_t n = 0;
    if (g->n <= g->least) return; /* all of it is needed */
    for (uint32_t i = 0; i < g->n; i++) {
        g->ids[n] = g->ids[i];
        n += c->whole->item_supports[g->ids[i]] >= c->min_count;
    }
    g->n = n;
    c->hopeless = c->hopeless || n < g->least;
}

/* Takes excluded items out of a group, and then rare ones. */
static lode_status constrain_clean(lode_job *job, item_constraints *c, const char *what,
                                   select_group *g) {
    uint32_t n = 0, before = g->n;
    for (uint32_t i = 0; i < g->n; i++) {
        g->ids[n] = g->ids[i];
        n += c->drop[g->ids[i]] == 0;
    }
    if (n >= g->least) {
        g->n = n;
        constrain_thin(c, g);
        return LODE_OK;
    }
    int shown = g->bytes < 200 ? (int)g->bytes : 200;
    if (n < before && n == 0) {
        return job_fail(job, LODE_INVALID, "%s and --exclude: every item of '%.*s' is excluded",
                        what, shown, g->text);
    }
    return job_fail(job, LODE_INVALID, "%s: '%.*s' requires %u items, but there are only %u", what,
                    shown, g->text, g->least, n);
}

/* ---- what follows from a group --------------------------------------------------------------- */

static void constrain_add(select_groups *to, const select_group *g) {
    to->groups[to->n++] = *g;
}

/* Decides what a group does: items that are fixed, transactions that are searched. */
static void constrain_narrow(item_constraints *c, const select_group *g) {
    if (g->least == 0 || c->asked->target == LODE_TARGET_GENERATORS) return;
    if (g->least == g->n) {
        /* Adds the items of a group to those that all patterns have. */
        for (uint32_t i = 0; i < g->n; i++) {
            if (c->drop[g->ids[i]]) continue; /* it is fixed already */
            c->drop[g->ids[i]] = CONSTRAIN_FIXED;
            c->fixed[c->filter.n_fixed++] = g->ids[i];
        }
    } else {
        constrain_add(&c->needed, g);
    }
}

static uint32_t constrain_count_fixed(const item_constraints *c, const select_group *g) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++) n += c->drop[g->ids[i]] == CONSTRAIN_FIXED;
    return n;
}

/* Whether leaving items out of the data changes nothing for sets that do not have them. */
static bool constrain_may_drop(lode_target target) {
    return target != LODE_TARGET_CLOSED && target != LODE_TARGET_MAXIMAL;
}

/* Decides what is left to filter, once all fixed items are known. */
static void constrain_filter_group(item_constraints *c, const select_group *g) {
    uint32_t n = constrain_count_fixed(c, g);
    if (g->n == 0 || (n >= g->least && g->most >= g->n)) return;
    if (n == 0 && g->most == 0 && constrain_may_drop(c->asked->target)) {
        for (uint32_t i = 0; i < g->n; i++) c->drop[g->ids[i]] = CONSTRAIN_EXCLUDED;
        return;
    }
    constrain_add(&c->filter.groups, g);
}

static lode_status constrain_groups(lode_job *job, item_constraints *c) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < c->include.n; i++) {
        LODE_TRY(constrain_clean(job, c, "--include", &c->include.groups[i]));
    }
    for (uint32_t i = 0; i < c->counted.n; i++) {
        LODE_TRY(constrain_clean(job, c, "--group", &c->counted.groups[i]));
    }
    if (c->hopeless) goto done;
    for (uint32_t i = 0; i < c->include.n; i++) constrain_narrow(c, &c->include.groups[i]);
    for (uint32_t i = 0; i < c->counted.n; i++) constrain_narrow(c, &c->counted.groups[i]);
    for (uint32_t i = 0; i < c->include.n; i++) constrain_filter_group(c, &c->include.groups[i]);
    for (uint32_t i = 0; i < c->counted.n; i++) constrain_filter_group(c, &c->counted.groups[i]);
done:
    return status;
}

static lode_status constrain_make_filter(lode_job *job, item_constraints *c) {
    lode_status status = LODE_OK;
    item_filter *f = &c->filter;
    f->job = job;
    f->fixed = c->fixed;
    LODE_TRY(select_index_make(&job->mem, &f->groups, c->whole->item_bound, &f->of));
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&f->fixed_counts,
                           f->groups.n * sizeof *f->fixed_counts));
    for (uint32_t k = 0; k < f->n_fixed && f->of.starts; k++) {
        select_count(&f->of, c->fixed[k], f->fixed_counts, 1);
    }
done:
    return status;
}

/* ---- what is searched ------------------------------------------------------------------------ */

/* Every fixed item is a group of its own. */
static lode_status constrain_select(lode_job *job, item_constraints *c, select_groups *out) {
    lode_status status = LODE_OK;
    size_t n = (size_t)c->needed.n + c->filter.n_fixed;
    *out = (select_groups){.mem = &job->mem};
    LODE_TRY(mem_keep_zero(&job->mem, &c->kept, (void **)&out->groups, n * sizeof *out->groups));
    for (uint32_t i = 0; i < c->needed.n; i++) constrain_add(out, &c->needed.groups[i]);
    for (uint32_t i = 0; i < c->filter.n_fixed; i++) {
        constrain_add(out, &(select_group){.ids = &c->fixed[i], .n = 1, .least = 1});
    }
done:
    return status;
}

/* The most bytes that the part can take. */
static size_t constrain_bytes(const lode_dataset *data) {
    uint64_t rows = data->profile.n_transactions * (data->weights ? 2u : 1u);
    return (size_t)((rows + data->profile.n_occurrences) * sizeof(uint32_t) +
                    data->item_bound * sizeof(uint64_t));
}

/* Takes the part of the data that is searched. Waits for memory that other jobs have. */
static lode_status constrain_project(lode_job *job, item_constraints *c) {
    lode_status status = LODE_OK;
    select_groups groups;
    bool drops = false, waited;
    if (c->hopeless) return LODE_OK;
    for (uint32_t id = 0; id < c->whole->item_bound; id++) drops = drops || c->drop[id] > 0;
    LODE_TRY(constrain_select(job, c, &groups));
    if (groups.n == 0 && !drops) goto done;
    size_t bytes = constrain_bytes(c->whole);
    if (mem_left(&job->mem) != SIZE_MAX) {
        job_note_need(job, mem_used(mem_tightest(&job->mem)) + bytes);
    }
    LODE_TRY(lease_reserve(job, bytes, &waited));
    status = dataset_project(job, c->whole, &groups, c->drop, &c->part);
    while (status == LODE_BUDGET) {
        LODE_TRY(lease_again(job));
        status = dataset_project(job, c->whole, &groups, c->drop, &c->part);
    }
done:
    return status;
}

/* The sizes that the engine is asked for. */
static void constrain_sizes(item_constraints *c) {
    uint32_t n = c->filter.n_fixed;
    c->searched = *c->asked;
    c->nothing_more = c->hopeless || c->asked->max_size <= n;
    if (c->asked->max_size != UINT32_MAX && !c->nothing_more) c->searched.max_size -= n;
    c->searched.min_size = c->asked->min_size > n ? c->asked->min_size - n : 1;
}

static void constrain_report(const engine_task *task, const item_constraints *c) {
    engine_report *r = task->report;
    const lode_dataset *data = c->part ? c->part : c->whole;
    r->constrained = true;
    r->max_count = c->filter.max_support == UINT64_MAX ? 0 : c->filter.max_support;
    r->searched_transactions = c->hopeless ? 0 : data->profile.n_transactions;
    r->searched_items = c->hopeless ? 0 : data->profile.n_items;
    r->fixed_items = c->filter.n_fixed;
    r->filtered = !filter_only_adds(&c->filter);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void constrain_free(lode_job *job, item_constraints *c) {
    lode_dataset_free(c->part);
    if (c->owns_contrast) contrast_close(c->contrast);
    select_clear(&c->include);
    select_clear(&c->exclude);
    select_clear(&c->counted);
    select_index_clear(&job->mem, &c->filter.of);
    mem_drop(&job->mem, &c->kept);
    mem_free(&job->mem, c, sizeof *c);
}

lode_status constrain_begin(engine_task *task) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    item_constraints *c = NULL;
    double start = os_seconds();
    if (!task->items.data->spool) LODE_TRY(dataset_in_memory(job, task->items.data));
    if (!constrain_wanted(task->items.options)) return LODE_OK;
    if (task->items.data->spool) {
        return spill_refuse(task, "patterns with constraints on items or measures, or with --rare");
    }
    LODE_TRY(mem_zalloc(&job->mem, (void **)&c, sizeof *c));
    c->whole = task->items.data;
    c->asked = task->items.options;
    LODE_TRY(constrain_parse(task, c));
    LODE_TRY(constrain_support(task, c));
    LODE_TRY(constrain_groups(job, c));
    LODE_TRY(constrain_make_filter(job, c));
    LODE_TRY(constrain_project(job, c));
    constrain_sizes(c);
    constrain_report(task, c);
    task->items.constraints = c;
    task->items.options = &c->searched;
    if (c->part) task->items.data = c->part;
    c->seconds = os_seconds() - start;
    c = NULL;
done:
    if (c) constrain_free(job, c);
    return status;
}

void constrain_end(engine_task *task) {
    item_constraints *c = task->items.constraints;
    if (!c) return;
    task->report->times.preprocess += c->seconds;
    task->items.data = c->whole;
    task->items.options = c->asked;
    task->items.constraints = NULL;
    constrain_free(task->job, c);
}

const item_filter *constrain_filter(const engine_task *task) {
    const item_constraints *c = task->items.constraints;
    if (!c) return NULL;
    return c->filter.n_fixed > 0 || !filter_only_adds(&c->filter) ? &c->filter : NULL;
}

/* ---- the set of the fixed items ---------------------------------------------------------- */

/* Whether no item of the data has at least this support. */
static bool constrain_none_reaches(const lode_dataset *data, uint64_t support) {
    for (uint32_t id = 0; id < data->item_bound; id++) {
        if (data->item_supports[id] >= support) return false;
    }
    return true;
}

/* Where a search is divided, that set belongs to the branch of the empty prefix itself. */
static bool constrain_has_first(const engine_branches *branches) {
    for (size_t i = 0; i < branches->n; i++) {
        if (branches->list[i].n_prefix == 0 && branches->list[i].own) return true;
    }
    return false;
}

/* Whether the set of the fixed items is a pattern that the target asks for. */
static bool constrain_wants_fixed(const engine_task *task) {
    const lode_dataset *data = task->items.data;
    if (task->items.constraints->filter.n_fixed == 0 || task->request.root_first > 0) return false;
    if (task->parts.branches && !constrain_has_first(task->parts.branches)) return false;
    if (data->total_weight < job_threshold(task->job)) return false;
    switch (task->request.target) {
    case LODE_TARGET_CLOSED: return constrain_none_reaches(data, data->total_weight);
    case LODE_TARGET_MAXIMAL: return constrain_none_reaches(data, task->min_count);
    default: return true;
    }
}

bool constrain_leaves_nothing(const engine_task *task) {
    return task->items.constraints && task->items.constraints->nothing_more;
}

lode_status constrain_add_fixed(engine_task *task) {
    if (!task->items.constraints || !constrain_wants_fixed(task)) return LODE_OK;
    return sink_add_fixed(task->sink, task->items.data->total_weight);
}
