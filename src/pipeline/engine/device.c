/* device.c - where a job runs when nobody says: the CPU, unless it is work for a GPU
 *
 * A GPU costs a third of a second before it counts anything (its context), so small jobs must not
 * even look for one. What a job will take on the CPU is not known before; device_forecast.h has an
 * estimate, and device_tuning.h what that was fitted to. What a GPU takes beyond its start is
 * little compared with that wherever the choice is close. The estimate is too low where items occur
 * together far more often than by chance: a search on the CPU that is not nearly done after a
 * moment begins again on the GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/os.h"
#include "pipeline/engine/device_forecast.h"
#include "pipeline/engine/device_tuning.h"
#include "pipeline/engine/engine.h"

/* A usable backend other than the CPU. Looking costs tens of milliseconds. */
static const lode_backend *find_gpu(void) {
    for (size_t i = 1; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT];
        if (backend_at(i)->probe(detail, sizeof detail)) return backend_at(i);
    }
    return NULL;
}

/* Why only the CPU is to be thought of for such a job; NULL: a GPU may be, too. */
static const char *why_cpu(bool only_cpu) {
    if (only_cpu) return "it runs on the CPU only";
    if (!backend_at(1)) return "the only device of this build"; /* a GPU is nothing to speak of */
    return os_has_gpu_driver() ? NULL : "the only device here";
}

static bool has_gpu(void) {
    return find_gpu() != NULL;
}

/* Whether a search on the CPU may begin again on a GPU. */
static bool may_move(const engine_task *task) {
    lode_target target = task->options->target;
    bool part = task->rules || task->sample || task->branches || task->division || task->batches;
    return task->sink && !part && (target == LODE_TARGET_ALL || target == LODE_TARGET_CLOSED);
}

/* A GPU, if there is one and the CPU is expected to take longer; else the CPU. */
static const lode_backend *take_faster(double cpu_seconds, double gpu_seconds, char *why,
                                       size_t why_bytes) {
    if (cpu_seconds < gpu_seconds) {
        snprintf(why, why_bytes, "too small for a GPU, which takes 0.3 s to start");
        return backend_at(0);
    }
    const lode_backend *gpu = find_gpu();
    snprintf(why, why_bytes, gpu ? "large enough for a GPU" : "the only device here that works");
    return gpu ? gpu : backend_at(0);
}

/* Closed sets are more work for the CPU, and hardly for the GPU. */
static double itemset_seconds(const engine_task *task, const forecast_items *items,
                              const forecast_shape *shape) {
    double seconds = forecast_cpu(items, shape, task->job->threads);
    return task->options->target == LODE_TARGET_CLOSED ? CPU_CLOSED_FACTOR * seconds : seconds;
}

const char *engine_choose_device(const engine_task *task, const lode_engine *engine, char *why,
                                 size_t why_bytes) {
    const char *cpu = backend_at(0)->name;
    lode_target target = task->options->target;
    bool only_cpu = target == LODE_TARGET_GENERATORS || task->data->weights != NULL ||
                    /* Processes must divide alike, with or without a GPU: by one algorithm. */
                    (task->request.divided && !engine) ||
                    (engine && !(engine->uses & ENGINE_DEVICES));
    const char *stays = why_cpu(only_cpu);
    if (!stays && target == LODE_TARGET_MAXIMAL) { /* what it leaves out is not known before */
        stays = "for maximal sets, which the CPU may find with less work";
    }
    if (stays) {
        snprintf(why, why_bytes, "%s", stays);
        return cpu;
    }
    if (task->job->moved) {
        snprintf(why, why_bytes, "the CPU takes longer than expected");
        const lode_backend *gpu = find_gpu();
        return gpu ? gpu->name : cpu;
    }
    forecast_items items = {task->data->item_supports, task->data->item_bound,
                            task->data->profile.n_transactions, task->min_count};
    forecast_shape shape = forecast_shape_of(&items);
    double seconds = itemset_seconds(task, &items, &shape);
    if (seconds >= GPU_START_SECONDS && forecast_lists_stay(&shape, task->job->threads)) {
        snprintf(why, why_bytes, "too sparse for a GPU (density %.2f%%)", 100 * shape.density);
        return cpu;
    }
    if (seconds < GPU_START_SECONDS && may_move(task)) {
        job_move_after(task->job, MOVE_SECONDS, MOVE_LEFT_SECONDS, has_gpu);
    }
    return take_faster(seconds, GPU_START_SECONDS, why, why_bytes)->name;
}

/* What decides for a GPU was measured where patterns are only counted and written. Everything that
 * is worked out from single occurrences is done by the host, which has to fetch them first. */
static const char *why_cpu_graphs(const engine_task *task, const lode_engine *engine) {
    const lode_graph_options *o = task->graph_options;
    if (engine) return "no other was asked for";
    if (task->request.divided) return "which alone divides a search into tasks and shares";
    if (why_cpu(false)) return why_cpu(false);
    bool closure = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL;
    bool fetches = closure || o->induced || o->supporters || o->embeddings;
    return fetches ? "for what needs single occurrences, which the CPU looks at" : NULL;
}

const char *engine_choose_graph_device(const engine_task *task, const lode_engine *engine,
                                       const engine_graph_sizes *sizes, char *why,
                                       size_t why_bytes) {
    const char *stays = why_cpu_graphs(task, engine);
    if (stays) {
        snprintf(why, why_bytes, "%s", stays);
        return backend_at(0)->name;
    }
    double n = sizes->n_graphs > 0 ? (double)sizes->n_graphs : 1;
    double threshold = task->min_count > 0 ? (double)task->min_count / n : 1 / n;
    double seconds = forecast_cpu_graphs(sizes->n_edges, threshold, task->job->threads);
    double gpu_seconds = GPU_START_SECONDS + 1e-6 * GPU_EDGE_US * (double)sizes->n_edges;
    const lode_backend *b = take_faster(seconds, gpu_seconds, why, why_bytes);
    return b->first ? b->first : b->name;
}
