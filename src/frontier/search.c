/* search.c - see frontier_search.h
 *
 * A batch goes through three steps, each over all of its candidates:
 *     collect   take joins from the stack, give each a destination list, write the work list
 *     count     one call of the device
 *     settle    report the frequent candidates, push the child classes, return the lists
 *
 * The stack is one array of words; a class in it is a frame:
 *     n_prefix  n  left  end  right  span  forecast | prefix … | items … | supports … | rows …
 * `left` is the next member to join and `end` the last but one that will be (exclusive); `right` is
 * where to go on within `left`, or 0. `span` is what of the progress is left to the class, and
 * `forecast` where it is written down how to divide that, or 0. Supports are capped at 2^32 - 1:
 * here they serve only to skip members that a risen threshold has overtaken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "frontier/search.h"

#include <string.h>

#include "base/os.h"
#include "itemset/forecast.h"
#include "itemset/prepare.h"

enum { F_N_PREFIX, F_N, F_LEFT, F_END, F_RIGHT, F_SPAN, F_FORECAST, F_HEAD_WORDS };

#define NO_FRAME SIZE_MAX

/* Of a memory budget: what batches leave to the stack of a device, so that it can go deeper. */
#define DEPTH_BYTES ((size_t)128 << 10)
#define BATCH_MOST  ((uint64_t)1 << 32) /* candidates, under any budget; they take 50 bytes each */

/* Spans from which on it pays to find out how a class divides: there are few. */
#define FORECAST_SPAN 0.003f

typedef struct frame {
    uint32_t *head, *prefix, *items, *supports, *rows;
} frame;

/* The candidates of one left member in the batch. */
typedef struct child {
    size_t frame;
    uint32_t left;
    size_t first, n; /* in the work list */
    bool continued;  /* earlier candidates of the same left member were in the batch before */
    bool complete;   /* false: lists ran out, the rest follows */
} child;

struct frontier_search {
    const engine_task *task;
    const vertical *v;
    lode_job *job;
    mem *mem;
    const lode_backend *backend;
    backend_device *device;
    frontier_hooks hooks;
    sink_worker *sink;
    uint64_t epsilon;
    uint64_t threshold; /* as of the batch in work */
    bool gathers_roots; /* fills its batches from several root classes */

    vec_u32 stack;
    vec_u64 frames; /* where each frame starts */
    size_t open;    /* the frame whose left member is unfinished, or NO_FRAME */

    list_pool pool;
    uint32_t scratch;  /* a list for the row of a left member that has none */
    bool scratch_busy; /* until the candidates that use it are counted */

    backend_work *work;
    size_t n_work, cap_work;
    bool batch_has_lists; /* some candidate of the batch has a destination */
    child *children;
    size_t n_children, cap_children;
    vec_u32 work_items; /* the right item of each candidate */
    vec_u32 counts;     /* and its support, once counted */
    vec_u64 reduced;    /* the same over all parts of a shared job */

    vec_u32 member_items, member_supports, member_rows; /* of the child being settled */
    vec_u64 order;
    vec_u32 fresh; /* frames of the children, before they go on the stack */
    vec_u64 fresh_at;
    vec_u32 out_prefix, out_items;
    vec_u64 out_supports;

    double *forecasts; /* of the frames that have one, in their order */
    size_t n_forecasts, cap_forecasts;
    progress_local progress;

    frontier_totals totals;
};

/* ---- frames -------------------------------------------------------------------------------- */

static size_t frame_words(uint32_t n_prefix, uint32_t n) {
    return F_HEAD_WORDS + (size_t)n_prefix + 3 * (size_t)n;
}

static frame frame_view(uint32_t *at) {
    frame f = {.head = at, .prefix = at + F_HEAD_WORDS};
    f.items = f.prefix + at[F_N_PREFIX];
    f.supports = f.items + at[F_N];
    f.rows = f.supports + at[F_N];
    return f;
}

static frame frame_at(const frontier_search *s, size_t i) {
    return frame_view(s->stack.data + s->frames.data[i]);
}

static bool frame_is_done(frame f) {
    return f.head[F_LEFT] >= f.head[F_END];
}

