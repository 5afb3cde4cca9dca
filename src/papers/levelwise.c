/* levelwise.c - see levelwise.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise.h"

#include <string.h>

#include "base/os.h"
#include "itemset/forecast.h"
#include "itemset/prepare.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

#define BLOCK_SHARE      8 /* … an eighth of the rest for the candidates of a block … */
#define BLOCK_BYTES      ((size_t)256 << 20) /* … and this much where there is no budget */
#define BLOCK_ROW_BYTES  ((size_t)64 << 20)  /* rows of candidates not yet known to be frequent */
#define BLOCK_ROWS_LEAST 256
#define BLOCK_MOST       65536 /* candidates between two looks at the clock */
#define HOST_BYTES       ((size_t)1 << 20)

/* Ends a lap: how long it was, and how much of it the device's own clock ran. */
static double end_lap(levelwise *w, double *computed) {
    double now = os_seconds(), elapsed = now - w->lap;
    double clock = w->device ? w->backend->counters(w->device).kernel_seconds : 0;
    *computed = clock - w->device_clock;
    w->device_clock = clock;
    w->lap = now;
    return elapsed;
}

void levelwise_lap_count(levelwise *w) {
    double computed, elapsed = end_lap(w, &computed);
    prepare_split_time(elapsed, computed, &w->tally->counting, &w->task->report->times.transfer);
}

void levelwise_lap_join(levelwise *w, double counting) {
    double computed, elapsed = end_lap(w, &computed), both = 0;
    prepare_split_time(elapsed, computed, &both, &w->task->report->times.transfer);
    if (counting > both) counting = both;
    w->tally->counting += counting;
    w->tally->candidate += both - counting;
}

void levelwise_lap(levelwise *w, double *seconds) {
    double computed;
    *seconds += end_lap(w, &computed);
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

/* ---- blocks -------------------------------------------------------------------------------- */

/* What the budget leaves, with the room of earlier blocks, which the next one takes over. */
static size_t block_room(const levelwise *w) {
    size_t left = mem_left(w->mem);
    if (left == SIZE_MAX) return left;
    return left + w->cap_pairs * sizeof *w->pairs + w->counts.cap * sizeof *w->counts.data +
           w->cap_work * sizeof *w->work;
}

size_t levelwise_share(const levelwise *w) {
    size_t room = block_room(w);
    return room == SIZE_MAX ? BLOCK_BYTES : room / BLOCK_SHARE;
}

/* Candidates that the next block may have. */
static size_t block_most(const levelwise *w, size_t bytes_per_candidate) {
    size_t most = levelwise_share(w) / bytes_per_candidate;
    if (!w->device) return most;
    size_t rows = BLOCK_ROW_BYTES / (w->v.words * sizeof(uint64_t) + 1); /* while they count */
    size_t fill = (size_t)w->backend->fill(w->device, w->v.words);
    if (rows < BLOCK_ROWS_LEAST) rows = BLOCK_ROWS_LEAST;
    if (rows > BLOCK_MOST) rows = BLOCK_MOST; /* a block ends before anybody gets impatient */
    if (rows < fill) rows = fill;
    return most < rows ? most : rows;
}

lode_status levelwise_too_large(levelwise *w, size_t candidates, size_t bytes) {
    uint64_t all = 2 * (w->mem->budget - block_room(w) + bytes); /* of the levels behind, too */
    return job_over_budget(
        w->job, all, "mining by levels, with %zu candidates of %u items that cannot be split,",
        candidates, w->k);
}

lode_status levelwise_blocks(levelwise *w, size_t bytes_per_candidate, levelwise_block_fn block) {
    lode_status status = LODE_OK;
    double joined = 0;
    for (uint32_t first = 0; first < w->n_sets;) {
        /* Rows of the blocks before have taken memory since: what is left is asked every time. */
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
        if (bound > 0) LODE_TRY(block(w, first, end, bound));
        joined += (double)bound;
        first = end;
    }
done:
    return status;
}

/* ---- counting by rows ---------------------------------------------------------------------- */

/* Sorts the pairs into those with rows (triples) and those without (lists of k items). */
static lode_status lay_out_work(levelwise *w) {
    lode_status status = LODE_OK;
    size_t n = w->n_pairs;
    bool grows = w->k < w->task->options->max_size;
    w->work_index.n = w->list_index.n = w->lists.n = w->dst.n = 0;
    if (w->cap_work < n) {
        LODE_TRY(vec_grow(w->mem, (void **)&w->work, 0, &w->cap_work, n, sizeof *w->work));
    }
    LODE_TRY(vec_u32_reserve(w->mem, &w->work_index, n));
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst, n));
    for (size_t i = 0; i < n; i++) {
        backend_pair p = w->pairs[i];
        uint32_t left = w->rows.data[p.a], right = w->rows.data[p.b];
        w->dst.data[w->dst.n++] = BACKEND_NO_ROW;
        if (left == BACKEND_NO_ROW) {
            LODE_TRY(vec_u32_push(w->mem, &w->list_index, (uint32_t)i));
            LODE_TRY(vec_u32_reserve(w->mem, &w->lists, w->k));
            w->method->items(w, p.a, w->lists.data + w->lists.n);
            w->lists.data[w->lists.n + w->k - 1] = levelwise_extra(w, p);
            w->lists.n += w->k;
            continue;
        }
        if (right == BACKEND_NO_ROW) right = levelwise_extra(w, p); /* the same intersection */
        uint32_t dst = grows ? prepare_take_list(w->backend, w->device, &w->pool) : BACKEND_NO_ROW;
        w->dst.data[i] = dst;
        w->work[w->work_index.n] = (backend_work){left, right, dst};
        w->work_index.data[w->work_index.n++] = (uint32_t)i;
    }
