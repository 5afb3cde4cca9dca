/* lode/arrow.h - results in memory for other libraries, without copies; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ARROW_H
#define LODE_ARROW_H

#include "lode/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The two structs of Arrow's C data interface, as its specification defines them. Whoever includes
 * another header that has them, includes it in any order: the guard is the agreed one. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* Moves what a memory sink for itemsets holds into an array of structs:
 *
 *     items     large_list<item>    item: a name, dictionary<int32, large_utf8>, or, where items
 *                                   are numbers (lode_dataset_has_numbers()), uint32
 *     count     uint64
 *
 * `data` is the data set that was mined. Offsets, items and counts are not copied: they change
 * hands, so that the sink is empty afterwards (its figures stay) and may be freed, as may the job
 * and the data set. What was moved counts in the memory of the context until schema and array
 * are released, each by its `release`, on any thread; children may be moved out of them as the
 * specification says. After lode_sink_finish(), not while a job runs. On failure the sink is as
 * it was. Errors: INVALID (another kind of sink), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_result_arrow(lode_sink *sink, const lode_dataset *data,
                                                      struct ArrowSchema *schema,
                                                      struct ArrowArray *array);

/* The same for rules. The columns are body (the antecedent) and head (the consequent), lists of
 * items as above, and both, body_count and head_count (uint64); lode_rule_result has the total.
 * Counts change hands; items are copied, because antecedents and consequents lie side by side. */
LODE_API LODE_NODISCARD lode_status lode_rule_result_arrow(lode_sink *sink,
                                                           const lode_dataset *data,
                                                           struct ArrowSchema *schema,
                                                           struct ArrowArray *array);

#ifdef __cplusplus
}
#endif
#endif
