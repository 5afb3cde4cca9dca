/* ipc.c - reads the messages of an Arrow file or stream; see ipc.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/ipc.h"

#include <errno.h>
#include <inttypes.h>

#include "results/arrow/metadata.h"

#define IPC_LONGEST   ((uint64_t)1 << 28) /* most bytes of the metadata of a message */
#define IPC_STEP      ((size_t)1 << 20) /* bytes of a body that are read before more are believed */
#define IPC_FREE_ROWS 65536             /* rows of a batch that need no bytes, such as nulls */
#define IPC_HEAD      8                 /* bytes before the first message of a file */
#define IPC_OLD       "it has no mark where a message should begin"

static const char ipc_magic[IPC_HEAD] = ARROW_MAGIC "\0\0";

enum { BATCH_VARIADIC = BATCH_COMPRESSION + 1 };

typedef struct ipc_dictionary {
    int64_t id;
    ipc_body *body; /* NULL = not read yet */
    const ipc_field *entries;
} ipc_dictionary;

typedef struct ipc {
    lode_job *job;
    input *in;
    mem_kept kept; /* fields */
    ipc_field *table;
    ipc_dictionary *dictionaries;
    size_t n_dictionaries, dictionaries_cap;
    vec_char metadata; /* of the current message */
    vec_char whole;    /* all messages, if only the footer of the file has the schema */
    size_t whole_at;   /* those before are read */
    bool is_file, ended;
    lode_status status; /* of the call that failed */
} ipc;

/* A message. */
typedef struct ipc_message {
    uint64_t kind;
    flat_view header;
    uint64_t body_bytes;
} ipc_message;

lode_status ipc_status(const struct ArrowArrayStream *stream) {
    return ((const ipc *)stream->private_data)->status;
}

static lode_status ipc_damaged(const ipc *s, const char *what) {
    return job_fail(s->job, LODE_PARSE, "%s: damaged Arrow %s: %s", input_name(s->in),
                    s->is_file ? "file" : "stream", what);
}

static lode_status ipc_truncated(const ipc *s) {
    return job_fail(s->job, LODE_PARSE, "%s: truncated Arrow %s: it ends within a message",
                    input_name(s->in), s->is_file ? "file" : "stream");
}

/* ---- messages ---- */

/* Reads n bytes into an empty array; fewer at the end. */
static lode_status ipc_take(ipc *s, vec_char *to, uint64_t n) {
    lode_status status = LODE_OK;
    to->n = 0;
    if (s->whole.n > 0) {
        size_t left = s->whole.n - s->whole_at, taken = n < left ? (size_t)n : left;
        s->whole_at += taken;
        return vec_char_append(&s->job->mem, to, s->whole.data + s->whole_at - taken, taken);
    }
    while (to->n < n) {
        size_t step = to->n > IPC_STEP ? to->n : IPC_STEP, before = to->n;
        if (step > n - to->n) step = (size_t)(n - to->n);
        LODE_TRY(input_take_bytes(s->in, to, step));
        if (to->n == before) break;
        LODE_TRY(job_check(s->job));
    }
done:
    return status;
}

/* After the end mark of a file comes a footer, and the magic number again. */
static lode_status ipc_check_end(ipc *s) {
    char last[ARROW_MAGIC_BYTES] = {0};
    vec_char *rest = &s->metadata;
    lode_status status = LODE_OK;
    s->ended = true;
    if (!s->is_file || s->whole.n > 0) return LODE_OK;
    do {
        rest->n = 0;
        LODE_TRY(input_take_bytes(s->in, rest, IPC_STEP));
        size_t n = rest->n < sizeof last ? rest->n : sizeof last;
        memmove(last, last + n, sizeof last - n);
        if (n > 0) memcpy(last + sizeof last - n, rest->data + rest->n - n, n);
    } while (rest->n > 0);
    if (memcmp(last, ARROW_MAGIC, sizeof last) != 0) status = ipc_truncated(s);
done:
    return status;
}

