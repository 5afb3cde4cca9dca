/* vec.h - growable arrays of a few plain types
 *
 * A vec is {data, n, cap}; a vec that is all zero is valid and empty. The capacity doubles when the
 * vec must grow. Large arrays grow by remapping pages (mem.h), not by copying.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_VEC_H
#define LODE_BASE_VEC_H

#include <string.h>

#include "base/mem.h"

typedef struct vec_u32 {
    uint32_t *data;
    size_t n, cap;
} vec_u32;

typedef struct vec_u64 {
    uint64_t *data;
    size_t n, cap;
} vec_u64;

typedef struct vec_char {
    char *data;
    size_t n, cap;
} vec_char;

/* Makes room for `extra` more elements of `width` bytes. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status vec_grow(mem *m, void **data, size_t n, size_t *cap, size_t extra,
                                    size_t width);

static inline LODE_NODISCARD lode_status vec_u32_reserve(mem *m, vec_u32 *v, size_t extra) {
    if (v->cap - v->n >= extra) return LODE_OK;
    return vec_grow(m, (void **)&v->data, v->n, &v->cap, extra, sizeof *v->data);
}
static inline LODE_NODISCARD lode_status vec_u64_reserve(mem *m, vec_u64 *v, size_t extra) {
    if (v->cap - v->n >= extra) return LODE_OK;
    return vec_grow(m, (void **)&v->data, v->n, &v->cap, extra, sizeof *v->data);
}
static inline LODE_NODISCARD lode_status vec_char_reserve(mem *m, vec_char *v, size_t extra) {
    if (v->cap - v->n >= extra) return LODE_OK;
    return vec_grow(m, (void **)&v->data, v->n, &v->cap, extra, sizeof *v->data);
}

static inline LODE_NODISCARD lode_status vec_u32_push(mem *m, vec_u32 *v, uint32_t x) {
    lode_status status = vec_u32_reserve(m, v, 1);
    if (status == LODE_OK) v->data[v->n++] = x;
    return status;
}
static inline LODE_NODISCARD lode_status vec_u64_push(mem *m, vec_u64 *v, uint64_t x) {
    lode_status status = vec_u64_reserve(m, v, 1);
    if (status == LODE_OK) v->data[v->n++] = x;
    return status;
}
static inline LODE_NODISCARD lode_status vec_char_append(mem *m, vec_char *v, const void *text,
                                                         size_t n) {
    lode_status status = vec_char_reserve(m, v, n);
    if (status != LODE_OK) return status;
    if (n > 0) memcpy(v->data + v->n, text, n);
    v->n += n;
    return LODE_OK;
}

static inline void vec_u32_free(mem *m, vec_u32 *v) {
    mem_free(m, v->data, v->cap * sizeof *v->data);
    *v = (vec_u32){0};
}
static inline void vec_u64_free(mem *m, vec_u64 *v) {
    mem_free(m, v->data, v->cap * sizeof *v->data);
    *v = (vec_u64){0};
}
static inline void vec_char_free(mem *m, vec_char *v) {
    mem_free(m, v->data, v->cap);
    *v = (vec_char){0};
}

/* Appends formatted text. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status vec_char_printf(mem *m, vec_char *v, const char *format, ...)
    LODE_PRINTF(3, 4);

#endif