/* Adds an empty frame to an array of frames and returns a view of it. */
static lode_status frame_add(mem *m, vec_u32 *words, vec_u64 *starts, uint32_t n_prefix, uint32_t n,
                             frame *out) {
    size_t size = frame_words(n_prefix, n);
    lode_status status = vec_u32_reserve(m, words, size);
    if (status == LODE_OK) status = vec_u64_push(m, starts, words->n);
    if (status != LODE_OK) return status;
    uint32_t *at = words->data + words->n;
    memset(at, 0, F_HEAD_WORDS * sizeof *at);
    at[F_N_PREFIX] = n_prefix;
    at[F_N] = n;
    at[F_END] = n > 0 ? n - 1 : 0;
    words->n += size;
    *out = frame_view(at);
    return LODE_OK;
}

static uint32_t cap_support(uint64_t support) {
    return support < UINT32_MAX ? (uint32_t)support : UINT32_MAX;
}

/* Whether a member has been overtaken by the threshold. A capped support may be anything. */
static bool is_overtaken(const frontier_search *s, uint32_t support) {
    return support < s->threshold && support != UINT32_MAX;
}

static void frame_give_rows(frontier_search *s, frame f, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        list_pool_give(&s->pool, f.rows[i]);
        f.rows[i] = BACKEND_NO_ROW;
    }
}

/* ---- progress ------------------------------------------------------------------------------ */

/* A float has the precision for it, and fits a word. */
static float frame_span(frame f) {
    float span;
    memcpy(&span, &f.head[F_SPAN], sizeof span);
    return span;
}

static void frame_set_span(frame f, float span) {
    memcpy(&f.head[F_SPAN], &span, sizeof span);
}

/* Takes the span of a left member out of its class. A class of a small span is not divided: the
 * last member has it all. */
static float span_take(const frontier_search *s, frame f, uint32_t left) {
    float span = frame_span(f), share = 0;
    if (span == 0) return 0; /* most classes are below one that was not divided */
    if (left + 1 >= f.head[F_END]) {
        share = span;
    } else if (f.head[F_FORECAST]) {
        share = span * (float)s->forecasts[f.head[F_FORECAST] - 1 + left];
    } else if (span >= PROGRESS_LEAST) {
        share = span * 2 / (float)(f.head[F_N] - left); /* by joins */
    }
    frame_set_span(f, span - share);
    return share;
}

static void span_retire(frontier_search *s, float span) {
    if (span > 0) progress_retire(&s->job->at, &s->progress, span);
}

/* Finds out how a frame on the stack divides, if it is worth it. `of`: the support of its class. */
static lode_status frame_forecast(frontier_search *s, frame f, uint32_t of) {
    const forecast_config config = {.power = 1};
    uint32_t n = f.head[F_N], size = f.head[F_N_PREFIX] + 1;
    f.head[F_FORECAST] = 0;
    if (frame_span(f) < FORECAST_SPAN || n < 3) return LODE_OK;
    if (s->cap_forecasts - s->n_forecasts < n) {
        lode_status status = vec_grow(s->mem, (void **)&s->forecasts, s->n_forecasts,
                                      &s->cap_forecasts, n, sizeof *s->forecasts);
        if (status != LODE_OK) return status;
    }
    forecast_class c = {.n = n,
                        .supports = f.supports,
                        .of = of,
                        .min_count = s->threshold,
                        .max_added = s->task->options->max_size - size};
    double *to = s->forecasts + s->n_forecasts;
    forecast_members(&c, &config, to);
    for (uint32_t i = 0; i < n; i++) to[i] += n - i - 1; /* which are counted in any case */
    forecast_to_rest(to, n - 1);
    f.head[F_FORECAST] = (uint32_t)s->n_forecasts + 1;
    s->n_forecasts += n;
    return LODE_OK;
}

/* A frame leaves the stack. */
static void frame_forget(frontier_search *s, frame f) {
    span_retire(s, frame_span(f));
    if (f.head[F_FORECAST]) s->n_forecasts = f.head[F_FORECAST] - 1;
}

/* ---- lists --------------------------------------------------------------------------------- */

static uint32_t take_list(frontier_search *s) {
    return prepare_take_list(s->backend, s->device, &s->pool);
}

