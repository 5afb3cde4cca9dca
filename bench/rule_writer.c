/* rule_writer.c - how fast a sink takes rules (replays.h)
 *
 *     bench-rule-writer FILE SUPPORT CONFIDENCE FORMAT     FORMAT: count, text, spmf, csv or jsonl
 *
 * Rules of the same antecedent that came one after the other are one batch, as they were in the
 * search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replays.h"
#include "write/rules/rule_columns.h"

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
    return b->n < BATCH_RULES && rule->n_rhs == 1 && rule->n_lhs == b->n_lhs &&
           memcmp(rule->lhs, b->lhs, b->n_lhs * sizeof *b->lhs) == 0;
}

static lode_status record_search(replays *c) {
    lode_status status = LODE_OK;
    lode_sink *sink = NULL;
    ((recording *)c->recording)->mem = &c->job->mem;
    LODE_TRY(lode_rule_sink_callback(c->job, &sink, record, c->recording));
    LODE_TRY(lode_rules_mine(c->job, c->data, lode_options_rule(c->options), sink));
done:
    lode_sink_free(sink);
    return status;
}

static lode_status play(const replays *c, lode_sink *sink) {
    const recording *r = c->recording;
    static uint32_t consequents[BATCH_RULES];
    static uint64_t both[BATCH_RULES], of_rhs[BATCH_RULES];
    sink_worker *worker = NULL;
    sink_set_data(sink, c->data);
    lode_status status = rule_sink_open_worker(sink, &worker);
    uint64_t n = rule_columns_count(&r->rules);
    for (uint64_t i = 0; i < n && status == LODE_OK;) {
        lode_rule rule = rule_columns_at(&r->rules, i);
        rule_batch batch = {.lhs = rule.lhs,
                            .n_lhs = rule.n_lhs,
                            .count = rule.counts.lhs,
                            .consequents = consequents,
                            .both = both,
                            .of_rhs = of_rhs};
        while (i < n && continues(&batch, &rule)) {
            consequents[batch.n] = rule.rhs[0];
            both[batch.n] = rule.counts.both;
            of_rhs[batch.n++] = rule.counts.rhs;
            if (++i < n) rule = rule_columns_at(&r->rules, i);
        }
        status = rule_sink_emit_batch(worker, &batch);
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static lode_status open_sink(const replays *c, lode_sink **out) {
    lode_status status =
        lode_options_set_in(c->options, LODE_OPTION_RULE_WRITE, "write", c->format, NULL, 0);
    if (status != LODE_OK) return status;
    return lode_rule_sink_file(c->job, out, c->data, "/dev/null",
                               lode_options_rule_write(c->options));
}

static void forget(replays *c) {
    rule_columns_free(&c->job->mem, &((recording *)c->recording)->rules);
}

int main(int argc, char **argv) {
    recording r = {0};
    replays c = {.recording = &r,
                 .record = record_search,
                 .open = open_sink,
                 .play = play,
                 .forget = forget};
    unsigned rule = LODE_OPTION_RULE;
    if (argc != 5) {
        fprintf(stderr,
                "usage: bench-rule-writer FILE SUPPORT CONFIDENCE count|text|spmf|csv|jsonl\n");
        return 2;
    }
    c.format = argv[4];
    lode_status status = lode_options_create(&c.options);
    if (status == LODE_OK) {
        status = lode_options_set_in(c.options, rule, "min-support", argv[2], NULL, 0);
    }
    if (status == LODE_OK) {
        status = lode_options_set_in(c.options, rule, "min-confidence", argv[3], NULL, 0);
    }
    return replays_run(&c, argv[1], status);
}
