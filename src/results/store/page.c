/* page.c - a page of rows, in any order, in memory that depends only on the size of the page
 *
 * In the order of a column, the rows of a page lie between two ends: the row of the first rank and
 * that of the last. Rows are compared by a key, a 64-bit number that ascends in the requested
 * order; rows with equal keys are compared by row number. Each end is known to lie in a range of
 * keys. Each pass over the rows divides that range into parts, counts the rows of each, and keeps
 * one part. (Once a range contains one key only, row numbers are divided instead.) When few rows
 * are left between the outer bounds of both ends, one more pass collects them, and they are sorted.
 *
 *          ├──────────────┼────┼──────────────┼────┼─────────┤   keys
 *                         first                last
 *
 * In the order of the file, batches are counted until the page is complete, or to the end if the
 * number of all rows is requested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/check.h"
#include "results/store/scan_rows.h"
#include "runtime/valid.h"

#define PAGE_PARTS 8192 /* into which a pass divides a range; a power of two */
#define PAGE_SPARE 4096 /* rows that may be collected in addition to those of the page */

typedef struct page_row {
    uint64_t key, row;
} page_row;

static bool page_row_before(const page_row *a, const page_row *b) {
    return a->key != b->key ? a->key < b->key : a->row < b->row;
}

#define SORT_NAME   sort_page_rows
#define SORT_TYPE   page_row
#define SORT_BEFORE page_row_before
#include "base/sort_body.h"

/* The request. */
typedef struct page {
    uint64_t skip;
    uint64_t *rows; /* of the caller */
    size_t room, n;
    bool counts;    /* all rows that are found, not only those up to the page */
    uint64_t found; /* so far; of `counts`, all of them */
} page;

/* ---- keys ----------------------------------------------------------------------------------- */

/* Returns a key in the order of the values; NaN is above all numbers. No number has the highest
 * key, in either direction, so NaN comes last in both orders. */
static inline uint64_t page_key(double value, bool falling) {
    uint64_t bits, key;
    if (value != value) return UINT64_MAX;
    value += 0.0; /* -0 and 0 are equal */
    memcpy(&bits, &value, sizeof bits);
    key = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return falling ? ~key : key;
}

/* The keys of a block, in place of its values. */
static lode_status page_keys(const scan_block *block, const query_plan *p, uint64_t *keys) {
    double reals[64];
    if (p->order->type == LODE_COLUMN_COUNT) {
        lode_status status = stored_counts(block->batch, p->order, block->range, keys);
        for (uint32_t i = 0; p->falling && status == LODE_OK && i < block->range.n; i++) {
            keys[i] = ~keys[i];
        }
        return status;
    }
    for (uint32_t at = 0; at < block->range.n; at += 64) {
        uint32_t n = block->range.n - at < 64 ? block->range.n - at : 64;
        stored_range part = {block->range.from + at, n, block->range.mask + at};
        lode_status status = stored_reals(block->batch, p->order, part, reals);
        if (status != LODE_OK) return status;
        for (uint32_t i = 0; i < n; i++) keys[at + i] = page_key(reals[i], p->falling);
    }
    return LODE_OK;
}

/* ---- the two ends --------------------------------------------------------------------------- */

/* The range that contains the row of a rank: its key is within low … high. If these are equal, its
 * row is within row_low … row_high. */
typedef struct page_end {
    uint64_t rank;
    uint64_t low, high;
    uint64_t row_low, row_high;
    uint64_t before, inside; /* rows before the range, and in it */
    unsigned shift;          /* of a pass: how wide a part is */
} page_end;

/* What a thread counts. */
typedef struct page_tally {
    uint64_t keys[SCAN_BLOCK];
    uint64_t found, low, high; /* rows, and their lowest and highest key */
    uint64_t parts[2][PAGE_PARTS];
} page_tally;

typedef struct page_search {
    const query_plan *plan;
    page_tally *tallies; /* one a thread */
    unsigned width;
    page_end ends[2];
    page_row *rows; /* collected */
    uint64_t cap;
    _Atomic uint64_t n;
} page_search;

static lode_status page_visit_range(void *user, const scan_block *block) {
    page_search *s = user;
    page_tally *t = &s->tallies[block->worker];
    lode_status status = page_keys(block, s->plan, t->keys);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < block->range.n; i++) {
        if (!block->range.mask[i]) continue;
        if (t->keys[i] < t->low) t->low = t->keys[i];
        if (t->keys[i] > t->high) t->high = t->keys[i];
    }
    t->found += block->found;
    return LODE_OK;
}

