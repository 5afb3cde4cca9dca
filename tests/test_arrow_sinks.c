/* test_arrow_sinks.c - results as Arrow files and as Arrow structs must be the same as in text
 *
 * Rows are turned back into lines, and compared with the text of the same search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "faulty.h"
#include "jobs.h"
#include "results/arrow/arrow.h"
#include "sink_feed.h"

/* ---- bytes ---------------------------------------------------------------------------------- */

/* What a sink has written, at a multiple of 64. */
typedef struct bytes {
    char *data;
    size_t n, cap;
} bytes;

static int bytes_write(void *user, const char *more, size_t n) {
    bytes *b = user;
    if (b->cap - b->n < n + 1) {
        size_t cap = (2 * (b->n + n) + 128) / 64 * 64;
        char *data = aligned_alloc(64, cap);
        if (!data) exit(2);
        if (b->n > 0) memcpy(data, b->data, b->n);
        free(b->data);
        b->data = data;
        b->cap = cap;
    }
    memcpy(b->data + b->n, more, n);
    b->n += n;
    b->data[b->n] = 0;
    return 0;
}

static void bytes_print(bytes *b, const char *words) {
    bytes_write(b, words, strlen(words));
}

static int compare_lines(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Brings the lines of a text into alphabetical order. */
static bytes sort_lines(const bytes *text) {
    size_t n = 0, k = 0;
    bytes sorted = {0};
    for (size_t i = 0; i < text->n; i++) n += text->data[i] == '\n';
    char **lines = malloc((n + 1) * sizeof *lines), *copy = strdup(text->n > 0 ? text->data : "");
    if (!lines || !copy) exit(2);
    for (char *line = copy; *line; line += strlen(line) + 1) {
        lines[k++] = line;
        line[strcspn(line, "\n")] = 0; /* every line has an end */
    }
    qsort(lines, k, sizeof *lines, compare_lines);
    for (size_t i = 0; i < k; i++) {
        bytes_print(&sorted, lines[i]);
        bytes_print(&sorted, "\n");
    }
    bytes_print(&sorted, "");
    free(lines);
    free(copy);
    return sorted;
}

static void check_same(const bytes *a, const bytes *b, bool in_order) {
    bytes x = in_order ? (bytes){0} : sort_lines(a), y = in_order ? (bytes){0} : sort_lines(b);
    const bytes *p = in_order ? a : &x, *q = in_order ? b : &y;
    if (CHECK_EQUAL(p->n, q->n) && p->n > 0) CHECK(memcmp(p->data, q->data, p->n) == 0);
    free(x.data);
    free(y.data);
}

/* ---- itemsets ------------------------------------------------------------------------------- */

/* The names of a list, with blanks between them. */
static void print_names(arrow_file *f, bytes *to, const arrow_cells *cells, uint32_t row) {
    const int32_t *codes = cells->values;
    for (int32_t k = cells->offsets[row]; k < cells->offsets[row + 1]; k++) {
        size_t n;
        const char *name = arrow_name(f, 0, (uint64_t)codes[k], &n);
        if (k > cells->offsets[row]) bytes_print(to, " ");
        bytes_write(to, name, n);
    }
}

static void print_batch(arrow_file *f, uint32_t batch, uint64_t total, bytes *to) {
    arrow_cells items, sizes, counts, supports;
    char tail[32];
    CHECK_EQUAL(arrow_cells_at(f, batch, 0, true, &items), LODE_OK);
    CHECK_EQUAL(arrow_cells_at(f, batch, 1, true, &sizes), LODE_OK);
    CHECK_EQUAL(arrow_cells_at(f, batch, 2, true, &counts), LODE_OK);
    CHECK_EQUAL(arrow_cells_at(f, batch, 3, true, &supports), LODE_OK);
    for (uint32_t i = 0; i < arrow_batch_rows(f, batch); i++) {
        uint64_t count = ((const uint64_t *)counts.values)[i];
        print_names(f, to, &items, i);
        snprintf(tail, sizeof tail, " (%llu)\n", (unsigned long long)count);
        bytes_print(to, tail);
        CHECK_EQUAL(((const uint32_t *)sizes.values)[i], items.offsets[i + 1] - items.offsets[i]);
        CHECK(((const double *)supports.values)[i] == (double)count / (double)total);
    }
}

/* The rows as lines of fimi. */
static bytes print_rows(arrow_file *f, uint64_t total) {
    bytes text = {0};
    uint64_t n;
    bytes_print(&text, "");
    CHECK_EQUAL(arrow_names(f, 0, &n), LODE_OK);
    for (uint32_t b = 0; b < arrow_n_batches(f); b++) print_batch(f, b, total, &text);
    return text;
}

typedef struct search {
    const char *text;
    const char *support, *target;
    bool sort, unsorted;
    unsigned threads;
    uint64_t memory;
    bool in_order; /* the order of rows is that of lines */
} search;

static lode_status mine_into(const search *s, lode_job *job, const lode_dataset *data,
                             lode_write_format format, bytes *out) {
    lode_status status = LODE_OK;
    lode_options *o = NULL;
    lode_sink *sink = NULL;
    lode_write_options w = {
        .size = sizeof w, .format = format, .sort = s->sort, .unsorted = s->unsorted};
    if (lode_options_create(&o) != LODE_OK) exit(2);
    CHECK_EQUAL(lode_options_set(o, "min-support", s->support, NULL, 0), LODE_OK);
    if (s->target) CHECK_EQUAL(lode_options_set(o, "target", s->target, NULL, 0), LODE_OK);
    LODE_TRY(lode_sink_write(job, &sink, data, bytes_write, out, &w));
    LODE_TRY(lode_mine(job, data, lode_options_mine(o), sink));
    LODE_TRY(lode_sink_finish(sink, false));
    CHECK_EQUAL(lode_sink_bytes(sink), out->n);
done:
    lode_sink_free(sink);
    lode_options_free(o);
    return status;
}

static void check_keys(const arrow_file *f, const search *s, uint64_t rows) {
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)rows);
    CHECK_TEXT(arrow_key_value(f, "lode.rows"), number);
    CHECK_TEXT(arrow_key_value(f, "lode.kind"), "itemsets");
    CHECK_TEXT(arrow_key_value(f, "lode.complete"), "true");
    CHECK_TEXT(arrow_key_value(f, "lode.constrained"), "false");
    CHECK_TEXT(arrow_key_value(f, "lode.jobs"), "1");
    CHECK_TEXT(arrow_key_value(f, "lode.version"), LODE_VERSION_TEXT);
    bool top = s->target && strncmp(s->target, "top", 3) == 0;
    CHECK_TEXT(arrow_key_value(f, "lode.target"), top ? "top" : s->target ? s->target : "all");
    const char *order = s->sort ? "size" : s->in_order ? "support" : "search";
    CHECK_TEXT(arrow_key_value(f, "lode.order"), order);
}

