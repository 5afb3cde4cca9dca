/* rule_runs.h - for tests of rules: a scene as options, run in one of several ways
 *
 * There are three ways: adaptive, which streams rules; brute, with which itemsets are stored first;
 * and a driver, which finds antecedents by brute force and passes them on as engine.h requires,
 * with all their perfect extensions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_RULE_RUNS_H
#define LODE_TESTS_RULE_RUNS_H

#include "rule_oracle.h"
#include "rules/mine_rules.h"
#include "write/rules/rule_sink.h"

/* ---- the options of a scene ------------------------------------------------------------------ */

#define RUN_TEXTS 12

typedef struct run_options {
    lode_rule_options o;
    char texts[RUN_TEXTS][512];
    unsigned n_texts;
} run_options;

static inline void run_name(const scene *s, uint32_t item, char *text, size_t bytes) {
    const uint32_t base = s->naming == 1 ? 4000000000u : 0;
    if (s->naming == 2) {
        snprintf(text, bytes, "%c", 'a' + (int)item);
    } else {
        snprintf(text, bytes, "%u", base + item);
    }
}

/* For each mask, one line per item or, with `together`, one line for all items: a glob. */
static inline const char *run_items(run_options *r, const scene *s, const uint32_t *masks,
                                    unsigned n_masks, bool together) {
    char *text = r->texts[r->n_texts++], name[16];
    size_t at = 0, room = sizeof r->texts[0];
    text[0] = 0;
    for (unsigned k = 0; k < n_masks && masks[k]; k++) {
        if (at > 0) at += (size_t)snprintf(text + at, room - at, "\n");
        if (together)
            at += (size_t)snprintf(text + at, room - at, s->naming == 1 ? "400000000[" : "[");
        bool first = true;
        for (uint32_t i = 0; i < s->n_items; i++) {
            if (!(masks[k] >> i & 1)) continue;
            run_name(s, i, name, sizeof name);
            const char *shown = together ? name + strlen(name) - 1 : name;
            at += (size_t)snprintf(text + at, room - at, "%s%s", together || first ? "" : "\n",
                                   shown);
            first = false;
        }
        if (together) at += (size_t)snprintf(text + at, room - at, "]");
    }
    return at > 0 ? text : NULL;
}

static inline const char *run_bounds(run_options *r, const scene *s, bool most) {
    char *text = r->texts[r->n_texts++];
    size_t at = 0, room = sizeof r->texts[0];
    text[0] = 0;
    for (unsigned i = 0; i < s->n_bounds; i++) {
        const scene_bound *b = &s->bounds[i];
        if (b->most != most) continue;
        at += (size_t)snprintf(text + at, room - at, "%s%s=%.17g", at ? "\n" : "", b->measure,
                               b->value);
    }
    return at > 0 ? text : NULL;
}

static inline void run_make_options(run_options *r, const scene *s) {
    static char share[16];
    *r = (run_options){0};
    snprintf(share, sizeof share, "%u%%", s->holdout);
    r->o = (lode_rule_options){
        .size = sizeof r->o,
        .min_support = {s->min_count, 0},
        .min_confidence = s->confidence,
        .max_rhs = s->max_rhs,
        .max_lhs = s->max_lhs,
        .min_size = s->min_size,
        .max_size = s->max_size,
        .lhs = run_items(r, s, &s->lhs, 1, false),
        .rhs = run_items(r, s, &s->rhs, 1, false),
        .exclude = run_items(r, s, &s->exclude, 1, false),
        .exclude_lhs = run_items(r, s, &s->exclude_lhs, 1, false),
        .exclude_rhs = run_items(r, s, &s->exclude_rhs, 1, false),
        .include = run_items(r, s, s->include, 3, true),
        .include_lhs = run_items(r, s, s->include_lhs, 3, true),
        .include_rhs = run_items(r, s, s->include_rhs, 3, true),
        .minima = run_bounds(r, s, false),
        .maxima = run_bounds(r, s, true),
        .productive = s->productive,
        .sort_by = s->sort_by,
        .top = s->top,
        .adjust = s->adjust,
        .significant = s->significant,
        .holdout = s->holdout ? share : NULL,
        .holdout_seed = s->holdout_seed,
    };
}

/* ---- a sink that keeps all rules ------------------------------------------------------------- */

typedef struct run_sink {
    lode_sink base;
    const scene *s;
    found_rules found;
    bool unsorted; /* a side was not ascending */
} run_sink;

