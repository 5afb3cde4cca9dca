/* checksum.h - a number by which a change of stored bytes is noticed
 *
 * What:  64 bits, the same on every machine: of accidental changes about one in 2^64 is missed. It
 *        is no protection against somebody who wants to change bytes.
 * How:   four lanes, each of which takes 32 bytes as two words and multiplies them (keyed_fold());
 *        about as fast as memory is read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_CHECKSUM_H
#define LODE_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_PIECE ((size_t)1 << 15)

/* Continues a checksum with more bytes; the first begins with 0, or anything that should be part of
 * it. Bytes may be divided among calls at multiples of CHECKSUM_PIECE; elsewhere it makes a
 * difference. */
uint64_t checksum_add(uint64_t sum, const void *bytes, size_t n);

#endif
