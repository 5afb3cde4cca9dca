/* test_read_input.c - sources of text: files, compressed data, parts; and the memory that they take
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "jobs.h"
#include "read_util.h"

static unsigned char packed[1 << 16];

/* Appends a gzip member. */
static size_t pack_gzip(size_t at, const char *text) {
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)strlen(text);
    z.next_out = packed + at;
    z.avail_out = (uInt)(sizeof packed - at);
    deflate(&z, Z_FINISH);
    size_t n = z.total_out;
    deflateEnd(&z);
    return at + n;
}

static size_t pack_zstd(size_t at, const char *text) {
    return at + ZSTD_compress(packed + at, sizeof packed - at, text, strlen(text), 3);
}

static size_t pack_skippable(size_t at) {
    static const unsigned char frame[] = {0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
    memcpy(packed + at, frame, sizeof frame);
    return at + sizeof frame;
}

static const read_outcome *read_packed(size_t n) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    return read_all_ways(packed, n, &options);
}

static void compressed(void) {
    CHECK_TEXT(read_packed(pack_gzip(0, "1 2\n3 4\n"))->text, "1 2|3 4|");
    CHECK_TEXT(read_packed(pack_gzip(pack_gzip(0, "1 2\n3"), " 4\n5"))->text, "1 2|3 4|5|");
    CHECK_TEXT(read_packed(pack_gzip(0, ""))->text, "");
    CHECK_TEXT(read_packed(pack_zstd(0, "b,a\nc\n"))->text, "a b|c|");
    CHECK_TEXT(read_packed(pack_zstd(pack_skippable(pack_zstd(0, "1\n2")), "3\n"))->text, "1|23|");
    CHECK_TEXT(read_packed(pack_zstd(pack_skippable(0), "7\n"))->text, "7|");
    CHECK_TEXT(read_packed(pack_zstd(0, "\xef\xbb\xbf"
                                        "1 2\n"))
                   ->text,
               "1 2|");
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    const read_outcome *o = read_all_ways(packed, pack_gzip(0, "1 2\n3 x\n"), &options);
    CHECK_EQUAL(o->status, LODE_PARSE);
    CHECK(strncmp(o->text, "in:2:3: ", 8) == 0);
}

static void damaged(void) {
    char text[20000];
    size_t n_text = 0;
    for (unsigned i = 0; n_text + 16 < sizeof text; i++) {
        n_text += (size_t)snprintf(text + n_text, 16, "%u\n", i * 2654435761u % 100000);
    }
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    for (int zstd = 0; zstd < 2; zstd++) {
        size_t n = zstd ? pack_zstd(0, text) : pack_gzip(0, text);
        const char *kind = zstd ? "in: damaged zstd data after " : "in: damaged gzip data after ";
        for (size_t cut = 5; cut < n; cut += n / 7) {
            const read_outcome *o = read_with(packed, cut, &options, 2, 0);
            CHECK_EQUAL(o->status, LODE_PARSE);
            CHECK(strncmp(o->text, kind, strlen(kind)) == 0);
        }
    }
    size_t n = pack_gzip(0, text);
    packed[n / 2] ^= 0x55;
    CHECK_EQUAL(read_with(packed, n, &options, 1, 0)->status, LODE_PARSE);
    n = pack_gzip(0, "1\n");
    memcpy(packed + n, "junk", 4);
    CHECK_TEXT(read_with(packed, n + 4, &options, 1, 0)->text,
               "in: damaged gzip data after 24 bytes; expected another member, or the end of the "
               "file");
}

/* Appends a frame whose window has 2^log bytes, as `zstd --long=LOG` makes it of a stream. */
static size_t pack_window(size_t at, unsigned log, const char *text) {
    size_t n = strlen(text), block = n << 3 | 1; /* one block, the last, as it is */
    const unsigned char head[] = {0x28,
                                  0xb5,
                                  0x2f,
                                  0xfd,
                                  0,
                                  (unsigned char)((log - 10) << 3),
                                  (unsigned char)block,
                                  (unsigned char)(block >> 8),
                                  (unsigned char)(block >> 16)};
    memcpy(packed + at, head, sizeof head);
    memcpy(packed + at + sizeof head, text, n);
    return at + sizeof head + n;
}

