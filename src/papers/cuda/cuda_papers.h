/* cuda_papers.h - operations of the papers' miners on the CUDA backend
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_CUDA_PAPERS_H
#define LODE_PAPERS_CUDA_CUDA_PAPERS_H

#include "device/api/paper_ops.h"
#include "device/cuda/device.h"
#include "papers/cuda/paper_kernels.h"

/* Levels that stay on the GPU (cuda_levels.c). The current one is where use_sets() would put it;
 * its joins are numbered by `places`, which have one more entry than there are sets. */
typedef struct cuda_levels {
    cuda_buffer sets, group_end, set_rows, places; /* of the next level */
    cuda_buffer kept;                              /* pairs from which it will be made */
    uint32_t n_kept, n_found;
    uint32_t n_items, size; /* items of the search, and of a set of the current level */
    uint64_t most;
} cuda_levels;

struct backend_papers {
    backend_device *device;
    cuda_paper_config config;
    bool trees;
    backend_paper_counters counters;
    cuda_buffer table;                                         /* of CUDA_POPCOUNT_TABLE16 */
    cuda_buffer prefixes, members, class_of, cached;           /* classes */
    cuda_buffer sets, group_end, set_rows;                     /* the sets of the level … */
    cuda_buffer places, all, keep, pairs, kept_counts, totals; /* … and their joins */
    cuda_buffer counts, scratch;
    backend_sets level; /* as the host sees them; .data is NULL while levels stay here */
    const uint32_t *host_group_end, *host_set_rows;
    cuda_buffer grid_keep, grid_united, grid_pairs, grid_total, grid_scratch; /* cuda_grid.c */
    cuda_levels levels;
};

extern const struct pgm_ops cuda_pgm_ops;             /* cuda_pgm.c */
extern const struct backend_level_ops cuda_level_ops; /* cuda_levels.c */

/* Copies bytes to the host through the pinned memory of the first slot, whose stream it waits
 * for. */
LODE_NODISCARD lode_status cuda_fetch(backend_device *d, void *host, const void *from,
                                      size_t bytes);

/* An array on the device, and its destination. */
typedef struct cuda_array {
    void *host;
    const void *from;
    size_t width;
} cuda_array;

/* Arrays whose length is a number on the device: the last of n_totals. */
typedef struct cuda_counted {
    uint32_t *totals; /* on the host */
    const uint32_t *from;
    size_t n_totals, most; /* maximum entries of an array */
    const cuda_array *arrays;
    size_t n_arrays;
} cuda_counted;

/* Copies the totals and the arrays, in one round trip unless they are very long. */
LODE_NODISCARD lode_status cuda_fetch_counted(backend_device *d, const cuda_counted *c);

LODE_NODISCARD lode_status cuda_and_count_classes(backend_papers *p, const backend_classes *classes,
                                                  const uint32_t *cache, size_t n_cache,
                                                  uint32_t *counts);
LODE_NODISCARD lode_status cuda_use_sets(backend_papers *p, const backend_sets *sets,
                                         const uint32_t *group_end, const uint32_t *rows);
/* Makes room for n_joins joins; the caller sets which: first, n_left, places, first_join. */
LODE_NODISCARD lode_status cuda_join_buffers(backend_papers *p, size_t n_joins, cuda_join *join);
/* Queues a join, and counting of its candidates … */
LODE_NODISCARD lode_status cuda_queue_join_count(backend_papers *p, const cuda_join *join,
                                                 uint32_t min_count);
/* … and waits for it; `totals` are join->totals on the host. Sets the figures of *out. */
LODE_NODISCARD lode_status cuda_settle_join_count(backend_papers *p, const cuda_join *join,
                                                  const uint32_t *totals, backend_joined *out);
LODE_NODISCARD lode_status cuda_join_sets(backend_papers *p, size_t first, size_t end,
                                          backend_joined *out);
LODE_NODISCARD lode_status cuda_join_count(backend_papers *p, size_t first, size_t end,
                                           uint32_t min_count, backend_joined *out);
LODE_NODISCARD lode_status cuda_or_pairs(backend_papers *p, const backend_grid_part *part,
                                         backend_pair *pairs, size_t *n_pairs);
void cuda_grid_free(backend_papers *p); /* its buffers */

#endif
