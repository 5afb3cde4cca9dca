/* collect.c - fills a batch with joins from the stack; see search_state.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/host.h"
#include "itemsets/common/prepare.h"
#include "itemsets/frontier/search_state.h"

/* Of a memory budget: bytes that batches leave to the stack, so that the search can go deeper. */
#define DEPTH_BYTES ((size_t)128 << 10)
#define BATCH_MOST  ((uint64_t)1 << 32) /* candidates, with any budget; each takes 50 bytes */
/* Batches of up to this many candidates do not check how much memory is free. */
#define BATCH_SMALL ((uint64_t)1 << 20)
/* A batch is cut short for lack of lists only if it has so many. With fewer, the others go without:
 * what a short batch frees would not make up for running it. */
#define CUT_LISTS 64

/* ---- lists --------------------------------------------------------------------------------- */

static uint32_t take_list(frontier_search *s) {
    return prepare_take_list(s->backend, s->device, &s->pool);
}

/* Drops the lists of the oldest class that has any, except that of the left member in work: what
 * lies deepest in the stack is needed last. False if there is nothing to drop. */
static bool evict_oldest(frontier_search *s, size_t working) {
    uint32_t before = s->pool.in_use;
    for (size_t i = 0; i < s->classes.n && s->pool.in_use == before; i++) {
        stacked_class f = class_at(s, i);
        uint32_t keep = i == working ? f.head[CLASS_LEFT] + 1 : 0;
        frontier_give_rows(s, f, keep, f.head[CLASS_N]);
    }
    return s->pool.in_use < before;
}

/* A destination for a candidate of class `working`; BACKEND_NO_ROW if eviction finds none
 * either. */
static uint32_t take_list_by_force(frontier_search *s, size_t working) {
    uint32_t row = take_list(s);
    while (row == BACKEND_NO_ROW && evict_oldest(s, working)) row = take_list(s);
    return row;
}

/* Has the device derive the queued rows. */
static lode_status derive_queued(frontier_search *s) {
    size_t n = s->derived.n;
    if (n == 0) return LODE_OK;
    s->derived.n = 0;
    s->totals.rebuilt += n;
    return s->backend->and_rows(s->device, s->derived.data, s->derived_sets.data,
                                (uint32_t)(s->derived_sets.n / n), n);
}

/* Queues the row of prefix + member, which goes into a list, or into the scratch list if there is
 * no other. Rows of sets of the same size are derived together: a class that another device has
 * handed over needs a row for each member, and a call of a GPU for each would take longer than the
 * search. */
static lode_status derive_row(frontier_search *s, stacked_class f, uint32_t member, uint32_t list) {
    lode_status status = LODE_OK;
    uint32_t n = f.head[CLASS_N_PREFIX];
    if (s->derived.n > 0 && s->derived_sets.n != s->derived.n * ((size_t)n + 1)) {
        LODE_TRY(derive_queued(s));
    }
    if (s->derived.n == 0) s->derived_sets.n = 0;
    f.rows[member] = list;
    if (list == BACKEND_NO_ROW) {
        s->scratch_busy = true;
        list = s->scratch;
    }
    LODE_TRY(vec_u32_push(s->mem, &s->derived, list));
    LODE_TRY(vec_u32_reserve(s->mem, &s->derived_sets, (size_t)n + 1));
    for (uint32_t i = 0; i < n; i++) s->derived_sets.data[s->derived_sets.n++] = f.prefix[i];
    s->derived_sets.data[s->derived_sets.n++] = f.items[member];
done:
    return status;
}

/* ---- collect ------------------------------------------------------------------------------- */

static lode_status work_reserve(frontier_search *s, size_t extra) {
    lode_status status = LODE_OK;
    if (s->cap_work - s->n_work < extra) {
        LODE_TRY(
            vec_grow(s->mem, (void **)&s->work, s->n_work, &s->cap_work, extra, sizeof *s->work));
    }
    LODE_TRY(vec_u32_reserve(s->mem, &s->work_items, extra));
    if (s->cap_children == s->n_children) {
        LODE_TRY(vec_grow(s->mem, (void **)&s->children, s->n_children, &s->cap_children, 1,
                          sizeof *s->children));
    }
done:
    return status;
}

/* Queues the joins of a left member with the right ones from `b` on. Returns where it stopped: n,
 * or earlier when no list is left and the batch should run first. */
