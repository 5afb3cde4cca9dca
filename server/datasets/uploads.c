/* uploads.c - see uploads.h
 *
 * The loop checks a slice: its data set, its offset, the disk space. A task thread writes it and,
 * after the last slice, flushes the file to disk, renames it and guesses its kind. The database
 * records a slice after it is written, so after a crash a slice may be written twice, at the same
 * offset, but none is ever missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/uploads.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/datasets.h"
#include "storage/database.h"
#include "storage/discard.h"
#include "storage/disk.h"
#include "system/tasks.h"

/* A slice that is being written. */
typedef struct upload {
    server *server;
    request *request; /* owns the bytes until it is answered */
    uint64_t id, offset, total;
    const char *bytes;
    size_t n;
    bool abandoned;   /* the data set was deleted in the meantime */
    const char *kind; /* kind of the complete file; "": unknown */
    int error;        /* errno of the failure; 0: none */
    bool torn;        /* the file is shorter than recorded: it has only `kept` bytes */
    uint64_t kept;
    char part[FOLDER_PATH_BYTES], data[FOLDER_PATH_BYTES];
    struct upload *next;
} upload;

/* ---- on a task thread ---- */

static bool upload_write(upload *u, int fd) {
    for (size_t done = 0; done < u->n;) {
        ssize_t n = pwrite(fd, u->bytes + done, u->n - done, (off_t)(u->offset + done));
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

/* Flushes the folder, so that the name is on disk. */
static bool upload_sync_folder(const upload *u) {
    const int fd = open(u->server->config->datasets_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool synced = fsync(fd) == 0;
    close(fd);
    return synced;
}

const char *upload_kind(const char *path) {
    lode_job *job = NULL;
    bool graphs = false;
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) return "";
    const bool known = lode_graphs_sniff(job, path, &graphs) == LODE_OK;
    lode_job_free(job);
    return !known ? "" : graphs ? "graphs" : "baskets";
}

/* Renames the file, but never over an existing file. */
static bool upload_name(const upload *u) {
    if (renameat2(AT_FDCWD, u->part, AT_FDCWD, u->data, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL) return false;
    errno = EEXIST; /* the file system does not support the flag */
    return access(u->data, F_OK) != 0 && rename(u->part, u->data) == 0;
}

static bool upload_finish(upload *u, int fd) {
    if (fsync(fd) != 0 || !upload_name(u) || !upload_sync_folder(u)) return false;
    u->kind = upload_kind(u->data);
    return true;
}

/* Opens the file of the upload. Only the first slice creates it: if it is missing or too short,
 * writing a later slice would leave a hole. */
static int upload_open(upload *u) {
    const int make = u->offset == 0 ? O_CREAT : 0;
    const int fd = open(u->part, O_WRONLY | make | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat file = {0};
    if (fd >= 0 && fstat(fd, &file) == 0 && (uint64_t)file.st_size >= u->offset) return fd;
    u->torn = fd >= 0 || errno == ENOENT;
    u->kept = (uint64_t)file.st_size;
    if (fd >= 0) close(fd);
    return -1;
}

/* Whether the last slice was already written and only its row could not be stored. */
static bool upload_is_whole(const upload *u) {
    struct stat file;
    return u->offset + u->n == u->total && access(u->part, F_OK) != 0 &&
           lstat(u->data, &file) == 0 && S_ISREG(file.st_mode) &&
           (uint64_t)file.st_size == u->total;
}

static void upload_work(void *arg) {
    upload *u = arg;
    if (upload_is_whole(u)) {
        u->kind = upload_kind(u->data);
        return;
    }
    const int fd = upload_open(u);
    bool fine = fd >= 0 && upload_write(u, fd);
    if (fine && u->offset + u->n == u->total) fine = upload_finish(u, fd);
    if (!fine) u->error = errno ? errno : EIO;
    if (fd >= 0) close(fd);
}

/* ---- on the loop ---- */

static void upload_unlink(upload *u) {
    upload **at = &u->server->datasets->uploads;
    while (*at && *at != u) at = &(*at)->next;
    if (*at) *at = u->next;
}

static upload *upload_of(const server *s, uint64_t id) {
    upload *u = s->datasets->uploads;
    while (u && u->id != id) u = u->next;
    return u;
}

/* The change that records a slice. */
static db_change *upload_change(const upload *u) {
    if (u->offset + u->n == u->total) return dataset_ready(u->id, u->total, u->kind);
    db_change *c = db_change_new("UPDATE datasets SET received = ?, used = ? WHERE id = ?");
    db_change_count(c, u->offset + u->n);
    db_change_real(c, db_now());
    db_change_count(c, u->id);
    return c;
}

static void upload_reply_failed(upload *u) {
    if (u->error == ENOSPC || u->error == EDQUOT || u->error == EFBIG) {
        reply_error(u->request, 507, "unavailable",
                    "The server's disk is full; delete data sets that are not needed.");
    } else {
        reply_error(u->request, 503, "unavailable", "The server could not write the file: %s.",
                    strerror(u->error));
    }
}

static void upload_abandoned(upload *u) {
    discard_file(u->server, u->part);
    discard_file(u->server, u->data);
    reply_error(u->request, 404, "notfound", "The data set was deleted in the meantime.");
}

static void upload_noted(void *user, const db_outcome *outcome) {
    upload *u = user;
    upload_unlink(u);
    if (u->abandoned || (outcome->stored && outcome->rows == 0)) {
        upload_abandoned(u);
    } else if (!outcome->stored) {
        reply_unstored(u->request, outcome);
    } else {
        const uint64_t received = u->offset + u->n;
        reply_json(u->request, 200,
                   json_pack("{s:I, s:s}", "received", (json_int_t)received, "state",
                             received == u->total ? "ready" : "uploading"));
    }
    free(u);
}

/* Answers 409 with the offset where the client must continue. */
static void upload_conflict(request *r, uint64_t received, const char *message) {
    reply_json(r, 409,
               json_pack("{s:{s:s, s:s}, s:I}", "error", "code", "conflict", "message", message,
                         "received", (json_int_t)received));
}

/* A part of the file is lost: the client continues at its end. */
static void upload_tear_noted(void *user, const db_outcome *outcome) {
    upload *u = user;
    upload_unlink(u);
    if (outcome->stored) {
        upload_conflict(
            u->request, u->kept,
            "The server lost a part of the file; continue the upload at the byte in 'received'.");
    } else {
        reply_unstored(u->request, outcome);
    }
    free(u);
}

static void upload_done(void *arg) {
    upload *u = arg;
    if (u->torn && !u->abandoned) {
        db_change *c = db_change_new("UPDATE datasets SET received = ? WHERE id = ?");
        db_change_count(c, u->kept);
        db_change_count(c, u->id);
        db_send(u->server->db, c, upload_tear_noted, u);
        return;
    }
    if (!u->abandoned && !u->error) {
        db_send(u->server->db, upload_change(u), upload_noted, u);
        return;
    }
    upload_unlink(u);
    if (u->abandoned) {
        upload_abandoned(u);
    } else {
        upload_reply_failed(u);
    }
    free(u);
}

void uploads_abandon(server *s, uint64_t id) {
    upload *u = upload_of(s, id);
    if (u) u->abandoned = true;
}

/* Hands a slice to a task thread. */
static void upload_start(server *s, request *r, const upload *slice) {
    upload *u = malloc(sizeof *u);
    if (!u) {
        reply_error(r, 503, "unavailable",
                    "The server is out of memory; send this part of the file again later.");
        return;
    }
    *u = *slice;
    u->server = s;
    u->request = r;
    dataset_path(s, u->id, true, u->part);
    dataset_path(s, u->id, false, u->data);
    u->next = s->datasets->uploads;
    s->datasets->uploads = u;
    if (tasks_add_for(s->tasks, request_client(r), upload_work, upload_done, u)) return;
    upload_unlink(u);
    free(u);
    reply_error(r, 503, "unavailable",
                "The server is busy; send this part of the file again in a moment.");
}

/* Whether this slice is the next one and fits. If not, the request has been answered. */
static bool upload_fits(server *s, request *r, const dataset *d, uint64_t offset, size_t n) {
    char message[256];
    if (!d->state || strcmp(d->state, "uploading") != 0) {
        upload_conflict(r, d->received, "This upload is already complete.");
    } else if (upload_of(s, d->id)) {
        upload_conflict(r, d->received, "Another part of this file is being written.");
    } else if (offset != d->received) {
        snprintf(message, sizeof message,
                 "The next part of the file must start at byte %" PRIu64 ", not at %" PRIu64 ".",
                 d->received, offset);
        upload_conflict(r, d->received, message);
    } else if (n > d->bytes - d->received) {
        reply_error(r, 413, "toolarge",
                    "This part exceeds the announced file size of %" PRIu64 " bytes.", d->bytes);
    } else if (!(disk_is_reserved(d)
                     ? disk_free(s, n, message, sizeof message)
                     : disk_room(s, d->bytes - d->received, message, sizeof message))) {
        reply_error(r, 507, "unavailable", "%s", message);
    } else {
        return true;
    }
    return false;
}

void uploads_put(server *s, request *r) {
    uint64_t range[2] = {0, INT64_MAX}, offset;
    size_t n;
    dataset d;
    const char *bytes = request_bytes(r, &n);
    if (strcmp(request_type(r), "application/octet-stream") != 0) {
        reply_error(r, 415, "type",
                    "A part of a file must have Content-Type: application/octet-stream.");
        return;
    }
    if (!request_value(r, "offset")) {
        reply_error(r, 400, "invalid", "offset is missing: the position of this part in the file.");
        return;
    }
    if (!request_count(r, "offset", range, 0, &offset)) return;
    if (n == 0 || n > DATASET_SLICE) {
        reply_error(r, n ? 413 : 400, n ? "toolarge" : "invalid",
                    "A part of a file must have 1 to %d bytes.", DATASET_SLICE);
        return;
    }
    if (!dataset_of(s, r, false, &d)) return;
    if (upload_fits(s, r, &d, offset, n)) {
        upload_start(
            s, r,
            &(upload){.id = d.id, .offset = offset, .total = d.bytes, .bytes = bytes, .n = n});
    }
    dataset_clear(&d);
}
