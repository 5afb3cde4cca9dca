/* queue.h - the order in which waiting jobs start
 *
 * Clients take turns: next is the client with the fewest running jobs and, among those, the one
 * whose last job started earliest. Within a client, data sets take turns: the first waiting job of
 * each data set comes before the second of any; ties go to the job posted first. So a client that
 * posts fifty jobs does not delay the first job of another. A data set runs one job at a time,
 * because its worker does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUEUE_H
#define LODE_SERVER_QUEUE_H

#include "jobs/jobs_live.h"

#define QUEUE_MOST   500 /* maximum number of waiting jobs */
#define QUEUE_CLIENT 50  /* of those, from one client */

/* A job starts: its client has used its turn. */
void queue_serve(jobs *j, const live_job *job);
/* Sets the place of every job: 1 is the next job; 0 is a job that does not wait. */
void queue_arrange(jobs *j);
/* The job that can start now if `most` may run at the same time; NULL: none. Call queue_arrange()
 * first. */
live_job *queue_next(const jobs *j, size_t most);

#endif
