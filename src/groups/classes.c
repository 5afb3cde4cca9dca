/* classes.c - see classes.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/classes.h"

#include <stdio.h>
#include <string.h>

#include "data/transactions/select.h"
#include "read/input.h"

#define CLASSES_TEXT 200 /* bytes of an option in a message */

/* A partition of the rows that is being read: the value of each row, and the names of values. */
typedef struct partition {
    lode_job *job;
    const lode_dataset *data; /* NULL = rows without items */
    const char *what, *text;  /* the option, and its value */
    const char *rows;         /* what messages call a row, in the plural */
    own_classes own;
    uint32_t n_rows;
    uint32_t *of;         /* by row */
    dict *names;          /* of the values */
    select_groups groups; /* the items of each value; n = 0: the values are from a file */
    bool rest;            /* the last value has the rows without the item */
} partition;

#define VALUE_NONE UINT32_MAX

static lode_status partition_fail(const partition *p, const char *problem) {
    return job_fail(p->job, LODE_INVALID, "%s '%.*s': %s", p->what, CLASSES_TEXT, p->text, problem);
}

/* ---- values that are items ------------------------------------------------------------------- */

/* Finds the items of a name or glob; *found = false if there are none. */
static lode_status partition_look(const partition *p, const char *text, select_groups *out,
                                  bool *found) {
    lode_status status = select_parse(p->job, p->data, text, p->what, false, out);
    *found = status == LODE_OK;
    if (status != LODE_INVALID) return status;
    job_clear_message(p->job);
    return LODE_OK;
}

static lode_status partition_add_name(partition *p, const char *name, size_t n) {
    uint32_t id;
    return dict_add(p->names, name, n, &id);
}

/* Makes a value of each item of a group. `skip`: bytes at the beginning of their names that say
 * nothing. */
static lode_status partition_split(partition *p, select_groups *found, size_t skip) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    const select_group *g = &found->groups[0];
    char name[4 * CLASSES_NAME_BYTES], rest[sizeof name + 4];
    size_t n = 0;
    p->groups.mem = m;
    LODE_TRY(mem_zalloc(m, (void **)&p->groups.groups, g->n * sizeof *g));
    p->groups.cap = g->n;
    for (uint32_t i = 0; i < g->n; i++) {
        select_group *to = &p->groups.groups[p->groups.n];
        LODE_TRY(mem_zalloc(m, (void **)&to->ids, sizeof *to->ids));
        p->groups.n++;
        to->ids[0] = g->ids[i];
        to->n = to->cap = 1;
        n = dataset_id_name(p->data, g->ids[i], name, sizeof name); /* need not end with a 0 */
        if (n >= sizeof name) n = sizeof name - 1;
        LODE_TRY(partition_add_name(p, name + skip, n - skip));
    }
    if (g->n > 1) goto done;
    p->rest = true;
    snprintf(rest, sizeof rest, "not %.*s", (int)n, name);
    LODE_TRY(partition_add_name(p, rest, strlen(rest)));
done:
    return status;
}

/* "a,b": a value for each part. */
static lode_status partition_list(partition *p, bool *found) {
    lode_status status = LODE_OK;
    vec_char lines = {0};
    size_t n = strlen(p->text);
    *found = false;
    if (!strchr(p->text, ',')) return LODE_OK;
    LODE_TRY(vec_char_append(&p->job->mem, &lines, p->text, n + 1));
    for (size_t i = 0; i < n; i++) {
        if (lines.data[i] == ',') lines.data[i] = '\n';
    }
    LODE_TRY(partition_look(p, lines.data, &p->groups, found));
    const char *at = p->text;
    for (uint32_t i = 0; *found && i < p->groups.n; i++, at += *at == ',') {
        size_t bytes = strcspn(at, ",");
        LODE_TRY(partition_add_name(p, at, bytes));
        at += bytes;
    }
    if (*found && dict_count(p->names) < p->groups.n) {
        status = partition_fail(p, "a group is listed twice");
    }
done:
    vec_char_free(&p->job->mem, &lines);
    return status;
}

