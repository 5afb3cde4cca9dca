/* product_rows.c - what the CPU does with one row of a class and its partners; see product.h
 *
 * Rows of bits are counted by the kernels of the backend. A root of lists is never turned into
 * bits: a row is counted by walking through the lists of its columns, and what is below it has only
 * those.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "cpu/product.h"

#define POLL        65536 /* columns, or items of lists, between looks at whether to go on */
#define LINE_WORDS  8
#define LINE_BITS   512
#define NO_PLACE    UINT32_MAX
#define SPARSE_ROWS 4 /* rows to count with, from which on it pays to look for empty lines */

/* ---- counting -------------------------------------------------------------------------------- */

static lode_status add_partner(product_device *d, product_frame *f, uint32_t row, uint32_t count) {
    lode_status status = vec_u32_push(&d->job->mem, &f->partners, row);
    return status != LODE_OK ? status : vec_u32_push(&d->job->mem, &f->counts, count);
}

/* The lines of a row that are not empty. */
static lode_status find_lines(product_device *d, const uint64_t *row, size_t words) {
    lode_status status = LODE_OK;
    vec_u32 *lines = &d->lines;
    lines->n = 0;
    LODE_TRY(vec_u32_reserve(&d->job->mem, lines, words / LINE_WORDS));
    for (size_t i = 0; i < words / LINE_WORDS; i++) {
        uint64_t any = 0;
        for (size_t k = 0; k < LINE_WORDS; k++) any |= row[i * LINE_WORDS + k];
        lines->data[lines->n] = (uint32_t)i;
        lines->n += any != 0;
    }
done:
    return status;
}

static lode_status count_bits(product_device *d, product_frame *f, const product_class *c,
                              uint32_t row, uint32_t from) {
    lode_status status = LODE_OK;
    const uint64_t *bits = product_bits(c, row);
    bool sparse = false;
    if (c->end - from >= SPARSE_ROWS) {
        LODE_TRY(find_lines(d, bits, c->words));
        sparse = d->lines.n < c->words / LINE_WORDS / 2;
    }
    for (uint32_t other = from; other < c->end; other++) {
        const uint64_t *with = product_bits(c, other);
        if (other == row || f->supports[other] < f->asked.min_count) continue;
        uint64_t n = sparse ? d->kernels->and_count_lines(bits, with, d->lines.data, d->lines.n)
                            : d->kernels->and_count(bits, with, c->words);
        if (n >= f->asked.min_count) LODE_TRY(add_partner(d, f, other, (uint32_t)n));
    }
    product_depth *depth =
        &d->report.depths[f->depth < PRODUCT_DEPTHS ? f->depth : PRODUCT_DEPTHS - 1];
    depth->pair_bits += (double)(c->end - from - (from <= row)) * (double)c->words * 64;
done:
    return status;
}

static lode_status count_lists(product_device *d, product_frame *f, const product_class *c,
                               uint32_t row, uint32_t from) {
    lode_status status = LODE_OK;
    const product_root *root = &d->root;
    uint64_t looked_at = 0;
    memset(d->list_counts, 0, root->n_rows * sizeof *d->list_counts);
    for (uint64_t i = d->row_starts[row]; i < d->row_starts[row + 1]; i++) {
        uint32_t column = d->columns[i];
        uint64_t at = root->starts[column + (uint64_t)1];
        for (; at > root->starts[column] && root->items[at - 1] >= from; at--) {
            d->list_counts[root->items[at - 1]]++;
            looked_at++;
        }
    }
    for (uint32_t other = from; other < c->end; other++) {
        uint32_t n = d->list_counts[other];
        if (n >= f->asked.min_count && other != row) LODE_TRY(add_partner(d, f, other, n));
    }
    d->report.depths[0].pair_bits += (double)looked_at;
done:
    return status;
}

lode_status product_count_row(product_device *d, product_frame *f, const product_class *c,
                              uint32_t row) {
    bool watches = d->how.target != LODE_TARGET_ALL;
    uint32_t from = watches ? c->first : row + 1;
    product_depth *depth =
        &d->report.depths[f->depth < PRODUCT_DEPTHS ? f->depth : PRODUCT_DEPTHS - 1];
    depth->rows++;
    depth->classes += row == c->first + c->n_watched;
    depth->pairs += c->end - from - (from <= row);
    return product_by_lists(d, c) ? count_lists(d, f, c, row, from)
                                  : count_bits(d, f, c, row, from);
}

/* Gives each partner that is not perfect its number, or takes the numbers back. */
static uint32_t set_places(product_device *d, const product_row *r, bool on) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->counts[i] == r->support) continue;
        d->places[r->partners[i]] = on ? k : NO_PLACE;
        k++;
    }
    return k;
}

/* ---- cubes ----------------------------------------------------------------------------------- */

/* Every column as a number, 64 of them at a time. */
static void cube_add_bits(product_device *d, const product_row *r) {
    const product_class *c = r->of;
    const uint64_t *row = product_bits(c, r->row), *with[PRODUCT_CUBE];
    uint32_t *cube = d->cube.data, k = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->counts[i] != r->support) with[k++] = product_bits(c, r->partners[i]);
    }
    for (size_t w = 0; w < c->words; w++) {
        if (row[w] == 0) continue;
        uint64_t words[PRODUCT_CUBE];
        for (uint32_t p = 0; p < k; p++) words[p] = with[p][w];
        for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(rest);
            uint32_t number = 0;
            for (uint32_t p = 0; p < k; p++) number |= (uint32_t)(words[p] >> bit & 1) << p;
            cube[number]++;
        }
    }
}

