/* spill.c - see spill.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/spill.h"

#include "base/check.h"
#include "data/transactions/item_order.h"
#include "pipeline/spill/groups.h"
#include "pipeline/spill/spill_roots.h"
#include "pipeline/spill/spill_rows.h"

#define SURVEY_SPAN 0.05 /* of the progress of a part that is divided; so the first pass, … */
#define WRITE_SPAN  0.15 /* … and up to here the second */

/* ---- progress -------------------------------------------------------------------------------- */

/* What follows is the share from `from` to `to` of the run. No other thread works. */
static void spill_begin_span(spill_job *s, double from, double to) {
    progress_begin_step(&s->job->at, s->first + s->part * from, s->part * (to - from));
}

static double spill_within(const spill_part *part, double share) {
    return part->from + (part->to - part->from) * share;
}

/* ---- what it will take ----------------------------------------------------------------------- */

/* Says before the first group is written what all of them take, and whether there is room. */
static lode_status spill_announce(spill_job *s, const spool *where, const spill_groups *groups,
                                  unsigned most) {
    uint64_t room = where ? spool_room(where) : UINT64_MAX;
    uint64_t bytes = 0, largest = 0; /* of a round */
    for (unsigned g = 0; g < groups->n; g++) {
        bytes = g % most == 0 ? 0 : bytes;
        bytes += groups->list[groups->n - 1 - g].size.n_bytes;
        if (bytes > largest) largest = bytes;
    }
    if (!s->told) {
        job_log(s->job, LODE_LOG_INFO,
                "mining from disk in %u groups of items: lode writes up to %.1f MiB to '%s', with "
                "at most %.1f MiB there at a time",
                groups->n, job_mib_up(groups->n_bytes), spill_folder(s), job_mib_up(largest));
    }
    if (s->told && s->n_groups >= 2 * s->told_groups) {
        job_log(
            s->job, LODE_LOG_INFO,
            "some groups need more memory than expected and are divided again; there are now %llu",
            (unsigned long long)s->n_groups);
    }
    if (!s->told || s->n_groups >= 2 * s->told_groups) s->told_groups = s->n_groups;
    s->told = true;
    if (largest <= room) return LODE_OK;
    return job_fail(s->job, LODE_IO,
                    "'%s' (--spill) has %.1f MiB free, but groups of items need %.1f MiB at a "
                    "time; choose another folder or increase --memory",
                    spill_folder(s), job_mib(room), job_mib_up(largest));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static lode_status spill_mine_part(spill_job *s, spill_part *part, spool **own);

/* A group as a part; *done: the share of all groups that are before it, and after it. */
static spill_part spill_child(const spill_part *part, const spill_groups *groups,
                              const spill_group *group, double *done) {
    double all = groups->n_items > 0 ? (double)groups->n_items : 1;
    spill_part child = {.run = group->run,
                        .first = group->first,
                        .end = group->end,
                        .hits = true,
                        .n_rows = group->size.n_rows,
                        .n_items = group->size.n_items,
                        .n_kinds = group->size.n_kinds,
                        .depth = part->depth + 1};
    child.from = spill_within(part, WRITE_SPAN + (1 - WRITE_SPAN) * *done);
    *done += (double)group->size.n_items / all;
    child.to = spill_within(part, WRITE_SPAN + (1 - WRITE_SPAN) * *done);
    return child;
}

/* A round writes the groups from `first` to before `end`, and mines them. The most frequent items
 * come first, because they raise the threshold of the best K. */
typedef struct spill_round {
    spill_plan *plan;
    unsigned first, end;
    double done;
} spill_round;

/* Reports that all sets whose rarest item is below `end` were found. Groups are mined in this
 * order, which is also the order of the branches that spill_divide_search() makes. */
static lode_status spill_tell(const spill_job *s, const spill_part *part, uint32_t end) {
    const engine_branches *b = s->task->parts.branches;
    size_t n = 0;
    if (!b || !b->finished || part->depth > 0) return LODE_OK;
    while (n < b->n && b->list[n].end <= end) n++;
    if (n < b->n && b->list[n].first < end) return LODE_OK; /* of this one, some are found */
    return n > 0 ? b->finished(b->user, n) : LODE_OK;
}

static lode_status spill_mine_round(spill_job *s, spill_round *r) {
    lode_status status = LODE_OK;
    spill_groups *groups = &r->plan->groups;
    for (unsigned g = r->end; g-- > r->first;) {
        spill_group *group = &groups->list[g];
        spill_part child = spill_child(r->plan->part, groups, group, &r->done);
        LODE_TRY(spill_mine_part(s, &child, &group->run));
        spill_close_run(s, &group->run);
        LODE_TRY(spill_tell(s, r->plan->part, group->end));
    }
done:
    for (unsigned g = r->first; g < r->end; g++) spill_close_run(s, &groups->list[g].run);
    return status;
}

#if LODE_DEBUG
static void spill_validate_left_out(const spill_job *s, const spill_plan *plan, uint32_t item) {
    LODE_DEBUG_CHECK(plan->c.supports[item] == 0 || !spill_is_root(s, item),
                     "root %u is in no group", item);
}

/* Groups follow each other in the part, and every root that is searched is in one of them. */
static void spill_validate_groups(const spill_job *s, const spill_plan *plan) {
    const spill_part *part = plan->part;
    const spill_groups *groups = &plan->groups;
    uint32_t from = part->first;
    for (unsigned g = groups->n; g-- > 0;) {
        const spill_group *group = &groups->list[g];
        LODE_DEBUG_CHECK(from <= group->first && group->first < group->end &&
                             group->end <= part->end,
                         "a group has items %u to %u; expected a range of items from %u on",
                         group->first, group->end, from);
        for (; from < group->first; from++) spill_validate_left_out(s, plan, from);
        from = group->end;
    }
    for (; from < part->end; from++) spill_validate_left_out(s, plan, from);
}
#endif

/* Writes and mines all groups, round by round. With the last round, frees the data they came
 * from. */
static lode_status spill_mine_groups(spill_job *s, spill_plan *plan, spool **own) {
    lode_status status = LODE_OK;
    const spill_part *part = plan->part;
    unsigned most = spill_most_groups(s, part);
    spill_round r = {.plan = plan};
    LODE_VALIDATE(spill_validate_groups(s, plan));
    LODE_TRY(spill_announce(s, *own ? *own : s->whole->spool, &plan->groups, most));
    spill_begin_span(s, spill_within(part, SURVEY_SPAN), spill_within(part, WRITE_SPAN));
    for (r.end = plan->groups.n; r.end > 0; r.end = r.first) {
        r.first = r.end > most ? r.end - most : 0;
        LODE_TRY(spill_write_groups(s, plan, r.first, r.end));
        if (r.first == 0) {
            spill_counts_free(s, &plan->c);
            spill_pairs_free(s, &plan->pairs);
            spill_close_run(s, own);
        }
        LODE_TRY(spill_mine_round(s, &r));
    }
done:
    return status;
}

/* Divides a part into groups, and mines these. Takes ownership of `c` and of the file of the
 * part. */
static lode_status spill_divide(spill_job *s, const spill_part *part, spill_counts *c,
                                spool **own) {
    lode_status status = LODE_OK;
    spill_plan *plan = NULL;
    LODE_TRY(mem_zalloc(s->mem, (void **)&plan, sizeof *plan));
    plan->part = part;
    plan->c = *c;
    *c = (spill_counts){0};
    spill_begin_span(s, part->from, spill_within(part, SURVEY_SPAN));
    LODE_TRY(spill_choose_by_pairs(s, part, &plan->c, &plan->pairs, &plan->groups));
    if (!plan->pairs.known) LODE_TRY(spill_choose(s, part, &plan->c, spill_room(s), &plan->groups));
    s->n_groups += plan->groups.n;
    if (part->depth + 1 > s->depth) s->depth = part->depth + 1;
    status = spill_mine_groups(s, plan, own);
done:
    if (plan) {
        spill_counts_free(s, &plan->c);
        spill_pairs_free(s, &plan->pairs);
    }
    mem_free(s->mem, plan, plan ? sizeof *plan : 0);
    return status;
}

/* All transactions of the part hold its only root: that becomes part of the prefix. */
static lode_status spill_go_below(spill_job *s, const spill_part *part, spool **own,
                                  uint64_t support) {
    spill_part below = *part;
    s->prefix[s->n_prefix++] = s->order[part->first];
    spill_set_prefix(s);
    below.first = 0;
    below.end = part->first;
    below.hits = false;
    below.total = support;
    below.depth++;
    lode_status status = spill_mine_part(s, &below, own);
    s->n_prefix--;
    spill_set_prefix(s);
    return status;
}

/* Whether the prefix has as many items as any set may have. */
static bool spill_is_full(const spill_job *s) {
    return s->n_prefix >= s->task->items.options->max_size;
}

static lode_status spill_mine_part(spill_job *s, spill_part *part, spool **own) {
    lode_status status = LODE_OK;
    spill_counts c = {0};
    bool again = true;
    if (part->hits && s->whole->item_supports[s->order[part->first]] < spill_least(s)) {
        return LODE_OK; /* the threshold has risen above all its roots */
    }
    if (part->hits && spill_fits(s, spill_room(s), part->n_rows, part->n_items, part->n_kinds)) {
        spill_begin_span(s, part->from, part->to); /* at once, with items that are not frequent */
        LODE_TRY(spill_mine(s, part, NULL, &again));
        if (!again) goto done;
    }
    LODE_TRY(spill_count(s, part, &c));
    if (part->total > 0) LODE_TRY(spill_emit_prefix(s, &c, part->total));
    if (c.n_roots == 0 || spill_is_full(s)) goto done;
    if (spill_fits(s, spill_room(s), c.n_rows, c.n_occurrences, c.n_items)) {
        spill_begin_span(s, part->from, part->to);
        LODE_TRY(spill_mine(s, part, &c, &again));
    }
    if (again) LODE_TRY(spill_merge_pays(s, part, &c, &part->merge));
    if (part->merge) {
        spill_begin_span(s, part->from, part->to);
        LODE_TRY(spill_mine(s, part, &c, &again));
    }
    part->merge = false;
    if (!again) goto done;
    if (part->hits && part->end - part->first == 1) {
        uint64_t support = c.supports[part->first];
        spill_counts_free(s, &c);
        status = spill_go_below(s, part, own, support);
    } else {
        status = spill_divide(s, part, &c, own);
    }
done:
    spill_counts_free(s, &c);
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Numbers the frequent items. */
static lode_status spill_rank(spill_job *s) {
    lode_status status = LODE_OK;
    const lode_dataset *whole = s->whole;
    ranking r = {0};
    LODE_TRY(rank_frequent(s->job, whole, whole->item_supports, spill_least(s), &r));
    size_t bound = whole->item_bound;
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->order, (r.n + 1u) * sizeof *s->order));
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->same, (r.n + 1u) * sizeof *s->same));
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->numbers, (bound + 1) * sizeof *s->numbers));
    LODE_TRY(mem_keep_zero(s->mem, &s->kept, (void **)&s->prefix,
                           (whole->profile.longest + 1u) * sizeof *s->prefix));
    memset(s->numbers, 0xff, bound * sizeof *s->numbers); /* SPILL_NONE */
    for (uint32_t i = 0; i < r.n; i++) {
        s->order[i] = r.items[r.n - 1 - i].id;
        s->same[i] = i;
        s->numbers[s->order[i]] = i;
    }
    s->n = r.n;
    s->filter = (item_filter){
        .job = s->job, .fixed = s->prefix, .ids = s->order, .max_support = UINT64_MAX};
    spill_set_prefix(s);
