/* sort_store.c - see sort_store.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_store.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/figures.h"
#include "base/os.h"
#include "base/radix.h"

void store_init(sort_store *s, lode_job *job) {
    *s = (sort_store){.job = job, .fd = -1};
    pthread_mutex_init(&s->lock, NULL);
}

void segment_free(mem *m, sort_segment *segment) {
    mem_free(m, segment->rows, segment->bytes);
    mem_free(m, segment->samples, segment->n_samples * segment->words * sizeof *segment->samples);
    *segment = (sort_segment){0};
}

void store_clear(sort_store *s) {
    mem *m = &s->job->mem;
    for (size_t i = 0; i < s->n_segments; i++) segment_free(m, &s->segments[i]);
    mem_free(m, s->segments, s->cap_segments * sizeof *s->segments);
    if (s->fd >= 0) os_close(s->fd);
    pthread_mutex_destroy(&s->lock);
    *s = (sort_store){.fd = -1};
}

/* Bytes of rows that all workers together, and a single one, may keep in memory. */
static size_t store_limit(const lode_job *job) {
    const size_t ample = SORT_SHARE * SORT_MEMORY;
    size_t left = mem_left(&job->mem);
    if (left <= ample) return left / SORT_SHARE;
    bool chosen = left != SIZE_MAX && !job_budget_origin(job)[0]; /* and so meant to be used */
    return SORT_MEMORY + (chosen ? (left - ample) / SORT_AMPLE_SHARE : 0);
}

size_t store_worker_limit(const lode_job *job) {
    size_t share = store_limit(job) / job->threads;
    return share > SORT_LEAST ? share : SORT_LEAST;
}

static lode_status store_error(const sort_store *s, const char *doing) {
    return job_fail(s->job, LODE_IO, "cannot %s the temporary file of --sort in '%s': %s", doing,
                    s->folder, strerror(errno));
}

/* Says how to use another folder, since no option named this one. */
static lode_status store_open_error(const sort_store *s) {
    return job_fail(s->job, LODE_IO,
                    "cannot create the temporary file of --sort in '%s': %s; set TMPDIR to a "
                    "folder that can be written to",
                    s->folder, strerror(errno));
}

/* How much is needed in all is not known before the end of the search. */
static lode_status store_write_error(const sort_store *s) {
    char room[FIGURE_BYTES];
    return job_fail(
        s->job, LODE_IO,
        "cannot write the temporary file of --sort in '%s': %s; the file needs %s so far; "
        "set TMPDIR to another folder, or increase --memory to keep more in memory",
        s->folder, strerror(errno), figure_bytes(s->end, room));
}

#if LODE_DEBUG
/* A segment lies within the file and has a sample of each block, or it is in memory. */
static void segment_validate(const sort_store *s, const sort_segment *segment) {
    size_t each = store_block_rows(segment->words), row_bytes = segment->words * sizeof(uint64_t);
    if (segment->rows) {
        LODE_DEBUG_CHECK(segment->n * row_bytes <= segment->bytes,
                         "%zu rows do not fit into %zu bytes", segment->n, segment->bytes);
        return;
    }
    LODE_DEBUG_CHECK((segment->n + each - 1) / each == segment->n_samples,
                     "%zu rows have %zu samples; expected one for each block", segment->n,
                     segment->n_samples);
    LODE_DEBUG_CHECK(segment->at + segment->n * row_bytes <= s->end,
                     "%zu rows from byte %llu on exceed the file, which ends at byte %llu",
                     segment->n, (unsigned long long)segment->at, (unsigned long long)s->end);
}

static void piles_validate(const sort_piles *p) {
    size_t bytes = 0;
    for (size_t i = 0; i < p->n; i++) bytes += p->list[i].cap * sizeof *p->list[i].data;
    LODE_DEBUG_CHECK(bytes == p->bytes, "piles have %zu bytes, but %zu are counted", bytes,
                     p->bytes);
}
#endif