/* A frame with a large window needs memory for it, and says so; it is not damaged. */
static void windows(void) {
    const uint64_t window = (uint64_t)1 << 28;
    lode_read_options o = read_options(LODE_FORMAT_FIMI);
    CHECK_TEXT(read_with(packed, pack_window(0, 28, "1 2\n3\n"), &o, 1, 0)->text, "1 2|3|");
    unsigned most = BY_BUILD(31, 28, 28); /* sanitizers note every byte of it */
    CHECK_TEXT(read_with(packed, pack_window(0, most, "1 2\n3\n"), &o, 1, 0)->text, "1 2|3|");
    CHECK_TEXT(read_with(packed, pack_window(0, 32, "1 2\n"), &o, 1, 0)->text,
               "in: damaged zstd data after 0 bytes; expected a window of at most 2 GiB");
    for (int frames = 1; frames <= 2; frames++) {
        size_t n = pack_window(frames == 2 ? pack_zstd(0, "7\n") : 0, 28, "1 2\n");
        lode_job *job = read_context(1, 64 << 20);
        lode_dataset *data = NULL;
        CHECK_EQUAL(lode_dataset_parse(job, &data, (char *)packed, n, "in", &o), LODE_BUDGET);
        uint64_t needed = lode_job_memory_needed(job);
        CHECK(!data && needed > window && needed < window + (16 << 20));
        lode_job_free(job);
        job = read_context(1, needed);
        CHECK_EQUAL(lode_dataset_parse(job, &data, (char *)packed, n, "in", &o), LODE_OK);
        lode_dataset_free(data);
        lode_job_free(job);
    }
}

/* ---- Files ---- */

static lode_status open_status(const char *path, read_outcome *o) {
    lode_job *job = read_context(2, 0);
    lode_dataset *data = NULL;
    o->status = lode_dataset_open(job, &data, path, NULL);
    read_settle(job, data, o);
    return o->status;
}

static int make_file(char *path, size_t n) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, n, "%s/lode_read.XXXXXX", folder ? folder : "/tmp");
    return mkstemp(path);
}

static void files(void) {
    static read_outcome o;
    CHECK_EQUAL(open_status("no/such/file", &o), LODE_NOTFOUND);
    CHECK_TEXT(o.text, "cannot open 'no/such/file': No such file or directory");
    CHECK_EQUAL(open_status(".", &o), LODE_NOTFOUND);
    CHECK_TEXT(o.text, "cannot read '.': it is a folder; name a file in it");
    char path[256];
    int fd = make_file(path, sizeof path);
    size_t n = pack_gzip(0, "4 2\n3 1\n");
    CHECK(write(fd, packed, n) == (ssize_t)n);
    CHECK_EQUAL(open_status(path, &o), LODE_OK);
    CHECK_TEXT(o.text, "2 4|1 3|");
    CHECK(ftruncate(fd, 0) == 0);
    CHECK_EQUAL(open_status(path, &o), LODE_OK);
    CHECK_TEXT(o.text, "");
    close(fd);
    unlink(path);
}

static void standard_input(void) {
    static read_outcome o;
    int ends[2];
    int kept = dup(STDIN_FILENO);
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], "1 x\n", 4) == 4);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    lode_job *job = read_context(2, 0);
    lode_dataset *data = NULL;
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    o.status = lode_dataset_open(job, &data, "-", &options);
    read_settle(job, data, &o);
    CHECK_EQUAL(o.status, LODE_PARSE);
    CHECK(strncmp(o.text, "<stdin>:1:3: ", 13) == 0);
    if (kept >= 0) dup2(kept, STDIN_FILENO);
    close(kept);
}

static void option_errors(void) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.size = 1;
    CHECK_EQUAL(read_with("1\n", 2, &options, 1, 0)->status, LODE_INVALID);
    options = read_options((lode_format)99);
    CHECK_EQUAL(read_with("1\n", 2, &options, 1, 0)->status, LODE_INVALID);
    options = read_options(LODE_FORMAT_BASKET);
    options.separator = '"';
    CHECK_EQUAL(read_with("1\n", 2, &options, 1, 0)->status, LODE_INVALID);
}

static int stop_at_once(void *user, const lode_progress *progress) {
    (void)user;
    (void)progress;
    return 1;
}

static void cancelling(void) {
    lode_job *job = read_context(2, 0);
    lode_dataset *data = NULL;
    job->progress = stop_at_once;
    lode_job_cancel(job);
    CHECK_EQUAL(lode_dataset_parse(job, &data, "1 2\n", 4, "in", NULL), LODE_CANCELLED);
    CHECK(data == NULL);
    lode_job_reset(job);
    CHECK_EQUAL(lode_dataset_parse(job, &data, "1 2\n", 4, "in", NULL), LODE_OK);
    lode_dataset_free(data);
    lode_job_free(job);
}

/* ---- Parts ---- */

