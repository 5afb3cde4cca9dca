/* codes.h - the items that occur, as codes 0, 1, 2, … in print order, and their names as UTF-8
 *
 * What Arrow calls a dictionary: lists hold codes, and the names are written once. Ids of items
 * that do not occur have none, so that numbers with gaps do not fill the dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_CODES_H
#define LODE_DATA_TRANSACTIONS_CODES_H

#include "data/transactions/dataset.h"

typedef struct codes {
    mem *mem;
    uint32_t *of; /* code by id; NULL: ids are the codes */
    uint32_t n_ids;
    uint32_t n;      /* codes */
    vec_u64 offsets; /* of the names, n + 1 */
    vec_char text;
} codes;

/* All zero may be freed. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status codes_of_items(codes *c, mem *m, const lode_dataset *data);
/* Every name of a dictionary. */
LODE_NODISCARD lode_status codes_of_names(codes *c, mem *m, const dict *names);
void codes_free(codes *c);

/* Appends a name as UTF-8; see base/utf8.h for what is none. */
LODE_NODISCARD lode_status codes_put_text(mem *m, vec_char *to, const char *name, size_t n);

#endif
