/* test_select.c - groups of items by name: globs, files, counts, and what is refused
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/select.h"

#include "generated.h"
#include "mining.h"

/* ---- globs ----------------------------------------------------------------------------------- */

static bool matches(const char *glob, const char *name) {
    return select_matches(glob, strlen(glob), name, strlen(name));
}

static void globs(void) {
    static const struct {
        const char *glob, *name;
        bool match;
    } cases[] = {
        {"milk", "milk", true},
        {"milk", "milks", false},
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything", true},
        {"beer*", "beer", true},
        {"beer*", "beer dark", true},
        {"*beer", "dark beer", true},
        {"*ee*", "beer", true},
        {"a*b*c", "aXbYbZc", true},
        {"a*b*c", "aXbYbZ", false},
        {"**a", "a", true},
        {"?", "", false},
        {"?", "a", true},
        {"caf?", "caf\xc3\xa9", true}, /* a character, not a byte */
        {"caf??", "caf\xc3\xa9", false},
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[!a-c]x", "dx", true},
        {"[^a-c]x", "bx", false},
        {"[]]", "]", true},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[\\]]", "]", true},
        {"[a-\\]]", "^", false}, /* a to ] is nothing: ] comes before a */
        {"[A-\\]]", "[", true},
        {"[\xc3\xa0-\xc3\xaf]", "\xc3\xa9", true},
        {"[", "[", true}, /* no class: as it is */
        {"[ab", "[ab", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\\\", "\\", true},
        {"\\", "\\", true},
        {"a\\?b", "a?b", true},
        {"size=*", "size=L", true},
        {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (CHECK_EQUAL(matches(cases[i].glob, cases[i].name), cases[i].match)) continue;
        fprintf(stderr, "  '%s' and '%s'\n", cases[i].glob, cases[i].name);
    }
}

/* ---- lists ----------------------------------------------------------------------------------- */

static lode_dataset *parse_baskets(lode_job *job, const char *text) {
    lode_dataset *data = NULL;
    lode_read_options o = {.size = sizeof o, .format = LODE_FORMAT_BASKET, .separator = ','};
    if (lode_dataset_parse(job, &data, text, strlen(text), NULL, &o) != LODE_OK) exit(2);
    return data;
}

/* The groups as text: "1-:milk,bread 0-1:beer". */
static void dump(const lode_dataset *data, const select_groups *groups, char *text, size_t bytes) {
    size_t at = 0;
    text[0] = 0;
    for (uint32_t g = 0; g < groups->n; g++) {
        const select_group *group = &groups->groups[g];
        at += (size_t)snprintf(text + at, bytes - at, "%s%u-", g ? " " : "", group->least);
        if (group->most != UINT32_MAX) {
            at += (size_t)snprintf(text + at, bytes - at, "%u", group->most);
        }
        for (uint32_t i = 0; i < group->n; i++) {
            char name[64];
            size_t n = dataset_id_name(data, group->ids[i], name, sizeof name);
            at += (size_t)snprintf(text + at, bytes - at, "%c%.*s", i ? ',' : ':', (int)n, name);
        }
    }
}

static void expect_groups(lode_job *job, const lode_dataset *data, const char *list, bool counted,
                          const char *expected) {
    select_groups groups;
    char text[512];
    if (!CHECK_EQUAL(select_parse(job, data, list, "--include", counted, &groups), LODE_OK)) {
        fprintf(stderr, "  %s: %s\n", list, lode_job_error(job));
        return;
    }
    dump(data, &groups, text, sizeof text);
    CHECK_TEXT(text, expected);
    select_clear(&groups);
}

static void expect_failure(lode_job *job, const lode_dataset *data, const char *list, bool counted,
                           lode_status status, const char *message) {
    select_groups groups;
    job_clear_message(job);
    CHECK_EQUAL(select_parse(job, data, list, "--include", counted, &groups), status);
    if (!CHECK(strstr(lode_job_error(job), message) != NULL)) {
        fprintf(stderr, "  '%s' lacks '%s'\n", lode_job_error(job), message);
    }
    CHECK_EQUAL(groups.n, 0);
}

static const char shop[] = "milk,beer dark,beer pale\nbread,bag,what?\n@home,milk,[new] jam\n";

