/* device.c - the default device of a job: the CPU, unless a GPU is expected to be faster
 *
 * A GPU takes a third of a second to create its context before it counts anything, so small jobs
 * must not even look for one. The time on the CPU is not known in advance: it is estimated as
 * device.h describes, and device_tuning.h has the measurements behind the estimate. Where the
 * choice is close, nearly all of the GPU's time is its start, so that time need not be estimated.
 * The estimate for the CPU is too low if items occur together far more often than by chance.
 * Therefore a search on the CPU that is not nearly done after a moment starts again on the GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/device.h"

#include <math.h>
#include <stdio.h>

#include "base/os.h"
#include "pipeline/engine/device_tuning.h"
#include "pipeline/engine/item_task.h"

/* ---- expected sets by a knapsack over logarithms of frequencies ------------------------------ */

/* All items of a bucket are added at once, by binomials, so the time does not depend on how many
 * items there are: n buckets take n (1 + 1/2 + 1/3 + …) steps each, 20,000 in all. */

#define BUCKETS 64 /* from a frequency of 1 to that of the threshold */

/* Removes the n most frequent items from the front. Which buckets the others of the most frequent
 * items are in hardly matters. */
static void drop_most_frequent(uint64_t *in_bucket, uint64_t n) {
    for (unsigned b = 0; b <= BUCKETS && n > 0; b++) {
        uint64_t taken = in_bucket[b] < n ? in_bucket[b] : n;
        in_bucket[b] -= taken;
        n -= taken;
    }
}

/* Adds m items of bucket k to sets[b], the number of sets whose buckets add up to b. */
static void add_items(double *sets, unsigned k, uint64_t m) {
    for (unsigned b = BUCKETS; b >= k; b--) { /* downwards: below it, everything is as it was */
        double ways = 1;
        for (unsigned i = 1; i * k <= b && i <= m; i++) {
            ways *= (double)(m - i + 1) / i;
            sets[b] += ways * sets[b - i * k];
        }
    }
}

/* The sets of the items in buckets, without the most frequent ones. */
static void expect_sets(uint64_t *in_bucket, double width, forecast_shape *s) {
    double sets[BUCKETS + 1] = {1};
    drop_most_frequent(in_bucket, CPU_LATTICE_ITEMS);
    for (unsigned k = 1; k <= BUCKETS; k++) {
        if (in_bucket[k] > 0) add_items(sets, k, in_bucket[k]);
    }
    for (unsigned b = 0; b <= BUCKETS; b++) {
        s->nodes += sets[b];
        s->held += sets[b] * exp(-width * b);
    }
}

forecast_shape forecast_shape_of(const forecast_items *items) {
    forecast_shape s = {0};
    uint64_t in_bucket[BUCKETS + 1] = {0};
    double n = (double)items->n_transactions, n_items = 0;
    if (n == 0) return s;
    uint64_t least = items->min_count > 0 ? items->min_count : 1;
    double width = log(n / (double)least) / BUCKETS;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->supports[i] < least) continue;
        double at = width > 0 ? log(n / (double)items->supports[i]) / width : 0;
        in_bucket[at < 1 ? 1 : at > BUCKETS ? BUCKETS : (unsigned)(at + 0.5)]++;
        n_items++;
        s.occurrences += (double)items->supports[i];
    }
    s.density = n_items > 0 ? s.occurrences / n / n_items : 0;
    expect_sets(in_bucket, width, &s);
    return s;
}

static double of_threads(double microseconds, unsigned threads) {
    return microseconds * 1e-6 / pow(threads > 0 ? threads : 1, CPU_THREADS_POWER);
}

double forecast_cpu(const forecast_items *items, const forecast_shape *s, unsigned threads) {
    double nodes = (double)items->n_transactions * sqrt(s->nodes) * sqrt(s->held);
    bool alone = threads <= 1 && s->density >= CPU_ALONE_DENSITY;
    double occurrence = alone ? CPU_ALONE_OCCURRENCE_US : CPU_OCCURRENCE_US;
    double node = alone ? CPU_ALONE_NODE_US : CPU_NODE_US;
    return of_threads(occurrence * s->occurrences + node * nodes, threads);
}

bool forecast_lists_stay(const forecast_shape *s, unsigned threads) {
    if (s->density >= GPU_LEAST_DENSITY) return false;
    double gpu = GPU_START_SECONDS + of_threads(GPU_LIST_US * s->occurrences, threads);
    return of_threads(CPU_LIST_US * s->occurrences, threads) < gpu;
}

double forecast_cpu_graphs(uint64_t n_edges, double threshold, unsigned threads) {
    if (n_edges == 0) return 0;
    return of_threads(CPU_EDGE_US * (double)n_edges / threshold, threads);
}

/* ---- the default device ---------------------------------------------------------------------- */

/* A usable backend other than the CPU. Looking costs tens of milliseconds. */
static const lode_backend *find_gpu(void) {
    for (size_t i = 1; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT];
        if (backend_at(i)->probe(detail, sizeof detail)) return backend_at(i);
    }
    return NULL;
}

