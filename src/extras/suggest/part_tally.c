/* part_tally.c - see part_tally.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/part_tally.h"

#include <math.h>

#include "base/os.h"
#include "extras/suggest/support_levels.h"
#include "write/itemsets/item_sink.h"

#define TALLY_LOOKS 64 /* batches between two looks at the clock */

typedef struct tally_sink_object {
    lode_sink base;
    tally *to;
} tally_sink_object;

typedef struct tally_worker {
    item_worker base;
    tally *to;
    double *counts; /* as in the tally; that of a single row where only the sum is wanted */
    double factor;  /* of parts */
    double found;   /* patterns, parts multiplied, since the threshold was last raised */
    double skip;    /* sets to pass before the next one is kept */
    unsigned until_look;
    rng rng;
} tally_worker;

/* ---- the result ------------------------------------------------------------------------------ */

lode_status tally_open(mem *m, tally *t) {
    t->n_rows = t->parts < t->of ? t->parts + 1 : 1;
    t->n_levels = t->plain ? 1 : level_of(t->most) + 1;
    t->count_bytes = (size_t)t->n_rows * t->n_levels * sizeof *t->counts;
    return mem_zalloc(m, (void **)&t->counts, t->count_bytes);
}

void tally_free(mem *m, tally *t) {
    mem_free(m, t->counts, t->counts ? t->count_bytes : 0);
    vec_u32_free(m, &t->sets.items);
    vec_u64_free(m, &t->sets.supports);
    vec_u32_free(m, &t->sets.parts);
    t->counts = NULL;
}

double tally_factor(const tally *t) {
    return (double)t->of / t->parts;
}

void tally_add_up(tally *t) {
    for (uint32_t row = 0; row < t->n_rows; row++) {
        double *counts = t->counts + (size_t)row * t->n_levels;
        for (uint32_t i = t->n_levels - 1; i > 0; i--) counts[i - 1] += counts[i];
    }
}

static uint32_t tally_part(const tally_worker *w) {
    return w->to->n_rows > 1 ? w->base.base.part : 0;
}

/* ---- sets that are kept ---------------------------------------------------------------------- */

/* How many sets to pass over: each is kept with the chance 2^-thinned. */
static double tally_draw_skip(tally_worker *w) {
    if (w->to->sets.thinned == 0) return 0;
    double chance = ldexp(1, -(int)w->to->sets.thinned);
    return floor(log(1 - rng_unit(&w->rng)) / log1p(-chance));
}

void tally_thin(tally *t) {
    tally_sets *s = &t->sets;
    rng random = rng_make(t->seed, 2 + s->thinned);
    size_t from = 0, to = 0, kept = 0;
    for (size_t i = 0; i < s->supports.n; i++) {
        size_t length = s->items.data[from] + (size_t)1;
        if (rng_u64(&random) >> 63) {
            memmove(s->items.data + to, s->items.data + from, length * sizeof *s->items.data);
            s->supports.data[kept] = s->supports.data[i];
            s->parts.data[kept++] = s->parts.data[i];
            to += length;
        }
        from += length;
    }
    s->items.n = to;
    s->supports.n = s->parts.n = kept;
    s->thinned++;
}

/* Pieces of a set: some items, and those of others that the bits of a number choose. */
typedef struct tally_piece {
    const uint32_t *items;
    uint32_t n;
    bool chosen; /* by bits; else all of them */
    uint64_t bits;
} tally_piece;

static lode_status tally_keep(tally_worker *w, const tally_piece pieces[3], uint64_t support) {
    lode_status status = LODE_OK;
    tally_sets *s = &w->to->sets;
    mem *m = &w->base.base.sink->job->mem;
    size_t start = s->items.n;
    LODE_TRY(vec_u32_push(m, &s->items, 0));
    for (unsigned p = 0; p < 3; p++) {
        const tally_piece *piece = &pieces[p];
        for (uint32_t i = 0; i < piece->n; i++) {
            bool in = !piece->chosen || (i < 64 ? piece->bits >> i & 1 : rng_u64(&w->rng) & 1);
            if (in) LODE_TRY(vec_u32_push(m, &s->items, piece->items[i]));
        }
    }
    s->items.data[start] = (uint32_t)(s->items.n - start - 1);
    LODE_TRY(vec_u64_push(m, &s->supports, support));
    LODE_TRY(vec_u32_push(m, &s->parts, tally_part(w)));
    if (s->supports.n >= TALLY_SETS) tally_thin(w->to);
done:
    return status;
}

/* Passes 2^n_perfect sets that differ in their perfect extensions, and keeps some. */
static lode_status tally_pass_sets(tally_worker *w, tally_piece pieces[3], uint64_t support) {
    double each = ldexp(1, (int)pieces[2].n);
    while (w->skip < each) {
        bool few = pieces[2].n < 53;
        pieces[2].bits = few ? (uint64_t)w->skip : rng_u64(&w->rng);
        lode_status status = tally_keep(w, pieces, support);
        if (status != LODE_OK) return status;
        w->skip += 1 + tally_draw_skip(w);
    }
    w->skip -= each;
    return LODE_OK;
}

/* ---- the threshold --------------------------------------------------------------------------- */

static void tally_note_many(tally_worker *w, double seen) {
    pthread_mutex_lock(&w->base.base.sink->lock);
    w->to->many = true;
    if (seen > w->to->at_least) w->to->at_least = seen;
    pthread_mutex_unlock(&w->base.base.sink->lock);
}

/* Raises the threshold when enough patterns were found: to the support that `enough` of them
 * reach. */
