/* groups.c - see groups.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/groups.h"

#include "base/os.h"
#include "pipeline/spill/spill_roots.h"
#include "pipeline/spill/spill_rows.h"

#define OF_NONE 0xff /* of a group that is not written in this pass */

typedef struct group_writer {
    spill_job *s;
    const spill_part *part;
    const spill_pairs *pairs; /* NULL: not known */
    spill_group *groups;
    unsigned n; /* of these */
    spool_writer writers[SPILL_GROUPS];
    uint8_t *of; /* by number, from part->first on: its group, or OF_NONE */
    uint8_t *code;
    uint32_t *code_ends;
    uint64_t *bits, *wanted; /* by place: items of a row, and those that a group needs */
    uint32_t *row;           /* … as numbers */
    mem_kept kept;           /* these arrays */
} group_writer;

void spill_close_run(spill_job *s, spool **run) {
    if (!*run) return;
    s->written += atomic_load(&(*run)->end);
    s->read += atomic_load(&(*run)->n_read);
    spool_free(*run);
    *run = NULL;
}

unsigned spill_most_groups(const spill_job *s, const spill_part *part) {
    size_t most = mem_left(s->mem) / SPILL_BUFFER_SHARE / SPILL_BUFFER_LEAST;
    size_t files = part->depth < 5 ? SPILL_GROUPS >> part->depth : 1;
    if (files < SPILL_GROUPS_LEAST) files = SPILL_GROUPS_LEAST;
    if (most > files) most = files;
    if (most < SPILL_GROUPS_LEAST) most = SPILL_GROUPS_LEAST;
    files = os_files_left(2 * SPILL_GROUPS) / 2;
    if (most > files) most = files;
    return (unsigned)(most < SPILL_FILES_LEAST ? SPILL_FILES_LEAST : most);
}

static size_t writer_buffer_bytes(const spill_job *s, unsigned n) {
    size_t bytes = mem_left(s->mem) / SPILL_BUFFER_SHARE / n;
    if (bytes < SPILL_BUFFER_LEAST) return SPILL_BUFFER_LEAST;
    return bytes < SPILL_BUFFER_MOST ? bytes : SPILL_BUFFER_MOST;
}

/* Arrays for a row as it is written. */
static lode_status writers_open_row(group_writer *w) {
    lode_status status = LODE_OK;
    mem *m = w->s->mem;
    size_t n = w->s->whole->profile.longest + (size_t)1, words = w->pairs ? w->pairs->words : 0;
    if (words > 0) {
        LODE_TRY(mem_keep_zero(m, &w->kept, (void **)&w->bits, words * sizeof *w->bits));
        LODE_TRY(mem_keep(m, &w->kept, (void **)&w->wanted, words * sizeof *w->wanted));
        LODE_TRY(mem_keep(m, &w->kept, (void **)&w->row, n * sizeof *w->row));
    } else {
        LODE_TRY(mem_keep(m, &w->kept, (void **)&w->code, n * SPOOL_VARINT));
        LODE_TRY(mem_keep(m, &w->kept, (void **)&w->code_ends, n * sizeof(uint32_t)));
    }
done:
    return status;
}

static lode_status writers_open(group_writer *w) {
    lode_status status = LODE_OK;
    spill_job *s = w->s;
    size_t range = w->part->end - w->part->first, bytes = writer_buffer_bytes(s, w->n);
    LODE_TRY(mem_keep(s->mem, &w->kept, (void **)&w->of, range));
    memset(w->of, OF_NONE, range);
    LODE_TRY(writers_open_row(w));
    for (unsigned g = 0; g < w->n; g++) {
        spill_group *group = &w->groups[g];
        for (uint32_t i = group->first; i < group->end; i++) {
            if (spill_is_root(s, i)) w->of[i - w->part->first] = (uint8_t)g;
        }
        LODE_TRY(spool_create(s->job, s->mem, spill_folder(s), &group->run));
        LODE_TRY(spool_writer_open(&w->writers[g], s->job, s->mem, group->run, bytes));
        LODE_TRY(spool_begin(&w->writers[g], 0, s->weighted));
    }
done:
    return status;
}

/* The next root of a row, from item i on, whose group is written in this pass; r->n: none. */
static uint32_t writers_next(const group_writer *w, const spill_rows *r, uint32_t i) {
    for (; i < r->n; i++) {
        if (r->items[i] >= w->part->end) return r->n;
        if (w->of[r->items[i] - w->part->first] != OF_NONE) return i;
    }
    return i;
}

static unsigned writers_group(const group_writer *w, const spill_rows *r, uint32_t i) {
    return i < r->n ? w->of[r->items[i] - w->part->first] : OF_NONE;
}

/* ---- by pairs -------------------------------------------------------------------------------- */

/* Writes the part of a row that a group needs: its items that are set in `wanted`. */
static lode_status writers_put(group_writer *w, unsigned group, const uint64_t *wanted,
                               uint32_t words, uint32_t weight) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < words; k++) {
        for (uint64_t word = wanted[k] & w->bits[k]; word != 0; word &= word - 1) {
            w->row[n++] = w->pairs->numbers[k * 64 + (uint32_t)__builtin_ctzll(word)];
        }
    }
    return spool_put(&w->writers[group], w->row, n, weight);
}