done:
    return status;
}

lode_status levelwise_count_rows(levelwise *w) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    LODE_TRY(lay_out_work(w));
    levelwise_lap(w, &w->tally->candidate);
    size_t n_work = w->work_index.n, n_lists = w->list_index.n;
    size_t most = n_work > n_lists ? n_work : n_lists;
    w->list_counts.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->list_counts, most));
    if (n_work > 0) {
        LODE_TRY(w->backend->and_count(w->device, w->work, n_work, min_count, w->list_counts.data));
    }
    for (size_t i = 0; i < n_work; i++) {
        w->counts.data[w->work_index.data[i]] = w->list_counts.data[i];
    }
    if (n_lists > 0) {
        LODE_TRY(w->backend->and_count_lists(w->device, w->lists.data, w->k, n_lists,
                                             w->list_counts.data));
        w->task->report->lists_rebuilt += n_lists;
    }
    for (size_t i = 0; i < n_lists; i++) {
        w->counts.data[w->list_index.data[i]] = w->list_counts.data[i];
    }
    levelwise_lap_count(w);
done:
    return status;
}

/* Whether every set of the level has a row. */
static bool all_have_rows(const levelwise *w) {
    for (size_t i = 0; i < w->rows.n; i++) {
        if (w->rows.data[i] == BACKEND_NO_ROW) return false;
    }
    return true;
}

/* Gives the candidates of the block, which are frequent, the rows of their own that there are. */
static lode_status store_rows(levelwise *w) {
    lode_status status = LODE_OK;
    w->work_index.n = w->lists.n = w->dst.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->work_index, w->n_pairs));
    LODE_TRY(vec_u32_reserve(w->mem, &w->lists, 2 * w->n_pairs));
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst, w->n_pairs));
    for (size_t i = 0; i < w->n_pairs; i++) {
        uint32_t dst = prepare_take_list(w->backend, w->device, &w->pool);
        w->dst.data[w->dst.n++] = dst;
        if (dst == BACKEND_NO_ROW) continue;
        w->work_index.data[w->work_index.n++] = dst;
        w->lists.data[w->lists.n++] = w->rows.data[w->pairs[i].a];
        w->lists.data[w->lists.n++] = w->rows.data[w->pairs[i].b];
    }
    LODE_TRY(
        w->backend->and_rows(w->device, w->work_index.data, w->lists.data, 2, w->work_index.n));
done:
    return status;
}

lode_status levelwise_use_sets(levelwise *w, const backend_sets *sets) {
    w->fused = w->backend->join_count && all_have_rows(w);
    return w->backend->use_sets(w->device, sets, w->group_end.data, w->fused ? w->rows.data : NULL);
}

lode_status levelwise_join_count(levelwise *w, uint32_t first, uint32_t end,
                                 backend_joined *joined) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    joined->pairs = w->pairs;
    joined->counts = w->counts.data;
    if (w->fused) {
        LODE_TRY(w->backend->join_count(w->device, first, end, min_count, joined));
    } else {
        LODE_TRY(w->backend->join_sets(w->device, first, end, joined));
    }
    w->n_pairs = joined->n;
    w->tally->generated += joined->generated;
    w->tally->pruned += joined->pruned;
    if (!w->fused) {
        levelwise_lap(w, &w->tally->candidate);
        return levelwise_count_rows(w);
    }
    w->tally->counted += joined->generated - joined->pruned - joined->n; /* those that are out */
    levelwise_lap_join(w, joined->count_seconds);
    w->dst.n = 0;
    if (w->k < w->task->options->max_size) LODE_TRY(store_rows(w));
    levelwise_lap_count(w);