/* Drops the rows of the oldest class that has any, except the left member that is in work: what
 * lies deepest in the stack is needed last. False if there is nothing to drop. */
static bool evict_oldest(frontier_search *s, size_t working) {
    uint32_t before = s->pool.in_use;
    for (size_t i = 0; i < s->frames.n && s->pool.in_use == before; i++) {
        frame f = frame_at(s, i);
        uint32_t keep = i == working ? f.head[F_LEFT] + 1 : 0;
        frame_give_rows(s, f, keep, f.head[F_N]);
    }
    return s->pool.in_use < before;
}

/* A destination for a candidate of frame `working`; BACKEND_NO_ROW if even eviction finds none. */
static uint32_t take_list_by_force(frontier_search *s, size_t working) {
    uint32_t row = take_list(s);
    while (row == BACKEND_NO_ROW && evict_oldest(s, working)) row = take_list(s);
    return row;
}

/* Puts the row of prefix + member into the scratch list. */
static lode_status derive_row(frontier_search *s, frame f, uint32_t member) {
    lode_status status = LODE_OK;
    uint32_t n = f.head[F_N_PREFIX];
    s->out_prefix.n = 0;
    LODE_TRY(vec_u32_reserve(s->mem, &s->out_prefix, (size_t)n + 1));
    memcpy(s->out_prefix.data, f.prefix, n * sizeof *f.prefix);
    s->out_prefix.data[n] = f.items[member];
    LODE_TRY(s->backend->and_rows(s->device, &s->scratch, s->out_prefix.data, n + 1, 1));
    s->scratch_busy = true;
    s->totals.rebuilt++;
done:
    return status;
}

/* ---- collect ------------------------------------------------------------------------------- */

