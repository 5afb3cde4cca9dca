/* lode/data.h - data sets of transactions; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_H
#define LODE_DATA_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Transactions, each a set of items. An item listed twice in a transaction counts once. An empty
 * line is an empty transaction: it holds no item, but it counts in ratios.
 *
 * WHAT AN ITEM IS, here and in batches and results: a uint32_t that stands for a name.
 *   Numbers    lode_dataset_from_arrays() gives every item back as the number that was put in, from
 *              0 to UINT32_MAX. So do data that are read, if every item is such a number, written
 *              without leading zeros. lode_dataset_has_numbers() is then true.
 *   Names      Otherwise (one name that is no such number suffices, as milk, 007 or 4294967296 are
 *              not) items are 0, 1, 2, … and mean something in their data set only.
 * lode_dataset_item_name() is right in both cases: print by it. The order of items is the order in
 * which they are printed: by number if every name is a number, else by the bytes of the name. */
typedef struct lode_dataset lode_dataset;

#define LODE_PROFILE_COLUMNS 128

typedef struct lode_profile {
    size_t size;
    uint64_t n_transactions;
    uint64_t n_empty;       /* transactions without an item */
    uint64_t n_items;       /* distinct items that occur */
    uint64_t n_occurrences; /* sum of the transaction lengths */
    uint64_t n_repeated;    /* items that were listed again in their transaction, and dropped */
    uint64_t n_skipped;     /* malformed lines left out by skip_bad_lines */
    uint32_t longest;       /* items in the longest transaction */
    lode_format format;     /* what the reader took the file for */
    char separator;         /* 0 for fimi and spmf */
    double read_seconds;
    uint64_t n_files; /* that were read as one data set; 0 = it was not read */
    /* The columns that were used, as the header calls them or by number, long names cut: of a table
     * "Order ID, Product Name"; else the column of the transactions' ids, or "" if there is none.
     */
    char columns[LODE_PROFILE_COLUMNS];
} lode_profile;

/* Reads a file; "-" is standard input. Plain, gzip and zstd are told apart by content; UTF-16
 * becomes UTF-8. A file of another kind, such as a workbook, is refused by name (PARSE); so is text
 * of another kind, such as JSON, if no option says how to read it. `options` may be NULL. Uses all
 * threads of the job. Errors: NOTFOUND, PARSE, IO, NOMEM, BUDGET, CANCELLED, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open(lode_job *job, lode_dataset **out,
                                                      const char *path,
                                                      const lode_read_options *options);

/* Reads several files as one data set, in the order given; "-" at most once. Each may be compressed
 * or not, and has its own header where the format has one; empty ones are fine. Format, separator
 * and columns must be the same in all; columns of tables, and items of onehot files, may come in
 * another order, and an item that has no column in a onehot file is absent there (a warning says
 * so). In a table the same id is the same transaction, whichever file it is in. docs/formats.md has
 * the rules. Errors: as above; INVALID names two files and what differs. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open_files(lode_job *job, lode_dataset **out,
                                                            const char *const *paths,
                                                            size_t n_paths,
                                                            const lode_read_options *options);

/* The same from memory: `text` is what a file would hold. `name` is used in messages; it may be
 * NULL, and so may `options`. */
LODE_API LODE_NODISCARD lode_status lode_dataset_parse(lode_job *job, lode_dataset **out,
                                                       const void *text, size_t text_bytes,
                                                       const char *name,
                                                       const lode_read_options *options);

/* Copies arrays: transaction t holds items[offsets[t]] … items[offsets[t + 1] - 1], in any order.
 * `weights` (may be NULL) gives each transaction a multiplicity; supports are then sums of weights,
 * and only engines that say so accept the data set. A weight of 0 is as if the transaction were
 * not there. Items are any numbers, and come back as these numbers. Errors: INVALID (`offsets` that
 * fall, NULL), UNSUPPORTED (2^32 transactions and more), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_arrays(lode_job *job, lode_dataset **out,
                                                             uint64_t n_transactions,
                                                             const uint64_t *offsets,
                                                             const uint32_t *items,
                                                             const uint32_t *weights);

/* Joins data sets that were opened as parts of one: equal names become one item, and transactions
 * follow in the order of the parts. The parts stay as they are. */
LODE_API LODE_NODISCARD lode_status lode_dataset_merge(lode_job *job, lode_dataset **out,
                                                       const lode_dataset *const *parts,
                                                       size_t n_parts);
LODE_API void lode_dataset_free(lode_dataset *data);

