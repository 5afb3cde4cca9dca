/* mapping.h - a mapping file: new names for names
 *
 *     from,to                    a first line of these words is a header
 *     Coke,Coca-Cola             a name
 *     "beer, small",beer         quoted as in CSV; a file with a tab has tabs between the two
 *     beer*,beer                 a glob; exact names are matched before globs
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
    patterns from;
    dict *to;         /* targets */
    vec_u32 rules;    /* by pattern: its target */
    vec_u64 lines;    /* by pattern: its line */
    const char *name; /* of the file, for messages; lent */
} mapping;

/* Reads a mapping file, or its text. `fold`: bits of fold_how. Errors: PARSE, NOTFOUND, IO, NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status mapping_read(lode_job *job, const char *path, const char *text,
                                        unsigned fold, mapping *out);
void mapping_clear(mapping *map);

/* Lends the new name; NULL = unchanged. Errors: PARSE (two globs that contradict each other). */
LODE_NODISCARD lode_status mapping_apply(lode_job *job, mapping *map, const char *name, size_t n,
                                         const char **to, size_t *n_to);

#endif
