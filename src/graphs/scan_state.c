/* scan_state.c - see scan_state.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/scan_state.h"

lode_status scan_new_slot(worker *w, uint32_t *place, code_edge edge) {
    if (w->n_slots == w->slots_cap) {
        lode_status status = vec_grow(&w->s->job->mem, (void **)&w->slots, w->n_slots,
                                      &w->slots_cap, 1, sizeof *w->slots);
        if (status != LODE_OK) return status;
    }
    bool back = !code_is_forward(edge);
    slot *t = &w->slots[w->n_slots++];
    *t = (slot){.edge = edge, .place = (size_t)(place - w->slot_of)};
    t->line = 2 * (size_t)(back ? edge.to : edge.from) + back;
    *place = (uint32_t)w->n_slots;
    return LODE_OK;
}

lode_status scan_grow_lines(worker *w) {
    mem *m = &w->s->job->mem;
    size_t line = store_n_types(&w->s->store) * sizeof *w->slot_of;
    size_t cap = w->lines_cap ? 2 * w->lines_cap : SCAN_LINES;
    uint32_t *larger = NULL;
    lode_status status = mem_zalloc(m, (void **)&larger, cap * line);
    if (status != LODE_OK) return status;
    if (w->n_lines > 0) memcpy(larger, w->slot_of, w->n_lines * line);
    mem_free(m, w->slot_of, w->lines_cap * line);
    w->slot_of = larger;
    w->lines_cap = cap;
    return LODE_OK;
}

lode_status scan_add_backward(scan *s, uint16_t to, half_edge h, uint32_t row, uint32_t graph) {
    size_t offset;
    lode_status status = scan_line(s->w, to, true, &offset);
    if (status != LODE_OK) return status;
    code_edge edge = {s->rightmost, to, h.type};
    return scan_add_hit(s, s->w->slot_of + offset + h.type, edge, row, graph, s->x->vid[row]);
}
