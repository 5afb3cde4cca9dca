/* sort_pieces.h - cuts the segments of a store into consecutive pieces
 *
 * Patterns of one size are in several sorted segments. One sampled row per block of each segment
 * shows where to cut all segments, so that any thread can merge any piece alone:
 *
 *     segment 1   a b│e f g│k          a piece has the rows between two cuts
 *     segment 2   c  │d    │h i
 *     segment 3      │d f  │j l m
 *
 * A piece has about SORT_PIECE_BYTES of rows, plus at most one block per segment. If a size has
 * more segments than fit into memory for merging, some of these segments are first merged into one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_PIECES_H
#define LODE_WRITE_CORE_SORT_PIECES_H

#include "write/core/sort_store.h"

typedef struct sort_piece {
    const sort_segment *segments;
    size_t n_segments;
    uint64_t *from, *to; /* the piece has the rows that are >= from and < to; NULL = no bound */
} sort_piece;

typedef struct sort_plan {
    sort_store *store;
    const char *near;      /* for the scratch file */
    const sort_stop *stop; /* ends the merging of segments; NULL = never */
    sort_piece *pieces;
    size_t n, cap;
    size_t piece_bytes; /* bytes of rows in a piece */
    unsigned threads;   /* number of threads for which memory is enough */
    mem_kept cuts;      /* the first and end rows of pieces */
} sort_plan;

/* Plans the merge of all segments. The fields `store`, `near` and `stop` of `plan` must be set, and
 * all others zero. Errors: NOMEM, BUDGET, IO, CANCELLED. */
LODE_NODISCARD lode_status plan_make(sort_plan *plan);
void plan_free(sort_plan *plan);

typedef struct sort_span {
    const uint64_t *rows;
    size_t n;
} sort_span;

/* The buffers of a thread that merges pieces. They must be zero initially. */
typedef struct sort_merger {
    mem *mem;
    sort_span *spans;
    size_t n_spans, cap_spans;
    vec_u64 read, merged[2];
} sort_merger;

/* Lends the rows of a piece, in order, until the next call. */
LODE_NODISCARD lode_status merger_take(sort_merger *m, const sort_store *store,
                                       const sort_piece *piece, sort_span *out);
void merger_free(sort_merger *m);

#endif
