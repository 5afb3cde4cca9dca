/* test_constraints.c - itemsets under constraints, compared with counting all sets of ten items
 *
 * Every set of items is counted separately, and the definitions decide whether the result has it:
 * excluded items do not exist, the target selects from the frequent sets, and the constraints
 * select from these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "faulty.h"
#include "pipeline/engine/item_task.h"
#include "targets.h"

#define N_ITEMS  10
#define N_SETS   (1u << N_ITEMS)
#define N_GROUPS 3

typedef struct bound_group {
    uint32_t set; /* of items */
    unsigned least, most;
} bound_group;

/* A request, as text for the library and as sets for the definitions. */
typedef struct request {
    lode_mine_options o;
    char include[128], exclude[64], groups[128];
    uint32_t excluded;
    unsigned n_groups;
    bound_group group[2 * N_GROUPS];
    uint64_t most; /* support */
} request;

typedef struct sample {
    table rows;
    uint32_t masks[200];
    uint32_t *weights; /* or NULL */
    uint64_t total;
    uint64_t supports[N_SETS]; /* of all sets */
} sample;

/* ---- data ------------------------------------------------------------------------------------ */

static sample *sample_make(uint64_t seed) {
    sample *s = calloc(1, sizeof *s);
    rng r = rng_make(seed, 3);
    if (!s) exit(2);
    unsigned low = (unsigned)rng_below(&r, 40), high = 40 + (unsigned)rng_below(&r, 55);
    s->rows = table_random(seed, 20 + rng_below(&r, 120), N_ITEMS, low, high);
    if (seed % 3 == 0) s->weights = malloc(s->rows.n * sizeof *s->weights);
    for (uint64_t t = 0; t < s->rows.n; t++) {
        size_t n;
        const uint32_t *row = table_row(&s->rows, t, &n);
        for (size_t i = 0; i < n; i++) s->masks[t] |= 1u << row[i];
        if (s->weights) s->weights[t] = (uint32_t)rng_below(&r, 4);
        uint32_t weight = s->weights ? s->weights[t] : 1;
        s->total += weight;
        for (uint32_t set = 0; set < N_SETS; set++) {
            if ((s->masks[t] & set) == set) s->supports[set] += weight;
        }
    }
    return s;
}

static void sample_free(sample *s) {
    table_free(&s->rows);
    free(s->weights);
    free(s);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* A random group of items that occur, as a glob of digits. 0: there is none. */
static uint32_t put_group(const sample *s, rng *r, unsigned chance, char *text) {
    uint32_t set = 0;
    *text++ = '[';
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        if (s->supports[1u << i] == 0 || rng_below(r, 100) >= chance) continue;
        set |= 1u << i;
        *text++ = (char)('0' + i);
    }
    *text++ = ']';
    *text = 0;
    return set;
}

static void request_add(request *q, const sample *s, rng *r, bool counted) {
    char glob[16];
    char *list = counted ? q->groups : q->include;
    uint32_t set = put_group(s, r, rng_below(r, 2) ? 12 : 40, glob);
    unsigned n = (unsigned)__builtin_popcount(set & ~q->excluded);
    unsigned least = counted ? (unsigned)rng_below(r, 3) : 1;
    unsigned most = counted && rng_below(r, 3) ? least + (unsigned)rng_below(r, 3) : 99;
    if (set == 0 || n < least) return; /* such groups are refused */
    size_t at = strlen(list);
    if (at > 0) list[at++] = '\n';
    if (!counted) {
        snprintf(list + at, 48, "%s", glob);
    } else if (most == 99) {
        snprintf(list + at, 48, "%u-:%s", least, glob);
    } else if (most == least) {
        snprintf(list + at, 48, "%u:%s", least, glob);
    } else {
        snprintf(list + at, 48, "%u-%u:%s", least, most, glob);
    }
    q->group[q->n_groups++] = (bound_group){set, least, most};
}

