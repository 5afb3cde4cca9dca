/* compare.h - a job's algorithm beside others: rows that fill in while somebody looks
 *
 * Each row mines what the job has mined and only counts. Rows run one at a time in the whole
 * server, and only while no job runs or waits, so that their times are fair; a job that comes ends
 * the row, which begins again later. Rows that are short run several times, and show the median:
 * all rows once, then round by round, every second one backwards, so that none is always the first
 * or comes after the same one. Rows are objects of JSON as the API shows them, kept in the
 * database.
 *
 *   compare.c         the line of comparisons, and one row at a time
 *   compare_list.c    which are not complete          compare_plan.c  which rows there are
 *   compare_row.c     what a run makes of a row       compare_stored.c  rows in the database
 *   compare_routes.c  requests
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

#define COMPARE_SECONDS 60 /* that a row may take */
#define COMPARE_SHORT   1  /* seconds: rows whose first run is shorter run … */
#define COMPARE_RUNS    5  /* … so often */

/* One comparison that is not complete, or not stored as such. */
typedef struct comparison {
    uint64_t job, min_count;
    worker_source source; /* the data of the job */
    job_kind kind;
    json_t *options; /* of the job */
    json_t *plan;    /* a list of rows as they are asked for */
    json_t *rows;    /* as they are shown */
    json_t *runs;    /* of each row a list of its runs, as rows; null: one that failed */
    bool complete;   /* all have run, and that is being stored */
    struct comparison *next;
} comparison;

/* Makes the rows and puts the comparison in line; algorithms (a list of names) and device NULL: the
 * usual ones. False: there is no memory, or the database cannot be read. */
bool compare_start(server *s, uint64_t job, const json_t *algorithms, const char *device);
/* Runs the next row, if nobody else wants the machine; ends the one that runs, if somebody does. */
void compare_pump(server *s);
/* Whether a job's comparison is not complete. */
bool compare_runs(const server *s, uint64_t job);
/* The job is deleted. */
void compare_forget(server *s, uint64_t job);
/* Ends a comparison early: its rows that have not run are marked so. */
void compare_quit(server *s, uint64_t job);
/* Sends the rows that there are to one listener. */
void compare_replay(server *s, listener *l);

bool compare_open(server *s);
void compare_close(server *s);
void compare_stop(server *s);
/* Rows that did not run before a restart will not. */
bool compare_recover(server *s);

void route_compare_get(server *s, request *r);
void route_compare_post(server *s, request *r);
void route_compare_delete(server *s, request *r);

/* ---- among its files ---- */

struct peer_run;

/* The line. Loop thread only. */
struct comparisons {
    comparison *first;
    comparison *running; /* whose row runs; NULL: none */
    size_t row;
    worker_call *call;     /* of a row of ours, … */
    struct peer_run *peer; /* … or of another program */
    struct event *again;
};

/* NULL: the job has none that is not complete. */
comparison *compare_find(const server *s, uint64_t job);
void compare_unlink(server *s, comparison *c);
void compare_free(comparison *c);

/* The rows of a job, all waiting. NULL: no memory. */
json_t *compare_plan(const comparison *c, const json_t *report, const json_t *algorithms,
                     const char *device);
/* The request for a row of ours. */
worker_request *compare_request(const server *s, const comparison *c, const json_t *row);
void compare_row_state(json_t *row, const char *state, const char *message);
const char *compare_row_text(const json_t *row, const char *name);
/* Fills in what the worker has answered. */
void compare_row_fill(json_t *row, bool ok, const json_t *reply);
/* Takes a run of a row, which is filled: the row is then the median of those that are done. */
void compare_row_take(comparison *c, size_t row, json_t *run);
/* Which row runs next; the number of rows: none. */
size_t compare_next_row(const comparison *c);
/* Stores a row, or all of them. */
void compare_store(server *s, const comparison *c, size_t position);
void compare_store_all(server *s, const comparison *c, db_stored done, void *user);
/* The rows of a job; NULL: no memory, or the database cannot be read. */
json_t *compare_load(server *s, uint64_t job);

#endif
