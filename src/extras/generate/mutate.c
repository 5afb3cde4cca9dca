/* mutate.c - over-sampling by mutation: copies of a data set, with some items replaced
 *
 * Each transaction of each copy has a random stream of its own, so its line depends neither on the
 * number of threads nor on the blocks.
 *
 * Items are represented by ranks: rank k is the k-th item that occurs, in the order of ids, which
 * is the order of writing. Unlike ids, ranks have no gaps, so a replacement is one uniform draw,
 * and a small bit set sorts them (number_sets.h).
 *
 * Data sets of numbers become lines of numbers with blanks between them, all others lines of names
 * with commas.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "data/transactions/dataset.h"
#include "extras/generate/blocks.h"
#include "extras/generate/itemtext.h"
#include "extras/generate/number_sets.h"
#include "runtime/valid.h"

typedef struct mutate {
    mem *mem;
    const lode_dataset *data;
    lode_mutate_options o; /* defaults filled in */
    uint64_t chance;
    uint32_t *ranks; /* by item id */
    uint32_t n_ranks;
    itemtext text; /* by rank */
    uint64_t n_transactions, block_transactions, copy_blocks;
} mutate;

static lode_status mutate_resolve(lode_job *job, const lode_mutate_options *given,
                                  lode_mutate_options *o) {
    lode_status valid = valid_take(job, VALID_MUTATE, given, o);
    if (valid != LODE_OK) return valid;
    if (o->times == 0) o->times = 10;
    if (o->rate == 0.0) o->rate = 0.05;
    if (o->rate < 0.0) o->rate = 0.0;
    if (o->seed == 0) o->seed = 1;
    if (o->rate <= 1.0) return LODE_OK;
    return job_fail(job, LODE_INVALID, "the mutation rate is %g; it must be between 0 and 1",
                    o->rate);
}

/* ---- set-up --------------------------------------------------------------------------------- */

static lode_status mutate_add_name(mutate *m, uint32_t item, vec_char *name) {
    lode_status status = LODE_OK;
    size_t n = dataset_id_name(m->data, item, name->data, name->cap);
    if (n > name->cap) {
        LODE_TRY(vec_char_reserve(m->mem, name, n));
        dataset_id_name(m->data, item, name->data, name->cap);
    }
    LODE_TRY(itemtext_add(&m->text, name->data, n));
done:
    return status;
}

static lode_status mutate_make_ranks(mutate *m) {
    lode_status status = LODE_OK;
    const lode_dataset *data = m->data;
    vec_char name = {0};
    itemtext_init(&m->text, m->mem, data->numeric ? ' ' : ',');
    LODE_TRY(vec_char_reserve(m->mem, &name, 64));
    LODE_TRY(mem_zalloc(m->mem, (void **)&m->ranks, data->item_bound * sizeof *m->ranks));
    for (uint32_t item = 0; item < data->item_bound; item++) {
        if (data->item_supports[item] == 0) continue;
        m->ranks[item] = m->n_ranks++;
        LODE_TRY(mutate_add_name(m, item, &name));
    }
done:
    vec_char_free(m->mem, &name);
    return status;
}

static void mutate_cut(mutate *m) {
    lode_profile profile = m->data->profile;
    m->n_transactions = profile.n_transactions;
    if (m->n_transactions == 0) return;
    double mean = (double)profile.n_occurrences / (double)m->n_transactions;
    m->block_transactions = blocks_transactions(mean);
    m->copy_blocks = (m->n_transactions - 1) / m->block_transactions + 1;
}

static void mutate_free(mutate *m) {
    itemtext_free(&m->text);
    if (m->ranks) mem_free(m->mem, m->ranks, m->data->item_bound * sizeof *m->ranks);
}

/* ---- transactions --------------------------------------------------------------------------- */

static void mutate_items(const mutate *m, const uint32_t *items, uint32_t n, rng r, marks *out) {
    for (uint32_t i = 0; i < n; i++) {
        bool replaced = rng_happens(&r, m->chance);
        marks_add(out, replaced ? (uint32_t)rng_below(&r, m->n_ranks) : m->ranks[items[i]]);
    }
}

static lode_status mutate_make_block(void *user, uint64_t block, vec_char *text) {
    const mutate *m = user;
    lode_status status = LODE_OK;
    uint64_t copy = block / m->copy_blocks;
    uint64_t first = block % m->copy_blocks * m->block_transactions;
    uint64_t left = m->n_transactions - first;
    uint64_t end = first + (left < m->block_transactions ? left : m->block_transactions);
    const data_block *from = dataset_block_of(m->data, first);
    marks set = {0};
    vec_u32 line = {0};
    LODE_TRY(marks_create(&set, m->mem, m->n_ranks));
    for (uint64_t t = first; t < end; t++) {
        while (t - from->first >= from->n) from++;
        uint32_t at = from->offsets[t - from->first], n = from->offsets[t - from->first + 1] - at;
        rng r = rng_make(m->o.seed, copy * m->n_transactions + t);
        mutate_items(m, from->items + at, n, r, &set);
        n = set.count;
        LODE_TRY(vec_u32_reserve(m->mem, &line, n));
        marks_drain(&set, line.data);
        LODE_TRY(itemtext_write(&m->text, line.data, n, text));
    }
done:
    vec_u32_free(m->mem, &line);
    marks_free(&set, m->mem);
    return status;
}

lode_status lode_generate_mutate(lode_job *job, const lode_dataset *data, const char *path,
                                 const lode_mutate_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(path));
    mutate m = {.mem = &job->mem, .data = data};
    uint64_t n_lines;
    LODE_TRY(mutate_resolve(job, options, &m.o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    if (data->weights) {
        LODE_LEAVE(job_fail(job, LODE_UNSUPPORTED, "weighted transactions cannot be mutated"));
    }
    mutate_cut(&m);
    if (__builtin_mul_overflow(m.n_transactions, m.o.times, &n_lines)) {
        LODE_LEAVE(
            job_fail(job, LODE_INVALID,
                     "%llu copies of every transaction are more transactions than lode can handle",
                     (unsigned long long)m.o.times));
    }
    m.chance = rng_chance(m.o.rate);
    LODE_TRY(mutate_make_ranks(&m));
    LODE_TRY(blocks_write(job, path, m.copy_blocks * m.o.times, mutate_make_block, &m));
done:
    mutate_free(&m);
    lease_leave(&call);
    return job_explain(job, status, "generating");
}