static uint32_t queue_rights(frontier_search *s, size_t working, stacked_class f, uint32_t left_row,
                             uint32_t b) {
    uint32_t n = f.head[CLASS_N], a = f.head[CLASS_LEFT];
    bool grows = (uint64_t)f.head[CLASS_N_PREFIX] + 2 < s->task->items.options->max_size;
    bool keep_rows = grows && n - a > 2; /* a class of one is never joined again */
    for (; b < n; b++) {
        if (is_overtaken(s, f.supports[b])) continue;
        uint32_t dst = BACKEND_NO_ROW;
        if (keep_rows) {
            dst = s->n_work > 0 ? take_list(s) : take_list_by_force(s, working);
            if (dst == BACKEND_NO_ROW && s->batch_lists >= CUT_LISTS)
                break; /* running the batch will free some */
            s->batch_lists += dst != BACKEND_NO_ROW;
        }
        s->work[s->n_work++] = (backend_work){left_row, f.items[b], dst};
        s->work_items.data[s->work_items.n++] = f.items[b];
    }
    return b;
}

/* Queues the next left member of a class. *full: the batch must run before more fits. */
static lode_status queue_left(frontier_search *s, size_t working, bool *full) {
    lode_status status = LODE_OK;
    stacked_class f = class_at(s, working);
    uint32_t a = f.head[CLASS_LEFT];
    bool continued = f.head[CLASS_RIGHT] > 0;
    if (!continued && is_overtaken(s, f.supports[a])) {
        frontier_give_rows(s, f, a, a + 1);
        f.head[CLASS_LEFT]++;
        return LODE_OK;
    }
    if (!continued && f.rows[a] == BACKEND_NO_ROW) {
        uint32_t list = take_list(s);
        if (list == BACKEND_NO_ROW && s->scratch_busy) {
            *full = true;
            return LODE_OK;
        }
        LODE_TRY(derive_row(s, f, a, list));
    }
    uint32_t row = f.rows[a] == BACKEND_NO_ROW ? s->scratch : f.rows[a];

    LODE_TRY(work_reserve(s, f.head[CLASS_N]));
    frontier_child c = {.parent = working, .left = a, .first = s->n_work, .continued = continued};
    uint32_t b = queue_rights(s, working, f, row, continued ? f.head[CLASS_RIGHT] : a + 1);
    c.n = s->n_work - c.first;
    c.complete = b == f.head[CLASS_N];
    s->children[s->n_children++] = c;
    f.head[CLASS_LEFT] += c.complete;
    f.head[CLASS_RIGHT] = c.complete ? 0 : b;
    s->open = c.complete ? NO_CLASS : working;
    *full = !c.complete;
done:
    return status;
}

static size_t bytes_beyond(size_t needed, size_t width, size_t cap) {
    return needed > cap ? (needed - cap) * width : 0;
}

/* Bytes that the arrays grow by in the worst case: n candidates that are all frequent, each the
 * only one of its child. */
static size_t batch_growth(const frontier_search *s, size_t n) {
    size_t words = class_words(0, 1) * n; /* enough for children and for further root classes */
    return bytes_beyond(n, sizeof *s->work, s->cap_work) +
           bytes_beyond(n, sizeof *s->children, s->cap_children) +
           bytes_beyond(n, sizeof *s->work_items.data, s->work_items.cap) +
           bytes_beyond(n, sizeof *s->counts.data, s->counts.cap) +
           bytes_beyond(s->task->items.options->reduce ? n : 0, sizeof *s->reduced.data,
                        s->reduced.cap) +
           bytes_beyond(n, sizeof *s->fresh_at.data, s->fresh_at.cap) +
           bytes_beyond(words, sizeof *s->fresh.data, s->fresh.cap) +
           bytes_beyond(s->classes.n + n, sizeof *s->classes.data, s->classes.cap) +
           bytes_beyond(s->stack.n + words, sizeof *s->stack.data, s->stack.cap);
}

/* The most candidates of the batch: epsilon, or as many as the memory budget (without one: half of
 * the memory that is free) allows with DEPTH_BYTES to spare. In the worst case the search becomes
 * depth first. */
static uint64_t batch_limit(const frontier_search *s) {
    size_t left = mem_left(s->mem);
    if (s->task->items.options->reduce)
        return s->epsilon; /* all parts must have the same batches */
    if (left == SIZE_MAX && s->epsilon <= BATCH_SMALL) return s->epsilon;
    if (left == SIZE_MAX) left = (size_t)host_read_memory("").available / 2;
    size_t share = left / s->task->plan->n;
    size_t room = share > DEPTH_BYTES ? share - DEPTH_BYTES : 0;
    uint64_t limit = s->epsilon < BATCH_MOST ? s->epsilon : BATCH_MOST;
    while (limit > 1 && batch_growth(s, (size_t)limit) > room) limit /= 2;
    return limit;
}

