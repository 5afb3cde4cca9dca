/* sort_pieces.c - see sort_pieces.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_pieces.h"

#include "base/radix.h"

#define MERGE_COPIES 3 /* of the rows of a piece: as read, and two while they are merged */

/* ---- merging a piece ------------------------------------------------------------------------ */

void merger_free(sort_merger *m) {
    if (!m->mem) return;
    mem_free(m->mem, m->spans, m->cap_spans * sizeof *m->spans);
    vec_u64_free(m->mem, &m->read);
    vec_u64_free(m->mem, &m->merged[0]);
    vec_u64_free(m->mem, &m->merged[1]);
    *m = (sort_merger){0};
}

/* Finds the rows of a segment that may belong to a piece: the exact rows of a segment in memory,
 * whole blocks of one in the file. */
static void piece_range(const sort_piece *p, const sort_segment *s, size_t *first, size_t *end) {
    const uint64_t *rows = s->rows ? s->rows : s->samples;
    size_t n = s->rows ? s->n : s->n_samples, each = s->rows ? 1 : store_block_rows(s->words);
    *first = p->from ? radix_below(rows, n, s->words, p->from) : 0;
    *end = p->to ? radix_below(rows, n, s->words, p->to) : n;
    if (!s->rows && *first > 0) --*first; /* the block before may end with some */
    *first *= each;
    *end *= each;
    if (*end > s->n) *end = s->n;
}

/* Cuts off the rows that do not belong to the piece. */
static sort_span piece_trim(const sort_piece *p, const sort_segment *s, sort_span span) {
    size_t before = p->from ? radix_below(span.rows, span.n, s->words, p->from) : 0;
    size_t end = p->to ? radix_below(span.rows, span.n, s->words, p->to) : span.n;
    return (sort_span){span.rows + before * s->words, end - before};
}

/* Lists the parts of all segments that make up a piece, and returns the number of their rows. */
static lode_status merger_read(sort_merger *m, const sort_store *store, const sort_piece *p,
                               size_t *n_rows) {
    lode_status status = LODE_OK;
    size_t first, end, n_read = 0;
    unsigned words = p->segments->words;
    m->n_spans = m->read.n = *n_rows = 0;
    if (p->n_segments > m->cap_spans) {
        LODE_TRY(vec_grow(m->mem, (void **)&m->spans, 0, &m->cap_spans, p->n_segments,
                          sizeof *m->spans));
    }
    for (size_t i = 0; i < p->n_segments; i++) {
        piece_range(p, &p->segments[i], &first, &end);
        n_read += p->segments[i].rows ? 0 : end - first;
    }
    LODE_TRY(vec_u64_reserve(m->mem, &m->read, n_read * words));
    for (size_t i = 0; i < p->n_segments; i++) {
        const sort_segment *s = &p->segments[i];
        piece_range(p, s, &first, &end);
        if (first >= end) continue;
        sort_span span = {s->rows ? s->rows + first * words : m->read.data + m->read.n,
                          end - first};
        if (!s->rows) {
            LODE_TRY(store_read(store, s, first, span.n, m->read.data + m->read.n));
            m->read.n += span.n * words;
            span = piece_trim(p, s, span);
        }
        *n_rows += span.n;
        if (span.n > 0) m->spans[m->n_spans++] = span;
    }
done:
    return status;
}

/* Merges the spans pair by pair into an array; there are half as many then. */
static void merger_halve(sort_merger *m, unsigned words, uint64_t *to) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_spans; i += 2) {
        sort_span a = m->spans[i], b = {0};
        if (i + 1 < m->n_spans) b = m->spans[i + 1];
        radix_merge(a.rows, a.n, b.rows, b.n, words, to);
        m->spans[n++] = (sort_span){to, a.n + b.n};
        to += (a.n + b.n) * words;
    }
    m->n_spans = n;
}