done:
    rank_free(s->job, &r);
    return status;
}

static void spill_report(spill_job *s, uint64_t read_before) {
    engine_report *r = s->task->report;
    spool *all = s->whole->spool;
    r->spill_written = s->written + (all ? atomic_load(&all->end) : 0);
    r->spill_read += s->read + (all ? atomic_load(&all->n_read) - read_before : 0);
    r->spill_groups += s->n_groups;
    if (s->depth > r->spill_depth) r->spill_depth = s->depth;
}

lode_status spill_run(engine_task *task, const lode_engine *engine) {
    lode_status status = LODE_OK;
    spill_job s = {.task = task, .engine = engine, .job = task->job, .whole = task->items.data};
    spool *all = s.whole->spool, *none = NULL;
    uint64_t read_before = all ? atomic_load(&all->n_read) : 0;
    s.mem = &task->job->mem;
    s.weighted = s.whole->weights || s.whole->weighted;
    s.cut = task->items.options->target == LODE_TARGET_ALL ||
            task->items.options->target == LODE_TARGET_TOP;
    s.told = task->report->spill_groups > 0; /* top:K may search several times */
    s.first = task->job->at.first;
    s.part = task->job->at.part;
    LODE_TRY(spill_check(task));
    LODE_TRY(spill_rank(&s));
    LODE_TRY(spill_mark_roots(&s));
    spill_part whole = {.end = s.n, .to = 1};
    status = spill_mine_part(&s, &whole, &none);
    LODE_DEBUG_CHECK(s.n_prefix == 0, "a prefix of %u items is left over", s.n_prefix);
done:
    sink_set_filter(task->sink, NULL);
    progress_begin_step(&task->job->at, s.first, s.part);
    mem_drop(s.mem, &s.kept);
    spill_report(&s, read_before);
    return status;
}
