/* os.h - everything lode asks of the operating system, in one place
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OS_H
#define LODE_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fresh zeroed pages; NULL on failure. */
void *os_pages_alloc(size_t bytes);
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes);
void os_pages_free(void *pages, size_t bytes);

/* Address space that costs memory only where it is touched; NULL on failure. Freed as pages. */
void *os_space_reserve(size_t bytes);
/* Asks for large pages where the system has them; a hint. */
void os_pages_prefer_huge(void *pages, size_t bytes);
/* Makes the whole pages among these bytes resident in one go, which is cheaper than at the first
 * touch of each; a hint. */
void os_pages_populate(void *start, size_t bytes);

unsigned os_cpu_count(void);
uint64_t os_memory_free(void);          /* bytes that can be had without swapping; 0 if unknown */
uint64_t os_memory_resident_peak(void); /* the most the process has had in memory; 0 if unknown */
double os_seconds(void);                /* a steady clock */
double os_thread_seconds(void);         /* CPU time of this thread */
void os_pause(unsigned microseconds);

/* Files. Functions return -1 (or NULL) on failure and leave the reason in errno. */
int os_open_read(const char *path);         /* "-" = standard input */
bool os_file_size(int fd, uint64_t *bytes); /* false unless it is a regular file */
bool os_is_directory(int fd);
bool os_is_terminal(int fd);
bool os_disk_free(int fd, uint64_t *bytes); /* where the file is, for this user */
int64_t os_seek(int fd, uint64_t offset);
int64_t os_read(int fd, void *buffer, size_t bytes); /* 0 = end; may be interrupted: EINTR */
bool os_wait_input(int fd, unsigned milliseconds);   /* false: nothing to read came until then */
bool os_write(int fd, const void *buffer, size_t bytes); /* all of it, or false */
int os_open_write(const char *path);                     /* creates or truncates */
int os_open_exclusive(const char *path);                 /* creates; fails if it exists */
/* A file without a name, for reading and writing, in the folder of `near` or, if that is NULL or
 * does not work, where the system keeps such files. */
int os_open_scratch(const char *near);
bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset); /* all of it, or false */
bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
void os_copy_mode(const char *from, int fd); /* who may read and write it; if `from` exists */
bool os_sync(int fd);
void os_sync_folder(const char *path); /* brings the entry of a file to disk, where that works */
bool os_close(int fd);
bool os_rename(const char *from, const char *to);
void os_remove(const char *path);      /* also in a signal handler */
bool os_make_folder(const char *path); /* fine if it exists */
/* Whether the path names something that must be written in place: a device, a pipe, a socket. */
bool os_is_special(const char *path);
#define OS_PATH_BYTES 4096
/* Where a symbolic link leads in the end; false if the path is none, or leads nowhere. */
bool os_link_target(const char *path, char target[OS_PATH_BYTES]);
unsigned os_process_id(void);
bool os_random(void *bytes,
               size_t n); /* that nobody can foresee, up to 256; false: there are none */
/* Whether the system has a driver for NVIDIA GPUs running. Costs nothing, where asking the driver
 * itself takes tens of milliseconds. */
bool os_has_gpu_driver(void);

#endif
