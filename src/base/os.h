/* os.h - all operating system calls of lode, except those in host.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OS_H
#define LODE_BASE_OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_PATH_BYTES 4096
#define OS_NEW_MODE   0666 /* permissions of a new file, before umask */

/* Allocates zeroed pages; returns NULL on failure. */
void *os_pages_alloc(size_t bytes);
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes);
void os_pages_free(void *pages, size_t bytes);

/* Reserves address space; a page takes memory only after it is touched. Returns NULL on failure.
 * os_pages_free() frees the space. */
void *os_space_reserve(size_t bytes);
/* Asks the system for huge pages. The system may ignore the request. */
void os_pages_prefer_huge(void *pages, size_t bytes);
/* Makes all pages of this range resident, which is cheaper than one page fault per page. The system
 * may ignore the request. */
void os_pages_populate(void *start, size_t bytes);

uint64_t os_memory_resident_peak(void); /* peak resident bytes of the process; 0 if unknown */
double os_seconds(void);                /* time of the monotonic clock */
double os_thread_seconds(void);         /* CPU time of this thread */
void os_pause(unsigned microseconds);

/* The functions for files return -1 (or NULL) on failure and leave the reason in errno. */
int os_open_read(const char *path);         /* "-" = standard input */
bool os_file_size(int fd, uint64_t *bytes); /* returns false unless the file is regular */
/* The size of a file and the time of its last modification. */
typedef struct os_stamp {
    uint64_t bytes;
    int64_t seconds, nanoseconds;
} os_stamp;
/* Fills *out; returns false unless the file is regular. */
bool os_file_stamp(int fd, os_stamp *out);
bool os_is_directory(int fd);
bool os_is_terminal(int fd);
/* free space for this user on the disk that contains the file */
bool os_disk_free(int fd, uint64_t *bytes);
int64_t os_seek(int fd, uint64_t offset);
/* returns 0 at the end of the file; a signal may interrupt it: EINTR */
int64_t os_read(int fd, void *buffer, size_t bytes);
/* returns false if no input came within that time */
bool os_wait_input(int fd, unsigned milliseconds);
bool os_write(int fd, const void *buffer, size_t bytes); /* writes all bytes, or returns false */
/* A function that os_write() and os_write_at() call before writing, on any thread. If it returns
 * false, the write fails with EDQUOT. */
typedef bool (*os_take_fn)(void *user, uint64_t bytes);
/* Sets this function; NULL = there is none. */
void os_limit_writes(os_take_fn take, void *user);
/* Creates a file for reading and writing. Fails if the name exists, even if it is a symbolic
 * link. */
int os_open_exclusive(const char *path, unsigned mode);
/* Opens an existing regular file for reading and, if `writes` is set, for writing. Fails with ELOOP
 * if the path is a symbolic link. */
int os_open_plain(const char *path, bool writes);
/* Locks the file for this process until the file is closed. Returns false if another process holds
 * the lock. */
bool os_lock(int fd);
bool os_cut(int fd, uint64_t bytes); /* truncates a file */
/* Creates an unnamed file for reading and writing. If TMPDIR is set, the file is created there and
 * nowhere else. Otherwise it is created in the folder of the file `near` or, if that fails or
 * `near` is NULL, in /tmp. `folder` receives the folder that was used or, on failure, the last one
 * tried. */
int os_open_scratch(const char *near, char folder[OS_PATH_BYTES]);
int os_open_scratch_in(const char *folder); /* creates an unnamed file in this folder only */
/* Returns how many files this process may still open (ulimit -n), but at most `most`. */
size_t os_files_left(size_t most);
/* Reads all bytes, or returns false. ENODATA: the file is too short. */
bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset);
bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
/* Maps a whole file for reading; returns NULL on failure. The system reads only pages that are
 * touched, until os_map_read_ahead() announces that most pages will be needed. */
const void *os_map_file(int fd, size_t bytes);
void os_map_read_ahead(const void *start, size_t bytes);
void os_map_free(const void *start, size_t bytes);
size_t os_page_bytes(void);
/* Replaces mapped pages by zeros. `start` must be the start of a page. Signal handlers may call
 * this function. */
bool os_map_zeros(uintptr_t start, size_t bytes);
void os_set_mode(int fd, unsigned mode); /* sets the permissions, if possible */
bool os_sync(int fd);
void os_sync_folder(const char *path); /* syncs the folder entry of a file to disk, if possible */
bool os_close(int fd);
bool os_rename(const char *from, const char *to);
bool os_rename_new(const char *from, const char *to); /* fails with EEXIST if `to` exists */
/* returns whether the path still names this file */
bool os_is_same(const char *path, int fd);
void os_remove(const char *path); /* safe in a signal handler */
/* returns true if the folder exists already */
bool os_make_folder(const char *path);
/* Returns whether the path must be written in place because it is a device, a pipe or a socket. */
bool os_is_special(const char *path);
/* Describes what exists at an output path. */
typedef struct os_place {
    char path[OS_PATH_BYTES]; /* the path after symbolic links were followed */
    /* the output is not a regular file, or has a name such as /dev/stdout */
    bool in_place;
    bool replaces; /* a regular file with the permissions `mode` exists */
    unsigned mode;
} os_place;

/* Checks an output path. With `follow`, a symbolic link stands for its target, even if the target
 * does not exist; otherwise the link stands for itself. Returns false if nothing can be written
 * there; errno has the reason. */
bool os_find_place(const char *path, bool follow, os_place *out);
int os_open_in_place(const char *path); /* opens an existing output for writing */
unsigned os_process_id(void);
/* Fills n <= 256 bytes with unpredictable values; returns false if the system has none. */
bool os_random(void *bytes, size_t n);
/* Returns whether the system runs a driver for NVIDIA GPUs. This check takes no noticeable time,
 * whereas calling the driver takes tens of milliseconds. */
bool os_has_gpu_driver(void);

/* ---- condition variables with timeouts on the monotonic clock -------------------------------- */

/* Why: by default, timeouts use the wall clock. If the wall clock is set back by an hour, a wait of
 *      20 ms lasts an hour. */

/* Initialises a condition variable for cond_wait_for(). pthread_cond_destroy() frees it. */
void cond_init(pthread_cond_t *cond);
/* Waits for a signal for at most this many seconds. The function may return early, as
 * pthread_cond_wait() may. */
void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds);

#endif
