/* cuda_levels.c - levels that stay on the GPU: backend_level_ops of device/api/paper_ops.h
 *
 * Everything is queued on the stream of the first slot. What comes down is two totals a call of
 * join() and the number of joins of a new level; nothing goes up.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_papers.h"

#define LEVEL_JOINS       ((uint64_t)1 << 22) /* of one call, at the most */
#define LEVEL_JOINS_LEAST 4096
/* Bytes of rows that a call may read: some 0.05 s, so that a cancel is seen soon. */
#define LEVEL_READS ((uint64_t)128 << 30)
/* A join takes 40 bytes at the worst. Lists leave an eighth of the memory to buffers
 * (cuda_backend.c); joins take less than a half of that, and leave the rest to the tables. */
#define LEVEL_JOIN_SHARE 1024

/* ---- memory -------------------------------------------------------------------------------- */

/* Makes a buffer at least `bytes` large; the first `used` stay. BUDGET, without a message: there is
 * no room. */
static lode_status levels_room(backend_device *d, cuda_buffer *buffer, size_t used, size_t bytes) {
    cuda_buffer larger = {.bytes = bytes + bytes / 2};
    lode_status status = LODE_OK;
    if (bytes <= buffer->bytes) return LODE_OK;
    if (used == 0) cuda_buffer_free(d, buffer);
    if (cuda_card_alloc(d->card, larger.bytes, &larger.data) != LODE_OK) {
        larger.bytes = bytes;
        if (cuda_card_alloc(d->card, bytes, &larger.data) != LODE_OK) return LODE_BUDGET;
    }
    /* As in cuda_buffer_need(): nothing is undefined. */
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(larger.data, 0, larger.bytes, d->slots[0].stream));
    if (used > 0) {
        CUDA_TRY(d, "cudaMemcpyAsync",
                 cudaMemcpyAsync(larger.data, buffer->data, used, cudaMemcpyDeviceToDevice,
                                 d->slots[0].stream));
        CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->slots[0].stream));
        cuda_buffer_free(d, buffer);
    }
    *buffer = larger;
    larger = (cuda_buffer){0};
done:
    cuda_buffer_free(d, &larger);
    return status;
}

static void levels_swap(cuda_buffer *a, cuda_buffer *b) {
    cuda_buffer c = *a;
    *a = *b;
    *b = c;
}

static void cuda_level_stop(backend_papers *p) {
    cuda_levels *l = &p->levels;
    cuda_buffer *buffers[] = {&l->sets, &l->group_end, &l->set_rows, &l->places, &l->kept};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        cuda_buffer_free(p->device, buffers[i]);
    }
}

/* ---- making a level ------------------------------------------------------------------------ */

static cuda_sets levels_sets(const backend_papers *p) {
    return (cuda_sets){.data = p->sets.data,
                       .n = (uint32_t)p->level.n,
                       .words = (uint32_t)p->level.words,
                       .group_end = p->group_end.data};
}

/* The level of n sets that is to be made in l->sets and so on. */
static cuda_level levels_next(const backend_papers *p, uint32_t n, uint32_t size) {
    const cuda_levels *l = &p->levels;
    uint32_t first = backend_level_row(l->n_items, size, 0);
    return (cuda_level){.data = l->sets.data,
                        .n = n,
                        .words = (uint32_t)p->level.words,
                        .group_end = l->group_end.data,
                        .rows = l->set_rows.data,
                        .first_row = first,
                        .step = backend_level_row(l->n_items, size, 1) - first};
}

/* Room for the next level, of n sets. `needed`: without it there is no search, so a failure has a
 * message. */
static lode_status levels_next_room(backend_papers *p, uint32_t n, bool needed) {
    backend_device *d = p->device;
    cuda_levels *l = &p->levels;
    lode_status status = LODE_OK;
    cuda_places places = {.n_sets = n, .n = n + 1};
    size_t scratch = 0, number = sizeof(uint32_t);
    CUDA_TRY(d, "cub scan", cuda_launch_places(&places, NULL, &scratch, d->slots[0].stream));
    cuda_buffer *buffers[] = {&l->sets, &l->group_end, &l->set_rows, &l->places, &p->scratch};
    size_t bytes[] = {n * p->level.words * sizeof(uint64_t), n * number, n * number,
                      ((size_t)n + 1) * sizeof(uint64_t), scratch};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        LODE_TRY(needed ? cuda_buffer_need(d, buffers[i], bytes[i])
                        : levels_room(d, buffers[i], 0, bytes[i]));
    }
