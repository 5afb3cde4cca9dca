/* worker_write.c - write: writes the open baskets to a file that other programs can mine
 *
 * Some programs only accept numbers as items. In the library, the items of data with names are 0,
 * 1, 2, … already, so a data set without names is made from these numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "worker.h"

/* The transactions by columns, as lode_dataset_from_arrays() takes them. */
typedef struct write_columns {
    uint64_t *offsets;
    uint32_t *items, *weights;
} write_columns;

static bool write_fill(const lode_dataset *data, const lode_profile *p, write_columns *c) {
    c->offsets = malloc((p->n_transactions + 1) * sizeof *c->offsets);
    c->items = malloc((p->n_occurrences + 1) * sizeof *c->items);
    c->weights = malloc((p->n_transactions + 1) * sizeof *c->weights);
    if (!c->offsets || !c->items || !c->weights) return false;
    uint64_t n = 0;
    for (uint64_t t = 0; t < p->n_transactions; t++) {
        c->offsets[t] = n;
        n += lode_dataset_transaction(data, t, c->items + n, p->longest);
        c->weights[t] = lode_dataset_transaction_weight(data, t);
    }
    c->offsets[p->n_transactions] = n;
    return true;
}

/* The same baskets with items for names. */
static lode_status write_without_names(worker_call *c, lode_job *job, lode_dataset **out) {
    const lode_dataset *data = worker_open_data.data;
    lode_profile p = cli_profile(data);
    write_columns columns = {0};
    bool weighted = lode_dataset_total_weight(data) != p.n_transactions;
    lode_status status = write_fill(data, &p, &columns) ? LODE_OK : LODE_NOMEM;
    if (status == LODE_OK) {
        status = lode_dataset_from_arrays(job, out, p.n_transactions, columns.offsets,
                                          columns.items, weighted ? columns.weights : NULL);
        if (status != LODE_OK) worker_failed(c, job, status);
    }
    free(columns.offsets);
    free(columns.items);
    free(columns.weights);
    return status;
}

static lode_status write_file(worker_call *c, lode_options *o, const char *path) {
    lode_job *job = NULL;
    lode_dataset *numbered = NULL;
    const lode_dataset *data = worker_open_data.data;
    const lode_basket_write_options *w = lode_options_basket_write(o);
    lode_status status = worker_job_start(c, o, worker_open_data.threads, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    if (w->format == LODE_BASKET_FIMI && !lode_dataset_has_numbers(data)) {
        status = write_without_names(c, job, &numbered);
    }
    if (status == LODE_OK) {
        status = lode_dataset_write(job, numbered ? numbered : data, NULL, path, w);
        if (status != LODE_OK) worker_failed(c, job, status);
    }
    lode_dataset_free(numbered);
    worker_job_end(c, job);
    return status;
}

static lode_status write_may_begin(worker_call *c, const char *path) {
    if (!worker_open_data.data) {
        return worker_refuse(c, LODE_UNSUPPORTED, "write: the data are graphs, not baskets");
    }
    if (path && path[0] && strcmp(path, "-") != 0) return LODE_OK;
    return worker_refuse(c, LODE_INVALID, "write: expected path=, the name of a file");
}

lode_status worker_write(worker_call *c, worker_text *json) {
    const char *path = worker_request_get(&c->request, "path");
    const char *format = worker_request_get(&c->request, "format");
    lode_options *o = NULL;
    struct stat file = {0};
    c->output = path;
    lode_status status = write_may_begin(c, path);
    if (status != LODE_OK) return status;
    status = lode_options_create(&o);
    if (status == LODE_OK) {
        status =
            worker_set_option(c, LODE_OPTION_BASKET_WRITE, "write", format ? format : "fimi", o);
    }
    if (status == LODE_OK) status = write_file(c, o, path);
    lode_options_free(o);
    if (status != LODE_OK) return status;
    if (stat(path, &file) != 0) file.st_size = 0;
    worker_addf(json, "{\"bytes\":%llu,\"transactions\":%llu}", (unsigned long long)file.st_size,
                (unsigned long long)cli_profile(worker_open_data.data).n_transactions);
    return LODE_OK;
}
