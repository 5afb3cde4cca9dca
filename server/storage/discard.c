/* discard.c - see discard.h
 *
 * The kernel frees a file when its last descriptor is closed: one is opened before the name is
 * removed, and closed on a task thread. If the server is killed in between, the kernel closes it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/discard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "system/tasks.h"

static void discard_close(void *fd) {
    close((int)(intptr_t)fd);
}

static void discard_done(void *fd) {
    (void)fd;
}

void discard_fd(const server *s, int fd) {
    void *arg = (void *)(intptr_t)fd;
    bool taken = s->tasks && tasks_add(s->tasks, discard_close, discard_done, arg);
    if (!taken) discard_close(arg); /* the server shuts down, or its task queue is full */
}

bool discard_in(const server *s, int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool gone = unlinkat(folder, name, 0) == 0 || errno == ENOENT;
    if (!gone) {
        const char *last = strrchr(name, '/'); /* the last part of the path */
        fprintf(stderr, "lode-server: cannot remove %s: %s\n", last ? last + 1 : name,
                strerror(errno));
    }
    if (fd >= 0) discard_fd(s, fd);
    return gone;
}

bool discard_file(const server *s, const char *path) {
    return discard_in(s, AT_FDCWD, path);
}
