/* fold.h - folds names: removes differences of encoding, blanks, accents and case
 *
 * What:  four ways to fold UTF-8 text, each a pass over its characters. A byte that is not UTF-8 is
 *        read as Windows-1252 (base/utf8.h); if folding does not change that character, it stays.
 * Data:  two tables (fold_data.c, made by tools/make_fold.py). For case: rows of letters at a fixed
 *        distance from their lower-case forms, for all of Unicode. For accents: blocks of 16
 *        characters with the replacement of each; an empty word leaves the character unchanged.
 *
 *            0x00c0  "A A A A A A AE C …"        0x0041 … 0x005a, every 1, + 32
 *
 * Cost:  a binary search in about 200 rows for a character beyond ASCII.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_FOLD_H
#define LODE_EXTRAS_CLEAN_FOLD_H

#include "base/vec.h"

typedef enum fold_how {
    FOLD_BLANKS = 1,  /* removes leading and trailing blanks; other runs become one space */
    FOLD_ACCENTS = 2, /* also ligatures, full-width letters, quotes and dashes */
    FOLD_CASE = 4,
    FOLD_UTF8 = 8 /* bytes of Windows-1252 become UTF-8; done before the others */
} fold_how;

/* Letters first, first + step, … last become lower case by adding `to`. */
typedef struct fold_case {
    uint32_t first, last, step;
    int32_t to;
} fold_case;

/* The replacements of the 16 characters from `first` on, separated by blanks. */
typedef struct fold_accent {
    uint32_t first;
    const char *words;
} fold_accent;

extern const fold_case fold_cases[];
extern const fold_accent fold_accents[];
extern const size_t fold_n_cases, fold_n_accents;

/* Writes a name of n bytes, folded in one way, to `out`, which is emptied first. Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status fold_once(mem *m, fold_how how, const char *name, size_t n,
                                     vec_char *out);

/* Folds in several ways (bits of fold_how), in order. `out` and `scratch` are emptied first. */
LODE_NODISCARD lode_status fold_name(mem *m, unsigned how, const char *name, size_t n,
                                     vec_char *out, vec_char *scratch);

#endif
