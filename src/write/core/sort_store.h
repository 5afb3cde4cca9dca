/* sort_store.h - sorted segments of rows, in memory or in a scratch file, until they are merged
 *
 *     worker ── sort_store.h ──► segments, one for each size ──► pieces: sort_pieces.h
 *                                in memory, or at a place of the scratch file
 *
 * A segment has rows (base/radix.h) of patterns of one size, sorted; the kind of pattern defines
 * their meaning. For a segment in the file, the first row of every block of SORT_BLOCK_BYTES is
 * kept in memory, so that any part of it is found without searching the file. The file is unnamed,
 * so it disappears with the process. Threads: adding takes the lock of the store; reading comes at
 * the end, when nothing is added any more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_STORE_H
#define LODE_WRITE_CORE_SORT_STORE_H

#include "base/os.h"
#include "base/vec.h"
#include "write/core/sink.h"
#include "write/core/sort_tuning.h"

typedef struct sort_segment {
    uint32_t size;     /* of the patterns */
    unsigned words;    /* per row */
    size_t n;          /* rows */
    uint64_t *rows;    /* NULL = in the file */
    size_t bytes;      /* allocated for `rows` */
    uint64_t at;       /* position in the file */
    uint64_t *samples; /* in the file: the first row of every block */
    size_t n_samples;
    bool in_order;
} sort_segment;

typedef struct sort_store {
    lode_job *job;
    pthread_mutex_t lock;
    sort_segment *segments; /* under the lock, as all that follows */
    size_t n_segments, cap_segments;
    size_t bytes;               /* of rows in memory */
    int fd;                     /* -1 = not opened yet */
    uint64_t end;               /* length of the file */
    char folder[OS_PATH_BYTES]; /* of the file */
} sort_store;

void store_init(sort_store *s, lode_job *job);
void store_clear(sort_store *s);

/* Bytes of rows that all workers together, and a single one, may keep in memory. */
size_t store_worker_limit(const lode_job *job);

/* The number of rows of a block. */
static inline size_t store_block_rows(unsigned words) {
    size_t n = SORT_BLOCK_BYTES / (words * sizeof(uint64_t));
    return n > 0 ? n : 1;
}

/* For a segment that is written to the file piece by piece, after all others: store_begin, then
 * store_append … in order, then store_keep. */
LODE_NODISCARD lode_status store_begin(sort_store *s, const char *near, size_t n,
                                       sort_segment *segment);
LODE_NODISCARD lode_status store_append(sort_store *s, sort_segment *segment, const uint64_t *rows,
                                        size_t n);

/* Reads rows of a segment in the file. */
LODE_NODISCARD lode_status store_read(const sort_store *s, const sort_segment *segment,
                                      size_t first, size_t n, uint64_t *rows);

/* Whether all segments are sorted; those of a cancelled sort are not. */
bool store_is_in_order(const sort_store *s);

void segment_free(mem *m, sort_segment *segment);

/* ---- rows collected by a worker, by size, until they are sorted into segments ---------------- */

/* When the rows have grown to the worker's limit, or memory is short, they are sorted, size by
 * size, into segments of the scratch file; at the end of the worker, into segments in memory. */

typedef struct sort_piles {
    sort_store *store;
    const char *near;                                     /* for the scratch file; lent */
    unsigned (*words)(const void *layout, uint32_t size); /* per row of a size */
    const void *layout;                                   /* lent */
    vec_u64 *list;                                        /* by size of the patterns */
    size_t n;
    size_t bytes, most; /* allocated, and the limit */
} sort_piles;

/* Ensures that sizes up to this one can be collected. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status piles_reach(sort_piles *p, size_t size);
/* Makes room for more words of a size; may empty all piles. */
LODE_NODISCARD lode_status piles_room(sort_piles *p, uint32_t size, size_t words);
/* Sorts the piles and moves them to the store. */
LODE_NODISCARD lode_status piles_pass_on(sort_piles *p);
void piles_free(sort_piles *p);

#endif
