/* mapped.h - files mapped for reading that may be truncated meanwhile
 *
 * Why:   reading beyond the end of a file that was truncated, or a disk error, raises SIGBUS, which
 *        ends the process.
 * How:   mapped_guard() installs a handler. It finds the mapping of the address, replaces the
 *        unreadable page and all pages after it by zeros, and marks the mapping as lost. Reads then
 *        continue with zeros; mapped_check() later says that they cannot be trusted.
 * Rules: the bytes of a mapping may change between any two reads. To use one as an index or a
 *        length, read it once (MAPPED_READ) and check the value that was read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MAPPED_H
#define LODE_BASE_MAPPED_H

#include <stdatomic.h>

#include "base/os.h"

/* Reads a number of a mapping exactly once. */
#define MAPPED_READ(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)

typedef struct mapped_slot {
    _Atomic uintptr_t start, end; /* 0: nothing is mapped here */
    _Atomic bool lost;
} mapped_slot;

typedef struct mapped {
    const unsigned char *bytes; /* NULL: nothing is mapped */
    size_t n;
    int fd;
    os_stamp stamp; /* of the file when it was mapped */
    mapped_slot *slot;
} mapped;

/* Maps a whole file, and takes ownership of `fd`. False: errno says why, and `fd` stays the
 * caller's. EMFILE: too many files are mapped. */
bool mapped_open(mapped *m, int fd, const os_stamp *stamp);
void mapped_close(mapped *m); /* all zero: does nothing */

/* Whether a read has failed so far. Any thread. */
static inline bool mapped_is_lost(const mapped *m) {
    return m->slot && atomic_load_explicit(&m->slot->lost, memory_order_relaxed);
}
/* Whether everything read so far is what the file had when it was opened: no read failed, and the
 * file was not changed. Once false, it stays false. */
bool mapped_check(const mapped *m);

/* Installs the SIGBUS handler, if it is not installed yet. Faults elsewhere go to the previous
 * handler. Any thread. */
void mapped_guard(void);

#endif
