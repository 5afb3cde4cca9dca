/* product_kernels.h - C interface of the kernels of the tensor miner
 *
 * Terms as in device/api/products.h. In addition:
 *     vector      16 bytes of a row; rows are whole vectors
 *     local row   the number of a row within its class
 *     key         the local row to whose columns a histogram is restricted
 *     origin      the value of a running sum at the first entry, subtracted so that it begins at 0
 *
 * A launch function queues work on a stream and returns the result of cudaGetLastError(). Pointers
 * are to device memory. Included by C and by CUDA C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_PRODUCT_KERNELS_H
#define LODE_DEVICE_CUDA_PRODUCT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_LATTICE_DIMS 12 /* maximum partners of a lattice … */
#define CUDA_LARGE_DIMS   16 /* … and of a large one: PRODUCT_LATTICE_ITEMS */
#define CUDA_TALLY_SIZES  64 /* PRODUCT_SIZES */
/* A tally is indexed by chosen items, then by free items. The last entry counts the results with
 * too many of either. */
#define CUDA_TALLY_MISFITS (CUDA_TALLY_SIZES * CUDA_TALLY_SIZES)

typedef enum cuda_product_target { CUDA_ALL, CUDA_CLOSED, CUDA_MAXIMAL } cuda_product_target;
typedef enum cuda_product_kernel { CUDA_POPC, CUDA_MMA, CUDA_WGMMA } cuda_product_kernel;

/* A sparse root, by column and by row. items == NULL: the root has bit rows instead. */
typedef struct cuda_lists {
    const uint32_t *items; /* column c holds rows items[starts[c]] …, ascending */
    const uint64_t *starts;
    const uint32_t *columns; /* row r has columns columns[row_at[r]] … */
    const uint64_t *row_at;
} cuda_lists;

/* Classes of one depth. */
typedef struct cuda_frame {
    const uint4 *base; /* the rows */
    uint32_t n_rows, n_classes;
    uint32_t items;              /* chosen items of a row's set: depth + 1 */
    const uint32_t *row_class;   /* by row */
    const uint32_t *row_support; /* by row */
    /* by class; the first three have one more entry, which ends the last class */
    const uint32_t *class_first;   /* row */
    const uint64_t *class_at;      /* vector, relative to `base` */
    const uint64_t *class_pairs;   /* pairs of the previous classes: sums of rows squared */
    const uint32_t *class_vectors; /* of each of its rows */
    const uint32_t *class_earlier; /* number of first rows that belong to earlier items */
    const uint32_t *class_free;    /* free items */
    cuda_lists lists;              /* of the root only */
    /* A root larger than the device is processed one slice of columns at a time. class_vectors is
     * then the length of a slice, and total_vectors that of a whole row. 0 = no slices. */
    uint32_t total_vectors;
} cuda_frame;

/* Rows [first, end) are to be counted. The count of local rows i and j of class c goes to
 * counts[class_pairs[c] + i * (rows of c) + j - origin]. */
typedef struct cuda_request {
    uint32_t first, end;
    uint32_t first_class, end_class; /* the classes that contain them */
    uint32_t min_count, max_added;
    uint32_t lattice_items;    /* maximum partners of a lattice … */
    uint32_t excludes_earlier; /* … without earlier ones, which are checked separately */
    cuda_product_target target;
    uint64_t origin;
    uint32_t *counts;
    uint32_t adds; /* counts already hold the sums of other slices: add to them */
} cuda_request;

/* ---- products (product_plan.cu, product_small.cu, product_tiles.cu) ---- */

#define CUDA_SMALL_SHAPES                                                                          \
    4 /* of classes: up to 8, 16, 32, 64 rows; larger ones are cut into tiles */
#define CUDA_SMALL_ROWS 64

/* A chunk of the columns of a small class. */
typedef struct cuda_small_task {
    uint32_t class_index, chunk;
} cuda_small_task;

