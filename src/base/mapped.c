/* mapped.c - see mapped.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#define MAPPED_MOST   4096 /* files at the same time */
#define MAPPED_FILLED 1    /* instead of a start: the slot is being filled in */

/* The table that the signal handler searches. The handler takes no lock: `start` is written last,
 * so a slot whose start is set is complete. */
static mapped_slot mapped_slots[MAPPED_MOST];

/* ---- mappings ------------------------------------------------------------------------------- */

static mapped_slot *mapped_take_slot(const void *start, size_t n) {
    for (size_t i = 0; i < MAPPED_MOST; i++) {
        mapped_slot *slot = &mapped_slots[i];
        uintptr_t free = 0;
        if (!atomic_compare_exchange_strong(&slot->start, &free, MAPPED_FILLED)) continue;
        atomic_store(&slot->lost, false);
        atomic_store(&slot->end, (uintptr_t)start + n);
        atomic_store(&slot->start, (uintptr_t)start);
        return slot;
    }
    errno = EMFILE;
    return NULL;
}

bool mapped_open(mapped *m, int fd, const os_stamp *stamp) {
    size_t n = (size_t)stamp->bytes;
    const void *start = stamp->bytes <= SIZE_MAX ? os_map_file(fd, n) : NULL;
    if (!start) return false;
    mapped_slot *slot = mapped_take_slot(start, n);
    if (!slot) {
        os_map_free(start, n);
        errno = EMFILE;
        return false;
    }
    *m = (mapped){start, n, fd, *stamp, slot};
    return true;
}

void mapped_close(mapped *m) {
    if (!m->bytes) return;
    atomic_store(&m->slot->start, 0);
    os_map_free(m->bytes, m->n);
    os_close(m->fd);
    *m = (mapped){0};
}

bool mapped_check(const mapped *m) {
    os_stamp now = {0};
    if (!m->bytes) return true;
    bool same = os_file_stamp(m->fd, &now) && now.bytes == m->stamp.bytes &&
                now.seconds == m->stamp.seconds && now.nanoseconds == m->stamp.nanoseconds;
    if (!same) atomic_store(&m->slot->lost, true);
    return !mapped_is_lost(m);
}

/* ---- the handler ---------------------------------------------------------------------------- */

static struct sigaction mapped_before; /* what SIGBUS did */
static size_t mapped_page;             /* bytes of a page */
static _Atomic bool mapped_was_sent;
static _Atomic uintptr_t mapped_passing; /* the thread that calls the handler before this one */

static mapped_slot *mapped_find(uintptr_t at) {
    for (size_t i = 0; i < MAPPED_MOST; i++) {
        mapped_slot *slot = &mapped_slots[i];
        uintptr_t start = atomic_load(&slot->start);
        if (start <= MAPPED_FILLED || at < start || at >= atomic_load(&slot->end)) continue;
        if (atomic_load(&slot->start) == start) return slot; /* the slot was not reused meanwhile */
    }
    return NULL;
}

/* Zeros from a page on to the end of its mapping. */
static bool mapped_blank(mapped_slot *slot, uintptr_t at) {
    uintptr_t page = at - at % mapped_page;
    atomic_store(&slot->lost, true);
    return os_map_zeros(page, atomic_load(&slot->end) - page);
}

/* Passes on a fault that is not in one of our mappings. Two handlers may each believe that the
 * other one was installed first and call each other forever; so a second visit ends the process. */
static void mapped_pass_on(int number, siginfo_t *info, void *context) {
    bool sent = info->si_code <= 0;
    bool plain = !(mapped_before.sa_flags & SA_SIGINFO);
    if (sent && plain && mapped_before.sa_handler == SIG_IGN) return;
    uintptr_t self = (uintptr_t)pthread_self();
    bool again = atomic_exchange(&mapped_passing, self) == self;
    if (sent) again |= atomic_exchange(&mapped_was_sent, true);
    if (!again && (mapped_before.sa_flags & SA_SIGINFO)) {
        mapped_before.sa_sigaction(number, info, context);
    } else if (!again && mapped_before.sa_handler != SIG_DFL &&
               mapped_before.sa_handler != SIG_IGN) {
        mapped_before.sa_handler(number);
    } else {
        signal(number, SIG_DFL); /* a fault happens again by itself */
        if (sent) raise(number);
    }
    atomic_store(&mapped_passing, 0);
}

static void mapped_on_signal(int number, siginfo_t *info, void *context) {
    int reason = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    mapped_slot *slot = info->si_code > 0 ? mapped_find(at) : NULL;
    if (!slot || !mapped_blank(slot, at)) mapped_pass_on(number, info, context);
    errno = reason;
}

void mapped_guard(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction action = {.sa_sigaction = mapped_on_signal, .sa_flags = SA_SIGINFO}, now;
    pthread_mutex_lock(&lock);
    sigemptyset(&action.sa_mask);
    bool known = sigaction(SIGBUS, NULL, &now) == 0;
    if (known && !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == mapped_on_signal)) {
        mapped_page = os_page_bytes();
        mapped_before = now;
        sigaction(SIGBUS, &action, NULL);
    }
    pthread_mutex_unlock(&lock);
}
