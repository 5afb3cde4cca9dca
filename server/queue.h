/* queue.h - the order in which waiting jobs begin
 *
 * Data sets take turns: the first waiting job of each comes before the second of any, and within a
 * turn the one that was asked for first. So somebody who asks for fifty jobs delays nobody's first.
 * A data set runs one job at a time, as its worker does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUEUE_H
#define LODE_SERVER_QUEUE_H

#include "jobs_live.h"

#define QUEUE_MOST 200 /* jobs that wait */

/* The place of a waiting job, from 1; 0: it does not wait. */
size_t queue_position(const jobs *j, const live_job *job);
/* The job that can begin now if `most` may run at the same time; NULL: none. */
live_job *queue_next(const jobs *j, size_t most);

#endif
