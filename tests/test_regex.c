/* test_regex.c - regular expressions: the same results as the C library in the C locale, UTF-8, and
 *                bounds on time and memory for any expression
 *
 * Time is counted in polls, of which there is one every 65,536 steps, so that no bound depends on
 * the machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"

#include <pthread.h>
#include <regex.h>
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "faulty.h"

#define POLL_STEPS 65536

/* ---- asking --------------------------------------------------------------------------------- */

typedef struct poller {
    uint64_t asked, ends_at; /* 0: never */
} poller;

static lode_status count_poll(void *user) {
    poller *p = user;
    return ++p->asked == p->ends_at ? LODE_CANCELLED : LODE_OK;
}

/* 0: no match, 1: match, -1: not an expression. */
static int verdict(const char *expression, const char *text, size_t n) {
    mem m;
    regex code;
    regex_run run;
    regex_error error = {0};
    poller p = {0};
    bool found = false;
    mem_init(&m, NULL, NULL, 0);
    lode_status status = regex_compile(&m, expression, strlen(expression), &code, &error);
    if (status == LODE_OK) {
        CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
        CHECK(regex_match(&run, text, n, &found) == LODE_OK);
        regex_stop(&m, &run);
    } else {
        CHECK(status == LODE_INVALID && error.why && error.at >= 1);
        CHECK(error.at <= strlen(expression) + 1);
    }
    regex_clear(&m, &code);
    CHECK_EQUAL(mem_used(&m), 0);
    return status == LODE_OK ? found : -1;
}

static regex_error reason(const char *expression) {
    regex_error error = {"it is one", 0};
    mem m;
    regex code;
    mem_init(&m, NULL, NULL, 0);
    lode_status status = regex_compile(&m, expression, strlen(expression), &code, &error);
    CHECK(status == (error.at > 0 ? LODE_INVALID : LODE_OK));
    regex_clear(&m, &code);
    return error;
}

/* ---- against the C library ------------------------------------------------------------------ */

typedef struct writer {
    rng dice;
    char text[600];
    size_t n;
} writer;

static void put(writer *w, const char *text) {
    size_t n = strlen(text);
    if (w->n + n >= sizeof w->text) return;
    memcpy(w->text + w->n, text, n + 1);
    w->n += n;
}

#define PICK(w, list) put((w), (list)[rng_below(&(w)->dice, sizeof(list) / sizeof *(list))])

/* One that is well formed, mostly. The C library forgets anchors when it copies what is repeated:
 * there, (^a){2} and (^a)+b match. So there are none in such groups. */
