/* adaptive.c - the adaptive miner: a representation to fit each conditional database
 *
 * Problem:  all frequent itemsets, or only the closed, maximal or generator ones, on any data.
 * Method:   depth first, the rarest item first, so that conditional databases shrink at once. Each
 *           is kept in the shape that is cheapest to search (adaptive.h). Items in every
 *           transaction of a prefix are set aside, and combined with each set at the output. Equal
 *           transactions are merged with weights where that is cheap. The last few items of every
 *           branch are not searched at all but counted together, as a lattice.
 * After:    occurrence deliver and the merging of transactions: Uno, Kiyomi, Arimura: LCM ver. 3,
 *           2005. Rows of bits: Zaki: Scalable algorithms for association mining, 2000.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/os.h"
#include "data/transactions/vertical.h"
#include "itemsets/adaptive/branch.h"
#include "itemsets/adaptive/generators.h"
#include "itemsets/adaptive/lattice.h"
#include "itemsets/adaptive/plan.h"
#include "itemsets/adaptive/rules.h"
#include "itemsets/adaptive/span.h"
#include "itemsets/adaptive/twins.h"
#include "itemsets/adaptive/walk.h"
#include "itemsets/rows/rowwise.h"
#include "runtime/parallel.h"

typedef struct adaptive_run {
    engine_task *task;
    adaptive_root root;
    unsigned n_threads;
    generators_tree generators; /* for that target */
    tasks tasks;
    adaptive_plan plan;         /* hands out the items of the root */
    adaptive_branches branches; /* the branches to search, if the search is divided */
    root_giver giver;
    bool surveys; /* nothing is searched: it is divided */
    bool begun;   /* the patterns known before the search were reported */
    _Atomic uint64_t nodes;
} adaptive_run;

/* Nothing is searched below single items. */
static const shape_ops *const adaptive_shapes[N_SHAPE_KINDS] = {[SHAPE_LISTS] = &lists_shape,
                                                                [SHAPE_ROWS] = &rows_shape,
                                                                [SHAPE_WORDS] = &words_shape,
                                                                [SHAPE_LATTICE] = &lattice_shape,
                                                                [SHAPE_STRIPS] = &strips_shape};

/* ---- a worker ------------------------------------------------------------------------------ */

static size_t earlier_count_bytes(const adaptive *a) {
    bool used = a->wanted.target == LODE_TARGET_MAXIMAL && !a->wanted.rules;
    return used ? WORD_ITEMS * sizeof *a->scratch.earlier_counts << LATTICE_ITEMS : 0;
}

/* Codes are also the table that strips are gathered in. */
static size_t item_code_bytes(const adaptive *a, size_t n) {
    return ((n < GATHER_TABLE ? GATHER_TABLE : n) + LATTICE_LANES) * sizeof *a->scratch.item_codes;
}

static lode_status adaptive_worker_take_rows(adaptive *a, const database *root) {
    size_t counts = (size_t)ROOT_BLOCK * root->items.n * sizeof *a->root.block.counts;
    a->root.rows = root;
    if (root->items.n * root->rows.words * sizeof *root->rows.rows < ROOT_BLOCK_BYTES) {
        return LODE_OK;
    }
    return arena_take(&a->arena, counts, (void **)&a->root.block.counts);
}

