/* consumer.c - one device of a run: takes ranges of root rows until none are left; see run.h
 *
 * Consumers share the rows of the root. GPUs take ranges of the rarest items, where the classes are
 * large; CPUs take the most frequent ones, one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "itemsets/tensor/run.h"

#define SMALL_WORK  1e6  /* words: a class of about a millisecond, with everything below it */
#define LEAST_RANGE 16   /* root rows that a GPU takes at a time, at the least … */
#define RANGE_SHARE 4    /* … or else this part (1/4) of the rest */
#define CPU_SHARE   4096 /* a CPU takes one row and this part (1/4096) of the rest */

/* About how many words of rows are compared below a row of the root. */
static double class_work(const tensor_run *run, uint32_t row) {
    double others = run->root.root.n_rows - row;
    return others * others / 2 * run->root.root.supports[row] / 64;
}

/* Takes the next rows of the root; returns false if there are none. If a GPU takes part, a CPU
 * takes small classes only: the other consumers would have to wait for a large one at the end. */
static bool take_range(tensor_run *run, bool is_cpu, uint32_t *first, uint32_t *end) {
    pthread_mutex_lock(&run->lock);
    uint32_t left = run->back - run->front, n = left;
    bool with_gpu = is_cpu && !engine_plan_is_cpu(run->task->plan);
    if (run->n_consumers > 1) {
        n = is_cpu                             ? left / CPU_SHARE + 1
            : left / RANGE_SHARE > LEAST_RANGE ? left / RANGE_SHARE
                                               : LEAST_RANGE;
        n = n < left ? n : left;
    }
    if (with_gpu && n > 0 && class_work(run, run->back - 1) > SMALL_WORK) n = 0;
    *first = is_cpu ? run->back - n : run->front;
    *end = *first + n;
    *(is_cpu ? &run->back : &run->front) = is_cpu ? *first : *end;
    pthread_mutex_unlock(&run->lock);
    return n > 0;
}

/* Host threads that a device may use. */
static unsigned device_threads(const tensor_run *run) {
    unsigned n = run->task->job->threads / run->n_consumers;
    return n > 0 ? n : 1;
}

/* How many consumers of the plan share a device. */
static unsigned consumers_on(const backend_plan *plan, backend_slot slot) {
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        n += plan->slots[i].backend == slot.backend && plan->slots[i].index == slot.index;
    }
    return n;
}

static lode_status consumer_open(tensor_consumer *c) {
    lode_status status = LODE_OK;
    tensor_run *run = c->run;
    mem *m = tensor_mem(run);
    backend_slot slot = run->task->plan->slots[c->number];
    c->products = slot.backend->products;
    if (run->config.fetch) {
        LODE_TRY(tensor_writer_open(run->task, &c->writer));
        LODE_TRY(tensor_frame_root(m, &run->root, &c->root));
    }
    product_config config = run->config;
    config.sharers = consumers_on(run->task->plan, slot);
    /* --product is meant for the GPU, if there is one. */
    if (slot.backend == backend_at(0) && !engine_plan_is_cpu(run->task->plan)) {
        config.kernel = PRODUCT_AUTO;
    }
    LODE_TRY(c->products->open(run->task->job, slot.index, device_threads(run), &run->root.root,
                               &config, &c->device));
done:
    return status;
}

static lode_status consumer_work(tensor_consumer *c) {
    lode_status status = LODE_OK;
    bool is_cpu = c->run->task->plan->slots[c->number].backend == backend_at(0);
    uint32_t first, end;
    while (take_range(c->run, is_cpu, &first, &end)) {
        status = tensor_search_rows(c, first, end);
        lode_status added = tensor_keeps_counts(status) ? tensor_tally_collect(c) : LODE_OK;
        if (status == LODE_OK) status = added;
        if (status != LODE_OK) break;
    }
    return status;
}

static lode_status consumer_close(tensor_consumer *c, lode_status status) {
    tensor_run *run = c->run;
    mem *m = tensor_mem(run);
    product_report *r = &run->reports[c->number];
    if (c->device) {
        *r = c->products->report(c->device);
        c->products->close(c->device);
    }
    lode_status closed = tensor_writer_close(&c->writer);
    run->uses[c->number] = (device_use){.batches = c->batches,
                                        .bytes_up = r->bytes_up,
                                        .bytes_down = r->bytes_down,
                                        .memory_peak = r->memory_peak,
                                        .start = r->start,
                                        .transfer = r->transfer,
                                        .candidate = r->candidate,
                                        .counting = r->counting,
                                        .output = c->writer.seconds,
                                        .busy = c->busy};
    tensor_frame_release(m, c->root);
    mem_free(m, c->levels, c->cap_levels * sizeof *c->levels);
    mem_free(m, c->classes, c->cap_classes * sizeof *c->classes);
    mem_free(m, c->children.of, c->children.cap * sizeof *c->children.of);
    return status != LODE_OK ? status : tensor_run_fail(run, closed);
}

lode_status tensor_consume(tensor_run *run, unsigned number) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    tensor_consumer c = {.run = run, .number = number, .next_tally = start + TENSOR_TALLY_SECONDS};
    LODE_TRY(consumer_open(&c));
    status = consumer_work(&c);
done:
    c.busy = os_seconds() - start;
    tensor_run_fail(run, status);
    if (status == LODE_OK) status = tensor_run_fail(run, tensor_write_queue(run, &c.writer, true));
    return consumer_close(&c, status);
}
