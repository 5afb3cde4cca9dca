/* lode/clean.h - cleaning data sets, selecting transactions, and writing them; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLEAN_H
#define LODE_CLEAN_H

#include "lode/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cleaning ------------------------------------------------------------------------------ */

/* How to clean a data set. The steps always run in this order, whatever the order of the options.
 * (lode_read_options.drop_rows drops rows earlier, while a file is read.)
 *
 *     encoding      names in Latin-1 become UTF-8
 *     blanks        leading and trailing blanks are removed, and runs of blanks within a name
 *                   become one space; a name that consists of blanks is dropped. Unicode blanks,
 *                   tabs and line ends are blanks, too
 *     accents       é becomes e, ß becomes ss, ﬁ becomes fi, full-width Ａ becomes A, – becomes -
 *                   (full list: docs/cleaning.md)
 *     case          letters of any script become lower case
 *     map           names are replaced as a mapping file says; the steps above also apply to the
 *                   names in this file
 *     merged        items whose names are now equal become one item, which each transaction has
 *                   at most once
 *     drop          items are dropped by name or glob
 *     unique        of transactions with the same items, only the first stays
 *     support       items below the minimum support or above the maximum support are dropped;
 *                   ratios refer to the transactions that are left at this step
 *     size          transactions with too few or too many items are dropped
 */
typedef struct lode_clean_options {
    size_t size;
    /* A mapping file: lines "from,to" or "from<tab>to", quoted as in CSV; `from` may be a glob such
     * as "beer*". A first line "from,to" is a header; "# " begins a comment. A name mapped twice, a
     * glob that contradicts another and a cycle are errors (PARSE, with the line). NULL = none. */
    const char *map;
    const char *map_text; /* the content of such a file; set `map` or this, not both */
    const char *drop;     /* names, globs or @FILE (a file of these), one per line; NULL = none */
    lode_threshold min_item_support; /* a count or a ratio; not set = no bound */
    lode_threshold max_item_support;
    uint32_t min_basket, max_basket; /* items of a transaction; 0 = no bound */
    bool keep_blanks;                /* leave blanks as they are */
    bool fold_accents, fold_case;
    bool unique_baskets;
    uint8_t reserved[4]; /* zero */
} lode_clean_options;

/* What was changed: numbers and examples. */
typedef struct lode_clean_report lode_clean_report;

/* Makes a cleaned copy of `data`. `options` may be NULL. If `report` is not NULL, *report receives
 * a report; free it by lode_clean_report_free(), before the job. Errors: INVALID, PARSE (the
 * mapping file), NOTFOUND, IO, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_clean(lode_job *job, lode_dataset **out,
                                               const lode_dataset *data,
                                               const lode_clean_options *options,
                                               lode_clean_report **report);
LODE_API void lode_clean_report_free(lode_clean_report *report);

/* One step. The numbers say how many rows, names, … it changed or dropped. */
typedef struct lode_clean_step {
    size_t size;
    const char
        *name; /* "rows", "repeated", "encoding", "blanks", "accents", "case", "map", "merged", … */
    const char *what;     /* a description: "names with other blanks" */
    uint64_t rows;        /* rows of the file */
    uint64_t items;       /* distinct names */
    uint64_t occurrences; /* occurrences of items in transactions */
    uint64_t baskets;     /* transactions changed or dropped */
    uint64_t asked;       /* 1 if an option requests the step, or the step changed something */
} lode_clean_step;

/* Spellings that became one item. */
typedef struct lode_clean_merge {
    size_t size;
    const char *to;
    const char *from; /* the spellings: "Milk, MILK"; those with commas are quoted. A long list ends
                       * with "…" */
    uint64_t n_from;  /* number of spellings */
    uint64_t baskets; /* transactions with the item, before any are dropped */
} lode_clean_merge;

/* Two names that may mean the same: names that are equal except for case, accents and blanks; names
 * of at least six characters that differ in one character, which is not a digit; or names of at
 * least four characters that are equal except that two adjacent characters, which are not digits,
 * are swapped. A name is the `from` of at most one hint. */
typedef struct lode_clean_hint {
    size_t size;
    const char *from, *to;             /* the rarer name, the more frequent name */
    const char *why;                   /* "case, accents or blanks" or "one character" */
    uint64_t from_baskets, to_baskets; /* transactions with `from`; transactions with `to` */
} lode_clean_hint;