static request request_make(const sample *s, rng *r) {
    request q = {.o = mining_options(NULL, 1 + rng_below(r, s->total / 6 + 2)), .most = UINT64_MAX};
    if (rng_below(r, 3) == 0) q.excluded = put_group(s, r, 20, q.exclude);
    if (q.excluded == 0) q.exclude[0] = 0;
    for (uint64_t n = rng_below(r, 3); n > 0; n--) request_add(&q, s, r, false);
    for (uint64_t n = rng_below(r, 3); n > 0; n--) request_add(&q, s, r, true);
    if (rng_below(r, 4) == 0) {
        q.most = q.o.min_support.numerator + rng_below(r, 20);
        q.o.max_support.numerator = q.most;
    }
    if (rng_below(r, 4) == 0) q.o.min_size = 1 + (uint32_t)rng_below(r, 4);
    if (rng_below(r, 4) == 0) q.o.max_size = q.o.min_size + 1 + (uint32_t)rng_below(r, 4);
    return q;
}

/* The options, whose texts are those of this request. */
static lode_mine_options request_options(const request *q) {
    lode_mine_options o = q->o;
    o.include = q->include[0] ? q->include : NULL;
    o.exclude = q->exclude[0] ? q->exclude : NULL;
    o.groups = q->groups[0] ? q->groups : NULL;
    return o;
}

/* ---- definitions ----------------------------------------------------------------------------- */

static bool is_target(const sample *s, const request *q, uint32_t set) {
    uint64_t support = s->supports[set];
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint32_t item = 1u << i;
        bool in = set & item;
        if (q->excluded & item) continue;
        if (!in && q->o.target == LODE_TARGET_CLOSED && s->supports[set | item] == support) {
            return false;
        }
        if (!in && q->o.target == LODE_TARGET_MAXIMAL &&
            s->supports[set | item] >= q->o.min_support.numerator) {
            return false;
        }
        if (in && q->o.target == LODE_TARGET_GENERATORS && s->supports[set ^ item] == support) {
            return false;
        }
    }
    return true;
}

static bool is_allowed(const sample *s, const request *q, uint32_t set) {
    unsigned size = (unsigned)__builtin_popcount(set);
    if (size < q->o.min_size || (q->o.max_size && size > q->o.max_size)) return false;
    if (s->supports[set] > q->most) return false;
    for (unsigned g = 0; g < q->n_groups; g++) {
        unsigned n = (unsigned)__builtin_popcount(set & q->group[g].set);
        if (n < q->group[g].least || n > q->group[g].most) return false;
    }
    return true;
}

/* Marks the sets that are wanted; returns how many. */
static uint64_t expected(const sample *s, const request *q, bool *wanted) {
    uint64_t n = 0, least = q->o.min_support.numerator ? q->o.min_support.numerator : 1;
    for (uint32_t set = 0; set < N_SETS; set++) {
        wanted[set] = set != 0 && !(set & q->excluded) && s->supports[set] >= least &&
                      is_target(s, q, set) && is_allowed(s, q, set);
        n += wanted[set];
    }
    if (q->o.target != LODE_TARGET_TOP || n <= q->o.top_k) return n;
    for (uint64_t above = least + 1; n > q->o.top_k; above++) { /* without the rarest of them */
        uint64_t left = 0;
        for (uint32_t set = 0; set < N_SETS; set++)
            left += wanted[set] && s->supports[set] >= above;
        if (left < q->o.top_k) break;
        for (uint32_t set = 0; set < N_SETS; set++) {
            wanted[set] = wanted[set] && s->supports[set] >= above;
        }
        n = left;
    }
    return n;
}

static uint32_t mask_of(const lode_result *r, uint64_t i) {
    size_t n;
    uint32_t set = 0;
    const uint32_t *items = result_items(r, i, &n);
    for (size_t k = 0; k < n; k++) set |= 1u << items[k];
    return set;
}

