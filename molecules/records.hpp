/* records.hpp - one molecule after the other, out of a table, a list of SMILES or an SDF file
 *
 * The format is recognised by the first lines. Columns are found by name, as lode finds those of
 * tables: without regard to case, blanks and punctuation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MOLECULES_RECORDS_HPP
#define LODE_MOLECULES_RECORDS_HPP

#include <vector>

#include "source.hpp"

/* Which columns, or data fields of SDF, to read; "" = none was named. */
struct Columns {
    std::string smiles, id, group;
};

struct Record {
    uint64_t line;     /* where it begins */
    std::string text;  /* SMILES, or a MOL block */
    std::string id;    /* "": it has none */
    std::string group; /* its class; "": none */
    std::string bad;   /* what is wrong with the record itself; "": nothing */
};

class Records {
  public:
    Records(Source &source, const Columns &columns);
    bool next(Record &out);
    bool is_sdf() const {
        return kind_ == SDF;
    }

  private:
    enum Kind { TABLE, LIST, SDF };
    void recognise();
    void choose_columns(const std::vector<std::string> &header);
    size_t find(const std::vector<std::string> &header, const std::string &name, const char *option,
                bool *is_name) const;
    bool fields(std::vector<std::string> &out, std::string &bad);
    bool next_row(Record &out);
    bool next_in_list(Record &out);
    bool next_molfile(Record &out);

    Source &source_;
    Columns names_;
    Kind kind_ = LIST;
    char separator_ = 0; /* 0: blanks */
    uint64_t first_ = 0; /* the line where a row begins */
    static const size_t NONE = SIZE_MAX;
    size_t smiles_ = NONE, id_ = NONE, group_ = NONE;
};

#endif
