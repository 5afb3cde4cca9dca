/* test_clean.c - cleaning, selecting and writing data sets: every step, round trips, failing memory
 *
 * tests/test_clean_oracle.py compares whole runs with a slow and simple implementation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "extras/clean/fold.h"
#include "faulty.h"
#include "jobs.h"
#include "read_util.h"

static lode_job *job;

static lode_dataset *parse_as(const char *text, const lode_read_options *o) {
    lode_dataset *data = NULL;
    if (!CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), "in", o), LODE_OK)) {
        fprintf(stderr, "  %s\n", lode_job_error(job));
        exit(1);
    }
    return data;
}

static lode_dataset *baskets(const char *text) {
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ','};
    return parse_as(text, &o);
}

/* Cleans a text, and compares what becomes of it; "!…" is a message. */
static void cleans(const char *text, lode_clean_options o, const char *expected) {
    static read_outcome out;
    lode_dataset *data = baskets(text), *clean = NULL;
    const char *reason = "";
    o.size = sizeof o;
    lode_status status = lode_clean(job, &clean, data, &o, NULL);
    if (expected[0] == '!') {
        CHECK(status != LODE_OK && clean == NULL);
        CHECK_TEXT(lode_job_error(job), expected + 1);
    } else if (CHECK_EQUAL(status, LODE_OK)) {
        CHECK(dataset_validate(clean, &reason));
        read_dump(clean, &out);
        CHECK_TEXT(out.text, expected);
    } else {
        fprintf(stderr, "  %s\n", lode_job_error(job));
    }
    lode_dataset_free(clean);
    lode_dataset_free(data);
}

static void folds(unsigned how, const char *name, const char *expected) {
    mem m;
    vec_char out = {0}, scratch = {0};
    mem_init(&m, NULL, NULL, 0);
    CHECK_EQUAL(fold_name(&m, how, name, strlen(name), &out, &scratch), LODE_OK);
    CHECK_EQUAL(vec_char_append(&m, &out, "", 1), LODE_OK);
    CHECK_TEXT(out.data, expected);
    vec_char_free(&m, &out);
    vec_char_free(&m, &scratch);
    CHECK_EQUAL(mem_used(&m), 0);
}

static void folding(void) {
    folds(FOLD_BLANKS, "  a \t b\n", "a b");
    folds(FOLD_BLANKS,
          "\xc2\xa0"
          "a\xe3\x80\x80\xe2\x80\x83"
          "b",
          "a b");
    folds(FOLD_BLANKS, " \t ", "");
    folds(FOLD_CASE, "MILK Milch ÄÖÜ", "milk milch äöü");
    folds(FOLD_CASE, "ΣΊΣΥΦΟΣ", "σίσυφοσ");
    folds(FOLD_CASE, "ЖЁЛТЫЙ ԱՐ 𐐀", "жёлтый ար 𐐨");
    folds(FOLD_CASE, "\xc4", "ä"); /* a byte of Latin-1 */
    folds(FOLD_CASE, "ẞ ß", "ß ß");
    folds(FOLD_ACCENTS, "Crème brûlée", "Creme brulee");
    folds(FOLD_ACCENTS, "e\xcc\x81", "e"); /* a letter and a mark */
    folds(FOLD_ACCENTS, "straße Æsop Łódź Øl", "strasse AEsop Lodz Ol");
    folds(FOLD_ACCENTS, "ﬁsh ﬄ ½ № Ⅳ", "fish ffl 1/2 No IV");
    folds(FOLD_ACCENTS, "ＡＢＣ１２！", "ABC12!");
    folds(FOLD_ACCENTS, "“a” – ‘b’", "\"a\" - 'b'");
    folds(FOLD_ACCENTS, "ёлка чай", "елка чай"); /* й is a letter of its own */
    folds(FOLD_ACCENTS, "Ά ώ ᾳ", "Α ω α");
    folds(FOLD_ACCENTS, "日本", "日本");
    folds(FOLD_ACCENTS | FOLD_CASE | FOLD_BLANKS, "  CAFÉ  au LAIT ", "cafe au lait");
}