static void page_count_parts(const page_end *e, const scan_block *block, const page_tally *t,
                             uint64_t *parts) {
    bool by_row = e->low == e->high;
    for (uint32_t i = 0; i < block->range.n; i++) {
        uint64_t key = t->keys[i], row = block->first + i;
        if (!block->range.mask[i] || key < e->low || key > e->high) continue;
        if (!by_row) {
            parts[(key - e->low) >> e->shift]++;
        } else if (row >= e->row_low && row <= e->row_high) {
            parts[(row - e->row_low) >> e->shift]++;
        }
    }
}

static lode_status page_visit_parts(void *user, const scan_block *block) {
    page_search *s = user;
    page_tally *t = &s->tallies[block->worker];
    lode_status status = page_keys(block, s->plan, t->keys);
    if (status != LODE_OK) return status;
    for (unsigned k = 0; k < 2; k++) page_count_parts(&s->ends[k], block, t, t->parts[k]);
    return LODE_OK;
}

static lode_status page_changed(const page_search *s) {
    return job_fail(s->plan->store->job, LODE_IO, "%s: the file has changed since it was opened",
                    s->plan->store->path);
}

/* Leaves of a range the part that the rank is in. */
static lode_status page_narrow(page_search *s, unsigned k) {
    page_end *e = &s->ends[k];
    uint64_t part = 0, n = 0;
    for (;; part++) {
        n = 0;
        for (unsigned w = 0; w < s->width; w++) n += s->tallies[w].parts[k][part];
        if (e->rank < e->before + n || part == PAGE_PARTS - 1) break;
        e->before += n;
    }
    bool by_row = e->low == e->high;
    uint64_t *low = by_row ? &e->row_low : &e->low, *high = by_row ? &e->row_high : &e->high;
    uint64_t last = *high;
    *low += part << e->shift;
    *high = *low + (((uint64_t)1 << e->shift) - 1);
    if (*high > last || *high < *low) *high = last;
    e->inside = n;
    LODE_DEBUG_CHECK(*low <= *high && e->before <= e->rank,
                     "rank %llu lies before the first of the rows, which has rank %llu",
                     (unsigned long long)e->rank, (unsigned long long)e->before);
    return e->rank - e->before < n ? LODE_OK : page_changed(s);
}

/* How wide parts must be so that there are few enough. */
static unsigned page_shift(const page_end *e) {
    uint64_t span = e->low == e->high ? e->row_high - e->row_low : e->high - e->low;
    unsigned shift = 0;
    while (span >> shift >= PAGE_PARTS) shift++;
    return shift;
}

/* Rows from the first that the first end may be to the last that the last end may be. */
static uint64_t page_between(const page_search *s) {
    return s->ends[1].before + s->ends[1].inside - s->ends[0].before;
}

static lode_status page_find_ends(page_search *s, uint64_t most) {
    lode_status status = LODE_OK;
    while (page_between(s) > most) {
        for (unsigned w = 0; w < s->width; w++) {
            memset(s->tallies[w].parts, 0, sizeof s->tallies[w].parts);
        }
        for (unsigned k = 0; k < 2; k++) s->ends[k].shift = page_shift(&s->ends[k]);
        LODE_TRY(scan_all(s->plan, page_visit_parts, s));
        for (unsigned k = 0; k < 2; k++) LODE_TRY(page_narrow(s, k));
    }
done:
    return status;
}

/* ---- the rows between them ------------------------------------------------------------------ */

static bool page_is_between(const page_search *s, uint64_t key, uint64_t row) {
    const page_end *a = &s->ends[0], *b = &s->ends[1];
    if (key < a->low || key > b->high) return false;
    if (a->low == a->high && key == a->low && row < a->row_low) return false;
    return !(b->low == b->high && key == b->high && row > b->row_high);
}

static lode_status page_visit_collect(void *user, const scan_block *block) {
    page_search *s = user;
    page_tally *t = &s->tallies[block->worker];
    lode_status status = page_keys(block, s->plan, t->keys);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < block->range.n; i++) {
        uint64_t row = block->first + i;
        if (!block->range.mask[i] || !page_is_between(s, t->keys[i], row)) continue;
        uint64_t at = atomic_fetch_add_explicit(&s->n, 1, memory_order_relaxed);
        if (at < s->cap) s->rows[at] = (page_row){t->keys[i], row};
    }
    return LODE_OK;
}

