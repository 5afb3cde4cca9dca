/* sink_text.h - base of the sinks that write text: where text goes, blocks of text, patterns that
 * are held back, and the end
 *
 *     text_open, text_title; text_put or text_flush …; then text_end, or just text_free
 *
 * Each worker fills its own block and writes it under the sink's lock. While another worker writes,
 * the worker enlarges its block and goes on, because a thread that sleeps and wakes for every block
 * loses more time than writing takes. Each worker writes its own text, because this text is in the
 * cache of its core. runtime/output.h decides whether the text goes to a file or to a function.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_TEXT_H
#define LODE_WRITE_CORE_SINK_TEXT_H

#include "base/mem.h"
#include "runtime/output.h"
#include "write/core/csv_style.h"
#include "write/core/sink.h"

/* ---- holding back the first patterns, so that a short result is sorted ----------------------- */
/* Patterns are held back while all workers together hold few patterns. When there are too many, or
 * memory is short, the result is written in search order: every worker writes the patterns that it
 * holds, and no more patterns are held back.
 *
 *     held_take: room?  yes → hold the patterns    no → sets `flows`, for all workers, for good */

#define HELD_PATTERNS     10000
#define HELD_BYTES        ((uint64_t)16 << 20)
#define HELD_BUDGET_SHARE 32 /* or this fraction of a memory budget */

typedef struct held {
    _Atomic bool flows;
    _Atomic uint64_t patterns, bytes;
    uint64_t most_bytes;
} held;

void held_init(held *h, const mem *m);

/* Reserves room for this many patterns and bytes. Returns false if there is no room; the caller
 * must then stop holding patterns back. */
bool held_take(held *h, uint64_t patterns, uint64_t bytes);

static inline bool held_flows(const held *h) {
    return atomic_load_explicit(&h->flows, memory_order_relaxed);
}

static inline void held_let_flow(held *h) {
    atomic_store_explicit(&h->flows, true, memory_order_relaxed);
}

/* Returns whether a status means that memory for holding patterns is short. Then only the order of
 * the result is lost. */
static inline bool held_is_short(lode_status status) {
    return status == LODE_BUDGET || status == LODE_NOMEM;
}

/* ---- the common part of sinks that write text ------------------------------------------------ */

#define TEXT_BLOCK_BYTES ((size_t)128 << 10)
#define TEXT_BLOCK_MOST                                                                            \
    ((size_t)512 << 10) /* from this size on a worker waits; half of it stays in the second
                                                level cache of most cores */

typedef struct text_sink {
    lode_sink base;
    output out;
    /* number of bytes before the first pattern; set by the function that makes the sink */
    uint64_t head;
    bool unsorted;         /* patterns are not held back */
    bool for_spreadsheets; /* csv: warn if it has more rows than a sheet */
    held held;
} text_sink;

/* The target of text: the file `path` or, if `path` is NULL, a function. */
typedef struct text_target {
    const char *path;
    lode_write_fn write;
    void *user;
} text_target;

/* Opens the output. With `unsorted`, patterns are not held back. */
LODE_NODISCARD lode_status text_open(text_sink *sink, const text_target *to, bool unsorted);
/* Writes the first line; with `mark`, after a byte order mark. The caller must hold the lock, or
 * there must be only one thread. */
LODE_NODISCARD lode_status text_title(text_sink *sink, bool mark, const char *title);
/* Converts the status of text_open() for the function that makes a sink. */
lode_status text_opened(lode_job *job, lode_status status);
/* Drops all text but the head. */
LODE_NODISCARD lode_status text_empty(text_sink *sink);
/* Returns whether text_empty() is possible; see sink_kind. */
bool text_can_empty(const lode_sink *base);

/* Writes n bytes, which must be whole lines. Takes the lock. */
LODE_NODISCARD lode_status text_put(text_sink *sink, const char *text, size_t n);
/* Writes n bytes, which must be whole lines. The caller must hold the lock. */
LODE_NODISCARD lode_status text_put_locked(text_sink *sink, const char *text, size_t n);

/* Writes a block, and empties it. */
LODE_NODISCARD lode_status text_flush(text_sink *sink, vec_char *block);
/* Makes room in a block for this many more bytes, and at least for a block of the usual length.
 * Either writes the block or enlarges it. */
LODE_NODISCARD lode_status text_make_room(text_sink *sink, vec_char *block, size_t bytes);

/* Makes room in the block for one more line. */
static inline LODE_NODISCARD lode_status text_reserve(text_sink *sink, vec_char *block,
                                                      size_t line_bytes) {
    if (block->cap - block->n >= line_bytes) return LODE_OK;
    return text_make_room(sink, block, line_bytes);
}

/* Closes the output, and names the file PATH or, if `partial` is set, PATH.partial. */
LODE_NODISCARD lode_status text_end(text_sink *sink, bool partial);
/* Frees the members of the text_sink, and removes a file that has not got its name yet. */
void text_free(text_sink *sink);

#endif
