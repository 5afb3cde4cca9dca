/* molecules.c - graphs like the molecules of a drug library: rings and groups, joined by valence
 *
 * Set-up: the fragments below are parsed. They are written in a part of SMILES: an upper-case atom
 * is aliphatic, a lower-case one aromatic, [nH] is aromatic with a hydrogen, = and # are bonds,
 * parentheses are branches, and digits close rings. Hydrogens are not vertices: each atom knows how
 * many it has left, and a bond to another fragment takes one of each side.
 *
 * Graphs: a molecule begins with a ring. Then an atom of it and a fragment are drawn, and joined by
 * a single bond, until the molecule has the number of bonds that was drawn for it. Rings are joined
 * at any atom, groups at their first.
 *
 *     c1ccccc1 (benzene)  +  C(=O)N (amide)   ->   a ring with C(=O)N, which can go on at the N
 *
 * Weights are chosen so that the shares of atoms and bonds are near those of the 41,127 molecules
 * of the antiviral screen against HIV (docs/generate.md has both). No molecule is meant to be real.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/draw.h"
#include "extras/generate/graph_models.h"

#define MOLECULE_TRIES 64 /* to find an atom and a fragment that go together */
#define RING_MARKS     4  /* digits that close rings, from 1 on */
#define RING_BRANCHES  4  /* depth of branches in a fragment */

enum { BOND_SINGLE, BOND_DOUBLE, BOND_TRIPLE, BOND_AROMATIC, BOND_NONE };
enum { CARBON, NITROGEN, OXYGEN, SULPHUR, FLUORINE, CHLORINE, BROMINE, IODINE, N_ELEMENTS };

static const char *const element_names[N_ELEMENTS + 1] = {"C",  "N",  "O", "S", "F",
                                                          "Cl", "Br", "I", NULL};
static const char *const bond_names[] = {"single", "double", "triple", "aromatic", NULL};
static const uint8_t element_valences[N_ELEMENTS] = {4, 3, 2, 2, 1, 1, 1, 1};

typedef struct fragment_row {
    const char *text;
    uint8_t weight;
} fragment_row;

static const fragment_row ring_rows[] = {
    {"c1ccccc1", 90},
    {"c1ccncc1", 11},
    {"c1cncnc1", 7},
    {"c1ccsc1", 5},
    {"c1ccoc1", 6},
    {"c1cc[nH]c1", 3},
    {"c1cnc[nH]1", 5},
    {"c1cn[nH]c1", 4},
    {"c1cscn1", 5},
    {"c1ccc2ccccc2c1", 5},
    {"c1ccc2[nH]ccc2c1", 4},
    {"c1ccc2ncccc2c1", 5},
    {"c1ccc2scnc2c1", 3},
    {"c1ccc2[nH]cnc2c1", 3},
    {"c1ccc2OCOc2c1", 4},
    {"C1CCCCC1", 8},
    {"O=C1CCCCC1", 5},
    {"C1CCCC1", 4},
    {"C1CC1", 2},
    {"N1CCCCC1", 7},
    {"N1CCNCC1", 7},
    {"N1CCOCC1", 6},
    {"N1CCCC1", 5},
    {"O1CCCC1", 7},
    {"C1CCOCC1", 7},
    {"O=C1CCC(=O)N1", 7},
    {"O=C1NCCS1", 4},
    {"O=C1C=CC(=O)C=C1", 4},
    {"O=C1NC(=O)C=CN1", 7},
};
static const fragment_row group_rows[] = {
    {"C", 22},       {"CC", 9},       {"CCC", 4},        {"C(C)C", 5},      {"C(C)(C)C", 2},
    {"O", 24},       {"OC", 22},      {"OCC", 6},        {"N", 15},         {"NC", 6},
    {"N(C)C", 5},    {"CO", 8},       {"CN", 6},         {"C(=O)O", 24},    {"C(=O)OC", 11},
    {"C(=O)OCC", 9}, {"C(=O)N", 30},  {"NC(=O)C", 18},   {"C(=O)C", 14},    {"C(=O)", 16},
    {"C=C", 6},      {"C=CC(=O)", 8}, {"C=N", 8},        {"C=NN", 5},       {"C#N", 6},
    {"F", 6},        {"Cl", 14},      {"Br", 4},         {"I", 1},          {"C(F)(F)F", 2},
    {"S", 3},        {"SC", 6},       {"S(=O)(=O)N", 8}, {"S(=O)(=O)C", 4}, {"NC(=O)N", 6},
    {"NC(=S)N", 5},
};
enum {
    N_RINGS = sizeof ring_rows / sizeof ring_rows[0],
    N_GROUPS = sizeof group_rows / sizeof group_rows[0],
    N_FRAGMENTS = N_RINGS + N_GROUPS
};