static lode_status ipc_metadata(ipc *s, ipc_message *out) {
    flat_view message;
    uint64_t version;
    flat_bytes bytes = {(const unsigned char *)s->metadata.data, s->metadata.n};
    if (!flat_root(bytes, &message) || !flat_number(&message, MESSAGE_VERSION, 2, 0, &version) ||
        !flat_number(&message, MESSAGE_TYPE, 1, 0, &out->kind) ||
        !flat_table_at(&message, MESSAGE_HEADER, &out->header) ||
        !flat_number(&message, MESSAGE_BODY, 8, 0, &out->body_bytes)) {
        return ipc_damaged(s, "the metadata of a message are invalid");
    }
    if (out->body_bytes > INT64_MAX) return ipc_damaged(s, "a message has a negative length");
    if (version == ARROW_VERSION) return LODE_OK;
    return job_fail(s->job, LODE_UNSUPPORTED,
                    "%s was written by a version of Arrow before 1.0; write it again with a newer "
                    "version",
                    input_name(s->in));
}

/* Reads the metadata of the next message; s->ended is set if there is none. */
static lode_status ipc_next_message(ipc *s, ipc_message *out) {
    lode_status status = LODE_OK;
    uint32_t prefix[2] = {0};
    LODE_TRY(ipc_take(s, &s->metadata, sizeof prefix));
    if (s->metadata.n == 0 && !s->is_file) {
        s->ended = true;
        goto done;
    }
    if (s->metadata.n < sizeof prefix) LODE_LEAVE(ipc_truncated(s));
    memcpy(prefix, s->metadata.data, sizeof prefix);
    if (prefix[0] != ARROW_MARK) LODE_LEAVE(ipc_damaged(s, IPC_OLD));
    if (prefix[1] == 0) LODE_LEAVE(ipc_check_end(s));
    if (prefix[1] > IPC_LONGEST) LODE_LEAVE(ipc_damaged(s, "its metadata are too long"));
    LODE_TRY(ipc_take(s, &s->metadata, prefix[1]));
    if (s->metadata.n < prefix[1]) LODE_LEAVE(ipc_truncated(s));
    LODE_TRY(ipc_metadata(s, out));
done:
    return status;
}

static lode_status ipc_read_body(ipc *s, const ipc_message *message, ipc_body **out) {
    lode_status status = LODE_OK;
    ipc_body *b = NULL;
    LODE_TRY(ipc_body_create(&s->job->mem, &b));
    LODE_TRY(ipc_take(s, &b->bytes, message->body_bytes));
    if (b->bytes.n < message->body_bytes) LODE_LEAVE(ipc_truncated(s));
    *out = b;
    b = NULL;
done:
    ipc_body_release(b);
    return status;
}

/* ---- arrays ---- */

/* A batch whose arrays are made, in the order of its metadata. */
typedef struct ipc_walk {
    ipc *s;
    ipc_body *body;
    flat_list nodes, buffers, variadic;
    size_t node, buffer, view;
    uint64_t longest;
    const char *what; /* what is wrong */
} ipc_walk;

static bool walk_node(ipc_walk *w, struct ArrowArray *out) {
    w->what = "a batch has fewer arrays than the schema has fields";
    if (w->node == w->nodes.n) return false;
    uint64_t length = flat_list_number(&w->nodes, w->node, ARROW_PAIR_BYTES, 0, 8);
    uint64_t nulls = flat_list_number(&w->nodes, w->node++, ARROW_PAIR_BYTES, 8, 8);
    w->what = "an array has an invalid length";
    if (length > (uint64_t)1 << 48) return false;
    if (length > w->longest) w->longest = length;
    out->length = (int64_t)length;
    out->null_count = nulls == 0 ? 0 : -1;
    return true;
}

