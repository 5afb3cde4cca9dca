/* bins_cuts.c - finds the cuts of a column; see number_bins.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/fmath.h"
#include "base/vec.h"
#include "read/number_bins.h"

lode_status bins_add_cut(mem *m, bins_cuts *cuts, double at) {
    lode_status status = vec_grow(m, (void **)&cuts->at, cuts->n, &cuts->cap, 1, sizeof *cuts->at);
    if (status == LODE_OK) cuts->at[cuts->n++] = at;
    return status;
}

/* Adds a cut that is above the last one and the least value. */
static lode_status bins_add_above(mem *m, bins_cuts *cuts, const bins_value *values, double at) {
    bool above = at > values[0].x && (cuts->n == 0 || at > cuts->at[cuts->n - 1]);
    return above ? bins_add_cut(m, cuts, at) : LODE_OK;
}

/* ---- quantiles, width ------------------------------------------------------------------------ */

lode_status bins_quantiles(mem *m, const bins_value *values, size_t n, uint32_t parts,
                           bins_cuts *cuts) {
    lode_status status = LODE_OK;
    uint64_t total = 0, seen = values[0].weight; /* values up to number i */
    size_t i = 0;
    for (size_t k = 0; k < n; k++) total += values[k].weight;
    for (uint32_t part = 1; part < parts; part++) {
        unsigned __int128 place = (unsigned __int128)(total - 1) * part;
        uint64_t below = (uint64_t)(place / parts);
        double share = (double)(uint64_t)(place % parts) / parts;
        while (seen <= below) seen += values[++i].weight;
        double low = values[i].x;
        double high = seen <= below + 1 && i + 1 < n ? values[i + 1].x : low;
        LODE_TRY(bins_add_above(m, cuts, values, share > 0 ? low + share * (high - low) : low));
    }
done:
    return status;
}

lode_status bins_width(mem *m, const bins_value *values, size_t n, uint32_t parts,
                       bins_cuts *cuts) {
    lode_status status = LODE_OK;
    double low = values[0].x, high = values[n - 1].x;
    for (uint32_t part = 1; part < parts; part++) {
        double at = low + (high - low) / parts * part;
        if (at <= high) LODE_TRY(bins_add_above(m, cuts, values, at));
    }
done:
    return status;
}

/* ---- MDLP ------------------------------------------------------------------------------------ */

typedef struct mdlp {
    mem *m;
    const bins_value *values;
    const uint64_t *counts;
    size_t n_classes;
    uint64_t *left, *right, *all; /* of the present range, by class */
    vec_u64 open;                 /* ranges that are to be divided: first, end, … */
    bins_cuts *cuts;
} mdlp;

static double mdlp_log2(double x) {
    return fmath_log(x) / fmath_log(2.0);
}

static uint64_t mdlp_total(const uint64_t *of, size_t n) {
    uint64_t sum = 0;
    for (size_t c = 0; c < n; c++) sum += of[c];
    return sum;
}

static uint32_t mdlp_classes(const uint64_t *of, size_t n) {
    uint32_t k = 0;
    for (size_t c = 0; c < n; c++) k += of[c] > 0;
    return k;
}

/* The entropy of some classes. */
static double mdlp_entropy(const uint64_t *of, size_t n) {
    double total = (double)mdlp_total(of, n), sum = 0;
    for (size_t c = 0; c < n; c++) {
        double share = (double)of[c] / total;
        if (of[c] > 0 && share < 1) sum -= share * mdlp_log2(share);
    }
    return sum;
}

/* The entropy of both sides, weighted. */
static double mdlp_both(const mdlp *d) {
    double left = (double)mdlp_total(d->left, d->n_classes);
    double right = (double)mdlp_total(d->right, d->n_classes);
    return (left * mdlp_entropy(d->left, d->n_classes) +
            right * mdlp_entropy(d->right, d->n_classes)) /
           (left + right);
}

