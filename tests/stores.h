/* stores.h - random results, in memory and as Arrow files, for the tests of stores
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_STORES_H
#define LODE_TESTS_STORES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "lode.h"
#include "results/arrow/arrow.h"

#define STORE_NAMES 24
#define STORE_LIST  6 /* items of a list, at most */
#define STORE_TOTAL 1000

/* Names of many forms, so that globs and regular expressions match only some of them. */
static const char *const store_names[STORE_NAMES] = {
    "ale",    "apple",   "beer",   "beer light", "bread",  "b|ar",  "butter", "cheese",
    "chips",  "cola",    "what?",  "eggs",       "flour",  "ham",   "jam",    "milk",
    "milk 2", "oranges", "p\"q\"", "rice",       "salt,x", "sugar", "tea",    "\xc3\xa4pfel"};

typedef struct store_row {
    int32_t lhs[STORE_LIST], rhs[STORE_LIST];
    uint32_t n_lhs, n_rhs;
    uint64_t both, lhs_count, rhs_count;
    double odd; /* anything: ties, NaN, infinities, -0 */
    double confidence;
    uint32_t small;
    char code[24]; /* of graphs */
} store_row;

typedef struct store_data {
    lode_pattern_kind kind;
    store_row *rows;
    uint32_t n;
    char path[64];
} store_data;

static inline double store_odd(rng *r) {
    static const double odd[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1, 1.5, -2, 1e300, 5e-324};
    uint64_t k = rng_below(r, 20);
    return k < 10 ? odd[k] : (double)rng_below(r, 1000) / 100 - 5;
}

/* Draws ascending, distinct codes. */
static inline uint32_t store_list(rng *r, int32_t *codes, uint32_t n) {
    bool in[STORE_NAMES] = {false};
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) in[rng_below(r, STORE_NAMES)] = true;
    for (int32_t c = 0; c < STORE_NAMES; c++) {
        if (in[c]) codes[k++] = c;
    }
    return k;
}

static inline void store_fill(store_row *row, rng *r) {
    row->n_lhs = store_list(r, row->lhs, 1 + (uint32_t)rng_below(r, STORE_LIST));
    row->n_rhs = store_list(r, row->rhs, 1 + (uint32_t)rng_below(r, 2));
    row->both = 1 + rng_below(r, 200);
    row->lhs_count = row->both + rng_below(r, 300);
    row->rhs_count = row->both + rng_below(r, 300);
    row->odd = store_odd(r);
    row->confidence = (double)row->both / (double)row->lhs_count;
    row->small = (uint32_t)rng_below(r, 4);
    snprintf(row->code, sizeof row->code, "(0,1,%c,x,%c)", (char)('A' + rng_below(r, 5)),
             (char)('A' + rng_below(r, 5)));
}

/* The cells of one batch; a kind uses some of the columns. */
typedef struct store_cells {
    int32_t lhs_at[4097], rhs_at[4097], code_at[4097];
    int32_t lhs[4096 * STORE_LIST], rhs[4096 * STORE_LIST];
    char code[4096 * 24];
    uint64_t both[4096], lhs_count[4096], rhs_count[4096];
    double odd[4096], confidence[4096], support[4096];
    uint32_t small[4096];
} store_cells;

static inline void store_put(store_cells *c, const store_row *row, uint32_t i) {
    memcpy(c->lhs + c->lhs_at[i], row->lhs, row->n_lhs * sizeof *row->lhs);
    memcpy(c->rhs + c->rhs_at[i], row->rhs, row->n_rhs * sizeof *row->rhs);
    memcpy(c->code + c->code_at[i], row->code, strlen(row->code));
    c->lhs_at[i + 1] = c->lhs_at[i] + (int32_t)row->n_lhs;
    c->rhs_at[i + 1] = c->rhs_at[i] + (int32_t)row->n_rhs;
    c->code_at[i + 1] = c->code_at[i] + (int32_t)strlen(row->code);
    c->both[i] = row->both;
    c->lhs_count[i] = row->lhs_count;
    c->rhs_count[i] = row->rhs_count;
    c->odd[i] = row->odd;
    c->confidence[i] = row->confidence;
    c->support[i] = (double)row->both / STORE_TOTAL;
    c->small[i] = row->small;
}

/* Fills in the columns of a kind, and where their cells are. Returns the number of columns. */
static inline uint32_t store_columns(lode_pattern_kind kind, const store_cells *c,
                                     arrow_column *columns, arrow_cells *cells) {
    uint32_t n = 0;
#define STORE_COLUMN(name, type, at, values)                                                       \
    (columns[n] = (arrow_column){name, type, 0}, cells[n++] = (arrow_cells){at, values, 0})
    if (kind == LODE_GRAPHS) {
        STORE_COLUMN("code", ARROW_TEXT, c->code_at, c->code);
        STORE_COLUMN("edges", ARROW_U32, NULL, c->small);
        STORE_COLUMN("count", ARROW_U64, NULL, c->both);
        STORE_COLUMN("support", ARROW_F64, NULL, c->support);
    } else if (kind == LODE_ITEMSETS) {
        STORE_COLUMN("items", ARROW_NAMES, c->lhs_at, c->lhs);
        STORE_COLUMN("count", ARROW_U64, NULL, c->both);
    } else {
        STORE_COLUMN("body", ARROW_NAMES, c->lhs_at, c->lhs);
        STORE_COLUMN("head", ARROW_NAMES, c->rhs_at, c->rhs);
        STORE_COLUMN("both", ARROW_U64, NULL, c->both);
        STORE_COLUMN("body_count", ARROW_U64, NULL, c->lhs_count);
        STORE_COLUMN("head_count", ARROW_U64, NULL, c->rhs_count);
        STORE_COLUMN("confidence", ARROW_F64, NULL, c->confidence);
    }
    STORE_COLUMN("odd", ARROW_F64, NULL, c->odd);
    STORE_COLUMN("small", ARROW_U32, NULL, c->small);
#undef STORE_COLUMN
    return n;
}

