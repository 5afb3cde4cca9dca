/* vec.c - see vec.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"

lode_status vec_grow(mem *m, void **data, size_t n, size_t *cap, size_t extra, size_t width) {
    size_t needed, bytes;
    if (__builtin_add_overflow(n, extra, &needed)) return LODE_NOMEM;
    if (needed <= *cap) return LODE_OK;
    size_t doubled = *cap < SIZE_MAX / 2 ? *cap * 2 : needed;
    size_t wanted = needed > doubled ? needed : doubled;
    if (wanted < 16) wanted = 16;
    if (__builtin_mul_overflow(wanted, width, &bytes)) return LODE_NOMEM;
    lode_status status = mem_resize(m, data, *cap * width, bytes);
    /* If memory is tight, take less, down to what is needed. Taking only that from the start would
     * move all elements again with each new one. */
    while (status == LODE_BUDGET && wanted > needed) {
        wanted = needed + (wanted - needed) / 2;
        status = mem_resize(m, data, *cap * width, wanted * width);
    }
    if (status == LODE_OK) *cap = wanted;
    LODE_DEBUG_CHECK(status != LODE_OK || *cap >= needed,
                     "an array needs room for %zu elements, but has room for only %zu", needed,
                     *cap);
    return status;
}

lode_status vec_char_printf(mem *m, vec_char *v, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) return LODE_INTERNAL;
    lode_status status = vec_char_reserve(m, v, (size_t)length + 1);
    if (status != LODE_OK) return status;
    va_start(args, format);
    vsnprintf(v->data + v->n, (size_t)length + 1, format, args);
    va_end(args);
    v->n += (size_t)length;
    return LODE_OK;
}
