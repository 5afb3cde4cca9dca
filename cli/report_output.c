/* report_output.c - writes the library's report of a run
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cli.h"

static int write_stream(void *file, const char *text, size_t bytes) {
    return fwrite(text, 1, bytes, file) == bytes ? 0 : -1;
}

/* Writes the report for machines. False: a message was printed. */
static bool report_machine(const lode_report *report, const cli_report_form *form) {
    bool is_stdout = form->path && strcmp(form->path, "-") == 0;
    FILE *file = !form->path ? stderr : is_stdout ? stdout : fopen(form->path, "w");
    bool ok = file != NULL;
    if (ok) {
        lode_status status = form->tsv ? lode_report_tsv(report, write_stream, file)
                                       : lode_report_json(report, write_stream, file);
        ok = status == LODE_OK && !ferror(file);
    }
    if (file && form->path && (is_stdout ? fflush(file) : fclose(file)) != 0) ok = false;
    const char *name = !form->path ? "standard error" : is_stdout ? "standard output" : form->path;
    if (!ok) cli_error("cannot write '%s': %s", name, strerror(errno));
    return ok;
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
    lode_status status = lode_report_text(report, level, write_stream, stderr);
    (void)status; /* a failure to write to standard error cannot be reported */
}

int cli_report(const cli_args *args, const lode_job *job, const cli_report_form *form, int code) {
    const lode_report *report = lode_job_report(job);
    report_people(args, report, !form->machine && !cli_given(args, "quiet"));
    bool reported = !form->machine || report_machine(report, form);
    return !reported && code == CLI_DONE ? CLI_FAILED : code;
}
