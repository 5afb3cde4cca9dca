/* jobs.c - several jobs at once: they share threads, memory, and the data set
 *
 *     jobs FILE SUPPORT...        for example: jobs baskets.csv 5% 2% 1%
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lode.h"

#define MOST_JOBS 8

typedef struct work {
    lode_ctx *ctx;
    const lode_dataset *data;
    const char *support;
    unsigned long long found;
    char error[300]; /* "" = none */
} work;

/* One job on one thread; it waits while the other jobs use all threads of the context. */
static void *mine(void *arg) {
    work *w = arg;
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_mine_options options = LODE_INIT(lode_mine_options);
    lode_status status =
        lode_threshold_parse(w->support, &options.min_support, w->error, sizeof w->error);
    if (status != LODE_OK) return NULL;
    status = lode_job_create(&job, w->ctx, NULL);
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, w->data, &options, sink);
    if (status != LODE_OK) snprintf(w->error, sizeof w->error, "%s", lode_job_error(job));
    w->found = lode_sink_patterns(sink);
    lode_sink_free(sink);
    lode_job_free(job);
    return NULL;
}

static lode_status read_data(lode_ctx *ctx, lode_dataset **data, const char *path) {
    lode_job *reader = NULL;
    lode_status status = lode_job_create(&reader, ctx, NULL);
    if (status == LODE_OK) status = lode_dataset_open(reader, data, path, NULL);
    if (status != LODE_OK) fprintf(stderr, "%s\n", lode_job_error(reader));
    lode_job_free(reader); /* the data set stays */
    return status;
}

int main(int argc, char **argv) {
    lode_ctx *ctx = NULL;
    lode_dataset *data = NULL;
    lode_ctx_options limits = LODE_INIT(lode_ctx_options);
    work works[MOST_JOBS] = {{0}};
    pthread_t threads[MOST_JOBS];
    int n = argc - 2, failed = 0;

    if (n < 1 || n > MOST_JOBS) {
        fprintf(stderr, "usage: jobs FILE SUPPORT...\n");
        return 2;
    }
    limits.threads = 2; /* for all jobs together */
    if (lode_ctx_create(&ctx, &limits) != LODE_OK) return 1;
    if (read_data(ctx, &data, argv[1]) != LODE_OK) {
        lode_ctx_free(ctx);
        return 1;
    }
    for (int i = 0; i < n; i++) {
        works[i] = (work){.ctx = ctx, .data = data, .support = argv[i + 2]};
        if (pthread_create(&threads[i], NULL, mine, &works[i]) != 0) return 1;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        failed += works[i].error[0] != 0;
        if (works[i].error[0]) fprintf(stderr, "%s: %s\n", works[i].support, works[i].error);
        if (!works[i].error[0]) printf("%s: %llu itemsets\n", works[i].support, works[i].found);
    }
    lode_dataset_free(data);
    lode_ctx_free(ctx);
    return failed > 0;
}
