/* heads.c - see heads.h
 *
 * A rule (X without h) → h has the confidence support(X) / support(X without h). The supports of a
 * set without each of its items come from rows of bits: the rows before an item joined, and those
 * after it. A stretch of transactions in which neither of the two rarest items occurs is passed
 * over: all but one item must be there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/heads.h"

#include "base/bits.h"
#include "data/transactions/vertical.h"

#define HEADS_WORDS 32   /* of a stretch */
#define HEADS_WORK  40e6 /* words that may be joined: some hundredths of a second */
#define HEADS_EXACT 4    /* times as much where that makes the number exact */

typedef struct heads_run {
    lode_job *job;
    const lode_dataset *data;
    uint32_t *rank; /* by item id: its row */
    size_t rank_bytes;
    uint32_t n_rows;
    uint64_t *rows;
    size_t words, row_bytes;
    uint64_t *joined; /* scratch: those after each item, a stretch each */
    uint64_t *counts; /* scratch: support without each item, … */
    uint64_t whole;   /* … and with all */
    size_t joined_bytes, counts_bytes;
} heads_run;

/* ---- the rows -------------------------------------------------------------------------------- */

/* Words that would be joined for the sets that were kept, and the most items of a set. */
static uint64_t heads_work(const tally_sets *s, size_t words, uint32_t *longest) {
    uint64_t work = 0;
    *longest = 0;
    for (size_t i = 0; i < s->items.n; i += s->items.data[i] + (size_t)1) {
        work += 2 * (uint64_t)s->items.data[i] * words;
        if (s->items.data[i] > *longest) *longest = s->items.data[i];
    }
    return work;
}

static void heads_rank(heads_run *r, const tally_sets *s) {
    for (uint32_t id = 0; id < r->data->item_bound; id++) r->rank[id] = VERTICAL_NO_RANK;
    for (size_t i = 0; i < s->items.n; i += s->items.data[i] + (size_t)1) {
        for (uint32_t k = 1; k <= s->items.data[i]; k++) {
            uint32_t *rank = &r->rank[s->items.data[i + k]];
            if (*rank == VERTICAL_NO_RANK) *rank = r->n_rows++;
        }
    }
}

static lode_status heads_open(heads_run *r, const tally_sets *s, uint32_t longest) {
    lode_status status = LODE_OK;
    mem *m = &r->job->mem;
    r->rank_bytes = r->data->item_bound * sizeof *r->rank;
    LODE_TRY(mem_zalloc(m, (void **)&r->rank, r->rank_bytes));
    heads_rank(r, s);
    r->row_bytes = r->n_rows * r->words * sizeof *r->rows;
    LODE_TRY(mem_zalloc(m, (void **)&r->rows, r->row_bytes));
    r->joined_bytes = (longest + (size_t)1) * HEADS_WORDS * sizeof *r->joined;
    LODE_TRY(mem_zalloc(m, (void **)&r->joined, r->joined_bytes));
    r->counts_bytes = (longest + (size_t)1) * sizeof *r->counts;
    LODE_TRY(mem_zalloc(m, (void **)&r->counts, r->counts_bytes));
    status = vertical_fill_rows(r->job, r->data, r->rank, r->n_rows, false, r->rows);
done:
    return status;
}

static void heads_close(heads_run *r) {
    mem *m = &r->job->mem;
    mem_free(m, r->rank, r->rank ? r->rank_bytes : 0);
    mem_free(m, r->rows, r->rows ? r->row_bytes : 0);
    mem_free(m, r->joined, r->joined ? r->joined_bytes : 0);
    mem_free(m, r->counts, r->counts ? r->counts_bytes : 0);
}

/* ---- a set ----------------------------------------------------------------------------------- */

/* The transactions of a word of bits, or their weight. */
static uint64_t heads_weight(const heads_run *r, uint64_t bits, size_t word) {
    uint64_t sum = 0;
    if (!r->data->weights) return bits_count(bits);
    for (; bits; bits &= bits - 1) {
        sum += r->data->weights[word * 64 + (unsigned)__builtin_ctzll(bits)];
    }
    return sum;
}

static const uint64_t *heads_row(const heads_run *r, uint32_t id) {
    return r->rows + r->rank[id] * r->words;
}

