/* test_checks.c - blocks of memory, and the checks of invariants: they must detect violations
 *
 * Invariants are broken on purpose, through internal interfaces. Cheap checks must return
 * LODE_INTERNAL and name a place in the sources, in every build. Expensive checks must end the
 * program in Debug builds, which is tested with a separate process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "check.h"
#include "data/transactions/dataset.h"
#include "itemsets/adaptive/arena.h"
#include "runtime/list_pool.h"
#include "runtime/tasks.h"
#include "write/graphs/graph_sink.h"
#include "write/itemsets/item_sink.h"

static lode_job *make_job(void) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

/* ---- blocks -------------------------------------------------------------------------------- */

/* Sizes around 256 KiB, from where on blocks are pages, and around whole pages. */
static const size_t sizes[] = {1,      63,     64,     65,         4096,    262143,      262144,
                               262145, 266240, 300000, 262144 * 3, 1000001, 262144 * 16, 7};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static bool holds(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != (unsigned char)(i * 7 + i / 251)) return false;
    }
    return true;
}

static void fill(unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 7 + i / 251);
}

/* From every size to every other: what fits is kept, and the count is exact. */
static void test_resize(void) {
    mem m;
    mem_init(&m, NULL, NULL, 0);
    for (int i = 0; i < N_SIZES; i++) {
        for (int k = 0; k < N_SIZES; k++) {
            unsigned char *block = NULL;
            size_t kept = sizes[i] < sizes[k] ? sizes[i] : sizes[k];
            CHECK_EQUAL(mem_resize(&m, (void **)&block, 0, sizes[i]), LODE_OK);
            CHECK_EQUAL((uintptr_t)block % MEM_ALIGN, 0);
            fill(block, sizes[i]);
            CHECK_EQUAL(mem_resize(&m, (void **)&block, sizes[i], sizes[k]), LODE_OK);
            CHECK_EQUAL((uintptr_t)block % MEM_ALIGN, 0);
            CHECK(holds(block, kept));
            fill(block, sizes[k]); /* up to the last byte */
            CHECK_EQUAL(m.used, sizes[k]);
            mem_free(&m, block, sizes[k]);
        }
        unsigned char *zero = NULL;
        CHECK_EQUAL(mem_zalloc(&m, (void **)&zero, sizes[i]), LODE_OK);
        bool all = true;
        for (size_t n = 0; n < sizes[i]; n++) all = all && zero[n] == 0;
        CHECK(all);
        mem_free(&m, zero, sizes[i]);
    }
    CHECK_EQUAL(m.used, 0);
}

static void test_kept(void) {
    mem m;
    mem_kept kept = {0};
    unsigned char *blocks[N_SIZES], *none = (unsigned char *)&m;
    mem_init(&m, NULL, NULL, 0);
    for (int i = 0; i < N_SIZES; i++) {
        CHECK_EQUAL(mem_keep(&m, &kept, (void **)&blocks[i], sizes[i]), LODE_OK);
        CHECK_EQUAL((uintptr_t)blocks[i] % MEM_ALIGN, 0);
        fill(blocks[i], sizes[i]);
    }
    CHECK_EQUAL(mem_keep(&m, &kept, (void **)&none, 0), LODE_OK);
    CHECK(!none);
    CHECK_EQUAL(mem_keep_zero(&m, &kept, (void **)&none, SIZE_MAX - 3), LODE_NOMEM);
    CHECK(!none);
    for (int i = 0; i < N_SIZES; i++) CHECK(holds(blocks[i], sizes[i]));
    mem_drop(&m, &kept);
    CHECK_EQUAL(m.used, 0);
    mem_drop(&m, &kept); /* nothing is left */
    m.budget = 100;
    CHECK_EQUAL(mem_keep(&m, &kept, (void **)&none, 90), LODE_BUDGET);
    CHECK_EQUAL(m.used, 0);
}

/* ---- checks that return -------------------------------------------------------------------- */

static void check_message(const lode_job *job, const char *file) {
    const char *message = lode_job_error(job);
    bool fine = CHECK(strstr(message, "internal error at src/")) & CHECK(strstr(message, file)) &
                CHECK(strstr(message, "please report"));
    if (!fine) fprintf(stderr, "  %s\n", message);
}

static lode_status emit_bad(lode_sink *sink, uint32_t n_perfect, uint64_t support) {
    uint32_t perfect[8] = {1, 2, 3, 4, 5, 6, 7, 8}, item = 9;
    sink_worker *worker = NULL;
    lode_batch batch = {.items = &item, .supports = &support, .n = 1, .perfect = perfect};
    batch.n_perfect = n_perfect;
    if (sink_open_worker(sink, &worker) != LODE_OK) exit(2);
    lode_status status = sink_emit(worker, &batch);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    return status;
}

