/* test_read_fimi.c - lines of integers, and SPMF's names for them
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "read_util.h"

#define WANT_SPMF "; expected an item number, a space or the end of the line"
#define WANT      WANT_SPMF "; for items that are words, use --format basket"

static void lines(void) {
    READS("1 3 4\n2 3\n", LODE_FORMAT_FIMI, "1 3 4|2 3|");
    READS("1 3 4\n2 3", LODE_FORMAT_FIMI, "1 3 4|2 3|");
    READS("\n\n1\n\n", LODE_FORMAT_FIMI, "||1||");
    READS("", LODE_FORMAT_FIMI, "");
    READS(" 1\t\t3  \n\t\n", LODE_FORMAT_FIMI, "1 3||");
    READS("1 2\r\n\r\n3\r", LODE_FORMAT_FIMI, "1 2||3|");
    READS("\xef\xbb\xbf"
          "5 6\n",
          LODE_FORMAT_FIMI, "5 6|");
    READS("3 1 2 3 1\n9 9\n", LODE_FORMAT_FIMI, "1 2 3|9|");
    READS("0 10 9\n", LODE_FORMAT_FIMI, "0 9 10|");
}

static void profile(void) {
    const read_outcome *o = read_text("3 1 2 3 1\n\n7 5\n", LODE_FORMAT_AUTO);
    CHECK_EQUAL(o->profile.n_transactions, 3);
    CHECK_EQUAL(o->profile.n_empty, 1);
    CHECK_EQUAL(o->profile.n_items, 5);
    CHECK_EQUAL(o->profile.n_occurrences, 5);
    CHECK_EQUAL(o->profile.n_repeated, 2);
    CHECK_EQUAL(o->profile.longest, 3);
    CHECK_EQUAL(o->profile.format, LODE_FORMAT_FIMI);
    CHECK_EQUAL(o->profile.separator, 0);
    CHECK(!o->named && o->numeric);
}

static void numbers_of_every_size(void) {
    if (BY_BUILD(false, false, true)) return; /* tables of millions, filled again and again */
    READS("4194303 1 1000000 999999\n", LODE_FORMAT_FIMI, "1 999999 1000000 4194303|");
    const read_outcome *o = read_text("4194304 3\n", LODE_FORMAT_FIMI);
    CHECK_TEXT(o->text, "3 4194304|");
    CHECK(!o->named && o->numeric);
    READS("18446744073709551616 4294967296 4294967295 12 9999999 10000000\n", LODE_FORMAT_FIMI,
          "12 9999999 10000000 4294967295 4294967296 18446744073709551616|");
    READS("007 7 07 10\n7\n", LODE_FORMAT_FIMI, "7 07 007 10|7|");
    READS("00 0 000", LODE_FORMAT_FIMI, "0 00 000|");
}

static void errors(void) {
    FAILS("1 2\n3 x 4\n", LODE_FORMAT_FIMI, "in:2:3: unexpected 'x'" WANT);
    FAILS("1 2\n\n3 4,\n5 y\n", LODE_FORMAT_FIMI, "in:3:4: unexpected ','" WANT);
    FAILS("-1\n", LODE_FORMAT_FIMI, "in:1:1: unexpected '-'" WANT);
    FAILS("1\n007x\n", LODE_FORMAT_FIMI, "in:2:4: unexpected 'x'" WANT);
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    const read_outcome *o = read_all_ways("1 2\n3\0 4\n", 9, &options);
    CHECK_EQUAL(o->status, LODE_PARSE);
    CHECK_TEXT(o->text, "in:2:2: unexpected 0x00" WANT);
}

static void the_first_error_wins(void) {
    char text[4000];
    size_t n = 0;
    for (int i = 0; i < 300; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%d 500\n", i);
        if (i == 120 || i > 200) n += (size_t)snprintf(text + n, sizeof text - n, "4 ?\n");
    }
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    const read_outcome *o = read_all_ways(text, n, &options);
    CHECK_TEXT(o->text, "in:122:3: unexpected '?'" WANT);
}

