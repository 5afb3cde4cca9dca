/* root.c - see root.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/root.h"

#include <stdio.h>

#include "base/figures.h"
#include "data/transactions/vertical.h"

/* ---- a kind of prepared things --------------------------------------------------------------- */

static bool key_fits(const void *key, const void *wanted) {
    const base_key *k = key, *w = wanted;
    return k->min_count <= w->min_count && k->shape == w->shape && k->twins == w->twins &&
           k->lattices == w->lattices && k->spread >= w->spread;
}

/* A base for a lower threshold replaces all others; those of another shape can be made again. */
static bool key_outdated(const void *key, const void *by) {
    const base_key *k = key, *b = by;
    return b->min_count < k->min_count || key_fits(by, key);
}

static bool root_deeper_is_cheap(const lode_dataset *data, const root_counts *now, shape_kind shape,
                                 uint64_t min_count) {
    base_key key = adaptive_base_key(data, LODE_TARGET_ALL, min_count);
    root_counts s = adaptive_base_survey(data, min_count);
    if (key.shape != shape || s.n > DEEPER * now->n) return false;
    return shape == SHAPE_ROWS || s.occurrences <= DEEPER * now->occurrences;
}

/* Bytes of a base for a threshold that is lower as far as root_deeper_is_cheap() lets it be. */
static size_t root_deeper_bytes(const lode_dataset *data, const root_counts *now,
                                shape_kind shape) {
    double rows = now->n * (double)vertical_row_bytes(data->profile.n_transactions);
    double lists = 2 * (now->occurrences + now->transactions) * sizeof(uint32_t);
    return (size_t)(DEEPER * (shape == SHAPE_ROWS ? rows : lists));
}

/* Returns roughly the lowest threshold for which a base takes little more memory. Not for words: it
 * is not known in advance how many of them will be equal. */
