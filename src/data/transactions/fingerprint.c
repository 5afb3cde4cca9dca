/* fingerprint.c - a hash of a data set: lode_dataset_fingerprint
 *
 * That of a transaction is made of the hashes of its items' names and of its weight; those of all
 * transactions are added up, so that neither ids nor the order in which threads read matters. A
 * name is hashed once, if there is memory for a table: on T40I10 of a million transactions, hashing
 * each occurrence took 2.8 CPU seconds, twelve times as long as reading the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/transactions/dataset.h"

/* The hashes of all names; NULL: each is made when it is needed. */
static uint64_t *fingerprint_table(const lode_dataset *data) {
    uint64_t *table = NULL;
    uint32_t n = data->item_bound;
    if (n > data->profile.n_occurrences) return NULL;
    if (mem_resize(data->mem, (void **)&table, 0, n * sizeof *table) != LODE_OK) return NULL;
    for (uint32_t id = 0; id < n; id++) {
        bool occurs = data->item_supports[id] > 0 || data->weights;
        table[id] = occurs ? dataset_id_hash(data, id) : 0;
    }
    return table;
}

static uint64_t fingerprint_row(const lode_dataset *data, const uint32_t *ids, uint32_t n,
                                uint64_t weight) {
    uint64_t sum = weight;
    for (uint32_t i = 0; i < n; i++) sum += dataset_id_hash(data, ids[i]);
    return bits_mix(sum);
}

/* The same with a table. */
static uint64_t fingerprint_row_by(const uint64_t *table, const uint32_t *ids, uint32_t n,
                                   uint64_t weight) {
    uint64_t sum = weight;
    for (uint32_t i = 0; i < n; i++) sum += table[ids[i]];
    return bits_mix(sum);
}

/* The sum of the transactions of a block in memory. */
static uint64_t fingerprint_rows(const lode_dataset *data, const data_block *block,
                                 const uint64_t *table) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < block->n; t++) {
        uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
        uint64_t weight = data->weights ? data->weights[block->first + t] : 1;
        const uint32_t *ids = block->items + start;
        sum += table ? fingerprint_row_by(table, ids, n, weight)
                     : fingerprint_row(data, ids, n, weight);
    }
    return sum;
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
    uint64_t *table = fingerprint_table(data);
    for (size_t b = 0; b < data->n_blocks; b++) {
        sum += fingerprint_rows(data, &data->blocks[b], table);
    }
    mem_free(data->mem, table, table ? data->item_bound * sizeof *table : 0);
    return bits_mix(sum);
}
