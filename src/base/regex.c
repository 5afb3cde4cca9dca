/* regex.c - matching by a compiled expression; see regex.h
 *
 * The key of a state is the set of places where the run waits for the next character, together with
 * the kind of the previous character. An anchor may depend on the next character, so the run waits
 * there, too, and tests the anchor when that character is known. The end of the text has a column
 * of its own in the table; there, anchors are tested and no character is consumed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/regex.h"

#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"

#define REGEX_POLL_STEPS 65536

/* Special cells, which are not the start of a row; all rows start after these numbers. */
enum { REGEX_UNKNOWN, REGEX_FOUND, REGEX_NEVER, REGEX_SPECIAL };

/* The kind of the previous character: the last word of a key. */
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

/* Adds all places that can be reached from the pushed ones without consuming a character. `holds`
 * has a bit for each anchor that holds here. */
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

/* Consumes a character: advances all places of run->from that accept it, and pushes those from
 * which jumps, forks or anchors lead on without another character. */
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

/* Returns the row of the state for the places that were pushed to run->to. A match may start
 * anywhere, so the first place is always among them. */
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

/* The hot loop: handles ASCII and known states, and stops before anything else. */
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

/* ---- an expression becomes a program --------------------------------------------------------- */

/* The program is made in one pass, without a syntax tree. Jumps are relative, so the instructions
 * of an atom can be moved, to insert a fork before them, and copied, to repeat them:
 *
 *     x|y      fork to y, x, jump to the end, y
 *     x*       fork to the end, x, fork to x
 *     x{2,4}   x, x, fork to the end, x, fork to the end, x */

#define REGEX_TIMES      32767 /* of a repetition; what the C library has, too */
#define REGEX_ENDLESS    (REGEX_TIMES + 1)
#define REGEX_CHARACTERS (UTF8_CODES + 256)
#define REGEX_RANGES     (2 * REGEX_BYTES + 4) /* "\w" is four, and words are once more */
#define REGEX_NO_PLACE   (-1)

/* The characters from `low` to `high`. */
typedef struct regex_range {
    uint32_t low, high;
} regex_range;

typedef struct regex_set {
    uint32_t range, n_ranges;
    bool negated;
} regex_set;

/* A group that is still open. */
typedef struct regex_group {
    uint32_t start, branch; /* first places of the group and of its last branch */
    int32_t jump;           /* the last jump to its end; until then, its `arg` is the one before */
    size_t at;              /* where it was opened */
} regex_group;

typedef struct regex_reader {
    const char *text;
    size_t n, at;
    regex_error *error;
    uint32_t n_places, n_sets, n_ranges, n_groups;
    bool has_words; /* an anchor asks for words */
    regex_place places[REGEX_PLACES];
    regex_set sets[REGEX_BYTES];
    regex_range ranges[REGEX_RANGES];
    regex_group groups[REGEX_BYTES + 1];
    uint32_t starts[2 * REGEX_RANGES + 1];
    bool in_set[2 * REGEX_RANGES + 1]; /* by class */
} regex_reader;

/* Classes as POSIX defines them for ASCII: pairs of a first and a last character. */
static const struct regex_named {
    const char *name;
    unsigned n;
    char ranges[9];
} regex_classes[] = {
    {"alnum", 3, "09AZaz"},   {"alpha", 2, "AZaz"},
    {"blank", 2, "\t\t  "},   {"cntrl", 2, "\0\37\177\177"},
    {"digit", 1, "09"},       {"graph", 1, "!~"},
    {"lower", 1, "az"},       {"print", 1, " ~"},
    {"punct", 4, "!/:@[`{~"}, {"space", 2, "\t\r  "},
    {"upper", 1, "AZ"},       {"xdigit", 3, "09AFaf"},
};
static const struct regex_named regex_word = {"", 4, "09AZ__az"};
static const struct regex_named regex_space = {"", 2, "\t\r  "};

static bool regex_fail(regex_reader *r, size_t at, const char *why) {
    *r->error = (regex_error){why, at + 1};
    return false;
}

/* ---- places --------------------------------------------------------------------------------- */

static bool regex_emit(regex_reader *r, regex_op op, int32_t arg) {
    if (r->n_places == REGEX_PLACES) {
        return regex_fail(
            r, r->at, "too many repetitions: written out, the expression has more than 4096 parts");
    }
    r->places[r->n_places++] = (regex_place){(int32_t)op, arg};
    return true;
}

