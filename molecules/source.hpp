/* source.hpp - the lines of standard input, which may be packed by gzip or zstd
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MOLECULES_SOURCE_HPP
#define LODE_MOLECULES_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>

/* Ends the program with one of lode's exit codes and a message. */
struct Failure : std::runtime_error {
    enum Code { FAILED = 1, USAGE = 2, BAD_INPUT = 3, BUDGET = 4 };
    Code code;
    Failure(Code code, const std::string &message) : std::runtime_error(message), code(code) {}
};

/* Unpacks a part of the input. */
class Unpacker {
  public:
    virtual ~Unpacker() = default;
    /* Moves bytes from [from, from + n) to `to`, and returns how many of `n` it has used; *made
     * receives the bytes in `to`. Throws if the data are damaged. */
    virtual size_t run(const char *from, size_t n, char *to, size_t room, size_t *made) = 0;
    /* Whether the data may end here. */
    virtual bool may_end() const = 0;
};

class Source {
  public:
    explicit Source(std::string name);
    ~Source();
    Source(const Source &) = delete;
    Source &operator=(const Source &) = delete;

    /* Reads the next line, without its end (LF, CR LF or CR); false: there is none. */
    bool line(std::string &out);
    /* Makes the next call of line() return this line again. */
    void back(const std::string &text);
    /* The number of the line that was read last, from 1. */
    uint64_t number() const {
        return number_;
    }
    const std::string &name() const {
        return name_;
    }
    /* "NAME:LINE: message" */
    std::string place(uint64_t line, const std::string &message) const;

  private:
    bool fill();
    void unpack(size_t n);
    int next();

    std::string name_, raw_, text_;
    size_t raw_at_ = 0, at_ = 0, n_ = 0;
    bool begun_ = false, ended_ = false;
    Unpacker *unpacker_ = nullptr;
    std::deque<std::string> held_;
    uint64_t number_ = 0;
};

#endif
