/* emit.c - from counted rows and lattices to patterns for the sink; see tensor.h
 *
 * The prefix of a class has the items of the rows that it comes from, up to the root. The perfect
 * partners of these rows are free items. For target all, a free item may be in a set or not, and
 * the sink reports each set with every subset of the free items; for closed and maximal sets, free
 * items belong to every set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/os.h"
#include "itemsets/tensor/run.h"
#include "itemsets/tensor/tensor.h"

#define SPARSE_LATTICE 16 /* with fewer than one set in this many, sets are written one by one */

/* ---- tasks ----------------------------------------------------------------------------------- */

static lode_status tensor_task_make(mem *m, tensor_found *found, size_t n_lattices, size_t n_sets,
                                    tensor_task **out) {
    tensor_task *t = NULL;
    size_t bytes =
        sizeof *t + n_lattices * (sizeof *t->ends + sizeof *t->rows) + 2 * n_sets * sizeof *t->sets;
    lode_status status = mem_resize(m, (void **)&t, 0, bytes);
    if (status != LODE_OK) return status;
    *t = (tensor_task){.found = found, .bytes = bytes, .n_lattices = (uint32_t)n_lattices};
    tensor_found_share(found);
    t->ends = (uint64_t *)(t + 1);
    t->rows = (uint32_t *)(t->ends + n_lattices);
    t->sets = t->rows + n_lattices;
    t->supports = t->sets + n_sets;
    *out = t;
    return LODE_OK;
}

lode_status tensor_task_rows(mem *m, tensor_found *found, uint32_t first, uint32_t end,
                             tensor_task **out) {
    lode_status status = tensor_task_make(m, found, 0, 0, out);
    if (status != LODE_OK) return status;
    (*out)->first = first;
    (*out)->end = end;
    return LODE_OK;
}

lode_status tensor_task_lattices(mem *m, tensor_found *found, const product_lattices *lattices,
                                 uint32_t i, uint32_t n, tensor_task **out) {
    uint64_t from = i > 0 ? lattices->ends[i - 1] : 0;
    size_t n_sets = (size_t)(lattices->ends[i + n - 1] - from);
    lode_status status = tensor_task_make(m, found, n, n_sets, out);
    if (status != LODE_OK) return status;
    tensor_task *t = *out;
    memcpy(t->rows, lattices->rows + i, n * sizeof *t->rows);
    for (uint32_t k = 0; k < n; k++) t->ends[k] = lattices->ends[i + k] - from;
    if (n_sets > 0) {
        memcpy(t->sets, lattices->sets + from, n_sets * sizeof *t->sets);
        memcpy(t->supports, lattices->supports + from, n_sets * sizeof *t->supports);
    }
    return LODE_OK;
}

void tensor_task_free(mem *m, tensor_task *task) {
    if (!task) return;
    tensor_found_release(m, task->found);
    mem_free(m, task, task->bytes);
}

/* ---- the class in work ----------------------------------------------------------------------- */

/* Whether free items belong to every set, and a lattice may have gaps. */
static bool writes_whole(const tensor_writer *w) {
    return w->target != LODE_TARGET_ALL;
}

static void reverse_items(uint32_t *items, size_t n) {
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t other = items[i];
        items[i] = items[n - 1 - i];
        items[n - 1 - i] = other;
    }
}

/* Moves to a class: finds its prefix and its free items. */
static lode_status writer_enter(tensor_writer *w, const tensor_frame *frame, uint32_t number) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    if (w->frame == frame && w->class_number == number) return LODE_OK;
    w->prefix.n = w->free_items.n = 0;
    uint32_t class_number = number;
    for (const tensor_frame *f = frame; f->parent; f = f->parent) {
        const tensor_class *c = &f->classes[class_number];
        LODE_TRY(vec_u32_push(m, &w->prefix, f->parent->items[c->parent_row]));
        for (uint32_t i = c[0].first_free; i < c[1].first_free; i++) {
            LODE_TRY(vec_u32_push(m, &w->free_items, f->free_items[i]));
        }
        class_number = tensor_frame_class(f->parent, c->parent_row);
    }
    reverse_items(w->prefix.data, w->prefix.n);
    if (writes_whole(w)) {
        LODE_TRY(vec_u32_reserve(m, &w->prefix, w->free_items.n));
        for (size_t i = 0; i < w->free_items.n; i++) {
            w->prefix.data[w->prefix.n++] = w->free_items.data[i];
        }
        w->free_items.n = 0;
    }
    LODE_DEBUG_CHECK(writes_whole(w) || w->prefix.n == frame->depth,
                     "the prefix has %zu items at depth %u", w->prefix.n, frame->depth);
    w->n_prefix = (uint32_t)w->prefix.n;
    w->n_free = (uint32_t)w->free_items.n;
    w->frame = frame;
    w->class_number = number;
