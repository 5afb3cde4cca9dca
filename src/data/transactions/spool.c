/* spool.c - see spool.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/spool.h"

#include <errno.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/os.h"

typedef struct spool_head {
    uint32_t bytes, n_rows; /* of the rows, without the head */
    uint32_t n_items, tag;
    uint32_t weighted, unused;
    uint64_t hash; /* of the rows */
} spool_head;

/* ---- the file -------------------------------------------------------------------------------- */

lode_status spool_create(lode_job *job, mem *m, const char *folder, spool **out) {
    lode_status status = LODE_OK;
    spool *s = NULL;
    size_t bytes = strlen(folder) + 1;
    LODE_TRY(mem_zalloc(m, (void **)&s, sizeof *s));
    s->mem = m;
    s->fd = -1;
    LODE_TRY(mem_resize(m, (void **)&s->folder, 0, bytes));
    s->folder_bytes = bytes;
    memcpy(s->folder, folder, bytes);
    s->fd = os_open_scratch_in(folder);
    if (s->fd < 0) {
        const char *advice = errno == EMFILE ? " (ulimit -n 64 is enough)" : "";
        LODE_LEAVE(job_fail(job, LODE_IO, "cannot create a file in '%s' (--spill): %s%s", folder,
                            strerror(errno), advice));
    }
    *out = s;
    s = NULL;
done:
    spool_free(s);
    return status;
}

void spool_free(spool *s) {
    if (!s) return;
    if (s->fd >= 0) os_close(s->fd);
    mem_free(s->mem, s->folder, s->folder_bytes);
    mem_free(s->mem, s, sizeof *s);
}

uint64_t spool_room(const spool *s) {
    uint64_t bytes;
    return os_disk_free(s->fd, &bytes) ? bytes : UINT64_MAX;
}

/* ---- writing --------------------------------------------------------------------------------- */

static uint8_t *spool_varint(uint8_t *to, uint32_t x) {
    for (; x >= 128; x >>= 7) *to++ = (uint8_t)(x | 128);
    *to++ = (uint8_t)x;
    return to;
}

void spool_encode(const uint32_t *items, uint32_t n, uint8_t *to, uint32_t *ends) {
    const uint8_t *start = to;
    uint32_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        LODE_DEBUG_CHECK(i == 0 || items[i] > before,
                         "item %u comes after item %u; expected ascending items", items[i], before);
        to = spool_varint(to, items[i] - before);
        before = items[i];
        ends[i] = (uint32_t)(to - start);
    }
}

lode_status spool_writer_open(spool_writer *w, lode_job *job, mem *m, spool *to, size_t bytes) {
    *w = (spool_writer){.job = job, .mem = m, .to = to};
    if (bytes < sizeof(spool_head)) bytes = sizeof(spool_head);
    lode_status status = mem_resize(m, (void **)&w->buffer, 0, bytes);
    if (status != LODE_OK) return status;
    w->cap = bytes;
    w->n = sizeof(spool_head);
    return LODE_OK;
}

void spool_writer_close(spool_writer *w) {
    if (w->mem) mem_free(w->mem, w->buffer, w->cap);
    *w = (spool_writer){0};
}

/* What helps, where the system does not let us write. */
static const char *spool_advice(int reason) {
    switch (reason) {
    case ENOSPC:
    case EDQUOT: return "; choose a folder with more space, or increase --memory";
    case EFBIG: return "; raise the file size limit (ulimit -f), or increase --memory";
    default: return "";
    }
}

lode_status spool_flush(spool_writer *w) {
    size_t bytes = w->n - sizeof(spool_head);
    if (w->n_rows == 0) return LODE_OK;
    spool_head head = {.bytes = (uint32_t)bytes,
                       .n_rows = w->n_rows,
                       .n_items = w->n_items,
                       .tag = w->tag,
                       .weighted = w->weighted,
                       .hash = bits_hash(w->buffer + sizeof head, bytes)};
    memcpy(w->buffer, &head, sizeof head);
    uint64_t at = atomic_fetch_add(&w->to->end, w->n);
    if (!os_write_at(w->to->fd, w->buffer, w->n, at)) {
        int reason = errno;
        return job_fail(w->job, LODE_IO, "cannot write to '%s' (--spill): %s%s", w->to->folder,
                        strerror(reason), spool_advice(reason));
    }
    atomic_fetch_add(&w->to->n_rows, w->n_rows);
    atomic_fetch_add(&w->to->n_items, w->n_items);
    w->n = sizeof head;
    w->n_rows = w->n_items = 0;
    return LODE_OK;
}

lode_status spool_begin(spool_writer *w, uint32_t tag, bool weighted) {
    lode_status status = spool_flush(w);
    w->tag = tag;
    w->weighted = weighted;
    return status;
}

/* Makes room for a row of at most this many bytes. */
static lode_status spool_make_room(spool_writer *w, size_t bytes) {
    lode_status status = LODE_OK;
    if (w->cap - w->n >= bytes) return LODE_OK;
    LODE_TRY(spool_flush(w));
    if (w->cap - w->n >= bytes) return LODE_OK;
    size_t cap = w->n + bytes;
    LODE_TRY(mem_resize(w->mem, (void **)&w->buffer, w->cap, cap));
    w->cap = cap;
done:
    return status;
}

/* What stands before the items of a row. */
static uint8_t *spool_put_head(spool_writer *w, uint32_t n, uint32_t weight) {
    uint8_t *to = spool_varint(w->buffer + w->n, n);
    w->n_rows++;
    w->n_items += n;
    return w->weighted ? spool_varint(to, weight) : to;
}