/* Mines as text and as Arrow, and compares. */
static void check_search(const search *s) {
    lode_ctx_options c = {.size = sizeof c, .memory_bytes = s->memory, .threads = 4};
    lode_job_options j = {.size = sizeof j, .threads = s->threads ? s->threads : 1};
    lode_ctx *ctx = NULL;
    lode_job *job = NULL;
    bytes text = {0}, file = {0};
    arrow_file *f = NULL;
    CHECK_EQUAL(lode_ctx_create(&ctx, &c), LODE_OK);
    CHECK_EQUAL(lode_job_create(&job, ctx, &j), LODE_OK);
    lode_dataset *data = line_data(job, s->text);
    bytes_print(&text, "");
    CHECK_EQUAL(mine_into(s, job, data, LODE_WRITE_FIMI, &text), LODE_OK);
    CHECK_EQUAL(mine_into(s, job, data, LODE_WRITE_ARROW, &file), LODE_OK);
    if (CHECK_EQUAL(arrow_open_memory(job, file.data, file.n, &f), LODE_OK)) {
        bytes rows = print_rows(f, profile_of(data).n_transactions);
        uint64_t n = 0;
        for (size_t i = 0; i < text.n; i++) n += text.data[i] == '\n';
        CHECK_EQUAL(arrow_n_rows(f), n);
        check_same(&text, &rows, s->in_order);
        check_keys(f, s, n);
        free(rows.data);
    }
    arrow_close(f);
    free(text.data);
    free(file.data);
    lode_dataset_free(data);
    lode_job_free(job);
    lode_ctx_free(ctx);
}