done:
    if (status != LODE_OK) w->frame = NULL;
    return status;
}

/* Adds the perfect partners of a row, until writer_leave_row(). */
static lode_status writer_add_perfect(tensor_writer *w, const product_row *r) {
    lode_status status = LODE_OK;
    vec_u32 *to = writes_whole(w) ? &w->prefix : &w->free_items;
    for (uint32_t i = 0; i < r->n && r->n_perfect > 0; i++) {
        if (r->supports[i] != r->support) continue;
        LODE_TRY(vec_u32_push(&w->job->mem, to, w->frame->items[r->partners[i]]));
    }
done:
    return status;
}

static void writer_leave_row(tensor_writer *w) {
    w->prefix.n = w->n_prefix;
    w->free_items.n = w->n_free;
}

/* Hands the sets collected so far to the sink, each the present prefix and one more item. */
static lode_status emit_flush(tensor_writer *w) {
    lode_batch batch = {.prefix = w->prefix.data,
                        .n_prefix = (uint32_t)w->prefix.n,
                        .items = w->ids.data,
                        .supports = w->supports.data,
                        .n = (uint32_t)w->ids.n,
                        .perfect = w->free_items.data,
                        .n_perfect = (uint32_t)w->free_items.n};
    w->ids.n = w->supports.n = 0;
    return batch.n > 0 ? sink_emit(w->out, &batch) : LODE_OK;
}

