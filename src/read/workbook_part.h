/* workbook_part.h - reads one XML part of a workbook, piece by piece
 *
 * What:  a part is a file in the archive. part_step() unpacks a piece of it and has expat parse
 *        that piece; the handlers of the part see its elements by their local names.
 * Rules: a workbook may come from a stranger. A part fails if it has a DTD (so that there are no
 *        entities), if its elements are nested deeper than those of sheets, if one tag is longer
 *        than PART_TAG_MOST, or if all parts together are much larger than the archive: then it is
 *        an archive made to fill memory or disks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_WORKBOOK_PART_H
#define LODE_READ_WORKBOOK_PART_H

#ifdef LODE_ZIP_LIBRARY
#include "base/vec.h"
#include "read/workbook.h"
#include "read/workbook_library.h"

#define PART_DEEPEST  64
#define PART_TAG_MOST ((uint64_t)4 << 20)

typedef struct workbook_archive {
    lode_job *job;
    const workbook_library *lib;
    const char *name; /* of the file, for messages */
    zip_t *zip;
    uint64_t bytes;    /* of the file */
    uint64_t unpacked; /* bytes unpacked, and bytes of text made of them */
    size_t charged;    /* bytes that the budget counts for the libraries */
} workbook_archive;

typedef struct workbook_part workbook_part;

/* Handlers: the name is the local one, such as "row" for <x:row>. A handler that returns a status
 * other than OK ends the part with it. NULL = not needed. */
typedef struct part_handlers {
    lode_status (*start)(void *user, const char *name, const char *const *attributes);
    lode_status (*end)(void *user, const char *name);
    lode_status (*text)(void *user, const char *text, size_t n);
    void *user;
} part_handlers;

/* Opens the archive; a->zip stays NULL if it is damaged and not certainly a workbook. The caller
 * closes it with archive_close(), even after an error. */
LODE_NODISCARD lode_status archive_open(workbook_archive *a, const workbook_source *source);
void archive_close(workbook_archive *a);
/* Returns whether the archive has a part of this path. */
bool archive_has(const workbook_archive *a, const char *path);
/* Counts bytes that were unpacked or made. Errors: PARSE (too many for such a file). */
LODE_NODISCARD lode_status archive_count(workbook_archive *a, uint64_t bytes);

/* Opens a part. `path` must stay valid. Errors: PARSE (missing, encrypted), NOMEM. */
LODE_NODISCARD lode_status part_open(workbook_archive *a, workbook_part **out, const char *path,
                                     const part_handlers *handlers);
/* Parses the next piece. *more is false at the end. Errors: PARSE, NOMEM, CANCELLED, and those of
 * the handlers. */
LODE_NODISCARD lode_status part_step(workbook_part *p, bool *more);
/* Makes part_step() return before the rest of the piece is parsed. For handlers. */
void part_pause(workbook_part *p);
/* Fails because of what the part contains. Returns PARSE. */
lode_status part_damaged(const workbook_part *p, const char *what);
/* Returns the share of the part that was read, from 0 to 1. */
double part_progress(const workbook_part *p);
void part_close(workbook_part *p);

/* Opens, parses and closes a part. */
LODE_NODISCARD lode_status part_read(workbook_archive *a, const char *path,
                                     const part_handlers *handlers);

/* Returns the value of an attribute, by its local name; NULL = there is none. */
const char *part_attribute(const char *const *attributes, const char *name);

#endif
#endif
