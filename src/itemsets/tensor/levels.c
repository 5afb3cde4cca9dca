/* levels.c - the depth-first search of one consumer: a stack of levels, and one call of the device
 * in each step; see run.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/check.h"
#include "base/os.h"
#include "itemsets/tensor/run.h"

#define FOUND_BYTES  ((size_t)512 << 20) /* the most that one call may find … */
#define BUDGET_SHARE 8 /* … or this part (1/8) of what the memory budget has left */

/* Whether --max-size allows sets of one item more than the rows of this depth. */
static bool leads_on(const tensor_run *run, uint32_t depth) {
    return depth + 1 < run->task->items.options->max_size;
}

/* Whether to go on; called before every call of the device. The first consumer runs on the caller's
 * thread and also reports progress. */
static lode_status consumer_check(tensor_consumer *c) {
    tensor_run *run = c->run;
    int failure = atomic_load_explicit(&run->failure, memory_order_relaxed);
    if (failure != LODE_OK) return (lode_status)failure;
    if (os_seconds() >= c->next_tally) {
        lode_status status = tensor_tally_collect(c);
        c->next_tally = os_seconds() + TENSOR_TALLY_SECONDS;
        if (status != LODE_OK) return status;
    }
    if (c->number > 0) return job_check(run->task->job);
    return job_tick(run->task->job, 0, 0);
}

/* ---- the stack ------------------------------------------------------------------------------ */

static lode_status level_push(tensor_consumer *c, tensor_frame *frame, uint32_t first, uint32_t end,
                              double span) {
    if (c->n_levels == c->cap_levels) {
        lode_status status = vec_grow(tensor_mem(c->run), (void **)&c->levels, c->n_levels,
                                      &c->cap_levels, 1, sizeof *c->levels);
        if (status != LODE_OK) return status;
    }
    c->levels[c->n_levels++] = (tensor_level){
        .frame = frame, .first = first, .end = end, .span = span, .first_class = c->n_classes};
    return LODE_OK;
}

/* Drops what the last count() found. */
static void level_forget(tensor_consumer *c, tensor_level *level) {
    tensor_found_release(tensor_mem(c->run), level->found);
    level->found = NULL;
}

/* Releases the frame of the level too, except that of the root, which is kept for all ranges. */
static void level_pop(tensor_consumer *c) {
    tensor_level *level = &c->levels[--c->n_levels];
    progress_retire(&c->run->task->job->at, &c->progress, level->span + level->below);
    level_forget(c, level);
    c->n_classes = level->first_class;
    if (c->n_levels > 0) tensor_frame_release(tensor_mem(c->run), level->frame);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Returns up to which row to count in one call: even if all pairs are frequent, they must fit into
 * the memory of the host. */
static uint32_t request_end(const tensor_run *run, const tensor_frame *frame, uint32_t first,
                            uint32_t end) {
    if (!frame) return end;
    size_t bytes = mem_left(tensor_mem(run)) / BUDGET_SHARE;
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

static lode_status step_lattices(tensor_consumer *c, tensor_found *found, uint32_t n_lattices) {
    lode_status status = LODE_OK;
    product_lattices lattices;
    for (uint32_t first = 0; first < n_lattices; first = lattices.end) {
        LODE_TRY(consumer_check(c));
        LODE_TRY(c->products->lattices(c->device, first, &lattices));
        c->batches++;
        LODE_DEBUG_CHECK(first < lattices.end && lattices.end <= n_lattices,
                         "lattices %u to %u were counted, but there are %u", first, lattices.end,
                         n_lattices);
        if (found) LODE_TRY(tensor_write_lattices(c, found, &lattices));
    }
done:
    return status;
}

/* Counts the next rows of the top frame, and works off their lattices. */
static lode_status step_count(tensor_consumer *c, tensor_level *level) {
    lode_status status = LODE_OK;
    tensor_run *run = c->run;
    uint32_t depth = tensor_depth(c);
    product_counted got;
    product_request request = {.first = level->first,
                               .end = request_end(run, level->frame, level->first, level->end),
                               .min_count = tensor_threshold(run),
                               .max_added = tensor_items_to_add(run, depth)};
    LODE_TRY(consumer_check(c));
    LODE_TRY(c->products->count(c->device, &request, &got));
    c->batches++;
    LODE_DEBUG_CHECK(got.first == request.first && got.first < got.end && got.end <= request.end,
                     "rows %u to %u were counted instead of %u to %u", got.first, got.end,
                     request.first, request.end);
    level->counted = got.first;
    level->first = got.end;
    level->child = 0;
    level->n_children = leads_on(run, depth) ? got.n_children : 0;
    if (level->frame) {
        LODE_TRY(tensor_found_make(tensor_mem(run), level->frame, &got, &request, &level->found));
        LODE_TRY(tensor_write_rows(c, level->found));
        level->row = level->found->first;
    }
    if (leads_on(run, depth)) LODE_TRY(step_lattices(c, level->found, got.n_lattices));
    LODE_TRY(tensor_level_counted(c, level, got.n_lattices));
done:
    return status;
}

/* Makes a frame of the next counted children. */
static lode_status step_push(tensor_consumer *c, tensor_level *level) {
    lode_status status = LODE_OK;
    mem *m = tensor_mem(c->run);
    tensor_frame *frame = NULL;
    uint32_t end, n_rows = 0;
    double span;
    LODE_TRY(consumer_check(c));
    LODE_TRY(c->products->push(c->device, level->child, &end, &n_rows));
    c->batches++;
    size_t first_class = c->n_classes;
    LODE_TRY(tensor_level_pushed(c, level, level->child, end, &span));
    if (level->found) {
        LODE_TRY(tensor_frame_push(m, level->found, &level->row, end - level->child, &frame));
        LODE_DEBUG_CHECK(frame->n_rows == n_rows, "a frame has %u rows here, but %u on its device",
                         frame->n_rows, n_rows);
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

/* One step down (push), ahead (count) or up (pop). */
static lode_status step_next(tensor_consumer *c) {
    tensor_level *level = &c->levels[c->n_levels - 1];
    if (level->child < level->n_children) return step_push(c, level);
    level_forget(c, level);
    if (level->first < level->end) return step_count(c, level);
    if (c->n_levels > 1) c->products->pop(c->device);
    level_pop(c);
    return LODE_OK;
}

lode_status tensor_search_rows(tensor_consumer *c, uint32_t first, uint32_t end) {
    lode_status status = level_push(c, c->root, first, end, 0);
    while (c->n_levels > 0 && status == LODE_OK) status = step_next(c);
    while (c->n_levels > 0) level_pop(c);
    LODE_DEBUG_CHECK(c->n_classes == 0, "%zu spans of classes are left after the search",
                     c->n_classes);
    progress_flush(&c->run->task->job->at, &c->progress);
    return status;
}
