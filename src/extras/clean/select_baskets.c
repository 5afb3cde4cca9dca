/* select_baskets.c - lode_dataset_select(): the transactions that match, one by one
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/matching.h"
#include "runtime/valid.h"

typedef struct select_call {
    lode_job *job;
    const lode_dataset *data;
    lode_basket_fn each;
    void *user;
    vec_u32 items; /* as the program knows them */
} select_call;

static lode_status select_one(void *user, uint64_t t, const uint32_t *ids, uint32_t n) {
    select_call *s = user;
    const lode_dataset *data = s->data;
    s->items.n = 0;
    lode_status status = vec_u32_reserve(&s->job->mem, &s->items, n);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) s->items.data[i] = dataset_item_of(data, ids[i]);
    lode_basket basket = {.size = sizeof basket,
                          .number = t,
                          .items = s->items.data,
                          .n_items = n,
                          .weight = data->weights ? data->weights[t] : 1};
    basket.id = dataset_transaction_id(data, t, &basket.id_bytes);
    return s->each(s->user, &basket) == 0 ? LODE_OK : LODE_STOPPED;
}

lode_status lode_dataset_select(lode_job *job, const lode_dataset *data,
                                const lode_select_options *options, lode_basket_fn each, void *user,
                                uint64_t *n) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_select_options o;
    matching m = {0};
    select_call s = {.job = job, .data = data, .each = each, .user = user};
    uint64_t found = 0;
    VALID_CALL(job, VALID_NEEDS(data));
    LODE_TRY(valid_take(job, VALID_SELECT, options, &o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(matching_create(job, data, &o, &m));
    LODE_TRY(matching_walk(job, &m, o.limit, each ? select_one : NULL, &s, &found));
done:
    if (n) *n = found;
    matching_clear(&m);
    vec_u32_free(&job->mem, &s.items);
    lease_leave(&call);
    return job_explain(job, status, "looking for transactions");
}