/* Whether the next left member of the class fits a batch of `limit`. The first one always does. */
static bool batch_takes(const frontier_search *s, stacked_class f, uint64_t limit) {
    if (s->n_work == 0 || limit >= s->epsilon) return s->n_work < limit;
    return s->n_work + (f.head[CLASS_N] - f.head[CLASS_LEFT] - 1) <= limit;
}

/* Queues from the top of the stack down to class number `bottom`. *full: no more fits. */
static lode_status collect_classes(frontier_search *s, size_t bottom, uint64_t limit, bool *full) {
    for (size_t top = s->classes.n; top > bottom && !*full;) {
        stacked_class f = class_at(s, top - 1);
        if (class_is_done(f)) {
            top--;
        } else if (batch_takes(s, f, limit)) {
            lode_status status = queue_left(s, top - 1, full);
            if (status == LODE_OK) status = frontier_poll(s);
            if (status != LODE_OK) return status;
        } else {
            *full = true;
        }
    }
    return LODE_OK;
}

/* Takes another root class for the batch, if there is room for the largest. */
static bool gather_root(frontier_search *s, uint64_t limit, uint32_t *rank) {
    if (!s->gathers_roots || s->n_work >= limit) return false;
    if (limit < s->epsilon && s->n_work + s->v->n_items > limit) return false;
    return s->hooks.next_root(s->hooks.user, s->gathered, s->totals.batches == 0, rank);
}

/* Fills the batch: first with the unfinished left member, then from the top of the stack down, then
 * from further root classes, so that epsilon is reached while there are any. */
lode_status frontier_collect(frontier_search *s) {
    lode_status status = LODE_OK;
    bool full = false;
    uint64_t limit = batch_limit(s);
    uint32_t rank;
    s->n_work = s->n_children = s->work_items.n = 0;
    s->batch_lists = 0;
    s->threshold = job_threshold(s->job);
    if (s->open != NO_CLASS) LODE_TRY(queue_left(s, s->open, &full));
    LODE_TRY(collect_classes(s, 0, limit, &full));
    while (!full && gather_root(s, limit, &rank)) {
        size_t bottom = s->classes.n;
        LODE_TRY(frontier_push_root(s, rank));
        LODE_TRY(collect_classes(s, bottom, limit, &full));
    }
    LODE_TRY(derive_queued(s));
    s->totals.candidates += s->n_work;
    s->gathered = 0;
done:
    return status;
}

/* ---- hands classes over to a device that waits for work -------------------------------------- */

/* What:  the oldest classes of the stack, without their lists, as one record. The other device
 *        derives the rows that it needs from the rows of the items.
 * How many: depth first, the oldest class is the largest part of the work, and is enough. A search
 *        whose batches cross root classes has many classes of a kind: it hands over as many as fill
 *        a batch of the other device, at most half of the joins it has. One at a time, each would
 *        become a few batches of its own. */

#define DONATE_MIN_MEMBERS 4 /* with fewer, handing over costs more than searching */

void frontier_record_free(mem *m, frontier_record *record) {
    if (record) mem_free(m, record, sizeof *record + record->words * sizeof *record->data);
}

/* The joins of a class, of the left members from `first` on. */
static uint64_t class_joins(stacked_class f, uint32_t first) {
    uint64_t n = f.head[CLASS_N], end = f.head[CLASS_END];
    return first < end ? (end - first) * (2 * n - 1 - first - end) / 2 : 0;
}

/* The members of a class from *first on may be handed over; false if none. If it is the last class,
 * or its left member is unfinished, that member stays. */
static bool donate_from(const frontier_search *s, size_t i, uint32_t *first) {
    stacked_class f = class_at(s, i);
    bool keep_one = i == s->open || i + 1 == s->classes.n;
    *first = f.head[CLASS_LEFT] + keep_one;
    return f.head[CLASS_N_PREFIX] > 0 && *first < f.head[CLASS_END] &&
           f.head[CLASS_N] - *first >= DONATE_MIN_MEMBERS;
}

