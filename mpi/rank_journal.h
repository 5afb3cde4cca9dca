/* rank_journal.h - the journals of a job, which record what is finished, to resume a killed job
 *
 * With --journal BASE, rank r records in BASE.(r + 1) which pieces it has finished, after appending
 * their text to BASE.(r + 1).text. lode/journal.h says which records are valid if a rank was
 * killed. Any number of ranks may resume the job. Each reads all journals, and all distribute the
 * remaining pieces in the same way. At the end, each rank collects the valid text of some of the
 * journals. The journals are removed when the job is done.
 *
 * The search is divided into a number of pieces that does not depend on the number of ranks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RANK_JOURNAL_H
#define LODE_MPI_RANK_JOURNAL_H

#include "rank_run.h"
#include "share_manifest.h"

struct rank_journal {
    char base[RANK_PATH - 64];
    bool resumes;
    int *numbers;         /* the numbers N of the journals BASE.N that exist, ascending; set at the
                           * beginning and again at the end of the job */
    int n_journals;       /* length of `numbers` */
    lode_journal *own;    /* the journal of this rank */
    lode_journals *found; /* the content of the journals if the job is resumed; or NULL */
    char options[SHARE_TEXT]; /* the options that affect the result */
    uint64_t *done;           /* ids of the pieces of the running search */
    size_t n_done, done_cap;
    stored_task **given; /* the tasks that the running search has given away */
    size_t n_given, given_cap;
};

/* Finds the journals of this job, after the search was divided. Opens the output and the journal of
 * this rank. Returns the exit code. */
int journal_begin(rank_run *r);
/* Lists the *n pieces that are left, in the same order on all ranks: returns their tasks, which are
 * newly allocated, and sets *work to their expected work. Returns NULL if memory runs out. */
stored_task **journal_left(const rank_run *r, size_t *n, double **work);

/* Record an event of a search: that it begins; that it has given away a task, which gets its id
 * here; that it has succeeded, so that its output is complete. */
lode_status journal_note_start(rank_run *r, const uint64_t *handles, size_t n);
lode_status journal_note_given(rank_run *r, stored_task *task);
lode_status journal_note_end(rank_run *r);

/* After the search: makes the output of this rank from the valid records of its journals. Returns
 * the exit code. */
int journal_collect(rank_run *r);
/* Closes the journal. With `done`, the job is complete, and journals are removed. */
void journal_close(rank_run *r, bool done);

#endif
