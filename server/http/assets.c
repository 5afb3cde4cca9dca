/* assets.c - the files of the page, embedded in this program
 *
 * They are compressed once at start, and sent compressed to clients that accept it. Clients may
 * cache files with a content hash in their name for ever. For other files, they must ask again, and
 * get 304 if the file is unchanged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/assets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "http/connections.h"
#include "http/http.h"

typedef struct asset {
    const asset_file *file;
    unsigned char *packed;
    size_t n_packed; /* 0: not smaller */
    char tag[24];    /* ETag: a hash of the content, without quotes */
} asset;

static asset *assets;
static size_t n_assets;

static bool asset_pack(asset *a) {
    size_t n = (size_t)(a->file->end - a->file->begin);
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    size_t room = deflateBound(&z, n);
    a->packed = malloc(room);
    z.next_in = (Bytef *)(uintptr_t)a->file->begin;
    z.avail_in = (uInt)n;
    z.next_out = a->packed;
    z.avail_out = (uInt)room;
    bool done = a->packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
    if (done && z.total_out < n * 9 / 10) a->n_packed = z.total_out;
    deflateEnd(&z);
    return done;
}

bool assets_start(char *why, size_t room) {
    while (asset_files[n_assets].path) n_assets++;
    assets = calloc(n_assets + 1, sizeof *assets);
    for (size_t i = 0; assets && i < n_assets; i++) {
        asset *a = &assets[i];
        a->file = &asset_files[i];
        size_t n = (size_t)(a->file->end - a->file->begin);
        snprintf(a->tag, sizeof a->tag, "%016llx",
                 (unsigned long long)connections_hash(a->file->begin, n));
        if (asset_pack(a)) continue;
        assets_stop();
        break;
    }
    if (!assets) snprintf(why, room, "out of memory for the page");
    return assets != NULL;
}

void assets_stop(void) {
    for (size_t i = 0; assets && i < n_assets; i++) free(assets[i].packed);
    free(assets);
    assets = NULL;
    n_assets = 0;
}

static const char *asset_type(const char *path) {
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".json", "application/json"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++) {
        if (strcmp(dot, types[i][0]) == 0) return types[i][1];
    }
    return "application/octet-stream";
}

/* Whether a name looks like "index-aa-2PBt3.css": eight characters of a hash before the ending. */
static bool has_hash(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!dot || dot - path < 10 || dot[-9] != '-') return false;
    for (const char *c = dot - 8; c < dot; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') return false;
    }
    return true;
}

static const asset *asset_find(const char *path) {
    for (size_t i = 0; i < n_assets; i++) {
        if (strcmp(assets[i].file->path, path) == 0) return &assets[i];
    }
    return NULL;
}

static void answer_text(request *r, int code, const char *words) {
    struct evbuffer *body = evbuffer_new();
    if (body) evbuffer_add_printf(body, "%s\n", words);
    reply_send(r, body ? code : 503, "text/plain; charset=utf-8", body);
    if (body) evbuffer_free(body);
}

static void asset_send(request *r, const asset *a, bool packed) {
    struct evbuffer *body = evbuffer_new();
    const unsigned char *bytes = packed ? a->packed : a->file->begin;
    size_t n = packed ? a->n_packed : (size_t)(a->file->end - a->file->begin);
    /* The bytes live as long as the program: no copy is needed. */
    if (!body || evbuffer_add_reference(body, bytes, n, NULL, NULL) != 0) {
        if (body) evbuffer_free(body);
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    if (packed) reply_header(r, "Content-Encoding", "gzip");
    reply_send(r, 200, asset_type(a->file->path), body);
    evbuffer_free(body);
}

void assets_answer(request *r, const char *path) {
    const asset *a = asset_find(strcmp(path, "/") == 0 ? "/index.html" : path);
    if (!a && strcmp(path, "/") == 0) {
        answer_text(r, 404,
                    "This lode-server was built without its page (page/dist was empty). The API is "
                    "available at /api/v1/.");
        return;
    }
    if (!a) {
        reply_error(r, 404, "notfound", "This path does not exist.");
        return;
    }
    const char *takes = request_header(r, "Accept-Encoding");
    const char *known = request_header(r, "If-None-Match");
    bool packed = a->n_packed && takes && strstr(takes, "gzip") != NULL;
    char tag[32];
    snprintf(tag, sizeof tag, "\"%s%s\"", a->tag, packed ? "-gz" : "");
    reply_header(r, "ETag", tag);
    reply_header(r, "Vary", "Accept-Encoding");
    reply_header(r, "Cache-Control",
                 has_hash(path) ? "public, max-age=31536000, immutable" : "no-cache");
    if (known && strstr(known, tag)) {
        reply_empty(r, 304);
    } else {
        asset_send(r, a, packed);
    }
}
