/* test_sinks.c - sinks fed by hand, compared with a formatter that writes one item at a time
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sys/stat.h>

#include "base/rng.h"
#include "base/sort.h"
#include "generated.h"
#include "sink_feed.h"
#include "write/itemsets/item_columns.h"
#include "write/itemsets/item_lines.h"
#include "write/itemsets/item_memory.h"

/* ---- data ---------------------------------------------------------------------------------- */

/* A data set of n baskets, one item each, so that the ids are those of the sorted names. */
static lode_dataset *name_data(lode_job *job, const char *const *names, size_t n) {
    lode_dataset *data = NULL;
    lode_read_options options = {
        .size = sizeof options, .format = LODE_FORMAT_BASKET, .separator = ','};
    vec_char text = {0};
    for (size_t i = 0; i < n; i++) {
        CHECK_EQUAL(vec_char_append(&job->mem, &text, "\"", 1), LODE_OK);
        for (const char *c = names[i]; *c; c++) {
            const char *quoted = *c == '"' ? "\"\"" : c;
            CHECK_EQUAL(vec_char_append(&job->mem, &text, quoted, *c == '"' ? 2 : 1), LODE_OK);
        }
        CHECK_EQUAL(vec_char_append(&job->mem, &text, "\"\n", 2), LODE_OK);
    }
    CHECK_EQUAL(lode_dataset_parse(job, &data, text.data, text.n, "names", &options), LODE_OK);
    vec_char_free(&job->mem, &text);
    return data;
}

#define N_ITEMS 64

/* Names of 1 to 8 letters; every eighth has about `long_bytes` of them. */
static lode_dataset *random_data(lode_job *job, rng *r, size_t long_bytes) {
    static char names[N_ITEMS][10100];
    const char *list[N_ITEMS];
    for (size_t i = 0; i < N_ITEMS; i++) {
        size_t n = 1 + rng_below(r, 8);
        if (i % 8 == 7) n = long_bytes + rng_below(r, 70);
        for (size_t k = 0; k < n; k++) names[i][k] = "abc,(\" xyz"[rng_below(r, 10)];
        names[i][0] = (char)('0' + i); /* no blank in front, no two alike */
        names[i][n] = 'e';
        names[i][n + 1] = 0;
        list[i] = names[i];
    }
    return name_data(job, list, N_ITEMS);
}

/* ---- the naive formatter ------------------------------------------------------------------- */

typedef struct text_buffer {
    char *data;
    size_t n, cap;
} text_buffer;

static void put_bytes(text_buffer *b, const char *text, size_t n) {
    if (b->n + n + 1 > b->cap) {
        b->cap = 2 * (b->n + n + 1);
        b->data = realloc(b->data, b->cap);
        if (!b->data) exit(2);
    }
    memcpy(b->data + b->n, text, n);
    b->n += n;
    b->data[b->n] = 0;
}

static void put_string(text_buffer *b, const char *text) {
    put_bytes(b, text, strlen(text));
}

static void put_count(text_buffer *b, uint64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, n);
    put_string(b, text);
}

/* In quotes if `quote`, each of `special` preceded by `escape`. */
static void put_escaped(text_buffer *b, const char *text, size_t n, const char *special,
                        char escape, bool quote) {
    if (quote) put_bytes(b, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        if (strchr(special, text[i])) put_bytes(b, &escape, 1);
        put_bytes(b, text + i, 1);
    }
    if (quote) put_bytes(b, "\"", 1);
}

static void put_item(text_buffer *b, const lode_dataset *data, uint32_t item,
                     lode_write_format format) {
    static char name[10240];
    size_t n = lode_dataset_item_name(data, item, name, sizeof name - 1);
    name[n] = 0;
    if (format == LODE_WRITE_JSONL) {
        put_escaped(b, name, n, "\"\\", '\\', true);
    } else {
        bool quote = strpbrk(name, format == LODE_WRITE_CSV ? "|\"\t" : " \"()\t") != NULL;
        put_escaped(b, name, n, quote ? "\"" : "", '"', quote);
    }
}

/* Supports are multiples of the number of transactions, so that the ratio is a whole number; how
 * fractions look is another test. */
