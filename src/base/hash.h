/* hash.h - keyed hashes for names, and checksums for stored bytes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_HASH_H
#define LODE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* ---- hashes that nobody outside can predict -------------------------------------------------- */

/* What:  a hash of bytes, or of a number, with a random key per process.
 * Why:   names come from untrusted data. With a known hash, an attacker could choose names that all
 *        collide, and a table of them would take quadratic time.
 * Rules: only for in-memory tables. Output and numbering never depend on the key, so that runs are
 *        reproducible.
 * How:   the two halves of each 16-byte block are combined with secret numbers and multiplied, and
 *        the halves of the product are folded. Without the secret, the result is unpredictable. */

typedef struct keyed {
    uint64_t key[4];
} keyed;

/* The key of this process. Any thread. */
const keyed *keyed_process(void);

/* The two halves of a product, combined by xor. */
static inline uint64_t keyed_fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t keyed_load(const unsigned char *from, size_t n) {
    uint64_t word = 0;
    __builtin_memcpy(&word, from, n);
    return word;
}

/* The last 0 to 16 bytes as two words, which may overlap; the hash includes the length. */
static inline void keyed_tail(const unsigned char *p, size_t n, uint64_t *a, uint64_t *b) {
    if (n >= 8) {
        *a = keyed_load(p, 8);
        *b = keyed_load(p + n - 8, 8);
    } else if (n >= 4) {
        *a = keyed_load(p, 4);
        *b = keyed_load(p + n - 4, 4);
    } else {
        *a = n > 0 ? (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1] : 0;
        *b = 0;
    }
}

static inline uint64_t keyed_bytes(const keyed *k, const void *bytes, size_t n) {
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t hash = k->key[2], length = n, a, b;
    for (; n > 16; n -= 16, p += 16) {
        hash = keyed_fold(keyed_load(p, 8) ^ k->key[0] ^ hash, keyed_load(p + 8, 8) ^ k->key[1]);
    }
    keyed_tail(p, n, &a, &b);
    hash = keyed_fold(a ^ k->key[0] ^ hash, b ^ k->key[1]);
    return keyed_fold(hash ^ k->key[2] ^ length, k->key[3]);
}

static inline uint64_t keyed_number(const keyed *k, uint64_t number) {
    return keyed_fold(keyed_fold(number ^ k->key[0], k->key[1]) ^ k->key[2], k->key[3]);
}

/* ---- a number by which a change of stored bytes is noticed ----------------------------------- */

/* What:  a 64-bit checksum, the same on every machine. It misses about one in 2^64 accidental
 *        changes, and does not protect against deliberate ones.
 * How:   four lanes, each of which takes 32 bytes as two words and multiplies them (keyed_fold());
 *        about as fast as memory can be read. */

#define CHECKSUM_PIECE ((size_t)1 << 15)

/* Continues a checksum with more bytes. Begin with 0, or with any value that should be part of the
 * checksum. Calls may only be split at multiples of CHECKSUM_PIECE bytes; other splits change the
 * result. */
uint64_t checksum_add(uint64_t sum, const void *bytes, size_t n);

#endif
