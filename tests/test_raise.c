/* test_raise.c - a search that restarts, because its threshold is raised or it moves to a GPU
 *
 * Random jobs (itemsets, rules, graphs; all targets, several algorithms and sinks, 1 to 8 threads)
 * are raised at a random poll of their search. The content of the sink, byte for byte, and the
 * report must then be those of a job that begins with the raised threshold. There are about twenty
 * jobs of each kind; 200 with LODE_LONG.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "graphs.h"
#include "mining.h"
#include "runtime/job.h"

#define N_JOBS      BY_BUILD(20, 12, 8)
#define N_LONG_JOBS 200
#define N_DRAWN     3

static char directory[] = "/tmp/lode-raise-XXXXXX";
static char path[64], folder[64];

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef enum store { STORE_COUNT, STORE_HASH, STORE_MEMORY, STORE_FILE, N_STORES } store;

typedef struct trial {
    lode_pattern_kind kind;
    table rows;      /* of itemsets and rules */
    graph_text text; /* of graphs */
    lode_mine_options mine;
    lode_rule_options rule;
    lode_graph_options graph;
    store store;
    int format;
    bool columns; /* of csv: one for each item */
    bool sort;
    bool draws; /* graphs are drawn, too */
    unsigned threads;
    uint64_t low, high;
    uint64_t budget; /* bytes of memory; 0 = none */
} trial;

/* How a job is raised. */
typedef struct raiser {
    lode_job *job;
    uint64_t to; /* 0: not at all */
    uint64_t at; /* the poll at which it is raised first */
    _Atomic uint64_t polls;
    _Atomic bool raised;
    bool moves;        /* it is not raised, but moves to another device */
    pthread_t owner;   /* the thread that mines */
    bool outside;      /* it is raised by another thread */
    _Atomic bool over; /* the search has ended */
} raiser;

typedef struct outcome {
    lode_status status;
    uint64_t patterns, hash, by_size[80];
    uint64_t count, final_count; /* the threshold, in the report */
    char threshold[LODE_REPORT_TEXT];
    char *bytes;
    size_t n;
    bool raised;
    uint64_t polls;
} outcome;

static void raise_now(raiser *r) {
    lode_status status = lode_job_raise_threshold(r->job, r->to);
    if (status == LODE_OK) atomic_store(&r->raised, true);
    if (status != LODE_OK) CHECK_EQUAL(status, LODE_NOTFOUND);
}

/* By another thread, which may come too late. */
static void *raise_outside(void *user) {
    raiser *r = user;
    while (!atomic_load(&r->over) && atomic_load(&r->polls) <= r->at) sched_yield();
    raise_now(r);
    return NULL;
}

static bool yes(void) {
    return true;
}

static void raise_poll(void *user) {
    raiser *r = user;
    uint64_t number = atomic_fetch_add(&r->polls, 1);
    bool owner = pthread_equal(pthread_self(), r->owner);
    if (r->moves && owner && number >= r->at && !atomic_exchange(&r->raised, true)) {
        job_move_after(r->job, 0, 0, yes);
    }
    if (r->outside) {
        if (number % 4 == 0) sched_yield();
    } else if (r->to > 0 && number >= r->at && !atomic_load(&r->raised)) {
        raise_now(r);
    }
}

/* ---- what a job leaves ----------------------------------------------------------------------- */

static void keep_bytes(outcome *o, const void *bytes, size_t n) {
    if (n == 0) return;
    o->bytes = realloc(o->bytes, o->n + n);
    if (!o->bytes) exit(2);
    memcpy(o->bytes + o->n, bytes, n);
    o->n += n;
}

static void keep_file(outcome *o, const char *name) {
    char block[4096];
    size_t n;
    FILE *f = fopen(name, "rb");
    if (!CHECK(f != NULL)) return;
    while ((n = fread(block, 1, sizeof block, f)) > 0) keep_bytes(o, block, n);
    fclose(f);
    remove(name);
}

static void keep_drawings(outcome *o) {
    char name[96];
    snprintf(name, sizeof name, "%s/index.html", folder);
    keep_file(o, name);
    for (int i = 1; i <= N_DRAWN; i++) {
        snprintf(name, sizeof name, "%s/%03d.svg", folder, i);
        if (access(name, F_OK) == 0) keep_file(o, name);
    }
    CHECK(rmdir(folder) == 0);
}