static void put_pattern(text_buffer *b, const lode_dataset *data, lode_write_format format,
                        const uint32_t *items, size_t n, uint64_t support) {
    static text_buffer cell;
    bool json = format == LODE_WRITE_JSONL;
    cell.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0) put_string(&cell, json ? "," : format == LODE_WRITE_CSV ? "|" : " ");
        put_item(&cell, data, items[i], format);
    }
    if (json) put_string(b, "{\"items\":[");
    if (format == LODE_WRITE_CSV) {
        put_escaped(b, cell.data, cell.n, "\"", '"', true);
    } else {
        put_bytes(b, cell.data, cell.n);
    }
    if (format == LODE_WRITE_FIMI) put_string(b, " (");
    if (format == LODE_WRITE_SPMF) put_string(b, " #SUP: ");
    if (format == LODE_WRITE_CSV) put_string(b, ","), put_count(b, n), put_string(b, ",");
    if (json) put_string(b, "],\"count\":");
    put_count(b, support);
    if (format == LODE_WRITE_FIMI) put_string(b, ")");
    if (format == LODE_WRITE_CSV) put_string(b, ",");
    if (json) put_string(b, ",\"support\":");
    if (format == LODE_WRITE_CSV || json) put_count(b, support / N_ITEMS);
    put_string(b, json ? "}\n" : "\n");
}

static void put_batch(text_buffer *b, const lode_dataset *data, lode_write_format format,
                      const lode_batch *batch) {
    uint32_t items[N_ITEMS];
    for (uint32_t i = 0; i < batch->n; i++) {
        memcpy(items, batch->prefix, batch->n_prefix * sizeof *items);
        items[batch->n_prefix] = batch->items[i];
        sort_u32(items, batch->n_prefix + 1);
        put_pattern(b, data, format, items, batch->n_prefix + 1, batch->supports[i]);
    }
}

/* ---- random batches ------------------------------------------------------------------------ */

typedef struct random_batch {
    lode_batch batch;
    uint32_t order[N_ITEMS]; /* prefix, then items: no item twice */
    uint64_t supports[N_ITEMS];
} random_batch;

/* Keeps part of the last prefix, as a search does. Supports are multiples of the number of
 * transactions, of all lengths. */
static void random_next(random_batch *x, rng *r, uint32_t most_prefix) {
    uint32_t keep = (uint32_t)rng_below(r, x->batch.n_prefix + 1);
    uint32_t n_prefix = keep + (uint32_t)rng_below(r, 4);
    if (n_prefix > most_prefix) n_prefix = (uint32_t)rng_below(r, most_prefix + 1);
    if (keep > n_prefix) keep = n_prefix;
    for (uint32_t i = N_ITEMS - 1; i > keep; i--) {
        uint32_t j = keep + (uint32_t)rng_below(r, i - keep + 1), item = x->order[i];
        x->order[i] = x->order[j];
        x->order[j] = item;
    }
    x->batch = (lode_batch){.prefix = x->order,
                            .n_prefix = n_prefix,
                            .items = x->order + n_prefix,
                            .supports = x->supports,
                            .n = 1 + (uint32_t)rng_below(r, 5)};
    for (uint32_t i = 0; i < x->batch.n; i++) {
        x->supports[i] = N_ITEMS * (1 + (rng_u64(r) >> (35 + rng_below(r, 29))));
    }
}

static void random_start(random_batch *x) {
    *x = (random_batch){0};
    for (uint32_t i = 0; i < N_ITEMS; i++) x->order[i] = i;
}

static void check_same(const text_buffer *want, const char *got) {
    size_t at = 0;
    while (at < want->n && want->data[at] == got[at]) at++;
    if (!CHECK(at == want->n && got[at] == 0)) {
        size_t from = at > 60 ? at - 60 : 0;
        fprintf(stderr, "  at byte %zu\n  got  %.120s\n  want %.120s\n", at, got + from,
                want->data + from);
    }
}

