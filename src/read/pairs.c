/* pairs.c - see pairs.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/pairs.h"

#include <inttypes.h>
#include <stdio.h>

#include "read/line_ends.h"

#define PAIRS_BLOCK_ITEMS ((size_t)1 << 17)

/* While blocks of several files are joined, the upper bits of the number of items of a transaction
 * are the number of its file, counted from 1, or PAIRS_SHARED if it has rows in several files. */
#define PAIRS_FILE_SHIFT 40
#define PAIRS_COUNT      (((uint64_t)1 << PAIRS_FILE_SHIFT) - 1)
#define PAIRS_SHARED     (UINT64_MAX >> PAIRS_FILE_SHIFT)

/* ---- Parsing ---- */

void pairs_begin(read_worker *w) {
    pairs_worker *own = w->own;
    own->n = 0;
    own->counted = w->block.text.data;
    own->line = 1;
}

/* Notes the weight of the record, and where that stands: lines are counted on from the last. */
static lode_status pairs_weigh(read_worker *w) {
    pairs_worker *own = w->own;
    const char *at = w->rows.weight_at;
    if (own->n == own->weights_cap) {
        lode_status status = vec_grow(&w->task->job->mem, (void **)&own->weights, own->n,
                                      &own->weights_cap, 1, sizeof *own->weights);
        if (status != LODE_OK) return status;
    }
    for (const char *p = own->counted; p < at;) {
        p = line_find(p, at);
        if (p == at) break;
        p += line_end_bytes(p, at);
        own->counted = p;
        own->line++;
    }
    own->weights[own->n] =
        (pairs_weight){w->rows.weight, (uint32_t)own->line, (uint32_t)(at - own->counted) + 1};
    return LODE_OK;
}

lode_status pairs_number(read_worker *w, const char *tid, size_t n, uint32_t *transaction) {
    pairs_worker *t = w->own;
    if (!t->tids) {
        lode_status status = dict_create(&w->task->job->mem, &t->tids);
        if (status != LODE_OK) return status;
        dict_stop_by(t->tids, job_sort_stop(w->task->job));
    }
    return dict_add(t->tids, tid, n, transaction);
}

lode_status pairs_add_number(read_worker *w, uint32_t transaction, uint32_t item) {
    lode_status status = LODE_OK;
    pairs_worker *t = w->own;
    mem *m = &w->task->job->mem;
    if (t->n == t->cap) {
        LODE_TRY(vec_grow(m, (void **)&t->pairs, t->n, &t->cap, 1, sizeof *t->pairs));
    }
    if (w->task->rows && w->rows.weighted) LODE_TRY(pairs_weigh(w));
    t->pairs[t->n++] = (pairs_pair){transaction, item};
done:
    return status;
}

lode_status pairs_add(read_worker *w, const pairs_record *record) {
    uint32_t transaction;
    lode_status status = pairs_number(w, record->tid, record->n_tid, &transaction);
    return status == LODE_OK ? pairs_add_number(w, transaction, record->item) : status;
}

lode_status pairs_drop(read_worker *w, const char *tid, size_t n) {
    pairs_worker *own = w->own;
    uint32_t transaction;
    lode_status status = LODE_OK;
    if (n == 0) return LODE_OK;
    if (!own->dropped) {
        LODE_TRY(dict_create(&w->task->job->mem, &own->dropped));
        dict_stop_by(own->dropped, job_sort_stop(w->task->job));
    }
    LODE_TRY(dict_add(own->dropped, tid, n, &transaction));
done:
    return status;
}

static void pairs_free_block(mem *m, pairs_block *block) {
    if (block->pairs) mem_free(m, block->pairs, block->n * sizeof *block->pairs);
    if (block->weights) mem_free(m, block->weights, block->n * sizeof *block->weights);
    *block = (pairs_block){0};
}

/* Keeps the pairs of the block in memory of exactly their size. */
lode_status pairs_end(read_worker *w) {
    lode_status status = LODE_OK;
    pairs_worker *own = w->own;
    pairs_state *t = w->task->own;
    mem *m = &w->task->job->mem;
    size_t at = (size_t)w->block.sequence;
    pairs_block block = {
        .n = own->n, .worker = w->index, .from_line = w->from_line, .from_column = w->from_column};
    LODE_TRY(mem_resize(m, (void **)&block.pairs, 0, own->n * sizeof *block.pairs));
    if (own->n > 0) memcpy(block.pairs, own->pairs, own->n * sizeof *block.pairs);
    if (own->weights && own->n > 0) {
        LODE_TRY(mem_resize(m, (void **)&block.weights, 0, own->n * sizeof *block.weights));
        memcpy(block.weights, own->weights, own->n * sizeof *block.weights);
    }
    pthread_mutex_lock(&w->task->lock);
    if (at >= t->blocks_cap) {
        status = vec_grow(m, (void **)&t->blocks, t->n_blocks, &t->blocks_cap, at + 1 - t->n_blocks,
                          sizeof *t->blocks);
    }
    if (status == LODE_OK) {
        for (; t->n_blocks <= at; t->n_blocks++) t->blocks[t->n_blocks] = (pairs_block){0};
        t->blocks[at] = block;
        block = (pairs_block){0};
    }
    pthread_mutex_unlock(&w->task->lock);
done:
    pairs_free_block(m, &block);
    return status;
}

