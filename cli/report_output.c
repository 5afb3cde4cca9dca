/* report_output.c - writes the library's report of a run
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli_file.h"

/* Writes the report for machines. False: a message was printed. */
static bool report_machine(const lode_report *report, const cli_report_form *form) {
    cli_file file;
    if (!cli_file_open(&file, form->path, true)) return false;
    lode_status status = form->tsv ? lode_report_tsv(report, cli_file_write, file.stream)
                                   : lode_report_json(report, cli_file_write, file.stream);
    return cli_file_finish(&file, status);
}

/* Prints the report for people; if that is not wanted, only a word about a partial result. */
static void report_people(const cli_args *args, const lode_report *report, bool wanted) {
    lode_report_head head = {.size = sizeof head};
    lode_report_get_head(report, &head);
    bool has_result = head.status == LODE_OK || head.ended[0];
    cli_progress_end();
    if (!has_result) return; /* the error has been printed */
    if (!wanted) {
        if (head.ended[0]) cli_error("%s", head.ended);
        return;
    }
    lode_report_level level = cli_given(args, "verbose") ? LODE_REPORT_VERBOSE : LODE_REPORT_SHORT;
    lode_status status = lode_report_text(report, level, cli_show_stream, stderr);
    (void)status; /* a failure to write to standard error cannot be reported */
}

int cli_report(const cli_args *args, const lode_job *job, const cli_report_form *form, int code) {
    const lode_report *report = lode_job_report(job);
    report_people(args, report, !form->machine && !cli_given(args, "quiet"));
    bool reported = !form->machine || report_machine(report, form);
    return !reported && code == CLI_DONE ? CLI_FAILED : code;
}