/* Whether a buffer of an array is long enough, and the last offset lies within the text. */
static bool walk_fits(ipc_walk *w, const ipc_field *f, const struct ArrowArray *a, size_t i,
                      const uint64_t *bytes) {
    uint64_t n = (uint64_t)a->length, need = (n + 7) / 8;
    bool is_union = strncmp(f->schema.format, "+u", 2) == 0;
    w->what = "a buffer is too short for its array";
    if (n == 0 || is_union) return true;
    if (i == 0) return bytes[0] >= need || a->null_count == 0;
    if (i == 1 && f->width > 0) need = (n + f->offsets) * f->width;
    if (i == 1) return bytes[1] >= need;
    if (i > 2 || !f->offsets) return true;
    w->what = "the text of an array is shorter than its offsets say";
    const arrays_level level = {.values = a->buffers[1]};
    return arrays_number(&level, f->width, true, n) <= bytes[2];
}

/* The number of buffers of an array of views. */
static bool walk_views(ipc_walk *w, size_t *n) {
    w->what = "the number of buffers of a column of views is missing";
    if (w->view == w->variadic.n) return false;
    uint64_t more = flat_list_number(&w->variadic, w->view++, 8, 0, 8);
    if (more > w->buffers.n) return false;
    *n += (size_t)more;
    return true;
}

static lode_status walk_buffers(ipc_walk *w, const ipc_field *f, struct ArrowArray *out) {
    lode_status status = LODE_OK;
    mem *m = w->body->mem;
    size_t n = f->n_buffers;
    uint64_t *bytes = NULL;
    if (f->views && !walk_views(w, &n)) return LODE_PARSE;
    LODE_TRY(mem_keep_zero(m, &w->body->unpacked, (void **)&out->buffers,
                           (n + 1) * sizeof *out->buffers));
    LODE_TRY(mem_keep_zero(m, &w->body->unpacked, (void **)&bytes, (n + 1) * sizeof *bytes));
    for (size_t i = 0; i < n; i++) {
        w->what = "a batch has fewer buffers than its schema needs";
        if (w->buffer == w->buffers.n) LODE_LEAVE(LODE_PARSE);
        uint64_t offset = flat_list_number(&w->buffers, w->buffer, ARROW_PAIR_BYTES, 0, 8);
        uint64_t length = flat_list_number(&w->buffers, w->buffer++, ARROW_PAIR_BYTES, 8, 8);
        LODE_TRY(ipc_body_buffer(w->body, offset, length, &out->buffers[i], &bytes[i], &w->what));
        if (!walk_fits(w, f, out, i, bytes)) LODE_LEAVE(LODE_PARSE);
    }
    out->n_buffers = (int64_t)n;
    if (f->views) out->buffers[out->n_buffers++] = bytes + 2; /* sizes of the views' buffers */
done:
    return status;
}

static ipc_dictionary *ipc_find(ipc *s, int64_t id) {
    for (size_t i = 0; i < s->n_dictionaries; i++) {
        if (s->dictionaries[i].id == id) return &s->dictionaries[i];
    }
    return NULL;
}

/* The array of a field refers to its dictionary, and holds it. */
static lode_status walk_dictionary(ipc_walk *w, const ipc_field *f, struct ArrowArray *out) {
    lode_status status = LODE_OK;
    ipc_body *b = w->body;
    const ipc_dictionary *d = ipc_find(w->s, f->dictionary);
    w->what = "a column refers to a dictionary that is not there";
    if (!d || !d->body) return LODE_PARSE;
    if (!b->dictionaries) {
        LODE_TRY(mem_keep_zero(b->mem, &b->unpacked, (void **)&b->dictionaries,
                               w->nodes.n * sizeof *b->dictionaries + 1));
    }
    atomic_fetch_add(&d->body->holders, 1);
    b->dictionaries[b->n_dictionaries++] = d->body;
    out->dictionary = d->body->array;
done:
    return status;
}

static lode_status walk_children(ipc_walk *w, const struct ArrowSchema *schema,
                                 struct ArrowArray *out);

