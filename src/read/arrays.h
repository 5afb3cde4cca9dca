/* arrays.h - tables that come as Arrow arrays: a stream of another library, or an Arrow file
 *
 * What:  a arrays_source takes batches from a stream and gives ranges of rows to every thread;
 *        arrays_parse.c turns the rows into transactions, as the text formats do with lines.
 * How:   the names of the columns and the first rows are written as CSV text, and recognised by
 *        the code that recognises CSV files (sniff.h). So the same columns are found, with the same
 *        messages, and the data set is that of the same table in a CSV file.
 *
 *          stream --batch--> arrays_source --rows--> arrays_parse.c --> pairs.h or builder.h
 *                                 `--- first rows as CSV --> sniff.h, header of table.c, onehot.c
 *
 * Names: text is made of a number or a date once per value, not once per row: every thread
 *        remembers the codes of values and of dictionary entries (arrays_known).
 * Lines: a block of rows has a line end per row as its text, so that a place in this text stands
 *        for a row in all messages (read_bad() and others).
 * Trust: arrays are checked for what can be seen: missing buffers, lengths, offsets, indices. The
 *        sizes of buffers cannot be seen; ipc.h checks them for files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_ARRAYS_H
#define LODE_READ_ARRAYS_H

#include <stdatomic.h>

#include "base/vec.h"
#include "runtime/job.h"

typedef struct read_task read_task;
typedef struct read_worker read_worker;
typedef struct input input;

/* ---- types and cells (arrays_cells.c) ------------------------------------------------------- */

typedef enum arrays_kind {
    ARRAYS_NULL,
    ARRAYS_BOOL,
    ARRAYS_INT,
    ARRAYS_UINT,
    ARRAYS_FLOAT,
    ARRAYS_TEXT, /* utf8, large_utf8 */
    ARRAYS_VIEW, /* string_view */
    ARRAYS_DATE,
    ARRAYS_TIMESTAMP,
    ARRAYS_DECIMAL,
    ARRAYS_OTHER /* cannot be read */
} arrays_kind;

/* The type of a column, as its schema says. */
typedef struct arrays_type {
    const char *name, *format; /* lent from the schema; `format` is that of the values */
    arrays_kind kind;          /* of the values: of a list's elements, of a dictionary's entries */
    uint8_t width;             /* bytes of a value, or of an offset of text */
    uint8_t list;              /* bytes of an offset of lists; 0 = cells are not lists */
    uint8_t code;              /* bytes of an index of a dictionary; 0 = none */
    bool signed_code;
    char unit;  /* of dates (D = day) and timestamps: s, m, u, n */
    bool zoned; /* timestamps are UTC */
    int scale;  /* of decimals: number of digits after the point */
} arrays_type;

/* An array, or a part of one. */
typedef struct arrays_level {
    const unsigned char *valid; /* NULL = no nulls */
    const void *values;         /* numbers, bits, codes or offsets */
    uint64_t offset, n;
} arrays_level;

/* The cells of a column in a batch. */
typedef struct arrays_column {
    const arrays_type *type;
    arrays_level lists;           /* of the rows, if cells are lists */
    arrays_level codes;           /* of the cells or elements, if there is a dictionary */
    arrays_level leaf;            /* the values, or the entries of the dictionary */
    const struct ArrowArray *end; /* the array of the values, for its buffers of text */
} arrays_column;

/* A cell as text. */
typedef struct arrays_cell {
    const char *text; /* NULL = null */
    size_t n;
} arrays_cell;

#define ARRAYS_SCRATCH 64 /* bytes of the text of a number or date */

void arrays_type_of(const struct ArrowSchema *schema, arrays_type *out);
/* What the type is called in messages, such as "struct". */
const char *arrays_type_called(const arrays_type *type);

/* Takes an array of this type, of which rows from..from + n - 1 are used. Returns what is wrong
 * with it; NULL = nothing. */
