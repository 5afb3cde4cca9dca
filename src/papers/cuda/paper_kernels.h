/* paper_kernels.h - C interface of the kernels of the papers' miners: one launch function each
 *
 * As in device/cuda/kernels.h: a launch function queues work on a stream and returns the result of
 * cudaGetLastError(); pointers are to device memory; the header includes nothing of lode but the
 * shape of grids, and repeats some numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_PAPER_KERNELS_H
#define LODE_PAPERS_CUDA_PAPER_KERNELS_H

#include "device/api/grid_shape.h"
#include "device/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_LAST_MEMBER 0x80000000u /* BACKEND_LAST_MEMBER */

/* As backend_pair. */
typedef struct cuda_pair {
    uint32_t a, b;
} cuda_pair;

/* As lode_popcount. */
typedef enum cuda_popcount {
    CUDA_POPCOUNT_NATIVE,
    CUDA_POPCOUNT_TABLE16,
    CUDA_POPCOUNT_SHIFT,
    CUDA_POPCOUNT_CONSTANT16
} cuda_popcount;

/* How to count. */
typedef struct cuda_paper_config {
    cuda_count_config count;
    cuda_popcount popcount;
    int pow2;             /* trees over the next power of two */
    uint32_t n_words;     /* of 32 bits that hold columns, for the trees */
    const uint8_t *table; /* 65,536 bytes, for CUDA_POPCOUNT_TABLE16 */
} cuda_paper_config;

/* ---- rows (paper_kernels.cu)
 * ------------------------------------------------------------------ */

/* Candidates of two rows on the device, and the destination of their counts. */
typedef struct cuda_paper_work {
    const cuda_work *work;
    size_t n;
    uint32_t *counts;
} cuda_paper_work;

/* cuda_launch_and_count() with any population count. */
cudaError_t cuda_launch_paper_count(const cuda_rows *rows, const cuda_paper_config *config,
                                    const cuda_paper_work *work, cudaStream_t stream);
/* The same, summing the words of a row by a tree. */
cudaError_t cuda_launch_tree_count(const cuda_rows *rows, const cuda_paper_config *config,
                                   const cuda_paper_work *work, cudaStream_t stream);
/* Fills the table of CUDA_POPCOUNT_TABLE16. */
cudaError_t cuda_launch_fill_table(uint8_t *table, cudaStream_t stream);

/* Pairs of sets whose rows are set_rows[]: the first *n of at most `most`. */
typedef struct cuda_paper_pairs {
    const cuda_pair *pairs;
    const uint32_t *set_rows;
    const uint32_t *n;
    size_t most;
    uint32_t *counts;
} cuda_paper_pairs;

/* counts[i] = |row of a AND row of b|. */
cudaError_t cuda_launch_pair_count(const cuda_rows *rows, const cuda_paper_config *config,
                                   const cuda_paper_pairs *pairs, cudaStream_t stream);

/* n lists of k rows. */
typedef struct cuda_paper_lists {
    const uint32_t *rows;
    uint32_t k;
    size_t n;
    uint32_t *counts;
} cuda_paper_lists;

/* counts[i] = |rows[i * k] AND …|. */
cudaError_t cuda_launch_list_count(const cuda_rows *rows, const cuda_paper_config *config,
                                   const cuda_paper_lists *lists, cudaStream_t stream);

/* ---- classes (paper_kernels.cu) ---- */

/* Members in spans of equal length, one after another; the last one may be shorter. */
typedef struct cuda_class_spans {
    const uint32_t *prefixes;    /* n_prefix row numbers per class */
    const uint32_t *members;     /* the last of each class is marked */
    const uint32_t *first_class; /* of each span: the class of its first member */
    uint32_t n_prefix, length;
    size_t n; /* members */
    uint32_t *counts;
} cuda_class_spans;

/* The length of spans for n members. */
uint32_t cuda_class_span(const cuda_rows *rows, const cuda_paper_config *config, size_t n);
/* Counts all members; the AND of a prefix stays in registers. */
cudaError_t cuda_launch_class_spans(const cuda_rows *rows, const cuda_paper_config *config,
                                    const cuda_class_spans *spans, cudaStream_t stream);

/* As the paper has it: prefixes in rows. */
typedef struct cuda_classes {
    const uint32_t *members;  /* the last of each class is marked */
    const uint32_t *class_of; /* of each member */
    const uint32_t *cached;   /* of each class: the row that is the AND of its prefix */
    size_t first, end;        /* members to count */
    uint32_t *counts;         /* of all members */
} cuda_classes;

/* class_of[i] = the number of classes that end before member i. With scratch NULL: only sets
 * *scratch_bytes. */
cudaError_t cuda_launch_class_of(const uint32_t *members, size_t n, uint32_t *class_of,
                                 void *scratch, size_t *scratch_bytes, cudaStream_t stream);