static void bad_lines_are_skipped(void) {
    const char text[] = "1 2\n3 x 4\n5 6\n9 007 9 ?\n\n2 1";
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    options.skip_bad_lines = true;
    const read_outcome *o = read_all_ways(text, strlen(text), &options);
    CHECK_TEXT(o->text, "1 2|5 6||1 2|");
    CHECK_EQUAL(o->profile.n_skipped, 2);
    CHECK_EQUAL(o->profile.n_items, 4);
    CHECK_EQUAL(o->profile.n_occurrences, 6);
}

static void spmf(void) {
    READS("@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=red wine\r\n@ITEM=9=\n2 1 3\n# "
          "note\n%\n\n9 1\n",
          LODE_FORMAT_AUTO, "3 apple red wine||9 apple|");
    READS("#x\n1 2\n", LODE_FORMAT_SPMF, "1 2|");
    READS("@ITEM=5000000=big\n@ITEM=07=odd=1\n5000000 07 3\n", LODE_FORMAT_AUTO, "3 big odd=1|");
    /* Two integers of one name are one item. */
    const read_outcome *o = read_text("@ITEM=1=a\n@ITEM=2=a\n2 1\n1 3\n", LODE_FORMAT_AUTO);
    CHECK_TEXT(o->text, "a|3 a|");
    CHECK_EQUAL(o->profile.n_repeated, 1);
    CHECK_EQUAL(o->profile.longest, 2);
    FAILS("@ITEM=1=a\n1 2\n# ok\n1 #\n", LODE_FORMAT_AUTO, "in:4:3: unexpected '#'" WANT_SPMF);
}

/* ---- The loops that parse the usual text agree with each other and with a plain one ---- */

#define RANDOM_BYTES ((size_t)6000)

/* Lines of numbers below `bound`; one piece in `odd` is something unusual, 0 = none. Tables for
 * large integers are large, so these come in few texts. */
static size_t random_lines(rng *r, char *text, uint32_t bound, unsigned odd, bool sorted) {
    static const char *const pieces[] = {
        "007 ", "  ",        "\t",       "\r\n",     "\n\n",          "00 ",      "0\n",
        " \n",  "12345678 ", "9999999 ", "4194304 ", "123456789012 ", "1000000 ", "4194303 "};
    const size_t n_pieces = sizeof pieces / sizeof *pieces - (bound > 1000000 ? 0 : 2);
    size_t n = 0;
    uint32_t next = 0;
    while (n < RANDOM_BYTES - 64) {
        if (odd > 0 && rng_below(r, odd) == 0) {
            const char *piece = pieces[rng_below(r, n_pieces)];
            n += (size_t)snprintf(text + n, 32, "%s", piece);
            continue;
        }
        uint32_t number =
            (uint32_t)(sorted ? next + rng_below(r, bound / 8 + 1) : rng_below(r, bound));
        bool ends = rng_below(r, 12) == 0 || number >= bound;
        if (number >= bound) number = bound - 1;
        next = ends ? 0 : number + 1;
        n += (size_t)snprintf(text + n, 16, ends ? "%u\n" : "%u ", number);
    }
    return n;
}

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* What the text of read_dump() must be, for numbers without leading zeros. */
static void plain_dump(const char *text, size_t n, char *out) {
    uint64_t row[RANDOM_BYTES];
    size_t length = 0, at = 0;
    for (size_t i = 0; i < n;) {
        if (text[i] >= '0' && text[i] <= '9') {
            uint64_t number = 0;
            for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
                number = number * 10 + (uint64_t)(text[i] - '0');
            }
            row[length++] = number;
            continue;
        }
        if (text[i++] != '\n') continue;
        qsort(row, length, sizeof *row, compare_u64);
        const char *between = "";
        for (size_t k = 0; k < length; k++) {
            if (k > 0 && row[k] == row[k - 1]) continue;
            at += (size_t)snprintf(out + at, READ_DUMP_BYTES - at, "%s%llu", between,
                                   (unsigned long long)row[k]);
            between = " ";
        }
        at += (size_t)snprintf(out + at, READ_DUMP_BYTES - at, "|");
        length = 0;
    }
    out[at] = 0;
}

