/* builder_finish.c - makes a data set from the blocks of all workers; see builder.h
 *
 * If there are only integers, their codes are the ids. Otherwise all names and integers that occur
 * go into one dictionary, which is sorted into print order; tables then translate the codes of each
 * worker to ids, and all threads rewrite the blocks in place.
 *
 *     worker 0: pear apple          dictionary  apple fig pear       table of worker 0: 2 0
 *     worker 1: fig apple                       0     1   2          table of worker 1: 1 0
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/sort.h"
#include "data/transactions/builder.h"
#include "data/transactions/builder_state.h"
#include "runtime/parallel.h"

#define TEXT_PER_ITEM  4 /* bytes; this and the next are guesses for data that was not read */
#define ITEMS_PER_LINE 8
#define JOIN_ASK_EVERY 16384 /* names between two looks at whether the job was cancelled */

static builder_totals builder_sum(const builder *b) {
    builder_totals sum = {0};
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_totals *t = &b->workers[i].totals;
        sum.n_transactions += t->n_transactions;
        sum.n_empty += t->n_empty;
        sum.n_occurrences += t->n_occurrences;
        sum.n_repeated += t->n_repeated;
        sum.n_skipped += t->n_skipped;
        sum.n_weightless += t->n_weightless;
        if (t->longest > sum.longest) sum.longest = t->longest;
    }
    return sum;
}

/* ---- Too little memory: say how much there should be ---- */

static size_t builder_number_bound(const builder *b) {
    size_t bound = 0;
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_worker *w = &b->workers[i];
        size_t n = w->n_counts;
        while (n > bound && w->counts[n - 1] == 0) n--;
        if (n > bound) bound = n;
    }
    return bound;
}

static bool builder_has_number(const builder *b, size_t number) {
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_worker *w = &b->workers[i];
        if (number < w->n_counts && w->counts[number] > 0) return true;
    }
    return false;
}

/* Bytes of the tables of the worker that has most of them; *names: those of dictionaries only. */
static uint64_t builder_worker_bytes(const builder *b, uint64_t *names) {
    uint64_t most = 0;
    *names = 0;
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_worker *w = &b->workers[i];
        uint64_t own = w->names ? dict_bytes(w->names) + w->name_counts.n * 16 : 0;
        if (own > *names) *names = own;
        if (own + w->n_counts * 4 > most) most = own + w->n_counts * 4;
    }
    return most;
}

/* Returns the smallest budget, at least `total`, that is enough to read the data and to keep `data`
 * bytes. It is found by iteration, because the memory for reading grows with the budget. */
static uint64_t builder_reading_bytes(const builder *b, uint64_t data, uint64_t total) {
    uint64_t names = 0, tables = builder_worker_bytes(b, &names);
    data += 2 * names; /* the joint dictionary is copied while it is sorted */
    if (!b->scratch) return data + tables > total ? data + tables : total;
    for (int step = 0; step < 64; step++) {
        uint64_t scratch = b->scratch((size_t)total, b->job->threads, tables);
        if (data + scratch <= total) break;
        total = data + scratch;
    }
    return total;
}

/* Memory of the data set itself. */
static uint64_t builder_data_bytes(const builder *b, const builder_totals *t) {
    uint64_t kept = 4 * (t->n_occurrences + t->n_transactions), names;
    builder_worker_bytes(b, &names);
    uint64_t notes = 3 * b->notes_bytes; /* of blocks, and joined with ends of twice the width */
    return kept + kept / 64 + names + notes + builder_number_bound(b) * 12 + 65536;
}

/* Counts items that reach the threshold of the expected job. Names are counted per worker: a name
 * that is frequent overall reaches a worker's share of the threshold in at least one of them. */