/* Finds the items that the option names: an item or a glob, the values of a column, a list. */
static lode_status partition_find(partition *p, bool *found) {
    lode_status status = LODE_OK;
    select_groups items = {.mem = &p->job->mem};
    char column[CLASSES_TEXT + 4];
    LODE_TRY(partition_look(p, p->text, &items, found));
    if (*found) {
        status = partition_split(p, &items, 0);
        goto done;
    }
    if (strlen(p->text) < CLASSES_TEXT) {
        snprintf(column, sizeof column, "%s=*", p->text);
        LODE_TRY(partition_look(p, column, &items, found));
    }
    if (*found && items.groups[0].n == 1) {
        LODE_LEAVE(partition_fail(p, "the column has one value only; expected two or more"));
    }
    if (*found) {
        status = partition_split(p, &items, strlen(p->text) + 1);
    } else {
        status = partition_list(p, found);
    }
done:
    select_clear(&items);
    return status;
}

/* Gives the rows of a block their values. */
static lode_status partition_block(partition *p, const data_block *b, const uint32_t *value_of) {
    for (uint32_t t = 0; t < b->n; t++) {
        uint32_t *value = &p->of[b->first + t];
        for (uint32_t i = b->offsets[t]; i < b->offsets[t + 1]; i++) {
            uint32_t v = value_of[b->items[i]];
            if (v == VALUE_NONE || v == *value) continue;
            if (*value != VALUE_NONE) {
                return job_fail(p->job, LODE_INVALID,
                                "%s '%.*s': transaction %llu is in two groups; every transaction "
                                "must be in exactly one",
                                p->what, CLASSES_TEXT, p->text,
                                (unsigned long long)(b->first + t + 1));
            }
            *value = v;
        }
        if (*value == VALUE_NONE && p->rest) *value = 1;
        if (*value != VALUE_NONE) continue;
        return job_fail(p->job, LODE_INVALID,
                        "%s '%.*s': transaction %llu is in no group; every transaction must be in "
                        "exactly one",
                        p->what, CLASSES_TEXT, p->text, (unsigned long long)(b->first + t + 1));
    }
    return LODE_OK;
}

static lode_status partition_items(partition *p) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    uint32_t bound = p->data->item_bound;
    uint32_t *value_of = NULL;
    LODE_TRY(mem_resize(m, (void **)&value_of, 0, bound * sizeof *value_of));
    memset(value_of, 0xff, bound * sizeof *value_of);
    for (uint32_t v = 0; v < p->groups.n; v++) {
        const select_group *g = &p->groups.groups[v];
        for (uint32_t i = 0; i < g->n; i++) value_of[g->ids[i]] = v;
    }
    for (size_t b = 0; b < p->data->n_blocks; b++) {
        LODE_TRY(partition_block(p, &p->data->blocks[b], value_of));
    }
done:
    if (value_of) mem_free(m, value_of, bound * sizeof *value_of);
    return status;
}

/* ---- values from a file ---------------------------------------------------------------------- */

static lode_status partition_line(partition *p, const char *path, uint64_t line, const char *text,
                                  size_t n) {
    while (n > 0 && strchr("\r\n \t", text[n - 1])) n--;
    if (n == 0) {
        return job_fail(p->job, LODE_INVALID,
                        "%s:%llu: the label is missing; expected one label per line", path,
                        (unsigned long long)line);
    }
    if (line > p->n_rows) {
        return job_fail(p->job, LODE_INVALID,
                        "%s: '%s' has more labels than there are %s (%u); expected one label per "
                        "line, for each of them",
                        p->what, path, p->rows, p->n_rows);
    }
    return dict_add(p->names, text, n, &p->of[line - 1]);
}

/* Puts the values into the order of their names. */
static lode_status partition_sort(partition *p) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    uint32_t *ids = NULL, n = dict_count(p->names);
    bool numeric;
    LODE_TRY(mem_resize(m, (void **)&ids, 0, (n + (size_t)1) * sizeof *ids));
    LODE_TRY(dict_sort(p->names, ids, &numeric));
    for (uint32_t row = 0; row < p->n_rows; row++) p->of[row] = ids[p->of[row]];
done:
    if (ids) mem_free(m, ids, (n + (size_t)1) * sizeof *ids);
    return status;
}

