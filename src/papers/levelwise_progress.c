/* levelwise_progress.c - how far a level-wise search has come, and where the time goes
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "itemsets/common/forecast.h"
#include "itemsets/common/prepare.h"
#include "papers/levelwise.h"

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
                        .max_added = w->task->options->max_size - 1};
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
    for (uint32_t k = w->k + 1; k <= w->task->options->max_size && k < w->k + LEVELS_AHEAD; k++) {
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
