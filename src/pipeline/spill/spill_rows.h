/* spill_rows.h - the transactions of a part, one after the other, as ascending numbers of items
 *
 * Use:   spill_rows_open(&rows, s, part, c); while (rows_next() and there is one) …; close
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_SPILL_SPILL_ROWS_H
#define LODE_PIPELINE_SPILL_SPILL_ROWS_H

#include "pipeline/spill/spill_part.h"

typedef struct spill_rows {
    spill_job *s;
    const spill_part *part;
    const uint32_t *supports; /* items that have 0 here are left out; NULL: none */
    uint32_t bound;           /* so are those from here on */
    bool from_ids;            /* the source has ids, not numbers */
    spool_reader reader;      /* of what is on disk … */
    size_t next_block;        /* … or the next block in memory */
    data_block block;         /* the present one */
    const uint32_t *weights;  /* of its rows; NULL: 1 each */
    uint32_t at;              /* the next row of it */
    uint64_t done, total;     /* rows, for the progress */
    vec_u32 scratch;
    uint64_t bits[SPILL_SORT_WORDS]; /* by number, all zero, for sorting */
    /* The present row; */
    const uint32_t *items;
    uint32_t n, weight;
} spill_rows;

/* c NULL: all items that can be needed; else those that it counts. */
void spill_rows_open(spill_rows *r, spill_job *s, const spill_part *part, const spill_counts *c);
/* Goes to the next row; *more is false at the end. Reports progress, and asks job_check(). */
LODE_NODISCARD lode_status spill_rows_next(spill_rows *r, bool *more);
void spill_rows_close(spill_rows *r);

/* The first item of the row that is not below `number`; n: there is none. */
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

#endif
