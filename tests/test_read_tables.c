/* test_read_tables.c - tables as programs export them: the detected format, and the messages
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/cells.h"
#include "read/column_names.h"
#include "read_util.h"

static char notes[4096], warnings[4096]; /* of the last reading */

static void keep_message(void *user, lode_log_level level, const char *message) {
    (void)user;
    char *to = level == LODE_LOG_WARNING ? warnings : notes;
    size_t n = strlen(to);
    if (level <= LODE_LOG_INFO) snprintf(to + n, sizeof notes - n, "%s\n", message);
}

static const read_outcome *read_telling(const char *text, size_t n,
                                        const lode_read_options *options) {
    static read_outcome o;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 2, .log = keep_message};
    if (lode_job_create(&job, NULL, &c) != LODE_OK) abort();
    notes[0] = warnings[0] = 0;
    o.status = lode_dataset_parse(job, &data, text, n, "in", options);
    read_settle(job, data, &o);
    return &o;
}

/* How a text is read, with blocks of any size; whether that goes without a word. */
static void expect(int line, const char *text, lode_format format, const char *transactions,
                   bool silent) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    const read_outcome *all = read_all_ways(text, strlen(text), &options);
    bool right = all->status == LODE_OK && strcmp(all->text, transactions) == 0;
    if (!CHECK(right)) fprintf(stderr, "  line %d: %s\n", line, all->text);
    const read_outcome *o = read_telling(text, strlen(text), &options);
    if (!CHECK(o->profile.format == format)) fprintf(stderr, "  line %d\n", line);
    if (!CHECK((warnings[0] == 0) == silent)) fprintf(stderr, "  line %d: %s\n", line, warnings);
}
#define IS(text, format, transactions)                                                             \
    expect(__LINE__, text, LODE_FORMAT_##format, transactions, true)
#define WARNS(text, format, transactions)                                                          \
    expect(__LINE__, text, LODE_FORMAT_##format, transactions, false)

static unsigned tid_rank(const char *name) {
    return columns_transaction_rank(name, strlen(name));
}
static unsigned item_rank(const char *name) {
    return columns_item_rank(name, strlen(name));
}

static void names(void) {
    static const char *const tids[] = {"Order ID",
                                       "order_id",
                                       "OrderId",
                                       "ORDER-ID",
                                       "order.id",
                                       "BillNo",
                                       "Bill No.",
                                       "InvoiceNo",
                                       "Invoice",
                                       "invoice number",
                                       "transaction_id",
                                       "TransactionID",
                                       "Transaction",
                                       "TransactionNo",
                                       "Ticket Number",
                                       "ticket",
                                       "basket",
                                       "Basket #",
                                       "receipt",
                                       "Receipt-Nr",
                                       "cart id",
                                       "TID",
                                       "Sales Order Number",
                                       "purchase_id",
                                       "Bon-Nr",
                                       "Bonnummer",
                                       "Bestellnummer",
                                       "Rechnungs-Nr.",
                                       "Beleg",
                                       "facture",
                                       "N\xc2\xb0 facture",
                                       "Num\xc3\xa9ro de commande",
                                       "num\xe9ro de ticket",
                                       "id_pedido",
                                       "Pedido",
                                       "N\xc2\xba de pedido",
                                       "Factura",
                                       "transacci\xc3\xb3n"};
    for (size_t i = 0; i < sizeof tids / sizeof *tids; i++) {
        if (!CHECK_EQUAL(tid_rank(tids[i]), 1)) fprintf(stderr, "  %s\n", tids[i]);
        if (!CHECK_EQUAL(item_rank(tids[i]), 0)) fprintf(stderr, "  %s\n", tids[i]);
    }
    CHECK_EQUAL(tid_rank("Session ID"), 2);
    CHECK_EQUAL(tid_rank("visit"), 2);
    CHECK_EQUAL(tid_rank("Member_number"), 3);
    CHECK_EQUAL(tid_rank("customer"), 3);
    CHECK_EQUAL(tid_rank("userId"), 3);
    CHECK_EQUAL(tid_rank("Kunden-Nr"), 3);
    CHECK_EQUAL(tid_rank("id"), COLUMNS_JUST_ID);
    static const char *const none[] = {"Order Date", "Customer Name", "Sales",  "date",
                                       "borderid",   "Quantity",      "milk",   "",
                                       "#",          "check",         "nothing"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (!CHECK_EQUAL(tid_rank(none[i]), 0)) fprintf(stderr, "  %s\n", none[i]);
        if (!CHECK_EQUAL(item_rank(none[i]), 0)) fprintf(stderr, "  %s\n", none[i]);
    }
    static const struct {
        const char *name;
        unsigned rank;
    } items[] = {{"Product Name", 1},
                 {"Itemname", 1},
                 {"itemDescription", 1},
                 {"product_title", 1},
                 {"Artikelbezeichnung", 1},
                 {"Libell\xc3\xa9 produit", 1},
                 {"nombre del producto", 1},
                 {"Item(s)", 2},
                 {"product", 2},
                 {"Goods", 2},
                 {"Artikel", 2},
                 {"Produkt", 2},
                 {"article", 2},
                 {"producto", 2},
                 {"Description", 3},
                 {"Bezeichnung", 3},
                 {"StockCode", 4},
                 {"sku", 4},
                 {"product_id", 4},
                 {"Artikel-Nr.", 4},
                 {"EAN", 4},
                 {"movieId", 4},
                 {"name", COLUMNS_JUST_NAME}};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (!CHECK_EQUAL(item_rank(items[i].name), items[i].rank)) {
            fprintf(stderr, "  %s\n", items[i].name);
        }
    }
}

static void cells(void) {
    static const struct {
        const char *text;
        cell_kind kind;
        int truth;
    } all[] = {{"", CELL_BLANK, 0},
               {"0", CELL_ZERO, 0},
               {"0.0", CELL_ZERO, 0},
               {"1", CELL_ONE, 1},
               {"1.0", CELL_ONE, 1},
               {"1,00", CELL_ONE, 1},
               {"True", CELL_WORD, 1},
               {"FALSE", CELL_WORD, 0},
               {"t", CELL_WORD, 1},
               {"F", CELL_WORD, 0},
               {"yes", CELL_WORD, 1},
               {"No", CELL_WORD, 0},
               {"x", CELL_MARK, 1},
               {"X", CELL_MARK, 1},
               {"Y", CELL_LETTER, 1},
               {"n", CELL_LETTER, 0},
               {"?", CELL_BLANK, 0},
               {"NA", CELL_BLANK, 0},
               {"NaN", CELL_BLANK, 0},
               {"null", CELL_BLANK, 0},
               {"-", CELL_BLANK, 0},
               {"2", CELL_COUNT, 1},
               {"12", CELL_COUNT, 1},
               {"3.0", CELL_COUNT, 1},
               {"2.55", CELL_DECIMAL, 1},
               {"0,5", CELL_DECIMAL, 1},
               {"1.234,50", CELL_DECIMAL, 1},
               {"1e-05", CELL_DECIMAL, 1},
               {"$12", CELL_DECIMAL, 1},
               {"3 \xe2\x82\xac", CELL_DECIMAL, 1},
               {"-1", CELL_NEGATIVE, 0},
               {"-0.5", CELL_NEGATIVE, 0},
               {"-0", CELL_ZERO, 0},
               {"2010-12-01", CELL_DATE, -1},
               {"12/1/2010 8:26", CELL_DATE, -1},
               {"01.12.2010 08:26:00", CELL_DATE, -1},
               {"08:26", CELL_DATE, -1},
               {"2010-12-01T08:26:00.123456Z", CELL_DATE, -1},
               {"978-3-16-148410-0", CELL_TEXT, -1},
               {"milk", CELL_TEXT, -1},
               {"12x", CELL_TEXT, -1},
               {"1e", CELL_TEXT, -1},
               {"79323W", CELL_TEXT, -1},
               {"maybe", CELL_TEXT, -1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool yes;
        size_t n = strlen(all[i].text);
        if (!CHECK_EQUAL(cell_look(all[i].text, n, &yes), all[i].kind)) {
            fprintf(stderr, "  %s\n", all[i].text);
        }
        if (!CHECK_EQUAL(cell_truth(all[i].text, n), all[i].truth)) {
            fprintf(stderr, "  %s\n", all[i].text);
        }
    }
}

static void long_tables(void) {
    IS("Order ID,Product Name,Price\n1,milk,2.50\n1,beer,1\n2,milk,2\n", TABLE, "beer milk|milk|");
    IS("BillNo;Itemname;Quantity\n7;LAMP;6\n7;BOX;1\n", TABLE, "BOX LAMP|");
    IS("InvoiceNo,StockCode,Description\n1,85A,heart\n1,86B,box\n", TABLE, "box heart|");
    IS("Row ID,Order ID,Product ID,Product Name\n1,A,p1,desk\n2,A,p2,chair\n", TABLE,
       "chair desk|");
    IS("CustomerID,Ticket Number,SKU\n9,1,a\n9,2,b\n", TABLE, "a|b|");
    IS("Member_number,Date,itemDescription\n1,2015,milk\n1,2015,rum\n", TABLE, "milk rum|");
    IS("Bon-Nr;Artikel\n1;Brot\n1;Bier\n", TABLE, "Bier Brot|");
    IS("TransactionID\tItemID\n1\t101\n1\t102\n2\t101\n", TABLE, "101 102|101|");
    IS("userId,movieId,rating\n1,31,2.5\n1,32,3.0\n", TABLE, "31 32|");
    IS("id,item\n1,a\n1,b\n", TABLE, "a b|");
    WARNS("id,item,price\n1,a,2.5\n2,b,3.5\n", BASKET, "id item price|1 2.5 a|2 3.5 b|");
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    const char text[] = "Order ID,Product Name\n1,milk\n";
    CHECK_TEXT(read_telling(text, strlen(text), &options)->profile.columns,
               "Order ID, Product Name");
    options.tid_column = "ORDER_ID"; /* any spelling will do here, too */
    options.item_column = "2";
    CHECK_TEXT(read_telling(text, strlen(text), &options)->text, "milk|");
    options = read_options(LODE_FORMAT_TABLE);
    CHECK_TEXT(read_telling("7,a\n", 4, &options)->profile.columns, "1, 2");
    options.header = true;
    CHECK_TEXT(read_telling("Product,Who\na,1\nb,1\n", 20, &options)->text, "a b|");
    CHECK_TEXT(read_telling("Product\na\n", 10, &options)->text,
               "in has no column '2'; its columns are: Product");
}

static void one_column_an_item(void) {
    IS("bread,milk,beer\nx,,x\n,X,\n", ONEHOT, "beer bread|milk|");
    IS("bread,milk,beer\nY,N,Y\nn,y,\n", ONEHOT, "beer bread|milk|");
    IS("bread,milk\nyes,no\nno,yes\n", ONEHOT, "bread|milk|");
    IS("bread,milk\nT,F\nF,T\n", ONEHOT, "bread|milk|");
    IS("bread,milk\n?,t\nt,NA\n", ONEHOT, "milk|bread|");
    IS("bread,milk\n1.0,0.0\n,1.0\n", ONEHOT, "bread|milk|");
    IS("bread\tmilk\n1\t0\n0\t1\n1\t1\n1\t1\n", ONEHOT, "bread|milk|bread milk|bread milk|");
    IS("bread,milk,\n1,0,\n0,1,\n", ONEHOT, "bread|milk|");
    WARNS("bread,milk,beer\n2,0,0\n0,1,0\n0,0,5\n", ONEHOT, "bread|milk|beer|");
    IS("f,a,c\nx,y,n\n", BASKET, "a c f|n x y|"); /* letters, as in textbooks */
    WARNS("age,income\n25,30000\n31,40000\n", BASKET, "age income|25 30000|31 40000|");
}

static void ids_beside_them(void) {
    IS("TransactionID,bread,milk\n1,1,0\n2,0,1\n", ONEHOT, "bread|milk|");
    IS("bread,Order No,milk\n1,17,0\n0,18,1\n", ONEHOT, "bread|milk|");
    IS("order_id,beer,bread,milk\n1,0,1,2\n2,0,0,1\n3,6,1,0\n", ONEHOT,
       "bread milk|milk|beer bread|");
    WARNS("who,bread,milk\nAnna,1,0\nBob,0,1\n", ONEHOT, "bread|milk|");
    WARNS("run,bread,milk\n1,1,0\n2,0,1\n3,1,1\n", ONEHOT, "bread|milk|bread milk|");
    lode_read_options options = read_options(LODE_FORMAT_ONEHOT);
    const char counts[] = "bread,milk\n2,1\n1,0\n0,1\n"; /* 2, 1, 0 are no ids */
    CHECK_TEXT(read_telling(counts, strlen(counts), &options)->text, "bread milk|bread|milk|");
    const char text[] = "bread,run,milk\n1,1,0\n0,2,1\n";
    options.tid_column = "run";
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "bread|milk|");
    CHECK_TEXT(o->profile.columns, "run");
    options.format = LODE_FORMAT_AUTO;
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "bread|milk|");
    options.tid_column = "2";
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "bread|milk|");
    options.format = LODE_FORMAT_ONEHOT;
    options.tid_column = "jog";
    CHECK_EQUAL(read_all_ways(text, strlen(text), &options)->status, LODE_INVALID);
    CHECK_TEXT(read_telling(text, strlen(text), &options)->text,
               "in has no column 'jog'; its columns are: bread, run, milk");
}

