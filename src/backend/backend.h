/* backend.h - what a device must be able to do for the miners
 *
 * A backend is one const table and one line in backends.def. It sees rows of bits and lists of
 * work, never items or patterns. Operations are batches: on a GPU each is one launch and at most
 * one round trip, on a CPU one loop.
 *
 * Rows are named by numbers. 0 … n_rows - 1 are the permanent rows that set_rows() brought; from
 * n_rows on follow the lists, scratch rows of the same width that the search hands out and takes
 * back (runtime/list_pool.h). Rows are whole 64-byte lines; bits past the last column are zero.
 *
 *     row number   0 … n_rows-1          n_rows … n_rows+n_lists-1
 *                  items, read only      lists, read and write
 *
 * Results are bit-identical across backends. A device belongs to one thread at a time; it may use
 * further threads of its own inside an operation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BACKEND_BACKEND_H
#define LODE_BACKEND_BACKEND_H

#include "backend/products.h"
#include "runtime/job.h"

#define BACKEND_NO_ROW     UINT32_MAX
#define BACKEND_LINE_WORDS 8 /* 64 bytes */

typedef struct backend_device backend_device;

/* dst = a AND b; dst may be BACKEND_NO_ROW (count only), and must differ from every source of the
 * same batch. */
typedef struct backend_work {
    uint32_t a, b, dst;
} backend_work;

/* How a device counts bits, for the papers that compare ways of doing it. */
typedef enum backend_popcount {
    BACKEND_POPCOUNT_NATIVE,  /* the fastest the device has */
    BACKEND_POPCOUNT_TABLE16, /* a table of 65,536 bytes, 16 bits a look-up */
    BACKEND_POPCOUNT_SHIFT    /* shift and remainder, bit by bit */
} backend_popcount;

/* How and_count() adds up the counts of the words of a row. */
typedef enum backend_reduce {
    BACKEND_REDUCE_SUM,  /* whatever is fastest */
    BACKEND_REDUCE_POW2, /* a tree over the next power of two, padded with zeros */
    BACKEND_REDUCE_ANY   /* a tree over any length: the middle of an odd round waits for the next */
} backend_reduce;

typedef struct backend_tuning {
    backend_popcount popcount;
    backend_reduce reduce;
    uint64_t n_columns; /* bits of a row that are used; for the trees */
} backend_tuning;

/* What a device has done since it was opened. */
typedef struct backend_counters {
    uint64_t rows_read, rows_written;
    uint64_t work_items;           /* started by or_pairs() */
    uint64_t reduce_adds;          /* of the trees, in all … */
    uint64_t reduce_idle;          /* … and those that added padding */
    uint64_t bytes_up, bytes_down; /* between host and device */
    uint64_t memory_peak;          /* of the device's own memory, over all who share it */
    double kernel_seconds;         /* of a device with a clock of its own: when it was computing */
} backend_counters;

/* Itemsets as rows of bits: row i is data[i * words] …, bit r of it stands for the item of rank r.
 * */
typedef struct backend_sets {
    const uint64_t *data;
    size_t n, words;
} backend_sets;

typedef struct backend_pair {
    uint32_t a, b;
} backend_pair;

/* What join_sets() or join_count() found. */
typedef struct backend_joined {
    backend_pair *pairs; /* in order of a, then b */
    uint32_t *counts;    /* join_count(): their supports */
    size_t n;
    uint64_t generated, pruned;
    double count_seconds; /* join_count(): of the kernel time, what counting took */
} backend_joined;

/* Candidates of k rows by class: n_prefix = k - 1 row numbers per class, then the last row number
 * of every candidate, class by class; the last of a class carries BACKEND_LAST_MEMBER. */
#define BACKEND_LAST_MEMBER 0x80000000u

typedef struct backend_classes {
    const uint32_t *prefixes, *members;
    uint32_t n_prefix;
    size_t n_classes, n_members;
} backend_classes;

/* Whether it moves fewer rows to intersect the prefix rows of a class first (k - 1 in, 1 out, 2 for
 * each of the m members) than not to (k for each member). */
static inline bool backend_class_pays(uint32_t k, size_t m) {
    return k > 2 && m * (k - 2) > k;
}

/* How or_pairs() walks the pairs of n sets. */
typedef enum backend_grid {
    BACKEND_GRID_SQUARE, /* n * n work items; those on and below the diagonal do nothing */
    BACKEND_GRID_FOLDED  /* n (n - 1) / 2 work items: the triangle folded into a rectangle */
} backend_grid;