static void check_bad(uint32_t n_perfect, uint64_t support, bool bad) {
    lode_job *job = make_job();
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    atomic_store(&job->threshold, 10);
    sink_expect(sink, &(sink_bounds){.least = 10, .most = 20, .longest = 4});
    CHECK_EQUAL(emit_bad(sink, n_perfect, support), bad ? LODE_INTERNAL : LODE_OK);
    if (bad) check_message(job, "src/write/itemsets/item_sink.c:");
    CHECK_EQUAL(lode_sink_patterns(sink), bad ? 0 : 1 << n_perfect);
    lode_sink_free(sink);
    lode_job_free(job);
}

static void test_sink_bounds(void) {
    check_bad(3, 10, false);
    check_bad(0, 20, false);
    check_bad(0, 9, true);  /* below the threshold of the job */
    check_bad(0, 21, true); /* more than there are transactions */
    check_bad(4, 15, true); /* larger than the largest */
}

/* A threshold that rises in a job is no mistake: what it overtakes is dropped. */
static void test_sink_risen(void) {
    lode_job *job = make_job();
    lode_sink *sink = NULL;
    CHECK_EQUAL(lode_sink_memory(job, &sink), LODE_OK);
    atomic_store(&job->threshold, 15);
    sink_expect(sink, &(sink_bounds){.least = 10, .most = 20, .longest = 4});
    CHECK_EQUAL(emit_bad(sink, 0, 12), LODE_OK);
    CHECK_EQUAL(lode_sink_patterns(sink), 0);
    lode_sink_free(sink);
    lode_job_free(job);
}