/* Reads all parts, and joins them: must be the whole. */
static void check_parts(const char *text, size_t n, lode_read_options options, unsigned n_parts) {
    static read_outcome whole, joint;
    lode_dataset *parts[8] = {0};
    lode_dataset *data = NULL;
    uint64_t n_transactions = 0;
    whole = *read_with(text, n, &options, 1, 0);
    lode_job *job = read_context(2, 0);
    options.n_parts = n_parts;
    for (options.part = 0; options.part < n_parts; options.part++) {
        lode_dataset **part = &parts[options.part];
        if (!CHECK_EQUAL(open_parse(job, part,
                                    &(read_source){.name = "in", .text = text, .bytes = n}, 1,
                                    &options, 5),
                         LODE_OK))
            break;
        n_transactions += (*part)->profile.n_transactions;
    }
    CHECK_EQUAL(n_transactions, whole.profile.n_transactions);
    joint.status = lode_dataset_merge(job, &data, (const lode_dataset *const *)parts, n_parts);
    for (unsigned i = 0; i < n_parts; i++) lode_dataset_free(parts[i]);
    read_settle(job, data, &joint);
    CHECK_TEXT(joint.text, whole.text);
    CHECK_EQUAL(joint.profile.n_repeated, whole.profile.n_repeated);
    CHECK_EQUAL(joint.profile.n_items, whole.profile.n_items);
    CHECK_EQUAL(joint.profile.format, whole.profile.format);
}

static void parts(void) {
    static const char *const texts[] = {
        "1 2\n3 4 5\n\n6\n7 8 9 10 11 12\n1 1\n",
        "1\n2\n3",
        "\n\n\n",
        "",
        "5",
        "\xef\xbb\xbf\x31 2\n3\n4\n",
        "pear,apple\nfig\n\napple,apple,fig,a very long name that fills several parts\nx,y",
        "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=fig\n1 2\n2\n1\n3 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned n_parts = 1; n_parts <= 7; n_parts++) {
            check_parts(texts[i], strlen(texts[i]), read_options(LODE_FORMAT_AUTO), n_parts);
        }
    }
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.separator = ',';
    options.header = true;
    for (unsigned n_parts = 1; n_parts <= 7; n_parts++) {
        check_parts("some header\na,b\nc\n", 18, options, n_parts);
    }
}

static void parts_of_files(void) {
    char path[256];
    int fd = make_file(path, sizeof path);
    const char text[] = "1 2\n3 4 5\n\n6\n7 8 9\n1 x\n2\n";
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    uint64_t n_transactions = 0;
    char expected[512];
    snprintf(expected, sizeof expected,
             "%s:6:3: unexpected 'x'; expected an item number, a space or the end of the line; for "
             "items that are words, use --format basket",
             path);
    for (unsigned part = 0; part < 5; part++) {
        lode_job *job = read_context(2, 0);
        lode_dataset *data = NULL;
        lode_read_options options = read_options(LODE_FORMAT_FIMI);
        options.part = part;
        options.n_parts = 5;
        if (lode_dataset_open(job, &data, path, &options) != LODE_OK) {
            CHECK_TEXT(lode_job_error(job), expected); /* lines count from the start of the file */
        }
        if (data) n_transactions += data->profile.n_transactions;
        lode_dataset_free(data);
        lode_job_free(job);
    }
    CHECK(n_transactions >= 4 && n_transactions < 7);
    unlink(path);
}

static void parts_refused(void) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.n_parts = 2;
    CHECK_EQUAL(read_with(packed, pack_gzip(0, "1\n"), &options, 1, 0)->status, LODE_UNSUPPORTED);
    CHECK_EQUAL(read_with("tid,item\n1,2\n", 13, &options, 1, 0)->status, LODE_UNSUPPORTED);
    options.part = 2;
    CHECK_EQUAL(read_with("1\n", 2, &options, 1, 0)->status, LODE_INVALID);
}

/* ---- Memory ---- */

/* Numbers of 1 to 997, forty a line. */
static char *make_numbers(size_t lines, size_t *n) {
    char *text = malloc(lines * 200);
    *n = 0;
    for (size_t i = 0; i < lines * 40; i++) {
        char after = i % 40 == 39 ? '\n' : ' ';
        *n += (size_t)snprintf(text + *n, 8, "%zu%c", i * 7919 % 997 + 1, after);
    }
    return text;
}

static double needed_mib(const char *message) {
    const char *at = strstr(message, " needs ");
    return at ? strtod(at + strlen(" needs "), NULL) : 0;
}

