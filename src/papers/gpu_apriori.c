/* gpu_apriori.c - all pairs: every two sets of a level are united, and the right unions counted
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a bit table of 32-bit words. All pairs of the frequent (k - 1)-sets are ORed by a grid
 *           of blocks, one for each pair (--grid square: n * n of them, more than half idle;
 *           folded: exactly n (n - 1) / 2); unions of k items are candidates. There is no subset
 *           test. With --grid-rows a block also ANDs the two rows, as the paper's does, for the
 *           time that takes: candidates are counted in the same way with and without it.
 * Twice:    a set of k items is the union of up to k (k - 1) / 2 pairs. Each is counted once: a
 *           hash table of the level's unions drops the others. When it outgrows its share of
 *           memory, the level is split in two by a bit of the unions' hashes, and each half again
 *           if need be; every part is a walk of its own over the grid.
 * Counting: AND of the two sets' rows, a partial count per word, then a tree over the partial
 *           counts (--reduce pow2: padded to a power of two; any: no padding).
 * Wins:     nowhere any more; it is here because its paper measures grids and trees against each
 *           other, and so can you.
 * After:    the 2013 paper (in Chinese) on a parallel Apriori for GPUs with a folded grid.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "base/os.h"
#include "papers/bit_sets.h"
#include "papers/levelwise_team.h"

#define GRID_CHUNK          ((uint64_t)1 << 22) /* blocks per call of the device, at most */
#define BYTES_PER_CANDIDATE 64   /* pair, two slots, work, counts: while a part is in work */
#define GRID_SHARE          0.5  /* of the progress of a level is finding its candidates */
#define COUNT_CHUNK         4096 /* candidates per call, at least */

typedef struct grid_state {
    backend_grid_tile whole; /* the grid of the level … */
    backend_grid_tile tile;  /* … and what the call in work has of it */
    backend_pair *found;     /* by that call */
    size_t cap_found;
    backend_pair *unique; /* candidates of the part in work */
    size_t n_unique, cap_unique;
    vec_u32 slots; /* hash table: number in `unique` + 1, 0 = free; the size is a power of two */
} grid_state;

/* ---- each union once ----------------------------------------------------------------------- */

static uint64_t union_hash(const bit_sets *s, backend_pair p) {
    const uint64_t *a = bit_sets_row(s, p.a), *b = bit_sets_row(s, p.b);
    uint64_t h = 0;
    for (size_t j = 0; j < s->words; j++) h = bits_mix(h ^ (a[j] | b[j])) + j;
    return h;
}

static bool union_equal(const bit_sets *s, backend_pair p, backend_pair q) {
    const uint64_t *a = bit_sets_row(s, p.a), *b = bit_sets_row(s, p.b);
    const uint64_t *c = bit_sets_row(s, q.a), *d = bit_sets_row(s, q.b);
    for (size_t j = 0; j < s->words; j++) {
        if ((a[j] | b[j]) != (c[j] | d[j])) return false;
    }
    return true;
}

static void slots_insert(grid_state *s, uint64_t hash, uint32_t number) {
    size_t mask = s->slots.n - 1, at = (size_t)hash & mask;
    while (s->slots.data[at]) at = (at + 1) & mask;
    s->slots.data[at] = number + 1;
}

/* Doubles the table and puts everything in again. */
static lode_status slots_grow(levelwise *w) {
    grid_state *s = w->state;
    size_t size = s->slots.n ? 2 * s->slots.n : 1024;
    vec_u32 fresh = {0};
    lode_status status = vec_u32_reserve(w->mem, &fresh, size);
    if (status != LODE_OK) return status;
    memset(fresh.data, 0, size * sizeof *fresh.data);
    fresh.n = size;
    vec_u32_free(w->mem, &s->slots);
    s->slots = fresh;
    for (size_t i = 0; i < s->n_unique; i++) {
        slots_insert(s, union_hash(w->sets, s->unique[i]), (uint32_t)i);
    }
    return LODE_OK;
}

static lode_status unique_append(levelwise *w, backend_pair p) {
    grid_state *s = w->state;
    if (s->n_unique == s->cap_unique) {
        lode_status status = vec_grow(w->mem, (void **)&s->unique, s->n_unique, &s->cap_unique, 1,
                                      sizeof *s->unique);
        if (status != LODE_OK) return status;
    }
    s->unique[s->n_unique++] = p;
    return LODE_OK;
}

/* A part of a level: the unions whose hash, shifted by 32, has these bits under the mask. */
typedef struct grid_part {
    uint64_t mask, bits;
} grid_part;

