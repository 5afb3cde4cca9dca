/* terminal.c - see terminal.h
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE   700 /* wcwidth() */
#define _DEFAULT_SOURCE     /* TIOCGWINSZ */
#include "terminal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "cli.h"

#define USUAL_COLUMNS 80
#define LEAST_COLUMNS 20

bool terminal_is(FILE *file) {
    return isatty(fileno(file)) == 1;
}

unsigned terminal_columns(FILE *file) {
    struct winsize size;
    const char *given = getenv("COLUMNS");
    if (!terminal_is(file)) return 0;
    unsigned long columns = 0;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    if (columns == 0 && given) columns = strtoul(given, NULL, 10);
    if (columns == 0 || columns > 10000) columns = USUAL_COLUMNS;
    return columns < LEAST_COLUMNS ? LEAST_COLUMNS : (unsigned)columns;
}

bool terminal_has_colours(FILE *file) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (!terminal_is(file) || (no && no[0])) return false;
    return term && term[0] && strcmp(term, "dumb") != 0;
}

/* The code point of a character of n bytes that cli_character() has found valid. */
static wchar_t character_code(const char *text, size_t n) {
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = (unsigned char)text[0] & masks[n];
    for (size_t i = 1; i < n; i++) code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return (wchar_t)code;
}

/* The C library knows the widths of all characters, in a locale with UTF-8. The program itself
 * stays in the locale "C". */
static unsigned character_width(const char *text, size_t n) {
    static locale_t utf8;
    if (n == 0 || (n == 1 && (unsigned char)text[0] < 0x7f)) return 1;
    if (!utf8) utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!utf8) return 1;
    locale_t before = uselocale(utf8);
    int width = wcwidth(character_code(text, n));
    uselocale(before);
    return width < 0 ? 1 : (unsigned)width;
}

/* Bytes of the next character, at least 1. `text` need not end with a zero. */
static size_t character_bytes(const char *text, size_t n) {
    char copy[5] = {0};
    memcpy(copy, text, n < 4 ? n : 4);
    size_t bytes = cli_character(copy);
    return bytes > 0 && bytes <= n ? bytes : 1;
}

unsigned terminal_width(const char *text, size_t n) {
    unsigned width = 0;
    for (size_t i = 0, bytes; i < n; i += bytes) {
        bytes = character_bytes(text + i, n - i);
        width += character_width(text + i, bytes);
    }
    return width;
}

size_t terminal_fit(const char *text, size_t n, unsigned columns) {
    unsigned width = 0;
    size_t at = 0;
    for (size_t bytes; at < n; at += bytes) {
        bytes = character_bytes(text + at, n - at);
        width += character_width(text + at, bytes);
        if (width > columns) break;
    }
    return at;
}
