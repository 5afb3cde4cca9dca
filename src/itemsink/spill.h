/* spill.h - sorting more patterns than memory has room for: sorted runs in a scratch file, merged
 *
 * A run is patterns in the order of columns_sort(), one record after the other:
 *
 *     support (8 bytes), size (4), items (4 each)
 *
 * Merging reads all runs side by side. If there are more of them than memory has buffers for, some
 * are first merged into one, repeatedly if need be. The file has no name, so that it disappears
 * with the process. Threads: spill_write() may be called by several at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_SPILL_H
#define LODE_ITEMSINK_SPILL_H

#include "itemsink/item_columns.h"
#include "itemsink/item_sink.h"

typedef struct spill_run {
    uint64_t at, end; /* in the file */
} spill_run;

typedef struct spill {
    lode_job *job;
    int fd; /* -1 = not opened yet */
    pthread_mutex_t lock;
    spill_run *runs; /* under the lock, like n_runs, cap_runs and end */
    size_t n_runs, cap_runs;
    uint64_t end;   /* of the file */
    sort_stop stop; /* ends the merging; all zero = never */
} spill;

/* What a worker may collect before it spills; SIZE_MAX = everything. */
size_t spill_limit(const lode_job *job);

void spill_init(spill *s, lode_job *job);
void spill_clear(spill *s);

bool spill_is_used(spill *s);

/* Sorts the columns, unless the job is cancelled, writes them as a run into a file in the folder of
 * `path` (NULL = where the system keeps such files) and empties them. */
LODE_NODISCARD lode_status spill_write(spill *s, const char *path, columns *c);

/* Sends all patterns into a worker: in order, or, with `merge` false, run by run. CANCELLED: only a
 * part was sent. */
LODE_NODISCARD lode_status spill_replay(spill *s, bool merge, sink_worker *to);

#endif
