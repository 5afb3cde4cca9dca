/* fuzz_basket.c - any bytes as a basket file
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    return fuzz_format(LODE_FORMAT_BASKET, bytes, n);
}