static job_sizes builder_sizes(const builder *b, const builder_totals *t) {
    lode_threshold threshold = b->job->expected.min_support;
    uint64_t least =
        threshold.numerator > 0 ? lode_threshold_count(threshold, t->n_transactions) : 1;
    uint64_t share = (least + b->n_workers - 1) / b->n_workers;
    job_sizes s = {.n_transactions = t->n_transactions, .longest = t->longest};
    size_t bound = builder_number_bound(b);
    for (size_t number = 0; number < bound; number++) {
        uint64_t count = 0;
        for (unsigned i = 0; i < b->n_workers; i++) {
            if (number < b->workers[i].n_counts) count += b->workers[i].counts[number];
        }
        s.n_items += count >= least;
        s.n_occurrences += count >= least ? count : 0;
    }
    s.item_bound = bound;
    for (unsigned i = 0; i < b->n_workers; i++) {
        const vec_u32 *counts = &b->workers[i].name_counts;
        for (size_t k = 0; k < counts->n; k++) s.n_items += counts->data[k] >= share;
        s.item_bound += counts->n;
        if (counts->n > 0) s.n_occurrences = t->n_occurrences;
    }
    return s;
}

/* Returns the memory for mining in addition to the data; without an expected job, that of lists of
 * all items. */
static uint64_t builder_mining_bytes(const builder *b, const builder_totals *t) {
    job_sizes sizes = builder_sizes(b, t);
    if (t->n_transactions != builder_sum(b).n_transactions) sizes.n_occurrences = t->n_occurrences;
    if (sizes.n_items == 0) sizes.n_items = t->n_occurrences / ITEMS_PER_LINE;
    if (b->job->forecast) return b->job->forecast(b->job, &sizes);
    return (3 * t->n_occurrences + 3 * t->n_transactions + 32 * sizes.item_bound) *
           sizeof(uint32_t);
}

/* Extrapolates the totals from the share of the text that was read, plus one eighth to be safe. If
 * nothing was read, estimates them from the length of the text. */
static builder_totals builder_extrapolate(builder_totals t, double read, uint64_t text_bytes) {
    if (t.n_transactions == 0) {
        t.n_occurrences = text_bytes / TEXT_PER_ITEM;
        t.n_transactions = t.n_occurrences / ITEMS_PER_LINE + 1;
    } else if (read < 1) {
        t.n_occurrences = (uint64_t)((double)t.n_occurrences / read * 1.125);
        t.n_transactions = (uint64_t)((double)t.n_transactions / read * 1.125);
    }
    return t;
}

/* If transactions may go to disk: reports the refused amount, and what the names need at the
 * end. */
static lode_status builder_explain_spill(builder *b) {
    uint64_t names = 0, tables = builder_worker_bytes(b, &names);
    uint64_t refused = mem_refused(mem_tightest(b->mem));
    return job_over_budget(b->job, refused + refused / 4 + tables + 2 * names,
                           "reading %s, even with --spill,", b->source);
}

lode_status builder_explain_budget(builder *b, double read, uint64_t text_bytes) {
    if (b->spill && read < 1) return builder_explain_spill(b);
    builder_totals seen = builder_sum(b), t = builder_extrapolate(seen, read, text_bytes);
    uint64_t data = builder_data_bytes(b, &t), mining = builder_mining_bytes(b, &t);
    if (read < 1) data += mem_refused(mem_tightest(b->mem));
    uint64_t all = builder_reading_bytes(b, data, data + mining);
    char items[FIGURE_BYTES], transactions[FIGURE_BYTES];
    if (read < 1) return job_over_budget(b->job, all, "%s", b->source);
    return job_over_budget(b->job, all, "%s, with %s items in %s transactions,", b->source,
                           figure_count(t.n_occurrences, items),
                           figure_count(t.n_transactions, transactions));
}

/* ---- One numbering for all ---- */

typedef struct builder_join {
    builder *b;
    dict *names;
    bool numeric;
    uint32_t *numbers; /* integer -> id */
    size_t n_numbers;
    uint32_t **tables; /* for each worker: its name -> id */
    uint32_t *new_ids; /* id before sorting -> id */
    mem_kept kept;     /* these three */
    uint64_t *supports;
    uint32_t bound;
    _Atomic size_t next_block;
    _Atomic uint64_t n_merged; /* items dropped because another of the transaction has their name */
} builder_join;

static void join_clear(builder_join *j) {
    mem *m = j->b->mem;
    mem_drop(m, &j->kept);
}

