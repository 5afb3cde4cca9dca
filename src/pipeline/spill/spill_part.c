/* spill_part.c - see spill_part.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/spill_part.h"

#include <stdio.h>

#include "base/check.h"
#include "pipeline/spill/spill_roots.h"
#include "pipeline/spill/spill_rows.h"

/* ---- how much -------------------------------------------------------------------------------- */

/* What mining a part takes: the data, the first thread, and every other one. */
typedef struct part_figures {
    uint64_t data, first, each;
} part_figures;

/* Estimates the memory of a part. The engine's figure includes one path from the root to a leaf.
 * Each thread gets twice that, because a search that runs out of memory cannot start again. */
static part_figures part_need(const spill_job *s, uint64_t n_rows, uint64_t n_occurrences,
                              uint32_t n_items, bool weighted) {
    engine_sizes sizes = {.threads = 1, .target = s->task->items.options->target};
    sizes.data = (job_sizes){.n_transactions = n_rows,
                             .n_items = n_items,
                             .n_occurrences = n_occurrences,
                             .item_bound = s->n,
                             .longest = s->whole->profile.longest};
    uint64_t rows = n_rows * (weighted ? 3u : 1u); /* weights are collected, then copied */
    bool least = s->engine->least && !weighted;
    uint64_t engine = least ? s->engine->least(&sizes) : s->engine->need(&sizes);
    uint64_t path = engine / SPILL_PATH;
    uint64_t items = n_items * SPILL_ITEM_BYTES, bound = s->n;
    part_figures f = {.first = engine + path + 2 * items + bound * sizeof(uint32_t)};
    f.first += SPILL_THREAD_BYTES;
    f.each = 2 * path + items + SPILL_THREAD_BYTES;
    f.data =
        (n_occurrences + rows + SPILL_BLOCK_ITEMS) * sizeof(uint32_t) + bound * sizeof(uint64_t);
    return f;
}

/* The additional threads for which a group should have room. */
static uint64_t part_more_threads(const spill_job *s) {
    uint64_t most = mem_budget(s->mem) / SPILL_THREADS_SHARE / SPILL_THREAD_BYTES;
    uint64_t more = s->job->threads > 0 ? s->job->threads - 1 : 0;
    if (more > SPILL_THREADS - 1) more = SPILL_THREADS - 1;
    return more < most ? more : most;
}

uint64_t spill_need(const spill_job *s, uint64_t n_rows, uint64_t n_occurrences, uint32_t n_items) {
    part_figures f = part_need(s, n_rows, n_occurrences, n_items, s->weighted);
    return f.data + f.first + part_more_threads(s) * f.each;
}

/* Supports of the whole data are known. */
static void part_count_known(const spill_job *s, spill_counts *c) {
    const lode_profile *p = &s->whole->profile;
    for (uint32_t i = 0; i < s->n; i++) {
        c->supports[i] = (uint32_t)s->whole->item_supports[s->order[i]];
    }
    c->n_rows = p->n_transactions;
}

static lode_status part_count_rows(spill_job *s, const spill_part *part, spill_counts *c) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, s, part, NULL);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        c->n_rows++;
        for (uint32_t i = 0; i < rows.n; i++) c->supports[rows.items[i]] += rows.weight;
    }
done:
    spill_rows_close(&rows);
    return status;
}

lode_status spill_count(spill_job *s, const spill_part *part, spill_counts *out) {
    lode_status status = LODE_OK;
    spill_counts c = {0};
    uint64_t least = spill_least(s);
    uint32_t bound = s->cut ? part->end : s->n;
    LODE_TRY(mem_zalloc(s->mem, (void **)&c.supports, s->n * sizeof *c.supports));
    if (part->run) {
        LODE_TRY(part_count_rows(s, part, &c));
        LODE_DEBUG_CHECK(c.n_rows == atomic_load(&part->run->n_rows),
                         "%llu rows were read instead of %llu", (unsigned long long)c.n_rows,
                         (unsigned long long)atomic_load(&part->run->n_rows));
    } else {
        part_count_known(s, &c);
    }
    for (uint32_t i = 0; i < s->n_prefix; i++) c.supports[s->numbers[s->prefix[i]]] = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (i >= bound || c.supports[i] < least) c.supports[i] = 0;
        if (c.supports[i] == 0) continue;
        c.n_items++;
        bool within = i >= part->first && i < part->end;
        c.n_within += within;
        c.n_roots += within && spill_is_root(s, i);
        c.n_occurrences += c.supports[i];
    }
    uint64_t most = part->run ? atomic_load(&part->run->n_items) : s->whole->profile.n_occurrences;
    if (c.n_occurrences > most) c.n_occurrences = most; /* of weighted transactions */
    *out = c;
    c.supports = NULL;
