/* jobs_live.h - jobs that wait or run, and what the files of this part share
 *
 *   jobs.c          the part: start, end
 *   jobs_routes.c   the requests          jobs_actions.c  cancel, keep, raise, delete
 *   jobs_options.c  which options a job may have
 *   jobs_row.c      rows of the database  jobs_json.c     a job as JSON
 *   jobs_command.c  as a command line     jobs_row.c    the paper's line, from a report
 *   jobs_list.c     those in memory       jobs_tell.c     what listeners hear
 *   jobs_run.c      from the queue to the end
 *   jobs_files.c    their results on disk
 *   queue.c         who is next           events.c        who listens
 *   compare*.c      other algorithms      peers.c         other programs
 *   recover.c       what a restart finds
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_JOBS_LIVE_H
#define LODE_SERVER_JOBS_LIVE_H

#include <jansson.h>
#include <lode.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/request.h"
#include "http/text.h"
#include "jobs/events.h"
#include "jobs/jobs.h"
#include "jobs/turns.h"
#include "server.h"
#include "storage/database.h"
#include "storage/listing.h"
#include "workers/workers.h"

struct event;
struct comparisons;

typedef enum job_kind { JOB_ITEMSETS, JOB_RULES, JOB_GRAPHS, JOB_KINDS } job_kind;

typedef struct live_job {
    server *server;
    uint64_t id, dataset;
    worker_source source;               /* from its start on: what it mines */
    uint64_t client;                    /* who asked for it; 0: a server before this one took it */
    size_t place;                       /* in the queue, from 1; 0: it does not wait */
    size_t client_ahead, dataset_ahead; /* jobs of the same client, and of the same data set, that
                                           run or have a place before it (queue.c) */
    job_kind kind;
    bool running;  /* else it waits, or has ended */
    bool ended;    /* it is over, and that is being stored */
    bool stopping; /* it was told to end */
    bool deleted;  /* its row is gone: what comes of it is thrown away */
    bool cut;      /* the server ends, and has noted it as lost */
    bool compare;  /* a comparison follows */
    worker_call *call;
    text progress;   /* the last event of the worker; empty: none yet */
    double told;     /* when listeners heard of it; jobs_clock() */
    double began;    /* db_now(); 0: not yet */
    uint64_t raised; /* the threshold that its worker was told to raise it to; 0: none */
    char *unstored;  /* why its end could not be stored so far; NULL: no try has failed */
    struct event *patience;
    struct live_job *next;
} live_job;

struct jobs {
    live_job *first; /* in the order in which they were asked for */
    listener *listeners;
    struct event *heartbeat;
    struct comparisons *comparisons;
    struct posting *postings; /* jobs whose rows are being stored */
    turns turns;              /* of clients, in the queue */
};

extern const char *const job_kind_names[JOB_KINDS];
bool job_kind_find(const char *name, job_kind *out);

/* jobs_list.c */
live_job *jobs_find(const jobs *j, uint64_t id);
/* Puts a new job of a client at the end of the line; NULL: no memory. */
live_job *jobs_add(server *s, uint64_t id, uint64_t client);
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

/* jobs_row.c: {"total","read",…} of a report. NULL: no memory. */
json_t *job_times(const json_t *report);

/* jobs_json.c: a job as the API has it, as its row and what is in memory say. NULL: `step` says
 * whether there is no such job, or it cannot be read; `step` may be NULL. */
json_t *job_json(server *s, uint64_t id, db_step *step);
/* Answers with it, or with why there is none. */
void job_reply(server *s, request *r, int code, uint64_t id);
/* Jobs of one data set or (0) of all. */
void jobs_fill(server *s, uint64_t dataset, listing *list);

/* jobs_row.c: changes of rows. */
typedef struct job_end {
    const char *state, *message, *hint;
    const json_t *done;      /* the worker's answer; NULL: there is none */
    const char *fingerprint; /* of its data; NULL: not known */
} job_end;
typedef struct job_wish {
    uint64_t dataset;
    job_kind kind;
    json_t *options;      /* lent, as are the others */
    json_t *read, *clean; /* NULL: as the data set is read and cleaned now */
    bool compare;
} job_wish;
db_change *job_row_insert(const job_wish *wish);
db_change *job_row_started(const live_job *job);
/* The threshold was raised. NULL: there is no such row any more, or no memory. */
db_change *job_row_raised(server *s, uint64_t id, const char *min_support);
/* The options of a job; NULL: there is no such job, or no memory. */
json_t *job_row_options(server *s, uint64_t id);
db_change *job_row_ended(uint64_t id, const job_end *end);
/* A result that is there although its end was not stored. */
db_change *job_row_found(uint64_t id, const lode_store_info *result, uint64_t bytes);
/* The state of a job in the database, copied. */
__attribute__((warn_unused_result)) db_step job_row_state(server *s, uint64_t id, char state[16]);
/* What a job mines, or has mined; cleared by worker_source_clear(). A result has a fingerprint,
 * unless an older server has mined it. DB_FAILED: there may be no memory. */
__attribute__((warn_unused_result)) db_step job_row_source(server *s, uint64_t id,
                                                           worker_source *out);
/* Answers 404, or that the database cannot be read. */
void job_reply_missing(request *r, uint64_t id, db_step step);

/* jobs_files.c */
void job_result_path(const server *s, uint64_t id, char path[FOLDER_PATH_BYTES]);
/* Bytes on disk of jobs whose end is not in the database yet. */
uint64_t jobs_unstored_bytes(const server *s);
/* Removes whatever a job has written, whole or half. False: something of it is still there. */
bool job_discard_result(const server *s, uint64_t id);

/* jobs_run.c */
/* Starts whom there is room for; then comparisons, if nobody waits. */
void jobs_schedule(server *s);
/* Ends a job that waits. */
void job_drop(live_job *job, const char *state, const char *message);

/* jobs_actions.c */
void job_cancel(live_job *job);
/* Its row is gone: ends it if it runs, and forgets all that is in memory of it. False: it still
 * runs. */
bool job_forget(server *s, uint64_t id);
void route_cancel(server *s, request *r);
void route_keep(server *s, request *r);
void route_raise(server *s, request *r);
void route_delete(server *s, request *r);

/* recover.c: whether a file is a whole result, and what it says of itself. */
bool job_result_info(const char *path, lode_store_info *out);
/* What was cut off is marked, unless its result is there; those that waited wait again. */
bool jobs_recover(server *s, char *why, size_t room);

#endif
