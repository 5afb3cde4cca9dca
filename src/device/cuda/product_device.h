/* product_device.h - device/api/products.h on a GPU: its device memory, and its stack of frames
 *
 * Which file calls which (only downwards; the kernels are in product_*.cu, see product_kernels.h):
 *
 *     products.c            opens and closes a device, uploads the root, reads tallies
 *      ├ product_trial.c       finds the fastest kernel for products
 *      ├ product_count.c       count(): products, partners, lists
 *      ├ product_lattices.c    lattices(): histograms and their results
 *      └ product_stack.c       push(), pop(), spilling; slices of a root larger than the device
 *         └ product_pool.c        device memory, copies, timers
 *
 * Device memory is allocated from the card in slabs, the first when the device is opened. A slab is
 * used from both ends. The frames take memory from the bottom; behind each frame is the result of
 * its last count(). The buffers of a single call are taken from the top:
 *
 *     │ root │ found │ frame 1: tables, rows │ found │ frame 2 … ─▶    ◀─ counts, plans, tasks │
 *                                                              low    high
 *
 * If the rows of all children, or the counts of all rows, do not fit into half of the room (the
 * free part of the slab), the search continues in another slab, several times as large, as long as
 * the card has memory. When the card has none left, the search counts a few rows and pushes a few
 * children at a time, so that there is room for the frames of their children. Only if even a single
 * class does not fit, the lower frames of the slab are copied to the host (spilled), and their
 * memory is reused. These frames are copied back when the top frame is popped.
 *
 * All work goes through one stream, in order. So memory may be reused while kernels that use it are
 * still queued. The host waits once in each count(), and for the results that it fetches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_DEVICE_H
#define LODE_DEVICE_CUDA_PRODUCT_DEVICE_H

#include "base/vec.h"
#include "device/api/products.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"
#include "device/cuda/product_kernels.h"

/* A range of device memory that is free between `low` and `high`: a slab, or the part of a slab
 * that spilled frames have left. */
typedef struct product_room {
    uint8_t *base;
    size_t low, high, end; /* bytes from base; between calls, high == end */
    unsigned slab;         /* number of the slab */
} product_room;

/* What the host knows about a frame. A vector is 16 bytes of a row. */
typedef struct product_frame {
    cuda_frame view;       /* its arrays are in device memory */
    product_room before;   /* d->room before the frame was made, which is restored by pop() */
    product_room after;    /* the room behind the frame, for its results and for further frames */
    uint64_t pairs;        /* over its classes, the sum of (rows of the class) squared */
    uint64_t pair_vectors; /* vectors per row, summed over all pairs of rows; may be an estimate */
    uint64_t n_vectors, tiles; /* vectors of all rows; most tiles needed to count all pairs */
    uint32_t max_vectors;      /* no row has more vectors */
    /* copies of view.class_first and view.class_pairs; fetched when they are needed */
    vec_u32 firsts;
    vec_u64 pairs_at;

    /* the result of the last count() */
    cuda_request request;
    cuda_found found;     /* its arrays are in device memory */
    cuda_row_plan totals; /* over all counted rows */
    cuda_histograms histograms;
    bool has_histograms;                 /* false = each lattice has its own histogram */
    uint32_t n_histograms[CUDA_N_LISTS]; /* length of the lists, if histograms_known */
    bool histograms_known;               /* n_histograms has been fetched */
    vec_u32 large; /* a copy of histograms.large, sorted by lattice; empty until it is needed */
    /* copies of child_first, child_at, child_pairs and lattice_sets_at of `found`; fetched when
     * they are needed */
    vec_u32 child_firsts;
    vec_u64 child_ats, child_pairs;
    vec_u64 lattice_sets_at;

    /* host copy of the lower frames, while they are spilled to make room for this one; or NULL */
    void *spilled;
    size_t spilled_bytes;
} product_frame;

#define PRODUCT_TIMERS 64
#define PRODUCT_SLABS  8

typedef struct product_slab {
    uint8_t *base;
    size_t bytes;
} product_slab;

typedef struct product_timer {
    cudaEvent_t start, end;
} product_timer;

/* Counters that kernels add to, in device memory. */
typedef struct product_numbers {
    uint64_t tally[CUDA_TALLY_MISFITS + 1]; /* see CUDA_TALLY_MISFITS */
    uint32_t tasks[CUDA_SMALL_SHAPES + 1];  /* cuda_product_tasks.n */
    uint32_t builds[2];                     /* cuda_build.n */
    uint32_t next_lattice, next_joint;      /* cuda_lattice_work.next */
} product_numbers;

struct product_device {
    lode_job *job;
    cuda_card *card;
    const product_root *root;
    product_config config;
    cuda_product_target target;
    cuda_product_kernel kernel;       /* the kernel for products of large classes */
    bool shares_rows;                 /* the rows of the root are card->rows */
    bool has_large;                   /* the card supports large lattices */
    unsigned sharers;                 /* consumers that share the memory of the card; at least 1 */
    uint32_t n_slices, slice_vectors; /* of a root larger than the device; n_slices = 0: it fits */
    cudaStream_t stream;
    product_numbers *numbers; /* in device memory */
    product_slab slabs[PRODUCT_SLABS];
    unsigned n_slabs;
    bool card_is_full; /* no more slabs can be allocated */
    product_room room; /* the free memory of the slab in use */
    bool overrun;      /* more memory was taken than there was room for */
    uint8_t *pinned;   /* two halves of PRODUCT_HALF: one is filled while the other is in transit */
    cudaEvent_t half_done[2]; /* recorded after the last copy of each half */

