/* fisher.c - see fisher.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/fisher.h"

#include <math.h>
#include <string.h>

#define FISHER_UNIT   1073741824.0 /* keys in one unit of log(p) */
#define FISHER_TIE    1e-7         /* counts this much more probable still belong to the tails */
#define FISHER_ENOUGH 1e-18        /* terms below this share of the sum do not change it */
#define FISHER_BYTES  ((size_t)64 << 20) /* most that the tables take */
#define FISHER_LOWEST (-((fisher_p)1 << 60))

lode_status fisher_logs(mem *m, uint32_t n, long double **logs) {
    lode_status status = mem_resize(m, (void **)logs, 0, ((size_t)n + 1) * sizeof **logs);
    if (status != LODE_OK) return status;
    (*logs)[0] = 0;
    for (uint32_t k = 1; k <= n; k++) (*logs)[k] = (*logs)[k - 1] + logl(k);
    return LODE_OK;
}

lode_status fisher_open(fisher_test *f, mem *m, const long double *logs, uint32_t n, uint32_t n1,
                        lode_alternative alternative) {
    lode_status status = LODE_OK;
    *f = (fisher_test){.mem = m, .logs = logs, .n = n, .n1 = n1, .alternative = alternative};
    LODE_TRY(mem_zalloc(m, (void **)&f->tables, ((size_t)n + 1) * sizeof *f->tables));
    LODE_TRY(mem_resize(m, (void **)&f->least, 0, ((size_t)n + 1) * sizeof *f->least));
    for (uint32_t x = 0; x <= n; x++) f->least[x] = fisher_least(f, x);
done:
    if (status != LODE_OK) fisher_close(f);
    return status;
}

static size_t fisher_table_bytes(const fisher_test *f, uint32_t x) {
    return ((size_t)fisher_last(f, x) - fisher_first(f, x) + 1) * sizeof(int64_t);
}

void fisher_close(fisher_test *f) {
    if (!f->mem) return;
    for (uint32_t x = 0; f->tables && x <= f->n; x++) {
        void *table = (void *)atomic_load(&f->tables[x]);
        if (table) mem_free(f->mem, table, fisher_table_bytes(f, x));
    }
    if (f->tables) mem_free(f->mem, (void *)f->tables, ((size_t)f->n + 1) * sizeof *f->tables);
    if (f->least) mem_free(f->mem, f->least, ((size_t)f->n + 1) * sizeof *f->least);
    *f = (fisher_test){0};
}

/* ---- keys ------------------------------------------------------------------------------------ */

fisher_p fisher_of_log(double log_p) {
    if (!(log_p < 0)) return FISHER_ONE;
    double key = log_p * FISHER_UNIT;
    return key < (double)FISHER_LOWEST ? FISHER_LOWEST : (fisher_p)llrint(key);
}

