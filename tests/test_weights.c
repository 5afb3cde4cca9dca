/* test_weights.c - weights and conditions on rows, read from files, for any threads and blocks
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "read_util.h"

/* Reads in all ways; then the weights, in brackets, as text. "!…" is a message. */
static void weighs(const char *text, lode_read_options o, const char *expected) {
    o.size = sizeof o;
    char got[4096];
    const read_outcome *out = read_all_ways(text, strlen(text), &o);
    size_t n =
        (size_t)snprintf(got, sizeof got, "%s%s", out->status == LODE_OK ? "" : "!", out->text);
    if (out->status == LODE_OK) {
        lode_job *job = read_context(2, 0);
        lode_dataset *data = NULL;
        CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), "in", &o), LODE_OK);
        uint64_t sum = 0;
        for (uint64_t t = 0; t < out->profile.n_transactions; t++) {
            uint32_t weight = lode_dataset_transaction_weight(data, t);
            n += (size_t)snprintf(got + n, sizeof got - n, " %u", weight);
            sum += weight;
        }
        CHECK_EQUAL(lode_dataset_total_weight(data), sum);
        lode_dataset_free(data);
        lode_job_free(job);
    }
    if (!CHECK_TEXT(got, expected)) fprintf(stderr, "  of %s\n", text);
}

#define TABLE  LODE_FORMAT_TABLE
#define BASKET LODE_FORMAT_BASKET
#define ONEHOT LODE_FORMAT_ONEHOT

static void tables(void) {
    lode_read_options o = {.format = TABLE, .weight_column = "w"};
    weighs("order,item,w\n1,a,3\n2,b,1\n1,c,3\n", o, "a c|b| 3 1");
    weighs("w,order,item\n4294967295,1,a\n2,2,b\n", o, "a|b| 4294967295 2");
    weighs("order,item,w\n1,a,3\n2,b,0\n1,c,3\n", o, "a c| 3");
    weighs(
        "order,item,w\n1,a,3\n2,b,1\n1,c,4\n", o,
        "!in:4:5: weight 4 of '1', which had weight 3 before; expected one weight per transaction");
    weighs("order,item,w\n1,a,3\n2,b,\n", o,
           "!in:3:5: weight is not a whole number; expected 0 to 4294967295");
    weighs("order,item,w\n1,a,3.0\n", o,
           "!in:2:5: weight is not a whole number; expected 0 to 4294967295");
    weighs("order,item,w\n1,a,4294967296\n", o,
           "!in:2:5: weight is not a whole number; expected 0 to 4294967295");
    weighs("order,item,w\n1,a,-1\n", o,
           "!in:2:5: weight is not a whole number; expected 0 to 4294967295");
    weighs("order,item\n1,a\n", o, "!in has no column 'w'; its columns are: order, item");
    o.skip_bad_lines = true;
    weighs("order,item,w\n1,a,3\n1,b,x\n1,c,4\n1,d,3\n", o, "a d| 3");
    weighs("1,a,7\n2,b,9\n", (lode_read_options){.format = TABLE, .weight_column = "3"},
           "a|b| 7 9");
}

static void lines(void) {
    lode_read_options o = {.format = BASKET, .separator = ',', .weight_column = "1"};
    weighs("3,a,b\n1\n2,c\n", o, "a b||c| 3 1 2");
    weighs("3,a,b\n\n", o, "!in:2:1: weight is not a whole number; expected 0 to 4294967295");
    weighs("3,a\nx,b\n", o, "!in:2:1: weight is not a whole number; expected 0 to 4294967295");
    o.weight_column = "3";
    weighs("a,b,2,c\na,b\n", o, "!in:2:1: no weight; expected a whole number");
    o.weight_column = "times";
    o.tid_column = "id";
    weighs("id,times,x\n7,2,a\n8,5,b\n", o, "a|b| 2 5");
    weighs("times,a,b,c\n3,1,0,1\n2,0,1,1\n", (lode_read_options){.weight_column = "times"},
           "a c|b c| 3 2");
    weighs("a,b,times\n1,0,3\n0,1,x\n", (lode_read_options){.weight_column = "times"},
           "!in:3:5: weight is not a whole number; expected 0 to 4294967295");
    weighs("1 2\n", (lode_read_options){.format = LODE_FORMAT_FIMI, .weight_column = "1"},
           "!files in fimi and spmf format have no columns");
}

