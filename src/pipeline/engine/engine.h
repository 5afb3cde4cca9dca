/* engine.h - the interface of an algorithm (engine), for any kind of pattern
 *
 * An engine is one file that ends in a const table, and one line in engines.def. The command line,
 * the tests and the benchmarks iterate over the list; no other code knows the names of engines.
 * pipeline/run.h describes how a job gets its engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_ENGINE_H
#define LODE_PIPELINE_ENGINE_ENGINE_H

#include "device/api/backend.h"
#include "write/core/sink.h"

/* The request, common to all kinds of patterns. */
typedef struct engine_request {
    lode_pattern_kind kind;
    const char *algorithm; /* NULL or "auto": any */
    lode_threshold min_support;
    lode_target target;
    uint64_t top_k;
    uint32_t min_size, max_size; /* items, or edges */
    double limit_seconds;
    uint64_t limit_patterns;
    bool verify;                   /* count the patterns again */
    uint32_t root_first, root_end; /* range of roots to search; 0, 0 = all */
    uint32_t share, n_shares;      /* the share-th of n_shares, from 1; 0 = all */
    bool divided;                  /* the search is divided, or restricted to branches */
} engine_request;

/* A part of a search that can be done separately: a task of lode/tasks.h, but with ids of items
 * instead of names. For itemsets, a branch has all sets that consist of the prefix and further
 * items, the rarest of which has a rank in [first, end); ranks count from the most frequent item.
 * For graphs, see graphs/graph_branch.h. */
typedef struct engine_branch {
    const uint32_t *prefix;
    uint32_t n_prefix;
    uint32_t first, end;
    bool own;    /* also report the prefix itself */
    double work; /* expected, in a unit of the engine */
} engine_branch;

/* The branches to search, instead of everything. */
typedef struct engine_branches {
    const engine_branch *list;
    size_t n;
    /* Hands out a branch, which the engine then does not search. Engines call it, on any thread,
     * when job_claim_ask() says that there is a request. The branch is valid only during the call.
     * NULL = there are no requests. */
    LODE_NODISCARD lode_status (*give)(void *user, const engine_branch *branch);
    void *user;
    /* Graphs: a branch is handed out only if the expected work of searching it is at least this
     * many times that of rebuilding its prefix, which the receiving process must do first. */
    double worth;
    /* If a search takes the branches in order (pipeline/spill): reports that the first n are
     * finished. No thread works during the call, and the patterns of these branches are in the
     * sink. NULL = not needed. */
    LODE_NODISCARD lode_status (*finished)(void *user, size_t n);
} engine_branches;

struct branch_list;

/* For itemsets and rules: the data, and what item_task.h describes. */
typedef struct engine_items {
    const lode_dataset *data;
    const lode_mine_options *options;     /* checked; maxima of 0 are now UINT32_MAX */
    struct item_constraints *constraints; /* constrain.h; NULL = none. Engines ignore them */
    const struct engine_rules *rules;     /* receives antecedents; NULL = itemsets go to the sink */
    const struct engine_sample *sample;   /* search only a sample of the itemsets; NULL = all */
} engine_items;

typedef struct engine_graphs {
    const lode_graphs *data;
    const lode_graph_options *options; /* checked, like those of itemsets */
} engine_graphs;

/* Which part of the search to do, and how it is divided. All NULL = everything at once. */
typedef struct engine_parts {
    const engine_branches *branches;    /* search only these */
    struct branch_list *division;       /* mine_prepare() divides the search into this list */
    const struct mine_batches *batches; /* search `branches` in batches: batches.h */
} engine_parts;

/* One run, from the engine's point of view. */
typedef struct engine_task {
    lode_job *job;
    engine_request request;
    uint64_t min_count; /* the threshold at the start; job_threshold() may rise above it */
    uint64_t total;     /* total weight of transactions, or number of graphs: 100 % of support */
    lode_sink *sink;
    struct verifier *verify;  /* counts patterns again; NULL = not asked for */
    engine_report *report;    /* of the job */
    const backend_plan *plan; /* the devices to use */
    engine_items items;       /* all NULL for graphs */
    engine_graphs graphs;     /* all NULL for itemsets and rules */
    engine_parts parts;
} engine_task;

/* What lode_engine.need() depends on. */
typedef struct engine_sizes {
    job_sizes data;
    unsigned threads; /* or devices, if the engine uses these */
    lode_target target;
    bool rules; /* rules are searched */
} engine_sizes;

/* What an engine uses: devices, and options that only some engines support (knobs.def). */
enum {
#define LODE_KNOB(name, given, option) ENGINE_KNOB_##name,
#include "pipeline/engine/knobs.def"
#undef LODE_KNOB
    N_ENGINE_KNOBS
};
enum {
#define LODE_KNOB(name, given, option) ENGINE_##name = 1 << ENGINE_KNOB_##name,
#include "pipeline/engine/knobs.def"
#undef LODE_KNOB
    ENGINE_DEVICES = 1 << N_ENGINE_KNOBS,    /* runs on any device; otherwise on the CPU only */
    ENGINE_LAYOUTS = ENGINE_DEVICES << 1,    /* uses --records on any device, --loads on GPUs */
    ENGINE_GPU_LAYOUTS = ENGINE_DEVICES << 2 /* uses --records and --loads on GPUs only */
};