done:
    spill_counts_free(s, &c);
    return status;
}

void spill_counts_free(spill_job *s, spill_counts *c) {
    mem_free(s->mem, c->supports, c->supports ? s->n * sizeof *c->supports : 0);
    *c = (spill_counts){0};
}

/* ---- into memory ----------------------------------------------------------------------------- */

/* A data set that is being made of the rows of a part. */
typedef struct part_maker {
    spill_job *s;
    lode_dataset *to;
    vec_u32 items, ends; /* the block that is being filled */
    vec_u32 weights;     /* of all rows so far */
    bool weighted;       /* there are such */
    merge_table merged;  /* where rows are, if equal ones become one */
    size_t blocks_cap;
    uint64_t n_done; /* rows in earlier blocks */
} part_maker;

/* An empty data set whose items are numbers, which take less than the ids of sparse data. */
static lode_status maker_begin(part_maker *m) {
    lode_status status = LODE_OK;
    const spill_job *s = m->s;
    ctx_home *home = NULL;
    LODE_TRY(ctx_home_create(s->job, &home));
    LODE_TRY(mem_zalloc(&home->mem, (void **)&m->to, sizeof *m->to));
    lode_dataset *to = m->to;
    to->home = home;
    to->mem = &home->mem;
    home = NULL;
    to->numeric = true;
    to->order = s->same;
    to->n_order = s->n;
    LODE_TRY(prepared_store_create(to->home, &to->prepared));
    LODE_TRY(mem_zalloc(to->mem, (void **)&to->item_supports, s->n * sizeof *to->item_supports));
    to->item_bound = s->n;
done:
    ctx_home_release(home);
    return status;
}

/* Makes a block of the rows that were collected. */
static lode_status maker_end_block(part_maker *m) {
    lode_dataset *to = m->to;
    uint32_t n = (uint32_t)m->ends.n;
    if (n == 0) return LODE_OK;
    lode_status status = LODE_OK;
    data_block block = {.first = m->n_done, .n = n};
    if (to->n_blocks == m->blocks_cap) {
        LODE_TRY(vec_grow(to->mem, (void **)&to->blocks, to->n_blocks, &m->blocks_cap, 1,
                          sizeof *to->blocks));
    }
    block.own_bytes = ((size_t)n + 1 + m->items.n) * sizeof *block.offsets;
    LODE_TRY(mem_resize(to->mem, (void **)&block.offsets, 0, block.own_bytes));
    block.items = block.offsets + n + 1;
    block.offsets[0] = 0;
    memcpy(block.offsets + 1, m->ends.data, n * sizeof *block.offsets);
    if (m->items.n > 0) memcpy(block.items, m->items.data, m->items.n * sizeof *block.items);
    to->blocks[to->n_blocks++] = block;
    m->n_done += n;
    m->items.n = m->ends.n = 0;
done:
    return status;
}

/* Whether the row in a slot is this one. */
static bool maker_is_row(const part_maker *m, const merge_slot *at, const spill_rows *rows) {
    bool filled = at->block < m->to->n_blocks;
    const uint32_t *items = filled ? m->to->blocks[at->block].items : m->items.data;
    const uint32_t *ends = filled ? m->to->blocks[at->block].offsets + 1 : m->ends.data;
    uint32_t start = at->row > 0 ? ends[at->row - 1] : 0;
    if (ends[at->row] - start != rows->n) return false;
    return memcmp(items + start, rows->items, rows->n * sizeof *items) == 0;
}

/* Adds the row to one that is equal; else notes where it will be, and *merged stays false. */
static lode_status maker_merge_row(part_maker *m, const spill_rows *rows, bool *merged) {
    lode_status status = merge_table_reserve(m->s->mem, &m->merged);
    if (status != LODE_OK) return status;
    uint64_t hash = merge_hash(rows->items, rows->n);
    size_t i = merge_first(&m->merged, hash);
    for (; m->merged.slots[i].hash != 0; i = merge_next(&m->merged, i)) {
        const merge_slot *at = &m->merged.slots[i];
        if (at->hash != hash || !maker_is_row(m, at, rows)) continue;
        bool filled = at->block < m->to->n_blocks;
        uint64_t first = filled ? m->to->blocks[at->block].first : m->n_done;
        m->weights.data[first + at->row] += rows->weight;
        for (uint32_t k = 0; k < rows->n; k++) {
            m->to->item_supports[rows->items[k]] += rows->weight;
        }
        m->to->total_weight += rows->weight;
        *merged = true;
        return LODE_OK;
    }
    m->merged.slots[i] = (merge_slot){hash, (uint32_t)m->to->n_blocks, (uint32_t)m->ends.n};
    m->merged.n++;
    return LODE_OK;
}

