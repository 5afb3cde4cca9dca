/* test_measures_doc.c - the tables of docs/measures.md are those of src/rules/measures/measures.def
 *
 * `test_measures_doc --write`, in the root of the repository, updates the document: it replaces the
 * text between the two marks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "lode.h"

#define PATH  "docs/measures.md"
#define BEGIN "<!-- the table begins: test_measures_doc --write -->\n"
#define END   "<!-- the table ends -->\n"
#define MOST  100000

static char document[MOST], table[MOST];

static size_t read_document(void) {
    FILE *file = fopen(PATH, "rb");
    if (!file) exit(2);
    size_t n = fread(document, 1, sizeof document - 1, file);
    fclose(file);
    document[n] = 0;
    return n;
}

static const char *number_text(double x, char *text, size_t bytes) {
    if (isnan(x)) return "–";
    if (isinf(x)) return x < 0 ? "−∞" : "∞";
    snprintf(text, bytes, "%.4g", x);
    return text;
}

static const char *better_text(int better) {
    return better > 0 ? "high" : better < 0 ? "low" : "–";
}

/* Of a table cell: a bar would end it. */
static void add_cell(FILE *out, const char *text) {
    fputs(" ", out);
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
    fputs(" |", out);
}

static void add_row(FILE *out, const lode_measure *m) {
    char least[32], most[32], neutral[32], range[80], name[200];
    bool alone = m->aliases[0] == 0;
    snprintf(name, sizeof name, "**%s**%s%s", m->name, alone ? "" : "<br>", m->aliases);
    snprintf(range, sizeof range, "%s … %s", number_text(m->least, least, sizeof least),
             number_text(m->most, most, sizeof most));
    fputs("|", out);
    add_cell(out, name);
    add_cell(out, m->help);
    add_cell(out, m->formula);
    add_cell(out, range);
    add_cell(out, number_text(m->neutral, neutral, sizeof neutral));
    add_cell(out, better_text(m->better));
    add_cell(out, m->singular);
    fputs("\n", out);
}

static void make_table(void) {
    lode_measure m = LODE_INIT(lode_measure);
    FILE *out = fmemopen(table, sizeof table, "w");
    if (!out) exit(2);
    fputs("| name, and elsewhere | what it says | formula | from … to | neutral | better | "
          "where the formula has no value: the value in lode |\n|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; lode_measure_at(i, &m); i++) add_row(out, &m);
    fclose(out);
}

static char *after(char *text, const char *mark) {
    char *at = strstr(text, mark);
    return at ? at + strlen(mark) : NULL;
}

static void write_document(void) {
    char *begin = after(document, BEGIN), *end = begin ? strstr(begin, END) : NULL;
    if (!end) exit(2);
    FILE *file = fopen(PATH, "wb");
    if (!file) exit(2);
    fwrite(document, 1, (size_t)(begin - document), file);
    fputs(table, file);
    fputs(end, file);
    fclose(file);
}

static void compare(void) {
    char *begin = after(document, BEGIN), *end = begin ? strstr(begin, END) : NULL;
    if (!CHECK(end != NULL)) return;
    bool same = (size_t)(end - begin) == strlen(table) && memcmp(begin, table, strlen(table)) == 0;
    if (!CHECK(same)) fprintf(stderr, "  update " PATH ": test_measures_doc --write\n");
}

int main(void) {
    read_document();
    make_table();
    if (check_argument && strcmp(check_argument, "--write") == 0) {
        write_document();
        return 0;
    }
    CHECK_RUN(compare);
    return check_result();
}
