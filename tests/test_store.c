/* test_store.c - stores: counts, pages and histograms of random queries, compared with plain loops
 * SPDX-License-Identifier: Apache-2.0 */
#include <regex.h>

#include "check.h"
#include "faulty.h"
#include "jobs.h"
#include "runtime/job.h"
#include "stores.h"

static rng dice;

static lode_job *make_job(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .threads = threads};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    return job;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (!CHECK_EQUAL(call, LODE_OK)) fprintf(stderr, "  said: %s\n", lode_job_error(job));     \
    } while (0)

static lode_job *job;

/* ---- a query, and the same as plain tests ---------------------------------------------------- */

#define MOST_TERMS 3
#define MOST_PICKS 40

typedef struct term {
    int side; /* 0 any, 1 antecedent, 2 consequent */
    int is;   /* 0 has, 1 lacks, 2 match */
    const char *text;
} term;

typedef struct trial {
    unsigned n_bounds, n_terms;
    struct {
        const char *column;
        bool low;
        double value;
    } bounds[MOST_TERMS];
    term terms[MOST_TERMS];
    uint32_t min_size, max_size;
    const char *sort_by;
    bool reverse;
    uint64_t from;
    unsigned n_picks; /* 0: any row */
    uint64_t picks[MOST_PICKS];
    char minima[256], maxima[256], lists[3][3][256], pick[32 * MOST_PICKS];
    lode_query_options query;
} trial;

static const char *const columns_of[3][8] = {
    {"count", "odd", "small", "size", "support", "count"},
    {"edges", "count", "support", "odd", "small", "count"},
    {"both", "body_count", "confidence", "odd", "small", "lift"},
};

static const char *any_column(const store_data *d) {
    return columns_of[d->kind][rng_below(&dice, 6)];
}

static void add_line(char *list, const char *line) {
    size_t n = strlen(list);
    snprintf(list + n, 256 - n, "%s%s", n ? "\n" : "", line);
}

static void draw_bound(trial *t, const store_data *d) {
    char line[128];
    const char *column = any_column(d);
    bool low = rng_below(&dice, 2) == 0;
    double value = store_value(d, &d->rows[rng_below(&dice, d->n)], column);
    if (!isfinite(value)) value = low ? -INFINITY : INFINITY;
    if (rng_below(&dice, 5) == 0) value += 0.37;
    snprintf(line, sizeof line, "%s=%.17g", column, value);
    add_line(low ? t->minima : t->maxima, line);
    t->bounds[t->n_bounds].column = column;
    t->bounds[t->n_bounds].low = low;
    t->bounds[t->n_bounds++].value = value;
}

static void draw_term(trial *t, const store_data *d) {
    static const char *const groups[] = {"milk", "beer*", "?*e*", "what?", "b|ar", "[a-c]*", "tea"};
    static const char *const regexes[] = {"^b", "e{2}", "milk|tea", "[0-9]", "r$", "."};
    static const char *const codes[] = {"A", "x,B", "^.0,1,C", "D.$", "zzz"};
    term m = {.side = d->kind == LODE_RULES ? (int)rng_below(&dice, 3) : 0,
              .is = d->kind == LODE_GRAPHS ? 2 : (int)rng_below(&dice, 3)};
    m.text = m.is < 2                 ? groups[rng_below(&dice, 7)]
             : d->kind == LODE_GRAPHS ? codes[rng_below(&dice, 5)]
                                      : regexes[rng_below(&dice, 6)];
    add_line(t->lists[m.side][m.is], m.text);
    t->terms[t->n_terms++] = m;
}

static const char *list_of(const char *text) {
    return text[0] ? text : NULL;
}

/* Row numbers in any order, some of them twice, and some that the file does not have. */
static void draw_picks(trial *t, const store_data *d) {
    unsigned n = 1 + (unsigned)rng_below(&dice, MOST_PICKS);
    for (size_t at = 0; t->n_picks < n; t->n_picks++) {
        uint64_t row = rng_below(&dice, 20) == 0 ? UINT64_MAX : rng_below(&dice, d->n + 3);
        const char *between = at == 0 ? "" : rng_below(&dice, 2) ? "," : "\n";
        t->picks[t->n_picks] = row;
        at += (size_t)snprintf(t->pick + at, sizeof t->pick - at, "%s%llu", between,
                               (unsigned long long)row);
    }
}

static bool is_picked(const trial *t, uint64_t row) {
    bool found = t->n_picks == 0;
    for (unsigned k = 0; k < t->n_picks; k++) found |= t->picks[k] == row;
    return found;
}