/* ---- atoms: what a molecule knows of each of its vertices ------------------------------------ */

typedef struct atom {
    uint8_t element, valence, used; /* used: orders of its bonds to other atoms */
    bool aromatic;
    bool loaded; /* an aliphatic carbon with a multiple bond, or at an atom that is no carbon */
} atom;

/* An atom in the 32 bits that a vector has for it. */
static uint32_t atom_pack(atom a) {
    return a.element | (uint32_t)a.valence << 8 | (uint32_t)a.used << 16 |
           (uint32_t)a.aromatic << 24 | (uint32_t)a.loaded << 25;
}

static atom atom_unpack(uint32_t bits) {
    return (atom){.element = bits & 0xff,
                  .valence = bits >> 8 & 0xff,
                  .used = bits >> 16 & 0xff,
                  .aromatic = bits >> 24 & 1,
                  .loaded = bits >> 25 & 1};
}

static bool atom_has_hydrogen(atom a) {
    return a.used < a.valence;
}

/* In an aromatic ring each bond counts one; the valence leaves out the electron that the atom
 * shares with the whole ring. */
static unsigned bond_order(uint32_t bond) {
    return bond == BOND_AROMATIC ? 1 : bond + 1;
}

static void atom_bond(vec_u32 *atoms, uint32_t v, uint32_t to, uint32_t bond) {
    atom a = atom_unpack(atoms->data[v]), other = atom_unpack(atoms->data[to]);
    a.used = (uint8_t)(a.used + bond_order(bond));
    if (a.element == SULPHUR && a.used > 2) a.valence = 6;
    if (a.element == CARBON && !a.aromatic) {
        a.loaded = a.loaded || bond != BOND_SINGLE || other.element != CARBON;
    }
    atoms->data[v] = atom_pack(a);
}

/* ---- a graph whose vertices are atoms -------------------------------------------------------- */

typedef struct molecule {
    grown_graph g;
    vec_u32 atoms;
} molecule;

static lode_status molecule_atom(mem *m, grown_graph *g, vec_u32 *atoms, atom a) {
    uint32_t number;
    lode_status status = grown_vertex(g, m, a.element, &number);
    return status == LODE_OK ? vec_u32_push(m, atoms, atom_pack(a)) : status;
}

static lode_status molecule_bond(mem *m, grown_graph *g, vec_u32 *atoms, grown_edge e) {
    atom_bond(atoms, e.from, e.to, e.label);
    atom_bond(atoms, e.to, e.from, e.label);
    return grown_add(g, m, e);
}

/* ---- fragments from text --------------------------------------------------------------------- */

typedef struct fragment_parser {
    mem *mem;
    molecule *f;
    uint32_t last, bond; /* the atom that the next is joined to, and how; BOND_NONE = as usual */
    uint32_t branch[RING_BRANCHES], n_branches;
    uint32_t open[RING_MARKS]; /* by digit: the atom + 1 where a ring begins; 0 = none */
} fragment_parser;

static lode_status parse_bond(fragment_parser *p, uint32_t from, uint32_t to) {
    const vec_u32 *atoms = &p->f->atoms;
    bool ring = atom_unpack(atoms->data[from]).aromatic && atom_unpack(atoms->data[to]).aromatic;
    uint32_t label = p->bond != BOND_NONE ? p->bond : ring ? BOND_AROMATIC : BOND_SINGLE;
    p->bond = BOND_NONE;
    return molecule_bond(p->mem, &p->f->g, &p->f->atoms, (grown_edge){from, to, label});
}

