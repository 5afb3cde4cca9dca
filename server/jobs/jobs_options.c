/* jobs_options.c - which options a job may have, checked as the library would
 *
 * Results are always Arrow files, which the server queries. So the only output options allowed are
 * those that add columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <string.h>

#include "jobs/jobs_live.h"
#include "system/options_safe.h"

#define OPTIONS_MOST       200   /* maximum number of values */
#define OPTIONS_MOST_BYTES 65536 /* maximum bytes of all values: every list of jobs shows them */

const char *const job_kind_names[JOB_KINDS] = {"itemsets", "rules", "graphs"};

bool job_kind_find(const char *name, job_kind *out) {
    for (int i = 0; name && i < JOB_KINDS; i++) {
        if (strcmp(name, job_kind_names[i]) != 0) continue;
        *out = (job_kind)i;
        return true;
    }
    return false;
}

/* The groups of library options in which an option of this name is looked up. */
static unsigned options_groups(job_kind kind, const char *name) {
    static const unsigned groups[JOB_KINDS] = {
        LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_PAPERS,
        LODE_OPTION_RULE,
        LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_PAPERS,
    };
    bool columns = strcmp(name, "measure") == 0 || strcmp(name, "interval") == 0;
    return groups[kind] | LODE_OPTION_JOB | LODE_OPTION_DEVICE |
           (kind == JOB_RULES && columns ? LODE_OPTION_RULE_WRITE : 0);
}

typedef struct options_check {
    lode_options *library;
    job_kind kind;
    size_t values, bytes;
    char *message;
    size_t room;
} options_check;

/* Why a job cannot have an option of the command line; NULL: it is not one of those. */
static const char *options_why_not(job_kind kind, const char *name) {
    static const char *const of_classes[] = {"class",  "significant", "by", "seed",
                                             "strata", "alternative", NULL};
    static const char *const of_files[] = {"write", "output", "report", "svg", "sort", NULL};
    if (strcmp(name, "memory") == 0) {
        return "not an option of a job; `lode serve` sets it for all jobs";
    }
    for (const char *const *it = of_files; *it; it++) {
        if (strcmp(name, *it) == 0) {
            return "not an option of a job; results are stored, and can be exported afterwards";
        }
    }
    for (const char *const *it = of_classes; *it && kind != JOB_RULES; it++) {
        if (strcmp(name, *it) == 0) {
            return "not an option of a job; the command and the Python package compare groups";
        }
    }
    return NULL;
}

static bool options_check_text(options_check *c, const char *name, const char *value) {
    char why[400] = "";
    const char *why_not = options_why_not(c->kind, name);
    if (why_not) {
        snprintf(c->message, c->room, "%s: %s", name, why_not);
        return false;
    }
    if (++c->values > OPTIONS_MOST) {
        snprintf(c->message, c->room, "a job can have at most %d options", OPTIONS_MOST);
        return false;
    }
    c->bytes += strlen(value);
    if (c->bytes > OPTIONS_MOST_BYTES) {
        snprintf(c->message, c->room, "the options of a job can have at most %d bytes in total",
                 OPTIONS_MOST_BYTES);
        return false;
    }
    if (!option_is_safe(name, value, c->message, c->room)) return false;
    lode_status status = lode_options_set_in(c->library, options_groups(c->kind, name), name, value,
                                             why, sizeof why);
    if (status == LODE_OK) return true;
    snprintf(c->message, c->room, "%.64s: %s", name, why[0] ? why : lode_status_text(status));
    return false;
}

static bool options_check_value(options_check *c, const char *name, const json_t *value) {
    char number[40];
    if (json_is_string(value)) return options_check_text(c, name, json_string_value(value));
    if (json_is_boolean(value)) {
        return options_check_text(c, name, json_is_true(value) ? "true" : "false");
    }
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return options_check_text(c, name, number);
    }
    if (json_is_real(value)) {
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
        return options_check_text(c, name, number);
    }
    snprintf(c->message, c->room,
             "%.64s: expected a string, a number, true or false, or a list of them", name);
    return false;
}

static bool options_check_all(options_check *c, const json_t *options) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value) {
        if (!json_is_array(value)) {
            if (!options_check_value(c, name, value)) return false;
            continue;
        }
        if (json_array_size(value) == 0) { /* otherwise its name would not be checked */
            snprintf(c->message, c->room, "%.64s: the list is empty", name);
            return false;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (!options_check_value(c, name, json_array_get(value, i))) return false;
        }
    }
    return true;
}

const char *job_option(const json_t *options, const char *name) {
    return json_string_value(json_object_get(options, name));
}

/* Every job except target top:K requires a threshold. */
static bool options_have_support(const options_check *c, const json_t *options) {
    const char *target = job_option(options, "target");
    if (json_object_get(options, "min-support")) return true;
    if (c->kind != JOB_RULES && target && strncmp(target, "top:", 4) == 0) return true;
    snprintf(c->message, c->room,
             "min-support is missing: expected a share such as 1%%, or a count such as 250%s",
             c->kind == JOB_RULES ? "" : "; only target top:K does not require it");
    return false;
}

bool job_options_check(job_kind kind, const json_t *options, char *message, size_t room) {
    options_check c = {.kind = kind, .message = message, .room = room};
    if (lode_options_create(&c.library) != LODE_OK) {
        snprintf(message, room, "the server is out of memory");
        return false;
    }
    bool right = options_check_all(&c, options) && options_have_support(&c, options);
    lode_options_free(c.library);
    return right;
}
