/* jobs_live.h - jobs that wait or run, and what the files of this part share
 *
 *   jobs.c          the part: start, end
 *   jobs_routes.c   the requests          jobs_actions.c  cancel, keep, raise, delete
 *   jobs_options.c  which options a job may have
 *   jobs_row.c      rows of the database  jobs_json.c     a job as JSON
 *   jobs_command.c  as a command line     jobs_times.c    the paper's line, from a report
 *   jobs_list.c     those in memory       jobs_tell.c     what listeners hear
 *   jobs_run.c      from the queue to the end
 *   jobs_files.c    their results on disk
 *   jobs_unsaved.c  ends that the disk refused
 *   queue.c         who is next           events.c        who listens
 *   compare*.c      other algorithms      peers.c         other programs
 *   recover.c       what a restart finds
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_JOBS_LIVE_H
#define LODE_SERVER_JOBS_LIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "events.h"
#include "jobs.h"
#include "listing.h"
#include "request.h"
#include "server.h"
#include "text.h"
#include "workers.h"

struct event;
struct comparisons;

typedef enum job_kind { JOB_ITEMSETS, JOB_RULES, JOB_GRAPHS, JOB_KINDS } job_kind;

typedef struct live_job {
    server *server;
    uint64_t id, dataset;
    job_kind kind;
    bool running;  /* else it waits */
    bool stopping; /* it was told to end */
    bool deleted;  /* its row is gone: what comes of it is thrown away */
    bool compare;  /* a comparison follows */
    worker_call *call;
    text progress; /* the last event of the worker; empty: none yet */
    double told;   /* when listeners heard of it; jobs_clock() */
    struct event *patience;
    struct live_job *next;
} live_job;

typedef struct unsaved_job unsaved_job;

struct jobs {
    unsaved_job *unsaved;
    live_job *first; /* in the order in which they were asked for */
    listener *listeners;
    struct event *heartbeat;
    struct comparisons *comparisons;
};

extern const char *const job_kind_names[JOB_KINDS];
bool job_kind_find(const char *name, job_kind *out);

/* jobs_list.c */
live_job *jobs_find(const jobs *j, uint64_t id);
/* Puts a new job at the end of the line; NULL: no memory. */
live_job *jobs_add(server *s, uint64_t id, uint64_t dataset, job_kind kind);
void job_remove(live_job *job);
/* Seconds of a clock that nobody sets. */
double jobs_clock(void);

/* jobs_tell.c: tells those who listen how the job is now. */
void job_tell(server *s, uint64_t id);
/* The same of all that wait: they have moved up. */
void jobs_tell_places(server *s);
/* Ends the streams of a job that has ended, unless a comparison goes on. */
void job_hush(server *s, uint64_t id);

/* jobs_options.c: whether a job of this kind may have these options. False: `message` says why. */
bool job_options_check(job_kind kind, const json_t *options, char *message, size_t room);
/* The text of an option; a list has none. NULL: it is not given. */
const char *job_option(const json_t *options, const char *name);

/* jobs_command.c: the command that does the same: freed by text_free(). */
typedef struct job_command {
    job_kind kind;
    const char *name; /* of the data set */
    const json_t *options, *read, *clean;
} job_command;
void job_command_write(const job_command *c, text *out);

/* jobs_times.c: {"total","read",…} of a report. NULL: no memory. */
json_t *job_times(const json_t *report);

/* jobs_json.c: a job as the API has it, as its row and what is in memory say. NULL: no such job. */
json_t *job_json(server *s, uint64_t id, bool with_report);
/* Jobs of one data set or (0) of all. */
void jobs_fill(server *s, uint64_t dataset, listing *list);

/* jobs_row.c: changes of rows. False: the database refused. */
typedef struct job_end {
    const char *state, *message, *hint;
    const json_t *done; /* the worker's answer; NULL: there is none */
} job_end;
uint64_t job_row_insert(server *s, const live_job *job, const json_t *options);
bool job_row_started(server *s, uint64_t id);
bool job_row_ended(server *s, uint64_t id, const job_end *end);
bool job_row_delete(server *s, uint64_t id);
/* The state of a job in the database, copied; false: there is no such job. */
bool job_row_state(server *s, uint64_t id, char state[16]);

/* jobs_files.c */
void job_result_path(const server *s, uint64_t id, char path[4352]);
/* Removes whatever a job has written, whole or half. */
void job_discard_result(const server *s, uint64_t id);

/* jobs_unsaved.c: ends that the database did not take. */
void job_unsaved_add(server *s, uint64_t id);
/* Corrects what the row of a job says. */
void job_unsaved_show(const jobs *j, uint64_t id, json_t *job);
void jobs_store_unsaved(server *s);
void jobs_forget_unsaved(jobs *j);

/* jobs_run.c */
/* Starts whom there is room for; then comparisons, if nobody waits. */
void jobs_schedule(server *s);
/* Ends a job that waits. */
void job_drop(live_job *job, const char *state, const char *message);

/* jobs_actions.c */
void job_cancel(live_job *job);
/* Deletes a job in any state. */
bool job_delete(server *s, uint64_t id);
void route_cancel(server *s, request *r);
void route_keep(server *s, request *r);
void route_raise(server *s, request *r);
void route_delete(server *s, request *r);

/* recover.c: what was cut off is marked, what it left behind removed; those that waited wait again.
 * */
bool jobs_recover(server *s, char *why, size_t room);

#endif