lode_status spool_put(spool_writer *w, const uint32_t *items, uint32_t n, uint32_t weight) {
    lode_status status = spool_make_room(w, ((size_t)n + 2) * SPOOL_VARINT);
    if (status != LODE_OK) return status;
    uint8_t *to = spool_put_head(w, n, weight);
    uint32_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        LODE_DEBUG_CHECK(i == 0 || items[i] > before,
                         "item %u comes after item %u; expected ascending items", items[i], before);
        to = spool_varint(to, items[i] - before);
        before = items[i];
    }
    w->n = (size_t)(to - w->buffer);
    LODE_DEBUG_CHECK(w->n <= w->cap, "a block has %zu bytes, but %zu were written to it", w->cap,
                     w->n);
    return LODE_OK;
}

lode_status spool_put_code(spool_writer *w, const uint8_t *code, size_t bytes, uint32_t n,
                           uint32_t weight) {
    lode_status status = spool_make_room(w, bytes + 2 * SPOOL_VARINT);
    if (status != LODE_OK) return status;
    uint8_t *to = spool_put_head(w, n, weight);
    memcpy(to, code, bytes);
    w->n = (size_t)(to - w->buffer) + bytes;
    LODE_DEBUG_CHECK(w->n <= w->cap, "a block has %zu bytes, but %zu were written to it", w->cap,
                     w->n);
    return LODE_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

void spool_reader_open(spool_reader *r, lode_job *job, mem *m, spool *from) {
    *r = (spool_reader){.job = job, .mem = m, .from = from, .limit = atomic_load(&from->end)};
}

void spool_reader_close(spool_reader *r) {
    if (!r->mem) return;
    vec_char_free(r->mem, &r->buffer);
    vec_u32_free(r->mem, &r->offsets);
    vec_u32_free(r->mem, &r->items);
    vec_u32_free(r->mem, &r->weights);
    *r = (spool_reader){0};
}

static lode_status spool_damaged(const spool_reader *r) {
    return job_fail(
        r->job, LODE_IO,
        "data read back from '%s' (--spill) differ from what was written: the disk is damaged",
        r->from->folder);
}

static lode_status spool_fetch(spool_reader *r, void *to, size_t bytes) {
    if (!os_read_at(r->from->fd, to, bytes, r->at)) {
        if (errno == ENODATA) return spool_damaged(r);
        return job_fail(r->job, LODE_IO, "cannot read from '%s' (--spill): %s", r->from->folder,
                        strerror(errno));
    }
    r->at += bytes;
    atomic_fetch_add_explicit(&r->from->n_read, bytes, memory_order_relaxed);
    return LODE_OK;
}

static const uint8_t *spool_take(const uint8_t *from, uint32_t *x) {
    uint32_t byte = *from++, value = byte & 127;
    for (unsigned shift = 7; byte & 128; shift += 7) {
        byte = *from++;
        value |= (byte & 127) << shift;
    }
    *x = value;
    return from;
}

/* Decodes the rows of a block, whose hash is right. */
static void spool_decode(spool_reader *r, const spool_head *head) {
    const uint8_t *at = (const uint8_t *)r->buffer.data;
    uint32_t *items = r->items.data, n, end = 0, step;
    r->offsets.data[0] = 0;
    for (uint32_t row = 0; row < r->n; row++) {
        uint32_t item = 0;
        at = spool_take(at, &n);
        if (r->weighted) at = spool_take(at, &r->weights.data[row]);
        for (uint32_t i = 0; i < n; i++) {
            at = spool_take(at, &step);
            item += step;
            items[end++] = item;
        }
        r->offsets.data[row + 1] = end;
    }
    LODE_DEBUG_CHECK(at == (const uint8_t *)r->buffer.data + head->bytes && end == head->n_items,
                     "a block should have %u items, but has %u", head->n_items, end);
}

static lode_status spool_reserve(spool_reader *r, const spool_head *head) {
    lode_status status = LODE_OK;
    r->buffer.n = r->offsets.n = r->items.n = r->weights.n = 0;
    LODE_TRY(vec_char_reserve(r->mem, &r->buffer, head->bytes));
    LODE_TRY(vec_u32_reserve(r->mem, &r->offsets, (size_t)head->n_rows + 1));
    LODE_TRY(vec_u32_reserve(r->mem, &r->items, head->n_items));
    if (head->weighted) LODE_TRY(vec_u32_reserve(r->mem, &r->weights, head->n_rows));
done:
    return status;
}

lode_status spool_next(spool_reader *r) {
    lode_status status = LODE_OK;
    spool_head head;
    r->n = 0;
    if (r->at >= r->limit) return LODE_OK;
    LODE_TRY(spool_fetch(r, &head, sizeof head));
    if (head.bytes > r->limit - r->at || head.n_rows > head.bytes || head.n_items > head.bytes) {
        LODE_LEAVE(spool_damaged(r));
    }
    LODE_TRY(spool_reserve(r, &head));
    LODE_TRY(spool_fetch(r, r->buffer.data, head.bytes));
    if (bits_hash(r->buffer.data, head.bytes) != head.hash) {
        LODE_LEAVE(spool_damaged(r));
    }
    r->n = head.n_rows;
    r->tag = head.tag;
    r->weighted = head.weighted != 0;
    spool_decode(r, &head);
done:
    return status;
}
