/* itemtext.h - the text of every item, made once, so that writing a transaction is copying
 *
 *     ends   3   6    18             each text carries the separator behind it, which becomes the
 *     text   "1, 2, whole milk, …"   line end after the last item
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GENERATE_ITEMTEXT_H
#define LODE_GENERATE_ITEMTEXT_H

#include "base/vec.h"

/* Copies are made in steps of this many bytes, so they may touch as much behind their end. */
#define ITEMTEXT_STEP 16

typedef struct itemtext {
    mem *mem;
    char separator;
    vec_char text;
    vec_u64 ends; /* ends.data[i + 1] is the end of item i, ends.data[0] is 0 */
    size_t longest;
} itemtext;

void itemtext_init(itemtext *t, mem *m, char separator);
void itemtext_free(itemtext *t);

/* Adds the text of the next item. With a comma as the separator it is quoted where a reader of CSV
 * would otherwise see something else. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status itemtext_add(itemtext *t, const char *name, size_t n);

/* Appends a line. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status itemtext_write(const itemtext *t, const uint32_t *items, uint32_t n,
                                          vec_char *out);

#endif
