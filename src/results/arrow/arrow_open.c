/* arrow_open.c - opens and closes Arrow files: see arrow.h, file.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/hash.h"
#include "base/os.h"
#include "results/arrow/file.h"

#define OPEN_TAIL (sizeof(uint32_t) + ARROW_MAGIC_BYTES) /* bytes after the footer */
/* magic and padding, a schema, the tail: no file is shorter */
#define OPEN_LEAST (ARROW_MAGIC_BYTES + 2 + OPEN_TAIL)

/* ---- the ends of the file ------------------------------------------------------------------- */

static bool open_has_magic(const arrow_file *f, uint64_t at) {
    return memcmp(f->bytes + at, ARROW_MAGIC, ARROW_MAGIC_BYTES) == 0;
}

static lode_status open_check_ends(arrow_file *f) {
    if (f->n_bytes < ARROW_MAGIC_BYTES || !open_has_magic(f, 0)) {
        return job_fail(
            f->job, LODE_PARSE,
            "%s: not an Arrow file; expected a result written by lode with --write arrow", f->name);
    }
    bool whole = f->n_bytes >= OPEN_LEAST && open_has_magic(f, f->n_bytes - ARROW_MAGIC_BYTES);
    if (whole) return LODE_OK;
    return job_fail(f->job, LODE_PARSE, "%s: the Arrow file is truncated; write it again", f->name);
}

static lode_status open_contents(arrow_file *f) {
    lode_status status = LODE_OK;
    uint32_t footer_bytes;
    LODE_TRY(open_check_ends(f));
    uint64_t end = f->n_bytes - OPEN_TAIL;
    memcpy(&footer_bytes, f->bytes + end, sizeof footer_bytes);
    if (footer_bytes > end - ARROW_MAGIC_BYTES - 2) {
        LODE_LEAVE(file_damaged(f, "its footer is longer than the file"));
    }
    LODE_TRY(file_read_footer(f, end - footer_bytes, end));
done:
    return status;
}

/* ---- files and memory ----------------------------------------------------------------------- */

static lode_status open_create(lode_job *job, const char *name, arrow_file **out) {
    arrow_file *f = NULL;
    size_t bytes = strlen(name) + 1;
    lode_status status = mem_zalloc(&job->mem, (void **)&f, sizeof *f);
    if (status != LODE_OK) return status;
    f->job = job;
    pthread_mutex_init(&f->lock, NULL);
    status = mem_keep(&job->mem, &f->kept, (void **)&f->name, bytes);
    if (status == LODE_OK) {
        memcpy(f->name, name, bytes);
        *out = f;
    } else {
        arrow_close(f);
    }
    return status;
}

static lode_status open_map(arrow_file *f, int fd, const char *path) {
    os_stamp stamp;
    if (os_is_directory(fd)) {
        return job_fail(f->job, LODE_NOTFOUND, "cannot read '%s': it is a folder", path);
    }
    if (!os_file_stamp(fd, &stamp)) {
        return job_fail(f->job, LODE_IO,
                        "cannot read '%s': it is not a file that can be mapped into memory", path);
    }
    if (stamp.bytes == 0) return job_fail(f->job, LODE_PARSE, "%s: the file is empty", f->name);
    if (!mapped_open(&f->map, fd, &stamp)) {
        return job_fail(f->job, LODE_IO, "cannot map '%s': %s", path, strerror(errno));
    }
    f->bytes = f->map.bytes;
    f->n_bytes = stamp.bytes;
    return LODE_OK;
}

lode_status arrow_open(lode_job *job, const char *path, arrow_file **out) {
    lode_status status = LODE_OK;
    arrow_file *f = NULL;
    int fd = os_open_read(path);
    if (fd < 0) {
        LODE_LEAVE(job_fail(job, errno == ENOENT || errno == ENOTDIR ? LODE_NOTFOUND : LODE_IO,
                            "cannot open '%s': %s", path, strerror(errno)));
    }
    LODE_TRY(open_create(job, path, &f));
    LODE_TRY(open_map(f, fd, path));
    fd = -1;
    status = open_contents(f);
    if (arrow_is_lost(f)) status = arrow_check(f);
    if (status != LODE_OK) goto done;
    os_map_read_ahead(f->bytes, (size_t)f->n_bytes);
    *out = f;
    f = NULL;
done:
    if (fd >= 0) os_close(fd);
    arrow_close(f);
    return status;
}

lode_status arrow_open_memory(lode_job *job, const void *bytes, size_t n, arrow_file **out) {
    lode_status status = LODE_OK;
    arrow_file *f = NULL;
    LODE_TRY(open_create(job, "memory", &f));
    f->bytes = bytes;
    f->n_bytes = n;
    LODE_TRY(open_contents(f));
    *out = f;
    f = NULL;
done:
    arrow_close(f);
    return status;
}

