/* mcp_calls.c - runs the tools of lode mcp with the verbs of the worker
 *
 * A tool that reads data first opens its file, unless the same file is open with the same options:
 * then a search with another threshold starts at once, with what an earlier one has prepared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain.h"
#include "mcp.h"

#define QUERY_MEMORY  "256M" /* for a query, in addition to the budget of the worker */
#define QUERY_SECONDS 10     /* for regular expressions */
#define ROWS_MOST     1000
#define FD_PATH_MOST  64
#define CANCEL_EVERY  4096 /* transactions between two looks at whether it goes on */

mcp_limits mcp_given;

/* The file that the worker has open; its descriptor stays open as long as its path is in use. */
static struct {
    bool open;
    int fd;
    struct stat file;
    worker_text reads; /* the options with which it was read */
} mcp_opened;

/* A file by the name that was asked for, and by the one that the library gets. */
typedef struct mcp_source {
    const char *name;
    char path[MCP_PATH_MOST];
} mcp_source;

static const char *value_of(const worker_call *c, const char *name) {
    return worker_request_get(&c->request, name);
}

/* Adds a value for one step of a call; mcp_take_arguments() has left room. */
static void add_value(worker_call *c, const char *name, const char *text) {
    if (text) c->request.values[c->request.n_values++] = (worker_value){name, text};
}

/* ---- the data set --------------------------------------------------------------------------- */

