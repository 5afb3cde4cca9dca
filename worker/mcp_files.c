/* mcp_files.c - the folders that lode mcp may read, and the one for results
 *
 * The kernel resolves every name below an open folder (openat2, RESOLVE_BENEATH), so that neither
 * .. nor a symbolic link leads out of it, not even if another process changes the folder meanwhile.
 * A name is resolved to a descriptor of the kind O_PATH, which opens nothing: devices and pipes are
 * refused before anything happens to them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* O_PATH, realpath(), syscall() */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_rules.h"
#include "mcp.h"

#define FOLDERS_MOST 64
#define NAME_MOST    4096
#define RESULT_MOST  200 /* bytes of the name of a result */
#define TRIES        16  /* if other processes rename folders meanwhile */

typedef struct mcp_folder {
    const char *given;
    char *path; /* absolute, without symbolic links */
    int fd;
} mcp_folder;

static struct {
    mcp_folder list[FOLDERS_MOST + 1]; /* to read; with the one for results, which is the last */
    int n, results;                    /* the descriptor of that one; negative: there is none */
} folders = {.results = -1};

static int folder_resolve(int folder, const char *name) {
    struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    long fd = -1;
    for (int i = 0; i < TRIES; i++) {
        fd = syscall(SYS_openat2, folder, name, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
    }
    return (int)fd;
}

/* ---- the start ------------------------------------------------------------------------------ */

static bool folder_open(const char *path, mcp_folder *f) {
    f->given = path;
    f->path = realpath(path, NULL);
    f->fd = f->path ? open(f->path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (f->fd >= 0) return true;
    cli_error("mcp: cannot open the folder '%s': %s", path, strerror(errno));
    return false;
}

/* Whether the kernel keeps names below a folder. */
static bool folder_is_safe(const mcp_folder *f) {
    int fd = folder_resolve(f->fd, ".");
    if (fd < 0) {
        bool missing = errno == ENOSYS || errno == EPERM;
        cli_error("mcp: cannot look into the folder '%s': %s%s", f->given, strerror(errno),
                  missing ? "; lode mcp needs the system call openat2 (Linux 5.6 or newer, and a "
                            "container that allows it) to keep file names below its folders"
                          : "");
        return false;
    }
    close(fd);
    return true;
}

bool mcp_folders_open(const char *const *paths, int n, const char *results, mcp_about *about) {
    if (n > FOLDERS_MOST) {
        cli_error("mcp: at most %d folders can be given", FOLDERS_MOST);
        return false;
    }
    for (int i = 0; i < n + (results != NULL); i++) {
        mcp_folder *f = &folders.list[i];
        if (!folder_open(i < n ? paths[i] : results, f) || !folder_is_safe(f)) return false;
        folders.n = i + 1;
        if (i == n) folders.results = f->fd;
        worker_addf(&about->folders, "%s%s", i ? ", " : "", f->path);
    }
    about->saves = results != NULL;
    if (results && faccessat(folders.results, ".", W_OK | X_OK, 0) != 0) {
        cli_error("mcp: cannot write to the folder '%s': %s", results, strerror(errno));
        return false;
    }
    if (access("/proc/self/fd", X_OK) == 0) return true;
    cli_error("mcp: /proc is not mounted; lode mcp reads files by their names there");
    return false;
}

/* Scratch files go to the folder for results, the only one that can be written to. */
void mcp_folders_only(void) {
    int rules = file_rules_create();
    bool allowed = rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    for (int i = 0; i < folders.n && allowed; i++) {
        bool results = folders.list[i].fd == folders.results;
        if (results) setenv("TMPDIR", folders.list[i].path, 1);
        allowed = file_rules_allow(rules, folders.list[i].path, results ? FILES_WRITE : FILES_READ);
    }
    if (allowed) (void)file_rules_apply(rules); /* a descriptor that stays open */
    if (rules >= 0) close(rules);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* What follows the folder in a name that begins with it; NULL: it does not. */
static const char *name_below(const char *folder, const char *name) {
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/') n--;
    if (strncmp(folder, name, n) != 0 || name[n] != '/') return NULL;
    name += n + strspn(name + n, "/");
    return *name ? name : NULL;
}

static const char *name_in(const mcp_folder *f, const char *name) {
    if (name[0] != '/') return name;
    const char *below = name_below(f->path, name);
    return !below && f->given[0] == '/' ? name_below(f->given, name) : below;
}

static int refuse_name(worker_call *c, const char *name, int reason) {
    bool outside = reason == EXDEV || reason == ELOOP;
    worker_refuse(c, reason == ENOENT ? LODE_NOTFOUND : LODE_INVALID, "'%.200s': %s", name,
                  outside ? "this name leads out of the folders that lode may read"
                          : strerror(reason));
    return -1;
}

int mcp_file_find(worker_call *c, const char *name, struct stat *file) {
    int reason = name[0] == '/' ? EXDEV : ENOENT, fd = -1;
    if (!name[0] || strlen(name) > NAME_MOST) return refuse_name(c, name, ENOENT);
    for (int i = 0; i < folders.n && fd < 0; i++) {
        const char *below = name_in(&folders.list[i], name);
        if (!below) continue;
        fd = folder_resolve(folders.list[i].fd, below);
        if (fd < 0 && (errno != ENOENT || name[0] == '/')) reason = errno;
    }
    if (fd < 0) return refuse_name(c, name, reason);
    if (fstat(fd, file) == 0 && S_ISREG(file->st_mode)) return fd;
    close(fd);
    worker_refuse(c, LODE_INVALID, "'%.200s' is not a regular file", name);
    return -1;
}

lode_status mcp_result_path(worker_call *c, const char *name, char path[MCP_PATH_MOST]) {
    struct stat file;
    size_t n = strlen(name);
    bool ends = n > 6 && strcmp(name + n - 6, ".arrow") == 0, plain = name[0] != '.';
    for (size_t i = 0; i < n; i++) plain &= (unsigned char)name[i] >= ' ' && name[i] != '/';
    if (folders.results < 0) {
        return worker_refuse(c, LODE_INVALID,
                             "results cannot be saved: lode mcp was started without --results");
    }
    if (!ends || !plain || n > RESULT_MOST) {
        return worker_refuse(
            c, LODE_INVALID,
            "save_as '%.100s': expected a file name that ends with .arrow, without "
            "a folder",
            name);
    }
    if (fstatat(folders.results, name, &file, AT_SYMLINK_NOFOLLOW) == 0) {
        return worker_refuse(c, LODE_INVALID,
                             "save_as '%.200s': this file exists; choose another name", name);
    }
    snprintf(path, MCP_PATH_MOST, "/proc/self/fd/%d/%s", folders.results, name);
    return LODE_OK;
}