static void json(void) {
    lode_read_options o = {.weight_column = "w"};
    weighs("{\"items\":[\"a\"],\"w\":2}\n{\"w\":\"3\",\"items\":[\"b\"]}\n", o, "a|b| 2 3");
    weighs("[{\"items\":[\"a\"],\"w\":2},\n{\"items\":[\"b\"]}]", o,
           "!in:2:1: no weight; expected a whole number");
    weighs("{\"items\":[\"a\"],\"w\":2.5}\n", o,
           "!in:1:20: weight is not a whole number; expected 0 to 4294967295");
    weighs("{\"order\":1,\"item\":\"a\",\"w\":2}\n{\"order\":1,\"item\":\"b\",\"w\":3}\n", o,
           "!in:2:27: weight 3 of '1', which had weight 2 before; expected one weight per "
           "transaction");
    weighs("[{\"order\":1,\"item\":\"a\",\"w\":2},{\"order\":1,\"item\":\"b\",\"w\":3}]", o,
           "!in:1:57: weight 3 of '1', which had weight 2 before; expected one weight per "
           "transaction");
}

static void conditions(void) {
    const char *text = "order,item,status,n\n1,a,ok,3\n1,b,cancelled,2\nC2,a,ok,1\n3,c,ok,-1\n";
    weighs(text, (lode_read_options){.drop_rows = "status=cancelled"}, "a|a|c| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "Status != ok\norder=C*"}, "a|c| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "n<=0"}, "a b|a| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "n < 0\nn>2.5"}, "b|a| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "n>=1e0"}, "c| 1");
    weighs(text, (lode_read_options){.drop_rows = "status=canc*", .weight_column = "n"},
           "!in:5:8: weight is not a whole number; expected 0 to 4294967295");
    weighs(text, (lode_read_options){.drop_rows = "n<0\nstatus=canc*", .weight_column = "n"},
           "a|a| 3 1");
    weighs(text, (lode_read_options){.drop_rows = "status=CANC*\nitem=A"}, "c| 1");
    weighs("order,item,s\n1,a,\xc3\x89t\xc3\xa9\n2,b,\xd0\x9e\xd0\xa2\n3,c,x\n",
           (lode_read_options){.drop_rows = "s=\xc3\xa9T*\ns=\xd0\xbe\xd1\x82"}, "c| 1");
    weighs(text, (lode_read_options){.drop_rows = "n==2"},
           "!--drop-rows: 'n==2' has two equals signs; write n=2");
    weighs(text, (lode_read_options){.drop_rows = "colour=red"},
           "!in has no column 'colour'; its columns are: order, item, status, n");
    weighs(text, (lode_read_options){.drop_rows = "status"},
           "!--drop-rows: 'status': it has no column or no comparison; write the condition in "
           "quotes, such as 'Status=cancelled', 'Invoice=C*' or 'Quantity<=0'");
    weighs(text, (lode_read_options){.drop_rows = "n<x"},
           "!--drop-rows: 'n<x': <, <=, > and >= expect a number, such as 0.5, or a date, such as "
           "2011-06-01");
    weighs("x,a,b\ny,a\n", (lode_read_options){.format = BASKET, .drop_rows = "1=y"}, "a b| 1");
    weighs("s,a,b\nx,1,1\ny,1,0\n", (lode_read_options){.format = ONEHOT, .drop_rows = "s=y"},
           "a b| 1");
}

/* The same day in all spellings; what can be misread is no date. */
static void dates(void) {
    const char *text = "order,item,day\n1,a,2011-06-01\n2,b,2011/6/1 8:26\n3,c,1.6.2011\n"
                       "4,d,2011-06-01T23:59:59Z\n5,e,2011-05-31\n6,f,2011-06-02 0:00\n";
    weighs(text, (lode_read_options){.drop_rows = "day<2011-06-01"}, "a|b|c|d|f| 1 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day>=2011-06-02"}, "a|b|c|d|e| 1 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<2011-06-01\nday>1.6.2011"},
           "a|b|c|d| 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<=2011-06-01 08:26"}, "d|f| 1 1");
    weighs("order,item,day\n1,a,6/1/2011\n2,b,\n3,c,2010-01-01\n4,d,2010-13-01\n",
           (lode_read_options){.drop_rows = "day<2011-06-01"}, "a|b|d| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<6/1/2011"},
           "!--drop-rows: 'day<6/1/2011': write dates as YYYY-MM-DD, such as 2011-01-02; days and "
           "months are written in different orders");
}

