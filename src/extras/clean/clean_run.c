/* clean_run.c - lode_clean(): the steps in their order; see clean_state.h
 *
 * Names come first, because there are few of them. Then one pass makes a data set with the new
 * names. A second pass is needed only if transactions or items are dropped by counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "extras/clean/clean_state.h"
#include "extras/clean/fold.h"
#include "runtime/valid.h"

static clean_totals clean_total(const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    return (clean_totals){p->n_transactions, p->n_items, p->n_occurrences, p->n_empty};
}

static lode_status clean_check(lode_job *job, const lode_clean_options *o) {
    if (o->map && o->map_text) {
        return job_fail(job, LODE_INVALID, "map and map_text cannot be combined; give one of them");
    }
    if (o->max_basket > 0 && o->min_basket > o->max_basket) {
        return job_fail(job, LODE_INVALID, "min-basket %u is above max-basket %u", o->min_basket,
                        o->max_basket);
    }
    return LODE_OK;
}

/* Steps that an option asks for are reported even if they have changed nothing. */
static void clean_note_asked(const lode_clean_options *o, lode_clean_step *steps) {
    steps[CLEAN_BLANKS].asked = !o->keep_blanks;
    steps[CLEAN_ACCENTS].asked = o->fold_accents;
    steps[CLEAN_CASE].asked = o->fold_case;
    steps[CLEAN_MAP].asked = o->map || o->map_text;
    steps[CLEAN_MERGED].asked = 1;
    steps[CLEAN_DROP].asked = o->drop != NULL;
    steps[CLEAN_UNIQUE].asked = o->unique_baskets;
    steps[CLEAN_RARE].asked = o->min_item_support.numerator > 0;
    steps[CLEAN_FREQUENT].asked = o->max_item_support.numerator > 0;
    steps[CLEAN_SHORT].asked = o->min_basket > 0;
    steps[CLEAN_LONG].asked = o->max_basket > 0;
    for (size_t i = 0; i < CLEAN_STEPS; i++) {
        bool changed = steps[i].rows || steps[i].items || steps[i].occurrences || steps[i].baskets;
        steps[i].asked |= changed;
    }
}

static lode_status clean_steps(clean_state *s, lode_dataset **out) {
    lode_status status = LODE_OK;
    lode_clean_report *r = s->report;
    lode_dataset *named = NULL, *counted = NULL;
    uint64_t merged = 0;
    const lode_profile *p = &s->data->profile;
    r->before = clean_total(s->data);
    r->n_baskets_read = r->before.baskets + p->n_lost;
    if (p->n_dropped > 0) r->n_rows = p->n_rows;
    memcpy(r->columns, p->columns, sizeof r->columns);
    r->steps[CLEAN_ROWS].rows = p->n_dropped;
    r->steps[CLEAN_ROWS].baskets = p->n_lost;
    r->steps[CLEAN_REPEATED].occurrences = p->n_repeated;
    LODE_TRY(clean_names(s));
    derive_plan plan = {.names = s->names, .to = s->to};
    LODE_TRY(derive_run(s->job, s->data, &plan, &named, &merged));
    r->steps[CLEAN_MERGED].occurrences = merged;
    LODE_TRY(clean_note_merges(s, named));
    LODE_TRY(clean_counts(s, named, &counted));
    *out = counted ? counted : named;
    counted = NULL;
    if (*out == named) named = NULL;
    r->after = clean_total(*out);
    r->steps[CLEAN_EMPTY].baskets = r->after.empty;
    clean_note_asked(s->options, r->steps);
done:
    lode_dataset_free(named);
    return status;
}

/* What stays the same: where the data come from. */
static void clean_keep_origin(const lode_dataset *from, lode_dataset *to) {
    to->profile.n_files = from->profile.n_files;
    to->profile.read_seconds = from->profile.read_seconds;
    to->profile.n_skipped = from->profile.n_skipped;
    to->profile.n_dropped = from->profile.n_dropped;
    to->profile.n_rows = from->profile.n_rows;
    to->profile.n_lost = from->profile.n_lost;
}