/* The element of an atom: the first that the text begins with, in either case, the longest last. */
static uint8_t parse_element(const char *text, bool *aromatic, size_t *n) {
    static const char aromatic_letters[] = "cnos";
    const char *small = strchr(aromatic_letters, *text);
    *n = 1;
    *aromatic = small != NULL;
    if (small) return (uint8_t)(small - aromatic_letters);
    uint8_t found = CARBON;
    for (uint8_t i = 0; i < N_ELEMENTS; i++) {
        size_t length = strlen(element_names[i]);
        if (length < *n || strncmp(text, element_names[i], length) != 0) continue;
        found = i;
        *n = length;
    }
    return found;
}

static lode_status parse_atom(fragment_parser *p, const char *text, size_t *n) {
    bool aromatic;
    uint8_t element = parse_element(text, &aromatic, n);
    atom a = {.element = element, .valence = element_valences[element], .aromatic = aromatic};
    if (aromatic && (element == CARBON || element == NITROGEN)) a.valence--;
    uint32_t number = (uint32_t)p->f->atoms.n;
    lode_status status = molecule_atom(p->mem, &p->f->g, &p->f->atoms, a);
    if (status == LODE_OK && number > 0) status = parse_bond(p, p->last, number);
    p->last = number;
    return status;
}

static lode_status parse_ring(fragment_parser *p, unsigned digit) {
    uint32_t *open = &p->open[digit - 1], from = *open;
    *open = from ? 0 : p->last + 1;
    return from ? parse_bond(p, from - 1, p->last) : LODE_OK;
}

/* The H of [nH]: such a nitrogen gives the ring two electrons, and has one more neighbour. */
static void parse_hydrogen(fragment_parser *p) {
    atom a = atom_unpack(p->f->atoms.data[p->last]);
    a.valence++;
    p->f->atoms.data[p->last] = atom_pack(a);
}

