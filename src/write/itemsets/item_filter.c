/* item_filter.c - see item_filter.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_filter.h"

#include "write/itemsets/item_sink.h"

#define FILTER_ASK_EVERY 64 /* subsets of perfect extensions between looks at the clock */

void filter_scratch_free(mem *m, filter_scratch *s) {
    vec_u32_free(m, &s->prefix);
    vec_u32_free(m, &s->items);
    vec_u32_free(m, &s->perfect);
    vec_u64_free(m, &s->supports);
    vec_u32_free(m, &s->counts);
    vec_u32_free(m, &s->rest);
    vec_u32_free(m, &s->choices);
}

/* ---- what a prefix has ----------------------------------------------------------------------- */

/* Copies items of the search, as ids. */
static void filter_ids(const item_filter *f, uint32_t *to, const uint32_t *items, uint32_t n) {
    if (n == 0) return;
    if (!f->ids) memcpy(to, items, n * sizeof *to);
    for (uint32_t i = 0; f->ids && i < n; i++) to[i] = f->ids[items[i]];
}

/* Translates items into an array of the scratch, and points *items to it. Does nothing if items
 * have no other numbers. */
static lode_status filter_translate(const item_filter *f, vec_u32 *to, const uint32_t **items,
                                    uint32_t n) {
    if (!f->ids || n == 0) return LODE_OK;
    to->n = 0;
    lode_status status = vec_u32_reserve(&f->job->mem, to, n);
    if (status != LODE_OK) return status;
    filter_ids(f, to->data, *items, n);
    *items = to->data;
    return LODE_OK;
}

/* Puts the fixed items before the prefix, with room for `more`. */
static lode_status filter_prefix(const item_filter *f, filter_scratch *s, const uint32_t *prefix,
                                 uint32_t n, size_t more) {
    s->prefix.n = 0;
    lode_status status = vec_u32_reserve(&f->job->mem, &s->prefix, f->n_fixed + (size_t)n + more);
    if (status != LODE_OK) return status;
    if (f->n_fixed > 0) memcpy(s->prefix.data, f->fixed, f->n_fixed * sizeof *prefix);
    filter_ids(f, s->prefix.data + f->n_fixed, prefix, n);
    s->prefix.n = f->n_fixed + (size_t)n;
    return LODE_OK;
}

/* Adds up the items of each group: those of some ids. */
static void filter_add(const item_filter *f, uint32_t *counts, const uint32_t *ids, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) select_count(&f->of, ids[i], counts, 1);
}

/* Counts the items of the groups in the prefix, and those that may still be added. */
static lode_status filter_count(const item_filter *f, filter_scratch *s, const uint32_t *prefix,
                                uint32_t n) {
    lode_status status = LODE_OK;
    size_t n_groups = f->groups.n;
    s->counts.n = s->rest.n = 0;
    LODE_TRY(vec_u32_reserve(&f->job->mem, &s->counts, n_groups));
    LODE_TRY(vec_u32_reserve(&f->job->mem, &s->rest, n_groups));
    memcpy(s->counts.data, f->fixed_counts, n_groups * sizeof *s->counts.data);
    memset(s->rest.data, 0, n_groups * sizeof *s->rest.data);
    filter_add(f, s->counts.data, prefix, n);
done:
    return status;
}

/* Judges all patterns that contain the items of the prefix, any of those that may still be added,
 * and at most `more` others of a group. */
