/* draws.c - see draws.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/draws.h"

#include <math.h>

#include "extras/suggest/consequents.h"

#define DRAWS_SETS   1024
#define DRAWS_HITS   24   /* sets that must reach the threshold at least */
#define DRAWS_WIDER  2.2  /* of the standard deviation, for an interval of nine in ten */
#define DRAWS_EFFORT 0.6  /* of consequents_count() */
#define DRAWS_LEAST  1e-3 /* the interval is never narrower */
#define DRAWS_MOST   1e300

typedef struct drawing {
    lode_job *job;
    const lode_dataset *data;
    const draws_request *request;
    uint32_t longest; /* items of the longest basket that reach the threshold */
    double total;     /* Z / 2^longest */
    rng random;
    vec_u32 items; /* scratch: those of a basket that reach the threshold */
    probe kept;
} drawing;

/* ---- baskets --------------------------------------------------------------------------------- */

static uint32_t draws_length(const lode_dataset *data, const data_block *b, uint32_t i,
                             uint64_t min_count) {
    uint32_t n = 0;
    for (uint32_t k = b->offsets[i]; k < b->offsets[i + 1]; k++) {
        n += data->item_supports[b->items[k]] >= min_count;
    }
    return n;
}

/* The number of subsets of a basket, by its weight, divided by 2^longest. */
static double draws_share(const lode_dataset *data, uint64_t t, uint32_t n, uint32_t longest) {
    double weight = data->weights ? data->weights[t] : 1;
    return n > 0 ? weight * (ldexp(1, (int)n - (int)longest) - ldexp(1, -(int)longest)) : 0;
}

static uint32_t draws_longest(const lode_dataset *data, uint64_t min_count) {
    uint32_t longest = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        for (uint32_t i = 0; i < data->blocks[b].n; i++) {
            uint32_t n = draws_length(data, &data->blocks[b], i, min_count);
            if (n > longest) longest = n;
        }
    }
    return longest;
}

static double draws_total(const lode_dataset *data, uint64_t min_count, uint32_t longest) {
    double total = 0;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        for (uint32_t i = 0; i < block->n; i++) {
            uint32_t n = draws_length(data, block, i, min_count);
            total += draws_share(data, block->first + i, n, longest);
        }
    }
    return total;
}

static double draws_scale(double share, uint32_t longest) {
    double n = longest < 1000 ? ldexp(share, (int)longest) : DRAWS_MOST;
    return n < DRAWS_MOST ? n : DRAWS_MOST;
}

double draws_bound(const lode_dataset *data, uint64_t min_count, bool rules) {
    uint32_t longest = draws_longest(data, min_count);
    double share = draws_total(data, min_count, longest) / (double)min_count;
    return draws_scale(rules ? share * longest : share, longest);
}

/* ---- drawing --------------------------------------------------------------------------------- */

lode_status draws_keep_subset(mem *m, rng *random, const vec_u32 *items, probe *p) {
    lode_status status = LODE_OK;
    tally_sets *s = &p->tally.sets;
    size_t start = s->items.n;
    LODE_TRY(vec_u32_push(m, &s->items, 0));
    while (s->items.n == start + 1 && items->n > 0) {
        uint64_t bits = 0;
        for (size_t i = 0; i < items->n; i++, bits >>= 1) {
            if (i % 64 == 0) bits = rng_u64(random);
            if (bits & 1) LODE_TRY(vec_u32_push(m, &s->items, items->data[i]));
        }
    }
    s->items.data[start] = (uint32_t)(s->items.n - start - 1);
    LODE_TRY(vec_u64_push(m, &s->supports, 0));
    LODE_TRY(vec_u32_push(m, &s->parts, 0));
done:
    return status;
}

static lode_status draws_take(drawing *d, const data_block *b, uint32_t i) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    d->items.n = 0;
    for (uint32_t k = b->offsets[i]; k < b->offsets[i + 1]; k++) {
        if (d->data->item_supports[b->items[k]] < d->request->min_count) continue;
        LODE_TRY(vec_u32_push(m, &d->items, b->items[k]));
    }
    status = draws_keep_subset(m, &d->random, &d->items, &d->kept);
done:
    return status;
}

/* The next of DRAWS_SETS random numbers in ascending order, after one of them. */
static double draws_next(drawing *d, double after, unsigned drawn) {
    double left = pow(1 - rng_unit(&d->random), 1.0 / (DRAWS_SETS - drawn));
    return 1 - (1 - after) * left;
}

/* One pass over the baskets draws them all. */
static lode_status draws_sets(drawing *d) {
    lode_status status = LODE_OK;
    double passed = 0, next = draws_next(d, 0, 0);
    unsigned drawn = 0;
    for (size_t b = 0; b < d->data->n_blocks && drawn < DRAWS_SETS; b++) {
        const data_block *block = &d->data->blocks[b];
        LODE_TRY(job_check(d->job));
        for (uint32_t i = 0; i < block->n && drawn < DRAWS_SETS; i++) {
            uint32_t n = draws_length(d->data, block, i, d->request->min_count);
            passed += draws_share(d->data, block->first + i, n, d->longest) / d->total;
            while (drawn < DRAWS_SETS && next < passed) {
                LODE_TRY(draws_take(d, block, i));
                if (++drawn < DRAWS_SETS) next = draws_next(d, next, drawn);
            }
        }
    }
done:
    return status;
}

/* ---- the estimate ---------------------------------------------------------------------------- */

static estimate draws_sum_up(const drawing *d) {
    const tally_sets *s = &d->kept.tally.sets;
    double sum = 0, squares = 0, n = (double)s->supports.n;
    unsigned hits = 0;
    for (size_t i = 0; i < s->supports.n; i++) {
        double found = d->request->rules ? d->kept.consequents[i] : 1;
        if (s->supports.data[i] < d->request->min_count || found <= 0) continue;
        found /= (double)s->supports.data[i];
        sum += found;
        squares += found * found;
        hits++;
    }
    if (hits < DRAWS_HITS) return (estimate){0};
    double error = sqrt((squares - sum * sum / n) / (n > 1 ? n - 1 : 1) * n) / sum;
    double number = draws_scale(sum / n * d->total, d->longest);
    double wide = exp(DRAWS_WIDER * error + DRAWS_LEAST);
    return (estimate){number, number / wide, number * wide, false};
}

lode_status draws_estimate(lode_job *job, const lode_dataset *data, const draws_request *request,
                           estimate *out) {
    lode_status status = LODE_OK;
    drawing d = {.job = job, .data = data, .request = request};
    consequents_request consequents = {request->confidence, DRAWS_EFFORT};
    *out = (estimate){0};
    d.random = rng_make(request->seed, 3);
    d.kept.tally.n_rows = 1;
    d.kept.tally.sets.thinned = 1; /* there are others, whatever was drawn */
    d.longest = draws_longest(data, request->min_count);
    d.total = draws_total(data, request->min_count, d.longest);
    if (d.longest == 0) return LODE_OK;
    LODE_TRY(draws_sets(&d));
    LODE_TRY(consequents_count(job, data, &consequents, &d.kept));
    *out = draws_sum_up(&d);
done:
    vec_u32_free(&job->mem, &d.items);
    probe_free(job, &d.kept);
    return status;
}
