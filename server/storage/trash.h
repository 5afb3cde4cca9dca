/* trash.h - deleted data sets and jobs whose files are not removed yet
 *
 * Deleting a data set or job removes its rows and adds an entry to the table `trash`, in one
 * transaction; then its files are removed, then the entry. So if the server is killed in between,
 * the next start removes the files, and does not mistake them for unknown files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TRASH_H
#define LODE_SERVER_TRASH_H

#include <event2/util.h>

#include "server.h"
#include "storage/database.h"

typedef struct trash_entry {
    bool job; /* else a data set */
    uint64_t id;
} trash_entry;

/* Deletes a job and its result: removes the row and adds the entry. `done` may be NULL. */
void trash_job(server *s, uint64_t id, db_stored done, void *user);
/* The same for a data set with all its jobs. */
void trash_dataset(server *s, uint64_t id, db_stored done, void *user);
/* At start: removes the files of all entries. False: the database cannot be read or written. */
bool trash_recover(server *s);

/* Makes the loop call trash_empty(): there is a new entry, or a deleted job has ended. */
void trash_wake(server *s);
/* For all entries: cancels running jobs, frees memory, removes files. The entry of a job whose
 * worker still writes stays until the worker has ended. */
void trash_empty(evutil_socket_t fd, short what, void *user);

/* All entries; the caller frees them. False: they cannot be read. */
bool trash_list(server *s, trash_entry **out, size_t *n);
/* Removes the files of an entry. False: a file is left; the next start tries again. */
bool trash_files(server *s, trash_entry e);
/* The change that removes entries. */
db_change *trash_forget(const trash_entry *list, size_t n);

#endif