static lode_status walk_field(ipc_walk *w, const ipc_field *f, struct ArrowArray *out) {
    lode_status status = LODE_OK;
    if (!walk_node(w, out)) return LODE_PARSE;
    LODE_TRY(walk_buffers(w, f, out));
    LODE_TRY(walk_children(w, &f->schema, out));
    if (f->dictionary >= 0) LODE_TRY(walk_dictionary(w, f, out));
done:
    return status;
}

static lode_status walk_children(ipc_walk *w, const struct ArrowSchema *schema,
                                 struct ArrowArray *out) {
    lode_status status = LODE_OK;
    const size_t n = (size_t)schema->n_children;
    struct ArrowArray *children = NULL;
    mem_kept *kept = &w->body->unpacked;
    if (n == 0) return LODE_OK;
    LODE_TRY(mem_keep_zero(w->body->mem, kept, (void **)&children, n * sizeof *children));
    LODE_TRY(mem_keep_zero(w->body->mem, kept, (void **)&out->children, n * sizeof *out->children));
    out->n_children = (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        out->children[i] = &children[i];
        LODE_TRY(walk_field(w, schema->children[i]->private_data, &children[i]));
    }
done:
    return status;
}

/* Reads the tables of a batch: nodes, buffers, compression. */
static lode_status walk_tables(ipc_walk *w, const flat_view *batch) {
    flat_view compression;
    uint64_t codec = 0, method = 0;
    w->what = "the metadata of a batch are invalid";
    if (!flat_vector_at(batch, BATCH_NODES, ARROW_PAIR_BYTES, &w->nodes) ||
        !flat_vector_at(batch, BATCH_BUFFERS, ARROW_PAIR_BYTES, &w->buffers) ||
        !flat_vector_at(batch, BATCH_VARIADIC, 8, &w->variadic)) {
        return LODE_PARSE;
    }
    if (!flat_table_at(batch, BATCH_COMPRESSION, &compression)) return LODE_OK;
    if (!flat_number(&compression, 0, 1, 0, &codec) ||
        !flat_number(&compression, 1, 1, 0, &method)) {
        return LODE_PARSE;
    }
    w->what = "its compression is unknown; expected LZ4 or zstd";
    if (codec > 1 || method != 0) return LODE_UNSUPPORTED;
    w->body->codec = codec == 0 ? IPC_LZ4 : IPC_ZSTD;
    return LODE_OK;
}

/* Makes the arrays of a batch: those of the columns of `field` or, for the entries of a dictionary,
 * that of the field itself. */
static lode_status ipc_arrays(ipc *s, const flat_view *batch, const ipc_field *field,
                              ipc_body *body) {
    lode_status status = LODE_OK;
    static const void *none[1];
    uint64_t length;
    struct ArrowArray *a = NULL;
    ipc_walk w = {.s = s, .body = body, .what = "the metadata of a batch are invalid"};
    LODE_TRY(mem_keep_zero(body->mem, &body->unpacked, (void **)&a, sizeof *a));
    if (!flat_number(batch, BATCH_LENGTH, 8, 0, &length) || length > (uint64_t)1 << 48) {
        LODE_LEAVE(LODE_PARSE);
    }
    LODE_TRY(walk_tables(&w, batch));
    if (field == s->table) {
        *a = (struct ArrowArray){.length = (int64_t)length, .n_buffers = 1, .buffers = none};
        LODE_TRY(walk_children(&w, &field->schema, a));
    } else {
        LODE_TRY(walk_field(&w, field, a));
    }
    if (length > w.longest) w.longest = length;
    w.what = "a batch has more rows than its buffers can hold";
    if (w.longest > 8 * body->n_bytes + IPC_FREE_ROWS) LODE_LEAVE(LODE_PARSE);
    body->array = a;
done:
    if (status == LODE_PARSE) return ipc_damaged(s, w.what);
    if (status == LODE_UNSUPPORTED) {
        return job_fail(s->job, status, "%s: %s", input_name(s->in), w.what);
    }
    return status;
}

/* ---- dictionaries ---- */

