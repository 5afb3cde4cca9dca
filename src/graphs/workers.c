/* workers.c - see workers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/workers.h"

#include "base/host.h"
#include "graphs/early.h"
#include "graphs/emit.h"
#include "graphs/graph_branch.h"
#include "graphs/growth.h"
#include "graphs/node.h"
#include "graphs/scan.h"
#include "graphs/search.h"
#include "graphs/search_tuning.h"
#include "runtime/parallel.h"

static lode_status open_worker(worker *w) {
    lode_status status = LODE_OK;
    search *s = w->s;
    mem *m = &s->job->mem;
    size_t bytes = s->no_cursors ? 0 : s->store.n_vertices * sizeof *w->position_of;
    code_init(&w->code, s->job, s->store.reverse);
    LODE_TRY(list_stack_create(&w->lists, m, s->space / 4 * 3));
    LODE_TRY(list_stack_create(&w->scratch, m, s->space / 8));
    LODE_TRY(list_stack_create(&w->growths, m, s->space / 8));
    LODE_TRY(mem_resize(m, (void **)&w->position_of, 0, bytes));
    if (bytes > 0) memset(w->position_of, 0xff, bytes);
    w->mute = s->surveys;
    if (!s->surveys) LODE_TRY(graph_sink_open_worker(s->task->sink, &w->sink));
done:
    return status;
}

static lode_status close_worker(worker *w) {
    search *s = w->s;
    mem *m = &s->job->mem;
    lode_status status = s->surveys ? LODE_OK : sink_close_worker(w->sink);
    progress_flush(&s->job->at, &w->progress);
    w->sink = NULL;
    emit_free(w);
    code_free(&w->code);
    list_stack_free(&w->lists);
    list_stack_free(&w->scratch);
    list_stack_free(&w->growths);
    if (w->position_of) {
        mem_free(m, w->position_of, s->store.n_vertices * sizeof *w->position_of);
    }
    cursor_free(w);
    scan_free(w);
    growth_free(w);
    mem_free(m, w->open, w->open_cap * sizeof *w->open);
    vec_u64_free(m, &w->counts);
    vec_u32_free(m, &w->given);
    return status;
}

/* What a thread does: searches from roots, then helps those that are not done. */
static lode_status workers_run_one(void *arg, unsigned index) {
    search *s = arg;
    worker *w = &s->workers[index];
    lode_status status = open_worker(w);
    if (status == LODE_OK && index == 0 && search_has_vertices(s)) status = emit_vertices(w);
    if (status == LODE_OK && s->options->max_vertices > 1) status = search_roots(w);
    search_fail(s, status);
    atomic_fetch_sub(&s->busy, 1);
    while (atomic_load(&s->busy) > 0 && !lease_gives(s->job)) {
        lode_status stolen = LODE_OK;
        bool found = status == LODE_OK && search_steal(w, &stolen);
        if (!found) search_pause();
        if (status == LODE_OK) status = stolen;
    }
    return status;
}

/* As many workers as there are threads, but no more than the budget has memory for. */
static unsigned count_workers(const search *s) {
    const lode_job *job = s->job;
    if (s->surveys) return 1;
    unsigned n = job->threads < PARALLEL_MAX ? job->threads : PARALLEL_MAX;
    size_t left = mem_left(&job->mem);
    uint64_t most = left / graphs_lists_bytes(s->store.n_half / 2);
    return most >= n ? n : most > 1 ? (unsigned)most : 1;
}

/* Allocates the workers, which are not open yet. */
static lode_status make_workers(search *s) {
    lode_status status = LODE_OK;
    lode_job *job = s->job;
    unsigned n = count_workers(s);
    uint64_t space = host_address_space() / 4 * 3; /* the rest is for everything else */
    s->space = (space < LIST_STACK_SPACE ? space : LIST_STACK_SPACE) / n;
    s->growths_most = mem_left(&job->mem) / GROWTH_SHARE / n;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&s->workers, n * sizeof *s->workers));
    s->n_workers = n;
    for (unsigned i = 0; i < n; i++) {
        s->workers[i].s = s;
        s->workers[i].index = i;
        pthread_mutex_init(&s->workers[i].lock, NULL);
    }
done:
    return status;
}

static lode_status start_workers(search *s) {
    lode_status status = make_workers(s);
    if (status != LODE_OK) return status;
    atomic_store(&s->busy, s->n_workers);
    return parallel_run(s->job, s->n_workers, true, workers_run_one, s);
}

lode_status workers_open(search *s) {
    lode_status status = LODE_OK;
    LODE_TRY(make_workers(s));
    for (unsigned i = 0; i < s->n_workers; i++) LODE_TRY(open_worker(&s->workers[i]));
done:
    return status;
}

