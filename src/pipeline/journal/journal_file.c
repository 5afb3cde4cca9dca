/* journal_file.c - see journal_file.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/journal/journal_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/os.h"
#include "runtime/valid.h"

#define JOURNAL_MAGIC   0x314c4e524a45444c /* "LDEJRNL1", on most machines */
#define JOURNAL_VERSION 1

typedef struct journal_header {
    uint64_t magic;
    uint32_t version;
    uint32_t n_options; /* bytes of the text */
    uint64_t data, tasks;
} journal_header;

typedef struct journal_fixed {
    uint64_t hash, bytes, bytes_hash;
    uint64_t n_sizes, n_done, n_given;
} journal_fixed;

typedef struct journal_task {
    double work;
    uint32_t n_prefix, first, end, own;
} journal_task;

typedef struct journal_frame {
    uint32_t bytes, inverted;
} journal_frame;

/* Each step can be undone, so that one changed word always changes the sum. */
static uint64_t journal_sum(uint64_t sum, const char *bytes, size_t n) {
    uint64_t word;
    sum ^= n;
    for (size_t i = 0; i < n; i += sizeof word) {
        word = 0;
        memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }
    return sum;
}

/* ---- writing --------------------------------------------------------------------------------- */

lode_status journal_put_header(mem *m, vec_char *to, const lode_journal_search *search,
                               uint64_t *seal) {
    lode_status status = LODE_OK;
    size_t n = strlen(search->options);
    journal_header h = {JOURNAL_MAGIC, JOURNAL_VERSION, (uint32_t)n, search->data, search->tasks};
    LODE_TRY(vec_char_append(m, to, &h, sizeof h));
    LODE_TRY(vec_char_append(m, to, search->options, n));
    *seal = journal_sum(JOURNAL_VERSION, to->data, to->n);
    LODE_TRY(vec_char_append(m, to, seal, sizeof *seal));
done:
    return status;
}

static lode_status journal_put_task(lode_job *job, vec_char *to, const lode_task *given) {
    lode_status status = LODE_OK;
    lode_task t;
    if (!given) return job_fail(job, LODE_INVALID, "record->given contains a NULL task");
    LODE_TRY(valid_take(job, VALID_TASK, given, &t));
    if (t.n_prefix > 0 && !t.prefix) {
        return job_fail(job, LODE_INVALID, "record->given contains a task whose prefix is NULL");
    }
    journal_task fixed = {t.work, t.n_prefix, t.first, t.end, t.own};
    LODE_TRY(vec_char_append(&job->mem, to, &fixed, sizeof fixed));
    LODE_TRY(vec_char_append(&job->mem, to, t.prefix, t.n_prefix * sizeof *t.prefix));
done:
    return status;
}

lode_status journal_put_record(lode_job *job, vec_char *to, const lode_journal_record *r,
                               uint64_t seal, uint64_t at) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    journal_frame frame = {0};
    journal_fixed fixed = {r->hash, r->bytes, r->bytes_hash, r->n_sizes, r->n_done, r->n_given};
    size_t start = to->n;
    LODE_TRY(vec_char_append(m, to, &frame, sizeof frame));
    LODE_TRY(vec_char_append(m, to, &fixed, sizeof fixed));
    LODE_TRY(vec_char_append(m, to, r->sizes, r->n_sizes * sizeof *r->sizes));
    LODE_TRY(vec_char_append(m, to, r->done, r->n_done * sizeof *r->done));
    LODE_TRY(vec_char_append(m, to, r->given_ids, r->n_given * sizeof *r->given_ids));
    for (size_t i = 0; i < r->n_given; i++) LODE_TRY(journal_put_task(job, to, r->given[i]));
    size_t n = to->n - start - sizeof frame;
    if (n > UINT32_MAX) {
        return job_fail(job, LODE_UNSUPPORTED, "a record of the journal would exceed 4 GiB");
    }
    frame = (journal_frame){(uint32_t)n, ~(uint32_t)n};
    memcpy(to->data + start, &frame, sizeof frame);
    uint64_t sum = journal_sum(seal ^ at, to->data + start, to->n - start);
    LODE_TRY(vec_char_append(m, to, &sum, sizeof sum));
