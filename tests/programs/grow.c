/* grow.c - uses every public struct; tests/test_shared.py compiles it for other versions
 *
 * Compiled as it is, this is a program for the current version. With OLDER, the headers lack the
 * last field of every struct; with NEWER, every struct has one more field, `extra`. In all cases
 * the program runs with the current library, and prints the sizes of its structs and what it has
 * received.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* mkstemp() */
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lode_job *job;
static lode_dataset *data;
static lode_graphs *graphs;
static const char graph_text[] = "t # 1\nv 0 C\nv 1 O\ne 0 1 x\nt # 2\nv 0 C\nv 1 O\ne 0 1 x\n";

/* Ends the program with the line that is not as it should be. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (condition) break;                                                                      \
        printf("line %d: %s; %s\n", __LINE__, #condition, lode_job_error(job));                    \
        exit(1);                                                                                   \
    } while (0)

/* What a newer program asks for is refused, and so is a size that is not set. */
#ifdef NEWER
#define IN(type, name, call)                                                                       \
    do {                                                                                           \
        printf("%s %zu\n", #type, sizeof(type));                                                   \
        NEED((call) == LODE_OK);                                                                   \
        (name).extra = 1;                                                                          \
        NEED((call) == LODE_INVALID);                                                              \
        NEED(strstr(lode_job_error(error_of), "the calling program is newer than lode"));          \
        (name).extra = 0;                                                                          \
    } while (0)
#define OUT(type, name, call)                                                                      \
    do {                                                                                           \
        printf("%s %zu\n", #type, sizeof(type));                                                   \
        (name).extra = 1;                                                                          \
        NEED(call);                                                                                \
        NEED((name).extra == 0 && (name).size == sizeof(type));                                    \
    } while (0)
#else
#define IN(type, name, call)                                                                       \
    do {                                                                                           \
        printf("%s %zu\n", #type, sizeof(type));                                                   \
        NEED((call) == LODE_OK);                                                                   \
    } while (0)
#define OUT(type, name, call)                                                                      \
    do {                                                                                           \
        printf("%s %zu\n", #type, sizeof(type));                                                   \
        NEED(call);                                                                                \
        NEED((name).size == sizeof(type));                                                         \
    } while (0)
#endif

static lode_job *error_of; /* NULL where there is no job yet */

/* A callback is lent what the library has: of a newer program's struct, less than it knows. */
static void check_lent(size_t size, size_t known) {
#ifdef NEWER
    NEED(size < known);
#elif defined(OLDER)
    NEED(size >= known);
#else
    NEED(size == known);
#endif
}

static int take_batch(void *user, const lode_batch *batch) {
    check_lent(batch->size, sizeof *batch);
    *(uint64_t *)user += batch->n;
    return 0;
}

static int take_graph(void *user, const lode_graph_pattern *p) {
    check_lent(p->size, sizeof *p);
    check_lent(p->graph->size, sizeof *p->graph);
    *(uint64_t *)user += p->support * p->graph->n_edges;
    return 0;
}

static lode_status make_ctx(const lode_ctx_options *o, lode_ctx **ctx) {
    lode_ctx_free(*ctx);
    *ctx = NULL;
    return lode_ctx_create(ctx, o);
}

static lode_status make_job(lode_ctx *ctx, const lode_job_options *o) {
    lode_job *made = NULL;
    lode_status status = lode_job_create(&made, ctx, o);
    if (status == LODE_OK && !job) {
        job = made;
    } else {
        lode_job_free(made);
    }
    return status;
}

static void start(void) {
    lode_ctx *ctx = NULL;
    lode_usage u = LODE_INIT(lode_usage);
    lode_resources r = LODE_INIT(lode_resources);
    lode_ctx_options c = LODE_INIT(lode_ctx_options);
    lode_job_options j = LODE_INIT(lode_job_options);
    c.threads = 2;
    j.device = "cpu";
    IN(lode_ctx_options, c, make_ctx(&c, &ctx));
    NEED(ctx || make_ctx(&c, &ctx) == LODE_OK);
    IN(lode_job_options, j, make_job(ctx, &j));
    OUT(lode_usage, u, lode_ctx_usage(ctx, &u));
    NEED(u.threads == 2 && u.jobs_running == 0);
    OUT(lode_resources, r, lode_resources_get(&r));
    NEED(r.threads > 0 && r.memory_total > 0);
    lode_ctx_free(ctx);
    error_of = job;
}

static lode_status read_baskets(const lode_read_options *o) {
    lode_dataset_free(data);
    data = NULL;
    return lode_dataset_parse(job, &data, "1 2\n2 3\n", 8, NULL, o);
}

static lode_status read_graphs(const lode_graph_read_options *o) {
    lode_graphs_free(graphs);
    graphs = NULL;
    return lode_graphs_parse(job, &graphs, graph_text, sizeof graph_text - 1, NULL, o);
}

static lode_status gather_alone(void *user, const void *mine, void *all, const uint64_t *bytes) {
    (void)user;
    memcpy(all, mine, bytes[0]);
    return LODE_OK;
}

/* Reads together with nobody. */
static lode_status read_together(const lode_peers *peers) {
    static const char *const paths[] = {"/dev/null"};
    lode_read_options read = LODE_INIT(lode_read_options);
    lode_dataset *empty = NULL;
    read.format = LODE_FORMAT_FIMI;
    lode_status status = lode_dataset_open_together(job, &empty, paths, 1, &read, peers);
    lode_dataset_free(empty);
    return status;
}

static void read_data(void) {
    lode_read_options r = LODE_INIT(lode_read_options);
    lode_graph_read_options g = LODE_INIT(lode_graph_read_options);
    lode_profile p = LODE_INIT(lode_profile);
    lode_graph_profile q = LODE_INIT(lode_graph_profile);
    lode_graph one = LODE_INIT(lode_graph);
    r.format = LODE_FORMAT_FIMI;
    IN(lode_read_options, r, read_baskets(&r));
    lode_peers alone = LODE_INIT(lode_peers);
    alone.n = 1;
    alone.gather = gather_alone;
    IN(lode_peers, alone, read_together(&alone));
    IN(lode_graph_read_options, g, read_graphs(&g));
    NEED(read_baskets(&r) == LODE_OK && read_graphs(&g) == LODE_OK);
    OUT(lode_profile, p, lode_dataset_profile(data, &p));
    NEED(p.n_transactions == 2 && p.longest == 2);
    OUT(lode_graph_profile, q, lode_graphs_profile(graphs, &q));
    NEED(q.n_graphs == 2 && q.n_vertices == 4);
    OUT(lode_graph, one, lode_graphs_at(graphs, 0, &one));
    NEED(one.n_edges == 1 && one.from[0] == 0);
#ifndef OLDER /* which knows no labels of edges, and they must be there */
    uint64_t support = 0;
    IN(lode_graph, one, lode_graphs_support(job, graphs, graphs, &one, false, &support));
    NEED(support == 2);
#endif
}

static lode_status copy_graphs(const lode_graph_arrays *a, lode_graphs **out) {
    lode_graphs_free(*out);
    *out = NULL;
    return lode_graphs_from_arrays(job, out, a);
}

static void from_arrays(void) {
    const uint64_t vertices[] = {0, 2}, edges[] = {0, 1};
    const uint32_t labels[] = {6, 8}, from[] = {0}, to[] = {1};
    lode_graph_arrays a = LODE_INIT(lode_graph_arrays);
    lode_graphs *copy = NULL;
    lode_graph one = LODE_INIT(lode_graph);
    a.n_graphs = 1;
    a.vertex_offsets = vertices;
    a.vertex_labels = labels;
    a.edge_offsets = edges;
    a.from = from;
    a.to = to;
    IN(lode_graph_arrays, a, copy_graphs(&a, &copy));
    NEED(copy_graphs(&a, &copy) == LODE_OK);
    NEED(lode_graphs_at(copy, 0, &one) && one.n_edges == 1 && one.vertex_labels[1] == 8);
    lode_graphs_free(copy);
}

static void mine(void) {
    lode_mine_options m = LODE_INIT(lode_mine_options);
    lode_paper_options papers = LODE_INIT(lode_paper_options);
    lode_class_options classes = LODE_INIT(lode_class_options);
    lode_result r = LODE_INIT(lode_result);
    lode_progress p = LODE_INIT(lode_progress);
    lode_sink *sink = NULL, *kept = NULL, *file = NULL;
    lode_write_options w = LODE_INIT(lode_write_options);
    uint64_t n = 0;
    m.min_support.numerator = 1;
    m.papers = &papers;
    NEED(lode_sink_callback(job, &sink, take_batch, &n) == LODE_OK);
    IN(lode_mine_options, m, lode_mine(job, data, &m, sink));
    printf("lode_batch %zu\n", sizeof(lode_batch));
    NEED(n > 0 && lode_sink_patterns(sink) == 5);
    OUT(lode_progress, p, lode_job_progress(job, &p));
    NEED(strcmp(p.phase, "mine") == 0 && p.patterns == 5);
    IN(lode_paper_options, papers, lode_dataset_prepare(job, data, &m));
#ifdef OLDER /* where no field points to it */
    printf("lode_class_options %zu\n", sizeof classes);
#else
    m.classes = &classes;
    IN(lode_class_options, classes, lode_dataset_prepare(job, data, &m));
#endif
    NEED(lode_sink_memory(job, &kept) == LODE_OK);
    NEED(lode_mine(job, data, &m, kept) == LODE_OK && lode_sink_finish(kept, false) == 0);
    OUT(lode_result, r, lode_sink_result(kept, &r));
    NEED(r.n == 5 && r.items[0] == 1);
    w.format = LODE_WRITE_CSV;
    IN(lode_write_options, w,
       (lode_sink_free(file), file = NULL, lode_sink_file(job, &file, data, "/dev/null", &w)));
    lode_sink_free(file);
    lode_sink_free(kept);
    lode_sink_free(sink);
}

static void report(void) {
    const lode_report *what = lode_job_report(job);
    lode_report_head head = LODE_INIT(lode_report_head);
    lode_counter value = LODE_INIT(lode_counter);
    lode_table table = LODE_INIT(lode_table);
    OUT(lode_report_head, head, lode_report_get_head(what, &head));
    NEED(head.patterns == 5 && head.min_count == 1 && !head.graphs);
    OUT(lode_counter, value, lode_report_find(what, "device.threads", &value));
    NEED(strcmp(value.name, "device.threads") == 0 && value.count >= 1);
    OUT(lode_table, table, lode_report_find_table(what, "patterns.by_size", &table));
    NEED(table.n_columns == 2);
}

static void mine_graphs(void) {
    lode_graph_options g = LODE_INIT(lode_graph_options);
    lode_graph_write_options w = LODE_INIT(lode_graph_write_options);
    lode_graph_result r = LODE_INIT(lode_graph_result);
    lode_sink *sink = NULL, *kept = NULL, *file = NULL;
    uint64_t n = 0;
    g.min_support.numerator = 2;
    NEED(lode_graph_sink_callback(job, &sink, take_graph, &n) == LODE_OK);
    IN(lode_graph_options, g, lode_graphs_mine(job, graphs, &g, sink));
    printf("lode_graph_pattern %zu\n", sizeof(lode_graph_pattern));
    NEED(n == 2);
    NEED(lode_graph_sink_memory(job, &kept) == LODE_OK);
    NEED(lode_graphs_mine(job, graphs, &g, kept) == LODE_OK);
    OUT(lode_graph_result, r, lode_graph_sink_result(kept, &r));
    NEED(r.n == 1 && r.supports[0] == 2 && r.edge_offsets[1] == 1);
    w.format = LODE_GRAPH_WRITE_JSONL;
    IN(lode_graph_write_options, w,
       (lode_sink_free(file), file = NULL,
        lode_graph_sink_file(job, &file, graphs, "/dev/null", &w)));
    lode_sink_free(file);
    lode_sink_free(kept);
    lode_sink_free(sink);
}

static void generate(void) {
    lode_quest_options q = LODE_INIT(lode_quest_options);
    lode_mutate_options m = LODE_INIT(lode_mutate_options);
    lode_graphgen_options g = LODE_INIT(lode_graphgen_options);
    q.n_transactions = g.n_graphs = 5;
    m.times = 1;
    IN(lode_quest_options, q, lode_generate_quest(job, "/dev/null", &q));
    IN(lode_mutate_options, m, lode_generate_mutate(job, data, "/dev/null", &m));
    IN(lode_graphgen_options, g, lode_generate_graphs(job, "/dev/null", &g));
}

static int take_basket(void *user, const lode_basket *basket) {
    (void)user;
    check_lent(basket->size, sizeof(lode_basket));
    return 0;
}

static lode_status clean_again(const lode_dataset *noisy, const lode_clean_options *o) {
    lode_dataset *out = NULL;
    lode_status status = lode_clean(job, &out, noisy, o, NULL);
    lode_dataset_free(out);
    return status;
}

static void clean(void) {
    static const char text[] = "Milk,milk\nabcdefg,abcdefh\n";
    lode_dataset *noisy = NULL, *out = NULL;
    lode_clean_report *report_of = NULL;
    lode_clean_options c = LODE_INIT(lode_clean_options);
    lode_select_options s = LODE_INIT(lode_select_options);
    lode_basket_write_options w = LODE_INIT(lode_basket_write_options);
    lode_clean_step step = LODE_INIT(lode_clean_step);
    lode_clean_merge merge = LODE_INIT(lode_clean_merge);
    lode_clean_hint hint = LODE_INIT(lode_clean_hint);
    c.fold_case = true;
    NEED(lode_dataset_parse(job, &noisy, text, sizeof text - 1, NULL, NULL) == LODE_OK);
    IN(lode_clean_options, c, clean_again(noisy, &c));
    NEED(lode_clean(job, &out, noisy, &c, &report_of) == LODE_OK);
    OUT(lode_clean_step, step, lode_clean_step_at(report_of, 0, &step));
    OUT(lode_clean_merge, merge, lode_clean_merge_at(report_of, 0, &merge));
    OUT(lode_clean_hint, hint, lode_clean_hint_at(report_of, 0, &hint));
    IN(lode_select_options, s, lode_dataset_select(job, out, &s, take_basket, NULL, NULL));
    IN(lode_basket_write_options, w, lode_dataset_write(job, out, NULL, "/dev/null", &w));
    printf("lode_basket %zu\n", sizeof(lode_basket));
    lode_clean_report_free(report_of);
    lode_dataset_free(out);
    lode_dataset_free(noisy);
}

static void lists(void) {
    lode_build b = LODE_INIT(lode_build);
    lode_algorithm a = LODE_INIT(lode_algorithm);
    lode_device d = LODE_INIT(lode_device);
    OUT(lode_build, b, lode_build_info(&b));
    NEED(b.compiler[0]);
    OUT(lode_algorithm, a, lode_algorithm_at(LODE_ITEMSETS, 0, &a));
    NEED(a.name[0] && a.summary[0]);
    OUT(lode_device, d, lode_device_at(0, &d));
    NEED(strcmp(d.name, "cpu") == 0 && d.usable);
    printf("lode_option %zu\n", sizeof(lode_option));
    check_lent(lode_option_at(0)->size, sizeof(lode_option));
    NEED(strcmp(lode_option_at(0)->name, "min-support") == 0);
}

/* A rule comes in, and is lent by callbacks. */
static void measures(void) {
    lode_measure m = LODE_INIT(lode_measure);
    lode_rule r = LODE_INIT(lode_rule);
    size_t lift = 0;
    OUT(lode_measure, m, lode_measure_at(0, &m));
    NEED(strcmp(m.name, "support") == 0);
    printf("lode_rule %zu\n", sizeof(lode_rule));
    r.counts = (lode_counts){2, 4, 5, 20};
    NEED(lode_measure_find("lift", &lift) && lode_measure_value(lift, &r) == 2.0);
}

static int take_advice(void *user, const lode_advice *advice) {
    (void)user;
    check_lent(advice->size, sizeof *advice);
    return 0;
}

/* Stores one itemset that is made here. */
static void save(void) {
    const uint64_t ends[] = {0, 1}, counts[] = {1};
    const uint32_t items[] = {0};
    lode_save_columns c = LODE_INIT(lode_save_columns);
    c.n = c.n_names = c.total = 1;
    c.offsets = c.name_offsets = ends;
    c.items = items;
    c.counts = counts;
    c.names = "a";
    IN(lode_save_columns, c, lode_store_save(job, "/dev/null", &c));
}

/* Asks the stored rules of a file. */
static void ask(lode_store *store) {
    lode_store_info about = LODE_INIT(lode_store_info);
    lode_column column = LODE_INIT(lode_column);
    lode_store_row row = LODE_INIT(lode_store_row);
    lode_query_options q = LODE_INIT(lode_query_options);
    lode_query_write_options w = LODE_INIT(lode_query_write_options);
    lode_histogram_options h = LODE_INIT(lode_histogram_options);
    lode_histogram drawn = LODE_INIT(lode_histogram);
    lode_apply_options a = LODE_INIT(lode_apply_options);
    lode_apply_summary summary = LODE_INIT(lode_apply_summary);
    lode_page page = LODE_INIT(lode_page);
    uint64_t n = 0, rows[4];
    OUT(lode_store_info, about, lode_store_about(store, &about));
    NEED(about.kind == LODE_RULES && about.rows == 4);
    OUT(lode_column, column, lode_store_column(store, 0, &column));
    OUT(lode_store_row, row, lode_store_row_at(store, 0, &row) == LODE_OK);
    IN(lode_query_options, q, lode_store_count(store, &q, &n));
    NEED(n == 4);
    OUT(lode_page, page, lode_store_page(store, &q, 0, rows, 4, &page) == LODE_OK);
    IN(lode_query_write_options, w, lode_store_write(store, NULL, "/dev/null", &w, NULL));
    save();
    h.x = "both";
    IN(lode_histogram_options, h, lode_store_histogram(store, NULL, &h, &drawn));
    OUT(lode_histogram, drawn, lode_store_histogram(store, NULL, &h, &drawn) == LODE_OK);
    IN(lode_apply_options, a, lode_store_apply(store, data, &a, take_advice, NULL));
    printf("lode_advice %zu\n", sizeof(lode_advice));
    OUT(lode_apply_summary, summary,
        lode_store_apply_file(store, data, &a, "/dev/null", &summary) == LODE_OK);
}

static void rules(void) {
    static char path[] = "/tmp/lode-grow-XXXXXX";
    lode_rule_options r = LODE_INIT(lode_rule_options);
    lode_rule_write_options w = LODE_INIT(lode_rule_write_options);
    lode_rule_result kept = LODE_INIT(lode_rule_result);
    lode_sink *sink = NULL, *file = NULL;
    lode_store *store = NULL;
    int made = mkstemp(path);
    NEED(made >= 0 && close(made) == 0);
    r.min_support.numerator = 1;
    NEED(lode_rule_sink_memory(job, &sink) == LODE_OK);
    IN(lode_rule_options, r, lode_rules_mine(job, data, &r, sink));
    OUT(lode_rule_result, kept, lode_rule_sink_result(sink, &kept));
    NEED(kept.n == 4);
    w.format = LODE_RULE_WRITE_ARROW;
    IN(lode_rule_write_options, w,
       (lode_sink_free(file), file = NULL, lode_rule_sink_file(job, &file, data, path, &w)));
    NEED(file || lode_rule_sink_file(job, &file, data, path, &w) == LODE_OK);
    NEED(lode_rules_mine(job, data, &r, file) == LODE_OK);
    NEED(lode_sink_finish(file, false) == LODE_OK);
    NEED(lode_store_open(job, &store, path) == LODE_OK);
    ask(store);
    lode_store_free(store);
    lode_sink_free(file);
    lode_sink_free(sink);
    remove(path);
}

static lode_status suggest_again(const lode_suggest_options *o) {
    lode_suggestion *s = NULL;
    lode_status status = lode_suggest(job, data, o, &s);
    lode_suggestion_free(s);
    return status;
}

static void suggest(void) {
    lode_suggest_options o = LODE_INIT(lode_suggest_options);
    lode_suggest_point point = LODE_INIT(lode_suggest_point);
    lode_suggestion *s = NULL;
    o.want = 2;
    IN(lode_suggest_options, o, suggest_again(&o));
    NEED(lode_suggest(job, data, &o, &s) == LODE_OK);
    OUT(lode_suggest_point, point, lode_suggestion_point(s, 0, &point));
    lode_suggestion_free(s);
}

static void tasks(void) {
    lode_mine_options m = LODE_INIT(lode_mine_options);
    lode_task_search search = LODE_INIT(lode_task_search);
    lode_task task = LODE_INIT(lode_task);
    const lode_task *first = &task;
    lode_tasks *all = NULL;
    lode_sink *sink = NULL;
    m.min_support.numerator = 1;
    NEED(lode_tasks_create(job, &all, data, &m, 1) == LODE_OK);
    NEED(lode_sink_count(job, &sink) == LODE_OK);
    OUT(lode_task, task, lode_tasks_at(all, 0, &task));
    search.tasks = &first;
    search.n_tasks = 1;
    IN(lode_task_search, search, lode_mine_tasks(job, data, &m, &search, sink));
    lode_sink_free(sink);
    lode_tasks_free(all);
}

static void journals(void) {
    lode_journal_search search = LODE_INIT(lode_journal_search);
    lode_journal_record record = LODE_INIT(lode_journal_record);
    lode_journal *journal = NULL;
    uint64_t piece = 0;
    char path[] = "/tmp/lode-grow-XXXXXX";
    int file = mkstemp(path);
    NEED(file >= 0 && close(file) == 0 && unlink(path) == 0);
    IN(lode_journal_search, search, lode_journal_create(job, &journal, path, &search));
    record.done = &piece;
    record.n_done = 1;
    IN(lode_journal_record, record, lode_journal_append(journal, &record));
    lode_journal_free(journal);
    unlink(path);
}

/* The structs of a lode_options are as long as the library's, and are passed on. */
static void by_name(void) {
    lode_options *o = NULL;
    lode_sink *sink = NULL;
    lode_dataset *other = NULL;
    NEED(lode_options_create(&o) == LODE_OK);
    NEED(lode_options_set(o, "min-support", "100%", NULL, 0) == LODE_OK);
    NEED(lode_dataset_parse(job, &other, "1 2\n2 3\n", 8, NULL, lode_options_read(o)) == LODE_OK);
    NEED(lode_sink_count(job, &sink) == LODE_OK);
    NEED(lode_mine(job, other, lode_options_mine(o), sink) == LODE_OK);
    NEED(lode_sink_patterns(sink) == 1);
    lode_sink_free(sink);
    lode_dataset_free(other);
    lode_options_free(o);
}

int main(void) {
    start();
    read_data();
    from_arrays();
    mine();
    report();
    mine_graphs();
    generate();
    clean();
    lists();
    measures();
    rules();
    suggest();
    tasks();
    journals();
    by_name();
    lode_dataset_free(data);
    lode_graphs_free(graphs);
    lode_job_free(job);
    printf("done\n");
    return 0;
}
