/* group_test.c - see group_test.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/group_test.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

#define TEST_PERMUTATIONS 10000  /* if the options give no number */
#define TEST_GUESS        1e4    /* patterns that a first threshold allows for */
#define BATCH_PATTERNS    512    /* patterns that pass by a block of permutations together … */
#define BATCH_PLACES      262144 /* … unless they have more rows than this */
#define BATCH_FIRST       8      /* of the first batch: the limit is still high */
#define TAILS_KEPT        4096   /* tails that a worker remembers */
#define TARONE_NEVER      (-(INT64_MAX >> 1)) /* below all keys: no hypothesis is tested */

struct group_test {
    lode_job *job;
    const row_classes *classes;
    lode_class_options o;
    uint32_t n_tests, n_rows;
    long double *logs; /* of factorials */
    fisher_test fishers[CLASSES_MOST];
    _Atomic uint64_t *counts; /* by support: patterns that were added */
    fisher_p *least;          /* by support: the smallest key that any of the tests can have */
    _Atomic int64_t limit;    /* hypotheses with a ψ below it are tested; by Tarone: t + 1 */
    _Atomic uint64_t min_count;
    pthread_mutex_t lock; /* guards what follows; and whoever lowers the limit */

    permutations permutations;
    const permute_kernels *kernels;
    _Atomic int64_t *minima; /* by permutation */
    fisher_p *sorted;        /* scratch: a copy of them */
    uint64_t allowed;        /* minima that may be at most p: k of group_test.h */
    _Atomic uint64_t fresh;  /* minima that fell below the limit since it was computed */

    uint32_t from[CLASSES_MOST]; /* Tarone: the lowest support that is tested … */
    uint64_t kappa;              /* … and how many hypotheses that are, in all */
    vec_u64 observed;            /* FDR: keys and supports, in turn */
};

/* ---- opening and closing --------------------------------------------------------------------- */

static bool test_permutes(const group_test *t) {
    return t->o.by == LODE_BY_PERMUTATION;
}

static lode_status test_check(lode_job *job, const row_classes *c, const lode_class_options *o) {
    uint64_t n = o->permutations ? o->permutations : TEST_PERMUTATIONS;
    if (o->by == LODE_BY_PERMUTATION && o->significant * ((double)n + 1) < 1) {
        return job_fail(job, LODE_INVALID,
                        "%llu permutations cannot show significance at the level %g: the smallest "
                        "adjusted p-value is 1/%llu; use --by permutation=%.0f or more",
                        (unsigned long long)n, o->significant, (unsigned long long)n + 1,
                        ceil(1 / o->significant - 1e-9) - 1);
    }
    if (o->by != LODE_BY_PERMUTATION && c->n_strata > 1) {
        return job_fail(job, LODE_INVALID,
                        "--strata requires --by permutation: only permutations can be restricted "
                        "to the transactions of a stratum");
    }
    if (o->by == LODE_BY_FDR && c->n_classes > 2) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "--by fdr compares two classes, and there are %u; use --by tarone or "
                        "--by permutation",
                        c->n_classes);
    }
    return LODE_OK;
}

static lode_status test_open_fishers(group_test *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint32_t n = t->n_rows;
    LODE_TRY(fisher_logs(m, n, &t->logs));
    for (uint32_t c = 0; c < t->n_tests; c++) {
        LODE_TRY(fisher_open(&t->fishers[c], m, t->logs, n, (uint32_t)t->classes->sizes[c],
                             t->o.alternative));
    }
    LODE_TRY(mem_zalloc(m, (void **)&t->counts, ((size_t)n + 1) * sizeof *t->counts));
    LODE_TRY(mem_zalloc(m, (void **)&t->least, ((size_t)n + 1) * sizeof *t->least));
    for (uint32_t c = 0; c < t->n_tests; c++) {
        for (uint32_t x = 0; x <= n; x++) {
            if (t->fishers[c].least[x] < t->least[x]) t->least[x] = t->fishers[c].least[x];
        }
    }
done:
    return status;
}

static lode_status test_open_permutations(group_test *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint64_t n = t->o.permutations;
    t->kernels = permute_kernels_pick();
    t->allowed = (uint64_t)floor(t->o.significant * ((double)n + 1) * (1 + 1e-12)) - 1;
    LODE_TRY(permutations_make(&t->permutations, t->job, t->classes, n, t->o.seed));
    LODE_TRY(mem_zalloc(m, (void **)&t->minima, n * sizeof *t->minima));
    LODE_TRY(mem_zalloc(m, (void **)&t->sorted, n * sizeof *t->sorted));
done:
    return status;
}

