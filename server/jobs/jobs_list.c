/* jobs_list.c - the jobs that wait or run, in memory
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdlib.h>
#include <time.h>

#include "jobs/jobs_live.h"

double jobs_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

live_job *jobs_find(const jobs *j, uint64_t id) {
    live_job *job = j->first;
    while (job && (job->id != id || job->deleted)) job = job->next;
    return job;
}

live_job *jobs_add(server *s, uint64_t id, uint64_t client) {
    live_job *job = calloc(1, sizeof *job), **end = &s->jobs->first;
    if (!job) return NULL;
    *job = (live_job){.server = s, .id = id, .client = client};
    while (*end) end = &(*end)->next;
    *end = job;
    return job;
}

void job_remove(live_job *job) {
    live_job **at = &job->server->jobs->first;
    while (*at != job) at = &(*at)->next;
    *at = job->next;
    if (job->patience) event_free(job->patience);
    text_free(&job->progress);
    free(job->unstored);
    worker_source_clear(&job->source);
    free(job);
}
