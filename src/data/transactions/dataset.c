/* dataset.c - see dataset.h; reads, checks and frees data sets
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/dataset.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "data/transactions/dense.h"
#include "runtime/valid.h"

size_t data_block_bytes(const data_block *block) {
    return ((size_t)block->n + 1 + block->offsets[block->n]) * sizeof *block->offsets;
}

void data_block_free(mem *m, data_block *block) {
    if (block->offsets && !block->in_slab) mem_free(m, block->offsets, block->own_bytes);
    *block = (data_block){0};
}

void data_slabs_free(mem *m, data_slabs *slabs) {
    for (size_t i = 0; i < slabs->n; i++) mem_free(m, slabs->data[i].memory, slabs->data[i].bytes);
    mem_free(m, slabs->data, slabs->cap * sizeof *slabs->data);
    *slabs = (data_slabs){0};
}

void lode_dataset_free(lode_dataset *data) {
    if (!data) return;
    mem *m = data->mem;
    ctx_home *home = data->home;
    prepared_store_free(data->prepared);
    for (size_t i = 0; i < data->n_blocks; i++) data_block_free(m, &data->blocks[i]);
    data_slabs_free(m, &data->slabs);
    mem_free(m, data->blocks, data->n_blocks * sizeof *data->blocks);
    mem_free(m, data->item_supports, data->item_bound * sizeof *data->item_supports);
    mem_free(m, data->weights, (size_t)data->profile.n_transactions * sizeof *data->weights);
    mem_free(m, data->ids.text, data->ids.bytes);
    if (data->ids.ends) {
        size_t n = (size_t)data->profile.n_transactions;
        mem_free(m, data->ids.ends, n * sizeof *data->ids.ends);
    }
    if (!data->borrows_names) {
        dict_free(data->names);
        mem_free(m, data->numbers, data->numbers ? data->item_bound * sizeof *data->numbers : 0);
    }
    vec_char_free(m, &data->source);
    vec_char_free(m, &data->bins);
    vec_char_free(m, &data->spill);
    spool_free(data->spool);
    dense_free(m, data->dense);
    mem_free(m, data, sizeof *data);
    ctx_home_release(home);
}

lode_status dataset_in_memory(lode_job *job, const lode_dataset *data) {
    if (data->dense) return dense_list(job, data->dense);
    if (!data->spool) return LODE_OK;
    return job_fail(job, LODE_UNSUPPORTED,
                    "these transactions are on disk (--spill), where only itemsets can be mined; "
                    "increase --memory to keep them in memory");
}

bool lode_dataset_profile(const lode_dataset *data, lode_profile *out) {
    return valid_fill(out, data ? &data->profile : NULL);
}

static uint64_t highest_support(const lode_dataset *data) {
    uint64_t highest = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] > highest) highest = data->item_supports[i];
    }
    return highest;
}

void dataset_report(const lode_dataset *data, lode_job *job) {
    static const char *const formats[] = {"",      "fimi",   "spmf", "basket",
                                          "table", "onehot", "json", "attributes"};
    const lode_profile *p = &data->profile;
    double n = (double)p->n_transactions, mean = n > 0 ? (double)p->n_occurrences / n : 0;
    report_input *in = &job->report.input;
    job->report.has_input = true;
    *in = (report_input){
        .format = formats[p->format],
        .separator = {p->separator},
        .n = p->n_transactions,
        .n_empty = p->n_empty,
        .n_skipped = p->n_skipped,
        .total_weight = data->total_weight,
        .weighted = data->weights != NULL || data->weighted,
        .n_items = p->n_items,
        .n_occurrences = p->n_occurrences,
        .longest = p->longest,
        .n_repeated = p->n_repeated,
        .n_files = p->n_files,
        .highest = highest_support(data),
        .mean_length = mean,
        .density = p->n_items > 0 ? mean / (double)p->n_items : 0,
        .read_seconds = p->read_seconds,
    };
    memcpy(in->columns, p->columns, sizeof in->columns);
    snprintf(in->bins, sizeof in->bins, "%s", data->bins.n > 0 ? data->bins.data : "");
    if (data->bins.n > sizeof in->bins) memcpy(in->bins + sizeof in->bins - 4, "…", 4);
    snprintf(in->path, sizeof in->path, "%s", data->source.n > 0 ? data->source.data : "");
}

const data_block *dataset_block_of(const lode_dataset *data, uint64_t t) {
    size_t low = 0;
    size_t high = data->n_blocks;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (data->blocks[middle].first <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &data->blocks[low];
}

const uint32_t *dataset_row(const lode_dataset *data, uint64_t t, uint32_t *n_ids) {
    *n_ids = 0;
    if (t >= data->profile.n_transactions || data->spool) return NULL;
    const data_block *block = dataset_block_of(data, t);
    uint32_t i = (uint32_t)(t - block->first);
    *n_ids = block->offsets[i + 1] - block->offsets[i];
    return block->items + block->offsets[i];
}

uint32_t lode_dataset_transaction(const lode_dataset *data, uint64_t t, uint32_t *items,
                                  uint32_t room) {
    uint32_t n = 0;
    if (data && data->dense) return dense_transaction(data->dense, t, items, room);
    const uint32_t *ids = data ? dataset_row(data, t, &n) : NULL;
    for (uint32_t i = 0; items && i < n && i < room; i++) items[i] = dataset_item_of(data, ids[i]);
    return n;
}

void dataset_weigh(lode_dataset *data) {
    for (uint32_t i = 0; i < data->item_bound; i++) data->item_supports[i] = 0;
    data->total_weight = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) {
            uint32_t weight = data->weights[block->first + i];
            data->total_weight += weight;
            for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
                data->item_supports[block->items[k]] += weight;
            }
        }
    }
}

lode_status dataset_take_weights(lode_dataset *data, const uint32_t *weights) {
    size_t bytes = (size_t)data->profile.n_transactions * sizeof *weights;
    lode_status status = mem_resize(data->mem, (void **)&data->weights, 0, bytes);
    if (status != LODE_OK) return status;
    memcpy(data->weights, weights, bytes);
    dataset_weigh(data);
    return LODE_OK;
}

const char *dataset_transaction_id(const lode_dataset *data, uint64_t t, size_t *n) {
    *n = 0;
    if (!data->ids.ends || t >= data->profile.n_transactions) return NULL;
    uint64_t start = t > 0 ? data->ids.ends[t - 1] : 0;
    *n = (size_t)(data->ids.ends[t] - start);
    return data->ids.text + start;
}

size_t lode_dataset_transaction_id(const lode_dataset *data, uint64_t t, char *buffer,
                                   size_t buffer_bytes) {
    size_t n = 0;
    const char *id = data ? dataset_transaction_id(data, t, &n) : NULL;
    size_t fits = n < buffer_bytes ? n : buffer_bytes;
    if (id && buffer && fits > 0) memcpy(buffer, id, fits);
    return n;
}

uint64_t lode_dataset_total_weight(const lode_dataset *data) {
    return data ? data->total_weight : 0;
}

uint32_t lode_dataset_transaction_weight(const lode_dataset *data, uint64_t t) {
    if (!data || t >= data->profile.n_transactions) return 0;
    return data->weights ? data->weights[t] : 1;
}

/* ---- The rules of dataset.h, one function for each kind ---- */