lode_status merger_take(sort_merger *m, const sort_store *store, const sort_piece *piece,
                        sort_span *out) {
    lode_status status = LODE_OK;
    size_t n = 0;
    unsigned words = piece->segments->words;
    m->mem = &store->job->mem;
    LODE_TRY(merger_read(m, store, piece, &n));
    for (unsigned i = 0; m->n_spans > 1; i ^= 1) {
        m->merged[i].n = 0;
        LODE_TRY(vec_u64_reserve(m->mem, &m->merged[i], n * words));
        merger_halve(m, words, m->merged[i].data);
    }
    *out = m->n_spans > 0 ? m->spans[0] : (sort_span){0};
done:
    return status;
}

/* ---- cutting -------------------------------------------------------------------------------- */

static size_t segment_n_samples(const sort_segment *s) {
    size_t each = store_block_rows(s->words);
    return (s->n + each - 1) / each;
}

static const uint64_t *segment_sample(const sort_segment *s, size_t i) {
    return s->rows ? s->rows + i * store_block_rows(s->words) * s->words
                   : s->samples + i * s->words;
}

/* The rows that are remembered of some segments, in order. */
static lode_status plan_samples(const sort_plan *plan, const sort_piece *all, vec_u64 *out) {
    lode_status status = LODE_OK;
    mem *m = &plan->store->job->mem;
    unsigned words = all->segments->words;
    vec_u64 scratch = {0};
    size_t n = 0;
    for (size_t i = 0; i < all->n_segments; i++) n += segment_n_samples(&all->segments[i]);
    LODE_TRY(vec_u64_reserve(m, out, n * words));
    LODE_TRY(vec_u64_reserve(m, &scratch, n * words));
    for (size_t i = 0; i < all->n_segments; i++) {
        const sort_segment *s = &all->segments[i];
        for (size_t k = 0; k < segment_n_samples(s); k++, out->n += words) {
            memcpy(out->data + out->n, segment_sample(s, k), words * sizeof *out->data);
        }
    }
    radix_sort(out->data, scratch.data, n, words, NULL);
done:
    vec_u64_free(m, &scratch);
    return status;
}

static lode_status plan_add_piece(sort_plan *plan, const sort_piece *piece) {
    if (plan->n == plan->cap) {
        lode_status status = vec_grow(&plan->store->job->mem, (void **)&plan->pieces, plan->n,
                                      &plan->cap, 1, sizeof *plan->pieces);
        if (status != LODE_OK) return status;
    }
    plan->pieces[plan->n++] = *piece;
    return LODE_OK;
}

/* Adds the pieces of some segments of one size. */
static lode_status plan_cut(sort_plan *plan, const sort_segment *segments, size_t n) {
    lode_status status = LODE_OK;
    sort_piece piece = {segments, n, NULL, NULL};
    mem *m = &plan->store->job->mem;
    size_t words = segments->words, row_bytes = words * sizeof(uint64_t);
    size_t step = plan->piece_bytes / (store_block_rows(segments->words) * row_bytes);
    vec_u64 samples = {0};
    if (step == 0) step = 1;
    LODE_TRY(plan_samples(plan, &piece, &samples));
    for (size_t i = step; i * words < samples.n; i += step) {
        LODE_TRY(mem_keep(m, &plan->cuts, (void **)&piece.to, row_bytes));
        memcpy(piece.to, samples.data + i * words, row_bytes);
        LODE_TRY(plan_add_piece(plan, &piece));
        piece.from = piece.to;
    }
    piece.to = NULL;
    LODE_TRY(plan_add_piece(plan, &piece));
done:
    vec_u64_free(m, &samples);
    return status;
}

void plan_free(sort_plan *plan) {
    if (!plan->store) return;
    mem *m = &plan->store->job->mem;
    mem_free(m, plan->pieces, plan->cap * sizeof *plan->pieces);
    mem_drop(m, &plan->cuts);
    *plan = (sort_plan){0};
}

/* ---- too many segments ---------------------------------------------------------------------- */

static lode_status plan_append_pieces(const sort_plan *plan, sort_segment *made) {
    lode_status status = LODE_OK;
    sort_merger merger = {0};
    sort_span rows;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->stop && plan->stop->asked(plan->stop->user)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(merger_take(&merger, plan->store, &plan->pieces[i], &rows));
        LODE_TRY(store_append(plan->store, made, rows.rows, rows.n));
    }
