/* spill_rows.h - iterates over the transactions (rows) of a part, each as a list of ascending item
 * numbers; merges equal rows
 *
 * Use:   spill_rows_open(); call spill_rows_next() until *more is false; spill_rows_close()
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_ROWS_H
#define LODE_PIPELINE_SPILL_SPILL_ROWS_H

#include "pipeline/spill/spill_part.h"

typedef struct spill_rows {
    spill_job *s;
    const spill_part *part;
    const uint32_t *supports; /* by number: items with 0 are left out; NULL = no items are */
    uint32_t bound;           /* items from this number on are left out, too */
    bool from_ids;            /* the source has ids, not numbers */
    spool_reader reader;      /* the source on disk … */
    size_t next_block;        /* … or the next block of the data set in memory */
    data_block block;         /* the current block */
    const uint32_t *weights;  /* of the rows of the block; NULL = all are 1 */
    uint32_t at;              /* the next row of the block */
    uint64_t done, total;     /* rows, for the progress */
    vec_u32 scratch;
    uint64_t bits[SPILL_SORT_WORDS]; /* for sorting: a bit for each number; all zero between rows */
    /* The current row, valid until the next one: */
    const uint32_t *items;
    uint32_t n, weight;
} spill_rows;

/* Begins with the rows of a part, restricted to the items that `c` counts. If `c` is NULL, the rows
 * have all items that can be needed. */
void spill_rows_open(spill_rows *r, spill_job *s, const spill_part *part, const spill_counts *c);
/* Moves to the next row; *more is false at the end. Also reports progress, and checks for a
 * stop. */
LODE_NODISCARD lode_status spill_rows_next(spill_rows *r, bool *more);
void spill_rows_close(spill_rows *r);

/* The index of the first item of the row that is not below `number`; r->n if there is none. */
static inline uint32_t spill_rows_find(const spill_rows *r, uint32_t number) {
    uint32_t i = r->n;
    while (i > 0 && r->items[i - 1] >= number) i--;
    return i;
}

/* Whether an item of the row is in [first, end) of the part. */
static inline bool spill_rows_hit(const spill_rows *r) {
    uint32_t i = spill_rows_find(r, r->part->first);
    return i < r->n && r->items[i] < r->part->end;
}

/* ---- merging equal transactions of a part, with the sum of their weights --------------------- */

/* In dense data with few frequent items, many transactions are equal once infrequent items are left
 * out: of the 67,557 transactions of connect, 2,415 are distinct at a threshold of 50%, and 39 at
 * 90%. After merging, a part of such data may fit in memory, while dividing the part would not make
 * it much smaller. */

/* Sets *pays if many of the first transactions of a part are equal. */
LODE_NODISCARD lode_status spill_merge_pays(spill_job *s, const spill_part *part,
                                            const spill_counts *c, bool *pays);

/* Where a distinct row is: its block, and its number in the block. */
typedef struct merge_slot {
    uint64_t hash; /* 0 = free */
    uint32_t block, row;
} merge_slot;

/* A hash table of the distinct rows so far, with linear probing. */
typedef struct merge_table {
    merge_slot *slots; /* NULL = rows are not merged */
    size_t n_slots, n; /* n_slots is a power of two; at most half of the slots are used */
} merge_table;

LODE_NODISCARD lode_status merge_table_open(mem *m, merge_table *t);
void merge_table_close(mem *m, merge_table *t);
/* Makes room for one more row. */
LODE_NODISCARD lode_status merge_table_reserve(mem *m, merge_table *t);
/* A non-zero hash of a row. */
uint64_t merge_hash(const uint32_t *items, uint32_t n);

/* The first slot for a hash, and the next one after a slot. */
static inline size_t merge_first(const merge_table *t, uint64_t hash) {
    return hash & (t->n_slots - 1);
}

static inline size_t merge_next(const merge_table *t, size_t slot) {
    return (slot + 1) & (t->n_slots - 1);
}

#endif
