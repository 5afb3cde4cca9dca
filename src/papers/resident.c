/* resident.c - see resident.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/resident.h"

#include "papers/bit_sets.h"
#include "write/itemsets/item_sink.h"

static bool resident_grows(const levelwise *w) {
    return w->k < w->task->items.options->max_size;
}

lode_status resident_start(levelwise *w) {
    resident *r = w->state;
    const bit_sets *s = w->sets;
    backend_level level;
    r->stays = levelwise_may_stay(w);
    if (!r->stays) return LODE_OK;
    return w->ops->levels->start(w->papers, w->v.n_items, s->words, &level);
}

/* ---- down to the host ---------------------------------------------------------------------- */

/* The table of the level, for the items of its sets. */
static lode_status resident_bring_table(levelwise *w) {
    lode_status status = LODE_OK;
    resident *r = w->state;
    bit_sets *s = w->sets;
    if (r->has_table) return LODE_OK;
    s->table.n = 0;
    LODE_TRY(vec_u64_reserve(w->mem, &s->table, w->n_sets * s->words));
    LODE_TRY(w->ops->levels->table(w->papers, s->table.data));
    s->table.n = w->n_sets * s->words;
    LODE_TRY(bit_sets_find_last(w));
    r->has_table = true;
done:
    return status;
}

/* What the last join found, as the pairs of a block. */
static lode_status resident_bring_found(levelwise *w, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(levelwise_reserve(w, n));
    LODE_TRY(w->ops->levels->found(w->papers, w->pairs, w->counts.data));
    w->n_pairs = n;
done:
    return status;
}

/* Keeps pairs on the host; the first n_rows of them have rows. */
static lode_status resident_keep_here(levelwise *w, size_t n, size_t n_rows) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = BACKEND_NO_ROW;
        if (i < n_rows) row = backend_level_row(w->v.n_items, w->k, (uint32_t)i);
        LODE_TRY(job_check(w->job));
        LODE_TRY(w->method->sets->keep(w, w->pairs[i]));
        LODE_TRY(vec_u32_push(w->mem, &w->kept_rows, row));
        LODE_TRY(vec_u32_push(w->mem, &w->kept_left, w->pairs[i].a));
    }
done:
    return status;
}

/* Whether a list is the row of a set: of the level, or of those kept. */
static bool resident_uses_list(const levelwise *w, uint32_t list) {
    const resident *r = w->state;
    if (list % 2 == w->k % 2) return list / 2 < r->n_rows;
    return w->k > 2 && list / 2 < w->n_sets;
}

/* One past the highest list of the sets of k items, n of which have rows. */
static uint32_t resident_lists_end(uint32_t k, uint32_t n) {
    return n > 0 ? 2 * (n - 1) + k % 2 + 1 : 0;
}

/* Takes the lists that are in use from the pool, which has not been asked before. Those between
 * them are given back: all up to the highest are backed by memory, and no others. */
static lode_status resident_take_lists(levelwise *w) {
    lode_status status = LODE_OK;
    const resident *r = w->state;
    uint32_t end = resident_lists_end(w->k - 1, w->k > 2 ? w->n_sets : 0);
    uint32_t kept = resident_lists_end(w->k, r->n_rows);
    if (kept > end) end = kept;
    for (uint32_t i = 0; i < end; i++) {
        LODE_TRY(job_check(w->job));
        LODE_TRY(list_pool_prepare(&w->pool));
        (void)list_pool_take(&w->pool);
    }
    for (uint32_t i = 0; i < end; i++) {
        if (!resident_uses_list(w, i)) list_pool_give(&w->pool, w->pool.first + i);
    }
done:
    return status;
}

/* Brings what the device has: from here on, kept sets are the host's. */
static lode_status resident_come_down(levelwise *w) {
    lode_status status = LODE_OK;
    resident *r = w->state;
    LODE_TRY(resident_bring_table(w));
    LODE_TRY(resident_take_lists(w));
    w->rows.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->rows, w->n_sets));
    for (uint32_t i = 0; i < w->n_sets; i++) {
        w->rows.data[i] = backend_level_row(w->v.n_items, w->k - 1, i);
    }
    w->rows.n = w->n_sets;
    LODE_TRY(levelwise_reserve(w, r->n_kept));
    LODE_TRY(w->ops->levels->kept(w->papers, w->pairs));
    LODE_TRY(resident_keep_here(w, r->n_kept, r->n_rows));
    r->comes_down = true;
done:
    return status;
}

/* ---- a level ------------------------------------------------------------------------------- */

/* Makes lists ready for n more kept sets. Returns how many of them get one; those that have rows
 * come first. */
