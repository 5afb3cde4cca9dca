/* tensor.c - the miner by products: pairs of a whole class at once, small classes as cubes
 *
 * Problem:  all, closed or maximal itemsets, on devices that count many pairs at a time.
 * Method:   depth first over frames, each with many classes (backend/products.h). The supports of
 *           all two-step extensions of a prefix are one product of bit matrices over (AND, count):
 *           on tensor cores where a device has them. Classes keep the columns of their prefix only.
 *           Partners that are in every column are set aside and multiplied at the output; the last
 *           few partners of every branch are counted together, as a cube.
 * Output:   a device never waits for text: what it found is copied and written by other threads,
 *           or by its own if those have enough to do. Sinks that only count get the numbers.
 * Balance:  consumers share the rows of the root. GPUs take ranges of the rarest items, where the
 *           classes are large; CPUs take the most frequent ones, one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tensor/tensor.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/os.h"
#include "itemset/forecast.h"
#include "runtime/parallel.h"
#include "runtime/tasks.h"

#define SMALL_WORK    1e6                 /* words: a millisecond or so, with what is below */
#define LEAST_RANGE   16                  /* rows of the root that a GPU takes at a time */
#define RANGE_SHARE   4                   /* … of what is left, one in so many */
#define CPU_SHARE     4096                /* … and a CPU one in so many, beside the next */
#define QUEUE_BYTES   ((size_t)256 << 20) /* that may wait for a thread to write them down */
#define QUEUE_SHARE   4 /* … or, with a budget, one byte in so many that are left */
#define FOUND_BYTES   ((size_t)512 << 20) /* that one call may find … */
#define BUDGET_SHARE  8                   /* … or, with a budget, one in so many that are left */
#define PIECE_ROWS    2048                /* of a job for a writer */
#define PIECE_SETS    16384
#define CHILD_CUBES   16    /* a child is taken to be as much work as so many cubes */
#define FORECAST_SPAN 0.005 /* of children, from which on it is looked into them */
#define TALLY_SECONDS 0.3   /* between looks at how many there are */
#define TALLY_SIZE    ((size_t)PRODUCT_SIZES * PRODUCT_SIZES)

_Static_assert(PRODUCT_DEPTHS == LODE_REPORT_LEVELS, "depths are reported as they are");
_Static_assert(PRODUCT_SIZES == SINK_TALLY_SIZES, "tallies go to the sink as they are");

typedef struct consumer_result {
    product_report device;
    uint64_t batches;
    double busy, output;
} consumer_result;

typedef struct tensor_run {
    engine_task *task;
    tensor_root root;
    root_range range; /* rows of the root that are searched; all of them are counted with */
    tensor_spans spans;
    product_how how;
    unsigned n_consumers, n_writers;
    tasks queue;                 /* of tensor_jobs, for the writers */
    _Atomic size_t queued_bytes; /* of these */
    pthread_mutex_t lock;
    uint32_t front, back; /* rows of the root that nobody has taken; under the lock */
    _Atomic int failure;  /* the first status that was not OK */
    uint64_t *tally;      /* without `fetch`: of all consumers; under the lock */
    bool too_large;       /* … and there are sets that do not fit it */
    uint64_t shown;       /* … and how many of it are in the progress count */
    consumer_result *results;
} tensor_run;

/* A frame in work. A stack of them, and not a recursion: there may be one for each item of a
 * transaction. */
typedef struct tensor_level {
    tensor_frame *frame;        /* with `fetch` */
    uint32_t first, end;        /* rows still to be counted */
    uint32_t counted;           /* where those begin that were counted last */
    tensor_found *found;        /* with `fetch`: what was found for these */
    uint32_t row;               /* of it, where the next children come from */
    uint32_t child, n_children; /* the next one, and how many there are */
    double span;        /* of the rows still to be counted; the root has those of its rows */
    double below;       /* of the children still to be pushed */
    tensor_parts parts; /* how they divide that */
    size_t first_class; /* of consumer.classes, where its own begin … */
    uint32_t n_classes; /* … and how many; 0: all rows are taken to be equal */
} tensor_level;

/* Of a class of a frame, where it pays to know. */
typedef struct class_span {
    uint32_t end; /* of its rows */
    double span;
} class_span;

