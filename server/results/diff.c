/* diff.c - compares two results: which patterns only one has, and which have other counts
 *
 * What:   a task pairs the rows of the two results and sorts them into parts (below). The row
 *         numbers of all parts are one fact, so that the pages of one comparison share it. Then a
 *         second task writes the rows of the page.
 * Parts:  only       patterns that the other result lacks, although they meet its thresholds
 *         excluded   patterns that the other search could not find: they miss its thresholds
 *         other-only, other-excluded: the same for patterns that only the other result has
 *         changed, same: patterns of both results, with different or with equal counts
 * Honest: a threshold of the other search excludes a pattern only if both searches read the same
 *         data. Otherwise the pattern may have other counts there, and nothing is excluded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/jobs_live.h"
#include "results/patterns_write.h"
#include "results/stores_ask.h"
#include "results/stores_routes.h"
#include "storage/database.h"
#include "system/tasks.h"

#define DIFF_MOST    10000000 /* rows of both results together */
#define DIFF_SECONDS 60       /* time limit: comparing millions of patterns takes several passes */
#define DIFF_RANKED  100000   /* changed rows that are sorted by how much they changed */
#define DIFF_PAGE    1000
#define DIFF_USUAL   100

enum {
    DIFF_ONLY,
    DIFF_EXCLUDED,
    DIFF_OTHER_ONLY,
    DIFF_OTHER_EXCLUDED,
    DIFF_CHANGED,
    DIFF_SAME,
    DIFF_PARTS
};
static const char *const diff_parts[DIFF_PARTS] = {"only",           "excluded", "other-only",
                                                   "other-excluded", "changed",  "same"};

#define DIFF_NONE UINT32_MAX

/* A pattern: its row here and its row there, or DIFF_NONE. */
typedef struct diff_pair {
    uint32_t here, there;
} diff_pair;

/* The fact: this head, then the pairs of all parts, one part after the other. */
typedef struct diff_head {
    uint64_t parts[DIFF_PARTS];
    uint64_t rows[2], total[2], min_count[2];
} diff_head;

/* What a query needs beside the first store. One block: the texts follow it. */
typedef struct diff_more {
    server *server;
    uint64_t other;
    bool same_data;
    /* the thresholds of this search and of the other, as bounds without the support */
    const char *minima[2], *maxima[2];
    const char *sort;
} diff_more;

/* ---- sorting the rows into parts, on a task thread ------------------------------------------- */

typedef struct diff_run {
    const diff_more *more;
    store_handle *h[2];
    uint32_t *partner[2]; /* by row: the row of the same pattern in the other result */
    bool *equal;          /* by row of h[0] */
    bool *excluded[2];    /* by row */
    uint64_t *order;      /* the rows of one result, sorted */
    size_t n_order;
    text *out;
    store_failure *why;
} diff_run;

static lode_status diff_fail(store_failure *why, lode_status status, const char *words) {
    why->status = status;
    snprintf(why->message, sizeof why->message, "%s", words);
    return status;
}

static void *diff_array(uint64_t n, size_t bytes) {
    return calloc((size_t)n + 1, bytes);
}

/* The other direction of the pairs follows from the first one. */
static lode_status diff_pair_rows(diff_run *d) {
    const uint64_t n = d->h[0]->info.rows, n_other = d->h[1]->info.rows;
    uint64_t *partners = diff_array(n, sizeof *partners);
    d->equal = diff_array(n, sizeof *d->equal);
    d->partner[0] = diff_array(n, sizeof *d->partner[0]);
    d->partner[1] = diff_array(n_other, sizeof *d->partner[1]);
    bool room = partners && d->equal && d->partner[0] && d->partner[1];
    lode_status status = room ? LODE_OK : LODE_NOMEM;
    if (room) status = lode_store_pair(d->h[0]->store, d->h[1]->store, partners, d->equal);
    if (status == LODE_OK) memset(d->partner[1], 0xff, n_other * sizeof *d->partner[1]);
    for (uint64_t i = 0; status == LODE_OK && i < n; i++) {
        d->partner[0][i] = partners[i] == UINT64_MAX ? DIFF_NONE : (uint32_t)partners[i];
        if (partners[i] != UINT64_MAX) d->partner[1][partners[i]] = (uint32_t)i;
    }
    free(partners);
    return status;
}

