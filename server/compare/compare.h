/* compare.h - compares the algorithm of a job with others, row by row
 *
 * Each row mines the same data with the same options and only counts the patterns. The server runs
 * one row at a time, and only while no job runs or waits, so that the times are fair; a new job
 * interrupts the row, which starts again later. Short rows run several times and show the median.
 * They run in rounds, every second round backwards, so that no row is always first or always
 * follows the same one. Rows are JSON objects as the API shows them, stored in the database.
 *
 *   compare.c         the queue of comparisons, and the running row
 *   compare_list.c    comparisons in memory     compare_plan.c    which rows there are
 *   compare_row.c     fills in rows             compare_stored.c  rows in the database
 *   compare_routes.c  requests                  peers.h           programs of others
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_COMPARE_H
#define LODE_SERVER_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "http/request.h"
#include "jobs/events.h"
#include "jobs/jobs_live.h"
#include "server.h"

#define COMPARE_SECONDS 60 /* time limit of a row */
#define COMPARE_SHORT   1  /* a row whose first run takes fewer seconds than this runs … */
#define COMPARE_RUNS    5  /* … this many times */

/* A comparison that is not complete, or not yet stored as complete. */
typedef struct comparison {
    uint64_t job, min_count;
    worker_source source; /* the data of the job */
    job_kind kind;
    json_t *options; /* of the job */
    json_t *plan;    /* the requested rows */
    json_t *rows;    /* the rows as the API shows them */
    json_t *runs;    /* for each row a list of its runs, as rows; null: a failed run */
    bool complete;   /* all rows have run, and the end is being stored */
    struct comparison *next;
} comparison;

/* Creates the rows and queues the comparison. algorithms (a list of names) and device may be NULL:
 * the default. False: out of memory, or the database cannot be read. */
bool compare_start(server *s, uint64_t job, const json_t *algorithms, const char *device);
/* Runs the next row if no job runs or waits; otherwise interrupts the running row. */
void compare_pump(server *s);
/* Whether a job has a comparison that is not complete. */
bool compare_runs(const server *s, uint64_t job);
/* The job is deleted: drops its comparison. */
void compare_forget(server *s, uint64_t job);
/* Ends a comparison early and marks the rows that have not run. */
void compare_quit(server *s, uint64_t job);
/* Sends the current rows to one listener. */
void compare_replay(server *s, listener *l);

bool compare_open(server *s);
void compare_close(server *s);
void compare_stop(server *s);
/* Marks rows that had not run before a restart as failed. */
bool compare_recover(server *s);

void route_compare_get(server *s, request *r);
void route_compare_post(server *s, request *r);
void route_compare_delete(server *s, request *r);

/* ---- among its files ---- */

struct peer_run;

/* The queue of comparisons. Loop thread only. */
struct comparisons {
    comparison *first;
    comparison *running; /* its row is running; NULL: none */
    size_t row;
    worker_call *call;     /* the running row, if lode runs it … */
    struct peer_run *peer; /* … or if another program does; the other one is NULL */
    struct event *again;
};

/* The comparison of a job that is not complete; NULL: none. */
comparison *compare_find(const server *s, uint64_t job);
void compare_unlink(server *s, comparison *c);
void compare_free(comparison *c);

/* The rows for a job, all in state waiting. NULL: out of memory. */
json_t *compare_plan(const server *s, const comparison *c, const json_t *report,
                     const json_t *algorithms, const char *device);
/* The request for a row that lode runs. */
worker_request *compare_request(const server *s, const comparison *c, const json_t *row);
void compare_row_state(json_t *row, const char *state, const char *message);
const char *compare_row_text(const json_t *row, const char *name);
/* Fills in the answer of the worker. */
void compare_row_fill(json_t *row, bool ok, const json_t *reply);
/* Adds a finished run to a row; the row becomes the median of its finished runs. */
void compare_row_take(comparison *c, size_t row, json_t *run);
/* Index of the row that runs next; the number of rows: none. */
size_t compare_next_row(const comparison *c);
/* Stores a row, or all of them. */
void compare_store(server *s, const comparison *c, size_t position);
void compare_store_all(server *s, const comparison *c, db_stored done, void *user);
/* The stored rows of a job; NULL: out of memory, or the database cannot be read. */
json_t *compare_load(server *s, uint64_t job);

#endif