typedef struct consumer {
    tensor_run *run;
    unsigned number;
    const backend_products *products;
    product_device *device;
    tensor_writer writer;
    tensor_frame *root; /* with `fetch` */
    tensor_level *levels;
    size_t n_levels, cap_levels;
    uint64_t *tally;            /* without */
    tensor_child_work children; /* of the rows of the root in work, where they are not known */
    class_span *classes;        /* of the levels, one behind the other */
    size_t n_classes, cap_classes;
    progress_local progress;
    uint64_t batches;
    double next_tally; /* when to look how many there are, for the progress report */
} consumer;

/* ---- one for all ----------------------------------------------------------------------------- */

/* Makes everybody stop, for the first reason given. */
static lode_status run_fail(tensor_run *run, lode_status status) {
    int none = LODE_OK;
    if (status == LODE_OK) return status;
    atomic_compare_exchange_strong(&run->failure, &none, (int)status);
    tasks_abort(&run->queue);
    return status;
}

/* How many patterns a tally stands for, whatever their sizes; for the progress line. */
static uint64_t tally_patterns(const tensor_run *run) {
    double n = 0;
    bool each = run->how.target != LODE_TARGET_ALL;
    for (size_t i = 0; i < TALLY_SIZE; i++) {
        n += ldexp((double)run->tally[i], each ? 0 : (int)(i % PRODUCT_SIZES));
    }
    return n < 1e18 ? (uint64_t)n : (uint64_t)1e18;
}