typedef struct lode_backend {
    const char *name;

    /* Whether it can run here; `detail` says what it is, or why it cannot. Must not allocate or
     * leave threads behind. */
    bool (*probe)(char *detail, size_t detail_bytes);
    /* How many devices of this kind there are. */
    unsigned (*count)(void);
    /* Does what takes long before a device can be opened first, on any thread; NULL: nothing does.
     * Whatever is wrong will show when it is opened. */
    void (*wake)(unsigned index);
    /* How many consumers a plain `--device NAME` means. */
    unsigned (*consumers)(const lode_job *job);

    /* `threads`: how many threads of the host its operations may use. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, unsigned threads,
                                       backend_device **out);
    void (*close)(backend_device *device);
    LODE_NODISCARD lode_status (*tune)(backend_device *device, const backend_tuning *tuning);
    backend_counters (*counters)(const backend_device *device);

    /* Candidates in flight that keep the device busy: the default of epsilon. */
    uint64_t (*fill)(const backend_device *device, size_t row_words);

    /* Brings the permanent rows. The caller keeps `rows` unchanged until close(). */
    LODE_NODISCARD lode_status (*set_rows)(backend_device *device, const uint64_t *rows,
                                           uint32_t n_rows, size_t row_words);
    /* Bytes of its own memory that the device has for lists, after set_rows(); SIZE_MAX: they lie
     * in the memory of the host. */
    size_t (*list_room)(const backend_device *device);
    /* Finds room for up to `wanted` lists, by trial if need be; *granted may be 0. */
    LODE_NODISCARD lode_status (*reserve_lists)(backend_device *device, uint32_t wanted,
                                                uint32_t *granted);
    /* Makes the first n lists usable and counts them in the budget. BUDGET means: no more. */
    LODE_NODISCARD lode_status (*back_lists)(backend_device *device, uint32_t n_lists);

    /* ---- operations on rows ---- */

    /* counts[i] = |a AND b| for each i. dst is written if the count reaches min_count, and holds
     * anything otherwise. Runs of equal `a` are faster. */
    LODE_NODISCARD lode_status (*and_count)(backend_device *device, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* counts[i] = |rows[i * k] AND … AND rows[i * k + k - 1]|. Nothing is stored. */
    LODE_NODISCARD lode_status (*and_count_lists)(backend_device *device, const uint32_t *rows,
                                                  uint32_t k, size_t n, uint32_t *counts);
    /* counts[i] = |prefix rows AND member row| for each member. The prefix rows of a class are
     * intersected once, into one of the n_cache lists, where the class is large enough to pay. */
    LODE_NODISCARD lode_status (*and_count_classes)(backend_device *device,
                                                    const backend_classes *classes,
                                                    const uint32_t *cache, size_t n_cache,
                                                    uint32_t *counts);
    /* dst[i] = rows[i * k] AND … AND rows[i * k + k - 1]; dst[i] is none of them. */
    LODE_NODISCARD lode_status (*and_rows)(backend_device *device, const uint32_t *dst,
                                           const uint32_t *rows, uint32_t k, size_t n);

    /* ---- operations on itemsets ---- */

    /* Brings the sets of a level, for the operations below. The caller keeps them unchanged until
     * it brings the next. group_end[i]: up to where rows differ from row i in the last item only
     * (rows are in lexicographic order); NULL where nothing is joined. rows[i]: the bit row of set
     * i, for join_count(); NULL where that is not called. */
    LODE_NODISCARD lode_status (*use_sets)(backend_device *device, const backend_sets *sets,
                                           const uint32_t *group_end, const uint32_t *rows);
    /* Joins each row i of [first, end) with i + 1, i + 2, … up to group_end[i]. The union is a
     * candidate unless one of its subsets with one item less is not a row, which a binary search
     * tells. `out->pairs` must have room for all joins. */
    LODE_NODISCARD lode_status (*join_sets)(backend_device *device, size_t first, size_t end,
                                            backend_joined *out);
    /* The same, and counts the candidates by their two sets' rows: `out` gets those that reach
     * min_count, with their counts. NULL for devices that gain nothing by it. */
    LODE_NODISCARD lode_status (*join_count)(backend_device *device, size_t first, size_t end,
                                             uint32_t min_count, backend_joined *out);
    /* Work items [first, end) of the grid over all pairs x < y: those whose union has exactly k
     * items are appended to `pairs`, which must have room for end - first. */
    LODE_NODISCARD lode_status (*or_pairs)(backend_device *device, uint32_t k, backend_grid grid,
                                           uint64_t first, uint64_t end, backend_pair *pairs,
                                           size_t *n_pairs);

    /* Operations on graphs (graph_ops.h); NULL: it has none. */
    const struct backend_graph_ops *graphs;

    /* What the tensor miner needs; NULL: it does not run there. */
    const backend_products *products;
} lode_backend;

/* The i-th backend of the list; NULL past the end. */
const lode_backend *backend_at(size_t i);
/* The i-th backend that lode has, but not in this build; NULL past the end. */
const char *backend_absent_at(size_t i);
#define BACKEND_ABSENT "this build of lode was made without it"

/* One consumer of a job: a device of a backend, opened by the thread that will use it. */
typedef struct backend_slot {
    const lode_backend *backend;
    unsigned index;
} backend_slot;

#define BACKEND_MAX_SLOTS 256

typedef struct backend_plan {
    backend_slot slots[BACKEND_MAX_SLOTS];
    unsigned n;
    char text[LODE_REPORT_TEXT]; /* "cpu*2 (avx512)" */
    char note[LODE_REPORT_TEXT]; /* what was asked for and is not there, or "" */
} backend_plan;

/* Checks the grammar and the names of a device text: auto | PART{+PART}, PART = NAME[:i{,i}][*n].
 * On false, message says what was expected. */
bool backend_check_spec(const char *spec, char *message, size_t message_bytes);

/* Wakes the devices of a text; nothing for `auto` or one that is wrong. */
void backend_wake(const char *spec);

/* Turns a device text, which is not `auto`, into consumers. More devices than there are is not an
 * error: the plan takes those that exist and says so in `note`. Errors: INVALID, DEVICE (cannot run
 * here). */
LODE_NODISCARD lode_status backend_make_plan(lode_job *job, const char *spec, backend_plan *plan);

#endif
