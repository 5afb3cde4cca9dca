/* salvage.c - files without a row; see salvage.h
 *
 * A file without a row gets a minimal row. A file in lost/ whose row exists but has no file goes
 * back to its place; other files get an id that was never used. A result whose data set is unknown
 * is listed under a data set without a file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "datasets/datasets.h"
#include "datasets/uploads.h"
#include "jobs/jobs_live.h"
#include "storage/folder.h"

typedef struct salvaging {
    server *server;
    salvage_batch batch;
    uint64_t highest_upload, highest_result;
    uint64_t nameless; /* the data set of results whose data set is unknown; 0: none yet */
} salvaging;

/* ---- files without a row --------------------------------------------------------------------- */

static bool file_has_row(salvaging *v, const char *sql, uint64_t id) {
    sqlite3_stmt *q = db_statement(v->server->db, sql);
    uint64_t n;
    db_bind_count(q, 1, id);
    if (!db_number(v->server->db, q, &n)) v->batch.failed = true;
    return n > 0 || v->batch.failed;
}

static bool upload_has_row(salvaging *v, uint64_t id) {
    return file_has_row(v,
                        "SELECT (SELECT COUNT(*) FROM datasets WHERE id = ?1) + (SELECT COUNT(*) "
                        "FROM trash WHERE kind = 'dataset' AND id = ?1)",
                        id);
}

static bool result_has_row(salvaging *v, uint64_t id) {
    return file_has_row(v,
                        "SELECT (SELECT COUNT(*) FROM jobs WHERE id = ?1) + (SELECT COUNT(*) FROM "
                        "trash WHERE kind = 'job' AND id = ?1)",
                        id);
}

static void upload_take(salvaging *v, uint64_t id) {
    char path[FOLDER_PATH_BYTES], name[64];
    struct stat file;
    dataset_path(v->server, id, false, path);
    if (lstat(path, &file) != 0 || !S_ISREG(file.st_mode)) return;
    snprintf(name, sizeof name, "recovered-%" PRIu64, id);
    batch_statement(&v->batch,
                    "INSERT INTO datasets (id, name, kind, bytes, received, state, created, "
                    "used) VALUES (?1, ?2, ?3, ?4, ?4, 'ready', ?5, ?6)");
    db_change_count(v->batch.change, id);
    db_change_text(v->batch.change, name);
    db_change_text(v->batch.change, upload_kind(path));
    db_change_count(v->batch.change, (uint64_t)file.st_size);
    db_change_real(v->batch.change, (double)file.st_mtime);
    db_change_real(v->batch.change, db_now());
    fprintf(stderr, "lode: restored datasets/%" PRIu64 ".data as the data set %s\n", id, name);
}

/* The data set of results whose data set is unknown. */
static uint64_t nameless_dataset(salvaging *v) {
    static const char sql[] = "SELECT id FROM datasets WHERE name = 'recovered results' AND "
                              "state = 'broken'";
    server *s = v->server;
    if (v->nameless > 0) return v->nameless;
    batch_store(&v->batch);
    if (!db_number(s->db, db_statement(s->db, sql), &v->nameless)) v->batch.failed = true;
    if (v->nameless > 0 || v->batch.failed) return v->nameless;
    db_change *c = db_change_new("INSERT INTO datasets (name, bytes, state, message, created, "
                                 "used) VALUES ('recovered results', 0, 'broken', 'These results "
                                 "were restored; their data set is not known.', ?1, ?1)");
    db_change_real(c, db_now());
    if (!db_make(s->db, c) || !db_number(s->db, db_statement(s->db, sql), &v->nameless)) {
        v->batch.failed = true;
    }
    if (v->nameless > v->highest_upload) v->highest_upload = v->nameless;
    return v->nameless;
}

static void result_take(salvaging *v, uint64_t id) {
    char path[FOLDER_PATH_BYTES];
    struct stat file;
    lode_store_info info;
    static const char *const kinds[] = {"itemsets", "graphs", "rules"};
    job_result_path(v->server, id, path);
    if (lstat(path, &file) != 0 || !S_ISREG(file.st_mode) || !job_result_info(path, &info)) {
        fprintf(stderr, "lode: results/%" PRIu64 ".arrow is not a complete result\n", id);
        return;
    }
    uint64_t of = nameless_dataset(v);
    batch_statement(&v->batch,
                    "INSERT INTO jobs (id, dataset, dataset_name, kind, state, patterns, "
                    "min_count, total, bytes, created, ended) "
                    "VALUES (?1, ?2, 'recovered', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)");
    db_change_count(v->batch.change, id);
    db_change_count(v->batch.change, of);
    db_change_text(v->batch.change, kinds[info.kind]);
    db_change_text(v->batch.change, info.ended ? "done" : "kept");
    db_change_count(v->batch.change, info.rows);
    db_change_count(v->batch.change, info.min_count);
    db_change_count(v->batch.change, info.total);
    db_change_count(v->batch.change, (uint64_t)file.st_size);
    db_change_real(v->batch.change, (double)file.st_mtime);
    fprintf(stderr, "lode: results/%" PRIu64 ".arrow has %" PRIu64 " %s\n", id, info.rows,
            kinds[info.kind]);
}

static void salvage_upload(void *user, int folder, const char *name) {
    salvaging *v = user;
    bool whole;
    uint64_t id = folder_upload(name, &whole);
    (void)folder;
    if (whole && !v->batch.failed && !upload_has_row(v, id)) upload_take(v, id);
}

