/* columns.c - the columns of a result with their ranges, and histograms
 *
 * Finding the range of a stored column requires passes over this column. Computing all measures
 * would take long for a long result, so only the measures named in the request (of=NAME) are
 * computed; the range of the others is null.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stores_ask.h"
#include "results/stores_routes.h"

#define COLUMNS_QUICK 20000 /* number of rows up to which every measure is computed */
#define COLUMNS_NAMED 16    /* maximum number of names in a request */

/* Whether the column of this name holds whole numbers. The measure count is not computed, but read
 * from the column both. */
static bool column_is_whole(lode_store *store, const char *name) {
    lode_column meant = LODE_INIT(lode_column);
    uint32_t at;
    return lode_store_column_find(store, name, &at) && lode_store_column(store, at, &meant) &&
           meant.type == LODE_COLUMN_COUNT;
}

/* The lowest and highest finite value: the edges of a single bin that holds all values. */
static lode_status column_range(lode_store *store, const lode_column *c, double out[2]) {
    lode_histogram_options options = {.size = sizeof options, .x = c->name, .x_bins = 1};
    lode_histogram found = LODE_INIT(lode_histogram);
    out[0] = out[1] = NAN;
    lode_status status = lode_store_histogram(store, NULL, &options, &found);
    if (status != LODE_OK || found.inside == 0) return status;
    out[0] = found.x_edges[0];
    out[1] = found.x_edges[1];
    /* A bin of whole numbers ends before its upper edge. */
    if (out[1] > out[0] && out[1] <= 1e15 && column_is_whole(store, c->name)) out[1] -= 1;
    return LODE_OK;
}

/* `names`: one per line. */
static bool column_is_named(const char *names, const char *name) {
    size_t n = strlen(name);
    while (names && *names) {
        size_t length = strcspn(names, "\n");
        if (length == n && memcmp(names, name, n) == 0) return true;
        names += length + 1;
    }
    return false;
}

static bool column_is_looked_at(const question *q, const store_handle *h, const lode_column *c) {
    if (c->type != LODE_COLUMN_COUNT && c->type != LODE_COLUMN_REAL) return false;
    if (h->info.rows <= COLUMNS_QUICK || column_is_named(q->more, c->name)) return true;
    return c->stored || strcmp(c->name, "size") == 0 || strcmp(c->name, "support") == 0;
}

static lode_status column_write(const question *q, store_handle *h, const lode_column *c,
                                text *out) {
    static const char *const types[] = {"items", "text", "count", "real"};
    double range[2] = {NAN, NAN};
    lode_status status = LODE_OK;
    if (column_is_looked_at(q, h, c)) status = column_range(h->store, c, range);
    text_put(out, "{\"name\":");
    text_json_string(out, c->name);
    text_printf(out, ",\"type\":\"%s\",\"stored\":%s,\"better\":%d,\"low\":", types[c->type],
                c->stored ? "true" : "false", c->better);
    text_json_number(out, range[0]);
    text_put(out, ",\"high\":");
    text_json_number(out, range[1]);
    text_char(out, '}');
    return status;
}

/* Every name of the request must be a column. */
static lode_status columns_check(const question *q, store_handle *h, store_failure *why) {
    char name[128];
    for (const char *at = q->more; at && *at;) {
        size_t n = strcspn(at, "\n");
        uint32_t column;
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n + 1;
        if (lode_store_column_find(h->store, name, &column)) continue;
        why->status = LODE_INVALID;
        snprintf(why->message, sizeof why->message, "of: this result has no column '%s'", name);
        return LODE_INVALID;
    }
    return LODE_OK;
}

static lode_status columns_work(const question *q, store_handle *h, text *out, store_failure *why) {
    lode_column c = LODE_INIT(lode_column);
    lode_status status = columns_check(q, h, why);
    text_printf(out, "{\"rows\":%llu,\"order\":", (unsigned long long)h->info.rows);
    text_json_string(out, h->info.order);
    text_put(out, ",\"columns\":[");
    for (uint32_t i = 0; status == LODE_OK && lode_store_column(h->store, i, &c); i++) {
        if (i > 0) text_char(out, ',');
        status = column_write(q, h, &c, out);
    }
    text_put(out, "]}");
    return status;
}

