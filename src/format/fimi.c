/* fimi.c - one transaction a line: integers separated by blanks
 *
 *     1 3 4            an empty line is an empty transaction; a final newline starts none
 *     2 3 5            blanks are spaces and tabs; a CR before the LF is let pass
 *
 * This is the format of large benchmark data, so the loop over the digits is written for speed: it
 * needs no test for the end of the block (a newline follows it), numbers below the worker's n_counts
 * are stored and counted without a call, and everything rare leaves the loop.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/fimi.h"

/* Digits beyond these cannot be an integer that stands for itself. */
#define FIMI_DIGITS 7

static inline unsigned fimi_digit(const char *p) {
    return (unsigned)(unsigned char)*p - '0';
}

/* Pushes integers as long as they are small and canonical; returns where it stopped: at the first
 * byte of an integer that is not, or at what is neither digit nor blank. There must be room. */
static const char *fimi_push_small(builder_worker *w, const char *p) {
    uint32_t *to = w->items.data + w->items.n;
    uint32_t *counts = w->counts;
    uint32_t bound = (uint32_t)w->n_counts;
    uint64_t next = w->next;
    uint64_t unordered = w->unordered;
    for (;;) {
        const char *start = p;
        uint32_t number = fimi_digit(p);
        if (number > 9) {
            if (*p != ' ' && *p != '\t') break;
            p++;
            continue;
        }
        unsigned digit;
        while ((digit = fimi_digit(++p)) <= 9) number = number * 10 + digit;
        if (number >= bound || p - start > FIMI_DIGITS || (*start == '0' && p - start > 1)) {
            p = start;
            break;
        }
        *to++ = number;
        counts[number]++;
        unordered |= number < next;
        next = (uint64_t)number + 1;
    }
    w->items.n = (size_t)(to - w->items.data);
    w->next = next;
    w->unordered = unordered;
    return p;
}

static lode_status fimi_push_other(builder_worker *w, const char **p) {
    const char *start = *p;
    while (fimi_digit(*p) <= 9) ++*p;
    uint32_t code;
    lode_status status = worker_code(w, start, (size_t)(*p - start), &code);
    if (status == LODE_OK) worker_push(w, code);
    return status;
}

const char *fimi_line_end(const char *p) {
    while (*p != '\n') p++;
    return p;
}

lode_status fimi_line(read_worker *w, const char **p) {
    lode_status status = LODE_OK;
    for (;;) {
        *p = fimi_push_small(w->out, *p);
        if (fimi_digit(*p) > 9) break;
        LODE_TRY(fimi_push_other(w->out, p));
    }
    if (**p == '\r' && (*p)[1] == '\n') ++*p;
    if (**p == '\n') return worker_end_transaction(w->out);
    char byte[8];
    LODE_TRY(read_bad(w, *p,
                      "unexpected %s; expected an item number, a blank or the end of the line",
                      read_byte(byte, **p)));
    *p = fimi_line_end(*p);
done:
    return status;
}

static lode_status fimi_parse(read_worker *w) {
    lode_status status = LODE_OK;
    const char *p = w->block.text.data;
    const char *end = p + w->block.text.n;
    LODE_TRY(worker_reserve(w->out, w->block.text.n / 2 + 1));
    for (; p < end; p++) LODE_TRY(fimi_line(w, &p));
done:
    return status;
}

const read_format read_fimi = {
    .name = "fimi", .format = LODE_FORMAT_FIMI, .parts = true, .parse = fimi_parse};