static void put_expression(writer *w, unsigned depth, bool anchored) {
    static const char *const atoms[] = {"a",    "b",   "c",   ".",     "[ab]",
                                        "[^a]", "\\w", "\\W", "\\s",   "[[:alpha:]]",
                                        "_",    " ",   "()",  "[b-d]", "[^[:space:]_]"};
    static const char *const repeats[] = {"*",     "?",    "+",    "{2}", "{1,2}",
                                          "{0,2}", "{2,}", "{,2}", "{0}"};
    static const char *const anchors[] = {"^", "$", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'"};
    for (uint64_t pieces = rng_below(&w->dice, 4); pieces > 0; pieces--) {
        uint64_t kind = rng_below(&w->dice, 12), repeat = rng_below(&w->dice, 30);
        if (kind < 2 && anchored) {
            PICK(w, anchors);
            continue;
        }
        if (kind < 5 && depth > 0) {
            put(w, "(");
            put_expression(w, depth - 1, anchored && (repeat < 2 || repeat > 8));
            put(w, ")");
        } else {
            PICK(w, atoms);
        }
        if (repeat < sizeof repeats / sizeof *repeats) put(w, repeats[repeat]);
        if (!anchored && rng_below(&w->dice, 12) == 0) PICK(w, repeats);
    }
    if (depth > 0 && rng_below(&w->dice, 3) == 0) {
        put(w, "|");
        put_expression(w, depth - 1, anchored);
    }
}

/* Anything, mostly not well formed. */
static void put_soup(writer *w) {
    static const char *const words[] = {
        "a",   "b",   "-",   "]",          "[",       "^",      "$",     "(",   ")",   "|",
        "*",   "+",   "?",   "{",          "}",       ",",      "1",     "2",   "{1",  "2}",
        "[^",  "[:",  ":]",  "[.",         ".]",      "[=",     "=]",    "\\",  "\\d", "\\",
        "\\b", "[]",  "[-",  "a-b",        "[:alpha", "[:x:]",  "[.a.]", "\\-", ".",   "_",
        "0",   "\\s", "\\w", "[[:digit:]", "[[=a=]]", "[[.-.]]"};
    for (uint64_t n = 1 + rng_below(&w->dice, 8); n > 0; n--) PICK(w, words);
}

/* Whether the C library should say the same: it knows references, reads escapes within braces, and
 * may need years and gigabytes for what is repeated often. */
static bool is_common(const char *text) {
    bool in_braces = false;
    for (; *text; text++) {
        if (*text == '\\' && (in_braces || (text[1] >= '1' && text[1] <= '9'))) return false;
        if (*text == '\\' && text[1]) text++;
        if (*text == '{') in_braces = true;
        if (*text == '}') in_braces = false;
        if (*text == '3') return false;
    }
    return true;
}

#define N_TEXTS 12

static void random_text(rng *dice, char text[16]) {
    static const char letters[] = "aaabbcd_ -1]";
    size_t n = (size_t)rng_below(dice, 10);
    for (size_t i = 0; i < n; i++) text[i] = letters[rng_below(dice, sizeof letters - 1)];
    text[n] = 0;
}

/* Compares one expression on some texts; with few states, which are forgotten all the time. */
static void compare(const char *expression, rng *dice) {
    mem m;
    regex code;
    regex_run run = {0};
    regex_t other;
    regex_error error;
    poller p = {0};
    mem_init(&m, NULL, NULL, 0);
    bool ours = regex_compile(&m, expression, strlen(expression), &code, &error) == LODE_OK;
    if (ours && code.n_places > 40) {
        regex_clear(&m, &code);
        return;
    }
    bool theirs = regcomp(&other, expression, REG_EXTENDED | REG_NOSUB) == 0;
    if (ours != theirs)
        fprintf(stderr, "'%s' is %san expression\n", expression, ours ? "" : "not ");
    CHECK(ours == theirs);
    if (ours) CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    if (ours && rng_below(dice, 2)) run.room = 3 + (uint32_t)rng_below(dice, 3);
    for (unsigned i = 0; ours && theirs && i < N_TEXTS; i++) {
        char text[16];
        bool found = false;
        random_text(dice, text);
        CHECK(regex_match(&run, text, strlen(text), &found) == LODE_OK);
        bool want = regexec(&other, text, 0, NULL, 0) == 0;
        if (found != want) fprintf(stderr, "'%s' in '%s': %d\n", expression, text, found);
        CHECK(found == want);
    }
    if (theirs) regfree(&other);
    regex_stop(&m, &run);
    regex_clear(&m, &code);
}

static void test_library(void) {
    unsigned rounds = BY_BUILD(40000, 8000, 1000);
    for (unsigned i = 0; i < rounds; i++) {
        writer w = {.dice = rng_make(1, i)};
        if (i % 2) {
            put_expression(&w, 3, i % 4 == 1);
        } else {
            put_soup(&w);
        }
        if (is_common(w.text)) compare(w.text, &w.dice);
    }
}

/* ---- cases ---------------------------------------------------------------------------------- */

/* What people write, and what the C library is wrong about, or has in other locales only. */
static void test_cases(void) {
    static const struct {
        const char *expression, *text;
        int want;
    } cases[] = {
        {"^organic", "organic milk", 1},
        {"^organic", "not organic", 0},
        {"milk$", "organic milk", 1},
        {"(whole|skimmed) milk", "skimmed milk", 1},
        {"[0-9]{2,3}g", "100g", 1},
        {"^[0-9]{2,3}g", "1000g", 0},
        {"\\<ale\\>", "pale ale", 1},
        {"\\bale\\b", "pale", 0},
        {"\\Bale", "pale", 1},
        {"a.c", "abc", 1},
        {"a\\.c", "abc", 0},
        {"", "anything", 1},
        {"()", "", 1},
        {"a||b", "z", 1},
        {"a**", "", 1},
        {"a{0}", "", 1},
        {"^a{2}{3}$", "aaaaaa", 1},
        {"^a{2}{3}$", "aaaaa", 0},
        {"^(a|ab)(c|bcd)(d*)$", "abcd", 1},
        {"^(a*)(ab)*b*$", "aabb", 1},
        {"[]]", "]", 1},
        {"[^]]", "]", 0},
        {"[a-]", "-", 1},
        {"[-a]", "-", 1},
        {"^[[.a.]-c[:digit:][=x=]]+$", "abc123x", 1},
        {"^[:^[]+$", "[:^", 1},
        {"^\\w+\\s\\W\\S$", "a_1 -x", 1},
        {"\\d", "d", 1},
        {"\\(\\)\\[\\]\\{\\}\\*", "()[]{}*", 1},
        {"a)", "a)", 1},
        {"}", "}", 1},
        {"^[\\]$", "\\", 1},
        {"(^a){2}", "aa", 0},
        {"(^a)+b", "aab", 0},
        {"(\\<a.){2}", "abab", 0},
        {"\\b^a", "a", 1},
        {"a$\\b", "a", 1},
        {"(^|x)a($|y)", "xay", 1},
        {"^\xc3\xa4.$", "\xc3\xa4\xe2\x82\xac", 1},
        {"^.$", "\xc3\xa4", 1},
        {"^..$", "\xc3\xa4", 0},
        {"^[\xc3\xa4\xc3\xb6\xc3\xbc]{3}$", "\xc3\xa4\xc3\xb6\xc3\xbc", 1},
        {"^[\xc3\xa0-\xc3\xbf]$", "\xc3\xa9", 1},
        {"^[^a-z]$", "\xc3\xa9", 1},
        {"^[[.\xc3\xa4.]-\xc3\xbc[=\xe2\x82\xac=]]+$", "\xc3\xb6\xe2\x82\xac", 1},
        {"\xc3\xa4{2}", "\xc3\xa4\xc3\xa4", 1},
        {"\\\xc3\xa4", "\xc3\xa4", 1},
        {"[[:alpha:]]", "\xc3\xa4", 0},
        {"^\xf0\x9f\x8d\xba?$", "\xf0\x9f\x8d\xba", 1},
        {"\xc3", "\xc3\xa4", 0},         /* half of a character is not there */
        {"^.\xe4.$", "\xf6\xe4\xfc", 1}, /* Latin-1 */
        {"^[\xe4-\xfc]+$", "\xf6\xe4\xfc", 1},
        {"[\xc3\xa4-\xc3\xbc]", "\xf6", 0},
        {"^...$",
         "\xe2\x82"
         "x",
         1}, /* two bytes that are no character, and one that is */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int got = verdict(cases[i].expression, cases[i].text, strlen(cases[i].text));
        if (CHECK(got == cases[i].want)) continue;
        fprintf(stderr, "'%s' in '%s': %d\n", cases[i].expression, cases[i].text, got);
    }
    CHECK_EQUAL(verdict("a.b$", "a\0b", 3), 1);
    CHECK_EQUAL(verdict("[^x]$", "x\0", 2), 1);
}

static void test_errors(void) {
    static const struct {
        const char *expression, *why;
        size_t at;
    } cases[] = {
        {"a(b", "'(' without ')'", 2},
        {"a(b(c)", "'(' without ')'", 2},
        {"[a", "'[' without ']'", 1},
        {"x[[:alpha:", "'[' without ']'", 3},
        {"*a", "nothing to repeat", 1},
        {"a|+", "nothing to repeat", 3},
        {"^*", "nothing to repeat", 2},
        {"\\b+", "nothing to repeat", 3},
        {"a{", "expected {2}", 2},
        {"a{,x}", "expected {2}", 2},
        {"a{3,2}", "expected {2}", 2},
        {"a{1,2,3}", "expected {2}", 2},
        {"(){32768}", "more than 32767", 3},
        {"a{99999999999999999999}", "more than 32767", 2},
        {"[z-a]", "a range must go", 2},
        {"[a-[:digit:]]", "a range must go", 2},
        {"[[:digit:]-z]", "this '-' is not part of a range", 11},
        {"[[:digits:]]", "unknown class", 2},
        {"[[.ab.]]", "expected one character", 2},
        {"[[==]]", "expected one character", 2},
        {"a\\", "nothing follows the backslash", 2},
        {"(a)\\1", "back-references", 4},
        {"a{4096}", "too many repetitions", 8},
        {"(a{60})*{60}*{60}", "too many repetitions", 18},
        {"(a{60})*{60}*{60}*{60}", "too many repetitions", 18},
        {"((a{1,50}){1,50}){1,50}", "too many repetitions", 17},
        {"(((a*)+)?){999}{999}{999}", "too many repetitions", 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        regex_error error = reason(cases[i].expression);
        if (CHECK(strstr(error.why, cases[i].why) != NULL && error.at == cases[i].at)) continue;
        fprintf(stderr, "'%s': %s (byte %zu)\n", cases[i].expression, error.why, error.at);
    }
    CHECK_TEXT(reason("a{4095}").why, "it is one");
    CHECK_TEXT(reason("(((()*)+)?){999}{999}{999}").why, "it is one"); /* of nothing */
}

/* ---- bounds --------------------------------------------------------------------------------- */

#define LONG_BYTES 60000

/* A long name that does not match, and one that does only at its end. */
static char long_text[LONG_BYTES + 1];

static void make_long_text(void) {
    rng dice = rng_make(2, 0);
    for (size_t i = 0; i < LONG_BYTES; i++) long_text[i] = "ab"[rng_below(&dice, 2)];
}

/* Matches the long text with and without `last` at its end, within bounds. */
static void check_bounds(const char *expression, char last) {
    mem m;
    regex code;
    regex_run run = {0};
    regex_error error;
    poller p = {0};
    bool found = true;
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_compile(&m, expression, strlen(expression), &code, &error) == LODE_OK);
    CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    long_text[LONG_BYTES] = last;
    CHECK(regex_match(&run, long_text, LONG_BYTES, &found) == LODE_OK && !found);
    CHECK(regex_match(&run, long_text, LONG_BYTES + 1, &found) == LODE_OK && found);
    uint64_t most = 2 * (uint64_t)LONG_BYTES * (3 * code.n_places + run.width + 8);
    if (!CHECK(p.asked <= most / POLL_STEPS)) fprintf(stderr, "%s: %" PRIu64, expression, p.asked);
    CHECK(atomic_load(&m.peak) < 1 << 20);
    regex_stop(&m, &run);
    regex_clear(&m, &code);
}

/* It would take seconds; a cancel ends it at the poll that hears it. */
static void check_cancel(const char *expression) {
    mem m;
    regex code;
    regex_run run = {0};
    regex_error error;
    poller p = {.ends_at = 3};
    bool found = false;
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_compile(&m, expression, strlen(expression), &code, &error) == LODE_OK);
    CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    CHECK(regex_match(&run, long_text, LONG_BYTES, &found) == LODE_CANCELLED);
    CHECK_EQUAL(p.asked, 3);
    p.ends_at = 0;
    CHECK(regex_match(&run, "baaz", 4, &found) == LODE_OK); /* and it goes on with another text */
    CHECK(atomic_load(&m.peak) < 1 << 20);
    regex_stop(&m, &run);
    regex_clear(&m, &code);
}