/* The classes that the rows have of their own. */
static lode_status partition_own(partition *p) {
    lode_status status = LODE_OK;
    if (!p->own.of) {
        return job_fail(p->job, LODE_INVALID,
                        "%s '*': the %s have no classes of their own; expected a file with one "
                        "label per line",
                        p->what, p->rows);
    }
    for (uint32_t row = 0; row < p->n_rows; row++) {
        size_t n;
        if (p->own.of[row] == DICT_NONE) {
            return job_fail(p->job, LODE_INVALID,
                            "%s '*': number %u of the %s has no class; all must have one", p->what,
                            row + 1, p->rows);
        }
        const char *name = dict_name(p->own.names, p->own.of[row], &n);
        LODE_TRY(dict_add(p->names, name, n, &p->of[row]));
    }
    status = partition_sort(p);
done:
    return status;
}

static lode_status partition_file(partition *p) {
    lode_status status = LODE_OK;
    input *in = NULL;
    const char *text;
    size_t n;
    uint64_t line = 0;
    status = input_open(p->job, &in, p->text);
    if (status == LODE_NOTFOUND) {
        job_clear_message(p->job);
        return partition_fail(p, p->data
                                     ? "no item, column or file has this name; columns are known "
                                       "with --format attributes"
                                     : "no file has this name");
    }
    LODE_TRY(status);
    for (;;) {
        LODE_TRY(input_take_record(in, &text, &n));
        if (n == 0) break;
        LODE_TRY(partition_line(p, p->text, ++line, text, n));
    }
    if (line == 0 && p->n_rows > 0) {
        LODE_LEAVE(partition_fail(p, "the file has no labels; a pipe is empty when it is read "
                                     "again, so labels must be in a file"));
    }
    if (line < p->n_rows) {
        LODE_LEAVE(job_fail(p->job, LODE_INVALID,
                            "%s: '%s' has %llu labels, and there are %u %s; expected one label per "
                            "line, for each of them",
                            p->what, p->text, (unsigned long long)line, p->n_rows, p->rows));
    }
    status = partition_sort(p);
done:
    input_close(in);
    return status;
}

/* ---- partitions ------------------------------------------------------------------------------ */

static void partition_clear(partition *p) {
    mem *m = &p->job->mem;
    if (p->of) mem_free(m, p->of, p->n_rows * sizeof *p->of);
    dict_free(p->names);
    if (p->groups.mem) select_clear(&p->groups);
}

static lode_status partition_read(partition *p) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    bool found = false;
    p->groups.mem = m;
    if (p->text[0] == 0) return job_fail(p->job, LODE_INVALID, "%s: the name is missing", p->what);
    LODE_TRY(dict_create(m, &p->names));
    LODE_TRY(mem_resize(m, (void **)&p->of, 0, p->n_rows * sizeof *p->of));
    if (p->n_rows > 0) memset(p->of, 0xff, p->n_rows * sizeof *p->of);
    if (p->data) LODE_TRY(partition_find(p, &found));
    bool own = !p->data && strcmp(p->text, "*") == 0;
    status = found ? partition_items(p) : own ? partition_own(p) : partition_file(p);
done:
    return status;
}

/* ---- classes and strata ---------------------------------------------------------------------- */

static lode_status classes_name(row_classes *c, const partition *p) {
    c->n_classes = dict_count(p->names);
    if (c->n_classes > CLASSES_MOST) {
        return job_fail(p->job, LODE_INVALID, "%s '%.*s' gives %u groups; expected at most %u",
                        p->what, CLASSES_TEXT, p->text, c->n_classes, CLASSES_MOST);
    }
    for (uint32_t v = 0; v < c->n_classes; v++) {
        size_t n;
        const char *name = dict_name(p->names, v, &n);
        snprintf(c->names[v], sizeof c->names[v], "%.*s", (int)n, name);
    }
    for (uint32_t row = 0; row < p->n_rows; row++) c->sizes[p->of[row]]++;
    for (uint32_t v = 0; v < c->n_classes; v++) {
        if (c->sizes[v] > 0 && c->n_classes > 1) continue;
        uint32_t full = c->n_classes > 1 ? !v : 0;
        return job_fail(p->job, LODE_INVALID,
                        "%s '%.*s': all %s are in the same group ('%s'); expected two groups or "
                        "more",
                        p->what, CLASSES_TEXT, p->text, p->rows,
                        c->n_classes > 0 ? c->names[full] : "");
    }
    return LODE_OK;
}

