/* cells.c - see cells.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/cells.h"

#include <string.h>

#include "read/column_names.h"

#define CELL_LONGEST 32 /* bytes; longer cells are text */

typedef struct cell_word {
    const char *text;
    cell_kind kind;
    bool yes;
} cell_word;

static const cell_word cell_words[] = {
    {"true", CELL_WORD, true},
    {"false", CELL_WORD, false},
    {"t", CELL_WORD, true},
    {"f", CELL_WORD, false},
    {"yes", CELL_WORD, true},
    {"no", CELL_WORD, false},
    {"x", CELL_MARK, true},
    {"y", CELL_LETTER, true},
    {"n", CELL_LETTER, false},
    {"j", CELL_LETTER, true},
    {"\xe2\x9c\x93", CELL_MARK, true},
    {"\xe2\x9c\x94", CELL_MARK, true},
    {"nan", CELL_BLANK, false},
    {"na", CELL_BLANK, false},
    {"n/a", CELL_BLANK, false},
    {"#n/a", CELL_BLANK, false},
    {"null", CELL_BLANK, false},
    {"none", CELL_BLANK, false},
    {"?", CELL_BLANK, false},
    {"-", CELL_BLANK, false},
    {".", CELL_BLANK, false},
    {"<na>", CELL_BLANK, false},
    {"ja", CELL_WORD, true},
    {"nein", CELL_WORD, false},
    {"wahr", CELL_WORD, true},
    {"falsch", CELL_WORD, false},
    {"oui", CELL_WORD, true},
    {"non", CELL_WORD, false},
    {"vrai", CELL_WORD, true},
    {"faux", CELL_WORD, false},
    {"si", CELL_WORD, true},
    {"s\xc3\xad", CELL_WORD, true},
    {"verdadero", CELL_WORD, true},
    {"falso", CELL_WORD, false},
};

static bool cell_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Removes currency signs before or after a number, and the blanks between. */
static void cell_strip_currency(const char **cell, size_t *n) {
    static const char *const signs[] = {"$",    "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\x80",
                                        "\xa3", "EUR",          "USD",      "GBP",      "CHF"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i]);
        if (*n <= length) continue;
        if (memcmp(*cell, signs[i], length) == 0) {
            *cell += length;
            *n -= length;
        } else if (memcmp(*cell + *n - length, signs[i], length) == 0) {
            *n -= length;
        }
    }
    while (*n > 0 && **cell == ' ') ++*cell, --*n;
    while (*n > 0 && (*cell)[*n - 1] == ' ') --*n;
}

/* Digits in groups, with . , or ' between them: 12, 1.5, 0,25, 1'234.50, also 1e-05. */
static bool cell_is_number(const char *p, const char *end, size_t *n_marks, const char **last) {
    bool digit_before = false;
    *n_marks = 0;
    *last = NULL;
    for (; p < end && (cell_is_digit(*p) || *p == '.' || *p == ',' || *p == '\''); p++) {
        if (!cell_is_digit(*p)) {
            ++*n_marks;
            *last = p;
        }
        digit_before |= cell_is_digit(*p);
    }
    if (digit_before && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        if (p == end) return false;
        while (p < end && cell_is_digit(*p)) p++;
    }
    return digit_before && p == end;
}

/* Whether all digits from p on are zeros; an exponent ends them. */
static bool cell_is_zero(const char *p, const char *end) {
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p >= '1' && *p <= '9') return false;
    }
    return true;
}

