/* ipc_schema.c - the schema of an Arrow file as structs of the C data interface; see ipc.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "read/ipc.h"
#include "results/arrow/metadata.h"

#define SCHEMA_DEPTH       16    /* nested types, at most */
#define SCHEMA_FIELDS_MOST 65536 /* tables of a hostile file may be shared by many fields */
#define SCHEMA_FORMAT      64    /* bytes of a format, with its closing zero */

/* Types of fields beyond those that lode writes. */
enum {
    KIND_NULL = 1,
    KIND_INT,
    KIND_FLOAT,
    KIND_BINARY,
    KIND_TEXT,
    KIND_BOOL,
    KIND_DECIMAL,
    KIND_DATE,
    KIND_TIME,
    KIND_TIMESTAMP,
    KIND_INTERVAL,
    KIND_LIST,
    KIND_STRUCT,
    KIND_UNION,
    KIND_FIXED_BINARY,
    KIND_FIXED_LIST,
    KIND_MAP,
    KIND_DURATION,
    KIND_LARGE_BINARY,
    KIND_LARGE_TEXT,
    KIND_LARGE_LIST,
    KIND_RUNS,
    KIND_BINARY_VIEW,
    KIND_TEXT_VIEW,
    KIND_LIST_VIEW,
    KIND_LARGE_LIST_VIEW,
    KINDS
};

/* How a type is stored. Formats with %d take a parameter. */
typedef struct ipc_kind {
    const char *format;
    uint8_t n_buffers, width;
    bool offsets, views;
    int8_t n_children; /* -1 = any number */
} ipc_kind;

static const ipc_kind ipc_kinds[KINDS] = {[KIND_NULL] = {"n", 0, 0, false, false, 0},
                                          [KIND_INT] = {NULL, 2, 0, false, false, 0},
                                          [KIND_FLOAT] = {NULL, 2, 0, false, false, 0},
                                          [KIND_BINARY] = {"z", 3, 4, true, false, 0},
                                          [KIND_TEXT] = {"u", 3, 4, true, false, 0},
                                          [KIND_BOOL] = {"b", 2, 0, false, false, 0},
                                          [KIND_DECIMAL] = {NULL, 2, 0, false, false, 0},
                                          [KIND_DATE] = {NULL, 2, 0, false, false, 0},
                                          [KIND_TIME] = {"tt", 2, 1, false, false, 0},
                                          [KIND_TIMESTAMP] = {NULL, 2, 8, false, false, 0},
                                          [KIND_INTERVAL] = {"ti", 2, 1, false, false, 0},
                                          [KIND_LIST] = {"+l", 2, 4, true, false, 1},
                                          [KIND_STRUCT] = {"+s", 1, 0, false, false, -1},
                                          [KIND_UNION] = {"+u", 1, 0, false, false, -1},
                                          [KIND_FIXED_BINARY] = {"w", 2, 1, false, false, 0},
                                          [KIND_FIXED_LIST] = {"+w", 1, 0, false, false, 1},
                                          [KIND_MAP] = {"+m", 2, 4, true, false, 1},
                                          [KIND_DURATION] = {"tD", 2, 8, false, false, 0},
                                          [KIND_LARGE_BINARY] = {"Z", 3, 8, true, false, 0},
                                          [KIND_LARGE_TEXT] = {"U", 3, 8, true, false, 0},
                                          [KIND_LARGE_LIST] = {"+L", 2, 8, true, false, 1},
                                          [KIND_RUNS] = {"+r", 0, 0, false, false, 2},
                                          [KIND_BINARY_VIEW] = {"vz", 2, 16, false, true, 0},
                                          [KIND_TEXT_VIEW] = {"vu", 2, 16, false, true, 0},
                                          [KIND_LIST_VIEW] = {"+vl", 3, 4, false, false, 1},
                                          [KIND_LARGE_LIST_VIEW] = {"+vL", 3, 8, false, false, 1}};

typedef struct ipc_schema_reader {
    mem *mem;
    mem_kept *kept;
    unsigned n_fields;
} ipc_schema_reader;