/* Puts a segment into the list; under the lock. */
static lode_status store_add(sort_store *s, const sort_segment *segment) {
    if (s->n_segments == s->cap_segments) {
        lode_status status = vec_grow(&s->job->mem, (void **)&s->segments, s->n_segments,
                                      &s->cap_segments, 1, sizeof *s->segments);
        if (status != LODE_OK) return status;
    }
    s->segments[s->n_segments++] = *segment;
    s->bytes += segment->bytes;
    LODE_VALIDATE(segment_validate(s, segment));
    return LODE_OK;
}

/* Adds a segment in memory, whose rows then belong to the store. */
static lode_status store_keep(sort_store *s, const sort_segment *segment) {
    pthread_mutex_lock(&s->lock);
    lode_status status = store_add(s, segment);
    pthread_mutex_unlock(&s->lock);
    return status;
}

bool store_is_in_order(const sort_store *s) {
    for (size_t i = 0; i < s->n_segments; i++) {
        if (!s->segments[i].in_order) return false;
    }
    return true;
}

/* ---- the file ------------------------------------------------------------------------------- */

lode_status store_begin(sort_store *s, const char *near, size_t n, sort_segment *segment) {
    lode_status status = LODE_OK;
    size_t row_bytes = segment->words * sizeof(uint64_t), each = store_block_rows(segment->words);
    size_t n_samples = (n + each - 1) / each;
    segment->n = 0;
    LODE_TRY(mem_resize(&s->job->mem, (void **)&segment->samples, 0, n_samples * row_bytes));
    segment->n_samples = n_samples;
    pthread_mutex_lock(&s->lock);
    if (s->fd < 0 && (s->fd = os_open_scratch(near, s->folder)) < 0) {
        status = store_open_error(s);
    }
    segment->at = s->end;
    if (status == LODE_OK) s->end += n * row_bytes;
    pthread_mutex_unlock(&s->lock);
done:
    return status;
}

lode_status store_append(sort_store *s, sort_segment *segment, const uint64_t *rows, size_t n) {
    unsigned words = segment->words;
    size_t each = store_block_rows(words), row_bytes = words * sizeof *rows;
    for (size_t i = (each - segment->n % each) % each; i < n; i += each) {
        LODE_DEBUG_CHECK((segment->n + i) / each < segment->n_samples,
                         "a segment has room for only %zu samples", segment->n_samples);
        memcpy(segment->samples + (segment->n + i) / each * words, rows + i * words, row_bytes);
    }
    if (!os_write_at(s->fd, rows, n * row_bytes, segment->at + segment->n * row_bytes)) {
        return store_write_error(s);
    }
    segment->n += n;
    return LODE_OK;
}

/* Writes a segment to the scratch file, which is near the file `near` by default (base/os.h); its
 * rows stay the caller's. */
static lode_status store_spill(sort_store *s, const char *near, const sort_segment *segment) {
    lode_status status = LODE_OK;
    sort_segment made = {
        .size = segment->size, .words = segment->words, .in_order = segment->in_order};
    LODE_TRY(store_begin(s, near, segment->n, &made));
    LODE_TRY(store_append(s, &made, segment->rows, segment->n));
    LODE_TRY(store_keep(s, &made));
    return LODE_OK;
done:
    segment_free(&s->job->mem, &made);
    return status;
}

lode_status store_read(const sort_store *s, const sort_segment *segment, size_t first, size_t n,
                       uint64_t *rows) {
    size_t row_bytes = segment->words * sizeof *rows;
    if (os_read_at(s->fd, rows, n * row_bytes, segment->at + first * row_bytes)) return LODE_OK;
    return store_error(s, "read");
}

/* ---- rows that a worker collects, by size, until they are sorted as segments ----------------- */

static mem *piles_mem(const sort_piles *p) {
    return &p->store->job->mem;
}

/* ---- segments ------------------------------------------------------------------------------- */

static void pile_free(sort_piles *p, vec_u64 *pile) {
    p->bytes -= pile->cap * sizeof *pile->data;
    vec_u64_free(piles_mem(p), pile);
}

