/* disk.c - see disk.h
 *
 * The database knows the sizes of all files, so nothing is searched on disk while somebody
 * waits. An upload is charged when it is announced: two that would not fit together are not
 * begun. If nothing comes of it, the room is others' after a while, and it has to ask again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/disk.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "datasets/datasets.h"
#include "jobs/jobs_live.h"
#include "storage/database.h"

/* What the disk keeps free, so that the database can always be written. */
#define DISK_RESERVE ((uint64_t)32 << 20)
/* Seconds without a byte after which an upload has no room of its own any more. */
#define DISK_RESERVED 600.0

static bool disk_add(server *s, sqlite3_stmt *q, uint64_t *sum) {
    uint64_t more;
    if (!db_number(s->db, q, &more)) return false;
    *sum += more;
    return true;
}

/* What the database says. */
static bool disk_ask(server *s, uint64_t *bytes) {
    *bytes = 0;
    sqlite3_stmt *uploads = db_statement(
        s->db, "SELECT COALESCE(SUM(CASE WHEN state = 'uploading' AND used < ? THEN received ELSE "
               "bytes END), 0) FROM datasets");
    db_bind_real(uploads, 1, db_now() - DISK_RESERVED);
    return disk_add(s, uploads, bytes) &&
           disk_add(s, db_statement(s->db, "SELECT COALESCE(SUM(bytes), 0) FROM jobs"), bytes) &&
           disk_add(s,
                    db_statement(s->db, "SELECT (page_count - freelist_count) * page_size FROM "
                                        "pragma_page_count, pragma_freelist_count, "
                                        "pragma_page_size"),
                    bytes);
}

/* Jobs that run ask ten times a second, and tables may be long: what was read holds until another
 * row is stored, or for a second, as reservations end by themselves. Loop thread only. */
static bool disk_stored(server *s, uint64_t *bytes) {
    static uint64_t known_version, known_bytes;
    static double known_until;
    uint64_t version;
    if (!db_number(s->db, db_statement(s->db, "PRAGMA data_version"), &version)) return false;
    if (version != known_version || db_now() > known_until || db_now() < known_until - 1) {
        known_until = 0;
        if (!disk_ask(s, &known_bytes)) return false;
        known_version = version;
        known_until = db_now() + 1;
    }
    *bytes = known_bytes;
    return true;
}

bool disk_used(server *s, uint64_t *bytes) {
    if (!disk_stored(s, bytes)) return false;
    *bytes += s->datasets->announced + jobs_unstored_bytes(s);
    return true;
}

bool disk_is_reserved(const struct dataset *d) {
    return d->used >= db_now() - DISK_RESERVED;
}

/* What others may take of the disk; UINT64_MAX: it does not say, and writing will. */
static uint64_t disk_left_of_system(const server *s) {
    struct statvfs disk;
    if (statvfs(s->config->data, &disk) != 0) return UINT64_MAX;
    const uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
    return left > DISK_RESERVE ? left - DISK_RESERVE : 0;
}

bool disk_left(server *s, uint64_t *bytes) {
    const uint64_t limit = s->config->max_disk, left = disk_left_of_system(s);
    uint64_t used;
    if (!disk_used(s, &used)) return false;
    *bytes = limit > used ? limit - used : 0;
    if (*bytes > left) *bytes = left;
    return true;
}

bool disk_free(const server *s, uint64_t more, char *message, size_t message_bytes) {
    const uint64_t left = disk_left_of_system(s);
    if (left > 0 && left >= more) return true;
    snprintf(message, message_bytes,
             "The disk of the server has %" PRIu64 " MB left for this, and %" PRIu64
             " MB would be needed; delete data sets that are not needed.",
             left / 1000000, more / 1000000 + 1);
    return false;
}

bool disk_room(server *s, uint64_t more, char *message, size_t message_bytes) {
    const uint64_t limit = s->config->max_disk;
    uint64_t used;
    if (!disk_used(s, &used)) {
        snprintf(message, message_bytes, "The server cannot read its database: %s.",
                 db_message(s->db));
        return false;
    }
    if (more > limit) {
        snprintf(message, message_bytes,
                 "This has %" PRIu64 " MB, and the server keeps at most %" PRIu64
                 " MB of data sets and results together (`lode serve --max-disk`).",
                 more / 1000000 + (more % 1000000 > 0), limit / 1000000);
        return false;
    }
    if (used > limit || limit - used < more) {
        snprintf(message, message_bytes,
                 "Data sets and results may take %" PRIu64 " MB together, and %" PRIu64
                 " MB are in use; delete some that are not needed.",
                 limit / 1000000, used / 1000000);
        return false;
    }
    return disk_free(s, more, message, message_bytes);
}
