/* jobs.h - mining jobs: asked for, queued, run by workers, kept in the database
 *
 * A job that waits or runs is also in memory (jobs_live.h); one that has ended is its row and, if
 * it found something, results/ID.arrow, which the worker writes itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_JOBS_H
#define LODE_SERVER_JOBS_H

#include <stdint.h>

#include "server.h"

typedef struct jobs jobs;

/* Deletes all jobs of a data set: those that run are cancelled; rows, comparisons and results are
 * gone when it returns. */
void jobs_delete_of(server *s, uint64_t dataset);

#endif
