/* source.cpp - see source.hpp
 * SPDX-License-Identifier: Apache-2.0 */
#include "source.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static const size_t SOURCE_BLOCK = 256 << 10;
static const size_t SOURCE_LINE = 16 << 20; /* bytes; no line of a molecule is as long */

/* ---- gzip and zstd --------------------------------------------------------------------------- */

class Gzip : public Unpacker {
  public:
    Gzip() {
        if (inflateInit2(&z_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Gzip() override {
        inflateEnd(&z_);
    }
    size_t run(const char *from, size_t n, char *to, size_t room, size_t *made) override {
        z_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(from));
        z_.avail_in = static_cast<uInt>(n);
        z_.next_out = reinterpret_cast<Bytef *>(to);
        z_.avail_out = static_cast<uInt>(room);
        if (end_ && n > 0) inflateReset(&z_); /* another member */
        int result = inflate(&z_, Z_NO_FLUSH);
        bool good = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
        if (!good) throw std::runtime_error("damaged gzip data");
        end_ = result == Z_STREAM_END;
        *made = room - z_.avail_out;
        return n - z_.avail_in;
    }
    bool may_end() const override {
        return end_;
    }

  private:
    z_stream z_ = {};
    bool end_ = false;
};

class Zstd : public Unpacker {
  public:
    Zstd() : stream_(ZSTD_createDStream()) {
        if (!stream_) throw std::bad_alloc();
        ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, 31);
    }
    ~Zstd() override {
        ZSTD_freeDStream(stream_);
    }
    size_t run(const char *from, size_t n, char *to, size_t room, size_t *made) override {
        ZSTD_inBuffer in = {from, n, 0};
        ZSTD_outBuffer out = {to, room, 0};
        size_t result = ZSTD_decompressStream(stream_, &out, &in);
        if (ZSTD_isError(result)) throw std::runtime_error("damaged zstd data");
        end_ = result == 0;
        *made = out.pos;
        return in.pos;
    }
    bool may_end() const override {
        return end_;
    }

  private:
    ZSTD_DStream *stream_;
    bool end_ = false;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

Source::Source(std::string name) : name_(std::move(name)) {
    raw_.resize(SOURCE_BLOCK);
    text_.resize(SOURCE_BLOCK);
}

Source::~Source() {
    delete unpacker_;
}

std::string Source::place(uint64_t line, const std::string &message) const {
    return name_ + ":" + std::to_string(line) + ": " + message;
}

static size_t read_input(char *to, size_t room, const std::string &name) {
    for (;;) {
        ssize_t n = read(STDIN_FILENO, to, room);
        if (n >= 0) return static_cast<size_t>(n);
        if (errno == EINTR) continue;
        throw Failure(Failure::FAILED, "cannot read '" + name + "': " + strerror(errno));
    }
}

static bool begins(const std::string &text, size_t n, const char *bytes, size_t n_bytes) {
    return n >= n_bytes && memcmp(text.data(), bytes, n_bytes) == 0;
}

/* Recognises the first bytes; `n` of them are in raw_. */
static Unpacker *choose_unpacker(const std::string &raw, size_t n, const std::string &name) {
    if (begins(raw, n, "\x1f\x8b", 2)) return new Gzip();
    if (begins(raw, n, "\x28\xb5\x2f\xfd", 4)) return new Zstd();
    if (begins(raw, n, "\xff\xfe", 2) || begins(raw, n, "\xfe\xff", 2)) {
        throw Failure(Failure::BAD_INPUT,
                      name + ": this is UTF-16 text; save it as UTF-8 and read that file");
    }
    return nullptr;
}

/* Makes text_ of the first n bytes that are left in raw_, as far as it has room. */
void Source::unpack(size_t n) {
    try {
        raw_at_ += unpacker_->run(&raw_[raw_at_], n, &text_[0], text_.size(), &n_);
    } catch (const std::runtime_error &damage) {
        throw Failure(Failure::BAD_INPUT, name_ + ": " + damage.what());
    }
}

/* Reads more text; false at the end. */
bool Source::fill() {
    static size_t held = 0; /* bytes of raw_ */
    at_ = n_ = 0;
    while (n_ == 0 && !ended_) {
        if (raw_at_ == held) {
            raw_at_ = held = 0;
            size_t wanted = begun_ ? 1 : 4; /* a pipe may deliver byte by byte */
            for (size_t n = 1; n > 0 && held < wanted; held += n) {
                n = read_input(&raw_[held], raw_.size() - held, name_);
            }
            if (!begun_) unpacker_ = choose_unpacker(raw_, held, name_);
            if (!begun_ && begins(raw_, held, "\xef\xbb\xbf", 3)) raw_at_ = 3;
            begun_ = true;
        }
        ended_ = held == 0;
        if (unpacker_ && ended_ && !unpacker_->may_end()) {
            throw Failure(Failure::BAD_INPUT, name_ + ": the packed data end too early");
        }
        if (unpacker_ && !ended_) {
            unpack(held - raw_at_);
        } else {
            n_ = held - raw_at_;
            memcpy(&text_[0], &raw_[raw_at_], n_);
            raw_at_ = held;
        }
    }
    return n_ > 0;
}

/* The next byte, which stays; -1 at the end. */
int Source::next() {
    if (at_ == n_ && !fill()) return -1;
    return static_cast<unsigned char>(text_[at_]);
}

/* ---- lines ----------------------------------------------------------------------------------- */

bool Source::line(std::string &out) {
    out.clear();
    if (held_.empty() && next() < 0) return false;
    number_++;
    if (!held_.empty()) {
        out = std::move(held_.front());
        held_.pop_front();
        return true;
    }
    for (int c; (c = next()) >= 0; at_++) {
        if (c == '\n' || c == '\r') {
            at_++;
            if (c == '\r' && next() == '\n') at_++;
            break;
        }
        if (out.size() == SOURCE_LINE) {
            throw Failure(
                Failure::BAD_INPUT,
                place(number_, "the line is longer than 16 MiB; is this the right file?"));
        }
        out.push_back(static_cast<char>(c));
    }
    return true;
}

void Source::back(const std::string &text) {
    held_.push_front(text);
    number_--;
}