static lode_status batch_reserve(frontier_search *s, size_t extra) {
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
static uint32_t queue_rights(frontier_search *s, size_t working, frame f, uint32_t left_row,
                             uint32_t b) {
    uint32_t n = f.head[F_N], a = f.head[F_LEFT];
    bool grows = (uint64_t)f.head[F_N_PREFIX] + 2 < s->task->options->max_size;
    bool keep_rows = grows && n - a > 2; /* a class of one is never joined again */
    for (; b < n; b++) {
        if (is_overtaken(s, f.supports[b])) continue;
        uint32_t dst = BACKEND_NO_ROW;
        if (keep_rows) {
            dst = s->n_work > 0 ? take_list(s) : take_list_by_force(s, working);
            if (dst == BACKEND_NO_ROW && s->batch_has_lists) break; /* running it will free some */
            s->batch_has_lists = s->batch_has_lists || dst != BACKEND_NO_ROW;
        }
        s->work[s->n_work++] = (backend_work){left_row, f.items[b], dst};
        s->work_items.data[s->work_items.n++] = f.items[b];
    }
    return b;
}

/* Queues the next left member of a frame. *full is set when the batch must run before more fits. */
static lode_status queue_left(frontier_search *s, size_t working, bool *full) {
    lode_status status = LODE_OK;
    frame f = frame_at(s, working);
    uint32_t a = f.head[F_LEFT];
    bool continued = f.head[F_RIGHT] > 0;
    if (!continued && is_overtaken(s, f.supports[a])) {
        frame_give_rows(s, f, a, a + 1);
        f.head[F_LEFT]++;
        return LODE_OK;
    }
    uint32_t row = f.rows[a];
    if (row == BACKEND_NO_ROW) {
        if (!continued && s->scratch_busy) {
            *full = true;
            return LODE_OK;
        }
        if (!continued) LODE_TRY(derive_row(s, f, a));
        row = s->scratch;
    }

    LODE_TRY(batch_reserve(s, f.head[F_N]));
    child c = {.frame = working, .left = a, .first = s->n_work, .continued = continued};
    uint32_t b = queue_rights(s, working, f, row, continued ? f.head[F_RIGHT] : a + 1);
    c.n = s->n_work - c.first;
    c.complete = b == f.head[F_N];
    s->children[s->n_children++] = c;
    f.head[F_LEFT] += c.complete;
    f.head[F_RIGHT] = c.complete ? 0 : b;
    s->open = c.complete ? NO_FRAME : working;
    *full = !c.complete;
done:
    return status;
}

static size_t bytes_beyond(size_t needed, size_t width, size_t cap) {
    return needed > cap ? (needed - cap) * width : 0;
}

/* What the arrays grow by for a batch of n candidates that all turn out frequent: each may be the
 * only one of its child. */
static size_t batch_growth(const frontier_search *s, size_t n) {
    size_t words = frame_words(0, 1) * n;
    return bytes_beyond(n, sizeof *s->work, s->cap_work) +
           bytes_beyond(n, sizeof *s->children, s->cap_children) +
           bytes_beyond(n, sizeof *s->work_items.data, s->work_items.cap) +
           bytes_beyond(n, sizeof *s->counts.data, s->counts.cap) +
           bytes_beyond(s->task->options->reduce ? n : 0, sizeof *s->reduced.data, s->reduced.cap) +
           bytes_beyond(n, sizeof *s->fresh_at.data, s->fresh_at.cap) +
           bytes_beyond(words, sizeof *s->fresh.data, s->fresh.cap) +
           bytes_beyond(s->frames.n + n, sizeof *s->frames.data, s->frames.cap) +
           bytes_beyond(s->stack.n + words, sizeof *s->stack.data, s->stack.cap);
}

/* How many candidates the batch may have: epsilon, or as many as the memory budget lets through
 * with DEPTH_BYTES to spare. At the worst the search becomes depth first. */
static uint64_t batch_limit(const frontier_search *s) {
    size_t left = mem_left(s->mem);
    if (left == SIZE_MAX) return s->epsilon;
    if (s->task->options->reduce) return s->epsilon; /* all processes ask for the same batches */
    size_t share = left / s->task->plan->n;
    size_t room = share > DEPTH_BYTES ? share - DEPTH_BYTES : 0;
    uint64_t limit = s->epsilon < BATCH_MOST ? s->epsilon : BATCH_MOST;
    while (limit > 1 && batch_growth(s, (size_t)limit) > room) limit /= 2;
    return limit;
}

/* Whether the next left member of the frame fits into a batch of `limit`; the first one must. */
static bool batch_takes(const frontier_search *s, frame f, uint64_t limit) {
    if (s->n_work == 0 || limit >= s->epsilon) return s->n_work < limit;
    return s->n_work + (f.head[F_N] - f.head[F_LEFT] - 1) <= limit;
}

/* Queues from the top of the stack down to frame number `bottom`. *full: no more fits. */
static lode_status collect_frames(frontier_search *s, size_t bottom, uint64_t limit, bool *full) {
    for (size_t top = s->frames.n; top > bottom && !*full;) {
        frame f = frame_at(s, top - 1);
        if (frame_is_done(f)) {
            top--;
        } else if (batch_takes(s, f, limit)) {
            lode_status status = queue_left(s, top - 1, full);
            if (status != LODE_OK) return status;
        } else {
            *full = true;
        }
    }
    return LODE_OK;
}

/* The class of the items from `rank` on, of which only the first is to be joined. */
static lode_status push_root(frontier_search *s, uint32_t rank) {
    frame f;
    uint32_t n = s->v->n_items - rank;
    lode_status status = frame_add(s->mem, &s->stack, &s->frames, 0, n, &f);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        f.items[i] = f.rows[i] = rank + i;
        f.supports[i] = cap_support(s->v->supports[rank + i]);
    }
    f.head[F_END] = n > 1 ? 1 : 0;
    frame_set_span(f, (float)s->hooks.spans[rank]);
    return LODE_OK;
}

/* Fills the batch: first what was left unfinished, then from the top of the stack down, then from
 * further root classes where the device wants batches larger than one class of them makes. */
static lode_status collect(frontier_search *s) {
    lode_status status = LODE_OK;
    bool full = false;
    uint64_t limit = batch_limit(s);
    uint32_t rank;
    s->n_work = s->n_children = s->work_items.n = 0;
    s->batch_has_lists = false;
    s->threshold = job_threshold(s->job);
    if (s->open != NO_FRAME) LODE_TRY(queue_left(s, s->open, &full));
    LODE_TRY(collect_frames(s, 0, limit, &full));
    while (!full && s->gathers_roots && s->hooks.more(s->hooks.user, &rank)) {
        size_t bottom = s->frames.n;
        LODE_TRY(push_root(s, rank));
        LODE_TRY(collect_frames(s, bottom, limit, &full));
    }
    s->totals.candidates += s->n_work;
done:
    return status;
}