/* Puts a fork in front of the place `at`. */
static bool regex_insert_fork(regex_reader *r, uint32_t at, int32_t arg) {
    if (!regex_emit(r, REGEX_FORK, arg)) return false;
    regex_place *p = r->places + at;
    memmove(p + 1, p, (r->n_places - 1 - at) * sizeof *p);
    *p = (regex_place){REGEX_FORK, arg};
    return true;
}

static bool regex_copy(regex_reader *r, uint32_t from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!regex_emit(r, (regex_op)r->places[from + i].op, r->places[from + i].arg)) return false;
    }
    return true;
}

/* Repeats the instructions from `start` on. Each optional copy is preceded by a fork to the end;
 * the last copy of an unlimited repetition is followed by a fork back to it. */
static bool regex_repeat(regex_reader *r, uint32_t start, uint32_t least, uint32_t most) {
    uint32_t n = r->n_places - start;
    bool endless = most == REGEX_ENDLESS;
    if (most == 0) r->n_places = start;
    if (most == 0 || n == 0) return true;
    uint32_t copies = !endless ? most : least > 0 ? least : 1;
    int32_t stride = (int32_t)n + 1;
    if (least == 0) {
        int32_t all = endless ? stride + 1 : (int32_t)copies * stride;
        if (!regex_insert_fork(r, start, all)) return false;
        start++;
    }
    for (uint32_t c = 1; c < copies; c++) {
        int32_t left = (int32_t)(copies - c) * stride;
        if (!endless && c >= least && !regex_emit(r, REGEX_FORK, left)) return false;
        if (!regex_copy(r, start, n)) return false;
    }
    return !endless || regex_emit(r, REGEX_FORK, -(int32_t)n);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* `at`: of its "(" in the text. The whole expression is a group as well. */
static void regex_open(regex_reader *r, size_t at) {
    regex_group *g = &r->groups[r->n_groups++];
    *g = (regex_group){r->n_places, r->n_places, REGEX_NO_PLACE, at};
}

static bool regex_next_branch(regex_reader *r) {
    regex_group *g = &r->groups[r->n_groups - 1];
    int32_t branch = (int32_t)(r->n_places - g->branch);
    if (!regex_insert_fork(r, g->branch, branch + 2)) return false;
    if (!regex_emit(r, REGEX_JUMP, g->jump)) return false;
    g->jump = (int32_t)r->n_places - 1;
    g->branch = r->n_places;
    return true;
}

/* Returns the first place of the group. */
static uint32_t regex_close(regex_reader *r) {
    regex_group *g = &r->groups[--r->n_groups];
    for (int32_t jump = g->jump, before; jump != REGEX_NO_PLACE; jump = before) {
        before = r->places[jump].arg;
        r->places[jump].arg = (int32_t)r->n_places - jump;
    }
    return g->start;
}

/* ---- sets of characters --------------------------------------------------------------------- */

static bool regex_is_at(const regex_reader *r, size_t at, char c) {
    return at < r->n && r->text[at] == c;
}

static uint32_t regex_read_character(regex_reader *r) {
    unsigned taken;
    uint32_t code = utf8_code(r->text + r->at, r->n - r->at, &taken);
    r->at += taken;
    return code;
}

static void regex_add_range(regex_reader *r, uint32_t low, uint32_t high) {
    r->ranges[r->n_ranges++] = (regex_range){low, high};
}

static void regex_add_class(regex_reader *r, const struct regex_named *class) {
    const unsigned char *pairs = (const unsigned char *)class->ranges;
    for (unsigned i = 0; i < class->n; i++) regex_add_range(r, pairs[2 * i], pairs[2 * i + 1]);
}

/* A place that takes the ranges that were added since there were `first`. */
static bool regex_emit_set(regex_reader *r, uint32_t first, bool negated) {
    r->sets[r->n_sets] = (regex_set){first, r->n_ranges - first, negated};
    return regex_emit(r, REGEX_TAKE, (int32_t)r->n_sets++);
}

static bool regex_emit_range(regex_reader *r, uint32_t low, uint32_t high) {
    regex_add_range(r, low, high);
    return regex_emit_set(r, r->n_ranges - 1, false);
}

static bool regex_emit_class(regex_reader *r, const struct regex_named *class, bool negated) {
    uint32_t first = r->n_ranges;
    regex_add_class(r, class);
    return regex_emit_set(r, first, negated);
}

static bool regex_read_class(regex_reader *r, size_t from, size_t n) {
    for (size_t i = 0; i < sizeof regex_classes / sizeof *regex_classes; i++) {
        const char *name = regex_classes[i].name;
        if (strlen(name) != n || memcmp(name, r->text + from, n) != 0) continue;
        regex_add_class(r, &regex_classes[i]);
        return true;
    }
    return regex_fail(r, from - 2,
                      "unknown class; expected alnum, alpha, blank, cntrl, digit, graph, "
                      "lower, print, punct, space, upper or xdigit");
}

/* Reads "[:alpha:]", "[=a=]" or "[.a.]". Only the last kind can be an end of a range (sets
 * `*alone`); the others are added to the set. */
static bool regex_read_named(regex_reader *r, uint32_t *character, bool *alone) {
    size_t open = r->at, from = open + 2, to = from;
    char mark = r->text[open + 1];
    while (to < r->n && !(r->text[to] == mark && regex_is_at(r, to + 1, ']'))) to++;
    if (to >= r->n) return regex_fail(r, open, "'[' without ']'");
    *alone = mark == '.';
    r->at = from;
    if (mark == ':') {
        if (!regex_read_class(r, from, to - from)) return false;
    } else {
        if (to > from) *character = regex_read_character(r);
        if (r->at != to || to == from) {
            return regex_fail(r, open, "expected one character, such as [.a.] or [=a=]");
        }
        if (mark == '=') regex_add_range(r, *character, *character);
    }
    r->at = to + 2;
    return true;
}

/* `*alone`: it is one character. Otherwise it has been added to the set. */
static bool regex_read_element(regex_reader *r, uint32_t *character, bool *alone) {
    const char *at = r->text + r->at;
    *alone = true;
    if (at[0] == '[' && r->at + 1 < r->n && (at[1] == ':' || at[1] == '=' || at[1] == '.')) {
        return regex_read_named(r, character, alone);
    }
    *character = regex_read_character(r);
    return true;
}

/* Whether a range goes on here: '-' stands for itself at the end of a set. */
static bool regex_is_range(const regex_reader *r) {
    return regex_is_at(r, r->at, '-') && r->at + 1 < r->n && r->text[r->at + 1] != ']';
}

/* After the '['. */
static bool regex_read_set(regex_reader *r) {
    size_t open = r->at - 1, start;
    uint32_t first = r->n_ranges, low = 0, high = 0;
    bool negated = regex_is_at(r, r->at, '^'), alone, ends_alone = true;
    r->at += negated;
    for (start = r->at; r->at < r->n && (r->at == start || r->text[r->at] != ']');) {
        size_t at = r->at;
        if (at > start && regex_is_range(r)) {
            return regex_fail(
                r, at,
                "this '-' is not part of a range; put it first or last in the set to match it");
        }
        if (!regex_read_element(r, &low, &alone)) return false;
        if (!alone) continue;
        high = low;
        if (regex_is_range(r)) {
            r->at++;
            if (!regex_read_element(r, &high, &ends_alone)) return false;
        }
        if (!ends_alone || low > high) {
            return regex_fail(r, at, "a range must go from a lower character to a higher one");
        }
        regex_add_range(r, low, high);
    }
    if (r->at >= r->n) return regex_fail(r, open, "'[' without ']'");
    r->at++;
    return regex_emit_set(r, first, negated);
}

/* ---- atoms ---------------------------------------------------------------------------------- */

/* A number, up to REGEX_ENDLESS; false if there is none. */
static bool regex_read_number(regex_reader *r, uint32_t *number) {
    size_t from = r->at;
    *number = 0;
    for (; r->at < r->n && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
        *number = *number * 10 + (uint32_t)(r->text[r->at] - '0');
        if (*number > REGEX_ENDLESS) *number = REGEX_ENDLESS;
    }
    return r->at > from;
}

/* "{m,n}", after the "{". */
static bool regex_read_times(regex_reader *r, uint32_t *least, uint32_t *most) {
    size_t open = r->at - 1;
    bool some = regex_read_number(r, least), comma = regex_is_at(r, r->at, ',');
    bool too_many = *least > REGEX_TIMES;
    *most = *least;
    if (comma) {
        r->at++;
        some = true;
        if (regex_read_number(r, most)) {
            too_many |= *most > REGEX_TIMES;
        } else {
            *most = REGEX_ENDLESS;
        }
    }
    if (!some || !regex_is_at(r, r->at, '}') || *least > *most) {
        return regex_fail(r, open, "expected {2}, {2,}, {,5} or {2,5}; write \\{ to match {");
    }
    r->at++;
    return !too_many || regex_fail(r, open, "more than 32767 repetitions");
}

/* What follows an atom that starts at place `start`. */
static bool regex_read_repeats(regex_reader *r, uint32_t start) {
    for (; r->at < r->n;) {
        uint32_t least = 0, most = REGEX_ENDLESS;
        switch (r->text[r->at++]) {
        case '*': break;
        case '+': least = 1; break;
        case '?': most = 1; break;
        case '{':
            if (!regex_read_times(r, &least, &most)) return false;
            break;
        default: r->at--; return true;
        }
        if (!regex_repeat(r, start, least, most)) return false;
    }
    return true;
}

static bool regex_emit_anchor(regex_reader *r, regex_anchor anchor) {
    r->has_words |= anchor >= REGEX_WORD_START;
    return regex_emit(r, REGEX_ASSERT, (int32_t)anchor);
}

static bool regex_emit_character(regex_reader *r) {
    uint32_t character = regex_read_character(r);
    return regex_emit_range(r, character, character);
}

/* What follows a backslash; `*repeats`: it can be repeated. */
static bool regex_read_escape(regex_reader *r, bool *repeats) {
    if (r->at == r->n) return regex_fail(r, r->at - 1, "nothing follows the backslash");
    char c = r->text[r->at++];
    *repeats = c == 'w' || c == 'W' || c == 's' || c == 'S';
    switch (c) {
    case 'b': return regex_emit_anchor(r, REGEX_WORD_EDGE);
    case 'B': return regex_emit_anchor(r, REGEX_NO_WORD_EDGE);
    case '<': return regex_emit_anchor(r, REGEX_WORD_START);
    case '>': return regex_emit_anchor(r, REGEX_WORD_END);
    case '`': return regex_emit_anchor(r, REGEX_TEXT_START);
    case '\'': return regex_emit_anchor(r, REGEX_TEXT_END);
    case 'w':
    case 'W': return regex_emit_class(r, &regex_word, c == 'W');
    case 's':
    case 'S': return regex_emit_class(r, &regex_space, c == 'S');
    default: break;
    }
    if (c >= '1' && c <= '9') {
        return regex_fail(r, r->at - 2, "back-references such as \\1 are not supported");
    }
    r->at--;
    *repeats = true;
    return regex_emit_character(r);
}

/* An atom with its repetitions, an anchor, or the start of a group or branch. */
static bool regex_read_one(regex_reader *r) {
    uint32_t start = r->n_places;
    bool ok = true, repeats = true;
    switch (r->text[r->at++]) {
    case '|': return regex_next_branch(r);
    case '^': return regex_emit_anchor(r, REGEX_TEXT_START);
    case '$': return regex_emit_anchor(r, REGEX_TEXT_END);
    case '(': regex_open(r, r->at - 1); return true;
    case '*':
    case '+':
    case '?':
    case '{':
        return regex_fail(r, r->at - 1,
                          "nothing to repeat; write a backslash before it to match it");
    case '.': ok = regex_emit_range(r, 0, REGEX_CHARACTERS - 1); break;
    case '[': ok = regex_read_set(r); break;
    case '\\': ok = regex_read_escape(r, &repeats); break;
    case ')':
        if (r->n_groups > 1) {
            start = regex_close(r);
            break;
        } /* fall through */
    default: r->at--; ok = regex_emit_character(r);
    }
    return ok && (!repeats || regex_read_repeats(r, start));
}

static bool regex_read(regex_reader *r) {
    if (r->n > REGEX_BYTES)
        return regex_fail(r, REGEX_BYTES, "the expression is longer than 1023 bytes");
    regex_open(r, 0);
    while (r->at < r->n) {
        if (!regex_read_one(r)) return false;
    }
    if (r->n_groups > 1) return regex_fail(r, r->groups[r->n_groups - 1].at, "'(' without ')'");
    (void)regex_close(r);
    return regex_emit(r, REGEX_MATCH, 0);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* A class starts where a range starts, and after its end. */
static uint32_t regex_find_starts(regex_reader *r) {
    uint32_t n = 0, n_classes = 0;
    if (r->has_words) regex_add_class(r, &regex_word);
    r->starts[n++] = 0;
    for (uint32_t i = 0; i < r->n_ranges; i++) {
        r->starts[n++] = r->ranges[i].low;
        if (r->ranges[i].high < REGEX_CHARACTERS - 1) r->starts[n++] = r->ranges[i].high + 1;
    }
    sort_u32(r->starts, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || r->starts[i] != r->starts[i - 1]) r->starts[n_classes++] = r->starts[i];
    }
    return n_classes;
}

static void regex_mark(uint64_t *set, uint32_t place) {
    set[place / 64] |= (uint64_t)1 << place % 64;
}

/* Notes which classes each place with this set takes. */
static void regex_put_set(regex_reader *r, regex *out, uint32_t set) {
    const regex_set *s = &r->sets[set];
    memset(r->in_set, s->negated, out->n_classes * sizeof *r->in_set);
    for (uint32_t i = 0; i < s->n_ranges; i++) {
        const regex_range *range = &r->ranges[s->range + i];
        uint32_t last = regex_class(out, range->high);
        for (uint32_t c = regex_class(out, range->low); c <= last; c++) r->in_set[c] = !s->negated;
    }
    for (uint32_t p = 0; p < out->n_places; p++) {
        if (out->places[p].op != REGEX_TAKE || out->places[p].arg != (int32_t)set) continue;
        for (uint32_t c = 0; c < out->n_classes; c++) {
            if (r->in_set[c]) regex_mark(out->takes + c * (size_t)out->words, p);
        }
    }
}

static bool regex_is_word(uint32_t character) {
    for (unsigned i = 0; i < regex_word.n; i++) {
        uint32_t low = (unsigned char)regex_word.ranges[2 * i];
        uint32_t high = (unsigned char)regex_word.ranges[2 * i + 1];
        if (character >= low && character <= high) return true;
    }
    return false;
}

static void regex_put_all(regex_reader *r, regex *out) {
    memcpy(out->places, r->places, out->n_places * sizeof *out->places);
    memcpy(out->starts, r->starts, out->n_classes * sizeof *out->starts);
    for (uint32_t c = 0; c < out->n_classes; c++) {
        out->is_word[c] = r->has_words && regex_is_word(out->starts[c]);
    }
    for (uint32_t c = 0; c < 128; c++) out->ascii[c] = (uint16_t)regex_class(out, c);
    for (uint32_t p = 0; p < out->n_places; p++) {
        const regex_place *place = &out->places[p];
        bool asks = place->op == REGEX_ASSERT && place->arg != REGEX_TEXT_START;
        if (asks) regex_mark(out->assertions, p);
        if (asks || place->op == REGEX_TAKE) regex_mark(out->pauses, p);
    }
    for (uint32_t s = 0; s < r->n_sets; s++) regex_put_set(r, out, s);
}

lode_status regex_compile(mem *m, const char *text, size_t n, regex *out, regex_error *error) {
    lode_status status = LODE_OK;
    regex_reader *r = NULL;
    *out = (regex){0};
    LODE_TRY(mem_zalloc(m, (void **)&r, sizeof *r));
    r->text = text, r->n = n, r->error = error;
    if (!regex_read(r)) LODE_LEAVE(LODE_INVALID);
    out->n_places = r->n_places;
    out->n_classes = regex_find_starts(r);
    out->words = (out->n_places + 63) / 64;
    size_t set = out->words * sizeof *out->takes;
    LODE_TRY(mem_keep(m, &out->kept, (void **)&out->places, out->n_places * sizeof *out->places));
    LODE_TRY(mem_keep(m, &out->kept, (void **)&out->starts, out->n_classes * sizeof *out->starts));
    LODE_TRY(mem_keep(m, &out->kept, (void **)&out->is_word, out->n_classes * sizeof(bool)));
    LODE_TRY(mem_keep_zero(m, &out->kept, (void **)&out->takes, out->n_classes * set));
    LODE_TRY(mem_keep_zero(m, &out->kept, (void **)&out->pauses, set));
    LODE_TRY(mem_keep_zero(m, &out->kept, (void **)&out->assertions, set));
    regex_put_all(r, out);
done:
    mem_free(m, r, r ? sizeof *r : 0);
    return status;
}

void regex_clear(mem *m, regex *r) {
    mem_drop(m, &r->kept);
    *r = (regex){0};
}