static void pivots(void) {
    IS("Row Labels,bread,milk,Grand Total\n17,1,,1\n18,2,3,5\nGrand Total,3,3,6\n", ONEHOT,
       "bread|bread milk|");
    CHECK(strstr(notes, "left out column 'Grand Total'"));
    CHECK(strstr(notes, "left out 1 line of totals"));
    IS("Summe von Menge;Spaltenbeschriftungen;;\nZeilenbeschriftungen;Bier;Brot;Gesamtergebnis\n"
       "17;1;;1\n18;2;3;5\nGesamtergebnis;3;3;6\n",
       ONEHOT, "Bier|Bier Brot|");
    CHECK(strstr(notes, "left out 1 line above the header"));
    const char text[] = "order,a,b\n1,1,0\n2,maybe,1\n3,1,1\nTotal,2,2\n";
    lode_read_options options = read_options(LODE_FORMAT_ONEHOT);
    options.skip_bad_lines = true;
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "a|a b|");
    CHECK_EQUAL(o->profile.n_skipped, 1);
}

static void above_the_header(void) {
    IS("sep=;\nbread;milk,fresh\nbeer\n", BASKET, "bread milk,fresh|beer|");
    IS("SEP=|\r\norder|item\r\n1|a,b\r\n", TABLE, "a,b|");
    IS("\"sep=;\"\nbread;milk\n1;0\n", ONEHOT, "bread|");
    IS("Sales, all of them\n\norder_id,product\n1,milk\n1,beer\n", TABLE, "beer milk|");
    IS("Report,,\nbread,milk,beer\n1,0,1\n0,1,0\n", ONEHOT, "beer bread|milk|");
    FAILS("Report\norder,item\n1,a\n2\n", LODE_FORMAT_AUTO,
          "in:4:1: too few fields; expected as many as in the header");
    FAILS("Report\n\nbread,,beer,milk\n1,0,0,1\n", LODE_FORMAT_ONEHOT,
          "in:3:7: column without a name; expected an item name");
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    options.tid_column = "who";
    options.item_column = "what";
    const char text[] = "a title\nwho,what\n1,x\n";
    CHECK_TEXT(read_all_ways(text, strlen(text), &options)->text, "x|");
    options = read_options(LODE_FORMAT_BASKET);
    options.separator = ','; /* what was asked for stands */
    CHECK_TEXT(read_all_ways("sep=;\na,b;c\n", 12, &options)->text, "a b;c|");
}