/* The names of a request, one per line, from malloc. False: the request has been answered. */
static bool columns_named(request *r, char **out) {
    const char *names[COLUMNS_NAMED];
    size_t n = request_values(r, "of", names, COLUMNS_NAMED);
    text joined = TEXT_INIT;
    *out = NULL;
    if (n > COLUMNS_NAMED) {
        reply_error(r, 422, "invalid", "of: at most %d columns", COLUMNS_NAMED);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (strlen(names[i]) < 100 && !strchr(names[i], '\n')) {
            text_printf(&joined, "%s\n", names[i]);
            continue;
        }
        text_free(&joined);
        reply_error(r, 422, "invalid", "of: expected the name of a column");
        return false;
    }
    *out = joined.data;
    if (!joined.failed) return true;
    text_free(&joined);
    reply_error(r, 503, "unavailable", "the server is out of memory");
    return false;
}

void route_columns(server *s, request *r) {
    result_job job;
    char *names;
    if (!result_of_request(s, r, &job)) return;
    if (!columns_named(r, &names)) return;
    question *q = question_new(job.id, columns_work, NULL, names);
    if (q) (void)question_key(q, "columns\n%s", q->more ? (const char *)q->more : "");
    asked_reply(stores_asked(s->stores), q, r);
}

/* ---- how the rows that a filter finds lie along one column or two ---------------------------- */

#define BINS_MOST 256 /* along one axis */
#define BINS_NAME 100 /* maximum bytes of a column name */

/* A histogram request; `options` refers to the names below. */
typedef struct bins_ask {
    lode_histogram_options options;
    char x[BINS_NAME + 1], y[BINS_NAME + 1]; /* y is "" for one axis */
} bins_ask;

/* ---- the answer ----------------------------------------------------------------------------- */

static void bins_write_axis(text *out, const char *axis, const char *name, const double *edges,
                            uint32_t bins) {
    text_printf(out, "\"%s\":{\"name\":", axis);
    text_json_string(out, name);
    text_put(out, ",\"edges\":[");
    for (uint32_t i = 0; i <= bins; i++) {
        if (i > 0) text_char(out, ',');
        text_json_number(out, edges[i]);
    }
    text_put(out, "]},");
}

static void bins_write(const bins_ask *ask, const lode_histogram *h, text *out) {
    text_char(out, '{');
    bins_write_axis(out, "x", ask->x, h->x_edges, h->x_bins);
    if (ask->y[0]) {
        bins_write_axis(out, "y", ask->y, h->y_edges, h->y_bins);
    } else {
        text_put(out, "\"y\":null,");
    }
    text_put(out, "\"counts\":[");
    for (size_t i = 0; i < (size_t)h->x_bins * h->y_bins; i++) {
        if (i > 0) text_char(out, ',');
        text_json_count(out, h->counts[i]);
    }
    text_printf(out, "],\"inside\":%llu,\"outside\":%llu,\"undefined\":%llu}",
                (unsigned long long)h->inside, (unsigned long long)h->outside,
                (unsigned long long)h->undefined);
}

static lode_status bins_work(const question *q, store_handle *h, text *out, store_failure *why) {
    const bins_ask *ask = q->more;
    lode_histogram found = LODE_INIT(lode_histogram);
    (void)why;
    lode_status status = lode_store_histogram(h->store, &q->query->options, &ask->options, &found);
    if (status == LODE_OK) bins_write(ask, &found, out);
    return status;
}

/* ---- the request ---------------------------------------------------------------------------- */

/* A number in the query string; `there`: whether it is given. False: the request has been
 * answered. */
