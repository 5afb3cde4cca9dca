/* test_together.c - files that several processes read together; here, threads with their own jobs
 *
 * Each random file is read by 1 to 7 threads, and each must get the same as a single reader: rows,
 * items, names, profile and fingerprint, or the same message.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

#include "base/rng.h"
#include "read_util.h"

#define MOST 7

static char path[] = "/tmp/lode-together-XXXXXX";

/* ---- processes ------------------------------------------------------------------------------ */

typedef struct team {
    pthread_barrier_t barrier;
    const void *mine[MOST];
    unsigned n;
    unsigned fails_in; /* the exchange that fails in all; 0 = none */
    bool graphs;
    lode_read_options read;
    lode_graph_read_options graph_read;
    uint64_t memory;
} team;

typedef struct member {
    team *of;
    unsigned index, calls, logs;
    lode_status status;
    char text[4 * READ_DUMP_BYTES];
    uint64_t fingerprint;
} member;

static lode_status exchange(void *user, const void *mine, void *all, const uint64_t *bytes) {
    member *m = user;
    team *t = m->of;
    char *to = all;
    if (++m->calls == t->fails_in) return LODE_IO;
    t->mine[m->index] = mine;
    pthread_barrier_wait(&t->barrier);
    for (unsigned k = 0; k < t->n; k++) {
        if (bytes[k] > 0) memcpy(to, t->mine[k], bytes[k]);
        to += bytes[k];
    }
    pthread_barrier_wait(&t->barrier);
    return LODE_OK;
}

static void count_log(void *user, lode_log_level level, const char *message) {
    member *m = user;
    (void)message;
    m->logs += level == LODE_LOG_WARNING;
}

/* ---- what was read, as text ----------------------------------------------------------------- */

static void describe_rows(member *m, const lode_dataset *data) {
    static _Thread_local read_outcome o;
    const char *reason = NULL;
    if (!CHECK(dataset_validate(data, &reason))) fprintf(stderr, "  %s\n", reason);
    read_dump(data, &o);
    const lode_profile *p = &o.profile;
    int n =
        snprintf(m->text, sizeof m->text,
                 "%d%d bound %u n %llu empty %llu items %llu occ %llu rep %llu skip %llu long "
                 "%u format %d sep %d files %llu cols %s\n%s\n",
                 o.numeric, o.named, lode_dataset_item_bound(data),
                 (unsigned long long)p->n_transactions, (unsigned long long)p->n_empty,
                 (unsigned long long)p->n_items, (unsigned long long)p->n_occurrences,
                 (unsigned long long)p->n_repeated, (unsigned long long)p->n_skipped, p->longest,
                 (int)p->format, p->separator, (unsigned long long)p->n_files, p->columns, o.text);
    for (uint32_t i = 0; i < lode_dataset_item_bound(data) && n + 64 < (int)sizeof m->text; i++) {
        uint32_t item = lode_dataset_item_at(data, i);
        n += snprintf(m->text + n, sizeof m->text - (size_t)n, "%u:%llu ", item,
                      (unsigned long long)lode_dataset_item_support(data, item));
    }
    m->fingerprint = lode_dataset_fingerprint(data);
}

static void describe_graphs(member *m, const lode_graphs *g) {
    lode_graph_profile p = graph_profile_of(g);
    int n =
        snprintf(m->text, sizeof m->text, "%llu %llu %llu v %llu e %llu l %llu %llu %llu m %u %u\n",
                 (unsigned long long)p.n_graphs, (unsigned long long)p.n_empty,
                 (unsigned long long)p.n_disconnected, (unsigned long long)p.n_vertices,
                 (unsigned long long)p.n_edges, (unsigned long long)p.n_vertex_labels,
                 (unsigned long long)p.n_edge_labels, (unsigned long long)p.n_triples,
                 p.most_vertices, p.most_edges);
    for (uint64_t i = 0; i < p.n_graphs && n + 4096 < (int)sizeof m->text; i++) {
        lode_graph one = graph_at(g, i);
        char name[64];
        int length = (int)lode_graphs_name(g, i, name, sizeof name);
        n += snprintf(m->text + n, 128, "t %.*s * %llu\n", length, name,
                      (unsigned long long)lode_graphs_given_support(g, i));
        for (uint32_t v = 0; v < one.n_vertices; v++) {
            length = (int)lode_graphs_vertex_name(g, i, v, name, sizeof name);
            n += snprintf(m->text + n, 128, "v %.*s %u ", length, name, one.vertex_labels[v]);
        }
        for (uint32_t e = 0; e < one.n_edges; e++) {
            n += snprintf(m->text + n, 64, "e %u %u %u ", one.from[e], one.to[e],
                          one.edge_labels[e]);
        }
    }
    m->fingerprint = lode_graphs_fingerprint(g);
}