static cell_kind cell_number(const char *cell, size_t n, bool *yes) {
    const char *end = cell + n;
    const char *last;
    size_t marks;
    bool negative = n > 1 && *cell == '-';
    const char *p = cell + (n > 1 && (*cell == '-' || *cell == '+'));
    if (!cell_is_number(p, end, &marks, &last)) return CELL_TEXT;
    if (cell_is_zero(p, end)) return CELL_ZERO;
    if (negative) return CELL_NEGATIVE;
    *yes = true;
    bool whole = marks == 0 && (size_t)(end - p) == strspn(p, "0123456789");
    if (!whole && !(marks == 1 && end - last == 2 && last[1] == '0')) {
        bool one = marks == 1 && last == p + 1 && *p == '1' && cell_is_zero(last, end);
        return one ? CELL_ONE : CELL_DECIMAL;
    }
    size_t digits = (size_t)((whole ? end : last) - p);
    return digits == 1 && *p == '1' ? CELL_ONE : CELL_COUNT;
}

/* Whether a cell is a date or time: at least three groups of up to four digits, separated by - / .
 * : or blanks, or two groups around a colon. Longer groups are product codes, except for a seventh
 * group: fractions of a second. */
static bool cell_is_date(const char *p, const char *end) {
    unsigned groups = 0, length = 0;
    bool colon = false;
    if (p == end || !cell_is_digit(*p)) return false;
    for (; p < end; p++) {
        if (cell_is_digit(*p)) {
            groups += length == 0;
            if (++length > 4 && groups < 7) return false;
            continue;
        }
        length = 0;
        colon |= *p == ':';
        if (!strchr("-/.: TZ+APMapm", *p)) return false;
    }
    return groups >= 3 || (groups == 2 && colon);
}

static cell_kind cell_word_look(const char *cell, size_t n, bool *yes) {
    for (size_t i = 0; i < sizeof cell_words / sizeof *cell_words; i++) {
        if (!columns_same(cell, n, cell_words[i].text)) continue;
        *yes = cell_words[i].yes;
        return cell_words[i].kind;
    }
    return CELL_TEXT;
}

cell_kind cell_look(const char *cell, size_t n, bool *yes) {
    char copy[CELL_LONGEST + 1];
    *yes = false;
    if (n == 0) return CELL_BLANK;
    if (n > CELL_LONGEST) return CELL_TEXT;
    cell_kind kind = cell_is_digit(*cell) ? CELL_TEXT : cell_word_look(cell, n, yes);
    if (kind != CELL_TEXT) return kind;
    memcpy(copy, cell, n); /* with an end, for strspn() */
    copy[n] = 0;
    kind = cell_number(copy, n, yes);
    if (kind != CELL_TEXT) return kind;
    if (cell_is_date(copy, copy + n)) return CELL_DATE;
    const char *amount = copy;
    cell_strip_currency(&amount, &n);
    if (amount == copy && copy[n] == 0) return CELL_TEXT;
    copy[(size_t)(amount - copy) + n] = 0;
    kind = cell_number(amount, n, yes);
    return kind == CELL_TEXT || kind == CELL_ZERO ? kind : CELL_DECIMAL;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void cell_trim(const char **text, const char **end) {
    while (*text < *end && (**text == ' ' || **text == '\t')) ++*text;
    while (*end > *text && ((*end)[-1] == ' ' || (*end)[-1] == '\t')) --*end;
}

/* Takes off a pair of characters around a text. */
static void cell_strip(const char **text, const char **end, const char *open, const char *close) {
    cell_trim(text, end);
    const char *found = *end - *text > 1 ? strchr(open, **text) : NULL;
    if (!found || (*end)[-1] != close[found - open]) return;
    ++*text;
    --*end;
    cell_trim(text, end);
}

cell_list cell_list_of(const char *cell, size_t n, char separator) {
    cell_list list = {cell, cell + n, separator};
    cell_strip(&list.at, &list.end, "{[(", "}])");
    return list;
}

bool cell_list_next(cell_list *list, const char **text, size_t *n) {
    while (list->at < list->end) {
        const char *from = list->at;
        const char *end = memchr(from, list->separator, (size_t)(list->end - from));
        if (!end) end = list->end;
        list->at = end < list->end ? end + 1 : end;
        cell_strip(&from, &end, "'\"", "'\"");
        *text = from;
        *n = (size_t)(end - from);
        if (*n > 0) return true;
    }
    return false;
}
