/* test_grow.c - every public struct, shorter and longer than the library's
 *
 * The rows below are all structs of the public headers; tests/test_public.py checks this, and that
 * `last` is the last field of each. Structs are passed in blocks of exactly their size, so that a
 * sanitizer detects accesses beyond them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lode.h"
#include "stores.h"

static lode_job *job;
static lode_dataset *data;
static lode_graphs *graphs;
static lode_job *mined; /* with a report, of which nothing changes */
static lode_sink *kept;
static lode_sink *kept_graphs;
static lode_sink *kept_rules;
static store_data rules;  /* a stored result … */
static lode_store *store; /* … that is open */

static const char graph_text[] = "t # 1\nv 0 C\nv 1 O\ne 0 1 x\n";

/* ---- structs that are passed in -------------------------------------------------------------- */

static lode_status use_ctx(const void *o) {
    lode_ctx *ctx = NULL;
    lode_status status = lode_ctx_create(&ctx, o);
    lode_ctx_free(ctx);
    return status;
}

static lode_status use_job(const void *o) {
    lode_job *other = NULL;
    lode_status status = lode_job_create(&other, NULL, o);
    lode_job_free(other);
    return status;
}

static lode_status use_read(const void *o) {
    lode_dataset *out = NULL;
    lode_status status = lode_dataset_parse(job, &out, "1 2\n", 4, "x", o);
    lode_dataset_free(out);
    return status;
}

static lode_status use_mine(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine(job, data, o, sink);
    if (status == LODE_OK) CHECK_EQUAL(lode_sink_patterns(sink), 5);
    lode_sink_free(sink);
    return status;
}

/* Behind a pointer. */
static lode_status use_papers(const void *o) {
    lode_mine_options m = {.size = sizeof m, .min_support = {1, 0}, .papers = o};
    return use_mine(&m);
}

static lode_status use_graph(const void *o);

static lode_status use_classes(const void *o) {
    lode_mine_options m = {.size = sizeof m, .min_support = {1, 0}, .classes = o};
    return use_mine(&m);
}

static lode_status use_graph_papers(const void *o) {
    lode_graph_options g = {.size = sizeof g, .min_support = {1, 0}, .papers = o};
    return use_graph(&g);
}

static lode_status use_write(const void *o) {
    lode_sink *sink = NULL;
    lode_status status = lode_sink_file(job, &sink, data, "/dev/null", o);
    lode_sink_free(sink);
    return status;
}

static lode_status use_graph_read(const void *o) {
    lode_graphs *out = NULL;
    lode_status status = lode_graphs_parse(job, &out, graph_text, sizeof graph_text - 1, "x", o);
    lode_graphs_free(out);
    return status;
}

static lode_status use_graph(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_graphs_mine(job, graphs, o, sink);
    if (status == LODE_OK) CHECK_EQUAL(lode_sink_patterns(sink), 1);
    lode_sink_free(sink);
    return status;
}

static lode_status use_prepare(const void *o) {
    return lode_dataset_prepare(job, data, o);
}

static lode_status use_graph_prepare(const void *o) {
    return lode_graphs_prepare(job, graphs, o);
}

