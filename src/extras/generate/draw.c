/* draw.c - see draw.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/draw.h"

#include <float.h>

#include "base/fmath.h"

#define DRAW_COLUMN ((uint64_t)1 << 32) /* the share of one column */

double draw_exponential(rng *r) {
    return -fmath_log(1.0 - rng_unit(r));
}

/* Ratio of uniforms: v / u is normal if (u, v) is uniform in a certain region, which is enclosed by
 * a box of height sqrt(2/e). Points of the box outside the region are rejected and drawn again. */
double draw_normal(rng *r) {
    const double height = 0x1.b72cd3f331398p-1; /* sqrt(2 / e) */
    double u, x;
    do {
        u = 1.0 - rng_unit(r);
        x = height * (2.0 * rng_unit(r) - 1.0) / u;
    } while (x * x > -4.0 * fmath_log(u));
    return x;
}

/* Turns weights into integer shares that add up to exactly n columns. */
static void draw_shares(const double *weights, uint32_t n, uint64_t *shares) {
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++) sum += weights[i];
    double scale = (double)n * (double)DRAW_COLUMN / sum;
    uint64_t given = 0;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        shares[i] = (uint64_t)(weights[i] * scale);
        given += shares[i];
        if (shares[i] > shares[largest]) largest = i;
    }
    /* Rounding leaves up to n, which go to the largest share: it has a whole column or more. */
    shares[largest] += n * DRAW_COLUMN - given;
}

/* Fills one short column at a time, topping it up from a long one (Walker, Vose). `stack` grows
 * with short columns from the left and long ones from the right. */
static void draw_fill(draw_column *columns, uint32_t n, uint64_t *shares, uint32_t *stack) {
    uint32_t n_short = 0, long_at = n;
    for (uint32_t i = 0; i < n; i++) {
        if (shares[i] < DRAW_COLUMN) {
            stack[n_short++] = i;
        } else {
            stack[--long_at] = i;
        }
    }
    while (n_short > 0) {
        uint32_t low = stack[--n_short], high = stack[long_at];
        columns[low] = (draw_column){.cut = (uint32_t)shares[low], .other = high};
        shares[high] -= DRAW_COLUMN - shares[low];
        if (shares[high] < DRAW_COLUMN) {
            long_at++;
            stack[n_short++] = high;
        }
    }
    for (; long_at < n; long_at++) { /* exactly full */
        columns[stack[long_at]] = (draw_column){.cut = 0, .other = stack[long_at]};
    }
}

lode_status draw_table_weights(draw_table *t, mem *m, const double *weights, uint32_t n) {
    lode_status status = LODE_OK;
    draw_table made = {.mem = m, .n = n};
    uint64_t *shares = NULL;
    uint32_t *stack = NULL;
    LODE_TRY(mem_resize(m, (void **)&made.columns, 0, n * sizeof *made.columns));
    LODE_TRY(mem_resize(m, (void **)&shares, 0, n * sizeof *shares));
    LODE_TRY(mem_resize(m, (void **)&stack, 0, n * sizeof *stack));
    draw_shares(weights, n, shares);
    draw_fill(made.columns, n, shares, stack);
    *t = made;
done:
    mem_free(m, stack, n * sizeof *stack);
    mem_free(m, shares, n * sizeof *shares);
    if (status != LODE_OK) draw_table_free(&made);
    return status;
}

lode_status draw_table_exponential(draw_table *t, mem *m, uint32_t n, rng *r) {
    lode_status status = LODE_OK;
    double *weights = NULL;
    LODE_TRY(mem_resize(m, (void **)&weights, 0, n * sizeof *weights));
    for (uint32_t i = 0; i < n; i++) weights[i] = draw_exponential(r) + DBL_MIN; /* never zero */
    LODE_TRY(draw_table_weights(t, m, weights, n));
done:
    mem_free(m, weights, n * sizeof *weights);
    return status;
}

/* Computes the probabilities of Poisson numbers relative to that of the most likely one, `mode`,
 * down to negligible ones. So no exponential function is needed, and nothing underflows. */
lode_status draw_table_lengths(draw_table *t, mem *m, double mean) {
    const double negligible = 0x1p-48;
    lode_status status = LODE_OK;
    double *weights = NULL;
    size_t bytes = 0;
    double poisson = mean - 1.0;
    uint32_t mode = (uint32_t)poisson, low = mode, high = mode;
    double p = 1.0;
    for (; low > 0 && p > negligible; low--) p *= low / poisson;
    for (p = 1.0; p > negligible; high++) p *= poisson / (high + 1.0);

    uint32_t n = high - low + 1;
    bytes = n * sizeof *weights;
    LODE_TRY(mem_resize(m, (void **)&weights, 0, bytes));
    weights[mode - low] = 1.0;
    for (uint32_t k = mode; k > low; k--) weights[k - 1 - low] = weights[k - low] * k / poisson;
    for (uint32_t k = mode; k < high; k++) {
        weights[k + 1 - low] = weights[k - low] * poisson / (k + 1.0);
    }
    LODE_TRY(draw_table_weights(t, m, weights, n));
    t->first = 1 + low;
done:
    mem_free(m, weights, bytes);
    return status;
}

void draw_table_free(draw_table *t) {
    if (t->mem) mem_free(t->mem, t->columns, t->n * sizeof *t->columns);
    *t = (draw_table){0};
}
