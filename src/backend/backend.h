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
 * Results are bit-identical across backends. A device belongs to one thread at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BACKEND_BACKEND_H
#define LODE_BACKEND_BACKEND_H

#include "runtime/ctx.h"

#define BACKEND_API_VERSION 1
#define BACKEND_NO_ROW      UINT32_MAX
#define BACKEND_LINE_WORDS  8 /* 64 bytes */

typedef struct backend_device backend_device;

/* dst = a AND b; dst may be BACKEND_NO_ROW (count only), and must differ from every source of the
 * same batch. */
typedef struct backend_work {
    uint32_t a, b, dst;
} backend_work;

typedef struct lode_backend {
    int api_version;
    const char *name;

    /* 0 = cannot run here, else the higher the better; `detail` says what it is, or why it cannot.
     * Must not allocate or leave threads behind. */
    unsigned (*probe)(char *detail, size_t detail_bytes);
    /* How many devices of this kind there are. */
    unsigned (*count)(void);
    /* How many consumers a plain `--device NAME` means. */
    unsigned (*consumers)(const lode_ctx *ctx);

    LODE_NODISCARD lode_status (*open)(lode_ctx *ctx, unsigned index, backend_device **out);
    void (*close)(backend_device *device);

    /* Candidates in flight that keep the device busy: the default of epsilon. */
    uint64_t (*fill)(const backend_device *device, size_t row_words);

    /* Brings the permanent rows. The caller keeps `rows` unchanged until close(). */
    LODE_NODISCARD lode_status (*set_rows)(backend_device *device, const uint64_t *rows,
                                           uint32_t n_rows, size_t row_words);
    /* Finds room for up to `wanted` lists, by trial if need be; *granted may be 0. */
    LODE_NODISCARD lode_status (*reserve_lists)(backend_device *device, uint32_t wanted,
                                                uint32_t *granted);
    /* Makes the first n lists usable and counts them in the budget. BUDGET means: no more. */
    LODE_NODISCARD lode_status (*back_lists)(backend_device *device, uint32_t n_lists);

    /* counts[i] = |a AND b| for each i. dst is written if the count reaches min_count, and holds
     * anything otherwise. Runs of equal `a` are faster. */
    LODE_NODISCARD lode_status (*and_count)(backend_device *device, const backend_work *work,
                                            size_t n, uint32_t min_count, uint32_t *counts);
    /* dst = rows[0] AND … AND rows[n - 1], n >= 1; dst is none of them. */
    LODE_NODISCARD lode_status (*and_rows)(backend_device *device, uint32_t dst,
                                           const uint32_t *rows, size_t n);
} lode_backend;

/* The i-th backend of the list; NULL past the end. */
const lode_backend *backend_at(size_t i);

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

/* Turns the context's device text into consumers. More devices than there are is not an error: the
 * plan takes those that exist and says so in `note`. Errors: INVALID, DEVICE (cannot run here). */
LODE_NODISCARD lode_status backend_make_plan(lode_ctx *ctx, backend_plan *plan);

#endif
