/* queue.h - the order in which waiting jobs begin
 *
 * Clients take turns: the one that has the fewest jobs running is next, and of those the one whose
 * last job began before the others'. Of one client, data sets take turns: the first waiting job of
 * each comes before the second of any, and within a turn the one that was asked for first. So
 * somebody who asks for fifty jobs delays nobody's first. A data set runs one job at a time, as its
 * worker does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUEUE_H
#define LODE_SERVER_QUEUE_H

#include "jobs/jobs_live.h"

#define QUEUE_MOST   500 /* jobs that wait, … */
#define QUEUE_CLIENT 50  /* … and those of one client */

/* A job begins: its client has had its turn. */
void queue_serve(jobs *j, const live_job *job);
/* Gives every job its place, from 1 for the next one; those that do not wait have 0. */
void queue_arrange(jobs *j);
/* The job that can begin now if `most` may run at the same time; NULL: none. The jobs must be
 * arranged. */
live_job *queue_next(const jobs *j, size_t most);

#endif