static bool bins_number(request *r, const char *name, double *out, bool *there) {
    const char *value = request_value(r, name);
    char *end;
    *there = value != NULL;
    if (!value) return true;
    *out = strtod(value, &end);
    bool plain = strspn(value, "+-.0123456789eE") == strlen(value);
    if (plain && end != value && *end == 0 && isfinite(*out)) return true;
    reply_error(r, 422, "invalid", "%s: expected a number", name);
    return false;
}

/* Both ends of a range, or none. False: the request has been answered. */
static bool bins_range(request *r, char axis, double range[2]) {
    char low[8], high[8];
    bool has_low, has_high;
    snprintf(low, sizeof low, "%c-low", axis);
    snprintf(high, sizeof high, "%c-high", axis);
    if (!bins_number(r, low, &range[0], &has_low)) return false;
    if (!bins_number(r, high, &range[1], &has_high)) return false;
    if (has_low == has_high && (!has_low || range[0] < range[1])) return true;
    reply_error(r, 422, "invalid", "%s and %s must be given together, the lower value first", low,
                high);
    return false;
}

typedef struct bins_side {
    uint64_t bins;
    bool log;
    double range[2];
} bins_side;

/* False: it has been answered. */
static bool bins_read_side(request *r, char axis, char name[BINS_NAME + 1], bins_side *out) {
    char key[8] = {axis, 0};
    uint64_t bounds[2] = {1, BINS_MOST};
    const char *value = request_value(r, key);
    if (value && (!*value || strlen(value) > BINS_NAME)) value = NULL;
    snprintf(name, BINS_NAME + 1, "%s", value ? value : "");
    snprintf(key, sizeof key, "%c-bins", axis);
    if (!request_count(r, key, bounds, 20, &out->bins)) return false;
    snprintf(key, sizeof key, "%c-log", axis);
    return request_switch(r, key, false, &out->log) && bins_range(r, axis, out->range);
}

/* False: it has been answered. */
static bool bins_read(request *r, bins_ask *ask) {
    bins_side x = {0}, y = {0};
    if (!bins_read_side(r, 'x', ask->x, &x) || !bins_read_side(r, 'y', ask->y, &y)) return false;
    if (!ask->x[0]) {
        reply_error(r, 422, "invalid", "x: expected the name of a column or measure");
        return false;
    }
    static const char *const of_y[] = {"y-bins", "y-log", "y-low", "y-high"};
    for (unsigned i = 0; !ask->y[0] && i < 4; i++) {
        if (!request_value(r, of_y[i])) continue;
        reply_error(r, 422, "invalid", "%s requires y, the name of a column or measure", of_y[i]);
        return false;
    }
    lode_histogram_options *o = &ask->options;
    *o = (lode_histogram_options){.size = sizeof *o, .x = ask->x, .x_log = x.log, .y_log = y.log};
    o->y = ask->y[0] ? ask->y : NULL;
    o->x_bins = (uint32_t)x.bins;
    o->y_bins = o->y ? (uint32_t)y.bins : 0;
    o->x_low = x.range[0], o->x_high = x.range[1];
    o->y_low = y.range[0], o->y_high = y.range[1];
    return true;
}

static void bins_key(question *q) {
    const bins_ask *ask = q->more;
    const lode_histogram_options *o = &ask->options;
    (void)question_key(q, "bins\n%s\n%u %d %a %a\n%s\n%u %d %a %a\n%s", ask->x, o->x_bins, o->x_log,
                       o->x_low, o->x_high, ask->y, o->y_bins, o->y_log, o->y_low, o->y_high,
                       q->query->filter);
}

void route_histogram(server *s, request *r) {
    result_job job;
    if (!result_of_request(s, r, &job)) return;
    bins_ask *ask = calloc(1, sizeof *ask);
    if (!ask) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return;
    }
    query *filter = bins_read(r, ask) ? query_of_request(r, false) : NULL;
    if (!filter) {
        free(ask);
        return;
    }
    question *q = question_new(job.id, bins_work, filter, ask);
    if (q) bins_key(q);
    asked_reply(stores_asked(s->stores), q, r);
}
