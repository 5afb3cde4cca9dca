/* lode/data.h - data sets of transactions; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_H
#define LODE_DATA_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Transactions, each a set of items. An item listed twice in a transaction counts once. An empty
 * line is an empty transaction: it has no items, but counts in ratios.
 *
 * WHAT AN ITEM IS, here and in batches and results: a uint32_t that stands for a name.
 *   Numbers    In data from lode_dataset_from_arrays(), an item is the number that was passed in,
 *              from 0 to UINT32_MAX. The same holds for data that is read, if every item in it is
 *              such a number without leading zeros. lode_dataset_has_numbers() is then true.
 *   Names      If a single item is not such a number (milk, 007 or 4294967296, for example), items
 *              are 0, 1, 2, … and have a meaning in their data set only.
 * To print items, use lode_dataset_item_name(), which is right in both cases. Items are ordered by
 * number if every name is a number, else by the bytes of their names. */
typedef struct lode_dataset lode_dataset;

#define LODE_PROFILE_COLUMNS 128

typedef struct lode_profile {
    size_t size;
    uint64_t n_transactions;
    uint64_t n_empty;       /* transactions without an item */
    uint64_t n_items;       /* distinct items that occur */
    uint64_t n_occurrences; /* sum of the transaction lengths */
    uint64_t n_repeated;    /* items listed again in their transaction, which were dropped */
    uint64_t n_skipped;     /* malformed lines left out by skip_bad_lines */
    uint32_t longest;       /* items in the longest transaction */
    lode_format format;     /* as given or recognised */
    char separator;         /* 0 for fimi and spmf */
    double read_seconds;
    uint64_t n_files; /* files read as one data set; 0 = it was not read from files */
    /* The columns used, by their names in the header (long ones are cut) or by number: for a table
     * "Order ID, Product Name"; otherwise the column of ids, or "" if there is none. */
    char columns[LODE_PROFILE_COLUMNS];
    uint64_t n_dropped; /* rows left out by drop_rows */
    uint64_t n_rows;    /* rows read, with those left out; 0 without drop_rows and weight_column */
    uint64_t n_lost;    /* transactions all of whose rows were left out by drop_rows */
} lode_profile;

/* Reads a file; "-" is standard input. Plain, gzip and zstd files are recognised by content; UTF-16
 * becomes UTF-8. A file of another kind, such as a workbook, is refused (PARSE), and the message
 * says what it is; so is text of another kind, such as JSON, unless an option says how to read it.
 * `options` may be NULL. Uses all threads of the job. Errors: NOTFOUND, PARSE, IO, NOMEM, BUDGET,
 * CANCELLED, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open(lode_job *job, lode_dataset **out,
                                                      const char *path,
                                                      const lode_read_options *options);

/* Reads several files as one data set, in the order given; "-" at most once. Each may be compressed
 * or not, or empty, and has its own header if the format has one. Format, separator and columns
 * must be the same in all. But columns of tables, and items of onehot files, may be in another
 * order; an item without a column in a onehot file does not occur in it (a warning says so). In a
 * table the same id is the same transaction, in whichever file. docs/formats.md has the rules.
 * Errors: as above; PARSE names two files and what differs. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open_files(lode_job *job, lode_dataset **out,
                                                            const char *const *paths,
                                                            size_t n_paths,
                                                            const lode_read_options *options);

/* As lode_dataset_open_files(), by several processes that all make this call, with the same files
 * and options: each gets the whole data set, the same in every respect as if it had read the files
 * alone, messages and numbers of lines included. What can be cut at line ends is read in parts, one
 * by each process, and then exchanged: one plain regular file in format fimi, spmf or basket,
 * without weight_column, drop_rows, keep_ids, spill and n_parts, and with no line end within quotes
 * where it is cut. Anything else, and a file with a malformed line, or for which memory is short,
 * is read by every process. Files that differ between the processes are read by every one, too, if
 * their lengths or samples of their text tell. Logs come in all processes. Errors: as above, and
 * what peers->gather returns. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open_together(lode_job *job, lode_dataset **out,
                                                               const char *const *paths,
                                                               size_t n_paths,
                                                               const lode_read_options *options,
                                                               const lode_peers *peers);

/* The same from memory: `text` is what a file would contain. `name`, for messages, and `options`
 * may be NULL. */
