/* fuzz_onehot.c - any bytes as a onehot file
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    return fuzz_format(LODE_FORMAT_ONEHOT, bytes, n);
}
