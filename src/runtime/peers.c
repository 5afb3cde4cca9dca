/* peers.c - see peers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/peers.h"

#include <string.h>

#include "base/bits.h"
#include "base/os.h"
#include "runtime/valid.h"

#define PEERS_SAMPLES      16
#define PEERS_SAMPLE_BYTES 4096

lode_status peers_open(peers *p, lode_job *job, const lode_peers *given) {
    lode_status status = LODE_OK;
    *p = (peers){.job = job};
    LODE_TRY(valid_take(job, VALID_PEERS, given, &p->to));
    if (p->to.n == 0 || p->to.index >= p->to.n) {
        LODE_LEAVE(job_fail(job, LODE_INVALID,
                            "process %u of %u: expected at least one process, numbered from 0",
                            p->to.index, p->to.n));
    }
    if (!p->to.gather) LODE_LEAVE(job_fail(job, LODE_INVALID, "peers->gather is NULL"));
    LODE_TRY(vec_u64_reserve(&job->mem, &p->bytes, p->to.n));
    p->bytes.n = p->to.n;
done:
    return status;
}

void peers_close(peers *p) {
    vec_u64_free(&p->job->mem, &p->bytes);
}

static lode_status peers_call(peers *p, const void *mine, void *all) {
    lode_status status = p->to.gather(p->to.user, mine, all, p->bytes.data);
    if (status == LODE_OK) return LODE_OK;
    p->broken = true;
    return job_fail(p->job, status, "the exchange between the processes failed");
}

lode_status peers_numbers(peers *p, const uint64_t *mine, size_t n, uint64_t *all) {
    for (uint32_t k = 0; k < p->to.n; k++) p->bytes.data[k] = n * sizeof *mine;
    return peers_call(p, mine, all);
}

/* ---- Agreeing ---- */

#define PEERS_AT_ONCE 64 /* processes whose states are checked together */

static bool peers_is_stop(lode_status status) {
    return status == LODE_CANCELLED || status == LODE_STOPPED;
}

/* The states of all fit on the stack, so that a process without memory can still report that. */
static lode_status peers_look(peers *p, uint32_t first, lode_status mine, lode_status *worst) {
    uint64_t states[PEERS_AT_ONCE], own = mine;
    uint32_t end = p->to.n - first < PEERS_AT_ONCE ? p->to.n : first + PEERS_AT_ONCE;
    for (uint32_t k = 0; k < p->to.n; k++) {
        p->bytes.data[k] = k >= first && k < end ? sizeof own : 0;
    }
    lode_status status = peers_call(p, &own, states);
    for (uint32_t k = first; status == LODE_OK && k < end; k++) {
        lode_status other = (lode_status)states[k - first];
        if (*worst == LODE_OK || (peers_is_stop(other) && !peers_is_stop(*worst))) *worst = other;
    }
    return status;
}

lode_status peers_agree(peers *p, lode_status mine) {
    lode_status worst = LODE_OK;
    if (p->broken) return mine;
    for (uint32_t first = 0; first < p->to.n; first += PEERS_AT_ONCE) {
        lode_status status = peers_look(p, first, mine, &worst);
        if (status != LODE_OK) return status;
    }
    return peers_is_stop(worst) ? LODE_CANCELLED : worst;
}

lode_status peers_same(peers *p, uint64_t number) {
    uint64_t first = 0;
    for (uint32_t k = 0; k < p->to.n; k++) p->bytes.data[k] = k == 0 ? sizeof number : 0;
    lode_status status = peers_call(p, &number, &first);
    if (status != LODE_OK) return status;
    return peers_agree(p, number == first ? LODE_OK : LODE_INVALID);
}

bool peers_may_part(const peers *p, lode_status status) {
    return status != LODE_OK && !peers_is_stop(status) && !p->broken;
}

/* ---- Exchanging ---- */

lode_status peers_gather(peers *p, const void *mine, size_t n, vec_char *all) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    uint64_t own = n, sum = 0;
    vec_u64 sizes = {0};
    LODE_TRY(peers_agree(p, vec_u64_reserve(m, &sizes, p->to.n)));
    LODE_TRY(peers_numbers(p, &own, 1, sizes.data));
    for (uint32_t k = 0; k < p->to.n; k++) sum += sizes.data[k];
    all->n = 0;
    LODE_TRY(peers_agree(p, vec_char_reserve(m, all, (size_t)sum)));
    memcpy(p->bytes.data, sizes.data, p->to.n * sizeof *sizes.data);
    if (sum > 0) LODE_TRY(peers_call(p, mine, all->data));
    all->n = (size_t)sum;
done:
    vec_u64_free(m, &sizes);
    return status;
}

size_t peers_piece(const peers *p) {
    size_t piece = PEERS_BYTES / p->to.n;
    return piece > PEERS_LEAST ? piece : PEERS_LEAST;
}

/* ---- Numbers in few bytes ---- */