static void draw_trial(trial *t, const store_data *d) {
    memset(t, 0, sizeof *t);
    unsigned bounds = (unsigned)rng_below(&dice, MOST_TERMS + 1);
    unsigned terms = (unsigned)rng_below(&dice, MOST_TERMS);
    while (t->n_bounds < bounds) draw_bound(t, d);
    while (t->n_terms < terms) draw_term(t, d);
    if (rng_below(&dice, 4) == 0) t->min_size = (uint32_t)rng_below(&dice, 4);
    if (rng_below(&dice, 4) == 0) t->max_size = 1 + (uint32_t)rng_below(&dice, 6);
    if (rng_below(&dice, 3) > 0) t->sort_by = any_column(d);
    t->reverse = t->sort_by && rng_below(&dice, 2);
    if (rng_below(&dice, 6) == 0) t->from = rng_below(&dice, d->n + 2);
    if (rng_below(&dice, 5) == 0) draw_picks(t, d);
    t->query = (lode_query_options){.size = sizeof t->query,
                                    .pick = list_of(t->pick),
                                    .minima = list_of(t->minima),
                                    .maxima = list_of(t->maxima),
                                    .include = list_of(t->lists[0][0]),
                                    .exclude = list_of(t->lists[0][1]),
                                    .include_lhs = list_of(t->lists[1][0]),
                                    .exclude_lhs = list_of(t->lists[1][1]),
                                    .include_rhs = list_of(t->lists[2][0]),
                                    .exclude_rhs = list_of(t->lists[2][1]),
                                    .match = list_of(t->lists[0][2]),
                                    .lhs_match = list_of(t->lists[1][2]),
                                    .rhs_match = list_of(t->lists[2][2]),
                                    .min_size = t->min_size,
                                    .max_size = t->max_size,
                                    .sort_by = t->sort_by,
                                    .reverse = t->reverse,
                                    .from = t->from};
}

static bool regex_matches(const char *pattern, const char *name) {
    regex_t r;
    if (regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB) != 0) exit(2);
    bool found = regexec(&r, name, 0, NULL, 0) == 0;
    regfree(&r);
    return found;
}

static bool name_meets(const term *m, const char *name) {
    if (m->is == 2) return regex_matches(m->text, name);
    if (strcmp(m->text, "beer*") == 0) return strncmp(name, "beer", 4) == 0;
    if (strcmp(m->text, "?*e*") == 0) { /* an e that is not the first character */
        size_t first = (unsigned char)name[0] >= 0xc0 ? 2 : 1;
        return strchr(name + first, 'e') != NULL;
    }
    if (strcmp(m->text, "[a-c]*") == 0) return name[0] >= 'a' && name[0] <= 'c';
    return strcmp(name, m->text) == 0;
}

/* The code of a graph has one of 25 forms; each is matched once. */
static bool code_meets(const term *m, const store_row *r) {
    static char known[8][25];
    static const char *texts[8];
    unsigned at = 0, form = (unsigned)((r->code[5] - 'A') * 5 + r->code[9] - 'A');
    while (at < 7 && texts[at] && texts[at] != m->text) at++;
    texts[at] = m->text;
    if (!known[at][form]) known[at][form] = regex_matches(m->text, r->code) ? 1 : 2;
    return known[at][form] == 1;
}

static bool term_met(const term *m, const store_data *d, const store_row *r) {
    static bool table[3][16][STORE_NAMES]; /* by condition and name; made once */
    static const char *texts[3][16];
    bool found = false;
    unsigned at = 0;
    if (d->kind == LODE_GRAPHS) return code_meets(m, r);
    while (at < 15 && texts[m->is][at] && texts[m->is][at] != m->text) at++;
    for (unsigned i = 0; i < STORE_NAMES && !texts[m->is][at]; i++) {
        table[m->is][at][i] = name_meets(m, store_names[i]);
    }
    texts[m->is][at] = m->text;
    for (uint32_t i = 0; i < r->n_lhs && m->side != 2; i++) found |= table[m->is][at][r->lhs[i]];
    for (uint32_t i = 0; i < r->n_rhs && m->side != 1 && d->kind == LODE_RULES; i++) {
        found |= table[m->is][at][r->rhs[i]];
    }
    return found != (m->is == 1);
}

static bool row_met(const trial *t, const store_data *d, uint32_t i) {
    const store_row *r = &d->rows[i];
    uint32_t size = d->kind == LODE_GRAPHS ? r->small : (uint32_t)store_value(d, r, "size");
    if (!is_picked(t, i)) return false;
    if (i < t->from || size < t->min_size || (t->max_size && size > t->max_size)) return false;
    for (unsigned k = 0; k < t->n_bounds; k++) {
        double v = store_value(d, r, t->bounds[k].column), b = t->bounds[k].value;
        double slack = isinf(b) ? 0 : fabs(b) * 1e-12;
        if (!(t->bounds[k].low ? v >= b - slack : v <= b + slack)) return false;
    }
    for (unsigned k = 0; k < t->n_terms; k++) {
        if (!term_met(&t->terms[k], d, r)) return false;
    }
    return true;
}

/* ---- the plain answers ---------------------------------------------------------------------- */

static const store_data *sorted_data;
static const trial *sorted_trial;

static int compare_rows(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    const trial *t = sorted_trial;
    if (t->sort_by) {
        double v = store_value(sorted_data, &sorted_data->rows[a], t->sort_by);
        double w = store_value(sorted_data, &sorted_data->rows[b], t->sort_by);
        if (isnan(v) != isnan(w)) return isnan(v) ? 1 : -1;
        if (!isnan(v) && v != w) return (v > w) != t->reverse ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

static uint64_t plain_rows(const trial *t, const store_data *d, uint64_t *rows) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (row_met(t, d, i)) rows[n++] = i;
    }
    sorted_data = d;
    sorted_trial = t;
    qsort(rows, n, sizeof *rows, compare_rows);
    return n;
}

