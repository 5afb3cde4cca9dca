/* adbc_driver.c - a database driver that answers as the query says, for test_adbc.c
 *
 * The query is a word: what the driver does. Its own objects are counted; a driver that is released
 * before all of them ends the program. Built with TEST_DUCKDB, it also answers the queries by which
 * lode lets DuckDB read and write Parquet files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow_tables.h"

typedef struct error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5];
    void (*release)(struct error *);
} error;

typedef struct object {
    void *data, *driver;
} object;

static int live;                 /* objects of the driver */
static _Atomic int is_cancelled; /* the query */
static char query[1024];
static struct ArrowArrayStream bound; /* the table that is to be written */
static char table[1024];              /* its rows, as text */

static void error_release(error *e) {
    free(e->message);
    e->message = NULL;
    e->release = NULL;
    live--;
}

static uint8_t fail(error *e, const char *message) {
    e->message = strdup(message);
    e->release = error_release;
    live++;
    return 5;
}

static uint8_t make(object *o, error *e) {
    (void)e;
    o->data = malloc(1);
    live++;
    return 0;
}

static uint8_t drop(object *o, error *e) {
    (void)e;
    free(o->data);
    o->data = NULL;
    live--;
    return 0;
}

static uint8_t init(object *o, error *e) {
    (void)o, (void)e;
    return 0;
}

static uint8_t set(object *o, const char *key, const char *value, error *e) {
    (void)o;
    if (strcmp(key, "uri") == 0 && strcmp(value, "closed") == 0) return fail(e, "closed today");
    return 0;
}

static uint8_t connect_to(object *connection, object *database, error *e) {
    (void)connection, (void)database, (void)e;
    return 0;
}

static uint8_t make_statement(object *connection, object *statement, error *e) {
    (void)connection;
    return make(statement, e);
}

static uint8_t set_sql(object *statement, const char *sql, error *e) {
    (void)statement;
    snprintf(query, sizeof query, "%s", sql);
    return strcmp(sql, "wrong") == 0 ? fail(e, "no such table\nLINE 1: wrong") : 0;
}

static void damage(struct ArrowArray *array, struct ArrowSchema *schema) {
    if (!array) {
        if (strcmp(query, "format") == 0) schema->children[0]->format = "?";
        return;
    }
    struct ArrowArray *item = array->children[1];
    if (strcmp(query, "length") == 0) array->length = 1 << 20;
    if (strcmp(query, "children") == 0) array->n_children = 1;
    if (strcmp(query, "null") == 0) item->buffers[1] = NULL;
    if (strcmp(query, "offsets") == 0) ((int32_t *)(uintptr_t)item->buffers[1])[1] = -7;
}

/* ---- a hostile driver: "hostile SEED" ---- */

/* It changes what lode must check: numbers, pointers, formats, offsets and codes, in the schema or
 * in a batch. What no reader can see is left as it is: buffers shorter than their array says. */
static uint64_t chance;
static struct poke {
    void *at;
    unsigned char old[8];
    size_t n;
    bool of_schema;
} pokes[8];
static size_t n_pokes;
static int bad_batch; /* the batch that is changed, counted from 1 */

static uint32_t draw(uint32_t n) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance >> 33) % n;
}

static void poke(void *at, const void *value, size_t n, bool of_schema) {
    if (n_pokes == sizeof pokes / sizeof *pokes) return;
    struct poke *p = &pokes[n_pokes++];
    *p = (struct poke){.at = at, .n = n, .of_schema = of_schema};
    memcpy(p->old, at, n);
    memcpy(at, value, n);
}

/* Makes everything good again, so that it can be freed. */
static void unpoke(bool of_schema) {
    for (size_t i = n_pokes; i-- > 0;) {
        if (pokes[i].of_schema == of_schema) memcpy(pokes[i].at, pokes[i].old, pokes[i].n);
        if (pokes[i].of_schema == of_schema) pokes[i].n = 0;
    }
}

static void release_bad_array(struct ArrowArray *a) {
    unpoke(false);
    arrow_release_array(a);
}

