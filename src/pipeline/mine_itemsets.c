/* mine_itemsets.c - lode_mine(): the mine_kind for itemsets (run.h)
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "pipeline/constrain.h"
#include "pipeline/partitions/partitions.h"
#include "pipeline/run.h"
#include "write/itemsets/item_memory.h"

/* ---- what was asked for --------------------------------------------------------------------- */

static engine_request itemsets_request(const lode_mine_options *o) {
    return (engine_request){
        .kind = LODE_ITEMSETS,
        .algorithm = o->algorithm,
        .min_support = o->min_support,
        .target = o->target,
        .top_k = o->top_k,
        .min_size = o->min_size,
        .max_size = o->max_size,
        .limit_seconds = o->limit_seconds,
        .limit_patterns = o->limit_patterns,
        .verify = o->verify,
        .root_first = o->root_first,
        .root_end = o->root_end,
        .share = o->share,
        .n_shares = o->n_shares,
    };
}

/* Algorithms number transactions, and most count supports, in 32 bits. */
static lode_status itemsets_check_number(const engine_task *task) {
    const lode_mine_options *o = task->items.options;
    const lode_dataset *data = task->items.data;
    uint64_t n = o->reduce     ? o->n_transactions_total
                 : data->spool ? data->total_weight
                               : data->profile.n_transactions;
    char text[FIGURE_BYTES];
    if (n <= UINT32_MAX) return LODE_OK;
    return job_fail(task->job, LODE_UNSUPPORTED,
                    "%s transactions; expected at most 4,294,967,295, because transactions are "
                    "numbered in 32 bits",
                    figure_count(n, text));
}

static lode_status itemsets_take_options(engine_task *task, void *options) {
    lode_mine_options *o = options;
    uint64_t weight = task->items.data->total_weight;
    task->request = itemsets_request(o);
    task->total = o->reduce ? o->n_transactions_total : weight;
    if (o->max_size == 0) o->max_size = UINT32_MAX;
    if (o->min_size == 0) o->min_size = 1;
    if (o->max_size < o->min_size) {
        return job_fail(task->job, LODE_INVALID, "the maximum size %u is below the minimum size %u",
                        o->max_size, o->min_size);
    }
    if (o->reduce && o->n_transactions_total < weight) {
        return job_fail(task->job, LODE_INVALID,
                        "n_transactions_total is %llu, but this part alone has %llu transactions",
                        (unsigned long long)o->n_transactions_total, (unsigned long long)weight);
    }
    if (o->reduce && task->sink->measured) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "a reduction over parts of the data cannot be combined with measures of "
                        "itemsets");
    }
    if (o->reduce && constrain_wanted(o)) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "a reduction over parts of the data cannot be combined with constraints on "
                        "items or with --rare; filter the patterns afterwards");
    }
    lode_status tested = tested_read(task, o);
    if (tested != LODE_OK) return tested;
    if (o->reduce && o->verify) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "a reduction over parts of the data cannot be combined with verify");
    }
    lode_status status = mine_check_verify(task, task->items.data);
    return status == LODE_OK ? itemsets_check_number(task) : status;
}

/* The options of the caller, in case a constraint has changed those of the engine. */
static const lode_mine_options *itemsets_asked(const engine_task *task) {
    return task->items.constraints ? task->items.constraints->asked : task->items.options;
}

static const lode_dataset *itemsets_whole(const engine_task *task) {
    return task->items.constraints ? task->items.constraints->whole : task->items.data;
}

/* ---- the best K ----------------------------------------------------------------------------- */

#define TOP_STEP 4 /* by which the threshold falls when fewer than K were found */

static uint64_t items_at_least(const lode_dataset *data, uint64_t support) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) n += data->item_supports[i] >= support;
    return n;
}

/* Returns the first threshold for the best K: the support of the K-th most frequent item, since
 * single items alone give K itemsets of that support. If there are few items, uses that of a
 * frequent one. */
static uint64_t itemsets_first_count(const engine_task *task) {
    const lode_dataset *data = task->items.data;
    uint64_t k = task->request.top_k, few = data->profile.n_items / 4 + 1;
    uint64_t least = 1, most = data->total_weight;
    if (k > few) k = few;
    while (least < most) {
        uint64_t middle = least + (most - least + 1) / 2;
        if (items_at_least(data, middle) >= k) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    uint64_t highest = task->report->max_count; /* nothing above is wanted */
    return highest > 0 && least > highest ? highest : least;
}

static uint64_t itemsets_next_count(const engine_task *task, uint64_t min_count) {
    return min_count == 0 ? itemsets_first_count(task) : (min_count + TOP_STEP - 1) / TOP_STEP;
}

static lode_status itemsets_open_top(const engine_task *task, lode_sink **out) {
    lode_status status = sink_top_create(task->job, out, task->request.top_k);
    if (status != LODE_OK) return status;
    const lode_mine_options *asked = itemsets_asked(task);
    sink_limit(*out, asked->min_size, asked->max_size);
    sink_expect(*out, &task->sink->bounds);
    sink_set_filter(*out, constrain_filter(task));
    return LODE_OK;
}

static lode_status itemsets_replay_top(lode_sink *top, lode_sink *to) {
    return sink_replay(sink_memory_columns(top), to, NULL);
}

static const mine_top itemsets_top = {itemsets_open_top, itemsets_replay_top, itemsets_next_count};

/* ---- where and how -------------------------------------------------------------------------- */

/* Data on disk are mined by the CPU: the part in memory changes too often for a GPU. */
static const char *itemsets_choose_device(const engine_task *task, const lode_engine *asked,
                                          char *why, size_t why_bytes) {
    if (!task->items.data->spool) return engine_choose_device(task, asked, why, why_bytes);
    snprintf(why, why_bytes, "the data are on disk");
    return "cpu";
}

static lode_status itemsets_check_plan(engine_task *task, const lode_engine *asked) {
    (void)asked;
    if (!engine_plan_is_cpu(task->plan)) lease_keep(task->job, task->plan->n);
    return LODE_OK;
}

/* Says which of the given options the engine does not look at. */
static void itemsets_note_unused(const engine_task *task, const lode_engine *engine) {
    const lode_mine_options *o = task->items.options;
    lode_paper_options papers = valid_papers(o->papers);
    const struct {
        unsigned flag;
        bool given;
        const char *name;
    } knobs[] = {
#define LODE_KNOB(name, given, option) {ENGINE_##name, given, option},
#include "pipeline/engine/knobs.def"
#undef LODE_KNOB
    };
    char *note = task->report->note;
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        if (!knobs[i].given || engine->uses & knobs[i].flag) continue;
        append_text(note, sizeof task->report->note, "%s--%s has no effect with %s",
                    note[0] ? "; " : "", knobs[i].name, engine->name);
    }
}