const char *arrays_column_of(const arrays_type *type, const struct ArrowArray *array, uint64_t from,
                             uint64_t n, arrays_column *out);

static inline bool arrays_bit(const void *bits, uint64_t i) {
    return ((const unsigned char *)bits)[i / 8] >> i % 8 & 1;
}
static inline bool arrays_is_null(const arrays_level *level, uint64_t i) {
    return level->valid && !arrays_bit(level->valid, level->offset + i);
}
/* A number of `width` bytes (1, 2, 4 or 8); negative ones become large. It may be unaligned. */
static inline uint64_t arrays_number(const arrays_level *level, unsigned width, bool is_signed,
                                     uint64_t i) {
    const char *at = (const char *)level->values + (level->offset + i) * width;
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (width) {
    case 1: return is_signed ? (uint64_t)(int8_t)*at : (uint8_t)*at;
    case 2: memcpy(&two, at, 2); return is_signed ? (uint64_t)(int16_t)two : two;
    case 4: memcpy(&four, at, 4); return is_signed ? (uint64_t)(int32_t)four : four;
    default: memcpy(&eight, at, 8); return eight;
    }
}
/* A number that stands for the value, for values other than text. Returns false if there is none:
 * for decimals of more than 64 bits. */
static inline bool arrays_key(const arrays_column *c, uint64_t value, uint64_t *key) {
    const arrays_type *t = c->type;
    if (t->width == 16) {
        int64_t halves[2];
        memcpy(halves, (const char *)c->leaf.values + (c->leaf.offset + value) * 16, 16);
        *key = (uint64_t)halves[0];
        return halves[1] == (halves[0] < 0 ? -1 : 0);
    }
    *key = t->kind == ARRAYS_BOOL
               ? arrays_bit(c->leaf.values, c->leaf.offset + value)
               : arrays_number(&c->leaf, t->width, t->kind != ARRAYS_UINT, value);
    return true;
}

/* The elements of the list in a row. Returns false if its offsets are wrong. */
bool arrays_list_at(const arrays_column *c, uint64_t row, uint64_t *first, uint64_t *n);
/* Finds the value of a cell or element: itself, or an entry of the dictionary. *there is false for
 * a null. Returns what is wrong; NULL = nothing. */
const char *arrays_find(const arrays_column *c, uint64_t i, uint64_t *value, bool *there);
/* The text of a value. Returns what is wrong; NULL = nothing. */
const char *arrays_text(const arrays_column *c, uint64_t value, char scratch[ARRAYS_SCRATCH],
                        arrays_cell *out);
/* Both: the text of a cell. A list is "[]". */
const char *arrays_cell_at(const arrays_column *c, uint64_t i, char scratch[ARRAYS_SCRATCH],
                           arrays_cell *out);

/* ---- the stream (arrays_source.c) ----------------------------------------------------------- */

typedef struct arrays_source arrays_source;

/* Arrays of one batch, which threads hold until they have parsed their rows. Meanwhile the next
 * file may have been opened. */
typedef struct arrays_batch {
    arrays_source *source; /* has the types of the columns, and lives as long as its batches */
    struct ArrowArray array;
    _Atomic unsigned holders;
    uint64_t number; /* 1, 2, … */
    uint64_t n_rows;
    size_t n_columns;
    arrays_column columns[];
} arrays_batch;

/* Rows of a batch, for one thread. */
typedef struct arrays_block {
    arrays_batch *batch;
    uint64_t first, n;
} arrays_block;

/* Opens a stream, or the Arrow file that begins at `in`, one of which is given. Both are lent;
 * the caller releases them after arrays_close(). Errors: IO, PARSE, NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status arrays_open(lode_job *job, arrays_source **out, const char *name,
                                       struct ArrowArrayStream *stream, input *in);
void arrays_close(arrays_source *f);

size_t arrays_n_columns(const arrays_source *f);
const arrays_type *arrays_type_at(const arrays_source *f, size_t column);
/* Goes on with another stream, from its first row: the same table, but only the columns that are
 * `wanted` (NULL = all). Cells of the others must not be read. Errors: as arrays_open(); PARSE if
 * the stream has other columns. */
