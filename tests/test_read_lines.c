/* test_read_lines.c - line ends: LF, CR LF, CR CR LF, CR alone, and all of them in one file
 * SPDX-License-Identifier: Apache-2.0 */
#include "read_util.h"

static void each_kind(void) {
    static const char *const ends[] = {"\n", "\r\n", "\r\r\n", "\r"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[200];
        const char *e = ends[i];
        snprintf(text, sizeof text, "1 2%s%s3%s4", e, e, e);
        READS(text, LODE_FORMAT_AUTO, "1 2||3|4|");
        snprintf(text, sizeof text, "@ITEM=1=fig%s# no%s1 2%s2%s", e, e, e, e);
        READS(text, LODE_FORMAT_AUTO, "2 fig|2|");
        snprintf(text, sizeof text, "a, b %s\"c\" %s\"d%se\",f", e, e, e);
        const read_outcome *o = read_text(text, LODE_FORMAT_AUTO);
        CHECK_EQUAL(o->profile.n_transactions, 3);
        CHECK_EQUAL(o->profile.n_items, 5);
        snprintf(text, sizeof text, "tid,item%s1,a%s1,b%s%s", e, e, e, e);
        READS(text, LODE_FORMAT_AUTO, "a b|");
        snprintf(text, sizeof text, "a;b%s1;0%s0;1%s%s", e, e, e, e);
        READS(text, LODE_FORMAT_AUTO, "a|b|");
    }
}

static void mixed(void) {
    READS("1\r2\n3\r\n4\r\r\n5\r", LODE_FORMAT_AUTO, "1|2|3|4|5|");
    READS("a,b\rc\nd\r\ne", LODE_FORMAT_AUTO, "a b|c|d|e|");
    READS("1 2\n3 \r 4\r\r5", LODE_FORMAT_AUTO, "1 2|3|4||5|");
    READS("tid,item\r1,a\n2,b\r\n", LODE_FORMAT_AUTO, "a|b|");
}

/* Lines are counted by whatever ends them. */
static void places(void) {
    FAILS("1\r2\r3 x\r", LODE_FORMAT_FIMI,
          "in:3:3: unexpected 'x'; expected an item number, a space or the end of the line; for "
          "items that are words, use --format basket");
    FAILS("1\r\n2\r3\n4 x\r", LODE_FORMAT_FIMI,
          "in:4:3: unexpected 'x'; expected an item number, a space or the end of the line; for "
          "items that are words, use --format basket");
    FAILS("tid,item\r1,a\r\n2\r3,c\r", LODE_FORMAT_AUTO,
          "in:3:1: too few fields; expected as many as in line 1");
    FAILS("tid,item\r1,a\r\r\r2,b\r", LODE_FORMAT_AUTO,
          "in:3:1: blank line; blank lines are allowed only at the end; --skip-bad-lines skips "
          "them");
    FAILS("tid,item\n1,a\n\n2,b", LODE_FORMAT_AUTO,
          "in:3:1: blank line; blank lines are allowed only at the end; --skip-bad-lines skips "
          "them");
    READS("tid,item\n1,a\n\n ", LODE_FORMAT_AUTO, "a|");
    FAILS("a,\"b\rc\",d\r\"e\" f\r", LODE_FORMAT_BASKET,
          "in:3:5: text after a closing quote; expected the separator");
}

static void skipped(void) {
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    options.skip_bad_lines = true;
    const char text[] = "1\rx 2\r3\r\ny\n4\r";
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "1|3|4|");
    CHECK_EQUAL(o->profile.n_skipped, 2);
}

/* More CRs than the LFs of a block let expect; many blocks. */
static void long_text(void) {
    static char text[600000];
    size_t n = 0;
    uint64_t lines = 0;
    while (n + 8 < sizeof text) {
        n += (size_t)snprintf(text + n, 8, lines % 1000 ? "7 9\r" : "7 9\n");
        lines++;
    }
    for (unsigned threads = 1; threads <= 4; threads *= 2) {
        lode_read_options options = read_options(LODE_FORMAT_AUTO);
        CHECK_EQUAL(read_with(text, n, &options, threads, 0)->profile.n_transactions, lines);
        options.format = LODE_FORMAT_BASKET;
        CHECK_EQUAL(read_with(text, n, &options, threads, 0)->profile.n_transactions, lines);
    }
}

static void graphs_too(void) {
    lode_job *job = read_context(1, 0);
    lode_graphs *g = NULL;
    const char text[] = "t # 0\rv 0 C\rv 1 O\re 0 1 2\rt # 1\r\nv 0 C\r";
    CHECK_EQUAL(lode_graphs_parse(job, &g, text, strlen(text), "in", NULL), LODE_OK);
    if (g) {
        CHECK_EQUAL(graph_profile_of(g).n_graphs, 2);
        CHECK_EQUAL(graph_profile_of(g).n_edges, 1);
        lode_graphs_free(g);
        g = NULL;
    }
    const char bad[] = "t # 0\rv 0 C\re 0 1 2\r";
    CHECK_EQUAL(lode_graphs_parse(job, &g, bad, strlen(bad), "in", NULL), LODE_PARSE);
    CHECK_TEXT(lode_job_error(job), "in:3:5: unknown vertex 1; expected a vertex listed before");
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(each_kind);
    CHECK_RUN(mixed);
    CHECK_RUN(places);
    CHECK_RUN(skipped);
    CHECK_RUN(long_text);
    CHECK_RUN(graphs_too);
    return check_result();
}