/* Adds the transactions of a stretch that have all items but one, to the count of that one. */
static void heads_add_stretch(heads_run *r, const uint32_t *items, uint32_t n, size_t from) {
    uint64_t before[HEADS_WORDS];
    size_t end = r->words - from < HEADS_WORDS ? r->words - from : HEADS_WORDS;
    uint64_t *last = r->joined + (size_t)n * HEADS_WORDS;
    for (size_t w = 0; w < end; w++) before[w] = last[w] = ~UINT64_C(0);
    for (uint32_t i = n; i-- > 1;) { /* joined[i]: items i, i + 1, … */
        const uint64_t *row = heads_row(r, items[i]) + from;
        uint64_t *to = r->joined + (size_t)i * HEADS_WORDS, *after = to + HEADS_WORDS;
        for (size_t w = 0; w < end; w++) to[w] = after[w] & row[w];
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *row = heads_row(r, items[i]) + from;
        const uint64_t *after = r->joined + (size_t)(i + 1) * HEADS_WORDS;
        for (size_t w = 0; w < end; w++) {
            r->counts[i] += heads_weight(r, before[w] & after[w], from + w);
            before[w] &= row[w];
        }
    }
    for (size_t w = 0; w < end; w++) r->whole += heads_weight(r, before[w], from + w);
}

static bool stretch_is_empty(const uint64_t *row, size_t n) {
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) any |= row[i];
    return any == 0;
}

/* Puts the two rarest items first. */
static void heads_order(const heads_run *r, uint32_t *items, uint32_t n) {
    const uint64_t *supports = r->data->item_supports;
    for (uint32_t place = 0; place < 2; place++) {
        for (uint32_t i = place + 1; i < n; i++) {
            if (supports[items[i]] >= supports[items[place]]) continue;
            uint32_t item = items[i];
            items[i] = items[place];
            items[place] = item;
        }
    }
}

/* Whether support / body reaches the confidence, as integers. */
static bool heads_confident(lode_threshold c, uint64_t support, uint64_t body) {
    return (unsigned __int128)support * c.denominator >= (unsigned __int128)body * c.numerator;
}

/* Counts the supports of a set, and of it without each item. */
static void heads_count_supports(heads_run *r, uint32_t *items, uint32_t n) {
    r->whole = 0;
    heads_order(r, items, n);
    memset(r->counts, 0, n * sizeof *r->counts);
    for (size_t from = 0; from < r->words; from += HEADS_WORDS) {
        size_t end = r->words - from < HEADS_WORDS ? r->words - from : HEADS_WORDS;
        if (stretch_is_empty(heads_row(r, items[0]) + from, end) &&
            (n < 2 || stretch_is_empty(heads_row(r, items[1]) + from, end))) {
            continue;
        }
        heads_add_stretch(r, items, n, from);
    }
}

static uint32_t heads_of_set(heads_run *r, uint32_t *items, uint32_t n, uint64_t *support,
                             lode_threshold confidence) {
    uint32_t heads = 0;
    if (n == 0 || (n == 1 && *support > 0)) return 0;
    heads_count_supports(r, items, n);
    if (*support == 0) *support = r->whole;
    if (n == 1) return 0;
    for (uint32_t i = 0; i < n; i++) heads += heads_confident(confidence, *support, r->counts[i]);
    return heads;
}

/* ---- all sets -------------------------------------------------------------------------------- */

static lode_status heads_of_sets(heads_run *r, lode_threshold confidence, probe *p) {
    lode_status status = LODE_OK;
    tally_sets *s = &p->tally.sets;
    size_t at = 0;
    for (size_t i = 0; i < s->supports.n; i++) {
        uint32_t n = s->items.data[at];
        LODE_TRY(job_check(r->job));
        p->heads[i] =
            (float)heads_of_set(r, &s->items.data[at + 1], n, &s->supports.data[i], confidence);
        at += n + (size_t)1;
    }
done:
    return status;
}

lode_status heads_count(lode_job *job, const lode_dataset *data, const heads_request *request,
                        probe *p) {
    lode_status status = LODE_OK;
    tally_sets *s = &p->tally.sets;
    heads_run r = {.job = job, .data = data};
    uint32_t longest;
    r.words = vertical_row_bytes(data->profile.n_transactions) / sizeof *r.rows;
    double work = request->effort * HEADS_WORK;
    double most = s->thinned == 0 && p->tally.n_rows == 1 ? HEADS_EXACT * work : work;
    while ((double)heads_work(s, r.words, &longest) > most && s->supports.n > 64) {
        tally_thin(&p->tally);
        most = work;
    }
    p->heads_bytes = (s->supports.n + 1) * sizeof *p->heads;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&p->heads, p->heads_bytes));
    LODE_TRY(heads_open(&r, s, longest));
    status = heads_of_sets(&r, request->confidence, p);
done:
    heads_close(&r);
    return status;
}
