/* sort_store.c - see sort_store.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_store.h"

#include <errno.h>
#include <string.h>

#include "base/figures.h"

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

size_t store_limit(const lode_job *job) {
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

/* Says where else it could be, since nobody asked for that folder by an option. */
static lode_status store_open_error(const sort_store *s) {
    return job_fail(s->job, LODE_IO,
                    "cannot make the temporary file of --sort in '%s': %s; expected a folder that "
                    "can be written: TMPDIR chooses another",
                    s->folder, strerror(errno));
}

/* How much is needed in all is not known before the end of the search. */
static lode_status store_write_error(const sort_store *s) {
    char room[FIGURE_BYTES];
    return job_fail(s->job, LODE_IO,
                    "cannot write the temporary file of --sort in '%s': %s; it needs %s so far: "
                    "TMPDIR chooses another folder, and a higher --memory keeps more in memory",
                    s->folder, strerror(errno), figure_bytes(s->end, room));
}

/* Puts a segment into the list; under the lock. */
static lode_status store_add(sort_store *s, const sort_segment *segment) {
    if (s->n_segments == s->cap_segments) {
        lode_status status = vec_grow(&s->job->mem, (void **)&s->segments, s->n_segments,
                                      &s->cap_segments, 1, sizeof *s->segments);
        if (status != LODE_OK) return status;
    }
    s->segments[s->n_segments++] = *segment;
    s->bytes += segment->bytes;
    return LODE_OK;
}

lode_status store_keep(sort_store *s, const sort_segment *segment) {
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
        memcpy(segment->samples + (segment->n + i) / each * words, rows + i * words, row_bytes);
    }
    if (!os_write_at(s->fd, rows, n * row_bytes, segment->at + segment->n * row_bytes)) {
        return store_write_error(s);
    }
    segment->n += n;
    return LODE_OK;
}

lode_status store_spill(sort_store *s, const char *near, const sort_segment *segment) {
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
