/* query_plan.c - see query_plan.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/query_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/os.h"
#include "base/radix.h"
#include "base/reals.h"
#include "data/transactions/select.h"
#include "results/store/item_names.h"
#include "rules/measures/measure.h"
#include "runtime/valid.h"

/* ---- groups of items of a store: a name, a glob, or a file of these -------------------------- */

static bool list_next(const char **text, list_line *line) {
    if (!*text || !**text) return false;
    size_t n = strcspn(*text, "\n");
    *line = (list_line){*text, n};
    *text += n + ((*text)[n] == '\n');
    return true;
}

/* A group that is read. */
typedef struct group_reader {
    lode_store *store;
    const char *what;
    uint64_t bit, *marks;
} group_reader;

static bool group_is_glob(list_line l) {
    for (size_t i = 0; i < l.n; i++) {
        if (strchr("*?[\\", l.text[i])) return true;
    }
    return false;
}

static lode_status group_glob(group_reader *r, list_line l, bool *found) {
    lode_store *s = r->store;
    for (uint32_t item = 0; item < s->n_names; item++) {
        size_t bytes;
        const char *name = names_at(s, item, &bytes);
        if (item % 1024 == 0) {
            lode_status status = job_check(s->job);
            if (status != LODE_OK) return status;
        }
        if (!select_matches(l.text, l.n, name, bytes)) continue;
        r->marks[item] |= r->bit;
        *found = true;
    }
    return LODE_OK;
}

/* A name or a glob. */
static lode_status group_one(group_reader *r, list_line l) {
    bool found = false;
    uint32_t item = names_find(r->store, l.text, l.n);
    if (item != UINT32_MAX) {
        r->marks[item] |= r->bit;
        return LODE_OK;
    }
    if (!group_is_glob(l)) return names_unknown(r->store, r->what, l.text, l.n);
    lode_status status = group_glob(r, l, &found);
    if (status != LODE_OK || found) return status;
    return job_fail(r->store->job, LODE_INVALID, "%s: no item name matches '%.*s'", r->what,
                    (int)(l.n < 200 ? l.n : 200), l.text);
}

static lode_status group_read_file(group_reader *r, const char *path, vec_char *text) {
    lode_status status = LODE_OK;
    mem *m = &r->store->job->mem;
    int64_t got = 1;
    int fd = os_open_read(path);
    if (fd < 0) {
        return job_fail(r->store->job, LODE_NOTFOUND, "%s: cannot open '%s': %s", r->what, path,
                        strerror(errno));
    }
    while (got != 0) {
        LODE_TRY(job_check(r->store->job));
        LODE_TRY(vec_char_reserve(m, text, 65536));
        got = os_read(fd, text->data + text->n, 65535);
        if (got > 0) text->n += (size_t)got;
        if (got < 0 && errno != EINTR) {
            LODE_LEAVE(job_fail(r->store->job, LODE_IO, "%s: cannot read '%s': %s", r->what, path,
                                strerror(errno)));
        }
    }
    text->data[text->n] = 0;
done:
    os_close(fd);
    return status;
}

static lode_status group_file(group_reader *r, const char *path) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    list_line line;
    char place[OS_PATH_BYTES + 64];
    const char *option = r->what;
    uint64_t number = 0, names = 0;
    LODE_TRY(group_read_file(r, path, &text));
    const char *at = text.data;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* the mark of UTF-8 */
    r->what = place;
    while (list_next(&at, &line)) {
        snprintf(place, sizeof place, "%s: %s:%" PRIu64, option, path, ++number);
        if (line.n > 0 && line.text[line.n - 1] == '\r') line.n--;
        if (line.n > 0) LODE_TRY(group_one(r, line));
        names += line.n > 0;
    }
    if (names == 0) {
        status = job_fail(r->store->job, LODE_INVALID, "%s: '%s' lists no items", option, path);
    }
done:
    vec_char_free(&r->store->job->mem, &text);
    return status;
}

/* Sets `bit` in the marks of all items of a group. `what` names the option in messages. Call
 * names_load() first. Errors: INVALID (no such item; the message suggests one), NOTFOUND, IO,
 * NOMEM, BUDGET. */
