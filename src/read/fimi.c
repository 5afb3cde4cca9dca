/* fimi.c - one transaction per line: integers separated by blanks
 *
 *     1 3 4            an empty line is an empty transaction; a final newline starts none
 *     2 3 5            blanks are spaces and tabs; lines end as in line_ends.h
 *
 * This is the format of large benchmark data, so there are two ways to parse it. The usual text
 * (small integers, blanks, newlines) is parsed by one loop that makes no calls and does not test
 * for the end, because a newline follows every block; or, if the processor has AVX-512, by the loop
 * of fimi_avx512.c. When anything else comes, the loop stops, slower code handles it, and the loop
 * continues. A loop that finds the numbers by bit masks with SSE2, which every x86-64 has, took 0.5
 * to 2.3 times as long; it was slowest on data with lines of equal length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/fimi.h"

#include <stdlib.h>

#include "read/line_ends.h"

/* Integers of more digits are treated as names. */
#define FIMI_DIGITS 7

static unsigned fimi_value(char byte) {
    return (unsigned)(unsigned char)byte - '0';
}

/* Reads the digits at *p, with a branch for each: the numbers of a line are usually of equal
 * length, so the processor predicts these branches well. */
static inline uint32_t fimi_number(const char **p) {
    const char *at = *p;
    uint32_t number = fimi_value(at[0]);
    unsigned digit = fimi_value(at[1]);
    *p = at + 1;
    if (digit > 9) return number;
    if (number == 0) return UINT32_MAX; /* 007 is a name */
    number = number * 10 + digit;
    digit = fimi_value(at[2]);
    *p = at + 2;
    if (digit > 9) return number;
    number = number * 10 + digit;
    digit = fimi_value(at[3]);
    *p = at + 3;
    if (digit > 9) return number;
    for (at += 3; digit <= 9; digit = fimi_value(*++at)) {
        if (at - *p == FIMI_DIGITS - 3) return UINT32_MAX;
        number = number * 10 + digit;
    }
    *p = at;
    return number;
}

/* Pushes numbers and ends transactions until p is past a newline and at or after `end`, or at
 * something unusual: the first digit of a number that is not small and canonical, or a byte that is
 * neither digit nor blank nor newline. There must be room for everything. */
static const char *fimi_push_usual(builder_worker *w, const char *p, const char *end) {
    uint32_t *to = w->items.data + w->items.n;
    const size_t bound = w->n_counts;
    uint64_t next = w->next;
    uint64_t falls = w->falls;
    for (;;) {
        if (fimi_value(*p) <= 9) {
            const char *start = p;
            uint32_t number = fimi_number(&p);
            if (number >= bound) {
                p = start;
                break;
            }
            *to++ = number;
            falls += number < next;
            next = (uint64_t)number + 1;
        }
        if (*p == ' ') {
            p++;
        } else if (*p == '\n') {
            w->open = (size_t)(to - w->items.data);
            w->ends.data[w->ends.n++] = (uint32_t)w->open;
            next = 0;
            if (++p >= end) break;
        } else if (*p == '\t') {
            p++;
        } else {
            break;
        }
    }
    w->items.n = (size_t)(to - w->items.data);
    w->next = next;
    w->falls = falls;
    return p;
}

/* A number of any length and form. */
static lode_status fimi_push_any(builder_worker *w, const char **p) {
    const char *start = *p;
    while (fimi_value(**p) <= 9) ++*p;
    uint32_t code;
    lode_status status = worker_code(w, start, (size_t)(*p - start), &code);
    if (status == LODE_OK) worker_push(w, code);
    return status;
}

/* Handles a line that ends with CR. n_lines does not count it unless an LF follows, so room for the
 * end of its transaction is reserved here. */
static lode_status fimi_carriage_return(read_worker *w, const char **p, const char *end) {
    lode_status status = LODE_OK;
    builder_worker *out = w->out;
    size_t n = line_end_bytes(*p, end);
    *p += n;
    if (n == 1) {
        w->bare = true;
        LODE_TRY(vec_u32_reserve(out->mem, &out->ends, w->n_lines + 2));
    }
    status = worker_end_transaction(out);
done:
    return status;
}

static const char *fimi_next_line(read_worker *w, const char *p, const char *end) {
    p = line_find(p, end);
    if (p == end) return end;
    w->bare |= *p == '\r';
    return p + line_end_bytes(p, end);
}

/* Handles what stopped the loop. */
static lode_status fimi_unusual(read_worker *w, const char **p, bool comments) {
    const char *at = *p;
    const char *end = w->block.text.data + w->block.text.n;
    if (fimi_value(*at) <= 9) return fimi_push_any(w->out, p);
    if (*at == '\r') return fimi_carriage_return(w, p, end);
    bool starts_line = at == w->block.text.data || at[-1] == '\n' || at[-1] == '\r';
    *p = fimi_next_line(w, at, end);
    if (comments && starts_line && fimi_is_comment(*at)) return LODE_OK;
    char byte[8];
    bool mark = starts_line && fimi_is_comment(*at);
    const char *way = !comments && mark         ? "; if it is a comment, --skip-bad-lines skips it"
                      : !comments               ? "; for items that are words, use --format basket"
                      : w->file->found.odd_spmf ? "; line 1 begins with @, as in spmf files; for "
                                                  "items that are words, use --format basket"
                                                : "";
    return read_bad(w, at,
                    "unexpected %s; expected an item number, a space or the end of the line%s",
                    read_byte(byte, *at), way);
}

/* Whether this processor can run fimi_push_avx512(). */
static bool fimi_has_avx512(void) {
#if defined(__x86_64__)
    const char *forced = getenv("LODE_CPU");
    return (!forced || strcmp(forced, "avx512") == 0) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
#else
    return false;
#endif
}

/* Parses the worker's block; with `comments`, skips lines that are comments. */
static lode_status fimi_lines(read_worker *w, bool comments) {
    lode_status status = LODE_OK;
    builder_worker *out = w->out;
    const char *p = w->block.text.data;
    const char *end = p + w->block.text.n;
    const bool fast = fimi_has_avx512();
    LODE_TRY(worker_reserve(out, w->block.text.n / 2 + 1 + FIMI_ROOM));
    LODE_TRY(vec_u32_reserve(out->mem, &out->ends, w->n_lines + 1));
    while (p < end) {
#if defined(__x86_64__)
        if (fast) p = fimi_push_avx512(out, p, end);
#endif
        const char *stop = fast ? p + 1 : end; /* one line, then try the fast loop again */
        if (p < end) p = fimi_push_usual(out, p, stop);
        if (p < stop && p < end) LODE_TRY(fimi_unusual(w, &p, comments));
    }
    /* A number that is not small may end the block without a newline. */
    if (out->items.n > out->open) LODE_TRY(worker_end_transaction(out));
done:
    return status;
}

static lode_status fimi_parse(read_worker *w) {
    return fimi_lines(w, false);
}

const read_format read_fimi = {
    .name = "fimi", .format = LODE_FORMAT_FIMI, .parts = true, .parse = fimi_parse};

/* ---- the format of the SPMF library: integers as in fimi.c, with names for them -------------- */

/*     @CONVERTED_FROM_TEXT
 *     @ITEM=1=apple          integer 1 is printed as apple
 *     # comment              lines that begin with # % or @ are not transactions
 *     1 3 4
 *
 * Names stand before the first transaction; @ lines further down are skipped like comments. */

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
        return read_differs(task, "item %.*s is named '%.*s' in line %llu, but '%.*s' before",
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
