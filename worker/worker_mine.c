/* worker_mine.c - mine: mines the open data set, and writes itemsets, rules or graphs to an Arrow
 * file, or answers with the best of them
 *
 * Data that a search prepares stay with the data set, so the next search with the same or a higher
 * threshold starts at once. `keep` cancels the search, but completes the file as if a limit had
 * ended it. After `raise`, the search starts again with an empty file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "best_rows.h"
#include "worker.h"
#include "worker_output.h"

#define MINE_ROWS_MOST 1000

typedef struct mine_task mine_task;

/* What is mined: how its options are grouped, and its calls. */
typedef struct mine_form {
    const char *name;
    unsigned groups, write_group;
    bool graphs;
    lode_status (*sink)(mine_task *t); /* creates the sink of `output` or `rows` */
    lode_status (*mine)(lode_job *job, lode_options *o, lode_sink *sink);
} mine_form;

struct mine_task {
    worker_call *call;
    const mine_form *form;
    const char *output; /* the file to write; NULL = none */
    uint64_t rows;      /* answer with the best rows; if there is no output either, only count */
    best_rows best;
    bool reports; /* the answer has the report */
    lode_options *options;
    lode_job *job;
    lode_sink *sink;
};

/* ---- the three forms ------------------------------------------------------------------------ */

static lode_status sink_of_itemsets(mine_task *t) {
    const lode_dataset *data = worker_open_data.data;
    const lode_write_options *o = lode_options_write(t->options);
    if (!t->output) return lode_sink_write(t->job, &t->sink, data, best_rows_write, &t->best, o);
    return lode_sink_file(t->job, &t->sink, data, t->output, o);
}

static lode_status sink_of_rules(mine_task *t) {
    const lode_dataset *data = worker_open_data.data;
    const lode_rule_write_options *o = lode_options_rule_write(t->options);
    if (!t->output) {
        return lode_rule_sink_write(t->job, &t->sink, data, best_rows_write, &t->best, o);
    }
    return lode_rule_sink_file(t->job, &t->sink, data, t->output, o);
}

static lode_status sink_of_graphs(mine_task *t) {
    const lode_graphs *data = worker_open_data.graphs;
    const lode_graph_write_options *o = lode_options_graph_write(t->options);
    if (!t->output) {
        return lode_graph_sink_write(t->job, &t->sink, data, best_rows_write, &t->best, o);
    }
    return lode_graph_sink_file(t->job, &t->sink, data, t->output, o);
}

static lode_status search_itemsets(lode_job *job, lode_options *o, lode_sink *sink) {
    return lode_mine(job, worker_open_data.data, lode_options_mine(o), sink);
}

static lode_status search_rules(lode_job *job, lode_options *o, lode_sink *sink) {
    return lode_rules_mine(job, worker_open_data.data, lode_options_rule(o), sink);
}

static lode_status search_graphs(lode_job *job, lode_options *o, lode_sink *sink) {
    return lode_graphs_mine(job, worker_open_data.graphs, lode_options_graph(o), sink);
}

static const mine_form mine_forms[] = {
    {"itemsets", LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_PAPERS, LODE_OPTION_WRITE,
     false, sink_of_itemsets, search_itemsets},
    {"rules", LODE_OPTION_RULE, LODE_OPTION_RULE_WRITE, false, sink_of_rules, search_rules},
    {"graphs", LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_PAPERS, LODE_OPTION_GRAPH_WRITE, true,
     sink_of_graphs, search_graphs},
};

/* ---- options -------------------------------------------------------------------------------- */

static lode_status mine_find_form(mine_task *t) {
    const char *kind = worker_request_get(&t->call->request, "kind");
    for (size_t i = 0; kind && i < sizeof mine_forms / sizeof *mine_forms; i++) {
        if (strcmp(mine_forms[i].name, kind) == 0) t->form = &mine_forms[i];
    }
    if (!t->form) {
        return worker_refuse(t->call, LODE_INVALID,
                             "mine: expected kind=itemsets, rules or graphs");
    }
    bool graphs = worker_open_data.graphs != NULL;
    if (t->form->graphs == graphs) return LODE_OK;
    return worker_refuse(t->call, LODE_INVALID, "mine: the data are %s, which have no %s",
                         graphs ? "graphs" : "baskets", t->form->name);
}

static lode_status mine_find_output(mine_task *t) {
    bool count = false;
    worker_call *c = t->call;
    const worker_request *r = &c->request;
    t->reports = true;
    if (!worker_request_truth(r, "count", &count, c->message, sizeof c->message) ||
        !worker_request_truth(r, "report", &t->reports, c->message, sizeof c->message) ||
        !worker_request_number(r, (worker_range){"rows", 1, MINE_ROWS_MOST}, &t->rows, c->message,
                               sizeof c->message)) {
        return LODE_INVALID;
    }
    t->output = c->output = worker_request_get(r, "output");
    if (count + (t->output != NULL) + (t->rows > 0) != 1) {
        return worker_refuse(c, LODE_INVALID,
                             "mine: expected either output=PATH, rows=N or count=true");
    }
    if (t->output && (!t->output[0] || strcmp(t->output, "-") == 0)) {
        return worker_refuse(c, LODE_INVALID, "mine: expected output=PATH, not standard output");
    }
    return LODE_OK;
}