/* Writes a row to the group of root i, with that root and the following ones of the same group.
 * Sets *next to the first root after them. */
static lode_status writers_put_group(group_writer *w, const spill_rows *r, uint32_t i,
                                     uint32_t *next) {
    const spill_pairs *p = w->pairs;
    const uint64_t *wanted = spill_partners(p, p->places[r->items[i]]);
    unsigned group = writers_group(w, r, i);
    uint32_t last = i;
    for (*next = writers_next(w, r, i + 1); writers_group(w, r, *next) == group;
         *next = writers_next(w, r, last + 1)) {
        last = *next;
        const uint64_t *more = spill_partners(p, p->places[r->items[last]]);
        for (uint32_t k = 0; k < p->words; k++) w->wanted[k] = wanted[k] | more[k];
        wanted = w->wanted;
    }
    /* Rarer items than the last root are not needed, or all may be. */
    uint32_t words = w->s->cut ? p->places[r->items[last]] / 64 + 1 : p->words;
    return writers_put(w, group, wanted, words, r->weight);
}

static lode_status writers_add_needed(group_writer *w, const spill_rows *r) {
    lode_status status = LODE_OK;
    const uint32_t *places = w->pairs->places;
    uint32_t i = writers_next(w, r, spill_rows_find(r, w->part->first));
    for (uint32_t k = 0; k < r->n; k++) {
        w->bits[places[r->items[k]] / 64] |= (uint64_t)1 << places[r->items[k]] % 64;
    }
    while (i < r->n) LODE_TRY(writers_put_group(w, r, i, &i));
    for (uint32_t k = 0; k < r->n; k++) w->bits[places[r->items[k]] / 64] = 0;
done:
    return status;
}

/* ---- by places in the order ------------------------------------------------------------------ */

/* Writes a row to every group whose roots it contains: up to its rarest root of the group, or with
 * all items. */
static lode_status writers_add(group_writer *w, const spill_rows *r) {
    uint32_t next, i = writers_next(w, r, spill_rows_find(r, w->part->first));
    if (i == r->n) return LODE_OK;
    spool_encode(r->items, r->n, w->code, w->code_ends);
    for (; i < r->n; i = next) {
        unsigned group = writers_group(w, r, i);
        next = writers_next(w, r, i + 1);
        if (writers_group(w, r, next) == group) continue;
        uint32_t n = w->s->cut ? i + 1 : r->n;
        lode_status status =
            spool_put_code(&w->writers[group], w->code, w->code_ends[n - 1], n, r->weight);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static lode_status writers_fill(group_writer *w, const spill_counts *c) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, w->s, w->part, c);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        LODE_TRY(w->pairs ? writers_add_needed(w, &rows) : writers_add(w, &rows));
    }
    for (unsigned g = 0; g < w->n; g++) LODE_TRY(spool_flush(&w->writers[g]));
done:
    spill_rows_close(&rows);
    return status;
}

/* Whether each group has the expected size: exactly, or at most. */
static bool writers_agree(const group_writer *w) {
    for (unsigned g = 0; g < w->n; g++) {
        const spill_group *group = &w->groups[g];
        uint64_t n_rows = atomic_load(&group->run->n_rows);
        uint64_t n_items = atomic_load(&group->run->n_items);
        if (w->pairs && w->s->weighted) continue; /* weights of rows are counted there */
        if (n_rows > group->size.n_rows || n_items > group->size.n_items) return false;
        if (w->pairs) continue;
        if (n_rows < group->size.n_rows || n_items < group->size.n_items) return false;
    }
    return true;
}

/* From now on a group has the sizes that were written. */
static void writers_tell_sizes(const group_writer *w) {
    for (unsigned g = 0; g < w->n; g++) {
        spill_group *group = &w->groups[g];
        group->size.n_rows = atomic_load(&group->run->n_rows);
        group->size.n_items = atomic_load(&group->run->n_items);
    }
}

lode_status spill_write_groups(spill_job *s, spill_plan *plan, unsigned first, unsigned end) {
    lode_status status = LODE_OK;
    group_writer *w = NULL;
    spill_group *groups = plan->groups.list + first;
    unsigned n = end - first;
    LODE_TRY(mem_zalloc(s->mem, (void **)&w, sizeof *w));
    w->s = s;
    w->part = plan->part;
    w->pairs = plan->pairs.known ? &plan->pairs : NULL;
    w->groups = groups;
    w->n = n;
    LODE_TRY(writers_open(w));
    LODE_TRY(writers_fill(w, &plan->c));
    LODE_REQUIRE(s->job, writers_agree(w), "the groups on disk do not have the counted sizes");
    writers_tell_sizes(w);
done:
    for (unsigned g = 0; w && g < n; g++) spool_writer_close(&w->writers[g]);
    if (w) mem_drop(s->mem, &w->kept);
    mem_free(s->mem, w, w ? sizeof *w : 0);
    for (unsigned g = 0; status != LODE_OK && g < n; g++) {
        spill_close_run(s, &groups[g].run);
    }
    return status;
}