static void check_random(lode_write_format format, size_t long_bytes, uint32_t most_prefix,
                         unsigned rounds) {
    lode_job *job = generated_job(1);
    rng r = rng_make(7, (uint64_t)format);
    lode_dataset *data = random_data(job, &r, long_bytes);
    lode_sink *sink = text_sink(job, data, format, false);
    sink_worker *worker = NULL;
    text_buffer want = {0};
    random_batch x;
    random_start(&x);
    if (format == LODE_WRITE_CSV) put_string(&want, "items,size,count,support\n");
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    for (unsigned i = 0; i < rounds; i++) {
        random_next(&x, &r, most_prefix);
        CHECK_EQUAL(sink_emit(worker, &x.batch), LODE_OK);
        put_batch(&want, data, format, &x.batch);
    }
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    char *got = finish_text(sink);
    check_same(&want, got);
    free(got);
    free(want.data);
    lode_dataset_free(data);
    generated_done(job);
}

/* Short names stay in the levels of families.c, long ones do not fit; the middle goes to and
 * fro. */
static void test_random_batches(void) {
    for (int format = LODE_WRITE_FIMI; format <= LODE_WRITE_JSONL; format++) {
        check_random((lode_write_format)format, 4, 40, 1500);
        check_random((lode_write_format)format, 60, 40, 1000);
        check_random((lode_write_format)format, 300, 12, 500);
        check_random((lode_write_format)format, 10000, 6, 60);
    }
}

/* ---- exact texts --------------------------------------------------------------------------- */

static void check_text_of(const lode_dataset *data, lode_job *job, const lode_batch *batch,
                          const char *const want[4]) {
    for (int format = 0; format < 4; format++) {
        lode_sink *sink = text_sink(job, data, (lode_write_format)format, false);
        emit_one(sink, batch);
        char *got = finish_text(sink);
        if (got) CHECK_TEXT(got, want[format]);
        free(got);
    }
}

static void test_names(void) {
    const char *names[] = {"a(b)",        "milk",     "say \"hi\"",
                           "sour cream",  "x,y",      "\xc5\xbelu\xc5\xa5",
                           "back\\slash", "tab\there"};
    /* in order: a(b) 0, back\slash 1, milk 2, say "hi" 3, sour cream 4, tab 5, x,y 6, žluť 7 */
    lode_job *job = generated_job(1);
    lode_dataset *data = name_data(job, names, 8);
    lode_batch batch = {.prefix = (const uint32_t[]){6, 3, 0, 7, 2, 5, 1},
                        .n_prefix = 7,
                        .items = (const uint32_t[]){4},
                        .supports = (const uint64_t[]){5},
                        .n = 1};
    const char *want[4] = {
        "\"a(b)\" back\\slash milk \"say \"\"hi\"\"\" \"sour cream\" \"tab\there\" x,y "
        "\xc5\xbelu\xc5\xa5 (5)\n",
        "\"a(b)\" back\\slash milk \"say \"\"hi\"\"\" \"sour cream\" \"tab\there\" x,y "
        "\xc5\xbelu\xc5\xa5 #SUP: 5\n",
        "items,size,count,support\n\"a(b)|back\\slash|milk|\"\"say \"\"\"\"hi\"\"\"\"\"\"|"
        "sour cream|\"\"tab\there\"\"|x,y|\xc5\xbelu\xc5\xa5\",8,5,0.625\n",
        "{\"items\":[\"a(b)\",\"back\\\\slash\",\"milk\",\"say \\\"hi\\\"\",\"sour cream\","
        "\"tab\\u0009here\",\"x,y\",\"\xc5\xbelu\xc5\xa5\"],\"count\":5,\"support\":0.625}\n",
    };
    check_text_of(data, job, &batch, want);
    lode_dataset_free(data);
    generated_done(job);
}

/* Numbers sort as numbers and are bare in json; 007 is a name and stays one. */
static void test_numbers(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "10 9 100\n9\n10\n");
    lode_batch batch = {.prefix = (const uint32_t[]){100, 9},
                        .n_prefix = 2,
                        .items = (const uint32_t[]){10},
                        .supports = (const uint64_t[]){1},
                        .n = 1};
    const char *numbers[4] = {"9 10 100 (1)\n", "9 10 100 #SUP: 1\n",
                              "items,size,count,support\n9|10|100,3,1,0.333333333\n",
                              "{\"items\":[9,10,100],\"count\":1,\"support\":0.333333333}\n"};
    check_text_of(data, job, &batch, numbers);
    lode_dataset_free(data);

    data = line_data(job, "7 007\n7\n");
    batch.prefix = (const uint32_t[]){1};
    batch.n_prefix = 1;
    batch.items = (const uint32_t[]){0};
    const char *zeros[4] = {"7 007 (1)\n", "7 007 #SUP: 1\n",
                            "items,size,count,support\n7|007,2,1,0.5\n",
                            "{\"items\":[\"7\",\"007\"],\"count\":1,\"support\":0.5}\n"};
    check_text_of(data, job, &batch, zeros);
    lode_dataset_free(data);
    generated_done(job);
}

