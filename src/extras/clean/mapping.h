/* mapping.h - a mapping file: pairs of an old and a new name
 *
 *     from,to                    if the first line has these words, it is a header
 *     Coke,Coca-Cola             a name
 *     "beer, small",beer         quoted as in CSV
 *     beer*,beer                 a glob; exact names are matched before globs
 *
 * If the file contains a tab, the two names of a line are separated by a tab instead of a comma.
 *
 * Both sides are folded like the names of the data. Mappings are chained: if a becomes b and b
 * becomes c, a becomes c. Errors, with file and line: a name that is mapped twice, a cycle, a name
 * that two globs map differently, a line that is not two fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_MAPPING_H
#define LODE_EXTRAS_CLEAN_MAPPING_H

#include "extras/clean/patterns.h"

typedef struct mapping {
    mem *mem;
    patterns from;    /* the old names */
    dict *to;         /* the new names */
    vec_u32 rules;    /* by pattern: the number of its new name */
    vec_u64 lines;    /* by pattern: the line of the file */
    const char *name; /* of the file, for messages; the caller's */
} mapping;

/* Reads a mapping file or, if `path` is NULL, the text of one. `fold`: bits of fold_how. Errors:
 * PARSE, NOTFOUND, IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status mapping_read(lode_job *job, const char *path, const char *text,
                                        unsigned fold, mapping *out);
void mapping_clear(mapping *map);

/* Sets *to to the new name, which belongs to the mapping; NULL = the name stays. Errors: PARSE (two
 * globs give different names). */
LODE_NODISCARD lode_status mapping_apply(lode_job *job, mapping *map, const char *name, size_t n,
                                         const char **to, size_t *n_to);

#endif
