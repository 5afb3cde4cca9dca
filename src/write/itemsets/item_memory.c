/* item_memory.c - see item_memory.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_memory.h"

#include "base/sort.h"
#include "data/transactions/item_order.h"
#include "results/arrow/export.h"
#include "runtime/valid.h"
#include "write/core/class_columns.h"
#include "write/core/sink_memory.h"
#include "write/itemsets/lookup.h"

#define TOP_HAND_OVER 1024 /* patterns a worker collects before the others hear of them */

typedef struct item_memory {
    memory_sink base;
    columns kept;
    lookup *index; /* of the kept sets; NULL until it is needed; under the lock */
    class_columns by_class;
    uint32_t *numbers; /* of the items, by id, ascending; NULL = ids are numbers */
    uint32_t n_numbers;
} item_memory;

typedef struct memory_worker {
    item_worker base;
    columns found;
} memory_worker;

/* ---- columns -------------------------------------------------------------------------------- */

static lode_status item_kept_sort(mem *m, void *c, bool by_support, const sort_stop *stop) {
    return columns_sort(m, c, by_support ? COLUMNS_BY_SUPPORT : COLUMNS_BY_SIZE, stop);
}

MEMORY_COLUMNS(item_kept, item_memory, columns, item_kept_sort);

/* ---- the sink ------------------------------------------------------------------------------ */

/* The index describes the earlier content. */
static void item_memory_drop_index(item_memory *sink) {
    pthread_mutex_lock(&sink->base.base.lock);
    lookup_free(sink->index);
    sink->index = NULL;
    pthread_mutex_unlock(&sink->base.base.lock);
}

static lode_status item_memory_open(sink_worker *worker) {
    item_memory_drop_index((item_memory *)worker->sink);
    return LODE_OK;
}

static lode_status item_memory_emit(sink_worker *worker, const lode_batch *batch) {
    memory_worker *w = (memory_worker *)worker;
    memory_sink *sink = (memory_sink *)worker->sink;
    lode_batch items;
    lode_status status = sink_translate(worker, batch, &items);
    if (status == LODE_OK && !memory_is_over(sink)) {
        status = columns_append(&worker->sink->job->mem, &w->found, &items);
        bool enough = sink->k > 0 && columns_count(&w->found) >= TOP_HAND_OVER;
        if (status == LODE_OK) return enough ? memory_hand_over(sink, &w->found) : LODE_OK;
    }
    uint64_t size = (uint64_t)batch->n_prefix + 1;
    return memory_lose(sink, status, &w->found,
                       batch->n * (2 * sizeof(uint64_t) + size * sizeof(uint32_t)));
}

static lode_status item_memory_close(sink_worker *worker) {
    return memory_hand_over((memory_sink *)worker->sink, &((memory_worker *)worker)->found);
}

/* ---- classes -------------------------------------------------------------------------------- */

typedef struct compared {
    item_memory *sink;
    vec_u32 ids;
    places_scratch scratch;
} compared;

static uint32_t compared_id(const item_memory *sink, uint32_t number) {
    uint32_t first = 0, end = sink->n_numbers;
    if (!sink->numbers) return number;
    while (end - first > 1) {
        uint32_t middle = first + (end - first) / 2;
        if (sink->numbers[middle] > number) {
            end = middle;
        } else {
            first = middle;
        }
    }
    return first;
}

static lode_status compared_row(void *user, size_t i, double *row) {
    compared *all = user;
    group_contrast *c = all->sink->base.base.contrast;
    mem *m = &all->sink->base.base.job->mem;
    lode_batch set = columns_at(&all->sink->kept, i);
    contrast_counts counts;
    all->ids.n = 0;
    lode_status status = vec_u32_reserve(m, &all->ids, set.n_prefix);
    if (status != LODE_OK) return status;
    for (uint32_t k = 0; k < set.n_prefix; k++) {
        all->ids.data[all->ids.n++] = compared_id(all->sink, set.prefix[k]);
    }
    item_set ids = {all->ids.data, set.n_prefix, compared_id(all->sink, set.items[0])};
    status = contrast_count(c, m, &all->scratch, ids, &counts);
    for (uint32_t k = 0; k < c->n_columns && status == LODE_OK; k++) {
        row[k] = contrast_value(c, &counts, k);
    }
    return status;
}