static lode_status groups_mark(lode_store *s, const char *what, list_line group, uint64_t bit,
                               uint64_t *marks) {
    group_reader r = {s, what, bit, marks};
    char path[OS_PATH_BYTES];
    if (group.n == 0) return job_fail(s->job, LODE_INVALID, "%s: the item name is missing", what);
    if (group.text[0] != '@' || group.n == 1) return group_one(&r, group);
    if (group.n > sizeof path)
        return job_fail(s->job, LODE_INVALID, "%s: the path is too long", what);
    memcpy(path, group.text + 1, group.n - 1);
    path[group.n - 1] = 0;
    return group_file(&r, path);
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Two ways to compute a measure may differ in the last digits. Such a difference must not exclude a
 * row that lies on the bound. */
#define QUERY_ROUNDING 1e-12 /* as in the search */

static double query_slack(double bound) {
    return isinf(bound) ? 0 : fabs(bound) * QUERY_ROUNDING;
}

/* The range of a column; a new one has everything. */
static query_bound *query_bound_of(query_plan *p, const stored_column *c) {
    for (uint32_t i = 0; i < p->n_bounds; i++) {
        if (p->bounds[i].column == c) return &p->bounds[i];
    }
    query_bound *b = &p->bounds[p->n_bounds++];
    *b = (query_bound){c, -INFINITY, INFINITY, 0, UINT64_MAX};
    return b;
}

#define QUERY_PAST_COUNTS 18446744073709551616.0 /* 2^64 */

static void query_set_low(query_bound *b, double value) {
    double real = value - query_slack(value);
    if (real > b->low) b->low = real;
    if (value <= 0) return;
    uint64_t count = value < QUERY_PAST_COUNTS ? (uint64_t)value : UINT64_MAX;
    if ((double)count < value && count < UINT64_MAX) count++;
    if (count > b->low_count) b->low_count = count;
    if (value >= QUERY_PAST_COUNTS) b->high_count = 0; /* no count reaches it */
}

static void query_set_high(query_bound *b, double value) {
    double real = value + query_slack(value);
    if (real < b->high) b->high = real;
    if (value < 0) b->low_count = UINT64_MAX, b->high_count = 0;
    if (value < 0 || value >= QUERY_PAST_COUNTS) return;
    if ((uint64_t)value < b->high_count) b->high_count = (uint64_t)value;
}

/* One line, "lift=1.5". */
/* Notes a bound that no value of a measure meets. */
static void query_note_bound(const query_plan *p, const char *what, const stored_column *c,
                             double bound, bool low) {
    lode_measure m = LODE_INIT(lode_measure);
    size_t i;
    char why[MEASURE_WHY];
    bool share = strcmp(c->name, "support") == 0; /* of rules, itemsets and graphs alike */
    bool sets = p->store->info.kind == LODE_ITEMSETS && !share;
    bool known = false;
    if (sets) {
        known = lode_itemset_measure_find(c->name, &i) && lode_itemset_measure_at(i, &m);
    } else if (share || p->store->info.kind == LODE_RULES) {
        known = lode_measure_find(c->name, &i) && lode_measure_at(i, &m);
    }
    known = known && strcmp(m.name, c->name) == 0 && !p->store->noted;
    if (known && measure_never_reaches(&m, bound, low ? 1 : -1, why)) {
        job_log(p->store->job, LODE_LOG_INFO, "%s %s", what, why);
        p->store->noted = true;
    }
}

static lode_status query_read_bound(query_plan *p, const char *what, list_line l, bool low) {
    char name[128];
    const char *equals = memchr(l.text, '=', l.n);
    size_t n = equals ? (size_t)(equals - l.text) : 0;
    double value;
    const stored_column *c;
    if (n == 0 || n >= sizeof name || !reals_read(equals + 1, l.n - n - 1, &value)) {
        return job_fail(p->store->job, LODE_INVALID,
                        "%s '%.*s': expected a column and a number, such as lift=1.5", what,
                        (int)(l.n < 200 ? l.n : 200), l.text);
    }
    memcpy(name, l.text, n);
    name[n] = 0;
    lode_status status = stored_need(p->store, what, name, &c);
    if (status != LODE_OK) return status;
    query_note_bound(p, what, c, value, low);
    if (low) {
        query_set_low(query_bound_of(p, c), value);
    } else {
        query_set_high(query_bound_of(p, c), value);
    }
    return LODE_OK;
}

static lode_status query_read_sizes(query_plan *p, const lode_query_options *q) {
    const stored_column *c;
    if (q->min_size == 0 && q->max_size == 0) return LODE_OK;
    const char *name = p->store->info.kind == LODE_GRAPHS ? "edges" : "size";
    lode_status status = stored_need(p->store, "the size", name, &c);
    if (status != LODE_OK) return status;
    if (q->min_size > 0) query_set_low(query_bound_of(p, c), q->min_size);
    if (q->max_size > 0) query_set_high(query_bound_of(p, c), q->max_size);
    return LODE_OK;
}

static lode_status query_read_bounds(query_plan *p, const lode_query_options *q) {
    lode_status status = LODE_OK;
    list_line line;
    p->bounds_bytes = p->store->info.n_columns * sizeof *p->bounds;
    LODE_TRY(mem_zalloc(&p->store->job->mem, (void **)&p->bounds, p->bounds_bytes));
    for (const char *at = q->minima; list_next(&at, &line);) {
        LODE_TRY(query_read_bound(p, "--min", line, true));
    }
    for (const char *at = q->maxima; list_next(&at, &line);) {
        LODE_TRY(query_read_bound(p, "--max", line, false));
    }
    LODE_TRY(query_read_sizes(p, q));
done:
    return status;
}

/* ---- items ---------------------------------------------------------------------------------- */

/* A list of a query that is about items. */
typedef struct query_list {
    const char *what, *text;
    query_side side;
    enum { QUERY_HAS, QUERY_LACKS, QUERY_MATCH } is;
} query_list;

#define QUERY_LISTS 9

static void query_lists(const lode_query_options *q, query_list out[QUERY_LISTS]) {
    const query_list lists[QUERY_LISTS] = {
        {"--include", q->include, QUERY_ANY, QUERY_HAS},
        {"--exclude", q->exclude, QUERY_ANY, QUERY_LACKS},
        {"--match", q->match, QUERY_ANY, QUERY_MATCH},
        {"--include-lhs", q->include_lhs, QUERY_LHS, QUERY_HAS},
        {"--exclude-lhs", q->exclude_lhs, QUERY_LHS, QUERY_LACKS},
        {"--lhs-match", q->lhs_match, QUERY_LHS, QUERY_MATCH},
        {"--include-rhs", q->include_rhs, QUERY_RHS, QUERY_HAS},
        {"--exclude-rhs", q->exclude_rhs, QUERY_RHS, QUERY_LACKS},
        {"--rhs-match", q->rhs_match, QUERY_RHS, QUERY_MATCH},
    };
    memcpy(out, lists, sizeof lists);
}

/* Takes a bit for another condition. All lists of items that one side must lack share a bit. */
static lode_status query_new_bit(query_plan *p, const query_list *list, uint64_t *bit) {
    bool lacks = list->is == QUERY_LACKS;
    if (lacks && p->bad[list->side]) {
        *bit = p->bad[list->side];
        return LODE_OK;
    }
    if (p->n_bits == QUERY_BITS) {
        return job_fail(
            p->store->job, LODE_INVALID,
            "%s: a query has at most %d conditions on items; a file of names (@FILE) counts as one",
            list->what, QUERY_BITS);
    }
    *bit = (uint64_t)1 << p->n_bits++;
    (lacks ? p->bad : p->need)[list->side] |= *bit;
    return LODE_OK;
}

/* ---- regular expressions -------------------------------------------------------------------- */

void query_match_start(query_clock *clock) {
    if (clock->plan->match_seconds > 0) clock->since = os_seconds();
}

lode_status query_match_check(void *user) {
    query_clock *clock = user;
    const query_plan *p = clock->plan;
    lode_store *s = p->store;
    if (p->match_seconds > 0) {
        double now = os_seconds();
        uint64_t spent = (uint64_t)((now - clock->since) * 1e9);
        spent += atomic_fetch_add(&s->match_ns, spent);
        clock->since = now;
        if ((double)spent > p->match_seconds * 1e9) {
            return job_fail(s->job, LODE_STOPPED,
                            "matching takes longer than %g second%s; use a simpler regular "
                            "expression, or fewer of them",
                            p->match_seconds, p->match_seconds == 1 ? "" : "s");
        }
    }
    return job_check(s->job);
}

static lode_status query_compile(lode_store *s, const char *what, list_line l, regex *out) {
    regex_error error;
    if (l.n == 0) return job_fail(s->job, LODE_INVALID, "%s: expected a regular expression", what);
    lode_status status = job_check(s->job);
    if (status == LODE_OK) status = regex_compile(&s->job->mem, l.text, l.n, out, &error);
    if (status != LODE_INVALID) return status;
    return job_fail(
        s->job, status, "%s: '%.*s%s' cannot be used as a regular expression: %s (byte %zu)", what,
        (int)(l.n < 200 ? l.n : 200), l.text, l.n < 200 ? "" : "…", error.why, error.at);
}

/* Sets the bit of all items whose name matches. */
static lode_status query_match_items(query_plan *p, const char *what, list_line l, uint64_t bit) {
    lode_store *s = p->store;
    mem *m = &s->job->mem;
    regex code = {0};
    regex_run run = {0};
    query_clock clock = {.plan = p};
    query_match_start(&clock);
    lode_status status = query_compile(s, what, l, &code);
    if (status == LODE_OK) {
        status = regex_start(m, &code, (regex_poll){query_match_check, &clock}, &run);
    }
    for (uint32_t item = 0; status == LODE_OK && item < s->n_names; item++) {
        size_t bytes;
        bool found = false;
        const char *name = names_at(s, item, &bytes);
        status = regex_match(&run, name, bytes, &found);
        if (found) p->marks[item] |= bit;
    }
    if (status == LODE_OK) status = query_match_check(&clock);
    regex_stop(m, &run);
    regex_clear(m, &code);
    return status;
}

static lode_status query_read_list(query_plan *p, const query_list *list) {
    lode_status status = LODE_OK;
    list_line line;
    uint64_t bit = 0;
    for (const char *at = list->text; list_next(&at, &line);) {
        LODE_TRY(query_new_bit(p, list, &bit));
        if (list->is == QUERY_MATCH) {
            LODE_TRY(query_match_items(p, list->what, line, bit));
        } else {
            LODE_TRY(groups_mark(p->store, list->what, line, bit, p->marks));
        }
    }
done:
    return status;
}

/* Graphs have no items: only `match` says something about them, about their code. */
static lode_status query_read_patterns(query_plan *p, const query_list *lists) {
    lode_store *s = p->store;
    list_line line;
    for (unsigned i = 0; i < QUERY_LISTS; i++) {
        if (!lists[i].text || (lists[i].is == QUERY_MATCH && lists[i].side == QUERY_ANY)) continue;
        return job_fail(
            s->job, LODE_INVALID,
            "%s: graphs have no items; use --match to search their codes by a regular expression",
            lists[i].what);
    }
    uint32_t n = 0;
    const char *text = lists[2].text;
    for (const char *at = text; list_next(&at, &line);) n++;
    p->patterns_bytes = n * sizeof *p->patterns;
    lode_status status = mem_zalloc(&s->job->mem, (void **)&p->patterns, p->patterns_bytes);
    for (const char *at = text; status == LODE_OK && list_next(&at, &line);) {
        status = query_compile(s, "--match", line, &p->patterns[p->n_patterns++]);
    }
    return status;
}

static lode_status query_read_items(query_plan *p, const lode_query_options *q) {
    lode_status status = LODE_OK;
    lode_store *s = p->store;
    query_list lists[QUERY_LISTS];
    bool any = false;
    query_lists(q, lists);
    for (unsigned i = 0; i < QUERY_LISTS; i++) {
        any |= lists[i].text && lists[i].text[0];
        if (s->info.kind != LODE_ITEMSETS || lists[i].side == QUERY_ANY || !lists[i].text) continue;
        return job_fail(s->job, LODE_INVALID, "%s: itemsets have only one side", lists[i].what);
    }
    if (!any) return LODE_OK;
    if (s->info.kind == LODE_GRAPHS) return query_read_patterns(p, lists);
    LODE_TRY(names_load(s));
    p->marks_bytes = bits_next_power_of_two(s->n_names + (uint64_t)1) * sizeof *p->marks;
    LODE_TRY(mem_zalloc(&s->job->mem, (void **)&p->marks, p->marks_bytes));
    for (unsigned i = 0; i < QUERY_LISTS; i++) LODE_TRY(query_read_list(p, &lists[i]));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static lode_status query_read_order(query_plan *p, const lode_query_options *q) {
    if (!q->sort_by) return LODE_OK;
    lode_status status = stored_need(p->store, "--sort-by", q->sort_by, &p->order);
    if (status == LODE_OK) p->falling = (p->order->better >= 0) != q->reverse;
    return status;
}

/* ---- single rows ---------------------------------------------------------------------------- */

/* The next number of a list; *bad: where it is not one. */
static bool pick_next(const char **at, uint64_t *row, bool *bad) {
    const char *text = *at;
    uint64_t n = 0;
    if (!*text) return false;
    *bad = *text < '0' || *text > '9';
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        *bad |= n > (UINT64_MAX - digit) / 10;
        n = n * 10 + digit;
    }
    *bad |= *text && *text != ',' && *text != '\n';
    *bad |= *text == ',' && !text[1];
    *at = text + (*text != 0);
    *row = n;
    return true;
}

static lode_status query_read_picks(query_plan *p, const char *text) {
    uint64_t row;
    bool bad = false;
    size_t room = 1;
    if (!text) return LODE_OK;
    for (const char *at = text; *at; at++) room += *at == ',' || *at == '\n';
    p->picks_bytes = room * sizeof *p->picks;
    lode_status status = mem_resize(&p->store->job->mem, (void **)&p->picks, 0, p->picks_bytes);
    if (status != LODE_OK) return status;
    for (const char *at = text; pick_next(&at, &row, &bad) && !bad;) p->picks[p->n_picks++] = row;
    if (bad || p->n_picks == 0) {
        return job_fail(p->store->job, LODE_INVALID,
                        "--pick: expected row numbers such as 3,17, not '%.40s'", text);
    }
    (void)radix_sort_in_place(p->picks, p->n_picks, 1, NULL);
    return LODE_OK;
}

uint64_t query_pick_from(const query_plan *p, uint64_t row) {
    uint64_t low = 0, high = p->n_picks;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (p->picks[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

lode_status query_read(lode_store *s, const lode_query_options *query, query_plan *out) {
    lode_status status = LODE_OK;
    lode_query_options q;
    *out = (query_plan){.store = s};
    LODE_TRY(valid_take(s->job, VALID_QUERY, query, &q));
    if (q.reverse && !q.sort_by) {
        LODE_LEAVE(job_fail(s->job, LODE_INVALID, "--reverse requires --sort-by"));
    }
    out->from = q.from;
    out->match_seconds = q.match_seconds;
    atomic_store(&s->match_ns, 0);
    LODE_TRY(query_read_bounds(out, &q));
    LODE_TRY(query_read_items(out, &q));
    LODE_TRY(query_read_picks(out, q.pick));
    LODE_TRY(query_read_order(out, &q));
done:
    return status;
}

void query_clear(query_plan *p) {
    if (!p->store) return;
    mem *m = &p->store->job->mem;
    for (uint32_t i = 0; i < p->n_patterns; i++) regex_clear(m, &p->patterns[i]);
    mem_free(m, p->patterns, p->patterns ? p->patterns_bytes : 0);
    mem_free(m, p->marks, p->marks ? p->marks_bytes : 0);
    mem_free(m, p->bounds, p->bounds ? p->bounds_bytes : 0);
    mem_free(m, p->picks, p->picks ? p->picks_bytes : 0);
    *p = (query_plan){0};
}
