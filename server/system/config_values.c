/* config_values.c - values of options
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "system/config.h"

bool config_parse_count(const char *word, uint64_t least, uint64_t most, uint64_t *out) {
    size_t n = strspn(word, "0123456789");
    if (n == 0 || n > 18 || word[n]) return false;
    *out = strtoull(word, NULL, 10);
    return *out >= least && *out <= most;
}

bool config_parse_bytes(const char *word, uint64_t *out) {
    static const char units[] = "KMGT";
    char digits[20];
    size_t n = strspn(word, "0123456789");
    if (n == 0 || n >= sizeof digits) return false;
    memcpy(digits, word, n);
    digits[n] = '\0';
    if (!config_parse_count(digits, 1, UINT64_MAX, out)) return false;
    if (!word[n]) return true;
    const char *unit = strchr(units, word[n] & ~0x20);
    if (!unit || word[n + 1]) return false;
    unsigned shift = 10 * (unsigned)(unit - units + 1);
    if (*out > UINT64_MAX >> shift) return false;
    *out <<= shift;
    return true;
}

bool config_parse_days(const char *word, double *out) {
    char *end;
    if (*word < '0' || *word > '9') return false;
    errno = 0;
    *out = strtod(word, &end);
    return !*end && errno == 0 && isfinite(*out) && *out > 0 && *out <= 36500;
}