/* Case folding twice is folding once, for every character. */
static void folding_is_stable(void) {
    mem m;
    vec_char once = {0}, twice = {0}, scratch = {0};
    mem_init(&m, NULL, NULL, 0);
    for (uint32_t code = 0x80; code < 0x20000; code++) {
        char text[4] = {(char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
                        (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f))};
        size_t from = 0;
        if (code < 0x800) {
            text[2] = (char)(0xc0 | code >> 6);
            from = 2;
        } else if (code < 0x10000) {
            text[1] = (char)(0xe0 | code >> 12);
            from = 1;
        }
        for (unsigned how = FOLD_ACCENTS; how <= FOLD_CASE; how *= 2) {
            bool fine = fold_name(&m, how, text + from, 4 - from, &once, &scratch) == LODE_OK &&
                        fold_name(&m, how, once.data, once.n, &twice, &scratch) == LODE_OK;
            bool same = fine && once.n == twice.n &&
                        (once.n == 0 || memcmp(once.data, twice.data, once.n) == 0);
            if (!same && !CHECK(same)) fprintf(stderr, "  U+%04X by %u\n", code, how);
        }
    }
    vec_char_free(&m, &once);
    vec_char_free(&m, &twice);
    vec_char_free(&m, &scratch);
}

static void steps(void) {
    cleans("\" milk\",milk,bread\n\n", (lode_clean_options){.size = 0}, "bread milk||");
    cleans("\" milk\",milk\n", (lode_clean_options){.keep_blanks = true}, " milk milk|");
    cleans("Milk,MILK,bread\nmilk\n", (lode_clean_options){.fold_case = true}, "bread milk|milk|");
    cleans("\" \",a\n\" \"\n", (lode_clean_options){.size = 0}, "a||");
    cleans("a,b\na,beer\nb,beans\n", (lode_clean_options){.drop = "be*\na"}, "b||b|");
    cleans("Beer\n", (lode_clean_options){.drop = "BEER", .fold_case = true}, "|");
    cleans("a,b\nb,a\na\na\n\n\n", (lode_clean_options){.unique_baskets = true}, "a b|a||");
    cleans("a,b\na\na,c\n", (lode_clean_options){.min_item_support = {2, 0}}, "a|a|a|");
    cleans("a,b\na\na,c\n", (lode_clean_options){.max_item_support = {2, 0}}, "b||c|");
    cleans("a,b\na\na,c\n", (lode_clean_options){.max_item_support = {50, 100}}, "b||c|");
    cleans("a,b\na\n\nc,d,e\n", (lode_clean_options){.min_basket = 1, .max_basket = 2}, "a b|a|");
    cleans(
        "a\na\nb,c\nb\n",
        (lode_clean_options){.unique_baskets = true, .min_item_support = {2, 0}, .min_basket = 1},
        "b|b|");
    cleans("1,2\n2,03\n", (lode_clean_options){.drop = "1"}, "2|2 03|");
    cleans("", (lode_clean_options){.fold_case = true, .unique_baskets = true}, "");
    cleans("a\n", (lode_clean_options){.min_basket = 3, .max_basket = 2},
           "!min-basket 3 is above max-basket 2");
}