static void *run_hostile(void *arg) {
    make_long_text();
    check_bounds(".*a.{400}z", 'z');
    check_bounds("(a|b)*a(a|b){50}z", 'z');
    check_bounds("(a|b)*a(a|b){13}z", 'z'); /* more states than there is room for */
    check_bounds("(x+x+)+y|z", 'z');
    check_bounds("^(a|aa|b)+c$", 'c');
    check_bounds("((a*)*|(b*)*)*$z|z", 'z');
    check_bounds("((a?){40}b?){40}c", 'c');
    check_bounds("\\<(\\w+\\B)*c\\>", 'c');
    check_cancel("(a|b)*a(a|b){1000}z");
    check_cancel(".{0,1000}a.{1000}z");
    return arg;
}

/* On a small stack: nothing recurses. */
static void test_hostile(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)BY_BUILD(128, 512, 512) << 10);
    int failed = pthread_create(&thread, &attributes, run_hostile, NULL);
    pthread_attr_destroy(&attributes);
    CHECK_EQUAL(failed, 0);
    if (!failed) pthread_join(thread, NULL);
}

/* Groups within groups, and a set that tells apart as many characters as it has room for. */
static void test_long_expressions(void) {
    char text[REGEX_BYTES + 2] = {0};
    for (unsigned i = 0; i < 500; i++) text[i] = '(', text[501 + i] = ')';
    text[500] = 'a';
    CHECK_EQUAL(verdict(text, "ba", 2), 1);
    CHECK_EQUAL(verdict(text, "b", 1), 0);
    memset(text, '(', REGEX_BYTES);
    CHECK_TEXT(reason(text).why, "'(' without ')'");
    memset(text, '[', REGEX_BYTES + 1);
    CHECK_TEXT(reason(text).why, "the expression is longer than 1023 bytes");
    size_t n = 0;
    text[n++] = '[';
    for (unsigned c = 0; c < 500; c++) { /* every second character of two bytes */
        text[n++] = (char)(0xc2 + 2 * c / 64);
        text[n++] = (char)(0x80 + 2 * c % 64);
    }
    memcpy(text + n, "]{4000}z", 9);
    mem m;
    regex code;
    regex_run run = {0};
    regex_error error;
    poller p = {0};
    bool found = true;
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_compile(&m, text, strlen(text), &code, &error) == LODE_OK);
    CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    CHECK(regex_match(&run, text, n, &found) == LODE_OK && !found);
    CHECK(code.n_classes > 1000 && atomic_load(&m.peak) < 1 << 20);
    regex_stop(&m, &run);
    regex_clear(&m, &code);
}

