/* count.c - the smallest program: how many itemsets are frequent?
 *
 *     count FILE SUPPORT        for example: count baskets.csv 1%
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

int main(int argc, char **argv) {
    lode_options *options = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    char message[200];

    if (argc != 3) {
        fprintf(stderr, "usage: count FILE SUPPORT\n");
        return 2;
    }
    if (lode_options_create(&options) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    if (lode_options_set(options, "min-support", argv[2], message, sizeof message) != LODE_OK) {
        fprintf(stderr, "min-support %s\n", message);
        return 2;
    }
    if (lode_job_create(&job, NULL, lode_options_job(options)) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }

    /* Every example does this: continue while status is OK, print one error, free everything. */
    lode_status status = lode_dataset_open(job, &data, argv[1], lode_options_read(options));
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, lode_options_mine(options), sink);
    if (status == LODE_OK) {
        printf("%llu itemsets\n", (unsigned long long)lode_sink_patterns(sink));
    } else {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }

    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(options);
    return status == LODE_OK ? 0 : 1;
}