static void keep_memory(outcome *o, const trial *t, const lode_sink *sink) {
    if (t->kind == LODE_ITEMSETS) {
        lode_result r = result_of(sink);
        keep_bytes(o, r.offsets, (size_t)(r.n + 1) * sizeof *r.offsets);
        keep_bytes(o, r.items, (size_t)r.offsets[r.n] * sizeof *r.items);
        keep_bytes(o, r.supports, (size_t)r.n * sizeof *r.supports);
    } else if (t->kind == LODE_RULES) {
        lode_rule_result r = LODE_INIT(lode_rule_result);
        CHECK(lode_rule_sink_result(sink, &r));
        keep_bytes(o, r.offsets, (size_t)(2 * r.n + 1) * sizeof *r.offsets);
        keep_bytes(o, r.items, (size_t)r.offsets[2 * r.n] * sizeof *r.items);
        keep_bytes(o, r.both, (size_t)r.n * sizeof *r.both);
        keep_bytes(o, r.lhs, (size_t)r.n * sizeof *r.lhs);
    } else {
        lode_graph_result r = LODE_INIT(lode_graph_result);
        CHECK(lode_graph_sink_result(sink, &r));
        keep_bytes(o, r.supports, (size_t)r.n * sizeof *r.supports);
        keep_bytes(o, r.edge_offsets, (size_t)(r.n + 1) * sizeof *r.edge_offsets);
        keep_bytes(o, r.edge_labels, (size_t)r.edge_offsets[r.n] * sizeof *r.edge_labels);
    }
}

static void keep_report(outcome *o, const lode_job *job) {
    lode_counter c = LODE_INIT(lode_counter);
    const lode_report *report = lode_job_report(job);
    if (CHECK(lode_report_find(report, "threshold.count", &c))) o->count = c.count;
    if (CHECK(lode_report_find(report, "threshold.final_count", &c))) {
        o->final_count = c.count;
    }
    if (CHECK(lode_report_find(report, "threshold.text", &c))) {
        snprintf(o->threshold, sizeof o->threshold, "%s", c.text);
    }
    if (CHECK(lode_report_find(report, "patterns.total", &c))) CHECK_EQUAL(c.count, o->patterns);
}

/* ---- one run --------------------------------------------------------------------------------- */

static lode_status open_sink(const trial *t, lode_job *job, const lode_dataset *data,
                             const lode_graphs *graphs, lode_sink **out) {
    lode_write_options w = {.size = sizeof w, .format = t->format, .sort = t->sort};
    if (t->columns) w.csv_items = LODE_CSV_COLUMNS;
    lode_rule_write_options r = {.size = sizeof r, .format = t->format, .sort = t->sort};
    lode_graph_write_options g = {.size = sizeof g, .format = t->format};
    if (t->store == STORE_COUNT) return lode_sink_count(job, out);
    if (t->kind == LODE_ITEMSETS) {
        return t->store == STORE_HASH     ? lode_sink_hash(job, out, data)
               : t->store == STORE_MEMORY ? lode_sink_memory(job, out)
                                          : lode_sink_file(job, out, data, path, &w);
    }
    if (t->kind == LODE_RULES) {
        return t->store == STORE_HASH     ? lode_rule_sink_hash(job, out, data)
               : t->store == STORE_MEMORY ? lode_rule_sink_memory(job, out)
                                          : lode_rule_sink_file(job, out, data, path, &r);
    }
    return t->store == STORE_HASH     ? lode_graph_sink_hash(job, out, graphs)
           : t->store == STORE_MEMORY ? lode_graph_sink_memory(job, out)
                                      : lode_graph_sink_file(job, out, graphs, path, &g);
}

static lode_status run_search(trial *t, lode_job *job, const lode_dataset *data,
                              const lode_graphs *graphs, lode_sink *sink) {
    if (t->kind == LODE_ITEMSETS) return lode_mine(job, data, &t->mine, sink);
    if (t->kind == LODE_RULES) return lode_rules_mine(job, data, &t->rule, sink);
    return lode_graphs_mine(job, graphs, &t->graph, sink);
}

static void set_threshold(trial *t, uint64_t count) {
    t->mine.min_support = t->rule.min_support = t->graph.min_support = (lode_threshold){count, 0};
    t->mine.limit_seconds = t->rule.limit_seconds = t->graph.limit_seconds = 1e6; /* it polls */
}

