/* test_read_text.c - formats with names: basket, table, onehot; and detecting which one it is
 * SPDX-License-Identifier: Apache-2.0 */
#include "read_util.h"

static void basket(void) {
    READS("milk,bread\nbeer\n", LODE_FORMAT_AUTO, "bread milk|beer|");
    READS("b, a ,\tc \n\n,,\na,a\n", LODE_FORMAT_AUTO, "a b c|||a|");
    READS("b;a\r\n\r\nc", LODE_FORMAT_AUTO, "a b||c|");
    READS("caf\xc3\xa9 au lait|\xe6\xa2\xa8\nred wine|x\n", LODE_FORMAT_AUTO,
          "caf\xc3\xa9 au lait \xe6\xa2\xa8|red wine x|");
    READS("apple pear\tfig\n", LODE_FORMAT_BASKET, "apple pear fig|"); /* tab is the separator */
    READS("apple pear  fig\nfig\n", LODE_FORMAT_AUTO, "apple fig pear|fig|");
    READS("10,9,007,x\n", LODE_FORMAT_AUTO, "007 10 9 x|");
    const read_outcome *o = read_text("10,9\n9,12345678901\n", LODE_FORMAT_AUTO);
    CHECK_TEXT(o->text, "9 10|9 12345678901|");
    CHECK(o->numeric);
    CHECK_EQUAL(o->profile.format, LODE_FORMAT_BASKET);
    CHECK_EQUAL(o->profile.separator, ',');
}

static void quotes(void) {
    READS("\"a,b\",c\n", LODE_FORMAT_AUTO, "a,b c|");
    READS("\"says \"\"hi\"\"\",\"\",x\n", LODE_FORMAT_AUTO, "says \"hi\" x|");
    READS("\"two\nlines\",x\ny,z\n", LODE_FORMAT_AUTO, "two\nlines x|y z|");
    READS("a, \" b \" ,c\r\n\"d\"\r\n", LODE_FORMAT_AUTO, " b  a c|d|");
    READS("5\" disk,x\n", LODE_FORMAT_AUTO, "5\" disk x|");
    READS("x,\"\"\"\"\n\"q\"", LODE_FORMAT_AUTO, "\" x|q|");
    FAILS("x,y\na,\"b\nc\n", LODE_FORMAT_BASKET,
          "in:2:3: unclosed quote; expected a closing quote on this line or one of the next 100");
    FAILS("\"12\" x,y\n", LODE_FORMAT_BASKET,
          "in:1:6: text after a closing quote; expected the separator");
}

static void basket_options(void) {
    const char text[] = "who,what\na:b,c\n\"d\":e\n";
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.separator = ':';
    options.header = true;
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "a b,c|d e|");
    const char bad[] = "a,b\n\"x\" y,\"p\nq\"\n\"c\",\"d\n\n";
    options = read_options(LODE_FORMAT_BASKET);
    options.separator = ',';
    options.skip_bad_lines = true;
    const read_outcome *o = read_all_ways(bad, strlen(bad), &options);
    CHECK_TEXT(o->text, "a b||");
    CHECK_EQUAL(o->profile.n_skipped, 2);
    const read_outcome *zero = read_all_ways("a,b\nc\0d,e\n", 10, &options);
    CHECK_TEXT(zero->text, "a b|");
}

static void table(void) {
    READS("order_id,price,sku\n17,1,bread\n18,2,milk\n17,3,milk\n", LODE_FORMAT_AUTO,
          "bread milk|milk|");
    READS("TID;Item\nx;b\ny;\nx;a\nx;b\n\n \n", LODE_FORMAT_AUTO, "a b||");
    READS("tid,item\n\"a\"\"b\",\"x\"\"\"\n\"a\"\"b\",y\n", LODE_FORMAT_AUTO, "x\" y|");
    READS("1,5\n2,6\n1,4\n", LODE_FORMAT_TABLE, "4 5|6|");
    READS("", LODE_FORMAT_TABLE, "");
    FAILS("tid,item\n1,a\n2\n", LODE_FORMAT_AUTO,
          "in:3:1: too few fields; expected as many as in line 1");
    FAILS("tid,item\n1,a\n2,b,c\n", LODE_FORMAT_AUTO,
          "in:3:5: too many fields; expected as many as in line 1");
    FAILS("tid,item\n1,a\n,b\n", LODE_FORMAT_AUTO,
          "in:3:1: no transaction; expected its name or number (--drop-rows 'tid=' skips such "
          "rows; --skip-bad-lines skips all malformed rows)");
    FAILS("tid,item\n1,a\n\n\n2,b\n", LODE_FORMAT_AUTO,
          "in:3:1: blank line; blank lines are allowed only at the end; --skip-bad-lines skips "
          "them");
}

static void table_columns(void) {
    const char text[] = "a,who,b,what\n1,x,2,fig\n3,y,4,pear\n5,x,6,apple\n";
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.tid_column = "who";
    options.item_column = "WHAT";
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "apple fig|pear|");
    options.tid_column = "2";
    options.item_column = "4";
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "what|apple fig|pear|");
    options.item_column = "colour";
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_EQUAL(o->status, LODE_INVALID);
    CHECK_TEXT(o->text, "in has no column 'colour'; its columns are: a, who, b, what");
    options.item_column = "5";
    CHECK_EQUAL(read_all_ways(text, strlen(text), &options)->status, LODE_INVALID);
}

