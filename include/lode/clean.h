/* lode/clean.h - cleaning data sets, listing what matches, and writing transactions; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLEAN_H
#define LODE_CLEAN_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cleaning ------------------------------------------------------------------------------ */

/* What is done to a data set, in the order of the steps below, whatever the order of the options.
 * (Rows are dropped before, while a file is read: lode_read_options.drop_rows.)
 *
 *     encoding      names in Latin-1 become UTF-8
 *     blanks        blanks at both ends of a name go, others become one; a name of blanks only is
 *                   no item. Blanks are those of Unicode, tabs and line ends
 *     accents       é is e, ß is ss, ﬁ is fi, full-width Ａ is A, – is -   (docs/cleaning.md: which)
 *     case          letters of any script become lower case
 *     map           names become others by a mapping file. Both its sides are folded as above
 *     merged        items whose names are the same now are one, and count once in a transaction
 *     drop          items are dropped by name or glob
 *     unique        of transactions with the same items, the first stays
 *     support       items below or above a support are dropped; shares refer to what is left
 *     size          transactions of too few or too many items are dropped
 */
typedef struct lode_clean_options {
    size_t size;
    /* A mapping file: lines "from,to" or "from<tab>to", quoted as in CSV; `from` may be a glob such
     * as "beer*". A first line "from,to" is a header; "# " begins a comment. A name that is mapped
     * twice, a glob that contradicts another, and a circle are errors (PARSE, with the line).
     * NULL = none. */
    const char *map;
    const char *map_text; /* the same as text; at most one of both */
    const char *drop;     /* names, globs or @FILE (a file of these), one a line; NULL = none */
    lode_threshold min_item_support; /* a count, or a share; not set = no bound */
    lode_threshold max_item_support;
    uint32_t min_basket, max_basket; /* items of a transaction; 0 = no bound */
    bool keep_blanks;                /* leave blanks as they are */
    bool fold_accents, fold_case;
    bool unique_baskets;
    uint8_t reserved[4]; /* zero */
} lode_clean_options;

/* What was changed, in numbers and examples. */
typedef struct lode_clean_report lode_clean_report;

/* Makes a clean data set; `data` stays as it is. `options` may be NULL. *report (may be NULL) is
 * freed by lode_clean_report_free(), before the job is. Errors: INVALID, PARSE (the mapping file),
 * NOTFOUND, IO, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_clean(lode_job *job, lode_dataset **out,
                                               const lode_dataset *data,
                                               const lode_clean_options *options,
                                               lode_clean_report **report);
LODE_API void lode_clean_report_free(lode_clean_report *report);

/* A step: what it has changed or dropped. */
typedef struct lode_clean_step {
    size_t size;
    const char
        *name; /* "rows", "repeated", "encoding", "blanks", "accents", "case", "map", "merged", … */
    const char *what;     /* in words: "names with other blanks" */
    uint64_t rows;        /* of the file */
    uint64_t items;       /* distinct names */
    uint64_t occurrences; /* items of transactions */
    uint64_t baskets;     /* transactions that were changed, or dropped */
    uint64_t asked;       /* 1: an option asks for it, or it has changed something */
} lode_clean_step;

/* Spellings that became one item. */
typedef struct lode_clean_merge {
    size_t size;
    const char *to;
    const char *from; /* the spellings, "Milk, MILK", shortened; those with commas in quotes */
    uint64_t n_from;  /* how many */
    uint64_t baskets; /* that have the item, before transactions are dropped */
} lode_clean_merge;

/* Two names that may mean the same: they are equal but for case, accents and blanks, or differ in
 * one character that is no digit and are at least six long, or in two neighbours that are swapped.
 * A name is the `from` of one hint. */
typedef struct lode_clean_hint {
    size_t size;
    const char *from, *to; /* the rarer, and the more frequent */
    const char *why;       /* "case, accents or blanks", "one character" */
    uint64_t from_baskets, to_baskets;
} lode_clean_hint;

/* The i-th step, in order; the i-th merge, those of the most transactions first (at most 100); the
 * i-th hint (at most 1000). False past the end. Texts are lent until the report is freed. */
LODE_API bool lode_clean_step_at(const lode_clean_report *report, size_t i, lode_clean_step *out);
LODE_API bool lode_clean_merge_at(const lode_clean_report *report, size_t i, lode_clean_merge *out);
LODE_API bool lode_clean_hint_at(const lode_clean_report *report, size_t i, lode_clean_hint *out);