static lode_status adaptive_worker_open(adaptive *a, adaptive_run *run, unsigned index) {
    lode_status status = LODE_OK;
    mem *m = &run->task->job->mem;
    size_t n = run->root.n_frequent + (size_t)1;
    const engine_items *items = &run->task->items;
    const engine_branches *branches = run->task->parts.branches;
    *a = (adaptive){
        .task = run->task,
        .job = run->task->job,
        .kernels = adaptive_kernels_pick(),
        .shapes = adaptive_shapes,
        .wanted = {.target = items->options->target,
                   .keeps_earlier = adaptive_task_keeps_earlier(run->task),
                   .counts_earlier = items->rules || items->options->target == LODE_TARGET_MAXIMAL,
                   .rules = items->rules,
                   .max_size = adaptive_task_longest(run->task),
                   .sample = items->sample},
        .root = {.rank = run->root.rank, .n_always = run->root.n_always},
        .path.mute = run->surveys,
        .sharing = {.tasks = run->n_threads > 1 ? &run->tasks : NULL,
                    .giver = branches && branches->give ? &run->giver : NULL},
        .progress.owner = index == 0};
    arena_init(&a->arena, m);
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->path.prefix, (void **)&a->path.prefix));
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->path.perfect, (void **)&a->path.perfect));
    if (run->root.db.shape == SHAPE_ROWS) LODE_TRY(adaptive_worker_take_rows(a, &run->root.db));
    LODE_TRY(
        mem_zalloc(m, (void **)&a->scratch.lattice, sizeof *a->scratch.lattice << LATTICE_ITEMS));
    LODE_TRY(mem_zalloc(m, (void **)&a->scratch.lattice_common,
                        sizeof *a->scratch.lattice_common << LATTICE_ITEMS));
    LODE_TRY(mem_zalloc(m, (void **)&a->scratch.earlier_counts, earlier_count_bytes(a)));
    LODE_TRY(mem_zalloc(m, (void **)&a->scratch.item_counts, n * sizeof *a->scratch.item_counts));
    LODE_TRY(mem_zalloc(m, (void **)&a->scratch.item_codes, item_code_bytes(a, n)));
    if (a->wanted.target == LODE_TARGET_GENERATORS) {
        LODE_TRY(generators_open(a, &run->generators, run->root.n_frequent));
    }
    LODE_TRY(twins_open(a, run->root.twins, run->root.n_frequent));
    if (run->surveys) return LODE_OK;
    LODE_TRY(a->wanted.rules ? rules_open(a, &run->root)
                             : sink_open_worker(run->task->sink, &a->out));
done:
    return status;
}

#if LODE_DEBUG
static bool bytes_are_zero(const void *block, size_t bytes) {
    const char *at = block;
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != 0) return false;
    }
    return true;
}

/* After a search that succeeded, all that is promised to be zero between two nodes is. */
static void adaptive_validate(const adaptive *a, size_t n) {
    LODE_DEBUG_CHECK(bytes_are_zero(a->scratch.item_counts, n * sizeof *a->scratch.item_counts),
                     "counters of items are not zero after the search");
    LODE_DEBUG_CHECK(bytes_are_zero(a->scratch.item_codes, item_code_bytes(a, n)),
                     "codes of items are not zero after the search");
    LODE_DEBUG_CHECK(bytes_are_zero(a->scratch.earlier_counts, earlier_count_bytes(a)),
                     "counters of earlier items are not zero after the search");
}
#endif

static lode_status adaptive_worker_close(adaptive *a, const adaptive_run *run, lode_status status) {
    mem *m = &run->task->job->mem;
    size_t n = run->root.n_frequent + (size_t)1;
    if (status == LODE_OK) LODE_VALIDATE(adaptive_validate(a, n));
    lode_status closed = LODE_OK;
    if (!run->surveys)
        closed = a->wanted.rules ? rules_close(a, &run->root) : sink_close_worker(a->out);
    mem_free(m, a->scratch.lattice, sizeof *a->scratch.lattice << LATTICE_ITEMS);
    mem_free(m, a->scratch.lattice_common, sizeof *a->scratch.lattice_common << LATTICE_ITEMS);
    mem_free(m, a->scratch.earlier_counts, earlier_count_bytes(a));
    mem_free(m, a->scratch.item_counts, n * sizeof *a->scratch.item_counts);
    mem_free(m, a->scratch.item_codes, item_code_bytes(a, n));
    arena_clear(&a->arena);
    return status != LODE_OK ? status : closed;
}

/* ---- the empty prefix ------------------------------------------------------------------------ */

/* Returns how many of the most frequent items are counted as a lattice. With a root range there are
 * none, because the range may begin or end among them. */