/* Adds those bounds, one per line, whose column a result has. */
static void diff_add_known(const store_handle *h, const char *bounds, text *out) {
    char name[128];
    uint32_t at;
    while (*bounds) {
        const size_t n = strcspn(bounds, "\n"), name_bytes = strcspn(bounds, "=\n");
        snprintf(name, sizeof name, "%.*s", (int)name_bytes, bounds);
        if (lode_store_column_find(h->store, name, &at)) {
            if (out->length) text_char(out, '\n');
            text_add(out, bounds, n);
        }
        bounds += n + (bounds[n] == '\n');
    }
}

/* Marks the rows of a result that miss the thresholds of the other one. */
static lode_status diff_exclude(diff_run *d, unsigned side) {
    const lode_store_info *other = &d->h[1 - side]->info;
    const uint64_t n = d->h[side]->info.rows;
    text minima = TEXT_INIT, maxima = TEXT_INIT;
    size_t found = 0;
    d->excluded[side] = diff_array(n, sizeof *d->excluded[side]);
    uint64_t *fitting = diff_array(n, sizeof *fitting);
    diff_add_known(d->h[side], d->more->minima[1 - side], &minima);
    diff_add_known(d->h[side], d->more->maxima[1 - side], &maxima);
    text_printf(&minima, "%scount=%llu", minima.length ? "\n" : "",
                (unsigned long long)other->min_count);
    const lode_query_options o = {.size = sizeof o,
                                  .minima = minima.data,
                                  .maxima = maxima.data,
                                  .min_size = other->min_size,
                                  .max_size = other->max_size};
    bool room = d->excluded[side] && fitting && !minima.failed && !maxima.failed;
    lode_status status =
        room ? lode_store_rows(d->h[side]->store, &o, 0, fitting, (size_t)n, &found) : LODE_NOMEM;
    if (status == LODE_OK) memset(d->excluded[side], true, n * sizeof *d->excluded[side]);
    for (size_t i = 0; i < found; i++) d->excluded[side][fitting[i]] = false;
    text_free(&minima);
    text_free(&maxima);
    free(fitting);
    return status;
}

/* The rows of a result in the order of the request. */
static lode_status diff_sort(diff_run *d, unsigned side) {
    const lode_query_options o = {.size = sizeof o, .sort_by = d->more->sort};
    const uint64_t n = d->h[side]->info.rows;
    free(d->order);
    d->order = diff_array(n, sizeof *d->order);
    if (!d->order) return LODE_NOMEM;
    return lode_store_rows(d->h[side]->store, &o, 0, d->order, (size_t)n, &d->n_order);
}

static unsigned diff_part_of(const diff_run *d, unsigned side, uint64_t row) {
    uint32_t partner = d->partner[side][row];
    if (partner != DIFF_NONE) return side ? DIFF_PARTS : d->equal[row] ? DIFF_SAME : DIFF_CHANGED;
    return side * 2 + (d->more->same_data && d->excluded[side][row]);
}

typedef struct diff_change {
    double by;
    size_t at; /* place before sorting: equal changes keep their order */
    diff_pair pair;
} diff_change;

