/* folder.c - the data folder: made if need be, locked, its temporary files removed
 *
 * The lock is flock() on a file that stays: the kernel lets go of it whatever ends the server. File
 * names in the folder are made from numbers; nothing from outside is ever part of a path.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

/* mkdir -p, readable for the owner alone. */
static bool make_folders(const char *path) {
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *c = part + 1; *c; c++) {
        if (*c != '/') continue;
        *c = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return false;
        *c = '/';
    }
    return mkdir(part, 0700) == 0 || errno == EEXIST;
}

static bool folder_is_usable(const char *path, char *why, size_t room) {
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        snprintf(why, room, "%s is not a folder", path);
        return false;
    }
    if (access(path, R_OK | W_OK | X_OK) == 0) return true;
    snprintf(why, room, "the folder %s cannot be used: %s", path, strerror(errno));
    return false;
}

static bool folder_lock(config *c, char *why, size_t room) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", c->data);
    c->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (c->lock_fd < 0) {
        snprintf(why, room, "cannot make %s: %s", path, strerror(errno));
        return false;
    }
    if (flock(c->lock_fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno == EWOULDBLOCK) {
        snprintf(why, room, "another lode server uses the folder %s; --data names another one",
                 c->data);
    } else {
        snprintf(why, room, "cannot lock %s: %s", path, strerror(errno));
    }
    return false;
}

/* What a server that was killed left half done. There are plain files only. */
static void empty_temporary(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
}

/* Workers get paths and may have another current folder. */
static bool make_absolute(char **path) {
    char *real = realpath(*path, NULL);
    if (!real) return false;
    free(*path);
    *path = real;
    return true;
}

bool folder_prepare(config *c, char *why, size_t room) {
    char **const paths[] = {&c->data, &c->datasets_dir, &c->results_dir, &c->tmp_dir};
    umask(077);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!make_folders(*paths[i])) {
            snprintf(why, room, "the folder %s cannot be made: %s", *paths[i], strerror(errno));
            return false;
        }
        if (!folder_is_usable(*paths[i], why, room)) return false;
        if (!make_absolute(paths[i])) {
            snprintf(why, room, "the folder %s cannot be used: %s", *paths[i], strerror(errno));
            return false;
        }
    }
    if (!folder_lock(c, why, room)) return false;
    empty_temporary(c->tmp_dir);
    return true;
}

void folder_release(config *c) {
    if (c->lock_fd >= 0) close(c->lock_fd);
    c->lock_fd = -1;
}
