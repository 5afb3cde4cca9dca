/* ways.c - see ways.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/ways.h"

#include "base/bits.h"

uint64_t ways_choose(uint64_t n, uint64_t k) {
    unsigned __int128 choose = 1;
    if (k > n) return 0;
    uint64_t steps = k < n - k ? k : n - k;
    for (uint64_t j = 0; j < steps; j++) {
        choose = choose * (n - j) / (j + 1);
        if (choose > UINT64_MAX) return UINT64_MAX;
    }
    return (uint64_t)choose;
}

/* Items, without number `skip`, that are in none of these groups. */
static uint64_t ways_outside(const ways_item *items, uint32_t n, uint32_t skip,
                             const uint64_t groups[2]) {
    uint64_t outside = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool inside = items[i].in[0] & groups[0] || items[i].in[1] & groups[1];
        outside += i != skip && !inside;
    }
    return outside;
}

/* The groups of `open` whose places in it are set in `chosen`. */
static void ways_pick(const uint64_t open[2], uint32_t chosen, uint64_t out[2]) {
    uint32_t place = 0;
    out[0] = out[1] = 0;
    for (int word = 0; word < 2; word++) {
        for (uint64_t rest = open[word]; rest; rest &= rest - 1) {
            if (chosen >> place++ & 1) out[word] |= rest & (~rest + 1);
        }
    }
}

bool ways_count(const ways_item *items, uint32_t n, uint32_t skip, const uint64_t open[2],
                uint32_t j, uint64_t *out) {
    __int128 sum = 0;
    uint64_t n_open = bits_count(open[0]) + bits_count(open[1]);
    if (n_open > WAYS_MOST_GROUPS) return false;
    for (uint32_t chosen = 0; chosen < (uint32_t)1 << n_open; chosen++) {
        uint64_t groups[2];
        ways_pick(open, chosen, groups);
        uint64_t term = ways_choose(
            n_open > 0 ? ways_outside(items, n, skip, groups) : (uint64_t)n - (skip < n), j);
        if (term == UINT64_MAX) return false;
        sum += bits_count(chosen) % 2 ? -(__int128)term : (__int128)term;
    }
    *out = (uint64_t)sum;
    return sum <= UINT64_MAX;
}