/* ---- the footer of an Arrow file: columns, keys, the rows of each batch ---------------------- */

#define FOOTER_COLUMNS_MOST 1000
#define FOOTER_KEYS_MOST    1000
#define FOOTER_ROWS_MOST    ((uint64_t)INT32_MAX) /* of a batch: offsets are numbers of 32 bits */

/* Both are what lode's own reader does not take; other readers do. */
static lode_status footer_foreign(const arrow_file *f, const char *what) {
    return job_fail(f->job, LODE_PARSE,
                    "%s: %s; expected a result written by lode with --write arrow", f->name, what);
}

/* Copies a text of the footer, up to the zero that it ends with now. */
static lode_status footer_keep_text(arrow_file *f, const char **text) {
    size_t n = **text ? strnlen(*text, (size_t)((const char *)f->bytes + f->n_bytes - *text)) : 0;
    char *copy = NULL;
    lode_status status = mem_keep(&f->job->mem, &f->kept, (void **)&copy, n + 1);
    if (status != LODE_OK) return status;
    memcpy(copy, *text, n);
    copy[n] = 0;
    *text = copy;
    return LODE_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Whether a field is an unsigned or signed integer of this many bits. */
static bool footer_is_int(const flat_view *type, uint64_t bits, bool is_signed) {
    uint64_t its_bits, its_sign;
    return flat_number(type, INT_BITS, 4, 0, &its_bits) && its_bits == bits &&
           flat_number(type, INT_SIGNED, 1, 0, &its_sign) && (its_sign != 0) == is_signed;
}

/* The parts of a field: its kind of type, the table that details it, its children. */
typedef struct footer_field {
    flat_view field, type;
    uint64_t kind;
    flat_list children;
    bool encoded; /* codes of a dictionary */
    flat_view encoding;
} footer_field;

static bool footer_take_field(const flat_view *field, footer_field *out) {
    *out = (footer_field){.field = *field};
    out->encoded = flat_table_at(field, FIELD_DICTIONARY, &out->encoding);
    return flat_number(field, FIELD_TYPE, 1, 0, &out->kind) &&
           flat_table_at(field, FIELD_TYPE_TABLE, &out->type) &&
           flat_vector_at(field, FIELD_CHILDREN, 4, &out->children);
}

/* The type of a column that is no list; false if lode has none like it. */
static bool footer_value_type(const footer_field *v, arrow_type *out) {
    uint64_t precision;
    *out = ARROW_TEXT;
    if (v->encoded || v->children.n != 0) return false;
    if (v->kind == TYPE_TEXT) return true;
    if (v->kind == TYPE_FLOAT) {
        *out = ARROW_F64;
        return flat_number(&v->type, FLOAT_PRECISION, 2, 0, &precision) &&
               precision == FLOAT_DOUBLE;
    }
    if (v->kind != TYPE_INT) return false;
    *out = footer_is_int(&v->type, 64, false) ? ARROW_U64 : ARROW_U32;
    return *out == ARROW_U64 || footer_is_int(&v->type, 32, false);
}

/* The dictionary of a field of names; false if its codes are not what lode writes. */
static bool footer_dictionary(const footer_field *v, size_t n_dictionaries, uint32_t *out) {
    flat_view index;
    uint64_t id;
    if (!flat_number(&v->encoding, ENCODING_ID, 8, 0, &id) || id >= n_dictionaries) return false;
    *out = (uint32_t)id;
    return flat_table_at(&v->encoding, ENCODING_INDEX, &index) && footer_is_int(&index, 32, true);
}

static bool footer_list_type(const footer_field *v, size_t n_dictionaries, arrow_column *out) {
    flat_view child;
    footer_field item;
    if (v->encoded || v->children.n != 1 || !flat_list_table(&v->children, 0, &child)) return false;
    if (!footer_take_field(&child, &item) || item.children.n != 0) return false;
    if (item.encoded) {
        out->type = ARROW_NAMES;
        return item.kind == TYPE_TEXT && footer_dictionary(&item, n_dictionaries, &out->dictionary);
    }
    out->type = ARROW_LIST;
    return item.kind == TYPE_INT && footer_is_int(&item.type, 32, false);
}

static lode_status footer_read_column(arrow_file *f, const flat_view *field, arrow_column *out) {
    footer_field v;
    if (!footer_take_field(field, &v)) return file_damaged(f, "a column has no type");
    if (!flat_text_at(field, FIELD_NAME, &out->name) || !out->name) {
        return file_damaged(f, "a column has no name");
    }
    bool known = v.kind == TYPE_LIST ? footer_list_type(&v, f->dictionaries.n, out)
                                     : footer_value_type(&v, &out->type);
    return known ? footer_keep_text(f, &out->name)
                 : footer_foreign(f, "a column has a type that lode does not write");
}

static lode_status footer_read_columns(arrow_file *f, const flat_view *schema) {
    lode_status status = LODE_OK;
    flat_list fields;
    flat_view field;
    uint64_t endianness;
    if (!flat_vector_at(schema, SCHEMA_FIELDS, 4, &fields) ||
        !flat_number(schema, SCHEMA_ENDIANNESS, 2, 0, &endianness)) {
        LODE_LEAVE(file_damaged(f, "its list of columns lies outside of the footer"));
    }
    if (endianness != 0) LODE_LEAVE(footer_foreign(f, "its numbers are big-endian"));
    if (fields.n > FOOTER_COLUMNS_MOST) LODE_LEAVE(footer_foreign(f, "it has too many columns"));
    LODE_TRY(
        mem_keep_zero(&f->job->mem, &f->kept, (void **)&f->columns, fields.n * sizeof *f->columns));
    for (uint32_t i = 0; i < fields.n; i++) {
        file_column *c = &f->columns[i];
        if (!flat_list_table(&fields, i, &field)) {
            LODE_LEAVE(file_damaged(f, "a column lies outside of the footer"));
        }
        LODE_TRY(footer_read_column(f, &field, &c->column));
        c->first_node = f->n_nodes;
        c->first_buffer = f->n_buffers;
        f->n_nodes += arrow_nodes(c->column.type);
        f->n_buffers += arrow_buffers(c->column.type);
        f->n_columns++;
    }
done:
    return status;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static lode_status footer_read_keys(arrow_file *f, const flat_view *schema) {
    lode_status status = LODE_OK;
    flat_list keys;
    flat_view key;
    if (!flat_vector_at(schema, SCHEMA_KEYS, 4, &keys)) {
        LODE_LEAVE(file_damaged(f, "its metadata lie outside of the footer"));
    }
    if (keys.n > FOOTER_KEYS_MOST) LODE_LEAVE(footer_foreign(f, "it has too many metadata keys"));
    LODE_TRY(mem_keep_zero(&f->job->mem, &f->kept, (void **)&f->keys, keys.n * sizeof *f->keys));
    for (uint32_t i = 0; i < keys.n; i++) {
        arrow_key *k = &f->keys[i];
        bool whole = flat_list_table(&keys, i, &key) && flat_text_at(&key, KEY_NAME, &k->key) &&
                     flat_text_at(&key, KEY_VALUE, &k->value);
        if (!whole || !k->key)
            LODE_LEAVE(file_damaged(f, "a metadata key lies outside of the footer"));
        LODE_TRY(footer_keep_text(f, &k->key));
        if (!k->value) k->value = "";
        LODE_TRY(footer_keep_text(f, &k->value));
        f->n_keys++;
    }
done:
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Reads a number, and moves on; false if there is none, or it is too large. */
static bool footer_digits(const char **text, uint64_t most, uint64_t *out) {
    const char *from = *text;
    *out = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        *out = *out * 10 + (uint64_t)(**text - '0');
        if (*out > most || *text - from >= 19) return false;
    }
    return *text > from;
}

/* Reads ROWS or ROWS*N, and moves on to what follows the comma. */
static bool footer_run(const char **text, uint64_t *rows, uint64_t *n) {
    *n = 1;
    if (!footer_digits(text, FOOTER_ROWS_MOST, rows) || *rows == 0) return false;
    if (**text == '*') {
        ++*text;
        if (!footer_digits(text, UINT32_MAX, n) || *n == 0) return false;
    }
    if (**text == ',') return *++*text != 0;
    return **text == 0;
}

static size_t footer_count_runs(const char *text) {
    size_t n = *text != 0;
    for (; *text; text++) n += *text == ',';
    return n;
}

/* Sums cannot overflow: there are less than 2^32 batches of less than 2^31 rows. */
static lode_status footer_read_runs(arrow_file *f, const char *text) {
    lode_status status = LODE_OK;
    uint64_t rows, n, batches = 0;
    size_t n_runs = footer_count_runs(text);
    LODE_TRY(mem_keep(&f->job->mem, &f->kept, (void **)&f->runs, n_runs * sizeof *f->runs));
    while (*text) {
        if (!footer_run(&text, &rows, &n) || n > f->batches.n - batches) {
            LODE_LEAVE(
                file_damaged(f, "its key " ARROW_KEY_BATCH_ROWS " does not match its batches"));
        }
        f->runs[f->n_runs++] = (file_run){(uint32_t)rows, (uint32_t)batches, f->n_rows};
        batches += n;
        f->n_rows += rows * n;
    }
    if (batches != f->batches.n) {
        LODE_LEAVE(file_damaged(f, "its key " ARROW_KEY_BATCH_ROWS " does not match its batches"));
    }
    f->n_batches = (uint32_t)batches;
done:
    return status;
}

static lode_status footer_read_rows(arrow_file *f) {
    const char *batch_rows = arrow_key_value(f, ARROW_KEY_BATCH_ROWS);
    const char *rows = arrow_key_value(f, ARROW_KEY_ROWS);
    uint64_t n;
    if (!batch_rows || !rows) return footer_foreign(f, "it was not written by lode");
    lode_status status = footer_read_runs(f, batch_rows);
    if (status != LODE_OK) return status;
    bool fits = footer_digits(&rows, UINT64_MAX / 16, &n) && *rows == 0 && n == f->n_rows;
    return fits ? LODE_OK
                : file_damaged(f, "its key " ARROW_KEY_ROWS " does not match its batches");
}

/* ---- checksums ------------------------------------------------------------------------------ */

/* Finds the digits of the checksums; nothing if there is no such key. Returns false if something
 * lies outside of the file. */
static bool footer_find_sums(const flat_view *footer, flat_list *out) {
    flat_list keys;
    flat_view key;
    const char *name;
    *out = (flat_list){0};
    if (!flat_vector_at(footer, FOOTER_KEYS, 4, &keys)) return false;
    for (size_t i = 0; i < keys.n && i < FOOTER_KEYS_MOST && out->at == 0; i++) {
        if (!flat_list_table(&keys, i, &key) || !flat_text_at(&key, KEY_NAME, &name)) return false;
        bool sums = name && strcmp(name, ARROW_KEY_CHECKSUMS) == 0;
        if (sums && !flat_vector_at(&key, KEY_VALUE, 1, out)) return false;
    }
    return true;
}

/* The first checksum is compared at once; it covers all keys, and so that there are others. */
static lode_status footer_read_sums(arrow_file *f, const flat_view *footer) {
    const char *kind = arrow_key_value(f, ARROW_KEY_CHECKSUMS);
    size_t n = 1 + arrow_n_sums(f->dictionaries.n, f->n_batches, f->n_columns);
    flat_list sums;
    bool whole = footer_find_sums(footer, &sums);
    bool none = whole && !kind && sums.at == 0; /* written before there were any, … */
    bool later = kind && strcmp(kind, ARROW_CHECKSUMS) != 0 && sums.n != n * ARROW_SUM_DIGITS;
    if (none || later) return LODE_OK; /* … or in a way of a later version */
    if (!whole || !kind || sums.n != n * ARROW_SUM_DIGITS) {
        return file_damaged(f, "its checksums are missing");
    }
    f->sums = sums;
    uint64_t sum = checksum_add(0, sums.in.data, sums.at);
    return file_sum_fits(f, 0, sum) ? LODE_OK : file_changed(f, "its footer");
}

/* ---- all of it ------------------------------------------------------------------------------ */

lode_status file_read_footer(arrow_file *f, uint64_t start, uint64_t end) {
    lode_status status = LODE_OK;
    flat_bytes bytes = {f->bytes + start, (size_t)(end - start)};
    flat_view footer, schema;
    f->body_end = start;
    if (!flat_root(bytes, &footer) || !flat_table_at(&footer, FOOTER_SCHEMA, &schema) ||
        !flat_vector_at(&footer, FOOTER_DICTIONARIES, ARROW_BLOCK_BYTES, &f->dictionaries) ||
        !flat_vector_at(&footer, FOOTER_BATCHES, ARROW_BLOCK_BYTES, &f->batches)) {
        LODE_LEAVE(file_damaged(f, "its footer is invalid"));
    }
    if (f->dictionaries.n > FOOTER_COLUMNS_MOST) {
        LODE_LEAVE(footer_foreign(f, "it has too many dictionaries"));
    }
    LODE_TRY(mem_keep_zero(&f->job->mem, &f->kept, (void **)&f->names,
                           f->dictionaries.n * sizeof *f->names));
    LODE_TRY(footer_read_columns(f, &schema));
    LODE_TRY(footer_read_keys(f, &schema));
    LODE_TRY(footer_read_rows(f));
    LODE_TRY(footer_read_sums(f, &footer));
done:
    return status;
}
