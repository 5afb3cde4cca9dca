/* trash_empty.c - removes what is left of deleted jobs and data sets; see trash.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "datasets/uploads.h"
#include "jobs/jobs_live.h"
#include "storage/trash.h"
#include "workers/workers.h"

/* True: it is no longer in use. */
static bool trash_end(server *s, trash_entry e) {
    if (e.job) return job_forget(s, e.id);
    workers_forget(s->workers, e.id);
    uploads_abandon(s, e.id);
    return true;
}

/* Jobs come before data sets, newest first, so that no deleted job starts because another one has
 * ended. */
void trash_empty(evutil_socket_t fd, short what, void *user) {
    server *s = user;
    trash_entry *list;
    size_t n, gone = 0;
    (void)fd, (void)what;
    if (s->closing) return;         /* the next start does it */
    (void)trash_list(s, &list, &n); /* otherwise the next deletion or start tries again */
    for (size_t i = 0; i < n; i++) {
        bool over = trash_end(s, list[i]);
        if (trash_files(s, list[i]) && over) list[gone++] = list[i];
    }
    if (gone > 0) db_send_surely(s->db, trash_forget(list, gone), NULL, NULL);
    free(list);
}
