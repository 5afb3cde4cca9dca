/* arrow_tables.h - Arrow streams made of text, for tests
 *
 *     const arrow_cells_text columns[] = {{"order", "i", "1 1 2"}, {"item", "u", "milk bread ~"}};
 *     struct ArrowArrayStream s = arrow_stream(columns, 2, 2);       two rows in each batch
 *
 * Cells are separated by blanks; ~ is a null; the elements of a list are joined by +, and [] is an
 * empty list. A format after @ is that of a dictionary's index: "u@i". A stream counts what is
 * released in arrow_left, which is 0 when everything was.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_ARROW_TABLES_H
#define LODE_TESTS_ARROW_TABLES_H

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "lode.h"

#define ARROW_CELLS 64 /* most cells of a column, and elements of a batch */

typedef struct arrow_cells_text {
    const char *name, *format, *cells;
} arrow_cells_text;

static _Atomic int arrow_left; /* objects that were not released yet */

typedef struct arrow_stream_state {
    const arrow_cells_text *columns;
    size_t n_columns, batch, at, n_rows;
    int fail_at; /* get_next() fails for this batch, counted from 1; 0 = never */
    void (*spoil)(struct ArrowArray *, struct ArrowSchema *); /* damages each batch; or NULL */
} arrow_stream_state;

static void arrow_release_schema(struct ArrowSchema *s) {
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    if (s->dictionary) {
        s->dictionary->release(s->dictionary);
        free(s->dictionary);
    }
    free(s->children);
    free(s->private_data);
    s->release = NULL;
    arrow_left--;
}

static void arrow_release_array(struct ArrowArray *a) {
    int64_t n_children = (int64_t)((size_t *)a->private_data)[0];
    int64_t n_buffers = (int64_t)((size_t *)a->private_data)[1];
    void **buffers = ((void **)a->private_data) + 2; /* as allocated, whatever a test has changed */
    for (int64_t i = 0; i < n_buffers; i++) free(buffers[i]);
    struct ArrowArray **children = ((struct ArrowArray ***)a->private_data)[10];
    for (int64_t i = 0; i < n_children; i++) {
        if (children[i]->release) children[i]->release(children[i]);
        free(children[i]);
    }
    struct ArrowArray *dictionary = ((struct ArrowArray **)a->private_data)[11];
    if (dictionary) dictionary->release(dictionary);
    free(dictionary);
    free(children);
    free((void *)a->buffers);
    free(a->private_data);
    a->release = NULL;
    arrow_left--;
}

static struct ArrowSchema *arrow_schema(const char *format, const char *name, int64_t n_children) {
    struct ArrowSchema *s = calloc(1, sizeof *s);
    char *text = malloc(strlen(format) + strlen(name) + 2);
    memcpy(text, format, strlen(format) + 1);
    memcpy(text + strlen(format) + 1, name, strlen(name) + 1);
    *s = (struct ArrowSchema){
        .format = text, .name = text + strlen(format) + 1, .n_children = n_children};
    s->private_data = text;
    s->children = n_children ? calloc((size_t)n_children, sizeof *s->children) : NULL;
    s->release = arrow_release_schema;
    arrow_left++;
    return s;
}

/* "+l:u@i" is a list of strings in a dictionary. */
static struct ArrowSchema *arrow_schema_of(const char *format, const char *name) {
    char values[32];
    const char *code = strchr(format, '@');
    if (format[0] == '+' && (format[1] == 'l' || format[1] == 'L') && format[2] == ':') {
        char outer[3] = {'+', format[1], 0};
        struct ArrowSchema *s = arrow_schema(outer, name, 1);
        s->children[0] = arrow_schema_of(format + 3, "item");
        return s;
    }
    if (!code) return arrow_schema(format, name, 0);
    snprintf(values, sizeof values, "%.*s", (int)(code - format), format);
    struct ArrowSchema *s = arrow_schema(code + 1, name, 0);
    s->dictionary = arrow_schema_of(values, "");
    return s;
}

/* Makes an array; its buffers are taken over. */
static struct ArrowArray *arrow_array(int64_t length, int64_t n_buffers, int64_t n_children) {
    struct ArrowArray *a = calloc(1, sizeof *a);
    *a = (struct ArrowArray){
        .length = length, .null_count = -1, .n_buffers = n_buffers, .n_children = n_children};
    a->buffers = calloc((size_t)n_buffers + 1, sizeof *a->buffers);
    a->children = n_children ? calloc((size_t)n_children, sizeof *a->children) : NULL;
    a->private_data = calloc(12, sizeof(void *));
    a->release = arrow_release_array;
    arrow_left++;
    return a;
}

