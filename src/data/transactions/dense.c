/* dense.c - see dense.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/dense.h"

#include <string.h>

#include "base/bits.h"
#include "base/os.h"
#include "runtime/parallel.h"

#define DENSE_BLOCK ((size_t)1 << 17) /* items of a block, about as many as a reader's */

/* ---- Bits to items --------------------------------------------------------------------------- */

/* Writes the first bit, and then the others four at a time, whether or not there are that many: the
 * number of rounds is easier to predict than the number of bits. Surplus entries are overwritten
 * later. */
static inline uint32_t *dense_write_word(uint64_t bits, uint32_t base, uint32_t *items) {
    *items++ = base + (uint32_t)__builtin_ctzll(bits);
    bits &= bits - 1;
    if (bits == 0) return items;
    uint32_t *end = items + bits_count(bits);
    for (; bits != 0; items += 4) {
        for (int k = 0; k < 4; k++) {
            items[k] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
            bits &= bits - 1;
        }
    }
    return end;
}

uint32_t *dense_write_items(const uint64_t *row, size_t words, uint32_t *items) {
    for (size_t w = 0; w < words; w++) {
        if (row[w] != 0) items = dense_write_word(row[w], (uint32_t)(w * DENSE_WORD), items);
    }
    return items;
}

uint32_t dense_count_row(const uint64_t *row, size_t words) {
    uint64_t n = 0;
    for (size_t w = 0; w < words; w++) n += bits_count(row[w]);
    return (uint32_t)n;
}

uint32_t dense_transaction(const dense_rows *d, uint64_t t, uint32_t *items, uint32_t room) {
    if (t >= d->owner->profile.n_transactions) return 0;
    const uint64_t *row = dense_row(d, t);
    uint32_t n = 0;
    for (size_t w = 0; items && w < d->words && n < room; w++) {
        for (uint64_t bits = row[w]; bits != 0 && n < room; bits &= bits - 1) {
            items[n++] = (uint32_t)(w * DENSE_WORD) + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return dense_count_row(row, d->words);
}

void dense_free(mem *m, dense_rows *d) {
    if (!d) return;
    mem_free(m, d->bits, d->bytes);
    pthread_mutex_destroy(&d->lock);
    mem_free(m, d, sizeof *d);
}

/* ---- Making lists ---------------------------------------------------------------------------- */

typedef struct dense_lists {
    dense_rows *d;
    lode_job *job;
    data_block *blocks;
    size_t n_blocks;
    _Atomic size_t next; /* the first block that no thread has taken */
} dense_lists;

/* Rows of a block: as many as have DENSE_BLOCK items on the average. */
static uint64_t dense_block_rows(const lode_profile *p) {
    uint64_t mean = p->n_occurrences / p->n_transactions + 1, n = DENSE_BLOCK / mean + 1;
    return n < p->n_transactions ? n : p->n_transactions;
}

/* Gives a block its memory: places in the slab follow one another by the numbers of items. */
static void dense_place_block(dense_lists *l, data_block *block, uint32_t **place) {
    uint32_t at = 0;
    block->offsets = *place;
    block->items = *place + block->n + 1;
    block->in_slab = true;
    block->offsets[0] = 0;
    for (uint32_t i = 0; i < block->n; i++) {
        at += dense_count_row(dense_row(l->d, block->first + i), l->d->words);
        block->offsets[i + 1] = at;
    }
    *place = block->items + at;
}

/* dense_write_items() may write beyond the end of a row. The next row overwrites that. The last
 * rows of a block are written to a buffer and copied, so that the next block stays intact. */
static void dense_fill_block(const dense_rows *d, const data_block *block, uint32_t *row) {
    for (uint32_t i = 0; i < block->n; i++) {
        const uint64_t *bits = dense_row(d, block->first + i);
        uint32_t *to = block->items + block->offsets[i];
        uint32_t n = block->offsets[i + 1] - block->offsets[i];
        bool safe = block->offsets[block->n] - block->offsets[i + 1] >= DENSE_SPARE;
        dense_write_items(bits, d->words, safe ? to : row);
        if (!safe && n > 0) memcpy(to, row, n * sizeof *row);
    }
}

static lode_status dense_fill_some(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    dense_lists *l = arg;
    uint32_t *row = NULL;
    size_t at, bytes = (l->d->owner->profile.longest + (size_t)DENSE_SPARE) * sizeof *row;
    (void)worker;
    LODE_TRY(mem_resize(&l->job->mem, (void **)&row, 0, bytes));
    while ((at = atomic_fetch_add(&l->next, 1)) < l->n_blocks) {
        LODE_TRY(job_check(l->job));
        dense_fill_block(l->d, &l->blocks[at], row);
    }
done:
    mem_free(&l->job->mem, row, row ? bytes : 0);
    return status;
}

/* Takes the memory of all blocks at once. */
static lode_status dense_make_blocks(dense_lists *l, data_slab *slab) {
    lode_status status = LODE_OK;
    const lode_profile *p = &l->d->owner->profile;
    uint64_t rows = dense_block_rows(p);
    l->n_blocks = (size_t)((p->n_transactions + rows - 1) / rows);
    size_t words = p->n_occurrences + p->n_transactions + l->n_blocks;
    mem *m = l->d->owner->mem;
    LODE_TRY(mem_zalloc(m, (void **)&l->blocks, l->n_blocks * sizeof *l->blocks));
    LODE_TRY(mem_resize(m, (void **)&slab->memory, 0, words * sizeof(uint32_t)));
    slab->bytes = words * sizeof(uint32_t);
    os_pages_prefer_huge(slab->memory, slab->bytes);
    uint32_t *place = (uint32_t *)(void *)slab->memory;
    for (size_t b = 0; b < l->n_blocks; b++) {
        uint64_t first = b * rows, left = p->n_transactions - first;
        l->blocks[b].first = first;
        l->blocks[b].n = (uint32_t)(left < rows ? left : rows);
        dense_place_block(l, &l->blocks[b], &place);
    }
done:
    return status;
}

/* The data set has the blocks from now on. */
static lode_status dense_give_blocks(const dense_lists *l, data_slab slab) {
    lode_dataset *data = l->d->owner;
    data_slabs slabs = {.n = 1, .cap = 1};
    lode_status status = mem_resize(data->mem, (void **)&slabs.data, 0, sizeof slab);
    if (status != LODE_OK) return status;
    slabs.data[0] = slab;
    data->slabs = slabs;
    data->blocks = l->blocks;
    data->n_blocks = l->n_blocks;
    l->d->listed = true;
    return LODE_OK;
}

static lode_status dense_list_all(lode_job *job, dense_rows *d) {
    lode_status status = LODE_OK;
    dense_lists l = {.d = d, .job = job};
    data_slab slab = {0};
    LODE_TRY(dense_make_blocks(&l, &slab));
    unsigned threads = l.n_blocks < job->threads ? (unsigned)l.n_blocks : job->threads;
    LODE_TRY(parallel_run(job, threads, false, dense_fill_some, &l));
    LODE_TRY(dense_give_blocks(&l, slab));
    return LODE_OK;
done:
    mem_free(d->owner->mem, slab.memory, slab.bytes);
    mem_free(d->owner->mem, l.blocks, l.blocks ? l.n_blocks * sizeof *l.blocks : 0);
    return status;
}

lode_status dense_list(lode_job *job, dense_rows *d) {
    pthread_mutex_lock(&d->lock);
    lode_status status = d->listed ? LODE_OK : dense_list_all(job, d);
    pthread_mutex_unlock(&d->lock);
    return status;
}