static void cube_add_lists(product_device *d, const product_row *r) {
    const product_root *root = &d->root;
    uint32_t *cube = d->cube.data;
    set_places(d, r, true);
    for (uint64_t i = d->row_starts[r->row]; i < d->row_starts[r->row + 1]; i++) {
        uint32_t column = d->columns[i], number = 0;
        for (uint64_t at = root->starts[column]; at < root->starts[column + (uint64_t)1]; at++) {
            uint32_t place = d->places[root->items[at]];
            if (place != NO_PLACE) number |= (uint32_t)1 << place;
        }
        cube[number]++;
    }
    set_places(d, r, false);
}

lode_status product_fill_cube(product_device *d, const product_row *r, uint32_t *k) {
    lode_status status = LODE_OK;
    uint32_t *cube;
    *k = r->n - r->n_perfect;
    size_t entries = (size_t)1 << *k;
    d->cube.n = 0;
    LODE_TRY(vec_u32_reserve(&d->job->mem, &d->cube, entries));
    cube = d->cube.data;
    memset(cube, 0, entries * sizeof *cube);
    product_by_lists(d, r->of) ? cube_add_lists(d, r) : cube_add_bits(d, r);
    for (size_t bit = 1; bit < entries; bit *= 2) {
        for (size_t s = 0; s < entries; s++) {
            if (!(s & bit)) cube[s] += cube[s | bit];
        }
    }
done:
    return status;
}

/* ---- children -------------------------------------------------------------------------------- */

/* Columns are dropped if less than half of them would be left. */
static bool child_is_compact(const product_device *d, const product_row *r) {
    return product_by_lists(d, r->of) || (uint64_t)r->support * 2 < r->of->words * 64;
}

size_t product_child_words(const product_device *d, const product_row *r) {
    size_t compact = bits_round_up(r->support, LINE_BITS) / 64;
    return child_is_compact(d, r) && (!r->of->rows || compact < r->of->words) ? compact
                                                                              : r->of->words;
}

static void child_from_lists(product_device *d, const product_row *r, uint64_t *to, size_t words) {
    const product_root *root = &d->root;
    set_places(d, r, true);
    for (uint64_t i = d->row_starts[r->row], n = 0; i < d->row_starts[r->row + 1]; i++, n++) {
        uint64_t column = d->columns[i];
        for (uint64_t at = root->starts[column]; at < root->starts[column + 1]; at++) {
            uint32_t place = d->places[root->items[at]];
            if (place != NO_PLACE) to[place * words + n / 64] |= (uint64_t)1 << n % 64;
        }
    }
    set_places(d, r, false);
}

lode_status product_fill_child(product_device *d, const product_row *r, uint64_t *to,
                               size_t words) {
    lode_status status = LODE_OK;
    const product_class *c = r->of;
    bool compact = words != c->words;
    if (product_by_lists(d, c)) {
        memset(to, 0, (size_t)(r->n - r->n_perfect) * words * sizeof *to);
        child_from_lists(d, r, to, words);
        return LODE_OK;
    }
    const uint64_t *row = product_bits(c, r->row);
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->counts[i] == r->support) continue;
        LODE_TRY(job_check(d->job));
        const uint64_t *from = product_bits(c, r->partners[i]);
        if (compact) {
            d->kernels->pick(to, from, row, c->words, words);
        } else {
            d->kernels->and_store(to, row, from, words);
        }
        to += words;
    }
done:
    return status;
}

/* ---- a root of lists ------------------------------------------------------------------------- */

lode_status product_turn_lists(product_device *d) {
    lode_status status = LODE_OK;
    mem *m = &d->job->mem;
    const product_root *root = &d->root;
    uint64_t n = root->starts[root->n_columns];
    mem_kept *kept = &d->lists_kept;
    LODE_TRY(mem_keep_zero(m, kept, (void **)&d->row_starts,
                           (root->n_rows + (size_t)2) * sizeof(uint64_t)));
    LODE_TRY(mem_keep(m, kept, (void **)&d->columns, n * sizeof *d->columns));
    LODE_TRY(mem_keep(m, kept, (void **)&d->places, root->n_rows * sizeof *d->places));
    LODE_TRY(mem_keep(m, kept, (void **)&d->list_counts, root->n_rows * sizeof *d->list_counts));
    for (uint32_t row = 0; row < root->n_rows; row++) d->places[row] = NO_PLACE;
    /* Counted two places ahead, so that filling in leaves every start where it belongs. */
    uint64_t *next = d->row_starts + 1;
    for (uint64_t i = 0; i < n; i++) {
        if (i % POLL == 0) LODE_TRY(job_check(d->job));
        d->row_starts[root->items[i] + (size_t)2]++;
    }
    for (uint32_t row = 0; row < root->n_rows; row++) next[row + 1] += next[row];
    for (uint64_t column = 0; column < root->n_columns; column++) {
        if (column % POLL == 0) LODE_TRY(job_check(d->job));
        for (uint64_t at = root->starts[column]; at < root->starts[column + 1]; at++) {
            d->columns[next[root->items[at]]++] = (uint32_t)column;
        }
    }
done:
    return status;
}
