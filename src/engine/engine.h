/* engine.h - what an algorithm is, for any kind of pattern
 *
 * An engine is one file that ends in a const table, and one line in engines.def. The command line,
 * the tests and the benchmarks iterate over the list; nothing else knows the names. How a job comes
 * to its engine, src/mine says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ENGINE_ENGINE_H
#define LODE_ENGINE_ENGINE_H

#include "backend/backend.h"
#include "data/dataset.h"
#include "itemsink/item_sink.h"

/* What every kind of pattern can be asked for. */
typedef struct engine_request {
    lode_pattern_kind kind;
    const char *algorithm; /* NULL or "auto": any */
    lode_threshold min_support;
    lode_target target;
    uint64_t top_k;
    uint32_t min_size, max_size; /* items, or edges */
    double limit_seconds;
    uint64_t limit_patterns;
    uint32_t root_first, root_end;
} engine_request;

/* One run, as an engine sees it. */
typedef struct engine_task {
    lode_job *job;
    engine_request request;
    uint64_t min_count; /* the threshold at the start; job_threshold() may rise above */
    lode_sink *sink;
    engine_report *report; /* of the job */
    const backend_plan *plan;
    /* Of itemsets; else NULL. Options are checked, and maxima are UINT32_MAX where they were 0. */
    const lode_dataset *data;
    const lode_mine_options *options;
    /* Of graphs; else NULL. */
    const lode_graphs *graphs;
    const lode_graph_options *graph_options;
} engine_task;

/* What the need of an engine depends on. */
typedef struct engine_sizes {
    job_sizes data;
    unsigned threads; /* or devices */
    lode_target target;
} engine_sizes;

/* What an engine makes use of: devices, and options that only some engines look at (knobs.def). */
enum {
#define LODE_KNOB(name, given, option) ENGINE_KNOB_##name,
#include "engine/knobs.def"
#undef LODE_KNOB
    N_ENGINE_KNOBS
};
enum {
#define LODE_KNOB(name, given, option) ENGINE_##name = 1 << ENGINE_KNOB_##name,
#include "engine/knobs.def"
#undef LODE_KNOB
    ENGINE_DEVICES = 1 << N_ENGINE_KNOBS, /* runs on any device; the others run on the CPU only */
    ENGINE_LAYOUTS = ENGINE_DEVICES << 1, /* --records and --loads, on any device … */
    ENGINE_GPU_LAYOUTS = ENGINE_DEVICES << 2 /* … and on GPUs only */
};

typedef struct lode_engine {
    lode_pattern_kind kind; /* of the patterns that it finds */
    const char *name;       /* no other of the kind has it */
    const char *summary;    /* one sentence */
    bool oracle;            /* right and slow: never chosen by `auto` */
    bool weights;           /* accepts weighted transactions */
    bool ranges;            /* honours root_first and root_end */
    bool reduce;            /* honours `reduce`: the data are one part of several */
    bool grows;             /* holds what it finds: nobody knows beforehand how much that is */
    unsigned targets;       /* bit lode_target for each it can search, besides all and top */
    unsigned uses;          /* ENGINE_…: the others have no effect, which the report says */
    /* How many word operations the run will take, roughly: for `auto`, which takes the least.
     * NULL: it cannot tell. */
    double (*estimate)(const engine_task *task);
    /* Bytes that are enough in addition to the data and the result, as far as can be told before
     * the search. It may do with less; then it takes its time. Of graphs: NULL. */
    uint64_t (*need)(const engine_sizes *sizes);
    /* Prepares the data for tasks like this one, with its threshold or a higher one; `sink` is
     * NULL. NULL: there is nothing to prepare. */
    LODE_NODISCARD lode_status (*prepare)(engine_task *task);
    LODE_NODISCARD lode_status (*run)(engine_task *task);
} lode_engine;

/* The i-th engine for patterns of a kind; NULL past the end. */
const lode_engine *engine_at(lode_pattern_kind kind, size_t i);
const lode_engine *engine_find(lode_pattern_kind kind, const char *name);

/* Bytes of bit rows for the frequent items, and what is around them: for engines with these. */
uint64_t engine_need_rows(const engine_sizes *sizes);

/* Bytes that are enough for a job of these sizes and its output, without its data. */
uint64_t engine_need(const lode_engine *engine, const engine_sizes *sizes);

/* Whether that may turn out to be too little, by what is found. */
static inline bool engine_is_unsure(const lode_engine *engine, lode_target target) {
    return engine->grows || target == LODE_TARGET_GENERATORS || target == LODE_TARGET_TOP;
}

/* Whether only some of the roots are to be searched. */
static inline bool engine_wants_range(const engine_request *r) {
    return r->root_first > 0 || r->root_end > 0;
}

/* The sizes of a job whose data are there. */
engine_sizes engine_task_sizes(const engine_task *task);

/* Bit lode_target for each target the engine can search. */
unsigned engine_targets(const lode_engine *engine);

/* The engine for a job whose algorithm is "auto" and whose plan is made, and one sentence why; NULL
 * if none can do it. */
const lode_engine *engine_choose(const engine_task *task, char *why, size_t why_bytes);

/* Whether every consumer of the plan is the CPU. */
bool engine_plan_is_cpu(const backend_plan *plan);

/* The device text for a job whose device is "auto", and one sentence why. `engine`: the one that
 * was asked for, or NULL. */
const char *engine_choose_device(const engine_task *task, const lode_engine *engine, char *why,
                                 size_t why_bytes);

#endif
