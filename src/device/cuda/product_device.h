/* product_device.h - device/api/products.h on a GPU: memory, stack, and the files
 *
 * Which file calls which (only downwards; kernels are in product_*.cu, see product_kernels.h):
 *
 *     products.c            opens and closes a device, uploads the root, reads tallies
 *      ├ product_trial.c       finds the fastest kernel for products
 *      ├ product_count.c       count(): products, partners, lists
 *      ├ product_lattices.c    lattices(): histograms and their results
 *      └ product_stack.c       push(), pop(), spilling; slices of a root larger than the device
 *         └ product_pool.c        device memory, copies, timers
 *
 * Device memory is allocated from the card in slabs, the first when the device is opened. A slab is
 * used from both ends. The frames grow from the bottom, each followed by the result of its last
 * count(); the buffers of a single call are taken from the top:
 *
 *     │ root │ found │ frame 1: tables, rows │ found │ frame 2 … ─▶    ◀─ counts, plans, tasks │
 *                                                              low    high
 *
 * If the rows of all children, or the counts of all rows, do not fit into half of the room, the
 * search continues in another slab, several times as large, as long as the card has memory. After
 * that it goes depth-first: it takes a few of the children at a time, so that there is room for the
 * frames below them. Only if even a single class does not fit, the frames below the top one are
 * copied to the host (spilled), and their memory is reused. They return when the top one is popped.
 *
 * All work goes through one stream. So memory may be reused while kernels that use it are still
 * queued, because later work runs later. The host waits once for each count().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_DEVICE_H
#define LODE_DEVICE_CUDA_PRODUCT_DEVICE_H

#include "base/vec.h"
#include "device/api/products.h"
#include "device/cuda/call.h"
#include "device/cuda/card.h"
#include "device/cuda/product_kernels.h"

/* The free range of a slab, between low and high, or of a spilled part of it. */
typedef struct product_room {
    uint8_t *base;
    size_t low, high, end; /* bytes from base; between calls, high is at the end */
    unsigned slab;
} product_room;

/* The host's data about a frame. */
typedef struct product_frame {
    cuda_frame view;
    product_room before;   /* the room in which it starts, at the low end */
    product_room after;    /* the room for its results and for further frames */
    uint64_t pairs;        /* sum of rows squared, over its classes */
    uint64_t pair_vectors; /* vectors of two rows to compare */
    uint64_t n_vectors, tiles;
    uint32_t max_vectors; /* of a row */
    /* class_first and class_pairs of `view`; fetched on demand */
    vec_u32 firsts;
    vec_u64 pairs_at;

    /* the result of the last count() */
    cuda_request request;
    cuda_found found;
    cuda_row_plan totals;
    cuda_histograms histograms;
    bool has_histograms;                 /* false = each lattice has its own histogram */
    uint32_t n_histograms[CUDA_N_LISTS]; /* length of the lists, if histograms_known */
    bool histograms_known;               /* n_histograms has been fetched */
    vec_u32 large;                       /* histograms.large, once both are sorted by lattice */
    /* tables of `found`; fetched on demand */
    vec_u32 child_firsts;
    vec_u64 child_ats, child_pairs;
    vec_u64 lattice_sets_at;

    /* the frames below, while they are spilled to make room for this one */
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
    uint64_t tally[CUDA_TALLY_MISFITS + 1];
    uint32_t tasks[CUDA_SMALL_SHAPES + 1];
    uint32_t builds[2];
    uint32_t next_lattice, next_joint;
} product_numbers;

struct product_device {
    lode_job *job;
    cuda_card *card;
    const product_root *root;
    product_config config;
    cuda_product_target target;
    cuda_product_kernel kernel;
    bool shares_rows;                 /* uses the rows of the card */
    bool has_large;                   /* the card supports large lattices */
    unsigned sharers;                 /* consumers that share the memory of the card */
    uint32_t n_slices, slice_vectors; /* of a root that is larger than the device; else 0 */
    cudaStream_t stream;
    product_numbers *numbers;
    product_slab slabs[PRODUCT_SLABS];
    unsigned n_slabs;
    bool card_is_full; /* no more slabs can be allocated */
    product_room room;
    bool overrun;    /* more memory was taken than there was room for */
    uint8_t *pinned; /* two halves: one is filled while the other is in transit */
    cudaEvent_t half_done[2];

    product_frame **frames; /* frames[0] is the root */
    size_t n_frames, frames_cap;

