/* transport.h - the scheduler's messages over MPI
 *
 * All calls come from the thread that has initialised MPI. Messages are sent synchronously
 * (MPI_Issend): such a send completes when it is received, so transport_end() can tell when no
 * message is in flight. A message longer than the 2 GiB that MPI can send at once goes in pieces;
 * the pieces of one rank arrive in the order in which they were sent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_TRANSPORT_H
#define LODE_MPI_TRANSPORT_H

#include <mpi.h>

#include "scheduler.h"

typedef struct transport transport;

/* `piece`: maximum bytes to send at once; 0: as many as MPI can send. Returns NULL if memory runs
 * out. */
transport *transport_create(MPI_Comm comm, size_t piece);
void transport_free(transport *t);

/* Sends a message. Its tasks are handles of stored tasks, which are freed. Returns false if memory
 * runs out. */
bool transport_send(transport *t, int to, const sched_message *m);

/* Passes every message that has arrived to the scheduler; the tasks of these messages are newly
 * allocated. Returns the number of messages, or -1 if memory runs out. */
int transport_receive(transport *t, sched *s);

/* Receives messages until every message of every rank was received. All ranks must call it. While
 * there is nothing to do, it calls `wait`. */
bool transport_end(transport *t, sched *s, void (*wait)(void *user), void *user);

/* Bytes sent so far, and in how many pieces. */
uint64_t transport_bytes(const transport *t);
uint64_t transport_pieces(const transport *t);

#endif