/* The budget that the message asks for must be enough to read, and leave room for the rows. */
static void check_budget(const char *text, size_t n, uint64_t budget, const char *sentence) {
    static read_outcome o;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    job = read_context(2, budget);
    o.status = lode_dataset_parse(job, &data, text, n, "FILE", NULL);
    read_settle(job, data, &o);
    CHECK_EQUAL(o.status, LODE_BUDGET);
    if (!CHECK(strstr(o.text, sentence) != NULL)) fprintf(stderr, "  %s\n", o.text);
    uint64_t needed = (uint64_t)(needed_mib(o.text) * (1 << 20));
    CHECK(needed > budget);
    job = read_context(2, needed);
    data = NULL;
    o.status = lode_dataset_parse(job, &data, text, n, "FILE", NULL);
    if (o.status == LODE_OK) {
        uint64_t row = (o.profile.n_transactions / 8 + 64) / 64 * 64;
        CHECK(lode_ctx_memory_used(lode_job_ctx(job)) + o.profile.n_items * row <= needed);
    }
    CHECK_EQUAL(o.status, LODE_OK);
    read_settle(job, data, &o);
}

static void budget(void) {
    size_t n;
    char *text = make_numbers(20000, &n);
    check_budget(text, n, 1 << 20, "the memory budget of 1.0 MiB is too small: FILE, with ");
    check_budget(text, n, 1 << 20, " 800,000 items in 20,000 transactions, needs ");
    check_budget(text, n, 3 << 20, " 800,000 items in 20,000 transactions, needs ");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == ' ') text[i] = ',';
    }
    memcpy(text, "x,y,z", 5);
    check_budget(text, n, 2 << 20, "items in 20,000 transactions, needs ");
    free(text);
}

/* ---- The k-th allocation fails ---- */

typedef struct failing {
    uint64_t calls, fail_at;
    int64_t live;
} failing;

static void *failing_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                            size_t align) {
    failing *f = user;
    uint64_t call = __atomic_add_fetch(&f->calls, new_bytes > 0, __ATOMIC_SEQ_CST);
    if (new_bytes > 0 && call == f->fail_at) return NULL;
    void *fresh = NULL;
    if (new_bytes > 0) {
        fresh = aligned_alloc(align, (new_bytes + align - 1) / align * align);
        if (pointer) memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    }
    free(pointer);
    __atomic_add_fetch(&f->live, (int64_t)new_bytes - (int64_t)old_bytes, __ATOMIC_SEQ_CST);
    return fresh;
}

static lode_status read_failing(failing *f, const void *text, size_t n, unsigned threads) {
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options options = {.size = sizeof options, .threads = threads};
    lode_status status = job_with_memory(&job, &options, failing_resize, f);
    if (status != LODE_OK) return status;
    status =
        open_parse(job, &data, &(read_source){.name = "in", .text = text, .bytes = n}, 1, NULL, 8);
    CHECK((status == LODE_OK) == (data != NULL));
    lode_dataset_free(data);
    lode_job_free(job);
    return status;
}

static void fail_each_allocation(const void *text, size_t n) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        lode_status status = LODE_NOMEM;
        for (uint64_t k = 1; status != LODE_OK; k++) {
            failing f = {.fail_at = k};
            status = read_failing(&f, text, n, threads);
            CHECK(status == LODE_OK || status == LODE_NOMEM);
            CHECK_EQUAL(f.live, 0);
            if (k > 100000) break;
        }
        CHECK_EQUAL(status, LODE_OK);
    }
}

static void failing_memory(void) {
    static const char *const texts[] = {
        "1 2 3\n3 2 1\n007 99999999999\n\n4\n",
        "@ITEM=1=apple\n@ITEM=2=apple\n1 2\n2 3\n",
        "a,\"b\"\"c\"\nd\ne,f\n",
        "tid,item\n1,a\n2,b\n\"1\"\"\",\"c\"\"\"\n1,5\n",
        "a,b\n1,0\n0,1\n1,1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fail_each_allocation(texts[i], strlen(texts[i]));
    }
    fail_each_allocation(packed, pack_gzip(0, "1 2\n3 4\n"));
    fail_each_allocation(packed, pack_zstd(0, "1 2\n3 4\n"));
    fail_each_allocation("\xff\xfe"
                         "1\0 \0002\0\n",
                         10);
}

int main(void) {
    CHECK_RUN(compressed);
    CHECK_RUN(damaged);
    CHECK_RUN(windows);
    CHECK_RUN(files);
    CHECK_RUN(standard_input);
    CHECK_RUN(option_errors);
    CHECK_RUN(cancelling);
    CHECK_RUN(parts);
    CHECK_RUN(parts_of_files);
    CHECK_RUN(parts_refused);
    if (BY_BUILD(true, true, false)) CHECK_RUN(budget); /* is about memory */
    CHECK_RUN(failing_memory);
    return check_result();
}
