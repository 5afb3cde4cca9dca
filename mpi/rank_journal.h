/* rank_journal.h - journals of a job: what is finished, so that a killed job can be resumed
 *
 * With --journal BASE, rank r notes in BASE.(r + 1) which pieces it has finished, and appends their
 * text to BASE.(r + 1).text, before. lode/journal.h says which records count when some rank was
 * killed. The job may be resumed by any number of ranks: each reads all journals, all deal out what
 * is left in the same way, and at the end each collects what counts of some of the journals. They
 * are removed when the job is done.
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
    int n_journals;       /* … so many */
    lode_journal *own;    /* of this rank */
    lode_journals *found; /* what they say, of a job that is resumed; or NULL */
    char options[SHARE_TEXT];
    uint64_t *done; /* the pieces of the running search … */
    size_t n_done, done_cap;
    stored_task **given; /* … and what it has given away */
    size_t n_given, given_cap;
};

/* Finds the journals of this job; the search is divided. Opens the output, and the journal of this
 * rank. Returns the exit code. */
int journal_begin(rank_run *r);
/* Lists the pieces that are left, n of them, for all ranks alike: their tasks, which are new, and
 * the work expected. NULL: no memory. */
stored_task **journal_left(const rank_run *r, size_t *n, double **work);

/* A search begins; it has given a task away, which gets its id; it has ended well, and its output
 * is complete. */
lode_status journal_note_start(rank_run *r, const uint64_t *handles, size_t n);
lode_status journal_note_given(rank_run *r, stored_task *task);
lode_status journal_note_end(rank_run *r);

/* All is searched: the output of this rank becomes what counts of its journals. Returns the exit
 * code. */
int journal_collect(rank_run *r);
/* Closes the journal; `done`: the job is complete, and journals are removed. */
void journal_close(rank_run *r, bool done);

#endif
