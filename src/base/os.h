/* os.h - everything lode asks of the operating system, in one place
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_OS_H
#define LODE_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OS_PATH_BYTES 4096

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

unsigned os_cpu_count(void);
uint64_t os_memory_free(void);          /* bytes available without swapping; 0 if unknown */
uint64_t os_memory_resident_peak(void); /* the most bytes of the process in memory; 0 if unknown */
double os_seconds(void);                /* a steady clock */
double os_thread_seconds(void);         /* CPU time of this thread */
void os_pause(unsigned microseconds);

/* Files. Functions return -1 (or NULL) on failure and leave the reason in errno. */
int os_open_read(const char *path);         /* "-" = standard input */
bool os_file_size(int fd, uint64_t *bytes); /* false unless it is a regular file */
bool os_is_directory(int fd);
bool os_is_terminal(int fd);
bool os_disk_free(int fd, uint64_t *bytes); /* left for this user on the disk of the file */
int64_t os_seek(int fd, uint64_t offset);
int64_t os_read(int fd, void *buffer, size_t bytes);     /* 0 = end; may be interrupted: EINTR */
bool os_wait_input(int fd, unsigned milliseconds);       /* false: nothing to read in that time */
bool os_write(int fd, const void *buffer, size_t bytes); /* all of it, or false */
int os_open_write(const char *path);                     /* creates or truncates */
int os_open_exclusive(const char *path);                 /* creates; fails if it exists */
int os_open_update(const char *path);                    /* to read and write; it must exist */
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
bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset); /* all of it, or false */
bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
/* A whole file, to be read; NULL on failure. Only pages that are touched are read, until
 * os_map_read_ahead() says that much of it will be. */
const void *os_map_file(int fd, size_t bytes);
void os_map_read_ahead(const void *start, size_t bytes);
void os_map_free(const void *start, size_t bytes);
void os_copy_mode(const char *from, int fd); /* copies the permissions of `from`, if it exists */
bool os_sync(int fd);
void os_sync_folder(const char *path); /* brings the folder entry of a file to disk, if possible */
bool os_close(int fd);
bool os_rename(const char *from, const char *to);
void os_remove(const char *path);      /* also in a signal handler */
bool os_make_folder(const char *path); /* fine if it exists */
/* Whether the path is something that must be written in place: a device, a pipe, a socket. */
bool os_is_special(const char *path);
/* The final target of a symbolic link; false if the path is not a link, or leads nowhere. */
bool os_link_target(const char *path, char target[OS_PATH_BYTES]);
unsigned os_process_id(void);
/* Fills in up to 256 unpredictable bytes; false if the system has none. */
bool os_random(void *bytes, size_t n);
/* Whether the system runs a driver for NVIDIA GPUs. Costs nothing, whereas asking the driver itself
 * takes tens of milliseconds. */
bool os_has_gpu_driver(void);

#endif
