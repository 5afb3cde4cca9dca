/* jobs_tell.c - sends the state of jobs to their listeners
 * SPDX-License-Identifier: Apache-2.0 */
#include "compare/compare.h"
#include "jobs/jobs_live.h"

void job_tell(server *s, uint64_t id) {
    if (!events_has(s->jobs->listeners, id)) return;
    json_t *job = job_json(s, id, NULL);
    events_send_json(s->jobs->listeners, id, "job", job);
    json_decref(job);
}

void job_hush(server *s, uint64_t id) {
    if (!jobs_find(s->jobs, id) && !compare_runs(s, id)) events_end(&s->jobs->listeners, id);
}

void jobs_tell_places(server *s) {
    for (const live_job *job = s->jobs->first; job; job = job->next) {
        if (!job->running && !job->ended && !job->deleted) job_tell(s, job->id);
    }
}
