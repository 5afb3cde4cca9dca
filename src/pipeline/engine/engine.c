/* engine.c - the list of algorithms and the choice among them
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/transactions/dataset.h"

#define LODE_ENGINE(symbol) extern const lode_engine symbol;
#include "pipeline/engine/engines.def"
#undef LODE_ENGINE

static const lode_engine *const engine_list[] = {
#define LODE_ENGINE(symbol) &symbol,
#include "pipeline/engine/engines.def"
#undef LODE_ENGINE
};

#define N_ENGINES (sizeof engine_list / sizeof *engine_list)

const lode_engine *engine_at(lode_pattern_kind kind, size_t i) {
    for (size_t k = 0; k < N_ENGINES; k++) {
        if (engine_list[k]->kind == kind && i-- == 0) return engine_list[k];
    }
    return NULL;
}

const lode_engine *engine_find(lode_pattern_kind kind, const char *name) {
    for (size_t k = 0; k < N_ENGINES; k++) {
        if (engine_list[k]->kind == kind && strcmp(engine_list[k]->name, name) == 0) {
            return engine_list[k];
        }
    }
    return NULL;
}

bool engine_plan_is_cpu(const backend_plan *plan) {
    for (unsigned i = 0; i < plan->n; i++) {
        if (plan->slots[i].backend != backend_at(0)) return false;
    }
    return true;
}

unsigned engine_targets(const lode_engine *engine) {
    return engine->targets | 1u << LODE_TARGET_ALL | 1u << LODE_TARGET_TOP;
}

bool engine_divides(const lode_engine *engine, lode_target target) {
    if (engine->divide) return true;
    if (engine->kind != LODE_ITEMSETS) return false;
    bool plain = target == LODE_TARGET_ALL || target == LODE_TARGET_TOP;
    return plain || (engine->ranges && target != LODE_TARGET_GENERATORS);
}

static bool engine_fits(const lode_engine *engine, const engine_task *task) {
    bool runs = engine->uses & ENGINE_DEVICES || engine_plan_is_cpu(task->plan);
    bool finds = engine_targets(engine) >> task->request.target & 1;
    bool shares = (engine->ranges || !engine_wants_range(&task->request)) &&
                  (engine_divides(engine, task->request.target) || !task->request.divided) &&
                  (engine->parts || !task->items.options || !task->items.options->reduce);
    bool weighs = engine->weights || !task->items.data || !task->items.data->weights;
    bool reads = engine->orders || !task->items.data || !task->items.data->spool;
    return runs && finds && shares && weighs && reads && !engine->oracle;
}

static void engine_say_why(const engine_task *task, const lode_engine *best, unsigned n, char *why,
                           size_t why_bytes) {
    if (!best) {
        snprintf(why, why_bytes, "no algorithm supports this combination of options");
    } else if (!best->estimate) {
        snprintf(why, why_bytes, "the fastest %s",
                 engine_plan_is_cpu(task->plan) ? "general algorithm" : "on a GPU");
    } else if (n > 1) {
        snprintf(why, why_bytes, "expected to need the least work of %u algorithms", n);
    } else {
        snprintf(why, why_bytes, "the only general algorithm that supports these data and options");
    }
}

const lode_engine *engine_choose(const engine_task *task, char *why, size_t why_bytes) {
    const lode_engine *best = NULL, *engine;
    double best_cost = 0;
    unsigned n = 0;
    for (size_t i = 0; (engine = engine_at(task->request.kind, i)); i++) {
        if (!engine_fits(engine, task)) continue;
        n++;
        double cost = engine->estimate ? engine->estimate(task) : INFINITY;
        if (!best || cost < best_cost) {
            best = engine;
            best_cost = cost;
        }
    }
    engine_say_why(task, best, n, why, why_bytes);
    return best;
}

/* ---- how much memory a job takes, for the sentence that says so when there is too little ----- */

/* These are upper estimates. They ignore the ways in which engines get along with less (slices,
 * fewer lists, fewer threads): a user who follows the advice should not get a slow run. */

#define WORKER_BYTES ((uint64_t)256 << 10) /* of a thread: its worker of a sink, blocks of output */
#define ITEM_BYTES   96                    /* of an item: names, ranks and supports */

static uint64_t row_bytes(uint64_t n_transactions) {
    return (n_transactions + 511) / 512 * 64;
}

uint64_t engine_need_rows(const engine_sizes *s) {
    uint64_t rows =
        (s->data.n_items + 4 * (uint64_t)s->threads) * row_bytes(s->data.n_transactions);
    return rows + rows / 8;
}

uint64_t engine_need(const lode_engine *engine, const engine_sizes *s) {
    uint64_t items = s->data.item_bound * 20 + s->data.n_items * ITEM_BYTES;
    return engine->need(s) + items + s->threads * WORKER_BYTES;
}

engine_sizes engine_task_sizes(const engine_task *task) {
    const lode_dataset *data = task->items.data;
    engine_sizes s = {.rules = task->items.rules != NULL,
                      .threads =
                          task->plan && task->plan->n > 0 ? task->plan->n : task->job->threads,
                      .target = task->items.options->target};
    s.data.n_transactions = data->profile.n_transactions;
    s.data.item_bound = data->item_bound;
    s.data.longest = data->profile.longest;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] < task->min_count) continue;
        s.data.n_items++;
        s.data.n_occurrences += data->item_supports[i];
    }
    if (s.data.n_occurrences > data->profile.n_occurrences) { /* of weighted transactions */
        s.data.n_occurrences = data->profile.n_occurrences;
    }
    return s;
}
