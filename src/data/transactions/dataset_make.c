/* dataset_make.c - makes data sets from arrays and from other data sets
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "base/os.h"
#include "data/transactions/builder.h"
#include "data/transactions/dense.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

#define MAKE_BLOCK_ITEMS ((size_t)1 << 17) /* about as many as in a reader's block */

/* Ends the current block if it is large enough, or with `flush`, and begins the next. */
static lode_status make_next_block(builder_worker *w, bool flush) {
    if (!flush && w->items.n + w->ends.n < MAKE_BLOCK_ITEMS) return LODE_OK;
    lode_status status = worker_end_block(w);
    worker_begin_block(w, w->sequence + 1);
    return status;
}

static lode_status make_check_arrays(lode_job *job, uint64_t n_transactions,
                                     const uint64_t *offsets, const uint32_t *items) {
    if (n_transactions == 0) return LODE_OK;
    if (n_transactions > UINT32_MAX) {
        return job_fail(job, LODE_UNSUPPORTED, "%llu transactions; at most 2^32 - 1 are supported",
                        (unsigned long long)n_transactions);
    }
    if (!offsets) return job_fail(job, LODE_INVALID, "offsets is NULL; expected n + 1 numbers");
    for (uint64_t t = 0; t < n_transactions; t++) {
        if (offsets[t + 1] >= offsets[t]) continue;
        return job_fail(job, LODE_INVALID,
                        "offsets[%llu] is less than the one before; offsets must not decrease",
                        (unsigned long long)(t + 1));
    }
    if (!items && offsets[n_transactions] > offsets[0]) {
        return job_fail(job, LODE_INVALID, "items is NULL; expected the items");
    }
    return LODE_OK;
}

static lode_status make_push_array(builder_worker *w, const uint32_t *items, uint64_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(worker_reserve(w, (size_t)n));
    for (uint64_t i = 0; i < n; i++) {
        uint32_t code;
        LODE_TRY(worker_code_number(w, items[i], &code));
        worker_push(w, code);
    }
    LODE_TRY(worker_end_transaction(w));
    LODE_TRY(make_next_block(w, false));
done:
    return status;
}

static lode_status make_push_arrays(builder *b, uint64_t n_transactions, const uint64_t *offsets,
                                    const uint32_t *items) {
    lode_status status = LODE_OK;
    builder_worker *w = builder_get_worker(b, 0);
    worker_begin_block(w, 0);
    for (uint64_t t = 0; t < n_transactions; t++) {
        LODE_TRY(
            make_push_array(w, items ? items + offsets[t] : NULL, offsets[t + 1] - offsets[t]));
    }
    LODE_TRY(make_next_block(w, true));
done:
    return status;
}

/* The budget was exceeded while the arrays were copied. */
static lode_status make_explain_budget(builder *b, uint64_t n, const uint64_t *offsets) {
    uint64_t n_items = offsets[n] - offsets[0],
             done = builder_get_worker(b, 0)->totals.n_occurrences;
    double share = done > 0 && done < n_items ? (double)done / (double)n_items : 0.999;
    return builder_explain_budget(b, share, (n_items + n) * sizeof(uint32_t));
}

lode_status lode_dataset_from_arrays(lode_job *job, lode_dataset **out, uint64_t n_transactions,
                                     const uint64_t *offsets, const uint32_t *items,
                                     const uint32_t *weights) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    builder *b = NULL;
    lode_dataset *data = NULL;
    VALID_CALL(job, VALID_NEEDS(out));
    LODE_TRY(make_check_arrays(job, n_transactions, offsets, items));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    job_forget_need(job);
    LODE_TRY(builder_create(job, &b, 1, "the arrays"));
    status = make_push_arrays(b, n_transactions, offsets, items);
    if (status == LODE_BUDGET) status = make_explain_budget(b, n_transactions, offsets);
    LODE_TRY(status);
    LODE_TRY(builder_finish(b, &data));
    if (weights && n_transactions > 0) {
        LODE_TRY(dataset_take_weights(data, weights));
    }
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    builder_free(b);
    lease_leave(&call);
    return job_explain(job, status, "copying the arrays");
}

/* ---- Joining parts ---- */

