/* messages.c - what people read: what goes wrong, on standard error, and tables
 *
 * Names of files and items may be anybody's, and a terminal obeys what it is shown. So they pass
 * through lode_printable() here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define SHORT_TEXT 1024

void cli_put(FILE *file, const char *text, size_t n) {
    char shown[SHORT_TEXT], *longer = n > sizeof shown ? malloc(n) : NULL, *to = longer;
    if (!to && n > sizeof shown) n = sizeof shown; /* without memory, its beginning */
    if (!to) to = shown;
    fwrite(to, 1, lode_printable(to, text, n), file);
    free(longer);
}

static void put_formatted(FILE *file, const char *format, va_list args) {
    char text[SHORT_TEXT], *longer = NULL;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, format, args);
    if (n >= (int)sizeof text) longer = malloc((size_t)n + 1);
    if (longer) vsnprintf(longer, (size_t)n + 1, format, again);
    va_end(again);
    cli_put(file, longer ? longer : text, longer ? (size_t)n : strlen(text));
    free(longer);
}

void cli_print(FILE *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_formatted(file, format, args);
    va_end(args);
}

int cli_show_stream(void *stream, const char *text, size_t bytes) {
    cli_put(stream, text, bytes);
    return ferror((FILE *)stream) ? -1 : 0;
}

int cli_write_stream(void *stream, const char *text, size_t bytes) {
    static int terminals[] = {-1, -1}; /* standard output and error, once they were asked */
    FILE *file = stream;
    int *terminal = file == stdout ? &terminals[0] : file == stderr ? &terminals[1] : NULL;
    if (terminal && *terminal < 0) *terminal = isatty(fileno(file)) == 1;
    if (!terminal || !*terminal) return fwrite(text, 1, bytes, file) == bytes ? 0 : -1;
    return cli_show_stream(file, text, bytes);
}

void cli_error(const char *format, ...) {
    va_list args;
    cli_progress_hide();
    fputs("lode: ", stderr);
    va_start(args, format);
    put_formatted(stderr, format, args);
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
