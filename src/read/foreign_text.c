/* foreign_text.c - tests for kinds of text that are not baskets; see foreign.h
 *
 * Each test examines more than the first character, because items may have any name: a text that
 * begins with a brace is JSON only if a name in quotes and a colon follow; a text that begins with
 * a tag is XML only if other tags follow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/column_names.h"
#include "read/foreign.h"

/* ---- reading ---- */

static size_t left(foreign_head head) {
    return (size_t)(head.end - head.text);
}

static bool is_space(char c) {
    return c == ' ' || c == '\t';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next character; 0 at the end. */
static char peek(foreign_head head) {
    return head.text < head.end ? *head.text : 0;
}

/* The next line, without its end (LF, CR LF or CR); moves `head` past it. */
static foreign_head foreign_line(foreign_head *head) {
    foreign_head line = *head;
    while (head->text < head->end && *head->text != '\n' && *head->text != '\r') head->text++;
    line.end = head->text;
    if (peek(*head) == '\r') head->text++;
    if (peek(*head) == '\n') head->text++;
    return line;
}

/* Whether the text begins with the word, in upper or lower case. */
static bool foreign_starts(foreign_head head, const char *word) {
    size_t n = strlen(word);
    return left(head) >= n && columns_same(head.text, n, word);
}

/* Whether the text contains the word anywhere, in upper or lower case. */
static bool foreign_holds(foreign_head head, const char *word) {
    for (; left(head) > 0; head.text++) {
        if (foreign_starts(head, word)) return true;
    }
    return false;
}

/* Moves over blanks and line ends. */
static void foreign_skip_blanks(foreign_head *head) {
    while (is_space(peek(*head)) || peek(*head) == '\n' || peek(*head) == '\r') head->text++;
}

/* The text after its empty lines and the lines that begin with the mark of a comment. */
static foreign_head skip_comments(foreign_head head, const char *mark) {
    for (;;) {
        foreign_skip_blanks(&head);
        if (left(head) == 0 || !foreign_starts(head, mark)) return head;
        foreign_line(&head);
    }
}

/* ---- JSON ---- */

/* Moves past a text in quotes, and the blanks after it. */
static bool skip_string(foreign_head *head, char quote) {
    if (peek(*head) != quote) return false;
    for (head->text++; left(*head) > 0 && *head->text != quote; head->text++) {
        if (*head->text == '\n' || *head->text == '\r') return false;
        if (*head->text == '\\' && left(*head) > 1) head->text++;
    }
    if (left(*head) == 0) return false;
    head->text++;
    foreign_skip_blanks(head);
    return true;
}

/* {"name": … */
static bool is_object(foreign_head head) {
    if (peek(head) != '{') return false;
    head.text++;
    foreign_skip_blanks(&head);
    return skip_string(&head, '"') && peek(head) == ':';
}

/* Whether the first element of a list is followed by another one, or by the end of both list and
 * line: ["a"],b are items. */
static bool goes_on(foreign_head head) {
    if (peek(head) == ',') return true;
    if (peek(head) != ']') return false;
    head.text++;
    while (is_space(peek(head))) head.text++;
    return left(head) == 0 || *head.text == '\n' || *head.text == '\r';
}

/* [1, 2 … ] and nothing else in its line: [1],[2] are items. */
static bool is_number_list(foreign_head head) {
    foreign_head line = foreign_line(&head);
    bool comma = false;
    while (line.end > line.text && is_space(line.end[-1])) line.end--;
    if (left(line) < 3 || line.end[-1] != ']') return false;
    line.end--;
    for (; left(line) > 0; line.text++) {
        char c = *line.text;
        comma |= c == ',';
        if (!is_digit(c) && !is_space(c) && c != ',' && c != '.' && c != '-') return false;
    }
    return comma;
}

/* [{"name": …   ["text", …   [["text", …   [1, 2]   [[1, … */
static bool is_list(foreign_head head, char quote) {
    if (peek(head) != '[') return false;
    head.text++;
    foreign_skip_blanks(&head);
    if (peek(head) == quote) return skip_string(&head, quote) && goes_on(head);
    if (peek(head) == '[') {
        head.text++;
        foreign_skip_blanks(&head);
        return peek(head) == quote ? skip_string(&head, quote) : is_digit(peek(head));
    }
    return quote == '"' && (is_object(head) || is_number_list(head));
}

static bool is_json_value(foreign_head head) {
    return is_object(head) || is_list(head, '"');
}

bool foreign_is_json(foreign_head head) {
    foreign_skip_blanks(&head);
    return is_json_value(head);
}

/* The first line is a whole value, and the next one begins another. */
bool foreign_is_json_lines(foreign_head head) {
    foreign_skip_blanks(&head);
    if (!is_json_value(head)) return false;
    char close = peek(head) == '{' ? '}' : ']';
    foreign_head line = foreign_line(&head);
    while (left(line) > 0 && is_space(line.end[-1])) line.end--;
    return left(line) > 0 && line.end[-1] == close && is_json_value(head);
}

bool foreign_is_python_list(foreign_head head) {
    foreign_skip_blanks(&head);
    return is_list(head, '\'');
}

/* ---- tags ---- */

/* <name …> and then another tag, with a closing one somewhere. */
static bool is_tagged(foreign_head head) {
    if (peek(head) != '<' || !foreign_holds(head, "</")) return false;
    head.text++;
    if (!is_letter(peek(head))) return false;
    while (left(head) > 0 && *head.text != '>' && *head.text != '\n') head.text++;
    if (peek(head) != '>') return false;
    head.text++;
    foreign_skip_blanks(&head);
    return peek(head) == '<';
}

bool foreign_is_xml(foreign_head head) {
    foreign_skip_blanks(&head);
    return foreign_starts(head, "<?xml ") || is_tagged(head);
}

bool foreign_is_html(foreign_head head) {
    static const char *const tags[] = {"<html", "<head", "<body", "<table", "<div", "<meta"};
    foreign_skip_blanks(&head);
    if (foreign_starts(head, "<!doctype html")) return true;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (!foreign_starts(head, tags[i]) || !foreign_holds(head, "</")) continue;
        char after = head.text[strlen(tags[i])]; /* there is something: "</" is after it */
        if (is_space(after) || after == '>') return true;
    }
    return foreign_is_xml(head) && foreign_holds(head, "<html");
}