static void take_outcome(outcome *o, const trial *t, lode_job *job, lode_sink *sink) {
    o->patterns = lode_sink_patterns(sink);
    o->hash = lode_sink_hash_value(sink);
    for (uint32_t i = 0; i < sizeof o->by_size / sizeof *o->by_size; i++) {
        o->by_size[i] = lode_sink_patterns_of_size(sink, i);
    }
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    keep_report(o, job);
    if (t->store == STORE_FILE) keep_file(o, path);
    if (t->draws) keep_drawings(o);
    if (t->store == STORE_MEMORY) keep_memory(o, t, sink);
}

/* Mines from the threshold `count` on, and raises it as `r` says. */
static outcome run_trial(trial *t, uint64_t count, raiser *r) {
    outcome o = {0};
    lode_dataset *data = NULL;
    lode_graphs *graphs = NULL;
    lode_sink *sink = NULL;
    lode_job_options options = {
        .size = sizeof options, .device = "cpu", .threads = t->threads, .memory_bytes = t->budget};
    if (lode_job_create(&r->job, NULL, &options) != LODE_OK) exit(2);
    if (t->kind == LODE_GRAPHS) {
        o.status = lode_graphs_parse(r->job, &graphs, t->text.text, t->text.n, "in", NULL);
    } else {
        o.status = lode_dataset_from_arrays(r->job, &data, t->rows.n, t->rows.offsets,
                                            t->rows.items, NULL);
    }
    CHECK_EQUAL(o.status, LODE_OK);
    set_threshold(t, count);
    CHECK_EQUAL(open_sink(t, r->job, data, graphs, &sink), LODE_OK);
    if (t->draws) {
        CHECK_EQUAL(lode_graph_sink_draw(r->job, &sink, graphs, folder, N_DRAWN, sink), LODE_OK);
    }
    r->owner = pthread_self();
    r->job->on_poll = raise_poll;
    r->job->on_poll_user = r;
    pthread_t other;
    bool outside = r->outside && pthread_create(&other, NULL, raise_outside, r) == 0;
    o.status = run_search(t, r->job, data, graphs, sink);
    atomic_store(&r->over, true);
    if (outside) pthread_join(other, NULL);
    CHECK_EQUAL(lode_job_raise_threshold(r->job, UINT64_MAX), LODE_NOTFOUND); /* it has ended */
    CHECK_EQUAL(job_check(r->job), LODE_OK);
    r->job->on_poll = NULL;
    o.polls = atomic_load(&r->polls);
    o.raised = atomic_load(&r->raised);
    if (o.status == LODE_OK) take_outcome(&o, t, r->job, sink);
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_graphs_free(graphs);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(r->job)), 0);
    lode_job_free(r->job);
    return o;
}

static bool same_outcome(const outcome *a, const outcome *b) {
    bool same = CHECK_EQUAL(a->status, b->status) & CHECK_EQUAL(a->patterns, b->patterns);
    same &= CHECK_EQUAL(a->hash, b->hash) & CHECK_EQUAL(a->n, b->n);
    same &= CHECK(memcmp(a->by_size, b->by_size, sizeof a->by_size) == 0);
    same &= CHECK_EQUAL(a->count, b->count) & CHECK_EQUAL(a->final_count, b->final_count);
    same &= CHECK(strcmp(a->threshold, b->threshold) == 0);
    if (a->n == b->n && a->n > 0) same &= CHECK(memcmp(a->bytes, b->bytes, a->n) == 0);
    return same;
}

/* ---- random jobs ----------------------------------------------------------------------------- */

static void draw_itemsets(trial *t, rng *r) {
    static const char *const algorithms[] = {NULL,       "adaptive", "frontier", "tensor",
                                             "tbi",      "goethals", "eclat",    "eclat-bits",
                                             "fpgrowth", "brute"};
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                          LODE_TARGET_TOP};
    t->mine = (lode_mine_options){.size = sizeof t->mine,
                                  .algorithm = algorithms[rng_below(r, 10)],
                                  .target = targets[rng_below(r, 4)]};
    if (t->mine.target == LODE_TARGET_TOP) t->mine.top_k = 1 + rng_below(r, 3000);
    if (t->mine.target == LODE_TARGET_TOP && rng_below(r, 2)) t->low = 0; /* as low as need be */
    if (t->mine.target != LODE_TARGET_ALL && t->mine.algorithm) t->mine.algorithm = "adaptive";
    if (rng_below(r, 4) == 0) t->mine.max_size = 2 + (uint32_t)rng_below(r, 4);
    if (rng_below(r, 4) == 0) t->mine.include = "3";
    if (rng_below(r, 6) == 0 && t->mine.target != LODE_TARGET_TOP) {
        t->mine.n_shares = 3;
        t->mine.share = 1 + (uint32_t)rng_below(r, 3);
    }
    if (rng_below(r, 4) == 0) t->mine.limit_patterns = 1u << 20; /* more than there are */
}

