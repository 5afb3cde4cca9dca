/* fuzz_fimi.c - any bytes as a fimi file
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    return fuzz_format(LODE_FORMAT_FIMI, bytes, n);
}
