/* compare_row.c - one row of a comparison: its request and its result
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"

const char *compare_row_text(const json_t *row, const char *name) {
    const char *words = json_string_value(json_object_get(row, name));
    return words ? words : "";
}

void compare_row_state(json_t *row, const char *state, const char *message) {
    json_object_set_new(row, "state", json_string(state));
    json_object_set_new(row, "message", message ? json_string(message) : json_null());
}

/* ---- the request ----------------------------------------------------------------------------- */

/* Options that control the search: a row has its own, or its algorithm does not know them. */
static bool row_is_about_how(const char *name, const char *algorithm) {
    static const char *const how[] = {"algorithm", "device",  "limit-time", "threads",   "product",
                                      "popcount",  "reduce",  "grid",       "grid-rows", "records",
                                      "loads",     "epsilon", "lists"};
    const size_t n = sizeof how / sizeof *how, frontier_only = 2;
    bool frontier = strcmp(algorithm, "frontier") == 0;
    for (size_t i = 0; i < n - (frontier ? frontier_only : 0); i++) {
        if (strcmp(name, how[i]) == 0) return true;
    }
    return false;
}

/* Rules are made from itemsets, so the comparison runs the search for itemsets, without the options
 * about rules. The limit on the number of items of a rule applies to the itemsets, too. */
static json_t *row_options(const comparison *c, const char *algorithm) {
    json_t *options = json_object(), *value;
    const char *name;
    json_object_foreach(c->options, name, value) {
        bool about_rules = c->kind == JOB_RULES && strcmp(name, "max-size") != 0;
        if (about_rules || row_is_about_how(name, algorithm)) continue;
        json_object_set(options, name, value);
    }
    if (c->min_count > 0 && (c->kind == JOB_RULES || json_object_get(options, "min-support"))) {
        json_object_set_new(options, "min-support", json_integer((json_int_t)c->min_count));
    }
    return options;
}

worker_request *compare_request(const server *s, const comparison *c, const json_t *row) {
    char number[24];
    const char *algorithm = compare_row_text(row, "name");
    json_t *options = row_options(c, algorithm);
    worker_request *q = options ? worker_request_new("mine") : NULL;
    worker_request_add(q, "kind", c->kind == JOB_GRAPHS ? "graphs" : "itemsets");
    worker_request_add(q, "count", "true");
    worker_request_add_object(q, "o.", options);
    worker_request_add(q, "o.algorithm", algorithm);
    worker_request_add(q, "o.device", compare_row_text(row, "device"));
    snprintf(number, sizeof number, "%d", COMPARE_SECONDS);
    worker_request_add(q, "o.limit-time", number);
    snprintf(number, sizeof number, "%u", s->config->threads);
    if (s->config->threads > 0) worker_request_add(q, "o.threads", number);
    json_decref(options);
    return q;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static double row_time(const json_t *times, const char *name) {
    return json_number_value(json_object_get(times, name));
}

static const json_t *row_in(const json_t *report, const char *group, const char *name) {
    return json_object_get(json_object_get(report, group), name);
}

/* The worker has read the data once for all rows; a program would read them each time. So the time
 * of reading is added to every row. */
static void row_fill_times(json_t *row, const json_t *report) {
    json_t *times = job_times(report);
    double read = json_number_value(row_in(report, "input", "read_seconds"));
    if (!times) return;
    json_object_set_new(row, "seconds", json_real(row_time(times, "total") + read));
    json_object_set_new(
        row, "parts",
        json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "read", read, "prepare", row_time(times, "prepare"),
                  "transfer", row_time(times, "transfer"), "candidate",
                  row_time(times, "candidate"), "counting", row_time(times, "counting"), "output",
                  row_time(times, "output")));
    json_object_set(row, "utilisation", json_object_get(times, "utilisation"));
    json_decref(times);
}

/* A remark next to the numbers. */
static const char *row_remark(const json_t *report) {
    const char *prepared = json_string_value(row_in(report, "algorithm", "prepared"));
    if (!prepared || strncmp(prepared, "reused", 6) != 0) return NULL;
    return "started from data that an earlier run prepared";
}

void compare_row_fill(json_t *row, bool ok, const json_t *reply) {
    const json_t *report = json_object_get(reply, "report");
    const char *message = json_string_value(json_object_get(reply, "message"));
    const char *ended = json_string_value(json_object_get(reply, "ended"));
    if (!ok || !report) {
        compare_row_state(row, "failed", message ? message : "the worker gave no reason");
        return;
    }
    row_fill_times(row, report);
    json_object_set(row, "patterns", json_object_get(reply, "patterns"));
    json_object_set(row, "device", (json_t *)row_in(report, "device", "name"));
    if (ended && strcmp(ended, "complete") != 0) {
        char words[64];
        snprintf(words, sizeof words, "stopped after %d s", COMPARE_SECONDS);
        compare_row_state(row, "limit", words);
    } else {
        compare_row_state(row, "done", row_remark(report));
    }
}

/* ---- several runs ---------------------------------------------------------------------------- */

static double row_seconds(const json_t *row) {
    return json_number_value(json_object_get(row, "seconds"));
}

static bool row_is(const json_t *row, const char *state) {
    return strcmp(compare_row_text(row, "state"), state) == 0;
}

/* The median run by time, and the number of runs; NULL: no run is done. */
static json_t *row_median(const json_t *runs, size_t *n) {
    json_t *done[COMPARE_RUNS];
    *n = 0;
    for (size_t i = 0; i < json_array_size(runs) && *n < COMPARE_RUNS; i++) {
        json_t *run = json_array_get(runs, i);
        if (!json_is_object(run)) continue;
        size_t at = (*n)++;
        for (; at > 0 && row_seconds(done[at - 1]) > row_seconds(run); at--)
            done[at] = done[at - 1];
        done[at] = run;
    }
    return *n > 0 ? done[(*n - 1) / 2] : NULL;
}

void compare_row_take(comparison *c, size_t row, json_t *run) {
    json_t *it = json_array_get(c->rows, row), *runs = json_array_get(c->runs, row);
    const bool done = row_is(run, "done");
    size_t n = 0;
    json_array_append(runs, done ? run : json_null());
    json_t *shown = row_median(runs, &n);
    json_object_update(it, shown ? shown : run);
    json_object_set_new(it, "runs", json_integer((json_int_t)n));
    json_decref(run);
}

/* Whether a row has one more run in a round, counted from 1 after the first run of all. */
static bool row_is_due(const comparison *c, size_t row, size_t round) {
    const json_t *runs = json_array_get(c->runs, row), *first = json_array_get(runs, 0);
    return json_is_object(first) && row_seconds(first) < COMPARE_SHORT &&
           json_array_size(runs) <= round;
}

size_t compare_next_row(const comparison *c) {
    const size_t n = json_array_size(c->rows);
    for (size_t row = 0; row < n; row++) {
        if (row_is(json_array_get(c->rows, row), "waiting")) return row;
    }
    for (size_t round = 1; round < COMPARE_RUNS; round++) {
        for (size_t i = 0; i < n; i++) {
            const size_t row = round % 2 ? n - 1 - i : i;
            if (row_is_due(c, row, round)) return row;
        }
    }
    return n;
}
