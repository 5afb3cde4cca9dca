/* levelwise_team.c - see levelwise_team.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise_team.h"

#include "base/os.h"
#include "itemsets/common/forecast.h"
#include "itemsets/common/prepare.h"
#include "papers/levelwise.h"
#include "runtime/parallel.h"

#define TEAM_LEAST 32   /* candidates that pay for a further member */
#define TEAM_TRIAL 1024 /* candidates for each member, while its speed is not known */
/* Rows of items and of sets that stay in the second-level cache of a CPU. */
#define TEAM_CACHE_BYTES ((size_t)1 << 20)

/* ---- life ---------------------------------------------------------------------------------- */

void levelwise_member_reset(levelwise_member *m) {
    m->before = m->backend->counters(m->device);
    m->papers_before = m->ops->counters(m->papers);
}

/* Whether a consumer of the plan is one more thread of the one before it. */
static bool slot_joins(const backend_plan *plan, unsigned i) {
    const backend_slot *slot = &plan->slots[i];
    return i > 0 && slot->thread && slot[-1].thread && slot->backend == slot[-1].backend &&
           slot->index == slot[-1].index;
}

/* Gives every member its consumers. */
static void team_enlist(levelwise *w) {
    const backend_plan *plan = w->task->plan;
    for (unsigned i = 0; i < plan->n; i++) {
        if (!slot_joins(plan, i)) {
            w->team[w->n_team] = (levelwise_member){.number = w->n_team, .slot = plan->slots[i]};
            w->n_team++;
        }
        w->team[w->n_team - 1].threads++;
    }
}

/* Host threads of a member. If the first is a CPU, it has those of all CPUs, for its joins; while
 * it counts, the others have theirs, and parallel_run() starts no more than the job may. */
static unsigned member_threads(const levelwise *w, const levelwise_member *m) {
    unsigned cpus = 0;
    if (m->number > 0 || m->slot.backend != backend_at(0)) return m->threads;
    for (unsigned i = 0; i < w->n_team; i++) {
        if (w->team[i].slot.backend == backend_at(0)) cpus += w->team[i].threads;
    }
    return cpus;
}

/* Lists of each device in the memory of the host. Where the item rows stay in the cache, so do the
 * rows of sets: to count k rows from there takes less time than to write one to memory and to read
 * it again (chess at 60%: a quarter of the time). Not so with trees, which are there to be
 * measured: they add up pairs of rows only. */
static uint32_t team_list_limit(const levelwise *w) {
    size_t row_bytes = w->v.words * sizeof *w->v.rows;
    uint32_t limit = prepare_list_limit(w->task, &w->v, w->n_team, w->method->list_share);
    bool in_cache = w->v.n_items * row_bytes <= TEAM_CACHE_BYTES;
    bool all = !w->method->keeps_rows || w->method->trees || w->task->items.options->max_lists > 0;
    if (all || !in_cache) return limit;
    size_t most = row_bytes > 0 ? TEAM_CACHE_BYTES / row_bytes : limit;
    return most < limit ? (uint32_t)most : limit;
}

/* The first use of a kernel takes a millisecond, in which its code is loaded. That belongs to the
 * start of a device and not to counting, so every kernel that counts is used once now. */
static lode_status member_warm(const levelwise *w, levelwise_member *m) {
    lode_status status = LODE_OK;
    const backend_work pair = {0, 0, BACKEND_NO_ROW};
    const uint32_t list[] = {0, 0, 0};
    uint32_t count = 0;
    if (m->is_host || w->v.n_items == 0) return LODE_OK;
    if (w->method->keeps_rows) { /* after a count that is too low, long rows are stored late */
        LODE_TRY(m->ops->and_count(m->papers, &pair, 1, UINT32_MAX, &count));
        LODE_TRY(m->ops->and_count(m->papers, &pair, 1, 0, &count)); /* and no more after this */
    }
    LODE_TRY(m->ops->and_count_lists(m->papers, list, 3, 1, &count));
    levelwise_member_reset(m);
done:
    return status;
}

