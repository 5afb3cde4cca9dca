/* test_files.c - several files as one data set: a file cut anywhere must give the same data
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <unistd.h>

#include "read_util.h"

#define MOST_FILES 8

typedef struct pieces {
    read_source files[MOST_FILES];
    size_t n;
    char *memory[MOST_FILES];
} pieces;

static void add_piece(pieces *p, const char *header, const char *text, size_t n) {
    static const char *const names[MOST_FILES] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    size_t n_header = strlen(header);
    char *memory = malloc(n_header + n + 1);
    if (!memory) exit(2);
    memcpy(memory, header, n_header);
    memcpy(memory + n_header, text, n);
    p->memory[p->n] = memory;
    p->files[p->n] = (read_source){names[p->n], memory, n_header + n, NULL};
    p->n++;
}

static void free_pieces(pieces *p) {
    for (size_t i = 0; i < p->n; i++) free(p->memory[i]);
    *p = (pieces){.n = 0};
}

/* Of the texts given, one each. */
static pieces pieces_of(const char *const *texts) {
    pieces p = {.n = 0};
    for (; *texts; texts++) add_piece(&p, "", *texts, strlen(*texts));
    return p;
}

static char warnings[4096];

static void keep_warning(void *user, lode_log_level level, const char *message) {
    (void)user;
    size_t n = strlen(warnings);
    if (level == LODE_LOG_WARNING) snprintf(warnings + n, sizeof warnings - n, "%s\n", message);
}

static read_outcome *read_pieces(const pieces *p, const lode_read_options *options,
                                 unsigned threads, size_t block) {
    static read_outcome o;
    lode_job *job = NULL;
    lode_job_options jo = {.size = sizeof jo, .threads = threads, .log = keep_warning};
    lode_dataset *data = NULL;
    warnings[0] = 0;
    if (lode_job_create(&job, NULL, &jo) != LODE_OK) abort();
    o.status = open_parse(job, &data, p->files, p->n, options, block);
    read_settle(job, data, &o);
    return &o;
}

/* ---- cut anywhere --------------------------------------------------------------------------- */

static void check_cut(const char *header, const char *body, const lode_read_options *o,
                      const size_t *cuts, size_t n_cuts, const read_outcome *want) {
    static const size_t blocks[] = {1, 7, 0};
    pieces p = {.n = 0};
    size_t from = 0;
    for (size_t i = 0; i <= n_cuts; i++) {
        size_t to = i < n_cuts ? cuts[i] : strlen(body);
        add_piece(&p, header, body + from, to - from);
        from = to;
    }
    for (size_t b = 0; b < 3; b++) {
        const read_outcome *got = read_pieces(&p, o, b == 1 ? 3 : 1, blocks[b]);
        if (!CHECK_EQUAL(got->status, LODE_OK)) fprintf(stderr, "  %s\n", got->text);
        CHECK_TEXT(got->text, want->text);
        CHECK_EQUAL(got->profile.format, want->profile.format);
        CHECK_EQUAL(got->profile.separator, want->profile.separator);
        CHECK_EQUAL(got->profile.n_transactions, want->profile.n_transactions);
        CHECK_EQUAL(got->profile.n_files, p.n);
        CHECK_TEXT(got->profile.columns, want->profile.columns);
        CHECK_EQUAL(got->numeric, want->numeric);
    }
    free_pieces(&p);
}

/* Two files, cut behind every line from number `least` on; and four, of which one has no data. */
static void check_cuts(const char *header, const char *body, lode_format format, size_t least) {
    static char whole[4096];
    static read_outcome want;
    lode_read_options o = read_options(format);
    size_t ends[64], n = 0;
    snprintf(whole, sizeof whole, "%s%s", header, body);
    want = *read_with(whole, strlen(whole), &o, 1, 0);
    CHECK_EQUAL(want.status, LODE_OK);
    for (size_t i = 0; body[i]; i++) {
        if (body[i] == '\n') ends[n++] = i + 1;
    }
    for (size_t i = least; i < n; i++) check_cut(header, body, &o, &ends[i], 1, &want);
    size_t cuts[] = {ends[least], ends[n - 2], ends[n - 2]};
    check_cut(header, body, &o, cuts, 3, &want);
}

