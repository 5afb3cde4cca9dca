/* dataset_make.c - data sets from arrays and from other data sets
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/builder.h"
#include "runtime/valid.h"

#define MAKE_BLOCK_ITEMS ((size_t)1 << 17) /* about as many as in a reader's block */

/* Ends the current block if it is large enough, or with `flush`, and begins the next. */
static lode_status make_next_block(builder_worker *w, bool flush) {
    if (!flush && w->items.n + w->ends.n < MAKE_BLOCK_ITEMS) return LODE_OK;
    lode_status status = worker_end_block(w);
    worker_begin_block(w, w->sequence + 1);
    return status;
}

static lode_status make_check_arrays(lode_job *job, uint64_t n_transactions,
                                     const uint64_t *offsets, const uint32_t *items) {
    if (n_transactions == 0) return LODE_OK;
    if (n_transactions > UINT32_MAX) {
        return job_fail(job, LODE_UNSUPPORTED, "%llu transactions; at most 2^32 - 1 are supported",
                        (unsigned long long)n_transactions);
    }
    if (!offsets) return job_fail(job, LODE_INVALID, "offsets is NULL; expected n + 1 numbers");
    for (uint64_t t = 0; t < n_transactions; t++) {
        if (offsets[t + 1] >= offsets[t]) continue;
        return job_fail(job, LODE_INVALID, "offsets[%llu] is less than the one before",
                        (unsigned long long)(t + 1));
    }
    if (!items && offsets[n_transactions] > offsets[0]) {
        return job_fail(job, LODE_INVALID, "items is NULL; expected the items");
    }
    return LODE_OK;
}

static lode_status make_push_array(builder_worker *w, const uint32_t *items, uint64_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(worker_reserve(w, (size_t)n));
    for (uint64_t i = 0; i < n; i++) {
        uint32_t code;
        LODE_TRY(worker_code_number(w, items[i], &code));
        worker_push(w, code);
    }
    LODE_TRY(worker_end_transaction(w));
    LODE_TRY(make_next_block(w, false));
done:
    return status;
}

static lode_status make_push_arrays(builder *b, uint64_t n_transactions, const uint64_t *offsets,
                                    const uint32_t *items) {
    lode_status status = LODE_OK;
    builder_worker *w = builder_get_worker(b, 0);
    worker_begin_block(w, 0);
    for (uint64_t t = 0; t < n_transactions; t++) {
        LODE_TRY(
            make_push_array(w, items ? items + offsets[t] : NULL, offsets[t + 1] - offsets[t]));
    }
    LODE_TRY(make_next_block(w, true));
done:
    return status;
}

/* The budget was exceeded while the arrays were copied. */
static lode_status make_explain_budget(builder *b, uint64_t n, const uint64_t *offsets) {
    uint64_t n_items = offsets[n] - offsets[0],
             done = builder_get_worker(b, 0)->totals.n_occurrences;
    double share = done > 0 && done < n_items ? (double)done / (double)n_items : 0.999;
    return builder_explain_budget(b, share, (n_items + n) * sizeof(uint32_t));
}

lode_status lode_dataset_from_arrays(lode_job *job, lode_dataset **out, uint64_t n_transactions,
                                     const uint64_t *offsets, const uint32_t *items,
                                     const uint32_t *weights) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    builder *b = NULL;
    lode_dataset *data = NULL;
    VALID_CALL(job, VALID_NEEDS(out));
    LODE_TRY(make_check_arrays(job, n_transactions, offsets, items));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    job_forget_need(job);
    LODE_TRY(builder_create(job, &b, 1, "the arrays"));
    status = make_push_arrays(b, n_transactions, offsets, items);
    if (status == LODE_BUDGET) status = make_explain_budget(b, n_transactions, offsets);
    LODE_TRY(status);
    LODE_TRY(builder_finish(b, &data));
    if (weights && n_transactions > 0) {
        LODE_TRY(dataset_take_weights(data, weights));
    }
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    builder_free(b);
    lease_leave(&call);
    return job_explain(job, status, "copying the arrays");
}

/* ---- Joining parts ---- */

