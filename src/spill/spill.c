/* spill.c - see spill.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "spill/spill.h"

#include "data/rank.h"
#include "spill/groups.h"

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
                "mining from disk in %u groups, which take %.1f MiB in '%s', %.1f MiB at a time",
                groups->n, job_mib_up(groups->n_bytes), spill_folder(s), job_mib_up(largest));
    }
    s->told = true;
    if (largest <= room) return LODE_OK;
    return job_fail(s->job, LODE_IO,
                    "'%s' (--spill) has %.1f MiB free, and groups of items take %.1f MiB at a "
                    "time: give another folder, or more --memory",
                    spill_folder(s), job_mib(room), job_mib_up(largest));
}

/* Bytes that a group may take: what is left now, and will be left then. */
static uint64_t spill_room(const spill_job *s) {
    size_t left = mem_left(s->mem);
    return left == SIZE_MAX ? UINT64_MAX : (uint64_t)((double)left * SPILL_FILL);
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
                        .depth = part->depth + 1};
    child.from = spill_within(part, WRITE_SPAN + (1 - WRITE_SPAN) * *done);
    *done += (double)group->size.n_items / all;
    child.to = spill_within(part, WRITE_SPAN + (1 - WRITE_SPAN) * *done);
    return child;
}

/* A round: groups from `first` to before `end` are written, and mined, the most frequent items
 * first: those raise the threshold of the best K. */
typedef struct spill_round {
    const spill_part *part;
    spill_groups *groups;
    unsigned first, end;
    double done;
} spill_round;

static lode_status spill_mine_round(spill_job *s, spill_round *r) {
    lode_status status = LODE_OK;
    for (unsigned g = r->end; g-- > r->first;) {
        spill_group *group = &r->groups->list[g];
        spill_part child = spill_child(r->part, r->groups, group, &r->done);
        LODE_TRY(spill_mine_part(s, &child, &group->run));
        spill_close_run(s, &group->run);
    }
done:
    for (unsigned g = r->first; g < r->end; g++) spill_close_run(s, &r->groups->list[g].run);
    return status;
}

/* Writes and mines all groups, round by round. With the last, what they came from is freed. */
static lode_status spill_mine_groups(spill_job *s, spill_round *r, spill_counts *c, spool **own) {
    lode_status status = LODE_OK;
    const spill_part *part = r->part;
    unsigned most = spill_most_groups(s, part);
    LODE_TRY(spill_announce(s, *own ? *own : s->whole->spool, r->groups, most));
    spill_begin_span(s, spill_within(part, SURVEY_SPAN), spill_within(part, WRITE_SPAN));
    for (r->end = r->groups->n; r->end > 0; r->end = r->first) {
        r->first = r->end > most ? r->end - most : 0;
        LODE_TRY(spill_write_groups(s, part, c, r->groups->list + r->first, r->end - r->first));
        if (r->first == 0) {
            spill_counts_free(s, c);
            spill_close_run(s, own);
        }
        LODE_TRY(spill_mine_round(s, r));
    }
done:
    return status;
}

/* Divides a part into groups, and mines these. `c` is freed, and so is the file of the part. */
static lode_status spill_divide(spill_job *s, const spill_part *part, spill_counts *c,
                                spool **own) {
    lode_status status = LODE_OK;
    spill_groups *groups = NULL;
    LODE_TRY(mem_zalloc(s->mem, (void **)&groups, sizeof *groups));
    spill_begin_span(s, part->from, spill_within(part, SURVEY_SPAN));
    LODE_TRY(spill_choose(s, part, c, spill_room(s), groups));
    s->n_groups += groups->n;
    if (part->depth + 1 > s->depth) s->depth = part->depth + 1;
    spill_round round = {.part = part, .groups = groups};
    status = spill_mine_groups(s, &round, c, own);
done:
    mem_free(s->mem, groups, groups ? sizeof *groups : 0);
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
    return s->n_prefix >= s->task->options->max_size;
}

static lode_status spill_mine_part(spill_job *s, spill_part *part, spool **own) {
    lode_status status = LODE_OK;
    spill_counts c = {0};
    bool again = true;
    if (part->hits && s->whole->item_supports[s->order[part->first]] < spill_least(s)) {
        return LODE_OK; /* the threshold has risen above all its roots */
    }
    if (part->hits && spill_fits(s, spill_room(s), part->n_rows, part->n_items, s->n)) {
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

static lode_status spill_check(const engine_task *task) {
    const lode_mine_options *o = task->options;
    const char *what = o->target == LODE_TARGET_GENERATORS  ? "generators are not"
                       : engine_wants_range(&task->request) ? "a range of root classes is not"
                       : task->data->total_weight > UINT32_MAX
                           ? "transactions that weigh 2^32 or more are not"
                           : NULL;
    if (!what) return LODE_OK;
    return job_fail(task->job, LODE_UNSUPPORTED, "%s mined from disk (--spill); give more memory",
                    what);
}

/* Numbers the frequent items. */
static lode_status spill_rank(spill_job *s) {
    lode_status status = LODE_OK;
    const lode_dataset *whole = s->whole;
    ranking r = {0};
    LODE_TRY(rank_frequent(s->job, whole, whole->item_supports, spill_least(s), &r));
    size_t bound = whole->item_bound;
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->order, (r.n + 1u) * sizeof *s->order));
    LODE_TRY(mem_keep(s->mem, &s->kept, (void **)&s->numbers, (bound + 1) * sizeof *s->numbers));
    LODE_TRY(mem_keep_zero(s->mem, &s->kept, (void **)&s->prefix,
                           (whole->profile.longest + 1u) * sizeof *s->prefix));
    memset(s->numbers, 0xff, bound * sizeof *s->numbers); /* SPILL_NONE */
    for (uint32_t i = 0; i < r.n; i++) {
        s->order[i] = r.items[r.n - 1 - i].id;
        s->numbers[s->order[i]] = i;
    }
    s->n = r.n;
    s->filter = (item_filter){.job = s->job, .fixed = s->prefix, .max_support = UINT64_MAX};
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
    spill_job s = {.task = task, .engine = engine, .job = task->job, .whole = task->data};
    spool *all = s.whole->spool, *none = NULL;
    uint64_t read_before = all ? atomic_load(&all->n_read) : 0;
    s.mem = &task->job->mem;
    s.weighted = s.whole->weights || s.whole->weighted;
    s.cut = task->options->target == LODE_TARGET_ALL || task->options->target == LODE_TARGET_TOP;
    s.first = task->job->at.first;
    s.part = task->job->at.part;
    LODE_TRY(spill_check(task));
    LODE_TRY(spill_rank(&s));
    spill_part whole = {.end = s.n, .to = 1};
    status = spill_mine_part(&s, &whole, &none);
done:
    progress_begin_step(&task->job->at, s.first, s.part);
    mem_drop(s.mem, &s.kept);
    spill_report(&s, read_before);
    return status;
}
