/* about.c - routes about the server: version, limits, measures, options, openapi.json, status
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/about.h"

#include <ctype.h>
#include <lode.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/peers.h"
#include "datasets/datasets.h"
#include "datasets/examples.h"
#include "file_rules.h"
#include "http/openapi.h"
#include "results/rule_page.h"
#include "results/views.h"
#include "storage/database.h"
#include "storage/disk.h"
#include "system/about_devices.h"
#include "workers/sandbox.h"
#include "workers/workers.h"

#define ABOUT_PROTOCOL 1
#define ABOUT_ROWS     1000 /* maximum rows of a page */

/* ---- what the server is doing ---------------------------------------------------------------- */

static bool status_jobs(server *s, const char *state, uint64_t *n) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT COUNT(*) FROM jobs WHERE state = ?");
    db_bind_text(q, 1, state);
    return db_number(s->db, q, n);
}

/* GET /status */
static void status_get(server *s, request *r) {
    uint64_t running, queued, disk;
    if (!status_jobs(s, "running", &running) || !status_jobs(s, "queued", &queued) ||
        !disk_used(s, &disk)) {
        reply_unreadable(r);
        return;
    }
    reply_json(r, 200,
               json_pack("{s:I, s:I, s:o, s:I, s:I}", "jobs_running", (json_int_t)running,
                         "jobs_queued", (json_int_t)queued, "workers", workers_list(s->workers),
                         "connections", (json_int_t)server_connections(s), "disk_used",
                         (json_int_t)disk));
}

static void about_get(server *s, request *r) {
    const config *c = s->config;
    json_t *expire = c->expire_days > 0 ? json_real(c->expire_days) : json_null();
    reply_json(r, 200,
               json_pack("{s:s, s:i, s:o, s:o, s:{s:I, s:i, s:i, s:I, s:o}, s:I, s:I, s:b, s:o}",
                         "version", lode_version(), "protocol", ABOUT_PROTOCOL, "examples",
                         examples_json(), "peers", peers_json(), "limits", "upload",
                         (json_int_t)c->max_upload, "slice", DATASET_SLICE, "rows", ABOUT_ROWS,
                         "disk", (json_int_t)c->max_disk, "expire_days", expire, "threads",
                         (json_int_t)c->threads, "memory", (json_int_t)c->memory, "xlsx",
                         lode_writes_xlsx(), "sandbox",
                         json_pack("{s:b, s:b}", "files", file_rules_version() > 0, "calls",
                                   sandbox_has_filter())));
}

/* The display name of a measure: "odds_ratio" becomes "Odds ratio". */
static json_t *measure_title(const char *name) {
    char title[64];
    snprintf(title, sizeof title, "%s", name);
    title[0] = (char)toupper((unsigned char)title[0]);
    for (char *p = title; *p; p++) {
        if (*p == '_' || *p == '-') *p = ' ';
    }
    return json_string(title);
}

static json_t *measure_bound(double bound) {
    return isfinite(bound) ? json_real(bound) : json_null();
}

/* The help text of a measure in the words of the page. NULL: out of memory. */
static json_t *measure_summary(const char *help) {
    text words = TEXT_INIT;
    words_summary(help, &words);
    json_t *summary = words.failed ? NULL : json_stringn(words.data, words.length);
    text_free(&words);
    return summary;
}

static json_t *measures_list(bool (*at)(size_t i, lode_measure *out)) {
    json_t *list = json_array();
    lode_measure m = LODE_INIT(lode_measure);
    for (size_t i = 0; at(i, &m); i++) {
        json_array_append_new(list,
                              json_pack("{s:s, s:o, s:o, s:i, s:o, s:o}", "name", m.name, "title",
                                        measure_title(m.name), "summary", measure_summary(m.help),
                                        "better", m.better, "low", measure_bound(m.least), "high",
                                        measure_bound(m.most)));
    }
    return list;
}

static void measures_get(server *s, request *r) {
    (void)s;
    reply_json(r, 200,
               json_pack("{s:o, s:o}", "measures", measures_list(lode_measure_at),
                         "itemset_measures", measures_list(lode_itemset_measure_at)));
}

/* In the order of the bits of lode_option_group. */
static const char *option_group_name(unsigned group) {
    static const char *const names[] = {
        "job",    "read",   "mine",         "write", "graph-read", "graph",      "graph-write",
        "device", "papers", "graph-papers", "rule",  "rule-write", "constraint", "suggest",
        "clean",  "select", "basket-write", "query", "apply"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (group == 1u << i) return names[i];
    }
    return "other";
}

static json_t *option_text(const char *words) {
    return words ? json_string(words) : json_null();
}

static json_t *option_words_json(const lode_option *o) {
    json_t *list = json_array();
    const char *word;
    for (size_t i = 0; (word = lode_option_word(o, i)); i++) {
        json_array_append_new(list, json_string(word));
    }
    return list;
}

static void options_get(server *s, request *r) {
    json_t *list = json_array();
    const lode_option *o;
    (void)s;
    for (size_t i = 0; (o = lode_option_at(i)); i++) {
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o}", "name", o->name,
                                              "group", option_group_name(o->group), "argument",
                                              option_text(o->argument), "fallback",
                                              option_text(o->fallback), "help", o->help, "words",
                                              option_words_json(o)));
    }
    reply_json(r, 200, json_pack("{s:o}", "options", list));
}

static void openapi_get(server *s, request *r) {
    (void)s;
    reply_text(r, 200, openapi_json, openapi_json_bytes);
}

const route about_routes[] = {
    {"GET", "/about", about_get, NULL},
    {"GET", "/devices", devices_get, NULL},
    {"GET", "/measures", measures_get, NULL},
    {"GET", "/options", options_get, NULL},
    {"GET", "/openapi.json", openapi_get, NULL},
    {"GET", "/status", status_get, NULL},
    {"POST", "/views", views_create, NULL},
    {"GET", "/views", views_list, "limit before"},
    {"GET", "/views/:id", views_get, NULL},
    {"DELETE", "/views/:id", views_delete, NULL},
    {NULL, NULL, NULL, NULL},
};