done:
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static lode_status scan_fail(const journal_scan *s) {
    int reason = errno;
    if (reason == ELOOP || reason == EISDIR || reason == EINVAL) {
        return job_fail(s->job, LODE_IO, "'%s' is not a regular file; a journal must be one",
                        s->path);
    }
    return job_fail(s->job, reason == ENOENT ? LODE_NOTFOUND : LODE_IO, "cannot open '%s': %s",
                    s->path, strerror(reason));
}

/* Puts the next n bytes into the buffer. */
static lode_status scan_read(journal_scan *s, size_t n) {
    s->buffer.n = 0;
    lode_status status = vec_char_reserve(&s->job->mem, &s->buffer, n);
    if (status != LODE_OK) return status;
    if (!os_read_at(s->fd, s->buffer.data, n, s->at)) {
        return job_fail(s->job, LODE_IO, "cannot read '%s': %s", s->path, strerror(errno));
    }
    s->buffer.n = n;
    return LODE_OK;
}

static lode_status scan_is_other(const journal_scan *s, const char *what) {
    return job_fail(s->job, LODE_INVALID, "'%s' is the journal of another search: %s", s->path,
                    what);
}

static lode_status scan_compare(const journal_scan *s, const journal_header *h,
                                const lode_journal_search *search) {
    char text[JOB_MESSAGE_BYTES / 2];
    const char *options = s->buffer.data + sizeof *h;
    if (h->data != search->data) return scan_is_other(s, "the data differ");
    if (strlen(search->options) != h->n_options ||
        memcmp(options, search->options, h->n_options) != 0) {
        snprintf(text, sizeof text, "the options were '%.*s', and now are '%.200s'",
                 h->n_options < 200 ? (int)h->n_options : 200, options, search->options);
        return scan_is_other(s, text);
    }
    if (h->tasks != search->tasks) {
        return scan_is_other(s, "the search was divided differently, by another version of lode "
                                "or on another kind of processor");
    }
    return LODE_OK;
}

static lode_status scan_header(journal_scan *s, const lode_journal_search *search) {
    lode_status status = LODE_OK;
    journal_header h;
    uint64_t sum;
    if (s->bytes < sizeof h + sizeof sum) goto damaged;
    LODE_TRY(scan_read(s, sizeof h));
    memcpy(&h, s->buffer.data, sizeof h);
    if (h.magic != JOURNAL_MAGIC) goto damaged;
    if (h.version != JOURNAL_VERSION) {
        return job_fail(s->job, LODE_PARSE, "'%s' is a journal of version %u; expected version %u",
                        s->path, h.version, JOURNAL_VERSION);
    }
    if (s->bytes < sizeof h + h.n_options + sizeof sum) goto damaged;
    LODE_TRY(scan_read(s, sizeof h + h.n_options + sizeof sum));
    s->seal = journal_sum(JOURNAL_VERSION, s->buffer.data, sizeof h + h.n_options);
    memcpy(&sum, s->buffer.data + sizeof h + h.n_options, sizeof sum);
    if (sum != s->seal) goto damaged;
    s->at = sizeof h + h.n_options + sizeof sum;
    if (search) status = scan_compare(s, &h, search);
done:
    return status;
damaged:
    return job_fail(s->job, LODE_PARSE, "'%s' is not a lode journal, or its header is damaged",
                    s->path);
}

lode_status journal_scan_open(journal_scan *s, lode_job *job, const char *path,
                              const lode_journal_search *search, bool lock) {
    *s = (journal_scan){.job = job, .path = path, .fd = -1};
    s->fd = os_open_plain(path, lock);
    if (s->fd < 0) return scan_fail(s);
    if (lock && (!os_lock(s->fd) || !os_is_same(path, s->fd))) {
        return job_fail(job, LODE_IO, "'%s' is being written by another process", path);
    }
    if (!os_file_size(s->fd, &s->bytes)) {
        return job_fail(job, LODE_IO, "'%s' is not a regular file", path);
    }
    return scan_header(s, search);
}

