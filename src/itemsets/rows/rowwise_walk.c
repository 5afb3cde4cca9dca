/* rowwise_walk.c - see rowwise_walk.h
 *
 * Progress: a node divides its span as if what lies below a row grew with the third power of the
 * number of rows from it on, so that of m rows that are left the first k get 1 - ((m - k) / m)^4.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "itemsets/rows/rowwise_emit.h"
#include "itemsets/rows/rowwise_give.h"

static uint64_t walk_threshold(const rowwise_walker *w) {
    uint64_t min = job_threshold(w->job);
    return min > 0 ? min : 1;
}

static lode_status rowwise_check(rowwise_walker *w) {
    w->nodes++;
    if (w->until_check-- > 0) return LODE_OK;
    w->until_check = ROWWISE_CHECK - 1;
    if (!w->owner || w->until_tick-- > 0) return job_check(w->job);
    w->until_tick = ROWWISE_TICK / ROWWISE_CHECK;
    return job_tick(w->job, 0, 0);
}

/* ---- progress -------------------------------------------------------------------------------- */

static double walk_rows_left(const rowwise_walker *w, const rowwise_node *node) {
    uint64_t n = 0;
    for (unsigned i = 0; i < w->table->rows.words; i++) n += bits_count(node->left[i]);
    return (double)n;
}

/* What the rows that have been tried since there were `before` of them get of the node's span. */
static double walk_take_span(const rowwise_walker *w, rowwise_level *level, double before) {
    double share = before > 0 ? walk_rows_left(w, &level->node) / before : 0;
    double rest = level->span * share * share * share * share, span = level->span - rest;
    level->span = rest;
    return span;
}

static void walk_retire(rowwise_walker *w, double span) {
    if (span > 0) progress_retire(&w->job->at, &w->told, span);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

bool rowwise_leads_on(const rowwise_walker *w, const rowwise_node *node, uint64_t min) {
    if (node->list.n < 2) return false;
    if (w->target == LODE_TARGET_MAXIMAL && node->weight >= min) return false;
    return w->min_size <= 1 || rowwise_list_size(w->table, &node->list) >= w->min_size;
}

/* Reports a node that has just been found; *open: there may be sets below it. */
static lode_status rowwise_enter(rowwise_walker *w, const rowwise_node *node,
                                 const rowwise_list *above, bool *open) {
    lode_status status = LODE_OK;
    uint64_t min = walk_threshold(w);
    LODE_TRY(rowwise_check(w));
    if (node->weight >= min) LODE_TRY(rowwise_emit(w, node, above, min));
    *open = rowwise_leads_on(w, node, min);
done:
    return status;
}

/* Goes to the next child of a level. *depth is where to go on: below, here, or above. */
static lode_status rowwise_step(rowwise_walker *w, uint32_t *depth) {
    lode_status status = LODE_OK;
    rowwise_level *level = &w->levels[*depth], *below = level + 1;
    bool open = false, spans = level->span >= PROGRESS_LEAST;
    double before = spans ? walk_rows_left(w, &level->node) : 0;
    LODE_TRY(rowwise_level_reserve(w, below, level->node.list.n));
    if (!w->kernels->next(&w->table->rows, &level->node, walk_threshold(w), &below->node)) {
        walk_retire(w, level->span);
        *depth -= 1;
        return LODE_OK;
    }
    below->span = spans ? walk_take_span(w, level, before) : 0;
    LODE_TRY(rowwise_enter(w, &below->node, &level->node.list, &open));
    if (!open) {
        walk_retire(w, below->span);
    } else if (!rowwise_is_wanted(w, &below->node) || !rowwise_give(w, below)) {
        *depth += 1;
    }
done:
    return status;
}

lode_status rowwise_walk_below(rowwise_walker *w) {
    lode_status status = LODE_OK;
    uint32_t depth = 0;
    /* One level up from the first, the number wraps around. */
    while (depth < w->n_levels) LODE_TRY(rowwise_step(w, &depth));
done:
    return status;
}

void rowwise_make_root(const rowwise_table *table, rowwise_node *root) {
    const rowwise_rows *rows = &table->rows;
    const rowwise_list *list = &table->list;
    *root = (rowwise_node){.list = *list};
    for (unsigned i = 0; i < rows->words; i++) {
        uint64_t all = ~(uint64_t)0, any = 0;
        for (uint32_t c = 0; c < list->n; c++) {
            all &= list->columns[i * list->stride + c];
            any |= list->columns[i * list->stride + c];
        }
        root->held[i] = all;
        root->left[i] = any & ~all;
        for (unsigned b = 0; b < rows->n_planes; b++) {
            root->weight += bits_count(all & rows->planes[b][i]) << b;
        }
    }
}

lode_status rowwise_walk_all(rowwise_walker *w, double span) {
    lode_status status = LODE_OK;
    rowwise_level *root = &w->levels[0];
    bool open = false;
    rowwise_make_root(w->table, &root->node);
    root->span = span;
    LODE_TRY(rowwise_enter(w, &root->node, NULL, &open));
    if (open) return rowwise_walk_below(w);
    walk_retire(w, span);
done:
    return status;
}
