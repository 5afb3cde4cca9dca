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

#define PATH "docs/measures.md"
#define MOST 100000

/* A table of the document, between two marks. */
typedef struct doc_table {
    const char *begin, *end;
    bool (*at)(size_t i, lode_measure *out);
    char text[MOST];
} doc_table;

static doc_table tables[] = {
    {"<!-- the table begins: test_measures_doc --write -->\n", "<!-- the table ends -->\n",
     lode_measure_at, ""},
    {"<!-- the table of itemsets begins: test_measures_doc --write -->\n",
     "<!-- the table of itemsets ends -->\n", lode_itemset_measure_at, ""},
};
#define N_TABLES (sizeof tables / sizeof *tables)

static char document[MOST];

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

static void make_table(doc_table *t) {
    lode_measure m = LODE_INIT(lode_measure);
    FILE *out = fmemopen(t->text, sizeof t->text, "w");
    if (!out) exit(2);
    fputs("| name, and elsewhere | what it says | formula | from … to | neutral | better | "
          "where the formula has no value: the value in lode |\n|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; t->at(i, &m); i++) add_row(out, &m);
    fclose(out);
}

/* The place of the table in the document; NULL if a mark is missing. */
static char *find_table(const doc_table *t, char **end) {
    char *begin = strstr(document, t->begin);
    if (begin) begin += strlen(t->begin);
    *end = begin ? strstr(begin, t->end) : NULL;
    return *end ? begin : NULL;
}

static void put_table(const doc_table *t) {
    static char rest[MOST];
    char *end, *begin = find_table(t, &end);
    if (!begin) exit(2);
    snprintf(rest, sizeof rest, "%s%s", t->text, end);
    snprintf(begin, sizeof document - (size_t)(begin - document), "%s", rest);
}

static void write_document(void) {
    for (size_t i = 0; i < N_TABLES; i++) put_table(&tables[i]);
    FILE *file = fopen(PATH, "wb");
    if (!file) exit(2);
    fputs(document, file);
    fclose(file);
}

static void compare(void) {
    for (size_t i = 0; i < N_TABLES; i++) {
        const char *text = tables[i].text;
        char *end, *begin = find_table(&tables[i], &end);
        if (!CHECK(begin != NULL)) continue;
        bool same = (size_t)(end - begin) == strlen(text) && memcmp(begin, text, strlen(text)) == 0;
        if (!CHECK(same)) fprintf(stderr, "  update " PATH ": test_measures_doc --write\n");
    }
}

int main(void) {
    read_document();
    for (size_t i = 0; i < N_TABLES; i++) make_table(&tables[i]);
    if (check_argument && strcmp(check_argument, "--write") == 0) {
        write_document();
        return 0;
    }
    CHECK_RUN(compare);
    return check_result();
}
