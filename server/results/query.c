/* query.c - see query.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/query.h"

#include <stdlib.h>
#include <string.h>

#include "http/text.h"

#define QUERY_VALUES        64   /* of one name */
#define QUERY_BYTES         4096 /* of one value */
#define QUERY_REGEX_BYTES   256
#define QUERY_MATCH_SECONDS 1 /* seconds for all regular expressions of a query */

/* Which kind of list a parameter is. */
typedef enum query_kind { QUERY_BOUND, QUERY_GROUP, QUERY_REGEX, QUERY_ROWS } query_kind;

static const struct {
    const char *name;
    query_kind kind;
} query_lists[QUERY_LISTS] = {
    {"min", QUERY_BOUND},       {"max", QUERY_BOUND},       {"has", QUERY_GROUP},
    {"lacks", QUERY_GROUP},     {"lhs-has", QUERY_GROUP},   {"lhs-lacks", QUERY_GROUP},
    {"rhs-has", QUERY_GROUP},   {"rhs-lacks", QUERY_GROUP}, {"match", QUERY_REGEX},
    {"lhs-match", QUERY_REGEX}, {"rhs-match", QUERY_REGEX}, {"pick", QUERY_ROWS},
};

/* ---- lists ---------------------------------------------------------------------------------- */

/* False: it has been answered. */
static bool query_check_value(request *r, unsigned list, const char *value) {
    const char *name = query_lists[list].name;
    if (strlen(value) > QUERY_BYTES) {
        reply_error(r, 422, "invalid", "%s: a value can have at most %d bytes", name, QUERY_BYTES);
    } else if (!*value || strpbrk(value, "\n\r")) {
        reply_error(r, 422, "invalid", "%s: expected a single line", name);
    } else if (query_lists[list].kind == QUERY_GROUP && value[0] == '@' && value[1]) {
        reply_error(r, 422, "invalid",
                    "%s: files of names (@FILE) are not allowed; write \\@ for an item whose name "
                    "begins with @",
                    name);
    } else if (query_lists[list].kind == QUERY_REGEX && strlen(value) > QUERY_REGEX_BYTES) {
        reply_error(r, 422, "invalid", "%s: a regular expression can have at most %d bytes", name,
                    QUERY_REGEX_BYTES);
    } else {
        return true;
    }
    return false;
}

/* Reads one list. False: it has been answered. */
static bool query_read_list(request *r, unsigned list, char **out) {
    const char *values[QUERY_VALUES];
    size_t n = request_values(r, query_lists[list].name, values, QUERY_VALUES);
    text joined = TEXT_INIT;
    if (n > QUERY_VALUES) {
        reply_error(r, 422, "invalid", "%s: at most %d values", query_lists[list].name,
                    QUERY_VALUES);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!query_check_value(r, list, values[i])) {
            text_free(&joined);
            return false;
        }
        if (i > 0) text_char(&joined, '\n');
        text_put(&joined, values[i]);
    }
    if (joined.failed) {
        text_free(&joined);
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return false;
    }
    *out = joined.data;
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

void query_free(query *q) {
    if (!q) return;
    for (unsigned i = 0; i < QUERY_LISTS; i++) free(q->lists[i]);
    free(q->sort);
    free(q->filter);
    free(q->view);
    free(q);
}

static void query_set_options(query *q) {
    lode_query_options *o = &q->options;
    char **l = q->lists;
    o->size = sizeof *o;
    o->minima = l[0], o->maxima = l[1], o->include = l[2], o->exclude = l[3];
    o->include_lhs = l[4], o->exclude_lhs = l[5], o->include_rhs = l[6], o->exclude_rhs = l[7];
    o->match = l[8], o->lhs_match = l[9], o->rhs_match = l[10], o->pick = l[11];
    o->sort_by = q->sort;
    o->match_seconds = QUERY_MATCH_SECONDS;
}

/* Values have no line ends, and a list ends with an empty line, so different filters have different
 * keys. */
static bool query_make_keys(query *q) {
    text key = TEXT_INIT;
    for (unsigned i = 0; i < QUERY_LISTS; i++) {
        if (q->lists[i]) text_printf(&key, "%s\n%s\n\n", query_lists[i].name, q->lists[i]);
    }
    if (q->options.min_size) text_printf(&key, "min-size %u\n\n", q->options.min_size);
    if (q->options.max_size) text_printf(&key, "max-size %u\n\n", q->options.max_size);
    q->filter = key.failed ? NULL : strdup(key.data ? key.data : "");
    if (q->sort) text_printf(&key, "sort %s\n%d\n\n", q->sort, q->options.reverse);
    q->view = key.failed ? NULL : strdup(key.data ? key.data : "");
    text_free(&key);
    return q->filter && q->view;
}

/* False: it has been answered. */
static bool query_read_order(request *r, query *q) {
    const char *sort = request_value(r, "sort");
    bool reverse;
    if (!request_switch(r, "reverse", false, &reverse)) return false;
    if (sort && (!*sort || strlen(sort) > 100 || strpbrk(sort, "\n\r"))) {
        reply_error(r, 422, "invalid", "sort: expected the name of a column or measure");
        return false;
    }
    if (reverse && !sort) {
        reply_error(r, 422, "invalid", "reverse requires sort");
        return false;
    }
    q->options.reverse = reverse;
    q->sort = sort ? strdup(sort) : NULL;
    if (!sort || q->sort) return true;
    reply_error(r, 503, "unavailable", "the server is out of memory");
    return false;
}

/* False: it has been answered. */
static bool query_read_all(request *r, query *q, bool sorted) {
    uint64_t range[2] = {0, UINT32_MAX - 1}, least, most;
    for (unsigned i = 0; i < QUERY_LISTS; i++) {
        if (!query_read_list(r, i, &q->lists[i])) return false;
    }
    if (!request_count(r, "min-size", range, 0, &least)) return false;
    if (!request_count(r, "max-size", range, 0, &most)) return false;
    q->options.min_size = (uint32_t)least;
    q->options.max_size = (uint32_t)most;
    if (sorted && !query_read_order(r, q)) return false;
    if (query_make_keys(q)) return true;
    reply_error(r, 503, "unavailable", "the server is out of memory");
    return false;
}

query *query_of_request(request *r, bool sorted) {
    query *q = calloc(1, sizeof *q);
    if (!q) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return NULL;
    }
    if (!query_read_all(r, q, sorted)) {
        query_free(q);
        return NULL;
    }
    query_set_options(q);
    return q;
}

static bool query_copy_text(char **to, const char *from) {
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

query *query_copy(const query *q) {
    query *copy = calloc(1, sizeof *copy);
    bool ok = copy != NULL;
    if (ok) copy->options = q->options;
    for (unsigned i = 0; ok && i < QUERY_LISTS; i++) {
        ok = query_copy_text(&copy->lists[i], q->lists[i]);
    }
    ok = ok && query_copy_text(&copy->sort, q->sort) && query_copy_text(&copy->filter, q->filter) &&
         query_copy_text(&copy->view, q->view);
    if (!ok) {
        query_free(copy);
        return NULL;
    }
    query_set_options(copy);
    return copy;
}

bool query_finds_all(const query *q) {
    return q->filter[0] == 0;
}