/* Adds an item to the joint dictionary, by the name it is printed with. */
static lode_status join_add(builder_join *j, const char *item, size_t n, uint32_t *id) {
    const builder *b = j->b;
    if (dict_count(j->names) % JOIN_ASK_EVERY == 1 && job_is_cancelled(b->job)) {
        return LODE_CANCELLED;
    }
    uint32_t alias = b->alias_from ? dict_find(b->alias_from, item, n) : DICT_NONE;
    if (alias != DICT_NONE) item = dict_name(b->alias_to, b->alias_ids.data[alias], &n);
    return dict_add(j->names, item, n, id);
}

static lode_status join_numbers(builder_join *j) {
    lode_status status = LODE_OK;
    size_t n_numbers = builder_number_bound(j->b);
    LODE_TRY(
        mem_keep_zero(j->b->mem, &j->kept, (void **)&j->numbers, n_numbers * sizeof *j->numbers));
    j->n_numbers = n_numbers;
    for (size_t number = 0; number < n_numbers; number++) {
        if (!builder_has_number(j->b, number)) continue;
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%zu", number);
        LODE_TRY(join_add(j, digits, (size_t)n, &j->numbers[number]));
    }
done:
    return status;
}

static lode_status join_names(builder_join *j) {
    lode_status status = LODE_OK;
    builder *b = j->b;
    mem *m = b->mem;
    LODE_TRY(mem_keep_zero(m, &j->kept, (void **)&j->tables, b->n_workers * sizeof *j->tables));
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_worker *w = &b->workers[i];
        size_t count = w->name_counts.n;
        LODE_TRY(mem_keep_zero(m, &j->kept, (void **)&j->tables[i], count * sizeof(uint32_t)));
        for (uint32_t id = 0; id < count; id++) {
            size_t n;
            const char *name = dict_name(w->names, id, &n);
            LODE_TRY(join_add(j, name, n, &j->tables[i][id]));
        }
    }
done:
    return status;
}

/* Puts the sorted ids into the tables, and adds up the workers' counts. */
static lode_status join_count(builder_join *j) {
    for (size_t number = 0; number < j->n_numbers; number++) {
        if (builder_has_number(j->b, number)) j->numbers[number] = j->new_ids[j->numbers[number]];
    }
    for (unsigned i = 0; i < j->b->n_workers; i++) {
        const builder_worker *w = &j->b->workers[i];
        for (size_t x = 0; x < w->n_counts && x < j->n_numbers; x++) {
            if (w->counts[x] > 0) j->supports[j->numbers[x]] += w->counts[x];
        }
        for (uint32_t id = 0; id < w->name_counts.n; id++) {
            if (id % JOIN_ASK_EVERY == 1 && job_is_cancelled(j->b->job)) return LODE_CANCELLED;
            j->tables[i][id] = j->new_ids[j->tables[i][id]];
            j->supports[j->tables[i][id]] += w->name_counts.data[id];
        }
    }
    return LODE_OK;
}

/* Drops items that repeat in a sorted row; returns how many are left. */
static uint32_t join_unique(builder_join *j, uint32_t *items, uint32_t n) {
    uint32_t kept = n > 0;
    for (uint32_t i = 1; i < n; i++) {
        if (items[i] != items[kept - 1]) {
            items[kept++] = items[i];
        } else {
            __atomic_fetch_sub(&j->supports[items[i]], 1, __ATOMIC_RELAXED);
            atomic_fetch_add_explicit(&j->n_merged, 1, memory_order_relaxed);
        }
    }
    return kept;
}

/* Rewrites the codes of a block as ids, in place. */
static void join_rewrite(builder_join *j, builder_block *block) {
    data_block *d = &block->data;
    const uint32_t *table = j->tables[block->worker];
    uint32_t from = 0;
    uint32_t to = 0;
    for (uint32_t t = 0; t < d->n; t++) {
        uint32_t n = d->offsets[t + 1] - from;
        uint32_t *row = d->items + to;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t code = d->items[from + i];
            row[i] = code < BUILDER_NAME_BASE ? j->numbers[code] : table[code - BUILDER_NAME_BASE];
        }
        from += n;
        sort_u32(row, n);
        to += join_unique(j, row, n);
        d->offsets[t + 1] = to;
    }
}

