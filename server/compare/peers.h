/* peers.h - other miners of this machine, in comparisons
 *
 * The administrator names a folder by LODE_PEERS. Of the programs there, those that take the
 * command line of Borgelt's are known: apriori, eclat and fpgrowth. They read numbers, one
 * transaction a line, so the worker of the data set writes them once for a comparison, to a file in
 * tmp/ that goes when the comparison ends.
 *
 * Children have a lower priority than workers, and have limits of time and memory.
 *
 *   peers.c         which there are, their command lines
 *   peers_run.c     the two steps of a run: the data, and the program
 *   peers_run.c   one process, its output and its time
 *   peers.c  what it printed
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
    bool stopped; /* by peers_stop() */
    bool late;    /* its time was over */
    int status;   /* as of waitpid */
    double seconds;
    const char *output;  /* what it printed, at most the first 64 KiB */
    const char *trouble; /* why it did not even begin; NULL: it did */
} peer_result;

typedef struct peer_listener {
    void (*done)(void *user, const peer_result *result); /* once, on the loop */
    void *user;
} peer_listener;

/* The names of those that are there, for /about. NULL: no memory. */
json_t *peers_json(void);
/* The i-th of them; NULL: no more. */
const char *peers_name(size_t i);
/* Whether they can search what a job has searched. */
bool peers_can(const comparison *c);

/* Runs a program on the data of a comparison. NULL: it could not be started. */
peer_run *peers_start(server *s, const comparison *c, const char *name, peer_listener to);
/* Ends it; `done` is told that it was stopped. */
void peers_stop(peer_run *run);
/* The same, and `done` is not called. */
void peers_abandon(peer_run *run);
/* Removes the file of a comparison. */
void peers_forget_input(const server *s, uint64_t job);
/* Fills in a row. */
void peers_fill(json_t *row, const peer_result *result);

/* ---- among its files ---- */

/* The words of a command line: the program, what it does, and the file. NULL: no memory, or there
 * is no such program. */
json_t *peers_words(const comparison *c, const char *name, const char *input);

typedef struct peer_child peer_child;
/* Runs a program; it has so many seconds. NULL: it could not be started. */
peer_child *peer_child_start(server *s, char *const *words, double seconds, peer_listener to);
void peer_child_kill(peer_child *child);
/* The same, whatever it may still print; `done` comes when it has ended. */
void peer_child_abandon(peer_child *child);

/* The number in the last "[N set(s)]"; false: there is none. */
bool peers_output_count(const char *output, uint64_t *count);
/* The seconds in "reading … done [0.02s]"; 0: there are none. */
double peers_output_reading(const char *output);
/* The last line that says something. */
void peers_output_last(const char *output, char *line, size_t room);

#endif
