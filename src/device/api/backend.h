/* backend.h - the interface of a device for the miners
 *
 * A backend is one const table and one line in backends.def. It sees bit rows and lists of work,
 * never items or patterns. Operations are batches: on a GPU each is one launch and at most one
 * round trip, on a CPU one loop.
 *
 * Rows are named by numbers. 0 … n_rows - 1 are the permanent rows passed to set_rows(). From
 * n_rows on follow the lists, scratch rows of the same width that the search allocates and returns
 * (runtime/list_pool.h). Rows are whole 64-byte lines; bits past the last column are zero.
 *
 *     row number   0 … n_rows-1          n_rows … n_rows+n_lists-1
 *                  items, read only      lists, read and write
 *
 * Results are bit-identical across backends. A device belongs to one thread at a time; it may use
 * more threads of its own inside an operation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_BACKEND_H
#define LODE_DEVICE_API_BACKEND_H

#include "device/api/products.h"
#include "runtime/job.h"

#define BACKEND_NO_ROW     UINT32_MAX
#define BACKEND_LINE_WORDS 8 /* 64 bytes */

typedef struct backend_device backend_device;

/* dst = a AND b; dst may be BACKEND_NO_ROW (count only), and must differ from every source of the
 * same batch. */
typedef struct backend_work {
    uint32_t a, b, dst;
} backend_work;

/* Figures of a device since it was opened. */
typedef struct backend_counters {
    uint64_t rows_read, rows_written;
    uint64_t bytes_up, bytes_down; /* between host and device */
    uint64_t memory_peak;          /* of the device's own memory, over all its users */
    double kernel_seconds;         /* time spent computing, if the device has its own clock */
} backend_counters;

typedef struct lode_backend {
    const char *name;
    const char *first; /* the device text for one of its devices; NULL = the name */
    /* Whether it can run here; `detail` receives its description, or why it cannot. Must not
     * allocate or leave threads behind. */
    bool (*probe)(char *detail, size_t detail_bytes);
    unsigned (*count)(void);
    /* Starts up the device, if that takes long; NULL = it does not. On any thread. A failure shows
     * when the device is opened. */
    void (*wake)(unsigned index);
    /* The number of consumers that a plain `--device NAME` makes. */
    unsigned (*consumers)(const lode_job *job);

    /* `threads`: how many host threads its operations may use. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, unsigned threads,
                                       backend_device **out);
    void (*close)(backend_device *device);
    backend_counters (*counters)(const backend_device *device);

    /* Number of candidates in flight that keep the device busy: the default of epsilon. */
    uint64_t (*fill)(const backend_device *device, size_t row_words);

    /* Sets the permanent rows. The caller keeps `rows` unchanged until close(). */
    LODE_NODISCARD lode_status (*set_rows)(backend_device *device, const uint64_t *rows,
                                           uint32_t n_rows, size_t row_words);
    /* Bytes of its own memory that the device has for lists, after set_rows(); SIZE_MAX = lists are
     * in host memory. */
    size_t (*list_room)(const backend_device *device);
    /* Reserves up to `wanted` lists, by trial if necessary; *granted may be 0. */
    LODE_NODISCARD lode_status (*reserve_lists)(backend_device *device, uint32_t wanted,
                                                uint32_t *granted);
    /* Allocates the first n_lists lists and counts them in the budget. BUDGET: no more fit. */
    LODE_NODISCARD lode_status (*back_lists)(backend_device *device, uint32_t n_lists);

    /* ---- operations on rows ---- */

    /* counts[i] = |a AND b| for each i. dst is written if the count reaches min_count; otherwise
     * its content is undefined. Runs of equal `a` are faster. */
    LODE_NODISCARD lode_status (*and_count)(backend_device *device, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* dst[i] = rows[i * k] AND … AND rows[i * k + k - 1]; dst[i] must not be one of them. */
    LODE_NODISCARD lode_status (*and_rows)(backend_device *device, const uint32_t *dst,
                                           const uint32_t *rows, uint32_t k, size_t n);

    /* Operations on graphs (graph_ops.h); NULL = none. */
    const struct backend_graph_ops *graphs;

    /* Operations of the tensor miner; NULL = it does not run there. */
    const backend_products *products;

    /* Operations of the algorithms of the papers (paper_ops.h); NULL = they do not run there. */
    const struct backend_paper_ops *papers;
} lode_backend;

/* The i-th backend of the list; NULL past the end. */
const lode_backend *backend_at(size_t i);
/* The i-th backend that this build was made without; NULL past the end. */
const char *backend_absent_at(size_t i);
#define BACKEND_ABSENT "this build of lode does not support it"

/* One consumer of a job: a device of a backend, opened by the thread that will use it. */
typedef struct backend_slot {
    const lode_backend *backend;
    unsigned index;
    bool thread; /* of a device given without a number; others with this share it */
} backend_slot;

#define BACKEND_MAX_SLOTS 256

typedef struct backend_plan {
    backend_slot slots[BACKEND_MAX_SLOTS];
    unsigned n;
    char text[LODE_REPORT_TEXT]; /* "cpu*2 (avx512)" */
    char note[LODE_REPORT_TEXT]; /* what was requested but is not available, or "" */
} backend_plan;

/* Checks the syntax and the names of a device text: auto | PART{+PART}, where PART is
 * NAME[:i{,i}[%]][*n]; with %, device i is i modulo the number of devices. On false, message says
 * what was expected. */
bool backend_check_spec(const char *spec, char *message, size_t message_bytes);

/* Wakes the devices of a device text: for `auto`, all GPUs. Does nothing for a malformed text. */
void backend_wake(const char *spec);

/* Turns a device text other than `auto` into consumers. Too many devices are not an error: the plan
 * takes those that exist and says so in `note`. Errors: INVALID, DEVICE (cannot run here). */
LODE_NODISCARD lode_status backend_make_plan(lode_job *job, const char *spec, backend_plan *plan);

#endif