static uint64_t root_deeper(const engine_task *task, const base_key *key) {
    uint64_t low = 1, high = key->min_count;
    if (task->job->ctx->of_one_job) return high;
    if (task->items.data->order) return high; /* items of a lower support are not the last ones */
    if (key->shape != SHAPE_ROWS && key->shape != SHAPE_LISTS) return high;
    root_counts now = adaptive_base_survey(task->items.data, high);
    size_t bytes = root_deeper_bytes(task->items.data, &now, key->shape);
    if (!mem_is_ample(&task->job->mem, bytes)) return high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (root_deeper_is_cheap(task->items.data, &now, key->shape, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static void root_free_base(mem *m, void *value) {
    adaptive_base *base = value;
    adaptive_base_clear(base);
    mem_free(m, base, sizeof *base);
}

static lode_status root_build_base(prepared_build *b) {
    lode_status status = LODE_OK;
    const engine_task *task = b->arg;
    base_key *key = b->key;
    adaptive_base *base = NULL;
    LODE_TRY(mem_zalloc(b->mem, (void **)&base, sizeof *base));
    key->min_count = root_deeper(task, key);
    base->key = *key;
    LODE_TRY(adaptive_base_rank(base, task, b->mem));
    LODE_TRY(adaptive_base_next(base, task));
    b->once = !adaptive_base_is_whole(base);
    b->value = base;
done:
    if (status != LODE_OK && base) root_free_base(b->mem, base);
    return status;
}

static const prepared_kind base_kind = {.name = "adaptive",
                                        .key_bytes = sizeof(base_key),
                                        .fits = key_fits,
                                        .outdated = key_outdated,
                                        .build = root_build_base,
                                        .free = root_free_base};

/* ---- the view of a job ----------------------------------------------------------------------- */

/* How many of the supports, which are in descending order, reach min. */
static uint32_t root_count_reaching(const uint32_t *supports, uint32_t n, uint64_t min) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (supports[middle] >= min) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The part of [0, n) that is in [first, end). */
static void root_clip(uint64_t first, uint64_t end, uint32_t n, uint32_t *from, uint32_t *to) {
    *from = (uint32_t)(first < n ? first : n);
    *to = (uint32_t)(end < n ? end : n);
    if (*to < *from) *to = *from;
}

static bool root_has_range(const engine_task *task) {
    return engine_wants_range(&task->request) || task->request.divided;
}

/* Root ranges count from the rarest item, but numbers of items from the most frequent. */
static void root_choose_range(adaptive_root *root, const lode_mine_options *o) {
    uint64_t n = root->n_frequent, always = root->n_always;
    uint64_t end = o->root_end == 0 || o->root_end > n ? n : o->root_end;
    uint64_t first = o->root_first < end ? o->root_first : end;
    uint64_t low = n - end, high = n - first;
    root->is_range = first > 0 || end < n;
    root_clip(low, high, root->n_always, &root->always_from, &root->always_to);
    root_clip(low > always ? low - always : 0, high > always ? high - always : 0, root->items.n,
              &root->from, &root->to);
}

static void root_take_items(adaptive_root *root, const engine_task *task,
                            const adaptive_base *base) {
    uint64_t min = task->min_count;
    uint32_t n = root_count_reaching(base->items.supports, base->items.n, min);
    root->n_frequent = root_count_reaching(base->all_supports, base->n_frequent, min);
    root->always = base->ids;
    root->n_always = base->n_always;
    root->items = (item_list){n, n, base->items.ids, base->items.supports};
    root->twins = base->twins;
    root->rank = base->rank;
    root_choose_range(root, task->items.options);
    root->is_range |= task->parts.branches != NULL;
}

static lode_status root_take_database(adaptive_root *root, const adaptive_base *base) {
    root->first = base->first > root->from ? base->first : root->from;
    root->end = base->end < root->to ? base->end : root->to;
    if (root->end < root->first) root->end = root->first;
    root->db = base->db;
    root->db.items = root->items;
    if (root->db.shape != SHAPE_WORDS || root->items.n == base->items.n) return LODE_OK;
    return adaptive_narrow_words(&root->narrow, root->items.n, &root->db.words);
}

/* Whether single items are all that is wanted: see adaptive_ends(). */
static bool root_ends(const engine_task *task) {
    return !adaptive_task_keeps_earlier(task) && task->items.options->max_size <= 1;
}

static lode_status root_open_singles(adaptive_root *root, const engine_task *task) {
    adaptive_base *base = root->own = &root->alone;
    base->key = (base_key){.min_count = task->min_count, .shape = SHAPE_SINGLES};
    lode_status status = adaptive_base_rank(base, task, &task->job->mem);
    base->db.shape = SHAPE_SINGLES;
    base->end = base->items.n;
    return status;
}

/* Not what the reader expects, but what the search does: so it is an input that cannot be used. */
static lode_status root_too_heavy(const engine_task *task) {
    char sum[FIGURE_BYTES];
    const char *path = task->job->report.input.path;
    return job_fail(task->job, path[0] ? LODE_PARSE : LODE_INVALID,
                    "%s: the weights add up to %s; expected at most 4,294,967,295, because "
                    "adaptive has 32-bit counters",
                    path[0] ? path : "the data", figure_count(task->items.data->total_weight, sum));
}

lode_status adaptive_root_open(adaptive_root *root, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->items.data;
    *root = (adaptive_root){0};
    arena_init(&root->narrow, &task->job->mem);
    if (data->total_weight > UINT32_MAX) return root_too_heavy(task);
    const adaptive_base *base = &root->alone;
    if (root_ends(task)) {
        LODE_TRY(root_open_singles(root, task));
    } else {
        base_key key = adaptive_base_key(data, task->items.options->target, task->min_count);
        if (root_has_range(task)) {
            key.twins = false; /* a twin may be outside of the range */
        }
        prepared_request request = {data->prepared, &base_kind, &key, task};
        LODE_TRY(prepared_take(task->job, &request, &root->shared, &root->origin));
        base = prepared_value(root->shared);
        if (!adaptive_base_is_whole(base)) root->own = (adaptive_base *)(uintptr_t)base;
        snprintf(task->report->prepared, sizeof task->report->prepared, "%s",
                 prepared_origin_text(root->origin));
    }
    root_take_items(root, task, base);
    status = root_take_database(root, base);
done:
    return status;
}

lode_status adaptive_root_next(adaptive_root *root, const engine_task *task, bool *more) {
    lode_status status = LODE_OK;
    adaptive_base *base = root->own;
    *more = base && base->end < root->to;
    if (!*more) return LODE_OK;
    if (base->end < root->from) base->end = root->from; /* those before are not needed */
    LODE_TRY(adaptive_base_next(base, task));
    status = root_take_database(root, base);
done:
    return status;
}

void adaptive_root_close(adaptive_root *root, const engine_task *task) {
    if (root->own == &root->alone) adaptive_base_clear(&root->alone);
    if (root->narrow.mem) arena_clear(&root->narrow);
    prepared_drop(task->job, root->shared);
}

/* ---- preparing --------------------------------------------------------------------------------
 * */

/* The lowest threshold above `min_count` for which another shape is best; 0: there is none. */
static uint64_t root_next_shape(const engine_task *task, const base_key *key) {
    const lode_dataset *data = task->items.data;
    uint64_t low = key->min_count + 1, high = data->total_weight;
    if (key->shape == SHAPE_WORDS || low > high) return 0;
    while (low < high) { /* fewer items are denser, so shapes come in the order of shape_kind */
        uint64_t middle = low + (high - low) / 2;
        if (adaptive_base_key(data, task->items.options->target, middle).shape < key->shape) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return adaptive_base_key(data, task->items.options->target, low).shape < key->shape ? low : 0;
}

/* Holds all bases until the last is made: otherwise it could push out those before. */
lode_status adaptive_root_prepare(engine_task *task) {
    lode_status status = LODE_OK;
    prepared *held[3] = {NULL};
    uint64_t min = task->min_count;
    unsigned n = 0;
    while (min > 0 && n < 3) {
        base_key key = adaptive_base_key(task->items.data, task->items.options->target, min);
        prepared_request request = {task->items.data->prepared, &base_kind, &key, task};
        prepared_origin origin;
        status = prepared_take(task->job, &request, &held[n], &origin);
        if (status == LODE_BUDGET && n > 0) status = LODE_OK; /* jobs will make it, if they must */
        LODE_TRY(status);
        if (n == 0 || origin != PREPARED_REUSED) {
            snprintf(task->report->prepared, sizeof task->report->prepared, "%s",
                     prepared_origin_text(origin));
        }
        min = root_next_shape(task, &key);
        n++;
    }
done:
    for (unsigned i = 0; i < 3; i++) prepared_drop(task->job, held[i]);
    return status;
}