static inline uint32_t run_mask(run_sink *sink, const uint32_t *ids, uint32_t n) {
    const lode_dataset *data = sink->base.mined;
    uint32_t mask = 0;
    for (uint32_t i = 0; i < n; i++) {
        char name[16] = "";
        dataset_id_name(data, ids[i], name, sizeof name - 1);
        for (uint32_t k = 0; k < sink->s->n_items; k++) {
            char other[16];
            run_name(sink->s, k, other, sizeof other);
            if (strcmp(name, other) == 0) mask |= 1u << k;
        }
        if (i > 0 && ids[i] <= ids[i - 1]) sink->unsorted = true;
    }
    return mask;
}

static inline lode_status run_emit(sink_worker *worker, const lode_rule *rule) {
    run_sink *sink = (run_sink *)worker->sink;
    pthread_mutex_lock(&sink->base.lock);
    found_rule f = {.lhs = run_mask(sink, rule->lhs, rule->n_lhs),
                    .rhs = run_mask(sink, rule->rhs, rule->n_rhs),
                    .counts = rule->counts,
                    .held = rule->held_out,
                    .best = rule->best_confidence,
                    .adjusted = rule->adjusted_p};
    found_add(&sink->found, &f);
    pthread_mutex_unlock(&sink->base.lock);
    return LODE_OK;
}

static inline void run_sink_free(lode_sink *base) {
    found_free(&((run_sink *)base)->found);
}

static const rule_ops run_rules = {.worker_bytes = sizeof(rule_worker), .emit = run_emit};
static const sink_kind run_kind = {
    .bytes = sizeof(run_sink), .rules = &run_rules, .free = run_sink_free};

/* ---- antecedents by brute force -------------------------------------------------------------- */

typedef struct drive {
    engine_task *task;
    void *worker;
    uint32_t bound;
    uint32_t lhs[32];
} drive;

static inline uint64_t drive_count(const drive *d, const uint32_t *ids, uint32_t n) {
    const lode_dataset *data = d->task->items.data;
    uint64_t count = 0;
    for (uint64_t t = 0; t < data->profile.n_transactions; t++) {
        uint32_t n_row, hits = 0;
        const uint32_t *row = dataset_row(data, t, &n_row);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t k = 0; k < n_row; k++) hits += row[k] == ids[i];
        }
        if (hits == n) count += data->weights ? data->weights[t] : 1;
    }
    return count;
}

static inline bool drive_has(const uint32_t *ids, uint32_t n, uint32_t id) {
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == id) return true;
    }
    return false;
}

/* Passes on the antecedent d->lhs[0 … n - 1], with these perfect extensions. */
static inline lode_status drive_hand_over(drive *d, uint32_t n, const uint32_t *perfect,
                                          uint32_t n_perfect) {
    const engine_rules *rules = d->task->items.rules;
    uint32_t consequents[32], n_consequents = 0;
    uint64_t both[32], least = job_threshold(d->task->job);
    engine_antecedents b = {d->lhs,      n,    perfect, n_perfect, drive_count(d, d->lhs, n),
                            consequents, both, 0};
    for (uint32_t id = 0; id < d->bound; id++) {
        if (!(rules->roles[id] & ENGINE_ROLE_RHS)) continue;
        if (drive_has(d->lhs, n, id) || drive_has(perfect, n_perfect, id)) continue;
        d->lhs[n] = id;
        uint64_t count = drive_count(d, d->lhs, n + 1);
        bool leads =
            !rules->may_lead_on || n == 0 || rules->may_lead_on(rules->user, id, b.count, count);
        if (count < least || !leads) continue;
        consequents[n_consequents] = id;
        both[n_consequents++] = count;
    }
    b.n_consequents = n_consequents;
    if (n == 0 && n_perfect == 0) return LODE_OK;
    return rules->antecedents(d->worker, &b);
}

static inline lode_status drive_walk(drive *d, uint32_t n, uint32_t next, const uint32_t *above,
                                     uint32_t n_above) {
    const engine_rules *rules = d->task->items.rules;
    uint32_t perfect[32], n_perfect = n_above, rest[32], n_rest = 0;
    uint64_t count = drive_count(d, d->lhs, n), least = job_threshold(d->task->job);
    for (uint32_t i = 0; i < n_above; i++) perfect[i] = above[i];
    for (uint32_t id = next; id < d->bound; id++) {
        if (!(rules->roles[id] & ENGINE_ROLE_LHS) || drive_has(above, n_above, id)) continue;
        d->lhs[n] = id;
        uint64_t with = drive_count(d, d->lhs, n + 1);
        if (with == count) {
            perfect[n_perfect++] = id;
        } else if (with >= least) {
            rest[n_rest++] = id;
        }
    }
    lode_status status = drive_hand_over(d, n, perfect, n_perfect);
    for (uint32_t i = 0; i < n_rest && status == LODE_OK && n < rules->max_lhs; i++) {
        d->lhs[n] = rest[i];
        status = drive_walk(d, n + 1, rest[i] + 1, perfect, n_perfect);
    }
    return status;
}

