/* survey.c - see survey.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/survey.h"

#include "pipeline/spill/spill_roots.h"
#include "pipeline/spill/spill_rows.h"

typedef struct spill_survey {
    spill_job *s;
    const spill_part *part;
    const spill_counts *c;
    unsigned n;          /* bins */
    uint32_t *starts;    /* n + 1: their first numbers */
    uint16_t *bins;      /* by number, from part->first on */
    spill_size *at;      /* by m and y, n + 1 of these: see survey.h; first as differences */
    uint8_t *code;       /* a row as it would be written … */
    uint32_t *code_ends; /* … and where its items end */
    mem_kept kept;       /* these arrays */
} spill_survey;

bool spill_fits(const spill_job *s, uint64_t room, uint64_t n_rows, uint64_t n_occurrences,
                uint32_t n_items) {
    uint64_t most = s->job->spill_most;
    if (most > 0 && n_occurrences > most) return false;
    return spill_need(s, n_rows, n_occurrences, n_items) <= room;
}

/* ---- bins ------------------------------------------------------------------------------------ */

/* As many as the memory has room for, and there are roots. */
static unsigned survey_bins(const spill_job *s, const spill_counts *c) {
    size_t left = mem_left(s->mem);
    unsigned n = SPILL_BINS;
    while (n > 2 && (size_t)n * n * sizeof(spill_size) > left / SPILL_SURVEY_SHARE) n /= 2;
    return n < c->n_roots ? n : c->n_roots;
}

/* Divides the roots into bins with about equal numbers of occurrences; no bin is empty. The first
 * bin begins with a root and the last one ends with one, so dividing a part always makes it
 * smaller. */
static void survey_divide(spill_survey *v) {
    const uint32_t *supports = v->c->supports;
    uint32_t first = v->part->first, left = v->c->n_roots, last = first;
    uint64_t total = 0, sum = 0;
    unsigned bin = 0;
    for (uint32_t i = first; i < v->part->end; i++) {
        total += spill_is_root(v->s, i) ? supports[i] : 0;
    }
    for (uint32_t i = first; i < v->part->end; i++) {
        if (supports[i] == 0 || !spill_is_root(v->s, i)) continue;
        if (sum == 0) v->starts[0] = i;
        last = i;
        bool full = sum * v->n >= total * (bin + 1), needed = left <= v->n - 1 - bin;
        if ((full || needed) && bin + 1 < v->n && sum > 0) v->starts[++bin] = i;
        v->bins[i - first] = (uint16_t)bin;
        sum += supports[i];
        left--;
    }
    v->n = bin + 1;
    v->starts[v->n] = last + 1;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static spill_size *survey_at(const spill_survey *v, unsigned m, unsigned y) {
    return &v->at[(size_t)m * (v->n + 1) + y];
}

/* What a row takes that is written with its first n items. */
static spill_size survey_amount(const spill_survey *v, uint32_t n, uint32_t weight) {
    spill_size a = {.n_rows = 1, .n_items = n};
    a.n_bytes = spool_varint_bytes(n) + v->code_ends[n - 1];
    if (v->s->weighted) a.n_bytes += spool_varint_bytes(weight);
    return a;
}

/* Adds a row to at(m, y) for all y in [m, next), by differences; unsigned sums may wrap. */
static void survey_note(spill_survey *v, unsigned m, unsigned next, spill_size a) {
    spill_size *from = survey_at(v, m, m), *to = survey_at(v, m, next);
    from->n_rows += a.n_rows;
    from->n_items += a.n_items;
    from->n_bytes += a.n_bytes;
    to->n_rows -= a.n_rows;
    to->n_items -= a.n_items;
    to->n_bytes -= a.n_bytes;
}

/* The next root of a row, from item i on; r->n: none. */
static uint32_t survey_next(const spill_survey *v, const spill_rows *r, uint32_t i) {
    for (; i < r->n && r->items[i] < v->part->end; i++) {
        if (spill_is_root(v->s, r->items[i])) return i;
    }
    return r->n;
}

static void survey_row(spill_survey *v, const spill_rows *r) {
    uint32_t first = v->part->first, next, i = survey_next(v, r, spill_rows_find(r, first));
    if (i == r->n) return;
    spool_encode(r->items, r->n, v->code, v->code_ends);
    for (; i < r->n; i = next) {
        next = survey_next(v, r, i + 1);
        unsigned bin = v->bins[r->items[i] - first];
        unsigned after = next == r->n ? v->n : v->bins[r->items[next] - first];
        if (after > bin) {
            survey_note(v, bin, after, survey_amount(v, v->s->cut ? i + 1 : r->n, r->weight));
        }
    }
}

static lode_status survey_rows(spill_survey *v) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, v->s, v->part, v->c);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        survey_row(v, &rows);
    }
    for (unsigned m = 0; m < v->n; m++) {
        for (unsigned y = 1; y < v->n; y++) {
            spill_size *to = survey_at(v, m, y), *from = survey_at(v, m, y - 1);
            to->n_rows += from->n_rows;
            to->n_items += from->n_items;
            to->n_bytes += from->n_bytes;
        }
    }
