/* rank_journal.c - see rank_journal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void journal_path(const rank_journal *j, int number, const char *more,
                         char path[RANK_PATH]) {
    snprintf(path, RANK_PATH, "%s.%d%s", j->base, number, more);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What the search is, for the heads of journals. */
static lode_journal_search journal_search(rank_run *r) {
    rank_journal *j = r->journal;
    char first[128];
    snprintf(first, sizeof first, "%s to %s mode=%d count=%llu", r->args->command->name,
             share_format(r->args), (int)r->out.mode,
             (unsigned long long)r->present.min_support.numerator);
    share_options(r->args, first, j->options); /* which fit: check_args() */
    return (lode_journal_search){.size = sizeof(lode_journal_search),
                                 .data = r->fingerprint,
                                 .tasks = lode_tasks_hash(r->tasks),
                                 .options = j->options};
}

/* Reads all journals there are. */
static lode_status journal_read(rank_run *r) {
    rank_journal *j = r->journal;
    lode_journal_search search = journal_search(r);
    size_t n = (size_t)j->n_journals;
    const char **paths = calloc(n + 1, sizeof *paths);
    char *names = calloc(n + 1, RANK_PATH);
    lode_status status = paths && names ? LODE_OK : LODE_NOMEM;
    for (size_t i = 0; status == LODE_OK && i < n; i++) {
        journal_path(j, (int)i + 1, "", names + i * RANK_PATH);
        paths[i] = names + i * RANK_PATH;
    }
    lode_journals_free(j->found);
    j->found = NULL;
    if (status == LODE_OK) {
        status =
            lode_journals_read(r->job, &j->found, paths, n, &search, lode_tasks_count(r->tasks));
    }
    free(paths);
    free(names);
    return status;
}

/* How many journals there are: rank 0 looks. */
static void journal_count(rank_run *r) {
    rank_journal *j = r->journal;
    char path[RANK_PATH];
    j->n_journals = 0;
    for (int i = 1; r->rank == 0; i++) {
        journal_path(j, i, "", path);
        if (access(path, F_OK) != 0) break;
        j->n_journals = i;
    }
    rank_tell_all(r, 0, &j->n_journals, sizeof j->n_journals);
}

/* The length of the text that the records of this rank's journal speak of. */
typedef struct journal_length {
    size_t journal;
    uint64_t bytes;
} journal_length;