static int diff_compare(const void *a, const void *b) {
    const diff_change *x = a, *y = b;
    if (x->by != y->by) return x->by < y->by ? 1 : -1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Puts the patterns that changed most first. */
static lode_status diff_rank(const diff_run *d, diff_pair *pairs, size_t n) {
    uint32_t columns[2];
    if (n == 0 || n > DIFF_RANKED) return LODE_OK;
    lode_status status = LODE_OK;
    diff_change *changes = malloc(n * sizeof *changes);
    if (!changes) return LODE_NOMEM;
    for (unsigned k = 0; k < 2; k++) {
        (void)lode_store_column_find(d->h[k]->store, d->more->sort, &columns[k]);
    }
    for (size_t i = 0; status == LODE_OK && i < n; i++) {
        double here = 0, there = 0;
        status = lode_store_value(d->h[0]->store, pairs[i].here, columns[0], &here);
        if (status == LODE_OK) {
            status = lode_store_value(d->h[1]->store, pairs[i].there, columns[1], &there);
        }
        double by = fabs(there - here);
        changes[i] = (diff_change){isnan(by) ? -1 : by, i, pairs[i]};
    }
    if (status == LODE_OK) qsort(changes, n, sizeof *changes, diff_compare);
    for (size_t i = 0; status == LODE_OK && i < n; i++) pairs[i] = changes[i].pair;
    free(changes);
    return status;
}

static void diff_count(const diff_run *d, diff_head *head) {
    *head = (diff_head){0};
    for (unsigned side = 0; side < 2; side++) {
        const lode_store_info *info = &d->h[side]->info;
        head->rows[side] = info->rows;
        head->total[side] = info->total;
        head->min_count[side] = info->min_count;
        for (uint64_t i = 0; i < info->rows; i++) {
            unsigned part = diff_part_of(d, side, i);
            if (part < DIFF_PARTS) head->parts[part]++;
        }
    }
}

/* Writes the fact. */
static lode_status diff_sort_parts(diff_run *d) {
    diff_head head;
    size_t next[DIFF_PARTS], n = 0;
    lode_status status = LODE_OK;
    diff_count(d, &head);
    for (unsigned k = 0; k < DIFF_PARTS; k++) {
        next[k] = n;
        n += head.parts[k];
    }
    const size_t changed = next[DIFF_CHANGED];
    diff_pair *pairs = diff_array(n, sizeof *pairs);
    if (!pairs) return LODE_NOMEM;
    for (unsigned side = 0; status == LODE_OK && side < 2; side++) {
        status = diff_sort(d, side);
        for (size_t i = 0; status == LODE_OK && i < d->n_order; i++) {
            const uint32_t row = (uint32_t)d->order[i], partner = d->partner[side][row];
            const unsigned part = diff_part_of(d, side, row);
            if (part == DIFF_PARTS) continue;
            pairs[next[part]++] = side ? (diff_pair){DIFF_NONE, row} : (diff_pair){row, partner};
        }
    }
    if (status == LODE_OK) status = diff_rank(d, pairs + changed, head.parts[DIFF_CHANGED]);
    text_add(d->out, (const char *)&head, sizeof head);
    text_add(d->out, (const char *)pairs, n * sizeof *pairs);
    free(pairs);
    return status;
}

static lode_status diff_check(diff_run *d) {
    char words[256];
    if (d->h[0]->info.rows + d->h[1]->info.rows > DIFF_MOST) {
        snprintf(words, sizeof words,
                 "these results have more than %d patterns together, which is too many to compare; "
                 "mine with higher thresholds",
                 DIFF_MOST);
        return diff_fail(d->why, LODE_INVALID, words);
    }
    for (unsigned k = 0; k < 2; k++) {
        lode_column c = LODE_INIT(lode_column);
        uint32_t at;
        bool there = lode_store_column_find(d->h[k]->store, d->more->sort, &at) &&
                     lode_store_column(d->h[k]->store, at, &c) &&
                     (c.type == LODE_COLUMN_COUNT || c.type == LODE_COLUMN_REAL);
        if (there) continue;
        snprintf(words, sizeof words, "sort: %s result has no numeric column '%.100s'",
                 k ? "the other" : "this", d->more->sort);
        return diff_fail(d->why, LODE_INVALID, words);
    }
    return LODE_OK;
}

static lode_status diff_run_all(diff_run *d) {
    lode_status status = diff_check(d);
    if (status == LODE_OK) status = diff_pair_rows(d);
    for (unsigned k = 0; k < 2 && status == LODE_OK && d->more->same_data; k++) {
        status = diff_exclude(d, k);
    }
    if (status == LODE_OK) status = diff_sort_parts(d);
    for (unsigned k = 0; k < 2; k++) {
        free(d->partner[k]);
        free(d->excluded[k]);
    }
    free(d->equal);
    free(d->order);
    return status;
}

static lode_status diff_work(const question *q, store_handle *h, text *out, store_failure *why) {
    const diff_more *more = q->more;
    diff_run d = {.more = more, .h = {h, NULL}, .out = out, .why = why};
    d.h[1] = stores_take(more->server->stores, more->other, why);
    if (!d.h[1]) return why->status;
    lode_status status = diff_run_all(&d);
    if (status == LODE_NOMEM && why->status == LODE_OK) {
        (void)diff_fail(why, status, "the server has too little memory to compare these results");
    }
    store_failure other = {.status = LODE_OK};
    bool failed_there = status != LODE_OK && lode_job_error(d.h[1]->job)[0] != 0;
    lode_status settled = stores_settle(d.h[1], failed_there ? status : LODE_OK, &other);
    if (settled != LODE_OK && why->status == LODE_OK) *why = other;
    if (settled != LODE_OK) status = settled;
    stores_give(more->server->stores, d.h[1]);
    return status;
}

/* ---- the page of one part -------------------------------------------------------------------- */

typedef struct diff_ask {
    server *server;
    request *request;
    uint64_t job, other, skip;
    size_t want, n;
    unsigned part;
    bool same_data;
    char *measures;
    diff_head head;
    diff_pair pairs[DIFF_PAGE];
    text out;
    store_failure why;
} diff_ask;

static void diff_free(diff_ask *a) {
    free(a->measures);
    text_free(&a->out);
    free(a);
}

static void diff_write_head(diff_ask *a) {
    static const char *const names[] = {"rows", "total", "min_count"};
    const uint64_t *values[] = {a->head.rows, a->head.total, a->head.min_count};
    text_printf(&a->out, "{\"same_data\":%s", a->same_data ? "true" : "false");
    for (unsigned k = 0; k < 3; k++) {
        text_printf(&a->out, ",\"%s\":%llu,\"other_%s\":%llu", names[k],
                    (unsigned long long)values[k][0], names[k], (unsigned long long)values[k][1]);
    }
    text_put(&a->out, ",\"parts\":{");
    for (unsigned k = 0; k < DIFF_PARTS; k++) {
        text_printf(&a->out, "%s\"%s\":%llu", k ? "," : "", diff_parts[k],
                    (unsigned long long)a->head.parts[k]);
    }
    text_printf(&a->out, "},\"part\":\"%s\",\"skip\":%llu,\"patterns\":[", diff_parts[a->part],
                (unsigned long long)a->skip);
}

static lode_status diff_write_row(row_writer *w, uint32_t row) {
    if (row != DIFF_NONE) return row_write(w, row);
    text_put(w->out, "null");
    return LODE_OK;
}

static lode_status diff_write(diff_ask *a, store_handle *h, store_handle *other) {
    row_writer here, there = {0};
    uint32_t n_items;
    lode_status status = row_writer_init(&here, h, &a->out, a->measures, &a->why);
    if (status == LODE_OK) status = row_writer_init(&there, other, &a->out, a->measures, &a->why);
    if (status == LODE_OK) status = lode_store_items(h->store, &n_items);
    if (status == LODE_OK) status = lode_store_items(other->store, &n_items);
    diff_write_head(a);
    for (size_t i = 0; status == LODE_OK && i < a->n; i++) {
        text_put(&a->out, i ? ",{\"here\":" : "{\"here\":");
        status = diff_write_row(&here, a->pairs[i].here);
        text_put(&a->out, ",\"there\":");
        if (status == LODE_OK) status = diff_write_row(&there, a->pairs[i].there);
        text_char(&a->out, '}');
    }
    text_put(&a->out, "]}");
    row_writer_clear(&here);
    row_writer_clear(&there);
    return status;
}

static void diff_page_work(void *arg) {
    diff_ask *a = arg;
    stores *p = a->server->stores;
    store_handle *h = stores_take(p, a->job, &a->why), *other = NULL;
    if (h) other = stores_take(p, a->other, &a->why);
    if (other) {
        lode_status status = diff_write(a, h, other);
        (void)stores_settle(other, LODE_OK, &a->why);
        (void)stores_settle(h, status, &a->why);
        stores_give(p, other);
    }
    if (h) stores_give(p, h);
}

static void diff_page_done(void *arg) {
    static const store_failure no_memory = {LODE_NOMEM, "the server is out of memory"};
    diff_ask *a = arg;
    if (a->why.status != LODE_OK) {
        stores_reply_failure(a->request, &a->why);
    } else if (a->out.failed) {
        stores_reply_failure(a->request, &no_memory);
    } else {
        reply_text(a->request, 200, a->out.data, a->out.length);
    }
    diff_free(a);
}

/* The rows are in parts: takes those of the page. */
static void diff_got(void *user, const fact *held, const store_failure *why) {
    static const store_failure busy = {LODE_CANCELLED, "the server is busy; try again in a moment"};
    diff_ask *a = user;
    if (!held) {
        stores_reply_failure(a->request, why);
        diff_free(a);
        return;
    }
    memcpy(&a->head, held->data, sizeof a->head);
    uint64_t before = a->skip, n = a->head.parts[a->part];
    for (unsigned k = 0; k < a->part; k++) before += a->head.parts[k];
    a->n = a->skip >= n ? 0 : n - a->skip < a->want ? (size_t)(n - a->skip) : a->want;
    if (a->n > 0) {
        memcpy(a->pairs, (const char *)held->data + sizeof a->head + before * sizeof *a->pairs,
               a->n * sizeof *a->pairs);
    }
    if (tasks_add_for(a->server->tasks, request_client(a->request), diff_page_work, diff_page_done,
                      a)) {
        return;
    }
    a->why = busy;
    diff_page_done(a);
}

/* ---- the request ----------------------------------------------------------------------------- */

/* What the database says of a job. */
typedef struct diff_job {
    result_job result;
    worker_source source;
    json_t *options;
} diff_job;

static void diff_job_clear(diff_job *j) {
    worker_source_clear(&j->source);
    json_decref(j->options);
}

/* False: it has been answered. */
static bool diff_job_read(server *s, request *r, unsigned number, diff_job *out) {
    if (!result_of_number(s, r, number, &out->result)) return false;
    const db_step step = job_row_source(s, out->result.id, &out->source);
    if (step != DB_ROW) {
        job_reply_missing(r, out->result.id, step);
        return false;
    }
    out->options = job_row_options(s, out->result.id);
    if (out->options) return true;
    reply_error(r, 503, "unavailable", "the server is out of memory");
    return false;
}

/* Whether both searches counted in the same data. Older results have no fingerprint. */
static bool diff_same_data(const diff_job *a, const diff_job *b) {
    const worker_source *x = &a->source, *y = &b->source;
    if (json_object_get(a->options, "holdout") || json_object_get(b->options, "holdout")) {
        return false;
    }
    if (x->fingerprint && y->fingerprint) return strcmp(x->fingerprint, y->fingerprint) == 0;
    return x->dataset == y->dataset && strcmp(x->read, y->read) == 0 &&
           strcmp(x->clean, y->clean) == 0;
}

/* Adds an option as bounds, one per line. */
static void diff_add_bound(text *out, const char *prefix, const json_t *value) {
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            diff_add_bound(out, prefix, json_array_get(value, i));
        }
        return;
    }
    if (!value) return;
    if (out->length) text_char(out, '\n');
    text_put(out, prefix);
    if (json_is_string(value)) {
        text_put(out, json_string_value(value));
    } else {
        text_printf(out, "%.17g", json_number_value(value));
    }
}