static const char *validate_row(const lode_dataset *data, const uint32_t *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (items[i] >= data->item_bound) return "an item is not below item_bound";
        if (i > 0 && items[i] <= items[i - 1]) return "items of a transaction are not ascending";
    }
    return NULL;
}

static const char *validate_blocks(const lode_dataset *data) {
    uint64_t first = 0;
    uint64_t occurrences = 0;
    uint64_t empty = 0;
    uint32_t longest = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        if (block->n == 0) return "a block is empty";
        if (block->first != first) return "a block does not begin where the one before ends";
        if (block->offsets[0] != 0) return "offsets do not begin with 0";
        for (uint32_t i = 0; i < block->n; i++) {
            if (block->offsets[i + 1] < block->offsets[i]) return "offsets are not ascending";
            uint32_t n = block->offsets[i + 1] - block->offsets[i];
            const char *broken = validate_row(data, block->items + block->offsets[i], n);
            if (broken) return broken;
            empty += n == 0;
            if (n > longest) longest = n;
        }
        first += block->n;
        occurrences += block->offsets[block->n];
    }
    const lode_profile *p = &data->profile;
    if (first != p->n_transactions) return "n_transactions is wrong";
    if (occurrences != p->n_occurrences) return "n_occurrences is wrong";
    if (empty != p->n_empty) return "n_empty is wrong";
    return longest == p->longest ? NULL : "longest is wrong";
}

