/* journal.c - writes a journal: lode/journal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/os.h"
#include "pipeline/journal/journal_file.h"
#include "runtime/valid.h"

/* Ids of tasks that are given away have their highest bit set. Below it, each run has 39 bits that
 * are drawn at random, and again after 2^24 ids. Among ten thousand runs, two have the same bits
 * with a probability of 0.0001, and ids collide only if both runs also use the same number. */
#define JOURNAL_GIVEN   ((uint64_t)1 << 63)
#define JOURNAL_COUNTED 24

struct lode_journal {
    lode_job *job;
    journal_scan file; /* its `at` is where the next record goes */
    char *path;
    size_t path_bytes;
    vec_char bytes; /* of a record */
    pthread_mutex_t lock;
    uint64_t next_id; /* guarded by the lock, as drawing a new run is */
};

/* Draws the random bits of a run. If the system has no random numbers, the clock and the process id
 * still differ from run to run. */
static uint64_t journal_draw_run(const lode_journal *j) {
    uint64_t random[2] = {0};
    if (!os_random(random, sizeof random)) random[0] = (uint64_t)(os_seconds() * 1e9);
    uint64_t mixed = bits_mix(random[0] ^ bits_mix(os_process_id() + (uint64_t)(uintptr_t)j));
    return JOURNAL_GIVEN | (mixed << JOURNAL_COUNTED & ~JOURNAL_GIVEN);
}

static lode_status journal_make(lode_job *job, const char *path, lode_journal **out) {
    lode_status status = LODE_OK;
    lode_journal *j = NULL;
    size_t bytes = strlen(path) + 1;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&j, sizeof *j));
    *j = (lode_journal){.job = job, .file = {.job = job, .fd = -1}};
    pthread_mutex_init(&j->lock, NULL);
    *out = j;
    LODE_TRY(mem_resize(&job->mem, (void **)&j->path, 0, bytes));
    j->path_bytes = bytes;
    memcpy(j->path, path, bytes);
    j->next_id = journal_draw_run(j);
done:
    return status;
}

void lode_journal_free(lode_journal *journal) {
    if (!journal) return;
    mem *m = &journal->job->mem;
    journal_scan_close(&journal->file);
    vec_char_free(m, &journal->bytes);
    mem_free(m, journal->path, journal->path_bytes);
    pthread_mutex_destroy(&journal->lock);
    mem_free(m, journal, sizeof *journal);
}

#if LODE_DEBUG
/* The next record goes to the end of the file. */
static void journal_validate(const journal_scan *f) {
    uint64_t bytes = 0;
    LODE_DEBUG_CHECK(!os_file_size(f->fd, &bytes) || bytes == f->at,
                     "the journal has %llu bytes, but the next record would begin at byte %llu",
                     (unsigned long long)bytes, (unsigned long long)f->at);
}
#endif

/* Appends the bytes to the file and flushes it to disk. If that fails, restores the old length. */
static lode_status journal_put(lode_journal *j) {
    journal_scan *f = &j->file;
    if (os_write_at(f->fd, j->bytes.data, j->bytes.n, f->at) && os_sync(f->fd)) {
        f->at += j->bytes.n;
        LODE_VALIDATE(journal_validate(f));
        return LODE_OK;
    }
    int reason = errno;
    os_cut(f->fd, f->at);
    return job_fail(j->job, LODE_IO, "cannot write '%s': %s", j->path, strerror(reason));
}

static lode_status journal_check_search(lode_job *job, const lode_journal_search *given,
                                        lode_journal_search *search) {
    lode_status status = LODE_OK;
    LODE_TRY(valid_take(job, VALID_JOURNAL_SEARCH, given, search));
    if (!search->options) search->options = "";
done:
    return status;
}

static lode_status journal_begin(lode_journal *j, const lode_journal_search *search) {
    lode_status status = LODE_OK;
    journal_scan *f = &j->file;
    LODE_TRY(journal_put_header(&j->job->mem, &j->bytes, search, &f->seal));
    f->fd = os_open_exclusive(j->path, OS_NEW_MODE);
    if (f->fd < 0) {
        return job_fail(j->job, LODE_IO, "cannot write '%s': %s", j->path, strerror(errno));
    }
    if (!os_lock(f->fd) || !os_is_same(j->path, f->fd)) { /* it is another's already */
        return job_fail(j->job, LODE_IO, "'%s' is being written by another process", j->path);
    }
    status = journal_put(j);
    if (status == LODE_OK) {
        os_sync_folder(j->path);
    } else {
        os_remove(j->path);
    }
done:
    return status;
}