/* A chunk of the columns of a tile. */
typedef struct cuda_tile_task {
    uint32_t class_index;
    uint32_t row, column; /* the first local rows of the tile, on both sides */
    uint32_t chunk;
} cuda_tile_task;

typedef struct cuda_product_tasks {
    uint32_t *n; /* number of tasks by shape; the last: of tiles */
    cuda_small_task *small[CUDA_SMALL_SHAPES];
    cuda_tile_task *tiles;
    uint32_t tile_columns; /* of a tile; it has CUDA_TILE_ROWS rows */
    uint32_t tile_chunk;   /* vectors in a chunk of a tile … */
    uint32_t small_chunk;  /* … and of a small class, a multiple of 4 */
    uint32_t all_in_tiles; /* small classes are cut into tiles, too */
    /* If there is only one class: the number of tiles. They follow from their numbers and are not
     * listed. 0 = they are listed. */
    uint32_t n_direct;
} cuda_product_tasks;

#define CUDA_TILE_ROWS 128

/* Lists the tasks; n must be zero. Not used if there is one class only. */
cudaError_t cuda_launch_product_tasks(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cudaStream_t stream);
/* n_direct of a class of n_rows rows. */
uint32_t cuda_direct_tile_tasks(const cuda_product_tasks *tasks, const cuda_request *request,
                                uint32_t n_rows, uint32_t vectors);
/* Both add to counts, which must be zero; a task that sees whole rows sets its counts instead. */
cudaError_t cuda_launch_product_small(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, unsigned shape,
                                      unsigned n_sm, cudaStream_t stream);
cudaError_t cuda_launch_product_tiles(const cuda_frame *frame, const cuda_request *request,
                                      const cuda_product_tasks *tasks, cuda_product_kernel kernel,
                                      unsigned n_sm, cudaStream_t stream);

/* For the only class of a frame, with up to CUDA_SMALL_ROWS rows. One block sets counts, several
 * `blocks` add to them. `vectors`: of a row of the root; 0 for other frames. */
cudaError_t cuda_launch_product_one(const cuda_frame *frame, const cuda_request *request,
                                    uint32_t vectors, unsigned blocks, cudaStream_t stream);
/* The same class pair by pair; sets counts. A few pairs are counted by a block (wide) or a warp. */
cudaError_t cuda_launch_product_pairs(const cuda_frame *frame, const cuda_request *request,
                                      uint32_t vectors, int wide, cudaStream_t stream);

/* ---- evaluating counts (product_plan.cu) ----------------------------------------------------- */

/* Figures of a row or, after the scan, their sums over all rows before it. */
typedef struct cuda_row_plan {
    uint64_t partners;
    uint64_t vectors, pairs; /* of its child */
    uint32_t lattices, children, rows, groups, tiles, subsumed;
    uint64_t lattice_sets, lattice_vectors, pair_vectors;
} cuda_row_plan;

#define CUDA_GROUP_ROWS 16 /* rows of a class that are built together */

/* Lists that count() makes for lattices() and push(). */
typedef struct cuda_found {
    uint32_t *partners, *supports;
    /* by lattice */
    uint32_t *lattice_row, *lattice_partners; /* its row, and the number of that row's partners */
    uint64_t *lattice_at;                     /* start of that row's partners */
    uint64_t *lattice_sets_at;                /* sum of the sets of earlier lattices */
    /* by child; these become the classes of the next frame */
    uint32_t *child_row, *child_partners;
    uint64_t *child_partners_at;
    uint32_t *child_first, *child_vectors, *child_earlier, *child_free;
    uint64_t *child_at, *child_pairs;
} cuda_found;

/* plans[i]: of row request->first + i. tally may be NULL. */
cudaError_t cuda_launch_plan_rows(const cuda_frame *frame, const cuda_request *request,
                                  cuda_row_plan *plans, uint64_t *tally, cudaStream_t stream);
/* Turns plans into sums over the rows before; plans[n] has the totals. With scratch NULL, it only
 * sets *scratch_bytes. */