static lode_status fragment_parse(mem *m, molecule *f, const char *text) {
    lode_status status = LODE_OK;
    fragment_parser p = {.mem = m, .f = f, .bond = BOND_NONE};
    size_t step = 1;
    for (; *text; text += step) {
        step = 1;
        switch (*text) {
        case '[':
        case ']': break;
        case '(': p.branch[p.n_branches++] = p.last; break;
        case ')': p.last = p.branch[--p.n_branches]; break;
        case '=': p.bond = BOND_DOUBLE; break;
        case '#': p.bond = BOND_TRIPLE; break;
        case 'H': parse_hydrogen(&p); break;
        default:
            if (*text >= '1' && *text <= '9') {
                LODE_TRY(parse_ring(&p, (unsigned)(*text - '0')));
            } else {
                LODE_TRY(parse_atom(&p, text, &step));
            }
        }
    }
done:
    return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef struct molecules {
    mem *mem;
    molecule fragments[N_FRAGMENTS]; /* rings, then groups */
    draw_table sizes, rings, choice;
} molecules;

/* Whether a bond between the two is one that molecules have: not between two atoms that are no
 * carbons, and not from such an atom to a carbon that has one already. */
static bool molecule_may_join(atom a, atom b) {
    if (!atom_has_hydrogen(a) || !atom_has_hydrogen(b)) return false;
    if (a.element != CARBON && b.element != CARBON) return false;
    bool hetero = a.element != CARBON || b.element != CARBON;
    return !hetero || !(a.loaded || b.loaded);
}

/* An acyl group may be joined to a heteroatom: amides and esters. */
static bool molecule_is_acyl(const molecule *f, uint32_t at) {
    const grown_edge *first = f->g.edges;
    return at == 0 && f->g.n_edges > 0 && f->g.labels.data[0] == CARBON &&
           first->label == BOND_DOUBLE && f->g.labels.data[first->to] == OXYGEN;
}

/* Adds a fragment to a molecule, by a bond between atom `at` of the fragment and atom `on`; to an
 * empty one without. */
static lode_status molecule_put(mem *m, grown_graph *g, vec_u32 *atoms, const molecule *f,
                                grown_edge joint) {
    lode_status status = LODE_OK;
    uint32_t first = (uint32_t)g->labels.n;
    for (uint32_t v = 0; v < f->atoms.n; v++) {
        LODE_TRY(molecule_atom(m, g, atoms, atom_unpack(f->atoms.data[v])));
    }
    for (size_t i = 0; i < f->g.n_edges; i++) {
        grown_edge e = f->g.edges[i]; /* the atoms of a fragment know its bonds already */
        LODE_TRY(grown_add(g, m, (grown_edge){first + e.from, first + e.to, e.label}));
    }
    if (first > 0) {
        joint.to += first;
        LODE_TRY(molecule_bond(m, g, atoms, joint));
    }
done:
    return status;
}

/* Draws an atom of the molecule and a fragment of at most `most` bonds that go together, with the
 * bond to it; false after some tries. */
static bool molecule_find(const molecules *q, const vec_u32 *atoms, size_t most, rng *r,
                          const molecule **f, grown_edge *joint) {
    for (unsigned i = 0; i < MOLECULE_TRIES; i++) {
        uint32_t which = draw_table_next(&q->choice, r);
        *f = &q->fragments[which];
        uint32_t on = (uint32_t)rng_below(r, atoms->n);
        uint32_t at = which < N_RINGS ? (uint32_t)rng_below(r, (*f)->atoms.n) : 0;
        if ((*f)->g.n_edges + 1 > most) continue;
        atom a = atom_unpack(atoms->data[on]), b = atom_unpack((*f)->atoms.data[at]);
        if (molecule_is_acyl(*f, at)) b.loaded = false;
        if (!molecule_may_join(a, b)) continue;
        *joint = (grown_edge){on, at, BOND_SINGLE};
        return true;
    }
    return false;
}

static lode_status molecules_make(const void *self, void *scratch, grown_graph *g, rng *r) {
    const molecules *q = self;
    vec_u32 *atoms = scratch;
    lode_status status = LODE_OK;
    const molecule *f = &q->fragments[draw_table_next(&q->rings, r)];
    grown_edge joint = {0};
    size_t size = draw_table_next(&q->sizes, r);
    atoms->n = 0;
    if (f->g.n_edges > size) f = &q->fragments[N_RINGS]; /* too small for a ring: one carbon */
    LODE_TRY(molecule_put(q->mem, g, atoms, f, joint));
    while (g->n_edges < size && molecule_find(q, atoms, size - g->n_edges, r, &f, &joint)) {
        LODE_TRY(molecule_put(q->mem, g, atoms, f, joint));
    }
done:
    return status;
}

static void molecules_close(const void *self, void *scratch) {
    const molecules *q = self;
    vec_u32_free(q->mem, scratch);
}

static void molecules_free(void *self) {
    molecules *q = self;
    for (unsigned i = 0; i < N_FRAGMENTS; i++) {
        grown_free(&q->fragments[i].g, q->mem);
        vec_u32_free(q->mem, &q->fragments[i].atoms);
    }
    draw_table_free(&q->choice);
    draw_table_free(&q->rings);
    draw_table_free(&q->sizes);
}

static lode_status molecules_prepare(void *self, mem *m, const lode_graphgen_options *o) {
    molecules *q = self;
    lode_status status = LODE_OK;
    double weights[N_FRAGMENTS];
    *q = (molecules){.mem = m};
    for (unsigned i = 0; i < N_FRAGMENTS; i++) {
        const fragment_row *row = i < N_RINGS ? &ring_rows[i] : &group_rows[i - N_RINGS];
        weights[i] = row->weight;
        LODE_TRY(fragment_parse(m, &q->fragments[i], row->text));
    }
    LODE_TRY(draw_table_lengths(&q->sizes, m, o->mean_edges));
    LODE_TRY(draw_table_weights(&q->rings, m, weights, N_RINGS));
    LODE_TRY(draw_table_weights(&q->choice, m, weights, N_FRAGMENTS));
done:
    return status;
}

const graph_model graph_model_molecules = {
    .bytes = sizeof(molecules),
    .scratch_bytes = sizeof(vec_u32),
    .vertex_names = element_names,
    .edge_names = bond_names,
    .prepare = molecules_prepare,
    .free = molecules_free,
    .make = molecules_make,
    .close = molecules_close,
};
