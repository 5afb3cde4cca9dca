/* lode/data.h - data sets of transactions; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_H
#define LODE_DATA_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Transactions, each a set of items. An item listed twice in a transaction counts once. An empty
 * line is an empty transaction, which counts in ratios.
 *
 * WHAT AN ITEM IS, here and in batches and results: a uint32_t that stands for a name.
 *   Numbers    In data from lode_dataset_from_arrays(), an item is the number that was passed in,
 *              from 0 to UINT32_MAX. The same holds for data read from files, if every item is such
 *              a number without leading zeros. In both cases, lode_dataset_has_numbers() is true.
 *   Names      If any item is not such a number (for example milk, 007 or 4294967296), items are 0,
 *              1, 2, …, which have a meaning only in their data set.
 * To print items, use lode_dataset_item_name(), which is right in both cases. Items are ordered by
 * number if every name is a number, otherwise by the bytes of their names. */
typedef struct lode_dataset lode_dataset;

#define LODE_PROFILE_COLUMNS 128
#define LODE_PROFILE_SHEET   128

typedef struct lode_profile {
    size_t size;
    uint64_t n_transactions;
    uint64_t n_empty;       /* transactions without an item */
    uint64_t n_items;       /* distinct items that occur */
    uint64_t n_occurrences; /* sum of the transaction lengths */
    uint64_t n_repeated;    /* items repeated within a transaction, which were dropped */
    uint64_t n_skipped;     /* malformed lines skipped because of skip_bad_lines */
    uint32_t longest;       /* items in the longest transaction */
    lode_format format;     /* as given or recognised */
    char separator;         /* 0 for fimi and spmf */
    double read_seconds;
    uint64_t n_files; /* files read as one data set; 0 = it was not read from files */
    /* The columns used, by name (long names are cut) or number. For a table, these are the columns
     * of transactions and items, such as "Order ID, Product Name"; otherwise, this is the id
     * column, or "" if there is none. */
    char columns[LODE_PROFILE_COLUMNS];
    uint64_t n_dropped; /* rows left out by drop_rows */
    uint64_t n_rows;    /* rows read, dropped ones included; 0 unless drop_rows or weight_column is
                         * set */
    uint64_t n_lost;    /* transactions that lost all their rows to drop_rows */
    /* The sheet of the first file, if that is an Excel workbook (long names are cut); else "". */
    char sheet[LODE_PROFILE_SHEET];
} lode_profile;

/* Reads a file; "-" is standard input. Plain, gzip and zstd files, Excel workbooks (.xlsx; one
 * sheet of them), and Arrow files and streams are recognised by content, and so are Parquet files,
 * which need a driver (docs/databases.md). UTF-16 is converted to UTF-8. Other binary files are
 * refused with a message that names their type (PARSE), and so are workbooks if lode cannot load
 * libzip and expat. Text of a known other format, such as HTML, is also refused, unless an option
 * says how to read it. `options` may be NULL. Uses all threads of the job. Errors: NOTFOUND (also:
 * no such sheet), PARSE, IO, NOMEM, BUDGET, CANCELLED, INVALID, UNSUPPORTED (a query without
 * a driver, or an Arrow file of a kind that lode does not read). */
LODE_API LODE_NODISCARD lode_status lode_dataset_open(lode_job *job, lode_dataset **out,
                                                      const char *path,
                                                      const lode_read_options *options);

/* Whether lode can read Excel workbooks here. If not, *why, unless why is NULL, receives the reason
 * (valid for as long as the program runs): this lode was built without libzip or expat, or they
 * cannot be loaded. Loads these libraries. */
LODE_API bool lode_reads_xlsx(const char **why);

