/* preview_lines.c - the first lines of a file as they are, for people who look what went wrong
 *
 * The library's readers say what they made of a file; this shows what is in it, so it does without
 * them. gzip and zstd are unpacked as far as needed, and nothing is believed of what they hold: the
 * room for it is fixed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "datasets/preview.h"

#define HEAD_BYTES 131072 /* of the file, and of what it holds */

typedef struct head {
    unsigned char *data;
    size_t n;
} head;

static bool head_read(const char *path, head *h) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return false;
    ssize_t got = 1;
    while (h->n < HEAD_BYTES && got > 0) {
        got = read(fd, h->data + h->n, HEAD_BYTES - h->n);
        if (got > 0) h->n += (size_t)got;
    }
    close(fd);
    return got >= 0;
}

/* Errors end it: what came before them is what can be shown. */
static size_t head_gunzip(const head *in, unsigned char *out) {
    z_stream z = {.next_in = in->data, .avail_in = (unsigned)in->n};
    z.next_out = out;
    z.avail_out = HEAD_BYTES;
    if (inflateInit2(&z, 15 + 16) != Z_OK) return 0;
    (void)inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return HEAD_BYTES - z.avail_out;
}

static size_t head_unzstd(const head *in, unsigned char *out) {
    ZSTD_DStream *z = ZSTD_createDStream();
    ZSTD_inBuffer from = {in->data, in->n, 0};
    ZSTD_outBuffer to = {out, HEAD_BYTES, 0};
    size_t left = z ? ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, 27) : 0;
    while (z && !ZSTD_isError(left) && from.pos < from.size && to.pos < to.size) {
        const size_t before = from.pos + to.pos;
        left = ZSTD_decompressStream(z, &to, &from);
        if (from.pos + to.pos == before) break;
    }
    ZSTD_freeDStream(z);
    return to.pos;
}

static size_t head_utf8(unsigned letter, unsigned char *out) {
    if (letter < 0x80) {
        out[0] = (unsigned char)letter;
        return 1;
    }
    const unsigned n = letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (unsigned i = n; i-- > 1; letter >>= 6) out[i] = (unsigned char)(0x80 | (letter & 0x3f));
    out[0] = (unsigned char)(first[n] | letter);
    return n;
}

/* UTF-16 behind its mark; `out` has room for three bytes for every two. */
static size_t head_from_utf16(const head *in, bool big, unsigned char *out) {
    size_t n = 0;
    for (size_t i = 2; i + 1 < in->n; i += 2) {
        unsigned unit = (unsigned)in->data[i + !big] << 8 | in->data[i + big], low;
        if (unit >= 0xd800 && unit < 0xdc00 && i + 3 < in->n) {
            low = (unsigned)in->data[i + 2 + !big] << 8 | in->data[i + 2 + big];
            if (low >= 0xdc00 && low < 0xe000) {
                unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        if (unit >= 0xd800 && unit < 0xe000) unit = 0xfffd;
        n += head_utf8(unit, out + n);
    }
    return n;
}

/* Replaces the head by what it means; `room` has 2 * HEAD_BYTES. */
static void head_decode(head *h, unsigned char *room) {
    static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t n = 0;
    if (h->n >= 2 && memcmp(h->data, gzip, 2) == 0) n = head_gunzip(h, room);
    if (h->n >= 4 && memcmp(h->data, zstd, 4) == 0) n = head_unzstd(h, room);
    if (n > 0) {
        memcpy(h->data, room, n);
        h->n = n;
    }
    if (h->n < 2) return;
    const bool little = h->data[0] == 0xff && h->data[1] == 0xfe;
    const bool big = h->data[0] == 0xfe && h->data[1] == 0xff;
    if (!little && !big) return;
    n = head_from_utf16(h, big, room);
    memcpy(h->data, room, n);
    h->n = n;
}

/* How many bytes the first `letters` characters take; any byte that continues none starts one. */
static size_t head_cut(const unsigned char *line, size_t n, size_t letters) {
    for (size_t i = 0; i < n; i++) {
        if ((line[i] & 0xc0) == 0x80) continue;
        if (letters-- == 0) return i;
    }
    return n < 4 * (size_t)PREVIEW_LETTERS ? n : 4 * (size_t)PREVIEW_LETTERS;
}

static void head_lines(const head *h, size_t rows, text *out) {
    size_t at = 0;
    for (size_t row = 0; row < rows && at < h->n; row++) {
        const unsigned char *line = h->data + at, *stop = memchr(line, '\n', h->n - at);
        size_t n = stop ? (size_t)(stop - line) : h->n - at;
        at += n + 1;
        if (n > 0 && line[n - 1] == '\r') n--;
        text_json_comma(out);
        text_json_bytes(out, (const char *)line, head_cut(line, n, PREVIEW_LETTERS));
    }
}

void preview_lines(const char *path, size_t rows, text *out) {
    head h = {.data = malloc(2 * HEAD_BYTES)};
    unsigned char *room = malloc(2 * HEAD_BYTES);
    text_char(out, '[');
    if (h.data && room && head_read(path, &h)) {
        head_decode(&h, room);
        head_lines(&h, rows, out);
    }
    text_char(out, ']');
    free(room);
    free(h.data);
}