static bool schema_int(const flat_view *type, char *format, uint8_t *width) {
    uint64_t bits, is_signed;
    if (!flat_number(type, INT_BITS, 4, 0, &bits) ||
        !flat_number(type, INT_SIGNED, 1, 0, &is_signed)) {
        return false;
    }
    const char *letters = is_signed ? "csil" : "CSIL";
    for (unsigned i = 0; i < 4; i++) {
        if (bits != 8u << i) continue;
        format[0] = letters[i];
        format[1] = 0;
        *width = (uint8_t)(1u << i);
        return true;
    }
    return false;
}

/* Types whose format has parameters. */
static bool schema_format(const flat_view *type, uint64_t kind, char *format, uint8_t *width) {
    static const char units[] = "smun";
    uint64_t a = 0, b = 0, bits = 0;
    const char *zone = NULL;
    switch (kind) {
    case KIND_INT: return schema_int(type, format, width);
    case KIND_FLOAT:
        if (!flat_number(type, 0, 2, 0, &a) || a > 2) return false;
        *width = (uint8_t)(2u << a);
        return snprintf(format, SCHEMA_FORMAT, "%c", "efg"[a]) > 0;
    case KIND_DECIMAL:
        if (!flat_number(type, 0, 4, 0, &a) || !flat_number(type, 1, 4, 0, &b) ||
            !flat_number(type, 2, 4, 128, &bits)) {
            return false;
        }
        if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return false;
        *width = (uint8_t)(bits / 8);
        return snprintf(format, SCHEMA_FORMAT, "d:%d,%d,%d", (int)a, (int)b, (int)bits) > 0;
    case KIND_DATE:
        if (!flat_number(type, 0, 2, 1, &a) || a > 1) return false;
        *width = a == 0 ? 4 : 8;
        return snprintf(format, SCHEMA_FORMAT, a == 0 ? "tdD" : "tdm") > 0;
    case KIND_TIMESTAMP:
        if (!flat_number(type, 0, 2, 0, &a) || a > 3 || !flat_text_at(type, 1, &zone)) return false;
        return snprintf(format, SCHEMA_FORMAT, "ts%c:%.40s", units[a], zone ? zone : "") > 0;
    default: return false;
    }
}

/* Union types have one buffer of types and, if they are dense, one of offsets. */
static bool schema_union(const flat_view *type, uint8_t *n_buffers) {
    uint64_t mode;
    if (!flat_number(type, 0, 2, 0, &mode) || mode > 1) return false;
    *n_buffers = (uint8_t)(1 + mode);
    return true;
}

static bool schema_type(const flat_view *field, ipc_field *out, char *format) {
    flat_view type;
    uint64_t kind;
    if (!flat_number(field, FIELD_TYPE, 1, 0, &kind) || kind == 0 || kind >= KINDS) return false;
    const ipc_kind *k = &ipc_kinds[kind];
    out->n_buffers = k->n_buffers;
    out->views = k->views;
    out->offsets = k->offsets;
    out->width = k->width;
    if (k->n_children >= 0 && out->schema.n_children != k->n_children) return false;
    bool has = flat_table_at(field, FIELD_TYPE_TABLE, &type);
    if (kind == KIND_UNION && (!has || !schema_union(&type, &out->n_buffers))) return false;
    if (k->format) return snprintf(format, SCHEMA_FORMAT, "%s", k->format) > 0;
    return has && schema_format(&type, kind, format, &out->width);
}

static lode_status schema_field(ipc_schema_reader *r, const flat_view *field, unsigned depth,
                                ipc_field *out);

static lode_status schema_children(ipc_schema_reader *r, const flat_list *list, unsigned depth,
                                   ipc_field *out) {
    lode_status status = LODE_OK;
    ipc_field *children = NULL;
    struct ArrowSchema *s = &out->schema;
    r->n_fields += (unsigned)(list->n < SCHEMA_FIELDS_MOST ? list->n : SCHEMA_FIELDS_MOST);
    if (r->n_fields > SCHEMA_FIELDS_MOST || list->n > SCHEMA_FIELDS_MOST) return LODE_PARSE;
    LODE_TRY(mem_keep_zero(r->mem, r->kept, (void **)&children, list->n * sizeof *children + 1));
    LODE_TRY(
        mem_keep_zero(r->mem, r->kept, (void **)&s->children, list->n * sizeof *s->children + 1));
    s->n_children = (int64_t)list->n;
    for (size_t i = 0; i < list->n; i++) {
        flat_view child;
        s->children[i] = &children[i].schema;
        if (!flat_list_table(list, i, &child)) LODE_LEAVE(LODE_PARSE);
        LODE_TRY(schema_field(r, &child, depth + 1, &children[i]));
    }
done:
    return status;
}

