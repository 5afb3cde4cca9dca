/* numbers.c - numbers and names for people, and the clock
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "cli.h"

#define N_BUFFERS 16

static char *next_buffer(size_t *bytes) {
    static char buffers[N_BUFFERS][40];
    static unsigned next;
    *bytes = sizeof buffers[0];
    return buffers[next++ % N_BUFFERS];
}

const char *cli_count(uint64_t value) {
    size_t bytes;
    char digits[24], *out = next_buffer(&bytes);
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), k = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

const char *cli_bytes(uint64_t value) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t bytes, unit = 0;
    char *out = next_buffer(&bytes);
    double scaled = (double)value;
    for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) scaled /= 1024;
    snprintf(out, bytes, unit ? "%.1f %s" : "%.0f %s", scaled, units[unit]);
    return out;
}

const char *cli_format_name(lode_format format) {
    static const char *const names[] = {"auto",  "fimi",   "spmf", "basket",
                                        "table", "onehot", "json"};
    return names[format];
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

size_t cli_character(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xbf; /* range of the second byte */
    if (s[0] < 0x80) return s[0] >= 0x20;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] == 0xe0) low = 0xa0;  /* no encodings longer than needed */
    if (s[0] == 0xed) high = 0x9f; /* no surrogates */
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f; /* the end of Unicode */
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    }
    return n;
}
