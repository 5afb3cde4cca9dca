/* nearest.c - see nearest.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FAR          1000u
#define LEAST_PREFIX 3

/* The letters that count. Returns how many there are; 0 = none, or too many. */
static size_t nearest_letters(const char *word, char out[NEAREST_BYTES]) {
    size_t n = 0;
    for (; *word; word++) {
        char c = *word;
        if (c == '-' || c == '_') continue;
        if (n == NEAREST_BYTES) return 0;
        out[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return n;
}

static unsigned nearest_least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* The edit distance: letters missing, added, changed, and neighbours swapped. */
static unsigned nearest_edits(const char *a, size_t n, const char *b, size_t k) {
    unsigned rows[3][NEAREST_BYTES + 1];
    for (size_t j = 0; j <= k; j++) rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3];
        const unsigned *one = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= k; j++) {
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            unsigned changed = one[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = nearest_least(changed, 1 + nearest_least(one[j], now[j - 1]));
            if (swapped) now[j] = nearest_least(now[j], two[j - 2] + 1);
        }
    }
    return rows[n % 3][k];
}

static unsigned nearest_distance(const char *word, const char *name) {
    char a[NEAREST_BYTES], b[NEAREST_BYTES];
    size_t n = nearest_letters(word, a), k = nearest_letters(name, b);
    if (n == 0 || k == 0) return FAR;
    unsigned most = n <= 3 ? 1 : n <= 7 ? 2 : 3;
    if (n >= LEAST_PREFIX && n < k && memcmp(a, b, n) == 0) return most;
    unsigned d = nearest_edits(a, n, b, k);
    return d <= most && d < n ? d : FAR; /* with all letters changed it is another word */
}

const char *nearest_name(const char *word, const char *const *names, size_t n) {
    const char *best = NULL;
    unsigned found = FAR;
    for (size_t i = 0; i < n; i++) {
        unsigned d = nearest_distance(word, names[i]);
        if (d < found) {
            found = d;
            best = names[i];
        }
    }
    return best;
}

const char *nearest_hint(char hint[NEAREST_BYTES + 32], const char *word, const char *const *names,
                         size_t n) {
    const char *name = nearest_name(word, names, n);
    hint[0] = 0;
    if (name) snprintf(hint, NEAREST_BYTES + 32, "did you mean '%s'? ", name);
    return hint;
}