/* Whether the cut between left and right shortens the description. */
static bool mdlp_accepts(const mdlp *d) {
    size_t n = d->n_classes;
    double total = (double)mdlp_total(d->all, n);
    double k = mdlp_classes(d->all, n), whole = mdlp_entropy(d->all, n);
    double gain = whole - mdlp_both(d);
    double saved = k * whole - mdlp_classes(d->left, n) * mdlp_entropy(d->left, n) -
                   mdlp_classes(d->right, n) * mdlp_entropy(d->right, n);
    double cost = mdlp_log2(pow(3, k) - 2) - saved;
    return gain > (mdlp_log2(total - 1) + cost) / total;
}

/* Sets the sides to a cut before value `at`, from the sides of the cut before `from`. */
static void mdlp_move(mdlp *d, size_t from, size_t at) {
    for (size_t i = from; i < at; i++) {
        for (size_t c = 0; c < d->n_classes; c++) {
            d->left[c] += d->counts[i * d->n_classes + c];
            d->right[c] -= d->counts[i * d->n_classes + c];
        }
    }
}

static void mdlp_reset(mdlp *d, size_t first, size_t end) {
    for (size_t c = 0; c < d->n_classes; c++) d->left[c] = d->right[c] = 0;
    for (size_t i = first; i < end; i++) {
        for (size_t c = 0; c < d->n_classes; c++) d->right[c] += d->counts[i * d->n_classes + c];
    }
    for (size_t c = 0; c < d->n_classes; c++) d->all[c] = d->right[c];
}

/* Finds the best cut of a range: the first with the least entropy. Returns 0 if there is none. */
static size_t mdlp_best(mdlp *d, size_t first, size_t end) {
    size_t best = 0;
    double least = INFINITY;
    mdlp_reset(d, first, end);
    for (size_t at = first + 1; at < end; at++) {
        mdlp_move(d, at - 1, at);
        bool both = mdlp_total(d->left, d->n_classes) > 0 && mdlp_total(d->right, d->n_classes) > 0;
        double entropy = both ? mdlp_both(d) : INFINITY;
        if (entropy >= least - 1e-12) continue;
        least = entropy;
        best = at;
    }
    return best;
}

/* Divides a range, if that is worth it. */
static lode_status mdlp_divide(mdlp *d, size_t first, size_t end) {
    lode_status status = LODE_OK;
    size_t at = mdlp_best(d, first, end);
    if (at == 0) goto done;
    mdlp_reset(d, first, end);
    mdlp_move(d, first, at);
    if (!mdlp_accepts(d)) goto done;
    double low = d->values[at - 1].x, high = d->values[at].x;
    LODE_TRY(bins_add_cut(d->m, d->cuts, low + (high - low) / 2));
    const uint64_t ranges[] = {first, at, at, end};
    for (size_t i = 0; i < 4; i++) LODE_TRY(vec_u64_push(d->m, &d->open, ranges[i]));
done:
    return status;
}

lode_status bins_mdlp(mem *m, const bins_value *values, size_t n, const uint64_t *counts,
                      size_t n_classes, bins_cuts *cuts) {
    lode_status status = LODE_OK;
    mdlp d = {.m = m, .values = values, .counts = counts, .n_classes = n_classes, .cuts = cuts};
    size_t bytes = 3 * n_classes * sizeof *d.left;
    LODE_TRY(mem_zalloc(m, (void **)&d.left, bytes));
    d.right = d.left + n_classes;
    d.all = d.right + n_classes;
    LODE_TRY(mdlp_divide(&d, 0, n));
    while (d.open.n > 0) {
        size_t end = (size_t)d.open.data[--d.open.n], first = (size_t)d.open.data[--d.open.n];
        LODE_TRY(mdlp_divide(&d, first, end));
    }
done:
    mem_free(m, d.left, d.left ? bytes : 0);
    vec_u64_free(m, &d.open);
    return status;
}
