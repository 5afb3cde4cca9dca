/* fields.c - see fields.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "fields.h"

/* File names are bytes: those that are no UTF-8 are taken for Latin-1, as in results. */
static void put_json_text(FILE *file, const char *text) {
    fputc('"', file);
    while (*text) {
        size_t n = cli_character(text);
        if (n == 0) {
            fprintf(file, "\\u%04x", (unsigned char)*text);
        } else {
            if (*text == '"' || *text == '\\') fputc('\\', file);
            fwrite(text, 1, n, file);
        }
        text += n ? n : 1;
    }
    fputc('"', file);
}

static void put_tsv_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '\t': fputs("\\t", file); break;
        case '\n': fputs("\\n", file); break;
        case '\\': fputs("\\\\", file); break;
        default: fputc(*text, file);
        }
    }
}

/* "patterns.by_size.0.count": an element of a list is named by its number. */
static void put_tsv_key(const fields *f, const char *key) {
    for (unsigned i = 0; i < f->depth; i++) {
        if (f->levels[i].key) fprintf(f->file, "%s.", f->levels[i].key);
        bool last = i + 1 == f->depth;
        if (f->levels[i].list) fprintf(f->file, last ? "%u" : "%u.", f->levels[i].n - 1);
    }
    fprintf(f->file, "%s\t", key ? key : "");
}

static void start(fields *f, const char *key) {
    unsigned n = f->levels[f->depth - 1].n++;
    if (f->tsv) return;
    if (n > 0) fputc(',', f->file);
    if (key) fprintf(f->file, "\"%s\":", key);
}

static void start_value(fields *f, const char *key) {
    start(f, key);
    if (f->tsv) put_tsv_key(f, key);
}

static void end_value(const fields *f) {
    if (f->tsv) fputc('\n', f->file);
}

static void open_level(fields *f, const char *key, bool list) {
    if (f->depth > 0) start(f, key);
    f->levels[f->depth].key = key;
    f->levels[f->depth].list = list;
    f->levels[f->depth++].n = 0;
    if (!f->tsv) fputc(list ? '[' : '{', f->file);
}

void fields_begin(fields *f, FILE *file, bool tsv) {
    *f = (fields){.file = file, .tsv = tsv};
    open_level(f, NULL, false);
}

void fields_end(fields *f) {
    fields_close(f);
    if (!f->tsv) fputc('\n', f->file);
}

void fields_open(fields *f, const char *key) {
    open_level(f, key, false);
}

void fields_open_list(fields *f, const char *key) {
    open_level(f, key, true);
}

void fields_close(fields *f) {
    bool list = f->levels[--f->depth].list;
    if (!f->tsv) fputc(list ? ']' : '}', f->file);
}

void fields_text(fields *f, const char *key, const char *value) {
    start_value(f, key);
    if (f->tsv) {
        put_tsv_text(f->file, value);
    } else {
        put_json_text(f->file, value);
    }
    end_value(f);
}

void fields_count(fields *f, const char *key, uint64_t value) {
    start_value(f, key);
    fprintf(f->file, "%llu", (unsigned long long)value);
    end_value(f);
}

void fields_real(fields *f, const char *key, double value) {
    start_value(f, key);
    fprintf(f->file, "%.6g", value);
    end_value(f);
}

void fields_seconds(fields *f, const char *key, double value) {
    start_value(f, key);
    fprintf(f->file, "%.6f", value);
    end_value(f);
}

void fields_flag(fields *f, const char *key, bool value) {
    start_value(f, key);
    fputs(value ? "true" : "false", f->file);
    end_value(f);
}