static lode_status clean_run(lode_job *job, lode_dataset **out, const lode_dataset *data,
                             const lode_clean_options *options, lode_clean_report *report) {
    lode_dataset *clean = NULL;
    clean_state s = {.job = job, .data = data, .options = options, .report = report};
    s.fold = FOLD_UTF8;
    if (!options->keep_blanks) s.fold |= FOLD_BLANKS;
    if (options->fold_accents) s.fold |= FOLD_ACCENTS;
    if (options->fold_case) s.fold |= FOLD_CASE;
    lode_status status = clean_steps(&s, &clean);
    clean_names_clear(&s);
    if (status == LODE_OK) status = clean_find_hints(job, clean, report);
    if (status == LODE_OK) {
        clean_keep_origin(data, clean);
        *out = clean;
        clean = NULL;
    }
    lode_dataset_free(clean);
    return status;
}

lode_status lode_clean(lode_job *job, lode_dataset **out, const lode_dataset *data,
                       const lode_clean_options *options, lode_clean_report **report) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_clean_options o;
    lode_clean_report *r = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data));
    LODE_TRY(valid_take(job, VALID_CLEAN, options, &o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(clean_check(job, &o));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&r, sizeof *r));
    r->mem = &job->mem;
    LODE_TRY(clean_run(job, out, data, &o, r));
    if (report) {
        *report = r;
        r = NULL;
    }
done:
    lode_clean_report_free(r);
    lease_leave(&call);
    return job_explain(job, status, "cleaning the data");
}

/* ---- the steps that count: duplicates, supports, sizes --------------------------------------- */

/* The parts to drop from a data set. */
typedef struct counts_state {
    clean_state *clean;
    lode_job *job;
    const lode_dataset *data;
    uint8_t *dropped; /* by transaction */
    uint32_t *to;     /* by id: as in a derive_plan */
    uint32_t *marks;  /* by id: 1 << a step that drops it */
} counts_state;

/* ---- duplicates ---- */

/* An open table of transactions by their items: number + 1 in each slot. */
static lode_status counts_unique(counts_state *c) {
    lode_status status = LODE_OK;
    const lode_dataset *data = c->data;
    mem *m = &c->job->mem;
    uint64_t n = data->profile.n_transactions;
    uint32_t *slots = NULL;
    size_t n_slots = 16;
    if (n >= UINT32_MAX)
        return job_fail(c->job, LODE_UNSUPPORTED, "2^32 or more transactions are not supported");
    while (n_slots < n + n / 2) n_slots *= 2;
    LODE_TRY(mem_zalloc(m, (void **)&slots, n_slots * sizeof *slots));
    for (uint64_t t = 0; t < n; t++) {
        uint32_t length, other;
        const uint32_t *row = dataset_row(data, t, &length), *same;
        uint64_t at = keyed_bytes(keyed_process(), row, length * sizeof *row);
        if (t % 16384 == 0) LODE_TRY(job_check(c->job));
        for (at &= n_slots - 1; slots[at]; at = (at + 1) & (n_slots - 1)) {
            same = dataset_row(data, slots[at] - 1, &other);
            if (other != length || memcmp(same, row, length * sizeof *row) != 0) continue;
            c->dropped[t] = 1;
            c->clean->report->steps[CLEAN_UNIQUE].baskets++;
            break;
        }
        if (!slots[at]) slots[at] = (uint32_t)t + 1;
    }
done:
    mem_free(m, slots, slots ? n_slots * sizeof *slots : 0);
    return status;
}

/* ---- supports ---- */

/* Sums of weights over transactions that are left: of all, and of each item. */
static lode_status counts_supports(counts_state *c, uint64_t *supports, uint64_t *total) {
    const lode_dataset *data = c->data;
    *total = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        lode_status status = job_check(c->job);
        if (status != LODE_OK) return status;
        for (uint32_t i = 0; i < block->n; i++) {
            if (c->dropped[block->first + i]) continue;
            uint32_t weight = data->weights ? data->weights[block->first + i] : 1;
            *total += weight;
            for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
                supports[block->items[k]] += weight;
            }
        }
    }
    return LODE_OK;
}

/* The largest support within an upper bound: a share is rounded down. */
static uint64_t counts_most(lode_threshold t, uint64_t total) {
    if (t.numerator == 0) return UINT64_MAX;
    if (t.denominator == 0) return t.numerator;
    return (uint64_t)((unsigned __int128)t.numerator * total / t.denominator);
}

