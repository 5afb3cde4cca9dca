/* share.c - see share.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/share.h"

/* One block of memory: the record, then everything it points to. */
struct share_record {
    size_t bytes;
    uint32_t n_prefix, n_perfect;
    uint32_t support;
    double span;
    const uint32_t *prefix, *perfect;
    database db;
};

/* Copies what the record points to, or adds up how much that is. */
static void record_copy(const adaptive *a, share_record *r, copier *c) {
    item_list *items = &r->db.items;
    r->prefix = copier_put(c, r->prefix, r->n_prefix * sizeof *r->prefix);
    r->perfect = copier_put(c, r->perfect, r->n_perfect * sizeof *r->perfect);
    items->ids = copier_put(c, items->ids, items->n * sizeof *items->ids);
    items->supports = copier_put(c, items->supports, items->n * sizeof *items->supports);
    a->shapes[r->db.shape]->copy(&r->db, c);
}

static share_record *record_make(adaptive *a, const database *db) {
    share_record here = {.n_prefix = a->n_prefix,
                         .n_perfect = a->n_perfect,
                         .support = a->support,
                         .span = a->span,
                         .prefix = a->prefix,
                         .perfect = a->perfect,
                         .db = *db};
    share_record *r = NULL;
    copier c = {0};
    copier_put(&c, &here, sizeof *r);
    record_copy(a, &here, &c);
    here.bytes = c.bytes;
    if (mem_resize(&a->job->mem, (void **)&r, 0, here.bytes) != LODE_OK) return NULL;
    c = (copier){.to = (char *)r};
    copier_put(&c, &here, sizeof *r);
    record_copy(a, r, &c);
    return r;
}

bool share_give(adaptive *a, const database *db) {
    share_record *r = record_make(a, db);
    if (!r) return false;
    if (tasks_offer(a->tasks, (tasks_item){.record = r})) {
        a->span = 0; /* whoever takes it retires it */
        return true;
    }
    share_free(&a->job->mem, r);
    return false;
}

const database *share_take(adaptive *a, const share_record *r) {
    if (r->n_prefix > 0) memcpy(a->prefix, r->prefix, r->n_prefix * sizeof *a->prefix);
    if (r->n_perfect > 0) memcpy(a->perfect, r->perfect, r->n_perfect * sizeof *a->perfect);
    a->n_prefix = r->n_prefix;
    a->n_perfect = r->n_perfect;
    a->support = r->support;
    a->span = r->span;
    return &r->db;
}

void share_free(mem *m, share_record *r) {
    if (r) mem_free(m, r, r->bytes);
}