static void check_loops(const char *text, size_t n, const char *expected) {
    static const size_t blocks[] = {0, 1, 100, 777};
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    read_outcome *scalar = malloc(sizeof *scalar);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        setenv("LODE_CPU", "scalar", 1);
        *scalar = *read_with(text, n, &options, 1, blocks[b]);
        unsetenv("LODE_CPU");
        const read_outcome *o = read_with(text, n, &options, 2, blocks[b]);
        CHECK_EQUAL(o->status, scalar->status);
        CHECK_TEXT(o->text, scalar->text);
        if (expected) CHECK_TEXT(o->text, expected);
        if (o->status != LODE_OK) continue;
        CHECK_EQUAL(o->profile.n_repeated, scalar->profile.n_repeated);
        CHECK_EQUAL(o->profile.n_items, scalar->profile.n_items);
    }
    free(scalar);
}

static void loops_agree(void) {
    static const uint32_t bounds[] = {2, 10, 12, 100, 130, 1000, 1100, 20000, 100000};
    static char text[RANDOM_BYTES], expected[READ_DUMP_BYTES];
    rng r = rng_make(5, 0);
    for (unsigned i = 0; i < BY_BUILD(120, 30, 4); i++) {
        bool huge = BY_BUILD(true, true, false) && i < 4; /* tables of millions */
        uint32_t bound = huge ? 4194304 : bounds[i % (sizeof bounds / sizeof *bounds)];
        unsigned odd = i % 3 == 0 ? 0 : i % 3 == 1 ? 40 : 500;
        size_t n = random_lines(&r, text, bound, odd, i % 2 == 0);
        text[n - 1] = '\n';
        plain_dump(text, n, expected);
        check_loops(text, n, odd == 0 ? expected : NULL);
        size_t at = (size_t)rng_below(&r, n); /* and something that cannot be read */
        char was = text[at];
        text[at] = 'x';
        check_loops(text, n, NULL);
        text[at] = was;
    }
}

/* A single pair out of order is noticed wherever it is. */
static void one_pair_out_of_order(void) {
    for (unsigned pair = 0; pair < 89; pair += BY_BUILD(1, 1, 8)) {
        char text[400], expected[400];
        size_t n = 0, m = 0;
        for (unsigned i = 0; i < 90; i++) {
            unsigned number = 10 + (i == pair ? i + 1 : i == pair + 1 ? i - 1 : i);
            n += (size_t)snprintf(text + n, 8, "%u%c", number, i < 89 ? ' ' : '\n');
            m += (size_t)snprintf(expected + m, 8, "%u%c", 10 + i, i < 89 ? ' ' : '|');
        }
        check_loops(text, n, expected);
    }
}

static void long_lines(void) {
    const size_t n_items = 50000;
    size_t n = 0;
    char *text = malloc(n_items * 8 + 16);
    for (size_t i = 0; i < n_items; i++) n += (size_t)snprintf(text + n, 9, "%zu ", n_items - i);
    n += (size_t)snprintf(text + n, 8, "\n1 2\n");
    lode_read_options options = read_options(LODE_FORMAT_FIMI);
    const read_outcome *o = read_with(text, n, &options, 2, 100);
    CHECK_EQUAL(o->status, LODE_OK);
    CHECK_EQUAL(o->profile.n_transactions, 2);
    CHECK_EQUAL(o->profile.longest, n_items);
    free(text);
}

int main(void) {
    CHECK_RUN(lines);
    CHECK_RUN(profile);
    CHECK_RUN(numbers_of_every_size);
    CHECK_RUN(errors);
    CHECK_RUN(the_first_error_wins);
    CHECK_RUN(bad_lines_are_skipped);
    CHECK_RUN(spmf);
    CHECK_RUN(loops_agree);
    CHECK_RUN(one_pair_out_of_order);
    CHECK_RUN(long_lines);
    return check_result();
}
