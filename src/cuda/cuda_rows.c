/* cuda_rows.c - the CUDA backend's operations on bit rows; see device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "cuda/device.h"

/* ---- two rows ------------------------------------------------------------------------------ */

static cudaError_t launch_and_count(void *arg, cuda_slot *slot) {
    backend_device *d = arg;
    const cuda_work *work = (const cuda_work *)(const void *)slot->up;
    if (d->config.reduce != CUDA_REDUCE_SUM) {
        return cuda_launch_tree_count(&d->rows, &d->config, work, slot->n, slot->counts,
                                      slot->stream);
    }
    return cuda_launch_and_count(&d->rows, &d->config, work, slot->n, slot->counts, slot->stream);
}

/* Counts the additions of the trees of n candidates by formula; the CPU counts them one by one. */
static void count_tree(backend_device *d, size_t n) {
    uint64_t partials = d->config.n_words < 1024 ? d->config.n_words : 1024;
    if (d->config.reduce == CUDA_REDUCE_SUM || partials == 0) return;
    if (d->config.reduce == CUDA_REDUCE_ANY) {
        d->counters.reduce_adds += n * (partials - 1);
        return;
    }
    d->counters.reduce_adds += n * (bits_next_power_of_two(partials) - 1);
    d->counters.reduce_idle += n * (bits_next_power_of_two(partials) - partials);
}

/* Notes how many candidates reach the threshold, over about the last hundred thousand. */
static void note_passed(backend_device *d, size_t n, size_t passed) {
    d->n_counted += n;
    d->n_passed += passed;
    while (d->n_counted > 100000) {
        d->n_counted /= 2;
        d->n_passed /= 2;
    }
}

static void count_stores(backend_device *d, const backend_work *work, size_t n,
                         const uint32_t *counts) {
    size_t passed = 0, stored = 0;
    for (size_t i = 0; i < n; i++) {
        bool frequent = counts[i] >= d->config.min_count;
        passed += frequent;
        stored += work[i].dst != BACKEND_NO_ROW && frequent;
    }
    d->counters.rows_read += 2 * n;
    d->counters.rows_written += stored;
    note_passed(d, n, passed);
}

lode_status cuda_and_count(backend_device *d, const backend_work *work, size_t n,
                           uint32_t min_count, uint32_t *counts) {
    _Static_assert(sizeof(cuda_work) == sizeof(backend_work), "the kernels read backend_work");
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(d));
    d->config.min_count = min_count;
    d->config.late = d->n_passed * 3 < d->n_counted;
    cuda_batch batch = {work, sizeof *work, n, launch_and_count, d, counts};
    LODE_TRY(cuda_ring_run(d, &batch));
    count_stores(d, work, n, counts);
    count_tree(d, n);
done:
    return status;
}

/* ---- lists of rows ------------------------------------------------------------------------- */

typedef struct list_call {
    backend_device *d;
    uint32_t k;
} list_call;

static cudaError_t launch_lists(void *arg, cuda_slot *slot) {
    const list_call *call = arg;
    cuda_row_lists lists = {(const uint32_t *)(const void *)slot->up, call->k, slot->n};
    return cuda_launch_list_count(&call->d->rows, &call->d->config, &lists, slot->counts,
                                  slot->stream);
}

lode_status cuda_and_count_lists(backend_device *d, const uint32_t *rows, uint32_t k, size_t n,
                                 uint32_t *counts) {
    list_call call = {d, k};
    lode_status status = cuda_bind(d);
    d->counters.rows_read += n * k;
    if (status != LODE_OK) return status;
    cuda_batch batch = {rows, k * sizeof *rows, n, launch_lists, &call, counts};
    return cuda_ring_run(d, &batch);
}

lode_status cuda_and_rows(backend_device *d, const uint32_t *dst, const uint32_t *rows, uint32_t k,
                          size_t n) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    if (n == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_buffer_fill(d, &d->build_dst, dst, n * sizeof *dst));
    LODE_TRY(cuda_buffer_fill(d, &d->prefixes, rows, n * k * sizeof *rows));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    cuda_row_lists lists = {d->prefixes.data, k, n};
    CUDA_TRY(d, "and_rows",
             cuda_launch_list_rows(&d->rows, d->build_dst.data, &lists, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_ring_settle(d)); /* other streams read these rows next */
    d->counters.rows_read += n * k;
    d->counters.rows_written += n;
done:
    return status;
}

/* ---- classes ------------------------------------------------------------------------------- */

/* A run of classes whose prefixes fit the cache together. */
typedef struct class_round {
    size_t first_class, end_class;
    size_t first_member, end_member;
    size_t n_cached;
} class_round;

static class_round next_round(class_round r) {
    return (class_round){.first_class = r.end_class, .first_member = r.end_member};
}

