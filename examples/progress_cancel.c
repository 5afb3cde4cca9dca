/* progress_cancel.c - shows how far a job is, and stops it with Ctrl-C or after a time limit
 *
 *     progress_cancel FILE SUPPORT SECONDS
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "lode.h"

static lode_ctx *volatile running;

/* lode_ctx_cancel() is one of the two calls that a signal handler may make. */
static void on_interrupt(int number) {
    (void)number;
    if (running) lode_ctx_cancel(running);
}

/* At most ten calls a second, from the thread that called lode. Not zero cancels the job. */
static int show_progress(void *user, const lode_progress *progress) {
    const double *limit = user;
    fprintf(stderr, "%s: %llu of %llu, %llu patterns\n", progress->phase,
            (unsigned long long)progress->done, (unsigned long long)progress->total,
            (unsigned long long)progress->patterns);
    return progress->seconds > *limit;
}

int main(int argc, char **argv) {
    lode_options options;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_ctx *ctx = NULL;
    char message[200];

    if (argc != 4) {
        fprintf(stderr, "usage: progress_cancel FILE SUPPORT SECONDS\n");
        return 2;
    }
    double limit = strtod(argv[3], NULL);
    lode_options_init(&options);
    options.ctx.progress = show_progress;
    options.ctx.progress_user = &limit;
    if (lode_options_set(&options, "min-support", argv[2], message, sizeof message) != LODE_OK) {
        fprintf(stderr, "min-support %s\n", message);
        return 2;
    }
    if (lode_ctx_create(&ctx, &options.ctx) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    running = ctx;
    signal(SIGINT, on_interrupt);

    lode_status status = lode_dataset_open(ctx, &data, argv[1], &options.read);
    if (status == LODE_OK) status = lode_sink_count(ctx, &sink);
    if (status == LODE_OK) status = lode_mine(ctx, data, &options.mine, sink, NULL);
    if (sink && (status == LODE_OK || status == LODE_CANCELLED)) { /* what came is valid */
        printf("%llu itemsets%s\n", (unsigned long long)lode_sink_patterns(sink),
               status == LODE_CANCELLED ? " so far: cancelled" : "");
        status = LODE_OK;
    }
    if (status != LODE_OK) fprintf(stderr, "%s\n", lode_ctx_error(ctx));

    running = NULL;
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_ctx_free(ctx);
    return status == LODE_OK ? 0 : 1;
}
