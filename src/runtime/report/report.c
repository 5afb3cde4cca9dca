/* report.c - see report.h; how a job has ended, and fields that depend on others
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/report/report.h"

#include <stdio.h>
#include <string.h>

#include "base/figures.h"

int lode_exit_code(lode_status status) {
    switch (status) {
    case LODE_OK: return 0;
    case LODE_INVALID: return 2;
    case LODE_PARSE:
    case LODE_NOTFOUND: return 3;
    case LODE_BUDGET: return 4;
    case LODE_STOPPED: return 5;
    case LODE_CANCELLED: return 130;
    default: return 1;
    }
}

static const char *status_name(lode_status status) {
    switch (status) {
    case LODE_OK: return "done";
    case LODE_CANCELLED: return "interrupted";
    case LODE_STOPPED: return "stopped by a limit";
    default: return "failed";
    }
}

void report_clear(lode_report *r) {
    report_size *sizes = r->sizes;
    size_t room = r->room;
    memset(r, 0, sizeof *r);
    r->version = LODE_VERSION_TEXT;
    r->asked.adjective = "";
    r->sizes = sizes;
    r->room = room;
    r->start = os_seconds();
    report_settle(r);
}

/* A failure is worse than an interrupt, and that is worse than a limit. */
static int badness(lode_status status) {
    switch (status) {
    case LODE_OK: return 0;
    case LODE_STOPPED: return 1;
    case LODE_CANCELLED: return 2;
    default: return 3;
    }
}

void report_note_status(lode_report *r, lode_status status, const char *message) {
    if (badness(status) <= badness(r->status)) return;
    if (!message || !message[0]) message = lode_status_text(status);
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", message);
}

/* "3 itemsets so far" or, if not all were written, "1 of 3 itemsets written" */
static void report_say_number(const lode_report *r, char *text, size_t bytes) {
    char count[FIGURE_BYTES], written[FIGURE_BYTES];
    const report_result *result = &r->result;
    const char *noun = report_noun(r), *s = figure_s(result->patterns);
    figure_count(result->patterns, count);
    if (result->unwritten > 0) {
        figure_count(result->patterns - result->unwritten, written);
        snprintf(text, bytes, "%s of %s %s%s written", written, count, noun, s);
    } else {
        snprintf(text, bytes, "%s %s%s so far", count, noun, s);
    }
}

/* "stopped by --limit-patterns 3: the result is partial, 3 itemsets so far, in out.txt" */
static void report_say_ended(lode_report *r) {
    char by[64] = "interrupted", number[128];
    const report_asked *a = &r->asked;
    bool has_result = r->status == LODE_STOPPED || r->status == LODE_CANCELLED;
    r->ended[0] = 0;
    if (!has_result || !r->has_run) return;
    if (strcmp(r->engine.stopped_by, "limit-time") == 0) {
        snprintf(by, sizeof by, "stopped by --limit-time %.10g", a->limit_seconds);
    } else if (r->engine.stopped_by[0]) {
        snprintf(by, sizeof by, "stopped by --limit-patterns %llu",
                 (unsigned long long)a->limit_patterns);
    } else if (r->status == LODE_STOPPED) {
        snprintf(by, sizeof by, "stopped by the program");
    }
    report_say_number(r, number, sizeof number);
    snprintf(r->ended, sizeof r->ended, "%s: the result is partial, %s%s%s", by, number,
             r->to_file ? ", in " : "", r->to_file ? r->output : "");
}

void report_settle(lode_report *r) {
    r->status_text = status_name(r->status);
    r->exit_code = (uint64_t)lode_exit_code(r->status);
    r->partial = r->status != LODE_OK;
    r->output_seconds = r->engine.times.output + r->finish_seconds;
    r->total_seconds = os_seconds() - r->start;
    r->resident_peak = os_memory_resident_peak();
    snprintf(r->hash_text, sizeof r->hash_text, "%016llx", (unsigned long long)r->result.hash);
    report_say_ended(r);
    report_advise(r);
}
