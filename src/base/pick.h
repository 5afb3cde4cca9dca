/* pick.h - picks the columns of a row whose bits are set in another: one loop, which every kernel
 * file includes and compiles for its instruction set
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_PICK_H
#define LODE_BASE_PICK_H

#include "base/bits.h"

/* bits_pick() for a whole row. The result is filled up to to_words with zeros, and must fit. */
static inline __attribute__((always_inline)) void
pick_loop(uint64_t *to, const uint64_t *row, const uint64_t *mask, size_t words, size_t to_words) {
    uint64_t open = 0; /* the next word, which has n bits so far */
    unsigned n = 0;
    size_t at = 0;
    for (size_t w = 0; w < words; w++) {
        if (mask[w] == 0) continue;
        uint64_t picked = bits_pick(row[w], mask[w]);
        unsigned n_word = (unsigned)bits_count(mask[w]);
        open |= picked << n;
        if (n + n_word < 64) {
            n += n_word;
            continue;
        }
        to[at++] = open;
        open = n == 0 ? 0 : picked >> (64 - n);
        n = n + n_word - 64;
    }
    if (n > 0) to[at++] = open;
    while (at < to_words) to[at++] = 0;
}

#endif