static void check_ratio(uint64_t support, uint64_t n, const char *want) {
    lines l = {.format = item_formats[LODE_WRITE_CSV], .n_transactions = n, .csv = csv_style_of(0)};
    char got[LINES_TAIL_MAX + 8], line[LINES_TAIL_MAX];
    char *end = l.format->put_tail(&l, got, 2, support);
    CHECK((size_t)(end - got) <= LINES_TAIL_MAX);
    *end = 0;
    snprintf(line, sizeof line, ",2,%" PRIu64 ",%s\n", support, want);
    CHECK_TEXT(got, line);
}

static void test_ratios(void) {
    check_ratio(1, 3, "0.333333333");
    check_ratio(2, 3, "0.666666667");
    check_ratio(3, 3, "1");
    check_ratio(1, 8, "0.125");
    check_ratio(45, 1000, "0.045");
    check_ratio(1, 1000000000, "0.000000001");
    check_ratio(100, 1000, "0.1");
    check_ratio(9999, 10000, "0.9999");
    check_ratio(10000, 10000, "1");
    check_ratio(123456789, 1000000000, "0.123456789");
    check_ratio(4294967295u, 4294967295u, "1");
    check_ratio(4294967296u, 8589934592u, "0.5");
    check_ratio(UINT64_MAX, UINT64_MAX, "1");
    check_ratio(1, UINT64_MAX, "0");
    check_ratio(0, 0, "0");
}

/* ---- perfect extensions and limits --------------------------------------------------------- */

static const lode_batch subset_lattice = {.prefix = (const uint32_t[]){0},
                                          .n_prefix = 1,
                                          .items = (const uint32_t[]){5, 1},
                                          .supports = (const uint64_t[]){9, 8},
                                          .n = 2,
                                          .perfect = (const uint32_t[]){4, 2, 3},
                                          .n_perfect = 3};

/* The pattern of a bit set must be there once, with the support of its item. */
static void check_cube(const lode_result *result, uint32_t least, uint32_t most) {
    uint64_t expected = 0;
    for (uint32_t set = 0; set < 64; set++) {
        bool five = set >> 5 & 1, one = set >> 1 & 1;
        uint32_t size = (uint32_t)__builtin_popcount(set);
        if (!(set & 1) || five == one || size < least || size > most) continue;
        expected++;
        unsigned seen = 0;
        for (uint64_t i = 0; i < result->n; i++) {
            uint32_t bits = 0;
            for (uint64_t k = result->offsets[i]; k < result->offsets[i + 1]; k++) {
                bits |= 1u << result->items[k];
            }
            seen += bits == set && result->supports[i] == (five ? 9u : 8u);
        }
        CHECK_EQUAL(seen, 1);
    }
    CHECK_EQUAL(result->n, expected);
}

static void test_perfect(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, "0 1 2 3 4 5\n");
    for (uint32_t least = 1; least <= 6; least++) {
        for (uint32_t most = least; most <= 6; most++) {
            lode_sink *memory = NULL, *count = NULL;
            lode_sink *text = text_sink(job, data, LODE_WRITE_FIMI, false);
            CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
            CHECK_EQUAL(lode_sink_count(job, &count), LODE_OK);
            lode_sink *sinks[] = {memory, count, text};
            for (int i = 0; i < 3; i++) {
                sink_limit(sinks[i], least, most);
                emit_one(sinks[i], &subset_lattice);
            }
            CHECK_EQUAL(lode_sink_finish(memory, false), LODE_OK);
            lode_result result = result_of(memory);
            check_cube(&result, least, most);
            CHECK_EQUAL(lode_sink_patterns(count), result.n);
            CHECK_EQUAL(lode_sink_patterns(text), result.n);
            for (uint32_t size = 0; size < 8; size++) {
                CHECK_EQUAL(lode_sink_patterns_of_size(count, size),
                            lode_sink_patterns_of_size(memory, size));
            }
            lode_sink_free(memory);
            lode_sink_free(count);
            char *got = finish_text(text);
            uint64_t n_lines = 0;
            for (const char *c = got; *c; c++) n_lines += *c == '\n';
            CHECK_EQUAL(n_lines, result.n);
            free(got);
        }
    }
    lode_dataset_free(data);
    generated_done(job);
}

