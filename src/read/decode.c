/* decode.c - see decode.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/decode.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

/* At least what inflate takes, for a window of 32 KiB and tables, in zlib and its replacements. */
#define DECODE_GZIP_BYTES ((size_t)64 << 10)
#define DECODE_GZIP_BITS  (15 + 16)         /* largest window; gzip wrapping only */
#define DECODE_MOST_BITS  31                /* of DECODE_MOST */
#define DECODE_BESIDE     ((size_t)2 << 20) /* bytes for reading, in addition to a zstd window */

struct decoder {
    lode_job *job;
    decode_kind kind;
    bool inside; /* a member or frame has begun and not ended */
    bool gzip_ready;
    z_stream gzip;
    ZSTD_DStream *zstd;
    size_t charged;
};

decode_kind decode_recognise(const void *head, size_t n) {
    const unsigned char *b = head;
    if (n >= 2 && b[0] == 0x1f && b[1] == 0x8b) return DECODE_GZIP;
    if (n < 4) return DECODE_PLAIN;
    uint32_t magic =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    bool frame = magic == ZSTD_MAGICNUMBER;
    bool skippable = (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
    return frame || skippable ? DECODE_ZSTD : DECODE_PLAIN;
}

/* Returns the window size of a zstd frame that begins here, or 0 if it is not known. A frame begins
 * with a magic number, a byte of flags, and a byte for the window size. A frame that is its own
 * window has its size instead, after the dictionary id. */
static size_t decode_window_bytes(const decode_window *in) {
    const unsigned char *b = in->at;
    size_t n = (size_t)(in->end - in->at);
    if (n < 6 || decode_recognise(b, n) != DECODE_ZSTD || b[0] != 0x28) return 0;
    if (!(b[4] & 0x20)) {
        size_t base = (size_t)1 << (10 + (b[5] >> 3));
        return base + base / 8 * (b[5] & 7);
    }
    unsigned at = 5 + (b[4] & 3u) + ((b[4] & 3u) == 3), bytes = b[4] >> 6 ? 1u << (b[4] >> 6) : 1;
    size_t size = bytes == 2 ? 256 : 0;
    if (n < at + bytes) return 0;
    for (unsigned i = 0; i < bytes; i++) size += (size_t)b[at + i] << 8 * i;
    return size;
}

void decode_foresee(lode_job *job, const decode_window *in) {
    size_t window = decode_window_bytes(in), need = window + DECODE_BESIDE;
    if (window > 0 && need > atomic_load(&job->need)) atomic_store(&job->need, need);
}

const char *decoder_name(const decoder *d) {
    return d->kind == DECODE_GZIP ? "gzip" : "zstd";
}

bool decoder_may_end(const decoder *d) {
    return !d->inside;
}

/* Charges the budget with what the library holds now. */
static lode_status decoder_charge(decoder *d, size_t bytes) {
    if (bytes > d->charged) {
        lode_status status = mem_charge(&d->job->mem, bytes - d->charged);
        if (status != LODE_OK) return status;
    } else {
        mem_discharge(&d->job->mem, d->charged - bytes);
    }
    d->charged = bytes;
    return LODE_OK;
}

static lode_status decoder_start(decoder *d) {
    if (d->kind == DECODE_ZSTD) {
        d->zstd = ZSTD_createDStream();
        if (!d->zstd) return LODE_NOMEM;
        ZSTD_DCtx_setParameter(d->zstd, ZSTD_d_windowLogMax, DECODE_MOST_BITS);
        return decoder_charge(d, ZSTD_sizeof_DStream(d->zstd));
    }
    d->gzip_ready = inflateInit2(&d->gzip, DECODE_GZIP_BITS) == Z_OK;
    return d->gzip_ready ? decoder_charge(d, DECODE_GZIP_BYTES) : LODE_NOMEM;
}

lode_status decoder_create(lode_job *job, decoder **out, decode_kind kind) {
    lode_status status = LODE_OK;
    decoder *d = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&d, sizeof *d));
    d->job = job;
    d->kind = kind;
    LODE_TRY(decoder_start(d));
    *out = d;
    d = NULL;
