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

#endif