static lode_status page_collect(page_search *s, page *out) {
    lode_status status = LODE_OK;
    lode_job *job = s->plan->store->job;
    size_t bytes;
    sort_stop stop = job_sort_stop(job);
    s->cap = page_between(s);
    bytes = s->cap * sizeof *s->rows;
    LODE_TRY(mem_resize(&job->mem, (void **)&s->rows, 0, bytes));
    LODE_TRY(scan_all(s->plan, page_visit_collect, s));
    if (s->n != s->cap) LODE_LEAVE(page_changed(s));
    if (!sort_page_rows(s->rows, s->cap, &stop)) LODE_LEAVE(job_check(job));
    uint64_t first = out->skip - s->ends[0].before;
    out->n = (size_t)(s->ends[1].rank - s->ends[0].rank + 1);
    LODE_DEBUG_CHECK(first + out->n <= s->cap && out->n <= out->room,
                     "a page has %zu rows from row %llu on, but there are only %llu", out->n,
                     (unsigned long long)first, (unsigned long long)s->cap);
    for (size_t i = 0; i < out->n; i++) {
        LODE_DEBUG_CHECK(i == 0 || page_row_before(&s->rows[first + i - 1], &s->rows[first + i]),
                         "a page is out of order");
        out->rows[i] = s->rows[first + i].row;
    }
done:
    if (s->rows) mem_free(&job->mem, s->rows, bytes);
    return status;
}

static lode_status page_sorted(const query_plan *plan, page *out) {
    lode_status status = LODE_OK;
    mem *m = &plan->store->job->mem;
    page_search s = {.plan = plan, .width = scan_width(plan->store)};
    size_t bytes = s.width * sizeof *s.tallies;
    uint64_t found = 0, low = UINT64_MAX, high = 0;
    LODE_TRY(mem_zalloc(m, (void **)&s.tallies, bytes));
    for (unsigned w = 0; w < s.width; w++) s.tallies[w].low = UINT64_MAX;
    LODE_TRY(scan_all(plan, page_visit_range, &s));
    for (unsigned w = 0; w < s.width; w++) {
        const page_tally *t = &s.tallies[w];
        found += t->found;
        if (t->low < low) low = t->low;
        if (t->high > high) high = t->high;
    }
    out->found = found;
    if (out->skip >= found) goto done;
    uint64_t last = found - out->skip > out->room ? out->skip + out->room - 1 : found - 1;
    s.ends[0] = (page_end){out->skip, low, high, 0, plan->store->info.rows - 1, 0, found, 0};
    s.ends[1] = s.ends[0];
    s.ends[1].rank = last;
    LODE_TRY(page_find_ends(&s, out->room + PAGE_SPARE));
    LODE_TRY(page_collect(&s, out));
done:
    if (s.tallies) mem_free(m, s.tallies, bytes);
    return status;
}

/* ---- the order of the file ------------------------------------------------------------------- */

/* Batches that are scanned before checking whether the page is complete. Single-threaded scans
 * check earlier, because the first page is often in the first batch. */
#define PAGE_GROUP 64

typedef struct page_group {
    uint64_t counts[PAGE_GROUP]; /* rows found in each batch; then, the rank of its next one */
    uint32_t first;
    page *out;
} page_group;

static lode_status page_visit_count(void *user, const scan_block *block) {
    page_group *g = user;
    g->counts[block->batch->batch - g->first] += block->found;
    return LODE_OK;
}

/* Takes the rows of the page; `rank` is that of the first row of the block. */
static void page_take(page *out, const scan_block *block, uint64_t rank) {
    if (rank + block->found <= out->skip || rank >= out->skip + out->room) return;
    for (uint32_t i = 0; i < block->range.n; i++) {
        if (!block->range.mask[i]) continue;
        uint64_t at = rank - out->skip; /* wraps around for those before the page */
        if (rank >= out->skip && at < out->room) out->rows[at] = block->first + i;
        rank++;
    }
}

static lode_status page_visit_take(void *user, const scan_block *block) {
    page_group *g = user;
    uint64_t *rank = &g->counts[block->batch->batch - g->first];
    page_take(g->out, block, *rank);
    *rank += block->found;
    return LODE_OK;
}

/* One thread meets blocks in their order: it counts and takes at the same time. */
static lode_status page_visit_next(void *user, const scan_block *block) {
    page *out = user;
    page_take(out, block, out->found);
    out->found += block->found;
    return LODE_OK;
}

static bool page_is_reached(const page *out) {
    return out->found >= out->skip + out->room;
}

/* Counts each batch of a group, and then scans the batches of the page again. */
static lode_status page_pass_group(scan_pass pass, page *out) {
    lode_status status = LODE_OK;
    page_group g = {.first = pass.first, .out = out};
    uint32_t first = pass.end, end = pass.first, n = pass.end - pass.first;
    pass.visit = page_visit_count;
    pass.user = &g;
    LODE_TRY(scan_run(&pass));
    for (uint32_t b = 0; b < n; b++) {
        uint64_t rank = out->found;
        bool inside = !page_is_reached(out) && rank + g.counts[b] > out->skip;
        out->found += g.counts[b];
        g.counts[b] = rank;
        if (!inside) continue;
        if (first > pass.first + b) first = pass.first + b;
        end = pass.first + b + 1;
    }
    pass.first = first;
    pass.end = end;
    pass.visit = page_visit_take;
    LODE_TRY(scan_run(&pass));
done:
    return status;
}

