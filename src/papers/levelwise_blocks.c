/* levelwise_blocks.c - processes a level in blocks that fit into memory
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise_team.h"

#define BLOCK_SHARE      8 /* of the memory that is left, an eighth is for one block … */
#define BLOCK_BYTES      ((size_t)256 << 20) /* … but no more than this */
#define BLOCK_ROW_BYTES  ((size_t)64 << 20)  /* rows of candidates not yet known to be frequent */
#define BLOCK_ROWS_LEAST 256
#define BLOCK_MOST       65536 /* candidates between two looks at the clock */

/* ---- blocks -------------------------------------------------------------------------------- */

/* What the budget leaves, and the memory of earlier blocks, which the next one uses again. */
static size_t block_room(const levelwise *w) {
    size_t left = mem_left(w->mem);
    if (left == SIZE_MAX) return left;
    return left + w->cap_pairs * sizeof *w->pairs + w->counts.cap * sizeof *w->counts.data +
           levelwise_team_scratch(w);
}

size_t levelwise_share(const levelwise *w) {
    size_t room = block_room(w);
    return room / BLOCK_SHARE < BLOCK_BYTES ? room / BLOCK_SHARE : BLOCK_BYTES;
}

/* Candidates that the next block may have. */
static size_t block_most(const levelwise *w, size_t bytes_per_candidate) {
    size_t most = levelwise_share(w) / bytes_per_candidate;
    if (w->n_team == 0) return most;
    size_t rows = BLOCK_ROW_BYTES / (w->v.words * sizeof(uint64_t) + 1); /* while they count */
    size_t fill = levelwise_team_fill(w), trial = levelwise_team_most(w);
    if (rows < BLOCK_ROWS_LEAST) rows = BLOCK_ROWS_LEAST;
    rows *= w->n_team;
    if (rows > BLOCK_MOST) rows = BLOCK_MOST; /* so that a cancel is seen soon */
    if (rows < fill) rows = fill;
    if (rows > trial) rows = trial;
    return most < rows ? most : rows;
}

lode_status levelwise_reserve(levelwise *w, size_t n) {
    lode_status status = LODE_OK;
    if (w->cap_pairs < n) {
        LODE_TRY(vec_grow(w->mem, (void **)&w->pairs, 0, &w->cap_pairs, n, sizeof *w->pairs));
    }
    w->counts.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->counts, n));
done:
    return status;
}

lode_status levelwise_too_large(levelwise *w, size_t candidates, size_t bytes) {
    uint64_t all = 2 * (w->mem->budget - block_room(w) + bytes); /* later levels take some, too */
    return job_over_budget(
        w->job, all, "level-wise mining, with %zu candidates of %u items that cannot be split,",
        candidates, w->k);
}

lode_status levelwise_do_blocks(levelwise *w) {
    lode_status status = LODE_OK;
    const levelwise_method *method = w->method;
    size_t bytes_per_candidate = method->candidate_bytes(w);
    double joined = 0;
    if (method->begin_blocks) LODE_TRY(method->begin_blocks(w));
    for (uint32_t first = 0; first < w->n_sets;) {
        /* Asked every time, as the rows of the blocks before have taken memory since. */
        size_t most = block_most(w, bytes_per_candidate);
        size_t bound = w->group_end.data[first] - first - 1;
        uint32_t end = first + 1;
        while (end < w->n_sets && bound + (w->group_end.data[end] - end - 1) <= most) {
            bound += w->group_end.data[end] - end - 1;
            end++;
        }
        if (bound * bytes_per_candidate > block_room(w)) {
            LODE_TRY(levelwise_too_large(w, bound, bound * bytes_per_candidate));
        }
        LODE_TRY(levelwise_tick(w, w->joins[0] > 0 ? joined / w->joins[0] : 0));
        w->threshold = job_threshold(w->job);
        if (bound > 0) {
            LODE_TRY(method->block(w, first, end, bound));
            LODE_TRY(levelwise_settle(w));
        }
        joined += (double)bound;
        first = end;
    }
done:
    return status;
}

