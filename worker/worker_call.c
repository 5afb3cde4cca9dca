/* worker_call.c - functions that the verbs of the worker share: jobs, messages, options
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

/* A copy of a text in which `from` is `to`; NULL without memory. */
static char *text_with(const char *text, const char *from, const char *to, size_t to_bytes) {
    worker_text t = {0};
    for (const char *found; from[0] && (found = strstr(text, from)) != NULL;) {
        worker_add(&t, text, (size_t)(found - text));
        worker_add(&t, to, to_bytes);
        text = found + strlen(from);
    }
    worker_add(&t, text, strlen(text) + 1);
    if (t.lost) worker_text_free(&t);
    return t.bytes;
}

char *worker_replace(const char *text, const char *from, const char *to) {
    return text_with(text, from, to, strlen(to));
}

char *worker_in_words(const char *message, bool json) {
    const worker_data *d = &worker_open_data;
    worker_text name = {0};
    char *words = NULL;
    if (!d->path) return text_with(message, "", "", 0);
    if (!json) return text_with(message, d->path, d->name, strlen(d->name));
    worker_add_word(&name, d->name);
    if (!name.lost) words = text_with(message, d->path, name.bytes + 1, name.n - 2); /* no quotes */
    worker_text_free(&name);
    return words;
}

/* The library's advice in brackets is for the command line; whoever started the worker gave it its
 * memory by other means, and is told how much is needed by number. */
static void call_cut_advice(char *message) {
    char *advice = strstr(message, " (--memory "), *end = advice ? strchr(advice, ')') : NULL;
    if (end) memmove(advice, end + 1, strlen(end + 1) + 1);
}

lode_status worker_failed(worker_call *c, const lode_job *job, lode_status status) {
    const char *message = lode_job_error(job), *slash = c->output ? strrchr(c->output, '/') : NULL;
    char *words = worker_in_words(message[0] ? message : lode_status_text(status), false);
    char *bare = words && slash ? text_with(words, c->output, slash + 1, strlen(slash + 1)) : NULL;
    snprintf(c->message, sizeof c->message, "%s",
             bare    ? bare
             : words ? words
                     : lode_status_text(status));
    call_cut_advice(c->message);
    free(bare);
    free(words);
    c->needed = lode_job_memory_needed(job);
    return status;
}

lode_status worker_job_start(worker_call *c, lode_options *options, unsigned threads,
                             lode_job **out) {
    char text[16], message[64];
    unsigned asked = lode_options_job(options)->threads;
    snprintf(text, sizeof text, "%u", asked && asked < threads ? asked : threads);
    if (threads > 0 && lode_options_set_in(options, LODE_OPTION_JOB, "threads", text, message,
                                           sizeof message) != LODE_OK) {
        return worker_refuse(c, LODE_INVALID, "threads %s", message);
    }
    lode_status status = lode_job_create(out, worker_open_data.ctx, lode_options_job(options));
    return status == LODE_OK ? status : worker_failed(c, NULL, status);
}

void worker_job_end(worker_call *c, lode_job *job) {
    worker_lanes_publish(c, NULL);
    lode_job_free(job);
}

/* Whether an option takes text in which an @ is a character: a column, a condition, a measure. */
static bool takes_plain_text(const char *name) {
    static const char *const names[] = {"tid",   "item",    "weight", "drop-rows",
                                        "sheet", "sort-by", "measure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return false;
}

/* Whether the value of an option names a file that lode would open: @FILE begins a group of items,
 * of which a value may have many. */
static bool names_a_file(const char *name, const char *value) {
    lode_threshold share;
    if (strcmp(name, "map") == 0) return true;
    if (strcmp(name, "holdout") == 0) { /* a share, or else a file */
        return lode_threshold_parse(value, &share, NULL, 0) != LODE_OK || share.denominator == 0;
    }
    if (takes_plain_text(name)) return false;
    for (const char *at = strchr(value, '@'); at; at = strchr(at + 1, '@')) {
        unsigned char before = at == value ? '\n' : (unsigned char)at[-1];
        if (before <= ' ' || before > '~' || strchr(",:", before)) return true;
    }
    return false;
}

lode_status worker_set_option(worker_call *c, unsigned groups, const char *name, const char *value,
                              lode_options *options) {
    char message[512];
    if (names_a_file(name, value)) {
        return worker_refuse(
            c, LODE_INVALID,
            "%.60s '%.100s': files cannot be named here; write an item that starts with @ as \\@",
            name, value);
    }
    if (lode_options_set_in(options, groups, name, value, message, sizeof message) == LODE_OK) {
        return LODE_OK;
    }
    bool value_only = message[0] == '\''; /* "'x': expected …" does not say of what */
    return worker_refuse(c, LODE_INVALID, "%.60s%s%s", value_only ? name : "",
                         value_only ? " " : "", message);
}

lode_status worker_set_options(worker_call *c, const char *prefix, unsigned groups,
                               lode_options *options) {
    size_t n = strlen(prefix);
    for (size_t i = 0; i < c->request.n_values; i++) {
        const worker_value *v = &c->request.values[i];
        bool map = strcmp(v->name, "clean.map-text") == 0; /* no option of the table */
        if (strncmp(v->name, prefix, n) != 0 || map) continue;
        lode_status status = worker_set_option(c, groups, v->name + n, v->text, options);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}