lode_status group_test_open(group_test **out, lode_job *job, const row_classes *classes,
                            const lode_class_options *o) {
    lode_status status = LODE_OK;
    group_test *t = NULL;
    LODE_TRY(test_check(job, classes, o));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&t, sizeof *t));
    t->job = job;
    t->classes = classes;
    t->o = *o;
    if (t->o.permutations == 0) t->o.permutations = TEST_PERMUTATIONS;
    t->n_tests = classes_tests(classes);
    t->n_rows = classes->n_rows;
    t->limit = test_permutes(t) ? FISHER_ONE : FISHER_ONE + 1;
    t->min_count = 1;
    pthread_mutex_init(&t->lock, NULL);
    LODE_TRY(test_open_fishers(t));
    if (test_permutes(t)) LODE_TRY(test_open_permutations(t));
    *out = t;
    t = NULL;
done:
    group_test_close(t);
    return status;
}

void group_test_close(group_test *t) {
    if (!t) return;
    mem *m = &t->job->mem;
    size_t rows = (size_t)t->n_rows + 1;
    for (uint32_t c = 0; c < t->n_tests; c++) fisher_close(&t->fishers[c]);
    if (t->logs) mem_free(m, t->logs, rows * sizeof *t->logs);
    if (t->counts) mem_free(m, (void *)t->counts, rows * sizeof *t->counts);
    if (t->least) mem_free(m, t->least, rows * sizeof *t->least);
    permutations_free(&t->permutations);
    if (t->minima) mem_free(m, (void *)t->minima, t->o.permutations * sizeof *t->minima);
    if (t->sorted) mem_free(m, t->sorted, t->o.permutations * sizeof *t->sorted);
    vec_u64_free(m, &t->observed);
    pthread_mutex_destroy(&t->lock);
    mem_free(m, t, sizeof *t);
}

/* ---- the threshold --------------------------------------------------------------------------- */

lode_status group_test_guess(lode_job *job, const row_classes *classes, const lode_class_options *o,
                             uint64_t *support) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    uint32_t n = classes->n_rows;
    double enough = log(o->significant / TEST_GUESS);
    fisher_test f = {.n = n, .alternative = o->alternative};
    long double *logs = NULL;
    *support = 1;
    LODE_TRY(fisher_logs(m, n, &logs));
    f.logs = logs;
    for (uint32_t x = 1; x <= n; x++) {
        for (uint32_t c = 0; c < classes_tests(classes); c++) {
            f.n1 = (uint32_t)classes->sizes[c];
            if (fisher_least(&f, x) > fisher_of_log(enough)) continue;
            *support = x;
            goto done;
        }
    }
done:
    if (logs) mem_free(m, logs, ((size_t)n + 1) * sizeof *logs);
    return status;
}

uint64_t group_test_min_count(const group_test *t) {
    return atomic_load_explicit(&t->min_count, memory_order_relaxed);
}

bool group_test_wants(const group_test *t, uint64_t support) {
    if (support < group_test_min_count(t)) return false;
    if (!test_permutes(t)) return true;
    return t->least[support] < atomic_load_explicit(&t->limit, memory_order_relaxed);
}

fisher_p group_test_keep(const group_test *t) {
    if (!test_permutes(t)) return fisher_of_log(log(t->o.significant));
    return atomic_load_explicit(&t->limit, memory_order_relaxed) - 1;
}

/* Sets a lower limit, and the threshold that follows from it; under the lock. */
static void test_lower(group_test *t, fisher_p limit) {
    uint64_t x = group_test_min_count(t);
    while (x <= t->n_rows && t->least[x] >= limit) x++;
    atomic_store_explicit(&t->limit, limit, memory_order_relaxed);
    atomic_store_explicit(&t->min_count, x, memory_order_relaxed);
}

/* ---- Tarone ---------------------------------------------------------------------------------- */

/* The next value of ψ below t, of any test; false if there is none. */
static bool tarone_next(const group_test *t, fisher_p now, fisher_p *out) {
    bool found = false;
    for (uint32_t c = 0; c < t->n_tests; c++) {
        const fisher_test *f = &t->fishers[c];
        uint32_t x = t->from[c];
        while (x <= t->n_rows && fisher_envelope(f, x) >= now) x++;
        if (x > t->n_rows) continue;
        fisher_p value = fisher_envelope(f, x);
        if (!found || value > *out) *out = value;
        found = true;
    }
    return found;
}

