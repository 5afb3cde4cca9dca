/* permutations.c - see permutations.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/permutations.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "runtime/parallel.h"

/* ---- which kernels --------------------------------------------------------------------------- */

extern const permute_kernels permute_kernels_scalar;

#if defined(__x86_64__)

extern const permute_kernels permute_kernels_avx2, permute_kernels_avx512;

static bool permute_runs_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi2");
}

static bool permute_runs_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

const permute_kernels *permute_kernels_pick(void) {
    const char *forced = getenv("LODE_CPU");
    if ((!forced || strcmp(forced, "avx512") == 0) && permute_runs_avx512()) {
        return &permute_kernels_avx512;
    }
    if ((!forced || strcmp(forced, "avx2") == 0) && permute_runs_avx2())
        return &permute_kernels_avx2;
    return &permute_kernels_scalar;
}

#else

const permute_kernels *permute_kernels_pick(void) {
    return &permute_kernels_scalar;
}

#endif

/* ---- one permutation ------------------------------------------------------------------------- */

#define PERMUTE_DIGITS 8 /* binary digits of the share of the class, in random words */

/* Random words whose bits are set with the probability digits / 2^PERMUTE_DIGITS, about. */
static uint64_t permute_word(rng *r, unsigned digits) {
    uint64_t word = 0;
    unsigned k = 0;
    if (digits == 0) return 0;
    for (; (digits >> k & 1) == 0; k++) continue;
    for (; k < PERMUTE_DIGITS; k++) {
        uint64_t random = rng_u64(r);
        word = digits >> k & 1 ? word | random : word & random;
    }
    return word;
}

static void permute_flip(rng *r, uint64_t *bits, uint32_t first, uint32_t n, bool set) {
    for (;;) {
        uint32_t at = first + (uint32_t)rng_below(r, n);
        uint64_t bit = (uint64_t)1 << at % 64;
        if (((bits[at / 64] & bit) != 0) == set) continue;
        bits[at / 64] ^= bit;
        return;
    }
}

/* Sets `wanted` of the n bits from `first` on. All sets of that many bits are equally likely: bits
 * that are set independently of each other, with equal probability, favour no place; neither do the
 * steps that set or clear single bits at random until the number is right. */
static void permute_choose(rng *r, uint64_t *bits, uint32_t first, uint32_t n, uint32_t wanted) {
    unsigned most = 1u << PERMUTE_DIGITS;
    unsigned digits = (unsigned)(((uint64_t)wanted * most + n / 2) / n);
    uint32_t got = 0;
    if (digits >= most) digits = most - 1;
    for (uint32_t at = 0; at < n;) {
        uint32_t place = first + at, room = 64 - place % 64, left = n - at;
        uint64_t word = permute_word(r, digits);
        if (room > left) room = left;
        if (room < 64) word &= ((uint64_t)1 << room) - 1;
        bits[place / 64] |= word << place % 64;
        got += (uint32_t)bits_count(word);
        at += room;
    }
    for (; got < wanted; got++) permute_flip(r, bits, first, n, true);
    for (; got > wanted; got--) permute_flip(r, bits, first, n, false);
}

/* What a thread needs to make permutations. */
typedef struct permute_scratch {
    uint64_t *bits; /* by test, permutation of a word: a bit for each place */
    uint8_t *of;    /* by place: the class; for more than two classes */
    size_t words;   /* of a row of bits */
} permute_scratch;

/* More than two classes: the classes of each stratum, shuffled. */
static void permute_shuffle(rng *r, const row_classes *c, uint8_t *of) {
    memcpy(of, c->of, c->n_rows);
    for (uint32_t s = 0; s < c->n_strata; s++) {
        uint8_t *at = of + c->starts[s];
        for (uint32_t n = c->starts[s + 1] - c->starts[s]; n > 1; n--) {
            uint32_t other = (uint32_t)rng_below(r, n);
            uint8_t kept = at[other];
            at[other] = at[n - 1];
            at[n - 1] = kept;
        }
    }
}

static void permute_one(const row_classes *c, const uint32_t *in_stratum, rng *r, unsigned k,
                        const permute_scratch *to) {
    if (c->n_classes == 2) {
        uint64_t *bits = to->bits + k * to->words;
        for (uint32_t s = 0; s < c->n_strata; s++) {
            uint32_t first = c->starts[s];
            permute_choose(r, bits, first, c->starts[s + 1] - first, in_stratum[s]);
        }
        return;
    }
    permute_shuffle(r, c, to->of);
    for (uint32_t p = 0; p < c->n_rows; p++) {
        uint64_t *bits = to->bits + ((size_t)to->of[p] * 64 + k) * to->words;
        bits[p / 64] |= (uint64_t)1 << p % 64;
    }
}

