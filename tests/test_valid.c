/* test_valid.c - public functions with enums and numbers out of range, and with options that cannot
 * be combined
 *
 * tests/test_public.py checks that no enum of the options is missing here. test_null.c tests NULL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>

#include "public_calls.h"

/* ---- ranges --------------------------------------------------------------------------------- */

/* Each function makes a call with one enum, a field of `o`, set to something. */
static lode_status use_read(const void *o) {
    lode_dataset *out = NULL;
    lode_status status = lode_dataset_parse(job, &out, "a 1\n", 4, "x", o);
    lode_dataset_free(out);
    return status;
}

static lode_status use_mine(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine(job, data, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_sink_file(job, &sink, data, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_graph(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_graphs_mine(job, graphs, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_prepare(const void *o) {
    return lode_dataset_prepare(job, data, o);
}

static lode_status use_graph_prepare(const void *o) {
    return lode_graphs_prepare(job, graphs, o);
}

static lode_status use_graph_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_graph_sink_file(job, &sink, graphs, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_rule_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_rule_sink_file(job, &sink, data, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_query_write(const void *o) {
    return lode_store_write(store, NULL, "/dev/null", o, NULL);
}

static lode_status use_apply(const void *o) {
    return lode_store_apply_file(store, data, o, "/dev/null", NULL);
}

static lode_status use_basket_write(const void *o) {
    return lode_dataset_write(job, data, NULL, "/dev/null", o);
}

/* Everything but 0 … last of one enum is refused by name; 0 … last is understood. */
static void check_enum(void *options, void *field, int last, const char *name,
                       lode_status (*use)(const void *)) {
    const int wrong[] = {last + 1, 99, 31, 32, 33, 64, -1, -99, INT_MAX, INT_MIN};
    for (int i = 0; i <= last; i++) {
        memcpy(field, &i, sizeof i);
        CHECK(use(options) != LODE_INVALID || !strstr(lode_job_error(job), "expected 0 to"));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(field, &wrong[i], sizeof wrong[i]);
        BAD(use(options), name);
        BAD(use(options), "expected 0 to");
    }
    memset(field, 0, sizeof(int));
}

static lode_status use_rule(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_rules_mine(job, data, o, sink);
    lode_sink_free(sink);
    return status;
}

static void enums(void) {
    all_options o = all_defaults();
    o.mine.min_support.numerator = o.graph.min_support.numerator = 1;
    o.mine.top_k = o.graph.top_k = 3;
    check_enum(&o.read, &o.read.format, LODE_FORMAT_ATTRIBUTES, "format", use_read);
    check_enum(&o.mine, &o.mine.target, LODE_TARGET_GENERATORS, "target", use_mine);
    check_enum(&o.mine, &o.mine.product, LODE_PRODUCT_WGMMA, "product", use_mine);
    check_enum(&o.write, &o.write.format, LODE_WRITE_PARQUET, "format", use_write);
    check_enum(&o.write, &o.write.csv_items, LODE_CSV_COLUMNS, "csv_items", use_write);
    check_enum(&o.graph, &o.graph.target, LODE_TARGET_GENERATORS, "target", use_graph);
    check_enum(&o.graph_write, &o.graph_write.format, LODE_GRAPH_WRITE_PARQUET, "format",
               use_graph_write);
    check_enum(&o.rule_write, &o.rule_write.format, LODE_RULE_WRITE_PARQUET, "format",
               use_rule_write);
    o.rule.min_support.numerator = 1;
    check_enum(&o.rule, &o.rule.adjust, LODE_ADJUST_BY, "adjust", use_rule);
    check_enum(&o.query_write, &o.query_write.format, LODE_STORE_SMARTS, "format", use_query_write);
    check_enum(&o.apply, &o.apply.format, LODE_STORE_JSONL, "format", use_apply);
    o.mine.classes = &o.class;
    check_enum(&o.mine, &o.class.by, LODE_BY_FDR, "by", use_mine);
    check_enum(&o.mine, &o.class.alternative, LODE_LESS, "alternative", use_mine);
    o.mine.papers = o.graph.papers = &o.paper;
    check_enum(&o.mine, &o.paper.popcount, LODE_POPCOUNT_CONSTANT16, "popcount", use_mine);
    check_enum(&o.mine, &o.paper.reduce, LODE_REDUCE_POW2, "reduce", use_mine);
    check_enum(&o.mine, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_mine);
    check_enum(&o.graph, &o.paper.records, LODE_GRAPH_RECORDS_COLUMNS, "records", use_graph);
    check_enum(&o.graph, &o.paper.loads, LODE_GRAPH_LOADS_PLAIN, "loads", use_graph);
    check_enum(&o.graph, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_graph);
    check_enum(&o.mine, &o.paper.grid, LODE_GRID_SQUARE, "grid", use_prepare);
    check_enum(&o.graph, &o.paper.loads, LODE_GRAPH_LOADS_PLAIN, "loads", use_graph_prepare);
}

static void basket_enums(void) {
    struct {
        lode_basket_write_options basket_write;
    } o = {LODE_INIT(lode_basket_write_options)};
    check_enum(&o.basket_write, &o.basket_write.format, LODE_BASKET_CSV, "format",
               use_basket_write);
}

static lode_status use_quest(const void *o) {
    return lode_generate_quest(job, "/dev/null", o);
}

static lode_status use_graphgen(const void *o) {
    return lode_generate_graphs(job, "/dev/null", o);
}

static void generator_enums(void) {
    struct {
        lode_quest_options quest;
        lode_graphgen_options graphgen;
    } o = {LODE_INIT(lode_quest_options), LODE_INIT(lode_graphgen_options)};
    o.quest.n_transactions = o.graphgen.n_graphs = 5;
    check_enum(&o.quest, &o.quest.like, LODE_QUEST_LIKE_IBM, "like", use_quest);
    check_enum(&o.graphgen, &o.graphgen.model, LODE_GRAPHS_MOLECULES, "model", use_graphgen);
    o.graphgen.model = LODE_GRAPHS_RANDOM;
    check_enum(&o.graphgen, &o.graphgen.label_weights, LODE_LABELS_EVEN, "label_weights",
               use_graphgen);
}

static void sizes(void) {
    all_options o = all_defaults();
    lode_sink *sink = NULL;
    lode_sink *graph_sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_sink_count(job, &graph_sink), LODE_OK);
    o.mine.min_support.numerator = o.graph.min_support.numerator = 1;
    o.read.size = o.mine.size = o.write.size = 0;
    o.graph.size = o.graph_read.size = o.graph_write.size = SIZE_MAX;
    BAD(use_read(&o.read), "size");
    BAD(use_mine(&o.mine), "size");
    BAD(use_write(&o.write), "size");
    BAD(use_graph(&o.graph), "size");
    BAD(use_graph_write(&o.graph_write), "size");
    BAD(use_rule_write(&(lode_rule_write_options){0}), "size");
    o.rule.size = 0;
    BAD(use_rule(&o.rule), "size");
    BAD(lode_dataset_prepare(job, data, &o.mine), "size");
    BAD(lode_graphs_prepare(job, graphs, &o.graph), "size");
    lode_graphs *out = NULL;
    BAD(lode_graphs_from_arrays(job, &out, &(lode_graph_arrays){0}), "size");
    BAD(lode_graphs_parse(job, &out, "t", 1, "x", &o.graph_read), "size");
    BAD(lode_generate_quest(job, "/tmp/x", &(lode_quest_options){0}), "size");
    BAD(lode_generate_mutate(job, data, "/tmp/x", &(lode_mutate_options){0}), "size");
    BAD(lode_generate_graphs(job, "/tmp/x", &(lode_graphgen_options){0}), "size");
    lode_sink_free(sink);
    lode_sink_free(graph_sink);
}

static void numbers(void) {
    const double wrong[] = {-1, -INFINITY, NAN};
    lode_mine_options m = {.size = sizeof m, .min_support = {1, 0}};
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        m.limit_seconds = g.limit_seconds = wrong[i];
        BAD(use_mine(&m), "time limit");
        BAD(use_graph(&g), "time limit");
    }
    m.limit_seconds = g.limit_seconds = INFINITY;
    CHECK_EQUAL(use_mine(&m), LODE_OK);
    CHECK_EQUAL(use_graph(&g), LODE_OK);
    m.min_support = g.min_support = (lode_threshold){3, 2};
    BAD(use_mine(&m), "above 100%");
    BAD(use_graph(&g), "above 100%");
    m.min_support = g.min_support = (lode_threshold){0, 7};
    BAD(use_mine(&m), "missing");
    BAD(use_graph(&g), "missing");
    lode_job *other = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 1025};
    MUTE(lode_job_create(&other, NULL, &c));
    c.threads = UINT_MAX;
    MUTE(lode_job_create(&other, NULL, &c));
    lode_read_options part = {.size = sizeof part, .part = 1};
    BAD(use_read(&part), "part is 1");
    CHECK(!other);
}

/* ---- what does not go together -------------------------------------------------------------- */

static void wrong_arrays(void) {
    lode_dataset *out = NULL;
    const uint64_t falling[] = {0, 3, 1}, later[] = {2, 3};
    const uint32_t items[] = {7, 8, 9}, weights[] = {0};
    BAD(lode_dataset_from_arrays(job, &out, 2, falling, items, NULL), "offsets[2]");
    CHECK_EQUAL(lode_dataset_from_arrays(job, &out, UINT64_MAX, falling, items, NULL),
                LODE_UNSUPPORTED);
    CHECK(!out);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &out, 1, later, items, weights), LODE_OK);
    CHECK_EQUAL(lode_dataset_item_support(out, 9), 0); /* of weight 0: as if it were not there */
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 2}};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, out, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    lode_sink_free(sink);
    lode_dataset_free(out);
}