static lode_status classes_take_items(row_classes *c, const partition *p) {
    if (p->groups.n == 0) return LODE_OK;
    lode_status status =
        mem_keep_zero(c->mem, &c->kept, (void **)&c->items, p->data->item_bound + (size_t)1);
    if (status == LODE_OK) select_mark(&p->groups, c->items, 1);
    return status;
}

/* Orders the rows by stratum. */
static lode_status classes_place_rows(row_classes *c, const partition *classes,
                                      const partition *strata) {
    lode_status status = LODE_OK;
    uint32_t n = c->n_rows;
    c->n_strata = strata->names ? dict_count(strata->names) : 1;
    LODE_TRY(mem_keep_zero(c->mem, &c->kept, (void **)&c->starts,
                           (c->n_strata + (size_t)2) * sizeof *c->starts));
    LODE_TRY(mem_keep_zero(c->mem, &c->kept, (void **)&c->row_of, n * sizeof *c->row_of));
    LODE_TRY(mem_keep_zero(c->mem, &c->kept, (void **)&c->of, n));
    if (c->n_strata > 1) {
        LODE_TRY(mem_keep_zero(c->mem, &c->kept, (void **)&c->place_of, n * sizeof *c->place_of));
    }
    uint32_t *next = c->starts + 1; /* starts[s + 1] moves on to where stratum s + 1 begins */
    for (uint32_t row = 0; row < n; row++) {
        if (c->n_strata > 1) next[strata->of[row] + 1]++;
    }
    for (uint32_t s = 1; s <= c->n_strata && c->n_strata > 1; s++) next[s] += next[s - 1];
    for (uint32_t row = 0; row < n; row++) {
        uint32_t place = c->n_strata > 1 ? next[strata->of[row]]++ : row;
        c->row_of[place] = row;
        c->of[place] = (uint8_t)classes->of[row];
        if (c->place_of) c->place_of[row] = place;
    }
    c->starts[c->n_strata] = n;
done:
    return status;
}

static lode_status classes_read(row_classes *c, const partition *from,
                                const lode_class_options *o) {
    lode_status status = LODE_OK;
    partition classes = *from, strata = *from;
    *c = (row_classes){.mem = &from->job->mem, .n_rows = from->n_rows};
    classes.what = "--class";
    classes.text = o->classes;
    strata.what = "--strata";
    strata.text = o->strata;
    LODE_TRY(partition_read(&classes));
    if (o->strata) LODE_TRY(partition_read(&strata));
    LODE_TRY(classes_name(c, &classes));
    LODE_TRY(classes_take_items(c, &classes));
    status = classes_place_rows(c, &classes, &strata);
done:
    partition_clear(&classes);
    partition_clear(&strata);
    if (status != LODE_OK) classes_free(c);
    return status;
}

lode_status classes_of_items(row_classes *c, lode_job *job, const lode_dataset *data,
                             const lode_class_options *o) {
    if (data->weights || data->weighted) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "--class cannot be combined with weighted transactions: the tests count "
                        "each transaction once");
    }
    if (data->spool) {
        return job_fail(job, LODE_UNSUPPORTED,
                        "--class needs the transactions in memory, and they are on disk; use a "
                        "larger --memory");
    }
    lode_status status = dataset_in_memory(job, data);
    if (status != LODE_OK) return status;
    partition from = {.job = job,
                      .data = data,
                      .rows = "transactions",
                      .n_rows = (uint32_t)data->profile.n_transactions};
    return classes_read(c, &from, o);
}

lode_status classes_of_file(row_classes *c, lode_job *job, uint32_t n_rows, const char *rows,
                            own_classes own, const lode_class_options *o) {
    partition from = {.job = job, .rows = rows, .n_rows = n_rows, .own = own};
    return classes_read(c, &from, o);
}

void classes_free(row_classes *c) {
    if (!c->mem) return;
    mem_drop(c->mem, &c->kept);
    *c = (row_classes){0};
}
