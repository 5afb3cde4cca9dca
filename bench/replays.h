/* replays.h - how fast a sink takes the patterns of a search: the search is recorded, and only the
 * sink is timed
 *
 * Prints `total PATTERNS`, `bytes BYTES` and `seconds CPU-SECONDS` of the best of five replays on
 * one thread, to /dev/null.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BENCH_REPLAYS_H
#define LODE_BENCH_REPLAYS_H

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "write/core/sink.h"

#define REPLAYS 5

typedef struct replays {
    lode_options *options; /* threads, thresholds */
    lode_job *job;
    lode_dataset *data;
    const char *format; /* "count", or one that `open` knows */
    void *recording;
    /* Records a search. */
    lode_status (*record)(struct replays *r);
    /* Makes a sink that writes to /dev/null. */
    lode_status (*open)(const struct replays *r, lode_sink **out);
    /* Hands the recording to a sink. */
    lode_status (*play)(const struct replays *r, lode_sink *sink);
    void (*forget)(struct replays *r);
} replays;

static inline lode_status replays_time(const replays *r, lode_sink **sink, double *best) {
    lode_status status = LODE_OK;
    for (int i = 0; i < REPLAYS; i++) {
        lode_sink_free(*sink);
        *sink = NULL;
        bool counts = strcmp(r->format, "count") == 0;
        LODE_TRY(counts ? lode_sink_count(r->job, sink) : r->open(r, sink));
        double start = os_thread_seconds();
        LODE_TRY(r->play(r, *sink));
        double seconds = os_thread_seconds() - start;
        if (i == 0 || seconds < *best) *best = seconds;
    }
done:
    return status;
}

static inline lode_status replays_measure(replays *r, const char *path) {
    lode_status status = LODE_OK;
    lode_sink *sink = NULL;
    double best = 0;
    LODE_TRY(lode_job_create(&r->job, NULL, lode_options_job(r->options)));
    LODE_TRY(lode_dataset_open(r->job, &r->data, path, NULL));
    LODE_TRY(r->record(r));
    LODE_TRY(replays_time(r, &sink, &best));
    printf("total %llu\nbytes %llu\nseconds %.6f\nMB/s %.0f\n",
           (unsigned long long)lode_sink_patterns(sink), (unsigned long long)lode_sink_bytes(sink),
           best, (double)lode_sink_bytes(sink) / best / 1e6);
done:
    lode_sink_free(sink);
    if (r->job) r->forget(r);
    return status;
}

/* Measures, unless something was wrong before; the exit code of the program. Frees everything. */
static inline int replays_run(replays *r, const char *path, lode_status status) {
    if (status == LODE_OK) status = lode_options_set(r->options, "threads", "1", NULL, 0);
    if (status == LODE_OK) status = replays_measure(r, path);
    if (status != LODE_OK) {
        fprintf(stderr, "%s\n", r->job ? lode_job_error(r->job) : "bad arguments");
    }
    lode_dataset_free(r->data);
    lode_job_free(r->job);
    lode_options_free(r->options);
    return status != LODE_OK;
}

#endif
