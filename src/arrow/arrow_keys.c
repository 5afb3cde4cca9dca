/* arrow_keys.c - values of keys: see arrow.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "arrow/arrow.h"

const char *arrow_truth(bool value) {
    return value ? "true" : "false";
}

const char *arrow_target(lode_target target) {
    static const char *const words[] = {[LODE_TARGET_ALL] = "all",
                                        [LODE_TARGET_TOP] = "top",
                                        [LODE_TARGET_CLOSED] = "closed",
                                        [LODE_TARGET_MAXIMAL] = "maximal",
                                        [LODE_TARGET_GENERATORS] = "generators"};
    return words[target];
}

const char *arrow_number(char text[24], uint64_t number) {
    snprintf(text, 24, "%" PRIu64, number);
    return text;
}
