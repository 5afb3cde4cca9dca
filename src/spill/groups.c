/* groups.c - see groups.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "spill/groups.h"

#include "spill/spill_rows.h"

#define OF_NONE 0xff /* of a group that is not written in this pass */

typedef struct group_writer {
    spill_job *s;
    const spill_part *part;
    spill_group *groups;
    unsigned n; /* of these */
    spool_writer writers[SPILL_GROUPS];
    uint8_t *of; /* by number, from part->first on: its group, or OF_NONE */
    uint8_t *code;
    uint32_t *code_ends;
    mem_kept kept; /* these arrays */
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
    return (unsigned)(most < SPILL_GROUPS_LEAST ? SPILL_GROUPS_LEAST : most);
}

static size_t writer_buffer_bytes(const spill_job *s, unsigned n) {
    size_t bytes = mem_left(s->mem) / SPILL_BUFFER_SHARE / n;
    if (bytes < SPILL_BUFFER_LEAST) return SPILL_BUFFER_LEAST;
    return bytes < SPILL_BUFFER_MOST ? bytes : SPILL_BUFFER_MOST;
}

static lode_status writers_open(group_writer *w) {
    lode_status status = LODE_OK;
    spill_job *s = w->s;
    size_t longest = s->whole->profile.longest, range = w->part->end - w->part->first;
    size_t bytes = writer_buffer_bytes(s, w->n);
    LODE_TRY(mem_keep(s->mem, &w->kept, (void **)&w->of, range));
    memset(w->of, OF_NONE, range);
    LODE_TRY(mem_keep(s->mem, &w->kept, (void **)&w->code, (longest + 1) * SPOOL_VARINT));
    LODE_TRY(mem_keep(s->mem, &w->kept, (void **)&w->code_ends, (longest + 1) * sizeof(uint32_t)));
    for (unsigned g = 0; g < w->n; g++) {
        spill_group *group = &w->groups[g];
        for (uint32_t i = group->first; i < group->end; i++) w->of[i - w->part->first] = (uint8_t)g;
        LODE_TRY(spool_create(s->job, s->mem, spill_folder(s), &group->run));
        LODE_TRY(spool_writer_open(&w->writers[g], s->job, s->mem, group->run, bytes));
        LODE_TRY(spool_begin(&w->writers[g], 0, s->weighted));
    }
done:
    return status;
}

/* Writes a row to every group of which it has an item: up to its rarest item of the group, or with
 * all items. */
static lode_status writers_add(group_writer *w, const spill_rows *r) {
    const spill_part *part = w->part;
    uint32_t i = spill_rows_find(r, part->first);
    if (i == r->n || r->items[i] >= part->end) return LODE_OK;
    spool_encode(r->items, r->n, w->code, w->code_ends);
    for (; i < r->n && r->items[i] < part->end; i++) {
        bool last = i + 1 == r->n || r->items[i + 1] >= part->end;
        unsigned group = w->of[r->items[i] - part->first];
        if (group == OF_NONE) continue;
        if (!last && w->of[r->items[i + 1] - part->first] == group) continue;
        uint32_t n = w->s->cut ? i + 1 : r->n;
        lode_status status =
            spool_put_code(&w->writers[group], w->code, w->code_ends[n - 1], n, r->weight);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

static lode_status writers_fill(group_writer *w, const spill_counts *c) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, w->s, w->part, c);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        LODE_TRY(writers_add(w, &rows));
    }
    for (unsigned g = 0; g < w->n; g++) LODE_TRY(spool_flush(&w->writers[g]));
done:
    spill_rows_close(&rows);
    return status;
}

/* Whether each group has exactly what the survey has counted. */
static bool writers_agree(const group_writer *w) {
    for (unsigned g = 0; g < w->n; g++) {
        const spill_group *group = &w->groups[g];
        if (atomic_load(&group->run->n_rows) != group->size.n_rows) return false;
        if (atomic_load(&group->run->n_items) != group->size.n_items) return false;
    }
    return true;
}

lode_status spill_write_groups(spill_job *s, const spill_part *part, const spill_counts *c,
                               spill_group *groups, unsigned n) {
    lode_status status = LODE_OK;
    group_writer *w = NULL;
    LODE_TRY(mem_zalloc(s->mem, (void **)&w, sizeof *w));
    w->s = s;
    w->part = part;
    w->groups = groups;
    w->n = n;
    LODE_TRY(writers_open(w));
    LODE_TRY(writers_fill(w, c));
    LODE_REQUIRE(s->job, writers_agree(w), "groups on disk differ from what was counted");
done:
    for (unsigned g = 0; w && g < n; g++) spool_writer_close(&w->writers[g]);
    if (w) mem_drop(s->mem, &w->kept);
    mem_free(s->mem, w, w ? sizeof *w : 0);
    for (unsigned g = 0; status != LODE_OK && g < n; g++) {
        spill_close_run(s, &groups[g].run);
    }
    return status;
}
