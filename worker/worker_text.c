/* worker_text.c - see worker_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker_text.h"

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

void worker_add_text(worker_text *t, const char *bytes, size_t n) {
    if (text_make_room(t, LODE_JSON_BYTES(n))) {
        t->n += lode_json_string(t->bytes + t->n, bytes, n, false);
    }
}

void worker_add_word(worker_text *t, const char *word) {
    worker_add_text(t, word, strlen(word));
}

void worker_add_real(worker_text *t, double value) {
    if (text_make_room(t, LODE_NUMBER_BYTES)) t->n += lode_json_number(t->bytes + t->n, value);
}

int worker_add_piece(void *user, const char *text, size_t bytes) {
    worker_text *t = user;
    while (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    worker_add(t, text, bytes);
    return t->lost ? -1 : 0;
}
