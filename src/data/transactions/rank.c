/* rank.c - see rank.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/rank.h"

static bool rank_before(const ranked_item *a, const ranked_item *b) {
    return a->support != b->support ? a->support < b->support : a->id < b->id;
}

#define SORT_NAME   sort_ranked
#define SORT_TYPE   ranked_item
#define SORT_BEFORE rank_before
#include "base/sort_body.h"

uint32_t rank_count(const lode_dataset *data, const uint64_t *supports, uint64_t min_count) {
    uint32_t n = 0, end = data->order ? data->n_order : data->item_bound;
    for (uint32_t i = 0; i < end; i++) {
        n += supports[data->order ? data->order[i] : i] >= min_count;
    }
    return n;
}

/* As the data set orders them: from its end. */
static void rank_as_ordered(const lode_dataset *data, const uint64_t *supports, uint64_t min_count,
                            ranking *r) {
    for (uint32_t i = data->n_order, k = 0; i-- > 0;) {
        uint32_t id = data->order[i];
        if (supports[id] >= min_count) r->items[k++] = (ranked_item){supports[id], id};
    }
}

lode_status rank_frequent(lode_job *job, const lode_dataset *data, const uint64_t *supports,
                          uint64_t min_count, ranking *out) {
    lode_status status = LODE_OK;
    ranking r = {.n = rank_count(data, supports, min_count)};
    LODE_TRY(mem_resize(&job->mem, (void **)&r.items, 0, r.n * sizeof *r.items));
    if (data->order) {
        rank_as_ordered(data, supports, min_count, &r);
        goto done;
    }
    for (uint32_t i = 0, k = 0; i < data->item_bound; i++) {
        if (supports[i] >= min_count) r.items[k++] = (ranked_item){supports[i], i};
    }
    sort_stop stop = job_sort_stop(job);
    if (!sort_ranked(r.items, r.n, &stop)) LODE_LEAVE(job_check(job));
done:
    if (status != LODE_OK) rank_free(job, &r);
    *out = r;
    return status;
}

void rank_free(lode_job *job, ranking *r) {
    mem_free(&job->mem, r->items, r->items ? r->n * sizeof *r->items : 0);
    *r = (ranking){0};
}