static const char small[] = "milk,bread\nmilk,beer\nbread,milk,beer\nham\n\nham,eggs,milk\n";
/* 131,071 sets of 17 items: three batches, most of them written as families. */
static const char wide[] = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
                           "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
                           "1 3 5 7 9 11 13 15 17\n2 4 6 8 10 12 14 16\n3 40 500\n";

static void test_small(void) {
    static const char *const targets[] = {NULL, "closed", "maximal", "generators", "top:5"};
    for (size_t i = 0; i < 5; i++) {
        for (unsigned k = 0; k < 4; k++) {
            search s = {.text = small, .support = "1", .target = targets[i], .threads = 1 + k % 2};
            s.sort = k / 2;
            s.in_order = true;
            check_search(&s);
        }
    }
    check_search(&(search){.text = small, .support = "1", .unsorted = true});
    check_search(
        &(search){.text = "3000000000 7\n7 4000000000\n", .support = "1", .in_order = true});
    check_search(&(search){.text = small, .support = "7", .in_order = true}); /* nothing is found */
    check_search(&(search){.text = "\n\n", .support = "1", .in_order = true}); /* no items */
}

static void test_wide(void) {
    for (unsigned threads = BY_BUILD(1, 1, 3); threads <= 3; threads++) {
        check_search(&(search){.text = wide, .support = "1", .threads = threads});
    }
    search tight = {.text = wide, .support = "1", .threads = 2, .memory = (uint64_t)12 << 20};
    check_search(&tight);
    tight.sort = tight.in_order = true; /* by way of a scratch file */
    check_search(&tight);
    if (BY_BUILD(false, false, true)) return; /* the same threads again */
    check_search(&(search){.text = wide, .support = "1", .sort = true, .in_order = true});
    check_search(&(search){.text = wide, .support = "2", .target = "closed", .in_order = true});
}

/* Rows are where a division finds them. */
static void test_even_batches(void) {
    lode_job *job = generated_job(3);
    lode_dataset *data = line_data(job, wide);
    bytes file = {0};
    arrow_file *f = NULL;
    search s = {.text = wide, .support = "1", .threads = 3};
    CHECK_EQUAL(mine_into(&s, job, data, LODE_WRITE_ARROW, &file), LODE_OK);
    CHECK_EQUAL(arrow_open_memory(job, file.data, file.n, &f), LODE_OK);
    CHECK(arrow_n_batches(f) > 1);
    for (uint32_t b = 0; b + 1 < arrow_n_batches(f); b++) {
        CHECK_EQUAL(arrow_batch_rows(f, b), 65536);
    }
    arrow_close(f);
    free(file.data);
    lode_dataset_free(data);
    generated_done(job);
}