static void check_page(lode_store *s, const trial *t, const uint64_t *want, uint64_t n) {
    uint64_t skip = rng_below(&dice, n + 3), got[600];
    size_t room = (size_t)rng_below(&dice, 600), found = 0;
    lode_page page = LODE_INIT(lode_page);
    if (rng_below(&dice, 4) == 0) skip = 0;
    if (rng_below(&dice, 2) == 0) {
        OK(lode_store_page(s, &t->query, skip, got, room, &page));
        CHECK_EQUAL(page.found, n);
        found = page.n;
    } else {
        OK(lode_store_rows(s, &t->query, skip, got, room, &found));
    }
    uint64_t left = n > skip ? n - skip : 0;
    if (!CHECK_EQUAL(found, left < room ? left : room)) return;
    size_t wrong = 0;
    for (size_t i = 0; i < found; i++) wrong += got[i] != want[skip + i];
    if (!CHECK_EQUAL(wrong, 0)) {
        fprintf(stderr, "  sort %s%s\n", t->sort_by ? t->sort_by : "-", t->reverse ? " r" : "");
    }
}

/* The bin of a value by the edges that were handed out; -1: outside. */
static int plain_bin(const double *edges, uint32_t bins, double v) {
    if (!(v >= edges[0]) || v > edges[bins]) return -1;
    int bin = 0;
    while ((uint32_t)bin + 1 < bins && v >= edges[bin + 1]) bin++;
    return bin;
}

static void check_counts(const lode_histogram *h, const uint64_t *want, uint64_t outside,
                         uint64_t undefined) {
    uint64_t inside = 0, wrong = 0;
    for (uint32_t i = 0; i < h->x_bins * h->y_bins; i++) {
        inside += want[i];
        wrong += want[i] != h->counts[i];
    }
    CHECK_EQUAL(wrong, 0);
    CHECK_EQUAL(h->inside, inside);
    CHECK_EQUAL(h->outside, outside);
    CHECK_EQUAL(h->undefined, undefined);
}

static void check_histogram(lode_store *s, const trial *t, const store_data *d,
                            const uint64_t *rows, uint64_t n) {
    lode_histogram h = LODE_INIT(lode_histogram);
    lode_histogram_options o = {.size = sizeof o, .x = any_column(d)};
    uint64_t want[4096] = {0}, outside = 0, undefined = 0;
    if (rng_below(&dice, 2)) o.y = any_column(d);
    o.x_bins = (uint32_t)rng_below(&dice, 30);
    o.y_bins = (uint32_t)rng_below(&dice, 30);
    o.x_log = rng_below(&dice, 3) == 0;
    o.y_log = rng_below(&dice, 3) == 0;
    if (rng_below(&dice, 3) == 0) o.x_low = 0.5, o.x_high = 3.25;
    OK(lode_store_histogram(s, &t->query, &o, &h));
    for (uint32_t i = 0; i < h.x_bins; i++) CHECK(h.x_edges[i] <= h.x_edges[i + 1]);
    for (uint64_t i = 0; i < n; i++) {
        double x = store_value(d, &d->rows[rows[i]], o.x);
        double y = o.y ? store_value(d, &d->rows[rows[i]], o.y) : 0;
        int a = plain_bin(h.x_edges, h.x_bins, x);
        int b = o.y ? plain_bin(h.y_edges, h.y_bins, y) : 0;
        if (isnan(x) || isnan(y)) {
            undefined++;
        } else if (a < 0 || b < 0) {
            bool odd = isinf(x) || isinf(y) || o.x_log || o.y_log || o.x_high != 0;
            CHECK(odd); /* a range that was found leaves nothing else out */
            outside++;
        } else {
            want[(uint32_t)b * h.x_bins + (uint32_t)a]++;
        }
    }
    check_counts(&h, want, outside, undefined);
}

static void check_store(const store_data *d, unsigned trials) {
    lode_store *s = NULL;
    uint64_t *rows = calloc(d->n + 1, sizeof *rows);
    trial *t = calloc(1, sizeof *t);
    OK(lode_store_open(job, &s, d->path));
    for (unsigned i = 0; i < trials && s; i++) {
        uint64_t n = 0;
        draw_trial(t, d);
        OK(lode_store_count(s, &t->query, &n));
        uint64_t want = plain_rows(t, d, rows);
        if (!CHECK_EQUAL(n, want)) fprintf(stderr, "min %s max %s\n", t->minima, t->maxima);
        check_page(s, t, rows, want);
        check_histogram(s, t, d, rows, want);
    }
    lode_store_free(s);
    free(rows);
    free(t);
}

static void test_random_queries(void) {
    static const uint32_t sizes[] = {1, 7, 1000, 1024, 5000};
    static const lode_pattern_kind kinds[] = {LODE_RULES, LODE_ITEMSETS, LODE_GRAPHS};
    for (unsigned threads = BY_BUILD(1, 1, 4); threads <= 4; threads += 3) {
        job = make_job(threads);
        for (unsigned i = 0; i < 5; i++) {
            for (unsigned k = 0; k < 3; k++) {
                uint32_t batch = 1 + (uint32_t)rng_below(&dice, 4096);
                store_data d = store_make(job, kinds[k], sizes[i], batch, &dice);
                check_store(&d, 30);
                store_drop(&d);
            }
        }
        lode_job_free(job);
    }
}

/* More rows than may be collected at once, most of them ties: the ends of a page have to be found
 * by row, too. */
