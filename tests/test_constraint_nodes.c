/* test_constraint_nodes.c - a constraint saves work: few more nodes than in the transactions with
 * the item
 *
 * Mining with an item X that every pattern must have is compared with mining only the transactions
 * with X. Rules whose antecedents have at most B items are compared with the itemsets of at most B
 * + 1 items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"
#include "targets.h"

static uint64_t nodes_of(lode_job *job, const lode_dataset *data, const lode_mine_options *o,
                         uint64_t *patterns) {
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    CHECK_EQUAL(lode_mine(job, data, o, sink), LODE_OK);
    *patterns = lode_sink_patterns(sink);
    lode_sink_free(sink);
    return lode_job_report(job)->engine.nodes;
}

/* The transactions that hold an item. */
static lode_dataset *data_with(lode_job *job, const lode_dataset *data, uint32_t item) {
    table t = {0};
    lode_profile p = profile_of(data);
    uint32_t *row = malloc((p.longest + (size_t)1) * sizeof *row);
    if (!row) exit(2);
    for (uint64_t i = 0; i < p.n_transactions; i++) {
        uint32_t n = lode_dataset_transaction(data, i, row, p.longest);
        bool has = false;
        for (uint32_t k = 0; k < n; k++) has = has || row[k] == item;
        if (has) table_add(&t, row, n);
    }
    lode_dataset *part = mining_data(job, &t);
    table_free(&t);
    free(row);
    return part;
}

static void compare(lode_job *job, const lode_dataset *data, uint32_t item, uint64_t min_count) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
    lode_dataset *part = data_with(job, data, item);
    char name[16];
    snprintf(name, sizeof name, "%u", item);
    for (size_t t = 0; t < 3; t++) {
        lode_mine_options o = mining_options("adaptive", min_count);
        uint64_t found, plain;
        o.target = targets[t];
        uint64_t without = nodes_of(job, part, &o, &plain);
        o.include = name;
        uint64_t with = nodes_of(job, data, &o, &found);
        if (!CHECK(with <= without * 6 / 5)) {
            fprintf(stderr, "  item %u: %llu nodes, and %llu in the transactions with it\n", item,
                    (unsigned long long)with, (unsigned long long)without);
        }
        /* In its transactions, X can be added to every set and to the empty one. */
        CHECK_EQUAL(found, t == 0 ? (plain + 1) / 2 : plain);
    }
    lode_dataset_free(part);
}

static void generated(void) {
    table t = table_patterns(4, BY_BUILD(20000, 10000, 10000), 60, 8);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &t);
    for (uint32_t item = 0; item < 60; item += 11) compare(job, data, item, 100);
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

/* The itemsets that the rules are made of are counted in at least half as many databases. */
static void short_antecedents(void) {
    table t = table_random(6, 2000, 900, 0, 3);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &t);
    for (uint32_t lhs = 1; lhs <= 3; lhs++) {
        lode_mine_options sets = mining_options("adaptive", 1);
        lode_rule_options rules = {.size = sizeof rules, .min_support = {1, 0}, .max_lhs = lhs};
        lode_sink *sink = NULL;
        uint64_t found;
        sets.max_size = lhs + 1;
        uint64_t most = nodes_of(job, data, &sets, &found);
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_rules_mine(job, data, &rules, sink), LODE_OK);
        CHECK(lode_sink_patterns(sink) >= found - profile_of(data).n_items);
        if (!CHECK(lode_job_report(job)->engine.nodes <= 2 * most)) {
            fprintf(stderr, "  bodies of %u: %llu nodes, and %llu for the sets\n", lhs,
                    (unsigned long long)lode_job_report(job)->engine.nodes,
                    (unsigned long long)most);
        }
        lode_sink_free(sink);
    }
    lode_dataset_free(data);
    lode_job_free(job);
    table_free(&t);
}

static void real(const char *file, uint64_t min_count, uint32_t item) {
    char folder[256], path[512];
    FILE *counts = golden_open(folder, sizeof folder);
    if (!counts) return;
    fclose(counts);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = NULL;
    if (CHECK_EQUAL(lode_dataset_open(job, &data, path, NULL), LODE_OK)) {
        compare(job, data, item, min_count);
    }
    lode_dataset_free(data);
    lode_job_free(job);
}

static void real_data(void) {
    real("mushroom.dat.zst", 813, 24);
    real("T10I4D100K.dat.zst", 20, 368);
    real("chess.dat.zst", 1598, 58);
}

int main(void) {
    CHECK_RUN(generated);
    CHECK_RUN(short_antecedents);
    CHECK_RUN(real_data);
    return check_result();
}
