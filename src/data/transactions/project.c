/* project.c - see project.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/project.h"

#define PROJECT_BLOCK_ITEMS ((size_t)1 << 17) /* about as many as in a reader's block */

typedef struct projector {
    lode_job *job;
    const lode_dataset *from;
    const uint8_t *drop;
    bool (*takes)(void *user, uint64_t transaction); /* NULL: all that the groups want */
    void *user;
    const picked_rows *picked; /* NULL: all transactions */
    lode_dataset *to;
    const select_groups *groups; /* NULL: none */
    select_index of;
    uint32_t *counts;      /* by group: items of the present transaction */
    mem_kept kept;         /* the counts */
    vec_u32 items, ends;   /* the block that is being filled: items, and where transactions end */
    vec_u32 weights;       /* of all transactions so far */
    uint64_t n_done;       /* transactions in earlier blocks */
    size_t n_blocks_bytes; /* of the array of blocks, as it was made */
} projector;

/* ---- which transactions ---------------------------------------------------------------------- */

static lode_status project_index(projector *p, const select_groups *groups) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    if (!groups || groups->n == 0) return LODE_OK;
    LODE_TRY(select_index_make(m, groups, p->from->item_bound, &p->of));
    LODE_TRY(mem_keep_zero(m, &p->kept, (void **)&p->counts, groups->n * sizeof *p->counts));
    p->groups = groups;
done:
    return status;
}

/* Whether a transaction has what every group wants. */
static bool project_wants(projector *p, const uint32_t *row, uint32_t n) {
    bool wanted = true;
    if (!p->groups) return true;
    for (uint32_t i = 0; i < n && p->of.starts; i++) select_count(&p->of, row[i], p->counts, 1);
    for (uint32_t g = 0; g < p->groups->n; g++) {
        wanted = wanted && p->counts[g] >= p->groups->groups[g].least;
        p->counts[g] = 0;
    }
    return wanted;
}

/* ---- what is left of them -------------------------------------------------------------------- */

/* Appends the items that are not dropped; room for all was made. */
static uint32_t project_row(projector *p, const uint32_t *row, uint32_t n, uint32_t weight) {
    uint32_t *to = p->items.data + p->items.n, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        to[kept] = row[i];
        kept += !p->drop || p->drop[row[i]] == 0;
    }
    for (uint32_t i = 0; i < kept; i++) p->to->item_supports[to[i]] += weight;
    p->items.n += kept;
    return kept;
}

static lode_status project_take(projector *p, const uint32_t *row, uint32_t n, uint32_t weight) {
    lode_status status = LODE_OK;
    mem *m = &p->job->mem;
    lode_profile *profile = &p->to->profile;
    LODE_TRY(vec_u32_reserve(m, &p->items, n));
    LODE_TRY(vec_u32_reserve(m, &p->ends, 1));
    if (p->from->weights) LODE_TRY(vec_u32_push(m, &p->weights, weight));
    uint32_t kept = project_row(p, row, n, weight);
    p->ends.data[p->ends.n++] = (uint32_t)p->items.n;
    p->to->total_weight += weight;
    profile->n_transactions++;
    profile->n_empty += kept == 0;
    profile->n_occurrences += kept;
    if (kept > profile->longest) profile->longest = kept;
done:
    return status;
}

/* Makes a block of what there is, and begins the next. */
static lode_status project_end_block(projector *p) {
    uint32_t n = (uint32_t)p->ends.n;
    if (n == 0) return LODE_OK;
    lode_dataset *to = p->to;
    data_block block = {.first = p->n_done, .n = n};
    block.own_bytes = ((size_t)n + 1 + p->items.n) * sizeof *block.offsets;
    lode_status status = mem_resize(to->mem, (void **)&block.offsets, 0, block.own_bytes);
    if (status != LODE_OK) return status;
    block.items = block.offsets + n + 1;
    block.offsets[0] = 0;
    memcpy(block.offsets + 1, p->ends.data, n * sizeof *block.offsets);
    if (p->items.n > 0) memcpy(block.items, p->items.data, p->items.n * sizeof *block.items);
    to->blocks[to->n_blocks++] = block;
    p->n_done += n;
    p->items.n = p->ends.n = 0;
    return LODE_OK;
}

static lode_status project_block(projector *p, const data_block *block) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < block->n; i++) {
        const uint32_t *row = block->items + block->offsets[i];
        uint32_t n = block->offsets[i + 1] - block->offsets[i];
        if (p->takes && !p->takes(p->user, block->first + i)) continue;
        if (!project_wants(p, row, n)) continue;
        LODE_TRY(
            project_take(p, row, n, p->from->weights ? p->from->weights[block->first + i] : 1));
    }
    if (p->items.n + p->ends.n >= PROJECT_BLOCK_ITEMS) LODE_TRY(project_end_block(p));
done:
    return status;
}

/* Takes the picked transactions of a block, starting with number `i`, and returns `i` advanced past
 * them. */