/* A date without a time is a whole day, and only days of the calendar are dates. */
static void whole_days(void) {
    const char *text = "order,item,day\n1,a,2010-12-30 23:59:59\n2,b,2010-12-31\n"
                       "3,c,31.12.2010 18:30\n4,d,2011-01-01 0:00\n5,e,x\n";
    weighs(text, (lode_read_options){.drop_rows = "day<=2010-12-31"}, "d|e| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<2010-12-31"}, "b|c|d|e| 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day>2010-12-31"}, "a|b|c|e| 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day>=2010-12-31"}, "a|e| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day=2010-12-31"}, "a|d|e| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day!='31.12.2010'"}, "b|c| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day=2010-12-31 18:30"}, "a|b|d|e| 1 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<=2010-12-31 12:00"}, "c|d|e| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "day<2012-02-29"}, "e| 1");
    weighs(text, (lode_read_options){.drop_rows = "day<2011-02-29"},
           "!--drop-rows: 'day<2011-02-29': this day or time does not exist; write dates as "
           "YYYY-MM-DD, such as 2011-02-28");
}

/* Quotes around a value, as in SQL, are taken off once. */
static void quotes(void) {
    const char *text = "order,item,land\n1,a,France\n2,b,'France'\n3,c,\n4,d,x and y<z\n";
    weighs(text, (lode_read_options){.drop_rows = "land='france'"}, "b|c|d| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "land != \"France\""}, "a| 1");
    weighs(text, (lode_read_options){.drop_rows = "land=\"'France'\""}, "a|c|d| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "land=''"}, "a|b|d| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "order>='3'"}, "a|b| 1 1");
    weighs(text, (lode_read_options){.drop_rows = "land='x and y<z'"}, "a|b|c| 1 1 1");
    weighs(text, (lode_read_options){.drop_rows = "land='"}, "a|b|c|d| 1 1 1 1");
}

/* Each fault has its own message. */
static void faults(void) {
    static const char *const cases[][2] = {
        {"n<>5", "write != instead of <>"},
        {"n<0 AND c=d", "two conditions; repeat --drop-rows for each (rows that meet any of them "
                        "are left out), or write a text in quotes"},
        {"c!=d, n<0", "two conditions; repeat --drop-rows for each (rows that meet any of them "
                      "are left out), or write a text in quotes"},
        {"c LIKE 'C%'", "write c=C*"},
        {"c not like %a_b", "write c!=*a?b"},
        {"c is null", "write c=, which holds if the cell is empty"},
        {"c IS NOT NULL", "write c!=, which holds if the cell is not empty"},
        {"n>1,500",
         "write the number without signs for thousands or currency, such as 1500 or 0.5"},
        {"n>\xc2\xa3"
         "5",
         "write the number without signs for thousands or currency, such as 1500 or 0.5"},
        {"n<", "a number or a date is missing after the comparison"},
        {"n<2011-01", "the date has no day; write it as YYYY-MM-DD, such as 2011-01-01"},
        {"n<2011-13-45", "this day or time does not exist; write dates as YYYY-MM-DD, such as "
                         "2011-02-28"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "!--drop-rows: '%s': %s", cases[i][0], cases[i][1]);
        weighs("order,item,n,c\n1,a,1,d\n",
               (lode_read_options){.format = TABLE, .drop_rows = cases[i][0]}, expected);
    }
}

/* ---- what the columns hold ---- */

typedef char described[16384];

static int take_text(void *user, const char *text, size_t bytes) {
    described *to = user;
    snprintf(*to, sizeof *to, "%.*s", (int)bytes, text);
    return 0;
}

static void describes(const char *text, lode_read_options o, const char *expected) {
    char path[] = "/tmp/lode-columns-XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    o.size = sizeof o;
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        described got = "";
        lode_job *job = read_context(threads, 0);
        CHECK_EQUAL(lode_columns_json(job, path, &o, take_text, &got), LODE_OK);
        CHECK_TEXT(got, expected);
        lode_job_free(job);
    }
    unlink(path);
}

