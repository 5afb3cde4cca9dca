/* levelwise_rows.c - candidates counted by the rows of the two sets they are joined from
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/prepare.h"
#include "papers/levelwise.h"
#include "papers/levelwise_team.h"

void levelwise_give_rows(levelwise *w, vec_u32 *rows, vec_u32 *homes) {
    for (size_t i = 0; i < rows->n; i++) {
        bool given = homes && i < homes->n;
        list_pool_give(given ? w->team[homes->data[i]].pool : &w->pool, rows->data[i]);
    }
    rows->n = 0;
    if (homes) homes->n = 0;
}

/* ---- who counts what ----------------------------------------------------------------------- */

/* The member that alone has the row of a set; NULL: every one has it, or none. */
static levelwise_member *rows_home(const levelwise *w, uint32_t set) {
    uint32_t row = w->rows.data[set];
    if (row != BACKEND_NO_ROW) return row < w->v.n_items ? NULL : &w->team[0];
    if (set >= w->far_rows.n || w->far_rows.data[set] == BACKEND_NO_ROW) return NULL;
    return &w->team[w->homes.data[set]];
}

/* The row of a set as the member sees it: none if another one has it. */
static uint32_t rows_seen(const levelwise *w, const levelwise_member *m, uint32_t set) {
    const levelwise_member *home = rows_home(w, set);
    if (home && home != m) return BACKEND_NO_ROW;
    return home && m->number > 0 ? w->far_rows.data[set] : w->rows.data[set];
}

static levelwise_member *rows_neediest(const levelwise *w) {
    levelwise_member *most = &w->team[0];
    for (unsigned i = 1; i < w->n_team; i++) {
        levelwise_member *m = &w->team[i];
        if (m->share - m->index.n > most->share - most->index.n) most = m;
    }
    return most;
}

/* Gives each member its share of the pairs: those whose left set it has, as far as it can. */
static lode_status rows_assign(levelwise *w) {
    lode_status status = LODE_OK;
    levelwise_team_divide(w, w->n_pairs);
    for (unsigned i = 0; i < w->n_team; i++) {
        w->team[i].index.n = 0;
        LODE_TRY(vec_u32_reserve(w->mem, &w->team[i].index, w->team[i].share));
    }
    levelwise_member *m = NULL;
    for (size_t i = 0; i < w->n_pairs; i++) {
        bool same = i > 0 && w->pairs[i].a == w->pairs[i - 1].a;
        levelwise_member *home = same ? NULL : rows_home(w, w->pairs[i].a);
        if (home && home->index.n < home->share) m = home;
        if ((!same && !home) || m == NULL || m->index.n == m->share) m = rows_neediest(w);
        m->index.data[m->index.n++] = (uint32_t)i;
    }
done:
    return status;
}

/* ---- the part of a member ------------------------------------------------------------------ */

/* Pairs index[first], index[first + 1], … that share their left set: returns their end. */
static size_t rows_run_end(const levelwise *w, const vec_u32 *index, size_t first) {
    size_t end = first + 1;
    while (end < index->n && w->pairs[index->data[end]].a == w->pairs[index->data[first]].a) end++;
    return end;
}

/* Has the row of a left set that lies with another member made again here, if n candidates pay for
 * it and there is a list. */
static lode_status rows_move(const levelwise *w, levelwise_member *m, uint32_t set, size_t n,
                             uint32_t *row) {
    lode_status status = LODE_OK;
    *row = BACKEND_NO_ROW;
    if (!rows_home(w, set) || !backend_class_pays(w->k, n)) return LODE_OK;
    LODE_TRY(vec_u32_reserve(w->mem, &m->moved, 1));
    LODE_TRY(vec_u32_reserve(w->mem, &m->moved_items, w->k - 1));
    *row = levelwise_member_take(m);
    if (*row == BACKEND_NO_ROW) return LODE_OK;
    m->moved.data[m->moved.n++] = *row;
    w->method->sets->items(w, set, m->moved_items.data + m->moved_items.n);
    m->moved_items.n += w->k - 1;
done:
    return status;
}

/* A pair whose left set has no row: the list of its k items. */
static lode_status rows_add_list(const levelwise *w, levelwise_member *m, uint32_t pair) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u32_push(w->mem, &m->list_index, pair));
    LODE_TRY(vec_u32_reserve(w->mem, &m->lists, w->k));
    w->method->sets->items(w, w->pairs[pair].a, m->lists.data + m->lists.n);
    m->lists.data[m->lists.n + w->k - 1] = levelwise_extra(w, w->pairs[pair]);
    m->lists.n += w->k;
done:
    return status;
}

/* Pairs of one left set: three row numbers each, or a list. */
static lode_status rows_add_run(levelwise *w, levelwise_member *m, const uint32_t *pairs,
                                size_t n) {
    lode_status status = LODE_OK;
    bool grows = w->k < w->task->items.options->max_size;
    uint32_t left = rows_seen(w, m, w->pairs[pairs[0]].a);
    if (left == BACKEND_NO_ROW) LODE_TRY(rows_move(w, m, w->pairs[pairs[0]].a, n, &left));
    for (size_t j = 0; j < n; j++) {
        uint32_t i = pairs[j], dst = BACKEND_NO_ROW;
        if (left == BACKEND_NO_ROW) {
            LODE_TRY(rows_add_list(w, m, i));
            continue;
        }
        uint32_t right = rows_seen(w, m, w->pairs[i].b);
        if (right == BACKEND_NO_ROW) right = levelwise_extra(w, w->pairs[i]); /* gives the same */
        if (grows) dst = levelwise_member_take(m);
        w->dst.data[i] = dst;
        m->work[m->work_index.n] = (backend_work){left, right, dst};
        m->work_index.data[m->work_index.n++] = i;
    }
done:
    return status;
}

