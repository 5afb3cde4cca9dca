/* turn.h - transposes a 64 x 64 bit matrix: items of transactions to transactions of items, or back
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_TURN_H
#define LODE_ITEMSETS_ADAPTIVE_TURN_H

#include <stdint.h>

/* Bit j of word i becomes bit i of word j. */
static inline void turn_square(uint64_t square[64]) {
    uint64_t mask = 0x00000000ffffffff;
    for (unsigned step = 32; step != 0; step /= 2, mask ^= mask << step) {
        for (unsigned i = 0; i < 64; i = (i + step + 1) & ~step) {
            uint64_t swap = (square[i] >> step ^ square[i + step]) & mask;
            square[i] ^= swap << step;
            square[i + step] ^= swap;
        }
    }
}

#endif
