/* worker_questions.c - short requests about baskets: preview, baskets, pairs
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#define ROWS_MOST    1000
#define LISTED_MOST  1000 /* items of a basket that are listed; "size" says how many it has */
#define PAIRS_MOST   60
#define CANCEL_EVERY 4096 /* transactions between two looks at whether it goes on */

/* ---- baskets -------------------------------------------------------------------------------- */

static void questions_add_basket(worker_text *json, const lode_dataset *data,
                                 const lode_basket *b) {
    worker_addf(json, "{\"number\":%llu,\"id\":", (unsigned long long)b->number + 1);
    if (b->id) {
        worker_add_text(json, b->id, b->id_bytes);
    } else {
        worker_addf(json, "null");
    }
    worker_addf(json, ",\"size\":%zu", b->n_items);
    if (b->weight != 1) worker_addf(json, ",\"weight\":%llu", (unsigned long long)b->weight);
    worker_addf(json, ",\"items\":");
    worker_add_items(json, data, b->items, b->n_items < LISTED_MOST ? b->n_items : LISTED_MOST);
    worker_addf(json, "}");
}

/* The first baskets that match, as a list. */
typedef struct basket_list {
    worker_text *json;
    uint64_t n, most;
} basket_list;

static int questions_list_basket(void *user, const lode_basket *basket) {
    basket_list *l = user;
    if (l->n < l->most && !worker_is_full(l->json)) {
        if (l->n > 0) worker_addf(l->json, ",");
        questions_add_basket(l->json, worker_open_data.data, basket);
    }
    l->n++;
    return l->json->lost ? -1 : 0;
}

static lode_status questions_need_baskets(worker_call *c) {
    if (worker_open_data.data) return LODE_OK;
    return worker_refuse(c, LODE_INVALID, "%s: the data are graphs, not baskets", c->verb->name);
}

/* with=, without= and any= are options of the library; the limit is ours, as all are counted. */
static lode_status questions_set_groups(worker_call *c, lode_options *o) {
    lode_status status = LODE_OK;
    for (size_t i = 0; status == LODE_OK && i < c->request.n_values; i++) {
        const worker_value *v = &c->request.values[i];
        if (strcmp(v->name, "limit") == 0) continue;
        status = worker_set_option(c, LODE_OPTION_SELECT, v->name, v->text, o);
    }
    return status;
}

static lode_status questions_select(worker_call *c, lode_options *o, basket_list *list) {
    lode_job *job = NULL;
    lode_status status = worker_job_start(c, o, 1, &job);
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, job);
    status = lode_dataset_select(job, worker_open_data.data, lode_options_select(o),
                                 questions_list_basket, list, NULL);
    if (status != LODE_OK) worker_failed(c, job, status);
    worker_job_end(c, job);
    return status;
}

