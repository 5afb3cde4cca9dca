/* journal_set.h - which journals of a job there are: BASE.1, BASE.2 and so on
 *
 * They are a set, of which any part may be missing: what a missing one spoke of is done again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOURNAL_SET_H
#define LODE_MPI_JOURNAL_SET_H

#include "rank_journal.h"

/* BASE.NUMBER, with `more` behind it. */
void journal_path(const rank_journal *j, int number, const char *more, char path[RANK_PATH]);

/* Rank 0 looks which there are; every rank gets the list. */
void journal_list(rank_run *r);
/* Whether journal `number` is in the list. */
bool journal_is_there(const rank_journal *j, int number);
/* Rank 0 removes all of the list, so that the job starts anew, and says so. What is no journal, or
 * is being written, is refused. Returns the exit code. */
int journal_start_anew(rank_run *r, const lode_journal_search *search);
/* Rank 0 says what is gone on with: the journals of the list have been read. */
void journal_say_resumed(const rank_run *r);
void journal_say_none(const rank_run *r);

#endif