/* Names that are long, empty, or not UTF-8. */
static void test_names(void) {
    lode_job *job = generated_job(1);
    size_t long_bytes = 100000;
    char *text = malloc(long_bytes + 64);
    if (!text) exit(2);
    memset(text, 'x', long_bytes);
    static const char rest[] = ",caf\xe9\nb\xc3\xa4r,caf\xe9\n";
    memcpy(text + long_bytes, rest, sizeof rest);
    lode_dataset *data = line_data(job, text);
    bytes file = {0};
    arrow_file *f = NULL;
    uint64_t n = 0, found = 0;
    search s = {.support = "1"};
    CHECK_EQUAL(mine_into(&s, job, data, LODE_WRITE_ARROW, &file), LODE_OK);
    CHECK_EQUAL(arrow_open_memory(job, file.data, file.n, &f), LODE_OK);
    CHECK_EQUAL(arrow_names(f, 0, &n), LODE_OK);
    CHECK_EQUAL(n, 3);
    for (uint64_t i = 0; i < n; i++) {
        size_t length;
        const char *name = arrow_name(f, 0, i, &length);
        found += length == 5 && memcmp(name, "caf\xc3\xa9", 5) == 0; /* Latin-1 became UTF-8 */
        found += length == 4 && memcmp(name, "b\xc3\xa4r", 4) == 0;
        found += length == long_bytes;
    }
    CHECK_EQUAL(found, 3);
    arrow_close(f);
    free(file.data);
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- early ends ----------------------------------------------------------------------------- */

/* What a cancel or a limit has left is a valid file, which says so. */
static void test_partial(void) {
    for (int limited = 0; limited < 2; limited++) {
        lode_job *job = generated_job(1);
        lode_dataset *data = line_data(job, wide);
        lode_write_options w = {.size = sizeof w, .format = LODE_WRITE_ARROW};
        lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
        lode_sink *sink = NULL;
        bytes file = {0};
        arrow_file *f = NULL;
        if (limited) o.limit_patterns = 70000;
        CHECK_EQUAL(lode_sink_write(job, &sink, data, bytes_write, &file, &w), LODE_OK);
        if (!limited) lode_job_cancel(job);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), limited ? LODE_STOPPED : LODE_CANCELLED);
        CHECK_EQUAL(lode_sink_finish(sink, !limited), LODE_OK);
        lode_sink_free(sink);
        lode_job_reset(job);
        CHECK_EQUAL(arrow_open_memory(job, file.data, file.n, &f), LODE_OK);
        CHECK_TEXT(arrow_key_value(f, "lode.complete"), "false");
        CHECK_EQUAL(arrow_n_rows(f), limited ? 70000 : 0);
        arrow_close(f);
        free(file.data);
        lode_dataset_free(data);
        generated_done(job);
    }
}

static void test_write_error(void) {
    lode_job *job = generated_job(2);
    lode_dataset *data = line_data(job, wide);
    lode_write_options w = {.size = sizeof w, .format = LODE_WRITE_ARROW};
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_file(job, &sink, data, "/dev/full", &w), LODE_IO);
    CHECK(sink == NULL && strstr(lode_job_error(job), "/dev/full"));
    CHECK_EQUAL(lode_mine(job, data, &o, NULL), LODE_INVALID);
    lode_dataset_free(data);
    generated_done(job);
}

/* The k-th request for memory is refused: by the sink, by a worker, at the end, … */
static void test_refused_memory(void) {
    bool done = false;
    for (uint64_t k = 0; !done && k < 3000; k += 1 + k / 40) {
        faulty memory = {.fail_at = UINT64_MAX};
        lode_job_options o = {.size = sizeof o, .threads = 1};
        lode_job *job = NULL;
        bytes file = {0};
        search s = {.support = "1", .sort = k % 3 == 0};
        pthread_mutex_init(&memory.lock, NULL);
        CHECK_EQUAL(job_with_memory(&job, &o, faulty_resize, &memory), LODE_OK);
        lode_dataset *data = line_data(job, wide);
        memory.fail_at = memory.calls + k;
        lode_status status = mine_into(&s, job, data, LODE_WRITE_ARROW, &file);
        done = status == LODE_OK && memory.calls <= memory.fail_at;
        CHECK(status == LODE_OK || status == LODE_NOMEM);
        memory.fail_at = UINT64_MAX;
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        CHECK(!memory.wrong_size);
        lode_job_free(job);
        free(file.data);
    }
    CHECK(done);
}

/* ---- structs -------------------------------------------------------------------------------- */

