/* peers.h - communication of cooperating processes, on top of the program's lode_gather_fn
 *
 * All processes call each function here at the same point, even if something has failed in one of
 * them: a process that fails says so in the next call, and all make the same decision. So a step
 * is: work alone, agree on the outcome, exchange.
 *
 * Numbers are sent with as few bytes as the largest of them needs (peers_width()): columns become
 * half or a quarter as long, at the cost of one simple loop at either end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PEERS_H
#define LODE_RUNTIME_PEERS_H

#include "base/vec.h"
#include "runtime/job.h"

/* Bytes that all processes together exchange in one call, roughly: large enough that latency does
 * not matter, and small enough that memory does not, either. */
#define PEERS_BYTES ((size_t)16 << 20)
#define PEERS_LEAST ((size_t)64 << 10) /* minimum per process, however many there are */

typedef struct peers {
    lode_job *job;
    lode_peers to;
    vec_u64 bytes; /* contribution of each process to the next call */
    bool broken;   /* an exchange has failed, so there will be no other */
} peers;

/* Checks and copies the struct from the program. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status peers_open(peers *p, lode_job *job, const lode_peers *given);
void peers_close(peers *p);

/* All-gathers n numbers per process; `all` receives p->to.n * n. */
LODE_NODISCARD lode_status peers_numbers(peers *p, const uint64_t *mine, size_t n, uint64_t *all);
/* OK if all processes pass OK; otherwise the same status in all: CANCELLED if any passes that, else
 * that of the first failed one. */
LODE_NODISCARD lode_status peers_agree(peers *p, lode_status mine);
/* OK if all processes pass the same number, else INVALID. */
LODE_NODISCARD lode_status peers_same(peers *p, uint64_t number);
/* All-gathers bytes; `all` is resized, in all processes or in none. p->bytes has the contributions.
 */
LODE_NODISCARD lode_status peers_gather(peers *p, const void *mine, size_t n, vec_char *all);

/* Whether each process can still do alone what failed for all together. */
bool peers_may_part(const peers *p, lode_status status);

/* How many bytes a process should contribute to one call. */
size_t peers_piece(const peers *p);

/* The bytes that hold numbers up to `most`: 1, 2, 4 or 8. */
unsigned peers_width(uint64_t most);
/* Writes numbers with `width` bytes each, and reads them. Only the second pair supports 8. */
void peers_narrow(char *to, const uint32_t *from, size_t n, unsigned width);
void peers_widen(uint32_t *to, const char *from, size_t n, unsigned width);
void peers_narrow_long(char *to, const uint64_t *from, size_t n, unsigned width);
void peers_widen_long(uint64_t *to, const char *from, size_t n, unsigned width);

/* A hash of the length of a file and of samples of its text, to check that processes see the same
 * file; 0: it cannot be read, or is not a regular file. */
uint64_t peers_file_hash(const char *path);

/* ---- reading that may have to start again --------------------------------------------------- */

/* Holds back the log of a job. */
typedef struct peers_log {
    lode_job *job;
    lode_log_fn log;
    void *user;
    vec_char held; /* for each message a byte for the level, the text, and a zero */
} peers_log;

void peers_hold_log(peers_log *l, lode_job *job);
/* Stops holding back; with `tell`, the program now gets the messages. */
void peers_release_log(peers_log *l, bool tell);

#endif
