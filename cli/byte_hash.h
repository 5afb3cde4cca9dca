/* byte_hash.h - a hash of bytes that arrive in pieces; the division into pieces does not matter
 *
 * The hash shows whether a file was changed after it was written. Computing it takes little time
 * compared with writing: one multiplication for eight bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_BYTE_HASH_H
#define LODE_CLI_BYTE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The state of a hash; all zero = no bytes so far. */
typedef struct byte_hash {
    uint64_t sum, bytes;   /* `bytes`: number of bytes so far */
    unsigned char rest[8]; /* the last bytes % 8 bytes, which are not in `sum` yet */
} byte_hash;

static inline uint64_t byte_hash_word(uint64_t sum, const void *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    return sum ^ sum >> 29;
}

static inline void byte_hash_add(byte_hash *h, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    size_t held = h->bytes % sizeof h->rest;
    h->bytes += n;
    if (held > 0) {
        size_t more = sizeof h->rest - held < n ? sizeof h->rest - held : n;
        memcpy(h->rest + held, from, more);
        if (held + more < sizeof h->rest) return;
        h->sum = byte_hash_word(h->sum, h->rest);
        from += more;
        n -= more;
    }
    for (; n >= sizeof h->rest; n -= sizeof h->rest, from += sizeof h->rest) {
        h->sum = byte_hash_word(h->sum, from);
    }
    memcpy(h->rest, from, n);
}

static inline uint64_t byte_hash_value(const byte_hash *h) {
    unsigned char rest[8] = {0};
    memcpy(rest, h->rest, h->bytes % sizeof h->rest);
    uint64_t sum = byte_hash_word(h->sum, rest);
    return byte_hash_word(sum, &h->bytes);
}

#endif
