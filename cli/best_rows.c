/* best_rows.c - see best_rows.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "best_rows.h"

#include <stdlib.h>
#include <string.h>

/* The library sorts results of up to 10,000 patterns. The rows kept are more than that, so equal
 * rows of such a result stay in its order. */
#define ROWS_LEAST 16384

#define BYTES_MOST ((size_t)64 << 20) /* with more, only the wanted rows are kept */

/* ---- the order ------------------------------------------------------------------------------ */

/* Compares texts; numbers in them by value. So equal rows have the same order in each run. */
static int compare_texts(const char *a, const char *b) {
    static const char digits[] = "0123456789";
    while (*a && *b) {
        size_t n = strspn(a, digits), m = strspn(b, digits);
        if (n > 0 && m > 0) {
            int differs = n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
            if (differs) return differs;
            a += n;
            b += m;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (int)(unsigned char)*a - (int)(unsigned char)*b;
}

/* Negative: row `a` comes first. */
static int compare_values(const best_row *a, const best_row *b) {
    if (a->first != b->first) return a->first > b->first ? -1 : 1;
    if (a->second != b->second) return a->second > b->second ? -1 : 1;
    return 0;
}

static int compare_rows(const void *one, const void *other) {
    const best_row *a = one, *b = other;
    int differs = compare_values(a, b);
    return differs ? differs : compare_texts(a->line, b->line);
}

static int compare_arrivals(const void *one, const void *other) {
    const best_row *a = one, *b = other;
    return a->arrived < b->arrived ? -1 : a->arrived > b->arrived;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static size_t rows_most(const best_rows *b) {
    if (b->order == PATTERNS_AS_GIVEN) return b->wanted;
    return 2 * b->wanted > ROWS_LEAST ? 2 * b->wanted : ROWS_LEAST;
}

static void rows_cut(best_rows *b) {
    for (; b->n > b->wanted; b->n--) {
        b->bytes -= strlen(b->rows[b->n - 1].line) + 1;
        free(b->rows[b->n - 1].line);
    }
}

/* Reads the values that rows are sorted by. */
static void read_values(const best_rows *b, const char *line, best_row *row) {
    const char *at = line;
    json_value value;
    double body = 0;
    while (b->order != PATTERNS_AS_GIVEN && json_next(&at, &value)) {
        if (json_is(&value, "count")) json_number(&value, &row->first);
        if (json_is(&value, "body_count")) json_number(&value, &body);
    }
    if (b->order != PATTERNS_BY_CONFIDENCE || body <= 0) return;
    row->second = row->first;
    row->first /= body;
}

static bool rows_room(best_rows *b) {
    size_t most = rows_most(b);
    if (b->n == most || (b->bytes > BYTES_MOST && b->n > b->wanted)) {
        qsort(b->rows, b->n, sizeof *b->rows, compare_rows);
        rows_cut(b);
        b->worst = b->rows[b->n - 1];
        b->has_cut = true;
    }
    if (b->n < b->cap) return true;
    size_t cap = b->cap ? 2 * b->cap : 64;
    best_row *grown = realloc(b->rows, (cap < most ? cap : most) * sizeof *grown);
    if (!grown) return false;
    b->rows = grown;
    b->cap = cap < most ? cap : most;
    return true;
}

bool best_rows_add(best_rows *b, const char *line, size_t n) {
    best_row row = {.arrived = b->received++};
    if (b->order == PATTERNS_AS_GIVEN && b->n == b->wanted) return true;
    read_values(b, line, &row);
    if (row.arrived == 0) b->in_order = true;
    if (row.arrived > 0 && compare_values(&b->last, &row) > 0) b->in_order = false;
    b->last = row;
    if (b->has_cut && compare_values(&b->worst, &row) < 0) return true;
    if (!rows_room(b)) return false;
    row.line = malloc(n + 1);
    if (!row.line) return false;
    memcpy(row.line, line, n + 1);
    b->bytes += n + 1;
    b->rows[b->n++] = row;
    return true;
}

int best_rows_write(void *rows, const char *text, size_t bytes) {
    best_rows *b = rows;
    const char *end = text + bytes;
    for (const char *next; text < end; text = next) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        next = line_end ? line_end + 1 : end;
        if (!growing_append(&b->rest, text, (size_t)((line_end ? line_end : end) - text)))
            return -1;
        if (!line_end) continue;
        if (!growing_append(&b->rest, "", 1)) return -1;
        if (!best_rows_add(b, b->rest.data, b->rest.n - 1)) return -1;
        b->rest.n = 0;
    }
    return 0;
}

void best_rows_finish(best_rows *b) {
    bool as_given = b->order == PATTERNS_AS_GIVEN || (b->in_order && !b->has_cut);
    if (b->n > 1) {
        qsort(b->rows, b->n, sizeof *b->rows, as_given ? compare_arrivals : compare_rows);
    }
    rows_cut(b);
}

void best_rows_free(best_rows *b) {
    for (size_t i = 0; i < b->n; i++) free(b->rows[i].line);
    free(b->rows);
    growing_free(&b->rest);
    *b = (best_rows){0};
}
