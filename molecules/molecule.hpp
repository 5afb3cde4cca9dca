/* molecule.hpp - a molecule as RDKit reads it, and as a labelled graph
 *
 * The labels are those of lode's `--labels atomic`: element symbols, and single, double, triple or
 * aromatic. Hydrogens that RDKit takes for implicit are left out. Charges, isotopes and
 * stereochemistry do not become labels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MOLECULES_MOLECULE_HPP
#define LODE_MOLECULES_MOLECULE_HPP

#include "records.hpp"

/* Keeps RDKit from writing messages of its own. Call it first. */
void molecule_begin();

/* Reads SMILES or a MOL block, and appends the graph: lines t, v and e. A record without an id gets
 * its number. Returns false, and in `why` the reason, if RDKit cannot read it. */
bool molecule_put(std::string &out, const Record &record, bool is_sdf, uint64_t number,
                  std::string &why);
/* Appends what lode counts as a malformed graph. */
void molecule_put_bad(std::string &out, uint64_t number);

#endif