static void columns(void) {
    const char *table = "Invoice,Item,n,day\n1,milk,1.5,2011-06-01\n1,\"a, \"\"b\"\"\",-2,\n"
                        "C7,milk,0,2010-12-31\nc7,,x,1.2.2011\n";
#define NOTHING "\"negative\":0,\"zero\":0,\"dates\":0"
    const char *all =
        "{\"rows\":4,\"header\":true,\"tid\":0,\"item\":1,\"columns\":["
        "{\"name\":\"Invoice\",\"empty\":0,\"numbers\":2," NOTHING ",\"least\":1,\"most\":1,"
        "\"starts\":[{\"letter\":\"C\",\"rows\":2,\"values\":2}],\"distinct\":3,\"values\":["
        "{\"name\":\"1\",\"count\":2},{\"name\":\"C7\",\"count\":1},{\"name\":\"c7\",\"count\":1}]}"
        ","
        "{\"name\":\"Item\",\"empty\":1,\"numbers\":0," NOTHING ",\"starts\":["
        "{\"letter\":\"A\",\"rows\":1,\"values\":1},{\"letter\":\"M\",\"rows\":2,\"values\":1}],"
        "\"distinct\":2,\"values\":[{\"name\":\"milk\",\"count\":2},"
        "{\"name\":\"a, \\\"b\\\"\",\"count\":1}]},"
        "{\"name\":\"n\",\"empty\":0,\"numbers\":3,\"negative\":1,\"zero\":1,\"dates\":0,"
        "\"least\":-2,\"most\":1.5,\"starts\":[{\"letter\":\"X\",\"rows\":1,\"values\":1}],"
        "\"distinct\":4,\"values\":[{\"name\":\"-2\",\"count\":1},{\"name\":\"0\",\"count\":1},"
        "{\"name\":\"1.5\",\"count\":1},{\"name\":\"x\",\"count\":1}]},"
        "{\"name\":\"day\",\"empty\":1,\"numbers\":0,\"negative\":0,\"zero\":0,\"dates\":3,"
        "\"first\":\"2010-12-31\",\"last\":\"2011-06-01\",\"starts\":[],\"distinct\":3,\"values\":["
        "{\"name\":\"1.2.2011\",\"count\":1},{\"name\":\"2010-12-31\",\"count\":1},"
        "{\"name\":\"2011-06-01\",\"count\":1}]}]}\n";
    describes(table, (lode_read_options){.format = TABLE}, all);
    /* Rows that are left out are described, too. */
    describes(table, (lode_read_options){.format = TABLE, .drop_rows = "Invoice=1\nn<0"}, all);
    describes("1 2\n3\n", (lode_read_options){.size = 0}, "{\"rows\":0,\"columns\":[]}\n");
    describes("1,a\n", (lode_read_options){.format = TABLE},
              "{\"rows\":1,\"header\":false,\"tid\":0,\"item\":1,\"columns\":["
              "{\"name\":\"\",\"empty\":0,\"numbers\":1," NOTHING ",\"least\":1,\"most\":1,"
              "\"starts\":[],\"distinct\":1,\"values\":[{\"name\":\"1\",\"count\":1}]},"
              "{\"name\":\"\",\"empty\":0,\"numbers\":0," NOTHING ","
              "\"starts\":[{\"letter\":\"A\",\"rows\":1,\"values\":1}],"
              "\"distinct\":1,\"values\":[{\"name\":\"a\",\"count\":1}]}]}\n");
}

/* More values than are remembered, over many blocks and threads. */
static void many_values(void) {
    const size_t n = 60000, room = n * 24 + 64;
    char *text = malloc(room), path[] = "/tmp/lode-columns-XXXXXX";
    size_t bytes = (size_t)snprintf(text, room, "order,item\n");
    for (size_t i = 0; i < n; i++) {
        bytes += (size_t)snprintf(text + bytes, room - bytes, "%s%zu,%zu\n", i % 10 ? "" : "K",
                                  i / 2, i % 1000);
    }
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes);
    close(fd);
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        described got = "";
        lode_job *job = read_context(threads, 0);
        CHECK_EQUAL(lode_columns_json(job, path, NULL, take_text, &got), LODE_OK);
        CHECK(strstr(got, "\"starts\":[{\"letter\":\"K\",\"rows\":6000,\"values\":6000}],"
                          "\"distinct\":null,\"values\":[]}") != NULL);
        CHECK(strstr(got, "\"distinct\":1000,\"values\":[{\"name\":\"0\",\"count\":60}") != NULL);
        lode_job_free(job);
    }
    unlink(path);
    free(text);
}

/* Several files, each with its own columns. */
static void files(void) {
    static const read_source sources[] = {
        {"a", "order,item,w\n1,a,2\n2,b,1\n", 25, NULL},
        {"b", "w,item,order\n2,c,1\n9,d,2\n", 25, NULL},
    };
    lode_job *job = read_context(1, 0);
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .weight_column = "w"};
    CHECK_EQUAL(open_parse(job, &data, sources, 2, &o, 4), LODE_PARSE);
    CHECK_TEXT(
        lode_job_error(job),
        "b:3:1: weight 9 of '2', which had weight 1 before; expected one weight per transaction");
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(tables);
    CHECK_RUN(lines);
    CHECK_RUN(json);
    CHECK_RUN(conditions);
    CHECK_RUN(dates);
    CHECK_RUN(whole_days);
    CHECK_RUN(quotes);
    CHECK_RUN(faults);
    CHECK_RUN(columns);
    CHECK_RUN(many_values);
    CHECK_RUN(files);
    return check_result();
}