done:
    return status;
}

lode_status levelwise_keep_row(levelwise *w, size_t i) {
    uint32_t row = w->dst.data[i];
    w->dst.data[i] = BACKEND_NO_ROW; /* it is the set's now */
    return vec_u32_push(w->mem, &w->kept_rows, row);
}

/* ---- settling ------------------------------------------------------------------------------ */

/* Reports the frequent ones among pairs [i, end), which share their left set. */
static lode_status report_run(levelwise *w, size_t i, size_t end) {
    lode_status status = LODE_OK;
    uint32_t n_prefix = w->k - 1;
    const uint32_t *ids = w->v.ids;
    w->prefix.n = w->out_ids.n = w->out_supports.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->prefix, n_prefix));
    LODE_TRY(vec_u32_reserve(w->mem, &w->out_ids, end - i));
    LODE_TRY(vec_u64_reserve(w->mem, &w->out_supports, end - i));
    w->method->items(w, w->pairs[i].a, w->prefix.data);
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

static lode_status report_block(levelwise *w) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < w->n_pairs;) {
        size_t end = i + 1;
        bool any = w->counts.data[i] >= w->threshold;
        while (end < w->n_pairs && w->pairs[end].a == w->pairs[i].a) {
            any = any || w->counts.data[end] >= w->threshold;
            end++;
        }
        if (any) LODE_TRY(report_run(w, i, end));
        i = end;
    }
done:
    levelwise_lap(w, &w->task->report->times.output);
    return status;
}

lode_status levelwise_settle(levelwise *w) {
    lode_status status = LODE_OK;
    bool grows = w->k < w->task->options->max_size;
    w->tally->counted += w->n_pairs;
    LODE_TRY(report_block(w));
    for (size_t i = 0; i < w->n_pairs; i++) {
        if (w->counts.data[i] >= w->threshold) {
            w->tally->frequent++;
            if (!grows) continue;
            LODE_TRY(w->method->keep(w, w->pairs[i], i));
            LODE_TRY(vec_u32_push(w->mem, &w->kept_left, w->pairs[i].a));
        }
    }
    for (size_t i = 0; i < w->dst.n; i++) list_pool_give(&w->pool, w->dst.data[i]);
    w->dst.n = 0;
    levelwise_lap(w, &w->tally->candidate);
done:
    return status;
}

/* ---- progress ------------------------------------------------------------------------------ */

#define FIRST_FALL  0.6  /* of the growth from level to level, while only one growth is known … */
#define LEAST_FALL  0.95 /* … and at the least: it does fall in the end */
#define MOST_LEVELS 64

/* Joins of the levels behind, at level 2: as many as there may be sets. */
static double forecast_first(levelwise *w) {
    const forecast_how how = {.power = 1};
    uint32_t n = w->v.n_items, *supports = NULL;
    double *weights = NULL, sets = 0;
    if (w->task->options->max_size <= 2) return 0;
    bool room = mem_resize(w->mem, (void **)&supports, 0, n * sizeof *supports) == LODE_OK;
    room = room && mem_resize(w->mem, (void **)&weights, 0, n * sizeof *weights) == LODE_OK;
    for (uint32_t i = 0; i < n && room; i++) {
        supports[i] = w->v.supports[i] < UINT32_MAX ? (uint32_t)w->v.supports[i] : UINT32_MAX;
    }
    forecast_class c = {.n = n,
                        .supports = supports,
                        .of = w->task->data->total_weight,
                        .min_count = w->task->min_count,
                        .more = w->task->options->max_size - 1};
    if (room) sets = forecast_members(&c, &how, weights);
    if (supports) mem_free(w->mem, supports, n * sizeof *supports);
    if (weights) mem_free(w->mem, weights, n * sizeof *weights);
    return sets;
}

/* Joins of the levels behind the one in work: levels grow by less and less, and then shrink. */
static double forecast_rest(levelwise *w) {
    double grows = w->joins[1] > 0 ? w->joins[0] / w->joins[1] : 0, sum = 0;
    double falls = FIRST_FALL, next = w->joins[0];
    if (w->k == 2) return forecast_first(w);
    if (w->joins[2] > 0) falls = grows * w->joins[2] / w->joins[1];
    if (falls > LEAST_FALL) falls = LEAST_FALL;
    for (uint32_t k = w->k + 1; k <= w->task->options->max_size && k < w->k + MOST_LEVELS; k++) {
        grows *= falls;
        next *= grows;
        sum += next;
        if (next < 1e-3 * w->joins[0]) break;
    }
    return sum;
}

