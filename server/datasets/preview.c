/* preview.c - see preview.h
 *
 * First a task thread reads the raw lines, then the worker reports what it recognised. A file that
 * cannot be parsed is not an error here: visitors need its lines and the message to correct the
 * options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/preview.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "datasets/datasets.h"
#include "system/tasks.h"
#include "workers/workers.h"

typedef struct previewing {
    server *server;
    request *request;
    worker_source source;
    uint64_t rows;
    text lines;
    char path[FOLDER_PATH_BYTES];
} previewing;

static void previewing_free(previewing *p) {
    text_free(&p->lines);
    worker_source_clear(&p->source);
    free(p);
}

static void previewing_no_memory(previewing *p) {
    reply_error(p->request, 503, "unavailable", "The server is out of memory; try again later.");
    previewing_free(p);
}

static void previewing_lines(void *arg) {
    previewing *p = arg;
    preview_lines(p->path, (size_t)p->rows, &p->lines);
}

/* Answers {"lines": […], …}, with the members of the worker's object. A workbook, which is a zip
 * archive, has no lines to look at. */
static void previewing_both(text *out, const previewing *p, const char *json, size_t bytes) {
    static const char zip[] = "[\"PK\\u0003";
    const bool archive =
        p->lines.length >= sizeof zip - 1 && memcmp(p->lines.data, zip, sizeof zip - 1) == 0;
    text_put(out, "{\"lines\":");
    text_add(out, archive ? "[]" : p->lines.data, archive ? 2 : p->lines.length);
    while (bytes > 0 && json[0] != '{') json++, bytes--;
    if (bytes > 2) {
        text_char(out, ',');
        text_add(out, json + 1, bytes - 1);
    } else {
        text_char(out, '}');
    }
}

/* The same if the worker could not read the file. False: the error is not about the file. */
static bool previewing_error(text *out, const previewing *p, const char *json, size_t bytes) {
    static const char *const about_file[] = {"parse",    "invalid", "unsupported",
                                             "notfound", "budget",  NULL};
    json_t *failure = json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failure, "status"));
    const char *message = json_string_value(json_object_get(failure, "message"));
    const char *const *known = about_file;
    while (*known && (!status || strcmp(*known, status) != 0)) known++;
    if (*known && message) {
        text_put(out, "{\"lines\":");
        text_add(out, p->lines.data, p->lines.length);
        text_put(out, ",\"error\":{\"code\":");
        text_json_string(out, status);
        text_put(out, ",\"message\":");
        text_json_string(out, message);
        text_put(out, "}}");
    }
    const bool told = *known && message;
    json_decref(failure);
    return told;
}

static void previewing_done(void *user, bool ok, const char *json, size_t bytes) {
    previewing *p = user;
    text out = TEXT_INIT;
    if (ok) previewing_both(&out, p, json, bytes);
    if (!ok && !previewing_error(&out, p, json, bytes)) {
        reply_status(p->request, json, bytes);
        previewing_free(p);
    } else if (out.failed || p->lines.failed) {
        previewing_no_memory(p);
    } else {
        reply_text(p->request, 200, out.data, out.length);
        previewing_free(p);
    }
    text_free(&out);
}

static void previewing_ask(void *arg) {
    previewing *p = arg;
    char digits[24];
    request *r = p->request;
    const worker_reply reply = {
        .done = previewing_done, .user = p, .request = r, .client = request_client(r)};
    if (!workers_may_ask(p->server->workers, r)) {
        previewing_free(p);
        return;
    }
    worker_request *q = worker_request_new("preview");
    snprintf(digits, sizeof digits, "%" PRIu64, p->rows);
    worker_request_add(q, "rows", digits);
    if (!q || !workers_ask_soon(p->server->workers, &p->source, q, reply)) previewing_no_memory(p);
}

void preview_get(server *s, request *r) {
    uint64_t range[2] = {1, 200}, rows;
    dataset d;
    if (!request_count(r, "rows", range, 20, &rows) || !dataset_of(s, r, true, &d)) return;
    const uint64_t id = d.id;
    previewing *p = calloc(1, sizeof *p);
    if (!p) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        dataset_clear(&d);
        return;
    }
    *p = (previewing){.server = s,
                      .request = r,
                      .source = {.dataset = id, .read = d.read, .clean = d.clean},
                      .rows = rows,
                      .lines = TEXT_INIT};
    d.read = d.clean = NULL;
    dataset_clear(&d);
    dataset_path(s, id, false, p->path);
    datasets_touch(s, id);
    if (tasks_add_for(s->tasks, request_client(r), previewing_lines, previewing_ask, p)) return;
    previewing_free(p);
    reply_error(r, 503, "unavailable", "The server is busy; try again in a moment.");
}

/* ---- the first lines of a file as they are, for people who look what went wrong -------------- */

/* The library's readers report how they interpreted a file; this code shows its raw content, so it
 * does not use them. It decompresses gzip and zstd as far as needed, into a buffer of fixed
 * size. */

#define HEAD_BYTES 131072 /* bytes of the file, and of its decompressed content */

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

/* Stops at an error: shows what was decompressed before it. */
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

/* Converts UTF-16 after its byte order mark; `out` has room for three bytes for every two. */
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

/* Decompresses and converts the head in place; `room` has 2 * HEAD_BYTES. */
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
