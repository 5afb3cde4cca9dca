/* sink_memory.h - base of the sinks that keep patterns in memory: all of them, or the best K
 *
 * Patterns are stored by columns, whose type depends on the kind of pattern. Each worker collects
 * its own columns, and adds them to the sink when it closes. With the best K it does so earlier,
 * because what others have found tells it which patterns to drop.
 * When the result does not fit into the budget, the sink drops it and only measures, to say what is
 * needed. The best K cannot be measured that way, so the job fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_MEMORY_H
#define LODE_WRITE_CORE_SINK_MEMORY_H

#include <stddef.h>

#include "write/core/sink.h"

/* Columns of a kind of pattern. They start with a vec_u64: the supports. */
typedef struct memory_columns {
    size_t kept_at; /* offset of the columns in a sink of the kind, which starts with memory_sink */
    void (*free)(mem *m, void *columns);
    uint64_t (*bytes)(const void *columns); /* of the content */
    /* Appends all of `from`, which may be empty afterwards. On failure both are unchanged. */
    LODE_NODISCARD lode_status (*join)(mem *m, void *columns, void *from);
    /* Drops patterns of lower support. */
    void (*keep)(void *columns, uint64_t min_support);
    /* Sorts in result order or, for the best K, by support. CANCELLED: `stop` has ended it, and the
     * patterns are unchanged. */
    LODE_NODISCARD lode_status (*sort)(mem *m, void *columns, bool by_support,
                                       const sort_stop *stop);
} memory_columns;

/* Defines a memory_columns, called `name`, from functions for columns of a type. */
#define MEMORY_COLUMNS(name, sink_type, type, sort_function)                                       \
    static void name##_free(mem *m, void *c) {                                                     \
        type##_free(m, c);                                                                         \
    }                                                                                              \
    static uint64_t name##_bytes(const void *c) {                                                  \
        return type##_bytes(c);                                                                    \
    }                                                                                              \
    static lode_status name##_join(mem *m, void *c, void *from) {                                  \
        return type##_join(m, c, from);                                                            \
    }                                                                                              \
    static void name##_keep(void *c, uint64_t min_support) {                                       \
        type##_keep(c, min_support);                                                               \
    }                                                                                              \
    static const memory_columns name = {offsetof(sink_type, kept),                                 \
                                        name##_free,                                               \
                                        name##_bytes,                                              \
                                        name##_join,                                               \
                                        name##_keep,                                               \
                                        sort_function}

typedef struct memory_sink {
    lode_sink base;
    const memory_columns *type;
    void *kept;        /* columns, within the kind's sink; under the lock, as all up to `best` */
    uint64_t k;        /* 0 = keep all patterns */
    vec_u64 heap;      /* the k highest supports, the lowest on top */
    size_t best;       /* number left after the last dropping; ties may be many */
    _Atomic bool over; /* nothing is kept any more, only measured: */
    _Atomic uint64_t lost_bytes;
} memory_sink;

static inline bool memory_is_over(const memory_sink *sink) {
    return atomic_load_explicit(&sink->over, memory_order_relaxed);
}

/* Makes a sink that keeps such columns: the best k patterns, or all of them if k is 0. */
LODE_NODISCARD lode_status memory_create(lode_job *job, const sink_kind *kind,
                                         const memory_columns *type, uint64_t k, lode_sink **out);

/* Moves what a worker has found to the sink. For the best K it also raises the job's threshold, so
 * that the search can skip patterns below it. */
LODE_NODISCARD lode_status memory_hand_over(memory_sink *sink, void *found);

/* Call it if a pattern could not be kept, because of `status`, or because the sink only measures:
 * drops what the worker has found, and counts its bytes and those of the pattern. */
LODE_NODISCARD lode_status memory_lose(memory_sink *sink, lode_status status, void *found,
                                       uint64_t bytes);

/* The `finish` of sink_kind. Sorts the result, for the best K only if `partial` is false. */
LODE_NODISCARD lode_status memory_finish(lode_sink *base, bool partial);
void memory_free(lode_sink *base);
LODE_NODISCARD lode_status memory_empty(lode_sink *base);
uint64_t memory_lost(const lode_sink *base);

#endif
