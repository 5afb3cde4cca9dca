/* itemtext.h - the text of every item, made once, so that writing a transaction is copying
 *
 *     ends   0 2 4 15                each text ends with the separator; after the last item of a
 *     text   "1,2,whole milk,…"      line, the separator is replaced by the line end
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_ITEMTEXT_H
#define LODE_EXTRAS_GENERATE_ITEMTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* Texts are copied in steps of this many bytes, so up to this many bytes after a text are read, and
 * written to the copy. */
#define ITEMTEXT_STEP 16

typedef struct itemtext {
    mem *mem;
    char separator;
    vec_char text;
    vec_u64 ends;   /* ends.data[i + 1] is the end of item i, ends.data[0] is 0 */
    size_t longest; /* bytes of the longest text */
} itemtext;

void itemtext_init(itemtext *t, mem *m, char separator);
void itemtext_free(itemtext *t);

/* Adds the text of the next item. If the separator is a comma, the name is quoted where CSV
 * requires it. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status itemtext_add(itemtext *t, const char *name, size_t n);

/* Appends the line of a transaction to `out`. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status itemtext_write(const itemtext *t, const uint32_t *items, uint32_t n,
                                          vec_char *out);

/* ---- product names for generated baskets ----------------------------------------------------- */

#define PRODUCT_NAME_BYTES 64

/* Writes the name of product i with a terminating zero, and returns its length. Names are distinct
 * and contain no comma, quote or line end. */
size_t product_name(uint32_t i, char name[PRODUCT_NAME_BYTES]);

#endif