static lode_status writer_add(tensor_writer *w, uint32_t item, uint32_t support) {
    lode_status status = vec_u32_push(&w->job->mem, &w->ids, item);
    return status != LODE_OK ? status : vec_u64_push(&w->job->mem, &w->supports, support);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Rows without perfect partners go to the sink in one batch, the others one by one. */
static lode_status write_class(tensor_writer *w, const tensor_found *f, uint32_t first,
                               uint32_t end) {
    lode_status status = LODE_OK;
    const tensor_frame *frame = f->frame;
    for (uint32_t row = first; row < end; row++) {
        product_row r = tensor_found_row(f, row);
        if (r.n_perfect > 0 || !product_row_is_result(&r, w->target)) continue;
        LODE_TRY(writer_add(w, frame->items[row], r.support));
    }
    LODE_TRY(emit_flush(w));
    for (uint32_t row = first; row < end; row++) {
        product_row r = tensor_found_row(f, row);
        if (r.n_perfect == 0 || !product_row_is_result(&r, w->target)) continue;
        LODE_TRY(writer_add_perfect(w, &r));
        LODE_TRY(writer_add(w, frame->items[row], r.support));
        LODE_TRY(emit_flush(w));
        writer_leave_row(w);
    }
done:
    return status;
}

/* Where only one item may be added: the row with each of its partners. */
static lode_status write_pairs(tensor_writer *w, const tensor_found *f, uint32_t row) {
    lode_status status = LODE_OK;
    product_row r = tensor_found_row(f, row);
    if (r.n == r.n_perfect) return LODE_OK;
    LODE_TRY(writer_add_perfect(w, &r));
    LODE_TRY(vec_u32_push(&w->job->mem, &w->prefix, f->frame->items[row]));
    for (uint32_t i = 0; i < r.n; i++) {
        if (r.supports[i] == r.support) continue;
        LODE_TRY(writer_add(w, f->frame->items[r.partners[i]], r.supports[i]));
    }
    LODE_TRY(emit_flush(w));
    writer_leave_row(w);
done:
    return status;
}

static lode_status write_rows(tensor_writer *w, const tensor_task *task) {
    lode_status status = LODE_OK;
    const tensor_found *f = task->found;
    const tensor_frame *frame = f->frame;
    uint32_t number = tensor_frame_class(frame, task->first);
    for (uint32_t row = task->first; row < task->end; number++) {
        const tensor_class *c = &frame->classes[number];
        uint32_t end = c[1].first < task->end ? c[1].first : task->end;
        uint32_t first = c->first + c->n_earlier;
        LODE_TRY(job_check(w->job));
        LODE_TRY(writer_enter(w, frame, number));
        first = first > row ? first : row;
        if (first < end) LODE_TRY(write_class(w, f, first, end));
        for (uint32_t i = first; i < end && f->max_added == 1; i++) LODE_TRY(write_pairs(w, f, i));
        row = end;
    }
done:
    return status;
}

/* ---- lattices ------------------------------------------------------------------------------- */

/* The sets of a lattice that are results, and the items of its partners. */
typedef struct lattice_sets {
    const uint32_t *sets, *supports;
    size_t n;
    uint32_t min;
    uint32_t items[PRODUCT_LATTICE_ITEMS], n_items; /* by bit */
} lattice_sets;

/* One by one: the item of the lowest bit in the batch, the others in the prefix. */
static lode_status write_sparse_lattice(tensor_writer *w, const lattice_sets *c) {
    lode_status status = LODE_OK;
    size_t n_prefix = w->prefix.n;
    LODE_TRY(vec_u32_reserve(&w->job->mem, &w->prefix, c->n_items));
    for (size_t i = 0; i < c->n; i++) {
        uint32_t set = c->sets[i];
        uint32_t lowest = c->items[__builtin_ctz(set)];
        for (set &= set - 1; set != 0; set &= set - 1) {
            w->prefix.data[w->prefix.n++] = c->items[__builtin_ctz(set)];
        }
        LODE_TRY(writer_add(w, lowest, c->supports[i]));
        LODE_TRY(emit_flush(w));
        w->prefix.n = n_prefix;
    }
done:
    return status;
}

static lode_status write_dense_lattice(tensor_writer *w, const lattice_sets *c) {
    lode_status status = LODE_OK;
    uint64_t sizes[PRODUCT_LATTICE_ITEMS + 1] = {0};
    size_t entries = (size_t)1 << c->n_items;
    w->lattice.n = 0;
    LODE_TRY(vec_u32_reserve(&w->job->mem, &w->lattice, entries));
    memset(w->lattice.data, 0, entries * sizeof *w->lattice.data);
    for (size_t i = 0; i < c->n; i++) {
        uint32_t set = c->sets[i];
        w->lattice.data[set] = c->supports[i];
        sizes[__builtin_popcount(set)]++;
    }
    sink_lattice lattice = {.prefix = w->prefix.data,
                            .n_prefix = (uint32_t)w->prefix.n,
                            .perfect = w->free_items.data,
                            .n_perfect = (uint32_t)w->free_items.n,
                            .items = c->items,
                            .n_items = c->n_items,
                            .supports = w->lattice.data,
                            .has_gaps = writes_whole(w),
                            .min = c->min,
                            .sizes = sizes};
    status = sink_emit_lattice(w->out, &lattice);
done:
    return status;
}

static lode_status write_lattice(tensor_writer *w, const tensor_found *f, uint32_t row,
                                 lattice_sets *c) {
    lode_status status = LODE_OK;
    product_row r = tensor_found_row(f, row);
    LODE_TRY(job_check(w->job));
    LODE_TRY(writer_enter(w, f->frame, tensor_frame_class(f->frame, row)));
    LODE_TRY(writer_add_perfect(w, &r));
    LODE_TRY(vec_u32_push(&w->job->mem, &w->prefix, f->frame->items[row]));
    c->n_items = 0;
    for (uint32_t i = 0; i < r.n; i++) {
        bool adds = r.supports[i] != r.support && r.partners[i] > row;
        if (adds) c->items[c->n_items++] = f->frame->items[r.partners[i]];
    }
    LODE_DEBUG_CHECK(c->n_items <= PRODUCT_LATTICE_ITEMS && c->n < (size_t)1 << c->n_items,
                     "%zu itemsets cannot be subsets of %u items", c->n, c->n_items);
    bool sparse = writes_whole(w) && c->n * SPARSE_LATTICE < (size_t)1 << c->n_items;
    LODE_TRY(sparse || c->n_items == 1 ? write_sparse_lattice(w, c) : write_dense_lattice(w, c));
    writer_leave_row(w);
done:
    return status;
}

static lode_status write_lattices(tensor_writer *w, const tensor_task *task) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < task->n_lattices; i++) {
        uint64_t from = i > 0 ? task->ends[i - 1] : 0;
        lattice_sets c = {.sets = task->sets + from,
                          .supports = task->supports + from,
                          .n = (size_t)(task->ends[i] - from),
                          .min = task->found->min_count};
        if (c.n > 0) LODE_TRY(write_lattice(w, task->found, task->rows[i], &c));
    }
