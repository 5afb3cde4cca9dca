/* cross_choose.c - see cross_choose.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "crosswise/cross_choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "crosswise/cross_tuning.h"
#include "data/rank.h"

/* ---- by shape -------------------------------------------------------------------------------- */

/* Whether the search can do the job at all. */
static bool choose_can(const engine_task *task) {
    lode_target target = task->options->target;
    bool closed = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    return closed && !task->rules && !task->sample && !engine_wants_range(&task->request);
}

cross_choice cross_choose_by_shape(const engine_task *task) {
    const char *forced = getenv("LODE_CROSSWISE");
    if (!choose_can(task) || (forced && strcmp(forced, "never") == 0)) return CROSS_NEVER;
    uint32_t rows = cross_count_rows(task->data);
    if (rows == 0 || rows > CROSS_ROWS) return CROSS_NEVER;
    uint32_t items = rank_count(task->data, task->data->item_supports, task->min_count);
    if (items == 0) return CROSS_NEVER;
    /* The table takes less than another walker. */
    if (2 * cross_walker_need(rows, items) > mem_left(&task->job->mem)) return CROSS_NEVER;
    if (forced && strcmp(forced, "always") == 0) return CROSS_ALWAYS;
    return items >= CROSS_ITEMS_PER_ROW * (uint64_t)rows ? CROSS_PERHAPS : CROSS_NEVER;
}

/* ---- by probing ------------------------------------------------------------------------------ */

/* What a search would take, in nanoseconds: sums over all dives. */
typedef struct cross_costs {
    double by_rows, by_items;
} cross_costs;

static uint64_t probe_threshold(lode_job *job) {
    uint64_t min = job_threshold(job);
    return min > 0 ? min : 1;
}

/* What a node counts for that was met with a chance of 1 / weight. */
static void probe_count(const cross_walker *w, const cross_node *node, double weight, uint64_t min,
                        cross_costs *costs) {
    unsigned words = w->table->rows.words;
    double tries = 0;
    if (cross_leads_on(w, node, min)) {
        for (unsigned i = 0; i < words; i++) tries += (double)bits_count(node->left[i]);
    }
    double columns = (node->list.n + CROSS_LANES - 1) / CROSS_LANES * CROSS_LANES;
    costs->by_rows +=
        weight * (CROSS_NODE_NS + tries * (CROSS_TRY_NS + columns * words * CROSS_WORD_NS));
    if (node->weight < min) return;
    costs->by_items += weight * (CROSS_SET_NS + node->list.n * (double)CROSS_ITEM_NS);
}

/* Leaves one of the rows that are left, early ones more likely, and returns 1 / its chance. With m
 * rows, what lies below the first k is taken to be 1 - ((m - k) / m)^4 of all. */
static double probe_draw(unsigned words, rng *random, uint64_t *left) {
    uint64_t m = 0;
    for (unsigned i = 0; i < words; i++) m += bits_count(left[i]);
    double x = sqrt(sqrt(rng_unit(random)));
    uint64_t after = (uint64_t)(x * (double)m), k = m - 1 - (after < m ? after : m - 1);
    double high = (double)(m - k) / (double)m, low = (double)(m - k - 1) / (double)m;
    for (unsigned i = 0; i < words; i++) {
        uint64_t here = bits_count(left[i]), word = left[i];
        left[i] = 0;
        for (uint64_t skip = k; here > k && skip > 0; skip--) word &= word - 1;
        if (here > k) left[i] = word & -word;
        k = here > k ? UINT64_MAX : k == UINT64_MAX ? k : k - here;
    }
    return 1 / (high * high * high * high - low * low * low * low);
}

static lode_status probe_dive(cross_walker *w, const cross_node *root, rng *random,
                              cross_costs *costs) {
    lode_status status = LODE_OK;
    const cross_rows *rows = &w->table->rows;
    uint64_t min = probe_threshold(w->job);
    double weight = 1;
    LODE_TRY(job_check(w->job));
    w->levels[0].node = *root;
    for (uint32_t depth = 0;; depth++) {
        cross_level *level = &w->levels[depth];
        probe_count(w, &level->node, weight, min, costs);
        bool any = false;
        for (unsigned i = 0; i < rows->words; i++) any |= level->node.left[i] != 0;
        if (!any || !cross_leads_on(w, &level->node, min)) break;
        weight *= probe_draw(rows->words, random, level->node.left);
        LODE_TRY(cross_level_reserve(w, level + 1, level->node.list.n));
        if (!w->kernels->next(rows, &level->node, min, &level[1].node)) break;
    }
done:
    return status;
}

lode_status cross_choose_by_probing(engine_task *task, const cross_table *table, bool *pays) {
    lode_status status = LODE_OK;
    cross_walker w = {.task = task,
                      .job = task->job,
                      .table = table,
                      .kernels = cross_kernels_pick(),
                      .target = task->options->target,
                      .min_size = task->options->min_size};
    double pairs = table->n_items / 2.0 * table->n_items * table->rows.words;
    cross_costs costs = {0};
    cross_node root;
    rng random = rng_make(1, 0);
    LODE_TRY(cross_walker_open(&w));
    cross_make_root(table, &root);
    for (unsigned i = 0; i < CROSS_DIVES; i++) LODE_TRY(probe_dive(&w, &root, &random, &costs));
    costs.by_items = costs.by_items / CROSS_DIVES + pairs * CROSS_PAIR_NS;
    costs.by_rows /= CROSS_DIVES;
    *pays = costs.by_rows < costs.by_items;
done:
    cross_walker_close(&w);
    return status;
}
