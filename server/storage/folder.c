/* folder.c - see folder.h
 *
 * The lock is flock() on the folder itself, which cannot be removed while a server runs, and on the
 * file `lock`, which older servers used. The kernel releases both however the server ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/database.h"
#include "storage/salvage.h"
#include "storage/schema.h"

#define FOLDER_MARKER   "lode.folder"
#define FOLDER_DATABASE "lode.sqlite"
#define FOLDER_NEW      ".new"   /* suffix of the database that --recover is writing */
#define FOLDER_READY    ".ready" /* suffix when it is complete, before it replaces the old one */
#define FOLDER_FORMAT   1
#define MARKER_BYTES    4096
#define LOSE_TRIES      1000

static const char marker_title[] = "This folder belongs to lode serve; please leave this file.";

struct data_folder {
    config *config;
    int fd;      /* the folder, locked */
    int lock_fd; /* its file `lock`, locked */
    int lost_fd; /* lost/; -1: not created yet */
    size_t lost; /* number of files moved there */
    bool marked; /* it has the marker */
    char id[DB_ID_BYTES];
    char id_before[DB_ID_BYTES]; /* id in the marker that was found; "": none */
    char lost_path[FOLDER_PATH_BYTES];
};

static bool folder_fail(char *why, size_t room, const char *what, const char *path) {
    snprintf(why, room, "the folder %s cannot be %s: %s", path, what, strerror(errno));
    return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Splits "12ENDING…" into 12 and the rest. 0: not such a name. */
static uint64_t name_number(const char *name, const char *ending, const char **rest) {
    char whole[64];
    uint64_t id = strtoull(name, NULL, 10);
    int n = snprintf(whole, sizeof whole, "%" PRIu64 "%s", id, ending);
    *rest = "";
    if (id == 0 || id > FOLDER_NUMBER_MOST || strncmp(name, whole, (size_t)n) != 0) return 0;
    *rest = name + n;
    return id;
}

/* ".tmp.99" or ".tmp.99.1": temporary files of the library. */
static bool name_is_half(const char *rest) {
    static const char digits[] = "0123456789";
    if (strncmp(rest, ".tmp.", 5) != 0) return false;
    const char *end = rest + 5 + strspn(rest + 5, digits);
    if (end == rest + 5) return false;
    return !*end || (*end == '.' && end[1] && !end[1 + strspn(end + 1, digits)]);
}

uint64_t folder_result(const char *name, bool *whole) {
    const char *rest;
    uint64_t id = name_number(name, ".arrow", &rest);
    *whole = !*rest;
    return *whole || name_is_half(rest) || strcmp(rest, ".partial") == 0 ? id : 0;
}

uint64_t folder_upload(const char *name, bool *whole) {
    const char *rest;
    uint64_t id = name_number(name, ".data", &rest);
    *whole = id > 0 && !*rest;
    if (id > 0) return *whole || name_is_half(rest) ? id : 0;
    id = name_number(name, ".part", &rest);
    return *rest ? 0 : id;
}

bool folder_each(const char *path, void (*look)(void *user, int folder, const char *name),
                 void *user) {
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (!folder) return false;
    while ((errno = 0, entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.') look(user, dirfd(folder), entry->d_name);
    }
    int error = errno;
    closedir(folder);
    errno = error;
    return error == 0;
}

/* ---- what is there --------------------------------------------------------------------------- */

/* The content of a folder, by names alone. */
typedef struct folder_look {
    bool database, others;  /* lode.sqlite; files that a server does not create */
    bool replacement;       /* a complete new database of an interrupted --recover */
    char odd[NAME_MAX + 1]; /* a database file that is not a regular file; "": none */
    size_t uploads, results;
    uint64_t highest; /* number of these */
} folder_look;

/* Whether a name is that of the database or of a file that SQLite or the server keep next to it. */
static bool name_is_of_database(const char *name) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", "-spare"};
    size_t n = strlen(FOLDER_DATABASE);
    if (strncmp(name, FOLDER_DATABASE, n) != 0) return false;
    if (strcmp(name + n, FOLDER_READY) == 0) return true;
    if (strncmp(name + n, FOLDER_NEW, strlen(FOLDER_NEW)) == 0) n += strlen(FOLDER_NEW);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(name + n, endings[i]) == 0) return true;
    }
    return false;
}