done:
    return status;
}

/* The next level, made after the `started` event, becomes the present one: numbers its joins. */
static lode_status levels_turn(backend_papers *p, uint32_t n, uint32_t size, backend_level *out) {
    backend_device *d = p->device;
    cuda_levels *l = &p->levels;
    cuda_slot *slot = &d->slots[0];
    lode_status status = LODE_OK;
    size_t scratch = p->scratch.bytes;
    levels_swap(&p->sets, &l->sets);
    levels_swap(&p->group_end, &l->group_end);
    levels_swap(&p->set_rows, &l->set_rows);
    levels_swap(&p->places, &l->places);
    p->level.n = n;
    l->size = size;
    l->n_kept = l->n_found = 0;
    cuda_places places = {
        .group_end = p->group_end.data, .n_sets = n, .n = n + 1, .places = p->places.data};
    CUDA_TRY(d, "cub scan", cuda_launch_places(&places, p->scratch.data, &scratch, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_fetch(d, &out->n_joins, places.places + n, sizeof out->n_joins));
    LODE_TRY(cuda_ring_settle(d));
    out->n_sets = n;
done:
    return status;
}

/* How many joins a call may do: by memory, and by time. */
static uint64_t levels_most(const backend_device *d) {
    uint64_t most = cuda_card_left(d->card) / LEVEL_JOIN_SHARE;
    uint64_t soon = LEVEL_READS / (2 * (uint64_t)d->row_bytes + 1);
    if (most > soon) most = soon;
    if (most > LEVEL_JOINS) most = LEVEL_JOINS;
    return most < LEVEL_JOINS_LEAST ? LEVEL_JOINS_LEAST : most;
}

static lode_status cuda_level_start(backend_papers *p, uint32_t n_items, size_t words,
                                    backend_level *out) {
    backend_device *d = p->device;
    cuda_levels *l = &p->levels;
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(d));
    l->n_items = n_items;
    l->most = levels_most(d);
    p->level = (backend_sets){.words = words};
    p->host_group_end = NULL;
    LODE_TRY(cuda_buffer_need(d, &p->totals, 2 * sizeof(uint32_t)));
    LODE_TRY(levels_next_room(p, n_items, true));
    /* Where memory is short, before tables and lists take it. */
    if (l->most < LEVEL_JOINS) LODE_TRY(cuda_join_buffers(p, (size_t)l->most, &(cuda_join){0}));
    cuda_level level = levels_next(p, n_items, 1);
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(d->slots[0].started, d->slots[0].stream));
    CUDA_TRY(d, "level_items", cuda_launch_level_items(&level, d->slots[0].stream));
    LODE_TRY(levels_turn(p, n_items, 1, out));
done:
    return status;
}

static lode_status cuda_level_advance(backend_papers *p, backend_level *out) {
    backend_device *d = p->device;
    cuda_levels *l = &p->levels;
    lode_status status = LODE_OK;
    uint32_t n = l->n_kept, size = l->size + 1;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(levels_next_room(p, n, false));
    cuda_sets sets = levels_sets(p);
    cuda_level level = levels_next(p, n, size);
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(d->slots[0].started, d->slots[0].stream));
    CUDA_TRY(d, "level_unions",
             cuda_launch_level_unions(&sets, l->kept.data, &level, d->slots[0].stream));
    LODE_TRY(levels_turn(p, n, size, out));
done:
    return status;
}

/* ---- joining and keeping ------------------------------------------------------------------- */

static uint64_t cuda_level_most(const backend_papers *p) {
    return p->levels.most;
}

