/* callback.c - receives patterns as they are found, prints the first five, and stops the search
 *
 *     callback FILE SUPPORT
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

typedef struct printer {
    const lode_dataset *data;
    unsigned left; /* patterns still to be printed */
} printer;

static void print_item(const lode_dataset *data, uint32_t item) {
    char name[80];
    size_t n = lode_dataset_item_name(data, item, name, sizeof name);
    printf("%.*s ", (int)(n < sizeof name ? n : sizeof name), name);
}

/* A batch holds the patterns prefix + items[i]. Calls never overlap, so no lock is needed. */
static int print_batch(void *user, const lode_batch *batch) {
    printer *p = user;
    for (uint32_t i = 0; i < batch->n && p->left > 0; i++, p->left--) {
        for (uint32_t k = 0; k < batch->n_prefix; k++) print_item(p->data, batch->prefix[k]);
        print_item(p->data, batch->items[i]);
        printf("occur together in %llu transactions\n", (unsigned long long)batch->supports[i]);
    }
    return p->left == 0; /* not zero stops the search */
}

int main(int argc, char **argv) {
    lode_options *options = NULL;
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_dataset *data = NULL;
    printer p = {.left = 5};
    char message[200];

    if (argc != 3) {
        fprintf(stderr, "usage: callback FILE SUPPORT\n");
        return 2;
    }
    if (lode_options_create(&options) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    if (lode_options_set(options, "min-size", "2", message, sizeof message) != LODE_OK) return 2;
    if (lode_options_set(options, "min-support", argv[2], message, sizeof message) != LODE_OK) {
        fprintf(stderr, "min-support %s\n", message);
        return 2;
    }
    if (lode_job_create(&job, NULL, lode_options_job(options)) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_status status = lode_dataset_open(job, &data, argv[1], lode_options_read(options));
    p.data = data;
    if (status == LODE_OK) status = lode_sink_callback(job, &sink, print_batch, &p);
    if (status == LODE_OK) status = lode_mine(job, data, lode_options_mine(options), sink);
    if (status == LODE_STOPPED) status = LODE_OK; /* we asked for it */
    if (status != LODE_OK) fprintf(stderr, "%s\n", lode_job_error(job));

    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(options);
    return status == LODE_OK ? 0 : 1;
}
