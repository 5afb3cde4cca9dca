/* frame.c - the items of the rows of a frame, and the results of count(); see tensor.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/check.h"
#include "itemsets/tensor/tensor.h"

/* ---- checks ---------------------------------------------------------------------------------- */

#if LODE_DEBUG
/* Classes follow each other and fill the frame; no row has more support than the one it is of. */
static void tensor_frame_validate(const tensor_frame *f) {
    LODE_DEBUG_CHECK(f->classes[0].first == 0 && f->classes[0].first_free == 0,
                     "the first class begins at row %u and free item %u; expected 0 and 0",
                     f->classes[0].first, f->classes[0].first_free);
    for (uint32_t i = 0; i < f->n_classes; i++) {
        const tensor_class *c = &f->classes[i];
        LODE_DEBUG_CHECK(c[0].first + c->n_earlier <= c[1].first &&
                             c[0].first_free <= c[1].first_free,
                         "class %u has rows %u to %u, of which %u are earlier items", i, c[0].first,
                         c[1].first, c->n_earlier);
        for (uint32_t row = c->first; f->parent && row < c[1].first; row++) {
            LODE_DEBUG_CHECK(c->parent_row < f->parent->n_rows &&
                                 f->supports[row] < f->parent->supports[c->parent_row],
                             "row %u has support %u, not less than its parent (row %u of %u)", row,
                             f->supports[row], c->parent_row, f->parent->n_rows);
        }
    }
}

/* Partners of a row are ascending, of its class, and reach the threshold. */
static void tensor_found_validate_row(const tensor_found *f, uint32_t row, uint64_t from,
                                      uint64_t end) {
    const tensor_frame *frame = f->frame;
    const tensor_class *c = &frame->classes[tensor_frame_class(frame, row)];
    for (uint64_t i = from; i < end; i++) {
        uint32_t partner = f->partners[i], support = f->supports[i];
        LODE_DEBUG_CHECK(partner >= c[0].first && partner < c[1].first && partner != row &&
                             (i == from || f->partners[i - 1] < partner),
                         "row %u of the class of rows %u to %u has partner %u", row, c[0].first,
                         c[1].first, partner);
        LODE_DEBUG_CHECK(support >= f->min_count && support <= frame->supports[row] &&
                             support <= frame->supports[partner],
                         "row %u and partner %u have support %u together, which is impossible", row,
                         partner, support);
    }
}

static void tensor_found_validate(const tensor_found *f, uint64_t n_partners) {
    uint64_t from = 0;
    LODE_DEBUG_CHECK(f->first < f->end && f->end <= f->frame->n_rows,
                     "rows %u to %u were found, but the frame has %u", f->first, f->end,
                     f->frame->n_rows);
    for (uint32_t row = f->first; row < f->end; row++) {
        uint64_t end = f->ends[row - f->first];
        LODE_DEBUG_CHECK(from <= end && end <= n_partners,
                         "the partners of row %u end at %llu, but there are %llu in all", row,
                         (unsigned long long)end, (unsigned long long)n_partners);
        tensor_found_validate_row(f, row, from, end);
        from = end;
    }
    LODE_DEBUG_CHECK(from == n_partners, "%llu partners belong to rows, but there are %llu in all",
                     (unsigned long long)from, (unsigned long long)n_partners);
}
#endif

/* ---- frames ---------------------------------------------------------------------------------- */

/* A frame and its arrays are one block of memory. */
static lode_status frame_make(mem *m, uint32_t n_rows, uint32_t n_classes, uint32_t n_free,
                              tensor_frame **out) {
    tensor_frame *f = NULL;
    size_t classes = (n_classes + (size_t)1) * sizeof *f->classes;
    size_t bytes = sizeof *f + classes + (2 * (size_t)n_rows + n_free) * sizeof *f->items;
    lode_status status = mem_resize(m, (void **)&f, 0, bytes);
    if (status != LODE_OK) return status;
    *f = (tensor_frame){.bytes = bytes, .n_rows = n_rows, .n_classes = n_classes, .n_free = n_free};
    atomic_init(&f->uses, 1);
    f->classes = (tensor_class *)(f + 1);
    f->items = (uint32_t *)(f->classes + n_classes + 1);
    f->supports = f->items + n_rows;
    f->free_items = f->supports + n_rows;
    f->classes[n_classes] = (tensor_class){.first = n_rows, .first_free = n_free};
    *out = f;
    return LODE_OK;
}

void tensor_frame_release(mem *m, tensor_frame *f) {
    while (f && atomic_fetch_sub_explicit(&f->uses, 1, memory_order_acq_rel) == 1) {
        tensor_frame *parent = f->parent;
        mem_free(m, f, f->bytes);
        f = parent;
    }
}

lode_status tensor_frame_root(mem *m, const tensor_root *r, tensor_frame **out) {
    uint32_t n = r->root.n_rows;
    lode_status status = frame_make(m, n, 1, 0, out);
    if (status != LODE_OK) return status;
    tensor_frame *f = *out;
    f->classes[0] = (tensor_class){0};
    if (n > 0) {
        memcpy(f->items, r->v.ids, n * sizeof *f->items);
        memcpy(f->supports, r->supports, n * sizeof *f->supports);
    }
    return LODE_OK;
}