static void test_cuts(void) {
    check_cuts("", "1 2 3\n2 3\n\n7\n1 9999999 4294967295\n2\n", LODE_FORMAT_AUTO, 0);
    check_cuts("@ITEM=1=apple\n@ITEM=2=pear\n", "1 2 3\n2\n1 3\n3 4\n", LODE_FORMAT_AUTO, 0);
    check_cuts("", "bread,milk\nwhole milk,eggs\nmilk\nbeer,\"a,b\"\n\nsour cream,7\n",
               LODE_FORMAT_AUTO, 0);
    check_cuts("", "bread milk\neggs\n12 13\nmilk\n1\n", LODE_FORMAT_BASKET, 0);
    check_cuts("order,item\n", "1,milk\n1,bread\n2,milk\n3,eggs\n1,eggs\n2,bread\n3,12\n",
               LODE_FORMAT_AUTO, 0);
    check_cuts("id,product\n", "1,milk\n1,bread\n2,milk\n3,eggs\n3,beer\n", LODE_FORMAT_AUTO, 1);
    check_cuts("Date;Order ID;Product Name\n", "d1;1;milk\nd2;1;x\nd1;2;milk\n", LODE_FORMAT_AUTO,
               0);
    check_cuts("row,bread,milk,eggs\n", "1,1,0,1\n2,0,0,0\n3,1,1,0\n4,0,1,1\n", LODE_FORMAT_AUTO,
               0);
    check_cuts("bread,milk,eggs\n", "yes,no,yes\nno,no,no\nyes,yes,no\n", LODE_FORMAT_AUTO, 0);
    check_cuts("bread,milk,eggs,Total\n", "1,0,3,4\n0,0,2,2\n1,1,0,2\n", LODE_FORMAT_ONEHOT, 0);
}

/* ---- together, or not ----------------------------------------------------------------------- */

#define TOGETHER(format, expected, ...)                                                            \
    do {                                                                                           \
        pieces p_ = pieces_of((const char *const[]){__VA_ARGS__, NULL});                           \
        lode_read_options o_ = read_options(format);                                               \
        const read_outcome *got_ = read_pieces(&p_, &o_, 2, 5);                                    \
        CHECK_EQUAL(got_->status, LODE_OK);                                                        \
        CHECK_TEXT(got_->text, expected);                                                          \
        free_pieces(&p_);                                                                          \
    } while (0)

#define APART(format, expected, words, ...)                                                        \
    do {                                                                                           \
        pieces p_ = pieces_of((const char *const[]){__VA_ARGS__, NULL});                           \
        lode_read_options o_ = read_options(format);                                               \
        for (unsigned t_ = 1; t_ < 4; t_++) {                                                      \
            const read_outcome *got_ = read_pieces(&p_, &o_, t_, t_ == 1 ? 0 : 6);                 \
            CHECK_EQUAL(got_->status, expected);                                                   \
            if (!CHECK(strstr(got_->text, words))) fprintf(stderr, "  %s\n", got_->text);          \
        }                                                                                          \
        free_pieces(&p_);                                                                          \
    } while (0)

static void test_tables(void) {
    /* One transaction in two files; columns in another order; a title; quotes; no line end. */
    TOGETHER(LODE_FORMAT_AUTO, "bread milk|beer bread eggs|", "order,item\n1,milk\n2,eggs\n1,bread",
             "item,order\nbeer,2\nbread,2\n");
    TOGETHER(LODE_FORMAT_AUTO, "bread|bread milk|", "Order ID,Price,Product Name\n1,5,bread\n",
             "My shop\nPrice,\"Product Name\",Order ID\n5,milk,2\n6,bread,2\n");
    TOGETHER(LODE_FORMAT_AUTO, "bread milk|eggs|", "", "order,item\n1,milk\n1,bread\n", "",
             "order,item\n", "order,item\r\n2,eggs\r\n\r\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE,
          "a and b differ: the format of the first file is table, separator ','",
          "order,item\n1,milk\n", "2,milk\n3,bread\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "a and b differ: the format of the first file is basket",
          "1,milk\n2,bread\n", "order,item\n2,milk\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "separator ';'", "order,item\n1,milk\n",
          "order;item\n2;milk\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "a and b differ: the second file has no column 'item'",
          "order,item\n1,milk\n", "order,product\n2,milk\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "only the second file has the column 'price'",
          "order,item\n1,milk\n", "order,item,price\n2,milk,3\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "fewer columns", "order,price,item\n1,1,milk\n",
          "order,item\n2,milk\n");
    APART(LODE_FORMAT_TABLE, LODE_PARSE, "the second file has a header", "1,milk\n2,milk\n",
          "order,item\n1,milk\n");
}

