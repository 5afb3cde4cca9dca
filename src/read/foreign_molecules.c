/* foreign_molecules.c - are these molecules? See foreign.h
 *
 * SMILES are words such as CC(=O)Oc1ccccc1, and some of them could be names of items: C, CO, COIN.
 * So each first word of a line must be a whole SMILES (brackets and rings closed, atoms that
 * exist), and every other one must have what no name has: branches, double bonds, rings, charges.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/foreign.h"

#define MOLECULES_LINES 50
#define SMILES_TELLING  4 /* atoms at least: C=N may be an attribute and its value */

/* ---- SDF and MOL: the fourth line counts atoms and bonds, and ends in a version ---- */

bool foreign_is_molfile(foreign_head head) {
    for (unsigned i = 0; i < 3; i++) foreign_line(&head);
    foreign_head line = foreign_line(&head);
    while (line.end > line.text && line.end[-1] == ' ') line.end--;
    if (line.end - line.text < 30) return false;
    foreign_head version = {line.end - 5, line.end};
    return foreign_starts(version, "V2000") || foreign_starts(version, "V3000");
}

/* ---- SMILES ---- */

typedef struct smiles {
    const char *at, *end;
    unsigned atoms, open; /* atoms seen; branches that are open */
    unsigned rings[100];  /* 1 + the atom where a ring was opened; 0 = not open */
    bool telling;         /* it has what no name of an item has */
} smiles;

static bool smiles_is(const smiles *s, const char *set) {
    return s->at < s->end && *s->at && strchr(set, *s->at);
}

/* An atom without brackets. */
static bool smiles_atom(smiles *s) {
    if (!smiles_is(s, "BCNOPSFIbcnops*")) return false;
    char first = *s->at++;
    if (first == 'C' && smiles_is(s, "l")) s->at++;
    if (first == 'B' && smiles_is(s, "r")) s->at++;
    s->atoms++;
    return true;
}

/* [13C@H+2:1]: a mass, an element, then marks. */
static bool smiles_bracket(smiles *s) {
    if (!smiles_is(s, "[")) return false;
    s->at++;
    while (smiles_is(s, "0123456789")) s->at++;
    if (smiles_is(s, "ABCDEFGHIKLMNOPRSTUVWXYZ")) {
        s->at++;
        if (smiles_is(s, "abcdefghiklmnoprstuy")) s->at++;
    } else if (smiles_is(s, "bcnopsat*")) {
        s->at++;
        if (smiles_is(s, "es")) s->at++;
    } else {
        return false;
    }
    while (smiles_is(s, "@H+-0123456789:")) {
        if (smiles_is(s, "@+-")) s->telling = true;
        s->at++;
    }
    s->atoms++;
    return smiles_is(s, "]") && s->at++;
}

/* A digit, or % and two digits: opens a ring, or closes it some atoms later. */
static bool smiles_ring(smiles *s) {
    unsigned number = 0;
    unsigned digits = 1;
    if (smiles_is(s, "%")) {
        digits = 2;
        s->at++;
    }
    for (; digits > 0; digits--) {
        if (!smiles_is(s, "0123456789")) return false;
        number = number * 10 + (unsigned)(*s->at++ - '0');
    }
    if (s->atoms == 0) return false;
    unsigned opened = s->rings[number];
    if (opened && s->atoms + 1 < opened + 2) return false; /* a ring has three atoms at least */
    if (opened) s->telling = true;
    s->rings[number] = opened ? 0 : 1 + s->atoms;
    return true;
}

static bool smiles_mark(smiles *s) {
    if (smiles_is(s, "-.:/\\~")) {
        s->at++;
        return s->atoms > 0;
    }
    if (smiles_is(s, "=#$")) {
        s->telling = true;
        s->at++;
        return s->atoms > 0;
    }
    if (smiles_is(s, "(")) {
        s->telling = true;
        s->open++;
        s->at++;
        return s->atoms > 0;
    }
    if (!smiles_is(s, ")") || s->open == 0) return false;
    s->open--;
    s->at++;
    return true;
}

/* Whether a word is a whole SMILES; *telling: it can hardly be anything else. */
static bool is_smiles(const char *word, size_t n, bool *telling) {
    smiles s = {.at = word, .end = word + n};
    while (s.at < s.end) {
        bool good = smiles_is(&s, "[")             ? smiles_bracket(&s)
                    : smiles_is(&s, "%0123456789") ? smiles_ring(&s)
                                                   : smiles_atom(&s) || smiles_mark(&s);
        if (!good) return false;
    }
    for (unsigned i = 0; i < 100; i++) {
        if (s.rings[i]) return false;
    }
    *telling = s.telling && s.atoms >= SMILES_TELLING;
    return s.atoms > 0 && s.open == 0;
}

/* ---- lines of them ---- */

static bool ends_word(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '|' || c == '"';
}

/* Whether a word of the line is a telling SMILES; `first`: whether the first word is a SMILES. */
static bool line_has_smiles(foreign_head line, bool first, bool *telling) {
    *telling = false;
    while (line.text < line.end) {
        while (line.text < line.end && ends_word(*line.text)) line.text++;
        const char *word = line.text;
        while (line.text < line.end && !ends_word(*line.text)) line.text++;
        bool good = is_smiles(word, (size_t)(line.text - word), telling);
        if (first || (good && *telling)) return good;
    }
    return false;
}

/* A table with a column named SMILES. */
static bool is_table_of_smiles(foreign_head head) {
    foreign_head line = foreign_line(&head);
    bool telling;
    if (!foreign_holds(line, "smiles")) return false;
    line = foreign_line(&head);
    return line_has_smiles(line, false, &telling);
}

bool foreign_is_smiles(foreign_head head) {
    size_t lines = 0, sure = 0;
    if (is_table_of_smiles(head)) return true;
    while (head.text < head.end && lines < MOLECULES_LINES) {
        bool telling;
        foreign_head line = foreign_line(&head);
        bool cut = head.text == head.end && lines > 0; /* the last line may be incomplete */
        if (line.text == line.end) continue;
        if (!line_has_smiles(line, true, &telling)) {
            if (cut) break;
            return false;
        }
        lines++;
        sure += telling;
    }
    return sure > 0 && 2 * sure >= lines;
}