static bool is_same_version(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void add_read_options(const worker_call *c, worker_text *out) {
    for (size_t i = 0; i < c->request.n_values; i++) {
        const worker_value *v = &c->request.values[i];
        if (strncmp(v->name, "read.", 5) == 0) worker_addf(out, "%s=%s\n", v->name, v->text);
    }
    worker_add(out, "", 1);
}

static void forget_opened(void) {
    if (mcp_opened.open) close(mcp_opened.fd);
    worker_text_free(&mcp_opened.reads);
    mcp_opened.open = false;
}

static lode_status open_anew(worker_call *c, int fd, const char *file) {
    size_t n = c->request.n_values;
    char path[FD_PATH_MOST];
    worker_text unused = {0};
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    add_value(c, "path", path);
    add_value(c, "name", file);
    add_value(c, "threads", mcp_given.threads);
    add_value(c, "memory", mcp_given.memory);
    add_value(c, "device", mcp_given.device);
    add_value(c, "device-memory", mcp_given.device_memory);
    lode_status status = worker_open(c, &unused);
    c->request.n_values = n;
    worker_text_free(&unused);
    return status;
}

/* Opens the file of the call, unless it is open. */
static lode_status mcp_open_file(worker_call *c) {
    const char *file = value_of(c, "file");
    struct stat found;
    worker_text reads = {0};
    int fd = mcp_file_find(c, file, &found);
    if (fd < 0) return LODE_INVALID;
    add_read_options(c, &reads);
    if (mcp_opened.open && !reads.lost && is_same_version(&found, &mcp_opened.file) &&
        strcmp(reads.bytes, mcp_opened.reads.bytes) == 0) {
        close(fd);
        worker_text_free(&reads);
        return LODE_OK;
    }
    lode_status status = reads.lost ? LODE_NOMEM : open_anew(c, fd, file);
    bool has_data = worker_open_data.data || worker_open_data.graphs;
    if (status == LODE_OK || !has_data) forget_opened();
    if (status == LODE_OK) {
        mcp_opened.open = true;
        mcp_opened.fd = fd;
        mcp_opened.file = found;
        mcp_opened.reads = reads;
        return LODE_OK;
    }
    close(fd);
    worker_text_free(&reads);
    return status;
}

/* ---- describe and suggest ------------------------------------------------------------------- */

static lode_status mcp_describe(worker_call *c, worker_text *json) {
    const char *rows = value_of(c, "list.rows");
    add_value(c, "rows", rows ? rows : "5");
    worker_addf(json, "{\"profile\":");
    worker_add(json, worker_open_data.profile.bytes, worker_open_data.profile.n);
    worker_addf(json, ",\"preview\":");
    lode_status status = worker_preview(c, json);
    worker_addf(json, "}");
    return status;
}

/* ---- stored results ------------------------------------------------------------------------- */

/* A store and its job, which has a context of its own. */
typedef struct mcp_store {
    lode_options *options;
    lode_job *job;
    lode_store *store;
} mcp_store;

/* Keeps the message of a failed job, with the name of the file instead of its path. */
static lode_status store_failed(worker_call *c, const mcp_store *s, const mcp_source *from,
                                lode_status status) {
    worker_failed(c, s->job, status);
    char *words = worker_replace(c->message, from->path, from->name);
    if (words) snprintf(c->message, sizeof c->message, "%s", words);
    free(words);
    return status;
}

static lode_status store_open(worker_call *c, const mcp_source *from, mcp_store *s) {
    lode_status status = lode_options_create(&s->options);
    if (status == LODE_OK) status = worker_set_options(c, "o.", LODE_OPTION_QUERY, s->options);
    if (status == LODE_OK && mcp_given.threads) {
        status = worker_set_option(c, LODE_OPTION_JOB, "threads", mcp_given.threads, s->options);
    }
    if (status == LODE_OK) {
        status = worker_set_option(c, LODE_OPTION_JOB, "memory", QUERY_MEMORY, s->options);
    }
    if (status == LODE_OK) {
        status = worker_set_option(c, LODE_OPTION_QUERY, "write", "jsonl", s->options);
    }
    if (status == LODE_OK) {
        status = lode_job_create(&s->job, NULL, lode_options_job(s->options));
    }
    if (status != LODE_OK) return status;
    worker_lanes_publish(c, s->job);
    status = lode_store_open(s->job, &s->store, from->path);
    return status == LODE_OK ? status : store_failed(c, s, from, status);
}

static void store_close(worker_call *c, mcp_store *s) {
    lode_store_free(s->store);
    if (s->job) worker_job_end(c, s->job);
    lode_options_free(s->options);
}

/* Finds the file of `result`; *fd must be closed. */
static lode_status find_result(worker_call *c, mcp_source *from, int *fd) {
    struct stat file;
    from->name = value_of(c, "result");
    *fd = mcp_file_find(c, from->name, &file);
    if (*fd < 0) return LODE_INVALID;
    snprintf(from->path, sizeof from->path, "/proc/self/fd/%d", *fd);
    return LODE_OK;
}

/* Rows of a query, which get their numbers. */
typedef struct query_rows {
    worker_text *json;
    const uint64_t *numbers;
    size_t n, listed;
    bool begun; /* within a line */
} query_rows;

static int query_take(void *user, const char *text, size_t bytes) {
    query_rows *q = user;
    for (const char *end = text + bytes; text < end;) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t part = (size_t)((line_end ? line_end : end) - text);
        if (!q->begun && (q->listed == q->n || worker_is_full(q->json))) break; /* no more rows */
        if (!q->begun && part > 0) {
            worker_addf(q->json, "%s{\"row\":%llu,", q->listed ? "," : "",
                        (unsigned long long)q->numbers[q->listed]);
            q->begun = true;
            text++; /* the brace */
            part--;
        }
        worker_add(q->json, text, part);
        if (line_end) {
            q->listed += q->begun;
            q->begun = false;
        }
        text += part + (line_end != NULL);
    }
    return q->json->lost ? -1 : 0;
}

/* Writes the rows of a query, without the braces of the object. */
static lode_status query_list(const mcp_store *s, uint64_t rows, worker_text *json) {
    static const char *const kinds[] = {
        [LODE_ITEMSETS] = "itemsets", [LODE_RULES] = "rules", [LODE_GRAPHS] = "graphs"};
    lode_query_options query = *lode_options_query(s->options);
    lode_query_write_options how = *lode_options_query_write(s->options);
    lode_store_info info = LODE_INIT(lode_store_info);
    lode_page page = LODE_INIT(lode_page);
    uint64_t *numbers = calloc(rows, sizeof *numbers);
    query.match_seconds = QUERY_SECONDS;
    how.rows = rows;
    if (how.page == 0) how.page = 1;
    if (how.page > UINT32_MAX) how.page = UINT32_MAX; /* past the end as well */
    uint64_t skip = (how.page - 1) * rows;
    lode_status status =
        numbers ? lode_store_page(s->store, &query, skip, numbers, rows, &page) : LODE_NOMEM;
    query_rows q = {.json = json, .numbers = numbers, .n = page.n};
    lode_store_about(s->store, &info);
    worker_addf(json, "\"kind\":\"%s\",\"total\":%llu,\"stored\":%llu,\"found\":%llu,\"rows\":[",
                kinds[info.kind], (unsigned long long)info.total, (unsigned long long)info.rows,
                (unsigned long long)page.found);
    if (status == LODE_OK && page.n > 0) {
        status = lode_store_write_call(s->store, &query, query_take, &q, &how, NULL);
    }
    worker_addf(json, "]");
    free(numbers);
    return status;
}

