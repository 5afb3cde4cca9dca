/* spmf.c - the format of the SPMF library: integers as in fimi.c, with names for them
 *
 *     @CONVERTED_FROM_TEXT
 *     @ITEM=1=apple          integer 1 is printed as apple
 *     # comment              lines that begin with # % or @ are not transactions
 *     1 3 4
 *
 * Names stand before the first transaction; @ lines further down are skipped like comments.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/fimi.h"

/* Tells the builder about "@ITEM=number=name"; other lines are ignored. */
static lode_status spmf_header_line(read_task *task, const char *line, size_t n) {
    static const char key[] = "@ITEM=";
    const size_t n_key = sizeof key - 1;
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r')) n--;
    if (n < n_key || memcmp(line, key, n_key) != 0) return LODE_OK;
    line += n_key;
    n -= n_key;
    const char *equals = memchr(line, '=', n);
    size_t n_number = equals ? (size_t)(equals - line) : n;
    if (!equals || n_number + 1 == n) return LODE_OK; /* no name: the number is the name */
    size_t n_name = n - n_number - 1, n_before;
    const char *before = builder_alias(task->builder, line, n_number, &n_before);
    bool other = before && (n_before != n_name || memcmp(before, equals + 1, n_name) != 0);
    if (other && read_is_later(task)) {
        return read_differs(task, "item %.*s is called '%.*s' in line %llu, and '%.*s' before",
                            (int)(n_number < 20 ? n_number : 20), line,
                            (int)(n_name < 40 ? n_name : 40), equals + 1,
                            (unsigned long long)input_lines_taken(task->in),
                            (int)(n_before < 40 ? n_before : 40), before);
    }
    return builder_rename(task->builder, line, n_number, equals + 1, n_name);
}

static lode_status spmf_prepare(read_task *task) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    bool complete;
    for (;;) {
        LODE_TRY(input_peek(task->in, 1, &text, &n, &complete));
        if (n == 0 || !fimi_is_comment(*text)) break;
        LODE_TRY(input_take_record(task->in, &text, &n));
        LODE_TRY(spmf_header_line(task, text, n));
    }
done:
    return status;
}

static lode_status spmf_parse(read_worker *w) {
    return fimi_lines(w, true);
}

const read_format read_spmf = {.name = "spmf",
                               .format = LODE_FORMAT_SPMF,
                               .parts = true,
                               .prepare = spmf_prepare,
                               .parse = spmf_parse};
