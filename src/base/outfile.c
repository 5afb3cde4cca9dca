/* outfile.c - see outfile.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/outfile.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"

#define OUTFILE_STDOUT 1    /* its descriptor */
#define OUTFILE_TRIES  1000 /* names that are taken */
/* Room after each name for ".tmp.PID.TRY" or for a suffix and a number, and a terminating zero. */
#define OUTFILE_ROOM (OUTFILE_SUFFIX_MAX + 8)

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

void outfile_tell_all(void (*tell)(void *user, const char *path), void *user) {
    for (int i = 0; i < OUTFILE_NOTED; i++) {
        const struct outfile_note *note = &outfile_notes[i];
        if (atomic_load(&note->state) == NOTE_VALID) tell(user, note->path);
    }
}

/* ---- opening -------------------------------------------------------------------------------- */

static lode_status outfile_fail(outfile *f) {
    f->error = errno;
    return LODE_IO;
}

const char *outfile_remedy(int error) {
    switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return "; the folder must be writable, because lode creates the file there and then "
               "renames it";
    case ENOENT: return "; the folder must exist";
    case ENAMETOOLONG: return "; use a shorter name";
    case EISDIR: return "; name a file, not a folder";
    case EINVAL: return "; it is not a regular file";
    case ELOOP: return "; this link cannot be followed: remove it, or use another name";
    case ESTALE: return "; another process replaced the file";
    default: return "";
    }
}

/* Writes the final name followed by `after`. With `cut`, first shortens the name by the length of
 * the longest ending, at a character boundary. Returns false if the name is too short for that. */
static bool outfile_compose(const outfile *f, char *to, const char *after, bool cut) {
    const char *slash = strrchr(f->final, '/'), *name = slash ? slash + 1 : f->final;
    size_t n = strlen(f->final);
    if (cut && strlen(name) <= OUTFILE_ROOM) return false;
    if (cut) n -= OUTFILE_ROOM;
    while (cut && ((unsigned char)f->final[n] & 0xc0) == 0x80) n--;
    memcpy(to, f->final, n);
    memcpy(to + n, after, strlen(after) + 1);
    return true;
}

typedef bool (*outfile_take)(outfile *f, const char *name);

/* Takes the first free name of PATH + after, PATH + after.2 and so on. */
static bool outfile_take_name(outfile *f, char *to, const char *after, outfile_take take) {
    char more[OUTFILE_ROOM];
    bool cut = false;
    unsigned i = 1;
    snprintf(more, sizeof more, "%s", after);
    while (outfile_compose(f, to, more, cut)) {
        if (take(f, to)) return true;
        if (errno == ENAMETOOLONG && !cut) {
            cut = true;
        } else if (errno == EEXIST && i < OUTFILE_TRIES) {
            snprintf(more, sizeof more, "%s.%u", after, ++i);
        } else {
            return false;
        }
    }
    return false;
}

static bool outfile_take_temp(outfile *f, const char *name) {
    f->fd = os_open_exclusive(name, f->mode);
    return f->fd >= 0;
}

static lode_status outfile_open_temporary(outfile *f) {
    char after[OUTFILE_SUFFIX_MAX + 1];
    snprintf(after, sizeof after, ".tmp.%u", os_process_id());
    if (!outfile_take_name(f, f->temp, after, outfile_take_temp)) return outfile_fail(f);
    outfile_note_temp(f);
    return LODE_OK;
}

static lode_status outfile_open_in_place(outfile *f) {
    f->temp = NULL;
    f->fd = os_open_in_place(f->final);
    return f->fd < 0 ? outfile_fail(f) : LODE_OK;
}

static void outfile_free_names(outfile *f) {
    mem_free(f->mem, f->final, f->name_bytes);
    f->final = f->temp = NULL;
    f->name_bytes = 0;
}

static lode_status outfile_make_names(outfile *f, mem *m, const os_place *place) {
    size_t n = strlen(place->path), bytes = 2 * (n + OUTFILE_ROOM);
    f->mem = m;
    f->mode = place->mode;
    lode_status status = mem_resize(m, (void **)&f->final, 0, bytes);
    if (status != LODE_OK) return status;
    f->name_bytes = bytes;
    f->temp = f->final + n + OUTFILE_ROOM;
    memcpy(f->final, place->path, n + 1);
    return LODE_OK;
}

