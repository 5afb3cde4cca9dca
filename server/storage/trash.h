/* trash.h - what was deleted, until its files are gone
 *
 * The rows of a data set or job are deleted together with a note in the table `trash`; its files
 * go after that, then the note. So a server that is killed in between removes the files at its next
 * start, and never takes them for files that it does not know.
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

/* Deletes a job with its result: the row and the note. `done` may be NULL. */
void trash_job(server *s, uint64_t id, db_stored done, void *user);
/* The same of a data set, with all its jobs. */
void trash_dataset(server *s, uint64_t id, db_stored done, void *user);
/* At a start: removes the files. False: the database cannot be read or written. */
bool trash_recover(server *s);

/* Has trash_empty() called from the loop: something was put in, or a deleted job has ended. */
void trash_wake(server *s);
/* Ends what there still is of all that was deleted: what runs, what is in memory, the files. A job
 * whose worker still writes keeps its note until it has ended. */
void trash_empty(evutil_socket_t fd, short what, void *user);

/* All notes; the caller frees them. False: they cannot be read. */
bool trash_list(server *s, trash_entry **out, size_t *n);
/* Removes the files of an entry. False: one is still there; the next start tries again. */
bool trash_files(server *s, trash_entry e);
/* The change that removes the notes of entries. */
db_change *trash_forget(const trash_entry *list, size_t n);

#endif
