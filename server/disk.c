/* disk.c - see disk.h
 *
 * The database knows the sizes of all files, so nothing is searched on disk while somebody
 * waits. An upload is charged when it is announced: two that would not fit together are not
 * begun.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "database.h"

/* What the disk keeps free, so that the database can always be written. */
#define DISK_RESERVE ((uint64_t)32 << 20)

static uint64_t disk_sum(server *s, const char *sql) {
    sqlite3_stmt *q = db_statement(s->db, sql);
    if (!q) return 0;
    const uint64_t sum = db_row(s->db, q) ? db_count(q, 0) : 0;
    db_done(q);
    return sum;
}

uint64_t disk_used(server *s) {
    return disk_sum(s, "SELECT COALESCE(SUM(bytes), 0) FROM datasets") +
           disk_sum(s, "SELECT COALESCE(SUM(bytes), 0) FROM jobs") +
           disk_sum(s, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
}

bool disk_free(const server *s, uint64_t more, char *message, size_t message_bytes) {
    struct statvfs disk;
    if (statvfs(s->config->data, &disk) != 0) return true; /* writing will say what is wrong */
    const uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (left >= DISK_RESERVE && left - DISK_RESERVE >= more) return true;
    snprintf(message, message_bytes,
             "The disk of the server has %" PRIu64 " MB left, and %" PRIu64
             " MB would be needed; delete data sets that are not needed.",
             left / 1000000, (more + DISK_RESERVE) / 1000000 + 1);
    return false;
}

bool disk_room(server *s, uint64_t more, char *message, size_t message_bytes) {
    const uint64_t limit = s->config->max_disk, used = limit ? disk_used(s) : 0;
    if (limit && more > limit) {
        snprintf(message, message_bytes,
                 "This has %" PRIu64 " MB, and the server keeps at most %" PRIu64
                 " MB of data sets and results together (`lode serve --max-disk`).",
                 more / 1000000 + (more % 1000000 > 0), limit / 1000000);
        return false;
    }
    if (limit && (used > limit || limit - used < more)) {
        snprintf(message, message_bytes,
                 "Data sets and results may take %" PRIu64 " MB together, and %" PRIu64
                 " MB are in use; delete some that are not needed.",
                 limit / 1000000, used / 1000000);
        return false;
    }
    return disk_free(s, more, message, message_bytes);
}
