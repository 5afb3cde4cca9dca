/* settle.c - reports the frequent candidates of a batch and makes classes from them; see
 * search_state.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/frontier/search_state.h"

static lode_status report_child(frontier_search *s, const frontier_child *c) {
    lode_status status = LODE_OK;
    stacked_class f = class_at(s, c->parent);
    uint32_t n_prefix = f.head[CLASS_N_PREFIX];
    const uint32_t *ids = s->v->ids;
    s->out_items.n = s->out_supports.n = s->out_prefix.n = 0;
    LODE_TRY(vec_u32_reserve(s->mem, &s->out_items, c->n));
    LODE_TRY(vec_u64_reserve(s->mem, &s->out_supports, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->out_prefix, (size_t)n_prefix + 1));
    for (size_t i = c->first; i < c->first + c->n; i++) {
        if (candidate_support(s, i) < s->threshold) continue;
        s->out_items.data[s->out_items.n++] = ids[s->work_items.data[i]];
        s->out_supports.data[s->out_supports.n++] = candidate_support(s, i);
    }
    if (s->out_items.n == 0) return LODE_OK;
    for (uint32_t i = 0; i < n_prefix; i++) s->out_prefix.data[i] = ids[f.prefix[i]];
    s->out_prefix.data[n_prefix] = ids[f.items[c->left]];
    s->totals.patterns += s->out_items.n;
    lode_batch batch = {
        .prefix = s->out_prefix.data,
        .n_prefix = n_prefix + 1,
        .items = s->out_items.data,
        .supports = s->out_supports.data,
        .n = (uint32_t)s->out_items.n,
    };
    LODE_TRY(sink_emit(s->sink, &batch));
done:
    return status;
}

lode_status frontier_report_batch(frontier_search *s) {
    for (size_t i = 0; i < s->n_children; i++) {
        lode_status status = report_child(s, &s->children[i]);
        if (status == LODE_OK) status = frontier_poll(s);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Adds the frequent candidates of a child to its members; the lists of the others go back. */
static lode_status gather_members(frontier_search *s, const frontier_child *c) {
    lode_status status = LODE_OK;
    if (!c->continued) s->member_items.n = s->member_supports.n = s->member_rows.n = 0;
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_items, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_supports, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_rows, c->n));
    for (size_t i = c->first; i < c->first + c->n; i++) {
        if (candidate_support(s, i) < s->threshold) {
            list_pool_give(&s->pool, s->work[i].dst);
            continue;
        }
        s->member_items.data[s->member_items.n++] = s->work_items.data[i];
        s->member_supports.data[s->member_supports.n++] = cap_support(candidate_support(s, i));
        s->member_rows.data[s->member_rows.n++] = s->work[i].dst;
    }
done:
    return status;
}

static bool member_before(const uint64_t *a, const uint64_t *b) {
    return *a < *b;
}

#define SORT_NAME   sort_members
#define SORT_TYPE   uint64_t
#define SORT_BEFORE member_before
#include "base/sort_body.h"

/* Orders the members from the rarest on. Keys are support and position, so that members of equal
 * support keep their order. */
static lode_status order_members(frontier_search *s) {
    size_t n = s->member_items.n;
    s->order.n = 0;
    lode_status status = vec_u64_reserve(s->mem, &s->order, n);
    if (status != LODE_OK) return status;
    uint64_t *keys = s->order.data;
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)s->member_supports.data[i] << 32 | i;
    sort_members(keys, n, NULL);
    return LODE_OK;
}

/* Makes a class of the members. The last one is never a left member: its list goes back. */
static lode_status stack_child(frontier_search *s, const frontier_child *c, float span) {
    lode_status status = LODE_OK;
    uint32_t n = (uint32_t)s->member_items.n;
    stacked_class to;
    LODE_TRY(order_members(s));
    stacked_class parent = class_at(s, c->parent);
    uint32_t n_prefix = parent.head[CLASS_N_PREFIX];
    LODE_TRY(frontier_class_add(s->mem, &s->fresh, &s->fresh_at, n_prefix + 1, n, &to));
    memcpy(to.prefix, parent.prefix, n_prefix * sizeof *parent.prefix);
    to.prefix[n_prefix] = parent.items[c->left];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = (uint32_t)s->order.data[i];
        to.items[i] = s->member_items.data[from];
        to.supports[i] = s->member_supports.data[from];
        to.rows[i] = s->member_rows.data[from];
    }
    class_set_span(to, span);
    to.head[CLASS_FORECAST] =
        parent.supports[c->left]; /* until it is on the stack: the support of its prefix */
    frontier_give_rows(s, to, n - 1, n);
done:
    return status;
}

static lode_status settle_child(frontier_search *s, const frontier_child *c) {
    lode_status status = gather_members(s, c);
    if (status != LODE_OK || !c->complete) return status;
    stacked_class f = class_at(s, c->parent);
    frontier_give_rows(s, f, c->left, c->left + 1);
    bool grows = (uint64_t)f.head[CLASS_N_PREFIX] + 2 < s->task->items.options->max_size;
    float span = frontier_span_take(s, f, c->left);
    if (grows && s->member_items.n >= 2) return stack_child(s, c, span);
    frontier_span_retire(s, span);
    for (size_t i = 0; i < s->member_rows.n; i++) list_pool_give(&s->pool, s->member_rows.data[i]);
    return LODE_OK;
}

static void pop_done_classes(frontier_search *s) {
    while (s->classes.n > 0 && s->open != s->classes.n - 1) {
        stacked_class f = class_at(s, s->classes.n - 1);
        if (!class_is_done(f)) return;
        frontier_give_rows(s, f, 0, f.head[CLASS_N]);
        frontier_class_forget(s, f);
        s->stack.n = s->classes.data[--s->classes.n];
    }
}

/* Moves the child classes onto the stack. */
static lode_status push_fresh(frontier_search *s) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(s->mem, &s->classes, s->fresh_at.n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->stack, s->fresh.n));
    for (size_t i = 0; i < s->fresh_at.n; i++) {
        s->classes.data[s->classes.n++] = s->stack.n + s->fresh_at.data[i];
    }
    if (s->fresh.n > 0) {
        memcpy(s->stack.data + s->stack.n, s->fresh.data, s->fresh.n * sizeof *s->fresh.data);
    }
    s->stack.n += s->fresh.n;
    for (size_t i = s->classes.n - s->fresh_at.n; i < s->classes.n; i++) {
        stacked_class f = class_at(s, i);
        LODE_TRY(frontier_class_forecast(s, f, f.head[CLASS_FORECAST]));
    }
done:
    return status;
}

lode_status frontier_settle(frontier_search *s) {
    lode_status status = LODE_OK;
    s->fresh.n = s->fresh_at.n = 0;
    for (size_t i = 0; i < s->n_children; i++) {
        LODE_TRY(settle_child(s, &s->children[i]));
        LODE_TRY(frontier_poll(s));
    }
    if (s->open == NO_CLASS) s->scratch_busy = false;
    pop_done_classes(s);
    LODE_TRY(push_fresh(s));
    LODE_VALIDATE(frontier_validate(s, s->classes.n - s->fresh_at.n));
done:
    return status;
}