static lode_status counts_bound_items(counts_state *c) {
    lode_status status = LODE_OK;
    const lode_clean_options *o = c->clean->options;
    const uint32_t bound = c->data->item_bound;
    uint64_t *supports = NULL, total;
    LODE_TRY(mem_zalloc(&c->job->mem, (void **)&supports, bound * sizeof *supports));
    LODE_TRY(counts_supports(c, supports, &total));
    bool lower = o->min_item_support.numerator > 0;
    uint64_t least = lower ? lode_threshold_count(o->min_item_support, total) : 0;
    uint64_t most = counts_most(o->max_item_support, total);
    for (uint32_t id = 0; id < bound; id++) {
        if (supports[id] == 0) continue;
        clean_step step = supports[id] < least  ? CLEAN_RARE
                          : supports[id] > most ? CLEAN_FREQUENT
                                                : CLEAN_STEPS;
        if (step == CLEAN_STEPS) continue;
        c->to[id] = DERIVE_DROPPED;
        c->marks[id] = 1u << step;
        c->clean->report->steps[step].items++;
    }
done:
    mem_free(&c->job->mem, supports, supports ? bound * sizeof *supports : 0);
    return status;
}

/* ---- sizes ---- */

/* Counts what dropped items concern, and drops transactions by size. */
static void counts_transaction(counts_state *c, const data_block *block, uint32_t i) {
    const lode_clean_options *o = c->clean->options;
    lode_clean_step *steps = c->clean->report->steps;
    unsigned marks = 0;
    uint32_t left = 0;
    if (c->dropped[block->first + i]) return;
    for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
        uint32_t id = block->items[k];
        left += c->to[id] != DERIVE_DROPPED;
        marks |= c->marks[id];
        if (c->marks[id]) steps[__builtin_ctz(c->marks[id])].occurrences++;
    }
    for (; marks; marks &= marks - 1) steps[__builtin_ctz(marks)].baskets++;
    clean_step step = left < o->min_basket                    ? CLEAN_SHORT
                      : o->max_basket && left > o->max_basket ? CLEAN_LONG
                                                              : CLEAN_STEPS;
    if (step == CLEAN_STEPS) return;
    c->dropped[block->first + i] = 1;
    steps[step].baskets++;
    steps[step].occurrences += left;
}

static lode_status counts_sizes(counts_state *c) {
    for (size_t b = 0; b < c->data->n_blocks; b++) {
        const data_block *block = &c->data->blocks[b];
        lode_status status = job_check(c->job);
        if (status != LODE_OK) return status;
        for (uint32_t i = 0; i < block->n; i++) counts_transaction(c, block, i);
    }
    return LODE_OK;
}

static bool counts_are_asked(const lode_clean_options *o) {
    return o->unique_baskets || o->min_item_support.numerator || o->max_item_support.numerator ||
           o->min_basket || o->max_basket;
}

lode_status clean_counts(clean_state *s, const lode_dataset *data, lode_dataset **out) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    counts_state c = {.clean = s, .job = s->job, .data = data};
    size_t n = (size_t)data->profile.n_transactions, bound = data->item_bound;
    uint64_t merged;
    if (!counts_are_asked(s->options)) return LODE_OK;
    LODE_TRY(mem_zalloc(m, (void **)&c.dropped, n));
    LODE_TRY(mem_zalloc(m, (void **)&c.to, bound * sizeof *c.to));
    LODE_TRY(mem_zalloc(m, (void **)&c.marks, bound * sizeof *c.marks));
    if (s->options->unique_baskets) LODE_TRY(counts_unique(&c));
    if (s->options->min_item_support.numerator || s->options->max_item_support.numerator) {
        LODE_TRY(counts_bound_items(&c));
    }
    LODE_TRY(counts_sizes(&c));
    derive_plan plan = {.to = c.to, .dropped = c.dropped};
    LODE_TRY(derive_run(s->job, data, &plan, out, &merged));
done:
    mem_free(m, c.dropped, c.dropped ? n : 0);
    mem_free(m, c.to, c.to ? bound * sizeof *c.to : 0);
    mem_free(m, c.marks, c.marks ? bound * sizeof *c.marks : 0);
    return status;
}