done:
    merger_free(&merger);
    return status;
}

/* Merges n segments of one size into one, in the file. */
static lode_status plan_merge(const sort_plan *like, const sort_segment *segments, size_t n,
                              sort_segment *made) {
    lode_status status = LODE_OK;
    sort_plan plan = {.store = like->store,
                      .near = like->near,
                      .stop = like->stop,
                      .piece_bytes = like->piece_bytes};
    size_t n_rows = 0;
    *made = (sort_segment){.size = segments->size, .words = segments->words, .in_order = true};
    for (size_t i = 0; i < n; i++) n_rows += segments[i].n;
    LODE_TRY(plan_cut(&plan, segments, n));
    LODE_TRY(store_begin(plan.store, plan.near, n_rows, made));
    LODE_TRY(plan_append_pieces(&plan, made));
done:
    plan_free(&plan);
    return status;
}

/* Merges the first `most` of *n segments of similar size, until at most `most` are left. Merged
 * segments go to the end, so that all are merged equally often. */
static lode_status plan_reduce(sort_plan *plan, sort_segment *segments, size_t *n, size_t most) {
    lode_status status = LODE_OK;
    mem *m = &plan->store->job->mem;
    sort_segment made = {0};
    while (*n > most) {
        LODE_TRY(plan_merge(plan, segments, most, &made));
        for (size_t i = 0; i < most; i++) segment_free(m, &segments[i]);
        *n -= most;
        memmove(segments, segments + most, *n * sizeof *segments);
        segments[(*n)++] = made;
        memset(segments + *n, 0, (most - 1) * sizeof *segments); /* these are free now */
        made = (sort_segment){0};
    }
done:
    segment_free(m, &made);
    return status;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static inline bool segment_before(const sort_segment *a, const sort_segment *b) {
    return a->size < b->size;
}

#define SORT_NAME   sort_segments
#define SORT_TYPE   sort_segment
#define SORT_BEFORE segment_before
#include "base/sort_body.h"

static size_t segment_block_bytes(const sort_segment *s) {
    return store_block_rows(s->words) * s->words * sizeof(uint64_t);
}

/* What there is for merging, all threads together. */
static size_t plan_memory(const sort_plan *plan) {
    size_t left = mem_left(&plan->store->job->mem);
    bool ample = left == SIZE_MAX || left / SORT_MERGE_SHARE > SORT_MERGE_MEMORY;
    return ample ? SORT_MERGE_MEMORY : left / SORT_MERGE_SHARE;
}

/* Cuts the segments of one size, and notes how many threads there is memory for. */
static lode_status plan_size(sort_plan *plan, sort_segment *segments, size_t n, size_t memory) {
    lode_status status = LODE_OK;
    size_t block = segment_block_bytes(segments), each = memory / MERGE_COPIES;
    size_t most = each > plan->piece_bytes ? (each - plan->piece_bytes) / block : 0;
    LODE_TRY(plan_reduce(plan, segments, &n, most > 2 ? most : 2));
    LODE_TRY(plan_cut(plan, segments, n));
    size_t threads = each / (plan->piece_bytes + n * block);
    if (threads < plan->threads) plan->threads = threads > 0 ? (unsigned)threads : 1;
done:
    return status;
}

lode_status plan_make(sort_plan *plan) {
    lode_status status = LODE_OK;
    sort_store *store = plan->store;
    size_t memory = plan_memory(plan), n;
    plan->threads = store->job->threads;
    plan->piece_bytes = memory / (2 * MERGE_COPIES);
    if (plan->piece_bytes > SORT_PIECE_BYTES) plan->piece_bytes = SORT_PIECE_BYTES;
    sort_segments(store->segments, store->n_segments, NULL);
    for (size_t i = 0; i < store->n_segments; i += n) {
        sort_segment *first = &store->segments[i];
        for (n = 1; i + n < store->n_segments && first[n].size == first->size;) n++;
        LODE_TRY(plan_size(plan, first, n, memory));
    }
done:
    return status;
}
