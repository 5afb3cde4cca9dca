/* lode/journal.h - journals: resume a long search that was killed; part of lode.h
 *
 * A JOURNAL is a file that records which pieces of a search in tasks (lode/tasks.h) are finished. A
 * PIECE is either a root task, whose id is its position in the list of tasks that every process
 * makes for itself (lode_tasks_create()), or a task that was given away, which has its own id. Each
 * process appends to its own journal:
 *
 *     lode_journal_create(), or lode_journal_open() to resume
 *     repeat: do some pieces; sync their output to disk; lode_journal_append() a record
 *
 * lode_journals_read() reads the journals of all processes, and derives from the records alone
 * which pieces are left to do: root tasks without a record, and tasks that a piece gave away and
 * that have no record. Processes exchange no messages.
 *
 * A record COUNTS if all of its pieces are root tasks, or were given away by records that count. If
 * a process was killed before it wrote the record of a piece, this whole piece will be done again;
 * so records of tasks that the piece gave away must not count.
 *
 * An incomplete or changed record, and all records after it, are ignored: their pieces are done
 * again. A journal whose header is damaged, or belongs to another search, is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_JOURNAL_H
#define LODE_JOURNAL_H

#include "lode/tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Identifies the search of a journal: all fields must be equal to resume it. */
typedef struct lode_journal_search {
    size_t size;
    uint64_t data;       /* lode_dataset_fingerprint(), lode_graphs_fingerprint() */
    uint64_t tasks;      /* lode_tasks_hash() of the root tasks, or of what determines them */
    const char *options; /* the options that affect the result, as one text; NULL = "" */
} lode_journal_search;

/* Pieces that are finished. */
typedef struct lode_journal_record {
    size_t size;
    const uint64_t *done; /* ids of the pieces */
    size_t n_done;
    const lode_task *const *given; /* all tasks that these pieces gave away */
    const uint64_t *given_ids;     /* from lode_journal_id() */
    size_t n_given;
    const uint64_t *sizes; /* number of patterns found of each size, from 0 */
    size_t n_sizes;
    uint64_t hash;       /* of these patterns: lode_sink_hash_value(); 0 = not computed */
    uint64_t bytes;      /* total length of the process's output after these pieces … */
    uint64_t bytes_hash; /* … and any hash of those bytes */
} lode_journal_record;

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct lode_journal lode_journal;

/* Creates a journal, synced to disk when the call returns. PATH must not exist, not even as a link.
 * No other process can open the journal for writing until it is freed. Errors: IO, NOMEM, BUDGET.
 */
LODE_API LODE_NODISCARD lode_status lode_journal_create(lode_job *job, lode_journal **out,
                                                        const char *path,
                                                        const lode_journal_search *search);
/* Opens a journal to resume a search, and truncates an incomplete end. Links are not followed.
 * Errors: NOTFOUND, IO (also if another process has it open, or if it is not a regular file), PARSE
 * (not a journal, or a damaged header), INVALID (it belongs to another search; the message says
 * what differs), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_journal_open(lode_job *job, lode_journal **out,
                                                      const char *path,
                                                      const lode_journal_search *search);
/* Closes the journal; the file stays. */
LODE_API void lode_journal_free(lode_journal *journal);

/* A new id for a task that is given away, unique across all runs. Several threads may call it.
 * Returns 0 if `journal` is NULL. */
LODE_API uint64_t lode_journal_id(lode_journal *journal);

/* Appends a record, synced to disk when the call returns. The output that the record describes must
 * be on disk before the call. The `done` callback of a search (lode/tasks.h) of the same job may
 * call this and lode_journal_id(). Errors: IO, NOMEM, BUDGET; the file is then unchanged. */
LODE_API LODE_NODISCARD lode_status lode_journal_append(lode_journal *journal,
                                                        const lode_journal_record *record);

/* ---- reading -------------------------------------------------------------------------------- */

/* The combined content of several journals. Takes memory per piece, not per pattern. */
typedef struct lode_journals lode_journals;

/* Reads the journals of a search with `n_roots` root tasks. With `search` NULL, reads journals of
 * any search, for use with lode_journals_each(). Errors: as lode_journal_open(), and PARSE for
 * records that contradict each other. */
LODE_API LODE_NODISCARD lode_status lode_journals_read(lode_job *job, lode_journals **out,
                                                       const char *const *paths, size_t n_paths,
                                                       const lode_journal_search *search,
                                                       uint64_t n_roots);
LODE_API void lode_journals_free(lode_journals *journals);

/* The number of pieces left: first root tasks, by id, then tasks that were given away. */
LODE_API size_t lode_journals_left(const lode_journals *journals);
/* The i-th piece left: sets *id and *task. The task of a piece that was given away is lent until
 * the journals are freed; for a root task, *task is all zero. Past the end, both are zero, and the
 * call returns false. */
LODE_API bool lode_journals_left_at(const lode_journals *journals, size_t i, uint64_t *id,
                                    lode_task *task);
/* How many bytes, at the ends of all journals together, do not belong to a complete record. */
LODE_API uint64_t lode_journals_torn(const lode_journals *journals);

/* Called for each record in turn, with the number of its journal; the record is lent for the call.
 * The function is also called for records that do not count. Their output, which lies between the
 * `bytes` of the previous record and their own `bytes`, is not part of the result. Return non-zero
 * to end the call with LODE_STOPPED. */
typedef int (*lode_journal_fn)(void *user, size_t journal, const lode_journal_record *record,
                               bool counts);
/* Errors: STOPPED, IO, NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_journals_each(lode_journals *journals,
                                                       lode_journal_fn function, void *user);

#ifdef __cplusplus
}
#endif
#endif
