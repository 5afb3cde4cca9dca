/* jobs_unsaved.c - jobs whose end could not be stored, as when the disk is full
 *
 * A result that is not in the database cannot be found again: such a job has failed. That is kept
 * in memory, shown instead of what the row says, and stored as soon as the database takes it; a
 * restart before that finds a job that was cut off, and says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "database.h"
#include "jobs_live.h"

struct unsaved_job {
    uint64_t id;
    double ended;
    char message[320];
    unsaved_job *next;
};

void job_unsaved_add(server *s, uint64_t id) {
    unsaved_job *u = calloc(1, sizeof *u);
    if (!u) return; /* the next start marks it as lost */
    u->id = id;
    u->ended = db_now();
    snprintf(u->message, sizeof u->message, "the end of this job could not be stored: %s",
             db_message(s->db));
    u->next = s->jobs->unsaved;
    s->jobs->unsaved = u;
    jobs_store_unsaved(s);
}

void job_unsaved_show(const jobs *j, uint64_t id, json_t *job) {
    const unsaved_job *u = j->unsaved;
    while (u && u->id != id) u = u->next;
    if (!u) return;
    json_object_set_new(job, "state", json_string("failed"));
    json_object_set_new(job, "message", json_string(u->message));
    json_object_set_new(job, "ended", json_real(u->ended));
}

void jobs_store_unsaved(server *s) {
    for (unsaved_job **at = &s->jobs->unsaved; *at;) {
        unsaved_job *u = *at;
        const job_end end = {.state = "failed", .message = u->message};
        if (job_row_ended(s, u->id, &end)) {
            *at = u->next;
            free(u);
        } else {
            at = &u->next;
        }
    }
}

void jobs_forget_unsaved(jobs *j) {
    while (j->unsaved) {
        unsaved_job *u = j->unsaved;
        j->unsaved = u->next;
        free(u);
    }
}