/* Leaves out the hypotheses whose ψ is above `most`. */
static void tarone_drop(group_test *t, fisher_p most) {
    uint64_t least = UINT64_MAX;
    for (uint32_t c = 0; c < t->n_tests; c++) {
        uint32_t *x = &t->from[c];
        while (*x <= t->n_rows && fisher_envelope(&t->fishers[c], *x) > most) {
            t->kappa -= t->counts[(*x)++];
        }
        if (*x < least) least = *x;
    }
    if (least > group_test_min_count(t)) atomic_store(&t->min_count, least);
}

static void tarone_lower(group_test *t) {
    fisher_p now = t->limit - 1, next = now;
    while ((double)t->kappa * fisher_to_p(now) > t->o.significant) {
        if (!tarone_next(t, now, &next)) next = TARONE_NEVER;
        now = next;
        tarone_drop(t, now);
    }
    atomic_store_explicit(&t->limit, now + 1, memory_order_relaxed);
}

/* ---- permutations ---------------------------------------------------------------------------- */

/* Returns the k-th smallest of n numbers, from 0, and moves it there (Hoare, 1961). */
static fisher_p test_select(fisher_p *a, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        fisher_p middle = a[k];
        int64_t i = low, j = high;
        while (i <= j) {
            while (a[i] < middle) i++;
            while (a[j] > middle) j--;
            if (i > j) break;
            fisher_p kept = a[i];
            a[i++] = a[j];
            a[j--] = kept;
        }
        if (j < k) low = i;
        if (k < i) high = j;
    }
    return a[k];
}

/* Computes the limit from the minima; under the lock. */
static void permuted_lower(group_test *t) {
    atomic_store(&t->fresh, 0);
    for (uint64_t j = 0; j < t->o.permutations; j++) {
        t->sorted[j] = atomic_load_explicit(&t->minima[j], memory_order_relaxed);
    }
    fisher_p limit = test_select(t->sorted, (int64_t)t->o.permutations, (int64_t)t->allowed);
    if (limit < t->limit) test_lower(t, limit);
}

static void permuted_note(group_test *t, uint64_t j, fisher_p key, fisher_p limit) {
    int64_t before = atomic_load_explicit(&t->minima[j], memory_order_relaxed);
    while (key < before) {
        if (!atomic_compare_exchange_weak(&t->minima[j], &before, key)) continue;
        if (before >= limit) atomic_fetch_add_explicit(&t->fresh, 1, memory_order_relaxed);
        return;
    }
}

