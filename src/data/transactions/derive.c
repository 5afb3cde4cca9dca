/* derive.c - see derive.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/derive.h"

#include "data/transactions/builder.h"

#define DERIVE_BLOCK_ITEMS ((size_t)1 << 17) /* about as many as in a reader's block */

typedef struct derive_state {
    lode_job *job;
    const lode_dataset *from;
    const derive_plan *plan;
    builder_worker *w;
    uint32_t *codes; /* by id: of the builder */
} derive_state;

static lode_status derive_code(derive_state *d, uint32_t id) {
    const derive_plan *plan = d->plan;
    const dict *names = plan->names ? plan->names : d->from->names;
    uint32_t number = plan->names ? plan->to[id] : id;
    size_t n;
    d->codes[id] = DERIVE_DROPPED;
    if (plan->to[id] == DERIVE_DROPPED) return LODE_OK;
    if (!names) return worker_code_number(d->w, dataset_item_of(d->from, id), &d->codes[id]);
    const char *name = dict_name(names, number, &n);
    return worker_code(d->w, name, n, &d->codes[id]);
}

static lode_status derive_codes(derive_state *d) {
    lode_status status = LODE_OK;
    for (uint32_t id = 0; id < d->from->item_bound && status == LODE_OK; id++) {
        if (id % 16384 == 0) status = job_check(d->job);
        d->codes[id] = DERIVE_DROPPED; /* stays for items that only transactions of weight 0 have */
        if (status == LODE_OK && d->from->item_supports[id] > 0) status = derive_code(d, id);
    }
    return status;
}

static lode_status derive_end(derive_state *d, uint64_t t) {
    const lode_dataset *from = d->from;
    builder_note note = {.weighted = from->weights != NULL, .named = from->ids.ends != NULL};
    if (!note.weighted && !note.named) return worker_end_transaction(d->w);
    if (note.weighted) note.weight = from->weights[t];
    if (note.named) note.id = dataset_transaction_id(from, t, &note.id_bytes);
    return worker_end_noted(d->w, &note);
}

static lode_status derive_transaction(derive_state *d, const data_block *block, uint32_t i) {
    lode_status status = LODE_OK;
    const uint32_t *ids = block->items + block->offsets[i];
    const uint32_t n = block->offsets[i + 1] - block->offsets[i];
    LODE_TRY(worker_reserve(d->w, n));
    for (uint32_t k = 0; k < n; k++) {
        uint32_t code = d->codes[ids[k]];
        if (code != DERIVE_DROPPED) worker_push(d->w, code);
    }
    LODE_TRY(derive_end(d, block->first + i));
    if (d->w->items.n + d->w->ends.n < DERIVE_BLOCK_ITEMS) goto done;
    LODE_TRY(worker_end_block(d->w));
    worker_begin_block(d->w, d->w->sequence + 1);
done:
    return status;
}

static lode_status derive_push(derive_state *d) {
    lode_status status = LODE_OK;
    const uint8_t *dropped = d->plan->dropped;
    worker_begin_block(d->w, 0);
    for (size_t b = 0; b < d->from->n_blocks; b++) {
        const data_block *block = &d->from->blocks[b];
        LODE_TRY(job_check(d->job));
        for (uint32_t i = 0; i < block->n; i++) {
            if (dropped && dropped[block->first + i]) continue;
            LODE_TRY(derive_transaction(d, block, i));
        }
    }
    LODE_TRY(worker_end_block(d->w));
done:
    return status;
}

/* The budget was exceeded: how much was done tells how much is needed. */
static lode_status derive_explain_budget(derive_state *d, builder *b) {
    uint64_t all = d->from->profile.n_occurrences, done = d->w->totals.n_occurrences;
    double share = done > 0 && done < all ? (double)done / (double)all : 0.999;
    return builder_explain_budget(b, share, all * sizeof(uint32_t));
}

lode_status derive_run(lode_job *job, const lode_dataset *from, const derive_plan *plan,
                       lode_dataset **out, uint64_t *n_merged) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    builder *b = NULL;
    derive_state d = {.job = job, .from = from, .plan = plan};
    size_t bytes = from->item_bound * sizeof *d.codes;
    LODE_TRY(mem_zalloc(m, (void **)&d.codes, bytes));
    LODE_TRY(builder_create(job, &b, 1, "the new data set"));
    d.w = builder_get_worker(b, 0);
    status = derive_codes(&d);
    if (status == LODE_OK) status = derive_push(&d);
    if (status == LODE_BUDGET) status = derive_explain_budget(&d, b);
    LODE_TRY(status);
    LODE_TRY(builder_finish(b, out));
    *n_merged = (*out)->profile.n_repeated;
    (*out)->profile.n_repeated = 0;
done:
    mem_free(m, d.codes, d.codes ? bytes : 0);
    builder_free(b);
    return status;
}
