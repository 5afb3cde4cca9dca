/* outfile.c - see outfile.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"

#define OUTFILE_STDOUT 1 /* its descriptor */
#define OUTFILE_TRIES  100
/* Room after each name for ".tmp.PID.TRY" or a suffix, and the closing zero. */
#define OUTFILE_ROOM (OUTFILE_SUFFIX_MAX + 1)

/* ---- temporary files, for a process that has to end at once --------------------------------- */

#define OUTFILE_NOTED 16 /* outfile_abandon_all() removes this many files; others stay */

enum { NOTE_FREE, NOTE_WRITTEN, NOTE_VALID, NOTE_REMOVED };

/* Copies of the names, because a signal handler may read one while its outfile is being freed. */
static struct outfile_note {
    _Atomic int state;
    char path[OS_PATH_BYTES];
} outfile_notes[OUTFILE_NOTED];

static void outfile_note_temp(outfile *f) {
    size_t bytes = strlen(f->temp) + 1;
    f->note = -1;
    if (bytes > OS_PATH_BYTES) return;
    for (int i = 0; i < OUTFILE_NOTED; i++) {
        struct outfile_note *note = &outfile_notes[i];
        int free = NOTE_FREE;
        if (!atomic_compare_exchange_strong(&note->state, &free, NOTE_WRITTEN)) continue;
        memcpy(note->path, f->temp, bytes);
        atomic_store(&note->state, NOTE_VALID);
        f->note = i;
        return;
    }
}

static void outfile_forget_temp(const outfile *f) {
    int valid = NOTE_VALID;
    if (f->note >= 0) {
        atomic_compare_exchange_strong(&outfile_notes[f->note].state, &valid, NOTE_FREE);
    }
}

void outfile_abandon_all(void) {
    for (int i = 0; i < OUTFILE_NOTED; i++) {
        int valid = NOTE_VALID;
        struct outfile_note *note = &outfile_notes[i];
        if (atomic_compare_exchange_strong(&note->state, &valid, NOTE_REMOVED)) {
            os_remove(note->path);
        }
    }
}

/* ---- opening -------------------------------------------------------------------------------- */

static lode_status outfile_fail(outfile *f) {
    f->error = errno;
    return LODE_IO;
}

/* Checked at open, because rename() may come hours later. */
static bool outfile_is_directory(const char *path) {
    int fd = os_open_read(path);
    if (fd < 0) return false;
    bool directory = os_is_directory(fd);
    os_close(fd);
    return directory;
}

static lode_status outfile_open_temporary(outfile *f) {
    size_t n = strlen(f->final);
    if (outfile_is_directory(f->final)) {
        errno = EISDIR;
        return outfile_fail(f);
    }
    memcpy(f->temp, f->final, n);
    snprintf(f->temp + n, OUTFILE_ROOM, ".tmp.%u", os_process_id());
    f->fd = os_open_exclusive(f->temp);
    for (unsigned i = 1; f->fd < 0 && errno == EEXIST && i < OUTFILE_TRIES; i++) {
        snprintf(f->temp + n, OUTFILE_ROOM, ".tmp.%u.%u", os_process_id(), i);
        f->fd = os_open_exclusive(f->temp);
    }
    if (f->fd < 0) return outfile_fail(f);
    outfile_note_temp(f);
    os_copy_mode(f->final, f->fd); /* what replaces a private file must be private, too */
    return LODE_OK;
}

static lode_status outfile_open_in_place(outfile *f) {
    f->temp = NULL;
    f->fd = os_open_write(f->final);
    return f->fd < 0 ? outfile_fail(f) : LODE_OK;
}

static void outfile_free_names(outfile *f) {
    mem_free(f->mem, f->final, f->name_bytes);
    f->final = f->temp = NULL;
    f->name_bytes = 0;
}

lode_status outfile_open(outfile *f, mem *m, const char *path) {
    char target[OS_PATH_BYTES];
    *f = (outfile)OUTFILE_INIT;
    f->mem = m;
    if (strcmp(path, "-") == 0) { /* never a file or a link of that name */
        f->fd = OUTFILE_STDOUT;
        return LODE_OK;
    }
    if (os_link_target(path, target)) path = target; /* replaces the target, not the link */
    size_t n = strlen(path);
    if (n == 0) {
        errno = ENOENT;
        return outfile_fail(f);
    }
    size_t bytes = 2 * (n + OUTFILE_ROOM);
    lode_status status = mem_resize(m, (void **)&f->final, 0, bytes);
    if (status != LODE_OK) return status;
    f->name_bytes = bytes;
    f->temp = f->final + n + OUTFILE_ROOM;
    memcpy(f->final, path, n + 1);
    status = os_is_special(path) ? outfile_open_in_place(f) : outfile_open_temporary(f);
    if (status != LODE_OK) outfile_free_names(f);
    return status;
}

/* ---- writing and ending --------------------------------------------------------------------- */

lode_status outfile_write(outfile *f, const void *bytes, size_t n) {
    return os_write(f->fd, bytes, n) ? LODE_OK : outfile_fail(f);
}

/* Closes the descriptor, whatever happens. */
static lode_status outfile_close(outfile *f, bool sync) {
    lode_status status = LODE_OK;
    if (sync && !os_sync(f->fd)) status = outfile_fail(f);
    if (f->final && !os_close(f->fd) && status == LODE_OK) status = outfile_fail(f);
    f->fd = -1;
    return status;
}

lode_status outfile_commit(outfile *f, const char *suffix) {
    lode_status status = LODE_OK;
    LODE_TRY(outfile_close(f, f->temp && !suffix));
    if (!f->temp) goto done;
    if (suffix) {
        size_t n = strlen(suffix);
        if (n > OUTFILE_SUFFIX_MAX) LODE_LEAVE(LODE_INVALID);
        memcpy(f->final + strlen(f->final), suffix, n + 1);
    }
    if (!os_rename(f->temp, f->final)) LODE_LEAVE(outfile_fail(f));
    if (!suffix) os_sync_folder(f->final); /* or a crash could undo the rename */
done:
    if (status != LODE_OK && f->temp) os_remove(f->temp);
    outfile_forget_temp(f);
    outfile_free_names(f);
    return status;
}

void outfile_discard(outfile *f) {
    if (f->fd < 0) return;
    if (f->final) os_close(f->fd);
    f->fd = -1;
    if (f->temp) os_remove(f->temp);
    outfile_forget_temp(f);
    outfile_free_names(f);
}