/* The field has the type of a dictionary's entries: it becomes an integer with a dictionary. */
static lode_status schema_dictionary(ipc_schema_reader *r, const flat_view *field, ipc_field *out) {
    lode_status status = LODE_OK;
    flat_view encoding, index;
    uint64_t id;
    ipc_field *entries = NULL;
    char *format = NULL;
    if (!flat_table_at(field, FIELD_DICTIONARY, &encoding)) return LODE_OK;
    LODE_TRY(mem_keep_zero(r->mem, r->kept, (void **)&entries, sizeof *entries));
    LODE_TRY(mem_keep_zero(r->mem, r->kept, (void **)&format, SCHEMA_FORMAT));
    if (!flat_number(&encoding, ENCODING_ID, 8, 0, &id) || id > INT64_MAX) LODE_LEAVE(LODE_PARSE);
    *entries = *out;
    entries->schema.private_data = entries;
    out->dictionary = (int64_t)id;
    out->n_buffers = 2;
    out->views = out->offsets = false;
    out->width = 4;
    snprintf(format, SCHEMA_FORMAT, "i");
    if (flat_table_at(&encoding, ENCODING_INDEX, &index) &&
        !schema_int(&index, format, &out->width)) {
        LODE_LEAVE(LODE_PARSE);
    }
    out->schema.format = format;
    out->schema.children = NULL;
    out->schema.n_children = 0;
    out->schema.dictionary = &entries->schema;
done:
    return status;
}

static lode_status schema_field(ipc_schema_reader *r, const flat_view *field, unsigned depth,
                                ipc_field *out) {
    lode_status status = LODE_OK;
    flat_list children;
    char *format = NULL, *copy = NULL;
    const char *name;
    if (depth > SCHEMA_DEPTH || !flat_text_at(field, FIELD_NAME, &name) ||
        !flat_vector_at(field, FIELD_CHILDREN, 4, &children)) {
        return LODE_PARSE;
    }
    if (!name) name = "";
    out->dictionary = -1;
    LODE_TRY(schema_children(r, &children, depth, out));
    LODE_TRY(mem_keep_zero(r->mem, r->kept, (void **)&format, SCHEMA_FORMAT));
    LODE_TRY(mem_keep_zero(r->mem, r->kept, (void **)&copy, strlen(name) + 1));
    memcpy(copy, name, strlen(name));
    if (!schema_type(field, out, format)) LODE_LEAVE(LODE_PARSE);
    out->schema.name = copy;
    out->schema.format = format;
    out->schema.private_data = out;
    LODE_TRY(schema_dictionary(r, field, out));
done:
    return status;
}

lode_status ipc_read_schema(mem *m, mem_kept *kept, const void *schema_view, ipc_field **out,
                            const char **what) {
    lode_status status = LODE_OK;
    const flat_view *schema = schema_view;
    ipc_schema_reader r = {m, kept, 0};
    flat_list fields;
    uint64_t endian;
    ipc_field *table = NULL;
    *what = "its schema is invalid";
    if (!flat_number(schema, SCHEMA_ENDIANNESS, 2, 0, &endian) ||
        !flat_vector_at(schema, SCHEMA_FIELDS, 4, &fields)) {
        return LODE_PARSE;
    }
    if (endian != 0) {
        *what = "its numbers are big-endian; write it on another machine";
        return LODE_UNSUPPORTED;
    }
    LODE_TRY(mem_keep_zero(m, kept, (void **)&table, sizeof *table));
    *table = (ipc_field){.schema = {.format = "+s", .name = "", .private_data = table},
                         .dictionary = -1,
                         .n_buffers = 1};
    LODE_TRY(schema_children(&r, &fields, 0, table));
    *out = table;
done:
    return status;
}