/* A hypercube of n perfect extensions: counted, never enumerated. */
static lode_status emit_cube(lode_sink *sink, uint32_t n_perfect) {
    static uint32_t perfect[300];
    uint32_t item = 1000;
    uint64_t support = 2;
    sink_worker *worker = NULL;
    lode_batch batch = {
        .items = &item, .supports = &support, .n = 1, .perfect = perfect, .n_perfect = n_perfect};
    for (uint32_t i = 0; i < n_perfect; i++) perfect[i] = i;
    lode_status status = sink_open_worker(sink, &worker);
    if (status == LODE_OK) status = sink_emit(worker, &batch);
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static void test_binomials(void) {
    lode_job *job = generated_job(1);
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(emit_cube(sink, 62), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), UINT64_C(1) << 62);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 1), 1);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 3), 62 * 61 / 2);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 32), UINT64_C(465428353255261088));
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 63), 1);
    CHECK_EQUAL(lode_sink_largest(sink), 63);
    CHECK_EQUAL(emit_cube(sink, 63), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), UINT64_C(3) << 62);
    CHECK_EQUAL(emit_cube(sink, 62), LODE_UNSUPPORTED); /* 2^64 in all: the workers' sum */
    CHECK(strstr(lode_job_error(job), "2^64") != NULL);
    lode_sink_free(sink);

    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(emit_cube(sink, 64), LODE_UNSUPPORTED); /* every size fits, the sum does not */
    CHECK_EQUAL(emit_cube(sink, 300), LODE_UNSUPPORTED);
    lode_sink_free(sink);

    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    sink_limit(sink, 1, 3);
    CHECK_EQUAL(emit_cube(sink, 300), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 3), 300 * 299 / 2);
    CHECK_EQUAL(lode_sink_largest(sink), 3);
    lode_sink_free(sink);
    generated_done(job);
}

/* Items that a risen threshold has overtaken are left out, wherever they stand. */
static void test_threshold(void) {
    lode_job *job = generated_job(1);
    lode_sink *sink = NULL;
    lode_batch batch = {.items = (const uint32_t[]){1, 2, 3, 4, 5, 6},
                        .supports = (const uint64_t[]){4, 9, 5, 3, 3, 7},
                        .n = 6};
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    job_raise_threshold(job, 5);
    emit_one(sink, &batch);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result result = result_of(sink);
    CHECK_EQUAL(lode_sink_patterns(sink), 3);
    if (CHECK_EQUAL(result.n, 3)) {
        CHECK_EQUAL(result.items[0], 2);
        CHECK_EQUAL(result.items[1], 3);
        CHECK_EQUAL(result.items[2], 6);
    }
    lode_sink_free(sink);
    generated_done(job);
}

/* ---- order --------------------------------------------------------------------------------- */

