/* engine.c - the list of algorithms and the choice among them
 * SPDX-License-Identifier: Apache-2.0 */
#include "engine/engine.h"

#include <stdio.h>
#include <string.h>

#define LODE_ENGINE(symbol) extern const lode_engine symbol;
#include "engine/engines.def"
#undef LODE_ENGINE

static const lode_engine *const engine_list[] = {
#define LODE_ENGINE(symbol) &symbol,
#include "engine/engines.def"
#undef LODE_ENGINE
};

#define N_ENGINES (sizeof engine_list / sizeof *engine_list)

const lode_engine *engine_at(size_t i) {
    return i < N_ENGINES ? engine_list[i] : NULL;
}

const lode_engine *engine_find(const char *name) {
    for (size_t i = 0; i < N_ENGINES; i++) {
        if (strcmp(engine_list[i]->name, name) == 0) return engine_list[i];
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

static bool engine_fits(const lode_engine *engine, const engine_task *task) {
    bool runs = engine->uses & ENGINE_DEVICES || engine_plan_is_cpu(task->plan);
    bool finds = engine_targets(engine) >> task->options->target & 1;
    const lode_mine_options *o = task->options;
    bool shares = (engine->ranges || !engine_wants_range(o)) && (engine->reduce || !o->reduce);
    return runs && finds && shares && !engine->oracle && (engine->weights || !task->data->weights);
}

const lode_engine *engine_choose(const engine_task *task, char *why, size_t why_bytes) {
    const lode_engine *best = NULL;
    double best_cost = 0;
    unsigned n = 0;
    for (size_t i = 0; i < N_ENGINES; i++) {
        if (!engine_fits(engine_list[i], task)) continue;
        double cost = engine_list[i]->estimate(task);
        n++;
        if (!best || cost < best_cost) {
            best = engine_list[i];
            best_cost = cost;
        }
    }
    if (n > 1) {
        snprintf(why, why_bytes, "the least work expected of %u algorithms", n);
    } else {
        snprintf(why, why_bytes, "the one general algorithm for this data");
    }
    return best;
}
