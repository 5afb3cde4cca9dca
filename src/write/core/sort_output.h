/* sort_output.h - sorted rows on their way out: merged and put into words by all threads
 *
 *     thread 1   piece 0 ▒▒▒▒█   piece 2 ▒▒▒▒█          ▒ merges, and makes the lines
 *     thread 2   piece 1 ▒▒▒▒▒█  piece 3 ▒▒▒▒▒█         █ writes, when it is its turn
 *
 * What lines look like is the business of a kind of pattern: it opens a worker of the sink for
 * every thread, and makes lines of rows. After a cancel, segments are written as they are, one
 * after the other: merging takes time that the user does not want to wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_OUTPUT_H
#define LODE_WRITE_CORE_SORT_OUTPUT_H

#include <pthread.h>

#include "base/status.h"
#include "write/core/sort_pieces.h"

/* ---- threads that write the pieces of a text in turn ----------------------------------------- */

/* Any thread makes the lines of any piece; they are written in the order of the pieces. A thread
 * waits until it is its turn, writes, and passes the turn on. A failure ends the waiting of all. */

typedef struct sort_turns {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t turn;       /* the piece that is written now; under the lock, as … */
    lode_status ended; /* … the reason why nothing more is written */
} sort_turns;

void turns_init(sort_turns *t);
/* Returns why nothing more was written; OK: all was. */
lode_status turns_free(sort_turns *t);

/* Waits until the piece may be written. */
LODE_NODISCARD lode_status turns_wait(sort_turns *t, size_t piece);
/* The piece is written, or nothing more can be. */
void turns_pass(sort_turns *t, lode_status status);

/* ---- sorted rows on their way out: merged and put into words by all threads ------------------ */

typedef struct sort_output sort_output;

/* A thread that writes. */
typedef struct sort_hand {
    sort_output *out;
    sink_worker *worker;
    sort_merger merger;
    vec_u32 items; /* room for those of a pattern */
    size_t piece;
} sort_hand;

typedef struct sort_output_ops {
    /* Opens a worker of the sink, for a thread. */
    LODE_NODISCARD lode_status (*open)(sort_hand *h);
    /* Makes lines of the rows of one size, for which `items` has room, and hands them over as often
     * as hand_may_write() says OK; notes their number by sink_note_written(). */
    LODE_NODISCARD lode_status (*write)(sort_hand *h, uint32_t size, sort_span rows);
    /* Forgets lines that were made and not handed over: their turn never came. */
    void (*forget)(sort_hand *h);
} sort_output_ops;

struct sort_output {
    const sort_output_ops *ops;
    lode_sink *sink;
    sort_store *store;
    const char *near;      /* for the scratch file; lent */
    const sort_stop *stop; /* asked on the way, by one thread at a time; NULL: nothing stops it */
    bool alone;            /* one thread writes, the caller's */
    const sort_plan *plan; /* of the run, as all that follows */
    _Atomic size_t next;   /* the next piece to take */
    sort_turns turns;
};

/* Writes all that is in the store, in order; or, with *partial, segment by segment. *partial is set
 * if the job was cancelled before the writing began. CANCELLED if `stop` ends it. */
LODE_NODISCARD lode_status sort_output_run(sort_output *out, bool *partial);

/* Waits for the turn of the piece; whether its lines may be written. */
LODE_NODISCARD lode_status hand_may_write(sort_hand *h);

#endif
