/* smarts.c - see smarts.h
 *
 * The code is read once, from left to right. In SMARTS, the edges that close rings must follow
 * their atom at once, while a code has them among the branches. So they are inserted at the place
 * where the text of the atom ends; a stack has these places for the atoms whose branches are
 * open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/smarts.h"

#include <stdio.h>
#include <string.h>

#include "base/elements.h"

typedef struct smarts {
    mem *mem;
    vec_char *out;
    const char *at, *end;
    vec_u64 places; /* of open branches: where the text of their atom ends */
    size_t place;   /* where the text of the current atom ends */
    bool branch;    /* a branch begins with the next edge */
    smarts_text *bad;
} smarts;

static const struct {
    const char *label, *bond;
} smarts_bonds[] = {
    {"single", "-"}, {"double", "="}, {"triple", "#"}, {"aromatic", ":"}, {"quadruple", "$"},
    {"-", "-"},      {"=", "="},      {"#", "#"},      {":", ":"},        {"", "~"},
};

static const char *smarts_bond(const char *label, size_t n) {
    for (size_t i = 0; i < sizeof smarts_bonds / sizeof *smarts_bonds; i++) {
        const char *known = smarts_bonds[i].label;
        if (strlen(known) == n && memcmp(known, label, n) == 0) return smarts_bonds[i].bond;
    }
    return NULL;
}

static bool is_any_atom(const char *label, size_t n) {
    return n == 1 && *label == '*';
}

bool smarts_has_atom(const char *label, size_t n) {
    return is_any_atom(label, n) || element_number(label, n) > 0;
}

bool smarts_has_bond(const char *label, size_t n) {
    return smarts_bond(label, n) != NULL;
}

static lode_status smarts_refuse(smarts *s, const char *at, size_t n) {
    *s->bad = (smarts_text){at, n};
    return LODE_UNSUPPORTED;
}

static char smarts_peek(const smarts *s) {
    return (char)(s->at < s->end ? *s->at : 0);
}

static lode_status smarts_append(smarts *s, const char *text) {
    return vec_char_append(s->mem, s->out, text, strlen(text));
}

/* Inserts a text where the text of the current atom ends. */
static lode_status smarts_insert(smarts *s, const char *text) {
    size_t n = strlen(text), after = s->out->n - s->place;
    lode_status status = smarts_append(s, text);
    if (status != LODE_OK) return status;
    char *place = s->out->data + s->place;
    memmove(place + n, place, after);
    memcpy(place, text, n);
    s->place += n;
    return LODE_OK;
}

/* {12} as %12 */
static lode_status smarts_ring(smarts *s, const char *bond) {
    char text[32];
    unsigned long number = 0;
    const char *from = s->at++;
    for (; smarts_peek(s) >= '0' && smarts_peek(s) <= '9'; s->at++) {
        number = number * 10 + (unsigned long)(*s->at - '0');
    }
    if (smarts_peek(s) != '}') return smarts_refuse(s, from, (size_t)(s->end - from));
    s->at++;
    const char *form = number < 10 ? "%s%lu" : number < 100 ? "%s%%%lu" : "%s%%(%lu)";
    snprintf(text, sizeof text, form, bond, number);
    return smarts_insert(s, text);
}

/* [C]{1}{2}: an atom, and the numbers of rings that are closed by later ones. */
static lode_status smarts_atom(smarts *s) {
    lode_status status = LODE_OK;
    char text[16];
    const char *label = s->at + 1, *close = memchr(s->at, ']', (size_t)(s->end - s->at));
    size_t n = (size_t)((close ? close : s->end) - label);
    if (!close || !smarts_has_atom(label, n)) return smarts_refuse(s, label, n);
    snprintf(text, sizeof text, "[#%zu]", element_number(label, n));
    LODE_TRY(smarts_append(s, text));
    s->place = s->out->n;
    for (s->at = close + 1; smarts_peek(s) == '{';) LODE_TRY(smarts_ring(s, ""));
done:
    return status;
}

/* Finds the bond of "-double-", or of "-" alone; the label - makes that "---". */
static const char *smarts_read_bond(smarts *s) {
    const char *label = ++s->at;
    const char *close =
        label < s->end ? memchr(label + 1, '-', (size_t)(s->end - label - 1)) : NULL;
    bool none = smarts_peek(s) == '[' || smarts_peek(s) == '{';
    size_t n = none || !close ? 0 : (size_t)(close - label);
    if (!none) s->at = close ? close + 1 : s->end;
    const char *bond = none || close ? smarts_bond(label, n) : NULL;
    if (bond && smarts_peek(s) != '>') return bond;
    *s->bad = (smarts_text){label, n};
    return NULL;
}

/* A bond, and the atom or the ring to which it leads. */
static lode_status smarts_edge(smarts *s) {
    lode_status status = LODE_OK;
    const char *bond = smarts_read_bond(s);
    if (!bond) return LODE_UNSUPPORTED;
    if (smarts_peek(s) == '{') {
        LODE_TRY(smarts_ring(s, bond));
        if (!s->branch) goto done;
        s->branch = false;
        if (smarts_peek(s) == ')') s->at++;
        goto done;
    }
    if (s->branch) {
        LODE_TRY(vec_u64_push(s->mem, &s->places, s->place));
        LODE_TRY(smarts_append(s, "("));
    }
    s->branch = false;
    LODE_TRY(smarts_append(s, bond));
    status =
        smarts_peek(s) == '[' ? smarts_atom(s) : smarts_refuse(s, s->at, (size_t)(s->end - s->at));
done:
    return status;
}

static lode_status smarts_step(smarts *s) {
    switch (*s->at) {
    case '[': return smarts_atom(s);
    case '-': return smarts_edge(s);
    case '(':
        s->at++;
        s->branch = true;
        return LODE_OK;
    case ')':
        if (s->places.n == 0) break;
        s->at++;
        s->place = (size_t)s->places.data[--s->places.n];
        return smarts_append(s, ")");
    default: break;
    }
    return smarts_refuse(s, s->at, (size_t)(s->end - s->at)); /* <- : a direction */
}

lode_status smarts_put(mem *m, vec_char *out, smarts_text code, smarts_text *bad) {
    lode_status status = LODE_OK;
    smarts s = {.mem = m, .out = out, .at = code.at, .end = code.at + code.n, .bad = bad};
    while (s.at < s.end && status == LODE_OK) status = smarts_step(&s);
    vec_u64_free(m, &s.places);
    return status;
}
