/* occurrences.c - see occurrences.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/occurrences.h"

#include "data/transactions/vertical.h"

/* ---- of words -------------------------------------------------------------------------------- */

static lode_status take_rows(occurrences *o, uint32_t n, uint64_t **rows) {
    size_t bytes = n * o->words * sizeof **rows;
    lode_status status = arena_take(&o->arena, bytes, (void **)rows);
    if (status != LODE_OK) return status;
    memset(*rows, 0, bytes);
    o->rows = *rows;
    o->n_rows = n;
    return LODE_OK;
}

/* A column for each word: words that are equal have been merged, and none weighs nothing. */
static lode_status occurrences_of_words(occurrences *o, const database *root) {
    const weighted_words *w = &root->words.all;
    uint64_t *rows;
    o->words = rows_words(w->n);
    lode_status status = take_rows(o, root->items.n, &rows);
    for (size_t i = 0; i < w->n && status == LODE_OK; i++) {
        for (uint64_t rest = w->words[i]; rest != 0; rest &= rest - 1) {
            size_t item = (size_t)__builtin_ctzll(rest);
            rows[item * o->words + i / 64] |= (uint64_t)1 << i % 64;
        }
    }
    return status;
}

/* ---- of the data set ------------------------------------------------------------------------- */

/* Goes through the transactions that weigh something, in their order. */
typedef void occurrences_visit(void *user, uint64_t t, uint32_t rank);

static lode_status visit_occurrences(const engine_task *task, const uint32_t *rank,
                                     occurrences_visit *visit, void *user) {
    const lode_dataset *data = task->items.data;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        for (uint32_t t = 0; t < block->n; t++) {
            uint64_t number = block->first + t;
            if (data->weights && data->weights[number] == 0) continue;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                visit(user, number, rank[block->items[i]]);
            }
        }
    }
    return LODE_OK;
}

/* The words of the items without a row, in the making. */
typedef struct words_maker {
    uint32_t first, end; /* these items */
    uint32_t *next;      /* first: how many words an item has; then: where its next one goes */
    uint32_t *last;      /* where the last one of an item is, + 1 */
    row_word *words;
} words_maker;

static void count_word(void *user, uint64_t t, uint32_t rank) {
    words_maker *m = user;
    if (rank < m->first || rank >= m->end) return;
    uint32_t at = (uint32_t)(t / 64) + 1;
    m->next[rank - m->first] += m->last[rank - m->first] != at;
    m->last[rank - m->first] = at;
}

static void fill_word(void *user, uint64_t t, uint32_t rank) {
    words_maker *m = user;
    if (rank < m->first || rank >= m->end) return;
    uint32_t at = (uint32_t)(t / 64), item = rank - m->first;
    if (m->last[item] != at + 1) m->words[m->next[item]++] = (row_word){.at = at};
    m->last[item] = at + 1;
    m->words[m->next[item] - 1].bits |= (uint64_t)1 << t % 64;
}

static lode_status make_other_words(occurrences *o, const adaptive_root *root,
                                    const engine_task *task) {
    lode_status status = LODE_OK;
    words_maker m = {.first = o->n_rows, .end = root->items.n};
    uint32_t n = m.end - m.first, *starts;
    size_t bytes = (n + (size_t)1) * sizeof *starts;
    uint64_t total = 0;
    if (n == 0) return LODE_OK;
    LODE_TRY(arena_take(&o->arena, bytes, (void **)&starts));
    LODE_TRY(arena_take(&o->arena, bytes, (void **)&m.next));
    LODE_TRY(arena_take(&o->arena, bytes, (void **)&m.last));
    memset(m.next, 0, bytes);
    memset(m.last, 0, bytes);
    LODE_TRY(visit_occurrences(task, root->rank, count_word, &m));
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t here = i < n ? m.next[i] : 0;
        starts[i] = m.next[i] = (uint32_t)total;
        total += here;
    }
    LODE_TRY(arena_take(&o->arena, total * sizeof *m.words, (void **)&m.words));
    memset(m.last, 0, bytes);
    LODE_TRY(visit_occurrences(task, root->rank, fill_word, &m));
    o->starts = starts;
    o->others = m.words;
done:
    return status;
}

/* The rows of all items that have one, in the making. */
typedef struct rows_maker {
    uint64_t *rows;
    size_t words;
    uint32_t n;
} rows_maker;

static void fill_bit(void *user, uint64_t t, uint32_t rank) {
    const rows_maker *m = user;
    if (rank < m->n) m->rows[rank * m->words + t / 64] |= (uint64_t)1 << t % 64;
}

/* How many items there is room to have a row each. */
static uint32_t count_rows_that_fit(const occurrences *o, const engine_task *task, uint32_t n) {
    size_t left = mem_left(&task->job->mem);
    size_t most =
        left / OCCURRENCES_SHARE < OCCURRENCES_BYTES ? left / OCCURRENCES_SHARE : OCCURRENCES_BYTES;
    size_t fit = most / (o->words * sizeof *o->rows + 1);
    return fit < n ? (uint32_t)fit : n;
}

static lode_status occurrences_of_data(occurrences *o, const adaptive_root *root,
                                       const engine_task *task, bool alone) {
    lode_status status = LODE_OK;
    uint64_t *rows;
    o->words = vertical_row_bytes(task->items.data->profile.n_transactions) / sizeof *o->rows;
    LODE_TRY(take_rows(o, count_rows_that_fit(o, task, root->items.n), &rows));
    rows_maker m = {rows, o->words, o->n_rows};
    if (alone || task->items.data->weights) {
        LODE_TRY(visit_occurrences(task, root->rank, fill_bit, &m));
    } else {
        LODE_TRY(
            vertical_fill_rows(task->job, task->items.data, root->rank, o->n_rows, false, rows));
    }
    status = make_other_words(o, root, task);
done:
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

lode_status occurrences_open(occurrences *o, const adaptive_root *root, const engine_task *task,
                             bool alone) {
    lode_status status = LODE_OK;
    uint64_t *zeros;
    *o = (occurrences){0};
    arena_init(&o->arena, &task->job->mem);
    switch (root->db.shape) {
    case SHAPE_SINGLES: return LODE_OK; /* not needed */
    case SHAPE_ROWS:
        o->rows = root->db.rows.rows;
        o->n_rows = root->items.n;
        o->words = root->db.rows.words;
        break;
    case SHAPE_WORDS: LODE_TRY(occurrences_of_words(o, &root->db)); break;
    default: LODE_TRY(occurrences_of_data(o, root, task, alone)); break;
    }
    LODE_TRY(arena_take(&o->arena, o->words * sizeof *zeros, (void **)&zeros));
    memset(zeros, 0, o->words * sizeof *zeros);
    o->zeros = zeros;
done:
    if (status != LODE_OK) occurrences_close(o);
    return status;
}

void occurrences_close(occurrences *o) {
    if (o->arena.mem) arena_clear(&o->arena);
    *o = (occurrences){0};
}

/* Words of items without rows take the most. */
uint64_t occurrences_need(const engine_sizes *s) {
    const job_sizes *d = &s->data;
    if (d->n_items <= WORD_ITEMS) return (d->n_items + 1) * vertical_row_bytes(d->n_transactions);
    return d->n_occurrences * sizeof(row_word) + d->n_items * 3 * sizeof(uint32_t) +
           vertical_row_bytes(d->n_transactions);
}