/* Goes to the end of the complete records, and cuts off what follows them. */
static lode_status journal_go_on(lode_journal *j, const lode_journal_search *search) {
    lode_status status = LODE_OK;
    journal_scan *f = &j->file;
    lode_journal_record r;
    bool more = true;
    LODE_TRY(journal_scan_open(f, j->job, j->path, search, true));
    while (more) LODE_TRY(journal_scan_next(f, &r, &more));
    if (f->at < f->bytes && !os_cut(f->fd, f->at)) {
        return job_fail(j->job, LODE_IO, "cannot write '%s': %s", j->path, strerror(errno));
    }
done:
    return status;
}

/* Makes a journal, and creates or continues its file. */
static lode_status journal_enter(lode_job *job, lode_journal **out, const char *path,
                                 const lode_journal_search *search,
                                 lode_status (*enter)(lode_journal *,
                                                      const lode_journal_search *)) {
    lode_status status = LODE_OK;
    lode_journal *j = NULL;
    lode_journal_search taken;
    LODE_TRY(journal_check_search(job, search, &taken));
    LODE_TRY(journal_make(job, path, &j));
    LODE_TRY(enter(j, &taken));
    *out = j;
done:
    if (status != LODE_OK) lode_journal_free(j);
    return status;
}

lode_status lode_journal_create(lode_job *job, lode_journal **out, const char *path,
                                const lode_journal_search *search) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path), VALID_NEEDS(search));
    lode_status status = journal_enter(job, out, path, search, journal_begin);
    return job_explain(job, status, "beginning a journal");
}

lode_status lode_journal_open(lode_job *job, lode_journal **out, const char *path,
                              const lode_journal_search *search) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path), VALID_NEEDS(search));
    lode_status status = journal_enter(job, out, path, search, journal_go_on);
    return job_explain(job, status, "opening a journal");
}

uint64_t lode_journal_id(lode_journal *journal) {
    if (!journal) return 0;
    pthread_mutex_lock(&journal->lock);
    uint64_t id = journal->next_id++;
    LODE_DEBUG_CHECK(id >= JOURNAL_GIVEN, "id %llu is too low for a task that was given away",
                     (unsigned long long)id);
    if ((journal->next_id & (((uint64_t)1 << JOURNAL_COUNTED) - 1)) == 0) {
        journal->next_id = journal_draw_run(journal);
    }
    pthread_mutex_unlock(&journal->lock);
    return id;
}

/* Whether what the record points to is there. */
static lode_status journal_check_record(lode_job *job, const lode_journal_record *r) {
    const char *missing = r->n_done > 0 && !r->done         ? "done"
                          : r->n_sizes > 0 && !r->sizes     ? "sizes"
                          : r->n_given > 0 && !r->given     ? "given"
                          : r->n_given > 0 && !r->given_ids ? "given_ids"
                                                            : NULL;
    if (missing) return job_fail(job, LODE_INVALID, "record->%s is NULL", missing);
    for (size_t i = 0; i < r->n_given; i++) {
        if (r->given_ids[i] >= JOURNAL_GIVEN) continue;
        return job_fail(job, LODE_INVALID,
                        "record->given_ids[%zu]: expected an id from lode_journal_id()", i);
    }
    return LODE_OK;
}

lode_status lode_journal_append(lode_journal *journal, const lode_journal_record *record) {
    lode_status status = LODE_OK;
    lode_journal_record r;
    if (!journal) return LODE_INVALID;
    lode_job *job = journal->job;
    VALID_CALL(job, VALID_NEEDS(record));
    LODE_TRY(valid_take(job, VALID_JOURNAL_RECORD, record, &r));
    LODE_TRY(journal_check_record(job, &r));
    journal->bytes.n = 0;
    LODE_TRY(journal_put_record(job, &journal->bytes, &r, journal->file.seal, journal->file.at));
    LODE_TRY(journal_put(journal));
done:
    return job_explain(job, status, "writing a journal");
}