    product_timer timers[PRODUCT_TIMERS];
    unsigned n_timers;
    /* results on the host, until the next call */
    vec_u64 ends;
    vec_u32 partners, supports;
    vec_u32 lattice_rows;
    product_report report;
    double called; /* seconds in calls of the miner */
    double opened; /* seconds of copies while opening */
    bool failed;   /* pop() failed, which returns no status: the next count() reports it */
};

/* As CUDA_TRY, for calls that use memory of the pool. */
#define PRODUCT_TRY(device, name, call)                                                            \
    do {                                                                                           \
        LODE_REQUIRE((device)->job, !(device)->overrun,                                            \
                     "more device memory was taken than there is room for");                       \
        CUDA_TRY(device, name, call);                                                              \
    } while (0)

#define PRODUCT_HALF ((size_t)2 << 20) /* bytes of each half of the pinned memory */

static inline product_frame *product_top(const product_device *d) {
    return d->frames[d->n_frames - 1];
}

/* product_pool.c */
LODE_NODISCARD lode_status product_pool_open(product_device *d, size_t bytes);
void product_pool_close(product_device *d);
static inline size_t product_align(size_t bytes) {
    return (bytes + 127) / 128 * 128;
}
static inline size_t product_left(const product_device *d) {
    return d->room.high - d->room.low;
}
/* Continues in another slab that has at least this much; false if there is none. */
bool product_enter_slab(product_device *d, size_t least);
/* Continues in larger slabs until `bytes` fit into half of the room, or there are none. */
void product_widen(product_device *d, size_t bytes);
/* Take memory from the bottom or from the top. The caller must check for room: otherwise
 * PRODUCT_TRY() fails from then on, so that no kernel overwrites memory in use. */
void *product_take_low(product_device *d, size_t bytes);
void *product_take_high(product_device *d, size_t bytes);

LODE_NODISCARD lode_status product_fetch(product_device *d, void *host, const void *from,
                                         size_t bytes);
LODE_NODISCARD lode_status product_send(product_device *d, void *to, const void *host,
                                        size_t bytes);
LODE_NODISCARD lode_status product_fetch_u32(product_device *d, vec_u32 *v, const uint32_t *from,
                                             size_t n);
LODE_NODISCARD lode_status product_fetch_u64(product_device *d, vec_u64 *v, const uint64_t *from,
                                             size_t n);
/* Waits for everything that was queued, and reads the timers. */
LODE_NODISCARD lode_status product_wait(product_device *d);
/* Call these around kernels whose time is reported as counting. */
LODE_NODISCARD lode_status product_timer_start(product_device *d);
LODE_NODISCARD lode_status product_timer_stop(product_device *d);

/* product_stack.c */
LODE_NODISCARD lode_status product_frame_add(product_device *d, product_frame **out);
void product_frame_drop(product_device *d);
/* Removes the top frame; frames that were spilled for it come back. */
void product_pop(product_device *d);
/* Ensures that there is room for `bytes`, if necessary by spilling the frames below the top one.
 * `what` is for the message of a BUDGET error. */
LODE_NODISCARD lode_status product_make_room(product_device *d, size_t bytes, const char *what);

/* product_stack.c */
LODE_NODISCARD lode_status product_push(product_device *d, uint32_t first, uint32_t *end,
                                        uint32_t *n_rows);

/* product_count.c */
LODE_NODISCARD lode_status product_count(product_device *d, const product_request *request,
                                         product_counted *out);
/* product_lattices.c */
LODE_NODISCARD lode_status product_count_lattices(product_device *d, uint32_t first,
                                                  product_lattices *out);

/* product_stack.c: copies slice s of the root to the memory of its rows. */
LODE_NODISCARD lode_status product_load_slice(product_device *d, uint32_t s);
/* The number of slices of a frame: 1, unless it is a sliced root. */
static inline uint32_t product_slices(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->n_slices : 1;
}
/* The vectors of the longest row, or of a slice of it. */
static inline uint32_t product_row_vectors(const product_device *d, const product_frame *f) {
    return f->view.total_vectors ? d->slice_vectors : f->max_vectors;
}

/* product_trial.c: sets d->kernel to the one requested, or to the fastest. */
LODE_NODISCARD lode_status product_choose_kernel(product_device *d);

static inline product_depth *product_depth_of(product_device *d) {
    size_t depth = d->n_frames - 1;
    return &d->report.depths[depth < PRODUCT_DEPTHS ? depth : PRODUCT_DEPTHS - 1];
}

#endif
