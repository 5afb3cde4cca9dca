/* smarts.h - the code of a graph pattern as SMARTS, which programs for molecules search for
 *
 *     [C]{1}-aromatic-[C](-single-[O])-aromatic-[N]-aromatic-{1}       the code (smiles.h)
 *     [#6]1:[#6](-[#8]):[#7]:1                                         SMARTS
 *
 * Vertex labels must be element symbols, or * for atoms of no element. Edge labels must be bonds.
 * Atoms are written by number: [#6] matches aromatic and other carbons, whatever their charges,
 * isotopes and hydrogens are, like the label C. An edge without a label matches any bond.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SMARTS_H
#define LODE_WRITE_CORE_SMARTS_H

#include "base/vec.h"

/* Text within a code. */
typedef struct smarts_text {
    const char *at;
    size_t n;
} smarts_text;

/* Whether SMARTS can express these labels. */
bool smarts_has_atom(const char *label, size_t n);
bool smarts_has_bond(const char *label, size_t n);

/* Appends the SMARTS of a code. Errors: NOMEM, BUDGET; UNSUPPORTED: SMARTS cannot express the label
 * *bad, or a direction. */
LODE_NODISCARD lode_status smarts_put(mem *m, vec_char *out, smarts_text code, smarts_text *bad);

#endif