LODE_API LODE_NODISCARD lode_status lode_dataset_parse(lode_job *job, lode_dataset **out,
                                                       const void *text, size_t text_bytes,
                                                       const char *name,
                                                       const lode_read_options *options);

/* Copies arrays: transaction t has items[offsets[t]] … items[offsets[t + 1] - 1], in any order.
 * `weights` (may be NULL) gives each transaction a multiplicity; supports are then sums of weights,
 * and only algorithms that accept weights can mine the data set. A transaction of weight 0 counts
 * as absent. Items may be any numbers, and stay these numbers. Errors: INVALID (descending
 * `offsets`, NULL), UNSUPPORTED (2^32 transactions or more), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_arrays(lode_job *job, lode_dataset **out,
                                                             uint64_t n_transactions,
                                                             const uint64_t *offsets,
                                                             const uint32_t *items,
                                                             const uint32_t *weights);

/* The same from rows of bits, as one-hot tables are packed: item i is in transaction t if bit
 * i % 64 of bits[t * words + i / 64] is set, where words = (n_items + 63) / 64. Bits from n_items
 * on must be 0. Without a memory budget, dense data stay bits until a call needs lists of items;
 * these then count in the memory of the context, and the first such call takes the time to make
 * them. Errors: INVALID (NULL, a bit from n_items on), UNSUPPORTED (2^32 transactions or more),
 * NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_bits(lode_job *job, lode_dataset **out,
                                                           uint64_t n_transactions,
                                                           uint32_t n_items, const uint64_t *bits,
                                                           const uint32_t *weights);

/* Joins data sets, such as parts of one file: equal names become one item, and transactions follow
 * in the order of the parts. The parts stay as they are. */
LODE_API LODE_NODISCARD lode_status lode_dataset_merge(lode_job *job, lode_dataset **out,
                                                       const lode_dataset *const *parts,
                                                       size_t n_parts);
LODE_API void lode_dataset_free(lode_dataset *data);

/* Common items for the parts of a data set in several processes, each of which has read its own
 * part: afterwards lode_dataset_item_bound() and every lode_dataset_item_at() are in all parts what
 * they would be if one process had read everything; supports stay those of the part.
 * lode_mine_options.reduce needs this.
 *
 *     bytes = lode_dataset_names_export(data, NULL, 0);              how long it is
 *     lode_dataset_names_export(data, mine, bytes);                  a multiple of 8
 *     MPI_Allgatherv(mine, bytes, …, all, …);                        one after the other
 *     lode_dataset_adopt_names(job, data, all, all_bytes);
 *
 * Writes the names of the items, if there is room for all of them, and returns how many bytes they
 * take. They can be read by the same version of lode on the same kind of machine. */
LODE_API size_t lode_dataset_names_export(const lode_dataset *data, void *buffer, size_t bytes);

/* Takes the names of all parts, one after the other in any order, and renumbers the items of this
 * part in place. This is the only call that changes a data set: nothing may use it meanwhile, and
 * no sink or result may hold its old items. On failure nothing changes. Errors: INVALID (the
 * names are damaged, or lack those of this part), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_adopt_names(lode_job *job, lode_dataset *data,
                                                             const void *names, size_t names_bytes);

/* What lode_mine() prepares from a data set before it searches (ranked items, sorted lists, rows of
 * bits) is kept with the data set and shared between jobs: a later job with the same or a higher
 * threshold starts to search at once, and "algorithm.prepared" in its report says so. It counts in
 * the memory of the context, and is freed when that is short.
 *
 * This call prepares in advance for lode_mine() with these options or any higher threshold. If the
 * algorithm has nothing to prepare, it does nothing. Errors: as lode_mine(). */
