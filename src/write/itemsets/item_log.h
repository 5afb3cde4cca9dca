/* item_log.h - a log of batches and families that are held back (write/core/sink_text.h)
 *
 * A family (families.h) is many sets that differ only in some items. Every worker logs batches and
 * families as it received them, not single sets, so that writing them late takes no longer than
 * writing them at once. The sink keeps the logs of closed workers until the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_LOG_H
#define LODE_WRITE_ITEMSETS_ITEM_LOG_H

#include "write/core/sink_text.h"
#include "write/itemsets/item_columns.h"
#include "write/itemsets/item_sink.h"

/* Appends to a worker's log if there is room; otherwise *is_held becomes false, and patterns are
 * written at once. */
LODE_NODISCARD lode_status log_add_batch(held *h, mem *m, vec_u32 *log, const lode_batch *batch,
                                         bool *is_held);
/* Appends a family, which stands for `patterns` patterns, in the same way. */
LODE_NODISCARD lode_status log_add_family(held *h, mem *m, vec_u32 *log, const sink_lattice *family,
                                          uint64_t patterns, bool *is_held);
/* Appends the log of a closing worker to `kept`, unless memory is short. */
LODE_NODISCARD lode_status log_keep(vec_u32 *kept, mem *m, const vec_u32 *log, bool *is_held);

/* An entry of a log: a batch, or a family. */
typedef struct log_entry {
    bool is_family;
    lode_batch batch;
    sink_lattice family;
} log_entry;

/* Lends the entry at *at, and advances *at. Returns false at the end. */
bool log_next(const vec_u32 *log, size_t *at, log_entry *out);

/* Sets *out to all patterns of a log, ordered by support (from the highest), size and items. */
LODE_NODISCARD lode_status log_sort(const vec_u32 *log, mem *m, columns *out);

#endif