/* The worker's code of every item of a part. */
static lode_status merge_codes(builder_worker *w, const lode_dataset *part, uint32_t *codes) {
    lode_status status = LODE_OK;
    for (uint32_t id = 0; id < part->item_bound; id++) {
        if (part->names) {
            size_t n;
            const char *name = dict_name(part->names, id, &n);
            LODE_TRY(worker_code(w, name, n, &codes[id]));
        } else if (part->item_supports[id] > 0) {
            LODE_TRY(worker_code_number(w, dataset_item_of(part, id), &codes[id]));
        }
    }
done:
    return status;
}

static lode_status merge_push(builder_worker *w, const lode_dataset *part, const uint32_t *codes) {
    lode_status status = LODE_OK;
    for (size_t b = 0; b < part->n_blocks; b++) {
        const data_block *block = &part->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) {
            uint32_t n = block->offsets[i + 1] - block->offsets[i];
            LODE_TRY(worker_reserve(w, n));
            for (uint32_t k = 0; k < n; k++) {
                worker_push(w, codes[block->items[block->offsets[i] + k]]);
            }
            LODE_TRY(worker_end_transaction(w));
            LODE_TRY(make_next_block(w, false));
        }
    }
done:
    return status;
}

static lode_status merge_part(builder_worker *w, const lode_dataset *part) {
    lode_status status = LODE_OK;
    uint32_t *codes = NULL;
    size_t bytes = part->item_bound * sizeof *codes;
    LODE_TRY(mem_zalloc(w->mem, (void **)&codes, bytes));
    LODE_TRY(merge_codes(w, part, codes));
    LODE_TRY(merge_push(w, part, codes));
done:
    mem_free(w->mem, codes, codes ? bytes : 0);
    return status;
}

static lode_status merge_weights(lode_dataset *data, const lode_dataset *const *parts,
                                 size_t n_parts) {
    bool any = false;
    for (size_t i = 0; i < n_parts; i++) any = any || parts[i]->weights;
    size_t n = (size_t)data->profile.n_transactions;
    if (!any) return LODE_OK;
    lode_status status =
        mem_resize(data->mem, (void **)&data->weights, 0, n * sizeof *data->weights);
    if (status != LODE_OK) return status;
    size_t at = 0;
    for (size_t i = 0; i < n_parts; i++) {
        for (uint64_t t = 0; t < parts[i]->profile.n_transactions; t++) {
            data->weights[at++] = parts[i]->weights ? parts[i]->weights[t] : 1;
        }
    }
    dataset_weigh(data);
    return LODE_OK;
}

static void merge_profile(lode_dataset *data, const lode_dataset *const *parts, size_t n_parts) {
    for (size_t i = 0; i < n_parts; i++) {
        const lode_profile *p = &parts[i]->profile;
        data->profile.n_repeated += p->n_repeated;
        data->profile.n_skipped += p->n_skipped;
        data->profile.read_seconds += p->read_seconds;
        data->profile.n_files += p->n_files;
    }
    if (n_parts == 0) return;
    data->profile.format = parts[0]->profile.format;
    data->profile.separator = parts[0]->profile.separator;
}

lode_status lode_dataset_merge(lode_job *job, lode_dataset **out, const lode_dataset *const *parts,
                               size_t n_parts) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    builder *b = NULL;
    lode_dataset *data = NULL;
    VALID_CALL(job, VALID_NEEDS(out), {parts || n_parts == 0, "parts"});
    for (size_t i = 0; i < n_parts; i++) {
        if (!parts[i]) return job_fail(job, LODE_INVALID, "parts[%zu] is NULL", i);
        LODE_TRY(dataset_in_memory(job, parts[i]));
    }
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(builder_create(job, &b, 1, "the joint data set"));
    builder_worker *w = builder_get_worker(b, 0);
    worker_begin_block(w, 0);
    for (size_t i = 0; i < n_parts; i++) LODE_TRY(merge_part(w, parts[i]));
    LODE_TRY(make_next_block(w, true));
    LODE_TRY(builder_finish(b, &data));
    LODE_TRY(merge_weights(data, parts, n_parts));
    merge_profile(data, parts, n_parts);
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    builder_free(b);
    lease_leave(&call);
    return job_explain(job, status, "joining the parts");
}

/* ---- data sets from rows of bits: lode_dataset_from_bits ------------------------------------- */