/* ---- count --------------------------------------------------------------------------------- */

/* Shared jobs: adds up the counts of all parts. */
static lode_status reduce_counts(frontier_search *s) {
    const lode_mine_options *o = s->task->options;
    s->reduced.n = 0;
    lode_status status = vec_u64_reserve(s->mem, &s->reduced, s->n_work);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < s->n_work; i++) s->reduced.data[i] = s->counts.data[i];
    s->reduced.n = s->n_work;
    return o->reduce(o->reduce_user, s->reduced.data, s->n_work);
}

static lode_status count(frontier_search *s) {
    lode_status status = LODE_OK;
    bool shared = s->task->options->reduce != NULL;
    s->counts.n = 0;
    if (s->n_work == 0) return LODE_OK;
    LODE_TRY(vec_u32_reserve(s->mem, &s->counts, s->n_work));
    uint32_t min_count = shared ? 0 : cap_support(s->threshold);
    LODE_TRY(s->backend->and_count(s->device, s->work, s->n_work, min_count, s->counts.data));
    if (shared) LODE_TRY(reduce_counts(s));
    s->totals.counted += s->n_work;
    s->totals.batches++;
done:
    return status;
}

static inline uint64_t support_of(const frontier_search *s, size_t candidate) {
    return s->reduced.n > 0 ? s->reduced.data[candidate] : s->counts.data[candidate];
}

/* ---- settle -------------------------------------------------------------------------------- */

static lode_status report_child(frontier_search *s, const child *c) {
    lode_status status = LODE_OK;
    frame f = frame_at(s, c->frame);
    uint32_t n_prefix = f.head[F_N_PREFIX];
    const uint32_t *ids = s->v->ids;
    s->out_items.n = s->out_supports.n = s->out_prefix.n = 0;
    LODE_TRY(vec_u32_reserve(s->mem, &s->out_items, c->n));
    LODE_TRY(vec_u64_reserve(s->mem, &s->out_supports, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->out_prefix, (size_t)n_prefix + 1));
    for (size_t i = c->first; i < c->first + c->n; i++) {
        if (support_of(s, i) < s->threshold) continue;
        s->out_items.data[s->out_items.n++] = ids[s->work_items.data[i]];
        s->out_supports.data[s->out_supports.n++] = support_of(s, i);
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

static lode_status report_batch(frontier_search *s) {
    for (size_t i = 0; i < s->n_children; i++) {
        lode_status status = report_child(s, &s->children[i]);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Adds the survivors of a child to its members and returns the lists of the others. */
static lode_status gather_members(frontier_search *s, const child *c) {
    lode_status status = LODE_OK;
    if (!c->continued) s->member_items.n = s->member_supports.n = s->member_rows.n = 0;
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_items, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_supports, c->n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->member_rows, c->n));
    for (size_t i = c->first; i < c->first + c->n; i++) {
        if (support_of(s, i) < s->threshold) {
            list_pool_give(&s->pool, s->work[i].dst);
            continue;
        }
        s->member_items.data[s->member_items.n++] = s->work_items.data[i];
        s->member_supports.data[s->member_supports.n++] = cap_support(support_of(s, i));
        s->member_rows.data[s->member_rows.n++] = s->work[i].dst;
    }
done:
    return status;
}

static bool key_before(const uint64_t *a, const uint64_t *b) {
    return *a < *b;
}

#define SORT_NAME   sort_keys
#define SORT_TYPE   uint64_t
#define SORT_BEFORE key_before
#include "base/sort_body.h"

/* Orders the members from the rarest: keys are support and position, so equal ones keep their
 * order. */
static lode_status order_members(frontier_search *s) {
    size_t n = s->member_items.n;
    s->order.n = 0;
    lode_status status = vec_u64_reserve(s->mem, &s->order, n);
    if (status != LODE_OK) return status;
    uint64_t *keys = s->order.data;
    for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)s->member_supports.data[i] << 32 | i;
    sort_keys(keys, n, NULL);
    return LODE_OK;
}

/* Makes a frame of the members. The commonest will never be a left one: its list goes back. */
static lode_status push_child(frontier_search *s, const child *c, float span) {
    lode_status status = LODE_OK;
    uint32_t n = (uint32_t)s->member_items.n;
    frame child_frame;
    LODE_TRY(order_members(s));
    frame parent = frame_at(s, c->frame);
    uint32_t n_prefix = parent.head[F_N_PREFIX];
    LODE_TRY(frame_add(s->mem, &s->fresh, &s->fresh_at, n_prefix + 1, n, &child_frame));
    memcpy(child_frame.prefix, parent.prefix, n_prefix * sizeof *parent.prefix);
    child_frame.prefix[n_prefix] = parent.items[c->left];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = (uint32_t)s->order.data[i];
        child_frame.items[i] = s->member_items.data[from];
        child_frame.supports[i] = s->member_supports.data[from];
        child_frame.rows[i] = s->member_rows.data[from];
    }
    frame_set_span(child_frame, span);
    child_frame.head[F_FORECAST] = parent.supports[c->left]; /* until it is on the stack */
    frame_give_rows(s, child_frame, n - 1, n);
done:
    return status;
}