static uint32_t root_lattice_items(const adaptive *a, const adaptive_root *root) {
    return root->is_range ? 0 : shape_lattice_items(a, &root->db);
}

static bool root_wants(const adaptive_root *root, uint32_t rank) {
    return !root->wanted || root->wanted[rank];
}

/* Whether each single item is reported only when its branch is searched. Otherwise an item whose
 * branch goes to another process would be reported twice. */
static bool root_reports_late(const adaptive_root *root) {
    return root->wanted && root->db.shape != SHAPE_SINGLES;
}

/* Sets up the empty prefix: items in every transaction are its perfect extensions or, for closed
 * and maximal sets, part of the prefix. */
static void root_begin(adaptive *a, const adaptive_root *root) {
    if (a->wanted.rules) {
        rules_begin(a, root);
        return;
    }
    uint32_t *to = a->wanted.keeps_earlier ? a->path.prefix : a->path.perfect;
    a->path.n_prefix = a->path.n_perfect = 0;
    if (root->n_always == 0 || a->generators) return; /* no generator has any of them */
    memcpy(to, root->always, root->n_always * sizeof *to);
    *(a->wanted.keeps_earlier ? &a->path.n_prefix : &a->path.n_perfect) = root->n_always;
}

/* Reports the items in every transaction as one set, if the target asks for it. That set belongs to
 * the branch of the last of them. */
static lode_status root_emit_always(adaptive *a, const adaptive_root *root, uint64_t all) {
    bool wanted = a->wanted.target == LODE_TARGET_CLOSED || root->items.n == 0;
    bool within = root->always_to == root->n_always && root->always_from < root->always_to &&
                  root_wants(root, root->n_always - 1);
    if (!within || !wanted) return LODE_OK;
    root_begin(a, root);
    a->path.n_prefix--;
    return adaptive_emit_one(a, a->path.prefix[a->path.n_prefix], (uint32_t)all);
}

/* Reports all sets of items that are in every transaction, then all single items. */
static lode_status root_emit_singles(adaptive *a, const adaptive_root *root, uint64_t all) {
    lode_status status = LODE_OK;
    const item_list *items = &root->items;
    arena_mark mark = arena_here(&a->arena);
    pending single;
    root_begin(a, root);
    uint32_t n_perfect = a->path.n_perfect, low = root_lattice_items(a, root);
    for (uint32_t i = root->always_from; i < root->always_to && n_perfect > 0; i++) {
        if (!root_wants(root, i)) continue;
        a->path.n_perfect = i; /* each with any of those before it */
        LODE_TRY(adaptive_emit_one(a, root->always[i], (uint32_t)all));
    }
    a->path.n_perfect = n_perfect;
    LODE_TRY(pending_take(a, items->n, &single));
    for (uint32_t i = low > root->from ? low : root->from; i < root->to; i++) {
        if (root_reports_late(root) || !root_wants(root, root->n_always + i)) continue;
        pending_add(&single, items->ids[i], items->supports[i]);
    }
    LODE_TRY(pending_emit(a, &single));
done:
    arena_return(&a->arena, mark);
    return status;
}

/* Reports what is known before the search, so that an interrupted search has at least this
 * result. */
static lode_status root_emit(adaptive *a, const adaptive_root *root, uint64_t all) {
    lode_status status = LODE_OK;
    uint32_t n = root_lattice_items(a, root);
    if (a->wanted.rules) {
        LODE_TRY(rules_emit_always(a, root, all));
    } else {
        LODE_TRY(a->wanted.keeps_earlier ? root_emit_always(a, root, all)
                                         : root_emit_singles(a, root, all));
    }
    root_begin(a, root);
    if (n > 0) status = lattice_search_first(a, &root->db, n);
done:
    return status;
}