static void wrong_patterns(void) {
    lode_graph good = graph_at(graphs, 0), p = good;
    const uint32_t far[] = {2}, label[] = {0, 99};
    uint64_t support = 7;
    p.n_vertices = 0;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "no vertex");
    p = good;
    p.to = far;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support),
        "has a vertex that does not exist");
    p = good;
    p.from = far;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support),
        "has a vertex that does not exist");
    p = good;
    p.vertex_labels = label;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "label");
    p = good;
    p.edge_labels = label + 1;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "label");
    p = good;
    p.edge_labels = NULL;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "is NULL");
    p = good;
    p.vertex_labels = NULL;
    BAD(lode_graphs_support(job, graphs, graphs, &p, false, &support), "is NULL");
    CHECK_EQUAL(support, 7);
    CHECK_EQUAL(lode_graphs_support(job, graphs, graphs, &good, false, &support), LODE_OK);
    CHECK_EQUAL(support, 1);
}

/* A sink of another job, of another data set, or that has been finished. */
static void wrong_sinks(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_job *other = NULL;
    lode_sink *foreign = NULL, *hash = NULL, *file = NULL;
    lode_dataset *longer = NULL;
    CHECK_EQUAL(lode_job_create(&other, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_count(other, &foreign), LODE_OK);
    BAD(lode_mine(job, data, &o, foreign), "another job");
    CHECK_EQUAL(lode_dataset_parse(job, &longer, "1 2 3 4 5 99999\n", 16, "x", NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_hash(job, &hash, data), LODE_OK);
    BAD(lode_mine(job, longer, &o, hash), "another data set");
    CHECK_EQUAL(lode_sink_file(job, &file, data, "/dev/null", NULL), LODE_OK);
    BAD(lode_mine(job, longer, &o, file), "another data set");
    CHECK_EQUAL(lode_mine(job, data, &o, file), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(file, false), LODE_OK);
    BAD(lode_sink_finish(file, false), "already finished");
    BAD(lode_mine(job, data, &o, file), "already finished");
    lode_sink_free(file);
    lode_sink_free(hash);
    lode_sink_free(foreign);
    lode_dataset_free(longer);
    lode_job_free(other);
}

static void wrong_graph_sinks(void) {
    lode_graph_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_sink *file = NULL, *draw = NULL;
    lode_graphs *more = NULL;
    const char text[] = "t # 1\nv 0 A\nv 1 B\nv 2 Z\ne 0 1 x\ne 1 2 y\n";
    CHECK_EQUAL(lode_graphs_parse(job, &more, text, sizeof text - 1, "x", NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_file(job, &file, graphs, "/dev/null", NULL), LODE_OK);
    BAD(lode_graphs_mine(job, more, &o, file), "another data set");
    BAD(lode_graph_sink_draw(job, &draw, more, "/tmp", 1, file), "another data set");
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &o, file), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(file, false), LODE_OK);
    BAD(lode_sink_finish(file, false), "already finished");
    BAD(lode_graphs_mine(job, graphs, &o, file), "already finished");
    CHECK(!draw);
    lode_sink_free(file);
    lode_graphs_free(more);
}

/* Sinks take patterns of their kind only, but for those that count. */
static void sinks_of_the_other_kind(void) {
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}};
    lode_sink *items = NULL, *subgraphs = NULL, *draw = NULL, *count = NULL;
    lode_result r = {.size = sizeof r};
    lode_graph_result gr = {.size = sizeof gr};
    uint64_t support;
    const uint32_t item = 1;
    CHECK_EQUAL(lode_sink_memory(job, &items), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_memory(job, &subgraphs), LODE_OK);
    BAD(lode_mine(job, data, &o, subgraphs), "the sink does not accept itemsets");
    BAD(lode_graphs_mine(job, graphs, &g, items), "the sink does not accept graphs");
    BAD(lode_graph_sink_draw(job, &draw, graphs, "/tmp", 1, items), "does not accept graphs");
    CHECK(!draw && !lode_sink_result(subgraphs, &r) && !lode_graph_sink_result(items, &gr));
    BAD(lode_result_support(subgraphs, &item, 1, &support, NULL),
        "this sink keeps no result in memory");
    lode_sink_free(items);
    lode_sink_free(subgraphs);
    CHECK_EQUAL(lode_graph_sink_file(job, &subgraphs, graphs, "/dev/null", NULL), LODE_OK);
    BAD(lode_mine(job, data, &o, subgraphs), "the sink does not accept itemsets");
    lode_sink_free(subgraphs);
    subgraphs = NULL;

    CHECK_EQUAL(lode_graph_sink_hash(job, &subgraphs, graphs), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_draw(job, &draw, graphs, "build/kinds.svg", 1, subgraphs), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &g, draw), LODE_OK);
    CHECK(lode_sink_hash_value(draw) !=
          0); /* what it answers is of the sink that it passes on to */
    CHECK_EQUAL(lode_sink_hash_value(draw), lode_sink_hash_value(subgraphs));
    lode_sink_free(draw);

    CHECK_EQUAL(lode_sink_count(job, &count), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, count), LODE_OK);
    uint64_t n = lode_sink_patterns(count);
    CHECK_EQUAL(lode_graphs_mine(job, graphs, &g, count), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(count), n + 1);
    lode_sink_free(count);
}

int main(void) {
    open_all();
    open_store();
    CHECK_RUN(enums);
    CHECK_RUN(basket_enums);
    CHECK_RUN(generator_enums);
    CHECK_RUN(sizes);
    CHECK_RUN(numbers);
    CHECK_RUN(wrong_arrays);
    CHECK_RUN(wrong_patterns);
    CHECK_RUN(wrong_sinks);
    CHECK_RUN(wrong_graph_sinks);
    CHECK_RUN(sinks_of_the_other_kind);
    close_all();
    return check_result();
}