/* A consumer that knows the specification and nothing of lode. */
static void consume(const struct ArrowSchema *schema, const struct ArrowArray *array, bytes *text) {
    const struct ArrowSchema *list = schema->children[0], *item = list->children[0];
    const struct ArrowArray *lists = array->children[0], *items = lists->children[0];
    const int64_t *offsets = lists->buffers[1];
    const uint64_t *counts = array->children[1]->buffers[1];
    bytes_print(text, "");
    CHECK_TEXT(schema->format, "+s");
    CHECK_TEXT(list->format, "+L");
    CHECK_TEXT(list->name, "items");
    CHECK_TEXT(schema->children[1]->format, "L");
    CHECK_TEXT(schema->children[1]->name, "count");
    CHECK_EQUAL(lists->length, array->length);
    CHECK_EQUAL(offsets[array->length], items->length);
    for (int64_t i = 0; i < array->length; i++) {
        char word[40];
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            uint32_t code = ((const uint32_t *)items->buffers[1])[k];
            if (k > offsets[i]) bytes_print(text, " ");
            if (item->dictionary) {
                const int64_t *places = items->dictionary->buffers[1];
                const char *names = items->dictionary->buffers[2];
                CHECK_TEXT(item->format, "i");
                CHECK_TEXT(item->dictionary->format, "U");
                CHECK(code < items->dictionary->length);
                bytes_write(text, names + places[code], (size_t)(places[code + 1] - places[code]));
                continue;
            }
            CHECK_TEXT(item->format, "I");
            snprintf(word, sizeof word, "%u", code);
            bytes_print(text, word);
        }
        snprintf(word, sizeof word, " (%llu)\n", (unsigned long long)counts[i]);
        bytes_print(text, word);
    }
}

static void check_structs(const char *input) {
    search s = {.support = "1", .sort = true};
    lode_ctx *ctx = NULL;
    lode_job *job = NULL;
    lode_sink *sink = NULL;
    lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
    struct ArrowSchema schema;
    struct ArrowArray array;
    bytes text = {0}, rows = {0};
    CHECK_EQUAL(lode_ctx_create(&ctx, NULL), LODE_OK);
    CHECK_EQUAL(lode_job_create(&job, ctx, NULL), LODE_OK);
    lode_dataset *data = line_data(job, input);
    bytes_print(&text, "");
    CHECK_EQUAL(mine_into(&s, job, data, LODE_WRITE_FIMI, &text), LODE_OK);
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    uint64_t n = lode_sink_patterns(sink);
    const uint64_t *supports = result_of(sink).supports;
    CHECK_EQUAL(lode_result_arrow(sink, data, &schema, &array), LODE_OK);
    CHECK(array.children[1]->buffers[1] == supports); /* not copied */
    CHECK_EQUAL(result_of(sink).n, 0);
    CHECK_EQUAL(lode_sink_patterns(sink), n);
    lode_sink_free(sink);
    lode_dataset_free(data);
    lode_job_free(job);
    consume(&schema, &array, &rows); /* all that it came from is gone */
    check_same(&text, &rows, true);
    struct ArrowArray counts = *array.children[1]; /* moved out, as the specification says */
    array.children[1]->release = NULL;
    array.release(&array);
    CHECK(array.release == NULL);
    uint64_t sum = 0;
    for (int64_t i = 0; i < counts.length; i++) sum += ((const uint64_t *)counts.buffers[1])[i];
    CHECK(counts.length == 0 || sum > 0);
    counts.release(&counts);
    schema.release(&schema);
    CHECK(schema.release == NULL);
    CHECK_EQUAL(lode_ctx_memory_used(ctx), 0);
    lode_ctx_free(ctx);
    free(text.data);
    free(rows.data);
}

static void test_structs(void) {
    check_structs(small);
    check_structs(wide);
    check_structs("3000000000 7\n7 4000000000\n");
    check_structs("\n");
}