static lode_status maker_add(part_maker *m, const spill_rows *rows) {
    lode_status status = LODE_OK;
    mem *own = m->s->mem;
    lode_profile *p = &m->to->profile;
    bool merged = false;
    if (m->merged.slots) LODE_TRY(maker_merge_row(m, rows, &merged));
    if (merged) return LODE_OK;
    LODE_TRY(vec_u32_reserve(own, &m->items, rows->n));
    LODE_TRY(vec_u32_reserve(own, &m->ends, 1));
    if (m->weighted) LODE_TRY(vec_u32_push(own, &m->weights, rows->weight));
    for (uint32_t i = 0; i < rows->n; i++) {
        m->items.data[m->items.n++] = rows->items[i];
        m->to->item_supports[rows->items[i]] += rows->weight;
    }
    m->ends.data[m->ends.n++] = (uint32_t)m->items.n;
    m->to->total_weight += rows->weight;
    p->n_transactions++;
    p->n_occurrences += rows->n;
    if (rows->n > p->longest) p->longest = rows->n;
    if (m->items.n + m->ends.n >= SPILL_BLOCK_ITEMS) LODE_TRY(maker_end_block(m));
done:
    return status;
}

/* Shrinks arrays to the sizes that they will be freed with. */
static lode_status maker_end(part_maker *m) {
    lode_status status = LODE_OK;
    lode_dataset *to = m->to;
    size_t bytes = (size_t)to->profile.n_transactions * sizeof *to->weights;
    LODE_TRY(maker_end_block(m));
    LODE_TRY(mem_resize(to->mem, (void **)&to->blocks, m->blocks_cap * sizeof *to->blocks,
                        to->n_blocks * sizeof *to->blocks));
    m->blocks_cap = to->n_blocks;
    if (m->weighted) {
        LODE_TRY(mem_resize(to->mem, (void **)&to->weights, 0, bytes));
        if (bytes > 0) memcpy(to->weights, m->weights.data, bytes);
    }
    for (uint32_t i = 0; i < to->item_bound; i++) to->profile.n_items += to->item_supports[i] > 0;
done:
    return status;
}

/* Frees a data set that was not completed. */
static void maker_give_up(part_maker *m) {
    lode_dataset *to = m->to;
    if (!to) return;
    for (size_t i = 0; i < to->n_blocks; i++) data_block_free(to->mem, &to->blocks[i]);
    mem_free(to->mem, to->blocks, m->blocks_cap * sizeof *to->blocks);
    to->blocks = NULL;
    to->n_blocks = 0;
    if (!to->weights) to->profile.n_transactions = 0;
    lode_dataset_free(to);
}

static lode_status maker_fill_rows(part_maker *m, const spill_part *part, const spill_counts *c) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, m->s, part, c);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        if (spill_rows_hit(&rows)) LODE_TRY(maker_add(m, &rows));
    }
    status = maker_end(m);
done:
    spill_rows_close(&rows);
    return status;
}

#if LODE_DEBUG
/* The data of a part: sound blocks, whose weights add up. */
static void part_validate(const lode_dataset *data) {
    const char *broken = NULL;
    uint64_t weight = data->weights ? 0 : data->profile.n_transactions;
    LODE_DEBUG_CHECK(dataset_validate_blocks(data, &broken), "%s", broken);
    for (uint64_t t = 0; data->weights && t < data->profile.n_transactions; t++) {
        weight += data->weights[t];
    }
    LODE_DEBUG_CHECK(weight == data->total_weight,
                     "the weights of the transactions add up to %llu instead of %llu",
                     (unsigned long long)weight, (unsigned long long)data->total_weight);
    for (uint32_t i = 0; i < data->item_bound; i++) {
        LODE_DEBUG_CHECK(data->item_supports[i] <= weight,
                         "the support of item %u exceeds the total", i);
    }
}
#endif

