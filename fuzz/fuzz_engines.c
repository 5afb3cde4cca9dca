/* fuzz_engines.c - random data x random options x every engine, against an oracle of its own
 *
 * The first bytes of an input choose options and the shape of the data; the others are transactions
 * over at most 16 items. That is few enough to count all 2^16 sets by definition, with nothing of
 * the library: a table of supports by mask, and what each target asks for read off it. Every engine
 * of the list then mines the same data into a sink that keeps, and one that only counts.
 *
 *     byte  0 items   1 flags of the data   2 copies of the transactions   3 threshold   4 target
 *           5 sizes   6 kernels, threads and device   7 limits and budget   8 options of engines
 *           9 … two bytes a transaction
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#define ENGINES_ITEMS   16u
#define ENGINES_WEIGHT  4u
#define ENGINES_HEAD    9u
#define ENGINES_ROWS    400u
#define ENGINES_MOST    4000u /* patterns of all frequent sets; the threshold rises until then */
#define ENGINES_MASKS   (1u << ENGINES_ITEMS)
#define ENGINES_SMALL   ((uint64_t)3 << 20)
#define ENGINES_DEVICES "LODE_TEST_DEVICES"

/* ---- the data ------------------------------------------------------------------------------- */

typedef struct engines_data {
    unsigned n_items;
    uint32_t first_item; /* item i has the number first_item + 3 i */
    uint32_t n;          /* transactions */
    uint16_t masks[ENGINES_ROWS];
    uint32_t weights[ENGINES_ROWS];
    bool weighted, repeated, rare;
    uint32_t copies;
} engines_data;

enum {
    DATA_WEIGHTS = 1,  /* transactions count several times */
    DATA_REPEATED = 2, /* an item is listed twice */
    DATA_RARE = 4,     /* each transaction has items of its own */
    DATA_SPARSE = 8,   /* few items a transaction, or, with the next one, most of them */
    DATA_DENSE = 16,
    DATA_TWINS = 32, /* some items go together always */
    DATA_CHAIN = 64, /* a transaction differs little from the one before */
    DATA_HIGH = 128  /* large item numbers */
};

static uint16_t engines_mask(const uint8_t *at, uint8_t flags, uint16_t before) {
    uint16_t mask = (uint16_t)(at[0] | at[1] << 8);
    uint16_t turned = (uint16_t)(mask >> 5 | mask << 11);
    if (flags & DATA_SPARSE) mask &= turned;
    if (flags & DATA_DENSE) mask |= (uint16_t)(turned >> 3 | turned << 13);
    if (flags & DATA_CHAIN) mask = before ^ (mask & turned & 0x1111);
    if (flags & DATA_TWINS) mask = (uint16_t)((mask & ~0xccu) | (mask & 0x33u) << 2);
    return mask;
}

static engines_data engines_decode(const uint8_t *bytes, size_t n) {
    static const uint32_t starts[] = {65530, 4194300, 10000001, UINT32_MAX - 30000};
    uint8_t flags = bytes[1];
    engines_data d = {.n_items = 1 + bytes[0] % ENGINES_ITEMS, .weighted = flags & DATA_WEIGHTS};
    uint16_t all = (uint16_t)((1u << d.n_items) - 1), mask = all;
    d.repeated = flags & DATA_REPEATED;
    d.rare = flags & DATA_RARE;
    d.first_item = flags & DATA_HIGH ? starts[bytes[0] >> 6] : bytes[0] >> 6;
    for (size_t i = ENGINES_HEAD; i + 1 < n && d.n < ENGINES_ROWS; i += 2) {
        mask = engines_mask(bytes + i, flags, mask) & all;
        d.masks[d.n] = mask;
        d.weights[d.n++] =
            d.weighted ? bytes[i] % (ENGINES_WEIGHT + 1) : 1; /* 0: as if it were not there */
    }
    d.copies = 1 + bytes[2] % 8u * (bytes[2] > 127 ? 37u : 1u);
    if (d.n * d.copies > 20000) d.copies = 1;
    return d;
}

/* As the arrays that lode_dataset_from_arrays() takes. */
typedef struct engines_arrays {
    uint64_t n, *offsets;
    uint32_t *items, *weights;
} engines_arrays;

