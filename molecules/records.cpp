/* records.cpp - see records.hpp
 * SPDX-License-Identifier: Apache-2.0 */
#include "records.hpp"

#include <algorithm>
#include <cctype>

static const size_t QUOTED_LINES = 100; /* of a quoted field, as in lode's own tables */
static const size_t MOLFILE_BYTES = 16 << 20;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static std::string trimmed(const std::string &text) {
    size_t from = 0, to = text.size();
    while (from < to && is_blank(text[from])) from++;
    while (to > from && is_blank(text[to - 1])) to--;
    return text.substr(from, to - from);
}

/* "Canonical SMILES" and canonical_smiles are the same name. */
static std::string plain_name(const std::string &name) {
    std::string plain;
    for (unsigned char c : name) {
        if (isalnum(c) || c >= 0x80) plain.push_back(static_cast<char>(tolower(c)));
    }
    return plain;
}

static bool is_number(const std::string &text) {
    return !text.empty() && text.size() < 7 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c); });
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Cuts a line into words, as in "CCO ethanol". */
static void split_blanks(const std::string &line, std::vector<std::string> &out) {
    out.clear();
    for (size_t at = 0; at < line.size();) {
        while (at < line.size() && is_blank(line[at])) at++;
        size_t from = at;
        while (at < line.size() && !is_blank(line[at])) at++;
        if (at > from) out.push_back(line.substr(from, at - from));
    }
}

/* Cuts a line into fields; false if a quoted field does not end in it. */
static bool split_fields(const std::string &line, char separator, std::vector<std::string> &out,
                         std::string &bad) {
    size_t at = 0;
    for (out.clear(); at <= line.size(); at++) {
        std::string field;
        while (at < line.size() && line[at] != separator && is_blank(line[at])) at++;
        if (at == line.size() || line[at] != '"') {
            size_t end = std::min(line.find(separator, at), line.size());
            out.push_back(trimmed(line.substr(at, end - at)));
            at = end;
            continue;
        }
        for (at++;; at++) {
            if (at == line.size()) return false;
            bool quote = line[at] == '"';
            if (quote && (at + 1 == line.size() || line[at + 1] != '"')) break;
            at += quote; /* two quotes stand for one */
            field.push_back(line[at]);
        }
        at++;
        while (at < line.size() && line[at] != separator && is_blank(line[at])) at++;
        if (at < line.size() && line[at] != separator) {
            bad = "text after a closing quote; expected a separator";
            return true;
        }
        out.push_back(field);
    }
    return true;
}

/* Reads the next row, which has several lines if a quoted field has. */
bool Records::fields(std::vector<std::string> &out, std::string &bad) {
    std::string row, more;
    bad.clear();
    do {
        if (!source_.line(row)) return false;
    } while (trimmed(row).empty());
    first_ = source_.number();
    if (separator_ == 0) {
        split_blanks(row, out);
        return true;
    }
    std::vector<std::string> further;
    const std::string begin = row;
    while (!split_fields(row, separator_, out, bad)) {
        if (further.size() < QUOTED_LINES && source_.line(more)) {
            further.push_back(more);
            row += "\n" + more;
            continue;
        }
        for (; !further.empty(); further.pop_back()) source_.back(further.back());
        bad = "a quote that is not closed";
        break;
    }
    return true;
}

/* The separator that a line has most often, outside of quotes; 0: none of them. */
static char guess_separator(const std::string &line) {
    static const char separators[] = {'\t', ',', ';', '|'};
    size_t counts[sizeof separators] = {}, best = 0;
    bool quoted = false;
    for (char c : line) {
        if (c == '"') quoted = !quoted;
        for (size_t i = 0; i < sizeof separators; i++) counts[i] += !quoted && c == separators[i];
    }
    for (size_t i = 1; i < sizeof separators; i++) {
        if (counts[i] > counts[best]) best = i;
    }
    return counts[best] > 0 ? separators[best] : 0;
}

/* ---- what it is ------------------------------------------------------------------------------ */

static bool is_version_line(const std::string &line) {
    std::string text = trimmed(line);
    if (text.size() < 5) return false;
    std::string end = text.substr(text.size() - 5);
    return end == "V2000" || end == "V3000";
}

/* The column whose name says SMILES; that name alone is better than a longer one. */
static size_t find_smiles(const std::vector<std::string> &header) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < header.size(); i++) {
        std::string name = plain_name(header[i]);
        if (name == "smiles") return i;
        if (found == SIZE_MAX && name.find("smiles") != std::string::npos) found = i;
    }
    return found;
}

/* The column of this name or number. */
size_t Records::find(const std::vector<std::string> &header, const std::string &name,
                     const char *option, bool *is_name) const {
    for (size_t i = 0; i < header.size(); i++) {
        if (plain_name(header[i]) != plain_name(name)) continue;
        *is_name = true;
        return i;
    }
    if (is_number(name) && std::stoul(name) >= 1 && std::stoul(name) <= header.size()) {
        return std::stoul(name) - 1;
    }
    std::string columns;
    for (const std::string &one : header) columns += (columns.empty() ? "" : ", ") + one;
    throw Failure(Failure::USAGE, "--" + std::string(option) + ": " + source_.name() +
                                      " has no column '" + name +
                                      "'; its columns are: " + columns.substr(0, 400));
}

