/* kept_output.c - see kept_output.h
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath() */
#include "kept_output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mine.h"

#define KEPT_DIGITS 20 /* that a number can get longer by */

/* ---- beginning ------------------------------------------------------------------------------- */

/* Says what the library has said. */
static bool kept_fail(void) {
    cli_error("%s", lode_job_error(NULL));
    return false;
}

bool kept_exists(const char *path) {
    lode_file *file = NULL;
    bool there = lode_file_resume(&file, path, KEPT_SUFFIX) == LODE_OK || errno != ENOENT;
    lode_file_free(file);
    return there;
}

bool kept_create(kept_output *k, const char *path, bool stays) {
    lode_status status = stays ? lode_file_keep(&k->file, path, KEPT_SUFFIX)
                               : lode_file_create(&k->file, path, true);
    return status == LODE_OK || kept_fail();
}

/* Hashes the first bytes of a file, and counts the graphs in them. */
static bool kept_check(kept_output *k, int fd, uint64_t bytes, uint64_t hash) {
    static char block[1 << 16];
    char before = '\n';
    while (k->hash.bytes < bytes) {
        uint64_t left = bytes - k->hash.bytes;
        ssize_t n = read(fd, block, left < sizeof block ? (size_t)left : sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        for (ssize_t i = 0; i < n && k->numbers; i++) {
            k->next += before == '\n' && block[i] == 't';
            before = block[i];
        }
        byte_hash_add(&k->hash, block, (size_t)n);
    }
    return byte_hash_value(&k->hash) == hash;
}

/* It was given its name already, if the process was killed just then: takes the name away. */
static bool kept_unname(const char *path, uint64_t bytes, uint64_t hash) {
    kept_output k = {0};
    struct stat is;
    bool own = false;
    char *target = realpath(path, NULL), *name = NULL;
    int fd = target ? open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode)) {
        own = (uint64_t)is.st_size == bytes && kept_check(&k, fd, bytes, hash);
    }
    size_t room = target ? strlen(target) + sizeof KEPT_SUFFIX : 0;
    if (own) name = malloc(room);
    if (name) snprintf(name, room, "%s%s", target, KEPT_SUFFIX);
    bool renamed = name && rename(target, name) == 0;
    if (fd >= 0) close(fd);
    free(name);
    free(target);
    return renamed;
}

bool kept_resume(kept_output *k, const char *path, bool numbers, uint64_t bytes, uint64_t hash) {
    k->numbers = numbers;
    lode_status status = lode_file_resume(&k->file, path, KEPT_SUFFIX);
    if (status != LODE_OK && errno == ENOENT) {
        /* Nothing was written yet, or everything. */
        if (bytes == 0) return kept_create(k, path, true);
        if (!kept_unname(path, bytes, hash)) {
            cli_error(
                "'%s%s' is missing, but its journal refers to it; start again without --resume",
                path, KEPT_SUFFIX);
            return false;
        }
        status = lode_file_resume(&k->file, path, KEPT_SUFFIX);
    }
    if (status != LODE_OK) return kept_fail();
    int fd = lode_file_descriptor(k->file);
    if (!kept_check(k, fd, bytes, hash)) {
        cli_error("'%s' has changed since its journal was written; start again without --resume",
                  lode_file_path(k->file));
        return false;
    }
    k->base = k->next;
    if (ftruncate(fd, (off_t)bytes) == 0 && lseek(fd, (off_t)bytes, SEEK_SET) >= 0) return true;
    cli_error("cannot write '%s': %s", lode_file_path(k->file), strerror(errno));
    return false;
}