/* The same batches into a memory sink and a sorting file: the file is the memory, printed. */
static void test_sorted(void) {
    for (int format = LODE_WRITE_FIMI; format <= LODE_WRITE_JSONL; format++) {
        lode_job *job = generated_job(1);
        rng r = rng_make(11, 0);
        lode_dataset *data = random_data(job, &r, 40);
        lode_sink *memory = NULL, *text = text_sink(job, data, (lode_write_format)format, true);
        text_buffer want = {0};
        random_batch x;
        random_start(&x);
        CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
        for (int i = 0; i < 500; i++) {
            random_next(&x, &r, 9);
            for (uint32_t k = 0; k < x.batch.n; k++) x.supports[k] = N_ITEMS; /* ties in order */
            emit_one(memory, &x.batch);
            emit_one(text, &x.batch);
        }
        CHECK_EQUAL(lode_sink_finish(memory, false), LODE_OK);
        lode_result result = result_of(memory);
        CHECK_EQUAL(result.n, lode_sink_patterns(memory));
        check_columns(&result);
        if (format == LODE_WRITE_CSV) put_string(&want, "items,size,count,support\n");
        for (uint64_t i = 0; i < result.n; i++) {
            put_pattern(&want, data, (lode_write_format)format, result.items + result.offsets[i],
                        result.offsets[i + 1] - result.offsets[i], result.supports[i]);
        }
        uint64_t patterns = lode_sink_patterns(text);
        char *got = finish_text(text);
        CHECK_EQUAL(patterns, result.n);
        check_same(&want, got);
        free(got);
        free(want.data);
        lode_sink_free(memory);
        lode_dataset_free(data);
        generated_done(job);
    }
}

/* ---- several workers ----------------------------------------------------------------------- */

#define N_WORKERS 4
#define N_ROUNDS  3000

typedef struct parallel_task {
    lode_sink *sink;
    uint32_t number;
    lode_status status;
} parallel_task;

static void *run_parallel(void *user) {
    parallel_task *task = user;
    sink_worker *worker = NULL;
    task->status = sink_open_worker(task->sink, &worker);
    for (uint64_t i = 1; i <= N_ROUNDS && task->status == LODE_OK; i++) {
        lode_batch batch = {.prefix = (const uint32_t[]){40 + task->number, 50, 7},
                            .n_prefix = 3,
                            .items = (const uint32_t[]){60, 1},
                            .supports = (const uint64_t[]){i, i + N_ROUNDS},
                            .n = 2};
        task->status = sink_emit(worker, &batch);
    }
    lode_status closed = sink_close_worker(worker);
    if (task->status == LODE_OK) task->status = closed;
    return NULL;
}

static void feed_in_parallel(lode_sink *sink) {
    pthread_t threads[N_WORKERS];
    parallel_task tasks[N_WORKERS];
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        tasks[i] = (parallel_task){sink, i, LODE_OK};
        CHECK(pthread_create(&threads[i], NULL, run_parallel, &tasks[i]) == 0);
    }
    for (uint32_t i = 0; i < N_WORKERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQUAL(tasks[i].status, LODE_OK);
    }
    CHECK_EQUAL(lode_sink_patterns(sink), 2 * N_WORKERS * N_ROUNDS);
    CHECK_EQUAL(lode_sink_patterns_of_size(sink, 4), 2 * N_WORKERS * N_ROUNDS);
}

/* Reads "7 4W 50 60 (S)" or "1 7 4W 50 (S)"; false if the line is anything else. */
static bool read_parallel_line(const char *line, unsigned *worker, unsigned *support) {
    int end = 0;
    if (sscanf(line, "7 4%u 50 60 (%u)%n", worker, support, &end) == 2 && end > 0 && !line[end]) {
        return *worker < N_WORKERS && *support >= 1 && *support <= N_ROUNDS;
    }
    end = 0;
    if (sscanf(line, "1 7 4%u 50 (%u)%n", worker, support, &end) == 2 && end > 0 && !line[end]) {
        return *worker<N_WORKERS && * support> N_ROUNDS && *support <= 2 * N_ROUNDS;
    }
    return false;
}

/* Every line is whole, and each of a worker's lines is there once. */
static void check_parallel_text(char *text) {
    static bool seen[N_WORKERS][2 * N_ROUNDS + 1];
    uint64_t n_lines = 0, wrong = 0;
    memset(seen, 0, sizeof seen);
    for (char *line = text, *next; *line; line = next, n_lines++) {
        unsigned worker = 0, support = 0;
        next = line + strcspn(line, "\n");
        if (*next) *next++ = 0;
        bool good = read_parallel_line(line, &worker, &support) && !seen[worker][support];
        wrong += !good;
        if (good) seen[worker][support] = true;
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(n_lines, 2 * N_WORKERS * N_ROUNDS);
}

static void test_parallel(void) {
    lode_job *job = generated_job(N_WORKERS);
    lode_dataset *data = line_data(job, "1 7 40 41 42 43 50 60\n");
    for (int sort = 0; sort < 2; sort++) {
        lode_sink *sink = text_sink(job, data, LODE_WRITE_FIMI, sort);
        feed_in_parallel(sink);
        char *text = finish_text(sink);
        check_parallel_text(text);
        free(text);
    }
    lode_sink *memory = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &memory), LODE_OK);
    feed_in_parallel(memory);
    CHECK_EQUAL(lode_sink_finish(memory, false), LODE_OK);
    lode_result result = result_of(memory);
    check_columns(&result);
    lode_sink_free(memory);
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- the best K ---------------------------------------------------------------------------- */