static lode_status settle_child(frontier_search *s, const child *c) {
    lode_status status = gather_members(s, c);
    if (status != LODE_OK || !c->complete) return status;
    frame f = frame_at(s, c->frame);
    frame_give_rows(s, f, c->left, c->left + 1);
    bool grows = (uint64_t)f.head[F_N_PREFIX] + 2 < s->task->options->max_size;
    float span = span_take(s, f, c->left);
    if (grows && s->member_items.n >= 2) return push_child(s, c, span);
    span_retire(s, span);
    for (size_t i = 0; i < s->member_rows.n; i++) list_pool_give(&s->pool, s->member_rows.data[i]);
    return LODE_OK;
}

static void pop_done_frames(frontier_search *s) {
    while (s->frames.n > 0 && s->open != s->frames.n - 1) {
        frame f = frame_at(s, s->frames.n - 1);
        if (!frame_is_done(f)) return;
        frame_give_rows(s, f, 0, f.head[F_N]);
        frame_forget(s, f);
        s->stack.n = s->frames.data[--s->frames.n];
    }
}

/* Moves the children's frames onto the stack. */
static lode_status push_fresh(frontier_search *s) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(s->mem, &s->frames, s->fresh_at.n));
    LODE_TRY(vec_u32_reserve(s->mem, &s->stack, s->fresh.n));
    for (size_t i = 0; i < s->fresh_at.n; i++) {
        s->frames.data[s->frames.n++] = s->stack.n + s->fresh_at.data[i];
    }
    if (s->fresh.n > 0) {
        memcpy(s->stack.data + s->stack.n, s->fresh.data, s->fresh.n * sizeof *s->fresh.data);
    }
    s->stack.n += s->fresh.n;
    for (size_t i = s->frames.n - s->fresh_at.n; i < s->frames.n; i++) {
        frame f = frame_at(s, i);
        LODE_TRY(frame_forecast(s, f, f.head[F_FORECAST]));
    }
done:
    return status;
}

static lode_status settle(frontier_search *s) {
    lode_status status = LODE_OK;
    s->fresh.n = s->fresh_at.n = 0;
    for (size_t i = 0; i < s->n_children; i++) LODE_TRY(settle_child(s, &s->children[i]));
    if (s->open == NO_FRAME) s->scratch_busy = false;
    pop_done_frames(s);
    LODE_TRY(push_fresh(s));
done:
    return status;
}

/* ---- sharing work -------------------------------------------------------------------------- */

void frontier_record_free(mem *m, frontier_record *record) {
    if (record) mem_free(m, record, sizeof *record + record->words * sizeof *record->data);
}

