/* fimi.c - one transaction a line: integers separated by blanks
 *
 *     1 3 4            an empty line is an empty transaction; a final newline starts none
 *     2 3 5            blanks are spaces and tabs; lines end as in line_ends.h
 *
 * This is the format of large benchmark data, so there are two ways to parse it. The usual text -
 * small integers, blanks, newlines - goes through one loop that makes no calls and does not test
 * for the end (a newline follows every block); or, if the processor can, through that of
 * fimi_avx512.c. Anything else stops the loop, is handled by slower code, and the loop goes on.
 * A loop that finds the numbers by masks of SSE2, which every x86-64 has, took 0.5 to 2.3 times as
 * long: worst on data of equally long lines.
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

/* Reads the digits at *p, with a branch for each: the numbers of a line tend to be equally long, so
 * the processor predicts these branches well. */
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

/* A line that ends with CR. If no LF follows, n_lines has not counted the line, so room for the end
 * of its transaction is reserved here. */
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
    const char *way = !comments                 ? "; for words: --format basket"
                      : w->file->found.odd_spmf ? "; line 1 begins with @, as in spmf files; for "
                                                  "words: --format basket"
                                                : "";
    return read_bad(w, at,
                    "unexpected %s; expected an item number, a blank or the end of the line%s",
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

lode_status fimi_lines(read_worker *w, bool comments) {
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
