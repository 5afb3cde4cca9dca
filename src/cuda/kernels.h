/* kernels.h - the kernels on rows and itemsets, seen from C: one launch function each
 *
 * A launch function queues work on a stream and returns what cudaGetLastError() says.
 * Pointers are to device memory unless a name says otherwise. This header is read by C and by CUDA
 * C++, so it includes nothing of lode, and repeats some types and numbers of backend.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_KERNELS_H
#define LODE_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_NO_ROW      UINT32_MAX /* BACKEND_NO_ROW */
#define CUDA_LAST_MEMBER 0x80000000u
#define CUDA_MAX_SLABS   256

/* Where the rows lie. Lists are taken in slabs, so that memory is used only as far as the search
 * needs it. Passed to kernels by value: 2 KB of the 4 KB that parameters may take. */
typedef struct cuda_rows {
    const uint4 *items; /* the permanent rows */
    uint32_t n_items;
    uint32_t vectors;    /* of 16 bytes, in a row */
    uint32_t slab_shift; /* 1 << slab_shift lists in a slab */
    uint4 *slabs[CUDA_MAX_SLABS];
} cuda_rows;

/* As in backend.h: backend_work, backend_popcount, backend_reduce, backend_pair, backend_grid. */
typedef struct cuda_work {
    uint32_t a, b, dst;
} cuda_work;

typedef struct cuda_pair {
    uint32_t a, b;
} cuda_pair;

typedef enum cuda_popcount {
    CUDA_POPCOUNT_NATIVE,
    CUDA_POPCOUNT_TABLE16,
    CUDA_POPCOUNT_SHIFT
} cuda_popcount;

typedef enum cuda_reduce { CUDA_REDUCE_SUM, CUDA_REDUCE_POW2, CUDA_REDUCE_ANY } cuda_reduce;

/* How to count. */
typedef struct cuda_config {
    cuda_popcount popcount;
    cuda_reduce reduce;
    uint32_t n_words;     /* of 32 bits that hold columns, for the trees */
    uint32_t min_count;   /* result rows of candidates below this need not be written */
    int late;             /* long rows: count first, then store those that are frequent */
    unsigned n_sm;        /* multiprocessors of the device */
    const uint8_t *table; /* 65,536 bytes, for CUDA_POPCOUNT_TABLE16 */
} cuda_config;

/* ---- rows (row_kernels.cu, tree_kernels.cu) ---- */

/* counts[i] = |a AND b|, and dst = a AND b where there is a dst and the count reaches min_count. */
cudaError_t cuda_launch_and_count(const cuda_rows *rows, const cuda_config *config,
                                  const cuda_work *work, size_t n, uint32_t *counts,
                                  cudaStream_t stream);

/* Pairs of sets: the row of set s is set_rows[s]. */
typedef struct cuda_pairs {
    const cuda_pair *pairs;
    const uint32_t *set_rows;
    const uint32_t *n; /* on the device … */
    size_t most;       /* … and the most that it can be */
} cuda_pairs;

/* The same for pairs of sets; nothing is stored. */
cudaError_t cuda_launch_pair_count(const cuda_rows *rows, const cuda_config *config,
                                   const cuda_pairs *pairs, uint32_t *counts, cudaStream_t stream);

/* n lists of k row numbers each. */
typedef struct cuda_row_lists {
    const uint32_t *rows;
    uint32_t k;
    size_t n;
} cuda_row_lists;

/* counts[i] = |AND of the rows of list i|. */
cudaError_t cuda_launch_list_count(const cuda_rows *rows, const cuda_config *config,
                                   const cuda_row_lists *lists, uint32_t *counts,
                                   cudaStream_t stream);
/* Row dst[i] = AND of the rows of list i, unless dst[i] is CUDA_NO_ROW. */
cudaError_t cuda_launch_list_rows(const cuda_rows *rows, const uint32_t *dst,
                                  const cuda_row_lists *lists, cudaStream_t stream);
/* The trees of the papers in place of cuda_launch_and_count(). */
cudaError_t cuda_launch_tree_count(const cuda_rows *rows, const cuda_config *config,
                                   const cuda_work *work, size_t n, uint32_t *counts,
                                   cudaStream_t stream);
/* Fills the table of CUDA_POPCOUNT_TABLE16. */
cudaError_t cuda_launch_fill_table(uint8_t *table, cudaStream_t stream);

/* ---- classes (class_kernels.cu) ---- */

typedef struct cuda_classes {
    const uint32_t *prefixes; /* n_prefix row numbers per class */
    const uint32_t *members;  /* the last of each class is marked */
    const uint32_t *class_of; /* of each member */
    const uint32_t *cached;   /* of each class: the list that holds its prefix, or CUDA_NO_ROW */
    uint32_t n_prefix;
} cuda_classes;

/* class_of[i] = how many classes end before member i. With scratch NULL: *scratch_bytes is set. */
cudaError_t cuda_launch_class_of(const uint32_t *members, size_t n, uint32_t *class_of,
                                 void *scratch, size_t *scratch_bytes, cudaStream_t stream);
/* counts of members [first, end). */
cudaError_t cuda_launch_class_count(const cuda_rows *rows, const cuda_config *config,
                                    const cuda_classes *classes, size_t first, size_t end,
                                    uint32_t *counts, cudaStream_t stream);

/* ---- sets (set_kernels.cu) ---- */

typedef struct cuda_sets {
    const uint64_t *data;
    uint32_t n, words;
    const uint32_t *group_end;
} cuda_sets;

/* What a join leaves on the device. */
typedef struct cuda_join {
    uint32_t *places; /* end - first + 1: where the joins of each left set begin */
    cuda_pair *all;   /* every join … */
    uint8_t *keep;    /* … and whether it is wanted */
    cuda_pair *pairs; /* those that are */
    uint32_t *counts, *kept_counts;
    uint32_t *totals; /* [0] candidates, [1] frequent ones */
    void *scratch;
    size_t scratch_bytes;
} cuda_join;

/* Scratch bytes for joins of n_left sets and n_joins joins. */
cudaError_t cuda_join_scratch(size_t n_left, size_t n_joins, size_t *bytes);
/* Joins the left sets [first, end), n_joins joins in all: pairs and totals[0]. */
cudaError_t cuda_launch_join(const cuda_sets *sets, size_t first, size_t end, size_t n_joins,
                             const cuda_join *join, cudaStream_t stream);
/* Of the first totals[0] pairs, those whose count reaches min_count: `all`, kept_counts and
 * totals[1]. */
cudaError_t cuda_launch_keep_frequent(uint32_t min_count, size_t most, const cuda_join *join,
                                      cudaStream_t stream);
/* The work items [first, end) of a grid (square or folded) whose unions have k items. */
cudaError_t cuda_launch_or_pairs(const cuda_sets *sets, uint32_t k, int square, uint64_t first,
                                 uint64_t end, cuda_pair *pairs, uint32_t *n_pairs, void *scratch,
                                 size_t *scratch_bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