bool kept_remove(const char *path, uint64_t bytes, uint64_t hash) {
    kept_output k = {0};
    lode_status status = lode_file_resume(&k.file, path, KEPT_SUFFIX);
    if (status != LODE_OK) return errno == ENOENT || kept_fail();
    bool own = kept_check(&k, lode_file_descriptor(k.file), bytes, hash);
    if (own) {
        unlink(lode_file_path(k.file));
    } else {
        cli_error(
            "'%s' is not the output that '%s.journal' describes; move it or give another -o FILE",
            lode_file_path(k.file), path);
    }
    lode_file_free(k.file);
    return own;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int kept_put(kept_output *k, const char *text, size_t bytes) {
    byte_hash_add(&k->hash, text, bytes);
    if (lode_file_write(k->file, text, bytes) == LODE_OK) return 0;
    k->reason = errno;
    return 1;
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
    if (fsync(lode_file_descriptor(k->file)) == 0) return true;
    k->reason = errno;
    return false;
}

bool kept_finish(kept_output *k, bool partial) {
    if (lode_file_commit(k->file, partial) == LODE_OK) return true;
    k->reason = errno;
    return false;
}

void kept_close(kept_output *k) {
    lode_file_free(k->file);
    k->file = NULL;
    free(k->room);
    k->room = NULL;
}

/* ---- what runs that were killed or crashed have left beside the output of this one ----------- */

/* A process that gets SIGKILL cannot remove its unfinished file, FILE.tmp.PID, and one that crashes
 * keeps it. A run that was interrupted leaves FILE.journal on purpose. Such files are not removed
 * here: the process may run on another machine that uses the same folder, and the user may want
 * their content. But they are named, so that nobody has to search for them.
 *
 * Sinks write blocks of whole lines and patterns, but a process may end in the middle of a write:
 * everything in such a file is valid except the end of the last write, which is cut off. */

/* Whether `name` is STEM.tmp.PID, of a process that does not run on this machine. */
static bool leftover_is_abandoned(const char *name, const char *stem) {
    static const char mark[] = ".tmp.";
    size_t n = strlen(stem);
    char *end = NULL;
    if (strncmp(name, stem, n) != 0 || strncmp(name + n, mark, sizeof mark - 1) != 0) return false;
    const char *digits = name + n + sizeof mark - 1;
    long pid = strtol(digits, &end, 10);
    if (*digits < '1' || *digits > '9' || (*end != 0 && *end != '.')) return false;
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

const char *cli_unfinished_advice(const char *path) {
    static const char magic[] = {'A', 'R', 'R', 'O', 'W', '1'};
    char begin[sizeof magic] = {0};
    struct stat file;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool plain = fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
    ssize_t n = plain ? read(fd, begin, sizeof begin) : -1;
    if (fd >= 0) close(fd);
    if (n < 0) return "It cannot be read; check it before you delete it";
    if (n == 0) return "It is empty and can be deleted";
    if (n == (ssize_t)sizeof begin && memcmp(begin, magic, sizeof magic) == 0) {
        return "It is an Arrow file without a footer: skip its first 8 bytes and read the rest as "
               "an Arrow stream, up to the last complete batch. Rename it to keep it, or delete it";
    }
    return "Its last line or graph may be incomplete; everything before that is complete. Rename "
           "it to keep it, or delete it";
}

static void leftover_note_file(const char *path) {
    struct stat file;
    if (lstat(path, &file) != 0 || !S_ISREG(file.st_mode)) return; /* lode makes files only */
    cli_error("'%s' (%s) was left by an earlier run that was killed or crashed. %s, unless a "
              "process on another machine is writing it",
              path, cli_bytes((uint64_t)file.st_size), cli_unfinished_advice(path));
}

/* Names the unfinished files of processes that are gone. */
static void leftover_note_files(const char *path) {
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    char folder[4096];
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2,
                     slash ? path : "./");
    DIR *listed = n > 0 && (size_t)n < sizeof folder ? opendir(folder) : NULL;
    for (struct dirent *one; listed && (one = readdir(listed)) != NULL;) {
        if (!leftover_is_abandoned(one->d_name, stem)) continue;
        char left[sizeof folder + sizeof one->d_name];
        snprintf(left, sizeof left, "%s%s", slash ? folder : "", one->d_name);
        leftover_note_file(left);
    }
    if (listed) closedir(listed);
}

bool cli_is_journal(const char *path) {
    char begin[8] = {0};
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, begin, sizeof begin);
    close(fd);
    return n == sizeof begin && memcmp(begin, "LDEJRNL1", sizeof begin) == 0;
}

/* A journal stays when a run without --resume has written the same output. */
static void leftover_note_journal(const char *path) {
    char journal[4096];
    int n = snprintf(journal, sizeof journal, "%s.journal", path);
    if (n < 0 || (size_t)n >= sizeof journal || !cli_is_journal(journal)) return;
    cli_error(
        "'%s' of an earlier run was left in place; with --resume, lode would continue that run",
        journal);
}

/* Returns the file of --output, if it has a name and --quiet was not given. */
static const char *leftover_path(const cli_args *args) {
    const char *path = cli_given(args, "output");
    return path && strcmp(path, "-") != 0 && !cli_given(args, "quiet") ? path : NULL;
}

void cli_note_leftovers(const cli_args *args) {
    const char *path = leftover_path(args);
    if (path) leftover_note_files(path);
}

void cli_note_journal(const cli_args *args) {
    const char *path = leftover_path(args);
    if (path) leftover_note_journal(path);
}
