/* molecule.cpp - see molecule.hpp
 * SPDX-License-Identifier: Apache-2.0 */
#include "molecule.hpp"

#include <memory>
#include <sstream>

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/RDKitBase.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <RDGeneral/RDLog.h>

static const size_t WHY_BYTES = 160;

/* ---- reading --------------------------------------------------------------------------------- */

static std::ostringstream said; /* by RDKit, of the molecule in work */

void molecule_begin() {
    RDLog::InitLogs();
    boost::logging::disable_logs("rdApp.*");
    rdErrorLog->dp_dest = &said;
    boost::logging::enable_logs("rdApp.error");
}

/* The first line of a message, without the time before it and the molecule after it. */
static std::string short_reason(std::string text) {
    if (!text.empty() && text[0] == '[') text.erase(0, text.find("] ") + 2);
    text.erase(std::min(text.find('\n'), text.size()));
    text.erase(std::min(text.find(" for input: "), text.size()));
    text.erase(std::min(text.find(" while parsing: "), text.size()));
    if (text.size() > WHY_BYTES) text.erase(WHY_BYTES);
    return text;
}

static std::unique_ptr<RDKit::ROMol> read_molecule(const std::string &text, bool is_sdf,
                                                   std::string &why) {
    std::unique_ptr<RDKit::ROMol> molecule;
    said.str("");
    try {
        if (is_sdf) {
            molecule.reset(RDKit::MolBlockToMol(text));
        } else {
            RDKit::SmilesParserParams how;
            how.allowCXSMILES = how.parseName = false;
            molecule.reset(RDKit::SmilesToMol(text, how));
        }
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        why = short_reason(error.what());
    }
    if (!molecule && why.empty()) why = short_reason(said.str());
    return molecule;
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *bond_name(RDKit::Bond::BondType type) {
    switch (type) {
    case RDKit::Bond::SINGLE: return "single";
    case RDKit::Bond::DOUBLE: return "double";
    case RDKit::Bond::TRIPLE: return "triple";
    case RDKit::Bond::AROMATIC: return "aromatic";
    case RDKit::Bond::QUADRUPLE: return "quadruple";
    case RDKit::Bond::DATIVE: return "dative";
    case RDKit::Bond::ZERO: return "zero";
    case RDKit::Bond::HYDROGEN: return "hydrogen";
    default: return "other";
    }
}

/* Appends a word of a line t: without blanks. */
static void put_word(std::string &out, const std::string &word) {
    for (unsigned char c : word) out.push_back(c <= ' ' || c == 0x7f ? '_' : static_cast<char>(c));
}

static void put_number(std::string &out, uint64_t number) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number));
    out.append(digits, static_cast<size_t>(n));
}

static void put_head(std::string &out, const Record &record, uint64_t number) {
    out += "t # ";
    if (record.id.empty()) {
        put_number(out, number);
    } else {
        put_word(out, record.id);
        if (record.id == "-1") out += '_'; /* -1 alone would end the graphs */
    }
    if (!record.group.empty()) {
        out += ' ';
        put_word(out, record.group);
        if (record.group == "*") out += '_'; /* * alone would be followed by a support */
    }
    out += '\n';
}

static void put_graph(std::string &out, const RDKit::ROMol &molecule) {
    const RDKit::PeriodicTable &elements = *RDKit::PeriodicTable::getTable();
    for (const auto *atom : molecule.atoms()) {
        out += "v ";
        put_number(out, atom->getIdx());
        out += ' ';
        out += elements.getElementSymbol(atom->getAtomicNum()); /* * is no element */
        out += '\n';
    }
    for (const auto *bond : molecule.bonds()) {
        out += "e ";
        put_number(out, bond->getBeginAtomIdx());
        out += ' ';
        put_number(out, bond->getEndAtomIdx());
        out += ' ';
        out += bond_name(bond->getBondType());
        out += '\n';
    }
}

bool molecule_put(std::string &out, const Record &record, bool is_sdf, uint64_t number,
                  std::string &why) {
    std::unique_ptr<RDKit::ROMol> molecule = read_molecule(record.text, is_sdf, why);
    if (!molecule) return false;
    put_head(out, record, number);
    put_graph(out, *molecule);
    return true;
}

void molecule_put_bad(std::string &out, uint64_t number) {
    put_head(out, Record{}, number);
    out += "RDKit cannot read this molecule\n";
}