static void table_skips(void) {
    const char text[] = "tid,item\n1,a\n\n\n2\n2,b,c\n1,c\n\"x\"y,d\n2,z\n\n\n";
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.skip_bad_lines = true;
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "a c|z|");
    CHECK_EQUAL(o->profile.n_skipped, 5);
}

static void onehot(void) {
    READS("bread,milk,\"a,b\"\n1,0,1\nFALSE,True,\nno,NaN,F\nt, yes ,f\n\n", LODE_FORMAT_AUTO,
          "a,b bread|milk||bread milk|");
    READS("a,b,a\n1,0,1\n", LODE_FORMAT_AUTO, "a|");
    READS(",a,b\n0,True,False\n1,True,True\n2,False,False\n", LODE_FORMAT_AUTO, "a|a b||");
    READS("Order_ID;a;b\n1001;1.0;0.0\nx;0;1\n", LODE_FORMAT_AUTO, "a|b|");
    FAILS("id,a,b\n7,1,0\n8\n", LODE_FORMAT_ONEHOT,
          "in:3:1: too few fields; expected one per item");
    FAILS("id,a,b\n7,1,0,1\n", LODE_FORMAT_ONEHOT,
          "in:2:7: too many fields; expected one per item");
    FAILS(
        "a,b\n1,0\n1,some\n", LODE_FORMAT_ONEHOT,
        "in:3:3: neither true nor false; expected 0, 1, true, false, t, f, yes, no, y, n, x, a "
        "quantity or an empty cell (--ignore COLUMN leaves out a column that is not an item, such "
        "as a date)");
    FAILS("a,b\n1,0\n1\n", LODE_FORMAT_ONEHOT, "in:3:1: too few fields; expected one per item");
    FAILS("a,b\n1,0,1\n", LODE_FORMAT_ONEHOT, "in:2:5: too many fields; expected one per item");
    FAILS("a,,b\n1,0,1\n", LODE_FORMAT_ONEHOT,
          "in:1:3: column without a name; expected an item name");
    FAILS("", LODE_FORMAT_ONEHOT, "in:1:1: empty file; expected a header line");
    FAILS("a,b\n\n1,0\n", LODE_FORMAT_ONEHOT,
          "in:2:1: blank line; blank lines are allowed only at the end; --skip-bad-lines skips "
          "them");
    const char text[] = "a,b\n1,1\n1,maybe\n\n1\n0,1\n";
    lode_read_options options = read_options(LODE_FORMAT_ONEHOT);
    options.skip_bad_lines = true;
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "a b|b|");
    CHECK_EQUAL(o->profile.n_skipped, 3);
}

static lode_format sniffed(const char *text) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    return read_with(text, strlen(text), &options, 1, 0)->profile.format;
}

static void sniffing(void) {
    CHECK_EQUAL(sniffed(""), LODE_FORMAT_FIMI);
    CHECK_EQUAL(sniffed("1 2\n3\n"), LODE_FORMAT_FIMI);
    CHECK_EQUAL(sniffed("@CONVERTED_FROM_TEXT\n1\n"), LODE_FORMAT_SPMF);
    CHECK_EQUAL(sniffed("1,2\n3\n"), LODE_FORMAT_BASKET);
    CHECK_EQUAL(sniffed("a,b\n1,0\n0,1\n"), LODE_FORMAT_ONEHOT);
    CHECK_EQUAL(sniffed("fig,1\n\n"), LODE_FORMAT_BASKET);
    CHECK_EQUAL(sniffed("1,0\n1,0\n0,1\n"), LODE_FORMAT_BASKET);
    CHECK_EQUAL(sniffed("a,b\n1,0\n0,1,1\n"), LODE_FORMAT_BASKET);
    CHECK_EQUAL(sniffed("InvoiceNo\tStockCode\n1\tx\n"), LODE_FORMAT_TABLE);
    CHECK_EQUAL(sniffed("Member_number,Date,itemDescription\n1,2,x\n"), LODE_FORMAT_TABLE);
    CHECK_EQUAL(sniffed("a;b,c\nd;e\nf;g\n"), LODE_FORMAT_BASKET);
    READS("a,\"b c\",\"q;r\"\n\"b c\",\"q;r\"\n", LODE_FORMAT_AUTO, "a b c q;r|b c q;r|");
    READS("\"x, y\";b\n\"x, z\"\n", LODE_FORMAT_AUTO, "b x, y|x, z|");
}

int main(void) {
    CHECK_RUN(basket);
    CHECK_RUN(quotes);
    CHECK_RUN(basket_options);
    CHECK_RUN(table);
    CHECK_RUN(table_columns);
    CHECK_RUN(table_skips);
    CHECK_RUN(onehot);
    CHECK_RUN(sniffing);
    return check_result();
}
