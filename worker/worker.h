/* worker.h - lode worker: the data set that is open, and the questions that are under way
 *
 * One process has one data set in memory and answers requests that come by a pipe; docs/worker.md
 * is the manual of the protocol. Four threads share the work:
 *
 *     reader    takes requests apart, answers control verbs at once, and queues the others
 *     lanes     long ones (open, clean, suggest, mine, write) and short ones, each lane one by one
 *     output    writes frames (worker_output.h)
 *
 * The data change in the long lane only, by `open`, which waits for the short questions that were
 * asked before it; those asked after it wait for it. So no question needs a lock to look at data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_H
#define LODE_CLI_WORKER_H

#include "worker_request.h"
#include "worker_text.h"

#define WORKER_MESSAGE 2048

typedef struct worker_call worker_call;

typedef enum worker_lane { WORKER_SHORT = 0, WORKER_LONG = 1, WORKER_CONTROL = 2 } worker_lane;

/* A verb. Its function writes the JSON object of `done`, or returns what went wrong and has said
 * why by worker_refuse() or worker_failed(). */
typedef struct worker_verb {
    const char *name;
    worker_lane lane;
    const char *names; /* as worker_request_check() takes them */
    bool needs_data;
    lode_status (*run)(worker_call *c, worker_text *json);
} worker_verb;

/* A request on its way. */
struct worker_call {
    worker_call *next;
    const worker_verb *verb;
    worker_request request;
    uint64_t after; /* it waits until so many questions of the other lane are answered */
    char message[WORKER_MESSAGE];
    uint64_t needed;    /* bytes, after LODE_BUDGET */
    const char *output; /* the file that it writes, of which messages say no folder; or NULL */
    /* Changed under the lock of the lanes (worker_lanes.c): */
    lode_job *job; /* what a cancel reaches; NULL: nothing yet, or no longer */
    bool cancelled, kept, answered;
    bool settled;     /* the search has ended: there is nothing more to keep */
    uint64_t raised;  /* the highest threshold that was asked for by `raise`; 0 = none */
    bool raise_waits; /* the search has not heard of it yet */
};

/* What is open. */
typedef struct worker_data {
    lode_ctx *ctx;
    lode_dataset *read; /* as it was read */
    lode_dataset *data; /* what questions are about: `read`, or what cleaning made of it */
    lode_graphs *graphs;
    lode_options *options;     /* how it was read; its threads and memory are the limits */
    unsigned threads;          /* of a long question; short ones have one besides these */
    char *path, *name;         /* messages say the name instead of the path */
    worker_text profile, logs; /* JSON: an object, and a list of texts without its brackets */
} worker_data;

extern worker_data worker_open_data;

/* ---- worker_output.c: how a call ends ------------------------------------------------------ */

/* Notes why a call fails, and returns the status. */
lode_status worker_refuse(worker_call *c, lode_status status, const char *format, ...)
    LODE_PRINTF(3, 4);
/* Answers a call with what its function returned. */
void worker_answer(worker_call *c, lode_status status, const worker_text *json);
void worker_call_free(worker_call *c);

/* ---- worker_call.c: what all verbs use ------------------------------------------------------ */

/* Notes that a call fails by the message of a job; NULL: of the last that could not be made. */
lode_status worker_failed(worker_call *c, const lode_job *job, lode_status status);
/* A job for the call, which a cancel reaches until it is freed. `threads` 0: as the options say. */
lode_status worker_job_start(worker_call *c, lode_options *options, unsigned threads,
                             lode_job **out);
void worker_job_end(worker_call *c, lode_job *job);
/* A copy of a message, or of JSON, in which the path of the open file is its name; freed by the
 * caller, or NULL without memory. */
char *worker_in_words(const char *message, bool json);
/* Sets an option, of these groups. One that names a file is refused: a worker opens no other file
 * than `path` and `output`. */
lode_status worker_set_option(worker_call *c, unsigned groups, const char *name, const char *value,
                              lode_options *options);