/* Whether every pattern is wanted and right, and comes once. */
static bool result_is_right(const sample *s, const lode_result *r, const bool *wanted) {
    bool seen[N_SETS] = {0}, fine = true;
    for (uint64_t i = 0; i < r->n && fine; i++) {
        uint32_t set = mask_of(r, i);
        fine =
            CHECK(wanted[set]) & CHECK(!seen[set]) & CHECK_EQUAL(r->supports[i], s->supports[set]);
        seen[set] = true;
    }
    return fine;
}

static void describe(const request *q, const char *device, unsigned threads) {
    fprintf(stderr, "  %s, target %d:%llu, at least %llu, must '%s', exclude '%s', groups '%s', ",
            q->o.algorithm, (int)q->o.target, (unsigned long long)q->o.top_k,
            (unsigned long long)q->o.min_support.numerator, q->include, q->exclude, q->groups);
    fprintf(stderr, "sizes %u to %u, at most %lld, %s, %u threads\n", q->o.min_size, q->o.max_size,
            (long long)q->most, device, threads);
}

/* ---- every engine and target ----------------------------------------------------------------- */

static void try_one(const sample *s, const request *q, const char *device, unsigned threads) {
    static bool wanted[N_SETS];
    uint64_t n = expected(s, q, wanted);
    lode_mine_options o = request_options(q);
    mined m = mine_on(&s->rows, s->weights, &o, device, threads);
    bool fine = CHECK_EQUAL(m.status, LODE_OK);
    if (!fine) fprintf(stderr, "  %s\n", m.report->message);
    fine = fine && CHECK_EQUAL(m.result.n, n) & result_is_right(s, &m.result, wanted) &&
           counts_agree(&m, &o);
    if (!fine) describe(q, device, threads);
    mined_free(&m);
}

static void engines_and_targets(void) {
    static const char *const devices[] = {"cpu", "cpu*2"};
    const lode_engine *engine;
    uint64_t most = getenv("LODE_LONG") ? 1000 : BY_BUILD(100, 50, 15);
    for (uint64_t seed = 0; seed < most && check_failures < 20; seed++) {
        sample *s = sample_make(seed);
        rng r = rng_make(seed, 4);
        request q = request_make(s, &r);
        for (size_t i = 0; (engine = engine_at(LODE_ITEMSETS, i)) != NULL; i++) {
            if (s->weights && !engine->weights) continue;
            q.o.algorithm = engine->name;
            for (unsigned t = 0; t <= LODE_TARGET_GENERATORS; t++) {
                if (!(engine_targets(engine) >> t & 1)) continue;
                q.o.target = (lode_target)t;
                q.o.top_k = t == LODE_TARGET_TOP ? 1 + rng_below(&r, 30) : 0;
                try_one(s, &q, mining_device(devices, 2, rng_below(&r, 2)),
                        1 + (unsigned)rng_below(&r, 3));
            }
        }
        sample_free(s);
    }
}

/* The best K, with no minimum. */
static void top_without_threshold(void) {
    for (uint64_t seed = 100; seed < BY_BUILD(200, 200, 125) && check_failures < 20; seed++) {
        sample *s = sample_make(seed);
        rng r = rng_make(seed, 4);
        request q = request_make(s, &r);
        q.o.algorithm = "adaptive";
        q.o.target = LODE_TARGET_TOP;
        q.o.top_k = 1 + rng_below(&r, 60);
        q.o.min_support.numerator = 0;
        try_one(s, &q, "cpu", 2);
        sample_free(s);
    }
}

/* ---- limits and ranges ----------------------------------------------------------------------- */

static void limits(void) {
    static bool wanted[N_SETS];
    for (uint64_t seed = 200; seed < BY_BUILD(300, 300, 225) && check_failures < 20; seed++) {
        sample *s = sample_make(seed);
        rng r = rng_make(seed, 4);
        request q = request_make(s, &r);
        q.o.algorithm = "adaptive";
        q.o.target = seed % 2 ? LODE_TARGET_ALL : LODE_TARGET_CLOSED;
        uint64_t n = expected(s, &q, wanted), limit = 1 + rng_below(&r, 8);
        lode_mine_options o = request_options(&q);
        o.limit_patterns = limit;
        mined m = mine_on(&s->rows, s->weights, &o, "cpu", 2);
        bool fine = CHECK_EQUAL(m.status, n > limit ? LODE_STOPPED : LODE_OK) &
                    CHECK_EQUAL(m.result.n, n < limit ? n : limit) &
                    result_is_right(s, &m.result, wanted);
        if (!fine && n != limit) describe(&q, "cpu", 2);
        mined_free(&m);
        sample_free(s);
    }
}