static void mapping_files(void) {
    const char *text = "Coke,coca cola,beer 1,beer 2\nmilk\n";
    cleans(text, (lode_clean_options){.map_text = "Coke,cola\ncoca cola,cola\nbeer*,beer\n"},
           "beer cola|milk|");
    cleans(text, (lode_clean_options){.map_text = "from\tto\nmilk\tm,k\n"},
           "Coke beer 1 beer 2 coca cola|m,k|");
    cleans(text, (lode_clean_options){.map_text = "milk,a\na,b\nb,c\nCoke,a\n"},
           "beer 1 beer 2 c coca cola|c|");
    cleans(text, (lode_clean_options){.map_text = "MILK,  Cow  Juice\n", .fold_case = true},
           "beer 1 beer 2 coca cola coke|cow juice|");
    cleans(text, (lode_clean_options){.map_text = "beer*,beer\nbeer 2,wine\n"},
           "Coke beer coca cola wine|milk|");
    cleans(text, (lode_clean_options){.map_text = "milk,milk\nm*,milk\n\n"},
           "Coke beer 1 beer 2 coca cola|milk|");
    cleans(text, (lode_clean_options){.map_text = "a,b\nmilk,x\nmilk,x\n"},
           "!the mapping:3:1: 'milk' is already mapped in line 2; expected each name once");
    cleans(text, (lode_clean_options){.map_text = "milk,x\nMILK,y\n", .fold_case = true},
           "!the mapping:2:1: 'MILK' is already mapped in line 1; expected each name once");
    cleans(text, (lode_clean_options){.map_text = "a,b\nb,c\nc,a\n"},
           "!the mapping:3:1: 'a' maps back to itself through line 1; remove the cycle");
    cleans(text, (lode_clean_options){.map_text = "beer*,x\n* 1,y\n"},
           "!the mapping:2:1: 'beer 1' matches this pattern and the one in line 1, which map it "
           "to different names; add a line for the name itself");
    cleans(text, (lode_clean_options){.map_text = "a,b\nmilk\n"},
           "!the mapping:2:1: only one field; expected from,to or from<tab>to");
    cleans(text, (lode_clean_options){.map_text = "a,b\na,b,c\n"},
           "!the mapping:2:3: more than two fields; expected from,to");
    cleans(text, (lode_clean_options){.map_text = "milk, \n"},
           "!the mapping:1:1: empty target; expected a name (use --drop to drop items)");
    cleans(text, (lode_clean_options){.map_text = "\"a\nb\",x\n\"c\" d,y\n"},
           "!the mapping:3:5: text after a closing quote; expected the separator");
    cleans(text, (lode_clean_options){.map = "/nowhere/at/all"},
           "!cannot open '/nowhere/at/all': No such file or directory");
}

/* A chain of so many rules takes no more than a moment. */
static void long_chains(void) {
    enum { RULES = 100000 };
    char *text = malloc((size_t)RULES * 24 + 1), *to = text;
    if (!text) exit(2);
    for (int i = 0; i < RULES; i++) to += snprintf(to, 24, "x%d,x%d\n", i, i + 1);
    cleans("x0\nx50000\n", (lode_clean_options){.map_text = text}, "x100000|x100000|");
    free(text);
}

static void weights_stay(void) {
    lode_read_options r = {.size = sizeof r, .format = LODE_FORMAT_BASKET, .weight_column = "1"};
    lode_dataset *data = parse_as("3,Milk,milk\n2,milk,beer\n0,x\n1,beer\n", &r), *clean = NULL;
    lode_clean_options o = {.size = sizeof o, .fold_case = true, .min_item_support = {5, 0}};
    CHECK_EQUAL(lode_dataset_total_weight(data), 6);
    CHECK_EQUAL(lode_clean(job, &clean, data, &o, NULL), LODE_OK);
    CHECK_EQUAL(profile_of(clean).n_transactions, 3);
    CHECK_EQUAL(profile_of(clean).n_items, 1);
    CHECK_EQUAL(lode_dataset_total_weight(clean), 6);
    CHECK_EQUAL(lode_dataset_item_support(clean, lode_dataset_item_at(clean, 0)), 5);
    CHECK_EQUAL(lode_dataset_transaction_weight(clean, 1), 2);
    lode_dataset_free(clean);
    lode_dataset_free(data);
}

