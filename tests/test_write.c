/* test_write.c - text passed to a function: the same bytes as in a file, in whole lines, until it
 * stops
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "generated.h"
#include "runtime/job.h"

typedef struct taken {
    char *text;
    size_t n, cap;
    unsigned calls, stop_at; /* the call that stops; 0 = none */
    _Atomic int inside;
    const lode_sink *sink;
} taken;

static int take(void *user, const char *text, size_t bytes) {
    taken *t = user;
    CHECK_EQUAL(atomic_fetch_add(&t->inside, 1), 0); /* calls do not overlap */
    CHECK(bytes > 0 && text[bytes - 1] == '\n');
    if (t->n + bytes + 1 > t->cap) {
        t->cap = 2 * (t->n + bytes + 1);
        t->text = realloc(t->text, t->cap);
        if (!t->text) exit(2);
    }
    memcpy(t->text + t->n, text, bytes);
    t->n += bytes;
    t->text[t->n] = 0;
    lode_sink_patterns(t->sink); /* may be asked for from here */
    atomic_fetch_sub(&t->inside, 1);
    CHECK(t->stop_at == 0 || t->calls < t->stop_at); /* not called again */
    return ++t->calls == t->stop_at;
}

/* Some thousand patterns, or with few = true a handful. */
static lode_dataset *some_data(lode_job *job, bool few) {
    static char text[20000];
    lode_dataset *data = NULL;
    size_t n = 0;
    for (unsigned t = 0; t < 60; t++) {
        for (unsigned i = 0; i < (few ? 4u : 13u); i++) {
            if ((t * 7 + i * i) % 11 < 3) continue;
            n += (size_t)snprintf(text + n, sizeof text - n, "%sit\"em%u", n ? "," : "", i);
        }
        text[n++] = '\n';
    }
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ','};
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, n, "text", &o), LODE_OK);
    return data;
}

static lode_status mine_into(lode_job *job, const lode_dataset *data, lode_sink *sink) {
    lode_mine_options o = {.size = sizeof o, .min_support = {3, 0}, .algorithm = "adaptive"};
    return lode_mine(job, data, &o, sink);
}