/* Adds up what the device has counted, without `fetch`. */
static lode_status consumer_tally(consumer *c) {
    tensor_run *run = c->run;
    if (run->how.fetch) return LODE_OK;
    pthread_mutex_lock(&run->lock);
    lode_status status = c->products->tally(c->device, run->tally);
    run->too_large = run->too_large || status == LODE_UNSUPPORTED;
    uint64_t n = tally_patterns(run);
    atomic_fetch_add_explicit(&run->task->job->at.patterns, n - run->shown, memory_order_relaxed);
    run->shown = n;
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* Whether to go on; reports progress on the thread of the caller. */
static lode_status consumer_check(consumer *c) {
    tensor_run *run = c->run;
    int failure = atomic_load_explicit(&run->failure, memory_order_relaxed);
    if (failure != LODE_OK) return (lode_status)failure;
    if (os_seconds() >= c->next_tally) {
        lode_status status = consumer_tally(c);
        c->next_tally = os_seconds() + TALLY_SECONDS;
        if (status != LODE_OK) return status;
    }
    if (c->number > 0) return job_check(run->task->job);
    return job_tick(run->task->job, 0, 0);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool queue_has_room(tensor_run *run, size_t bytes) {
    size_t left = mem_left(&run->task->job->mem) / QUEUE_SHARE;
    size_t most = left < QUEUE_BYTES ? left : QUEUE_BYTES;
    return atomic_load_explicit(&run->queued_bytes, memory_order_relaxed) + bytes <= most;
}

/* Writes it, and frees it. */
static lode_status write_task(tensor_run *run, tensor_writer *w, tensor_task *task) {
    lode_status status = tensor_writer_write(w, task);
    tensor_task_free(&run->task->job->mem, task);
    return status;
}

/* Bytes that it keeps from being freed: its own, and its share of what was found. */
static size_t task_weight(const tensor_task *task) {
    const tensor_found *f = task->found;
    size_t share = f->bytes / (f->end - f->first) * (task->end - task->first);
    return task->bytes + share;
}

/* Hands it to a thread that has nothing else to do, or writes it here. */
static lode_status consumer_pass(consumer *c, tensor_task *task) {
    tensor_run *run = c->run;
    size_t weight = task_weight(task);
    if (run->n_writers > 0 && queue_has_room(run, weight)) {
        atomic_fetch_add_explicit(&run->queued_bytes, weight, memory_order_relaxed);
        if (tasks_offer(&run->queue, (tasks_item){.record = task})) return LODE_OK;
        atomic_fetch_sub_explicit(&run->queued_bytes, weight, memory_order_relaxed);
    }
    return write_task(run, &c->writer, task);
}

/* In pieces, so that several threads have something to write. */
static lode_status consumer_write_rows(consumer *c, tensor_found *found) {
    lode_status status = LODE_OK;
    tensor_task *task = NULL;
    for (uint32_t first = found->first, end; first < found->end; first = end) {
        end = found->end - first > PIECE_ROWS ? first + PIECE_ROWS : found->end;
        LODE_TRY(tensor_task_rows(&c->run->task->job->mem, found, first, end, &task));
        LODE_TRY(consumer_pass(c, task));
    }
done:
    return status;
}

static lode_status consumer_write_cubes(consumer *c, tensor_found *found,
                                        const product_cubes *cubes) {
    lode_status status = LODE_OK;
    tensor_task *task = NULL;
    uint32_t n = cubes->end - cubes->first;
    for (uint32_t i = 0, end; i < n; i = end) {
        uint64_t from = i > 0 ? cubes->ends[i - 1] : 0;
        for (end = i + 1; end < n && cubes->ends[end] - from <= PIECE_SETS;) end++;
        LODE_TRY(tensor_task_cubes(&c->run->task->job->mem, found, cubes, i, end - i, &task));
        LODE_TRY(consumer_pass(c, task));
    }
done:
    return status;
}

/* Writes what there is until there will be no more. */
static lode_status write_queue(tensor_run *run, tensor_writer *w, bool again) {
    tasks_item item;
    for (; tasks_take(&run->queue, again, &item); again = true) {
        tensor_task *task = item.record;
        atomic_fetch_sub_explicit(&run->queued_bytes, task_weight(task), memory_order_relaxed);
        lode_status status = write_task(run, w, task);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

static lode_status run_writer(tensor_run *run) {
    tensor_writer w = {0};
    lode_status status = tensor_writer_open(run->task, &w);
    if (status == LODE_OK) status = write_queue(run, &w, false);
    run_fail(run, status);
    lode_status closed = tensor_writer_close(&w);
    return status != LODE_OK ? status : run_fail(run, closed);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Items that may be added to the rows of a frame. */
static uint32_t items_to_add(const tensor_run *run, uint32_t depth) {
    uint32_t most = run->task->options->max_size;
    if (run->how.target != LODE_TARGET_ALL || most == UINT32_MAX) return UINT32_MAX;
    return most > depth + 1 ? most - depth - 1 : 0;
}

/* Whether sets of one more item than a row of this depth can be wanted. */
static bool leads_on(const tensor_run *run, uint32_t depth) {
    return depth + 1 < run->task->options->max_size;
}

static uint32_t threshold(const tensor_run *run) {
    uint64_t now = job_threshold(run->task->job);
    return now < UINT32_MAX ? (uint32_t)now : UINT32_MAX;
}

/* How far to ask at once: what is found must fit, should all pairs be frequent. */
static uint32_t ask_end(const tensor_run *run, const tensor_frame *frame, uint32_t first,
                        uint32_t end) {
    if (!frame) return end;
    size_t bytes = mem_left(&run->task->job->mem) / BUDGET_SHARE;
    size_t room = (bytes < FOUND_BYTES ? bytes : FOUND_BYTES) / (2 * sizeof(uint32_t));
    uint32_t row = first;
    for (uint32_t i = tensor_frame_class(frame, first); row < end; i++) {
        size_t n = frame->classes[i + 1].first - frame->classes[i].first;
        uint32_t class_end = frame->classes[i + 1].first < end ? frame->classes[i + 1].first : end;
        size_t rows = class_end - row;
        if (rows * n > room) {
            row += (uint32_t)(room / n);
            break;
        }
        room -= rows * n;
        row = class_end;
    }
    return row > first ? row : first + 1;
}

static lode_status work_cubes(consumer *c, tensor_found *found, uint32_t n_cubes) {
    lode_status status = LODE_OK;
    product_cubes cubes;
    for (uint32_t first = 0; first < n_cubes; first = cubes.end) {
        LODE_TRY(consumer_check(c));
        LODE_TRY(c->products->cubes(c->device, first, &cubes));
        c->batches++;
        if (found) LODE_TRY(consumer_write_cubes(c, found, &cubes));
    }
done:
    return status;
}

static lode_status level_push(consumer *c, tensor_frame *frame, uint32_t first, uint32_t end,
                              double span) {
    if (c->n_levels == c->cap_levels) {
        lode_status status = vec_grow(&c->run->task->job->mem, (void **)&c->levels, c->n_levels,
                                      &c->cap_levels, 1, sizeof *c->levels);
        if (status != LODE_OK) return status;
    }
    c->levels[c->n_levels++] =

        (tensor_level){
            .frame = frame, .first = first, .end = end, .span = span, .first_class = c->n_classes};
    return LODE_OK;
}

static void level_forget(consumer *c, tensor_level *level) {
    tensor_found_release(&c->run->task->job->mem, level->found);
    level->found = NULL;
}

/* The frames below the root belong to their levels. */
static void level_pop(consumer *c) {
    tensor_level *level = &c->levels[--c->n_levels];
    progress_retire(&c->run->task->job->at, &c->progress, level->span + level->below);
    level_forget(c, level);
    c->n_classes = level->first_class;
    if (c->n_levels > 0) tensor_frame_release(&c->run->task->job->mem, level->frame);
}

static uint32_t level_depth(const consumer *c) {
    return (uint32_t)c->n_levels - 1;
}

/* ---- progress: how the span of a level divides ----------------------------------------------- */

/* The work below a child, to compare it with others. */
static double child_weight(const void *user, uint32_t i) {
    const consumer *c = user;
    product_child child = c->products->child(c->device, level_depth(c), i);
    const forecast_how how = {.power = TENSOR_POWER, .skip_perfect = true};
    forecast_class of = {.n = child.n,
                         .supports = child.supports,
                         .of = child.support,
                         .min_count = threshold(c->run),
                         .more = items_to_add(c->run, level_depth(c))};
    return forecast_below(&of, &how);
}

/* Whether it pays to look into the classes below. */
static bool span_is_divided(const consumer *c, double span) {
    return span >= FORECAST_SPAN && c->products->child && c->run->spans.is_long;
}

/* Takes out the span of rows [first, end) of a level below the root: the first rows of a class have
 * the most others behind them. */
static double span_rows(const consumer *c, tensor_level *level, uint32_t first, uint32_t end) {
    const class_span *of = c->classes + level->first_class;
    double span = 0;
    if (level->n_classes == 0) span = level->span * (end - first) / (level->end - first);
    for (uint32_t i = 0, from = 0; i < level->n_classes && from < end; from = of[i++].end) {
        if (of[i].end <= first) continue;
        double n = of[i].end - from, behind = first > from ? of[i].end - first : n;
        double then = end < of[i].end ? of[i].end - end : 0;
        span += of[i].span * (behind * behind - then * then) / (n * n);
    }
    if (end == level->end) span = level->span;
    level->span -= span;
    return span;
}

/* Rows of the root were counted. */
static lode_status span_roots(consumer *c, tensor_level *level, double cubes, double *done) {
    tensor_run *run = c->run;
    double below = -1;
    if (c->products->child && run->spans.is_long && !run->spans.is_sure) {
        double span = (double)(level->first - level->counted) / run->root.root.n_rows;
        below = tensor_parts_make(&level->parts, level->n_children, span, child_weight, c);
    }
    pthread_mutex_lock(&run->lock);
    tensor_part part = tensor_spans_take(&run->spans, level->counted, level->first, cubes, below);
    pthread_mutex_unlock(&run->lock);
    level->below = part.span - part.done;
    *done = part.done;
    if (below >= 0) return LODE_OK;
    lode_status status = tensor_spans_children(&run->task->job->mem, &run->spans, level->counted,
                                               level->first, level->n_children, &c->children);
    if (status == LODE_OK) forecast_to_rest(c->children.of, level->n_children);
    return status;
}

/* Rows further down were counted. */
static double span_further(consumer *c, tensor_level *level, double cubes) {
    double span = span_rows(c, level, level->counted, level->first);
    double below = level->n_children * CHILD_CUBES * TENSOR_CUBE_WORK;
    if (level->n_children > 1 && span_is_divided(c, span)) {
        below = tensor_parts_make(&level->parts, level->n_children, span, child_weight, c);
    }
    double done = level->n_children > 0 ? span * cubes / (cubes + below) : span;
    level->below = span - done;
    return done;
}

/* Rows were counted: what is above the children of these is done, with their cubes. */
static lode_status span_counted(consumer *c, tensor_level *level, uint32_t n_cubes) {
    lode_status status = LODE_OK;
    double done = 0, cubes = n_cubes * TENSOR_CUBE_WORK;
    level->parts.n_children = 0;
    if (level_depth(c) == 0) {
        status = span_roots(c, level, cubes, &done);
    } else {
        done = span_further(c, level, cubes);
    }
    if (level->n_children == 0) {
        done += level->below;
        level->below = 0;
    }
    progress_retire(&c->run->task->job->at, &c->progress, done);
    return status;
}

/* The share of a child in what is left of the span of its level. */
static double child_share(const consumer *c, const tensor_level *level, uint32_t i) {
    bool foreseen = level_depth(c) == 0 && level->parts.n_children == 0;
    return foreseen ? c->children.of[i]
                    : tensor_parts_share(&level->parts, level->n_children, i, i + 1);
}

/* Takes out the span of children [first, end), which were pushed, and notes the classes that they
 * have become if that pays. */
static lode_status span_pushed(consumer *c, tensor_level *level, uint32_t first, uint32_t end,
                               double *span) {
    uint32_t n = end - first, n_rows = 0;
    double all = level->below;
    bool notes = n > 1 && span_is_divided(c, all);
    *span = 0;
    if (notes && c->cap_classes - c->n_classes < n) {
        lode_status status = vec_grow(&c->run->task->job->mem, (void **)&c->classes, c->n_classes,
                                      &c->cap_classes, n, sizeof *c->classes);
        if (status != LODE_OK) return status;
    }
    if (end == level->n_children && !notes) {
        *span = all;
        level->below = 0;
        return LODE_OK;
    }
    for (uint32_t i = first; i < end; i++) {
        double share = level->below * child_share(c, level, i);
        level->below -= share;
        *span += share;
        if (!notes) continue;
        product_child child = c->products->child(c->device, level_depth(c), i);
        for (uint32_t k = 0; k < child.n; k++) n_rows += child.supports[k] != child.support;
        c->classes[c->n_classes++] = (class_span){n_rows, share};
    }
    return LODE_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Counts the next rows of the top frame, and writes what needs no frame of its own. */
static lode_status work_count(consumer *c, tensor_level *level) {
    lode_status status = LODE_OK;
    tensor_run *run = c->run;
    uint32_t depth = level_depth(c);
    product_counted got;
    product_ask ask = {.first = level->first,
                       .end = ask_end(run, level->frame, level->first, level->end),
                       .min_count = threshold(run),
                       .more = items_to_add(run, depth)};
    LODE_TRY(consumer_check(c));
    LODE_TRY(c->products->count(c->device, &ask, &got));
    c->batches++;
    level->counted = got.first;
    level->first = got.end;
    level->child = 0;
    level->n_children = leads_on(run, depth) ? got.n_children : 0;
    if (level->frame) {
        LODE_TRY(tensor_found_make(&run->task->job->mem, level->frame, &got, &ask, &level->found));
        LODE_TRY(consumer_write_rows(c, level->found));
        level->row = level->found->first;
    }
    if (leads_on(run, depth)) LODE_TRY(work_cubes(c, level->found, got.n_cubes));
    LODE_TRY(span_counted(c, level, got.n_cubes));
done:
    return status;
}

/* Makes a frame of the next children of what was counted. */
static lode_status work_push(consumer *c, tensor_level *level) {
    lode_status status = LODE_OK;
    mem *m = &c->run->task->job->mem;
    tensor_frame *frame = NULL;
    uint32_t end, n_rows = 0;
    double span;
    LODE_TRY(consumer_check(c));
    LODE_TRY(c->products->push(c->device, level->child, &end, &n_rows));
    c->batches++;
    size_t first_class = c->n_classes;
    LODE_TRY(span_pushed(c, level, level->child, end, &span));
    if (level->found) {
        LODE_TRY(tensor_frame_push(m, level->found, &level->row, end - level->child, &frame));
    }
    level->child = end;
    LODE_TRY(level_push(c, frame, 0, n_rows, span));
    level = &c->levels[c->n_levels - 1];
    level->first_class = first_class;
    level->n_classes = (uint32_t)(c->n_classes - first_class);
    frame = NULL;
done:
    tensor_frame_release(m, frame);
    return status;
}

/* One step down, ahead or up. */
static lode_status work_step(consumer *c) {
    tensor_level *level = &c->levels[c->n_levels - 1];
    if (level->child < level->n_children) return work_push(c, level);
    level_forget(c, level);
    if (level->first < level->end) return work_count(c, level);
    if (c->n_levels > 1) c->products->pop(c->device);
    level_pop(c);
    return LODE_OK;
}

/* Works off rows [first, end) of the root, and everything below them. */
static lode_status work_rows(consumer *c, uint32_t first, uint32_t end) {
    lode_status status = level_push(c, c->root, first, end, 0);
    while (c->n_levels > 0 && status == LODE_OK) status = work_step(c);
    while (c->n_levels > 0) level_pop(c);
    progress_flush(&c->run->task->job->at, &c->progress);
    return status;
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* Words of rows to compare below a row of the root, roughly. */
static double row_work(const tensor_run *run, uint32_t row) {
    double others = run->root.root.n_rows - row;
    return others * others / 2 * run->root.root.supports[row] / 64;
}

/* The next rows of the root, if there are any. Beside a GPU, a CPU takes small classes only: else
 * all would wait for it. */
static bool take_range(tensor_run *run, bool is_cpu, uint32_t *first, uint32_t *end) {
    pthread_mutex_lock(&run->lock);
    uint32_t left = run->back - run->front, n = left;
    bool beside = is_cpu && !engine_plan_is_cpu(run->task->plan);
    if (run->n_consumers > 1) {
        n = is_cpu                             ? left / CPU_SHARE + 1
            : left / RANGE_SHARE > LEAST_RANGE ? left / RANGE_SHARE
                                               : LEAST_RANGE;
        n = n < left ? n : left;
    }
    if (beside && n > 0 && row_work(run, run->back - 1) > SMALL_WORK) n = 0;
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

static lode_status consumer_open(consumer *c) {
    lode_status status = LODE_OK;
    tensor_run *run = c->run;
    mem *m = &run->task->job->mem;
    backend_slot slot = run->task->plan->slots[c->number];
    c->products = slot.backend->products;
    if (run->how.fetch) {
        LODE_TRY(tensor_writer_open(run->task, &c->writer));
        LODE_TRY(tensor_frame_root(m, &run->root, &c->root));
    }
    product_how how = run->how;
    how.sharers = consumers_on(run->task->plan, slot);
    /* Beside a GPU, what is asked for is meant for that. */
    if (slot.backend == backend_at(0) && !engine_plan_is_cpu(run->task->plan)) {
        how.kernel = PRODUCT_AUTO;
    }
    LODE_TRY(c->products->open(run->task->job, slot.index, device_threads(run), &run->root.root,
                               &how, &c->device));
done:
    return status;
}

static lode_status consumer_work(consumer *c) {
    lode_status status = LODE_OK;
    bool is_cpu = c->run->task->plan->slots[c->number].backend == backend_at(0);
    uint32_t first, end;
    while (take_range(c->run, is_cpu, &first, &end)) {
        status = work_rows(c, first, end);
        bool counts = status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
        lode_status added = counts ? consumer_tally(c) : LODE_OK; /* also if it was stopped */
        if (status == LODE_OK) status = added;
        if (status != LODE_OK) break;
    }
    return status;
}

static lode_status consumer_close(consumer *c, lode_status status) {
    tensor_run *run = c->run;
    mem *m = &run->task->job->mem;
    consumer_result *r = &run->results[c->number];
    if (c->device) {
        r->device = c->products->report(c->device);
        c->products->close(c->device);
    }
    lode_status closed = tensor_writer_close(&c->writer);
    r->output = c->writer.seconds;
    r->batches = c->batches;
    tensor_frame_release(m, c->root);
    mem_free(m, c->levels, c->cap_levels * sizeof *c->levels);
    mem_free(m, c->classes, c->cap_classes * sizeof *c->classes);
    mem_free(m, c->children.of, c->children.cap * sizeof *c->children.of);
    return status != LODE_OK ? status : run_fail(run, closed);
}

static lode_status run_consumer(tensor_run *run, unsigned number) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    consumer c = {.run = run, .number = number, .next_tally = start + TALLY_SECONDS};
    LODE_TRY(consumer_open(&c));
    status = consumer_work(&c);
done:
    run->results[number].busy = os_seconds() - start;
    run_fail(run, status);
    if (status == LODE_OK) status = run_fail(run, write_queue(run, &c.writer, true));
    return consumer_close(&c, status);
}

static lode_status run_thread(void *arg, unsigned worker) {
    tensor_run *run = arg;
    return worker < run->n_consumers ? run_consumer(run, worker) : run_writer(run);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static lode_status run_search(tensor_run *run) {
    lode_job *job = run->task->job;
    tasks_item left;
    run->front = run->range.first;
    run->back = run->range.end;
    tensor_spans_begin(&run->spans, run->range);
    run->n_consumers = run->task->plan->n;
    if (engine_plan_is_cpu(run->task->plan)) {
        run->n_consumers = lease_width(job, run->n_consumers);
    }
    run->n_writers = 0;
    if (run->how.fetch && job->threads > run->n_consumers) {
        run->n_writers = job->threads - run->n_consumers;
    }
    atomic_store(&run->failure, LODE_OK);
    tasks_init(&run->queue);
    tasks_begin(&run->queue, run->n_consumers);
    tasks_close(&run->queue);
    lode_status status =
        parallel_run(job, run->n_consumers + run->n_writers, true, run_thread, run);
    while (tasks_drain(&run->queue, &left)) tensor_task_free(&job->mem, left.record);
    tasks_clear(&run->queue);
    return status;
}

/* Hands over the numbers, also if the search was stopped. */
static lode_status run_add_tally(tensor_run *run, lode_status status) {
    sink_worker *out = NULL;
    bool counts = status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
    if (!counts) return status;
    lode_status added = sink_open_worker(run->task->sink, &out);
    if (added == LODE_OK) {
        added = sink_add_tally(out, run->tally, run->how.target != LODE_TARGET_ALL);
        lode_status closed = sink_close_worker(out);
        if (added == LODE_OK) added = closed;
    }
    return status != LODE_OK ? status : added;
}

/* Searches for numbers if they are all that is wanted. Should one of the sets be too large for
 * that, everything is counted again, set by set. */
static lode_status run_searches(tensor_run *run) {
    mem *m = &run->task->job->mem;
    run->how.fetch = !sink_takes_numbers(run->task->sink);
    if (run->how.fetch) return run_search(run);
    lode_status status = mem_zalloc(m, (void **)&run->tally, TALLY_SIZE * sizeof *run->tally);
    if (status != LODE_OK) return status;
    status = run_search(run);
    /* Whoever counts them next counts them again. */
    atomic_fetch_sub_explicit(&run->task->job->at.patterns, run->shown, memory_order_relaxed);
    if (!run->too_large) status = run_add_tally(run, status);
    mem_free(m, run->tally, TALLY_SIZE * sizeof *run->tally);
    if (!run->too_large) return status;
    job_clear_message(run->task->job);
    run->how.fetch = true;
    progress_begin_pass(&run->task->job->at, 1);
    return run_search(run);
}

static lode_status check_devices(const engine_task *task) {
    for (unsigned i = 0; i < task->plan->n; i++) {
        const lode_backend *backend = task->plan->slots[i].backend;
        if (backend->products) continue;
        return job_fail(task->job, LODE_UNSUPPORTED, "tensor does not run on %s", backend->name);
    }
    return LODE_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void report_add(engine_report *report, const consumer_result *r) {
    const product_report *d = &r->device;
    for (unsigned i = 0; i < PRODUCT_DEPTHS; i++) {
        const product_depth *from = &d->depths[i];
        engine_depth *to = &report->depths[i];
        report->candidates_counted += from->pairs + from->cube_sets;
        to->classes += from->classes;
        to->rows += from->rows;
        to->pairs += from->pairs;
        to->pair_bits += from->pair_bits;
        to->cubes += from->cubes;
        to->cube_sets += from->cube_sets;
        to->cube_bits += from->cube_bits;
    }
    report->n_depths = PRODUCT_DEPTHS;
    report->spilled_bytes += d->spilled_bytes;
    report->slices += d->slices;
    if (!report->product[0]) snprintf(report->product, sizeof report->product, "%s", d->kernel);
    report->batches += r->batches;
    report->bytes_up += d->bytes_up;
    report->bytes_down += d->bytes_down;
    if (d->memory_peak > report->device_memory_peak) report->device_memory_peak = d->memory_peak;
    report->times.transfer += d->transfer;
    report->times.candidate += d->candidate;
    report->times.counting += d->counting;
    report->times.output += r->output;
}

static void run_report(const tensor_run *run) {
    engine_report *report = run->task->report;
    unsigned n = run->n_consumers;
    double sum = 0, longest = 0;
    for (unsigned i = 0; i < n; i++) {
        report_add(report, &run->results[i]);
        sum += run->results[i].busy;
        if (run->results[i].busy > longest) longest = run->results[i].busy;
    }
    report->times.transfer /= n;
    report->times.candidate /= n;
    report->times.counting /= n;
    report->times.output /= n;
    report->utilisation = longest > 0 ? sum / (n * longest) : 1;
    report->n_devices = n;
    report->n_threads = n + run->n_writers;
    report->candidates_generated = report->candidates_counted;
    while (report->n_depths > 0 && report->depths[report->n_depths - 1].rows == 0) {
        report->n_depths--;
    }
    report->frequent_items = run->root.root.n_rows - run->root.skip;
}

/* Says what the search starts from. */
static void explain(const tensor_run *run) {
    const product_root *root = &run->root.root;
    engine_report *report = run->task->report;
    size_t length = strlen(report->why);
    uint32_t n = root->n_rows - run->root.skip;
    if (n == 0) return;
    char percent[FIGURE_BYTES];
    double density = (double)run->root.n_occurrences / (double)root->n_columns / n;
    snprintf(report->why + length, sizeof report->why - length,
             "; starts from %s: %u frequent items, density %s%%", root->rows ? "bit rows" : "lists",
             n, figure_percent(density, percent));
}

/* ---- the engine ------------------------------------------------------------------------------ */

static lode_status tensor_run_task(engine_task *task) {
    static const product_kernel kernels[] = {
        [LODE_PRODUCT_AUTO] = PRODUCT_AUTO,
        [LODE_PRODUCT_POPC] = PRODUCT_POPC,
        [LODE_PRODUCT_MMA] = PRODUCT_MMA,
        [LODE_PRODUCT_WGMMA] = PRODUCT_WGMMA,
    };
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    lode_target target = task->options->target;
    tensor_run run = {.task = task, .n_consumers = task->plan->n};
    size_t results_bytes = task->plan->n * sizeof *run.results;
    double start = os_seconds();
    run.how.target = target == LODE_TARGET_TOP ? LODE_TARGET_ALL : target;
    run.how.kernel = kernels[task->options->product];
    pthread_mutex_init(&run.lock, NULL);
    LODE_TRY(check_devices(task));
    LODE_TRY(mem_zalloc(m, (void **)&run.results, results_bytes));
    LODE_TRY(tensor_root_make(task, &run.root));
    run.range = prepare_range(task, run.root.root.n_rows - run.root.skip);
    run.range.first += run.root.skip;
    run.range.end += run.root.skip;
    LODE_TRY(tensor_spans_make(task, &run.root, run.range, &run.spans));
    task->report->times.preprocess = os_seconds() - start;
    explain(&run);
    if (run.range.first < run.range.end) status = run_searches(&run);
    run_report(&run);
done:
    tensor_spans_clear(m, &run.spans);
    tensor_root_clear(task, &run.root);
    mem_free(m, run.results, results_bytes);
    pthread_mutex_destroy(&run.lock);
    return status;
}

static uint64_t tensor_need(const engine_sizes *s) {
    uint64_t root = tensor_root_need(s);
    return root + root / 2 + s->threads * ((uint64_t)192 << 10);
}

/* All pairs of the items, over whole rows, as often as it takes to be as quick as one word of a
 * CPU. There it would never be better than adaptive. */
static double tensor_estimate(const engine_task *task) {
    double n = (double)task->data->profile.n_items;
    for (unsigned i = 0; i < task->plan->n; i++) {
        if (!task->plan->slots[i].backend->products) return INFINITY;
    }
    if (engine_plan_is_cpu(task->plan)) return INFINITY;
    return n * n / 2 * (double)task->data->profile.n_transactions / 64 / 50;
}

const lode_engine lode_engine_tensor = {
    .name = "tensor",
    .summary = "Counts pairs by products of bit matrices, on tensor cores where there are any.",
    .oracle = false,
    .weights = false,
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES | ENGINE_PRODUCT,
    .estimate = tensor_estimate,
    .need = tensor_need,
    .prepare = tensor_root_prepare,
    .run = tensor_run_task,
};
