/* digits.h - numbers as text, four digits at a time
 *
 * Each function writes a number at `to` and returns its end. It may write up to three more bytes
 * after the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_DIGITS_H
#define LODE_WRITE_CORE_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_BILLION 1000000000u
#define DIGITS_RATIO   36 /* bytes that a ratio takes */

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

static inline uint32_t digits_four(uint64_t value) {
    uint16_t high, low;
    memcpy(&high, digit_pairs + value / 100 * 2, 2);
    memcpy(&low, digit_pairs + value % 100 * 2, 2);
    return high | (uint32_t)low << 16;
}

static inline char *digits_put_four(char *to, uint64_t value) {
    uint32_t digits = digits_four(value);
    memcpy(to, &digits, 4);
    return to + 4;
}

/* Writes a number below 10,000. */
static inline char *digits_put_short(char *to, uint64_t value) {
    unsigned zeros = (unsigned)(value < 1000) + (unsigned)(value < 100) + (unsigned)(value < 10);
    uint32_t digits = digits_four(value) >> 8 * zeros; /* little-endian: first digit lowest */
    memcpy(to, &digits, 4);
    return to + 4 - zeros;
}

/* Writes any number. The function is not inline, because most numbers are short. */
char *digits_put_long(char *to, uint64_t value);

static inline char *digits_put(char *to, uint64_t value) {
    return value < 10000 ? digits_put_short(to, value) : digits_put_long(to, value);
}

/* Writes part / whole as a decimal fraction, rounded to nine places, without trailing zeros. */
char *digits_put_ratio(char *to, uint64_t part, uint64_t whole);

#endif
