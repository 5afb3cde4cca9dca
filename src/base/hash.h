/* hash.h - keyed hashes for names, and checksums for stored bytes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_HASH_H
#define LODE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* ---- hashes that an attacker cannot predict -------------------------------------------------- */

/* What:  a hash of bytes, or of a number, with a random key per process.
 * Why:   names come from untrusted data. With a known hash, an attacker could choose names that all
 *        collide, and filling a hash table with these names would take quadratic time.
 * Rules: use these hashes only for tables in memory. Output and numbering must not depend on the
 *        key, so that runs are reproducible.
 * How:   the two halves of each 16-byte block are combined with secret numbers and multiplied, and
 *        the two halves of the product are combined by xor. Without the secret numbers, nobody can
 *        predict the result. */

typedef struct keyed {
    uint64_t key[4];
} keyed;

/* Returns the key of this process. Any thread may call this function. */
const keyed *keyed_process(void);

/* Multiplies two numbers and returns the two halves of the product combined by xor. */
static inline uint64_t keyed_fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Reads n <= 8 bytes as a number. */
static inline uint64_t keyed_load(const unsigned char *from, size_t n) {
    uint64_t word = 0;
    __builtin_memcpy(&word, from, n);
    return word;
}

/* Reads the last 0 to 16 bytes as two words. The words may overlap, because the hash includes the
 * length. */
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

/* Returns the hash of n bytes. */
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

/* Returns the hash of a number. */
static inline uint64_t keyed_number(const keyed *k, uint64_t number) {
    return keyed_fold(keyed_fold(number ^ k->key[0], k->key[1]) ^ k->key[2], k->key[3]);
}

/* ---- a checksum that detects changes of stored bytes ----------------------------------------- */

/* What:  a 64-bit checksum, the same on every machine. It misses about one in 2^64 accidental
 *        changes, and does not protect against deliberate ones.
 * How:   the checksum has four independent parts, which keyed_fold() combines with the input, two
 *        words at a time. Computing it is about as fast as reading memory. */

#define CHECKSUM_PIECE ((size_t)1 << 15)

/* Adds n bytes to a checksum and returns the new checksum. Begin with a `sum` of 0, or with any
 * value that the checksum should include. Data may be divided among several calls only at multiples
 * of CHECKSUM_PIECE bytes; a division elsewhere changes the result. */
uint64_t checksum_add(uint64_t sum, const void *bytes, size_t n);

#endif