/* Gives the level its span of what is left. */
static void begin_progress(levelwise *w) {
    double joins = 0;
    for (uint32_t i = 0; i < w->n_sets; i++) joins += w->group_end.data[i] - i - 1;
    w->joins[2] = w->joins[1];
    w->joins[1] = w->joins[0];
    w->joins[0] = joins;
    double rest = forecast_rest(w);
    w->span = (1 - w->done) * (joins > 0 ? joins / (joins + rest) : 0);
}

lode_status levelwise_tick(levelwise *w, double share) {
    progress_reach(&w->job->at, w->done + w->span * share);
    return job_tick(w->job, 0, 0);
}

/* ---- levels -------------------------------------------------------------------------------- */

static void begin_level(levelwise *w) {
    engine_report *report = w->task->report;
    w->tally = report->n_levels < LODE_REPORT_LEVELS ? &report->levels[report->n_levels++]
                                                     : &w->spare_tally;
    *w->tally = (engine_level){.size = w->k};
    w->lap = os_seconds();
    w->kept_left.n = w->kept_rows.n = 0;
}

static void end_level(levelwise *w) {
    engine_report *report = w->task->report;
    const engine_level *t = w->tally;
    report->candidates_generated += t->generated;
    report->candidates_pruned += t->pruned;
    report->candidates_counted += t->counted;
    report->times.candidate += t->candidate;
    report->times.counting += t->counting;
    if (t->candidate_bytes > report->candidate_bytes) report->candidate_bytes = t->candidate_bytes;
}

/* Groups are runs of equal left sets. */
static lode_status regroup(levelwise *w) {
    size_t n = w->kept_left.n;
    w->group_end.n = 0;
    lode_status status = vec_u32_reserve(w->mem, &w->group_end, n);
    if (status != LODE_OK) return status;
    for (size_t i = n; i-- > 0;) {
        bool same = i + 1 < n && w->kept_left.data[i + 1] == w->kept_left.data[i];
        w->group_end.data[i] = same ? w->group_end.data[i + 1] : (uint32_t)(i + 1);
    }
    w->group_end.n = n;
    w->n_sets = (uint32_t)n;
    return LODE_OK;
}

/* The kept sets take the place of the present ones, whose rows go back to the pool. */
static lode_status advance(levelwise *w) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < w->rows.n; i++) list_pool_give(&w->pool, w->rows.data[i]);
    vec_u32 rows = w->rows;
    w->rows = w->kept_rows;
    w->kept_rows = rows;
    LODE_TRY(w->method->advance(w));
    LODE_TRY(regroup(w));
    levelwise_lap(w, &w->tally->candidate);
done:
    return status;
}

static lode_status search_levels(levelwise *w) {
    lode_status status = LODE_OK;
    for (w->k = 2; w->n_sets >= 2 && w->k <= w->task->options->max_size; w->k++) {
        begin_level(w);
        begin_progress(w);
        status = w->method->level(w);
        w->done += w->span;
        if (status == LODE_OK) status = advance(w);
        end_level(w);
        if (status != LODE_OK) break;
    }
    return status;
}

/* ---- start and stop ------------------------------------------------------------------------ */

static lode_status open_device(levelwise *w) {
    lode_status status = LODE_OK;
    const backend_plan *plan = w->task->plan;
    uint32_t granted = 0;
    double start = os_seconds();
    backend_tuning tuning = {.popcount = (backend_popcount)w->papers.popcount,
                             .n_columns = w->task->data->profile.n_transactions};
    backend_slot slot = plan->slots[0];
    w->backend = slot.backend;
    LODE_TRY(w->backend->open(w->job, slot.index, w->threads, &w->device));
    LODE_TRY(w->backend->tune(w->device, &tuning));
    LODE_TRY(w->backend->set_rows(w->device, w->v.rows, w->v.n_items, w->v.words));
    uint32_t limit = prepare_list_limit(w->task, &w->v, 1, w->method->list_share);
    LODE_TRY(prepare_lists(w->task, &w->v, slot, w->device, limit, &granted));
    list_pool_init(&w->pool, w->mem, w->v.n_items, granted);
    w->task->report->times.transfer += os_seconds() - start;
done:
    return status;
}