static engines_arrays engines_fill(const engines_data *d) {
    engines_arrays a = {.n = (uint64_t)d->n * d->copies};
    uint64_t k = 0;
    a.offsets = malloc((a.n + 1) * sizeof *a.offsets);
    a.items = malloc((a.n * (ENGINES_ITEMS + 3) + 1) * sizeof *a.items);
    a.weights = malloc((a.n + 1) * sizeof *a.weights);
    fuzz_require(a.offsets && a.items && a.weights, "no memory");
    a.offsets[0] = 0;
    for (uint64_t t = 0; t < a.n; t++) {
        uint16_t mask = d->masks[t % d->n];
        a.weights[t] = d->weights[t % d->n];
        for (unsigned i = d->n_items; i-- > 0;) { /* not in order */
            if (mask >> i & 1) a.items[k++] = d->first_item + 3 * i;
        }
        if (d->repeated && mask) a.items[k] = a.items[k - 1], k++;
        if (d->rare) a.items[k++] = d->first_item + 3 * ENGINES_ITEMS + 1 + (uint32_t)t;
        a.offsets[t + 1] = k;
    }
    return a;
}

static void engines_free(engines_arrays *a) {
    free(a->offsets);
    free(a->items);
    free(a->weights);
}

/* ---- the oracle ------------------------------------------------------------------------------ */

static uint64_t oracle_support[ENGINES_MASKS];
static bool oracle_wanted[ENGINES_MASKS];

static void oracle_count(const engines_data *d) {
    uint32_t n_masks = 1u << d->n_items;
    memset(oracle_support, 0, sizeof oracle_support);
    for (uint32_t t = 0; t < d->n; t++) {
        oracle_support[d->masks[t]] += (uint64_t)d->weights[t] * d->copies;
    }
    for (unsigned i = 0; i < d->n_items; i++) {
        for (uint32_t mask = 0; mask < n_masks; mask++) {
            if (!(mask >> i & 1)) oracle_support[mask] += oracle_support[mask | 1u << i];
        }
    }
}

static uint64_t oracle_frequent(const engines_data *d, uint64_t min_count) {
    uint64_t n = 0;
    for (uint32_t mask = 1; mask < 1u << d->n_items; mask++) n += oracle_support[mask] >= min_count;
    return n;
}

/* The best support of the sets of one item more, or the least of those of one item less. */
static uint64_t oracle_above(const engines_data *d, uint32_t mask) {
    uint64_t best = 0;
    for (unsigned i = 0; i < d->n_items; i++) {
        uint64_t s = mask >> i & 1 ? 0 : oracle_support[mask | 1u << i];
        if (s > best) best = s;
    }
    return best;
}

static uint64_t oracle_below(const engines_data *d, uint32_t mask) {
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < d->n_items; i++) {
        uint64_t s = mask >> i & 1 ? oracle_support[mask & ~(1u << i)] : UINT64_MAX;
        if (s < least) least = s;
    }
    return least;
}

static bool oracle_takes(const engines_data *d, const lode_mine_options *o, uint32_t mask) {
    uint64_t support = oracle_support[mask], min_count = o->min_support.numerator;
    uint32_t size = (uint32_t)__builtin_popcount(mask);
    if (mask == 0 || support < min_count) return false;
    if (size < o->min_size || (o->max_size > 0 && size > o->max_size)) return false;
    switch (o->target) {
    case LODE_TARGET_CLOSED: return oracle_above(d, mask) < support;
    case LODE_TARGET_MAXIMAL: return oracle_above(d, mask) < min_count;
    case LODE_TARGET_GENERATORS: return oracle_below(d, mask) > support;
    default: return true;
    }
}

