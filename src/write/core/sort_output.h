/* sort_output.h - writes sorted rows: all threads merge and format pieces of the result
 *
 *     thread 1   piece 0 ▒▒▒▒█   piece 2 ▒▒▒▒█          ▒ merges and formats
 *     thread 2   piece 1 ▒▒▒▒▒█  piece 3 ▒▒▒▒▒█         █ writes, when it is the piece's turn
 *
 * The kind of pattern defines the lines: its functions open a worker of the sink for every thread,
 * and format rows. After a cancel, segments are written one after the other without merging, to
 * save the user's time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_OUTPUT_H
#define LODE_WRITE_CORE_SORT_OUTPUT_H

#include <pthread.h>

#include "base/status.h"
#include "write/core/sort_pieces.h"

/* ---- threads that write the pieces of a text in turn ----------------------------------------- */

/* Any thread may format any piece, but pieces are written in order. A thread waits for the turn of
 * its piece, writes the piece, and passes the turn on. A failure wakes all threads. */

typedef struct sort_turns {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t turn;       /* the piece to be written next; guarded by the lock */
    lode_status ended; /* the reason why writing has ended; guarded by the lock */
} sort_turns;

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct sort_output sort_output;

/* A writing thread. */
typedef struct sort_hand {
    sort_output *out;
    sink_worker *worker;
    sort_merger merger;
    vec_u32 items; /* buffer for the items of a pattern */
    size_t piece;
} sort_hand;

typedef struct sort_output_ops {
    /* Opens a worker of the sink for a thread. */
    LODE_NODISCARD lode_status (*open)(sort_hand *h);
    /* Formats rows of one size, and writes the lines whenever hand_may_write() returns OK. `items`
     * has room for this size. Counts the written rows with sink_note_written(). */
    LODE_NODISCARD lode_status (*write)(sort_hand *h, uint32_t size, sort_span rows);
    /* Drops formatted lines whose turn never came. */
    void (*forget)(sort_hand *h);
} sort_output_ops;

struct sort_output {
    const sort_output_ops *ops;
    lode_sink *sink;
    sort_store *store;
    const char *near;      /* path; the scratch file is created beside it; lent */
    const sort_stop *stop; /* called now and then, by one thread at a time; NULL = never */
    bool alone;            /* only the calling thread writes */
    const sort_plan *plan; /* the fields from here on are set by sort_output_run() */
    _Atomic size_t next;   /* the next piece to take */
    sort_turns turns;
};

/* Writes all rows of the store in order or, if *partial is true, segment by segment. Sets *partial
 * if the job was cancelled before this call. Returns CANCELLED if `stop` ended the writing. */
LODE_NODISCARD lode_status sort_output_run(sort_output *out, bool *partial);

/* Waits for the turn of the thread's piece. Returns OK if the thread should then write its
 * lines. */
LODE_NODISCARD lode_status hand_may_write(sort_hand *h);

#endif
