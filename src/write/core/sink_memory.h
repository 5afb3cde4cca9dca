/* sink_memory.h - base of the sinks that keep patterns in memory: all of them, or the best K
 *
 * Patterns are stored by columns, whose type depends on the kind of pattern. Each worker collects
 * its own columns, and adds them to the sink when it closes. When only the best K are kept, workers
 * add columns earlier, because the patterns of other workers show which patterns can be dropped.
 * When the result does not fit into the budget, the sink drops it and only measures further
 * patterns, to report how much memory is needed. When only the best K are kept, this measurement is
 * impossible, so the job fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SINK_MEMORY_H
#define LODE_WRITE_CORE_SINK_MEMORY_H

#include <stddef.h>

#include "write/core/sink.h"

/* The columns of a kind of pattern. The struct must start with a vec_u64, the supports. */
typedef struct memory_columns {
    size_t kept_at; /* offset of the columns in a sink of the kind, which starts with memory_sink */
    void (*free)(mem *m, void *columns);
    uint64_t (*bytes)(const void *columns); /* returns the bytes of the content */
    /* Appends all patterns of `from`, which may be empty afterwards. On failure both are
     * unchanged. */
    LODE_NODISCARD lode_status (*join)(mem *m, void *columns, void *from);
    /* Drops patterns with a support below min_support. */
    void (*keep)(void *columns, uint64_t min_support);
    /* Sorts in result order or, for the best K, by support. Returns CANCELLED if `stop` ended the
     * sort; the patterns are then unchanged. */
    LODE_NODISCARD lode_status (*sort)(mem *m, void *columns, bool by_support,
                                       const sort_stop *stop);
} memory_columns;

/* Defines a memory_columns called `name` from the functions for columns of a type. */
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
    /* the columns, within the kind's sink; the lock guards the fields from here to `best` */
    void *kept;
    uint64_t k;   /* 0 = keep all patterns */
    vec_u64 heap; /* the k highest supports, with the lowest one on top */
    /* number of patterns left after patterns were last dropped; there may be many ties */
    size_t best;
    _Atomic bool over; /* patterns are no longer kept, only measured in lost_bytes */
    _Atomic uint64_t lost_bytes;
} memory_sink;

static inline bool memory_is_over(const memory_sink *sink) {
    return atomic_load_explicit(&sink->over, memory_order_relaxed);
}

/* Makes a sink that keeps the best k patterns in columns of this type, or all patterns if k is
 * 0. */
LODE_NODISCARD lode_status memory_create(lode_job *job, const sink_kind *kind,
                                         const memory_columns *type, uint64_t k, lode_sink **out);

/* Moves the patterns that a worker has found to the sink. If only the best K are kept, also raises
 * the job's threshold, so that the search can skip patterns below the threshold. */
LODE_NODISCARD lode_status memory_hand_over(memory_sink *sink, void *found);

/* Must be called if a pattern could not be kept, because of `status` or because the sink only
 * measures. Drops the patterns that the worker has found, and counts their bytes and the bytes of
 * this pattern. */
LODE_NODISCARD lode_status memory_lose(memory_sink *sink, lode_status status, void *found,
                                       uint64_t bytes);

/* The `finish` function of sink_kind. Sorts the result; a result of the best K is sorted only if
 * `partial` is false. */
LODE_NODISCARD lode_status memory_finish(lode_sink *base, bool partial);
void memory_free(lode_sink *base);
LODE_NODISCARD lode_status memory_empty(lode_sink *base);
uint64_t memory_lost(const lode_sink *base);

#endif
