/* disk_share.c - see disk_share.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/disk_share.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jobs/jobs_live.h"
#include "storage/disk.h"

#define SHARE_USEC  100000              /* between two looks while jobs run */
#define SHARE_BLOCK ((uint64_t)1 << 20) /* bytes that may be written during one */
#define SHARE_TRIES 8

/* The file, as workers have it. */
typedef struct share_file {
    _Atomic uint64_t written, most;
} share_file;

struct disk_share {
    share_file *file;
    struct event *timer;
};

/* What was written when the room was looked at is in it already. What is written meanwhile may be,
 * or not: so it is looked at again if that was much, as on a machine that is busy, where a job
 * would be told too early that the disk is full. */
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

/* A new file at each start: workers of another server may still have the old one. */
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
    snprintf(why, room, "the file %s cannot be made: %s", s->config->disk_file, strerror(errno));
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
