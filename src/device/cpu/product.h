/* product.h - device/api/products.h on the CPU, shared by cpu_products.c and product_rows.c
 *
 * The simple form: one thread, one pair at a time, one lattice at a time. Tests compare the GPU
 * with it, and in a search with a GPU it takes the small classes.
 *
 *     cpu_products.c    the table of operations: frames, calls, tallies
 *      └ product_rows.c  the work for one row: its partners, its lattice, its child
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_PRODUCT_H
#define LODE_DEVICE_CPU_PRODUCT_H

#include "base/vec.h"
#include "device/api/products.h"
#include "device/cpu/kernels.h"

typedef struct product_class {
    uint32_t first, end; /* rows of the frame */
    uint32_t n_earlier;  /* number of first rows that belong to earlier items */
    uint32_t n_free;     /* free items: perfect partners of the rows above, up to the root */
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
    const uint32_t *supports; /* by row: lent by the root, or own_supports */
    vec_u32 own_supports;
    vec_u64 bits; /* the rows of all classes; those of the root are lent */
    /* the result of the last count() */
    product_request request;
    uint32_t first, end; /* the counted rows */
    vec_u64 ends;
    vec_u32 partners, partner_supports;
    vec_u32 lattices, children; /* rows with a lattice, or that become a child */
} product_frame;

struct product_device {
    lode_job *job;
    const cpu_kernels *kernels;
    product_root root;
    product_config config;
    /* only if the root is given by lists */
    uint64_t *row_starts; /* the columns of row r are columns[row_starts[r]] … */
    uint32_t *columns;
    uint32_t *places;      /* by row: its number among the current partners; else UINT32_MAX */
    uint32_t *list_counts; /* by row: number of its columns among those of the current row */
    mem_kept lists_kept;   /* owns the four arrays above */

    product_frame **frames; /* those above `depth` are empty and keep their memory */
    size_t n_frames, cap_frames, depth;
    vec_u32 lines;   /* lines of a row that are not empty */
    vec_u32 lattice; /* supports by set: up to 2^PRODUCT_LATTICE_ITEMS of them */
    vec_u32 lattice_rows, sets, set_supports; /* results of lattices() */
    vec_u64 set_ends;
    uint64_t *tally; /* PRODUCT_SIZES * PRODUCT_SIZES */
    bool too_large;  /* a result did not fit the tally */
    product_report report;
};

static inline product_frame *top_frame(const product_device *d) {
    return d->frames[d->depth];
}

static inline bool product_by_lists(const product_device *d, const product_class *c) {
    return !c->rows && d->root.starts;
}

static inline const uint64_t *product_bits(const product_class *c, uint32_t row) {
    return c->rows + (row - c->first) * c->words;
}

/* Appends the partners of a row. After an error (NOMEM, BUDGET) the caller removes them. */
LODE_NODISCARD lode_status product_count_row(product_device *d, product_frame *f,
                                             const product_class *c, uint32_t row);
/* Computes the supports of all sets of the row's partners that are not perfect, into d->lattice.
 * *k receives the number of these partners. */
LODE_NODISCARD lode_status product_fill_lattice(product_device *d, const product_class *c,
                                                const product_row *r, uint32_t *k);

/* Builds the child of a row: the words of each of its rows, and these rows themselves. */
size_t product_child_words(const product_device *d, const product_class *c, const product_row *r);
LODE_NODISCARD lode_status product_fill_child(product_device *d, const product_class *c,
                                              const product_row *r, uint64_t *to, size_t words);

/* Makes row_starts and columns of a root given as lists. */
LODE_NODISCARD lode_status product_turn_lists(product_device *d);

static inline product_depth *product_depth_at(product_device *d, uint32_t depth) {
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

#endif