/* Lists the dictionaries that the fields name. */
static lode_status ipc_list(ipc *s, const struct ArrowSchema *schema) {
    lode_status status = LODE_OK;
    const ipc_field *f = schema->private_data;
    if (f->dictionary >= 0 && !ipc_find(s, f->dictionary)) {
        LODE_TRY(vec_grow(&s->job->mem, (void **)&s->dictionaries, s->n_dictionaries,
                          &s->dictionaries_cap, 1, sizeof *s->dictionaries));
        s->dictionaries[s->n_dictionaries++] =
            (ipc_dictionary){.id = f->dictionary, .entries = schema->dictionary->private_data};
    }
    if (schema->dictionary) schema = schema->dictionary;
    for (int64_t i = 0; i < schema->n_children; i++) LODE_TRY(ipc_list(s, schema->children[i]));
done:
    return status;
}

static lode_status ipc_read_dictionary(ipc *s, const ipc_message *message) {
    lode_status status = LODE_OK;
    flat_view batch;
    uint64_t id, delta;
    ipc_body *body = NULL;
    if (!flat_number(&message->header, DICTIONARY_ID, 8, 0, &id) ||
        !flat_number(&message->header, DICTIONARY_IS_DELTA, 1, 0, &delta) ||
        !flat_table_at(&message->header, DICTIONARY_DATA, &batch)) {
        return ipc_damaged(s, "the metadata of a dictionary are invalid");
    }
    ipc_dictionary *d = ipc_find(s, (int64_t)id);
    if (!d) return ipc_damaged(s, "it has a dictionary that no column uses");
    if (delta) {
        return job_fail(s->job, LODE_UNSUPPORTED,
                        "%s has a dictionary in parts (delta dictionaries), which lode does not "
                        "read; write the file without them",
                        input_name(s->in));
    }
    LODE_TRY(ipc_read_body(s, message, &body));
    LODE_TRY(ipc_arrays(s, &batch, d->entries, body));
    ipc_body_release(d->body);
    d->body = body;
    body = NULL;
done:
    ipc_body_release(body);
    return status;
}

/* ---- the stream ---- */

/* Reads the rest of a file whose first message, in s->metadata, is not a schema, and lends the
 * schema of the footer. Arrow JS writes such files. */
static lode_status ipc_take_footer(ipc *s, flat_view *schema) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    flat_view footer;
    uint32_t prefix[2] = {ARROW_MARK, (uint32_t)s->metadata.n}, length;
    vec_char *all = &s->whole;
    LODE_TRY(vec_char_append(m, all, prefix, sizeof prefix));
    LODE_TRY(vec_char_append(m, all, s->metadata.data, s->metadata.n));
    for (size_t before = 0; before < all->n;) {
        before = all->n;
        LODE_TRY(job_check(s->job));
        LODE_TRY(input_take_bytes(s->in, all, before > IPC_STEP ? before : IPC_STEP));
    }
    const size_t tail = sizeof length + ARROW_MAGIC_BYTES;
    const char *end = all->data + all->n;
    if (all->n < tail || memcmp(end - ARROW_MAGIC_BYTES, ARROW_MAGIC, ARROW_MAGIC_BYTES) != 0) {
        LODE_LEAVE(ipc_truncated(s));
    }
    memcpy(&length, end - tail, sizeof length);
    if (length > all->n - tail) LODE_LEAVE(ipc_damaged(s, "its footer is invalid"));
    flat_bytes bytes = {(const unsigned char *)end - tail - length, length};
    if (!flat_root(bytes, &footer) || !flat_table_at(&footer, FOOTER_SCHEMA, schema)) {
        status = ipc_damaged(s, "its footer is invalid");
    }
done:
    return status;
}

static lode_status ipc_take_schema(ipc *s, const flat_view *schema) {
    const char *what = NULL;
    lode_status status = ipc_read_schema(&s->job->mem, &s->kept, schema, &s->table, &what);
    if (status == LODE_PARSE) return ipc_damaged(s, what);
    if (status == LODE_UNSUPPORTED) {
        return job_fail(s->job, status, "%s: %s", input_name(s->in), what);
    }
    return status == LODE_OK ? ipc_list(s, &s->table->schema) : status;
}

