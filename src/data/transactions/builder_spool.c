/* builder_spool.c - moves a data set to disk while it is read, if memory runs out
 *
 * When the blocks no longer fit, all blocks so far and all later ones are written to a spool
 * (spool.h). They contain the codes of the worker that made them, whose number is the tag of the
 * block. The ids of the items are known only at the end. If they differ from the codes, the spool
 * is written a second time, with ids. As in memory, this is not needed if all items are integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "data/transactions/builder_state.h"

#define SPOOL_SHARE ((size_t)128)       /* of a budget, a block on disk is one in this many parts */
#define SPOOL_LEAST ((size_t)16 << 10)  /* … but has this many bytes at the least … */
#define SPOOL_MOST  ((size_t)256 << 10) /* … and at most: larger ones are not faster */

static size_t spool_block_bytes(const builder *b) {
    size_t bytes = mem_budget(b->mem) / SPOOL_SHARE;
    return bytes < SPOOL_LEAST ? SPOOL_LEAST : bytes < SPOOL_MOST ? bytes : SPOOL_MOST;
}

/* A folder that cannot be used is reported now, and not when memory runs out. */
lode_status builder_set_spill(builder *b, const char *folder) {
    lode_status status = LODE_OK;
    spool *trial = NULL;
    b->spill = folder;
    LODE_TRY(spool_create(b->job, b->mem, folder, &trial));
    spool_free(trial);
    status = spool_writer_open(&b->to_disk, b->job, b->mem, NULL, spool_block_bytes(b));
done:
    return status;
}

void builder_drop_spool(builder *b) {
    spool_writer_close(&b->to_disk);
    spool_free(atomic_load(&b->spool));
    atomic_store(&b->spool, NULL);
}

/* ---- while reading --------------------------------------------------------------------------- */

static lode_status spool_write_block(builder *b, const builder_block *block) {
    lode_status status = LODE_OK;
    const data_block *d = &block->data;
    const uint32_t *weights = block->notes.weighted ? block->notes.words : NULL;
    if (d->n == 0) return LODE_OK;
    b->weighted |= weights != NULL;
    LODE_TRY(spool_begin(&b->to_disk, block->worker, weights != NULL));
    for (uint32_t t = 0; t < d->n; t++) {
        uint32_t n = d->offsets[t + 1] - d->offsets[t];
        LODE_TRY(spool_put(&b->to_disk, d->items + d->offsets[t], n, weights ? weights[t] : 1));
    }
    status = spool_flush(&b->to_disk);
done:
    return status;
}

lode_status builder_move_to_disk(builder *b) {
    lode_status status = LODE_OK;
    spool *s = NULL;
    LODE_TRY(spool_create(b->job, b->mem, b->spill, &s));
    b->to_disk.to = s;
    for (size_t i = 0; i < b->n_blocks; i++) {
        if (job_is_cancelled(b->job)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(spool_write_block(b, &b->blocks[i]));
    }
    atomic_store(&b->spool, s);
    s = NULL;
done:
    spool_free(s);
    return status;
}

lode_status builder_spool_block(builder_worker *w) {
    lode_status status = LODE_OK;
    builder *b = w->parent;
    const uint32_t *weights = w->weights.n > 0 ? w->weights.data : NULL;
    uint32_t start = 0;
    pthread_mutex_lock(&b->lock);
    b->weighted |= weights != NULL;
    LODE_TRY(spool_begin(&b->to_disk, (uint32_t)(w - b->workers), weights != NULL));
    for (size_t t = 0; t < w->ends.n; t++) {
        uint32_t end = w->ends.data[t];
        LODE_TRY(
            spool_put(&b->to_disk, w->items.data + start, end - start, weights ? weights[t] : 1));
        start = end;
    }
    status = spool_flush(&b->to_disk);
done:
    pthread_mutex_unlock(&b->lock);
    return status;
}

/* ---- at the end ------------------------------------------------------------------------------ */

/* A pass over the spool. */
typedef struct settle_pass {
    builder *b;
    const builder_codes *codes;
    bool rename; /* ids take the place of codes … */
    bool weighs; /* … and supports are sums of weights */
    spool *to;   /* where rows with ids go; NULL: they stay where they are */
    builder_spooled *out;
} settle_pass;

/* Puts ids in the place of the codes of a row; returns how many there are. */
static uint32_t settle_rename(const settle_pass *p, uint32_t *row, uint32_t n, uint32_t worker) {
    const builder_codes *c = p->codes;
    uint32_t kept = n > 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = row[i];
        row[i] = code < BUILDER_NAME_BASE ? c->numbers[code]
                                          : c->tables[worker][code - BUILDER_NAME_BASE];
    }
    sort_u32(row, n);
    for (uint32_t i = 1; i < n; i++) {
        if (row[i] != row[kept - 1]) {
            row[kept++] = row[i];
        } else if (!p->weighs) {
            c->supports[row[i]]--;
        }
    }
    p->out->n_merged += n - kept;
    return kept;
}

static lode_status settle_block(const settle_pass *p, spool_reader *r) {
    lode_status status = LODE_OK;
    spool_writer *w = &p->b->to_disk;
    if (p->to) LODE_TRY(spool_begin(w, 0, r->weighted));
    for (uint32_t t = 0; t < r->n; t++) {
        uint32_t *row = r->items.data + r->offsets.data[t];
        uint32_t n = r->offsets.data[t + 1] - r->offsets.data[t];
        uint32_t weight = r->weighted ? r->weights.data[t] : 1;
        if (p->rename) n = settle_rename(p, row, n, r->tag);
        if (n > p->out->longest) p->out->longest = n;
        p->out->total_weight += weight;
        for (uint32_t i = 0; p->weighs && i < n; i++) p->codes->supports[row[i]] += weight;
        if (p->to) LODE_TRY(spool_put(w, row, n, weight));
    }
done:
    return status;
}

static lode_status settle_run(const settle_pass *p) {
    lode_status status = LODE_OK;
    builder *b = p->b;
    spool_reader r;
    spool_reader_open(&r, b->job, b->mem, atomic_load(&b->spool));
    b->to_disk.to = p->to;
    for (;;) {
        LODE_TRY(job_tick(b->job, 0, 0));
        LODE_TRY(spool_next(&r));
        if (r.n == 0) break;
        LODE_TRY(settle_block(p, &r));
    }
    if (p->to) status = spool_flush(&b->to_disk);
done:
    spool_reader_close(&r);
    return status;
}

lode_status builder_settle_spool(builder *b, const builder_codes *codes, builder_spooled *out) {
    lode_status status = LODE_OK;
    settle_pass p = {.b = b, .codes = codes, .out = out};
    p.rename = codes->tables != NULL;
    p.weighs = b->weighted;
    if (!p.rename && !p.weighs) return LODE_OK;
    if (p.weighs) memset(codes->supports, 0, codes->n_supports * sizeof *codes->supports);
    if (p.rename) LODE_TRY(spool_create(b->job, b->mem, b->spill, &p.to));
    LODE_TRY(settle_run(&p));
    if (p.rename) {
        spool_free(atomic_load(&b->spool));
        atomic_store(&b->spool, p.to);
        p.to = NULL;
    }
done:
    spool_free(p.to);
    return status;
}