void group_test_settle(group_test *t) {
    pthread_mutex_lock(&t->lock);
    if (test_permutes(t)) permuted_lower(t);
    pthread_mutex_unlock(&t->lock);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* A pattern in a batch: its places, or those of its complement, which has the other rows. */
typedef struct batch_pattern {
    uint32_t support;
    uint32_t first, n; /* in `places`; n without those of the zero vector */
    bool complement;
} batch_pattern;

/* One block of the permutations of one class, and the limit for p-values. */
typedef struct batch_pass {
    uint32_t test;
    size_t block;
    fisher_p limit;
} batch_pass;

struct group_worker {
    group_test *test;
    uint32_t most, n; /* patterns of a full batch, and those in this one */
    batch_pattern patterns[BATCH_PATTERNS];
    vec_u32 places;
    vec_u64 observed; /* FDR */
    vec_u32 supports; /* Tarone: not yet counted */
    struct kept_tails {
        uint32_t x, test; /* x = 0: empty */
        fisher_p limit;
        fisher_tails tails;
    } kept[TAILS_KEPT];
};

lode_status group_worker_open(group_test *t, group_worker **out) {
    lode_status status = mem_zalloc(&t->job->mem, (void **)out, sizeof **out);
    if (status != LODE_OK) return status;
    (*out)->test = t;
    (*out)->most = BATCH_FIRST;
    return LODE_OK;
}

static fisher_tails worker_tails(group_worker *w, uint32_t x, uint32_t test, fisher_p limit) {
    struct kept_tails *k = &w->kept[(x * CLASSES_MOST + test) * 2654435761u >> 20];
    if (k->x != x || k->test != test || k->limit != limit) {
        *k = (struct kept_tails){x, test, limit, fisher_below(&w->test->fishers[test], x, limit)};
    }
    return k->tails;
}

/* Enters the permutations that are hits. */
static void batch_enter(group_test *t, const batch_pattern *p, const batch_pass *pass,
                        unsigned n_planes, const permute_counts *counts) {
    fisher_test *f = &t->fishers[pass->test];
    for (unsigned w = 0; w < PERMUTE_WORDS; w++) {
        for (uint64_t hits = counts->hits[w]; hits; hits &= hits - 1) {
            unsigned at = w * 64 + (unsigned)__builtin_ctzll(hits);
            uint64_t j = pass->block * PERMUTE_BLOCK + at;
            if (j >= t->o.permutations) return;
            uint32_t a = permute_count_at(counts, n_planes, at);
            if (p->complement) a = f->n1 - a;
            permuted_note(t, j, fisher_key(f, p->support, a), pass->limit);
        }
    }
}

/* Counts a pattern in a block of permutations. */
static void batch_count(group_worker *w, const batch_pattern *p, const batch_pass *pass) {
    group_test *t = w->test;
    const fisher_test *f = &t->fishers[pass->test];
    if (f->least[p->support] >= pass->limit) return;
    fisher_tails tails = worker_tails(w, p->support, pass->test, pass->limit);
    int64_t n1 = f->n1;
    permute_query q = {.places = w->places.data + p->first, .low = tails.low, .high = tails.high};
    if (p->complement) {
        q.low = n1 - tails.high;
        q.high = n1 - tails.low;
    }
    q.n = (p->n + PERMUTE_STEP - 1) / PERMUTE_STEP * PERMUTE_STEP;
    q.n_planes = 32 - (unsigned)__builtin_clz(q.n | 1);
    permute_counts counts;
    const uint64_t *bits = permutations_block(&t->permutations, pass->test, pass->block);
    if (t->kernels->count(bits, &q, &counts)) batch_enter(t, p, pass, q.n_planes, &counts);
}

/* Lets the batch pass by all permutations. */
static lode_status worker_permute(group_worker *w) {
    lode_status status = LODE_OK;
    group_test *t = w->test;
    fisher_p limit = atomic_load_explicit(&t->limit, memory_order_relaxed);
    for (uint32_t test = 0; test < t->n_tests; test++) {
        for (size_t block = 0; block < t->permutations.n_blocks; block++) {
            batch_pass pass = {test, block, limit};
            LODE_TRY(job_check(t->job));
            for (uint32_t i = 0; i < w->n; i++) batch_count(w, &w->patterns[i], &pass);
        }
    }
    if (w->most < BATCH_PATTERNS) w->most *= 2;
    if (atomic_load_explicit(&t->fresh, memory_order_relaxed) <= t->allowed / 8) goto done;
    pthread_mutex_lock(&t->lock);
    permuted_lower(t);
    pthread_mutex_unlock(&t->lock);
done:
    w->n = 0;
    w->places.n = 0;
    return status;
}

/* Counts the supports of a batch. */
static lode_status worker_tarone(group_worker *w) {
    group_test *t = w->test;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < w->supports.n; i++) {
        uint32_t x = w->supports.data[i];
        t->counts[x]++;
        for (uint32_t c = 0; c < t->n_tests; c++) t->kappa += x >= t->from[c];
    }
    tarone_lower(t);
    if (w->observed.n > 0) {
        status = vec_u64_reserve(&t->job->mem, &t->observed, w->observed.n);
        for (size_t i = 0; status == LODE_OK && i < w->observed.n; i++) {
            t->observed.data[t->observed.n++] = w->observed.data[i];
        }
    }
    pthread_mutex_unlock(&t->lock);
    w->supports.n = w->observed.n = 0;
    return status;
}

/* The places of a pattern or, if these are fewer, those of the other rows; then the zero vector. */
static lode_status worker_take(group_worker *w, const uint32_t *places, uint32_t n) {
    uint32_t rows = w->test->n_rows, next = 0;
    batch_pattern *p = &w->patterns[w->n];
    bool complement = n > rows / 2;
    uint32_t taken = complement ? rows - n : n;
    lode_status status =
        vec_u32_reserve(&w->test->job->mem, &w->places, (size_t)taken + PERMUTE_STEP);
    if (status != LODE_OK) return status;
    uint32_t *to = w->places.data + w->places.n;
    *p = (batch_pattern){n, (uint32_t)w->places.n, taken, complement};
    if (!complement) memcpy(to, places, n * sizeof *to);
    for (uint32_t i = 0; complement && i <= n; i++) {
        for (uint32_t end = i < n ? places[i] : rows; next < end; next++) *to++ = next;
        next++;
    }
    w->places.n += taken;
    while (w->places.n % PERMUTE_STEP != 0) w->places.data[w->places.n++] = rows;
    w->n++;
    return LODE_OK;
}

