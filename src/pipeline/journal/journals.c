/* journals.c - the combined content of several journals: lode/journal.h
 *
 * The files are read at most twice. The first pass collects the ids of tasks that are done and of
 * tasks that were given away: these determine which records count and which tasks are left. The
 * second pass reads the tasks that are left, or passes records to the caller if it wants them. Only
 * ids and the tasks that are left are kept in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "pipeline/journal/journal_file.h"
#include "runtime/valid.h"

/* An id in a record. */
typedef struct journal_mark {
    uint64_t id;
    size_t record;
} journal_mark;

static bool mark_before(const journal_mark *a, const journal_mark *b) {
    return a->id < b->id || (a->id == b->id && a->record < b->record);
}

#define SORT_NAME   sort_marks
#define SORT_TYPE   journal_mark
#define SORT_BEFORE mark_before
#include "base/sort_body.h"

typedef struct journal_marks {
    journal_mark *list;
    size_t n, cap;
} journal_marks;

typedef struct journal_noted {
    size_t missing; /* pieces of which it is not known yet that they belong to the search */
    bool counts;
} journal_noted;

typedef struct journal_piece {
    uint64_t id;
    lode_task task;
} journal_piece;

struct lode_journals {
    lode_job *job;
    mem_kept kept;
    const char **paths;
    size_t n_paths;
    size_t *first; /* by journal: the number of its first record; one more at the end */
    lode_journal_search search;
    bool any; /* search: it may be any */
    uint64_t n_roots;
    journal_noted *records; /* of all journals, one after the other */
    size_t n_records, records_cap;
    journal_marks done, given; /* by id */
    journal_piece *left;
    size_t n_left, left_cap;
    uint64_t torn;
};

void lode_journals_free(lode_journals *j) {
    if (!j) return;
    mem *m = &j->job->mem;
    mem_free(m, j->records, j->records_cap * sizeof *j->records);
    mem_free(m, j->done.list, j->done.cap * sizeof *j->done.list);
    mem_free(m, j->given.list, j->given.cap * sizeof *j->given.list);
    mem_free(m, j->left, j->left_cap * sizeof *j->left);
    mem_drop(m, &j->kept);
    mem_free(m, j, sizeof *j);
}

static lode_status journals_keep_text(lode_journals *j, const char *text, const char **out) {
    size_t bytes = strlen(text) + 1;
    char *copy;
    lode_status status = mem_keep(&j->job->mem, &j->kept, (void **)&copy, bytes);
    if (status == LODE_OK) *out = memcpy(copy, text, bytes);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef lode_status (*record_fn)(lode_journals *j, size_t journal, size_t record,
                                 const lode_journal_record *r, void *user);

/* Calls a function with records of one journal, from the first on, at most `most`. */
static lode_status journal_each(lode_journals *j, size_t journal, size_t most, record_fn each,
                                void *user) {
    lode_status status = LODE_OK;
    journal_scan s;
    lode_journal_record r;
    size_t n = 0;
    bool more = true;
    LODE_TRY(journal_scan_open(&s, j->job, j->paths[journal], j->any ? NULL : &j->search, false));
    while (n < most) {
        LODE_TRY(journal_scan_next(&s, &r, &more));
        if (!more) break;
        LODE_TRY(each(j, journal, j->first[journal] + n++, &r, user));
    }
    if (most == SIZE_MAX) j->torn += s.bytes - s.at;
done:
    journal_scan_close(&s);
    return status;
}

/* The first time, all that there are. */
static lode_status journals_note(lode_journals *j, record_fn each) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < j->n_paths && status == LODE_OK; i++) {
        j->first[i] = j->n_records;
        status = journal_each(j, i, SIZE_MAX, each, NULL);
    }
    j->first[j->n_paths] = j->n_records;
    return status;
}

/* Later, the same ones again, whatever was written since. */
static lode_status journals_walk(lode_journals *j, record_fn each, void *user) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < j->n_paths && status == LODE_OK; i++) {
        status = journal_each(j, i, j->first[i + 1] - j->first[i], each, user);
    }
    return status;
}

static lode_status marks_note(mem *m, journal_marks *to, const uint64_t *ids, size_t n,
                              size_t record) {
    lode_status status = LODE_OK;
    if (to->cap - to->n < n) {
        LODE_TRY(vec_grow(m, (void **)&to->list, to->n, &to->cap, n, sizeof *to->list));
    }
    for (size_t i = 0; i < n; i++) to->list[to->n++] = (journal_mark){ids[i], record};
done:
    return status;
}