/* Short texts are polled for as well. */
static void test_polls(void) {
    mem m;
    regex code;
    regex_run run = {0};
    regex_error error;
    poller p = {0};
    bool found = true;
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_compile(&m, "milk|tea$", 9, &code, &error) == LODE_OK);
    CHECK(regex_start(&m, &code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    for (unsigned i = 0; i < 50000; i++) {
        CHECK(regex_match(&run, "a name of 20 letters", 20, &found) == LODE_OK && !found);
    }
    CHECK(p.asked >= 50000 * 20 / POLL_STEPS && p.asked < 50);
    regex_stop(&m, &run);
    regex_clear(&m, &code);
}

/* Each request for memory fails once, and a budget is kept; nothing is left behind. */
static void test_memory(void) {
    static const char expression[] = "(\\<[a-c]+|x{3,5}$)";
    faulty f = {.fail_at = UINT64_MAX};
    pthread_mutex_init(&f.lock, NULL);
    for (uint64_t k = 0, done = 0; !done; k++) {
        mem m;
        regex code;
        regex_run run = {0};
        regex_error error;
        f.calls = 0;
        f.fail_at = k;
        mem_init(&m, faulty_resize, &f, 0);
        lode_status status = regex_compile(&m, expression, sizeof expression - 1, &code, &error);
        if (status == LODE_OK) status = regex_start(&m, &code, (regex_poll){0}, &run);
        done = f.calls <= k;
        CHECK(status == (done ? LODE_OK : LODE_NOMEM));
        regex_stop(&m, &run);
        regex_clear(&m, &code);
        CHECK(f.live == 0 && !f.wrong_size);
    }
    static const size_t budgets[] = {64 << 10, 200 << 10, 1 << 20}; /* the first two too small */
    for (unsigned i = 0; i < 3; i++) {
        mem m;
        regex code;
        regex_run run = {0};
        regex_error error;
        mem_init(&m, NULL, NULL, budgets[i]);
        lode_status status = regex_compile(&m, expression, sizeof expression - 1, &code, &error);
        CHECK(status == (i == 0 ? LODE_BUDGET : LODE_OK));
        if (status == LODE_OK) status = regex_start(&m, &code, (regex_poll){0}, &run);
        CHECK(status == (i < 2 ? LODE_BUDGET : LODE_OK));
        regex_stop(&m, &run);
        regex_clear(&m, &code);
        CHECK_EQUAL(mem_used(&m), 0);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

typedef struct shared {
    const regex *code;
    uint64_t found;
} shared;

static void *match_many(void *arg) {
    shared *s = arg;
    mem m;
    regex_run run = {0};
    poller p = {0};
    rng dice = rng_make(3, 0);
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_start(&m, s->code, (regex_poll){count_poll, &p}, &run) == LODE_OK);
    for (unsigned i = 0; i < 2000; i++) {
        char text[16];
        bool found = false;
        random_text(&dice, text);
        CHECK(regex_match(&run, text, strlen(text), &found) == LODE_OK);
        s->found += found;
    }
    regex_stop(&m, &run);
    return NULL;
}

static void test_threads(void) {
    mem m;
    regex code;
    regex_error error;
    pthread_t threads[3];
    shared all[3];
    mem_init(&m, NULL, NULL, 0);
    CHECK(regex_compile(&m, "a.*b|\\bc", 8, &code, &error) == LODE_OK);
    for (unsigned i = 0; i < 3; i++) {
        all[i] = (shared){.code = &code};
        CHECK(pthread_create(&threads[i], NULL, match_many, &all[i]) == 0);
    }
    for (unsigned i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    CHECK(all[0].found > 0 && all[0].found == all[1].found && all[1].found == all[2].found);
    regex_clear(&m, &code);
}

int main(void) {
    CHECK_RUN(test_library);
    CHECK_RUN(test_cases);
    CHECK_RUN(test_errors);
    CHECK_RUN(test_hostile);
    CHECK_RUN(test_long_expressions);
    CHECK_RUN(test_polls);
    CHECK_RUN(test_memory);
    CHECK_RUN(test_threads);
    return check_result();
}
