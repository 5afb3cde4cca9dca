/* test_arrow_tables.c - tables of Arrow streams: the same data sets as from CSV, every type, and
 * streams that are not what they say
 * SPDX-License-Identifier: Apache-2.0 */
#include "arrow_tables.h"
#include "read_util.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static arrow_stream_state *state_of(struct ArrowArrayStream *s) {
    return s->private_data;
}

/* Reads a stream, which must be released, and everything that it handed out. */
static read_outcome *stream_read(struct ArrowArrayStream *s, const lode_read_options *options,
                                 unsigned threads) {
    static read_outcome o;
    lode_job *job = read_context(threads, 0);
    lode_dataset *data = NULL;
    o.status = lode_dataset_from_arrow(job, &data, s, options);
    CHECK(!s->release);
    CHECK_EQUAL(arrow_left, 0);
    read_settle(job, data, &o);
    return &o;
}

static read_outcome *table_read(const arrow_cells_text *columns, size_t n, size_t batch,
                                const lode_read_options *options, unsigned threads) {
    struct ArrowArrayStream s = arrow_stream(columns, n, batch);
    return stream_read(&s, options, threads);
}

/* A stream becomes this text in batches of all sizes, with one thread and with several. */
static void becomes(const arrow_cells_text *columns, size_t n, const lode_read_options *options,
                    const char *expected) {
    for (size_t batch = 1; batch < 8; batch += 2) {
        for (unsigned threads = 1; threads < 4; threads += 2) {
            const read_outcome *o = table_read(columns, n, batch, options, threads);
            CHECK_TEXT(o->text, expected);
        }
    }
}

/* It becomes what the CSV text becomes. */
static void same(const arrow_cells_text *columns, size_t n, const lode_read_options *options,
                 const char *csv) {
    static read_outcome want;
    lode_read_options o = options ? *options : read_options(LODE_FORMAT_AUTO);
    want = *read_with(csv, strlen(csv), &o, 1, 0);
    CHECK_EQUAL(want.status, LODE_OK);
    becomes(columns, n, options, want.text);
    const read_outcome *got = table_read(columns, n, 3, options, 2);
    CHECK_EQUAL(got->profile.n_transactions, want.profile.n_transactions);
    CHECK_EQUAL(got->profile.n_items, want.profile.n_items);
    CHECK_EQUAL(got->profile.n_repeated, want.profile.n_repeated);
    CHECK_EQUAL(got->profile.n_dropped, want.profile.n_dropped);
    CHECK_EQUAL(got->profile.n_lost, want.profile.n_lost);
    CHECK_EQUAL(got->profile.format, want.profile.format);
    CHECK_EQUAL(got->numeric, want.numeric);
    CHECK_TEXT(got->profile.columns, want.profile.columns);
}

#define BECOMES(columns, options, expected) becomes(columns, COUNT(columns), options, expected)
#define SAME(columns, options, csv)         same(columns, COUNT(columns), options, csv)

/* ---- tables ---- */

static void long_tables(void) {
    const arrow_cells_text usual[] = {{"price", "g", "1.5 2 3 4 5"},
                                      {"Order ID", "l", "17 18 17 17 19"},
                                      {"Product Name", "u", "milk beer bread milk ~"}};
    SAME(usual, NULL,
         "price,Order ID,Product Name\n1.5,17,milk\n2.0,18,beer\n3.0,17,bread\n4.0,17,milk\n"
         "5.0,19,\n");
    lode_read_options o = read_options(LODE_FORMAT_AUTO);
    o.tid_column = "price";
    o.item_column = "2";
    SAME(usual, &o,
         "price,Order ID,Product Name\n1.5,17,a\n2.0,18,b\n3.0,17,b\n4.0,17,b\n5.0,19,\n");
    const arrow_cells_text first[] = {{"a", "s", "1 1 2"}, {"b", "C", "7 8 7"}};
    BECOMES(first, NULL, "7 8|7|");
    const arrow_cells_text totals[] = {{"order", "u", "1 Total 2"}, {"item", "u", "a b c"}};
    SAME(totals, NULL, "order,item\n1,a\nTotal,b\n2,c\n");
}