static void test_rule_structs(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = line_data(job, small);
    lode_sink *sink = NULL;
    lode_rule_options o = {.size = sizeof o, .min_support = {1, 0}};
    lode_rule_result r = LODE_INIT(lode_rule_result);
    struct ArrowSchema schema;
    struct ArrowArray array;
    o.max_rhs = UINT32_MAX;
    CHECK_EQUAL(lode_rule_sink_memory(job, &sink), LODE_OK);
    CHECK_EQUAL(lode_rules_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK(lode_rule_sink_result(sink, &r) && r.n > 5);
    uint64_t n = r.n, n_items = r.offsets[2 * n], hash = 0, same = 0;
    for (uint64_t i = 0; i < n; i++) hash += (i + 1) * (r.both[i] + 3 * r.lhs[i] + 5 * r.rhs[i]);
    for (uint64_t k = 0; k < n_items; k++) hash += (k + 1) * r.items[k];
    CHECK_EQUAL(lode_rule_result_arrow(sink, data, &schema, &array), LODE_OK);
    CHECK(lode_rule_sink_result(sink, &r) && r.n == 0);
    lode_sink_free(sink);
    CHECK_EQUAL(array.length, n);
    CHECK_EQUAL(schema.n_children, 5);
    CHECK_TEXT(schema.children[4]->name, "head_count");
    const int64_t *lhs = array.children[0]->buffers[1], *rhs = array.children[1]->buffers[1];
    const uint32_t *lhs_items = array.children[0]->children[0]->buffers[1];
    const uint32_t *rhs_items = array.children[1]->children[0]->buffers[1];
    for (uint64_t i = 0, k = 0; i < n; i++) {
        const uint64_t *counts[3];
        for (int c = 0; c < 3; c++) counts[c] = array.children[2 + c]->buffers[1];
        same += (i + 1) * (counts[0][i] + 3 * counts[1][i] + 5 * counts[2][i]);
        for (int64_t b = lhs[i]; b < lhs[i + 1]; b++) same += ++k * lhs_items[b];
        for (int64_t h = rhs[i]; h < rhs[i + 1]; h++) same += ++k * rhs_items[h];
    }
    CHECK_EQUAL(same, hash);
    array.release(&array);
    schema.release(&schema);
    lode_dataset_free(data);
    generated_done(job);
}

/* What fails leaves the sink as it was. */
static void test_structs_refused(void) {
    bool done = false;
    for (uint64_t k = 0; !done && k < 100; k++) {
        faulty memory = {.fail_at = UINT64_MAX};
        lode_job_options j = {.size = sizeof j, .threads = 1};
        lode_mine_options o = {.size = sizeof o, .min_support = {1, 0}};
        lode_job *job = NULL;
        lode_sink *sink = NULL;
        struct ArrowSchema schema;
        struct ArrowArray array;
        pthread_mutex_init(&memory.lock, NULL);
        CHECK_EQUAL(job_with_memory(&job, &j, faulty_resize, &memory), LODE_OK);
        lode_dataset *data = line_data(job, small);
        CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
        CHECK_EQUAL(lode_mine(job, data, &o, sink), LODE_OK);
        CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
        uint64_t n = result_of(sink).n;
        memory.fail_at = memory.calls + k;
        lode_status status = lode_result_arrow(sink, data, &schema, &array);
        done = status == LODE_OK;
        CHECK(done || status == LODE_NOMEM);
        CHECK_EQUAL(result_of(sink).n, done ? 0 : n);
        if (done) array.release(&array);
        if (done) schema.release(&schema);
        lode_sink_free(sink);
        lode_dataset_free(data);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        CHECK(!memory.wrong_size);
        lode_job_free(job);
    }
    CHECK(done);
}

int main(void) {
    CHECK_RUN(test_small);
    CHECK_RUN(test_wide);
    CHECK_RUN(test_even_batches);
    CHECK_RUN(test_names);
    CHECK_RUN(test_partial);
    CHECK_RUN(test_write_error);
    CHECK_RUN(test_refused_memory);
    CHECK_RUN(test_structs);
    CHECK_RUN(test_rule_structs);
    CHECK_RUN(test_structs_refused);
    return check_result();
}
