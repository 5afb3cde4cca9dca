/* patterns.h - names and globs to match many names with: for dropping, and for mapping
 *
 * A name without * ? [ \ is looked up in a table; globs are tried one after the other. Both are
 * folded like the names of the data (fold.h), so that "Milk*" finds milk if case is folded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_PATTERNS_H
#define LODE_EXTRAS_CLEAN_PATTERNS_H

#include "data/transactions/dict.h"
#include "runtime/job.h"

#define PATTERNS_NONE UINT32_MAX

typedef struct patterns {
    mem *mem;
    unsigned fold; /* bits of fold_how */
    dict *plain;   /* names without wildcards; the number of the pattern of each: */
    vec_u32 plain_numbers;
    dict *globs; /* likewise */
    vec_u32 glob_numbers;
    vec_char folded, scratch;
    uint32_t n;   /* patterns of both kinds */
    vec_u64 used; /* by pattern: number of names it has matched */
} patterns;

LODE_NODISCARD lode_status patterns_create(mem *m, unsigned fold, patterns *out);
void patterns_clear(patterns *p);

bool patterns_is_glob(const char *text, size_t n);

/* Adds a pattern; *number is its number or, if it existed, that of the first one. *fresh: it is
 * new.
 */
LODE_NODISCARD lode_status patterns_add(patterns *p, const char *text, size_t n, uint32_t *number,
                                        bool *fresh);

/* The pattern that a name matches: its own name, or the first glob; PATTERNS_NONE. `other` (may be
 * NULL): the next glob that matches, if a glob has matched. */
uint32_t patterns_find(const patterns *p, const char *name, size_t n, uint32_t *other);

/* Reads a list of patterns, one per line; @FILE stands for those of a file. `what` names the
 * option. Errors: NOTFOUND, IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status patterns_read(lode_job *job, patterns *p, const char *list,
                                         const char *what);

/* Reads a whole file. Errors: NOTFOUND, IO, PARSE, NOMEM, BUDGET. */
LODE_NODISCARD lode_status patterns_load(lode_job *job, const char *path, vec_char *out);

#endif