static lode_status item_memory_compare(item_memory *sink, bool partial) {
    lode_sink *base = &sink->base.base;
    mem *m = &base->job->mem;
    compared all = {.sink = sink};
    sort_stop stop = sink_sort_stop(base->job);
    if (!base->contrast || memory_is_over(&sink->base)) return LODE_OK;
    lode_status status = class_columns_make(&sink->by_class, m, columns_count(&sink->kept),
                                            compared_row, &all, partial ? NULL : &stop);
    vec_u32_free(m, &all.ids);
    places_scratch_free(&all.scratch, m);
    return status;
}

static void item_memory_drop_contrast(item_memory *sink) {
    mem *m = &sink->base.base.job->mem;
    if (sink->numbers) mem_free(m, sink->numbers, sink->n_numbers * sizeof *sink->numbers);
    contrast_close(sink->base.base.contrast);
    sink->base.base.contrast = NULL;
    sink->numbers = NULL;
}

static lode_status item_memory_finish(lode_sink *base, bool partial) {
    item_memory_drop_index((item_memory *)base);
    lode_status status = memory_finish(base, partial);
    if (status == LODE_OK) status = item_memory_compare((item_memory *)base, partial);
    item_memory_drop_contrast((item_memory *)base);
    return status;
}

static void item_memory_free(lode_sink *base) {
    lookup_free(((item_memory *)base)->index);
    item_memory_drop_contrast((item_memory *)base);
    class_columns_clear(&((item_memory *)base)->by_class, &base->job->mem);
    memory_free(base);
}

static const item_ops memory_items = {
    .worker_bytes = sizeof(memory_worker),
    .open = item_memory_open,
    .emit = item_memory_emit,
    .close = item_memory_close,
};

static const sink_kind item_memory_kind = {
    .bytes = sizeof(item_memory),
    .itemsets = &memory_items,
    .finish = item_memory_finish,
    .free = item_memory_free,
    .lost = memory_lost,
    .empty = memory_empty,
};

lode_status sink_top_create(lode_job *job, lode_sink **out, uint64_t k) {
    return memory_create(job, &item_memory_kind, &item_kept, k, out);
}

lode_status lode_sink_memory(lode_job *job, lode_sink **out) {
    VALID_CALL(job, VALID_NEEDS(out));
    return job_explain(job, sink_top_create(job, out, 0), "creating a sink");
}

/* ---- what it holds -------------------------------------------------------------------------- */

columns *sink_memory_columns(lode_sink *sink) {
    return sink->kind == &item_memory_kind ? &((item_memory *)sink)->kept : NULL;
}

lode_status sink_memory_take_contrast(lode_sink *base, const lode_dataset *data, group_contrast *c,
                                      bool *taken) {
    item_memory *sink = (item_memory *)base;
    *taken = false;
    if (base->kind != &item_memory_kind) return LODE_OK;
    item_memory_drop_contrast(sink);
    if (data->numbers) {
        size_t bytes = data->item_bound * sizeof *sink->numbers;
        lode_status status = mem_resize(&base->job->mem, (void **)&sink->numbers, 0, bytes);
        if (status != LODE_OK) return status;
        memcpy(sink->numbers, data->numbers, bytes);
        sink->n_numbers = data->item_bound;
    }
    _Static_assert(sizeof c->names[0] == CLASS_COLUMN_BYTES, "names of columns");
    _Static_assert(sizeof c->names <= sizeof sink->by_class.names, "number of columns");
    sink->by_class.n = c->n_columns;
    memcpy(sink->by_class.names, c->names, sizeof c->names);
    base->contrast = c;
    base->by_class = &sink->by_class;
    *taken = true;
    return LODE_OK;
}