static lode_status mine_set(mine_task *t, unsigned groups, const char *name, const char *value) {
    char message[256];
    if (lode_options_set_in(t->options, groups, name, value, message, sizeof message) == LODE_OK) {
        return LODE_OK;
    }
    return worker_refuse(t->call, LODE_INVALID, "%s %s", name, message);
}

/* The output is an Arrow file, and rows are JSON: options of other formats have no effect. */
static lode_status mine_refuse_formats(mine_task *t) {
    static const char *const names[] = {"o.write", "o.bom", "o.csv-items"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!worker_request_get(&t->call->request, names[i])) continue;
        return worker_refuse(t->call, LODE_INVALID, "%s: the output is always an Arrow file",
                             names[i]);
    }
    return LODE_OK;
}

/* Measures that options are about, besides the usual ones: p-values, what was held out. */
static lode_status mine_add_measures(mine_task *t) {
    const lode_rule_options *o = lode_options_rule(t->options);
    bool tested = o->adjust != LODE_ADJUST_NONE || o->significant > 0;
    char more[128];
    if (lode_options_rule_write(t->options)->measures) return LODE_OK;
    snprintf(more, sizeof more, "%s%s", tested ? ",adjustedP" : "",
             o->holdout ? ",heldOutSupport,heldOutConfidence,heldOutLift,heldOutP" : "");
    if (!more[0]) return LODE_OK;
    more[0] = '+';
    return mine_set(t, LODE_OPTION_RULE_WRITE, "measure", more);
}

static lode_threshold mine_threshold(const mine_task *t) {
    const lode_options *o = t->options;
    if (t->form->graphs) return lode_options_graph(o)->min_support;
    if (t->form->groups & LODE_OPTION_RULE) return lode_options_rule(o)->min_support;
    return lode_options_mine(o)->min_support;
}

/* A threshold there must be; one that was raised while the request waited is the higher one. */
static lode_status mine_settle_threshold(mine_task *t) {
    const worker_data *d = &worker_open_data;
    uint64_t raised = worker_lanes_raised(t->call);
    uint64_t total =
        d->graphs ? cli_graph_profile(d->graphs).n_graphs : lode_dataset_total_weight(d->data);
    bool top = t->form->graphs ? lode_options_graph(t->options)->target == LODE_TARGET_TOP
                               : lode_options_mine(t->options)->target == LODE_TARGET_TOP;
    lode_threshold given = mine_threshold(t);
    if (given.numerator == 0 && !top) {
        return worker_refuse(t->call, LODE_INVALID,
                             "mine: no minimum support; expected o.min-support=1%%");
    }
    uint64_t count = given.numerator ? lode_threshold_count(given, total) : 1;
    char text[32];
    if (raised <= count) return LODE_OK;
    snprintf(text, sizeof text, "%llu", (unsigned long long)raised);
    return mine_set(t, t->form->groups, "min-support", text);
}

static lode_status mine_read_options(mine_task *t) {
    const char *device = lode_options_job(worker_open_data.options)->device;
    unsigned shared = LODE_OPTION_JOB | LODE_OPTION_DEVICE;
    bool writes = t->output || t->rows > 0;
    unsigned groups = shared | t->form->groups | (writes ? t->form->write_group : 0);
    lode_status status = lode_options_create(&t->options);
    if (status == LODE_OK && device) status = mine_set(t, shared, "device", device);
    if (status == LODE_OK) status = mine_refuse_formats(t);
    if (status == LODE_OK) status = worker_set_options(t->call, "o.", groups, t->options);
    if (status == LODE_OK && writes) {
        status = mine_set(t, t->form->write_group, "write", t->output ? "arrow" : "jsonl");
    }
    if (status == LODE_OK && writes && t->form->sink == sink_of_rules) {
        status = mine_add_measures(t);
    }
    return status;
}

/* ---- the run -------------------------------------------------------------------------------- */

static int mine_tell(void *user, const lode_progress *p) {
    const mine_task *t = user;
    worker_text json = {0};
    worker_addf(&json, "{\"phase\":\"%s\",\"share\":", p->phase);
    worker_add_real(&json, p->share);
    worker_addf(&json, ",\"seconds\":");
    worker_add_real(&json, p->seconds);
    worker_addf(&json, ",\"patterns\":%llu,\"rate\":", (unsigned long long)p->patterns);
    worker_add_real(&json, p->rate);
    worker_addf(&json, ",\"left\":");
    worker_add_real(&json, p->left);
    worker_addf(&json, ",\"left_least\":");
    worker_add_real(&json, p->left_least);
    worker_addf(&json, ",\"left_most\":");
    worker_add_real(&json, p->left_most);
    worker_addf(&json, "}");
    if (!json.lost) worker_output_add(t->call->request.id, "event", json.bytes, json.n);
    worker_text_free(&json);
    worker_lanes_raise(t->call); /* if that came before the search began */
    return 0;
}

