/* metadata.h - Arrow's metadata tables: field numbers, and functions that write them
 *
 * The field numbers come from Arrow's published definitions (Schema, Message, File). lode writes
 * the subset that it needs, and reads only this subset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_METADATA_H
#define LODE_RESULTS_ARROW_METADATA_H

#include "results/arrow/arrow.h"
#include "results/arrow/flat.h"

#define ARROW_MAGIC       "ARROW1"
#define ARROW_MAGIC_BYTES ((size_t)6)
#define ARROW_VERSION     4 /* version of the metadata: V5 */
#define ARROW_PREFIX      8 /* bytes before the metadata of a message: a mark, and their length */
#define ARROW_MARK        UINT32_MAX
#define ARROW_ALIGN       64 /* alignment of every buffer in the file */

enum { MESSAGE_VERSION, MESSAGE_TYPE, MESSAGE_HEADER, MESSAGE_BODY };
enum { MESSAGE_SCHEMA = 1, MESSAGE_DICTIONARY, MESSAGE_BATCH }; /* values of MESSAGE_TYPE */
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS, SCHEMA_KEYS };
enum { FIELD_NAME, FIELD_NULLABLE, FIELD_TYPE, FIELD_TYPE_TABLE, FIELD_DICTIONARY, FIELD_CHILDREN };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_TEXT = 5, TYPE_LIST = 12 }; /* values of FIELD_TYPE */
enum { INT_BITS, INT_SIGNED };
enum { FLOAT_PRECISION, FLOAT_DOUBLE = 2 };
enum { ENCODING_ID, ENCODING_INDEX, ENCODING_ORDERED };
enum { KEY_NAME, KEY_VALUE };
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_IS_DELTA };
enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES, FOOTER_KEYS };

/* Structs within vectors. A node and a buffer each consist of two numbers of 8 bytes. A block has
 * the position of a message, the number of bytes before its body, and the number of bytes of its
 * body. */
#define ARROW_PAIR_BYTES  ((size_t)16)
#define ARROW_BLOCK_BYTES ((size_t)24)
enum { BLOCK_AT = 0, BLOCK_BEFORE = 8, BLOCK_BODY = 16 };

typedef struct arrow_block {
    uint64_t at, before, body;
} arrow_block;

/* Checksums (base/hash.h) are stored as the value of the footer key ARROW_KEY_CHECKSUMS: a text
 * with 16 hexadecimal digits for each checksum. The first checksum covers the footer up to this
 * text. The next ones cover the dictionaries, and the last ones the columns of each batch. The
 * checksums of dictionaries and columns include the block entry, so that positions are checked,
 * too. The list of blocks may be long, and is not read as a whole. */
#define ARROW_SUM_DIGITS ((size_t)16)
/* Returns the number of checksums of a file, without the first one. */
static inline size_t arrow_n_sums(size_t n_dictionaries, size_t n_batches, size_t n_columns) {
    return n_dictionaries + n_batches * n_columns;
}
uint64_t metadata_block_sum(const arrow_block *block);
void metadata_put_sum(char digits[ARROW_SUM_DIGITS], uint64_t sum);

/* The following functions return the number of nodes (nested arrays) and buffers of a column in a
 * batch. */
static inline bool arrow_is_list(arrow_type type) {
    return type == ARROW_LIST || type == ARROW_NAMES;
}
static inline uint32_t arrow_nodes(arrow_type type) {
    return arrow_is_list(type) ? 2 : 1;
}
static inline uint32_t arrow_buffers(arrow_type type) {
    return arrow_is_list(type) ? 4 : type == ARROW_TEXT ? 3 : 2;
}
/* Returns the bytes of one value of a column, or of one element of its lists. */
static inline size_t arrow_width(arrow_type type) {
    return type == ARROW_U64 || type == ARROW_F64 ? 8 : type == ARROW_TEXT ? 1 : 4;
}

/* The positions and lengths of the buffers of a body. */
typedef struct arrow_body {
    uint64_t rows;
    const uint64_t *nodes; /* number of rows of each node */
    uint32_t n_nodes;
    const uint64_t *at, *bytes; /* position and length of each buffer */
    uint32_t n_buffers;
    uint64_t length;
} arrow_body;

/* Keys in two consecutive parts. */
typedef struct arrow_keys {
    const arrow_key *first, *more;
    uint32_t n_first, n_more;
} arrow_keys;

/* The following functions each write a complete flatbuffer. */
void metadata_put_schema(flat *f, const arrow_table *table);
void metadata_put_batch(flat *f, const arrow_body *body);
void metadata_put_dictionary(flat *f, uint32_t id, const arrow_body *body);
/* The content of the footer, without the columns. */
typedef struct arrow_ends {
    arrow_keys keys;
    const arrow_block *blocks; /* blocks of the dictionaries, then of the batches */
    uint32_t n_batches;
    /* the text of the checksums; metadata_put_footer() fills in the first digits */
    const char *sums;
} arrow_ends;

void metadata_put_footer(flat *f, const arrow_table *table, const arrow_ends *ends);

#endif