/* ---- The end: pairs become transactions ---- */

/* Translates the numbers and codes of one thread to those of all. */
typedef struct pairs_maps {
    uint32_t *tids;  /* the thread's number -> the common one; DICT_NONE = not met yet */
    uint32_t *names; /* the thread's name -> the code of worker 0 */
    size_t n_tids, n_names;
} pairs_maps;

static void pairs_free_maps(read_task *task, pairs_maps *maps) {
    for (unsigned i = 0; maps && i < task->n_workers; i++) {
        mem_free(&task->job->mem, maps[i].tids, maps[i].n_tids * sizeof(uint32_t));
        mem_free(&task->job->mem, maps[i].names, maps[i].n_names * sizeof(uint32_t));
    }
    mem_free(&task->job->mem, maps, task->n_workers * sizeof *maps);
}

/* The common numbering. */
typedef struct pairs_joint {
    read_task *task;
    pairs_maps *maps; /* of each thread */
    dict *tids;
    vec_u64 starts;    /* of each transaction: how many items, then where they begin, then where
                      * they end */
    vec_u32 weights;   /* of each transaction, if there are weights */
    uint64_t n_shared; /* transactions with rows in several files */
} pairs_joint;

static lode_status pairs_fill_map(const read_task *task, const read_worker *w, pairs_maps *map) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    const pairs_worker *own = w->own;
    builder_worker *first = task->workers[0].out;
    size_t n_tids = own->tids ? dict_count(own->tids) : 0;
    size_t n_names = w->out->name_counts.n;
    LODE_TRY(mem_zalloc(m, (void **)&map->tids, n_tids * sizeof(uint32_t)));
    map->n_tids = n_tids;
    LODE_TRY(mem_zalloc(m, (void **)&map->names, n_names * sizeof(uint32_t)));
    map->n_names = n_names;
    for (size_t i = 0; i < n_tids; i++) map->tids[i] = DICT_NONE;
    for (uint32_t i = 0; i < n_names; i++) {
        size_t n;
        const char *name = dict_name(w->out->names, i, &n);
        if (w->out == first) {
            map->names[i] = BUILDER_NAME_BASE + i;
        } else {
            LODE_TRY(worker_code(first, name, n, &map->names[i]));
        }
    }
done:
    return status;
}

/* ---- Weights ---- */

/* Makes the message of a record whose weight differs from that of its transaction before. */
static lode_status pairs_bad_weight(const pairs_joint *j, size_t number, size_t record) {
    read_task *task = j->task;
    const pairs_block *block = &((const pairs_state *)task->own)->blocks[number];
    const pairs_weight *weight = &block->weights[record];
    const read_file *file = task->files;
    const uint32_t tid = block->pairs[record].transaction;
    uint64_t line = weight->line, column = weight->column, before = 0;
    char what[READ_WHAT_BYTES];
    size_t n;
    const char *id = dict_name(j->tids, tid, &n);
    while (file + 1 < task->files + task->next && file[1].first <= number) file++;
    snprintf(what, sizeof what,
             "weight %u of '%.*s', which had weight %u before; expected one weight per transaction",
             weight->weight, (int)(n < 60 ? n : 60), id, j->weights.data[tid]);
    if (file->found.json.document) {
        if (line == 1) column += block->from_column;
        return read_bad_in(task, file, line + block->from_line, column, what);
    }
    lode_status status = read_lines_before(task, file, &before);
    if (status != LODE_OK) return status;
    for (uint64_t i = file->first; i < number; i++) line += task->lines.data[i];
    return read_bad_in(task, file, before + line, column, what);
}

/* Takes the weight of a transaction's first record and compares it with those of the other records.
 * Sets *fits to whether they are equal. */
static lode_status pairs_settle_weight(pairs_joint *j, size_t number, size_t record, bool *fits) {
    const pairs_block *block = &((const pairs_state *)j->task->own)->blocks[number];
    const uint32_t tid = block->pairs[record].transaction;
    const uint32_t weight = block->weights[record].weight;
    *fits = true;
    if (tid == j->weights.n) return vec_u32_push(&j->task->job->mem, &j->weights, weight);
    *fits = j->weights.data[tid] == weight;
    if (*fits) return LODE_OK;
    if (!j->task->options.skip_bad_lines) return pairs_bad_weight(j, number, record);
    j->task->workers[0].out->totals.n_skipped++;
    return LODE_OK;
}

