/* apply_index.c - see apply_index.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/apply_index.h"

#include "results/store/item_names.h"

#define INDEX_BLOCK 1024

/* ---- items ---------------------------------------------------------------------------------- */

typedef struct index_item {
    uint64_t support; /* in the transactions */
    uint32_t item;
} index_item;

static bool index_item_before(const index_item *a, const index_item *b) {
    return a->support != b->support ? a->support < b->support : a->item < b->item;
}

#define SORT_NAME   sort_index_items
#define SORT_TYPE   index_item
#define SORT_BEFORE index_item_before
#include "base/sort_body.h"

/* Notes an item that the store lacks: the most frequent ones are kept, by their ids. */
static void index_note_unknown(apply_index *x, uint32_t id) {
    lode_apply_summary *s = x->summary;
    const uint64_t *supports = x->data->item_supports;
    const uint32_t room = sizeof s->most_unknown / sizeof *s->most_unknown;
    s->unknown++;
    if (s->n_named == room && supports[s->most_unknown[room - 1]] >= supports[id]) return;
    uint32_t at = s->n_named < room ? s->n_named++ : room - 1;
    for (; at > 0 && supports[s->most_unknown[at - 1]] < supports[id]; at--) {
        s->most_unknown[at] = s->most_unknown[at - 1];
    }
    s->most_unknown[at] = id;
}

/* Finds the items of the data in the store, by name, and notes their supports. */
static lode_status index_find_items(apply_index *x, index_item *items) {
    lode_status status = LODE_OK;
    mem *m = &x->store->job->mem;
    vec_char name = {0};
    for (uint32_t id = 0; id < x->data->item_bound; id++) {
        if (id % 1024 == 0) LODE_TRY(job_check(x->store->job));
        x->item_of[id] = UINT32_MAX;
        if (x->data->item_supports[id] == 0) continue;
        size_t n = dataset_id_name(x->data, id, name.data, name.cap);
        if (n > name.cap) {
            name.n = 0;
            LODE_TRY(vec_char_reserve(m, &name, n));
            dataset_id_name(x->data, id, name.data, name.cap);
        }
        uint32_t item = names_find(x->store, name.data, n);
        x->item_of[id] = item;
        x->summary->items++;
        if (item != UINT32_MAX) {
            items[item].support = x->data->item_supports[id];
        } else {
            index_note_unknown(x, id);
        }
    }
    for (uint32_t i = 0; i < x->summary->n_named; i++) {
        x->summary->most_unknown[i] = dataset_item_of(x->data, x->summary->most_unknown[i]);
    }
done:
    vec_char_free(m, &name);
    return status;
}

