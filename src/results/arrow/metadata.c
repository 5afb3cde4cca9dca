/* metadata.c - see metadata.h
 *
 * A string of widths, such as "2148", stands for a table: the bytes of each of its fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/metadata.h"

#include "base/hash.h"

/* ---- types ---------------------------------------------------------------------------------- */

static size_t metadata_put_int(flat *f, uint64_t bits, bool is_signed) {
    flat_table t = flat_put_table(f, "41");
    flat_set(f, t.fields[INT_BITS], bits, 4);
    flat_set(f, t.fields[INT_SIGNED], is_signed, 1);
    return t.at;
}

static size_t metadata_put_double(flat *f) {
    flat_table t = flat_put_table(f, "2");
    flat_set(f, t.fields[FLOAT_PRECISION], FLOAT_DOUBLE, 2);
    return t.at;
}

static size_t metadata_put_encoding(flat *f, uint32_t dictionary) {
    flat_table t = flat_put_table(f, "841");
    flat_set(f, t.fields[ENCODING_ID], dictionary, 8);
    flat_point(f, t.fields[ENCODING_INDEX], metadata_put_int(f, 32, true));
    return t.at;
}

/* The type of a column that is no list. */
static void metadata_put_value_type(flat *f, const flat_table *t, const arrow_column *c) {
    bool text = c->type == ARROW_TEXT || c->type == ARROW_NAMES, real = c->type == ARROW_F64;
    size_t at = text   ? flat_put_table(f, "").at
                : real ? metadata_put_double(f)
                       : metadata_put_int(f, 8 * arrow_width(c->type), false);
    flat_set(f, t->fields[FIELD_TYPE], text ? TYPE_TEXT : real ? TYPE_FLOAT : TYPE_INT, 1);
    flat_point(f, t->fields[FIELD_TYPE_TABLE], at);
    flat_point(f, t->fields[FIELD_CHILDREN], flat_put_vector(f, 0, 4));
}

/* What a list consists of: numbers, or codes of names. */
static size_t metadata_put_item(flat *f, const arrow_column *list) {
    bool names = list->type == ARROW_NAMES;
    flat_table t = flat_put_table(f, names ? "411444" : "411404");
    flat_point(f, t.fields[FIELD_NAME], flat_put_text(f, "item"));
    arrow_column item = {.type = names ? ARROW_TEXT : ARROW_U32};
    metadata_put_value_type(f, &t, &item);
    if (names) {
        flat_point(f, t.fields[FIELD_DICTIONARY], metadata_put_encoding(f, list->dictionary));
    }
    return t.at;
}

static size_t metadata_put_field(flat *f, const arrow_column *column) {
    flat_table t = flat_put_table(f, "411404");
    flat_point(f, t.fields[FIELD_NAME], flat_put_text(f, column->name));
    if (!arrow_is_list(column->type)) {
        metadata_put_value_type(f, &t, column);
        return t.at;
    }
    flat_set(f, t.fields[FIELD_TYPE], TYPE_LIST, 1);
    flat_point(f, t.fields[FIELD_TYPE_TABLE], flat_put_table(f, "").at);
    size_t children = flat_put_vector(f, 1, 4);
    flat_point(f, t.fields[FIELD_CHILDREN], children);
    flat_point(f, flat_element(children, 0, 4), metadata_put_item(f, column));
    return t.at;
}

/* ---- the schema ----------------------------------------------------------------------------- */

static size_t metadata_put_key(flat *f, const arrow_key *key) {
    flat_table t = flat_put_table(f, "44");
    flat_point(f, t.fields[KEY_NAME], flat_put_text(f, key->key));
    flat_point(f, t.fields[KEY_VALUE], flat_put_text(f, key->value));
    return t.at;
}

static size_t metadata_put_columns(flat *f, const arrow_table *table, const arrow_keys *keys) {
    flat_table t = flat_put_table(f, "244");
    size_t fields = flat_put_vector(f, table->n_columns, 4);
    flat_point(f, t.fields[SCHEMA_FIELDS], fields);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        flat_point(f, flat_element(fields, i, 4), metadata_put_field(f, &table->columns[i]));
    }
    size_t list = flat_put_vector(f, (size_t)keys->n_first + keys->n_more, 4);
    flat_point(f, t.fields[SCHEMA_KEYS], list);
    for (uint32_t i = 0; i < keys->n_first; i++) {
        flat_point(f, flat_element(list, i, 4), metadata_put_key(f, &keys->first[i]));
    }
    for (uint32_t i = 0; i < keys->n_more; i++) {
        flat_point(f, flat_element(list, (size_t)keys->n_first + i, 4),
                   metadata_put_key(f, &keys->more[i]));
    }
    return t.at;
}

/* ---- messages ------------------------------------------------------------------------------- */

