/* product.h - classes of rows on the CPU, shared by the files that work on them
 *
 * The plain form of backend/products.h: one thread, one pair at a time, one cube at a time. It is
 * what the others are compared with, and what takes small classes beside a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CPU_PRODUCT_H
#define LODE_CPU_PRODUCT_H

#include "backend/products.h"
#include "base/vec.h"
#include "cpu/kernels.h"

typedef struct product_class {
    uint32_t first, end; /* rows of the frame */
    uint32_t n_watched;  /* the first of them */
    uint32_t n_free;     /* perfect partners of the rows it comes from, all the way up */
    const uint64_t *rows;
    size_t words; /* per row; a multiple of 8 */
} product_class;

typedef struct product_classes {
    product_class *data;
    size_t n, cap;
} product_classes;

typedef struct product_frame {
    product_classes classes;
    uint32_t depth, n_rows;
    const uint32_t *supports; /* by row: the root's, or the next */
    vec_u32 own_supports;
    vec_u64 bits; /* the rows of all classes; the root borrows them */
    /* what count() found last */
    product_ask asked;
    uint32_t first, end;
    vec_u64 ends;
    vec_u32 partners, counts;
    vec_u32 cubes, children; /* rows */
} product_frame;

struct product_device {
    lode_job *job;
    const cpu_kernels *kernels;
    product_root root;
    product_how how;
    /* a root of lists: the columns of each row */
    uint64_t *row_starts;
    uint32_t *columns;
    uint32_t *places;       /* lists: by row, its number among the partners; else UINT32_MAX */
    uint32_t *list_counts;  /* lists: by row, in the columns of the row in work */
    mem_kept lists_kept;    /* what those four point to */
    product_frame **frames; /* those above the top keep their memory for the next */
    size_t n_frames, cap_frames, depth;
    vec_u32 lines; /* lines of a row that are not empty */
    vec_u32 cube;  /* 2^PRODUCT_CUBE at most */
    vec_u32 cube_rows, sets, set_supports;
    vec_u64 set_ends;
    uint64_t *tally; /* PRODUCT_SIZES * PRODUCT_SIZES */
    bool too_large;  /* a result that the tally cannot hold */
    product_report report;
};

/* The partners of a row, with what count() found about them. */
typedef struct product_row {
    uint32_t row, support;
    const product_class *of;
    const uint32_t *partners, *counts;
    uint32_t n;
    uint32_t n_perfect, n_watched; /* of them; the watched ones are not perfect */
    bool subsumed;
} product_row;

static inline product_frame *product_top(const product_device *d) {
    return d->frames[d->depth];
}

static inline bool product_by_lists(const product_device *d, const product_class *c) {
    return !c->rows && d->root.starts;
}

static inline const uint64_t *product_bits(const product_class *c, uint32_t row) {
    return c->rows + (row - c->first) * c->words;
}

/* The class of a row. */
const product_class *product_class_of(const product_frame *f, uint32_t row);
/* A row of the top frame that was counted last. */
product_row product_counted_row(const product_frame *f, uint32_t row);

/* Appends the partners of a row. Errors: NOMEM, BUDGET; then what was appended is to be dropped. */
LODE_NODISCARD lode_status product_count_row(product_device *d, product_frame *f,
                                             const product_class *c, uint32_t row);
/* Supports of all sets of the partners of a row that are not perfect, in d->cube. Returns how many
 * partners that are. */
LODE_NODISCARD lode_status product_fill_cube(product_device *d, const product_row *r, uint32_t *k);

/* Words of the rows of the class that a row leads to. */
size_t product_child_words(const product_device *d, const product_row *r);
/* Writes these rows. */
LODE_NODISCARD lode_status product_fill_child(product_device *d, const product_row *r, uint64_t *to,
                                              size_t words);

/* Makes the lists of columns of a root that is given by lists. */
LODE_NODISCARD lode_status product_turn_lists(product_device *d);

#endif