/* The report for people, and as one JSON object. Errors: STOPPED, NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_clean_report_text(const lode_clean_report *report,
                                                           lode_write_fn write, void *user);
LODE_API LODE_NODISCARD lode_status lode_clean_report_json(const lode_clean_report *report,
                                                           lode_write_fn write, void *user);

/* Writes the hints as a mapping file, to look through and edit; it appears when it is complete. Of
 * names that differ in a character and are equally frequent, both directions are comments.
 * Errors: IO, NOMEM, BUDGET, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_clean_write_map(lode_job *job,
                                                         const lode_clean_report *report,
                                                         const char *path);

/* ---- which transactions match -------------------------------------------------------------- */

/* Groups of items are as in lode_mine_options: names, globs, @FILE, one a line. A line that is
 * neither the name of an item nor a glob that matches one is split at commas, and a part that is
 * neither at blanks: "red wine,milk bread" is three lines. */
typedef struct lode_select_options {
    size_t size;
    const char *include; /* an item of every group (of one, with `any`); NULL = no matter */
    const char *exclude; /* no item of any group; NULL = no matter */
    uint64_t limit;      /* only the first so many; 0 = all */
    bool any;
    uint8_t reserved[7]; /* zero */
} lode_select_options;

/* A transaction, lent for the call. */
typedef struct lode_basket {
    size_t size;
    uint64_t number;       /* in the data set, from 0 */
    const uint32_t *items; /* ascending */
    size_t n_items;
    uint64_t weight;
    const char *id; /* see lode_dataset_transaction_id(); not zero-terminated; NULL = none */
    size_t id_bytes;
} lode_basket;

/* Called by the thread that called lode. Non-zero stops: the call returns LODE_STOPPED. */
typedef int (*lode_basket_fn)(void *user, const lode_basket *basket);

/* Calls `each` (NULL = only count) for every transaction that matches, in order; *n (may be NULL)
 * becomes their number. `options` may be NULL. Errors: INVALID (a name that no item has, more than
 * 64 groups), IO, NOTFOUND, NOMEM, BUDGET, CANCELLED, STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_dataset_select(lode_job *job, const lode_dataset *data,
                                                        const lode_select_options *options,
                                                        lode_basket_fn each, void *user,
                                                        uint64_t *n);

/* ---- writing transactions ------------------------------------------------------------------ */

typedef enum lode_basket_format {
    LODE_BASKET_BASKET = 0, /* milk,"bread, white": one a line, quoted as in CSV */
    LODE_BASKET_FIMI,       /* 1 2 3: only if all items are numbers */
    LODE_BASKET_TABLE,      /* transaction,item: one pair a line, with a header */
    LODE_BASKET_JSONL,      /* ["milk","bread"] */
    LODE_BASKET_TEXT,       /* 17: milk, bread: for people, with numbers from 1, and ids */
    LODE_BASKET_CSV         /* number,id,items: with | between items */
} lode_basket_format;

/* Formats that are read: basket, fimi, table, jsonl. Weights become the first field of a basket
 * (--weight 1), a column or field `weight`; fimi has no place for them (INVALID). */
typedef struct lode_basket_write_options {
    size_t size;
    lode_basket_format format;
    bool csv_safe; /* as in lode_write_options; for LODE_BASKET_CSV, which lode does not read */
    uint8_t reserved[3]; /* zero */
} lode_basket_write_options;

/* Writes the transactions that match (`which` NULL = all); the file appears when it is complete,
 * "-" is standard output. A warning says so if the text would not be recognised for what it is, and
 * which options read it. `options` may be NULL. Errors: IO, INVALID, NOMEM, BUDGET, CANCELLED,
 * STOPPED (the function has asked for it). */
LODE_API LODE_NODISCARD lode_status lode_dataset_write(lode_job *job, const lode_dataset *data,
                                                       const lode_select_options *which,
                                                       const char *path,
                                                       const lode_basket_write_options *options);
LODE_API LODE_NODISCARD lode_status
lode_dataset_write_call(lode_job *job, const lode_dataset *data, const lode_select_options *which,
                        lode_write_fn write, void *user, const lode_basket_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
