/* progress_cancel.c - shows progress, and stops a job with Ctrl-C or after a time limit
 *
 *     progress_cancel FILE SUPPORT SECONDS
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "lode.h"

static lode_job *volatile running;

/* lode_job_cancel() is one of the two calls that a signal handler may make. */
static void on_interrupt(int number) {
    (void)number;
    if (running) lode_job_cancel(running);
}

/* At most ten calls per second, from the thread that called lode. A return value other than zero
 * cancels the job. */
static int show_progress(void *user, const lode_progress *progress) {
    const double *limit = user;
    fprintf(stderr, "%s: %.0f%%, %llu patterns", progress->phase, 100 * progress->share,
            (unsigned long long)progress->patterns);
    if (progress->left > 0) {
        fprintf(stderr, ", %.0f to %.0f s left", progress->left_least, progress->left_most);
    }
    fputc('\n', stderr);
    return progress->seconds > *limit;
}

int main(int argc, char **argv) {
    lode_options *options = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_job *job = NULL;
    char message[200];

    if (argc != 4) {
        fprintf(stderr, "usage: progress_cancel FILE SUPPORT SECONDS\n");
        return 2;
    }
    double limit = strtod(argv[3], NULL);
    if (lode_options_create(&options) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_options_set_progress(options, show_progress, &limit);
    if (lode_options_set(options, "min-support", argv[2], message, sizeof message) != LODE_OK) {
        fprintf(stderr, "min-support %s\n", message);
        return 2;
    }
    if (lode_job_create(&job, NULL, lode_options_job(options)) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    running = job;
    signal(SIGINT, on_interrupt);

    lode_status status = lode_dataset_open(job, &data, argv[1], lode_options_read(options));
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, lode_options_mine(options), sink);
    if (sink && (status == LODE_OK || status == LODE_CANCELLED)) { /* a partial result is valid */
        printf("%llu itemsets%s\n", (unsigned long long)lode_sink_patterns(sink),
               status == LODE_CANCELLED ? " so far: cancelled" : "");
        status = LODE_OK;
    }
    if (status != LODE_OK) fprintf(stderr, "%s\n", lode_job_error(job));

    running = NULL;
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(options);
    return status == LODE_OK ? 0 : 1;
}