cudaError_t cuda_launch_class_count(const cuda_rows *rows, const cuda_paper_config *config,
                                    const cuda_classes *classes, cudaStream_t stream);

/* ---- sets (paper_kernels.cu) ---- */

typedef struct cuda_sets {
    const uint64_t *data;
    uint32_t n, words;
    const uint32_t *group_end;
} cuda_sets;

/* Joins of the left sets from `first` on, numbered from 0: n_joins of them from first_join on, and
 * their results on the device. */
typedef struct cuda_join {
    uint32_t first, n_left;
    const uint64_t *places; /* n_left: the number of the first join of each left set */
    uint64_t first_join;
    size_t n_joins;
    cuda_pair *all;   /* every join … */
    uint8_t *keep;    /* … and whether it is kept */
    cuda_pair *pairs; /* the kept ones */
    uint32_t *counts, *kept_counts;
    uint32_t *totals; /* [0] candidates, [1] frequent ones */
    void *scratch;
    size_t scratch_bytes;
} cuda_join;

/* The start of the joins of each left set: places[i] = the number of joins of the sets
 * [first, first + i), for i < n. */
typedef struct cuda_places {
    const uint32_t *group_end;
    uint32_t n_sets, first, n;
    uint64_t *places;
} cuda_places;

/* With scratch NULL: only sets *scratch_bytes. */
cudaError_t cuda_launch_places(const cuda_places *p, void *scratch, size_t *scratch_bytes,
                               cudaStream_t stream);
/* Scratch bytes for n_joins joins. */
cudaError_t cuda_join_scratch(size_t n_joins, size_t *bytes);
/* Joins: pairs and totals[0]. */
cudaError_t cuda_launch_join(const cuda_sets *sets, const cuda_join *join, cudaStream_t stream);
/* Of the first totals[0] pairs, selects those whose count reaches min_count: `all`, kept_counts and
 * totals[1]. */
cudaError_t cuda_launch_keep_frequent(uint32_t min_count, const cuda_join *join,
                                      cudaStream_t stream);

/* ---- levels that stay on the device (paper_kernels.cu) ---- */

/* A level to be built. */
typedef struct cuda_level {
    uint64_t *data; /* the table of its sets */
    uint32_t n, words;
    uint32_t *group_end, *rows;
    uint32_t first_row, step; /* the row of set i is first_row + i * step */
} cuda_level;

/* Pairs of sets whose rows are set_rows[], and the lists that receive the AND of these: the list of
 * pair i is first_row + i * step. */
typedef struct cuda_level_rows {
    const cuda_pair *pairs;
    const uint32_t *set_rows;
    uint32_t n, first_row, step;
    uint32_t *dst, *lists; /* input for cuda_launch_list_rows() */
} cuda_level_rows;

/* The level of single items. */
cudaError_t cuda_launch_level_items(const cuda_level *level, cudaStream_t stream);
/* The level of the unions of pairs of sets, which are in order. */
cudaError_t cuda_launch_level_unions(const cuda_sets *sets, const cuda_pair *pairs,
                                     const cuda_level *level, cudaStream_t stream);
/* Prepares the input of cuda_launch_list_rows(): dst and lists. */
cudaError_t cuda_launch_level_rows(const cuda_level_rows *rows, cudaStream_t stream);

/* ---- the grid over all pairs (paper_kernels.cu) ---- */

#define CUDA_GRID_ROWS  65535 /* maximum rows of blocks of a launch */
#define CUDA_GRID_PAIRS 256   /* pairs of a block where it intersects no rows, one a thread */

/* A tile of a grid (one launch), and its results on the device. Blocks are numbered row by row. */
typedef struct cuda_grid {
    int square; /* or folded */
    uint32_t k; /* items that a union must have */
    backend_grid_tile tile;
    uint8_t *keep;            /* by block, zeroed: 1 where the union has k items */
    const uint32_t *set_rows; /* by set: its row, or CUDA_NO_ROW; NULL = none is read */
    uint4 *united;            /* by block: the AND of such a pair's rows */
    cuda_pair *pairs;         /* the kept ones, in the order of the blocks … */
    uint32_t *n_pairs;        /* … and their number */
    void *scratch;            /* of cuda_launch_grid_select() */
    size_t scratch_bytes;
} cuda_grid;

/* Loads the kernels, so that the first launch is as fast as the others. */
cudaError_t cuda_grid_load(void);
/* A block for each coordinate of the tile: keep, and `united` if there are set_rows. */
cudaError_t cuda_launch_grid(const cuda_rows *rows, const cuda_sets *sets, const cuda_grid *grid,
                             cudaStream_t stream);
/* Selects the kept pairs. With scratch NULL: only sets scratch_bytes. */
cudaError_t cuda_launch_grid_select(const cuda_sets *sets, cuda_grid *grid, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
