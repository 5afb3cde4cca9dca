/* report_common.h - what the reports of itemsets and of graphs share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_REPORT_COMMON_H
#define LODE_CLI_REPORT_COMMON_H

#include "cli.h"
#include "fields.h"

/* "" or "s". */
const char *report_plural(uint64_t n);

/* ---- for people ---- */

/* The line about the threshold: as given, as a count, and what it was raised to. */
void report_text_support(const char *given, uint64_t min_count, uint64_t final_count, uint64_t n,
                         const char *of_what);
/* Says that a result is partial, why, and where it is. `what`: "itemsets". */
void report_partial(const cli_args *args, const char *stopped_by, double limit_seconds,
                    uint64_t limit_patterns, uint64_t n, const char *what, bool cancelled);

/* ---- for machines ---- */

/* How the run ended. The context forgets its message when the output is finished: then it is
 * `message`. */
void report_put_status(fields *f, const lode_job *job, int code, const char *message,
                       const char *stopped_by);
void report_put_support(fields *f, const char *given, uint64_t min_count, uint64_t final_count);
void report_put_threads(fields *f, const double *seconds, unsigned n);
/* The most memory the process has had. */
uint64_t report_resident_peak(void);

/* Puts what `put` has to say into a file, or on standard error if `path` is NULL. False after a
 * message. */
bool report_write(const char *path, bool tsv, void (*put)(fields *f, const void *run),
                  const void *run);

#endif