static bool engine_does_order(const engine_task *task, const lode_engine *engine) {
    (void)task;
    return engine->orders;
}

static bool engine_does_reduce(const engine_task *task, const lode_engine *engine) {
    (void)task;
    return engine->parts;
}

static uint64_t itemsets_need(const engine_task *task, const lode_engine *engine) {
    engine_sizes sizes = engine_task_sizes(task);
    if (task->items.data->spool) sizes.data.n_transactions = sizes.data.n_occurrences = 0;
    uint64_t pieces = task->request.divided && !engine->divide ? partitions_need(task) : 0;
    /* For data on disk, the part that does not depend on their size. */
    return engine_need(engine, &sizes) + pieces;
}

static lode_status itemsets_check_engine(engine_task *task, const lode_engine *engine,
                                         uint64_t *need) {
    if (task->items.data->weights && !engine->weights) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s does not accept weighted transactions",
                        engine->name);
    }
    if (task->items.data->spool && !engine->orders) {
        return mine_refuse(task, engine, "mine data on disk (--spill)", engine_does_order);
    }
    if (task->items.options->reduce && !engine->parts) {
        return mine_refuse(task, engine, "add up supports over parts of the data",
                           engine_does_reduce);
    }
    if (task->items.options->reduce && task->plan->n > 1) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "a job over parts of the data can use only one device per process");
    }
    itemsets_note_unused(task, engine);
    *need = itemsets_need(task, engine) + mine_verify_need(task);
    return LODE_OK;
}

/* ---- around the search ---------------------------------------------------------------------- */

static void itemsets_begin(const engine_task *task) {
    const lode_mine_options *o = itemsets_asked(task);
    const item_filter *filter = constrain_filter(task);
    uint64_t longest = task->items.data->profile.longest + (filter ? (uint64_t)filter->n_fixed : 0);
    sink_set_data(task->sink, itemsets_whole(task));
    sink_limit(task->sink, o->min_size, o->max_size);
    sink_bounds bounds = {
        .least = top_seeks_threshold(task) ? 1 : task->min_count,
        .most = task->items.data->total_weight,
        .longest = longest < UINT32_MAX ? (uint32_t)longest : UINT32_MAX,
    };
    /* Of the best K, and of significant sets, the sink in between has the filter. */
    bool between = task->request.target == LODE_TARGET_TOP || tested_wanted(task);
    sink_set_filter(task->sink, between ? NULL : filter);
    mine_begin_verify(task, itemsets_whole(task));
    sink_expect(task->sink, o->reduce ? NULL : &bounds); /* the others' data are not known here */
}

/* What the sink has now, so that it can answer for sets that are not in it. */
static void itemsets_end(const engine_task *task, lode_status status) {
    const lode_mine_options *o = itemsets_asked(task);
    bool all = !engine_wants_range(&task->request) && !task->items.constraints;
    mine_end_verify(task);
    sink_set_data(task->sink, NULL);
    sink_expect(task->sink, NULL);
    sink_set_filter(task->sink, NULL);
    mine_note_origin(task, status, all, o->min_size, o->max_size);
}

const mine_kind mine_itemsets = {
    .kind = LODE_ITEMSETS,
    .options = VALID_MINE,
    .roots = "root classes",
    .no_engine = "at least two of these options cannot be combined: weighted transactions; a "
                 "target other than "
                 "all and top:K; shares or tasks; a GPU",
    .read = itemsets_take_options,
    .narrow = constrain_begin,
    .choose_device = itemsets_choose_device,
    .check_plan = itemsets_check_plan,
    .check_engine = itemsets_check_engine,
    .begin = itemsets_begin,
    .end = itemsets_end,
    .top = &itemsets_top,
};

/* ---- the interface -------------------------------------------------------------------------- */

lode_status lode_mine(lode_job *job, const lode_dataset *data, const lode_mine_options *options,
                      lode_sink *sink) {
    lode_mine_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    engine_task task = {.job = job, .items = {data, &checked}, .sink = sink};
    mine_call call = {&mine_itemsets, options, &checked, sizeof checked};
    return mine_run(&task, &call);
}

lode_status lode_dataset_prepare(lode_job *job, const lode_dataset *data,
                                 const lode_mine_options *options) {
    lode_mine_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options));
    lode_status status = dataset_in_memory(job, data);
    if (status != LODE_OK) return status;
    engine_task task = {.job = job, .items = {data, &checked}};
    mine_call call = {&mine_itemsets, options, &checked, sizeof checked};
    return mine_prepare(&task, &call);
}

void lode_dataset_forget(const lode_dataset *data) {
    if (data) prepared_reclaim(data->prepared);
}