/* Columns that were asked for by number: names must be the same, or there are none. */
static void test_numbered_columns(void) {
    const char *const same[] = {"x,order,item\n1,1,milk\n", "x,order,item\n2,2,milk\n", NULL};
    const char *const other[] = {"x,order,item\n1,1,milk\n", "order,x,item\n2,2,milk\n", NULL};
    const char *const wide[] = {"order,item\n1,milk\n", "x,item,order\n3,eggs,1\n", NULL};
    const char *const plain[] = {"1,1,milk\n", "2,2,milk\n", NULL};
    lode_read_options o = read_options(LODE_FORMAT_TABLE);
    o.tid_column = "2";
    o.item_column = "3";
    pieces p = pieces_of(same);
    CHECK_TEXT(read_pieces(&p, &o, 1, 0)->text, "milk|milk|");
    free_pieces(&p);
    p = pieces_of(plain);
    CHECK_TEXT(read_pieces(&p, &o, 1, 0)->text, "milk|milk|");
    free_pieces(&p);
    p = pieces_of(other);
    CHECK(strstr(read_pieces(&p, &o, 1, 0)->text,
                 "column 2 is 'order' in the first file, but 'x' in the second"));
    free_pieces(&p);
    o.tid_column = "order";
    o.item_column = "item";
    p = pieces_of(wide);
    CHECK_TEXT(read_pieces(&p, &o, 1, 0)->text, "eggs milk|");
    free_pieces(&p);
}

static void test_onehot(void) {
    TOGETHER(LODE_FORMAT_AUTO, "bread|bread milk|beer milk|", "bread,milk\n1,0\n1,1\n",
             "milk,beer\n1,1\n");
    CHECK_TEXT(warnings, "b lacks 1 of the item columns of a, and has 1 others; if a file has no "
                         "column for an item, lode takes the item as absent from that file\n");
    TOGETHER(LODE_FORMAT_AUTO, "bread|milk|bread|", "bread,milk\n1,0\n", "milk,bread\n1,0\n0,1\n");
    CHECK_TEXT(warnings, "");
    /* A column of ids stays one, however few lines tell. */
    TOGETHER(LODE_FORMAT_AUTO, "bread|milk|bread milk|milk|",
             "n,bread,milk\n11,1,0\n12,0,1\n13,1,1\n", "bread,n,milk\n0,1,1\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "the first file has the column 'n', the second does not",
          "n,bread,milk\n11,1,0\n12,0,1\n13,1,1\n", "bread,milk\n0,1\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "does the second lack its header?", "bread,milk\n1,0\n",
          "1,0\n0,1\n1,1\n");
}

static void test_lines(void) {
    TOGETHER(LODE_FORMAT_AUTO, "1 2|3|4|", "1 2\n3", "4\n"); /* the last line may lack its end */
    TOGETHER(LODE_FORMAT_AUTO, "apple pear|apple|3 pear|", "@ITEM=1=apple\n@ITEM=2=pear\n1 2\n",
             "1\n", "@ITEM=2=pear\n2 3\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE,
          "a and b differ: item 1 is named 'fig' in line 2, but 'apple' before",
          "@ITEM=1=apple\n1 2\n", "@X\n@ITEM=1=fig\n1\n");
    APART(
        LODE_FORMAT_AUTO, LODE_PARSE,
        "a and b differ: the format of the first file is fimi, the format of the second is basket",
        "1 2\n3\n", "milk,bread\nmilk\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE,
          "the format of the first file is basket, separator ',', the format of the second is fimi",
          "milk,bread\nmilk\n", "1 2\n3 4\n5 6\n7\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "graphs", "1 2\n", "t # 1\nv 0 C\nv 1 O\ne 0 1 x\n");
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "b: this is", "1 2\n", "%PDF-1.4\n%aaaa\n");
    lode_read_options o = read_options(LODE_FORMAT_BASKET);
    o.header = true;
    pieces p = pieces_of((const char *const[]){"item1,item2\na,b\n", "item1\nc\n", NULL});
    CHECK_TEXT(read_pieces(&p, &o, 1, 0)->text, "a b|c|");
    free_pieces(&p);
    p = pieces_of((const char *const[]){"item1,item2\na,b\n", "c,d\na\n", NULL});
    CHECK(strstr(read_pieces(&p, &o, 1, 0)->text,
                 "begins with 'item1', the header of the second with"));
    free_pieces(&p);
}

/* ---- where something is wrong --------------------------------------------------------------- */

