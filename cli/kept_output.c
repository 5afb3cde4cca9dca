/* kept_output.c - see kept_output.h
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath() */
#include "kept_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT_DIGITS 20 /* that a number can get longer by */

static bool kept_fail(const kept_output *k, const char *what) {
    cli_error("cannot %s '%s': %s", what, k->path, strerror(errno));
    return false;
}

/* The file that a link leads to is replaced, and not the link; a device is never replaced. */
static bool kept_name(kept_output *k, const char *path, bool numbers) {
    struct stat file;
    *k = (kept_output){.fd = -1, .numbers = numbers};
    char *target = realpath(path, NULL); /* NULL: it is not there yet */
    int n = snprintf(k->path, sizeof k->path, "%s.partial", target ? target : path);
    snprintf(k->final, sizeof k->final, "%s", target ? target : path);
    free(target);
    if (n <= 0 || (size_t)n >= sizeof k->path) {
        cli_error("'%.40s…': the name is too long", path);
        return false;
    }
    if (stat(path, &file) != 0 || S_ISREG(file.st_mode)) return true;
    cli_error("'%s' is no regular file, which a run that can be resumed needs", path);
    return false;
}

bool kept_create(kept_output *k, const char *path, bool numbers) {
    if (!kept_name(k, path, numbers)) return false;
    k->fd = open(k->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return k->fd >= 0 || kept_fail(k, "write");
}

/* Hashes the first bytes of the file, and counts the graphs in them. */
static bool kept_check(kept_output *k, uint64_t bytes) {
    static char block[1 << 16];
    char before = '\n';
    while (k->hash.bytes < bytes) {
        uint64_t left = bytes - k->hash.bytes;
        ssize_t n = read(k->fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        for (ssize_t i = 0; i < n && k->numbers; i++) {
            k->next += before == '\n' && block[i] == 't';
            before = block[i];
        }
        byte_hash_add(&k->hash, block, (size_t)n);
    }
    return true;
}

bool kept_resume(kept_output *k, const char *path, bool numbers, uint64_t bytes, uint64_t hash) {
    struct stat file;
    if (!kept_name(k, path, numbers)) return false;
    /* It was given its name already, if the process was killed just then. */
    if (stat(k->path, &file) != 0 && stat(k->final, &file) == 0 &&
        (uint64_t)file.st_size == bytes) {
        rename(k->final, k->path);
    }
    k->fd = open(k->path, O_RDWR | O_CLOEXEC);
    if (k->fd < 0) return kept_fail(k, "open");
    if (!kept_check(k, bytes) || byte_hash_value(&k->hash) != hash) {
        cli_error("'%s' has changed since its journal was written: start anew, without --resume",
                  k->path);
        return false;
    }
    if (ftruncate(k->fd, (off_t)bytes) != 0) return kept_fail(k, "write");
    if (lseek(k->fd, (off_t)bytes, SEEK_SET) < 0) return kept_fail(k, "write");
    k->base = k->next;
    return true;
}

static int kept_put(kept_output *k, const char *text, size_t bytes) {
    byte_hash_add(&k->hash, text, bytes);
    while (bytes > 0) {
        ssize_t n = write(k->fd, text, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            k->reason = errno;
            return 1;
        }
        text += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* How many graphs begin in a text of whole ones. */
static size_t kept_count(const char *text, const char *end) {
    size_t n = 0;
    while (text < end) {
        n += *text == 't';
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : end;
    }
    return n;
}

/* Copies a line; one that begins a graph, "t # N …", gets another number. */
static char *kept_copy_line(kept_output *k, char *to, const char *line, size_t n) {
    if (n > 4 && memcmp(line, "t # ", 4) == 0) {
        char *rest = NULL;
        k->next = strtoull(line + 4, &rest, 10) + k->base;
        to += snprintf(to, KEPT_DIGITS + 8, "t # %llu", (unsigned long long)k->next++);
        n -= (size_t)(rest - line);
        line = rest;
    }
    memcpy(to, line, n);
    return to + n;
}

/* Writes whole graphs with other numbers. */
static int kept_put_numbered(kept_output *k, const char *text, size_t bytes) {
    const char *end = text + bytes;
    size_t most = bytes + KEPT_DIGITS * kept_count(text, end);
    if (most > k->room_bytes) {
        char *room = realloc(k->room, most);
        if (!room) {
            k->reason = ENOMEM;
            return 1;
        }
        k->room = room;
        k->room_bytes = most;
    }
    char *to = k->room;
    while (text < end) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        const char *next = line ? line + 1 : end;
        to = kept_copy_line(k, to, text, (size_t)(next - text));
        text = next;
    }
    return kept_put(k, k->room, (size_t)(to - k->room));
}

int kept_write(void *kept, const char *text, size_t bytes) {
    kept_output *k = kept;
    if (k->skips) return 0;
    return k->numbers && k->base > 0 ? kept_put_numbered(k, text, bytes) : kept_put(k, text, bytes);
}

bool kept_sync(kept_output *k) {
    if (fsync(k->fd) == 0) return true;
    k->reason = errno;
    return false;
}

bool kept_finish(kept_output *k) {
    if (!kept_sync(k)) return false;
    int fd = k->fd;
    k->fd = -1;
    if (close(fd) == 0 && rename(k->path, k->final) == 0) return true;
    k->reason = errno;
    return false;
}

void kept_close(kept_output *k) {
    if (k->fd >= 0) close(k->fd);
    k->fd = -1;
    free(k->room);
    k->room = NULL;
}
