/* digits.c - see digits.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"

char *digits_put_long(char *to, uint64_t value) {
    return digits_put_four(digits_put(to, value / 10000), value % 10000);
}

/* part / whole in billionths, rounded. The small case is the usual one, and much faster. */
static uint64_t digits_billionths(uint64_t part, uint64_t whole) {
    if (part <= UINT32_MAX && whole <= UINT32_MAX) {
        return (part * DIGITS_BILLION + whole / 2) / whole;
    }
    return (uint64_t)(((unsigned __int128)part * DIGITS_BILLION + whole / 2) / whole);
}

char *digits_put_ratio(char *to, uint64_t part, uint64_t whole) {
    uint64_t scaled = whole ? digits_billionths(part, whole) : 0;
    uint64_t rest = scaled % DIGITS_BILLION;
    to = digits_put(to, scaled / DIGITS_BILLION);
    if (rest == 0) return to;
    *to++ = '.';
    *to++ = (char)('0' + rest / 100000000);
    to = digits_put_four(digits_put_four(to, rest / 10000 % 10000), rest % 10000);
    while (to[-1] == '0') to--;
    return to;
}
