/* regex.c - matching by a compiled expression; see regex.h
 *
 * The key of a state is the set of places where the run pauses before the next character, and what
 * the character before was. An anchor may depend on the next character, so it is a place to pause
 * at, and tested when that character is known. The end of a text is a column of its own, in which
 * anchors are tested and nothing is taken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"

#include <string.h>

#include "base/keyed.h"
#include "base/utf8.h"

#define REGEX_POLL_STEPS 65536

/* Cells of a row that are not the start of a row, all of which start behind these. */
enum { REGEX_UNKNOWN, REGEX_FOUND, REGEX_NEVER, REGEX_SPECIAL };

/* What was before: the last word of a key. */
enum { REGEX_AFTER_OTHER, REGEX_AFTER_WORD, REGEX_AFTER_NOTHING };

/* ---- sets of places ------------------------------------------------------------------------- */

static inline bool regex_has(const uint64_t *set, uint32_t place) {
    return set[place / 64] >> place % 64 & 1;
}

/* Each place is pushed once, so the stack has room for all. */
static inline void regex_push(regex_run *run, uint64_t *set, uint32_t place) {
    if (regex_has(set, place)) return;
    set[place / 64] |= (uint64_t)1 << place % 64;
    run->stack[run->n_stack++] = place;
}

/* Adds all that is reached from the places that were pushed without taking a character. `holds` has
 * a bit for each anchor that holds here. */
static void regex_reach(regex_run *run, uint64_t *set, unsigned holds) {
    const regex_place *places = run->code->places;
    while (run->n_stack > 0) {
        uint32_t at = run->stack[--run->n_stack];
        const regex_place *p = &places[at];
        run->steps++;
        if (p->op == REGEX_JUMP || p->op == REGEX_FORK) {
            regex_push(run, set, (uint32_t)((int32_t)at + p->arg));
        }
        if (p->op == REGEX_FORK || (p->op == REGEX_ASSERT && holds >> p->arg & 1)) {
            regex_push(run, set, at + 1);
        }
    }
}

static unsigned regex_holding(uint64_t before, bool word, bool end) {
    bool after_word = before == REGEX_AFTER_WORD;
    unsigned holds = 1U << (after_word == word ? REGEX_NO_WORD_EDGE : REGEX_WORD_EDGE);
    if (word && !after_word) holds |= 1U << REGEX_WORD_START;
    if (after_word && !word) holds |= 1U << REGEX_WORD_END;
    if (before == REGEX_AFTER_NOTHING) holds |= 1U << REGEX_TEXT_START;
    return end ? holds | 1U << REGEX_TEXT_END : holds;
}

/* Moves from the places of run->from that take a character, all at once, to those behind them, and
 * pushes the ones from which it goes on at once. */