static lode_status cuda_level_join(backend_papers *p, uint64_t first, uint64_t end,
                                   uint32_t min_count, backend_joined *out) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    cuda_join join;
    uint32_t totals[2] = {0, 0};
    *out = (backend_joined){0};
    p->levels.n_found = 0;
    if (first == end) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_join_buffers(p, (size_t)(end - first), &join));
    join.n_left = (uint32_t)p->level.n;
    join.places = p->places.data;
    join.first_join = first;
    LODE_TRY(cuda_queue_join_count(p, &join, min_count));
    LODE_TRY(cuda_fetch(d, totals, join.totals, sizeof totals));
    LODE_TRY(cuda_settle_join_count(p, &join, totals, out));
    p->levels.n_found = totals[1];
done:
    return status;
}

/* Stores the rows of the first n sets that the last join found, which will be the sets from n_kept
 * on of the next level. */
static lode_status levels_store(backend_papers *p, uint32_t n) {
    backend_device *d = p->device;
    const cuda_levels *l = &p->levels;
    cuda_slot *slot = &d->slots[0];
    lode_status status = LODE_OK;
    uint32_t first = backend_level_row(l->n_items, l->size + 1, l->n_kept);
    cuda_level_rows rows = {.pairs = p->all.data,
                            .set_rows = p->set_rows.data,
                            .n = n,
                            .first_row = first,
                            .step =
                                backend_level_row(l->n_items, l->size + 1, l->n_kept + 1) - first,
                            .dst = d->and_dst.data,
                            .lists = d->and_lists.data};
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "level_rows", cuda_launch_level_rows(&rows, slot->stream));
    CUDA_TRY(d, "and_rows",
             cuda_launch_list_rows(&d->rows, rows.dst, rows.lists, 2, n, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_ring_settle(d));
    d->counters.rows_read += (uint64_t)2 * n;
    d->counters.rows_written += n;
done:
    return status;
}

static lode_status cuda_level_keep(backend_papers *p, uint32_t n_rows) {
    backend_device *d = p->device;
    cuda_levels *l = &p->levels;
    lode_status status = LODE_OK;
    size_t width = sizeof(backend_pair), used = l->n_kept * width, added = l->n_found * width;
    if (l->n_found == 0) return LODE_OK;
    if ((uint64_t)l->n_kept + l->n_found >= UINT32_MAX) return LODE_BUDGET; /* 32 bits a number */
    LODE_TRY(cuda_bind(d));
    LODE_TRY(levels_room(d, &l->kept, used, used + added));
    LODE_TRY(levels_room(d, &d->and_dst, 0, n_rows * sizeof(uint32_t)));
    LODE_TRY(levels_room(d, &d->and_lists, 0, n_rows * 2 * sizeof(uint32_t)));
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync((uint8_t *)l->kept.data + used, p->all.data, added,
                             cudaMemcpyDeviceToDevice, d->slots[0].stream));
    if (n_rows > 0) LODE_TRY(levels_store(p, n_rows));
    l->n_kept += l->n_found;
done:
    return status;
}

/* ---- for the host -------------------------------------------------------------------------- */

static lode_status cuda_level_found(backend_papers *p, backend_pair *pairs, uint32_t *counts) {
    backend_device *d = p->device;
    lode_status status = LODE_OK;
    size_t n = p->levels.n_found;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_fetch(d, pairs, p->all.data, n * sizeof *pairs));
    LODE_TRY(cuda_fetch(d, counts, p->kept_counts.data, n * sizeof *counts));
done:
    return status;
}

static lode_status cuda_level_table(backend_papers *p, uint64_t *data) {
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(p->device));
    LODE_TRY(cuda_fetch(p->device, data, p->sets.data, p->level.n * p->level.words * sizeof *data));
done:
    return status;
}

static lode_status cuda_level_kept(backend_papers *p, backend_pair *pairs) {
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(p->device));
    LODE_TRY(cuda_fetch(p->device, pairs, p->levels.kept.data, p->levels.n_kept * sizeof *pairs));
done:
    return status;
}

const backend_level_ops cuda_level_ops = {
    .start = cuda_level_start,
    .most = cuda_level_most,
    .join = cuda_level_join,
    .found = cuda_level_found,
    .keep = cuda_level_keep,
    .advance = cuda_level_advance,
    .table = cuda_level_table,
    .kept = cuda_level_kept,
    .stop = cuda_level_stop,
};
