/* test_spill.c - data larger than memory: the same result from disk as from memory
 *
 * lode_job.spill_most makes small random data "too large", so that groups are divided down to
 * single items and prefixes; larger data are too large for a real budget. Every run is compared, by
 * its hash, with a run in memory. Then runs are stopped at many places: no memory, a cancel, a full
 * disk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/transactions/dataset.h"
#include "faulty.h"
#include "jobs.h"
#include "mining.h"
#include "runtime/job.h"

#define SLOWER BY_BUILD(1, 4, 40) /* the number of cases is divided by this */

static char folder[] = "/tmp/lode-spill-XXXXXX";

/* ---- data as text ---------------------------------------------------------------------------- */

typedef struct text {
    char *data;
    size_t n, cap;
    bool weighted, named;
} text;

static void text_add(text *t, const char *word) {
    size_t n = strlen(word);
    t->data = mining_grow(t->data, &t->cap, t->n + n + 1, 1);
    memcpy(t->data + t->n, word, n + 1);
    t->n += n;
}

/* One transaction a line: numbers between blanks, or names between commas; weights come first. */
static text text_of(const table *rows, rng *r, bool weighted, bool named) {
    text t = {.weighted = weighted, .named = named};
    char word[32];
    bool commas = weighted || named;
    for (uint64_t i = 0; i < rows->n; i++) {
        size_t n;
        const uint32_t *row = table_row(rows, i, &n);
        snprintf(word, sizeof word, "%u", (unsigned)rng_below(r, 4));
        if (weighted) text_add(&t, word);
        for (size_t k = 0; k < n; k++) {
            const char *before = k == 0 && !weighted ? "" : commas ? "," : " ";
            snprintf(word, sizeof word, "%s%s%u", before, named ? "i" : "", row[k]);
            text_add(&t, word);
        }
        text_add(&t, "\n");
    }
    return t;
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct outcome {
    lode_status status;
    uint64_t hash, patterns;
    uint64_t groups, depth;
    uint64_t data; /* the fingerprint */
    bool on_disk;
} outcome;

static bool fingerprints; /* are taken; they need memory, which tests may refuse */

static lode_read_options reading(const text *t, bool spill) {
    lode_read_options o = {.size = sizeof o, .spill = spill ? folder : NULL};
    o.format = t->weighted || t->named ? LODE_FORMAT_BASKET : LODE_FORMAT_FIMI;
    if (t->weighted || t->named) o.separator = ',';
    if (t->weighted) o.weight_column = "1";
    return o;
}

/* Reads and mines in a job that is there. */
static outcome outcome_in(lode_job *job, const text *t, const lode_mine_options *o, bool spill) {
    outcome out = {0};
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_read_options read = reading(t, spill);
    out.status = lode_job_expect(job, o);
    if (out.status == LODE_OK) {
        out.status = lode_dataset_parse(job, &data, t->data, t->n, "the text", &read);
    }
    if (out.status == LODE_OK) out.status = lode_sink_hash(job, &sink, data);
    if (out.status == LODE_OK) out.status = lode_mine(job, data, o, sink);
    if (out.status == LODE_OK) out.status = lode_sink_finish(sink, false);
    CHECK((lode_job_error(job)[0] == 0) == (out.status == LODE_OK));
    if (out.status == LODE_OK) {
        const engine_report *r = &lode_job_report(job)->engine;
        out.hash = lode_sink_hash_value(sink);
        out.patterns = lode_sink_patterns(sink);
        out.groups = r->spill_groups;
        out.depth = r->spill_depth;
    }
    out.on_disk = data && data->spool;
    if (fingerprints) out.data = lode_dataset_fingerprint(data);
    lode_sink_free(sink);
    lode_dataset_free(data);
    return out;
}

typedef struct setting {
    unsigned threads;
    uint64_t most;   /* items that are "in memory"; 0 = as the budget says */
    uint64_t memory; /* the budget */
    bool by_order;   /* pairs of items are not counted */
} setting;

static outcome outcome_of(const text *t, const lode_mine_options *o, setting s) {
    lode_job *job = NULL;
    lode_job_options c = {
        .size = sizeof c, .threads = s.threads, .memory_bytes = s.memory, .device = "cpu"};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    job->spill_most = s.most;
    job->spill_by_order = s.by_order;
    outcome out = outcome_in(job, t, o, s.most > 0 || s.memory > 0);
    if (out.status != LODE_OK) fprintf(stderr, "%s\n", lode_job_error(job));
    lode_job_free(job);
    return out;
}

/* ---- small data ------------------------------------------------------------------------------ */

static const lode_target wanted[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                     LODE_TARGET_TOP};

static table random_rows(uint64_t seed, rng *r) {
    unsigned low = (unsigned)rng_below(r, 40), high = low + 5 + (unsigned)rng_below(r, 55);
    switch (seed % 4) {
    case 0: return table_random(seed, 20 + rng_below(r, 200), 12, low, high);
    case 1: return table_random(seed, 5 + rng_below(r, 60), 20, 30, 95);
    case 2: return table_random(seed, 300, 90, 1, 12);  /* more than 64 items: lists */
    default: return table_random(seed, 150, 75, 5, 60); /* the same, dense */
    }
}

static lode_mine_options random_request(rng *r, uint64_t n, lode_target target) {
    lode_mine_options o = {.size = sizeof o, .target = target};
    uint64_t least = n / 5 + 1 + rng_below(r, n / 3 + 1);
    o.min_support = (lode_threshold){least, 0};
    if (target == LODE_TARGET_TOP) {
        o.top_k = 1 + rng_below(r, 60);
        if (rng_below(r, 2)) o.min_support.numerator = 0;
    }
    if (rng_below(r, 4) == 0) o.max_size = 1 + (uint32_t)rng_below(r, 4);
    if (rng_below(r, 4) == 0) o.min_size = 1 + (uint32_t)rng_below(r, 3);
    if (o.max_size > 0 && o.min_size > o.max_size) o.min_size = o.max_size;
    return o;
}

static uint64_t n_cases, n_deep, n_patterns, n_shared;

/* Shares of a search from disk are the whole together, and have nothing twice. */
static void compare_shares(const text *t, const lode_mine_options *o, setting s,
                           const outcome *whole) {
    uint64_t hashes[5], patterns = 0;
    uint32_t n = 2 + (uint32_t)(s.most % 4);
    lode_mine_options share = *o;
    if (o->target == LODE_TARGET_TOP) return; /* each share has its own best */
    share.n_shares = n;
    for (share.share = 1; share.share <= n; share.share++) {
        outcome part = outcome_of(t, &share, s);
        if (!part.on_disk) return;
        CHECK_EQUAL(part.status, LODE_OK);
        hashes[share.share - 1] = part.hash;
        patterns += part.patterns;
        n_shared += part.patterns > 0;
    }
    CHECK_EQUAL(patterns, whole->patterns);
    CHECK_EQUAL(lode_hash_join(LODE_ITEMSETS, hashes, n), whole->hash);
}

static void compare(const text *t, const lode_mine_options *o, uint64_t most) {
    outcome memory = outcome_of(t, o, (setting){.threads = 1});
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        setting s = {.threads = threads, .most = most, .by_order = most % 3 == 0};
        outcome disk = outcome_of(t, o, s);
        bool same = CHECK_EQUAL(disk.status, LODE_OK) & CHECK_EQUAL(memory.status, LODE_OK) &
                    CHECK_EQUAL(disk.patterns, memory.patterns) &
                    CHECK_EQUAL(disk.hash, memory.hash) & CHECK_EQUAL(disk.data, memory.data);
        if (threads == 1) compare_shares(t, o, s, &memory);
        if (!same) {
            fprintf(stderr, "  target %d, at least %llu, sizes %u-%u, most %llu, %u threads\n",
                    (int)o->target, (unsigned long long)o->min_support.numerator, o->min_size,
                    o->max_size, (unsigned long long)most, threads);
        }
        n_cases += disk.on_disk;
        n_deep += disk.depth > 2;
    }
    n_patterns += memory.patterns;
}