static void check_same(unsigned threads, bool few, const lode_write_options *o) {
    lode_job *job = generated_job(threads);
    lode_dataset *data = some_data(job, few);
    taken t = {0};
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_file(job, &sink, data, generated_path, o), LODE_OK);
    CHECK_EQUAL(mine_into(job, data, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    lode_sink_free(sink);
    size_t n = 0;
    char *text = generated_take(&n);

    CHECK_EQUAL(lode_sink_write(job, &sink, data, take, &t, o), LODE_OK);
    t.sink = sink;
    CHECK_EQUAL(mine_into(job, data, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK_EQUAL(lode_sink_bytes(sink), t.n);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_INVALID);
    lode_sink_free(sink);
    CHECK_EQUAL(t.n, n);
    CHECK(t.n == n && memcmp(t.text, text, n) == 0);
    free(t.text);
    free(text);
    lode_dataset_free(data);
    generated_done(job);
}

/* All formats; one thread finds in one order, and what is sorted is the same for any number. */
static void test_same_bytes(void) {
    for (int format = 0; format <= LODE_WRITE_JSONL; format++) {
        for (int way = 0; way < (format == LODE_WRITE_CSV ? 12 : 6); way++) {
            lode_write_options o = {.size = sizeof o,
                                    .format = (lode_write_format)format,
                                    .sort = way % 3 == 1,
                                    .unsorted = way % 3 == 2};
            if (format == LODE_WRITE_CSV) {
                o.bom = way & 1;
                o.csv_items = way >= 6 ? LODE_CSV_COLUMNS : LODE_CSV_CELL;
            }
            bool few = way % 6 < 3;
            check_same(o.sort || (few && !o.unsorted) ? 3 : 1, few, &o);
        }
    }
}

/* The number of calls is not known beforehand, so each of the first ones is made the last. */
static void test_stops(void) {
    const lode_write_options ways[] = {
        {.size = sizeof *ways, .format = LODE_WRITE_CSV, .unsorted = true},
        {.size = sizeof *ways, .sort = true},
        {.size = sizeof *ways, .format = LODE_WRITE_JSONL}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (unsigned at = 1; at < 4; at++) {
            lode_job *job = generated_job(2);
            lode_dataset *data = some_data(job, false);
            lode_sink *sink = NULL;
            taken t = {.stop_at = at};
            lode_status status = lode_sink_write(job, &sink, data, take, &t, &ways[w]);
            CHECK_EQUAL(status, w == 0 && at == 1 ? LODE_STOPPED : LODE_OK);
            if (status == LODE_OK) {
                status = mine_into(job, data, sink);
                CHECK(status == LODE_OK || status == LODE_STOPPED);
                status = lode_sink_finish(sink, false);
                CHECK_EQUAL(status, t.calls == at ? LODE_STOPPED : LODE_OK);
            }
            CHECK(t.calls > 0 && t.calls <= at);
            if (status != LODE_OK) CHECK(strstr(lode_job_error(job), "stop") != NULL);
            lode_sink_free(sink);
            CHECK_EQUAL(job_check(job), LODE_OK); /* the job can go on with something else */
            free(t.text);
            lode_dataset_free(data);
            generated_done(job);
        }
    }
}

/* What a cancelled run has found is handed over without an order. */
static void test_partial(void) {
    lode_job *job = generated_job(1);
    lode_dataset *data = some_data(job, false);
    lode_sink *sink = NULL;
    taken t = {0};
    lode_write_options o = {.size = sizeof o, .sort = true};
    CHECK_EQUAL(lode_sink_write(job, &sink, data, take, &t, &o), LODE_OK);
    CHECK_EQUAL(mine_into(job, data, sink), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, true), LODE_OK);
    uint64_t lines = 0;
    for (size_t i = 0; i < t.n; i++) lines += t.text[i] == '\n';
    CHECK(lines == lode_sink_patterns(sink) && lines > 1000);
    lode_sink_free(sink);
    free(t.text);
    lode_dataset_free(data);
    generated_done(job);
}

static const char graph_text[] = "t # 1\nv 0 C\nv 1 O\nv 2 N\ne 0 1 x\ne 1 2 y\n"
                                 "t # 2\nv 0 C\nv 1 O\nv 2 N\ne 0 1 x\ne 1 2 y\n"
                                 "t # 3\nv 0 C\nv 1 O\ne 0 1 x\n";

static void check_graphs(const lode_graph_write_options *o, unsigned stop_at) {
    lode_job *job = generated_job(1);
    lode_graphs *data = NULL;
    lode_sink *sinks[2] = {NULL, NULL};
    lode_graph_options mine = {.size = sizeof mine, .min_support = {1, 0}};
    taken t = {.stop_at = stop_at};
    size_t n = sizeof graph_text - 1;
    CHECK_EQUAL(lode_graphs_parse(job, &data, graph_text, n, NULL, NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_file(job, &sinks[0], data, generated_path, o), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_write(job, &sinks[1], data, take, &t, o), LODE_OK);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQUAL(lode_graphs_mine(job, data, &mine, sinks[i]), LODE_OK);
        bool stops = i == 1 && stop_at > 0;
        CHECK_EQUAL(lode_sink_finish(sinks[i], false), stops ? LODE_STOPPED : LODE_OK);
        lode_sink_free(sinks[i]);
    }
    char *text = generated_take(&n);
    CHECK(t.n == n && n > 0 && memcmp(t.text, text, n) == 0);
    free(text);
    free(t.text);
    lode_graphs_free(data);
    generated_done(job);
}

static void test_graphs(void) {
    for (int format = 0; format <= LODE_GRAPH_WRITE_DOT; format++) {
        lode_graph_write_options o = {.size = sizeof o,
                                      .format = (lode_graph_write_format)format,
                                      .bom = format == LODE_GRAPH_WRITE_CSV};
        check_graphs(&o, 0);
        o.unsorted = true;
        check_graphs(&o, 0);
    }
    check_graphs(NULL, 1);
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_same_bytes);
    CHECK_RUN(test_stops);
    CHECK_RUN(test_partial);
    CHECK_RUN(test_graphs);
    generated_teardown();
    return check_result();
}
