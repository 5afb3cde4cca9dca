/* rowwise_walk.c - see rowwise_walk.h
 *
 * Progress: a node divides its span as if the work below a row were proportional to the third power
 * of the number of rows from it on. So if m rows are left, the first k of them get the share
 * 1 - ((m - k) / m)^4 of the span.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_walk.h"

#include <string.h>

#include "base/bits.h"

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

/* ---- from the search to the sink ------------------------------------------------------------- */

/* A frequent set is maximal if no column can be added: no other column has enough of its rows in
 * common with the set to stay frequent. If the set cannot lose a row, no check is needed. Columns
 * of the parent share the most rows with the set, so they are checked first; they rule out most
 * sets that are not maximal. */

static bool emit_wants(const rowwise_walker *w, const rowwise_node *node, const rowwise_list *above,
                       uint64_t min) {
    const rowwise_rows *rows = &w->table->rows;
    if (w->target != LODE_TARGET_MAXIMAL) return true;
    if (node->weight - rows->lightest < min) return true;
    if (above && w->kernels->meets(rows, above, node->held, min)) return false;
    return !w->kernels->meets(rows, &w->table->list, node->held, min);
}

static uint32_t emit_collect(rowwise_walker *w, const rowwise_list *list) {
    const rowwise_table *t = w->table;
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const uint32_t *ids = t->ids + t->first[list->which[i]];
        uint32_t size = rowwise_column_size(t, list->which[i]);
        for (uint32_t k = 0; k < size; k++) w->ids[n++] = ids[k];
    }
    return n;
}

/* Reports the columns of a frequent node, if the target requires it. `above`: the list of the
 * node's parent; NULL = it has none, or another thread has it. */
static lode_status rowwise_emit(rowwise_walker *w, const rowwise_node *node,
                                const rowwise_list *above, uint64_t min) {
    uint32_t size = rowwise_list_size(w->table, &node->list);
    if (size < w->min_size || size > w->max_size || !emit_wants(w, node, above, min)) {
        return LODE_OK;
    }
    if (w->numbers) return sink_add_number(w->out, size, 1);
    emit_collect(w, &node->list);
    lode_batch batch = {.prefix = w->ids,
                        .n_prefix = size - 1,
                        .items = w->ids + size - 1,
                        .supports = &node->weight,
                        .n = 1};
    return sink_emit(w->out, &batch);
}

/* ---- branches that change hands -------------------------------------------------------------- */

/* One block of memory: the record, then its columns and their numbers. */
struct rowwise_record {
    rowwise_node node;
    double span;
    size_t bytes;
};

static rowwise_record *record_of(rowwise_walker *w, const rowwise_level *level) {
    const rowwise_list *from = &level->node.list;
    unsigned words = w->table->rows.words;
    size_t stride = rowwise_stride(from->n);
    size_t bytes =
        sizeof(rowwise_record) + stride * (words * sizeof *from->columns + sizeof *from->which);
    rowwise_record *r = NULL;
    if (mem_zalloc(&w->job->mem, (void **)&r, bytes) != LODE_OK) return NULL;
    *r = (rowwise_record){.node = level->node, .span = level->span, .bytes = bytes};
    rowwise_list *to = &r->node.list;
    to->stride = stride;
    to->columns = (uint64_t *)(r + 1);
    to->which = (uint32_t *)(to->columns + words * stride);
    for (unsigned i = 0; i < words; i++) {
        memcpy(to->columns + i * stride, from->columns + i * from->stride,
               from->n * sizeof *from->columns);
    }
    memcpy(to->which, from->which, from->n * sizeof *from->which);
    return r;
}

/* Gives the branch away, with its span. False: keep it (no thread takes it any more, or there is no
 * memory for a copy). */
static bool rowwise_give(rowwise_walker *w, const rowwise_level *level) {
    rowwise_record *r = record_of(w, level);
    if (!r) return false;
    if (tasks_offer(w->tasks, (tasks_item){.record = r})) return true;
    rowwise_record_free(&w->job->mem, r);
    return false;
}

void rowwise_take(rowwise_walker *w, rowwise_record *record) {
    w->levels[0].node = record->node;
    w->levels[0].span = record->span;
}

void rowwise_record_free(mem *m, rowwise_record *record) {
    mem_free(m, record, record->bytes);
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

static size_t rowwise_level_bytes(unsigned words, size_t stride) {
    return stride * (words * sizeof(uint64_t) + sizeof(uint32_t));
}

uint64_t rowwise_walker_need(uint32_t n_rows, uint32_t n_items) {
    unsigned words = (n_rows + 63) / 64;
    uint64_t level = rowwise_level_bytes(words, rowwise_stride(n_items)) + sizeof(rowwise_level);
    return (n_rows + (uint64_t)2) * level + (n_items + (uint64_t)1) * sizeof(uint32_t);
}

lode_status rowwise_walker_open(rowwise_walker *w) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    w->ids_bytes = (w->table->n_items + (size_t)1) * sizeof *w->ids;
    w->n_levels = w->table->rows.n + 2;
    LODE_TRY(mem_resize(m, (void **)&w->ids, 0, w->ids_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&w->levels, w->n_levels * sizeof *w->levels));
done:
    return status;
}

void rowwise_walker_close(rowwise_walker *w) {
    mem *m = &w->job->mem;
    for (uint32_t i = 0; w->levels && i < w->n_levels; i++) {
        mem_free(m, w->levels[i].block, w->levels[i].block_bytes);
    }
    mem_free(m, w->levels, w->levels ? w->n_levels * sizeof *w->levels : 0);
    mem_free(m, w->ids, w->ids ? w->ids_bytes : 0);
}

lode_status rowwise_level_reserve(rowwise_walker *w, rowwise_level *level, uint32_t n) {
    rowwise_list *list = &level->node.list;
    size_t stride = rowwise_stride(n), most = rowwise_stride(w->table->list.n);
    unsigned words = w->table->rows.words;
    if (level->block && list->stride >= stride) return LODE_OK;
    if (level->block && 2 * list->stride > stride) stride = 2 * list->stride;
    if (stride > most) stride = most;
    mem_free(&w->job->mem, level->block, level->block_bytes);
    level->block = NULL;
    level->block_bytes = 0;
    size_t bytes = rowwise_level_bytes(words, stride);
    lode_status status = mem_resize(&w->job->mem, &level->block, 0, bytes);
    if (status != LODE_OK) return status;
    level->block_bytes = bytes;
    list->columns = level->block;
    list->which = (uint32_t *)(list->columns + words * stride);
    list->stride = stride;
    return LODE_OK;
}
