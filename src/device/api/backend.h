/* backend.h - the interface of a device for the miners
 *
 * A backend is one const table (lode_backend) and one line in backends.def. It sees bit rows and
 * lists of work, never items or patterns. Each operation processes a whole batch: on a GPU in one
 * launch and at most one round trip, on a CPU in one loop.
 *
 * Rows are named by numbers. 0 … n_rows - 1 are the permanent rows passed to set_rows(), one for
 * each item. The numbers from n_rows on are the lists: scratch rows of the same width that the
 * search takes and returns (runtime/list_pool.h). A row is a whole number of 64-byte lines; bits
 * past the last column are zero.
 *
 *     row number   0 … n_rows-1          n_rows … n_rows+n_lists-1
 *                  items, read only      lists, read and write
 *
 * Results are bit-identical across backends. Only one thread at a time may call a device; inside an
 * operation, the device may use more threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_BACKEND_H
#define LODE_DEVICE_API_BACKEND_H

#include "device/api/products.h"
#include "runtime/job.h"

#define BACKEND_NO_ROW     UINT32_MAX
#define BACKEND_LINE_WORDS 8 /* 64 bytes */

typedef struct backend_device backend_device;

/* dst = a AND b, as row numbers. dst may be BACKEND_NO_ROW (count only); if not, it must be a list
 * that is neither `a` nor `b` of any work item in the same batch. */
typedef struct backend_work {
    uint32_t a, b, dst;
} backend_work;

/* Figures of a device since it was opened. */
typedef struct backend_counters {
    uint64_t rows_read, rows_written;
    uint64_t bytes_up, bytes_down; /* copied to the device and back */
    uint64_t memory_peak;  /* most bytes of device memory in use, by all consumers of the job */
    double kernel_seconds; /* time spent computing; 0 if the device has no clock of its own */
} backend_counters;

typedef struct lode_backend {
    const char *name;
    const char *first; /* how --device names its first device, "cuda:0"; NULL = by `name` */
    /* Returns whether the backend can run here. `detail` receives a description of its devices, or
     * the reason why it cannot run. Must not allocate or leave threads behind. */
    bool (*probe)(char *detail, size_t detail_bytes);
    unsigned (*count)(void); /* number of devices */
    /* Starts up a device whose first use takes long; NULL = there is no need. Any thread may call
     * it. A failure shows later, when the device is opened. */
    void (*wake)(unsigned index);
    /* The number of consumers for each device if --device gives neither device numbers nor `*n`. */
    unsigned (*consumers)(const lode_job *job);

    /* Opens device `index`. Its operations may use up to `threads` host threads. */
    LODE_NODISCARD lode_status (*open)(lode_job *job, unsigned index, unsigned threads,
                                       backend_device **out);
    void (*close)(backend_device *device); /* NULL is allowed */
    backend_counters (*counters)(const backend_device *device);

    /* The number of candidates per batch that keeps the device busy, for rows of row_words words:
     * the default of the option epsilon. */
    uint64_t (*fill)(const backend_device *device, size_t row_words);

    /* Sets the permanent rows: row_words words each, one after the other. The caller keeps `rows`
     * unchanged until close(). */
    LODE_NODISCARD lode_status (*set_rows)(backend_device *device, const uint64_t *rows,
                                           uint32_t n_rows, size_t row_words);
    /* Bytes that the device has left for lists in its own memory. Call this function after
     * set_rows(). SIZE_MAX = lists are in host memory. */
    size_t (*list_room)(const backend_device *device);
    /* Reserves row numbers (and, on a CPU, address space) for up to `wanted` lists, without memory
     * yet. *granted receives the number of lists reserved, which may be 0. Call this function once,
     * after set_rows(). */
    LODE_NODISCARD lode_status (*reserve_lists)(backend_device *device, uint32_t wanted,
                                                uint32_t *granted);
    /* Ensures that the first n_lists reserved lists have memory, which counts in the budget.
     * BUDGET: not all of these lists fit; lists that already had memory keep it. */
    LODE_NODISCARD lode_status (*back_lists)(backend_device *device, uint32_t n_lists);

    /* ---- operations on rows ---- */

    /* counts[i] = |a AND b| of work[i]. dst is written if the count reaches min_count; otherwise
     * its content is undefined. Consecutive work items with the same `a` are faster. */
    LODE_NODISCARD lode_status (*and_count)(backend_device *device, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* dst[i] = rows[i * k] AND … AND rows[i * k + k - 1]; dst[i] must not be one of these rows. */
    LODE_NODISCARD lode_status (*and_rows)(backend_device *device, const uint32_t *dst,
                                           const uint32_t *rows, uint32_t k, size_t n);

    /* Operations of the subgraph miners (graph_ops.h); NULL = they do not run on this backend. */
    const struct backend_graph_ops *graphs;

    /* Operations of the tensor miner (products.h); NULL = it does not run on this backend. */
    const backend_products *products;

    /* Operations of the algorithms of the papers (paper_ops.h); NULL = they do not run here. */
    const struct backend_paper_ops *papers;
} lode_backend;

/* The i-th backend of the list; NULL past the end. Backend 0 is the CPU. */
const lode_backend *backend_at(size_t i);
/* The name of the i-th backend that exists in lode but not in this build; NULL past the end. */
const char *backend_absent_at(size_t i);
#define BACKEND_ABSENT "this build of lode does not support it"

/* One consumer of a job: a host thread that will open and use this device of this backend. */
typedef struct backend_slot {
    const lode_backend *backend;
    unsigned index; /* number of the device */
    /* The device text had neither a device number nor `*n`. Slots of the same device with this flag
     * are just threads: a miner may open the device once for all of these slots. */
    bool thread;
} backend_slot;

#define BACKEND_MAX_SLOTS 256

/* The consumers of a job. */
typedef struct backend_plan {
    backend_slot slots[BACKEND_MAX_SLOTS];
    unsigned n;
    char text[LODE_REPORT_TEXT]; /* for the report, such as "cpu*2 (avx512)" */
    char note[LODE_REPORT_TEXT]; /* what was requested but is not available, or "" */
} backend_plan;

/* Checks the syntax and the names of a device text: auto | PART{+PART}, where PART is
 * NAME[:i{,i}[%]][*n]: devices i of the backend NAME, with n consumers on each. With %, the number
 * i is taken modulo the number of devices. If it returns false, message says what was expected. */
bool backend_check_spec(const char *spec, char *message, size_t message_bytes);

/* Calls wake() for the devices of a device text: for `auto`, all GPUs. Ignores NULL, and stops at
 * the first error in the text. */
void backend_wake(const char *spec);

/* Turns a device text other than `auto` into consumers, and extends the lease of the job by the
 * threads that these need. A device that does not exist is no error: the plan only has consumers
 * whose device exists and for which there was a thread, and `note` says what is missing. Errors:
 * INVALID (malformed text), DEVICE (a backend cannot run here, or none of the devices exists). */
LODE_NODISCARD lode_status backend_make_plan(lode_job *job, const char *spec, backend_plan *plan);

#endif