cudaError_t cuda_launch_plan_scan(cuda_row_plan *plans, size_t n, void *scratch,
                                  size_t *scratch_bytes, cudaStream_t stream);
/* Writes the lists. ends[i] (may be NULL): the end of the partners of row request->first + i. */
cudaError_t cuda_launch_plan_place(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   uint64_t *ends, cudaStream_t stream);

/* ---- children (product_build.cu) ---- */

typedef struct cuda_build_task {
    uint32_t child; /* class of the new frame */
    uint32_t first; /* local row */
    uint32_t part;  /* of the columns, if there are many */
} cuda_build_task;

#define CUDA_PART_WORDS 8192 /* words of a row per task */

typedef struct cuda_build {
    uint32_t *row_from;             /* by row of the new frame: the row of the old one */
    cuda_build_task *copy, *gather; /* tasks: copy rows, or compact their columns */
    uint32_t *n;                    /* number of either; zero before */
    uint32_t first_child;           /* of `found`: class 0 of the new frame */
    uint32_t row_origin;
    uint64_t vector_origin, pair_origin;
    /* For a slice: its start in the rows of the old frame, and whether it is the last. */
    uint32_t slice_at, last;
    uint32_t *fill; /* by child: words filled by earlier slices; NULL = there is one slice */
} cuda_build;

/* Fills in the tables of the new frame, `to`, and lists the tasks. */
cudaError_t cuda_launch_build_tables(const cuda_frame *from, const cuda_frame *to,
                                     const cuda_found *found, const cuda_build *build,
                                     cudaStream_t stream);
/* Adds the words filled by this slice to `fill`. */
cudaError_t cuda_launch_build_fill(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build,
                                   cudaStream_t stream);
cudaError_t cuda_launch_build_rows(const cuda_frame *from, const cuda_frame *to,
                                   const cuda_found *found, const cuda_build *build, unsigned n_sm,
                                   cudaStream_t stream);

/* ---- sparse roots (product_lists.cu) ---- */

/* Makes columns from items and starts. cursors is a copy of row_at, and is overwritten. */
cudaError_t cuda_launch_list_columns(const cuda_lists *lists, uint32_t n_columns, uint64_t *cursors,
                                     uint32_t *columns, unsigned n_sm, cudaStream_t stream);
/* Adds to counts, which must be zero. */
cudaError_t cuda_launch_list_pairs(const cuda_frame *frame, const cuda_request *request,
                                   uint32_t n_columns, unsigned n_sm, cudaStream_t stream);
/* Replaces cuda_launch_build_rows() for lists; the rows must be zero. */
cudaError_t cuda_launch_list_children(const cuda_frame *from, const cuda_frame *to,
                                      const cuda_found *found, const cuda_build *build,
                                      unsigned n_sm, cudaStream_t stream);

/* ---- lattices (product_lattices.cu) ---- */

typedef struct cuda_lattice_results {
    /* without `fetch` */
    uint64_t *tally;
    /* with `fetch`: lattice c has room for all of its sets from lattice_sets_at[c] - set_origin */
    uint32_t *sets, *supports;
    uint64_t set_origin;
    uint64_t *n; /* by lattice: results */
} cuda_lattice_results;

#define CUDA_LATTICES_SM 8 /* blocks per multiprocessor */

/* How blocks divide the histograms among them. */
typedef struct cuda_lattice_work {
    uint32_t *next;       /* the next histogram or part to take; zero before */
    uint32_t n;           /* histograms */
    const uint32_t *list; /* their lattices; NULL = all, in turn */
    uint32_t n_parts;     /* parts of the columns; 1 = the fields below are not used */
    uint32_t *histograms; /* sums of the parts; zero before */
    uint32_t *arrived;    /* by histogram: number of finished parts; zero before */
    uint32_t sliced;      /* this launch counts one part of each: the slice on the device */
    uint32_t *supports;   /* of large histograms, for closed sets: as long as `histograms` */
} cuda_lattice_work;

