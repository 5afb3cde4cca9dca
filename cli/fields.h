/* fields.h - named values for machines: one list of fields, written as JSON or as plain lines
 *
 *     JSON   {"input":{"path":"a.csv","items":3},"times":[0.5,0.25]}
 *     TSV    input.path<TAB>a.csv          for scripts: grep, cut, awk, read
 *            input.items<TAB>3
 *            times.0<TAB>0.5 …
 *
 * Inside a list, keys are NULL. In TSV a tab, a line end and a backslash within a text are written
 * \t, \n and \\.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_FIELDS_H
#define LODE_CLI_FIELDS_H

#include "cli.h"

#define FIELDS_DEPTH 8

typedef struct fields {
    FILE *file;
    bool tsv;
    unsigned depth;
    struct {
        const char *key;
        bool list;
        unsigned n; /* fields written so far */
    } levels[FIELDS_DEPTH];
} fields;

/* Writes a whole object: begin, fields …, end. */
void fields_begin(fields *f, FILE *file, bool tsv);
void fields_end(fields *f);

void fields_open(fields *f, const char *key);
void fields_open_list(fields *f, const char *key);
void fields_close(fields *f);

void fields_text(fields *f, const char *key, const char *value);
void fields_count(fields *f, const char *key, uint64_t value);
void fields_real(fields *f, const char *key, double value);
void fields_seconds(fields *f, const char *key, double value);
void fields_flag(fields *f, const char *key, bool value);

#endif
