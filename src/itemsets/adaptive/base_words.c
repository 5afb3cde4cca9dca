/* base_words.c - the words of the empty prefix; see base.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/base.h"

#include "itemsets/adaptive/merge.h"

/* Takes room for this many words, and copies those of `b` there. */
static lode_status buffer_move(arena *to, size_t room, word_buffer *b) {
    lode_status status = LODE_OK;
    word_buffer moved = {.n = b->n};
    LODE_TRY(arena_take(to, room * sizeof *b->words, (void **)&moved.words));
    LODE_TRY(arena_take(to, room * sizeof *b->weights, (void **)&moved.weights));
    if (b->n > 0) {
        memcpy(moved.words, b->words, b->n * sizeof *b->words);
        memcpy(moved.weights, b->weights, b->n * sizeof *b->weights);
    }
    *b = moved;
done:
    return status;
}

/* Merges what there is, and takes more room if that does not help. */
static lode_status buffer_make_room(adaptive_base *base, const engine_task *task, word_buffer *b,
                                    size_t *room) {
    lode_status status = LODE_OK;
    if (b->n > 0) LODE_TRY(merge_words(&base->slice, ~(uint64_t)0, b));
    if (b->n > 0 && *room - b->n >= MERGE_BATCH / 2) return LODE_OK;
    uint64_t most = task->data->profile.n_transactions; /* there are no more words than these */
    *room = most < 2 * b->n + MERGE_BATCH ? most : 2 * b->n + MERGE_BATCH;
    status = buffer_move(&base->slice, *room, b);
done:
    return status;
}

/* Where many words were equal, most of the memory they were collected in is empty: moves them to an
 * arena of their own size. */
static lode_status buffer_shrink(adaptive_base *base, word_buffer *b) {
    arena tight;
    size_t held = 0;
    for (unsigned i = 0; i < base->slice.n; i++) held += base->slice.chunks[i].bytes;
    if (b->n * (sizeof *b->words + sizeof *b->weights) > held / WORDS_WASTE) return LODE_OK;
    arena_init(&tight, base->slice.mem);
    lode_status status = buffer_move(&tight, b->n, b);
    if (status != LODE_OK) {
        arena_clear(&tight);
        return status;
    }
    arena_clear(&base->slice);
    base->slice = tight;
    return LODE_OK;
}

static uint64_t word_of(const uint32_t *rank, const uint32_t *items, uint32_t n) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = rank[items[i]];
        word |= (uint64_t)(bit < WORD_ITEMS) << (bit & (WORD_ITEMS - 1));
    }
    return word;
}

lode_status adaptive_base_words(adaptive_base *base, const engine_task *task) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->data;
    word_buffer b = {0};
    size_t room = 0;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        LODE_TRY(job_check(task->job));
        for (uint32_t t = 0; t < block->n; t++) {
            if (b.n == room) LODE_TRY(buffer_make_room(base, task, &b, &room));
            uint32_t start = block->offsets[t], n = block->offsets[t + 1] - start;
            b.words[b.n] = word_of(base->rank, block->items + start, n);
            b.weights[b.n] = data->weights ? data->weights[block->first + t] : 1;
            b.n += b.words[b.n] != 0 && b.weights[b.n] != 0;
        }
    }
    if (b.n > 0) LODE_TRY(merge_words(&base->slice, ~(uint64_t)0, &b));
    LODE_TRY(buffer_shrink(base, &b));
    base->end = base->items.n;
    base->db.words = (words_db){.all = {b.words, b.weights, b.n}};
done:
    return status;
}

lode_status adaptive_narrow_words(arena *to, uint32_t n, words_db *words) {
    lode_status status = LODE_OK;
    uint64_t mask = ((uint64_t)1 << n) - 1;
    word_buffer b = {.n = words->all.n};
    LODE_TRY(arena_take(to, b.n * sizeof *b.words, (void **)&b.words));
    LODE_TRY(arena_take(to, b.n * sizeof *b.weights, (void **)&b.weights));
    for (size_t i = 0; i < b.n; i++) {
        b.words[i] = words->all.words[i] & mask;
        b.weights[i] = words->all.weights[i];
    }
    if (b.n > 0) LODE_TRY(merge_words(to, ~(uint64_t)0, &b));
    words->all = (weighted_words){b.words, b.weights, b.n};
done:
    return status;
}
