/* item_measures.h - measures of itemsets: those that are written, and bounds on them
 *
 * The formulas are in rules/measures/itemset.c. They need the supports of the single items, which
 * are copied, because a sink may outlive its data set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_MEASURES_H
#define LODE_WRITE_ITEMSETS_ITEM_MEASURES_H

#include "base/vec.h"
#include "data/transactions/dataset.h"
#include "groups/contrast.h"

#define ITEM_MEASURES_OWN   3 /* measures that need no classes */
#define ITEM_MEASURES_MOST  (ITEM_MEASURES_OWN + CONTRAST_MOST)
#define ITEM_MEASURE_NAME   (CONTRAST_NAME_BYTES + 8)
#define ITEM_CONTRAST       ((size_t)1 << 20) /* measures from here on are those of the contrast */
#define ITEM_MEASURE_NUMBER SIZE_MAX          /* as a measure: the support itself */

/* ---- supports of items ---------------------------------------------------------------------- */

typedef struct single_supports {
    uint64_t *of; /* by id */
    uint32_t n;
    uint64_t total;
} single_supports;

LODE_NODISCARD lode_status single_supports_copy(single_supports *s, mem *m,
                                                const lode_dataset *data);
void single_supports_free(single_supports *s, mem *m);

/* Buffers that are kept from call to call. Zero is valid. */
typedef struct measure_scratch {
    vec_u64 supports;
    places_scratch in;
} measure_scratch;

void measure_scratch_free(measure_scratch *s, mem *m);

/* ---- measures that are written -------------------------------------------------------------- */

typedef struct item_measures {
    single_supports supports;
    group_contrast *contrast; /* of classes; lent. NULL = none */
    uint32_t n;
    struct {
        size_t measure;
        char name[ITEM_MEASURE_NAME]; /* as it was asked for */
    } list[ITEM_MEASURES_MOST];
} item_measures;

/* Finds a measure for the option `what`; with `number`, support and count are ITEM_MEASURE_NUMBER.
 * `classes` may be NULL. Errors: INVALID. */
LODE_NODISCARD lode_status item_measure_find(lode_job *job, const group_contrast *classes,
                                             const char *what, const char *name, bool number,
                                             size_t *out);

/* Begins with the columns of `classes`, unless that is NULL or `o` only orders the result. Then
 * reads a list of names, and adds the measure that orders the result (sort_by), unless it is there
 * already. Copies the supports if there is any measure. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status item_measures_choose(item_measures *s, lode_job *job,
                                                const lode_dataset *data, group_contrast *classes,
                                                const lode_write_options *o);
void item_measures_free(item_measures *s, mem *m);

/* Whether low values of the first measure are better. */
bool item_measures_fall(const item_measures *s);

/* Computes the values of pattern i of the batch, whose n_perfect is 0. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status item_measures_of(const item_measures *s, mem *m,
                                            measure_scratch *scratch, const lode_batch *batch,
                                            uint32_t i, double *values);

/* ---- bounds --------------------------------------------------------------------------------- */

typedef struct measure_bound {
    size_t measure;
    int direction; /* 1: at least the value; -1: at most */
    double value;
} measure_bound;

typedef struct item_bounds {
    const lode_dataset *data; /* lent: with the supports of the items */
    group_contrast *contrast; /* of classes; lent. NULL = none */
    measure_bound *list;
    uint32_t n;
} item_bounds;

/* Reads lists such as "lift=1.5", one bound per line; either may be NULL. The list is kept in
 * `kept`. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status item_bounds_read(item_bounds *b, lode_job *job, mem_kept *kept,
                                            const char *minima, const char *maxima);

/* Sets *met to whether pattern i of the batch meets all bounds; otherwise as above. */
LODE_NODISCARD lode_status item_bounds_met(const item_bounds *b, mem *m, measure_scratch *scratch,
                                           const lode_batch *batch, uint32_t i, bool *met);

#endif