static void lists(void) {
    lode_job *job = mining_job("cpu");
    lode_dataset *data = parse_baskets(job, shop);
    expect_groups(job, data, NULL, false, "");
    expect_groups(job, data, "milk", false, "1-:milk");
    expect_groups(job, data, "milk\nbeer*", false, "1-:milk 1-:beer dark,beer pale");
    expect_groups(job, data, "what?", false, "1-:what?"); /* as a name first */
    expect_groups(job, data, "[new] jam", false, "1-:[new] jam");
    expect_groups(job, data, "\\@home", false, "1-:@home");
    expect_groups(job, data, "0-1:beer*", true, "0-1:beer dark,beer pale");
    expect_groups(job, data, "2-:b*\n1:milk\n0:bag", true,
                  "2-:bag,beer dark,beer pale,bread 1-1:milk 0-0:bag");
    expect_groups(job, data, "0-99999999999:milk", true, "0-:milk");
    expect_failure(job, data, "mlik", false, LODE_INVALID,
                   "--include: unknown item 'mlik'; did you mean 'milk'?");
    expect_failure(job, data, "milk\nxyzzy", false, LODE_INVALID, "unknown item 'xyzzy'");
    expect_failure(job, data, "z*", false, LODE_INVALID, "no item name matches 'z*'");
    expect_failure(job, data, "milk\n\nbag", false, LODE_INVALID, "is missing");
    expect_failure(job, data, "", false, LODE_INVALID, "is missing");
    expect_failure(job, data, "milk\n", false, LODE_INVALID, "is missing");
    expect_failure(job, data, "", true, LODE_INVALID, "is missing");
    expect_failure(job, data, "Beer", false, LODE_INVALID,
                   "'Beer'; did you mean 'beer dark' or 'beer pale'?");
    expect_failure(job, data, "milk,bag", false, LODE_INVALID, "repeat the option");
    expect_failure(job, data, "milk", true, LODE_INVALID, "expected a number or range");
    expect_failure(job, data, "1-0:milk", true, LODE_INVALID, "expected a number or range");
    expect_failure(job, data, "-1:milk", true, LODE_INVALID, "expected a number or range");
    expect_failure(job, data, "1-2 milk", true, LODE_INVALID, "expected a number or range");
    expect_failure(job, data, "1:", true, LODE_INVALID, "is missing");
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void put_file(const char *text, size_t n) {
    FILE *file = fopen(generated_path, "wb");
    if (!file || fwrite(text, 1, n, file) != n || fclose(file) != 0) exit(2);
}

static void files(void) {
    lode_job *job = mining_job("cpu");
    lode_dataset *data = parse_baskets(job, shop);
    char list[128];
    snprintf(list, sizeof list, "@%s", generated_path);
    static const char with_blanks[] = "\xef\xbb\xbfmilk\r\n\r\n\nbeer*\r\n@home";
    put_file(with_blanks, sizeof with_blanks - 1);
    expect_groups(job, data, list, false, "1-:@home,beer dark,beer pale,milk");
    static const char wrong[] = "milk\n\nbraed\n";
    put_file(wrong, sizeof wrong - 1);
    expect_failure(job, data, list, false, LODE_INVALID, ":3: unknown item 'braed'; did you");
    put_file("\r\n\n", 3);
    expect_failure(job, data, list, false, LODE_INVALID, "lists no items");
    put_file("", 0);
    expect_failure(job, data, list, false, LODE_INVALID, "lists no items");
    remove(generated_path);
    expect_failure(job, data, list, false, LODE_NOTFOUND, generated_path);
    expect_failure(job, data, "@/", false, LODE_IO, "cannot read '/'");
    lode_dataset_free(data);
    generated_done(job);
}

/* A file of many lines, longer than what is read at once. */
static void long_file(void) {
    lode_job *job = mining_job("cpu");
    lode_dataset *data = parse_baskets(job, shop);
    char list[128];
    FILE *file = fopen(generated_path, "wb");
    if (!file) exit(2);
    for (unsigned i = 0; i < 40000; i++) fputs(i % 2 ? "milk\n" : "bread\n", file);
    fclose(file);
    snprintf(list, sizeof list, "2-2:@%s", generated_path);
    expect_groups(job, data, list, true, "2-2:bread,milk");
    remove(generated_path);
    lode_dataset_free(data);
    generated_done(job);
}

/* ---- numbers and long names ------------------------------------------------------------------ */

static void numbers(void) {
    static const uint64_t offsets[] = {0, 3, 5};
    static const uint32_t small[] = {7, 17, 18, 7, 200};
    static const uint32_t large[] = {7, 17, 4000000000u, 7, 4000000001u};
    lode_job *job = mining_job("cpu");
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, offsets, small, NULL), LODE_OK);
    expect_groups(job, data, "7\n1?", false, "1-:7 1-:17,18");
    expect_groups(job, data, "*", false, "1-:7,17,18,200");
    expect_failure(job, data, "8", false, LODE_INVALID, "unknown item '8'");
    expect_failure(job, data, "9?", false, LODE_INVALID, "no item name matches '9?'");
    lode_dataset_free(data);
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 2, offsets, large, NULL), LODE_OK);
    expect_groups(job, data, "4000000000\n4*", false, "1-:4000000000 1-:4000000000,4000000001");
    expect_failure(job, data, "4000000002", false, LODE_INVALID, "unknown item");
    lode_dataset_free(data);
    generated_done(job);
}

static void long_names(void) {
    static char text[10000];
    select_groups groups;
    memset(text, 'x', 9000);
    text[9000] = ',';
    memset(text + 9001, 'y', 10);
    lode_job *job = mining_job("cpu");
    lode_dataset *data = parse_baskets(job, text);
    CHECK_EQUAL(select_parse(job, data, "x*", "--include", false, &groups), LODE_OK);
    CHECK_EQUAL(groups.groups[0].n, 1);
    select_clear(&groups);
    expect_failure(job, data, text, false, LODE_INVALID, "unknown item 'xxxx");
    lode_dataset_free(data);
    generated_done(job);
}

int main(void) {
    generated_setup();
    CHECK_RUN(globs);
    CHECK_RUN(lists);
    CHECK_RUN(files);
    CHECK_RUN(long_file);
    CHECK_RUN(numbers);
    CHECK_RUN(long_names);
    generated_teardown();
    return check_result();
}