/* The worker's code of every item of a part. */
static lode_status merge_codes(builder_worker *w, const lode_dataset *part, uint32_t *codes) {
    lode_status status = LODE_OK;
    for (uint32_t id = 0; id < part->item_bound; id++) {
        if (part->names) {
            size_t n;
            const char *name = dict_name(part->names, id, &n);
            LODE_TRY(worker_code(w, name, n, &codes[id]));
        } else if (part->item_supports[id] > 0) {
            LODE_TRY(worker_code_number(w, dataset_item_of(part, id), &codes[id]));
        }
    }
done:
    return status;
}

static lode_status merge_push(builder_worker *w, const lode_dataset *part, const uint32_t *codes) {
    lode_status status = LODE_OK;
    for (size_t b = 0; b < part->n_blocks; b++) {
        const data_block *block = &part->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) {
            uint32_t n = block->offsets[i + 1] - block->offsets[i];
            LODE_TRY(worker_reserve(w, n));
            for (uint32_t k = 0; k < n; k++) {
                worker_push(w, codes[block->items[block->offsets[i] + k]]);
            }
            LODE_TRY(worker_end_transaction(w));
            LODE_TRY(make_next_block(w, false));
        }
    }
done:
    return status;
}

static lode_status merge_part(builder_worker *w, const lode_dataset *part) {
    lode_status status = LODE_OK;
    uint32_t *codes = NULL;
    size_t bytes = part->item_bound * sizeof *codes;
    LODE_TRY(mem_zalloc(w->mem, (void **)&codes, bytes));
    LODE_TRY(merge_codes(w, part, codes));
    LODE_TRY(merge_push(w, part, codes));
done:
    mem_free(w->mem, codes, codes ? bytes : 0);
    return status;
}

static lode_status merge_weights(lode_dataset *data, const lode_dataset *const *parts,
                                 size_t n_parts) {
    bool any = false;
    for (size_t i = 0; i < n_parts; i++) any = any || parts[i]->weights;
    size_t n = (size_t)data->profile.n_transactions;
    if (!any) return LODE_OK;
    lode_status status =
        mem_resize(data->mem, (void **)&data->weights, 0, n * sizeof *data->weights);
    if (status != LODE_OK) return status;
    size_t at = 0;
    for (size_t i = 0; i < n_parts; i++) {
        for (uint64_t t = 0; t < parts[i]->profile.n_transactions; t++) {
            data->weights[at++] = parts[i]->weights ? parts[i]->weights[t] : 1;
        }
    }
    dataset_weigh(data);
    return LODE_OK;
}

static void merge_profile(lode_dataset *data, const lode_dataset *const *parts, size_t n_parts) {
    for (size_t i = 0; i < n_parts; i++) {
        const lode_profile *p = &parts[i]->profile;
        data->profile.n_repeated += p->n_repeated;
        data->profile.n_skipped += p->n_skipped;
        data->profile.read_seconds += p->read_seconds;
        data->profile.n_files += p->n_files;
    }
    if (n_parts == 0) return;
    data->profile.format = parts[0]->profile.format;
    data->profile.separator = parts[0]->profile.separator;
}

lode_status lode_dataset_merge(lode_job *job, lode_dataset **out, const lode_dataset *const *parts,
                               size_t n_parts) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    builder *b = NULL;
    lode_dataset *data = NULL;
    VALID_CALL(job, VALID_NEEDS(out), {parts || n_parts == 0, "parts"});
    for (size_t i = 0; i < n_parts; i++) {
        if (!parts[i]) return job_fail(job, LODE_INVALID, "parts[%zu] is NULL", i);
        LODE_TRY(dataset_in_memory(job, parts[i]));
    }
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(builder_create(job, &b, 1, "the joint data set"));
    builder_worker *w = builder_get_worker(b, 0);
    worker_begin_block(w, 0);
    for (size_t i = 0; i < n_parts; i++) LODE_TRY(merge_part(w, parts[i]));
    LODE_TRY(make_next_block(w, true));
    LODE_TRY(builder_finish(b, &data));
    LODE_TRY(merge_weights(data, parts, n_parts));
    merge_profile(data, parts, n_parts);
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    builder_free(b);
    lease_leave(&call);
    return job_explain(job, status, "joining the parts");
}
