/* leftovers.c - what runs that were killed have left beside the output of this one
 *
 * A process that gets SIGKILL cannot remove its unfinished file, FILE.tmp.PID; and a run that was
 * ended leaves FILE.journal, on purpose. Nobody removes them here: the process may run on another
 * machine that has the same folder, and the journal may still be wanted. But they are named, so
 * that they do not lie there for ever.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

/* Names the unfinished files of processes that are gone. */
static void leftover_note_files(const char *path) {
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    char folder[4096];
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 2,
                     slash ? path : "./");
    DIR *listed = n > 0 && (size_t)n < sizeof folder ? opendir(folder) : NULL;
    for (struct dirent *one; listed && (one = readdir(listed)) != NULL;) {
        if (!leftover_is_abandoned(one->d_name, stem)) continue;
        cli_error("'%s%s' was left by a run that was killed; remove it, unless a process on "
                  "another machine writes it",
                  slash ? folder : "", one->d_name);
    }
    if (listed) closedir(listed);
}

bool cli_is_journal(const char *path) {
    char begin[8] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = fread(begin, 1, sizeof begin, file);
    fclose(file);
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

void cli_note_leftovers(const cli_args *args, bool uses_journal) {
    const char *path = cli_given(args, "output");
    if (!path || strcmp(path, "-") == 0 || cli_given(args, "quiet")) return;
    leftover_note_files(path);
    if (!uses_journal) leftover_note_journal(path);
}