/* Describes the columns of a table, to help people choose which rows to leave out, and writes one
 * JSON object. All rows are read with `options`; drop_rows drops none of them here.
 *
 *     {"rows": 9, "header": true, "tid": 0, "item": 1,     numbers of the two columns, from 0
 *      "columns": [{"name": "InvoiceNo",                   "" without a header
 *        "empty": 0, "numbers": 6, "negative": 0, "zero": 0, "least": 1, "most": 7,
 *        "dates": 0, "first": "2010-12-01", "last": …      only if there are any
 *        "starts": [{"letter": "C", "rows": 3, "values": 2}],   cells that begin with C or c;
 *                                                          distinct ones, null = too many
 *        "distinct": 5, "values": [{"name", "count"}]}]}   null and [] = more than 1,000; the 200
 *                                                          most frequent ones are listed
 *
 * At most 64 columns are described; files in other formats have none. Errors: as for
 * lode_dataset_open(), STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_columns_json(lode_job *job, const char *path,
                                                      const lode_read_options *options,
                                                      lode_write_fn write, void *user);

/* Reads several files as one data set, in the order given; "-" at most once. Each may be compressed
 * or empty, and has its own header if the format has one. Format, separator and columns must be the
 * same in all files, but the columns of tables and onehot files may come in any order. An item
 * without a column in one of several onehot files does not occur in that file (with a warning). In
 * tables, equal ids are the same transaction, even across files. docs/formats.md has the rules.
 * Errors: as above; PARSE names two files and their difference. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open_files(lode_job *job, lode_dataset **out,
                                                            const char *const *paths,
                                                            size_t n_paths,
                                                            const lode_read_options *options);

/* As lode_dataset_open_files(), but several processes share the work; all of them make this call,
 * with the same files and options. Every process gets the whole data set, exactly as if it had read
 * the files alone, including messages and line numbers.
 * Each process reads one part of the text, and then the processes exchange their parts. This works
 * for one uncompressed regular file in format fimi, spmf or basket, if none of weight_column,
 * drop_rows, keep_ids, spill and n_parts is set, and if no quoted line end lies where the file is
 * cut. In all other cases every process reads everything. The same happens if there is a malformed
 * line, if memory is short, or if file lengths or samples of the text show that the processes see
 * different files. Every process logs all messages. Errors: as above, and what peers->gather
 * returns. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open_together(lode_job *job, lode_dataset **out,
                                                               const char *const *paths,
                                                               size_t n_paths,
                                                               const lode_read_options *options,
                                                               const lode_peers *peers);

/* As lode_dataset_open(), but reads from memory: `text` is the content of a file. `name` (for
 * messages) and `options` may be NULL. */
LODE_API LODE_NODISCARD lode_status lode_dataset_parse(lode_job *job, lode_dataset **out,
                                                       const void *text, size_t text_bytes,
                                                       const char *name,
                                                       const lode_read_options *options);

/* Copies arrays: transaction t has items[offsets[t]] … items[offsets[t + 1] - 1], in any order.
 * Items may be any numbers, and are not renumbered. `weights` (may be NULL) gives each transaction
 * a multiplicity: supports are then sums of weights, and only algorithms that accept weights can
 * mine the data set. A transaction of weight 0 counts as absent. Errors: INVALID (descending
 * `offsets`, NULL), UNSUPPORTED (2^32 transactions or more), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_arrays(lode_job *job, lode_dataset **out,
                                                             uint64_t n_transactions,
                                                             const uint64_t *offsets,
                                                             const uint32_t *items,
                                                             const uint32_t *weights);

/* As lode_dataset_from_arrays(), but from a bit matrix, such as a packed one-hot table: transaction
 * t has item i if bit i % 64 of bits[t * words + i / 64] is set, where words = (n_items + 63) / 64.
 * Bits from n_items on must be 0. Without a memory budget, dense data are stored as bits until a
 * call needs lists of items. The first such call makes the lists, which then count towards the
 * memory of the context. Errors: INVALID (NULL, a bit from n_items on), UNSUPPORTED (2^32
 * transactions or more), NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_bits(lode_job *job, lode_dataset **out,
                                                           uint64_t n_transactions,
                                                           uint32_t n_items, const uint64_t *bits,
                                                           const uint32_t *weights);

/* Joins data sets, such as parts of one file: equal names become one item, and transactions keep
 * the order of the parts. The parts are unchanged. */
LODE_API LODE_NODISCARD lode_status lode_dataset_merge(lode_job *job, lode_dataset **out,
                                                       const lode_dataset *const *parts,
                                                       size_t n_parts);
LODE_API void lode_dataset_free(lode_dataset *data);

/* Gives several processes, each of which read its own part of a data set, the same items: after
 * these calls lode_dataset_item_bound() and every lode_dataset_item_at() are what they would be if
 * one process had read everything. Supports stay those of the part. lode_mine_options.reduce needs
 * this.
 *
 *     bytes = lode_dataset_names_export(data, NULL, 0);              the length, a multiple of 8
 *     lode_dataset_names_export(data, mine, bytes);
 *     MPI_Allgatherv(mine, bytes, …, all, …);                        concatenate
 *     lode_dataset_adopt_names(job, data, all, all_bytes);
 *
 * lode_dataset_names_export() writes the names of the items, if there is room for all of them, and
 * returns the number of bytes that they take. Only the same version of lode on the same kind of
 * machine can read them. */
LODE_API size_t lode_dataset_names_export(const lode_dataset *data, void *buffer, size_t bytes);

