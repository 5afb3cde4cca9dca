/* datasets_recover.c - see datasets_recover.h
 *
 * A server that was killed may leave a slice that was written and not noted, a file that has its
 * final name and a row that says it is arriving, or a file whose row is deleted. What can be
 * gone on with is; a file that is lost is said to be lost; a file without a row is swept away.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets_recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database.h"
#include "datasets.h"

/* The size of a file; false: there is none. */
static bool recover_size(const server *s, uint64_t id, bool arriving, uint64_t *bytes) {
    char path[DATASET_PATH_BYTES];
    struct stat file;
    dataset_path(s, id, arriving, path);
    *bytes = 0;
    if (stat(path, &file) != 0) return false;
    *bytes = (uint64_t)file.st_size;
    return true;
}

static bool recover_received(server *s, uint64_t id, uint64_t received) {
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET received = ? WHERE id = ?");
    if (!q) return false;
    db_bind_count(q, 1, received);
    db_bind_count(q, 2, id);
    return db_run(s->db, q);
}

static bool recover_broken(server *s, uint64_t id) {
    sqlite3_stmt *q = db_statement(s->db, "UPDATE datasets SET state = 'broken', message = 'The "
                                          "file of this data set is lost; delete it, and upload "
                                          "it again.' WHERE id = ?");
    if (!q) return false;
    db_bind_count(q, 1, id);
    return db_run(s->db, q);
}

/* Where a row says that a file is arriving. An example that was being made has no part. */
static bool recover_arriving(server *s, const dataset *d) {
    uint64_t bytes;
    if (recover_size(s, d->id, false, &bytes) && bytes == d->bytes) {
        return dataset_ready(s, d->id, bytes, "");
    }
    recover_size(s, d->id, true, &bytes);
    return bytes >= d->received || recover_received(s, d->id, bytes);
}

static bool recover_row(server *s, const dataset *d) {
    uint64_t bytes;
    if (d->state && strcmp(d->state, "uploading") == 0) return recover_arriving(s, d);
    if (recover_size(s, d->id, false, &bytes) && bytes == d->bytes) return true;
    return recover_broken(s, d->id);
}

/* All rows, by number: a row may change while they are gone through. */
static bool recover_rows(server *s) {
    uint64_t id = 0;
    bool fine = true;
    while (fine) {
        dataset d;
        sqlite3_stmt *q =
            db_statement(s->db, "SELECT id FROM datasets WHERE id > ? ORDER BY id LIMIT 1");
        if (!q) return false;
        db_bind_count(q, 1, id);
        if (!db_row(s->db, q)) break;
        id = db_count(q, 0);
        db_done(q);
        fine = dataset_load(s, id, &d) && recover_row(s, &d);
        dataset_clear(&d);
    }
    return fine;
}

static bool recover_is_known(server *s, uint64_t id) {
    dataset d;
    const bool known = dataset_load(s, id, &d);
    if (known) dataset_clear(&d);
    return known;
}

/* Only names that this server could have made are looked at, and temporary ones of generators. */
static bool recover_sweep(server *s) {
    DIR *folder = opendir(s->config->datasets_dir);
    struct dirent *entry;
    if (!folder) return false;
    while ((entry = readdir(folder))) {
        char *end;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        const uint64_t id = strtoull(entry->d_name, &end, 10);
        const bool final = strcmp(end, ".data") == 0 || strcmp(end, ".part") == 0;
        if (final && recover_is_known(s, id)) continue;
        unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return true;
}

bool datasets_recover(server *s, char *why, size_t room) {
    if (!recover_rows(s)) {
        snprintf(why, room, "the data sets cannot be read: %s", db_message(s->db));
        return false;
    }
    if (recover_sweep(s)) return true;
    snprintf(why, room, "cannot look into '%s': %s", s->config->datasets_dir, strerror(errno));
    return false;
}
