/* device.c - where a job runs when nobody says: the CPU, unless it is work for a GPU
 *
 * A GPU costs a third of a second before it counts anything (its context), so small jobs must not
 * even look for one. What a job will take is not known before. What is known are the pairs of
 * frequent items within transactions: a CPU has to look at them all to know the sets of two. What
 * follows them is, in data of middling density, some ten times as much. In sparse data it is hardly
 * anything, and in dense data equal transactions and perfect extensions save the CPU most of it.
 *
 *     data                            pairs   density   adaptive, one core   frontier on an H200
 *     T40I10D100K-regen at 0.5 %      8.0e7     4.7 %                0.5 s                 0.5 s
 *     T40I10, 300 items, 1 M, 1 %     8.0e8      15 %                4.4 s                 0.9 s
 *
 * These two set the constant; many cores beside a GPU were not measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "engine/engine.h"

#define GPU_LEAST_PAIRS   1.3e8 /* for every core that could work on them instead */
#define GPU_LEAST_DENSITY 0.02  /* of the rows of frequent items */
#define GPU_MOST_DENSITY  0.25

typedef struct job_shape {
    double pairs, density;
} job_shape;

static job_shape shape_of(const engine_job *job) {
    const lode_dataset *data = job->data;
    double n = (double)data->profile.n_transactions, n_items = 0, occurrences = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] < job->min_count || data->item_supports[i] == 0) continue;
        n_items++;
        occurrences += (double)data->item_supports[i];
    }
    double length = n > 0 ? occurrences / n : 0;
    return (job_shape){.pairs = n * length * length / 2,
                       .density = n_items > 0 ? length / n_items : 0};
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
    bool special =
        job->options->target != LODE_TARGET_ALL && job->options->target != LODE_TARGET_TOP;
    if ((engine && !(engine->uses & ENGINE_DEVICES)) || job->data->weights || special) {
        snprintf(why, why_bytes, "it runs on the CPU only");
        return cpu;
    }
    if (!backend_at(1)) {
        snprintf(why, why_bytes, "the only device of this build");
        return cpu;
    }
    job_shape s = shape_of(job);
    if (s.pairs < GPU_LEAST_PAIRS * job->ctx->threads) {
        snprintf(why, why_bytes, "too small for a GPU, which takes 0.3 s to start");
        return cpu;
    }
    if (s.density < GPU_LEAST_DENSITY || s.density > GPU_MOST_DENSITY) {
        snprintf(why, why_bytes, "too %s for a GPU (density %.2f%%)",
                 s.density < GPU_LEAST_DENSITY ? "sparse" : "dense", 100 * s.density);
        return cpu;
    }
    const lode_backend *gpu = find_gpu();
    snprintf(why, why_bytes, gpu ? "large enough for a GPU" : "there is no GPU");
    return gpu ? gpu->name : cpu;
}