/* The common input of all three ways to compute lattices [first, end) of `found`. */
typedef struct cuda_lattice_call {
    const cuda_frame *frame;
    const cuda_request *request;
    const cuda_found *found;
    uint32_t first, end;
    const cuda_lattice_results *results;
    unsigned n_sm;
    cudaStream_t stream;
} cuda_lattice_call;

/* With a histogram for each lattice. */
cudaError_t cuda_launch_lattices(const cuda_lattice_call *call, const cuda_lattice_work *work);

/* ---- joint lattices (product_joint.cu) and large ones (product_large.cu), not for maximal ---- */

#define CUDA_JOINT_ROWS 13         /* the last rows of a class: none has more than 12 partners */
#define CUDA_JOINT_SM   6          /* blocks per multiprocessor */
#define CUDA_NO_KEY     UINT32_MAX /* instead of a key: all columns count */

/* A histogram, and the lattices whose supports it contains: either all lattices of the last rows of
 * a class (a joint lattice), or a single large one. */
typedef struct cuda_histogram {
    uint32_t class_index;
    uint32_t key; /* the row of a single lattice; CUDA_NO_KEY = a joint one */
    uint32_t first_lattice, n_lattices;
} cuda_histogram;

/* Every lattice is in exactly one of these lists. */
enum { CUDA_N_JOINT, CUDA_N_LARGE, CUDA_N_SINGLE, CUDA_N_LISTS };
typedef struct cuda_histograms {
    uint32_t *n;           /* length of each list; zero before */
    uint32_t rows;         /* maximum rows of a joint lattice: CUDA_JOINT_ROWS or CUDA_LARGE_DIMS */
    cuda_histogram *joint; /* joint lattices of up to CUDA_JOINT_ROWS rows */
    cuda_histogram *large; /* larger ones, and lattices of more than CUDA_LATTICE_DIMS partners */
    uint32_t *single;      /* all other lattices */
    uint32_t n_lattices;
    uint8_t *taken; /* by lattice: whether it is part of a joint one; zero before */
} cuda_histograms;

/* Makes the lists. */
cudaError_t cuda_launch_find_joint(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_histograms *histograms, cudaStream_t stream);
/* Histograms of 2^CUDA_JOINT_ROWS. */
cudaError_t cuda_launch_joint(const cuda_lattice_call *call, const cuda_histogram *joint,
                              const cuda_lattice_work *work);

#define CUDA_LARGE_WORDS 2016 /* words of a row counted by a block at a time: counts fit 16 bits */

/* Histograms of 2^CUDA_LARGE_DIMS. work->n of them, each with lattices among [first, end);
 * work->n_parts: pieces of CUDA_LARGE_WORDS in the longest row. */
cudaError_t cuda_launch_large(const cuda_lattice_call *call, const cuda_histogram *large,
                              const cuda_lattice_work *work);
/* Whether the current device has enough shared memory for large lattices. */
cudaError_t cuda_large_fits(int device, int *fits);

/* The buffers in which the results of lattices are compacted. */
typedef struct cuda_lattice_pack {
    uint64_t *ends; /* ends[c]: of the results of lattice first + c */
    uint32_t *sets, *supports;
    void *scratch; /* NULL = only set scratch_bytes */
    size_t scratch_bytes;
} cuda_lattice_pack;

cudaError_t cuda_launch_lattice_pack(const cuda_lattice_call *call, cuda_lattice_pack *to);

/* Load the kernels of a file that most runs need. */
cudaError_t cuda_load_plan(void);
cudaError_t cuda_load_small(void);
cudaError_t cuda_load_build(void);
cudaError_t cuda_load_lattices(void);
cudaError_t cuda_load_joint(void);
cudaError_t cuda_load_large(void);

/* Whether the current device runs the wgmma kernels, and this program has code for them. */
int cuda_product_has_wgmma(void);

#ifdef __cplusplus
}
#endif

#endif
