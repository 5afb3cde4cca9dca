/* product.h - device/api/products.h on the CPU, shared by cpu_products.c and product_rows.c
 *
 * This is the simple form: one thread, one pair at a time, one lattice at a time. Tests compare the
 * GPU with this form. If a search also uses a GPU, the CPU takes only small classes.
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

/* A class of a frame. */
typedef struct product_class {
    uint32_t first, end;  /* its rows, as numbers in the frame */
    uint32_t n_earlier;   /* how many of these, the first ones, belong to earlier items */
    uint32_t n_free;      /* free items of its prefix: perfect partners at all depths above */
    const uint64_t *rows; /* its bit rows, in the frame or the root; NULL = the root has lists */
    size_t words;         /* per row; a multiple of 8 */
} product_class;

typedef struct product_classes {
    product_class *data;
    size_t n, cap;
} product_classes;

typedef struct product_frame {
    product_classes classes;
    uint32_t depth, n_rows;
    const uint32_t *supports; /* by row: own_supports, or for the root those of product_root */
    vec_u32 own_supports;
    vec_u64 bits; /* the rows of all classes; for the root empty: its rows are in product_root */
    /* the result of the last count(): fields as in product_counted */
    product_request request;
    uint32_t first, end; /* the counted rows */
    vec_u64 ends;
    vec_u32 partners, partner_supports;
    vec_u32 lattices, children; /* the rows that have a lattice; the rows that become children */
} product_frame;

struct product_device {
    lode_job *job;
    const cpu_kernels *kernels;
    product_root root;
    product_config config;
    /* only if the root is given by lists */
    uint64_t *row_starts; /* row r has columns[row_starts[r]] … columns[row_starts[r + 1] - 1] */
    uint32_t *columns;
    uint32_t *places;      /* by row: its number among the current partners, or UINT32_MAX */
    uint32_t *list_counts; /* by row: how many columns it shares with the row being counted */
    mem_kept lists_kept;   /* owns the four arrays above */

    product_frame **frames; /* the stack; frames above `depth` are unused and keep their memory */
    size_t n_frames, cap_frames, depth; /* depth: the top frame */
    vec_u32 lines;                      /* numbers of the non-empty 64-byte lines of a row */
    vec_u32 lattice;                    /* supports by set; filled up to 2^k, .n is not used */
    vec_u32 lattice_rows, sets, set_supports; /* result of lattices(); see product_lattices */
    vec_u64 set_ends;
    uint64_t *tally; /* PRODUCT_SIZES * PRODUCT_SIZES entries */
    bool too_large;  /* a result did not fit the tally */
    product_report report;
};

static inline product_frame *top_frame(const product_device *d) {
    return d->frames[d->depth];
}

/* Whether the class is a root given by lists. */
static inline bool product_by_lists(const product_device *d, const product_class *c) {
    return !c->rows && d->root.starts;
}

/* The words of a row of class c; `row` is its number in the frame. */
static inline const uint64_t *product_bits(const product_class *c, uint32_t row) {
    return c->rows + (row - c->first) * c->words;
}

/* Counts a row of class c, and appends its partners to f->partners and f->partner_supports. If it
 * returns an error (NOMEM, BUDGET), the caller removes the partners that were appended. */
LODE_NODISCARD lode_status product_count_row(product_device *d, product_frame *f,
                                             const product_class *c, uint32_t row);
/* Takes the k partners of the row that are not perfect, and computes the support of every set of
 * them: 2^k entries of d->lattice.data, where bit p of the index stands for the p-th of these
 * partners. *k receives their number. */
LODE_NODISCARD lode_status product_fill_lattice(product_device *d, const product_class *c,
                                                const product_row *r, uint32_t *k);

/* The number of words that each row of the child of r will have. */
size_t product_child_words(const product_device *d, const product_class *c, const product_row *r);
/* Writes the rows of the child of r, `words` words each, to `to`. These are the rows of the
 * partners that are not perfect, restricted to the columns of r. */
LODE_NODISCARD lode_status product_fill_child(product_device *d, const product_class *c,
                                              const product_row *r, uint64_t *to, size_t words);

/* Makes the arrays row_starts, columns, places and list_counts, for a root given by lists. */
LODE_NODISCARD lode_status product_turn_lists(product_device *d);

/* The entry for this depth in the report. */
static inline product_depth *product_depth_at(product_device *d, uint32_t depth) {
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

#endif