static void report(void) {
    lode_dataset *data = baskets("Milk, beer,Milk\nMILK,colour\ncolor\n"), *clean = NULL;
    lode_clean_options o = {
        .size = sizeof o, .fold_case = true, .drop = "beer\nnone", .map_text = "a,b\n"};
    lode_clean_report *r = NULL;
    lode_clean_step s = LODE_INIT(lode_clean_step);
    lode_clean_merge m = LODE_INIT(lode_clean_merge);
    lode_clean_hint h = LODE_INIT(lode_clean_hint);
    CHECK_EQUAL(lode_clean(job, &clean, data, &o, &r), LODE_OK);
    for (size_t i = 0; lode_clean_step_at(r, i, &s); i++) {
        uint64_t items = !strcmp(s.name, "case")     ? 2
                         : !strcmp(s.name, "merged") ? 1
                         : !strcmp(s.name, "drop")   ? 1
                                                     : 0;
        CHECK_EQUAL(s.items, items);
        if (!strcmp(s.name, "repeated")) CHECK_EQUAL(s.occurrences, 1);
        if (!strcmp(s.name, "case")) CHECK_EQUAL(s.baskets, 2);
    }
    CHECK(lode_clean_merge_at(r, 0, &m) && !lode_clean_merge_at(r, 1, &m));
    CHECK(lode_clean_merge_at(r, 0, &m));
    CHECK_TEXT(m.to, "milk");
    CHECK_TEXT(m.from, "MILK, Milk");
    CHECK_EQUAL(m.baskets, 2);
    CHECK(lode_clean_hint_at(r, 0, &h));
    CHECK_TEXT(h.from, "colour");
    CHECK_TEXT(h.to, "color");
    lode_clean_report_free(r);
    lode_dataset_free(clean);
    lode_dataset_free(data);
}

/* ---- selecting ---- */

static int note_number(void *user, const lode_basket *b) {
    char *to = user;
    snprintf(to + strlen(to), 8, "%d ", (int)b->number);
    CHECK(b->size == sizeof *b && b->weight == 1);
    return 0;
}

static void selects(const lode_dataset *data, lode_select_options o, const char *expected) {
    char numbers[100] = "";
    uint64_t n = 0, counted = 0;
    o.size = sizeof o;
    lode_status status = lode_dataset_select(job, data, &o, note_number, numbers, &n);
    if (expected[0] == '!') {
        CHECK_EQUAL(status, LODE_INVALID);
        CHECK_TEXT(lode_job_error(job), expected + 1);
        return;
    }
    CHECK_EQUAL(status, LODE_OK);
    CHECK_TEXT(numbers, expected);
    CHECK_EQUAL(lode_dataset_select(job, data, &o, NULL, NULL, &counted), LODE_OK);
    CHECK_EQUAL(counted, n);
}

static void selecting(void) {
    lode_dataset *data = baskets("milk,bread\nmilk,beer\nred wine,beer\n\nbread,milk,red wine\n");
    selects(data, (lode_select_options){.size = 0}, "0 1 2 3 4 ");
    selects(data, (lode_select_options){.include = "milk"}, "0 1 4 ");
    selects(data, (lode_select_options){.include = "milk bread"}, "0 4 ");
    selects(data, (lode_select_options){.include = "milk, bread"}, "0 4 ");
    selects(data, (lode_select_options){.include = "milk\nbread"}, "0 4 ");
    selects(data, (lode_select_options){.include = "red wine"}, "2 4 ");
    selects(data, (lode_select_options){.include = "red*"}, "2 4 ");
    selects(data, (lode_select_options){.include = "b* milk"}, "0 1 4 ");
    selects(data, (lode_select_options){.include = "bread\nbeer", .any = true}, "0 1 2 4 ");
    selects(data, (lode_select_options){.include = "milk", .exclude = "bread"}, "1 ");
    selects(data, (lode_select_options){.exclude = "milk beer"}, "3 ");
    selects(data, (lode_select_options){.include = "milk", .limit = 2}, "0 1 ");
    selects(data, (lode_select_options){.include = "mlk"},
            "!--include: unknown item 'mlk'; did you mean 'milk'?");
    lode_dataset_free(data);
}