static void test_graph_pattern(void) {
    lode_job *job = make_job();
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    uint32_t labels[3] = {0, 0, 0}, from = 0, to = 1, edge_label = 0;
    lode_graph_pattern p = {.support = 1};
    lode_graph g = LODE_INIT(lode_graph);
    p.graph = &g;
    g.n_vertices = 3; /* and one edge: not connected */
    g.n_edges = 1;
    g.vertex_labels = labels;
    g.from = &from;
    g.to = &to;
    g.edge_labels = &edge_label;
    CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
    CHECK_EQUAL(graph_sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(graph_sink_emit(worker, &p), LODE_INTERNAL);
    check_message(job, "src/write/graphs/graph_sink.c:");
    g.n_vertices = 2;
    CHECK_EQUAL(graph_sink_emit(worker, &p), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
    lode_sink_free(sink);
    lode_job_free(job);
}

/* ---- checks that end the program ----------------------------------------------------------- */

/* Runs it in a process of its own; what it printed, or NULL if it came to its end. */
static const char *last_words(void (*doing)(void)) {
    static char said[8192];
    int ends[2], result = 0;
    size_t n = 0;
    fflush(stdout);
    if (pipe(ends) != 0) exit(2);
    pid_t child = fork();
    if (child < 0) exit(2);
    if (child == 0) {
        dup2(ends[1], 2);
        doing();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t more;
         n < sizeof said - 1 && (more = read(ends[0], said + n, sizeof said - 1 - n));) {
        if (more < 0) exit(2);
        n += (size_t)more;
    }
    close(ends[0]);
    said[n] = 0;
    waitpid(child, &result, 0);
    return WIFEXITED(result) && WEXITSTATUS(result) == 0 ? NULL : said;
}

static void check_dies(void (*doing)(void), const char *words, bool here) {
    if (!here) return;
    const char *said = last_words(doing);
    bool fine = CHECK(said != NULL) && CHECK(strstr(said, words) != NULL);
    if (!fine) fprintf(stderr, "  no \"%s\" in: %s\n", words, said ? said : "(it lives)");
}

static mem fresh;

static void *take(size_t bytes) {
    void *block = NULL;
    mem_init(&fresh, NULL, NULL, 0);
    if (mem_resize(&fresh, &block, 0, bytes) != LODE_OK) exit(2);
    return block;
}

static void free_wrong_size(void) {
    mem_free(&fresh, take(100), 99);
}
static void free_wrong_pages(void) {
    mem_free(&fresh, take(1 << 20), 1 << 19);
}
static void free_as_empty(void) {
    mem_free(&fresh, take(100), 0);
}
static void resize_wrong_size(void) {
    void *block = take(100);
    lode_status ignored = mem_resize(&fresh, &block, 120, 200);
    (void)ignored;
}
static void free_no_block(void) {
    char *block = take(1000);
    memset(block, 0, 1000);
    mem_free(&fresh, block + 64, 100);
}
static void discharge_too_much(void) {
    take(100);
    mem_discharge(&fresh, 101);
}
static void free_job_too_early(void) {
    lode_job *job = make_job();
    lode_sink *sink = NULL;
    if (lode_sink_count(job, &sink) == LODE_OK) lode_job_free(job);
}
static void give_twice(void) {
    list_pool pool;
    mem_init(&fresh, NULL, NULL, 0);
    list_pool_init(&pool, &fresh, 0, 4);
    if (list_pool_prepare(&pool) != LODE_OK) exit(2);
    uint32_t row = list_pool_take(&pool);
    list_pool_give(&pool, row);
    list_pool_give(&pool, row);
}
static void return_above(void) {
    arena a;
    void *block;
    mem_init(&fresh, NULL, NULL, 0);
    arena_init(&a, &fresh);
    if (arena_take(&a, 1000, &block) != LODE_OK) exit(2);
    arena_mark mark = arena_here(&a);
    arena_return(&a, (arena_mark){0});
    arena_return(&a, mark);
}
static void end_no_task(void) {
    tasks q;
    tasks_item item;
    tasks_init(&q);
    tasks_close(&q);
    tasks_take(&q, true, &item);
}
static void emit_twice_the_item(void) {
    lode_job *job = make_job();
    lode_sink *sink = NULL;
    sink_worker *worker = NULL;
    uint32_t items[2] = {3, 3};
    uint64_t support = 1;
    lode_batch batch = {
        .prefix = items, .n_prefix = 1, .items = items + 1, .supports = &support, .n = 1};
    if (lode_sink_memory(job, &sink) != LODE_OK || sink_open_worker(sink, &worker) != LODE_OK) {
        exit(2);
    }
    lode_status ignored = sink_emit(worker, &batch);
    (void)ignored;
}

static void test_debug_checks(void) {
    bool on = LODE_DEBUG;
    if (!on) printf("    (this build has none)\n");
    check_dies(free_wrong_size, "a block has 100 bytes, but the caller says 99", on);
    check_dies(free_wrong_pages, "a block has 1048576 bytes, but the caller says 524288", on);
    check_dies(free_as_empty, "is freed with a size of 0", on);
    check_dies(resize_wrong_size, "a block has 100 bytes, but the caller says 120", on);
    check_dies(free_no_block, "is not an allocated block", on);
    check_dies(discharge_too_much, "101 bytes are given back, but only 100 are in use", on);
    check_dies(free_job_too_early, "objects of the job still hold", on);
    check_dies(give_twice, "is returned twice", on);
    check_dies(return_above, "a mark above its top", on);
    check_dies(end_no_task, "a task ends, but no thread was working on one", on);
    check_dies(emit_twice_the_item, "an item twice", on);
}

/* ---- what AddressSanitizer sees ------------------------------------------------------------ */

static volatile char *volatile at;

static void write_behind_pages(void) {
    at = take((1 << 20) - 5);
    at[(1 << 20) - 5] = 1;
}
static void write_before_pages(void) {
    at = take(1 << 20);
    at[-1] = 1;
}
static void write_behind_small(void) {
    at = take(61);
    at[61] = 1;
}
static void write_above_arena(void) {
    arena a;
    void *block;
    mem_init(&fresh, NULL, NULL, 0);
    arena_init(&a, &fresh);
    arena_mark mark = arena_here(&a);
    if (arena_take(&a, 1000, &block) != LODE_OK) exit(2);
    at = block;
    arena_return(&a, mark);
    at[0] = 1;
}

static void test_poison(void) {
#if defined(POISON_ON)
    bool on = true;
#else
    bool on = false;
    printf("    (not under AddressSanitizer)\n");
#endif
    check_dies(write_behind_pages, "use-after-poison", on);
    check_dies(write_before_pages, "use-after-poison", on);
    check_dies(write_behind_small, "use-after-poison", on);
    check_dies(write_above_arena, "use-after-poison", on);
}

/* ---- more transactions than can be counted -------------------------------------------------- */

/* Rows are numbered, and supports are counted, in 32 bits: no algorithm may begin with more. */
static void test_many_transactions(void) {
    const uint64_t offsets[] = {0, 2, 3};
    const uint32_t items[] = {1, 2, 1};
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = 64 << 20};
    lode_dataset *data = NULL;
    lode_algorithm algorithm = LODE_INIT(lode_algorithm);
    CHECK_EQUAL(lode_job_create(&job, NULL, &o), LODE_OK);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, offsets, items, NULL), LODE_OK);
    size_t n = 0;
    for (; lode_algorithm_at(LODE_ITEMSETS, n, &algorithm); n++) {
        lode_sink *sink = NULL;
        lode_mine_options how = LODE_INIT(lode_mine_options);
        how.algorithm = algorithm.name;
        how.min_support.numerator = 1;
        CHECK_EQUAL(lode_sink_count(job, &sink), LODE_OK);
        data->profile.n_transactions = data->total_weight = (uint64_t)1 << 32;
        CHECK_EQUAL(lode_mine(job, data, &how, sink), LODE_UNSUPPORTED);
        data->profile.n_transactions = data->total_weight = 2;
        if (!CHECK(strstr(lode_job_error(job), "4,294,967,296 transactions; expected"))) {
            fprintf(stderr, "  %s: %s\n", algorithm.name, lode_job_error(job));
        }
        lode_sink_free(sink);
    }
    CHECK(n > 5);
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_resize);
    CHECK_RUN(test_kept);
    CHECK_RUN(test_sink_bounds);
    CHECK_RUN(test_sink_risen);
    CHECK_RUN(test_graph_pattern);
    CHECK_RUN(test_debug_checks);
    CHECK_RUN(test_poison);
    CHECK_RUN(test_many_transactions);
    return check_result();
}