/* Adds up what the batches from `first` on have. */
static lode_status page_count_rest(const query_plan *plan, uint32_t first, page *out) {
    _Atomic uint64_t found = 0;
    scan_pass pass = {plan, first, arrow_n_batches(plan->store->file), scan_visit_count, &found};
    lode_status status = scan_run(&pass);
    out->found += found;
    return status;
}

static lode_status page_in_file(const query_plan *plan, page *out) {
    lode_status status = LODE_OK;
    bool alone = scan_width(plan->store) == 1;
    uint32_t n = arrow_n_batches(plan->store->file), first = scan_first(plan), group = 1;
    for (uint32_t end; first < n && !page_is_reached(out); first = end) {
        end = n - first < group ? n : first + group;
        scan_pass pass = {plan, first, end, page_visit_next, out};
        LODE_TRY(alone ? scan_run(&pass) : page_pass_group(pass, out));
        if (!alone && group < PAGE_GROUP) group *= 2;
    }
    if (out->counts) LODE_TRY(page_count_rest(plan, first, out));
    if (out->found > out->skip) {
        out->n = out->found - out->skip < out->room ? (size_t)(out->found - out->skip) : out->room;
    }
done:
    return status;
}

#if LODE_DEBUG
/* Checks that the page lies within the found rows and, in the order of the file, that its rows
 * ascend. */
static void page_validate(const query_plan *plan, const page *out) {
    LODE_DEBUG_CHECK(out->n <= out->room && (out->n == 0 || out->skip + out->n <= out->found),
                     "a page has %zu rows after %llu skipped ones, but only %llu were found",
                     out->n, (unsigned long long)out->skip, (unsigned long long)out->found);
    for (size_t i = 0; i < out->n; i++) {
        LODE_DEBUG_CHECK(out->rows[i] < plan->store->info.rows &&
                             (plan->order || i == 0 || out->rows[i - 1] < out->rows[i]),
                         "row %llu of a page is out of order", (unsigned long long)out->rows[i]);
    }
}
#endif

static lode_status page_answer(const query_plan *plan, void *user) {
    page *out = user;
    if (query_is_open(plan) && !plan->order) {
        /* Every row of the file: their numbers are known. */
        uint64_t rows = plan->store->info.rows;
        out->found = plan->from < rows ? rows - plan->from : 0;
        uint64_t left = out->found > out->skip ? out->found - out->skip : 0;
        out->n = left < out->room ? (size_t)left : out->room;
        for (size_t i = 0; i < out->n; i++) out->rows[i] = plan->from + out->skip + i;
        LODE_VALIDATE(page_validate(plan, out));
        return LODE_OK;
    }
    if (out->room == 0) return out->counts ? page_count_rest(plan, scan_first(plan), out) : LODE_OK;
    lode_status status = plan->order ? page_sorted(plan, out) : page_in_file(plan, out);
    if (status == LODE_OK) LODE_VALIDATE(page_validate(plan, out));
    return status;
}

static lode_status page_ask(lode_store *store, const lode_query_options *query, page *out) {
    if (!out->rows && out->room > 0) return job_fail(store->job, LODE_INVALID, "rows is NULL");
    if (out->skip > UINT64_MAX / 2 || out->room > UINT64_MAX / 2 - PAGE_SPARE) {
        return job_fail(store->job, LODE_INVALID, "skip or room is out of range");
    }
    return scan_ask(store, query, page_answer, out);
}

lode_status lode_store_rows(lode_store *store, const lode_query_options *query, uint64_t skip,
                            uint64_t *rows, size_t room, size_t *n) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(n));
    page out = {.skip = skip, .rows = rows, .room = room};
    lode_status status = page_ask(store, query, &out);
    if (status == LODE_OK) *n = out.n;
    return status;
}

lode_status lode_store_page(lode_store *store, const lode_query_options *query, uint64_t skip,
                            uint64_t *rows, size_t room, lode_page *out) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(out));
    page asked = {.skip = skip, .rows = rows, .room = room, .counts = true};
    lode_status status = page_ask(store, query, &asked);
    if (status != LODE_OK) return status;
    lode_page found = {.size = sizeof found, .n = asked.n, .found = asked.found};
    if (valid_fill(out, &found)) return LODE_OK;
    return job_fail(store->job, LODE_INVALID, "the size of a lode_page is not set");
}