static void release_bad_schema(struct ArrowSchema *s) {
    unpoke(true);
    arrow_release_schema(s);
}

static void poke_numbers(struct ArrowArray *a, bool top) {
    const int64_t odd[] = {-1, INT64_MIN, (int64_t)1 << 60, INT64_MAX, 0, 1};
    int64_t value = odd[draw(6)];
    if (top && draw(2)) value = draw(40);
    if (draw(2)) {
        if (value < 2 && value >= 0 && !top) value = 0; /* an array may be shorter */
        poke(&a->length, &value, 8, false);
    } else if (top || value < 0 || value > 1) {
        poke(&a->offset, &value, 8, false);
    }
}

static void poke_pointers(struct ArrowArray *a) {
    const int64_t odd[] = {-1, 0, 1, 2, INT64_MAX};
    int64_t value = odd[draw(5)], nothing = 0;
    switch (draw(5)) {
    case 0: poke(&a->n_buffers, value < a->n_buffers ? &value : &nothing, 8, false); break;
    case 1: poke(&a->n_children, value == a->n_children ? &nothing : &value, 8, false); break;
    case 2: poke(&a->null_count, &value, 8, false); break;
    case 3:
        if (a->n_buffers > 1) poke(&a->buffers[draw((uint32_t)a->n_buffers)], &nothing, 8, false);
        break;
    default:
        if (a->dictionary) poke(&a->dictionary, &nothing, 8, false);
        if (a->n_children > 0) poke(&a->children[0], &nothing, 8, false);
    }
}

/* Changes a number in the second buffer: an offset, a code, a part of a view, or a value. */
static void poke_value(struct ArrowArray *a, const char *format) {
    bool text = strcmp(format, "u") == 0, list = strcmp(format, "+l") == 0;
    if (a->n_buffers < 2 || a->length < 1) return;
    int32_t *values = (int32_t *)(uintptr_t)a->buffers[1];
    bool narrow = text || list || strcmp(format, "i") == 0;
    if (!narrow && strcmp(format, "vu") != 0) return;
    uint32_t at = draw(narrow ? (uint32_t)a->length + list : 4 * (uint32_t)a->length);
    int32_t odd[] = {-1, INT32_MIN, INT32_MAX, (int32_t)draw(20), values[at] + 1};
    int32_t value = odd[draw(5)];
    if (text && value > values[a->length]) value = -9; /* the length of the text is not known */
    poke(&values[at], &value, 4, false);
}

static void poke_schema(struct ArrowSchema *top) {
    static const char *const formats[] = {"?",   "",   "+s",   "+m", "+w:3",
                                          "d:9", "ts", "tsx:", "z",  "+l"};
    struct ArrowSchema *s = top->children[draw((uint32_t)top->n_children)];
    const void *nothing = NULL, *format = formats[draw(10)];
    const int64_t many = INT64_MAX, negative = -1;
    if (draw(3) == 0 && s->n_children > 0) s = s->children[0];
    if (draw(3) == 0 && s->dictionary) s = s->dictionary;
    switch (draw(6)) {
    case 0: poke(&s->format, &nothing, 8, true); break;
    case 1: poke(&s->name, &nothing, 8, true); break;
    case 2: poke(&s->n_children, draw(2) ? &many : &negative, 8, true); break;
    case 3: poke(&s->children, &nothing, 8, true); break;
    case 4: poke(&top->children[draw((uint32_t)top->n_children)], &nothing, 8, true); break;
    default: poke(&s->format, &format, 8, true);
    }
}

static void be_hostile(struct ArrowArray *array, struct ArrowSchema *schema) {
    static const char *formats[8];
    if (schema) {
        for (int64_t i = 0; i < schema->n_children; i++) formats[i] = schema->children[i]->format;
        if (draw(2) == 0) poke_schema(schema);
        schema->release = release_bad_schema;
        return;
    }
    if (--bad_batch != 0) return;
    array->release = release_bad_array;
    const uint32_t column = draw((uint32_t)array->n_children), how = draw(4);
    struct ArrowArray *a = draw(4) ? array->children[column] : array;
    const char *format = a == array ? "+s" : formats[column];
    if (a != array && a->n_children == 1 && draw(2)) {
        a = a->children[0];
        format = a->dictionary ? "i" : "u";
    }
    if (a->dictionary && draw(3) == 0) {
        a = a->dictionary;
        format = "u";
    }
    if (how == 0) poke_numbers(a, a == array);
    if (how == 1) poke_pointers(a);
    if (how > 1) poke_value(a, format);
}

