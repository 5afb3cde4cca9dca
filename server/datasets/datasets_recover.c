/* datasets_recover.c - see datasets_recover.h
 *
 * A server that was killed may leave a slice that was written but not recorded, a complete file
 * whose row says uploading, or files of a deleted data set. Uploads continue if they can; a missing
 * file is reported as lost; a file without a row is moved to lost/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/datasets_recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/datasets.h"
#include "storage/discard.h"
#include "storage/folder.h"
#include "storage/trash.h"

typedef struct recovery {
    server *server;
    bool failed; /* the database could not be read */
    int disk;    /* errno, if the disk could not be read */
    bool stuck;  /* a file could not be moved, so its id might be used again */
} recovery;

/* The size of a file; 0: it does not exist. False: the file system reports an error. */
static bool recover_size(recovery *r, uint64_t id, bool arriving, uint64_t *bytes) {
    char path[FOLDER_PATH_BYTES];
    struct stat file;
    dataset_path(r->server, id, arriving, path);
    const bool there = stat(path, &file) == 0;
    *bytes = there ? (uint64_t)file.st_size : 0;
    if (there || errno == ENOENT) return true;
    r->disk = errno;
    return false;
}

static bool recover_received(server *s, uint64_t id, uint64_t received) {
    db_change *c = db_change_new("UPDATE datasets SET received = ? WHERE id = ?");
    db_change_count(c, received);
    db_change_count(c, id);
    return db_make(s->db, c);
}

static bool recover_broken(server *s, uint64_t id) {
    db_change *c =
        db_change_new("UPDATE datasets SET state = 'broken', message = 'The file of this data set "
                      "is lost; delete the data set and upload the file again.' WHERE id = ?");
    db_change_count(c, id);
    return db_make(s->db, c);
}

/* A file whose size differs from its row does not belong to the row, so deleting the data set must
 * not delete it. */
static void recover_set_aside(recovery *r, const dataset *d, uint64_t bytes) {
    char name[32];
    if (bytes == 0 || bytes == d->bytes) return;
    snprintf(name, sizeof name, "%" PRIu64 ".data", d->id);
    int folder = open(r->server->config->datasets_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    r->stuck = r->stuck || !folder_lose(r->server->folder, folder, name);
    close(folder);
}

/* An unfinished upload; `bytes` of it exist under its final name. An unfinished example has no
 * .part file. */
static bool recover_arriving(recovery *r, const dataset *d, uint64_t bytes) {
    server *s = r->server;
    recover_set_aside(r, d, bytes);
    if (bytes == d->bytes) return db_make(s->db, dataset_ready(d->id, bytes, ""));
    if (!recover_size(r, d->id, true, &bytes)) return false;
    return bytes >= d->received || recover_received(s, d->id, bytes);
}

static bool recover_row(recovery *r, const dataset *d) {
    server *s = r->server;
    uint64_t bytes;
    if (!recover_size(r, d->id, false, &bytes)) return false;
    if (strcmp(d->state, "uploading") == 0) return recover_arriving(r, d, bytes);
    recover_set_aside(r, d, bytes);
    if (strcmp(d->state, "broken") != 0) return bytes == d->bytes || recover_broken(s, d->id);
    return bytes == 0 || bytes != d->bytes || db_make(s->db, dataset_ready(d->id, bytes, d->kind));
}

/* All rows by id, because rows may change during the loop. */
static bool recover_rows(recovery *r) {
    server *s = r->server;
    uint64_t id = 0;
    bool fine = true;
    while (fine) {
        dataset d;
        sqlite3_stmt *q = db_statement(s->db, "SELECT min(id) FROM datasets WHERE id > ?");
        db_bind_count(q, 1, id);
        if (!db_number(s->db, q, &id)) return false;
        if (id == 0) break;
        fine = dataset_load(s, id, &d) == DB_ROW && recover_row(r, &d);
        dataset_clear(&d);
    }
    return fine;
}

/* Only file names that this server generates count. */
static void recover_upload(void *user, int folder, const char *name) {
    recovery *r = user;
    dataset d;
    bool whole;
    const uint64_t id = folder_upload(name, &whole);
    if (id == 0 || r->failed) return;
    const db_step step = dataset_load(r->server, id, &d);
    const bool arrives = step == DB_ROW && strcmp(d.state, "uploading") == 0;
    if (step == DB_FAILED) {
        r->failed = true;
    } else if (step == DB_END) {
        r->stuck = r->stuck || !folder_lose(r->server->folder, folder, name);
    } else if (!whole && !strstr(name, ".part") && arrives) {
        discard_in(r->server, folder, name); /* file of an unfinished example */
    }
    dataset_clear(&d);
}

bool datasets_recover(server *s, char *why, size_t room) {
    recovery r = {.server = s};
    if (!trash_recover(s) || !recover_rows(&r)) {
        snprintf(why, room, "the data sets cannot be read: %s",
                 r.disk ? strerror(r.disk) : db_message(s->db));
        return false;
    }
    if (!folder_each(s->config->datasets_dir, recover_upload, &r)) {
        snprintf(why, room, "cannot read the folder '%s': %s", s->config->datasets_dir,
                 strerror(errno));
        return false;
    }
    if (r.failed) snprintf(why, room, "the data sets cannot be read: %s", db_message(s->db));
    if (r.stuck)
        snprintf(why, room, "files without a database row could not be moved to lost/ (see above)");
    return !r.failed && !r.stuck;
}