bool dataset_validate_blocks(const lode_dataset *data, const char **reason) {
    const char *broken = validate_blocks(data);
    if (broken) *reason = broken;
    return !broken;
}

/* Subtracts what the blocks hold from a copy of the supports; nothing may be left. */
static void validate_subtract(const lode_dataset *data, uint64_t *left) {
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) {
            uint64_t weight = data->weights ? data->weights[block->first + i] : 1;
            for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
                left[block->items[k]] -= weight;
            }
        }
    }
}

static const char *validate_supports(const lode_dataset *data) {
    uint64_t *left = NULL;
    size_t bytes = data->item_bound * sizeof *left;
    if (bytes == 0) return NULL;
    if (mem_resize(data->mem, (void **)&left, 0, bytes) != LODE_OK)
        return "there was no memory to validate";
    memcpy(left, data->item_supports, bytes);
    validate_subtract(data, left);
    const char *broken = NULL;
    uint64_t occurring = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (left[i] != 0) broken = "item_supports is wrong";
        occurring += data->item_supports[i] > 0;
    }
    mem_free(data->mem, left, bytes);
    if (!broken && !data->weights && occurring != data->profile.n_items)
        broken = "n_items is wrong";
    return broken;
}

static const char *validate_numbers(const lode_dataset *data) {
    if (!data->numeric) return "items have no names, but are not marked as numbers";
    for (uint32_t i = 1; data->numbers && i < data->item_bound; i++) {
        if (data->numbers[i] <= data->numbers[i - 1]) return "numbers are not ascending";
    }
    return NULL;
}

static const char *validate_names(const lode_dataset *data) {
    if (!data->names) return validate_numbers(data);
    if (data->numbers) return "items have both names and numbers";
    if (dict_count(data->names) != data->item_bound)
        return "there are not as many names as item ids";
    for (uint32_t i = 0; i < data->item_bound; i++) {
        size_t n;
        const char *name = dict_name(data->names, i, &n);
        if (n == 0) return "a name is empty";
        if (dict_find(data->names, name, n) != i) return "looking up a name does not give its id";
        if (i == 0 || data->numeric) continue;
        size_t n_before;
        const char *before = dict_name(data->names, i - 1, &n_before);
        int order = memcmp(before, name, n_before < n ? n_before : n);
        if (order > 0 || (order == 0 && n_before >= n)) return "names are not in order";
    }
    return NULL;
}

bool dataset_validate(const lode_dataset *data, const char **reason) {
    const char *broken = validate_blocks(data);
    if (!broken) broken = validate_supports(data);
    if (!broken) broken = validate_names(data);
    *reason = broken;
    return !broken;
}

/* ---- a hash of a data set: lode_dataset_fingerprint ------------------------------------------ */

/* The hash of a transaction combines the hashes of its items' names and its weight. The hashes of
 * all transactions are added up, so the sum depends neither on ids nor on the order in which
 * threads read. Each name is hashed once, if there is memory for a table: on T40I10 with a million
 * transactions, hashing each occurrence took 2.8 CPU seconds, twelve times as long as reading the
 * file. */

/* The hashes of all names, or NULL: then each is computed when it is needed. */
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

/* Adds up all transactions on disk; returns false if they cannot be read. */
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

/* Converts transactions from bits to lists; returns false if there is no memory. */
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
