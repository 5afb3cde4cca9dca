/* compare_plan.c - chooses the rows of a comparison
 *
 * By default, the rows are: frontier and tensor on a GPU, wherever the server can use one; every
 * algorithm of lode on the CPU, those of the paper's comparison first; then the programs of
 * LODE_PEERS. Algorithms that cannot run the search of the job are left out. For rules, the search
 * for itemsets is compared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <lode.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/peers.h"
#include "system/about_devices.h"

/* What the paper of frontier compares; the other algorithms follow. */
static const char *const plan_first[] = {"adaptive", "graft",      "frontier",
                                         "eclat",    "eclat-bits", "fpgrowth"};
#define PLAN_FIRST (sizeof plan_first / sizeof *plan_first)

typedef struct plan {
    json_t *rows;
    job_kind kind;
    lode_target target;
    bool weighted;
} plan;

static json_t *plan_row(const char *name, const char *kind, const char *device) {
    return json_pack("{s:s,s:s,s:s,s:s,s:i,s:n,s:{},s:n,s:n,s:n}", "name", name, "kind", kind,
                     "device", device, "state", "waiting", "runs", 0, "seconds", "parts",
                     "utilisation", "patterns", "message");
}

static lode_pattern_kind plan_patterns(const plan *p) {
    return p->kind == JOB_GRAPHS ? LODE_GRAPHS : LODE_ITEMSETS;
}

static void plan_add(plan *p, const char *name, const char *kind, const char *device) {
    json_array_append_new(p->rows, plan_row(name, kind, device));
}

static bool plan_can(const plan *p, const lode_algorithm *a) {
    return !a->oracle && (a->targets >> p->target & 1) &&
           (!p->weighted || a->weights || p->kind == JOB_GRAPHS);
}

/* Adds an algorithm, if it can run the search of the job. */
static void plan_add_named(plan *p, const char *name, const char *device) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(plan_patterns(p), i, &a); i++) {
        if (strcmp(a.name, name) == 0 && plan_can(p, &a)) plan_add(p, name, "lode", device);
    }
}

static bool plan_is_first(const char *name) {
    bool first = false;
    for (size_t i = 0; i < PLAN_FIRST; i++) first |= strcmp(plan_first[i], name) == 0;
    return first;
}

/* The algorithms that are not among the first. */
static void plan_add_rest(plan *p) {
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(plan_patterns(p), i, &a); i++) {
        if (!plan_is_first(a.name) && plan_can(p, &a)) plan_add(p, a.name, "lode", "cpu");
    }
}

static lode_target plan_target(const comparison *c) {
    static const char *const names[] = {"all", "top:", "closed", "maximal", "generators"};
    const char *target = c->kind == JOB_RULES ? NULL : job_option(c->options, "target");
    for (int i = 0; target && i < 5; i++) {
        if (strncmp(target, names[i], strlen(names[i])) == 0) return (lode_target)i;
    }
    return LODE_TARGET_ALL;
}

/* The GPU of the job, "cuda:1" of "cuda:1 (NVIDIA H200)", or else the first one of the server. */
static bool plan_gpu(const server *s, const json_t *report, char *device, size_t room) {
    const char *name =
        json_string_value(json_object_get(json_object_get(report, "device"), "name"));
    if (!name || strncmp(name, "cuda", 4) != 0) return devices_gpu(s, device, room);
    snprintf(device, room, "%.*s", (int)strcspn(name, " "), name);
    return true;
}

static void plan_usual(const server *s, plan *p, const comparison *c, const json_t *report) {
    char device[64];
    if (plan_gpu(s, report, device, sizeof device)) {
        plan_add_named(p, "frontier", device);
        plan_add_named(p, "tensor", device);
    }
    for (size_t i = 0; i < PLAN_FIRST; i++) plan_add_named(p, plan_first[i], "cpu");
    plan_add_rest(p);
    for (size_t i = 0; peers_name(i); i++) {
        if (!p->weighted && peers_can(c)) plan_add(p, peers_name(i), "peer", "cpu");
    }
}

static bool plan_is_weighted(const json_t *report) {
    const json_t *input = json_object_get(report, "input");
    const json_t *weight = json_object_get(input, "weight");
    return weight &&
           json_integer_value(weight) != json_integer_value(json_object_get(input, "transactions"));
}

json_t *compare_plan(const server *s, const comparison *c, const json_t *report,
                     const json_t *algorithms, const char *device) {
    plan p = {json_array(), c->kind, plan_target(c), plan_is_weighted(report)};
    if (!p.rows) return NULL;
    if (!algorithms && !device) plan_usual(s, &p, c, report);
    if (!algorithms && device) plan_add(&p, "frontier", "lode", device);
    for (size_t i = 0; i < json_array_size(algorithms); i++) {
        plan_add(&p, json_string_value(json_array_get(algorithms, i)), "lode",
                 device ? device : "cpu");
    }
    return p.rows;
}