done:
    decoder_free(d);
    return status;
}

void decoder_free(decoder *d) {
    if (!d) return;
    if (d->gzip_ready) inflateEnd(&d->gzip);
    ZSTD_freeDStream(d->zstd);
    mem_discharge(&d->job->mem, d->charged);
    mem_free(&d->job->mem, d, sizeof *d);
}

static uInt decoder_clamp(size_t n) {
    return n < (1u << 30) ? (uInt)n : 1u << 30;
}

static lode_status decoder_run_gzip(decoder *d, decode_window *in, char *out, size_t room,
                                    size_t *n, const char **damage) {
    z_stream *z = &d->gzip;
    z->next_in = (Bytef *)(uintptr_t)in->at; /* zlib takes it without const, but does not write */
    z->avail_in = decoder_clamp((size_t)(in->end - in->at));
    z->next_out = (Bytef *)out;
    z->avail_out = decoder_clamp(room);
    d->inside = d->inside || z->avail_in > 0;
    int code = inflate(z, Z_NO_FLUSH);
    in->at = z->next_in;
    *n = (size_t)((char *)z->next_out - out);
    if (code == Z_MEM_ERROR) return LODE_NOMEM;
    if (code == Z_STREAM_END) {
        d->inside = false;
        return inflateReset(z) == Z_OK ? LODE_OK : LODE_INTERNAL;
    }
    if (code == Z_OK || code == Z_BUF_ERROR) return LODE_OK;
    *damage = z->msg ? z->msg : "not a gzip member";
    return LODE_PARSE;
}

/* Another frame begins: its window is charged before zstd allocates it. */
static lode_status decoder_begin_frame(decoder *d, const decode_window *in) {
    size_t window = decode_window_bytes(in);
    if (window <= d->charged) return LODE_OK;
    if (window > DECODE_MOST) return LODE_UNSUPPORTED;
    decode_foresee(d->job, in);
    return decoder_charge(d, window);
}

