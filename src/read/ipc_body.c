/* ipc_body.c - the buffers of a message of an Arrow file, unpacked where they are compressed; see
 * ipc.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <zstd.h>

#include "read/ipc.h"
#ifdef LODE_LZ4_LIBRARY
#include <dlfcn.h>
#include <lz4frame.h>
#include <pthread.h>
#endif

#define BODY_RATIO                                                                                 \
    ((uint64_t)65536) /* no data are packed better than this, but wrong lengths are */
#define BODY_PREFIX 8 /* bytes of the unpacked length before packed data */

lode_status ipc_body_create(mem *m, ipc_body **out) {
    lode_status status = mem_zalloc(m, (void **)out, sizeof **out);
    if (status != LODE_OK) return status;
    (*out)->mem = m;
    atomic_store(&(*out)->holders, 1);
    return LODE_OK;
}

void ipc_body_release(ipc_body *b) {
    if (!b || atomic_fetch_sub(&b->holders, 1) > 1) return;
    for (size_t i = 0; i < b->n_dictionaries; i++) ipc_body_release(b->dictionaries[i]);
    vec_char_free(b->mem, &b->bytes);
    mem_drop(b->mem, &b->unpacked);
    mem_free(b->mem, b, sizeof *b);
}

#ifdef LODE_LZ4_LIBRARY
/* The library is loaded when a file needs it; programs run without it. */
static struct {
    unsigned (*LZ4F_isError)(LZ4F_errorCode_t);
    LZ4F_errorCode_t (*LZ4F_createDecompressionContext)(LZ4F_dctx **, unsigned);
    LZ4F_errorCode_t (*LZ4F_freeDecompressionContext)(LZ4F_dctx *);
    size_t (*LZ4F_decompress)(LZ4F_dctx *, void *, size_t *, const void *, size_t *,
                              const LZ4F_decompressOptions_t *);
    bool ready;
} lz4;
static pthread_once_t lz4_once = PTHREAD_ONCE_INIT;

static void lz4_load(void) {
    void *handle = dlopen(LODE_LZ4_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    *(void **)&lz4.LZ4F_isError = dlsym(handle, "LZ4F_isError");
    *(void **)&lz4.LZ4F_decompress = dlsym(handle, "LZ4F_decompress");
    *(void **)&lz4.LZ4F_createDecompressionContext =
        dlsym(handle, "LZ4F_createDecompressionContext");
    *(void **)&lz4.LZ4F_freeDecompressionContext = dlsym(handle, "LZ4F_freeDecompressionContext");
    lz4.ready = lz4.LZ4F_isError && lz4.LZ4F_decompress && lz4.LZ4F_createDecompressionContext &&
                lz4.LZ4F_freeDecompressionContext;
}

/* What the library allocates for a frame: two blocks, by the size in the frame's header. */
static size_t lz4_bytes(const unsigned char *frame, size_t n) {
    unsigned code = n > 5 ? frame[5] >> 4 & 7u : 7;
    return ((size_t)2 << (8 + 2 * (code < 4 ? 4 : code))) + ((size_t)256 << 10);
}

/* Whether a frame unpacks to exactly `room` bytes. */
static bool lz4_unpack(LZ4F_dctx *context, const char *from, size_t n, char *to, size_t room) {
    size_t at = 0, done = 0, left = 1;
    while (at < n && left > 0) {
        size_t taken = n - at, made = room - done;
        left = lz4.LZ4F_decompress(context, to + done, &made, from + at, &taken, NULL);
        if (lz4.LZ4F_isError(left) || (taken == 0 && made == 0)) return false;
        at += taken;
        done += made;
    }
    return left == 0 && at == n && done == room;
}

static lode_status unpack_lz4(mem *m, const char *from, size_t n, char *to, size_t room,
                              const char **what) {
    LZ4F_dctx *context = NULL;
    const size_t charged = lz4_bytes((const unsigned char *)from, n);
    pthread_once(&lz4_once, lz4_load);
    *what = "its data are compressed with LZ4, which needs the library " LODE_LZ4_LIBRARY
            "; install it (apt install liblz4-1), or write the file with compression='zstd'";
    if (!lz4.ready) return LODE_UNSUPPORTED;
    *what = "its LZ4 data are damaged";
    lode_status status = mem_charge(m, charged);
    if (status != LODE_OK) return status;
    if (lz4.LZ4F_isError(lz4.LZ4F_createDecompressionContext(&context, LZ4F_VERSION))) {
        status = LODE_NOMEM;
    } else if (!lz4_unpack(context, from, n, to, room)) {
        status = LODE_PARSE;
    }
    lz4.LZ4F_freeDecompressionContext(context);
    mem_discharge(m, charged);
    return status;
}
#else
static lode_status unpack_lz4(mem *m, const char *from, size_t n, char *to, size_t room,
                              const char **what) {
    (void)m, (void)from, (void)n, (void)to, (void)room;
    *what = "its data are compressed with LZ4, which this build of lode cannot read; build lode "
            "with liblz4-dev, or write the file with compression='zstd'";
    return LODE_UNSUPPORTED;
}
#endif

/* Unpacks a frame of zstd. A context without a window is small: the output is the window. */
static lode_status unpack_zstd(const char *from, size_t n, char *to, size_t room,
                               const char **what) {
    size_t done = ZSTD_decompress(to, room, from, n);
    *what = "its zstd data are damaged";
    return !ZSTD_isError(done) && done == room ? LODE_OK : LODE_PARSE;
}

static lode_status unpack(ipc_body *b, const char *from, size_t n, const void **out, uint64_t *room,
                          const char **what) {
    lode_status status = LODE_OK;
    char *to = NULL;
    *what = "the length of compressed data is invalid";
    if (*room > BODY_RATIO * n) return LODE_PARSE;
    LODE_TRY(mem_keep(b->mem, &b->unpacked, (void **)&to, (size_t)*room + 1));
    LODE_TRY(b->codec == IPC_LZ4 ? unpack_lz4(b->mem, from, n, to, (size_t)*room, what)
                                 : unpack_zstd(from, n, to, (size_t)*room, what));
    *out = to;
done:
    return status;
}

lode_status ipc_body_buffer(ipc_body *b, uint64_t offset, uint64_t length, const void **out,
                            uint64_t *n, const char **what) {
    lode_status status = LODE_OK;
    int64_t unpacked;
    *what = "a buffer lies outside of its message";
    if (offset > b->bytes.n || length > b->bytes.n - offset) return LODE_PARSE;
    const char *at = b->bytes.data ? b->bytes.data + offset : "";
    *out = at;
    *n = length;
    if (b->codec == IPC_PLAIN || length == 0) goto done;
    *what = "compressed data have no length";
    if (length < BODY_PREFIX) return LODE_PARSE;
    memcpy(&unpacked, at, sizeof unpacked);
    *out = at + BODY_PREFIX;
    *n = length - BODY_PREFIX;
    if (unpacked == -1) goto done; /* not compressed, because that would take more bytes */
    uint64_t packed = *n;
    *n = (uint64_t)unpacked;
    LODE_TRY(unpack(b, at + BODY_PREFIX, (size_t)packed, out, n, what));
done:
    b->n_bytes += status == LODE_OK ? *n : 0;
    return status;
}