typedef struct lode_engine {
    lode_pattern_kind kind; /* of its patterns */
    const char *name;       /* unique among engines of this kind */
    const char *summary;    /* one sentence */
    bool oracle;            /* a slow reference implementation: never chosen by `auto` */
    bool weights;           /* supports weighted transactions */
    bool ranges;            /* supports root_first and root_end */
    bool parts;             /* supports `reduce`: the data are one part of several */
    bool rules;             /* can search rules: engine_items.rules */
    bool orders;            /* supports lode_dataset.order, which pipeline/spill needs */
    bool grows;             /* keeps what it finds, so its memory is not known in advance */
    unsigned targets;       /* bit `1 << target` for each lode_target, besides all and top */
    unsigned uses; /* ENGINE_…: options not listed have no effect, and the report says so */
    /* The approximate number of word operations of the run; `auto` takes the engine with the
     * fewest. NULL = unknown. */
    double (*estimate)(const engine_task *task);
    /* Returns how many bytes are enough, in addition to the data and the result, as far as that is
     * known before the search. With less memory, the engine may still work, but more slowly. NULL
     * for graph engines; for these, mine_kind.check_engine knows the number. */
    uint64_t (*need)(const engine_sizes *sizes);
    /* The same for data without infrequent items and without weights; pipeline/spill uses it to
     * choose the size of parts. NULL = need() is used. */
    uint64_t (*least)(const engine_sizes *sizes);
    /* Prepares the data for tasks like this one, with its threshold or a higher one; task->sink is
     * NULL. NULL = there is nothing to prepare. */
    LODE_NODISCARD lode_status (*prepare)(engine_task *task);
    /* Divides the search into branches (branches.h), the same in every process; task->sink may be
     * NULL. An engine with this function supports engine_parts.branches. NULL = the engine
     * does not know branches; if engine_divides() is true, pipeline/partitions divides instead. */
    LODE_NODISCARD lode_status (*divide)(engine_task *task, struct branch_list *into);
    /* Searches, and sends the patterns to task->sink. */
    LODE_NODISCARD lode_status (*run)(engine_task *task);
} lode_engine;

/* The i-th engine for patterns of a kind; NULL past the end. */
const lode_engine *engine_at(lode_pattern_kind kind, size_t i);
/* The engine with this name; NULL = there is none. */
const lode_engine *engine_find(lode_pattern_kind kind, const char *name);

/* For engines with bit rows: the bytes of the rows of all frequent items, and overhead. */
uint64_t engine_need_rows(const engine_sizes *sizes);

/* Bytes that are enough for a job of these sizes, with its output but without its data. */
uint64_t engine_need(const lode_engine *engine, const engine_sizes *sizes);

/* Whether engine_need() may be too low, because the memory depends on the result. */
static inline bool engine_is_unsure(const lode_engine *engine, lode_target target) {
    return engine->grows || target == LODE_TARGET_GENERATORS || target == LODE_TARGET_TOP;
}

/* Whether a root range is set. */
static inline bool engine_wants_range(const engine_request *r) {
    return r->root_first > 0 || r->root_end > 0;
}

/* The sizes of a job whose data are in memory. */
engine_sizes engine_task_sizes(const engine_task *task);

/* Bit `1 << target` for each target that the engine can search, including all and top. */
unsigned engine_targets(const lode_engine *engine);

/* Whether a search for the target can be divided into branches: by the engine, or by
 * pipeline/partitions. The latter can divide searches for itemsets, but not for generators, and for
 * closed and maximal sets only if the engine supports root ranges. */
bool engine_divides(const lode_engine *engine, lode_target target);

/* Returns the engine for a job whose algorithm is "auto" and whose plan of devices is made, and
 * writes one sentence to `why`. NULL = no engine can do the job. */
const lode_engine *engine_choose(const engine_task *task, char *why, size_t why_bytes);

/* Whether the plan has no other device than the CPU. */
bool engine_plan_is_cpu(const backend_plan *plan);

/* Returns the device text for a job whose device is "auto", and writes one sentence to `why`.
 * `engine`: the requested one, or NULL. */
const char *engine_choose_device(const engine_task *task, const lode_engine *engine, char *why,
                                 size_t why_bytes);

/* The same for graphs, which run on one device. */
typedef struct engine_graph_sizes {
    uint64_t n_graphs, n_edges;
} engine_graph_sizes;
const char *engine_choose_graph_device(const engine_task *task, const lode_engine *engine,
                                       const engine_graph_sizes *sizes, char *why,
                                       size_t why_bytes);

#endif