/* The thresholds of a search as bounds of columns. */
static void diff_bounds(const diff_job *j, text *minima, text *maxima) {
    diff_add_bound(minima, "", json_object_get(j->options, "min"));
    diff_add_bound(maxima, "", json_object_get(j->options, "max"));
    if (j->result.kind == RESULT_RULES) {
        diff_add_bound(minima, "confidence=", json_object_get(j->options, "min-confidence"));
    }
}

/* Copies texts into one block with the struct. */
static diff_more *diff_more_new(const text texts[4], const char *sort) {
    size_t bytes = sizeof(diff_more) + strlen(sort) + 1;
    for (unsigned k = 0; k < 4; k++) bytes += texts[k].length + 1;
    diff_more *more = calloc(1, bytes);
    if (!more) return NULL;
    const char **fields[] = {&more->minima[0], &more->maxima[0], &more->minima[1],
                             &more->maxima[1]};
    char *at = (char *)(more + 1);
    for (unsigned k = 0; k < 4; k++) {
        *fields[k] = at;
        memcpy(at, texts[k].data ? texts[k].data : "", texts[k].length);
        at += texts[k].length + 1;
    }
    memcpy(at, sort, strlen(sort) + 1);
    more->sort = at;
    return more;
}

/* NULL: out of memory. */
static question *diff_question(server *s, const diff_job two[2], const char *sort) {
    text texts[4] = {TEXT_INIT, TEXT_INIT, TEXT_INIT, TEXT_INIT};
    bool failed = false;
    for (unsigned k = 0; k < 2; k++) diff_bounds(&two[k], &texts[2 * k], &texts[2 * k + 1]);
    for (unsigned k = 0; k < 4; k++) failed |= texts[k].failed;
    diff_more *more = failed ? NULL : diff_more_new(texts, sort);
    for (unsigned k = 0; k < 4; k++) text_free(&texts[k]);
    if (!more) return NULL;
    more->server = s;
    more->other = two[1].result.id;
    more->same_data = diff_same_data(&two[0], &two[1]);
    question *q = question_new(two[0].result.id, diff_work, NULL, more);
    if (q) q->seconds = DIFF_SECONDS;
    if (q) (void)question_key(q, "diff %llu %s", (unsigned long long)more->other, sort);
    return q;
}

