/* sort_fold.c - see sort_fold.h: the walk
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/sort_fold.h"

#include "write/itemsets/fold_words.h"

/* A walk, and what it leaves when it is stopped. */
typedef struct fold_walker {
    fold_run run;
    fold_log *log;
    mem *mem;
} fold_walker;

/* Notes that the sets below some states are left. Without memory for that, they are lost: those who
 * count what is written see it. */
static void fold_leave_states(fold_walker *w, const fold_state *list, uint32_t n,
                              const fold_set *set) {
    for (uint32_t i = 0; i < n; i++) {
        fold_rest rest = {*set, list[i].family, list[i].at, list[i].index};
        if (fold_leave(w->log, w->mem, &rest) != LODE_OK) return;
    }
}

/* ---- a node --------------------------------------------------------------------------------- */

/* Goes on to the next item of a family. Emits its set if there is none, else adds the state. */
static lode_status fold_step(const fold_run *run, fold_state s, const fold_set *set,
                             fold_state *list, uint32_t *n) {
    const fold_family *f = &run->families[s.family];
    if (++s.at == f->n) return fold_put_set(run, f, set, s.index);
    s.rank = f->items[s.at].rank;
    list[(*n)++] = s;
    return LODE_OK;
}

/* Splits the states of a node by an item: those that take it in go behind the list. */
static lode_status fold_split(const fold_run *run, fold_state *list, uint32_t *n,
                              const fold_set *set, uint32_t rank, uint32_t *n_in) {
    lode_status status = LODE_OK;
    fold_state *in = list + *n;
    fold_set with = fold_with(set, rank);
    uint32_t n_out = 0;
    *n_in = 0;
    for (uint32_t i = 0; i < *n; i++) {
        fold_state s = list[i], taken = s;
        if (s.rank != rank) {
            list[n_out++] = s;
            continue;
        }
        const fold_family *f = &run->families[s.family];
        uint32_t bit = f->items[s.at].bit;
        if (bit != FOLD_FIXED) {
            taken.index |= bit;
            taken.free = --s.free;
        }
        if (fold_goes_on(f, taken.index)) LODE_TRY(fold_step(run, taken, &with, in, n_in));
        if (bit != FOLD_FIXED) LODE_TRY(fold_step(run, s, set, list, &n_out));
    }
    *n = n_out;
done:
    return status;
}

/* Emits the sets below a node, whose states are on top of the stack. Recursion: as deep as a set
 * has items. */
static lode_status fold_node(fold_walker *w, fold_state *list, uint32_t n, const fold_set *set) {
    lode_status status = LODE_OK;
    fold_run *run = &w->run;
    fold_words words;
    while (n > 0) {
        uint32_t rank = list[0].rank, n_in;
        if (fold_is_stopped(run)) LODE_LEAVE(LODE_CANCELLED);
        if (n == 1) {
            return fold_put_alone(run, &run->families[list->family], list->at, set, list->index);
        }
        for (uint32_t i = 1; i < n; i++) rank = list[i].rank < rank ? list[i].rank : rank;
        if (fold_words_fit(&words, run, list, n, rank)) {
            return fold_words_all(&words, run, list, n, set);
        }
        fold_set with = fold_with(set, rank);
        fold_state *in = list + n;
        LODE_TRY(fold_split(run, list, &n, set, rank, &n_in));
        LODE_TRY(fold_node(w, in, n_in, &with));
    }
done:
    if (status == LODE_CANCELLED) fold_leave_states(w, list, n, set);
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The families one by one: there is no memory for a walk. */
static lode_status fold_list(fold_walker *w, const fold_set *empty) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < w->log->n && status == LODE_OK; i++) {
        fold_state all = {.family = (uint32_t)i};
        if (fold_is_stopped(&w->run)) status = LODE_CANCELLED;
        if (status == LODE_OK) status = fold_put_alone(&w->run, &w->run.families[i], 0, empty, 0);
        for (; status == LODE_CANCELLED && i < w->log->n; i++, all.family++) {
            fold_leave_states(w, &all, 1, empty);
        }
    }
    return status;
}

static void fold_begin(const fold_walker *w, fold_state *stack) {
    for (size_t i = 0; i < w->log->n; i++) {
        const fold_family *f = &w->run.families[i];
        stack[i] = (fold_state){
            .family = (uint32_t)i, .free = (uint16_t)f->n_free, .rank = f->items->rank};
    }
}

static lode_status fold_walk_all(fold_walker *w, const fold_set *empty, bool *in_order) {
    lode_status status = LODE_OK;
    fold_state *stack = NULL;
    /* The lists of a path of nodes: no longer than there are families, one for each item. */
    size_t n_states = w->log->n * ((size_t)w->log->longest + 2);
    size_t block_bytes = (FOLD_BLOCK + 1) * sizeof *w->run.block; /* what is left out is written
                                                                     first */
    LODE_TRY(mem_resize(w->mem, (void **)&w->run.block, 0, 2 * block_bytes));
    w->run.scratch = w->run.block + FOLD_BLOCK + 1;
    LODE_TRY(mem_resize(w->mem, (void **)&stack, 0, n_states * sizeof *stack));
    fold_begin(w, stack);
    *in_order = true;
    status = fold_node(w, stack, (uint32_t)w->log->n, empty);
done:
    if (status == LODE_BUDGET && !stack) status = fold_list(w, empty);
    mem_free(w->mem, stack, stack ? n_states * sizeof *stack : 0);
    mem_free(w->mem, w->run.block, w->run.block ? 2 * block_bytes : 0);
    return status;
}

lode_status fold_walk(fold_log *log, const fold_out *out, bool *in_order) {
    lode_status status = LODE_OK;
    mem *m = out->keys->mem;
    fold_family *families = NULL;
    fold_set empty = fold_empty(out->keys);
    fold_walker w = {{.out = out, .words = out->keys->mask_words}, log, m};
    *in_order = false;
    LODE_TRY(mem_resize(m, (void **)&families, 0, log->n * sizeof *families));
    fold_read_all(log, families);
    w.run.families = families;
    status = fold_walk_all(&w, &empty, in_order);
done:
    mem_free(m, families, families ? log->n * sizeof *families : 0);
    return status;
}

lode_status fold_go_on(const fold_log *log, const fold_out *out) {
    lode_status status = LODE_OK;
    mem *m = out->keys->mem;
    fold_family *families = NULL;
    fold_run run = {.out = out, .words = out->keys->mask_words};
    LODE_TRY(mem_resize(m, (void **)&families, 0, log->n * sizeof *families));
    fold_read_all(log, families);
    run.families = families;
    for (size_t i = 0; i < log->n_rest; i++) {
        const fold_rest *rest = &log->rest[i];
        if (fold_is_stopped(&run)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(fold_put_alone(&run, &families[rest->family], rest->at, &rest->set, rest->index));
    }
done:
    mem_free(m, families, families ? log->n * sizeof *families : 0);
    return status;
}
