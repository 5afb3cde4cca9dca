/* peers.h - communication of cooperating processes, on top of the program's lode_gather_fn
 *
 * Every process must call each function at the same point, even after a failure. A process that
 * failed reports this in its next call, and all processes make the same decision. So a step
 * consists of three parts: work alone, agree on the outcome, exchange data.
 *
 * Numbers are sent with as few bytes as the largest of them needs (peers_width()): this makes
 * messages half or a quarter as long, and costs one simple loop for the sender and one for the
 * receiver.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PEERS_H
#define LODE_RUNTIME_PEERS_H

#include "base/vec.h"
#include "runtime/job.h"

/* Approximate number of bytes that all processes together exchange in one call. It is large enough
 * that latency does not matter, and small enough that memory does not matter. */
#define PEERS_BYTES ((size_t)16 << 20)
#define PEERS_LEAST ((size_t)64 << 10) /* minimum per process, however many processes there are */

typedef struct peers {
    lode_job *job;
    lode_peers to;
    vec_u64 bytes; /* contribution of each process to the next call */
    bool broken;   /* an exchange has failed, so no other will be tried */
} peers;

/* Checks and copies the struct from the program. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status peers_open(peers *p, lode_job *job, const lode_peers *given);
void peers_close(peers *p);

/* All-gathers n numbers per process; `all` receives p->to.n * n. */
LODE_NODISCARD lode_status peers_numbers(peers *p, const uint64_t *mine, size_t n, uint64_t *all);
/* Returns OK if all processes pass OK. Otherwise all processes get the same status: CANCELLED if
 * any process passes CANCELLED, else the status of the first process that failed. */
LODE_NODISCARD lode_status peers_agree(peers *p, lode_status mine);
/* Returns OK if all processes pass the same number, else INVALID. */
LODE_NODISCARD lode_status peers_same(peers *p, uint64_t number);
/* All-gathers bytes. `all` is resized in all processes or in none. p->bytes receives the number of
 * bytes that each process contributes.
 */
LODE_NODISCARD lode_status peers_gather(peers *p, const void *mine, size_t n, vec_char *all);

/* Must be called after the processes tried to do some work together and this failed with `status`.
 * Returns whether each process may now try to do the work alone. */
bool peers_may_part(const peers *p, lode_status status);

/* Returns how many bytes a process should contribute to one call. */
size_t peers_piece(const peers *p);

/* Returns how many bytes hold numbers up to `most`: 1, 2, 4 or 8. */
unsigned peers_width(uint64_t most);
/* Writes numbers with `width` bytes each (1, 2 or 4). */
void peers_narrow(char *to, const uint32_t *from, size_t n, unsigned width);
/* Reads numbers with `width` bytes each (1, 2 or 4). */
void peers_widen(uint32_t *to, const char *from, size_t n, unsigned width);
/* Writes numbers with `width` bytes each (1, 2, 4 or 8). */
void peers_narrow_long(char *to, const uint64_t *from, size_t n, unsigned width);
/* Reads numbers with `width` bytes each (1, 2, 4 or 8). */
void peers_widen_long(uint64_t *to, const char *from, size_t n, unsigned width);

/* Returns a hash of the length of a file and of samples of its text, for checking that processes
 * see the same file. Returns 0 if the file cannot be read or is not regular. */
uint64_t peers_file_hash(const char *path);

/* ---- reading that may have to start again ---------------------------------------------------- */

/* Log messages of a job that are held back. */
typedef struct peers_log {
    lode_job *job;
    lode_log_fn log;
    void *user;
    vec_char held; /* for each message: one byte for the level, the text, and a zero */
} peers_log;

/* Starts to hold back the messages of a job. */
void peers_hold_log(peers_log *l, lode_job *job);
/* Stops holding back messages. With `tell`, the program now gets the messages that were held
 * back. */
void peers_release_log(peers_log *l, bool tell);

#endif