static void check_top(uint64_t k, uint64_t n, const uint64_t *want, uint64_t threshold) {
    lode_job *job = generated_job(1);
    lode_sink *sink = NULL;
    CHECK_EQUAL(sink_top_create(job, &sink, k), LODE_OK);
    lode_batch batch = {.items = (const uint32_t[]){4, 9, 1, 3, 2, 8},
                        .supports = (const uint64_t[]){8, 7, 10, 8, 9, 8},
                        .n = 6};
    emit_one(sink, &batch);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result result = result_of(sink);
    CHECK_EQUAL(job_threshold(job), threshold);
    if (CHECK_EQUAL(result.n, n)) {
        for (uint64_t i = 0; i < n; i++) CHECK_EQUAL(result.items[i], want[i]);
    }
    lode_sink_free(sink);
    generated_done(job);
}

/* By support, ties in the order of the items; ties with the K-th stay. */
static void test_top(void) {
    const uint64_t order[] = {1, 2, 3, 4, 8, 9};
    check_top(1, 1, order, 10);
    check_top(2, 2, order, 9);
    check_top(3, 5, order, 8);
    check_top(5, 5, order, 8);
    check_top(6, 6, order, 7);
    check_top(100, 6, order, 0);
}

/* More patterns than a worker holds back: what is known to be too rare is dropped on the way. */
static void test_top_many(void) {
    lode_job *job = generated_job(1);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    CHECK_EQUAL(sink_top_create(job, &sink, 10), LODE_OK);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    for (uint32_t i = 0; i < 50000; i++) {
        uint64_t support = 1 + i * UINT64_C(7919) % 50000; /* each of 1 to 50,000 once */
        lode_batch batch = {.items = &i, .supports = &support, .n = 1};
        CHECK_EQUAL(sink_emit(worker, &batch), LODE_OK);
    }
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) < 1 << 20);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result result = result_of(sink);
    if (CHECK_EQUAL(result.n, 10)) {
        for (uint64_t i = 0; i < 10; i++) CHECK_EQUAL(result.supports[i], 50000 - i);
    }
    lode_sink_free(sink);
    generated_done(job);
}

static int stop_at_third(void *user, const lode_batch *batch) {
    unsigned *calls = user;
    CHECK(batch->n_perfect == 0);
    return ++*calls == 3;
}

static void test_callback(void) {
    lode_job *job = generated_job(1);
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    unsigned calls = 0;
    CHECK_EQUAL(lode_sink_callback(job, &sink, stop_at_third, &calls), LODE_OK);
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, &subset_lattice),
                LODE_STOPPED); /* the fourth of eight calls never comes */
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    CHECK_EQUAL(calls, 3);
    CHECK_EQUAL(result_of(sink).n, 0);
    lode_sink_free(sink);
    generated_done(job);
}

/* Nothing is a result, too: its one offset is there. */
static void test_nothing(void) {
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_job_create(&job, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_result r = result_of(sink);
    CHECK(r.n == 0 && r.offsets && r.offsets[0] == 0);
    lode_sink_free(sink);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_nothing);
    generated_setup();
    CHECK_RUN(test_names);
    CHECK_RUN(test_numbers);
    CHECK_RUN(test_ratios);
    CHECK_RUN(test_random_batches);
    CHECK_RUN(test_perfect);
    CHECK_RUN(test_binomials);
    CHECK_RUN(test_threshold);
    CHECK_RUN(test_sorted);
    CHECK_RUN(test_parallel);
    CHECK_RUN(test_top);
    CHECK_RUN(test_top_many);
    CHECK_RUN(test_callback);
    generated_teardown();
    return check_result();
}
