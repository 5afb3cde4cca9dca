/* stack.c - the classes on the stack of a search, and their shares of the progress; see
 * search_state.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/forecast.h"
#include "itemsets/frontier/search_state.h"

/* Classes of at least this span are forecast: there are few, so it costs nothing. */
#define FORECAST_SPAN 0.003f

#if LODE_DEBUG
/* A class with its offsets within the stack, and members in order. */
static void class_validate(const frontier_search *s, size_t i) {
    stacked_class f = class_at(s, i);
    uint32_t n = f.head[CLASS_N], end = f.head[CLASS_END], left = f.head[CLASS_LEFT];
    size_t next = i + 1 < s->classes.n ? s->classes.data[i + 1] : s->stack.n;
    LODE_DEBUG_CHECK(s->classes.data[i] + class_words(f.head[CLASS_N_PREFIX], n) == next,
                     "class %zu does not end where the next begins", i);
    LODE_DEBUG_CHECK(left <= end && (n == 0 || end < n) && f.head[CLASS_RIGHT] <= n,
                     "a class of %u members is joined from member %u to %u", n, left, end);
    LODE_DEBUG_CHECK(f.head[CLASS_FORECAST] <= s->n_forecasts, "a class has no forecast");
    for (uint32_t k = 0; k < n; k++) {
        LODE_DEBUG_CHECK(f.items[k] < s->v->n_items,
                         "a class has item %u, but there are only %u items", f.items[k],
                         s->v->n_items);
        LODE_DEBUG_CHECK(f.rows[k] == BACKEND_NO_ROW || f.rows[k] < s->pool.first + s->pool.fresh,
                         "a class has row %u, which does not exist", f.rows[k]);
        /* Others may decide in which order the items come. */
        bool ordered = k > 0 && f.head[CLASS_N_PREFIX] > 0;
        LODE_DEBUG_CHECK(!ordered || f.supports[k - 1] <= f.supports[k],
                         "the members of a class are out of order");
    }
}

void frontier_validate(const frontier_search *s, size_t first) {
    list_pool_validate(&s->pool);
    LODE_DEBUG_CHECK(s->open == NO_CLASS || s->open < s->classes.n,
                     "the open class is no longer on the stack");
    for (size_t i = first; i < s->classes.n; i++) class_validate(s, i);
    if (s->classes.n > 0) return;
    LODE_DEBUG_CHECK(s->pool.in_use == 1,
                     "%u lists are in use although no class is left; expected 1", s->pool.in_use);
    LODE_DEBUG_CHECK(s->stack.n == 0 && s->n_forecasts == 0,
                     "%zu words and %zu forecasts are left although no class is left", s->stack.n,
                     s->n_forecasts);
}
#endif

lode_status frontier_class_add(mem *m, vec_u32 *words, vec_u64 *starts, uint32_t n_prefix,
                               uint32_t n, stacked_class *out) {
    size_t size = class_words(n_prefix, n);
    lode_status status = vec_u32_reserve(m, words, size);
    if (status == LODE_OK) status = vec_u64_push(m, starts, words->n);
    if (status != LODE_OK) return status;
    uint32_t *at = words->data + words->n;
    memset(at, 0, CLASS_HEAD_WORDS * sizeof *at);
    at[CLASS_N_PREFIX] = n_prefix;
    at[CLASS_N] = n;
    at[CLASS_END] = n > 0 ? n - 1 : 0;
    words->n += size;
    *out = class_view(at);
    return LODE_OK;
}

lode_status frontier_push_root(frontier_search *s, uint32_t rank) {
    stacked_class f;
    uint32_t n = s->v->n_items - rank;
    lode_status status = frontier_class_add(s->mem, &s->stack, &s->classes, 0, n, &f);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        f.items[i] = f.rows[i] = rank + i;
        f.supports[i] = cap_support(s->v->supports[rank + i]);
    }
    f.head[CLASS_END] = n > 1 ? 1 : 0;
    class_set_span(f, (float)s->hooks.spans[rank]);
    s->gathered += s->hooks.spans[rank];
    return LODE_OK;
}

void frontier_give_rows(frontier_search *s, stacked_class f, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        list_pool_give(&s->pool, f.rows[i]);
        f.rows[i] = BACKEND_NO_ROW;
    }
}

/* ---- progress ------------------------------------------------------------------------------ */

/* The span of a small class is not divided: the last member has it all. */
float frontier_span_take(const frontier_search *s, stacked_class f, uint32_t left) {
    float span = class_span(f), share = 0;
    if (span == 0) return 0; /* most classes are below one that was not divided */
    if (left + 1 >= f.head[CLASS_END]) {
        share = span;
    } else if (f.head[CLASS_FORECAST]) {
        share = span * (float)s->forecasts[f.head[CLASS_FORECAST] - 1 + left];
    } else if (span >= PROGRESS_LEAST) {
        share = span * 2 / (float)(f.head[CLASS_N] - left); /* by joins */
    }
    class_set_span(f, span - share);
    return share;
}

void frontier_span_retire(frontier_search *s, float span) {
    if (span > 0) progress_retire(&s->job->at, &s->progress, span);
}

lode_status frontier_class_forecast(frontier_search *s, stacked_class f, uint32_t of) {
    const forecast_config config = {.power = 1};
    uint32_t n = f.head[CLASS_N], size = f.head[CLASS_N_PREFIX] + 1;
    f.head[CLASS_FORECAST] = 0;
    if (class_span(f) < FORECAST_SPAN || n < 3) return LODE_OK;
    if (s->cap_forecasts - s->n_forecasts < n) {
        lode_status status = vec_grow(s->mem, (void **)&s->forecasts, s->n_forecasts,
                                      &s->cap_forecasts, n, sizeof *s->forecasts);
        if (status != LODE_OK) return status;
    }
    forecast_class c = {.n = n,
                        .supports = f.supports,
                        .of = of,
                        .min_count = s->threshold,
                        .max_added = s->task->items.options->max_size - size};
    double *to = s->forecasts + s->n_forecasts;
    forecast_members(&c, &config, to);
    for (uint32_t i = 0; i < n; i++) to[i] += n - i - 1; /* which are counted in any case */
    forecast_to_rest(to, n - 1);
    f.head[CLASS_FORECAST] = (uint32_t)s->n_forecasts + 1;
    s->n_forecasts += n;
    return LODE_OK;
}

void frontier_class_forget(frontier_search *s, stacked_class f) {
    frontier_span_retire(s, class_span(f));
    if (f.head[CLASS_FORECAST]) s->n_forecasts = f.head[CLASS_FORECAST] - 1;
}
