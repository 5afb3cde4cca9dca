/* compare_plan.c - chooses the rows of a comparison
 *
 * By default, the rows are: frontier and tensor on the GPU of the job, if it used one; lode's own
 * and published algorithms on the CPU; then the programs of LODE_PEERS. Algorithms that cannot run
 * the search of the job are left out. For rules, the search for itemsets is compared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <lode.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/peers.h"

static const char *const plan_itemsets[] = {"adaptive", "frontier", "eclat",   "eclat-bits",
                                            "fpgrowth", "tbi",      "eqclass", "goethals"};
static const char *const plan_graphs[] = {"graft", "frontier", "gspan"};

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

static void plan_add(plan *p, const char *name, const char *kind, const char *device) {
    json_array_append_new(p->rows, plan_row(name, kind, device));
}

/* Whether an algorithm can run the search of the job. */
static bool plan_can(const plan *p, const char *name) {
    lode_pattern_kind kind = p->kind == JOB_GRAPHS ? LODE_GRAPHS : LODE_ITEMSETS;
    lode_algorithm a = LODE_INIT(lode_algorithm);
    for (size_t i = 0; lode_algorithm_at(kind, i, &a); i++) {
        if (strcmp(a.name, name) != 0) continue;
        return (a.targets >> p->target & 1) && (!p->weighted || a.weights || p->kind == JOB_GRAPHS);
    }
    return false;
}

static lode_target plan_target(const comparison *c) {
    static const char *const names[] = {"all", "top:", "closed", "maximal", "generators"};
    const char *target = c->kind == JOB_RULES ? NULL : job_option(c->options, "target");
    for (int i = 0; target && i < 5; i++) {
        if (strncmp(target, names[i], strlen(names[i])) == 0) return (lode_target)i;
    }
    return LODE_TARGET_ALL;
}

/* "cuda:0" of "cuda:0 (NVIDIA H200)"; false: the job ran on CPUs. */
static bool plan_gpu(const json_t *report, char *device, size_t room) {
    const char *name =
        json_string_value(json_object_get(json_object_get(report, "device"), "name"));
    if (!name || strncmp(name, "cuda", 4) != 0) return false;
    snprintf(device, room, "%.*s", (int)strcspn(name, " "), name);
    return true;
}

static void plan_usual(plan *p, const comparison *c, const json_t *report) {
    const bool graphs = p->kind == JOB_GRAPHS;
    const char *const *names = graphs ? plan_graphs : plan_itemsets;
    size_t n = graphs ? sizeof plan_graphs / sizeof *plan_graphs
                      : sizeof plan_itemsets / sizeof *plan_itemsets;
    char device[64];
    if (plan_gpu(report, device, sizeof device)) {
        if (plan_can(p, "frontier")) plan_add(p, "frontier", "lode", device);
        if (!graphs && plan_can(p, "tensor")) plan_add(p, "tensor", "lode", device);
    }
    for (size_t i = 0; i < n; i++) {
        if (plan_can(p, names[i])) plan_add(p, names[i], "lode", "cpu");
    }
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

json_t *compare_plan(const comparison *c, const json_t *report, const json_t *algorithms,
                     const char *device) {
    plan p = {json_array(), c->kind, plan_target(c), plan_is_weighted(report)};
    if (!p.rows) return NULL;
    if (!algorithms && !device) plan_usual(&p, c, report);
    if (!algorithms && device) plan_add(&p, "frontier", "lode", device);
    for (size_t i = 0; i < json_array_size(algorithms); i++) {
        plan_add(&p, json_string_value(json_array_get(algorithms, i)), "lode",
                 device ? device : "cpu");
    }
    return p.rows;
}