    product_frame **frames; /* the stack; frames[0] is the root */
    size_t n_frames, frames_cap;

    product_timer timers[PRODUCT_TIMERS];
    unsigned n_timers; /* timers in use, which product_wait() will read */
    /* results on the host, until the next call: count() fills three, lattices() all four */
    vec_u64 ends;
    vec_u32 partners, supports;
    vec_u32 lattice_rows;
    product_report report;
    double called; /* seconds that the calls of the miner took */
    double opened; /* seconds of copies while the device was opened; also in report.transfer */
    bool failed;   /* pop(), which returns no status, has failed: the next count() reports this */
};

/* Like CUDA_TRY, for calls that use memory of the slabs. After an overrun, fails instead of making
 * the call. */
#define PRODUCT_TRY(device, name, call)                                                            \
    do {                                                                                           \
        LODE_REQUIRE((device)->job, !(device)->overrun,                                            \
                     "more device memory was used than the pool has");                             \
        CUDA_TRY(device, name, call);                                                              \
    } while (0)

#define PRODUCT_HALF ((size_t)2 << 20) /* bytes of each half of the pinned memory */

/* The top frame. */
static inline product_frame *product_top(const product_device *d) {
    return d->frames[d->n_frames - 1];
}

/* ---- memory, copies and timers (product_pool.c) ---- */

/* Makes the stream, the timers, the pinned memory, the counters and a first slab of `bytes`.
 * product_pool_close() frees them; call it after an error, too. */
LODE_NODISCARD lode_status product_pool_open(product_device *d, size_t bytes);
void product_pool_close(product_device *d);
static inline size_t product_align(size_t bytes) {
    return (bytes + 127) / 128 * 128;
}
/* The bytes of room that are free. */
static inline size_t product_left(const product_device *d) {
    return d->room.high - d->room.low;
}
/* Continues at the start of a further slab of at least `least` bytes, allocating the slab if
 * necessary. Returns false if the card does not have so much memory. */
bool product_enter_slab(product_device *d, size_t least);
/* Continues in larger slabs until `bytes` fit into half of the room, or the card has no more. */
void product_widen(product_device *d, size_t bytes);
/* Take memory from the bottom or the top of the room. The caller must check beforehand that there
 * is enough (product_make_room()). If there is not, PRODUCT_TRY() fails from then on, so that no
 * kernel overwrites memory in use. */
void *product_take_low(product_device *d, size_t bytes);
void *product_take_high(product_device *d, size_t bytes);

/* Copy device memory to the host (fetch) or host memory to the device (send), after the work queued
 * so far. They return when the copy is complete. */
LODE_NODISCARD lode_status product_fetch(product_device *d, void *host, const void *from,
                                         size_t bytes);
LODE_NODISCARD lode_status product_send(product_device *d, void *to, const void *host,
                                        size_t bytes);
/* Replace the contents of a vector by n entries from device memory. */
LODE_NODISCARD lode_status product_fetch_u32(product_device *d, vec_u32 *v, const uint32_t *from,
                                             size_t n);
LODE_NODISCARD lode_status product_fetch_u64(product_device *d, vec_u64 *v, const uint64_t *from,
                                             size_t n);
/* Waits for everything that was queued, and adds the times of the timers to report.counting. */
LODE_NODISCARD lode_status product_wait(product_device *d);
/* Called before and after queueing kernels whose time is reported as counting. */
LODE_NODISCARD lode_status product_timer_start(product_device *d);
LODE_NODISCARD lode_status product_timer_stop(product_device *d);

/* ---- the stack (product_stack.c) ---- */

/* Add an empty frame to the stack, or drop the top frame, on the host only: neither allocates or
 * frees device memory. */
LODE_NODISCARD lode_status product_frame_add(product_device *d, product_frame **out);
void product_frame_drop(product_device *d);
/* pop(): removes the top frame and copies back the frames that were spilled for it. */
void product_pop(product_device *d);
/* Ensures that there is room for `bytes`, if necessary in another slab or by spilling the lower
 * frames. `what`, for the message of a BUDGET error, is a plural noun that says what needs the
 * room. */
LODE_NODISCARD lode_status product_make_room(product_device *d, size_t bytes, const char *what);
/* push() */
LODE_NODISCARD lode_status product_push(product_device *d, uint32_t first, uint32_t *end,
                                        uint32_t *n_rows);

/* ---- the other operations, and slices ---- */

/* product_count.c: count() */
LODE_NODISCARD lode_status product_count(product_device *d, const product_request *request,
                                         product_counted *out);
/* product_lattices.c: lattices() */
LODE_NODISCARD lode_status product_count_lattices(product_device *d, uint32_t first,
                                                  product_lattices *out);

/* product_stack.c: copies slice s of a sliced root to the device memory of its rows. */
LODE_NODISCARD lode_status product_load_slice(product_device *d, uint32_t s);
/* The number of slices of a frame: 1, unless it is a sliced root. */
static inline uint32_t product_slices(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->n_slices : 1;
}
/* The vectors of the longest row of a frame; of a slice of the row, if the frame is a sliced
 * root. */
static inline uint32_t product_row_vectors(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->slice_vectors : f->max_vectors;
}

/* product_trial.c: sets d->kernel to the kernel that the config asks for, or to the fastest one. */
LODE_NODISCARD lode_status product_choose_kernel(product_device *d);

/* The entry for the depth of the top frame in the report. */
static inline product_depth *product_depth_of(product_device *d) {
    size_t depth = d->n_frames - 1;
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

#endif
