/* arrow_stream.c - see arrow_stream.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/arrow_stream.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"

/* A column has up to three nodes: lists, codes and names. */
#define STREAM_NODES(n_columns) (1 + 3 * (size_t)(n_columns))

/* Concatenated names, as buffers of a large_utf8 array. */
typedef struct stream_names {
    vec_u64 offsets;
    const char *text;
} stream_names;

typedef struct stream_own {
    lode_job *job;
    arrow_file *file;
    uint32_t next; /* batch */
    stream_names *names;
    uint32_t n_names;
} stream_own;

/* The nodes of a batch, or of a schema. Parts may be released in any order. */
typedef struct stream_block {
    mem *mem;
    size_t bytes, n;
    _Atomic size_t held; /* nodes that were not released */
    void **children;     /* of the root, then one place for each node */
    const void *(*buffers)[3];
    void *nodes;
} stream_block;

static void stream_let_go(stream_block *b) {
    if (atomic_fetch_sub(&b->held, 1) == 1) mem_free(b->mem, b, b->bytes);
}

static lode_status stream_make_block(mem *m, uint32_t n_columns, size_t node_bytes,
                                     stream_block **out) {
    stream_block *b = NULL;
    const size_t n = STREAM_NODES(n_columns);
    size_t bytes =
        sizeof *b + n * node_bytes + n * sizeof *b->buffers + (n_columns + n) * sizeof *b->children;
    lode_status status = mem_zalloc(m, (void **)&b, bytes);
    if (status != LODE_OK) return status;
    b->mem = m;
    b->bytes = bytes;
    b->nodes = b + 1;
    b->buffers = (const void *(*)[3])(void *)((char *)b->nodes + n * node_bytes);
    b->children = (void **)(void *)(b->buffers + n);
    *out = b;
    return LODE_OK;
}

/* ---- the schema ---- */

static void stream_release_schema(struct ArrowSchema *s) {
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    }
    if (s->dictionary && s->dictionary->release) s->dictionary->release(s->dictionary);
    s->release = NULL;
    stream_let_go(s->private_data);
}

static struct ArrowSchema *stream_add_schema(stream_block *b, const char *format,
                                             const char *name) {
    struct ArrowSchema *s = (struct ArrowSchema *)b->nodes + b->n++;
    *s = (struct ArrowSchema){
        .format = format, .name = name, .release = stream_release_schema, .private_data = b};
    return s;
}

static struct ArrowSchema *stream_column_schema(stream_block *b, uint32_t n_columns,
                                                const arrow_column *c) {
    static const char *const formats[] = {
        [ARROW_U32] = "I",  [ARROW_U64] = "L",   [ARROW_F64] = "g",
        [ARROW_TEXT] = "u", [ARROW_LIST] = "+l", [ARROW_NAMES] = "+l"};
    struct ArrowSchema *s = stream_add_schema(b, formats[c->type], c->name);
    if (c->type != ARROW_LIST && c->type != ARROW_NAMES) return s;
    void **place = &b->children[n_columns + b->n];
    struct ArrowSchema *child = stream_add_schema(b, c->type == ARROW_LIST ? "I" : "i", "item");
    if (c->type == ARROW_NAMES) child->dictionary = stream_add_schema(b, "U", "");
    *place = child;
    s->children = (struct ArrowSchema **)place;
    s->n_children = 1;
    return s;
}

static int stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const stream_own *own = stream->private_data;
    const uint32_t n = arrow_n_columns(own->file);
    stream_block *b = NULL;
    if (stream_make_block(&own->job->mem, n, sizeof *out, &b) != LODE_OK) return ENOMEM;
    struct ArrowSchema *root = stream_add_schema(b, "+s", "");
    for (uint32_t i = 0; i < n; i++) {
        b->children[i] = stream_column_schema(b, n, arrow_column_at(own->file, i));
    }
    root->children = (struct ArrowSchema **)b->children;
    root->n_children = n;
    b->held = b->n;
    *out = *root;
    return 0;
}

/* ---- batches ---- */

static void stream_release_array(struct ArrowArray *a) {
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    }
    if (a->dictionary && a->dictionary->release) a->dictionary->release(a->dictionary);
    a->release = NULL;
    stream_let_go(a->private_data);
}

/* Adds an array with one or two buffers after its bitmap of nulls, which it does not have. */
static struct ArrowArray *stream_add_array(stream_block *b, uint64_t length, const void *first,
                                           const void *second) {
    struct ArrowArray *a = (struct ArrowArray *)b->nodes + b->n;
    const void **buffers = b->buffers[b->n++];
    buffers[1] = first;
    buffers[2] = second;
    *a = (struct ArrowArray){.length = (int64_t)length,
                             .n_buffers = 1 + (first != NULL) + (second != NULL),
                             .buffers = buffers,
                             .release = stream_release_array,
                             .private_data = b};
    return a;
}