/* ---- writing ---- */

static int collect(void *user, const char *text, size_t bytes) {
    strncat(user, text, bytes);
    return 0;
}

/* Writes the data set, and reads it again. */
static void round_trip(const lode_dataset *data, lode_basket_format format, const char *expected) {
    static read_outcome one, other;
    static const lode_format formats[] = {LODE_FORMAT_BASKET, LODE_FORMAT_FIMI, LODE_FORMAT_TABLE,
                                          LODE_FORMAT_JSON};
    char text[8192] = "";
    lode_basket_write_options w = {.size = sizeof w, .format = format};
    lode_read_options r = {.size = sizeof r,
                           .format = formats[format],
                           .separator = format == LODE_BASKET_BASKET ? ',' : 0,
                           .keep_ids = true};
    if (data->weights) r.weight_column = format == LODE_BASKET_BASKET ? "1" : "weight";
    CHECK_EQUAL(lode_dataset_write_call(job, data, NULL, collect, text, &w), LODE_OK);
    if (expected) CHECK_TEXT(text, expected);
    lode_dataset *again = parse_as(text, &r);
    read_dump(data, &one);
    read_dump(again, &other);
    CHECK_TEXT(other.text, one.text);
    CHECK_EQUAL(lode_dataset_total_weight(again), lode_dataset_total_weight(data));
    lode_dataset_free(again);
}

static void writing(void) {
    lode_dataset *data = baskets("a,b\n\n\"x,y\",\" z\",\"q\"\"\",\"l\nm\"\n");
    round_trip(data, LODE_BASKET_BASKET, "a,b\n\n\" z\",\"l\nm\",\"q\"\"\",\"x,y\"\n");
    round_trip(data, LODE_BASKET_TABLE, NULL);
    round_trip(data, LODE_BASKET_JSONL,
               "[\"a\",\"b\"]\n[]\n[\" z\",\"l\\u000am\",\"q\\\"\",\"x,y\"]\n");
    lode_basket_write_options w = {.size = sizeof w, .format = LODE_BASKET_FIMI};
    CHECK_EQUAL(lode_dataset_write(job, data, NULL, "/dev/null", &w), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job),
               "fimi can hold only numbers, but the item ' z' is a name; write basket or jsonl");
    lode_dataset_free(data);
    lode_dataset *numbers = baskets("1,2\n007\n\n");
    round_trip(numbers, LODE_BASKET_FIMI, "1 2\n007\n\n");
    round_trip(numbers, LODE_BASKET_BASKET, NULL);
    round_trip(numbers, LODE_BASKET_JSONL, "[\"1\",\"2\"]\n[\"007\"]\n[]\n");
    lode_dataset_free(numbers);
    lode_read_options r = {
        .size = sizeof r, .format = LODE_FORMAT_TABLE, .keep_ids = true, .weight_column = "w"};
    lode_dataset *table = parse_as("order,item,w\nA,x,2\n\"B,1\",y,5\nA,z,2\n", &r);
    round_trip(table, LODE_BASKET_TABLE, "transaction,item,weight\nA,x,2\nA,z,2\n\"B,1\",y,5\n");
    round_trip(table, LODE_BASKET_BASKET, "2,x,z\n5,y\n");
    round_trip(table, LODE_BASKET_JSONL,
               "{\"id\":\"A\",\"items\":[\"x\",\"z\"],\"weight\":2}\n"
               "{\"id\":\"B,1\",\"items\":[\"y\"],\"weight\":5}\n");
    char id[8];
    CHECK_EQUAL(lode_dataset_transaction_id(table, 1, id, 2), 3);
    CHECK(memcmp(id, "B,", 2) == 0);
    lode_dataset_free(table);
}

