/* columns.c - the columns of a result, with the range of their values
 *
 * The range of a stored column takes passes over that column. Measures that are computed take as
 * long as there are measures, so that of a long result only those are looked at that the request
 * names (of=NAME); for the others the range is null.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/stores_ask.h"
#include "results/stores_jobs.h"
#include "results/stores_routes.h"

#define COLUMNS_QUICK 20000 /* rows up to which every measure is looked at */
#define COLUMNS_NAMED 16    /* names in a request, at most */

/* Whether the column that a question by this name looks at holds whole numbers: the measure count,
 * which would be computed, is looked up in the column both. */
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

/* `names`: one a line, each with a line end. */
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
    text_printf(out, "{\"rows\":%llu,\"columns\":[", (unsigned long long)h->info.rows);
    for (uint32_t i = 0; status == LODE_OK && lode_store_column(h->store, i, &c); i++) {
        if (i > 0) text_char(out, ',');
        status = column_write(q, h, &c, out);
    }
    text_put(out, "]}");
    return status;
}

/* The names of a request, one a line, from malloc. False: it has been answered. */
static bool columns_named(request *r, char **out) {
    const char *names[COLUMNS_NAMED];
    size_t n = request_values(r, "of", names, COLUMNS_NAMED);
    text joined = TEXT_INIT;
    *out = NULL;
    if (n > COLUMNS_NAMED) {
        reply_error(r, 422, "invalid", "of: at most %d of them", COLUMNS_NAMED);
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
    reply_error(r, 503, "unavailable", "the server has no memory for this question");
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
