/* cpu_papers.c - opens a virtual device of the CPU for the papers' miners
 *
 * The device counts by the kernels that the config names from then on, also in its own and_count().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cpu/cpu_papers.h"

static lode_status cpu_papers_open(backend_device *device, const backend_paper_config *config,
                                   backend_papers **out) {
    backend_papers *p = NULL;
    lode_status status = mem_zalloc(&device->job->mem, (void **)&p, sizeof *p);
    if (status != LODE_OK) return status;
    p->device = device;
    p->config = *config;
    p->loops = cpu_word_loops_for(device->kernels->name);
    p->count_word = p->loops->count_word;
    bool table = config->popcount == LODE_POPCOUNT_TABLE16;
    if (table || config->popcount == LODE_POPCOUNT_CONSTANT16) {
        device->kernels = &cpu_kernels_table16;
        p->count_word = cpu_count_word_table16;
    } else if (config->popcount == LODE_POPCOUNT_SHIFT) {
        device->kernels = &cpu_kernels_shift;
        p->count_word = cpu_count_word_shift;
    }
    *out = p;
    return LODE_OK;
}

static void cpu_papers_close(backend_papers *p) {
    if (p) mem_free(&p->device->job->mem, p, sizeof *p);
}

static backend_paper_counters cpu_papers_counters(const backend_papers *p) {
    return p->counters;
}

static lode_status cpu_papers_and_count(backend_papers *p, const backend_work *work, size_t n,
                                        uint32_t min_count, uint32_t *counts) {
    if (p->config.trees) return cpu_tree_count(p, work, n, min_count, counts);
    return cpu_and_count(p->device, work, n, min_count, counts);
}

const backend_paper_ops cpu_paper_ops = {
    .open = cpu_papers_open,
    .close = cpu_papers_close,
    .counters = cpu_papers_counters,
    .and_count = cpu_papers_and_count,
    .and_count_lists = cpu_and_count_lists,
    .and_count_classes = cpu_and_count_classes,
    .use_sets = cpu_use_sets,
    .join_sets = cpu_join_sets,
    .or_pairs = cpu_or_pairs,
    .pgm = &cpu_pgm_ops,
};
