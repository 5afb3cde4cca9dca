/* spill.c - see spill.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsink/spill.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"

#define SPILL_SHARE   16 /* the workers collect 1/16 of the memory that is left, together */
#define SPILL_LEAST   ((size_t)64 << 10)
#define BUFFER_LEAST  ((size_t)4 << 10) /* of the buffer of a run that is read */
#define BUFFER_MOST   ((size_t)256 << 10)
#define BUFFER_SHARE  2 /* all buffers take 1/2 of the memory that is left */
#define RECORD_HEADER (sizeof(uint64_t) + sizeof(uint32_t))

size_t spill_limit(const lode_job *job) {
    size_t left = mem_left(&job->mem);
    if (left == SIZE_MAX) return SIZE_MAX;
    size_t share = left / SPILL_SHARE / job->threads;
    return share > SPILL_LEAST ? share : SPILL_LEAST;
}

void spill_init(spill *s, lode_job *job) {
    *s = (spill){.job = job, .fd = -1};
    pthread_mutex_init(&s->lock, NULL);
}

void spill_clear(spill *s) {
    if (s->fd >= 0) os_close(s->fd);
    mem_free(&s->job->mem, s->runs, s->cap_runs * sizeof *s->runs);
    pthread_mutex_destroy(&s->lock);
}

static lode_status spill_error(const spill *s, const char *doing) {
    return job_fail(s->job, LODE_IO, "cannot %s the temporary file of --sort: %s", doing,
                    strerror(errno));
}

bool spill_is_used(spill *s) {
    pthread_mutex_lock(&s->lock);
    bool used = s->n_runs > 0;
    pthread_mutex_unlock(&s->lock);
    return used;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* A run in the making; `at` is its end in the file. */
typedef struct run_writer {
    spill *s;
    vec_char buffer;
    uint64_t at;
} run_writer;

static lode_status run_flush(run_writer *w) {
    if (!os_write_at(w->s->fd, w->buffer.data, w->buffer.n, w->at)) {
        return spill_error(w->s, "write");
    }
    w->at += w->buffer.n;
    w->buffer.n = 0;
    return LODE_OK;
}

static lode_status run_put(run_writer *w, uint64_t support, const uint32_t *items, uint32_t size) {
    lode_status status = LODE_OK;
    mem *m = &w->s->job->mem;
    size_t bytes = RECORD_HEADER + size * sizeof *items;
    if (w->buffer.cap - w->buffer.n < bytes) {
        LODE_TRY(run_flush(w));
        LODE_TRY(vec_char_reserve(m, &w->buffer, bytes > BUFFER_LEAST ? bytes : BUFFER_LEAST));
    }
    LODE_TRY(vec_char_append(m, &w->buffer, &support, sizeof support));
    LODE_TRY(vec_char_append(m, &w->buffer, &size, sizeof size));
    LODE_TRY(vec_char_append(m, &w->buffer, items, size * sizeof *items));
done:
    return status;
}

/* Reserves a part of the file for a run, after the others. */
static lode_status spill_add_run(spill *s, const char *path, uint64_t bytes, uint64_t *at) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(&s->lock);
    if (s->fd < 0 && (s->fd = os_open_scratch(path)) < 0) LODE_LEAVE(spill_error(s, "make"));
    if (s->n_runs == s->cap_runs) {
        LODE_TRY(
            vec_grow(&s->job->mem, (void **)&s->runs, s->n_runs, &s->cap_runs, 1, sizeof *s->runs));
    }
    *at = s->end;
    s->end += bytes;
    s->runs[s->n_runs++] = (spill_run){*at, s->end};
done:
    pthread_mutex_unlock(&s->lock);
    return status;
}

