/* sort_store.h - sorted segments of rows, in memory or in a scratch file, until they are merged
 *
 *     worker ── sort_store.h ──► segments, one for each size ──► pieces: sort_pieces.h
 *                                in memory, or at a place of the scratch file
 *
 * A segment has sorted rows (base/radix.h) of patterns of one size. The kind of pattern defines the
 * meaning of rows. For a segment in the file, the first row of every block of SORT_BLOCK_BYTES is
 * kept in memory, so that any part of the segment is found without searching the file. The file is
 * unnamed, so it disappears with the process. Adding a segment takes the lock of the store.
 * Segments are read at the end, when no more segments are added.
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
    uint64_t *rows;    /* NULL = the rows are in the file */
    size_t bytes;      /* allocated for `rows` */
    uint64_t at;       /* position of the rows in the file */
    uint64_t *samples; /* for rows in the file: the first row of every block */
    size_t n_samples;
    bool in_order;
} sort_segment;

typedef struct sort_store {
    lode_job *job;
    pthread_mutex_t lock;
    sort_segment *segments; /* the lock guards the fields from here on */
    size_t n_segments, cap_segments;
    size_t bytes;               /* bytes of rows in memory */
    int fd;                     /* -1 = not opened yet */
    uint64_t end;               /* length of the file */
    char folder[OS_PATH_BYTES]; /* of the file */
} sort_store;

void store_init(sort_store *s, lode_job *job);
void store_clear(sort_store *s);

/* Returns the bytes of rows that one worker may keep in memory. */
size_t store_worker_limit(const lode_job *job);

/* Returns the number of rows in a block. */
static inline size_t store_block_rows(unsigned words) {
    size_t n = SORT_BLOCK_BYTES / (words * sizeof(uint64_t));
    return n > 0 ? n : 1;
}

/* Begins a segment of n rows that is written to the file piece by piece. All other segments must
 * have been written. Then come calls of store_append(), in order, and then store_keep(). */
LODE_NODISCARD lode_status store_begin(sort_store *s, const char *near, size_t n,
                                       sort_segment *segment);
/* Appends rows to such a segment. */
LODE_NODISCARD lode_status store_append(sort_store *s, sort_segment *segment, const uint64_t *rows,
                                        size_t n);

/* Reads rows from a segment in the file. */
LODE_NODISCARD lode_status store_read(const sort_store *s, const sort_segment *segment,
                                      size_t first, size_t n, uint64_t *rows);

/* Returns whether all segments are sorted. Segments of a cancelled sort are not. */
bool store_is_in_order(const sort_store *s);

void segment_free(mem *m, sort_segment *segment);

/* ---- rows collected by a worker, by size, until they are sorted into segments ---------------- */

/* A pile has a worker's rows of one size. When the piles reach the worker's limit, or memory is
 * short, each pile is sorted and becomes a segment in the scratch file. When the worker ends, each
 * remaining pile becomes a segment in memory. */

typedef struct sort_piles {
    sort_store *store;
    const char *near; /* path; the scratch file is created beside it; lent */
    /* returns the number of words per row of a size */
    unsigned (*words)(const void *layout, uint32_t size);
    const void *layout; /* lent */
    vec_u64 *list;      /* the piles, by size of the patterns */
    size_t n;
    size_t bytes, most; /* bytes allocated, and the limit on them */
} sort_piles;

/* Ensures that sizes up to this one can be collected. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status piles_reach(sort_piles *p, size_t size);
/* Makes room for more words in the pile of a size. May empty all piles. */
LODE_NODISCARD lode_status piles_room(sort_piles *p, uint32_t size, size_t words);
/* Sorts the piles and moves them to the store. */
LODE_NODISCARD lode_status piles_pass_on(sort_piles *p);
void piles_free(sort_piles *p);

#endif