static filter_verdict filter_judge(const item_filter *f, const filter_scratch *s, uint32_t more) {
    filter_verdict verdict = FILTER_ALL;
    for (uint32_t g = 0; g < f->groups.n; g++) {
        const select_group *group = &f->groups.groups[g];
        uint64_t least = s->counts.data[g], most = least + s->rest.data[g] + more;
        if (least > group->most || most < group->least) return FILTER_NOTHING;
        if (least < group->least || most > group->most) verdict = FILTER_SOME;
    }
    return verdict;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* A batch on its way. */
typedef struct filter_walk {
    const item_filter *f;
    filter_scratch *s;
    lode_batch batch; /* its items; prefix and perfect extensions are those of the scratch */
    filter_take take;
    void *user;
} filter_walk;

static bool filter_is_grouped(const item_filter *f, uint32_t id) {
    return f->of.starts[id] < f->of.starts[id + 1];
}

/* Whether the prefix is wanted with one item more. `unmet`: how many groups have too few. */
static bool filter_wants(const item_filter *f, const uint32_t *counts, uint32_t id,
                         uint32_t unmet) {
    for (uint32_t k = f->of.starts[id]; k < f->of.starts[id + 1]; k++) {
        const select_group *group = &f->groups.groups[f->of.members[k]];
        uint64_t n = (uint64_t)counts[f->of.members[k]] + 1;
        if (n > group->most) return false;
        unmet -= n == group->least;
    }
    return unmet == 0;
}

/* How many groups have too few items; UINT32_MAX: one has too few even with one more. */
static uint32_t filter_unmet(const item_filter *f, const uint32_t *counts) {
    uint32_t unmet = 0;
    for (uint32_t g = 0; g < f->groups.n; g++) {
        uint32_t least = f->groups.groups[g].least;
        if ((uint64_t)counts[g] + 1 < least) return UINT32_MAX;
        unmet += counts[g] < least;
    }
    return unmet;
}

/* Copies the wanted items of the batch and returns their number. `judged` means that all of them
 * satisfy the groups. */
static uint32_t filter_copy(const filter_walk *w, bool judged) {
    const item_filter *f = w->f;
    filter_scratch *s = w->s;
    const lode_batch *b = &w->batch;
    uint32_t n = 0, unmet = judged ? 0 : filter_unmet(f, s->counts.data);
    if (unmet == UINT32_MAX) return 0;
    for (uint32_t i = 0; i < b->n; i++) {
        bool wanted = b->supports[i] <= f->max_support;
        if (wanted && !judged) wanted = filter_wants(f, s->counts.data, b->items[i], unmet);
        s->items.data[n] = b->items[i];
        s->supports.data[n] = b->supports[i];
        n += wanted;
    }
    return n;
}

/* Passes on the wanted patterns, with these perfect extensions. */
static lode_status filter_pass(const filter_walk *w, const uint32_t *perfect, uint32_t n_perfect,
                               bool judged) {
    filter_scratch *s = w->s;
    lode_batch out = w->batch;
    bool all = judged && w->f->max_support == UINT64_MAX;
    uint32_t n = all ? out.n : filter_copy(w, judged);
    if (n == 0) return LODE_OK;
    if (n < out.n) {
        out.items = s->items.data;
        out.supports = s->supports.data;
        out.n = n;
    }
    out.prefix = s->prefix.data;
    out.n_prefix = (uint32_t)s->prefix.n;
    out.perfect = perfect;
    out.n_perfect = n_perfect;
    return w->take(w->user, &out);
}

/* Puts the perfect extensions that are in a group first; *n_grouped: how many there are. */
static lode_status filter_divide(filter_walk *w, uint32_t *n_grouped) {
    const item_filter *f = w->f;
    const lode_batch *b = &w->batch;
    filter_scratch *s = w->s;
    lode_status status = LODE_OK;
    uint32_t first = 0, last = b->n_perfect;
    s->perfect.n = s->choices.n = 0;
    LODE_TRY(vec_u32_reserve(&f->job->mem, &s->perfect, b->n_perfect));
    LODE_TRY(vec_u32_reserve(&f->job->mem, &s->choices, b->n_perfect));
    for (uint32_t i = 0; i < b->n_perfect; i++) {
        uint32_t id = b->perfect[i];
        s->perfect.data[filter_is_grouped(f, id) ? first++ : --last] = id;
    }
    filter_add(f, s->rest.data, s->perfect.data, first);
    *n_grouped = first;
done:
    return status;
}

/* Decides about a perfect extension: puts it into the prefix or leaves it out. */
static void filter_choose(filter_walk *w, uint32_t depth, bool in) {
    filter_scratch *s = w->s;
    uint32_t id = s->perfect.data[depth];
    s->choices.data[depth] = in;
    if (!in) {
        select_count(&w->f->of, id, s->rest.data, (uint32_t)-1);
        return;
    }
    select_count(&w->f->of, id, s->counts.data, 1);
    s->prefix.data[s->prefix.n++] = id;
}

/* Goes back to the last perfect extension that was left out, and includes it. Returns false if
 * there is none. Sets *depth to the next one. */
static bool filter_back(filter_walk *w, uint32_t *depth) {
    filter_scratch *s = w->s;
    while (*depth > 0) {
        uint32_t at = --*depth, id = s->perfect.data[at];
        if (s->choices.data[at] == 0) {
            filter_choose(w, at, true);
            ++*depth;
            return true;
        }
        select_count(&w->f->of, id, s->counts.data, (uint32_t)-1);
        select_count(&w->f->of, id, s->rest.data, 1);
        s->prefix.n--;
    }
    return false;
}

/* Visits the subsets of the perfect extensions that are in a group. Skips those that the counts
 * rule out, and does not descend into those that all groups allow. */
static lode_status filter_subsets(filter_walk *w, uint32_t n_grouped) {
    lode_status status = LODE_OK;
    filter_scratch *s = w->s;
    uint32_t depth = 0, asked = 0;
    do {
        filter_verdict verdict = filter_judge(w->f, s, 1);
        if (++asked % FILTER_ASK_EVERY == 0) LODE_TRY(job_check(w->f->job));
        if (verdict == FILTER_SOME && depth < n_grouped) {
            filter_choose(w, depth++, false);
            continue;
        }
        if (verdict != FILTER_NOTHING) {
            LODE_TRY(filter_pass(w, s->perfect.data + depth, w->batch.n_perfect - depth,
                                 verdict == FILTER_ALL));
        }
        if (!filter_back(w, &depth)) break;
    } while (true);
done:
    return status;
}

lode_status filter_batch(const item_filter *f, filter_scratch *s, const lode_batch *batch,
                         filter_take take, void *user) {
    lode_status status = LODE_OK;
    filter_walk w = {f, s, *batch, take, user};
    uint32_t n_grouped = 0;
    if (batch->n == 0) return LODE_OK;
    LODE_TRY(filter_prefix(f, s, batch->prefix, batch->n_prefix, batch->n_perfect));
    s->items.n = s->supports.n = 0;
    LODE_TRY(vec_u32_reserve(&f->job->mem, &s->items, batch->n));
    LODE_TRY(vec_u64_reserve(&f->job->mem, &s->supports, batch->n));
    LODE_TRY(filter_translate(f, &s->items, &w.batch.items, batch->n));
    LODE_TRY(filter_translate(f, &s->perfect, &w.batch.perfect, batch->n_perfect));
    if (f->groups.n == 0) return filter_pass(&w, w.batch.perfect, batch->n_perfect, true);
    LODE_TRY(filter_count(f, s, batch->prefix, batch->n_prefix));
    LODE_TRY(filter_divide(&w, &n_grouped));
    LODE_TRY(filter_subsets(&w, n_grouped));
done:
    return status;
}

lode_status filter_fixed(const item_filter *f, uint64_t support, filter_take take, void *user) {
    lode_batch batch = {.prefix = f->fixed,
                        .n_prefix = f->n_fixed - 1,
                        .items = f->fixed + f->n_fixed - 1,
                        .supports = &support,
                        .n = 1};
    if (support > f->max_support) return LODE_OK;
    for (uint32_t g = 0; g < f->groups.n; g++) {
        const select_group *group = &f->groups.groups[g];
        uint32_t n = f->fixed_counts[g];
        if (n < group->least || n > group->most) return LODE_OK;
    }
    return take(user, &batch);
}

/* ---- lattices -------------------------------------------------------------------------------- */

/* Whether a set of a lattice has more support than is wanted. */
static bool filter_exceeds(const item_filter *f, const sink_lattice *l) {
    if (f->max_support >= UINT32_MAX) return false;
    if (!l->has_gaps) { /* no set has more than its items */
        for (uint32_t i = 0; i < l->n_items; i++) {
            if (l->supports[(size_t)1 << i] > f->max_support) return true;
        }
        return false;
    }
    for (size_t set = 1; set < (size_t)1 << l->n_items; set++) {
        if (l->supports[set] > f->max_support) return true;
    }
    return false;
}

lode_status filter_lattice(const item_filter *f, filter_scratch *s, const sink_lattice *l,
                           sink_lattice *out, filter_verdict *verdict) {
    lode_status status = LODE_OK;
    *verdict = FILTER_ALL;
    if (f->groups.n > 0) {
        LODE_TRY(filter_count(f, s, l->prefix, l->n_prefix));
        filter_add(f, s->rest.data, l->items, l->n_items);
        filter_add(f, s->rest.data, l->perfect, l->n_perfect);
        *verdict = filter_judge(f, s, 0);
    }
    if (*verdict == FILTER_ALL && (f->bounds || filter_exceeds(f, l))) *verdict = FILTER_SOME;
    if (*verdict != FILTER_ALL) goto done;
    LODE_TRY(filter_prefix(f, s, l->prefix, l->n_prefix, 0));
    *out = *l;
    out->prefix = s->prefix.data;
    out->n_prefix = (uint32_t)s->prefix.n;
    LODE_TRY(filter_translate(f, &s->items, &out->items, l->n_items));
    LODE_TRY(filter_translate(f, &s->perfect, &out->perfect, l->n_perfect));
done:
    return status;
}