static lode_status tally_raise(tally_worker *w) {
    lode_job *job = w->base.base.sink->job;
    tally *t = w->to;
    double sum = 0, seen = 0;
    uint32_t level = t->n_levels, lowest = t->plain ? 0 : 1;
    while (level > lowest && sum < t->enough) {
        level--;
        for (uint32_t row = 0; row < t->n_rows; row++) {
            double n = w->counts[(size_t)row * t->n_levels + level];
            sum += row > 0 ? n * w->factor : n;
            seen += n;
        }
    }
    w->found = sum;
    job_raise_threshold(job, level_support(level));
    if (sum < t->too_many) return LODE_OK;
    tally_note_many(w, seen);
    job_halt(job, JOB_SINK_STOPS);
    return LODE_STOPPED;
}

static lode_status tally_look(tally_worker *w) {
    lode_job *job = w->base.base.sink->job;
    w->until_look = TALLY_LOOKS;
    if (w->to->cpu_until > 0 && os_thread_seconds() > w->to->cpu_until) {
        job_halt(job, JOB_SINK_STOPS);
        return LODE_STOPPED;
    }
    return LODE_OK;
}

static lode_status tally_note(tally_worker *w, double found) {
    w->found += tally_part(w) > 0 ? found * w->factor : found;
    if (w->found > 2 * w->to->enough) {
        lode_status status = tally_raise(w);
        if (status != LODE_OK) return status;
    }
    if (w->until_look-- == 0) return tally_look(w);
    return LODE_OK;
}

/* ---- the sink -------------------------------------------------------------------------------- */

static double *tally_row_now(tally_worker *w) {
    return w->counts + (size_t)tally_part(w) * w->to->n_levels;
}

static lode_status tally_take(sink_worker *worker, const lode_batch *b) {
    lode_status status = LODE_OK;
    tally_worker *w = (tally_worker *)worker;
    double each = ldexp(1, (int)b->n_perfect), *row = tally_row_now(w);
    for (uint32_t i = 0; i < b->n; i++) {
        row[w->to->plain ? 0 : level_of(b->supports[i])] += each;
    }
    for (uint32_t i = 0; i < b->n && w->to->keeps_sets; i++) {
        tally_piece pieces[] = {{.items = b->prefix, .n = b->n_prefix},
                                {.items = b->items + i, .n = 1},
                                {.items = b->perfect, .n = b->n_perfect, .chosen = true}};
        LODE_TRY(tally_pass_sets(w, pieces, b->supports[i]));
    }
    status = tally_note(w, each * b->n);
done:
    return status;
}

static lode_status tally_keep_lattice(tally_worker *w, const sink_lattice *l) {
    lode_status status = LODE_OK;
    for (uint32_t set = 1; set < (uint32_t)1 << l->n_items; set++) {
        if (l->supports[set] < l->min) continue;
        tally_piece pieces[] = {{.items = l->prefix, .n = l->n_prefix},
                                {.items = l->items, .n = l->n_items, .chosen = true, .bits = set},
                                {.items = l->perfect, .n = l->n_perfect, .chosen = true}};
        LODE_TRY(tally_pass_sets(w, pieces, l->supports[set]));
    }
done:
    return status;
}

static lode_status tally_take_lattice(sink_worker *worker, const sink_lattice *l) {
    lode_status status = LODE_OK;
    tally_worker *w = (tally_worker *)worker;
    double each = ldexp(1, (int)l->n_perfect), *row = tally_row_now(w), sets = 0;
    for (uint32_t i = 1; i <= l->n_items; i++) sets += (double)l->sizes[i];
    if (w->to->plain) {
        row[0] += each * sets;
    } else if (sets > 0) {
        for (uint32_t set = 1; set < (uint32_t)1 << l->n_items; set++) {
            if (l->supports[set] >= l->min) row[level_of(l->supports[set])] += each;
        }
    }
    if (w->to->keeps_sets) LODE_TRY(tally_keep_lattice(w, l));
    status = tally_note(w, each * sets);
done:
    return status;
}

static lode_status tally_open_worker(sink_worker *worker) {
    tally_worker *w = (tally_worker *)worker;
    w->to = ((tally_sink_object *)worker->sink)->to;
    w->factor = tally_factor(w->to);
    w->rng = rng_make(w->to->seed, 1);
    job_raise_threshold(worker->sink->job, w->to->least);
    pthread_mutex_lock(&worker->sink->lock);
    double now =
        os_thread_seconds(); /* that of the thread which prepared the data is the largest */
    if (now > w->to->opened) w->to->opened = now;
    pthread_mutex_unlock(&worker->sink->lock);
    return mem_zalloc(&worker->sink->job->mem, (void **)&w->counts, w->to->count_bytes);
}

static lode_status tally_close_worker(sink_worker *worker) {
    tally_worker *w = (tally_worker *)worker;
    tally *t = w->to;
    if (!w->counts) return LODE_OK;
    pthread_mutex_lock(&worker->sink->lock);
    for (size_t i = 0; i < t->count_bytes / sizeof *t->counts; i++) t->counts[i] += w->counts[i];
    pthread_mutex_unlock(&worker->sink->lock);
    mem_free(&worker->sink->job->mem, w->counts, t->count_bytes);
    return LODE_OK;
}

static const item_ops tally_items = {
    .worker_bytes = sizeof(tally_worker),
    .open = tally_open_worker,
    .take = tally_take,
    .take_lattice = tally_take_lattice,
    .close = tally_close_worker,
};

static const sink_kind tally_kind = {.bytes = sizeof(tally_sink_object), .itemsets = &tally_items};

lode_status tally_sink(lode_job *job, tally *t, lode_sink **out) {
    lode_sink *sink = NULL;
    lode_status status = sink_create(job, &tally_kind, &sink);
    if (status != LODE_OK) return status;
    ((tally_sink_object *)sink)->to = t;
    *out = sink;
    return LODE_OK;
}