static lode_status part_load(spill_job *s, const spill_part *part, const spill_counts *c,
                             lode_dataset **out) {
    lode_status status = LODE_OK;
    part_maker m = {.s = s, .weighted = s->weighted || part->merge};
    LODE_TRY(maker_begin(&m));
    if (part->merge) LODE_TRY(merge_table_open(s->mem, &m.merged));
    LODE_TRY(maker_fill_rows(&m, part, c));
    LODE_VALIDATE(part_validate(m.to));
    *out = m.to;
    m.to = NULL;
done:
    maker_give_up(&m);
    vec_u32_free(s->mem, &m.items);
    vec_u32_free(s->mem, &m.ends);
    vec_u32_free(s->mem, &m.weights);
    merge_table_close(s->mem, &m.merged);
    return status;
}

/* ---- the prefix ------------------------------------------------------------------------------ */

void spill_set_prefix(spill_job *s) {
    s->filter.n_fixed = s->n_prefix;
    sink_set_filter(s->task->sink, &s->filter);
}

/* Whether the target asks for the prefix itself. */
static bool prefix_is_wanted(const spill_job *s, const spill_counts *c, uint64_t total) {
    lode_target target = s->task->items.options->target;
    if (total < spill_least(s)) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (target == LODE_TARGET_CLOSED && c->supports[i] == total) return false;
        if (target == LODE_TARGET_MAXIMAL && c->supports[i] > 0) return false;
    }
    return true;
}

lode_status spill_emit_prefix(spill_job *s, const spill_counts *c, uint64_t total) {
    return prefix_is_wanted(s, c, total) ? sink_add_fixed(s->task->sink, total) : LODE_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Roots that are searched: those of [first, end) that the job has, and all below `free`. */
typedef struct part_range {
    uint32_t first, free, end;
    bool all; /* the job has all of them */
} part_range;

static bool range_has(const spill_job *s, const part_range *r, uint32_t number) {
    return number < r->free || r->all || s->roots[number];
}

/* Takes the rarest consecutive roots out of the range. Returns false if there are none. */
static bool range_take(const spill_job *s, part_range *r, part_range *taken) {
    while (r->end > r->first && !range_has(s, r, r->end - 1)) r->end--;
    if (r->end == r->first) return false;
    *taken = *r;
    while (r->end > r->first && range_has(s, r, r->end - 1)) r->end--;
    taken->first = r->end;
    return true;
}

/* The range of roots, counted from the rarest of the items that are frequent in the part. */
static void part_roots(const spill_job *s, const part_range *range, const lode_dataset *data,
                       uint64_t least, lode_mine_options *o) {
    uint32_t within = 0, above = 0;
    for (uint32_t i = range->first; i < s->n; i++) {
        if (data->item_supports[i] < least) continue;
        within += i < range->end;
        above += i >= range->end;
    }
    o->root_first = above;
    o->root_end = above + within;
}

/* Sizes without those of the prefix, which the sink adds. */
static void part_sizes(const spill_job *s, lode_mine_options *o) {
    uint32_t n = s->n_prefix;
    if (o->max_size != UINT32_MAX) o->max_size -= n < o->max_size ? n : o->max_size - 1;
    o->min_size = o->min_size > n ? o->min_size - n : 1;
}

/* Adds the engine's report of a part to that of the earlier parts. */
static void part_report(const spill_job *s, const engine_report *before) {
    engine_report *r = s->task->report;
    r->nodes += before->nodes;
    if (before->n_threads > r->n_threads) r->n_threads = before->n_threads;
    r->frequent_items = s->n;
    memcpy(r->why, before->why, sizeof r->why); /* engines add to these two for every part */
    memcpy(r->note, before->note, sizeof r->note);
}

/* As many threads as there is room for, now that the data are in memory. */
static unsigned part_threads(const spill_job *s, const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    size_t left = mem_left(s->mem);
    if (left == SIZE_MAX) return s->job->threads;
    part_figures f = part_need(s, p->n_transactions, p->n_occurrences, (uint32_t)p->n_items,
                               data->weights != NULL);
    uint64_t more = left > f.first ? (left - f.first) / f.each : 0;
    return more + 1 < s->job->threads ? (unsigned)more + 1 : s->job->threads;
}

/* Has the engine search the sets whose rarest item is in the range, without the prefix. */
static lode_status part_search_range(spill_job *s, const part_range *range,
                                     const lode_dataset *data) {
    engine_task task = *s->task;
    engine_report before = *s->task->report;
    lode_mine_options o = *s->task->items.options;
    task.min_count = spill_least(s);
    task.items.data = data;
    part_roots(s, range, data, task.min_count, &o);
    if (o.root_end == o.root_first || s->n_prefix >= o.max_size) return LODE_OK;
    part_sizes(s, &o);
    task.items.options = &o;
    task.parts.branches = NULL;
    task.request.root_first = o.root_first;
    task.request.root_end = o.root_end;
    unsigned threads = s->job->threads;
    s->job->threads = part_threads(s, data);
    lode_status status = s->engine->run(&task);
    s->job->threads = lease_width(s->job, threads);
    part_report(s, &before);
    return status;
}

static lode_status part_search(spill_job *s, part_range range, const lode_dataset *data) {
    lode_status status = LODE_OK;
    part_range next;
    while (range_take(s, &range, &next)) {
        LODE_DEBUG_CHECK(next.first < next.end && range.end == next.first,
                         "the range of roots is empty, or does not begin where the range before it "
                         "ends: %u to %u",
                         next.first, next.end);
        LODE_TRY(part_search_range(s, &next, data));
    }
done:
    return status;
}

/* ---- items in every transaction -------------------------------------------------------------- */

/* Moves items in every transaction of the data to the prefix. *last: the largest number of them. */
static void part_set_aside(spill_job *s, lode_dataset *data, uint32_t *last) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (data->item_supports[i] != data->total_weight) continue;
        s->prefix[s->n_prefix++] = s->order[i];
        data->item_supports[i] = 0;
        *last = i;
    }
}

