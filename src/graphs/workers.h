/* workers.h - the threads of a search, from their start to the report
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_WORKERS_H
#define LODE_GRAPHS_WORKERS_H

#include "graphs/node.h"

/* Runs a whole task: with sibling joins (graft), or without (gspan). */
LODE_NODISCARD lode_status workers_search(engine_task *task, bool join);

/* Divides a search of graft into branches. */
struct branch_list;
LODE_NODISCARD lode_status workers_divide(engine_task *task, struct branch_list *into);

/* ---- the same in steps, for other searches that use workers and their lists ---- */
/* Takes the store, which workers_close() gives back, and finds the range of roots. */
LODE_NODISCARD lode_status workers_take_store(search *s);
/* Opens the workers on the calling thread. */
LODE_NODISCARD lode_status workers_open(search *s);
/* Closes all workers and adds up their figures in the report. Returns `status`, or the first
 * failure. */
LODE_NODISCARD lode_status workers_close(search *s, lode_status status);

#endif
