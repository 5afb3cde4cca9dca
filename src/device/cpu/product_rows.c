/* product_rows.c - one row of a class on the CPU: its partners, its lattice, its child; see
 * product.h
 *
 * Bit rows are counted by the kernels of the backend. A root that is given by lists is never turned
 * into bit rows: counting a row goes through the lists of its columns. Children are bit rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "device/cpu/product.h"

#define POLL        65536 /* columns, or items of lists, between checks for a stop */
#define LINE_WORDS  8
#define LINE_BITS   512
#define NO_PLACE    UINT32_MAX
#define SPARSE_ROWS 4 /* from this many rows to count with on, skipping empty lines pays */

/* ---- counting -------------------------------------------------------------------------------- */

static lode_status partner_add(product_device *d, product_frame *f, uint32_t row, uint32_t count) {
    lode_status status = vec_u32_push(&d->job->mem, &f->partners, row);
    return status != LODE_OK ? status : vec_u32_push(&d->job->mem, &f->partner_supports, count);
}

/* Lists the lines of a row that are not empty, in d->lines. */
static lode_status find_full_lines(product_device *d, const uint64_t *row, size_t words) {
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

static lode_status partners_by_bits(product_device *d, product_frame *f, const product_class *c,
                                    uint32_t row, uint32_t from) {
    lode_status status = LODE_OK;
    const uint64_t *bits = product_bits(c, row);
    bool sparse = false;
    if (c->end - from >= SPARSE_ROWS) {
        LODE_TRY(find_full_lines(d, bits, c->words));
        sparse = d->lines.n < c->words / LINE_WORDS / 2;
    }
    for (uint32_t other = from; other < c->end; other++) {
        const uint64_t *with = product_bits(c, other);
        if (other == row || f->supports[other] < f->request.min_count) continue;
        uint64_t n = sparse ? d->kernels->and_count_lines(bits, with, d->lines.data, d->lines.n)
                            : d->kernels->and_count(bits, with, c->words);
        if (n >= f->request.min_count) LODE_TRY(partner_add(d, f, other, (uint32_t)n));
    }
    product_depth *depth = product_depth_at(d, f->depth);
    depth->pair_bits += (double)(c->end - from - (from <= row)) * (double)c->words * 64;
done:
    return status;
}

static lode_status partners_by_lists(product_device *d, product_frame *f, const product_class *c,
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
        if (n >= f->request.min_count && other != row) LODE_TRY(partner_add(d, f, other, n));
    }
    d->report.depths[0].pair_bits += (double)looked_at;
done:
    return status;
}

lode_status product_count_row(product_device *d, product_frame *f, const product_class *c,
                              uint32_t row) {
    bool has_earlier = d->config.target != LODE_TARGET_ALL;
    uint32_t from = has_earlier ? c->first : row + 1;
    product_depth *depth = product_depth_at(d, f->depth);
    depth->rows++;
    depth->classes += row == c->first + c->n_earlier;
    depth->pairs += c->end - from - (from <= row);
    return product_by_lists(d, c) ? partners_by_lists(d, f, c, row, from)
                                  : partners_by_bits(d, f, c, row, from);
}

/* Numbers the partners that are not perfect in d->places (`on`), or clears the numbers again. */
static uint32_t set_places(product_device *d, const product_row *r, bool on) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->supports[i] == r->support) continue;
        d->places[r->partners[i]] = on ? k : NO_PLACE;
        k++;
    }
    return k;
}

/* ---- lattices ------------------------------------------------------------------------------- */

/* Counts every column of the row by its number: bit p is set if partner p has the column. */
static void lattice_add_bits(product_device *d, const product_class *c, const product_row *r) {
    const uint64_t *row = product_bits(c, r->row), *with[PRODUCT_LATTICE_ITEMS];
    uint32_t *lattice = d->lattice.data, k = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->supports[i] != r->support) with[k++] = product_bits(c, r->partners[i]);
    }
    for (size_t w = 0; w < c->words; w++) {
        if (row[w] == 0) continue;
        uint64_t words[PRODUCT_LATTICE_ITEMS];
        for (uint32_t p = 0; p < k; p++) words[p] = with[p][w];
        for (uint64_t rest = row[w]; rest != 0; rest &= rest - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(rest);
            uint32_t number = 0;
            for (uint32_t p = 0; p < k; p++) number |= (uint32_t)(words[p] >> bit & 1) << p;
            lattice[number]++;
        }
    }
}

static void lattice_add_lists(product_device *d, const product_row *r) {
    const product_root *root = &d->root;
    uint32_t *lattice = d->lattice.data;
    set_places(d, r, true);
    for (uint64_t i = d->row_starts[r->row]; i < d->row_starts[r->row + 1]; i++) {
        uint32_t column = d->columns[i], number = 0;
        for (uint64_t at = root->starts[column]; at < root->starts[column + (uint64_t)1]; at++) {
            uint32_t place = d->places[root->items[at]];
            if (place != NO_PLACE) number |= (uint32_t)1 << place;
        }
        lattice[number]++;
    }
    set_places(d, r, false);
}

lode_status product_fill_lattice(product_device *d, const product_class *c, const product_row *r,
                                 uint32_t *k) {
    lode_status status = LODE_OK;
    uint32_t *lattice;
    *k = r->n - r->n_perfect;
    size_t entries = (size_t)1 << *k;
    d->lattice.n = 0;
    LODE_TRY(vec_u32_reserve(&d->job->mem, &d->lattice, entries));
    lattice = d->lattice.data;
    memset(lattice, 0, entries * sizeof *lattice);
    product_by_lists(d, c) ? lattice_add_lists(d, r) : lattice_add_bits(d, c, r);
    for (size_t bit = 1; bit < entries; bit *= 2) {
        for (size_t s = 0; s < entries; s++) {
            if (!(s & bit)) lattice[s] += lattice[s | bit];
        }
    }
done:
    return status;
}

/* ---- children -------------------------------------------------------------------------------- */

/* The columns that the parent row does not have are dropped if less than half would be left. */
size_t product_child_words(const product_device *d, const product_class *c, const product_row *r) {
    size_t compact = bits_round_up(r->support, LINE_BITS) / 64;
    bool drops = product_by_lists(d, c) || (uint64_t)r->support * 2 < c->words * 64;
    return drops && (!c->rows || compact < c->words) ? compact : c->words;
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

lode_status product_fill_child(product_device *d, const product_class *c, const product_row *r,
                               uint64_t *to, size_t words) {
    lode_status status = LODE_OK;
    bool compact = words != c->words;
    if (product_by_lists(d, c)) {
        memset(to, 0, (size_t)(r->n - r->n_perfect) * words * sizeof *to);
        child_from_lists(d, r, to, words);
        return LODE_OK;
    }
    const uint64_t *row = product_bits(c, r->row);
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->supports[i] == r->support) continue;
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
    /* Counts are stored two places ahead. Filling in the columns then advances every start to its
     * final value. */
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