static void said(const char *text, const char *words) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    read_telling(text, strlen(text), &options);
    if (!CHECK(strstr(warnings, words))) fprintf(stderr, "  %s", warnings);
    options.format = LODE_FORMAT_BASKET; /* which is a way to say that all is well */
    read_telling(text, strlen(text), &options);
    CHECK_TEXT(warnings, "");
}

static void doubtful_baskets(void) {
    said("Our Ref,Thing\n1,milk\n1,beer\n",
         "line 1 looks like a header; if each line is a transaction and an item, use --format "
         "table --tid 'Our Ref' --item Thing;");
    said("sep=,\nref,thing\n1,milk\n1,beer\n", "line 2 looks like a header");
    said("it's,1st\n1,milk\n1,beer\n", "--format table --tid 1 --item 1st;");
    said("when,price\n2020-01-01,2.5\n2020-01-02,3\n", "--format onehot --ignore when;");
    said("Transaction,Item 1,Item 2\n1,milk,rum\n2,beer\n",
         "--format basket --header --tid Transaction, which leaves it and that column out");
    said("17,milk,1.20\n17,beer,2.50\n18,milk,1.20\n19,milk,1.20\n",
         "its cells look like numbers, prices or dates; if each line is a transaction and an item, "
         "use --format table --tid 1 --item 2; if these are baskets, use --format basket");
    said("1,milk,beer\n2,milk\n3,rum\n4,rum,tea,milk\n", "--format basket --tid 1 leaves it out");
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.tid_column = "1";
    CHECK_TEXT(read_all_ways("7,a,b\n8,c\n", 10, &options)->text, "a b|c|");
    options.tid_column = "no.";
    CHECK_TEXT(read_all_ways("who,No\nc,8\na,7,b\n", 17, &options)->text, "c|a b|");
    options.tid_column = "when";
    CHECK_EQUAL(read_all_ways("who,No\nc,8\n", 11, &options)->status, LODE_INVALID);
}