/* Copies the members from `first` on, without rows. NULL if there is no memory for it. */
static frontier_record *record_create(frontier_search *s, frame f, uint32_t first) {
    uint32_t n_prefix = f.head[F_N_PREFIX], n = f.head[F_N] - first;
    size_t words = frame_words(n_prefix, n);
    frontier_record *record = NULL;
    if (words > UINT32_MAX) return NULL;
    size_t bytes = sizeof *record + words * sizeof *record->data;
    if (mem_resize(s->mem, (void **)&record, 0, bytes) != LODE_OK) return NULL;
    record->words = (uint32_t)words;
    uint32_t *at = record->data;
    at[F_N_PREFIX] = n_prefix;
    at[F_N] = n;
    at[F_LEFT] = at[F_RIGHT] = at[F_FORECAST] = 0;
    at[F_END] = f.head[F_END] - first;
    frame copy = frame_view(at);
    memcpy(copy.prefix, f.prefix, n_prefix * sizeof *f.prefix);
    memcpy(copy.items, f.items + first, n * sizeof *f.items);
    memcpy(copy.supports, f.supports + first, n * sizeof *f.supports);
    for (uint32_t i = 0; i < n; i++) copy.rows[i] = BACKEND_NO_ROW;
    return record;
}

#define DONATE_MIN_MEMBERS 4 /* below, handing over costs more than searching */

/* Hands the oldest class over, or all of it but the left member in work if it is the last one. */
static void donate(frontier_search *s) {
    size_t i = 0;
    while (i < s->frames.n && frame_is_done(frame_at(s, i))) i++;
    if (i == s->frames.n) return;
    frame f = frame_at(s, i);
    bool keep_one = i == s->open || i + 1 == s->frames.n;
    uint32_t first = f.head[F_LEFT] + keep_one;
    if (f.head[F_N_PREFIX] == 0 || first >= f.head[F_END]) return;
    if (f.head[F_N] - first < DONATE_MIN_MEMBERS) return;
    frontier_record *record = record_create(s, f, first);
    if (!record) return;
    /* What stays is the left member in work, if any: its span, and the rest goes along. */
    float span = frame_span(f), stays = keep_one ? span_take(s, f, f.head[F_LEFT]) : 0;
    frame_set_span(frame_view(record->data), span - stays);
    if (s->hooks.accept(s->hooks.user, record)) {
        frame_give_rows(s, f, first, f.head[F_N]);
        f.head[F_END] = first;
        frame_set_span(f, stays);
    } else {
        frame_set_span(f, span);
        frontier_record_free(s->mem, record);
    }
}

/* ---- the loop ------------------------------------------------------------------------------ */

static lode_status search_step(frontier_search *s) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    LODE_TRY(collect(s));
    double collected = os_seconds();
    double computed = s->backend->counters(s->device).kernel_seconds;
    LODE_TRY(count(s));
    double counted = os_seconds();
    computed = s->backend->counters(s->device).kernel_seconds - computed;
    LODE_TRY(report_batch(s));
    double reported = os_seconds();
    LODE_TRY(settle(s));
    if (s->hooks.is_hungry(s->hooks.user)) donate(s);
    double settled = os_seconds();
    s->totals.candidate_seconds += collected - start + settled - reported;
    prepare_split_time(counted - collected, computed, &s->totals.counting_seconds,
                       &s->totals.transfer_seconds);
    s->totals.output_seconds += reported - counted;
    LODE_TRY(s->hooks.tick(s->hooks.user));
done:
    return status;
}

static lode_status search_all(frontier_search *s) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    while (s->frames.n > 0 && status == LODE_OK) status = search_step(s);
    progress_flush(&s->job->at, &s->progress);
    s->totals.busy_seconds += os_seconds() - start;
    return status;
}

lode_status frontier_search_root(frontier_search *s, uint32_t rank) {
    lode_status status = push_root(s, rank);
    return status == LODE_OK ? search_all(s) : status;
}

lode_status frontier_search_record(frontier_search *s, const frontier_record *record) {
    frame f;
    const uint32_t *from = record->data;
    lode_status status = frame_add(s->mem, &s->stack, &s->frames, from[F_N_PREFIX], from[F_N], &f);
    if (status != LODE_OK) return status;
    memcpy(f.head, from, record->words * sizeof *from);
    s->threshold = job_threshold(s->job);
    status = frame_forecast(s, f, 0);
    return status == LODE_OK ? search_all(s) : status;
}