/* ---- rows of bits become blocks -------------------------------------------------------------- */

/* Transposes 64 x 64 bits: bit j of word i becomes bit i of word j. */
static void permute_transpose(uint64_t tile[64]) {
    uint64_t mask = 0x00000000ffffffff;
    for (unsigned step = 32; step > 0; step >>= 1, mask ^= mask << step) {
        for (unsigned i = 0; i < 64; i = (i + step + 1) & ~step) {
            uint64_t swap = (tile[i] >> step ^ tile[i + step]) & mask;
            tile[i] ^= swap << step;
            tile[i + step] ^= swap;
        }
    }
}

/* Writes word `w` of a block: 64 rows of bits, transposed. */
static void permute_write(const uint64_t *rows, size_t words, uint32_t n_rows, uint64_t *block,
                          unsigned w) {
    uint64_t tile[64];
    for (size_t at = 0; at < words; at++) {
        uint32_t n = n_rows - at * 64 < 64 ? (uint32_t)(n_rows - at * 64) : 64;
        for (unsigned k = 0; k < 64; k++) tile[k] = rows[k * words + at];
        permute_transpose(tile);
        for (uint32_t i = 0; i < n; i++) block[(at * 64 + i) * PERMUTE_WORDS + w] = tile[i];
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef struct permute_task {
    permutations *p;
    lode_job *job;
    const row_classes *classes;
    uint32_t *in_stratum; /* by stratum: the rows of the first class */
    uint64_t seed;
    _Atomic uint64_t next; /* group of 64 permutations */
} permute_task;

static void permute_group(const permute_task *t, uint64_t group, const permute_scratch *s) {
    const permutations *p = t->p;
    uint64_t first = group * 64;
    memset(s->bits, 0, p->n_tests * 64 * s->words * sizeof *s->bits);
    for (unsigned k = 0; k < 64 && first + k < p->n; k++) {
        rng r = rng_make(t->seed, first + k);
        permute_one(t->classes, t->in_stratum, &r, k, s);
    }
    for (uint32_t test = 0; test < p->n_tests; test++) {
        size_t block = group / PERMUTE_WORDS;
        permute_write(s->bits + (size_t)test * 64 * s->words, s->words, p->n_rows,
                      permutations_block(p, test, block), group % PERMUTE_WORDS);
    }
}

static lode_status permute_run(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    permute_task *t = arg;
    mem *m = &t->job->mem;
    const permutations *p = t->p;
    permute_scratch s = {.words = ((size_t)p->n_rows + 63) / 64};
    size_t bytes = p->n_tests * 64 * s.words * sizeof *s.bits;
    uint64_t groups = (p->n + 63) / 64, group;
    (void)worker;
    LODE_TRY(mem_zalloc(m, (void **)&s.bits, bytes));
    LODE_TRY(mem_zalloc(m, (void **)&s.of, p->n_rows));
    while ((group = atomic_fetch_add(&t->next, 1)) < groups) {
        LODE_TRY(job_check(t->job));
        permute_group(t, group, &s);
    }
done:
    if (s.bits) mem_free(m, s.bits, bytes);
    if (s.of) mem_free(m, s.of, p->n_rows);
    return status;
}

lode_status permutations_make(permutations *p, lode_job *job, const row_classes *c, uint64_t n,
                              uint64_t seed) {
    lode_status status = LODE_OK;
    permute_task t = {.p = p, .job = job, .classes = c, .seed = seed};
    size_t strata_bytes = c->n_strata * sizeof *t.in_stratum;
    *p = (permutations){.mem = &job->mem, .n = n, .n_rows = c->n_rows, .n_tests = classes_tests(c)};
    p->n_blocks = (n + PERMUTE_BLOCK - 1) / PERMUTE_BLOCK;
    p->block_words = ((size_t)c->n_rows + 1) * PERMUTE_WORDS;
    size_t bytes = p->n_tests * p->n_blocks * p->block_words * sizeof *p->bits;
    LODE_TRY(mem_zalloc(p->mem, (void **)&t.in_stratum, strata_bytes));
    for (uint32_t s = 0; s < c->n_strata; s++) {
        for (uint32_t i = c->starts[s]; i < c->starts[s + 1]; i++) t.in_stratum[s] += c->of[i] == 0;
    }
    LODE_TRY(mem_zalloc(p->mem, (void **)&p->bits, bytes));
    p->bytes = bytes;
    LODE_TRY(parallel_run(job, job->threads, false, permute_run, &t));
done:
    if (t.in_stratum) mem_free(p->mem, t.in_stratum, strata_bytes);
    if (status != LODE_OK) permutations_free(p);
    return status;
}

void permutations_free(permutations *p) {
    if (p->bits) mem_free(p->mem, p->bits, p->bytes);
    *p = (permutations){0};
}