static lode_status member_open(levelwise *w, levelwise_member *m, uint32_t host_limit) {
    lode_status status = LODE_OK;
    backend_slot slot = m->slot;
    uint32_t granted = 0;
    backend_paper_config config = {.popcount = w->options.popcount,
                                   .trees = w->method->trees,
                                   .reduce = w->options.reduce,
                                   .n_columns = w->task->items.data->profile.n_transactions};
    engine_report *report = w->task->report;
    double start = os_seconds();
    m->backend = slot.backend;
    m->ops = slot.backend->papers;
    m->pool = m->number == 0 ? &w->pool : &m->own;
    list_pool_init(m->pool, w->mem, w->v.n_items, 0);
    LODE_TRY(m->backend->open(w->job, slot.index, member_threads(w, m), &m->device));
    LODE_TRY(m->ops->open(m->device, &config, &m->papers));
    report_add_start(report, start);
    start = os_seconds();
    LODE_TRY(m->backend->set_rows(m->device, w->v.rows, w->v.n_items, w->v.words));
    report->times.transfer += os_seconds() - start;
    start = os_seconds();
    LODE_TRY(prepare_lists(w->task, &w->v, slot, m->device, host_limit, &granted));
    list_pool_init(m->pool, w->mem, w->v.n_items, granted);
    m->is_host = m->backend->list_room(m->device) == SIZE_MAX;
    LODE_TRY(member_warm(w, m));
    report_add_start(report, start);
done:
    return status;
}

lode_status levelwise_team_open(levelwise *w) {
    lode_status status = LODE_OK;
    LODE_TRY(mem_zalloc(w->mem, (void **)&w->team, w->task->plan->n * sizeof *w->team));
    team_enlist(w);
    uint32_t limit = team_list_limit(w);
    for (unsigned i = 0; i < w->n_team; i++) LODE_TRY(member_open(w, &w->team[i], limit));
done:
    if (w->n_team > 0) {
        w->backend = w->team[0].backend;
        w->ops = w->team[0].ops;
        w->device = w->team[0].device;
        w->papers = w->team[0].papers;
    }
    return status;
}

static void member_close(levelwise *w, levelwise_member *m) {
    vec_u32 *vectors[] = {&m->cache,      &m->index,  &m->work_index, &m->lists,
                          &m->list_index, &m->counts, &m->moved,      &m->moved_items};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        vec_u32_free(w->mem, vectors[i]);
    }
    mem_free(w->mem, m->work, m->cap_work * sizeof *m->work);
    if (m->pool) list_pool_clear(m->pool);
    if (m->papers) m->ops->close(m->papers);
    if (m->device) m->backend->close(m->device);
}

void levelwise_team_close(levelwise *w) {
    for (unsigned i = 0; i < w->n_team; i++) member_close(w, &w->team[i]);
    mem_free(w->mem, w->team, w->task->plan->n * sizeof *w->team);
}

uint32_t levelwise_member_take(levelwise_member *m) {
    return prepare_take_list(m->backend, m->device, m->pool);
}

/* ---- dividing ------------------------------------------------------------------------------ */

size_t levelwise_team_fill(const levelwise *w) {
    size_t sum = 0;
    for (unsigned i = 0; i < w->n_team; i++) {
        const levelwise_member *m = &w->team[i];
        sum += (size_t)m->backend->fill(m->device, w->v.words);
    }
    return sum;
}

size_t levelwise_team_most(const levelwise *w) {
    for (unsigned i = 0; i < w->n_team && w->n_team > 1; i++) {
        if (w->team[i].rate <= 0) return (size_t)w->n_team * TEAM_TRIAL;
    }
    return SIZE_MAX;
}

size_t levelwise_team_scratch(const levelwise *w) {
    size_t bytes = 0;
    for (unsigned i = 0; i < w->n_team; i++) {
        const levelwise_member *m = &w->team[i];
        bytes += m->cap_work * sizeof *m->work + m->index.cap * sizeof *m->index.data;
    }
    return bytes;
}

/* Candidates in a second; a member that has counted none yet is taken for a mean one. */
static double member_rate(const levelwise *w, unsigned number) {
    double sum = 0;
    unsigned known = 0;
    if (w->team[number].rate > 0) return w->team[number].rate;
    for (unsigned i = 0; i < w->n_team; i++) {
        sum += w->team[i].rate;
        known += w->team[i].rate > 0;
    }
    return known > 0 ? sum / known : 1;
}

void levelwise_team_divide(levelwise *w, size_t n) {
    double sum = 0;
    unsigned fastest = 0;
    size_t left = n, at = 0;
    for (unsigned i = 0; i < w->n_team; i++) {
        sum += member_rate(w, i);
        if (member_rate(w, i) > member_rate(w, fastest)) fastest = i;
    }
    for (unsigned i = 0; i < w->n_team; i++) {
        size_t share = (size_t)((double)n * (member_rate(w, i) / sum));
        if (i == fastest || share < TEAM_LEAST) share = 0;
        if (share > left) share = left;
        w->team[i].share = share;
        left -= share;
    }
    w->team[fastest].share = left;
    for (unsigned i = 0; i < w->n_team; i++) {
        w->team[i].first = at;
        at += w->team[i].share;
        w->team[i].end = at;
    }
}

/* ---- counting side by side ----------------------------------------------------------------- */

