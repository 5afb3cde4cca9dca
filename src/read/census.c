/* census.c - see census.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/census.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "data/transactions/dict.h"
#include "read/date.h"

/* Distinct cells of a column, unless there are too many. */
typedef struct census_cells {
    dict *names;
    bool too_many;
} census_cells;

/* The figures of one thread about a column. */
typedef struct census_tally {
    uint64_t n_cells, n_empty, n_numbers, n_negative, n_zero, n_dates;
    double least, most;       /* of the numbers */
    int64_t earliest, latest; /* of the dates */
    uint64_t n_starts[26];    /* cells that begin with each letter, in either case */
    census_cells starts;      /* the distinct ones */
    census_cells values;      /* all distinct cells, */
    vec_u64 counts;           /* and how often each occurs */
} census_tally;

typedef struct census_thread {
    uint64_t n_rows;
    census_tally columns[CENSUS_COLUMNS];
    lode_status status;
} census_thread;

struct census {
    mem *mem;
    unsigned n_threads;
    census_thread *threads;
    bool has_names;
    size_t n_columns, tid_column, item_column;
    vec_char names;
    size_t ends[CENSUS_COLUMNS]; /* where each name ends in `names` */
};

lode_status census_create(mem *m, unsigned n_threads, census **out) {
    lode_status status = LODE_OK;
    census *s = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&s, sizeof *s));
    s->mem = m;
    LODE_TRY(mem_zalloc(m, (void **)&s->threads, n_threads * sizeof *s->threads));
    s->n_threads = n_threads;
    *out = s;
    s = NULL;
done:
    census_free(s);
    return status;
}

void census_free(census *s) {
    if (!s) return;
    for (unsigned t = 0; t < s->n_threads; t++) {
        for (size_t i = 0; i < CENSUS_COLUMNS; i++) {
            census_tally *tally = &s->threads[t].columns[i];
            dict_free(tally->starts.names);
            dict_free(tally->values.names);
            vec_u64_free(s->mem, &tally->counts);
        }
    }
    mem_free(s->mem, s->threads, s->n_threads * sizeof *s->threads);
    vec_char_free(s->mem, &s->names);
    mem_free(s->mem, s, sizeof *s);
}

lode_status census_take_header(census *s, csv_cursor header, bool has_names) {
    lode_status status = LODE_OK;
    csv_field f = {0};
    s->has_names = has_names;
    s->n_columns = s->names.n = 0;
    for (csv_begin(&header); !f.last && s->n_columns < CENSUS_COLUMNS; s->n_columns++) {
        LODE_TRY(csv_next(&header, &f));
        if (has_names) LODE_TRY(vec_char_append(s->mem, &s->names, f.text, f.n));
        s->ends[s->n_columns] = s->names.n;
    }
done:
    return status;
}

void census_note_use(census *s, size_t tid_column, size_t item_column) {
    s->tid_column = tid_column;
    s->item_column = item_column;
}

void census_count_row(census *s, unsigned thread) {
    s->threads[thread].n_rows++;
}

/* ---- Cells ---- */

/* Adds a cell, unless that makes more than `most`. *id receives its number if it is kept. */
static lode_status census_keep(mem *m, census_cells *cells, uint32_t most, const char *cell,
                               size_t n, uint32_t *id) {
    lode_status status = LODE_OK;
    if (cells->too_many) return LODE_OK;
    if (!cells->names) LODE_TRY(dict_create(m, &cells->names));
    if (dict_count(cells->names) == most && dict_find(cells->names, cell, n) == DICT_NONE) {
        cells->too_many = true;
    } else {
        LODE_TRY(dict_add(cells->names, cell, n, id));
    }
done:
    return status;
}

/* Adds `by` to the count of a value. */
static lode_status census_add_value(mem *m, census_tally *t, const char *cell, size_t n,
                                    uint64_t by) {
    lode_status status = LODE_OK;
    uint32_t id = 0;
    t->values.too_many |= n > CENSUS_VALUE_BYTES;
    LODE_TRY(census_keep(m, &t->values, CENSUS_VALUES, cell, n, &id));
    if (t->values.too_many) goto done;
    if (id == t->counts.n) LODE_TRY(vec_u64_push(m, &t->counts, 0));
    t->counts.data[id] += by;
done:
    return status;
}

/* The letter that a cell begins with, from 0; 26 = none. */
static unsigned census_letter(const char *cell) {
    const unsigned letter = (unsigned)((unsigned char)cell[0] | 0x20) - 'a';
    return letter < 26 ? letter : 26;
}

