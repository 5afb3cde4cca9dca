/* histogram.c - how the rows that a filter finds lie along one column or two
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stores_ask.h"
#include "results/stores_jobs.h"
#include "results/stores_routes.h"

#define BINS_MOST 256 /* along one axis */
#define BINS_NAME 100 /* bytes of the name of a column */

/* What a request asks for; the names of the options are those below. */
typedef struct bins_ask {
    lode_histogram_options options;
    char x[BINS_NAME + 1], y[BINS_NAME + 1]; /* y "": one axis */
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

/* A number of the query; `there`: whether it is there. False: it has been answered. */
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

/* Both ends of a range or none. False: it has been answered. */
static bool bins_range(request *r, char axis, double range[2]) {
    char low[8], high[8];
    bool has_low, has_high;
    snprintf(low, sizeof low, "%c-low", axis);
    snprintf(high, sizeof high, "%c-high", axis);
    if (!bins_number(r, low, &range[0], &has_low)) return false;
    if (!bins_number(r, high, &range[1], &has_high)) return false;
    if (has_low == has_high && (!has_low || range[0] < range[1])) return true;
    reply_error(r, 422, "invalid", "%s and %s go together, and the first is the lower", low, high);
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
        reply_error(r, 422, "invalid", "%s goes with y, the name of a column or measure", of_y[i]);
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
        reply_error(r, 503, "unavailable", "the server has no memory for this question");
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