lode_status worker_baskets(worker_call *c, worker_text *json) {
    worker_text rows = {0};
    basket_list list = {.json = &rows, .most = 50};
    lode_options *o = NULL;
    lode_status status = questions_need_baskets(c);
    if (status != LODE_OK) return status;
    if (!worker_request_number(&c->request, (worker_range){"limit", 0, ROWS_MOST}, &list.most,
                               c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    status = lode_options_create(&o);
    if (status == LODE_OK) status = questions_set_groups(c, o);
    if (status == LODE_OK) status = questions_select(c, o, &list);
    if (status == LODE_OK) {
        worker_addf(json, "{\"count\":%llu,\"baskets\":[", (unsigned long long)list.n);
        worker_add(json, rows.bytes, rows.n);
        worker_addf(json, "]}");
        json->lost |= rows.lost;
    }
    worker_text_free(&rows);
    lode_options_free(o);
    return status;
}

/* ---- preview -------------------------------------------------------------------------------- */

/* Whether the names of columns come from the file: those without a header are numbers. */
static bool questions_has_header(const lode_profile *p) {
    if (lode_options_read(worker_open_data.options)->header) return true;
    bool numbered = p->columns[strspn(p->columns, "0123456789, ")] == 0;
    return p->format == LODE_FORMAT_ONEHOT || (p->columns[0] && !numbered);
}

/* Of all items of the file, how many have names that are not UTF-8 and are taken for Latin-1. */
static uint64_t questions_count_latin1(const lode_dataset *data) {
    uint64_t n = 0;
    char few[256], *name = few;
    size_t room = sizeof few;
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        uint32_t item = lode_dataset_item_at(data, i);
        size_t bytes = lode_dataset_item_name(data, item, name, room);
        if (bytes > room) {
            char *wider = malloc(bytes);
            if (!wider) break;
            if (name != few) free(name);
            name = wider;
            room = bytes;
            lode_dataset_item_name(data, item, name, room);
        }
        n += !lode_text_is_utf8(name, bytes);
    }
    if (name != few) free(name);
    return n;
}

static void questions_add_recognised(worker_text *json, const lode_profile *p) {
    bool tab = p->separator == '\t';
    worker_addf(json, "\"recognised\":{\"format\":");
    worker_add_word(json, cli_format_name(p->format));
    worker_addf(json, ",\"separator\":");
    worker_add_text(json, tab ? "tab" : &p->separator, tab ? 3 : p->separator ? 1 : 0);
    worker_addf(json, ",\"header\":%s", questions_has_header(p) ? "true" : "false");
    worker_addf(json, ",\"columns\":");
    worker_add_word(json, p->columns);
    if (p->sheet[0]) {
        worker_addf(json, ",\"sheet\":");
        worker_add_word(json, p->sheet);
    }
    worker_addf(json, ",\"latin1\":%llu}",
                (unsigned long long)questions_count_latin1(worker_open_data.read));
}

/* Transaction t as a basket; *items and *id are room for it, which grows. */
typedef struct basket_room {
    uint32_t *items;
    char *id;
    size_t n_id;
} basket_room;

static void questions_preview_row(worker_text *json, uint64_t t, basket_room *room, uint32_t most) {
    const lode_dataset *data = worker_open_data.data;
    lode_basket b = {.size = sizeof b, .number = t, .items = room->items};
    b.n_items = lode_dataset_transaction(data, t, room->items, most);
    b.weight = lode_dataset_transaction_weight(data, t);
    b.id_bytes = lode_dataset_transaction_id(data, t, room->id, room->n_id);
    if (b.id_bytes > room->n_id) {
        char *wider = realloc(room->id, b.id_bytes);
        json->lost |= !wider;
        if (!wider) return;
        room->id = wider;
        room->n_id = b.id_bytes;
        lode_dataset_transaction_id(data, t, room->id, room->n_id);
    }
    b.id = b.id_bytes > 0 ? room->id : NULL;
    questions_add_basket(json, data, &b);
}

static void questions_preview_baskets(worker_text *json, uint64_t rows) {
    lode_profile p = cli_profile(worker_open_data.data);
    lode_profile as_read = cli_profile(worker_open_data.read);
    basket_room room = {.items = calloc((size_t)p.longest + 1, sizeof *room.items)};
    json->lost |= !room.items;
    worker_addf(json, "{\"kind\":\"baskets\",");
    questions_add_recognised(json, &as_read);
    worker_addf(json, ",\"baskets\":[");
    for (uint64_t t = 0; t < rows && t < p.n_transactions && !worker_is_full(json); t++) {
        if (t > 0) worker_addf(json, ",");
        questions_preview_row(json, t, &room, p.longest);
    }
    free(room.items);
    free(room.id);
}

static void questions_preview_graphs(worker_text *json, uint64_t rows) {
    uint64_t n = cli_graph_profile(worker_open_data.graphs).n_graphs;
    worker_addf(json, "{\"kind\":\"graphs\",\"graphs\":[");
    for (uint64_t i = 0; i < rows && i < n && !worker_is_full(json); i++) {
        if (i > 0) worker_addf(json, ",");
        worker_add_graph(json, worker_open_data.graphs, i);
        worker_addf(json, "}");
    }
}

lode_status worker_preview(worker_call *c, worker_text *json) {
    uint64_t rows = 20;
    if (!worker_request_number(&c->request, (worker_range){"rows", 0, ROWS_MOST}, &rows, c->message,
                               sizeof c->message)) {
        return LODE_INVALID;
    }
    if (worker_open_data.graphs) {
        questions_preview_graphs(json, rows);
    } else {
        questions_preview_baskets(json, rows);
    }
    worker_addf(json, "],\"warnings\":[");
    worker_add(json, worker_open_data.logs.bytes, worker_open_data.logs.n);
    worker_addf(json, "]}");
    return LODE_OK;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* The most frequent items, their places by item, and how often each pair comes together. */
typedef struct pair_table {
    worker_top top;
    uint64_t counts[PAIRS_MOST];
    uint32_t items[PAIRS_MOST];
    uint32_t sorted[PAIRS_MOST];
    uint8_t place[PAIRS_MOST]; /* of sorted[i] in items */
    uint64_t both[PAIRS_MOST][PAIRS_MOST];
} pair_table;

static int pairs_by_item(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static void pairs_choose(pair_table *t, size_t most) {
    t->top = (worker_top){.counts = t->counts, .items = t->items, .most = most};
    worker_top_items(worker_open_data.data, &t->top);
    memcpy(t->sorted, t->items, t->top.n * sizeof *t->items);
    qsort(t->sorted, t->top.n, sizeof *t->sorted, pairs_by_item);
    for (size_t i = 0; i < t->top.n; i++) {
        for (size_t k = 0; k < t->top.n; k++) {
            if (t->items[k] == t->sorted[i]) t->place[i] = (uint8_t)k;
        }
    }
}

/* Both lists ascend, so one pass over them finds what they share. */
static void pairs_count_basket(pair_table *t, const uint32_t *items, uint32_t n, uint64_t weight) {
    uint8_t found[PAIRS_MOST];
    size_t n_found = 0, k = 0;
    for (uint32_t i = 0; i < n && k < t->top.n; i++) {
        while (k < t->top.n && t->sorted[k] < items[i]) k++;
        if (k < t->top.n && t->sorted[k] == items[i]) found[n_found++] = t->place[k];
    }
    for (size_t a = 0; a < n_found; a++) {
        for (size_t b = 0; b < n_found; b++) t->both[found[a]][found[b]] += weight;
    }
}

static lode_status pairs_count(worker_call *c, pair_table *t) {
    const lode_dataset *data = worker_open_data.data;
    lode_profile p = cli_profile(data);
    uint32_t *items = calloc((size_t)p.longest + 1, sizeof *items);
    lode_status status = items ? LODE_OK : LODE_NOMEM;
    for (uint64_t i = 0; status == LODE_OK && i < p.n_transactions; i++) {
        uint32_t n = lode_dataset_transaction(data, i, items, p.longest);
        pairs_count_basket(t, items, n, lode_dataset_transaction_weight(data, i));
        if (i % CANCEL_EVERY == 0 && worker_lanes_cancelled(c)) status = LODE_CANCELLED;
    }
    free(items);
    return status;
}

static void pairs_answer(const pair_table *t, worker_text *json) {
    const lode_dataset *data = worker_open_data.data;
    worker_addf(json, "{\"total\":%llu,\"items\":[",
                (unsigned long long)lode_dataset_total_weight(data));
    for (size_t i = 0; i < t->top.n; i++) {
        worker_addf(json, "%s{\"name\":", i ? "," : "");
        worker_add_item(json, data, t->items[i]);
        worker_addf(json, ",\"count\":%llu}", (unsigned long long)t->counts[i]);
    }
    worker_addf(json, "],\"counts\":[");
    for (size_t i = 0; i < t->top.n; i++) {
        worker_addf(json, "%s[", i ? "," : "");
        for (size_t k = 0; k < t->top.n; k++) {
            worker_addf(json, "%s%llu", k ? "," : "", (unsigned long long)t->both[i][k]);
        }
        worker_addf(json, "]");
    }
    worker_addf(json, "]}");
}

lode_status worker_pairs(worker_call *c, worker_text *json) {
    uint64_t items = 25;
    lode_status status = questions_need_baskets(c);
    if (status != LODE_OK) return status;
    if (!worker_request_number(&c->request, (worker_range){"items", 1, PAIRS_MOST}, &items,
                               c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    pair_table *t = calloc(1, sizeof *t);
    if (!t) return LODE_NOMEM;
    pairs_choose(t, items);
    status = pairs_count(c, t);
    if (status == LODE_OK) pairs_answer(t, json);
    free(t);
    return status;
}
