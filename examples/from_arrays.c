/* from_arrays.c - a data set from arrays, and the result as arrays
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

/* Four baskets: {1 2 3}, {1 2}, {}, {3 2}.
 * Basket t is items[offsets[t]] … items[offsets[t + 1] - 1]. */
static const uint64_t offsets[] = {0, 3, 5, 5, 7};
static const uint32_t items[] = {1, 2, 3, 1, 2, 3, 2};

static void print_result(const lode_result *result) {
    for (uint64_t i = 0; i < result->n; i++) {
        for (uint64_t k = result->offsets[i]; k < result->offsets[i + 1]; k++) {
            printf("%u ", result->items[k]);
        }
        printf("(%llu)\n", (unsigned long long)result->supports[i]);
    }
}

int main(void) {
    lode_mine_options mine = LODE_INIT(lode_mine_options);
    mine.min_support.numerator = 2; /* a count */
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;

    if (lode_job_create(&job, NULL, NULL) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_status status = lode_dataset_from_arrays(job, &data, 4, offsets, items, NULL);
    if (status == LODE_OK) status = lode_sink_memory(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &mine, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false); /* sorts by size, then items */
    if (status == LODE_OK) {
        lode_result result = LODE_INIT(lode_result);
        lode_sink_result(sink, &result); /* lent until the sink is freed */
        print_result(&result);
    } else {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }

    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    return status == LODE_OK ? 0 : 1;
}