static bool rows_wanted(worker_call *c, uint64_t *rows) {
    *rows = 20;
    return worker_request_number(&c->request, (worker_range){"list.rows", 1, ROWS_MOST}, rows,
                                 c->message, sizeof c->message);
}

static lode_status query_file(worker_call *c, const mcp_source *from, worker_text *json) {
    mcp_store s = {0};
    uint64_t rows;
    if (!rows_wanted(c, &rows)) return LODE_INVALID;
    lode_status status = store_open(c, from, &s);
    if (status == LODE_OK) {
        status = query_list(&s, rows, json);
        if (status != LODE_OK) store_failed(c, &s, from, status);
    }
    store_close(c, &s);
    return status;
}

static lode_status mcp_query(worker_call *c, worker_text *json) {
    mcp_source from;
    int fd;
    lode_status status = find_result(c, &from, &fd);
    if (status != LODE_OK) return status;
    worker_addf(json, "{");
    status = query_file(c, &from, json);
    worker_addf(json, "}");
    close(fd);
    return status;
}

/* ---- mining --------------------------------------------------------------------------------- */

static lode_status mine_to_answer(worker_call *c, worker_text *json) {
    const char *rows = value_of(c, "list.rows");
    add_value(c, "rows", rows ? rows : "20");
    return worker_mine(c, json);
}

/* Stores the result, and answers with its first rows. */
static lode_status mine_to_file(worker_call *c, const char *name, worker_text *json) {
    mcp_source to = {.name = name};
    uint64_t unused;
    if (!rows_wanted(c, &unused)) return LODE_INVALID;
    lode_status status = mcp_result_path(c, name, to.path);
    if (status != LODE_OK) return status;
    add_value(c, "output", to.path);
    status = worker_mine(c, json);
    if (status != LODE_OK || json->lost) return status;
    const char *sorted = value_of(c, "o.sort-by"), *rows = value_of(c, "list.rows");
    worker_value *values = c->request.values;
    worker_value show[] = {{"list.rows", rows ? rows : "20"}, {"o.sort-by", "confidence"}};
    bool rules = strcmp(c->verb->name, mcp_tools[MCP_RULES].name) == 0;
    size_t n = c->request.n_values;
    if (!rules) show[1].text = "count";
    c->request.values = show;
    c->request.n_values = sorted ? 1 : 2;
    json->n--; /* the brace */
    worker_addf(json, ",\"result\":");
    worker_add_word(json, name);
    worker_addf(json, ",");
    status = query_file(c, &to, json);
    worker_addf(json, "}");
    c->request.values = values;
    c->request.n_values = n;
    return status;
}

static lode_status mcp_mine(worker_call *c, const char *kind, worker_text *json) {
    const char *target = value_of(c, "o.target"), *save = value_of(c, "save_as");
    bool top = target && strncmp(target, "top", 3) == 0;
    if (!value_of(c, "o.min-support") && !top) {
        return worker_refuse(c, LODE_INVALID,
                             "min_support is missing: give one such as 1%%, or target top:K");
    }
    add_value(c, "kind", kind);
    add_value(c, "report", "false");
    return save ? mine_to_file(c, save, json) : mine_to_answer(c, json);
}

/* ---- explaining ----------------------------------------------------------------------------- */

static int explain_write(void *to, const char *text, size_t bytes) {
    worker_add(to, text, bytes);
    return 0;
}

