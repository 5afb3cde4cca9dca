/* rowwise_emit.h - from the search to the sink
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ROWS_ROWWISE_EMIT_H
#define LODE_ITEMSETS_ROWS_ROWWISE_EMIT_H

#include "itemsets/rows/rowwise_walk.h"

/* Reports the columns of a frequent node, if the target asks for them. `above`: the list of the
 * node's parent; NULL: it has none, or another thread has it. */
LODE_NODISCARD lode_status rowwise_emit(rowwise_walker *w, const rowwise_node *node,
                                        const rowwise_list *above, uint64_t min);

#endif
