/* fingerprint.c - a hash of a data set: lode_dataset_fingerprint
 *
 * That of a transaction is made of the hashes of its items' names and of its weight; those of all
 * transactions are added up, so that neither ids nor the order in which threads read matters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/dataset.h"

static uint64_t fingerprint_row(const lode_dataset *data, const uint32_t *ids, uint32_t n,
                                uint64_t weight) {
    uint64_t sum = weight;
    for (uint32_t i = 0; i < n; i++) sum += dataset_id_hash(data, ids[i]);
    return bits_mix(sum);
}

/* The sum of what a reader has in its block. */
static uint64_t fingerprint_block(const lode_dataset *data, const spool_reader *r) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < r->n; t++) {
        uint32_t start = r->offsets.data[t], n = r->offsets.data[t + 1] - start;
        sum +=
            fingerprint_row(data, r->items.data + start, n, r->weighted ? r->weights.data[t] : 1);
    }
    return sum;
}

/* The sum of all transactions on disk; false: they cannot be read. */
static bool fingerprint_spool(const lode_dataset *data, uint64_t *sum) {
    spool_reader r = {0};
    lode_job *job = NULL;
    uint64_t n_read = atomic_load(&data->spool->n_read);
    lode_status status = lode_job_create(&job, data->home->ctx, NULL);
    if (status == LODE_OK) spool_reader_open(&r, job, &job->mem, data->spool);
    while (status == LODE_OK && (status = spool_next(&r)) == LODE_OK && r.n > 0) {
        *sum += fingerprint_block(data, &r);
    }
    spool_reader_close(&r);
    lode_job_free(job);
    atomic_store(&data->spool->n_read, n_read); /* the report is about mining */
    return status == LODE_OK;
}

/* Makes lists of transactions that are bits; false: there is no memory. */
static bool fingerprint_list(const lode_dataset *data) {
    lode_job *job = NULL;
    lode_status status = lode_job_create(&job, data->home->ctx, NULL);
    if (status == LODE_OK) status = dataset_in_memory(job, data);
    lode_job_free(job);
    return status == LODE_OK;
}

uint64_t lode_dataset_fingerprint(const lode_dataset *data) {
    if (!data || (data->dense && !fingerprint_list(data))) return 0;
    uint64_t n = data->profile.n_transactions, sum = n;
    if (data->spool) return fingerprint_spool(data, &sum) ? bits_mix(sum) : 0;
    for (uint64_t t = 0; t < n; t++) {
        uint32_t n_ids = 0;
        const uint32_t *ids = dataset_row(data, t, &n_ids);
        sum += fingerprint_row(data, ids, n_ids, data->weights ? data->weights[t] : 1);
    }
    return bits_mix(sum);
}