static int schema_fails(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream, (void)out;
    return EIO;
}

static const char *says_nothing(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static uint8_t answer_hostile(struct ArrowArrayStream *out, error *e) {
    static const arrow_cells_text kinds[] = {{"order", "i", "1 1 2 3 ~"},
                                             {"item", "u", "milk ~ bread beer milk"},
                                             {"item", "u@i", "milk ~ a beer a"},
                                             {"items", "+l:u", "a+b [] ~ a c"},
                                             {"name", "vu", "a ~ a-very-long-name-of-a-thing b c"},
                                             {"yes", "b", "true false ~ true true"},
                                             {"n", "+l:u@i", "a+b [] ~ a c"},
                                             {"real", "g", "1.5 nan ~ 3 4"}};
    static arrow_cells_text columns[3];
    chance = strtoull(query + 8, NULL, 10) * 2654435761u + 1;
    for (int i = 0; i < 8; i++) draw(2);
    n_pokes = 0;
    if (draw(40) == 0) { /* an error without a message */
        (void)e;
        return 1;
    }
    if (draw(40) == 0) return 0;
    const size_t n = 1 + draw(3);
    for (size_t i = 0; i < n; i++) columns[i] = kinds[draw(8)];
    bad_batch = 1 + (int)draw(3);
    *out = arrow_stream(columns, n, 2);
    arrow_stream_state *state = out->private_data;
    state->spoil = be_hostile;
    if (draw(20) == 0) state->fail_at = 1 + (int)draw(3);
    if (draw(20) == 0) out->get_schema = schema_fails;
    if (draw(10) == 0) out->get_last_error = draw(2) ? says_nothing : NULL;
    return 0;
}

/* ---- what DuckDB does with Parquet files ---- */

/* The rows of an array of itemsets: "milk+bread 2,". */
static void put_rows(const struct ArrowArray *a) {
    const struct ArrowArray *list = a->children[0], *codes = list->children[0];
    const struct ArrowArray *names = codes->dictionary;
    const int32_t *ends = list->buffers[1], *code = codes->buffers[1];
    const int64_t *at = names->buffers[1];
    const uint64_t *counts = a->children[2]->buffers[1];
    size_t n = strlen(table);
    for (int64_t row = 0; row < a->length; row++) {
        for (int32_t i = ends[row]; i < ends[row + 1]; i++) {
            n += (size_t)snprintf(table + n, sizeof table - n, "%s%.*s", i > ends[row] ? "+" : "",
                                  (int)(at[code[i] + 1] - at[code[i]]),
                                  (const char *)names->buffers[2] + at[code[i]]);
        }
        n += (size_t)snprintf(table + n, sizeof table - n, " %d,", (int)counts[row]);
    }
}

static uint8_t take_table(error *e) {
    struct ArrowSchema schema;
    struct ArrowArray array;
    table[0] = 0;
    int failed = bound.get_schema(&bound, &schema);
    if (!failed && strcmp(schema.children[0]->children[0]->dictionary->format, "U") != 0) abort();
    if (!failed) schema.release(&schema);
    while (!failed && (failed = bound.get_next(&bound, &array)) == 0 && array.release) {
        put_rows(&array);
        struct ArrowArray kept = *array.children[0]; /* moved, and released after the others */
        array.children[0]->release = NULL;
        array.release(&array);
        kept.release(&kept);
    }
    bound.release(&bound);
    return failed ? fail(e, "the stream failed") : 0;
}

/* COPY lode TO 'PATH' (…): the file is the table, and the options. */
static uint8_t copy_out(error *e) {
    char *path = query + strlen("COPY lode TO '"), *end = strchr(path, '\'');
    *end = 0;
    FILE *file = fopen(path, "w");
    if (!file) return fail(e, "no such file");
    fprintf(file, "PAR1 %s%s", table, end + 1);
    return fclose(file) == 0 ? 0 : fail(e, "the disk is full");
}

/* A table of three columns, or of those that a query names; x is not to be read. */
static uint8_t read_file(struct ArrowArrayStream *out, error *e) {
    static const arrow_cells_text all[] = {
        {"order", "i", "1 1 2"}, {"x", "u", "a b c"}, {"item", "u", "milk bread milk"}};
    static arrow_cells_text columns[3];
    size_t n = 0;
    const char *from = strstr(query, " FROM read_parquet('");
    bool star = strncmp(query, "SELECT * ", 9) == 0, sample = strstr(query, ") LIMIT ") != NULL;
    for (size_t i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "\"%s\"", all[i].name);
        const char *at = strstr(query, name);
        if (star || (at && at < from)) columns[n++] = all[i];
    }
    if (!sample && (star || strstr(query, "\"x\""))) return fail(e, "x was read");
    *out = arrow_stream(columns, n, 2);
    return 0;
}