/* Sorts a pile as a segment. A cancelled sort costs the order only. */
static sort_segment pile_sort(const sort_piles *p, uint32_t size) {
    const vec_u64 *pile = &p->list[size];
    mem *m = piles_mem(p);
    sort_stop stop = sink_sort_stop(p->store->job);
    unsigned words = p->words(p->layout, size);
    sort_segment made = {.size = size,
                         .words = words,
                         .n = pile->n / words,
                         .rows = pile->data,
                         .bytes = pile->cap * sizeof *pile->data};
    uint64_t *scratch = NULL;
    size_t bytes = pile->n * sizeof *scratch;
    bool roomy = mem_resize(m, (void **)&scratch, 0, bytes) == LODE_OK;
    made.in_order = roomy ? radix_sort(made.rows, scratch, made.n, words, &stop)
                          : radix_sort_in_place(made.rows, made.n, words, &stop);
    mem_free(m, scratch, roomy ? bytes : 0);
    LODE_DEBUG_CHECK(!made.in_order || radix_is_sorted(made.rows, made.n, words),
                     "rows are out of order");
    return made;
}

static lode_status piles_spill(sort_piles *p) {
    lode_status status = LODE_OK;
    for (uint32_t size = 0; size < p->n; size++) {
        vec_u64 *pile = &p->list[size];
        if (pile->n > 0) {
            sort_segment made = pile_sort(p, size);
            LODE_TRY(store_spill(p->store, p->near, &made));
        }
        pile_free(p, pile);
    }
done:
    return status;
}

static bool piles_have_room(sort_piles *p) {
    sort_store *s = p->store;
    pthread_mutex_lock(&s->lock);
    bool has = s->bytes + p->bytes <= store_limit(s->job);
    pthread_mutex_unlock(&s->lock);
    return has;
}

lode_status piles_pass_on(sort_piles *p) {
    lode_status status = LODE_OK;
    if (!piles_have_room(p)) return piles_spill(p);
    for (uint32_t size = 0; size < p->n; size++) {
        if (p->list[size].n == 0) continue;
        sort_segment made = pile_sort(p, size);
        LODE_TRY(store_keep(p->store, &made));
        p->bytes -= made.bytes;
        p->list[size] = (vec_u64){0}; /* it is the store's now */
    }
done:
    return status;
}

/* ---- piles ---------------------------------------------------------------------------------- */

lode_status piles_reach(sort_piles *p, size_t size) {
    if (size < p->n) return LODE_OK;
    size_t n = 2 * size + 16, old = p->n * sizeof *p->list;
    lode_status status = mem_resize(piles_mem(p), (void **)&p->list, old, n * sizeof *p->list);
    if (status != LODE_OK) return status;
    memset(p->list + p->n, 0, n * sizeof *p->list - old);
    p->n = n;
    return LODE_OK;
}

static lode_status pile_grow(sort_piles *p, vec_u64 *pile, size_t words) {
    size_t before = pile->cap;
    lode_status status = vec_u64_reserve(piles_mem(p), pile, words);
    p->bytes += (pile->cap - before) * sizeof *pile->data;
    size_t bytes = pile->cap * sizeof *pile->data;
    if (pile->cap > before && bytes >= SORT_HUGE_BYTES) os_pages_prefer_huge(pile->data, bytes);
    return status;
}

lode_status piles_room(sort_piles *p, uint32_t size, size_t words) {
    lode_status status = LODE_OK;
    vec_u64 *pile = &p->list[size];
    if (pile->cap - pile->n >= words) return LODE_OK;
    size_t more = (pile->cap > words ? pile->cap : words) * sizeof *pile->data;
    if (p->bytes + more > p->most && p->bytes > 0) LODE_TRY(piles_spill(p));
    status = pile_grow(p, pile, words);
    if (status != LODE_BUDGET || p->bytes == 0) return status;
    LODE_TRY(piles_spill(p));
    status = pile_grow(p, pile, words);
done:
    return status;
}

void piles_free(sort_piles *p) {
    if (!p->store) return;
    LODE_VALIDATE(piles_validate(p));
    for (size_t i = 0; i < p->n; i++) pile_free(p, &p->list[i]);
    mem_free(piles_mem(p), p->list, p->n * sizeof *p->list);
    *p = (sort_piles){0};
}