static struct ArrowArray *stream_column_array(const stream_own *own, stream_block *b,
                                              uint32_t column, uint32_t rows,
                                              const arrow_cells *cells) {
    const arrow_column *c = arrow_column_at(own->file, column);
    const void *values = cells->values ? cells->values : "";
    if (c->type == ARROW_TEXT) return stream_add_array(b, rows, cells->offsets, values);
    if (c->type != ARROW_LIST && c->type != ARROW_NAMES) {
        return stream_add_array(b, rows, values, NULL);
    }
    struct ArrowArray *a = stream_add_array(b, rows, cells->offsets, NULL);
    void **place = &b->children[arrow_n_columns(own->file) + b->n];
    struct ArrowArray *child = stream_add_array(b, cells->n_values, values, NULL);
    if (c->type == ARROW_NAMES) {
        const stream_names *names = &own->names[c->dictionary];
        child->dictionary =
            stream_add_array(b, names->offsets.n - 1, names->offsets.data, names->text);
    }
    *place = child;
    a->children = (struct ArrowArray **)place;
    a->n_children = 1;
    return a;
}

static int stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    stream_own *own = stream->private_data;
    const uint32_t n = arrow_n_columns(own->file);
    stream_block *b = NULL;
    arrow_cells cells;
    *out = (struct ArrowArray){.release = NULL};
    if (own->next == arrow_n_batches(own->file)) return 0;
    const uint32_t rows = arrow_batch_rows(own->file, own->next);
    if (stream_make_block(&own->job->mem, n, sizeof *out, &b) != LODE_OK) return ENOMEM;
    struct ArrowArray *root = stream_add_array(b, rows, NULL, NULL);
    for (uint32_t i = 0; i < n; i++) {
        if (arrow_cells_at(own->file, own->next, i, false, &cells) != LODE_OK) {
            mem_free(b->mem, b, b->bytes);
            return EIO;
        }
        b->children[i] = stream_column_array(own, b, i, rows, &cells);
    }
    root->children = (struct ArrowArray **)b->children;
    root->n_children = n;
    b->held = b->n;
    own->next++;
    *out = *root;
    return 0;
}

/* ---- the stream ---- */

static const char *stream_last_error(struct ArrowArrayStream *stream) {
    return lode_job_error(((const stream_own *)stream->private_data)->job);
}

static void stream_release(struct ArrowArrayStream *stream) {
    stream_own *own = stream->private_data;
    mem *m = &own->job->mem;
    for (uint32_t i = 0; own->names && i < own->n_names; i++) {
        vec_u64_free(m, &own->names[i].offsets);
    }
    mem_free(m, own->names, own->names ? own->n_names * sizeof *own->names : 0);
    mem_free(m, own, sizeof *own);
    stream->release = NULL;
}

static lode_status stream_take_names(stream_own *own, uint32_t dictionary) {
    lode_status status = LODE_OK;
    stream_names *names = &own->names[dictionary];
    uint64_t n, at = 0;
    size_t bytes;
    LODE_TRY(arrow_names(own->file, dictionary, &n));
    LODE_TRY(vec_u64_reserve(&own->job->mem, &names->offsets, (size_t)n + 1));
    names->text = "";
    for (uint64_t i = 0; i < n; i++) {
        const char *name = arrow_name(own->file, dictionary, i, &bytes);
        if (i == 0) names->text = name; /* the others follow it */
        names->offsets.data[names->offsets.n++] = at;
        at += bytes;
    }
    names->offsets.data[names->offsets.n++] = at;
done:
    return status;
}

lode_status arrow_stream_open(lode_job *job, arrow_file *file, struct ArrowArrayStream *out) {
    lode_status status = LODE_OK;
    stream_own *own = NULL;
    *out = (struct ArrowArrayStream){.release = NULL};
    LODE_TRY(mem_zalloc(&job->mem, (void **)&own, sizeof *own));
    *own = (stream_own){.job = job, .file = file};
    *out = (struct ArrowArrayStream){stream_get_schema, stream_get_next, stream_last_error,
                                     stream_release, own};
    own->n_names = arrow_n_dictionaries(file);
    if (own->n_names > 0) {
        LODE_TRY(mem_zalloc(&job->mem, (void **)&own->names, own->n_names * sizeof *own->names));
    }
    for (uint32_t i = 0; i < own->n_names; i++) LODE_TRY(stream_take_names(own, i));
done:
    if (status != LODE_OK && out->release) out->release(out);
    return status;
}
