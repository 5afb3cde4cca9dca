/* width.c - see width.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/width.h"

static uint32_t frequent_items(const lode_dataset *data, uint64_t t, uint64_t threshold) {
    uint32_t n, frequent = 0;
    const uint32_t *items = dataset_row(data, t, &n);
    for (uint32_t i = 0; i < n; i++) frequent += data->item_supports[items[i]] >= threshold;
    return frequent;
}

lode_status width_bound(lode_job *job, const lode_dataset *data, uint64_t threshold,
                        uint32_t *width) {
    uint64_t *by_length = NULL, sum = 0;
    uint32_t length = data->profile.longest;
    size_t bytes = ((size_t)length + 1) * sizeof *by_length;
    lode_status status = mem_zalloc(&job->mem, (void **)&by_length, bytes);
    if (status != LODE_OK) return status;
    for (uint64_t t = 0; t < data->profile.n_transactions; t++) {
        by_length[frequent_items(data, t, threshold)] += data->weights ? data->weights[t] : 1;
    }
    for (;; length--) {
        sum += by_length[length];
        if (sum >= threshold || length == 0) break;
    }
    *width = length;
    mem_free(&job->mem, by_length, bytes);
    return LODE_OK;
}