static void test_places(void) {
    APART(LODE_FORMAT_FIMI, LODE_PARSE, "b:2:3: ", "1 2\n3\n4\n", "5\n6 x\n", "y\n");
    APART(LODE_FORMAT_FIMI, LODE_PARSE, "a:3:1: ", "1 2\n3\nx\n", "5\n6 x\n");
    APART(LODE_FORMAT_TABLE, LODE_PARSE, "b:3:", "order,item\n1,a\n", "order,item\n1,b\n1,b,c\n");
    APART(LODE_FORMAT_TABLE, LODE_PARSE, "b:2:1: blank line", "order,item\n1,a\n\n\n",
          "order,item\n\n1,b\n", "order,item\n1,b,c\n");
    APART(LODE_FORMAT_ONEHOT, LODE_PARSE, "b:2:3: neither", "a,b\n1,0\n", "a,b\n1,2x\n");
    /* A malformed line of an earlier file comes first, whatever the next file is. */
    APART(LODE_FORMAT_AUTO, LODE_PARSE, "a:3:", "order,item\n1,a\n1,b,c\n", "1,x\n2,y\n");
    TOGETHER(LODE_FORMAT_TABLE, "a b|c|", "order,item\n1,a\n\n\n", "order,item\n1,b\n2,c\n\n");
    lode_read_options o = read_options(LODE_FORMAT_FIMI);
    o.skip_bad_lines = true;
    pieces p = pieces_of((const char *const[]){"1\nx\n2\n", "y\n3\n", NULL});
    const read_outcome *got = read_pieces(&p, &o, 2, 2);
    CHECK_TEXT(got->text, "1|2|3|");
    CHECK_EQUAL(got->profile.n_skipped, 2);
    free_pieces(&p);
    p = pieces_of((const char *const[]){"", "", NULL});
    CHECK_EQUAL(read_pieces(&p, NULL, 2, 0)->status, LODE_OK);
    o.n_parts = 2;
    CHECK_EQUAL(read_pieces(&p, &o, 2, 0)->status, LODE_UNSUPPORTED);
    free_pieces(&p);
}

/* ---- real files ----------------------------------------------------------------------------- */

static char folder[] = "/tmp/lode-files-XXXXXX";

static void write_file(const char *path, const void *text, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0) exit(2);
}

static lode_status open_files(const char *const *paths, size_t n, read_outcome *o) {
    lode_job *job = read_context(2, 0);
    lode_dataset *data = NULL;
    o->status = lode_dataset_open_files(job, &data, paths, n, NULL);
    lode_status status = o->status;
    read_settle(job, data, o);
    return status;
}

static void test_paths(void) {
    static read_outcome o;
    static const unsigned char packed[] = {/* gzip of "3 4\n" */
                                           0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                           0x02, 0xff, 0x33, 0x56, 0x30, 0xe1, 0x02, 0x00,
                                           0x5a, 0xd4, 0x68, 0xa0, 0x04, 0x00, 0x00, 0x00};
    char plain[64], gz[64], none[64], glob[64];
    if (!mkdtemp(folder)) exit(2);
    snprintf(plain, sizeof plain, "%s/1", folder);
    snprintf(gz, sizeof gz, "%s/2", folder);
    snprintf(none, sizeof none, "%s/3", folder);
    snprintf(glob, sizeof glob, "%s/part-*", folder);
    write_file(plain, "1 2\n", 4);
    write_file(gz, packed, sizeof packed);
    const char *const both[] = {plain, gz}, *const lost[] = {plain, none};
    const char *const pattern[] = {glob}, *const inside[] = {plain, folder};
    const char *const twice[] = {"-", plain, "-"};
    CHECK_EQUAL(open_files(both, 2, &o), LODE_OK);
    CHECK_TEXT(o.text, "1 2|3 4|");
    CHECK_EQUAL(open_files(lost, 2, &o), LODE_NOTFOUND);
    CHECK(strstr(o.text, none) != NULL);
    CHECK_EQUAL(open_files(pattern, 1, &o), LODE_NOTFOUND);
    CHECK(strstr(o.text, "no file matches") != NULL);
    CHECK_EQUAL(open_files(inside, 2, &o), LODE_NOTFOUND);
    CHECK(strstr(o.text, "it is a folder") != NULL);
    CHECK_EQUAL(open_files(twice, 3, &o), LODE_INVALID);
    CHECK(strstr(o.text, "only once") != NULL);
    remove(plain);
    remove(gz);
    rmdir(folder);
}

/* More files than a process may have open. */
static void test_many(void) {
    enum { N = 3000 };
    static read_source files[N];
    static char texts[N][16];
    for (int i = 0; i < N; i++) {
        int n = snprintf(texts[i], sizeof texts[i], "%d %d\n", i, i + 1);
        files[i] = (read_source){"many", texts[i], (size_t)n, NULL};
    }
    lode_job *job = read_context(4, 0);
    lode_dataset *data = NULL;
    uint32_t items[2];
    CHECK_EQUAL(open_parse(job, &data, files, N, NULL, 0), LODE_OK);
    CHECK_EQUAL(profile_of(data).n_transactions, N);
    for (uint32_t t = 0; t < N; t++) {
        CHECK(lode_dataset_transaction(data, t, items, 2) == 2 && items[0] == t);
    }
    lode_dataset_free(data);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_cuts);
    CHECK_RUN(test_tables);
    CHECK_RUN(test_numbered_columns);
    CHECK_RUN(test_onehot);
    CHECK_RUN(test_lines);
    CHECK_RUN(test_places);
    CHECK_RUN(test_paths);
    CHECK_RUN(test_many);
    return check_result();
}
