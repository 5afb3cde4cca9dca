/* query_regex.c - which regular expressions are run for strangers; see query.h
 *
 * The C library turns an expression into a graph. It copies what is repeated: x{3,5} is five
 * copies, x+ is two, and repetitions within repetitions multiply, so that a line of text can stand
 * for more than any memory. So the copies are counted first, in one walk over the expression that
 * knows groups, sets and escapes, and errs by counting too many. What is left is a graph of a few
 * hundred places, which is followed in time that grows with the text alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "query.h"

#define REGEX_BYTES  256 /* of the expression */
#define REGEX_PLACES 512 /* after everything is copied */
#define REGEX_DEPTH  32  /* of groups within groups */

typedef struct regex_walk {
    const char *at;
    uint64_t sums[REGEX_DEPTH + 1]; /* by open group: places so far */
    unsigned depth;
    uint64_t last; /* places of the last atom, which a repetition multiplies */
} regex_walk;

/* The end of a set "[…]": a ] at its start is one of its characters, as are classes. */
static const char *regex_set_end(const char *at) {
    at += at[1] == '^' ? 2 : 1;
    if (*at == ']') at++;
    while (*at && *at != ']') {
        if (at[0] == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=')) {
            const char mark = at[1];
            at += 2;
            while (*at && !(at[0] == mark && at[1] == ']')) at++;
            at += *at ? 2 : 0;
        } else {
            at++;
        }
    }
    return at;
}

/* How many copies "{…}" at `*at` makes; moves behind it. */
static uint64_t regex_copies(const char **at) {
    uint64_t most = 1, number = 0;
    const char *c = *at + 1;
    for (; *c && *c != '}'; c++) {
        if (*c >= '0' && *c <= '9')
            number = number > 100000 ? number : number * 10 + (uint64_t)(*c - '0');
        if (*c == ',') most = number + 1, number = 0;
    }
    *at = *c ? c : c - 1;
    return number > most ? number : most;
}

static void regex_add(regex_walk *w, uint64_t places) {
    w->last = places;
    w->sums[w->depth] += places;
}

static void regex_repeat(regex_walk *w, uint64_t copies) {
    uint64_t more = w->last * (copies - 1);
    w->sums[w->depth] += more;
    w->last += more;
}

/* One step; false: it nests too deep. */
static bool regex_step(regex_walk *w) {
    switch (*w->at) {
    case '(':
        if (w->depth == REGEX_DEPTH) return false;
        w->sums[++w->depth] = 1;
        w->last = 0;
        break;
    case ')':
        if (w->depth == 0) {
            regex_add(w, 1);
            break;
        }
        w->depth--;
        regex_add(w, w->sums[w->depth + 1]);
        break;
    case '[':
        w->at = regex_set_end(w->at);
        regex_add(w, 1);
        if (!*w->at) w->at--;
        break;
    case '\\':
        if (w->at[1]) w->at++;
        regex_add(w, 1);
        break;
    case '+': regex_repeat(w, 2); break;
    case '{': regex_repeat(w, regex_copies(&w->at)); break;
    default: regex_add(w, 1); break;
    }
    return true;
}

static bool regex_refers_back(const char *regex) {
    for (; *regex; regex++) {
        if (*regex != '\\' || !regex[1]) continue;
        regex++;
        if (*regex >= '1' && *regex <= '9') return true;
    }
    return false;
}

bool query_regex_is_tame(const char *regex, const char **why) {
    regex_walk w = {.at = regex};
    *why = NULL;
    if (strlen(regex) > REGEX_BYTES) *why = "has more than 256 bytes";
    if (regex_refers_back(regex)) *why = "has a reference back such as \\1, which is not run here";
    for (; !*why && *w.at; w.at++) {
        if (!regex_step(&w)) *why = "has groups within groups too deep";
        for (unsigned d = 0; !*why && d <= w.depth; d++) {
            if (w.sums[d] > REGEX_PLACES) *why = "repeats too much";
        }
    }
    return *why == NULL;
}