static void small_data(void) {
    fingerprints = true;
    for (uint64_t seed = 1; seed <= 40 / SLOWER; seed++) {
        rng r = rng_make(seed, 11);
        table rows = random_rows(seed, &r);
        bool weighted = seed % 3 == 0, named = seed % 5 < 2;
        text t = text_of(&rows, &r, weighted, named);
        for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            uint64_t total = rows.n * (weighted ? 3 : 2) / 2;
            lode_mine_options o = random_request(&r, total, wanted[i]);
            compare(&t, &o, 1 + rng_below(&r, seed % 2 ? 40 : 1000));
        }
        table_free(&rows);
        free(t.data);
    }
    printf("    %llu runs from disk, %llu of them deep, %llu patterns\n",
           (unsigned long long)n_cases, (unsigned long long)n_deep, (unsigned long long)n_patterns);
    CHECK(n_cases > 200 / SLOWER && n_deep > 80 / SLOWER && n_patterns > 10000 / SLOWER);
    CHECK(n_shared > 100 / SLOWER);
    fingerprints = false;
}

/* ---- a real budget --------------------------------------------------------------------------- */

static void real_budget(void) {
    table rows = table_random(5, 36000, 150, 2, 25);
    for (unsigned kind = BY_BUILD(0, 2, 3); kind < 4; kind++) { /* the last ones use threads */
        rng r = rng_make(kind, 12);
        text t = text_of(&rows, &r, kind & 1, kind & 2);
        for (unsigned i = BY_BUILD(0, 0, 1); i < 4; i += BY_BUILD(1, 1, 4)) {
            lode_mine_options o = {.size = sizeof o, .target = wanted[i], .top_k = 40};
            o.min_support = (lode_threshold){6, 100};
            outcome memory = outcome_of(&t, &o, (setting){.threads = 1});
            setting s = {.threads = kind < 2 ? 1 : 4, .memory = (uint64_t)7 << 19};
            outcome disk = outcome_of(&t, &o, s);
            CHECK_EQUAL(disk.status, LODE_OK);
            CHECK_EQUAL(disk.hash, memory.hash);
            CHECK(disk.on_disk && disk.groups > 1);
        }
        free(t.data);
    }
    table_free(&rows);
}