/* Finds the columns of a table, and reads its header, if there is one. */
void Records::choose_columns(const std::vector<std::string> &header) {
    size_t named = find_smiles(header);
    bool has_header = named != NONE;
    smiles_ = names_.smiles.empty() ? named : find(header, names_.smiles, "smiles", &has_header);
    if (!names_.id.empty()) id_ = find(header, names_.id, "id", &has_header);
    if (!names_.group.empty()) group_ = find(header, names_.group, "class", &has_header);
    if (smiles_ == NONE) {
        throw Failure(Failure::USAGE, source_.name() + ": no column is called SMILES; name the "
                                                       "column with --smiles");
    }
    std::vector<std::string> unused;
    std::string bad;
    if (has_header) fields(unused, bad);
}

void Records::recognise() {
    std::vector<std::string> lines, header;
    std::string line, bad;
    const size_t look = 64; /* lines; a title may be blank, and so may be lines above a header */
    while (lines.size() < look && source_.line(line)) lines.push_back(line);
    for (size_t i = lines.size(); i > 0; i--) source_.back(lines[i - 1]);
    if (lines.size() > 3 && is_version_line(lines[3])) {
        kind_ = SDF;
        if (names_.smiles.empty()) return;
        throw Failure(Failure::USAGE,
                      "--smiles: " + source_.name() + " is an SDF file, which has no columns");
    }
    size_t first = 0;
    while (first < lines.size() && trimmed(lines[first]).empty()) first++;
    if (first == lines.size()) return;
    separator_ = guess_separator(lines[first]);
    if (separator_) {
        split_fields(lines[first], separator_, header, bad);
    } else {
        split_blanks(lines[first], header);
    }
    bool named = !names_.smiles.empty() || !names_.id.empty() || !names_.group.empty();
    if (!named && find_smiles(header) == NONE) return;
    kind_ = TABLE;
    choose_columns(header);
}

Records::Records(Source &source, const Columns &columns) : source_(source), names_(columns) {
    recognise();
}

/* ---- one after the other --------------------------------------------------------------------- */

bool Records::next_row(Record &out) {
    std::vector<std::string> cells;
    if (!fields(cells, out.bad)) return false;
    out.line = first_;
    size_t last = smiles_;
    if (id_ != NONE) last = std::max(last, id_);
    if (group_ != NONE) last = std::max(last, group_);
    if (out.bad.empty() && cells.size() <= last) {
        out.bad = "the line has " + std::to_string(cells.size()) + " fields; expected at least " +
                  std::to_string(last + 1);
    }
    if (!out.bad.empty()) return true;
    out.text = cells[smiles_];
    size_t end = std::min(out.text.find_first_of(" \t\n"), out.text.size());
    std::string rest = trimmed(out.text.substr(end));
    out.text.erase(end);
    if (!rest.empty() && rest[0] != '|') { /* |...| is ChemAxon's extension of SMILES */
        out.bad = "text after the SMILES of a molecule; expected a separator";
        return true;
    }
    if (id_ != NONE) out.id = cells[id_];
    if (group_ != NONE) out.group = cells[group_];
    return true;
}

/* SMILES and a name: the rest of the line or, after a separator, the next field. */
bool Records::next_in_list(Record &out) {
    std::string line;
    do {
        if (!source_.line(line)) return false;
        line = trimmed(line);
    } while (line.empty());
    out.line = source_.number();
    size_t end = std::min(line.find_first_of(" \t,;|"), line.size());
    out.text = line.substr(0, end);
    if (end == line.size()) return true;
    std::string rest = trimmed(line.substr(end + 1));
    size_t next = line[end] == ' ' ? rest.size() : rest.find(line[end]);
    out.id = trimmed(rest.substr(0, next));
    return true;
}

/* Keeps the first line of a data field of SDF. */
static void take_field(const std::string &head, const std::string &value, const std::string &name,
                       std::string &out) {
    size_t from = head.find('<'), to = head.rfind('>');
    if (name.empty() || from == std::string::npos || to == std::string::npos || to < from) return;
    if (plain_name(head.substr(from + 1, to - from - 1)) == plain_name(name)) out = trimmed(value);
}

bool Records::next_molfile(Record &out) {
    std::string line, head;
    bool empty = true, in_data = false;
    while (source_.line(line) && line.compare(0, 4, "$$$$") != 0) {
        if (empty && out.text.empty()) out.line = source_.number();
        empty = empty && trimmed(line).empty();
        if (out.text.empty() && names_.id.empty()) out.id = trimmed(line);
        if (out.text.size() > MOLFILE_BYTES) out.bad = "the molecule is longer than 16 MiB";
        if (!in_data && out.bad.empty()) out.text += line + "\n";
        in_data = in_data || line.compare(0, 6, "M  END") == 0;
        if (head.empty() && !line.empty() && line[0] == '>') {
            head = line;
        } else if (!head.empty()) {
            take_field(head, line, names_.id, out.id);
            take_field(head, line, names_.group, out.group);
            head.clear();
        }
        line.clear();
    }
    return !empty || line.compare(0, 4, "$$$$") == 0;
}

bool Records::next(Record &out) {
    out = Record{};
    switch (kind_) {
    case TABLE: return next_row(out);
    case SDF: return next_molfile(out);
    default: return next_in_list(out);
    }
}