lode_status outfile_open(outfile *f, mem *m, const char *path, outfile_links links) {
    lode_status status = LODE_OK;
    os_place place;
    *f = (outfile)OUTFILE_INIT;
    if (strcmp(path, "-") == 0) { /* never a file or a link of that name */
        f->fd = OUTFILE_STDOUT;
        return LODE_OK;
    }
    if (!os_find_place(path, links == OUTFILE_FOLLOW, &place)) return outfile_fail(f);
    LODE_TRY(outfile_make_names(f, m, &place));
    LODE_TRY(place.in_place ? outfile_open_in_place(f) : outfile_open_temporary(f));
    if (place.replaces && f->temp) os_set_mode(f->fd, f->mode); /* private stays private */
done:
    if (status != LODE_OK) outfile_free_names(f);
    return status;
}

lode_status outfile_keep(outfile *f, mem *m, const char *path, const char *suffix, bool resume) {
    lode_status status = LODE_OK;
    os_place place;
    *f = (outfile)OUTFILE_INIT;
    if (strlen(suffix) > OUTFILE_SUFFIX_MAX) return LODE_INVALID;
    if (!os_find_place(path, true, &place)) return outfile_fail(f);
    if (place.in_place) {
        errno = EINVAL;
        return outfile_fail(f);
    }
    LODE_TRY(outfile_make_names(f, m, &place));
    outfile_compose(f, f->temp, suffix, false);
    f->keeps = true;
    f->fd = resume ? os_open_plain(f->temp, true) : os_open_exclusive(f->temp, f->mode);
    if (f->fd < 0) LODE_LEAVE(outfile_fail(f));
    if (!resume && place.replaces) os_set_mode(f->fd, f->mode);
    if (!resume) os_sync_folder(f->temp); /* a journal may refer to it soon */
done:
    if (status != LODE_OK) outfile_free_names(f);
    return status;
}

lode_status outfile_check(outfile *f, mem *m, const char *path) {
    os_place place;
    *f = (outfile)OUTFILE_INIT;
    if (strcmp(path, "-") == 0) return LODE_OK;
    if (!os_find_place(path, true, &place)) return outfile_fail(f);
    if (place.in_place) return LODE_OK;
    lode_status status = outfile_open(f, m, path, OUTFILE_FOLLOW);
    outfile_discard(f);
    return status;
}

/* ---- writing and ending --------------------------------------------------------------------- */

lode_status outfile_write(outfile *f, const void *bytes, size_t n) {
    return os_write(f->fd, bytes, n) ? LODE_OK : outfile_fail(f);
}

lode_status outfile_cut(outfile *f, uint64_t n) {
    return os_cut(f->fd, n) && os_seek(f->fd, n) >= 0 ? LODE_OK : outfile_fail(f);
}

/* Closes the descriptor, whatever happens. */
static lode_status outfile_close(outfile *f, bool sync) {
    lode_status status = LODE_OK;
    if (sync && !os_sync(f->fd)) status = outfile_fail(f);
    if (f->final && !os_close(f->fd) && status == LODE_OK) status = outfile_fail(f);
    f->fd = -1;
    return status;
}

static bool outfile_take_partial(outfile *f, const char *name) {
    return os_rename_new(f->temp, name);
}

static bool outfile_rename_partial(outfile *f, const char *suffix) {
    char name[OS_PATH_BYTES + OUTFILE_ROOM];
    if (!outfile_take_name(f, name, suffix, outfile_take_partial)) return false;
    memcpy(f->final, name, strlen(name) + 1);
    return true;
}

lode_status outfile_commit(outfile *f, const char *suffix) {
    lode_status status = LODE_OK;
    if (suffix && strlen(suffix) > OUTFILE_SUFFIX_MAX) return LODE_INVALID;
    if (f->keeps && !os_is_same(f->temp, f->fd)) return outfile_fail(f);
    LODE_TRY(outfile_close(f, f->temp && !suffix));
    if (!f->temp) goto done;
    bool renamed = suffix ? outfile_rename_partial(f, suffix) : os_rename(f->temp, f->final);
    if (!renamed) LODE_LEAVE(outfile_fail(f));
    if (!suffix) os_sync_folder(f->final); /* or a crash could undo the rename */
done:
    if (status != LODE_OK && f->temp && !f->keeps) os_remove(f->temp);
    outfile_forget_temp(f);
    return status;
}

void outfile_discard(outfile *f) {
    if (f->fd >= 0) {
        if (f->final) os_close(f->fd);
        f->fd = -1;
        if (f->temp && !f->keeps) os_remove(f->temp);
        outfile_forget_temp(f);
    }
    if (f->final) outfile_free_names(f);
}