typedef struct team_region {
    levelwise *w;
    levelwise_part_fn fn;
    unsigned members[BACKEND_MAX_SLOTS]; /* that have a part */
    unsigned n;
} team_region;

void levelwise_member_begin(levelwise_member *m) {
    m->laid_out = os_seconds() - m->start;
}

static lode_status team_worker(void *arg, unsigned worker) {
    const team_region *r = arg;
    levelwise_member *m = &r->w->team[r->members[worker]];
    double computed = m->backend->counters(m->device).kernel_seconds, other = 0;
    m->start = os_seconds();
    m->laid_out = m->counting = 0;
    lode_status status = r->fn(r->w, m);
    m->seconds = os_seconds() - m->start;
    computed = m->backend->counters(m->device).kernel_seconds - computed;
    prepare_split_time(m->seconds - m->laid_out, computed, &m->counting, &other);
    return status;
}

/* Takes down how long the parts took; the lap gets the mean, so that its parts add up. */
static void team_note(const team_region *r) {
    double laid_out = 0, counting = 0;
    bool clock = false;
    for (unsigned i = 0; i < r->n; i++) {
        levelwise_member *m = &r->w->team[r->members[i]];
        double rate = m->seconds > 0 ? (double)m->share / m->seconds : 0;
        m->rate = m->rate > 0 ? (m->rate + rate) / 2 : rate;
        m->busy += m->seconds;
        laid_out += m->laid_out / r->n;
        counting += m->counting / r->n;
        clock = clock || !m->is_host;
    }
    levelwise_lap_parts(r->w, laid_out, counting, clock);
}

lode_status levelwise_team_count(levelwise *w, levelwise_part_fn fn) {
    lode_status status;
    team_region r = {.w = w, .fn = fn};
    for (unsigned i = 0; i < w->n_team; i++) {
        if (w->team[i].share > 0) r.members[r.n++] = i;
    }
    if (r.n == 0) return LODE_OK;
    status = r.n == 1 ? team_worker(&r, 0) : parallel_run(w->job, r.n, false, team_worker, &r);
    team_note(&r);
    return status;
}

/* ---- figures ------------------------------------------------------------------------------- */

void levelwise_team_begin_level(levelwise *w) {
    for (unsigned i = 0; i < w->n_team; i++) {
        list_pool *pool = w->team[i].pool;
        if (pool->peak > w->lists_peak) w->lists_peak = pool->peak;
        pool->peak = pool->in_use;
    }
}

/* Whether an earlier member is on the same device, and has the same copy of the item rows. */
static bool member_shares_rows(const levelwise *w, unsigned number) {
    backend_slot own = w->team[number].slot;
    for (unsigned i = 0; i < number; i++) {
        backend_slot other = w->team[i].slot;
        if (other.backend == own.backend && other.index == own.index) return true;
    }
    return false;
}

/* Lists of a cache count as far as they were used. */
uint64_t levelwise_team_row_bytes(const levelwise *w) {
    uint64_t rows = 0;
    for (unsigned i = 0; i < w->n_team; i++) {
        const levelwise_member *m = &w->team[i];
        rows += member_shares_rows(w, i) ? 0 : w->v.n_items;
        rows += m->pool->peak - m->cache.n + m->ops->counters(m->papers).cache_rows;
    }
    return rows * w->v.words * sizeof *w->v.rows;
}

static void report_member(engine_report *report, const levelwise_member *m) {
    report->lists_allowed += m->pool->limit;
    report->lists_rebuilt += m->rebuilt;
    if (m->pool->peak > report->lists_peak) report->lists_peak = m->pool->peak;
    if (!m->papers) return;
    backend_counters c = m->backend->counters(m->device);
    report->rows_read += c.rows_read - m->before.rows_read;
    report->rows_written += c.rows_written - m->before.rows_written;
    report->bytes_up += c.bytes_up;
    report->bytes_down += c.bytes_down;
    if (c.memory_peak > report->device_memory_peak) report->device_memory_peak = c.memory_peak;
    backend_paper_counters p = m->ops->counters(m->papers);
    report->work_items += p.work_items;
    report->reduce_adds += p.reduce_adds - m->papers_before.reduce_adds;
    report->reduce_idle += p.reduce_idle - m->papers_before.reduce_idle;
}

void levelwise_team_report(const levelwise *w) {
    engine_report *report = w->task->report;
    double sum = 0, longest = 0;
    report->n_devices = w->n_team;
    report->n_threads = w->threads;
    report->lists_peak = w->lists_peak;
    for (unsigned i = 0; i < w->n_team; i++) {
        const levelwise_member *m = &w->team[i];
        if (!m->pool) continue; /* it was never opened */
        report_member(report, m);
        sum += m->busy;
        if (m->busy > longest) longest = m->busy;
    }
    report->utilisation = longest > 0 ? sum / (w->n_team * longest) : 1;
    device_report_bytes(report, (double)(report->rows_read + report->rows_written) *
                                    (double)report->list_bytes);
}

