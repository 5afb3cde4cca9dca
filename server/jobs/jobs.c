/* jobs.c - start and shutdown of the jobs part; see jobs.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "jobs/jobs.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/compare.h"
#include "jobs/jobs_live.h"

#define JOBS_HEARTBEAT 15 /* seconds between keep-alive comments */

static void jobs_beat(evutil_socket_t fd, short what, void *user) {
    server *s = user;
    (void)fd, (void)what;
    events_beat(s->jobs->listeners);
}

static bool jobs_start(server *s, char *why, size_t room) {
    const struct timeval beat = {.tv_sec = JOBS_HEARTBEAT};
    jobs *j = calloc(1, sizeof *j);
    s->jobs = j;
    if (j) j->heartbeat = event_new(s->base, -1, EV_PERSIST, jobs_beat, s);
    if (!j || !j->heartbeat || event_add(j->heartbeat, &beat) != 0 || !compare_open(s)) {
        snprintf(why, room, "out of memory for jobs");
        return false;
    }
    if (!jobs_recover(s, why, room)) return false;
    jobs_schedule(s);
    return true;
}

/* Running jobs are interrupted and marked as lost; waiting jobs stay queued for the next start. If
 * a worker ends by itself at this moment, its result counts. */
static void jobs_close(server *s) {
    const job_end end = {.state = "lost",
                         .message = "the server was stopped while this job was running",
                         .hint = "The job can be started again."};
    compare_close(s);
    for (live_job *job = s->jobs->first; job; job = job->next) {
        if (!job->running || job->deleted) continue;
        db_send_surely(s->db, job_row_ended(job->id, &end), NULL, NULL);
        job->cut = true;
    }
    events_end(&s->jobs->listeners, 0);
}

static void jobs_stop(server *s) {
    if (!s->jobs) return;
    compare_stop(s);
    while (s->jobs->first) job_remove(s->jobs->first);
    events_end(&s->jobs->listeners, 0);
    if (s->jobs->heartbeat) event_free(s->jobs->heartbeat);
    free(s->jobs);
    s->jobs = NULL;
}

const server_part jobs_part = {"jobs", jobs_start, jobs_close, jobs_stop};
