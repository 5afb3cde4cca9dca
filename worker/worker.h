/* worker.h - lode worker: the open data set and the requests in progress
 *
 * A worker process has one data set in memory and answers requests that arrive through a pipe;
 * docs/worker.md describes the protocol. The process has four threads:
 *
 *     reader    parses requests, answers control verbs at once, and queues the others
 *     lanes     one for long requests (open, clean, suggest, mine, write), one for short ones
 *     output    writes frames (worker_output.h)
 *
 * Only `open`, in the long lane, changes the data. It waits for the short requests that arrived
 * before it, and short requests that arrive later wait until it has ended. So no request needs a
 * lock to read the data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_H
#define LODE_CLI_WORKER_H

#include "worker_request.h"
#include "worker_text.h"

#define WORKER_MESSAGE 2048

typedef struct worker_call worker_call;

typedef enum worker_lane { WORKER_SHORT = 0, WORKER_LONG = 1, WORKER_CONTROL = 2 } worker_lane;

/* A verb. Its function writes the JSON object of `done`; on failure it calls worker_refuse() or
 * worker_failed() and returns the status. */
typedef struct worker_verb {
    const char *name;
    worker_lane lane;
    const char *names; /* allowed names, for worker_request_check() */
    bool needs_data;
    lode_status (*run)(worker_call *c, worker_text *json);
} worker_verb;

/* A request in progress. */
struct worker_call {
    worker_call *next;
    const worker_verb *verb;
    worker_request request;
    uint64_t after; /* waits until this many requests of the other lane are answered */
    char message[WORKER_MESSAGE];
    uint64_t needed;    /* bytes, after LODE_BUDGET */
    const char *output; /* the file that it writes, or NULL; messages must not show its folder */
    /* Changed under the lock of the lanes (worker_lanes.c): */
    lode_job *job; /* the job that a cancel stops; NULL: not started, or ended */
    bool cancelled, kept, answered;
    bool settled;     /* the search has ended: too late for keep */
    uint64_t raised;  /* the highest threshold of a `raise`; 0: none */
    bool raise_waits; /* the search has not received it yet */
};

/* The open data set. */
typedef struct worker_data {
    lode_ctx *ctx;
    lode_dataset *read; /* as read, without cleaning */
    lode_dataset *data; /* the data for requests: `read`, or the cleaned data */
    lode_graphs *graphs;
    lode_options *options;     /* the read options; their threads and memory limit all requests */
    unsigned threads;          /* threads of a long request; a short request has one in addition */
    char *path, *name;         /* messages show the name instead of the path */
    worker_text profile, logs; /* JSON: an object, and a list of strings without brackets */
} worker_data;

extern worker_data worker_open_data;

/* ---- worker_output.c: how a call ends ------------------------------------------------------ */

/* Stores the message of a failed call, and returns the status. */
lode_status worker_refuse(worker_call *c, lode_status status, const char *format, ...)
    LODE_PRINTF(3, 4);
/* Answers a call with the result of its function. */
void worker_answer(worker_call *c, lode_status status, const worker_text *json);
void worker_call_free(worker_call *c);

/* ---- worker_process.c: the start and the end ------------------------------------------------- */

/* Writes the text of an answer to `out`; nothing: no answer is sent. The arguments are those of
 * worker_output_add(). Any thread calls it. */
typedef struct worker_message {
    uint64_t id;
    const char *kind, *json;
    size_t bytes;
} worker_message;
typedef void (*worker_encode_fn)(const worker_message *message, worker_text *out);

/* Starts the lanes and the output, and gives up the right to start programs. Standard output is
 * standard error from then on. Returns false after printing why. */
bool worker_start(const char *command, worker_encode_fn encode);
/* Waits while too many answers are unread. */
void worker_wait_for_reader(void);
/* Returns zeroed memory that is small; without it, no request can be answered, so the process ends
 * if there is none. */
void *worker_need(size_t bytes);
/* Cancels everything and ends the process; `call` is the quit to answer, or NULL. */
void worker_quit(worker_call *call);
/* The same after an error, without a last answer. */
void worker_die(int code);

/* ---- worker_call.c: what all verbs use ------------------------------------------------------ */

/* Stores the message of a failed job as that of the call; NULL: of the last job that could not be
 * created. */
lode_status worker_failed(worker_call *c, const lode_job *job, lode_status status);
/* Creates a job for the call. Until the job is freed, a cancel of the call stops it. `threads` 0:
 * as in the options. */