/* One numbering for parts that lie in several processes, each of which has read its own: after it,
 * lode_dataset_item_bound() and every lode_dataset_item_at() are what they would be if one process
 * had read the whole, in all parts; supports stay those of the part. That is what
 * lode_mine_options.reduce asks for.
 *
 *     bytes = lode_dataset_names_export(data, NULL, 0);              how long it is
 *     lode_dataset_names_export(data, mine, bytes);                  a multiple of 8
 *     MPI_Allgatherv(mine, bytes, …, all, …);                        one behind the other
 *     lode_dataset_adopt_names(job, data, all, all_bytes);
 *
 * Writes what the items are called, if there is room for all of it, and returns how long it is: for
 * the same version of lode on the same kind of machine. */
LODE_API size_t lode_dataset_names_export(const lode_dataset *data, void *buffer, size_t bytes);

/* Takes the names of all parts, one behind the other in any order, and renumbers the items of this
 * one, in place. This is the one call that changes a data set: nothing may use it at that time, nor
 * know its items from before, such as a sink or a result. On failure it is as it was. Errors:
 * INVALID (damaged, or its own names are not among them), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_adopt_names(lode_job *job, lode_dataset *data,
                                                             const void *names, size_t names_bytes);

/* What lode_mine() prepares from a data set before it searches (ranked items, sorted lists, rows of
 * bits) is kept with the data set and shared between jobs: one that asks for the same, or for a
 * higher threshold, starts to search at once; "algorithm.prepared" of the report says whether it
 * did. It counts in the memory of the context, and gives way when that is short.
 *
 * Prepares for lode_mine() with these options, and any higher threshold, beforehand. Where the
 * algorithm has nothing to prepare, nothing happens. Errors: as lode_mine(). */
LODE_API LODE_NODISCARD lode_status lode_dataset_prepare(lode_job *job, const lode_dataset *data,
                                                         const lode_mine_options *options);
/* Frees what was prepared and is not in use: for who knows that no other job will come. */
LODE_API void lode_dataset_forget(const lode_dataset *data);

/* All zero, and false, of NULL. */
LODE_API bool lode_dataset_profile(const lode_dataset *data, lode_profile *out);

/* Whether items are the numbers that they are called; see "what an item is" above. */
LODE_API bool lode_dataset_has_numbers(const lode_dataset *data);

/* All items, in order: lode_dataset_item_at(data, i) for i from 0 to lode_dataset_item_bound()
 * minus one. Some of them may occur in no transaction. 0 past the end. */
LODE_API uint32_t lode_dataset_item_bound(const lode_dataset *data);
LODE_API uint32_t lode_dataset_item_at(const lode_dataset *data, uint32_t i);

/* Number of transactions (or their weight) that hold the item. */
LODE_API uint64_t lode_dataset_item_support(const lode_dataset *data, uint32_t item);

/* Writes the name, without a closing zero, as far as it fits, and returns its full length. */
LODE_API size_t lode_dataset_item_name(const lode_dataset *data, uint32_t item, char *buffer,
                                       size_t buffer_bytes);

/* The item of that name. Returns false, and leaves *item alone, if the data set has none. */
LODE_API bool lode_dataset_item_find(const lode_dataset *data, const char *name, size_t name_bytes,
                                     uint32_t *item);

/* The same for many items at once: those of lode_dataset_item_at(data, first + i), i < n. Writes
 * items and supports, either of which may be NULL, and returns how many of the n there are. */
LODE_API uint32_t lode_dataset_items(const lode_dataset *data, uint32_t first, uint32_t n,
                                     uint32_t *items, uint64_t *supports);

/* Their names, one behind the other: that of the i-th begins at text[offsets[i]] and ends before
 * text[offsets[i + 1]]. Writes n + 1 offsets (NULL: none), and the text if there is room for all of
 * it; returns its length in bytes. Call it with text NULL to learn that. The two are an Arrow
 * large-string column as they stand. Past the end, names are "". */
LODE_API size_t lode_dataset_item_names(const lode_dataset *data, uint32_t first, uint32_t n,
                                        uint64_t *offsets, char *text, size_t text_bytes);

/* Looks up n names, laid out like that: items[i] becomes the item of the i-th, or stays if there is
 * none, which found[i] (NULL: not asked) says. Returns how many were found. */
LODE_API uint64_t lode_dataset_items_find(const lode_dataset *data, uint64_t n,
                                          const uint64_t *offsets, const char *text,
                                          uint32_t *items, bool *found);

/* Writes the items of transaction t, ascending, as far as they fit, and returns how many it has; 0
 * past the end. lode_profile.longest is room enough for any. */
LODE_API uint32_t lode_dataset_transaction(const lode_dataset *data, uint64_t t, uint32_t *items,
                                           uint32_t room);

/* The weight of transaction t, 1 unless weights were given; 0 past the end. And that of all, of
 * which ratios are: the number of transactions, or the sum of their weights. */
LODE_API uint32_t lode_dataset_transaction_weight(const lode_dataset *data, uint64_t t);
LODE_API uint64_t lode_dataset_total_weight(const lode_dataset *data);

#ifdef __cplusplus
}
#endif
#endif