uint32_t tensor_frame_class(const tensor_frame *f, uint32_t row) {
    uint32_t low = 0, high = f->n_classes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(f->classes[middle].first <= row ? &low : &high) = middle;
    }
    return low;
}

/* ---- what was found -------------------------------------------------------------------------- */

lode_status tensor_found_make(mem *m, tensor_frame *frame, const product_counted *counted,
                              const product_request *request, tensor_found **out) {
    tensor_found *f = NULL;
    size_t n_rows = counted->end - counted->first, n = (size_t)counted->n_partners;
    size_t bytes = sizeof *f + n_rows * sizeof *f->ends + 2 * n * sizeof *f->partners;
    lode_status status = mem_resize(m, (void **)&f, 0, bytes);
    if (status != LODE_OK) return status;
    *f = (tensor_found){.frame = frame,
                        .bytes = bytes,
                        .first = counted->first,
                        .end = counted->end,
                        .min_count = request->min_count,
                        .max_added = request->max_added,
                        .lattice_items = counted->lattice_items,
                        .excludes_earlier = counted->excludes_earlier};
    atomic_init(&f->uses, 1);
    tensor_frame_share(frame);
    f->ends = (uint64_t *)(f + 1);
    f->partners = (uint32_t *)(f->ends + n_rows);
    f->supports = f->partners + n;
    memcpy(f->ends, counted->ends, n_rows * sizeof *f->ends);
    if (n > 0) {
        memcpy(f->partners, counted->partners, n * sizeof *f->partners);
        memcpy(f->supports, counted->supports, n * sizeof *f->supports);
    }
    LODE_VALIDATE(tensor_found_validate(f, counted->n_partners));
    *out = f;
    return LODE_OK;
}

void tensor_found_release(mem *m, tensor_found *f) {
    if (!f || atomic_fetch_sub_explicit(&f->uses, 1, memory_order_acq_rel) > 1) return;
    tensor_frame_release(m, f->frame);
    mem_free(m, f, f->bytes);
}

product_row tensor_found_row(const tensor_found *f, uint32_t row) {
    size_t at = row - f->first;
    uint64_t from = at > 0 ? f->ends[at - 1] : 0;
    return product_row_of(row, f->frame->supports[row], f->partners + from, f->supports + from,
                          (uint32_t)(f->ends[at] - from));
}

/* ---- children -------------------------------------------------------------------------------- */

/* Whether the device leaves a row for push(). */
static bool row_is_child(const tensor_found *f, const product_row *r) {
    uint32_t k = r->n - r->n_perfect - (f->excludes_earlier ? r->n_earlier : 0);
    return product_row_leads_on(r, f->max_added) && k > f->lattice_items;
}

typedef struct child_sizes {
    uint32_t n_classes, n_rows, n_free;
} child_sizes;

/* What the next n children from *row on need together; *row moves past them. */
static child_sizes measure_children(const tensor_found *found, uint32_t *row, uint32_t n) {
    child_sizes s = {0};
    for (; *row < found->end && s.n_classes < n; ++*row) {
        product_row r = tensor_found_row(found, *row);
        if (!row_is_child(found, &r)) continue;
        s.n_classes++;
        s.n_rows += r.n - r.n_perfect;
        s.n_free += r.n_perfect;
    }
    return s;
}

static void frame_add_child(tensor_frame *to, const tensor_frame *from, const product_row *r,
                            child_sizes *at) {
    to->classes[at->n_classes++] = (tensor_class){.first = at->n_rows,
                                                  .parent_row = r->row,
                                                  .n_earlier = r->n_earlier,
                                                  .first_free = at->n_free};
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t item = from->items[r->partners[i]];
        if (r->supports[i] == r->support) {
            to->free_items[at->n_free++] = item;
        } else {
            to->items[at->n_rows] = item;
            to->supports[at->n_rows++] = r->supports[i];
        }
    }
}

lode_status tensor_frame_push(mem *m, const tensor_found *found, uint32_t *row, uint32_t n,
                              tensor_frame **out) {
    uint32_t next = *row;
    child_sizes sizes = measure_children(found, row, n), at = {0};
    tensor_frame *f = NULL;
    lode_status status = frame_make(m, sizes.n_rows, sizes.n_classes, sizes.n_free, &f);
    if (status != LODE_OK) return status;
    f->depth = found->frame->depth + 1;
    f->parent = found->frame;
    tensor_frame_share(f->parent);
    for (; next < *row; next++) {
        product_row r = tensor_found_row(found, next);
        if (row_is_child(found, &r)) frame_add_child(f, found->frame, &r, &at);
    }
    LODE_DEBUG_CHECK(at.n_classes == n && at.n_classes == sizes.n_classes &&
                         at.n_rows == sizes.n_rows && at.n_free == sizes.n_free,
                     "%u of %u children were added, and %u of %u rows", at.n_classes, n, at.n_rows,
                     sizes.n_rows);
    LODE_VALIDATE(tensor_frame_validate(f));
    *out = f;
    return LODE_OK;
}