/* The same, and returns the memory of dropped items. */
static lode_status join_rewrite_block(builder_join *j, builder_block *block) {
    data_block *d = &block->data;
    mem *m = j->b->mem;
    join_rewrite(j, block);
    if (d->in_slab) return LODE_OK;
    size_t bytes = data_block_bytes(d);
    lode_status status = mem_resize(m, (void **)&d->offsets, d->own_bytes, bytes);
    if (status != LODE_OK) return status;
    d->own_bytes = bytes;
    d->items = d->offsets + d->n + 1;
    return LODE_OK;
}

static lode_status join_rewrite_some(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    builder_join *j = arg;
    (void)worker;
    for (;;) {
        size_t i = atomic_fetch_add(&j->next_block, 1);
        if (i >= j->b->n_blocks) return LODE_OK;
        if (job_is_cancelled(j->b->job)) return LODE_CANCELLED;
        builder_block *block = &j->b->blocks[i];
        if (block->data.n == 0) continue;
        LODE_TRY(join_rewrite_block(j, block));
    }
done:
    return status;
}

static lode_status builder_join_names(builder *b, builder_join *j) {
    lode_status status = LODE_OK;
    mem *m = b->mem;
    LODE_TRY(dict_create(m, &j->names));
    dict_stop_by(j->names, job_sort_stop(b->job));
    LODE_TRY(join_numbers(j));
    LODE_TRY(join_names(j));
    uint32_t n = dict_count(j->names);
    LODE_TRY(mem_zalloc(m, (void **)&j->supports, n * sizeof *j->supports));
    j->bound = n;
    LODE_TRY(mem_keep_zero(m, &j->kept, (void **)&j->new_ids, n * sizeof *j->new_ids));
    LODE_TRY(dict_sort(j->names, j->new_ids, &j->numeric));
    LODE_TRY(join_count(j));
    unsigned threads = b->n_blocks < b->job->threads ? (unsigned)b->n_blocks : b->job->threads;
    LODE_TRY(parallel_run(b->job, threads, false, join_rewrite_some, j));
done:
    return status;
}

/* Integers are their own ids: only the counts have to be added up. */
static lode_status builder_join_numbers(builder *b, builder_join *j) {
    size_t bound = builder_number_bound(b);
    lode_status status = mem_zalloc(b->mem, (void **)&j->supports, bound * sizeof *j->supports);
    if (status != LODE_OK) return status;
    j->bound = (uint32_t)bound;
    j->numeric = true;
    for (unsigned i = 0; i < b->n_workers; i++) {
        const builder_worker *w = &b->workers[i];
        for (size_t x = 0; x < w->n_counts && x < bound; x++) j->supports[x] += w->counts[x];
    }
    return LODE_OK;
}

/* ---- On disk ---- */

/* Whether the data leave too little memory for mining, as far as can be estimated. */
static bool builder_is_tight(const builder *b, const builder_totals *t) {
    uint64_t most = b->job->spill_most;
    if (atomic_load(&b->spool)) return false;
    if (most > 0 && t->n_occurrences > most) return true;
    return mem_left(b->mem) != SIZE_MAX && builder_mining_bytes(b, t) > mem_left(b->mem);
}

/* Moves the blocks to disk where memory has no room for them and for mining them. */
static lode_status builder_relieve(builder *b, const builder_totals *t) {
    bool gained;
    return b->spill && builder_is_tight(b, t) ? builder_give_up(b, &gained) : LODE_OK;
}

/* Brings the transactions on disk to the numbering of the data set. */
static lode_status builder_finish_spool(builder *b, const builder_join *j, builder_spooled *out) {
    builder_codes codes = {.numbers = j->numbers,
                           .tables = (const uint32_t *const *)j->tables,
                           .supports = j->supports,
                           .n_supports = j->bound};
    return atomic_load(&b->spool) ? builder_settle_spool(b, &codes, out) : LODE_OK;
}

/* The data set has the spool from now on. */
static lode_status builder_move_spool(builder *b, lode_dataset *data) {
    if (b->spill) {
        lode_status status =
            vec_char_append(data->mem, &data->spill, b->spill, strlen(b->spill) + 1);
        if (status != LODE_OK) return status;
    }
    data->spool = atomic_load(&b->spool);
    data->weighted = data->spool && b->weighted;
    atomic_store(&b->spool, NULL);
    return LODE_OK;
}