/* ---- reading -------------------------------------------------------------------------------- */

static lode_job *member_job(member *m) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o,
                          .threads = 1 + m->index % 2,
                          .device = "cpu",
                          .memory_bytes = m->of->memory,
                          .log = count_log,
                          .log_user = m};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

static void member_open(member *m, lode_job *job, const lode_peers *peers) {
    const char *paths[] = {path};
    lode_dataset *data = NULL;
    lode_graphs *graphs = NULL;
    team *t = m->of;
    if (t->graphs) {
        m->status = lode_graphs_open_together(job, &graphs, path, &t->graph_read, peers);
    } else {
        m->status = lode_dataset_open_together(job, &data, paths, 1, &t->read, peers);
    }
    CHECK((m->status == LODE_OK) == (data || graphs));
    if (m->status != LODE_OK) snprintf(m->text, sizeof m->text, "%s", lode_job_error(job));
    if (data) describe_rows(m, data);
    if (graphs) describe_graphs(m, graphs);
    lode_dataset_free(data);
    lode_graphs_free(graphs);
}

static void *member_run(void *arg) {
    member *m = arg;
    lode_job *job = member_job(m);
    lode_peers peers = {
        .size = sizeof peers, .n = m->of->n, .index = m->index, .gather = exchange, .user = m};
    member_open(m, job, &peers);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return NULL;
}

static member members[MOST], alone;

static void run_team(team *t, unsigned n) {
    pthread_t threads[MOST];
    t->n = n;
    pthread_barrier_init(&t->barrier, NULL, n);
    for (unsigned k = 0; k < n; k++) {
        members[k] = (member){.of = t, .index = k};
        if (pthread_create(&threads[k], NULL, member_run, &members[k]) != 0) exit(2);
    }
    for (unsigned k = 0; k < n; k++) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&t->barrier);
}

static void write_file(const char *text, size_t n) {
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text, 1, n, file) != n || fclose(file) != 0) exit(2);
}

/* Whether all read the same as one; `calls`: what they need at least for that. */
static void compare(team *t, unsigned n, unsigned calls) {
    for (unsigned k = 0; k < n; k++) {
        CHECK_EQUAL(members[k].status, alone.status);
        CHECK_EQUAL(members[k].fingerprint, alone.fingerprint);
        CHECK_EQUAL(members[k].logs, alone.logs);
        CHECK(members[k].calls >= calls);
        if (CHECK(strcmp(members[k].text, alone.text) == 0)) continue;
        fprintf(stderr, "  %u of %u, %s:\n%.300s\n  instead of\n%.300s\n", k, n,
                t->graphs ? "graphs" : "rows", members[k].text, alone.text);
        return;
    }
}

/* Reads a text alone and together. `calls`: exchanges at least, which tell whether it was cut. */
static void compare_text(team *t, const char *text, size_t n, unsigned most, unsigned calls) {
    write_file(text, n);
    run_team(t, 1);
    alone = members[0];
    CHECK_EQUAL(alone.calls, 0);
    for (unsigned k = 2; k <= most; k += k < 3 ? 1 : 2) {
        run_team(t, k);
        compare(t, k, calls);
    }
}

#define CUT 8 /* exchanges of a file that was cut, at least */