static int stop_at_once(void *user, const char *text, size_t bytes) {
    (void)user, (void)text, (void)bytes;
    return 1;
}

static void stopping(void) {
    lode_dataset *data = baskets("a,b\nc\n"), *clean = NULL;
    CHECK_EQUAL(lode_dataset_write_call(job, data, NULL, stop_at_once, NULL, NULL), LODE_STOPPED);
    lode_job_cancel(job);
    CHECK_EQUAL(lode_clean(job, &clean, data, NULL, NULL), LODE_CANCELLED);
    CHECK_EQUAL(lode_dataset_select(job, data, NULL, NULL, NULL, NULL), LODE_CANCELLED);
    lode_job_reset(job);
    CHECK_EQUAL(lode_clean(job, &clean, data, NULL, NULL), LODE_OK);
    lode_dataset_free(clean);
    lode_dataset_free(data);
}

/* ---- no memory ---- */

static int count_bytes(void *user, const char *text, size_t bytes) {
    (void)text;
    *(uint64_t *)user += bytes;
    return 0;
}

static lode_status clean_all(lode_job *j, const lode_dataset *data, uint64_t *sum) {
    lode_status status = LODE_OK;
    lode_dataset *clean = NULL;
    lode_clean_report *r = NULL;
    lode_clean_options o = {.size = sizeof o,
                            .fold_case = true,
                            .fold_accents = true,
                            .unique_baskets = true,
                            .drop = "x*\ny",
                            .map_text = "milk,drink\nbeer*,drink\n\"a\"\"b\",c\n",
                            .min_item_support = {1, 0},
                            .min_basket = 1};
    lode_select_options which = {
        .size = sizeof which, .include = "dri* c", .exclude = "d", .any = true};
    lode_basket_write_options w = {.size = sizeof w, .format = LODE_BASKET_CSV};
    LODE_TRY(lode_clean(j, &clean, data, &o, &r));
    LODE_TRY(lode_clean_report_text(r, count_bytes, sum));
    LODE_TRY(lode_clean_report_json(r, count_bytes, sum));
    LODE_TRY(lode_clean_write_map(j, r, "/dev/null"));
    LODE_TRY(lode_dataset_write_call(j, clean, &which, count_bytes, sum, &w));
    w.format = LODE_BASKET_JSONL;
    LODE_TRY(lode_dataset_write_call(j, clean, NULL, count_bytes, sum, &w));
done:
    lode_clean_report_free(r);
    lode_dataset_free(clean);
    return status;
}

/* All that asks for memory: reading with weights and ids, in several formats, and cleaning. */
static lode_status run_faulty(faulty *f, unsigned kind, uint64_t *sum) {
    static const char *const texts[] = {
        "order,item,w,s\n1,Milk,2,ok\n1,\"a\"\"b\",2,ok\n2,d,1,ok\n3,c\xc3\xa9,1,bad\n4,colour,1,\n"
        "5,color,1,\n",
        "w,order,s,milk,c,d\n2,1,ok,1,0,1\n1,2,bad,1,1,1\n1,3,,1,1,0\n",
        "[{\"order\":1,\"items\":[\"MILK\",\"\\u00e9\"],\"w\":1,\"s\":\"x\"},"
        "{\"order\":2,\"w\":2,\"items\":[\"c\",\"d\"]},{\"order\":3,\"w\":4,\"items\":[\"milk\"]}]",
        "{\"order\":1,\"product\":\"c\",\"w\":1,\"s\":\"x\"}\n{\"order\":1,\"product\":\"Milk\","
        "\"w\":1}\n{\"order\":2,\"product\":\"d\",\"w\":2}\n"};
    lode_status status = LODE_OK;
    lode_job *j = NULL;
    lode_dataset *data = NULL;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    lode_read_options r = {.size = sizeof r,
                           .tid_column = "order",
                           .weight_column = "w",
                           .drop_rows = "s=bad*\nw>100",
                           .keep_ids = true};
    if (kind == 1) r.format = LODE_FORMAT_ONEHOT;
    *sum = 0;
    LODE_TRY(job_with_memory(&j, &o, faulty_resize, f));
    LODE_TRY(lode_dataset_parse(j, &data, texts[kind], strlen(texts[kind]), "in", &r));
    LODE_TRY(clean_all(j, data, sum));
done:
    if (status == LODE_INVALID) fprintf(stderr, "  %s\n", lode_job_error(j));
    lode_dataset_free(data);
    if (j) CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(j)), 0);
    lode_job_free(j);
    return status;
}