/* Dense matrices stay bits (dense.h). Their supports are counted by squares of 64 x 64 bits: after
 * a transposition, a square has one word for each item. Other matrices become lists, as readers
 * make them. */

#define SQUARE     DENSE_WORD
#define DENSE_STEP ((uint64_t)64 * SQUARE) /* rows that a thread takes at a time */

/* ---- Copying and counting -------------------------------------------------------------------- */

/* What all threads do together. */
typedef struct dense_count {
    const dense_rows *to;
    const uint64_t *from;
    uint64_t n_rows;
    _Atomic uint64_t next; /* the first row that no thread has taken */
    uint64_t *supports;    /* by item; a thread adds its own at its end */
    pthread_mutex_t lock;  /* guards the supports and … */
    lode_profile totals;   /* … these */
    lode_job *job;
} dense_count;

/* What one thread has counted. */
typedef struct dense_part {
    uint64_t *supports;
    lode_profile totals;
} dense_part;

static void dense_count_length(dense_part *part, uint32_t n) {
    part->totals.n_occurrences += n;
    part->totals.n_empty += n == 0;
    if (n > part->totals.longest) part->totals.longest = n;
}

/* Up to 64 rows. */
static void dense_count_squares(const dense_count *c, uint64_t first, unsigned n,
                                dense_part *part) {
    size_t words = c->to->words;
    uint32_t lengths[SQUARE] = {0};
    for (size_t w = 0; w < words; w++) {
        uint64_t square[SQUARE] = {0};
        for (unsigned r = 0; r < n; r++) {
            square[r] = dense_row(c->to, first + r)[w];
            lengths[r] += (uint32_t)bits_count(square[r]);
        }
        bits_turn(square);
        for (unsigned i = 0; i < SQUARE; i++) {
            part->supports[w * SQUARE + i] += bits_count(square[i]);
        }
    }
    for (unsigned r = 0; r < n; r++) dense_count_length(part, lengths[r]);
}

static lode_status dense_count_step(const dense_count *c, uint64_t first, dense_part *part) {
    uint64_t end = c->n_rows - first < DENSE_STEP ? c->n_rows : first + DENSE_STEP;
    size_t words = c->to->words, at = (size_t)first * words;
    lode_status status = job_check(c->job);
    if (status != LODE_OK) return status;
    memcpy(c->to->bits + at, c->from + at, (size_t)(end - first) * words * sizeof *c->from);
    for (; first < end; first += SQUARE) {
        dense_count_squares(c, first, end - first < SQUARE ? (unsigned)(end - first) : SQUARE,
                            part);
    }
    return LODE_OK;
}

static void dense_add_part(dense_count *c, const dense_part *part) {
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->to->words * SQUARE; i++) c->supports[i] += part->supports[i];
    c->totals.n_occurrences += part->totals.n_occurrences;
    c->totals.n_empty += part->totals.n_empty;
    if (part->totals.longest > c->totals.longest) c->totals.longest = part->totals.longest;
    pthread_mutex_unlock(&c->lock);
}

static lode_status dense_count_some(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    dense_count *c = arg;
    dense_part part = {0};
    size_t bytes = c->to->words * SQUARE * sizeof *part.supports;
    uint64_t first;
    (void)worker;
    LODE_TRY(mem_zalloc(&c->job->mem, (void **)&part.supports, bytes));
    while ((first = atomic_fetch_add(&c->next, DENSE_STEP)) < c->n_rows) {
        LODE_TRY(dense_count_step(c, first, &part));
    }
    dense_add_part(c, &part);
done:
    mem_free(&c->job->mem, part.supports, part.supports ? bytes : 0);
    return status;
}

/* Takes over the counts. The last item is the last one that occurs, as in lists. */
static lode_status dense_take_counts(lode_dataset *data, const dense_count *c) {
    size_t bound = c->to->words * SQUARE;
    while (bound > 0 && c->supports[bound - 1] == 0) bound--;
    size_t bytes = bound * sizeof *data->item_supports;
    lode_status status = mem_resize(data->mem, (void **)&data->item_supports, 0, bytes);
    if (status != LODE_OK) return status;
    data->item_bound = (uint32_t)bound;
    data->numeric = true;
    data->total_weight = c->n_rows;
    data->profile = c->totals;
    data->profile.n_transactions = c->n_rows;
    for (size_t i = 0; i < bound; i++) {
        data->item_supports[i] = c->supports[i];
        data->profile.n_items += c->supports[i] > 0;
    }
    return LODE_OK;
}

