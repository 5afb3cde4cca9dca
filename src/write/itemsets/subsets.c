/* subsets.c - see subsets.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/subsets.h"

void subsets_free(subsets *s, mem *m) {
    vec_u32_free(m, &s->items);
    vec_u32_free(m, &s->chosen);
}

lode_status subsets_start(subsets *s, mem *m, const uint32_t *prefix, uint32_t n_prefix,
                          bool *any) {
    lode_status status = LODE_OK;
    size_t most = s->most < s->n ? s->most : s->n;
    s->items.n = s->chosen.n = 0;
    *any = s->least <= most;
    if (!*any) return LODE_OK;
    LODE_TRY(vec_u32_reserve(m, &s->items, n_prefix + most + 1));
    LODE_TRY(vec_u32_reserve(m, &s->chosen, most + 1));
    if (n_prefix > 0) memcpy(s->items.data, prefix, n_prefix * sizeof *prefix);
    s->items.n = n_prefix;
    subsets_fill(s);
done:
    return status;
}