/* Ranges of roots that do not overlap give all patterns, each once. */
static void ranges(void) {
    static bool wanted[N_SETS];
    for (uint64_t seed = 300; seed < 340 && check_failures < 20; seed++) {
        sample *s = sample_make(seed);
        rng r = rng_make(seed, 4);
        request q = request_make(s, &r);
        q.o.algorithm = "adaptive";
        uint64_t n = expected(s, &q, wanted), found = 0;
        uint32_t cut = 1 + (uint32_t)rng_below(&r, 4);
        for (unsigned part = 0; part < 2; part++) {
            lode_mine_options o = request_options(&q);
            o.root_first = part ? cut : 0;
            o.root_end = part ? 0 : cut;
            mined m = mine_on(&s->rows, s->weights, &o, "cpu", 2);
            CHECK_EQUAL(m.status, LODE_OK);
            if (!result_is_right(s, &m.result, wanted)) describe(&q, "cpu", 2);
            found += m.result.n;
            for (uint64_t i = 0; i < m.result.n; i++) wanted[mask_of(&m.result, i)] = false;
            mined_free(&m);
        }
        if (!CHECK_EQUAL(found, n)) describe(&q, "cpu", 2);
        sample_free(s);
    }
}

/* ---- what a result knows, and what is refused ------------------------------------------------ */

static void known(void) {
    sample *s = sample_make(1);
    lode_mine_options o = mining_options("adaptive", 2);
    uint64_t support = 0;
    lode_known what;
    uint32_t in[] = {8, 9}, out[] = {7};
    o.include = "9";
    mined m = mine_on(&s->rows, NULL, &o, "cpu", 1);
    CHECK_EQUAL(lode_result_support(m.sink, in, 2, &support, &what), LODE_OK);
    CHECK_EQUAL(what, LODE_KNOWN_EXACT);
    CHECK_EQUAL(support, s->supports[1u << 8 | 1u << 9]);
    CHECK_EQUAL(lode_result_support(m.sink, out, 1, &support, &what), LODE_OK);
    CHECK_EQUAL(what, LODE_KNOWN_NOT);
    CHECK_EQUAL(lode_result_support(m.sink, NULL, 0, &support, &what), LODE_OK);
    CHECK_EQUAL(support, s->total);
    mined_free(&m);
    sample_free(s);
}

static lode_status add_nothing(void *user, uint64_t *counts, size_t n) {
    (void)user, (void)counts, (void)n;
    return LODE_OK;
}

static void refuses(lode_mine_options o, lode_status status, const char *words) {
    sample *s = sample_make(1);
    mined m = mine_on(&s->rows, NULL, &o, "cpu*1", 1);
    CHECK_EQUAL(m.status, status);
    if (!CHECK(strstr(m.report->message, words) != NULL)) {
        fprintf(stderr, "  '%s' lacks '%s'\n", m.report->message, words);
    }
    CHECK_EQUAL(m.result.n, 0);
    mined_free(&m);
    sample_free(s);
}

