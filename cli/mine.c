/* mine.c - see mine.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "mine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli_file.h"
#include "explosion.h"
#include "share_manifest.h"

/* ---- writes the library's report of a run ---------------------------------------------------- */

/* Writes the report for machines. Returns false after printing a message. */
static bool report_machine(const lode_report *report, const cli_report_form *form) {
    cli_file file;
    if (!cli_file_open(&file, form->path, true)) return false;
    lode_status status = form->tsv ? lode_report_tsv(report, cli_file_write, file.stream)
                                   : lode_report_json(report, cli_file_write, file.stream);
    return cli_file_finish(&file, status);
}

/* Prints the report for people; if that is not wanted, only a word about a partial result. */
static void report_people(const cli_args *args, const lode_report *report, bool wanted) {
    lode_report_head rhs = {.size = sizeof rhs};
    lode_report_get_head(report, &rhs);
    bool has_result = rhs.status == LODE_OK || rhs.ended[0];
    cli_progress_end();
    if (!has_result) return; /* the error has been printed */
    if (!wanted) {
        if (rhs.ended[0]) cli_error("%s", rhs.ended);
        return;
    }
    lode_report_level level = cli_given(args, "verbose") ? LODE_REPORT_VERBOSE : LODE_REPORT_SHORT;
    lode_status status = lode_report_text(report, level, cli_show_stream, stderr);
    (void)status; /* a failure to write to standard error cannot be reported */
}

/* Prints or writes the report of a run; returns the exit code, which is `code` if that works. */
static int cli_report(const cli_args *args, const lode_job *job, const cli_report_form *form,
                      int code) {
    const lode_report *report = lode_job_report(job);
    report_people(args, report, !form->machine && !cli_given(args, "quiet"));
    bool reported = !form->machine || report_machine(report, form);
    return !reported && code == CLI_DONE ? CLI_FAILED : code;
}

bool cli_check_mining(cli_args *args) {
    if (!cli_has_support(args) || !cli_write_by_name(args, NULL)) return false;
    if (!share_check(args) || !resumable_check(args)) return false;
    if (!pattern_table_check(args)) return false;
    if (cli_given(args, "count") && cli_given(args, "output") && !resumable_wanted(args)) {
        cli_error("--count writes to standard output; it cannot be combined with --output");
        return false;
    }
    if (cli_given(args, "hash") && !cli_given(args, "count")) {
        cli_error("--hash requires --count");
        return false;
    }
    return true;
}

static lode_status mine_open_sink(mine_run *r) {
    const cli_mining *m = r->mining;
    const char *path = cli_given(r->args, "output");
    lode_status status;
    if (cli_given(r->args, "hash")) {
        status = m->hash_sink(r->job, &r->sink, r->data);
    } else if (cli_given(r->args, "count")) {
        status = lode_sink_count(r->job, &r->sink);
    } else if (r->table) {
        status = m->table_sink(r->job, &r->sink, r->data, r->table, r->args);
    } else {
        status = m->file_sink(r->job, &r->sink, r->data, path ? path : "-", r->args);
    }
    if (status != LODE_OK || !m->wrap_sink) return status;
    return m->wrap_sink(r->job, &r->sink, r->data, r->args);
}

/* Prints the numbers of the sink, if they are wanted. */
static lode_status mine_print_sink(const mine_run *r) {
    mine_totals t = {0};
    if (!cli_given(r->args, "count")) return LODE_OK;
    bool added = totals_add_sink(&t, r->sink, totals_kind(r->args));
    lode_status status = added ? totals_print(&t, r->args, r->job) : LODE_NOMEM;
    if (!added) cli_fail(r->job, status);
    totals_free(&t);
    return status;
}

/* Shows the result as a table, if that is wanted. */
static lode_status mine_print_table(const mine_run *r) {
    uint64_t printed, received;
    if (!r->table) return LODE_OK;
    cli_progress_end();
    if (!pattern_table_print(r->table, &printed, &received)) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        return LODE_NOMEM;
    }
    if (printed < received) {
        bool more = printed < PATTERN_TABLE_MOST;
        pattern_table_note("%s of %s %s; %s%s-o FILE writes all to a file", cli_count(printed),
                           cli_count(received), r->args->command->name,
                           more ? "--rows all shows " : "",
                           !more                           ? ""
                           : received > PATTERN_TABLE_MOST ? "more, "
                                                           : "all, ");
    }
    fflush(stdout); /* before the report on standard error */
    return LODE_OK;
}

/* Reads, mines and writes. */
static int mine_all(mine_run *r) {
    const cli_mining *m = r->mining;
    lode_status status = m->open(r->job, r->args, &r->data);
    if (status == LODE_OK && resumable_wanted(r->args)) return resumable_mine(r);
    if (status == LODE_OK) status = mine_open_sink(r);
    if (status != LODE_OK) return cli_fail(r->job, status);
    explosion_watch(r);
    lode_status mined = m->mine(r->job, r->data, r->args, r->sink);
    explosion_end();
    bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
    if (!usable) return cli_fail(r->job, mined);
    if (m->forget) m->forget(r->data); /* finishing may take memory, and no other job comes */
    /* What a limit has cut was asked for: it keeps the name. */
    status = lode_sink_finish(r->sink, mined == LODE_CANCELLED);
    if (status == LODE_CANCELLED) { /* while it was finished: what there is is PATH.partial */
        mined = status;
    } else if (status != LODE_OK) {
        return cli_fail(r->job, status);
    }
    status = mine_print_sink(r);
    if (status == LODE_OK) status = mine_print_table(r);
    return lode_exit_code(status != LODE_OK ? status : mined);
}

int cli_mine(const cli_args *args, const cli_mining *mining) {
    mine_run run = {.args = args, .mining = mining};
    cli_report_form form;
    if (!cli_parse_report(args, &form)) return CLI_USAGE;
    if (!cli_file_check(form.path)) return CLI_FAILED;
    int code = resumable_wanted(args) ? resumable_look(args) : CLI_DONE;
    if (code != CLI_DONE) return code;
    if (!resumable_has_journal(args)) cli_note_journal(args);
    if (mining->table && pattern_table_wanted(args)) {
        pattern_table_options how = mining->table(args);
        run.table = pattern_table_create(&how);
        if (!run.table) return cli_fail(NULL, LODE_NOMEM);
    }
    lode_status status = cli_job_create(&run.job, args);
    if (status != LODE_OK) {
        pattern_table_free(run.table);
        return cli_fail(NULL, status);
    }
    code = cli_report(args, run.job, &form, mine_all(&run));
    bool has_result = code == CLI_DONE || code == CLI_LIMIT || code == CLI_INTERRUPTED;
    bool quiet = form.machine || cli_given(args, "quiet");
    if (run.written && !quiet) cli_print(stderr, "written to %s\n", run.written);
    if (mining->say && run.sink && has_result && !quiet) {
        mining->say(args, run.data, run.sink, code != CLI_DONE);
    }
    lode_sink_free(run.sink);
    pattern_table_free(run.table);
    mining->free(run.data);
    cli_job_free(run.job);
    return code;
}