/* Sets the options that the request names after a prefix such as "read.". */
lode_status worker_set_options(worker_call *c, const char *prefix, unsigned groups,
                               lode_options *options);

/* ---- worker_lanes.c: what is asked when ----------------------------------------------------- */

bool worker_lanes_start(void);
/* Queues a call, and owns it from now on; false: too many wait. */
bool worker_lanes_add(worker_call *c);
/* Names the job that a cancel reaches, or NULL. One that was asked for before reaches it now. */
void worker_lanes_publish(worker_call *c, lode_job *job);
/* Whether the call was cancelled. */
bool worker_lanes_cancelled(worker_call *c);
/* The threshold that a raise has asked for, with which a search begins now; 0: none. */
uint64_t worker_lanes_raised(worker_call *c);
/* Tells the search of a raise that came when it had not begun. */
void worker_lanes_raise(worker_call *c);
typedef enum worker_ending {
    WORKER_ENDED, /* the search has ended by itself, or by a cancel */
    WORKER_KEPT,  /* it was ended to keep what there is */
    WORKER_AGAIN  /* it has not heard of a raise: another one must begin */
} worker_ending;
/* How the search has ended. Unless another one must begin, its result is to be completed: from now
 * on only a cancel stops the job. */
worker_ending worker_lanes_settle(worker_call *c);
/* Whether a call with this id is on its way. */
bool worker_lanes_has(uint64_t id);
/* What the call `by` asks for with the call `id`. Errors: NOTFOUND (it has ended; or its search
 * has, and cannot be raised any more), INVALID (it cannot be kept). */
typedef enum worker_control { WORKER_CANCEL, WORKER_KEEP, WORKER_RAISE } worker_control;
lode_status worker_lanes_control(worker_call *by, uint64_t id, worker_control what,
                                 uint64_t min_count);
/* Cancels everything, and waits until it has ended or so many seconds have passed: false. */
bool worker_lanes_end(double seconds);

/* ---- the verbs ------------------------------------------------------------------------------ */

lode_status worker_open(worker_call *c, worker_text *json);
lode_status worker_mine(worker_call *c, worker_text *json);
lode_status worker_clean(worker_call *c, worker_text *json);
lode_status worker_suggest(worker_call *c, worker_text *json);
lode_status worker_write(worker_call *c, worker_text *json);
lode_status worker_preview(worker_call *c, worker_text *json);
lode_status worker_baskets(worker_call *c, worker_text *json);
lode_status worker_pairs(worker_call *c, worker_text *json);
lode_status worker_graph(worker_call *c, worker_text *json);
lode_status worker_occurrences(worker_call *c, worker_text *json);

/* Whether a device that `open` named is still starting. */
bool worker_is_waking(void);

/* The most frequent of many, the most frequent first. */
typedef struct worker_top {
    uint64_t *counts;
    uint32_t *items;
    size_t n, most;
} worker_top;

void worker_top_add(worker_top *t, uint64_t count, uint32_t item);
void worker_top_items(const lode_dataset *data, worker_top *t);

/* The profile of a data set as a JSON object. */
void worker_profile_data(const lode_dataset *data, worker_text *json);
void worker_profile_graphs(const lode_graphs *data, worker_text *json);
/* {"index":…,"name":…,"vertices":[…],"edges":[…] of a graph; without the closing brace. */
void worker_add_graph(worker_text *json, const lode_graphs *data, uint64_t index);
/* The name of a label. */
void worker_add_label(worker_text *json, const lode_graphs *data, uint32_t label, bool edge);
/* The items of a transaction as a list of names, and a name. */
void worker_add_items(worker_text *json, const lode_dataset *data, const uint32_t *items, size_t n);
void worker_add_item(worker_text *json, const lode_dataset *data, uint32_t item);

/* worker_disk.c: from now on, what is written counts in this file; NULL: nowhere. */
lode_status worker_share_disk(worker_call *c, const char *path);
/* worker_sandbox.c: from now on, no other program can be started from this process. */
void worker_give_up_execution(void);

#endif