static lode_status explain_measures(const worker_call *c, const lode_counts *counts,
                                    worker_text *json) {
    static const char *const usual[] = {"support",    "confidence", "lift", "leverage",
                                        "conviction", "jaccard",    "phi",  "fisher"};
    lode_rule rule = {.size = sizeof rule, .counts = *counts};
    const char *comma = "";
    bool given = value_of(c, "measures") != NULL;
    size_t n = given ? c->request.n_values : sizeof usual / sizeof *usual;
    worker_addf(json, ",\"measures\":[");
    for (size_t i = 0; i < n; i++) {
        const worker_value *v = &c->request.values[i];
        lode_measure m = LODE_INIT(lode_measure);
        size_t number;
        if (given && strcmp(v->name, "measures") != 0) continue;
        const char *name = given ? v->text : usual[i];
        if (!lode_measure_find(name, &number) || !lode_measure_at(number, &m) ||
            m.needs != LODE_NEEDS_COUNTS) {
            return worker_refuse((worker_call *)c, LODE_INVALID,
                                 "'%.60s' is not a measure that counts determine", name);
        }
        worker_addf(json, "%s{\"name\":\"%s\",\"value\":", comma, m.name);
        worker_add_real(json, lode_measure_value(number, &rule));
        worker_addf(json, ",\"meaning\":");
        worker_add_word(json, m.help);
        worker_addf(json, "}");
        comma = ",";
    }
    worker_addf(json, "]");
    return LODE_OK;
}

static lode_status explain_answer(worker_call *c, explainer e, lode_pattern_kind kind,
                                  const lode_store_row *row, worker_text *json) {
    worker_text words = {0};
    const lode_counts *n = &row->counts;
    e.write = explain_write;
    e.to = &words;
    explain_row(&e, kind, row);
    worker_addf(json, "{\"sentence\":");
    worker_add_text(json, words.bytes, words.n);
    json->lost |= words.lost;
    worker_text_free(&words);
    worker_addf(json, ",\"counts\":{\"both\":%llu", (unsigned long long)n->both);
    if (kind == LODE_RULES) {
        worker_addf(json, ",\"body\":%llu,\"head\":%llu", (unsigned long long)n->lhs,
                    (unsigned long long)n->rhs);
    }
    worker_addf(json, ",\"total\":%llu}", (unsigned long long)n->total);
    lode_status status = kind == LODE_RULES ? explain_measures(c, n, json) : LODE_OK;
    worker_addf(json, "}");
    return status;
}

static const char *stored_name(const void *names, uint32_t item, size_t *bytes) {
    return lode_store_item_name(names, item, bytes);
}