static lode_status project_picked(projector *p, const data_block *block, size_t *i) {
    lode_status status = LODE_OK;
    const picked_rows *picked = p->picked;
    uint64_t end = block->first + block->n;
    for (; *i < picked->n && picked->rows[*i] < end; ++*i) {
        uint32_t at = (uint32_t)(picked->rows[*i] - block->first);
        uint32_t from = block->offsets[at], n = block->offsets[at + 1] - from;
        uint32_t weight = p->from->weights ? p->from->weights[picked->rows[*i]] : 1;
        LODE_TRY(project_take(p, block->items + from, n, weight));
    }
    if (p->items.n + p->ends.n >= PROJECT_BLOCK_ITEMS) LODE_TRY(project_end_block(p));
done:
    return status;
}

static lode_status project_blocks(projector *p) {
    lode_status status = LODE_OK;
    size_t picked = 0;
    for (size_t b = 0; b < p->from->n_blocks; b++) {
        LODE_TRY(job_check(p->job));
        LODE_TRY(p->picked ? project_picked(p, &p->from->blocks[b], &picked)
                           : project_block(p, &p->from->blocks[b]));
    }
    LODE_TRY(project_end_block(p));
done:
    return status;
}

/* ---- the data set ---------------------------------------------------------------------------- */

/* An empty data set with the names of the other. */
static lode_status project_begin(projector *p) {
    lode_status status = LODE_OK;
    const lode_dataset *from = p->from;
    ctx_home *home = NULL;
    LODE_TRY(ctx_home_create(p->job, &home));
    LODE_TRY(mem_zalloc(&home->mem, (void **)&p->to, sizeof *p->to));
    lode_dataset *to = p->to;
    to->home = home;
    to->mem = &home->mem;
    to->borrows_names = true;
    to->names = from->names;
    to->numbers = from->numbers;
    to->numeric = from->numeric;
    to->profile = from->profile;
    to->profile.n_transactions = to->profile.n_empty = to->profile.n_occurrences = 0;
    to->profile.longest = 0;
    to->profile.n_items = 0;
    home = NULL;
    LODE_TRY(prepared_store_create(to->home, &to->prepared));
    LODE_TRY(mem_zalloc(to->mem, (void **)&to->item_supports,
                        from->item_bound * sizeof *to->item_supports));
    to->item_bound = from->item_bound;
    p->n_blocks_bytes = from->n_blocks * sizeof *to->blocks;
    LODE_TRY(mem_zalloc(to->mem, (void **)&to->blocks, p->n_blocks_bytes));
done:
    ctx_home_release(home);
    return status;
}

/* Shrinks arrays to the sizes that they will be freed with; also after a failure. */
static lode_status project_end(projector *p) {
    lode_dataset *to = p->to;
    size_t bytes = (size_t)to->profile.n_transactions * sizeof *to->weights;
    lode_status status = LODE_OK;
    LODE_TRY(mem_resize(to->mem, (void **)&to->blocks, p->n_blocks_bytes,
                        to->n_blocks * sizeof *to->blocks));
    p->n_blocks_bytes = to->n_blocks * sizeof *to->blocks;
    if (p->from->weights) {
        LODE_TRY(mem_resize(to->mem, (void **)&to->weights, 0, bytes));
        if (bytes > 0) memcpy(to->weights, p->weights.data, bytes);
    }
    for (uint32_t i = 0; i < to->item_bound; i++) to->profile.n_items += to->item_supports[i] > 0;
    const char *broken = "";
    LODE_DEBUG_CHECK(dataset_validate_blocks(to, &broken), "%s", broken);
done:
    return status;
}

static void project_clear(projector *p) {
    mem *m = &p->job->mem;
    select_index_clear(m, &p->of);
    mem_drop(m, &p->kept);
    vec_u32_free(m, &p->items);
    vec_u32_free(m, &p->ends);
    vec_u32_free(m, &p->weights);
}

/* Frees a data set whose arrays may have other sizes than its numbers say. */
static void project_give_up(projector *p) {
    lode_dataset *to = p->to;
    if (!to) return;
    for (size_t i = 0; i < to->n_blocks; i++) data_block_free(to->mem, &to->blocks[i]);
    mem_free(to->mem, to->blocks, p->n_blocks_bytes);
    to->blocks = NULL;
    to->n_blocks = 0;
    if (!to->weights) to->profile.n_transactions = 0;
    lode_dataset_free(to);
}

static lode_status project_run(projector *p, const select_groups *groups, lode_dataset **out) {
    lode_status status = LODE_OK;
    LODE_TRY(project_index(p, groups));
    LODE_TRY(project_begin(p));
    LODE_TRY(project_blocks(p));
    LODE_TRY(project_end(p));
    *out = p->to;
    p->to = NULL;
done:
    project_give_up(p);
    project_clear(p);
    return status;
}

lode_status dataset_project(lode_job *job, const lode_dataset *data, const select_groups *groups,
                            const uint8_t *drop, lode_dataset **out) {
    projector p = {.job = job, .from = data, .drop = drop};
    return project_run(&p, groups, out);
}

lode_status dataset_divide(lode_job *job, const lode_dataset *data,
                           bool (*takes)(void *user, uint64_t transaction), void *user,
                           lode_dataset **out) {
    projector p = {.job = job, .from = data, .takes = takes, .user = user};
    return project_run(&p, NULL, out);
}

lode_status dataset_pick(lode_job *job, const lode_dataset *data, picked_rows picked,
                         const uint8_t *drop, lode_dataset **out) {
    projector p = {.job = job, .from = data, .drop = drop, .picked = &picked};
    return project_run(&p, NULL, out);
}
