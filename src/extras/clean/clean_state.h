/* clean_state.h - the common data of the steps of lode_clean()
 *
 *     clean_run.c     the steps in order; duplicates, supports, sizes: by transaction
 *     clean_names.c   encoding, blanks, accents, case, mapping, dropping by pattern: by name
 *     clean_hints.c   names that may mean the same
 *     clean_report.c  the report, as text and as JSON
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_CLEAN_CLEAN_STATE_H
#define LODE_EXTRAS_CLEAN_CLEAN_STATE_H

#include "data/transactions/derive.h"
#include "extras/clean/mapping.h"

/* The steps in order; clean_report.c has their names. */
typedef enum clean_step {
    CLEAN_ROWS,
    CLEAN_REPEATED,
    CLEAN_ENCODING,
    CLEAN_BLANKS,
    CLEAN_ACCENTS,
    CLEAN_CASE,
    CLEAN_MAP,
    CLEAN_MERGED,
    CLEAN_DROP,
    CLEAN_UNIQUE,
    CLEAN_RARE,
    CLEAN_FREQUENT,
    CLEAN_SHORT,
    CLEAN_LONG,
    CLEAN_EMPTY,
    CLEAN_STEPS
} clean_step;

#define CLEAN_MERGES  100  /* merges that are listed */
#define CLEAN_HINTS   1000 /* hints that are listed */
#define CLEAN_SPELLED 5    /* spellings listed for a merge, and patterns that matched nothing */

/* Several spellings that became one name. Strings are offsets in the report's `text`, with a
 * terminating zero. */
typedef struct clean_merge {
    size_t to, from;          /* the new name; a list of some of the spellings */
    uint64_t n_from, baskets; /* number of spellings; transactions with the new name */
} clean_merge;

/* Two names that may mean the same. */
typedef struct clean_hint {
    size_t from, to; /* offsets in `text`, as above */
    uint64_t from_baskets, to_baskets;
    bool letter; /* the names differ in one character */
} clean_hint;

/* Sizes of a data set; `empty` = transactions without items. */
typedef struct clean_totals {
    uint64_t baskets, items, occurrences, empty;
} clean_totals;

struct lode_clean_report {
    mem *mem; /* of the job */
    lode_clean_step steps[CLEAN_STEPS];
    uint64_t n_rows, n_baskets_read; /* before rows were dropped; 0 rows = not requested */
    clean_totals before, after;
    char columns[LODE_PROFILE_COLUMNS];
    uint64_t n_unused_rules, n_unused_patterns; /* of the mapping, and to drop: no name matched */
    size_t unused_patterns;                     /* offset of a list: "POSTAGE, MANUAL, …" */
    uint64_t n_merges, n_hints;                 /* all of them, listed or not */
    clean_merge merges[CLEAN_MERGES];
    size_t n_merges_kept;
    clean_hint hints[CLEAN_HINTS];
    size_t n_hints_kept;
    vec_char text; /* the strings */
};

typedef struct clean_state {
    lode_job *job;
    const lode_dataset *data;
    const lode_clean_options *options;
    lode_clean_report *report;
    unsigned fold; /* bits of fold_how */
    /* what follows is about names: */
    dict *names;      /* the new names */
    uint32_t *to;     /* by id: number of its new name, or DERIVE_DROPPED */
    uint16_t *marks;  /* by id: bits of the steps that have changed or dropped the item */
    uint32_t *counts; /* by id: number of transactions with the item */
    size_t bound;     /* length of these arrays: item_bound */
    mapping map;
    patterns drop; /* names to drop */
    vec_char name, scratch;
} clean_state;

/* Computes the new name of every item, and counts what that changes. Call clean_names_clear() also
 * after a failure. Errors: PARSE, NOTFOUND, IO, NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status clean_names(clean_state *s);
/* Records the spellings that became one name in the report, with the number of transactions that
 * have the name in `clean`. */
LODE_NODISCARD lode_status clean_note_merges(clean_state *s, const lode_dataset *clean);
void clean_names_clear(clean_state *s);

/* Does the steps after the names, which drop transactions or items of `data` by counts. *out stays
 * NULL if nothing is dropped. */
LODE_NODISCARD lode_status clean_counts(clean_state *s, const lode_dataset *data,
                                        lode_dataset **out);

/* Looks for names of the clean data set that may mean the same. */
LODE_NODISCARD lode_status clean_find_hints(lode_job *job, const lode_dataset *data,
                                            lode_clean_report *report);

/* Whether a hint leaves open which of its names is right. */
static inline bool clean_is_open(const clean_hint *hint) {
    return hint->letter && hint->from_baskets == hint->to_baskets;
}

/* Appends a name for display: as UTF-8, in quotes if it contains a comma or a quote. */
LODE_NODISCARD lode_status clean_quote(mem *m, vec_char *to, const char *name, size_t n);
/* The same for a list of names: if the list is not empty, appends a comma before the name. */
LODE_NODISCARD lode_status clean_list(mem *m, vec_char *list, const char *name, size_t n);
/* Stores a text in the report, and sets *at to its offset. */
LODE_NODISCARD lode_status clean_keep_text(lode_clean_report *report, const char *text, size_t n,
                                           size_t *at);
/* Writes the name of an item to `out`, with a terminating zero. */
LODE_NODISCARD lode_status clean_name_of(mem *m, const lode_dataset *data, uint32_t id,
                                         vec_char *out);

#endif
