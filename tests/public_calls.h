/* public_calls.h - for tests of public functions with wrong arguments: one object of each type that
 * they take, and checks of a refusal
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_PUBLIC_CALLS_H
#define LODE_TESTS_PUBLIC_CALLS_H

#include <stdlib.h>

#include "check.h"
#include "jobs.h"
#include "lode.h"
#include "stores.h"
#include "structs.h"

static lode_job *job;
static lode_dataset *data;
static lode_graphs *graphs;
static store_data rules;  /* a stored result */
static lode_store *store; /* the opened file of `rules` */
static const char graph_text[] = "t # 1\nv 0 C\nv 1 O\ne 0 1 x\n";

/* Checks that a call returns LODE_INVALID, with a message that contains the words. */
#define BAD(call, words)                                                                           \
    do {                                                                                           \
        CHECK_EQUAL(call, LODE_INVALID);                                                           \
        if (!CHECK(strstr(lode_job_error(job), words) != NULL)) {                                  \
            fprintf(stderr, "  said: %s\n", lode_job_error(job));                                  \
        }                                                                                          \
    } while (0)

/* Checks only that a call returns LODE_INVALID: without a job there is no message. */
#define MUTE(call) CHECK_EQUAL(call, LODE_INVALID)

static void open_all(void) {
    lode_job_options options = {.size = sizeof options, .threads = 1, .device = "cpu"};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    if (lode_dataset_parse(job, &data, "1 2\n2 3\n", 8, NULL, NULL) != LODE_OK) exit(2);
    if (lode_graphs_parse(job, &graphs, graph_text, sizeof graph_text - 1, NULL, NULL) != LODE_OK) {
        exit(2);
    }
}

static void open_store(void) {
    rng dice = rng_make(1, 1);
    rules = store_make(job, LODE_RULES, 20, 20, &dice);
    if (lode_store_open(job, &store, rules.path) != LODE_OK) exit(2);
}

static void close_all(void) {
    lode_store_free(store);
    store_drop(&rules);
    lode_graphs_free(graphs);
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

#endif