static lode_status explain_stored_row(worker_call *c, lode_store *store, worker_text *json) {
    lode_store_row row = LODE_INIT(lode_store_row);
    lode_store_info info = LODE_INIT(lode_store_info);
    uint64_t number = 0;
    uint32_t n_items = 0;
    if (!worker_request_number(&c->request, (worker_range){"row", 0, UINT64_MAX}, &number,
                               c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    lode_store_about(store, &info);
    lode_status status = info.kind == LODE_GRAPHS ? LODE_OK : lode_store_items(store, &n_items);
    if (status == LODE_OK) status = lode_store_row_at(store, number, &row);
    if (status == LODE_OK) status = lode_store_check(store);
    if (status != LODE_OK) return status;
    row.counts.total = info.total;
    const explainer e = {.name = stored_name,
                         .names = store,
                         .held_out = lode_store_column_find(store, "heldOutP", &n_items)};
    return explain_answer(c, e, info.kind, &row, json);
}

static lode_status explain_stored(worker_call *c, worker_text *json) {
    mcp_source from;
    mcp_store s = {0};
    int fd;
    lode_status status = find_result(c, &from, &fd);
    if (status != LODE_OK) return status;
    status = store_open(c, &from, &s);
    if (status == LODE_OK) {
        status = explain_stored_row(c, s.store, json);
        if (status != LODE_OK && !c->message[0]) store_failed(c, &s, &from, status);
    }
    store_close(c, &s);
    close(fd);
    return status;
}

/* A rule of items of the open data set. */
typedef struct explained {
    uint32_t *items[2]; /* of the antecedent and of the consequent, ascending */
    uint32_t n[2];
    lode_counts counts;
} explained;

static const char *data_name(const void *names, uint32_t item, size_t *bytes) {
    static char name[EXPLAIN_NAME_MOST + 1]; /* one call at a time is in the long lane */
    (void)names;
    *bytes = lode_dataset_item_name(worker_open_data.data, item, name, sizeof name);
    if (*bytes > sizeof name) *bytes = sizeof name;
    return name;
}

static int by_item(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

static lode_status explain_find_items(worker_call *c, const char *side, uint32_t *items,
                                      uint32_t *n) {
    *n = 0;
    for (size_t i = 0; i < c->request.n_values; i++) {
        const worker_value *v = &c->request.values[i];
        if (strcmp(v->name, side) != 0) continue;
        if (!lode_dataset_item_find(worker_open_data.data, v->text, strlen(v->text), &items[*n])) {
            return worker_refuse(c, LODE_INVALID, "the data have no item '%.200s'", v->text);
        }
        ++*n;
    }
    qsort(items, *n, sizeof *items, by_item);
    uint32_t all = *n;
    *n = 0;
    for (uint32_t i = 0; i < all; i++) { /* a name may be given twice */
        if (i == 0 || items[i] != items[i - 1]) items[(*n)++] = items[i];
    }
    return LODE_OK;
}

static bool has_all(const uint32_t *items, uint32_t n, const uint32_t *wanted, uint32_t n_wanted) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < n && k < n_wanted; i++) {
        k += items[i] == wanted[k];
    }
    return k == n_wanted;
}

static lode_status explain_scan(worker_call *c, explained *r) {
    const lode_dataset *data = worker_open_data.data;
    lode_profile p = cli_profile(data);
    uint32_t *items = calloc((size_t)p.longest + 1, sizeof *items);
    lode_status status = items ? LODE_OK : LODE_NOMEM;
    for (uint64_t t = 0; status == LODE_OK && t < p.n_transactions; t++) {
        uint32_t n = lode_dataset_transaction(data, t, items, p.longest);
        uint64_t weight = lode_dataset_transaction_weight(data, t);
        bool lhs = has_all(items, n, r->items[0], r->n[0]);
        bool rhs = has_all(items, n, r->items[1], r->n[1]);
        r->counts.lhs += lhs ? weight : 0;
        r->counts.rhs += rhs ? weight : 0;
        r->counts.both += lhs && rhs ? weight : 0;
        if (t % CANCEL_EVERY == 0 && worker_lanes_cancelled(c)) status = LODE_CANCELLED;
    }
    r->counts.total = lode_dataset_total_weight(data);
    free(items);
    return status;
}

static lode_status explain_data(worker_call *c, worker_text *json) {
    explained r = {0};
    lode_status status = mcp_open_file(c);
    if (status != LODE_OK) return status;
    if (!worker_open_data.data || !value_of(c, "then")) {
        return worker_refuse(c, LODE_INVALID,
                             worker_open_data.data ? "`then` is missing: it lists the items of the "
                                                     "consequent"
                                                   : "the data are graphs, which have no rules");
    }
    for (int i = 0; i < 2; i++) {
        r.items[i] = calloc(c->request.n_values + 1, sizeof *r.items[i]);
        if (!r.items[i]) status = LODE_NOMEM;
        if (status == LODE_OK) {
            status = explain_find_items(c, i ? "then" : "if", r.items[i], &r.n[i]);
        }
    }
    if (status == LODE_OK) status = explain_scan(c, &r);
    if (status == LODE_OK) {
        lode_store_row row = {.size = sizeof row,
                              .items = r.items[0],
                              .rhs = r.items[1],
                              .n_items = r.n[0],
                              .n_rhs = r.n[1],
                              .counts = r.counts};
        status = explain_answer(c, (explainer){.name = data_name}, LODE_RULES, &row, json);
    }
    free(r.items[0]);
    free(r.items[1]);
    return status;
}

static lode_status mcp_explain(worker_call *c, worker_text *json) {
    bool stored = value_of(c, "result") && value_of(c, "row");
    if (stored && !value_of(c, "file")) return explain_stored(c, json);
    if (value_of(c, "file") && !value_of(c, "result")) return explain_data(c, json);
    return worker_refuse(c, LODE_INVALID,
                         "explain_rule: expected either `file`, `if` and `then`, or `result` and "
                         "`row`");
}

/* ---- all ------------------------------------------------------------------------------------ */

lode_status mcp_run(worker_call *c, worker_text *json) {
    mcp_kind kind = MCP_DESCRIBE;
    while (strcmp(mcp_tools[kind].name, c->verb->name) != 0) kind++;
    if (kind == MCP_QUERY) return mcp_query(c, json);
    if (kind == MCP_EXPLAIN) return mcp_explain(c, json);
    lode_status status = mcp_open_file(c);
    if (status != LODE_OK) return status;
    switch (kind) {
    case MCP_SUGGEST: return worker_suggest(c, json);
    case MCP_ITEMSETS: return mcp_mine(c, "itemsets", json);
    case MCP_RULES: return mcp_mine(c, "rules", json);
    case MCP_GRAPHS: return mcp_mine(c, "graphs", json);
    default: return mcp_describe(c, json);
    }
}