static lode_status ipc_read_head(ipc *s) {
    lode_status status = LODE_OK;
    const char *text;
    ipc_message message;
    size_t n;
    bool complete;
    LODE_TRY(input_peek(s->in, IPC_HEAD, &text, &n, &complete));
    s->is_file = n >= IPC_HEAD && memcmp(text, ipc_magic, IPC_HEAD) == 0;
    if (s->is_file) LODE_TRY(ipc_take(s, &s->metadata, IPC_HEAD));
    LODE_TRY(ipc_next_message(s, &message));
    if (s->ended || (message.kind != MESSAGE_SCHEMA && !s->is_file)) {
        LODE_LEAVE(ipc_damaged(s, "it does not begin with a schema"));
    }
    if (message.kind != MESSAGE_SCHEMA) LODE_TRY(ipc_take_footer(s, &message.header));
    LODE_TRY(ipc_take_schema(s, &message.header));
done:
    return status;
}

/* Reads messages up to the next batch; NULL = the end. */
static lode_status ipc_next_batch(ipc *s, ipc_body **out) {
    lode_status status = LODE_OK;
    ipc_body *body = NULL;
    while (!s->ended) {
        ipc_message message = {0};
        LODE_TRY(ipc_next_message(s, &message));
        if (s->ended) break;
        if (message.kind == MESSAGE_DICTIONARY) {
            LODE_TRY(ipc_read_dictionary(s, &message));
            continue;
        }
        if (message.kind != MESSAGE_BATCH) {
            LODE_LEAVE(ipc_damaged(s, "it has a message of another kind than batches"));
        }
        LODE_TRY(ipc_read_body(s, &message, &body));
        LODE_TRY(ipc_arrays(s, &message.header, s->table, body));
        *out = body;
        body = NULL;
        break;
    }
done:
    ipc_body_release(body);
    return status;
}

/* The fields live as long as the stream. */
static void ipc_release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void ipc_release_array(struct ArrowArray *array) {
    array->release = NULL;
    ipc_body_release(array->private_data);
}

static int ipc_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const ipc *s = stream->private_data;
    *out = s->table->schema;
    out->release = ipc_release_schema;
    return 0;
}

static int ipc_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    ipc *s = stream->private_data;
    ipc_body *body = NULL;
    *out = (struct ArrowArray){.release = NULL};
    s->status = ipc_next_batch(s, &body);
    if (s->status != LODE_OK) return EIO;
    if (!body) return 0;
    *out = *body->array;
    out->private_data = body;
    out->release = ipc_release_array;
    return 0;
}

static const char *ipc_get_last_error(struct ArrowArrayStream *stream) {
    return lode_job_error(((const ipc *)stream->private_data)->job);
}

static void ipc_free(ipc *s) {
    mem *m = &s->job->mem;
    for (size_t i = 0; i < s->n_dictionaries; i++) ipc_body_release(s->dictionaries[i].body);
    mem_free(m, s->dictionaries, s->dictionaries_cap * sizeof *s->dictionaries);
    vec_char_free(m, &s->metadata);
    vec_char_free(m, &s->whole);
    mem_drop(m, &s->kept);
    mem_free(m, s, sizeof *s);
}

static void ipc_release(struct ArrowArrayStream *stream) {
    ipc_free(stream->private_data);
    stream->release = NULL;
}

lode_status ipc_open(lode_job *job, input *in, struct ArrowArrayStream *out) {
    ipc *s = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&s, sizeof *s);
    if (status != LODE_OK) return status;
    *s = (ipc){.job = job, .in = in};
    status = ipc_read_head(s);
    if (status != LODE_OK) {
        ipc_free(s);
        return status;
    }
    *out =
        (struct ArrowArrayStream){ipc_get_schema, ipc_get_next, ipc_get_last_error, ipc_release, s};
    return LODE_OK;
}