static lode_status note_record(lode_journals *j, size_t journal, size_t record,
                               const lode_journal_record *r, void *user) {
    lode_status status = LODE_OK;
    mem *m = &j->job->mem;
    journal_noted noted = {0};
    (void)journal, (void)user;
    for (size_t i = 0; i < r->n_done; i++) noted.missing += r->done[i] >= j->n_roots;
    if (j->records_cap == record) {
        LODE_TRY(vec_grow(m, (void **)&j->records, record, &j->records_cap, 1, sizeof noted));
    }
    j->records[record] = noted;
    j->n_records = record + 1;
    LODE_TRY(marks_note(m, &j->done, r->done, r->n_done, record));
    LODE_TRY(marks_note(m, &j->given, r->given_ids, r->n_given, record));
done:
    return status;
}

/* ---- what counts ----------------------------------------------------------------------------- */

/* The first mark with this id or a higher one. */
static size_t marks_seek(const journal_marks *marks, uint64_t id) {
    size_t low = 0, high = marks->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->list[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How many records that count have this id. */
static size_t marks_counted(const lode_journals *j, const journal_marks *marks, uint64_t id) {
    size_t n = 0;
    for (size_t i = marks_seek(marks, id); i < marks->n && marks->list[i].id == id; i++) {
        n += j->records[marks->list[i].record].counts;
    }
    return n;
}

/* What counts: a list of records, each of which may let others count. */
typedef struct counting {
    size_t *waiting;
    size_t n;
    const size_t *first; /* by record: where its ids begin in `ids`; one more at the end */
    const uint64_t *ids; /* of the tasks given away, by record */
} counting;

/* A record counts, so the tasks that it gave away are pieces of the search. */
static void count_record(lode_journals *j, counting *c, size_t record) {
    for (size_t k = c->first[record]; k < c->first[record + 1]; k++) {
        uint64_t id = c->ids[k];
        for (size_t i = marks_seek(&j->done, id); i < j->done.n && j->done.list[i].id == id; i++) {
            journal_noted *r = &j->records[j->done.list[i].record];
            if (r->missing == 0 || --r->missing > 0) continue;
            r->counts = true;
            c->waiting[c->n++] = j->done.list[i].record;
        }
    }
}

static lode_status journals_count(lode_journals *j) {
    lode_status status = LODE_OK;
    mem *m = &j->job->mem;
    mem_kept kept = {0};
    counting c = {0};
    size_t *first;
    uint64_t *ids;
    LODE_TRY(mem_keep(m, &kept, (void **)&c.waiting, (j->n_records + 1) * sizeof *c.waiting));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&first, (j->n_records + 1) * sizeof *first));
    LODE_TRY(mem_keep(m, &kept, (void **)&ids, (j->given.n + 1) * sizeof *ids));
    for (size_t i = 0; i < j->given.n; i++) { /* still by record */
        first[j->given.list[i].record + 1]++;
        ids[i] = j->given.list[i].id;
    }
    for (size_t i = 0; i < j->n_records; i++) {
        first[i + 1] += first[i];
        j->records[i].counts = j->records[i].missing == 0;
        if (j->records[i].counts) c.waiting[c.n++] = i;
    }
    c.first = first;
    c.ids = ids;
    sort_marks(j->done.list, j->done.n, NULL);
    while (c.n > 0) count_record(j, &c, c.waiting[--c.n]);
    sort_marks(j->given.list, j->given.n, NULL);
done:
    mem_drop(m, &kept);
    return status;
}

/* Nothing may be done twice, or given away twice. */
static lode_status marks_check(const lode_journals *j, const journal_marks *marks,
                               const char *what) {
    for (size_t i = 0; i < marks->n; i++) {
        if (marks_counted(j, marks, marks->list[i].id) <= 1) continue;
        return job_fail(j->job, LODE_PARSE,
                        "'%s': the journals contradict each other: task %llx %s", j->paths[0],
                        (unsigned long long)marks->list[i].id, what);
    }
    return LODE_OK;
}

/* ---- what is left ---------------------------------------------------------------------------- */

static lode_status left_add(lode_journals *j, uint64_t id, const lode_task *task) {
    lode_status status = LODE_OK;
    mem *m = &j->job->mem;
    lode_task copy = {0};
    uint32_t *prefix;
    if (task) {
        size_t bytes = task->n_prefix * sizeof *prefix;
        copy = *task;
        LODE_TRY(mem_keep(m, &j->kept, (void **)&prefix, bytes + sizeof *prefix));
        memcpy(prefix, task->prefix, bytes);
        copy.prefix = prefix;
    }
    if (j->n_left == j->left_cap) {
        LODE_TRY(vec_grow(m, (void **)&j->left, j->n_left, &j->left_cap, 1, sizeof *j->left));
    }
    j->left[j->n_left++] = (journal_piece){id, copy};
done:
    return status;
}