static inline lode_status drive_run(engine_task *task) {
    const engine_rules *rules = task->items.rules;
    drive d = {.task = task, .bound = task->items.data->item_bound};
    lode_status status = rules->open(rules->user, &d.worker);
    if (status != LODE_OK) return status;
    if (task->items.data->total_weight >= job_threshold(task->job)) {
        status = drive_walk(&d, 0, 0, NULL, 0);
    }
    lode_status closed = rules->close(d.worker);
    return status != LODE_OK ? status : closed;
}

/* Searches rules with the driver instead of the engine; itemsets are mined by `brute`. */
static inline lode_status drive_any(engine_task *task) {
    return task->items.rules ? drive_run(task) : engine_find(LODE_ITEMSETS, "brute")->run(task);
}

static inline lode_status drive_search(engine_task *task, const lode_engine *engine) {
    lode_engine driver = *engine;
    driver.rules = true;
    driver.run = drive_any;
    return mine_rules.search(task, &driver);
}

/* ---- one run ------------------------------------------------------------------------------- */

typedef enum run_way { WAY_ADAPTIVE, WAY_STORED, WAY_DRIVER, N_WAYS } run_way;
static const char *const way_names[] = {"adaptive", "stored", "driver"};

/* Makes the data set: names come from text, numbers from arrays. The order of items is the same. */
static inline lode_dataset *run_data(lode_job *job, const scene *s) {
    lode_dataset *data = NULL;
    const table *t = &s->t;
    size_t n = (size_t)t->offsets[t->n];
    uint32_t *items = malloc((n + 1) * sizeof *items);
    char *text = malloc(3 * n + 3 * t->n + 8);
    if (!items || !text) exit(2);
    if (s->naming < 2) {
        for (size_t i = 0; i < n; i++) items[i] = t->items[i] + (s->naming ? 4000000000u : 0);
        if (lode_dataset_from_arrays(job, &data, t->n, t->offsets, items, s->weights) != LODE_OK) {
            exit(2);
        }
    } else {
        size_t at = 0;
        lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ','};
        for (uint64_t row = 0; row < t->n; row++) {
            for (uint64_t k = t->offsets[row]; k < t->offsets[row + 1]; k++) {
                if (k > t->offsets[row]) text[at++] = ',';
                text[at++] = (char)('a' + (int)t->items[k]);
            }
            text[at++] = '\n';
        }
        if (lode_dataset_parse(job, &data, text, at, NULL, &o) != LODE_OK) exit(2);
    }
    free(items);
    free(text);
    return data;
}

typedef struct run_result {
    lode_job *job;
    lode_dataset *data;
    lode_sink *sink;
    lode_status status;
} run_result;

static inline lode_status run_mine(const run_result *r, const lode_rule_options *o, run_way way) {
    mine_kind driven = mine_rules;
    engine_task task = {.job = r->job, .items.data = r->data, .sink = r->sink};
    driven.search = drive_search;
    return way == WAY_DRIVER ? mine_rules_by(&driven, &task, o)
                             : lode_rules_mine(r->job, r->data, o, r->sink);
}

/* Runs a scene. `counts`: with a sink that only counts. */
static inline run_result run_scene(const scene *s, run_way way, unsigned threads, bool counts) {
    static run_options r;
    run_result result = {0};
    lode_job_options j = {.size = sizeof j, .device = "cpu", .threads = threads};
    if (lode_job_create(&result.job, NULL, &j) != LODE_OK) exit(2);
    result.data = run_data(result.job, s);
    lode_status made = counts ? lode_sink_count(result.job, &result.sink)
                              : sink_create(result.job, &run_kind, &result.sink);
    if (made != LODE_OK) exit(2);
    if (!counts) ((run_sink *)result.sink)->s = s;
    run_make_options(&r, s);
    r.o.algorithm = way == WAY_ADAPTIVE ? "adaptive" : "brute";
    result.status = run_mine(&result, &r.o, way);
    return result;
}

static inline void run_free(run_result *r) {
    lode_sink_free(r->sink);
    lode_dataset_free(r->data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(r->job)), 0);
    lode_job_free(r->job);
}

#endif