static void regex_take(regex_run *run, const uint64_t *takes) {
    const regex *code = run->code;
    uint64_t carry = 0;
    for (uint32_t w = 0; w < code->words; w++) {
        uint64_t taken = run->from[w] & takes[w];
        run->to[w] = taken << 1 | carry;
        carry = taken >> 63;
        for (uint64_t bits = run->to[w] & ~code->pauses[w]; bits; bits &= bits - 1) {
            run->stack[run->n_stack++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
}

/* ---- states --------------------------------------------------------------------------------- */

static inline size_t regex_key_words(const regex *code) {
    return code->words + (size_t)1;
}

static void regex_forget(regex_run *run) {
    run->n_states = 1;
    run->first = REGEX_UNKNOWN;
    memset(run->slots, 0, 2 * (size_t)run->room * sizeof *run->slots);
}

/* The row of the state with the key run->to. */
static uint32_t regex_state(regex_run *run) {
    size_t words = regex_key_words(run->code), bytes = words * sizeof *run->keys;
    if (run->n_states == run->room) regex_forget(run);
    uint32_t n_slots = 2 * run->room, state;
    uint32_t slot = (uint32_t)(keyed_bytes(keyed_process(), run->to, bytes) % n_slots);
    run->steps += words;
    for (; (state = run->slots[slot]) != 0; slot = slot + 1 < n_slots ? slot + 1 : 0) {
        if (memcmp(run->keys + state * words, run->to, bytes) == 0) return state * run->width;
    }
    state = run->n_states++;
    run->slots[slot] = state;
    memcpy(run->keys + state * words, run->to, bytes);
    memset(run->rows + (size_t)state * run->width, 0, run->width * sizeof *run->rows);
    run->steps += run->width / 4;
    return state * run->width;
}

/* What becomes of the places that were pushed to run->to. A match may start anywhere, so the first
 * place is always among them. */
static uint32_t regex_arrive(regex_run *run, uint64_t before) {
    const regex *code = run->code;
    uint64_t any = 0;
    regex_push(run, run->to, 0);
    regex_reach(run, run->to, before == REGEX_AFTER_NOTHING ? 1U << REGEX_TEXT_START : 0);
    if (regex_has(run->to, code->n_places - 1)) return REGEX_FOUND;
    for (uint32_t w = 0; w < code->words; w++) any |= run->to[w] &= code->pauses[w];
    if (any == 0) return REGEX_NEVER; /* and no character that follows changes that */
    run->to[code->words] = before;
    return regex_state(run);
}

/* The cell of a row for a class, or for the end of the text. */
static uint32_t regex_step(regex_run *run, uint32_t row, uint32_t class) {
    const regex *code = run->code;
    size_t words = regex_key_words(code);
    bool end = class == code->n_classes, word = !end && code->is_word[class];
    uint64_t *from = run->from;
    memcpy(from, run->keys + row / run->width * words, words * sizeof *from);
    run->steps += words;
    unsigned holds = regex_holding(from[code->words], word, end);
    for (uint32_t w = 0; w < code->words; w++) {
        for (uint64_t bits = from[w] & code->assertions[w]; bits; bits &= bits - 1) {
            uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (holds >> code->places[place].arg & 1) regex_push(run, from, place + 1);
        }
    }
    regex_reach(run, from, holds);
    if (regex_has(from, code->n_places - 1)) return run->rows[row + class] = REGEX_FOUND;
    if (end) return run->rows[row + class] = REGEX_NEVER;
    regex_take(run, code->takes + class * (size_t)code->words);
    uint32_t n_states = run->n_states;
    uint32_t next = regex_arrive(run, word ? REGEX_AFTER_WORD : REGEX_AFTER_OTHER);
    if (run->n_states >= n_states) run->rows[row + class] = next; /* the row is still there */
    return next;
}

/* ---- matching ------------------------------------------------------------------------------- */

static lode_status regex_ask(regex_run *run) {
    if (run->steps < REGEX_POLL_STEPS) return LODE_OK;
    run->steps = 0;
    return run->poll.ask(run->poll.user);
}

/* Most of the time is spent here: ASCII, and states that are known. Stops in front of anything
 * else. */
static inline uint32_t regex_glide(const regex_run *run, uint32_t row, const char *text, size_t *at,
                                   size_t stop) {
    const uint32_t *rows = run->rows;
    const uint16_t *ascii = run->code->ascii;
    size_t i = *at;
    for (; i < stop; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 128) break;
        uint32_t next = rows[row + ascii[c]];
        if (next < REGEX_SPECIAL) break;
        row = next;
    }
    *at = i;
    return row;
}

lode_status regex_match(regex_run *run, const char *text, size_t n, bool *found) {
    lode_status status = LODE_OK;
    const regex *code = run->code;
    if (run->first == REGEX_UNKNOWN) {
        memset(run->to, 0, regex_key_words(code) * sizeof *run->to);
        run->first = regex_arrive(run, REGEX_AFTER_NOTHING);
    }
    uint32_t row = run->first;
    for (size_t i = 0; row >= REGEX_SPECIAL && i < n;) {
        size_t stop = n - i < REGEX_POLL_STEPS ? n : i + REGEX_POLL_STEPS;
        run->steps += stop - i;
        LODE_TRY(regex_ask(run));
        while (i < stop) {
            row = regex_glide(run, row, text, &i, stop);
            if (i == stop) break;
            unsigned taken = 1;
            unsigned char c = (unsigned char)text[i];
            uint32_t class =
                c < 128 ? code->ascii[c] : regex_class(code, utf8_code(text + i, n - i, &taken));
            uint32_t next = run->rows[row + class];
            if (next == REGEX_UNKNOWN) {
                next = regex_step(run, row, class);
                LODE_TRY(regex_ask(run));
            }
            row = next;
            i += taken;
            if (row < REGEX_SPECIAL) break;
        }
    }
    if (row >= REGEX_SPECIAL) {
        uint32_t last = run->rows[row + code->n_classes];
        row = last != REGEX_UNKNOWN ? last : regex_step(run, row, code->n_classes);
    }
    *found = row == REGEX_FOUND;
done:
    return status;
}

lode_status regex_start(mem *m, const regex *code, regex_poll poll, regex_run *out) {
    uint32_t width = code->n_classes + 1 < REGEX_SPECIAL ? REGEX_SPECIAL : code->n_classes + 1;
    size_t words = regex_key_words(code);
    size_t state = words * sizeof *out->keys + (width + (size_t)2) * sizeof *out->rows;
    uint32_t room = (uint32_t)(REGEX_RUN_BYTES / state);
    *out = (regex_run){.code = code, .poll = poll, .width = width, .room = room};
    out->bytes = room * state + 2 * words * sizeof *out->from + code->n_places * sizeof *out->stack;
    lode_status status = mem_resize(m, &out->block, 0, out->bytes);
    if (status != LODE_OK) return status;
    out->keys = out->block;
    out->from = out->keys + room * words;
    out->to = out->from + words;
    out->rows = (uint32_t *)(out->to + words);
    out->slots = out->rows + (size_t)room * width;
    out->stack = out->slots + 2 * (size_t)room;
    regex_forget(out);
    return LODE_OK;
}

void regex_stop(mem *m, regex_run *run) {
    mem_free(m, run->block, run->block ? run->bytes : 0);
    *run = (regex_run){0};
}