/* Unlike the files that lode writes, these are not synced to disk. */
static inline int store_write_bytes(void *file, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, file) != n;
}

static inline void store_must(lode_status status) {
    if (status == LODE_OK) return;
    fprintf(stderr, "a store could not be written: %s\n", lode_status_text(status));
    exit(2);
}

/* Writes the rows, in batches of at most `batch` rows. */
static inline void store_save(lode_job *job, const store_data *d, uint32_t batch,
                              const char *target) {
    static const char *const kinds[] = {"itemsets", "graphs", "rules"};
    uint64_t offsets[STORE_NAMES + 1] = {0};
    char text[512] = "";
    for (unsigned i = 0; i < STORE_NAMES; i++) {
        size_t n = strlen(store_names[i]);
        memcpy(text + offsets[i], store_names[i], n);
        offsets[i + 1] = offsets[i] + n;
    }
    arrow_dictionary names = {STORE_NAMES, offsets, text};
    arrow_key keys[] = {{"lode.kind", kinds[d->kind]}, {"lode.total", "1000"},
                        {"lode.min_count", "1"},       {"lode.target", target},
                        {"lode.complete", "true"},     {"lode.constrained", "false"}};
    arrow_column columns[16];
    arrow_cells cells[16];
    store_cells *c = calloc(1, sizeof *c);
    if (!c) exit(2);
    arrow_table table = {
        columns, store_columns(d->kind, c, columns, cells), &names, d->kind != LODE_GRAPHS, keys, 6,
        false};
    output to;
    arrow_writer *w = NULL;
    FILE *file = fopen(d->path, "wb");
    if (!file) exit(2);
    output_call(&to, job, store_write_bytes, file);
    store_must(arrow_write_begin(job, &to, &table, &w));
    for (uint32_t row = 0; row < d->n;) {
        uint32_t n = 0;
        for (; n < batch && row < d->n; n++, row++) store_put(c, &d->rows[row], n);
        store_must(arrow_write_batch(w, n, cells));
    }
    store_must(arrow_write_end(w, NULL, 0));
    arrow_write_free(w);
    store_must(output_finish(&to, false));
    output_discard(&to);
    if (fclose(file) != 0) exit(2);
    free(c);
}

static inline store_data store_make(lode_job *job, lode_pattern_kind kind, uint32_t n,
                                    uint32_t batch, rng *r) {
    static unsigned number;
    store_data d = {.kind = kind, .rows = calloc(n + 1, sizeof *d.rows), .n = n};
    if (!d.rows) exit(2);
    snprintf(d.path, sizeof d.path, "/tmp/lode-store-%ld-%u.arrow", (long)getpid(), number++);
    for (uint32_t i = 0; i < n; i++) store_fill(&d.rows[i], r);
    store_save(job, &d, batch, "closed");
    return d;
}

/* Turns a file into one without checksums, as older versions wrote, so that damage must be
 * detected, or survived, without them. */
static inline void store_forget_checksums(char *bytes, size_t size) {
    size_t n = strlen(ARROW_KEY_CHECKSUMS), found = 0;
    for (size_t at = 0; at + n < size; at++) {
        if (memcmp(bytes + at, ARROW_KEY_CHECKSUMS, n) != 0) continue;
        bytes[at + n - 1]++; /* an unknown key */
        found++;
    }
    if (found != 2) exit(2);
}

static inline void store_drop(store_data *d) {
    unlink(d->path);
    free(d->rows);
    d->rows = NULL;
}

/* The value of a row in a numeric column. */
static inline double store_value(const store_data *d, const store_row *r, const char *column) {
    if (strcmp(column, "count") == 0 || strcmp(column, "both") == 0) return (double)r->both;
    if (strcmp(column, "body_count") == 0) return (double)r->lhs_count;
    if (strcmp(column, "odd") == 0) return r->odd;
    if (strcmp(column, "small") == 0 || strcmp(column, "edges") == 0) return r->small;
    if (strcmp(column, "confidence") == 0) return r->confidence;
    if (strcmp(column, "support") == 0) return (double)r->both / STORE_TOTAL;
    if (strcmp(column, "lift") == 0) {
        return (double)r->both * STORE_TOTAL / ((double)r->lhs_count * (double)r->rhs_count);
    }
    return r->n_lhs + (d->kind == LODE_RULES ? r->n_rhs : 0); /* size */
}

#endif