static void salvage_result(void *user, int folder, const char *name) {
    salvaging *v = user;
    bool whole;
    uint64_t id = folder_result(name, &whole);
    (void)folder;
    if (whole && id > 0 && !v->batch.failed && !result_has_row(v, id)) result_take(v, id);
}

/* ---- lost/ ----------------------------------------------------------------------------------- */

/* Whether a row has this id and size; its file may be there, too. */
static bool lost_is_missed(salvaging *v, bool upload, uint64_t id, uint64_t bytes) {
    database *db = v->server->db;
    uint64_t n;
    sqlite3_stmt *q = db_statement(
        db, upload ? "SELECT COUNT(*) FROM datasets WHERE id = ? AND bytes = ? AND state <> "
                     "'uploading'"
                   : "SELECT COUNT(*) FROM jobs WHERE id = ? AND bytes = ? AND ended IS NOT NULL");
    db_bind_count(q, 1, id);
    db_bind_count(q, 2, bytes);
    if (!db_number(db, q, &n)) v->batch.failed = true;
    return n > 0;
}

/* Moves a file back, without replacing another. */
static bool lost_take(salvaging *v, int folder, const char *name, bool upload, uint64_t id) {
    char path[FOLDER_PATH_BYTES];
    if (upload) {
        dataset_path(v->server, id, false, path);
    } else {
        job_result_path(v->server, id, path);
    }
    return renameat2(folder, name, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
}

/* Moves a file of lost/ back, under its id if that is free. "12.data.1" is the second file with
 * that name. */
static void salvage_lost(void *user, int folder, const char *name) {
    salvaging *v = user;
    char plain[64];
    bool whole, upload;
    struct stat file;
    snprintf(plain, sizeof plain, "%s", name);
    char *last = strrchr(plain, '.');
    if (last && last[1] && !last[1 + strspn(last + 1, "0123456789")]) *last = '\0';
    uint64_t id = folder_upload(plain, &whole);
    upload = id > 0;
    if (!upload) id = folder_result(plain, &whole);
    bool plain_file =
        fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode);
    if (!whole || id == 0 || !plain_file || v->batch.failed) return;
    batch_store(&v->batch); /* so that queries see the rows of earlier files */
    bool taken = upload ? upload_has_row(v, id) : result_has_row(v, id);
    if (taken && lost_is_missed(v, upload, id, (uint64_t)file.st_size) &&
        lost_take(v, folder, name, upload, id)) {
        fprintf(stderr, "lode: moved lost/%s back to its place\n", name);
        return;
    }
    if (taken) id = upload ? ++v->highest_upload : ++v->highest_result;
    if (!lost_take(v, folder, name, upload, id)) {
        fprintf(stderr, "lode: cannot restore %s: %s\n", name, strerror(errno));
    } else if (upload) {
        upload_take(v, id);
    } else {
        result_take(v, id);
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void salvage_number(void *user, int folder, const char *name) {
    salvaging *v = user;
    bool whole;
    uint64_t upload = folder_upload(name, &whole), result = folder_result(name, &whole);
    (void)folder;
    if (upload > v->highest_upload) v->highest_upload = upload;
    if (result > v->highest_result) v->highest_result = result;
}

/* The highest id of any file or of any row so far; ids up to it are never used again. */
static uint64_t salvage_highest(salvaging *v, const char *table, uint64_t of_files) {
    database *db = v->server->db;
    uint64_t given;
    sqlite3_stmt *q = db_statement(db, "SELECT max(seq) FROM sqlite_sequence WHERE name = ?");
    db_bind_text(q, 1, table);
    if (!db_number(db, q, &given)) v->batch.failed = true;
    batch_sequence(&v->batch, table, of_files);
    return given > of_files ? given : of_files;
}

static bool salvage_say(const salvaging *v) {
    database *db = v->server->db;
    uint64_t uploads, results;
    if (!db_number(db, db_statement(db, "SELECT COUNT(*) FROM datasets WHERE state = 'ready'"),
                   &uploads) ||
        !db_number(db, db_statement(db, "SELECT COUNT(*) FROM jobs WHERE bytes > 0"), &results))
        return false;
    fprintf(stderr, "lode: %" PRIu64 " data sets and %" PRIu64 " results are now in the database\n",
            uploads, results);
    return true;
}

bool salvage(server *s, char *why, size_t room) {
    const config *c = s->config;
    const char *lost = folder_lost_path(s->folder);
    salvaging v = {.server = s, .batch = {.db = s->db}};
    bool read = folder_each(c->datasets_dir, salvage_number, &v) &&
                folder_each(c->results_dir, salvage_number, &v);
    if (read && !folder_each(lost, salvage_number, &v) && errno != ENOENT) read = false;
    v.highest_upload = salvage_highest(&v, "datasets", v.highest_upload);
    v.highest_result = salvage_highest(&v, "jobs", v.highest_result);
    batch_store(&v.batch);
    read = read && folder_each(c->datasets_dir, salvage_upload, &v) &&
           folder_each(c->results_dir, salvage_result, &v);
    if (read && !folder_each(lost, salvage_lost, &v) && errno != ENOENT) read = false;
    batch_store(&v.batch);
    if (!read) {
        snprintf(why, room, "the folder %s cannot be read: %s", c->data, strerror(errno));
    } else if (v.batch.failed || !salvage_say(&v)) {
        snprintf(why, room, "cannot restore the files: %s", db_message(s->db));
        read = false;
    }
    return read;
}