LODE_NODISCARD lode_status arrays_restart(arrays_source *f, struct ArrowArrayStream *stream,
                                          const bool *wanted);
/* The input of an Arrow file; NULL = a stream. */
input *arrays_input(const arrays_source *f);

/* Appends the names of the columns and the first rows as CSV text. */
LODE_NODISCARD lode_status arrays_sample(arrays_source *f, vec_char *text);

/* Takes at most n rows into `block`, and drops those that it had; none at the end. Calls must not
 * overlap. Errors: as arrays_open(). */
LODE_NODISCARD lode_status arrays_next(arrays_source *f, uint64_t n, arrays_block *block);
void arrays_drop(arrays_block *block);

/* ---- the rows (arrays_parse.c) -------------------------------------------------------------- */

/* The next texts of a column, whose hashes are computed and whose slots are fetched before the
 * first of them is looked up, so that the accesses to memory overlap. */
#define ARRAYS_AHEAD 16
typedef struct arrays_ahead {
    uint64_t batch, first, n; /* cells first..first + n - 1 of a batch */
    arrays_cell cells[ARRAYS_AHEAD];
    uint64_t hashes[ARRAYS_AHEAD];
} arrays_ahead;

/* A number that stands for a value, and its code + 1; 0 = there is no number here. */
typedef struct arrays_slot {
    uint64_t key;
    uint32_t code;
} arrays_slot;

/* Codes of values that a thread has met: by number, and by entry of a dictionary. Numbers that
 * ascend, as transactions often do, are certainly new, so they are put into the table only when a
 * number is not above all others. */
typedef struct arrays_known {
    arrays_slot *slots; /* open addressing, by a hash of the key */
    size_t n, cap;
    arrays_slot *later; /* ascending numbers that are not in the table yet */
    size_t n_later, later_cap;
    uint64_t highest;  /* of all numbers */
    uint32_t *entries; /* of the batch with this number; the code + 1, 0 = not met yet */
    size_t n_entries, entries_cap;
    uint64_t batch;
    uint64_t last; /* the last number, and its code */
    uint32_t last_code;
    bool has_last;
    arrays_ahead *ahead; /* the next texts; NULL = none yet */
} arrays_known;

/* What a thread keeps. */
typedef struct arrays_worker {
    arrays_block block;
    uint64_t row; /* the current row of the batch */
    arrays_known tids, items;
    const void *file; /* whose types the known values have */
} arrays_worker;

/* Decides how the table is read, as sniff() does for text. */
LODE_NODISCARD lode_status arrays_recognise(read_task *task, const char *sample, size_t n);
/* The column that an option names; SNIFF_NONE = there is none. */
size_t arrays_find_column(const read_task *task, const char *option);
/* Checks that the values of a column that is used can be read. Errors: UNSUPPORTED. */
LODE_NODISCARD lode_status arrays_check_type(const read_task *task, size_t column);
/* Notes that these columns are needed, and those of weights and conditions, and checks them in the
 * same way. SNIFF_NONE = there is no such column. */
LODE_NODISCARD lode_status arrays_need(read_task *task, size_t tid, size_t item);
/* Takes the next rows of the worker, and makes its block of text. */
LODE_NODISCARD lode_status arrays_take(read_worker *w);
void arrays_worker_free(mem *m, arrays_worker *own);

/* Parse the rows of the block: as table.c and onehot.c do with lines. `codes` are as in onehot.c:
 * those above `most` stand for columns that are not items. */
LODE_NODISCARD lode_status arrays_parse_table(read_worker *w, size_t tid, size_t item,
                                              const char *no_tid);
LODE_NODISCARD lode_status arrays_parse_onehot(read_worker *w, const uint32_t *codes,
                                               uint32_t most);

#endif
