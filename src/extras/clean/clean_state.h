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

#include "extras/clean/derive.h"
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

#define CLEAN_MERGES  100
#define CLEAN_HINTS   1000
#define CLEAN_SPELLED 5 /* spellings listed for a merge, and patterns that matched nothing */

/* Strings are offsets in `text`, with a closing zero. */
typedef struct clean_merge {
    size_t to, from;
    uint64_t n_from, baskets;
} clean_merge;

typedef struct clean_hint {
    size_t from, to;
    uint64_t from_baskets, to_baskets;
    bool letter; /* they differ in one character */
} clean_hint;

typedef struct clean_totals {
    uint64_t baskets, items, occurrences, empty;
} clean_totals;

struct lode_clean_report {
    mem *mem; /* the job's */
    lode_clean_step steps[CLEAN_STEPS];
    uint64_t n_rows, n_baskets_read; /* before rows were dropped; 0 rows = not requested */
    clean_totals before, after;
    char columns[LODE_PROFILE_COLUMNS];
    uint64_t n_unused_rules, n_unused_patterns;
    size_t unused_patterns;     /* their names: "POSTAGE, MANUAL, …" */
    uint64_t n_merges, n_hints; /* totals */
    clean_merge merges[CLEAN_MERGES];
    size_t n_merges_kept;
    clean_hint hints[CLEAN_HINTS];
    size_t n_hints_kept;
    vec_char text;
};

typedef struct clean_state {
    lode_job *job;
    const lode_dataset *data;
    const lode_clean_options *options;
    lode_clean_report *report;
    unsigned fold; /* bits of fold_how */
    /* of the names */
    dict *names;      /* new names */
    uint32_t *to;     /* id -> new name, or DERIVE_DROPPED */
    uint16_t *marks;  /* id -> bits of steps that have changed or dropped it */
    uint32_t *counts; /* id -> number of transactions with it */
    size_t bound;     /* length of these arrays: item_bound */
    mapping map;
    patterns drop;
    vec_char name, scratch;
} clean_state;

/* Computes the new name of every item, and counts what that changes. Errors: PARSE, NOTFOUND, IO,
 * NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status clean_names(clean_state *s);
/* Records spellings that became one, and the number of transactions with them in `clean`. */
LODE_NODISCARD lode_status clean_note_merges(clean_state *s, const lode_dataset *clean);
void clean_names_clear(clean_state *s);

/* Does the later steps that drop transactions or items. *out stays NULL if there are none. */
LODE_NODISCARD lode_status clean_counts(clean_state *s, const lode_dataset *data,
                                        lode_dataset **out);

/* Looks for names of the clean data set that may mean the same. */
LODE_NODISCARD lode_status clean_find_hints(lode_job *job, const lode_dataset *data,
                                            lode_clean_report *report);

/* Whether a hint leaves open which of its names is right. */
static inline bool clean_is_open(const clean_hint *hint) {
    return hint->letter && hint->from_baskets == hint->to_baskets;
}

/* Appends a name for display: as UTF-8, and quoted if it has a comma or quotes itself. */
LODE_NODISCARD lode_status clean_quote(mem *m, vec_char *to, const char *name, size_t n);
/* The same in a list: after a comma. */
LODE_NODISCARD lode_status clean_list(mem *m, vec_char *list, const char *name, size_t n);
/* Stores a text in the report. */
LODE_NODISCARD lode_status clean_keep_text(lode_clean_report *report, const char *text, size_t n,
                                           size_t *at);
/* The name of an item as text; lent until the next call with the same buffer. */
LODE_NODISCARD lode_status clean_name_of(mem *m, const lode_dataset *data, uint32_t id,
                                         vec_char *out);

#endif