/* Call it when the columns were moved out of the sink: clears what depends on them. */
static void sink_memory_forget(lode_sink *sink) {
    item_memory_drop_index((item_memory *)sink);
    sink->origin.complete = false; /* its sets say nothing about other sets */
    sink->origin.n_jobs++;
}

/* A sink is const for functions that only read it; the lock and the index are not part of its
 * visible state. */
static lode_status sink_memory_look(const lode_sink *base, sink_contents *out) {
    if (base->kind != &item_memory_kind) {
        return job_fail(base->job, LODE_INVALID,
                        "supports can be looked up only in a result in memory; this sink keeps no "
                        "result in memory");
    }
    item_memory *sink = (item_memory *)(uintptr_t)base;
    lode_target target = base->origin.target;
    bool above = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.base.lock);
    if (!sink->index) status = lookup_create(base->job, &sink->index, &sink->kept, above);
    *out = (sink_contents){&sink->kept, sink->index, &base->origin};
    pthread_mutex_unlock(&sink->base.base.lock);
    return status;
}

bool lode_sink_result(const lode_sink *sink, lode_result *out) {
    if (!sink || sink->kind != &item_memory_kind) return valid_fill(out, NULL);
    static const uint64_t no_offset = 0; /* an empty result has one offset, too */
    const columns *c = &((const item_memory *)sink)->kept;
    const uint64_t *offsets = columns_count(c) > 0 ? c->offsets.data : &no_offset;
    lode_result r = {.n = columns_count(c),
                     .offsets = offsets,
                     .items = c->items.data,
                     .supports = c->supports.data};
    return valid_fill(out, &r);
}

lode_status sink_replay(const columns *c, lode_sink *to, const sort_stop *stop) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(to, &worker);
    for (size_t i = 0; i < c->supports.n && status == LODE_OK; i++) {
        lode_batch batch = columns_at(c, i);
        status = sink_emit_settled(worker, &batch);
        if (stop && i % SINK_ASK_EVERY == 0 && stop->asked(stop->user)) status = LODE_CANCELLED;
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* ---- itemsets in memory, moved into Arrow's structs ------------------------------------------ */

/* What the array owns. */
typedef struct item_export {
    columns moved;
    codes names;
    uint64_t no_offset; /* an empty list has one offset, too */
} item_export;

static void item_export_drop(mem *m, void *owned) {
    item_export *e = owned;
    columns_free(m, &e->moved);
    codes_free(&e->names);
    mem_free(m, e, sizeof *e);
}

/* Names for every id, so that items are codes as they stand. */
static lode_status item_export_names(item_export *e, mem *m, const lode_dataset *data) {
    return data->names ? codes_of_names(&e->names, m, data->names) : LODE_OK;
}

static lode_status item_export_fill(lode_job *job, item_export *e, const lode_dataset *data,
                                    const export_owner *owner, struct ArrowSchema *schema,
                                    struct ArrowArray *array) {
    const columns *c = &e->moved;
    uint64_t n = columns_count(c);
    export_column names = {.format = "U",
                           .length = e->names.n,
                           .buffers = {e->names.offsets.data, e->names.text.data},
                           .n_buffers = 2};
    export_column item = {.format = data->names ? "i" : "I",
                          .name = "item",
                          .length = c->items.n,
                          .buffers = {c->items.data},
                          .n_buffers = 1,
                          .dictionary = data->names ? &names : NULL};
    export_column layout[] = {
        {.format = "+L",
         .name = "items",
         .length = n,
         .buffers = {n > 0 ? c->offsets.data : &e->no_offset},
         .n_buffers = 1,
         .child = &item},
        {.format = "L",
         .name = "count",
         .length = n,
         .buffers = {c->supports.data},
         .n_buffers = 1},
    };
    return export_columns(job, layout, 2, owner, schema, array);
}

static size_t item_export_bytes(const columns *c) {
    return (c->offsets.cap + c->supports.cap) * sizeof(uint64_t) + c->items.cap * sizeof(uint32_t);
}

lode_status lode_result_arrow(lode_sink *sink, const lode_dataset *data, struct ArrowSchema *schema,
                              struct ArrowArray *array) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(schema), VALID_NEEDS(array));
    lode_status status = LODE_OK;
    columns *kept = sink_memory_columns(sink);
    export_owner owner = {.drop = item_export_drop};
    item_export *e = NULL;
    if (!kept) LODE_LEAVE(job_fail(job, LODE_INVALID, "this sink keeps no itemsets in memory"));
    LODE_TRY(ctx_home_create(job, &owner.home));
    LODE_TRY(mem_zalloc(&owner.home->mem, (void **)&e, sizeof *e));
    owner.owned = e;
    LODE_TRY(item_export_names(e, &owner.home->mem, data));
    e->moved = *kept;
    status = item_export_fill(job, e, data, &owner, schema, array);
    if (status != LODE_OK) {
        e->moved = (columns){0}; /* they stay the sink's */
        goto done;
    }
    *kept = (columns){0};
    mem_adopt(&owner.home->mem, item_export_bytes(&e->moved));
    sink_memory_forget(sink);
    ctx_home_settle(owner.home);
    owner.home = NULL;
    e = NULL;