static lode_status census_take_start(mem *m, census_tally *t, const char *cell, size_t n) {
    uint32_t id;
    const unsigned letter = census_letter(cell);
    if (letter == 26) return LODE_OK;
    t->n_starts[letter]++;
    t->starts.too_many |= n > CENSUS_START_BYTES;
    return census_keep(m, &t->starts, CENSUS_STARTS, cell, n, &id);
}

static void census_take_number(census_tally *t, double number) {
    if (t->n_numbers == 0 || number < t->least) t->least = number;
    if (t->n_numbers == 0 || number > t->most) t->most = number;
    t->n_numbers++;
    t->n_negative += number < 0;
    t->n_zero += number == 0;
}

static void census_take_date(census_tally *t, int64_t seconds) {
    if (t->n_dates == 0 || seconds < t->earliest) t->earliest = seconds;
    if (t->n_dates == 0 || seconds > t->latest) t->latest = seconds;
    t->n_dates++;
}

void census_look(census *s, unsigned thread, size_t column, const char *cell, size_t n,
                 const double *number) {
    census_thread *own = &s->threads[thread];
    int64_t seconds;
    if (column >= CENSUS_COLUMNS || own->status != LODE_OK) return;
    census_tally *t = &own->columns[column];
    t->n_cells++;
    if (n == 0) {
        t->n_empty++;
        return;
    }
    if (number) {
        census_take_number(t, *number);
    } else if (date_parse(cell, n, &seconds)) {
        census_take_date(t, seconds);
    } else {
        own->status = census_take_start(s->mem, t, cell, n);
    }
    if (own->status == LODE_OK) own->status = census_add_value(s->mem, t, cell, n, 1);
}

/* ---- The sum of all threads ---- */

static lode_status census_join_names(mem *m, census_tally *to, const census_tally *from) {
    lode_status status = LODE_OK;
    size_t n;
    uint32_t id, many = from->starts.names ? dict_count(from->starts.names) : 0;
    to->starts.too_many |= from->starts.too_many;
    to->values.too_many |= from->values.too_many;
    for (uint32_t i = 0; i < many && !to->starts.too_many; i++) {
        const char *name = dict_name(from->starts.names, i, &n);
        LODE_TRY(census_keep(m, &to->starts, CENSUS_STARTS, name, n, &id));
    }
    for (uint32_t i = 0; i < from->counts.n && !to->values.too_many; i++) {
        const char *name = dict_name(from->values.names, i, &n);
        LODE_TRY(census_add_value(m, to, name, n, from->counts.data[i]));
    }
done:
    return status;
}

static lode_status census_join_column(mem *m, census_tally *to, const census_tally *from) {
    if (from->n_numbers > 0) {
        if (to->n_numbers == 0 || from->least < to->least) to->least = from->least;
        if (to->n_numbers == 0 || from->most > to->most) to->most = from->most;
    }
    if (from->n_dates > 0) {
        if (to->n_dates == 0 || from->earliest < to->earliest) to->earliest = from->earliest;
        if (to->n_dates == 0 || from->latest > to->latest) to->latest = from->latest;
    }
    to->n_cells += from->n_cells;
    to->n_empty += from->n_empty;
    to->n_numbers += from->n_numbers;
    to->n_negative += from->n_negative;
    to->n_zero += from->n_zero;
    to->n_dates += from->n_dates;
    for (size_t i = 0; i < 26; i++) to->n_starts[i] += from->n_starts[i];
    return census_join_names(m, to, from);
}

/* Adds the figures of all threads to those of the first. */
static lode_status census_join(census *s) {
    lode_status status = s->threads[0].status;
    for (unsigned t = 1; status == LODE_OK && t < s->n_threads; t++) {
        status = s->threads[t].status;
        s->threads[0].n_rows += s->threads[t].n_rows;
        for (size_t i = 0; status == LODE_OK && i < s->n_columns; i++) {
            status =
                census_join_column(s->mem, &s->threads[0].columns[i], &s->threads[t].columns[i]);
        }
    }
    return status;
}

/* ---- JSON ---- */

typedef struct census_value {
    const char *name;
    size_t n;
    uint64_t count;
} census_value;

/* The most frequent first; equally frequent ones by name. */
static bool census_before(const census_value *a, const census_value *b) {
    if (a->count != b->count) return a->count > b->count;
    const int order = memcmp(a->name, b->name, a->n < b->n ? a->n : b->n);
    return order ? order < 0 : a->n < b->n;
}
#define SORT_NAME   sort_values
#define SORT_TYPE   census_value
#define SORT_BEFORE census_before
#include "base/sort_body.h"