static void check_rows(const char *text, lode_format format, bool skip, unsigned calls) {
    team t = {.read = {.size = sizeof t.read, .format = format, .skip_bad_lines = skip}};
    compare_text(&t, text, strlen(text), MOST, calls);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_kinds(void) {
    check_rows("1 2 3\n2 3\n\n7\n1 1 9\n", LODE_FORMAT_AUTO, false, CUT);
    check_rows("1 2 3\r\n2 3\r\n\r\n7", LODE_FORMAT_AUTO, false, CUT);
    check_rows("5 4294967295\n10000001 5\n77\n1\n", LODE_FORMAT_AUTO, false, CUT);
    check_rows("milk 1\nbread 2\n3 4\n007 5\n", LODE_FORMAT_AUTO, false, 0);
    check_rows("1", LODE_FORMAT_FIMI, false, CUT);
    check_rows("", LODE_FORMAT_FIMI, false, 0);
    check_rows("\n\n\n", LODE_FORMAT_FIMI, false, CUT);
    check_rows("1 2\r3 4\r5\r", LODE_FORMAT_FIMI, false, CUT); /* all in one part */
    check_rows(
        "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=9=pear\n1 2\n# no\n2 9\n3\n@ITEM=3=x\n1\n",
        LODE_FORMAT_SPMF, false, CUT);
    check_rows("bread,milk\nbeer\n\nmilk,milk,eggs\n", LODE_FORMAT_BASKET, false, CUT);
    check_rows("\"a,b\",milk\n\"c\",x\n\"a,b\",x\ny\n", LODE_FORMAT_BASKET, false, CUT);
    check_rows("a,\"b\nc\",d\ne,f\n\"x\n\ny\",z\n", LODE_FORMAT_BASKET, false,
               0); /* lines in quotes */
    check_rows("a,\"b\nc\",d\ne,f\n\"x\n\ny\",z\n", LODE_FORMAT_BASKET, true, 0);
    check_rows("a,\"b\nc,d\ne,f\nx,y\n", LODE_FORMAT_BASKET, true, 0); /* never closed */
    check_rows("\xef\xbb\xbf"
               "1 2\n3\n2 1\n",
               LODE_FORMAT_FIMI, false, CUT);
    check_rows("id,item\n1,a\n1,b\n2,a\n", LODE_FORMAT_TABLE, false, 0); /* not cut */
}

static void test_errors(void) {
    check_rows("1 2\n3 4\n5 6\n7 8\n9 x\n1 2\n3 y\n", LODE_FORMAT_FIMI, false, 0);
    check_rows("1 2\n3 4\n5 x\n7 8\n9 x\n1 2\n3 y\n", LODE_FORMAT_FIMI, true, CUT);
    CHECK(strstr(alone.text, "skip 3") != NULL);
    check_rows("a,b\nc,\"d\" e\nf\n", LODE_FORMAT_BASKET, false, 0);
    CHECK(strstr(alone.text, ":2:") != NULL);
}

/* Every cut of a text, by files of every length that end in it. */
static void test_cuts(void) {
    static const char text[] = "10 2\n3\r\n\n4 10 5\n6 7\r\n8\n10 2 3\n";
    team t = {.read = {.size = sizeof t.read, .format = LODE_FORMAT_FIMI}};
    for (size_t n = 1; n < sizeof text; n++) compare_text(&t, text, n, 3, CUT);
}

static unsigned pick(rng *r, unsigned below) {
    return (unsigned)rng_below(r, below);
}

static size_t random_rows(rng *r, char *text, size_t bytes, const char *words[], unsigned n_words) {
    size_t at = 0, rows = pick(r, 60);
    char separator = words[0][0] == '1' ? ' ' : ',';
    for (size_t row = 0; row < rows && at + 200 < bytes; row++) {
        unsigned n = pick(r, 6);
        for (unsigned i = 0; i < n; i++) {
            if (i > 0) text[at++] = separator;
            at += (size_t)snprintf(text + at, bytes - at, "%s", words[pick(r, n_words)]);
        }
        if (pick(r, 9) == 0) text[at++] = '\r';
        text[at++] = '\n';
    }
    if (at > 0 && pick(r, 2)) at--;
    text[at] = 0;
    return at;
}

static void test_random(void) {
    static const char *numbers[] = {"1", "2", "3", "10", "11", "500", "70000", "3999999"};
    static const char *large[] = {"1", "2", "4000000000", "10", "11", "500", "70000", "5000000"};
    static const char *words[] = {"a",         "b", "\"c,d\"", "7", "42", "\"e \"\"f\"\"\"",
                                  "g\xc3\xa4", "07"};
    static const char *lines[] = {"a", "b", "\"c\nd\"", "7", "42", "\"e\n\nf\"", "g", "07"};
    static const char **kinds[] = {numbers, large, words, lines};
    static char text[20000];
    rng r = rng_make(21, 4);
    for (unsigned i = 0; i < BY_BUILD(40, 20, 8); i++) {
        unsigned kind = i % 4;
        size_t n = random_rows(&r, text, sizeof text, kinds[kind], 3 + pick(&r, 6));
        team t = {.read = {.size = sizeof t.read,
                           .format = kind < 2 ? LODE_FORMAT_FIMI : LODE_FORMAT_BASKET,
                           .separator = kind < 2 ? 0 : ',',
                           .skip_bad_lines = pick(&r, 3) == 0}};
        compare_text(&t, text, n, 5, 0);
    }
}

static void test_graphs(void) {
    static const char *const texts[] = {
        "t # 0\nv 0 C\nv 1 O\ne 0 1 x\nt # 1\nv 0 N\nt # 2\nv 0 C\nv 1 C\ne 0 1 y\n",
        "# a comment\n\nt # a\nv 9 1\nv 4 2\ne 9 4 7\r\nt # b * 12\nv x 10\nt # c\nt # d\nv 0 1\n",
        "t # 5\nv 0 t\nt # 7\nv 1 t\nv 2 t \ne 1 2\nt # -1\n",
        "t # 0\nv 0 C\nt # 0\nv 0 C\nt # 1\n",          /* an id twice */
        "t # 0\nv 0 C\nt # 1\nv 0 C\ne 0 7 1\nt # 2\n", /* malformed */
        "t # 0\nv 0 C\nt\nv 0 C\nt # 9\n",              /* without an id */
        "v 0 C\n",
        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned directed = 0; directed < 2; directed++) {
            team t = {.graphs = true,
                      .graph_read = {.size = sizeof t.graph_read, .directed = directed}};
            compare_text(&t, texts[i], strlen(texts[i]), MOST, i < 3 ? CUT : 0);
        }
    }
}

