/* cuda_classes.c - candidates by class: the prefix rows intersected once, then one row per member
 *
 * Without lists for prefixes, these are intersected in registers (cuda_launch_class_spans). With
 * lists, as many classes as there are lists are done at a time, a round; the paper has one list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

/* ---- with the prefix in registers ---------------------------------------------------------- */

/* Notes the class of the first member of each span. Returns how many times a prefix is intersected:
 * once a class, and once more where a span begins within it. */
static size_t spans_lay_out(const backend_classes *c, uint32_t length, uint32_t *first_class) {
    size_t n_prefixes = 0, span = 0;
    uint32_t cls = 0, left = 0;
    bool is_new = true;
    for (size_t i = 0; i < c->n_members; i++, left--) {
        n_prefixes += is_new || left == 0;
        if (left == 0) {
            first_class[span++] = cls;
            left = length;
        }
        is_new = c->members[i] & BACKEND_LAST_MEMBER;
        cls += is_new;
    }
    return n_prefixes;
}

static lode_status spans_count(backend_papers *p, const backend_classes *c) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    cuda_slot *slot = &d->slots[0];
    uint32_t *first_class = NULL;
    cuda_class_spans spans = {.n_prefix = c->n_prefix, .n = c->n_members};
    spans.length = cuda_class_span(&d->rows, &p->config, c->n_members);
    size_t span_bytes = (c->n_members / spans.length + 1) * sizeof *first_class;
    LODE_TRY(mem_resize(&d->job->mem, (void **)&first_class, 0, span_bytes));
    size_t n_prefixes = spans_lay_out(c, spans.length, first_class);
    LODE_TRY(
        cuda_buffer_fill(d, &p->class_of, first_class,
                         (c->n_members + spans.length - 1) / spans.length * sizeof *first_class));
    spans.prefixes = p->prefixes.data;
    spans.members = p->members.data;
    spans.first_class = p->class_of.data;
    spans.counts = p->counts.data;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "class spans", cuda_launch_class_spans(&d->rows, &p->config, &spans, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    d->counters.rows_read += n_prefixes * c->n_prefix + c->n_members;
    LODE_TRY(cuda_ring_settle(d)); /* the host's table has been copied, too */
done:
    mem_free(&d->job->mem, first_class, span_bytes);
    return status;
}

/* ---- with the prefix in a list ------------------------------------------------------------- */

/* A run of classes whose prefixes fit the lists together. */
typedef struct class_round {
    size_t first_class, end_class;
    size_t first_member, end_member;
} class_round;

/* The next classes, until the lists are full. A prefix of one row needs none. */
static class_round round_next(const backend_classes *c, size_t n_cache, class_round r) {
    class_round next = {.first_class = r.end_class, .first_member = r.end_member};
    size_t cls = next.first_class, member = next.first_member;
    while (cls < c->n_classes && (c->n_prefix == 1 || cls - next.first_class < n_cache)) {
        while (!(c->members[member++] & BACKEND_LAST_MEMBER)) {
        }
        cls++;
    }
    next.end_class = cls;
    next.end_member = member;
    return next;
}

/* Builds the prefix rows of a round and counts its members; all queued on the first stream. */
static lode_status round_run(backend_papers *p, const backend_classes *c, const class_round *r) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    cudaStream_t stream = d->slots[0].stream;
    const uint32_t *cached = (const uint32_t *)p->cached.data + r->first_class;
    const uint32_t *prefixes = (const uint32_t *)p->prefixes.data + r->first_class * c->n_prefix;
    cuda_classes classes = {.members = p->members.data,
                            .class_of = p->class_of.data,
                            .cached = p->cached.data,
                            .first = r->first_member,
                            .end = r->end_member,
                            .counts = p->counts.data};
    if (c->n_prefix > 1) {
        CUDA_TRY(d, "class prefixes",
                 cuda_launch_list_rows(&d->rows, cached, prefixes, c->n_prefix,
                                       r->end_class - r->first_class, stream));
    }
    CUDA_TRY(d, "class members", cuda_launch_class_count(&d->rows, &p->config, &classes, stream));
done:
    return status;
}

/* Brings the rows of the prefixes to the device, and numbers the members there. */
static lode_status rounds_bring(backend_papers *p, const backend_classes *c,
                                const uint32_t *cached) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    size_t n = c->n_members, scratch = 0;
    cudaStream_t stream = d->slots[0].stream;
    LODE_TRY(cuda_buffer_need(d, &p->class_of, n * sizeof(uint32_t)));
    LODE_TRY(cuda_buffer_fill(d, &p->cached, cached, c->n_classes * sizeof *cached));
    CUDA_TRY(d, "cub scan", cuda_launch_class_of(NULL, n, NULL, NULL, &scratch, stream));
    LODE_TRY(cuda_buffer_need(d, &p->scratch, scratch));
    scratch = p->scratch.bytes;
    CUDA_TRY(d, "cub scan",
             cuda_launch_class_of(p->members.data, n, p->class_of.data, p->scratch.data, &scratch,
                                  stream));
done:
    return status;
}

static void rounds_note(backend_papers *p, const backend_classes *c, size_t n_cache) {
    backend_counters *counters = &p->device->counters;
    counters->rows_read += 2 * c->n_members;
    if (c->n_prefix == 1) return;
    counters->rows_read += c->n_classes * c->n_prefix;
    counters->rows_written += c->n_classes;
    size_t used = c->n_classes < n_cache ? c->n_classes : n_cache;
    if (used > p->counters.cache_rows) p->counters.cache_rows = used;
}

static lode_status rounds_count(backend_papers *p, const backend_classes *c, const uint32_t *cache,
                                size_t n_cache) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    cuda_slot *slot = &d->slots[0];
    uint32_t *cached = NULL;
    size_t cached_bytes = c->n_classes * sizeof *cached;
    LODE_TRY(mem_resize(&d->job->mem, (void **)&cached, 0, cached_bytes));
    for (size_t i = 0; i < c->n_classes; i++) {
        cached[i] = c->n_prefix == 1 ? c->prefixes[i] : cache[i % n_cache];
    }
    LODE_TRY(rounds_bring(p, c, cached));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    for (class_round r = round_next(c, n_cache, (class_round){0}); r.first_class < c->n_classes;
         r = round_next(c, n_cache, r)) {
        LODE_TRY(round_run(p, c, &r));
    }
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    rounds_note(p, c, n_cache);
    LODE_TRY(cuda_ring_settle(d));
done:
    mem_free(&d->job->mem, cached, cached_bytes);
    return status;
}

lode_status cuda_and_count_classes(backend_papers *p, const backend_classes *c,
                                   const uint32_t *cache, size_t n_cache, uint32_t *counts) {
    lode_status status = LODE_OK;
    backend_device *d = p->device;
    size_t n = c->n_members;
    if (n == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_buffer_fill(d, &p->prefixes, c->prefixes,
                              c->n_classes * c->n_prefix * sizeof *c->prefixes));
    LODE_TRY(cuda_buffer_fill(d, &p->members, c->members, n * sizeof *c->members));
    LODE_TRY(cuda_buffer_need(d, &p->counts, n * sizeof *counts));
    LODE_TRY(n_cache > 0 ? rounds_count(p, c, cache, n_cache) : spans_count(p, c));
    LODE_TRY(cuda_fetch(d, counts, p->counts.data, n * sizeof *counts));
done:
    return status;
}