void journal_scan_close(journal_scan *s) {
    mem *m = &s->job->mem;
    vec_char_free(m, &s->buffer);
    mem_free(m, s->tasks, s->tasks_cap * sizeof *s->tasks);
    mem_free(m, s->list, s->list_cap * sizeof *s->list);
    if (s->fd >= 0) os_close(s->fd);
    s->fd = -1;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The unread bytes of a record. */
typedef struct journal_bytes {
    const char *at;
    size_t n;
} journal_bytes;

/* Lends `count` elements; NULL if there are fewer. */
static const void *bytes_take(journal_bytes *b, uint64_t count, size_t width) {
    const char *from = b->at;
    if (count > b->n / width) return NULL;
    b->at += count * width;
    b->n -= count * width;
    return from;
}

static bool bytes_take_task(journal_bytes *b, lode_task *to) {
    journal_task fixed;
    const void *from = bytes_take(b, 1, sizeof fixed);
    if (!from) return false;
    memcpy(&fixed, from, sizeof fixed);
    *to = (lode_task){.size = sizeof *to,
                      .work = fixed.work,
                      .n_prefix = fixed.n_prefix,
                      .first = fixed.first,
                      .end = fixed.end,
                      .own = fixed.own != 0};
    to->prefix = bytes_take(b, fixed.n_prefix, sizeof *to->prefix);
    return to->prefix != NULL;
}

static lode_status scan_room(journal_scan *s, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    if (s->tasks_cap < n) {
        LODE_TRY(vec_grow(m, (void **)&s->tasks, 0, &s->tasks_cap, n, sizeof *s->tasks));
    }
    if (s->list_cap < n) {
        LODE_TRY(vec_grow(m, (void **)&s->list, 0, &s->list_cap, n, sizeof *s->list));
    }
done:
    return status;
}

static lode_status scan_tasks(journal_scan *s, journal_bytes *b, uint64_t n, bool *whole) {
    lode_status status = LODE_OK;
    *whole = n <= b->n / sizeof(journal_task);
    if (!*whole) return LODE_OK;
    LODE_TRY(scan_room(s, (size_t)n));
    for (size_t i = 0; i < n && *whole; i++) {
        *whole = bytes_take_task(b, &s->tasks[i]);
        s->list[i] = &s->tasks[i];
    }
done:
    return status;
}

/* Takes a record apart, whose checksum is right. */
static lode_status scan_parse(journal_scan *s, journal_bytes b, lode_journal_record *out,
                              bool *whole) {
    journal_fixed fixed;
    const void *from = bytes_take(&b, 1, sizeof fixed);
    *whole = false;
    if (!from) return LODE_OK;
    memcpy(&fixed, from, sizeof fixed);
    *out = (lode_journal_record){.size = sizeof *out,
                                 .hash = fixed.hash,
                                 .bytes = fixed.bytes,
                                 .bytes_hash = fixed.bytes_hash,
                                 .n_sizes = (size_t)fixed.n_sizes,
                                 .n_done = (size_t)fixed.n_done,
                                 .n_given = (size_t)fixed.n_given};
    out->sizes = bytes_take(&b, fixed.n_sizes, sizeof *out->sizes);
    out->done = bytes_take(&b, fixed.n_done, sizeof *out->done);
    out->given_ids = bytes_take(&b, fixed.n_given, sizeof *out->given_ids);
    if (!out->sizes || !out->done || !out->given_ids) return LODE_OK;
    lode_status status = scan_tasks(s, &b, fixed.n_given, whole);
    out->given = s->list;
    *whole = *whole && b.n == 0;
    return status;
}

lode_status journal_scan_next(journal_scan *s, lode_journal_record *out, bool *more) {
    lode_status status = LODE_OK;
    journal_frame frame;
    uint64_t sum, left = s->bytes - s->at;
    *more = false;
    if (left < sizeof frame + sizeof sum) return LODE_OK;
    LODE_TRY(scan_read(s, sizeof frame));
    memcpy(&frame, s->buffer.data, sizeof frame);
    if (frame.bytes != ~frame.inverted) return LODE_OK;
    if (left - sizeof frame - sizeof sum < frame.bytes) return LODE_OK;
    size_t n = sizeof frame + frame.bytes;
    LODE_TRY(scan_read(s, n + sizeof sum));
    memcpy(&sum, s->buffer.data + n, sizeof sum);
    if (sum != journal_sum(s->seal ^ s->at, s->buffer.data, n)) return LODE_OK;
    LODE_TRY(scan_parse(s, (journal_bytes){s->buffer.data + sizeof frame, frame.bytes}, out, more));
    if (*more) s->at += n + sizeof sum;
    LODE_DEBUG_CHECK(s->at <= s->bytes,
                     "a record ends at byte %llu, but the journal has %llu bytes",
                     (unsigned long long)s->at, (unsigned long long)s->bytes);
done:
    return status;
}
