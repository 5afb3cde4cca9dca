/* journal_text.h - the text that journals speak of, BASE.N.text: checked, and collected
 *
 * Each record of a journal has the length of the text after it, and a hash of all of that. A text
 * that was cut, changed or removed since would give a wrong result, and is refused: before the
 * search, so that nobody waits in vain, and again when it is collected.
 *
 * Rank r looks after the journals r, r + n, r + 2 n … of the list, of n ranks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_JOURNAL_TEXT_H
#define LODE_MPI_JOURNAL_TEXT_H

#include "byte_hash.h"
#include "rank_journal.h"

/* Checks the texts of this rank's journals, and of journal `number`, to which it will append: *own
 * gets the hash of its text; of nothing, if there is none. `message`: what is wrong, or "" if the
 * job knows. */
lode_status text_check(rank_run *r, int number, byte_hash *own, char message[RANK_MESSAGE]);

/* The output of this rank anew, under its own name, from what counts of its journals. */
lode_status text_gather(rank_run *r, char message[RANK_MESSAGE]);

#endif