double fisher_to_p(fisher_p key) {
    return exp((double)key / FISHER_UNIT);
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* log P(a): three binomial coefficients. */
static long double fisher_log_one(const fisher_test *f, uint32_t x, uint32_t a) {
    const long double *l = f->logs;
    uint32_t n0 = f->n - f->n1, b = x - a;
    return (l[f->n1] - l[a] - l[f->n1 - a]) + (l[n0] - l[b] - l[n0 - b]) -
           (l[f->n] - l[x] - l[f->n - x]);
}

/* The most probable a. */
static uint32_t fisher_mode(const fisher_test *f, uint32_t x) {
    return (uint32_t)(((uint64_t)f->n1 + 1) * ((uint64_t)x + 1) / ((uint64_t)f->n + 2));
}

/* (P(a) + P(a + 1) + …) / P(a), where a is not below the mode. */
static double fisher_sum_up(const fisher_test *f, uint32_t x, uint32_t a) {
    double sum = 1, term = 1, n0 = (double)f->n - f->n1;
    for (uint32_t last = fisher_last(f, x); a < last && term > sum * FISHER_ENOUGH; a++) {
        double k = a, out = (double)x - k;
        term *= (f->n1 - k) * out / ((k + 1) * (n0 - out + 1));
        sum += term;
    }
    return sum;
}

/* (P(a) + P(a - 1) + …) / P(a), where a is not above the mode. */
static double fisher_sum_down(const fisher_test *f, uint32_t x, uint32_t a) {
    double sum = 1, term = 1, n0 = (double)f->n - f->n1;
    for (uint32_t first = fisher_first(f, x); a > first && term > sum * FISHER_ENOUGH; a--) {
        double k = a, out = (double)x - k;
        term *= k * (n0 - out) / ((f->n1 - k + 1) * (out + 1));
        sum += term;
    }
    return sum;
}

/* log P(A >= a). Below the mode, the rest is 1 minus the shorter tail. */
static double fisher_upper(const fisher_test *f, uint32_t x, uint32_t a) {
    if (a <= fisher_first(f, x)) return 0;
    if (a >= fisher_mode(f, x)) {
        return (double)(fisher_log_one(f, x, a) + log(fisher_sum_up(f, x, a)));
    }
    return log1p(-exp((double)fisher_log_one(f, x, a - 1)) * fisher_sum_down(f, x, a - 1));
}

static double fisher_lower(const fisher_test *f, uint32_t x, uint32_t a) {
    if (a >= fisher_last(f, x)) return 0;
    if (a <= fisher_mode(f, x)) {
        return (double)(fisher_log_one(f, x, a) + log(fisher_sum_down(f, x, a)));
    }
    return log1p(-exp((double)fisher_log_one(f, x, a + 1)) * fisher_sum_up(f, x, a + 1));
}

/* The count nearest to the mode, on the other side of it than a, that is at most as probable as a
 * (up to ties); false if there is none. */
static bool fisher_opposite(const fisher_test *f, uint32_t x, bool up, long double most,
                            uint32_t *out) {
    uint32_t mode = fisher_mode(f, x), end = up ? fisher_last(f, x) : fisher_first(f, x);
    uint32_t near = mode; /* more probable, or the mode */
    if (fisher_log_one(f, x, end) > most) return false;
    while (up ? end - near > 1 : near - end > 1) {
        uint32_t middle = near + (end - near) / 2;
        if (!up) middle = end + (near - end) / 2;
        if (fisher_log_one(f, x, middle) > most) {
            near = middle;
        } else {
            end = middle;
        }
    }
    *out = end;
    return end != mode;
}

static double fisher_both(const fisher_test *f, uint32_t x, uint32_t a) {
    uint32_t mode = fisher_mode(f, x), b = 0;
    long double one = fisher_log_one(f, x, a), most = one + FISHER_TIE;
    if (a == mode || fisher_log_one(f, x, mode) <= most) return 0;
    bool up = a > mode;
    double sum = up ? fisher_sum_up(f, x, a) : fisher_sum_down(f, x, a);
    if (fisher_opposite(f, x, !up, most, &b)) {
        double other = up ? fisher_sum_down(f, x, b) : fisher_sum_up(f, x, b);
        sum += other * exp((double)(fisher_log_one(f, x, b) - one));
    }
    return (double)(one + log(sum));
}

double fisher_log(const fisher_test *f, uint32_t x, uint32_t a) {
    double log_p = f->alternative == LODE_GREATER ? fisher_upper(f, x, a)
                   : f->alternative == LODE_LESS  ? fisher_lower(f, x, a)
                                                  : fisher_both(f, x, a);
    return log_p < 0 ? log_p : 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The table for x; NULL = there is no room for it. */
static _Atomic int64_t *fisher_table(fisher_test *f, uint32_t x) {
    _Atomic int64_t *table = atomic_load_explicit(&f->tables[x], memory_order_acquire),
                    *none = NULL;
    size_t bytes = fisher_table_bytes(f, x);
    void *fresh = NULL;
    if (table) return table;
    if (atomic_fetch_add_explicit(&f->bytes, bytes, memory_order_relaxed) > FISHER_BYTES ||
        mem_zalloc(f->mem, &fresh, bytes) != LODE_OK) {
        atomic_fetch_sub_explicit(&f->bytes, bytes, memory_order_relaxed);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&f->tables[x], &none, fresh)) return fresh;
    mem_free(f->mem, fresh, bytes); /* another thread was first */
    return none;
}

fisher_p fisher_key(fisher_test *f, uint32_t x, uint32_t a) {
    _Atomic int64_t *table = fisher_table(f, x),
                    *at = table ? table + (a - fisher_first(f, x)) : NULL;
    int64_t known = at ? atomic_load_explicit(at, memory_order_relaxed) : 0;
    if (known != 0) return known + 1;
    fisher_p key = fisher_of_log(fisher_log(f, x, a));
    if (at) atomic_store_explicit(at, key - 1, memory_order_relaxed);
    return key;
}

fisher_p fisher_least(const fisher_test *f, uint32_t x) {
    uint32_t first = fisher_first(f, x), last = fisher_last(f, x);
    bool up = f->alternative == LODE_GREATER;
    if (f->alternative == LODE_TWO_SIDED) {
        up = fisher_log_one(f, x, last) < fisher_log_one(f, x, first);
    }
    return fisher_of_log(fisher_log(f, x, up ? last : first));
}

fisher_p fisher_envelope(const fisher_test *f, uint32_t x) {
    uint32_t n0 = f->n - f->n1, most = f->n1 < n0 ? f->n1 : n0;
    if (f->alternative == LODE_GREATER) most = f->n1;
    if (f->alternative == LODE_LESS) most = n0;
    return f->least[x < most ? x : most];
}

fisher_tails fisher_below(fisher_test *f, uint32_t x, fisher_p limit) {
    uint32_t mode = fisher_mode(f, x), first = fisher_first(f, x), last = fisher_last(f, x);
    fisher_tails t = {-1, (int64_t)f->n1 + 1};
    if (f->alternative != LODE_GREATER && fisher_key(f, x, first) < limit) {
        uint32_t in = first, out = mode + 1; /* p-values rise from first to the mode */
        if (f->alternative == LODE_LESS || out > last) out = last + 1;
        while (out - in > 1) {
            uint32_t middle = in + (out - in) / 2;
            bool below = fisher_key(f, x, middle) < limit;
            in = below ? middle : in;
            out = below ? out : middle;
        }
        t.low = in;
    }
    if (f->alternative != LODE_LESS && fisher_key(f, x, last) < limit) {
        int64_t in = last, out = (int64_t)mode - 1;
        if (f->alternative == LODE_GREATER || out < (int64_t)first) out = (int64_t)first - 1;
        while (in - out > 1) {
            int64_t middle = out + (in - out) / 2;
            bool below = fisher_key(f, x, (uint32_t)middle) < limit;
            in = below ? middle : in;
            out = below ? out : middle;
        }
        t.high = in;
    }
    return t;
}