/* Takes one item of the slice after the other, until there is none left. */
static lode_status root_search(adaptive *a, adaptive_run *run) {
    lode_status status = LODE_OK;
    const adaptive_root *root = &run->root;
    uint32_t item;
    if (!a->shapes[root->db.shape]) return LODE_OK;
    root_begin(a, root);
    while ((plan_has_taken(a) || !lease_gives(a->job)) && plan_take(&run->plan, a, root, &item)) {
        if (item < root_lattice_items(a, root)) {
            span_leave(a);
            continue;
        }
        root_begin(a, root);
        LODE_TRY(walk_root(a, &root->db, item, root_reports_late(root)));
        span_leave(a);
        root_begin(a, root);
    }
done:
    return status;
}

/* Searches one branch with a prefix after the other. */
static lode_status branches_search(adaptive *a, adaptive_run *run) {
    lode_status status = LODE_OK;
    const adaptive_root *root = &run->root;
    const engine_branch *b;
    if (!a->shapes[root->db.shape]) return LODE_OK;
    while (!lease_gives(a->job) && (b = branch_take(&run->branches))) {
        root_begin(a, root);
        a->progress.span = run->branches.work > 0 ? b->work / run->branches.work : 0;
        LODE_TRY(walk_branch(a, &root->db, b));
        span_leave(a);
    }
done:
    return status;
}

