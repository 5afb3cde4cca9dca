/* transport.h - the scheduler's messages over MPI
 *
 * All calls come from the thread that has initialised MPI. Messages are sent synchronously
 * (MPI_Issend): such a send is complete when it was received, so that transport_end() can tell
 * when nothing is under way any more. A message that is longer than MPI can send at once, 2 GiB,
 * goes in pieces: those of one rank arrive in the order in which they were sent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TRANSPORT_H
#define LODE_MPI_TRANSPORT_H

#include <mpi.h>

#include "scheduler.h"

typedef struct transport transport;

/* `piece`: the most bytes to send at once; 0: as many as MPI can. NULL: no memory. */
transport *transport_create(MPI_Comm comm, size_t piece);
void transport_free(transport *t);

/* Sends a message. The tasks in it are handles of stored tasks, which are freed. False: no
 * memory. */
bool transport_send(transport *t, int to, const sched_message *m);

/* Hands every message that has arrived to the scheduler; the tasks in it are new. Returns how many
 * there were; -1: no memory. */
int transport_receive(transport *t, sched *s);

/* Receives until no rank has sent anything that was not received. Every rank calls it. `wait` is
 * called while there is nothing to do. */
bool transport_end(transport *t, sched *s, void (*wait)(void *user), void *user);

/* Bytes sent so far, and in how many pieces. */
uint64_t transport_bytes(const transport *t);
uint64_t transport_pieces(const transport *t);

#endif
