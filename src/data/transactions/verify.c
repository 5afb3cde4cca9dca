/* verify.c - see verify.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/verify.h"

#include "base/figures.h"
#include "base/sort.h"
#include "data/transactions/recount.h"

#define VERIFY_MOST_ITEMS  ((size_t)1 << 18) /* of a batch: more only cost memory */
#define VERIFY_LEAST_ITEMS ((size_t)1 << 10)
#define VERIFY_ITEM_BYTES  160 /* of a batch and of recount.c, per item of the batch, at most */
#define VERIFY_ID_BYTES    12  /* of recount.c, per item of the data */
#define VERIFY_PART        4   /* of the memory left: the part for batches */
#define VERIFY_NAMES       200 /* bytes of the names in a message */

void verify_begin(verifier *v, lode_job *job, const lode_dataset *data) {
    size_t room = mem_left(&job->mem) / VERIFY_PART / job->threads / VERIFY_ITEM_BYTES;
    v->job = job;
    v->data = data;
    v->room = room > VERIFY_MOST_ITEMS    ? VERIFY_MOST_ITEMS
              : room < VERIFY_LEAST_ITEMS ? VERIFY_LEAST_ITEMS
                                          : room;
    atomic_store(&v->verified, 0);
}

uint64_t verify_need(const verifier *v) {
    uint64_t batch = (uint64_t)v->room * VERIFY_ITEM_BYTES;
    return v->job->threads * (batch + (uint64_t)v->data->item_bound * VERIFY_ID_BYTES);
}

lode_status verify_add(const verifier *v, verify_batch *batch, verify_side a, verify_side b,
                       uint64_t claimed) {
    lode_status status = LODE_OK;
    mem *m = &v->job->mem;
    size_t n = (size_t)a.n + b.n;
    LODE_TRY(vec_u32_reserve(m, &batch->items, n));
    LODE_TRY(vec_u64_reserve(m, &batch->offsets, 2));
    LODE_TRY(vec_u64_push(m, &batch->claimed, claimed));
    uint32_t *to = batch->items.data + batch->items.n;
    if (a.n > 0) memcpy(to, a.items, a.n * sizeof *a.items);
    if (b.n > 0) memcpy(to + a.n, b.items, b.n * sizeof *b.items);
    sort_u32(to, n);
    if (batch->offsets.n == 0) batch->offsets.data[batch->offsets.n++] = 0;
    batch->items.n += n;
    batch->offsets.data[batch->offsets.n++] = batch->items.n;
done:
    return status;
}

/* Says that the search and the second count differ. */
static lode_status verify_refuse(const verifier *v, const uint32_t *items, size_t n,
                                 uint64_t claimed, uint64_t counted) {
    char names[VERIFY_NAMES] = "", name[64], found[FIGURE_BYTES], again[FIGURE_BYTES];
    for (size_t i = 0; i < n; i++) {
        size_t bytes = dataset_id_name(v->data, items[i], name, sizeof name);
        bool cut = bytes > sizeof name || i == 10;
        append_text(names, sizeof names, "%s%.*s%s", i > 0 ? ", " : "",
                    i == 10 ? 0 : (int)(cut ? sizeof name : bytes), name, cut ? "…" : "");
        if (i == 10) break;
    }
    return job_fail(v->job, LODE_INTERNAL,
                    "--verify: the search found {%s} in %s transactions, but a second count found "
                    "it in %s; this is an error in lode, so please report it. Another --algorithm "
                    "may give the right result",
                    names, figure_count(claimed, found), figure_count(counted, again));
}

static lode_status verify_compare(const verifier *v, const verify_batch *batch,
                                  const uint64_t *supports) {
    const uint64_t *offsets = batch->offsets.data;
    for (size_t i = 0; i < batch->claimed.n; i++) {
        if (supports[i] == batch->claimed.data[i]) continue;
        return verify_refuse(v, batch->items.data + offsets[i],
                             (size_t)(offsets[i + 1] - offsets[i]), batch->claimed.data[i],
                             supports[i]);
    }
    return LODE_OK;
}

static lode_status verify_count(verifier *v, verify_batch *batch) {
    lode_status status = LODE_OK;
    mem *m = &v->job->mem;
    size_t bytes = batch->claimed.n * sizeof(uint64_t);
    uint64_t *supports = NULL;
    if (batch->claimed.n == 0) return LODE_OK;
    LODE_TRY(mem_zalloc(m, (void **)&supports, bytes));
    recount_sets sets = {batch->items.data, batch->offsets.data, supports, batch->claimed.n};
    LODE_TRY(recount_alone(v->job, v->data, &sets));
    LODE_TRY(verify_compare(v, batch, supports));
    atomic_fetch_add(&v->verified, batch->patterns);
    batch->items.n = batch->offsets.n = batch->claimed.n = 0;
    batch->patterns = 0;
done:
    mem_free(m, supports, supports ? bytes : 0);
    return status;
}

lode_status verify_pattern(verifier *v, verify_batch *batch) {
    batch->patterns++;
    return batch->items.n < v->room ? LODE_OK : verify_count(v, batch);
}

lode_status verify_end(verifier *v, mem *m, verify_batch *batch) {
    lode_status status = v ? verify_count(v, batch) : LODE_OK;
    vec_u32_free(m, &batch->items);
    vec_u64_free(m, &batch->offsets);
    vec_u64_free(m, &batch->claimed);
    return status;
}