static uint32_t least_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

lode_status workers_take_store(search *s) {
    lode_status status = store_take(s->task, &s->store, &s->stored);
    if (status != LODE_OK) return status;
    uint32_t first = s->store.first_triple, n = s->store.n_triples - first;
    s->root_first = first + least_of(s->options->root_first, n);
    s->root_end = first + (s->options->root_end ? least_of(s->options->root_end, n) : n);
    if (s->root_end < s->root_first) s->root_end = s->root_first;
    atomic_store(&s->next_root, s->root_first);
    s->n_words = (s->store.n_graphs + 63) / 64;
    size_t bytes = ((size_t)s->root_end - s->root_first + 1) * sizeof *s->root_spans;
    status = mem_zalloc(&s->job->mem, (void **)&s->root_spans, bytes);
    if (status == LODE_OK) {
        spans_of_roots(&s->store, s->root_first, s->root_end, s->root_spans);
    }
    return status;
}

lode_status workers_close(search *s, lode_status status) {
    engine_report *r = s->task->report;
    for (unsigned i = 0; i < s->n_workers; i++) {
        worker *w = &s->workers[i];
        r->candidates += w->candidates;
        r->frequent_extensions += w->frequent;
        r->codes_tested += w->code.n_tests;
        r->occurrences += w->occurrences;
        lode_status closed = close_worker(w);
        if (status == LODE_OK) status = closed;
        pthread_mutex_destroy(&w->lock);
    }
    mem_free(&s->job->mem, s->workers, s->n_workers * sizeof *s->workers);
    early_close(s);
    branch_close_groups(s);
    size_t spans = ((size_t)s->root_end - s->root_first + 1) * sizeof *s->root_spans;
    mem_free(&s->job->mem, s->root_spans, s->root_spans ? spans : 0);
    prepared_drop(s->job, s->stored);
    return status;
}

static void workers_init(search *s, engine_task *task, bool join) {
    *s = (search){.task = task, .options = task->graphs.options, .job = task->job, .join = join};
    s->break_symmetry = join && search_breaks_symmetry(task->graphs.options);
    s->merge_twins = s->break_symmetry && !search_checks_closure(s->options) &&
                     !s->options->induced && !s->options->embeddings;
}

lode_status workers_search(engine_task *task, bool join) {
    lode_status status = LODE_OK;
    search s;
    workers_init(&s, task, join);
    LODE_TRY(workers_take_store(&s));
    LODE_TRY(branch_open_groups(&s));
    early_open(&s);
    status = start_workers(&s);
    task->report->n_threads = s.n_workers;
done:
    return workers_close(&s, status);
}

lode_status workers_divide(engine_task *task, branch_list *into) {
    lode_status status = LODE_OK;
    search s;
    engine_report *report = task->report, unseen = {0};
    workers_init(&s, task, true);
    s.surveys = true;
    task->report = &unseen; /* the search counts the same again */
    LODE_TRY(workers_take_store(&s));
    early_open(&s);
    LODE_TRY(workers_open(&s));
    status = branch_divide_graphs(&s.workers[0], into);
done:
    status = workers_close(&s, status);
    task->report = report;
    return status;
}

/* how a search divides its share of the progress among its branches (runtime/progress.h). */

#define SPANS_SAMPLE 256 /* occurrences of a triple that are sampled */

/* Edges by which an occurrence of a triple, at one end, can be extended. */
static double span_edges_at(const store *s, uint32_t vertex, uint32_t type) {
    return s->offsets[vertex + 1] - store_first(s, vertex, type);
}

/* About how many extensions the occurrences of a triple have. */
static double root_weight(const store *s, uint32_t triple) {
    size_t begin = s->roots_at[triple], n = s->roots_at[triple + 1] - begin;
    size_t step = n > SPANS_SAMPLE ? n / SPANS_SAMPLE : 1, looked = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i += step, looked++) {
        uint32_t v = s->roots[begin + i], k = store_first(s, v, 2 * triple);
        sum += span_edges_at(s, v, 2 * triple) + span_edges_at(s, s->half[k].to, 2 * triple) - 2;
    }
    return looked ? sum / (double)looked * (double)n + 1 : 1;
}

void spans_of_roots(const store *s, uint32_t first, uint32_t end, double *spans) {
    double sum = 0;
    for (uint32_t t = first; t < end; t++) sum += spans[t - first] = root_weight(s, t);
    for (uint32_t t = first; t < end; t++) spans[t - first] /= sum;
}