static void refused(void) {
    lode_mine_options o = mining_options(NULL, 5), p = o;
    p.include = "17";
    refuses(p, LODE_INVALID, "--include: unknown item '17'");
    p.include = "x*";
    refuses(p, LODE_INVALID, "--include: no item name matches 'x*'");
    p.include = "@/nowhere/at/all";
    refuses(p, LODE_NOTFOUND, "/nowhere/at/all");
    p = o, p.include = "5", p.exclude = "[4-6]";
    refuses(p, LODE_INVALID, "'5' is excluded");
    p = o, p.groups = "[4-6]";
    refuses(p, LODE_INVALID, "such as 0-1:beer*");
    p = o, p.groups = "2-1:[4-6]";
    refuses(p, LODE_INVALID, "such as 0-1:beer*");
    p = o, p.groups = "4-:[4-6]";
    refuses(p, LODE_INVALID, "requires 4 items, but there are only 3");
    p = o, p.max_support.numerator = 4;
    refuses(p, LODE_INVALID, "below the minimum");
    p = o, p.include = "5", p.reduce = add_nothing, p.n_transactions_total = 1000;
    refuses(p, LODE_UNSUPPORTED, "cannot be combined with constraints");
}

/* A share is rounded down where it is the highest, so that 7 of 25 is not more than 28%. */
static void shares(void) {
    table t = {0};
    uint32_t items[] = {0, 1};
    for (unsigned i = 0; i < 25; i++) table_add(&t, items, i < 7 ? 2 : i < 8 ? 1 : 0);
    lode_mine_options o = mining_options(NULL, 1);
    o.max_support = (lode_threshold){28, 100};
    mined m = mine_on(&t, NULL, &o, "cpu", 1);
    CHECK_EQUAL(m.result.n, 2); /* 1, and 0 1; not 0, which is in 8 */
    mined_free(&m);
    o.max_support = (lode_threshold){2799, 10000};
    m = mine_on(&t, NULL, &o, "cpu", 1);
    CHECK_EQUAL(m.result.n, 0);
    mined_free(&m);
    table_free(&t);
}

/* ---- one data set, many jobs ----------------------------------------------------------------- */