static lode_status census_put_values(mem *m, const census_tally *t, vec_char *to) {
    lode_status status = LODE_OK;
    census_value values[CENSUS_VALUES];
    const size_t n = t->counts.n;
    LODE_TRY(vec_char_printf(m, to, ",\"distinct\":"));
    if (t->values.too_many) {
        LODE_LEAVE(vec_char_printf(m, to, "null,\"values\":[]"));
    }
    for (uint32_t i = 0; i < n; i++) {
        values[i].name = dict_name(t->values.names, i, &values[i].n);
        values[i].count = t->counts.data[i];
    }
    (void)sort_values(values, n, NULL); /* nothing stops it */
    LODE_TRY(vec_char_printf(m, to, "%zu,\"values\":[", n));
    for (size_t i = 0; i < n && i < CENSUS_LISTED; i++) {
        LODE_TRY(vec_char_printf(m, to, "%s{\"name\":", i ? "," : ""));
        LODE_TRY(utf8_put_json(m, to, values[i].name, values[i].n));
        LODE_TRY(vec_char_printf(m, to, ",\"count\":%" PRIu64 "}", values[i].count));
    }
    LODE_TRY(vec_char_printf(m, to, "]"));
done:
    return status;
}

/* How many cells begin with each letter, and how many distinct ones. */
static lode_status census_put_starts(mem *m, const census_tally *t, vec_char *to) {
    lode_status status = LODE_OK;
    uint64_t distinct[26] = {0};
    size_t n;
    const char *comma = "";
    for (uint32_t i = 0; t->starts.names && i < dict_count(t->starts.names); i++) {
        const char *name = dict_name(t->starts.names, i, &n);
        distinct[census_letter(name)]++;
    }
    LODE_TRY(vec_char_printf(m, to, ",\"starts\":["));
    for (unsigned i = 0; i < 26; i++) {
        if (t->n_starts[i] == 0) continue;
        LODE_TRY(vec_char_printf(m, to, "%s{\"letter\":\"%c\",\"rows\":%" PRIu64 ",\"values\":",
                                 comma, (int)('A' + i), t->n_starts[i]));
        LODE_TRY(t->starts.too_many ? vec_char_printf(m, to, "null}")
                                    : vec_char_printf(m, to, "%" PRIu64 "}", distinct[i]));
        comma = ",";
    }
    LODE_TRY(vec_char_printf(m, to, "]"));
done:
    return status;
}

static lode_status census_put_name(const census *s, size_t column, vec_char *to) {
    const size_t from = column ? s->ends[column - 1] : 0;
    lode_status status = vec_char_printf(s->mem, to, "{\"name\":");
    if (status != LODE_OK) return status;
    return utf8_put_json(s->mem, to, s->names.data + from, s->ends[column] - from);
}

static lode_status census_put_column(const census *s, size_t column, vec_char *to) {
    lode_status status = LODE_OK;
    mem *m = s->mem;
    const census_tally *t = &s->threads[0].columns[column];
    char first[DATE_BYTES], last[DATE_BYTES];
    LODE_TRY(census_put_name(s, column, to));
    LODE_TRY(vec_char_printf(m, to,
                             ",\"empty\":%" PRIu64 ",\"numbers\":%" PRIu64 ",\"negative\":%" PRIu64
                             ",\"zero\":%" PRIu64 ",\"dates\":%" PRIu64,
                             t->n_empty, t->n_numbers, t->n_negative, t->n_zero, t->n_dates));
    if (t->n_numbers > 0) {
        LODE_TRY(vec_char_printf(m, to, ",\"least\":%.15g,\"most\":%.15g", t->least, t->most));
    }
    if (t->n_dates > 0) {
        date_write(t->earliest, first);
        date_write(t->latest, last);
        LODE_TRY(vec_char_printf(m, to, ",\"first\":\"%s\",\"last\":\"%s\"", first, last));
    }
    LODE_TRY(census_put_starts(m, t, to));
    LODE_TRY(census_put_values(m, t, to));
    LODE_TRY(vec_char_printf(m, to, "}"));
done:
    return status;
}

lode_status census_json(census *s, vec_char *to) {
    lode_status status = LODE_OK;
    LODE_TRY(census_join(s));
    LODE_TRY(vec_char_printf(s->mem, to, "{\"rows\":%" PRIu64, s->threads[0].n_rows));
    if (s->n_columns > 0) {
        LODE_TRY(vec_char_printf(s->mem, to, ",\"header\":%s,\"tid\":%zu,\"item\":%zu",
                                 s->has_names ? "true" : "false", s->tid_column, s->item_column));
    }
    LODE_TRY(vec_char_printf(s->mem, to, ",\"columns\":["));
    for (size_t i = 0; i < s->n_columns; i++) {
        if (i > 0) LODE_TRY(vec_char_printf(s->mem, to, ","));
        LODE_TRY(census_put_column(s, i, to));
    }
    LODE_TRY(vec_char_printf(s->mem, to, "]}\n"));
done:
    return status;
}
