/* fuzz_sniff.c - any bytes, whatever they are taken for; also compressed ones
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    return fuzz_format(LODE_FORMAT_AUTO, bytes, n);
}
