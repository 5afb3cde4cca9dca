/* token.c - the access token of the server
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

bool token_is_good(const char *words) {
    size_t n = strlen(words);
    for (size_t i = 0; i < n; i++) {
        if (words[i] <= ' ' || words[i] >= 0x7F) return false;
    }
    return n >= TOKEN_LEAST && n <= TOKEN_MOST;
}

/* 32 letters and digits that are hard to confuse: five bits each. */
char *token_make(void) {
    static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
    unsigned char bits[32];
    char *words = malloc(sizeof bits + 1);
    if (!words || getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        free(words);
        return NULL;
    }
    for (size_t i = 0; i < sizeof bits; i++) words[i] = letters[bits[i] % 32];
    words[sizeof bits] = '\0';
    return words;
}

char *token_from_file(const char *path, char *why, size_t room) {
    char line[TOKEN_MOST + 3] = "";
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(why, room, "cannot read the token from %s: %s", path, strerror(errno));
        return NULL;
    }
    if (fgets(line, sizeof line, file)) line[strcspn(line, "\r\n")] = '\0';
    fclose(file);
    char *words = token_is_good(line) ? strdup(line) : NULL;
    if (!words)
        snprintf(why, room,
                 "the first line of %s is not a token: expected %d to %d characters without spaces",
                 path, TOKEN_LEAST, TOKEN_MOST);
    return words;
}

/* Copies both to the same length first, so that the time does not reveal the length. */
bool token_equal(const char *given, const char *expected) {
    unsigned char a[TOKEN_MOST + 1] = {0}, b[TOKEN_MOST + 1] = {0};
    size_t n = strlen(given), m = strlen(expected);
    memcpy(a, given, n < sizeof a ? n : sizeof a);
    memcpy(b, expected, m < sizeof b ? m : sizeof b);
    volatile unsigned char differ = n != m;
    for (size_t i = 0; i < sizeof a; i++) differ = (unsigned char)(differ | (a[i] ^ b[i]));
    return differ == 0;
}