/* ---- how far a level-wise search has come, and where the time goes --------------------------- */

/* ---- progress ------------------------------------------------------------------------------ */

/* The number of joins grows from level to level, by a factor that falls: to this share of what it
 * was, while only one growth is known, and at most to that one, as it does fall in the end. */
#define GROWTH_FALLS      0.6
#define GROWTH_FALLS_MOST 0.95
#define LEVELS_AHEAD      64

/* Estimates the joins of all later levels at level 2, where only the supports of the items are
 * known: as many as there would be frequent sets if the items were independent. */
static double progress_first_rest(levelwise *w) {
    const forecast_config config = {.power = 1};
    uint32_t n = w->v.n_items, *supports = NULL;
    double *weights = NULL, sets = 0;
    if (w->task->items.options->max_size <= 2) return 0;
    bool room = mem_resize(w->mem, (void **)&supports, 0, n * sizeof *supports) == LODE_OK;
    room = room && mem_resize(w->mem, (void **)&weights, 0, n * sizeof *weights) == LODE_OK;
    for (uint32_t i = 0; i < n && room; i++) {
        supports[i] = w->v.supports[i] < UINT32_MAX ? (uint32_t)w->v.supports[i] : UINT32_MAX;
    }
    forecast_class c = {.n = n,
                        .supports = supports,
                        .of = w->task->items.data->total_weight,
                        .min_count = w->task->min_count,
                        .max_added = w->task->items.options->max_size - 1};
    if (room) sets = forecast_members(&c, &config, weights);
    if (supports) mem_free(w->mem, supports, n * sizeof *supports);
    if (weights) mem_free(w->mem, weights, n * sizeof *weights);
    return sets;
}

/* Estimates the joins of all later levels: there are more from level to level, then fewer. */
static double progress_rest(levelwise *w) {
    double grows = w->joins[1] > 0 ? w->joins[0] / w->joins[1] : 0, sum = 0;
    double falls = GROWTH_FALLS, next = w->joins[0];
    if (w->k == 2) return progress_first_rest(w);
    if (w->joins[2] > 0) falls = grows * w->joins[2] / w->joins[1];
    if (falls > GROWTH_FALLS_MOST) falls = GROWTH_FALLS_MOST;
    for (uint32_t k = w->k + 1; k <= w->task->items.options->max_size && k < w->k + LEVELS_AHEAD;
         k++) {
        grows *= falls;
        next *= grows;
        sum += next;
        if (next < 1e-3 * w->joins[0]) break;
    }
    return sum;
}

void levelwise_begin_progress(levelwise *w) {
    double joins = (double)w->n_joins;
    w->joins[2] = w->joins[1];
    w->joins[1] = w->joins[0];
    w->joins[0] = joins;
    double rest = progress_rest(w);
    w->span = (1 - w->done) * (joins > 0 ? joins / (joins + rest) : 0);
}

lode_status levelwise_tick(levelwise *w, double share) {
    progress_reach(&w->job->at, w->done + w->span * share);
    return job_tick(w->job, 0, 0);
}

/* ---- time ---------------------------------------------------------------------------------- */

/* Ends a lap and returns how long it was; *computed: for how long the device was computing, by its
 * own clock. */
static double lap_end(levelwise *w, double *computed) {
    double now = os_seconds(), elapsed = now - w->lap;
    double clock = w->device ? w->backend->counters(w->device).kernel_seconds : 0;
    *computed = clock - w->device_clock;
    w->device_clock = clock;
    w->lap = now;
    return elapsed;
}

void levelwise_lap_count(levelwise *w) {
    double computed, elapsed = lap_end(w, &computed);
    prepare_split_time(elapsed, computed, &w->tally->counting, &w->task->report->times.transfer);
}

void levelwise_lap_parts(levelwise *w, double laid_out, double counting, bool clock) {
    double computed, rest = lap_end(w, &computed) - laid_out - counting;
    if (rest < 0) rest = 0;
    w->tally->candidate += laid_out;
    w->tally->counting += counting;
    *(clock ? &w->task->report->times.transfer : &w->tally->counting) += rest;
}

void levelwise_lap_join(levelwise *w, double counting) {
    double computed, elapsed = lap_end(w, &computed), both = 0;
    prepare_split_time(elapsed, computed, &both, &w->task->report->times.transfer);
    if (counting > both) counting = both;
    w->tally->counting += counting;
    w->tally->candidate += both - counting;
}

void levelwise_lap(levelwise *w, double *seconds) {
    double computed;
    *seconds += lap_end(w, &computed);
}
