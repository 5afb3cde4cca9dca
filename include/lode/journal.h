/* lode/journal.h - what of a long search is finished, in a file; part of lode.h
 *
 * A search in tasks (lode/tasks.h) that is killed can be resumed, if a JOURNAL says which pieces of
 * it are finished. A PIECE is a root task, whose id is its number in the list that every process
 * makes for itself, or a task that was given away, which has an id of its own. Each process appends
 * to a journal of its own:
 *
 *     lode_journal_create(), or lode_journal_open() to resume
 *     do some pieces; bring their output to disk; lode_journal_append() a record; and so on
 *
 * What is left to do follows from the records alone, whoever wrote them, without a message between
 * processes: lode_journals_read() reads the journals of all. A root task without a record is left,
 * and so is a task that a piece gave away, and that has no record itself. A record COUNTS if all
 * of its pieces are root tasks, or were given away by records that count: if the giver was killed
 * before its own record, it will do all of its piece again, and so what others did of that piece
 * must not count.
 *
 * A record that was not written to its end, or has changed, is not there, and neither are those
 * behind it: their pieces are done again. A header that is damaged, or of another search, is
 * refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_JOURNAL_H
#define LODE_JOURNAL_H

#include "lode/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which search a journal is of: all must be the same to go on with it. */
typedef struct lode_journal_search {
    size_t size;
    uint64_t data;       /* lode_dataset_fingerprint(), lode_graphs_fingerprint() */
    uint64_t tasks;      /* lode_tasks_hash() of the root tasks, or what else they follow from */
    const char *options; /* those that decide about the result, as one text; NULL = "" */
} lode_journal_search;

/* Pieces that are finished. */
typedef struct lode_journal_record {
    size_t size;
    const uint64_t *done; /* ids of the pieces */
    size_t n_done;
    const lode_task *const *given; /* what they gave away, whole */
    const uint64_t *given_ids;     /* from lode_journal_id() */
    size_t n_given;
    const uint64_t *sizes; /* how many patterns were found of each size, from 0 on */
    size_t n_sizes;
    uint64_t hash;       /* of these patterns: lode_sink_hash_value(); 0 if there is none */
    uint64_t bytes;      /* of the process's output, all of it, after these pieces … */
    uint64_t bytes_hash; /* … and any hash of those bytes */
} lode_journal_record;

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct lode_journal lode_journal;

/* A new one; nothing may have that name, not even a link. It is on disk when the call returns.
 * Another process cannot open it at the same time. Errors: IO, NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_journal_create(lode_job *job, lode_journal **out,
                                                        const char *path,
                                                        const lode_journal_search *search);
/* Goes on with one, from which a torn end is cut off. Links are not followed. Errors: NOTFOUND, IO
 * (also: another process has it, or it is no regular file), PARSE (no journal, or a damaged
 * header), INVALID (of another search; the message says what differs), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_journal_open(lode_job *job, lode_journal **out,
                                                      const char *path,
                                                      const lode_journal_search *search);
/* Closes the file, and leaves it. */
LODE_API void lode_journal_free(lode_journal *journal);

/* An id for a task that is given away, which no other has, in this run or in any other. Several
 * threads may ask. For NULL, 0. */
LODE_API uint64_t lode_journal_id(lode_journal *journal);

/* Adds a record, which is on disk when the call returns. The output that it speaks of must be on
 * disk before. Also `done` of a search of the same job (lode/tasks.h) may call it, and
 * lode_journal_id(). Errors: IO, NOMEM, BUDGET; the file is then as it was. */
LODE_API LODE_NODISCARD lode_status lode_journal_append(lode_journal *journal,
                                                        const lode_journal_record *record);

/* ---- reading -------------------------------------------------------------------------------- */

/* What one or several journals say together. It takes memory for each piece, not for each pattern.
 */
typedef struct lode_journals lode_journals;

/* Reads the journals of a search of `n_roots` root tasks; with NULL, of any search, so that
 * lode_journals_each() can tell what output they speak of. Errors: as lode_journal_open(), and
 * PARSE for records that contradict each other. */
LODE_API LODE_NODISCARD lode_status lode_journals_read(lode_job *job, lode_journals **out,
                                                       const char *const *paths, size_t n_paths,
                                                       const lode_journal_search *search,
                                                       uint64_t n_roots);
LODE_API void lode_journals_free(lode_journals *journals);

/* How many pieces are left: first root tasks, by their ids, then tasks that were given away. */
LODE_API size_t lode_journals_left(const lode_journals *journals);
/* The i-th. Lends the task of one that was given away; that of a root task is all zero. False, and
 * all zero, past the end. */
LODE_API bool lode_journals_left_at(const lode_journals *journals, size_t i, uint64_t *id,
                                    lode_task *task);
/* Bytes at the ends of journals that are no records. */
LODE_API uint64_t lode_journals_torn(const lode_journals *journals);

/* Gets one record of the journal with this number after the other, lent for the call, also those
 * that do not count: their bytes of the output, which are those since the record before, are not
 * part of the result. Non-zero ends the call with LODE_STOPPED. */
typedef int (*lode_journal_fn)(void *user, size_t journal, const lode_journal_record *record,
                               bool counts);
/* Errors: STOPPED, IO, NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_journals_each(lode_journals *journals,
                                                       lode_journal_fn function, void *user);

#ifdef __cplusplus
}
#endif
#endif
