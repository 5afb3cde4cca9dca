/* product_joint.cu - joint lattices: one histogram for all lattices of the last rows of a class
 *
 * The last rows of a class are usually its most frequent items. Their lattices overlap: each has
 * the rows of the one before except the first, and reads much the same columns. So if at least
 * LEAST_LATTICES of these rows have a lattice, one joint lattice over all the rows replaces them:
 * it has the supports of all. A set of it belongs to the lattice of its first row:
 *
 *     rows    … │ 20  21  22  23 … 32     a joint lattice of 13 rows
 *     set         0   1   0   1  …        belongs to the lattice of row 21: partners 23, …
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/product_closure.cuh"

#define BLOCK          CLOSURE_BLOCK
#define WARPS          (BLOCK / WARP_THREADS)
#define DIMS           CUDA_JOINT_ROWS
#define SETS           (1 << DIMS)
#define LEAST_LATTICES 3 /* from this many on, a joint lattice pays */

/* ---- which lattices are joint --------------------------------------------------------------- */

/* Lists the classes whose last rows have several lattices, and marks these. A warp per class. */
__global__ void __launch_bounds__(BLOCK)
    find_kernel(const cuda_frame f, const cuda_request request, const cuda_row_plan *plans,
                const cuda_histograms histograms) {
    uint32_t number = request.first_class + blockIdx.x * WARPS + threadIdx.x / WARP_THREADS;
    if (number >= request.end_class) return;
    class_view c(f, number);
    uint32_t n = c.n < histograms.rows ? c.n : histograms.rows, first = c.first + c.n - n;
    if (first < request.first || c.first + c.n > request.end) return; /* some are not counted */
    const cuda_row_plan *plan = plans + (first - request.first);
    uint32_t n_lattices = plan[n].lattices - plan[0].lattices;
    if (n_lattices < LEAST_LATTICES) return;
    if (lane_id() == 0) {
        bool large = n > CUDA_JOINT_ROWS;
        uint32_t at = atomicAdd(&histograms.n[large ? CUDA_N_LARGE : CUDA_N_JOINT], 1u);
        (large ? histograms.large : histograms.joint)[at] = {number, CUDA_NO_KEY, plan[0].lattices,
                                                             n_lattices};
    }
    for (uint32_t i = lane_id(); i < n_lattices; i += WARP_THREADS)
        histograms.taken[plan[0].lattices + i] = 1;
}

/* Lists the lattices that are left. */
__global__ void __launch_bounds__(BLOCK)
    rest_kernel(const cuda_frame f, const cuda_found found, const cuda_histograms histograms) {
    uint32_t lattice = blockIdx.x * BLOCK + threadIdx.x;
    if (lattice >= histograms.n_lattices || histograms.taken[lattice]) return;
    if (found.lattice_sets_at[lattice + 1] - found.lattice_sets_at[lattice] <
        1u << CUDA_LATTICE_DIMS) {
        histograms.single[atomicAdd(&histograms.n[CUDA_N_SINGLE], 1u)] = lattice;
    } else {
        uint32_t c = f.row_class[found.lattice_row[lattice]];
        uint32_t key = found.lattice_row[lattice] - f.class_first[c];
        histograms.large[atomicAdd(&histograms.n[CUDA_N_LARGE], 1u)] = {c, key, lattice, 1};
    }
}

cudaError_t cuda_launch_find_joint(const cuda_frame *frame, const cuda_request *request,
                                   const cuda_row_plan *plans, const cuda_found *found,
                                   const cuda_histograms *histograms, cudaStream_t stream) {
    unsigned blocks = blocks_for(request->end_class - request->first_class, WARPS);
    find_kernel<<<blocks, BLOCK, 0, stream>>>(*frame, *request, plans, *histograms);
    rest_kernel<<<blocks_for(histograms->n_lattices, BLOCK), BLOCK, 0, stream>>>(*frame, *found,
                                                                                 *histograms);
    return cudaGetLastError();
}

/* ---- joint lattices ------------------------------------------------------------------------ */

__device__ void count_joint(const class_view &c, const histogram_memory<DIMS> &m,
                            uint32_t *histogram, uint32_t part, uint32_t n_parts) {
    uint32_t n_words = c.vectors * 4, each = (n_words + n_parts - 1) / n_parts;
    uint32_t from = part * each, to = from + each < n_words ? from + each : n_words;
    for (uint32_t s = threadIdx.x; s < 1u << m.n; s += BLOCK) histogram[s] = 0;
    __syncthreads();
    if (from < to) {
        column_rows<DIMS> rows(c, nullptr, m.locals, m.n);
        count_columns<DIMS, BLOCK>(rows, histogram_words{histogram}, (1u << m.n) - 1, from, to);
    }
    __syncthreads();
}

/* With CLOSED, only closed sets are results; a closure_memory then follows the rest of the shared
 * memory. */
template <bool CLOSED>
__global__ void __launch_bounds__(BLOCK)
    joint_kernel(const cuda_frame f, const cuda_request request, const cuda_found found,
                 const cuda_histogram *joint, uint32_t first, uint32_t end,
                 const cuda_lattice_results results, const cuda_lattice_work work) {
    extern __shared__ __align__(16) uint32_t more[];
    __shared__ uint32_t histogram[SETS], taken;
    __shared__ histogram_memory<DIMS> m;
    for (;;) {
        if (threadIdx.x == 0) taken = atomicAdd(work.next, 1u);
        __syncthreads();
        uint32_t number = taken / work.n_parts, part = taken % work.n_parts;
        __syncthreads();
        if (number >= work.n) return;
        cuda_histogram h = joint[number];
        if (h.first_lattice >= end || h.first_lattice + h.n_lattices <= first) continue;
        class_view c(f, h.class_index);
        read_histogram_rows(f, c, found, h, m);
        count_joint(c, m, histogram, part, work.n_parts);
        bool whole =
            work.n_parts == 1 ||
            join_parts<BLOCK>(histogram, 1u << m.n, work.histograms + (size_t)number * SETS,
                              &work.arrived[number], work.n_parts, &taken);
        if (!whole) continue;
        read_histogram_lattices(f, found, h, m);
        sum_supersets<BLOCK>(histogram, m.n);
        some_sets sets = {histogram, 0, 1u << m.n};
        lattice_places to = {found, results, first, end};
        if (CLOSED) {
            closure_memory &memory = *(closure_memory *)more;
            mark_closed(request, m, closure_rows(c, found, h, m), histogram, sets, memory);
            deliver_histogram(f, h.class_index, wants_marked{memory.closed, 0}, sets, m, to);
        } else {
            deliver_histogram(f, h.class_index, wants_frequent<DIMS>{request, m}, sets, m, to);
        }
        __syncthreads();
    }
}

cudaError_t cuda_launch_joint(const cuda_lattice_call *call, const cuda_histogram *joint,
                              const cuda_lattice_work *work) {
    bool closed = call->request->target == CUDA_CLOSED;
    auto kernel = closed ? joint_kernel<true> : joint_kernel<false>;
    size_t more = closed ? sizeof(closure_memory) : 0;
    cudaError_t error = cudaFuncSetAttribute(
        joint_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(closure_memory));
    if (error != cudaSuccess) return error;
    kernel<<<call->n_sm * CUDA_JOINT_SM, BLOCK, more, call->stream>>>(
        *call->frame, *call->request, *call->found, joint, call->first, call->end, *call->results,
        *work);
    return cudaGetLastError();
}

cudaError_t cuda_load_joint(void) {
    return load_kernels(find_kernel, rest_kernel, joint_kernel<false>, joint_kernel<true>);
}
