/* peers.h - other mining programs of this machine, for comparisons
 *
 * The environment variable LODE_PEERS names a folder with programs that have Borgelt's command
 * line: apriori, eclat and fpgrowth. They read numbers, one transaction per line, so for each
 * comparison the worker of the data set writes such a file to tmp/. The file is removed when the
 * comparison ends.
 *
 * These processes have a lower priority than workers, and limits of time and memory.
 *
 *   peers.c      which programs there are, their command lines, and their output
 *   peers_run.c  one run: writes the data, runs the program, limits its time
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PEERS_H
#define LODE_SERVER_PEERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "compare/compare.h"
#include "server.h"
#include "workers/workers_children.h"

typedef struct peer_run peer_run;

/* How a run ended. */
typedef struct peer_result {
    bool stopped; /* it was stopped by peers_stop() */
    bool late;    /* it reached the time limit */
    int status;   /* as from waitpid() */
    double seconds;
    const char *output;  /* its output, at most the first 64 KiB */
    const char *trouble; /* why it could not start; NULL: it started */
} peer_result;

typedef struct peer_listener {
    void (*done)(void *user, const peer_result *result); /* once, on the loop */
    void *user;
} peer_listener;

/* The names of the programs in the folder, for /about. NULL: out of memory. */
json_t *peers_json(void);
/* The i-th name; NULL: no more. */
const char *peers_name(size_t i);
/* Whether these programs can run the search of a job. */
bool peers_can(const comparison *c);

/* Runs a program on the data of a comparison. NULL: it could not be started. */
peer_run *peers_start(server *s, const comparison *c, const char *name, peer_listener to);
/* Stops a run; `done` is called with `stopped`. */
void peers_stop(peer_run *run);
/* The same, without calling `done`. */
void peers_abandon(peer_run *run);
/* Removes the input file of a comparison. */
void peers_forget_input(const server *s, uint64_t job);
/* Fills in a row with the result. */
void peers_fill(json_t *row, const peer_result *result);

/* ---- among its files ---- */

/* The command line: the program, its options and the input file. NULL: out of memory, or no such
 * program. */
json_t *peers_words(const comparison *c, const char *name, const char *input);

/* A running program with a time limit. */
typedef struct peer_child peer_child;
/* Kills the program. */
void peer_child_kill(peer_child *child);

#endif