/* Notes what the release frees. */
static struct ArrowArray *arrow_seal(struct ArrowArray *a) {
    void **own = a->private_data;
    ((size_t *)a->private_data)[0] = (size_t)a->n_children;
    ((size_t *)a->private_data)[1] = (size_t)a->n_buffers;
    for (int64_t i = 0; i < a->n_buffers; i++) own[2 + i] = (void *)(uintptr_t)a->buffers[i];
    own[10] = a->children;
    own[11] = a->dictionary;
    return a;
}

typedef struct arrow_words {
    char text[ARROW_CELLS][40];
    size_t n;
} arrow_words;

static arrow_words arrow_split(const char *text, const char *by) {
    arrow_words words = {.n = 0};
    while (*text && words.n < ARROW_CELLS) {
        size_t n = strcspn(text, by);
        snprintf(words.text[words.n++], sizeof words.text[0], "%.*s", (int)n, text);
        text += n + (text[n] != 0);
    }
    return words;
}

static unsigned arrow_width(const char *format) {
    const char *const widths[] = {"", "cC", "sS", "", "iIf", "", "", "", "lLg"};
    if (strcmp(format, "tdD") == 0) return 4;
    if (format[0] == 't') return 8;
    if (format[0] == 'd') return strstr(format, ",32") ? 4 : strstr(format, ",64") ? 8 : 16;
    for (unsigned i = 1; i <= 8; i++) {
        if (strchr(widths[i], format[0])) return i;
    }
    return 0;
}

static void arrow_put_number(const char *format, unsigned width, const char *word, char *at) {
    long long whole = strtoll(word, NULL, 10);
    if (format[0] == 'L') whole = (long long)strtoull(word, NULL, 10);
    double real = strtod(word, NULL);
    float narrow = (float)real;
    long long wide[2] = {whole, whole < 0 ? -1 : 0};
    const void *from = format[0] == 'g'   ? (const void *)&real
                       : format[0] == 'f' ? (const void *)&narrow
                                          : (const void *)wide;
    memcpy(at, from, width);
}

static struct ArrowArray *arrow_array_of(const char *format, const arrow_words *words, size_t from,
                                         size_t n);

static struct ArrowArray *arrow_coded(const char *format, const char *code,
                                      const arrow_words *words, size_t from, size_t n) {
    char values[32];
    arrow_words entries = {.n = 1}; /* the first entry is never used */
    struct ArrowArray *a = arrow_array((int64_t)n, 2, 0);
    unsigned width = arrow_width(code + 1);
    unsigned char *valid = calloc(1, n / 8 + 1);
    char *codes = calloc(n + 1, width);
    memcpy(entries.text[0], "9", 2);
    for (size_t i = 0; i < n; i++) {
        size_t k = 1;
        if (strcmp(words->text[from + i], "~") == 0) continue;
        valid[i / 8] |= (unsigned char)(1 << i % 8);
        while (k < entries.n && strcmp(entries.text[k], words->text[from + i]) != 0) k++;
        if (k == entries.n)
            memcpy(entries.text[entries.n++], words->text[from + i], sizeof words->text[from + i]);
        memcpy(codes + i * width, &k, width);
    }
    snprintf(values, sizeof values, "%.*s", (int)(code - format), format);
    a->buffers[0] = valid;
    a->buffers[1] = codes;
    a->dictionary = arrow_array_of(values, &entries, 0, entries.n);
    return arrow_seal(a);
}

static struct ArrowArray *arrow_listed(const char *format, const arrow_words *words, size_t from,
                                       size_t n) {
    arrow_words all = {.n = 0};
    struct ArrowArray *a = arrow_array((int64_t)n, 2, 1);
    unsigned char *valid = calloc(1, n / 8 + 1);
    unsigned width = format[1] == 'l' ? 4 : 8;
    char *offsets = calloc(n + 1, width);
    for (size_t i = 0; i < n; i++) {
        arrow_words some = arrow_split(words->text[from + i], "+");
        bool null = strcmp(words->text[from + i], "~") == 0;
        if (!null) valid[i / 8] |= (unsigned char)(1 << i % 8);
        if (null || strcmp(words->text[from + i], "[]") == 0) some.n = 0;
        for (size_t k = 0; k < some.n; k++)
            memcpy(all.text[all.n++], some.text[k], sizeof some.text[k]);
        memcpy(offsets + (i + 1) * width, &all.n, width);
    }
    a->buffers[0] = valid;
    a->buffers[1] = offsets;
    a->children[0] = arrow_array_of(format + 3, &all, 0, all.n);
    return arrow_seal(a);
}