/* The i-th step, in order; the i-th merge, by number of transactions, highest first (at most 100);
 * the i-th hint (at most 1000). False past the end. Strings are lent until the report is freed. */
LODE_API bool lode_clean_step_at(const lode_clean_report *report, size_t i, lode_clean_step *out);
LODE_API bool lode_clean_merge_at(const lode_clean_report *report, size_t i, lode_clean_merge *out);
LODE_API bool lode_clean_hint_at(const lode_clean_report *report, size_t i, lode_clean_hint *out);

/* The report as text, and as one JSON object. Errors: STOPPED, NOMEM, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_clean_report_text(const lode_clean_report *report,
                                                           lode_write_fn write, void *user);
LODE_API LODE_NODISCARD lode_status lode_clean_report_json(const lode_clean_report *report,
                                                           lode_write_fn write, void *user);

/* Writes the hints as a mapping file for the user to edit; the file appears when it is complete.
 * If two names that differ in one character are equally frequent, both directions are written, as
 * comments. Errors: IO, NOMEM, BUDGET, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_clean_write_map(lode_job *job,
                                                         const lode_clean_report *report,
                                                         const char *path);

/* ---- selecting transactions ---------------------------------------------------------------- */

/* `include` and `exclude` are lists of groups of items, as in lode_mine_options: names, globs or
 * @FILE, one per line. A line that is neither the name of an item nor a glob that matches an item
 * is split at commas. A part that is neither is then split at blanks. So "red wine,milk bread"
 * means three lines if "red wine" is an item. */
typedef struct lode_select_options {
    size_t size;
    const char *include; /* transactions with an item of every group; NULL = all */
    const char *exclude; /* transactions without an item of any group; NULL = all */
    uint64_t limit;      /* at most this many transactions, the first ones; 0 = all */
    bool any;            /* with `include`: an item of any one group is enough */
    uint8_t reserved[7]; /* zero */
} lode_select_options;

/* A transaction, lent for the call. */
typedef struct lode_basket {
    size_t size;
    uint64_t number;       /* position in the data set, from 0 */
    const uint32_t *items; /* ascending */
    size_t n_items;
    uint64_t weight;
    const char *id; /* see lode_dataset_transaction_id(); without a terminating zero; NULL = none */
    size_t id_bytes;
} lode_basket;

/* Called by the thread that called lode. Return non-zero to stop; the call then returns
 * LODE_STOPPED. */
typedef int (*lode_basket_fn)(void *user, const lode_basket *basket);

/* Calls `each` for every transaction that matches, in order; with `each` NULL, only counts them. *n
 * receives their number; `n` may be NULL. `options` may be NULL. Errors: INVALID (an unknown name,
 * more than 64 groups), IO, NOTFOUND, NOMEM, BUDGET, CANCELLED, STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_dataset_select(lode_job *job, const lode_dataset *data,
                                                        const lode_select_options *options,
                                                        lode_basket_fn each, void *user,
                                                        uint64_t *n);

/* ---- writing transactions ------------------------------------------------------------------ */

typedef enum lode_basket_format {
    LODE_BASKET_BASKET = 0, /* milk,"bread, white": one transaction per line, quoted as in CSV */
    LODE_BASKET_FIMI,       /* 1 2 3: only if all items are numbers */
    LODE_BASKET_TABLE,      /* transaction,item: one pair per line, with a header */
    LODE_BASKET_JSONL,      /* ["milk","bread"] */
    LODE_BASKET_TEXT,       /* 17: milk, bread: for people; with numbers from 1, and ids if there
                             * are any */
    LODE_BASKET_CSV         /* number,id,items: with | between items */
} lode_basket_format;

/* lode can read basket, fimi, table and jsonl files. Weights become the first field of a basket
 * (--weight 1), or a column or field `weight`; fimi cannot hold weights (INVALID). */
typedef struct lode_basket_write_options {
    size_t size;
    lode_basket_format format;
    bool csv_safe; /* as in lode_write_options; for LODE_BASKET_CSV, which lode does not read */
    uint8_t reserved[3]; /* zero */
} lode_basket_write_options;

/* Writes the transactions that match (with `which` NULL: all) to a file that appears when it is
 * complete; "-" is standard output. If lode would not recognise the format by itself, a warning
 * says which options read the file. `options` may be NULL. Errors: IO, INVALID, NOMEM, BUDGET,
 * CANCELLED, STOPPED (`write` asked to stop). */
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