static void draw_rules(trial *t, rng *r) {
    t->rule = (lode_rule_options){.size = sizeof t->rule,
                                  .algorithm = rng_below(r, 2) ? "brute" : NULL,
                                  .min_confidence = {1 + rng_below(r, 8), 10}};
    if (rng_below(r, 3) == 0) t->rule.max_rhs = UINT32_MAX;
    if (rng_below(r, 3) == 0) t->rule.sort_by = "lift";
    if (rng_below(r, 4) == 0) t->rule.adjust = LODE_ADJUST_HOLM;
    if (rng_below(r, 4) == 0) t->rule.productive = true;
    if (rng_below(r, 4) == 0) t->rule.holdout = "30%";
    if (rng_below(r, 4) == 0) t->rule.include = "3";
    if (t->rule.sort_by && rng_below(r, 2)) t->rule.top = 1 + rng_below(r, 200);
}

static void draw_graphs(trial *t, rng *r) {
    static const char *const algorithms[] = {NULL, "graft", "gspan", "frontier"};
    random_shape s = {.n_graphs = 40,
                      .max_vertices = 9,
                      .max_edges = 10,
                      .vertex_labels = 2,
                      .edge_labels = 2,
                      .kind = KIND_ANY};
    t->text = random_graphs(rng_below(r, 1000000), &s);
    t->graph = options_for(algorithms[rng_below(r, 4)],
                           rng_below(r, 2) ? LODE_TARGET_ALL : LODE_TARGET_CLOSED);
    t->low = 2 + rng_below(r, 2);
    t->high = t->low + 1 + rng_below(r, 8);
    if (rng_below(r, 4) == 0) {
        t->graph.target = LODE_TARGET_TOP;
        t->graph.top_k = 1 + rng_below(r, 60);
        if (rng_below(r, 2)) t->low = 0; /* as low as need be */
    }
}

static trial draw_trial(lode_pattern_kind kind, uint64_t seed) {
    rng r = rng_make(seed, (uint64_t)kind);
    trial t = {.kind = kind, .threads = rng_below(&r, 2) ? 1 : 2 + (unsigned)rng_below(&r, 7)};
    if (kind != LODE_GRAPHS) {
        uint64_t n = 60 + rng_below(&r, 100);
        uint32_t n_items = 10 + (uint32_t)rng_below(&r, kind == LODE_RULES ? 2 : 5);
        t.rows = table_random(rng_below(&r, 1000000), n, n_items, 30, 90);
        t.low = 2 + rng_below(&r, 4);
        t.high = t.low + 1 + rng_below(&r, n / 2);
    }
    if (kind == LODE_ITEMSETS) draw_itemsets(&t, &r);
    if (kind == LODE_RULES) draw_rules(&t, &r);
    if (kind == LODE_GRAPHS) draw_graphs(&t, &r);
    t.store = (store)rng_below(&r, N_STORES);
    static const int formats[3][3] = {
        [LODE_ITEMSETS] = {LODE_WRITE_FIMI, LODE_WRITE_CSV, LODE_WRITE_ARROW},
        [LODE_GRAPHS] = {LODE_GRAPH_WRITE_GSPAN, LODE_GRAPH_WRITE_CSV, LODE_GRAPH_WRITE_ARROW},
        [LODE_RULES] = {LODE_RULE_WRITE_TEXT, LODE_RULE_WRITE_SVG, LODE_RULE_WRITE_ARROW}};
    t.format = formats[kind][rng_below(&r, 3)];
    t.columns = kind == LODE_ITEMSETS && t.format == LODE_WRITE_CSV && rng_below(&r, 2);
    t.draws = kind == LODE_GRAPHS && t.store != STORE_MEMORY && rng_below(&r, 3) == 0;
    /* What is written as it is found has an order only if one thread has found it. */
    t.sort = t.threads > 1 || rng_below(&r, 2);
    return t;
}

