/* share.c - see adaptive_share.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "adaptive/share.h"

#include "adaptive/span.h"

#include <string.h>

/* One block of memory: the record, then everything it points to. */
struct share_record {
    size_t bytes;
    uint32_t n_prefix, n_perfect;
    uint32_t support;
    double span;
    const uint32_t *prefix, *perfect;
    bool is_words;
    words_db words;
    rows_db rows;
};

static size_t rounded(size_t bytes) {
    return (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
}

static const void *put(char **to, const void *from, size_t bytes) {
    char *at = *to;
    if (bytes > 0) memcpy(at, from, bytes);
    *to += rounded(bytes);
    return at;
}

/* A record with what all shapes have in it, and room for `payload` bytes more from *rest on. */
static share_record *record_make(adaptive *a, const item_list *items, size_t payload, char **rest) {
    share_record *r = NULL;
    size_t list = rounded(items->n * sizeof *items->ids);
    size_t bytes = rounded(sizeof *r) + rounded(a->n_prefix * sizeof *a->prefix) +
                   rounded(a->n_perfect * sizeof *a->perfect) + 2 * list + payload;
    if (mem_resize(&a->job->mem, (void **)&r, 0, bytes) != LODE_OK) return NULL;
    *r = (share_record){.bytes = bytes,
                        .n_prefix = a->n_prefix,
                        .n_perfect = a->n_perfect,
                        .support = a->support,
                        .span = a->span};
    *rest = (char *)r + rounded(sizeof *r);
    r->prefix = put(rest, a->prefix, a->n_prefix * sizeof *a->prefix);
    r->perfect = put(rest, a->perfect, a->n_perfect * sizeof *a->perfect);
    r->words.items = *items;
    r->words.items.ids = put(rest, items->ids, items->n * sizeof *items->ids);
    r->words.items.supports = put(rest, items->supports, items->n * sizeof *items->supports);
    r->rows.items = r->words.items;
    return r;
}

static bool record_offer(adaptive *a, share_record *r) {
    if (tasks_offer(a->tasks, (tasks_item){.record = r})) {
        a->span = 0; /* whoever takes it retires it */
        return true;
    }
    share_free(&a->job->mem, r);
    return false;
}

bool share_words(adaptive *a, const words_db *db) {
    char *rest;
    size_t words = db->n * sizeof *db->words, weights = db->n * sizeof *db->weights;
    size_t payload = rounded(words) + rounded(weights) + (db->beside ? rounded(words) : 0);
    share_record *r = record_make(a, &db->items, payload, &rest);
    if (!r) return false;
    r->is_words = true;
    r->words.n = db->n;
    r->words.words = put(&rest, db->words, words);
    r->words.weights = put(&rest, db->weights, weights);
    r->words.n_beside = db->n_beside;
    if (db->beside) r->words.beside = put(&rest, db->beside, words);
    return record_offer(a, r);
}

bool share_rows(adaptive *a, const rows_db *db) {
    char *rest;
    size_t bytes = (size_t)(rows_at(db, db->items.n) - db->rows) * sizeof *db->rows;
    share_record *r = record_make(a, &db->items, rounded(bytes), &rest);
    if (!r) return false;
    item_list items = r->rows.items;
    r->rows = *db;
    r->rows.items = items;
    r->rows.rows = put(&rest, db->rows, bytes);
    return record_offer(a, r);
}

lode_status share_search(adaptive *a, share_record *r) {
    if (r->n_prefix > 0) memcpy(a->prefix, r->prefix, r->n_prefix * sizeof *a->prefix);
    if (r->n_perfect > 0) memcpy(a->perfect, r->perfect, r->n_perfect * sizeof *a->perfect);
    a->n_prefix = r->n_prefix;
    a->n_perfect = r->n_perfect;
    a->support = r->support;
    a->span = r->span;
    lode_status status = r->is_words ? words_search(a, &r->words) : rows_search(a, &r->rows);
    span_leave(a);
    share_free(&a->job->mem, r);
    return status;
}

void share_free(mem *m, share_record *r) {
    if (r) mem_free(m, r, r->bytes);
}
