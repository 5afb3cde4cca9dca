/* product_device.h - the miner by products on a GPU, from inside: its memory and its stack
 *
 * One block of device memory is used from both ends. From the bottom grow the frames, and on top of
 * each what was counted last there; from the top hang the things of a single call:
 *
 *     │ root │ found │ frame 1: tables, rows │ found │ frame 2 … ─▶    ◀─ counts, plans, tasks │
 *                                                              low    high
 *
 * When the two meet, the frames below the top one move to the memory of the host and their place is
 * used in the same way, until the top one is popped and they come back.
 *
 * All work goes through one stream, so memory may be taken anew while kernels that use it are
 * still under way. The host waits once for each count().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_PRODUCT_DEVICE_H
#define LODE_CUDA_PRODUCT_DEVICE_H

#include "backend/products.h"
#include "base/vec.h"
#include "cuda/call.h"
#include "cuda/card.h"
#include "cuda/product_kernels.h"

/* What the host knows of a frame. */
typedef struct product_frame {
    cuda_frame view;
    size_t begin;          /* where it lies in the pool */
    size_t low, high;      /* the room behind it, for what is counted and for further frames */
    uint64_t pairs;        /* sum of rows squared */
    uint64_t pair_vectors; /* vectors of two rows to compare */
    uint64_t n_vectors, tiles;
    uint32_t max_vectors; /* of a row */
    /* Where classes begin and how many pairs are before them; fetched when they are needed. */
    vec_u32 firsts;
    vec_u64 pairs_at;

    /* What was counted last. */
    cuda_ask ask;
    cuda_found found;
    cuda_tails tails;
    bool has_tails;                 /* else, nobody looked for any */
    uint32_t n_tails[CUDA_N_LISTS]; /* in the lists of `tails`, once somebody wants to know … */
    bool tails_known;               /* … and did */
    cuda_row_plan totals;
    vec_u32 child_firsts; /* fetched when they are needed: of children … */
    vec_u64 child_ats, child_pairs;
    vec_u64 cube_sets_at; /* … and of cubes */
    vec_u32 large;        /* tails.large, in the order of cubes, here and there from then on */

    /* Frames below that had to make room, while this one is there. */
    void *spilled;
    size_t spilled_bytes, low_before, high_before;
} product_frame;

#define PRODUCT_SPANS 64

/* A piece of work on the device whose time is to be read off. */
typedef struct product_span {
    cudaEvent_t start, end;
} product_span;

/* Numbers that kernels add to, at the start of the device's memory. */
typedef struct product_numbers {
    uint64_t tally[CUDA_TALLY_MISFITS + 1];
    uint32_t tasks[CUDA_SMALL_SHAPES + 1];
    uint32_t builds[2];
    uint32_t next_cube, next_tail;
} product_numbers;

struct product_device {
    lode_job *job;
    cuda_card *card;
    const product_root *root;
    product_how how;
    cuda_product_target target;
    cuda_product_kernel kernel;
    bool shares_rows;                 /* of the card */
    bool has_large;                   /* the card can count large cubes */
    unsigned sharers;                 /* devices that divide the memory of the card among them */
    uint32_t n_slices, slice_vectors; /* of a root that is larger than the device; 0: it is not */
    cudaStream_t stream;
    product_numbers *numbers;
    uint8_t *pool;
    size_t pool_bytes, low, high;
    uint8_t *pinned; /* two halves, on the way to or from the device in turn */
    cudaEvent_t half_done[2];

    product_frame **frames; /* frames[0] is the root */
    size_t n_frames, frames_cap;

    product_span spans[PRODUCT_SPANS];
    unsigned n_spans;
    vec_u64 ends;
    vec_u32 partners, supports; /* fetched */
    vec_u32 cube_rows;
    product_report report;
    double called; /* seconds spent in the calls of the miner … */
    double opened; /* … and in transfers before */
    bool failed;   /* in a call that could not say so */
};

#define PRODUCT_HALF ((size_t)2 << 20) /* bytes of half the pinned memory */

static inline product_frame *product_top(const product_device *d) {
    return d->frames[d->n_frames - 1];
}

/* product_pool.c */
LODE_NODISCARD lode_status product_pool_open(product_device *d, size_t bytes);
void product_pool_close(product_device *d);
static inline size_t product_align(size_t bytes) {
    return (bytes + 127) / 128 * 128;
}
static inline size_t product_room(const product_device *d) {
    return d->high - d->low;
}
/* Memory from the bottom or the top; there must be room. */
void *product_take_low(product_device *d, size_t bytes);
void *product_take_high(product_device *d, size_t bytes);

LODE_NODISCARD lode_status product_fetch(product_device *d, void *host, const void *from,
                                         size_t bytes);
LODE_NODISCARD lode_status product_send(product_device *d, void *to, const void *host,
                                        size_t bytes);
/* Arrays of the device as vectors. */
LODE_NODISCARD lode_status product_fetch_u32(product_device *d, vec_u32 *v, const uint32_t *from,
                                             size_t n);
LODE_NODISCARD lode_status product_fetch_u64(product_device *d, vec_u64 *v, const uint64_t *from,
                                             size_t n);
/* Waits for all that was queued, and reads the clocks. */
LODE_NODISCARD lode_status product_wait(product_device *d);
/* Around kernels that count. */
LODE_NODISCARD lode_status product_span_begin(product_device *d);
LODE_NODISCARD lode_status product_span_end(product_device *d);

/* product_frames.c */
LODE_NODISCARD lode_status product_frame_add(product_device *d, product_frame **out);
void product_frame_drop(product_device *d);
/* Sees to it that there is room for so many bytes; `what` they are for. If need be, the frames
 * below the top one wait in the memory of the host until it is popped. */
LODE_NODISCARD lode_status product_make_room(product_device *d, size_t bytes, const char *what);
LODE_NODISCARD lode_status product_push(product_device *d, uint32_t first, uint32_t *end,
                                        uint32_t *n_rows);
void product_pop(product_device *d);

/* product_count.c */
LODE_NODISCARD lode_status product_count(product_device *d, const product_ask *ask,
                                         product_counted *out);
/* product_cubes.c */
LODE_NODISCARD lode_status product_cubes_work(product_device *d, uint32_t first,
                                              product_cubes *out);

/* product_slices.c: brings slice s of the root into the place of its rows. */
LODE_NODISCARD lode_status product_load_slice(product_device *d, uint32_t s);
/* How many slices the rows of a frame come in. */
static inline uint32_t product_slices(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->n_slices : 1;
}
/* Vectors of the longest row that is on the device at a time. */
static inline uint32_t product_row_vectors(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->slice_vectors : f->max_vectors;
}

/* product_trial.c: the fastest way to multiply on this device. */
LODE_NODISCARD lode_status product_choose_kernel(product_device *d);

static inline product_depth *product_depth_of(product_device *d) {
    size_t depth = d->n_frames - 1;
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

#endif