static void trial_free(trial *t) {
    table_free(&t->rows);
    free(t->text.text);
}

static uint64_t n_alone, n_middle; /* jobs of one thread; of these, raised between two polls */

/* Raises a job at some poll, and compares it. A search on one thread has the same polls each time,
 * so that there it must have been raised in the middle. */
static void check_trial(lode_pattern_kind kind, uint64_t seed) {
    trial t = draw_trial(kind, seed);
    raiser whole = {0}, fresh = {0}, middle = {.to = t.high};
    outcome low = run_trial(&t, t.low, &whole);
    outcome wanted = run_trial(&t, t.high, &fresh);
    rng r = rng_make(seed, 77);
    middle.at = rng_below(&r, low.polls * 9 / 10 + 1);
    outcome got = run_trial(&t, t.low, &middle);
    bool fine = CHECK(t.threads > 1 || got.raised);
    n_alone += t.threads == 1;
    n_middle += t.threads == 1 && middle.at > 0 && middle.at + 1 < low.polls;
    if (!CHECK_EQUAL(low.status, LODE_OK)) fine = false;
    fine &= same_outcome(&got, got.raised ? &wanted : &low);
    if (!fine) {
        fprintf(stderr, "  seed %llu, kind %d, %s, store %d, %u threads, %llu to %llu, poll %llu\n",
                (unsigned long long)seed, (int)kind, t.mine.algorithm ? t.mine.algorithm : "auto",
                (int)t.store, t.threads, (unsigned long long)t.low, (unsigned long long)t.high,
                (unsigned long long)middle.at);
    }
    free(low.bytes);
    free(wanted.bytes);
    free(got.bytes);
    trial_free(&t);
}

static void test_random(void) {
    uint64_t n = getenv("LODE_LONG") ? N_LONG_JOBS : N_JOBS;
    for (uint64_t seed = 1; seed <= n; seed++) {
        check_trial(LODE_ITEMSETS, seed);
        check_trial(LODE_RULES, seed);
        check_trial(LODE_GRAPHS, seed);
    }
    CHECK(n_middle > n_alone / 2); /* small jobs poll once or twice */
}

/* A raise from outside comes at any time, also at the very end: what it was told decides. */
static void test_outside(void) {
    uint64_t n = getenv("LODE_LONG") ? N_LONG_JOBS : N_JOBS;
    for (uint64_t seed = 1; seed <= n; seed++) {
        trial t = draw_trial((lode_pattern_kind)(seed % 3), 1000 + seed);
        raiser whole = {0}, fresh = {0}, outside = {.to = t.high, .outside = true};
        outcome low = run_trial(&t, t.low, &whole), wanted = run_trial(&t, t.high, &fresh);
        outside.at = low.polls * (seed % 8) / 7; /* the last: when it has ended, or is about to */
        outcome got = run_trial(&t, t.low, &outside);
        if (!same_outcome(&got, got.raised ? &wanted : &low)) {
            fprintf(stderr, "  seed %llu, raised: %d\n", (unsigned long long)seed, got.raised);
        }
        free(low.bytes);
        free(wanted.bytes);
        free(got.bytes);
        trial_free(&t);
    }
}

/* A search that begins again on another device, here the same one, with the threshold that it had;
 * and one that is raised as well. */
static void test_moves(void) {
    uint64_t again = 0;
    for (uint64_t seed = 1; seed <= N_JOBS; seed++) {
        trial t = draw_trial(LODE_ITEMSETS, 2000 + seed);
        bool top = t.mine.target == LODE_TARGET_TOP;
        raiser whole = {0}, fresh = {0}, moved = {.moves = true};
        raiser both = {.moves = true, .outside = true, .to = t.high};
        outcome low = run_trial(&t, t.low, &whole), high = run_trial(&t, t.high, &fresh);
        moved.at = both.at = low.polls * (seed % 4) / 5;
        outcome got = top ? low : run_trial(&t, t.low, &moved);
        CHECK(same_outcome(&got, &low));
        again += got.polls > low.polls;
        outcome last = top ? low : run_trial(&t, t.low, &both);
        CHECK(same_outcome(&last, last.patterns == high.patterns ? &high : &low));
        free(low.bytes);
        free(high.bytes);
        if (!top) free(got.bytes);
        if (!top) free(last.bytes);
        trial_free(&t);
    }
    CHECK(again > 0);
}