static void look_at_top(void *user, int folder, const char *name) {
    static const char *const ours[] = {"lock", "datasets",    "results",  "tmp",
                                       "lost", FOLDER_MARKER, "lode.disk"};
    folder_look *l = user;
    if (name_is_of_database(name)) {
        struct stat file;
        bool there = fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0;
        if (there && !S_ISREG(file.st_mode)) snprintf(l->odd, sizeof l->odd, "%s", name);
        if (strcmp(name, FOLDER_DATABASE) == 0) l->database = there && file.st_size > 0;
        if (strcmp(name, FOLDER_DATABASE FOLDER_READY) == 0) l->replacement = there;
        return;
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strcmp(name, ours[i]) == 0) return;
    }
    l->others = true;
}

static void look_at_files(void *user, int folder, const char *name) {
    folder_look *l = user;
    bool whole;
    (void)folder;
    uint64_t upload = folder_upload(name, &whole), result = folder_result(name, &whole);
    l->uploads += upload > 0;
    l->results += upload == 0 && result > 0;
    l->others = l->others || (upload == 0 && result == 0);
    if (upload > l->highest) l->highest = upload;
    if (result > l->highest) l->highest = result;
}

/* Symbolic links are refused: they lead out of the folder, to files that do not belong to the
 * server. */
static bool look_below(const char *path, void (*look)(void *, int, const char *), folder_look *l,
                       char *why, size_t room) {
    struct stat file;
    if (lstat(path, &file) != 0) {
        return errno == ENOENT || folder_fail(why, room, "read", path);
    }
    if (S_ISLNK(file.st_mode)) {
        snprintf(why, room,
                 "%s is a symbolic link, which the server does not follow; use --data to name a "
                 "folder on another disk",
                 path);
        return false;
    }
    if (!S_ISDIR(file.st_mode)) {
        snprintf(why, room, "%s is not a folder", path);
        return false;
    }
    return !look || folder_each(path, look, l) || folder_fail(why, room, "read", path);
}

static bool folder_look_at(const data_folder *f, folder_look *l, char *why, size_t room) {
    const config *c = f->config;
    *l = (folder_look){0};
    if (!folder_each(c->data, look_at_top, l)) return folder_fail(why, room, "read", c->data);
    if (l->odd[0]) {
        snprintf(why, room, "%s/%s is not a regular file; the database cannot be a link", c->data,
                 l->odd);
        return false;
    }
    return look_below(c->datasets_dir, look_at_files, l, why, room) &&
           look_below(c->results_dir, look_at_files, l, why, room) &&
           look_below(c->tmp_dir, look_at_files, l, why, room) &&
           look_below(f->lost_path, NULL, l, why, room);
}

/* ---- the marker ------------------------------------------------------------------------------ */

static void marker_write_text(const data_folder *f, char *text, size_t room) {
    snprintf(text, room, "%s\nformat %d\ndatabase %s\n", marker_title, FOLDER_FORMAT, f->id);
}

