/* sort_piles.c - see sort_piles.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_piles.h"

#include "base/check.h"
#include "base/os.h"
#include "base/radix.h"

static mem *piles_mem(const sort_piles *p) {
    return &p->store->job->mem;
}

/* ---- segments ------------------------------------------------------------------------------- */

static void pile_free(sort_piles *p, vec_u64 *pile) {
    p->bytes -= pile->cap * sizeof *pile->data;
    vec_u64_free(piles_mem(p), pile);
}

/* Sorts a pile as a segment. A cancelled sort costs the order only. */
static sort_segment pile_sort(const sort_piles *p, uint32_t size) {
    const vec_u64 *pile = &p->list[size];
    mem *m = piles_mem(p);
    sort_stop stop = sink_sort_stop(p->store->job);
    unsigned words = p->words(p->layout, size);
    sort_segment made = {.size = size,
                         .words = words,
                         .n = pile->n / words,
                         .rows = pile->data,
                         .bytes = pile->cap * sizeof *pile->data};
    uint64_t *scratch = NULL;
    size_t bytes = pile->n * sizeof *scratch;
    if (p->in_order) {
        LODE_DEBUG_CHECK(radix_is_sorted(made.rows, made.n, words), "rows are out of order");
        made.in_order = true;
        return made;
    }
    bool roomy = mem_resize(m, (void **)&scratch, 0, bytes) == LODE_OK;
    made.in_order = roomy ? radix_sort(made.rows, scratch, made.n, words, &stop)
                          : radix_sort_in_place(made.rows, made.n, words, &stop);
    mem_free(m, scratch, roomy ? bytes : 0);
    return made;
}

static lode_status piles_spill(sort_piles *p) {
    lode_status status = LODE_OK;
    for (uint32_t size = 0; size < p->n; size++) {
        vec_u64 *pile = &p->list[size];
        if (pile->n > 0) {
            sort_segment made = pile_sort(p, size);
            LODE_TRY(store_spill(p->store, p->near, &made));
        }
        pile_free(p, pile);
    }
done:
    return status;
}

static bool piles_have_room(sort_piles *p) {
    sort_store *s = p->store;
    pthread_mutex_lock(&s->lock);
    bool has = s->bytes + p->bytes <= store_limit(s->job);
    pthread_mutex_unlock(&s->lock);
    return has;
}

lode_status piles_pass_on(sort_piles *p) {
    lode_status status = LODE_OK;
    if (!piles_have_room(p)) return piles_spill(p);
    for (uint32_t size = 0; size < p->n; size++) {
        if (p->list[size].n == 0) continue;
        sort_segment made = pile_sort(p, size);
        LODE_TRY(store_keep(p->store, &made));
        p->bytes -= made.bytes;
        p->list[size] = (vec_u64){0}; /* it is the store's now */
    }
done:
    return status;
}

/* ---- piles ---------------------------------------------------------------------------------- */

lode_status piles_reach(sort_piles *p, size_t size) {
    if (size < p->n) return LODE_OK;
    size_t n = 2 * size + 16, old = p->n * sizeof *p->list;
    lode_status status = mem_resize(piles_mem(p), (void **)&p->list, old, n * sizeof *p->list);
    if (status != LODE_OK) return status;
    memset(p->list + p->n, 0, n * sizeof *p->list - old);
    p->n = n;
    return LODE_OK;
}

static lode_status pile_grow(sort_piles *p, vec_u64 *pile, size_t words) {
    size_t before = pile->cap;
    lode_status status = vec_u64_reserve(piles_mem(p), pile, words);
    p->bytes += (pile->cap - before) * sizeof *pile->data;
    size_t bytes = pile->cap * sizeof *pile->data;
    if (pile->cap > before && bytes >= SORT_HUGE_BYTES) os_pages_prefer_huge(pile->data, bytes);
    return status;
}

lode_status piles_room(sort_piles *p, uint32_t size, size_t words) {
    lode_status status = LODE_OK;
    vec_u64 *pile = &p->list[size];
    if (pile->cap - pile->n >= words) return LODE_OK;
    size_t more = (pile->cap > words ? pile->cap : words) * sizeof *pile->data;
    if (p->bytes + more > p->most && p->bytes > 0) LODE_TRY(piles_spill(p));
    status = pile_grow(p, pile, words);
    if (status != LODE_BUDGET || p->bytes == 0) return status;
    LODE_TRY(piles_spill(p));
    status = pile_grow(p, pile, words);
done:
    return status;
}

void piles_free(sort_piles *p) {
    if (!p->store) return;
    for (size_t i = 0; i < p->n; i++) pile_free(p, &p->list[i]);
    mem_free(piles_mem(p), p->list, p->n * sizeof *p->list);
    *p = (sort_piles){0};
}