done:
    if (e) item_export_drop(&owner.home->mem, e);
    ctx_home_release(owner.home);
    return job_explain(job, status, "handing over a result");
}

/* ---- the support of any set, from a result in memory ----------------------------------------- */

/* A set in the result has the support it has there. What is known about any other set depends on
 * the search that lode_mine() records in the sink (sink_origin):
 *
 *     all, top     it is below the threshold
 *     closed       it has the support of its most frequent superset in the result. Without one it
 *                  is below the threshold. Supersets below a threshold that has risen do not count:
 *                  the result may lack others like them
 *     maximal      it has at least that support; without a superset it is below the threshold
 *
 * Nothing is known about a set that a limit, or the requested sizes, may have kept out of the
 * result. With a minimum size, closed and maximal sets still have an answer, because supersets are
 * no smaller. */

#define SUPPORT_ITEMS 64 /* a set of this many items is sorted on the stack */
#define SUPPORT_AHEAD 16 /* sets whose slots are loaded before they are compared */

typedef struct support_query {
    mem *mem;
    sink_contents in;
} support_query;

/* Whether everything that holds n items and reaches the threshold is in the result. */
static bool support_is_covered(const sink_origin *o, size_t n) {
    bool sets = o->target == LODE_TARGET_ALL || o->target == LODE_TARGET_TOP;
    bool above = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL;
    if (!o->complete || n < o->min_size) return false;
    return sets ? n <= o->max_size : above && o->max_size == UINT32_MAX;
}

/* The support of a set that is not in the result. */
static uint64_t support_of_missing(const support_query *q, const uint32_t *items, size_t n,
                                   lode_known *known) {
    const sink_origin *o = q->in.origin;
    *known = LODE_KNOWN_NOT;
    if (n == 0 && o->n_jobs == 1) {
        *known = LODE_KNOWN_EXACT;
        return o->total;
    }
    if (n == 0 || !support_is_covered(o, n)) return 0;
    *known = LODE_KNOWN_BELOW;
    if (o->target == LODE_TARGET_ALL || o->target == LODE_TARGET_TOP) return 0;
    uint64_t support = lookup_above(q->in.index, items, n);
    if (support == 0 || support < o->threshold) return 0;
    *known = o->target == LODE_TARGET_CLOSED ? LODE_KNOWN_EXACT : LODE_KNOWN_AT_LEAST;
    return support;
}