lode_status frontier_search_items(frontier_search *s, uint32_t first, uint32_t end) {
    lode_batch batch = {
        .items = s->v->ids + first,
        .supports = s->v->supports + first,
        .n = end - first,
    };
    s->totals.patterns += batch.n;
    return sink_emit(s->sink, &batch);
}

/* ---- life ---------------------------------------------------------------------------------- */

static lode_status search_open_device(frontier_search *s, backend_slot slot, uint32_t max_lists) {
    lode_status status = LODE_OK;
    uint32_t granted = 0;
    double start = os_seconds();
    LODE_TRY(slot.backend->open(s->job, slot.index, 1, &s->device));
    LODE_TRY(slot.backend->set_rows(s->device, s->v->rows, s->v->n_items, s->v->words));
    LODE_TRY(prepare_lists(s->task, s->v, slot, s->device, max_lists, &granted));
    s->totals.transfer_seconds = os_seconds() - start;
    list_pool_init(&s->pool, s->mem, s->v->n_items, granted);
    LODE_TRY(granted > 0 ? LODE_OK : LODE_NOMEM);
    LODE_TRY(list_pool_prepare(&s->pool));
    LODE_TRY(slot.backend->back_lists(s->device, 1));
    s->scratch = list_pool_take(&s->pool);
done:
    return status;
}

/* The parts of a shared job have rows of different lengths, and must ask for the same batches. */
static uint64_t search_epsilon(const frontier_search *s) {
    const lode_mine_options *o = s->task->options;
    if (o->epsilon) return o->epsilon;
    size_t whole = vertical_row_bytes(o->n_transactions_total) / sizeof *s->v->rows;
    return s->backend->fill(s->device, o->reduce ? whole : s->v->words);
}

lode_status frontier_search_create(frontier_search **out, const engine_task *task,
                                   const vertical *v, backend_slot slot, uint32_t max_lists,
                                   frontier_hooks hooks) {
    lode_status status = LODE_OK;
    frontier_search *s = NULL;
    mem *m = &task->job->mem;
    LODE_TRY(mem_zalloc(m, (void **)&s, sizeof *s));
    s->task = task;
    s->v = v;
    s->job = task->job;
    s->mem = m;
    s->backend = slot.backend;
    s->hooks = hooks;
    s->open = NO_FRAME;
    LODE_TRY(search_open_device(s, slot, max_lists));
    s->epsilon = search_epsilon(s);
    s->gathers_roots = slot.backend->list_room(s->device) != SIZE_MAX && !task->options->reduce &&
                       s->epsilon != UINT64_MAX;
    LODE_TRY(sink_open_worker(task->sink, &s->sink));
    *out = s;
    s = NULL;
done:
    if (s) {
        lode_status ignored = frontier_search_free(s);
        (void)ignored;
    }
    return status;
}

lode_status frontier_search_free(frontier_search *s) {
    if (!s) return LODE_OK;
    mem *m = s->mem;
    lode_status status = sink_close_worker(s->sink);
    list_pool_clear(&s->pool);
    s->backend->close(s->device);
    vec_u32 *u32s[] = {&s->stack,           &s->work_items,  &s->counts,
                       &s->fresh,           &s->out_prefix,  &s->member_items,
                       &s->member_supports, &s->member_rows, &s->out_items};
    for (size_t i = 0; i < sizeof u32s / sizeof *u32s; i++) vec_u32_free(m, u32s[i]);
    vec_u64 *u64s[] = {&s->frames, &s->reduced, &s->order, &s->fresh_at, &s->out_supports};
    for (size_t i = 0; i < sizeof u64s / sizeof *u64s; i++) vec_u64_free(m, u64s[i]);
    mem_free(m, s->work, s->cap_work * sizeof *s->work);
    mem_free(m, s->children, s->cap_children * sizeof *s->children);
    mem_free(m, s->forecasts, s->cap_forecasts * sizeof *s->forecasts);
    mem_free(m, s, sizeof *s);
    return status;
}

frontier_totals frontier_search_totals(const frontier_search *s) {
    frontier_totals totals = s->totals;
    totals.device = s->backend->counters(s->device);
    return totals;
}

uint64_t frontier_search_epsilon(const frontier_search *s) {
    return s->epsilon;
}

const list_pool *frontier_search_pool(const frontier_search *s) {
    return &s->pool;
}