static lode_status index_rank_items(apply_index *x) {
    lode_status status = LODE_OK;
    mem *m = &x->store->job->mem;
    index_item *items = NULL;
    uint32_t n = x->store->n_names;
    size_t bytes = (n + (size_t)1) * sizeof *items;
    sort_stop stop = job_sort_stop(x->store->job);
    LODE_TRY(mem_keep_zero(m, &x->kept, (void **)&x->item_of,
                           (x->data->item_bound + (size_t)1) * sizeof *x->item_of));
    LODE_TRY(
        mem_keep_zero(m, &x->kept, (void **)&x->rank_of, (n + (size_t)1) * sizeof *x->rank_of));
    LODE_TRY(mem_keep_zero(m, &x->kept, (void **)&x->roots, (n + (size_t)1) * sizeof *x->roots));
    LODE_TRY(mem_zalloc(m, (void **)&items, bytes));
    for (uint32_t i = 0; i < n; i++) items[i].item = i;
    LODE_TRY(index_find_items(x, items));
    if (!sort_index_items(items, n, &stop)) LODE_LEAVE(job_check(x->store->job));
    for (uint32_t rank = 0; rank < n; rank++) {
        bool occurs = items[rank].support > 0;
        x->rank_of[items[rank].item] = occurs ? rank : UINT32_MAX;
    }
done:
    if (items) mem_free(m, items, bytes);
    return status;
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* The lists of a block of rows. */
typedef struct index_lists {
    const arrow_cells *lhs, *rhs;
} index_lists;

/* Whether all items of an antecedent occur in the transactions; otherwise nothing holds it. */
static bool index_can_match(const apply_index *x, const arrow_cells *lhs, uint32_t row) {
    arrow_list list = arrow_list_at(lhs, row);
    const uint32_t *items = (const uint32_t *)lhs->values + list.first;
    for (uint32_t i = 0; i < list.n; i++) {
        uint32_t item = MAPPED_READ(items[i]);
        if (item >= x->store->n_names || x->rank_of[item] == UINT32_MAX) return false;
    }
    return list.n > 0; /* rules of lode have an antecedent */
}

/* Adds a rule whose list has `items` more, and lends their place. */
static lode_status index_push(apply_index *x, apply_rule rule, size_t items, uint32_t **list) {
    lode_status status = LODE_OK;
    mem *m = &x->store->job->mem;
    if (x->n_rules == x->cap_rules) {
        LODE_TRY(vec_grow(m, (void **)&x->rules, x->n_rules, &x->cap_rules, 1, sizeof *x->rules));
    }
    LODE_TRY(vec_u32_reserve(m, &x->lists, items));
    *list = x->lists.data + x->lists.n;
    rule.list.at = x->lists.n;
    x->lists.n += items;
    x->rules[x->n_rules++] = rule;
done:
    return status;
}

/* Copies items of the file, all of which must be there: an antecedent as its ranks. */
static lode_status index_put(const apply_index *x, const arrow_cells *cells, arrow_list from,
                             const uint32_t *rank_of, uint32_t *list) {
    const uint32_t *items = (const uint32_t *)cells->values + from.first;
    for (uint32_t i = 0; i < from.n; i++) {
        uint32_t item = MAPPED_READ(items[i]);
        bool known = item < x->store->n_names;
        list[i] = known && rank_of ? rank_of[item] : item;
        if (known && list[i] != UINT32_MAX) continue;
        return job_fail(x->store->job, LODE_IO, "%s: the file has changed since it was opened",
                        x->store->path);
    }
    if (rank_of) sort_u32(list, from.n);
    return LODE_OK;
}

/* A rule: once, or once for each item of its consequent. */
static lode_status index_add(apply_index *x, const index_lists *l, uint32_t row, apply_rule rule) {
    lode_status status = LODE_OK;
    arrow_list lhs = arrow_list_at(l->lhs, row), rhs = arrow_list_at(l->rhs, row);
    uint32_t *list = NULL;
    if (lhs.n == 0) goto done;
    if (!x->by_rhs) {
        rule.n_path = lhs.n;
        rule.n_rhs = rhs.n;
        LODE_TRY(index_push(x, rule, (size_t)lhs.n + rhs.n, &list));
        LODE_TRY(index_put(x, l->lhs, lhs, x->rank_of, list));
        LODE_TRY(index_put(x, l->rhs, rhs, NULL, list + lhs.n));
        goto done;
    }
    rule.n_path = lhs.n + 1;
    for (uint32_t i = 0; i < rhs.n; i++) {
        LODE_TRY(index_push(x, rule, rule.n_path, &list));
        LODE_TRY(index_put(x, l->lhs, lhs, x->rank_of, list + 1));
        list[0] = list[1];
        LODE_TRY(index_put(x, l->rhs, (arrow_list){rhs.first + i, 1}, NULL, list + 1));
    }
done:
    return status;
}

static lode_status index_add_block(apply_index *x, stored_batch *b, const stored_column *by,
                                   uint32_t from) {
    lode_status status = LODE_OK;
    uint8_t mask[INDEX_BLOCK];
    double scores[INDEX_BLOCK];
    uint32_t n = b->rows - from < INDEX_BLOCK ? b->rows - from : INDEX_BLOCK;
    index_lists lists;
    LODE_TRY(stored_poll(x->store));
    LODE_TRY(stored_cells(b, x->store->items, &lists.lhs));
    LODE_TRY(stored_cells(b, x->store->rhs, &lists.rhs));
    for (uint32_t i = 0; i < n; i++) {
        mask[i] = index_can_match(x, lists.lhs, from + i);
    }
    LODE_TRY(stored_reals(b, by, (stored_range){from, n, mask}, scores));
    for (uint32_t i = 0; i < n; i++) {
        if (!mask[i] || scores[i] != scores[i]) continue;
        apply_rule rule = {.row = b->first + from + i, .score = scores[i]};
        LODE_TRY(index_add(x, &lists, from + i, rule));
    }
done:
    return status;
}

static lode_status index_add_rules(apply_index *x, const stored_column *by) {
    lode_status status = LODE_OK;
    lode_store *s = x->store;
    stored_batch b = {0};
    LODE_TRY(mem_resize(&s->job->mem, (void **)&b.cells, 0, stored_cells_bytes(s)));
    for (uint32_t i = 0; i < arrow_n_batches(s->file); i++) {
        stored_turn(&b, s, i);
        for (uint32_t from = 0; from < b.rows; from += INDEX_BLOCK) {
            LODE_TRY(index_add_block(x, &b, by, from));
        }
    }
    if (x->n_rules >= UINT32_MAX || x->lists.n >= UINT32_MAX) {
        status = job_fail(s->job, LODE_UNSUPPORTED,
                          "too many rules to apply at once: together they have 2^32 or more items");
    }
done:
    if (b.cells) mem_free(&s->job->mem, b.cells, stored_cells_bytes(s));
    return status;
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* By path; rules with the same path stay as in the file. */
static bool index_rule_before(const apply_rule *a, const apply_rule *b) {
    uint32_t n = a->n_path < b->n_path ? a->n_path : b->n_path;
    for (uint32_t i = 0; i < n; i++) {
        if (a->list.items[i] != b->list.items[i]) return a->list.items[i] < b->list.items[i];
    }
    return a->n_path != b->n_path ? a->n_path < b->n_path : a->row < b->row;
}

#define SORT_NAME   sort_index_rules
#define SORT_TYPE   apply_rule
#define SORT_BEFORE index_rule_before
#include "base/sort_body.h"

/* How many nodes the paths of two rules have in common. */
static uint32_t index_common(const apply_rule *a, const apply_rule *b) {
    uint32_t n = a->n_path < b->n_path ? a->n_path : b->n_path, i = 0;
    while (i < n && a->list.items[i] == b->list.items[i]) i++;
    return i;
}

/* The nodes from the first below the root to the one that was made last. */
typedef struct index_path {
    uint32_t *nodes;
    uint32_t depth;
} index_path;

static void index_note_best(apply_index *x, uint32_t node, uint32_t rule) {
    uint32_t *best = &x->nodes[node].best;
    if (*best == UINT32_MAX || apply_better(x, &x->rules[rule], &x->rules[*best])) *best = rule;
}

/* Ends the nodes at this depth and below. */
static void index_end_nodes(apply_index *x, index_path *path, uint32_t depth) {
    while (path->depth > depth) {
        apply_node *ended = &x->nodes[path->nodes[--path->depth]];
        ended->next = x->n_nodes;
        if (path->depth > 0) index_note_best(x, path->nodes[path->depth - 1], ended->best);
    }
}

static void index_make_nodes(apply_index *x, index_path *path) {
    x->nodes[x->n_nodes++] = (apply_node){UINT32_MAX, 0, 0, UINT32_MAX};
    for (uint32_t r = 0; r < x->n_rules; r++) {
        const apply_rule *rule = &x->rules[r];
        index_end_nodes(x, path, r > 0 ? index_common(rule, rule - 1) : 0);
        while (path->depth < rule->n_path) {
            uint32_t rank = rule->list.items[path->depth];
            if (path->depth == 0) x->roots[rank] = x->n_nodes;
            path->nodes[path->depth++] = x->n_nodes;
            x->nodes[x->n_nodes++] = (apply_node){rank, 0, r, UINT32_MAX};
        }
        index_note_best(x, path->nodes[path->depth - 1], r);
    }
    index_end_nodes(x, path, 0);
    x->nodes[0].next = x->n_nodes;
    x->nodes[x->n_nodes] = (apply_node){UINT32_MAX, x->n_nodes, (uint32_t)x->n_rules, UINT32_MAX};
}

static lode_status index_make_tree(apply_index *x) {
    lode_status status = LODE_OK;
    mem *m = &x->store->job->mem;
    index_path path = {0};
    size_t path_bytes = 0;
    uint64_t most = 2;
    uint32_t longest = 0;
    sort_stop stop = job_sort_stop(x->store->job);
    for (size_t i = 0; i < x->n_rules; i++) {
        x->rules[i].list.items = x->lists.data + x->rules[i].list.at;
    }
    if (!sort_index_rules(x->rules, x->n_rules, &stop)) LODE_LEAVE(job_check(x->store->job));
    for (size_t i = 0; i < x->n_rules; i++) {
        uint32_t shared = i > 0 ? index_common(&x->rules[i], &x->rules[i - 1]) : 0;
        most += x->rules[i].n_path - shared;
        if (x->rules[i].n_path > longest) longest = x->rules[i].n_path;
    }
    x->cap_nodes = (size_t)most;
    LODE_TRY(mem_resize(m, (void **)&x->nodes, 0, x->cap_nodes * sizeof *x->nodes));
    path_bytes = (longest + (size_t)1) * sizeof *path.nodes;
    LODE_TRY(mem_resize(m, (void **)&path.nodes, 0, path_bytes));
    index_make_nodes(x, &path);
done:
    if (path.nodes) mem_free(m, path.nodes, path_bytes);
    return status;
}

lode_status apply_index_build(apply_index *x, const stored_column *by) {
    lode_status status = LODE_OK;
    x->low_first = by->better < 0;
    LODE_TRY(names_load(x->store));
    LODE_TRY(index_rank_items(x));
    LODE_TRY(index_add_rules(x, by));
    LODE_TRY(index_make_tree(x));
done:
    return status;
}

void apply_index_clear(apply_index *x) {
    if (!x->store) return;
    mem *m = &x->store->job->mem;
    mem_drop(m, &x->kept);
    mem_free(m, x->rules, x->cap_rules * sizeof *x->rules);
    mem_free(m, x->nodes, x->nodes ? x->cap_nodes * sizeof *x->nodes : 0);
    vec_u32_free(m, &x->lists);
    *x = (apply_index){0};
}