/* The support that a pattern needs to be among the best K. */
static uint64_t oracle_top(uint32_t n_masks, uint64_t k) {
    uint64_t low = 1, high = UINT64_MAX; /* the largest that K patterns reach, by halving */
    while (low < high) {
        uint64_t middle = high - (high - low) / 2, n = 0;
        for (uint32_t mask = 1; mask < n_masks; mask++) {
            n += oracle_wanted[mask] && oracle_support[mask] >= middle;
        }
        if (n >= k) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Marks the patterns that are wanted and returns how many there are. */
static uint64_t oracle_mark(const engines_data *d, const lode_mine_options *o) {
    uint32_t n_masks = 1u << d->n_items;
    uint64_t n = 0;
    for (uint32_t mask = 0; mask < n_masks; mask++) oracle_wanted[mask] = oracle_takes(d, o, mask);
    uint64_t least = o->target == LODE_TARGET_TOP ? oracle_top(n_masks, o->top_k) : 0;
    for (uint32_t mask = 0; mask < n_masks; mask++) {
        oracle_wanted[mask] = oracle_wanted[mask] && oracle_support[mask] >= least;
        n += oracle_wanted[mask];
    }
    return n;
}

/* ---- one engine ------------------------------------------------------------------------------ */

typedef struct engines_case {
    const engines_data *data;
    const engines_arrays *arrays;
    lode_mine_options options;
    lode_paper_options papers; /* to which the options point */
    lode_job_options job;
    uint64_t wanted;
} engines_case;

/* The items of the oracle, from the name of an id. */
static uint32_t engines_bit(const engines_case *c, const lode_dataset *data, uint32_t id) {
    char name[16] = "";
    fuzz_require(lode_dataset_item_name(data, id, name, sizeof name - 1) < sizeof name, "a name");
    uint64_t number = strtoull(name, NULL, 10) - c->data->first_item;
    fuzz_require(number % 3 == 0 && number / 3 < c->data->n_items, "an item that is not there");
    return 1u << (number / 3);
}

/* Every pattern is wanted, has its support, and occurs once. */
static void engines_compare(const engines_case *c, const lode_dataset *data, lode_result r) {
    static bool seen[ENGINES_MASKS];
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < r.n; i++) {
        uint32_t mask = 0;
        for (uint64_t k = r.offsets[i]; k < r.offsets[i + 1]; k++) {
            mask |= engines_bit(c, data, r.items[k]);
        }
        fuzz_require(oracle_wanted[mask], "a pattern that nobody asked for");
        fuzz_require(r.supports[i] == oracle_support[mask], "a wrong support");
        fuzz_require(!seen[mask], "a pattern twice");
        seen[mask] = true;
    }
}

static bool engines_is_limited(const engines_case *c) {
    return c->options.limit_patterns > 0 || c->options.limit_seconds > 0;
}

/* Whether the status is one that these options may lead to; an answer that is complete is right. */
static void engines_check(const engines_case *c, lode_job *job, lode_status status, uint64_t n) {
    bool refused = status == LODE_UNSUPPORTED || (status == LODE_BUDGET && c->job.memory_bytes);
    if (refused) return;
    if (status == LODE_STOPPED) {
        fuzz_require(engines_is_limited(c), "stopped by nothing");
        fuzz_require(n <= c->wanted || c->options.target == LODE_TARGET_TOP, "too many");
        return;
    }
    fuzz_require(status == LODE_OK, lode_job_error(job));
    char found[64];
    snprintf(found, sizeof found, "%llu patterns", (unsigned long long)n);
    fuzz_require(n == c->wanted, found);
}

static void engines_mine(const engines_case *c, lode_job *job, const lode_dataset *data,
                         bool keep) {
    lode_sink *sink = NULL;
    lode_status status = keep ? lode_sink_memory(job, &sink) : lode_sink_count(job, &sink);
    if (status == LODE_OK) status = lode_mine(job, data, &c->options, sink);
    fuzz_require((lode_job_error(job)[0] == 0) == (status == LODE_OK), "a status and its message");
    bool partial = status == LODE_STOPPED;
    if (keep && (status == LODE_OK || partial)) {
        lode_status finished = lode_sink_finish(sink, partial);
        if (finished != LODE_OK) status = finished;
    }
    uint64_t n = sink ? lode_sink_patterns(sink) : 0;
    engines_check(c, job, status, n);
    bool whole = status == LODE_OK || (partial && c->options.target != LODE_TARGET_TOP);
    if (keep && whole) {
        lode_result result = LODE_INIT(lode_result);
        fuzz_require(lode_sink_result(sink, &result), "no result");
        engines_compare(c, data, result);
    }
    lode_sink_free(sink);
}

/* What a failure says. */
static void engines_describe(const engines_case *c) {
    static char text[400];
    const lode_mine_options *o = &c->options;
    snprintf(text, sizeof text,
             "%s on %s, threads %u: target %d, K %llu, support %llu of %llu, sizes %u to %u, "
             "limits %llu patterns, %g s, %llu bytes; %s, %llu wanted",
             o->algorithm, c->job.device, c->job.threads, (int)o->target,
             (unsigned long long)o->top_k, (unsigned long long)o->min_support.numerator,
             (unsigned long long)oracle_support[0], o->min_size, o->max_size,
             (unsigned long long)o->limit_patterns, o->limit_seconds,
             (unsigned long long)c->job.memory_bytes, c->data->weighted ? "weights" : "no weights",
             (unsigned long long)c->wanted);
    fuzz_subject = text;
}

/* Every engine, one after the other in one context: a job that failed must harm no later one. */
static void engines_run(engines_case *c) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    const engines_arrays *a = c->arrays;
    lode_algorithm algorithm = LODE_INIT(lode_algorithm);
    fuzz_subject = "";
    fuzz_require(lode_job_create(&job, NULL, &c->job) == LODE_OK, "no context");
    lode_status status = lode_dataset_from_arrays(job, &data, a->n, a->offsets, a->items,
                                                  c->data->weighted ? a->weights : NULL);
    bool may_fail = status == LODE_BUDGET && c->job.memory_bytes > 0;
    fuzz_require(status == LODE_OK || may_fail, lode_job_error(job));
    for (size_t i = 0; status == LODE_OK && lode_algorithm_at(LODE_ITEMSETS, i, &algorithm); i++) {
        if (algorithm.oracle && c->data->first_item > 3) continue; /* looks at all numbers below */
        c->options.algorithm = algorithm.name;
        engines_describe(c);
        engines_mine(c, job, data, true);
        engines_mine(c, job, data, false);
    }
    lode_dataset_free(data);
    fuzz_require(lode_ctx_memory_used(lode_job_ctx(job)) == 0, "memory is left over");
    lode_job_free(job);
}