done:
    return status;
}

/* ---- a writer -------------------------------------------------------------------------------- */

lode_status tensor_writer_write(tensor_writer *w, const tensor_task *task) {
    double start = os_seconds();
    w->frame = NULL; /* the address of a freed frame may be used again */
    w->ids.n = w->supports.n = 0;
    lode_status status = task->n_lattices > 0 ? write_lattices(w, task) : write_rows(w, task);
    w->seconds += os_seconds() - start;
    return status;
}

lode_status tensor_writer_open(const engine_task *task, tensor_writer *w) {
    lode_target target = task->items.options->target;
    *w = (tensor_writer){.job = task->job,
                         .target = target == LODE_TARGET_TOP ? LODE_TARGET_ALL : target};
    return sink_open_worker(task->sink, &w->out);
}

lode_status tensor_writer_close(tensor_writer *w) {
    if (!w->job) return LODE_OK;
    mem *m = &w->job->mem;
    double start = os_seconds();
    lode_status status = sink_close_worker(w->out);
    vec_u32_free(m, &w->prefix);
    vec_u32_free(m, &w->free_items);
    vec_u32_free(m, &w->ids);
    vec_u64_free(m, &w->supports);
    vec_u32_free(m, &w->lattice);
    w->seconds += os_seconds() - start;
    return status;
}

/* ---- for sinks that take numbers only: how many patterns of each size there are -------------- */

/* How many patterns the tally stands for; for the progress line. */
static uint64_t tally_patterns(const tensor_run *run) {
    double n = 0;
    bool each = run->config.target != LODE_TARGET_ALL;
    for (size_t i = 0; i < TENSOR_TALLY_SIZE; i++) {
        n += ldexp((double)run->tally[i], each ? 0 : (int)(i % PRODUCT_SIZES));
    }
    return n < 1e18 ? (uint64_t)n : (uint64_t)1e18;
}

lode_status tensor_tally_collect(tensor_consumer *c) {
    tensor_run *run = c->run;
    if (run->config.fetch) return LODE_OK;
    pthread_mutex_lock(&run->lock);
    lode_status status = c->products->tally(c->device, run->tally);
    run->too_large = run->too_large || status == LODE_UNSUPPORTED;
    uint64_t n = tally_patterns(run);
    atomic_fetch_add_explicit(&run->task->job->at.patterns, n - run->shown, memory_order_relaxed);
    run->shown = n;
    pthread_mutex_unlock(&run->lock);
    return status;
}

lode_status tensor_tally_deliver(tensor_run *run, lode_status status) {
    sink_worker *out = NULL;
    if (!tensor_keeps_counts(status)) return status;
    lode_status added = sink_open_worker(run->task->sink, &out);
    if (added == LODE_OK) {
        added = sink_add_tally(out, run->tally, run->config.target != LODE_TARGET_ALL);
        lode_status closed = sink_close_worker(out);
        if (added == LODE_OK) added = closed;
    }
    return status != LODE_OK ? status : added;
}

/* ---- a queue of results for the threads that write them down --------------------------------- */

/* A device never waits for text. Its results are copied, and other threads write them, or its own
 * thread if the others are busy. */

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

/* Bytes that a task keeps in memory: its own, and its share of the copied results. */
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
