/* rank_journal.h - journals of a job: what is finished, so that a killed job can be resumed
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
    int *numbers;         /* of the journals that there are, at the beginning and at the end … */
    int n_journals;       /* … their number */
    lode_journal *own;    /* of this rank */
    lode_journals *found; /* their content if the job is resumed; or NULL */
    char options[SHARE_TEXT];
    uint64_t *done; /* the pieces of the running search … */
    size_t n_done, done_cap;
    stored_task **given; /* … and the tasks it has given away */
    size_t n_given, given_cap;
};

/* Finds the journals of this job, after the search was divided. Opens the output and the journal of
 * this rank. Returns the exit code. */
int journal_begin(rank_run *r);
/* Lists the n pieces that are left, in the same order on all ranks: their tasks, which are newly
 * allocated, and the expected work. Returns NULL if there is no memory. */
stored_task **journal_left(const rank_run *r, size_t *n, double **work);

/* Record that a search begins; that it has given away a task, which gets its id; that it has ended
 * well, and its output is complete. */
lode_status journal_note_start(rank_run *r, const uint64_t *handles, size_t n);
lode_status journal_note_given(rank_run *r, stored_task *task);
lode_status journal_note_end(rank_run *r);

/* After the search: makes the output of this rank from the valid records of its journals. Returns
 * the exit code. */
int journal_collect(rank_run *r);
/* Closes the journal. With `done`, the job is complete, and journals are removed. */
void journal_close(rank_run *r, bool done);

#endif