/* What these are is beyond doubt, and nothing is said. */
static void clean_files(void) {
    IS("1 2 3\n2 3\n", FIMI, "1 2 3|2 3|");
    IS("1\t2\t3\n2\t3\t4\n", FIMI, "1 2 3|2 3 4|");
    IS("@ITEM=1=a\n1 2\n", SPMF, "2 a|");
    IS("milk,bread\nbeer\nmilk,beer,wine\n", BASKET, "bread milk|beer|beer milk wine|");
    IS("10,20,30\n20,30\n10,20\n40\n", BASKET, "10 20 30|20 30|10 20|40|");
    IS("10,20\n20,30\n30,40\n40,50\n", BASKET, "10 20|20 30|30 40|40 50|");
    IS("79323W,85048\n22353,22349\n48173C,21755\n", BASKET,
       "79323W 85048|22349 22353|21755 48173C|");
    IS("red wine;cheese\ncheese;bread\nbread;butter\n", BASKET,
       "cheese red wine|bread cheese|bread butter|");
    IS("time,space\nspace\nday,time,price\nage\n", BASKET, "space time|space|day price time|age|");
    IS("milk bread\nbread eggs 7\n", BASKET, "bread milk|7 bread eggs|");
}

/* A header far longer than 64 KiB, and one longer than anybody looks at. */
static void wide(void) {
    size_t n_columns = 6000;
    char *text = malloc(n_columns * 40);
    if (!text) abort();
    size_t n = 0;
    for (size_t i = 0; i < n_columns; i++) {
        n += (size_t)snprintf(text + n, 40, "product number %zu%c", i,
                              i + 1 < n_columns ? ',' : '\n');
    }
    for (size_t row = 0; row < 3; row++) {
        for (size_t i = 0; i < n_columns; i++) {
            text[n++] = i == 1000 * row ? '1' : '0';
            text[n++] = i + 1 < n_columns ? ',' : '\n';
        }
    }
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    const read_outcome *o = read_telling(text, n, &options);
    CHECK_EQUAL(o->profile.format, LODE_FORMAT_ONEHOT);
    CHECK_TEXT(o->text, "product number 0|product number 1000|product number 2000|");
    CHECK_TEXT(warnings, "");
    free(text);
}

static void wider(void) {
    size_t n = ((size_t)16 << 20) + 4096;
    char *text = malloc(n);
    if (!text) abort();
    for (size_t i = 0; i < n; i++) text[i] = i % 8 == 7 ? ',' : 'x';
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    CHECK_EQUAL(read_telling(text, n, &options)->profile.format, LODE_FORMAT_BASKET);
    CHECK(strstr(warnings, "in: its first line is longer than 16384 KiB"));
    for (size_t i = 0; i < n; i++) text[i] = i % 8 == 7 ? ' ' : '1';
    CHECK_EQUAL(read_telling(text, n, &options)->profile.format, LODE_FORMAT_FIMI);
    CHECK_TEXT(warnings, "");
    free(text);
}

int main(void) {
    CHECK_RUN(names);
    CHECK_RUN(cells);
    CHECK_RUN(long_tables);
    CHECK_RUN(one_column_an_item);
    CHECK_RUN(ids_beside_them);
    CHECK_RUN(pivots);
    CHECK_RUN(above_the_header);
    CHECK_RUN(doubtful_baskets);
    CHECK_RUN(clean_files);
    CHECK_RUN(wide);
    CHECK_RUN(wider);
    return check_result();
}