/* ---- data of other programs ---- */

bool foreign_is_sql(foreign_head head) {
    static const char *const words[] = {"create table ",       "insert into ",
                                        "drop table ",         "begin transaction;",
                                        "pragma foreign_keys", "set sql_mode"};
    head = skip_comments(head, "--");
    head = skip_comments(head, "/*!");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (foreign_starts(head, words[i])) return foreign_holds(head, "(");
    }
    return false;
}

/* A line of - + | = : and blanks with three - or = in a row. */
static bool is_ruler(foreign_head line) {
    unsigned run = 0, longest = 0;
    for (; left(line) > 0; line.text++) {
        char c = *line.text;
        if (!memchr("-+|=: \t", c, 7)) return false;
        run = c == '-' || c == '=' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest >= 3;
}

/* A ruler of - with single tabs or | between, as many as in the header: fields as sqlcmd
 * write them, which can be read. */
static bool is_divided(foreign_head header, foreign_head ruler) {
    size_t fields[2] = {0};
    char mark = 0;
    for (; left(ruler) > 0 && peek(ruler) != '\r'; ruler.text++) {
        char c = *ruler.text;
        if (c == '-') continue;
        if ((c != '\t' && c != '|') || (mark && c != mark)) return false;
        mark = c;
        fields[0]++;
    }
    for (; left(header) > 0; header.text++) fields[1] += mark && *header.text == mark;
    return mark && fields[0] == fields[1] && ruler.text[-1] == '-';
}

/* The first or the second line is a ruler. */
bool foreign_is_drawn(foreign_head head) {
    foreign_head first = foreign_line(&head), second = foreign_line(&head);
    if (is_ruler(first)) return true;
    return is_ruler(second) && !(peek(second) == '-' && is_divided(first, second));
}

/* @relation NAME; spmf files begin with @, too, but not with this word. */
bool foreign_is_arff(foreign_head head) {
    static const char word[] = "@relation";
    head = skip_comments(head, "%");
    if (!foreign_starts(head, word)) return false;
    head.text += sizeof word - 1;
    return is_space(peek(head));
}

/* Whole numbers, a -1 among them and a -2 at the end. */
bool foreign_is_sequences(foreign_head head) {
    do {
        head = skip_comments(head, "@");
        head = skip_comments(head, "#");
    } while (peek(head) == '@');
    foreign_head line = foreign_line(&head);
    bool parts = false, end = false;
    while (left(line) > 0) {
        while (is_space(peek(line))) line.text++;
        const char *word = line.text;
        if (peek(line) == '-') line.text++;
        while (is_digit(peek(line))) line.text++;
        if (left(line) > 0 && !is_space(*line.text)) return false;
        size_t n = (size_t)(line.text - word);
        if (n == 0) break;
        end = n == 2 && memcmp(word, "-2", 2) == 0;
        parts |= n == 2 && memcmp(word, "-1", 2) == 0;
    }
    return parts && end;
}

/* ---- SPMF with utilities: 1 2:30:10 20 ---- */

/* Moves past numbers with single blanks between them; returns how many there are. */
static size_t skip_numbers(foreign_head *head) {
    size_t n = 0;
    while (is_digit(peek(*head))) {
        while (is_digit(peek(*head))) head->text++;
        n++;
        if (!is_space(peek(*head))) break;
        head->text++;
    }
    return n;
}

/* Whether each line has items, a total, and as many values as items. One item alone may be a time,
 * such as 12:30:45. */
bool foreign_is_utilities(foreign_head head) {
    bool several = false;
    head = skip_comments(skip_comments(head, "@"), "#");
    for (size_t lines = 0; left(head) > 0; lines++) {
        foreign_head line = foreign_line(&head);
        if (left(head) == 0 && lines > 0) break; /* it may be cut */
        size_t items = skip_numbers(&line);
        bool sound = items > 0 && peek(line) == ':' && line.text++ && skip_numbers(&line) == 1 &&
                     peek(line) == ':' && line.text++ && skip_numbers(&line) == items;
        if (!sound || left(line) > 0) return false;
        several |= items > 1;
    }
    return several;
}

/* ---- graphs ---- */

bool foreign_is_graphml(foreign_head head) {
    return foreign_is_xml(head) && foreign_holds(head, "<graphml");
}

/* Whether a line "t", "t 0" or "t # 0" is followed by a line "v 0 …", which does not look like a
 * basket. (lode_graphs_sniff() accepts more: it is for files that are expected to contain
 * graphs.) */
bool foreign_is_gspan(foreign_head head) {
    do {
        head = skip_comments(head, "#");
        head = skip_comments(head, "%");
    } while (peek(head) == '#');
    foreign_head line = foreign_line(&head);
    if (!foreign_starts(line, "t")) return false;
    line.text++;
    bool mark = left(line) > 1 && is_space(line.text[0]) && line.text[1] == '#';
    for (; !mark && left(line) > 0; line.text++) {
        if (!is_space(*line.text) && !is_digit(*line.text)) return false;
    }
    return foreign_starts(head, "v ") && left(head) > 2 && is_digit(head.text[2]);
}

/* ---- are these molecules? -------------------------------------------------------------------- */

/* SMILES are words such as CC(=O)Oc1ccccc1, and some of them could be names of items: C, CO, COIN.
 * So each first word of a line must be a whole SMILES (brackets and rings closed, atoms that
 * exist), and every other one must have what no name has: branches, double bonds, rings,
 * charges. */

#define MOLECULES_LINES 50
#define SMILES_TELLING  4 /* atoms at least: C=N may be an attribute and its value */

/* ---- SDF and MOL: the fourth line counts atoms and bonds, and ends in a version ---- */

bool foreign_is_molfile(foreign_head head) {
    for (unsigned i = 0; i < 3; i++) foreign_line(&head);
    foreign_head line = foreign_line(&head);
    while (line.end > line.text && line.end[-1] == ' ') line.end--;
    if (line.end - line.text < 30) return false;
    foreign_head version = {line.end - 5, line.end};
    return foreign_starts(version, "V2000") || foreign_starts(version, "V3000");
}

/* ---- SMILES ---- */

typedef struct smiles {
    const char *at, *end;
    unsigned atoms, open; /* atoms seen; branches that are open */
    unsigned rings[100];  /* 1 + the atom where a ring was opened; 0 = not open */
    bool telling;         /* it has syntax that no item name has */
} smiles;

static bool smiles_is(const smiles *s, const char *set) {
    return s->at < s->end && *s->at && strchr(set, *s->at);
}

/* An atom without brackets. */
static bool smiles_atom(smiles *s) {
    if (!smiles_is(s, "BCNOPSFIbcnops*")) return false;
    char first = *s->at++;
    if (first == 'C' && smiles_is(s, "l")) s->at++;
    if (first == 'B' && smiles_is(s, "r")) s->at++;
    s->atoms++;
    return true;
}

/* [13C@H+2:1]: a mass, an element, then marks. */
static bool smiles_bracket(smiles *s) {
    if (!smiles_is(s, "[")) return false;
    s->at++;
    while (smiles_is(s, "0123456789")) s->at++;
    if (smiles_is(s, "ABCDEFGHIKLMNOPRSTUVWXYZ")) {
        s->at++;
        if (smiles_is(s, "abcdefghiklmnoprstuy")) s->at++;
    } else if (smiles_is(s, "bcnopsat*")) {
        s->at++;
        if (smiles_is(s, "es")) s->at++;
    } else {
        return false;
    }
    while (smiles_is(s, "@H+-0123456789:")) {
        if (smiles_is(s, "@+-")) s->telling = true;
        s->at++;
    }
    s->atoms++;
    return smiles_is(s, "]") && s->at++;
}

/* A digit, or % and two digits: opens a ring, or closes it some atoms later. */
static bool smiles_ring(smiles *s) {
    unsigned number = 0;
    unsigned digits = 1;
    if (smiles_is(s, "%")) {
        digits = 2;
        s->at++;
    }
    for (; digits > 0; digits--) {
        if (!smiles_is(s, "0123456789")) return false;
        number = number * 10 + (unsigned)(*s->at++ - '0');
    }
    if (s->atoms == 0) return false;
    unsigned opened = s->rings[number];
    if (opened && s->atoms + 1 < opened + 2) return false; /* a ring has three atoms at least */
    if (opened) s->telling = true;
    s->rings[number] = opened ? 0 : 1 + s->atoms;
    return true;
}

static bool smiles_mark(smiles *s) {
    if (smiles_is(s, "-.:/\\~")) {
        s->at++;
        return s->atoms > 0;
    }
    if (smiles_is(s, "=#$")) {
        s->telling = true;
        s->at++;
        return s->atoms > 0;
    }
    if (smiles_is(s, "(")) {
        s->telling = true;
        s->open++;
        s->at++;
        return s->atoms > 0;
    }
    if (!smiles_is(s, ")") || s->open == 0) return false;
    s->open--;
    s->at++;
    return true;
}

/* Whether a word is a whole SMILES; *telling: it can hardly be anything else. */
static bool is_smiles(const char *word, size_t n, bool *telling) {
    smiles s = {.at = word, .end = word + n};
    while (s.at < s.end) {
        bool good = smiles_is(&s, "[")             ? smiles_bracket(&s)
                    : smiles_is(&s, "%0123456789") ? smiles_ring(&s)
                                                   : smiles_atom(&s) || smiles_mark(&s);
        if (!good) return false;
    }
    for (unsigned i = 0; i < 100; i++) {
        if (s.rings[i]) return false;
    }
    *telling = s.telling && s.atoms >= SMILES_TELLING;
    return s.atoms > 0 && s.open == 0;
}

/* ---- lines of them ---- */

static bool ends_word(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '|' || c == '"';
}

/* Whether a word of the line is a telling SMILES; `first`: whether the first word is a SMILES. */
static bool line_has_smiles(foreign_head line, bool first, bool *telling) {
    *telling = false;
    while (line.text < line.end) {
        while (line.text < line.end && ends_word(*line.text)) line.text++;
        const char *word = line.text;
        while (line.text < line.end && !ends_word(*line.text)) line.text++;
        bool good = is_smiles(word, (size_t)(line.text - word), telling);
        if (first || (good && *telling)) return good;
    }
    return false;
}

/* A table with a column named SMILES. */
static bool is_table_of_smiles(foreign_head head) {
    foreign_head line = foreign_line(&head);
    bool telling;
    if (!foreign_holds(line, "smiles")) return false;
    do { /* some files have blank lines between their rows */
        line = foreign_line(&head);
    } while (line.text == line.end && head.text < head.end);
    return line_has_smiles(line, false, &telling);
}

bool foreign_may_be_molecules(foreign_head head) {
    size_t lines = 0, good = 0;
    while (head.text < head.end && lines < MOLECULES_LINES) {
        bool telling;
        foreign_head line = foreign_line(&head);
        if (line.text == line.end) continue;
        if (lines++ == 0 && foreign_holds(line, "smiles")) return true;
        good += line_has_smiles(line, true, &telling);
    }
    return good > 0 && 2 * good >= lines;
}

bool foreign_is_smiles(foreign_head head) {
    size_t lines = 0, sure = 0;
    if (is_table_of_smiles(head)) return true;
    while (head.text < head.end && lines < MOLECULES_LINES) {
        bool telling;
        foreign_head line = foreign_line(&head);
        bool cut = head.text == head.end && lines > 0; /* the last line may be incomplete */
        if (line.text == line.end) continue;
        if (!line_has_smiles(line, true, &telling)) {
            if (cut) break;
            return false;
        }
        lines++;
        sure += telling;
    }
    return sure > 0 && 2 * sure >= lines;
}
