/* frontier_group.h - groups of patterns, and the memory of the device
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_FRONTIER_GROUP_H
#define LODE_GRAPHS_FRONTIER_GROUP_H

#include "graphs/frontier.h"

/* Allocates device memory. If there is too little, groups other than `keep` move to the host. If
 * that does not help either, returns BUDGET or NOMEM, without a message. */
LODE_NODISCARD lode_status frontier_take(frontier *f, const group *keep, size_t bytes, void **out);
/* The same, but the job fails with a message if there is too little. */
LODE_NODISCARD lode_status frontier_must_take(frontier *f, const group *keep, size_t bytes,
                                              void **out);
/* Fails the job with the message that the device memory is too small; returns `status`. */
lode_status frontier_too_small(frontier *f, lode_status status, size_t bytes);

/* Makes an empty group with room for this many patterns. */
LODE_NODISCARD lode_status group_create(frontier *f, uint32_t cap, group **out);
void group_free(frontier *f, group *g);
/* The number of bytes that a new group should have at most. */
size_t group_aim(const frontier *f);
/* Lays out the block of memory of a group: first the matrix of occurrences of each pattern (a row
 * for each occurrence, a column for each vertex), then for each pattern the column of the graphs of
 * its occurrences. Returns the number of rows of all patterns. */
uint32_t group_lay_out(group *g);
/* Copies the block of a group back to the device, if it was moved to the host. */
LODE_NODISCARD lode_status group_bring_back(frontier *f, group *g);
/* Frees the block of a group, on the device and on the host. */
void group_drop_block(frontier *f, group *g);

/* Bytes of a pattern in the block: a column for each vertex, and the column of graphs. */
static inline size_t pattern_bytes(uint32_t n_vertices, uint32_t n_rows) {
    return ((size_t)n_vertices + 1) * n_rows * sizeof(uint32_t);
}
/* An extension of a pattern by an edge, as the device sees it. */
backend_candidate pattern_candidate(const frontier *f, const pattern *x, code_edge e);
/* Sets the code of a worker to that of a pattern, with room for one more edge. */
LODE_NODISCARD lode_status pattern_set_code(worker *w, const pattern *x);

#endif
