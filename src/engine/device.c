/* device.c - where a job runs when nobody says: the CPU, unless it is work for a GPU
 *
 * A GPU costs a third of a second before it counts anything (its context), so small jobs must not
 * even look for one. What a job will take is not known before. What is known are the pairs of
 * frequent items within transactions: a CPU has to look at them all to know the sets of two. In
 * sparse data hardly anything follows them; else it is some ten times as much. Whole runs, with 16
 * cores (adaptive) and on an H200 (tensor):
 *
 *     data                            pairs per core    density     cores     H200
 *     chess x 407 at 40 %                     3.6e7        75 %    0.27 s   0.41 s
 *     T40I10, 300 items, 1 M, 1 %             5.0e7        14 %    0.35 s   0.43 s
 *     accidents x 227 at 12 %                 8.6e7        43 %    1.67 s   0.53 s
 *     connect x 50 at 60 %                    9.0e7        86 %    0.53 s   0.54 s
 *     connect x 50 at 45 %                    1.1e8        82 %    0.63 s   0.57 s
 *     T40I10, 300 items, 3 M, 1 %             1.5e8        14 %    1.14 s   0.58 s
 *
 * (On one core, accidents take less than half of what they took then.) Closed sets of the same data
 * take the H200 up to 0.1 s longer, and the cores from a little less to several times as long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/os.h"
#include "engine/engine.h"

#define GPU_LEAST_PAIRS   1e8  /* for every core that could work on them instead */
#define GPU_LEAST_DENSITY 0.02 /* of the rows of frequent items */

typedef struct task_shape {
    double pairs, density;
} task_shape;

static task_shape shape_of(const engine_task *task) {
    const lode_dataset *data = task->data;
    double n = (double)data->profile.n_transactions, n_items = 0, occurrences = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] < task->min_count || data->item_supports[i] == 0) continue;
        n_items++;
        occurrences += (double)data->item_supports[i];
    }
    double length = n > 0 ? occurrences / n : 0;
    return (task_shape){.pairs = n * length * length / 2,
                        .density = n_items > 0 ? length / n_items : 0};
}

/* A usable backend other than the CPU. Looking costs tens of milliseconds. */
static const lode_backend *find_gpu(void) {
    for (size_t i = 1; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT];
        if (backend_at(i)->probe(detail, sizeof detail)) return backend_at(i);
    }
    return NULL;
}

const char *engine_choose_device(const engine_task *task, const lode_engine *engine, char *why,
                                 size_t why_bytes) {
    const char *cpu = backend_at(0)->name;
    lode_target target = task->options->target;
    bool only_cpu = target == LODE_TARGET_GENERATORS || task->data->weights != NULL;
    if (only_cpu || (engine && !(engine->uses & ENGINE_DEVICES))) {
        snprintf(why, why_bytes, "it runs on the CPU only");
        return cpu;
    }
    if (!backend_at(1) || !os_has_gpu_driver()) { /* then a GPU is nothing to speak of */
        snprintf(why, why_bytes, "the only device %s", backend_at(1) ? "here" : "of this build");
        return cpu;
    }
    if (target == LODE_TARGET_MAXIMAL) { /* the branches that it leaves out are not known before */
        snprintf(why, why_bytes, "for maximal sets, which the CPU may find with less work");
        return cpu;
    }
    task_shape s = shape_of(task);
    if (s.pairs < GPU_LEAST_PAIRS * task->job->threads) {
        snprintf(why, why_bytes, "too small for a GPU, which takes 0.3 s to start");
        return cpu;
    }
    if (s.density < GPU_LEAST_DENSITY) {
        snprintf(why, why_bytes, "too sparse for a GPU (density %.2f%%)", 100 * s.density);
        return cpu;
    }
    const lode_backend *gpu = find_gpu();
    snprintf(why, why_bytes, gpu ? "large enough for a GPU" : "the only device here that works");
    return gpu ? gpu->name : cpu;
}