/* ---- options --------------------------------------------------------------------------------- */

static lode_mine_options engines_options(const engines_data *d, const uint8_t *bytes,
                                         lode_paper_options *papers) {
    static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                          LODE_TARGET_GENERATORS, LODE_TARGET_TOP};
    lode_mine_options o = {.size = sizeof o, .target = targets[bytes[4] % 5]};
    uint64_t min_count = 1 + oracle_support[0] * bytes[3] / 400;
    if (d->rare) min_count += ENGINES_WEIGHT; /* items of a single transaction stay below */
    while (oracle_frequent(d, min_count) > ENGINES_MOST) min_count += 1 + min_count / 8;
    o.min_support.numerator = min_count;
    o.top_k = 1 + bytes[4] / 5u;
    o.min_size = bytes[5] & 64 ? 1 + (bytes[5] & 7u) : 0;
    o.max_size = bytes[5] & 128 ? 1 + (bytes[5] >> 3 & 7u) : 0;
    if (o.max_size > 0 && o.max_size < o.min_size) o.max_size = o.min_size;
    if ((bytes[7] & 7) == 1) o.limit_patterns = 1 + bytes[7] / 8u;
    if ((bytes[7] & 7) == 2) o.limit_seconds = 1e-6 * (1 + bytes[7]);
    o.epsilon = bytes[8] & 1 ? 1u << (bytes[8] >> 2 & 7) : 0;
    o.max_lists = bytes[8] & 2 ? 1u << (bytes[8] >> 2 & 15) : 0;
    *papers = (lode_paper_options){.size = sizeof *papers};
    papers->popcount = (lode_popcount)(bytes[8] % 4);
    papers->reduce = (lode_reduce)(bytes[8] >> 5 & 1);
    papers->grid = (lode_grid)(bytes[8] >> 6 & 1);
    papers->grid_rows = bytes[8] >> 7;
    o.papers = papers;
    return o;
}

/* Forces the kernels of this name, if the processor has them. NULL: the best. */
static void use_kernels(const char *name) {
    lode_device device = LODE_INIT(lode_device);
    unsetenv("LODE_CPU");
    if (!name) return;
    setenv("LODE_CPU", name, 1);
    if (!lode_device_at(0, &device) || !device.usable) unsetenv("LODE_CPU");
}

/* Where to run; LODE_TEST_DEVICES names a device to use instead, such as a GPU. */
static lode_job_options engines_job(const uint8_t *bytes) {
    static const char *const devices[] = {"cpu", "cpu*1", "cpu*2", "cpu*3"};
#if defined(__x86_64__)
    static const char *const kernels[] = {"avx512", "avx2", "scalar"};
#else
    static const char *const kernels[] = {"scalar", "scalar", "scalar"};
#endif
    const char *device = getenv(ENGINES_DEVICES);
    lode_job_options c = {.size = sizeof c, .threads = 1 + (bytes[6] >> 2) % 3u};
    c.device = device ? device : devices[bytes[6] & 3];
    if ((bytes[7] & 7) == 3) c.memory_bytes = 4096 + ENGINES_SMALL * (bytes[7] / 8u) / 32;
    use_kernels(bytes[6] & 128 ? kernels[(bytes[6] >> 4) % 3] : NULL);
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < ENGINES_HEAD + 2) return 0;
    engines_data data = engines_decode(bytes, n);
    oracle_count(&data);
    engines_arrays arrays = engines_fill(&data);
    engines_case c = {.data = &data, .arrays = &arrays};
    c.options = engines_options(&data, bytes, &c.papers);
    c.job = engines_job(bytes);
    bool one_device = !strpbrk(c.job.device, "*+") || strcmp(c.job.device, "cpu*1") == 0;
    c.papers.grid_rows = c.papers.grid_rows && one_device; /* refused for several */
    c.wanted = oracle_mark(&data, &c.options);
    engines_run(&c);
    engines_free(&arrays);
    return 0;
}
