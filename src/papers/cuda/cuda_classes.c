/* cuda_classes.c - candidates by class: prefixes intersected once, then one row per member
 *
 * As many classes as there are lists for prefixes are done at a time, a round.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

/* A run of classes whose prefixes fit the cache together. */
typedef struct class_round {
    size_t first_class, end_class;
    size_t first_member, end_member;
    size_t n_cached;
} class_round;

static class_round round_next(class_round r) {
    return (class_round){.first_class = r.end_class, .first_member = r.end_member};
}

/* Takes classes into the round until the cache is full; cached[]: the list of each class. */
static void round_plan(const backend_classes *c, const uint32_t *cache, size_t n_cache,
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
static lode_status round_run(backend_papers *p, const backend_classes *c, const class_round *r) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    cudaStream_t stream = d->slots[0].stream;
    size_t n = r->end_class - r->first_class;
    const uint32_t *cached = (const uint32_t *)p->cached.data + r->first_class;
    const uint32_t *prefixes = (const uint32_t *)p->prefixes.data + r->first_class * c->n_prefix;
    cuda_classes classes = {.prefixes = p->prefixes.data,
                            .members = p->members.data,
                            .class_of = p->class_of.data,
                            .cached = p->cached.data,
                            .n_prefix = c->n_prefix,
                            .first = r->first_member,
                            .end = r->end_member,
                            .counts = p->counts.data};
    if (r->n_cached > 0) {
        CUDA_TRY(d, "class prefixes",
                 cuda_launch_list_rows(&d->rows, cached, prefixes, c->n_prefix, n, stream));
    }
    CUDA_TRY(d, "class members", cuda_launch_class_count(&d->rows, &p->config, &classes, stream));
    d->counters.rows_written += r->n_cached;
done:
    return status;
}

/* Rows that a round reads: of a cached class, k - 1 and two a member; of another, k a member. */
static uint64_t round_rows_read(const backend_classes *c, const uint32_t *cached,
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

/* Brings the classes to the device and numbers the members there. */
static lode_status classes_bring(backend_papers *p, const backend_classes *c,
                                 const uint32_t *cached) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    size_t n = c->n_members, scratch = 0;
    cudaStream_t stream = d->slots[0].stream;
    LODE_TRY(cuda_buffer_fill(d, &p->prefixes, c->prefixes,
                              c->n_classes * c->n_prefix * sizeof *c->prefixes));
    LODE_TRY(cuda_buffer_fill(d, &p->members, c->members, n * sizeof *c->members));
    LODE_TRY(cuda_buffer_need(d, &p->class_of, n * sizeof(uint32_t)));
    LODE_TRY(cuda_buffer_fill(d, &p->cached, cached, c->n_classes * sizeof *cached));
    LODE_TRY(cuda_buffer_need(d, &p->counts, n * sizeof(uint32_t)));
    CUDA_TRY(d, "cub scan", cuda_launch_class_of(NULL, n, NULL, NULL, &scratch, stream));
    LODE_TRY(cuda_buffer_need(d, &p->scratch, scratch));
    scratch = p->scratch.bytes;
    CUDA_TRY(d, "cub scan",
             cuda_launch_class_of(p->members.data, n, p->class_of.data, p->scratch.data, &scratch,
                                  stream));
done:
    return status;
}

lode_status cuda_and_count_classes(backend_papers *p, const backend_classes *c,
                                   const uint32_t *cache, size_t n_cache, uint32_t *counts) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    cuda_slot *slot = &d->slots[0];
    uint32_t *cached = NULL;
    size_t cached_bytes = c->n_classes * sizeof *cached;
    if (c->n_members == 0) return LODE_OK;
    LODE_TRY(mem_resize(&d->job->mem, (void **)&cached, 0, cached_bytes));
    LODE_TRY(cuda_bind(d));
    for (class_round r = {0}; r.first_class < c->n_classes; r = round_next(r)) {
        round_plan(c, cache, n_cache, cached, &r);
        d->counters.rows_read += round_rows_read(c, cached, &r);
        if (r.n_cached > p->counters.cache_rows) p->counters.cache_rows = r.n_cached;
    }
    LODE_TRY(classes_bring(p, c, cached));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    for (class_round r = {0}; r.first_class < c->n_classes; r = round_next(r)) {
        round_plan(c, cache, n_cache, cached, &r);
        LODE_TRY(round_run(p, c, &r));
    }
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_ring_settle(d));
    LODE_TRY(cuda_fetch(d, counts, p->counts.data, c->n_members * sizeof *counts));
done:
    mem_free(&d->job->mem, cached, cached_bytes);
    return status;
}