unsigned peers_width(uint64_t most) {
    if (most <= UINT8_MAX) return 1;
    if (most <= UINT16_MAX) return 2;
    return most <= UINT32_MAX ? 4 : 8;
}

/* The loops of one pair of types; memcpy() because the bytes may lie anywhere. */
#define PEERS_LOOPS(wide, narrow)                                                                  \
    static void narrow_##wide##_##narrow(char *to, const wide *from, size_t n) {                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            narrow x = (narrow)from[i];                                                            \
            memcpy(to + i * sizeof x, &x, sizeof x);                                               \
        }                                                                                          \
    }                                                                                              \
    static void widen_##wide##_##narrow(wide *to, const char *from, size_t n) {                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            narrow x;                                                                              \
            memcpy(&x, from + i * sizeof x, sizeof x);                                             \
            to[i] = x;                                                                             \
        }                                                                                          \
    }

PEERS_LOOPS(uint32_t, uint8_t)
PEERS_LOOPS(uint32_t, uint16_t)
PEERS_LOOPS(uint64_t, uint8_t)
PEERS_LOOPS(uint64_t, uint16_t)
PEERS_LOOPS(uint64_t, uint32_t)

void peers_narrow(char *to, const uint32_t *from, size_t n, unsigned width) {
    if (width == 1) {
        narrow_uint32_t_uint8_t(to, from, n);
    } else if (width == 2) {
        narrow_uint32_t_uint16_t(to, from, n);
    } else if (n > 0) {
        memcpy(to, from, n * sizeof *from);
    }
}

void peers_widen(uint32_t *to, const char *from, size_t n, unsigned width) {
    if (width == 1) {
        widen_uint32_t_uint8_t(to, from, n);
    } else if (width == 2) {
        widen_uint32_t_uint16_t(to, from, n);
    } else if (n > 0) {
        memcpy(to, from, n * sizeof *to);
    }
}

void peers_narrow_long(char *to, const uint64_t *from, size_t n, unsigned width) {
    if (width == 1) {
        narrow_uint64_t_uint8_t(to, from, n);
    } else if (width == 2) {
        narrow_uint64_t_uint16_t(to, from, n);
    } else if (width == 4) {
        narrow_uint64_t_uint32_t(to, from, n);
    } else if (n > 0) {
        memcpy(to, from, n * sizeof *from);
    }
}

void peers_widen_long(uint64_t *to, const char *from, size_t n, unsigned width) {
    if (width == 1) {
        widen_uint64_t_uint8_t(to, from, n);
    } else if (width == 2) {
        widen_uint64_t_uint16_t(to, from, n);
    } else if (width == 4) {
        widen_uint64_t_uint32_t(to, from, n);
    } else if (n > 0) {
        memcpy(to, from, n * sizeof *to);
    }
}

/* ---- Files ---- */

static uint64_t peers_add_text(uint64_t hash, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

uint64_t peers_file_hash(const char *path) {
    char sample[PEERS_SAMPLE_BYTES];
    uint64_t bytes = 0, hash = 0;
    int fd = strcmp(path, "-") == 0 || os_is_special(path) ? -1 : os_open_read(path);
    if (fd < 0) return 0;
    bool plain = !os_is_directory(fd) && os_file_size(fd, &bytes);
    if (plain) hash = bits_mix(bytes + 1) | 1;
    for (uint64_t i = 0; plain && i < PEERS_SAMPLES; i++) {
        uint64_t at = bytes / PEERS_SAMPLES * i, left = bytes - at;
        size_t n = left < sizeof sample ? (size_t)left : sizeof sample;
        if (os_read_at(fd, sample, n, at)) hash = peers_add_text(hash, sample, n) | 1;
    }
    os_close(fd);
    return hash;
}

/* ---- Logs ---- */

/* Without memory for it, a message is lost. */
static void peers_keep_message(void *user, lode_log_level level, const char *message) {
    peers_log *l = user;
    mem *m = &l->job->mem;
    size_t n = strlen(message) + 1;
    char first = (char)level;
    if (vec_char_reserve(m, &l->held, n + 1) != LODE_OK) return;
    l->held.data[l->held.n++] = first;
    memcpy(l->held.data + l->held.n, message, n);
    l->held.n += n;
}

void peers_hold_log(peers_log *l, lode_job *job) {
    *l = (peers_log){.job = job, .log = job->log, .user = job->log_user};
    if (!job->log) return;
    job->log = peers_keep_message;
    job->log_user = l;
}

void peers_release_log(peers_log *l, bool tell) {
    lode_job *job = l->job;
    job->log = l->log;
    job->log_user = l->user;
    for (size_t at = 0; tell && at < l->held.n;) {
        const char *text = l->held.data + at + 1;
        job_log(job, (lode_log_level)l->held.data[at], "%s", text);
        at += strlen(text) + 2;
    }
    vec_char_free(&job->mem, &l->held);
}