/* The smallest key of the hypotheses of a pattern. */
static fisher_p worker_key(group_worker *w, const uint32_t *places, uint32_t n) {
    group_test *t = w->test;
    uint32_t counts[CLASSES_MOST] = {0}, first = 0;
    const uint8_t *of = t->classes->of;
    if (t->n_tests == 1) { /* faster: no count is written to memory */
        for (uint32_t i = 0; i < n; i++) first += of[places[i]] == 0;
        counts[0] = first;
    }
    for (uint32_t i = 0; i < n && t->n_tests > 1; i++) counts[of[places[i]]]++;
    fisher_p least = FISHER_ONE;
    for (uint32_t c = 0; c < t->n_tests; c++) {
        fisher_p key = fisher_key(&t->fishers[c], n, counts[c]);
        if (key < least) least = key;
    }
    return least;
}

lode_status group_add(group_worker *w, const uint32_t *places, uint32_t n, fisher_p *key) {
    lode_status status = LODE_OK;
    group_test *t = w->test;
    mem *m = &t->job->mem;
    *key = worker_key(w, places, n);
    if (test_permutes(t)) {
        atomic_fetch_add_explicit(&t->counts[n], 1, memory_order_relaxed);
        LODE_TRY(worker_take(w, places, n));
        if (w->n >= w->most || w->places.n >= BATCH_PLACES) status = worker_permute(w);
        goto done;
    }
    LODE_TRY(vec_u32_push(m, &w->supports, n));
    if (t->o.by == LODE_BY_FDR && *key <= group_test_keep(t)) {
        LODE_TRY(vec_u64_push(m, &w->observed, (uint64_t)*key));
        LODE_TRY(vec_u64_push(m, &w->observed, n));
    }
    if (w->supports.n >= BATCH_PATTERNS) status = worker_tarone(w);
done:
    return status;
}

