/* journal_set.h - which journals of a job there are: BASE.1, BASE.2 and so on
 *
 * They are a set, of which any part may be missing: what a missing one spoke of is done again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOURNAL_SET_H
#define LODE_MPI_JOURNAL_SET_H

#include "byte_hash.h"
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

/* ---- the text that journals speak of, BASE.N.text: checked, and collected -------------------- */

/* Each record of a journal has the length of the text after it, and a hash of all of that. A text
 * that was cut, changed or removed since would give a wrong result, and is refused: before the
 * search, so that nobody waits in vain, and again when it is collected.
 *
 * Rank r looks after the journals r, r + n, r + 2 n … of the list, of n ranks. */

/* Checks the texts of this rank's journals, and of journal `number`, to which it will append: *own
 * gets the hash of its text; of nothing, if there is none. `message`: what is wrong, or "" if the
 * job knows. */
lode_status text_check(rank_run *r, int number, byte_hash *own, char message[RANK_MESSAGE]);

/* The output of this rank anew, under its own name, from what counts of its journals. */
lode_status text_gather(rank_run *r, char message[RANK_MESSAGE]);

#endif