/* ---- settling ------------------------------------------------------------------------------ */

/* Reports the frequent ones among pairs [i, end), which share their left set. */
static lode_status settle_report_run(levelwise *w, size_t i, size_t end) {
    lode_status status = LODE_OK;
    uint32_t n_prefix = w->k - 1;
    const uint32_t *ids = w->v.ids;
    w->prefix.n = w->out_ids.n = w->out_supports.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->prefix, n_prefix));
    LODE_TRY(vec_u32_reserve(w->mem, &w->out_ids, end - i));
    LODE_TRY(vec_u64_reserve(w->mem, &w->out_supports, end - i));
    w->method->sets->items(w, w->pairs[i].a, w->prefix.data);
    for (uint32_t j = 0; j < n_prefix; j++) w->prefix.data[j] = ids[w->prefix.data[j]];
    for (; i < end; i++) {
        if (w->counts.data[i] < w->threshold) continue;
        w->out_ids.data[w->out_ids.n++] = ids[levelwise_extra(w, w->pairs[i])];
        w->out_supports.data[w->out_supports.n++] = w->counts.data[i];
    }
    lode_batch batch = {
        .prefix = w->prefix.data,
        .n_prefix = n_prefix,
        .items = w->out_ids.data,
        .supports = w->out_supports.data,
        .n = (uint32_t)w->out_ids.n,
    };
    LODE_TRY(sink_emit(w->sink, &batch));
done:
    return status;
}

lode_status levelwise_emit(levelwise *w) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < w->n_pairs;) {
        size_t end = i + 1;
        bool any = w->counts.data[i] >= w->threshold;
        while (end < w->n_pairs && w->pairs[end].a == w->pairs[i].a) {
            any = any || w->counts.data[end] >= w->threshold;
            end++;
        }
        if (any) LODE_TRY(settle_report_run(w, i, end));
        i = end;
    }
done:
    levelwise_lap(w, &w->task->report->times.output);
    return status;
}

/* The row of candidate i becomes that of its set. */
static lode_status settle_keep_row(levelwise *w, size_t i) {
    lode_status status = LODE_OK;
    uint32_t home = i < w->dst_homes.n ? w->dst_homes.data[i] : 0, row = w->dst.data[i];
    LODE_TRY(vec_u32_push(w->mem, &w->kept_rows, home == 0 ? row : BACKEND_NO_ROW));
    if (w->n_team > 1) {
        LODE_TRY(vec_u32_push(w->mem, &w->kept_homes, home));
        LODE_TRY(vec_u32_push(w->mem, &w->kept_far_rows, home == 0 ? BACKEND_NO_ROW : row));
    }
    w->dst.data[i] = BACKEND_NO_ROW;
done:
    return status;
}

/* Keeps candidate i for the next level. */
static lode_status settle_keep(levelwise *w, size_t i) {
    lode_status status = LODE_OK;
    LODE_TRY(w->method->sets->keep(w, w->pairs[i]));
    if (w->method->keeps_rows) LODE_TRY(settle_keep_row(w, i));
    LODE_TRY(vec_u32_push(w->mem, &w->kept_left, w->pairs[i].a));
done:
    return status;
}

lode_status levelwise_settle(levelwise *w) {
    lode_status status = LODE_OK;
    bool grows = w->k < w->task->items.options->max_size;
    w->tally->counted += w->n_pairs;
    LODE_TRY(levelwise_emit(w));
    for (size_t i = 0; i < w->n_pairs; i++) {
        if (w->counts.data[i] >= w->threshold) {
            w->tally->frequent++;
            if (!grows) continue;
            LODE_TRY(settle_keep(w, i));
        }
    }
    levelwise_give_rows(w, &w->dst, &w->dst_homes);
    levelwise_lap(w, &w->tally->candidate);
done:
    return status;
}