/* Texts: with offsets, or as views, of which the long ones are in two buffers. */
static struct ArrowArray *arrow_texts(const char *format, const arrow_words *words, size_t from,
                                      size_t n) {
    bool views = format[0] == 'v';
    struct ArrowArray *a = arrow_array((int64_t)n, views ? 5 : 3, 0);
    unsigned width = views ? 16 : format[0] == 'u' ? 4 : 8;
    unsigned char *valid = calloc(1, n / 8 + 1);
    char *at = calloc(n + 1, width);
    char *text[2] = {calloc(n + 1, 40), calloc(n + 1, 40)};
    size_t used[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const char *word = words->text[from + i];
        bool null = strcmp(word, "~") == 0;
        int length = null ? 0 : (int)strlen(word), which = views && length > 15;
        if (strcmp(word, "''") == 0) length = 0;
        if (!null) valid[i / 8] |= (unsigned char)(1 << i % 8);
        int view[4] = {length, 0, which, (int)used[which]};
        if (length <= 12) memcpy(view + 1, word, (size_t)length);
        memcpy(text[which] + used[which], word, (size_t)length);
        used[which] += (size_t)length;
        memcpy(views ? at + i * 16 : at + (i + 1) * width, views ? (void *)view : (void *)used,
               width);
    }
    a->buffers[0] = valid;
    a->buffers[1] = at;
    a->buffers[2] = text[0];
    if (!views) free(text[1]);
    if (views) a->buffers[3] = text[1];
    long long *sizes = views ? calloc(2, sizeof *sizes) : NULL;
    for (int i = 0; views && i < 2; i++) sizes[i] = (long long)used[i];
    if (views) a->buffers[4] = sizes;
    return arrow_seal(a);
}

static struct ArrowArray *arrow_array_of(const char *format, const arrow_words *words, size_t from,
                                         size_t n) {
    const char *code = strchr(format, '@');
    if (format[0] == '+' && format[2] == ':') return arrow_listed(format, words, from, n);
    if (code) return arrow_coded(format, code, words, from, n);
    if (strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "vu") == 0) {
        return arrow_texts(format, words, from, n);
    }
    unsigned width = arrow_width(format);
    struct ArrowArray *a = arrow_array((int64_t)n, strcmp(format, "n") == 0 ? 0 : 2, 0);
    if (a->n_buffers == 0) return arrow_seal(a);
    unsigned char *valid = calloc(1, n / 8 + 1);
    char *values = calloc(n + 1, width ? width : 1);
    for (size_t i = 0; i < n; i++) {
        const char *word = words->text[from + i];
        if (strcmp(word, "~") == 0) continue;
        valid[i / 8] |= (unsigned char)(1 << i % 8);
        if (format[0] == 'b') values[i / 8] |= (char)((*word == 't') << i % 8);
        if (width) arrow_put_number(format, width, word, values + i * width);
    }
    a->buffers[0] = valid;
    a->buffers[1] = values;
    return arrow_seal(a);
}

/* ---- the stream ---- */

static int arrow_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const arrow_stream_state *state = stream->private_data;
    struct ArrowSchema *s = arrow_schema("+s", "", (int64_t)state->n_columns);
    for (size_t i = 0; i < state->n_columns; i++) {
        s->children[i] = arrow_schema_of(state->columns[i].format, state->columns[i].name);
    }
    if (state->spoil) state->spoil(NULL, s);
    *out = *s;
    free(s);
    return 0;
}

static int arrow_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    arrow_stream_state *state = stream->private_data;
    size_t n = state->n_rows - state->at;
    *out = (struct ArrowArray){.release = NULL};
    if (state->fail_at > 0 && --state->fail_at == 0) return EIO;
    if (n == 0) return 0;
    if (n > state->batch) n = state->batch;
    struct ArrowArray *a = arrow_array((int64_t)n, 1, (int64_t)state->n_columns);
    for (size_t i = 0; i < state->n_columns; i++) {
        arrow_words words = arrow_split(state->columns[i].cells, " ");
        CHECK_EQUAL(words.n, state->n_rows);
        a->children[i] = arrow_array_of(state->columns[i].format, &words, state->at, n);
    }
    state->at += n;
    *out = *arrow_seal(a);
    if (state->spoil) state->spoil(out, NULL);
    free(a);
    return 0;
}

static const char *arrow_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the cable was cut";
}

static void arrow_release_stream(struct ArrowArrayStream *stream) {
    free(stream->private_data);
    stream->release = NULL;
    arrow_left--;
}

static struct ArrowArrayStream arrow_stream(const arrow_cells_text *columns, size_t n,
                                            size_t batch) {
    arrow_stream_state *state = calloc(1, sizeof *state);
    *state = (arrow_stream_state){.columns = columns, .n_columns = n, .batch = batch};
    state->n_rows = n > 0 ? arrow_split(columns[0].cells, " ").n : 0;
    arrow_left++;
    return (struct ArrowArrayStream){arrow_get_schema, arrow_get_next, arrow_last_error,
                                     arrow_release_stream, state};
}

#endif