LODE_API LODE_NODISCARD lode_status lode_dataset_prepare(lode_job *job, const lode_dataset *data,
                                                         const lode_mine_options *options);
/* Frees what was prepared and is not in use, for programs that know that no other job follows. */
LODE_API void lode_dataset_forget(const lode_dataset *data);

/* For NULL, all zero and false. */
LODE_API bool lode_dataset_profile(const lode_dataset *data, lode_profile *out);

/* Whether items are numbers; see "what an item is" above. */
LODE_API bool lode_dataset_has_numbers(const lode_dataset *data);

/* All items, in order: lode_dataset_item_at(data, i) for i from 0 to lode_dataset_item_bound() - 1.
 * Some may occur in no transaction. 0 past the end. */
LODE_API uint32_t lode_dataset_item_bound(const lode_dataset *data);
LODE_API uint32_t lode_dataset_item_at(const lode_dataset *data, uint32_t i);

/* The number of transactions (or the sum of their weights) that contain the item. */
LODE_API uint64_t lode_dataset_item_support(const lode_dataset *data, uint32_t item);

/* Writes as much of the name as fits, without a closing zero, and returns its full length. */
LODE_API size_t lode_dataset_item_name(const lode_dataset *data, uint32_t item, char *buffer,
                                       size_t buffer_bytes);

/* Finds the item with a name. Returns false, and leaves *item alone, if there is none. */
LODE_API bool lode_dataset_item_find(const lode_dataset *data, const char *name, size_t name_bytes,
                                     uint32_t *item);

/* Many items at once: lode_dataset_item_at(data, first + i) for i < n. Writes items and supports,
 * either of which may be NULL, and returns how many of the n exist. */
LODE_API uint32_t lode_dataset_items(const lode_dataset *data, uint32_t first, uint32_t n,
                                     uint32_t *items, uint64_t *supports);

/* Their names, one after the other: the i-th begins at text[offsets[i]] and ends before
 * text[offsets[i + 1]]. Writes n + 1 offsets (unless NULL), and the text if there is room for all
 * of it; returns its length in bytes. To learn the length, call it with text NULL. The two arrays
 * are an Arrow large-string column. Past the end, names are "". */
LODE_API size_t lode_dataset_item_names(const lode_dataset *data, uint32_t first, uint32_t n,
                                        uint64_t *offsets, char *text, size_t text_bytes);

/* Looks up n names in the same layout. If the i-th is found, items[i] becomes its item; otherwise
 * items[i] stays. found[i] (found may be NULL) says which. Returns how many were found. */
LODE_API uint64_t lode_dataset_items_find(const lode_dataset *data, uint64_t n,
                                          const uint64_t *offsets, const char *text,
                                          uint32_t *items, bool *found);

/* Writes as many items of transaction t as fit, ascending, and returns how many it has; 0 past the
 * end. An array of lode_profile.longest elements is enough for all transactions. */
LODE_API uint32_t lode_dataset_transaction(const lode_dataset *data, uint64_t t, uint32_t *items,
                                           uint32_t room);

/* The weight of transaction t: 1 unless weights were given; 0 past the end. And the weight of all
 * transactions, to which ratios refer: their number, or the sum of their weights. */
LODE_API uint32_t lode_dataset_transaction_weight(const lode_dataset *data, uint64_t t);
LODE_API uint64_t lode_dataset_total_weight(const lode_dataset *data);

/* The id of transaction t, if lode_read_options.keep_ids was set and the file has a column of ids:
 * writes as much of it as fits, without a closing zero, and returns its full length. Otherwise 0.
 */
LODE_API size_t lode_dataset_transaction_id(const lode_dataset *data, uint64_t t, char *buffer,
                                            size_t buffer_bytes);

#ifdef __cplusplus
}
#endif
#endif