lode_status group_worker_close(group_worker *w) {
    if (!w) return LODE_OK;
    lode_status status = LODE_OK;
    mem *m = &w->test->job->mem;
    if (w->n > 0) status = worker_permute(w);
    if (w->supports.n > 0) status = worker_tarone(w);
    vec_u32_free(m, &w->places);
    vec_u32_free(m, &w->supports);
    vec_u64_free(m, &w->observed);
    mem_free(m, w, sizeof *w);
    return status;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static lode_status verdict_make(const group_test *t, mem *m, size_t n, group_verdict **out) {
    group_verdict *v = NULL;
    size_t bytes = sizeof *v + n * (sizeof(fisher_p) + sizeof(double));
    lode_status status = mem_zalloc(m, (void **)&v, bytes);
    if (status != LODE_OK) return status;
    v->bytes = bytes;
    v->alpha = t->o.significant;
    v->by = t->o.by;
    v->most = -INT64_MAX;
    v->min_count = group_test_min_count(t);
    v->n = n;
    v->keys = (const fisher_p *)(v + 1);
    v->adjusted = (const double *)(v->keys + n);
    *out = v;
    return LODE_OK;
}

static bool test_before(const fisher_p *a, const fisher_p *b) {
    return *a < *b;
}

#define SORT_NAME   test_sort
#define SORT_TYPE   fisher_p
#define SORT_BEFORE test_before
#include "base/sort_body.h"

static lode_status permuted_finish(group_test *t, mem *m, group_verdict **out) {
    lode_status status = LODE_OK;
    uint64_t n = 0, all = t->o.permutations;
    group_verdict *v = NULL;
    permuted_lower(t);
    test_sort(t->sorted, all, NULL);
    fisher_p limit = t->sorted[t->allowed];
    while (n < all && t->sorted[n] < limit) n++;
    LODE_TRY(verdict_make(t, m, n, &v));
    memcpy((fisher_p *)(uintptr_t)v->keys, t->sorted, n * sizeof *v->keys);
    for (uint64_t i = 0; i < n; i++) {
        ((double *)(uintptr_t)v->adjusted)[i] = (double)(i + 2) / ((double)all + 1);
    }
    v->first = 1 / ((double)all + 1);
    v->most = limit - 1;
    v->level = fisher_to_p(v->most);
    v->permutations = all;
    v->seed = t->o.seed;
    for (uint32_t c = 0; c < t->n_tests; c++) {
        for (uint32_t x = 0; x <= t->n_rows; x++) {
            if (t->fishers[c].least[x] < limit) v->n_tests += t->counts[x];
        }
    }
    *out = v;
done:
    return status;
}

/* Of more than two classes, no p-value that another class cannot reach may count as one of it: the
 * level stays below all ψ that are left out. */
static fisher_p tarone_most(const group_test *t) {
    fisher_p most = fisher_of_log(log(t->o.significant / (double)(t->kappa ? t->kappa : 1)));
    for (uint32_t c = 0; c < t->n_tests && t->n_tests > 1; c++) {
        if (t->from[c] == 0 || t->from[c] > t->n_rows) continue;
        fisher_p out = fisher_envelope(&t->fishers[c], t->from[c] - 1);
        if (most >= out) most = out - 1;
    }
    return most;
}

static lode_status tarone_finish(const group_test *t, mem *m, group_verdict **out) {
    group_verdict *v = NULL;
    lode_status status = verdict_make(t, m, 0, &v);
    if (status != LODE_OK) return status;
    v->n_tests = t->kappa;
    v->first = (double)t->kappa;
    v->most = tarone_most(t);
    v->level = t->n_tests > 1 ? fisher_to_p(v->most) : v->alpha / (double)(t->kappa ? t->kappa : 1);
    *out = v;
    return LODE_OK;
}

/* Benjamini and Yekutieli: the i-th smallest of κ p-values is compared with α i / (κ H), where H is
 * the sum of 1 / i. */
static void fdr_fill(group_verdict *v, fisher_p *keys, double *adjusted, size_t n, uint64_t tests) {
    double factor = 0, best = 1;
    for (uint64_t i = tests; i > 0; i--) factor += 1 / (double)i;
    factor *= (double)tests;
    for (size_t i = n; i-- > 0;) {
        double one = fisher_to_p(keys[i]) * factor / (double)(i + 1);
        if (one < best) best = one;
        adjusted[i] = best;
        if (best <= v->alpha && v->most < keys[i]) v->most = keys[i];
    }
    for (size_t i = n; i-- > 1;) { /* equal p-values: the last one, which has the lowest value */
        if (keys[i - 1] == keys[i]) adjusted[i - 1] = adjusted[i];
    }
    v->level = v->most > -INT64_MAX ? fisher_to_p(v->most) : 0;
}

static lode_status fdr_finish(const group_test *t, mem *m, group_verdict **out) {
    group_verdict *v = NULL;
    size_t n = 0;
    for (size_t i = 0; i < t->observed.n; i += 2) n += t->observed.data[i + 1] >= t->from[0];
    lode_status status = verdict_make(t, m, n, &v);
    if (status != LODE_OK) return status;
    fisher_p *keys = (fisher_p *)(uintptr_t)v->keys;
    n = 0;
    for (size_t i = 0; i < t->observed.n; i += 2) {
        if (t->observed.data[i + 1] >= t->from[0]) keys[n++] = (fisher_p)t->observed.data[i];
    }
    test_sort(keys, n, NULL);
    v->n_tests = t->kappa;
    fdr_fill(v, keys, (double *)(uintptr_t)v->adjusted, n, t->kappa);
    *out = v;
    return LODE_OK;
}

lode_status group_test_finish(group_test *t, mem *m, group_verdict **out) {
    switch (t->o.by) {
    case LODE_BY_PERMUTATION: return permuted_finish(t, m, out);
    case LODE_BY_FDR: return fdr_finish(t, m, out);
    default: return tarone_finish(t, m, out);
    }
}

double verdict_adjusted(const group_verdict *v, fisher_p key) {
    size_t low = 0, high = v->n; /* keys before `low` are at most `key` */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (v->keys[middle] <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (v->by == LODE_BY_TARONE) return fmin(1, fisher_to_p(key) * v->first);
    if (v->by == LODE_BY_FDR && low == 0) return 0;
    return low > 0 ? v->adjusted[low - 1] : v->first;
}
