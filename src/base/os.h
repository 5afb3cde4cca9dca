/* os.h - what lode asks of the operating system, in one place; how much there is: host.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OS_H
#define LODE_BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_PATH_BYTES 4096
#define OS_NEW_MODE   0666 /* permissions of a new file, less those of the umask */

/* Zeroed pages; NULL on failure. */
void *os_pages_alloc(size_t bytes);
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes);
void os_pages_free(void *pages, size_t bytes);

/* Address space that costs memory only where it is touched; NULL on failure. Freed as pages. */
void *os_space_reserve(size_t bytes);
/* Asks for large pages where the system has them; a hint. */
void os_pages_prefer_huge(void *pages, size_t bytes);
/* Makes the whole pages among these bytes resident at once, which is cheaper than a page fault for
 * each; a hint. */
void os_pages_populate(void *start, size_t bytes);

uint64_t os_memory_resident_peak(void); /* the most bytes of the process in memory; 0 if unknown */
double os_seconds(void);                /* a steady clock */
double os_thread_seconds(void);         /* CPU time of this thread */
void os_pause(unsigned microseconds);

/* Files. Functions return -1 (or NULL) on failure and leave the reason in errno. */
int os_open_read(const char *path);         /* "-" = standard input */
bool os_file_size(int fd, uint64_t *bytes); /* false unless it is a regular file */
/* The size of a file, and when it was changed last; false unless it is a regular file. */
typedef struct os_stamp {
    uint64_t bytes;
    int64_t seconds, nanoseconds;
} os_stamp;
bool os_file_stamp(int fd, os_stamp *out);
bool os_is_directory(int fd);
bool os_is_terminal(int fd);
bool os_disk_free(int fd, uint64_t *bytes); /* left for this user on the disk of the file */
int64_t os_seek(int fd, uint64_t offset);
int64_t os_read(int fd, void *buffer, size_t bytes);     /* 0 = end; may be interrupted: EINTR */
bool os_wait_input(int fd, unsigned milliseconds);       /* false: nothing to read in that time */
bool os_write(int fd, const void *buffer, size_t bytes); /* all of it, or false */
/* os_write() and os_write_at() ask first, from any thread; false refuses: EDQUOT. NULL = nobody. */
typedef bool (*os_take_fn)(void *user, uint64_t bytes);
void os_limit_writes(os_take_fn take, void *user);
/* Makes a file, to read and write; fails if anything has that name, a link as well. */
int os_open_exclusive(const char *path, unsigned mode);
/* A regular file that exists, to read and, if so, to write. Links are not followed: ELOOP. */
int os_open_plain(const char *path, bool writes);
/* Takes the file for this process alone, until it is closed; false if another one has it. */
bool os_lock(int fd);
bool os_cut(int fd, uint64_t bytes); /* shortens a file to so many */
/* A file without a name, for reading and writing: in TMPDIR, if there is such a wish, and then
 * nowhere else; or in the folder of the file `near`; or, if that fails or is NULL, in /tmp. The
 * `folder` is where it is or, on failure, where it should have been. */
int os_open_scratch(const char *near, char folder[OS_PATH_BYTES]);
int os_open_scratch_in(const char *folder); /* the same in this folder, and nowhere else */
/* How many more files this process may open (ulimit -n), counted up to `most`. */
size_t os_files_left(size_t most);
/* All of it, or false; ENODATA: the file ends before. */
bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset);
bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
/* A whole file, to be read; NULL on failure. Only pages that are touched are read, until
 * os_map_read_ahead() says that much of it will be. */
const void *os_map_file(int fd, size_t bytes);
void os_map_read_ahead(const void *start, size_t bytes);
void os_map_free(const void *start, size_t bytes);
size_t os_page_bytes(void);
/* Puts zeros in place of what is mapped, from the start of a page on; also in a signal handler. */
bool os_map_zeros(uintptr_t start, size_t bytes);
void os_set_mode(int fd, unsigned mode); /* permissions, if possible */
bool os_sync(int fd);
void os_sync_folder(const char *path); /* brings the folder entry of a file to disk, if possible */
bool os_close(int fd);
bool os_rename(const char *from, const char *to);
bool os_rename_new(const char *from, const char *to); /* fails if `to` exists: EEXIST */
bool os_is_same(const char *path, int fd);            /* the path is still the name of this file */
void os_remove(const char *path);                     /* also in a signal handler */
bool os_make_folder(const char *path);                /* fine if it exists */
/* Whether the path is something that must be written in place: a device, a pipe, a socket. */
bool os_is_special(const char *path);
/* What stands where an output is to go. */
typedef struct os_place {
    char path[OS_PATH_BYTES]; /* behind all links */
    bool in_place;            /* it is no regular file, or a name such as /dev/stdout */
    bool replaces;            /* a file with the permissions `mode` */
    unsigned mode;
} os_place;

/* Looks there. With `follow`, a link stands for what it leads to, be it there or not; without, for
 * itself. False: nothing can be written there, errno says why. */
bool os_find_place(const char *path, bool follow, os_place *out);
int os_open_in_place(const char *path); /* to write what is there */
unsigned os_process_id(void);
/* Fills in up to 256 unpredictable bytes; false if the system has none. */
bool os_random(void *bytes, size_t n);
/* Whether the system runs a driver for NVIDIA GPUs. Costs nothing, whereas asking the driver itself
 * takes tens of milliseconds. */
bool os_has_gpu_driver(void);

/* ---- condition variables whose waits end by the steady clock --------------------------------- */

/* Why:   by default, a wait with an end goes by the clock of the day. If somebody sets that back by
 *        an hour, a wait of 20 ms lasts an hour. */

/* Makes one that cond_wait_for() may wait for; pthread_cond_destroy() ends it. */
void cond_init(pthread_cond_t *cond);
/* Waits for a signal, but no longer than this. It may return early, as pthread_cond_wait() may. */
void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds);

#endif
