/* levelwise.c - the run of a level-wise miner: start, level after level, stop
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise_team.h"

#include "base/os.h"
#include "itemsets/common/prepare.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

#define HOST_BYTES ((size_t)1 << 20)

/* ---- levels -------------------------------------------------------------------------------- */

/* Bytes that went to the devices and came from them so far. */
static void level_bytes(const levelwise *w, uint64_t *up, uint64_t *down) {
    *up = *down = 0;
    for (unsigned i = 0; i < w->n_team; i++) {
        const levelwise_member *m = &w->team[i];
        backend_counters c = m->backend->counters(m->device);
        *up += c.bytes_up;
        *down += c.bytes_down;
    }
}

static void level_begin(levelwise *w) {
    engine_report *report = w->task->report;
    w->tally = report->n_levels < LODE_REPORT_LEVELS ? &report->levels[report->n_levels++]
                                                     : &w->spare_tally;
    *w->tally = (engine_level){.size = w->k};
    w->lap = os_seconds();
    level_bytes(w, &w->level_up, &w->level_down);
    w->kept_left.n = w->kept_rows.n = w->kept_far_rows.n = w->kept_homes.n = 0;
    levelwise_team_begin_level(w);
}

static void level_end(levelwise *w) {
    engine_report *report = w->task->report;
    engine_level *t = w->tally;
    level_bytes(w, &t->bytes_up, &t->bytes_down);
    t->bytes_up -= w->level_up;
    t->bytes_down -= w->level_down;
    t->row_bytes = levelwise_team_row_bytes(w);
    uint64_t rows = w->v.n_items + w->method->paper_rows;
    uint64_t paper = t->candidate_bytes + rows * w->v.words * sizeof *w->v.rows;
    bool by_items = !w->method->keeps_rows && !w->method->horizontal;
    if (by_items && paper > report->candidate_bytes_paper) report->candidate_bytes_paper = paper;
    uint64_t with_rows = t->row_bytes > 0 ? t->candidate_bytes + t->row_bytes : 0;
    report->candidates_generated += t->generated;
    report->candidates_pruned += t->pruned;
    report->candidates_counted += t->counted;
    report->times.candidate += t->candidate;
    report->times.counting += t->counting;
    if (t->candidate_bytes > report->candidate_bytes) report->candidate_bytes = t->candidate_bytes;
    if (with_rows > report->candidate_bytes_with_rows) {
        report->candidate_bytes_with_rows = with_rows;
    }
}

/* Groups are runs of equal left sets. */
static lode_status level_regroup(levelwise *w) {
    size_t n = w->kept_left.n;
    w->group_end.n = 0;
    lode_status status = vec_u32_reserve(w->mem, &w->group_end, n);
    if (status != LODE_OK) return status;
    w->n_joins = 0;
    for (size_t i = n; i-- > 0;) {
        bool same = i + 1 < n && w->kept_left.data[i + 1] == w->kept_left.data[i];
        w->group_end.data[i] = same ? w->group_end.data[i + 1] : (uint32_t)(i + 1);
        w->n_joins += w->group_end.data[i] - i - 1;
    }
    w->group_end.n = n;
    w->n_sets = (uint32_t)n;
    return LODE_OK;
}

static void level_swap(vec_u32 *now, vec_u32 *kept) {
    vec_u32 before = *now;
    *now = *kept;
    *kept = before;
}

/* The kept sets take the place of the present ones, whose rows go back to the pools. */
static lode_status level_advance_here(levelwise *w) {
    lode_status status = LODE_OK;
    levelwise_give_rows(w, &w->rows, NULL);
    levelwise_give_rows(w, &w->far_rows, &w->homes);
    level_swap(&w->rows, &w->kept_rows);
    level_swap(&w->far_rows, &w->kept_far_rows);
    level_swap(&w->homes, &w->kept_homes);
    LODE_TRY(w->method->sets->advance(w));
    LODE_TRY(level_regroup(w));
done:
    return status;
}

static lode_status level_advance(levelwise *w) {
    lode_status status = LODE_OK;
    bool advanced = false;
    if (w->method->advance) LODE_TRY(w->method->advance(w, &advanced));
    if (!advanced) LODE_TRY(level_advance_here(w));
    levelwise_lap(w, &w->tally->candidate);
done:
    return status;
}

static lode_status levels_search(levelwise *w) {
    lode_status status = LODE_OK;
    for (w->k = 2; w->n_sets >= 2 && w->k <= w->task->items.options->max_size; w->k++) {
        level_begin(w);
        levelwise_begin_progress(w);
        status = w->method->level ? w->method->level(w) : levelwise_do_blocks(w);
        w->done += w->span;
        if (status == LODE_OK) status = level_advance(w);
        level_end(w);
        if (status != LODE_OK) break;
    }
    return status;
}

