/* rule_writer.c - how fast a sink takes rules: the search is recorded, only the sink is timed
 *
 *     bench-rule-writer FILE SUPPORT CONFIDENCE FORMAT     FORMAT: count, text, spmf, csv or jsonl
 *
 * As bench-writer does for itemsets: prints `total RULES`, `bytes BYTES` and `seconds CPU-SECONDS`
 * of the best of five replays on one thread, to /dev/null. Rules of the same body that came one
 * after the other are one batch, as they were in the search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "rulesink/rule_columns.h"

#define REPLAYS     5
#define BATCH_RULES 4096

typedef struct recording {
    mem *mem;
    rule_columns rules;
} recording;

/* The items are ids as well: none of the data sets has large numbers. */
static int record(void *user, const lode_rule *rule) {
    recording *r = user;
    return rule_columns_append(r->mem, &r->rules, rule) != LODE_OK;
}

static bool continues(const rule_batch *b, const lode_rule *rule) {
    return b->n < BATCH_RULES && rule->n_head == 1 && rule->n_body == b->n_body &&
           memcmp(rule->body, b->body, b->n_body * sizeof *b->body) == 0;
}

static lode_status replay(const recording *r, lode_sink *sink, double *seconds) {
    static uint32_t heads[BATCH_RULES];
    static uint64_t both[BATCH_RULES], of_head[BATCH_RULES];
    sink_worker *worker = NULL;
    lode_status status = rule_sink_open_worker(sink, &worker);
    double start = os_thread_seconds();
    uint64_t n = rule_columns_count(&r->rules);
    for (uint64_t i = 0; i < n && status == LODE_OK;) {
        lode_rule rule = rule_columns_at(&r->rules, i);
        rule_batch batch = {.body = rule.body,
                            .n_body = rule.n_body,
                            .count = rule.counts.body,
                            .heads = heads,
                            .both = both,
                            .of_head = of_head};
        while (i < n && continues(&batch, &rule)) {
            heads[batch.n] = rule.head[0];
            both[batch.n] = rule.counts.both;
            of_head[batch.n++] = rule.counts.head;
            if (++i < n) rule = rule_columns_at(&r->rules, i);
        }
        status = rule_sink_emit_batch(worker, &batch);
    }
    lode_status closed = sink_close_worker(worker);
    *seconds = os_thread_seconds() - start;
    return status != LODE_OK ? status : closed;
}

static lode_status open_sink(lode_job *job, lode_sink **out, const lode_dataset *data,
                             lode_options *o, const char *format) {
    if (strcmp(format, "count") == 0) return lode_sink_count(job, out);
    lode_status status = lode_options_set_in(o, LODE_OPTION_RULE_WRITE, "write", format, NULL, 0);
    if (status != LODE_OK) return status;
    return lode_rule_sink_file(job, out, data, "/dev/null", lode_options_rule_write(o));
}

static lode_status measure(lode_job *job, const lode_dataset *data, lode_options *o,
                           const char *format) {
    lode_status status = LODE_OK;
    recording r = {.mem = &job->mem};
    lode_sink *sink = NULL;
    double best = 0;
    LODE_TRY(lode_rule_sink_callback(job, &sink, record, &r));
    LODE_TRY(lode_rules_mine(job, data, lode_options_rule(o), sink));
    for (int i = 0; i < REPLAYS; i++) {
        double seconds;
        lode_sink_free(sink);
        sink = NULL;
        LODE_TRY(open_sink(job, &sink, data, o, format));
        sink_set_data(sink, data);
        LODE_TRY(replay(&r, sink, &seconds));
        if (i == 0 || seconds < best) best = seconds;
    }
    printf("total %llu\nbytes %llu\nseconds %.6f\nMB/s %.0f\n",
           (unsigned long long)lode_sink_patterns(sink), (unsigned long long)lode_sink_bytes(sink),
           best, (double)lode_sink_bytes(sink) / best / 1e6);
done:
    lode_sink_free(sink);
    rule_columns_free(r.mem, &r.rules);
    return status;
}

int main(int argc, char **argv) {
    lode_options *o = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    unsigned rule = LODE_OPTION_RULE;
    if (argc != 5) {
        fprintf(stderr,
                "usage: bench-rule-writer FILE SUPPORT CONFIDENCE count|text|spmf|csv|jsonl\n");
        return 2;
    }
    lode_status status = lode_options_create(&o);
    if (status == LODE_OK) status = lode_options_set(o, "threads", "1", NULL, 0);
    if (status == LODE_OK) status = lode_options_set_in(o, rule, "min-support", argv[2], NULL, 0);
    if (status == LODE_OK) {
        status = lode_options_set_in(o, rule, "min-confidence", argv[3], NULL, 0);
    }
    if (status == LODE_OK) status = lode_job_create(&job, NULL, lode_options_job(o));
    if (status == LODE_OK) status = lode_dataset_open(job, &data, argv[1], NULL);
    if (status == LODE_OK) status = measure(job, data, o, argv[4]);
    if (status != LODE_OK) fprintf(stderr, "%s\n", job ? lode_job_error(job) : "bad arguments");
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(o);
    return status != LODE_OK;
}
