/* product_trial.c - finds the kernel that multiplies fastest on this device, by trying all of them
 *
 * If a device supports binary products on tensor cores, they need not be fast: newer devices may
 * emulate them. A trial takes a millisecond and is made once per process for each device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "device/cuda/product_device.h"

#define TRIAL_ROWS    512
#define TRIAL_VECTORS 256
#define TRIAL_DEVICES 64
#define TRIAL_RUNS    3

static const char *const kernel_names[] = {"popc", "mma", "wgmma"};

/* Results of earlier trials, by device; 0: none. */
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static int known[TRIAL_DEVICES]; /* kernel + 1 */

static int trial_known(unsigned index) {
    pthread_mutex_lock(&known_lock);
    int kernel = index < TRIAL_DEVICES ? known[index] : 0;
    pthread_mutex_unlock(&known_lock);
    return kernel;
}

static void trial_remember(unsigned index, cuda_product_kernel kernel) {
    pthread_mutex_lock(&known_lock);
    if (index < TRIAL_DEVICES) known[index] = (int)kernel + 1;
    pthread_mutex_unlock(&known_lock);
}

/* ---- a class to try on ----------------------------------------------------------------------- */

/* Makes a class with some bits set, in the pool, which is not in use yet. */
static lode_status trial_class(product_device *d, cuda_frame *v, cuda_request *request) {
    lode_status status = LODE_OK;
    uint32_t zero = 0, vectors = TRIAL_VECTORS, firsts[2] = {0, TRIAL_ROWS};
    uint64_t zeros[2] = {0, 0};
    void *rows = product_take_low(d, (size_t)TRIAL_ROWS * TRIAL_VECTORS * 16);
    void *counts = product_take_low(d, (size_t)TRIAL_ROWS * TRIAL_ROWS * 4);
    uint32_t *first = product_take_low(d, sizeof firsts), *width = product_take_low(d, 4);
    uint32_t *none = product_take_low(d, 4);
    uint64_t *at = product_take_low(d, sizeof zeros);
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(rows, 0x5a, (size_t)TRIAL_ROWS * TRIAL_VECTORS * 16, d->stream));
    LODE_TRY(product_send(d, first, firsts, sizeof firsts));
    LODE_TRY(product_send(d, width, &vectors, sizeof vectors));
    LODE_TRY(product_send(d, none, &zero, sizeof zero));
    LODE_TRY(product_send(d, at, zeros, sizeof zeros));
    *v = (cuda_frame){.base = rows,
                      .n_rows = TRIAL_ROWS,
                      .n_classes = 1,
                      .class_first = first,
                      .class_at = at,
                      .class_pairs = at,
                      .class_vectors = width,
                      .class_earlier = none,
                      .class_free = none};
    *request = (cuda_request){.end = TRIAL_ROWS, .end_class = 1, .min_count = 1, .counts = counts};
done:
    return status;
}

static lode_status try_kernel(product_device *d, const cuda_frame *v, const cuda_request *request,
                              cuda_product_tasks *tasks, cuda_product_kernel kernel,
                              float *milliseconds) {
    lode_status status = LODE_OK;
    product_timer *timer = &d->timers[0];
    tasks->tile_columns = 128;
    PRODUCT_TRY(d, "cudaMemsetAsync",
                cudaMemsetAsync(tasks->n, 0, sizeof d->numbers->tasks, d->stream));
    PRODUCT_TRY(d, "kernel launch", cuda_launch_product_tasks(v, request, tasks, d->stream));
    *milliseconds = INFINITY;
    for (int turn = 0; turn < TRIAL_RUNS; turn++) { /* the first one loads the code */
        float once = 0;
        PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(timer->start, d->stream));
        PRODUCT_TRY(d, "kernel launch",
                    cuda_launch_product_tiles(v, request, tasks, kernel, d->card->n_sm, d->stream));
        PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(timer->end, d->stream));
        PRODUCT_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
        PRODUCT_TRY(d, "cudaEventElapsedTime",
                    cudaEventElapsedTime(&once, timer->start, timer->end));
        if (once < *milliseconds) *milliseconds = once;
    }
done:
    return status;
}

static lode_status try_all(product_device *d, cuda_product_kernel *best) {
    lode_status status = LODE_OK;
    cuda_frame v;
    cuda_request request;
    float least = 0;
    product_room room = d->room;
    cuda_product_tasks tasks = {.n = d->numbers->tasks, .tile_chunk = TRIAL_VECTORS};
    LODE_TRY(trial_class(d, &v, &request));
    tasks.tiles = product_take_low(d, sizeof *tasks.tiles * TRIAL_ROWS * TRIAL_ROWS / 4096);
    for (int kernel = CUDA_POPC; kernel <= CUDA_WGMMA; kernel++) {
        float milliseconds = 0;
        if (kernel == CUDA_WGMMA && !cuda_product_has_wgmma()) continue;
        LODE_TRY(try_kernel(d, &v, &request, &tasks, (cuda_product_kernel)kernel, &milliseconds));
        if (kernel == CUDA_POPC || milliseconds < least) {
            least = milliseconds;
            *best = (cuda_product_kernel)kernel;
        }
    }
    trial_remember(d->card->index, *best);
done:
    d->room = room;
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static lode_status forced_kernel(product_device *d) {
    static const cuda_product_kernel kernels[] = {
        [PRODUCT_POPC] = CUDA_POPC, [PRODUCT_MMA] = CUDA_MMA, [PRODUCT_WGMMA] = CUDA_WGMMA};
    d->kernel = kernels[d->config.kernel];
    if (d->kernel == CUDA_WGMMA && !cuda_product_has_wgmma()) {
        return job_fail(d->job, LODE_UNSUPPORTED,
                        "cuda:%u does not support wgmma, which requires compute capability 9.0 and "
                        "a build of lode for it",
                        d->card->index);
    }
    return LODE_OK;
}

lode_status product_choose_kernel(product_device *d) {
    lode_status status = LODE_OK;
    const char *why = "as requested";
    int before = trial_known(d->card->index);
    if (d->config.kernel != PRODUCT_AUTO) {
        LODE_TRY(forced_kernel(d));
    } else if (before > 0) {
        d->kernel = (cuda_product_kernel)(before - 1);
        why = "the fastest in an earlier trial";
    } else if (product_left(d) < (size_t)16 << 20) {
        d->kernel = CUDA_MMA;
        why = "chosen without a trial, for lack of memory";
    } else {
        LODE_TRY(try_all(d, &d->kernel));
        why = "the fastest in a trial";
    }
    snprintf(d->report.kernel, sizeof d->report.kernel, "%s: %s", kernel_names[d->kernel], why);
done:
    return status;
}