/* ---- start and stop ------------------------------------------------------------------------ */

static lode_status levelwise_start(levelwise *w) {
    lode_status status = LODE_OK;
    engine_report *report = w->task->report;
    double begin = os_seconds() - report->start_seconds - report->times.transfer;
    bool levels = w->task->items.options->max_size >= 2; /* else there is nothing to prepare for */
    LODE_TRY(mem_zalloc(w->mem, &w->sets, w->method->sets->state_bytes));
    LODE_TRY(mem_zalloc(w->mem, &w->state, w->method->state_bytes));
    if (w->method->horizontal || !levels) {
        LODE_TRY(prepare_rank(w->task, &w->v));
    } else {
        LODE_TRY(prepare_rows(w->task, &w->v, 2, HOST_BYTES));
    }
    w->n_sets = w->v.n_items;
    w->n_joins = w->n_sets > 0 ? (uint64_t)w->n_sets * (w->n_sets - 1) / 2 : 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->group_end, w->n_sets));
    LODE_TRY(vec_u32_reserve(w->mem, &w->rows, w->n_sets));
    for (uint32_t i = 0; i < w->n_sets; i++) {
        w->group_end.data[i] = w->n_sets;
        w->rows.data[i] = i; /* the permanent row of the item, which every device has */
    }
    w->group_end.n = w->rows.n = w->n_sets;
    if (!w->method->horizontal && levels) LODE_TRY(levelwise_team_open(w));
    if (levels) LODE_TRY(w->method->sets->start(w));
    if (levels && w->method->start) LODE_TRY(w->method->start(w));
    report->times.preprocess =
        os_seconds() - report->start_seconds - report->times.transfer - begin;
done:
    return status;
}

static void levelwise_report(const levelwise *w) {
    engine_report *report = w->task->report;
    report->n_devices = 1;
    report->n_threads = w->threads;
    report->utilisation = 1;
    report->frequent_items = w->v.n_items;
    report->list_bytes = w->v.words * sizeof *w->v.rows;
    if (w->n_team > 0) levelwise_team_report(w);
}

static void levelwise_stop(levelwise *w) {
    mem *m = w->mem;
    if (w->state && w->method->stop) w->method->stop(w);
    if (w->sets) w->method->sets->stop(w);
    mem_free(m, w->state, w->method->state_bytes);
    mem_free(m, w->sets, w->method->sets->state_bytes);
    levelwise_team_close(w);
    vertical_clear(&w->v);
    mem_free(m, w->pairs, w->cap_pairs * sizeof *w->pairs);
    vec_u32 *vectors[] = {&w->group_end, &w->rows,      &w->far_rows,      &w->homes,
                          &w->kept_left, &w->kept_rows, &w->kept_far_rows, &w->kept_homes,
                          &w->counts,    &w->dst,       &w->dst_homes,     &w->work_index,
                          &w->lists,     &w->prefix,    &w->out_ids};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) vec_u32_free(m, vectors[i]);
    vec_u64_free(m, &w->out_supports);
}

static lode_status levelwise_search(void *arg, unsigned worker) {
    (void)worker;
    levelwise *w = arg;
    lode_status status = LODE_OK;
    LODE_TRY(sink_open_worker(w->task->sink, &w->sink));
    lode_batch items = {.items = w->v.ids, .supports = w->v.supports, .n = w->v.n_items};
    status = sink_emit(w->sink, &items);
    if (status == LODE_OK) status = levels_search(w);
    lode_status closed = sink_close_worker(w->sink);
    if (status == LODE_OK) status = closed;
done:
    return status;
}

lode_status levelwise_run(engine_task *task, const levelwise_method *method) {
    levelwise w = {.task = task, .method = method, .job = task->job, .mem = &task->job->mem};
    w.options = valid_papers(task->items.options->papers);
    w.threads = task->plan->n; /* a device, virtual or not, takes one */
    lode_status status = levelwise_start(&w);
    if (status == LODE_OK) status = parallel_run(task->job, 1, true, levelwise_search, &w);
    levelwise_report(&w);
    levelwise_stop(&w);
    return status;
}

/* Rows, and the sets of a level, of which there may be any number. */
uint64_t levelwise_need(const engine_sizes *sizes) {
    uint64_t rows = engine_need_rows(sizes);
    return rows + rows / 2 + ((uint64_t)512 << 10);
}

/* Level-wise miners count what a depth-first one counts, and keep it: never less work. */
double levelwise_estimate(const engine_task *task) {
    double n = (double)task->items.data->profile.n_items;
    return 2 * n * n / 2 * (double)task->items.data->profile.n_transactions / 64;
}
