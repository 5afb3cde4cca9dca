/* rank_journal.c - see rank_journal.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_journal.h"

#include <stdlib.h>
#include <unistd.h>

#include "journal_set.h"

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
        journal_path(j, j->numbers[i], "", names + i * RANK_PATH);
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

/* ---- beginning ------------------------------------------------------------------------------- */

static lode_status journal_open_own(rank_run *r) {
    rank_journal *j = r->journal;
    lode_journal_search search = journal_search(r);
    char path[RANK_PATH];
    journal_path(j, r->rank + 1, "", path);
    if (journal_is_there(j, r->rank + 1)) return lode_journal_open(r->job, &j->own, path, &search);
    return lode_journal_create(r->job, &j->own, path, &search);
}

/* Reads the journals that there are, and checks their texts. */
static int journal_resume(rank_run *r, byte_hash *own) {
    char message[RANK_MESSAGE] = "";
    int code = rank_agree(r, journal_read(r), NULL);
    if (code != CLI_DONE) return code;
    lode_status status = text_check(r, r->rank + 1, own, message);
    code = rank_agree(r, status, message[0] ? message : NULL);
    if (code == CLI_DONE) journal_say_resumed(r);
    return code;
}

/* Continues with the existing journals, or starts anew. */
static int journal_find(rank_run *r, byte_hash *own) {
    rank_journal *j = r->journal;
    lode_journal_search search = journal_search(r);
    journal_list(r);
    if (j->resumes && j->n_journals > 0) return journal_resume(r, own);
    if (j->resumes) journal_say_none(r);
    return journal_start_anew(r, &search);
}

/* Some rank could not begin: what this one has just made is removed again. */
static void journal_take_back(rank_run *r) {
    if (r->out.output) unlink(outcome_path(&r->out));
    if (r->journal->own) unlink(r->out.kept);
}

int journal_begin(rank_run *r) {
    rank_journal *j = r->journal;
    byte_hash own = {0};
    int code = journal_find(r, &own);
    if (code != CLI_DONE) return code;
    bool there = journal_is_there(j, r->rank + 1);
    code = rank_agree(r, journal_open_own(r), NULL);
    journal_path(j, r->rank + 1, "", r->out.kept);
    r->out.has_title = true; /* the final part gets it */
    if (code == CLI_DONE) {
        code = rank_agree(r, outcome_open(&r->out, r->job, there ? &own : NULL), NULL);
    }
    if (code != CLI_DONE && !there) journal_take_back(r);
    return code;
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
                                      .bytes = o->hashed.bytes,
                                      .bytes_hash = byte_hash_value(&o->hashed)};
        status = lode_journal_append(j->own, &record);
    }
    free(given);
    free(ids);
    journal_forget_given(j);
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

int journal_collect(rank_run *r) {
    rank_journal *j = r->journal;
    char message[RANK_MESSAGE] = "";
    lode_journal_free(j->own);
    j->own = NULL;
    lode_status status = outcome_flush(&r->out);
    int code = rank_agree(r, status, NULL); /* all ranks have written before any reads */
    if (code != CLI_DONE) return code;
    journal_list(r);
    code = rank_agree(r, journal_read(r), NULL);
    if (code != CLI_DONE) return code;
    bool whole = lode_journals_left(j->found) == 0;
    code = rank_agree(r, whole ? LODE_OK : LODE_INTERNAL,
                      "finished tasks are missing from the journals");
    if (code != CLI_DONE) return code;
    status = text_gather(r, message);
    return rank_agree(r, status, message[0] ? message : NULL);
}

void journal_close(rank_run *r, bool done) {
    rank_journal *j = r->journal;
    char path[RANK_PATH];
    lode_journal_free(j->own);
    lode_journals_free(j->found);
    for (int i = r->rank; done && i < j->n_journals; i += r->n_ranks) {
        journal_path(j, j->numbers[i], ".text", path);
        unlink(path);
        journal_path(j, j->numbers[i], "", path);
        unlink(path);
    }
    journal_forget_given(j);
    free(j->given);
    free(j->done);
    free(j->numbers);
}