static void test_many_ties(void) {
    static const char *const columns[] = {"small", "odd", "both", "lift"};
    lode_store *s = NULL;
    uint64_t got[300];
    job = make_job(2);
    store_data d = store_make(job, LODE_RULES, 60000, 4096, &dice);
    uint64_t *rows = calloc(d.n, sizeof *rows);
    OK(lode_store_open(job, &s, d.path));
    for (unsigned i = 0; i < 8; i += BY_BUILD(1, 1, 3)) {
        trial t = {.sort_by = columns[i / 2], .reverse = i % 2};
        t.query = (lode_query_options){
            .size = sizeof t.query, .sort_by = t.sort_by, .reverse = t.reverse};
        uint64_t n = plain_rows(&t, &d, rows);
        for (unsigned k = 0; k < BY_BUILD(8, 4, 2); k++) {
            uint64_t skip = k == 0 ? 0 : rng_below(&dice, n);
            size_t found = 0, wrong = 0;
            OK(lode_store_rows(s, &t.query, skip, got, 300, &found));
            for (size_t r = 0; r < found; r++) wrong += got[r] != rows[skip + r];
            CHECK_EQUAL(wrong, 0);
            CHECK_EQUAL(found, n - skip < 300 ? n - skip : 300);
        }
    }
    lode_store_free(s);
    store_drop(&d);
    free(rows);
    lode_job_free(job);
}

static void test_rows(void) {
    lode_store *s = NULL;
    lode_store_row row = LODE_INIT(lode_store_row);
    lode_store_info info = LODE_INIT(lode_store_info);
    uint32_t column, n = 0;
    size_t bytes;
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 2000, 300, &dice);
    OK(lode_store_open(job, &s, d.path));
    CHECK(lode_store_about(s, &info) && info.rows == 2000 && info.total == STORE_TOTAL);
    CHECK(info.kind == LODE_RULES && info.complete && info.min_count == 1);
    OK(lode_store_items(s, &n));
    CHECK_EQUAL(n, STORE_NAMES);
    CHECK(lode_store_column_find(s, "lift", &column));
    for (uint64_t i = 0; i < d.n; i++) {
        const store_row *r = &d.rows[i];
        double lift = 0;
        OK(lode_store_row_at(s, i, &row));
        OK(lode_store_value(s, i, column, &lift));
        CHECK(row.n_items == r->n_lhs && row.n_rhs == r->n_rhs && row.row == i);
        CHECK(memcmp(row.items, r->lhs, r->n_lhs * sizeof *r->lhs) == 0);
        CHECK(memcmp(row.rhs, r->rhs, r->n_rhs * sizeof *r->rhs) == 0);
        CHECK(row.counts.both == r->both && row.counts.lhs == r->lhs_count &&
              row.counts.rhs == r->rhs_count && row.counts.total == STORE_TOTAL);
        CHECK(fabs(lift - store_value(&d, r, "lift")) < 1e-12 * lift);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = UINT32_MAX;
        const char *name = lode_store_item_name(s, i, &bytes);
        CHECK(bytes == strlen(store_names[i]) && memcmp(name, store_names[i], bytes) == 0);
        OK(lode_store_item_find(s, name, bytes, &item));
        CHECK_EQUAL(item, i);
    }
    CHECK_EQUAL(lode_store_item_find(s, "mlik", 4, &column), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "did you mean 'milk'?") != NULL);
    CHECK_EQUAL(lode_store_row_at(s, 2000, &row), LODE_INVALID);
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* ---- supports ------------------------------------------------------------------------------- */

static bool holds(const store_row *r, const uint32_t *items, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < r->n_lhs; k++) found |= (uint32_t)r->lhs[k] == items[i];
        if (!found) return false;
    }
    return true;
}