static lode_status rows_lay_out(levelwise *w, levelwise_member *m) {
    lode_status status = LODE_OK;
    size_t n = m->index.n;
    m->work_index.n = m->list_index.n = m->lists.n = m->moved.n = m->moved_items.n = 0;
    m->counts.n = 0;
    if (m->cap_work < n) {
        LODE_TRY(vec_grow(w->mem, (void **)&m->work, 0, &m->cap_work, n, sizeof *m->work));
    }
    LODE_TRY(vec_u32_reserve(w->mem, &m->work_index, n));
    LODE_TRY(vec_u32_reserve(w->mem, &m->counts, n));
    for (size_t i = 0, end; i < n; i = end) {
        end = rows_run_end(w, &m->index, i);
        for (size_t j = i; j < end; j++) w->dst_homes.data[m->index.data[j]] = m->number;
        LODE_TRY(rows_add_run(w, m, m->index.data + i, end - i));
    }
done:
    return status;
}

/* Puts the counts of the device where those of the block are. */
static void rows_spread(levelwise *w, const levelwise_member *m, const vec_u32 *index) {
    for (size_t i = 0; i < index->n; i++) w->counts.data[index->data[i]] = m->counts.data[i];
}

static lode_status rows_count_part(levelwise *w, levelwise_member *m) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    LODE_TRY(rows_lay_out(w, m));
    levelwise_member_begin(m);
    if (m->moved.n > 0) {
        LODE_TRY(m->backend->and_rows(m->device, m->moved.data, m->moved_items.data, w->k - 1,
                                      m->moved.n));
    }
    if (m->work_index.n > 0) {
        LODE_TRY(m->ops->and_count(m->papers, m->work, m->work_index.n, min_count, m->counts.data));
        rows_spread(w, m, &m->work_index);
    }
    if (m->list_index.n > 0) {
        LODE_TRY(m->ops->and_count_lists(m->papers, m->lists.data, w->k, m->list_index.n,
                                         m->counts.data));
        rows_spread(w, m, &m->list_index);
    }
    m->rebuilt += m->moved.n + m->list_index.n;
done:
    for (size_t i = 0; i < m->moved.n; i++) list_pool_give(m->pool, m->moved.data[i]);
    m->moved.n = 0;
    return status;
}

lode_status levelwise_count_rows(levelwise *w) {
    lode_status status = LODE_OK;
    w->dst.n = w->dst_homes.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst, w->n_pairs));
    LODE_TRY(vec_u32_reserve(w->mem, &w->dst_homes, w->n_pairs));
    w->dst.n = w->dst_homes.n = w->n_pairs;
    for (size_t i = 0; i < w->n_pairs; i++) {
        w->dst.data[i] = BACKEND_NO_ROW;
        w->dst_homes.data[i] = 0;
    }
    LODE_TRY(rows_assign(w));
    levelwise_lap(w, &w->tally->candidate);
    LODE_TRY(levelwise_team_count(w, rows_count_part));
done:
    return status;
}

/* ---- sets as a table of bits, which the device joins ----------------------------------------- */

bool levelwise_may_stay(const levelwise *w) {
    return w->n_team == 1 && w->ops->levels;
}

/* Whether every set of the level has a row. */
static bool rows_of_all(const levelwise *w) {
    for (size_t i = 0; i < w->rows.n; i++) {
        if (w->rows.data[i] == BACKEND_NO_ROW) return false;
    }
    return true;
}

/* Stores the rows of the block's candidates, which are all frequent, while there are lists. */
static lode_status rows_store(levelwise *w) {
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
    w->fused = w->n_team == 1 && w->ops->join_count && rows_of_all(w);
    return w->ops->use_sets(w->papers, sets, w->group_end.data, w->fused ? w->rows.data : NULL);
}

lode_status levelwise_join_count(levelwise *w, uint32_t first, uint32_t end,
                                 backend_joined *joined) {
    lode_status status = LODE_OK;
    uint32_t min_count = w->threshold < UINT32_MAX ? (uint32_t)w->threshold : UINT32_MAX;
    joined->pairs = w->pairs;
    joined->counts = w->counts.data;
    if (w->fused) {
        LODE_TRY(w->ops->join_count(w->papers, first, end, min_count, joined));
    } else {
        LODE_TRY(w->ops->join_sets(w->papers, first, end, joined));
    }
    w->n_pairs = joined->n;
    w->tally->generated += joined->generated;
    w->tally->pruned += joined->pruned;
    if (!w->fused) {
        levelwise_lap(w, &w->tally->candidate);
        return levelwise_count_rows(w);
    }
    w->tally->counted +=
        joined->generated - joined->pruned - joined->n; /* those that were dropped */
    levelwise_lap_join(w, joined->count_seconds);
    w->dst.n = 0;
    if (w->k < w->task->items.options->max_size) LODE_TRY(rows_store(w));
    levelwise_lap_count(w);
done:
    return status;
}