/* Jobs with and without constraints do not find what the others have prepared. */
static void prepared_apart(void) {
    static bool wanted[N_SETS];
    sample *s = sample_make(2);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = mining_data(job, &s->rows);
    request q = {.o = mining_options("adaptive", 3), .most = UINT64_MAX};
    request all = q;
    snprintf(q.include, sizeof q.include, "8");
    q.group[q.n_groups++] = (bound_group){1u << 8, 1, 99};
    for (unsigned round = 0; round < 4; round++) {
        const request *now = round % 2 ? &q : &all;
        lode_mine_options o = request_options(now);
        lode_sink *sink = NULL;
        CHECK_EQUAL(lode_dataset_prepare(job, data, &o), LODE_OK);
        CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
        CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
        lode_result r = result_of(sink);
        CHECK_EQUAL(r.n, expected(s, now, wanted));
        result_is_right(s, &r, wanted);
        lode_sink_free(sink);
    }
    lode_dataset_free(data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    sample_free(s);
}

/* ---- early ends ------------------------------------------------------------------------------ */

static lode_status mine_without(const sample *s, const lode_mine_options *o, uint64_t refuse_at) {
    faulty f = {.fail_at = UINT64_MAX};
    lode_ctx *ctx = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    pthread_mutex_init(&f.lock, NULL);
    lode_ctx_options c = {
        .size = sizeof c, .resize = faulty_resize, .resize_user = &f, .threads = 1};
    if (lode_ctx_create(&ctx, &c) != LODE_OK) exit(2);
    if (lode_job_create(&job, ctx, NULL) != LODE_OK) exit(2);
    if (lode_dataset_from_arrays(job, &data, s->rows.n, s->rows.offsets, s->rows.items,
                                 s->weights) != LODE_OK) {
        exit(2);
    }
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    f.fail_at = f.calls + refuse_at;
    lode_status status = lode_mine(job, data, o, sink);
    f.fail_at = UINT64_MAX;
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_ctx_free(ctx);
    CHECK_EQUAL(f.live, 0);
    CHECK(!f.wrong_size);
    return status;
}

static void no_memory(void) {
    sample *s = sample_make(3);
    lode_mine_options o = mining_options("adaptive", 3);
    o.include = "9\n[4-7]";
    o.exclude = "2";
    o.groups = "0-1:[3-5]";
    uint64_t k = 0;
    while (k < 500 && mine_without(s, &o, k) == LODE_NOMEM) k++;
    CHECK(k > 20 && k < 500);
    CHECK_EQUAL(mine_without(s, &o, UINT32_MAX), LODE_OK);
    sample_free(s);
}

typedef struct cancel_at {
    lode_job *job;
    uint64_t polls, at;
} cancel_at;

static void cancel_on_poll(void *user) {
    cancel_at *c = user;
    if (c->polls++ == c->at) lode_job_cancel(c->job);
}

/* A cancel at the k-th poll: what was found by then is right. */
static lode_status mine_cancelled(const sample *s, const request *q, uint64_t at) {
    static bool wanted[N_SETS];
    lode_mine_options o = request_options(q);
    o.limit_seconds = 1000; /* with a time limit, every poll is seen */
    mined m = {.job = mining_job("cpu")};
    cancel_at c = {m.job, 0, at};
    m.data = mining_data(m.job, &s->rows);
    if (lode_sink_memory(m.job, &m.sink) != LODE_OK) exit(2);
    m.job->on_poll = cancel_on_poll;
    m.job->on_poll_user = &c;
    m.status = lode_mine(m.job, m.data, &o, m.sink);
    m.job->on_poll = NULL;
    lode_status finished = lode_sink_finish(m.sink, m.status != LODE_OK);
    CHECK(finished == LODE_OK || finished == LODE_CANCELLED);
    m.result = result_of(m.sink);
    expected(s, q, wanted);
    result_is_right(s, &m.result, wanted);
    mined_free(&m);
    return m.status;
}

static void cancelled(void) {
    sample *s = sample_make(4);
    rng r = rng_make(4, 4);
    for (unsigned round = 0; round < 6; round++) {
        request q = request_make(s, &r);
        uint64_t k = 0;
        q.o.algorithm = "adaptive";
        q.o.target = round % 2 ? LODE_TARGET_CLOSED : LODE_TARGET_ALL;
        while (k < 2000 && mine_cancelled(s, &q, k) == LODE_CANCELLED) k++;
        CHECK(k > 2 && k < 2000);
        CHECK_EQUAL(mine_cancelled(s, &q, UINT64_MAX), LODE_OK);
    }
    sample_free(s);
}

/* Many perfect extensions, of which few subsets are wanted: quickly done, and soon cancelled. */
static void many_extensions(void) {
    table t = {0};
    uint32_t items[60];
    lode_mine_options o = mining_options("adaptive", 1);
    for (uint32_t i = 0; i < 60; i++) items[i] = i;
    for (unsigned i = 0; i < 3; i++) table_add(&t, items, 60);
    o.groups = "2-3:*";
    mined m = mine_on(&t, NULL, &o, "cpu", 1);
    CHECK_EQUAL(m.status, LODE_OK);
    CHECK_EQUAL(m.result.n, 60 * 59 / 2 + 60 * 59 * 58 / 6);
    mined_free(&m);
    o.groups = "0-30:*";
    o.limit_seconds = 0.1;
    m = (mined){.job = mining_job("cpu")};
    m.data = mining_data(m.job, &t);
    CHECK_EQUAL(lode_sink_count(m.job, &m.sink), LODE_OK);
    clock_t start = clock(); /* of the processor, as others may use it, too */
    CHECK_EQUAL(lode_mine(m.job, m.data, &o, m.sink), LODE_STOPPED);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < BY_BUILD(2, 10, 20));
    mined_free(&m);
    table_free(&t);
}

int main(void) {
    CHECK_RUN(engines_and_targets);
    CHECK_RUN(top_without_threshold);
    CHECK_RUN(limits);
    CHECK_RUN(ranges);
    CHECK_RUN(known);
    CHECK_RUN(refused);
    CHECK_RUN(shares);
    CHECK_RUN(prepared_apart);
    CHECK_RUN(no_memory);
    CHECK_RUN(cancelled);
    if (BY_BUILD(true, true, false)) CHECK_RUN(many_extensions); /* on one thread */
    return check_result();
}
