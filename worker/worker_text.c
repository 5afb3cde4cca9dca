/* worker_text.c - see worker_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void worker_text_free(worker_text *t) {
    free(t->bytes);
    *t = (worker_text){0};
}

static bool text_make_room(worker_text *t, size_t more) {
    if (t->lost) return false;
    if (t->room - t->n > more) return true;
    size_t room = t->room + t->room / 2 + more + 256;
    char *bytes = room > more ? realloc(t->bytes, room) : NULL;
    t->lost = !bytes;
    if (!bytes) return false;
    t->bytes = bytes;
    t->room = room;
    return true;
}

void worker_add(worker_text *t, const char *bytes, size_t n) {
    if (n == 0 || !text_make_room(t, n)) return;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

void worker_addf(worker_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0 && text_make_room(t, (size_t)n + 1)) {
        vsnprintf(t->bytes + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

size_t worker_character(const char *text, size_t n) {
    const unsigned char *c = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (n == 0) return 0;
    if (c[0] < 0x80) return 1;
    size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4 || length > n) return 0;
    uint32_t code = c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (c[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

/* One character of a JSON text, which is a byte of Latin-1 if `length` is 0. */
static void text_add_character(worker_text *t, const char *c, size_t length) {
    unsigned char byte = (unsigned char)*c;
    if (length == 0) {
        char two[2] = {(char)(0xc0 | byte >> 6), (char)(0x80 | (byte & 0x3f))};
        worker_add(t, two, 2);
    } else if (byte == '"' || byte == '\\') {
        worker_addf(t, "\\%c", byte);
    } else if (byte == '\n' || byte == '\t' || byte == '\r') {
        worker_addf(t, "\\%c", byte == '\n' ? 'n' : byte == '\t' ? 't' : 'r');
    } else if (byte < 0x20 || byte == 0x7f) {
        worker_addf(t, "\\u%04x", byte);
    } else {
        worker_add(t, c, length);
    }
}

void worker_add_text(worker_text *t, const char *bytes, size_t n) {
    worker_add(t, "\"", 1);
    for (size_t i = 0; i < n;) {
        size_t plain = i;
        while (plain < n && bytes[plain] >= ' ' && bytes[plain] < 0x7f && bytes[plain] != '"' &&
               bytes[plain] != '\\') {
            plain++;
        }
        worker_add(t, bytes + i, plain - i);
        i = plain;
        if (i == n) break;
        size_t length = worker_character(bytes + i, n - i);
        text_add_character(t, bytes + i, length);
        i += length ? length : 1;
    }
    worker_add(t, "\"", 1);
}

void worker_add_word(worker_text *t, const char *word) {
    worker_add_text(t, word, strlen(word));
}

void worker_add_real(worker_text *t, double value) {
    if (isnan(value)) {
        worker_addf(t, "null");
    } else if (isinf(value)) {
        worker_addf(t, "%s", value > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        worker_addf(t, "%.10g", value);
    }
}

int worker_add_piece(void *user, const char *text, size_t bytes) {
    worker_text *t = user;
    while (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    worker_add(t, text, bytes);
    return t->lost ? -1 : 0;
}