/* Returns why such a job must use the CPU; NULL if it may use a GPU. */
static const char *why_cpu(bool only_cpu) {
    if (only_cpu) return "this search runs on the CPU only";
    if (!backend_at(1)) return "the only device of this build"; /* built without GPU backends */
    return os_has_gpu_driver() ? NULL : "the only device on this machine";
}

static bool has_gpu(void) {
    return find_gpu() != NULL;
}

/* As find_gpu(), for a job, whose device is being started by it. */
static const lode_backend *find_gpu_for(const engine_task *task) {
    double start = os_seconds();
    const lode_backend *gpu = find_gpu();
    if (task->report) report_add_start(task->report, start);
    return gpu;
}

/* Whether a search on the CPU may begin again on a GPU. */
static bool may_move(const engine_task *task) {
    lode_target target = task->items.options->target;
    bool part = task->items.rules || task->items.sample || task->parts.branches ||
                task->parts.division || task->parts.batches;
    return task->sink && !part && (target == LODE_TARGET_ALL || target == LODE_TARGET_CLOSED);
}

/* A GPU, if there is one and the CPU is expected to take longer; else the CPU. */
static const lode_backend *take_faster(const engine_task *task, double cpu_seconds,
                                       double gpu_seconds, char *why, size_t why_bytes) {
    if (cpu_seconds < gpu_seconds) {
        snprintf(why, why_bytes, "the search is too small for a GPU, which takes 0.3 s to start");
        return backend_at(0);
    }
    const lode_backend *gpu = find_gpu_for(task);
    snprintf(why, why_bytes,
             gpu ? "the search is large enough for a GPU"
                 : "the only device that works on this machine");
    return gpu ? gpu : backend_at(0);
}

/* Closed sets are more work for the CPU, and hardly for the GPU. */
static double itemset_seconds(const engine_task *task, const forecast_items *items,
                              const forecast_shape *shape) {
    double seconds = forecast_cpu(items, shape, task->job->threads);
    return task->items.options->target == LODE_TARGET_CLOSED ? CPU_CLOSED_FACTOR * seconds
                                                             : seconds;
}

const char *engine_choose_device(const engine_task *task, const lode_engine *engine, char *why,
                                 size_t why_bytes) {
    const char *cpu = backend_at(0)->name;
    lode_target target = task->items.options->target;
    bool only_cpu = target == LODE_TARGET_GENERATORS || task->items.data->weights != NULL ||
                    /* Processes must divide alike, with or without a GPU: by one algorithm. */
                    (task->request.divided && !engine) ||
                    (engine && !(engine->uses & ENGINE_DEVICES));
    const char *stays = why_cpu(only_cpu);
    if (!stays && target == LODE_TARGET_MAXIMAL) { /* how much they skip is not known before */
        stays = "maximal sets are often less work on the CPU";
    }
    if (stays) {
        snprintf(why, why_bytes, "%s", stays);
        return cpu;
    }
    if (task->job->moved) {
        snprintf(why, why_bytes, "the search on the CPU was taking longer than expected");
        const lode_backend *gpu = find_gpu_for(task);
        return gpu ? gpu->name : cpu;
    }
    forecast_items items = {task->items.data->item_supports, task->items.data->item_bound,
                            task->items.data->profile.n_transactions, task->min_count};
    forecast_shape shape = forecast_shape_of(&items);
    double seconds = itemset_seconds(task, &items, &shape);
    if (seconds >= GPU_START_SECONDS && forecast_lists_stay(&shape, task->job->threads)) {
        snprintf(why, why_bytes, "the data are too sparse for a GPU (density %.2f%%)",
                 100 * shape.density);
        return cpu;
    }
    if (seconds < GPU_START_SECONDS && may_move(task)) {
        job_move_after(task->job, MOVE_SECONDS, MOVE_LEFT_SECONDS, has_gpu);
    }
    return take_faster(task, seconds, GPU_START_SECONDS, why, why_bytes)->name;
}

/* Returns why the CPU should be used, or NULL. The thresholds for a GPU were measured where
 * patterns are only counted and written. Options that need single occurrences are evaluated on the
 * host, which has to fetch these first. */
static const char *why_cpu_graphs(const engine_task *task, const lode_engine *engine) {
    const lode_graph_options *o = task->graphs.options;
    if (engine) return "the default for the given algorithm";
    if (task->request.divided) return "only the CPU divides a search into tasks and shares";
    if (why_cpu(false)) return why_cpu(false);
    bool closure = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL;
    bool fetches = closure || o->induced || o->supporters || o->embeddings;
    return fetches ? "these options need every single occurrence, which a GPU would have to send "
                     "to the CPU"
                   : NULL;
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
    const lode_backend *b = take_faster(task, seconds, gpu_seconds, why, why_bytes);
    return b->first ? b->first : b->name;
}
