/* leftovers.c - what runs that were killed or crashed have left beside the output of this one
 *
 * A process that gets SIGKILL cannot remove its unfinished file, FILE.tmp.PID, and one that crashes
 * keeps it; a run that was ended leaves FILE.journal, on purpose. Nobody removes them here: the
 * process may run on another machine that has the same folder, and what they hold may be wanted.
 * But they are named, so that nobody has to find them.
 *
 * Sinks write blocks of whole lines and patterns, but a process may end in the middle of a write:
 * everything in such a file is right but for what the last write has left, which is cut off.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mine.h"

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
    if (n < 0) return "It cannot be read here: look at it before you delete it";
    if (n == 0) return "It is empty: delete it";
    if (n == (ssize_t)sizeof begin && memcmp(begin, magic, sizeof magic) == 0) {
        return "It is an Arrow file without its footer: from byte 8 on, it can be read as an Arrow "
               "stream, up to its last whole batch. Rename it to keep it, or delete it";
    }
    return "Its last line, or its last graph, may be cut off; everything before that is complete. "
           "Rename it to keep it, or delete it";
}

static void leftover_note_file(const char *path) {
    struct stat file;
    if (lstat(path, &file) != 0 || !S_ISREG(file.st_mode)) return; /* lode makes files only */
    cli_error("'%s' (%s) was left by an earlier run that was killed or crashed. %s, unless a "
              "process on another machine writes it",
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
    cli_error("'%s' of an earlier run is there, which --resume would go on with: this run leaves "
              "it as it is",
              journal);
}

/* The file of --output, if there may be something beside it and somebody wants to know. */
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
