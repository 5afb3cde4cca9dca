/* messages.c - what goes wrong, said on standard error
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>

#include "cli.h"

void cli_error(const char *format, ...) {
    va_list args;
    cli_progress_hide();
    fputs("lode: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

int cli_fail(lode_job *job, lode_status status) {
    const char *message = job ? lode_job_error(job) : "";
    if (status == LODE_PARSE && message[0]) { /* file:line:column: must start the line */
        cli_progress_hide();
        fprintf(stderr, "%s\n", message);
    } else {
        cli_error("%s", message[0] ? message : lode_status_text(status));
    }
    lode_report_fail(job, status, message);
    return lode_exit_code(status);
}