/* ---- what else can happen -------------------------------------------------------------------- */

/* A job on plain data, with what it is to do at a poll. */
typedef struct scene {
    table t;
    lode_job *job;
    lode_dataset *data;
    lode_mine_options o;
    uint64_t polls, at;
    void (*act)(struct scene *s);
    lode_status told;
} scene;

static void scene_poll(void *user) {
    scene *s = user;
    if (++s->polls == s->at) s->act(s);
}

static void scene_open(scene *s, void (*act)(scene *s)) {
    s->t = table_random(7, 100, 12, 40, 90);
    s->job = mining_job("cpu");
    s->data = mining_data(s->job, &s->t);
    s->o = mining_options("brute", 3);
    s->o.limit_seconds = 1e6; /* it polls */
    s->act = act;
    s->at = 20;
    s->told = LODE_INTERNAL;
    s->job->on_poll = scene_poll;
    s->job->on_poll_user = s;
}

static lode_status scene_mine(scene *s, lode_sink *sink) {
    s->polls = 0;
    return lode_mine(s->job, s->data, &s->o, sink);
}

/* How many sets reach a threshold. */
static uint64_t scene_count(scene *s, uint64_t min_count) {
    mined all = mine_brute(&s->t, min_count);
    uint64_t n = all.result.n;
    mined_free(&all);
    return n;
}

static void scene_close(scene *s) {
    lode_dataset_free(s->data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(s->job)), 0);
    lode_job_free(s->job);
    table_free(&s->t);
}

static void act_raise(scene *s) {
    s->told = lode_job_raise_threshold(s->job, 30);
}

static void act_several(scene *s) {
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 20), LODE_OK);
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 30), LODE_OK);
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 25), LODE_OK); /* lower: ignored */
}

static void act_lower(scene *s) {
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 2), LODE_OK);
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 3), LODE_OK);
}

static void act_most(scene *s) {
    CHECK_EQUAL(lode_job_raise_threshold(s->job, UINT64_MAX), LODE_OK);
}

static void act_cancel(scene *s) {
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 30), LODE_OK);
    lode_job_cancel(s->job);
    CHECK_EQUAL(lode_job_raise_threshold(s->job, 40), LODE_NOTFOUND);
}

static void act_too_late(scene *s) {
    job_halt(s->job, JOB_LIMIT_TIME);
    s->told = lode_job_raise_threshold(s->job, 30);
}