static lode_status decoder_run_zstd(decoder *d, decode_window *in, char *out, size_t room,
                                    size_t *n, const char **damage) {
    lode_status status = d->inside ? LODE_OK : decoder_begin_frame(d, in);
    if (status != LODE_OK) return status;
    ZSTD_inBuffer from = {in->at, (size_t)(in->end - in->at), 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t left = ZSTD_decompressStream(d->zstd, &to, &from);
    in->at += from.pos;
    *n = to.pos;
    if (ZSTD_isError(left)) {
        ZSTD_ErrorCode code = ZSTD_getErrorCode(left);
        if (code == ZSTD_error_memory_allocation) return LODE_NOMEM;
        *damage = ZSTD_getErrorName(left);
        return LODE_PARSE;
    }
    d->inside = left > 0;
    return decoder_charge(d, ZSTD_sizeof_DStream(d->zstd));
}

lode_status decoder_run(decoder *d, decode_window *in, char *out, size_t room, size_t *n,
                        const char **damage) {
    *n = 0;
    /* Without packed bytes zstd takes the call for the start of another frame. */
    if (in->at == in->end && !d->inside) return LODE_OK;
    if (d->kind == DECODE_GZIP) return decoder_run_gzip(d, in, out, room, n, damage);
    return decoder_run_zstd(d, in, out, room, n, damage);
}

/* ---- UTF-16 text into UTF-8, as it is read --------------------------------------------------- */

#define UTF16_LEAST 4 /* characters; fewer are no proof */

static unsigned utf16_unit(utf16_kind kind, const unsigned char *at) {
    return kind == UTF16_BIG ? (unsigned)at[0] << 8 | at[1] : (unsigned)at[1] << 8 | at[0];
}

static bool utf16_is_text(unsigned c) {
    return (c >= ' ' && c < 127) || c == '\t' || c == '\n' || c == '\r';
}

/* Three characters in four are ASCII text, and none is a zero or another control character. */
static bool utf16_is_likely(utf16_kind kind, const unsigned char *head, size_t n) {
    size_t ascii = 0;
    size_t units = n / 2;
    for (size_t i = 0; i < units; i++) {
        unsigned unit = utf16_unit(kind, head + 2 * i);
        bool text = utf16_is_text(unit);
        if (!text && unit < 128) return false;
        ascii += text;
    }
    return units >= UTF16_LEAST && 4 * ascii >= 3 * units;
}

utf16_kind utf16_recognise(const unsigned char *head, size_t n) {
    if (n >= 2 && head[0] == 0xff && head[1] == 0xfe) return UTF16_LITTLE;
    if (n >= 2 && head[0] == 0xfe && head[1] == 0xff) return UTF16_BIG;
    if (utf16_is_likely(UTF16_LITTLE, head, n)) return UTF16_LITTLE;
    return utf16_is_likely(UTF16_BIG, head, n) ? UTF16_BIG : UTF16_NOT;
}

bool utf16_is_utf32(const unsigned char *head, size_t n) {
    if (n < 4) return false;
    if (memcmp(head, "\xff\xfe\0", 4) == 0 || memcmp(head, "\0\0\xfe\xff", 4) == 0) return true;
    if (n < 4 * UTF16_LEAST) return false;
    unsigned place = head[0] ? 0 : 3; /* of the only byte of an ASCII character that is not zero */
    for (size_t i = 0; i + 4 <= 4 * UTF16_LEAST; i += 4) {
        for (unsigned k = 0; k < 4; k++) {
            bool good = k == place ? utf16_is_text(head[i + k]) : head[i + k] == 0;
            if (!good) return false;
        }
    }
    return true;
}

void utf16_begin(utf16 *u, utf16_kind kind, const void *head, size_t n) {
    u->kind = kind;
    memcpy(u->raw, head, n);
    u->in = (decode_window){u->raw, u->raw + n};
    if (n >= 2 && utf16_unit(kind, u->raw) == 0xfeff) {
        u->in.at += 2;
        u->used = 2;
    }
}

/* Reads the next character. Returns how many bytes it has; 0 if it is incomplete or damaged. */
static unsigned utf16_character(const utf16 *u, uint32_t *character, const char **damage) {
    size_t held = (size_t)(u->in.end - u->in.at);
    if (held < 2) {
        if (held == 1 && u->ended) *damage = "incomplete character";
        return 0;
    }
    unsigned high = utf16_unit(u->kind, u->in.at);
    *character = high;
    if (high < 0xd800 || high > 0xdfff) return 2;
    if (high < 0xdc00 && held < 4 && !u->ended) return 0;
    unsigned low = high < 0xdc00 && held >= 4 ? utf16_unit(u->kind, u->in.at + 2) : 0;
    if (low < 0xdc00 || low > 0xdfff) {
        *damage = "incomplete surrogate pair";
        return 0;
    }
    *character = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    return 4;
}

static unsigned utf16_write(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(0xf00u >> n | c); /* as many ones as there are bytes, then a zero */
    return n;
}

/* Writes what there is room for, and keeps the rest for the next call. */
static size_t utf16_put(utf16 *u, const char *bytes, unsigned length, char *out, size_t room) {
    size_t n = length < room ? length : room;
    memcpy(out, bytes, n);
    u->n_spill = length - (unsigned)n;
    memmove(u->spill, bytes + n, u->n_spill);
    return n;
}

size_t utf16_run(utf16 *u, char *out, size_t room, const char **damage) {
    const char *found = NULL;
    size_t n = utf16_put(u, u->spill, u->n_spill, out, room);
    while (n < room) {
        char bytes[4];
        uint32_t c;
        unsigned taken = utf16_character(u, &c, &found);
        if (taken == 0) break;
        unsigned length = utf16_write(c, bytes);
        u->in.at += taken;
        u->used += taken;
        /* Counts lines and columns, for messages. */
        bool ends = c == '\r' || (c == '\n' && !u->after_return);
        u->line += ends;
        u->column = c == '\r' || c == '\n' ? 0 : u->column + length;
        u->after_return = c == '\r';
        n += utf16_put(u, bytes, length, out + n, room - n);
    }
    if (n == 0) *damage = found;
    return n;
}
