/* spill_merge.c - see spill_merge.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/spill_merge.h"

#include "base/bits.h"
#include "pipeline/spill/spill_rows.h"

#define MERGE_SLOTS_LEAST ((size_t)1024)

uint64_t merge_hash(const uint32_t *items, uint32_t n) {
    uint64_t hash = bits_hash(items, n * sizeof *items);
    return hash ? hash : 1;
}

/* ---- the table ------------------------------------------------------------------------------- */

lode_status merge_table_open(mem *m, merge_table *t) {
    *t = (merge_table){.n_slots = MERGE_SLOTS_LEAST};
    return mem_zalloc(m, (void **)&t->slots, t->n_slots * sizeof *t->slots);
}

void merge_table_close(mem *m, merge_table *t) {
    mem_free(m, t->slots, t->slots ? t->n_slots * sizeof *t->slots : 0);
    *t = (merge_table){0};
}

lode_status merge_table_reserve(mem *m, merge_table *t) {
    if (2 * (t->n + 1) <= t->n_slots) return LODE_OK;
    merge_table larger = {.n_slots = 2 * t->n_slots, .n = t->n};
    lode_status status =
        mem_zalloc(m, (void **)&larger.slots, larger.n_slots * sizeof *larger.slots);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < t->n_slots; i++) {
        size_t slot = merge_first(&larger, t->slots[i].hash);
        if (t->slots[i].hash == 0) continue;
        while (larger.slots[slot].hash != 0) slot = merge_next(&larger, slot);
        larger.slots[slot] = t->slots[i];
    }
    merge_table_close(m, t);
    *t = larger;
    return LODE_OK;
}

/* ---- whether it pays ------------------------------------------------------------------------- */

/* Notes a hash; equal ones count as equal rows, which is good enough for an estimate. */
static void merge_note(merge_table *t, uint64_t hash) {
    size_t slot = merge_first(t, hash);
    while (t->slots[slot].hash != 0 && t->slots[slot].hash != hash) slot = merge_next(t, slot);
    t->n += t->slots[slot].hash == 0;
    t->slots[slot].hash = hash;
}

lode_status spill_merge_pays(spill_job *s, const spill_part *part, const spill_counts *c,
                             bool *pays) {
    lode_status status = LODE_OK;
    merge_table t = {0};
    spill_rows rows;
    bool more = true;
    uint64_t n = 0;
    if (c->n_items > SPILL_MERGE_ITEMS) return LODE_OK; /* sparse: those that are equal are short */
    spill_rows_open(&rows, s, part, c);
    LODE_TRY(merge_table_open(s->mem, &t));
    for (; n < SPILL_MERGE_SAMPLE; n++) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        LODE_TRY(merge_table_reserve(s->mem, &t));
        merge_note(&t, merge_hash(rows.items, rows.n));
    }
    *pays = (double)t.n < SPILL_MERGE_PAYS * (double)n;
done:
    spill_rows_close(&rows);
    merge_table_close(s->mem, &t);
    return status;
}