/* Whether another item is frequent. */
static bool part_has_more(const spill_job *s, const lode_dataset *data) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (data->item_supports[i] >= spill_least(s)) return true;
    }
    return false;
}

/* The roots of a part. */
static part_range part_range_of(const spill_job *s, const spill_part *part) {
    return (part_range){
        .first = part->first, .end = part->end, .all = !s->roots || s->n_prefix > 0};
}

/* For closed and maximal sets, which contain all items that are in every transaction. Engines
 * expect data without such items, so these become part of the prefix. If one of them is rarer than
 * the roots, all sets belong to its group, and nothing is left here. If one is a root, any item may
 * be the rarest of the others, and the prefix alone may be a set as well. */
static lode_status part_search_whole(spill_job *s, const spill_part *part, lode_dataset *data) {
    lode_status status = LODE_OK;
    uint32_t n_before = s->n_prefix, last = 0;
    part_range rest = part_range_of(s, part);
    part_set_aside(s, data, &last);
    if (s->n_prefix == n_before) return part_search(s, rest, data);
    bool within = last >= part->first && last < part->end,
         among = within && range_has(s, &rest, last);
    bool alone = s->task->items.options->target == LODE_TARGET_CLOSED || !part_has_more(s, data);
    spill_set_prefix(s);
    if (within) rest.first = among ? 0 : last;
    if (among) rest.free = last;
    if (among && alone) LODE_TRY(sink_add_fixed(s->task->sink, data->total_weight));
    if (last < part->end) status = part_search(s, rest, data);
done:
    s->n_prefix = n_before;
    spill_set_prefix(s);
    return status;
}

/* Whether the merged data are small enough; for other parts this is known before. */
static bool part_has_room(const spill_job *s, const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    uint64_t most = s->job->spill_most;
    part_figures f = part_need(s, p->n_transactions, p->n_occurrences, (uint32_t)p->n_items,
                               data->weights != NULL);
    return f.first <= mem_left(s->mem) && (most == 0 || p->n_occurrences <= most);
}

lode_status spill_mine(spill_job *s, const spill_part *part, const spill_counts *c, bool *again) {
    lode_status status = LODE_OK;
    lode_dataset *data = NULL;
    uint64_t before = lode_sink_patterns(s->task->sink);
    LODE_TRY(part_load(s, part, c, &data));
    if (data->profile.n_transactions == 0) goto done;
    if (part->merge && !part_has_room(s, data)) LODE_LEAVE(LODE_BUDGET);
    status =
        s->cut ? part_search(s, part_range_of(s, part), data) : part_search_whole(s, part, data);
done:
    lode_dataset_free(data);
    *again = status == LODE_BUDGET && lode_sink_patterns(s->task->sink) == before;
    if (*again) job_clear_message(s->job);
    return *again ? LODE_OK : status;
}
