/* os.h - all operating system calls of lode, except those of host.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OS_H
#define LODE_BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_PATH_BYTES 4096
#define OS_NEW_MODE   0666 /* permissions of a new file, before umask */

/* Zeroed pages; NULL on failure. */
void *os_pages_alloc(size_t bytes);
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes);
void os_pages_free(void *pages, size_t bytes);

/* Reserves address space; pages cost memory only when they are touched. NULL on failure. Free it
 * like pages. */
void *os_space_reserve(size_t bytes);
/* Asks for huge pages if the system has them; a hint. */
void os_pages_prefer_huge(void *pages, size_t bytes);
/* Makes the pages inside this range resident at once, which is cheaper than a page fault for each;
 * a hint. */
void os_pages_populate(void *start, size_t bytes);

uint64_t os_memory_resident_peak(void); /* peak resident bytes of the process; 0 if unknown */
double os_seconds(void);                /* monotonic clock */
double os_thread_seconds(void);         /* CPU time of this thread */
void os_pause(unsigned microseconds);

/* Files. Functions return -1 (or NULL) on failure and leave the reason in errno. */
int os_open_read(const char *path);         /* "-" = standard input */
bool os_file_size(int fd, uint64_t *bytes); /* false unless it is a regular file */
/* The size of a file, and its last modification; false unless it is a regular file. */
typedef struct os_stamp {
    uint64_t bytes;
    int64_t seconds, nanoseconds;
} os_stamp;
bool os_file_stamp(int fd, os_stamp *out);
bool os_is_directory(int fd);
bool os_is_terminal(int fd);
bool os_disk_free(int fd, uint64_t *bytes); /* available to this user on the disk of the file */
int64_t os_seek(int fd, uint64_t offset);
int64_t os_read(int fd, void *buffer, size_t bytes);     /* 0 = end; may be interrupted: EINTR */
bool os_wait_input(int fd, unsigned milliseconds);       /* false: no input within that time */
bool os_write(int fd, const void *buffer, size_t bytes); /* all of it, or false */
/* os_write() and os_write_at() call it first, on any thread; false refuses: EDQUOT. NULL = none. */
typedef bool (*os_take_fn)(void *user, uint64_t bytes);
void os_limit_writes(os_take_fn take, void *user);
/* Creates a file, for reading and writing; fails if the name exists, even as a link. */
int os_open_exclusive(const char *path, unsigned mode);
/* Opens an existing regular file, to read and, with `writes`, to write. Links: ELOOP. */
int os_open_plain(const char *path, bool writes);
/* Locks the file for this process until it is closed; false if another process has it. */
bool os_lock(int fd);
bool os_cut(int fd, uint64_t bytes); /* truncates a file */
/* An unnamed file, for reading and writing: in TMPDIR if that is set, and then nowhere else;
 * otherwise in the folder of the file `near` or, if that fails or is NULL, in /tmp. `folder`
 * receives the folder used or, on failure, tried. */
int os_open_scratch(const char *near, char folder[OS_PATH_BYTES]);
int os_open_scratch_in(const char *folder); /* the same in this folder, and nowhere else */
/* The number of files that this process may still open (ulimit -n), counted up to `most`. */
size_t os_files_left(size_t most);
/* Reads everything, or returns false; ENODATA: the file is too short. */
bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset);
bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
/* Maps a whole file for reading; NULL on failure. Only pages that are touched are read, until
 * os_map_read_ahead() announces that much of it will be. */
const void *os_map_file(int fd, size_t bytes);
void os_map_read_ahead(const void *start, size_t bytes);
void os_map_free(const void *start, size_t bytes);
size_t os_page_bytes(void);
/* Replaces mapped pages by zeros, from a page start on; safe in a signal handler. */
bool os_map_zeros(uintptr_t start, size_t bytes);
void os_set_mode(int fd, unsigned mode); /* permissions, if possible */
bool os_sync(int fd);
void os_sync_folder(const char *path); /* syncs the folder entry of a file to disk, if possible */
bool os_close(int fd);
bool os_rename(const char *from, const char *to);
bool os_rename_new(const char *from, const char *to); /* fails if `to` exists: EEXIST */
bool os_is_same(const char *path, int fd);            /* whether the path still names this file */
void os_remove(const char *path);                     /* safe in a signal handler */
bool os_make_folder(const char *path);                /* true if it exists already */
/* Whether the path must be written in place: a device, a pipe, a socket. */
bool os_is_special(const char *path);
/* What exists at the path of an output. */
typedef struct os_place {
    char path[OS_PATH_BYTES]; /* after following links */
    bool in_place;            /* not a regular file, or a name such as /dev/stdout */
    bool replaces;            /* an existing file with the permissions `mode` */
    unsigned mode;
} os_place;

/* Checks the path of an output. With `follow`, a link stands for its target, whether that exists or
 * not; otherwise for itself. False: nothing can be written there, errno says why. */
bool os_find_place(const char *path, bool follow, os_place *out);
int os_open_in_place(const char *path); /* opens an existing output for writing */
unsigned os_process_id(void);
/* Fills in up to 256 unpredictable bytes; false if the system has none. */
bool os_random(void *bytes, size_t n);
/* Whether the system runs a driver for NVIDIA GPUs. Costs nothing, while calling the driver itself
 * takes tens of milliseconds. */
bool os_has_gpu_driver(void);

/* ---- condition variables with timeouts on the monotonic clock -------------------------------- */

/* Why:   by default, timeouts use the wall clock. If that is set back by an hour, a wait of 20 ms
 *        lasts an hour. */

/* Makes a condition variable for cond_wait_for(); pthread_cond_destroy() frees it. */
void cond_init(pthread_cond_t *cond);
/* Waits for a signal, at most this long. It may return early, as pthread_cond_wait() may. */
void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds);

#endif
