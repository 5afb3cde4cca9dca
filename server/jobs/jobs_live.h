/* jobs_live.h - jobs that wait or run, and what the files of this part share
 *
 *   jobs.c          start and shutdown
 *   jobs_routes.c   posting jobs            jobs_actions.c  cancel, keep, raise, delete
 *   jobs_options.c  checks the options of a job
 *   jobs_row.c      rows of the database    jobs_json.c     a job as JSON
 *   jobs_command.c  a job as a command line
 *   jobs_list.c     jobs in memory          jobs_tell.c     events for listeners
 *   jobs_run.c      runs a job, from the queue to its end
 *   jobs_files.c    result files
 *   queue.c         the order of jobs       events.c        event streams
 *   ../compare      comparisons with other algorithms and programs
 *   ../storage/recover.c  jobs after a restart
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
    worker_source source; /* what it mines; set when it starts */
    uint64_t client;      /* hash of the client that posted it; 0: posted before a restart */
    size_t place;         /* place in the queue, from 1; 0: it does not wait */
    size_t client_ahead, dataset_ahead; /* jobs of the client, and of the data set, before it */
    job_kind kind;
    bool running;  /* false: it waits, or has ended */
    bool ended;    /* it has ended, and its end is being stored */
    bool stopping; /* the server has asked it to stop */
    bool deleted;  /* its row is deleted: its result is dropped */
    bool cut;      /* the server shuts down, and has marked it as lost */
    bool compare;  /* a comparison follows */
    worker_call *call;
    text progress;   /* last progress event of the worker; empty: none yet */
    double told;     /* when listeners last received it; jobs_clock() */
    double began;    /* db_now(); 0: not yet */
    uint64_t raised; /* the raised threshold; 0: not raised */
    char *unstored;  /* error of the last attempt to store its end; NULL: none failed */
    struct event *patience;
    struct live_job *next;
} live_job;

struct jobs {
    live_job *first; /* in the order in which they were posted */
    listener *listeners;
    struct event *heartbeat;
    struct comparisons *comparisons;
    struct posting *postings; /* jobs whose rows are being stored */
    turns turns;              /* turns of clients in the queue */
};

extern const char *const job_kind_names[JOB_KINDS];
bool job_kind_find(const char *name, job_kind *out);

/* jobs_list.c */
live_job *jobs_find(const jobs *j, uint64_t id);
/* Appends a new job of a client to the queue; NULL: out of memory. */
live_job *jobs_add(server *s, uint64_t id, uint64_t client);
void job_remove(live_job *job);
/* Seconds of a monotonic clock. */
double jobs_clock(void);

/* jobs_tell.c: sends the current state of a job to its listeners. */
void job_tell(server *s, uint64_t id);
/* The same for all waiting jobs: their places have changed. */
void jobs_tell_places(server *s);
/* Ends the streams of a job that has ended, unless its comparison is still running. */
void job_hush(server *s, uint64_t id);

/* jobs_options.c: whether a job of this kind may have these options. False: `message` has the
 * reason. */
bool job_options_check(job_kind kind, const json_t *options, char *message, size_t room);
/* The value of an option as text. NULL: not given, or a list. */
const char *job_option(const json_t *options, const char *name);

/* jobs_command.c: the equivalent command line; free it with text_free(). */
typedef struct job_command {
    job_kind kind;
    const char *name; /* of the data set */
    const json_t *options, *read, *clean;
} job_command;
void job_command_write(const job_command *c, text *out);

/* jobs_row.c: the times {"total","read",…} from a report. NULL: out of memory. */
json_t *job_times(const json_t *report);

/* jobs_json.c: a job as the API shows it, from its row and its state in memory. NULL: `step` (may
 * be NULL) tells whether the job does not exist or cannot be read. */
json_t *job_json(server *s, uint64_t id, db_step *step);
/* Answers with the job, or with the error. */
void job_reply(server *s, request *r, int code, uint64_t id);
/* Which jobs a list has. */
typedef struct jobs_wanted {
    uint64_t dataset, family; /* only these; 0: all */
    bool unfolded;            /* without those that are folded under a newer result */
} jobs_wanted;
void jobs_fill(server *s, const jobs_wanted *wanted, listing *list);

/* jobs_row.c: changes of rows. */
typedef struct job_end {
    const char *state, *message, *hint;
    const json_t *done;      /* the worker's answer; NULL: none */
    const char *fingerprint; /* of its data; NULL: unknown */
} job_end;
typedef struct job_wish {
    uint64_t dataset;
    job_kind kind;
    json_t *options;      /* borrowed, like the next two */
    json_t *read, *clean; /* NULL: those of the data set */
    uint64_t from;        /* job whose family it joins, if that has the same data set and kind */
    bool compare;
} job_wish;
db_change *job_row_insert(const job_wish *wish);
/* Changes name and note; NULL: leaves it as it is. */
db_change *job_row_described(uint64_t id, const char *name, const char *note);
db_change *job_row_started(const live_job *job);
/* Stores a raised threshold. NULL: the row no longer exists, or out of memory. */
db_change *job_row_raised(server *s, uint64_t id, const char *min_support);
/* The options of a job; NULL: no such job, or out of memory. */
json_t *job_row_options(server *s, uint64_t id);
db_change *job_row_ended(uint64_t id, const job_end *end);
/* Marks a job as done whose result exists but whose end was not stored. */
db_change *job_row_found(uint64_t id, const lode_store_info *result, uint64_t bytes);
/* Copies the state of a job from the database. */
__attribute__((warn_unused_result)) db_step job_row_state(server *s, uint64_t id, char state[16]);
/* What a job mines or has mined; clear it with worker_source_clear(). A result has a fingerprint
 * unless an older server mined it. DB_FAILED: the database cannot be read, or out of memory. */
__attribute__((warn_unused_result)) db_step job_row_source(server *s, uint64_t id,
                                                           worker_source *out);
/* Answers 404, or 503 if the database cannot be read. */
void job_reply_missing(request *r, uint64_t id, db_step step);

/* jobs_files.c */
void job_result_path(const server *s, uint64_t id, char path[FOLDER_PATH_BYTES]);
/* Bytes on disk of results whose jobs have no end in the database yet. */
uint64_t jobs_unstored_bytes(const server *s);
/* Removes all files of a job, complete or not. False: a file is left. */
bool job_discard_result(const server *s, uint64_t id);

/* jobs_run.c */
/* Starts as many waiting jobs as there is room for; then comparisons, if no job waits. */
void jobs_schedule(server *s);
/* Ends a waiting job. */
void job_drop(live_job *job, const char *state, const char *message);

/* Must be called when the row of a job was deleted: cancels the job if it runs, and frees it.
 * False: the job still runs. */
bool job_forget(server *s, uint64_t id);
void route_cancel(server *s, request *r);
void route_keep(server *s, request *r);
void route_raise(server *s, request *r);
void route_delete(server *s, request *r);
void route_describe(server *s, request *r);

/* recover.c: reads the header of a result; false: the file is not a complete result. */
bool job_result_info(const char *path, lode_store_info *out);
/* After a restart: marks interrupted jobs as lost, or as done if their result is complete, and
 * queues the waiting jobs again. */
bool jobs_recover(server *s, char *why, size_t room);

#endif
