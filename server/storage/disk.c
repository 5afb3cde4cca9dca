/* disk.c - see disk.h
 *
 * The database knows the sizes of all files, so the server need not search the disk. An upload is
 * counted when it is announced, so two uploads that do not fit together cannot both start. If no
 * bytes arrive for a while, its reservation ends, and it must reserve the space again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/disk.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "datasets/datasets.h"
#include "jobs/jobs_live.h"
#include "storage/database.h"

/* Bytes that always stay free on the disk, so that the database can be written. */
#define DISK_RESERVE ((uint64_t)32 << 20)
/* Seconds without a byte after which the reservation of an upload ends. */
#define DISK_RESERVED 600.0

static bool disk_add(server *s, sqlite3_stmt *q, uint64_t *sum) {
    uint64_t more;
    if (!db_number(s->db, q, &more)) return false;
    *sum += more;
    return true;
}

/* The used bytes according to the database. */
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

/* Running jobs check ten times per second, and tables may be long, so the value is cached until a
 * row changes, and for at most a second because reservations expire. Loop thread only. */
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

/* Free bytes of the disk; UINT64_MAX: unknown, so a write will report a full disk. */
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
             "The server's disk has %" PRIu64 " MB left, but this needs %" PRIu64
             " MB; delete data sets that are not needed.",
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
                 "This needs %" PRIu64 " MB, but the server stores at most %" PRIu64
                 " MB of data sets and results (`lode serve --max-disk`).",
                 more / 1000000 + (more % 1000000 > 0), limit / 1000000);
        return false;
    }
    if (used > limit || limit - used < more) {
        snprintf(message, message_bytes,
                 "Data sets and results can use %" PRIu64 " MB in total, and %" PRIu64
                 " MB are in use; delete some that are not needed.",
                 limit / 1000000, used / 1000000);
        return false;
    }
    return disk_free(s, more, message, message_bytes);
}

/* ---- how much running jobs may write, all together ------------------------------------------- */

#define SHARE_USEC  100000              /* between two checks while jobs run */
#define SHARE_BLOCK ((uint64_t)1 << 20) /* bytes that may be written between two checks */
#define SHARE_TRIES 8

/* The content of the file that workers map. */
typedef struct share_file {
    _Atomic uint64_t written, most;
} share_file;

struct disk_share {
    share_file *file;
    struct event *timer;
};

/* Bytes written before the disk was checked are part of the result; bytes written during the check
 * may be or not. If they are many, as on a busy machine, the disk is checked again, because
 * otherwise a job would be told too early that the disk is full. */
static void share_update(server *s) {
    share_file *file = s->disk->file;
    uint64_t before, after, left;
    unsigned tries = 0;
    do {
        before = atomic_load(&file->written);
        if (!disk_left(s, &left)) return;
        after = atomic_load(&file->written);
    } while (after - before > SHARE_BLOCK && ++tries < SHARE_TRIES);
    atomic_store(&file->most, after + left);
}

static void share_look(evutil_socket_t fd, short what, void *user) {
    (void)fd, (void)what;
    disk_share_watch(user);
}

void disk_share_watch(server *s) {
    const struct timeval pause = {.tv_usec = SHARE_USEC};
    bool runs = false;
    for (const live_job *job = s->jobs->first; job; job = job->next) runs = runs || job->running;
    share_update(s);
    if (runs) event_add(s->disk->timer, &pause);
}

/* Creates a new file at each start, because workers of an earlier server may still have the old one
 * mapped. */
static share_file *share_map(const server *s) {
    const char *path = s->config->disk_file;
    if (unlink(path) != 0 && errno != ENOENT) return NULL;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    void *pages = ftruncate(fd, sizeof(share_file)) != 0
                      ? MAP_FAILED
                      : mmap(NULL, sizeof(share_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return pages == MAP_FAILED ? NULL : pages;
}

bool disk_share_start(server *s, char *why, size_t room) {
    s->disk = calloc(1, sizeof *s->disk);
    if (s->disk) s->disk->timer = event_new(s->base, -1, 0, share_look, s);
    if (s->disk && s->disk->timer) s->disk->file = share_map(s);
    if (s->disk && s->disk->file) return true;
    snprintf(why, room, "cannot create the file %s: %s", s->config->disk_file, strerror(errno));
    return false;
}

void disk_share_stop(server *s) {
    if (!s->disk) return;
    if (s->disk->timer) event_free(s->disk->timer);
    if (s->disk->file) {
        munmap(s->disk->file, sizeof *s->disk->file);
        (void)unlink(s->config->disk_file);
    }
    free(s->disk);
    s->disk = NULL;
}
