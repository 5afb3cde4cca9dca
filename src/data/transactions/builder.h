/* builder.h - makes a data set from parsed lines; used by every reader
 *
 * What:  each parsing thread owns a builder_worker and fills blocks of transactions;
 *        builder_finish() merges the workers' dictionaries, numbers the items in print order
 *        (dict.h) and returns the data set.
 * Use:   worker_begin_block(w, sequence);
 *        { worker_reserve(w, n); worker_push(w, code) …; worker_end_transaction(w); } …
 *        worker_end_block(w);
 *        Blocks are ordered by `sequence` (0, 1, 2, …), whichever thread parsed them.
 * Codes: while reading, each worker uses its own codes for items:
 *
 *          0 ……………………… BUILDER_NAME_BASE ……………………………… 2^32
 *          integers themselves    | BUILDER_NAME_BASE + id in the worker's dictionary
 *
 *        A canonical integer (no leading zero) below BUILDER_NAME_BASE stands for itself; all other
 *        text is a name. If there are no names, nothing is renumbered: ids are the integers.
 *        Transactions are sorted and counted at the end of their block, while it is in the cache.
 * Budget: when the blocks no longer fit into memory, the builder moves them to disk, if it has a
 *         folder for them (builder_spool.c). Otherwise the builder drops the blocks and only
 *         counts, so that builder_finish() can say how much memory is needed.
 * Threads: a worker belongs to one thread. Call builder_finish() when all workers have stopped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_BUILDER_H
#define LODE_DATA_TRANSACTIONS_BUILDER_H

#include "data/transactions/dataset.h"

#define BUILDER_NAME_BASE ((uint32_t)1 << 22)

typedef struct builder builder;

typedef struct builder_totals {
    uint64_t n_transactions, n_empty, n_occurrences, n_repeated, n_skipped;
    uint64_t n_weightless; /* transactions of weight 0, which were dropped */
    uint32_t longest;
} builder_totals;

/* Optional data of a transaction. Either all transactions of a builder have weights, or none has;
 * the same holds for ids. */
typedef struct builder_note {
    bool weighted, named;
    uint32_t weight;
    const char *id;
    size_t id_bytes;
} builder_note;

typedef struct builder_worker {
    _Alignas(MEM_ALIGN) builder *parent; /* each worker has its own cache lines */
    mem *mem;
    vec_u32 items;    /* the items of the current block */
    vec_u32 ends;     /* the end, in `items`, of each transaction of the block */
    vec_u32 buckets;  /* scratch for sorting many transactions at once */
    vec_u32 owners;   /* scratch for sorting, too */
    size_t open;      /* start of the current transaction */
    uint64_t next;    /* the smallest code that keeps the transaction ascending */
    uint64_t falls;   /* number of items in the block that are not larger than the item before */
    uint32_t *counts; /* occurrences of each integer */
    size_t n_counts;  /* entries of `counts` */
    dict *names;      /* NULL until there is a name */
    vec_u32 name_counts;
    uint64_t sequence;
    char *slab;         /* the part of the current slab that is not used yet */
    size_t slab_left;   /* bytes of this part */
    size_t slabs_bytes; /* bytes of all slabs of the worker so far */
    vec_u32 weights;    /* weights of the block's transactions, if they have weights */
    vec_u32 id_ends;    /* ends of the transactions' ids in `ids` */
    vec_char ids;
    builder_totals totals;
} builder_worker;

/* Creates a builder. `source` is lent: messages use it as the name of the input. */
LODE_NODISCARD lode_status builder_create(lode_job *job, builder **out, unsigned n_workers,
                                          const char *source);
void builder_free(builder *b);
builder_worker *builder_get_worker(builder *b, unsigned worker);

/* Gives an item the name under which it is printed. Items with the same name become one item. A
 * later call for the same item replaces the name. Workers may run during the call, but calls must
 * not overlap. */
LODE_NODISCARD lode_status builder_rename(builder *b, const char *item, size_t n_item,
                                          const char *name, size_t n_name);

/* Lends the name that the item got last; NULL = it has none. */
const char *builder_alias(const builder *b, const char *item, size_t n_item, size_t *n_name);

/* Returns the bytes that reading takes with a given budget, for the message of LODE_BUDGET.
 * `tables` is the number of bytes of one worker's tables. */
typedef uint64_t (*builder_scratch_fn)(size_t budget, unsigned threads, uint64_t tables);
void builder_set_scratch(builder *b, builder_scratch_fn scratch);

/* Sets the folder (lent) for transactions that do not fit into memory, and allocates the buffers
 * for writing them. */
LODE_NODISCARD lode_status builder_set_spill(builder *b, const char *folder);

/* Makes the data set. The builder is empty afterwards. Errors: NOMEM, BUDGET, UNSUPPORTED. */
LODE_NODISCARD lode_status builder_finish(builder *b, lode_dataset **out);

/* Records a message that says how much memory is needed, and returns BUDGET. The number is
 * extrapolated from the fraction `read` of the data that was read. `text_bytes` is the length of
 * the data, if known. */
lode_status builder_explain_budget(builder *b, double read, uint64_t text_bytes);

/* Must be called when the budget is too small: moves the blocks to disk, or drops the blocks and
 * goes on counting. *gained receives whether memory was freed; it is false if an earlier call did
 * this. Errors: IO. */
LODE_NODISCARD lode_status builder_give_up(builder *b, bool *gained);

/* Sets *code to the code of an item given as text. */
LODE_NODISCARD lode_status worker_code(builder_worker *w, const char *text, size_t n,
                                       uint32_t *code);
/* Sets *code to the code of an item given as an integer. */
LODE_NODISCARD lode_status worker_code_number(builder_worker *w, uint32_t number, uint32_t *code);
/* Returns whether this integer and all smaller integers are their own codes. */
bool worker_has_room(const builder_worker *w, uint32_t number);

void worker_begin_block(builder_worker *w, uint64_t sequence);

/* Makes room for n_items calls of worker_push(). */
static inline LODE_NODISCARD lode_status worker_reserve(builder_worker *w, size_t n_items) {
    return vec_u32_reserve(w->mem, &w->items, n_items);
}

static inline void worker_push(builder_worker *w, uint32_t code) {
    w->items.data[w->items.n++] = code;
    w->falls += code < w->next;
    w->next = (uint64_t)code + 1;
}

LODE_NODISCARD lode_status worker_end_transaction(builder_worker *w);
/* Ends a transaction that has optional data. A transaction of weight 0 is dropped and counted as
 * dropped. */
LODE_NODISCARD lode_status worker_end_noted(builder_worker *w, const builder_note *note);
/* Drops the items pushed since the last transaction. */
void worker_drop_transaction(builder_worker *w);
/* Drops these items, and counts a malformed line. */
void worker_skip_transaction(builder_worker *w);
/* Ends a block: sorts the items of each transaction, drops repeated items, and counts the
 * others. */
LODE_NODISCARD lode_status worker_end_block(builder_worker *w);

/* Returns the value of `text` if the text is a canonical integer below BUILDER_NAME_BASE, else
 * UINT32_MAX. */
static inline uint32_t builder_canonical(const char *text, size_t n) {
    if (n == 0 || n > 7 || (text[0] == '0' && n > 1)) return UINT32_MAX;
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9) return UINT32_MAX;
        number = number * 10 + digit;
    }
    return number < BUILDER_NAME_BASE ? number : UINT32_MAX;
}

#endif