static uint8_t bind_stream(object *statement, struct ArrowArrayStream *stream, error *e) {
    (void)statement, (void)e;
    bound = *stream;
    stream->release = NULL;
    return 0;
}

static uint8_t execute(object *statement, struct ArrowArrayStream *out, int64_t *rows, error *e) {
    static const arrow_cells_text columns[] = {{"order", "i", "1 1 2"},
                                               {"item", "u", "milk bread milk"}};
    (void)statement;
    *rows = 3;
    if (strcmp(query, "fail") == 0) return fail(e, "Out of Memory Error: no more");
    if (strcmp(query, "nothing") == 0) return 0;
    if (strncmp(query, "hostile ", 8) == 0) return answer_hostile(out, e);
    if (bound.release) return take_table(e);
    if (strstr(query, " FROM read_parquet('")) return read_file(out, e);
    if (strncmp(query, "COPY ", 5) == 0 && copy_out(e) != 0) return 5;
    if (strcmp(query, "slow") == 0) {
        for (int i = 0; i < 2000 && !is_cancelled; i++) usleep(10000);
        return is_cancelled ? fail(e, "cancelled") : fail(e, "nobody has cancelled the query");
    }
    *out = arrow_stream(columns, 2, 1);
    arrow_stream_state *state = out->private_data;
    if (strcmp(query, "cable") == 0) state->fail_at = 2;
    if (strcmp(query, "table") != 0 && strlen(query) < 10) state->spoil = damage;
    return 0;
}

static uint8_t cancel(object *statement, error *e) {
    (void)statement, (void)e;
    is_cancelled = 1;
    return 0;
}

static uint8_t release(void *driver, error *e) {
    (void)driver, (void)e;
    if (live != 0 || arrow_left != 0) abort();
    return 0;
}

/* The places of the functions in the struct of ADBC, counted in pointers. */
typedef void (*function)(void);
#ifdef TEST_DUCKDB
#define AdbcDriverInit duckdb_adbc_init
#endif
__attribute__((visibility("default"))) int AdbcDriverInit(int version, void *driver, error *e);

int AdbcDriverInit(int version, void *driver, error *e) {
    function *f = driver;
    if (version > 1000000 && getenv("ADBC_TEST_OLD")) return fail(e, "only 1.0.0");
    memset(driver, 0, 29 * sizeof *f);
    f[2] = (function)release;
    f[3] = (function)init;
    f[4] = (function)make;
    f[5] = (function)set;
    f[6] = (function)drop;
    f[12] = (function)connect_to;
    f[13] = (function)make;
    f[16] = (function)drop;
    f[19] = (function)bind_stream;
    f[20] = (function)execute;
    f[23] = (function)make_statement;
    f[25] = (function)drop;
    f[26] = (function)set;
    f[27] = (function)set_sql;
    if (version > 1000000) f[49] = (function)cancel;
    is_cancelled = 0;
    return 0;
}
