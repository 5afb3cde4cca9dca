/* journal_file.h - the bytes of a journal: lode/journal.h
 *
 *     header   magic, version, length of the options, data, tasks, the options; a checksum
 *     record   its length twice, once inverted; the numbers of journal_fixed, then sizes, ids of
 *              what is done, ids of what was given, and those tasks; a checksum
 *
 * Numbers have the byte order of the machine, which the magic number shows. The checksum of a
 * record begins with that of the header and with the place of the record, so that no record of
 * another file, or of another place, passes for one of this.
 * A record that fails in any way ends the journal: whoever reads cannot know where the next begins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_JOURNAL_JOURNAL_FILE_H
#define LODE_PIPELINE_JOURNAL_JOURNAL_FILE_H

#include "base/vec.h"
#include "runtime/job.h"

/* A journal that is read from its beginning. */
typedef struct journal_scan {
    lode_job *job;
    const char *path;
    int fd;
    uint64_t bytes; /* of the file */
    uint64_t at;    /* where the next record begins */
    uint64_t seal;  /* the checksum of the header */
    vec_char buffer;
    lode_task *tasks; /* of the last record, and pointers to them */
    const lode_task **list;
    size_t n_tasks, tasks_cap, list_cap;
} journal_scan;

/* Opens a file and compares its header with the search, unless that is NULL. `lock`: for writing,
 * alone. Links are not followed. Whatever it returns, journal_scan_close() must follow. */
LODE_NODISCARD lode_status journal_scan_open(journal_scan *s, lode_job *job, const char *path,
                                             const lode_journal_search *search, bool lock);
/* The next record, which is lent until the next call; *more is false at the end of those that are
 * whole. */
LODE_NODISCARD lode_status journal_scan_next(journal_scan *s, lode_journal_record *out, bool *more);
void journal_scan_close(journal_scan *s);

/* Appends the bytes of a header, or of a record that will be at `at` in the file. */
LODE_NODISCARD lode_status journal_put_header(mem *m, vec_char *to,
                                              const lode_journal_search *search, uint64_t *seal);
LODE_NODISCARD lode_status journal_put_record(lode_job *job, vec_char *to,
                                              const lode_journal_record *r, uint64_t seal,
                                              uint64_t at);

#endif
