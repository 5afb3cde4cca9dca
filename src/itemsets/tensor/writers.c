/* writers.c - a queue of results for the threads that write them down; see run.h
 *
 * A device never waits for text: what it found is copied and written by other threads, or by its
 * own if those have enough to do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/tensor/run.h"

#define QUEUE_BYTES ((size_t)256 << 20) /* the most that may wait in the queue … */
#define QUEUE_SHARE 4     /* … or this part (1/4) of what the memory budget has left */
#define PIECE_ROWS  2048  /* the most rows of a task … */
#define PIECE_SETS  16384 /* … or sets of lattices */

/* Whether tasks of this many bytes more may wait. */
static bool queue_has_room(tensor_run *run, size_t bytes) {
    size_t left = mem_left(tensor_mem(run)) / QUEUE_SHARE;
    size_t most = left < QUEUE_BYTES ? left : QUEUE_BYTES;
    return atomic_load_explicit(&run->queued_bytes, memory_order_relaxed) + bytes <= most;
}

static lode_status write_task(tensor_run *run, tensor_writer *w, tensor_task *task) {
    lode_status status = tensor_writer_write(w, task);
    tensor_task_free(tensor_mem(run), task);
    return status;
}

/* Bytes that a task keeps in memory: its own, and its share of what was found. */
static size_t task_weight(const tensor_task *task) {
    const tensor_found *f = task->found;
    size_t share = f->bytes / (f->end - f->first) * (task->end - task->first);
    return task->bytes + share;
}

static lode_status writers_pass(tensor_consumer *c, tensor_task *task) {
    tensor_run *run = c->run;
    size_t weight = task_weight(task);
    if (run->n_writers > 0 && queue_has_room(run, weight)) {
        atomic_fetch_add_explicit(&run->queued_bytes, weight, memory_order_relaxed);
        if (tasks_offer(&run->queue, (tasks_item){.record = task})) return LODE_OK;
        atomic_fetch_sub_explicit(&run->queued_bytes, weight, memory_order_relaxed);
    }
    return write_task(run, &c->writer, task);
}

/* In pieces, so that several threads can write at the same time. */
lode_status tensor_write_rows(tensor_consumer *c, tensor_found *found) {
    lode_status status = LODE_OK;
    tensor_task *task = NULL;
    for (uint32_t first = found->first, end; first < found->end; first = end) {
        end = found->end - first > PIECE_ROWS ? first + PIECE_ROWS : found->end;
        LODE_TRY(tensor_task_rows(tensor_mem(c->run), found, first, end, &task));
        LODE_TRY(writers_pass(c, task));
    }
done:
    return status;
}

lode_status tensor_write_lattices(tensor_consumer *c, tensor_found *found,
                                  const product_lattices *lattices) {
    lode_status status = LODE_OK;
    tensor_task *task = NULL;
    uint32_t n = lattices->end - lattices->first;
    for (uint32_t i = 0, end; i < n; i = end) {
        uint64_t from = i > 0 ? lattices->ends[i - 1] : 0;
        for (end = i + 1; end < n && lattices->ends[end] - from <= PIECE_SETS;) end++;
        LODE_TRY(tensor_task_lattices(tensor_mem(c->run), found, lattices, i, end - i, &task));
        LODE_TRY(writers_pass(c, task));
    }
done:
    return status;
}

lode_status tensor_write_queue(tensor_run *run, tensor_writer *w, bool again) {
    tasks_item item;
    for (; tasks_take(&run->queue, again, &item); again = true) {
        tensor_task *task = item.record;
        atomic_fetch_sub_explicit(&run->queued_bytes, task_weight(task), memory_order_relaxed);
        lode_status status = write_task(run, w, task);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

lode_status tensor_run_writer(tensor_run *run) {
    tensor_writer w = {0};
    lode_status status = tensor_writer_open(run->task, &w);
    if (status == LODE_OK) status = tensor_write_queue(run, &w, false);
    tensor_run_fail(run, status);
    lode_status closed = tensor_writer_close(&w);
    return status != LODE_OK ? status : tensor_run_fail(run, closed);
}