static lode_status left_given(lode_journals *j, size_t journal, size_t record,
                              const lode_journal_record *r, void *user) {
    lode_status status = LODE_OK;
    (void)journal, (void)user;
    for (size_t i = 0; i < r->n_given && j->records[record].counts; i++) {
        if (marks_counted(j, &j->done, r->given_ids[i]) > 0) continue;
        LODE_TRY(left_add(j, r->given_ids[i], r->given[i]));
    }
done:
    return status;
}

static lode_status journals_find_left(lode_journals *j) {
    lode_status status = LODE_OK;
    for (uint64_t id = 0; id < j->n_roots; id++) {
        if (marks_counted(j, &j->done, id) == 0) LODE_TRY(left_add(j, id, NULL));
    }
    LODE_TRY(journals_walk(j, left_given, NULL));
done:
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

static lode_status journals_take(lode_journals *j, const char *const *paths,
                                 const lode_journal_search *search) {
    lode_status status = LODE_OK;
    j->any = !search;
    if (search) LODE_TRY(valid_take(j->job, VALID_JOURNAL_SEARCH, search, &j->search));
    if (!j->search.options) j->search.options = "";
    LODE_TRY(journals_keep_text(j, j->search.options, &j->search.options));
    LODE_TRY(
        mem_keep(&j->job->mem, &j->kept, (void **)&j->paths, (j->n_paths + 1) * sizeof *j->paths));
    LODE_TRY(mem_keep_zero(&j->job->mem, &j->kept, (void **)&j->first,
                           (j->n_paths + 1) * sizeof *j->first));
    for (size_t i = 0; i < j->n_paths; i++) {
        if (!paths[i]) return job_fail(j->job, LODE_INVALID, "paths[%zu] is NULL", i);
        LODE_TRY(journals_keep_text(j, paths[i], &j->paths[i]));
    }
done:
    return status;
}

lode_status lode_journals_read(lode_job *job, lode_journals **out, const char *const *paths,
                               size_t n_paths, const lode_journal_search *search,
                               uint64_t n_roots) {
    lode_status status = LODE_OK;
    lode_journals *j = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(paths));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&j, sizeof *j));
    j->job = job;
    j->n_paths = n_paths;
    j->n_roots = n_roots;
    LODE_TRY(journals_take(j, paths, search));
    LODE_TRY(journals_note(j, note_record));
    LODE_TRY(journals_count(j));
    LODE_TRY(marks_check(j, &j->done, "was completed twice"));
    LODE_TRY(marks_check(j, &j->given, "was handed out twice"));
    LODE_TRY(journals_find_left(j));
    *out = j;
done:
    if (status != LODE_OK) lode_journals_free(j);
    return job_explain(job, status, "reading journals");
}

size_t lode_journals_left(const lode_journals *journals) {
    return journals ? journals->n_left : 0;
}

bool lode_journals_left_at(const lode_journals *journals, size_t i, uint64_t *id, lode_task *task) {
    bool there = journals && i < journals->n_left;
    bool given = there && journals->left[i].task.size > 0;
    if (id) *id = there ? journals->left[i].id : 0;
    if (task) valid_fill(task, given ? &journals->left[i].task : NULL);
    return there;
}

uint64_t lode_journals_torn(const lode_journals *journals) {
    return journals ? journals->torn : 0;
}

typedef struct journal_reader {
    lode_journal_fn function;
    void *user;
} journal_reader;

static lode_status show_record(lode_journals *j, size_t journal, size_t record,
                               const lode_journal_record *r, void *user) {
    const journal_reader *reader = user;
    if (reader->function(reader->user, journal, r, j->records[record].counts) == 0) return LODE_OK;
    return job_fail(j->job, LODE_STOPPED, "stopped by the function that reads the journals");
}

lode_status lode_journals_each(lode_journals *journals, lode_journal_fn function, void *user) {
    journal_reader reader = {function, user};
    if (!journals) return LODE_INVALID;
    lode_job *job = journals->job;
    VALID_CALL(job, VALID_NEEDS(function));
    return job_explain(job, journals_walk(journals, show_record, &reader), "reading journals");
}