static lode_status start(levelwise *w) {
    lode_status status = LODE_OK;
    double begin = os_seconds();
    bool levels = w->task->options->max_size >= 2; /* else there is nothing to prepare for */
    LODE_TRY(mem_zalloc(w->mem, &w->state, w->method->state_bytes));
    if (w->method->horizontal || !levels) {
        LODE_TRY(prepare_rank(w->task, &w->v));
    } else {
        LODE_TRY(prepare_rows(w->task, &w->v, 2, HOST_BYTES));
    }
    w->n_sets = w->v.n_items;
    LODE_TRY(vec_u32_reserve(w->mem, &w->group_end, w->n_sets));
    LODE_TRY(vec_u32_reserve(w->mem, &w->rows, w->n_sets));
    for (uint32_t i = 0; i < w->n_sets; i++) {
        w->group_end.data[i] = w->n_sets;
        w->rows.data[i] = i; /* the permanent row of the item */
    }
    w->group_end.n = w->rows.n = w->n_sets;
    if (!w->method->horizontal && levels) LODE_TRY(open_device(w));
    if (levels) LODE_TRY(w->method->start(w));
    w->task->report->times.preprocess = os_seconds() - begin - w->task->report->times.transfer;
done:
    return status;
}

static void fill_report(const levelwise *w) {
    engine_report *report = w->task->report;
    report->n_devices = 1;
    report->n_threads = w->threads;
    report->utilisation = 1;
    report->frequent_items = w->v.n_items;
    report->list_bytes = w->v.words * sizeof *w->v.rows;
    report->lists_allowed = w->pool.limit;
    report->lists_peak = w->pool.peak;
    if (!w->device) return;
    backend_counters c = w->backend->counters(w->device);
    report->rows_read = c.rows_read;
    report->rows_written = c.rows_written;
    report->bytes_up = c.bytes_up;
    report->bytes_down = c.bytes_down;
    report->device_memory_peak = c.memory_peak;
    report->work_items = c.work_items;
    report->reduce_adds = c.reduce_adds;
    report->reduce_idle = c.reduce_idle;
}

static void stop(levelwise *w) {
    mem *m = w->mem;
    if (w->state) w->method->stop(w);
    mem_free(m, w->state, w->method->state_bytes);
    list_pool_clear(&w->pool);
    if (w->device) w->backend->close(w->device);
    vertical_clear(&w->v);
    mem_free(m, w->pairs, w->cap_pairs * sizeof *w->pairs);
    mem_free(m, w->work, w->cap_work * sizeof *w->work);
    vec_u32 *vectors[] = {&w->group_end, &w->rows,    &w->kept_left,  &w->kept_rows,
                          &w->counts,    &w->dst,     &w->work_index, &w->lists,
                          &w->prefix,    &w->out_ids, &w->list_index, &w->list_counts};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) vec_u32_free(m, vectors[i]);
    vec_u64_free(m, &w->out_supports);
}

static lode_status search(void *arg, unsigned worker) {
    (void)worker;
    levelwise *w = arg;
    lode_status status = LODE_OK;
    LODE_TRY(sink_open_worker(w->task->sink, &w->sink));
    lode_batch items = {.items = w->v.ids, .supports = w->v.supports, .n = w->v.n_items};
    status = sink_emit(w->sink, &items);
    if (status == LODE_OK) status = search_levels(w);
    lode_status closed = sink_close_worker(w->sink);
    if (status == LODE_OK) status = closed;
done:
    return status;
}

lode_status levelwise_run(engine_task *task, const levelwise_method *method) {
    levelwise w = {.task = task, .method = method, .job = task->job, .mem = &task->job->mem};
    w.papers = valid_papers(task->options->papers);
    w.threads = task->plan->n; /* virtual devices are threads here: a level is one piece of work */
    lode_status status = start(&w);
    if (status == LODE_OK) status = parallel_run(task->job, 1, true, search, &w);
    fill_report(&w);
    stop(&w);
    return status;
}

/* Rows, and the sets of a level, of which there may be any number. */
uint64_t levelwise_need(const engine_sizes *sizes) {
    uint64_t rows = engine_need_rows(sizes);
    return rows + rows / 2 + ((uint64_t)512 << 10);
}

/* Level-wise miners count what a depth-first one counts, and keep it: never less work. */
double levelwise_estimate(const engine_task *task) {
    double n = (double)task->data->profile.n_items;
    return 2 * n * n / 2 * (double)task->data->profile.n_transactions / 64;
}