/* ---- The data set ---- */

/* ---- Weights and ids ---- */

static lode_status builder_room_for_notes(const builder *b, lode_dataset *data, uint64_t n) {
    lode_status status = LODE_OK;
    size_t ids = 0;
    bool weighted = false, named = false;
    for (size_t i = 0; i < b->n_blocks; i++) {
        const builder_notes *notes = &b->blocks[i].notes;
        size_t words = b->blocks[i].data.n * ((size_t)notes->weighted + notes->named);
        weighted |= notes->weighted;
        named |= notes->named;
        ids += notes->bytes - (notes->bytes > 0 ? words * sizeof *notes->words : 0);
    }
    if (weighted) {
        LODE_TRY(mem_zalloc(data->mem, (void **)&data->weights, (size_t)n * sizeof(uint32_t)));
    }
    if (!named) goto done;
    LODE_TRY(mem_zalloc(data->mem, (void **)&data->ids.text, ids));
    data->ids.bytes = ids;
    LODE_TRY(mem_zalloc(data->mem, (void **)&data->ids.ends, (size_t)n * sizeof(uint64_t)));
done:
    return status;
}

/* Moves the weights and ids of all blocks to the data set, whose n_transactions is set. */
static lode_status builder_join_notes(builder *b, lode_dataset *data) {
    uint64_t t = 0, at = 0;
    lode_status status = builder_room_for_notes(b, data, data->profile.n_transactions);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < b->n_blocks; i++) {
        builder_notes *notes = &b->blocks[i].notes;
        const uint32_t n = b->blocks[i].data.n;
        const uint32_t *ends = notes->words + (notes->weighted ? n : 0);
        for (uint32_t k = 0; data->weights && k < n; k++) {
            data->weights[t + k] = notes->weighted ? notes->words[k] : 1;
        }
        for (uint32_t k = 0; data->ids.ends && k < n; k++) {
            data->ids.ends[t + k] = at + (notes->named ? ends[k] : 0);
        }
        if (notes->named && n > 0) {
            if (ends[n - 1] > 0) memcpy(data->ids.text + at, ends + n, ends[n - 1]);
            at += ends[n - 1];
        }
        t += n;
        mem_free(b->mem, notes->words, notes->bytes);
        *notes = (builder_notes){0};
    }
    return LODE_OK;
}

/* Moves the blocks to the data set, except those without transactions. */
static lode_status builder_move_blocks(builder *b, lode_dataset *data) {
    size_t n = 0;
    for (size_t i = 0; i < b->n_blocks; i++) n += b->blocks[i].data.n > 0;
    lode_status status = mem_zalloc(data->mem, (void **)&data->blocks, n * sizeof *data->blocks);
    if (status != LODE_OK) return status;
    data->n_blocks = n;
    data->slabs = b->slabs;
    b->slabs = (data_slabs){0};
    uint64_t first = 0;
    for (size_t i = 0, at = 0; i < b->n_blocks; i++) {
        data_block block = b->blocks[i].data;
        b->blocks[i].data = (data_block){0};
        if (block.n == 0) continue;
        block.first = first;
        first += block.n;
        data->blocks[at++] = block;
    }
    return LODE_OK;
}

static bool blocks_add_up(const lode_dataset *data, const builder_totals *t, uint64_t n_merged) {
    uint64_t n = 0, occurrences = 0;
    if (data->spool) {
        n = atomic_load(&data->spool->n_rows);
        occurrences = atomic_load(&data->spool->n_items);
    }
    for (size_t i = 0; i < data->n_blocks; i++) {
        n += data->blocks[i].n;
        occurrences += data->blocks[i].offsets[data->blocks[i].n];
    }
    return n == t->n_transactions && occurrences + n_merged == t->n_occurrences;
}