/* False: the marker is unknown to this server or cannot be read. */
static bool marker_read(data_folder *f, char *why, size_t room) {
    char text[MARKER_BYTES], again[MARKER_BYTES], path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" FOLDER_MARKER, f->config->data);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) return true;
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (n < 0) snprintf(why, room, "%s cannot be read: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    if (n < 0) return false;
    text[n] = '\0';
    const char *id = strstr(text, "\ndatabase ");
    if (id) snprintf(f->id, sizeof f->id, "%s", id + 10);
    marker_write_text(f, again, sizeof again);
    f->marked = strcmp(text, again) == 0;
    if (f->marked) snprintf(f->id_before, sizeof f->id_before, "%s", f->id);
    if (!f->marked) {
        snprintf(why, room,
                 "%s was written by a newer lode, or is damaged; nothing was changed; if the "
                 "file is damaged, remove it, and the next start checks the database",
                 path);
    }
    return f->marked;
}

/* Writes to a temporary name and renames it, so that the marker is complete or missing. */
static bool marker_write(data_folder *f, char *why, size_t room) {
    char text[MARKER_BYTES];
    static const char temporary[] = "." FOLDER_MARKER ".tmp";
    marker_write_text(f, text, sizeof text);
    unlinkat(f->fd, temporary, 0);
    int fd = openat(f->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written =
        fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    if (written && renameat(f->fd, temporary, f->fd, FOLDER_MARKER) == 0 && fsync(f->fd) == 0) {
        f->marked = true;
        return true;
    }
    snprintf(why, room, "cannot write the marker of the folder %s: %s", f->config->data,
             strerror(errno));
    unlinkat(f->fd, temporary, 0);
    return false;
}

/* ---- an older server's database -------------------------------------------------------------- */

/* What SQLite finds in a file. */
typedef enum database_tables {
    TABLES_UNREADABLE,
    TABLES_NONE,
    TABLES_OURS,
    TABLES_FOREIGN
} database_tables;

static database_tables tables_of(sqlite3 *handle) {
    sqlite3_stmt *s = NULL;
    database_tables found = TABLES_UNREADABLE;
    if (schema_is_ours(handle)) return TABLES_OURS;
    if (sqlite3_prepare_v2(handle, "SELECT count(*) FROM sqlite_master", -1, &s, NULL) ==
            SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW) {
        found = sqlite3_column_int(s, 0) > 0 ? TABLES_FOREIGN : TABLES_NONE;
    }
    sqlite3_finalize(s);
    return found;
}

/* "file:PATH?immutable=1"; reserved characters are percent-encoded. False: too long. */
static bool name_as_address(const char *path, char *out, size_t room) {
    size_t n = (size_t)snprintf(out, room, "file:");
    for (; *path && n + 32 < room; path++) {
        n += (size_t)snprintf(out + n, room - n, strchr("?#%", *path) ? "%%%02X" : "%c",
                              (unsigned)(unsigned char)*path);
    }
    snprintf(out + n, room - n, "?immutable=1");
    return !*path;
}

/* Reads without writing: if there is no log, SQLite creates no files next to the database; a log
 * is not merged into the file. */
static database_tables tables_in(const char *path, bool with_log) {
    char name[PATH_MAX + 64];
    sqlite3 *handle = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW | (with_log ? 0 : SQLITE_OPEN_URI);
    database_tables found = TABLES_UNREADABLE;
    if (with_log) {
        snprintf(name, sizeof name, "%s", path);
    } else if (!name_as_address(path, name, sizeof name)) {
        return found;
    }
    if (sqlite3_open_v2(name, &handle, flags, NULL) == SQLITE_OK) {
        sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        found = tables_of(handle);
    }
    sqlite3_close(handle);
    return found;
}

static database_tables folder_tables(const data_folder *f) {
    char path[PATH_MAX], log[PATH_MAX];
    struct stat file;
    snprintf(path, sizeof path, "%s/" FOLDER_DATABASE, f->config->data);
    snprintf(log, sizeof log, "%s/" FOLDER_DATABASE "-wal", f->config->data);
    bool has_log = lstat(log, &file) == 0 && S_ISREG(file.st_mode) && file.st_size > 0;
    database_tables found = tables_in(path, false);
    return found == TABLES_OURS || !has_log ? found : tables_in(path, true);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* mkdir -p, readable only by the owner. */
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

/* Makes the path absolute, because workers may have another current folder. */
static bool make_absolute(config *c) {
    char *real = realpath(c->data, NULL);
    return real && config_set_folders(c, real);
}

static bool folder_begin(data_folder *f, char *why, size_t room) {
    config *c = f->config;
    struct stat st;
    umask(077);
    if (stat(c->data, &st) == 0 && !S_ISDIR(st.st_mode)) {
        snprintf(why, room, "%s is not a folder", c->data);
        return false;
    }
    if (!make_folders(c->data)) return folder_fail(why, room, "made", c->data);
    if (access(c->data, R_OK | W_OK | X_OK) != 0 || !make_absolute(c)) {
        return folder_fail(why, room, "used", c->data);
    }
    snprintf(f->lost_path, sizeof f->lost_path, "%s/lost", c->data);
    f->fd = open(c->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->fd >= 0 || folder_fail(why, room, "used", c->data);
}

static bool folder_make_below(const data_folder *f, char *why, size_t room) {
    const config *c = f->config;
    const char *const paths[] = {c->datasets_dir, c->results_dir, c->tmp_dir};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (mkdir(paths[i], 0700) != 0 && errno != EEXIST) {
            return folder_fail(why, room, "made", paths[i]);
        }
        if (access(paths[i], R_OK | W_OK | X_OK) != 0) {
            return folder_fail(why, room, "used", paths[i]);
        }
    }
    return true;
}

/* ---- the lock -------------------------------------------------------------------------------- */

static bool lock_taken(const data_folder *f, char *why, size_t room) {
    if (errno == EWOULDBLOCK) {
        snprintf(why, room,
                 "another lode server uses the folder %s; choose another folder with --data",
                 f->config->data);
        return false;
    }
    return true; /* some network file systems cannot lock folders; the file is locked as well */
}

static bool folder_lock(data_folder *f, char *why, size_t room) {
    return flock(f->fd, LOCK_EX | LOCK_NB) == 0 || lock_taken(f, why, room);
}

static bool folder_lock_file(data_folder *f, char *why, size_t room) {
    f->lock_fd = openat(f->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (f->lock_fd >= 0 && flock(f->lock_fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (f->lock_fd >= 0 && !lock_taken(f, why, room)) return false;
    snprintf(why, room, "cannot lock %s/lock: %s", f->config->data, strerror(errno));
    return false;
}

/* ---- ownership ------------------------------------------------------------------------------ */

static bool refuse_foreign(const data_folder *f, const folder_look *l, char *why, size_t room) {
    if (l->uploads + l->results == 0) {
        snprintf(why, room,
                 "the folder %s was not created by lode serve and is not empty; nothing in it was "
                 "changed; choose another folder with --data",
                 f->config->data);
    } else {
        snprintf(why, room,
                 "the folder %s has %zu uploads and %zu results, but not their database; "
                 "restore lode.sqlite and its lode.sqlite-wal, or start once with --recover to "
                 "create a new database from the files; nothing was changed",
                 f->config->data, l->uploads, l->results);
    }
    return false;
}

/* What to do about the database. */
typedef enum folder_plan { PLAN_REFUSE, PLAN_USE, PLAN_CREATE, PLAN_REPLACE } folder_plan;

static folder_plan folder_decide(const data_folder *f, const folder_look *l) {
    bool files = l->uploads + l->results > 0;
    bool empty = !files && (f->marked || !l->others);
    if (l->database && f->marked) return PLAN_USE;
    database_tables tables = l->database ? folder_tables(f) : TABLES_NONE;
    if (tables == TABLES_OURS) return PLAN_USE;
    if (tables == TABLES_NONE && empty && !l->replacement) return PLAN_CREATE;
    return (files || l->replacement) && f->config->recover ? PLAN_REPLACE : PLAN_REFUSE;
}

/* ---- moving to lost/ ------------------------------------------------------------------------- */

static bool folder_make_lost(data_folder *f) {
    if (f->lost_fd >= 0) return true;
    if (mkdirat(f->fd, "lost", 0700) != 0 && errno != EEXIST) return false;
    f->lost_fd = openat(f->fd, "lost", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return f->lost_fd >= 0;
}

/* Moves a file without replacing an existing one. */
static bool lose_as(data_folder *f, int from, const char *name, char *to, size_t room) {
    for (unsigned i = 0; i < LOSE_TRIES; i++) {
        snprintf(to, room, i ? "%s.%u" : "%s", name, i);
        if (renameat2(from, name, f->lost_fd, to, RENAME_NOREPLACE) == 0) return true;
        if (errno == EINVAL && faccessat(f->lost_fd, to, F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
            renameat(from, name, f->lost_fd, to) == 0)
            return true; /* the file system does not support the flag */
        if (errno != EEXIST && errno != EINVAL) return false;
    }
    return false;
}

bool folder_lose(data_folder *f, int from, const char *name) {
    char to[NAME_MAX + 16];
    if (folder_make_lost(f) && lose_as(f, from, name, to, sizeof to)) {
        f->lost++;
        return true;
    }
    fprintf(stderr, "lode: %s has no entry in the database and cannot be moved to %s: %s\n", name,
            f->lost_path, strerror(errno));
    return false;
}

size_t folder_lost(const data_folder *f) {
    return f->lost;
}

const char *folder_lost_path(const data_folder *f) {
    return f->lost_path;
}

/* Moves the database and its log to lost/ under matching names. */
static bool folder_lose_database(data_folder *f, bool foreign) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char from[64], to[64];
    bool moved = folder_make_lost(f), there = false;
    unsigned number = 0;
    do {
        snprintf(to, sizeof to, FOLDER_DATABASE ".%u", ++number);
    } while (moved && faccessat(f->lost_fd, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    for (size_t i = 0; moved && i < sizeof endings / sizeof *endings; i++) {
        snprintf(from, sizeof from, FOLDER_DATABASE "%s", endings[i]);
        snprintf(to, sizeof to, FOLDER_DATABASE ".%u%s", number, endings[i]);
        bool done = renameat(f->fd, from, f->lost_fd, to) == 0;
        there = there || done;
        moved = done || errno == ENOENT;
    }
    if (moved && there) {
        fprintf(stderr, "lode: %s is kept as %s/" FOLDER_DATABASE ".%u\n",
                foreign ? "the database of another folder" : "the old database", f->lost_path,
                number);
    }
    return moved;
}

/* ---- a new database -------------------------------------------------------------------------- */

/* Removes the files of an interrupted recovery: they are created again, or no longer needed. */
static void folder_drop_new(const data_folder *f) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", "-spare"};
    char name[64];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, FOLDER_DATABASE FOLDER_NEW "%s", endings[i]);
        (void)unlinkat(f->fd, name, 0);
    }
    (void)unlinkat(f->fd, FOLDER_DATABASE FOLDER_READY, 0);
}

/* The new database gets the id in the marker, so that the marker need not change. */
static bool folder_keep_id(const data_folder *f, struct database *db) {
    if (!f->id_before[0]) return true;
    db_change *c = db_change_new("UPDATE folder SET id = ?");
    db_change_text(c, f->id_before);
    return db_make(db, c);
}

/* Whether an interrupted recovery has left a complete database that only has to be renamed. */
static bool folder_has_replacement(const data_folder *f, const folder_look *look) {
    char path[PATH_MAX], why[256];
    if (!look->replacement) return false;
    snprintf(path, sizeof path, "%s/" FOLDER_DATABASE FOLDER_READY, f->config->data);
    db_opening how = {.path = path, .id = f->id_before[0] ? f->id_before : NULL};
    struct database *db = db_open(&how, why, sizeof why);
    db_close(db);
    return db != NULL;
}

/* Creates a complete new database next to the old one, which stays unchanged. */
static bool folder_make_database(data_folder *f, uint64_t highest, bool *foreign, char *why,
                                 size_t room) {
    char path[PATH_MAX], made[PATH_MAX + 8], log[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/" FOLDER_DATABASE, f->config->data);
    snprintf(made, sizeof made, "%s" FOLDER_NEW, path);
    snprintf(log, sizeof log, "%s-wal", made);
    folder_drop_new(f);
    db_opening how = {.path = made, .create = true};
    struct database *db = db_open(&how, why, room);
    if (!db) return false;
    const salvage_source from = {path, f->id_before, f->config->datasets_dir, highest};
    bool copied = folder_keep_id(f, db) && salvage_rows(db, &from, foreign);
    if (!copied) snprintf(why, room, "cannot write a new database: %s", db_message(db));
    db_close(db);
    if (!copied) return false;
    bool ready = access(log, F_OK) != 0; /* otherwise the log could not be merged into the file */
    if (!ready) errno = ENOSPC;
    ready = ready &&
            renameat(f->fd, FOLDER_DATABASE FOLDER_NEW, f->fd, FOLDER_DATABASE FOLDER_READY) == 0 &&
            fsync(f->fd) == 0;
    if (!ready) snprintf(why, room, "cannot write a new database: %s", strerror(errno));
    return ready;
}

/* Replaces an unusable database by a new one. If this is interrupted, either the old one is still
 * there, or the new one is complete. */
static bool folder_replace_database(data_folder *f, const folder_look *look, char *why,
                                    size_t room) {
    bool foreign = false;
    if (!folder_has_replacement(f, look) &&
        !folder_make_database(f, look->highest, &foreign, why, room)) {
        folder_drop_new(f);
        return false;
    }
    return (folder_lose_database(f, foreign) &&
            renameat(f->fd, FOLDER_DATABASE FOLDER_READY, f->fd, FOLDER_DATABASE) == 0 &&
            fsync(f->fd) == 0) ||
           folder_fail(why, room, "used for recovery", f->config->data);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct database *folder_open_database(data_folder *f, const folder_look *look,
                                             folder_plan plan, char *why, size_t room) {
    char path[PATH_MAX];
    struct database *db = NULL;
    snprintf(path, sizeof path, "%s/" FOLDER_DATABASE, f->config->data);
    db_opening how = {.path = path, .create = plan != PLAN_USE};
    if (plan == PLAN_USE && f->marked) how.id = f->id;
    if (plan != PLAN_REPLACE) db = db_open(&how, why, room);
    if (!db && (plan == PLAN_REPLACE || (f->config->recover && how.unusable)) &&
        folder_replace_database(f, look, why, room)) {
        how = (db_opening){.path = path};
        db = db_open(&how, why, room);
    }
    if (db) folder_drop_new(f);
    return db;
}

static bool folder_take(data_folder *f, struct database **db, char *why, size_t room) {
    folder_look look;
    if (!folder_begin(f, why, room) || !folder_lock(f, why, room) ||
        !folder_look_at(f, &look, why, room) || !marker_read(f, why, room))
        return false;
    folder_plan plan = folder_decide(f, &look);
    if (plan == PLAN_REFUSE) return refuse_foreign(f, &look, why, room);
    if (!folder_lock_file(f, why, room) || !folder_make_below(f, why, room)) return false;
    *db = folder_open_database(f, &look, plan, why, room);
    if (!*db) return false;
    if (f->marked && strcmp(f->id, db_id(*db)) == 0) return true;
    snprintf(f->id, sizeof f->id, "%s", db_id(*db));
    return marker_write(f, why, room);
}

data_folder *folder_open(config *c, struct database **db, char *why, size_t room) {
    data_folder *f = calloc(1, sizeof *f);
    *db = NULL;
    snprintf(why, room, "out of memory");
    if (!f) return NULL;
    *f = (data_folder){.config = c, .fd = -1, .lock_fd = -1, .lost_fd = -1};
    if (folder_take(f, db, why, room)) return f;
    db_close(*db);
    *db = NULL;
    folder_close(f);
    return NULL;
}

void folder_close(data_folder *f) {
    if (!f) return;
    if (f->lost_fd >= 0) close(f->lost_fd);
    if (f->lock_fd >= 0) close(f->lock_fd);
    if (f->fd >= 0) close(f->fd);
    free(f);
}