static int journal_take_length(void *user, size_t journal, const lode_journal_record *record,
                               bool counts) {
    journal_length *length = user;
    (void)counts;
    if (journal == length->journal) length->bytes = record->bytes;
    return 0;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static lode_status journal_open_own(rank_run *r) {
    rank_journal *j = r->journal;
    lode_journal_search search = journal_search(r);
    char path[RANK_PATH];
    journal_path(j, r->rank + 1, "", path);
    if (r->rank < j->n_journals) return lode_journal_open(r->job, &j->own, path, &search);
    return lode_journal_create(r->job, &j->own, path, &search);
}

/* Checks that a fresh job finds no journals, and a resumed one some. */
static int journal_check(rank_run *r) {
    char text[RANK_PATH + 128];
    rank_journal *j = r->journal;
    journal_count(r);
    if (j->resumes == (j->n_journals > 0)) return CLI_DONE;
    if (j->resumes) {
        snprintf(text, sizeof text, "there is no journal '%s.1' to resume from", j->base);
    } else {
        snprintf(text, sizeof text,
                 "'%s.1' is the journal of a job that has not ended: --resume goes on with it; "
                 "remove it to begin anew",
                 j->base);
    }
    return rank_agree(r, LODE_INVALID, text);
}

int journal_begin(rank_run *r) {
    rank_journal *j = r->journal;
    journal_length length = {(size_t)r->rank, 0};
    int code = journal_check(r);
    if (code == CLI_DONE && j->resumes) code = rank_agree(r, journal_read(r), NULL);
    if (code != CLI_DONE) return code;
    lode_status status = LODE_OK;
    if (j->found) status = lode_journals_each(j->found, journal_take_length, &length);
    if (status == LODE_OK) status = journal_open_own(r);
    code = rank_agree(r, status, NULL);
    if (code != CLI_DONE) return code;
    journal_path(j, r->rank + 1, ".text", r->out.unfinished);
    r->out.has_title = true; /* the final part gets it */
    r->out.keeps = true;
    return rank_agree(r, outcome_open(&r->out, r->job, length.bytes), NULL);
}

stored_task **journal_left(const rank_run *r, size_t *n, double **work) {
    const rank_journal *j = r->journal;
    size_t n_roots = lode_tasks_count(r->tasks);
    *n = j->found ? lode_journals_left(j->found) : n_roots;
    stored_task **left = calloc(*n + 1, sizeof(stored_task *));
    *work = calloc(*n + 1, sizeof **work);
    for (size_t i = 0; left && *work && i < *n; i++) {
        lode_task task = LODE_INIT(lode_task), root = LODE_INIT(lode_task);
        uint64_t id = i;
        if (j->found) lode_journals_left_at(j->found, i, &id, &task);
        bool is_root = id < n_roots;
        if (is_root) lode_tasks_at(r->tasks, (size_t)id, &root);
        (*work)[i] = is_root ? root.work : 1; /* of others nothing is known */
        left[i] = task_copy(is_root ? &root : &task, id);
    }
    return left;
}

/* ---- noting ---------------------------------------------------------------------------------- */

static void journal_forget_given(rank_journal *j) {
    for (size_t i = 0; i < j->n_given; i++) free(j->given[i]);
    j->n_given = 0;
}

lode_status journal_note_start(rank_run *r, const uint64_t *handles, size_t n) {
    rank_journal *j = r->journal;
    if (n > j->done_cap) {
        uint64_t *grown = realloc(j->done, n * sizeof *grown);
        if (!grown) return LODE_NOMEM;
        j->done = grown;
        j->done_cap = n;
    }
    for (size_t i = 0; i < n; i++) j->done[i] = task_of_handle(handles[i])->id;
    j->n_done = n;
    journal_forget_given(j);
    return LODE_OK;
}

lode_status journal_note_given(rank_run *r, stored_task *task) {
    rank_journal *j = r->journal;
    task->id = lode_journal_id(j->own);
    if (j->n_given == j->given_cap) {
        size_t cap = 2 * j->given_cap + 16;
        stored_task **grown = realloc(j->given, cap * sizeof(stored_task *));
        if (!grown) return LODE_NOMEM;
        j->given = grown;
        j->given_cap = cap;
    }
    stored_task *copy = task_copy(&task->task, task->id);
    if (!copy) return LODE_NOMEM;
    j->given[j->n_given++] = copy;
    return LODE_OK;
}

lode_status journal_note_end(rank_run *r) {
    rank_journal *j = r->journal;
    const rank_output *o = &r->out;
    const lode_task **given = calloc(j->n_given + 1, sizeof *given);
    uint64_t *ids = calloc(j->n_given + 1, sizeof *ids);
    lode_status status = given && ids ? outcome_flush(&r->out) : LODE_NOMEM;
    for (size_t i = 0; status == LODE_OK && i < j->n_given; i++) {
        given[i] = &j->given[i]->task;
        ids[i] = j->given[i]->id;
    }
    if (status == LODE_OK) {
        lode_journal_record record = {.size = sizeof record,
                                      .done = j->done,
                                      .n_done = j->n_done,
                                      .given = given,
                                      .given_ids = ids,
                                      .n_given = j->n_given,
                                      .sizes = o->last_sizes,
                                      .n_sizes = o->n_last,
                                      .hash = o->last_hash,
                                      .bytes = o->bytes};
        status = lode_journal_append(j->own, &record);
    }
    free(given);
    free(ids);
    journal_forget_given(j);
    return status;
}

/* ---- collecting ------------------------------------------------------------------------------ */

/* What counts of the journals of this rank: those whose number is the rank's, or a multiple of the
 * number of ranks away from it. */
typedef struct journal_gathering {
    rank_run *run;
    size_t journal; /* whose text is open */
    FILE *text;
    uint64_t at;
    lode_status status;
} journal_gathering;

/* Copies the text [g->at, end) to the output, if it counts. */
static bool journal_copy(journal_gathering *g, uint64_t end, bool counts) {
    char buffer[65536];
    if (fseeko(g->text, (off_t)g->at, SEEK_SET) != 0) return false;
    while (counts && g->at < end) {
        size_t want = end - g->at < sizeof buffer ? (size_t)(end - g->at) : sizeof buffer;
        if (fread(buffer, 1, want, g->text) != want) return false;
        if (!outcome_copy(&g->run->out, buffer, want)) return false;
        g->at += want;
    }
    g->at = end;
    return true;
}

static bool journal_open_text(journal_gathering *g, size_t journal) {
    char path[RANK_PATH];
    if (g->run->out.mode != OUTPUT_TEXT || (g->text && g->journal == journal)) return true;
    if (g->text) fclose(g->text);
    journal_path(g->run->journal, (int)journal + 1, ".text", path);
    g->text = fopen(path, "r");
    g->journal = journal;
    g->at = 0;
    return g->text != NULL;
}

static int journal_gather(void *user, size_t journal, const lode_journal_record *record,
                          bool counts) {
    journal_gathering *g = user;
    rank_run *r = g->run;
    if ((int)(journal % (size_t)r->n_ranks) != r->rank) return 0;
    bool fine = journal_open_text(g, journal);
    if (fine && g->text) fine = journal_copy(g, record->bytes, counts);
    if (!fine) g->status = LODE_IO;
    if (fine && counts && !outcome_add(&r->out, record->sizes, record->n_sizes, record->hash)) {
        g->status = LODE_NOMEM;
    }
    return g->status != LODE_OK;
}

/* The output anew, under its own name, from what counts. */
static lode_status journal_gather_all(rank_run *r) {
    journal_gathering g = {.run = r};
    rank_output *o = &r->out;
    outcome_restart(o);
    lode_status status = outcome_open(o, r->job, 0);
    if (status == LODE_OK) status = lode_journals_each(r->journal->found, journal_gather, &g);
    if (g.status != LODE_OK) status = g.status;
    if (g.text) fclose(g.text);
    return status;
}

int journal_collect(rank_run *r) {
    rank_journal *j = r->journal;
    lode_journal_free(j->own);
    j->own = NULL;
    lode_status status = outcome_flush(&r->out);
    int code = rank_agree(r, status, NULL); /* all have written before anybody reads */
    if (code != CLI_DONE) return code;
    journal_count(r);
    code = rank_agree(r, journal_read(r), NULL);
    if (code != CLI_DONE) return code;
    bool whole = lode_journals_left(j->found) == 0;
    code = rank_agree(r, whole ? LODE_OK : LODE_INTERNAL, "journals lack pieces that were done");
    return code == CLI_DONE ? rank_agree(r, journal_gather_all(r), NULL) : code;
}

void journal_close(rank_run *r, bool done) {
    rank_journal *j = r->journal;
    char path[RANK_PATH];
    lode_journal_free(j->own);
    lode_journals_free(j->found);
    for (int i = r->rank + 1; done && i <= j->n_journals; i += r->n_ranks) {
        journal_path(j, i, ".text", path);
        unlink(path);
        journal_path(j, i, "", path);
        unlink(path);
    }
    journal_forget_given(j);
    free(j->given);
    free(j->done);
}