static void test_several(void) {
    scene s = {0};
    lode_sink *sink = NULL;
    scene_open(&s, act_several);
    CHECK_EQUAL(lode_job_raise_threshold(NULL, 1), LODE_INVALID);
    CHECK_EQUAL(lode_job_raise_threshold(s.job, 50), LODE_NOTFOUND); /* nothing runs */
    CHECK_EQUAL(lode_sink_count(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), scene_count(&s, 30));
    lode_sink_free(sink);
    s.act = act_lower;
    CHECK_EQUAL(lode_sink_count(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), scene_count(&s, 3));
    lode_sink_free(sink);
    s.act = act_most;
    s.o.algorithm = NULL;
    s.at = 5;
    CHECK_EQUAL(lode_sink_memory(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    lode_sink_free(sink);
    scene_close(&s);
}

/* What is cancelled before it has begun again has found nothing; the job can be used again. */
static void test_cancel(void) {
    scene s = {0};
    lode_sink *sink = NULL;
    lode_counter c = LODE_INIT(lode_counter);
    scene_open(&s, act_cancel);
    CHECK_EQUAL(lode_sink_memory(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_CANCELLED);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    CHECK_EQUAL(result_of(sink).n, 0);
    CHECK(lode_report_find(lode_job_report(s.job), "threshold.final_count", &c));
    CHECK_EQUAL(c.count, 30);
    lode_sink_free(sink);
    lode_job_reset(s.job);
    s.act = act_lower;
    CHECK_EQUAL(lode_sink_count(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), scene_count(&s, 3));
    lode_sink_free(sink);
    scene_close(&s);
}

static void test_limits(void) {
    scene s = {0};
    lode_sink *sink = NULL;
    scene_open(&s, act_raise);
    uint64_t most = scene_count(&s, 30) - 1;
    s.o.limit_patterns = most;
    s.at = 10; /* before it has found that many */
    CHECK_EQUAL(lode_sink_memory(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_STOPPED);
    CHECK_EQUAL(s.told, LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), most);
    lode_result r = result_of(sink);
    for (uint64_t i = 0; i < r.n; i++) CHECK(r.supports[i] >= 30);
    lode_sink_free(sink);
    s.o.limit_patterns = 0;
    s.act = act_too_late;
    CHECK_EQUAL(lode_sink_count(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_STOPPED);
    CHECK_EQUAL(s.told, LODE_NOTFOUND);
    lode_sink_free(sink);
    scene_close(&s);
}

static int take_batch(void *user, const lode_batch *batch) {
    uint64_t each = (uint64_t)1 << batch->n_perfect;
    *(uint64_t *)user += batch->n * each;
    return 0;
}

static int take_text(void *user, const char *text, size_t n) {
    (void)text;
    *(uint64_t *)user += n;
    return 0;
}

/* Sinks whose patterns others have seen, and those that have patterns already. */
static void test_refused(void) {
    scene s = {0};
    lode_sink *sink = NULL;
    uint64_t n = 0, bytes = 0;
    scene_open(&s, act_raise);
    uint64_t all = scene_count(&s, 3);
    CHECK_EQUAL(lode_sink_callback(s.job, &sink, take_batch, &n), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(s.told, LODE_UNSUPPORTED);
    CHECK_EQUAL(n, all);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_write(s.job, &sink, s.data, take_text, &bytes, NULL), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(s.told, LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_sink_patterns(sink), all);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_count(s.job, &sink), LODE_OK);
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK);
    CHECK_EQUAL(s.told, LODE_OK);
    uint64_t high = lode_sink_patterns(sink);
    CHECK_EQUAL(high, scene_count(&s, 30));
    CHECK_EQUAL(scene_mine(&s, sink), LODE_OK); /* into the same sink */
    CHECK_EQUAL(s.told, LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_sink_patterns(sink), high + all);
    lode_sink_free(sink);
    scene_close(&s);
}

/* More rows than memory has room for: those in the scratch file are dropped, too. */
static void test_sorted_on_disk(void) {
    trial t = {.kind = LODE_ITEMSETS, .store = STORE_FILE, .sort = true, .threads = 2};
    raiser whole = {0}, fresh = {0}, middle = {.to = 12, .at = 1};
    t.rows = table_random(8, 60, 18, 60, 90);
    t.mine = mining_options("adaptive", 4);
    t.budget = 4 << 20;
    outcome low = run_trial(&t, 4, &whole), wanted = run_trial(&t, 12, &fresh);
    middle.at = low.polls * 9 / 10;
    outcome got = run_trial(&t, 4, &middle);
    CHECK_EQUAL(low.status, LODE_OK);
    CHECK(low.patterns > 100000);
    same_outcome(&got, got.raised ? &wanted : &low);
    free(low.bytes);
    free(wanted.bytes);
    free(got.bytes);
    trial_free(&t);
}

/* A result that memory has no room for is one again after a raise. */
static void test_over_budget(void) {
    trial t = {.kind = LODE_ITEMSETS, .store = STORE_MEMORY, .threads = 1};
    raiser whole = {0}, fresh = {0}, middle = {.to = 30};
    t.rows = table_random(8, 60, 18, 60, 90);
    t.mine = mining_options("brute", 4);
    t.budget = 4 << 20;
    outcome low = run_trial(&t, 4, &whole), wanted = run_trial(&t, 30, &fresh);
    middle.at = low.polls * 9 / 10;
    outcome got = run_trial(&t, 4, &middle);
    CHECK_EQUAL(low.status, LODE_BUDGET);
    CHECK_EQUAL(got.status, LODE_OK);
    CHECK(got.raised);
    same_outcome(&got, &wanted);
    free(low.bytes);
    free(wanted.bytes);
    free(got.bytes);
    trial_free(&t);
}

int main(void) {
    if (!mkdtemp(directory)) return 2;
    snprintf(path, sizeof path, "%s/out", directory);
    snprintf(folder, sizeof folder, "%s/drawn", directory);
    CHECK_RUN(test_random);
    CHECK_RUN(test_outside);
    CHECK_RUN(test_moves);
    CHECK_RUN(test_several);
    CHECK_RUN(test_cancel);
    CHECK_RUN(test_limits);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_sorted_on_disk);
    CHECK_RUN(test_over_budget);
    CHECK(rmdir(directory) == 0);
    return check_result();
}
