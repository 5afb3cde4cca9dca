/* patterns.h - names and globs that many names are matched with: to drop items, and to map them
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
    unsigned fold;         /* bits of fold_how */
    dict *plain;           /* names without wildcards … */
    vec_u32 plain_numbers; /* … and the number of each as a pattern */
    dict *globs;           /* globs … */
    vec_u32 glob_numbers;  /* … and the number of each as a pattern */
    vec_char folded, scratch;
    uint32_t n;   /* patterns of both kinds, numbered from 0 in the order of patterns_add() */
    vec_u64 used; /* by pattern: number of names it has matched, counted by the caller */
} patterns;

LODE_NODISCARD lode_status patterns_create(mem *m, unsigned fold, patterns *out);
void patterns_clear(patterns *p);

/* Whether a text has a wildcard: * ? [ or \. */
bool patterns_is_glob(const char *text, size_t n);

/* Adds a pattern, folded. Sets *number to its number, and *fresh to whether the pattern is new; if
 * it is not new, *number is the number of the equal pattern. */
LODE_NODISCARD lode_status patterns_add(patterns *p, const char *text, size_t n, uint32_t *number,
                                        bool *fresh);

/* Returns the number of the pattern that a folded name matches: the equal name, or else the first
 * glob; PATTERNS_NONE = none. If a glob has matched, and `other` is not NULL, *other is the next
 * glob that matches, or PATTERNS_NONE. */
uint32_t patterns_find(const patterns *p, const char *name, size_t n, uint32_t *other);

/* Adds the patterns of a list, one per line; @FILE stands for the lines of a file. `what`: the
 * option, for messages. Errors: NOTFOUND, IO, NOMEM, BUDGET. */
LODE_NODISCARD lode_status patterns_read(lode_job *job, patterns *p, const char *list,
                                         const char *what);

/* Reads a whole file into `out`. Errors: NOTFOUND, IO, PARSE, NOMEM, BUDGET. */
LODE_NODISCARD lode_status patterns_load(lode_job *job, const char *path, vec_char *out);

#endif