/* Adds the pair unless its union is known, or belongs to another part. */
static lode_status unique_add(levelwise *w, backend_pair p, grid_part part) {
    grid_state *s = w->state;
    uint64_t hash = union_hash(w->sets, p);
    if ((hash >> 32 & part.mask) != part.bits) return LODE_OK;
    if (2 * (s->n_unique + 1) > s->slots.n) {
        lode_status status = slots_grow(w);
        if (status != LODE_OK) return status;
    }
    size_t mask = s->slots.n - 1;
    for (size_t at = (size_t)hash & mask; s->slots.data[at]; at = (at + 1) & mask) {
        if (union_equal(w->sets, p, s->unique[s->slots.data[at] - 1])) return LODE_OK;
    }
    slots_insert(s, hash, (uint32_t)s->n_unique);
    return unique_append(w, p);
}

/* ---- walks over the grid ------------------------------------------------------------------- */

/* How far the walk over the grid is, from 0 to 1, when it comes to the tile. */
static double grid_share(const grid_state *s) {
    double before = (double)s->tile.y * s->whole.width + s->tile.x;
    return before / (double)backend_grid_blocks(s->whole);
}

/* Makes room for the results of the next call; *blocks: its maximum number of blocks. */
static lode_status grid_room(levelwise *w, uint64_t *blocks) {
    grid_state *s = w->state;
    uint64_t chunk = levelwise_share(w) / (4 * sizeof *s->found);
    uint64_t all = backend_grid_blocks(s->whole);
    if (chunk > GRID_CHUNK || s->cap_found >= GRID_CHUNK) chunk = GRID_CHUNK;
    if (chunk < s->cap_found) chunk = s->cap_found; /* that memory is taken already */
    if (chunk == 0) return levelwise_too_large(w, 1, sizeof *s->found);
    *blocks = chunk;
    size_t room = (size_t)(chunk < all ? chunk : all);
    if (s->cap_found >= room) return LODE_OK;
    return vec_grow(w->mem, (void **)&s->found, 0, &s->cap_found, room, sizeof *s->found);
}

/* Has the device do the next tile of the grid. *more is false when there is none. */
static lode_status grid_step(levelwise *w, size_t *n_found, bool *more) {
    lode_status status = LODE_OK;
    grid_state *s = w->state;
    backend_grid_cut cut = {0, UINT32_MAX};
    LODE_TRY(grid_room(w, &cut.blocks));
    *n_found = 0;
    *more = backend_grid_next(s->whole, cut, &s->tile);
    if (!*more) return LODE_OK;
    LODE_TRY(levelwise_tick(w, GRID_SHARE * grid_share(s)));
    backend_grid_part part = {w->options.grid, w->k, s->tile};
    LODE_TRY(w->ops->or_pairs(w->papers, &part, s->found, n_found));
done:
    return status;
}

/* The next walk begins. */
static void grid_rewind(grid_state *s) {
    s->tile = (backend_grid_tile){0};
    s->n_unique = 0;
}

/* Counts and settles the candidates of a part, a chunk at a time. */
static lode_status grid_settle(levelwise *w) {
    lode_status status = LODE_OK;
    const grid_state *s = w->state;
    size_t fill = levelwise_team_fill(w), n;
    size_t chunk = fill > COUNT_CHUNK ? fill : COUNT_CHUNK;
    for (size_t first = 0; first < s->n_unique; first += n) {
        n = s->n_unique - first < chunk ? s->n_unique - first : chunk;
        LODE_TRY(levelwise_reserve(w, n));
        memcpy(w->pairs, s->unique + first, n * sizeof *w->pairs);
        w->n_pairs = n;
        w->threshold = job_threshold(w->job);
        LODE_TRY(levelwise_count_rows(w));
        LODE_TRY(levelwise_settle(w));
        LODE_TRY(job_tick(w->job, 0, 0));
    }
done:
    return status;
}

/* Adds the pairs that a call has found, as long as there are not too many for the part. */
static lode_status grid_unique(levelwise *w, grid_part part, size_t n_found, size_t most) {
    lode_status status = LODE_OK;
    grid_state *s = w->state;
    double start = os_seconds();
    for (size_t i = 0; i < n_found && s->n_unique <= most; i++) {
        LODE_TRY(unique_add(w, s->found[i], part));
    }
done:
    w->task->report->unique_seconds += os_seconds() - start;
    return status;
}

/* Walks over the grid and collects the candidates of a part. *fits: there are not too many. */
static lode_status grid_collect(levelwise *w, grid_part part, size_t most, bool *fits) {
    lode_status status = LODE_OK;
    grid_state *s = w->state;
    uint64_t generated = 0;
    bool more = true;
    grid_rewind(s);
    *fits = true;
    if (s->slots.n > 0) memset(s->slots.data, 0, s->slots.n * sizeof *s->slots.data);
    while (more && *fits) {
        size_t found;
        LODE_TRY(grid_step(w, &found, &more));
        generated += found;
        LODE_TRY(grid_unique(w, part, found, most));
        *fits = s->n_unique <= most;
    }
    if (*fits && part.bits == 0) w->tally->generated = generated;
done:
    return status;
}