lode_status worker_job_start(worker_call *c, lode_options *options, unsigned threads,
                             lode_job **out);
void worker_job_end(worker_call *c, lode_job *job);
/* A copy of a text with `to` instead of `from`. The caller frees it. NULL: out of memory. */
char *worker_replace(const char *text, const char *from, const char *to);
/* A copy of a message, or of JSON, with the path of the open file replaced by its name. The caller
 * frees it. NULL: out of memory. */
char *worker_in_words(const char *message, bool json);
/* Sets an option of these groups. Options that name a file are refused: a worker opens only `path`
 * and `output`. */
lode_status worker_set_option(worker_call *c, unsigned groups, const char *name, const char *value,
                              lode_options *options);
/* Sets the options whose names in the request begin with a prefix such as "read.". */
lode_status worker_set_options(worker_call *c, const char *prefix, unsigned groups,
                               lode_options *options);

/* ---- worker_lanes.c: the order of calls ----------------------------------------------------- */

bool worker_lanes_start(void);
/* Queues a call and takes ownership of it; false: too many are waiting. */
bool worker_lanes_add(worker_call *c);
/* Sets the job that a cancel stops, or NULL. An earlier cancel stops it now. */
void worker_lanes_publish(worker_call *c, lode_job *job);
/* Whether the call was cancelled. */
bool worker_lanes_cancelled(worker_call *c);
/* The raised threshold for a search that starts now; 0: none. */
uint64_t worker_lanes_raised(worker_call *c);
/* Passes on a raise that arrived before the search started. */
void worker_lanes_raise(worker_call *c);
typedef enum worker_ending {
    WORKER_ENDED, /* the search has ended by itself, or by a cancel */
    WORKER_KEPT,  /* it was stopped to keep what it has found */
    WORKER_AGAIN  /* it missed a raise: the search must run again */
} worker_ending;
/* How the search has ended. Unless it must run again, its result is then completed, and only a
 * cancel stops the job. */
worker_ending worker_lanes_settle(worker_call *c);
/* Whether a call with this id is in progress. */
bool worker_lanes_has(uint64_t id);
/* Cancels the call `id`, stops its search to keep what was found, or raises its threshold. `by` is
 * the call that requests this, and gets the message of an error. Errors: LODE_NOTFOUND (the call
 * has ended, or its search has ended, so that its threshold cannot be raised), LODE_INVALID (the
 * call is not a search, so it can only be cancelled). */
typedef enum worker_control { WORKER_CANCEL, WORKER_KEEP, WORKER_RAISE } worker_control;
lode_status worker_lanes_control(worker_call *by, uint64_t id, worker_control what,
                                 uint64_t min_count);
/* Cancels all calls and waits until they have ended; false: they have not after `seconds`. */
bool worker_lanes_end(double seconds);

/* ---- the verbs ------------------------------------------------------------------------------ */

lode_status worker_open(worker_call *c, worker_text *json);
lode_status worker_mine(worker_call *c, worker_text *json);
lode_status worker_columns(worker_call *c, worker_text *json);
lode_status worker_need_baskets(worker_call *c); /* refuses graphs */
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

/* Collects the most frequent items, most frequent first. */
typedef struct worker_top {
    uint64_t *counts;
    uint32_t *items;
    size_t n, most;
} worker_top;

void worker_top_items(const lode_dataset *data, worker_top *t);

/* The profile of a data set as a JSON object. */
void worker_profile_data(const lode_dataset *data, worker_text *json);
void worker_profile_graphs(const lode_graphs *data, worker_text *json);
/* Writes {"index":…,"name":…,"vertices":[…],"edges":[…] of a graph, without the closing brace. */
void worker_add_graph(worker_text *json, const lode_graphs *data, uint64_t index);
/* The name of a label. */
void worker_add_label(worker_text *json, const lode_graphs *data, uint32_t label, bool edge);
/* The items of a transaction as a list of names, and a name. */
void worker_add_items(worker_text *json, const lode_dataset *data, const uint32_t *items, size_t n);
void worker_add_item(worker_text *json, const lode_dataset *data, uint32_t item);

/* worker_disk.c: from now on, written bytes are counted in this shared file; NULL: not counted. */
lode_status worker_share_disk(worker_call *c, const char *path);
/* worker_sandbox.c: gives up the right to start other programs. */
void worker_give_up_execution(void);

#endif