/* What a cancel leaves of an output that was being completed: the report has its name. */
static void mine_remove_partial(const mine_task *t) {
    lode_counter written = LODE_INIT(lode_counter);
    bool known = lode_report_find(lode_job_report(t->job), "patterns.output", &written);
    if (known && strcmp(written.text, t->output) != 0) unlink(written.text);
}

/* The order of the rows in the answer: that of the file, which only a few patterns have. */
static pattern_order mine_order(const mine_task *t) {
    const lode_options *o = t->options;
    bool rules = t->form->sink == sink_of_rules;
    bool sorted = false;
    if (rules) {
        sorted = lode_options_rule(o)->sort_by || lode_options_rule_write(o)->sort;
    } else if (!t->form->graphs) {
        sorted = lode_options_write(o)->sort_by || lode_options_write(o)->sort;
    }
    return sorted ? PATTERNS_AS_GIVEN : rules ? PATTERNS_BY_CONFIDENCE : PATTERNS_BY_COUNT;
}

/* Searches into an empty sink. */
static lode_status mine_search(mine_task *t) {
    lode_sink_free(t->sink);
    t->sink = NULL;
    best_rows_free(&t->best);
    t->best = (best_rows){.order = mine_order(t), .wanted = (size_t)t->rows};
    lode_status status = mine_settle_threshold(t);
    if (status != LODE_OK) return status;
    bool counts = !t->output && t->rows == 0;
    status = counts ? lode_sink_count(t->job, &t->sink) : t->form->sink(t);
    if (status == LODE_OK) status = t->form->mine(t->job, t->options, t->sink);
    return status == LODE_OK ? status : worker_failed(t->call, t->job, status);
}

/* Searches and completes the file; *ended says how. */
static lode_status mine_run_search(mine_task *t, const char **ended) {
    lode_status status = mine_search(t);
    worker_ending ending;
    while ((ending = worker_lanes_settle(t->call)) == WORKER_AGAIN) status = mine_search(t);
    bool kept = ending == WORKER_KEPT;
    bool usable = status == LODE_OK || status == LODE_STOPPED || (status == LODE_CANCELLED && kept);
    if (!usable) return status;
    *ended = status == LODE_OK ? "complete" : status == LODE_STOPPED ? "limit" : "kept";
    status = lode_sink_finish(t->sink, false);
    if (status == LODE_CANCELLED && t->output) mine_remove_partial(t);
    return status == LODE_OK ? status : worker_failed(t->call, t->job, status);
}

/* The report, in which the path of the data is their name, as it is in messages. */
static void mine_add_report(const mine_task *t, worker_text *json) {
    worker_text report = {0};
    char *words = NULL;
    if (lode_report_json(lode_job_report(t->job), worker_add_piece, &report) == LODE_OK) {
        worker_add(&report, "", 1);
        words = report.lost ? NULL : worker_in_words(report.bytes, true);
    }
    json->lost |= !words;
    if (words) worker_add(json, words, strlen(words));
    free(words);
    worker_text_free(&report);
}

static void mine_add_rows(mine_task *t, worker_text *json) {
    best_rows_finish(&t->best);
    worker_addf(json, ",\"rows\":[");
    for (size_t i = 0; i < t->best.n && !worker_is_full(json); i++) {
        if (i > 0) worker_addf(json, ",");
        worker_add(json, t->best.rows[i].line, strlen(t->best.rows[i].line));
    }
    worker_addf(json, "]");
}

static void mine_answer(mine_task *t, const char *ended, worker_text *json) {
    struct stat file = {0};
    if (t->output && stat(t->output, &file) != 0) file.st_size = 0;
    worker_addf(json, "{\"ended\":\"%s\",\"patterns\":%llu,\"largest\":%u,\"bytes\":%llu", ended,
                (unsigned long long)lode_sink_patterns(t->sink), lode_sink_largest(t->sink),
                (unsigned long long)file.st_size);
    if (t->rows > 0) mine_add_rows(t, json);
    if (t->reports) {
        worker_addf(json, ",\"report\":");
        mine_add_report(t, json);
    }
    worker_addf(json, "}");
}

static lode_status mine_run(mine_task *t, worker_text *json) {
    const char *ended = "";
    lode_options_set_progress(t->options, mine_tell, t);
    lode_status status = worker_job_start(t->call, t->options, worker_open_data.threads, &t->job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(t->call, t->job);
    status = mine_run_search(t, &ended);
    if (status == LODE_OK) mine_answer(t, ended, json);
    return status;
}

lode_status worker_mine(worker_call *c, worker_text *json) {
    mine_task t = {.call = c};
    lode_status status = mine_find_form(&t);
    if (status == LODE_OK) status = mine_find_output(&t);
    if (status == LODE_OK) status = mine_read_options(&t);
    if (status == LODE_OK) status = mine_run(&t, json);
    lode_sink_free(t.sink);
    best_rows_free(&t.best);
    if (t.job) worker_job_end(c, t.job);
    lode_options_free(t.options);
    return status;
}