/* Takes a branch that no worker has begun, for another process. */
static bool run_take_root(void *arg, engine_branch *out) {
    adaptive_run *run = arg;
    const adaptive_root *root = &run->root;
    const engine_branch *b = branch_take_last(&run->branches);
    uint32_t first, end;
    if (b) *out = *b;
    if (b) return true;
    if (!plan_cut(&run->plan, root, &first, &end)) return false;
    *out = (engine_branch){.first = root->n_always + first, .end = root->n_always + end};
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static lode_status adaptive_worker_work(adaptive *a, adaptive_run *run, unsigned index) {
    lode_status status = LODE_OK;
    tasks_item item;
    if (index == 0 && !run->begun) {
        LODE_TRY(root_emit(a, &run->root, run->task->items.data->total_weight));
    }
    LODE_TRY(branches_search(a, run));
    LODE_TRY(root_search(a, run));
    if (run->n_threads == 1) goto done;
    /* tasks_begin() has counted the items of the root as one task for each worker. */
    bool gives = false;
    while (!(gives = lease_gives(a->job)) && tasks_take(&run->tasks, true, &item)) {
        const database *db = share_take(a, item.record);
        arena_mark mark = arena_here(&a->arena);
        status = a->generators ? generators_jump(a) : LODE_OK;
        if (status == LODE_OK) status = walk_search(a, db);
        arena_return(&a->arena, mark);
        span_leave(a);
        share_free(&a->job->mem, item.record);
        LODE_TRY(status);
    }
    if (gives) tasks_leave(&run->tasks); /* the others go on */
done:
    return status;
}

static lode_status adaptive_run_worker(void *arg, unsigned index) {
    adaptive_run *run = arg;
    lode_status status = LODE_OK;
    adaptive a = {0};
    LODE_TRY(adaptive_worker_open(&a, run, index));
    status = adaptive_worker_work(&a, run, index);
done:
    if (status != LODE_OK && run->n_threads > 1) tasks_abort(&run->tasks);
    progress_flush(&run->task->job->at, &a.progress.unreported);
    atomic_fetch_add_explicit(&run->nodes, a.progress.nodes, memory_order_relaxed);
    return adaptive_worker_close(&a, run, status);
}

/* As many threads as there is room for, and one in any case. */
static void adaptive_limit_threads(adaptive_run *run) {
    engine_task *task = run->task;
    size_t left = mem_left(&task->job->mem);
    if (left == SIZE_MAX || run->n_threads == 1) return;
    engine_sizes sizes = engine_task_sizes(task);
    uint64_t each = adaptive_path_need(adaptive_base_need(&sizes), &sizes);
    uint64_t most = left / each;
    if (most >= run->n_threads) return;
    size_t n = strlen(task->report->note);
    if (!run->begun) {
        snprintf(task->report->note + n, sizeof task->report->note - n,
                 "%sthe memory budget is enough for only %llu of %u threads", n > 0 ? "; " : "",
                 most > 1 ? (unsigned long long)most : 1ULL, run->n_threads);
    }
    run->n_threads = most > 1 ? (unsigned)most : 1;
}

static lode_status adaptive_run_threads(adaptive_run *run) {
    tasks_item left;
    run->n_threads = lease_width(run->task->job, run->n_threads);
    adaptive_limit_threads(run);
    tasks_init(&run->tasks);
    tasks_begin(&run->tasks, run->n_threads);
    tasks_close(&run->tasks);
    lode_status status =
        parallel_run(run->task->job, run->n_threads, true, adaptive_run_worker, run);
    while (tasks_drain(&run->tasks, &left)) share_free(&run->task->job->mem, left.record);
    tasks_clear(&run->tasks);
    return status;
}

/* Tells the user what the search starts from. */
static void adaptive_explain(const adaptive_run *run) {
    const adaptive_root *root = &run->root;
    char percent[FIGURE_BYTES];
    engine_report *report = run->task->report;
    double n = (double)run->task->items.data->total_weight, held = 0;
    for (uint32_t i = 0; i < root->items.n; i++) held += root->items.supports[i];
    size_t length = strlen(report->why);
    if (root->items.n == 0) return;
    const shape_ops *s = adaptive_shapes[root->db.shape];
    snprintf(report->why + length, sizeof report->why - length,
             "; starts from %s: %u frequent items, density %s%%", s ? s->name : "single items",
             root->n_frequent, figure_percent(held / n / root->items.n, percent));
}

/* Searches slice by slice; mostly there is only one. */
static lode_status adaptive_run_slices(adaptive_run *run) {
    lode_status status = LODE_OK;
    adaptive_root *root = &run->root;
    engine_times *times = &run->task->report->times;
    for (bool more = true; more;) {
        plan_begin(&run->plan, root->first);
        branch_begin(&run->branches, root);
        double start = os_seconds();
        LODE_TRY(adaptive_run_threads(run));
        run->begun = true;
        times->counting += os_seconds() - start;
        start = os_seconds();
        LODE_TRY(adaptive_root_next(root, run->task, &more));
        times->preprocess += os_seconds() - start;
    }
done:
    return status;
}

/* ---- the engine ---------------------------------------------------------------------------- */

static lode_status adaptive_run_items(engine_task *task) {
    lode_status status = LODE_OK;
    engine_report *report = task->report;
    adaptive_run run = {.task = task, .n_threads = task->job->threads};
    double start = os_seconds();
    LODE_TRY(adaptive_root_open(&run.root, task));
    report->times.preprocess += os_seconds() - start;
    adaptive_explain(&run);
    if (task->items.options->target == LODE_TARGET_GENERATORS) {
        bool sure = run.n_threads > 1 || run.root.is_range || task->items.sample;
        LODE_TRY(generators_tree_open(&run.generators, &run.root, task, sure));
    }
    if (task->items.sample) run.n_threads = 1; /* a branch that is shared does not know its root */
    LODE_TRY(plan_open(&run.plan, &run.root, task));
    LODE_TRY(branch_open(&run.branches, &run.root, task));
    if (task->parts.branches) {
        double work = run.branches.work;
        plan_narrow(&run.plan, &run.root, work > 0 ? run.branches.at_root / work : 1);
    }
    run.giver = (root_giver){run_take_root, &run};
    status = adaptive_run_slices(&run);
    report->n_threads = run.n_threads;
    report->n_devices = 1;
    report->frequent_items = run.root.n_frequent;
    report->nodes = run.nodes;
done:
    branch_close(&run.branches, &run.root, &task->job->mem);
    plan_close(&run.plan, &task->job->mem);
    generators_tree_close(&run.generators);
    adaptive_root_close(&run.root, task);
    return status;
}

/* One worker examines the root and the parts below its heaviest items, and reports nothing. */
static lode_status adaptive_divide(engine_task *task, branch_list *into) {
    lode_status status = LODE_OK;
    adaptive_run run = {.task = task, .n_threads = 1, .surveys = true};
    adaptive a = {0};
    bool opened = false;
    LODE_TRY(adaptive_root_open(&run.root, task));
    if (task->items.options->target == LODE_TARGET_GENERATORS) {
        LODE_TRY(generators_tree_open(&run.generators, &run.root, task, true));
    }
    LODE_TRY(plan_open(&run.plan, &run.root, task));
    plan_begin(&run.plan, run.root.first);
    opened = true;
    LODE_TRY(adaptive_worker_open(&a, &run, 0));
    root_begin(&a, &run.root);
    if (a.shapes[run.root.db.shape]) {
        uint32_t probes = a.root.block.counts ? BRANCH_PROBES_BLOCKS : BRANCH_PROBES;
        LODE_TRY(plan_survey(&run.plan, &a, &run.root, probes));
    }
    status = branch_divide(&a, &run.root, &run.plan, into);
done:
    if (opened) status = adaptive_worker_close(&a, &run, status);
    plan_close(&run.plan, &task->job->mem);
    generators_tree_close(&run.generators);
    adaptive_root_close(&run.root, task);
    return status;
}

/* By items or, where there are few transactions, by these. */
static lode_status adaptive_run_task(engine_task *task) {
    bool done = false;
    lode_status status = rowwise_run(task, &done);
    return status != LODE_OK || done ? status : adaptive_run_items(task);
}

/* The memory for lists in two or three slices, which is not much slower than all lists at once, and
 * for the conditional databases of one thread. Other threads start as far as there is room for
 * them. */
static uint64_t adaptive_need(const engine_sizes *s) {
    uint64_t root = adaptive_base_need(s), path = adaptive_path_need(root, s);
    bool lists = s->data.n_items > WORD_ITEMS;
    bool earlier = adaptive_keeps_earlier(s->target, s->rules);
    uint64_t more = s->target == LODE_TARGET_GENERATORS ? occurrences_need(s) : 0;
    return (lists && !earlier ? root / 2 : root) + path + more + s->threads * s->data.n_items * 4;
}

/* Rows may take 1 / ROWS_SHARE of what is left; the rest is for the conditional databases, the
 * first of which may have as many columns as the root, if there is one root item. */
static uint64_t adaptive_least(const engine_sizes *s) {
    const job_sizes *d = &s->data;
    uint64_t need = adaptive_need(s);
    root_counts counts = {.transactions = (double)d->n_transactions,
                          .occurrences = (double)d->n_occurrences,
                          .n = (uint32_t)d->n_items,
                          .rows_fit = true};
    if (shape_of_root(&counts) != SHAPE_ROWS) return need;
    uint64_t rows = d->n_items * vertical_row_bytes(d->n_transactions);
    uint64_t least =
        (ROWS_SHARE + 1) * rows + adaptive_path_need(rows, s) + s->threads * d->n_items * 4;
    return least < need ? least : need;
}

/* The work of counting all pairs of items, by rows or by lists. */
static double adaptive_estimate(const engine_task *task) {
    const lode_profile *p = &task->items.data->profile;
    double n = (double)p->n_transactions, items = (double)p->n_items;
    double by_rows = items * items / 2 * n / 64;
    double by_lists = n > 0 ? (double)p->n_occurrences * (double)p->n_occurrences / n / 2 : 0;
    return by_rows < by_lists ? by_rows : by_lists;
}

const lode_engine lode_engine_adaptive = {
    .name = "adaptive",
    .summary = "Chooses a representation for each conditional database: lists, bit rows, words or "
               "subset lattices.",
    .oracle = false,
    .weights = true,
    .ranges = true,
    .rules = true,
    .orders = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL | 1u << LODE_TARGET_GENERATORS,
    .estimate = adaptive_estimate,
    .need = adaptive_need,
    .least = adaptive_least,
    .prepare = adaptive_root_prepare,
    .divide = adaptive_divide,
    .run = adaptive_run_task,
};