lode_status spill_write(spill *s, const char *path, columns *c) {
    lode_status status = LODE_OK;
    run_writer w = {.s = s};
    mem *m = &s->job->mem;
    size_t n = c->supports.n;
    if (n == 0) return LODE_OK;
    sort_stop stop = sink_sort_stop(s->job);
    status = columns_sort(m, c, COLUMNS_BY_SIZE, &stop);
    if (status != LODE_CANCELLED) LODE_TRY(status); /* a cancelled sort costs the order only */
    status = LODE_OK;
    LODE_TRY(spill_add_run(s, path, n * RECORD_HEADER + c->items.n * sizeof *c->items.data, &w.at));
    for (size_t i = 0; i < n; i++) {
        uint64_t first = c->offsets.data[i], size = c->offsets.data[i + 1] - first;
        LODE_TRY(run_put(&w, c->supports.data[i], c->items.data + first, (uint32_t)size));
    }
    LODE_TRY(run_flush(&w));
    c->offsets.n = c->items.n = c->supports.n = 0;
done:
    vec_char_free(m, &w.buffer);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* A run that is read. Its next record is at `head` of the buffer. */
typedef struct run_reader {
    spill_run left;
    vec_char buffer;
    size_t head;
    uint32_t size;
    uint64_t support;
    const uint32_t *items;
} run_reader;

/* Makes sure that this many bytes from the head on are in the buffer. */
static lode_status reader_fill(const spill *s, run_reader *r, size_t bytes, size_t room) {
    if (r->buffer.n - r->head >= bytes) return LODE_OK;
    if (r->head > 0) memmove(r->buffer.data, r->buffer.data + r->head, r->buffer.n - r->head);
    r->buffer.n -= r->head;
    r->head = 0;
    size_t wanted = bytes > room ? bytes : room;
    lode_status status = vec_char_reserve(&s->job->mem, &r->buffer, wanted - r->buffer.n);
    if (status != LODE_OK) return status;
    uint64_t there = r->left.end - r->left.at;
    size_t n = wanted - r->buffer.n;
    if (n > there) n = (size_t)there;
    if (!os_read_at(s->fd, r->buffer.data + r->buffer.n, n, r->left.at)) {
        return spill_error(s, "read");
    }
    r->left.at += n;
    r->buffer.n += n;
    return LODE_OK;
}

/* Goes to the next record; *there is false after the last. Records are multiples of four bytes, so
 * that the items can be used where they lie. */
static lode_status reader_next(const spill *s, run_reader *r, size_t room, bool *there) {
    lode_status status = LODE_OK;
    *there = r->head < r->buffer.n || r->left.at < r->left.end;
    if (!*there) return LODE_OK;
    LODE_TRY(reader_fill(s, r, RECORD_HEADER, room));
    memcpy(&r->support, r->buffer.data + r->head, sizeof r->support);
    memcpy(&r->size, r->buffer.data + r->head + sizeof r->support, sizeof r->size);
    size_t bytes = RECORD_HEADER + r->size * sizeof *r->items;
    LODE_TRY(reader_fill(s, r, bytes, room));
    r->items = (const uint32_t *)(const void *)(r->buffer.data + r->head + RECORD_HEADER);
    r->head += bytes;
done:
    return status;
}

static bool reader_is_before(const run_reader *a, const run_reader *b) {
    if (a->size != b->size) return a->size < b->size;
    for (uint32_t i = 0; i < a->size; i++) {
        if (a->items[i] != b->items[i]) return a->items[i] < b->items[i];
    }
    return false;
}

/* ---- merging ------------------------------------------------------------------------------- */

/* Where merged patterns go: a worker of a sink, or a run. */
typedef struct merge_target {
    sink_worker *worker;
    run_writer *writer;
} merge_target;

static lode_status target_put(const merge_target *to, const run_reader *r) {
    if (to->writer) return run_put(to->writer, r->support, r->items, r->size);
    lode_batch batch = {.prefix = r->items,
                        .n_prefix = r->size - 1,
                        .items = r->items + r->size - 1,
                        .supports = &r->support,
                        .n = 1};
    return sink_emit_settled(to->worker, &batch);
}

static void merge_sift(run_reader **heap, size_t n, size_t at) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && reader_is_before(heap[child + 1], heap[child])) child++;
        if (!reader_is_before(heap[child], heap[at])) return;
        run_reader *other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

/* Sends what n runs hold to the target, in order. */
static lode_status merge_readers(const spill *s, run_reader **heap, size_t n, size_t room,
                                 const merge_target *to) {
    lode_status status = LODE_OK;
    bool there;
    size_t n_done = 0;
    for (size_t i = 0; i < n; i++) LODE_TRY(reader_next(s, heap[i], room, &there));
    for (size_t i = n / 2; i-- > 0;) merge_sift(heap, n, i);
    while (n > 0) {
        LODE_TRY(target_put(to, heap[0]));
        bool ask = s->stop.asked && ++n_done % SINK_ASK_EVERY == 0;
        if (ask && s->stop.asked(s->stop.user)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(reader_next(s, heap[0], room, &there));
        if (!there) heap[0] = heap[--n];
        merge_sift(heap, n, 0);
    }
done:
    return status;
}

/* Sends what the first n runs hold to the target, in order, and removes them from the list. */
static lode_status merge_runs(spill *s, size_t n, size_t room, const merge_target *to) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    run_reader *readers = NULL, **heap = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&readers, n * sizeof *readers));
    LODE_TRY(mem_zalloc(m, (void **)&heap, n * sizeof *heap));
    for (size_t i = 0; i < n; i++) {
        readers[i].left = s->runs[i];
        heap[i] = &readers[i];
    }
    s->n_runs -= n;
    memmove(s->runs, s->runs + n, s->n_runs * sizeof *s->runs);
    status = merge_readers(s, heap, n, room, to);
done:
    for (size_t i = 0; readers && i < n; i++) vec_char_free(m, &readers[i].buffer);
    mem_free(m, readers, readers ? n * sizeof *readers : 0);
    mem_free(m, heap, heap ? n * sizeof *heap : 0);
    return status;
}

/* Merges the first n runs into one, after the others. */
static lode_status merge_into_run(spill *s, size_t n, size_t room) {
    lode_status status = LODE_OK;
    uint64_t bytes = 0;
    run_writer w = {.s = s};
    merge_target to = {.writer = &w};
    for (size_t i = 0; i < n; i++) bytes += s->runs[i].end - s->runs[i].at;
    LODE_TRY(spill_add_run(s, NULL, bytes, &w.at));
    LODE_TRY(merge_runs(s, n, room, &to));
    LODE_TRY(run_flush(&w));
done:
    vec_char_free(&s->job->mem, &w.buffer);
    return status;
}

lode_status spill_replay(spill *s, bool merge, sink_worker *to) {
    lode_status status = LODE_OK;
    merge_target target = {.worker = to};
    size_t left = mem_left(&s->job->mem), each = BUFFER_LEAST + sizeof(run_reader) + 64;
    size_t most = left / BUFFER_SHARE / each; /* runs that are read at a time */
    if (most < 2) most = 2;
    while (!merge && s->n_runs > 0) LODE_TRY(merge_runs(s, 1, BUFFER_LEAST, &target));
    while (s->n_runs > most) LODE_TRY(merge_into_run(s, most, BUFFER_LEAST));
    if (s->n_runs == 0) goto done;
    size_t room = left / BUFFER_SHARE / s->n_runs;
    room = room < BUFFER_LEAST ? BUFFER_LEAST : room > BUFFER_MOST ? BUFFER_MOST : room;
    status = merge_runs(s, s->n_runs, room, &target);
done:
    return status;
}