/* False: it has been answered. */
static bool diff_read_page(request *r, diff_ask *a) {
    const uint64_t skips[2] = {0, UINT32_MAX}, counts[2] = {0, DIFF_PAGE};
    const char *part = request_value(r, "part"), *measures = request_value(r, "measures");
    uint64_t want;
    while (part && a->part < DIFF_PARTS && strcmp(part, diff_parts[a->part]) != 0) a->part++;
    if (a->part == DIFF_PARTS) {
        reply_error(r, 422, "invalid",
                    "part: expected 'only', 'excluded', 'other-only', 'other-excluded', 'changed' "
                    "or 'same'");
        return false;
    }
    if (!request_count(r, "skip", skips, 0, &a->skip)) return false;
    if (!request_count(r, "rows", counts, DIFF_USUAL, &want)) return false;
    a->want = (size_t)want;
    a->measures = measures && *measures ? strdup(measures) : NULL;
    return true;
}

static bool diff_fit(request *r, const diff_job two[2]) {
    const result_job *a = &two[0].result, *b = &two[1].result;
    if (a->id == b->id) {
        reply_error(r, 422, "invalid", "a result cannot be compared with itself");
    } else if (a->kind != b->kind) {
        reply_error(r, 422, "invalid",
                    "job %llu has %s and job %llu has %s; only results of the same kind can be "
                    "compared",
                    (unsigned long long)a->id, result_kind_name(a->kind), (unsigned long long)b->id,
                    result_kind_name(b->kind));
    } else {
        return true;
    }
    return false;
}

static bool diff_sort_fits(request *r, const char *sort) {
    if (*sort && strlen(sort) <= 100 && !strpbrk(sort, "\n\r")) return true;
    reply_error(r, 422, "invalid", "sort: expected the name of a column or measure");
    return false;
}

void route_diff(server *s, request *r) {
    diff_job two[2] = {0};
    const char *sort = request_value(r, "sort");
    diff_ask *a = calloc(1, sizeof *a);
    if (!sort) sort = "support";
    if (!a) {
        reply_error(r, 503, "unavailable", "the server is out of memory");
        return;
    }
    bool ok = diff_job_read(s, r, 0, &two[0]) && diff_job_read(s, r, 1, &two[1]) &&
              diff_fit(r, two) && diff_sort_fits(r, sort) && diff_read_page(r, a);
    if (ok) {
        a->server = s;
        a->request = r;
        a->job = two[0].result.id;
        a->other = two[1].result.id;
        a->same_data = diff_same_data(&two[0], &two[1]);
        asked_ask(stores_asked(s->stores), diff_question(s, two, sort), r, diff_got, a);
    } else {
        diff_free(a);
    }
    diff_job_clear(&two[0]);
    diff_job_clear(&two[1]);
}