static void test_supports(void) {
    enum { SETS = 400 };
    lode_store *s = NULL;
    static uint32_t items[SETS * 3];
    static uint64_t offsets[SETS + 1], supports[SETS];
    static lode_known known[SETS];
    job = make_job(3);
    store_data d = store_make(job, LODE_ITEMSETS, 3000, 500, &dice);
    for (unsigned i = 0; i < SETS; i++) {
        uint64_t n = rng_below(&dice, 4);
        for (uint64_t k = 0; k < n; k++) {
            items[offsets[i] + k] = (uint32_t)rng_below(&dice, STORE_NAMES);
        }
        offsets[i + 1] = offsets[i] + n;
    }
    OK(lode_store_open(job, &s, d.path));
    OK(lode_store_supports(s, SETS, offsets, items, supports, known));
    for (unsigned i = 0; i < SETS; i++) {
        uint64_t best = 0, n = offsets[i + 1] - offsets[i];
        for (uint32_t r = 0; r < d.n && n > 0; r++) {
            const store_row *row = &d.rows[r];
            if (row->both > best && holds(row, items + offsets[i], n)) best = row->both;
        }
        if (n == 0) best = STORE_TOTAL;
        if (known[i] == LODE_KNOWN_BELOW) CHECK_EQUAL(best, 0);
        /* This is no real result: a row that is the set itself counts before larger ones. */
        if (known[i] == LODE_KNOWN_EXACT && n < 1) CHECK_EQUAL(supports[i], best);
        if (known[i] == LODE_KNOWN_EXACT) CHECK(supports[i] <= best && supports[i] > 0);
        CHECK(known[i] == LODE_KNOWN_EXACT || known[i] == LODE_KNOWN_BELOW);
    }
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* ---- two stores ------------------------------------------------------------------------------ */

/* Whether rows have the same pattern; codes are sorted. */
static bool same_pattern(const store_data *d, const store_row *a, const store_row *b) {
    if (d->kind == LODE_GRAPHS) return strcmp(a->code, b->code) == 0;
    bool rules = d->kind == LODE_RULES;
    return a->n_lhs == b->n_lhs && memcmp(a->lhs, b->lhs, a->n_lhs * sizeof *a->lhs) == 0 &&
           (!rules ||
            (a->n_rhs == b->n_rhs && memcmp(a->rhs, b->rhs, a->n_rhs * sizeof *a->rhs) == 0));
}

static bool same_counts(const store_data *d, const store_row *a, const store_row *b) {
    return a->both == b->both && (d->kind != LODE_RULES ||
                                  (a->lhs_count == b->lhs_count && a->rhs_count == b->rhs_count));
}

static bool has_pattern(const store_data *d, const store_row *row) {
    for (uint32_t k = 0; k < d->n; k++) {
        if (same_pattern(d, &d->rows[k], row)) return true;
    }
    return false;
}

/* The second store has the first rows of the first one, in batches of another length. */
static void pair_kind(lode_pattern_kind kind) {
    lode_store *s = NULL, *other = NULL;
    static uint64_t partners[900];
    static bool equal[900];
    unsigned met = 0;
    rng again = dice;
    store_data a = store_make(job, kind, 900, 100, &dice),
               b = store_make(job, kind, 300, 70, &again);
    OK(lode_store_open(job, &s, a.path));
    OK(lode_store_open(job, &other, b.path));
    OK(lode_store_pair(s, other, partners, equal));
    for (uint32_t i = 0; i < a.n; i++) {
        bool has = partners[i] != UINT64_MAX;
        if (has) CHECK(partners[i] < b.n && same_pattern(&a, &a.rows[i], &b.rows[partners[i]]));
        CHECK_EQUAL(has, has_pattern(&b, &a.rows[i]));
        CHECK_EQUAL(equal[i], has && same_counts(&a, &a.rows[i], &b.rows[partners[i]]));
        met += has;
    }
    CHECK(met >= b.n && (met < a.n || kind == LODE_GRAPHS)); /* graphs: few different codes */
    OK(lode_store_pair(s, s, partners, NULL));               /* of equal rows, the first */
    for (uint32_t i = 0; i < a.n; i++) {
        CHECK(partners[i] <= i && same_pattern(&a, &a.rows[i], &a.rows[partners[i]]));
    }
    lode_store_free(s);
    lode_store_free(other);
    store_drop(&a);
    store_drop(&b);
}

static void test_pair(void) {
    job = make_job(2);
    pair_kind(LODE_ITEMSETS);
    pair_kind(LODE_GRAPHS);
    pair_kind(LODE_RULES);
    lode_store *s = NULL, *other = NULL;
    uint64_t partner = 7;
    store_data a = store_make(job, LODE_ITEMSETS, 9, 9, &dice),
               b = store_make(job, LODE_RULES, 9, 9, &dice);
    OK(lode_store_open(job, &s, a.path));
    OK(lode_store_open(job, &other, b.path));
    CHECK_EQUAL(lode_store_pair(s, other, &partner, NULL), LODE_INVALID);
    CHECK(strstr(lode_job_error(job), "only results of the same kind can be compared") != NULL);
    CHECK_EQUAL(partner, 7);
    lode_store_free(s);
    lode_store_free(other);
    store_drop(&a);
    store_drop(&b);
    lode_job_free(job);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

static void expect_message(lode_store *s, lode_query_options q, const char *words) {
    uint64_t n = 77;
    q.size = sizeof q;
    CHECK_EQUAL(lode_store_count(s, &q, &n), LODE_INVALID);
    CHECK_EQUAL(n, 77);
    if (!CHECK(strstr(lode_job_error(job), words) != NULL)) {
        fprintf(stderr, "  said: %s\n", lode_job_error(job));
    }
}

static void test_bad_queries(void) {
    lode_store *s = NULL;
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 50, 50, &dice);
    OK(lode_store_open(job, &s, d.path));
    expect_message(s, (lode_query_options){.minima = "lift"}, "such as lift=1.5");
    expect_message(s, (lode_query_options){.minima = "lift=x"}, "such as lift=1.5");
    expect_message(s, (lode_query_options){.minima = "lfit=1"}, "did you mean 'lift'?");
    expect_message(s, (lode_query_options){.maxima = "body=1"}, "not a column of numbers");
    expect_message(s, (lode_query_options){.include = "mlik"}, "did you mean 'milk'?");
    expect_message(s, (lode_query_options){.include = "zz*"}, "no item name matches 'zz*'");
    expect_message(s, (lode_query_options){.match = "("},
                   "cannot be used as a regular expression: '(' without ')' (byte 1)");
    expect_message(s, (lode_query_options){.match = "\n"}, "expected a regular expression");
    static const char *const picks[] = {"",   ",",   "1,", "1,,2",
                                        "-1", "1 2", "x",  "18446744073709551616"};
    for (unsigned i = 0; i < sizeof picks / sizeof *picks; i++) {
        expect_message(s, (lode_query_options){.pick = picks[i]}, "row numbers such as 3,17");
    }
    expect_message(s, (lode_query_options){.sort_by = "head"}, "not a column of numbers");
    expect_message(s, (lode_query_options){.reverse = true}, "sort-by");
    lode_store_free(s);
    store_drop(&d);
    d = store_make(job, LODE_ITEMSETS, 50, 50, &dice);
    s = NULL;
    OK(lode_store_open(job, &s, d.path));
    expect_message(s, (lode_query_options){.include_lhs = "milk"}, "only one side");
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* All that can be asked, once. */
static lode_status ask_everything(lode_store *s) {
    lode_status status = LODE_OK;
    uint64_t n = 0, rows[50];
    size_t found = 0;
    lode_histogram h = LODE_INIT(lode_histogram);
    lode_histogram_options o = {.size = sizeof o, .x = "odd", .y = "both"};
    lode_query_options q = {.size = sizeof q, .match = "e", .minima = "both=5", .sort_by = "odd"};
    lode_query_write_options w = {.size = sizeof w, .format = LODE_STORE_CSV, .measures = "lift"};
    LODE_TRY(lode_store_count(s, &q, &n));
    LODE_TRY(lode_store_rows(s, &q, 20, rows, 50, &found));
    LODE_TRY(lode_store_histogram(s, &q, &o, &h));
    LODE_TRY(lode_store_write(s, &q, "/dev/null", &w, &n));
done:
    return status;
}

/* Each request for memory fails once; nothing is left behind. */
static void test_memory_faults(void) {
    faulty f = {.fail_at = UINT64_MAX};
    pthread_mutex_init(&f.lock, NULL);
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 300, 100, &dice);
    lode_job_free(job);
    for (uint64_t k = 0, done = 0; !done; k++) {
        lode_store *s = NULL;
        lode_job_options o = {.size = sizeof o, .threads = 2};
        f.fail_at = UINT64_MAX;
        if (job_with_memory(&job, &o, faulty_resize, &f) != LODE_OK) exit(2);
        f.calls = 0;
        f.fail_at = k;
        lode_status status = lode_store_open(job, &s, d.path);
        if (status == LODE_OK) status = ask_everything(s);
        done = f.calls <= k;
        CHECK(done ? status == LODE_OK : status == LODE_NOMEM);
        lode_store_free(s);
        lode_job_free(job);
        CHECK_EQUAL(f.live, 0);
        CHECK(!f.wrong_size);
    }
    store_drop(&d);
}

static void poll_cancel(void *user) {
    _Atomic int64_t *left = user;
    if (atomic_fetch_sub(left, 1) == 1) lode_job_cancel(job);
}

static void poll_count(void *user) {
    ++*(uint64_t *)user;
}

/* How often a question looks whether it may go on, which it does for every block of rows. */
static uint64_t polls_of(lode_store *s, const lode_query_options *q, bool page) {
    uint64_t polls = 0, n = 0, rows[100];
    lode_page found = LODE_INIT(lode_page);
    job->deadline = 1e300; /* so that every poll looks */
    job->on_poll = poll_count;
    job->on_poll_user = &polls;
    OK(page ? lode_store_page(s, q, 20000, rows, 100, &found) : lode_store_count(s, q, &n));
    job->on_poll = NULL;
    job->deadline = 0;
    CHECK(!page || (found.n == 100 && found.found > 40000));
    return polls;
}

/* A page, and how many rows there are, take one pass. */
static void test_one_pass(void) {
    job = make_job(1);
    store_data d = store_make(job, LODE_ITEMSETS, 50000, 1024, &dice);
    lode_store *s = NULL;
    lode_query_options q = {.size = sizeof q, .minima = "count=2", .exclude = "ale"};
    OK(lode_store_open(job, &s, d.path));
    uint64_t count = polls_of(s, &q, false), page = polls_of(s, &q, true);
    CHECK(count >= 49 && page <= count + count / 4);
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

typedef struct taken {
    char text[1 << 16];
    size_t n, most;
} taken;

static int take_text(void *user, const char *text, size_t bytes) {
    taken *t = user;
    if (t->n + bytes > t->most) return 1;
    memcpy(t->text + t->n, text, bytes);
    t->n += bytes;
    return 0;
}

/* A function gets what a file gets, and may stop. */
static void test_write_call(void) {
    static taken told, stopped;
    static char expected[1 << 16];
    char path[64];
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 500, 100, &dice);
    lode_store *s = NULL;
    lode_query_options q = {.size = sizeof q, .minima = "both=20", .sort_by = "odd"};
    lode_query_write_options w = {.size = sizeof w, .format = LODE_STORE_CSV, .measures = "lift"};
    uint64_t rows = 0, again = 0;
    snprintf(path, sizeof path, "/tmp/lode-written-%ld", (long)getpid());
    told.most = sizeof told.text;
    OK(lode_store_open(job, &s, d.path));
    OK(lode_store_write(s, &q, path, &w, &rows));
    OK(lode_store_write_call(s, &q, take_text, &told, &w, &again));
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(expected, 1, sizeof expected, f) : 0;
    CHECK(rows == again && n == told.n && memcmp(expected, told.text, n) == 0);
    if (f) fclose(f);
    CHECK_EQUAL(lode_store_write_call(s, &q, take_text, &stopped, &w, NULL), LODE_STOPPED);
    OK(lode_store_count(s, &q, &again));
    CHECK_EQUAL(rows, again);
    unlink(path);
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* A cancel at the k-th poll. */
static void test_cancels(void) {
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 3000, 700, &dice);
    lode_store *s = NULL;
    OK(lode_store_open(job, &s, d.path));
    for (int64_t k = 1;; k += 1 + k / 8) {
        _Atomic int64_t left = k;
        job->deadline = 1e300; /* so that every poll looks */
        job->on_poll = poll_cancel;
        job->on_poll_user = &left;
        lode_status status = ask_everything(s);
        job->on_poll = NULL;
        job->deadline = 0;
        lode_job_reset(job);
        if (left > 0) {
            CHECK_EQUAL(status, LODE_OK);
            break;
        }
        CHECK_EQUAL(status, LODE_CANCELLED);
    }
    OK(ask_everything(s));
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* Codes of graphs, on two threads, under one regular expression of hundreds of places and others
 * that are simple. */
static lode_status match_codes(lode_store *s, uint64_t *n) {
    lode_query_options q = {.size = sizeof q, .match = "x.*[B-D]\n(.|,){60}|^.0\n[^E]\\)$"};
    return lode_store_count(s, &q, n);
}

/* Each request for memory fails once, a budget of 2 MiB is enough, and a cancel at the k-th poll is
 * heard. */
static void test_codes(void) {
    faulty f = {.fail_at = UINT64_MAX};
    pthread_mutex_init(&f.lock, NULL);
    job = make_job(1);
    store_data d = store_make(job, LODE_GRAPHS, 3000, 700, &dice);
    lode_job_free(job);
    uint64_t want = UINT64_MAX;
    for (uint64_t k = 0, done = 0; !done; k++) {
        lode_store *s = NULL;
        uint64_t n = 0;
        _Atomic int64_t left = (int64_t)k;
        lode_job_options o = {.size = sizeof o, .threads = 2, .memory_bytes = 2 << 20};
        f.fail_at = UINT64_MAX;
        if (job_with_memory(&job, &o, faulty_resize, &f) != LODE_OK) exit(2);
        OK(lode_store_open(job, &s, d.path));
        if (k == 0) OK(match_codes(s, &want));
        f.calls = 0;
        f.fail_at = k;
        lode_status status = match_codes(s, &n);
        done = f.calls <= k;
        CHECK(done ? status == LODE_OK && n == want : status == LODE_NOMEM);
        f.fail_at = UINT64_MAX;
        job->deadline = 1e300;
        job->on_poll = poll_cancel;
        job->on_poll_user = &left;
        status = match_codes(s, &n);
        job->on_poll = NULL;
        job->deadline = 0;
        CHECK_EQUAL(status, k > 0 && left <= 0 ? LODE_CANCELLED : LODE_OK);
        lode_store_free(s);
        lode_job_free(job);
        CHECK(f.live == 0 && !f.wrong_size);
    }
    CHECK(want > 0 && want < 3000);
    store_drop(&d);
}

/* A limit for matching alone. */
static void test_match_seconds(void) {
    static const lode_pattern_kind kinds[] = {LODE_RULES, LODE_GRAPHS};
    for (unsigned i = 0; i < 2; i++) {
        job = make_job(1 + i);
        store_data d = store_make(job, kinds[i], 3000, 700, &dice);
        lode_store *s = NULL;
        uint64_t n = 0, want = 0;
        lode_query_options q = {.size = sizeof q, .match = "A|e"};
        OK(lode_store_open(job, &s, d.path));
        OK(lode_store_count(s, &q, &want));
        q.match_seconds = 1e-9;
        CHECK_EQUAL(lode_store_count(s, &q, &n), LODE_STOPPED);
        CHECK(strstr(lode_job_error(job), "matching takes longer than 1e-09 seconds") != NULL);
        q.match_seconds = 1000;
        OK(lode_store_count(s, &q, &n));
        CHECK_EQUAL(n, want);
        q.match = NULL;
        q.match_seconds = 1e-9;
        OK(lode_store_count(s, &q, &n));
        q.match_seconds = -1;
        CHECK_EQUAL(lode_store_count(s, &q, &n), LODE_INVALID);
        lode_store_free(s);
        store_drop(&d);
        lode_job_free(job);
    }
}

/* What a page takes does not depend on the number of rows, nor on the page. */
static void test_budget(void) {
    lode_job_options o = {.size = sizeof o, .threads = 2, .memory_bytes = 4 << 20};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    store_data d = store_make(job, LODE_RULES, 100000, 4096, &dice);
    lode_store *s = NULL;
    uint64_t rows[100];
    size_t n = 0;
    lode_query_options q = {.size = sizeof q, .sort_by = "lift", .minima = "both=2"};
    OK(lode_store_open(job, &s, d.path));
    OK(lode_store_rows(s, &q, 50000, rows, 100, &n));
    CHECK_EQUAL(n, 100);
    lode_store_free(s);
    store_drop(&d);
    lode_job_free(job);
}

/* Any byte of a file may be another: an answer or one sentence, and nothing worse. */
static void test_damage(void) {
    job = make_job(1);
    store_data d = store_make(job, LODE_RULES, 40, 16, &dice);
    FILE *f = fopen(d.path, "rb");
    static char whole[1 << 16], bad[1 << 16];
    if (!f) exit(2);
    size_t n = fread(whole, 1, sizeof whole, f);
    fclose(f);
    CHECK(n > 0 && n < sizeof whole);
    for (unsigned i = 0; i < BY_BUILD(1500, 1500, 300); i++) {
        size_t bytes = i % 5 == 0 ? rng_below(&dice, n) : n;
        memcpy(bad, whole, n);
        if (i % 8) store_forget_checksums(bad, n);
        for (unsigned k = 0; i % 5 != 0 && k < 1 + i % 3; k++) {
            bad[rng_below(&dice, n)] = (char)rng_below(&dice, 256);
        }
        f = fopen(d.path, "wb");
        if (!f || fwrite(bad, 1, bytes, f) != bytes) exit(2);
        fclose(f);
        lode_store *s = NULL;
        lode_store_row row = LODE_INIT(lode_store_row);
        lode_status status = lode_store_open(job, &s, d.path);
        if (status == LODE_OK) status = ask_everything(s);
        if (status == LODE_OK) status = lode_store_row_at(s, 39, &row);
        bool told = status == LODE_OK || lode_job_error(job)[0];
        CHECK(told && (status == LODE_OK || status == LODE_PARSE || status == LODE_INVALID));
        lode_store_free(s);
    }
    store_drop(&d);
    lode_job_free(job);
}

/* Everything that a store says, as text. */
static lode_status tell_everything(const char *path, char *out, size_t room) {
    lode_status status = LODE_OK;
    lode_store *s = NULL;
    lode_store_info info = LODE_INIT(lode_store_info);
    size_t n = 0, bytes = 0;
    double value;
    LODE_TRY(lode_store_open(job, &s, path));
    (void)lode_store_about(s, &info);
    n += (size_t)snprintf(out, room, "%d %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u\n",
                          info.kind, info.target, info.complete, info.ended, info.rows, info.total,
                          info.min_count, info.min_size, info.max_size);
    for (uint64_t i = 0; i < info.rows; i++) {
        lode_store_row row = LODE_INIT(lode_store_row);
        lode_column c = LODE_INIT(lode_column);
        LODE_TRY(lode_store_row_at(s, i, &row));
        for (uint32_t k = 0; k < row.n_items + row.n_rhs; k++) {
            uint32_t item = k < row.n_items ? row.items[k] : row.rhs[k - row.n_items];
            const char *name = lode_store_item_name(s, item, &bytes);
            n += (size_t)snprintf(out + n, room - n, "%u %.*s,", item, (int)bytes, name);
        }
        n += (size_t)snprintf(out + n, room - n, "%.*s", (int)row.text_bytes, row.text);
        for (uint32_t k = 0; lode_store_column(s, k, &c); k++) {
            if (!c.stored || c.type < LODE_COLUMN_COUNT) continue;
            LODE_TRY(lode_store_value(s, i, k, &value));
            n += (size_t)snprintf(out + n, room - n, " %s %a", c.name, value);
        }
        if (n >= room) exit(2);
    }
done:
    lode_store_free(s);
    return status;
}

/* One bit is another: the file is refused, or it is one that says nothing. */
static void test_flipped_bits(void) {
    static char whole[1 << 16], told[1 << 18], expected[1 << 18];
    unsigned places = BY_BUILD(400, 250, 200);
    job = make_job(1);
    for (unsigned kind = 0; kind < 3; kind++) {
        store_data d = store_make(job, (lode_pattern_kind)kind, 120, 50, &dice);
        unsigned refused = 0;
        FILE *f = fopen(d.path, "rb");
        size_t n = f ? fread(whole, 1, sizeof whole, f) : 0;
        if (!f || fclose(f) != 0 || n == sizeof whole) exit(2);
        OK(tell_everything(d.path, expected, sizeof expected));
        for (unsigned i = 0; i < places; i++) {
            size_t at = i * n / places;
            whole[at] = (char)(whole[at] ^ 1 << i % 8);
            f = fopen(d.path, "wb");
            if (!f || fwrite(whole, 1, n, f) != n || fclose(f) != 0) exit(2);
            whole[at] = (char)(whole[at] ^ 1 << i % 8);
            lode_status status = tell_everything(d.path, told, sizeof told);
            refused += status == LODE_PARSE && lode_job_error(job)[0];
            CHECK(status == LODE_PARSE || (status == LODE_OK && strcmp(told, expected) == 0));
        }
        CHECK(refused > places / 2); /* others hit zeros between columns, and the first schema */
        store_drop(&d);
    }
    lode_job_free(job);
}

int main(void) {
    dice = rng_make(20171, 0);
    CHECK_RUN(test_random_queries);
    CHECK_RUN(test_many_ties);
    CHECK_RUN(test_rows);
    CHECK_RUN(test_supports);
    CHECK_RUN(test_pair);
    CHECK_RUN(test_bad_queries);
    CHECK_RUN(test_one_pass);
    CHECK_RUN(test_write_call);
    CHECK_RUN(test_match_seconds);
    CHECK_RUN(test_budget);
    if (BY_BUILD(false, false, true)) return check_result(); /* the rest is on one thread */
    CHECK_RUN(test_cancels);
    CHECK_RUN(test_codes);
    CHECK_RUN(test_memory_faults);
    CHECK_RUN(test_damage);
    CHECK_RUN(test_flipped_bits);
    return check_result();
}
