/* exact.c - see exact.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/measures/exact.h"

static int wide_zeros(exact_wide x) {
    uint64_t high = (uint64_t)(x >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

/* Long division: 64 bits of the quotient. The last bit is also set if there is a remainder. At
 * least 63 bits are significant, so the one rounding to 53 is that of the true quotient. */
double exact_long_ratio(exact_wide p, exact_wide q) {
    if (p == 0) return 0.0;
    int up_p = wide_zeros(p) - 1, up_q = wide_zeros(q) - 1;
    p <<= up_p;
    q <<= up_q;
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; bit++) {
        bool fits = p >= q;
        if (fits) p -= q;
        quotient = quotient << 1 | fits;
        p <<= 1;
    }
    quotient |= p != 0;
    return ldexp((double)quotient, up_q - up_p - 63);
}