/* Copies and counts the rows. */
static lode_status dense_fill(lode_job *job, lode_dataset *data, const uint64_t *bits,
                              uint64_t n_rows) {
    lode_status status = LODE_OK;
    dense_count c = {.to = data->dense, .from = bits, .n_rows = n_rows, .job = job};
    size_t bytes = data->dense->words * SQUARE * sizeof *c.supports;
    uint64_t steps = (n_rows + DENSE_STEP - 1) / DENSE_STEP;
    pthread_mutex_init(&c.lock, NULL);
    LODE_TRY(mem_zalloc(&job->mem, (void **)&c.supports, bytes));
    LODE_TRY(parallel_run(job, steps < job->threads ? (unsigned)steps : job->threads, false,
                          dense_count_some, &c));
    LODE_TRY(dense_take_counts(data, &c));
done:
    mem_free(&job->mem, c.supports, c.supports ? bytes : 0);
    pthread_mutex_destroy(&c.lock);
    return status;
}

/* ---- Bits that stay -------------------------------------------------------------------------- */

static lode_status dense_open(lode_dataset *data, uint64_t n_rows, size_t words) {
    dense_rows *d = NULL;
    size_t bytes = (size_t)n_rows * words * sizeof *d->bits;
    lode_status status = mem_zalloc(data->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    pthread_mutex_init(&d->lock, NULL);
    d->owner = data;
    d->words = words;
    data->dense = d;
    status = mem_resize(data->mem, (void **)&d->bits, 0, bytes);
    if (status != LODE_OK) return status;
    d->bytes = bytes;
    os_pages_prefer_huge(d->bits, bytes);
    return LODE_OK;
}

static lode_status dense_create(lode_job *job, uint64_t n_transactions, size_t words,
                                const uint64_t *bits, lode_dataset **out) {
    lode_status status = LODE_OK;
    ctx_home *home = NULL;
    lode_dataset *data = NULL;
    LODE_TRY(ctx_home_create(job, &home));
    LODE_TRY(mem_zalloc(&home->mem, (void **)&data, sizeof *data));
    data->home = ctx_home_hold(home);
    data->mem = &home->mem;
    LODE_TRY(prepared_store_create(home, &data->prepared));
    LODE_TRY(dense_open(data, n_transactions, words));
    LODE_TRY(dense_fill(job, data, bits, n_transactions));
    ctx_home_settle(home);
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    ctx_home_release(home);
    return status;
}

/* ---- Bits that become lists ------------------------------------------------------------------ */

typedef struct dense_push {
    builder *b;
    lode_job *job;
    const uint64_t *bits;
    uint64_t n_rows;
    size_t words;
    _Atomic uint64_t next; /* the first row that no thread has taken */
} dense_push;

/* Whether column numbers can be used as item codes and the worker has a table that counts all of
 * them. If the budget has no room for that table, each code is requested separately. */
static lode_status dense_is_plain(builder_worker *w, size_t words, bool *plain) {
    uint32_t code;
    uint32_t last = (uint32_t)(words * SQUARE - 1);
    *plain = words == 0 || (words * SQUARE <= BUILDER_NAME_BASE && worker_has_room(w, last));
    return *plain && words > 0 ? worker_code_number(w, last, &code) : LODE_OK;
}

static lode_status dense_push_row(builder_worker *w, const uint64_t *row, size_t words,
                                  bool plain) {
    lode_status status = LODE_OK;
    uint32_t n = dense_count_row(row, words);
    LODE_TRY(worker_reserve(w, n + (size_t)DENSE_SPARE));
    uint32_t *items = w->items.data + w->items.n;
    dense_write_items(row, words, items);
    if (plain) {
        w->items.n += n;
    } else {
        for (uint32_t i = 0; i < n; i++) { /* read before it is written: codes take its place */
            uint32_t code;
            LODE_TRY(worker_code_number(w, items[i], &code));
            worker_push(w, code);
        }
    }
    LODE_TRY(worker_end_transaction(w));
done:
    return status;
}

static lode_status dense_push_some(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    dense_push *p = arg;
    builder_worker *w = builder_get_worker(p->b, worker);
    bool plain;
    uint64_t first;
    LODE_TRY(dense_is_plain(w, p->words, &plain));
    while ((first = atomic_fetch_add(&p->next, DENSE_STEP)) < p->n_rows) {
        uint64_t end = p->n_rows - first < DENSE_STEP ? p->n_rows : first + DENSE_STEP;
        worker_begin_block(w, first / DENSE_STEP);
        for (uint64_t t = first; t < end; t++) {
            LODE_TRY(dense_push_row(w, p->bits + (size_t)t * p->words, p->words, plain));
        }
        LODE_TRY(worker_end_block(w));
    }
done:
    return status;
}

static lode_status dense_build(lode_job *job, dense_push *p, uint64_t n_items, lode_dataset **out) {
    lode_status status = LODE_OK;
    uint64_t steps = (p->n_rows + DENSE_STEP - 1) / DENSE_STEP;
    unsigned threads = steps < job->threads ? (unsigned)steps : job->threads;
    LODE_TRY(builder_create(job, &p->b, threads > 0 ? threads : 1, "the rows of bits"));
    status = parallel_run(job, threads, false, dense_push_some, p);
    if (status == LODE_BUDGET) {
        uint64_t text = (n_items + p->n_rows) * sizeof(uint32_t);
        status = builder_explain_budget(p->b, 0.999, text);
    }
    LODE_TRY(status);
    LODE_TRY(builder_finish(p->b, out));
done:
    builder_free(p->b);
    return status;
}

/* ---- The function ---------------------------------------------------------------------------- */

static lode_status dense_check(lode_job *job, uint64_t n_transactions, uint32_t n_items,
                               const uint64_t *bits) {
    size_t words = ((size_t)n_items + SQUARE - 1) / SQUARE;
    unsigned spare = (unsigned)(words * SQUARE - n_items);
    if (n_transactions > UINT32_MAX) {
        return job_fail(job, LODE_UNSUPPORTED, "%llu transactions; at most 2^32 - 1 are supported",
                        (unsigned long long)n_transactions);
    }
    if (!bits && n_transactions > 0 && n_items > 0) {
        return job_fail(job, LODE_INVALID, "bits is NULL; expected rows of bits");
    }
    for (uint64_t t = 0; spare > 0 && t < n_transactions; t++) {
        if (bits[(size_t)(t + 1) * words - 1] >> (SQUARE - spare) == 0) continue;
        return job_fail(job, LODE_INVALID,
                        "row %llu has a bit set after the last item; expected zeros there",
                        (unsigned long long)t);
    }
    return LODE_OK;
}

static uint64_t dense_count_all(const dense_push *p) {
    uint64_t n = 0;
    for (uint64_t t = 0; t < p->n_rows; t++) {
        n += dense_count_row(p->bits + (size_t)t * p->words, p->words);
    }
    return n;
}

/* Whether lists of n items may be made later. Their memory then counts for the context, not for the
 * budget of the job. */
static bool dense_may_wait(const lode_job *job, uint64_t n) {
    return mem_budget(&job->ctx->mem) == SIZE_MAX &&
           n * sizeof(uint32_t) <= mem_left(&job->mem) / 4;
}

lode_status lode_dataset_from_bits(lode_job *job, lode_dataset **out, uint64_t n_transactions,
                                   uint32_t n_items, const uint64_t *bits,
                                   const uint32_t *weights) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_dataset *data = NULL;
    VALID_CALL(job, VALID_NEEDS(out));
    LODE_TRY(dense_check(job, n_transactions, n_items, bits));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    job_forget_need(job);
    dense_push p = {.job = job, .bits = bits, .n_rows = n_transactions};
    p.words = ((size_t)n_items + SQUARE - 1) / SQUARE;
    uint64_t n = dense_count_all(&p), bytes = n_transactions * p.words * sizeof *bits;
    bool stay = n * sizeof(uint32_t) > bytes && !weights && dense_may_wait(job, n);
    LODE_TRY(stay ? dense_create(job, n_transactions, p.words, bits, &data)
                  : dense_build(job, &p, n, &data));
    if (weights && n_transactions > 0) LODE_TRY(dataset_take_weights(data, weights));
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    lease_leave(&call);
    return job_explain(job, status, "copying the rows of bits");
}
