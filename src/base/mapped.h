/* mapped.h - files that are mapped to be read, and may be cut meanwhile
 *
 * Why:   reading beyond the end of a file that has become shorter, or where the disk fails, is
 *        SIGBUS, which ends the process.
 * How:   mapped_guard() installs a handler. It looks for the address among the mappings of this
 *        process, replaces the page that cannot be read and all behind it by zeros, and notes that
 *        the mapping is lost. What is read goes on with zeros; mapped_check() tells later that they
 *        cannot be trusted.
 * Rules: the bytes of a mapping may change between any two reads. Whoever uses one as an index or a
 *        length reads it once, and checks what was read (MAPPED_READ).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_MAPPED_H
#define LODE_BASE_MAPPED_H

#include <stdatomic.h>

#include "base/os.h"

/* Reads a number of a mapping once: the compiler does not look again. */
#define MAPPED_READ(number) __atomic_load_n(&(number), __ATOMIC_RELAXED)

typedef struct mapped_slot {
    _Atomic uintptr_t start, end; /* 0: nothing is mapped here */
    _Atomic bool lost;
} mapped_slot;

typedef struct mapped {
    const unsigned char *bytes; /* NULL: nothing is mapped */
    size_t n;
    int fd;
    os_stamp stamp; /* of the file, when it was mapped */
    mapped_slot *slot;
} mapped;

/* Maps a whole file, and takes `fd` over. False: errno says why, and `fd` stays the caller's.
 * EMFILE: very many files are mapped already. */
bool mapped_open(mapped *m, int fd, const os_stamp *stamp);
void mapped_close(mapped *m); /* all zero: does nothing */

/* Whether something could not be read so far. Any thread. */
static inline bool mapped_is_lost(const mapped *m) {
    return m->slot && atomic_load_explicit(&m->slot->lost, memory_order_relaxed);
}
/* Whether everything that was read until now is what the file had when it was opened: it could be
 * read, and has not been changed. Once false, always. */
bool mapped_check(const mapped *m);

/* Installs the handler of SIGBUS, unless it is installed. Faults elsewhere go to the handler that
 * was there before. Any thread. */
void mapped_guard(void);

#endif
