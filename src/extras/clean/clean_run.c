/* clean_run.c - lode_clean(): the steps in their order; see clean_state.h
 *
 * Names first, which are few; then one pass that makes a data set with the new names, and another
 * one only if transactions or items are dropped by counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/clean_state.h"
#include "extras/clean/fold.h"
#include "runtime/valid.h"

static clean_totals clean_total(const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    return (clean_totals){p->n_transactions, p->n_items, p->n_occurrences, p->n_empty};
}

static lode_status clean_check(lode_job *job, const lode_clean_options *o) {
    if (o->map && o->map_text) {
        return job_fail(job, LODE_INVALID, "map and map_text: expected one of them");
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