static lode_status use_arrays(const void *o) {
    lode_graphs *out = NULL;
    lode_status status = lode_graphs_from_arrays(job, &out, o);
    lode_graph_profile p = {.size = sizeof p};
    lode_graphs_profile(out, &p);
    lode_graphs_free(out);
    bool none = status == LODE_OK && p.n_graphs == 0; /* it ends before it tells of any */
    return none ? LODE_INVALID : status;
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

static lode_status use_quest(const void *o) {
    return lode_generate_quest(job, "/dev/null", o);
}

static lode_status use_mutate(const void *o) {
    return lode_generate_mutate(job, data, "/dev/null", o);
}

static lode_status use_graphgen(const void *o) {
    return lode_generate_graphs(job, "/dev/null", o);
}

static lode_status use_pattern(const void *o) {
    uint64_t support = 0;
    lode_status status = lode_graphs_support(job, graphs, graphs, o, false, &support);
    if (status == LODE_OK) CHECK_EQUAL(support, 1);
    return status;
}

static lode_status use_rule(const void *o) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_rules_mine(job, data, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_clean(const void *o) {
    lode_dataset *out = NULL;
    lode_status status = lode_clean(job, &out, data, o, NULL);
    lode_dataset_free(out);
    return status;
}

static lode_status use_select(const void *o) {
    uint64_t n = 0;
    lode_status status = lode_dataset_select(job, data, o, NULL, NULL, &n);
    if (status == LODE_OK) CHECK_EQUAL(n, 2);
    return status;
}

static lode_status use_basket_write(const void *o) {
    return lode_dataset_write(job, data, NULL, "/dev/null", o);
}

static lode_status use_query(const void *o) {
    uint64_t n = 0;
    lode_status status = lode_store_count(store, o, &n);
    if (status == LODE_OK) CHECK_EQUAL(n, 20);
    return status;
}

static lode_status use_query_write(const void *o) {
    return lode_store_write(store, NULL, "/dev/null", o, NULL);
}

static lode_status use_histogram(const void *o) {
    lode_histogram h = LODE_INIT(lode_histogram);
    return lode_store_histogram(store, NULL, o, &h);
}

static lode_status use_apply(const void *o) {
    return lode_store_apply_file(store, data, o, "/dev/null", NULL);
}

static lode_status use_save(const void *o) {
    return lode_store_save(job, "/dev/null", o);
}

static lode_status use_suggest(const void *o) {
    lode_suggestion *out = NULL;
    lode_status status = lode_suggest(job, data, o, &out);
    lode_suggestion_free(out);
    return status;
}

/* With these fields the calls succeed; everything else is at its default. */
static const lode_ctx_options given_ctx = {.size = sizeof given_ctx};
static const lode_job_options given_job = {.size = sizeof given_job};
static const lode_read_options given_read = {.size = sizeof given_read};
static const lode_mine_options given_mine = {.size = sizeof given_mine, .min_support = {1, 0}};
static const lode_rule_options given_rule = {.size = sizeof given_rule, .min_support = {1, 0}};
static const lode_write_options given_write = {.size = sizeof given_write};
static const lode_graph_read_options given_graph_read = {.size = sizeof given_graph_read};
static const lode_graph_options given_graph = {.size = sizeof given_graph, .min_support = {1, 0}};
static const lode_mine_options given_prepare = {.size = sizeof given_prepare,
                                                .min_support = {1, 0}};
static const lode_graph_options given_graph_prepare = {.size = sizeof given_graph_prepare,
                                                       .min_support = {1, 0}};
static const lode_graph_write_options given_graph_write = {.size = sizeof given_graph_write};
static const lode_rule_write_options given_rule_write = {.size = sizeof given_rule_write};
static const lode_class_options given_classes = {.size = sizeof given_classes};
static const lode_paper_options given_papers = {.size = sizeof given_papers};
static const lode_paper_options given_graph_papers = {.size = sizeof given_graph_papers};
static const lode_quest_options given_quest = {.size = sizeof given_quest, .n_transactions = 5};
static const lode_mutate_options given_mutate = {.size = sizeof given_mutate, .times = 1};
static const lode_graphgen_options given_graphgen = {.size = sizeof given_graphgen, .n_graphs = 5};
static const lode_clean_options given_clean = {.size = sizeof given_clean};
static const lode_select_options given_select = {.size = sizeof given_select};
static const lode_basket_write_options given_basket_write = {.size = sizeof given_basket_write};
static const lode_query_options given_query = {.size = sizeof given_query};
static const lode_query_write_options given_query_write = {.size = sizeof given_query_write};
static const lode_histogram_options given_histogram = {.size = sizeof given_histogram, .x = "both"};
static const lode_apply_options given_apply = {.size = sizeof given_apply};
static const uint64_t saved_ends[] = {0, 1};
static const uint32_t saved_items[] = {0};
static const lode_save_columns given_save = {.size = sizeof given_save,
                                             .n = 1,
                                             .offsets = saved_ends,
                                             .items = saved_items,
                                             .counts = saved_ends + 1,
                                             .n_names = 1,
                                             .name_offsets = saved_ends,
                                             .names = "a",
                                             .total = 1};
static lode_status use_task(const void *o) {
    lode_mine_options mine = {.size = sizeof mine, .min_support = {1, 0}};
    const lode_task *task = o;
    lode_task_search search = {.size = sizeof search, .tasks = &task, .n_tasks = 1};
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine_tasks(job, data, &mine, &search, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_task_search(const void *o) {
    lode_mine_options mine = {.size = sizeof mine, .min_support = {1, 0}};
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    lode_status status = lode_mine_tasks(job, data, &mine, o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status use_journal_search(const void *o) {
    lode_journal *journal = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/lode-grow-%ld.journal", (long)getpid());
    lode_status status = lode_journal_create(job, &journal, path, o);
    lode_journal_free(journal);
    unlink(path);
    return status;
}

static lode_status use_journal_record(const void *o) {
    lode_journal_search search = {.size = sizeof search, .options = ""};
    lode_journal *journal = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/lode-grow-%ld.journal", (long)getpid());
    if (lode_journal_create(job, &journal, path, &search) != LODE_OK) exit(2);
    lode_status status = lode_journal_append(journal, o);
    lode_journal_free(journal);
    unlink(path);
    return status;
}

static lode_status gather_alone(void *user, const void *mine, void *all, const uint64_t *bytes) {
    (void)user;
    memcpy(all, mine, bytes[0]);
    return LODE_OK;
}

static lode_status use_peers(const void *o) {
    static const char *const paths[] = {"/dev/null"};
    lode_read_options read = {.size = sizeof read, .format = LODE_FORMAT_FIMI};
    lode_dataset *out = NULL;
    lode_status status = lode_dataset_open_together(job, &out, paths, 1, &read, o);
    lode_dataset_free(out);
    return status;
}

static const lode_peers given_peers = {.size = sizeof given_peers, .n = 1, .gather = gather_alone};
static const lode_journal_search given_journal_search = {.size = sizeof given_journal_search,
                                                         .options = ""};
static const lode_journal_record given_journal_record = {.size = sizeof given_journal_record};
static const lode_task given_task = {.size = sizeof given_task, .end = 2};
static const lode_task_search given_task_search = {.size = sizeof given_task_search};
static const lode_suggest_options given_suggest = {.size = sizeof given_suggest, .want = 2};
static lode_graph given_pattern = {.size = sizeof given_pattern};
static const lode_graph_arrays given_arrays = {
    .size = sizeof given_arrays,
    .n_graphs = 1,
    .vertex_offsets = (const uint64_t[]){0, 2},
    .vertex_labels = (const uint32_t[]){6, 8},
    .edge_offsets = (const uint64_t[]){0, 1},
    .from = (const uint32_t[]){0},
    .to = (const uint32_t[]){1},
};

typedef struct in_row {
    const char *name;
    size_t bytes, last;
    size_t least; /* with fewer bytes, something is missing that must be there */
    const void *given;
    lode_status (*use)(const void *);
} in_row;

/* Structs that come in end with their last field: in padding, a field that is added one day would
 * find what older programs happen to have there. */
#define IN(type, last, least, of)                                                                  \
    { #type, sizeof(type), offsetof(type, last), least, &given_##of, use_##of }
#define NO_PADDING(type, last)                                                                     \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), #type)

static const in_row in_rows[] = {
    IN(lode_ctx_options, memory_origin, 0, ctx),
    IN(lode_job_options, memory_origin, 0, job),
    IN(lode_read_options, bins, 0, read),
    IN(lode_mine_options, classes, 2 * sizeof(uint64_t), mine),
    IN(lode_write_options, classes, 0, write),
    IN(lode_graph_read_options, labels, 0, graph_read),
    IN(lode_graph_options, classes, 2 * sizeof(uint64_t), graph),
    IN(lode_graph_write_options, classes, 0, graph_write),
    IN(lode_rule_write_options, reserved, 0, rule_write),
    IN(lode_paper_options, reserved, 0, papers),
    IN(lode_class_options, alternative, 0, classes),
    IN(lode_paper_options, reserved, 0, graph_papers),
    IN(lode_quest_options, like, 0, quest),
    IN(lode_mutate_options, seed, 0, mutate),
    IN(lode_graphgen_options, reserved, 0, graphgen),
    IN(lode_graph, edge_labels, sizeof(lode_graph), pattern),
    IN(lode_graph_arrays, reserved, offsetof(lode_graph_arrays, edge_labels), arrays),
    IN(lode_mine_options, classes, 2 * sizeof(uint64_t), prepare),
    IN(lode_graph_options, classes, 2 * sizeof(uint64_t), graph_prepare),
    IN(lode_rule_options, limit_patterns, 2 * sizeof(uint64_t), rule),
    IN(lode_clean_options, reserved, 0, clean),
    IN(lode_select_options, reserved, 0, select),
    IN(lode_basket_write_options, reserved, 0, basket_write),
    IN(lode_query_options, pick, 0, query),
    IN(lode_query_write_options, measures, 0, query_write),
    IN(lode_histogram_options, y_high, 2 * sizeof(uint64_t), histogram),
    IN(lode_apply_options, reserved, 0, apply),
    IN(lode_save_columns, reserved, offsetof(lode_save_columns, min_count), save),
    IN(lode_suggest_options, at, 0, suggest),
    IN(lode_task, reserved, 0, task),
    IN(lode_task_search, worth, 0, task_search),
    IN(lode_journal_search, options, 0, journal_search),
    IN(lode_journal_record, bytes_hash, 0, journal_record),
    IN(lode_peers, user, offsetof(lode_peers, user), peers),
};

NO_PADDING(lode_ctx_options, memory_origin);
NO_PADDING(lode_job_options, memory_origin);
NO_PADDING(lode_read_options, bins);
NO_PADDING(lode_mine_options, classes);
NO_PADDING(lode_rule_options, limit_patterns);
NO_PADDING(lode_write_options, classes);
NO_PADDING(lode_graph_read_options, labels);
NO_PADDING(lode_graph_options, classes);
NO_PADDING(lode_graph_write_options, classes);
NO_PADDING(lode_rule_write_options, reserved);
NO_PADDING(lode_paper_options, reserved);
NO_PADDING(lode_class_options, alternative);
NO_PADDING(lode_quest_options, like);
NO_PADDING(lode_mutate_options, seed);
NO_PADDING(lode_graphgen_options, reserved);
NO_PADDING(lode_suggest_options, at);
NO_PADDING(lode_task, reserved);
NO_PADDING(lode_task_search, worth);
NO_PADDING(lode_journal_search, options);
NO_PADDING(lode_journal_record, bytes_hash);
NO_PADDING(lode_peers, user);
NO_PADDING(lode_graph, edge_labels);
NO_PADDING(lode_graph_arrays, reserved);
NO_PADDING(lode_clean_options, reserved);
NO_PADDING(lode_select_options, reserved);
NO_PADDING(lode_basket_write_options, reserved);
NO_PADDING(lode_query_options, pick);
NO_PADDING(lode_query_write_options, measures);
NO_PADDING(lode_histogram_options, y_high);
NO_PADDING(lode_apply_options, reserved);
NO_PADDING(lode_save_columns, reserved);

#define N_IN (sizeof in_rows / sizeof *in_rows)

static unsigned char *block_of(size_t bytes) {
    unsigned char *block = malloc(bytes);
    if (!block) exit(2);
    return block;
}

/* Calls with a struct of `has` bytes, zero beyond the library's, that says it has `size`. */
static lode_status use_sized(const in_row *row, size_t has, size_t size, int beyond) {
    unsigned char *block = block_of(has);
    size_t known = has < row->bytes ? has : row->bytes;
    memset(block, 0, has);
    memcpy(block, row->given, known);
    memcpy(block, &size, sizeof size);
    if (has > row->bytes) block[has - 1] = (unsigned char)beyond;
    lode_status status = row->use(block);
    free(block);
    return status;
}

static const char *said(const in_row *row) {
    bool none = row->use == use_ctx || row->use == use_job; /* there is no job yet */
    return lode_job_error(none ? NULL : job);
}

static void check_said(const in_row *row, const char *words) {
    if (CHECK(strstr(said(row), words) != NULL) & CHECK(strstr(said(row), row->name) != NULL)) {
        return;
    }
    fprintf(stderr, "  %s said: %s\n", row->name, said(row));
}

/* The size of a struct without its last field, as a compiler makes it. */
static size_t size_before(size_t last) {
    return (last + sizeof(size_t) - 1) / sizeof(size_t) * sizeof(size_t);
}

/* Down to the size alone; what lies behind it is not looked at. */
static void shorter(void) {
    for (size_t i = 0; i < N_IN; i++) {
        const in_row *row = &in_rows[i];
        CHECK(row->last > sizeof(size_t) && row->last < row->bytes);
        for (size_t size = sizeof size; size <= row->bytes; size += sizeof size) {
            bool enough = size >= row->least;
            lode_status want = enough ? LODE_OK : LODE_INVALID;
            if (!CHECK_EQUAL(use_sized(row, size, size, 0), want)) {
                fprintf(stderr, "  %s of %zu bytes: %s\n", row->name, size, said(row));
            }
            if (!enough) CHECK(!strstr(said(row), "size"));
        }
        size_t before = size_before(row->last);
        if (before < row->least) continue;
        unsigned char *block = block_of(row->bytes);
        memcpy(block, row->given, row->bytes);
        memcpy(block, &before, sizeof before);
        memset(block + before, 0xff, row->bytes - before);
        CHECK_EQUAL(row->use(block), LODE_OK);
        free(block);
    }
}

static void longer(void) {
    const size_t more[] = {8, 16, 1000, 4096};
    for (size_t i = 0; i < N_IN; i++) {
        const in_row *row = &in_rows[i];
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            size_t size = row->bytes + more[k];
            CHECK_EQUAL(use_sized(row, size, size, 0), LODE_OK);
            CHECK_EQUAL(use_sized(row, size, size, 1), LODE_INVALID);
            check_said(row, "the calling program is newer than lode");
            CHECK_EQUAL(use_sized(row, size, size, 0x80), LODE_INVALID);
        }
    }
}

/* Bytes that a later version may use. */
static void reserved(void) {
    for (size_t i = 0; i < N_IN; i++) {
        const in_row *row = &in_rows[i];
        if (row->use != use_write && row->use != use_graph_read && row->use != use_graph_write &&
            row->use != use_graphgen && row->use != use_arrays && row->use != use_papers &&
            row->use != use_graph_papers && row->use != use_read && row->use != use_clean &&
            row->use != use_select && row->use != use_basket_write && row->use != use_apply &&
            row->use != use_save) {
            continue;
        }
        size_t first = row->last, end = row->bytes;
        if (row->use == use_read) { /* which has a field after them */
            first = offsetof(lode_read_options, reserved);
            end = offsetof(lode_read_options, spill);
        } else if (row->use == use_write) { /* likewise */
            first = offsetof(lode_write_options, reserved);
            end = offsetof(lode_write_options, measures);
        } else if (row->use == use_graph_read) { /* likewise */
            first = offsetof(lode_graph_read_options, reserved);
            end = offsetof(lode_graph_read_options, labels);
        } else if (row->use == use_graph_write) { /* likewise */
            first = offsetof(lode_graph_write_options, reserved);
            end = offsetof(lode_graph_write_options, classes);
        }
        for (size_t at = first; at < end; at++) {
            unsigned char *block = block_of(row->bytes);
            memcpy(block, row->given, row->bytes);
            block[at] = 1;
            CHECK_EQUAL(row->use(block), LODE_INVALID);
            check_said(row, "the calling program is newer than lode");
            free(block);
        }
    }
}

static void without_size(void) {
    for (size_t i = 0; i < N_IN; i++) {
        const in_row *row = &in_rows[i];
        const size_t wrong[] = {0,       1, 7, row->bytes - 1, row->bytes + 1, row->bytes + 4104,
                                SIZE_MAX};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            CHECK_EQUAL(use_sized(row, row->bytes, wrong[k], 0), LODE_INVALID);
            check_said(row, "is not set");
        }
    }
}

/* ---- structs that are filled ----------------------------------------------------------------- */

static bool get_build(void *out) {
    return lode_build_info(out);
}

static bool get_profile(void *out) {
    return lode_dataset_profile(data, out);
}

static bool get_graph_profile(void *out) {
    return lode_graphs_profile(graphs, out);
}

static bool get_graph(void *out) {
    return lode_graphs_at(graphs, 0, out);
}

static bool get_result(void *out) {
    return lode_sink_result(kept, out);
}

static bool get_graph_result(void *out) {
    return lode_graph_sink_result(kept_graphs, out);
}

static bool get_rule_result(void *out) {
    return lode_rule_sink_result(kept_rules, out);
}

static bool get_rhs(void *out) {
    return lode_report_get_head(lode_job_report(mined), out);
}

static bool get_value_at(void *out) {
    return lode_report_counter_at(lode_job_report(mined), 0, out);
}

static bool get_value(void *out) {
    return lode_report_find(lode_job_report(mined), "memory.peak", out);
}

static bool get_cell(void *out) {
    return lode_report_cell(lode_job_report(mined), "patterns.by_size", 0, 0, out);
}

static bool get_counter(void *out) {
    return lode_counter_at(0, out);
}

static bool get_table_at(void *out) {
    return lode_report_table_at(lode_job_report(mined), 0, out);
}

static bool get_table(void *out) {
    return lode_report_find_table(lode_job_report(mined), "patterns.by_size", out);
}

static bool get_algorithm(void *out) {
    return lode_algorithm_at(LODE_ITEMSETS, 0, out);
}

static bool get_graph_algorithm(void *out) {
    return lode_algorithm_at(LODE_GRAPHS, 0, out);
}

static bool get_device(void *out) {
    return lode_device_at(0, out);
}

static lode_clean_report *cleaned; /* with a merge and a hint */

static bool get_clean_step(void *out) {
    return lode_clean_step_at(cleaned, 0, out);
}

static bool get_clean_merge(void *out) {
    return lode_clean_merge_at(cleaned, 0, out);
}

static bool get_clean_hint(void *out) {
    return lode_clean_hint_at(cleaned, 0, out);
}

static lode_job *idle; /* of which nothing changes */

static bool get_progress(void *out) {
    return lode_job_progress(idle, out);
}

static bool get_usage(void *out) {
    return lode_ctx_usage(lode_job_ctx(idle), out);
}

static bool get_resources(void *out) {
    return lode_resources_get(out);
}

static bool get_measure(void *out) {
    return lode_measure_at(0, out);
}

static bool get_store_info(void *out) {
    return lode_store_about(store, out);
}

static bool get_column(void *out) {
    return lode_store_column(store, 2, out);
}

static bool get_store_row(void *out) {
    return lode_store_row_at(store, 3, out) == LODE_OK;
}

static bool get_page(void *out) {
    uint64_t rows[4];
    return lode_store_page(store, NULL, 0, rows, 4, out) == LODE_OK;
}

static bool get_histogram(void *out) {
    return lode_store_histogram(store, NULL, &given_histogram, out) == LODE_OK;
}

static bool get_apply_summary(void *out) {
    return lode_store_apply_file(store, data, NULL, "/dev/null", out) == LODE_OK;
}

static bool get_suggest_point(void *out) {
    lode_suggest_options o = {.size = sizeof o, .want = 2};
    lode_suggestion *s = NULL;
    lode_job *own = NULL;
    CHECK_EQUAL(lode_job_create(&own, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_suggest(own, data, &o, &s), LODE_OK);
    bool got = lode_suggestion_point(s, 0, out);
    lode_suggestion_free(s);
    lode_job_free(own);
    return got;
}

typedef struct out_row {
    const char *name;
    size_t bytes, last;
    bool (*get)(void *);
} out_row;

#define OUT(type, last, of)                                                                        \
    { #type, sizeof(type), offsetof(type, last), get_##of }

static const out_row out_rows[] = {
    OUT(lode_build, cuda, build),
    OUT(lode_profile, sheet, profile),
    OUT(lode_suggest_point, high, suggest_point),
    OUT(lode_profile, columns, profile),
    OUT(lode_graph_profile, read_seconds, graph_profile),
    OUT(lode_graph, edge_labels, graph),
    OUT(lode_result, supports, result),
    OUT(lode_algorithm, targets, algorithm),
    OUT(lode_algorithm, targets, graph_algorithm),
    OUT(lode_device, detail, device),
    OUT(lode_progress, left_most, progress),
    OUT(lode_usage, memory_budget, usage),
    OUT(lode_resources, memory_origin, resources),
    OUT(lode_graph_result, embeddings, graph_result),
    OUT(lode_rule_result, held_out, rule_result),
    OUT(lode_report_head, memory_peak, rhs),
    OUT(lode_counter, text, value_at),
    OUT(lode_counter, text, value),
    OUT(lode_counter, text, cell),
    OUT(lode_counter, text, counter),
    OUT(lode_table, n_rows, table_at),
    OUT(lode_table, n_rows, table),
    OUT(lode_measure, needs, measure),
    OUT(lode_clean_step, asked, clean_step),
    OUT(lode_clean_merge, baskets, clean_merge),
    OUT(lode_clean_hint, to_baskets, clean_hint),
    OUT(lode_store_info, order, store_info),
    OUT(lode_column, better, column),
    OUT(lode_store_row, text_bytes, store_row),
    OUT(lode_page, found, page),
    OUT(lode_histogram, undefined, histogram),
    OUT(lode_apply_summary, most_unknown, apply_summary),
};

#define N_OUT (sizeof out_rows / sizeof *out_rows)

/* Between a field and what follows, where there may be anything. */
typedef struct gap {
    const char *name;
    size_t from, to;
} gap;

#define GAP_TO(type, field, to)                                                                    \
    { #type, offsetof(type, field) + sizeof(((type *)0)->field), to }
#define GAP(type, field, next) GAP_TO(type, field, offsetof(type, next))

static const gap gaps[] = {
    GAP(lode_profile, separator, read_seconds),
    GAP(lode_graph_profile, directed, read_seconds),
    GAP(lode_algorithm, weights, targets),
    GAP_TO(lode_device, detail, sizeof(lode_device)),
    GAP(lode_usage, jobs_waiting, memory_used),
    GAP(lode_resources, threads, memory_total),
    GAP(lode_resources, memory_total, memory_origin), /* what other programs leave */
    GAP(lode_report_head, partial, message),
    GAP(lode_report_head, largest, min_count),
    GAP(lode_report_head, threads, memory_peak),
    GAP(lode_counter, unit, count),
    GAP(lode_column, stored, better),
};

static bool in_gap(const out_row *row, size_t at) {
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        bool within = at >= gaps[i].from && at < gaps[i].to;
        if (within && strcmp(gaps[i].name, row->name) == 0) return true;
    }
    return false;
}

/* A struct of `size` bytes, as it is after the call. */
static unsigned char *filled(const out_row *row, size_t size) {
    unsigned char *block = block_of(size);
    memset(block, 0xaa, size);
    memcpy(block, &size, sizeof size);
    if (!CHECK(row->get(block))) fprintf(stderr, "  %s of %zu bytes\n", row->name, size);
    return block;
}

static void fills(void) {
    for (size_t i = 0; i < N_OUT; i++) {
        const out_row *row = &out_rows[i];
        const size_t sizes[] = {sizeof(size_t), size_before(row->last), row->bytes,
                                row->bytes + 8, row->bytes + 64,        row->bytes + 4096};
        unsigned char *want = filled(row, row->bytes);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            size_t size = sizes[k], known = size < row->bytes ? size : row->bytes, said = 0;
            unsigned char *got = filled(row, size);
            memcpy(&said, got, sizeof said);
            CHECK_EQUAL(said, size);
            for (size_t at = sizeof size; at < known; at++) {
                if (in_gap(row, at) || CHECK_EQUAL(got[at], want[at])) continue;
                fprintf(stderr, "  byte %zu of a %s of %zu bytes\n", at, row->name, size);
            }
            for (size_t at = row->bytes; at < size; at++) CHECK_EQUAL(got[at], 0);
            free(got);
        }
        free(want);
    }
}

/* Nothing is written to a struct whose size is not set. */
static void fills_nothing(void) {
    for (size_t i = 0; i < N_OUT; i++) {
        const size_t wrong[] = {0, 7, 9, SIZE_MAX, out_rows[i].bytes + 4104};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            size_t small = wrong[k];
            CHECK(!out_rows[i].get(&small) && small == wrong[k]);
        }
    }
}

/* What there is nothing to say of is zero, as long as the caller has it. */
static void fills_zero(void) {
    lode_profile p = {.size = sizeof p, .longest = 7};
    CHECK(!lode_dataset_profile(NULL, &p) && p.longest == 0 && p.size == sizeof p);
    lode_graph g = {.size = sizeof g, .n_edges = 7};
    CHECK(!lode_graphs_at(graphs, 1, &g) && g.n_edges == 0);
    lode_algorithm a = {.size = sizeof a, .name = "x"};
    CHECK(!lode_algorithm_at(LODE_ITEMSETS, SIZE_MAX, &a) && !a.name);
    lode_device d = {.size = sizeof d, .name = "x"};
    CHECK(!lode_device_at(99, &d) && !d.name);
    lode_progress q = {.size = sizeof q, .seconds = 7};
    CHECK(!lode_job_progress(NULL, &q) && q.seconds == 0);
    lode_usage u = {.size = sizeof u, .threads = 7};
    CHECK(!lode_ctx_usage(NULL, &u) && u.threads == 0);
    lode_graph_result r = {.size = sizeof r, .n = 7};
    CHECK(!lode_graph_sink_result(NULL, &r) && r.n == 0);
}

/* And of a report, whichever way it is asked. */
static void reports_zero(void) {
    const lode_report *report = lode_job_report(mined);
    lode_report_head h = {.size = sizeof h, .patterns = 7};
    CHECK(!lode_report_get_head(NULL, &h) && h.patterns == 0);
    lode_counter c = {.size = sizeof c, .count = 7};
    CHECK(!lode_report_find(report, "nothing of this name", &c) && c.count == 0);
    c.count = 7;
    CHECK(!lode_report_counter_at(report, SIZE_MAX, &c) && c.count == 0);
    c.count = 7;
    CHECK(!lode_counter_at(SIZE_MAX, &c) && c.count == 0);
    for (size_t i = 0; i < 2; i++) { /* no such row, no such column */
        c.count = 7;
        CHECK(!lode_report_cell(report, "patterns.by_size", i ? 0 : 99, i ? 99 : 0, &c));
        CHECK_EQUAL(c.count, 0);
    }
    lode_table t = {.size = sizeof t, .n_rows = 7};
    CHECK(!lode_report_table_at(report, SIZE_MAX, &t) && t.n_rows == 0);
    t.n_rows = 7;
    CHECK(!lode_report_find_table(NULL, "levels", &t) && t.n_rows == 0);
}

/* ---- structs that are lent ------------------------------------------------------------------- */

typedef struct lent_row {
    const char *name;
    size_t bytes, last;
} lent_row;

/* tests/test_callbacks.c looks at the sizes that callbacks are told. */
#define LENT(type, last)                                                                           \
    { #type, sizeof(type), offsetof(type, last) }

static const lent_row lent_rows[] = {
    LENT(lode_batch, n_perfect), LENT(lode_graph_pattern, adjusted_p), LENT(lode_option, help),
    LENT(lode_rule, adjusted_p), LENT(lode_basket, id_bytes),          LENT(lode_advice, held),
};

/* A rule also comes in, with or without what was not asked for. */
static void takes_rules(void) {
    lode_rule rule = {.size = sizeof rule, .counts = {3, 4, 5, 10}, .adjusted_p = 0.25};
    size_t support = 0, adjusted = 0;
    CHECK(lode_measure_find("support", &support) && lode_measure_find("adjustedP", &adjusted));
    for (size_t size = sizeof size; size <= sizeof rule + 64; size += sizeof size) {
        unsigned char *block = block_of(size);
        memset(block, 0, size);
        memcpy(block, &rule, size < sizeof rule ? size : sizeof rule);
        memcpy(block, &size, sizeof size);
        double share = lode_measure_value(support, (lode_rule *)block);
        double p = lode_measure_value(adjusted, (lode_rule *)block);
        bool counted = size >= offsetof(lode_rule, held_out);
        CHECK(counted ? share == 0.3 : !(share > 0));
        CHECK(size >= sizeof rule ? p == 0.25 : isnan(p));
        free(block);
    }
    rule.size = 0;
    CHECK(isnan(lode_measure_value(support, &rule)));
}

static void lends(void) {
    for (size_t i = 0; i < sizeof lent_rows / sizeof *lent_rows; i++) {
        CHECK(lent_rows[i].last < lent_rows[i].bytes);
    }
    for (size_t i = 0; lode_option_at(i); i++) {
        CHECK_EQUAL(lode_option_at(i)->size, sizeof(lode_option));
    }
    /* Structs of options as the library has them, whatever the program knows. */
    lode_options *o = NULL;
    CHECK_EQUAL(lode_options_create(&o), LODE_OK);
    CHECK_EQUAL(lode_options_ctx(o)->size, sizeof(lode_ctx_options));
    CHECK_EQUAL(lode_options_job(o)->size, sizeof(lode_job_options));
    CHECK_EQUAL(lode_options_read(o)->size, sizeof(lode_read_options));
    CHECK_EQUAL(lode_options_mine(o)->size, sizeof(lode_mine_options));
    CHECK_EQUAL(lode_options_write(o)->size, sizeof(lode_write_options));
    CHECK_EQUAL(lode_options_graph_read(o)->size, sizeof(lode_graph_read_options));
    CHECK_EQUAL(lode_options_graph(o)->size, sizeof(lode_graph_options));
    CHECK_EQUAL(lode_options_graph_write(o)->size, sizeof(lode_graph_write_options));
    CHECK_EQUAL(lode_options_suggest(o)->size, sizeof(lode_suggest_options));
    CHECK_EQUAL(lode_options_papers(o)->size, sizeof(lode_paper_options));
    CHECK_EQUAL(lode_options_clean(o)->size, sizeof(lode_clean_options));
    CHECK_EQUAL(lode_options_select(o)->size, sizeof(lode_select_options));
    CHECK_EQUAL(lode_options_basket_write(o)->size, sizeof(lode_basket_write_options));
    CHECK(lode_options_mine(o)->papers == lode_options_papers(o));
    CHECK(lode_options_mine(o)->classes == lode_options_classes(o));
    CHECK(lode_options_write(o)->classes == lode_options_classes(o));
    CHECK(lode_options_graph(o)->papers == lode_options_papers(o));
    lode_options_free(o);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Texts that live on are copies: those of a job, and those of what it is to expect. */
static void texts(void) {
    char device[] = "cpu*2", algorithm[] = "frontier";
    lode_job *other = NULL;
    lode_sink *sink = NULL;
    lode_job_options j = {.size = sizeof j, .device = device};
    lode_mine_options m = {.size = sizeof m, .min_support = {1, 0}, .algorithm = algorithm};
    CHECK_EQUAL(lode_job_create(&other, NULL, &j), LODE_OK);
    CHECK_EQUAL(lode_job_expect(other, &m), LODE_OK);
    memset(device, 'x', sizeof device - 1);
    memset(algorithm, 'x', sizeof algorithm - 1);
    CHECK_EQUAL(lode_sink_count(other, &sink), LODE_OK);
    m.algorithm = "frontier";
    CHECK_EQUAL(lode_mine(other, data, &m, sink), LODE_OK);
    lode_counter devices = {.size = sizeof devices};
    CHECK(lode_report_find(lode_job_report(other), "device.devices", &devices));
    CHECK_EQUAL(devices.count, 2);
    lode_sink_free(sink);
    m.size = 0;
    CHECK_EQUAL(lode_job_expect(other, &m), LODE_INVALID);
    CHECK(strstr(lode_job_error(other), "is not set") != NULL);
    CHECK_EQUAL(lode_job_expect(other, NULL), LODE_OK);
    lode_job_free(other);
}

static void open_cleaned(void) {
    static const char text[] = "Milk,milk\nabcdefg,abcdefh\n";
    lode_clean_options o = {.size = sizeof o, .fold_case = true};
    lode_dataset *noisy = NULL, *out = NULL;
    bool fine = lode_dataset_parse(job, &noisy, text, sizeof text - 1, NULL, NULL) == LODE_OK &&
                lode_clean(job, &out, noisy, &o, &cleaned) == LODE_OK;
    lode_dataset_free(noisy);
    lode_dataset_free(out);
    if (!fine) exit(2);
}

static void open_all(void) {
    lode_job_options options = {.size = sizeof options, .threads = 1, .device = "cpu"};
    bool fine =
        lode_job_create(&job, NULL, &options) == LODE_OK &&
        lode_job_create(&idle, NULL, &options) == LODE_OK &&
        lode_job_create(&mined, NULL, &options) == LODE_OK &&
        lode_dataset_parse(job, &data, "1 2\n2 3\n", 8, NULL, NULL) == LODE_OK &&
        lode_graphs_parse(job, &graphs, graph_text, sizeof graph_text - 1, NULL, NULL) == LODE_OK &&
        lode_graphs_at(graphs, 0, &given_pattern) &&
        lode_graph_sink_memory(mined, &kept_graphs) == LODE_OK &&
        lode_graphs_mine(mined, graphs, &given_graph, kept_graphs) == LODE_OK &&
        lode_sink_finish(kept_graphs, false) == LODE_OK &&
        lode_rule_sink_memory(mined, &kept_rules) == LODE_OK &&
        lode_sink_memory(mined, &kept) == LODE_OK &&
        lode_mine(mined, data, &given_mine, kept) == LODE_OK &&
        lode_sink_finish(kept, false) == LODE_OK;
    if (!fine) exit(2);
    open_cleaned();
}

static void open_store(void) {
    rng dice = rng_make(1, 1);
    rules = store_make(job, LODE_RULES, 20, 20, &dice);
    if (lode_store_open(job, &store, rules.path) != LODE_OK) exit(2);
}

int main(void) {
    open_all();
    open_store();
    CHECK_RUN(shorter);
    CHECK_RUN(longer);
    CHECK_RUN(reserved);
    CHECK_RUN(without_size);
    CHECK_RUN(fills);
    CHECK_RUN(fills_nothing);
    CHECK_RUN(fills_zero);
    CHECK_RUN(reports_zero);
    CHECK_RUN(lends);
    CHECK_RUN(takes_rules);
    CHECK_RUN(texts);
    lode_clean_report_free(cleaned);
    lode_store_free(store);
    store_drop(&rules);
    lode_sink_free(kept);
    lode_sink_free(kept_graphs);
    lode_sink_free(kept_rules);
    lode_graphs_free(graphs);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_job_free(idle);
    lode_job_free(mined);
    return check_result();
}