/* How many joins to hand over, at least. */
static uint64_t donate_goal(const frontier_search *s) {
    uint64_t joins = 0;
    if (!s->gathers_roots) return 1;
    for (size_t i = 0; i < s->classes.n; i++) {
        stacked_class f = class_at(s, i);
        joins += class_joins(f, f.head[CLASS_LEFT]);
    }
    return joins / 2 < s->epsilon ? joins / 2 : s->epsilon;
}

/* Which classes to hand over: those of [*first, end) that donate_from() allows;
 * they take *words. Returns `end`. */
static size_t donate_choose(const frontier_search *s, size_t *first, size_t *words) {
    uint64_t goal = donate_goal(s), given = 0;
    size_t i = 0;
    *words = 0;
    while (i < s->classes.n && class_is_done(class_at(s, i))) i++;
    *first = i;
    for (; i < s->classes.n && given < goal; i++) {
        uint32_t from;
        stacked_class f = class_at(s, i);
        if (donate_from(s, i, &from)) {
            *words += class_words(f.head[CLASS_N_PREFIX], f.head[CLASS_N] - from);
            given += class_joins(f, from);
        } else if (!s->gathers_roots) {
            break;
        }
    }
    return i;
}

/* Copies the members from `first` on, without rows. The left member that stays keeps its span; the
 * rest goes with the copy. Returns the words of the copy. */
static size_t donate_copy(frontier_search *s, stacked_class f, uint32_t first, uint32_t *at) {
    uint32_t n_prefix = f.head[CLASS_N_PREFIX], n = f.head[CLASS_N] - first;
    at[CLASS_N_PREFIX] = n_prefix;
    at[CLASS_N] = n;
    at[CLASS_LEFT] = at[CLASS_RIGHT] = at[CLASS_FORECAST] = 0;
    at[CLASS_END] = f.head[CLASS_END] - first;
    stacked_class copy = class_view(at);
    memcpy(copy.prefix, f.prefix, n_prefix * sizeof *f.prefix);
    memcpy(copy.items, f.items + first, n * sizeof *f.items);
    memcpy(copy.supports, f.supports + first, n * sizeof *f.supports);
    for (uint32_t i = 0; i < n; i++) copy.rows[i] = BACKEND_NO_ROW;
    bool stays = first > f.head[CLASS_LEFT];
    float span = class_span(f), kept = stays ? frontier_span_take(s, f, f.head[CLASS_LEFT]) : 0;
    class_set_span(copy, span - kept);
    class_set_span(f, kept);
    return class_words(n_prefix, n);
}

void frontier_donate(frontier_search *s) {
    frontier_record *record = NULL;
    size_t first, words, end = donate_choose(s, &first, &words), at = 0;
    uint32_t from;
    if (words == 0 || words > UINT32_MAX) return;
    size_t bytes = sizeof *record + words * sizeof *record->data;
    if (mem_resize(s->mem, (void **)&record, 0, bytes) != LODE_OK) return; /* it can do without */
    record->words = (uint32_t)words;
    for (size_t i = first; i < end; i++) {
        if (donate_from(s, i, &from)) at += donate_copy(s, class_at(s, i), from, record->data + at);
    }
    /* Once it is taken, the record is another thread's. */
    bool taken = s->hooks.accept(s->hooks.user, record);
    at = 0;
    for (size_t i = first; i < end; i++) {
        if (!donate_from(s, i, &from)) continue;
        stacked_class f = class_at(s, i);
        float span = taken ? 0 : class_span(class_view(record->data + at));
        at += class_words(f.head[CLASS_N_PREFIX], f.head[CLASS_N] - from);
        /* Takes what was handed over out of the class; or, if nobody took it, its span back in. */
        if (taken) {
            frontier_give_rows(s, f, from, f.head[CLASS_N]);
            f.head[CLASS_END] = from;
        } else {
            class_set_span(f, class_span(f) + span);
        }
    }
    if (!taken) frontier_record_free(s->mem, record);
}

lode_status frontier_record_push(frontier_search *s, const frontier_record *record) {
    lode_status status = LODE_OK;
    for (size_t at = 0; at < record->words;) {
        const uint32_t *from = record->data + at;
        stacked_class f;
        size_t words = class_words(from[CLASS_N_PREFIX], from[CLASS_N]);
        LODE_TRY(frontier_class_add(s->mem, &s->stack, &s->classes, from[CLASS_N_PREFIX],
                                    from[CLASS_N], &f));
        memcpy(f.head, from, words * sizeof *from);
        LODE_TRY(frontier_class_forecast(s, f, 0));
        at += words;
    }
done:
    return status;
}