/* Mines data that are in memory with a budget of its own; whether that went by disk. */
static bool by_disk(lode_ctx *ctx, const lode_dataset *data, uint64_t bytes, uint64_t hash) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {6, 100}};
    lode_job_options few = {
        .size = sizeof few, .threads = 2, .memory_bytes = bytes, .device = "cpu"};
    CHECK_EQUAL(lode_job_create(&job, ctx, &few), LODE_OK);
    lode_status status = lode_sink_hash(job, &sink, data);
    if (status == LODE_OK) status = lode_mine(job, data, &o, sink);
    CHECK(status == LODE_OK || status == LODE_BUDGET);
    bool spilled = status == LODE_OK && lode_job_report(job)->engine.spill_groups > 0;
    if (status == LODE_OK) CHECK_EQUAL(lode_sink_hash_value(sink), hash);
    lode_sink_free(sink);
    lode_job_free(job);
    return spilled;
}

/* Data that another job has read are in memory, but this job has too little to mine them there. */
static void short_of_memory(void) {
    table rows = table_random(6, 30000, 200, 1, 9);
    rng r = rng_make(1, 13);
    text t = text_of(&rows, &r, false, false);
    lode_mine_options o = {.size = sizeof o, .min_support = {6, 100}};
    outcome memory = outcome_of(&t, &o, (setting){.threads = 1});
    lode_ctx *ctx = NULL;
    lode_job *reader = NULL;
    lode_dataset *data = NULL;
    lode_read_options read = reading(&t, true);
    lode_ctx_options c = {.size = sizeof c, .threads = 2};
    unsigned n_spilled = 0;
    CHECK_EQUAL(lode_ctx_create(&ctx, &c), LODE_OK);
    CHECK_EQUAL(lode_job_create(&reader, ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_dataset_parse(reader, &data, t.data, t.n, "the text", &read), LODE_OK);
    CHECK(!data->spool);
    for (uint64_t kib = 500; kib < 3000; kib = kib * (8 + SLOWER) / 8) {
        n_spilled += by_disk(ctx, data, kib << 10, memory.hash);
    }
    CHECK(n_spilled > 0);
    lode_dataset_free(data);
    lode_job_free(reader);
    lode_ctx_free(ctx);
    table_free(&rows);
    free(t.data);
}

/* ---- early ends ------------------------------------------------------------------------------ */

typedef struct interrupter {
    lode_job *job;
    uint64_t polls, at;
} interrupter;

static void interrupt_at(void *user) {
    interrupter *i = user;
    if (i->polls++ == i->at) lode_job_cancel(i->job);
}

/* Ends a run at its k-th request for memory, or at its k-th poll; false: it came to its end. */
static bool end_at(const text *t, const lode_mine_options *o, uint64_t k, bool cancel) {
    faulty memory = {.fail_at = cancel ? UINT64_MAX : k};
    interrupter poll = {.at = cancel ? k : UINT64_MAX};
    lode_job_options c = {.size = sizeof c, .threads = 1, .device = "cpu"};
    lode_job *job = NULL;
    outcome out = {.status = LODE_NOMEM};
    pthread_mutex_init(&memory.lock, NULL);
    lode_status created = job_with_memory(&job, &c, faulty_resize, &memory);
    if (created == LODE_OK) {
        poll.job = job;
        job->spill_most = 60;
        job->on_poll = interrupt_at;
        job->on_poll_user = &poll;
        out = outcome_in(job, t, o, true);
        lode_job_free(job);
    }
    bool ended = cancel ? poll.polls > k : memory.calls > k;
    CHECK_EQUAL(out.status, !ended ? LODE_OK : cancel ? LODE_CANCELLED : LODE_NOMEM);
    CHECK_EQUAL(memory.live, 0);
    CHECK(!memory.wrong_size);
    pthread_mutex_destroy(&memory.lock);
    return ended;
}

static void early_ends(void) {
    table rows = table_random(8, 40, 14, 20, 70);
    for (unsigned kind = 0; kind < 4; kind++) {
        rng r = rng_make(kind, 14);
        text t = text_of(&rows, &r, kind & 1, kind & 2);
        lode_mine_options o = {.size = sizeof o, .min_support = {14, 0}, .target = wanted[kind]};
        o.top_k = 30;
        o.limit_seconds = 1e6; /* so that every check is a poll */
        uint64_t n = 0;
        for (uint64_t k = 0; end_at(&t, &o, k, false); k += SLOWER + k / 24) n++;
        CHECK(n > 50 / SLOWER);
        n = 0;
        for (uint64_t k = 0; end_at(&t, &o, k, true); k += SLOWER + k / 16) n++;
        CHECK(n > 20 / SLOWER);
        free(t.data);
    }
    table_free(&rows);
}

/* Writing more than a number of bytes fails as on a full disk. */
static void full_disk(void) {
    table rows = table_random(9, 400, 30, 20, 70);
    rng r = rng_make(1, 15);
    text t = text_of(&rows, &r, false, false);
    lode_mine_options o = {.size = sizeof o, .min_support = {160, 0}};
    struct rlimit old, few;
    unsigned n_failed = 0;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (rlim_t bytes = 1; bytes < 40000; bytes = bytes * 5 / 4 + 1) {
        lode_job *job = NULL;
        lode_job_options c = {.size = sizeof c, .threads = 1, .device = "cpu"};
        CHECK_EQUAL(lode_job_create(&job, NULL, &c), LODE_OK);
        job->spill_most = 500;
        few = (struct rlimit){bytes, old.rlim_max};
        setrlimit(RLIMIT_FSIZE, &few);
        outcome out = outcome_in(job, &t, &o, true);
        setrlimit(RLIMIT_FSIZE, &old);
        n_failed += out.status == LODE_IO;
        CHECK(out.status == LODE_OK || out.status == LODE_IO);
        CHECK(out.status == LODE_OK || strstr(lode_job_error(job), "--spill"));
        lode_job_free(job);
    }
    CHECK(n_failed > 5);
    table_free(&rows);
    free(t.data);
}

/* ---- what cannot be done --------------------------------------------------------------------- */

static void refusals(void) {
    text t = {0};
    lode_job *job = NULL;
    lode_dataset *data = NULL, *joint = NULL;
    lode_sink *sink = NULL;
    lode_suggestion *suggestion = NULL;
    for (unsigned i = 0; i < 50; i++) text_add(&t, "1 2 3 4 5\n2 3 4\n");
    lode_read_options read = reading(&t, true);
    lode_mine_options o = {.size = sizeof o, .min_support = {2, 0}};
    lode_rule_options rules = {.size = sizeof rules, .min_support = {2, 0}};
    CHECK_EQUAL(lode_job_create(&job, NULL, NULL), LODE_OK);
    job->spill_most = 10;
    CHECK_EQUAL(lode_dataset_parse(job, &data, t.data, t.n, "the text", &read), LODE_OK);
    CHECK(data->spool);
    CHECK_EQUAL(lode_dataset_transaction(data, 0, NULL, 0), 0);
    CHECK_EQUAL(lode_dataset_prepare(job, data, &o), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "on disk"));
    const lode_dataset *parts[] = {data};
    CHECK_EQUAL(lode_dataset_merge(job, &joint, parts, 1), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_suggest(job, data, NULL, &suggestion), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_dataset_select(job, data, NULL, NULL, NULL, NULL), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_dataset_write(job, data, NULL, "-", NULL), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_generate_mutate(job, data, "/dev/null", NULL), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_clean(job, &joint, data, NULL, NULL), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_dataset_adopt_names(job, data, "", 1), LODE_UNSUPPORTED);
    CHECK_EQUAL(lode_rule_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, &rules, sink), LODE_UNSUPPORTED);
    lode_sink_free(sink);
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    o.target = LODE_TARGET_GENERATORS;
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_BUDGET);
    o.target = LODE_TARGET_ALL;
    o.root_end = 1;
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_BUDGET);
    o.root_end = 0;
    o.algorithm = "brute";
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_UNSUPPORTED);
    CHECK(strstr(lode_job_error(job), "adaptive"));
    o.algorithm = NULL;
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK); /* what can be done is still possible */
    CHECK_EQUAL(lode_sink_patterns(sink), 31);
    read.keep_ids = true;
    CHECK_EQUAL(lode_dataset_parse(job, &joint, t.data, t.n, "x", &read), LODE_INVALID);
    read.keep_ids = false;
    read.spill = "/tmp/there/is/no/such/folder";
    CHECK_EQUAL(lode_dataset_parse(job, &joint, t.data, t.n, "x", &read), LODE_IO);
    CHECK(!joint && strstr(lode_job_error(job), read.spill));
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    free(t.data);
}

int main(void) {
    if (!mkdtemp(folder)) return 2;
    CHECK_RUN(small_data);
    CHECK_RUN(real_budget);
    CHECK_RUN(short_of_memory);
    CHECK_RUN(early_ends);
    CHECK_RUN(full_disk);
    CHECK_RUN(refusals);
    CHECK_EQUAL(rmdir(folder), 0); /* nothing was left in it */
    return check_result();
}
