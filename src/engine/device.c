/* device.c - where a job runs when nobody says: the CPU, unless it is work for a GPU
 *
 * A GPU costs a third of a second before it counts anything (its context), so small jobs must not
 * even look for one. What a job will take is not known before; what is known is the work of level
 * 2, the pairs of frequent items times the words of a row, and how full the rows are. On a core the
 * first runs at about 5e9 words a second, and what follows is some 10 to 100 times as much in data
 * that is worth mining. Rows that are nearly empty are better searched by transactions, on the CPU.
 *
 *     data                           pairs * words   density   runs on
 *     chess, 75 items                       1.4e5       49 %   cpu   (0.1 s)
 *     T40I10D100K at 1 %, 660 items         3.4e8        6 %   cpu   (0.4 s)
 *     T40I10, 300 items, 1 M                7.0e8       13 %   cuda
 *     retail at 0.01 %, 16,470 items        1.9e11    0.06 %   cpu
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "engine/engine.h"

#define GPU_LEAST_WORK    5e8  /* words of level 2 */
#define GPU_LEAST_DENSITY 0.02 /* of the rows of frequent items */

typedef struct job_shape {
    double n_items, n_occurrences; /* of frequent items */
    double work, density;
} job_shape;

static job_shape shape_of(const engine_job *job) {
    const lode_dataset *data = job->data;
    double n = (double)data->profile.n_transactions;
    job_shape s = {0};
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] < job->min_count || data->item_supports[i] == 0) continue;
        s.n_items++;
        s.n_occurrences += (double)data->item_supports[i];
    }
    s.work = s.n_items * s.n_items / 2 * (n / 64);
    s.density = s.n_items > 0 && n > 0 ? s.n_occurrences / s.n_items / n : 0;
    return s;
}

/* A usable backend other than the CPU. Looking costs tens of milliseconds. */
static const lode_backend *find_gpu(void) {
    for (size_t i = 1; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT];
        if (backend_at(i)->probe(detail, sizeof detail) > 0) return backend_at(i);
    }
    return NULL;
}

const char *engine_choose_device(const engine_job *job, const lode_engine *engine, char *why,
                                 size_t why_bytes) {
    const char *cpu = backend_at(0)->name;
    if ((engine && !(engine->uses & ENGINE_DEVICES)) || job->data->weights) {
        snprintf(why, why_bytes, "it runs on the CPU only");
        return cpu;
    }
    if (!backend_at(1)) {
        snprintf(why, why_bytes, "the only device of this build");
        return cpu;
    }
    job_shape s = shape_of(job);
    if (s.work < GPU_LEAST_WORK) {
        snprintf(why, why_bytes, "too small for a GPU, which takes 0.3 s to start");
        return cpu;
    }
    if (s.density < GPU_LEAST_DENSITY) {
        snprintf(why, why_bytes, "too sparse for a GPU (density %.2f%%)", 100 * s.density);
        return cpu;
    }
    const lode_backend *gpu = find_gpu();
    snprintf(why, why_bytes, gpu ? "large and dense enough for a GPU" : "there is no GPU");
    return gpu ? gpu->name : cpu;
}