static flat_table metadata_put_message(flat *f, unsigned type, uint64_t body_bytes) {
    flat_table t = flat_put_table(f, "2148");
    flat_set(f, t.fields[MESSAGE_VERSION], ARROW_VERSION, 2);
    flat_set(f, t.fields[MESSAGE_TYPE], type, 1);
    flat_set(f, t.fields[MESSAGE_BODY], body_bytes, 8);
    return t;
}

void metadata_put_schema(flat *f, const arrow_table *table) {
    arrow_keys keys = {.first = table->keys, .n_first = table->n_keys};
    flat_table t = metadata_put_message(f, MESSAGE_SCHEMA, 0);
    flat_point(f, t.fields[MESSAGE_HEADER], metadata_put_columns(f, table, &keys));
    flat_align(f);
}

/* Writes a vector of pairs of numbers. The pairs of nodes are rows and nulls; there are never
 * nulls. */
static size_t metadata_put_pairs(flat *f, const uint64_t *first, const uint64_t *second,
                                 uint32_t n) {
    size_t at = flat_put_vector(f, n, ARROW_PAIR_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        size_t pair = flat_element(at, i, ARROW_PAIR_BYTES);
        flat_set(f, pair, first[i], 8);
        flat_set(f, pair + 8, second ? second[i] : 0, 8);
    }
    return at;
}

static size_t metadata_put_body(flat *f, const arrow_body *body) {
    flat_table t = flat_put_table(f, "844");
    flat_set(f, t.fields[BATCH_LENGTH], body->rows, 8);
    flat_point(f, t.fields[BATCH_NODES], metadata_put_pairs(f, body->nodes, NULL, body->n_nodes));
    flat_point(f, t.fields[BATCH_BUFFERS],
               metadata_put_pairs(f, body->at, body->bytes, body->n_buffers));
    return t.at;
}

void metadata_put_batch(flat *f, const arrow_body *body) {
    flat_table t = metadata_put_message(f, MESSAGE_BATCH, body->length);
    flat_point(f, t.fields[MESSAGE_HEADER], metadata_put_body(f, body));
    flat_align(f);
}

void metadata_put_dictionary(flat *f, uint32_t id, const arrow_body *body) {
    flat_table t = metadata_put_message(f, MESSAGE_DICTIONARY, body->length);
    flat_table d = flat_put_table(f, "841");
    flat_point(f, t.fields[MESSAGE_HEADER], d.at);
    flat_set(f, d.fields[DICTIONARY_ID], id, 8);
    flat_point(f, d.fields[DICTIONARY_DATA], metadata_put_body(f, body));
    flat_align(f);
}

/* ---- the footer ----------------------------------------------------------------------------- */

static size_t metadata_put_blocks(flat *f, const arrow_block *blocks, uint32_t n) {
    size_t at = flat_put_vector(f, n, ARROW_BLOCK_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        size_t block = flat_element(at, i, ARROW_BLOCK_BYTES);
        flat_set(f, block + BLOCK_AT, blocks[i].at, 8);
        flat_set(f, block + BLOCK_BEFORE, blocks[i].before, 4);
        flat_set(f, block + BLOCK_BODY, blocks[i].body, 8);
    }
    return at;
}

uint64_t metadata_block_sum(const arrow_block *block) {
    return checksum_add(0, block, sizeof *block);
}

void metadata_put_sum(char digits[ARROW_SUM_DIGITS], uint64_t sum) {
    for (size_t i = 0; i < ARROW_SUM_DIGITS; i++, sum <<= 4) {
        digits[i] = "0123456789abcdef"[sum >> 60];
    }
}

/* The checksums, as the only key of the footer itself. Returns where their text begins. */
static size_t metadata_put_sums(flat *f, size_t field, const char *sums) {
    arrow_key key = {ARROW_KEY_CHECKSUMS, sums};
    size_t list = flat_put_vector(f, 1, 4);
    flat_point(f, field, list);
    flat_point(f, flat_element(list, 0, 4), metadata_put_key(f, &key));
    return f->bytes.n - strlen(sums) - 1;
}

/* Checksums and blocks come last: there may be many, and opening a file needs the rest only. */
void metadata_put_footer(flat *f, const arrow_table *table, const arrow_ends *ends) {
    uint32_t n = table->n_dictionaries;
    flat_table t = flat_put_table(f, "24444");
    flat_set(f, t.fields[FOOTER_VERSION], ARROW_VERSION, 2);
    flat_point(f, t.fields[FOOTER_SCHEMA], metadata_put_columns(f, table, &ends->keys));
    flat_point(f, t.fields[FOOTER_DICTIONARIES], metadata_put_blocks(f, ends->blocks, n));
    size_t sums = metadata_put_sums(f, t.fields[FOOTER_KEYS], ends->sums);
    flat_point(f, t.fields[FOOTER_BATCHES],
               metadata_put_blocks(f, ends->blocks + n, ends->n_batches));
    flat_align(f);
    if (flat_status(f) != LODE_OK) return;
    metadata_put_sum(f->bytes.data + sums, checksum_add(0, f->bytes.data, sums));
}
