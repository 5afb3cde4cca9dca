/* worker_disk.c - the disk that workers share
 *
 * All workers of a server map a file with two numbers: how many bytes they have written so far, all
 * together, and how many they may write. The server changes the second number as the disk and other
 * files change. So four jobs that write at the same time stay within one limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker.h"

typedef struct worker_disk {
    _Atomic uint64_t written, most;
} worker_disk;

static bool disk_take(void *user, uint64_t bytes) {
    worker_disk *disk = user;
    uint64_t before = atomic_load(&disk->written), most = atomic_load(&disk->most);
    do {
        if (before > most || bytes > most - before) return false;
    } while (!atomic_compare_exchange_weak(&disk->written, &before, before + bytes));
    return true;
}

lode_status worker_share_disk(worker_call *c, const char *path) {
    static worker_disk *disk;
    if (!path || disk) return LODE_OK; /* it stays the same while the process runs */
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void *pages =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *disk, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int reason = errno;
    if (fd >= 0) close(fd);
    if (pages == MAP_FAILED) {
        return worker_refuse(c, LODE_IO, "disk: cannot use the limits file: %s", strerror(reason));
    }
    disk = pages;
    lode_files_limit(disk_take, disk);
    return LODE_OK;
}
