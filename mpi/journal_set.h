/* journal_set.h - the journals of a job that exist: BASE.1, BASE.2 and so on
 *
 * Any of them may be missing: the tasks that a missing journal recorded are then searched again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOURNAL_SET_H
#define LODE_MPI_JOURNAL_SET_H

#include "byte_hash.h"
#include "rank_journal.h"

/* Writes the path BASE.NUMBER followed by `more`. */
void journal_path(const rank_journal *j, int number, const char *more, char path[RANK_PATH]);

/* Rank 0 looks for the journals that exist; every rank gets the list of their numbers. */
void journal_list(rank_run *r);
/* Whether journal `number` is in the list. */
bool journal_is_there(const rank_journal *j, int number);
/* Rank 0 removes all journals of the list, so that the job starts from the beginning, and prints a
 * message. Refuses files that are not journals or that are being written. Returns the exit code. */
int journal_start_anew(rank_run *r, const lode_journal_search *search);
/* Rank 0 prints how much of the job is left. Called after the journals of the list were read. */
void journal_say_resumed(const rank_run *r);
void journal_say_none(const rank_run *r);

/* ---- the text that a journal describes, BASE.N.text: checking and collecting it -------------- */

/* Each record of a journal has the length that the text has after this record, and a hash of the
 * text up to there. A text that was cut, changed or removed since then would give a wrong result,
 * so it is refused: before the search, so that nobody waits in vain, and again when it is
 * collected.
 *
 * Of n ranks, rank r checks the journals r, r + n, r + 2 n … of the list. */

/* Checks the texts of this rank's journals, and of journal `number`, to which it will append. Sets
 * *own to the hash of that text, or of an empty text if there is none. On failure, sets `message`
 * to the reason, or to "" if the job has the message. */
lode_status text_check(rank_run *r, int number, byte_hash *own, char message[RANK_MESSAGE]);

/* Writes the output of this rank again, under its own name, from the valid records of its
 * journals. */
lode_status text_gather(rank_run *r, char message[RANK_MESSAGE]);

#endif