done:
    spill_rows_close(&rows);
    return status;
}

static lode_status survey_open(spill_survey *v) {
    lode_status status = LODE_OK;
    mem *m = v->s->mem;
    size_t longest = v->s->whole->profile.longest, n = survey_bins(v->s, v->c);
    size_t range = v->part->end - v->part->first;
    v->n = (unsigned)n;
    LODE_TRY(mem_keep_zero(m, &v->kept, (void **)&v->starts, (n + 1) * sizeof *v->starts));
    LODE_TRY(mem_keep_zero(m, &v->kept, (void **)&v->bins, range * sizeof *v->bins));
    LODE_TRY(mem_keep_zero(m, &v->kept, (void **)&v->at, n * (n + 1) * sizeof *v->at));
    LODE_TRY(mem_keep(m, &v->kept, (void **)&v->code, (longest + 1) * SPOOL_VARINT));
    LODE_TRY(mem_keep(m, &v->kept, (void **)&v->code_ends, (longest + 1) * sizeof(uint32_t)));
    survey_divide(v);
done:
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The size of the group of bins x … y, given that of x + 1 … y. */
static spill_size survey_grow(const spill_survey *v, spill_size size, unsigned x, unsigned y) {
    const spill_size *more = survey_at(v, x, y);
    return (spill_size){.n_rows = size.n_rows + more->n_rows,
                        .n_items = size.n_items + more->n_items,
                        .n_bytes = size.n_bytes + more->n_bytes};
}

/* The most distinct items of a group: not more than its occurrences. */
static uint32_t survey_kinds(const spill_survey *v, const spill_size *size) {
    return size->n_items < v->c->n_items ? (uint32_t)size->n_items : v->c->n_items;
}

/* Returns the first bin of the largest group that ends with bin y and fits; the group has at least
 * bin y. A part that is already on disk is divided into at least two groups. */
static unsigned survey_reach(const spill_survey *v, unsigned y, uint64_t room, spill_size *size) {
    unsigned x = y, least = v->part->run && y + 1 == v->n ? 1 : 0;
    *size = survey_grow(v, (spill_size){0}, y, y);
    while (x > least) {
        spill_size larger = survey_grow(v, *size, x - 1, y);
        uint32_t kinds = survey_kinds(v, &larger);
        if (!spill_fits(v->s, room, larger.n_rows, larger.n_items, kinds)) break;
        *size = larger;
        x--;
    }
    return x;
}

static void survey_take(const spill_survey *v, uint64_t room, spill_groups *out) {
    spill_size size;
    for (unsigned end = v->n, x; end > 0; end = x) {
        x = survey_reach(v, end - 1, room, &size);
        size.n_kinds = survey_kinds(v, &size);
        out->list[out->n++] =
            (spill_group){.first = v->starts[x], .end = v->starts[end], .size = size};
        out->n_bytes += size.n_bytes;
        out->n_items += size.n_items;
    }
}

lode_status spill_choose(spill_job *s, const spill_part *part, const spill_counts *c, uint64_t room,
                         spill_groups *out) {
    lode_status status = LODE_OK;
    spill_survey v = {.s = s, .part = part, .c = c};
    *out = (spill_groups){0};
    LODE_TRY(survey_open(&v));
    LODE_TRY(survey_rows(&v));
    survey_take(&v, room, out);
done:
    mem_drop(s->mem, &v.kept);
    return status;
}
