/* fuzz_regex.c - any bytes as a regular expression, a line end, and a text
 *
 * A run with usual room for states, one with room for two, and a walk over the program that keeps
 * no states must agree, in bounded memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"
#include "base/utf8.h"
#include "target.h"

#define FUZZ_TEXT 200 /* bytes that the walk looks at, which takes quadratic time */

typedef struct plain_walk {
    const regex *code;
    const char *text;
    size_t n;
    bool in[REGEX_PLACES], next[REGEX_PLACES];
    uint32_t stack[2 * REGEX_PLACES + 1]; /* each place pushes two at most, once */
} plain_walk;

static bool is_word_at(const plain_walk *w, size_t at) {
    unsigned char c = at < w->n ? (unsigned char)w->text[at] : 0;
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool anchor_holds(const plain_walk *w, int32_t anchor, size_t at) {
    bool before = at > 0 && is_word_at(w, at - 1), behind = is_word_at(w, at);
    switch ((regex_anchor)anchor) {
    case REGEX_TEXT_START: return at == 0;
    case REGEX_TEXT_END: return at == w->n;
    case REGEX_WORD_START: return !before && behind;
    case REGEX_WORD_END: return before && !behind;
    case REGEX_WORD_EDGE: return before != behind;
    case REGEX_NO_WORD_EDGE: return before == behind;
    }
    return false;
}

/* All places that are reached from one, before the character at `at`. */
static void walk_reach(plain_walk *w, bool *in, uint32_t place, size_t at) {
    uint32_t n = 0;
    w->stack[n++] = place;
    while (n > 0) {
        place = w->stack[--n];
        if (in[place]) continue;
        in[place] = true;
        const regex_place *p = &w->code->places[place];
        if (p->op == REGEX_JUMP || p->op == REGEX_FORK) {
            uint32_t there = (uint32_t)((int32_t)place + p->arg);
            fuzz_require(there < w->code->n_places, "a jump out of the program");
            if (!in[there]) w->stack[n++] = there;
        }
        bool on = p->op == REGEX_FORK || (p->op == REGEX_ASSERT && anchor_holds(w, p->arg, at));
        if (on && !in[place + 1]) w->stack[n++] = place + 1;
    }
}

static bool walk_from(plain_walk *w, size_t at) {
    memset(w->in, 0, sizeof w->in);
    walk_reach(w, w->in, 0, at);
    while (!w->in[w->code->n_places - 1] && at < w->n) {
        unsigned taken;
        uint32_t class = regex_class(w->code, utf8_code(w->text + at, w->n - at, &taken));
        const uint64_t *takes = w->code->takes + class * (size_t)w->code->words;
        at += taken;
        memset(w->next, 0, sizeof w->next);
        for (uint32_t p = 0; p < w->code->n_places; p++) {
            if (w->in[p] && takes[p / 64] >> p % 64 & 1) walk_reach(w, w->next, p + 1, at);
        }
        memcpy(w->in, w->next, sizeof w->in);
    }
    return w->in[w->code->n_places - 1];
}

static bool walk_matches(const regex *code, const char *text, size_t n) {
    static plain_walk w;
    w.code = code, w.text = text, w.n = n;
    for (size_t at = 0;;) {
        unsigned taken;
        if (walk_from(&w, at)) return true;
        if (at == n) return false;
        (void)utf8_code(text + at, n - at, &taken);
        at += taken;
    }
}

static lode_status goes_on(void *user) {
    (void)user;
    return LODE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const char *text = (const char *)bytes;
    const char *end = n > 0 ? memchr(text, '\n', n) : NULL;
    size_t expression = end ? (size_t)(end - text) : n;
    mem m;
    regex code;
    regex_run run = {0}, tight = {0};
    regex_error error = {0};
    bool found = false, again = false;
    mem_init(&m, NULL, NULL, 0);
    lode_status status = regex_compile(&m, text, expression, &code, &error);
    if (status == LODE_OK) {
        regex_poll poll = {goes_on, NULL};
        text = end ? end + 1 : text;
        n -= end ? expression + 1 : 0;
        if (n > FUZZ_TEXT) n = FUZZ_TEXT;
        fuzz_require(regex_start(&m, &code, poll, &run) == LODE_OK, "no run");
        fuzz_require(regex_start(&m, &code, poll, &tight) == LODE_OK, "no run");
        tight.room = 3;
        fuzz_require(regex_match(&run, text, n, &found) == LODE_OK, "no answer");
        fuzz_require(regex_match(&tight, text, n, &again) == LODE_OK, "no answer");
        fuzz_require(found == again, "states that were forgotten count");
        fuzz_require(found == walk_matches(&code, text, n), "not what a plain walk finds");
    } else {
        fuzz_require(status == LODE_INVALID && error.why, "failure without a message");
        fuzz_require(error.at >= 1 && error.at <= expression + 1, "a place outside of the text");
    }
    regex_stop(&m, &run);
    regex_stop(&m, &tight);
    regex_clear(&m, &code);
    fuzz_require(mem_used(&m) == 0, "memory is left over");
    fuzz_require(atomic_load(&m.peak) < 2 << 20, "too much memory");
    return 0;
}