/* The support of a set in ascending order, whose hash is known. */
static uint64_t support_of_set(const support_query *q, uint64_t hash, const uint32_t *items,
                               size_t n, lode_known *known) {
    uint64_t i = n > 0 ? lookup_find(q->in.index, hash, items, n) : LOOKUP_NONE;
    if (i == LOOKUP_NONE) return support_of_missing(q, items, n, known);
    *known = LODE_KNOWN_EXACT;
    return q->in.patterns->supports.data[i];
}

static bool support_in_order(const uint32_t *items, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (items[i] <= items[i - 1]) return false;
    }
    return true;
}

/* The support of a set in any order, in which an item may come twice. */
static lode_status support_of_any(const support_query *q, const uint32_t *items, size_t n,
                                  uint64_t *support, lode_known *known) {
    lode_status status = LODE_OK;
    mem *m = q->mem;
    uint32_t few[SUPPORT_ITEMS], *many = NULL, *set = few;
    if (n > SUPPORT_ITEMS) {
        LODE_TRY(mem_resize(m, (void **)&many, 0, n * sizeof *many));
        set = many;
    }
    memcpy(set, items, n * sizeof *set);
    sort_u32(set, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || set[i] != set[kept - 1]) set[kept++] = set[i];
    }
    *support = support_of_set(q, lookup_prepare(q->in.index, set, kept), set, kept, known);
done:
    mem_free(m, many, many ? n * sizeof *many : 0);
    return status;
}

/* Looks up a few sets, whose loads from memory overlap. */
static lode_status support_of_some(const support_query *q, uint64_t n, const uint64_t *offsets,
                                   const uint32_t *items, uint64_t *supports, lode_known *known) {
    uint64_t hashes[SUPPORT_AHEAD];
    for (uint64_t i = 0; i < n; i++) {
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        hashes[i] = size > 0 ? lookup_prepare(q->in.index, items + offsets[i], size) : 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        const uint32_t *set = size > 0 ? items + offsets[i] : NULL;
        lode_known unasked, *knowledge = known ? &known[i] : &unasked;
        if (support_in_order(set, size)) {
            supports[i] = support_of_set(q, hashes[i], set, size, knowledge);
            continue;
        }
        lode_status status = support_of_any(q, set, size, &supports[i], knowledge);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

lode_status lode_result_supports(const lode_sink *sink, uint64_t n_sets, const uint64_t *offsets,
                                 const uint32_t *items, uint64_t *supports, lode_known *known) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    support_query q = {.mem = &job->mem};
    job_clear_message(job);
    if (!offsets || !supports) {
        return job_fail(job, LODE_INVALID, "%s is NULL", offsets ? "supports" : "offsets");
    }
    for (uint64_t i = 0; i < n_sets; i++) {
        if (offsets[i + 1] >= offsets[i]) continue;
        return job_fail(job, LODE_INVALID,
                        "offsets[%llu] is less than the one before; offsets must not decrease",
                        (unsigned long long)(i + 1));
    }
    if (!items && n_sets > 0 && offsets[n_sets] > offsets[0]) {
        return job_fail(job, LODE_INVALID, "items is NULL; expected the items");
    }
    lode_status status = sink_memory_look(sink, &q.in);
    for (uint64_t i = 0; i < n_sets && status == LODE_OK; i += SUPPORT_AHEAD) {
        uint64_t some = n_sets - i < SUPPORT_AHEAD ? n_sets - i : SUPPORT_AHEAD;
        status =
            support_of_some(&q, some, offsets + i, items, supports + i, known ? known + i : NULL);
    }
    return job_explain(job, status, "looking up supports");
}

lode_status lode_result_support(const lode_sink *sink, const uint32_t *items, size_t n,
                                uint64_t *support, lode_known *known) {
    const uint64_t offsets[] = {0, n};
    if (sink && !support) {
        job_clear_message(sink->job);
        return job_fail(sink->job, LODE_INVALID, "support is NULL");
    }
    return lode_result_supports(sink, 1, offsets, items, support, known);
}