static void builder_fill_profile(lode_dataset *data, const builder_totals *t, uint64_t n_merged) {
    lode_profile *p = &data->profile;
    p->n_transactions = t->n_transactions;
    p->n_empty = t->n_empty;
    p->n_occurrences = t->n_occurrences - n_merged;
    p->n_repeated = t->n_repeated + n_merged;
    p->n_skipped = t->n_skipped;
    p->longest = t->longest;
    for (uint32_t i = 0; i < data->item_bound; i++) p->n_items += data->item_supports[i] > 0;
    if (n_merged == 0) return;
    p->longest = 0;
    for (size_t i = 0; i < data->n_blocks; i++) {
        const data_block *block = &data->blocks[i];
        for (uint32_t k = 0; k < block->n; k++) {
            uint32_t length = block->offsets[k + 1] - block->offsets[k];
            if (length > p->longest) p->longest = length;
        }
    }
}

static bool builder_needs_names(const builder *b) {
    for (unsigned i = 0; i < b->n_workers; i++) {
        if (b->workers[i].name_counts.n > 0) return true;
    }
    return b->alias_from != NULL;
}

/* Frees the workers' scratch memory, to make room for the dictionaries. */
static void builder_shed(builder *b) {
    for (unsigned i = 0; i < b->n_workers; i++) {
        builder_worker *w = &b->workers[i];
        vec_u32_free(w->mem, &w->items);
        vec_u32_free(w->mem, &w->ends);
        vec_u32_free(w->mem, &w->buckets);
        vec_u32_free(w->mem, &w->owners);
    }
}

lode_status builder_finish(builder *b, lode_dataset **out) {
    lode_status status = LODE_OK;
    builder_join join = {.b = b};
    builder_spooled spooled = {0};
    lode_dataset *data = NULL;
    builder_totals totals = builder_sum(b);

    if (totals.n_transactions > UINT32_MAX) {
        LODE_LEAVE(job_fail(b->job, LODE_UNSUPPORTED,
                            "%s has %" PRIu64 " transactions; at most 2^32 - 1 are supported",
                            b->source, totals.n_transactions));
    }
    builder_shed(b);
    if (atomic_load(&b->over)) LODE_LEAVE(LODE_BUDGET);
    LODE_TRY(builder_relieve(b, &totals));
    if (builder_needs_names(b)) {
        LODE_TRY(builder_join_names(b, &join));
    } else {
        LODE_TRY(builder_join_numbers(b, &join));
    }
    LODE_TRY(builder_finish_spool(b, &join, &spooled));
    join.n_merged += spooled.n_merged;
    LODE_TRY(mem_zalloc(b->mem, (void **)&data, sizeof *data));
    data->home = ctx_home_hold(b->home);
    data->mem = b->mem;
    data->profile.n_transactions = totals.n_transactions;
    LODE_TRY(prepared_store_create(data->home, &data->prepared));
    LODE_TRY(builder_join_notes(b, data));
    LODE_TRY(builder_move_blocks(b, data));
    LODE_TRY(builder_move_spool(b, data));
    LODE_REQUIRE(b->job, blocks_add_up(data, &totals, atomic_load(&join.n_merged)),
                 "blocks of transactions were lost while reading");
    data->item_bound = join.bound;
    data->item_supports = join.supports;
    data->total_weight = totals.n_transactions;
    builder_fill_profile(data, &totals, atomic_load(&join.n_merged));
    if (data->spool && spooled.n_merged > 0) data->profile.longest = spooled.longest;
    if (data->weights) dataset_weigh(data);
    if (data->weighted) data->total_weight = spooled.total_weight;
    const char *broken = "";
    LODE_DEBUG_CHECK(data->spool || dataset_validate_blocks(data, &broken), "%s", broken);
    if (mem_left(data->mem) != SIZE_MAX) {
        uint64_t used = mem_used(mem_tightest(data->mem));
        job_note_need(b->job, used + builder_mining_bytes(b, &totals));
    }
    join.supports = NULL;
    if (join.names) join_clear(&join); /* frees the tables, because the next call takes memory */
    LODE_TRY(dataset_take_names(data, join.names, join.numeric));
    join.names = NULL;
    ctx_home_settle(b->home);
    *out = data;
done:
    if (status == LODE_BUDGET) status = builder_explain_budget(b, 1, 0);
    if (join.names) join_clear(&join);
    if (status != LODE_OK) {
        if (data) lode_dataset_free(data);
        mem_free(b->mem, join.supports, join.bound * sizeof *join.supports);
        dict_free(join.names);
    }
    return status;
}