static void every_allocation(void) {
    for (unsigned kind = 0; kind < 4; kind++) {
        uint64_t want = 0, got = 0, k = 0;
        faulty clean = {.fail_at = UINT64_MAX};
        pthread_mutex_init(&clean.lock, NULL);
        if (!CHECK_EQUAL(run_faulty(&clean, kind, &want), LODE_OK)) break;
        CHECK(clean.live == 0 && want > 0);
        for (bool failed = true; failed; k++) {
            faulty f = {.fail_at = k};
            pthread_mutex_init(&f.lock, NULL);
            lode_status status = run_faulty(&f, kind, &got);
            failed = f.calls > k;
            if (status != LODE_OK && !CHECK_EQUAL(status, LODE_NOMEM)) break;
            if (status == LODE_OK) CHECK_EQUAL(got, want);
            CHECK(f.live == 0 && !f.wrong_size);
        }
        CHECK(k > 50);
    }
}

/* A budget that is too small gives a message with one that is enough. */
static void small_budget(void) {
    enum { LINES = 20000 };
    char *text = malloc((size_t)LINES * 48), *to = text;
    lode_job *small = NULL;
    lode_dataset *data = NULL, *clean = NULL;
    if (!text) exit(2);
    for (int i = 0; i < LINES; i++) {
        to +=
            snprintf(to, 48, "%d,item %d,item %d,Item %d\n", 1 + i % 3, i % 977, i % 1013, i % 977);
    }
    for (uint64_t budget = 1 << 20; budget < (uint64_t)1 << 30;) {
        lode_job_options o = {.size = sizeof o, .threads = 2, .memory_bytes = budget};
        lode_read_options r = {
            .size = sizeof r, .format = LODE_FORMAT_BASKET, .separator = ',', .weight_column = "1"};
        CHECK_EQUAL(lode_job_create(&small, NULL, &o), LODE_OK);
        lode_status status = lode_dataset_parse(small, &data, text, (size_t)(to - text), "in", &r);
        lode_clean_options c = {.size = sizeof c, .fold_case = true};
        if (status == LODE_OK) status = lode_clean(small, &clean, data, &c, NULL);
        uint64_t needed = lode_job_memory_needed(small);
        if (status == LODE_OK) CHECK_EQUAL(profile_of(clean).n_items, 1013);
        if (status != LODE_OK) CHECK(status == LODE_BUDGET && needed > budget);
        lode_dataset_free(clean);
        lode_dataset_free(data);
        data = clean = NULL;
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(small)), 0);
        lode_job_free(small);
        if (status != LODE_BUDGET) break;
        budget = needed;
    }
    free(text);
}

int main(void) {
    lode_job_options o = {.size = sizeof o, .threads = 2};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) return 2;
    CHECK_RUN(folding);
    CHECK_RUN(folding_is_stable);
    CHECK_RUN(steps);
    CHECK_RUN(mapping_files);
    CHECK_RUN(long_chains);
    CHECK_RUN(weights_stay);
    CHECK_RUN(report);
    CHECK_RUN(selecting);
    CHECK_RUN(writing);
    CHECK_RUN(stopping);
    CHECK_RUN(every_allocation);
    CHECK_RUN(small_budget);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    return check_result();
}