/* ---- Joining ---- */

/* The number of the file of a block, counted from 1; 0 if there is only one file. */
static uint64_t pairs_file_of(const read_task *task, size_t number) {
    size_t i = 0;
    if (task->n_files < 2 || task->n_files >= PAIRS_SHARED) return 0;
    while (i + 1 < task->next && task->files[i + 1].first <= number) i++;
    return i + 1;
}

/* Notes that a transaction has a row in a file. */
static void pairs_note_file(pairs_joint *j, uint64_t *count, uint64_t file) {
    uint64_t before = *count >> PAIRS_FILE_SHIFT;
    if (before == file || before == PAIRS_SHARED) return;
    j->n_shared += before != 0;
    *count = (*count & PAIRS_COUNT) | (before ? PAIRS_SHARED : file) << PAIRS_FILE_SHIFT;
}

/* Ids that begin anew in each file would join what does not belong together. */
static void pairs_tell_shared(pairs_joint *j) {
    const read_task *task = j->task;
    for (size_t i = 0; i < j->starts.n; i++) j->starts.data[i] &= PAIRS_COUNT;
    if (j->n_shared == 0) return;
    job_log(task->job, LODE_LOG_INFO,
            "%s: %" PRIu64 " transaction id%s in %s; their rows were joined into the same "
            "transactions; if the ids begin anew in each file, make them different first, or mine "
            "each file alone",
            task->name.data, j->n_shared, j->n_shared == 1 ? " occurs" : "s occur",
            task->n_files == 2 ? "both files" : "several files");
}

/* The common number of a thread's transaction. */
static lode_status pairs_join_tid(pairs_joint *j, const pairs_worker *own, uint32_t number,
                                  uint32_t *tid) {
    size_t n;
    lode_status status = LODE_OK;
    *tid = number;
    if (j->tids != own->tids) {
        const char *name = dict_name(own->tids, number, &n);
        status = dict_add(j->tids, name, n, tid);
    }
    if (status != LODE_OK || *tid < j->starts.n) return status;
    return vec_u64_push(&j->task->job->mem, &j->starts, 0);
}

/* Rewrites the pairs of a block with the common numbers; counts the items of each transaction. */
static lode_status pairs_join_block(pairs_joint *j, size_t number) {
    lode_status status = LODE_OK;
    read_task *task = j->task;
    const pairs_block *block = &((const pairs_state *)task->own)->blocks[number];
    const pairs_maps *map = &j->maps[block->worker];
    const pairs_worker *own = task->workers[block->worker].own;
    builder_worker *first = task->workers[0].out;
    const uint64_t file = pairs_file_of(task, number);
    bool fits = true;
    LODE_TRY(job_check(task->job));
    for (size_t i = 0; i < block->n; i++) {
        pairs_pair *pair = &block->pairs[i];
        uint32_t *tid = &map->tids[pair->transaction];
        if (*tid == DICT_NONE) LODE_TRY(pairs_join_tid(j, own, pair->transaction, tid));
        pair->transaction = *tid;
        if (file) pairs_note_file(j, &j->starts.data[*tid], file);
        if (block->weights) LODE_TRY(pairs_settle_weight(j, number, i, &fits));
        if (!fits) pair->item = PAIRS_NO_ITEM;
        if (pair->item == PAIRS_NO_ITEM) continue;
        if (pair->item >= BUILDER_NAME_BASE) {
            pair->item = map->names[pair->item - BUILDER_NAME_BASE];
        } else {
            LODE_TRY(worker_code_number(first, pair->item, &pair->item));
        }
        j->starts.data[*tid]++;
    }
done:
    return status;
}

/* Turns the counts into positions, and puts the items there; then starts[i] is where i ends. */
static lode_status pairs_scatter(read_task *task, vec_u64 *starts, uint32_t *items) {
    pairs_state *t = task->own;
    uint64_t sum = 0;
    for (size_t i = 0; i < starts->n; i++) {
        uint64_t n = starts->data[i];
        starts->data[i] = sum;
        sum += n;
    }
    for (size_t b = 0; b < t->n_blocks; b++) {
        pairs_block *block = &t->blocks[b];
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        for (size_t i = 0; i < block->n; i++) {
            pairs_pair pair = block->pairs[i];
            if (pair.item != PAIRS_NO_ITEM) items[starts->data[pair.transaction]++] = pair.item;
        }
        pairs_free_block(&task->job->mem, block);
    }
    return LODE_OK;
}