/* Takes the concatenated names of all parts, in any order, and renumbers the items of this part in
 * place. This is the only call that changes a data set: nothing may use the data set meanwhile, and
 * no sink or result may hold its old items. On failure nothing changes. Errors: INVALID (damaged
 * names, or names of this part are missing), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_adopt_names(lode_job *job, lode_dataset *data,
                                                             const void *names, size_t names_bytes);

/* lode_mine() keeps what it prepares before a search (ranked items, sorted lists, bit rows) with
 * the data set, for all jobs: a later job with the same or a higher threshold starts to search at
 * once, and its report says so ("algorithm.prepared"). Prepared data count towards the memory of
 * the context, and are freed when memory is short.
 *
 * lode_dataset_prepare() does this work in advance, for lode_mine() with these options or with a
 * higher threshold. It does nothing if the algorithm has nothing to prepare. Errors: as
 * lode_mine(). */
LODE_API LODE_NODISCARD lode_status lode_dataset_prepare(lode_job *job, const lode_dataset *data,
                                                         const lode_mine_options *options);
/* Frees prepared data that are not in use, for programs that will not mine the data set again. */
LODE_API void lode_dataset_forget(const lode_dataset *data);

/* Fills *out. If `data` is NULL, fills it with zeros and returns false. */
LODE_API bool lode_dataset_profile(const lode_dataset *data, lode_profile *out);

/* Whether items are numbers; see WHAT AN ITEM IS above. */
LODE_API bool lode_dataset_has_numbers(const lode_dataset *data);

/* All items, in order: lode_dataset_item_at(data, i) for i from 0 to lode_dataset_item_bound() - 1.
 * Some may occur in no transaction. Past the end, lode_dataset_item_at() returns 0. */
LODE_API uint32_t lode_dataset_item_bound(const lode_dataset *data);
LODE_API uint32_t lode_dataset_item_at(const lode_dataset *data, uint32_t i);

/* The support of an item: the number of transactions (or sum of weights) that contain it. */
LODE_API uint64_t lode_dataset_item_support(const lode_dataset *data, uint32_t item);

/* Writes as much of the name as fits, without a terminating zero, and returns its full length. */
LODE_API size_t lode_dataset_item_name(const lode_dataset *data, uint32_t item, char *buffer,
                                       size_t buffer_bytes);

/* Finds the item with a name. Returns false, and leaves *item unchanged, if there is none. */
LODE_API bool lode_dataset_item_find(const lode_dataset *data, const char *name, size_t name_bytes,
                                     uint32_t *item);

/* Many items at once: lode_dataset_item_at(data, first + i) for i < n. Writes them to `items` and
 * their supports to `supports`, either of which may be NULL, and returns how many of the n items
 * exist. */
LODE_API uint32_t lode_dataset_items(const lode_dataset *data, uint32_t first, uint32_t n,
                                     uint32_t *items, uint64_t *supports);

/* The names of these n items, concatenated: the i-th is text[offsets[i]] … text[offsets[i + 1] -
 * 1]. Writes n + 1 offsets, unless `offsets` is NULL, and the text, if there is room for all of it;
 * returns the length of the text in bytes, even if `text` is NULL. The two arrays are an Arrow
 * large-string column. Names past the end are "". */
LODE_API size_t lode_dataset_item_names(const lode_dataset *data, uint32_t first, uint32_t n,
                                        uint64_t *offsets, char *text, size_t text_bytes);

/* Looks up n names in the same layout. If the i-th is found, items[i] becomes its item; otherwise
 * items[i] is unchanged. found[i] (found may be NULL) says which. Returns how many were found. */
LODE_API uint64_t lode_dataset_items_find(const lode_dataset *data, uint64_t n,
                                          const uint64_t *offsets, const char *text,
                                          uint32_t *items, bool *found);

/* Writes the items of transaction t, ascending, as many as fit, and returns how many items the
 * transaction has; 0 past the end. An array of lode_profile.longest elements is enough for all
 * transactions. */
LODE_API uint32_t lode_dataset_transaction(const lode_dataset *data, uint64_t t, uint32_t *items,
                                           uint32_t room);

/* The weight of transaction t: 1 unless weights were given; 0 past the end. */
LODE_API uint32_t lode_dataset_transaction_weight(const lode_dataset *data, uint64_t t);
/* The total to which ratios refer: the number of transactions or, with weights, the sum of the
 * weights. */
LODE_API uint64_t lode_dataset_total_weight(const lode_dataset *data);

/* The id of transaction t, if lode_read_options.keep_ids was set and the file has an id column.
 * Writes as much of it as fits, without a terminating zero, and returns its full length; 0 = no id.
 */
LODE_API size_t lode_dataset_transaction_id(const lode_dataset *data, uint64_t t, char *buffer,
                                            size_t buffer_bytes);

#ifdef __cplusplus
}
#endif
#endif
