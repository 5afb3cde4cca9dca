/* regex.h - regular expressions with bounds on time and memory
 *
 * What:   tells whether an expression matches anywhere in a text.
 *
 *             expression = branch { "|" branch }
 *             branch     = { atom { repeat } | anchor }
 *             repeat     = "*" | "+" | "?" | "{m}" | "{m,}" | "{,n}" | "{m,n}"
 *             atom       = "(" expression ")" | "." | set | "\w" | "\W" | "\s" | "\S"
 *                        | "\" character | character
 *             anchor     = "^" | "$" | "\`" | "\'" | "\b" | "\B" | "\<" | "\>"
 *             set        = "[" [ "^" ] { member } "]"
 *             member     = element | element "-" element | "[:class:]" | "[=c=]"
 *             element    = character | "[.c.]"
 *
 *         A branch may be empty; "]" at the start of a set, "-" at its start or end, "}" and a ")"
 *         that closes nothing are characters. This is POSIX ERE in the C locale with the extensions
 *         of the GNU C library, but without back-references: they cannot be matched in linear time.
 *         A character is a UTF-8 character. A byte that is not valid UTF-8 counts as one character,
 *         which is greater than every UTF-8 character. Classes, \w and \s contain only ASCII
 *         characters.
 * Why:    regcomp() and regexec() cannot be interrupted, take memory outside the budget and, for
 *         some short expressions, take more time and memory than the machine has.
 * How:    the expression is compiled to an NFA program, a list of at most REGEX_PLACES instructions
 *         (places), in which a repeated part is copied for each repetition (regex.c). The program
 *         reads character classes instead of characters: characters that no set of the expression
 *         distinguishes form one class. A run is a DFA whose states are sets of places. States are
 *         made when they are first needed, and all are dropped when REGEX_RUN_BYTES are full
 *         (regex.c).
 * Bounds: a character costs at most one visit to each place, and usually one table lookup. A
 *         program has less than 1 MiB, a run less than REGEX_RUN_BYTES plus its stack; matching
 *         allocates nothing and does not recurse.
 * Thread: a program can be shared; a run belongs to one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_REGEX_H
#define LODE_BASE_REGEX_H

#include "base/mem.h"

#define REGEX_BYTES     1023 /* maximum length of an expression */
#define REGEX_PLACES    4096
#define REGEX_RUN_BYTES ((size_t)256 << 10)

typedef enum regex_op {
    REGEX_TAKE,   /* consumes a character and continues at the next place */
    REGEX_JUMP,   /* continues `arg` places from here */
    REGEX_FORK,   /* continues both `arg` places from here and at the next place */
    REGEX_ASSERT, /* continues at the next place if the anchor `arg` holds */
    REGEX_MATCH   /* the last place */
} regex_op;

typedef enum regex_anchor {
    REGEX_TEXT_START,
    REGEX_TEXT_END,
    REGEX_WORD_START,
    REGEX_WORD_END,
    REGEX_WORD_EDGE,
    REGEX_NO_WORD_EDGE
} regex_anchor;

typedef struct regex_place {
    int32_t op, arg; /* for TAKE, `arg` is the number of the set, which only the compiler uses */
} regex_place;

/* A compiled expression. */
typedef struct regex {
    mem_kept kept; /* owns all arrays below */
    regex_place *places;
    uint32_t n_places, words; /* `words` is the length of a bit set of places */
    uint32_t n_classes;
    uint32_t *starts;    /* class c contains the characters starts[c] to starts[c + 1] - 1 */
    uint16_t ascii[128]; /* the class of each ASCII character */
    /* by class: whether it has word characters; all false if no anchor tests for words */
    bool *is_word;
    uint64_t *takes;      /* by class: the places that consume its characters */
    uint64_t *pauses;     /* the places where a run stops until it knows the next one */
    uint64_t *assertions; /* those of them that are anchors: they consume nothing */
} regex;

/* Describes an error in an expression; `at` is its byte, counted from 1. */
typedef struct regex_error {
    const char *why;
    size_t at;
} regex_error;

/* Compiles an expression of n bytes. `out` must be cleared even on failure. Errors: INVALID
 * (`error` has the reason), NOMEM, BUDGET. */
LODE_NODISCARD lode_status regex_compile(mem *m, const char *text, size_t n, regex *out,
                                         regex_error *error);
void regex_clear(mem *m, regex *r);

/* A run calls ask() about every 0.1 ms; the interval does not begin again with each text. A status
 * other than OK ends the match. */
typedef struct regex_poll {
    lode_status (*ask)(void *user);
    void *user;
} regex_poll;

typedef struct regex_run {
    const regex *code;
    regex_poll poll;
    uint64_t steps; /* steps since the last poll */
    void *block;    /* contains all arrays below */
    size_t bytes;
    uint64_t *keys;           /* by state: see regex.c */
    uint64_t *from, *to;      /* keys under construction */
    uint32_t *rows;           /* by state and class: offset of the next state's row */
    uint32_t *slots;          /* hash table of states by key; 0 = empty */
    uint32_t *stack, n_stack; /* places to visit */
    uint32_t width;           /* entries of a row: one per class, and one for the end of the text */
    uint32_t n_states, room;  /* state 0 is unused */
    uint32_t first;           /* row of the start state; 0 = not made yet */
} regex_run;

/* Prepares a run. regex_stop() must be called even on failure. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status regex_start(mem *m, const regex *code, regex_poll poll, regex_run *out);
void regex_stop(mem *m, regex_run *run);
/* Sets *found to whether the expression matches anywhere in the text. Errors: those of the poll. */
LODE_NODISCARD lode_status regex_match(regex_run *run, const char *text, size_t n, bool *found);

/* Returns the class of a character, given by its number (utf8_code()). */
static inline uint32_t regex_class(const regex *r, uint32_t character) {
    uint32_t low = 0, high = r->n_classes;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (r->starts[middle] <= character) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