/* Every type as items and as transactions. */
static void types(void) {
    const struct {
        const char *format, *cells, *expected;
    } all[] = {
        {"c", "-5 7 7", "-5 7|7|"},
        {"C", "200 7 7", "7 200|7|"},
        {"S", "65535 7 7", "7 65535|7|"},
        {"i", "5000000 7 7", "7 5000000|7|"},
        {"I", "4294967295 7 7", "7 4294967295|7|"},
        {"l", "-9223372036854775808 7 7", "-9223372036854775808 7|7|"},
        {"L", "18446744073709551615 7 7", "7 18446744073709551615|7|"},
        {"f", "1.5 7 7", "1.5 7.0|7.0|"},
        {"g", "0.1 nan 7", "0.1|7.0|"},
        {"b", "true false true", "false true|true|"},
        {"u", "milk 7 007", "7 milk|007|"},
        {"U", "milk ~ ''", "milk||"},
        {"vu", "a a-string-of-more-than-15 a-string-of-14",
         "a a-string-of-more-than-15|a-string-of-14|"},
        {"tdD", "0 19000 -1", "1970-01-01 2022-01-08|1969-12-31|"},
        {"tdm", "0 86400000 -1", "1970-01-01 1970-01-02|1969-12-31|"},
        {"tss:", "0 1641645000 -1", "1970-01-01T00:00:00 2022-01-08T12:30:00|1969-12-31T23:59:59|"},
        {"tsu:UTC", "250000 0 -1",
         "1970-01-01T00:00:00.25Z 1970-01-01T00:00:00Z|1969-12-31T23:59:59.999999Z|"},
        {"d:9,2", "1250 -5 7", "-0.05 12.50|0.07|"},
        {"d:18,0,64", "1250 -5 7", "-5 1250|7|"},
        {"u@c", "milk ~ milk", "milk|milk|"},
        {"vu@I", "b a ~", "a b||"},
        {"l@s", "5 ~ 5", "5|5|"},
        {"tdD@i", "1 1 0", "1970-01-02|1970-01-01|"},
        {"n", "~ ~ ~", "||"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        const arrow_cells_text columns[] = {{"order", "i", "1 1 2"},
                                            {"item", all[i].format, all[i].cells}};
        BECOMES(columns, NULL, all[i].expected);
        if (strchr(all[i].cells, '~') || strstr(all[i].cells, "nan")) continue;
        const arrow_cells_text turned[] = {{"item", "i", "1 2 3"},
                                           {"order", all[i].format, all[i].cells}};
        const read_outcome *o = table_read(turned, 2, 2, NULL, 1);
        CHECK_EQUAL(o->status, LODE_OK);
        CHECK_EQUAL(o->profile.n_transactions,
                    strcmp(all[i].format, "u") == 0 ? 3
                    : strstr("c C S i I l L f b d:18,0,64", all[i].format) &&
                            strstr(all[i].cells, "7 7")
                        ? 2
                        : o->profile.n_transactions);
    }
}

static void lists(void) {
    const arrow_cells_text texts[] = {{"when", "tdD", "1 2 3 4 5"},
                                      {"basket", "+l:u", "milk+bread [] ~ milk+~+milk beer"}};
    BECOMES(texts, NULL, "bread milk|||milk|beer|");
    const arrow_cells_text numbers[] = {{"basket", "+L:I", "3+1+2 5000000 7"}};
    BECOMES(numbers, NULL, "1 2 3|5000000|7|");
    const arrow_cells_text coded[] = {{"basket", "+l:U@c", "b+a a ~"}};
    BECOMES(coded, NULL, "a b|a||");
    const arrow_cells_text two[] = {{"x", "+l:u", "a b"}, {"y", "+l:u", "c d"}};
    lode_read_options o = read_options(LODE_FORMAT_AUTO);
    CHECK(strstr(table_read(two, 2, 1, NULL, 1)->text, "2 columns of lists; name the one"));
    o.item_column = "y";
    BECOMES(two, &o, "c|d|");
    o = read_options(LODE_FORMAT_BASKET);
    o.weight_column = "n";
    o.drop_rows = "kind=test";
    const arrow_cells_text noted[] = {{"items", "+l:u", "a+b a b c"},
                                      {"n", "s", "2 1 0 5"},
                                      {"kind", "u", "live live live test"}};
    const read_outcome *r = table_read(noted, 3, 2, &o, 2);
    CHECK_TEXT(r->text, "a b|a|");
    CHECK_EQUAL(r->profile.n_dropped, 1);
}

static void onehot(void) {
    const arrow_cells_text bools[] = {{"milk", "b", "true false ~ true"},
                                      {"bread", "b", "true true false false"}};
    SAME(bools, NULL, "milk,bread\ntrue,true\nfalse,true\n,false\ntrue,false\n");
    const arrow_cells_text counts[] = {{"id", "u", "a b c d"},
                                       {"milk", "i", "2 0 0 1"},
                                       {"bread", "g", "0 0 1.5 -1"},
                                       {"beer", "b", "true false false true"}};
    lode_read_options o = read_options(LODE_FORMAT_ONEHOT);
    o.tid_column = "id";
    o.keep_ids = true;
    SAME(counts, &o, "id,milk,bread,beer\na,2,0,true\nb,0,0,false\nc,0,1.5,false\nd,1,-1,true\n");
    o.weight_column = "milk";
    o.drop_rows = "bread>1";
    SAME(counts, &o, "id,milk,bread,beer\na,2,0,true\nb,0,0,false\nc,0,1.5,false\nd,1,-1,true\n");
}

/* Weights, conditions and ids of a table, and its malformed rows. */
static void row_options(void) {
    const arrow_cells_text columns[] = {{"order", "i@c", "1 2 1 3 4"},
                                        {"item", "u", "a b c d e"},
                                        {"times", "l", "3 1 3 0 2"},
                                        {"day", "tdD", "0 1 2 3 4"}};
    const char *csv = "order,item,times,day\n1,a,3,1970-01-01\n2,b,1,1970-01-02\n1,c,3,1970-01-03\n"
                      "3,d,0,1970-01-04\n4,e,2,1970-01-05\n";
    lode_read_options o = read_options(LODE_FORMAT_AUTO);
    o.weight_column = "times";
    o.keep_ids = true;
    SAME(columns, &o, csv);
    o.drop_rows = "day>1970-01-04\nitem=b";
    SAME(columns, &o, csv);
    const arrow_cells_text unlike[] = {
        {"order", "i", "1 2 1"}, {"item", "u", "a b c"}, {"w", "c", "3 1 2"}};
    o = read_options(LODE_FORMAT_AUTO);
    o.weight_column = "w";
    BECOMES(unlike, &o,
            "the Arrow stream: row 3: weight 2 of '1', which had weight 3 before; "
            "expected one weight per transaction");
    const arrow_cells_text missing[] = {{"order", "u", "1 2 ~ 3"}, {"item", "u", "a b c d"}};
    BECOMES(missing, NULL,
            "the Arrow stream: row 3: no transaction; expected its name or number (--drop-rows "
            "'order=' skips such rows; --skip-bad-lines skips all malformed rows)");
    o = read_options(LODE_FORMAT_AUTO);
    o.skip_bad_lines = true;
    BECOMES(missing, &o, "a|b|d|");
    o = read_options(LODE_FORMAT_AUTO);
    o.drop_rows = "order=";
    BECOMES(missing, &o, "a|b|d|");
}

/* ---- refusals ---- */

static void refuses(const arrow_cells_text *columns, size_t n, const lode_read_options *options,
                    const char *message) {
    const read_outcome *o = table_read(columns, n, 2, options, 2);
    CHECK(o->status != LODE_OK);
    if (!strstr(o->text, message)) CHECK_TEXT(o->text, message);
}

static void refused(void) {
    const arrow_cells_text table[] = {{"order", "i", "1 2"}, {"item", "u", "a b"}};
    lode_read_options o = read_options(LODE_FORMAT_AUTO);
    o.separator = ';';
    refuses(table, 2, &o, "has no separator between its columns");
    o = read_options(LODE_FORMAT_JSON);
    refuses(table, 2, &o, "is an Arrow table, not text");
    o = read_options(LODE_FORMAT_ATTRIBUTES);
    refuses(table, 2, &o, "is an Arrow table, not text");
    o = read_options(LODE_FORMAT_AUTO);
    o.split = ',';
    refuses(table, 2, &o, "write the table as CSV to use them");
    o = read_options(LODE_FORMAT_AUTO);
    o.bins = "order=width:2";
    refuses(table, 2, &o, "write the table as CSV to use them");
    o = read_options(LODE_FORMAT_BASKET);
    refuses(table, 2, &o, "has no column of lists");
    o = read_options(LODE_FORMAT_AUTO);
    o.item_column = "sku";
    refuses(table, 2, &o, "has no column 'sku'; its columns are: order, item");
    o.item_column = NULL;
    o.n_parts = 2;
    refuses(table, 2, &o, "cannot be read in parts");
    const arrow_cells_text odd[] = {{"order", "i", "1 2"}, {"item", "w:4", "~ ~"}};
    refuses(odd, 2, NULL, "column 'item' has the Arrow type fixed-size binary (w:4)");
    const arrow_cells_text nested[] = {{"order", "+l:i", "1 2"}, {"item", "u", "a b"}};
    o = read_options(LODE_FORMAT_TABLE);
    refuses(nested, 2, &o, "column 'order' has the Arrow type list");
    const arrow_cells_text zero[] = {{"only", "u", "a b"}};
    refuses(zero, 1, NULL, "has no column '2'");
    refuses(zero, 0, NULL, "the Arrow stream has no columns");
}

static void failing(void) {
    const arrow_cells_text table[] = {{"order", "i", "1 2 3"}, {"item", "u", "a b c"}};
    for (int k = 1; k <= 3; k++) {
        struct ArrowArrayStream s = arrow_stream(table, 2, 1);
        state_of(&s)->fail_at = k;
        const read_outcome *o = stream_read(&s, NULL, 1);
        CHECK_EQUAL(o->status, LODE_IO);
        CHECK_TEXT(o->text, "the Arrow stream failed: the cable was cut");
    }
    struct ArrowArrayStream none = {.release = NULL};
    const read_outcome *o = stream_read(&none, NULL, 1);
    CHECK_EQUAL(o->status, LODE_INVALID);
    CHECK_TEXT(o->text, "the Arrow stream was released; expected a stream that was not read yet");
}

/* ---- damaged arrays ---- */

static int damage; /* which one */

#define DAMAGES 14

static void spoil(struct ArrowArray *a, struct ArrowSchema *s) {
    if (s) {
        if (damage == 13) s->children[1]->format = "no format";
        return;
    }
    struct ArrowArray *item = a->children[1], *order = a->children[0];
    switch (damage) {
    case 0: a->n_children = 1; break;
    case 1: a->length = 1000; break;
    case 2: a->length = -1; break;
    case 3: item->length = INT64_MIN; break;
    case 4: item->offset = INT64_MAX; break;
    case 5: item->n_buffers = 2; break;
    case 6: item->buffers[1] = NULL; break;
    case 7: item->buffers[2] = NULL; break;
    case 8: ((int32_t *)(uintptr_t)item->buffers[1])[1] = 1000; break;
    case 9: ((int32_t *)(uintptr_t)item->buffers[1])[1] = -7; break;
    case 10: ((signed char *)(uintptr_t)order->buffers[1])[0] = -1; break;
    case 11: order->dictionary->length = 1; break;
    case 12: order->dictionary = NULL; break;
    default: break;
    }
}

static void damaged(void) {
    const arrow_cells_text table[] = {{"order", "i@c", "1 2 3"}, {"item", "u", "a b c"}};
    for (damage = 0; damage < DAMAGES; damage++) {
        struct ArrowArrayStream s = arrow_stream(table, 2, 3);
        state_of(&s)->spoil = spoil;
        const read_outcome *o = stream_read(&s, NULL, 2);
        CHECK(o->status == LODE_PARSE || (damage == 13 && o->status == LODE_UNSUPPORTED));
        if (!strstr(o->text, "the Arrow stream: ")) CHECK_TEXT(o->text, "the Arrow stream: …");
    }
}

int main(void) {
    CHECK_RUN(long_tables);
    CHECK_RUN(types);
    CHECK_RUN(lists);
    CHECK_RUN(onehot);
    CHECK_RUN(row_options);
    CHECK_RUN(refused);
    CHECK_RUN(failing);
    CHECK_RUN(damaged);
    return check_result();
}