static uint32_t resident_back_lists(const levelwise *w, uint32_t n) {
    const resident *r = w->state;
    uint32_t odd = w->k % 2, most = w->pool.limit / 2 + (odd ? 0 : w->pool.limit % 2);
    if (r->n_rows < r->n_kept || r->n_kept >= most) return 0;
    uint32_t end = most - r->n_kept < n ? most : r->n_kept + n;
    if (w->backend->back_lists(w->device, resident_lists_end(w->k, end)) != LODE_OK) return 0;
    return end - r->n_kept;
}

static lode_status resident_keep(levelwise *w, uint32_t n) {
    resident *r = w->state;
    uint32_t n_rows = resident_back_lists(w, n);
    lode_status status = w->ops->levels->keep(w->papers, n_rows);
    if (status == LODE_BUDGET) return resident_come_down(w);
    if (status != LODE_OK) return status;
    r->n_kept += n;
    r->n_rows += n_rows;
    uint32_t in_use = r->n_rows + (w->k > 2 ? w->n_sets : 0);
    if (in_use > w->pool.peak) w->pool.peak = in_use;
    levelwise_lap_count(w);
    return LODE_OK;
}

static lode_status resident_report(levelwise *w, size_t n) {
    lode_status status = LODE_OK;
    const resident *r = w->state;
    if (r->numbers) return sink_add_number(w->sink, w->k, n);
    LODE_TRY(resident_bring_table(w));
    levelwise_lap(w, &w->task->report->times.transfer);
    LODE_TRY(levelwise_emit(w));
done:
    return status;
}

/* What becomes of the n sets that the last join found. */
static lode_status resident_settle(levelwise *w, uint32_t n) {
    lode_status status = LODE_OK;
    const resident *r = w->state;
    bool grows = resident_grows(w);
    if (grows && !r->comes_down) LODE_TRY(resident_keep(w, n));
    bool here = grows && r->comes_down;
    if (here || !r->numbers) LODE_TRY(resident_bring_found(w, n));
    if (here) LODE_TRY(resident_keep_here(w, n, 0));
    LODE_TRY(resident_report(w, n));
done:
    return status;
}

static lode_status resident_join(levelwise *w, uint64_t first, uint64_t end) {
    lode_status status = LODE_OK;
    const bit_sets *s = w->sets;
    engine_level *t = w->tally;
    backend_joined joined = {0};
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    LODE_TRY(w->ops->levels->join(w->papers, first, end, min_count, &joined));
    uint64_t candidates = joined.generated - joined.pruned;
    t->generated += joined.generated;
    t->pruned += joined.pruned;
    t->counted += candidates;
    t->frequent += joined.n;
    t->candidate_bytes += candidates * s->words * sizeof(uint64_t);
    levelwise_lap_join(w, joined.count_seconds);
    if (joined.n > 0) LODE_TRY(resident_settle(w, (uint32_t)joined.n));
done:
    return status;
}

/* Joins of the next call: what the device can do at a time, and the host can take. */
static uint64_t resident_most(const levelwise *w) {
    const resident *r = w->state;
    uint64_t most = w->ops->levels->most(w->papers);
    if (r->numbers && !r->comes_down) return most;
    uint64_t here = levelwise_share(w) / (sizeof *w->pairs + sizeof *w->counts.data);
    return here == 0 ? 1 : here < most ? here : most;
}

lode_status resident_level(levelwise *w) {
    lode_status status = LODE_OK;
    resident *r = w->state;
    uint64_t end;
    *r = (resident){.stays = true, .numbers = sink_takes_numbers(w->task->sink)};
    for (uint64_t first = 0; first < w->n_joins; first = end) {
        uint64_t most = resident_most(w);
        end = w->n_joins - first < most ? w->n_joins : first + most;
        LODE_TRY(levelwise_tick(w, (double)first / (double)w->n_joins));
        w->threshold = job_threshold(w->job);
        LODE_TRY(resident_join(w, first, end));
    }
done:
    return status;
}

lode_status resident_advance(levelwise *w, bool *advanced) {
    lode_status status = LODE_OK;
    resident *r = w->state;
    backend_level level = {0};
    *advanced = false;
    if (!r->stays) return LODE_OK;
    if (!r->comes_down && r->n_rows == r->n_kept) {
        status = w->ops->levels->advance(w->papers, &level);
        if (status == LODE_OK) {
            w->n_sets = level.n_sets;
            w->n_joins = level.n_joins;
            *advanced = true;
        }
        if (status != LODE_BUDGET) return status;
    }
    if (!r->comes_down) LODE_TRY(resident_come_down(w));
    w->ops->levels->stop(w->papers);
    r->stays = false;
    status = LODE_OK;
done:
    return status;
}
