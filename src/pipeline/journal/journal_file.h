/* journal_file.h - the file format of a journal (lode/journal.h)
 *
 *     header   magic number; version; length of the text of the options; hashes of the data and of
 *              the tasks; the text of the options; a checksum
 *     record   the length of the record, and the same inverted; the numbers of journal_fixed
 *              (journal_file.c); sizes; ids of finished pieces; ids of tasks given away; these
 *              tasks; a checksum
 *
 * Numbers have the byte order of the machine, which the magic number shows. The checksum of a
 * record includes the checksum of the header and the position of the record, so that no record of
 * another file, or from another position, is accepted. An invalid record ends the journal, because
 * the position of the next record is unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_JOURNAL_JOURNAL_FILE_H
#define LODE_PIPELINE_JOURNAL_JOURNAL_FILE_H

#include "base/vec.h"
#include "runtime/job.h"

/* A sequential reader of a journal. */
typedef struct journal_scan {
    lode_job *job;
    const char *path;
    int fd;
    uint64_t bytes; /* length of the file */
    uint64_t at;    /* start of the next record */
    uint64_t seal;  /* the checksum of the header */
    vec_char buffer;
    lode_task *tasks;       /* of the last record … */
    const lode_task **list; /* … and pointers to them */
    size_t n_tasks, tasks_cap, list_cap;
} journal_scan;

/* Opens a file, and checks that its header is that of `search`, unless `search` is NULL. `lock`:
 * whether to lock the file, for writing. Symbolic links are not followed. Call journal_scan_close()
 * also after a failure. */
LODE_NODISCARD lode_status journal_scan_open(journal_scan *s, lode_job *job, const char *path,
                                             const lode_journal_search *search, bool lock);
/* Reads the next record, which is valid until the next call. *more is false after the last valid
 * record. */
LODE_NODISCARD lode_status journal_scan_next(journal_scan *s, lode_journal_record *out, bool *more);
void journal_scan_close(journal_scan *s);

/* Append to *to the bytes of a header (and set *seal to its checksum), or of a record that will be
 * at position `at` of the file. */
LODE_NODISCARD lode_status journal_put_header(mem *m, vec_char *to,
                                              const lode_journal_search *search, uint64_t *seal);
LODE_NODISCARD lode_status journal_put_record(lode_job *job, vec_char *to,
                                              const lode_journal_record *r, uint64_t seal,
                                              uint64_t at);

#endif