static lode_status pairs_push(pairs_joint *j, const uint32_t *items) {
    lode_status status = LODE_OK;
    const read_task *task = j->task;
    builder_worker *w = task->workers[0].out;
    const vec_u64 *ends = &j->starts;
    builder_note note = {.weighted = j->weights.n > 0, .named = task->options.keep_ids};
    const bool plain = !note.weighted && !note.named;
    uint64_t at = 0;
    worker_begin_block(w, 0);
    for (size_t i = 0; i < ends->n; i++) {
        LODE_TRY(worker_reserve(w, (size_t)(ends->data[i] - at)));
        for (; at < ends->data[i]; at++) worker_push(w, items[at]);
        if (note.weighted) note.weight = j->weights.data[i];
        if (note.named) note.id = dict_name(j->tids, (uint32_t)i, &note.id_bytes);
        LODE_TRY(plain ? worker_end_transaction(w) : worker_end_noted(w, &note));
        if (w->items.n + w->ends.n < PAIRS_BLOCK_ITEMS && i + 1 < ends->n) continue;
        LODE_TRY(worker_end_block(w));
        worker_begin_block(w, w->sequence + 1);
    }
done:
    return status;
}

static lode_status pairs_join(pairs_joint *j) {
    lode_status status = LODE_OK;
    read_task *task = j->task;
    mem *m = &task->job->mem;
    const pairs_state *t = task->own;
    uint32_t *items = NULL;
    size_t n_items = 0;
    for (unsigned i = 0; i < task->n_workers; i++) {
        LODE_TRY(pairs_fill_map(task, &task->workers[i], &j->maps[i]));
    }
    for (size_t b = 0; b < t->n_blocks; b++) LODE_TRY(pairs_join_block(j, b));
    if (task->n_files > 1) pairs_tell_shared(j);
    for (size_t i = 0; i < j->starts.n; i++) n_items += j->starts.data[i];
    LODE_TRY(mem_resize(m, (void **)&items, 0, n_items * sizeof *items));
    LODE_TRY(pairs_scatter(task, &j->starts, items));
    LODE_TRY(pairs_push(j, items));
done:
    mem_free(m, items, items ? n_items * sizeof *items : 0);
    return status;
}

/* Counts transactions that have only rows that were left out. */
static lode_status pairs_count_lost(const pairs_joint *j) {
    lode_status status = LODE_OK;
    read_task *task = j->task;
    dict *lost = NULL;
    uint32_t number;
    for (unsigned i = 0; i < task->n_workers; i++) {
        const pairs_worker *own = task->workers[i].own;
        if (!own->dropped) continue;
        if (!lost) LODE_TRY(dict_create(&task->job->mem, &lost));
        LODE_TRY(job_check(task->job));
        for (uint32_t k = 0; k < dict_count(own->dropped); k++) {
            size_t n;
            const char *tid = dict_name(own->dropped, k, &n);
            if (dict_find(j->tids, tid, n) == DICT_NONE) LODE_TRY(dict_add(lost, tid, n, &number));
        }
    }
    task->n_lost = lost ? dict_count(lost) : 0;
done:
    dict_free(lost);
    return status;
}

lode_status pairs_finish(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    pairs_joint j = {.task = task};
    pairs_worker *lone = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&j.maps, task->n_workers * sizeof *j.maps));
    /* The numbers of one thread are the common ones, unless rows that were dropped have some. */
    if (task->n_workers == 1 && !task->rows) lone = task->workers[0].own;
    if (lone) j.tids = lone->tids;
    if (!j.tids) LODE_TRY(dict_create(m, &j.tids));
    dict_stop_by(j.tids, job_sort_stop(task->job));
    LODE_TRY(pairs_join(&j));
    LODE_TRY(pairs_count_lost(&j));
done:
    vec_u64_free(m, &j.starts);
    vec_u32_free(m, &j.weights);
    if (!lone || j.tids != lone->tids) dict_free(j.tids);
    if (j.maps) pairs_free_maps(task, j.maps);
    return status;
}

void pairs_clear(read_task *task) {
    mem *m = &task->job->mem;
    pairs_state *t = task->own;
    for (unsigned i = 0; i < task->n_workers; i++) {
        pairs_worker *own = task->workers[i].own;
        if (!own) continue;
        dict_free(own->tids);
        dict_free(own->dropped);
        mem_free(m, own->pairs, own->cap * sizeof *own->pairs);
        mem_free(m, own->weights, own->weights_cap * sizeof *own->weights);
    }
    if (!t) return;
    for (size_t i = 0; i < t->n_blocks; i++) pairs_free_block(m, &t->blocks[i]);
    mem_free(m, t->blocks, t->blocks_cap * sizeof *t->blocks);
}