/* Does one part of the level, or two halves of it if it is too large. Recursion: one level for each
 * bit of a mask, 32 at the most. */
static lode_status grid_do(levelwise *w, grid_part part, size_t most) {
    lode_status status = LODE_OK;
    const grid_state *s = w->state;
    bool fits;
    LODE_TRY(grid_collect(w, part, most, &fits));
    if (!fits) {
        uint64_t bit = part.mask + 1;
        if (bit > UINT32_MAX / 2) return levelwise_too_large(w, most, most * BYTES_PER_CANDIDATE);
        LODE_TRY(grid_do(w, (grid_part){part.mask | bit, part.bits}, most));
        return grid_do(w, (grid_part){part.mask | bit, part.bits | bit}, most);
    }
    w->tally->candidate_bytes += s->n_unique * bits_round_up(w->v.n_items, 32) / 8;
    levelwise_lap(w, &w->tally->candidate);
    LODE_TRY(grid_settle(w));
done:
    return status;
}

/* Level 2: the pairs are the candidates, and no two have the same union. */
static lode_status grid_pairs(levelwise *w) {
    lode_status status = LODE_OK;
    grid_state *s = w->state;
    bool more = true;
    for (grid_rewind(s); more;) {
        size_t found;
        LODE_TRY(grid_step(w, &found, &more));
        w->tally->generated += found;
        w->tally->candidate_bytes += found * bits_round_up(w->v.n_items, 32) / 8;
        s->n_unique = 0;
        for (size_t i = 0; i < found; i++) LODE_TRY(unique_append(w, s->found[i]));
        levelwise_lap(w, &w->tally->candidate);
        LODE_TRY(grid_settle(w));
    }
done:
    return status;
}

static lode_status grid_level(levelwise *w) {
    grid_state *s = w->state;
    size_t most = levelwise_share(w) / BYTES_PER_CANDIDATE;
    backend_sets table = bit_sets_table(w);
    const uint32_t *rows = w->options.grid_rows ? w->rows.data : NULL;
    lode_status status = w->ops->use_sets(w->papers, &table, NULL, rows);
    if (status != LODE_OK) return status;
    if (most == 0) return levelwise_too_large(w, 1, BYTES_PER_CANDIDATE);
    s->whole = backend_grid_whole(w->options.grid == LODE_GRID_SQUARE, w->n_sets);
    return w->k == 2 ? grid_pairs(w) : grid_do(w, (grid_part){0, 0}, most);
}

/* ---- the method ---------------------------------------------------------------------------- */

/* The item that y has and x has not; y's last one may well be in x. */
static uint32_t grid_extra(const levelwise *w, backend_pair p) {
    const bit_sets *s = w->sets;
    const uint64_t *a = bit_sets_row(s, p.a), *b = bit_sets_row(s, p.b);
    size_t j = 0;
    while ((b[j] & ~a[j]) == 0) j++;
    return (uint32_t)(j * 64 + (size_t)__builtin_ctzll(b[j] & ~a[j]));
}

/* The grid runs on the first device, which does not have the rows of sets that others counted. */
static lode_status grid_start(levelwise *w) {
    if (!w->options.grid_rows || w->n_team == 1) return LODE_OK;
    return job_fail(w->job, LODE_INVALID, "--grid-rows requires a single device; there are %u",
                    w->n_team);
}

static void grid_report(const levelwise *w) {
    backend_paper_counters c = w->ops->counters(w->papers);
    engine_report *report = w->task->report;
    report->grid_seconds = c.grid_seconds;
    report->grid_blocks = c.blocks;
    report->idle_blocks = c.idle_blocks;
    report->grid_intersected = c.intersected;
}

static void grid_stop(levelwise *w) {
    grid_state *s = w->state;
    if (w->papers) grid_report(w);
    mem_free(w->mem, s->found, s->cap_found * sizeof *s->found);
    mem_free(w->mem, s->unique, s->cap_unique * sizeof *s->unique);
    vec_u32_free(w->mem, &s->slots);
}

const levelwise_method gpu_apriori_method = {
    .sets = &levelwise_bits,
    .keeps_rows = true,
    .trees = true,
    .state_bytes = sizeof(grid_state),
    .list_share = 0.25, /* the tables of itemsets are large themselves */
    .start = grid_start,
    .stop = grid_stop,
    .extra = grid_extra,
    .level = grid_level,
};