/* Extends the round as far as the cache has lists; cached[]: the list that each class gets. */
static void plan_round(const backend_classes *c, const uint32_t *cache, size_t n_cache,
                       uint32_t *cached, class_round *r) {
    size_t cls = r->first_class, member = r->first_member;
    r->n_cached = 0;
    while (cls < c->n_classes) {
        size_t end = member;
        while (!(c->members[end] & BACKEND_LAST_MEMBER)) end++;
        end++;
        bool pays = backend_class_pays(c->n_prefix + 1, end - member);
        if (pays && r->n_cached == n_cache) break;
        cached[cls++] = pays ? cache[r->n_cached++] : CUDA_NO_ROW;
        member = end;
    }
    r->end_class = cls;
    r->end_member = member;
}

/* Builds the prefix rows of a round and counts its members; all queued on the first stream. */
static lode_status run_round(backend_device *d, const backend_classes *c, const class_round *r) {
    lode_status status = LODE_OK;
    cudaStream_t stream = d->slots[0].stream;
    const uint32_t *cached = (const uint32_t *)d->cached.data + r->first_class;
    cuda_row_lists prefixes = {(const uint32_t *)d->prefixes.data + r->first_class * c->n_prefix,
                               c->n_prefix, r->end_class - r->first_class};
    cuda_classes classes = {.prefixes = d->prefixes.data,
                            .members = d->members.data,
                            .class_of = d->class_of.data,
                            .cached = d->cached.data,
                            .n_prefix = c->n_prefix};
    if (r->n_cached > 0) {
        CUDA_TRY(d, "class prefixes", cuda_launch_list_rows(&d->rows, cached, &prefixes, stream));
    }
    CUDA_TRY(d, "class members",
             cuda_launch_class_count(&d->rows, &d->config, &classes, r->first_member, r->end_member,
                                     d->pair_counts.data, stream));
    d->counters.rows_written += r->n_cached;
done:
    return status;
}

/* Rows that a round reads: a cached class its prefix once and two a member, others k a member. */
static uint64_t rows_of_round(const backend_classes *c, const uint32_t *cached,
                              const class_round *r) {
    uint64_t rows = 0;
    size_t member = r->first_member;
    for (size_t cls = r->first_class; cls < r->end_class; cls++) {
        size_t m = 1;
        while (!(c->members[member++] & BACKEND_LAST_MEMBER)) m++;
        rows += cached[cls] == CUDA_NO_ROW ? m * (c->n_prefix + 1) : c->n_prefix + 2 * m;
    }
    return rows;
}

/* Copies the classes to the device and finds the class of each member there. */
static lode_status bring_classes(backend_device *d, const backend_classes *c,
                                 const uint32_t *cached) {
    lode_status status = LODE_OK;
    size_t n = c->n_members, scratch = 0;
    cudaStream_t stream = d->slots[0].stream;
    LODE_TRY(cuda_buffer_fill(d, &d->prefixes, c->prefixes,
                              c->n_classes * c->n_prefix * sizeof *c->prefixes));
    LODE_TRY(cuda_buffer_fill(d, &d->members, c->members, n * sizeof *c->members));
    LODE_TRY(cuda_buffer_need(d, &d->class_of, n * sizeof(uint32_t)));
    LODE_TRY(cuda_buffer_fill(d, &d->cached, cached, c->n_classes * sizeof *cached));
    LODE_TRY(cuda_buffer_need(d, &d->pair_counts, n * sizeof(uint32_t)));
    CUDA_TRY(d, "cub scan", cuda_launch_class_of(NULL, n, NULL, NULL, &scratch, stream));
    LODE_TRY(cuda_buffer_need(d, &d->scratch, scratch));
    scratch = d->scratch.bytes;
    CUDA_TRY(d, "cub scan",
             cuda_launch_class_of(d->members.data, n, d->class_of.data, d->scratch.data, &scratch,
                                  stream));
done:
    return status;
}

lode_status cuda_and_count_classes(backend_device *d, const backend_classes *c,
                                   const uint32_t *cache, size_t n_cache, uint32_t *counts) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    uint32_t *cached = NULL;
    size_t cached_bytes = c->n_classes * sizeof *cached;
    if (c->n_members == 0) return LODE_OK;
    LODE_TRY(mem_resize(&d->job->mem, (void **)&cached, 0, cached_bytes));
    LODE_TRY(cuda_bind(d));
    for (class_round r = {0}; r.first_class < c->n_classes; r = next_round(r)) {
        plan_round(c, cache, n_cache, cached, &r);
        d->counters.rows_read += rows_of_round(c, cached, &r);
    }
    LODE_TRY(bring_classes(d, c, cached));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    for (class_round r = {0}; r.first_class < c->n_classes; r = next_round(r)) {
        plan_round(c, cache, n_cache, cached, &r);
        LODE_TRY(run_round(d, c, &r));
    }
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_ring_settle(d));
    LODE_TRY(cuda_fetch(d, counts, d->pair_counts.data, c->n_members * sizeof *counts));
done:
    mem_free(&d->job->mem, cached, cached_bytes);
    return status;
}
