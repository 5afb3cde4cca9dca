/* report_common.c - see report_common.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "report_common.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

const char *report_plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* ---- for people ---------------------------------------------------------------------------- */

void report_text_support(const char *given, uint64_t min_count, uint64_t final_count, uint64_t n,
                         const char *of_what) {
    if (!given) {
        fprintf(stderr, "no minimum support given: searched from %s of %s %s", cli_count(min_count),
                cli_count(n), of_what);
    } else {
        fprintf(stderr, "minimum support %s = %s of %s %s", given, cli_count(min_count),
                cli_count(n), of_what);
    }
    if (given && strcmp(given, "1") == 0)
        fputs(" (1 is a count; 100% would be all of them)", stderr);
    if (given && min_count > n) fputs(" (more than there are)", stderr);
    if (final_count > min_count) fprintf(stderr, ", raised to %s", cli_count(final_count));
    fputc('\n', stderr);
}

/* Whether the output is written beside and renamed: no standard output, device or pipe. */
static bool writes_beside(const char *path) {
    struct stat info;
    if (!path || strcmp(path, "-") == 0) return false;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

void report_partial(const cli_args *args, const char *stopped_by, double limit_seconds,
                    uint64_t limit_patterns, uint64_t n, const char *what, bool cancelled) {
    const char *path = cli_given(args, "output");
    bool beside = writes_beside(path);
    char why[64] = "interrupted";
    if (strcmp(stopped_by, "limit-time") == 0) {
        snprintf(why, sizeof why, "stopped by --limit-time %.10g", limit_seconds);
    } else if (strcmp(stopped_by, "limit-patterns") == 0) {
        snprintf(why, sizeof why, "stopped by --limit-patterns %llu",
                 (unsigned long long)limit_patterns);
    }
    cli_error("%s: the result is partial, %s %s so far%s%s%s", why, cli_count(n), what,
              beside ? ", in " : "", beside ? path : "", beside && cancelled ? ".partial" : "");
}

/* ---- for machines -------------------------------------------------------------------------- */

static const char *status_name(int code) {
    switch (code) {
    case CLI_DONE: return "done";
    case CLI_INTERRUPTED: return "interrupted";
    case CLI_LIMIT: return "stopped by a limit";
    default: return "failed";
    }
}

void report_put_status(fields *f, const lode_job *job, int code, const char *message,
                       const char *stopped_by) {
    const char *latest = lode_job_error(job);
    fields_text(f, "lode", lode_version());
    fields_text(f, "status", status_name(code));
    fields_count(f, "exit", (uint64_t)code);
    fields_flag(f, "partial", code != CLI_DONE);
    fields_text(f, "message", latest[0] ? latest : message);
    fields_text(f, "stopped_by", stopped_by);
}

void report_put_support(fields *f, const char *given, uint64_t min_count, uint64_t final_count) {
    fields_open(f, "threshold");
    fields_text(f, "text", given ? given : "");
    fields_count(f, "count", min_count);
    fields_count(f, "final_count", final_count);
    fields_close(f);
}

void report_put_threads(fields *f, const double *seconds, unsigned n) {
    fields_open_list(f, "thread_seconds");
    for (unsigned i = 0; i < n; i++) fields_seconds(f, NULL, seconds[i]);
    fields_close(f);
}

uint64_t report_resident_peak(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

bool report_write(const char *path, bool tsv, void (*put)(fields *f, const void *run),
                  const void *run) {
    bool is_stdout = path && strcmp(path, "-") == 0;
    FILE *file = !path ? stderr : is_stdout ? stdout : fopen(path, "w");
    if (file) {
        fields f;
        fields_begin(&f, file, tsv);
        put(&f, run);
        fields_end(&f);
    }
    bool ok = file && !ferror(file);
    if (file && path && (is_stdout ? fflush(file) : fclose(file)) != 0) ok = false;
    const char *name = !path ? "standard error" : is_stdout ? "standard output" : path;
    if (!ok) cli_error("cannot write '%s': %s", name, strerror(errno));
    return ok;
}
