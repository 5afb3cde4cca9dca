/* mapped.h - maps files for reading, even if other programs may truncate them
 *
 * Why:   reading beyond the end of a file that was truncated, or a disk error, raises SIGBUS, which
 *        ends the process.
 * How:   mapped_guard() installs a signal handler. The handler finds the mapping that contains the
 *        address, replaces the unreadable page and all later pages by zeros, and marks the mapping
 *        as lost. Reads then continue with zeros. mapped_check() later reports that the data read
 *        cannot be trusted.
 * Rules: the bytes of a mapping may change between any two reads. To use a number as an index or a
 *        length, read the number once (MAPPED_READ) and check the value that was read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MAPPED_H
#define LODE_BASE_MAPPED_H

#include <stdatomic.h>

#include "base/os.h"

/* Reads a number of a mapping exactly once. */
#define MAPPED_READ(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)

typedef struct mapped_slot {
    _Atomic uintptr_t start, end; /* 0: this slot has no mapping */
    _Atomic bool lost;
} mapped_slot;

typedef struct mapped {
    const unsigned char *bytes; /* NULL: no file is mapped */
    size_t n;
    int fd;
    os_stamp stamp; /* the stamp of the file when the file was mapped */
    mapped_slot *slot;
} mapped;

/* Maps a whole file, and takes ownership of `fd`. Returns false on failure: errno has the reason
 * (EMFILE: too many files are mapped), and the caller keeps `fd`. */
bool mapped_open(mapped *m, int fd, const os_stamp *stamp);
void mapped_close(mapped *m); /* does nothing if *m is all zero */

/* Returns whether any read has failed so far. Any thread may call this function. */
static inline bool mapped_is_lost(const mapped *m) {
    return m->slot && atomic_load_explicit(&m->slot->lost, memory_order_relaxed);
}
/* Returns whether all data read so far are the file's contents when the file was opened: no read
 * failed, and the file was not changed. Once the result is false, it stays false. */
bool mapped_check(const mapped *m);

/* Installs the SIGBUS handler, if it is not installed yet. The handler passes faults outside of
 * mappings to the previous handler. Any thread may call this function. */
void mapped_guard(void);

#endif
