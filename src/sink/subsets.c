/* subsets.c - see subsets.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "sink/subsets.h"

void subsets_free(subsets *s, mem *m) {
    vec_u32_free(m, &s->items);
    vec_u32_free(m, &s->chosen);
}

static void subsets_push(subsets *s, uint32_t place) {
    s->chosen.data[s->chosen.n++] = place;
    s->items.data[s->items.n++] = s->from[place];
}

static uint32_t subsets_pop(subsets *s) {
    s->items.n--;
    return s->chosen.data[--s->chosen.n];
}

static bool subsets_has_on_top(const subsets *s, uint32_t place) {
    return s->chosen.n > 0 && s->chosen.data[s->chosen.n - 1] == place;
}

/* Adds the first items until there are enough: the next number that has so many ones. What was
 * carried has left more zeros at the end than are missing. */
static void subsets_fill(subsets *s) {
    for (size_t missing = s->least; missing > s->chosen.n;) {
        subsets_push(s, (uint32_t)(missing - s->chosen.n - 1));
    }
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

bool subsets_next(subsets *s) {
    uint32_t place = s->chosen.n < s->most ? 0 : s->most > 0 ? subsets_pop(s) + 1 : s->n;
    for (; subsets_has_on_top(s, place); place++) subsets_pop(s);
    if (place >= s->n) return false;
    subsets_push(s, place);
    subsets_fill(s);
    return true;
}