static void test_random_graphs(void) {
    static char text[40000];
    rng r = rng_make(22, 4);
    for (unsigned round = 0; round < 12; round++) {
        size_t at = 0;
        unsigned graphs = pick(&r, 40), word = pick(&r, 3);
        for (unsigned g = 0; g < graphs; g++) {
            unsigned n = pick(&r, 6);
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   word == 0 ? "t # g%u\n" : "t # %u\n", g);
            for (unsigned v = 0; v < n; v++) {
                at += (size_t)snprintf(text + at, sizeof text - at,
                                       word == 1 ? "v a%u %u\n" : "v %u %u\n", v, pick(&r, 300));
            }
            for (unsigned v = 1; v < n; v++) {
                at += (size_t)snprintf(text + at, sizeof text - at,
                                       word == 1 ? "e a%u a%u t\n" : "e %u %u t\n", pick(&r, v), v);
            }
        }
        team t = {.graphs = true, .graph_read = {.size = sizeof t.graph_read}};
        compare_text(&t, text, at, 5, graphs > 0 ? CUT : 0);
    }
}

/* An exchange that fails ends the call, everywhere the same. */
static void test_broken(void) {
    write_file("1 2\n3 4\n5 6\n", 12);
    for (unsigned fails = 1; fails < 12; fails++) {
        team t = {.fails_in = fails, .read = {.size = sizeof t.read}};
        run_team(&t, 3);
        for (unsigned k = 0; k < 3; k++) {
            CHECK_EQUAL(members[k].status, LODE_IO);
            CHECK(strstr(members[k].text, "exchange") != NULL);
        }
    }
}

/* A budget that is too small says the same as reading alone; one that suffices for one suffices for
 * all. (A part takes less while it is read, so that all may manage what one alone cannot.) */
static void test_budgets(void) {
    static char text[120000];
    size_t at = 0;
    for (unsigned i = 0; at + 40 < sizeof text; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%u %u %u %u\n", i % 7, i % 50,
                               60 + i % 90, i % 1000);
    }
    unsigned fine = 0, short_of = 0;
    team rich = {.read = {.size = sizeof rich.read}};
    write_file(text, at);
    run_team(&rich, 1);
    uint64_t expected = members[0].fingerprint;
    for (uint64_t memory = 100000; memory < 3000000; memory += memory / 4) {
        team t = {.memory = memory, .read = {.size = sizeof t.read}};
        run_team(&t, 1);
        alone = members[0];
        run_team(&t, 3);
        for (unsigned k = 0; k < 3; k++) {
            if (members[k].status == LODE_OK) CHECK_EQUAL(members[k].fingerprint, expected);
            if (members[k].status != LODE_OK) CHECK(strcmp(members[k].text, alone.text) == 0);
            CHECK_EQUAL(members[k].status, members[0].status);
        }
        CHECK(members[0].status == LODE_OK || alone.status == LODE_BUDGET);
        fine += alone.status == LODE_OK;
        short_of += members[0].status == LODE_BUDGET;
    }
    CHECK(fine > 0 && short_of > 0);
}

static void test_refused(void) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    const char *paths[] = {path};
    lode_peers peers = {.size = sizeof peers, .n = 2, .index = 2, .gather = exchange};
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
    CHECK_EQUAL(lode_dataset_open_together(job, &data, paths, 1, NULL, NULL), LODE_INVALID);
    CHECK_EQUAL(lode_dataset_open_together(job, &data, paths, 1, NULL, &peers), LODE_INVALID);
    peers = (lode_peers){.size = sizeof peers, .n = 2};
    CHECK_EQUAL(lode_dataset_open_together(job, &data, paths, 1, NULL, &peers), LODE_INVALID);
    lode_job_free(job);
}

int main(void) {
    int fd = mkstemp(path);
    if (fd < 0) return 2;
    close(fd);
    CHECK_RUN(test_kinds);
    CHECK_RUN(test_errors);
    CHECK_RUN(test_cuts);
    CHECK_RUN(test_random);
    CHECK_RUN(test_graphs);
    CHECK_RUN(test_random_graphs);
    CHECK_RUN(test_broken);
    CHECK_RUN(test_budgets);
    CHECK_RUN(test_refused);
    unlink(path);
    return check_result();
}
