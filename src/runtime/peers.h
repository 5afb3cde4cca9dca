/* peers.h - what cooperating processes do together, on top of the program's lode_gather_fn
 *
 * Every function here is called by all processes at the same point, whatever has gone wrong in one
 * of them: a process that fails says so in the next call, and all come to the same decision. So a
 * step is: work alone, agree on its outcome, exchange.
 *
 * Numbers travel in as few bytes as the largest of them needs (peers_width()): that makes columns
 * half or a quarter as long, and takes one simple loop at either end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PEERS_H
#define LODE_RUNTIME_PEERS_H

#include "base/vec.h"
#include "runtime/job.h"

/* Bytes that all processes together exchange in one call, more or less: so large that its latency
 * does not matter, so small that memory for it does not, either. */
#define PEERS_BYTES ((size_t)16 << 20)
#define PEERS_LEAST ((size_t)64 << 10) /* of one process, however many there are */

typedef struct peers {
    lode_job *job;
    lode_peers to;
    vec_u64 bytes; /* what each gives in the next call */
    bool broken;   /* an exchange has failed: there will be no other */
} peers;

/* Checks and copies what the program has given. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status peers_open(peers *p, lode_job *job, const lode_peers *given);
void peers_close(peers *p);

/* Everyone gets the n numbers of all: to.n * n. */
LODE_NODISCARD lode_status peers_numbers(peers *p, const uint64_t *mine, size_t n, uint64_t *all);
/* OK if all are fine; else the same status in all: CANCELLED if any was stopped, else that of the
 * first that is not fine. */
LODE_NODISCARD lode_status peers_agree(peers *p, lode_status mine);
/* OK if all have the number that the first has, else INVALID. */
LODE_NODISCARD lode_status peers_same(peers *p, uint64_t number);
/* Everyone gets the bytes of all; `all` is made long enough, by all or by none. p->bytes says how
 * many each has given. */
LODE_NODISCARD lode_status peers_gather(peers *p, const void *mine, size_t n, vec_char *all);

/* Whether each process can still do alone what all have failed to do together. */
bool peers_may_part(const peers *p, lode_status status);

/* How many bytes one process should give in one call. */
size_t peers_piece(const peers *p);

/* 1, 2, 4 or 8: bytes that hold numbers up to `most`. */
unsigned peers_width(uint64_t most);
/* Write numbers with so many bytes each, and read them. 8 is for the second pair alone. */
void peers_narrow(char *to, const uint32_t *from, size_t n, unsigned width);
void peers_widen(uint32_t *to, const char *from, size_t n, unsigned width);
void peers_narrow_long(char *to, const uint64_t *from, size_t n, unsigned width);
void peers_widen_long(uint64_t *to, const char *from, size_t n, unsigned width);

/* A hash of the length of a file and of samples of it, by which processes tell whether they see the
 * same; 0: it cannot be read, or is not a regular file. */
uint64_t peers_file_hash(const char *path);

/* ---- Reading that may have to begin again ---- */

/* Keeps back what a job logs. */
typedef struct peers_log {
    lode_job *job;
    lode_log_fn log;
    void *user;
    vec_char held; /* a byte for the level, the text, a zero; … */
} peers_log;

void peers_hold_log(peers_log *l, lode_job *job);
/* Ends that; `tell`: the program hears of it now. */
void peers_release_log(peers_log *l, bool tell);

#endif
